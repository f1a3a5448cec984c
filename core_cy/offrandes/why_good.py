"""Why a move is good, in words: what it brings, and which terms of the evaluation it changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy.offrandes.components import ALTARS, CITIES, altar_points

Json = Mapping[str, Any]

# How a change of a term is told, by whether it fell or rose.
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
    if fields["action"] in ("pass", "bid", "auction"):
        told += _auction(fields, before, after, seat)
        return told
    changes = [(then[name] - judged[name], text) for name, text in RISES.items()]
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


def _auction(fields: Json, before: Json, after: Json, seat: int) -> list[str]:
    """Who has the pair, or is ahead for it, after a move of an auction."""
    pending = after.get("pending", {})
    if fields["action"] == "auction" and after["phase"] == "open":
        return []
    pair = fields.get("characters") or before["pending"]["pair"]
    if after["phase"] == "bid" and pending["pair"] == pair:
        if fields["action"] == "pass":
            return [f"{' and '.join(pair)} are not worth more than {_drachmas(pending['high'])}"]
        return [f"{' and '.join(pair)} are worth {_drachmas(pending['high'])} or more"]
    paid = before["players"][seat]["drachmas"] - after["players"][seat]["drachmas"]
    if fields["action"] == "bid" and paid > 0:
        return [f"buys {' and '.join(pair)} for {_drachmas(fields['drachmas'])}"]
    return [f"leaves {' and '.join(pair)} to another"]


def _drachmas(count: int) -> str:
    return f"{count} drachma{'s' * (count > 1)}"
