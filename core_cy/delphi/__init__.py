"""Stefan Feld's The Oracle of Delphi (2016) for 2 to 4 players: the complete game.

docs/rules.md says how its rules are read, docs/format.md how moves and positions are written.
"""

from pythia.core_cy.delphi.game import INFO

__all__ = ["INFO"]
