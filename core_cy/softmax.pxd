"""Scores of moves to weights, as the policies of games use them."""

from libc.math cimport expf


# Scores to weights, none below `least`: a move that looks bad can still be tried. Returns their sum.
cdef inline float soften(float* scores, int count, float temperature, float least) noexcept nogil:
    cdef float best = scores[0], total = 0
    cdef int i
    for i in range(1, count):
        if scores[i] > best:
            best = scores[i]
    for i in range(count):
        scores[i] = expf((scores[i] - best) / temperature)
        if scores[i] < least:
            scores[i] = least
        total += scores[i]
    return total
