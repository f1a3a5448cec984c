"""A position as text for people, drawn from its JSON, so that what one seat sees can be drawn as well."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.keltis import components
from pythia.core_cy.picture import viewpoint

Json = dict[str, Any]

PER_LINE = 12
CELL = 9
PRIESTESS = "*"

LEGEND = (
    "each space: number and color (b blue, y yellow, g green, r red, p pink), what lies there, who stands there",
    "+3 points    >b step to the next blue space    spiral, goblin, mirror    o wish stone    ! goal area",
    "01 figures of seats 0 and 1, 6f six figures    * priestess",
)


def render(position: Json) -> str:
    """The path, every player's area, and the cards beside the board."""
    parts = [heading(position), "\n".join(_path_lines(position)), "\n".join(LEGEND)]
    parts += [_player_area(position, seat) for seat in range(len(position["players"]))]
    parts.append(cards_text(position))
    return "\n\n".join(parts) + "\n"


def heading(position: Json) -> str:
    """What is going on."""
    pending = position.get("pending", {})
    if position["phase"] == "over":
        winners = " and ".join(f"seat {seat}" for seat in pending["winners"])
        what = f"over ({pending['result']}): won by {winners}"
    elif position["to_act"] < 0:
        what = f"chance: seat {position['turn']} draws from the pile"
    else:
        what = f"seat {position['to_act']} decides: {position['phase']}"
    text = f"Keltis: Das Orakel · round {position['round']} · turn of seat {position['turn']} · {what}"
    return text + viewpoint(position)


# -- the path


def _path_lines(position: Json) -> list[str]:
    tiles = {tile["space"]: tile_text(tile) for tile in position["path"]}
    tiles |= {stone["space"]: stones_text(stone) for stone in position["wish_stones"]}
    lines = []
    for first in range(0, components.LAST_SPACE + 1, PER_LINE):
        spaces = range(first, first + PER_LINE)
        rows = (
            [space_name(space) for space in spaces],
            [tiles.get(space, "start") for space in spaces],
            [standing(position, space) for space in spaces],
        )
        lines += ["".join(text.ljust(CELL) for text in row).rstrip() for row in rows]
        lines.append("")
    return lines[:-1]


def space_name(space: int) -> str:
    name = f"{space}{components.space_color(space)[:1]}"
    if space in components.BIG_STONES:
        name = f"({name})"
    return name + "!" * (space >= components.GOAL)


def tile_text(tile: Json) -> str:
    if tile["tile"] == "points":
        return f"+{tile['value']}"
    if tile["tile"] == "clover":
        return f">{tile['color'][0]}"
    return "-" if tile.get("taken") else str(tile["tile"])


def stones_text(there: Json) -> str:
    return "o" * there["stones"] or "-"


def standing(position: Json, space: int) -> str:
    """The seats of the figures on a space, once for each, and the priestess."""
    figures = "".join(
        str(seat) * player["figures"].count(space) for seat, player in enumerate(position["players"])
    )
    return figures + (PRIESTESS if position["priestess"] == space else "") or "."


# -- players and cards


def _player_area(position: Json, seat: int) -> str:
    player = position["players"][seat]
    marks = [
        f"{player['score']} points",
        f"{player['wish_stones']} wish stones",
        f"{player['mirrors']} mirrors",
    ]
    if player["goblins_scored"]:
        marks.append("goblins scored")
    rows = [f"{color} {' '.join(map(str, row))}" for color, row in player["rows"].items() if row]
    lines = [
        f"seat {seat}: " + ", ".join(marks) + f", figures on {', '.join(map(str, player['figures']))}",
        "  rows: " + (" · ".join(rows) or "none"),
    ]
    if position.get("observer", seat) == seat:
        lines.append("  hand: " + ", ".join(player["hand"]))
    if player["known"]:
        lines.append("  known to all: " + ", ".join(player["known"]))
    return "\n".join(lines)


def cards_text(position: Json) -> str:
    piles = [f"{color} {' '.join(map(str, pile))}" for color, pile in position["discards"].items() if pile]
    return f"pile: {position['pile_count']} cards    discards, top last: " + (" · ".join(piles) or "none")
