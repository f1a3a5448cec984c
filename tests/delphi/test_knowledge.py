"""What the evaluation, the policy and the reasons say of clear cases."""

import numpy as np
import pytest

from pythia.core_cy import CHANCE, Random, View, load_game, state_from_json
from pythia.core_cy.delphi.components import COLORS
from pythia.core_cy.delphi.weights import FEATURES
from pythia.core_cy.move_words import tell_reasons
from pythia.core_cy.testing import play_policy, playout_move, priors
from tests.delphi.scenario import Scene


def played(players, seed):
    state = load_game("delphi", players=players, seed=seed).new_state()
    play_policy(state, Random(seed))
    return state


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_policy_finishes_its_games_by_arrival(players):
    for seed in range(10):
        over = played(players, seed).to_json()
        assert over["pending"]["result"] == "arrival"
        assert over["round"] < 40


def test_a_seat_nearer_to_the_end_is_likelier_to_win():
    """A task less, all else equal."""
    even = Scene().state()
    obj = even.to_json()
    obj["players"][0]["tasks"]["shrine"] -= 1
    obj["options"]["removed_tasks"] = 0
    with pytest.raises(ValueError, match="tasks"):
        state_from_json(obj)  # no game gets there: the tasks of the seats must agree
    ahead = Scene().all_done().state()
    assert ahead.evaluate()[0] > even.evaluate()[0]
    assert ahead.rounds_left()[0] < even.rounds_left()[0]


def test_features_are_named_and_those_of_hidden_tiles_do_not_depend_on_them():
    """The route of a seat uses what the seat knows, so shuffling what it has not seen changes nothing."""
    rng = Random(5)
    state = load_game("delphi", players=2, seed=5).new_state()
    checked = 0
    for _ in range(150):
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
        obj = state.to_json()
        unseen = [
            tile
            for tile in obj["island_tiles"]
            if not tile["face_up"]
            and all(
                (tile["q"], tile["r"]) not in {(known["q"], known["r"]) for known in player["knows"]}
                for player in obj["players"]
            )
        ]
        if len(unseen) < 2:
            continue
        first, second = unseen[0], unseen[1]
        for part in ("color", "letter"):
            first[part], second[part] = second[part], first[part]
        other = state_from_json(obj)
        assert state.game.features(state) == other.game.features(other)
        assert len(state.game.features(state)[0]) == len(FEATURES)
        checked += 1
    assert checked > 20


def test_priors_prefer_what_completes_a_task():
    scene = Scene().all_done().dice(COLORS[0], COLORS[0], COLORS[0])
    state = scene.state()
    weights = dict(zip(map(str, state.legal_moves()), priors(state), strict=True))
    assert sum(weights.values()) == pytest.approx(1, abs=1e-3)
    assert playout_move(state, Random(1)) in weights


def test_reasons_name_the_deed_and_what_is_left():
    state = load_game("delphi", players=2, seed=1).new_state()
    rng = Random(1)
    told = set()
    for _ in range(1500):
        if state.is_over:
            break
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        move = playout_move(state, rng)
        before, seat = state.clone(), state.to_act
        state.apply(move)
        reasons = tell_reasons("delphi", state.game.why_good(before, state, seat, before.parse_move(move)))
        for reason in reasons:
            told.add(reason.split()[0])
            assert "{" not in reason
        if " deliver " in move:
            assert any("delivers the" in reason for reason in reasons)
        if " load offering " in move:
            assert any("loads the" in reason for reason in reasons)
    assert {"delivers", "loads", "raises", "leaves", "fights"} <= told


@pytest.mark.parametrize("players", [2, 4])
def test_playouts_of_short_lists_play_legal_moves(players):
    """What playouts compare is a short list made apart from the rules, so it is held against them."""
    for seed in range(6):
        game = load_game("delphi", players=players, seed=seed)
        state = game.with_weights({"short_list": 1}).new_state()
        luck = Random(seed)
        while not state.is_over:
            if state.to_act == CHANCE:
                state.apply(state.sample_chance(luck))
                continue
            move = playout_move(state, luck)
            assert move in map(str, state.legal_moves())
            # Now and then another move, so that playouts meet what they would not have led to.
            state.apply(state.random_move(luck) if luck.random() < 0.1 else move)


def test_features_of_moves_are_those_that_priors_use():
    """A weight on a feature changes the logarithm of a prior by the feature, in units of the temperature."""
    game = load_game("delphi", players=2, seed=3)
    state = game.new_state()
    luck, checked = Random(3), 0
    plain = {name: 0.0 for name in game.weights() if name.startswith("prior.")}
    while not state.is_over and checked < 40:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(luck))
            continue
        moves = state.legal_moves()
        if 1 < len(moves) < 400:
            checked += 1
            matrix = np.asarray(game.move_features(state))
            assert matrix.shape == (len(moves), len(game.move_feature_names))
            used = [
                name for number, name in enumerate(game.move_feature_names) if np.ptp(matrix[:, number]) > 0
            ]
            name = luck.choice(used)
            change = {f"prior.{name}": 0.02}
            before, after = (np.log(priors(with_weights(state, plain | extra))) for extra in ({}, change))
            column = matrix[:, game.move_feature_names.index(name)]
            moved, wanted = after - before, 0.02 * column / game.weights()["temperature"]
            likely = before > -9  # the least likely are held at a floor
            if likely.sum() > 1:
                gap = (moved - wanted)[likely]
                assert np.ptp(gap) < 2e-3, name
        state.apply(state.random_move(luck))
    assert checked == 40


def with_weights(state, changes):
    """The position as its seat sees it, in a game with other weights."""
    return View.of(state, state.to_act).with_weights(changes).imagined(0)
