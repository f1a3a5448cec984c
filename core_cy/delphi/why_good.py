"""Why a move is good, in words: what it does, and which terms of the evaluation it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from pythia.core_cy.delphi.weights import FEATURES, WEIGHTS
from pythia.core_cy.move_words import Phrase

# Actions that finish or begin something by themselves; those in which a color or a god is named need one.
DEEDS = ("build", "explore", "look")
COLORED_DEEDS = ("deliver", "raise", "load_offering", "load_statue", "fight")
DIVINE_DEEDS = ("advance", "step")
# Features that are worth a word when they fall or rise.
CHANGES = (
    *("sails_falls", "beyond_falls", "searches_falls", "injuries_falls", "recovery_falls"),
    *("favor_rises", "cards_rises", "sails_rises", "beyond_rises", "injuries_rises"),
)
# Everything that is told; the words are in moves.en.json and moves.de.json.
REASONS = (*DEEDS, *COLORED_DEEDS, *DIVINE_DEEDS, *CHANGES, "leaves_favor", "sooner")
# Changes below this many dice are not worth a word.
WORTH_SAYING = 0.15


def why_good(
    fields: Mapping[str, Any], before: Sequence[float], after: Sequence[float], favor: int, dice: float
) -> list[Phrase]:
    """Reasons for a move with these fields. `before`, `after`: the features of the seat; `favor`: what it leaves."""
    told = _deed(fields)
    changes = []
    for name, old, new in zip(FEATURES, before, after, strict=True):
        key = f"{name}_falls" if new < old else f"{name}_rises"
        worth = abs(WEIGHTS[name] * (new - old))
        if key in CHANGES and worth >= WORTH_SAYING:
            changes.append((worth, Phrase(key, {"n": _plain(abs(new - old))})))
    told += [phrase for _, phrase in sorted(changes, key=itemgetter(0), reverse=True)[:2]]
    spent = before[FEATURES.index("favor")] - after[FEATURES.index("favor")]
    if spent > 0:
        told.append(Phrase("leaves_favor", {"n": favor}))
    if dice >= WORTH_SAYING:
        told.append(Phrase("sooner", {"n": dice}))
    return told


def _deed(fields: Mapping[str, Any]) -> list[Phrase]:
    action, color, god = fields["action"], fields.get("used_as") or fields.get("color"), fields.get("god")
    if action in DEEDS:
        return [Phrase(action)]
    if action in COLORED_DEEDS and color:
        return [Phrase(action, {"color": color})]
    if action in DIVINE_DEEDS and god:
        return [Phrase(action, {"god": god})]
    return []


def _plain(number: float) -> float | int:
    return int(number) if number == int(number) else number
