"""The pieces of Offrandes as little drawings around (0, 0)."""

from __future__ import annotations

from pythia.core_cy.svg import INK, OUTLINE, Svg, circle, group, path, sign

# The discs by seat, as in the box: red, yellow, green, blue and black. Then what can be read on them.
SEATS = ("#c0392b", "#f0c531", "#4f9a4a", "#3b79bd", "#2b2b31")
ON_SEATS = ("#ffffff", INK, "#ffffff", "#ffffff", "#ffffff")

GOLD = "#e0a92e"
ANIMAL_FILL = {"chicken": "#f4ead2", "pig": "#eeb1a6", "goat": "#cdbb98", "sheep": "#ffffff", "ox": "#9a6a41"}


def disc(seat: int, radius: float = 11) -> Svg:
    """A player's disc, with the number of the seat."""
    return group(
        circle(0, 0, radius, fill=SEATS[seat], stroke=OUTLINE, stroke_width=1.1),
        sign(0, 0, str(seat), radius, ON_SEATS[seat]),
    )


def coin(radius: float = 9) -> Svg:
    return group(
        circle(0, 0, radius, fill=GOLD, stroke=OUTLINE, stroke_width=1),
        circle(0, 0, 0.68 * radius, fill="none", stroke="#fff", stroke_opacity=0.6, stroke_width=1.2),
    )


def marker() -> Svg:
    """The start player's marker, 20 wide: a column."""
    return path(
        "M-8 -9 H8 V-6 H5 V6 H8 V9 H-8 V6 H-5 V-6 H-8 Z", fill="#f6f1e2", stroke=OUTLINE, stroke_width=1
    )


def animal(kind: str) -> Svg:
    """An animal, 22 wide, told by its color, its letter, and what it has on its head."""
    fill = ANIMAL_FILL[kind]
    head = {
        "chicken": path("M-3 -8 L-1 -12 L1 -8 L3 -12 L4 -7 Z", fill="#c0392b"),
        "pig": path("M-8 -6 L-9 -12 L-3 -9 Z M8 -6 L9 -12 L3 -9 Z", fill=fill),
        "goat": path(
            "M-4 -8 Q-4 -14 -9 -14 Q-6 -11 -7 -7 Z M4 -8 Q4 -14 9 -14 Q6 -11 7 -7 Z", fill="#6d675c"
        ),
        "sheep": path("M-9 -5 a4 4 0 0 1 4 -6 a5 5 0 0 1 10 0 a4 4 0 0 1 4 6 Z", fill="#ffffff"),
        "ox": path(
            "M-6 -7 Q-13 -7 -12 -14 Q-9 -10 -3 -9 Z M6 -7 Q13 -7 12 -14 Q9 -10 3 -9 Z", fill="#f4ead2"
        ),
    }[kind]
    ink = "#ffffff" if kind == "ox" else INK
    return group(
        group(head, circle(0, 0, 9.5, fill=fill), stroke=OUTLINE, stroke_width=1),
        sign(0, 0.5, kind[0].upper(), 10, ink),
    )
