"""The parts of Keltis: Das Orakel as readable facts: the path, what lies on it, the cards, what things score.

This is the only place that knows the printed board. What is marked as chosen was not to be found out without a
copy of the game; it fits every statement and example of the rules, and an owner can correct it here without
touching the code of the rules. Names are those of the notation; docs/keltis.md explains the K numbers.
"""

from __future__ import annotations

# -- cards (K1)

# The order of lists of colors; a color's number is its place here.
COLORS = ("blue", "yellow", "green", "red", "pink")
NUMBERS = tuple(range(11))
COPIES = 2
HAND = 8

MIN_PLAYERS = 2
MAX_PLAYERS = 4


def removed_cards(players: int) -> int:
    """How many cards leave the game unseen (K1)."""
    return 30 if players == 2 else 0


# -- the path (K2, K3, K4)

# The colors of spaces 1 to 35 by their first letters; space 0 is the start stone. Chosen.
PATH_COLORS = "BYGRP YPRBG PGBYR BRYGP RGPBY GYRPB YBRGP".replace(" ", "")
LAST_SPACE = 35

# The big stones and how many wish stones lie on each at first. That there are five, the end among them, is sure;
# which spaces they are is chosen.
BIG_STONES = {7: 2, 14: 2, 21: 2, 28: 2, 35: 1}

# What a figure scores at the end, as (last space, value). Chosen.
END_VALUES = (
    (0, 0),
    (5, -4),
    (10, -3),
    (14, -2),
    (16, 0),
    (18, 1),
    (21, 2),
    (25, 3),
    (28, 5),
    (31, 6),
    (34, 7),
    (35, 10),
)

# The goal area, from this space to the end, and what ends the game there (K11).
GOAL = 29
FIGURES = 3
FIGURES_IN_GOAL = 5  # of all players together


def space_color(space: int) -> str:
    """The color of a space; the start stone has none."""
    return next(color for color in COLORS if color[0].upper() == PATH_COLORS[space - 1]) if space else ""


def end_value(space: int) -> int:
    return next(value for last, value in END_VALUES if space <= last)


# -- path tiles, one on each small stone (K5)

# Each as the notation writes it: the word and what belongs to it.
TILES = (
    *(("clover", color) for color in COLORS),
    *(("points", value) for value, count in ((1, 4), (2, 6), (3, 4), (4, 2)) for _ in range(count)),
    *(("spiral", None) for _ in range(3)),
    *(("goblin", None) for _ in range(3)),
    *(("mirror", None) for _ in range(3)),
)
SMALL_STONES = tuple(space for space in range(1, LAST_SPACE + 1) if space not in BIG_STONES)
assert len(TILES) == len(SMALL_STONES)

# -- what things score

# By the number of wish stones (K6). 0, 4 and more are from one source only.
WISH_VALUES = (-4, -3, 2, 3, 6, 10, 10, 10, 10, 10)
assert len(WISH_VALUES) == sum(BIG_STONES.values()) + 1

# All three figures on one, two or three different goblin spaces (K8); an option can change them.
GOBLIN_VALUES = (5, 10, 15)
MAX_GOBLIN_VALUE = 100

# The priestess ends her way with one of the mover's figures.
ORACLE_BONUS = 5

# -- the priestess


def priestess_reach(number: int) -> int:
    """How many spaces a card moves her at most (K7): 8 gives 3 and 9 gives 4; the others are chosen."""
    return max(1, abs(number - 5))


# What is open, in the order of the phases in state.pxd.
PHASES = ("play", "clover", "spiral", "goblin", "score", "take", "draw", "over")
# What lies on the path, in the order of the tiles in state.pxd.
TILE_KINDS = ("points", "clover", "spiral", "goblin", "mirror")

# -- a guard of our own

# A round more, and the game ends and is scored: taking only from the discard piles could go on for ever.
MAX_ROUNDS = 100
