from pythia.core_cy.deukalion.components import Facts
from pythia.core_cy.game import Game
from pythia.core_cy.registry import GameInfo

INFO: GameInfo

class DeukalionGame(Game):
    facts: Facts
