"""A linear model on a game's encoding, for games that name no features: what a position is worth, which move to play.

It knows nothing of the game but its rules and its encoding (pythia.core_cy.encoding). The worth of a position is a
weighted sum of the numbers that the seat to act sees; a move is liked by a weighted sum of what the seat sees after it.
Both sets of weights are learned from self-play (`pythia learn GAME --encoding`), and kept in one file.

The bot is named by its class and file: `pythia.search.model:ModelBot:file=learn-GAME/model.npz`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pythia.core_cy.encoding import Encoding, encoding_class
from pythia.core_cy.game import Game, Move, View
from pythia.core_cy.rng import Random
from pythia.core_cy.seeds import seed_of
from pythia.core_cy.weights import BadWeights
from pythia.search.bots import ObservingBot, Question, expected_rank, report
from pythia.search.result import Result

Floats = NDArray[np.float64]

FORMAT = 1
# What the end of the game counts for a policy: a win is liked this much more than a loss, in logits.
END_LOGITS = 20.0


@dataclass(frozen=True)
class Model:
    """Weights for one game and number of players: `policy` in logits, `value` in chances above an even share."""

    game: str
    players: int
    value: Floats  # by number of the encoding, and at the end the constant
    policy: Floats  # by number of the encoding
    provenance: dict[str, Any] = field(default_factory=dict)

    def worth(self, seen: Floats) -> float:
        """The chance to win of the seat that sees this."""
        chance = 1 / self.players + float(seen @ self.value[:-1]) + float(self.value[-1])
        return min(max(chance, 0.0), 1.0)

    def write(self, path: Path) -> None:
        about = {
            "format": FORMAT,
            "game": self.game,
            "players": self.players,
            "provenance": self.provenance,
        }
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez_compressed(file, about=json.dumps(about), value=self.value, policy=self.policy)
        part.replace(path)


def empty_model(game: Game) -> Model:
    """All moves alike."""
    numbers = len(encoded(game).vector(game.new_state().observation(0)))
    return Model(game.name, game.players, np.zeros(numbers + 1), np.zeros(numbers))


@cache
def read_model(path: str) -> Model:
    """A model from its file, whose faults are named."""
    try:
        with np.load(path) as file:
            about = json.loads(str(file["about"]))
            value, policy = file["value"].astype(float), file["policy"].astype(float)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise BadWeights(f"file: {path}: not a whole model ({error}); learn or copy it again") from error
    if about.get("format") != FORMAT:
        raise BadWeights(
            f"file: {path}: format {about.get('format')!r} is not allowed; allowed: {FORMAT}; learn it again"
        )
    return Model(about["game"], about["players"], value, policy, about["provenance"])


@lru_cache(64)
def encoded(game: Game) -> Encoding:
    return encoding_class(game.name)(game)


def seen_now(view: View) -> Floats:
    """What the seat of a view sees, as numbers."""
    return np.asarray(encoded(view.game).vector(view.observation()))


def seen_after(view: View, moves: Sequence[Move], seed: int) -> tuple[Floats, Floats]:
    """What the seat sees after each move, a row each, and what the end of the game says in logits.

    Hidden parts are drawn from what the seat knows, the same for all moves.
    """
    coder = encoded(view.game)
    world = view.imagined(seed)
    rows, ends = [], np.zeros(len(moves))
    for number, move in enumerate(moves):
        after = world.clone()
        after.apply(str(move))
        rows.append(coder.vector(after.observation(view.seat)))
        if after.is_over:
            ends[number] = END_LOGITS * (after.returns()[view.seat] - 1 / view.game.players)
    return np.asarray(rows), ends


def softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())


class ModelBot(ObservingBot):
    """Plays the move that a learned model of the game's encoding likes best (pythia learn GAME --encoding)."""

    def __init__(self, file: str, seed: int = 0, samples: int = 1) -> None:
        super().__init__("model", seed)
        self.model = read_model(str(file))
        self.samples = samples

    def think(self, question: Question) -> Result:
        view, model = question.view, self.model
        if (view.game.name, view.game.players) != (model.game, model.players):
            raise BadWeights(
                f"file: a model of {model.game} with {model.players} players is not allowed; "
                f"allowed: one of {view.game.name} with {view.game.players}"
            )
        seen = seen_now(view)
        if len(seen) != len(model.policy):
            raise BadWeights(
                f"file: a model of {len(model.policy)} numbers is not allowed; this version of {model.game} "
                f"has {len(seen)} with these options; learn it again"
            )
        choices = question.choices
        logits = np.zeros(len(choices))
        for sample in range(self.samples):
            rows, ends = seen_after(view, choices, seed_of(question.seed, sample))
            logits += (rows @ model.policy + ends) / self.samples
        priors = softmax(logits)
        value = model.worth(seen)
        others = (1 - value) / (model.players - 1)
        values = [value if seat == view.seat else others for seat in range(model.players)]
        rank = expected_rank(value, view.seat, values)
        # Shuffled, then sorted: ties fall by the seed.
        order = list(range(len(choices)))
        Random(question.seed).shuffle(order)
        order.sort(key=lambda i: -logits[i])
        return Result(
            move=str(choices[order[0]]),
            moves=[report(str(choices[i]), 0, value, rank, 0.0, float(priors[i])) for i in order],
            values=values,
        )
