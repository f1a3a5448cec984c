"""Which moves look good: scores in points for the priors of search and for playouts."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.keltis.state cimport KeltisState
from pythia.core_cy.keltis.tables cimport Tables
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t

# What the open clover or spiral will bring, at least 0.
cdef float best_open(const Tables* t, const KeltisState* s, float fade) noexcept nogil
# The best that a card in a seat's hand does for one of its figures, in points as the policy counts them.
cdef float best_next(const Tables* t, const KeltisState* s, int seat, float fade) noexcept nogil
cdef move_t keltis_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void keltis_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil
