"""The bots that may be asked: the built-in ones, and classes of others that the operator names.

Callers name bots, so nothing is imported here that a caller named and the operator did not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import grpc

from pythia.search.bots import BOTS, BotInfo, BotSpec, bot_info, describe_bots
from pythia.search.plugins import BadBot, installed
from pythia.service.config import ConfigError
from pythia.service.errors import Refused, from_value_error, invalid, not_allowed
from pythia.service.logs import LOG

BOT_FAILED = "BOT_FAILED"


class Offer(Protocol):
    """The bots that callers may use, and what callers learn about those that fail."""

    def describe(self) -> list[BotInfo]: ...

    def check(self, spec: BotSpec, field: str) -> BotInfo:
        """The bot's description; refused if it may not be asked. `field` is where the request names it."""
        ...

    def check_name(self, name: str) -> None:
        """Refuses a bot that may not be asked any more: of a match that is older than the settings."""
        ...

    def failed(self, error: BadBot) -> Refused:
        """The error that the caller gets for a bot that broke its contract."""
        ...


class OfferedBots:
    """Those of a server: each class that the operator names is imported and made once, when the server starts."""

    def __init__(self, names: Iterable[str]) -> None:
        """ConfigError names a bot that cannot be used, and why."""
        self._infos = dict(BOTS)
        for name in names:
            try:
                if name not in BOTS:
                    self._infos[name] = bot_info(name)
                    BotSpec(name).make(0).ready()
            except ValueError as error:
                raise ConfigError(f"bots: {str(error).removeprefix('bot: ')}") from error

    def describe(self) -> list[BotInfo]:
        return list(self._infos.values())

    def check(self, spec: BotSpec, field: str) -> BotInfo:
        info = self._infos.get(spec.name)
        if info is None:
            raise not_allowed(f"{field}.name", spec.name, f"{', '.join(self._infos)} on this server")
        if spec.name not in BOTS:
            check_parts(spec, info, field)
        return info

    def check_name(self, name: str) -> None:
        if name not in self._infos and name.partition("@")[0] not in BOTS:
            raise Refused(
                grpc.StatusCode.FAILED_PRECONDITION,
                "BOT_NOT_OFFERED",
                f"bot: {name[:100]!r} is not offered by this server any more; its setting `bots` names those that are",
            )

    def failed(self, error: BadBot) -> Refused:
        """Without the bot's own words, which can reveal what its seat or the server knows; the log has them."""
        LOG.warning(
            "a bot failed", extra={"fields": {"bot": error.name, "error": str(error)}}, exc_info=error
        )
        return bot_failed(error.brief)


class AnyBot:
    """Those of a program that asks itself: whatever it can import."""

    def describe(self) -> list[BotInfo]:
        return describe_bots() + [bot_info(name) for name in sorted(installed())]

    def check(self, spec: BotSpec, field: str) -> BotInfo:
        try:
            spec.make(0).ready()
            return bot_info(spec.name)
        except BadBot as error:
            raise invalid(f"{field}.name", str(error).removeprefix("bot: ")) from error
        except ValueError as error:
            raise from_value_error(error, field, {"bot": f"{field}.name"}) from error

    def check_name(self, name: str) -> None:
        """Any will do."""

    def failed(self, error: BadBot) -> Refused:
        return bot_failed(str(error))


def check_parts(spec: BotSpec, info: BotInfo, field: str) -> None:
    """Check what a caller sets for a plug-in bot: only the numbers that its constructor names are allowed."""
    if spec.level is not None and spec.level not in info.levels:
        if not info.levels:
            raise invalid(f"{field}.level", f"{info.name} has no levels; leave it out")
        raise not_allowed(f"{field}.level", spec.level, f"{min(info.levels)} to {max(info.levels)}")
    known = {parameter.name: parameter for parameter in info.parameters}
    for name, value in spec.params:
        where = f"{field}.parameters[{name[:40]!r}]"
        if name not in known:
            raise invalid(where, f"is not known; known: {', '.join(known) or f'none for {info.name}'}")
        if known[name].type != "float" and not isinstance(value, int):
            raise not_allowed(where, value, "a whole number")


def bot_failed(message: str) -> Refused:
    return Refused(grpc.StatusCode.FAILED_PRECONDITION, BOT_FAILED, message)
