"""The command `replay`: a record step by step, with analysis; or checked, and its end shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from pythia.arena.review import DEFAULT_JUDGE, limit_of
from pythia.clients.cli.console import (
    AsJson,
    CutShort,
    OnlyGame,
    ProgressLine,
    RecordFile,
    ServerOptions,
    Thinking,
    Unfinished,
    not_allowed,
    open_client,
    percent,
    print_json,
    read_record,
    refusing,
    terminal,
)
from pythia.clients.cli.explain import chosen_language
from pythia.clients.cli.live import INTERVAL_SECONDS, watched
from pythia.clients.cli.prompt import Prompt
from pythia.clients.cli.views import analysis, who
from pythia.clients.cli.window import draw, everything, fitted, legend
from pythia.clients.client import Client
from pythia.core_cy import State, View
from pythia.core_cy.picture import screen_of, viewpoint
from pythia.core_cy.record import Record
from pythia.search.bots import BotSpec
from pythia.search.result import Result

# The lines below the position: the move, what is next, the prompt, and an empty one.
BELOW = 4
LINES = 8
AROUND = 5

KEYS = """\
Enter, n   the next move            b       back
NUMBER     after that many moves    t       to the next turn
s, e       the start, the end       l       the moves around here
a          what a bot thinks, from what the seat to act sees
v SEAT     as a seat sees it; v alone: with everything that is hidden
board      the position again       legend  what the signs on the board mean
board all  the position in full, page by page
h          this list                q       leave"""


def replay(
    file: RecordFile = "-",
    /,
    *,
    at: Annotated[int | None, Parameter(help="Start at the position after this many moves.")] = None,
    analyse: Annotated[
        bool,
        Parameter(
            negative=(), show_default=False, help="Show what a bot thinks of each decision, without stepping."
        ),
    ] = False,
    seed: Annotated[int, Parameter(help="With an iteration limit the same seed gives the same answers.")] = 0,
    unfinished: Unfinished = False,
    game: OnlyGame = None,
    as_json: AsJson = False,
    thinking: Thinking | None = None,
    connection: ServerOptions | None = None,
) -> None:
    """Step through a record, or check it and show its end.

    On a terminal, step through the moves, with analysis on request. Elsewhere,
    check every move and the result, and show the end.

    For example:

        pythia replay game.jsonl
        pythia replay game.jsonl --at 40
        pythia record | pythia replay
        pythia replay game.jsonl --analyse --iterations 1000
        pythia replay game.jsonl --analyse --json | jq '.moves[].analysis.move'
    """
    record = read_record(file, game=game, unfinished=unfinished)
    states = list(record.replay())
    if at is not None and not 0 <= at < len(states):
        raise not_allowed("at", at, f"0 to {len(states) - 1}, the moves and outcomes of the record")
    spec = thinking.spec() if thinking else BotSpec.parse(DEFAULT_JUDGE)
    interactive = file != "-" and not analyse and not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    if interactive:
        with open_client(connection) as client:
            Steps(record, states, at or 0, client, spec, seed, terminal()).run()
        return
    told = Analysed(record, states, spec, seed, connection) if analyse else None
    if as_json:
        print_json(as_object(record, states, at, told))
    elif told:
        told.tell()
    else:
        show(record, states, at)
    if told and told.interrupted:
        raise KeyboardInterrupt(f"interrupted; {len(told.results)} decisions were analysed; see above")


def show(record: Record, states: list[State], at: int | None) -> None:
    print(str(states[-1 if at is None else at]).rstrip("\n"))
    print()
    if at is not None:
        if at < len(record.moves):
            print(f"move {at + 1} comes next: {record.moves[at].move}")
        print(f"after {at} of {len(record.moves)} moves and outcomes; {to_act(states[at])}")
    else:
        end = json.dumps(record.result) if record.result else "none, the game is unfinished"
        print(f"{len(record.moves)} moves and outcomes, as recorded; result: {end}")


def to_act(state: State) -> str:
    return "over" if state.is_over else f"{who(state.to_act)} to act"


def as_object(record: Record, states: list[State], at: int | None, told: Analysed | None) -> dict[str, Any]:
    results = dict(told.run()) if told else {}
    moves = [
        {"number": number, "by": entry.by, "move": entry.move}
        | ({"analysis": results[number].to_json()} if number in results else {})
        for number, entry in enumerate(record.moves, start=1)
    ]
    state = states[-1 if at is None else at]
    return {
        "game": state.game.name,
        "players": record.names(state.game.players),
        "moves": moves,
        "result": record.result or None,
        "at": len(record.moves) if at is None else at,
        "to_act": state.to_act,
        "position": state.to_json(),
    }


class Analysed:
    """What a bot thinks of each decision; ended early by Ctrl-C with what is done."""

    def __init__(
        self, record: Record, states: list[State], spec: BotSpec, seed: int, connection: ServerOptions | None
    ) -> None:
        self._record = record
        self._states = states
        self._spec = spec
        self._seed = seed
        self._connection = connection
        self.results: dict[int, Result] = {}
        self.interrupted = False

    def run(self) -> Iterator[tuple[int, Result]]:
        """The number of each decision with a choice, from 1, and the analysis."""
        decisions = [
            number
            for number, entry in enumerate(self._record.moves)
            if entry.by >= 0 and len(self._states[number].legal_moves()) > 1
        ]
        cut, limit = CutShort(), limit_of(self._spec.make(0), self._states[0].game)
        with open_client(self._connection) as client, ProgressLine(len(decisions), "decisions") as progress:
            for number in decisions:
                seen = self._states[number].observation(self._record.moves[number].by)
                try:
                    result = client.suggest(seen, self._spec, limit=limit, seed=self._seed)
                except KeyboardInterrupt:
                    self.interrupted = True
                    break
                self.results[number + 1] = cut.heard(result, limit)
                progress.tell(len(self.results))
                yield number + 1, result
        cut.tell()

    def tell(self) -> None:
        """A line for each decision, as soon as it is there."""
        console = terminal()
        for number, result in self.run():
            console.print(Text(self.line(number, result)))
        print(f"{len(self.results)} decisions analysed by {self._spec}")

    def line(self, number: int, result: Result) -> str:
        by, played = self._record.moves[number - 1]
        best = result.moves[0]
        rated = {
            report.move: report.win_probability
            for report in result.moves
            if report.win_probability is not None
        }
        line = f"{number:>4}  {who(by)}  {played}"
        if played in rated:
            line += f" ({percent(rated[played])})"
        if best.move == played:
            return f"{line}, the best"
        return f"{line}; best: {best.move} ({percent(best.win_probability)})"


class Steps:
    """A record on a terminal, one position after the other."""

    def __init__(
        self,
        record: Record,
        states: list[State],
        at: int,
        client: Client,
        spec: BotSpec,
        seed: int,
        console: Console,
    ) -> None:
        self._record = record
        self._states = states
        self._at = at
        self._client = client
        self._spec = spec
        self._seed = seed
        self._console = console
        self._prompt = Prompt(console)
        self._eyes: int | None = None

    def run(self) -> None:
        last = len(self._states) - 1
        places: dict[str, Callable[[], int]] = {
            "": lambda: self._at + 1,
            "n": lambda: self._at + 1,
            "b": lambda: self._at - 1,
            "t": self.next_turn,
            "s": lambda: 0,
            "e": lambda: last,
        }
        self.show()
        pending = ""  # what was typed between pages
        while True:
            try:
                typed = pending or self._prompt.ask(f"{self._at}/{last} (h: help)> ")
            except EOFError:
                return
            pending = ""
            word, _, rest = typed.removeprefix("to ").partition(" ")
            if word == "q":
                return
            if typed.removeprefix("to ").isdecimal():
                self.go(int(word))
            elif word in places and not rest:
                self.go(places[word]())
            elif word == "a":
                self.analyse()
            elif word == "l":
                self.list_moves()
            elif word == "v":
                self.look_as(rest)
            elif typed == "board":
                self.show()
            elif typed == "board all":
                pending = self._prompt.page(*everything(screen_of(self.seen()), self._console))
            elif typed == "legend":
                pending = self._prompt.page(*legend(screen_of(self.seen()), self._console))
            else:
                print(KEYS if word == "h" else f"{typed!r} is not allowed; allowed:\n{KEYS}")

    def go(self, at: int) -> None:
        if not 0 <= at < len(self._states):
            print(f"{at} is not in the record; allowed: 0 to {len(self._states) - 1}")
            return
        self._at = at
        self.show()

    def next_turn(self) -> int:
        turn = self._states[self._at].turn_number
        later = range(self._at + 1, len(self._states))
        return next((at for at in later if self._states[at].turn_number != turn), len(self._states) - 1)

    def seen(self) -> dict[str, Any]:
        """The position, through the eyes that were chosen."""
        state = self._states[self._at]
        return state.to_json() if self._eyes is None else state.observation(self._eyes)

    def show(self) -> None:
        state, seen = self._states[self._at], self.seen()
        print()
        draw(fitted(screen_of(seen), self._console, self._console.height - BELOW), self._console)
        if self._at:
            self._console.print(Text(self.line(self._at), style="bold"))
        if self._at == len(self._record.moves):
            result = self._record.result
            print(f"the end; result: {json.dumps(result)}" if result else "the end of the record")
        else:
            print(f"{to_act(state)}{viewpoint(seen)}")

    def line(self, number: int) -> str:
        by, move = self._record.moves[number - 1]
        return f"{number:>4}  {who(by)}  {move}"

    def list_moves(self) -> None:
        first, last = max(1, self._at - AROUND + 1), min(len(self._record.moves), self._at + AROUND)
        for number in range(first, last + 1):
            self._console.print(Text(self.line(number), style="bold" if number == self._at else ""))

    def look_as(self, rest: str) -> None:
        players = self._states[0].game.players
        if rest and not (rest.isdecimal() and int(rest) < players):
            print(f"seat: {rest!r} is not allowed; allowed: 0 to {players - 1}, or nothing")
            return
        self._eyes = int(rest) if rest else None
        self.show()

    def analyse(self) -> None:
        state = self._states[self._at]
        if state.to_act < 0:
            print(f"nothing to decide here: {to_act(state)}")
            return
        with refusing():
            updates = self._client.analyze(
                state.observation(state.to_act),
                self._spec,
                seed=self._seed,
                lines=LINES,
                language=chosen_language(None),
                interval=INTERVAL_SECONDS,
            )
            view = View.of(state, state.to_act)
            result, _ = watched(updates, self._console, LINES, state.game.name, view)
        self._console.print(
            analysis(result, game=state.game.name, lines=LINES, width=self._console.width, view=view)
        )
        if self._at < len(self._record.moves):
            print(f"played: {self._record.moves[self._at].move}")
