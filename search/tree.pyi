from typing import NamedTuple

from pythia.core_cy.game import State
from pythia.search.params import SearchParams

class RootMove(NamedTuple):
    move: str
    visits: int
    value: float
    variance: float
    prior: float

class StopFlag:
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

class Search:
    """One tree from one position as `seat` sees it. The same inputs give the same tree."""

    iterations: int
    transitions: int
    depth: int
    def __init__(
        self, state: State, seat: int, params: SearchParams, seed: int, moves: list[str] | None = None
    ) -> None: ...
    @property
    def nodes_made(self) -> int: ...
    def run(
        self, iterations: int, seconds: float | None = None, stop: StopFlag | None = None, final: bool = True
    ) -> int: ...
    def knows(self, state: State) -> bool: ...
    def go_on(self, state: State) -> None: ...
    def moves(self) -> list[RootMove]: ...
    def values(self) -> list[float]: ...
    def line(self, move: str, length: int = 12) -> tuple[list[str], float]: ...

def one_ply(
    state: State,
    seat: int,
    samples: int,
    seed: int,
    finalists: int = 8,
    seconds: float | None = None,
    stop: StopFlag | None = None,
) -> tuple[list[tuple[str, float]], int]: ...
