"""Every coefficient of the search, in one place."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any


def bounded(default: Any, low: float, high: float) -> Any:
    """A parameter with the least and the largest value that the search can work with."""
    return field(default=default, metadata={"low": low, "high": high})


@dataclass(frozen=True)
class SearchParams:
    """How the tree search spends its iterations. `docs/strength.md` has what each part brings."""

    # -- selection: value + exploration * prior * sqrt(visits of the node) / (1 + visits of the move)
    exploration: float = bounded(0.2, 0.0, 100.0)
    # An unvisited move counts as the node's value less this (first-play urgency).
    first_play_reduction: float = bounded(0.05, 0.0, 10.0)
    # Visits that every visited move is given besides its own, each with the value of an unvisited move: a single
    # unlucky playout does not rule a move out.
    virtual_visits: float = bounded(4.0, 0.0, 1000.0)
    # Priors are raised to this power and normalised again: 0 makes all moves alike.
    prior_power: float = bounded(1.0, 0.0, 10.0)

    # -- width: a node with n visits considers its first `width + width_growth * n ** width_power` moves by prior
    width: float = bounded(4.0, 0.0, 1000.0)
    width_growth: float = bounded(1.0, 0.0, 1000.0)
    width_power: float = bounded(0.5, 0.0, 4.0)
    # Moves kept at a node, best priors first; 0 keeps all.
    max_children: int = bounded(40, 0, 10_000)

    # -- depth
    # Turns after the root's, by whomever, in which the tree still grows; later decisions follow the playout policy.
    tree_turns: int = bounded(0, 0, 1000)
    # Rounds of playout by the games' policies before the position is judged; 0 judges at the end of the turn.
    playout_rounds: int = bounded(1, 0, 1000)
    # How much the judgement at the end of the turn counts beside the one after the playout, in the first iterations: it
    # has less luck in it, but does not know what the playout shows. After `early_iterations` it counts half as much.
    early_share: float = bounded(0.0, 0.0, 1.0)
    early_iterations: float = bounded(300.0, 1.0, 1e9)
    # In the tree, the other seats play to make the searching seat's return low, not their own high (max^n). With two
    # players this is the same; with more it matters where `tree_turns` lets the others' decisions into the tree.
    paranoid: bool = False

    # -- luck
    # Iteration n of every search from a position sees the same hidden parts, dice and draws.
    common_luck: bool = True

    # -- what the tree merges
    # Positions that look the same to the searching seat are one node, however they were reached.
    transpositions: bool = True
    # Nodes differ by what only the seat has seen, so the tree can act on it; without this a look has no value.
    private_knowledge: bool = True
    # A cap on memory: the tree stops growing at this number of nodes.
    max_nodes: int = bounded(200_000, 1, 10_000_000)

    def changed(self, **values: Any) -> SearchParams:
        """The same with some values replaced; errors name the parameter and what is allowed."""
        known = {field.name: field for field in fields(self)}
        for name, value in values.items():
            if name not in known:
                raise ValueError(f"parameter: {name!r} is not allowed; allowed: {', '.join(known)}")
            kind: type = type(known[name].default)
            bounds = known[name].metadata
            if kind is bool:
                good, allowed = isinstance(value, bool), "true or false"
            else:
                good = isinstance(value, (int, float) if kind is float else int) and not isinstance(
                    value, bool
                )
                # Also false for NaN.
                good = good and bounds["low"] <= value <= bounds["high"]
                word = "a number" if kind is float else "a whole number"
                allowed = f"{word} from {bounds['low']:g} to {bounds['high']:.15g}"
            if not good:
                raise ValueError(f"{name}: {shown(value)} is not allowed; allowed: {allowed}")
        return replace(self, **values)


def shown(value: object) -> str:
    """A value in a message. Whole numbers can have more digits than Python writes out."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of {value.bit_length()} bits"
    return repr(value)
