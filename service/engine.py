"""What the service is and what it can play."""

from __future__ import annotations

import time
from importlib.metadata import version

from pythia.core_cy import game_info, list_games
from pythia.search.bots import BotInfo, describe_bots
from pythia.service.search_runner import Bounds
from pythia.service.types import OfferedGame, OfferedOption, ServerInfo


def offered_games() -> list[str]:
    """In alphabetical order. The wire contract has messages for each of them (tests/service/test_contract.py)."""
    return sorted(list_games())


class Engine:
    """Answers from the registries of games and bots; holds nothing but the time of its start."""

    def __init__(self, bounds: Bounds) -> None:
        self._started = time.monotonic()
        self._bounds = bounds

    async def server_info(self) -> ServerInfo:
        return ServerInfo(
            "pythia",
            version("pythia-opponent"),
            time.monotonic() - self._started,
            tuple(offered_games()),
            self._bounds.seconds,
            self._bounds.iterations,
            self._bounds.threads,
        )

    async def games(self) -> list[OfferedGame]:
        return [offered(name) for name in offered_games()]

    async def bots(self) -> list[BotInfo]:
        return describe_bots()


def offered(name: str) -> OfferedGame:
    info = game_info(name)
    options = tuple(
        OfferedOption(option.name, option.type, option.default, option.allowed, option.help)
        for option in info.options
    )
    return OfferedGame(info.name, info.title, info.min_players, info.max_players, options)
