"""Keltis: Das Orakel as numbers: all move texts in a fixed order, and what a seat sees as a vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy import encoding
from pythia.core_cy.encoding import numbered, one_hot, shares, squeezed
from pythia.core_cy.game import Game
from pythia.core_cy.keltis.components import (
    BIG_STONES,
    COLORS,
    COPIES,
    FIGURES,
    LAST_SPACE,
    MAX_ROUNDS,
    NUMBERS,
    SMALL_STONES,
    priestess_reach,
    space_color,
)

CARDS = tuple(f"{color} {number}" for color in COLORS for number in NUMBERS)
SPACES = tuple(range(LAST_SPACE + 1))
MIRRORS = 3
MAX_POINTS = 4  # on a path tile

# The words of an observation by their places in the vector.
PHASES = numbered(("play", "clover", "spiral", "goblin", "score", "take", "draw", "over"))
TILES = numbered(("clover", "points", "spiral", "goblin", "mirror"))
COLOR_PLACES, NUMBER_PLACES, CARD_PLACES = numbered(COLORS), numbered(NUMBERS), numbered(CARDS)
SPACE_PLACES, STONE_PLACES = numbered(SPACES), numbered(SMALL_STONES)

# In a turn: the scoring and a play; at most 3 spirals for each of 3 figures, and 5 clovers for each figure and again
# after each spiral; what a goblin asks for, and two cards to take. That makes 75.
TURN_DECISIONS = 75
TURN_DRAWS = 2


class Encoding(encoding.Encoding):
    max_decisions = MAX_ROUNDS * TURN_DECISIONS
    max_events = MAX_ROUNDS * TURN_DRAWS

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.any_figure = game.options["clover"] == "any"

    @classmethod
    def table(cls, game: Game) -> dict[str, Any]:
        return dict(game.options)

    def moves(self) -> list[str]:
        last = {space_color(space): space for space in SPACES}  # the last space of each color
        texts = [
            f"play {color} {number} figure {space}"
            for color in COLORS
            for number in NUMBERS
            for space in SPACES
            if space < last[color]  # there is a space of the color ahead
        ]
        texts += [
            f"play {color} {number} priestess {spaces}"
            for color in COLORS
            for number in NUMBERS
            for spaces in range(1, priestess_reach(number) + 1)
        ]
        texts += [f"discard {card}" for card in CARDS]
        texts += ["score", "decline"]
        texts += [f"step {space}" for space in SPACES if space < LAST_SPACE]
        if self.any_figure:
            texts += [f"step {space} {which}" for space in SPACES[:-1] for which in ("second", "third")]
        texts += [f"back {space}" for space in SPACES if space < LAST_SPACE]
        texts += [f"drop hand {card}" for card in CARDS]
        texts += [f"drop row {color}" for color in COLORS]
        return [*texts, "take pile", *(f"take {color}" for color in COLORS)]

    def outcomes(self) -> list[str]:
        return [f"draw {card}" for card in CARDS]

    def vector(self, observation: Mapping[str, Any]) -> list[float]:
        seats = self.seats(observation)
        pending = observation.get("pending", {})
        values = [
            observation["round"] / MAX_ROUNDS,
            *one_hot(observation["phase"], PHASES),
            *one_hot(observation["turn"], numbered(seats)),
            *one_hot(pending.get("space"), SPACE_PLACES),
            *one_hot(pending.get("began"), SPACE_PLACES),
            *shares(pending.get("spirals_used", ()), STONE_PLACES),
            pending.get("draws", 0) / TURN_DRAWS,
            *one_hot(pending.get("blocked"), COLOR_PLACES),
            *one_hot(observation["priestess"], SPACE_PLACES),
            squeezed(observation["pile_count"], 30),
        ]
        if self.any_figure:
            moved = pending.get("moved", [])
            for place in range(FIGURES - 1):
                figure = moved[place] if place < len(moved) else {}
                values += [
                    *one_hot(figure.get("space"), SPACE_PLACES),
                    *one_hot(figure.get("began"), SPACE_PLACES),
                    *shares(figure.get("spirals_used", ()), STONE_PLACES),
                ]
        for tile in observation["path"]:
            values += [
                *one_hot(tile["tile"], TILES),
                *one_hot(tile.get("color"), COLOR_PLACES),
                tile.get("value", 0) / MAX_POINTS,
                float(tile.get("taken", False)),
            ]
        values += [place["stones"] / BIG_STONES[place["space"]] for place in observation["wish_stones"]]
        for color in COLORS:
            pile = observation["discards"][color]
            values += shares(pile, NUMBER_PLACES, COPIES) + one_hot(pile[-1] if pile else None, NUMBER_PLACES)
        for seat in seats:
            values += self._player(observation["players"][seat])
        return values

    def _player(self, player: Mapping[str, Any]) -> list[float]:
        values = [
            *shares(player["figures"], SPACE_PLACES, FIGURES),
            squeezed(player["score"], 20),
            player["wish_stones"] / sum(BIG_STONES.values()),
            player["mirrors"] / MIRRORS,
            float(player["goblins_scored"]),
            *shares(player.get("hand", ()), CARD_PLACES, COPIES),  # one's own only
            *shares(player["known"], CARD_PLACES, COPIES),
        ]
        for color in COLORS:
            row = player["rows"][color]
            values += shares(row, NUMBER_PLACES, COPIES) + one_hot(row[-1] if row else None, NUMBER_PLACES)
        return values
