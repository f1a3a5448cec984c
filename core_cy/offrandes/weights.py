"""What each thing is worth, in points at the end: what the evaluation multiplies. The numbers are in weights.json.

`offers` are the offerings that a seat still makes, this round's included.
"""

from pythia.core_cy.weights import Names, own_weights

# Both in the order in which the C code counts them.
FEATURES = (
    # offerings
    "product",  # offers * animal value * number of animals
    "growth",  # offers * (offers - 1) / 2 * (animal value + number): levels that later ones multiply
    "spare",  # offers * what carrier and florist differ by: half of a further animal
    "lamp",  # offers * points of the priestess's lamp
    "reach",  # offers * level of the servant
    "unready",  # cannot offer anything this round
    # bribery, by the times that it still comes
    "bribes",  # somebody has fewer guards than the seat has seducers
    "exposed",  # the share of the others who have more seducers than the seat has guards
    # money: its share of all that the seat will spend, times the offerings that it still can improve
    "money",
    # altars: points of those held, by whether another seat could replace the offering now
    "safe",
    "threatened",
    # in set-up: has the last auction turn of the first round, when the others have spent their money
    "last_turn",
)

# Rounds until the game ends, this one included: the sum of these, each times what is said, and at least 1.
ROUND_FEATURES = (
    "rounds_base",
    "rounds_altars",  # empty altars for each player
    "rounds_points",  # points that the leader lacks to end the game, in tens
    "rounds_round",
    "rounds_servant",  # the highest level of a servant
    "rounds_ready",  # the share of the seats that can make an offering
    "rounds_production",  # what the best of their offerings brings at once
)

# From points ahead to the chance to win: the points that matter are BASE + GROWTH * sqrt(rounds left).
SCALE_BASE = 12.0
SCALE_GROWTH = 8.0

NAMES = Names("offrandes", FEATURES + ROUND_FEATURES)
FILE = own_weights("pythia.core_cy.offrandes", NAMES)
WEIGHTS = {name: FILE.values[name] for name in FEATURES}
ROUNDS = {name: FILE.values[name] for name in ROUND_FEATURES}
