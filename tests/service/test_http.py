"""HTTP beside gRPC: Connect, gRPC-Web and JSON to the same handlers, and what the port refuses."""

import asyncio
import base64
import gzip
import http.client
import io
import json
import logging
import os
import re
import signal
import ssl
import struct
import subprocess
import sys

import pytest
from google.protobuf import json_format
from google.rpc import error_details_pb2, status_pb2

from pythia.core_cy import list_games
from pythia.service import http_server
from pythia.service.config import Config, ConfigError
from pythia.service.logs import LOG, JsonFormatter
from pythia.service.server import Server
from pythia.service.wire import DESCRIPTORS
from pythia.v1 import advisor_pb2, engine_pb2
from tests.service.serving import an_observation, options, serving
from tests.service.test_auth import ANALYST, PLAYER, TOKENS, key_pair
from tests.service.web import JSON, Caller, envelope, parts, with_web

LIST_GAMES = "/pythia.v1.EngineService/ListGames"


def observation(game="delphi"):
    """As JSON with original field names."""
    return json_format.MessageToDict(an_observation(game=game), preserving_proto_field_name=True)


def suggestion(game="delphi", **limit):
    return {"observation": observation(game), "options": {"bot": {"name": "ismcts", "limit": limit}}}


async def running(peer, number):
    """Until so many searches run."""
    while peer.server.metrics.registry.get_sample_value("pythia_searches_running") != number:
        await asyncio.sleep(0.001)


def handled(peer, method, code, transport="http", kind="unary"):
    labels = {
        "grpc_type": kind,
        "grpc_service": f"pythia.v1.{method.partition('/')[0]}",
        "grpc_method": method.partition("/")[2],
        "grpc_code": code,
        "transport": transport,
    }
    return peer.server.metrics.registry.get_sample_value("grpc_server_handled_total", labels) or 0


# -- calls


@pytest.mark.parametrize("game", list_games())
def test_json_has_the_original_names_in_and_out(game):
    async def call(web, peer):
        return await web.call("AdvisorService/SuggestMove", suggestion(game, iterations="30"))

    reply = with_web(call)
    assert (reply.status, reply.headers["content-type"]) == (200, JSON)
    analysis = reply.json["analysis"]
    assert analysis["iterations"] == "30"
    assert "win_probability" in analysis["moves"][0]
    # The same JSON as that of the reference library.
    message = json_format.Parse(reply.body, advisor_pb2.SuggestMoveResponse())
    assert json_format.MessageToDict(message, preserving_proto_field_name=True) == reply.json


def test_json_takes_the_names_of_javascript_too():
    async def call(web, peer):
        seats = [{}, {"bot": {"name": "greedy"}}]
        made = await web.call("MatchService/CreateMatch", {"game": "keltis", "seats": seats})
        same = {"matchId": made.json["match"]["id"], "pageSize": 3}
        return await web.call("MatchService/GetMatch", {"matchId": same["matchId"]}), made

    got, made = with_web(call)
    assert got.status == 200
    assert got.json["match"]["id"] == made.json["match"]["id"]


@pytest.mark.parametrize("kind", ["application/proto", "application/grpc-web+proto", "application/grpc-web"])
def test_bytes(kind):
    request = advisor_pb2.LegalMovesRequest(observation=an_observation()).SerializeToString()
    web_kind = "grpc-web" in kind

    async def call(web, peer):
        body = envelope(request) if web_kind else request
        reply = await web.call("AdvisorService/LegalMoves", body, content_type=kind)
        return reply, await peer.advisor.LegalMoves(advisor_pb2.LegalMovesRequest.FromString(request))

    reply, expected = with_web(call)
    assert reply.status == 200
    answer = next(parts(reply.body)) if web_kind else reply.body
    assert advisor_pb2.LegalMovesResponse.FromString(answer) == expected
    if web_kind:
        assert list(parts(reply.body))[1] == b"grpc-status: 0\r\n"


def test_a_stream():
    async def call(web, peer):
        return await web.stream(
            "AdvisorService/Analyze", suggestion(iterations=3000) | {"interval_ms": 20}
        ), handled(peer, "AdvisorService/Analyze", "OK", kind="server_stream")

    (reply, messages), counted = with_web(call)
    assert reply.headers["content-type"] == "application/connect+json"
    assert messages[-1] == {}
    assert messages[-2]["final"] is True
    assert messages[-2]["analysis"]["iterations"] == "3000"
    assert counted == 1


