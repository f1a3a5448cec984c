"""Bots that the server plays by itself."""

import asyncio
import signal
import sys
from contextlib import asynccontextmanager
from itertools import pairwise

import grpc
import pytest

from pythia.clients import Client
from pythia.clients.types import Autoplay
from pythia.core_cy import game_info, list_games
from pythia.core_cy.record import Record
from pythia.service.autoplayer import AutoPlayer, AutoplayQueue
from pythia.v1 import advisor_pb2, match_pb2
from tests.service.serving import Peer, an_observation, bot, options, refusal, serving, with_server
from tests.service.test_auth import bearer

Code = grpc.StatusCode
RANDOM, GREEDY = bot("random"), bot("greedy")
AUTOPLAY = match_pb2.Autoplay()
TOKEN, OTHER = "somebody-0123456789", "another-one-0123456789"
TOKENS = f"""
[[tokens]]
name = "somebody"
token = "{TOKEN}"
roles = ["play", "analyse"]
concurrent_searches = 1
[[tokens]]
name = "other"
token = "{OTHER}"
roles = ["play"]
"""


async def all_bots(peer, game="keltis", player=RANDOM, autoplay=AUTOPLAY, **fields):
    seats = [player] * game_info(game).min_players
    return await peer.create(*seats, game=game, reproducible=False, autoplay=autoplay, **fields)


async def until(condition):
    """Wait until it holds; the test's own patience ends it otherwise."""
    while not await condition():
        await asyncio.sleep(0.02)


async def until_over(peer, match_id, metadata=None):
    async for _ in peer.match.Watch(match_pb2.WatchRequest(match_id=match_id), metadata=metadata):
        pass
    request = match_pb2.GetMatchRequest(match_id=match_id)
    return (await peer.match.GetMatch(request, metadata=metadata)).match


def at_least(peer, match_id, version):
    async def reached():
        return (await peer.get(match_id)).version >= version

    return until(reached)


def pause(peer, made, token=None, **more):
    request = match_pb2.PauseMatchRequest(
        match_id=made.match.id, token=made.owner_token if token is None else token
    )
    return peer.match.PauseMatch(request, **more)


def resume(peer, made, token=None, metadata=None, **fields):
    request = match_pb2.ResumeMatchRequest(
        match_id=made.match.id, token=made.owner_token if token is None else token, **fields
    )
    return peer.match.ResumeMatch(request, metadata=metadata)


def driven(peer):
    return peer.server._backend._autoplayer._driven


async def check_record(peer, made):
    export = match_pb2.ExportRecordRequest(match_id=made.match.id, token=made.owner_token)
    record = Record.read((await peer.match.ExportRecord(export)).record.splitlines(), unfinished=True)
    return [entry.move for entry in record.moves], list(record.replay())[-1]


@pytest.mark.parametrize("game", list_games())
def test_bots_play_to_the_end_though_nobody_looks(game):
    async def call(peer):
        made = await all_bots(peer, game)
        autoplayer = peer.server._backend._autoplayer

        async def idle():
            return not autoplayer._driven

        await until(idle)
        match = await peer.get(made.match.id)
        assert match.autoplay == AUTOPLAY
        assert [lane.running for lane in autoplayer._lanes.values()] == [0, 0]
        _, last = await check_record(peer, made)
        return match, last

    match, last = with_server(call)
    assert match.status == match_pb2.MATCH_STATUS_OVER
    assert list(match.result.returns) == last.returns()


