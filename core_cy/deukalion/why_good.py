"""Why a move is good, in words: what it changes for the seat and for others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy.deukalion.components import Facts
from pythia.core_cy.deukalion.facts import chance_to_reach
from pythia.core_cy.deukalion.render import square_of
from pythia.core_cy.move_words import Phrase, ending

Json = Mapping[str, Any]

# Cards that help for the rest of the game.
KEEPS = {card: f"keeps_{card}" for card in ("pegasus", "golden_fleece", "favor_of_hades")}
# Everything that is told; the words are in moves.en.json and moves.de.json.
REASONS = (
    *("ends", "ends_won", "ends_shared", "scores", "brings_back", "attacks_place", "takes", "takes_wanted"),
    *("settles", "anchors", "anchors_loaded", "styx", "attacks_hydra", "attacks_ship", "comes_near"),
    *KEEPS.values(),
)

# The most reasons to give.
MOST = 3


def why_good(
    facts: Facts, fields: Mapping[str, Any], before: Json, after: Json, seat: int, share: float | None
) -> list[Phrase]:
    """Reasons for a move with these fields. `share`: of the win, if the game is over then."""
    if share is not None:
        return [ending(share)]
    old, new = before["players"][seat], after["players"][seat]
    told = _points(old, new)
    told += _deed(facts, fields, before, seat)
    told += _fighters(old, new)
    told += _sailing(facts, fields, before, seat)
    told += _cards(fields)
    return told[:MOST]


def _points(old: Json, new: Json) -> list[Phrase]:
    gained = new["points"] - old["points"]
    return [Phrase("scores", {"n": gained})] if gained > 0 else []


def _fighters(old: Json, new: Json) -> list[Phrase]:
    back = old["underworld"] - new["underworld"]
    return [Phrase("brings_back", {"n": back})] if back > 0 else []


def _deed(facts: Facts, fields: Json, before: Json, seat: int) -> list[Phrase]:
    """What is attacked, and how likely it falls."""
    action, player = fields["action"], before["players"][seat]
    bonus = player["permanent"].count("golden_fleece") + facts.cry * before["used"]["cry"]
    if action in ("attack_city", "attack_settlement"):
        places = facts.cities if action == "attack_city" else facts.settlements
        value = next(place.value for place in places if place.name == fields["place"])
        chance = chance_to_reach(player["fighters"], value - bonus, before["options"]["throw"])
        return [Phrase("attacks_place", {"place": fields["place"], "chance": chance})]
    if action == "take":
        return [_taking(facts, fields["color"], before, seat)]
    if action == "found":
        return [Phrase("settles", {"place": fields["place"]})]
    return []


def _taking(facts: Facts, color: str, before: Json, seat: int) -> Phrase:
    """A treasure, and the first order that asks for it."""
    wanted = [*before["open_orders"], before["players"][seat].get("order", "")]
    for order in facts.orders:
        if order.name in wanted and any(color in task.colors for task in order.tasks):
            return Phrase("takes_wanted", {"color": color, "order": order.name})
    return Phrase("takes", {"color": color})


def _sailing(facts: Facts, fields: Json, before: Json, seat: int) -> list[Phrase]:
    """Where the ship comes to."""
    if fields["action"] != "sail":
        return []
    square = fields["y"] * facts.width + fields["x"]
    letter = facts.letters[square]
    if letter == "a":
        return [Phrase("anchors_loaded" if before["players"][seat]["treasures"] else "anchors")]
    if letter == "X":
        return [Phrase("styx")]
    if square == square_of(before["hydra"], facts):
        return [Phrase("attacks_hydra")]
    for other, player in enumerate(before["players"]):
        if other != seat and square_of(player["ship"], facts) == square:
            return [Phrase("attacks_ship", {"seat": other})]
    near = [
        place.name for place in facts.sites if any(square in facts.touching(there) for there in place.squares)
    ]
    return [Phrase("comes_near", {"places": near})] if near else []


def _cards(fields: Json) -> list[Phrase]:
    if fields["action"] == "play" and fields["card"] in KEEPS:
        return [Phrase(KEEPS[fields["card"]])]
    return []
