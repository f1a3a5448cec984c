"""What came of a move that its own words do not say: tiles that were uncovered or looked at, and how a fight went."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.delphi.words import hex_name
from pythia.core_cy.move_words import Phrase

Json = dict[str, Any]


def news(before: Json, fields: Json, after: Json) -> list[Phrase]:
    """From what the same viewer saw before and after a move or outcome with these fields."""
    if fields["action"] == "battle":
        return [_fight(before["pending"], fields["value"])]
    then = {hex_name(tile): tile for tile in before["island_tiles"]}
    found = []
    for tile in after["island_tiles"]:
        was = then[hex_name(tile)]
        values = {"hex": hex_name(tile), "color": tile.get("color"), "letter": tile.get("letter")}
        if tile["face_up"] and not was["face_up"]:
            brought = "shrine" if tile["shrine"] else tile["letter"]
            found.append(Phrase("news_uncovered", values | {"brought": Phrase(f"news_{brought}")}))
        elif "color" in tile and "color" not in was:
            found.append(Phrase("news_seen", values))
    return found


def _fight(pending: Json, roll: int) -> Phrase:
    return Phrase("news_won" if roll >= pending["strength"] else "news_not_won", pending)
