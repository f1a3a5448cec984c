"""Weights belong to a game's tables: bots with different ones can play in one process, at the same time."""

import threading

import pytest

from pythia.core_cy import View, load_game
from pythia.search.bots import make_bot
from pythia.search.limits import Limit
from tests.contract.set_ups import ALL_GAMES, sample

WEIGHTED = [name for name in ALL_GAMES if load_game(name, seed=0).weights()]
each_weighted_game = pytest.mark.parametrize("name", WEIGHTED)


def upside_down(game):
    return {name: -value for name, value in game.weights().items() if name not in ("certainty", "spread")}


def decisions(name, count):
    found = [state for state in sample(name, 2, games=1, count=4 * count) if len(state.legal_moves()) > 1]
    return [View.of(state, state.to_act) for state in found if state.to_act >= 0][:count]


def test_some_games_have_weights():
    assert WEIGHTED


@each_weighted_game
def test_other_weights_make_another_game_and_leave_this_one(name):
    for view in decisions(name, 6):
        before = view.evaluate()
        changes = upside_down(view.game)
        other = view.with_weights(changes)
        assert other.game.weights() == {**view.game.weights(), **changes}
        assert other.game is not view.game
        assert other.game is view.game.with_weights(changes), "made once, found again"
        assert view.evaluate() == before
        assert (other.key, other.observation()) == (view.key, view.observation())
        assert other.with_weights(view.game.weights()).evaluate() == before
    assert any(
        view.with_weights(upside_down(view.game)).evaluate() != view.evaluate() for view in decisions(name, 6)
    )


@each_weighted_game
def test_weights_stay_when_the_seed_goes(name):
    game = load_game(name, seed=5)
    changes = upside_down(game)
    state = game.with_weights(changes).new_state()
    assert View.of(state, 0).game.weights() == {**game.weights(), **changes}
    assert View.of(state, 0).game.options["seed"] is None


@each_weighted_game
def test_two_bots_with_different_weights_think_at_the_same_time(name):
    views = decisions(name, 8)
    limit = Limit(iterations=60)

    def answers(changed):
        bot = make_bot("ismcts", seed=1)
        return [
            bot.choose(view.with_weights(upside_down(view.game)) if changed else view, limit).values
            for view in views
        ]

    alone = [answers(changed) for changed in (False, True)]
    assert alone[0] != alone[1]
    found = {}
    threads = [
        threading.Thread(target=lambda kind=kind: found.setdefault(kind, answers(kind)))
        for kind in (False, True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[False], found[True]] == alone


@each_weighted_game
def test_bad_weights_are_named(name):
    game = load_game(name, seed=0)
    first = next(iter(game.weights()))
    with pytest.raises(ValueError, match=rf"weights: 'nonsense' is not allowed; allowed: {first}, "):
        game.with_weights({"nonsense": 1})
    for wrong in (True, "1", None):
        with pytest.raises(
            ValueError, match=rf"weights\.{first}: {wrong!r} is not allowed; allowed: a number"
        ):
            game.with_weights({first: wrong})
