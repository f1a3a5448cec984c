"""The pieces of The Oracle of Delphi as little drawings around (0, 0), each with its color's letter on it."""

from __future__ import annotations

import math

from pythia.core_cy.delphi.render import COLOR_LETTERS, GREEK
from pythia.core_cy.svg import (
    INK,
    OUTLINE,
    PAPER,
    Point,
    Svg,
    box,
    circle,
    group,
    moved,
    path,
    polygon,
    rect,
    sign,
)

# Pieces, and the paler sea.
TOKEN = {
    "red": "#c9302c",
    "black": "#262a33",
    "pink": "#e77fb3",
    "blue": "#2b6cb8",
    "yellow": "#f4c020",
    "green": "#2f8f4e",
    "any": "#ffffff",
}
SEA = {
    "red": "#dc8078",
    "black": "#666d7c",
    "pink": "#eebbd6",
    "blue": "#78aee0",
    "yellow": "#f1dd8d",
    "green": "#86c095",
}
DARK = ("red", "black", "blue", "green")
STONE = "#f6f1e4"


def ink_on(color: str) -> str:
    """What can be read on a piece of this color."""
    return "#ffffff" if color in DARK else INK


def letter(color: str) -> str:
    """A mark that identifies a color without colors; a star for any color."""
    return COLOR_LETTERS.get(color, "*").upper()


def hexagon(radius: float) -> list[Point]:
    """Its corners, one of them above."""
    turns = [math.pi / 6 + sixth * math.pi / 3 for sixth in range(6)]
    return [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]


def _letter(color: str, y: float, size: float, x: float = 0) -> Svg:
    return sign(x, y, letter(color), size, ink_on(color))


def _outlined(*shapes: Svg, width: float = 0.8) -> Svg:
    return group(*shapes, stroke=OUTLINE, stroke_width=width, stroke_linejoin="round")


def cube(color: str) -> Svg:
    """An offering, 17 wide."""
    face = TOKEN[color]
    top, side = [(-8, -4), (-4, -9), (9, -9), (5, -4)], [(5, -4), (9, -9), (9, 4), (5, 9)]
    return group(
        _outlined(rect(-8, -4, 13, 13, fill=face), polygon(top, fill=face), polygon(side, fill=face)),
        polygon(top, fill="#fff", fill_opacity=0.45),
        polygon(side, fill="#000", fill_opacity=0.3),
        _letter(color, 2.6, 9.5, x=-1.5),
    )


def monster(color: str) -> Svg:
    """A horned head, 20 wide."""
    return group(
        _outlined(
            path("M-8 -2 Q-13 -8 -8.5 -13 Q-8 -8 -3 -7 Z M8 -2 Q13 -8 8.5 -13 Q8 -8 3 -7 Z", fill=STONE),
            path("M-9 -2 Q-9 -8 0 -8 Q9 -8 9 -2 Q9 5 4 9 Q0 11.5 -4 9 Q-9 5 -9 -2 Z", fill=TOKEN[color]),
        ),
        _letter(color, 1, 10),
    )


def statue(color: str) -> Svg:
    """A figure on its base, 12 wide and 24 high."""
    shape = "M-3.6 -4.5 Q0 -7 3.6 -4.5 L4.6 8 H6 V12 H-6 V8 H-4.6 Z"
    return group(
        _outlined(circle(0, -8.8, 3.3, fill=TOKEN[color]), path(shape, fill=TOKEN[color])),
        _letter(color, 2, 8),
    )


def temple(color: str) -> Svg:
    """A temple front, 36 wide; its roof has the color."""
    columns = [rect(x, -4, 4, 13, fill=STONE) for x in (-14, -6, 2, 10)]
    return group(
        rect(-15, -4, 30, 13, fill="#d9cba6"),
        _outlined(
            *columns,
            rect(-18, 9, 36, 5, fill=STONE),
            path("M0 -20 L18 -5 H-18 Z", fill=TOKEN[color]),
            width=0.9,
        ),
        _letter(color, -9.2, 9.5),
    )


def shrine(color: str) -> Svg:
    """A small shrine, 20 wide."""
    shape = "M0 -9 L10 -2 H7 V5 H9 V8.5 H-9 V5 H-7 V-2 H-10 Z M-3.5 -2 V5 H-1.75 V-2 Z M1.75 -2 V5 H3.5 V-2 Z"
    return _outlined(path(shape, fill=TOKEN[color], fill_rule="evenodd"))


def city(color: str) -> Svg:
    """Walls with a gate, 44 wide."""
    wall = "M-22 12 V-3 H-18 V1 H-14 V-3 H-10 V1 H10 V-3 H14 V1 H18 V-3 H22 V12 Z"
    return group(
        _outlined(
            path("M-9 1 V-3 H9 V1", fill=STONE),
            path(wall, fill=TOKEN[color]),
            path("M-5 12 V7 Q0 1.5 5 7 V12 Z", fill=STONE),
            width=0.9,
        ),
        _letter(color, 7, 9, x=-13),
        _letter(color, 7, 9, x=13),
    )


