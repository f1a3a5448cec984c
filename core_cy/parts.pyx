"""Parts of a JSON value; see parts.pxd. Games read their positions with it."""

cimport cython

from pythia.core_cy.game cimport SPECTATOR
from pythia.core_cy.types cimport u8, u32

from pythia.core_cy.errors import BadPosition


cdef str shown(object value):
    """A value in a message, not longer than a line."""
    text = repr(value) if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


@cython.final
@cython.freelist(256)
cdef class Part:
    """A part of the JSON and where it is. Every way to read it checks the type, or says what is allowed there."""

    cdef str path(self):
        # Worked out for errors alone: a position has hundreds of parts, and hardly ever is one wrong.
        if self.above is None:
            return self.key
        above = self.above.path()
        if isinstance(self.key, int):
            return f"{above}[{self.key}]"
        return f"{above}.{self.key}" if above else self.key

    cdef object bad(self, str reason):
        return BadPosition(self.path(), reason)

    cdef object not_allowed(self, str allowed):
        return self.bad(f"{shown(self.value)} is not allowed; allowed: {allowed}")

    cdef int only(self, tuple names) except -1:
        if not isinstance(self.value, dict):
            raise self.not_allowed("an object")
        for name in <dict>self.value:
            if name not in names:
                raise inside(self, str(name), None).bad(f"there is no such field; known: {', '.join(names)}")
        return 0

    cdef bint has(self, str name):
        return name in <dict>self.value

    cdef Part field(self, str name, object default):
        return inside(self, name, (<dict>self.value).get(name, default))

    cdef list items(self):
        cdef int i
        if not isinstance(self.value, list):
            raise self.not_allowed("a list")
        return [inside(self, i, item) for i, item in enumerate(<list>self.value)]

    cdef int number(self, int low, int high) except? -1000:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            raise self.not_allowed(f"{low} to {high}" if low < high else str(low))
        return self.value

    cdef bint flag(self) except -1:
        if not isinstance(self.value, bool):
            raise self.not_allowed("true or false")
        return self.value

    cdef int word(self, tuple allowed) except -1:
        if not isinstance(self.value, str) or self.value not in allowed:
            raise self.not_allowed(", ".join([word or '""' for word in allowed]))
        return allowed.index(self.value)

    cdef u32 word_set(self, tuple allowed) except? 0xFFFFFFFF:
        cdef u32 bits = 0
        cdef int number
        for item in self.items():
            number = (<Part>item).word(allowed)
            if (bits >> number) & 1:
                raise (<Part>item).bad(f"{(<Part>item).value} is there twice")
            bits |= <u32>1 << number
        return bits

    cdef int word_counts(self, tuple allowed, u8* counts, int most) except -1:
        cdef list items = self.items()
        if len(items) > most:
            raise self.bad(f"{len(items)} are too many; at most {most}")
        for item in items:
            counts[(<Part>item).word(allowed)] += 1
        return len(items)


cdef Part part(str path, object value):
    return inside(None, path, value)


cdef Part inside(Part above, object key, object value):
    cdef Part made = Part.__new__(Part)
    made.above = above
    made.key = key
    made.value = value
    return made


cdef int read_observer(Part observer, int players) except -3:
    """A seat or SPECTATOR."""
    if observer.value == SPECTATOR and not isinstance(observer.value, bool):
        return SPECTATOR
    return observer.number(0, players - 1)
