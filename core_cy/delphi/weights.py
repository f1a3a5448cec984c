"""What each thing is worth, in dice: the features of the evaluation and the weights it multiplies them with.

The weight of what is still to do is positive, of what helps negative. Features marked (x) are scaled by
the length of the way left (dice / 10), since a lasting help counts for as long as it lasts. The numbers are in
weights.json, with the command that fitted them.
"""

import json
from importlib.resources import files

from pythia.core_cy.delphi.components import COMPANION_KINDS, EQUIPMENT_IDS, GODS, SHIP_TILE_IDS

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
)

_fitted = json.loads(files("pythia.core_cy.delphi").joinpath("weights.json").read_text(encoding="utf-8"))
WEIGHTS: dict[str, float] = _fitted["weights"]

# From rounds to finish to the chance to win: certainty / sqrt(spread + rounds of the leader) for each round ahead.
CERTAINTY: float = _fitted["certainty"]
SPREAD: float = _fitted["spread"]

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
