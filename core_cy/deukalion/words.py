"""What a move does and which pieces it uses, for `pythia.core_cy.move_words`; the words are in its moves.*.json.

Keys of pieces are those of the picture (svg.py; docs/deukalion.md lists them).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pythia.core_cy.deukalion.render import known_cards
from pythia.core_cy.move_words import MovePhrases, PartPhrase, Phrase

Json = dict[str, Any]

DICE = ("card", "fighters", "sail", "hydra")
# What acts, where it is the same for every move of the kind.
ACTING = {
    "sail": ("ship:{seat}", "ship"),
    "anchor": ("ship:{seat}", "ship"),
    "hydra": ("piece:hydra", "hydra_piece"),
    "card": ("die:card", "card_die"),
    "fighters": ("die:fighters", "fighters_die"),
    "found": ("ship:{seat}", "ship"),
    "attack_city": ("ship:{seat}", "ship"),
    "attack_settlement": ("ship:{seat}", "ship"),
    "fetch": ("ship:{seat}", "ship"),
    "rest": ("ship:{seat}", "ship"),
}


def phrases(position: Json, fields: Json, facts: Json) -> MovePhrases:
    """The move with these fields, as `move_fields` gives them, in what a viewer sees."""
    return _Move(position, fields).phrases()


class _Move:
    def __init__(self, position: Json, fields: Json) -> None:
        self.position, self.fields = position, fields
        self.action: str = fields["action"]
        self.seat: int = position["to_act"]
        self.pending: Json = position.get("pending", {})
        self.values: Json = dict(fields)
        if "x" in fields:
            self.values["square"] = f"{fields['x']},{fields['y']}"
        if "dice" in fields:
            self.values["given"] = [
                Phrase(f"die_{name}", {"number": number})
                for name, number in zip(DICE, fields["dice"], strict=False)
            ]
            self.values["rolled"] = " ".join(map(str, fields["dice"]))

    def phrases(self) -> MovePhrases:
        if self.seat < 0:
            return MovePhrases(Phrase(f"outcome_{self.action}", self.values))
        return MovePhrases(Phrase(self.name(), self.values), (*self.acting(), *self.targets(), *self.paid()))

    def name(self) -> str:
        """The template: some moves mean different things, or depend on what a die shows."""
        if self.action == "displace":
            self.values["piece"] = self.pending["piece"]
        elif self.action == "place":
            self.values["color"] = self.pending["color"]
        elif self.action == "card":
            return f"card_{self.position['kylix']['card']}"
        elif self.action == "decline":
            self.values |= self.pending
            return f"decline_{self.position['phase']}"
        return self.action

    def acting(self) -> list[PartPhrase]:
        if self.action in ACTING:
            key, name = ACTING[self.action]
            unplaced = key.startswith("ship") and "ship" not in self.position["players"][self.seat]
            return [PartPhrase("source", "" if unplaced else key.format(seat=self.seat), name)]
        if self.action == "displace":
            return [self.displaced()]
        if self.action == "play":
            return [self.card(self.fields["card"], "source")]
        if self.action in ("deliver", "drop"):
            return [self.aboard(self.fields["color"], "source")]
        return []

    def targets(self) -> list[PartPhrase]:
        if "square" in self.values:
            square = self.values["square"]
            return [PartPhrase("target", f"square:{square}", "square", {"square": square})]
        if "place" in self.fields:
            place = self.fields["place"]
            return [PartPhrase("target", f"place:{place}", "place", {"place": place})]
        if "order" in self.fields:
            return [self.order(self.fields["order"])]
        if self.action == "take":
            return [self.taken(self.fields["color"])]
        if self.action == "kylix":
            return [
                PartPhrase("choice", "", f"{name}_gets", {"number": number})
                for name, number in zip(DICE, self.fields["dice"], strict=True)
            ]
        return []

    def paid(self) -> list[PartPhrase]:
        """Treasures and cards given for an order."""
        parts = [
            self.aboard(color, "cost", number) for color, number in _counted(self.fields.get("colors", []))
        ]
        return parts + [
            self.card(card, "cost", number) for card, number in _counted(self.fields.get("cards", []))
        ]

    # -- pieces

    def displaced(self) -> PartPhrase:
        piece = self.pending["piece"]
        if piece == "hydra":
            return PartPhrase("source", "piece:hydra", "hydra_piece")
        heroes = [player["hero"] for player in self.position["players"]]
        return PartPhrase("source", f"ship:{heroes.index(piece)}", "ship_of", {"hero": piece})

    def card(self, card: str, role: str, number: int = 1) -> PartPhrase:
        """A card in hand, if the viewer sees it."""
        key = f"card:{self.seat}:{card}" if card in known_cards(self.position, self.seat) else ""
        return PartPhrase(role, key, "card" if number == 1 else "cards", {"card": card, "number": number})

    def aboard(self, color: str, role: str, number: int = 1) -> PartPhrase:
        values = {"color": color, "number": number}
        return PartPhrase(
            role, f"treasure:{self.seat}:{color}", "treasure" if number == 1 else "treasures", values
        )

    def order(self, order: str) -> PartPhrase:
        """An open order, or the one in hand where the viewer sees it."""
        own = self.position["players"][self.seat].get("order", "")
        shown = order in (own, *self.position["open_orders"])
        return PartPhrase("target", f"order:{order}" if shown else "", "order", {"order": order})

    def taken(self, color: str) -> PartPhrase:
        """A treasure of the city, or of the loser's ship."""
        where = self.pending["place"] if self.position["phase"] == "loot" else self.pending["loser"]
        return PartPhrase("target", f"treasure:{where}:{color}", "treasure", {"color": color})


def _counted(words: list[str]) -> list[tuple[str, int]]:
    return list(Counter(words).items())
