"""What a seat can see, and luck by its purpose."""

from pythia.core_cy.deukalion.state cimport DeukalionState
from pythia.core_cy.deukalion.tables cimport Tables
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport u8, u64

# The cards that the observer knows to be in the hand of another seat, by kind.
cdef void seen_in_hand(const Tables* t, const DeukalionState* s, int seat, int observer, u8* cards) noexcept nogil

cdef void deukalion_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil
cdef u64 deukalion_information_key(tables_t tables, state_t state, int observer) noexcept nogil
cdef u64 deukalion_position_hash(tables_t tables, state_t state) noexcept nogil
cdef u64 deukalion_chance_stream(tables_t tables, state_t state) noexcept nogil
cdef int deukalion_turn_number(tables_t tables, state_t state) noexcept nogil
