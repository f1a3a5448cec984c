"""Plug-in bots, named by an entry point of their package or as `package.module:Class`.

The class needs one method, `choose(view, limit)`, which returns a legal move: a Move, its text, or a Result. Its
constructor receives `seed`, `level`, `threads` and `limit` if it declares them, and every other setting by name.

    [project.entry-points."pythia.bots"]
    mine = "my_package.bots:MyBot"

Only this module imports them. Their code runs with all rights of the process, so check names that come from others
first, as a server does (service/offered_bots.py).
"""

from __future__ import annotations

import ctypes
import importlib
import inspect
import math
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Self, TypeVar

from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.game import Move
from pythia.search.bots import (
    BOTS,
    BotInfo,
    BotSettings,
    ObservingBot,
    ParameterInfo,
    Question,
    not_allowed,
    without_search,
)
from pythia.search.result import MoveReport, Result
from pythia.search.tree import StopFlag

T = TypeVar("T")

GROUP = "pythia.bots"
# Arguments that a constructor gets if it takes them.
OFFERED = ("seed", "level", "threads", "limit")
LEVELS = tuple(range(1, 11))
# How often a waiting thread checks whether the search was stopped.
POLL_SECONDS = 0.05
# Overdue decisions of one class that may still run. With this many, the class is not used until one of them ends.
MOST_STRAYS = 2

# Folders to search for classes after the usual places.
_folders: list[str] = []
# The threads of overdue decisions, by the name of the bot.
_strays: dict[str, list[threading.Thread]] = {}
_counting = threading.Lock()


class BadBot(ValueError):
    """A plug-in bot that cannot be used. The message names the bot, the reason and the details.

    The details come from the bot itself (its moves and errors) and can reveal what its seat knows: other players may
    only get `brief`.
    """

    def __init__(self, name: str, reason: str, details: str = "") -> None:
        self.complaint = f"{reason}: {details}" if details else reason
        super().__init__(f"bot: {name!r} {self.complaint}")
        self.name = name
        self.reason = reason
        self.details = details

    @property
    def brief(self) -> str:
        """The message without the details."""
        return f"bot: {self.name!r} {self.reason}"

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        return type(self), (self.name, self.reason, self.details)


class IllegalAnswer(BadBot):
    """A plug-in bot answered with an illegal move."""


# -- finding classes


@cache
def installed() -> dict[str, EntryPoint]:
    """The bots that installed packages register as entry points, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def look_in(*folders: str) -> None:
    """Look for classes in these folders too, after the usual places. They join `sys.path` once a class needs them."""
    _folders.extend(folder for folder in folders if folder not in _folders)


def plugin_info(name: str) -> BotInfo:
    """The description of a plug-in bot; BadBot says why it cannot be used."""
    made = plugin_class(name)
    words = (inspect.getdoc(made) or "").splitlines()
    return BotInfo(
        name,
        words[0] if words else f"the bot {name}",
        make=PluginBot,
        levels=LEVELS if takes(made, "level") else (),
        uses_limit=True,
        parameters=number_parameters(made),
        any_parameters=True,
    )


def plugin_class(name: str) -> Any:
    """The class of a bot, by its name among the installed bots or its import path."""
    if name in installed():
        return load_class(name, installed()[name].value)
    if ":" not in name:
        raise not_allowed("bot", name, f"{', '.join([*BOTS, *sorted(installed())])}, or package.module:Class")
    return load_class(name, name)


def load_class(name: str, path: str) -> Any:
    """The class at an import path; BadBot says why it cannot be used."""
    module, _, attribute = path.partition(":")
    if not module or not attribute:
        raise BadBot(name, "is not allowed; allowed: an import path as package.module:Class")
    try:
        found: Any = import_module(module)
    except (Exception, SystemExit) as error:  # a plug-in module can raise anything
        raise BadBot(name, f"cannot be imported: {type(error).__name__}", str(error)) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise BadBot(name, "cannot be imported", f"{module} has no {attribute}")
        found = getattr(found, part)
    if not callable(found):
        raise BadBot(name, f"cannot be made: {type(found).__name__} is not a class")
    return found


def import_module(name: str) -> Any:
    """From the usual places, then also from the folders of `look_in`."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        more = [folder for folder in _folders if folder not in sys.path]
        if error.name != name.partition(".")[0] or not more:
            raise
        sys.path.extend(more)
        importlib.invalidate_caches()
        return importlib.import_module(name)


