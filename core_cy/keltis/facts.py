"""What a legal move costs and brings, and the score with its parts, as plain facts for people.

Everything follows from what the viewer sees. Scores are open in this game; only hands and the pile are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pythia.core_cy.keltis import components

Json = dict[str, Any]


# -- scores


def scores(position: Json) -> list[Json]:
    """Of each seat, as if the game ended now."""
    return [score(player) for player in position["players"]]


def score(player: Json) -> Json:
    """`track` are the points on the track; mirrors score the wish stones once more each (K4, K6)."""
    wishes = components.WISH_VALUES[player["wish_stones"]]
    parts = {
        "track": player["score"],
        "figures": sum(map(components.end_value, player["figures"])),
        "wish_stones": wishes,
        "mirrors": wishes * player["mirrors"],
    }
    return {"total": sum(parts.values()), "parts": parts}


# -- moves


def move_facts(position: Json, fields: Json) -> dict[str, Json]:
    """`price` and `gains` of a move with these fields, in what a viewer sees."""
    move = _LegalMove(position, fields)
    return {"price": move.price(), "gains": move.gains()}


class _LegalMove:
    def __init__(self, position: Json, fields: Json) -> None:
        self.position = position
        self.fields = fields
        self.action: str = fields["action"]
        self.player: Json = position["players"][position["turn"]]
        self.pending: Json = position.get("pending", {})

    def price(self) -> Json:
        """The card that is given up."""
        if self.action == "drop_row":
            color = self.fields["color"]
            return {"card": f"{color} {self.player['rows'][color][-1]}"}
        return {"card": f"{self.fields['color']} {self.fields['number']}"} if "number" in self.fields else {}

    def gains(self) -> Json:
        found: Callable[[], Json] | None = getattr(self, f"gains_of_{self.action}", None)
        return found() if found else {}

    # -- figures

    def gains_of_play_figure(self) -> Json:
        return self.landing(self.fields["space"], next_space(self.fields["space"], self.fields["color"]))

    def gains_of_step(self) -> Json:
        clover = self.tile(self.pending["space"])
        return self.landing(self.fields["space"], next_space(self.fields["space"], clover["color"]))

    def gains_of_back(self) -> Json:
        return self.landing(self.pending["space"], self.fields["space"])

    def landing(self, start: int, end: int) -> Json:
        """Where a figure lands, what it would score there, what lies there, and what all that does to the total."""
        figures = list(self.player["figures"])
        figures[figures.index(start)] = end
        gains: Json = {"lands_on": end, "value": components.end_value(end)}
        brought: Json = {}
        if self.ends_game(figures, end):
            gains["ends_game"] = True  # at once: what lies there does not count any more (K11)
        elif end:
            tile = self.tile(end)
            gains["tile"] = tile["tile"]
            brought = tile_brings(tile)
        after = self.player | {
            "figures": figures,
            "score": self.player["score"] + brought.get("points", 0),
            "wish_stones": self.player["wish_stones"] + brought.get("wish_stones", 0),
            "mirrors": self.player["mirrors"] + brought.get("mirrors", 0),
        }
        return gains | brought | {"total": score(after)["total"] - score(self.player)["total"]}

    def ends_game(self, figures: list[int], end: int) -> bool:
        """The third figure of the player, or the fifth of all, is in the goal area (K11)."""
        own = figures_in_goal(figures)
        others = sum(figures_in_goal(player["figures"]) for player in self.position["players"])
        others -= figures_in_goal(self.player["figures"])
        full = own == components.FIGURES or own + others >= components.FIGURES_IN_GOAL
        return end >= components.GOAL and full

    def tile(self, space: int) -> Json:
        """What lies on a space other than the start stone, with the wish stones of a big stone as a tile."""
        found: list[Json] = [tile for tile in self.position["path"] if tile["space"] == space]
        found += [
            stone | {"tile": "wish_stone"}
            for stone in self.position["wish_stones"]
            if stone["space"] == space
        ]
        return found[0]

    # -- points

    def gains_of_play_priestess(self) -> Json:
        space = self.position["priestess"] + self.fields["spaces"]
        return {"priestess_on": space} | (
            points(components.ORACLE_BONUS) if space in self.player["figures"] else {}
        )

    def gains_of_score(self) -> Json:
        goblins = len(set(self.player["figures"]))
        return points(self.position["options"]["goblin_values"][goblins - 1])

    # -- cards

    def gains_of_take_pile(self) -> Json:
        last = self.position["pile_count"] == 1
        return {"cards": 1} | ({"ends_game": True} if last else {})

    def gains_of_take_discard(self) -> Json:
        color = self.fields["color"]
        return {"card": f"{color} {self.position['discards'][color][-1]}"}


def next_space(space: int, color: str) -> int:
    """The next space of a color; a legal move has one."""
    ahead = range(space + 1, components.LAST_SPACE + 1)
    return next(there for there in ahead if components.space_color(there) == color)


def figures_in_goal(figures: list[int]) -> int:
    return sum(space >= components.GOAL for space in figures)


def tile_brings(tile: Json) -> Json:
    if tile["tile"] == "points":
        return {"points": tile["value"]}
    if tile["tile"] == "mirror" and not tile["taken"]:
        return {"mirrors": 1}
    if tile["tile"] == "wish_stone" and tile["stones"]:
        return {"wish_stones": 1}
    return {}


def points(number: int) -> Json:
    return {"points": number, "total": number}
