"""What each thing is worth, in dice: the features of the evaluation and the weights it multiplies them with.

The weight of what is still to do is positive, of what helps negative. Features marked (x) are scaled by
the length of the way left (dice / 10), since a lasting help counts for as long as it lasts. The numbers are in
weights.json, with the command that fitted them.
"""

from pythia.core_cy.delphi.components import COLORS, COMPANION_KINDS, EQUIPMENT_IDS, GODS, SHIP_TILE_IDS
from pythia.core_cy.weights import Names, own_weights

# In the order in which the C code counts them (evaluate.pxd).
FEATURES = (
    # the route
    "actions",  # fights, loads, deliveries, ... to do
    "sails",  # legs that need a sail
    "beyond",  # spaces beyond the range
    "searches",  # explorations expected to find nothing of one's own
    "fights",  # monsters left, by how strong they are against the shield
    # in hand
    "favor",  # the first six
    "favor_more",  # the next six
    "cards",  # oracle cards, the first three
    "cards_more",  # the next three
    "dice_now",  # dice that can still be used in this round
    # injuries and shield
    "injuries",
    "injury_pairs",  # colors with two or more
    "recovery",  # the next turn is lost
    "shield",  # (x)
    # gods, by how near they are to the top; one whose action is not needed is worth its card
    *GODS,
    "god_card",
    *COMPANION_KINDS,  # (x)
    *(f"ship_{name}" for name in SHIP_TILE_IDS),  # (x)
    *EQUIPMENT_IDS,  # (x)
    # with a horizon: `late` grows from 0 to 1 over the last 15 dice of the way
    "favor_few",  # the first two
    "favor_late",
    "cards_late",
    "cards_idle",  # cards beyond the turns left, of which each plays one
    "gods_top",  # on the top row, with a use
    "gods_late",
    "injuries_late",
    # tasks left by kind, and own tiles still to be found
    "shrines",
    "statues",
    "offerings",
    "monsters",
    "unseen",
)

# Features of a move, in the order in which the C code counts them (policy.pyx). Those marked (w) come again as
# `..._way`, multiplied by the way left (dice / 10).
_ACTIONS = (
    "sail",
    "fight",
    "explore",
    "build",
    "load_offering",
    "deliver",
    "load_statue",
    "raise",
    "heal",
    "advance",
    "bundle",
    "draw",
    "favor",
    "look",
    "inspire",
    "end",
)
_CHOICES = (
    "choose_ship",
    "return_shrine",
    "return_statue",
    "return_offering",
    "return_monster",
    "take_equipment",
    "recover",
    "step_god",
    "fight_on",
    "give_up",
    "take_companion",
    "heal_color",
    "take_offering",
    "take_statue",
    "god_to_top_row",
    "decline",
    "reveal",
    "no_step",
)
MOVE_FEATURES = (
    # actions: what is done (w)
    *_ACTIONS,
    *(f"{name}_way" for name in _ACTIONS),
    # with what: a card (w), the extra action (w), a god
    "card",
    "card_way",
    "extra",
    "extra_way",
    *(f"use_{name}" for name in GODS),
    # what it costs: favor (w), and whether fewer than two are left
    "paid",
    "paid_way",
    "paid_last",
    # the estimate by the planned route, in dice (w)
    "score",
    "score_way",
    # fights: the chance to lose the first roll (w), with little favor, with injuries
    "risk",
    "risk_way",
    "risk_poor",
    "risk_injured",
    # what is in hand already
    "draw_held",
    "favor_held",
    "heal_injured",
    "heal_urgent",
    # a god's step
    "step_to_top",
    "step_from_start",
    "step_useful",
    "step_gain",
    # tiles: the chance of one's own, known to be one's own, known to be another's
    "explore_chance",
    "explore_own",
    "explore_letter",
    # colors: whether what is left can go on with a task where the ship stands then, and for how much favor
    "stay_free",
    "stay_paid",
    "stay_cost",
    "sail_free",
    "sail_paid",
    "sail_cost",
    "sail_first",  # to where the first job of the route is done
    "sail_leaves",  # work behind that could be done for nothing
    # order: dice left when a card is played; a turn that ends with a card in hand
    "card_dice",
    "end_card",
    # other decisions: what is chosen
    *_CHOICES,
    "start_favor",
    "scout_look",
    *(f"step_{name}" for name in GODS),
    *(f"take_{name}" for name in COMPANION_KINDS),
    *(f"take_{name}" for name in EQUIPMENT_IDS),
    "fight_on_strength",
    "fight_on_favor",
    # the judgement of the position after it, in dice (w)
    "choice_score",
    "choice_way",
)

# What the network sees of a seat, in the order in which the C code counts them (evaluate.pyx): the features above, and
_KINDS_OF_JOBS = ("no_job", "fight", "load_offering", "deliver", "load_statue", "raise", "shrine", "search")
NET_INPUTS = (
    *FEATURES,
    # the race: a tenth of the linear estimate, how far the next seat is behind, the round, turns until its turn, ...
    "estimate",
    "lead",
    "round",
    *(f"turn_in_{turns}" for turns in range(4)),
    "last_seat",
    "two_players",
    "four_players",
    "acting",
    # what is in hand
    "favor_all",
    "cards_all",
    "injuries_all",
    "two_injuries_alike",
    "three_injuries_alike",
    "shield_now",
    "dice_kinds",
    "done",
    "card_played",
    *(f"row_of_{god}" for god in GODS),
    *(f"dice_{color}" for color in COLORS),
    # what is left
    "tasks_left",
    "offerings_aboard",
    "statues_aboard",
    "room",
    "own_tiles",
    "tiles_unseen",
    "own_unseen",
    "any_monster",
    "any_offering",
    # what dice and cards can do for the next jobs: for the first one,
    "first_spaces",
    "first_here",
    "first_dice",
    "first_cards",
    "first_sail_dice",
    "first_sail_cost",
    "first_cost",
    *(f"first_{kind}" for kind in _KINDS_OF_JOBS),
    # and for all: at the ship's place, on the way, beyond
    "here_colors",
    "here_dice",
    "here_card",
    "here_cost",
    "way_dice",
    "way_cost",
    "way_card",
    "later_dice",
    "jobs",
    "later_cards",
    # lasting helps
    *(f"has_ship_{name}" for name in SHIP_TILE_IDS),
    *(f"has_{name}" for name in EQUIPMENT_IDS),
    *(f"has_{name}" for name in COMPANION_KINDS),
)

# `certainty` and `spread`: from rounds to finish to the chance to win, certainty / sqrt(spread + rounds of the leader)
# for each round ahead. `temperature`: dice that make a move e times as likely, for priors; `noise`: dice by which
# playouts differ where scores are close; `short_list`: 1 if playouts compare only the best sail of each color.
NAMES = Names(
    "delphi",
    FEATURES,
    MOVE_FEATURES,
    ("certainty", "spread", "temperature", "noise", "short_list"),
    # Worked out for each move apart; the others are shared by all moves of a kind and source.
    (
        "paid",
        "paid_way",
        "paid_last",
        *MOVE_FEATURES[MOVE_FEATURES.index("risk") : MOVE_FEATURES.index("card_dice")],
    )
    + ("end_card",),
    net=NET_INPUTS,
)
FILE = own_weights("pythia.core_cy.delphi", NAMES)
WEIGHTS = FILE.values
NET = FILE.net

# What the policy of playouts and priors takes things to be worth. It looks one move ahead where the evaluation looks
# to the end, so its numbers are its own.
POLICY: dict[str, float] = {
    "favor": -0.33,
    "favor_more": -0.2,
    "cards": -0.85,
    "cards_more": -0.6,
    "injuries": 0.25,
    "injury_pairs": 0.4,
    "aphrodite": -0.7,
    "ares": -2.2,
    "hermes": -1.8,
    "poseidon": -1.6,
    "apollon": -1.8,
    "artemis": -2.3,
    "god_card": -0.9,
}

# What a one-time card brings when it is taken, in dice; it works at once, so the position shows it only later.
ONE_TIME = {
    "windfall": 3.3,
    "scout": 2.5,
    "take_offering_a": 1.8,
    "take_offering_b": 1.8,
    "take_statue_a": 1.8,
    "take_statue_b": 1.8,
    "god_to_top": 1.5,
}

# What is about to be received, in dice less to do.
PENDING = {
    "oracle": 0.85,
    "step": 0.35,  # each
    "favor": 0.33,  # each
    "shield": 0.3,
    "equip": 1.5,
    "companion": 1.5,
    "heal": 0.4,
    "scout": 2.2,
    "injury": -0.35,
    "fight": 2.4,  # times the chance to win it
}
