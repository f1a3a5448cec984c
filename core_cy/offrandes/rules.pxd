"""The rules of Offrandes as the functions of the contract (`core_cy/game.pxd`)."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.offrandes.state cimport OffrandesState, Player
from pythia.core_cy.offrandes.tables cimport CARRIER, FLORIST, SEDUCER, Tables
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t

cdef enum:
    MAX_MOVES = 56      # offerings out of a short supply: 5 kinds on 11 altars, and to decline

# -- what the rules ask for

cdef inline int after(const Tables* t, int seat) noexcept nogil:
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < t.players else 0

cdef inline int distance(const Tables* t, int start, int seat) noexcept nogil:
    """How many seats clockwise it is from one to another."""
    return seat - start if seat >= start else seat - start + t.players

cdef inline int bribe_place(const Tables* t, const OffrandesState* s, int seat) noexcept nogil:
    """Lower ones bribe first: most seducers, then clockwise from the start player (O12)."""
    return -8 * s.players[seat].level[SEDUCER] + distance(t, s.first, seat)

cdef inline int offered_number(const Player* p) noexcept nogil:
    """How many animals can be prepared (O18)."""
    return p.level[CARRIER] if p.level[CARRIER] < p.level[FLORIST] else p.level[FLORIST]

# Who stands on the top field of a ladder, or -1.
cdef int on_top(const Tables* t, const OffrandesState* s, int character) noexcept nogil
# A disc climbs one level (O11).
cdef void climb(const Tables* t, OffrandesState* s, int seat, int character) noexcept nogil
# Whether a seat may bribe another on a ladder (O13 to O15).
cdef bint can_bribe(const OffrandesState* s, int seat, int victim, int character) noexcept nogil
# Whether an altar takes an offering (O20).
cdef bint takes(const OffrandesState* s, int altar, int number, int animal) noexcept nogil
# Whether the game ends with this round (O24, O26).
cdef bint is_end(const Tables* t, const OffrandesState* s) noexcept nogil
# Score and altars at the end, and the number of altars (O25).
cdef int total(const Tables* t, const OffrandesState* s, int seat, int* altars) noexcept nogil
# Whether the end was reached by length only, so that nobody wins (O26).
cdef bint is_draw(const Tables* t, const OffrandesState* s) noexcept nogil

# -- the functions of the contract

cdef int offrandes_to_act(tables_t tables, state_t state) noexcept nogil
cdef int offrandes_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil
cdef move_t offrandes_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void offrandes_apply(tables_t tables, void* state, move_t move) noexcept nogil
cdef int offrandes_chance_outcomes(tables_t tables, state_t state, move_t* outcomes,
                                   double* probabilities) noexcept nogil
cdef move_t offrandes_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void offrandes_returns(tables_t tables, state_t state, double* values) noexcept nogil
cdef void offrandes_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil
