"""Who may know what, worked out from the rules alone, for any game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy import CHANCE, IllegalMove, Move, State, state_from_observation

# Positions drawn to see whether a move shows something that was hidden. If it can show two things with equal chance,
# all samples agree by accident once in 2 ** 23.
SAMPLES = 24


def hidden_from(state: State, outcome: str) -> list[int]:
    """The seats that do not see which outcome of chance this is, before it is applied.

    A seat does not see it when another outcome, which leads elsewhere, would look the same to it. Spectators see what
    all seats see. Moves of players are announced to everyone, as at a table.
    """
    if state.to_act != CHANCE:
        return []
    actual = after(state, outcome)
    keys = [actual.information_key(seat) for seat in range(state.game.players)]
    blind = set()
    for other in state.legal_moves():
        if str(other) != outcome:
            imagined = after(state, other)
            if imagined.position_hash() == actual.position_hash():
                continue
            for seat, key in enumerate(keys):
                if imagined.information_key(seat) == key:
                    blind.add(seat)
    return sorted(blind)


def after(state: State, move: Move | str) -> State:
    copy = state.clone()
    copy.apply(move)
    return copy


def shows_something(state: State, move: str) -> bool:
    """Whether a move tells some seat more than it could have worked out before: then it cannot be taken back."""
    return any(
        learns(state.observation(seat), after(state, move).observation(seat), seat, move)
        for seat in range(state.game.players)
    )


def learns(before: Mapping[str, Any], now: Mapping[str, Any], seat: int, move: str) -> bool:
    """Whether what the seat sees now does not follow from what it saw before and the move."""
    return any(imagined != now for imagined in imagine(before, seat, move))


def imagine(before: Mapping[str, Any], seat: int, move: str) -> list[dict[str, Any] | None]:
    """What the seat would see after the move, in several positions that fit; None where the move is not legal."""
    seen: list[dict[str, Any] | None] = []
    for seed in range(SAMPLES):
        state = state_from_observation(before, seed)
        try:
            state.apply(move)
        except IllegalMove:
            seen.append(None)
        else:
            seen.append(state.observation(seat))
    return seen
