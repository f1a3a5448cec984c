"""What the commands share: exit codes, options, reading positions, and how things look on a terminal.

Loaded by every command, so whatever costs time to import is imported where it is used.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from cyclopts import Group, Parameter

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from pythia.clients.client import Client
    from pythia.clients.types import Match
    from pythia.core_cy import State, View
    from pythia.core_cy.record import Record
    from pythia.search.bots import BotSpec
    from pythia.search.limits import Limit
    from pythia.search.result import Result

Json = dict[str, Any]
SPECTATOR = -1

# -- how commands end

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NO_SERVER = 3
EXIT_UNTRUSTED = 4
EXIT_TOKEN = 5
EXIT_TERMINAL = 6
EXIT_NOT_JSON = 10
EXIT_GAME = 11
EXIT_FORMAT = 12
EXIT_RECORD = 13
EXIT_POSITION = 14
EXIT_INTERRUPTED = 130

# Errors that a command may end with, and the code each leads to. By name, so that nothing is loaded for it; the first
# class in an error's own order of ancestors counts. docs/cli.md explains the codes.
EXIT_CODES = {
    "pythia.core_cy.errors.BadOption": EXIT_FAILED,
    "pythia.core_cy.errors.IllegalMove": EXIT_FAILED,
    "pythia.core_cy.errors.BadPosition": EXIT_POSITION,
    "pythia.core_cy.record.BadRecord": EXIT_RECORD,
    "pythia.core_cy.weights.BadWeights": EXIT_FAILED,
    "pythia.arena.learning.run.BadRun": EXIT_FAILED,
    "pythia.arena.learning.samples.BadSamples": EXIT_FAILED,
    "pythia.arena.tournament.entrants.BadTournament": EXIT_FAILED,
    "pythia.arena.tournament.worker.WorkerFailed": EXIT_FAILED,
    "pythia.service.config.ConfigError": EXIT_FAILED,
    "pythia.clients.cli.png.NoPng": EXIT_FAILED,
    "pythia.clients.errors.Unreachable": EXIT_NO_SERVER,
    "pythia.clients.errors.DeadlinePassed": EXIT_NO_SERVER,
    "pythia.clients.errors.Untrusted": EXIT_UNTRUSTED,
    "pythia.clients.errors.Unauthenticated": EXIT_TOKEN,
    "pythia.clients.errors.Denied": EXIT_TOKEN,
    "pythia.clients.errors.PythiaError": EXIT_FAILED,
}


class CommandError(Exception):
    """What a command ends with: one line that says what is wrong and the way out, and the exit code."""

    def __init__(self, message: str, code: int = EXIT_FAILED) -> None:
        super().__init__(message)
        self.code = code


def exit_code(error: BaseException) -> int | None:
    """The code an error leads to; None for one that nobody expected."""
    if isinstance(error, CommandError):
        return error.code
    names = (f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__)
    return next((EXIT_CODES[name] for name in names if name in EXIT_CODES), None)


# What to do about errors that do not know the command line.
WAYS_OUT = {
    EXIT_UNTRUSTED: "name the certificate authority's file with --ca",
    EXIT_TOKEN: "--seat-token takes the token of a seat or the owner, --token the token for the server",
}


def way_out(error: BaseException, code: int) -> str:
    """What to add to the message of an error."""
    return f"; {WAYS_OUT[code]}" if code in WAYS_OUT and not isinstance(error, CommandError) else ""


# Fields of requests, as services name them in errors, and the words of the command line for them.
OPTIONS_OF_FIELDS = [
    (re.compile(pattern), option)
    for pattern, option in (
        (r"options\.bot\.name(?=:)", "bot"),
        (r"options\.bot\.(?:limit\.)?(level|threads|seconds|iterations)(?=:)", r"\1"),
        (r"options\.(consider|avoid)(?=\[)", r"\1"),
        (r"seats\[(\d+)\]\.bot\.name(?=:)", r"bot of seat \1"),
        (r"real_dice(?=:)", "real-dice"),
    )
]


def in_options(message: str) -> str:
    """The message with the option in place of the field that it begins with."""
    for pattern, option in OPTIONS_OF_FIELDS:
        if match := pattern.match(message):
            return match.expand(option) + message[match.end() :]
    return message


def fail(code: int, message: object) -> NoReturn:
    one_line = " ".join(str(message).split())
    print(f"pythia: {one_line}", file=sys.stderr)
    sys.exit(code)


def not_allowed(field: str, value: object, allowed: str) -> CommandError:
    return CommandError(f"{field}: {value!r} is not allowed; allowed: {allowed}")


@contextmanager
def refusing() -> Iterator[None]:
    """Around calls of layers below that refuse a value with a ValueError."""
    try:
        yield
    except ValueError as error:
        if exit_code(error) is not None:
            raise
        raise CommandError(str(error)) from error


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM ends long work as cleanly as Ctrl-C."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


# -- options

SERVER = Group("Server", sort_key=90)
THINKING = Group("Thinking", sort_key=80)

AsJson = Annotated[
    bool, Parameter(name="--json", negative=(), show_default=False, help="Print JSON for scripts.")
]
GameName = Annotated[str, Parameter(help="The game; `pythia games` lists them.")]
Players = Annotated[
    int | None, Parameter(help="The number of players; by default the fewest that the game allows.")
]
Where = Annotated[
    str,
    Parameter(
        allow_leading_hyphen=True,
        help="A file with a position or a record, - for standard input, or the id of a match.",
    ),
]
Seat = Annotated[int | None, Parameter(help="Show what this seat sees, counted from 0.")]
DecidingSeat = Annotated[
    int | None, Parameter(help="The seat that decides, counted from 0; by default the one to act.")
]
At = Annotated[
    int | None, Parameter(help="For a record: the position after this many moves; by default the last one.")
]
OutFile = Annotated[
    Path | None,
    Parameter(
        name=("--out", "-o"), allow_leading_hyphen=True, help="The file to write; by default standard output."
    ),
]
Options = Annotated[
    tuple[str, ...],
    Parameter(
        name="--option",
        negative=(),
        show_default=False,
        help="An option of the game as NAME=VALUE, repeatable; @FILE as VALUE reads JSON.",
    ),
]
OnlyGame = Annotated[str | None, Parameter(name="--game", help="Refuse positions of other games.")]
RecordFile = Annotated[
    str, Parameter(allow_leading_hyphen=True, help="The record; by default, and for -, standard input.")
]
Unfinished = Annotated[
    bool,
    Parameter(
        negative=(),
        show_default=False,
        help="Accept a record without a result, from a saved or resigned game.",
    ),
]


@Parameter(name="*", group=SERVER)
@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Who does the work: a server, or without one this process."""

    server: Annotated[
        str | None,
        Parameter(
            env_var="PYTHIA_SERVER",
            help="The server to ask, as HOST:PORT; without it, everything runs in this process.",
        ),
    ] = None
    token: Annotated[str | None, Parameter(env_var="PYTHIA_TOKEN", help="Your token for the server.")] = None
    tls: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Use TLS and verify the server's certificate.")
    ] = False
    ca: Annotated[
        Path | None,
        Parameter(help="With TLS: trust the CA certificates in this PEM file instead of the system's."),
    ] = None
    store: Annotated[
        Path | None,
        Parameter(
            help="Without a server: the SQLite file that stores matches; by default the one that `pythia serve` uses."
        ),
    ] = None

    def __post_init__(self) -> None:
        # A token may come from the environment, so without a server it is let be.
        if self.server is None and (self.tls or self.ca):
            raise CommandError("tls: needs a server; give --server HOST:PORT")
        if self.server is not None and self.store is not None:
            raise CommandError(
                "store: cannot be used with --server, which keeps its own matches; give one of them"
            )


