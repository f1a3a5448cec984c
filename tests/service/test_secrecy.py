"""What stays hidden in a match, from whom, and whose matches a client may see."""

import asyncio

import grpc
import pytest

from pythia.core_cy import game_info, list_games, load_game
from pythia.core_cy.record import Record
from pythia.v1 import match_pb2
from tests.service.serving import Peer, bot, refusal, serving, with_server
from tests.service.test_auth import BOSS, PLAYER, TOKENS, bearer

Code = grpc.StatusCode
OTHER = "other-player-0123456789"
TWO_PLAYERS = f"""{TOKENS}
[[tokens]]
name = "other"
token = "{OTHER}"
roles = ["play"]
matches = 3
"""
RANDOM = bot("random")


async def record_of(peer, made, **more):
    request = match_pb2.ExportRecordRequest(match_id=made.match.id, token=made.owner_token)
    return (await peer.match.ExportRecord(request, **more)).record


def rotate(peer, made, token, key="", **more):
    request = match_pb2.RotateTokenRequest(match_id=made.match.id, token=token, idempotency_key=key)
    return peer.match.RotateToken(request, **more)


def observe(peer, match_id, seat=None, token="", **more):
    request = match_pb2.ObserveRequest(match_id=match_id, seat=seat, token=token)
    return peer.match.Observe(request, **more)


# -- seeds


def deal_found(path, seeds):
    """The attack: deal every seed, and compare what is open."""
    for seed in seeds:
        state = load_game("keltis", players=2, seed=seed).new_state()
        if state.to_json()["path"] == path:
            return state
    return None


def test_what_is_open_does_not_lead_to_what_is_hidden():
    """A spectator who tries all seeds finds the hands of a reproducible match, and of no other."""
    seed = 321

    async def call(peer):
        found = {}
        for reproducible in (True, False):
            made = await peer.create(None, None, game="keltis", seed=seed, reproducible=reproducible)
            seen = (await observe(peer, made.match.id)).observation
            start = Record.read((await record_of(peer, made)).splitlines(), unfinished=True).header["start"]
            assert len(seen.keltis.path) == len(start["path"]), "the path is open"
            dealt = await asyncio.to_thread(deal_found, start["path"], range(1000))
            found[reproducible] = dealt, start
        return found

    found = with_server(call)
    dealt, start = found[True]
    assert dealt is not None
    assert dealt.to_json() == start, "with the seed both hands are known"
    assert found[False][0] is None


@pytest.mark.parametrize("game", list_games())
def test_a_chosen_seed_decides_alone_only_where_that_was_asked_for(game):
    seats = game_info(game).min_players

    async def call(peer):
        starts = {True: [], False: []}
        for reproducible in (True, True, False, False):
            made = await peer.create(*[RANDOM] * seats, game=game, seed=5, reproducible=reproducible)
            for _ in range(6):
                await peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=made.match.id))
            starts[reproducible].append(await record_of(peer, made))
            shown = await peer.get(made.match.id)
            assert (shown.seed_chosen, shown.reproducible) == (True, reproducible)
        drawn = await peer.match.CreateMatch(
            match_pb2.CreateMatchRequest(game=game, seats=[match_pb2.Seat()] * seats)
        )
        assert (drawn.match.seed_chosen, drawn.match.reproducible) == (False, False)
        return starts

    starts = with_server(call)
    assert starts[True][0] == starts[True][1]
    assert starts[False][0] != starts[False][1]


def test_luck_does_not_follow_from_the_seed_or_the_deal():
    """From the same start the same caller's seed draws other dice in every match."""

    async def call(peer):
        rolls = []
        for _ in range(8):
            made = await peer.create(RANDOM, RANDOM, seed=5, reproducible=False)
            stored = await peer.server._backend._store.load(made.match.id)
            assert stored.header.seed.bit_length() > 128
            rolls.append(tuple(event.text for event in stored.events))
        return rolls

    assert len(set(with_server(call))) > 1


