"""The position in parts for windows of any size; what they say is said by render.py."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.delphi.components import COLOR_OF_GOD, COLORS, GODS, TOP_ROW
from pythia.core_cy.delphi.render import (
    CELL,
    COLOR_LETTERS,
    GREEK,
    LEGEND,
    cargo_text,
    cell_text,
    colors_on,
    colors_text,
    companions_text,
    dice_text,
    done_text,
    heading,
    hex_of,
    piles_text,
    place,
    tasks_text,
    this_turn,
    tile_name,
)
from pythia.core_cy.panels import (
    Line,
    Panel,
    Screen,
    placed,
    plain,
    seat_name,
    seats_from,
    title_of,
    unobserved,
)

Json = dict[str, Any]
CellRow = list[tuple[int, Json]]

LABEL = 6  # the columns for the coordinates of the first space of a row
MIDDLE_CELL, SMALL_CELL = 6, 3
SHIP = "ship"
COLOR_OF_LETTER = {letter: color for color, letter in COLOR_LETTERS.items()}

SMALL_LEGEND = (
    "a small board: a row begins with the coordinates of its first space; each space to the right is one more, 2,1 3,1",
    "~r red water, r0 with the ship of seat 0, 01 with those of seats 0 and 1, 3! with three    · shallows",
    "Cr red city    Ar red temple",
    "g? face-down tile on a green space    rφ face-up tile, r* with a shrine    Z Zeus",
    "M monsters, O offerings, S free statue sites: the color of the only one, or how many",
)


def screen(position: Json) -> Screen:
    seats = seats_from(position)
    return Screen(
        heading=heading(unobserved(position)),
        boards=(_large(position), _middle(position), _small(position)),
        panels=[
            _own(position, seats[0]),
            _wanted(position, seats[0]),
            *(_other(position, seat) for seat in seats[1:]),
            *(Panel([line], [line]) for line in (_display(position), *_seen(position, seats[0]))),
        ],
        details=_details(position, seats[0]),
        legend=(*LEGEND, *SMALL_LEGEND),
        colors={color: color for color in COLORS}
        | COLOR_OF_GOD
        | {_short(god): color for god, color in COLOR_OF_GOD.items()},
    )


# -- boards


def _large(position: Json) -> list[Line]:
    """Two lines for each row: the coordinates of every space, and what is there."""
    lines = []
    for cells in _rows(position):
        lines.append(placed((units * CELL // 2, plain(place(at).center(CELL))) for units, at in cells))
        lines.append(placed((units * CELL // 2, _centred(_cell(position, at), CELL)) for units, at in cells))
    return lines


def _middle(position: Json) -> list[Line]:
    """A line for each row, which begins with the coordinates of its first space."""
    return [
        _labelled(cells, MIDDLE_CELL, [_centred(_tight(_cell(position, at)), MIDDLE_CELL) for _, at in cells])
        for cells in _rows(position)
    ]


def _small(position: Json) -> list[Line]:
    """The same with two characters for each space."""
    return [
        _labelled(cells, SMALL_CELL, [_two(position, at) for _, at in cells]) for cells in _rows(position)
    ]


def _labelled(cells: CellRow, cell: int, texts: list[Line]) -> Line:
    columns = (LABEL + units * cell // 2 for units, _ in cells)
    return placed([(0, plain(place(cells[0][1]))), *zip(columns, texts, strict=True)])


def _rows(position: Json) -> list[CellRow]:
    """The spaces from top to bottom, each with how many half cells it is from the left.

    A step to the right is a cell, a step down half a cell.
    """
    left = min(2 * q + r for q, r in map(hex_of, position["board"]))
    rows: dict[int, CellRow] = {}
    for at in sorted(position["board"], key=lambda at: hex_of(at)[::-1]):
        q, r = hex_of(at)
        rows.setdefault(r, []).append((2 * q + r - left, at))
    return list(rows.values())


def _centred(line: Line, width: int) -> Line:
    used = sum(len(text) for text, _ in line)
    before = (width - used) // 2
    return [(" " * before, ""), *line, (" " * (width - used - before), "")]


def _cell(position: Json, at: Json) -> Line:
    """What is on a space as render.py says it, in its colors."""
    text, kind = cell_text(position, at), at["kind"]
    if kind == "island_tile":
        return [(text[:2], at["color"]), (text[2:], COLOR_OF_LETTER.get(text[2:3], ""))]
    if ":" not in text:
        water, _, ships = text.partition("[")
        return [(water, at.get("color", "")), *([(f"[{ships}", SHIP)] if ships else [])]
    return [(text[:2], ""), *((letter, COLOR_OF_LETTER.get(letter.lower(), "")) for letter in text[2:])]


def _tight(cell: Line) -> Line:
    """`Orkpb` for `O:rkpb`."""
    return [(text.removesuffix(":"), color) for text, color in cell]


def _two(position: Json, at: Json) -> Line:
    """What is on a space in two characters."""
    kind, color = at["kind"], at.get("color", "")
    letter = COLOR_LETTERS.get(color, "")
    ships = [seat for seat, player in enumerate(position["players"]) if hex_of(player["ship"]) == hex_of(at)]
    if len(ships) > 1:
        return [("".join(map(str, ships)) if len(ships) == 2 else f"{len(ships)}!", SHIP)]
    if ships:
        return [(letter or "Z", color), (str(ships[0]), SHIP)]
    if kind == "water":
        return [(f"~{letter}", color)]
    if kind == "zeus":
        return plain("Z ")
    if kind == "shallow":
        return plain("· ")
    if kind in ("city", "temple_island"):
        return [(f"{'C' if kind == 'city' else 'A'}{letter}", color)]
    if kind == "island_tile":
        return _two_of_tile(position, at)
    return _two_of_pieces(kind, _pieces(position, at))


def _two_of_tile(position: Json, at: Json) -> Line:
    tile = next((tile for tile in position["island_tiles"] if hex_of(tile) == hex_of(at)), None)
    if tile and tile["face_up"]:
        return [
            (COLOR_LETTERS[tile["color"]] + ("*" if tile["shrine"] else GREEK[tile["letter"]]), tile["color"])
        ]
    return [(f"{COLOR_LETTERS[at['color']]}?", at["color"])]


def _pieces(position: Json, at: Json) -> list[str]:
    """The colors of what can be fetched, fought, raised or delivered on an island."""
    if at["kind"] == "temple_island":
        return [at["color"]]
    if at["kind"] != "statue_island":
        return colors_on(position, at["kind"].removesuffix("_island") + "s", at)
    raised = {there["color"] for there in position["raised"] if hex_of(there) == hex_of(at)}
    return [color for color in at["sites"] if color not in raised]


def _two_of_pieces(kind: str, colors: list[str]) -> Line:
    sign = kind[0].upper()
    if len(colors) == 1:
        return [(sign + COLOR_LETTERS[colors[0]], colors[0])]
    return plain(f"{sign}{len(colors) or '-'}")


# -- panels


def _own(position: Json, seat: int) -> Panel:
    player = position["players"][seat]
    title = f"{seat_name(position, seat)}, {player['color']}"
    tile = title_of("delphi", f"ship:{player['ship_tile']}") if player["ship_tile"] else "Ship not drafted"
    ship = f"{tile} at {place(player['ship'])}"
    wealth = f"favor {player['favor']} · shield {player['shield']}"
    dice = f"dice {dice_text(player)}"
    cards = f"cards {colors_text(player['oracle_cards'])}{this_turn(player)}"
    injuries = f"injuries {colors_text(player['injuries'])}"
    have = _have(player)
    to_do = f"to do: {tasks_text(player['tasks'])}"
    return Panel(
        [
            f"{title} · {ship}",
            f"{wealth} · {dice}",
            cards,
            injuries,
            f"gods: {_gods(player)}",
            to_do,
            f"done: {done_text(player['done'])}",
            *have,
        ],
        [
            f"{title} at {place(player['ship'])} · {wealth}",
            f"{dice} · {cards}",
            *([injuries] if player["injuries"] else []),
            f"gods: {_gods_short(player)}",
            to_do,
            *have,
        ],
    )


def _other(position: Json, seat: int) -> Panel:
    own = _own(position, seat)
    player = position["players"][seat]
    tasks = player["tasks"]
    left = tasks["shrine"] + tasks["statue"] + len(tasks["offering"]) + len(tasks["monster"])
    short = (
        f"{seat_name(position, seat)}, {player['color']} at {place(player['ship'])} · {left} tasks to do"
        f" · favor {player['favor']} · shield {player['shield']} · injuries {len(player['injuries'])}"
    )
    return Panel(own.lines, [short])


def _have(player: Json) -> list[str]:
    """What is aboard and beside the ship, where there is something."""
    return [
        f"{name}: {text}"
        for name, text in (
            ("aboard", cargo_text(player["cargo"])),
            ("companions", companions_text(player["companions"])),
            ("equipment", _cards(player["equipment"])),
        )
        if text != "-"
    ]


def _gods(player: Json) -> str:
    """By the wheel, each with its color and row."""
    return ", ".join(f"{god} ({COLOR_OF_GOD[god]}) {_row(player, god)}" for god in GODS)


def _gods_short(player: Json) -> str:
    """Each in one word, so that no line breaks between a god and its row."""
    return " ".join(f"{_short(god)}({COLOR_LETTERS[COLOR_OF_GOD[god]]}):{_row(player, god)}" for god in GODS)


def _short(god: str) -> str:
    return god[:4]


def _row(player: Json, god: str) -> str:
    row = player["gods"][god]
    return "TOP" if row == TOP_ROW else str(row)


def _wanted(position: Json, seat: int) -> Panel:
    """Where to go: temples for the offerings aboard, sites for the statues aboard, offerings and monsters of other
    open tasks, and tiles that wait for a shrine.
    """
    player = position["players"][seat]
    aboard = player["cargo"]["offerings"]
    wanted = {
        "temples": aboard,
        "offerings": [color for color in player["tasks"]["offering"] if color not in aboard],
        "monsters": player["tasks"]["monster"],
        "statue sites": player["cargo"]["statues"],
    }
    places = " ".join(
        place(tile)
        for tile in position["island_tiles"]
        if tile["face_up"] and not tile["shrine"] and tile["color"] == player["color"]
    )
    short = [f"build a shrine: {places}"] if places and player["tasks"]["shrine"] else []
    lines = list(short)
    for what, colors in wanted.items():
        islands = _islands(position, what)
        found = {
            color: " ".join(name for name, there in islands.items() if color in there)
            for color in dict.fromkeys(colors)
        }
        found = {color: places for color, places in found.items() if places}
        lines += [f"{color} {what}: {places}" for color, places in found.items()]
        if found:
            short.append(f"{what}: {' · '.join(f'{color} {places}' for color, places in found.items())}")
    return Panel(lines, [" · ".join(short)] if short else [])


def _islands(position: Json, what: str) -> dict[str, list[str]]:
    """By their places, the colors of what can be fetched, fought, raised or delivered there."""
    kind = f"{what.removesuffix('s').removesuffix(' site')}_island"
    return {place(at): _pieces(position, at) for at in position["board"] if at["kind"] == kind}


def _details(position: Json, viewer: int) -> list[str]:
    """What the small board only counts, what others have looked at, and the piles."""
    lines = []
    for what in ("offerings", "monsters", "statue sites"):
        islands = {name: colors for name, colors in _islands(position, what).items() if colors}
        lines.append(
            f"{what}: "
            + (" · ".join(f"{name} {' '.join(colors)}" for name, colors in islands.items()) or "-")
        )
    others = [seat for seat in seats_from(position) if seat != viewer]
    lines += [f"seat {seat} {line}" for seat in others for line in _seen(position, seat)]
    return [*lines, f"piles: {piles_text(position)}"]


def _seen(position: Json, seat: int) -> list[str]:
    """The face-down tiles that a player has looked at."""
    seen = [f"{place(tile)} {tile_name(tile)}".strip() for tile in position["players"][seat]["knows"]]
    return [f"has seen: {', '.join(seen)}"] if seen else []


def _display(position: Json) -> str:
    return f"equipment on display: {_cards(position['equipment_display'])}"


def _cards(names: list[str]) -> str:
    return " · ".join(title_of("delphi", f"card:{name}") for name in names) or "-"
