"""What a view gives out never depends on what its seat cannot see. For every game, every seat and spectators."""

import itertools
import json
import pickle

import pytest

from pythia.core_cy import (
    CHANCE,
    SPECTATOR,
    IllegalMove,
    Random,
    View,
    game_info,
    load_game,
    state_from_observation,
)
from pythia.core_cy.game import Game, Move, State
from pythia.search.bots import BotSpec
from pythia.search.params import SearchParams
from pythia.search.tree import Search
from tests.comparing import same_json
from tests.contract.set_ups import each_set_up, play, sample

BOTS = ("random", "greedy", "planner:iterations=8", "ismcts:iterations=8")


def observers(players):
    return [SPECTATOR, *range(players)]


def truths(state, seat, count=3):
    """The position, and others that differ from it only in what is hidden from the seat."""
    return [state, *(state.imagined(seat, seed) for seed in range(count))]


def reachable(obj, depth=0):
    """Every public attribute of an object, and of those: what code that holds a view can get at."""
    if depth == 4 or isinstance(obj, (int, float, str, bytes, type(None))):
        return repr(obj)
    if isinstance(obj, Move):
        return f"{obj} {obj.code} " + reachable(obj.game, depth + 1)
    if isinstance(obj, State):
        return f"{obj.position_hash()} {json.dumps(obj.to_json())} " + reachable(obj.game, depth + 1)
    if isinstance(obj, Game):
        start = obj.new_state()
        return f"{obj!r} {start.position_hash()} {json.dumps(start.to_json())}"
    names = [name for name in dir(obj) if not name.startswith("_") and not callable(getattr(obj, name))]
    return "; ".join(f"{name}: {reachable(getattr(obj, name), depth + 1)}" for name in names)


def told(view, move):
    """All that a view gives out, as text."""
    parts = [repr(view), reachable(view), json.dumps(view.observation()), str(view.key), str(hash(view))]
    parts += [
        pickle.dumps(view).hex(),
        repr(view.__reduce__()),
        reachable(pickle.loads(pickle.dumps(view))),
    ]
    parts += [reachable(view.imagined(seed)) for seed in range(2)]
    parts += [reachable(view.imagined(Random(5)))]
    if view.to_act == view.seat != CHANCE:
        parts += [reachable(legal) for legal in view.legal_moves()[:5]]
        parts += [" ".join(map(str, view.legal_moves()))]
    else:
        with pytest.raises(ValueError, match=r"to act|over") as refused:
            view.legal_moves()
        parts += [str(refused.value)]
    for text in ("nonsense", "", move):
        try:
            parts += [str(view.foresees(text)), *map(reachable, view.after(text))]
        except IllegalMove as error:
            parts += [str(error)]
        try:
            parts += [str(view.parse_move(text))]
        except ValueError as error:
            parts += [str(error)]
    return "\n".join(parts)


@each_set_up
def test_a_view_tells_nothing_hidden(name, players):
    differ = 0
    for state in sample(name, players, games=2, count=8):
        move = str(state.legal_moves()[-1]) if not state.is_over else "none"
        for seat in observers(players):
            others = truths(state, seat)
            differ += len({other.position_hash() for other in others}) > 1
            answers = {told(View.of(other, seat), move) for other in others}
            assert len(answers) == 1, f"seat {seat} can tell positions apart that look the same to it"
    assert (differ > 0) is game_info(name).hides


@each_set_up
def test_a_view_does_not_remember_the_seed(name, players):
    """From the seed the whole deal could be worked out again."""
    state = load_game(name, players=players, seed=12345).new_state()
    for view in (View.of(state, 0), View.of(state, SPECTATOR)):
        assert view.game.options["seed"] is None
        assert view.imagined(1).game is view.game
        assert state.imagined(0, 1).game.options["seed"] is None
        assert "12345" not in reachable(view)


