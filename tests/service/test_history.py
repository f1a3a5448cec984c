"""What viewers saw at earlier versions of a match: what they saw then, and nothing more."""

import asyncio

import grpc
import pytest

from pythia.core_cy import SPECTATOR, Random, View, game_info, list_games, state_from_json
from pythia.core_cy.record import Record
from pythia.search.display import judged
from pythia.service.replays import Replays
from pythia.service.wire import position_message
from pythia.v1 import match_pb2
from tests.service.serving import bot, refusal, with_server
from tests.service.web import with_web

Code = grpc.StatusCode
EVENTS = 70  # more than lie between two positions that are kept


def observe(peer, match_id, **fields):
    return peer.match.Observe(match_pb2.ObserveRequest(match_id=match_id, **fields))


async def people(peer, game, **fields):
    return await peer.create(*[None] * game_info(game).min_players, game=game, reproducible=False, **fields)


async def play(peer, made, events=EVENTS, heard=None, undos=False):
    """Random moves of people, now and then taken back where that is allowed; `heard` is called at every version."""
    match, rng = made.match, Random(5)
    while match.version < events and match.status == match_pb2.MATCH_STATUS_ACTIVE:
        token = made.seat_tokens[match.to_act]
        before = match.to_act
        match = (await peer.submit(match.id, token, rng.choice(await peer.moves(match.id, token)))).match
        if heard:
            await heard(match)
        if undos and rng.random() < 0.5:
            request = match_pb2.UndoRequest(match_id=match.id, token=made.seat_tokens[before])
            try:
                match = (await peer.match.Undo(request)).match
            except grpc.aio.AioRpcError:
                continue
            await heard(match)
    return match


@pytest.mark.parametrize("game", list_games())
def test_every_version_as_every_viewer(game):
    """The answers are the observations computed from the record, whose states the caller never gets."""

    async def call(peer):
        made = await people(peer, game)
        match = await play(peer, made)
        export = match_pb2.ExportRecordRequest(match_id=match.id, token=made.owner_token)
        record = Record.read((await peer.match.ExportRecord(export)).record.splitlines(), unfinished=True)
        states = list(record.replay())
        assert len(states) == match.version + 1
        versions = [*range(match.version + 1), *range(0, match.version, 7)]
        for version in versions:
            for seat, token in enumerate(made.seat_tokens):
                expected = position_message(states[version].observation(seat))
                seen = await observe(peer, match.id, token=token, version=version)
                assert (seen.version, seen.observation) == (version, expected)
                named = await observe(peer, match.id, seat=seat, token=token, version=version)
                assert named == seen
            for token in ("", made.owner_token):
                seen = await observe(peer, match.id, token=token, version=version)
                assert seen.observation == position_message(states[version].observation(SPECTATOR))

    with_server(call)


@pytest.mark.parametrize("game", list_games())
def test_what_was_seen_stays_what_it_was_also_when_moves_are_taken_back(game):
    async def call(peer):
        made = await people(peer, game)
        saw = {}

        async def heard(match):
            for token in ("", *made.seat_tokens):
                saw[match.version, token] = (await observe(peer, match.id, token=token)).observation

        match = await play(peer, made, 40, heard, undos=True)
        stored = await peer.server._backend._store.load(match.id)
        for (version, token), seen in saw.items():
            again = await observe(peer, match.id, token=token, version=version)
            assert again.observation == seen, version
        return sum(event.kind == "undo" for event in stored.events)

    undone = with_server(call)
    if game == "delphi":
        assert undone > 2


def test_a_seat_is_that_of_its_token():
    """Without one the view was that of a spectator, whatever the token."""

    async def call(peer):
        made = await people(peer, "keltis")
        match = await play(peer, made, 6)
        for seat, token in enumerate(made.seat_tokens):
            assert (await observe(peer, match.id, token=token)).observation.keltis.observer == seat
            events = [
                [
                    (await stream.read()).event
                    for stream in [peer.match.Watch(request)]
                    for _ in range(match.version)
                ]
                for request in (
                    match_pb2.WatchRequest(match_id=match.id, token=token),
                    match_pb2.WatchRequest(match_id=match.id, token=token, seat=seat),
                )
            ]
            assert events[0] == events[1]
        refused = await refusal(observe(peer, match.id, seat=1, token=made.seat_tokens[0]))
        assert refused.reason == "SEAT_TOKEN_NEEDED"

    with_server(call)


def test_versions_that_do_not_exist():
    async def call(peer):
        made = await people(peer, "keltis")
        match = await play(peer, made, 6)
        refused = [
            await refusal(observe(peer, match.id, version=version))
            for version in (-1, match.version + 1, 2**62)
        ]
        wrong = await refusal(observe(peer, match.id, version=1, token="wrong"))
        return match.version, refused, wrong

    version, refused, wrong = with_server(call)
    for why in refused:
        assert (why.code, why.fields) == (Code.OUT_OF_RANGE, ["version"])
        assert f"allowed: 0 to {version}" in why.words
    assert wrong.reason == "WRONG_TOKEN"


