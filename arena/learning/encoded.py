"""Learning for games that name no features: a linear model on their encoding (pythia.search.model).

A game is played by the model against itself, moves drawn by how much it likes them. Kept of each decision are what the
seat saw, and how what it sees after its move differs from what the model's moves bring on average (`step`).

- value: weights that predict the result from what a seat sees;
- policy: weights that predict, from steps, what the result has beyond that. Only differences between moves of one
  decision count here. Few games say little about them, so a penalty keeps them near the weights of the value; its
  strength is chosen on games kept aside.

A generation learns from its own games and those of the two before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pythia.arena.learning.fit import HOLD_OUT
from pythia.arena.learning.run import Arena, LearnSpec, Verdict, command, decided, gather, is_decided
from pythia.arena.learning.samples import read
from pythia.arena.luck import Luck
from pythia.core_cy.game import CHANCE, View
from pythia.core_cy.registry import load_game
from pythia.core_cy.rng import Random
from pythia.core_cy.seeds import seed_of
from pythia.search.model import Floats, Model, empty_model, read_model, seen_after, seen_now, softmax

# Logits for each chance to win: a move that is better by 0.02 is e times as likely in self-play.
SHARPNESS = 50.0
VALUE_PENALTIES = (30.0, 100.0, 300.0, 1000.0, 3000.0)
POLICY_PENALTIES = (100.0, 300.0, 1000.0, 3000.0, 10_000.0, 1e12)
# Generations whose games are learned from.
GENERATIONS = 3
BOT = "pythia.search.model:ModelBot"


@dataclass(frozen=True)
class EncodedSpec:
    """How games of a generation are played."""

    game: str
    players: int
    seed: int
    policy: Floats

    def arrays(self, number: int) -> dict[str, Any]:
        """One game, and what is kept of its decisions."""
        seed = seed_of(self.seed, "encoded", self.game, number)
        state = load_game(self.game, players=self.players, seed=seed_of(seed, "start")).new_state()
        luck, rng = Luck(seed_of(seed, "luck")), Random(seed_of(seed, "choices"))
        seats, seen, steps = [], [], []
        while not state.is_over:
            if state.to_act == CHANCE:
                state.apply(luck.draw(state))
                continue
            view = View.of(state, state.to_act)
            moves = view.legal_moves()
            chosen = 0
            if len(moves) > 1:
                rows, ends = seen_after(view, moves, seed_of(seed, "hidden", view.key))
                chances = softmax(rows @ self.policy + ends)
                chosen = drawn(chances, rng.random())
                seats.append(view.seat)
                seen.append(seen_now(view).astype(np.float16))
                steps.append((rows[chosen] - chances @ rows).astype(np.float16))
            state.apply(str(moves[chosen]))
        return {
            "seats": np.array(seats, np.int8),
            "seen": np.array(seen, np.float16).reshape(len(seats), len(self.policy)),
            "steps": np.array(steps, np.float16).reshape(len(seats), len(self.policy)),
            "returns": np.array(state.returns(), np.float32),
        }


def drawn(chances: Floats, luck: float) -> int:
    return min(int(np.searchsorted(np.cumsum(chances), luck, side="right")), len(chances) - 1)


# -- the fit


def solved(square: Floats, toward: Floats, penalty: float) -> Floats:
    return np.asarray(np.linalg.solve(square + penalty * np.eye(len(square)), toward))


@dataclass(frozen=True)
class Learned:
    """A model, and the mean square of results that its value leaves unexplained on games kept aside."""

    model: Model
    before: float
    after: float
    samples: int


def fit_model(model: Model, files: Sequence[dict[str, Any]]) -> Learned:
    even = 1 / model.players
    train = [file for number, file in enumerate(files) if number % HOLD_OUT]
    aside = [file for number, file in enumerate(files) if number % HOLD_OUT == 0]

    def positions(file: dict[str, Any]) -> tuple[Floats, Floats]:
        seen = file["seen"].astype(float)
        return np.hstack([seen, np.ones((len(seen), 1))]), file["returns"][file["seats"]].astype(float) - even

    def normal(rows: Iterable[tuple[Floats, Floats]], numbers: int) -> tuple[Floats, Floats]:
        square, toward = np.zeros((numbers, numbers)), np.zeros(numbers)
        for features, target in rows:
            # Single precision is exact enough here, and twice as fast.
            narrow = features.astype(np.float32)
            square += narrow.T @ narrow
            toward += features.T @ target
        return square, toward

    def left(rows: Iterable[tuple[Floats, Floats]], weights: Floats) -> float:
        squares = [((target - features @ weights) ** 2) for features, target in rows]
        return float(np.concatenate(squares).mean())

    square, toward = normal(map(positions, train), len(model.value))
    values = [solved(square, toward, penalty) for penalty in VALUE_PENALTIES]
    value = min(values, key=lambda weights: left(map(positions, aside), weights))

    def moved(file: dict[str, Any]) -> tuple[Floats, Floats]:
        seen, results = positions(file)
        steps = file["steps"].astype(float)
        return steps, results - seen @ value - steps @ value[:-1]

    square, toward = normal(map(moved, train), len(model.policy))
    changes = [solved(square, toward, penalty) for penalty in POLICY_PENALTIES]
    change = min(changes, key=lambda weights: left(map(moved, aside), weights))
    return Learned(
        replace(model, value=value, policy=SHARPNESS * (value[:-1] + change)),
        left(map(positions, aside), model.value),
        left(map(positions, aside), value),
        sum(len(file["seats"]) for file in files),
    )


# -- a run


def learn_encoding(spec: LearnSpec, folder: Path, arena: Arena) -> list[Verdict]:
    """Generations in a folder: games, model, gate. `model.npz` is the best so far."""
    game = load_game(spec.game, players=spec.players[0], seed=0)
    best, verdicts = empty_model(game), []
    best_path = folder / "nothing.npz"
    best.write(best_path)
    for generation in range(1, spec.generations + 1):
        place = folder / f"{generation:03d}"
        sample = EncodedSpec(
            spec.game, game.players, seed_of(spec.seed, "generation", generation), best.policy
        )
        gather(sample, place / "samples", generation, "games", spec.games, arena)
        path = place / "model.npz"
        learned = Learned(read_model(str(path)), 0.0, 0.0, 0) if is_decided(place, "model") else None
        if learned is None:
            recent = range(max(1, generation - GENERATIONS + 1), generation + 1)
            folders = [folder / f"{number:03d}" / "samples" for number in recent]
            learned = fit_model(best, [file for samples in folders for file in read(samples, spec.games)])
            learned.model.write(path)
        verdict = decided(
            spec,
            place,
            generation,
            "model",
            {"class": BOT, "params": {"file": str(path.resolve())}},
            {"class": BOT, "params": {"file": str(best_path.resolve())}},
            (learned.before, learned.after, learned.samples),
            arena,
        )
        verdicts.append(verdict)
        if verdict.passed:
            best, best_path = learned.model, path
        written(spec, folder, best, verdicts).write(folder / "model.npz")
    return verdicts


def written(spec: LearnSpec, folder: Path, model: Model, verdicts: Sequence[Verdict]) -> Model:
    """The model with how it came about."""
    begun = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return replace(
        model,
        provenance={
            "command": command(spec),
            "commit": begun["commit"],
            "version": begun["version"],
            "signature": begun["signature"],
            "games": spec.games * len(verdicts),
            "gates": [vars(verdict) for verdict in verdicts],
        },
    )
