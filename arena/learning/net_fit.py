"""From traces to a network that corrects the judgement (core_cy/net.pxd).

The network adds to a seat's estimate of what is left to do; from the estimates of all seats follow their chances to
win, as in the game's own evaluation: certainty / sqrt(spread + rounds of the leader) for each round ahead. What is made
small is the cross-entropy between these chances and the results. First over the games of the policy, of which there are
many; then, with small steps, over searched games, of which there are few.

Positions in which a seat is done already are left out: their evaluation follows other rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pythia.arena.learning.fit import Fitted
from pythia.core_cy.game import Game
from pythia.core_cy.net_text import HIDDEN, net_numbers, net_text

Floats = NDArray[np.float32]

# Every so manieth file is kept aside; a prime, as the numbers of players take turns from file to file.
HOLD_OUT = 7
BATCH = 2048
# The inputs that the fit itself knows: a tenth of the estimate that the network corrects, and whether a seat is done.
ESTIMATE, DONE = "estimate", "done"
# The least spread of an input that is taken for its scale: rare inputs stay small.
LEAST_SCALE = 0.05
# Results: (rate, epochs). Searched positions: the same, and what holds the first layer to the features found before.
RESULTS_STEPS, SEARCHED_STEPS = (0.002, 5), (0.003, 12)
# Half precision holds less than this.
MOST = 60000.0


@dataclass
class Positions:
    """Positions with the same number of players."""

    inputs: Floats  # by position, seat and input; on one scale after `Model.take_scale`
    estimates: Floats  # by position and seat
    returns: Floats  # likewise
    aside: NDArray[np.bool_]


def positions_of(game: Game, files: Iterable[dict[str, Any]]) -> list[Positions]:
    """The traces, by their number of players."""
    done, estimate = (game.weight_names.net.index(name) for name in (DONE, ESTIMATE))
    found: dict[int, list[tuple[Any, Any, bool]]] = {}
    for number, file in enumerate(files):
        if len(file["inputs"]):
            players = file["inputs"].shape[1]
            kept = ~(file["inputs"][:, :, done] > 0).any(axis=1)
            aside = number % HOLD_OUT == 0
            found.setdefault(players, []).append((file["inputs"][kept], file["returns"][kept], aside))
    sets = []
    for _, parts in sorted(found.items()):
        inputs = np.concatenate([part[0] for part in parts]).astype(np.float32)
        sets.append(
            Positions(
                inputs,
                10 * inputs[:, :, estimate],
                np.concatenate([part[1] for part in parts]),
                np.concatenate([np.full(len(part[0]), part[2]) for part in parts]),
            )
        )
    return sets


class Model:
    """The network with the two settings that turn estimates into chances, and its slopes."""

    def __init__(self, game: Game, rng: np.random.Generator) -> None:
        names = game.weight_names.net
        weights = game.weights()
        self.per_round = game.per_round
        self.mean = np.zeros(len(names), np.float32)
        self.scale = np.ones(len(names), np.float32)
        self.values: dict[str, Any] = {
            "first": (rng.standard_normal((len(names), HIDDEN)) * np.sqrt(1 / len(names))).astype(np.float32),
            "bias": np.zeros(HIDDEN, np.float32),
            "second": np.zeros(HIDDEN, np.float32),
            "last": np.zeros(1, np.float32),
            "settings": np.array([weights["certainty"], weights["spread"]], np.float32),
        }
        if text := game.net():
            numbers = np.array(net_numbers(text, len(names)), np.float32)
            first, rest = np.split(numbers, [len(names) * HIDDEN])
            self.values |= {
                "first": first.reshape(len(names), HIDDEN),
                "bias": rest[:HIDDEN],
                "second": rest[HIDDEN:-1],
                "last": rest[-1:],
            }

    def take_scale(self, sets: list[Positions]) -> None:
        """Inputs are brought to one scale; the network says the same as before."""
        rows = np.concatenate([part.inputs[:20000].reshape(-1, len(self.mean)) for part in sets])
        first, bias = self.plain()
        self.mean, self.scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), LEAST_SCALE)
        self.values |= {"first": first * self.scale[:, None], "bias": bias + self.mean @ first}
        for part in sets:
            part.inputs -= self.mean
            part.inputs /= self.scale

    def adopt(self, present: Model, features: bool) -> None:
        """Begin with what `present` says; with `features` and no network so far, with the own first layer."""
        first, bias = self.plain()
        self.mean, self.scale = present.mean, present.scale
        if features and not present.values["second"].any():
            self.values = present.values | {
                "first": first * self.scale[:, None],
                "bias": bias + self.mean @ first,
            }
        else:
            self.values = dict(present.values)

    def plain(self) -> tuple[Floats, Floats]:
        """The first layer for inputs as they are, and its bias."""
        first = self.values["first"] / self.scale[:, None]
        return first, self.values["bias"] - self.mean @ first

    def text(self) -> str:
        """The network for inputs as they are."""
        first, bias = self.plain()
        numbers = np.concatenate([first.ravel(), bias, self.values["second"], self.values["last"]])
        return net_text(np.clip(numbers, -MOST, MOST).tolist())

    def loss(
        self, part: Positions, numbers: NDArray[np.int64], slopes: dict[str, Any] | None = None
    ) -> float:
        """The mean cross-entropy of some positions; with `slopes`, those are filled in."""
        inputs, returns = part.inputs[numbers], part.returns[numbers]
        count, players, width = inputs.shape
        v = self.values
        rows = inputs.reshape(-1, width)
        before = rows @ v["first"] + v["bias"]
        hidden = np.maximum(before, 0)
        estimate = part.estimates[numbers] + (hidden @ v["second"] + v["last"]).reshape(count, players)
        rounds = estimate / self.per_round
        certainty, spread = v["settings"]
        under = spread + np.maximum(rounds.min(axis=1, keepdims=True), 0)
        sharpness = certainty / np.sqrt(under)
        logits = -sharpness * rounds
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        chances /= chances.sum(axis=1, keepdims=True)
        loss = float(-(returns * np.log(np.maximum(chances, 1e-9))).sum() / count)
        if slopes is not None:
            off = (chances - returns) / count  # of the logits
            of_rounds = -off * sharpness
            of_output = (of_rounds / self.per_round).reshape(-1, 1).astype(np.float32)
            of_hidden = (of_output * v["second"]) * (before > 0)
            slopes["first"] = rows.T @ of_hidden
            slopes["bias"] = of_hidden.sum(axis=0)
            slopes["second"] = (hidden * of_output).sum(axis=0)
            slopes["last"] = of_output.sum(axis=0)
            of_sharpness = -(off * rounds).sum(axis=1, keepdims=True)
            slopes["settings"] = np.array(
                [
                    (of_sharpness * sharpness / certainty).sum(),
                    (of_sharpness * -0.5 * sharpness / under).sum(),
                ],
                np.float32,
            )
        return loss

    def loss_of(self, sets: list[Positions], aside: bool) -> float:
        """Over all positions kept aside, or all others."""
        total, count = 0.0, 0
        for part in sets:
            chosen = np.flatnonzero(part.aside == aside)
            for begin in range(0, len(chosen), 8 * BATCH):
                rows = chosen[begin : begin + 8 * BATCH]
                total += self.loss(part, rows) * len(rows)
                count += len(rows)
        return total / max(count, 1)


def descend(model: Model, sets: list[Positions], steps: tuple[float, int], rng: np.random.Generator) -> float:
    """Adam with a falling rate; the least loss on games kept aside. The values of that epoch stay."""
    rate, epochs = steps
    first = {name: np.zeros_like(value) for name, value in model.values.items()}
    second = {name: np.zeros_like(value) for name, value in model.values.items()}
    best, kept = model.loss_of(sets, True), dict(model.values)
    batches = [(part, np.flatnonzero(~part.aside)) for part in sets if (~part.aside).any()]
    total = epochs * sum(-(-len(rows) // BATCH) for _, rows in batches)
    step = 0
    for _ in range(epochs):
        order = []
        for part, rows in batches:
            mixed = rng.permutation(rows)
            order += [(part, mixed[begin : begin + BATCH]) for begin in range(0, len(mixed), BATCH)]
        for number in rng.permutation(len(order)):
            part, rows = order[number]
            slopes: dict[str, Any] = {}
            model.loss(part, rows, slopes)
            step += 1
            now = rate * (0.5 + 0.5 * np.cos(np.pi * step / total))
            for name, slope in slopes.items():
                first[name] = 0.9 * first[name] + 0.1 * slope
                second[name] = 0.999 * second[name] + 0.001 * slope**2
                model.values[name] = model.values[name] - (
                    now * (first[name] / (1 - 0.9**step)) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
                )
            model.values["settings"] = np.maximum(model.values["settings"], np.float32(0.1))
        loss = model.loss_of(sets, True)
        if loss < best:
            best, kept = loss, dict(model.values)
    model.values = kept
    return best


def fit_net(
    game: Game, results: Iterable[dict[str, Any]] | None, searched: Iterable[dict[str, Any]], seed: int = 1
) -> Fitted:
    """A network from searched positions. Its features come from `results`, or from the present network."""
    rng = np.random.default_rng(seed)
    model = Model(game, rng)
    if results is not None:
        sets = positions_of(game, results)
        model.take_scale(sets)
        descend(model, sets, RESULTS_STEPS, rng)
        del sets
    sets = positions_of(game, searched)
    present = Model(game, rng)
    present.take_scale(sets)
    before = present.loss_of(sets, True)
    model.adopt(present, results is not None)
    after = descend(model, sets, SEARCHED_STEPS, rng)
    certainty, spread = (float(value) for value in model.values["settings"])
    weights = {"net": model.text(), "certainty": certainty, "spread": spread}
    return Fitted(weights, before, after, sum(len(part.returns) for part in sets), 0.0)
