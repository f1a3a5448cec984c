"""The Oracle of Delphi as numbers: all move texts in a fixed order, and what a seat sees as a vector.

Every board has the same number of spaces of each kind and color, so a move has the same number on every board if it
goes to, say, the third red water space, counted in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations, combinations_with_replacement
from typing import Any

from pythia.core_cy import encoding
from pythia.core_cy.delphi.board import Hex, hex_text
from pythia.core_cy.delphi.components import (
    BATTLE_DIE,
    COLORS,
    COMPANION_KINDS,
    DICE_PER_PLAYER,
    EQUIPMENT,
    EQUIPMENT_IDS,
    GODS,
    INJURY_CARDS_PER_COLOR,
    LETTERS,
    MAX_SHIELD,
    ORACLE_CARDS_PER_COLOR,
    PLAYER_COLORS,
    SHIP_TILE_IDS,
    SHRINE_TASKS,
    STATUE_TASKS,
    STATUES_PER_COLOR,
    TITAN_DIE,
    TOP_ROW,
)
from pythia.core_cy.delphi.game import DelphiGame
from pythia.core_cy.encoding import numbered, one_hot, shares, squeezed
from pythia.core_cy.game import Game

MAX_ROUNDS = 100  # as in state.pxd (R29)
# A turn has 3 dice, a card, the extra action and the gods; each can lead to a fight of at most 10 rounds, or to a card
# or tile with half a dozen choices. Events: those of the actions, and at its end the dice and the Titan's injuries.
TURN_DECISIONS = 150
TURN_EVENTS = 200
MAX_WAITING = 24  # MAX_FRAMES in state.pxd, all that can be scheduled

TASK_COLORS = ("any", *COLORS)
BUNDLES = ("pink", "blue", "green")
PHASE_WORDS = (
    *("start", "act", "over"),
    *("draft", "setup", "fight", "equip", "companion", "step", "heal", "effect", "scout", "follow"),
    *("roll", "battle", "titan", "oracle", "injury", "equipment"),
)

# The words of an observation by their places in the vector.
PHASES = numbered(PHASE_WORDS)
WAITING = numbered((*PHASE_WORDS[3:], "favor", "shield", "advance", "return_god", "next", "begin"))
COLOR_PLACES, TASK_PLACES, SEAT_COLORS = numbered(COLORS), numbered(TASK_COLORS), numbered(PLAYER_COLORS)
CARDS, SHIP_TILES, TILE_LETTERS = numbered(EQUIPMENT_IDS), numbered(SHIP_TILE_IDS), numbered(LETTERS)
COMPANIONS = numbered((kind, color) for color in COLORS for kind in COMPANION_KINDS)


def _at(place: Mapping[str, Any]) -> Hex:
    return place["q"], place["r"]


def _sources(used: str) -> list[str]:
    """What can be used as a color."""
    recolored = [
        f"{source}:{color}" if color == used else f"{source}:{color}>{used}"
        for source in ("die", "card")
        for color in COLORS
    ]
    return [*recolored, f"extra:{used}"]


class Encoding(encoding.Encoding):
    max_decisions = MAX_ROUNDS * TURN_DECISIONS
    max_events = MAX_ROUNDS * TURN_EVENTS

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        assert isinstance(game, DelphiGame)
        self.board = game.board
        self.zeus = self._places("zeus")
        self.tiles = self._places("island_tile")
        self.monsters = self._places("monster_island")
        self.offerings = self._places("offering_island")
        self.statues = self._places("statue_island")
        # Where ships can be, by color, the Zeus space last.
        self.harbours = [*(at for color in COLORS for at in self._places("water", color)), *self.zeus]
        self.harbour_places = numbered(self.harbours)
        self.tile_places = numbered(self.tiles)
        self.monster_places = numbered(self.monsters)

    def _places(self, kind: str, color: str | None = None) -> list[Hex]:
        """The hexes of a kind, in the order of the rows, as the board has them."""
        return [_at(hex) for hex in self.board if hex["kind"] == kind and color in (None, hex.get("color"))]

    @classmethod
    def table(cls, game: Game) -> dict[str, Any]:
        assert isinstance(game, DelphiGame)
        return {**game.options, "board": "given", "hexes": game.board, "placements": None, "temples": None}

    # -- moves

    def moves(self) -> list[str]:
        return [*self._colored_actions(), *self._colorless_actions(), *self._god_actions(), *self._choices()]

    def outcomes(self) -> list[str]:
        texts = [
            f"roll {' '.join(colors)}" for colors in combinations_with_replacement(COLORS, DICE_PER_PLAYER)
        ]
        texts += [f"battle {number}" for number in BATTLE_DIE]
        texts += [f"titan {number}" for number in TITAN_DIE]
        texts += [f"oracle {color}" for color in COLORS]
        texts += [f"injury {color}" for color in COLORS]
        return texts + [f"equipment {card}" for card in EQUIPMENT_IDS]

    def _colored_actions(self) -> list[str]:
        """What dice, oracle cards and the extra action do in the color they are used as."""
        # With a creature a die or card of its color sails to water of any color (R16); the extra action does not.
        texts = [
            f"{source} sail {hex_text(at)}"
            for used in COLORS
            for source in _sources(used)
            for at in (
                self.harbours if source != f"extra:{used}" else (*self._places("water", used), *self.zeus)
            )
        ]
        places: dict[str, Callable[[str], list[Hex]]] = {
            "fight": lambda used: self.monsters,
            "explore": partial(self._places, "island_tile"),
            "build": partial(self._places, "island_tile"),
            "load offering": lambda used: self.offerings,
            "deliver": partial(self._places, "temple_island"),
            "load statue": partial(self._places, "city"),
            "raise": lambda used: [_at(hex) for hex in self.board if used in hex.get("sites", ())],
        }
        texts += [
            f"{source} {action} {hex_text(at)}"
            for action, targets in places.items()
            for used in COLORS
            for source in _sources(used)
            for at in targets(used)
        ]
        colors = {"heal": COLORS, "advance": COLORS, "bundle": BUNDLES}
        return texts + [
            f"{source} {action}"
            for action, allowed in colors.items()
            for used in allowed
            for source in _sources(used)
        ]

    def _colorless_actions(self) -> list[str]:
        tiles = [hex_text(at) for at in self.tiles]
        looks = [f"look {first} {second}" for first, second in combinations(tiles, 2)]
        actions = ("draw", "favor", *looks, *(f"look {tile}" for tile in tiles))
        sources = [*(f"{source}:{color}" for source in ("die", "card") for color in COLORS), "extra"]
        # Without a source it is the effect of the scout.
        return [f"{source} {action}" for action in actions for source in sources] + looks

    def _god_actions(self) -> list[str]:
        return [
            *(f"god:{god} draw" for god in GODS),
            *(f"god:poseidon sail {hex_text(at)}" for at in self.harbours),
            "god:apollon inspire",
            *(f"god:artemis explore {hex_text(at)}" for at in self.tiles),
            "god:aphrodite heal",
            *(f"god:ares fight {hex_text(at)} {color}" for at in self.monsters for color in COLORS),
            *(f"god:hermes load statue {color}" for color in COLORS),
        ]

    def _choices(self) -> list[str]:
        """Decisions without a source."""
        colors = combinations_with_replacement(COLORS, 3)
        return [
            "end",
            *(f"ship {tile}" for tile in SHIP_TILE_IDS),
            *("return shrine", "return statue"),
            *(f"return {task} {color}" for task in ("offering", "monster") for color in TASK_COLORS),
            *(f"equip {card}" for card in EQUIPMENT_IDS),
            *(f"recover {' '.join(three)}" for three in colors),
            "take favor",
            *(f"step {god}" for god in GODS),
            *("no step", "fight on", "give up"),
            *(f"companion {kind}" for kind in COMPANION_KINDS),
            *(f"heal {color}" for color in COLORS),
            *(f"take offering {color} {hex_text(at)}" for color in COLORS for at in self.offerings),
            *(f"take statue {color}" for color in COLORS),
            *(f"top {god}" for god in GODS if any(god in card.gods for card in EQUIPMENT)),
            *(f"reveal {hex_text(at)}" for at in self.tiles),
            "decline",
        ]

    # -- observations

    def vector(self, observation: Mapping[str, Any]) -> list[float]:
        seats = self.seats(observation)
        order = numbered(seats)
        pending = observation.get("pending", {})
        values = [
            observation["round"] / MAX_ROUNDS,
            *one_hot(observation["phase"], PHASES),
            *one_hot(observation["turn"], order),
            *one_hot(observation["to_act"], order),
            *one_hot((pending.get("q"), pending.get("r")), self.monster_places),
            *one_hot(pending.get("color"), COLOR_PLACES),
            pending.get("strength", 0) / len(BATTLE_DIE),
            pending.get("n", 0) / 4,
            *one_hot(pending.get("card"), CARDS),
            *shares((_at(tile) for tile in pending.get("tiles", ())), self.tile_places),
            *shares(pending.get("ships", ()), SHIP_TILES),
            *shares((entry["kind"] for entry in pending.get("then", ())), WAITING, MAX_WAITING),
        ]
        for tile in observation["island_tiles"]:
            values += [
                float(tile["face_up"]),
                float(tile["shrine"]),
                *one_hot(tile.get("color"), SEAT_COLORS),
                *one_hot(tile.get("letter"), TILE_LETTERS),
            ]
        for island in (*observation["offerings"], *observation["monsters"]):
            values += shares(island["colors"], COLOR_PLACES)
        values += [observation["statues"][color] / STATUES_PER_COLOR for color in COLORS]
        raised = {(_at(statue), statue["color"]) for statue in observation["raised"]}
        values += [float((at, color) in raised) for at in self.statues for color in COLORS]
        values += shares(observation["equipment_display"], CARDS)
        values += shares(observation["equipment_pile"], CARDS)
        for pile in ("oracle_pile", "oracle_discard"):
            values += shares(observation[pile], COLOR_PLACES, ORACLE_CARDS_PER_COLOR)
        for pile in ("injury_pile", "injury_discard"):
            values += shares(observation[pile], COLOR_PLACES, INJURY_CARDS_PER_COLOR)
        for seat in seats:
            values += self._player(observation["players"][seat])
        return values

    def _player(self, player: Mapping[str, Any]) -> list[float]:
        tasks, done, cargo = player["tasks"], player["done"], player["cargo"]
        return [
            *one_hot(player["color"], SEAT_COLORS),
            *one_hot(player["ship_tile"], SHIP_TILES),
            *one_hot(_at(player["ship"]), self.harbour_places),
            squeezed(player["favor"], 5),
            player["shield"] / MAX_SHIELD,
            *shares(player["dice"], COLOR_PLACES, DICE_PER_PLAYER),
            *shares(player["dice_left"], COLOR_PLACES, DICE_PER_PLAYER),
            *shares(player["oracle_cards"], COLOR_PLACES, ORACLE_CARDS_PER_COLOR),
            *one_hot(player["card_played"], COLOR_PLACES),
            float(player["apollon"]),
            float(player["extra_used"]),
            *shares(player["injuries"], COLOR_PLACES, INJURY_CARDS_PER_COLOR),
            *(player["gods"][god] / TOP_ROW for god in GODS),
            tasks["shrine"] / SHRINE_TASKS,
            tasks["statue"] / STATUE_TASKS,
            *shares(tasks["offering"], TASK_PLACES),
            *shares(tasks["monster"], TASK_PLACES),
            done["shrine"] / SHRINE_TASKS,
            *shares(done["statue"], COLOR_PLACES),
            *shares(done["offering"], COLOR_PLACES),
            *shares(done["monster"], COLOR_PLACES),
            *shares(cargo["offerings"], COLOR_PLACES),
            *shares(cargo["statues"], COLOR_PLACES),
            *shares(((mate["kind"], mate["color"]) for mate in player["companions"]), COMPANIONS),
            *shares(player["equipment"], CARDS),
            *shares((_at(tile) for tile in player["knows"]), self.tile_places),
            float(player["arrived"]),
        ]
