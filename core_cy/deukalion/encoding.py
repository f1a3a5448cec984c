"""Deukalion as numbers: all move texts in a fixed order, and what a seat sees as a vector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement, product
from typing import Any

from pythia.core_cy import encoding
from pythia.core_cy.deukalion.components import ANCHOR, CARDS, PERMANENT, SEA, WATER, Facts, Order
from pythia.core_cy.deukalion.render import square_of
from pythia.core_cy.deukalion.tables import smallest
from pythia.core_cy.encoding import numbered, one_hot, shares, squeezed
from pythia.core_cy.game import Game

DICE = (1, 2, 3)
CARD_PLACES, PERMANENT_PLACES = numbered(CARDS), numbered(PERMANENT)
PHASES = numbered(
    [
        "setup",
        "roll",
        "follow",
        "kylix",
        "act",
        "throw",
        "loot",
        "spoils",
        "steal",
        "displace",
        "styx",
        "place",
        "order",
        "claim",
        "draw",
        "over",
    ]
)
FIGHTS = numbered(("ship", "city", "settlement", "hydra", "bite"))
KYLIX = ("card", "fighters", "sail", "hydra")
FLAGS = ("sailed", "acted", "delivered", "card", "fighters", "hydra")

# In a turn of a mover: sail, deed, loot; each card, treasure and order at most once, with what an order asks others.
TURN_DECISIONS = 80
TURN_EVENTS = 25


class Encoding(encoding.Encoding):
    # Every seat moves in each turn of all four.
    max_decisions = 100 * 4 * TURN_DECISIONS
    max_events = 100 * 4 * TURN_EVENTS

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        facts: Facts = game.facts  # type: ignore[attr-defined]
        self.facts = facts
        self.target = facts.target[game.players]
        self.colors, self.squares = numbered(facts.colors), numbered(facts.squares)
        self.orders = numbered(order.name for order in facts.orders)
        self.places = numbered(place.name for place in facts.sites)
        self.pieces = numbered(("hydra", *facts.heroes))
        self.treasures = max(1, facts.treasures_per_color)

    @classmethod
    def table(cls, game: Game) -> dict[str, Any]:
        return dict(game.options)

    # -- texts

    def _squares(self, letters: str) -> list[str]:
        return [self.facts.square_name(square) for square in self.facts.squares_of(letters)]

    def moves(self) -> list[str]:
        facts = self.facts
        cities, settlements = (
            [city.name for city in facts.cities],
            [there.name for there in facts.settlements],
        )
        texts = [f"anchor {square}" for square in self._squares(ANCHOR)]
        texts += [f"sail {square}" for square in self._squares(WATER)]
        texts += [f"hydra {square}" for square in self._squares(SEA)]
        texts += [f"displace {square}" for square in self._squares(WATER)]
        texts += [f"kylix {' '.join(map(str, dice))}" for dice in product(DICE, repeat=4)]
        texts += ["rest", "end", "card", "fighters", "steal", "fetch", "decline"]
        texts += [f"{word} {color}" for word in ("take", "drop", "deliver") for color in facts.colors]
        texts += [f"place {city}" for city in cities]
        texts += [f"found {settlement}" for settlement in settlements]
        texts += [f"attack {place}" for place in (*cities, *settlements)]
        texts += [f"play {card}" for card in CARDS if card != "midas"]
        for order in facts.orders:
            texts += [f"claim {order.name} {given}" for given in self._claims(order)]
        return texts

    def _claims(self, order: Order) -> Iterator[str]:
        """All that can be given for an order; with `midas` that is any color."""
        lengths = {len(task.colors) for task in order.tasks if task.kind == "treasures"}
        for length in sorted(lengths):
            for colors in combinations_with_replacement(self.facts.colors, length):
                if all(colors.count(color) <= self.facts.treasures_per_color for color in colors):
                    yield " ".join(colors)
        if any(task.kind == "fighters" for task in order.tasks):
            yield "fighters"
        copies = dict(zip(CARDS, self.facts.copies, strict=True))
        for number in sorted({task.number for task in order.tasks if task.kind == "cards"}):
            for cards in combinations_with_replacement(CARDS, number):
                if all(cards.count(card) <= copies[card] for card in cards):
                    yield " ".join(("cards", *cards))

    def outcomes(self) -> list[str]:
        rings = sorted({smallest(ring) for ring in product(DICE, repeat=4)})
        texts = [f"roll {center} {' '.join(map(str, ring))}" for center in DICE for ring in rings]
        for fighters in range(1, self.facts.fighters + 1):
            texts += [
                f"throw {up} {fighters - up - half} {half}"
                for up in range(fighters + 1)
                for half in range(fighters - up + 1)
            ]
        texts += [f"{word} {card}" for word in ("draw", "steal") for card in CARDS]
        return texts + [f"order {order.name}" for order in self.facts.orders]

    # -- vectors

    def vector(self, observation: Mapping[str, Any]) -> list[float]:
        facts, seats = self.facts, self.seats(observation)
        kylix, used = observation["kylix"], observation["used"]
        values = [
            squeezed(observation["round"], 15),
            *one_hot(observation["phase"], PHASES),
            *one_hot(observation["turn"], numbered(seats)),
            *one_hot(observation["mover"], numbered(seats)),
            kylix["center"] / 3,
            *(die / 3 for die in (*kylix["ring"], 0, 0, 0, 0)[:4]),
            *(kylix[name] / 3 for name in KYLIX),
            *(float(used[name]) for name in FLAGS),
            used["wind"] / 7,
            used["cry"] / 7,
            *one_hot(square_of(observation["hydra"], facts), self.squares),
            *shares(observation["open_orders"], self.orders),
            *shares(observation["removed_orders"], self.orders),
            squeezed(observation["order_pile_count"], 6),
            squeezed(observation["victory_cards_left"], 7),
            squeezed(observation["pile_count"], 10),
            squeezed(len(observation["under"]), 10),
            *shares(observation["under"], CARD_PLACES, 7),
            *one_hot(observation["under"][0] if observation["under"] else None, CARD_PLACES),
            *self._pending(observation.get("pending", {}), seats),
        ]
        for city in observation["cities"]:
            values += shares(city["treasures"], self.colors, self.treasures)
        for there in observation["settlements"]:
            values += one_hot(there["seat"] if there["fighters"] else None, numbered(seats))
        for seat in seats:
            values += self._player(observation["players"][seat], seats)
        return values

    def _pending(self, pending: Mapping[str, Any], seats: list[int]) -> list[float]:
        after = pending.get("then", ())
        return [
            *one_hot(pending.get("seat"), numbered(seats)),
            *one_hot(pending.get("fight"), FIGHTS),
            *one_hot(pending.get("defender", pending.get("loser")), numbered(seats)),
            *one_hot(pending.get("place"), self.places),
            squeezed(pending.get("score", 0), 10),
            *one_hot(pending.get("piece"), self.pieces),
            *one_hot(pending.get("color"), self.colors),
            *one_hot(pending.get("order"), self.orders),
            *shares(pending.get("ask", ()), numbered(seats)),
            *shares((claim["seat"] for claim in pending.get("claims", ())), numbered(seats)),
            squeezed(len(after), 3),
            *shares((step["color"] for step in after if "color" in step), self.colors, self.treasures),
        ]

    def _player(self, player: Mapping[str, Any], seats: list[int]) -> list[float]:
        facts = self.facts
        known = {entry["seat"]: entry["cards"] for entry in player["knows"]}
        values = [
            *one_hot(square_of(player["ship"], facts) if "ship" in player else None, self.squares),
            player["fighters"] / facts.fighters,
            player["underworld"] / facts.fighters,
            *shares(player["treasures"], self.colors, self.treasures),
            min(1.0, player["points"] / self.target),
            squeezed(player["victory_cards"], 5),
            *shares(player["fulfilled"], self.orders),
            *shares(player["permanent"], PERMANENT_PLACES, 7),
            squeezed(player["card_count"], 4),
            *shares(player.get("cards", ()), CARD_PLACES, 7),  # one's own only
            float(player["has_order"]),
            *one_hot(player.get("order"), self.orders),
        ]
        for seat in seats:
            values += shares(known.get(seat, ()), CARD_PLACES, 7)
        return values
