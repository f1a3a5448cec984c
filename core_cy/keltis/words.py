"""What a move does and which pieces it uses, for `pythia.core_cy.move_words`; the words are in its moves.*.json.

Keys of pieces are those of the picture (svg.py; docs/keltis.md lists them).
"""

from __future__ import annotations

from typing import Any

from pythia.core_cy.keltis.components import LAST_SPACE
from pythia.core_cy.keltis.facts import next_space
from pythia.core_cy.move_words import MovePhrases, PartPhrase, Phrase

Json = dict[str, Any]

# For moves with no more than one piece: its role, key and name.
ONE_PIECE = {
    "drop_row": ("source", "row:{seat}:{color}", "row"),
    "take_pile": ("source", "pile:draw", "pile"),
    "take_discard": ("source", "discards:{color}", "discards"),
    "score": (),
}


def phrases(position: Json, fields: Json, facts: Json) -> MovePhrases:
    """The move with these fields, as `move_fields` gives them, in what a viewer sees."""
    action, seat = fields["action"], position["to_act"]
    if seat < 0:
        return MovePhrases(Phrase(f"outcome_{action}", fields))
    if action == "decline":
        pending = position["pending"]
        return MovePhrases(Phrase(f"decline_{pending['kind']}", pending))
    parts = []
    if "number" in fields:
        parts.append(PartPhrase("source", _card_key(position, seat, fields), "card", fields))
    values = dict(fields)
    if action == "drop_row":
        values["last"] = position["players"][seat]["rows"][fields["color"]][-1]
    way = _way(position, fields)
    if way:
        start, values["to"] = way
        if action == "play_priestess":
            parts.append(PartPhrase("source", "piece:priestess", "priestess"))
        else:
            parts.append(PartPhrase("source", f"figure:{seat}:{start}", "figure", {"space": start}))
        parts.append(PartPhrase("target", f"space:{values['to']}", "space", {"space": values["to"]}))
    elif action in ("discard", "drop_hand"):
        parts.append(PartPhrase("target", f"discards:{fields['color']}", "discards", fields))
    elif ONE_PIECE[action]:
        role, key, name = ONE_PIECE[action]
        parts.append(PartPhrase(role, key.format(seat=seat, **fields), name, fields))
    return MovePhrases(Phrase(f"{action}_which" if "which" in fields else action, values), tuple(parts))


def _card_key(position: Json, seat: int, fields: Json) -> str:
    """The key of a card in hand, if the viewer sees it."""
    player, color, number = position["players"][seat], fields["color"], fields["number"]
    shown = player["hand"] if position.get("observer", seat) == seat else player["known"]
    return f"card:{seat}:{color}:{number}" if f"{color} {number}" in shown else ""


def _way(position: Json, fields: Json) -> tuple[int, int] | None:
    """From where to where a figure or the priestess goes."""
    action, pending = fields["action"], position.get("pending", {})
    if action == "play_priestess":
        return position["priestess"], min(position["priestess"] + fields["spaces"], LAST_SPACE)
    if action == "back":
        return pending["space"], fields["space"]
    if action == "play_figure":
        return fields["space"], next_space(fields["space"], fields["color"])
    if action == "step":
        clover = next(tile for tile in position["path"] if tile["space"] == pending["space"])
        return fields["space"], next_space(fields["space"], clover["color"])
    return None
