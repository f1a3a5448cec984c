"""Intervals hold what they promise, in simulations with a known truth."""

import math
import random

import pytest

from pythia.arena.stats import mean_interval, share_estimate
from pythia.search.result import share_interval, t_quantile


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042), (1000, 1.962)],
)
def test_students_quantiles(degrees, quantile):
    assert t_quantile(0.975, degrees) == pytest.approx(quantile, rel=0.005)
    assert t_quantile(0.025, degrees) == pytest.approx(-quantile, rel=0.005)


def block_rates(rng, rate, count):
    """Blocks of two games that share some of their luck: half of the blocks are one game counted twice."""
    for _ in range(count):
        first = rng.random() < rate
        second = first if rng.random() < 0.5 else rng.random() < rate
        yield (first + second) / 2


@pytest.mark.parametrize("rate", [0.5, 0.75, 0.95])
@pytest.mark.parametrize("blocks", [8, 50])
def test_the_interval_of_a_win_rate_covers_the_truth(rate, blocks):
    rng = random.Random(f"{rate} {blocks}")
    tries = 1000
    held = 0
    for _ in range(tries):
        estimate = share_estimate(list(block_rates(rng, rate, blocks)))
        assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1
        held += estimate.low <= rate <= estimate.high
    assert held / tries > 0.93


def test_the_interval_narrows():
    widths = []
    for blocks in (10, 100, 1000):
        estimate = share_estimate([0.0, 1.0] * (blocks // 2))
        widths.append(estimate.high - estimate.low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]
    assert widths[2] == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(1000), rel=0.02)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_values_are_not_certainty(value):
    estimate = share_estimate([value] * 10)
    assert estimate.low <= value <= estimate.high
    assert estimate.high - estimate.low > 0.1


def test_nothing_is_known_without_values():
    assert share_interval(0, 0.3, 0.0) == (0.0, 1.0)
    assert mean_interval([]) is None
    assert mean_interval([4.0]).low is None


def test_the_interval_of_a_mean_covers_the_truth():
    rng = random.Random(4)
    tries = 1000
    held = 0
    for _ in range(tries):
        estimate = mean_interval([rng.gauss(15, 3) for _ in range(6)])
        held += estimate.low <= 15 <= estimate.high
    assert 0.93 < held / tries < 0.97
