"""The board in the picture of a position: every hex with what lies on it, the ships, and the move to show."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from pythia.core_cy.delphi import icons
from pythia.core_cy.delphi.board import Hex, hex_text
from pythia.core_cy.delphi.components import COLORS, MONSTERS
from pythia.core_cy.delphi.icons import SEA, TOKEN, hexagon, ink_on, letter
from pythia.core_cy.delphi.render import hex_of
from pythia.core_cy.svg import (
    OUTLINE,
    Block,
    Look,
    Point,
    Svg,
    arrow,
    circle,
    eye,
    group,
    moved,
    outlined,
    path,
    piece,
    polygon,
    rect,
    sign,
    text,
)

Json = dict[str, Any]
Drawn = tuple[list[Svg], str]  # a hex: its shapes, and what it is

SIZE = 38.0  # from the middle of a hex to a corner
EDGE = SIZE + 12
DEEP = "#1d4460"
SHALLOW = "#3f7f93"
LAND = "#ead9ae"
COAST = "#a98a52"
DARK_INK = "#1d1b16"

# Where pieces stand on an island, and ships on a space with how large they are, by how many there are.
PIECES: list[list[Point]] = [
    [],
    [(0, 0)],
    [(-12, 0), (12, 0)],
    [(0, -13), (-13, 9), (13, 9)],
    [(-12, -12), (12, -12), (-12, 11), (12, 11)],
]
FLEETS: dict[int, tuple[float, list[Point]]] = {
    1: (1.15, [(0, 2)]),
    2: (0.85, [(-14, -1), (14, 4)]),
    3: (0.78, [(0, -15), (-15, 9), (15, 9)]),
    4: (0.72, [(-14, -14), (14, -14), (-14, 11), (14, 11)]),
}
SITES: list[Point] = [(-19, 12), (0, 4), (19, 12)]
STATUES: list[list[Point]] = [[], [(0, -15)], [(-7.5, -15), (7.5, -15)], [(-15, -15), (0, -15), (15, -15)]]
# Of those who have looked at a tile, one after the other.
EYES: list[Point] = [(-22, 11), (22, 11), (-12, 17), (12, 17)]


def flat(at: Hex) -> Point:
    """The middle of a hex."""
    q, r = at
    return SIZE * math.sqrt(3) * (q + r / 2), SIZE * 1.5 * r


def board_block(position: Json, look: Look) -> Block:
    board = _Board(position, look)
    places = [flat(hex_of(at)) for at in position["board"]]
    left, top = (min(place[axis] for place in places) - EDGE for axis in (0, 1))
    right, bottom = (max(place[axis] for place in places) + EDGE for axis in (0, 1))
    drawn = [
        rect(left, top, right - left, bottom - top, rx=10, fill=DEEP),
        *(board.hex(at) for at in position["board"]),
        *board.ships(),
        *board.marks(),
    ]
    return Block(right - left, bottom - top, lambda x, y: moved(x - left, y - top, *drawn, class_="board"))


class _Board:
    """What lies where. A method named after each kind of hex draws it."""

    def __init__(self, position: Json, look: Look) -> None:
        self.position = position
        self.players: list[Json] = position["players"]
        self.look = look

    def hex(self, at: Json) -> Svg:
        where, kind, color = hex_of(at), at["kind"], at.get("color") or None
        draw: Callable[[Json], Drawn] = getattr(self, kind)
        shapes, told = draw(at)
        if self.look.coordinates:
            ink = "#fff" if kind == "shallow" or (kind, color) == ("water", "black") else DARK_INK
            name = hex_text(where)
            shapes.append(
                text(0, 28, name, 8.5, anchor="middle", fill=ink, opacity=0.75, class_="coordinates")
            )
        q, r = where
        return piece(
            *flat(where),
            f"hex {kind}",
            f"{hex_text(where)}: {told}",
            *shapes,
            q=q,
            r=r,
            color=color,
            key=f"hex:{hex_text(where)}",
            about=f"space:{kind}",
        )

    # -- sea

    def water(self, at: Json) -> Drawn:
        color = at["color"]
        waves = "M-20 -4 q5 -5 10 0 t10 0 t10 0 t10 0 M-15 10 q5 -5 10 0 t10 0 t10 0"
        ink = "#fff" if color == "black" else DARK_INK
        return [
            polygon(hexagon(SIZE - 0.6), fill=SEA[color]),
            path(
                waves, fill="none", stroke="#fff", stroke_opacity=0.45, stroke_width=2, stroke_linecap="round"
            ),
            sign(0, -23, letter(color), 12, ink),
        ], f"{color} water"

    def shallow(self, at: Json) -> Drawn:
        dots = [circle(x, y, 2, fill="#cfe3e0", fill_opacity=0.6) for x, y in ((-10, -6), (8, -10), (0, 6))]
        return [polygon(hexagon(SIZE - 0.6), fill=SHALLOW), *dots], "shallows"

    def zeus(self, at: Json) -> Drawn:
        return [
            *_ground("#fff8df", "#b58b1b"),
            moved(0, 3, icons.bolt()),
            sign(0, -22.5, "ZEUS", 8.5),
        ], "Zeus, where all begin and where the winner returns"

    # -- islands

    def city(self, at: Json) -> Drawn:
        color = at["color"]
        count: int = self.position["statues"].get(color, 0)
        statue = icons.statue(color)
        told = f"{color} city with {count} statue" + "s" * (count != 1)
        return [
            *_ground(),
            *(
                piece(
                    *there, "statue", f"{color} statue", statue, scale=0.92, color=color, about="tile:statue"
                )
                for there in STATUES[count]
            ),
            moved(0, 8, icons.city(color)),
        ], told

    def temple_island(self, at: Json) -> Drawn:
        return [
            *_ground(),
            moved(0, 0, icons.temple(at["color"]), scale=1.1),
        ], f"temple for {at['color']} offerings"

    def offering_island(self, at: Json) -> Drawn:
        names = {color: f"{color} offering" for color in COLORS}
        return self.pieces_on(at, "offering", icons.cube, names, dict.fromkeys(COLORS, "tile:offering"))

    def monster_island(self, at: Json) -> Drawn:
        names = {color: f"{color} {monster}" for color, monster in zip(COLORS, MONSTERS, strict=True)}
        abouts = {color: f"monster:{monster}" for color, monster in zip(COLORS, MONSTERS, strict=True)}
        return self.pieces_on(at, "monster", icons.monster, names, abouts)

    def pieces_on(
        self,
        at: Json,
        kind: str,
        icon: Callable[[str], Svg],
        names: dict[str, str],
        abouts: dict[str, str],
    ) -> Drawn:
        islands = {hex_of(island): island["colors"] for island in self.position[f"{kind}s"]}
        colors = islands.get(hex_of(at), [])
        shapes = [
            piece(
                *there,
                kind,
                names[color],
                icon(color),
                color=color,
                key=f"{kind}:{hex_text(hex_of(at))}:{color}",
                about=abouts[color],
            )
            for there, color in zip(PIECES[len(colors)], colors, strict=True)
        ]
        told = ", ".join(names[color] for color in colors) or f"no {kind} left"
        return [*_ground(), *(shapes or [group(icon("any"), opacity=0.35)])], told

    def statue_island(self, at: Json) -> Drawn:
        raised = {there["color"] for there in self.position["raised"] if hex_of(there) == hex_of(at)}
        shapes = []
        for (x, y), color in zip(SITES, at["sites"], strict=True):
            shapes.append(moved(x, y, icons.pedestal(color), class_="site", data_color=color))
            if color in raised:
                statue = icons.statue(color)
                shapes.append(
                    piece(x, y - 15, "raised", f"{color} statue", statue, color=color, about="tile:statue")
                )
        sites = [f"{color}, raised" if color in raised else color for color in at["sites"]]
        return [*_ground(), *shapes], "sites for statues: " + "; ".join(sites)

    def island_tile(self, at: Json) -> Drawn:
        where, space = hex_of(at), at["color"]
        tile = self.tiles[where]
        color, greek = tile.get("color") or "", tile.get("letter") or ""
        told = f"{color} {greek}" if color else "unknown tile"
        if tile["face_up"]:
            state, shape = "face-up", icons.tile_up(color, greek, tile["shrine"])
            told += ", face up" + ", with a shrine" * tile["shrine"]
        else:
            state, shape = "known" if color else "face-down", icons.tile_down(color, greek)
            told += ", face down"
        seats = [seat for seat, player in enumerate(self.players) if where in map(hex_of, player["knows"])]
        if seats:
            told += f", seen by {', '.join(map(self.look.name_of, seats))}"
        eyes = [
            moved(*there, eye(TOKEN[self.players[seat]["color"]]), class_="eye", data_seat=seat)
            for there, seat in zip(EYES, seats, strict=False)
        ]
        return [
            *_ground(),
            moved(
                0,
                -4,
                polygon(hexagon(28.5), fill=TOKEN[space], stroke=OUTLINE, stroke_width=0.8),
                sign(0, -22.5, letter(space), 8, ink_on(space)),
                group(
                    shape,
                    class_=f"tile {state}",
                    data_color=color or None,
                    data_letter=greek or None,
                    data_about=f"tile:{greek}" if greek else None,
                ),
            ),
            *eyes,
        ], f"{told}, on a {space} space"

    @cached_property
    def tiles(self) -> dict[Hex, Json]:
        return {hex_of(tile): tile for tile in self.position["island_tiles"]}

    # -- ships, and the move to show

    def ships(self) -> list[Svg]:
        together: dict[Hex, list[int]] = {}
        for seat, player in enumerate(self.players):
            together.setdefault(hex_of(player["ship"]), []).append(seat)
        drawn = []
        for (q, r), seats in together.items():
            x, y = flat((q, r))
            scale, places = FLEETS[len(seats)]
            for (dx, dy), seat in zip(places, seats, strict=True):
                color = self.players[seat]["color"]
                told = f"ship of {self.look.name_of(seat)} ({color}) at {hex_text((q, r))}"
                ship = icons.ship(color, seat)
                tile = self.players[seat]["ship_tile"]
                drawn.append(
                    piece(
                        x + dx,
                        y + dy,
                        "ship",
                        told,
                        ship,
                        scale=scale,
                        seat=seat,
                        q=q,
                        r=r,
                        key=f"ship:{seat}",
                        about=f"ship:{tile}" if tile else None,
                    )
                )
        return drawn

    def marks(self) -> list[Svg]:
        """The hexes of the move, and the way of a ship that sails."""
        hexes = [hex_of(at) for at in self.look.move.get("hexes", ())]
        ring = partial(polygon, hexagon(SIZE - 1))
        drawn = [moved(*flat((q, r)), outlined(ring, data_q=q, data_r=r)) for q, r in hexes]
        mover = self.position["to_act"]
        if self.look.move.get("action") == "sail" and mover >= 0:
            drawn.append(arrow(flat(hex_of(self.players[mover]["ship"])), flat(hexes[0])))
        return drawn


def _ground(fill: str = LAND, edge: str = COAST) -> list[Svg]:
    return [polygon(hexagon(SIZE - 0.6), fill=edge), polygon(hexagon(SIZE - 3.4), fill=fill)]
