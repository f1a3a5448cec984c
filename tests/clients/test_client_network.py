"""What can happen between a client and its server: nobody there, not yet there, not trusted, answers that get lost."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from pythia.clients import AsyncClient, Client
from pythia.clients.calls import METHODS, match, undo
from pythia.clients.client import LONGEST_PAUSE, Attempts
from pythia.clients.errors import (
    Busy,
    Denied,
    InvalidRequest,
    NotFound,
    PythiaError,
    ServerFault,
    Unauthenticated,
    Unreachable,
    Untrusted,
)
from pythia.core_cy import Random
from pythia.v1 import advisor_pb2, match_pb2, search_pb2
from tests.clients.flaky import BUSY, GONE, flaky
from tests.clients.serving import blocking, free_port, served
from tests.service.serving import a_state
from tests.service.test_auth import ANALYST, EXPIRED, LIMITED, PLAYER, TOKENS, certificates

__all__ = ["certificates"]

each_kind = pytest.mark.parametrize("connect", [Client, blocking], ids=["sync", "async"])


@pytest.fixture(scope="module")
def address():
    with served() as server:
        yield server.address


# -- retries


@each_kind
def test_a_read_is_tried_again(connect, address):
    with flaky(address, "before", "after") as between, connect(between.address) as client:
        assert client.server_info().name == "pythia"
    assert between.calls == {"GetServerInfo": 3}


@each_kind
def test_only_so_often(connect, address):
    with (
        flaky(address, *["before"] * 9) as between,
        connect(between.address, retries=2) as client,
        pytest.raises(Unreachable),
    ):
        client.games()
    assert between.calls == {"ListGames": 3}


@each_kind
def test_what_is_not_safe_is_tried_once(connect, address):
    with Client(address) as other, flaky(address, "after") as between, connect(between.address) as client:
        made = other.create_match("keltis", ["random", "random"])
        with pytest.raises(Unreachable):
            client.bot_turn(made.match.id)
        assert other.match(made.match.id).version > made.match.version
    assert between.calls == {"PlayBotTurn": 1}


@each_kind
def test_a_refusal_is_not_tried_again(connect, address):
    error = (grpc.StatusCode.NOT_FOUND, "no such match", b"")
    with (
        flaky(address, "before", error=error) as between,
        connect(between.address) as client,
        pytest.raises(NotFound, match="no such match"),
    ):
        client.match("nothing")
    assert between.calls == {"GetMatch": 1}


@each_kind
def test_a_busy_server_has_done_nothing_so_anything_is_tried_again(connect, address):
    with (
        Client(address) as other,
        flaky(address, "before", error=BUSY) as between,
        connect(between.address) as client,
    ):
        made = other.create_match("keltis", ["random", "random"])
        assert client.bot_turn(made.match.id).events
    assert between.calls == {"PlayBotTurn": 2}


def test_pauses_grow_and_honour_the_server():
    attempts = Attempts(match("x"), None, 20)
    gone = Unreachable("gone", "UNAVAILABLE")
    pauses = [attempts.pause_after(gone) for _ in range(10)]
    assert 0.05 <= pauses[0] <= 0.1
    assert LONGEST_PAUSE / 2 <= pauses[-1] <= LONGEST_PAUSE
    later = Busy("later", "RESOURCE_EXHAUSTED", retry_after=40.0)
    assert attempts.pause_after(later) == 40.0
    assert Attempts(undo("x", ""), 50.0, 3).pause_after(later) == 40.0
    with pytest.raises(Busy):  # the deadline comes first
        Attempts(match("x"), 30.0, 3).pause_after(later)
    with pytest.raises(Unreachable):
        Attempts(undo("x", ""), 30.0, 3).pause_after(gone)


@each_kind
def test_a_retried_move_is_played_once(connect, address):
    with Client(address) as other, flaky(address, "after", "after") as between:
        made = other.create_match("delphi", [None, None], seed=1, reproducible=True)
        token = made.seat_tokens[made.match.to_act]
        move = other.match_moves(made.match.id, token).moves[0]
        with connect(between.address) as client:
            played = client.submit_move(made.match.id, move, token)
        assert between.calls == {"SubmitMove": 3}
        assert played.match == other.match(made.match.id)
        assert played.match.version == made.match.version + len(played.events)
        assert played.events[0].move == move


@each_kind
def test_a_retried_match_is_made_once(connect, address):
    with Client(address) as other, flaky(address, "after") as between, connect(between.address) as client:
        before = [listed.id for listed in other.matches()]
        made = client.create_match("keltis", ["random", "random"])
        assert [listed.id for listed in other.matches()] == [made.match.id, *before]
        assert client.create_match("keltis", ["random", "random"]).match.id != made.match.id


@each_kind
def test_watching_goes_on_after_a_lost_connection(connect, address):
    with Client(address) as other, flaky(address, 0, 3, 5) as between, connect(between.address) as client:
        made = other.create_match("keltis", [None, None], seed=1, reproducible=True)
        for _ in range(12):
            token = made.seat_tokens[other.match(made.match.id).to_act]
            other.submit_move(made.match.id, other.match_moves(made.match.id, token).moves[0], token)
        other.resign(made.match.id, token)
        assert list(client.watch(made.match.id)) == list(other.watch(made.match.id))
    assert between.calls == {"Watch": 4}


@each_kind
@pytest.mark.parametrize(("error", "kind"), [(GONE, Unreachable), (BUSY, Busy)], ids=["gone", "busy"])
def test_an_analysis_that_has_begun_is_not_tried_again(connect, error, kind, address):
    state = a_state()
    with flaky(address, 0, 1, error=error) as between, connect(between.address) as client:
        updates = client.analyze(state.observation(state.to_act), "ismcts:iterations=500000", interval=0.02)
        next(updates)
        with pytest.raises(kind):
            list(updates)
    assert between.calls == {"Analyze": 2}


def test_a_turn_leaves_nothing_behind(address):
    """Also the task that reads what the caller says ends with the call."""
    state, luck = a_state(game="keltis"), Random(1)

    async def tasks_left():
        async with AsyncClient(address) as client:
            await client.server_info()
            before = len(asyncio.all_tasks())
            async with client.play_turn(state.observation(state.to_act), "greedy") as turn:
                async for step in turn:
                    if step.move:
                        state.apply(step.move)
                    if step.need == "outcome":
                        state.apply(outcome := str(state.sample_chance(luck)))
                        turn.report(outcome)
            assert step.need == "over"
            await asyncio.sleep(0.05)
            return len(asyncio.all_tasks()) - before

    assert asyncio.run(tasks_left()) == 0


# -- reaching a server


@each_kind
def test_nobody_is_there(connect):
    address = f"127.0.0.1:{free_port()}"
    with connect(address, retries=1) as client:
        with pytest.raises(Unreachable, match=r"does not answer \(connection refused\)") as caught:
            client.server_info()
        assert address in str(caught.value)
        with pytest.raises(Unreachable):
            next(client.watch("x"))


@each_kind
def test_a_server_that_comes_late(connect):
    port = free_port()
    done = threading.Event()

    def serve():
        with served(port=port):
            done.wait()

    late = threading.Timer(0.2, serve)
    late.start()
    try:
        with connect(f"127.0.0.1:{port}", retries=8) as client:
            assert client.server_info().name == "pythia"
    finally:
        done.set()
        late.join()


@each_kind
def test_a_server_that_is_something_else(connect):
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with connect(f"127.0.0.1:{port}") as client, pytest.raises(ServerFault) as caught:
        client.games()
    server.stop(0).wait()
    assert caught.value.code == "UNIMPLEMENTED"


NEWER = {
    "GetMatch": match_pb2.GetMatchResponse(match=match_pb2.Match(id="x", status=9)),
    "ListMatches": match_pb2.ListMatchesResponse(
        matches=[
            match_pb2.MatchSummary(status=1, seats=[match_pb2.Seat(bot=search_pb2.BotSpec(name="oracle"))])
        ]
    ),
    "Watch": match_pb2.WatchResponse(event=match_pb2.MatchEvent(version=7)),
    "PlayTurn": advisor_pb2.PlayTurnResponse(need=9),
    "Observe": match_pb2.ObserveResponse(),
    "ListGames": None,
}


class Newer(grpc.GenericRpcHandler):
    """A server that says what this client does not know yet."""

    def service(self, details):
        name = details.method.rpartition("/")[2]
        answer = NEWER[name].SerializeToString() if NEWER[name] else b"\xff"
        if METHODS[name].client_streaming:
            return grpc.stream_stream_rpc_method_handler(lambda *_: iter([answer]))
        if METHODS[name].server_streaming:
            return grpc.unary_stream_rpc_method_handler(lambda *_: iter([answer]))
        return grpc.unary_unary_rpc_method_handler(lambda *_: answer)


@each_kind
def test_a_newer_server(connect):
    state = a_state()
    server = grpc.server(ThreadPoolExecutor(2), handlers=[Newer()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with connect(f"127.0.0.1:{port}") as client:
        # Bots that only the server knows are no mistake.
        assert next(client.matches()).seats[0].bot.name == "oracle"
        for ask, words in (
            (lambda: client.match("x"), r"GetMatch cannot be read \(status: 9 is not known\)"),
            (lambda: next(client.watch("x")), r"\(event 7: its kind is not known\)"),
            (lambda: next(client.play_turn(state.observation(state.to_act))), r"\(need: 9 is not known\)"),
            (lambda: client.observe("x"), r"\(observation: is missing"),
            (lambda: client.games(), "ListGames cannot be read"),
        ):
            with pytest.raises(ServerFault, match=f"{words}.*; use the same version of pythia on both sides"):
                ask()
    server.stop(0).wait()


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"address": "nowhere"}, "address"),
        ({"address": "host:port"}, "address"),
        ({"address": "host:70000"}, "address"),
        ({"tls": "no-such-file.pem"}, "tls"),
        ({"tls": __file__}, "tls"),
        ({"certificate": ("a", "b")}, "certificate"),
        ({"certificate": ("a", "b"), "tls": True}, "certificate"),
        ({"address": "example.org:1", "token": "secret"}, "token"),
        ({"token": "secret\n"}, "token"),
    ],
)
def test_what_cannot_be_used_to_connect(arguments, field):
    with pytest.raises(InvalidRequest) as caught:
        Client(**arguments)
    assert [problem.field for problem in caught.value.fields] == [field]
    assert "secret" not in str(caught.value)


# -- trust


@pytest.fixture(scope="module")
def secure(certificates):
    _, (cert, key, _), _, _ = certificates
    with served(tls_cert=str(cert), tls_key=str(key), tokens=TOKENS + LIMITED) as server:
        yield server.address


@each_kind
def test_tls_and_tokens(connect, certificates, secure):
    authority = certificates[0]
    with connect(secure, tls=authority, token=PLAYER) as client:
        assert client.server_info().name == "pythia"
        assert client.create_match("keltis", ["random", "random"]).match.version >= 0
        with pytest.raises(Denied) as caught:
            client.validate(a_state().observation(0))
        assert caught.value.reason == "ROLE_NEEDED"
    for token, reason in (
        (None, "NO_TOKEN"),
        (PLAYER + "x", "BAD_TOKEN"),
        (EXPIRED, "TOKEN_EXPIRED"),
    ):
        with connect(secure, tls=authority, token=token) as client, pytest.raises(Unauthenticated) as refused:
            client.server_info()
        assert refused.value.reason == reason
        assert refused.value.request_id
        assert token is None or token not in str(refused.value)


@each_kind
def test_a_server_that_is_not_trusted(connect, certificates, secure, address):
    authority, _, _, (stranger, _, _) = certificates
    port = secure.rpartition(":")[2]
    for where, tls, words in (
        (secure, True, "unable to get local issuer certificate"),
        (secure, stranger, "unable to get local issuer certificate"),
        (f"localhost:{port}", authority, "hostname verification check failed"),
        (address, authority, "it does not speak TLS"),
    ):
        with connect(where, tls=tls, token=ANALYST) as client:
            with pytest.raises(Untrusted, match=f"is not trusted .{words}."):
                client.server_info()
            with pytest.raises(Untrusted):
                next(client.watch("x"))


@each_kind
def test_a_server_that_wants_tls(connect, secure):
    with (
        connect(secure, retries=0) as client,
        pytest.raises(Unreachable, match="or set tls if the server requires it"),
    ):
        client.server_info()


@each_kind
def test_a_certificate_of_the_client(connect, certificates):
    authority, (cert, key, _), (own, own_key, _), _ = certificates
    with served(tls_cert=str(cert), tls_key=str(key), tls_client_ca=str(authority)) as server:
        with connect(server.address, tls=authority, certificate=(own, own_key)) as client:
            assert client.server_info().name == "pythia"
        with connect(server.address, tls=authority, retries=0) as client, pytest.raises(PythiaError):
            client.server_info()