def takes(maker: Any, name: str) -> bool:
    """Whether a class or function can be called with this keyword."""
    parameters = parameters_of(maker)
    return any(parameter.name == name or parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def parameters_of(maker: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(maker).parameters.values())
    except (TypeError, ValueError):
        return []


def number_parameters(maker: Any) -> tuple[ParameterInfo, ...]:
    """The parameters of a constructor whose defaults are numbers; clients can set these over a network."""
    return tuple(
        ParameterInfo(parameter.name, type(parameter.default).__name__, parameter.default)
        for parameter in parameters_of(maker)
        if parameter.name not in OFFERED and type(parameter.default) in (bool, int, float)
    )


# -- playing


class PluginBot(ObservingBot):
    """A plug-in bot behind the interface of the built-in ones. Its answers are checked before anyone uses them.

    Its class is imported and created for the first decision, in the thread of that decision, or earlier by `ready`.
    """

    def __init__(self, settings: BotSettings) -> None:
        super().__init__(settings.name, settings.seed)
        self.limit = settings.limit
        self.threads = settings.threads
        self._settings = settings
        self._bot: Any = None

    def ready(self) -> Self:
        """Import and create the class now; ValueError says what is wrong."""
        if self._bot is None:
            self._bot = self._made()
        return self

    def _made(self) -> Any:
        settings = self._settings
        maker = plugin_class(self.name)
        if settings.level is not None and not takes(maker, "level"):
            raise ValueError(f"level: {self.name} has no levels; leave it out")
        if settings.threads > 1 and not takes(maker, "threads"):
            raise not_allowed("threads", settings.threads, f"1 for {self.name}")
        values = dict(settings.params)
        for name in OFFERED:
            value = getattr(settings, name)
            if value is not None and takes(maker, name):
                values[name] = value
        try:
            made = maker(**values)
        except (Exception, SystemExit) as error:  # a plug-in class can raise anything
            raise BadBot(self.name, f"cannot be made: {type(error).__name__}", str(error)) from error
        if not callable(getattr(made, "choose", None)):
            raise BadBot(self.name, "is not a bot: it has no choose(view, limit)")
        return made

    def think(self, question: Question) -> Result:
        bot = self.ready()._bot
        more = {"moves": question.choices} if takes(bot.choose, "moves") else {}
        try:
            answer = bot.choose(question.view, question.limit or self.limit, **more)
        except (Exception, SystemExit) as error:
            raise BadBot(self.name, f"failed: {type(error).__name__}", str(error)) from error
        if isinstance(answer, Result):
            self._check_move(question, answer.move)
            self._check_result(question, answer)
            return answer
        played = self._check_move(question, answer)
        return without_search(question.view, played, 1 / len(question.choices), lines=question.lines)

    def _check_move(self, question: Question, move: object) -> Move:
        if not isinstance(move, (Move, str)):
            raise BadBot(
                self.name, f"answered with a {type(move).__name__}; allowed: a Move, its text or a Result"
            )
        try:
            played = question.view.parse_move(str(move))
        except IllegalMove as error:
            raise IllegalAnswer(self.name, "answered with a move that is not legal", str(error)) from error
        if played not in question.choices:
            raise BadBot(
                self.name, "answered with a move that was not among those to choose from", repr(str(move))
            )
        return played

    def _check_result(self, question: Question, result: Result) -> None:
        """What others will read must be what they expect: numbers for each seat, and reports on moves."""
        players = question.view.game.players
        if not is_numbers(result.values) or len(result.values) != players:
            raise BadBot(
                self.name, f"answered with bad values; allowed: {players} numbers, one for each seat"
            )
        if result.rounds_left is not None and not is_numbers(result.rounds_left):
            raise BadBot(self.name, "answered with bad rounds_left; allowed: numbers, or None")
        whole = (result.iterations, result.depth, result.nodes)
        if not all(type(number) is int and 0 <= number < 2**31 for number in whole):
            raise BadBot(self.name, "answered with bad counts; allowed: whole numbers")
        for report in result.moves:
            if not isinstance(report, MoveReport) or not is_report(report):
                raise BadBot(self.name, "answered with bad moves; allowed: a MoveReport for each")
            self._check_move(question, report.move)

    def forget(self) -> None:
        """Make a new one for the next decision, as this one is still busy with the last."""
        self._bot = None

    def close(self) -> None:
        close = getattr(self._bot, "close", None)
        if callable(close):
            close()


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def is_numbers(values: object) -> bool:
    return isinstance(values, (list, tuple)) and all(map(is_number, values))


def is_report(report: MoveReport) -> bool:
    """Whether the parts of a report, but for its move, are of their types."""
    numbers = (report.low, report.high, report.prior, report.line_probability)
    maybe = (report.win_probability, report.expected_rank)
    return (
        type(report.visits) is int
        and 0 <= report.visits < 2**31
        and is_numbers(numbers)
        and all(value is None or is_number(value) for value in maybe)
        and all(isinstance(step, (str, Move)) for step in report.line)
    )


# -- within a time


class Overtime(BaseException):
    """Raised in the thread of a bot whose time is up. A BaseException, so that `except Exception` does not catch it."""


def in_time(bot: ObservingBot, seconds: float, stop: StopFlag | None, work: Callable[[], T]) -> T:
    """Return what `work` returns: a decision of the bot. A plug-in bot gets at most these seconds.

    It decides in a separate thread. Python cannot end a thread that does not cooperate, so those that run on are
    counted, and a class with too many of them is not used again until one has ended.
    """
    if not isinstance(bot, PluginBot):
        return work()
    if (strays := count_strays(bot.name)) >= MOST_STRAYS:
        raise BadBot(bot.name, f"is not used until one of its {strays} overdue decisions ends")
    outcome: list[tuple[T | None, BaseException | None]] = []
    done = threading.Event()

    def run() -> None:
        try:
            outcome.append((work(), None))
        except BaseException as error:
            outcome.append((None, error))
        done.set()

    thread = threading.Thread(target=run, name=f"bot {bot.name}", daemon=True)
    thread.start()
    ends = time.monotonic() + seconds
    while not done.wait(max(0.0, min(POLL_SECONDS, ends - time.monotonic()))):
        stopped = stop is not None and stop.is_set()
        if stopped or time.monotonic() >= ends:
            count_strays(bot.name, thread)
            bot.forget()
            interrupt(thread)
            raise BadBot(
                bot.name, "was stopped" if stopped else f"did not answer within {seconds:.3g} seconds"
            )
    value, error = outcome[0]
    if error is not None:
        raise error
    return value  # type: ignore[return-value]


def count_strays(name: str, *more: threading.Thread) -> int:
    """The number of a bot's overdue decisions that still run, including these. Thread-safe."""
    with _counting:
        _strays[name] = [thread for thread in (*_strays.get(name, ()), *more) if thread.is_alive()]
        return len(_strays[name])


def interrupt(thread: threading.Thread) -> None:
    """Raise Overtime in a thread. It interrupts Python code, but not a call that waits outside Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Overtime))
