"""What each thing is worth, in points: what the evaluation is made of. The numbers are in weights.json."""

from pythia.core_cy.weights import Names, own_weights

FEATURES = (
    # -- what lies there
    "settlement",  # a point on a settlement, besides the point itself
    "settlement_risk",  # times how likely the most dangerous attacker conquers it, by throw and distance
    "fighter",  # aboard
    "few_fighters",  # each below five, more
    "fighter_lost",  # in the underworld: it can be fetched, all at once
    "treasure",  # aboard
    # -- what can be done: each loses `turn` for every turn that it takes to get there
    "turn",
    "deliver",  # a treasure for a victory card
    "open_order",  # the points of an order that others want too
    "own_order",
    "missing",  # turns for each treasure that is missing for it
    "crew_missing",  # turns for each fighter
    "cards_missing",  # turns for each card
    "cards_paid",  # a card that is given for an order
    "loot_fit",  # a treasure that an order asks for, besides what it brings that nearer
    "found",  # a point on a settlement that can be founded or conquered
    "styx",  # the reward of the Styx
    "second_goal",  # the second best of all that can be done counts so much, and the third
    "third_goal",
    # -- cards in hand, and permanent ones played
    "pegasus",
    "favor_of_hades",
    "golden_fleece",
    "fair_wind",
    "battle_cry",
    "charon",
    "midas",
    "pegasus_played",
    "favor_of_hades_played",
    "golden_fleece_played",
    # -- decisions that are open
    "steal",  # a card to be drawn from another hand
    "tempo",  # a mover who has not sailed yet
    # -- from points to the chance to win: (target - points) to the power of -power, at least `least` to go
    "power",
    "least",
    # Points that a player makes in a round.
    "pace",
)
NAMES = Names("deukalion", FEATURES)
FILE = own_weights("pythia.core_cy.deukalion", NAMES)
WEIGHTS = FILE.values
