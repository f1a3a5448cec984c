"""What a seat sees after a move or an outcome of chance, and what it has to learn if that does not follow.

A move can reveal something that was hidden from the seat. Texts of the game say what (`Game.reveals_of`), such as
`reveal 3,-1 red phi`. Everything here is derived from the seat's view alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.game import CHANCE, Move, View
from pythia.core_cy.registry import game_info

# Positions drawn to find all that a move may show: what happens in one of 200 is missed once in 10 ** 8 times.
WORLDS = 4000
# Positions drawn for the probabilities of an event of which a seat knows only a part.
CHANCE_WORLDS = 1000

Way = tuple[str | int, ...]


class BadReveal(ValueError):
    """A text that is not among the things that the move may have revealed; `number` is its index in the list."""

    def __init__(self, number: int, text: str, allowed: Sequence[str]) -> None:
        self.number = number
        shown = text if len(text) <= 100 else text[:97] + "..."
        super().__init__(f"{shown!r} is not allowed; allowed: {', '.join(allowed) or 'none here'}")


@dataclass(frozen=True)
class Seen:
    """What the seat sees after a move; if `view` is None, the possible texts, of which the true ones are needed."""

    view: View | None
    reveals: tuple[str, ...] = ()


def seen_after(view: View, move: Move | str, reveals: Sequence[str] = ()) -> Seen:
    """What the seat sees after a move or outcome that showed these things; IllegalMove or BadReveal."""
    views = view.after(move, WORLDS)
    if not views:
        view.imagined(0).parse_move(str(move))  # says which rule it breaks
        raise IllegalMove(f"{str(move)!r}: it is not legal in any position that looks like this to the seat")
    shown = shown_by(view, views)
    for number, text in enumerate(reveals):
        fitting = {now: texts for now, texts in shown.items() if text in texts}
        if not fitting:
            raise BadReveal(number, text, still_open(shown, reveals[:number]))
        shown = fitting
    if len(shown) == 1:
        return Seen(next(iter(shown)))
    return Seen(None, still_open(shown, reveals))


def passed(view: View) -> View:
    """The view once chance has done what the seat sees nothing of, such as a card that another seat draws."""
    while view.to_act == CHANCE and not game_info(view.game.name).open_chance:
        outcomes, seen = view.chances(CHANCE_WORLDS)
        if seen:
            break
        (view,) = view.after(outcomes[0][0])
    return view


def chances(view: View) -> list[tuple[Move, float]]:
    """What chance may bring, with the probabilities as the seat can know them."""
    if game_info(view.game.name).open_chance:
        return view.imagined(0).chance_outcomes()
    return view.chances(CHANCE_WORLDS)[0]


def shown_by(before: View, views: Sequence[View]) -> dict[View, frozenset[str]]:
    """What each of the views that a move may lead to shows, as texts that tell them apart."""
    if len(views) == 1:
        old, new = before.observation(), views[0].observation()
        return {views[0]: frozenset(before.game.reveals_of(old, new) or ())}
    old, seen = before.observation(), [view.observation() for view in views]
    texts = [frozenset(before.game.reveals_of(old, new) or ()) for new in seen]
    if len(set(texts)) < len(views):
        ways = differing(seen)
        texts = [
            frozenset(f"reveal {name_of(way)} {as_text(part_of(new, way))}" for way in ways) for new in seen
        ]
    return dict(zip(views, texts, strict=True))


def still_open(shown: dict[View, frozenset[str]], told: Sequence[str]) -> tuple[str, ...]:
    """What else may be reported: texts that fit some of what the move may have shown, but not all."""
    some = frozenset[str]().union(*shown.values())
    every = frozenset.intersection(*shown.values())
    return tuple(sorted(some - every.union(told) if len(shown) > 1 else some.difference(told)))


# -- parts of JSON


def differing(values: Sequence[Any], way: Way = ()) -> dict[Way, list[Any]]:
    """The smallest parts in which JSON values differ, by the way to each, with what stands there."""
    if all(value == values[0] for value in values):
        return {}
    plain: dict[str, Any] = {}
    parts: dict[str | int, list[Any]] = {}
    for value in values:
        if isinstance(value, (dict, list)):
            steps: Iterable[tuple[str | int, Any]] = (
                value.items() if isinstance(value, dict) else enumerate(value)
            )
            for step, part in steps:
                parts.setdefault(step, []).append(part)
        else:
            plain[json.dumps(value)] = value
    found = {way: list(plain.values())} if len(plain) > 1 else {}
    for step, others in parts.items():
        found |= differing(others, (*way, step))
    return found


def part_of(value: Any, way: Way) -> Any:
    """The part at the end of the way; None where the way does not lead anywhere."""
    try:
        for step in way:
            value = value[step]
    except (LookupError, TypeError):
        return None
    return value


def name_of(way: Way) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way).lstrip(".")


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
