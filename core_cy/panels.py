"""A position in parts that a window of any size can be filled with: boards in several sizes, and panels beside them.

A game may bring `screen.py` with `screen(position) -> Screen`, which gets what `render.py` gets. Styles are names of
colors; who draws decides what they look like. Whatever a color says, letters beside it say too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pythia.core_cy.descriptions import descriptions
from pythia.core_cy.game import SPECTATOR

# Text, and the color that it has, "" for none.
Span = tuple[str, str]
Line = Sequence[Span]


@dataclass(frozen=True)
class Panel:
    """Lines that belong together; `short` says the same in fewer, for small windows."""

    lines: Sequence[str]
    short: Sequence[str]


@dataclass(frozen=True)
class Screen:
    """What a window can show of a position: `boards` from the widest to the narrowest, `panels` by importance to the
    viewer, whose own comes first. `details` is what only a person who asks for everything gets to see. `colors` are
    words of the game that have a color wherever they stand.
    """

    heading: Sequence[str]
    boards: Sequence[Sequence[Line]]
    panels: Sequence[Panel] = ()
    details: Sequence[str] = ()
    legend: Sequence[str] = ()
    colors: Mapping[str, str] = field(default_factory=dict)


def width_of(line: Line) -> int:
    return sum(len(text) for text, _ in line)


def placed(cells: Iterable[tuple[int, Line]]) -> Line:
    """Cells in a line, each at its column or right after the cell before it."""
    line: list[Span] = []
    end = 0
    for column, cell in cells:
        if column > end:
            line.append((" " * (column - end), ""))
            end = column
        line += cell
        end += width_of(cell)
    return line


def plain(text: str) -> Line:
    return [(text, "")]


def unobserved(position: Mapping[str, Any]) -> dict[str, Any]:
    """Without the observer: for headings that need not say through whose eyes a player looks."""
    return {name: value for name, value in position.items() if name != "observer"}


def seats_from(position: Mapping[str, Any]) -> list[int]:
    """The seats in the order of the table, the viewer's first; without a viewer that of the seat to act."""
    players = len(position["players"])
    first = position.get("observer", SPECTATOR)
    first = max(position["to_act"], 0) if first == SPECTATOR else first
    return [(first + step) % players for step in range(players)]


def seat_color(seat: int) -> str:
    """The color of what belongs to a seat in games whose players have none of their own."""
    return f"seat {seat}"


def title_of(game: str, key: str) -> str:
    """What a card or piece is called, as `explain` calls it too."""
    entry = descriptions(game).get(key)
    return entry.title if entry else key.partition(":")[2].replace("_", " ")


def seat_name(position: Mapping[str, Any], seat: int) -> str:
    return f"seat {seat} (you)" if position.get("observer") == seat else f"seat {seat}"