@pytest.mark.parametrize("game", list_games())
def test_bots_answer_a_person(game):
    """Also at once, when they are the first to act, and after an undo of the person they wait again."""

    async def call(peer):
        seats = [RANDOM] * (game_info(game).min_players - 1)
        made = await peer.create(*seats, None, game=game, reproducible=False, autoplay=AUTOPLAY)
        person = len(seats)
        token = made.seat_tokens[person]
        match, moves = made.match, 0
        while moves < 12 and match.status == match_pb2.MATCH_STATUS_ACTIVE:
            async for event in peer.match.WatchMany(
                match_pb2.WatchManyRequest(matches=[match_pb2.WatchRequest(match_id=match.id)])
            ):
                match = event.match if event.HasField("match") else match
                if event.HasField("match") and event.match.to_act in (person, -2):
                    break
            match = await peer.get(match.id)
            if match.to_act == person:
                found = await peer.moves(match.id, token)
                match = (await peer.submit(match.id, token, found[-1])).match
                moves += 1
        return moves, match

    moves, match = with_server(call)
    assert moves == 12 or match.status == match_pb2.MATCH_STATUS_OVER


def test_without_autoplay_nothing_happens_by_itself():
    async def call(peer):
        made = await all_bots(peer, autoplay=None)
        await asyncio.sleep(0.3)
        assert not (await peer.get(made.match.id)).HasField("autoplay")
        return made.match.version, (await peer.get(made.match.id)).version, await refusal(pause(peer, made))

    before, after, refused = with_server(call)
    assert before == after
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "NO_AUTOPLAY")


def test_pause_and_resume():
    async def call(peer):
        made = await all_bots(peer, autoplay=match_pb2.Autoplay(seconds_per_move=0.05))
        await at_least(peer, made.match.id, 4)
        paused = (await pause(peer, made)).match
        assert paused.autoplay == match_pb2.Autoplay(paused=True, seconds_per_move=0.05)
        assert (await pause(peer, made)).match == paused, "twice is no more than once"

        async def stopped():
            return not driven(peer)

        await until(stopped)
        at = (await peer.get(made.match.id)).version
        await asyncio.sleep(0.3)
        assert (await peer.get(made.match.id)).version == at
        # Who wants to can still ask for a turn.
        await peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=made.match.id))
        going = (await resume(peer, made, seconds_per_move=0)).match
        assert going.autoplay == match_pb2.Autoplay()
        match = await until_over(peer, made.match.id)
        refused = [await refusal(pause(peer, made)), await refusal(resume(peer, made))]
        return match, refused

    match, refused = with_server(call)
    assert match.status == match_pb2.MATCH_STATUS_OVER
    assert {why.reason for why in refused} == {"MATCH_OVER"}


def test_the_pace():
    """Moves lie at least the pause apart, and a new pace holds at once."""

    async def call(peer):
        made = await all_bots(peer, autoplay=match_pb2.Autoplay(seconds_per_move=60))
        await asyncio.sleep(0.2)
        assert (await peer.get(made.match.id)).version == made.match.version
        await resume(peer, made, seconds_per_move=0.1)
        await at_least(peer, made.match.id, made.match.version + 5)
        await pause(peer, made)
        stored = await peer.server._backend._store.load(made.match.id)
        return [event.time for event in stored.events if event.by >= 0]

    times = with_server(call)
    assert len(times) > 2
    assert min(after - before for before, after in pairwise(times)) > 0.09


@pytest.mark.parametrize("seconds", [-1, 60.5, float("nan"), float("inf")])
def test_paces_that_are_refused(seconds):
    async def call(peer):
        autoplay = match_pb2.Autoplay(seconds_per_move=seconds)
        made = await all_bots(peer)
        return [
            await refusal(all_bots(peer, autoplay=autoplay)),
            await refusal(resume(peer, made, seconds_per_move=seconds)),
        ]

    created, resumed = with_server(call)
    assert (created.code, created.fields) == (Code.INVALID_ARGUMENT, ["autoplay.seconds_per_move"])
    assert (resumed.code, resumed.fields) == (Code.INVALID_ARGUMENT, ["seconds_per_move"])


def test_only_the_owner_pauses():
    async def call(peer):
        made = await peer.create(RANDOM, None, game="keltis", autoplay=match_pb2.Autoplay(paused=True))
        tokens = ("", made.seat_tokens[1], "wrong")
        return [await refusal(ask(peer, made, token)) for token in tokens for ask in (pause, resume)]

    assert {why.code for why in with_server(call)} == {Code.PERMISSION_DENIED}


