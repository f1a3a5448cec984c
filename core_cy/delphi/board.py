"""Boards of The Oracle of Delphi: drawn, laid out from tiles, or given hex by hex; all end as one plain list.

A board is a list of hexes as the notation has them, `{"q", "r", "kind", ...}`, sorted by (r, q) and with the
shallows among them. `color` stands on water, cities, temples and tile spaces, `sites` (in wheel order) on
statue islands, `marked` on monster islands.

What makes a board legal is R1: no overlap, all water in one connected area, and every city, island and the
Zeus space beside water. Shallows are the empty hexes that tiles, cities included, enclose (R33).
"""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pythia.core_cy.delphi import components
from pythia.core_cy.delphi.components import COLORS, SHALLOW, Space, Tile
from pythia.core_cy.errors import BadPosition

if TYPE_CHECKING:
    from pythia.core_cy.rng import Random

Hex = tuple[int, int]
Board = list[dict[str, Any]]
Spaces = dict[Hex, Space]

MAX_COORDINATE = 200
ROTATIONS = 6

COLORED_KINDS = ("water", "city", "island_tile", "temple_island")
KINDS = (*components.HEX_KINDS, SHALLOW)

# How often a generator draws again before it gives up. About 3 in 10 compact layouts and 19 in 20 free
# ones are good, so this bound is never met; it is there so that a mistake in the tiles cannot hang a caller.
ATTEMPTS = 1000

# Cities of a free board that are nearer to each other than this do not lie evenly around it.
CITY_GAP = 4

# The number of places to try for each tile of a free board; the snuggest one keeps distances short.
PLACES_COMPARED = 4


# -- hexes


def neighbours(at: Hex) -> tuple[Hex, ...]:
    q, r = at
    return (q + 1, r), (q - 1, r), (q, r + 1), (q, r - 1), (q + 1, r - 1), (q - 1, r + 1)


def hex_distance(a: Hex, b: Hex) -> int:
    q, r = a[0] - b[0], a[1] - b[1]
    return max(abs(q), abs(r), abs(q + r))


def turn(at: Hex, rotation: int) -> Hex:
    """A hex rotated clockwise about (0, 0), by a number of sixths of a turn."""
    q, r = at
    for _ in range(rotation):
        q, r = -r, q + r
    return q, r


def hex_text(at: Hex) -> str:
    return f"{at[0]},{at[1]}"


def by_row(at: Hex) -> tuple[int, int]:
    """The order in which the notation lists hexes."""
    return at[1], at[0]


def enclosed(land: Collection[Hex]) -> set[Hex]:
    """The empty hexes that cannot be left without crossing `land`."""
    if not land:
        return set()
    # One row of empty hexes around everything is outside, and connects all that is outside.
    low_q, high_q = min(q for q, _ in land) - 1, max(q for q, _ in land) + 1
    low_r, high_r = min(r for _, r in land) - 1, max(r for _, r in land) + 1
    empty = {(q, r) for q in range(low_q, high_q + 1) for r in range(low_r, high_r + 1)}.difference(land)
    return empty - _area((low_q, low_r), empty)


def _area(start: Hex, within: Collection[Hex]) -> set[Hex]:
    """All hexes of `within` that can be walked to from `start`."""
    found = {start}
    edge = [start]
    while edge:
        for at in neighbours(edge.pop()):
            if at in within and at not in found:
                found.add(at)
                edge.append(at)
    return found


# -- tiles on the table


@dataclass(frozen=True)
class Placement:
    """A tile on the table: mirrored when its back is up, then turned, then shifted to (q, r)."""

    tile: Tile
    q: int
    r: int
    rotation: int
    back: bool

    def spaces(self) -> Iterable[tuple[Hex, Space]]:
        for (q, r), space in _turned(self.tile.id, self.rotation, self.back):
            yield (q + self.q, r + self.r), space


@cache
def _turned(tile_id: str, rotation: int, back: bool) -> tuple[tuple[Hex, Space], ...]:
    spaces = components.TILES_BY_ID[tile_id].spaces
    return tuple(
        (turn((space.r, space.q) if back else (space.q, space.r), rotation), space) for space in spaces
    )


def _fault(kinds: Mapping[Hex, str]) -> tuple[Hex, str] | None:
    """A hex that breaks R1, and why; None for a legal board. `kinds` has water, and no shallows."""
    water = {at for at, kind in kinds.items() if kind == "water"}
    largest, *cut_off = _areas(water)
    if cut_off:
        at = min(cut_off[0], key=by_row)
        return at, f"the water at {hex_text(at)} is not connected with the main area of {len(largest)} spaces"
    for at, kind in kinds.items():
        if kind != "water" and not any(beside in water for beside in neighbours(at)):
            return at, f"the {kind} at {hex_text(at)} touches no water space"
    return None


def _areas(hexes: set[Hex]) -> list[set[Hex]]:
    """The connected areas of a set of hexes, the largest first."""
    areas = []
    left = set(hexes)
    while left:
        area = _area(min(left), left)
        areas.append(area)
        left -= area
    return sorted(areas, key=len, reverse=True)


def _kinds(spaces: Spaces) -> dict[Hex, str]:
    return {at: space.kind for at, space in spaces.items()}


def _board(spaces: Spaces, temples: Mapping[Hex, str]) -> Board:
    """The list of hexes, with the temples' colors and the shallows filled in."""
    board: Board = [{"q": q, "r": r, "kind": SHALLOW} for q, r in enclosed(spaces.keys())]
    for at, space in spaces.items():
        board.append(_hex_object(at, space.kind, temples.get(at, space.color), space.sites, space.marked))
    return _sorted(board)


def _hex_object(at: Hex, kind: str, color: str, sites: Collection[str], marked: bool) -> dict[str, Any]:
    """One hex as the notation writes it, with exactly the keys that its kind has."""
    written: dict[str, Any] = {"q": at[0], "r": at[1], "kind": kind}
    if kind in COLORED_KINDS:
        written["color"] = color
    if kind == "statue_island":
        written["sites"] = [color for color in COLORS if color in sites]
    if kind == "monster_island":
        written["marked"] = marked
    return written


def _sorted(board: Board) -> Board:
    return sorted(board, key=lambda written: (written["r"], written["q"]))


# -- boards from a seed


def compact_board(rng: Random) -> Board:
    """A compact board: tiles dealt to the slots of their shape, drawn again until it is legal (R1)."""
    for _ in range(ATTEMPTS):
        spaces = _compact_layout(rng)
        if _fault(_kinds(spaces)) is None:
            return _with_random_temples(spaces, rng)
    raise RuntimeError(f"no legal compact board in {ATTEMPTS} draws")


def free_board(rng: Random) -> Board:
    """A board of tiles at any place, rotation and side, water to water, with cities all around (R1)."""
    for _ in range(ATTEMPTS):
        spaces = _free_layout(rng)
        if spaces is not None and _fault(_kinds(spaces)) is None:
            return _with_random_temples(spaces, rng)
    raise RuntimeError(f"no legal free board in {ATTEMPTS} draws")


def _with_random_temples(spaces: Spaces, rng: Random) -> Board:
    """The board with a color for each temple island (R2)."""
    islands = sorted((at for at, space in spaces.items() if space.kind == "temple_island"), key=by_row)
    colors = list(COLORS)
    rng.shuffle(colors)
    return _board(spaces, dict(zip(islands, colors, strict=True)))


def _compact_layout(rng: Random) -> Spaces:
    waiting: dict[str, list[Tile]] = {}
    for tile in components.BOARD_TILES + components.CITY_TILES:
        waiting.setdefault(tile.shape, []).append(tile)
    for tiles in waiting.values():
        rng.shuffle(tiles)
    spaces: Spaces = {}
    for slot in components.COMPACT_SLOTS:
        rotation = rng.below(ROTATIONS) if slot.rotation is None else slot.rotation
        spaces.update(Placement(waiting[slot.shape].pop(), slot.q, slot.r, rotation, back=False).spaces())
    return spaces


