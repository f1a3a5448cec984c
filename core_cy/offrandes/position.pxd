"""Positions as JSON, both ways. An observation is the whole state with its observer (O27)."""

from pythia.core_cy.offrandes.state cimport OffrandesState
from pythia.core_cy.offrandes.tables cimport Tables

cdef enum:
    EVERYTHING = -2     # as an observer: the full state

# For an observer: a seat, SPECTATOR or EVERYTHING.
cdef dict write_position(const Tables* t, const OffrandesState* s, int observer)

# Reading raises BadPosition, which names the part and the reason. `observed`: an observation is expected, not a full
# state. First how many play, which decides on the tables; then the position.
cdef int read_players(object obj, bint observed) except -1
cdef int read_position(object obj, const Tables* t, OffrandesState* s, bint observed) except -1
