"""What the adapters share: a game dealt again and again on one board, with a number for every move."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pythia.core_cy.encoding import encoding_class
from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.game import Game, Move, State, View
from pythia.core_cy.registry import load_game
from pythia.search.bots import as_view, without_search
from pythia.search.limits import Limit
from pythia.search.result import Result


class GameTable:
    """One set-up of a game: what stays when it is dealt anew, and the numbers of its moves.

    The numbers are the places in the lists of the game's encoding, so they depend on the game and its options only.
    """

    def __init__(self, game: Game) -> None:
        encoding = encoding_class(game.name)
        self.game = game.name
        self.players = game.players
        self.options = encoding.table(game)
        self.encoding = encoding(game)
        self.moves = tuple(self.encoding.moves())
        self.outcomes = tuple(self.encoding.outcomes())
        start = game.new_state()
        self.size = len(self.encoding.vector(start.observation(0)))
        self._numbers = {
            start.read_move(text).code: number
            for texts in (self.moves, self.outcomes)
            for number, text in enumerate(texts)
        }
        self._number_of_text = {text: number for number, text in enumerate(self.moves)}

    @classmethod
    def set_up(cls, game: str, **options: Any) -> GameTable:
        """The table of a game with these options. Its board is that of the seed, 0 if none is given."""
        return cls(load_game(game, **{"seed": 0, **options}))

    def fits(self, game: Game) -> bool:
        """Whether a game is at this table, apart from how it was dealt."""
        if game.name != self.game:
            return False
        options = self.encoding.table(game)
        return {**options, "seed": None} == {**self.options, "seed": None}

    def deal(self, seed: int) -> State:
        """The start of another game."""
        return load_game(self.game, **{**self.options, "seed": seed}).new_state()

    def number(self, move: Move) -> int:
        """The number of a move among `moves`, or of a chance outcome among `outcomes`."""
        return self._numbers[move.code]

    def number_of(self, text: str) -> int:
        """The number of a move, by its text."""
        if text not in self._number_of_text:
            raise IllegalMove(f"{text!r}: no move of {self.game} at this table")
        return self._number_of_text[text]

    def move(self, number: int) -> str:
        """The text of the move with this number."""
        if not 0 <= number < len(self.moves):
            raise IllegalMove(
                f"action: {number} is not allowed; allowed: a whole number from 0 to {len(self.moves) - 1}"
            )
        return self.moves[number]

    def legal(self, state: State) -> list[int]:
        """The numbers of the legal moves, or at chance of the outcomes, in rising order."""
        return sorted(map(self.number, state.legal_moves()))

    def mask(self, numbers: Iterable[int]) -> NDArray[np.int8]:
        """1 for each of these moves, 0 for all others."""
        mask = np.zeros(len(self.moves), np.int8)
        mask[list(numbers)] = 1
        return mask

    def vector(self, observation: Mapping[str, Any]) -> NDArray[np.float32]:
        """What a seat sees, as numbers from 0 to 1."""
        return np.array(self.encoding.vector(observation), np.float32)


class TableBot(ABC):
    """An agent of another framework as a bot. It learns of the game only by what its seat sees."""

    def __init__(self, name: str, seed: int = 0) -> None:
        self.name = name
        self.seed = seed
        self._table: GameTable | None = None

    def choose(self, view: View | Mapping[str, Any], limit: Limit | None = None) -> Result:
        view = as_view(view)
        view.need_to_act()
        if self._table is None or not self._table.fits(view.game):
            self._table = GameTable(view.game)
        move = self._table.move(index(self.decide(self._table, view.imagined(self.seed), view.seat)))
        return without_search(view, move, prior=1.0)

    @abstractmethod
    def decide(self, table: GameTable, state: State, seat: int) -> int:
        """The number of a move. `state` looks to the seat like the real one; what is hidden is made up."""


def missing(package: str, extra: str) -> ImportError:
    """What to raise when the package of an extra is not installed."""
    return ImportError(f"{package} is not installed; install it with: pip install 'pythia-opponent[{extra}]'")
