"""A small seeded generator for hot code: xoroshiro128++, seeded through splitmix64.

Every stream of random numbers in the project is one of these. Streams that must stay
aligned between runs (common random numbers) are made with `rng_keyed`, from a seed and
a key that says what the numbers are for.
"""

from pythia.core_cy.types cimport u32, u64

ctypedef struct Rng:
    u64 s0
    u64 s1


cdef inline u64 mix64(u64 x) noexcept nogil:
    """The splitmix64 finalizer: a bijection that scatters nearby inputs."""
    x = (x ^ (x >> 30)) * <u64>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <u64>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline void rng_seed(Rng* rng, u64 seed) noexcept nogil:
    rng.s0 = mix64(seed + <u64>0x9E3779B97F4A7C15)
    rng.s1 = mix64(seed + <u64>0x3C6EF372FE94F82A)
    if rng.s0 == 0 and rng.s1 == 0:
        rng.s0 = 1


cdef inline void rng_keyed(Rng* rng, u64 seed, u64 key) noexcept nogil:
    """A stream of its own for every pair of seed and key."""
    rng_seed(rng, mix64(seed) ^ mix64(key * <u64>0xD1342543DE82EF95 + <u64>0x632BE59BD9B4E019))


cdef inline u64 rng_next(Rng* rng) noexcept nogil:
    cdef u64 a = rng.s0
    cdef u64 b = rng.s1
    cdef u64 sum = a + b
    cdef u64 result = ((sum << 17) | (sum >> 47)) + a
    b ^= a
    rng.s0 = ((a << 49) | (a >> 15)) ^ b ^ (b << 21)
    rng.s1 = (b << 28) | (b >> 36)
    return result


cdef inline u32 rng_below(Rng* rng, u32 n) noexcept nogil:
    """Uniform in 0..n-1 (n >= 1), without bias (Lemire's multiply and reject)."""
    cdef u64 product = (rng_next(rng) >> 32) * <u64>n
    cdef u32 low = <u32>product
    cdef u32 threshold
    if low < n:
        threshold = (0 - n) % n
        while low < threshold:
            product = (rng_next(rng) >> 32) * <u64>n
            low = <u32>product
    return <u32>(product >> 32)


cdef inline double rng_double(Rng* rng) noexcept nogil:
    """Uniform in [0, 1) with 53 bits."""
    return <double>(rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)


cdef class Random:
    cdef Rng rng


cdef u64 seed_from(object source) except? 0
