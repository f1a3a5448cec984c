"""Moves and observations as numbers, for programs that learn and for the adapters of their frameworks.

Each game has a module `encoding` with a class `Encoding`, a subclass of the one here. Its lists of move and outcome
texts are complete and always in the same order, so the place of a text is a number for it. Where texts name places of
a board, the same number stands for the same kind of place on another board.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, ClassVar

from pythia.core_cy.game import Game
from pythia.core_cy.registry import game_part


class Encoding(ABC):
    """One set-up of a game in numbers."""

    # Bounds that no game exceeds; they need not be sharp.
    max_decisions: ClassVar[int]  # of one seat
    max_events: ClassVar[int]  # chance events, per seat

    def __init__(self, game: Game) -> None:
        self.players = game.players

    @classmethod
    @abstractmethod
    def table(cls, game: Game) -> dict[str, Any]:
        """The options of the game, so that another seed deals it anew with the same move texts."""

    @abstractmethod
    def moves(self) -> list[str]:
        """The text of every move that a game with this set-up can have."""

    @abstractmethod
    def outcomes(self) -> list[str]:
        """The text of every chance outcome."""

    @abstractmethod
    def vector(self, observation: Mapping[str, Any]) -> list[float]:
        """What a seat sees, as numbers from 0 to 1, always as many; seats come in their order from the observer on."""

    def seats(self, observation: Mapping[str, Any]) -> list[int]:
        """The seats in the order of the vector."""
        first: int = observation["observer"]
        return [(first + ahead) % self.players for ahead in range(self.players)]


def encoding_class(name: str) -> type[Encoding]:
    """The encoding of a game, by the game's name."""
    found: type[Encoding] = game_part(name, "encoding")
    return found


# -- parts of vectors


def numbered(words: Iterable[Hashable]) -> dict[Hashable, int]:
    """Words with their places, for `one_hot` and `shares`."""
    return {word: number for number, word in enumerate(words)}


def one_hot(value: Hashable, words: Mapping[Hashable, int]) -> list[float]:
    """1 in the place of the value; nothing but 0 when it is not among the words."""
    values = [0.0] * len(words)
    if value in words:
        values[words[value]] = 1.0
    return values


def shares(found: Iterable[Hashable], words: Mapping[Hashable, int], most: int = 1) -> list[float]:
    """How often each word comes, as a part of the most that can be."""
    values = [0.0] * len(words)
    for word in found:
        values[words[word]] += 1 / most
    return values


def squeezed(value: int, middle: int) -> float:
    """A number without an upper bound; `middle` becomes 0.5."""
    return value / (value + middle)