def test_a_whole_match_over_json():
    async def call(web, peer):
        seats = [{"name": "me"}, {"bot": {"name": "greedy"}}]
        made = (await web.call("MatchService/CreateMatch", {"game": "keltis", "seats": seats})).json
        me = {"match_id": made["match"]["id"], "token": made["seat_tokens"][0]}
        match = made["match"]
        for _ in range(6):
            if match.get("to_act", 0) == 0:
                moves = (await web.call("MatchService/ListLegalMoves", me)).json["moves"]
                move = {"move": moves[0]["text"], "expected_version": match.get("version", "0")}
                match = (await web.call("MatchService/SubmitMove", me | move)).json["match"]
            else:
                _, messages = await web.stream("MatchService/StreamBotTurn", me)
                assert messages[-1] == {}
                match = messages[-2]["match"]
        return match, (await peer.get(me["match_id"])).version

    match, version = with_web(call)
    assert int(match["version"]) == version > 5


def test_metrics_and_logs_are_those_of_grpc_with_another_transport():
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())

    async def call(web, peer):
        LOG.handlers = [handler]
        await web.call("EngineService/ListGames", x_request_id="mine-1")
        await web.call("AdvisorService/LegalMoves", {"observation": 3})
        await peer.engine.ListGames(engine_pb2.ListGamesRequest())
        return [
            handled(peer, "EngineService/ListGames", "OK"),
            handled(peer, "EngineService/ListGames", "OK", "grpc"),
            handled(peer, "AdvisorService/LegalMoves", "INVALID_ARGUMENT"),
        ]

    assert with_web(call, log_level="info") == [1, 1, 1]
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    web, refused, grpc = (line for line in lines if line["message"] == "call")
    assert (web["transport"], web["request_id"], grpc["transport"]) == ("http", "mine-1", "grpc")
    assert web.keys() == refused.keys() == grpc.keys()


# -- deadlines and cancelling


def test_the_deadline_bounds_the_search():
    async def call(web, peer):
        return await web.call("AdvisorService/SuggestMove", suggestion(seconds=30), connect_timeout_ms="1500")

    reply = with_web(call)
    assert reply.status == 200
    assert reply.json["analysis"]["seconds"] < 1.5


def test_a_deadline_that_passes():
    async def call(web, peer):
        first = await web.call("AdvisorService/SuggestMove", suggestion(seconds=30), connect_timeout_ms="0")
        await running(peer, 0)
        return first, handled(peer, "AdvisorService/SuggestMove", "DEADLINE_EXCEEDED")

    reply, counted = with_web(call)
    assert (reply.status, reply.code) == (504, "deadline_exceeded")
    assert counted == 1


@pytest.mark.parametrize(("method", "kind"), [("SuggestMove", "unary"), ("Analyze", "server_stream")])
def test_cancelling_frees_the_search(method, kind):
    async def call(web, peer):
        body = json.dumps(suggestion(seconds=50)).encode()
        content_type = JSON
        if kind == "server_stream":
            body, content_type = envelope(body), "application/connect+json"
        _, writer = await web.open()
        head = f"POST /pythia.v1.AdvisorService/{method} HTTP/1.1\r\nhost: {web.address.netloc}\r\n"
        writer.write(
            f"{head}content-type: {content_type}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
        )
        await running(peer, 1)
        writer.close()
        await running(peer, 0)
        while not handled(peer, f"AdvisorService/{method}", "CANCELLED", kind=kind):
            await asyncio.sleep(0.001)

    with_web(call)


def test_calls_end_before_the_server_does():
    async def call(web, peer):
        running_call = asyncio.create_task(web.call("AdvisorService/SuggestMove", suggestion(seconds=1)))
        await running(peer, 1)
        ending = asyncio.create_task(peer.server.__aexit__(None, None, None))
        while (await web.get("/healthz")).status == 200:
            await asyncio.sleep(0.001)
        refused = await web.call("EngineService/ListGames")
        reply = await running_call
        await ending
        return reply, refused

    async def go():
        server = Server(port=0, http=True, store="memory:", metrics=False)
        await server.__aenter__()

        class Peer:
            pass

        peer = Peer()
        peer.server = server
        return await asyncio.wait_for(call(Caller(server), peer), 60)

    reply, refused = asyncio.run(go())
    assert reply.status == 200
    assert (refused.status, refused.code, refused.reason) == (503, "unavailable", "STOPPING")
    assert "RetryInfo" in refused.details