def pedestal(color: str) -> Svg:
    """A site for a statue, 19 wide."""
    return group(
        _outlined(rect(-8, 0, 16, 10, rx=1.5, fill=TOKEN[color]), rect(-9.5, -3, 19, 4, rx=1.5, fill=STONE)),
        _letter(color, 5.6, 8.5),
    )


def ship(color: str, seat: int) -> Svg:
    """A ship under sail, 32 wide; the sail has the number of the seat."""
    hull = "M-16 4 Q-10 7 0 7 Q10 7 16 2 L14 9 Q8 14 0 14 Q-9 14 -13 9 Z"
    sail = "M-10 -15 Q0 -12 10 -15 Q13 -6 10 3 Q0 6 -10 3 Q-7 -6 -10 -15 Z"
    return group(
        path(f"{hull} {sail}", fill="#fff", stroke="#fff", stroke_width=5, stroke_linejoin="round"),
        _outlined(path(hull, fill="#7a5230"), path(sail, fill=TOKEN[color]), width=1),
        sign(0.8, -5.5, str(seat), 13, ink_on(color)),
    )


def tile_up(color: str, greek: str, shrine_on_it: bool) -> Svg:
    """An island tile, face up, 35 wide."""
    face = group(
        polygon(hexagon(20), fill=PAPER, stroke=OUTLINE, stroke_width=0.8),
        polygon(hexagon(17.5), fill=TOKEN[color]),
    )
    if not shrine_on_it:
        return group(face, sign(0, 0, GREEK[greek].upper(), 18, ink_on(color)))
    return group(
        face,
        sign(0, -10, GREEK[greek].upper(), 9, ink_on(color)),
        circle(0, 4, 12, fill=PAPER, stroke=OUTLINE, stroke_width=0.8),
        moved(0, 4.5, shrine(color), class_="shrine", data_color=color),
    )


def tile_down(color: str = "", greek: str = "") -> Svg:
    """The back of an island tile, 35 wide; what the viewer knows of it is written on it."""
    back = polygon(hexagon(20), fill="#5b4a33", stroke=STONE, stroke_width=1.4)
    if not color:
        return group(back, sign(0, 0, "?", 17, STONE))
    return group(
        back,
        circle(0, 0, 12, fill=TOKEN[color], stroke=STONE, stroke_width=1.4, stroke_dasharray="2.5 2"),
        sign(0, 0, GREEK[greek].upper(), 13, ink_on(color)),
    )


def bolt() -> Svg:
    """The lightning of Zeus, 22 wide."""
    steps = "M3 -18 L-10 3 H-2 L-5 18 L11 -5 H2 L8 -18 Z"
    return path(steps, fill="#f4c020", stroke=OUTLINE, stroke_width=1, stroke_linejoin="round")


def die(color: str, used: bool) -> Svg:
    """An oracle die, 26 wide; a used one is pale and crossed out."""
    face = box(26, 26, rx=6, fill=TOKEN[color], stroke=OUTLINE)
    if not used:
        return group(face, _letter(color, 0, 15))
    cross = path("M-9 9 L9 -9", stroke=OUTLINE, stroke_width=2, stroke_linecap="round")
    return group(group(face, _letter(color, 0, 15), opacity=0.3), cross)


def card(color: str, count: int = 1) -> Svg:
    """A card of a color, 20 wide and 28 high; several of them as one with their number."""
    face = box(20, 28, rx=3, fill=TOKEN[color], stroke=OUTLINE, stroke_width=0.8)
    if count == 1:
        return group(face, _letter(color, 0, 12))
    many = sign(0, 7.5, f"×{count}", 9, ink_on(color))  # noqa: RUF001
    return group(moved(2, -2, face), face, _letter(color, -5, 12), many)


def injury(color: str, count: int) -> Svg:
    """Injuries of a color, 24 wide: a drop on a card with their number; an empty place for none."""
    if not count:
        return box(24, 26, rx=3, fill="none", stroke=TOKEN[color], stroke_dasharray="2 2")
    return group(
        box(24, 26, rx=3, fill=PAPER, stroke=TOKEN[color], stroke_width=2),
        path("M-5 -10 Q1.5 -1 -0.5 4 A5 5 0 0 1 -9.5 4 Q-11.5 -1 -5 -10 Z", fill=TOKEN[color]),
        _letter(color, 3, 7.5, x=-5),
        sign(5.5, 1, str(count), 13),
    )


def favor() -> Svg:
    """A favor token, 20 wide."""
    leaves = "M-6 4 Q-8 -4 -1 -7 M6 4 Q8 -4 1 -7 M-6 4 Q0 8 6 4"
    return group(
        circle(0, 0, 10, fill="#e8b54a", stroke=OUTLINE, stroke_width=0.9),
        path(leaves, fill="none", stroke="#6b4b12", stroke_width=1.6, stroke_linecap="round"),
    )


def shield() -> Svg:
    """A shield, 18 wide."""
    return group(
        path("M-9 -9 H9 V-1 Q9 7 0 11 Q-9 7 -9 -1 Z", fill="#8d99ae", stroke=OUTLINE, stroke_width=0.9),
        path("M0 -9 V11 M-9 -1 H9", stroke="#eef1f6", stroke_width=1.6),
    )


TASK_ICONS = {"shrine": shrine, "statue": statue, "offering": cube, "monster": monster}
