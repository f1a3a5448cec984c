"""Seeds derived from seeds."""

from __future__ import annotations

from hashlib import blake2b

SEED_BITS = 63  # so that a derived seed is also allowed as the seed of a game


def seed_of(*parts: int | str) -> int:
    """A seed from what it is for: other parts, another seed; the same on every machine."""
    digest = blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - SEED_BITS)
