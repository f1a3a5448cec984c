"""Why a move is good, in words: what it brings, and which terms of the evaluation it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pythia.core_cy.keltis.weights import FEATURES, WEIGHTS

# What `evaluate.features` returns for a seat: points on the track, turns left, features.
Judged = tuple[int, float, Sequence[float]]

# Features that count the same all game long; the others come multiplied with how far off the end is.
LASTING = ("value", "wish")

# The words for a change of a feature, by whether it fell or rose; {n} is by how much, {s} makes it several.
FALLS = {
    "value": "makes figures worth {n} point{s} less at the end",
    "start": "brings {n} figure{s} off the start stone",
    "wish": "makes wish stones worth {n} point{s} less",
    "plays": "can play {n} card{s} less",
    "open": "narrows the rows by {n} number{s}",
}
RISES = {
    "value": "makes figures worth {n} point{s} more at the end",
    "progress": "brings figures {n} space{s} on",
    "wish": "makes wish stones worth {n} point{s} more",
    "stones": "takes {n} wish stone{s}",
    "mirrors": "takes {n} mirror{s}",
    "plays": "can play {n} card{s} more",
    "open": "opens the rows to {n} number{s} more",
    "goblin_1": "has a figure on a goblin",
    "goblin_2": "has two figures on goblins",
    "goblin_3": "has all figures on goblins",
    "oracle_near": "has {n} figure{s} more close ahead of the priestess",
}
# What one of a feature is in words: progress is counted in fives, openness in shares of a row's 11 numbers.
UNITS = {"progress": 5, "open": 11}

# What the move leads to, by the phase after it.
OPENS = {
    "clover": "reaches a clover, which leads on",
    "spiral": "reaches a spiral, which can lead back",
    "goblin": "reaches a goblin, which may take a card away",
}

# Changes of fewer points are not mentioned; of the others, at most this number.
WORTH_SAYING = 0.5
MOST = 3


def why_good(
    fields: Mapping[str, Any], before: Judged, after: Judged, phase: str, share: float | None
) -> list[str]:
    """Sentences for a move with these fields. `phase`: after it; `share`: of the win, if the game is over then."""
    if share is not None:
        return ["ends the game" + (" and wins" if share == 1 else " and shares the win" if share else "")]
    action = fields["action"]
    told = []
    points = after[0] - before[0]
    if points > 0:
        how = {"score": " with goblins", "play_priestess": " where the priestess meets a figure"}.get(
            action, ""
        )
        told.append(f"scores {_several('{n} point{s}', points)}{how}")
    if action in ("play_figure", "step", "back") and phase in OPENS:
        told.append(OPENS[phase])
    old, new = _counts(before), _counts(after)
    if action in ("play_figure", "play_priestess"):
        old["plays"] -= 1  # the card that is played is used, not lost
    elif action in ("discard", "drop_hand") and round(new["plays"] - old["plays"]) == 0:
        told.append("gives away a card that could not be played")
    return told + _changes(old, new, _fading(before))


def _changes(old: Mapping[str, float], new: Mapping[str, float], fading: float) -> list[str]:
    """What changed, the weightiest first."""
    changes = []
    for name in FEATURES:
        weight = WEIGHTS[name]
        change = new[name] - old[name]
        texts = FALLS if change < 0 else RISES
        worth = abs(weight * change) * (1 if name in LASTING else fading)
        if name in texts and worth >= WORTH_SAYING:
            changes.append((worth, _several(texts[name], round(abs(change) * UNITS.get(name, 1)))))
    return [text for _, text in sorted(changes, reverse=True)[:MOST]]


def _several(text: str, count: int) -> str:
    return text.format(n=count, s="" if count == 1 else "s")


def _counts(judged: Judged) -> dict[str, float]:
    """The features as plain counts, the same at any time of the game."""
    fading = _fading(judged)
    return {
        name: value if name in LASTING else value / fading if fading else 0.0
        for name, value in zip(FEATURES, judged[2], strict=True)
    }


def _fading(judged: Judged) -> float:
    turns = judged[1]
    return turns / (turns + WEIGHTS["fade"])
