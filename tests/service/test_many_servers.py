"""Several servers on one PostgreSQL store: each knows what any of them has acknowledged, also when one is killed."""

import asyncio
from contextlib import AsyncExitStack

import grpc
import pytest
from grpc_health.v1 import health_pb2

from pythia.clients.client import AsyncClient
from pythia.service import autoplayer, sharing
from pythia.service.sharing import lock_number, read_payload
from pythia.service.store import SCHEMA_VERSION, open_database
from pythia.v1 import advisor_pb2, match_pb2
from tests.plugin_bots import forget_bots, write_bots
from tests.service.serving import PATIENCE, an_observation, bot, options, refusal, serving
from tests.service.test_match import until_move_is_open
from tests.service.web import Caller
from tools.bench.servers import ServerProcess, soak

pytestmark = pytest.mark.integration
SERVING = health_pb2.HealthCheckResponse.SERVING


def with_servers(call, url, count=2, **settings):
    """What `call(*peers)` gives, with several servers on one store."""

    async def go():
        async with AsyncExitStack() as stack:
            peers = [await stack.enter_async_context(serving(store=url, **settings)) for _ in range(count)]
            return await asyncio.wait_for(call(*peers), timeout=PATIENCE)

    return asyncio.run(go())


def watch(peer, made, **fields):
    request = match_pb2.WatchRequest(match_id=made.match.id, seat=0, token=made.seat_tokens[0], **fields)
    return peer.match.Watch(request)


async def heard(stream, count):
    return [(await stream.read()).event.version for _ in range(count)]


async def a_move(peer, made, **fields):
    token = made.seat_tokens[0]
    return await peer.submit(made.match.id, token, (await peer.moves(made.match.id, token))[0], **fields)


def observed(peer, made):
    return peer.match.Observe(
        match_pb2.ObserveRequest(match_id=made.match.id, seat=0, token=made.seat_tokens[0])
    )


def test_every_server_knows_what_one_has_acknowledged(shared_store):
    async def call(one, other):
        made = await one.create(None, bot("random"))
        for _ in range(30):
            match = await other.get(made.match.id)
            if match.to_act:
                request = match_pb2.PlayBotTurnRequest(match_id=match.id, token=made.seat_tokens[0])
                match = (await one.match.PlayBotTurn(request)).match
            else:
                match = (await a_move(one, made)).match
            assert (await observed(other, made)).version == match.version
            assert (await observed(other, made)).observation == (await observed(one, made)).observation
            one, other = other, one

    with_servers(call, shared_store)


def test_readers_at_the_same_time_share_one_look_and_none_is_stale(shared_store):
    async def call(one, other):
        made = await one.create(None, None)
        for _ in range(20):
            match = await one.get(made.match.id)
            token = made.seat_tokens[match.to_act]
            move = (await one.moves(match.id, token))[0]
            early = [asyncio.ensure_future(other.get(match.id)) for _ in range(10)]
            version = (await one.submit(match.id, token, move)).match.version
            late = [other.get(match.id) for _ in range(10)]
            assert {found.version for found in await asyncio.gather(*late)} == {version}
            assert {found.version for found in await asyncio.gather(*early)} <= {match.version, version}

    with_servers(call, shared_store)


def test_who_watches_at_another_server_hears_each_event_once(shared_store):
    async def call(one, other):
        made = await one.create(None, None)
        stream = watch(other, made)
        before = await heard(stream, made.match.version)
        match = made.match
        for _ in range(10):
            token = made.seat_tokens[match.to_act]
            match = (await one.submit(match.id, token, (await one.moves(match.id, token))[0])).match
        after = await heard(stream, match.version - made.match.version)
        assert before + after == list(range(1, match.version + 1))
        stream.cancel()

    with_servers(call, shared_store)


