"""Why a move is not legal: one sentence that names the rule it breaks.

This runs only on errors, so it works on the JSON of the position and the parts of the move rather than on the
engine's own structures.
"""

from __future__ import annotations

from typing import Any

from pythia.core_cy.offrandes import components
from pythia.core_cy.offrandes.components import ANIMALS, BRIBABLE, CITIES, TOP

Json = dict[str, Any]

# The phases in which each kind of move can be made.
PHASES_OF = {
    "first": ("first",),
    "recruit": ("setup",),
    "auction": ("auction",),
    "end": ("auction",),
    "bid": ("open", "bid"),
    "pass": ("bid",),
    "bribe": ("bribe",),
    "offer": ("offer",),
    "decline": ("bribe", "offer"),
}


def why_illegal(position: Json, move: Json) -> str:
    phase, action = position["phase"], move["action"]
    if action == "pass" and phase == "open":
        return "the auctioneer must open with a bid (O6)"
    if phase not in PHASES_OF[action]:
        return f"not in phase {phase}; {action} belongs to {' and '.join(PHASES_OF[action])}"
    if "city" in move and CITIES.index(move["city"]) >= len(position["players"]):
        return f"{move['city']} does not play; there are {len(position['players'])} players"
    if action == "auction":
        sold = [word for word in move["characters"] if word in position["pending"]["sold"]]
        return f"{sold[0]} was sold in this auction turn (O6)"
    if action == "bid":
        return _why_no_bid(position, move["drachmas"])
    if action == "bribe":
        return _why_no_bribe(position, CITIES.index(move["city"]), *move["characters"])
    if action == "offer":
        return _why_no_offer(position, move)
    return "not among the legal moves"


def _why_no_bid(position: Json, drachmas: int) -> str:
    seat = position["to_act"]
    held = position["players"][seat]["drachmas"]
    if drachmas > held:
        return f"seat {seat} has {held} drachmas (O7)"
    return f"the highest bid is {position['pending']['high']}; a bid must be higher (O7)"


def _why_no_bribe(position: Json, victim: int, ladder: str) -> str:
    seat = position["to_act"]
    own, theirs = (position["players"][who]["ladders"] for who in (seat, victim))
    if victim == seat:
        return "nobody bribes an own character (O13)"
    if victim in position["pending"]["bribed"]:
        return f"seat {victim} was bribed in this round (O13)"
    if theirs["guard"] >= own["seducer"]:
        return (
            f"seat {victim} has {theirs['guard']} guards; "
            f"{own['seducer']} seducers are not more than that (O13)"
        )
    for who, levels in ((seat, own), (victim, theirs)):
        if levels[ladder] == 0:
            return f"seat {who} has no {ladder} (O14)"
    assert theirs[ladder] == TOP, "all else is a legal bribe"
    return f"seat {victim} is on the top field, and only a seducer on the top field can bribe there (O15)"


def _why_no_offer(position: Json, move: Json) -> str:
    levels = position["players"][position["to_act"]]["ladders"]
    number = min(levels["carrier"], levels["florist"])
    animal = ANIMALS[levels["farmer"] - 1]
    if position["supply"][animal] >= number and (move["number"], move["animal"]) != (number, animal):
        return f"farmer, carrier and florist make an offering of {number} {animal} (O18)"
    if ANIMALS.index(move["animal"]) > ANIMALS.index(animal):
        return f"a farmer on level {levels['farmer']} brings {animal} or, in a short supply, less (O18)"
    left = min(number, position["supply"][move["animal"]])
    if move["number"] != left:
        return f"of {move['animal']}, {left} can be offered (O18)"
    group = components.altar_group(move["altar"])
    if group > levels["servant"]:
        return f"{move['altar']} is of group {group}; a servant on level {levels['servant']} does not reach it (O19)"
    there = next(altar for altar in position["altars"] if altar["altar"] == move["altar"])
    lies = f"{there['number']} {there['animal']} lie there"
    if (there["number"], there["animal"]) == (move["number"], move["animal"]):
        return f"{lies}; an offering must differ from them (O20)"
    return f"{lies}; an offering needs at least as many animals of at least that value (O20)"


# The ladders of BRIBABLE are the only ones that a bribe can name, so their rule needs no words here.
assert "guard" not in BRIBABLE