def test_the_command_keeps_its_signals():
    command = [sys.executable, "-c", "from pythia.clients.cli.main import main; main()"]
    flags = ["serve", "--http", "--port", "0", "--store", "memory:", "--no-metrics"]
    with subprocess.Popen([*command, *flags], stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        assert lines[2].startswith("  HTTP: http://127.0.0.1:")
        os.kill(process.pid, signal.SIGTERM)
        assert process.stdout.read().rstrip().endswith("Stopping.")
        assert process.wait(30) == 0


# -- who may call


def test_tokens_and_roles():
    async def call(web, peer):
        def bearer(token):
            return {"authorization": f"Bearer {token}"}

        body = suggestion(iterations=5)
        return [
            await web.call("EngineService/ListGames"),
            await web.call("EngineService/ListGames", **bearer("wrong" + PLAYER)),
            await web.call("AdvisorService/SuggestMove", body, **bearer(PLAYER)),
            await web.call("AdvisorService/SuggestMove", body, **bearer(ANALYST)),
            (await web.stream("AdvisorService/Analyze", body))[1][-1]["error"]["code"],
            handled(peer, "EngineService/ListGames", "UNAUTHENTICATED"),
        ]

    none, wrong, role, good, stream, counted = with_web(call, tokens=TOKENS)
    assert (none.status, none.code, none.reason) == (401, "unauthenticated", "NO_TOKEN")
    assert (wrong.status, wrong.reason) == (401, "BAD_TOKEN")
    assert (role.status, role.code, role.reason) == (403, "permission_denied", "ROLE_NEEDED")
    assert good.status == 200
    assert stream == "unauthenticated"
    assert counted == 2


def test_a_stranger_is_refused_before_the_request_has_come():
    async def call(web, peer):
        reader, writer = await web.open()
        head = f"POST {LIST_GAMES} HTTP/1.1\r\nhost: {web.address.netloc}\r\ncontent-type: {JSON}\r\n"
        writer.write(f"{head}content-length: 60000\r\n\r\n".encode())
        answer = await reader.readuntil(b"\r\n")
        writer.close()
        return answer

    assert b"401" in with_web(call, tokens=TOKENS)


def test_certificates(tmp_path):
    authority, _, issuer = key_pair(tmp_path, "authority", authority=True)
    cert, key, _ = key_pair(tmp_path, "server", issuer)
    mine, my_key, _ = key_pair(tmp_path, "client", issuer)
    tls = {"tls_cert": str(cert), "tls_key": str(key), "tls_client_ca": str(authority)}
    stranger, known = (ssl.create_default_context(cafile=authority) for _ in range(2))
    known.load_cert_chain(mine, my_key)

    def ask(port, context):
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)
        try:
            connection.request("POST", LIST_GAMES, "{}", {"content-type": JSON})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    async def go():
        async with Server(port=0, http=True, store="memory:", metrics=False, **tls) as server:
            assert server.http_url.startswith("https://")
            port = int(server.http_url.rpartition(":")[2])
            with pytest.raises((ssl.SSLError, ConnectionError)):
                await asyncio.to_thread(ask, port, stranger)
            return await asyncio.to_thread(ask, port, known)

    assert asyncio.run(go())["games"]


def origin_of(web):
    return f"{web.address.scheme}://{web.address.netloc}"


def test_only_the_own_origin_may_call():
    async def call(web, peer):
        return [
            await web.call("EngineService/ListGames", origin=origin)
            for origin in (origin_of(web), "https://evil.example", "null", origin_of(web) + "0")
        ] + [
            await web.request(
                "OPTIONS", LIST_GAMES, origin="https://evil.example", access_control_request_method="POST"
            ),
            peer.server.metrics.registry.get_sample_value("pythia_http_refused_total", {"reason": "origin"}),
        ]

    own, *others, preflight, counted = with_web(call)
    assert own.status == 200
    for reply in (*others, preflight):
        assert (reply.status, reply.code, reply.reason) == (403, "permission_denied", "HTTP_ORIGIN")
        assert "access-control-allow-origin" not in reply.headers
    assert counted == 4


