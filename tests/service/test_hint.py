"""Hints in matches, and reviews of matches: who gets them, and from what they are made."""

import asyncio

import grpc
import pytest

from pythia.clients import Client
from pythia.clients.errors import NotNow
from pythia.core_cy import View, game_info, list_games
from pythia.service.wire import observation_json, position_message
from pythia.v1 import advisor_pb2, match_pb2
from tests.service.serving import bot, options, refusal, with_server
from tests.service.test_auth import PLAYER, TOKENS, bearer
from tests.service.test_history import observe, people, play
from tests.service.web import with_web

Code = grpc.StatusCode
RANDOM, GREEDY = bot("random"), bot("greedy")
QUICK = options(iterations=30)


def hint(peer, made, token, metadata=None, **fields):
    request = match_pb2.HintRequest(match_id=made.match.id, token=token, **{"options": QUICK} | fields)
    return peer.match.Hint(request, metadata=metadata)


async def developed(peer, made):
    """The same match once every seat has moved and a person is to act, and what that person sees."""
    match = await play(peer, made, made.match.version + 8)
    token = made.seat_tokens[match.to_act]
    return match, (await observe(peer, match.id, token=token)).observation


def suggest(peer, observation):
    request = advisor_pb2.SuggestMoveRequest(observation=observation, options=QUICK)
    return peer.advisor.SuggestMove(request)


async def alone(peer, game, **fields):
    """A person against bots, to act."""
    bots = [RANDOM] * (game_info(game).min_players - 1)
    made = await peer.create(
        None, *bots, game=game, reproducible=False, autoplay=match_pb2.Autoplay(), **fields
    )
    while (await peer.get(made.match.id)).to_act != 0:
        await asyncio.sleep(0.02)
    return made


@pytest.mark.parametrize("game", list_games())
def test_a_hint_is_made_of_what_the_seat_sees(game):
    """The same seed and limit give what the advisor says of the seat's observation, which is all it gets."""

    async def call(peer):
        made = await alone(peer, game)
        token = made.seat_tokens[0]
        *_, last = [answer async for answer in hint(peer, made, token)]
        seen = await observe(peer, made.match.id, token=token)
        told = (await suggest(peer, seen.observation)).analysis
        assert last.final
        assert last.version == seen.version
        last.analysis.ClearField("seconds")
        told.ClearField("seconds")
        return last.analysis, told

    hinted, told = with_server(call)
    assert hinted == told


def test_no_hints_between_people_unless_their_match_has_them():
    async def call(peer):
        fair, open_ = await people(peer, "keltis"), await people(peer, "keltis", hints=True)
        told = {}
        for name, made in (("fair", fair), ("open", open_)):
            assert (await peer.get(made.match.id)).hints == (name == "open")
            match, seen = await developed(peer, made)
            token = made.seat_tokens[match.to_act]
            if name == "fair":
                move = (await peer.moves(match.id, token))[0]
                step = advisor_pb2.HistoryStep(observation=seen, move=move)
                review = advisor_pb2.ReviewRequest(history={"steps": [step]}, options=QUICK)
                told[name] = [
                    await refusal(call)
                    for call in (hint(peer, made, token), suggest(peer, seen), peer.advisor.Review(review))
                ]
                # The position of the past is anyone's.
                await peer.submit(match.id, token, move)
                await suggest(peer, seen)
            else:
                told[name] = [answer async for answer in hint(peer, made, token)], await suggest(peer, seen)
        other = open_.seat_tokens[1 - (await peer.get(open_.match.id)).to_act]
        return told, [
            await refusal(hint(peer, open_, token)) for token in ("", other, open_.owner_token, "wrong")
        ]

    told, refused = with_server(call)
    for why in told["fair"]:
        assert (why.code, why.reason) == (Code.FAILED_PRECONDITION, "HINTS_NOT_ALLOWED")
    assert told["open"][0][-1].final
    assert [why.reason for why in refused] == [
        "SEAT_TOKEN_NEEDED",
        "NOT_YOUR_TURN",
        "SEAT_TOKEN_NEEDED",
        "WRONG_TOKEN",
    ]


def test_a_refusal_does_not_tell_what_a_player_holds():
    """Otherwise an opponent could send guesses until one is refused, and know the hand."""

    async def call(peer):
        made = await people(peer, "keltis")
        match, seen = await developed(peer, made)
        other = made.seat_tokens[1 - match.to_act]
        known = observation_json((await observe(peer, match.id, token=other)).observation, "observation")
        worlds = [View.from_observation(known).imagined(number) for number in range(5)]
        guesses = [position_message(world.observation(match.to_act)) for world in worlds]
        assert all(guess != seen for guess in guesses)
        return [await refusal(suggest(peer, position)) for position in (seen, *guesses)]

    first, *others = with_server(call)
    assert first.reason == "HINTS_NOT_ALLOWED"
    assert {(why.reason, why.words) for why in others} == {(first.reason, first.words)}


