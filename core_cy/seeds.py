"""Seeds: drawn, and derived from other seeds."""

from __future__ import annotations

import secrets
from hashlib import blake2b

SEED_BITS = 63
MAX_SEED = 2**SEED_BITS - 1


def fresh_seed() -> int:
    """A seed that nobody finds by trying: with few bits, what is open of a game would give away what is hidden."""
    return secrets.randbits(SEED_BITS)


def seed_of(*parts: int | str) -> int:
    """A seed from what it is for: other parts, another seed; the same on every machine. A game takes it as its seed."""
    digest = blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - SEED_BITS)
