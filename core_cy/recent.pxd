"""What was used lately, found again by its key: a small cache that forgets what was used longest ago."""

cdef class Recent:
    cdef dict kept
    cdef int most

    # What is kept under a key; None when there is nothing.
    cdef object find(self, object key)
    cdef int keep(self, object key, object value) except -1
