"""Deukalion (Parker, 2008) for 2 to 4 players: the complete game.

docs/deukalion.md says how its rules are read and how moves and positions are written.
"""

from pythia.core_cy.deukalion.game import INFO

__all__ = ["INFO"]