def test_matches_between_people_take_no_opening_from_others():
    """Where all games begin alike, a match that nobody plays must not end advice about the opening."""

    async def call(peer):
        await people(peer, "offrandes")
        made = await people(peer, "offrandes")
        seen = (await observe(peer, made.match.id, token=made.seat_tokens[made.match.to_act])).observation
        assert (await suggest(peer, seen)).analysis.move.text

    with_server(call)


def test_hints_of_matches_that_are_over_or_whose_caller_may_not_analyse():
    async def call(peer):
        mine = bearer(PLAYER)
        made = await peer.create(None, RANDOM, game="keltis", metadata=mine)
        while made.match.to_act != 0:
            made = await peer.create(None, RANDOM, game="keltis", metadata=mine)
        token = made.seat_tokens[0]
        role = await refusal(hint(peer, made, token, mine))
        resign = match_pb2.ResignRequest(match_id=made.match.id, token=token)
        await peer.match.Resign(resign, metadata=mine)
        review = match_pb2.ReviewMatchRequest(match_id=made.match.id)
        return role, await refusal(peer.match.ReviewMatch(review, metadata=mine))

    for why in with_server(call, tokens=TOKENS):
        assert (why.code, why.reason) == (Code.PERMISSION_DENIED, "ROLE_NEEDED")


def test_a_cancelled_hint_frees_the_processor():
    async def call(peer):
        made = await alone(peer, "keltis")
        stream = hint(peer, made, made.seat_tokens[0], options=options(seconds=30), interval_ms=20)
        first = await stream.read()
        assert not first.final
        stream.cancel()
        scheduler = peer.server._backend._scheduler
        while scheduler._running or peer.server._backend.middleware._running:
            await asyncio.sleep(0.02)

    with_server(call)


@pytest.mark.integration
def test_reviews_of_matches():
    async def call(peer):
        made = await peer.create(GREEDY, RANDOM, game="keltis", public=True, autoplay=match_pb2.Autoplay())
        request = match_pb2.ReviewMatchRequest(
            match_id=made.match.id, options=options(iterations=8), seats=[1]
        )
        early = await refusal(peer.match.ReviewMatch(request))
        async for _ in peer.match.Watch(match_pb2.WatchRequest(match_id=made.match.id)):
            pass
        parts = [answer.part async for answer in peer.match.ReviewMatch(request)]
        export = match_pb2.ExportRecordRequest(match_id=made.match.id)
        record = (await peer.match.ExportRecord(export)).record
        stateless = advisor_pb2.ReviewRequest(record=record, options=options(iterations=8), seats=[1])
        same = [answer.part async for answer in peer.advisor.Review(stateless)]
        return early, parts, same

    early, parts, same = with_server(call)
    assert (early.code, early.reason) == (Code.FAILED_PRECONDITION, "MATCH_NOT_OVER")
    assert parts == same
    assert parts[-1].summary.seat == 1
    assert parts[-1].done == parts[-1].total


def test_a_resigned_match_can_be_reviewed():
    async def call(peer):
        made = await people(peer, "keltis")
        await play(peer, made, 8)
        resign = match_pb2.ResignRequest(match_id=made.match.id, token=made.seat_tokens[0])
        await peer.match.Resign(resign)
        request = match_pb2.ReviewMatchRequest(match_id=made.match.id, options=options(iterations=5))
        return [answer.part async for answer in peer.match.ReviewMatch(request)]

    parts = with_server(call)
    assert {part.summary.seat for part in parts if part.HasField("summary")} == {0, 1}


def test_over_http():
    async def call(caller, peer):
        made = await alone(peer, "keltis")
        wanted = {
            "match_id": made.match.id,
            "token": made.seat_tokens[0],
            "options": {"bot": {"name": "ismcts", "limit": {"iterations": "20"}}},
        }
        _, hinted = await caller.stream("MatchService/Hint", wanted)
        _, early = await caller.stream("MatchService/ReviewMatch", {"match_id": made.match.id})
        paused = await caller.call(
            "MatchService/PauseMatch", {"match_id": made.match.id, "token": made.owner_token}
        )
        return hinted, early, paused

    (*_, last, end), (refused,), paused = with_web(call)
    assert last["final"] is True
    assert "error" not in end
    assert refused["error"]["code"] == "failed_precondition"
    assert paused.json["match"]["autoplay"] == {"paused": True}


def test_hints_and_reviews_in_this_process():
    with Client.local() as client:
        made = client.create_match("keltis", [None, "random"], autoplay=True)
        token = made.seat_tokens[0]
        while client.match(made.id).to_act != 0:
            pass
        *_, last = client.hint(made.id, token, "ismcts:iterations=20")
        assert last.final
        assert last.result.move in client.match_moves(made.id, token).moves
        with pytest.raises(NotNow, match="goes on"):
            list(client.review_match(made.id))
        client.resign(made.id, token)
        *_, summary = client.review_match(made.id, bot="ismcts:iterations=5", seats=[0])
        assert summary.found.seat == 0
        fair = client.create_match("keltis", [None, None])
        to_act = fair.match.to_act
        with pytest.raises(NotNow, match="without hints"):
            list(client.hint(fair.id, fair.seat_tokens[to_act]))
