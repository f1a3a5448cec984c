"""Whole games with the service as referee."""

import asyncio
import io
from dataclasses import replace

import grpc
import pytest

from pythia.core_cy import CHANCE, SPECTATOR, Random, View, game_info, list_games, load_game
from pythia.core_cy.record import Record, record_game
from pythia.service.live_match import LiveMatch, MatchStep
from pythia.service.store import Header, Stored
from pythia.service.wire import position_message, struct_message
from pythia.v1 import match_pb2
from tests.service.serving import bot, refusal, with_server

Code = grpc.StatusCode
GREEDY = bot("greedy")
QUICK = bot("ismcts", iterations=5)
SHORT = struct_message({"removed_tasks": 4})


def texts(events):
    return [(event.by, event.move.text) for event in events]


async def until_move_is_open(peer, made, match, prefix):
    """Play seat 0 and 1, both people, at random until seat 0 has a move that starts so; its text."""
    rng = Random(3)
    while True:
        found = await peer.moves(match.id, made.seat_tokens[match.to_act])
        wanted = [move for move in found if prefix in move]
        if wanted:
            return wanted[0], match
        match = (await peer.submit(match.id, made.seat_tokens[match.to_act], rng.choice(found))).match


def test_a_person_plays_a_bot_to_the_end():
    async def call(peer):
        made = await peer.create(None, GREEDY, options=SHORT)
        match, token = made.match, made.seat_tokens[0]
        assert made.seat_tokens[1] == ""
        turns = 0
        while match.status == match_pb2.MATCH_STATUS_ACTIVE:
            if match.to_act == 0:
                move = (await peer.moves(match.id, token))[-1]
                match = (await peer.submit(match.id, token, move, expected_version=match.version)).match
            else:
                request = match_pb2.PlayBotTurnRequest(match_id=match.id, token=token)
                played = await peer.match.PlayBotTurn(request)
                assert played.events[0].by == 1
                match = played.match
            turns += 1
        events = [
            answer.event async for answer in peer.match.Watch(match_pb2.WatchRequest(match_id=match.id))
        ]
        record = await peer.match.ExportRecord(match_pb2.ExportRecordRequest(match_id=match.id))
        return match, events, record

    match, events, record = with_server(call)
    assert match.to_act == -2
    assert [event.version for event in events] == list(range(1, match.version + 1))
    assert record.complete
    *_, last = Record.read(record.record.splitlines()).replay()
    assert texts(events) == list(Record.read(record.record.splitlines()).moves)
    assert list(match.result.returns) == last.returns()


def test_bots_play_each_other_streamed_and_the_same_seed_is_the_same_game():
    async def call(peer):
        stories = []
        for _ in range(2):
            match = (await peer.create(QUICK, GREEDY, options=SHORT)).match
            story = []
            for _ in range(8):
                stream = peer.match.StreamBotTurn(match_pb2.StreamBotTurnRequest(match_id=match.id))
                async for played in stream:
                    story += texts(played.events)
                    match = played.match
            stories.append(story)
        return stories

    first, second = with_server(call)
    assert first == second
    assert {by for by, _ in first} == {-1, 0, 1}


@pytest.mark.parametrize(
    ("spec", "within_turns"), [("ismcts:iterations=12", True), ("ismcts:iterations=40,per=turn", False)]
)
def test_a_restart_does_not_change_the_game(spec, within_turns):
    """With a limit for each decision never; with one for the turn, unless it comes in the middle of one."""
    start = load_game("delphi", seed=3).new_state().to_json()
    seats = [{"name": name, "bot": spec} for name in ("a", "b")]
    header = Header("m", "delphi", 0.0, {}, seats, start, 5, False)

    def played(restarts):
        match, turn = LiveMatch(Stored(header, [])), 0
        state = match.state.clone()
        match.add(MatchStep(match.draw_chance(state, 0), state))
        while len(match.line) < 40:
            if restarts and (within_turns or match.state.turn_number != turn):
                match = LiveMatch(Stored(header, match.events))
            turn = match.state.turn_number
            bot = match.bot(match.to_act)
            match.add(match.play(bot.choose(match.state.observation(match.to_act)).move))
        return [event.text for event in match.line]

    assert played(restarts=True) == played(restarts=False)


