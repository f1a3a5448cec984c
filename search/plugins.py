"""Bots that others bring: by an entry point of their package, or as `package.module:Class`.

The class needs one method, `choose(view, limit)`, which answers with a legal move: a Move, its text, or a Result. What
its constructor takes of `seed`, `level`, `threads` and `limit` it gets, and every other setting by its name.

    [project.entry-points."pythia.bots"]
    mine = "my_package.bots:MyBot"
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.game import Move
from pythia.search.bots import BotInfo, BotSettings, ObservingBot, Question, without_search
from pythia.search.limits import Limit
from pythia.search.result import Result

GROUP = "pythia.bots"
# What a bot's class is given when its constructor takes it.
OFFERED = ("seed", "level", "threads", "limit")


class BadBot(ValueError):
    """A bot of somebody else that cannot be used; the message names it and the reason."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"bot: {name!r} {reason}")
        self.name = name
        self.reason = reason

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.name, self.reason)


@cache
def installed() -> dict[str, EntryPoint]:
    """The bots that installed packages announce, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def plugin_names() -> list[str]:
    return sorted(installed())


def plugin_info(name: str) -> BotInfo | None:
    """The description of a bot that is not built in; None for a name that is neither announced nor an import path."""
    if name in installed():
        return _info(name, installed()[name].value)
    return _info(name, name) if ":" in name else None


def _info(name: str, path: str) -> BotInfo:
    made = load_class(name, path)
    words = (inspect.getdoc(made) or "").splitlines()
    return BotInfo(
        name,
        words[0] if words else f"a bot from {path}",
        make=lambda settings: PluginBot(settings, made),
        levels=tuple(range(1, 11)) if takes(made, "level") else (),
        uses_limit=takes(made, "limit"),
        any_parameters=True,
    )


def load_class(name: str, path: str) -> Any:
    """What stands at an import path; BadBot says why it cannot be had."""
    module, _, attribute = path.partition(":")
    if not module or not attribute:
        raise BadBot(name, "is not allowed; allowed: an import path as package.module:Class")
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:  # whatever happens when somebody else's module runs
        raise BadBot(name, f"cannot be imported: {type(error).__name__}: {error}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise BadBot(name, f"cannot be imported: {module} has no {attribute}")
        found = getattr(found, part)
    if not callable(found):
        raise BadBot(name, f"cannot be made: {type(found).__name__} is not a class")
    return found


def takes(maker: Any, name: str) -> bool:
    """Whether a class or function can be called with this keyword."""
    try:
        parameters = inspect.signature(maker).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(parameter.name == name or parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


class PluginBot(ObservingBot):
    """A bot of somebody else as one of ours: its answers are checked before anyone uses them."""

    def __init__(self, settings: BotSettings, maker: Any) -> None:
        super().__init__(settings.name, settings.seed)
        self.limit: Limit | None = settings.limit
        values = dict(settings.params)
        for name in OFFERED:
            value = getattr(settings, name)
            if value is not None and takes(maker, name):
                values[name] = value
        try:
            self._bot = maker(**values)
        except Exception as error:  # whatever a class of somebody else raises
            raise BadBot(self.name, f"cannot be made: {type(error).__name__}: {error}") from error
        if not callable(getattr(self._bot, "choose", None)):
            raise BadBot(self.name, "is not a bot: it has no choose(view, limit)")

    def think(self, question: Question) -> Result:
        try:
            answer = self._bot.choose(question.view, question.limit or self.limit)
        except Exception as error:
            raise BadBot(self.name, f"failed: {type(error).__name__}: {error}") from error
        move = answer.move if isinstance(answer, Result) else answer
        if not isinstance(move, (Move, str)):
            raise BadBot(
                self.name, f"answered with a {type(answer).__name__}; allowed: a Move, its text or a Result"
            )
        try:
            played = question.view.parse_move(str(move))
        except IllegalMove as error:
            raise BadBot(self.name, f"answered with a move that is not legal: {error}") from error
        if played not in question.choices:
            raise BadBot(self.name, f"answered with {str(move)!r}, which it was not to choose from")
        if isinstance(answer, Result):
            return answer
        return without_search(question.view, played, prior=1 / len(question.choices))

    def close(self) -> None:
        close = getattr(self._bot, "close", None)
        if callable(close):
            close()
