"""EngineService: what this server is and what it can play."""

import json
import time
from importlib.metadata import version

import grpc
from google.protobuf.duration_pb2 import Duration

from pythia.core_cy import GameInfo, game_info, list_games
from pythia.v1 import engine_pb2, engine_pb2_grpc

OPTION_TYPES = {
    "int": engine_pb2.OPTION_TYPE_INT,
    "str": engine_pb2.OPTION_TYPE_STRING,
    "bool": engine_pb2.OPTION_TYPE_BOOL,
    "float": engine_pb2.OPTION_TYPE_FLOAT,
    "json": engine_pb2.OPTION_TYPE_JSON,
}


def game_message(info: GameInfo) -> engine_pb2.GameInfo:
    return engine_pb2.GameInfo(
        name=info.name,
        title=info.title,
        min_players=info.min_players,
        max_players=info.max_players,
        options=[
            engine_pb2.OptionInfo(
                name=option.name,
                type=OPTION_TYPES[option.type],
                default_json=json.dumps(option.default),
                allowed=option.allowed,
                help=option.help,
            )
            for option in info.options
        ],
    )


class EngineService(engine_pb2_grpc.EngineServiceServicer):
    """Answers from the registry of games; holds nothing but the time of its start."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    async def GetServerInfo(  # noqa: N802 - named by the contract
        self,
        request: engine_pb2.GetServerInfoRequest,
        context: grpc.aio.ServicerContext[engine_pb2.GetServerInfoRequest, engine_pb2.GetServerInfoResponse],
    ) -> engine_pb2.GetServerInfoResponse:
        uptime = Duration()
        uptime.FromNanoseconds(int((time.monotonic() - self._started) * 1e9))
        return engine_pb2.GetServerInfoResponse(
            name="pythia", version=version("pythia-opponent"), uptime=uptime, games=sorted(list_games())
        )

    async def ListGames(  # noqa: N802
        self,
        request: engine_pb2.ListGamesRequest,
        context: grpc.aio.ServicerContext[engine_pb2.ListGamesRequest, engine_pb2.ListGamesResponse],
    ) -> engine_pb2.ListGamesResponse:
        games = [game_message(game_info(name)) for name in sorted(list_games())]
        return engine_pb2.ListGamesResponse(games=games)
