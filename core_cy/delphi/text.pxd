"""Notation: the text of moves and chance outcomes, and back."""

from pythia.core_cy.delphi.tables cimport Tables
from pythia.core_cy.types cimport move_t

# The text of a move or outcome. The code must be one that the rules or the parser made.
cdef str move_text(const Tables* t, move_t move)

# The code of exactly this text. Raises IllegalMove for text that is no move on this board, naming the
# word it stumbled over. Whether the move is legal now is another question.
cdef move_t parse_move_text(const Tables* t, str text) except 0

# The parts of a move by name, for front-ends (see docs/format.md).
cdef dict move_fields(const Tables* t, move_t move)
