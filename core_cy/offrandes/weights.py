"""What each thing is worth, in points at the end: the table that the evaluation multiplies its features with.

`offers` are the offerings that a seat still makes, this round's included.
"""

WEIGHTS: dict[str, float] = {
    # offerings
    "product": 1.1,  # offers * animal value * number of animals
    "growth": 0.65,  # offers * (offers - 1) / 2 * (animal value + number): levels that later ones multiply
    "spare": 1.3,  # offers * what carrier and florist differ by: half of a further animal
    "lamp": 0.65,  # offers * points of the priestess's lamp
    "reach": 2.2,  # offers * level of the servant
    "unready": -3.0,  # cannot offer anything this round
    # bribery, by the times that it still comes
    "bribes": 2.5,  # somebody has fewer guards than the seat has seducers
    "exposed": -2.9,  # the share of the others who have more seducers than the seat has guards
    # money: its share of all that the seat will spend, times the offerings that it still can improve
    "money": 2.4,
    # altars: points of those held, by whether another seat could replace the offering now
    "safe": 1.03,
    "threatened": 0.67,
    # in set-up: has the last auction turn of the first round, when the others have spent their money
    "last_turn": 10.0,
}

# Rounds until the game ends, this one included: the sum of these, each times what is said, and at least 1.
ROUNDS: dict[str, float] = {
    "rounds_base": 4.2,
    "rounds_altars": 1.3,  # empty altars for each player
    "rounds_points": 0.11,  # points that the leader lacks to end the game, in tens
    "rounds_round": -0.12,
    "rounds_servant": -0.38,  # the highest level of a servant
    "rounds_ready": -0.15,  # the share of the seats that can make an offering
    "rounds_production": -0.03,  # what the best of their offerings brings at once
}

# From points ahead to the chance to win: the points that matter are BASE + GROWTH * sqrt(rounds left).
SCALE_BASE = 12.0
SCALE_GROWTH = 8.0

# The order in which the C code counts features.
FEATURES = tuple(WEIGHTS)
ROUND_FEATURES = tuple(ROUNDS)