def test_a_match_with_a_mixed_seed_replays_from_its_record():
    async def call(peer):
        made = await peer.create(RANDOM, RANDOM, game="keltis", seed=3, reproducible=False)
        match = made.match
        while match.status == match_pb2.MATCH_STATUS_ACTIVE:
            request = match_pb2.PlayBotTurnRequest(match_id=match.id)
            match = (await peer.match.PlayBotTurn(request)).match
        stored = await peer.server._backend._store.load(match.id)
        return match, await record_of(peer, made), [event.text for event in stored.events]

    match, text, events = with_server(call)
    record = Record.read(text.splitlines())
    *_, last = record.replay()
    assert [entry.move for entry in record.moves] == events
    assert last.returns() == list(match.result.returns)


@pytest.mark.parametrize("game", list_games())
def test_seeds_that_are_drawn_cannot_be_tried_out(game):
    assert max(load_game(game).options["seed"] for _ in range(64)) >= 2**61


# -- the owner


def test_everyone_sees_what_the_owner_can_see():
    async def call(peer):
        made = await peer.create(None, RANDOM, None)
        before = await peer.get(made.match.id)
        token = (await rotate(peer, made, made.seat_tokens[2])).token
        after = await peer.get(made.match.id)
        assert (await observe(peer, made.match.id, 2, token)).version == made.match.version
        imported = await peer.match.ImportRecord(
            match_pb2.ImportRecordRequest(record=await record_of(peer, made))
        )
        return before, after, imported.match

    before, after, imported = with_server(call)
    assert before.owner.exports_unfinished
    assert (list(before.owner.seats), list(after.owner.seats)) == ([0, 2], [0])
    assert (before.imported, imported.imported) == (False, True)


def test_a_match_whose_owner_is_blind():
    """Neither the record nor a seat is the owner's, nor an admin's; each player takes a seat, once."""

    async def call(peer):
        made = await peer.create(
            None, None, reproducible=False, blind_owner=True, metadata=bearer(PLAYER), game="keltis"
        )
        match_id, owner = made.match.id, bearer(PLAYER)
        assert made.match.owner == match_pb2.OwnerRights()
        refused = [
            await refusal(record_of(peer, made, metadata=owner)),
            await refusal(
                peer.match.ExportRecord(
                    match_pb2.ExportRecordRequest(match_id=match_id), metadata=bearer(BOSS)
                )
            ),
            await refusal(observe(peer, match_id, 0, made.seat_tokens[0], metadata=owner)),
            await refusal(observe(peer, match_id, 0, metadata=bearer(BOSS))),
        ]
        taken = (await rotate(peer, made, made.seat_tokens[1], metadata=bearer(OTHER))).token
        await observe(peer, match_id, 1, taken, metadata=bearer(OTHER))
        late = await refusal(rotate(peer, made, made.seat_tokens[1], metadata=owner))
        resign = match_pb2.ResignRequest(match_id=match_id, token=taken)
        await peer.match.Resign(resign, metadata=bearer(OTHER))
        await record_of(peer, made, metadata=owner)
        return refused, late

    refused, late = with_server(call, tokens=TWO_PLAYERS)
    assert {why.code for why in refused} == {Code.PERMISSION_DENIED}
    assert [why.reason for why in refused] == [
        "BLIND_OWNER",
        "BLIND_OWNER",
        "SEAT_NOT_TAKEN",
        "SEAT_TOKEN_NEEDED",
    ]
    assert late.reason == "WRONG_TOKEN"


# -- tokens of a match


