"""The log of matches: what is acknowledged is there, also after `kill -9`."""

import asyncio
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import grpc
import pytest

from pythia.service.config import ConfigError
from pythia.service.metrics import Metrics
from pythia.service.store import Conflict, Event, Header, Key, Store, open_database
from pythia.v1 import match_pb2
from tests.service.serving import PATIENCE, Peer, bot, serving, with_server

SERVE = "from pythia.clients.cli.main import main; main()"


def header(name="m1", created=1.0):
    return Header(name, "delphi", created, {"players": 2}, [{"name": "a"}, {"name": "b"}], {"x": 1}, 7, False)


def with_store(call, url="memory:"):
    async def go():
        store = Store(url, Metrics())
        await store.open()
        try:
            return await call(store)
        finally:
            store.close()

    return asyncio.run(go())


async def exercise(store):
    """What every database must do."""
    events = [Event(-1, "move", "roll", [1], 2.0), Event(0, "move", "end", [], 3.0)]
    assert await store.create(header(), events[:1], False)
    assert not await store.create(header(), [], False)
    await store.append("m1", 1, events[1:], False, ("key", "print"))
    with pytest.raises(Conflict):
        await store.append("m1", 1, events[1:], False)
    with pytest.raises(Conflict):
        await store.append("no such", 0, events, False)
    stored = await store.load("m1")
    assert (stored.header, stored.events) == (header(), events)
    assert await store.key("m1", "key") == Key("print", 2, 2)
    assert await store.key("m1", "other") is None
    assert await store.load("no such") is None
    assert await store.create(header("m2", 2.0), [], True)
    assert await store.count_active() == 1
    assert [row.id for row in await store.page(10, None, None, None)] == ["m2", "m1"]
    assert [row.id for row in await store.page(10, (2.0, "m2"), None, None)] == ["m1"]
    assert [row.id for row in await store.page(10, None, True, "delphi")] == ["m2"]
    assert await store.page(10, None, None, "chess") == []
    assert await store.delete("m1")
    assert not await store.delete("m1")
    assert await store.load("m1") is None


def test_the_log_in_memory():
    with_store(exercise)


def test_the_log_in_sqlite(tmp_path):
    url = f"sqlite:{tmp_path / 'deep' / 'matches.sqlite'}"
    with_store(exercise, url)
    secrets = [open_database(url).open() for _ in range(2)]
    assert secrets[0] == secrets[1], "tokens must outlive the server"
    mode = sqlite3.connect(tmp_path / "deep" / "matches.sqlite").execute("PRAGMA journal_mode").fetchone()
    assert mode == ("wal",)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://x", "allowed: sqlite:PATH"),
        ("sqlite:", "allowed: sqlite:PATH"),
        ("sqlite:/proc/nowhere/x.sqlite", "cannot be opened"),
        ("postgresql://user:topsecret@127.0.0.1:1/x", "cannot be opened"),
    ],
)
def test_a_store_that_cannot_be_opened(url, words, capsys):
    async def nothing(store):
        return None

    with pytest.raises(ConfigError, match=words) as caught:
        with_store(nothing, url)
    assert "topsecret" not in str(caught.value)


def test_a_layout_of_another_version(tmp_path):
    path = tmp_path / "x.sqlite"
    open_database(f"sqlite:{path}").open()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE name = 'schema'")
    with pytest.raises(ConfigError, match="layout '99'"):
        open_database(f"sqlite:{path}").open()


def test_matches_that_left_memory_are_read_again(tmp_path):
    async def call(peer):
        made = [await peer.create(None, bot("greedy"), seed=seed) for seed in range(4)]
        for answer in made:
            token = answer.seat_tokens[0]
            move = (await peer.moves(answer.match.id, token))[0]
            await peer.submit(answer.match.id, token, move)
        return [(await peer.get(answer.match.id)).version - answer.match.version for answer in made]

    assert all(change > 0 for change in with_server(call, max_matches=1))


# -- kill -9


