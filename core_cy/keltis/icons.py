"""The pieces of Keltis: Das Orakel as little drawings around (0, 0)."""

from __future__ import annotations

import math

from pythia.core_cy.keltis.components import priestess_reach
from pythia.core_cy.svg import (
    INK,
    OUTLINE,
    Point,
    Svg,
    box,
    circle,
    group,
    path,
    polygon,
    polyline,
    rect,
    sign,
)

FILL = {
    "blue": "#3b79bd",
    "yellow": "#ecc94b",
    "green": "#5da04c",
    "red": "#a64b2a",
    "pink": "#e08fb8",
}
DARK = ("blue", "green", "red")
CREAM = "#fdf8e8"
PURPLE = "#6b3fa0"
GOLD = "#f3c531"

# The figures by seat, as in the box: white, black, brown and gray. Then what can be read on them.
SEATS = ("#ffffff", "#24242a", "#8a5a2b", "#9aa0a6")
ON_SEATS = (INK, "#ffffff", "#ffffff", INK)


def ink_on(color: str) -> str:
    return "#ffffff" if color in DARK else INK


def letter(color: str) -> str:
    """A mark that identifies a color without colors."""
    return color[0].upper()


def figure(seat: int) -> Svg:
    """A player's figure, 16 wide and 27 high, with the number of the seat."""
    body = path("M-3.4 -6 Q-8 4 -8 11 Q0 14.5 8 11 Q8 4 3.4 -6 Z", fill=SEATS[seat])
    head = circle(0, -8.6, 4.9, fill=SEATS[seat])
    return group(
        group(body, head, stroke=OUTLINE, stroke_width=1.1), sign(0, 5, str(seat), 10, ON_SEATS[seat])
    )


def priestess() -> Svg:
    """The priestess of the oracle, 19 wide and 34 high, with a star."""
    return group(
        circle(0, -11, 7.6, fill="none", stroke=GOLD, stroke_width=2.2),
        path("M-3.6 -8 L-9.5 13 Q0 17 9.5 13 L3.6 -8 Z", fill=PURPLE, stroke=OUTLINE, stroke_width=1.1),
        circle(0, -11, 4.9, fill="#f1d7c0", stroke=OUTLINE),
        polygon([_around(corner / 10, 2.2 if corner % 2 else 5.2, 4.5) for corner in range(10)], fill=GOLD),
    )


def _around(part: float, radius: float, y: float = 0) -> Point:
    """A part of the way round a circle, from above."""
    return radius * math.sin(2 * math.pi * part), y - radius * math.cos(2 * math.pi * part)


def gem() -> Svg:
    """A wish stone, 14 wide."""
    return group(
        path("M0 -7 L7 -1.5 L4 6.5 H-4 L-7 -1.5 Z", fill="#2aa6a1", stroke=OUTLINE, stroke_width=0.9),
        path("M-3 -1.5 L0 -5.5 L3 -1.5 Z", fill="#c9f0ee"),
    )


# -- cards


def card(color: str, value: int, width: float) -> Svg:
    """A card 1.4 times as high as wide: its number, its color's letter, and how far it moves the priestess."""
    ink, low, side = ink_on(color), 0.47 * width, 0.29 * width
    return group(
        _paper(width, FILL[color]),
        sign(0, -0.06 * width, str(value), 0.52 * width, ink),
        sign(-side - 0.02 * width, low, letter(color), 0.26 * width, ink),
        circle(side, low, 0.18 * width, fill=CREAM),
        sign(side, low, str(priestess_reach(value)), 0.28 * width, PURPLE),
    )


def card_back(width: float) -> Svg:
    return group(_paper(width, "#3c5a4d"), _spiral(0.27 * width, "#cfe0c8", 1.4))


def small_card(color: str, value: int) -> Svg:
    """A card of a row, 18 wide and 25 high."""
    return group(_paper(18, FILL[color]), sign(0, 0, str(value), 11, ink_on(color)))


def _paper(width: float, fill: str) -> Svg:
    return box(width, 1.4 * width, rx=0.12 * width, fill=fill, stroke=OUTLINE, stroke_width=0.9)


def _spiral(radius: float, stroke: str, width: float) -> Svg:
    way = [_around(step / 14, radius * step / 28) for step in range(29)]
    return polyline(way, fill="none", stroke=stroke, stroke_width=width, stroke_linecap="round")


# -- path tiles, on a disc 25 wide


def tile(kind: str, color: str = "", value: int = 0, taken: bool = False) -> Svg:
    """A path tile; a mirror that somebody has leaves an empty place."""
    if taken:
        return circle(0, 0, 12, fill="none", stroke=CREAM, stroke_dasharray="3 2.5")
    face = {
        "points": _points,
        "clover": _clover,
        "spiral": _spiral_tile,
        "goblin": _goblin,
        "mirror": _mirror,
    }
    disc = circle(0, 0, 12.5, fill=CREAM, stroke=OUTLINE, stroke_width=0.9)
    return group(disc, face[kind](color, value))


def mirror() -> Svg:
    return group(
        rect(-1.6, 3, 3.2, 8, rx=1.2, fill="#9a6b2f", stroke=OUTLINE, stroke_width=0.6),
        circle(0, -2.5, 6.4, fill="#bfe3f2", stroke="#9a6b2f", stroke_width=2),
        path("M-3 -3.5 L1 -6", stroke="#fff", stroke_width=1.6, stroke_linecap="round"),
    )


def _points(color: str, value: int) -> Svg:
    return sign(0, 0, f"+{value}", 11.5)


def _clover(color: str, value: int) -> Svg:
    leaves = [circle(x, y, 4.6, fill=FILL[color]) for x, y in ((-4, -4), (4, -4), (-4, 4), (4, 4), (0, 0))]
    return group(*leaves, sign(0, 0, letter(color), 9, ink_on(color)))


def _spiral_tile(color: str, value: int) -> Svg:
    return _spiral(9.5, "#8a2f6b", 2)


def _goblin(color: str, value: int) -> Svg:
    return group(
        group(
            path("M-5.5 0 L-11 -4 L-5 4 Z M5.5 0 L11 -4 L5 4 Z", fill="#5f8f3e"),
            path("M-6 -3 Q0 -1 6 -3 L0 -11.5 Z", fill="#b03a2e"),
            path("M-6 -2.6 Q0 -0.8 6 -2.6 Q7 5 0 9 Q-7 5 -6 -2.6 Z", fill="#7fb04f"),
            stroke=OUTLINE,
            stroke_width=0.6,
        ),
        circle(-2.4, 1.4, 1.1, fill=OUTLINE),
        circle(2.4, 1.4, 1.1, fill=OUTLINE),
        path("M-2.6 5 Q0 6.6 2.6 5", fill="none", stroke=OUTLINE, stroke_width=0.9),
    )


def _mirror(color: str, value: int) -> Svg:
    return mirror()
