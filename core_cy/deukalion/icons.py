"""The pieces of Deukalion as little drawings around (0, 0)."""

from __future__ import annotations

from collections.abc import Sequence

from pythia.core_cy.svg import (
    INK,
    OUTLINE,
    SMALL_TEXT,
    Svg,
    box,
    circle,
    group,
    moved,
    path,
    polygon,
    sign,
    spoken,
    text,
)

# Treasures by their place among the colors; the names of the data may change.
FILLS = ("#c0392b", "#ecc94b", "#4c9a4a", "#3b79bd", "#f7f3e6")
# The heroes' fighters by seat. Then what can be read on them.
SEATS = ("#8e2f2f", "#d9a520", "#2f6b3c", "#274b85")
ON_SEATS = ("#ffffff", INK, "#ffffff", "#ffffff")

SEA, DEEP, STYX_WATER, ANCHOR_WATER = "#a9d3e4", "#86bcd4", "#5b4a78", "#cfe8d8"
LAND, CITY, SETTLED = "#e6d3a3", "#d9b77a", "#cfc08f"
CARD, ORDER_CARD, BACK = "#fffaf0", "#dfeadb", "#7a6248"


def fill_of(colors: Sequence[str], color: str) -> str:
    return FILLS[colors.index(color)]


def treasure(fill: str, letter: str) -> Svg:
    """A chest in its color, 16 wide, with the first letter of the color."""
    return group(
        path("M-8 -2 Q-8 -8 0 -8 Q8 -8 8 -2 V7 H-8 Z", fill=fill, stroke=OUTLINE, stroke_width=1),
        path("M-8 -1 H8", stroke=OUTLINE, stroke_width=0.8),
        sign(0, 3, letter.upper(), 8, "#ffffff" if fill in (FILLS[0], FILLS[2], FILLS[3]) else INK),
    )


def ship(seat: int) -> Svg:
    """A galley with a sail, 34 wide, with the number of the seat."""
    return group(
        path("M-17 4 Q0 10 17 3 L12 14 Q0 17 -12 14 Z", fill=SEATS[seat], stroke=OUTLINE, stroke_width=1.1),
        path("M0 4 V-17", stroke=OUTLINE, stroke_width=1.6),
        path(
            "M-11 -15 Q0 -18 11 -15 Q14 -7 11 1 Q0 -2 -11 1 Q-14 -7 -11 -15 Z", fill="#fffdf5", stroke=OUTLINE
        ),
        sign(0, -7, str(seat), 12, SEATS[seat]),
    )


def hydra() -> Svg:
    """Three heads out of the sea, 36 wide."""
    necks = [
        path(
            f"M{x} 13 Q{x - 3} 0 {x + lean} -8",
            fill="none",
            stroke="#3f7a3d",
            stroke_width=5,
            stroke_linecap="round",
        )
        for x, lean in ((-9, -6), (0, 0), (9, 6))
    ]
    heads = [
        group(
            polygon(
                [(x - 6, y + 3), (x, y - 6), (x + 6, y + 3)], fill="#3f7a3d", stroke=OUTLINE, stroke_width=0.8
            ),
            circle(x, y - 0.5, 1.3, fill="#ffe9a8"),
        )
        for x, y in ((-15, -9), (0, -11), (15, -9))
    ]
    wave = path("M-19 13 Q-13 8 -7 13 Q0 8 7 13 Q13 8 19 13", fill="none", stroke="#2f6f8f", stroke_width=2)
    return group(*necks, *heads, wave)


def fighter(seat: int) -> Svg:
    """A wooden figure, 10 wide."""
    return group(
        path("M-5 7 L-2 0 L-6 -1 L-2 -3 Q-2 -8 0 -8 Q2 -8 2 -3 L6 -1 L2 0 L5 7 L0 4 Z", fill=SEATS[seat]),
        stroke=OUTLINE,
        stroke_width=0.8,
    )


def slot() -> Svg:
    """An empty place for a treasure."""
    return box(15, 14, rx=3, fill="none", stroke=OUTLINE, stroke_width=0.8, stroke_dasharray="3 2")


def card(words: str, width: float, height: float, uncovered: float, fill: str = CARD) -> Svg:
    """A card with its name in as many lines as it has words, on the part that the next card leaves uncovered."""
    lines = spoken(words.replace("_", " ")).split()
    first = -5.5 * (len(lines) - 1)
    middle = (uncovered - width) / 2
    shown = [
        text(middle, first + 11 * line, word, SMALL_TEXT, anchor="middle", width=max(4, uncovered - 6))
        for line, word in enumerate(lines)
    ]
    return group(box(width, height, rx=5, fill=fill, stroke=OUTLINE, stroke_width=1), *shown)


def card_back(width: float, height: float) -> Svg:
    return group(
        box(width, height, rx=5, fill=BACK, stroke=OUTLINE, stroke_width=1),
        box(width - 8, height - 8, rx=3, fill="none", stroke="#d8c7a3", stroke_width=1.2),
    )


def die(value: int) -> Svg:
    """A die with 1, 2 or 3 points, 24 wide."""
    places = {1: [(0, 0)], 2: [(-5, -5), (5, 5)], 3: [(-6, -6), (0, 0), (6, 6)]}
    dots = [moved(x, y, circle(0, 0, 2.4, fill=INK)) for x, y in places.get(value, [])]
    return group(box(24, 24, rx=5, fill="#fffdf5", stroke=OUTLINE, stroke_width=1), *dots)
