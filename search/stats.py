"""Means with intervals. Small on purpose: what bots and matches report, and the rule by which a match may stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist, fmean

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean of n independent values with its 95 % interval, which a single value may not have."""

    n: int
    mean: float
    low: float | None
    high: float | None


@lru_cache(maxsize=1024)  # asked for every move of a report, mostly with the same few numbers
def t_quantile(p: float, degrees: int) -> float:
    """Student's t: exact for 1 and 2 degrees of freedom, to about half a percent for 3 and better beyond."""
    if degrees == 1:
        return math.tan(math.pi * (p - 0.5))
    if degrees == 2:
        return (2 * p - 1) / math.sqrt(2 * p * (1 - p))
    z = NormalDist().inv_cdf(p)
    # The Cornish-Fisher expansion in 1 / degrees (Abramowitz and Stegun 26.7.5).
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term * (1 / degrees) ** power for power, term in enumerate(terms))


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


def share_interval(n: int, mean: float, spread: float) -> tuple[float, float]:
    """The 95 % interval of a mean of n values between 0 and 1 with this variance.

    One value of 0 and one of 1 are added before Student's interval is taken (Agresti and Coull's idea). So it has a
    width even when all values were equal, holds its 95 % near 0 and 1 and for few values, and stays within 0 and 1.
    """
    if n == 0:
        return 0.0, 1.0
    total = n + 2
    center = (n * mean + 1) / total
    squares = n * (spread + (mean - center) ** 2) + center**2 + (1 - center) ** 2
    half = t_quantile((1 + CONFIDENCE) / 2, total - 1) * math.sqrt(squares / (total - 1) / total)
    return max(0.0, center - half), min(1.0, center + half)


def share_estimate(values: Sequence[float]) -> Estimate:
    """The mean of values between 0 and 1 with `share_interval`."""
    n = len(values)
    mean = fmean(values) if n else 0.5
    spread = sum((value - mean) ** 2 for value in values) / n if n else 0.0
    return Estimate(n, mean, *share_interval(n, mean, spread))


# The number of values at which `always_interval` is about narrowest compared with a fixed one.
TYPICAL_COUNT = 60


def always_interval(values: Sequence[float]) -> tuple[float, float]:
    """An interval that may be looked at after every value and still holds 95 % of the time in all looks together.

    A fixed interval that is looked at again and again excludes the truth sooner or later. This one is the asymptotic
    confidence sequence of Waudby-Smith et al. (2021), about half as wide again, with the same two added values as
    `share_interval`.
    """
    padded = [*values, 0.0, 1.0]
    n = len(padded)
    alpha = 1 - CONFIDENCE
    # Their rho for the narrowest interval at TYPICAL_COUNT.
    rho2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / TYPICAL_COUNT
    scale = 2 * (n * rho2 + 1) / (n * n * rho2) * math.log(math.sqrt(n * rho2 + 1) / alpha)
    half = math.sqrt(sample_variance(padded) * scale)
    center = fmean(padded)
    return max(0.0, center - half), min(1.0, center + half)