def test_allowed_origins():
    async def call(web, peer):
        good = {"origin": "https://game.example"}
        asked = {"access_control_request_method": "POST", "access_control_request_headers": "authorization"}
        return [
            await web.request("OPTIONS", LIST_GAMES, **good, **asked),
            await web.call("EngineService/ListGames", **good),
            await web.call("AdvisorService/LegalMoves", **good),
            await web.call("EngineService/ListGames", b"{}", **good, content_type="text/plain"),
            await web.call("EngineService/ListGames", origin="https://other.example"),
        ]

    settings = {"cors_origins": "https://game.example, http://localhost:5173"}
    preflight, *answers, other = with_web(call, **settings)
    assert preflight.status == 204
    assert preflight.headers["access-control-allow-methods"] == "POST"
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    assert [reply.status for reply in answers] == [200, 400, 415]
    for reply in (preflight, *answers):
        assert reply.headers["access-control-allow-origin"] == "https://game.example"
        assert "access-control-allow-credentials" not in reply.headers
    assert other.status == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("LOCALHOST:{port}", 200),
        ("[::1]:{port}", 200),
        ("pythia.example", 200),
        ("pythia.example:8443", 200),
        ("evil.example:{port}", 403),
        ("127.0.0.1.evil.example:{port}", 403),
        ("127.0.0.1", 403),
        ("127.0.0.1:1", 403),
        ("192.168.1.5:{port}", 403),
        ("", 403),
    ],
)
def test_hosts(host, status):
    async def call(web, peer):
        named = host.format(port=web.address.port)
        return await web.call("EngineService/ListGames", host=named), await web.get("/", host=named)

    for reply in with_web(call, http_names="pythia.example"):
        assert reply.status == status
        if status == 403:
            assert (reply.code, reply.reason) == ("permission_denied", "HTTP_HOST")


def test_behind_a_proxy_pages_come_by_https():
    async def call(web, peer):
        by = {"host": "pythia.example", "authorization": f"Bearer {PLAYER}"}
        return [
            (await web.call("EngineService/ListGames", origin=f"{scheme}://pythia.example", **by)).status
            for scheme in ("https", "http")
        ], peer.server.openness

    statuses, words = with_web(call, behind_proxy=True, http_names="pythia.example", tokens=TOKENS)
    assert statuses == [200, 403]
    assert "a proxy in front must encrypt" in words


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"http_host": "0.0.0.0"}, "http_host: '0.0.0.0' can be reached from other machines"),
        ({"http_host": "0.0.0.0", "behind_proxy": True}, "behind_proxy: a proxy lets others reach"),
        ({"behind_proxy": True}, "give tokens_file or tokens"),
        ({"cors_origins": "*"}, "cors_origins: '*' lets every page in the world call"),
        ({"cors_origins": "https://a.example/path"}, "cors_origins: 'https://a.example/path' is not allowed"),
        ({"cors_origins": "a.example"}, "cors_origins: 'a.example' is not allowed"),
        ({"http_names": "https://a.example"}, "http_names: 'https://a.example' is not allowed"),
        ({"http_port": 70000}, "http_port: 70000 is not allowed"),
    ],
)
def test_settings_that_are_refused(settings, words):
    with pytest.raises(ConfigError) as caught:
        Config(http=True, **settings).checked()
    assert words in str(caught.value)


def test_settings_that_are_allowed():
    Config(http=True, cors_origins="*", tokens=TOKENS).checked()
    Config(http=True, http_host="0.0.0.0", behind_proxy=True, tokens=TOKENS).checked()
    Config(host="0.0.0.0", behind_proxy=True, tokens=TOKENS).checked()
    assert not Config().serves_http
    assert Config(http_port=0).serves_http


# -- bad input


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (b"{", "the request is not JSON"),
        (b"", "the request is not JSON"),
        (b'{"\xff', "the request is not UTF-8: see byte 2"),
        ("{}".encode("utf-16"), "the request is not UTF-8: see byte 0"),
        (b'{"observation": ' + b"9" * 5000 + b"}", "a whole number with thousands of digits"),
        (b'{"observation": NaN}', "the request is not JSON"),
        (b"[" * 60_000, "the request is nested too deeply"),
        (b"[]", "the request is no LegalMovesRequest"),
        (b"null", "the request is no LegalMovesRequest"),
        (b'{"observation": 3}', "the request is no LegalMovesRequest"),
        (b'{"position": {}}', "'position' is not a field of LegalMovesRequest"),
        (b'{"observation": {"delphi": {"nobody": 1}}}', "'nobody' is not a field of DelphiPosition"),
        (b'{"observation": {"delphi": {"observer": 1.5}}}', "observer"),
        (b'{"observation": {"delphi": {"observer": 99999999999999}}}', "observer"),
        (b'{"observation": {"delphi": {"phase": "\\ud800"}}}', "half of a surrogate pair"),
    ],
)
def test_malformed_json(message, words):
    async def call(web, peer):
        return (
            await web.call("AdvisorService/LegalMoves", message),
            handled(peer, "AdvisorService/LegalMoves", "INVALID_ARGUMENT"),
        )

    reply, counted = with_web(call)
    assert (reply.status, reply.code, reply.reason) == (400, "invalid_argument", "NOT_A_MESSAGE")
    assert words in reply.json["message"]
    assert counted == 1


