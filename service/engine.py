"""EngineService: what this server is and what it can play."""
# ruff: noqa: N802 - methods are named by the contract

import time
from importlib.metadata import version

from google.protobuf.duration_pb2 import Duration

from pythia.core_cy import game_info, list_games
from pythia.search.bots import describe_bots
from pythia.service.calls import Call
from pythia.service.wire import POSITION_GAMES, Bounds, bot_info_message, game_message
from pythia.v1 import engine_pb2


def offered_games() -> list[str]:
    """The games of the registry that the contract has messages for, in alphabetical order."""
    return sorted(POSITION_GAMES.intersection(list_games()))


class EngineService:
    """Answers from the registries of games and bots; holds nothing but the time of its start."""

    def __init__(self, bounds: Bounds) -> None:
        self._started = time.monotonic()
        self._info = engine_pb2.GetServerInfoResponse(
            name="pythia",
            version=version("pythia-opponent"),
            games=offered_games(),
            max_search_seconds=bounds.seconds,
            max_search_iterations=bounds.iterations,
            max_search_threads=bounds.threads,
        )

    async def GetServerInfo(
        self, request: engine_pb2.GetServerInfoRequest, call: Call
    ) -> engine_pb2.GetServerInfoResponse:
        uptime = Duration()
        uptime.FromNanoseconds(int((time.monotonic() - self._started) * 1e9))
        answer = engine_pb2.GetServerInfoResponse()
        answer.CopyFrom(self._info)
        answer.uptime.CopyFrom(uptime)
        return answer

    async def ListGames(
        self, request: engine_pb2.ListGamesRequest, call: Call
    ) -> engine_pb2.ListGamesResponse:
        return engine_pb2.ListGamesResponse(games=[game_message(game_info(name)) for name in offered_games()])

    async def ListBots(self, request: engine_pb2.ListBotsRequest, call: Call) -> engine_pb2.ListBotsResponse:
        return engine_pb2.ListBotsResponse(bots=[bot_info_message(info) for info in describe_bots()])
