"""Bit sets in integers."""

from pythia.core_cy.types cimport u32

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define pythia_ctz(x) __builtin_ctz(x)
    #define pythia_popcount(x) __builtin_popcount(x)
    #else
    static inline int pythia_ctz(unsigned x) { int n = 0; while (!(x & 1u)) { x >>= 1; n++; } return n; }
    static inline int pythia_popcount(unsigned x) { int n = 0; while (x) { x &= x - 1; n++; } return n; }
    #endif
    """
    int lowest "pythia_ctz" (u32 bits) noexcept nogil     # number of the lowest set bit; bits != 0
    int count_bits "pythia_popcount" (u32 bits) noexcept nogil
