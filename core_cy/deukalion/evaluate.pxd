"""How good a position is."""

from pythia.core_cy.game cimport state_t, tables_t

cdef void deukalion_evaluate(tables_t tables, state_t state, double* values) noexcept nogil
cdef void deukalion_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil
