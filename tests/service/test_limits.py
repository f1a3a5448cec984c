"""What strangers, slow and greedy callers can make the server hold."""

import asyncio
import subprocess
import sys
import urllib.request

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from pythia.service import calls, metrics
from pythia.service.advisor import UNREAD, Advisor
from pythia.service.auth import Caller, Origin
from pythia.service.backend import Backend
from pythia.service.config import Config
from pythia.service.server import LOOKAHEAD, STREAMS
from pythia.service.servicers import AdvisorService
from pythia.v1 import advisor_pb2, engine_pb2, search_pb2
from tests.service.serving import an_observation, bot, options, refusal, with_server
from tests.service.test_auth import ANALYST, TOKENS, bearer
from tools.bench.http2 import Http2Connection

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
    connection = await Http2Connection.open(address)
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
            "transport": "grpc",
        }
        return peer.server.metrics.registry.get_sample_value(handled, labels)

    assert with_server(call, tokens=TOKENS) == 1


def test_streams_of_a_connection_are_bounded():
    async def call(peer):
        connection = await Http2Connection.open(peer.server.address)
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
        others = [await Http2Connection.open(peer.server.address) for _ in range(3)]
        fates = [await fate(connection) for connection in others]
        await peer.engine.GetServerInfo(info)
        for connection in others:
            await connection.close()
        # What has left makes room.
        while await fate(again := await Http2Connection.open(peer.server.address)) == "closed":
            await again.close()
            await asyncio.sleep(0.01)
        await again.close()
        return fates

    assert sorted(with_server(call, max_connections=3)) == ["closed", "served", "served"]


def test_every_method_has_its_own_size():
    wordy, large = an_observation(), an_observation()
    wordy.delphi.phase = "x" * 40_000
    large.delphi.phase = "x" * 70_000

    async def call(peer):
        single = await refusal(
            peer.advisor.ValidateObservation(advisor_pb2.ValidateObservationRequest(observation=large))
        )
        items = [advisor_pb2.BatchItem(observation=wordy)] * 2
        request = advisor_pb2.AnalyzeBatchRequest(items=items, options=options(iterations=1))
        return single, [answer async for answer in peer.advisor.AnalyzeBatch(request)]

    single, batch = with_server(call)
    assert (single.code, single.reason) == (Code.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")
    assert "allowed: 65536" in single.words
    assert [answer.problem.field for answer in batch] == ["phase", "phase"]  # they were read


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


# -- searches


BUSY, CALM, HASTY = "busy-token-0123456789", "calm-token-0123456789", "hasty-token-0123456789"
CLIENTS = "".join(
    f'[[tokens]]\nname = "{token[:5]}"\ntoken = "{token}"\nroles = {roles}\n'
    for token, roles in ((BUSY, '["analyse"]'), (CALM, '["analyse"]'), (HASTY, '["analyse", "urgent"]'))
)


def suggestion(priority=0, **limit):
    return advisor_pb2.SuggestMoveRequest(
        observation=an_observation(), options=options(priority=priority, **limit)
    )


def test_batches_of_one_client_leave_room_for_others():
    """More of them than the queue is long, and each search longer than the test."""
    items = [advisor_pb2.BatchItem(observation=an_observation()) for _ in range(4)]
    request = advisor_pb2.AnalyzeBatchRequest(items=items, options=options(seconds=50))

    async def call(peer):
        batches = [peer.advisor.AnalyzeBatch(request, metadata=bearer(BUSY)) for _ in range(40)]
        codes = asyncio.gather(*(code(batch) for batch in batches))
        while peer.server.metrics.registry.get_sample_value("pythia_queue_depth") < 1:
            await asyncio.sleep(0.001)
        for _ in range(3):
            await peer.advisor.SuggestMove(suggestion(iterations=1), metadata=bearer(CALM))
        for batch in batches:
            batch.cancel()
        return await codes

    async def code(batch):
        return await batch.code()

    codes = with_server(call, tokens=CLIENTS, workers=2, queue_limit=8)
    assert sorted(set(codes), key=lambda code: code.name) == [Code.CANCELLED, Code.RESOURCE_EXHAUSTED]
    assert codes.count(Code.CANCELLED) == 4


def test_high_priority_needs_a_role():
    async def call(peer):
        high = suggestion(search_pb2.PRIORITY_HIGH, iterations=1)
        await peer.advisor.SuggestMove(high, metadata=bearer(HASTY))
        return await refusal(peer.advisor.SuggestMove(high, metadata=bearer(BUSY)))

    refused = with_server(call, tokens=CLIENTS)
    assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "ROLE_NEEDED")
    assert "'urgent' is needed" in refused.words


def test_a_deadline_that_the_queue_cannot_keep_is_refused_at_once():
    async def call(peer):
        running = peer.advisor.SuggestMove(suggestion(seconds=50))
        while not peer.server.metrics.registry.get_sample_value("pythia_searches_running"):
            await asyncio.sleep(0.001)
        refused = await refusal(peer.advisor.SuggestMove(suggestion(iterations=1), timeout=40))
        assert not running.done()
        running.cancel()
        return refused

    assert with_server(call, workers=1).reason == "QUEUE_SLOW"  # or the test's patience is over


def test_a_deadline_too_short_to_search_gets_the_first_idea():
    async def call(peer):
        await peer.advisor.SuggestMove(suggestion(iterations=1))
        return await peer.advisor.SuggestMove(suggestion(seconds=50), timeout=5)

    # The margin leaves no time for the search.
    answer = with_server(call, deadline_margin=4.9)
    assert answer.analysis.move.text


def test_greedy_ends_at_its_deadline():
    greedy = search_pb2.SearchOptions(bot=bot("greedy", parameters={"samples": 1000}))
    request = advisor_pb2.SuggestMoveRequest(observation=an_observation(wide=50), options=greedy)

    async def call(peer):
        return (await peer.advisor.SuggestMove(request, timeout=5)).analysis

    # A tenth of a millisecond is left, or ten milliseconds more where gRPC rounds the deadline up: too short for that
    # many samples on any machine.
    analysis = with_server(call, deadline_margin=4.9999)
    assert 1 <= analysis.iterations < 1000


def test_a_slow_reader_of_an_analysis_gets_the_newest_result():
    """Read in this process, where nothing between the service and the reader keeps answers."""

    async def go():
        backend = Backend(Config(port=0, store="memory:", workers=1).checked())
        await backend.open()
        try:
            service = AdvisorService(Advisor(backend.runner))
            request = advisor_pb2.AnalyzeRequest(
                observation=an_observation(), options=options(iterations=20_000), interval_ms=20
            )
            client = Caller("slow", frozenset())
            answers = service.Analyze(request, Origin(client))
            first = await anext(answers)
            registry = backend.metrics.registry
            while registry.get_sample_value("pythia_searches_running"):
                await asyncio.sleep(0.001)
            return [first] + [answer async for answer in answers]
        finally:
            backend.close()

    answers = asyncio.run(go())
    assert [answer.final for answer in answers[-1:]] == [True]
    assert len(answers) <= 3  # however many there were
    assert answers[-1].analysis.iterations == 20_000


def test_a_slow_reader_of_a_batch_holds_it_up():
    async def go():
        backend = Backend(Config(port=0, store="memory:", workers=1).checked())
        await backend.open()
        try:
            service = AdvisorService(Advisor(backend.runner))
            items = [advisor_pb2.BatchItem(observation=an_observation()) for _ in range(3 * UNREAD)]
            request = advisor_pb2.AnalyzeBatchRequest(items=items, options=options(iterations=1))
            client = Caller("slow", frozenset())
            answers = service.AnalyzeBatch(request, Origin(client))
            await anext(answers)
            searched = 0.0
            while (now := searches(backend)) > searched:
                searched = now
                await asyncio.sleep(0.3)
            rest = [answer async for answer in answers]
            return searched, 1 + len(rest)
        finally:
            backend.close()

    searched, answered = asyncio.run(go())
    assert searched <= UNREAD + 2
    assert answered == 3 * UNREAD


def searches(backend):
    labels = {"game": "delphi", "bot": "ismcts"}
    return backend.metrics.registry.get_sample_value("pythia_search_seconds_count", labels)


# -- descriptors, imports and the port of the metrics


def test_the_limit_of_open_files_is_raised_where_allowed():
    code = (
        "import asyncio, resource\n"
        "from pythia.service.server import Server\n"
        "hard = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 4096)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))\n"
        "async def go():\n"
        "    async with Server(port=0, store='memory:', metrics=False):\n"
        "        print(*resource.getrlimit(resource.RLIMIT_NOFILE))\n"
        "asyncio.run(go())\n"
    )
    soft, hard = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    assert soft == hard


def test_no_call_imports_a_module_of_a_game():
    """In a process of its own, where nothing else has."""
    code = (
        "import asyncio, sys\n"
        "from pythia.service.backend import Backend\n"
        "from pythia.service.config import Config\n"
        "from pythia.core_cy import list_games, load_game\n"
        "async def go():\n"
        "    backend = Backend(Config(store='memory:').checked())\n"
        "    await backend.open()\n"
        "    before = set(sys.modules)\n"
        "    for name in list_games():\n"
        "        state = load_game(name, seed=1).new_state()\n"
        "        state.observation(0)\n"
        "    print(sorted(name for name in set(sys.modules) - before if name.startswith('pythia')))\n"
        "    backend.close()\n"
        "asyncio.run(go())\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "[]"


def test_silent_connections_to_the_metrics_are_few_and_end(monkeypatch):
    monkeypatch.setattr(metrics, "CONNECTION_SECONDS", 0.2)

    async def call(peer):
        url = peer.server.metrics_url
        host, port = url.removeprefix("http://").removesuffix("/metrics").split(":")
        silent = [await asyncio.open_connection(host, int(port)) for _ in range(2 * metrics.CONNECTIONS)]
        # The server ends them all, without a word from the caller.
        heard = await asyncio.gather(*(reader.read() for reader, _ in silent), return_exceptions=True)
        for _, writer in silent:
            writer.close()
        answer = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=30).read())
        return heard, answer

    heard, answer = with_server(call, metrics=True)
    assert all(words == b"" or isinstance(words, ConnectionError) for words in heard)
    assert b"pythia_queue_depth" in answer


def test_connections_to_the_metrics_are_bounded():
    async def call(peer):
        host, port = peer.server.metrics_url.removeprefix("http://").removesuffix("/metrics").split(":")
        silent = [await asyncio.open_connection(host, int(port)) for _ in range(metrics.CONNECTIONS)]
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /metrics HTTP/1.0\r\n\r\n")
        try:
            heard = await reader.read()
        except ConnectionError:
            heard = b""
        for _, other in [*silent, (reader, writer)]:
            other.close()
        return heard

    assert with_server(call, metrics=True) == b""
