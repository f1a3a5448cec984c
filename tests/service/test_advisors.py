"""Match servers that hand searches to advisors: the same answers, and no match is lost with an advisor."""

import asyncio
import logging
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from importlib.metadata import version

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from pythia.core_cy import list_games
from pythia.service import advisors
from pythia.service.config import Config, ConfigError, load_config
from pythia.service.logs import LOG
from pythia.service.scheduler import LOW, NORMAL, Scheduler
from pythia.v1 import engine_pb2, engine_pb2_grpc, match_pb2
from tests.service.serving import PATIENCE, bot, options, refusal, serving
from tests.service.web import Caller
from tools.bench.servers import ServerProcess

Code = grpc.StatusCode
TOKEN = "a-token-for-advisors-0123456789"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine is no reason to think that an advisor is gone."""
    monkeypatch.setattr(advisors, "ANSWER_SECONDS", PATIENCE)


def tokens(name="matches", roles=("analyse", "urgent"), **quotas):
    lines = [f'name = "{name}"', f'token = "{TOKEN}"', f"roles = {list(roles)}"]
    lines += [f"{key} = {value}" for key, value in quotas.items()]
    return "\n".join(["[[tokens]]", *lines])


def with_advisors(call, count=2, offered=None, **settings):
    """What `call(peer, advisors)` gives: a match server that uses advisors, and those."""

    async def go():
        async with AsyncExitStack() as stack:
            helpers = [await stack.enter_async_context(serving(**offered or {})) for _ in range(count)]
            named = ",".join(helper.server.address for helper in helpers)
            peer = await stack.enter_async_context(serving(advisors=named, **settings))
            return await asyncio.wait_for(call(peer, helpers), timeout=PATIENCE)

    return asyncio.run(go())


def counted(peer, name, **labels):
    return peer.server.metrics.registry.get_sample_value(name, labels) or 0


def handed(peer, outcome):
    return counted(peer, "pythia_searches_handed_over_total", outcome=outcome)


def searches(peer, game="keltis"):
    """How many searches of the strongest bot an advisor did; forced moves are none."""
    return counted(peer, "pythia_search_tree_nodes_count", game=game, bot="ismcts")


def turn(peer, made, **fields):
    return peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=made.match.id), **fields)


async def bots(peer, *, game="keltis", **limit):
    """A match between two bots, with a choice to make."""
    return await peer.create(*[bot(**limit)] * 2, game=game)


async def until(condition):
    """Wait until it holds; the test's own patience ends it otherwise."""
    while not condition():
        await asyncio.sleep(0.02)


def links(peer):
    return peer.server._backend._advisors


async def first_moves(peer, count, **limit):
    made = await bots(peer, **limit)
    played = []
    while len(played) < count:
        played += [(event.by, event.move.text) for event in (await turn(peer, made)).events]
    return played[:count]


@pytest.mark.parametrize("limit", [{"iterations": 60}, {"level": 2}], ids=str)
def test_advisors_play_what_the_server_itself_would_play(limit):
    async def call(peer, helpers):
        moves = await first_moves(peer, 12, **limit)
        assert handed(peer, "here") == handed(peer, "lost") == handed(peer, "busy") == 0
        assert handed(peer, "done") == sum(searches(helper) for helper in helpers) > 3
        assert all(searches(helper) for helper in helpers)
        return moves

    async def alone():
        async with serving() as peer:
            return await first_moves(peer, 12, **limit)

    assert with_advisors(call) == asyncio.run(alone())


def test_a_limit_for_the_turn_is_shared_among_its_decisions():
    async def call(peer, helpers):
        made = await peer.create(
            *[match_pb2.Seat(bot=bot(limit={"iterations": 200, "scope": "LIMIT_SCOPE_TURN"})).bot] * 2,
            game="delphi",
        )
        while handed(peer, "done") < 4:
            await turn(peer, made)
        done = sum(
            counted(helper, "pythia_search_iterations_total", game="delphi", bot="ismcts")
            for helper in helpers
        )
        assert done < 200 * handed(peer, "done")

    with_advisors(call)


