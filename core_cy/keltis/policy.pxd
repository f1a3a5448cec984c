"""Which moves look good: scores in points for the priors of search and for playouts."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.keltis.state cimport KeltisState
from pythia.core_cy.keltis.tables cimport Tables
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t

# How many points each of the legal moves brings the seat to act; roughly, and cheaply.
cdef void score_moves(const Tables* t, const KeltisState* s, const move_t* moves, int count,
                      float* scores) noexcept nogil
# What the open clover or spiral will bring, at least 0.
cdef float best_open(const Tables* t, const KeltisState* s, float fade) noexcept nogil
cdef move_t keltis_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void keltis_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil
