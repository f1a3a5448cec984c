"""How good a position is: for each seat the points it will have, by linear features of its area (weights.py)."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.offrandes.state cimport OffrandesState, Player
from pythia.core_cy.offrandes.tables cimport MAX_SEATS, Tables

# In the order of weights.FEATURES.
cdef enum:
    PRODUCT = 0
    GROWTH = 1
    SPARE = 2
    LAMP = 3
    REACH = 4
    UNREADY = 5
    BRIBES = 6
    EXPOSED = 7
    MONEY = 8
    SAFE = 9
    THREATENED = 10
    LAST_TURN = 11

# In the order of weights.ROUND_FEATURES.
cdef enum:
    ONE = 0
    EMPTY_ALTARS = 1
    POINTS_LACKING = 2
    ROUND = 3
    BEST_SERVANT = 4
    READY = 5
    BEST_PRODUCTION = 6

# The weights by name into the tables; every one must be there.
cdef int fill_weights(Tables* t, dict values) except -1

# What all judgements of one position share.
ctypedef struct Outlook:
    const Tables* t
    const OffrandesState* s
    float rounds            # offerings that each seat still makes; this round's included while they are to come
    float offers[MAX_SEATS]     # the same by seat
    float briberies
    float purchases         # pairs that a seat will still buy, roughly
    int most_seducers[2]    # the two highest levels of seducers and the two lowest of guards, so that each seat knows
    int least_guards[2]     # those of the others
    int top_seducer, low_guard  # whose the first of them are

cdef void look(Outlook* o, const Tables* t, const OffrandesState* s) noexcept nogil

# Points that the levels of a seat will bring: all but score, money and altars held.
cdef float ladder_points(const Outlook* o, const Player* p, int seat) noexcept nogil
# What the seat's last drachma is worth, in points.
cdef float drachma_worth(const Outlook* o, int seat) noexcept nogil
# The weight of an altar's points: less where somebody could replace the offering.
cdef float keeping(const Outlook* o, int altar, int owner, int number, int animal) noexcept nogil
# Points of a seat at the end, without what is open.
cdef float expected_points(const Outlook* o, int seat) noexcept nogil

cdef void offrandes_evaluate(tables_t tables, state_t state, double* values) noexcept nogil
cdef void offrandes_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil
