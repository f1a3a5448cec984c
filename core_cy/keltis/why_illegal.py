"""Why a move is not legal: one sentence that names the rule it breaks.

This runs only on errors, so it works on the JSON of the position and the parts of the move rather than on the
engine's own structures.
"""

from __future__ import annotations

from typing import Any

from pythia.core_cy.keltis import components

Json = dict[str, Any]

# The phase in which each kind of move can be made.
PHASES_OF = {
    "play_figure": ("play",),
    "play_priestess": ("play",),
    "discard": ("play",),
    "score": ("play", "score"),
    "step": ("clover",),
    "back": ("spiral",),
    "drop_hand": ("goblin",),
    "drop_row": ("goblin",),
    "decline": ("clover", "spiral", "goblin", "score"),
    "take_pile": ("take",),
    "take_discard": ("take",),
    "draw": ("draw",),
}


def why_illegal(position: Json, move: Json) -> str:
    phase, action = position["phase"], move["action"]
    if phase not in PHASES_OF[action]:
        phases = " and ".join(PHASES_OF[action])
        return f"not in phase {phase}; {action.replace('_', ' ')} belongs to {phases}"
    player = position["players"][position["turn"]]
    pending = position.get("pending", {})
    if action == "draw":
        return f"no {move['color']} {move['number']} is left in the pile"
    if action in ("play_figure", "play_priestess", "discard", "drop_hand"):
        card = f"{move['color']} {move['number']}"
        if card not in player["hand"]:
            return f"{card} is not in the hand of seat {position['turn']}"
        row = player["rows"][move["color"]]
        if not _fits(row, move["number"]):
            direction = "rising" if row[-1] > row[0] else "falling"
            return f"{move['number']} does not fit the {direction} {move['color']} row, which ends with {row[-1]} (K9)"
    if action == "play_priestess":
        return _why_no_priestess(position, move)
    if action in ("play_figure", "step"):
        return _why_no_figure(player, pending, move)
    if action == "back":
        if move["space"] == pending["began"]:
            return f"the figure began its turn on space {move['space']} (K10)"
        return f"space {move['space']} is not behind space {pending['space']} (K10)"
    if action == "drop_row":
        return f"the {move['color']} row is empty"
    if action == "take_discard":
        if not position["discards"][move["color"]]:
            return f"the {move['color']} discard pile is empty"
        return f"the {move['color']} card was discarded in this turn and may not be taken back"
    if action == "score":
        if player["goblins_scored"]:
            return "the goblin scoring was made before; it is made once in a game (K8)"
        return "the three figures do not all stand on goblin spaces (K8)"
    return "not among the legal moves"


def _fits(row: list[int], number: int) -> bool:
    if not row or row[0] == row[-1]:
        return True
    return number >= row[-1] if row[-1] > row[0] else number <= row[-1]


def _why_no_priestess(position: Json, move: Json) -> str:
    ahead = components.LAST_SPACE - position["priestess"]
    reach = components.priestess_reach(move["number"])
    if move["spaces"] > reach:
        return f"a {move['number']} moves the priestess at most {reach} spaces (K7)"
    return f"only {ahead} spaces are ahead of the priestess"


def _why_no_figure(player: Json, pending: Json, move: Json) -> str:
    if move["space"] not in player["figures"]:
        return f"no own figure stands on space {move['space']}"
    if move["action"] == "step" and move["space"] != pending["space"]:
        return f"the clover moves the figure that came to space {pending['space']} (K12)"
    color = f"{move['color']} space" if "color" in move else "space of the clover's color"
    return f"no {color} is ahead of space {move['space']}"
