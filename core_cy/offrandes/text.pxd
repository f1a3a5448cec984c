"""Notation: the text of moves and chance outcomes, and back."""

from pythia.core_cy.types cimport move_t

# The text of a move or outcome. The code must be one that the rules or the parser made.
cdef str move_text(move_t move)

# The code of exactly this text. Raises IllegalMove for text that is no move, naming the word it stumbled over.
# Whether the move is legal now is another question.
cdef move_t parse_move_text(str text) except 0

# The parts of a move by name, for front-ends (see docs/offrandes.md).
cdef dict move_fields(move_t move)
