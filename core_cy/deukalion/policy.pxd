"""Which moves look good: for the priors of search and for playouts."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t

cdef move_t deukalion_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void deukalion_priors(tables_t tables, state_t state, const move_t* moves, int count,
                           float* weights) noexcept nogil