def _free_layout(rng: Random) -> Spaces | None:
    """Tiles and cities laid one by one, or None when one finds no good place."""
    tiles = list(components.BOARD_TILES)
    cities = list(components.CITY_TILES)
    rng.shuffle(tiles)
    rng.shuffle(cities)
    spaces = dict(Placement(tiles[0], 0, 0, rng.below(ROTATIONS), _coin(rng)).spaces())
    for tile in tiles[1:]:
        rotation, back = rng.below(ROTATIONS), _coin(rng)
        places = _places(_turned(tile.id, rotation, back), spaces)
        if not places:
            return None
        compared = [rng.choice(places) for _ in range(PLACES_COMPARED)]
        q, r = max(compared, key=lambda place: _shared_edges(tile, place, rotation, back, spaces))
        spaces.update(Placement(tile, q, r, rotation, back).spaces())
    return _with_cities_around(spaces, cities, rng)


def _with_cities_around(spaces: Spaces, cities: list[Tile], rng: Random) -> Spaces | None:
    """Adds the cities, each as near as it can be to its own of six points around the board.

    None when they do not lie evenly then.
    """
    back = _coin(rng)
    shape = cities[0].id  # all city tiles have the same shape
    places = [
        (at, rotation)
        for rotation in range(ROTATIONS)
        for at in _places(_turned(shape, rotation, back), spaces)
    ]
    rng.shuffle(places)  # so that equally near places are equally likely
    laid = dict(spaces)
    for city, point in zip(cities, _points_around(spaces, rng), strict=True):
        places.sort(key=lambda place: hex_distance(place[0], point))
        for (q, r), rotation in places:
            placed = dict(Placement(city, q, r, rotation, back).spaces())
            if laid.keys().isdisjoint(placed):
                laid.update(placed)
                break
    return laid if _cities_apart(laid) else None


def _cities_apart(spaces: Spaces) -> bool:
    cities = [at for at, space in spaces.items() if space.kind == "city"]
    return len(cities) == components.CITIES and all(
        hex_distance(a, b) >= CITY_GAP for a, b in combinations(cities, 2)
    )


def _points_around(spaces: Spaces, rng: Random) -> list[Hex]:
    """Six points on a circle just outside the board, the first of them anywhere on it."""
    centre = (
        (min(q for q, _ in spaces) + max(q for q, _ in spaces)) // 2,
        (min(r for _, r in spaces) + max(r for _, r in spaces)) // 2,
    )
    radius = max(hex_distance(at, centre) for at in spaces) + 2
    along = rng.below(radius)
    first = (radius - along, along)
    turned = [turn(first, rotation) for rotation in range(ROTATIONS)]
    return [(centre[0] + q, centre[1] + r) for q, r in turned]


def _places(turned: tuple[tuple[Hex, Space], ...], spaces: Spaces) -> list[Hex]:
    """Where a turned tile can lie: on empty hexes, with water beside water that lies there already.

    Every tile's own water is connected and touches all that is on the tile, so such a board is legal.
    """
    shores = {
        beside
        for at, space in spaces.items()
        if space.kind == "water"
        for beside in neighbours(at)
        if beside not in spaces
    }
    own_water = [at for at, space in turned if space.kind == "water"]
    shifts = {(shore[0] - q, shore[1] - r) for shore in shores for q, r in own_water}
    return sorted((q, r) for q, r in shifts if not any((at[0] + q, at[1] + r) in spaces for at, _ in turned))


def _shared_edges(tile: Tile, place: Hex, rotation: int, back: bool, spaces: Spaces) -> int:
    """How many edges a tile would share with what lies there."""
    placed = Placement(tile, place[0], place[1], rotation, back).spaces()
    return sum(beside in spaces for at, _ in placed for beside in neighbours(at))


def _coin(rng: Random) -> bool:
    return rng.below(2) == 1


# -- boards from a front-end: tiles


def board_from_placements(placements: object, temples: object) -> Board:
    """The board that these tiles and cities make, with a color for each temple island.

    `placements` has one `{"tile", "q", "r", "rotation", "back"}` per tile and city, `temples` one
    `{"q", "r", "color"}` per temple island; numbers and `back` may be absent when 0 or false. Raises
    BadPosition with the path of the first fault. Every tile must be there once, so all counts are right.
    """
    tiles = [_placement(item, path) for path, item in _items(placements, "placements")]
    _check_each_tile_once(tiles)
    spaces: Spaces = {}
    owner: dict[Hex, int] = {}
    for index, placement in enumerate(tiles):
        for at, space in placement.spaces():
            _check_room(at, index, tiles, owner)
            spaces[at] = space
            owner[at] = index
    fault = _fault(_kinds(spaces))
    if fault is not None:
        at, reason = fault
        raise BadPosition(
            f"placements[{owner[at]}]", f"{tiles[owner[at]].tile.id} at {hex_text(at)}: {reason}"
        )
    return _board(spaces, _temple_colors(temples, spaces))


def _placement(item: object, path: str) -> Placement:
    fields = _object(item, path, ("tile", "q", "r", "rotation", "back"))
    tile = _word(fields, path, "tile", tuple(components.TILES_BY_ID))
    q, r = _coordinates(fields, path)
    rotation = _number(fields, path, "rotation", 0, ROTATIONS - 1)
    return Placement(components.TILES_BY_ID[tile], q, r, rotation, _flag(fields, path, "back"))


def _check_each_tile_once(tiles: list[Placement]) -> None:
    first: dict[str, int] = {}
    for index, placement in enumerate(tiles):
        tile = placement.tile.id
        if tile in first:
            raise BadPosition(
                f"placements[{index}].tile", f"{tile} is placed already by placements[{first[tile]}]"
            )
        first[tile] = index
    missing = [tile for tile in components.TILES_BY_ID if tile not in first]
    if missing:
        raise BadPosition("placements", f"each of the 18 tiles is placed once; missing: {', '.join(missing)}")


def _check_room(at: Hex, index: int, tiles: list[Placement], owner: Mapping[Hex, int]) -> None:
    path, tile = f"placements[{index}]", tiles[index].tile.id
    if at in owner:
        other = f"{tiles[owner[at]].tile.id} (placements[{owner[at]}])"
        raise BadPosition(path, f"{tile} overlaps {other} at {hex_text(at)}")
    if max(abs(at[0]), abs(at[1])) > MAX_COORDINATE:
        reason = f"{tile} covers {hex_text(at)}; coordinates are from {-MAX_COORDINATE} to {MAX_COORDINATE}"
        raise BadPosition(path, reason)


def _temple_colors(temples: object, spaces: Spaces) -> dict[Hex, str]:
    """The color of each temple island, read from `temples`."""
    islands = sorted((at for at, space in spaces.items() if space.kind == "temple_island"), key=by_row)
    found: dict[Hex, str] = {}
    path_of_hex: dict[Hex, str] = {}
    path_of_color: dict[str, str] = {}
    for path, item in _items([] if temples is None else temples, "temples"):
        fields = _object(item, path, ("q", "r", "color"))
        at = _coordinates(fields, path)
        color = _word(fields, path, "color", COLORS)
        if at not in islands:
            allowed = " ".join(map(hex_text, islands))
            raise BadPosition(path, f"{hex_text(at)} is not a temple island; they are at {allowed}")
        if at in path_of_hex:
            raise BadPosition(path, f"{hex_text(at)} has its temple already from {path_of_hex[at]}")
        if color in path_of_color:
            raise BadPosition(f"{path}.color", f"{color} is taken already by {path_of_color[color]}")
        found[at] = color
        path_of_hex[at] = path_of_color[color] = path
    missing = [hex_text(at) for at in islands if at not in found]
    if missing:
        raise BadPosition("temples", f"each temple island has a color; missing: {' '.join(missing)}")
    return found


