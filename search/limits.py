"""How long a bot may search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from pythia.search.params import shown

Per = Literal["decision", "turn"]

# More than any machine will do; a counter of 64 bits cannot overflow.
MAX_ITERATIONS = 10**15


@dataclass(frozen=True)
class Limit:
    """A limit in iterations, seconds or both (the first to run out ends the search), per decision or per turn.

    Iterations give the same answer on every machine; seconds do not.
    """

    iterations: int | None = None
    seconds: float | None = None
    per: Per = "decision"

    def __post_init__(self) -> None:
        if self.iterations is None and self.seconds is None:
            raise ValueError("limit: None is not allowed; allowed: iterations, seconds or both")
        if self.iterations is not None and (
            isinstance(self.iterations, bool)
            or not isinstance(self.iterations, int)
            or not 1 <= self.iterations <= MAX_ITERATIONS
        ):
            raise ValueError(
                f"iterations: {shown(self.iterations)} is not allowed; "
                f"allowed: a whole number from 1 to {MAX_ITERATIONS}"
            )
        if self.seconds is not None and (
            isinstance(self.seconds, bool)
            or not isinstance(self.seconds, (int, float))
            or not 0 < self.seconds < math.inf  # also false for NaN
        ):
            raise ValueError(f"seconds: {self.seconds!r} is not allowed; allowed: a finite number above 0")
        if self.per not in get_args(Per):
            raise ValueError(f"per: {self.per!r} is not allowed; allowed: {', '.join(get_args(Per))}")

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same answer."""
        return self.seconds is None