def test_versions_over_http():
    async def call(caller, peer):
        made = await people(peer, "keltis")
        match = await play(peer, made, 10)
        wanted = {"match_id": match.id, "version": 3, "token": made.seat_tokens[1]}
        reply = await caller.call("MatchService/Observe", wanted)
        late = await caller.call("MatchService/Observe", wanted | {"version": 99})
        return reply, late

    reply, late = with_web(call)
    assert reply.json["version"] == "3"
    assert reply.json["observation"]["keltis"]["observer"] == 1
    assert (late.status, late.code, late.reason) == (400, "out_of_range", "NO_SUCH_VERSION")


def test_a_thousand_sliders_leave_little_behind():
    """Few positions are kept, of few matches, and each replay applies few moves."""

    async def call(peer):
        made = await people(peer, "keltis")
        match = await play(peer, made, 60)
        replays = peer.server._backend._servicers[2][0]._matches._replays
        answers = []
        for begin in range(0, 800, 80):
            asked = (observe(peer, match.id, version=n % match.version) for n in range(begin, begin + 80))
            answers += await asyncio.gather(*asked, return_exceptions=True)
        refused = [answer for answer in answers if isinstance(answer, Exception)]
        assert all(why.code() == Code.RESOURCE_EXHAUSTED for why in refused)
        assert len(refused) < 400
        (kept,) = replays._kept.values()
        assert len(kept) <= 1 + match.version // Replays.EVERY
        for _ in range(Replays.MATCHES + 5):
            other = await people(peer, "keltis")
            if other.match.version:
                await observe(peer, other.match.id, version=0)
        assert len(replays._kept) <= Replays.MATCHES

    with_server(call)


def test_scores_during_play_are_what_everyone_sees_and_final_ones_are_complete():
    async def call(peer):
        found = {}
        for game in list_games():
            made = await peer.create(*[bot("random")] * game_info(game).min_players, game=game)
            match = made.match
            for _ in range(12):
                request = match_pb2.PlayBotTurnRequest(match_id=match.id)
                match = (await peer.match.PlayBotTurn(request)).match
            stored = await peer.server._backend._matches.get(match.id)
            seen = state_from_json(stored.state.to_json())
            found[game] = match, seen
            assert match.HasField("to_act")
        return found

    for game, (match, state) in with_server(call).items():
        expected = state.game.scores(View.of(state, SPECTATOR)) or []
        assert [(score.total, dict(score.parts)) for score in match.scores] == [
            (score["total"], score["parts"]) for score in expected
        ], game


def test_chances_are_shown_where_no_person_plays_and_only_as_spectators_judge_them():
    async def call(peer):
        found = {}
        for game in list_games():
            players = game_info(game).min_players
            made = await peer.create(*[bot("random")] * players, game=game)
            request = match_pb2.PlayBotTurnRequest(match_id=made.match.id)
            match = (await peer.match.PlayBotTurn(request)).match
            stored = await peer.server._backend._matches.get(match.id)
            # Whatever is hidden from everyone is drawn anew: it must not change what is shown.
            other = stored.state.imagined(SPECTATOR, 99)
            mixed = await peer.create(*[bot("random")] * (players - 1), None, game=game)
            found[game] = match, judged(View.of(other, SPECTATOR)), mixed.match
        return found

    for game, (match, expected, mixed) in with_server(call).items():
        assert list(match.values) == pytest.approx(expected), game
        assert sum(match.values) == pytest.approx(1), game
        assert not mixed.values, game


def test_the_final_scores():
    async def call(peer):
        made = await peer.create(bot("greedy"), bot("random"), game="keltis", autoplay=match_pb2.Autoplay())
        request = match_pb2.WatchRequest(match_id=made.match.id)
        async for _ in peer.match.Watch(request):
            pass
        match = await peer.get(made.match.id)
        listed = await peer.match.ListLegalMoves(match_pb2.ListLegalMovesRequest(match_id=match.id))
        return match, listed, (await peer.server._backend._matches.get(match.id)).state

    match, listed, state = with_server(call)
    assert listed.HasField("to_act")
    assert match.to_act == listed.to_act == -2
    totals = [score.total for score in match.result.scores]
    assert list(match.scores) == list(match.result.scores)
    assert len(totals) == 2
    best = max(totals)
    assert [seat for seat, total in enumerate(totals) if total == best] == list(match.result.winners) or len(
        match.result.winners
    ) == 1
    assert state.is_over
