"""How good a position is and which moves look good: the knowledge that search starts from."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t

cdef void delphi_evaluate(tables_t tables, state_t state, double* values) noexcept nogil
cdef move_t delphi_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void delphi_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil
