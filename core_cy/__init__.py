"""Games as fast, pure rules, all on one contract (see `game.pxd`)."""

from pythia.core_cy.errors import BadOption, BadPosition, IllegalMove
from pythia.core_cy.game import CHANCE, NOBODY, SPECTATOR, Game, Move, State, View
from pythia.core_cy.registry import (
    DEFAULT_GAME,
    GameInfo,
    OptionInfo,
    game_info,
    list_games,
    load_game,
    state_from_json,
    state_from_observation,
)
from pythia.core_cy.rng import Random

__all__ = [
    "CHANCE",
    "DEFAULT_GAME",
    "NOBODY",
    "SPECTATOR",
    "BadOption",
    "BadPosition",
    "Game",
    "GameInfo",
    "IllegalMove",
    "Move",
    "OptionInfo",
    "Random",
    "State",
    "View",
    "game_info",
    "list_games",
    "load_game",
    "state_from_json",
    "state_from_observation",
]