@pytest.mark.parametrize("game", list_games())
def test_a_hint_is_followed_while_it_is_searched(game, monkeypatch):
    async def call(peer, helpers):
        made = await peer.create(None, None, None, game=game, hints=True)
        asked = match_pb2.HintRequest(
            match_id=made.match.id,
            token=made.seat_tokens[made.match.to_act],
            options=options(seconds=0.4),
            interval_ms=50,
        )
        answers = [answer async for answer in peer.match.Hint(asked)]
        assert answers[-1].final
        assert (handed(peer, "done"), handed(peer, "here")) == (1, 0)
        # Reasons come in the language that was asked for.
        searched = []
        real = advisors.Advisor.search
        monkeypatch.setattr(
            advisors.Advisor, "search", lambda self, search: searched.append(search) or real(self, search)
        )
        asked.options.language = "de"
        async for _ in peer.match.Hint(asked):
            pass
        assert [search.request.options.language for search in searched] == ["de"]
        return len(answers)

    assert with_advisors(call, count=1) >= 1


def test_bots_of_an_autoplay_match_are_searched_by_advisors():
    async def call(peer, helpers):
        made = await peer.create(
            *[bot(iterations=20)] * 2, game="keltis", autoplay=match_pb2.Autoplay(), public=True
        )
        await until(lambda: handed(peer, "done") > 5)
        assert handed(peer, "here") == 0
        assert (await peer.get(made.match.id)).version > 5

    with_advisors(call)


def test_servers_that_name_each_other_search_once():
    async def go():
        async with serving() as first:
            port = int(first.server.address.rpartition(":")[2])
            async with serving(advisors=first.server.address) as second:
                named = second.server.address
        # The first one again, now with the second as its advisor, and the second with the first.
        async with (
            serving(port=port, advisors=named) as first,
            serving(port=int(named.rpartition(":")[2]), advisors=first.server.address) as second,
        ):
            await until(lambda: links(first).places)
            made = await bots(first, iterations=50)
            while not handed(first, "done"):
                await turn(first, made)
            assert searches(second) == handed(first, "done")
            assert (searches(first), handed(second, "done")) == (0, 0)

    asyncio.run(asyncio.wait_for(go(), PATIENCE))


def test_an_advisor_killed_while_it_searches_costs_a_retry():
    async def go():
        nodes = [ServerProcess("memory:") for _ in range(2)]
        try:
            for node in nodes:
                await node.start()
            named = ",".join(node.address for node in nodes)
            async with serving(advisors=named) as peer:
                made = await bots(peer, seconds=2)
                played = asyncio.ensure_future(turn(peer, made))
                known = links(peer)._known.values()
                await until(lambda: any(advisor.running for advisor in known))
                busy = next(advisor.address for advisor in known if advisor.running)
                await next(node for node in nodes if node.address == busy).kill()
                assert (await played).events
                assert (handed(peer, "lost"), handed(peer, "here")) == (1, 0)
                # Without any advisor the server searches itself, and says so.
                for node in nodes:
                    await node.kill()
                made = await bots(peer, iterations=50)
                while not handed(peer, "here"):
                    assert (await turn(peer, made)).events
                await until(lambda: not links(peer).places)
                assert peer.server._backend.troubles == [
                    "advisors: 0 of 2 are used; the log says why, and what to do"
                ]
        finally:
            for node in nodes:
                await node.kill()

    asyncio.run(asyncio.wait_for(go(), PATIENCE))


def test_an_advisor_that_stops_gets_no_more_and_is_used_again_when_it_is_back():
    async def go():
        async with AsyncExitStack() as stack:
            async with serving() as helper:
                where = helper.server.address
                peer = await stack.enter_async_context(serving(advisors=where))
                assert links(peer).places
            await until(lambda: not links(peer).places)
            made = await bots(peer, iterations=50)
            assert (await turn(peer, made)).events
            assert handed(peer, "done") == 0
            async with serving(port=int(where.rpartition(":")[2])) as helper:
                await until(lambda: links(peer).places)
                while not handed(peer, "done"):
                    await turn(peer, made)

    asyncio.run(asyncio.wait_for(go(), PATIENCE))


def test_a_busy_advisor_is_told_to_the_caller_with_the_time_to_try_again():
    """Its refusal goes back to whoever asked: searching here as well would hide that there are too few advisors."""

    async def call(peer, helpers):
        made = await bots(peer, seconds=0.5)
        while True:
            found = turn(peer, made)
            if await found.code() != Code.OK:
                told = await refusal(found)
                break
        assert (told.code, told.reason) == (Code.RESOURCE_EXHAUSTED, "ADVISORS_BUSY")
        assert told.retry > 0
        assert handed(peer, "here") == 0
        assert handed(peer, "busy") >= 2  # both were asked

    offered = {"tokens": tokens(seconds_per_minute=1)}
    with_advisors(call, offered=offered, advisors_token=TOKEN)


def test_the_deadline_of_a_call_holds_for_the_search_elsewhere():
    async def call(peer, helpers):
        made = await bots(peer, seconds=50)
        answer = await turn(peer, made, timeout=10)
        assert answer.events
        assert handed(peer, "done") + handed(peer, "here") > 0

    with_advisors(call)