def test_brackets_within_a_message_end_nothing():
    async def call(web, peer):
        deep = b'{"game": "delphi", "options": {"board": ' + b"[" * 900 + b"]" * 900 + b"}}"
        return await web.call("MatchService/CreateMatch", deep), await web.call("EngineService/ListGames")

    refused, after = with_web(call)
    assert (refused.status, refused.reason) == (400, "NOT_A_MESSAGE")
    assert after.status == 200


def test_details_are_those_of_grpc():
    async def call(web, peer):
        request = suggestion(seconds=1000)
        reply = await web.call("AdvisorService/SuggestMove", request)
        web_reply = await web.call(
            "AdvisorService/SuggestMove",
            envelope(json.dumps(request).encode()),
            content_type="application/grpc-web+json",
        )
        return reply, web_reply

    reply, web_reply = with_web(call)
    assert (reply.status, reply.code, reply.reason) == (400, "invalid_argument", "INVALID_FIELD")
    assert reply.details["BadRequest"]["fieldViolations"][0]["field"] == "options.bot.limit.seconds"
    assert reply.details["ErrorInfo"]["metadata"]["request_id"]
    # gRPC-Web has them in its trailers, as bytes.
    trailers = dict(line.split(": ", 1) for line in list(parts(web_reply.body))[-1].decode().splitlines())
    assert trailers["grpc-status"] == "3"
    status = status_pb2.Status.FromString(base64.b64decode(trailers["grpc-status-details-bin"] + "=="))
    bad = error_details_pb2.BadRequest()
    assert status.details[1].Unpack(bad)
    assert bad.field_violations[0].field == "options.bot.limit.seconds"


@pytest.mark.parametrize("kind", [JSON, "application/proto"])
def test_bodies_over_the_limit(kind):
    async def call(web, peer):
        body = b"x" * 70_000
        answers = [
            await web.call("AdvisorService/LegalMoves", body, content_type=kind),
            # Of unknown length: it is counted as it comes.
            await web.request(
                "POST", "/pythia.v1.AdvisorService/LegalMoves", iter([body, body]), content_type=kind
            ),
        ]
        return *answers, handled(peer, "AdvisorService/LegalMoves", "RESOURCE_EXHAUSTED")

    *answers, counted = with_web(call)
    for reply in answers:
        assert (reply.status, reply.code, reply.reason) == (429, "resource_exhausted", "REQUEST_TOO_LARGE")
        assert "65536" in reply.json["message"]
    assert counted == 2


def test_batches_may_be_larger():
    async def call(web, peer):
        request = {"items": [{"observation": observation()}] * 30, "options": {"bot": {"name": "greedy"}}}
        return await web.stream("AdvisorService/AnalyzeBatch", request)

    reply, messages = with_web(call)
    assert reply.status == 200
    assert len(messages) == 31


@pytest.mark.parametrize(
    ("method", "kind", "status", "code", "reason"),
    [
        ("EngineService/ListGames", "text/plain", 415, "invalid_argument", "HTTP_CONTENT_TYPE"),
        ("EngineService/ListGames", "", 415, "invalid_argument", "HTTP_CONTENT_TYPE"),
        ("EngineService/ListGames", "application/grpc", 415, "invalid_argument", "HTTP_CONTENT_TYPE"),
        ("EngineService/ListGames", "application/connect+json", 415, "invalid_argument", "HTTP_CONTENT_TYPE"),
        ("AdvisorService/Analyze", JSON, 415, "invalid_argument", "HTTP_CONTENT_TYPE"),
        ("AdvisorService/PlayTurn", "application/connect+json", 505, "unimplemented", "HTTP_NEEDS_GRPC"),
        ("AdvisorService/PlayTurn", "application/grpc-web", 505, "unimplemented", "HTTP_NEEDS_GRPC"),
        ("EngineService/Nothing", JSON, 404, "unimplemented", "HTTP_PATH"),
        ("Nothing/ListGames", JSON, 404, "unimplemented", "HTTP_PATH"),
    ],
)
def test_wrong_content_types_and_methods(method, kind, status, code, reason):
    async def call(web, peer):
        return await web.call(method, b"{}", content_type=kind)

    reply = with_web(call)
    assert (reply.status, reply.code, reply.reason) == (status, code, reason)


@pytest.mark.parametrize(
    ("verb", "path", "allow"),
    [("GET", LIST_GAMES, "POST"), ("PUT", LIST_GAMES, "POST"), ("POST", "/healthz", "GET, HEAD")],
)
def test_wrong_verbs(verb, path, allow):
    async def call(web, peer):
        return await web.request(verb, path, content_type=JSON)

    reply = with_web(call)
    assert (reply.status, reply.code, reply.headers["allow"]) == (405, "unimplemented", allow)


@pytest.mark.parametrize(
    "headers",
    [
        {"connect_timeout_ms": "soon"},
        {"connect_timeout_ms": "-5"},
        {"connect_timeout_ms": "12345678901"},
        {"grpc_timeout": "5"},
        {"connect_protocol_version": "2"},
        {"x_request_id": "\xff"},
    ],
)
def test_wrong_headers(headers):
    async def call(web, peer):
        return await web.call("EngineService/ListGames", **headers)

    reply = with_web(call)
    assert (reply.status, reply.code) == (400, "invalid_argument")


def test_compressed_requests_are_refused():
    async def call(web, peer):
        body = gzip.compress(b"{}")
        return (
            await web.call("EngineService/ListGames", body, content_encoding="gzip"),
            handled(peer, "EngineService/ListGames", "UNIMPLEMENTED"),
        )

    reply, counted = with_web(call)
    assert (reply.status, reply.code, reply.reason) == (501, "unimplemented", "NOT_A_CALL")
    assert counted == 1


def test_envelopes_that_are_none():
    async def call(web, peer):
        found = []
        for body in (b"", b"\0\0", struct.pack(">BI", 0, 100) + b"{}", envelope(b"{}") * 2, b"\7\0\0\0\0"):
            reply = await web.call("AdvisorService/Analyze", body, content_type="application/connect+json")
            found.append(json.loads(list(parts(reply.body))[-1])["error"])
        return found

    found = with_web(call)
    assert [error["code"] for error in found] == [
        "unimplemented",
        "invalid_argument",
        "invalid_argument",
        "unimplemented",
        "invalid_argument",
    ]
    assert all(error["details"][0]["debug"]["reason"] == "NOT_A_CALL" for error in found)


def test_nothing_that_a_caller_sent_is_logged():
    secret = "s3cret"
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())

    async def raw(web, data):
        reader, writer = await web.open()
        writer.write(data)
        await reader.read()
        writer.close()

    async def call(web, peer):
        LOG.handlers = [handler]
        await web.call("AdvisorService/LegalMoves", {secret: secret}, x_request_id=f"<{secret}>")
        await web.call(f"AdvisorService/{secret}", {})
        await web.call("EngineService/ListGames", origin=f"https://{secret}")
        await web.call("EngineService/ListGames", host=secret)
        await web.call("EngineService/ListGames", content_type=secret)
        await web.call("EngineService/ListGames", authorization=f"Bearer {secret}")
        await web.call("EngineService/ListGames", connect_protocol_version=secret)
        await web.get(f"/{secret}?{secret}={secret}")
        await raw(web, f"{secret} / HTTP/9\r\n\r\n".encode())
        await raw(web, f"GET /{secret} HTTP/1.1\r\nhost: {secret}\r\nbad header {secret}\r\n\r\n".encode())

    with_web(call, log_level="debug")
    assert secret not in written.getvalue()
    assert '"message": "call"' in written.getvalue()


def test_uvicorn_writes_no_log_of_its_own(capfd):
    async def call(web, peer):
        reader, writer = await web.open()
        writer.write(b"nonsense\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer

    assert b"400" in with_web(call)
    assert capfd.readouterr().err == ""


def test_wishes_for_another_protocol_are_ignored():
    async def call(web, peer):
        asked = {"connection": "Upgrade, HTTP2-Settings", "upgrade": "h2c", "http2_settings": "AAEAAEAA"}
        return [
            await web.call("EngineService/ListGames", **asked),
            await web.get("/healthz", connection="upgrade", upgrade="websocket", sec_websocket_key="x"),
        ]

    games, health = with_web(call)
    assert (games.status, health.status) == (200, 200)
    assert games.json["games"]


# -- what connections can make the server hold


def test_connections_are_bounded():
    async def call(web, peer):
        opened = [await web.open() for _ in range(3)]
        # Those beyond the bound are closed at once; the others are served.
        extra, writer = await web.open()
        try:
            closed = await asyncio.wait_for(extra.read(), 10) == b""
        except ConnectionError:
            closed = True
        writer.close()
        reader, held = opened[0]
        held.write(f"GET /healthz HTTP/1.1\r\nhost: {web.address.netloc}\r\n\r\n".encode())
        answer = await reader.readuntil(b"ok\n")
        for _, other in opened:
            other.close()
        return closed, answer

    closed, answer = with_web(call, max_connections=3)
    assert closed
    assert b"200" in answer


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        b"POST / HTTP/1.1\r\nhost: ",
        b"POST / HTTP/1.1\r\ncontent-length: 9\r\nhost: a\r\n\r\n1",
    ],
)
def test_slow_requests_end_the_connection(begin, monkeypatch):
    monkeypatch.setattr(http_server, "FIRST_SECONDS", 0.2)
    monkeypatch.setattr(http_server, "REQUEST_SECONDS", 0.2)

    async def call(web, peer):
        reader, writer = await web.open()
        writer.write(begin)
        try:
            while await reader.read(1000):
                pass
        except ConnectionError:
            pass
        writer.close()

    with_web(call)


def test_empty_lines_do_not_hold_a_connection(monkeypatch):
    monkeypatch.setattr(http_server, "REQUEST_SECONDS", 0.2)

    async def call(web, peer):
        reader, writer = await web.open()
        writer.write(f"GET /healthz HTTP/1.1\r\nhost: {web.address.netloc}\r\n\r\n".encode())
        await reader.readuntil(b"ok\n")
        writer.write(b"\r\n")
        try:
            rest = await reader.read()
        except ConnectionError:
            rest = b""
        writer.close()
        return rest

    assert with_web(call) == b""


def test_a_slow_body_is_told(monkeypatch):
    monkeypatch.setattr("pythia.service.calls.READ_SECONDS", 0.2)

    async def call(web, peer):
        reader, writer = await web.open()
        head = f"POST {LIST_GAMES} HTTP/1.1\r\nhost: {web.address.netloc}\r\ncontent-type: {JSON}\r\n"
        writer.write(f"{head}content-length: 60\r\n\r\n{{".encode())
        answer = await reader.readuntil(b"REQUEST_SLOW")
        writer.close()
        return answer, handled(peer, "EngineService/ListGames", "DEADLINE_EXCEEDED")

    answer, counted = with_web(call)
    assert b"504" in answer
    assert counted == 1


CHUNKED = "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"


