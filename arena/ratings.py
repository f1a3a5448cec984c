"""Who is stronger, by how much, and how sure: Elo, Plackett-Luce ratings and the sequential test, made on blocks.

The games of a block share their luck, so they are not independent; blocks are. Everything here therefore takes its
variances from whole blocks: with two seats the mean score of the pair of games (the pentanomial model of engine
testing), with more seats the sum of the block's contributions to the fit (a sandwich variance).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from statistics import NormalDist, fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pythia.arena.stats import Estimate, sample_variance, share_estimate
from pythia.search.result import CONFIDENCE, t_quantile

# The difference in Elo that multiplies the odds by e.
ELO_PER_LOGIT = 400 / math.log(10)
# Rates this near to 0 or 1 are shown as if they were there; an Elo difference has no end.
EDGE = 1e-4

Floats = NDArray[np.float64]


def elo_of(rate: float) -> float:
    """The Elo difference at which the stronger side scores this rate."""
    rate = min(1 - EDGE, max(EDGE, rate))
    return ELO_PER_LOGIT * math.log(rate / (1 - rate))


def rate_of(elo: float) -> float:
    """The rate that a side scores which is this much stronger."""
    return 1 / (1 + math.exp(-elo / ELO_PER_LOGIT))


def elo_estimate(rates: Sequence[float]) -> Estimate:
    """The Elo difference from block scores. Its interval is that of the mean score, so it holds near 0 and 1 too.

    One block of 0 and one of 1 are added, to the interval and to the mean, which keeps both finite.
    """
    rate = share_estimate(rates)
    center = (rate.n * rate.mean + 1) / (rate.n + 2)
    low, high = rate.low, rate.high
    assert low is not None
    assert high is not None
    return Estimate(rate.n, elo_of(center), elo_of(low), elo_of(high))


def likelihood_of_superiority(rates: Sequence[float]) -> float:
    """How sure it is, from block scores, that the first side is the stronger: 0.5 when nothing is known."""
    padded = [*rates, 0.0, 1.0]
    error = math.sqrt(sample_variance(padded) / len(padded))
    return t_share((fmean(padded) - 0.5) / error, len(padded) - 1)


def t_share(t: float, degrees: int) -> float:
    """The share of Student's t below a value, by Wallace's approximation: right to about 0.002 from 3 degrees on."""
    if degrees == 1:
        return 0.5 + math.atan(t) / math.pi
    if degrees == 2:
        return 0.5 + t / (2 * math.sqrt(2 + t * t))
    z = (8 * degrees + 1) / (8 * degrees + 3) * math.sqrt(degrees * math.log1p(t * t / degrees))
    return NormalDist().cdf(math.copysign(z, t))


# -- the sequential test


@dataclass(frozen=True)
class Sprt:
    """Stops when it is clear whether a side is `elo1` stronger rather than `elo0`.

    `alpha` is the chance of accepting elo1 when elo0 is true, `beta` that of accepting elo0 when elo1 is true.
    """

    elo0: float = 0.0
    elo1: float = 30.0
    alpha: float = 0.05
    beta: float = 0.05
    # With fewer blocks the variance is not known well enough.
    min_blocks: int = 10

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise ValueError(f"sprt.{name}: {value!r} is not allowed; allowed: a number of Elo")
        if self.elo0 >= self.elo1:
            raise ValueError(
                f"sprt.elo1: {self.elo1!r} is not allowed; allowed: more than elo0 = {self.elo0:g}"
            )
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 0.5:
                raise ValueError(f"sprt.{name}: {value!r} is not allowed; allowed: between 0 and 0.5")
        if isinstance(self.min_blocks, bool) or not isinstance(self.min_blocks, int) or self.min_blocks < 2:
            raise ValueError(
                f"sprt.min_blocks: {self.min_blocks!r} is not allowed; allowed: a whole number, 2 or more"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the log-likelihood ratio accepts elo0 and elo1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, rates: Sequence[float]) -> float:
        """The log-likelihood ratio of elo1 against elo0 after these block scores.

        The mean of block scores is about normal, with the variance that the blocks show (one block of 0 and one of 1
        added, so that a lucky start does not look like certainty).
        """
        return float(self.llrs(np.asarray(rates, dtype=float))[-1]) if len(rates) else 0.0

    def llrs(self, rates: Floats) -> Floats:
        """The ratio after each block."""
        counts = np.arange(1, len(rates) + 1)
        sums = np.cumsum(rates)
        padded_mean = (sums + 1) / (counts + 2)
        variances = ((np.cumsum(rates * rates) + 1) - (counts + 2) * padded_mean**2) / (counts + 1)
        rate0, rate1 = rate_of(self.elo0), rate_of(self.elo1)
        ratios: Floats = (rate1 - rate0) * (sums - counts * (rate0 + rate1) / 2) / variances
        return ratios

    def verdict(self, rates: Sequence[float]) -> tuple[str, int] | None:
        """`elo0` or `elo1` with the number of blocks after which it was accepted; None when it is still open."""
        if len(rates) < self.min_blocks:
            return None
        low, high = self.bounds
        ratios = self.llrs(np.asarray(rates, dtype=float))
        ratios[: self.min_blocks - 1] = 0.0
        crossed = np.flatnonzero((ratios <= low) | (ratios >= high))
        if not len(crossed):
            return None
        first = int(crossed[0])
        return ("elo1" if ratios[first] >= high else "elo0"), first + 1


# -- ratings of many entrants


@dataclass(frozen=True)
class Rating:
    """Strength in Elo with its standard error and 95 % interval."""

    elo: float
    error: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratings:
    """The fit: a rating per entrant, and the likelihood of superiority of each over each other."""

    ratings: dict[str, Rating]
    covariance: Floats
    connected: bool  # whether games link all entrants; otherwise only those that are linked can be compared

    def superiority(self, first: str, second: str) -> float:
        names = list(self.ratings)
        i, j = names.index(first), names.index(second)
        spread = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        apart = self.ratings[first].elo - self.ratings[second].elo
        if spread <= 0:
            return 0.5
        return NormalDist().cdf(apart / math.sqrt(spread))


# A block of the fit: for each game the entrants with their ranks, 1 for the first.
Block = Sequence[Mapping[str, int]]


def orders_of(ranks: Mapping[str, int]) -> list[tuple[str, ...]]:
    """The orders that agree with the ranks: with ties, every order of those who tied."""
    groups: dict[int, list[str]] = {}
    for name in sorted(ranks, key=lambda name: ranks[name]):
        groups.setdefault(ranks[name], []).append(name)
    ways = product(*(permutations(group) for group in groups.values()))
    return [tuple(name for group in way for name in group) for way in ways]


def fit_ratings(blocks: Sequence[Block], names: Sequence[str], anchor: str | None = None) -> Ratings:
    """Plackett-Luce strengths from the ranks of games; with two seats that is Bradley and Terry's model, so Elo.

    A tie counts as every order of those who tied, alike. Ratings have mean 0, or are relative to `anchor`. To every
    table of entrants that met a few virtual results are added that favour nobody, two blocks' worth per entrant in
    all, so that a side that won everything still has a finite rating. Standard errors come from whole blocks.
    """
    index = {name: number for number, name in enumerate(names)}
    seats = max((len(game) for block in blocks for game in block), default=2)
    rows: list[tuple[int, ...]] = []
    weights: list[float] = []
    owners: list[int] = []

    def add(owner: int, order: Sequence[str], weight: float) -> None:
        numbers = [index[name] for name in order]
        rows.append((*numbers, *[-1] * (seats - len(numbers))))
        weights.append(weight)
        owners.append(owner)

    for owner, block in enumerate(blocks):
        for game in block:
            orders = orders_of(game)
            for order in orders:
                add(owner, order, 1 / len(orders) / len(block))
    tables = sorted({tuple(sorted(game)) for block in blocks for game in block})
    owner = len(blocks)
    met = {name for table in tables for name in table}
    for table in tables:
        share = 2 * len(met) / sum(map(len, tables)) / len(table)
        for turn in range(len(table)):
            add(owner, table[turn:] + table[:turn], share)
            owner += 1

    size = len(names)
    strengths = np.zeros(size)
    covariance = np.zeros((size, size))
    if rows:
        data = _Orders(np.array(rows), np.array(weights), np.array(owners), size)
        strengths = data.maximum()
        covariance = data.covariance(strengths)
    strengths, covariance = _anchored(strengths, covariance, index[anchor] if anchor is not None else None)
    errors = ELO_PER_LOGIT * np.sqrt(np.maximum(0.0, np.diag(covariance)))
    played = {name: sum(any(name in game for game in block) for block in blocks) for name in names}
    ratings = {}
    for number, name in enumerate(names):
        elo, error = float(ELO_PER_LOGIT * strengths[number]), float(errors[number])
        # The two added blocks count as such, less one for the mean.
        half = t_quantile((1 + CONFIDENCE) / 2, played[name] + 1) * error if played[name] else math.inf
        ratings[name] = Rating(elo, error, elo - half, elo + half)
    return Ratings(ratings, ELO_PER_LOGIT**2 * covariance, _connected(tables, names))


class _Orders:
    """The data of the fit as arrays: per row an order of finish, its weight, and the block it belongs to."""

    def __init__(self, rows: NDArray[Any], weights: Floats, owners: NDArray[Any], size: int) -> None:
        self.there = rows >= 0
        self.rows = np.where(self.there, rows, 0)
        self.weights = weights
        self.owners = owners
        self.size = size
        # At each place but the last, somebody is chosen among those who are left.
        self.stages = range(rows.shape[1] - 1)

    def shares(self, strengths: Floats, stage: int) -> tuple[Floats, Floats]:
        """Who would be chosen at this place with which probability, and which rows still have a choice there."""
        odds = np.exp(strengths[self.rows]) * self.there
        odds[:, :stage] = 0.0
        choice = self.there[:, stage + 1].astype(float)
        total = odds.sum(axis=1, keepdims=True)
        return odds / np.where(total > 0, total, 1.0), choice

    def likelihood(self, strengths: Floats) -> float:
        total = 0.0
        for stage in self.stages:
            share, choice = self.shares(strengths, stage)
            total += float((self.weights * choice * np.log(np.where(choice > 0, share[:, stage], 1.0))).sum())
        return total

    def scores(self, strengths: Floats) -> Floats:
        """Per row the derivative of the log-likelihood by every strength."""
        scores = np.zeros((len(self.rows), self.size))
        lines = np.arange(len(self.rows))
        for stage in self.stages:
            share, choice = self.shares(strengths, stage)
            pull = self.weights * choice
            np.add.at(scores, (lines, self.rows[:, stage]), pull)
            for place in range(self.rows.shape[1]):
                np.add.at(scores, (lines, self.rows[:, place]), -pull * share[:, place])
        return scores

    def information(self, strengths: Floats) -> Floats:
        """Minus the second derivative."""
        matrix = np.zeros((self.size, self.size))
        for stage in self.stages:
            share, choice = self.shares(strengths, stage)
            pull = self.weights * choice
            for a in range(self.rows.shape[1]):
                np.add.at(matrix, (self.rows[:, a], self.rows[:, a]), pull * share[:, a])
                for b in range(self.rows.shape[1]):
                    np.add.at(matrix, (self.rows[:, a], self.rows[:, b]), -pull * share[:, a] * share[:, b])
        return matrix

    def inverse_information(self, strengths: Floats) -> Floats:
        # Adding the same to every strength changes nothing, so one eigenvalue is 0. What rounding leaves of it, which
        # depends on the machine's linear algebra, must not count as information; hence the wide cutoff.
        return np.asarray(np.linalg.pinv(self.information(strengths), rcond=1e-9, hermitian=True), np.float64)

    def maximum(self) -> Floats:
        """Newton's method; the likelihood is concave, and a step that overshoots is halved."""
        strengths = np.zeros(self.size)
        best = self.likelihood(strengths)
        for _ in range(100):
            step = self.inverse_information(strengths) @ self.scores(strengths).sum(axis=0)
            while (reached := self.likelihood(strengths + step)) < best and np.abs(step).max() > 1e-12:
                step /= 2
            strengths, best = strengths + step, max(best, reached)
            if np.abs(step).max() < 1e-9:
                break
        result: Floats = strengths - strengths.mean()
        return result

    def covariance(self, strengths: Floats) -> Floats:
        blocks = int(self.owners.max()) + 1
        sums = np.zeros((blocks, self.size))
        np.add.at(sums, self.owners, self.scores(strengths))
        inverse = self.inverse_information(strengths)
        result: Floats = blocks / max(1, blocks - 1) * inverse @ (sums.T @ sums) @ inverse
        return result


def _anchored(strengths: Floats, covariance: Floats, anchor: int | None) -> tuple[Floats, Floats]:
    """Relative to the mean, or to one entrant."""
    size = len(strengths)
    shift = np.eye(size)
    if anchor is None:
        shift -= 1 / max(1, size)
    else:
        shift[:, anchor] -= 1
    return shift @ strengths, shift @ covariance @ shift.T


def _connected(tables: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    groups = [{name} for name in names]
    for table in tables:
        touched = [group for group in groups if group & set(table)]
        groups = [group for group in groups if not group & set(table)] + [set().union(*touched)]
    return len(groups) <= 1