async def play_until_killed(process, address, matches):
    """Submit moves in several matches at once until the server is gone; the versions that it acknowledged."""
    acknowledged = {}

    async def play(peer, made):
        match, token = made.match, made.seat_tokens[0]
        acknowledged[match.id] = (match.version, token)
        while True:
            if match.status == match_pb2.MATCH_STATUS_OVER:
                return
            if match.to_act == 0:
                move = (await peer.moves(match.id, token))[-1]
                match = (await peer.submit(match.id, token, move)).match
            else:
                request = match_pb2.StreamBotTurnRequest(match_id=match.id, token=token)
                async for played in peer.match.StreamBotTurn(request):
                    match = played.match
                    acknowledged[match.id] = (match.version, token)
            acknowledged[match.id] = (match.version, token)

    async with grpc.aio.insecure_channel(address) as channel:
        peer = Peer(None, channel)
        made = [await peer.create(None, bot("greedy"), seed=seed) for seed in range(matches)]
        players = [asyncio.ensure_future(play(peer, answer)) for answer in made]
        while sum(version for version, _ in acknowledged.values()) < 60 * matches:
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        results = await asyncio.gather(*players, return_exceptions=True)
        assert all(isinstance(result, (grpc.aio.AioRpcError, type(None))) for result in results), results
    return acknowledged


def crash_test(url):
    """Kill a server in full play; a new one on the same store knows all it acknowledged, and the games go on."""
    environment = os.environ | {"PYTHIA_STORE": url, "PYTHIA_PORT": "0", "PYTHIA_METRICS": "false"}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve"], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        address = process.stdout.readline().split()[-1]
        acknowledged = asyncio.run(
            asyncio.wait_for(play_until_killed(process, address, matches=4), timeout=PATIENCE)
        )
    finally:
        process.kill()
        process.communicate()

    async def go_on():
        async with serving(store=url) as peer:
            for match_id, (version, token) in acknowledged.items():
                match = await peer.get(match_id)
                assert match.version >= version, "an acknowledged move is lost"
                while match.status == match_pb2.MATCH_STATUS_ACTIVE and match.to_act != 0:
                    request = match_pb2.PlayBotTurnRequest(match_id=match_id, token=token)
                    match = (await peer.match.PlayBotTurn(request)).match
                if match.status == match_pb2.MATCH_STATUS_ACTIVE:
                    move = (await peer.moves(match_id, token))[0]
                    assert (await peer.submit(match_id, token, move)).match.version > version

    asyncio.run(asyncio.wait_for(go_on(), timeout=PATIENCE))


def test_kill_9_loses_nothing_acknowledged_in_sqlite(tmp_path):
    crash_test(f"sqlite:{tmp_path / 'matches.sqlite'}")


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    """A PostgreSQL of our own on loopback; it refuses to run as root, so as root it runs as `postgres`."""
    folder = tmp_path_factory.mktemp("postgres")
    found = shutil.which("pg_ctl") or max(map(str, Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")))
    tools = Path(found).resolve().parent
    become = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    for parent in (folder, *folder.parents):
        if os.getuid() == 0 and parent != Path("/tmp") and Path("/tmp") in parent.parents:
            parent.chmod(0o755)
    data = folder / "data"
    if become:
        shutil.chown(folder, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def run(*command):
        subprocess.run([*become, *map(str, command)], check=True, capture_output=True, cwd="/")

    run(tools / "initdb", "-D", data, "-U", "pythia", "-A", "trust")
    settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=on"
    run(tools / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", settings, "start")
    yield f"postgresql://pythia@127.0.0.1:{port}/postgres"
    run(tools / "pg_ctl", "-D", data, "-m", "immediate", "stop")


@pytest.mark.integration
def test_the_log_in_postgres(postgres):
    with_store(exercise, postgres)


@pytest.mark.integration
def test_kill_9_loses_nothing_acknowledged_in_postgres(postgres):
    crash_test(postgres)


@pytest.mark.integration
def test_a_broken_connection_is_made_anew(postgres):
    async def call(store):
        import psycopg

        assert await store.create(header("broken"), [], False)
        with psycopg.connect(postgres, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                " AND datname = 'postgres'"
            )
        assert (await store.load("broken")).header == header("broken")

    with_store(call, postgres)
