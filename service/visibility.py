"""Who may know what, worked out for any game from what each seat sees, never from what is true but hidden."""

from __future__ import annotations

from collections.abc import Iterable

from pythia.core_cy import CHANCE, Move, State, View, game_info


def hidden_from(before: State, outcome: Move | str, after: State) -> list[int]:
    """The seats that do not see which outcome of chance led from one position to the other.

    A seat does not see it when, for all it knows, another outcome would look the same to it. Spectators see what all
    seats see. Moves of players are announced to everyone, as at a table.
    """
    if before.to_act != CHANCE or game_info(before.game.name).open_chance:
        return []
    return [
        seat
        for seat in range(before.game.players)
        if not View.of(before, seat).recognises(outcome, View.of(after, seat))
    ]


def shows_something(state: State, move: Move | str, seats: Iterable[int]) -> bool:
    """Whether a move reveals to one of these seats more than it could have worked out before."""
    return not all(View.of(state, seat).foresees(move) for seat in seats)
