"""Positions as JSON: full states and what one seat sees of them, both ways."""

from pythia.core_cy.keltis.state cimport KeltisState
from pythia.core_cy.keltis.tables cimport Tables

cdef enum:
    EVERYTHING = -2     # as an observer: the full state

# What the observer sees: a seat, SPECTATOR or EVERYTHING.
cdef dict write_position(const Tables* t, const KeltisState* s, object options, int observer)

# Reading has two steps, so that the tables of a path can be kept between positions. Both raise BadPosition, which
# names the part and the reason. `observed`: an observation is expected, not a full state.
#
# The first returns (options, path): players, clover and goblin_values, and the tile on each small stone.
cdef tuple read_setup(object obj, bint observed)
# The second fills the state and returns the observer, EVERYTHING for a full state. Cards that the observer does not
# see are dealt in some order that fits; drawing them is the caller's part.
cdef int read_position(object obj, const Tables* t, KeltisState* s, bint observed) except -3
