"""The policy: priors are those of its features and weights, and do not move with the judgement."""

from itertools import islice

import numpy as np
import pytest

from pythia.core_cy import CHANCE, Random, View, load_game
from pythia.search.params import SearchParams
from pythia.search.tree import Search

# The least weight of a move beside the best (policy.pyx).
LEAST = 1e-4


def decisions(players, seed, options=()):
    """Views of the decisions of a random game."""
    state = load_game("keltis", players=players, seed=seed, **dict(options)).new_state()
    rng = Random(seed)
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        moves = state.legal_moves()
        if len(moves) > 1:
            yield View.of(state, state.to_act)
        state.apply(rng.choice(moves))


def priors(view):
    return {str(root.move): root.prior for root in Search(view, SearchParams(), 1).moves()}


@pytest.mark.parametrize(("players", "clover"), [(2, "same"), (3, "any")])
def test_priors_are_the_estimate_and_the_weights_times_the_features(players, clover):
    """What is scored quickly, with parts shared among moves, is what the features say one by one."""
    game = load_game("keltis", seed=1)
    names = list(game.move_feature_names)
    vector = np.random.default_rng(3).normal(scale=0.3, size=len(names))
    changes = {f"prior.{name}": float(weight) for name, weight in zip(names, vector, strict=True)}
    seen = np.zeros(len(names), bool)
    for view in decisions(players, 5, {"clover": clover}):
        state = view.imagined(0)
        features = np.asarray(state.game.move_features(state))
        seen |= (features != 0).any(axis=0)
        scores = features[:, names.index("score")] + features @ vector
        wanted = np.maximum(np.exp(scores - scores.max()), LEAST)
        found = priors(view.with_weights(changes))
        np.testing.assert_allclose(
            [found[str(move)] for move in view.legal_moves()], wanted / wanted.sum(), atol=1e-5
        )
    # A random game has most of them.
    assert seen.sum() > 0.8 * len(names)


def test_the_judgement_learns_without_moving_the_priors():
    view = next(islice(decisions(2, 7), 40, None))
    changed = view.with_weights({"stones": 9.0, "plays": 0.1, "fade": 8.0, "goblin_drop": 3.0})
    assert priors(changed) == priors(view)
    assert changed.evaluate() != view.evaluate()