@Parameter(name="*", group=SERVER)
@dataclass(frozen=True, kw_only=True)
class Access(ServerOptions):
    """The same for commands about one match, which may need a token of it."""

    seat_token: Annotated[
        str | None,
        Parameter(env_var="PYTHIA_SEAT_TOKEN", help="For a match: the token of a seat, from `match create`."),
    ] = None

    def seat(self, match_id: str, seat: int | None) -> str | None:
        """The token of a seat: the one that is given, or kept. Who looks as nobody needs none."""
        return self.seat_token or (kept_token(match_id, seat) if seat is not None else None)

    def owner(self, match_id: str) -> str | None:
        return self.seat_token or kept_token(match_id, None)


LOCAL = ServerOptions()
ANYONE = Access()
MOST_SECONDS = 86_400.0
MOST_ITERATIONS = 10**12


def open_client(connection: ServerOptions | None = None, *, matches: bool = False) -> Client:
    """The client that a command works with: of the server, or in this process.

    With `matches` the one in this process finds the matches of the store; otherwise it keeps nothing.
    """
    from pythia.clients.client import Client

    connection = connection or LOCAL
    if connection.server is None:
        bots_from_here()
        store = store_url(connection) if matches else "memory:"
        # Nobody else is kept waiting here.
        return Client.local(store=store, max_seconds=MOST_SECONDS, max_iterations=MOST_ITERATIONS)
    if connection.ca is not None and not connection.ca.is_file():
        raise CommandError(
            f"ca: {str(connection.ca)!r} is not a file; give the authority's certificate (PEM)"
        )
    tls = str(connection.ca) if connection.ca is not None else connection.tls
    return Client(connection.server, token=connection.token, tls=tls)


