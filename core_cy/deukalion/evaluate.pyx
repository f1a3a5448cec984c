"""How good a position is; see evaluate.pxd."""

from libc.math cimport exp

from pythia.core_cy.deukalion.rules cimport deukalion_returns, points_of
from pythia.core_cy.deukalion.state cimport DeukalionState, OVER
from pythia.core_cy.deukalion.tables cimport Tables
from pythia.core_cy.game cimport state_t, tables_t


cdef void deukalion_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int seat
    cdef double total = 0
    if s.now.kind == OVER:
        deukalion_returns(tables, state, values)
        return
    for seat in range(t.players):
        values[seat] = exp(0.4 * points_of(t, s, seat))
        total += values[seat]
    for seat in range(t.players):
        values[seat] /= total


cdef void deukalion_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil:
    cdef int seat
    for seat in range((<const Tables*>tables).players):
        rounds[seat] = 0