@pytest.mark.parametrize("what", ["a notice is lost", "the connections are lost"])
def test_without_notices_a_watcher_hears_it_a_little_later(shared_store, monkeypatch, what):
    async def call(one, other):
        import psycopg

        made = await one.create(None, None)
        stream = watch(other, made)
        await heard(stream, made.match.version)
        if what == "a notice is lost":
            monkeypatch.setattr(sharing, "read_payload", lambda _: [])
        else:
            async with await psycopg.AsyncConnection.connect(shared_store, autocommit=True) as connection:
                await connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        match = (await a_move(one, made)).match
        assert await heard(stream, 1) == [made.match.version + 1]
        assert (await other.get(match.id)).version == match.version
        stream.cancel()

    with_servers(call, shared_store)


def test_a_token_replaced_at_one_server_is_refused_at_the_other(shared_store):
    async def call(one, other):
        made = await one.create(None, None)
        stream = watch(other, made)
        await heard(stream, made.match.version)
        request = match_pb2.RotateTokenRequest(match_id=made.match.id, token=made.seat_tokens[0])
        new = (await one.match.RotateToken(request)).token
        assert (await refusal(observed(other, made))).reason == "WRONG_TOKEN"
        assert (await refusal(stream.read())).reason == "WRONG_TOKEN"  # the watcher as well, soon
        seen = match_pb2.ObserveRequest(match_id=made.match.id, seat=0, token=new)
        assert (await other.match.Observe(seen)).version == made.match.version

    with_servers(call, shared_store)


def test_a_match_deleted_at_one_server_is_gone_at_the_other(shared_store):
    async def call(one, other):
        made = await one.create(None, None, idempotency_key="again", public=True)
        await other.get(made.match.id)
        stream = watch(other, made)
        await heard(stream, made.match.version)
        request = match_pb2.DeleteMatchRequest(match_id=made.match.id, token=made.owner_token)
        await one.match.DeleteMatch(request)
        gone = match_pb2.GetMatchRequest(match_id=made.match.id)
        assert (await refusal(other.match.GetMatch(gone))).code == grpc.StatusCode.NOT_FOUND
        assert (await refusal(stream.read())).code == grpc.StatusCode.NOT_FOUND

    with_servers(call, shared_store)


def test_a_request_repeated_at_another_server_is_done_once(shared_store):
    async def call(one, other):
        made = await one.create(None, None)
        await other.get(made.match.id)
        token = made.seat_tokens[made.match.to_act]
        move = (await one.moves(made.match.id, token))[0]
        first = await one.submit(made.match.id, token, move, idempotency_key="k")
        again = await other.submit(made.match.id, token, move, idempotency_key="k")
        assert again.events == first.events
        assert (await one.get(made.match.id)).version == first.match.version

    with_servers(call, shared_store)


def test_a_move_taken_back_at_another_server(shared_store):
    async def call(one, other):
        made = await one.create(None, None)
        step, match = await until_move_is_open(one, made, made.match, "sail")
        token = made.seat_tokens[match.to_act]
        before = (await observed(other, made)).observation
        moved = (await one.submit(match.id, token, step)).match
        assert (await observed(other, made)).version == moved.version
        undone = (await other.match.Undo(match_pb2.UndoRequest(match_id=match.id, token=token))).match
        assert undone.version == moved.version + 1
        assert (await observed(one, made)).version == undone.version
        assert (await observed(one, made)).observation == before

    with_servers(call, shared_store)


def test_a_bots_turn_is_played_by_one_server_at_a_time(shared_store):
    import psycopg

    async def locks():
        query = "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database"
        query += " WHERE locktype = 'advisory' AND datname = current_database()"
        async with await psycopg.AsyncConnection.connect(shared_store, autocommit=True) as connection:
            return (await (await connection.execute(query)).fetchone())[0]

    async def call(one, other):
        made = await one.create(bot("ismcts", seconds=50), None)
        match = made.match
        token = made.seat_tokens[1]
        request = match_pb2.PlayBotTurnRequest(match_id=match.id, token=token)
        if match.to_act:
            match = (await one.submit(match.id, token, (await one.moves(match.id, token))[-1])).match
        turn = one.match.PlayBotTurn(request)
        while not await locks():
            await asyncio.sleep(0.02)
        told = await refusal(other.match.PlayBotTurn(request))
        assert told.code == grpc.StatusCode.ABORTED
        assert "another server" in told.words
        # When the first one gives up, the other takes the turn over.
        turn.cancel()
        while await locks():
            await asyncio.sleep(0.02)
        assert (await other.match.PlayBotTurn(request, timeout=10)).match.version > match.version

    with_servers(call, shared_store)


def test_a_caller_who_leaves_at_once_leaves_no_lock_behind(shared_store):
    """A lock that nobody gives back would keep all other servers from playing the bot until this one ends."""

    async def call(peer):
        import psycopg

        links = peer.server._backend._matches._sharing
        while links._speaker is None:
            await asyncio.sleep(0.01)

        async def work():
            async with links.lock("turn/x"):
                pass

        for number in range(200):
            task = asyncio.create_task(work())
            await asyncio.sleep(number * 2e-5)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        while links._unlocking:
            await asyncio.sleep(0.01)
        async with await psycopg.AsyncConnection.connect(shared_store, autocommit=True) as connection:
            query = "SELECT pg_try_advisory_lock(%s)"
            return await (await connection.execute(query, (lock_number("turn/x"),))).fetchone()

    assert with_servers(call, shared_store, count=1) == (True,)


def test_matches_with_nothing_to_do_are_not_looked_at_again_and_again(shared_store, monkeypatch, tmp_path):
    """Neither those that wait for a person nor those whose bot fails, until they have changed."""
    monkeypatch.setattr(autoplayer, "TAKE_OVER_SECONDS", 0.02)
    monkeypatch.syspath_prepend(write_bots(tmp_path))

    async def call(peer):
        player, begun = peer.server._backend._autoplayer, []
        begin = player._begin

        def counted(client, match_id, only_bots):
            begun.append(match_id)
            begin(client, match_id, only_bots)

        monkeypatch.setattr(player, "_begin", counted)
        waits = await peer.create(None, bot("random"), game="keltis", autoplay=match_pb2.Autoplay())
        fails = await peer.create(
            *[bot("broken_bots:Wrong")] * 2, game="keltis", autoplay=match_pb2.Autoplay()
        )
        await asyncio.sleep(1)
        assert begun.count(waits.match.id) <= 2
        assert begun.count(fails.match.id) <= 2
        match = await peer.get(waits.match.id)
        assert match.to_act == 0
        while match.to_act == 0:
            match = (await a_move(peer, waits)).match
        while (await peer.get(match.id)).version == match.version:
            await asyncio.sleep(0.02)
        # The owner can ask for another try.
        before = begun.count(fails.match.id)
        named = {"match_id": fails.match.id, "token": fails.owner_token}
        await peer.match.PauseMatch(match_pb2.PauseMatchRequest(**named))
        await peer.match.ResumeMatch(match_pb2.ResumeMatchRequest(**named))
        while begun.count(fails.match.id) == before:
            await asyncio.sleep(0.02)

    try:
        with_servers(call, shared_store, count=1, bots="broken_bots:Wrong")
    finally:
        forget_bots()


def test_a_quota_holds_for_all_servers_together(shared_store):
    token = "a-token-with-a-quota-0123456789"
    tokens = f'''
[[tokens]]
name = "metered"
token = "{token}"
roles = ["analyse"]
seconds_per_minute = 2
'''

    async def call(*peers):
        """Searches of 0.3 s at each server in turn, until all refuse; the seconds that were granted."""
        request = advisor_pb2.SuggestMoveRequest(
            observation=an_observation(), options=options(seconds=0.3, name="ismcts")
        )
        granted, refused = 0.0, set()
        while len(refused) < len(peers):
            for peer in peers:
                asked = peer.advisor.SuggestMove(request, metadata=(("authorization", f"Bearer {token}"),))
                if await asked.code() == grpc.StatusCode.OK:
                    granted += (await asked).analysis.seconds
                elif await asked.code() == grpc.StatusCode.RESOURCE_EXHAUSTED:
                    refused.add(peer)
                await asyncio.sleep(2 * sharing.BILL_SECONDS)
        return granted

    # On servers of their own the three would grant 5.4 seconds and more.
    assert 1.5 < with_servers(call, shared_store, 3, tokens=tokens) < 3.5


