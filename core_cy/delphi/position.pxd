"""Positions as JSON: full states and what one seat sees of them, both ways."""

from pythia.core_cy.delphi.state cimport DelphiState
from pythia.core_cy.delphi.tables cimport Tables

cdef enum:
    EVERYTHING = -2     # as the observer: the referee, who sees all

# What the observer sees: a seat, SPECTATOR or EVERYTHING. `board` is the checked board of the tables.
cdef dict write_position(const Tables* t, const DelphiState* s, list board, object options, int observer)

# Reading has three steps, so that a board and its tables can be kept between positions. All raise BadPosition,
# which names the part and the reason. `observed`: an observation is expected, not a full state.
#
# The first returns the four options that a position carries.
cdef dict read_setup(object obj, bint observed)
# The second returns the checked board.
cdef list read_board(object obj)
# The third fills the state and returns the observer, EVERYTHING for a full state. Tiles that the observer does not
# know are filled in in some order that fits; drawing them is the caller's part.
cdef int read_position(object obj, const Tables* t, dict options, DelphiState* s, bint observed) except -3
