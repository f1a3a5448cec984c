"""Bit sets in integers."""

from pythia.core_cy.types cimport u32

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define pythia_ctz(x) __builtin_ctz(x)
    #else
    static inline int pythia_ctz(unsigned x) { int n = 0; while (!(x & 1u)) { x >>= 1; n++; } return n; }
    #endif
    #ifdef __POPCNT__
    #define pythia_popcount(x) __builtin_popcount(x)
    #else
    /* Without the instruction compilers call a library function, which is slower than adding up in parallel. */
    static inline int pythia_popcount(unsigned x) {
        x -= (x >> 1) & 0x55555555u;
        x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
        return (int)((((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u) >> 24);
    }
    #endif
    """
    int lowest "pythia_ctz" (u32 bits) noexcept nogil     # number of the lowest set bit; bits != 0
    int count_bits "pythia_popcount" (u32 bits) noexcept nogil
