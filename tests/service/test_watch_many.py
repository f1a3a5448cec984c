"""Many matches over one stream."""

import asyncio
from contextlib import aclosing

import grpc
import pytest

from pythia.core_cy import game_info, list_games
from pythia.service.errors import Refused
from pythia.service.matches import MAX_WATCHED
from pythia.service.types import Watching
from pythia.v1 import match_pb2
from tests.service.serving import bot, refusal, with_server
from tests.service.test_auth import BOSS, PLAYER, TOKENS, bearer
from tests.service.test_history import observe, people, play
from tests.service.web import with_web

Code = grpc.StatusCode
RANDOM = bot("random")


def watching(*matches, observations=False):
    asked = [match if isinstance(match, match_pb2.WatchRequest) else look(match) for match in matches]
    return match_pb2.WatchManyRequest(matches=asked, observations=observations)


def look(match_id, **fields):
    return match_pb2.WatchRequest(match_id=match_id, **fields)


async def read(stream, count):
    return [await stream.read() for _ in range(count)]


async def bots(peer, game, **fields):
    return (await peer.create(*[RANDOM] * game_info(game).min_players, game=game, **fields)).match


@pytest.mark.parametrize("game", list_games())
def test_no_viewer_is_told_more_than_it_may_see(game):
    """Events are those of Watch, and observations those of Observe, for every seat and for spectators."""

    async def call(peer):
        made = await people(peer, game)
        viewers = ("", made.owner_token, *made.seat_tokens)
        streams = {
            token: peer.match.WatchMany(watching(look(made.match.id, token=token), observations=True))
            for token in viewers
        }
        told = {token: [] for token in viewers}

        async def hear(token):
            while len(told[token]) < version:
                told[token].append(await streams[token].read())

        version = made.match.version
        await asyncio.gather(*map(hear, viewers))

        async def heard(match):
            nonlocal version
            version = match.version
            await asyncio.gather(*map(hear, viewers))

        match = await play(peer, made, 40, heard)
        shown = 0
        for token in viewers:
            events = peer.match.Watch(look(match.id, token=token))
            for number, answer in enumerate(told[token], start=1):
                assert answer.match_id == match.id
                assert answer.event == (await events.read()).event
                assert answer.event.version == number
                assert answer.HasField("observation") == answer.HasField("match")
                if answer.HasField("observation"):
                    shown += 1
                    then = await observe(peer, match.id, token=token, version=number)
                    assert answer.observation == then.observation
                    assert answer.match.version == number
        assert shown > 20

    with_server(call)


@pytest.mark.integration
def test_matches_end_one_by_one_and_the_stream_with_the_last():
    async def call(peer):
        ids = [(await bots(peer, "keltis", autoplay=match_pb2.Autoplay())).id for _ in range(3)]
        resigned = await people(peer, "keltis")
        await peer.match.Resign(
            match_pb2.ResignRequest(match_id=resigned.match.id, token=resigned.seat_tokens[0])
        )
        over = look(resigned.match.id, after_version=(await peer.get(resigned.match.id)).version)
        answers = [answer async for answer in peer.match.WatchMany(watching(*ids, over))]
        return ids, resigned.match.id, answers

    ids, resigned, answers = with_server(call)
    assert {answer.match_id: answer.ended for answer in answers if answer.ended} == dict.fromkeys(
        [*ids, resigned], "the match is over"
    )
    for match_id in ids:
        versions = [answer.event.version for answer in answers if answer.match_id == match_id]
        *events, last = versions
        assert events == list(range(1, len(events) + 1))
        assert last == 0, "the end has no event"
    assert all(answer.match.result.reason for answer in answers if answer.ended)


def test_what_is_wrong_with_one_match_ends_that_one():
    async def call(peer):
        good, gone = [await people(peer, "keltis") for _ in range(2)]
        ids = [good.match.id, gone.match.id, "0" * 24, "x" * 200]
        asked = [
            *map(look, ids),
            look((await people(peer, "delphi")).match.id, token="wrong"),
            look((await people(peer, "delphi")).match.id, after_version=10**6),
            look((await people(peer, "delphi")).match.id, seat=0),
        ]
        stream = peer.match.WatchMany(watching(*asked))
        ended = {}
        while len(ended) < 5:
            answer = await stream.read()
            if answer.ended:
                ended[answer.match_id] = answer.ended
        delete = match_pb2.DeleteMatchRequest(match_id=gone.match.id, token=gone.owner_token)
        await peer.match.DeleteMatch(delete)
        while not answer.ended or answer.match_id != gone.match.id:
            answer = await stream.read()
        before = (await peer.get(good.match.id)).version
        await play(peer, good, before + 1)
        while answer.match_id != good.match.id or answer.event.version <= before:
            answer = await stream.read()
        return list(ended.values())

    ended = with_server(call)
    assert sum("is not a match of this server" in words for words in ended) == 2
    for part in ("token: is not a token of this match", "after_version", "its own token"):
        assert any(part in words for words in ended), (part, ended)


@pytest.mark.parametrize(
    ("matches", "field"),
    [
        ([], "matches"),
        ([f"{number:024x}" for number in range(MAX_WATCHED + 1)], "matches"),
        (["a", "b", "a"], "matches[2].match_id"),
        (["a", ""], "matches[1].match_id"),
    ],
)
def test_requests_that_are_refused(matches, field):
    why = with_server(lambda peer: refusal(peer.match.WatchMany(watching(*matches))))
    assert (why.code, why.fields) == (Code.INVALID_ARGUMENT, [field])