def test_a_replaced_token_is_refused_and_its_watch_ends():
    async def call(peer):
        made = await peer.create(None, None, idempotency_key="k")
        match_id, old = made.match.id, made.seat_tokens[0]
        watch = peer.match.Watch(
            match_pb2.WatchRequest(match_id=match_id, seat=0, token=old, after_version=made.match.version)
        )
        heard = asyncio.ensure_future(refusal(watch))
        await asyncio.sleep(0.05)
        new = (await rotate(peer, made, old, "lost answer")).token
        again = (await rotate(peer, made, old, "lost answer")).token
        refused = [
            await refusal(rotate(peer, made, old, "another request")),
            await refusal(rotate(peer, made, old)),
            await refusal(observe(peer, match_id, 0, old)),
            await heard,
        ]
        await observe(peer, match_id, 0, new)
        repeated = await peer.create(None, None, idempotency_key="k")
        assert repeated.seat_tokens == made.seat_tokens, "who repeats the creation does not get the new token"
        owner = (await rotate(peer, made, made.owner_token)).token
        refused.append(await refusal(record_of(peer, made)))
        request = match_pb2.ExportRecordRequest(match_id=match_id, token=owner)
        await peer.match.ExportRecord(request)
        return new, again, refused

    new, again, refused = with_server(call)
    assert new == again
    assert {why.reason for why in refused} == {"WRONG_TOKEN"}, refused


def test_rotations_outlive_the_server(tmp_path):
    async def go():
        settings = {"store": f"sqlite:{tmp_path / 'x.sqlite'}"}
        async with serving(**settings) as peer:
            made = await peer.create(None, None)
            new = (await rotate(peer, made, made.seat_tokens[0])).token
        async with serving(**settings) as peer:
            await observe(peer, made.match.id, 0, new)
            await observe(peer, made.match.id, 1, made.seat_tokens[1])
            return await refusal(observe(peer, made.match.id, 0, made.seat_tokens[0]))

    assert asyncio.run(go()).reason == "WRONG_TOKEN"


@pytest.mark.parametrize("hours", [0, 24])
def test_seat_tokens_expire_with_the_match(hours):
    async def call(peer):
        made = await peer.create(None, RANDOM)
        request = match_pb2.ResignRequest(match_id=made.match.id, token=made.seat_tokens[0])
        await peer.match.Resign(request)
        await record_of(peer, made)  # the owner's lasts
        seen = observe(peer, made.match.id, 0, made.seat_tokens[0])
        return await seen if hours else await refusal(seen)

    answer = with_server(call, seat_token_hours=hours)
    if not hours:
        assert (answer.code, answer.reason) == (Code.PERMISSION_DENIED, "TOKEN_EXPIRED")


def test_a_new_match_with_an_old_id_has_other_tokens():
    async def call(peer):
        first = await peer.create(None, None, idempotency_key="k")
        await peer.match.DeleteMatch(
            match_pb2.DeleteMatchRequest(match_id=first.match.id, token=first.owner_token)
        )
        second = await peer.create(None, None, idempotency_key="k")
        assert second.match.id == first.match.id
        return [
            await refusal(observe(peer, second.match.id, 0, first.seat_tokens[0])),
            await refusal(record_of(peer, first)),
        ]

    assert {refused.reason for refused in with_server(call)} == {"WRONG_TOKEN"}


def test_keys_of_callers_without_a_token_belong_to_their_connection():
    async def call(peer):
        first = await peer.create(None, None, idempotency_key="k")
        again = await peer.create(None, None, idempotency_key="k")
        apart = (("grpc.use_local_subchannel_pool", 1),)
        async with grpc.aio.insecure_channel(peer.server.address, options=apart) as channel:
            other = await Peer(peer.server, channel).create(None, None, idempotency_key="k")
        return first, again, other

    first, again, other = with_server(call)
    assert first == again
    assert other.match.id != first.match.id
    assert not set(other.seat_tokens) & set(first.seat_tokens)


# -- whose matches


def every_look(peer, match_id, token, **more):
    """All calls that name a match, with a token of it or without."""
    names = {
        name: method.input_type
        for name, method in match_pb2.DESCRIPTOR.services_by_name["MatchService"].methods_by_name.items()
        if {"match_id", "token"} <= set(method.input_type.fields_by_name)
    }
    for name in names:
        request = getattr(match_pb2, f"{name}Request")(match_id=match_id, token=token)
        if name == "SubmitMove":
            request.move = "end"
        if name == "RotateToken":
            request.token = token or "x"
        yield name, getattr(peer.match, name)(request, **more)


