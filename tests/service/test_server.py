"""The server, for real, over loopback."""

import asyncio
import json
import threading
import urllib.error
import urllib.request
from importlib.metadata import version

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from pythia.core_cy import game_info, list_games
from pythia.search.bots import describe_bots
from pythia.service.server import SERVICES, Server, ServerError
from pythia.v1 import advisor_pb2, engine_pb2, engine_pb2_grpc
from tests.service.serving import Peer, an_observation, options, refusal
from tests.service.serving import with_server as with_peer

ENGINE = "pythia.v1.EngineService"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def with_server(call):
    """Start a server on a free port, open a channel to it, and return what `call(channel)` gives."""
    return with_peer(lambda peer: call(peer.channel))


def test_server_info():
    async def call(channel):
        stub = engine_pb2_grpc.EngineServiceStub(channel)
        first = await stub.GetServerInfo(engine_pb2.GetServerInfoRequest())
        return first, await stub.GetServerInfo(engine_pb2.GetServerInfoRequest())

    first, second = with_server(call)
    assert (first.name, first.version) == ("pythia", version("pythia-opponent"))
    assert list(first.games) == sorted(list_games())
    assert second.uptime.ToNanoseconds() > first.uptime.ToNanoseconds() >= 0


def test_list_games_tells_what_the_registry_knows():
    async def call(channel):
        return await engine_pb2_grpc.EngineServiceStub(channel).ListGames(engine_pb2.ListGamesRequest())

    games = with_server(call).games
    assert [game.name for game in games] == sorted(list_games())
    for game in games:
        info = game_info(game.name)
        assert (game.title, game.min_players, game.max_players) == (
            info.title,
            info.min_players,
            info.max_players,
        )
        assert [option.name for option in game.options] == [option.name for option in info.options]
        for sent, option in zip(game.options, info.options, strict=True):
            assert json.loads(sent.default_json) == option.default
            assert (sent.allowed, sent.help) == (option.allowed, option.help)
            assert sent.type != engine_pb2.OPTION_TYPE_UNSPECIFIED


@pytest.mark.parametrize("service", ["", *SERVICES])
def test_health(service):
    async def call(channel):
        return await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=service))

    assert with_server(call).status == SERVING


def test_health_of_an_unknown_service():
    async def call(channel):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="nobody"))
        return caught.value.code()

    assert with_server(call) == grpc.StatusCode.NOT_FOUND


def test_health_watchers_hear_of_the_end():
    async def go():
        async with Server(port=0, store="memory:") as server:
            channel = grpc.aio.insecure_channel(server.address)
            watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=ENGINE))
            first = await watch.read()
            second = asyncio.ensure_future(watch.read())
        status = (await asyncio.wait_for(second, timeout=30)).status
        await channel.close()
        return first.status, status

    assert asyncio.run(go()) == (SERVING, NOT_SERVING)


def test_reflection_lists_and_describes_the_services():
    async def call(channel):
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        requests = [
            reflection_pb2.ServerReflectionRequest(list_services=""),
            reflection_pb2.ServerReflectionRequest(file_containing_symbol=ENGINE),
        ]
        return [answer async for answer in stub.ServerReflectionInfo(iter(requests))]

    listed, described = with_server(call)
    assert {service.name for service in listed.list_services_response.service} == {
        *SERVICES,
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
        "grpc.reflection.v1.ServerReflection",
    }
    files = described.file_descriptor_response.file_descriptor_proto
    assert engine_pb2.DESCRIPTOR.serialized_pb in files
    assert engine_pb2.DESCRIPTOR.name == "pythia/v1/engine.proto"


def test_an_unknown_method_is_unimplemented():
    async def call(channel):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await channel.unary_unary(f"/{ENGINE}/Nothing")(b"")
        return caught.value.code()

    assert with_server(call) == grpc.StatusCode.UNIMPLEMENTED


def test_garbage_is_refused_and_the_server_lives_on():
    async def call(channel):
        refused = await refusal(channel.unary_unary(f"/{ENGINE}/ListGames")(b"\xff\xff\xff"))
        assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "NOT_A_MESSAGE")
        return await engine_pb2_grpc.EngineServiceStub(channel).ListGames(engine_pb2.ListGamesRequest())

    assert with_server(call).games


def test_a_taken_port_is_named():
    async def go():
        async with Server(port=0, store="memory:") as first:
            port = int(first.address.rpartition(":")[2])
            with pytest.raises(ServerError, match=rf"^port: {port} cannot be opened on 127\.0\.0\.1"):
                await Server(port=port, store="memory:").__aenter__()

    asyncio.run(go())


def test_a_start_that_fails_leaves_nothing_behind(monkeypatch):
    """Health comes last, when the metrics are being served already."""

    async def broken(*_):
        raise RuntimeError("no health")

    monkeypatch.setattr(health.aio.HealthServicer, "set", broken)
    before = set(threading.enumerate())
    server = Server(port=0, store="memory:")
    with pytest.raises(RuntimeError, match="no health"):
        asyncio.run(server.__aenter__())
    assert [thread for thread in set(threading.enumerate()) - before if thread.name == "metrics"] == []
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(server.metrics_url)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_out_of_range(port):
    with pytest.raises(ServerError, match=rf"^port: {port} is not allowed; allowed: 0 to 65535"):
        Server(port=port)


def test_list_bots_tells_what_search_knows():
    async def call(channel):
        return await engine_pb2_grpc.EngineServiceStub(channel).ListBots(engine_pb2.ListBotsRequest())

    bots = with_server(call).bots
    assert [bot.name for bot in bots] == [info.name for info in describe_bots()]
    for sent, info in zip(bots, describe_bots(), strict=True):
        assert (sent.help, tuple(sent.levels), sent.uses_limit) == (info.help, info.levels, info.uses_limit)
        assert {p.name: p.default_value for p in sent.parameters} == {
            p.name: p.default for p in info.parameters
        }


def test_an_oversized_request_is_refused():
    async def call(peer):
        request = advisor_pb2.LegalMovesRequest(observation=an_observation())
        refused = await refusal(peer.advisor.LegalMoves(request))
        assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        await peer.engine.GetServerInfo(engine_pb2.GetServerInfoRequest())

    with_peer(call, max_request_bytes=1024)


def test_stopping_lets_running_searches_answer():
    async def go():
        server = Server(port=0, store="memory:", metrics=False)
        async with server:
            channel = grpc.aio.insecure_channel(server.address)
            request = advisor_pb2.SuggestMoveRequest(
                observation=an_observation(), options=options(seconds=0.3)
            )
            search = asyncio.ensure_future(Peer(server, channel).advisor.SuggestMove(request))
            while not server.metrics.registry.get_sample_value("pythia_searches_running"):
                await asyncio.sleep(0.001)
        answer = await search
        await channel.close()
        return answer.analysis.move.text

    assert asyncio.run(go())
