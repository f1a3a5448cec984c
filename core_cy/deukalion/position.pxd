"""Positions as JSON: full states and what one seat sees of them, both ways."""

from pythia.core_cy.deukalion.state cimport DeukalionState
from pythia.core_cy.deukalion.tables cimport Tables
from pythia.core_cy.deukalion.text cimport Notation

cdef enum:
    EVERYTHING = -2     # as an observer: the full state

# What the observer sees: a seat, SPECTATOR or EVERYTHING.
cdef dict write_position(const Tables* t, const DeukalionState* s, Notation words, object options, int observer)

# Reading has two steps, so that the tables of a set-up can be kept between positions. Both raise BadPosition, which
# names the part and the reason. `observed`: an observation is expected, not a full state.
#
# The first returns the options: players, throw and data.
cdef dict read_options(object obj, bint observed)
# The second fills the state and returns the observer, EVERYTHING for a full state. What the observer does not see is
# dealt in some way that fits; drawing it is the caller's part.
cdef int read_position(object obj, const Tables* t, Notation words, DeukalionState* s, bint observed) except -3
