"""The server, for real, over loopback."""

import asyncio
import json

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from pythia.core_cy import game_info, list_games
from pythia.service.server import Server, ServerError
from pythia.v1 import engine_pb2, engine_pb2_grpc

ENGINE = "pythia.v1.EngineService"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def with_server(call):
    """Start a server on a free port, open a channel to it, and return what `call(channel)` gives."""

    async def go():
        async with Server(port=0) as server, grpc.aio.insecure_channel(server.address) as channel:
            return await asyncio.wait_for(call(channel), timeout=30)

    return asyncio.run(go())


def test_server_info():
    async def call(channel):
        stub = engine_pb2_grpc.EngineServiceStub(channel)
        first = await stub.GetServerInfo(engine_pb2.GetServerInfoRequest())
        return first, await stub.GetServerInfo(engine_pb2.GetServerInfoRequest())

    first, second = with_server(call)
    assert (first.name, first.version) == ("pythia", "0.1.0")
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


@pytest.mark.parametrize("service", ["", ENGINE])
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
        async with Server(port=0) as server:
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
        ENGINE,
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
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
        with pytest.raises(grpc.aio.AioRpcError):
            await channel.unary_unary(f"/{ENGINE}/ListGames")(b"\xff\xff\xff")
        return await engine_pb2_grpc.EngineServiceStub(channel).ListGames(engine_pb2.ListGamesRequest())

    assert with_server(call).games


def test_a_taken_port_is_named():
    async def go():
        async with Server(port=0) as first:
            port = int(first.address.rpartition(":")[2])
            with pytest.raises(ServerError, match=rf"^port: {port} cannot be opened on 127\.0\.0\.1"):
                await Server(port=port).__aenter__()

    asyncio.run(go())


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_out_of_range(port):
    with pytest.raises(ServerError, match=rf"^port: {port} is not allowed; allowed: 0 to 65535"):
        Server(port=port)
