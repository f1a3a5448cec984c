"""Which moves look good; see policy.pxd."""

from pythia.core_cy.deukalion.rules cimport deukalion_random_move
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t


cdef move_t deukalion_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    return deukalion_random_move(tables, state, rng)


cdef void deukalion_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef int i
    for i in range(count):
        weights[i] = <float>(1.0 / count)
