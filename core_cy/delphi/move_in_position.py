"""A move in the JSON of a position, with what is looked up about it: what the player has, what things cost.

Shared by the reasons why a move is not legal and by the facts about one that is. Neither is needed while searching.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pythia.core_cy.delphi.board import Hex
from pythia.core_cy.delphi.components import COLORS, RANGE_OF_CREATURE, RANGE_OF_SHIP, SAIL_RANGE

Json = dict[str, Any]
# Spaces to sail from one hex to another, the last argument being whether shallows are crossed; None: no way.
Distance = Callable[[Hex, Hex, bool], int | None]


class MoveInPosition:
    """`fields` are the move's parts, as `move_fields` gives them."""

    def __init__(self, position: Json, fields: Json, distance: Distance) -> None:
        self.position = position
        self.fields = fields
        self.distance = distance
        self.pending: Json = position.get("pending", {})
        self.seat: int = max(position["to_act"], 0)
        self.player: Json = position["players"][self.seat]
        self.board: dict[Hex, Json] = {(at["q"], at["r"]): at for at in position["board"]}
        self.ship: Hex = (self.player["ship"]["q"], self.player["ship"]["r"])
        self.hexes: list[Hex] = [(at["q"], at["r"]) for at in fields.get("hexes", ())]
        self.action: str = fields["action"]
        self.source: str = fields.get("source", "")
        # The color that the action is about.
        self.color: str = fields.get("used_as") or fields.get("color", "")
        self.favor: int = self.player["favor"]

    # -- what the player has

    def owns(self, card: str) -> bool:
        return card in self.player["equipment"]

    def has_companion(self, kind: str, color: str) -> bool:
        return {"kind": kind, "color": color} in self.player["companions"]

    def tasks_left(self) -> int:
        tasks = self.player["tasks"]
        total: int = tasks["shrine"] + tasks["statue"] + len(tasks["offering"]) + len(tasks["monster"])
        return total

    # -- recoloring

    def use_cost(self, color: str, used: str) -> int:
        """Favor to use a die or card of one color as another (R10, R11, R32)."""
        if self.player["apollon"]:
            return 0
        ways = [used, *(c for c in COLORS if self.has_companion("demigod", c))]
        cost = min(self.recolor_steps(color, way) for way in ways)
        return max(cost - 1, 0) if self.player["ship_tile"] == "cheap_recolor" else cost

    def recolor_steps(self, color: str, target: str) -> int:
        steps = (COLORS.index(target) - COLORS.index(color)) % len(COLORS)
        return min(steps, len(COLORS) - steps) if self.player["ship_tile"] == "two_way_recolor" else steps

    # -- sailing

    def creature_helps(self) -> bool:
        """A creature of the color in use goes further and to any color (R12); an extra action has no use for it."""
        return self.source != "extra" and self.has_companion("creature", self.color)

    def range(self) -> int:
        """Spaces that the ship sails for nothing."""
        own: int = (
            SAIL_RANGE + RANGE_OF_SHIP * (self.player["ship_tile"] == "range") + self.owns("range_plus_1")
        )
        return own + RANGE_OF_CREATURE * self.creature_helps()

    def spaces(self) -> int | None:
        """How far it is to where the move goes; None: there is no way."""
        return self.distance(self.ship, self.hexes[0], self.owns("cross_shallows"))

    # -- what open tasks need, as sets of colors (R7, R18, R20)

    def offerings_needed(self) -> set[str]:
        """Those that fit an open task together with what is aboard."""
        tasks, aboard = self.player["tasks"]["offering"], self.player["cargo"]["offerings"]
        needed = {color for color in tasks if color != "any"}
        if "any" in tasks and all(color in tasks for color in aboard):
            needed |= set(COLORS) - set(self.player["done"]["offering"])
        return needed - set(aboard)

    def monsters_needed(self) -> set[str]:
        tasks = self.player["tasks"]["monster"]
        needed = {color for color in tasks if color != "any"}
        return needed | (set(COLORS) - set(self.player["done"]["monster"]) if "any" in tasks else set())

    def statues_needed(self) -> set[str]:
        aboard = self.player["cargo"]["statues"]
        if len(aboard) >= self.player["tasks"]["statue"]:
            return set()
        return set(COLORS) - set(self.player["done"]["statue"]) - set(aboard)

    # -- islands

    def colors_at(self, what: str, at: Hex) -> list[str]:
        """The offerings or monsters on a hex."""
        for island in self.position[what]:
            if (island["q"], island["r"]) == at:
                colors: list[str] = island["colors"]
                return colors
        return []

    def tile(self, at: Hex) -> Json | None:
        for tile in self.position["island_tiles"]:
            if (tile["q"], tile["r"]) == at:
                found: Json = tile
                return found
        return None
