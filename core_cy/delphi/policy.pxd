"""Which moves look good: scores in dice for the priors of search and for playouts."""

from pythia.core_cy.delphi.tables cimport Policy
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t

# The policy's part of the tables, from weights.py.
cdef int fill_policy(Policy* policy, dict values) except -1
cdef move_t delphi_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void delphi_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil
