"""What a seat can see, which is everything (O27), and luck by its purpose."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport u64

cdef void offrandes_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil
cdef u64 offrandes_information_key(tables_t tables, state_t state, int observer) noexcept nogil
cdef u64 offrandes_position_hash(tables_t tables, state_t state) noexcept nogil
cdef u64 offrandes_chance_stream(tables_t tables, state_t state) noexcept nogil
cdef int offrandes_turn_number(tables_t tables, state_t state) noexcept nogil
