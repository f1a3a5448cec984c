"""Ratings, intervals and the sequential test against simulations in which the truth is known."""

import math
from itertools import combinations

import numpy as np
import pytest

from pythia.arena.ratings import (
    Sprt,
    elo_estimate,
    elo_of,
    fit_ratings,
    likelihood_of_superiority,
    orders_of,
    rate_of,
    t_share,
)


def block_rates(rng, rate, shape):
    """Scores of pairs of games that share their luck: draws of a common strength make the two games alike."""
    shared = rng.normal(0, 0.8, shape)
    # The same luck favours the first seat of both games, so once the one side and once the other.
    logit = math.log(rate / (1 - rate))
    scores = 0.0
    for sign in (1, -1):
        scores = scores + (rng.random(shape) < 1 / (1 + np.exp(-(logit * 1.16 + sign * shared))))
    return scores / 2


def true_rate(rate):
    return float(block_rates(np.random.default_rng(99), rate, 400_000).mean())


# -- two sides


@pytest.mark.parametrize("elo", [-400, -30, 0, 12.5, 250])
def test_elo_and_rate_are_inverse(elo):
    assert elo_of(rate_of(elo)) == pytest.approx(elo)


def test_known_values_of_elo():
    assert rate_of(400) == pytest.approx(10 / 11)
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo_of(0.0) == pytest.approx(-elo_of(1.0))
    assert -1700 < elo_of(0.0) < -1500


@pytest.mark.parametrize("rate", [0.5, 0.7, 0.93])
@pytest.mark.parametrize("blocks", [10, 40])
def test_the_elo_interval_covers_the_truth(rate, blocks):
    rng = np.random.default_rng(1)
    truth = elo_of(true_rate(rate))
    runs = 1000
    intervals = [elo_estimate(rates) for rates in block_rates(rng, rate, (runs, blocks))]
    covered = sum(found.low <= truth <= found.high for found in intervals) / runs
    # Near the edge and with few blocks it is on the safe side.
    assert 0.93 <= covered <= (0.98 if blocks == 40 and rate < 0.9 else 1)


def test_shared_luck_makes_the_interval_narrower_than_single_games_would():
    """A pair in which each side wins once with the better seat tells as much as it should: nothing is random."""
    paired, single = [0.5] * 40, [0.0, 1.0] * 40
    assert elo_estimate(paired).high < elo_estimate(single).high / 2


def test_an_elo_estimate_stays_finite():
    for rates in ([], [1.0], [0.0] * 30, [1.0] * 500):
        found = elo_estimate(rates)
        assert found.low < found.mean < found.high
        assert math.isfinite(found.low + found.high)


def test_likelihood_of_superiority():
    assert likelihood_of_superiority([]) == pytest.approx(0.5)
    assert likelihood_of_superiority([0.5] * 10) == pytest.approx(0.5)
    assert likelihood_of_superiority([1.0] * 10) > 0.99
    rates = [1.0, 0.5, 0.5, 1.0, 0.0, 1.0]
    mirrored = likelihood_of_superiority([1 - rate for rate in rates])
    assert likelihood_of_superiority(rates) + mirrored == pytest.approx(1)


def test_likelihood_of_superiority_is_right_as_often_as_it_says():
    """Between equals it is uniform: below 5 % in 5 % of the matches."""
    rng = np.random.default_rng(2)
    found = np.array([likelihood_of_superiority(rates) for rates in block_rates(rng, 0.5, (2000, 30))])
    assert 0.03 < (found < 0.05).mean() < 0.06
    assert 0.03 < (found > 0.95).mean() < 0.06


@pytest.mark.parametrize(
    ("t", "degrees", "share"),
    [
        (0, 5, 0.5),
        (6.3138, 1, 0.95),
        (2.92, 2, 0.95),
        (2.3534, 3, 0.95),
        (-1.8125, 10, 0.05),
        (1.96, 10**6, 0.975),
    ],
)
def test_students_t(t, degrees, share):
    assert t_share(t, degrees) == pytest.approx(share, abs=0.002)


# -- the sequential test


@pytest.mark.parametrize(
    ("truth", "wrong", "bound"),
    [(0, "elo1", 0.05), (60, "elo0", 0.05), (-40, "elo1", 0.01), (100, "elo0", 0.01)],
)
def test_sprt_error_rates(truth, wrong, bound):
    rng = np.random.default_rng(3)
    sprt = Sprt(0, 60)
    runs = 600
    # Pairs of which the mean is exactly the truth: each game alone, by its rate.
    rates = rng.binomial(2, rate_of(truth), (runs, 800)) / 2
    verdicts = [sprt.verdict(row) for row in rates]
    assert sum(found is None for found in verdicts) <= runs * 0.01
    errors = sum(found is not None and found[0] == wrong for found in verdicts) / runs
    # Two standard errors of the simulation beyond what was promised.
    assert errors <= bound + 2 * math.sqrt(bound / runs)


