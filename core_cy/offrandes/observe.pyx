"""What a seat can see: nothing is hidden (O27), so every observer knows the whole position."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.offrandes.rules cimport distance
from pythia.core_cy.offrandes.state cimport BRIBE, OFFER, OffrandesState, SETUP
from pythia.core_cy.offrandes.tables cimport Tables
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport u64


cdef void offrandes_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil:
    pass


cdef u64 offrandes_position_hash(tables_t tables, state_t state) noexcept nogil:
    return hash_bytes(state, sizeof(OffrandesState))


cdef u64 offrandes_information_key(tables_t tables, state_t state, int observer) noexcept nogil:
    return hash_bytes(state, sizeof(OffrandesState))


cdef int offrandes_turn_number(tables_t tables, state_t state) noexcept nogil:
    """An auction turn with all its bids is one turn; so are the bribery and the offerings of a round."""
    cdef const Tables* t = <const Tables*>tables
    cdef const OffrandesState* s = <const OffrandesState*>state
    cdef int part
    if s.phase <= SETUP:
        return 0
    if s.phase < BRIBE:
        part = distance(t, s.first, s.turn)
    elif s.phase < OFFER:
        part = t.players
    else:
        part = t.players + 1
    return (s.round - 1) * (t.players + 2) + 1 + part


cdef u64 offrandes_chance_stream(tables_t tables, state_t state) noexcept nogil:
    """There is one event only."""
    return 1
