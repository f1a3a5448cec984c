"""Random streams by purpose, for what a seed decides before a game begins."""

from __future__ import annotations

import hashlib

from pythia.core_cy.rng import Random


def stream(seed: int, purpose: str) -> Random:
    """A random stream of its own for each purpose of one seed."""
    digest = hashlib.sha256(f"{seed}/{purpose}".encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))