def bots_from_here() -> None:
    """Let bots that are named as package.module:Class be in the current folder too."""
    from pythia.search.plugins import look_in

    with suppress(OSError):  # a folder that was removed has no bots
        look_in(str(Path.cwd()))


def store_url(connection: ServerOptions) -> str:
    from pythia.service.config import load_config

    return f"sqlite:{connection.store}" if connection.store else load_config()[0].store_url


@Parameter(name="*", group=THINKING)
@dataclass(frozen=True, kw_only=True)
class Thinking:
    """Which bot thinks, and how much."""

    bot: Annotated[str, Parameter(help="The bot, such as greedy or ismcts:level=3,exploration=0.8.")] = (
        "ismcts"
    )
    level: Annotated[int | None, Parameter(help="Strength from 1 to 10, for bots that have levels.")] = None
    seconds: Annotated[float | None, Parameter(help="Seconds to think per decision.")] = None
    iterations: Annotated[
        int | None, Parameter(help="Search iterations per decision: the same answer on every machine.")
    ] = None
    threads: Annotated[int | None, Parameter(help="The number of search threads.")] = None

    def spec(self) -> BotSpec:
        """What `--bot` says, with the other options in place of its own."""
        from pythia.search.bots import BotSpec
        from pythia.search.limits import Limit

        with refusing():
            spec = BotSpec.parse(self.bot)
            if self.level is not None:
                spec = replace(spec, level=self.level)
            if self.threads is not None:
                spec = replace(spec, threads=self.threads)
            if self.seconds is not None or self.iterations is not None:
                spec = replace(spec, limit=Limit(self.iterations, self.seconds))
        return spec


class CutShort:
    """Counts the searches that a server ended before their iterations, so that nobody takes them for the whole."""

    def __init__(self) -> None:
        self._cut = self._all = 0

    def heard(self, result: Result, limit: Limit | None) -> Result:
        """`limit` is what was asked for; None for bots that do not search. Without a choice there are no iterations."""
        self._all += 1
        if limit and limit.iterations and limit.reproducible:
            self._cut += 0 < result.iterations < limit.iterations
        return result

    def tell(self) -> None:
        if self._cut:
            print(
                f"{self._cut} of {self._all} searches were stopped early by the server, so "
                "the result may differ elsewhere; ask for fewer iterations, or raise max_seconds on the server",
                file=sys.stderr,
            )


# -- the tokens of matches made here


MATCH_ID = re.compile(r"[0-9a-f]{24}")


def token_file(match_id: str) -> Path | None:
    """Where the tokens of a match are kept; None for what is no id, so that nobody's id leads elsewhere."""
    from pythia.service.config import state_folder

    return state_folder() / "tokens" / f"{match_id}.json" if MATCH_ID.fullmatch(match_id) else None


def keep_tokens(match_id: str, seat_tokens: Sequence[str], owner_token: str) -> Path | None:
    """Kept where only their owner can read them, so that later commands need not be told; None where they cannot be."""
    file = token_file(match_id)
    if file is None:
        return None
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
        kept = {"seats": list(seat_tokens), "owner": owner_token}
        file.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    except OSError:
        return None
    return file


def keep_token(match_id: str, seat: int | None, token: str) -> None:
    """A token in place of the one that was kept, of a seat or without one of the owner."""
    file = token_file(match_id)
    kept = {"seats": [], "owner": ""}
    if file is not None and file.exists():
        kept = json.loads(file.read_text(encoding="utf-8"))
    seats = list(kept["seats"])
    if seat is not None and seat >= 0:
        seats += [""] * (seat + 1 - len(seats))
        seats[seat] = token
    keep_tokens(match_id, seats, str(kept["owner"]) if seat is not None else token)


def kept_token(match_id: str, seat: int | None) -> str | None:
    """The token of a seat, or without one of the owner, if this user made the match; None where there is none."""
    file = token_file(match_id)
    if file is None or not file.exists():
        return None
    kept = json.loads(file.read_text(encoding="utf-8"))
    if seat is None:
        return str(kept["owner"]) or None
    return kept["seats"][seat] or None if 0 <= seat < len(kept["seats"]) else None


def forget_tokens(match_id: str) -> None:
    file = token_file(match_id)
    if file is not None:
        file.unlink(missing_ok=True)


# -- positions and records


@dataclass(frozen=True)
class Position:
    """A position as a command got it: of a full state its JSON, otherwise that of what a seat or a spectator sees."""

    json: Json
    state: State | None  # where all is known

    def view_of(self, seat: int | None) -> View | Json:
        """The same as `seen_by` for bots: of a full state a view, which costs next to nothing."""
        if self.state is None:
            return self.seen_by(seat)
        from pythia.core_cy import View

        return View.of(self.state, self._looking(self.state, seat))

    def seen_by(self, seat: int | None) -> Json:
        """What a seat sees; by default the seat that decides. An observation is that of its observer and no other."""
        if self.state is not None:
            return self.state.observation(self._looking(self.state, seat))
        observer = self.json["observer"]
        if observer == SPECTATOR:
            raise CommandError(
                "position: this is what a spectator sees; give --seat, and for a match the token of the seat"
            )
        if seat is not None and seat != observer:
            raise not_allowed("seat", seat, f"{observer}, whose observation this is")
        return self.json

    @staticmethod
    def _looking(state: State, seat: int | None) -> int:
        """The seat that looks."""
        if seat is None and state.to_act < 0:
            raise CommandError("position: no seat is to act; choose whose view to use with --seat")
        seat = state.to_act if seat is None else seat
        check_seat(state, seat)
        return seat


def check_seat(state: State, seat: int) -> None:
    if not 0 <= seat < state.game.players:
        raise not_allowed("seat", seat, f"0 to {state.game.players - 1}")


def observation_of(state: State, seat: int) -> Json:
    check_seat(state, seat)
    return state.observation(seat)


def read_position(
    where: str,
    *,
    at: int | None = None,
    game: str | None = None,
    seat: int | None = None,
    deciding: bool = False,
    access: Access = ANYONE,
) -> Position:
    """From a file, standard input or a match. Of a record the position after `at` moves, by default the last one.

    A match is seen by the seat, or without one by a spectator; with `deciding` by the seat that decides.
    """
    from pythia.core_cy import state_from_json, state_from_observation

    if MATCH_ID.fullmatch(where) and not Path(where).exists():
        if at is not None:
            raise CommandError(
                "at: only the current position of a match can be shown; `pythia match export` writes a record"
            )
        with open_client(access, matches=True) as client:
            if seat is None and deciding:
                seat = person_to_act(client.match(where, access.owner(where)))
            obj = client.observe(where, seat=seat, token=access.seat(where, seat)).observation
    else:
        text = read_text(where)
        obj = parsed(text, where)
        if "start" in obj:
            state = position_at(record_of(text, where, game=game, unfinished=True), at)
            return Position(state.to_json(), state)
        if at is not None:
            raise CommandError(f"at: {source(where)} is a position; --at needs a record")
    check_known(obj, source(where), game)
    if "observer" not in obj:
        return Position(obj, state_from_json(obj))
    # Refused now, not halfway through what the command does.
    state_from_observation(obj, 0, spectators=True)
    return Position(obj, None)


