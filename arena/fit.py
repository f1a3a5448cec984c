"""Fits the weights of a game's evaluation to the results of its own games.

    python -m pythia.arena.fit GAME --games 2000 --players 2,3,4 --out weights.json

A game that can be fitted tells its features (`game.features(state)`: a list of numbers per seat, named by
`game.feature_names`) and takes weights (`game.with_weights`). The model is a race: what a seat still has to do is the
weighted sum of its features, in units of which `PER_ROUND` are done in a round, and the chance to win falls with
each round behind the leader, more sharply the nearer the end is:

    rounds = weights . features / PER_ROUND
    win    ~ softmax(-rounds * certainty / sqrt(spread + max(0, rounds of the leader)))

The weights that make the observed winners likeliest are found by gradient descent, held to the old ones by a small
penalty; a fifth of the games is kept aside, and the loss on it is reported before and after.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pythia.arena.luck import Luck
from pythia.core_cy.game import CHANCE, View
from pythia.core_cy.registry import load_game
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec

PER_ROUND = 3.0
# Every so manieth game is kept aside.
HOLD_OUT = 5

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Positions of games with the same number of seats."""

    features: Array  # position, seat, feature
    results: Array  # position, seat
    kept_aside: NDArray[np.bool_]


def play(game: str, players: int, bot: str, seed: int) -> tuple[list[list[list[float]]], list[float]]:
    """The features of all seats at the start of every turn of a game between equals, and its result."""
    state = load_game(game, players=players, seed=seed).new_state()
    luck = Luck(seed)
    seats = [BotSpec.parse(bot).make(seed_of(seed, seat)) for seat in range(players)]
    rows: list[list[list[float]]] = []
    turn = None
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(luck.draw(state))
            continue
        if state.turn_number != turn:
            turn = state.turn_number
            rows.append(state.game.features(state))
        state.apply(seats[state.to_act].choose(View.of(state, state.to_act), lines=0).move)
    return rows, state.returns()


def collect(game: str, players: int, bot: str, games: int, seed: int, processes: int) -> Sample:
    features: list[list[list[float]]] = []
    results: list[list[float]] = []
    aside: list[bool] = []
    began = time.monotonic()
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        seeds = [seed_of(seed, players, number) for number in range(games)]
        columns = [[value] * games for value in (game, players, bot)]
        for number, (rows, returns) in enumerate(pool.map(play, *columns, seeds, chunksize=4)):
            features += rows
            results += [returns] * len(rows)
            aside += [number % HOLD_OUT == 0] * len(rows)
            if number % 50 == 49:
                rate = (number + 1) / (time.monotonic() - began)
                print(f"{players} players: {number + 1}/{games} games, {rate:.1f}/s", file=sys.stderr)
    return Sample(np.array(features), np.array(results), np.array(aside))


def chances(weights: Array, certainty: float, spread: float, features: Array) -> tuple[Array, Array, Array]:
    """(rounds, sharpness, win probabilities) of each position."""
    rounds = features @ weights / PER_ROUND
    sharpness = certainty / np.sqrt(spread + np.maximum(rounds.min(axis=1), 0))
    exponents = -sharpness[:, None] * rounds
    win = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return rounds, sharpness, win / win.sum(axis=1, keepdims=True)


def log_loss(weights: Array, certainty: float, spread: float, samples: list[Sample], aside: bool) -> float:
    total = count = 0.0
    for sample in samples:
        chosen = sample.kept_aside == aside
        win = chances(weights, certainty, spread, sample.features[chosen])[2]
        total -= float((sample.results[chosen] * np.log(win + 1e-12)).sum())
        count += int(chosen.sum())
    return total / count


def fit(
    weights: Array,
    certainty: float,
    spread: float,
    samples: list[Sample],
    steps: int = 1500,
    penalty: float = 0.002,
) -> tuple[Array, float, float]:
    """Adam on the log loss of the winners, by hand: the model is small and its gradient short."""
    start = weights
    values = np.concatenate([weights, [certainty, spread]])
    mean, square = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, steps + 1):
        gradient = np.zeros_like(values)
        count = 0
        for sample in samples:
            chosen = ~sample.kept_aside
            features, results = sample.features[chosen], sample.results[chosen]
            rounds, sharpness, win = chances(values[:-2], values[-2], values[-1], features)
            leader = rounds.min(axis=1)
            by_exponent = win - results
            by_sharpness = -(by_exponent * rounds).sum(axis=1)
            by_spread = by_sharpness * -0.5 * sharpness / (values[-1] + np.maximum(leader, 0))
            by_rounds = -sharpness[:, None] * by_exponent
            by_rounds[np.arange(len(leader)), rounds.argmin(axis=1)] += np.where(leader > 0, by_spread, 0)
            gradient[:-2] += np.einsum("ps,psf->f", by_rounds, features) / PER_ROUND
            gradient[-2] += (by_sharpness * sharpness / values[-2]).sum()
            gradient[-1] += by_spread.sum()
            count += len(features)
        gradient /= count
        gradient[:-2] += penalty * (values[:-2] - start)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = 0.02 * min(1.0, 2 * (1 - step / steps) + 0.05)
        values -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        values[-2:] = np.maximum(values[-2:], [0.3, 0.05])
    return values[:-2], float(values[-2]), float(values[-1])


def fitted(game: str, samples: list[Sample], penalty: float) -> dict[str, Any]:
    """The new weights with the losses before and after."""
    model = load_game(game, seed=0)
    names, old = model.feature_names, model.weights()
    start = np.array([old[name] for name in names])
    weights, certainty, spread = fit(start, old["certainty"], old["spread"], samples, penalty=penalty)
    return {
        "weights": {name: round(float(value), 4) for name, value in zip(names, weights, strict=True)},
        "certainty": round(certainty, 4),
        "spread": round(spread, 4),
        "positions": sum(len(sample.results) for sample in samples),
        "loss_before": round(log_loss(start, old["certainty"], old["spread"], samples, True), 4),
        "loss_after": round(log_loss(weights, certainty, spread, samples, True), 4),
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m pythia.arena.fit", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=1000, help="games for each number of players")
    parser.add_argument("--players", default="2", help="numbers of players, such as 2,3,4")
    parser.add_argument("--bot", default="planner:iterations=100", help="who plays the games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--penalty", type=float, default=0.002, help="how strongly the old weights hold")
    parser.add_argument("--out", help="write the weights here instead of to standard output")
    given = parser.parse_args(arguments)
    samples = [
        collect(given.game, int(players), given.bot, given.games, given.seed, given.processes)
        for players in given.players.split(",")
    ]
    result = fitted(given.game, samples, given.penalty)
    result["command"] = (
        f"python -m pythia.arena.fit {given.game} --games {given.games} --players {given.players} "
        f"--bot {given.bot} --seed {given.seed} --penalty {given.penalty}"
    )
    text = json.dumps(result, indent=1)
    if given.out:
        with open(given.out, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
