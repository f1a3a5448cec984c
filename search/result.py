"""What a bot answers: its move, why, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import Any

CONFIDENCE = 0.95


@dataclass(frozen=True)
class MoveReport:
    """What the bot found out about one move.

    `win_probability` is the chance of the seat that moves, calibrated where the game's weights file says how
    (display.py); a move that was not tried has none, and an interval from 0 to 1 says that nothing is known. The
    interval includes the error of the judgement where that was measured. `expected_rank` follows from the win
    probabilities of all seats; with more than two players it is a model's (`expected_rank` in bots.py).
    """

    move: str
    visits: int
    win_probability: float | None
    low: float  # the 95 % interval of the win probability
    high: float
    prior: float
    expected_rank: float | None = None  # None where a bot does not say
    line: list[str] = field(
        default_factory=list
    )  # how play may go on, the move itself first; empty if not asked for
    line_probability: float = 1.0  # of the chance outcomes in the line


@dataclass(frozen=True)
class Result:
    """A bot's answer to an observation. Everything but `seconds` is reproducible under an iteration limit."""

    move: str
    moves: list[MoveReport]  # best first; at low levels the move played need not be the first
    values: list[float]  # win probability per seat
    rounds_left: list[float] | None = None  # per seat, where the game can tell
    reasons: list[str] = field(default_factory=list)
    iterations: int = 0
    depth: int = 0
    nodes: int = 0
    seconds: float = field(default=0.0, compare=False)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON; what is not known is left out."""
        obj = _known(asdict(self))
        obj["moves"] = [_known(move) for move in obj["moves"]]
        return obj


def _known(obj: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in obj.items() if value is not None}


@lru_cache(maxsize=1024)  # asked for every move of a report, mostly with the same few numbers
def t_quantile(p: float, degrees: int) -> float:
    """Student's t: exact for 1 and 2 degrees of freedom, to about half a percent for 3 and better beyond."""
    if degrees == 1:
        return math.tan(math.pi * (p - 0.5))
    if degrees == 2:
        return (2 * p - 1) / math.sqrt(2 * p * (1 - p))
    z = NormalDist().inv_cdf(p)
    # The Cornish-Fisher expansion in 1 / degrees (Abramowitz and Stegun 26.7.5).
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term * (1 / degrees) ** power for power, term in enumerate(terms))


def share_interval(n: int, mean: float, spread: float) -> tuple[float, float]:
    """The 95 % interval of a mean of n values between 0 and 1 with this variance.

    One value of 0 and one of 1 are added before Student's interval is taken (Agresti and Coull's idea). So it has a
    width even when all values were equal, holds its 95 % near 0 and 1 and for few values, and stays within 0 and 1.
    """
    if n == 0:
        return 0.0, 1.0
    total = n + 2
    center = (n * mean + 1) / total
    squares = n * (spread + (mean - center) ** 2) + center**2 + (1 - center) ** 2
    half = t_quantile((1 + CONFIDENCE) / 2, total - 1) * math.sqrt(squares / (total - 1) / total)
    return max(0.0, center - half), min(1.0, center + half)
