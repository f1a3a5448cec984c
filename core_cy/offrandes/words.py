"""What a move does and which pieces it uses, for `pythia.core_cy.move_words`; the words are in its moves.*.json.

Keys of pieces are those of the picture (svg.py; docs/offrandes.md lists them).
"""

from __future__ import annotations

from typing import Any

from pythia.core_cy.move_words import MovePhrases, PartPhrase, Phrase
from pythia.core_cy.offrandes.components import CITIES

Json = dict[str, Any]


def phrases(position: Json, fields: Json, facts: Json) -> MovePhrases:
    """The move with these fields, as `move_fields` gives them."""
    action, seat = fields["action"], position["to_act"]
    if seat < 0:
        return MovePhrases(Phrase(f"outcome_{action}", fields))
    if action == "decline":
        return MovePhrases(Phrase(f"decline_{position['phase']}"))
    values = fields | {"pair": position.get("pending", {}).get("pair", [])}
    if action == "offer":
        values["offered"] = Phrase(f"animals_{fields['animal']}", fields)
    return MovePhrases(Phrase(action, values), tuple(_parts(action, seat, values)))


def _parts(action: str, seat: int, fields: Json) -> list[PartPhrase]:
    if action in ("recruit", "auction"):
        names = fields["characters"]
        return [PartPhrase("choice", f"character:{name}", "character", {"character": name}) for name in names]
    if action == "bid":
        return [PartPhrase("cost", f"holding:{seat}:drachmas", "drachmas", fields)]
    if action == "bribe":
        (ladder,) = fields["characters"]
        victim = f"disc:{CITIES.index(fields['city'])}:{ladder}"
        values = {"city": fields["city"], "character": ladder}
        return [
            PartPhrase("source", f"disc:{seat}:{ladder}", "own_disc", values),
            PartPhrase("target", victim, "disc", values),
        ]
    if action == "offer":
        return [
            PartPhrase("source", f"animal:{fields['animal']}", "animals", fields),
            PartPhrase("target", f"altar:{fields['altar']}", "altar", fields),
        ]
    return []
