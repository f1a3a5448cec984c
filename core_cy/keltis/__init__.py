"""Reiner Knizia's Keltis: Das Orakel (2010) for 2 to 4 players: the complete game.

docs/keltis.md says how its rules are read and how moves and positions are written.
"""

from pythia.core_cy.keltis.game import INFO

__all__ = ["INFO"]
