"""Pythia: an AI opponent for board games with dice and hidden information.

The names below are the public API; everything else can be imported from its own module (docs/architecture.md).

    from pythia import Limit, load_game, make_bot

    state = load_game("delphi", players=2, seed=7).new_state()
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pythia.arena.game_loop import play_game
    from pythia.clients.client import AsyncClient, Client
    from pythia.core_cy import CHANCE, Game, Move, Random, State, View, list_games, load_game
    from pythia.search.bots import BotSpec, make_bot
    from pythia.search.limits import Limit
    from pythia.search.result import MoveReport, Result

# Where each public name lives; it is imported when first asked for, so that `import pythia` costs nothing.
_HOMES = {
    "CHANCE": "pythia.core_cy",
    "Game": "pythia.core_cy",
    "Move": "pythia.core_cy",
    "Random": "pythia.core_cy",
    "State": "pythia.core_cy",
    "View": "pythia.core_cy",
    "list_games": "pythia.core_cy",
    "load_game": "pythia.core_cy",
    "BotSpec": "pythia.search.bots",
    "make_bot": "pythia.search.bots",
    "Limit": "pythia.search.limits",
    "MoveReport": "pythia.search.result",
    "Result": "pythia.search.result",
    "play_game": "pythia.arena.game_loop",
    "AsyncClient": "pythia.clients.client",
    "Client": "pythia.clients.client",
}

__all__ = [
    "CHANCE",
    "AsyncClient",
    "BotSpec",
    "Client",
    "Game",
    "Limit",
    "Move",
    "MoveReport",
    "Random",
    "Result",
    "State",
    "View",
    "list_games",
    "load_game",
    "make_bot",
    "play_game",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pythia' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
