"""The facts of components.py as C arrays. Only the number of players differs between games."""

from pythia.core_cy.types cimport u8

cdef enum:
    MAX_SEATS = 5
    CHARACTERS = 7
    BRIBABLE = 5            # the characters that can be bribed come first (O14)
    PAIRS = 21              # of two different characters
    TRIPLES = 35
    TOP = 5
    KINDS_OF_ANIMALS = 5
    OF_A_KIND = 15
    MOST_ANIMALS = 5
    ALTARS = 11
    GROUPS = 5
    DRACHMAS = 10
    INCOME = 10
    MOST_DRACHMAS = 25
    LAST_SCORE = 100
    MAX_SCORE = 135
    MAX_ROUNDS = 100
    FEATURES = 12           # of the evaluation, in the order of weights.FEATURES
    ROUND_FEATURES = 7      # of how long the game lasts, in the order of weights.ROUND_FEATURES

# In the order of components.CHARACTERS.
cdef enum:
    FARMER = 0
    CARRIER = 1
    FLORIST = 2
    SERVANT = 3
    PRIESTESS = 4
    SEDUCER = 5
    GUARD = 6

ctypedef struct Tables:
    u8 players
    u8 auctions             # of an auction turn, at most (O8)
    u8 lamp[TOP + 1]        # points of the priestess, by level
    u8 group[ALTARS]        # 1 to 5
    u8 points[ALTARS]       # at the end
    u8 reach[TOP + 1]       # how many altars a servant reaches, by level: altars are sorted by group
    u8 pairs[PAIRS]         # characters as bits, in the order of the notation
    u8 triples[TRIPLES]
    float weight[FEATURES]              # what the evaluation multiplies its features with (weights.py)
    float round_weight[ROUND_FEATURES]

cdef int fill_tables(Tables* t, int players) except -1
