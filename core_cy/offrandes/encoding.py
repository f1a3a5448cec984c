"""Offrandes as numbers: all move texts in a fixed order, and what a seat sees as a vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy import encoding
from pythia.core_cy.encoding import numbered, one_hot, shares
from pythia.core_cy.game import Game
from pythia.core_cy.offrandes.components import (
    ANIMALS,
    CHARACTERS,
    CITIES,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_SCORE,
    MOST_ANIMALS,
    MOST_DRACHMAS,
    OF_A_KIND,
    TOP,
)
from pythia.core_cy.offrandes.text import all_texts

# The words of an observation by their places in the vector.
PHASES = numbered(("first", "setup", "auction", "open", "bid", "bribe", "offer", "over"))
CHARACTER_PLACES, ANIMAL_PLACES = numbered(CHARACTERS), numbered(ANIMALS)

# In a round: a choice of a pair and a bid in three auctions as the auctioneer; in each auction of each auction turn
# at most every other bid up to 25 drachmas, and a pass; a bribe and an offering.
ROUND_DECISIONS = 6 + MAX_PLAYERS * 3 * (MOST_DRACHMAS // 2 + 2) + 2


class Encoding(encoding.Encoding):
    max_decisions = 1 + MAX_ROUNDS * ROUND_DECISIONS
    max_events = 1

    @classmethod
    def table(cls, game: Game) -> dict[str, Any]:
        return dict(game.options)

    # The texts are the same for all numbers of players, so that a move has the same number with all of them.

    def moves(self) -> list[str]:
        return [text for text in all_texts() if not text.startswith("first ")]

    def outcomes(self) -> list[str]:
        return [text for text in all_texts() if text.startswith("first ")]

    def vector(self, observation: Mapping[str, Any]) -> list[float]:
        seats = self.seats(observation)
        places = numbered(seats)
        pending = observation.get("pending", {})
        values = [
            observation["round"] / MAX_ROUNDS,
            *one_hot(observation["phase"], PHASES),
            *one_hot(observation["first"], places),
            *one_hot(observation["turn"], places),
            *one_hot(observation["to_act"], places),
            *shares(pending.get("sold", ()), CHARACTER_PLACES),
            *shares(pending.get("buyers", ()), places),
            *shares(pending.get("pair", ()), CHARACTER_PLACES),
            pending.get("high", 0) / MOST_DRACHMAS,
            *one_hot(pending.get("leader"), places),
            *shares(pending.get("bidders", ()), places),
            *shares(pending.get("bribed", ()), places),
            *(observation["supply"][animal] / OF_A_KIND for animal in ANIMALS),
        ]
        cities = numbered([CITIES[seat] for seat in seats])
        for altar in observation["altars"]:
            values += [
                *one_hot(altar["city"], cities),
                altar["number"] / MOST_ANIMALS,
                *one_hot(altar["animal"], ANIMAL_PLACES),
            ]
        for seat in seats:
            player = observation["players"][seat]
            values += [
                player["drachmas"] / MOST_DRACHMAS,
                player["score"] / MAX_SCORE,
                *(player["ladders"][character] / TOP for character in CHARACTERS),
            ]
        return values
