"""The game loop: one game between bots, each of which sees only its own seat's view."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pythia.arena.luck import Luck
from pythia.core_cy.game import CHANCE, State, View
from pythia.core_cy.record import Record, RecordEntry, header_of, result_of
from pythia.core_cy.registry import load_game
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import Bot, chosen_move
from pythia.search.limits import Limit
from pythia.search.plugins import BadBot, IllegalAnswer


class OutOfTime(Exception):
    """A bot has taken too long."""


@dataclass(frozen=True)
class Forfeit:
    """A game lost by rule: an illegal move, an error or too much time of the bot at this seat."""

    seat: int
    reason: str
    trace: str = field(default="", compare=False, repr=False)  # the bot's own traceback, where it raised


@dataclass(frozen=True)
class GameResult:
    """The result of a game. Lists are per seat; comparisons ignore times."""

    returns: list[float]
    ranks: list[int]
    rounds: int | None  # None where the game does not count them, and after a forfeit
    decisions: list[int]
    forfeit: Forfeit | None = None
    seconds: list[float] = field(default_factory=list, compare=False)
    slowest: list[float] = field(default_factory=list, compare=False)  # the longest decision
    record: Record | None = field(default=None, repr=False)


def play_game(
    game: str,
    options: Mapping[str, Any],
    bots: Sequence[Bot],
    seed: int,
    *,
    limit: Limit | None = None,
    record: bool = False,
) -> GameResult:
    """Play one game with `bots[seat]` at each seat. The seed decides the start, unless the options do, and the luck.

    Bots get the view of their seat, never the state. A bot that raises an exception or returns an illegal move loses,
    and the others share the win.
    """
    values = {"seed": seed_of(seed, "start"), **options, "players": len(bots)}
    state = load_game(game, **values).new_state()
    header = header_of(state, [bot.name for bot in bots]) if record else {}
    luck = Luck(seed_of(seed, "luck"))
    moves: list[RecordEntry] = []
    decisions = [0] * len(bots)
    seconds = [0.0] * len(bots)
    slowest = [0.0] * len(bots)
    forfeit = None
    while not state.is_over:
        seat = state.to_act
        if seat == CHANCE:
            move = str(luck.draw(state))
            state.apply(move)
        else:
            started = time.perf_counter()
            try:
                move = chosen_move(bots[seat], View.of(state, seat), limit)
            except OutOfTime as error:
                forfeit = Forfeit(seat, f"time: {error}")
                break
            except IllegalAnswer as error:
                forfeit = Forfeit(seat, f"illegal move: {error.details}")
                break
            except BadBot as error:
                forfeit = Forfeit(seat, f"error: {error.complaint}", trace_of(error))
                break
            except Exception as error:  # a bot can raise anything, and the match continues
                forfeit = Forfeit(seat, f"error: {type(error).__name__}: {error}", trace_of(error))
                break
            finally:
                spent = time.perf_counter() - started
                decisions[seat] += 1
                seconds[seat] += spent
                slowest[seat] = max(slowest[seat], spent)
            try:
                state.apply(move)
            except (TypeError, ValueError) as error:
                forfeit = Forfeit(seat, f"illegal move: {error}")
                break
        if record:
            moves.append(RecordEntry(seat, move))
    if forfeit:
        returns, ranks = forfeited(forfeit.seat, len(bots))
    else:
        returns, ranks = state.returns(), state.ranks()
    return GameResult(
        returns=returns,
        ranks=ranks,
        rounds=None if forfeit else state.to_json().get("round"),
        decisions=decisions,
        forfeit=forfeit,
        seconds=seconds,
        slowest=slowest,
        record=Record(header, moves, _result(state, forfeit, returns)) if record else None,
    )


def trace_of(error: BaseException) -> str:
    """The traceback of a bot's error; if that was wrapped in one of ours, the traceback of the original."""
    own = error.__cause__ or error
    return "".join(traceback.format_exception(type(own), own, own.__traceback__))


def forfeited(seat: int, players: int) -> tuple[list[float], list[int]]:
    """Returns and ranks when this seat lost by rule: the others share the win."""
    returns = [0.0 if other == seat else 1 / (players - 1) for other in range(players)]
    return returns, [players if other == seat else 1 for other in range(players)]


def _result(state: State, forfeit: Forfeit | None, returns: list[float]) -> dict[str, Any]:
    if forfeit is None:
        return result_of(state)
    winners = [seat for seat in range(len(returns)) if seat != forfeit.seat]
    return {"winners": winners, "returns": returns, "reason": f"seat {forfeit.seat}: {forfeit.reason}"}


def seatings(players: int) -> list[list[int]]:
    """The entrant at each seat, for each game of a block: every rotation, which for two is every permutation."""
    return [[(seat + turn) % players for seat in range(players)] for turn in range(players)]