def test_real_dice_are_reported():
    async def call(peer):
        made = await peer.create(None, GREEDY, real_dice=True)
        match = made.match
        assert (match.to_act, match.version, match.real_dice) == (CHANCE, 0, True)
        lists = [
            await peer.match.ListLegalMoves(match_pb2.ListLegalMovesRequest(match_id=match.id, token=token))
            for token in ("", made.seat_tokens[0], made.owner_token)
        ]
        assert lists[0] == lists[1] == lists[2], "everyone sees what chance may bring"
        outcomes = lists[0]
        assert sum(outcomes.probabilities) == pytest.approx(1)
        refused = await refusal(peer.submit(match.id, "", outcomes.moves[0].text))
        assert refused.code == Code.PERMISSION_DENIED
        refused = await refusal(
            peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=match.id, token=made.owner_token))
        )
        assert refused.reason == "CHANCE_TO_ACT"
        match = (await peer.submit(match.id, made.owner_token, outcomes.moves[0].text)).match
        match = (await peer.submit(match.id, made.seat_tokens[0], "roll red red blue")).match
        assert (match.to_act, match.version) == (CHANCE, 2)

    with_server(call)


@pytest.mark.parametrize("game", list_games())
def test_real_dice_only_where_chance_tells_nothing(game):
    """Whoever reports a hidden card sees it, and whoever may try outcomes finds out what others hold."""
    rng, text = Random(7), io.StringIO()
    record = record_game(load_game(game, seed=7).new_state(), lambda state: state.random_move(rng), rng)
    replace(record, moves=record.moves[:9], result={}).write(text)

    async def call(peer):
        for attempt in (
            peer.create(*[None] * game_info(game).min_players, game=game, real_dice=True),
            peer.match.ImportRecord(match_pb2.ImportRecordRequest(record=text.getvalue(), real_dice=True)),
        ):
            if game_info(game).open_chance:
                assert (await attempt).match.real_dice
            else:
                refused = await refusal(attempt)
                assert (refused.code, refused.fields) == (Code.INVALID_ARGUMENT, ["real_dice"])
                assert f"not possible in {game}" in refused.words

    with_server(call)


def test_what_seats_and_spectators_see():
    async def call(peer):
        made = await peer.create(None, None)
        look, match = await until_move_is_open(peer, made, made.match, "look")
        looker = match.to_act
        await peer.submit(match.id, made.seat_tokens[looker], look)
        record = await peer.match.ExportRecord(
            match_pb2.ExportRecordRequest(match_id=match.id, token=made.owner_token)
        )
        seen = {}
        for viewer in (SPECTATOR, 0, 1):
            request = match_pb2.ObserveRequest(match_id=match.id)
            if viewer >= 0:
                request.seat, request.token = viewer, made.seat_tokens[viewer]
            seen[viewer] = (await peer.match.Observe(request)).observation
        return record.record, seen

    record, seen = with_server(call)
    read = Record.read(record.splitlines(), unfinished=True)
    *_, truth = read.replay()
    for viewer, observation in seen.items():
        assert observation == position_message(truth.observation(viewer))
    assert seen[0] != seen[1]
    for tile in seen[SPECTATOR].delphi.island_tiles:
        assert bool(tile.color) == tile.face_up
    for player in seen[SPECTATOR].delphi.players:
        assert not any(tile.color for tile in player.knows)


