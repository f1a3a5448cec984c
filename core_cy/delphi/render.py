"""A position as text for people, drawn from its JSON, so that what one seat sees can be drawn as well.

Every hex is a cell of two lines: its coordinates as moves name them, and below them what is there.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any

from pythia.core_cy.delphi.board import Hex, hex_text
from pythia.core_cy.delphi.components import COLORS, TOP_ROW
from pythia.core_cy.picture import viewpoint

Json = dict[str, Any]

LINE = 110
CELL = 8  # even, as each row is shifted by half a cell

COLOR_LETTERS = {"red": "r", "black": "k", "pink": "p", "blue": "b", "yellow": "y", "green": "g"}
GREEK = {"phi": "φ", "psi": "ψ", "sigma": "σ", "omega": "ω"}  # noqa: RUF001

LEGEND = (
    "colors: r red, k black, p pink, b blue, y yellow, g green    letters: φ phi, ψ psi, σ sigma, ω omega",  # noqa: RUF001
    "~r~ red water, ~r[01] with ships of seats 0 and 1    · shallows    Cr3 red city with 3 statues    Ar red temple",
    "O:rk offerings    M:rk monsters    S:rKb statue sites, the capital one taken",
    "g? face-down tile on a green space, g?rφ if known    g=rφ face up, g=rφ* with a shrine",
)


def render(position: Json) -> str:
    """The board, every player's area, and what lies beside the board."""
    parts = [
        _wrapped("\n".join(heading(position))),
        "\n".join(_board_lines(position)),
        "\n".join(LEGEND),
    ]
    parts += [_player_area(position, seat) for seat in range(len(position["players"]))]
    parts.append(_supply(position))
    return "\n\n".join(parts) + "\n"


# -- what is going on


def heading(position: Json) -> list[str]:
    """What is going on, and if there is more to say of it, what is open."""
    text = f"The Oracle of Delphi · round {position['round']} · turn of seat {position['turn']} · {who_acts(position)}"
    lines = [text + viewpoint(position)]
    pending = position.get("pending")
    if pending and pending["kind"] != "over":
        line = "open: " + _entry(pending)
        if pending.get("then"):
            line += " · then: " + ", ".join(_entry(entry) for entry in pending["then"])
        lines.append(line)
    return lines


def who_acts(position: Json) -> str:
    phase, actor = position["phase"], position["to_act"]
    if phase == "over":
        pending = position.get("pending", {})
        if pending.get("result") == "length":
            return "over: a draw by length"
        return f"over: won by {_seats(pending.get('winners', []))}"
    return f"chance: {phase}" if actor < 0 else f"seat {actor} decides: {phase}"


def _seats(seats: list[int]) -> str:
    return " and ".join(f"seat {seat}" for seat in seats)


def _entry(entry: Json) -> str:
    """An open or waiting decision or event, in a few words."""
    words = [entry["kind"].replace("_", " ")]
    words += [entry[name] for name in ("color", "card") if entry.get(name)]
    if entry["kind"] in ("fight", "battle"):
        words.append(f"on {place(entry)} strength {entry.get('strength', 0)}")
    if entry.get("n"):
        words.append("once" if entry["n"] == 1 else f"{entry['n']} times")
    words += [f"{place(tile)} {tile_name(tile)}".strip() for tile in entry.get("tiles", [])]
    words += entry.get("ships", [])
    if entry["kind"] not in ("next", "begin", "titan"):
        words.append(f"(seat {entry.get('seat', 0)})")
    return " ".join(words)


# -- the board


def _board_lines(position: Json) -> list[str]:
    cells = {hex_of(at): cell_text(position, at) for at in position["board"]}
    rows = sorted({r for _, r in cells})
    left = min(2 * q + r for q, r in cells)
    lines = []
    for row in rows:
        places = sorted(at for at in cells if at[1] == row)
        lines.append(_row([(at, hex_text(at)) for at in places], left))
        lines.append(_row([(at, cells[at]) for at in places], left))
    return lines