# -- boards from a front-end: plain hexes


def check_board(hexes: object) -> Board:
    """The same board in the one form that the engine uses, or BadPosition with the path of the first fault.

    Hexes may come in any order, the colors of `sites` too. As everywhere in the notation an absent key is its
    default, so `q`, `r` and `marked` may be left out when they are 0 or false, and a kind that has no color
    may say `"color": ""`.

    Checked are types, words and coordinates; that no hex is listed twice; the counts of the components; and
    R1. Not checked is whether the 18 tiles can make this board: a front-end may have a board of its own.

    Shallows follow from the other hexes (R33). One that is listed but open to the outside contradicts that
    and is refused. One that is not listed is added, just as for `placements`.
    """
    listed: dict[Hex, dict[str, Any]] = {}
    path_of: dict[Hex, str] = {}
    for path, item in _items(hexes, "board"):
        written = _checked_hex(item, path)
        at = (written["q"], written["r"])
        if at in path_of:
            raise BadPosition(path, f"{hex_text(at)} is listed already as {path_of[at]}")
        listed[at] = written
        path_of[at] = path
    land = {at: written for at, written in listed.items() if written["kind"] != SHALLOW}
    _check_counts(list(land.values()))
    fault = _fault({at: written["kind"] for at, written in land.items()})
    if fault is not None:
        raise BadPosition(path_of[fault[0]], fault[1])
    shallows = enclosed(land.keys())
    for at in listed:
        if at not in land and at not in shallows:
            reason = (
                f"the shallow at {hex_text(at)} is open to the outside; shallows are enclosed by other hexes"
            )
            raise BadPosition(path_of[at], reason)
    return _sorted([*land.values(), *({"q": q, "r": r, "kind": SHALLOW} for q, r in shallows)])


def _checked_hex(item: object, path: str) -> dict[str, Any]:
    fields = _object(item, path, ("q", "r", "kind", "color", "sites", "marked"))
    at = _coordinates(fields, path)
    kind = _word(fields, path, "kind", KINDS)
    color = _color_of(fields, path, kind)
    sites = _sites_of(fields, path, kind)
    marked = _flag(fields, path, "marked")
    if marked and kind != "monster_island":
        raise BadPosition(f"{path}.marked", f"a {kind} is not marked; only a monster_island can be")
    return _hex_object(at, kind, color, sites, marked)


def _color_of(fields: Mapping[str, Any], path: str, kind: str) -> str:
    if kind in COLORED_KINDS:
        return _word(fields, path, "color", COLORS)
    if fields.get("color", "") != "":
        colored = ", ".join(COLORED_KINDS)
        reason = f"{_show(fields['color'])} is not allowed, a {kind} has no color; with one: {colored}"
        raise BadPosition(f"{path}.color", reason)
    return ""


def _sites_of(fields: Mapping[str, Any], path: str, kind: str) -> list[str]:
    path = f"{path}.sites"
    sites = fields.get("sites", [])
    if not isinstance(sites, list):
        raise BadPosition(path, f"{_show(sites)} is not allowed; allowed: a list of colors")
    if kind != "statue_island":
        if sites:
            raise BadPosition(path, f"a {kind} has no building sites; only a statue_island has")
        return []
    for index, color in enumerate(sites):
        if not isinstance(color, str) or color not in COLORS:
            raise BadPosition(
                f"{path}[{index}]", f"{_show(color)} is not allowed; allowed: {', '.join(COLORS)}"
            )
        if color in sites[:index]:
            raise BadPosition(
                f"{path}[{index}]", f"{color} is there twice; the sites of an island differ in color"
            )
    if len(sites) != components.SITES_PER_STATUE_ISLAND:
        raise BadPosition(
            path, f"{len(sites)} sites; a statue_island has {components.SITES_PER_STATUE_ISLAND}"
        )
    return sites


