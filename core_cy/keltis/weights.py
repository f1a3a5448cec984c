"""What each thing is worth, in points at the end: the table that the evaluation multiplies its features with.

`tools/fitting/keltis.py` found most of them in games that bots played against each other. Features marked (x) fade out
towards the end of the game: they count by turns left / (turns left + FADE).
"""

WEIGHTS: dict[str, float] = {
    # figures
    "value": 0.49,  # what they would score now
    "progress": 1.0,  # (x) spaces from the start, in fives
    "start": -3.0,  # (x) figures still on the start stone
    # wish stones and mirrors
    "wish": 0.65,  # what they would score now
    "stones": 5.2,  # (x)
    "stones_missing": -1.5,  # (x) stones below two
    "mirrors": 5.0,  # (x)
    # cards
    "plays": 1.7,  # (x) cards in hand that can all be played, one after the other
    "open": 3.0,  # (x) numbers that rows can still take, as shares of all
    # goblins, while they are not scored (x)
    "goblin_1": 1.5,
    "goblin_2": 5.0,
    "goblin_3": 10.0,
    # own figures ahead of the priestess (x)
    "oracle_near": 2.5,
    "oracle_far": 1.9,
}

# Turns left at which a fading feature counts half.
FADE = 4.0

# From points ahead to the chance to win: the points that matter are BASE + GROWTH * sqrt(turns left).
SCALE_BASE = 1.0
SCALE_GROWTH = 1.25

# What is open, in points: a card still to be drawn, and the choice to discard at a goblin.
DRAW = 0.5
GOBLIN_DROP = 0.7

# The order in which the C code counts features.
FEATURES = tuple(WEIGHTS)
