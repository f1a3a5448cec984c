"""How good a position is: what each seat still has to do, in dice, and who will be done first."""

from pythia.core_cy.delphi.route cimport Route
from pythia.core_cy.delphi.state cimport DelphiState, Player
from pythia.core_cy.delphi.tables cimport Tables, Weights
from pythia.core_cy.game cimport state_t, tables_t

# In the order of weights.FEATURES.
cdef enum:
    ACTIONS = 0
    SAILS = 1
    BEYOND = 2
    SEARCHES = 3
    FIGHTS = 4
    FAVOR = 5
    FAVOR_MORE = 6
    CARDS = 7
    CARDS_MORE = 8
    DICE_NOW = 9
    INJURIES = 10
    INJURY_PAIRS = 11
    RECOVERY = 12
    SHIELD = 13
    GODS = 14               # 6, in wheel order
    GOD_CARD = 20
    COMPANIONS = 21         # 3, by kind
    SHIP_TILE = 24          # 8
    CARD = 32               # 22
    FAVOR_FEW = 54
    FAVOR_LATE = 55
    CARDS_LATE = 56
    CARDS_IDLE = 57
    GODS_TOP = 58
    GODS_LATE = 59
    INJURIES_LATE = 60
    SHRINES = 61
    STATUES = 62
    OFFERINGS = 63
    MONSTERS = 64
    UNSEEN = 65

# The weights by name into the tables.
cdef int fill_weights(Weights* weights, dict values) except -1
cdef float winning_chance(const Player* p, int strength, int rounds) noexcept nogil

# The route of a seat from where it stands.
cdef void seat_route(const Tables* t, const DelphiState* s, int seat, Route* route) noexcept nogil
cdef void seat_features(const Tables* t, const DelphiState* s, int seat, float* features) noexcept nogil
# What a seat still has to do, in dice, all helps deducted.
cdef float seat_dice(const Tables* t, const DelphiState* s, int seat) noexcept nogil
# How near a god is to its special action: 1 on the top row.
cdef float god_progress(const Tables* t, int row) noexcept nogil
# Whether the special action of a seat's god has a use for its tasks.
cdef bint god_is_useful(const DelphiState* s, int seat, int god) noexcept nogil
cdef void delphi_evaluate(tables_t tables, state_t state, double* values) noexcept nogil
# The estimated rounds until each seat is done.
cdef void delphi_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil
