"""What each thing is worth, in dice: the table that the evaluation multiplies its features with.

The weight of what is still to do is positive, of what helps negative. Features marked (x) are scaled by
the length of the way left (dice / 10), since a lasting help counts for as long as it lasts.
"""

from pythia.core_cy.delphi.components import COMPANION_KINDS, EQUIPMENT_IDS, GODS, SHIP_TILE_IDS

WEIGHTS: dict[str, float] = {
    # the route
    "actions": 1.15,  # fights, loads, deliveries, ... to do
    "sails": 1.2,  # legs that need a sail
    "beyond": 0.36,  # spaces beyond the range
    "searches": 0.9,  # explorations expected to find nothing of one's own
    "fights": 0.9,  # monsters left, by how strong they are against the shield
    # in hand
    "favor": -0.33,  # the first six
    "favor_more": -0.2,
    "cards": -0.85,  # oracle cards, the first three
    "cards_more": -0.6,
    "dice_now": -1.0,  # dice that can still be used in this round
    # injuries and shield
    "injuries": 0.25,
    "injury_pairs": 0.4,  # colors with two or more
    "recovery": 2.5,  # the next turn is lost
    "shield": -0.35,  # (x)
    # gods, by how near they are to the top; one whose action is not needed is worth its card
    "aphrodite": -0.7,
    "ares": -2.2,
    "hermes": -1.8,
    "poseidon": -1.6,
    "apollon": -1.8,
    "artemis": -2.3,
    "god_card": -0.9,
    # companions (x)
    "hero": -0.2,
    "demigod": -0.7,
    "creature": -0.7,
    # ship tiles (x)
    "ship_shield": 0.0,
    "ship_gods": -0.8,
    "ship_range": -0.3,
    "ship_two_way_recolor": -0.9,
    "ship_favor": -1.0,
    "ship_eleven_tasks": 0.0,
    "ship_cheap_recolor": -0.8,
    "ship_equipped": 0.0,
    # equipment (x)
    "favor_on_yellow": -0.6,
    "favor_on_red": -0.6,
    "favor_on_black": -0.6,
    "extra_action": -0.4,
    "pink_bundle": -0.4,
    "green_bundle": -0.4,
    "blue_bundle": -0.4,
    "windfall": 0.0,
    "range_plus_1": -0.2,
    "statue_reach": -0.2,
    "fight_explore_build_reach": -0.2,
    "offering_reach": -0.2,
    "god_step_on_reward": -0.4,
    "scout": 0.0,
    "cross_shallows": -0.1,
    "injury_tolerance": -0.2,
    "storage_and_shield": -0.2,
    "take_offering_a": 0.0,
    "take_offering_b": 0.0,
    "take_statue_a": 0.0,
    "take_statue_b": 0.0,
    "god_to_top": 0.0,
}

# From rounds to finish to the chance to win: certainty / sqrt(spread + rounds of the leader) for each round ahead.
CERTAINTY = 2.6
SPREAD = 0.6

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

# The order in which the C code counts features.
FEATURES = tuple(WEIGHTS)
assert FEATURES[14:20] == GODS
assert FEATURES[21:24] == COMPANION_KINDS
assert FEATURES[24:32] == tuple(f"ship_{name}" for name in SHIP_TILE_IDS)
assert FEATURES[32:] == EQUIPMENT_IDS
