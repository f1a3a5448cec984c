"""What each thing is worth, in points at the end: the table that the evaluation multiplies its features with.

`offers` are the offerings that a seat still makes, this round's included.
"""

WEIGHTS: dict[str, float] = {
    # offerings
    "product": 0.8,  # offers * animal value * number of animals
    "growth": 0.3,  # offers * (offers - 1) / 2 * (animal value + number): levels that later ones multiply
    "spare": 0.4,  # offers * what carrier and florist differ by: half of a further animal
    "lamp": 0.9,  # offers * points of the priestess's lamp
    "reach": 1.2,  # offers * level of the servant
    "unready": -4.0,  # cannot offer anything this round
    # bribery, by the times that it still comes
    "bribes": 1.5,  # somebody has fewer guards than the seat has seducers
    "exposed": -1.5,  # the share of the others who have more seducers than the seat has guards
    # money: its share of all that the seat will spend, times the offerings that it still can improve
    "money": 6.0,
    # altars: points of those held, by whether another seat could replace the offering now
    "safe": 0.9,
    "threatened": 0.5,
}

# From points ahead to the chance to win: the points that matter are BASE + GROWTH * sqrt(rounds left).
SCALE_BASE = 4.0
SCALE_GROWTH = 4.0

# The order in which the C code counts features.
FEATURES = tuple(WEIGHTS)
