"""Notation: the text of moves and chance outcomes, and back."""

from pythia.core_cy.types cimport move_t


cdef class Notation:
    # The words of one copy of the data, by number.
    cdef readonly tuple colors, cards, orders, cities, settlements, heroes, squares
    cdef readonly dict square_numbers
    cdef int width

    # The text of a move or outcome. The code must be one that the rules or the parser made.
    cdef str text(self, move_t move)
    cdef list counted(self, move_t move, tuple words)
    # The code of exactly this text. Raises IllegalMove for text that is no move, naming the word it stumbled over.
    # Whether the move is legal now is another question.
    cdef move_t parse(self, str text) except 0
    # The parts of a move by name, for front-ends (see docs/deukalion.md).
    cdef dict fields(self, move_t move)
