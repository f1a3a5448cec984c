"""Whether win probabilities hold: measured on games that a bot plays against itself, and fitted for display.

`sample` plays games and keeps what the search said at every turn; `measured` compares that with how the games ended, as
the bot would show it; `fitted` finds the part `display` of a weights file (pythia.search.display) from games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pythia.arena.learning.samples import SampleSpec, collect, read
from pythia.core_cy.registry import load_game
from pythia.search.display import power_at

Floats = NDArray[np.float64]

BINS = 10
# Rounds that the leader has to go: the stages that are told apart.
STAGES = (3.0, 6.0, 1000.0)
# How far from 1 powers usually are, as a standard deviation of their logarithm.
USUAL_POWER = 0.15
POWERS = tuple(round(0.3 + 0.05 * number, 2) for number in range(25))


@dataclass(frozen=True)
class Turns:
    """Every turn of some games: what was said about the seat to act, and what came."""

    players: int
    names: tuple[str, ...]  # of the features
    game: NDArray[np.int64]
    search: Floats  # its chance by the search, as found
    judged: Floats  # by the bare judgement
    won: Floats
    rounds_left: Floats  # by the game's judgement
    to_go: Floats  # rounds it really took, this one included; NaN for who did not win
    features: Floats


def sample(
    game: str, players: int, games: int, iterations: int, seed: int, folder: Path, processes: int
) -> Turns:
    """Plays the games that the folder lacks, and reads them all."""
    weights = load_game(game, seed=0).weights()
    spec = SampleSpec(
        game, seed, tuple(weights.items()), (players,), play=iterations, decision_share=0.0, way_turns=0.0
    )
    collect(spec, folder, games, processes)
    return turns_of(players, load_game(game, seed=0).feature_names, read(folder, games))


def turns_of(players: int, names: tuple[str, ...], files: Iterable[Mapping[str, Any]]) -> Turns:
    columns: dict[str, list[Floats]] = {
        name: [] for name in ("game", "search", "judged", "won", "rounds_left", "to_go", "features")
    }
    for number, file in enumerate(files):
        seats = file["turn_seat"].astype(int)
        won = file["returns"][seats]
        columns["game"].append(np.full(len(seats), number))
        for name in ("search", "judged", "rounds_left", "features"):
            columns[name].append(file[f"turn_{name}"].astype(float))
        columns["won"].append(won.astype(float))
        columns["to_go"].append(np.where(won == 1.0, file["rounds"] - file["turn_round"] + 1, np.nan))
    joined = {name: np.concatenate(rows) for name, rows in columns.items()}
    return Turns(players, names, **joined)


def two_sided(value: Floats, players: int) -> Floats:
    """Log odds against a rival like the others: of `players` alike, a share of 1 / players is even."""
    value = np.clip(value, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(value / ((1 - value) / (players - 1))))


def raised(value: Floats, power: Floats | float, players: int) -> Floats:
    """What a chance is shown as when the others share the rest evenly."""
    odds = np.exp(power * two_sided(value, players))
    return np.asarray(odds / (odds + players - 1))


def shown(turns: Turns, display: Mapping[str, Any]) -> Floats:
    """The chances as the bot shows them."""
    steps = display.get("power", {}).get(str(turns.players), ())
    powers = np.array([power_at(steps, stage) for stage in stages(turns, display)])
    return raised(turns.search, powers, turns.players)


def stages(turns: Turns, display: Mapping[str, Any]) -> Floats:
    """The rounds that the seat has to go, as they are shown; of the leader, display itself takes the least."""
    return rounds_shown(turns, display) if display.get("rounds") else np.maximum(turns.rounds_left, 0.0)


def rounds_shown(turns: Turns, display: Mapping[str, Any]) -> Floats:
    weights = display["rounds"]
    vector = np.array([weights.get(name, 0.0) for name in turns.names])
    return np.maximum(turns.features @ vector + weights.get("base", 0.0), 0.0)


# -- how good they are


@dataclass(frozen=True)
class Calibration:
    """How chances compare with results. `error` is their mean distance over bins with equally many turns."""

    what: str
    players: int
    games: int
    turns: int
    error: float
    slope: float
    slope_low: float
    slope_high: float
    brier: float
    bins: tuple[tuple[float, float, int], ...]  # mean chance, share won, turns


def calibration(
    what: str, turns: Turns, chances: Floats, chosen: NDArray[np.bool_] | None = None
) -> Calibration:
    use = np.ones(len(chances), bool) if chosen is None else chosen
    chance, won, games = chances[use], turns.won[use], turns.game[use]
    order = np.argsort(chance)
    bins = tuple(
        (float(chance[part].mean()), float(won[part].mean()), len(part))
        for part in np.array_split(order, min(BINS, max(1, len(order))))
        if len(part)
    )
    total = sum(count for _, _, count in bins)
    error = sum(count * abs(said - came) for said, came, count in bins) / max(total, 1)
    odds = two_sided(chance, turns.players)
    slope = slope_of(odds, won, turns.players)
    # The turns of a game share its result, so whole games are drawn again for the interval.
    rng = np.random.default_rng(1)
    names = np.unique(games)
    rows = {name: np.flatnonzero(games == name) for name in names}
    slopes = []
    for _ in range(100):
        drawn = np.concatenate([rows[name] for name in rng.choice(names, len(names))])
        slopes.append(slope_of(odds[drawn], won[drawn], turns.players))
    low, high = np.quantile(slopes, [0.025, 0.975])
    return Calibration(
        what,
        turns.players,
        len(names),
        len(chance),
        float(error),
        slope,
        float(low),
        float(high),
        float(np.mean((chance - won) ** 2)),
        bins,
    )


def slope_of(odds: Floats, won: Floats, players: int) -> float:
    """The power that makes the results likeliest: below 1 the chances were too sure. Newton's method."""
    slope, even = 1.0, math.log(players - 1)
    for _ in range(25):
        chance = 1 / (1 + np.exp(-(slope * odds - even)))
        step = float((odds * (won - chance)).sum() / max((odds**2 * chance * (1 - chance)).sum(), 1e-9))
        slope += max(-0.5, min(0.5, step))
    return slope


