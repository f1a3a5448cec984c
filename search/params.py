"""Every coefficient of the search, in one place."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any


@dataclass(frozen=True)
class SearchParams:
    """How the tree search spends its iterations. `docs/strength.md` has what each part brings."""

    # -- selection: value + exploration * prior * sqrt(visits of the node) / (1 + visits of the move)
    exploration: float = 0.2
    # An unvisited move counts as the node's value less this (first-play urgency).
    first_play_reduction: float = 0.05
    # Visits that every visited move is given besides its own, each with the value of an unvisited move: a single
    # unlucky playout does not rule a move out.
    virtual_visits: float = 4.0
    # Priors are raised to this power and normalised again: 0 makes all moves alike.
    prior_power: float = 1.0

    # -- width: a node with n visits considers its first `width + width_growth * n ** width_power` moves by prior
    width: float = 4.0
    width_growth: float = 1.0
    width_power: float = 0.5
    # Moves kept at a node, best priors first; 0 keeps all.
    max_children: int = 40

    # -- depth
    # Turns after the root's, by whomever, in which the tree still grows; later decisions follow the playout policy.
    tree_turns: int = 0
    # Rounds of playout by the games' policies before the position is judged; 0 judges at the end of the turn.
    playout_rounds: int = 1

    # -- luck
    # Iteration n of every search from a position sees the same hidden parts, dice and draws.
    common_luck: bool = True

    # -- what the tree merges
    # Positions that look the same to the searching seat are one node, however they were reached.
    transpositions: bool = True
    # What the seat alone has seen tells nodes apart, so the tree can act on it; without this a look has no value.
    private_knowledge: bool = True
    # A cap on memory: when so many nodes stand, the tree grows no more.
    max_nodes: int = 200_000

    def changed(self, **values: Any) -> SearchParams:
        """The same with some values replaced; errors name the parameter and what is allowed."""
        known = {field.name: field for field in fields(self)}
        for name, value in values.items():
            if name not in known:
                raise ValueError(f"parameter: {name!r} is not allowed; allowed: {', '.join(known)}")
            kind = type(known[name].default)
            good = isinstance(value, (int, float) if kind is float else kind) and (
                kind is bool or not isinstance(value, bool)
            )
            if not good or (kind is not bool and not 0 <= value < float("inf")):
                allowed = {
                    bool: "true or false",
                    int: "a whole number, 0 or more",
                    float: "a number, 0 or more",
                }[kind]
                raise ValueError(f"{name}: {value!r} is not allowed; allowed: {allowed}")
        return replace(self, **values)
