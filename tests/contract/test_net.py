"""The network that corrects an evaluation: what C computes, what a weights file keeps, what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pythia.core_cy import View, load_game
from pythia.core_cy.net_text import HIDDEN, net_numbers, net_text, numbers_in
from pythia.core_cy.weights import BadWeights, read_weights, weights_text
from pythia.search.playout import judge_with
from tests.contract.set_ups import ALL_GAMES, fewest, sample

NETTED = [name for name in ALL_GAMES if load_game(name, seed=0).weight_names.net]
each_netted_game = pytest.mark.parametrize("name", NETTED)


def some_net(game, seed=1, size=0.1):
    count = numbers_in(len(game.weight_names.net))
    return net_text((np.random.default_rng(seed).standard_normal(count) * size).tolist())


def positions(name, count=12):
    return [
        state
        for state in sample(name, fewest(name), games=2, count=count)
        if not state.is_over and state.to_act >= 0
    ]


def test_a_game_has_a_network():
    assert NETTED


@each_netted_game
def test_inputs_are_finite_and_as_many_as_named(name):
    game = load_game(name, seed=3)
    for state in positions(name):
        rows = np.asarray(game.net_inputs(state))
        assert rows.shape == (game.players, len(game.weight_names.net))
        assert np.isfinite(rows).all()
        assert np.abs(rows).max() < 60000


@each_netted_game
def test_the_network_is_added_to_the_estimate(name):
    """The evaluation in Python from the inputs and the numbers of the text, as docs/learning.md has it."""
    different = 0
    for state in positions(name):
        game = state.game
        inputs = np.asarray(game.net_inputs(state))
        names = game.weight_names.net
        if (inputs[:, names.index("done")] > 0).any():
            continue
        text = some_net(game)
        numbers = np.array(net_numbers(text, len(names)))
        first, rest = np.split(numbers, [len(names) * HIDDEN])
        hidden = np.maximum(inputs @ first.reshape(len(names), HIDDEN) + rest[:HIDDEN], 0)
        estimate = 10 * inputs[:, names.index("estimate")] + hidden @ rest[HIDDEN:-1] + rest[-1]
        rounds = estimate / game.per_round
        weights = game.weights()
        sharpness = weights["certainty"] / np.sqrt(weights["spread"] + max(rounds.min(), 0))
        chances = np.exp(-sharpness * (rounds - rounds.min()))
        found, plain = judge_with(state, [game.with_weights({"net": net}) for net in (text, "")])
        np.testing.assert_allclose(found, chances / chances.sum(), atol=1e-4)
        different += not np.allclose(found, plain)
        assert View.of(state, state.to_act).with_weights({"net": text}).game.net() == text
    assert different > 3


@each_netted_game
def test_a_network_of_zeros_changes_nothing(name):
    for state in positions(name, 6):
        zeros = net_text([0.0] * numbers_in(len(state.game.weight_names.net)))
        found, plain = judge_with(state, [state.game.with_weights({"net": net}) for net in (zeros, "")])
        assert found == pytest.approx(plain)


@each_netted_game
def test_a_network_stays_when_other_weights_change_and_the_seed_goes(name):
    game = load_game(name, seed=5)
    changed = game.with_weights({"net": some_net(game)}).with_weights({"certainty": 1.0})
    assert changed.net() == some_net(game)
    assert View.of(changed.new_state(), 0).game.net() == some_net(game)
    assert game.net() != some_net(game)


@each_netted_game
def test_a_file_keeps_its_network(name):
    game = load_game(name, seed=0)
    file = replace(game.weights_file(), net=some_net(game))
    again = read_weights(weights_text(file, game.weight_names), game.weight_names, "some.json")
    assert again.net == file.net
    assert again.changes["net"] == file.net


@each_netted_game
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda net: net["inputs"].pop(), "net.inputs are not those of this version"),
        (lambda net: net.update(numbers=net["numbers"][:-8]), "numbers are not allowed; allowed: "),
        (lambda net: net.update(numbers="no base64 !"), "not base64"),
        (lambda net: net.update(numbers=7), "learn or copy it again"),
    ],
)
def test_a_damaged_network_is_refused(name, change, message):
    game = load_game(name, seed=0)
    obj = json.loads(weights_text(replace(game.weights_file(), net=some_net(game)), game.weight_names))
    change(obj["net"])
    with pytest.raises(BadWeights, match=message):
        read_weights(json.dumps(obj), game.weight_names, "some.json")


@pytest.mark.parametrize("name", ALL_GAMES)
def test_what_is_no_network_is_named(name):
    game = load_game(name, seed=0)
    for wrong in (7, None, "AAAA"):
        with pytest.raises(ValueError, match=r"net: .* (is|are) not allowed; allowed: "):
            game.with_weights({"net": wrong})
    assert not game.weights() or game.with_weights({"net": ""}).net() == ""


def test_games_without_a_network_have_no_inputs():
    for name in set(ALL_GAMES) - set(NETTED):
        game = load_game(name, seed=0)
        with pytest.raises(TypeError, match="no inputs"):
            game.net_inputs(game.new_state())


@each_netted_game
def test_inputs_follow_from_what_a_seat_sees(name):
    """The estimate of a seat that acts is the same in every position that fits its view."""
    for state in positions(name, 6):
        seat = state.to_act
        view = View.of(state, seat)
        rows = {
            tuple(np.asarray(state.game.net_inputs(view.imagined(number)))[seat].round(5))
            for number in range(5)
        }
        # Only how far the others are behind may differ with what they hold.
        lead = state.game.weight_names.net.index("lead")
        assert len({row[:lead] + row[lead + 1 :] for row in rows}) == 1