@pytest.mark.integration
def test_a_stopped_server_goes_on_when_it_starts_again(tmp_path):
    settings = {"store": f"sqlite:{tmp_path / 'x.sqlite'}"}

    async def go():
        async with serving(**settings) as peer:
            slow = match_pb2.Autoplay(seconds_per_move=0.02)
            made = await all_bots(peer, autoplay=slow)
            waiting = await all_bots(peer, autoplay=match_pb2.Autoplay(paused=True))
            person = await peer.create(RANDOM, None, game="keltis", autoplay=AUTOPLAY)
            await at_least(peer, made.match.id, 10)
        async with serving(**settings) as peer:
            before = (await peer.get(made.match.id)).version
            match = await until_over(peer, made.match.id)
            assert (await peer.get(waiting.match.id)).version == waiting.match.version

            async def asked():
                return (await peer.get(person.match.id)).to_act == 1

            await until(asked)
            await check_record(peer, made)
            return before, match

    before, match = asyncio.run(asyncio.wait_for(go(), 60))
    assert 10 <= before < match.version
    assert match.status == match_pb2.MATCH_STATUS_OVER


@asynccontextmanager
async def server_process(store):
    """`pythia serve` in a process of its own, which is killed."""
    main = "from pythia.clients.cli.main import main; main()"
    flags = ("serve", "--port", "0", "--no-metrics", "--store", store)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", main, *flags, stdout=asyncio.subprocess.PIPE
    )
    try:
        line = (await process.stdout.readline()).decode()  # ... serves on HOST:PORT
        address = line.split()[-1]
        async with grpc.aio.insecure_channel(address) as channel:
            yield Peer(None, channel)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()


@pytest.mark.integration
def test_a_killed_server_loses_nothing_that_was_seen(tmp_path):
    store = f"sqlite:{tmp_path / 'x.sqlite'}"

    async def go():
        seen = []
        async with server_process(store) as peer:
            made = await all_bots(peer, autoplay=match_pb2.Autoplay(seconds_per_move=0.01))
            async for answer in peer.match.Watch(match_pb2.WatchRequest(match_id=made.match.id)):
                seen.append(answer.event)
                if len(seen) >= 20:
                    break
        async with serving(store=store) as peer:
            await until_over(peer, made.match.id)
            events = [
                answer.event
                async for answer in peer.match.Watch(match_pb2.WatchRequest(match_id=made.match.id))
            ]
            moves, last = await check_record(peer, made)
        return seen, events, moves, last

    seen, events, moves, last = asyncio.run(asyncio.wait_for(go(), 60))
    assert events[: len(seen)] == seen
    assert len(events) == len(moves)
    assert last.is_over


@pytest.mark.integration
def test_where_there_is_no_room_it_waits_and_goes_on():
    """The client's only search at a time is taken by a call of its own."""

    async def call(peer):
        mine = bearer(TOKEN)
        thinking = peer.advisor.SuggestMove(
            advisor_pb2.SuggestMoveRequest(observation=an_observation(), options=options(seconds=1.5)),
            metadata=mine,
        )
        thinking = asyncio.ensure_future(thinking)
        await asyncio.sleep(0.2)
        made = await all_bots(peer, metadata=mine)
        await thinking
        match = await until_over(peer, made.match.id, mine)
        quotas = peer.server._backend.runner._quotas
        assert not quotas._running
        return match

    assert with_server(call, tokens=TOKENS).status == match_pb2.MATCH_STATUS_OVER


