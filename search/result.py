"""What a bot answers: its move, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class MoveReport:
    """What the bot found out about one move.

    `win_probability` is the mean return of the seat that moves; a move without visits shows that of the position,
    and an interval from 0 to 1 says that nothing is known. `expected_rank` follows from the win probabilities of all
    seats; with more than two players it is a model's (`expected_rank` in bots.py).
    """

    move: str
    visits: int
    win_probability: float
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
