"""Means with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pythia.search.result import CONFIDENCE, share_interval, t_quantile


@dataclass(frozen=True)
class Estimate:
    """A mean of n independent values with its 95 % interval, which a single value may not have."""

    n: int
    mean: float
    low: float | None
    high: float | None


def sample_variance(values: Sequence[float]) -> float:
    """The unbiased variance; `statistics.variance` is exact to the last bit and a hundred times slower."""
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def mean_interval(values: Sequence[float]) -> Estimate | None:
    """Student's t interval; None without values, without bounds for a single one."""
    n = len(values)
    if n == 0:
        return None
    mean = fmean(values)
    if n == 1:
        return Estimate(1, mean, None, None)
    half = t_quantile((1 + CONFIDENCE) / 2, n - 1) * math.sqrt(sample_variance(values) / n)
    return Estimate(n, mean, mean - half, mean + half)


def share_estimate(values: Sequence[float]) -> Estimate:
    """The mean of values between 0 and 1 with `share_interval`."""
    n = len(values)
    mean = fmean(values) if n else 0.5
    spread = sum((value - mean) ** 2 for value in values) / n if n else 0.0
    return Estimate(n, mean, *share_interval(n, mean, spread))
