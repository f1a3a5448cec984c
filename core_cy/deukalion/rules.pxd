"""The rules of Deukalion as the functions of the contract (`core_cy/game.pxd`)."""

from pythia.core_cy.deukalion.state cimport DeukalionState, NONE, Player
from pythia.core_cy.deukalion.tables cimport COLORS, GOLDEN_FLEECE, PEGASUS, Tables
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t, u16, u64

cdef enum:
    MAX_MOVES = 512
    NO_WAY = 255            # a claim that no task of the order allows

# -- what the rules ask for

cdef inline int treasures_aboard(const Player* p) noexcept nogil:
    cdef int color, count = 0
    for color in range(COLORS):
        count += p.treasures[color]
    return count

cdef inline int free_places(const Tables* t, const Player* p) noexcept nogil:
    return t.places - p.fighters - treasures_aboard(p)

cdef inline int come_back(const Tables* t, const Player* p, int most) noexcept nogil:
    """How many fighters come back, up to a maximum (D4)."""
    cdef int free = free_places(t, p)
    if p.underworld < most:
        most = p.underworld
    return free if free < most else most

cdef inline bint has_ship(const Player* p) noexcept nogil:
    return p.ship != NONE

cdef inline u64 bit(int square) noexcept nogil:
    return <u64>1 << square

cdef inline int center_die(const DeukalionState* s) noexcept nogil:
    return s.roll & 3

cdef inline int right_of(const Tables* t, int seat) noexcept nogil:
    return seat - 1 if seat else t.players - 1

cdef inline int after(const Tables* t, int seat) noexcept nogil:
    return seat + 1 if seat + 1 < t.players else 0

cdef inline int sail_range(const Tables* t, const DeukalionState* s) noexcept nogil:
    """How many steps the mover may sail (D10)."""
    cdef int steps = t.wind * s.wind + s.players[s.mover].permanent[PEGASUS]
    return steps + (s.sail_die if s.mover == s.turn else center_die(s))

cdef inline int bonus_halves(const Tables* t, const DeukalionState* s, int seat) noexcept nogil:
    """What cards add to a throw (D24, D25)."""
    cdef int halves = 2 * s.players[seat].permanent[GOLDEN_FLEECE]
    if seat == s.mover:
        halves += t.cry_halves * s.cry
    return halves

# The orders that a seat can fulfil: the open ones and its own.
cdef inline u16 orders_for(const DeukalionState* s, int seat) noexcept nogil:
    cdef u16 own = 0
    if s.players[seat].order != NONE:
        own = <u16>(1 << s.players[seat].order)
    return s.open_orders | own

# Victory cards, fulfilled orders and fighters on settlements (D5).
cdef int points_of(const Tables* t, const DeukalionState* s, int seat) noexcept nogil
cdef u64 ships_of_others(const Tables* t, const DeukalionState* s, int seat) noexcept nogil
# The squares that the mover can sail to (D10 to D12).
cdef u64 sail_squares(const Tables* t, const DeukalionState* s) noexcept nogil
cdef u64 hydra_squares(const Tables* t, const DeukalionState* s) noexcept nogil
cdef u64 displace_squares(const Tables* t, const DeukalionState* s, int piece) noexcept nogil
# How many `midas` a choice of treasures needs (D24), or NO_WAY.
cdef int claim_cost(const Tables* t, int order, const int* counts) noexcept nogil
# Whether the seat could fulfil the order now, without `midas` (D20).
cdef bint can_claim(const Tables* t, const DeukalionState* s, int seat, int order) noexcept nogil
# The ways in which the seat can fulfil the order now with this number of `midas`; appended to `moves`, which hold n.
cdef int list_claims(const Tables* t, const DeukalionState* s, int seat, int order, int midas, move_t* moves,
                     int n) noexcept nogil

# -- the functions of the contract

cdef int deukalion_to_act(tables_t tables, state_t state) noexcept nogil
cdef int deukalion_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil
cdef move_t deukalion_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void deukalion_apply(tables_t tables, void* state, move_t move) noexcept nogil
cdef int deukalion_chance_outcomes(tables_t tables, state_t state, move_t* outcomes,
                                   double* probabilities) noexcept nogil
cdef move_t deukalion_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void deukalion_returns(tables_t tables, state_t state, double* values) noexcept nogil
cdef void deukalion_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil
