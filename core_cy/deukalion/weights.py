"""What each thing is worth, in points: the table that the evaluation is made of."""

WEIGHTS: dict[str, float] = {
    # -- what lies there
    "settlement": -0.25,  # a point on a settlement, which can be lost, besides the point itself
    "fighter": 0.08,  # aboard
    "few_fighters": 0.12,  # each below five, more
    "fighter_lost": 0.02,  # in the underworld: it can be fetched, all at once
    "treasure": 0.65,  # aboard
    # -- what can be done: each loses `turn` for every turn that it takes to get there
    "turn": 0.86,
    "deliver": 0.95,  # a treasure for a victory card
    "open_order": 0.75,  # the points of an order that others want too
    "own_order": 0.95,
    "missing": 4.5,  # turns for each treasure that is missing for it
    "crew_missing": 0.7,  # turns for each fighter
    "cards_missing": 2.5,  # turns for each card
    "cards_paid": 0.25,  # a card that is given for an order
    "loot_fit": 0.3,  # a treasure that an order asks for, besides what it brings that nearer
    "found": 0.65,  # a point on a settlement that can be founded or conquered
    "styx": 0.85,  # the reward of the Styx
    "second_goal": 0.4,  # the second best of all that can be done counts so much, and the third
    "third_goal": 0.2,
    # -- cards in hand, and permanent ones played
    "pegasus": 0.6,
    "favor_of_hades": 0.5,
    "golden_fleece": 0.7,
    "fair_wind": 0.3,
    "battle_cry": 0.3,
    "charon": 0.3,
    "midas": 0.25,
    "pegasus_played": 0.8,
    "favor_of_hades_played": 0.65,
    "golden_fleece_played": 0.9,
    # -- decisions that are open
    "steal": 0.35,  # a card to be drawn from another hand
    "tempo": 0.1,  # a mover who has not sailed yet
    # -- from points to the chance to win: (target - points) to the power of -power, at least `least` to go
    "power": 1.6,
    "least": 0.6,
    # Points that a player makes in a round.
    "pace": 0.9,
}