def test_a_caller_who_leaves_ends_the_search_elsewhere():
    async def call(peer, helpers):
        made = await bots(peer, seconds=50)
        played = turn(peer, made)
        running = lambda: sum(counted(helper, "pythia_searches_running") for helper in helpers)  # noqa: E731
        await until(running)
        played.cancel()
        await until(lambda: not running())
        assert links(peer).places

    with_advisors(call)


def test_quotas_are_those_of_the_client_who_plays():
    own = tokens("player", ["play"], concurrent_searches=1)
    metadata = (("authorization", f"Bearer {TOKEN}"),)

    async def call(peer, helpers):
        made = [await peer.create(*[bot(seconds=50)] * 2, game="keltis", metadata=metadata) for _ in range(2)]
        first = turn(peer, made[0], metadata=metadata)
        await until(lambda: any(advisor.running for advisor in links(peer)._known.values()))
        told = await refusal(turn(peer, made[1], metadata=metadata))
        assert (told.code, told.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_SEARCHES")
        first.cancel()

    with_advisors(call, tokens=own)


# -- advisors that do not fit


class Pretender(engine_pb2_grpc.EngineServiceServicer):
    """Says that it is something else."""

    def __init__(self, **fields):
        self.info = {"name": "pythia", "version": version("pythia-opponent"), "games": list_games()} | fields

    async def GetServerInfo(self, request, context):  # noqa: N802 - gRPC's name
        return engine_pb2.GetServerInfoResponse(
            max_search_seconds=60, max_search_iterations=10**7, max_search_threads=2, **self.info
        )


@asynccontextmanager
async def pretending(**fields):
    server = grpc.aio.server()
    checks = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    engine_pb2_grpc.add_EngineServiceServicer_to_server(Pretender(**fields), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await checks.set("", health_pb2.HealthCheckResponse.SERVING)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


class Heard(logging.Handler):
    def __init__(self):
        super().__init__()
        self.said = []

    def emit(self, record):
        self.said.append(f"{record.getMessage()} {getattr(record, 'fields', '')}")

    def has(self, *words):
        return any(all(word in line for word in words) for line in self.said)


@asynccontextmanager
async def listening(**settings):
    """A server, and what it logs."""
    async with serving(**settings) as peer:
        heard = Heard()
        LOG.addHandler(heard)
        try:
            yield peer, heard
        finally:
            LOG.removeHandler(heard)


async def looked_again(peer, heard):
    """What it says when it looks at all advisors for the first time."""
    for advisor in links(peer)._known.values():
        advisor.trouble, advisor.missing = "x", ()
    await links(peer)._look()
    return heard


def test_an_advisor_of_another_version_is_not_used_and_named():
    async def go():
        async with (
            pretending(version="0.0.9") as where,
            listening(advisors=where, http=True) as (peer, heard),
        ):
            await looked_again(peer, heard)
            assert heard.has(where, "has version 0.0.9, this server", "run the same version on both")
            made = await bots(peer, iterations=50)
            while not handed(peer, "here"):
                await turn(peer, made)
            reply = await Caller(peer.server).get("/healthz")
            assert reply.status == 200
            assert reply.body == b"ok\nadvisors: 0 of 1 are used; the log says why, and what to do\n"

    asyncio.run(asyncio.wait_for(go(), PATIENCE))


def test_searches_of_a_game_that_an_advisor_does_not_have_stay_here():
    async def go():
        games = [game for game in list_games() if game != "keltis"]
        async with pretending(games=games) as where, listening(advisors=where) as (peer, heard):
            await looked_again(peer, heard)
            assert heard.has("does not have all games", where, "keltis")
            assert peer.server._backend.troubles == ["advisors: some do not have keltis"]
            made = await bots(peer, iterations=50)
            while not handed(peer, "here"):
                await turn(peer, made)
            assert handed(peer, "lost") == 0

    asyncio.run(asyncio.wait_for(go(), PATIENCE))


@pytest.mark.parametrize(
    ("offered", "words"),
    [
        ({"tokens": tokens()}, "does not know the token; check advisors_token"),
        ({"tokens": tokens(roles=["play"])}, "advisors_token needs the roles analyse and urgent"),
    ],
    ids=["wrong token", "wrong role"],
)
def test_an_advisor_that_does_not_let_us_in_is_named(offered, words):
    async def go():
        given = TOKEN if "role" in words else "another-token-0123456789"
        async with (
            serving(**offered) as helper,
            listening(advisors=helper.server.address, advisors_token=given) as (peer, heard),
        ):
            await looked_again(peer, heard)
            made = await bots(peer, iterations=50)
            while not handed(peer, "here"):
                await turn(peer, made)
            assert heard.has(helper.server.address, words)

    asyncio.run(asyncio.wait_for(go(), PATIENCE))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda result: replace(result, move="nonsense"),
        lambda result: replace(result, seconds=float("nan")),
        lambda result: replace(result, seconds=-1e9),
        lambda result: replace(result, values=[1.0]),
        lambda result: replace(result, values=[float("nan")] * len(result.values)),
        lambda result: replace(result, iterations=-5),
    ],
    ids=["a move", "no time", "negative time", "too few values", "no values", "iterations"],
)
def test_an_advisor_whose_answers_cannot_be_is_not_used(monkeypatch, spoil):
    async def call(peer, helpers):
        real = advisors.result_of

        def wrong(analysis):
            return spoil(real(analysis))

        monkeypatch.setattr(advisors, "result_of", wrong)
        made = await bots(peer, iterations=50)
        while not handed(peer, "here"):
            assert (await turn(peer, made)).events
        assert handed(peer, "lost") > 0

    with_advisors(call)


