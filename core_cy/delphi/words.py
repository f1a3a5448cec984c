"""What a move does and which pieces it uses, for `pythia.core_cy.move_words`; the words are in its moves.*.json.

Keys of pieces are those of the picture (svg.py, svg_board.py; docs/format.md lists them).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pythia.core_cy.delphi.components import GOD_OF_COLOR
from pythia.core_cy.move_words import MovePhrases, PartPhrase, Phrase

Json = dict[str, Any]

# What an action of a die, a card or a god is done to beside the board, for those that are about no hex.
BESIDE_THE_BOARD = {
    "draw": ("pile:oracle_pile", "oracle_pile"),
    "inspire": ("pile:oracle_pile", "oracle_pile"),
    "favor": ("favor:{seat}", "favor"),
    "advance": ("god:{seat}:{god}", "god"),
    "heal": ("injury:{seat}:{color}", "injuries"),
    "bundle": ("card:{seat}:{color}_bundle", "card"),
    "heal_color": ("injury:{seat}:{color}", "injuries"),
    "equip": ("display:{card}", "card"),
}


def phrases(position: Json, fields: Json, facts: Json) -> MovePhrases:
    """The move with these fields, as `move_fields` gives them, in what a viewer sees."""
    return _Move(position, fields, facts).phrases()


class _Move:
    def __init__(self, position: Json, fields: Json, facts: Json) -> None:
        self.position, self.fields, self.facts = position, fields, facts
        self.seat: int = position["to_act"]
        self.action: str = fields["action"]
        self.source: str = fields.get("source", "")
        color = fields.get("used_as") or fields.get("color", "")
        self.values: Json = fields | {"color": color, "by": self.by()}
        if "hexes" in fields:
            self.values |= {"hex": hex_name(fields["hexes"][0]), "hexes": [*map(hex_name, fields["hexes"])]}
        if "colors" in fields:
            counts = _counted(fields["colors"])
            self.values["injuries"] = [
                Phrase("injury", {"color": color, "number": number}) for color, number in counts
            ]
        if self.action == "decline":
            self.values["card"] = position["pending"]["card"]
        if self.action == "advance":
            self.values["god"] = GOD_OF_COLOR[color]

    def phrases(self) -> MovePhrases:
        if self.seat < 0:  # an outcome of chance uses no piece
            return MovePhrases(Phrase(f"outcome_{self.action}", self.fields))
        name = self.action
        if self.source == "god" and name in ("fight", "load_statue", "heal"):
            name += "_by_god"
        elif not self.source and name in ("favor", "look"):
            name += "_for_nothing"
        parts = [*self.acting(), *self.targets(), *self.paid()]
        return MovePhrases(Phrase(name, self.values), tuple(parts))

    def by(self) -> Phrase:
        """With what: a die, a card, a god or the extra action."""
        recolored = self.fields.get("used_as", "") not in ("", self.fields.get("color"))
        values = {"color": self.fields.get("color", ""), "into": self.fields.get("used_as", "")}
        name = self.source + "_as" * recolored
        if self.source == "extra" and not values["color"]:
            name = "extra_plain"
        return Phrase(f"by_{name}", values | {"god": self.fields.get("god", "")})

    def acting(self) -> list[PartPhrase]:
        """What is used, and for a god step the god."""
        color, god, seat = self.fields.get("color", ""), self.fields.get("god", ""), self.seat
        found = {
            "die": PartPhrase("source", f"die:{seat}:{color}", "die", {"color": color}),
            "card": PartPhrase("source", f"oracle:{seat}:{color}", "oracle_card", {"color": color}),
            "extra": PartPhrase("source", f"card:{seat}:extra_action", "card", {"card": "extra_action"}),
            "god": PartPhrase("source", f"god:{seat}:{god}", "god", {"god": god}),
        }
        if self.source:
            return [found[self.source]]
        return [found["god"]] if god else []

    def targets(self) -> list[PartPhrase]:
        """Where it happens."""
        seat, color = self.seat, self.values["color"]
        parts = [hex_part(at) for at in self.fields.get("hexes", [])]
        if self.action in ("fight", "load_statue") and self.source == "god":
            # A god is not bound to a color, so the color is chosen.
            parts += [self.city(color)] if self.action == "load_statue" else [self.monster(color)]
        elif self.action in ("take_offering", "take_statue"):
            parts += [self.city(color)] if self.action == "take_statue" else [self.offering(color)]
        elif self.action in ("fight_on", "give_up"):
            parts.append(hex_part(self.position["pending"]))
        elif self.action.startswith("return_"):
            task = self.action.removeprefix("return_")
            color = self.fields.get("color") or ("any" if task == "statue" else self.player["color"])
            parts.append(
                PartPhrase("choice", f"task:{seat}:{task}:{color}", "task", {"task": task, "color": color})
            )
        elif self.action == "recover":
            parts += [
                PartPhrase(
                    "choice", f"injury:{seat}:{color}", "injuries_of", {"color": color, "number": number}
                )
                for color, number in _counted(self.fields["colors"])
            ]
        elif self.action == "heal" and self.source == "god":
            parts += [
                PartPhrase("target", f"injury:{seat}:{color}", "injuries", {"color": color})
                for color, _ in _counted(self.player["injuries"])
            ]
        elif self.action in BESIDE_THE_BOARD and not (self.action == "favor" and not self.source):
            key, name = BESIDE_THE_BOARD[self.action]
            god = GOD_OF_COLOR.get(color, "")
            values = {"color": color, "god": god, "card": self.fields.get("card") or f"{color}_bundle"}
            parts.append(PartPhrase("target", key.format(seat=seat, **values), name, values))
        elif self.action in ("ship", "companion"):
            chosen = self.fields["ship_tile" if self.action == "ship" else "companion"]
            parts.append(PartPhrase("choice", f"choice:{chosen}", self.action, {self.action: chosen}))
        return parts

    def paid(self) -> list[PartPhrase]:
        """The color it is used as, and favor."""
        parts = []
        if self.values["by"].name.endswith("_as"):
            parts.append(PartPhrase("choice", "", "used_as", {"color": self.fields["used_as"]}))
        favor = self.facts.get("price", {}).get("favor", 0)
        if favor:
            parts.append(PartPhrase("cost", f"favor:{self.seat}", "favor_paid", {"number": favor}))
        return parts

    # -- pieces

    @property
    def player(self) -> Json:
        found: Json = self.position["players"][self.seat]
        return found

    def city(self, color: str) -> PartPhrase:
        """Where the statues of a color stand."""
        kinds = ("city", color)
        where = next(at for at in self.position["board"] if (at["kind"], at.get("color")) == kinds)
        return PartPhrase("target", hex_key(where), "city", {"color": color})

    def monster(self, color: str) -> PartPhrase:
        return PartPhrase(
            "choice", f"monster:{hex_name(self.fields['hexes'][0])}:{color}", "monster", {"color": color}
        )

    def offering(self, color: str) -> PartPhrase:
        return PartPhrase(
            "choice", f"offering:{hex_name(self.fields['hexes'][0])}:{color}", "offering", {"color": color}
        )


def _counted(words: list[str]) -> list[tuple[str, int]]:
    return list(Counter(words).items())


def hex_name(at: Json) -> str:
    return f"{at['q']},{at['r']}"


def hex_key(at: Json) -> str:
    return f"hex:{hex_name(at)}"


def hex_part(at: Json) -> PartPhrase:
    return PartPhrase("target", hex_key(at), "hex", {"hex": hex_name(at)})
