"""From samples to weights.

Priors: what a move's features add to the logarithm of its prior, so that the priors come near to how often a deep
search visits the moves (cross-entropy). Decisions on which a shallow search and the deep one differ count more.

Judgement: ways from one position differ in what was chosen and rolled; the judgement at their end should differ as
their results do. Only differences within a position count: almost all of what results vary by lies between positions,
and explaining that better wins no games. The judgement is taken as linear near the present weights; its slopes come
with the samples. A penalty that is chosen on games kept aside holds both back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pythia.arena.learning.samples import JUDGEMENT_SETTINGS, sampled_weights, step_of
from pythia.core_cy.game import Game

# Every so manieth game is kept aside, to choose penalties and to report on.
HOLD_OUT = 5
PRIOR_STEPS = 120
PRIOR_PENALTIES = (3e-4, 3e-3)
VALUE_PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
# How much more a decision counts on which shallow and deep search differ altogether.
DISAGREEMENT = 3.0
# Weights never move further at once than this many steps (samples.step_of).
MOST_STEPS = 60.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fitted:
    """New weights, and what they explain on games kept aside: before, after."""

    weights: dict[str, Any]  # numbers, and a network as text
    before: float
    after: float
    samples: int
    penalty: float


# -- priors


@dataclass
class Decisions:
    """Decisions one after the other; `start` is the first move of each."""

    features: NDArray[np.float32]
    log_prior: Floats
    target: Floats
    weight: Floats  # of each decision
    start: NDArray[np.int64]
    aside: NDArray[np.bool_]  # by decision

    def part(self, aside: bool) -> Decisions:
        chosen = self.aside == aside
        sizes = np.diff(np.append(self.start, len(self.target)))
        moves = np.repeat(chosen, sizes)
        start = np.concatenate([[0], np.cumsum(sizes[chosen])[:-1]]).astype(np.int64)
        return Decisions(
            self.features[moves],
            self.log_prior[moves],
            self.target[moves],
            self.weight[chosen],
            start,
            self.aside[chosen],
        )


def decisions_of(files: Iterable[dict[str, Any]]) -> Decisions:
    features, log_prior, target, weight, sizes, aside = [], [], [], [], [], []
    for number, file in enumerate(files):
        ends = np.cumsum(file["decision_sizes"])
        for end, size in zip(ends, file["decision_sizes"], strict=True):
            part = slice(end - size, end)
            deep = file["decision_visits"][part].astype(float)
            few = file["decision_shallow"][part].astype(float)
            deep /= deep.sum()
            few /= max(few.sum(), 1.0)
            features.append(file["decision_features"][part])
            log_prior.append(np.log(np.maximum(file["decision_priors"][part].astype(float), 1e-7)))
            target.append(deep)
            weight.append(1 + DISAGREEMENT * np.abs(deep - few).sum() / 2)
            sizes.append(size)
            aside.append(number % HOLD_OUT == 0)
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return Decisions(
        np.concatenate(features),
        np.concatenate(log_prior),
        np.concatenate(target),
        np.array(weight),
        start,
        np.array(aside),
    )


def softmax(logits: Floats, start: NDArray[np.int64], sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """(log probabilities, probabilities) by decision."""
    top = np.repeat(np.maximum.reduceat(logits, start), sizes)
    weights = np.exp(logits - top)
    total = np.repeat(np.add.reduceat(weights, start), sizes)
    return logits - top - np.log(total), weights / total


def cross_entropy(decisions: Decisions, change: Floats) -> tuple[float, Floats]:
    """The loss and its gradient."""
    sizes = np.diff(np.append(decisions.start, len(decisions.target)))
    logits = decisions.log_prior + decisions.features @ change
    log_p, p = softmax(logits, decisions.start, sizes)
    weight = np.repeat(decisions.weight, sizes)
    total = decisions.weight.sum()
    loss = -(weight * decisions.target * log_p).sum() / total
    gradient = decisions.features.T @ ((weight * (p - decisions.target)).astype(np.float32)) / total
    return float(loss), gradient.astype(float)


def descend(decisions: Decisions, use: NDArray[np.bool_], penalty: float) -> Floats:
    """The change of the weights that makes the loss small; features are brought to one scale first."""
    scale = decisions.features.std(axis=0).astype(float)
    used = use & (scale > 1e-6)
    scale[~used] = 1.0
    change = np.zeros(len(scale))
    first, second = np.zeros_like(change), np.zeros_like(change)
    for step in range(1, PRIOR_STEPS + 1):
        _, gradient = cross_entropy(decisions, change / scale)
        gradient = np.where(used, gradient / scale + penalty * change, 0.0)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = 0.1 * min(1.0, 3 * (1 - step / (PRIOR_STEPS + 1)))
        change -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
    return np.asarray(change / scale)


def unit_of(weights: Mapping[str, float]) -> float:
    """What priors divide scores by; the weights of moves are in the unit of the scores.

    Playouts may divide by less: how sharp they are is tuned in the tree, and not taken from the fit.
    """
    return weights.get("prior_temperature", weights.get("temperature", 1.0))


def fit_priors(game: Game, decisions: Decisions, part: str, use: Sequence[str] | None = None) -> Fitted:
    """The weights `prior.` or `playout.` of a game's moves. `use` names the features that may have a say."""
    names = game.weight_names.moves
    old = game.weights()
    unit = unit_of(old)
    may = np.array([use is None or name in use for name in names])
    # The priors of the samples have the present weights in them; what they are without is where the fit begins.
    present = np.array([old[f"prior.{name}"] for name in names]) / unit
    plain = replace(decisions, log_prior=decisions.log_prior - decisions.features @ present)
    train, aside = plain.part(False), plain.part(True)
    best: tuple[float, float, Floats] | None = None
    for penalty in PRIOR_PENALTIES:
        change = descend(train, may, penalty)
        loss, _ = cross_entropy(aside, change)
        if best is None or loss < best[0]:
            best = (loss, penalty, change)
    assert best is not None
    before, _ = cross_entropy(aside, np.array([old[f"{part}.{name}"] for name in names]) / unit)
    values = {f"{part}.{name}": float(unit * weight) for name, weight in zip(names, best[2], strict=True)}
    return Fitted(values, before, best[0], len(decisions.start), best[1])