def person_to_act(match: Match) -> int:
    """The seat that decides, if a person plays it."""
    if match.is_over:
        raise CommandError("match: it is over; `pythia match export` writes its record")
    if match.to_act < 0:
        raise CommandError("match: chance decides; report the outcome with `pythia match submit`")
    if match.seats[match.to_act].bot is not None:
        raise CommandError(
            f"match: a bot plays seat {match.to_act}; let it play with `pythia match bot-turn`"
        )
    return match.to_act


def read_record(where: str, *, game: str | None = None, unfinished: bool = False) -> Record:
    """From a file or standard input. With `unfinished` the result may be missing."""
    text = read_text(where)
    parsed(text, where)
    return record_of(text, where, game=game, unfinished=unfinished)


def read_text(where: str) -> str:
    try:
        if where == "-":
            return sys.stdin.read()
        return Path(where).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CommandError(f"file: {source(where)} is not text in UTF-8", EXIT_NOT_JSON) from None
    except OSError as error:
        raise CommandError(
            f"file: {where!r} cannot be read ({reason(error)}); give another, or - for standard input"
        ) from None


def source(where: str) -> str:
    return "standard input" if where == "-" else repr(where)


def parsed(text: str, where: str) -> Json:
    """The JSON of a position, or the first line of a record."""
    hint = "a position is what `pythia new` writes, a record what `pythia record` writes"
    try:
        obj = json.loads(text)
    except (ValueError, RecursionError) as error:
        obj = first_line(text)
        if obj is None:
            what = f"is not JSON ({error})" if text.strip() else "is empty"
            raise CommandError(f"file: {source(where)} {what}; {hint}", EXIT_NOT_JSON) from None
    if not isinstance(obj, dict):
        raise CommandError(f"file: {source(where)} does not contain a JSON object; {hint}", EXIT_POSITION)
    return obj


def first_line(text: str) -> Json | None:
    """The header of a record, if this is one."""
    try:
        obj = json.loads(text.partition("\n")[0])
    except (ValueError, RecursionError):
        return None
    return obj if isinstance(obj, dict) and "start" in obj else None


def check_known(obj: Json, name: str, game: str | None = None) -> None:
    """Whether the game and the version of the format are known, and the game is the one that was asked for."""
    from pythia.core_cy.record import FORMAT
    from pythia.core_cy.registry import is_known, list_games

    found, version = obj.get("game"), obj.get("format")
    if not is_known(found):
        known = ", ".join(list_games())
        raise CommandError(f"game: {found!r} in {name} is not known; known: {known}", EXIT_GAME)
    if game is not None and found != game:
        raise CommandError(
            f"game: {name} is of {found}, not of {game}; leave --game out, or give another file", EXIT_GAME
        )
    if version != FORMAT or isinstance(version, bool):
        raise CommandError(
            f"format: version {version!r} in {name} is not known; known: {FORMAT}", EXIT_FORMAT
        )


def record_of(text: str, where: str, *, game: str | None = None, unfinished: bool = False) -> Record:
    from pythia.core_cy.record import BadRecord, Record

    found = parsed(text, where)
    start = found.get("start")
    if isinstance(start, dict):
        check_known(start, source(where), game)
    elif "game" in found:
        raise CommandError(
            f"record: {source(where)} is a position, not a record; a record is what `pythia record` writes",
            EXIT_RECORD,
        )
    try:
        return Record.read(text.splitlines(), unfinished=unfinished)
    except BadRecord as error:
        hint = "" if unfinished else unfinished_hint(text)
        raise CommandError(f"record: {source(where)}, {error}{hint}", EXIT_RECORD) from error


