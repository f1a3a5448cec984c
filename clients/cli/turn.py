"""`pythia turn`: a bot's whole turn, while a person or a seed says what dice and cards show."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

from cyclopts import Parameter

from pythia.clients.cli.console import (
    ANYONE,
    EXIT_TERMINAL,
    Access,
    AsJson,
    At,
    CommandError,
    DecidingSeat,
    Json,
    OnlyGame,
    Thinking,
    Where,
    open_client,
    percent,
    position_text,
    print_json,
    read_position,
    read_text,
    terminal,
    write_out,
)
from pythia.clients.cli.prompt import Prompt
from pythia.clients.cli.views import who
from pythia.clients.client import Client
from pythia.core_cy import CHANCE, IllegalMove, Random, State, View
from pythia.core_cy.reveals import Way, as_text, differing, name_of, part_of
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec

# Answers that are listed when a person is asked; of more, the first few show how they are written.
MOST_LISTED, EXAMPLES = 12, 3
# Positions drawn to see what a move may have shown, and the most that are tried to find those that fit an answer.
SAMPLES = 24
MOST_TRIES = 1000


def turn(
    where: Where,
    /,
    *,
    draw: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="Draw what dice and cards show from the seed, instead of asking.",
        ),
    ] = False,
    answers: Annotated[
        Path | None,
        Parameter(
            allow_leading_hyphen=True, help="A file with the answers, one per line; - for standard input."
        ),
    ] = None,
    out: Annotated[
        Path | None, Parameter(name=("--out", "-o"), help="Write the position after the turn.")
    ] = None,
    seed: Annotated[int, Parameter(help="The seed for draws and for the bot.")] = 0,
    seat: DecidingSeat = None,
    at: At = None,
    game: OnlyGame = None,
    as_json: AsJson = False,
    thinking: Thinking | None = None,
    access: Access = ANYONE,
) -> None:
    """Let a bot play a whole turn.

    The dice and cards are yours: where chance decides, where a move shows
    something hidden and where another seat decides in between, the command asks
    what happened. With --draw the seed decides, and the bot plays for others too.

    For example:

        pythia turn seen.json --level 5
        pythia new --moves 40 | pythia turn - --draw --seed 3
        pythia turn seen.json --answers answers.txt --out after.json --json
    """
    spec = (thinking or Thinking()).spec()
    position = read_position(where, at=at, game=game, seat=seat, deciding=True, access=access)
    observation = position.seen_by(seat)
    story = TurnStory(quiet=as_json)
    asker = Asker(answers)
    with open_client(access) as client:
        decide = Lots(client, spec, seed).decision if draw else asker.decision
        table: TurnTable
        if position.state is not None:
            table = OpenTable(position.state)
        elif draw:
            table = OpenTable(View.from_observation(observation).imagined(seed_of(seed, "hidden")))
        else:
            table = SeenTable(observation, asker)
        referee = Referee(table, observation["observer"], decide, story)
        over = False
        try:
            with closing(client.play_turn(observation, spec, seed=seed)) as steps:
                for step in steps:
                    if step.result is not None:
                        referee.play(step.result.move, step.result.values[referee.seat])
                    if step.need == "outcome":
                        steps.report(referee.outcome())
                    elif step.need == "observation":
                        steps.show(referee.look())
                    over = step.need == "over"
        finally:
            # Also after Ctrl-C: the moves that were made stay made.
            after = table.seen(referee.seat) if position.state is None else table.position
            if out is not None:
                write_out(position_text(after), out)
            if as_json:
                print_json({"seat": referee.seat, "over": over, "events": story.events, "position": after})
    if not as_json:
        print("the turn is over")


class TurnStory:
    """The moves and outcomes, told as they come."""

    def __init__(self, quiet: bool) -> None:
        self.events: list[Json] = []
        self._quiet = quiet

    def tell(self, by: int, move: str, win_probability: float | None) -> None:
        event: Json = {"by": by, "move": move}
        if win_probability is not None:
            event["win_probability"] = win_probability
        self.events.append(event)
        if not self._quiet:
            hope = f"   {percent(win_probability)}" if win_probability is not None else ""
            print(f"{who(by):<7} {move}{hope}", flush=True)


# -- where the game is kept


class TurnTable(Protocol):
    """The game while a turn is played."""

    @property
    def state(self) -> State:
        """The position, or one that looks like it."""

    def states(self) -> Iterator[State]:
        """The position, or several that look like it."""

    @property
    def position(self) -> Json: ...
    def seen(self, seat: int) -> Json: ...
    def apply(self, move: str) -> None: ...


class OpenTable:
    """A game of which all is known."""

    def __init__(self, state: State) -> None:
        self.state = state

    def states(self) -> Iterator[State]:
        yield self.state

    @property
    def position(self) -> Json:
        return self.state.to_json()

    def seen(self, seat: int) -> Json:
        return self.state.observation(seat)

    def apply(self, move: str) -> None:
        self.state.apply(move)


class SeenTable:
    """A game of which only one seat's view is known; what a move shows to it is asked for."""

    def __init__(self, observation: Json, asker: Asker) -> None:
        self.position = observation
        self._asker = asker

    @property
    def state(self) -> State:
        return next(self.states())

    def states(self) -> Iterator[State]:
        view = View.from_observation(self.position)
        return (view.imagined(seed) for seed in range(SAMPLES))

    def seen(self, seat: int) -> Json:
        return self.position

    def apply(self, move: str) -> None:
        self.position = self._asker.view(self.position, move)


Decide = Callable[[TurnTable], str]


class Referee:
    """Plays the bot's moves at the table, and says what happens between them."""

    def __init__(self, table: TurnTable, seat: int, decide: Decide, story: TurnStory) -> None:
        self.seat = seat
        self._table = table
        self._turn = table.state.turn_number
        self._decide = decide
        self._story = story

    def play(self, move: str, win_probability: float | None = None) -> None:
        self._story.tell(self._table.state.to_act, move, win_probability)
        self._table.apply(move)

    def outcome(self) -> str:
        text = self._decide(self._table)
        self.play(text)
        return text

    def look(self) -> Json:
        """What the seat sees once it is to act again, or its turn is over."""
        state = self._table.state
        while not state.is_over and state.turn_number == self._turn and state.to_act != self.seat:
            self.play(self._decide(self._table))
            state = self._table.state
        return self._table.seen(self.seat)


# -- who is asked


class Lots:
    """Draws what chance says; for other seats the bot decides. Streams of its own, which tell the bot nothing."""

    def __init__(self, client: Client, spec: BotSpec, seed: int) -> None:
        self._client = client
        self._spec = spec
        self._seed = seed
        self._luck = Random(seed_of(seed, "chance"))

    def decision(self, table: TurnTable) -> str:
        state = table.state
        if state.to_act == CHANCE:
            return str(state.sample_chance(self._luck))
        return self._client.suggest(state.observation(state.to_act), self._spec, seed=self._seed).move


T = TypeVar("T")


class Asker:
    """Asks a person on the terminal, or reads the answers from a file, one on each line."""

    def __init__(self, answers: Path | None) -> None:
        self._lines = None if answers is None else iter(read_text(str(answers)).splitlines())
        self._prompt = Prompt(terminal())

    def ask(self, question: str, allowed: list[str], read: Callable[[str], T]) -> T:
        """What an answer that can be read says. A person is asked again, a file is not."""
        while True:
            answer = self._answer(question, allowed)
            try:
                return read(answer)
            except ValueError as error:
                if self._lines is not None:
                    raise CommandError(f"answers: {error}") from error
                print(f"  {error}")

    def _answer(self, question: str, allowed: list[str]) -> str:
        if self._lines is not None:
            line = next(self._lines, None)
            if line is None:
                raise CommandError(f"answers: the file has no more lines; needed: {question}")
            return line.strip()
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise CommandError(
                f"terminal: there is no terminal to ask: {question}; give --draw, or --answers FILE",
                EXIT_TERMINAL,
            )
        try:
            return self._prompt.ask(f"{question} ({listed(allowed)}): ", allowed)
        except EOFError:
            raise KeyboardInterrupt("interrupted; no more answers") from None

    def decision(self, table: TurnTable) -> str:
        """What chance or another seat did."""
        state = table.state
        question = (
            "what do the dice or cards show"
            if state.to_act == CHANCE
            else f"what does seat {state.to_act} play"
        )
        allowed = [str(move) for move in state.legal_moves()]
        return self.ask(question, allowed, partial(legal_in, table))

    def view(self, before: Json, move: str) -> Json:
        """What the observer sees after a move: what follows from the view before, and of the rest what is told.

        Part by part, the most telling first, until all positions that fit look the same.
        """
        drawn = views_after(before, move)
        views = [view for view in islice(drawn, SAMPLES) if view is not None]
        told: dict[Way, Any] = {}
        while parts := differing(views):
            part, values = max(parts.items(), key=lambda item: len(item[1]))
            choices = {as_text(value): value for value in values}
            question = f"what does the move show: {described(part, views[0])}"
            read = partial(narrowed, views, drawn, told, part, choices)
            views = self.ask(question, list(choices), read)
        if not views:
            raise CommandError(f"move: {move!r} does not fit what the seat sees")
        return views[0]


def listed(allowed: list[str]) -> str:
    if len(allowed) <= MOST_LISTED:
        return ", ".join(allowed)
    return f"such as {', '.join(allowed[:EXAMPLES])}; {len(allowed)} in all"


def legal_in(table: TurnTable, text: str) -> str:
    """The text, if it is legal in a position that looks like this; which moves are can depend on what is hidden."""
    for state in table.states():
        try:
            return str(state.parse_move(text))
        except IllegalMove as error:
            wrong = error
    raise wrong


def views_after(before: Json, move: str) -> Iterator[Json | None]:
    """What the observer may see after the move, drawn at random without end; None where it is not legal."""
    view = View.from_observation(before)
    for seed in count():
        state = view.imagined(seed)
        try:
            state.apply(move)
        except IllegalMove:
            yield None
        else:
            yield state.observation(view.seat)


def narrowed(
    views: list[Json],
    drawn: Iterator[Json | None],
    told: dict[Way, Any],
    part: Way,
    choices: dict[str, Any],
    answer: str,
) -> list[Json]:
    """Those that fit the answer too, and as many more as are needed; what is told grows by it."""
    value = choices.get(answer, answer)
    now_told = told | {part: value}
    fitting = [view for view in views if part_of(view, part) == value]
    more = (
        view
        for view in islice(drawn, MOST_TRIES)
        if view is not None and all(part_of(view, way) == wanted for way, wanted in now_told.items())
    )
    fitting += islice(more, SAMPLES - len(fitting))
    if not fitting:
        raise ValueError(f"{answer!r} does not fit; allowed: {', '.join(choices)}")
    told[part] = value
    return fitting


def described(way: Way, view: Json) -> str:
    """A part by its name, with the numbers beside it that show which one it is."""
    name = name_of(way)
    around = part_of(view, way[:-1])
    if not isinstance(around, dict):
        return name
    beside = [f"{key} {value}" for key, value in around.items() if type(value) is int and key != way[-1]]
    return f"{name} ({', '.join(beside)})" if beside else name
