"""What came of a move that its own words do not say: what it scored, and which card was taken from the discards."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.keltis.facts import score
from pythia.core_cy.move_words import Phrase

Json = dict[str, Any]


def news(before: Json, fields: Json, after: Json) -> list[Phrase]:
    """From what the same viewer saw before and after a move or outcome with these fields."""
    if fields["action"] == "take_discard":
        color = fields["color"]
        return [Phrase("news_card", {"color": color, "number": before["discards"][color][-1]})]
    if before["to_act"] < 0:
        return []
    was, now = before["players"][before["to_act"]], after["players"][before["to_act"]]
    gains = {name: now[name] - was[name] for name in ("score", "wish_stones", "mirrors")}
    found = [Phrase(f"news_{name}", {"n": gain}) for name, gain in gains.items() if gain]
    total = score(now)["total"]
    if total != score(was)["total"]:
        found.append(Phrase("news_total", {"total": total}))
    return found