def test_a_client_that_is_gone_has_no_matches_played(tmp_path):
    settings = {"store": f"sqlite:{tmp_path / 'x.sqlite'}"}

    async def go():
        async with serving(tokens=TOKENS, **settings) as peer:
            made = await all_bots(
                peer, metadata=bearer(OTHER), public=True, autoplay=match_pb2.Autoplay(seconds_per_move=0.02)
            )
        only = TOKENS.partition('[[tokens]]\nname = "other"')[0]
        async with serving(tokens=only, **settings) as peer:
            request = match_pb2.GetMatchRequest(match_id=made.match.id)
            before = (await peer.match.GetMatch(request, metadata=bearer(TOKEN))).match
            await asyncio.sleep(0.3)
            after = (await peer.match.GetMatch(request, metadata=bearer(TOKEN))).match
            assert not driven(peer)
            return before, after

    before, after = asyncio.run(asyncio.wait_for(go(), 60))
    assert before == after


@pytest.mark.integration
def test_more_matches_than_places_take_turns():
    async def call(peer):
        made = [
            await all_bots(peer, metadata=bearer(token), public=True)
            for token in (TOKEN, TOKEN, TOKEN, OTHER, OTHER)
        ]
        most = 0
        for one in made:
            most = max(most, len(driven(peer)))
            await until_over(peer, one.match.id, bearer(TOKEN))
        return most

    settings = {"autoplay_matches": 2, "autoplay_matches_per_client": 1}
    assert with_server(call, tokens=TOKENS, **settings) <= 2


def test_a_lane_is_fair():
    lane = AutoplayQueue(most=3, per_client=2)
    for number in range(5):
        lane.wait("a", f"a{number}")
    lane.wait("b", "b0")
    lane.wait("a", "a0")
    got = [lane.next() for _ in range(4)]
    assert got == [("a", "a0"), ("b", "b0"), ("a", "a1"), None]
    lane.leave("b")
    assert lane.next() is None, "a has as many as it may have"
    lane.drop("a", "a2")
    lane.leave("a")
    assert lane.next() == ("a", "a3")
    lane.drop("nobody", "x")
    assert lane.running == 2


def test_a_deleted_match_is_left_alone():
    async def call(peer):
        made = await all_bots(peer, autoplay=match_pb2.Autoplay(seconds_per_move=0.05))
        await at_least(peer, made.match.id, 3)
        delete = match_pb2.DeleteMatchRequest(match_id=made.match.id, token=made.owner_token)
        await peer.match.DeleteMatch(delete)

        async def left():
            return not driven(peer)

        await until(left)
        gauge = peer.server.metrics.autoplay_matches
        return gauge._value.get()

    assert with_server(call) == 0


def test_resuming_begins_anew_after_a_failure(monkeypatch):
    real = AutoPlayer._move

    async def broken(self, match, caller, only_bots):
        raise RuntimeError("a bot that fails")

    async def call(peer):
        monkeypatch.setattr(AutoPlayer, "_move", broken)
        made = await all_bots(peer)

        async def is_left():
            return not driven(peer)

        await until(is_left)
        assert (await peer.get(made.match.id)).status == match_pb2.MATCH_STATUS_ACTIVE
        monkeypatch.setattr(AutoPlayer, "_move", real)
        await resume(peer, made)
        return (await until_over(peer, made.match.id)).status

    assert with_server(call) == match_pb2.MATCH_STATUS_OVER


def test_a_client_in_this_process_plays_while_it_is_open():
    with Client.local() as client:
        made = client.create_match("keltis", ["random", "random"], autoplay=True)
        with client.watch_many([made.id], observations=True) as stream:
            *_, last = stream
        assert last.ended
        assert last.match.result.scores
        slow = client.create_match("keltis", ["random", "random"], autoplay=Autoplay(seconds_per_move=30))
        assert client.pause_match(slow.id, slow.owner_token).autoplay == Autoplay(True, 30)
        assert client.resume_match(slow.id, slow.owner_token, seconds_per_move=0).autoplay == Autoplay()
        *_, last = client.watch(slow.id)
        assert client.observe(slow.id, version=2).version == 2
