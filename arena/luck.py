"""The luck of a game, drawn so that games that differ still share it."""

from __future__ import annotations

from collections import Counter

from pythia.core_cy.game import Move, State
from pythia.core_cy.rng import Random
from pythia.core_cy.seeds import seed_of


class Luck:
    """The dice and cards of one game.

    Each draw comes from its own stream, keyed by what it is for (purpose, seat, turn) and how many of that kind came
    before. So two games with the same seed see the same dice in the same turn of a seat, even if they differed before:
    common random numbers, which make comparisons of bots more precise.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._draws: Counter[int] = Counter()

    def draw(self, state: State) -> Move:
        """The outcome of the chance event that the state waits for; it is not applied."""
        stream = state.chance_stream()
        count = self._draws[stream]
        self._draws[stream] += 1
        return state.sample_chance(Random(seed_of(self.seed, stream, count)))