def _row(texts: list[tuple[Hex, str]], left: int) -> str:
    """Texts centred in their cells; a step to the right is a cell, a step down half a cell."""
    line = ""
    for (q, r), text in texts:
        start = (2 * q + r - left) * (CELL // 2)
        line = line.ljust(start) + text.center(CELL)
    return line.rstrip()


def cell_text(position: Json, at: Json) -> str:
    ships = "".join(
        str(seat) for seat, player in enumerate(position["players"]) if hex_of(player["ship"]) == hex_of(at)
    )
    kind = at["kind"]
    color = COLOR_LETTERS.get(at.get("color", ""), "")
    if kind == "water":
        return f"~{color}[{ships}]" if ships else f"~{color}~"
    if kind == "zeus":
        return f"Z[{ships}]" if ships else "Zeus"
    if kind == "shallow":
        return "·"
    if kind == "city":
        return f"C{color}{position['statues'][at['color']]}"
    if kind == "temple_island":
        return f"A{color}"
    if kind == "island_tile":
        return _tile_cell(position, at, color)
    if kind == "statue_island":
        return "S:" + _sites(position, at)
    what = {"offering_island": "offerings", "monster_island": "monsters"}[kind]
    return f"{what[0].upper()}:{_letters(colors_on(position, what, at)) or '-'}"


def _tile_cell(position: Json, at: Json, space_color: str) -> str:
    for tile in position["island_tiles"]:
        if hex_of(tile) == hex_of(at):
            if tile["face_up"]:
                return f"{space_color}={tile_name(tile)}{'*' if tile['shrine'] else ''}"
            # Known to the viewer, but face down.
            return f"{space_color}?{tile_name(tile)}"
    return f"{space_color}?"


def tile_name(tile: Json) -> str:
    return COLOR_LETTERS[tile["color"]] + GREEK[tile["letter"]] if tile.get("color") else ""


def _sites(position: Json, at: Json) -> str:
    raised = {there["color"] for there in position["raised"] if hex_of(there) == hex_of(at)}
    return "".join(
        COLOR_LETTERS[color].upper() if color in raised else COLOR_LETTERS[color] for color in at["sites"]
    )


def colors_on(position: Json, what: str, at: Json) -> list[str]:
    for island in position[what]:
        if hex_of(island) == hex_of(at):
            colors: list[str] = island["colors"]
            return colors
    return []


def _letters(colors: list[str]) -> str:
    return "".join(COLOR_LETTERS[color] for color in colors)


# -- players


def _player_area(position: Json, seat: int) -> str:
    player = position["players"][seat]
    marks = [
        mark
        for mark, shown in (("to act", position["to_act"] == seat), ("arrived", player["arrived"]))
        if shown
    ]
    title = f"Seat {seat}, {player['color']} · ship {player['ship_tile'] or '(not drafted)'} at {place(player['ship'])}"
    title += f" · favor {player['favor']} · shield {player['shield']}"
    lines = ["-- " + " · ".join([title, *marks])]
    lines += [
        _line("dice", dice_text(player)),
        _line("cards", colors_text(player["oracle_cards"]) + this_turn(player)),
        _line("injuries", colors_text(player["injuries"])),
        _line("gods", _gods(player["gods"])),
        _line("to do", tasks_text(player["tasks"])),
        _line("done", done_text(player["done"])),
        _line("aboard", cargo_text(player["cargo"])),
        _line("companions", companions_text(player["companions"])),
        _line("equipment", ", ".join(player["equipment"]) or "-"),
    ]
    if player["knows"]:
        known = [f"{place(tile)} {tile_name(tile)}".strip() for tile in player["knows"]]
        lines.append(_line("has seen", ", ".join(known)))
    return "\n".join(lines)


def hex_of(where: Json) -> Hex:
    return where.get("q", 0), where.get("r", 0)


def place(where: Json) -> str:
    return hex_text(hex_of(where))


def _line(name: str, text: str) -> str:
    return _wrapped(f"   {name:<11}{text}", indent=14)


def _wrapped(text: str, indent: int = 3) -> str:
    return "\n".join(
        textwrap.fill(
            line, LINE, subsequent_indent=" " * indent, drop_whitespace=True, break_on_hyphens=False
        )
        for line in text.split("\n")
    )


def colors_text(colors: list[str]) -> str:
    """A multiset of colors: `2 red, blue`."""
    counts = Counter(colors)
    return ", ".join(f"{counts[c]} {c}" if counts[c] > 1 else c for c in COLORS if counts[c]) or "-"


def dice_text(player: Json) -> str:
    """The dice rolled, those used already in brackets."""
    shown = [f"({color})" if used else color for color, used in dice_used(player)]
    return " ".join(shown) or "not rolled yet"


def dice_used(player: Json) -> list[tuple[str, bool]]:
    """The dice rolled, each with whether it is used; of equal ones the first."""
    left: Counter[str] = Counter(player["dice_left"])
    shown = []
    for color in reversed(player["dice"]):
        shown.append((color, left[color] <= 0))
        left[color] -= 1
    return shown[::-1]


def this_turn(player: Json) -> str:
    notes = [f"{player['card_played']} played this turn"] if player["card_played"] else []
    notes += ["Apollon inspires"] if player["apollon"] else []
    notes += ["extra action used"] if player["extra_used"] else []
    return "".join(f" · {note}" for note in notes)


def _gods(gods: dict[str, int]) -> str:
    return "  ".join(f"{god} {'TOP' if row == TOP_ROW else row}" for god, row in gods.items())


def tasks_text(tasks: Json) -> str:
    parts = [
        f"{tasks[name]} {name}{'s' if tasks[name] > 1 else ''}"
        for name in ("shrine", "statue")
        if tasks[name]
    ]
    parts += [f"{name} {', '.join(tasks[name])}" for name in ("offering", "monster") if tasks[name]]
    return " · ".join(parts) or "all done: back to Zeus"


def done_text(done: Json) -> str:
    parts = [f"{done['shrine']} shrine{'s' if done['shrine'] > 1 else ''}"] if done["shrine"] else []
    parts += [f"{name} {', '.join(done[name])}" for name in ("statue", "offering", "monster") if done[name]]
    return " · ".join(parts) or "-"


def cargo_text(cargo: Json) -> str:
    pieces = [f"{color} offering" for color in cargo["offerings"]] + [
        f"{color} statue" for color in cargo["statues"]
    ]
    return ", ".join(pieces) or "-"


def companions_text(companions: list[Json]) -> str:
    return ", ".join(f"{companion['color']} {companion['kind']}" for companion in companions) or "-"


# -- beside the board


def _supply(position: Json) -> str:
    lines = ["-- Beside the board", _line("display", ", ".join(position["equipment_display"]) or "-")]
    lines.append(_line("piles", piles_text(position)))
    return "\n".join(lines)


def piles_text(position: Json) -> str:
    sizes = [f"{len(position[name])} {name.replace('_', ' ')}" for name in PILES if name in position]
    return " · ".join(sizes)


PILES = ("oracle_pile", "oracle_discard", "injury_pile", "injury_discard", "equipment_pile")