def test_private_things_need_the_right_token():
    async def call(peer):
        made = await peer.create(None, None)
        match_id, (first, second) = made.match.id, made.seat_tokens
        other = await peer.create(None, None)
        seat = made.match.to_act
        own, foreign = made.seat_tokens[seat], made.seat_tokens[1 - seat]
        calls = {
            "observe without": peer.match.Observe(match_pb2.ObserveRequest(match_id=match_id, seat=0)),
            "observe other": peer.match.Observe(
                match_pb2.ObserveRequest(match_id=match_id, seat=0, token=second)
            ),
            "observe owner": peer.match.Observe(
                match_pb2.ObserveRequest(match_id=match_id, seat=0, token=made.owner_token)
            ),
            "other match": peer.match.Observe(
                match_pb2.ObserveRequest(match_id=match_id, seat=0, token=other.seat_tokens[0])
            ),
            "watch": peer.match.Watch(match_pb2.WatchRequest(match_id=match_id, seat=1, token=first)),
            "moves": peer.match.ListLegalMoves(match_pb2.ListLegalMovesRequest(match_id=match_id)),
            "moves other": peer.match.ListLegalMoves(
                match_pb2.ListLegalMovesRequest(match_id=match_id, token=foreign)
            ),
            "submit": peer.submit(match_id, "", "end"),
            "submit owner": peer.submit(match_id, made.owner_token, "end"),
            "bot": peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=match_id)),
            "export": peer.match.ExportRecord(match_pb2.ExportRecordRequest(match_id=match_id, token=own)),
            "delete": peer.match.DeleteMatch(match_pb2.DeleteMatchRequest(match_id=match_id, token=own)),
            "resign": peer.match.Resign(match_pb2.ResignRequest(match_id=match_id)),
        }
        refused = {name: await refusal(made_call) for name, made_call in calls.items()}
        return refused, made.match, await peer.get(match_id)

    refused, before, after = with_server(call)
    for name, why in refused.items():
        assert (why.code, why.fields) == (Code.PERMISSION_DENIED, ["token"]), (name, why)
    assert before == after


def test_acting_out_of_turn():
    async def call(peer):
        made = await peer.create(None, None)
        return await refusal(peer.submit(made.match.id, made.seat_tokens[1 - made.match.to_act], "end"))

    refused = with_server(call)
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "NOT_YOUR_TURN")


def test_illegal_moves_say_why_and_change_nothing():
    async def call(peer):
        made = await peer.create(None, GREEDY)
        found = []
        for move in ("die:red fly", "end", "", "x" * 300, "\0\n\x1b[2J"):
            found.append(await refusal(peer.submit(made.match.id, made.seat_tokens[0], move)))
        return found, made.match, await peer.get(made.match.id)

    found, before, after = with_server(call)
    for refused in found:
        assert (refused.code, refused.fields) == (Code.INVALID_ARGUMENT, ["move"]), refused
    assert before == after


def test_a_retried_submission_is_done_once():
    async def call(peer):
        made = await peer.create(None, GREEDY)
        match_id, token = made.match.id, made.seat_tokens[0]
        move, other = (await peer.moves(match_id, token))[:2]
        first = await peer.submit(match_id, token, move, idempotency_key="k1")
        again = await peer.submit(match_id, token, move, idempotency_key="k1")
        reused = await refusal(peer.submit(match_id, token, other, idempotency_key="k1"))
        next_move = (await peer.moves(match_id, token))[0]
        together = await asyncio.gather(
            *(peer.submit(match_id, token, next_move, idempotency_key="k2") for _ in range(5))
        )
        return first, again, reused, together

    first, again, reused, together = with_server(call)
    assert first == again
    assert all(answer.events == together[0].events for answer in together)
    assert (reused.code, reused.fields) == (Code.INVALID_ARGUMENT, ["idempotency_key"])


def test_a_retried_creation_gives_the_same_match():
    async def call(peer):
        first = await peer.create(None, GREEDY, idempotency_key="a")
        again = await peer.create(None, GREEDY, idempotency_key="a")
        reused = await refusal(peer.create(None, None, idempotency_key="a"))
        new = await peer.create(None, GREEDY, idempotency_key="b")
        return first, again, reused, new

    first, again, reused, new = with_server(call)
    assert first == again
    assert reused.fields == ["idempotency_key"]
    assert new.match.id != first.match.id


def test_of_two_submissions_at_once_one_fails_cleanly():
    async def call(peer):
        made = await peer.create(None, GREEDY)
        match_id, token = made.match.id, made.seat_tokens[0]
        moves = (await peer.moves(match_id, token))[:2]
        results = await asyncio.gather(
            *(peer.submit(match_id, token, move, expected_version=made.match.version) for move in moves),
            return_exceptions=True,
        )
        return results, made.match.version, (await peer.get(match_id)).version

    results, before, after = with_server(call)
    errors = [result for result in results if isinstance(result, grpc.aio.AioRpcError)]
    assert [error.code() for error in errors] == [Code.ABORTED]
    assert after > before


def test_undo_takes_back_what_showed_nothing():
    async def call(peer):
        made = await peer.create(None, None)
        step, match = await until_move_is_open(peer, made, made.match, "sail")
        seat, token = match.to_act, made.seat_tokens[match.to_act]
        see = match_pb2.ObserveRequest(match_id=match.id, seat=seat, token=token)
        before = (await peer.match.Observe(see)).observation
        moved = (await peer.submit(match.id, token, step)).match
        undo = match_pb2.UndoRequest(match_id=match.id, token=token)
        foreign = match_pb2.UndoRequest(match_id=match.id, token=made.seat_tokens[1 - seat])
        refused = await refusal(peer.match.Undo(foreign))
        undone = (await peer.match.Undo(undo)).match
        after = (await peer.match.Observe(see)).observation
        watch = peer.match.Watch(match_pb2.WatchRequest(match_id=match.id, after_version=moved.version))
        event = (await watch.read()).event
        watch.cancel()
        return before, after, moved, undone, refused, event

    before, after, moved, undone, refused, event = with_server(call)
    assert before == after
    assert undone.version == moved.version + 1
    assert refused.code == Code.FAILED_PRECONDITION
    assert event.WhichOneof("kind") == "undone"


@pytest.mark.parametrize(("prefix", "reason"), [("look", "SOMETHING_SHOWN"), ("draw", "CHANCE_DRAWN")])
def test_undo_is_refused_once_something_was_learned(prefix, reason):
    async def call(peer):
        made = await peer.create(None, None)
        move, match = await until_move_is_open(peer, made, made.match, prefix)
        token = made.seat_tokens[match.to_act]
        await peer.submit(match.id, token, move)
        return await refusal(peer.match.Undo(match_pb2.UndoRequest(match_id=match.id, token=token)))

    refused = with_server(call)
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, reason)


def test_resigning_ends_the_match():
    async def call(peer):
        made = await peer.create(None, GREEDY, GREEDY)
        match_id, token = made.match.id, made.seat_tokens[0]
        over = (await peer.match.Resign(match_pb2.ResignRequest(match_id=match_id, token=token))).match
        again = await refusal(peer.match.Resign(match_pb2.ResignRequest(match_id=match_id, token=token)))
        late = await refusal(peer.submit(match_id, token, "end"))
        undo = await refusal(peer.match.Undo(match_pb2.UndoRequest(match_id=match_id, token=token)))
        record = await peer.match.ExportRecord(match_pb2.ExportRecordRequest(match_id=match_id))
        return over, again, late, undo, record

    over, again, late, undo, record = with_server(call)
    assert over.status == match_pb2.MATCH_STATUS_OVER
    assert (list(over.result.winners), list(over.result.returns)) == ([1, 2], [0, 0.5, 0.5])
    assert over.result.reason == "resignation"
    assert [refused.code for refused in (again, late, undo)] == [Code.FAILED_PRECONDITION] * 3
    assert not record.complete