# -- what display takes from games


def fitted(turns: Turns, penalty: float = 20.0) -> dict[str, Any]:
    """The part `display` for this player count: rounds by regression on the turns of winners, powers by stage."""
    display: dict[str, Any] = {"rounds": fitted_rounds(turns, penalty)} if turns.names else {}
    stage = stages(turns, display)
    steps, before = [], 0.0
    whole = best_power(turns, np.ones(len(stage), bool))
    for until in STAGES:
        chosen = (stage > before) & (stage <= until) if before else stage <= until
        steps.append([until, best_power(turns, chosen) if chosen.sum() >= 100 else whole])
        before = until
    display["power"] = {str(turns.players): steps}
    return display


def best_power(turns: Turns, chosen: NDArray[np.bool_]) -> float:
    # The turns of a game share its result, so games are what counts; few of them change little.
    games = len(np.unique(turns.game[chosen]))

    def loss(power: float) -> float:
        chance = np.clip(raised(turns.search[chosen], power, turns.players), 1e-6, 1 - 1e-6)
        won = turns.won[chosen]
        mean = float(-(won * np.log(chance) + (1 - won) * np.log(1 - chance)).mean())
        return games * mean + (math.log(power) / USUAL_POWER) ** 2 / 2

    return min(POWERS, key=loss)


def fitted_rounds(turns: Turns, penalty: float) -> dict[str, float]:
    names = turns.names
    use = ~np.isnan(turns.to_go)
    features, to_go = turns.features[use], turns.to_go[use]
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale < 1e-9] = 1.0
    scaled = (features - mean) / scale
    square = scaled.T @ scaled + penalty * np.eye(len(names))
    weights = np.linalg.solve(square, scaled.T @ (to_go - to_go.mean())) / scale
    base = float(to_go.mean() - mean @ weights)
    return {"base": round(base, 4)} | {
        name: round(float(weight), 4)
        for name, weight in zip(names, weights, strict=True)
        if abs(weight) > 1e-4
    }