def test_sprt_takes_the_variance_from_blocks():
    """Shared luck: most pairs are split, so the answer is clear sooner, and the errors stay small."""
    rng = np.random.default_rng(4)
    sprt = Sprt(0, 60)

    def simulated(split):
        mean = rate_of(60)
        single = rng.random((300, 1500)) < split
        decided = rng.random((300, 1500)) < 0.5 + (mean - 0.5) / (1 - split)
        verdicts = [sprt.verdict(row) for row in np.where(single, 0.5, decided)]
        assert sum(found is None or found[0] == "elo0" for found in verdicts) <= 300 * 0.08
        return np.mean([found[1] for found in verdicts if found])

    assert simulated(0.7) < 0.7 * simulated(0.2)


def test_sprt_stops_at_the_first_crossing():
    sprt = Sprt(0, 100)
    rates = [1.0] * 40
    verdict, blocks = sprt.verdict(rates)
    assert verdict == "elo1"
    assert sprt.verdict(rates[: blocks - 1]) is None
    assert sprt.verdict(rates[:blocks]) == (verdict, blocks)
    assert sprt.llr(rates[:blocks]) >= sprt.bounds[1]
    assert sprt.llr([]) == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"elo1": -5}, "sprt.elo1: -5 is not allowed; allowed: more than elo0 = 0"),
        ({"elo0": "a"}, "sprt.elo0: 'a' is not allowed"),
        ({"elo1": math.nan}, "sprt.elo1: nan is not allowed"),
        ({"alpha": 0.7}, "sprt.alpha: 0.7 is not allowed; allowed: between 0 and 0.5"),
        ({"beta": 0}, "sprt.beta: 0 is not allowed"),
        ({"min_blocks": 1}, "sprt.min_blocks: 1 is not allowed"),
    ],
)
def test_sprt_refuses(values, message):
    with pytest.raises(ValueError, match=message):
        Sprt(**values)


# -- many entrants


def simulated_blocks(rng, strengths, tables, count):
    """Plackett-Luce games: who has the most strength and Gumbel noise is first."""
    blocks = []
    for table in tables:
        for _ in range(count):
            games = []
            for _ in table:
                marks = {name: strengths[name] + rng.gumbel() for name in table}
                order = sorted(table, key=lambda name: -marks[name])
                games.append({name: order.index(name) + 1 for name in table})
            blocks.append(games)
    return blocks


def test_orders_with_ties():
    assert orders_of({"a": 2, "b": 1, "c": 3}) == [("b", "a", "c")]
    assert sorted(orders_of({"a": 1, "b": 1, "c": 3})) == [("a", "b", "c"), ("b", "a", "c")]
    assert len(orders_of({"a": 1, "b": 1, "c": 1, "d": 1})) == 24


def test_two_entrants_get_the_elo_of_their_score():
    blocks = [[{"a": 1, "b": 2}, {"b": 2, "a": 1}]] * 6 + [[{"a": 1, "b": 2}, {"a": 2, "b": 1}]] * 4
    fit = fit_ratings(blocks, ["a", "b"])
    rates = [1.0] * 6 + [0.5] * 4
    expected = elo_estimate(rates)
    assert fit.ratings["a"].elo - fit.ratings["b"].elo == pytest.approx(expected.mean, abs=1e-6)
    assert fit.ratings["a"].elo == pytest.approx(-fit.ratings["b"].elo)
    assert fit.superiority("a", "b") == pytest.approx(likelihood_of_superiority(rates), abs=0.02)
    anchored = fit_ratings(blocks, ["a", "b"], anchor="b").ratings
    assert anchored["b"].elo == anchored["b"].error == 0
    assert anchored["a"].elo == pytest.approx(expected.mean, abs=1e-6)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_ratings_cover_known_strengths(seats):
    rng = np.random.default_rng(10 + seats)
    strengths = dict(zip("abcde", [-1.0, -0.4, 0.0, 0.3, 1.1], strict=True))
    tables = list(combinations(strengths, seats))
    elo_per_logit = 400 / math.log(10)
    hits = runs = 0
    for _ in range(40):
        fit = fit_ratings(simulated_blocks(rng, strengths, tables, 30 // seats), list(strengths))
        for name, rating in fit.ratings.items():
            hits += rating.low <= elo_per_logit * strengths[name] <= rating.high
            runs += 1
    assert 0.90 <= hits / runs <= 0.995
    assert fit.connected


def test_dependent_games_widen_the_interval():
    """The same game counted twice in a block tells no more than once."""
    rng = np.random.default_rng(5)
    once = simulated_blocks(rng, {"a": 0.5, "b": 0.0}, [("a", "b")], 60)
    once = [[block[0]] for block in once]
    twice = [block * 2 for block in once]
    single, double = (fit_ratings(blocks, ["a", "b"]).ratings["a"] for blocks in (once, twice))
    assert double.elo == pytest.approx(single.elo, abs=1e-3)
    assert double.error == pytest.approx(single.error, abs=1e-3)


def test_entrants_without_games_and_one_sided_results():
    won = [[{"a": 1, "b": 2, "c": 2}] * 3] * 20
    fit = fit_ratings(won, ["a", "b", "c", "d"])
    assert fit.ratings["a"].elo > fit.ratings["b"].elo == pytest.approx(fit.ratings["c"].elo)
    assert all(math.isfinite(fit.ratings[name].low) for name in "abc")
    assert fit.ratings["d"].high == math.inf
    assert not fit.connected
    empty = fit_ratings([], ["a", "b"])
    assert empty.ratings["a"].elo == 0
    assert empty.ratings["a"].low == -math.inf
