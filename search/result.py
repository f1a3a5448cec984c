"""The answer of a bot: its move, the reasons, and how certain it is."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import Any

CONFIDENCE = 0.95


@dataclass(frozen=True)
class MoveReport:
    """What a bot found about one move.

    `win_probability` is that of the seat to act, calibrated if the game's weights file says how (display.py). It is
    None for a move that was not tried, whose interval is 0 to 1. The interval includes the error of the evaluation, if
    that was measured. `expected_rank` follows from the win probabilities of all seats; with more than two players it
    comes from a model (`expected_rank` in bots.py).
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
    )  # how play may go on, the move itself first; empty if not known
    line_probability: float = 1.0  # of the chance outcomes in the line


@dataclass(frozen=True)
class Result:
    """A bot's answer: its move and what it found. All but `seconds` is reproducible under an iteration limit."""

    move: str
    moves: list[
        MoveReport
    ]  # those asked for, best first; at low levels the move played need not be among them
    values: list[float]  # win probability per seat
    rounds_left: list[float] | None = None  # per seat, where the game can tell
    reasons: list[str] = field(default_factory=list)
    iterations: int = 0
    depth: int = 0
    nodes: int = 0
    seconds: float = field(default=0.0, compare=False)
    entropy: float = field(
        default=0.0, compare=False
    )  # how undecided a search was, in bits; a server measures it

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON; unknown values are left out."""
        obj = _known(asdict(self))
        del obj["entropy"]
        obj["moves"] = [_known(move) for move in obj["moves"]]
        return obj


def _known(obj: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in obj.items() if value is not None}


def entropy(visits: list[int]) -> float:
    """In bits, of how visits are spread over the moves: 0 when all went to one."""
    total = sum(visits)
    shares = [count / total for count in visits if count]
    return -sum(share * math.log2(share) for share in shares) + 0.0


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
