"""The parts of Offrandes as readable facts: cities, characters and their ladders, animals, altars, money.

This is the only place that knows what the box holds. Names are those of the notation; docs/offrandes.md explains the
O numbers, and says which of these facts were chosen because no source tells them.
"""

from __future__ import annotations

MIN_PLAYERS = 3
MAX_PLAYERS = 5

# By seat. The colors of the discs are red, yellow, green, blue and black.
CITIES = ("sparta", "corinth", "athens", "thebes", "delos")

# -- characters: one tile and one ladder each

CHARACTERS = ("farmer", "carrier", "florist", "servant", "priestess", "seducer", "guard")
# Those that can be bribed (O14): the first ones.
BRIBABLE = CHARACTERS[:5]
TOP = 5  # the highest level of a ladder, which takes one disc (O11)
RECRUITS = 3  # different characters that each seat begins with (O3)

# -- animals, by value: a farmer on level n brings the n-th (O18)

ANIMALS = ("chicken", "pig", "goat", "sheep", "ox")
OF_A_KIND = 15
MOST_ANIMALS = 5  # of one offering

# What the lamp of a priestess brings with an offering, by her level (O22).
LAMPS = (0, 2, 4, 6, 8, 10)

# -- altars, by group: a servant on level n reaches groups 1 to n (O19)

ALTAR_GROUPS = (
    ("hephaistos", "ares", "hermes"),
    ("athena", "hera", "aphrodite"),
    ("artemis", "apollon"),
    ("hades", "poseidon"),
    ("zeus",),
)
ALTARS = tuple(altar for group in ALTAR_GROUPS for altar in group)
# What each altar of a group is worth at the end (O25).
ALTAR_POINTS = (5, 10, 15, 20, 25)


def altar_group(altar: str) -> int:
    """1 to 5."""
    return next(number for number, group in enumerate(ALTAR_GROUPS, 1) if altar in group)


def altar_points(altar: str) -> int:
    return ALTAR_POINTS[altar_group(altar) - 1]


# -- money (O1, O23)

DRACHMAS = 10  # at the start
INCOME = 10  # a round
MOST_DRACHMAS = 25


def auctions(players: int) -> int:
    """How many auctions an auction turn has at most (O8)."""
    return 2 if players == 3 else 3


# What is open, in the order of the phases in state.pxd.
PHASES = ("first", "setup", "auction", "open", "bid", "bribe", "offer", "over")

# -- the end

LAST_SCORE = 100  # more than this ends the game (O24)
# The most that a score can be: 100, an offering of five oxen, and the brightest lamp.
MAX_SCORE = LAST_SCORE + MOST_ANIMALS * len(ANIMALS) + LAMPS[TOP]
# A guard of our own: the game ends after this round (O26).
MAX_ROUNDS = 100
