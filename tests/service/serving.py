"""A real server on loopback, and the ways to call it."""

import asyncio
from contextlib import asynccontextmanager

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2_grpc

from pythia.core_cy import CHANCE, Random, game_info, load_game
from pythia.service.server import Server
from pythia.service.wire import position_message
from pythia.v1 import (
    advisor_pb2_grpc,
    engine_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    search_pb2,
)

PATIENCE = 60


class Peer:
    """A channel to a server, with a stub for each service."""

    def __init__(self, server, channel):
        self.server = server
        self.channel = channel
        self.engine = engine_pb2_grpc.EngineServiceStub(channel)
        self.advisor = advisor_pb2_grpc.AdvisorServiceStub(channel)
        self.match = match_pb2_grpc.MatchServiceStub(channel)
        self.health = health_pb2_grpc.HealthStub(channel)

    async def create(self, *bots, seed=7, reproducible=True, game="delphi", metadata=None, **fields):
        """A match whose seats are played by bots, or by people where None stands; always the same deal."""
        seats = [match_pb2.Seat(bot=bot) for bot in bots]
        request = match_pb2.CreateMatchRequest(
            game=game, seats=seats, seed=seed, reproducible=reproducible, **fields
        )
        return await self.match.CreateMatch(request, metadata=metadata)

    async def moves(self, match_id, token):
        answer = await self.match.ListLegalMoves(
            match_pb2.ListLegalMovesRequest(match_id=match_id, token=token)
        )
        return [move.text for move in answer.moves]

    async def submit(self, match_id, token, move, **fields):
        return await self.match.SubmitMove(
            match_pb2.SubmitMoveRequest(match_id=match_id, token=token, move=move, **fields)
        )

    async def get(self, match_id):
        return (await self.match.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))).match


@asynccontextmanager
async def serving(**settings):
    settings = {"port": 0, "store": "memory:", "metrics": False} | settings
    async with Server(**settings) as server, grpc.aio.insecure_channel(server.address) as channel:
        yield Peer(server, channel)


def with_server(call, **settings):
    """Start a server on a free port and return what `call(peer)` gives."""

    async def go():
        async with serving(**settings) as peer:
            return await asyncio.wait_for(call(peer), timeout=PATIENCE)

    return asyncio.run(go())


class Refusal:
    """What a refused call told: the code, the words, and the details of google.rpc.Status."""

    def __init__(self, error):
        self.code = error.code()
        self.words = error.details()
        details = dict(error.trailing_metadata()).get("grpc-status-details-bin", b"")
        self.status = status_pb2.Status.FromString(details)
        self.reason, self.fields, self.retry = "", [], None
        for detail in self.status.details:
            info, bad, retry = (
                error_details_pb2.ErrorInfo(),
                error_details_pb2.BadRequest(),
                error_details_pb2.RetryInfo(),
            )
            if detail.Unpack(info):
                self.reason = info.reason
            elif detail.Unpack(bad):
                self.fields = [violation.field for violation in bad.field_violations]
            elif detail.Unpack(retry):
                self.retry = retry.retry_delay.ToNanoseconds() / 1e9

    def __repr__(self):
        return f"<{self.code.name} {self.reason} {self.fields} {self.words!r}>"


async def refusal(call):
    """The refusal of a call, which must not succeed."""
    try:
        if hasattr(call, "__aiter__"):
            answer = [item async for item in call]
        else:
            answer = await call
    except grpc.aio.AioRpcError as error:
        return Refusal(error)
    raise AssertionError(f"the call was not refused: {answer}")


def bot(name="ismcts", iterations=None, seconds=None, **fields):
    """A bot's message."""
    if iterations is not None or seconds is not None:
        fields["limit"] = search_pb2.Limit(iterations=iterations, seconds=seconds)
    return search_pb2.BotSpec(name=name, **fields)


def options(name="ismcts", iterations=None, seconds=None, **fields):
    return search_pb2.SearchOptions(bot=bot(name, iterations, seconds), **fields)


def a_state(game="delphi", players=None, seed=3, moves=30, wide=2):
    """A position of a random game at a decision with at least `wide` moves; by default with the fewest players."""
    state = load_game(game, players=players or game_info(game).min_players, seed=seed).new_state()
    rng = Random(seed)
    while moves > 0 or state.to_act == CHANCE or len(state.legal_moves()) < wide:
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves()))
        moves -= 1
    return state


def an_observation(**arguments):
    state = a_state(**arguments)
    return position_message(state.observation(state.to_act))
