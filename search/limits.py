"""How much a bot may think."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Per = Literal["decision", "turn"]


@dataclass(frozen=True)
class Limit:
    """So many iterations, so many seconds, or whichever ends first, for each decision or for all of a turn.

    Iterations give the same answer on every machine; seconds do not.
    """

    iterations: int | None = None
    seconds: float | None = None
    per: Per = "decision"

    def __post_init__(self) -> None:
        if self.iterations is None and self.seconds is None:
            raise ValueError("limit: None is not allowed; allowed: iterations, seconds or both")
        if self.iterations is not None and (
            isinstance(self.iterations, bool) or not isinstance(self.iterations, int) or self.iterations < 1
        ):
            raise ValueError(
                f"iterations: {self.iterations!r} is not allowed; allowed: a whole number, 1 or more"
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
