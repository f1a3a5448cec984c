"""Bots that judge positions with other weights than the game's own, so that weights can be compared and tuned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy.game import View
from pythia.core_cy.registry import load_game
from pythia.search.bots import Bot, as_view, chosen_move
from pythia.search.limits import Limit
from pythia.search.result import Result


def weights_of(game: str) -> dict[str, float]:
    """The weights of a game's evaluation by name; none for a game that has none."""
    return load_game(game, seed=0).weights()


def check_weights(game: str, changes: Mapping[str, Any]) -> None:
    """ValueError names a weight that the game does not have, or a value that is no number."""
    if changes:
        load_game(game, seed=0).with_weights(changes)


class WeightedBot:
    """A bot with its own weights: it thinks on the same board with an evaluation of its own."""

    def __init__(self, bot: Bot, changes: Mapping[str, float]) -> None:
        self.name = bot.name
        self._bot = bot
        self._changes = dict(changes)

    def choose(self, view: View | Mapping[str, Any], limit: Limit | None = None) -> Result:
        view = as_view(view).with_weights(self._changes)
        return Result(chosen_move(self._bot, view, limit), moves=[], values=[])
