"""Bots that judge positions with other weights than the game's own, so that weights can be compared and tuned.

Weights hold for the whole process, so a bot sets its own when it thinks and puts the game's back when it is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy.registry import load_game
from pythia.search.bots import Bot
from pythia.search.limits import Limit
from pythia.search.result import Result


def weights_of(game: str) -> dict[str, float]:
    """The weights of a game's evaluation by name; none for a game that has none."""
    try:
        values = load_game(game, seed=0).weights()
    except TypeError:
        return {}
    flat: dict[str, float] = {}
    for name, value in values.items():
        flat |= value if isinstance(value, dict) else {name: value}
    return flat


def check_weights(game: str, changes: Mapping[str, Any]) -> None:
    known = weights_of(game) if changes else {}
    for name, value in changes.items():
        if name not in known:
            raise ValueError(
                f"weights: {name!r} is not allowed; allowed: {', '.join(known) or f'none for {game}'}"
            )
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"weights.{name}: {value!r} is not allowed; allowed: a number")


class WeightedBot:
    """A bot with its own weights."""

    def __init__(self, bot: Bot, game: str, changes: Mapping[str, float]) -> None:
        self.name = bot.name
        self._bot = bot
        self._game = load_game(game, seed=0)
        self._usual = self._game.weights()
        self._own = {
            name: {key: float(changes.get(key, old)) for key, old in value.items()}
            if isinstance(value, dict)
            else float(changes.get(name, value))
            for name, value in self._usual.items()
        }

    def choose(self, observation: Mapping[str, Any], limit: Limit | None = None) -> Result:
        self._game.load_weights(self._own)
        try:
            return self._bot.choose(observation, limit)
        finally:
            self._game.load_weights(self._usual)