def test_a_replaced_token_ends_its_match():
    async def call(peer):
        made = await people(peer, "keltis")
        other = await people(peer, "keltis")
        version = made.match.version
        stream = peer.match.WatchMany(
            watching(
                look(made.match.id, token=made.seat_tokens[0], after_version=version),
                look(other.match.id, after_version=other.match.version),
            )
        )
        heard = asyncio.ensure_future(stream.read())
        await asyncio.sleep(0.1)
        rotate = match_pb2.RotateTokenRequest(match_id=made.match.id, token=made.seat_tokens[0])
        await peer.match.RotateToken(rotate)
        return made.match.id, await heard

    match_id, answer = with_server(call)
    assert answer.match_id == match_id
    assert "was replaced" in answer.ended
    assert not answer.HasField("match")


@pytest.mark.parametrize("method", ["watch", "watch_many"])
def test_who_is_behind_sees_nothing_more_with_a_replaced_token(method):
    """Whoever reads slowly is behind for long: the events that wait are not for the eyes of the old token."""

    async def call(peer):
        made = await people(peer, "keltis")
        await play(peer, made, 12)
        match_id, token = made.match.id, made.seat_tokens[0]
        matches = peer.server._backend._servicers[2][0]._matches
        stream = (
            matches.watch(match_id, 0, token)
            if method == "watch"
            else matches.watch_many([Watching(match_id, 0, token)])
        )
        async with aclosing(stream):
            await anext(stream)
            await peer.match.RotateToken(match_pb2.RotateTokenRequest(match_id=match_id, token=token))
            try:
                return (await anext(stream)).ended
            except Refused as refused:
                return str(refused)

    assert "was replaced" in with_server(call)


def test_who_reads_slowly_gets_all_events_and_only_the_newest_observation():
    async def call(peer):
        match = await bots(peer, "keltis")
        stream = peer.match.WatchMany(watching(match.id, observations=True))
        while match.status == match_pb2.MATCH_STATUS_ACTIVE:
            match = (await peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=match.id))).match
        late = peer.match.WatchMany(watching(match.id, observations=True))
        return match, [answer async for answer in stream], [answer async for answer in late]

    match, slow, late = with_server(call)
    for answers in (slow, late):
        assert [answer.event.version for answer in answers[:-1]] == list(range(1, match.version + 1))
        assert answers[-2].HasField("observation")
        assert answers[-1].ended
    assert sum(answer.HasField("observation") for answer in late) == 1


def test_streams_that_are_cancelled_leave_nothing_behind():
    async def call(peer):
        made = [await people(peer, "keltis") for _ in range(5)]
        backend = peer.server._backend
        live = [await backend._matches.get(one.match.id) for one in made]
        request = watching(*(look(one.match.id, after_version=one.match.version) for one in made))
        streams = [peer.match.WatchMany(request) for _ in range(20)]
        reads = [asyncio.ensure_future(stream.read()) for stream in streams]
        while sum(len(match.followers) for match in live) < 100:
            await asyncio.sleep(0.01)
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*reads, return_exceptions=True)
        while any(match.followers for match in live) or backend.middleware._running:
            await asyncio.sleep(0.01)

    with_server(call)


def test_the_streams_of_a_client_are_bounded(monkeypatch):
    """By the matches they follow together; a stream that has ended counts no more."""
    monkeypatch.setattr("pythia.service.watching.MOST_FOLLOWED", 3)

    async def call(peer):
        mine = bearer(PLAYER)
        public = [(await bots(peer, "delphi", public=True, metadata=mine)).id for _ in range(2)]
        both = watching(*public)
        streams = [
            peer.match.WatchMany(both, metadata=mine),
            peer.match.Watch(look(public[0]), metadata=mine),
        ]
        for stream in streams:
            await stream.read()
        refused = [
            await refusal(peer.match.Watch(look(public[0]), metadata=mine)),
            await refusal(peer.match.WatchMany(both, metadata=mine)),
        ]
        others = peer.match.WatchMany(both, metadata=bearer(BOSS))
        await others.read()
        streams[0].cancel()
        while True:
            try:
                await peer.match.WatchMany(both, metadata=mine).read()
                return refused
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.01)

    for why in with_server(call, tokens=TOKENS):
        assert (why.code, why.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_STREAMS")
        assert "follow 3 matches; allowed: 3" in why.words


def test_a_server_that_stops_says_so():
    async def call(peer):
        made = await people(peer, "keltis")
        request = watching(look(made.match.id, after_version=made.match.version))
        heard = asyncio.ensure_future(refusal(peer.match.WatchMany(request)))
        await asyncio.sleep(0.1)
        await peer.server._backend.drain()
        return await heard

    why = with_server(call)
    assert (why.code, why.reason) == (Code.UNAVAILABLE, "STOPPING")


def test_over_http():
    async def call(caller, peer):
        match = await bots(peer, "keltis", autoplay=match_pb2.Autoplay())
        wanted = {"matches": [{"match_id": match.id}, {"match_id": "nobody"}], "observations": True}
        reply, answers = await caller.stream("MatchService/WatchMany", wanted)
        assert reply.status == 200
        return match.id, answers

    match_id, (*answers, end) = with_web(call)
    assert end == {}
    assert {answer["match_id"] for answer in answers if "ended" in answer} == {match_id, "nobody"}
    assert any("observation" in answer for answer in answers)
