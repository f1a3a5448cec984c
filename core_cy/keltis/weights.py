"""What each thing is worth, in points at the end: features of the evaluation and of moves, and their weights.

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
    "oracle_reach",  # of these, the ones that a card in hand can bring her to
    # what the next turn can bring: the best that a card in hand does for a figure, in points as the policy counts them
    "next_gain",
    "fits",  # (x) the share of the pile that rows can take
    "value_fading",  # (x) `value` once more
    "mirrored",  # (x) stones, up to five, times mirrors
    "stones_ahead",  # (x) big stones with wish stones left ahead of the last figure
)

# Features of a move, in the order in which the C code counts them (policy.pyx). `..._late` is the same times how near
# the end is: 1 - turns left / (turns left + fade).
_KINDS = (
    "figure",
    "priestess",
    "discard",
    "goblins",
    "step",
    "back",
    "drop_hand",
    "drop_row",
    "decline",
    "take_pile",
    "take_discard",
)
MOVE_FEATURES = (
    # what is done
    *_KINDS,
    *(f"{name}_late" for name in _KINDS),
    # the estimate, in points
    "score",
    "score_late",
    # a card laid out: numbers left out in its row, an empty row and how far from 0 or 10 it begins, the same number
    # again, the card that decides the direction, cards of the hand that fit no more, and that still do
    "skip",
    "skip_late",
    "opens",
    "opens_middle",
    "same",
    "decides",
    "loses",
    "goes_on",
    # a figure that moves: spaces in fives, the farthest or last of its player, off the start stone, what it scores more
    # at the end, into the goal area, and that while ahead or behind
    "spaces",
    "spaces_late",
    "first",
    "last",
    "off_start",
    "value_gain",
    "value_gain_late",
    "to_goal",
    "to_goal_ahead",
    "to_goal_behind",
    # what lies where it lands
    "points",
    "clover",
    "spiral",
    "goblin",
    "mirror",
    "wish",
    "wish_few",  # below two stones
    "mirror_stones",  # stones that the mirror counts once more
    # the priestess: spaces, own figures and others' that she passes, those that stand close ahead of her then
    "walk",
    "meets",
    "passes_own",
    "passes_others",
    "near_own",
    "near_others",
    # a card given away: that could not be played, that is there twice, that the next player can lay out
    "dead",
    "copy",
    "gives",
    # a card taken from the discards: that can be played, how far from the row, that the next player could lay out
    "take_fits",
    "take_skip",
    "take_denies",
    # a spiral: spaces in fives
    "back_spaces",
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
NAMES = Names("keltis", FEATURES, MOVE_FEATURES, SETTINGS)
FILE = own_weights("pythia.core_cy.keltis", NAMES)
WEIGHTS = FILE.values

# What the policy of playouts and priors takes things to be worth. What is learned about moves comes on top of it, so
# these numbers stay as they are when the judgement learns. What is not named counts for nothing.
POLICY: dict[str, float] = {
    "value": 0.49,
    "progress": 1.0,
    "start": -3.0,
    "wish": 0.65,
    "stones": 5.2,
    "stones_missing": -1.5,
    "mirrors": 5.0,
    "plays": 1.7,
    "open": 3.0,
    "goblin_1": 1.5,
    "goblin_2": 5.0,
    "goblin_3": 10.0,
    "oracle_near": 2.5,
    "oracle_far": 1.9,
    # settings
    "fade": 4.0,
    "goblin_drop": 0.7,
}
