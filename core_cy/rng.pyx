"""The generator of `rng.pxd` for Python."""

import random
import secrets

from pythia.core_cy.types cimport u64


cdef class Random:
    """A seeded random stream; the same seed gives the same numbers on every machine."""

    def __init__(self, seed=None):
        rng_seed(&self.rng, seed_from(seed))

    def below(self, int n):
        """A uniform integer in 0..n-1."""
        if n < 1:
            raise ValueError(f"n: {n} is not allowed; allowed: 1 or more")
        return rng_below(&self.rng, <u32>n)

    def random(self):
        """A uniform float in [0, 1)."""
        return rng_double(&self.rng)

    def getrandbits(self, int k):
        """k uniform random bits, so that a Random can seed another one."""
        if not 0 <= k <= 64:
            raise ValueError(f"k: {k} is not allowed; allowed: 0 to 64")
        return rng_next(&self.rng) >> (64 - k) if k else 0

    def choice(self, sequence):
        """A uniform element of a sequence that is not empty."""
        return sequence[self.below(len(sequence))]

    def shuffle(self, list items):
        """Shuffle a list in place."""
        cdef Py_ssize_t i, j
        for i in range(len(items) - 1, 0, -1):
            j = rng_below(&self.rng, <u32>(i + 1))
            items[i], items[j] = items[j], items[i]


cdef u64 seed_from(object source) except? 0:
    """A 64-bit seed from an integer, None (fresh entropy), or anything with getrandbits."""
    if source is None:
        return <u64>secrets.randbits(64)
    if isinstance(source, bool):
        raise TypeError(f"seed: {source!r} is not allowed; allowed: an integer or None")
    if isinstance(source, int):
        return <u64>(source & 0xFFFFFFFFFFFFFFFF)
    if isinstance(source, (Random, random.Random)) or hasattr(source, "getrandbits"):
        return <u64>source.getrandbits(64)
    raise TypeError(f"seed: {source!r} is not allowed; allowed: an integer, None or a random generator")