def test_a_name_that_nobody_knows_is_named_and_costs_nothing():
    async def go():
        async with listening(
            advisors="no-such-host.invalid:50051", behind_proxy=True, tokens=tokens("me", ["admin"])
        ) as (
            peer,
            heard,
        ):
            links(peer)._unknown.clear()
            await links(peer)._look()
            assert heard.has("name is not known", "no-such-host.invalid:50051")
            assert peer.server._backend.troubles == [
                "advisors: 0 of 1 are used; the log says why, and what to do"
            ]

    asyncio.run(asyncio.wait_for(go(), PATIENCE))


# -- settings, and the queue for places elsewhere


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"advisors": "nowhere"}, "advisors: 'nowhere' is not allowed; allowed: HOST:PORT"),
        ({"advisors": "a:70000"}, "advisors: 'a:70000' is not allowed"),
        ({"advisors": "10.0.0.5:50051"}, "advisors: '10.0.0.5:50051' is another machine"),
        ({"advisors": ",".join(["127.0.0.1:1"] * 65)}, "allowed: up to 64"),
        ({"advisors_token": "x" * 20}, "advisors_token: needs advisors"),
        ({"advisors": "localhost:1", "advisors_ca": "/none"}, "advisors_ca: '/none' is not a file"),
        ({"advisors": "localhost:1", "advisors_token": "ä" * 20}, "advisors_token: cannot be sent"),
    ],
    ids=str,
)
def test_settings_that_cannot_be(settings, words):
    with pytest.raises(ConfigError, match=words.replace("(", r"\(")):
        Config(**settings).checked()


def test_advisors_are_a_list_in_a_file_and_text_elsewhere(tmp_path):
    file = tmp_path / "pythia.toml"
    file.write_text('advisors = ["127.0.0.1:1", "dns:///localhost:2"]\nadvisors_token = "not to be shown"\n')
    config, _ = load_config(str(file), env={})
    assert config.advisor_addresses == ["127.0.0.1:1", "localhost:2"]
    config, _ = load_config(None, env={"PYTHIA_ADVISORS": "127.0.0.1:1, localhost:2"})
    assert config.advisor_addresses == ["127.0.0.1:1", "localhost:2"]
    file.write_text("advisors = [1]")
    with pytest.raises(ConfigError, match="advisors: "):
        load_config(str(file), env={})


def test_places_come_and_go_and_nobody_waits_for_ever():
    from pythia.service.metrics import Metrics

    async def go():
        queue = Scheduler(1, 10, 10, Metrics(), reserved=1)
        began = []

        async def work(name, priority=NORMAL):
            async with queue.place("client", priority):
                began.append(name)
                await asyncio.sleep(0)
                await release.wait()

        release = asyncio.Event()
        tasks = [asyncio.create_task(work(number)) for number in range(4)]
        low = asyncio.create_task(work("low", LOW))
        await until(lambda: len(began) == 1)
        queue.resize(3)
        await until(lambda: len(began) == 3)
        queue.resize(1)  # fewer than are taken
        queue.check_room("client", NORMAL, None)
        release.set()
        await asyncio.gather(*tasks, low)
        assert began[-1] == "low"
        assert queue._free == queue.workers == 1
        assert queue._free_low == queue._most_low == 1

    asyncio.run(asyncio.wait_for(go(), PATIENCE))
