"""Reading JSON that nobody has checked yet: a value together with its path, so that errors can name the part."""

from pythia.core_cy.types cimport u8, u32


cdef class Part:
    cdef object value
    cdef Part above         # what it is a part of; None at the top
    cdef object key         # its name or number there; at the top its path

    # Where it is, as errors name it: players[0].favor.
    cdef str path(self)
    # Errors to raise: with this reason; and "<value> is not allowed; allowed: ...".
    cdef object bad(self, str reason)
    cdef object not_allowed(self, str allowed)
    # Checks that this is an object without other keys than these.
    cdef int only(self, tuple names) except -1
    cdef bint has(self, str name)
    # A field of an object that `only` has checked; when absent, its default.
    cdef Part field(self, str name, object default)
    cdef list items(self)
    cdef int number(self, int low, int high) except? -1000
    cdef bint flag(self) except -1
    # The number of a word in the list of those allowed.
    cdef int word(self, tuple allowed) except -1
    # A list of different words, as bits.
    cdef u32 word_set(self, tuple allowed) except? 0xFFFFFFFF
    # Adds up a list in which words may come again, up to a maximum in all; returns how many.
    cdef int word_counts(self, tuple allowed, u8* counts, int most) except -1


cdef Part part(str path, object value)

# Who sees an observation: a seat or SPECTATOR.
cdef int read_observer(Part observer, int players) except -3
