"""The command `play`: a person against bots in the terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count, zip_longest
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Any

from cyclopts import Parameter
from rich.columns import Columns
from rich.console import Console, RenderableType
from rich.text import Text

from pythia.clients.calls import DEFAULT_BOT
from pythia.clients.cli.console import (
    CommandError,
    Connection,
    Json,
    Options,
    keep_tokens,
    need_terminal,
    not_allowed,
    open_client,
    read_options,
    read_record,
    reason,
    refusing,
    terminal,
)
from pythia.clients.cli.explain import explained, language_of
from pythia.clients.cli.live import INTERVAL_SECONDS, watched
from pythia.clients.cli.prompt import Prompt
from pythia.clients.cli.views import analysis, move_groups, who
from pythia.clients.client import Client
from pythia.clients.errors import Conflict, NotNow, PythiaError
from pythia.clients.types import CreatedMatch, Match, MatchEvent, Played, Seat
from pythia.core_cy import CHANCE, DEFAULT_GAME, IllegalMove, State, players_or_fewest, state_from_observation
from pythia.core_cy.picture import text_of
from pythia.core_cy.record import Record
from pythia.search.bots import BOTS, BotSpec
from pythia.search.limits import Limit
from pythia.service.config import state_folder

DEFAULT_LEVEL = 3
ROWS = 20
# Up to so many moves are listed at once; more are told by what they do.
FEW = 24
HINT_SECONDS, HINT_LINES = 2.0, 6
YOU = "you"
HERE = Path()
# What can be typed while the service does not do what is next.
TROUBLED = ("save", "quit")


def play(
    *,
    game: Annotated[
        str | None, Parameter(help=f"The game; `pythia games` lists them; by default {DEFAULT_GAME}.")
    ] = None,
    players: Annotated[
        int | None, Parameter(help="The number of players; the fewest that the game allows by default.")
    ] = None,
    seat: Annotated[
        int | None, Parameter(help="Where you sit, counted from 0; seat 0 begins, and is the default.")
    ] = None,
    bot: Annotated[
        tuple[str, ...],
        Parameter(
            negative=(),
            show_default=False,
            help="Who plays against you, such as greedy or ismcts:level=7; several times for several, "
            "the last one takes all seats that are left.",
        ),
    ] = (),
    level: Annotated[
        int | None, Parameter(help=f"How strong the bots are, 1 to 10; by default {DEFAULT_LEVEL}.")
    ] = None,
    seed: Annotated[int | None, Parameter(help="The same seed deals the same game.")] = None,
    option: Options = (),
    real_dice: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="Your own dice and cards decide: you are asked what they say. For games whose dice and cards all see.",
        ),
    ] = False,
    resume: Annotated[Path | None, Parameter(help="Go on with a game that was saved in this file.")] = None,
    connection: Connection | None = None,
) -> None:
    """Play against bots in the terminal.

    You see the board as your seat sees it. Type a move, the beginning of one
    (Tab completes it), a word in it, or its number; `help` tells the rest:
    hints, undo, save. Ctrl-C saves the game and ends. A game that is resumed
    goes on with the players it was saved with.

    For example:

        pythia play
        pythia play --game keltis --players 3 --bot greedy --bot ismcts --level 5
        pythia play --real-dice
        pythia play --resume saved.jsonl
    """
    need_terminal(1, 1)
    with open_client(connection) as client:
        if resume:
            saved = read_saved(resume, game)
            check_resumed(saved, {"players": players, "seed": seed, "option": option}, real_dice)
            seats = saved_seats(saved, seat, bot, level)
            created = client.import_record(saved, seats, real_dice=is_with_real_dice(saved))
        else:
            seats = new_seats(seat, bot, level, players_or_fewest(game or DEFAULT_GAME, players))
            created = client.create_match(
                game or DEFAULT_GAME,
                seats,
                options=read_options(option),
                seed=seed,
                reproducible=seed is not None,
                real_dice=real_dice,
            )
        table = PlayTable(client, created, terminal(), connection.server if connection else None)
        try:
            table.play()
        except CommandError:
            table.leave()  # nothing was played: the terminal is too small
            raise
        except (KeyboardInterrupt, EOFError):
            if table.match.is_over:
                raise KeyboardInterrupt from None
            print()
            raise KeyboardInterrupt(f"interrupted; {table.rescued()}") from None


# -- who plays


def new_seats(seat: int | None, bots: Sequence[str], level: int | None, players: int) -> list[Seat]:
    """You, and bots around you."""
    seat = seat or 0
    if not 0 <= seat < players:
        raise not_allowed("seat", seat, f"0 to {players - 1}")
    seats = [Seat(str(spec), spec) for spec in opponents(bots, level, players - 1)]
    seats.insert(seat, Seat(YOU))
    return seats


def opponents(bots: Sequence[str], level: int | None, number: int) -> list[BotSpec]:
    """One for each seat; the last one named takes the seats that are left."""
    texts = list(bots) or [DEFAULT_BOT]
    if len(texts) > number:
        raise CommandError(f"bot: {len(texts)} bots are too many; allowed: {number}, the seats besides yours")
    with refusing():
        specs = [
            with_level(BotSpec.parse(text), level)
            for text, _ in zip_longest(texts, range(number), fillvalue=texts[-1])
        ]
    if level is not None and all(spec.level != level for spec in specs):
        raise not_allowed("level", level, f"none for {', '.join(texts)}")
    return specs


def with_level(spec: BotSpec, level: int | None) -> BotSpec:
    """With the level that was asked for, where the bot has levels and its text names neither level nor limit."""
    if not BOTS[spec.name].levels or spec.level is not None or spec.limit is not None:
        return spec
    return replace(spec, level=DEFAULT_LEVEL if level is None else level)


def read_saved(file: Path, game: str | None = None) -> Record:
    record = read_record(str(file), game=game, unfinished=True)
    if record.result:
        raise CommandError(
            f"resume: {str(file)!r} is a game that is over; `pythia replay` and `pythia review` show it"
        )
    return record


def is_with_real_dice(record: Record) -> bool:
    return bool(record.header.get("real_dice"))


def check_resumed(record: Record, given: Mapping[str, object], real_dice: bool) -> None:
    """What a saved game has settled is not asked for again."""
    for name, value in given.items():
        if value not in (None, ()):
            raise CommandError(f"{name}: not together with --resume, as the game is dealt; leave it out")
    if real_dice and not is_with_real_dice(record):
        raise CommandError("real-dice: the game was saved without; leave it out, or begin a new game")


def saved_seats(record: Record, seat: int | None, bots: Sequence[str], level: int | None) -> list[Seat]:
    """As they were when the game was saved; a record of another origin does not say, so the options do."""
    names = record.names(next(record.replay()).game.players)
    entries = record.header.get("players")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        entries = []
    kept = [entry.get("bot") for entry in entries]
    if len(kept) != len(names) or kept.count(None) != 1:
        return new_seats(seat, bots, level, len(names))
    for name, value in (("seat", seat), ("bot", bots or None), ("level", level)):
        if value is not None:
            raise CommandError(
                f"{name}: not together with --resume, as the file says who plays; leave it out"
            )
    with refusing():
        return [
            Seat(name, None if text is None else BotSpec.parse(str(text)))
            for name, text in zip(names, kept, strict=True)
        ]


def free_name(match: Match, folder: Path = HERE) -> Path:
    """A file that is not there yet."""
    stem = f"{match.game}-{match.id[:8]}"
    names = (f"{stem}.jsonl" if number == 1 else f"{stem}-{number}.jsonl" for number in count(1))
    return next(file for file in (folder / name for name in names) if not is_there(file))


def is_there(file: Path) -> bool:
    """As far as can be seen: whoever may not look into the folder is told when it is written."""
    with suppress(OSError):
        return file.exists()
    return False


def write(record: Record, file: Path) -> None:
    try:
        record.write(file)
    except OSError as error:
        raise CommandError(f"save: {str(file)!r} cannot be written ({reason(error)})") from None


def write_somewhere(record: Record, match: Match) -> Path:
    """Into a new file here; where that cannot be, in another folder, for a game is not to be lost."""
    refused = []
    for folder in folders():
        file = free_name(match, folder)
        try:
            write(record, file)
        except CommandError as error:
            refused.append(error)
        else:
            return file
    raise refused[0]


def folders() -> Iterator[Path]:
    """Here, where things of this user are kept, and where things are kept for a time."""
    yield HERE
    with suppress(OSError):
        kept = state_folder() / "saved"
        kept.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield kept
    with suppress(OSError):
        yield Path(mkdtemp(prefix="pythia-"))


def saved_in(file: Path) -> str:
    return f"the game is saved in {file}; `pythia play --resume {file}` goes on with it"


# -- the game


class Left(Exception):
    """The person leaves the table."""


class PlayTable:
    """A match between one person and bots, and what that person sees of it."""

    def __init__(
        self, client: Client, created: CreatedMatch, console: Console, server: str | None = None
    ) -> None:
        self.match = created.match
        self._client = client
        self._server = server
        self._tokens = created.seat_tokens
        self._owner = created.owner_token
        self._seat = next(number for number, seat in enumerate(created.match.seats) if seat.bot is None)
        self._token = created.seat_tokens[self._seat]
        self._console = console
        self._prompt = Prompt(console)
        self._history: list[str] = []
        self._told = 0  # the version of the match up to which its events were told
        self._moves: Moves  # of the question under way
        self._shown_turn: int | None = None
        self._commands: dict[str, tuple[Callable[[str], None], str]] = {
            "moves": (self.show_moves, "the moves, all or those with a beginning or word: `moves sail`"),
            "board": (self.show_board, "the board, as you see it"),
            "hint": (
                self.hint,
                f"what a bot thinks of your moves, after {HINT_SECONDS:g} seconds or as many as you say: `hint 10`",
            ),
            "undo": (self.undo, "take your last move back, if it showed you nothing and nothing was drawn"),
            "explain": (
                self.explain,
                "what a word of the game means, or what a move costs and brings: `explain R12`, `explain 3`",
            ),
            "history": (self.show_history, "what happened so far, all of it or the last moves: `history 20`"),
            "save": (self.ask_save, "save the game to a file: `save FILE`"),
            "resign": (self.resign, "give the game up"),
            "help": (self.help, "this list, as does `?`"),
            "quit": (self.quit, "leave, with or without saving"),
        }

    # -- the course of the game

    def play(self) -> None:
        try:
            self.insist(self.greet)
            while not self.match.is_over:
                self.insist(self.go_on)
            self.insist(self.end)
        except Left:
            self.leave()

    def insist(self, step: Callable[[], None]) -> None:
        """Do it, as often as it takes: what the service cannot do now is no reason to end the game."""
        while True:
            try:
                return step()
            except PythiaError as error:
                self.say(str(error), style="red")
                self.wait_for_better()

    def wait_for_better(self) -> None:
        """Until the person wants to try again, and the service tells what happened meanwhile."""
        while True:
            typed = self._prompt.ask("Enter to try again; or `save [FILE]`, or `quit`: ", TROUBLED)
            word, _, rest = typed.partition(" ")
            try:
                if not typed:
                    return self.catch_up()
                if word.lower() in TROUBLED:
                    self._commands[word.lower()][0](rest.strip())
                else:
                    self.say(
                        f"{typed!r} is not allowed; allowed now: Enter, {', '.join(TROUBLED)}", style="red"
                    )
            except PythiaError as error:
                self.say(str(error), style="red")

    def go_on(self) -> None:
        if self.match.to_act in (self._seat, CHANCE):
            self.ask()
        else:
            self.bot_turn()

    def greet(self) -> None:
        need_terminal(max(map(len, text_of(self.observation()).splitlines())), ROWS)
        others = ", ".join(
            f"seat {number}: {seat.name}"
            for number, seat in enumerate(self.match.seats)
            if number != self._seat
        )
        self.say(f"{self.match.game}: you are seat {self._seat}; {others}. `help` lists what you can type.")
        self.catch_up()

    def catch_up(self) -> None:
        """Tell what happened in the match since the last event that was told; of a long time only the end."""
        self.match = match = self._client.match(self.match.id, self._token)
        if self._told >= match.version:
            return
        with self._client.watch(match.id, self._seat, self._token, after_version=self._told) as events:
            for event in events:
                self.tell(event, quiet=event.version < match.version - ROWS)
                if event.version >= match.version:
                    break

    def bot_turn(self) -> None:
        with self._client.stream_bot_turn(self.match.id, self._token) as turn:
            for played in turn:
                self.hear(played)

    def hear(self, played: Played) -> None:
        for event in played.events:
            self.tell(event)
        self.match = played.match

    def ask(self) -> None:
        """One question: answered by a move, an outcome or a command."""
        self._moves = self.legal_moves()
        if self.match.to_act == CHANCE:
            self.say(text_of(self.observation()).partition("\n")[0])
        elif self.match.turn_number != self._shown_turn:
            self.show_board()
        self.say(self._moves.heading(self.match.to_act), style="bold")
        if len(self._moves.texts) <= FEW:
            self._console.print(self._moves.listed(self._moves.texts))
        version = self.match.version
        while version == self.match.version and not self.match.is_over:
            typed = self._prompt.ask("> ", [*self._moves.texts, *self._commands])
            try:
                self.answer(typed)
            except PythiaError as error:
                # No reason to end the game: another answer may do, or the same a little later.
                self.say(str(error), style="red")

    def answer(self, typed: str) -> None:
        word, _, rest = typed.partition(" ")
        if typed in self._moves.texts:
            self.submit(typed)
        elif typed == "?":
            self.help()
        elif word.lower() in self._commands:
            self._commands[word.lower()][0](rest.strip())
        elif typed.isdecimal():
            number = int(typed)
            if not 1 <= number <= len(self._moves.texts):
                self.say(f"{number} is not a move; allowed: 1 to {len(self._moves.texts)}", style="red")
            else:
                self.submit(self._moves.texts[number - 1])
        else:
            self.choose_among(typed)

    def choose_among(self, typed: str) -> None:
        found = self._moves.matching(typed)
        if not found:
            self.say(f"{self._moves.why_not(typed)}; {self._moves.allowed()}", style="red")
        elif len(found) > 1 or not typed:
            self._prompt.page(self._moves.listed(found))
        elif self._prompt.agreed(f"{found[0]}: play it?"):
            self.submit(found[0])

    def submit(self, move: str) -> None:
        try:
            played = self._client.submit_move(
                self.match.id, move, self._token, expected_version=self.match.version
            )
        except Conflict:
            # Somebody else holds a token of this match, or an answer was lost on its way.
            self.catch_up()
        else:
            self.hear(played)

    def end(self) -> None:
        self.show_board()
        result = self.match.result
        assert result is not None
        winners = " and ".join(self.name_of(seat) for seat in result.winners) or "nobody"
        outcome = "You win" if result.winners == (self._seat,) else f"Won by {winners}"
        self.say(f"The game is over ({result.reason}). {outcome}.", style="bold")
        question = "Keep the record? A file name, or Enter for no: "
        name = self._prompt.ask(question)
        while name and not self.saved(Path(name)):
            name = self._prompt.ask(question)

    def leave(self) -> None:
        """A match that nobody will play on is not left behind on a server."""
        if not self.match.is_over:
            with suppress(PythiaError):  # what is being told already matters more
                self._client.delete_match(self.match.id, self._owner)

    def rescued(self) -> str:
        """Where the game is, kept without asking anybody. What cannot be saved stays on the server."""
        try:
            file = write_somewhere(self.record(), self.match)
        except (CommandError, PythiaError) as error:
            return f"the game is not saved: {error}{self.way_back()}"
        self.leave()
        return saved_in(file)

    def way_back(self) -> str:
        """How to fetch the game from the server, if there is one, once it answers."""
        if self._server is None:
            return ""
        kept = keep_tokens(self.match.id, self._tokens, self._owner)
        token = "" if kept else f" --seat-token {self._owner}"
        return (
            "; the match stays there, and once it can be reached "
            f"`pythia match export {self.match.id} --server {self._server}{token} --out FILE` saves it"
        )

    # -- what can be typed besides moves

    def help(self, rest: str = "") -> None:
        self.say("A move, the beginning of one (Tab completes it), words in it, or its number; and:")
        for name, (_, words) in self._commands.items():
            self.say(f"  {name:<8} {words}")

    def show_moves(self, rest: str = "") -> None:
        found = self._moves.matching(rest)
        if found:
            self._prompt.page(self._moves.listed(found))
        else:
            self.say(f"no move with {rest!r}; {self._moves.allowed()}")

    def show_board(self, rest: str = "") -> None:
        print()
        print(text_of(self.observation()))
        self._shown_turn = self.match.turn_number

    def hint(self, rest: str = "") -> None:
        if self.match.to_act != self._seat:
            self.say("there is nothing for you to decide now")
            return
        try:
            limit = Limit(seconds=float(rest or HINT_SECONDS))
        except ValueError:
            self.say(f"hint: {rest!r} is not allowed; allowed: a number of seconds above 0", style="red")
            return
        updates = self._client.analyze(
            self.observation(), limit=limit, lines=HINT_LINES, interval=INTERVAL_SECONDS
        )
        result, _ = watched(updates, self._console, HINT_LINES)
        self._console.print(analysis(result, lines=HINT_LINES, width=self._console.width))

    def explain(self, rest: str = "") -> None:
        lines = explained(self._moves.state, self._moves.texts, rest, language_of(os.environ))
        self._prompt.page(*map(Text, lines))

    def undo(self, rest: str = "") -> None:
        try:
            self._client.undo(self.match.id, self._token)
        except NotNow as error:
            self.say(f"undo: {error}", style="red")
        else:
            self.catch_up()

    def show_history(self, rest: str = "") -> None:
        if rest and not rest.isdecimal():
            self.say(f"history: {rest!r} is not allowed; allowed: a number of moves", style="red")
            return
        self._prompt.page(*(Text(line) for line in self._history[-int(rest or len(self._history)) :]))

    def ask_save(self, rest: str = "") -> None:
        self.saved(Path(rest) if rest else None)

    def saved(self, file: Path | None) -> bool:
        """Whether it was; the person may not want to write over a file, or it cannot be written.

        Without a file in a new one, wherever there can be one.
        """
        if file is not None and is_there(file):
            if not self._prompt.agreed(f"{file} is there already: write over it?"):
                return False
        record = self.record()
        try:
            if file is None:
                file = write_somewhere(record, self.match)
            else:
                write(record, file)
        except CommandError as error:
            self.say(str(error), style="red")
            return False
        if self.match.is_over:
            flag = "" if record.result else " --unfinished"
            self.say(f"the record is in {file}; `pythia review{flag} {file}` looks back at it")
        else:
            self.say(f"{saved_in(file)}. It holds everything, also what is hidden from you.")
        return True

    def resign(self, rest: str = "") -> None:
        if self._prompt.agreed("Give the game up?"):
            self.match = self._client.resign(self.match.id, self._token)

    def quit(self, rest: str = "") -> None:
        default = free_name(self.match)
        typed = self._prompt.ask(
            f"Save the game first? Enter for {default}, another file name, or n for no: "
        )
        if typed.lower() in ("n", "no") or self.saved(Path(typed) if typed else None):
            raise Left

    # -- looking and telling

    def record(self) -> Record:
        """With who plays in its header, so that it can go on."""
        record = self._client.export_record(self.match.id, self._owner).read()
        header: Json = record.header | {"players": [seat_json(seat) for seat in self.match.seats]}
        if self.match.real_dice:
            header["real_dice"] = True
        return replace(record, header=header)

    def observation(self) -> Json:
        return self._client.observe(self.match.id, self._seat, self._token).observation

    def legal_moves(self) -> Moves:
        seen = self.observation()
        texts = self._client.match_moves(self.match.id, self._token).moves
        return Moves(texts, state_from_observation(seen, 0))

    def name_of(self, seat: int) -> str:
        if seat == CHANCE:
            return who(seat)
        return YOU if seat == self._seat else f"seat {seat} ({self.match.seats[seat].name})"

    def tell(self, event: MatchEvent, quiet: bool = False) -> None:
        self._told = event.version
        name = self.name_of(event.by)
        if event.kind == "move":
            line = f"{name}: {event.move or 'something you do not see'}"
        else:
            line = f"{name} {'took the last move back' if event.kind == 'undone' else 'resigned'}"
        self._history.append(line)
        if not quiet:
            self.say(line, style="dim" if event.by == CHANCE else "cyan" if event.by != self._seat else "")

    def say(self, line: str, style: str = "") -> None:
        self._console.print(Text(line, style=style))


def seat_json(seat: Seat) -> dict[str, Any]:
    return {"name": seat.name} | ({"bot": str(seat.bot)} if seat.bot else {})


class Moves:
    """The moves or outcomes of a decision, numbered in their order."""

    def __init__(self, texts: list[str], state: State) -> None:
        self.texts = texts
        self.state = state  # one that looks like what the seat sees
        self._numbers = {text: number for number, text in enumerate(texts, start=1)}
        self._groups = move_groups(state.game, map(state.read_move, texts))

    def heading(self, to_act: int) -> str:
        what = "What did dice or cards say?" if to_act == CHANCE else "Your move."
        if len(self.texts) <= FEW:
            return what
        return f"{what} {len(self.texts)} are possible; type one of these words to list them: {self.kinds()}"

    def allowed(self) -> str:
        """What can be done, in a line."""
        return f"allowed now: {', '.join(self.texts) if len(self.texts) <= FEW else self.kinds()}"

    def kinds(self) -> str:
        return ", ".join(f"{name} ({len(texts)})" for name, texts in self._groups.items())

    def matching(self, typed: str) -> list[str]:
        """The moves that begin so; or those of that kind; or those with words that begin so, in their order."""
        begun = [text for text in self.texts if text.startswith(typed)]
        return begun or self._groups.get(typed) or [text for text in self.texts if has_words(text, typed)]

    def listed(self, texts: Sequence[str]) -> RenderableType:
        width = len(str(len(self.texts)))
        return Columns(
            [Text(f"{self._numbers[text]:>{width}}  {text}") for text in texts],
            padding=(0, 3),
            equal=True,
            column_first=True,
        )

    def why_not(self, typed: str) -> str:
        try:
            self.state.parse_move(typed)
        except IllegalMove as error:
            return str(error)
        return f"{typed!r} is not possible now"


def has_words(text: str, typed: str) -> bool:
    words: Iterator[str] = iter(text.replace(":", " ").split())
    return all(any(word.startswith(wanted) for word in words) for wanted in typed.split())
