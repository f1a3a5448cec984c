"""What came of a move that its own words do not say: how a throw ended, orders it fulfilled, points it brought."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.deukalion.components import Facts
from pythia.core_cy.deukalion.render import facts_of
from pythia.core_cy.move_words import Phrase

Json = dict[str, Any]


def news(before: Json, fields: Json, after: Json) -> list[Phrase]:
    """From what the same viewer saw before and after a move or outcome with these fields."""
    found = _throw(before, fields, after) if fields["action"] == "throw" else []
    for seat, (was, now) in enumerate(zip(before["players"], after["players"], strict=True)):
        claimed = fields.get("order") if seat == before["to_act"] else None
        orders = [name for name in now["fulfilled"] if name not in (*was["fulfilled"], claimed)]
        if orders:
            found.append(Phrase("news_fulfils", {"seat": seat, "order": orders}))
        if now["points"] != was["points"]:
            found.append(Phrase("news_points", {"seat": seat, "total": now["points"]}))
    return found


def _throw(before: Json, fields: Json, after: Json) -> list[Phrase]:
    """The points of the throw, and who won with them if that is settled (D26 to D29)."""
    pending, printed = before["pending"], facts_of(before)
    fight, seat = pending["fight"], pending["seat"]
    scored = fields["down"] + fields["half"] / 2 + _bonus(before, printed, seat)
    whole = scored == int(scored)
    found = [Phrase("news_scored" if whole else "news_scored_half", {"n": int(scored) if whole else scored})]
    if fight == "ship":
        if after.get("pending", {}).get("kind") == "throw":
            return found
        attacks = seat == pending["attacker"]
        # Whoever has nobody to throw has no points but those of cards.
        mine, theirs = (
            (scored, _bonus(before, printed, pending["defender"]))
            if attacks
            else (pending.get("score", 0) / 2, scored)
        )
        winner = pending["attacker"] if mine > theirs else pending["defender"]
        return [*found, Phrase("news_ship_wins", {"hero": before["players"][winner]["hero"]})]
    if fight in ("city", "settlement"):
        name = "news_falls" if scored >= _value_of(printed, pending["place"]) else "news_holds"
        return [*found, Phrase(name, pending)]
    return [*found, Phrase("news_hydra_beaten" if scored >= printed.hydra_value else "news_hydra_wins")]


def _bonus(position: Json, printed: Facts, seat: int) -> int:
    """Points that cards add to a throw (D24, D25)."""
    fleeces: int = position["players"][seat]["permanent"].count("golden_fleece")
    return fleeces + (
        printed.cry * int(position["used"]["cry"]) if seat == position["pending"]["attacker"] else 0
    )


def _value_of(printed: Facts, place: str) -> float:
    values = {city.name: city.value for city in printed.cities}
    return (values | {site.name: site.value for site in printed.settlements})[place]