def test_an_autoplay_match_goes_on_when_its_server_is_killed(shared_store):
    async def go():
        node = ServerProcess(shared_store)
        try:
            await node.start()
            made = await node.stub.CreateMatch(
                match_pb2.CreateMatchRequest(
                    game="keltis",
                    seats=[match_pb2.Seat(bot=bot("random"))] * 2,
                    autoplay=match_pb2.Autoplay(seconds_per_move=0.05),
                    public=True,
                )
            )
            async with serving(store=shared_store) as other:
                stream = other.match.Watch(match_pb2.WatchRequest(match_id=made.match.id))
                before = await heard(stream, made.match.version + 5)
                await node.kill()
                after = await heard(stream, 10)
                stream.cancel()
                return before + after
        finally:
            await node.kill()

    versions = asyncio.run(asyncio.wait_for(go(), PATIENCE))
    assert versions == list(range(1, len(versions) + 1))


def test_servers_killed_in_full_play_lose_nothing_acknowledged(shared_store):
    found = asyncio.run(asyncio.wait_for(soak(shared_store, 3, 12, 40, 0.5), 3 * PATIENCE))
    assert found.reads
    assert found.kills
    assert (found.lost, found.stale, found.wrong) == (0, 0, 0)


# -- servers that do not agree, and those that are upgraded


async def health_of(peer):
    return (await peer.health.Check(health_pb2.HealthCheckRequest())).status


async def execute(url, query, *values):
    import psycopg

    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(query, values)


async def told(web, status, *words):
    """Wait until /healthz says so."""
    while True:
        reply = await web.get("/healthz")
        if reply.status == status and all(word in reply.body.decode() for word in words):
            return
        await asyncio.sleep(0.02)


def test_a_server_whose_store_has_got_another_secret_says_so_and_serves_no_more(shared_store, monkeypatch):
    monkeypatch.setattr(sharing, "LOOK_SECONDS", 0.05)

    async def call(peer):
        web = Caller(peer.server)
        await told(web, 200, "ok\n")
        assert await health_of(peer) == SERVING
        await execute(shared_store, "UPDATE meta SET value = %s WHERE name = 'secret'", "ab" * 32)
        await told(web, 503, "broken\n", "secret", "restart this server")
        while await health_of(peer) == SERVING:
            await asyncio.sleep(0.02)
        # Another server takes what it finds, so the two have different secrets.
        async with serving(store=shared_store) as other:
            assert await health_of(other) == SERVING

    with_servers(call, shared_store, 1, http=True)


def test_servers_that_know_other_tokens_are_named(shared_store, monkeypatch):
    monkeypatch.setattr(sharing, "LOOK_SECONDS", 0.05)
    one, more = (
        f'[[tokens]]\nname = "{name}"\ntoken = "{name}-0123456789abcdef"\nroles = ["play"]\n'
        for name in ("one", "more")
    )

    async def call(peer):
        web = Caller(peer.server)
        async with serving(store=shared_store, tokens=one, http=True) as same:
            await told(web, 200, "ok\n")
            async with serving(store=shared_store, tokens=one + more, http=True) as other:
                for old in (peer, same):
                    await told(Caller(old.server), 200, "tokens: ", "give all servers of the store the same")
                await asyncio.sleep(0.2)
                assert (await Caller(other.server).get("/healthz")).body == b"ok\n"

    with_servers(call, shared_store, 1, http=True, tokens=one)


