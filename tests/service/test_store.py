"""The log of matches: what is acknowledged is there, also after `kill -9`."""

import asyncio
import hashlib
import hmac
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from pythia.core_cy import Random, list_games, load_game, state_from_json
from pythia.service.config import ConfigError
from pythia.service.metrics import Metrics
from pythia.service.store import (
    Event,
    Header,
    Key,
    MatchStore,
    Rotation,
    TooMany,
    VersionConflict,
    open_database,
)
from pythia.v1 import match_pb2
from tests.service.serving import PATIENCE, Peer, bot, refusal, serving, with_server

GAMES = list_games()[:2]
SERVE = "from pythia.clients.cli.main import main; main()"


def header(name="m1", created=1.0):
    return Header(name, "delphi", created, {"players": 2}, [{"name": "a"}, {"name": "b"}], {"x": 1}, 7, False)


def with_store(call, url="memory:"):
    async def go():
        store = MatchStore(url, Metrics())
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
    with pytest.raises(VersionConflict):
        await store.append("m1", 1, events[1:], False)
    with pytest.raises(VersionConflict):
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
    assert await store.delete("m2")


async def pages(store):
    """Pages of one owner or all, of one status or game or all, in one order."""
    made = []
    for number in range(40):
        owner, game = ("ann", "bob")[number % 2], GAMES[number // 2 % 2]
        new = replace(header(f"p{number:02}", float(number // 3)), owner=owner, game=game)
        assert await store.create(new, [], number % 5 == 0)
        made.append((new, number % 5 == 0))
    made.sort(key=lambda pair: (pair[0].created, pair[0].id), reverse=True)
    for owner in (None, "ann", "bob", "nobody"):
        for game in (None, *GAMES):
            for over in (None, True, False):
                wanted = [
                    new.id
                    for new, is_over in made
                    if owner in (None, new.owner) and game in (None, new.game) and over in (None, is_over)
                ]
                found, before = [], None
                while page := await store.page(3, before, over, game, owner):
                    found += [row.id for row in page]
                    before = (page[-1].created, page[-1].id)
                assert found == wanted
    for new, _ in made:
        await store.delete(new.id)


async def bounds(store):
    """How many matches an owner may have, and matches that nobody has touched for long."""
    for name in ("b1", "b2"):
        assert await store.create(replace(header(name), owner="ann"), [], name == "b2", 2)
    with pytest.raises(TooMany):
        await store.create(replace(header("b3"), owner="ann"), [], False, 2)
    assert await store.load("b3") is None
    assert not await store.create(replace(header("b2"), owner="ann"), [], False, 2)
    assert await store.create(replace(header("b3"), owner="bob"), [], False, 2)
    assert await store.expired(True, time.time() + 1, 10) == ["b2"]
    assert await store.expired(False, time.time() + 1, 10) == ["b1", "b3"]
    assert await store.expired(False, time.time() + 1, 1) == ["b1"]
    assert await store.expired(False, time.time() - 60, 10) == []
    assert not await store.delete("b1", time.time() - 60)
    assert await store.load("b1") is not None
    for name in ("b1", "b2", "b3"):
        assert await store.delete(name, time.time() + 1)


async def rotations(store):
    assert await store.create(header("r"), [], False)
    once = {"0": Rotation(1, "digest")}
    await store.rotate("r", {}, once)
    with pytest.raises(VersionConflict):
        await store.rotate("r", {}, {"1": Rotation(1)})
    await store.rotate("r", once, once | {"owner": Rotation(1)})
    assert (await store.load("r")).rotations == once | {"owner": Rotation(1)}
    await store.delete("r")


async def everything(store):
    for part in (exercise, pages, bounds, rotations):
        await part(store)


def test_the_log_in_memory():
    with_store(everything)


def test_the_log_in_sqlite(tmp_path):
    url = f"sqlite:{tmp_path / 'deep' / 'matches.sqlite'}"
    with_store(everything, url)
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
    with pytest.raises(ConfigError, match=r"layout '99'.*upgrade this server"):
        open_database(f"sqlite:{path}").open()


# -- the layout of version 0.1.0

OLD_SCHEMA = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE matches (id TEXT PRIMARY KEY, game TEXT NOT NULL, created DOUBLE PRECISION NOT NULL,"
    " version INTEGER NOT NULL, over INTEGER NOT NULL, seats TEXT NOT NULL, header TEXT NOT NULL)",
    "CREATE INDEX matches_by_time ON matches (created, id)",
    "CREATE TABLE events (match_id TEXT NOT NULL, version INTEGER NOT NULL, data TEXT NOT NULL,"
    " PRIMARY KEY (match_id, version))",
    "CREATE TABLE keys (match_id TEXT NOT NULL, name TEXT NOT NULL, fingerprint TEXT NOT NULL,"
    " first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (match_id, name))",
)
OLD_SECRET = "5e" * 32


def make_old_store(execute):
    """What 0.1.0 would have written: a match of two people, made a year ago."""
    for statement in OLD_SCHEMA:
        execute(statement)
    for pair in (("schema", "1"), ("secret", OLD_SECRET)):
        execute("INSERT INTO meta VALUES (?, ?)", pair)
    start = load_game("delphi", players=2, seed=7).new_state().to_json()
    seats = [{"name": "Ada"}, {"name": "Bo"}]
    made = {
        "id": "0123456789abcdef01234567",
        "game": "delphi",
        "created": time.time() - 365 * 86_400,
        "options": {"players": 2},
        "seats": seats,
        "start": start,
        "seed": 7,
        "real_dice": False,
        "fingerprint": "",
    }
    state, luck, events = state_from_json(start), Random(1), []
    while state.to_act < 0:
        text = str(state.sample_chance(luck))
        events.append({"by": -1, "kind": "move", "text": text, "hidden_from": [], "time": 1.0})
        state.apply(text)
    execute(
        "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?)",
        (made["id"], "delphi", made["created"], len(events), 0, json.dumps(seats), json.dumps(made)),
    )
    for number, event in enumerate(events, start=1):
        execute("INSERT INTO events VALUES (?, ?, ?)", (made["id"], number, json.dumps(event)))


def check_old_store(url):
    """The match goes on with the tokens that were given out, and is not taken for an old one at once."""

    async def go():
        async with serving(store=url, keep_idle_days=30.0) as peer:
            (summary,) = (await peer.match.ListMatches(match_pb2.ListMatchesRequest())).matches
            match = await peer.get(summary.id)
            assert match.reproducible, "0.1.0 mixed no secret in"
            message = f"{match.id}/{match.to_act}".encode()
            token = hmac.new(bytes.fromhex(OLD_SECRET), message, hashlib.sha256).hexdigest()
            move = (await peer.moves(match.id, token))[0]
            after = (await peer.submit(match.id, token, move)).match
            assert after.version > match.version
            request = match_pb2.RotateTokenRequest(match_id=match.id, token=token)
            new = (await peer.match.RotateToken(request)).token
        async with serving(store=url) as peer:
            assert (await peer.get(match.id)).version == after.version
            see = {"match_id": match.id, "seat": match.to_act}
            await peer.match.Observe(match_pb2.ObserveRequest(token=new, **see))
            refused = await refusal(peer.match.Observe(match_pb2.ObserveRequest(token=token, **see)))
            assert refused.reason == "WRONG_TOKEN"

    asyncio.run(asyncio.wait_for(go(), timeout=PATIENCE))


def test_a_store_of_version_0_1_0_in_sqlite(tmp_path):
    path = tmp_path / "old.sqlite"
    path.touch(mode=0o600)
    with sqlite3.connect(path) as connection:
        make_old_store(connection.execute)
    check_old_store(f"sqlite:{path}")


# -- who may read the file, and its secret


def test_a_new_file_is_its_owners_alone(tmp_path):
    path = tmp_path / "x.sqlite"
    before = os.umask(0)
    try:
        with_store(exercise, f"sqlite:{path}")
        database = open_database(f"sqlite:{path}")
        database.open()
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
        database.close()
    finally:
        os.umask(before)
    assert set(modes) >= {"x.sqlite", "x.sqlite-wal"}
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("part", ["", "-wal", "-shm"])
def test_a_file_that_others_can_read_is_refused(tmp_path, part):
    path = tmp_path / "x.sqlite"
    database = open_database(f"sqlite:{path}")
    database.open()
    Path(f"{path}{part}").chmod(0o640)
    with pytest.raises(ConfigError, match=rf"x.sqlite{part}' can be read by others.*chmod 600"):
        open_database(f"sqlite:{path}").open()
    Path(f"{path}{part}").chmod(0o600)
    open_database(f"sqlite:{path}").open()
    database.close()


@pytest.mark.parametrize("secret", ["", "ab", "x" * 64, "5e" * 31, " " + "5e" * 32, None])
def test_a_secret_that_is_empty_or_damaged_is_refused(tmp_path, secret):
    url = f"sqlite:{tmp_path / 'x.sqlite'}"
    open_database(url).open()
    with sqlite3.connect(tmp_path / "x.sqlite") as connection:
        if secret is None:
            connection.execute("DELETE FROM meta WHERE name = 'secret'")
        else:
            connection.execute("UPDATE meta SET value = ? WHERE name = 'secret'", (secret,))
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"store: its secret .* is empty or damaged; restore it"):
            open_database(url).open()


# -- lists


def test_a_page_is_read_from_an_index_in_its_order(tmp_path):
    url = f"sqlite:{tmp_path / 'x.sqlite'}"
    database = open_database(url)
    database.open()
    statements = []
    database._connection.set_trace_callback(statements.append)
    for owner in (None, "ann"):
        for game in (None, "delphi"):
            for over in (None, True):
                for before in (None, (3.0, "x")):
                    database.page(50, before, over, game, owner)
    database._connection.set_trace_callback(None)
    selects = [text for text in statements if text.startswith("SELECT")]
    assert len(selects) == 16
    for text in selects:
        plan = [row[3] for row in database._connection.execute(f"EXPLAIN QUERY PLAN {text}")]
        reads = [step for step in plan if "matches" in step]
        assert reads
        assert all(step.startswith("SEARCH") and "INDEX" in step for step in reads), plan
    database.close()


def test_a_list_does_not_wait_for_what_is_written(tmp_path):
    async def call(store):
        assert await store.create(header(), [], False)
        free = threading.Event()
        busy = asyncio.get_running_loop().run_in_executor(store._main.thread, free.wait)
        try:
            return [row.id for row in await asyncio.wait_for(store.page(10), timeout=10)]
        finally:
            free.set()
            await busy

    assert with_store(call, f"sqlite:{tmp_path / 'x.sqlite'}") == ["m1"]


# -- retention


def test_old_matches_are_removed(tmp_path):
    """Finished and idle ones by settings of their own, with their events, and from memory."""
    url = f"sqlite:{tmp_path / 'x.sqlite'}"

    async def go():
        names = {}
        async with serving(store=url) as peer:
            for name in ("over, old", "over, new", "idle, old", "idle, new"):
                made = await peer.create(None, None)
                names[made.match.id] = name
                if name.startswith("over"):
                    request = match_pb2.ResignRequest(match_id=made.match.id, token=made.seat_tokens[0])
                    await peer.match.Resign(request)
        with sqlite3.connect(tmp_path / "x.sqlite") as connection:
            for match_id, name in names.items():
                if name.endswith("old"):
                    connection.execute(
                        "UPDATE matches SET updated = updated - 10 * 86400 WHERE id = ?", (match_id,)
                    )
        left = []
        for settings in ({}, {"keep_finished_days": 5.0}, {"keep_idle_days": 5.0}):
            async with serving(store=url, **settings) as peer:
                while True:
                    page = await peer.match.ListMatches(match_pb2.ListMatchesRequest())
                    found = {names[match.id] for match in page.matches}
                    if len(found) == 4 - len(left):
                        break
                    await asyncio.sleep(0.01)
            left.append(found)
        return left

    left = asyncio.run(asyncio.wait_for(go(), timeout=PATIENCE))
    assert left[0] == {"over, old", "over, new", "idle, old", "idle, new"}
    assert left[1] == {"over, new", "idle, old", "idle, new"}
    assert left[2] == {"over, new", "idle, new"}
    with sqlite3.connect(tmp_path / "x.sqlite") as connection:
        (events,) = connection.execute("SELECT count(DISTINCT match_id) FROM events").fetchone()
    assert events == 2


def test_a_match_in_use_is_removed_from_memory_too():
    async def call(peer):
        made = await peer.create(None, None)
        watch = peer.match.Watch(match_pb2.WatchRequest(match_id=made.match.id))
        await watch.read()
        matches = peer.server._backend._matches
        await matches._remove(False, time.time() - 60)
        await peer.get(made.match.id)
        await matches._remove(False, time.time() + 1)
        return await refusal(peer.match.GetMatch(match_pb2.GetMatchRequest(match_id=made.match.id)))

    assert with_server(call).code == grpc.StatusCode.NOT_FOUND


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


@pytest.mark.integration
def test_the_log_in_postgres(postgres):
    with_store(everything, postgres)


@pytest.mark.integration
def test_a_store_of_version_0_1_0_in_postgres(postgres):
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE old")
    url = postgres.replace("/postgres", "/old")
    with psycopg.connect(url) as connection:
        make_old_store(lambda sql, values=(): connection.execute(sql.replace("?", "%s"), values))
    check_old_store(url)


@pytest.mark.integration
def test_a_damaged_secret_in_postgres(postgres):
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE damaged")
    url = postgres.replace("/postgres", "/damaged")
    database = open_database(url)
    database.open()
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE meta SET value = '' WHERE name = 'secret'")
    with pytest.raises(ConfigError, match="empty or damaged"):
        database.open()
    database.close()


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
