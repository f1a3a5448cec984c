"""From search results to displayed numbers: calibrated win probabilities and their intervals.

A search is overconfident, and its interval covers only the randomness of the search. Corrections measured on a game's
own games are in the part `display` of its weights file (`python -m tools.calibration` measures and fits it):

- `power`, by player count: a list of [rounds, power]. Win probabilities are raised to the power of the first entry
  whose rounds are not below those the leader still has to go, and brought to a sum of 1. Below 1 it evens them out.
- `error`, by player count: the judgement's own error, as a standard deviation of log odds. Intervals include it.
- `rounds`: weights by feature, and `base`: the rounds that a seat still needs, never below 0.

What is missing changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pythia.core_cy.game import View
from pythia.search.result import CONFIDENCE, t_quantile

# Log odds further out than these are shown as these.
MOST_LOG_ODDS = 7.0


class Display:
    """How the numbers of one position are shown."""

    def __init__(self, settings: Mapping[str, Any], view: View) -> None:
        self.players = view.game.players
        self.rounds = rounds_left(settings, view)
        key = str(self.players)
        self.power = power_at(settings.get("power", {}).get(key, ()), min(self.rounds, default=0.0))
        self.error = float(settings.get("error", {}).get(key, 0.0))

    def values(self, values: Sequence[float]) -> list[float]:
        """Win probabilities per seat."""
        if self.power == 1.0:
            return list(values)
        raised = [max(value, 0.0) ** self.power for value in values]
        total = sum(raised)
        return [value / total for value in raised] if total else list(values)

    def value(self, value: float, seat: int, values: Sequence[float]) -> float:
        """The win probability of a move: the other seats share what is left as they do in the position."""
        if self.power == 1.0:
            return value
        left = 1.0 - values[seat]
        others = [
            other * (1.0 - value) / left if left > 0 else (1.0 - value) / (len(values) - 1)
            for number, other in enumerate(values)
            if number != seat
        ]
        return self.values([value, *others])[0]

    def interval(self, value: float, low: float, high: float) -> tuple[float, float]:
        """The 95 % interval around a shown value, from the one of the search's own luck, with the judgement's error."""
        if not self.error:
            return low, high
        wide = t_quantile((1 + CONFIDENCE) / 2, 10_000) * self.error
        center = log_odds(value)
        below, above = center - log_odds(min(low, value)), log_odds(max(high, value)) - center
        return chance(center - math.hypot(below, wide)), chance(center + math.hypot(above, wide))


def judged(view: View, worlds: int = 8) -> list[float]:
    """Win probabilities per seat without a search: the game's judgement, over some of the worlds that fit the view."""
    rows = [view.imagined(seed).evaluate() for seed in range(worlds)]
    values = [sum(column) / worlds for column in zip(*rows, strict=True)]
    return Display(view.game.weights_file().display, view).values(values)


def power_at(steps: Sequence[Sequence[float]], rounds: float) -> float:
    for until, power in steps:
        if rounds <= until:
            return float(power)
    return float(steps[-1][1]) if steps else 1.0


def rounds_left(settings: Mapping[str, Any], view: View) -> list[float]:
    """The rounds that each seat still needs, this one included; those of the game itself where nothing was fitted."""
    weights = settings.get("rounds")
    if not weights:
        return [max(0.0, rounds) for rounds in view.rounds_left()]
    # Of the many features few have a weight.
    weighted = [
        (number, weights[name]) for number, name in enumerate(view.game.feature_names) if name in weights
    ]
    state = view.imagined(0)
    rows = state.game.features(state)
    return [
        max(0.0, weights.get("base", 0.0) + sum(weight * row[number] for number, weight in weighted))
        for row in rows
    ]


def log_odds(value: float) -> float:
    edge = 1 / (1 + math.exp(MOST_LOG_ODDS))
    value = min(max(value, edge), 1 - edge)
    return math.log(value / (1 - value))


def chance(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
