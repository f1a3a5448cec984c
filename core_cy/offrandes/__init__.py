"""Cédric Lefebvre's Offrandes (2010) for 3 to 5 players: the complete game.

docs/offrandes.md says how its rules are read and how moves and positions are written.
"""

from pythia.core_cy.offrandes.game import INFO

__all__ = ["INFO"]