def test_watch_tells_what_happens_meanwhile():
    async def call(peer):
        made = await peer.create(None, GREEDY)
        match, token = made.match, made.seat_tokens[0]
        watch = peer.match.Watch(match_pb2.WatchRequest(match_id=match.id, after_version=match.version))
        heard = asyncio.ensure_future(watch.read())
        move = (await peer.moves(match.id, token))[0]
        await peer.submit(match.id, token, move)
        event = (await heard).event
        await peer.match.DeleteMatch(match_pb2.DeleteMatchRequest(match_id=match.id, token=made.owner_token))
        gone = []
        while not gone:
            try:
                await watch.read()
            except grpc.aio.AioRpcError as error:
                gone.append(error.code())
        return (
            event,
            move,
            gone,
            await refusal(peer.match.GetMatch(match_pb2.GetMatchRequest(match_id=match.id))),
        )

    event, move, gone, deleted = with_server(call)
    assert (event.by, event.move.text) == (0, move)
    assert gone == [Code.NOT_FOUND]
    assert deleted.code == Code.NOT_FOUND


def test_list_matches_page_by_page():
    async def call(peer):
        ids = [(await peer.create(None, GREEDY)).match.id for _ in range(5)]
        resigned = await peer.create(None, GREEDY)
        await peer.match.Resign(
            match_pb2.ResignRequest(match_id=resigned.match.id, token=resigned.seat_tokens[0])
        )
        found, token = [], ""
        while True:
            page = await peer.match.ListMatches(
                match_pb2.ListMatchesRequest(
                    page_size=2, page_token=token, status=match_pb2.MATCH_STATUS_ACTIVE
                )
            )
            found += [summary.id for summary in page.matches]
            assert len(page.matches) <= 2
            token = page.next_page_token
            if not token:
                break
        over = await peer.match.ListMatches(match_pb2.ListMatchesRequest(status=match_pb2.MATCH_STATUS_OVER))
        return ids, found, resigned.match.id, [summary.id for summary in over.matches]

    ids, found, resigned, over = with_server(call)
    assert found == ids[::-1]
    assert over == [resigned]


def a_record(moves=None):
    """A random game as JSON Lines, whole or its first moves."""
    luck = Random(1)
    start = load_game("delphi", players=2, seed=7, removed_tasks=4).new_state()
    record = record_game(start, lambda state: state.random_move(luck), rng=2, players=["Ada", "Bo"])
    if moves is not None:
        record = Record(record.header, record.moves[:moves], {})
    text = io.StringIO()
    record.write(text)
    return text.getvalue()


def test_records_come_in_and_go_out():
    whole, part = a_record(), a_record(41)

    async def call(peer):
        done = await peer.match.ImportRecord(match_pb2.ImportRecordRequest(record=whole))
        exported = await peer.match.ExportRecord(match_pb2.ExportRecordRequest(match_id=done.match.id))
        going = await peer.match.ImportRecord(match_pb2.ImportRecordRequest(record=part))
        match = going.match
        if match.to_act >= 0:
            token = going.seat_tokens[match.to_act]
            match = (await peer.submit(match.id, token, (await peer.moves(match.id, token))[0])).match
        return done, exported, going, match

    done, exported, going, match = with_server(call)
    assert done.match.status == match_pb2.MATCH_STATUS_OVER
    assert [seat.name for seat in done.match.seats] == ["Ada", "Bo"]
    assert Record.read(exported.record.splitlines()).moves == Record.read(whole.splitlines()).moves
    assert match.version > going.match.version >= 41


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda text: "", "is missing"),
        (lambda text: text[: len(text) // 2], "not JSON"),
        (lambda text: text.replace('"format": 1', '"format": 9'), "format"),
        (lambda text: text.replace('{"by": 0', '{"by": 1', 1), "is to act"),
        (lambda text: "[" * 100_000, "not JSON"),
        (lambda text: text.replace('"winners": [', '"winners": [3], "x": ['), "result"),
    ],
)
def test_bad_records_name_the_line(spoil, words):
    async def call(peer):
        request = match_pb2.ImportRecordRequest(record=spoil(a_record()))
        return await refusal(peer.match.ImportRecord(request))

    refused = with_server(call)
    assert (refused.code, refused.fields) == (Code.INVALID_ARGUMENT, ["record"]), refused
    assert words in refused.words


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda r: setattr(r, "game", "chess"), "game"),
        (lambda r: setattr(r, "game", ""), "game"),
        (lambda r: r.ClearField("seats"), "seats"),
        (lambda r: r.seats.extend([match_pb2.Seat()] * 9), "seats"),
        (lambda r: setattr(r.seats[0], "name", "x" * 101), "seats[0].name"),
        (lambda r: setattr(r.seats[0], "name", "\x1b[2J"), "seats[0].name"),
        (lambda r: setattr(r.seats[1].bot, "name", "nobody"), "seats[1].bot.name"),
        (lambda r: setattr(r.seats[1].bot, "level", 3), "seats[1].bot.level"),
        (lambda r: setattr(r, "seed", -1), "seed"),
        (lambda r: setattr(r, "reproducible", True), "seed"),
        (lambda r: r.MergeFrom(type(r)(seed=1, reproducible=True, blind_owner=True)), "blind_owner"),
        (lambda r: r.options.update({"seed": 3}), "options.seed"),
        (lambda r: r.options.update({"players": 4}), "options.players"),
        (lambda r: r.options.update({"board": "round"}), "options.board"),
        (lambda r: r.options.update({"board": "given", "hexes": [{"q": "x"}]}), "options.board[0].q"),
        (lambda r: r.options.update({"removed_tasks": float("nan")}), "options.removed_tasks"),
        (lambda r: r.options.update({"name": 1}), "options.name"),
        (lambda r: setattr(r, "idempotency_key", "k" * 101), "idempotency_key"),
    ],
)
def test_bad_fields_of_a_new_match_are_named(change, field):
    request = match_pb2.CreateMatchRequest(
        game="delphi", seats=[match_pb2.Seat(), match_pb2.Seat(bot=GREEDY)]
    )
    change(request)

    async def call(peer):
        refused = await refusal(peer.match.CreateMatch(request))
        listed = await peer.match.ListMatches(match_pb2.ListMatchesRequest())
        return refused, listed

    refused, listed = with_server(call)
    assert refused.code == Code.INVALID_ARGUMENT, refused
    assert refused.fields[0].startswith(field), refused
    assert not listed.matches


def test_options_are_small_however_large_a_request_may_be():
    request = match_pb2.CreateMatchRequest(game="delphi", seats=[match_pb2.Seat(), match_pb2.Seat()])
    request.options.update({"hexes": [{"q": "x" * 70_000}]})
    refused = with_server(lambda peer: refusal(peer.match.CreateMatch(request)), max_position_bytes=200_000)
    assert (refused.code, refused.fields) == (Code.INVALID_ARGUMENT, ["options"])


