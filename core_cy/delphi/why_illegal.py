"""Why a move is not legal: one sentence that names the rule it breaks.

This runs only on errors, so it works on the JSON of the position and the parts of the move rather than on the
engine's own structures. It checks what the rules check, in the order in which a player would: whose decision,
which die, what it costs, what is there, what is in reach.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from pythia.core_cy.delphi.board import Hex, hex_text, neighbours
from pythia.core_cy.delphi.components import (
    COLOR_OF_GOD,
    COLORS,
    EQUIPMENT,
    EXTRA_ACTION_COST,
    GOD_OF_COLOR,
    MORE_TOLERANCE,
    RECOVER_AT_ALL,
    RECOVER_AT_ONE_COLOR,
    SHIP_TILES,
    TOP_ROW,
)
from pythia.core_cy.delphi.move_in_position import Distance, Json, MoveInPosition

if TYPE_CHECKING:
    from pythia.core_cy.game import State

EXAMPLES_SHOWN = 3

# The phases in which moves without a source can be made.
PHASES_OF = {
    "end": ("act",),
    "ship": ("draft",),
    "return_shrine": ("setup",),
    "return_statue": ("setup",),
    "return_offering": ("setup",),
    "return_monster": ("setup",),
    "equip": ("setup", "equip"),
    "recover": ("start",),
    "favor": ("start",),
    "step": ("start", "step", "follow"),
    "fight_on": ("fight",),
    "give_up": ("fight",),
    "companion": ("companion",),
    "heal_color": ("heal",),
    "take_offering": ("effect",),
    "take_statue": ("effect",),
    "top": ("effect",),
    "look": ("effect",),
    "decline": ("effect",),
    "reveal": ("scout",),
    "no_step": ("follow",),
    "roll": ("roll",),
    "battle": ("battle",),
    "titan": ("titan",),
    "oracle": ("oracle",),
    "injury": ("injury",),
    "equipment": ("equipment",),
}

REACH_CARDS = {
    "fight": "fight_explore_build_reach",
    "explore": "fight_explore_build_reach",
    "build": "fight_explore_build_reach",
    "load_offering": "offering_reach",
    "deliver": "offering_reach",
    "load_statue": "statue_reach",
    "raise": "statue_reach",
}


def why_illegal(state: State, fields: Json, distance: Distance) -> str:
    """The rule that a readable move breaks now. `fields` are the move's parts, as `move_fields` gives them."""
    position = state.to_json()
    reason = _wrong_phase(position, fields)
    if reason is None:
        reason = _Move(position, fields, distance).broken_rule()
    if reason is None:
        examples = [str(move) for move in state.legal_moves()[:EXAMPLES_SHOWN]]
        reason = f"not among the legal moves, such as {'; '.join(examples)}"
    return reason


def _wrong_phase(position: Json, fields: Json) -> str | None:
    phase = position["phase"]
    phases = ("act",) if "source" in fields else PHASES_OF[fields["action"]]
    if phase in phases:
        return None
    who = "chance decides" if position["to_act"] < 0 else f"seat {position['to_act']} decides"
    return f"a move of phase {' or '.join(phases)}, but in phase {phase} {who}"


def _list(words: list[str]) -> str:
    return ", ".join(words) if words else "none"


class _Move(MoveInPosition):
    """A move with the checks of what it does."""

    def broken_rule(self) -> str | None:
        if self.source:
            return self.source_reason() or self.call(f"{self.action}_reason")
        name = (
            f"{self.action}_reason" if self.position["phase"] == "act" else f"{self.position['phase']}_phase"
        )
        return self.call(name)

    def call(self, name: str) -> str | None:
        check: Callable[[], str | None] | None = getattr(self, name, None)
        return check() if check else None

    # -- sources

    def source_reason(self) -> str | None:
        """The die, card, extra action or god is not at hand, or what it costs is not there."""
        return self.call(f"{self.source}_source")

    def die_source(self) -> str | None:
        if self.fields["color"] not in self.player["dice_left"]:
            return f"no {self.fields['color']} die is left; left: {_list(self.player['dice_left'])}"
        return self.recolor_reason("die")

    def card_source(self) -> str | None:
        if self.player["card_played"]:
            return f"an oracle card was played already this turn, the {self.player['card_played']} one (R9)"
        if self.fields["color"] not in self.player["oracle_cards"]:
            return f"no {self.fields['color']} oracle card in hand; in hand: {_list(self.player['oracle_cards'])}"
        return self.recolor_reason("oracle card")

    def recolor_reason(self, what: str) -> str | None:
        color, used = self.fields["color"], self.fields["used_as"]
        cost = self.use_cost(color, used)
        if cost > self.favor:
            return f"too little favor: a {color} {what} used as {used} needs {cost}, there are {self.favor} (R10)"
        self.favor -= cost
        return None

    def extra_source(self) -> str | None:
        if not self.owns("extra_action"):
            return "the extra action needs the card extra_action"
        if self.player["extra_used"]:
            return "the extra action was used already this turn (R25)"
        if self.favor < EXTRA_ACTION_COST:
            return (
                f"too little favor: the extra action needs {EXTRA_ACTION_COST}, there are {self.favor} (R25)"
            )
        self.favor -= EXTRA_ACTION_COST
        return None

    def god_source(self) -> str | None:
        god = self.fields["god"]
        row = self.player["gods"][god]
        return None if row == TOP_ROW else f"{god} is on row {row}, not on the top row (R23)"

    # -- places

    def expect(self, kind: str, what: str) -> str | None:
        """The hex must be of a kind."""
        at = self.hexes[0]
        found = self.board[at]["kind"]
        return None if found == kind else f"{hex_text(at)} is not {what} ({found.replace('_', ' ')})"

    def hexagon_reason(self) -> str | None:
        """The color of a tile space must be the one that is used."""
        at = self.hexes[0]
        color = self.board[at]["color"]
        if color == self.color:
            return None
        return f"wrong color: the space {hex_text(at)} is {color}, not {self.color} (R19)"

    def in_reach(self, at: Hex) -> bool:
        """Beside the ship, or with the reach card of the action across one water space (R17)."""
        if at in neighbours(self.ship):
            return True
        if not self.owns(REACH_CARDS[self.action]):
            return False
        between = set(neighbours(self.ship)) & set(neighbours(at))
        return at != self.ship and any(self.board.get(hex_, {}).get("kind") == "water" for hex_ in between)

    def reach_reason(self) -> str | None:
        at = self.hexes[0]
        if self.in_reach(at):
            return None
        word = "in reach of" if self.owns(REACH_CARDS[self.action]) else "adjacent to"
        return f"{hex_text(at)} is not {word} the ship at {hex_text(self.ship)} (R17)"

    def colors_on(self, what: str) -> list[str]:
        """The offerings or monsters on the hex."""
        return self.colors_at(what, self.hexes[0])

    # -- what tasks need

    def storage_reason(self) -> str | None:
        room = next(tile.storage for tile in SHIP_TILES if tile.id == self.player["ship_tile"])
        room += self.owns("storage_and_shield")
        cargo = self.player["cargo"]
        if len(cargo["offerings"]) + len(cargo["statues"]) < room:
            return None
        return f"no storage: {room} of {room} are full (R20)"

    def offering_need_reason(self) -> str | None:
        if self.color in self.offerings_needed():
            return None
        return f"no open task needs a {self.color} offering besides what is done and aboard (R20)"

    def statue_need_reason(self) -> str | None:
        aboard = self.player["cargo"]["statues"]
        if self.color in self.player["done"]["statue"]:
            return f"a {self.color} statue was raised already; colors do not repeat (R20)"
        if self.color in aboard:
            return f"a {self.color} statue is aboard already (R20)"
        if len(aboard) >= self.player["tasks"]["statue"]:
            return f"no open task needs a statue besides those aboard (R20): {self.player['tasks']['statue']} open"
        return None

    def monster_need_reason(self) -> str | None:
        if self.color in self.monsters_needed():
            return None
        return f"no open task needs a {self.color} monster (R18)"

    # -- actions

    def end_reason(self) -> str | None:
        left = self.player["dice_left"]
        return f"all dice must be used first; left: {_list(left)} (R9)" if left else None

    def sail_reason(self) -> str | None:
        at = self.hexes[0]
        there = self.board[at]
        if self.player["arrived"]:
            return "a ship that has arrived does not sail (R28)"
        if there["kind"] == "zeus":
            if self.tasks_left():
                return f"the Zeus space is entered only with all own tasks done; {self.tasks_left()} are left (R16)"
        elif there["kind"] != "water":
            return f"{hex_text(at)} is not water ({there['kind'].replace('_', ' ')}) (R15)"
        if at == self.ship:
            return f"the ship is at {hex_text(at)} already (R15)"
        return None if self.source == "god" else self.course_reason(at, there)

    def course_reason(self, at: Hex, there: Json) -> str | None:
        """Color and distance of a destination (R12, R15)."""
        if there["kind"] == "water" and there["color"] != self.color and not self.creature_helps():
            return f"wrong color: {hex_text(at)} is {there['color']} water, not {self.color} (R15)"
        spaces = self.spaces()
        if spaces is None:
            return f"there is no way to {hex_text(at)} (R15)"
        reach = self.range()
        if spaces > reach + self.favor:
            return (
                f"too far: {hex_text(at)} is {spaces} spaces away, range {reach} and {self.favor} favor "
                f"reach {reach + self.favor} (R15)"
            )
        return None

    def fight_reason(self) -> str | None:
        reason = self.expect("monster_island", "a monster island")
        if reason is None and self.color not in self.colors_on("monsters"):
            there = _list(self.colors_on("monsters"))
            reason = f"there is no {self.color} monster on {hex_text(self.hexes[0])}; there: {there}"
        return reason or self.monster_need_reason() or self.reach_reason()

    def explore_reason(self) -> str | None:
        reason = self.expect("island_tile", "a space for an island tile")
        if reason:
            return reason
        tile = self.tile(self.hexes[0])
        if tile and tile["face_up"]:
            return f"the tile on {hex_text(self.hexes[0])} is face up already (R19)"
        return None if self.source == "god" else self.hexagon_reason() or self.reach_reason()

    def build_reason(self) -> str | None:
        reason = self.expect("island_tile", "a space for an island tile")
        if reason:
            return reason
        at, own = hex_text(self.hexes[0]), self.player["color"]
        tile = self.tile(self.hexes[0])
        if not tile or not tile["face_up"]:
            return f"the tile on {at} is face down; it is explored, not built on (R19)"
        if tile["color"] != own:
            return f"wrong color: the tile on {at} is {tile['color']}, shrines of seat {self.seat} need {own} (R19)"
        if tile["shrine"]:
            return f"there is a shrine on {at} already (R19)"
        if not self.player["tasks"]["shrine"]:
            return "no shrine task is left (R19)"
        return self.hexagon_reason() or self.reach_reason()

    def load_offering_reason(self) -> str | None:
        reason = self.expect("offering_island", "an offering island")
        if reason is None and self.color not in self.colors_on("offerings"):
            there = _list(self.colors_on("offerings"))
            reason = f"there is no {self.color} offering on {hex_text(self.hexes[0])}; there: {there}"
        return reason or self.offering_need_reason() or self.storage_reason() or self.reach_reason()

    def deliver_reason(self) -> str | None:
        at = self.hexes[0]
        reason = self.expect("temple_island", "a temple")
        if reason is None and self.board[at]["color"] != self.color:
            reason = f"wrong color: the temple on {hex_text(at)} is {self.board[at]['color']}, not {self.color} (R20)"
        if reason is None and self.color not in self.player["cargo"]["offerings"]:
            reason = f"there is no {self.color} offering aboard (R20)"
        return reason or self.reach_reason()

    def load_statue_reason(self) -> str | None:
        if self.source == "god":
            cities = [at for at, there in self.board.items() if there["kind"] == "city"]
            if not any(self.in_reach(at) for at in cities):
                return f"no city is in reach of the ship at {hex_text(self.ship)} (R23)"
        else:
            at = self.hexes[0]
            reason = self.expect("city", "a city")
            if reason:
                return reason
            if self.board[at]["color"] != self.color:
                return f"wrong color: the city on {hex_text(at)} is {self.board[at]['color']}, not {self.color} (R20)"
        if not self.position["statues"][self.color]:
            return f"no {self.color} statue is left in its city"
        reason = self.statue_need_reason() or self.storage_reason()
        return reason if reason or self.source == "god" else self.reach_reason()

    def raise_reason(self) -> str | None:
        at = self.hexes[0]
        reason = self.expect("statue_island", "a statue island")
        if reason:
            return reason
        sites = self.board[at]["sites"]
        if self.color not in sites:
            return f"wrong color: the sites on {hex_text(at)} are {_list(sites)}, none is {self.color} (R20)"
        if {"q": at[0], "r": at[1], "color": self.color} in self.position["raised"]:
            return f"the {self.color} site on {hex_text(at)} is not free (R20)"
        if self.color not in self.player["cargo"]["statues"]:
            return f"there is no {self.color} statue aboard (R20)"
        return self.reach_reason()

    def heal_reason(self) -> str | None:
        if self.source == "god":
            return None if self.player["injuries"] else "there are no injuries to discard (R23)"
        return self.injury_reason()

    def injury_reason(self) -> str | None:
        if self.color in self.player["injuries"]:
            return None
        return f"there is no {self.color} injury; there are: {_list(self.player['injuries'])}"

    def advance_reason(self) -> str | None:
        return self.top_row_reason(GOD_OF_COLOR[self.color])

    def top_row_reason(self, god: str) -> str | None:
        return (
            f"{god} is on the top row and cannot advance (R22)"
            if self.player["gods"][god] == TOP_ROW
            else None
        )

    def bundle_reason(self) -> str | None:
        card = f"{self.color}_bundle"
        if card not in (known.id for known in EQUIPMENT):
            return f"there is no bundle card for {self.color}, only for pink, green and blue (R25)"
        return None if self.owns(card) else f"the bundle needs the card {card} (R25)"

    def look_reason(self) -> str | None:
        known = {(at["q"], at["r"]) for at in self.player["knows"]}
        face_down = {(tile["q"], tile["r"]) for tile in self.position["island_tiles"] if not tile["face_up"]}
        for at in self.hexes:
            if self.tile(at) is None:
                return f"{hex_text(at)} is not a space for an island tile"
            if at not in face_down:
                return f"the tile on {hex_text(at)} is face up already (R27)"
            if self.source and at in known:
                return f"the tile on {hex_text(at)} is known already (R27)"
        if len(self.hexes) == 1 and len(face_down - known) > 1:
            return f"two tiles are looked at while {len(face_down - known)} are unknown (R27)"
        return None

    # -- decisions of the other phases

    def draft_phase(self) -> str | None:
        offered = self.pending["ships"]
        return f"ship tile {self.fields['ship_tile']} is not on offer; on offer: {_list(offered)} (R4)"

    def setup_phase(self) -> str | None:
        if self.player["ship_tile"] == "equipped":
            return (
                "ship tile equipped takes a card: equip <id> (R4)"
                if self.action != "equip"
                else self.equip_phase()
            )
        if self.action == "equip":
            return "ship tile eleven_tasks returns a task: return <task> (R4)"
        task = self.action.removeprefix("return_")
        return f"there is no open {' '.join(filter(None, (task, self.fields.get('color'))))} task to return"

    def start_phase(self) -> str | None:
        injuries: Counter[str] = Counter(self.player["injuries"])
        of_one, of_all = (more * self.owns("injury_tolerance") for more in MORE_TOLERANCE)
        due = (
            max(injuries.values(), default=0) >= RECOVER_AT_ONE_COLOR + of_one
            or injuries.total() >= RECOVER_AT_ALL + of_all
        )
        if self.action != "recover":
            return (
                "recovery is due: discard 3 injuries (R8)" if due else self.top_row_reason(self.fields["god"])
            )
        if not due:
            return "recovery is not due (R8)"
        wanted: Counter[str] = Counter(self.fields["colors"])
        lacking = [color for color in COLORS if wanted[color] > injuries[color]]
        return f"there are not {wanted[lacking[0]]} {lacking[0]} injuries to discard" if lacking else None

    def equip_phase(self) -> str | None:
        return f"{self.fields['card']} is not on display; on display: {_list(self.position['equipment_display'])} (R21)"

    def companion_phase(self) -> str | None:
        return f"the {self.pending['color']} {self.fields['companion']} is taken already (R21)"

    def step_phase(self) -> str | None:
        return self.top_row_reason(self.fields["god"])

    def follow_phase(self) -> str | None:
        god = self.fields["god"]
        row = self.player["gods"][god]
        if row in (0, TOP_ROW):
            return f"{god} is on row {row}; a god on row 0 or on the top row does not follow a roll (R13)"
        rolled = self.position["players"][self.position["turn"]]["dice"]
        return f"the color of {god}, {COLOR_OF_GOD[god]}, was not rolled; rolled: {_list(rolled)} (R13)"

    def heal_phase(self) -> str | None:
        return self.injury_reason()

    def effect_phase(self) -> str | None:
        card = next(card for card in EQUIPMENT if card.id == self.pending["card"])
        if self.action == "look":
            return self.look_reason() if card.id == "scout" else f"{card.id} lets nobody look at tiles (R26)"
        if self.action == "top":
            god = self.fields["god"]
            if god in card.gods:
                return f"{god} is on the top row already"
            return f"{card.id} moves {_list(list(card.gods))} to the top row, not {god} (R26)"
        if not card.id.startswith(self.action):
            return f"{card.id} does not give that (R26)"
        if self.color not in card.colors:
            return f"wrong color: {card.id} takes {_list(list(card.colors))}, not {self.color} (R26)"
        if self.action == "take_statue":
            if not self.position["statues"][self.color]:
                return f"no {self.color} statue is left in its city"
            return self.statue_need_reason() or self.storage_reason()
        if self.color not in self.colors_on("offerings"):
            return f"there is no {self.color} offering on {hex_text(self.hexes[0])}"
        return self.offering_need_reason() or self.storage_reason()

    def scout_phase(self) -> str | None:
        looked_at = [hex_text((tile["q"], tile["r"])) for tile in self.pending["tiles"]]
        return f"only a tile just looked at can be uncovered: {' or '.join(looked_at)} (R26)"

    # -- outcomes

    def oracle_phase(self) -> str | None:
        return self.pile_reason("oracle")

    def injury_phase(self) -> str | None:
        return self.pile_reason("injury")

    def pile_reason(self, name: str) -> str | None:
        cards = self.position[f"{name}_pile"] or self.position[f"{name}_discard"]
        if self.color in cards:
            return None
        left = [color for color in COLORS if color in cards]
        return f"there is no {self.color} card left to draw; left: {_list(left)} (R14)"

    def equipment_phase(self) -> str | None:
        return f"{self.fields['card']} is not in the pile of equipment cards"