@each_set_up
def test_a_view_shows_what_the_seat_sees(name, players):
    for state in sample(name, players, count=20):
        for seat in observers(players):
            view = View.of(state, seat)
            assert json.dumps(view.observation()) == json.dumps(state.observation(seat))
            assert view.key == state.information_key(seat)
            assert (view.to_act, view.is_over, view.turn_number) == (
                state.to_act,
                state.is_over,
                state.turn_number,
            )
            imagined = view.imagined(3)
            same_json(imagined.observation(seat), state.observation(seat), other="the other")
            assert imagined.information_key(seat) == view.key
            if seat == state.to_act and seat != CHANCE:
                assert view.legal_moves() == state.legal_moves()


@each_set_up
def test_a_view_comes_back_from_its_observation(name, players):
    for state in sample(name, players, count=15):
        for seat in range(players):
            view = View.of(state, seat)
            read = View.from_observation(json.loads(json.dumps(view.observation())))
            assert read == view
            assert reachable(read) == reachable(view)
            assert pickle.loads(pickle.dumps(view)) == view
            assert read.imagined(9).position_hash() == view.imagined(9).position_hash()


@each_set_up
def test_moves_of_a_view_can_be_played_in_the_game(name, players):
    for state in sample(name, players, games=1, count=20):
        if state.to_act >= 0:
            for move in View.of(state, state.to_act).legal_moves()[:5]:
                by_move, by_text = state.clone(), state.clone()
                by_move.apply(move)
                by_text.apply(str(move))
                assert by_move.position_hash() == by_text.position_hash()


@each_set_up
def test_what_comes_after_a_move(name, players):
    """A seat that foresees a move sees what it foresaw; one that does not has several things it may see."""
    for before, after, move in steps(name, players, 150):
        for seat in observers(players):
            view, now = View.of(before, seat), View.of(after, seat)
            views = view.after(move)
            assert len(set(views)) == len(views)
            if view.foresees(move):
                assert views == [now]
            elif before.to_act == seat >= 0:
                assert len(views) > 1


def steps(name, players, moves):
    positions = list(play(name, players, 4, moves))
    for before, after in itertools.pairwise(positions):
        for move in before.legal_moves():
            tried = before.clone()
            tried.apply(move)
            if tried.position_hash() == after.position_hash():
                yield before, after, move
                break


@each_set_up
def test_seats_that_do_not_exist_have_no_view(name, players):
    state = load_game(name, players=players, seed=1).new_state()
    for seat in (SPECTATOR - 1, players):
        with pytest.raises(ValueError, match=f"seat: {seat} is not allowed; allowed: 0 to {players - 1}"):
            View.of(state, seat)
        with pytest.raises(ValueError, match="seat"):
            state.imagined(seat, 1)
    with pytest.raises(TypeError, match=r"View\.of"):
        View()


@each_set_up
def test_bots_answer_alike_where_positions_look_alike(name, players):
    """The whole answer, and so the seeds that were used for it."""
    positions = [state for state in sample(name, players, games=1, count=6) if state.to_act >= 0]
    for state in positions[:4]:
        seat = state.to_act
        for bot in BOTS:
            answers = [
                BotSpec.parse(bot).make(7).choose(seen)
                for other in truths(state, seat, 2)
                for seen in (View.of(other, seat), other.observation(seat))
            ]
            assert all(answer == answers[0] for answer in answers), bot


@each_set_up
def test_searches_are_the_same_where_positions_look_alike(name, players):
    for state in [state for state in sample(name, players, games=1, count=6) if state.to_act >= 0][:4]:
        seat = state.to_act
        found = []
        for other in truths(state, seat, 2):
            search = Search(View.of(other, seat), SearchParams(), 3)
            search.run(20)
            found.append((search.moves(), search.values(), search.transitions))
        assert all(one == found[0] for one in found)


def test_a_view_is_read_with_its_fields_checked():
    with pytest.raises(ValueError, match="observer"):
        View.from_observation(load_game("kuhn", seed=1).new_state().to_json())
    assert state_from_observation(View.of(load_game("kuhn", seed=1).new_state(), 0).observation(), 1)