# -- judgement


@dataclass
class Ways:
    """What remains of ways when the mean of their position is taken off."""

    judged: Floats
    slopes: NDArray[np.float32]
    results: Floats
    aside: NDArray[np.bool_]


def ways_of(files: Iterable[dict[str, Any]]) -> Ways:
    judged: list[NDArray[np.float32]] = []
    slopes: list[NDArray[np.float32]] = []
    results: list[NDArray[np.float32]] = []
    aside = []
    for number, file in enumerate(files):
        ends = np.cumsum(file["way_sizes"])
        for end, size in zip(ends, file["way_sizes"], strict=True):
            if size < 2:
                continue
            part = slice(end - size, end)
            for found, name in ((judged, "judged"), (slopes, "slopes"), (results, "results")):
                rows = file[f"way_{name}"][part].astype(np.float32)
                found.append(rows - rows.mean(axis=0))
            aside.append(np.full(size, number % HOLD_OUT == 0))
    return Ways(
        np.concatenate(judged).astype(float),
        np.concatenate(slopes),
        np.concatenate(results).astype(float),
        np.concatenate(aside),
    )


def fit_value(game: Game, ways: Ways) -> Fitted:
    """The weights of the judgement; what is reported is the mean square that differences leave unexplained."""
    names = sampled_weights(game)
    old = game.weights()
    rest = ways.results - ways.judged
    train = ~ways.aside
    slopes = ways.slopes[train].astype(float)
    square = slopes.T @ slopes
    toward = slopes.T @ rest[train]
    noise = float(np.mean(rest[train] ** 2))

    def left(change: Floats) -> float:
        return float(np.mean((rest[ways.aside] - ways.slopes[ways.aside] @ change) ** 2))

    before = left(np.zeros(len(names)))
    best: tuple[float, float, Floats] | None = None
    for penalty in VALUE_PENALTIES:
        change = np.linalg.solve(square + penalty * noise * np.eye(len(names)), toward)
        change = np.clip(change, -MOST_STEPS, MOST_STEPS)
        if best is None or left(change) < best[0]:
            best = (left(change), penalty, change)
    assert best is not None
    values = {
        name: float(old[name] + change * step_of(old[name]))
        for name, change in zip(names, best[2], strict=True)
    }
    for name in JUDGEMENT_SETTINGS:
        if name in values:
            values[name] = max(values[name], 0.1)
    return Fitted(values, before, best[0], len(ways.judged), best[1])
