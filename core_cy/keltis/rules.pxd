"""The rules of Keltis: Das Orakel as the functions of the contract (`core_cy/game.pxd`)."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.keltis.state cimport KeltisState, Player
from pythia.core_cy.keltis.tables cimport ALL_NUMBERS, GOBLIN, MAX_SEATS, Tables
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t, u32

cdef enum:
    MAX_MOVES = 96      # 8 cards with 3 figures or 5 ways of the priestess each, 8 discards and the goblin scoring
    MAX_ROUNDS = 100    # components.MAX_ROUNDS

# -- what the rules ask for

cdef inline u32 playable(const Player* p, int color) noexcept nogil:
    """The numbers that may be laid next in a row (K9)."""
    if p.direction[color] > 0:
        return (ALL_NUMBERS << p.top[color]) & ALL_NUMBERS
    if p.direction[color] < 0:
        return (2 << p.top[color]) - 1
    return ALL_NUMBERS

cdef inline int in_goal(const Tables* t, const Player* p) noexcept nogil:
    return (p.figures[0] >= t.goal) + (p.figures[1] >= t.goal) + (p.figures[2] >= t.goal)

cdef inline bint stands_on(const Player* p, int space) noexcept nogil:
    return p.figures[0] == space or p.figures[1] == space or p.figures[2] == space

cdef inline int goblin_points(const Tables* t, const Player* p) noexcept nogil:
    """What the goblin scoring would bring now; 0 when no pattern holds or it was made before (K8)."""
    if (p.goblin_scored or t.tile[p.figures[0]] != GOBLIN or t.tile[p.figures[1]] != GOBLIN
            or t.tile[p.figures[2]] != GOBLIN):
        return 0
    return t.goblin_value[1 + (p.figures[0] != p.figures[1]) + (p.figures[1] != p.figures[2])]

# -- the figures of the seat to act within a turn (K10), also for reading positions
# Nobody has moved yet: each began where it stands.
cdef void begin_chain(KeltisState* s, const Player* p) noexcept nogil
# The first of the figures that stand on a space.
cdef int first_on(const Player* p, int space) noexcept nogil
# Puts all of them in the order that makes equal positions equal in memory; `mover` stays the same figure.
cdef void sort_figures(KeltisState* s, Player* p) noexcept nogil

# Whether enough figures are in the goal area to end the game (K11).
cdef bint goal_reached(const Tables* t, const KeltisState* s) noexcept nogil

# Points at the end: of the track, the figures, and the wish stones with mirrors.
cdef int final_score(const Tables* t, const Player* p) noexcept nogil

# -- the functions of the contract

cdef int keltis_to_act(tables_t tables, state_t state) noexcept nogil
cdef int keltis_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil
cdef move_t keltis_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void keltis_apply(tables_t tables, void* state, move_t move) noexcept nogil
cdef int keltis_chance_outcomes(tables_t tables, state_t state, move_t* outcomes, double* probabilities) noexcept nogil
cdef move_t keltis_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void keltis_returns(tables_t tables, state_t state, double* values) noexcept nogil
cdef void keltis_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil
