"""How good a position is: who is nearer to having all tasks done."""

from libc.math cimport exp

from pythia.core_cy.bits cimport count_bits
from pythia.core_cy.delphi.rules cimport delphi_random_move, delphi_returns, tasks_left
from pythia.core_cy.delphi.state cimport COLORS, DelphiState, MAX_SEATS, OVER, Player
from pythia.core_cy.delphi.tables cimport Tables
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t


cdef inline double effort_left(const Player* p) noexcept nogil:
    """In dice: tasks open, less what is aboard, in hand and on the god track."""
    cdef double effort = 5.0 * tasks_left(p)
    cdef int color
    effort -= 2.5 * (count_bits(p.offerings_aboard) + count_bits(p.statues_aboard))
    effort -= 0.3 * p.favor
    for color in range(COLORS):
        effort += 0.3 * p.injuries[color] - 0.9 * p.oracle_cards[color] - 0.3 * p.gods[color]
    return 0.0 if p.arrived else effort


cdef void delphi_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DelphiState* s = <const DelphiState*>state
    cdef double total = 0.0
    cdef int seat
    if s.phase == OVER and s.frames == 0:
        delphi_returns(tables, state, values)
        return
    for seat in range(t.players):
        values[seat] = exp(-0.2 * effort_left(&s.players[seat]))
        total += values[seat]
    for seat in range(t.players):
        values[seat] /= total


cdef move_t delphi_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    return delphi_random_move(tables, state, rng)


cdef void delphi_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef int i
    for i in range(count):
        weights[i] = <float>(1.0 / count)
