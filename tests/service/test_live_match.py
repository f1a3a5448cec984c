"""Matches in memory: one object each, level with the store, and nobody kept waiting for long."""

import asyncio
import threading
from dataclasses import asdict

import grpc

from pythia.core_cy import Random, load_game
from pythia.service.live_match import LiveMatch
from pythia.service.store import Event, Header, Stored
from pythia.v1 import match_pb2
from tests.service.serving import bot, refusal, serving, with_server

Code = grpc.StatusCode
RANDOM = bot("random")


# -- one match, one object


def backend(peer):
    return peer.server._backend


def forget_all(matches):
    """As if all matches had left memory."""
    matches._recent.clear()
    matches._alive.clear()


def test_a_match_that_many_read_at_once_is_one_object():
    async def call(peer):
        match_id = (await peer.create(RANDOM, RANDOM)).match.id
        matches = backend(peer)._matches

        async def read_when_it_was_read():
            """At the first moment that it is not being read any more."""
            for reading in (False, True):
                while (match_id in matches._loading) == reading:
                    await asyncio.sleep(0)
            return await matches.get(match_id)

        for _ in range(20):
            forget_all(matches)
            late = [asyncio.ensure_future(read_when_it_was_read()) for _ in range(3)]
            found = await asyncio.gather(matches.get(match_id), matches.get(match_id), *late)
            assert len({id(match) for match in found}) == 1

    with_server(call)


def test_a_match_made_by_two_requests_at_once_is_one_object():
    async def call(peer):
        matches = backend(peer)._matches
        made = await peer.create(RANDOM, RANDOM)
        header = (await backend(peer)._store.load(made.match.id)).header
        for number in range(50):
            new = type(header)(**asdict(header) | {"id": f"m{number}"})
            found = await asyncio.gather(
                matches.create(new), matches.create(new), *(get_soon(matches, new.id) for _ in range(5))
            )
            assert len({id(match) for match in found}) == 1

    with_server(call)


async def get_soon(matches, match_id):
    while True:
        try:
            return await matches.get(match_id)
        except Exception:
            await asyncio.sleep(0)


def test_watchers_hear_of_every_move_also_when_the_match_was_just_read():
    async def call(peer):
        made = await peer.create(RANDOM, RANDOM, game="keltis")
        match, matches = made.match, backend(peer)._matches
        for _ in range(10):
            forget_all(matches)
            watches = []
            for _ in range(4):
                request = match_pb2.WatchRequest(match_id=match.id, after_version=match.version)
                watches.append(peer.match.Watch(request))
                await asyncio.sleep(0)
            heard = [asyncio.ensure_future(watch.read()) for watch in watches]
            await asyncio.gather(*(peer.get(match.id) for _ in range(4)))
            match = (await peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=match.id))).match
            await asyncio.wait_for(asyncio.gather(*heard), timeout=10)
            for watch in watches:
                watch.cancel()

    with_server(call)


# -- the store ahead of memory


def test_a_repeated_request_is_answered_when_the_store_knows_more_than_memory(tmp_path):
    """Another server on the same store did it, or this one did not hear that it was done."""

    async def go():
        settings = {"store": f"sqlite:{tmp_path / 'x.sqlite'}"}
        async with serving(**settings) as first, serving(**settings) as second:
            made = await first.create(None, RANDOM)
            match_id, token = made.match.id, made.seat_tokens[0]
            move = (await first.moves(match_id, token))[0]
            done = await second.submit(match_id, token, move, idempotency_key="k")
            again = [await first.submit(match_id, token, move, idempotency_key="k") for _ in range(2)]
            return done, again, await first.get(match_id)

    done, again, match = asyncio.run(go())
    assert again == [done, done]
    assert match == done.match


# -- undo


async def after_a_step(peer):
    """A match whose last move can be taken back, its seat and the seat's token."""
    made = await peer.create(None, None)
    match, rng = made.match, Random(3)
    while True:
        token = made.seat_tokens[match.to_act]
        moves = await peer.moves(match.id, token)
        step = next((move for move in moves if "sail" in move), None)
        seat = match.to_act
        match = (await peer.submit(match.id, token, step or rng.choice(moves))).match
        if step is not None:
            return made, match, seat, token


def test_who_may_not_undo_does_not_wait_for_the_lock_or_the_work():
    async def call(peer):
        made, match, seat, _ = await after_a_step(peer)
        kept = backend(peer)._matches._alive[match.id]
        tokens = ["", made.owner_token, "wrong", made.seat_tokens[1 - seat]]
        async with kept.lock:
            return [
                await asyncio.wait_for(
                    refusal(peer.match.Undo(match_pb2.UndoRequest(match_id=match.id, token=other))), 10
                )
                for other in tokens
            ]

    codes = [refused.code for refused in with_server(call)]
    assert codes == [Code.PERMISSION_DENIED] * 3 + [Code.FAILED_PRECONDITION]


def test_a_spectator_does_not_wait_for_the_lock_to_be_refused():
    async def call(peer):
        _, match, *_ = await after_a_step(peer)
        kept = backend(peer)._matches._alive[match.id]
        async with kept.lock:
            return await asyncio.wait_for(
                refusal(peer.submit(match.id, "", "end", idempotency_key="k")), timeout=10
            )

    assert with_server(call).code == Code.PERMISSION_DENIED


def test_the_line_is_not_played_again_on_the_event_loop(monkeypatch):
    played = []
    position = LiveMatch.position

    def spy(self, moves):
        played.append(threading.current_thread() is threading.main_thread())
        return position(self, moves)

    async def call(peer):
        _, match, _, token = await after_a_step(peer)
        monkeypatch.setattr(LiveMatch, "position", spy)
        await peer.match.Undo(match_pb2.UndoRequest(match_id=match.id, token=token))
        forget_all(backend(peer)._matches)
        await peer.get(match.id)

    with_server(call)
    assert played
    assert not any(played)


def test_many_undos_are_read_as_one_line(monkeypatch):
    state = load_game("delphi", seed=3).new_state()
    start, luck, line = state.to_json(), Random(1), []
    while state.to_act < 0:
        outcome = str(state.sample_chance(luck))
        line.append(Event(-1, "move", outcome))
        state.apply(outcome)
    move = Event(state.to_act, "move", str(state.legal_moves()[0]))
    events = [*line, *[move, Event(state.to_act, "undo")] * 1500, move]
    calls = []
    position = LiveMatch.position
    monkeypatch.setattr(
        LiveMatch, "position", lambda self, moves: calls.append(moves) or position(self, moves)
    )
    match = LiveMatch(Stored(Header("m", "delphi", 0.0, {}, [{"name": "a"}] * 2, start, 1, False), events))
    assert calls == [len(line) + 1]
    assert match.line == [*line, move]
    assert match.version == len(events)
    state.apply(move.text)
    assert match.state.to_json() == state.to_json()


def test_a_deleted_match_does_not_get_moves_that_waited(tmp_path):
    """Another match of the same id must not get the move of one that was deleted meanwhile."""

    async def call(peer):
        made = await peer.create(None, None, idempotency_key="k")
        match_id = made.match.id
        token = made.seat_tokens[made.match.to_act]
        move = (await peer.moves(match_id, token))[0]
        matches = backend(peer)._matches
        kept = matches._alive[match_id]
        async with kept.lock:
            waiting = asyncio.ensure_future(refusal(peer.submit(match_id, token, move)))
            await asyncio.sleep(0.05)
            await matches.delete(kept)
            again = await peer.create(None, None, idempotency_key="k")
        refused = await waiting
        assert (await peer.get(match_id)).version == again.match.version
        return refused

    assert with_server(call).code == Code.ABORTED