def test_trailers_are_not_kept():
    async def call(web, peer):
        reader, writer = await web.open()
        head = f"POST {LIST_GAMES} HTTP/1.1\r\nhost: {web.address.netloc}\r\nconnection: close\r\n"
        # A second content-type would be refused in a head.
        writer.write(f"{head}{CHUNKED}content-type: text/plain\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        return answer

    assert b"200" in with_web(call).partition(b"\r\n")[0]


@pytest.mark.parametrize("trailer", [b"x: y\r\n", b"z"])
def test_trailers_are_bounded(trailer):
    """Not by the time for a request alone, in which they could fill the memory."""

    async def call(web, peer):
        reader, writer = await web.open()
        head = f"POST {LIST_GAMES} HTTP/1.1\r\nhost: {web.address.netloc}\r\n{CHUNKED}t: a"
        writer.write(head.encode() + (b"\r\n" if len(trailer) > 1 else b""))
        writer.write(trailer * (200_000 // len(trailer)))
        answer = await reader.readuntil(b"bytes.")
        writer.close()
        return answer

    answer = with_web(call)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"Chunk sizes and trailers have more than 65536 bytes." in answer


def test_small_chunks_are_read():
    async def call(web, peer):
        reader, writer = await web.open()
        body = json.dumps({"observation": observation()}).encode()
        chunks = b"".join(b"20\r\n%b\r\n" % body[at : at + 32].ljust(32) for at in range(0, len(body), 32))
        head = f"POST /pythia.v1.AdvisorService/LegalMoves HTTP/1.1\r\nhost: {web.address.netloc}\r\n"
        head += "connection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head.encode() + chunks + b"0\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer

    assert with_web(call).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("closing", [True, False])
def test_a_second_request_before_the_answer_ends_the_connection_and_the_call(closing):
    """Otherwise requests could queue without end, and a stream would go on after its reader has gone."""

    async def call(web, peer):
        body = json.dumps(suggestion(seconds=50)).encode()
        reader, writer = await web.open()
        head = f"POST /pythia.v1.AdvisorService/SuggestMove HTTP/1.1\r\nhost: {web.address.netloc}\r\n"
        one = f"{head}content-type: {JSON}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
        writer.write(one)
        await running(peer, 1)
        writer.write(one * 3)
        if closing:
            writer.close()
        else:
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readexactly(1)
        await running(peer, 0)
        while not handled(peer, "AdvisorService/SuggestMove", "CANCELLED"):
            await asyncio.sleep(0.001)
        writer.close()
        return handled(peer, "AdvisorService/SuggestMove", "OK")

    assert with_web(call) == 0


def test_heads_are_bounded():
    async def call(web, peer):
        reader, writer = await web.open()
        writer.write(b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 20_000)
        answer = await reader.read()
        writer.close()
        return answer

    assert b"400" in with_web(call)


# -- pages


def test_pages():
    async def call(web, peer):
        return [await web.get(path) for path in ("/", "/healthz", "/openapi.json")]

    index, health, contract = with_web(call, tokens=TOKENS)
    assert index.status == health.status == contract.status == 200
    assert b"<title>Pythia</title>" in index.body
    assert "default-src 'none'" in index.headers["content-security-policy"]
    assert health.body == b"ok\n"
    listed = {
        f"/{service.full_name}/{method.name}"
        for service in DESCRIPTORS
        for method in service.methods
        if not method.client_streaming
    }
    assert set(contract.json["paths"]) == listed
    # Everything that is referred to is there.
    schemas = contract.json["components"]["schemas"]
    refers = set(re.findall(r'"#/components/schemas/([\w.]+)"', contract.body.decode()))
    assert refers <= set(schemas)
    assert schemas["SubmitMoveRequest"]["properties"]["expected_version"]["format"] == "int64"
    assert schemas["SearchOptions"]["properties"]["priority"]["enum"][0] == "PRIORITY_UNSPECIFIED"
    assert schemas["BotSpec"]["properties"]["parameters"]["additionalProperties"]["type"] == "number"


def test_without_http_there_is_no_port():
    async def go():
        async with serving() as peer:
            return peer.server.http_url

    assert asyncio.run(go()) == ""


def test_without_the_packages_of_the_extra():
    program = """
import asyncio, sys
sys.modules["connectrpc"] = None
from pythia.service.server import Server
async def main():
    async with Server(port=0, http=True, store="memory:", metrics=False):
        pass
asyncio.run(main())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert "http: the package connectrpc is missing; install pythia-opponent[web]" in ran.stderr


def test_a_port_that_is_taken():
    async def go():
        async with Server(port=0, http=True, store="memory:", metrics=False) as first:
            port = int(first.http_url.rpartition(":")[2])
            with pytest.raises(ConfigError, match=f"http_port: {port} cannot be opened"):
                async with Server(port=0, http_port=port, store="memory:", metrics=False):
                    pass

    asyncio.run(go())


# -- many at once


def test_load_over_http_beside_grpc():
    async def call(web, peer):
        async def over_http():
            for _ in range(10):
                assert (await web.call("AdvisorService/LegalMoves", {"observation": seen})).status == 200

        async def over_grpc():
            for _ in range(10):
                await peer.advisor.SuggestMove(
                    advisor_pb2.SuggestMoveRequest(observation=message, options=options(iterations=10))
                )

        await asyncio.gather(*(over_http() for _ in range(8)), *(over_grpc() for _ in range(8)))
        return [
            handled(peer, "AdvisorService/LegalMoves", "OK"),
            handled(peer, "AdvisorService/SuggestMove", "OK", "grpc"),
        ]

    seen, message = observation(), an_observation()
    assert with_web(call) == [80, 80]
