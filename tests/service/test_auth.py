"""Tokens, roles, quotas and certificates."""

import asyncio
import datetime
import io
import ipaddress
import json
import logging

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from grpc_health.v1 import health_pb2, health_pb2_grpc

from pythia.service.auth import Caller, Quotas, digest
from pythia.service.config import ConfigError
from pythia.service.logs import LOG, JsonFormatter
from pythia.service.server import Server
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2
from tests.service.serving import Peer, an_observation, bot, options, refusal, with_server

Code = grpc.StatusCode
PLAYER, ANALYST, BOSS = "player-token-0123456789", "analyst-token-0123456789", "boss-token-0123456789"
TOKENS = f"""
[[tokens]]
name = "player"
token = "{PLAYER}"
roles = ["play"]

[[tokens]]
name = "analyst"
sha256 = "{digest(ANALYST)}"
roles = ["analyse"]
concurrent_searches = 1

[[tokens]]
name = "boss"
token = "{BOSS}"
roles = ["admin"]
"""


def bearer(token):
    return (("authorization", f"Bearer {token}"),)


# Valid until yesterday, and until long after this test.
EXPIRED, LASTING = "expired-token-0123456789", "lasting-token-0123456789"
LIMITED = f"""
[[tokens]]
name = "expired"
token = "{EXPIRED}"
roles = ["play"]
expires = {datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)}

[[tokens]]
name = "lasting"
token = "{LASTING}"
roles = ["play"]
expires = 9999-12-31T00:00:00Z
"""


def create(peer, token):
    request = match_pb2.CreateMatchRequest(
        game="delphi", seats=[match_pb2.Seat(), match_pb2.Seat(bot=bot("greedy"))], seed=1
    )
    return peer.match.CreateMatch(request, metadata=bearer(token))


def suggest(peer, token, **limit):
    request = advisor_pb2.SuggestMoveRequest(observation=an_observation(), options=options(**limit))
    return peer.advisor.SuggestMove(request, metadata=bearer(token))


def test_roles():
    async def call(peer):
        info = engine_pb2.GetServerInfoRequest()
        await peer.engine.GetServerInfo(info, metadata=bearer(PLAYER))
        made = await create(peer, PLAYER)
        await create(peer, BOSS)
        await suggest(peer, ANALYST, iterations=5)
        await suggest(peer, BOSS, iterations=5)
        await peer.health.Check(health_pb2.HealthCheckRequest())
        found = [
            await refusal(peer.engine.GetServerInfo(info)),
            await refusal(peer.engine.GetServerInfo(info, metadata=bearer("wrong" + PLAYER))),
            await refusal(peer.engine.GetServerInfo(info, metadata=(("authorization", PLAYER),))),
            await refusal(suggest(peer, PLAYER, iterations=5)),
            await refusal(create(peer, ANALYST)),
        ]
        # An admin may do what an owner may.
        request = match_pb2.DeleteMatchRequest(match_id=made.match.id)
        assert (await refusal(peer.match.DeleteMatch(request, metadata=bearer(PLAYER)))).fields == ["token"]
        await peer.match.DeleteMatch(request, metadata=bearer(BOSS))
        return found

    found = with_server(call, tokens=TOKENS)
    assert [refused.code for refused in found] == [Code.UNAUTHENTICATED] * 3 + [Code.PERMISSION_DENIED] * 2
    assert [refused.reason for refused in found] == ["NO_TOKEN", "BAD_TOKEN", "BAD_TOKEN"] + [
        "ROLE_NEEDED"
    ] * 2


def test_tokens_expire():
    async def call(peer):
        await create(peer, LASTING)
        return await refusal(create(peer, EXPIRED))

    refused = with_server(call, tokens=LIMITED)
    assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "TOKEN_EXPIRED")
    assert "has expired" in refused.words


def test_concurrent_searches_of_a_token():
    async def call(peer):
        running = suggest(peer, ANALYST, seconds=30)
        registry = peer.server.metrics.registry
        while not registry.get_sample_value("pythia_searches_running"):
            await asyncio.sleep(0.001)
        refused = await refusal(suggest(peer, ANALYST, iterations=1))
        running.cancel()
        while registry.get_sample_value("pythia_searches_running"):
            await asyncio.sleep(0.001)
        await suggest(peer, ANALYST, iterations=1)
        return refused

    refused = with_server(call, tokens=TOKENS)
    assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_SEARCHES")
    assert refused.retry


