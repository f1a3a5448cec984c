"""See recent.pxd."""


cdef class Recent:
    def __init__(self, int most):
        self.kept = {}
        self.most = most

    cdef object find(self, object key):
        cdef object value = self.kept.pop(key, None)
        if value is not None:
            self.kept[key] = value      # a dict keeps its order: the last is the one used last
        return value

    cdef int keep(self, object key, object value) except -1:
        self.kept.pop(key, None)
        self.kept[key] = value
        if len(self.kept) > self.most:
            del self.kept[next(iter(self.kept))]
        return 0
