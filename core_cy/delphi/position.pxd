"""Positions as JSON: full states and what one seat sees of them, both ways."""

from pythia.core_cy.delphi.state cimport DelphiState
from pythia.core_cy.delphi.tables cimport Tables

# The full state (observer -1), or what the seat `observer` sees. `board` is the checked board of the tables.
cdef dict write_position(const Tables* t, const DelphiState* s, list board, object options, int observer)

# Reading has two steps, so that the tables of a board can be kept between positions. Both raise BadPosition,
# which names the part and the reason. `observed`: an observation is expected, not a full state.
#
# The first returns (options, board): the four options that a position carries, and the checked board.
cdef tuple read_setup(object obj, bint observed)
# The second fills the state and returns the observer, -1 for a full state. Tiles that the observer does not
# know are filled in in some order that fits; drawing them is the caller's part.
cdef int read_position(object obj, const Tables* t, dict options, DelphiState* s, bint observed) except -2