def test_logs_have_request_ids_and_never_a_token():
    written = io.StringIO()

    async def call(peer):
        handler = logging.StreamHandler(written)
        handler.setFormatter(JsonFormatter())
        LOG.handlers = [handler]
        made = await create(peer, PLAYER)
        request = match_pb2.ObserveRequest(match_id=made.match.id, seat=0, token=made.owner_token)
        refused = await refusal(
            peer.match.Observe(request, metadata=(*bearer(PLAYER), ("x-request-id", "my-own-id")))
        )
        await refusal(create(peer, "wrong-" + PLAYER))
        return made, refused

    made, refused = with_server(call, tokens=TOKENS, log_level="info")
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    calls = [line for line in lines if line["message"] == "call"]
    assert [line["code"] for line in calls] == ["OK", "PERMISSION_DENIED", "UNAUTHENTICATED"]
    assert calls[1]["request_id"] == "my-own-id"
    assert "my-own-id" in str(refused.status)
    assert {line["client"] for line in calls} == {"player", ""}
    for secret in (PLAYER, *made.seat_tokens[:1], made.owner_token):
        assert secret not in written.getvalue()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "not TOML"),
        ("a = 1", r"has no \[\[tokens\]\]"),
        ('[[tokens]]\nname = "a"\nroles = ["play"]', "either token or sha256"),
        ('[[tokens]]\nname = "a"\ntoken = "short"\nroles = ["play"]', "too short"),
        (f'[[tokens]]\nname = "a"\ntoken = "{PLAYER}"\nroles = ["king"]', "allowed: a list of play"),
        (f'[[tokens]]\nname = "a"\ntoken = "{PLAYER}"\nroles = ["play"]\nconcurrent_searches = 0', "above 0"),
        (f'[[tokens]]\nname = "a"\ntoken = "{PLAYER}"\nroles = ["play"]\nx = 0', "allowed: name, token"),
        (
            f'[[tokens]]\nname = "a"\ntoken = "{PLAYER}"\nroles = ["play"]\nexpires = 2030-12-31',
            "with its zone",
        ),
        (TOKENS + TOKENS, "duplicate name or token"),
    ],
)
def test_bad_tokens_are_named_without_showing_them(text, words):
    with pytest.raises(ConfigError, match=words) as caught:
        Server(port=0, store="memory:", tokens=text)
    assert PLAYER not in str(caught.value)


# -- certificates


def key_pair(folder, name, issuer=None, authority=False):
    """A certificate for 127.0.0.1 and its key as files, signed by itself or by `issuer`."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signer_name, signer_key = issuer or (subject, key)
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer_name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .sign(signer_key, hashes.SHA256())
    )
    cert_file, key_file = folder / f"{name}.crt", folder / f"{name}.key"
    cert_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    key_file.chmod(0o600)
    return cert_file, key_file, (subject, key)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    authority, _, issuer = key_pair(folder, "authority", authority=True)
    server = key_pair(folder, "server", issuer)
    client = key_pair(folder, "client", issuer)
    stranger = key_pair(folder, "stranger")
    return authority, server, client, stranger


def with_tls(certificates, credentials, call, **settings):
    _, (cert, key, _), _, _ = certificates

    async def go():
        async with (
            Server(
                port=0, store="memory:", metrics=False, tls_cert=str(cert), tls_key=str(key), **settings
            ) as server,
            grpc.aio.secure_channel(server.address, credentials) as channel,
        ):
            return await asyncio.wait_for(call(Peer(server, channel)), timeout=30)

    return asyncio.run(go())


def info(peer):
    return peer.engine.GetServerInfo(engine_pb2.GetServerInfoRequest(), timeout=10)


def test_tls(certificates):
    credentials = grpc.ssl_channel_credentials(certificates[0].read_bytes())

    async def call(peer):
        async with grpc.aio.insecure_channel(peer.server.address) as plain:
            refused = await refusal(
                health_pb2_grpc.HealthStub(plain).Check(health_pb2.HealthCheckRequest(), timeout=10)
            )
        return (await info(peer)).name, refused.code

    assert with_tls(certificates, credentials, call) == ("pythia", Code.UNAVAILABLE)


def test_mutual_tls(certificates):
    authority, _, client, stranger = certificates

    def credentials(pair):
        files = [pair[1].read_bytes(), pair[0].read_bytes()] if pair else [None, None]
        return grpc.ssl_channel_credentials(authority.read_bytes(), *files)

    settings = {"tls_client_ca": str(authority)}
    assert with_tls(certificates, credentials(client), info, **settings).name == "pythia"
    for pair in (None, stranger):
        refused = with_tls(certificates, credentials(pair), lambda peer: refusal(info(peer)), **settings)
        assert refused.code == Code.UNAVAILABLE


def test_beyond_loopback_needs_encryption_and_a_check_of_who_calls(certificates, tmp_path):
    _, (cert, key, _), _, _ = certificates
    tls = {"tls_cert": str(cert), "tls_key": str(key)}
    for settings, words in (
        ({}, "without encryption"),
        ({"tokens": TOKENS}, "without encryption"),
        (tls, "everyone may call"),
        ({"tls_cert": str(cert)}, "tls_key: is missing"),
        ({"tls_client_ca": str(cert)}, "tls_client_ca: needs"),
    ):
        with pytest.raises(ConfigError, match=words):
            Server(host="0.0.0.0", port=0, store="memory:", **settings)
    Server(host="0.0.0.0", port=0, store="memory:", tokens=TOKENS, **tls)
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(TOKENS)
    tokens.chmod(0o644)
    with pytest.raises(ConfigError, match="can be read by others"):
        Server(port=0, store="memory:", tokens_file=str(tokens))
    tokens.chmod(0o600)
    Server(port=0, store="memory:", tokens_file=str(tokens))


def test_a_certificate_that_is_none(certificates, tmp_path):
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    empty.chmod(0o600)

    async def go():
        await Server(port=0, store="memory:", tls_cert=str(empty), tls_key=str(empty)).__aenter__()

    with pytest.raises(ConfigError, match="not a PEM file"):
        asyncio.run(go())


def test_a_bill_that_the_store_did_not_take_is_kept():
    quotas = Quotas(is_shared=True)
    caller = Caller("somebody", frozenset(), seconds_per_minute=60.0)
    quotas.end(quotas.begin(caller, 1, 4.0), 4.0)
    (seconds, rate) = quotas.unsettled()["somebody"]
    quotas.unsettle("somebody", seconds, rate)
    quotas.settle("somebody", 0.0)  # what the store knows, which is not this
    assert quotas.unsettled() == {"somebody": (pytest.approx(4.0), 60.0)}
