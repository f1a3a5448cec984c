"""The position in parts for windows of any size; what they say is said by render.py."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from pythia.core_cy.keltis import components
from pythia.core_cy.keltis.facts import score
from pythia.core_cy.keltis.render import (
    CELL,
    LEGEND,
    PER_LINE,
    PRIESTESS,
    cards_text,
    heading,
    space_name,
    standing,
    stones_text,
    tile_text,
)
from pythia.core_cy.panels import Line, Panel, Screen, placed, seat_color, seat_name, seats_from, unobserved

Json = dict[str, Any]

SMALL_CELL = 6
SMALL_WORDS = {"start": "start", "spiral": "spir.", "goblin": "gobl.", "mirror": "mirr."}
START = "start"


def screen(position: Json) -> Screen:
    own, *others = seats_from(position)
    return Screen(
        heading=[heading(unobserved(position))],
        boards=(
            _path(position, CELL, gap=True),
            _path(position, SMALL_CELL, gap=False),
            _path(position, SMALL_CELL, gap=False, per_line=PER_LINE // 2),
        ),
        panels=[
            _own(position, own),
            *(_other(position, seat) for seat in others),
            Panel([cards_text(position)], [cards_text(position)]),
            _tables(position),
        ],
        legend=LEGEND,
        colors={color: color for color in components.COLORS}
        | {f"seat {seat}": seat_color(seat) for seat in range(len(position["players"]))},
    )


# -- the path


def _path(position: Json, cell: int, *, gap: bool, per_line: int = PER_LINE) -> list[Line]:
    """Of each space its number and color, what lies there, and who stands there."""
    lines: list[Line] = []
    for first in range(0, components.LAST_SPACE + 1, per_line):
        spaces = range(first, first + per_line)
        for row in (
            {space: _painted(position, space, space_name(space)) for space in spaces},
            {space: _painted(position, space, _lying(position, space, cell)) for space in spaces},
            {space: _figures(_standing_on(position, space, cell)) for space in spaces},
        ):
            lines.append(placed((space % per_line * cell, line) for space, line in row.items()))
        if gap:
            lines.append([])
    return lines[:-1] if gap else lines


def _standing_on(position: Json, space: int, cell: int) -> str:
    """The figures on a space; where they are too many, their number, and whether the priestess is there."""
    text = standing(position, space)
    if len(text) < cell:
        return text
    figures = text.rstrip(PRIESTESS)
    return f"{len(figures)}f{text[len(figures) :]}"


def _figures(text: str) -> Line:
    """Each figure in the color of its seat."""
    return [(sign, seat_color(int(sign)) if sign.isdigit() and "f" not in text else "") for sign in text]


def _painted(position: Json, space: int, text: str) -> Line:
    return [(text, _color(position, space, text))]


def _color(position: Json, space: int, text: str) -> str:
    """Of a space its own; of a clover the one that it leads to."""
    if text.startswith(">"):
        return next(str(tile["color"]) for tile in position["path"] if tile["space"] == space)
    return components.space_color(space) if text == space_name(space) else ""


def _lying(position: Json, space: int, cell: int) -> str:
    for tile in position["path"]:
        if tile["space"] == space:
            text = tile_text(tile)
            return text if cell > SMALL_CELL else SMALL_WORDS.get(text, text)
    return next((stones_text(there) for there in position["wish_stones"] if there["space"] == space), START)


# -- panels


def _standing(position: Json, seat: int) -> str:
    """The points, what is owned, and the total if the game ended now."""
    player = position["players"][seat]
    total = score(player)
    text = (
        f"{seat_name(position, seat)}: total {total['total']} now ({_parts(total['parts'])})"
        f" · wish stones {player['wish_stones']}, mirrors {player['mirrors']}"
        f" · figures on {', '.join(map(str, player['figures']))}"
    )
    return text + (" · goblins scored" if player["goblins_scored"] else "")


def _parts(parts: Json) -> str:
    names = {"track": "points", "figures": "figures", "wish_stones": "wishes", "mirrors": "mirrors"}
    return ", ".join(f"{names[name]} {value}" for name, value in parts.items() if value or name == "track")


def _rows(player: Json) -> str:
    rows = [f"{color} {' '.join(map(str, row))}" for color, row in player["rows"].items() if row]
    return f"rows: {' · '.join(rows) or 'none'}"


def _hand(cards: list[str]) -> str:
    """Cards by color: `blue 4 6 · red 4`."""
    found: dict[str, list[str]] = {}
    for card in cards:
        color, number = card.split()
        found.setdefault(color, []).append(number)
    return " · ".join(f"{color} {' '.join(numbers)}" for color, numbers in found.items()) or "none"


def _own(position: Json, seat: int) -> Panel:
    player = position["players"][seat]
    lines = [_standing(position, seat), _rows(player)]
    if position.get("observer", seat) == seat:
        lines.append(f"hand: {_hand(player['hand'])}")
    return Panel(lines, lines)


def _other(position: Json, seat: int) -> Panel:
    player = position["players"][seat]
    known = [f"known to all: {_hand(player['known'])}"] if player["known"] else []
    short = (
        f"{seat_name(position, seat)}: total {score(player)['total']}, wish stones {player['wish_stones']}"
        f", figures {' '.join(map(str, player['figures']))} · {_rows(player)}"
    )
    return Panel([_standing(position, seat), _rows(player), *known], [short])


def _tables(position: Json) -> Panel:
    """What figures and wish stones score at the end (K4, K6), how far the priestess goes (K7), goblins (K8)."""
    values = ["start 0"]
    values += [
        f"{before + 1}-{last}: {value}" if last > before + 1 else f"{last}: {value}"
        for (before, _), (last, value) in pairwise(components.END_VALUES)
    ]
    wishes = components.WISH_VALUES
    most = next(number for number, value in enumerate(wishes) if value == wishes[-1])
    stones = [f"{number}: {wishes[number]}" for number in range(most)] + [f"{most} or more: {wishes[most]}"]
    goblins = position["options"]["goblin_values"]
    reach: dict[int, list[str]] = {}
    for number in components.NUMBERS:
        reach.setdefault(components.priestess_reach(number), []).append(str(number))
    goes = ", ".join(f"{' '.join(numbers)}: {spaces}" for spaces, numbers in reach.items())
    ends = ", ".join(f"{last}: {value}" for last, value in components.END_VALUES[1:])
    return Panel(
        [
            f"a figure at the end: {', '.join(values)}",
            f"wish stones at the end: {', '.join(stones)}; each mirror counts them once more",
            f"the priestess goes up to, by card: {goes}; {components.ORACLE_BONUS} points on an own figure's space",
            f"three figures on 1, 2 or 3 goblins: {', '.join(map(str, goblins))} points",
        ],
        [
            f"a figure scores, up to space {ends}",
            f"wish stones score {', '.join(stones)}",
            f"priestess by card {goes} · goblins {', '.join(map(str, goblins))}",
        ],
    )
