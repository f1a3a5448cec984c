"""What strangers, slow and greedy callers can make the server hold."""

import asyncio

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from pythia.service import calls
from pythia.service.server import LOOKAHEAD, STREAMS
from pythia.v1 import advisor_pb2, engine_pb2
from tests.service.http2 import Connection
from tests.service.serving import an_observation, options, refusal, with_server
from tests.service.test_auth import ANALYST, TOKENS, bearer

Code = grpc.StatusCode
MEGABYTE = 2**20
SUGGEST = "/pythia.v1.AdvisorService/SuggestMove"
CHECK = "/grpc.health.v1.Health/Check"
# Seconds for which a window has to stay shut to be taken for shut.
SHUT = 0.5


def unfinished(size):
    """A message of gRPC less its last byte."""
    return b"\0" + size.to_bytes(4, "big") + b"x" * (size - 1)


async def send_unfinished(address, path, streams, metadata=(), size=MEGABYTE):
    """The connection, after as much of unfinished messages was sent as the server took."""
    connection = await Connection.open(address)
    data = unfinished(size)
    await asyncio.gather(
        *(connection.send(connection.start(path, metadata), data, SHUT) for _ in range(streams))
    )
    return connection


# -- before a request is read


def test_a_stranger_is_refused_before_the_request_has_come():
    async def call(peer):
        connection = await send_unfinished(peer.server.address, SUGGEST, 20)
        while len(connection.ended) < 20:
            await asyncio.sleep(0.001)
        await connection.close()
        return connection.sent

    assert with_server(call, tokens=TOKENS) <= 20 * LOOKAHEAD


@pytest.mark.parametrize(
    ("path", "metadata", "at_once"), [(SUGGEST, bearer(ANALYST), calls.READING), (CHECK, (), 2)]
)
def test_few_requests_of_a_caller_are_received_at_a_time(path, metadata, at_once):
    async def call(peer):
        connection = await send_unfinished(peer.server.address, path, STREAMS, metadata)
        await connection.close()
        return connection.sent

    # Of some all but the last byte, of the others what fits into the window of a stream.
    assert with_server(call, tokens=TOKENS) <= at_once * (MEGABYTE + 5) + STREAMS * LOOKAHEAD


def test_a_request_that_does_not_come_ends(monkeypatch):
    monkeypatch.setattr(calls, "READ_SECONDS", 0.1)

    async def call(peer):
        connection = await send_unfinished(peer.server.address, SUGGEST, 1, bearer(ANALYST))
        while not connection.ended:
            await asyncio.sleep(0.001)
        await connection.close()
        handled = "grpc_server_handled_total"
        labels = {
            "grpc_type": "unary",
            "grpc_service": "pythia.v1.AdvisorService",
            "grpc_method": "SuggestMove",
            "grpc_code": "DEADLINE_EXCEEDED",
        }
        return peer.server.metrics.registry.get_sample_value(handled, labels)

    assert with_server(call, tokens=TOKENS) == 1


def test_streams_of_a_connection_are_bounded():
    async def call(peer):
        connection = await Connection.open(peer.server.address)
        while connection.max_streams is None:
            await asyncio.sleep(0.001)
        await connection.close()
        return connection.max_streams

    assert with_server(call) == STREAMS <= 100


def test_connections_are_bounded():
    async def fate(connection):
        while not connection.is_closed and connection.max_streams is None:
            await asyncio.sleep(0.001)
        return "closed" if connection.is_closed else "served"

    async def call(peer):
        info = engine_pb2.GetServerInfoRequest()
        await peer.engine.GetServerInfo(info)  # the first connection
        others = [await Connection.open(peer.server.address) for _ in range(3)]
        fates = [await fate(connection) for connection in others]
        await peer.engine.GetServerInfo(info)
        for connection in others:
            await connection.close()
        # What has left makes room.
        while await fate(again := await Connection.open(peer.server.address)) == "closed":
            await again.close()
            await asyncio.sleep(0.01)
        await again.close()
        return fates

    assert sorted(with_server(call, max_connections=3)) == ["closed", "served", "served"]


def test_every_method_has_its_own_size():
    wordy = an_observation()
    wordy.delphi.phase = "x" * 70_000

    async def call(peer):
        single = await refusal(
            peer.advisor.ValidateObservation(advisor_pb2.ValidateObservationRequest(observation=wordy))
        )
        items = [advisor_pb2.BatchItem(observation=wordy)]
        request = advisor_pb2.AnalyzeBatchRequest(items=items, options=options(iterations=1))
        return single, [answer async for answer in peer.advisor.AnalyzeBatch(request)]

    single, batch = with_server(call)
    assert (single.code, single.reason) == (Code.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")
    assert "allowed: 65536" in single.words
    assert batch[0].problem.field == "phase"  # it was read


def test_a_call_without_a_request_is_refused():
    async def call(peer):
        return await refusal(peer.channel.stream_unary(SUGGEST)(iter(())))

    assert with_server(call).reason == "NOT_A_MESSAGE"


def test_health_is_open_to_all_and_reflection_is_not():
    async def call(peer):
        await peer.health.Check(health_pb2.HealthCheckRequest())
        name = "x" * 2000
        long = await refusal(peer.health.Watch(health_pb2.HealthCheckRequest(service=name)))
        stub = reflection_pb2_grpc.ServerReflectionStub(peer.channel)
        asked = [reflection_pb2.ServerReflectionRequest(list_services="")]
        stranger = await refusal(stub.ServerReflectionInfo(iter(asked)))
        known = [answer async for answer in stub.ServerReflectionInfo(iter(asked), metadata=bearer(ANALYST))]
        return long.code, stranger.code, len(known)

    assert with_server(call, tokens=TOKENS) == (Code.RESOURCE_EXHAUSTED, Code.UNAUTHENTICATED, 1)
