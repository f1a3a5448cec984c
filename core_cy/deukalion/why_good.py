"""Why a move is good, in words: what it changes for the seat and for others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy.deukalion.components import Facts
from pythia.core_cy.deukalion.facts import chance_to_reach
from pythia.core_cy.deukalion.render import square_of

Json = Mapping[str, Any]

# The most sentences to give.
MOST = 3


def why_good(
    facts: Facts, fields: Mapping[str, Any], before: Json, after: Json, seat: int, share: float | None
) -> list[str]:
    """Sentences for a move with these fields. `share`: of the win, if the game is over then."""
    if share is not None:
        return ["ends the game" + (" and wins" if share == 1 else " and shares the win" if share else "")]
    old, new = before["players"][seat], after["players"][seat]
    told = _points(old, new)
    told += _deed(facts, fields, before, seat)
    told += _fighters(old, new)
    told += _sailing(facts, fields, before, after, seat)
    told += _cards(fields)
    return told[:MOST]


def _several(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _points(old: Json, new: Json) -> list[str]:
    gained = new["points"] - old["points"]
    return [f"scores {_several(gained, 'point')}"] if gained > 0 else []


def _fighters(old: Json, new: Json) -> list[str]:
    back = old["underworld"] - new["underworld"]
    return [f"brings back {_several(back, 'fighter')}"] if back > 0 else []


def _deed(facts: Facts, fields: Json, before: Json, seat: int) -> list[str]:
    """What is attacked, and how likely it falls."""
    action, player = fields["action"], before["players"][seat]
    bonus = player["permanent"].count("golden_fleece") + facts.cry * before["used"]["cry"]
    if action in ("attack_city", "attack_settlement"):
        places = facts.cities if action == "attack_city" else facts.settlements
        value = next(place.value for place in places if place.name == fields["place"])
        chance = chance_to_reach(player["fighters"], value - bonus, before["options"]["throw"])
        return [f"attacks {fields['place']}, which falls in {chance:.0%} of throws"]
    if action == "take":
        return [f"takes a {fields['color']} treasure{_asked_for(facts, fields['color'], before, seat)}"]
    if action == "found":
        return [f"settles {fields['place']}"]
    return []


def _asked_for(facts: Facts, color: str, before: Json, seat: int) -> str:
    wanted = [*before["open_orders"], before["players"][seat].get("order", "")]
    asking = [
        order.name
        for order in facts.orders
        if order.name in wanted and any(color in task.colors for task in order.tasks)
    ]
    return f", which {asking[0]} asks for" if asking else ""


def _sailing(facts: Facts, fields: Json, before: Json, after: Json, seat: int) -> list[str]:
    """Where the ship comes to."""
    if fields["action"] != "sail":
        return []
    square = fields["y"] * facts.width + fields["x"]
    letter = facts.letters[square]
    if letter == "a":
        return [
            "reaches an anchor" + (" with treasures aboard" if before["players"][seat]["treasures"] else "")
        ]
    if letter == "X":
        return ["reaches the Styx"]
    if square == square_of(before["hydra"], facts):
        return ["attacks the Hydra"]
    for other, player in enumerate(before["players"]):
        if other != seat and square_of(player["ship"], facts) == square:
            return [f"attacks the ship of seat {other}"]
    near = [
        place.name for place in facts.sites if any(square in facts.touching(there) for there in place.squares)
    ]
    return [f"comes near {' and '.join(near)}"] if near else []


def _cards(fields: Json) -> list[str]:
    told = {
        "pegasus": "sails a square farther in every turn from now on",
        "golden_fleece": "has a point more in every throw from now on",
        "favor_of_hades": "loses a fighter less in every throw from now on",
    }
    if fields["action"] == "play" and fields["card"] in told:
        return [told[fields["card"]]]
    return []
