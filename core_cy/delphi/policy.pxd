"""Which moves look good: scores in dice for the priors of search and for playouts."""

from pythia.core_cy.delphi.state cimport DelphiState
from pythia.core_cy.delphi.tables cimport Tables
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t

# How many dice each of the legal moves saves the seat to act, by its planned route; roughly, and cheaply.
cdef void score_moves(
    const Tables* t, const DelphiState* s, const move_t* moves, int count, float* scores
) noexcept nogil
cdef move_t delphi_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void delphi_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil
