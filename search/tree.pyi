from collections.abc import Sequence
from typing import NamedTuple

from pythia.core_cy.game import Move, View
from pythia.search.params import SearchParams

class RootMove(NamedTuple):
    move: Move
    visits: int
    value: float
    variance: float
    prior: float

class StopFlag:
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

class Search:
    """One tree from what a seat that is to act knows. The same inputs give the same tree."""

    iterations: int
    transitions: int
    depth: int
    def __init__(
        self, view: View, params: SearchParams, seed: int, moves: Sequence[Move | str] | None = None
    ) -> None: ...
    @property
    def nodes_made(self) -> int: ...
    def run(self, iterations: int, seconds: float | None = None, stop: StopFlag | None = None) -> int: ...
    def knows(self, view: View) -> bool: ...
    def go_on(self, view: View) -> None: ...
    def moves(self) -> list[RootMove]: ...
    def values(self) -> list[float]: ...
    def line(self, move: Move, length: int = 12) -> tuple[list[Move], float]: ...

def one_ply(
    view: View,
    samples: int,
    seed: int,
    finalists: int = 8,
    seconds: float | None = None,
    stop: StopFlag | None = None,
) -> tuple[list[tuple[Move, float]], int]: ...
