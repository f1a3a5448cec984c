"""The fit of evaluation weights: it finds what made the winners win."""

import numpy as np
import pytest

from pythia.arena.fit import Sample, chances, fit, log_loss, play
from pythia.core_cy import load_game


def race(weights, certainty, spread, count, seed):
    """Positions with random features whose winners are drawn by the model with these weights."""
    rng = np.random.default_rng(seed)
    features = rng.uniform(0, 10, (count, 2, len(weights)))
    win = chances(weights, certainty, spread, features)[2]
    first = rng.random(count) < win[:, 0]
    results = np.stack([first, ~first], axis=1).astype(float)
    return Sample(features, results, np.arange(count) % 5 == 0)


def test_known_weights_are_found_again():
    true = np.array([1.0, 0.5, -0.8])
    samples = [race(true, 2.0, 1.0, 6000, 1)]
    start = np.array([1.0, 1.0, 0.0])
    weights, certainty, spread = fit(start, 2.0, 1.0, samples, steps=400, penalty=0.0)
    before = log_loss(start, 2.0, 1.0, samples, aside=True)
    after = log_loss(weights, certainty, spread, samples, aside=True)
    best = log_loss(true, 2.0, 1.0, samples, aside=True)
    assert after < before - 0.05
    assert after == pytest.approx(best, abs=0.01)
    # Weights and certainty share a scale; their ratios do not.
    assert weights[1] / weights[0] == pytest.approx(0.5, abs=0.1)
    assert weights[2] / weights[0] == pytest.approx(-0.8, abs=0.1)


def test_positions_are_taken_at_the_start_of_every_turn():
    rows, returns = play("delphi", 2, "planner:iterations=5", 3)
    assert len(rows) > 10
    assert sum(returns) == pytest.approx(1)
    names = load_game("delphi", seed=0).feature_names
    assert all(len(seat) == len(names) for row in rows for seat in row)


def test_games_without_features_say_so():
    game = load_game("kuhn")
    assert game.weights() == {}
    with pytest.raises(TypeError, match="kuhn"):
        game.features(game.new_state())
    with pytest.raises(ValueError, match=r"weights: 'x' is not allowed; allowed: none for kuhn"):
        game.with_weights({"x": 1.0})