# What every board has: of each kind in all, and of each kind and color.
_OF_KIND = {
    "zeus": 1,
    "monster_island": components.MONSTER_ISLANDS,
    "offering_island": components.OFFERING_ISLANDS,
    "statue_island": components.STATUE_ISLANDS,
}
_OF_KIND_AND_COLOR = {
    "water": components.WATER_SPACES_PER_COLOR,
    "island_tile": components.TILE_SPACES_PER_COLOR,
    "city": components.CITIES // len(COLORS),
    "temple_island": components.TEMPLE_ISLANDS // len(COLORS),
}


def _check_counts(land: Board) -> None:
    kinds = Counter(written["kind"] for written in land)
    for kind, count in _OF_KIND.items():
        _check_count(kind, kinds[kind], count)
    marked = sum(written.get("marked", False) for written in land)
    _check_count("marked monster_island", marked, components.MARKED_MONSTER_ISLANDS)
    colored = Counter((written["kind"], written.get("color")) for written in land)
    sites = Counter(color for written in land for color in written.get("sites", ()))
    for color in COLORS:
        for kind, count in _OF_KIND_AND_COLOR.items():
            _check_count(f"{color} {kind}", colored[kind, color], count)
        _check_count(f"{color} building site", sites[color], components.SITES_PER_COLOR)


def _check_count(name: str, found: int, count: int) -> None:
    if found != count:
        raise BadPosition("board", f"{found} of {name}; a board has {count}")


# -- reading JSON values: each returns a value of the right type or names the path


def _items(value: object, path: str) -> list[tuple[str, object]]:
    if not isinstance(value, list):
        raise BadPosition(path, f"{_show(value)} is not allowed; allowed: a list")
    return [(f"{path}[{index}]", item) for index, item in enumerate(value)]


def _object(value: object, path: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadPosition(path, f"{_show(value)} is not allowed; allowed: an object with {', '.join(keys)}")
    for key in value:
        if key not in keys:
            name = key if isinstance(key, str) else _show(key)
            raise BadPosition(f"{path}.{name}", f"unknown key; allowed: {', '.join(keys)}")
    return value


def _number(fields: Mapping[str, Any], path: str, key: str, low: int, high: int) -> int:
    value = fields.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        reason = f"{_show(value)} is not allowed; allowed: a whole number from {low} to {high}"
        raise BadPosition(f"{path}.{key}", reason)
    return value


def _coordinates(fields: Mapping[str, Any], path: str) -> Hex:
    q = _number(fields, path, "q", -MAX_COORDINATE, MAX_COORDINATE)
    return q, _number(fields, path, "r", -MAX_COORDINATE, MAX_COORDINATE)


def _word(fields: Mapping[str, Any], path: str, key: str, allowed: tuple[str, ...]) -> str:
    value = fields.get(key)
    if value is None and key not in fields:
        raise BadPosition(f"{path}.{key}", f"is missing; allowed: {', '.join(allowed)}")
    if not isinstance(value, str) or value not in allowed:
        raise BadPosition(f"{path}.{key}", f"{_show(value)} is not allowed; allowed: {', '.join(allowed)}")
    return value


def _flag(fields: Mapping[str, Any], path: str, key: str) -> bool:
    value = fields.get(key, False)
    if not isinstance(value, bool):
        raise BadPosition(f"{path}.{key}", f"{_show(value)} is not allowed; allowed: true, false")
    return value


def _show(value: object) -> str:
    """A value in a message, cut short."""
    try:
        return reprlib.repr(value)
    except ValueError:  # a number with thousands of digits
        return f"this {type(value).__name__}"
