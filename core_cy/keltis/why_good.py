"""Why a move is good, in words: what it brings, and which terms of the evaluation it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from pythia.core_cy.keltis.weights import FEATURES, WEIGHTS
from pythia.core_cy.move_words import Phrase, ending

# What `evaluate.features` returns for a seat: points on the track, turns left, features.
Judged = tuple[int, float, Sequence[float]]

# Features that count the same all game long; the others come multiplied with how far off the end is.
LASTING = ("value", "wish")

# Features that are worth a word when they fall or rise.
CHANGES = (
    *("value_falls", "start_falls", "wish_falls", "plays_falls", "open_falls"),
    *(
        "value_rises",
        "progress_rises",
        "wish_rises",
        "stones_rises",
        "mirrors_rises",
        "plays_rises",
        "open_rises",
    ),
    *("goblin_1_rises", "goblin_2_rises", "goblin_3_rises", "oracle_near_rises"),
)
# What one of a feature is in words: progress is counted in fives, openness in shares of a row's 11 numbers.
UNITS = {"progress": 5, "open": 11}

# Moves that score in a way of their own.
SCORES = {"score": "scores_goblins", "play_priestess": "scores_meeting"}
# What the move leads to, by the phase after it.
OPENS = {"clover": "opens_clover", "spiral": "opens_spiral", "goblin": "opens_goblin"}

# Everything that is told; the words are in moves.en.json and moves.de.json.
REASONS = (
    *("ends", "ends_won", "ends_shared", "scores", "gives_useless"),
    *(*SCORES.values(), *OPENS.values(), *CHANGES),
)

# Changes of fewer points are not mentioned; of the others, at most this number.
WORTH_SAYING = 0.5
MOST = 3


def why_good(
    fields: Mapping[str, Any], before: Judged, after: Judged, phase: str, share: float | None
) -> list[Phrase]:
    """Reasons for a move with these fields. `phase`: after it; `share`: of the win, if the game is over then."""
    if share is not None:
        return [ending(share)]
    action = fields["action"]
    told = []
    points = after[0] - before[0]
    if points > 0:
        told.append(Phrase(SCORES.get(action, "scores"), {"n": points}))
    if action in ("play_figure", "step", "back") and phase in OPENS:
        told.append(Phrase(OPENS[phase]))
    old, new = _counts(before), _counts(after)
    if action in ("play_figure", "play_priestess"):
        old["plays"] -= 1  # the card that is played is used, not lost
    elif action in ("discard", "drop_hand") and round(new["plays"] - old["plays"]) == 0:
        told.append(Phrase("gives_useless"))
    return told + _changes(old, new, _fading(before))


def _changes(old: Mapping[str, float], new: Mapping[str, float], fading: float) -> list[Phrase]:
    """What changed, the weightiest first."""
    changes = []
    for name in FEATURES:
        change = new[name] - old[name]
        key = f"{name}_falls" if change < 0 else f"{name}_rises"
        worth = abs(WEIGHTS[name] * change) * (1 if name in LASTING else fading)
        if key in CHANGES and worth >= WORTH_SAYING:
            changes.append((worth, Phrase(key, {"n": round(abs(change) * UNITS.get(name, 1))})))
    return [phrase for _, phrase in sorted(changes, key=itemgetter(0), reverse=True)[:MOST]]


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
