"""Why a move is good, in words: what it does, and which terms of the evaluation it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pythia.core_cy.delphi.weights import FEATURES, WEIGHTS

# What to say about a feature that fell or rose by {n}; {s} is the plural's s.
FALLS = {
    "sails": "saves {n} sail{s} on the way",
    "beyond": "shortens the way by {n} space{s}",
    "searches": "expects {n:.1f} fewer fruitless explorations",
    "injuries": "heals {n} injury card{s}",
    "recovery": "avoids having to recover",
}
RISES = {
    "favor": "gains {n} favor",
    "cards": "gains {n} oracle card{s}",
    "sails": "costs {n} more sail{s}",
    "beyond": "lengthens the way by {n} space{s}",
    "injuries": "costs {n} injury card{s}",
}
# Actions that finish or begin something by themselves.
DEEDS = {
    "deliver": "delivers the {color} offering",
    "raise": "raises the {color} statue",
    "build": "builds a shrine",
    "explore": "explores an island",
    "load_offering": "loads the {color} offering",
    "load_statue": "loads the {color} statue",
    "fight": "fights the {color} monster",
    "look": "looks at tiles not seen yet",
    "advance": "advances {god}",
    "step": "advances {god}",
}
# Changes below this many dice are not worth a word.
WORTH_SAYING = 0.15


def why_good(
    fields: Mapping[str, Any], before: Sequence[float], after: Sequence[float], favor: int, dice: float
) -> list[str]:
    """Sentences for a move with these fields. `before`, `after`: the features of the seat; `favor`: what it leaves."""
    told = []
    deed = DEEDS.get(fields["action"])
    color = fields.get("used_as") or fields.get("color")
    if deed is not None and ("{color}" not in deed or color) and ("{god}" not in deed or fields.get("god")):
        told.append(deed.format(color=color, god=str(fields.get("god", "")).capitalize()))
    changes = []
    for name, old, new in zip(FEATURES, before, after, strict=True):
        texts = FALLS if new < old else RISES
        worth = abs(WEIGHTS[name] * (new - old))
        if name in texts and worth >= WORTH_SAYING:
            number = _plain(abs(new - old))
            changes.append((worth, texts[name].format(n=number, s="" if number == 1 else "s")))
    told += [text for _, text in sorted(changes, reverse=True)[:2]]
    spent = before[FEATURES.index("favor")] - after[FEATURES.index("favor")]
    if spent > 0:
        told.append(f"leaves {favor} favor")
    if dice >= WORTH_SAYING:
        told.append(f"finishes {dice:.1f} dice sooner")
    return told


def _plain(number: float) -> float | int:
    return int(number) if number == int(number) else number