@pytest.mark.parametrize(
    ("name", "fields", "field", "code"),
    [
        ("GetMatch", {"match_id": ""}, "match_id", Code.INVALID_ARGUMENT),
        ("GetMatch", {"match_id": "no such"}, "match_id", Code.NOT_FOUND),
        ("GetMatch", {"match_id": "x" * 10_000}, "match_id", Code.NOT_FOUND),
        ("GetMatch", {"match_id": "'; DROP TABLE matches; --"}, "match_id", Code.NOT_FOUND),
        ("Observe", {"seat": 9}, "seat", Code.INVALID_ARGUMENT),
        ("Observe", {"seat": -1}, "seat", Code.INVALID_ARGUMENT),
        ("Observe", {"token": "wrong"}, "token", Code.PERMISSION_DENIED),
        ("Watch", {"after_version": -1}, "after_version", Code.INVALID_ARGUMENT),
        ("Watch", {"after_version": 10**9}, "after_version", Code.INVALID_ARGUMENT),
        ("ListMatches", {"page_size": 501}, "page_size", Code.INVALID_ARGUMENT),
        ("ListMatches", {"page_token": "%%%"}, "page_token", Code.INVALID_ARGUMENT),
        ("ListMatches", {"status": 9}, "status", Code.INVALID_ARGUMENT),
        ("ListMatches", {"game": "chess"}, "game", Code.INVALID_ARGUMENT),
        ("SubmitMove", {"move": "end", "expected_version": 99}, "expected_version", Code.ABORTED),
        ("SubmitMove", {"move": "end", "idempotency_key": "\0"}, "idempotency_key", Code.INVALID_ARGUMENT),
        ("PlayBotTurn", {"token": "wrong"}, "token", Code.PERMISSION_DENIED),
        ("StreamBotTurn", {"expected_version": 99, "token": "OWNER"}, "expected_version", Code.ABORTED),
        ("PlayBotTurn", {"token": "OWNER"}, "match_id", Code.FAILED_PRECONDITION),
        ("Undo", {"token": "SEAT", "expected_version": 0}, "expected_version", Code.ABORTED),
        ("Undo", {"token": "SEAT"}, "match_id", Code.FAILED_PRECONDITION),
        ("Undo", {"token": "OWNER"}, "token", Code.PERMISSION_DENIED),
        ("RotateToken", {}, "token", Code.INVALID_ARGUMENT),
        ("RotateToken", {"token": "wrong"}, "token", Code.PERMISSION_DENIED),
        ("RotateToken", {"token": "SEAT", "idempotency_key": "\0"}, "idempotency_key", Code.INVALID_ARGUMENT),
        ("Resign", {"token": "OWNER"}, "token", Code.PERMISSION_DENIED),
        ("ExportRecord", {"match_id": "no such"}, "match_id", Code.NOT_FOUND),
        ("ImportRecord", {"record": "{}"}, "record", Code.INVALID_ARGUMENT),
        ("DeleteMatch", {"token": "wrong"}, "token", Code.PERMISSION_DENIED),
    ],
)
def test_bad_fields_are_named_and_the_match_is_unchanged(name, fields, field, code):
    async def call(peer):
        made = await peer.create(None, GREEDY)
        request = getattr(match_pb2, f"{name}Request")()
        values = dict(fields)
        if "match_id" in request.DESCRIPTOR.fields_by_name:
            values = {"match_id": made.match.id} | values
        tokens = {"OWNER": made.owner_token, "SEAT": made.seat_tokens[0]}
        if values.get("token") in tokens:
            values["token"] = tokens[values["token"]]
        for key, value in values.items():
            setattr(request, key, value)
        refused = await refusal(getattr(peer.match, name)(request))
        return refused, made.match, await peer.get(made.match.id)

    refused, before, after = with_server(call)
    assert (refused.code, refused.fields) == (code, [field]), refused
    assert before == after


def test_the_seed_stays_secret_until_the_end():
    async def call(peer):
        made = await peer.create(None, GREEDY, seed=987654321)
        return made.match, await peer.get(made.match.id)

    for match in with_server(call):
        assert "987654321" not in str(match)


def test_bots_get_the_view_of_their_seat_only(monkeypatch):
    seen = []

    async def call(peer):
        from pythia.search.bots import GreedyBot

        choose = GreedyBot.choose

        def spy(self, view, *arguments, **more):
            seen.append(view)
            return choose(self, view, *arguments, **more)

        monkeypatch.setattr(GreedyBot, "choose", spy)
        made = await peer.create(GREEDY, GREEDY)
        for _ in range(4):
            await peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=made.match.id))

    with_server(call)
    assert seen
    for view in seen:
        assert isinstance(view, View)
        assert view.seat == view.to_act
        assert view.game.options["seed"] is None