def test_matches_belong_to_the_token_that_made_them():
    async def call(peer):
        mine = await peer.create(None, None, metadata=bearer(PLAYER))
        public = await peer.create(None, None, metadata=bearer(PLAYER), public=True)
        theirs = await peer.create(None, None, metadata=bearer(OTHER))
        listed = {}
        for token in (PLAYER, OTHER, BOSS):
            page = await peer.match.ListMatches(match_pb2.ListMatchesRequest(), metadata=bearer(token))
            listed[token] = [match.id for match in page.matches]
        stranger = bearer(OTHER)
        refused = {
            (name, token): await refusal(look)
            for token in ("", "wrong")
            for name, look in every_look(peer, mine.match.id, token, metadata=stranger)
        }
        for watcher in (stranger, bearer(BOSS)):
            await observe(peer, public.match.id, metadata=watcher)
            await peer.match.Watch(match_pb2.WatchRequest(match_id=public.match.id), metadata=watcher).read()
        await observe(peer, mine.match.id, metadata=bearer(BOSS))
        # A guest who was given a token of the match is in.
        guest = mine.seat_tokens[1]
        await observe(peer, mine.match.id, 1, guest, metadata=stranger)
        look = match_pb2.GetMatchRequest(match_id=mine.match.id, token=guest)
        await peer.match.GetMatch(look, metadata=stranger)
        ids = [made.match.id for made in (theirs, public, mine)]
        return listed, refused, ids

    listed, refused, (theirs, public, mine) = with_server(call, tokens=TWO_PLAYERS)
    assert listed == {PLAYER: [public, mine], OTHER: [theirs], BOSS: [theirs, public, mine]}
    assert len(refused) >= 2 * 11
    for name, why in refused.items():
        assert (why.code, why.fields) == (Code.NOT_FOUND, ["match_id"]), (name, why)


def test_the_number_of_matches_of_a_client():
    """By the setting, or by the token where it says so; a repeated request is not one more."""

    async def call(peer):
        refused, made = {}, {}
        for token, most in ((PLAYER, 2), (OTHER, 3)):
            for number in range(most):
                more = {"metadata": bearer(token), "idempotency_key": str(number)}
                made[token] = await peer.create(None, RANDOM, **more)
            await peer.create(None, RANDOM, **more)
            refused[token] = await refusal(peer.create(None, RANDOM, metadata=bearer(token)))
            imported = match_pb2.ImportRecordRequest(
                record=await record_of(peer, made[token], metadata=bearer(token))
            )
            assert (
                await refusal(peer.match.ImportRecord(imported, metadata=bearer(token)))
            ).reason == "TOO_MANY_MATCHES"
        last = made[PLAYER]
        delete = match_pb2.DeleteMatchRequest(match_id=last.match.id, token=last.owner_token)
        await peer.match.DeleteMatch(delete, metadata=bearer(PLAYER))
        await peer.create(None, RANDOM, metadata=bearer(PLAYER))
        return refused

    refused = with_server(call, tokens=TWO_PLAYERS, matches_per_client=2)
    assert {(why.code, why.reason) for why in refused.values()} == {
        (Code.RESOURCE_EXHAUSTED, "TOO_MANY_MATCHES")
    }
    assert "has 2 matches" in refused[PLAYER].words
    assert "has 3 matches" in refused[OTHER].words


def test_service_methods_are_all_guarded():
    """A method that names a match takes a token, or could not be called for a match of another client."""
    service = match_pb2.DESCRIPTOR.services_by_name["MatchService"]
    for method in service.methods_by_name.values():
        fields = set(method.input_type.fields_by_name)
        assert "match_id" not in fields or "token" in fields, method.name
