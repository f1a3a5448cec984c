"""A hash over plain memory, for positions."""

from libc.string cimport memcpy

from pythia.core_cy.rng cimport mix64
from pythia.core_cy.types cimport u64


cdef inline u64 hash_bytes(const void* data, size_t size) noexcept nogil:
    """Every byte counts; two lanes, so that the multiplications overlap."""
    cdef const unsigned char* bytes = <const unsigned char*>data
    cdef u64 a = <u64>0x9E3779B97F4A7C15 ^ size
    cdef u64 b = <u64>0xC2B2AE3D27D4EB4F
    cdef u64 word
    cdef size_t i = 0
    while i + 16 <= size:
        memcpy(&word, bytes + i, 8)
        a = (a ^ word) * <u64>0xFF51AFD7ED558CCD
        a ^= a >> 32
        memcpy(&word, bytes + i + 8, 8)
        b = (b ^ word) * <u64>0xC4CEB9FE1A85EC53
        b ^= b >> 29
        i += 16
    while i < size:
        a = (a ^ bytes[i]) * <u64>0xFF51AFD7ED558CCD
        a ^= a >> 32
        i += 1
    return mix64(a ^ mix64(b))
