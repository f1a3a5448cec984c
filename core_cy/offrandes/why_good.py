"""Why a move is good, in words: what it brings, and which terms of the evaluation it changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy.offrandes.components import ALTARS, CITIES, TOP, altar_points
from pythia.core_cy.offrandes.facts import offering_points

Json = Mapping[str, Any]

# The words for a change of a term, by whether it fell or rose.
RISES = {
    "product": "makes further offerings larger",
    "growth": "builds up offerings of later rounds",
    "spare": "prepares for more animals",
    "lamp": "brings the priestess's points with every offering",
    "reach": "reaches altars that are worth more",
    "unready": "makes an offering possible in this round",
    "bribes": "can bribe somebody",
    "exposed": "is safe from bribes",
    "money": "saves drachmas",
    "safe": "holds altars that nobody can take now",
}
# What one more of a character is good for, where a pair does not make the next offering larger.
CLIMBS = {
    "farmer": "prepares for animals that are worth more",
    "carrier": RISES["spare"],
    "florist": RISES["spare"],
    "servant": RISES["reach"],
    "priestess": RISES["lamp"],
    "seducer": "prepares to bribe",
    "guard": "protects from bribes",
}
# Changes of fewer points are not mentioned; of the others, at most this number.
WORTH_SAYING = 0.7
MOST = 3


def why_good(
    fields: Json,
    before: Json,
    after: Json,
    seat: int,
    judged: Mapping[str, float],
    then: Mapping[str, float],
    share: float | None,
) -> list[str]:
    """Sentences for a move with these fields. `judged`, `then`: the terms before and after it; `share`: of the win,
    if the game is over then."""
    told = _plain(fields, before, after, seat)
    if share is not None:
        told.append("ends the game" + (" and wins" if share == 1 else " and shares the win" if share else ""))
        return told
    if fields["action"] == "auction":
        return told + _put_up(fields["characters"], before["players"][seat]["ladders"])
    if fields["action"] in ("pass", "bid"):
        return told + _bidding(fields, before, after)
    # What a new round brings everybody is not the move's doing.
    income = ("money", "unready") if after["round"] != before["round"] else ()
    changes = [(then[name] - judged[name], text) for name, text in RISES.items() if name not in income]
    worth = sorted((change for change in changes if change[0] >= WORTH_SAYING), reverse=True)
    return told + [text for _, text in worth[:MOST]]


def _plain(fields: Json, before: Json, after: Json, seat: int) -> list[str]:
    """What everybody can see that the move does."""
    action = fields["action"]
    if action == "offer":
        points = after["players"][seat]["score"] - before["players"][seat]["score"]
        there = before["altars"][ALTARS.index(fields["altar"])]
        told = [f"scores {points} points"]
        if there["city"] == CITIES[seat]:
            return [*told, f"renews the own offering at {fields['altar']}"]
        whose = f" from {there['city']}" if there["city"] else ""
        return [*told, f"takes {fields['altar']}{whose}, {altar_points(fields['altar'])} points at the end"]
    if action == "bribe":
        return [f"climbs on the {fields['characters'][0]} ladder, and {fields['city']} goes down"]
    if action == "end":
        return ["no pair is worth its price now"]
    return []


def _put_up(pair: list[str], levels: Mapping[str, int]) -> list[str]:
    """What a pair would bring the auctioneer."""
    climbing = [character for character in pair if levels[character] < TOP]
    if not climbing:
        return ["is of no use to itself, so that another pays for it"]
    after = dict(levels) | {character: levels[character] + 1 for character in climbing}
    more = offering_points(after) - offering_points(dict(levels))
    if more:
        return [f"would add {more} point{'s' * (more > 1)} to its offering"]
    return list(dict.fromkeys(CLIMBS[character] for character in climbing))


def _bidding(fields: Json, before: Json, after: Json) -> list[str]:
    """Who has the pair, or is ahead for it, after a bid or a pass."""
    pending, pair = after.get("pending", {}), before["pending"]["pair"]
    if after["phase"] == "bid" and pending["pair"] == pair:
        if fields["action"] == "pass":
            return [f"{' and '.join(pair)} are not worth more than {_drachmas(pending['high'])}"]
        return [f"{' and '.join(pair)} are worth {_drachmas(pending['high'])} or more"]
    if fields["action"] == "bid":
        return [f"buys {' and '.join(pair)} for {_drachmas(fields['drachmas'])}"]
    return [f"leaves {' and '.join(pair)} to another"]


def _drachmas(count: int) -> str:
    return f"{count} drachma{'s' * (count > 1)}"
