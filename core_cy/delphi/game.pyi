from typing import Any

from pythia.core_cy.delphi.board import Hex
from pythia.core_cy.game import Game, Move, State
from pythia.core_cy.registry import GameInfo
from pythia.core_cy.rng import Random

INFO: GameInfo

class DelphiGame(Game):
    """One board of The Oracle of Delphi with its options."""

    def __init__(self, options: dict[str, Any]) -> None: ...
    @property
    def board(self) -> list[dict[str, Any]]: ...
    def move_fields(self, move: Move) -> dict[str, Any]: ...
    def distance(self, start: Hex, end: Hex, crossing: bool) -> int | None: ...
    @staticmethod
    def state_from_json(obj: Any) -> State: ...
    @staticmethod
    def state_from_observation(obj: Any, rng: Random) -> State: ...