def test_a_lost_listener_is_named_until_it_is_back(shared_store, monkeypatch):
    monkeypatch.setattr(sharing, "FIRST_WAIT", 0.5)
    name = shared_store.rpartition("/")[2]

    async def call(peer):
        web = Caller(peer.server)
        admin = shared_store.replace(f"/{name}", "/postgres")
        await execute(admin, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        await execute(
            admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", name
        )
        await told(web, 200, "ok\n", "listener's connection is lost", "Check the database")
        await execute(admin, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        while (await web.get("/healthz")).body != b"ok\n":
            await asyncio.sleep(0.05)

    with_servers(call, shared_store, 1, http=True)


# A version to come, whose layout has a column more.
NEXT_VERSION = """
from pythia.service import store
store.MIGRATIONS["{now}"] = (("ALTER TABLE matches ADD COLUMN note TEXT NOT NULL DEFAULT ''", tuple),)
store.SCHEMA_VERSION = "next"
from pythia.clients.cli.main import main
main()
""".replace("{now}", SCHEMA_VERSION)


def test_servers_that_open_an_empty_store_at_the_same_time(shared_store):
    async def go():
        stores = [open_database(shared_store) for _ in range(6)]
        secrets = await asyncio.gather(*(asyncio.to_thread(store.open) for store in stores))
        for store in stores:
            await asyncio.to_thread(store.close)
        assert len(set(secrets)) == 1

    asyncio.run(asyncio.wait_for(go(), PATIENCE))


def test_an_upgrade_server_by_server_loses_no_call(shared_store):
    """The old ones go on with a store that a new one has changed; one that starts then refuses it."""

    async def play(client, number, done):
        """A match, move by move, until the servers are new; what was acknowledged, and what is there."""
        made = await client.create_match("keltis", [None, "random"], seed=number)
        match, moves = made.match, 0
        while not (done.is_set() and moves >= 5):
            if match.status == "over":
                made = await client.create_match("keltis", [None, "random"])
                match = made.match
            token = made.seat_tokens[0]
            if match.to_act == 0:
                legal = await client.match_moves(match.id, token)
                match = (await client.submit_move(match.id, legal.moves[0], token)).match
            else:
                match = (await client.bot_turn(match.id, token)).match
            assert (await client.match(match.id)).version == match.version
            moves += 1
        return moves

    async def go():
        nodes = [ServerProcess(shared_store) for _ in range(2)]
        try:
            for node in nodes:
                await node.start()
            addresses = [node.address for node in nodes]
            done = asyncio.Event()
            async with AsyncClient(",".join(addresses), retries=20) as client:
                players = [asyncio.create_task(play(client, number, done)) for number in range(4)]
                for number, address in enumerate(addresses):
                    await nodes[number].stop()
                    nodes.append(ServerProcess(shared_store, int(address.rpartition(":")[2]), NEXT_VERSION))
                    await nodes[-1].start()
                done.set()
                assert all(await asyncio.gather(*players))
            old = ServerProcess(shared_store)
            nodes.append(old)
            await asyncio.to_thread(old.process.communicate)
            assert old.process.returncode
        finally:
            for node in nodes:
                await node.kill()

    asyncio.run(asyncio.wait_for(go(), 3 * PATIENCE))


def test_a_running_server_says_that_a_newer_one_has_changed_the_store(shared_store, monkeypatch):
    monkeypatch.setattr(sharing, "LOOK_SECONDS", 0.05)

    async def call(peer):
        made = await peer.create(None, None)
        new = ServerProcess(shared_store, serve=NEXT_VERSION)
        try:
            await new.start()
            await told(Caller(peer.server), 200, "ok\n", "layout", "upgrade this server")
            assert (await a_move(peer, made)).match.version > made.match.version
        finally:
            await new.kill()

    with_servers(call, shared_store, 1, http=True)


def test_payloads_of_others_are_ignored():
    assert read_payload('[["m", 3]]') == [("m", 3)]
    for text in ("", "x", "3", "null", "[3]", '[["m"]]', '[[3, "m"]]', '{"m": 3}'):
        assert read_payload(text) == []


def test_lock_numbers_fit_postgres():
    numbers = [lock_number(str(match)) for match in range(1000)]
    assert len(set(numbers)) == 1000
    assert all(-(2**63) <= number < 2**63 for number in numbers)
