"""What each thing is worth, in points at the end: the features of the evaluation and their weights.

Features marked (x) fade out towards the end of the game: they count by turns left / (turns left + fade). The numbers
are in weights.json, with how they were found.
"""

from pythia.core_cy.weights import Names, own_weights

# In the order in which the C code counts them (evaluate.pxd).
FEATURES = (
    # figures
    "value",  # what they would score now
    "progress",  # (x) spaces from the start, in fives
    "start",  # (x) figures still on the start stone
    # wish stones and mirrors
    "wish",  # what they would score now
    "stones",  # (x)
    "stones_missing",  # (x) stones below two
    "mirrors",  # (x)
    # cards
    "plays",  # (x) cards in hand that can all be played, one after the other
    "open",  # (x) numbers that rows can still take, as shares of all
    # goblins, while they are not scored (x)
    "goblin_1",
    "goblin_2",
    "goblin_3",
    # own figures ahead of the priestess (x)
    "oracle_near",
    "oracle_far",
)
SETTINGS = (
    "fade",  # turns left at which a fading feature counts half
    # From points ahead to the chance to win: the points that matter are base + growth * sqrt(turns left).
    "scale_base",
    "scale_growth",
    # What is open, in points: a card still to be drawn, and the choice to discard at a goblin.
    "draw",
    "goblin_drop",
    # Points that make a move e times as likely, for priors and in playouts.
    "prior_temperature",
    "playout_temperature",
    "gift",  # what a discarded card that the next player can use costs
)
NAMES = Names("keltis", FEATURES, (), SETTINGS)
FILE = own_weights("pythia.core_cy.keltis", NAMES)
WEIGHTS = FILE.values