def unfinished_hint(text: str) -> str:
    """For a record that lacks nothing but its end."""
    from pythia.core_cy.record import BadRecord, Record

    try:
        Record.read(text.splitlines(), unfinished=True)
    except BadRecord:
        return ""
    return "; add --unfinished if the game is not over"


def position_at(record: Record, at: int | None) -> State:
    """After `at` moves and outcomes of the record; by default after all."""
    last = len(record.moves)
    at = last if at is None else at
    if not 0 <= at <= last:
        raise not_allowed("at", at, f"0 to {last}, the moves and outcomes of the record")
    states = replace(record, moves=record.moves[:at], result=record.result if at == last else {}).replay()
    *_, state = states
    return state


def read_options(words: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE, where VALUE is JSON, @FILE with JSON in it, or else a word."""
    values: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or name in values:
            raise not_allowed("option", word, "NAME=VALUE, each name once")
        if value.startswith("@"):
            try:
                values[name] = json.loads(read_text(value[1:]))
            except ValueError as error:
                raise CommandError(f"option: {name}: {value[1:]!r} is not JSON ({error})") from None
            continue
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values


def write_out(content: str | bytes, out: Path | None, option: str = "out") -> None:
    """To the file that an option names; None and - are standard output."""
    data = content.encode() if isinstance(content, str) else content
    if out is None or str(out) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        out.write_bytes(data)
    except OSError as error:
        raise CommandError(f"{option}: {str(out)!r} cannot be written ({reason(error)})") from None


def reason(error: OSError) -> str:
    return (error.strerror or "failed").lower()


def position_text(position: Json) -> str:
    """A position as a file: every field on a line of its own."""
    fields = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in position.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


# -- what people see

# Without a terminal nobody's window is too narrow.
PLAIN_WIDTH = 132
LINE_SECONDS = 15.0
REFRESH_SECONDS = 0.5


def terminal(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Where people read: colors only on a terminal, and not with NO_COLOR."""
    from rich.console import Console

    # Names and moves may have brackets and colons in them; they are shown as they are.
    console = Console(stderr=stderr, quiet=quiet, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def print_json(obj: object) -> None:
    print(json.dumps(obj, indent=2))


def plain_table(first: str, *others: str, left: int = 0) -> Table:
    """A table without lines around it; numbers to the right, after the first and `left` further columns of words."""
    from rich import box
    from rich.table import Column, Table

    # A name that is too long goes on in the next line: cut off, two levels of a bot would look the same.
    table = Table(Column(first, overflow="fold"), box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for number, heading in enumerate(others):
        table.add_column(heading, justify="left" if number < left else "right", no_wrap=True)
    return table


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def progress_line(done: int, total: int, unit: str, seconds: float) -> str:
    """How far, how fast, how long still: `12 of 80 decisions, 3.1 decisions/s, 0:22 left`."""
    text = f"{done} of {total} {unit}"
    if done and seconds > 0:
        rate = done / seconds
        text += f", {rate:.3g} {unit}/s, {duration((total - done) / rate)} left"
    return text


class ProgressLine:
    """Long work told on standard error: one line drawn anew on a terminal, a line now and then elsewhere."""

    def __init__(self, total: int, unit: str, *, quiet: bool = False) -> None:
        self._total = total
        self._unit = unit
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._started = time.monotonic()
        self._next = self._started + (REFRESH_SECONDS if self._live else LINE_SECONDS)
        self._drawn = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def tell(self, done: int) -> None:
        now = time.monotonic()
        if self._quiet or now < self._next:
            return
        line = progress_line(done, self._total, self._unit, now - self._started)
        self._clear()
        print(line, end="" if self._live else "\n", file=sys.stderr, flush=True)
        self._drawn = self._live
        self._next = now + (REFRESH_SECONDS if self._live else LINE_SECONDS)

    def _clear(self) -> None:
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._drawn = False
