"""What came of a move that its own words do not say: who bought what that was for sale, and what an offering scored."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.move_words import Phrase

Json = dict[str, Any]


def news(before: Json, fields: Json, after: Json) -> list[Phrase]:
    """From what the same viewer saw before and after a move or outcome with these fields."""
    seat, action = before["to_act"], fields["action"]
    if action in ("bid", "pass"):
        return _sold(before["pending"], fields, seat, after)
    scored = after["players"][seat]["score"] - before["players"][seat]["score"] if seat >= 0 else 0
    return [Phrase("news_score", {"n": scored})] if scored else []


def _sold(pending: Json, fields: Json, seat: int, after: Json) -> list[Phrase]:
    """To the highest bidder, once nobody else is left."""
    then = after.get("pending", {})
    if then.get("kind") in ("bid", "open") and then["pair"] == pending["pair"]:
        return []
    leader, price = (
        (seat, fields["drachmas"]) if fields["action"] == "bid" else (pending["leader"], pending["high"])
    )
    values = {"city": after["players"][leader]["city"], "drachmas": price}
    return [Phrase("news_sold", values)]
