from pythia.core_cy.registry import GameInfo

INFO: GameInfo
