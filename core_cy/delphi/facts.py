"""What a legal move costs, risks and brings, as plain facts for people; docs/adding-a-game.md says in what form.

Everything follows from what the viewer sees: an unknown tile is told as chances, a known one as what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from fractions import Fraction
from math import prod

from pythia.core_cy.delphi.board import Hex, neighbours
from pythia.core_cy.delphi.components import (
    BATTLE_DIE,
    COLORS,
    COMPANION_KINDS,
    EXTRA_ACTION_COST,
    GOD_OF_COLOR,
    ISLAND_TILES,
    MAX_SHIELD,
    TITAN_DIE,
    TOP_ROW,
    first_row,
)
from pythia.core_cy.delphi.move_in_position import Distance, Json, MoveInPosition

FULL_STRENGTH = 9
FIGHT_ON_COST = 1
HERO_SHIELD = 2
INJURIES_TO_RECOVER = 3


def move_facts(position: Json, fields: Json, distance: Distance) -> dict[str, Json]:
    """`price`, `odds` and `gains` of a move with these fields, in what a viewer sees."""
    move = _LegalMove(position, fields, distance)
    price = move.price()
    return {"price": price, "odds": move.odds(price.get("favor", 0)), "gains": move.gains()}


# -- chances


def wins(strength: int) -> Fraction:
    """The chance that one battle roll reaches the strength (R18)."""
    return Fraction(sum(roll >= strength for roll in BATTLE_DIE), len(BATTLE_DIE))


def fight_odds(strength: int, favor: int) -> Json:
    """Of a roll against a strength with this favor left: each further roll costs 1 and faces 1 less (R18)."""
    more = min(favor, strength)  # at strength 0 every roll wins
    going_on = 1 - prod(1 - wins(strength - paid) for paid in range(more + 1))
    return {
        "strength": strength,
        "need": strength,
        "win": float(wins(strength)),
        "injury": float(Fraction(sum(roll == 0 < strength for roll in BATTLE_DIE), len(BATTLE_DIE))),
        "win_going_on": float(going_on),
        "favor_going_on": more,
    }


def titan_odds(shield: int) -> Json:
    """Of the Titan's attack on a shield (R13)."""
    two = max(TITAN_DIE)
    hurt = sum(roll == two or roll > shield for roll in TITAN_DIE)
    return {
        "titan_injury": float(Fraction(hurt, len(TITAN_DIE))),
        "titan_two": float(Fraction(1, len(TITAN_DIE))),
    }


def _those(colors: Iterable[str], wanted: Container[str]) -> list[str]:
    return [color for color in colors if color in wanted]


# -- one move


class _LegalMove(MoveInPosition):
    def price(self) -> Json:
        """What is spent; `favor` is all the favor together."""
        favor: Json = {}
        price: Json = {}
        if self.source == "god":
            price["god"] = self.fields["god"]
        elif self.source == "extra":
            favor["extra"] = EXTRA_ACTION_COST
        elif self.source:
            price[self.source] = self.fields["color"]
            favor["recolor"] = self.use_cost(self.fields["color"], self.fields["used_as"])
        if self.action == "sail" and self.source != "god":
            favor["range"] = max(0, (self.spaces() or 0) - self.range())
        elif self.action == "fight_on":
            favor["fight"] = FIGHT_ON_COST
        elif self.action == "recover":
            price["turn"] = 1
        favor = {name: paid for name, paid in favor.items() if paid}
        return price | ({"favor": sum(favor.values())} | favor if favor else {})

    def odds(self, spent: int) -> Json:
        """What is not certain about it."""
        if self.action == "fight":
            if self.source == "god":
                return {"win": 1.0}
            return fight_odds(FULL_STRENGTH - self.player["shield"], self.favor - spent)
        if self.action == "fight_on":
            return fight_odds(self.pending["strength"] - 1, self.favor - spent)
        if self.action in ("explore", "reveal") and self.known_tile() is None:
            return self.tile_odds()
        if self.action in ("end", "recover") and self.titan_is_next():
            return titan_odds(self.player["shield"])
        return {}

    def gains(self) -> Json:
        """What it brings, a fight and what follows from it if it is won. What is nothing is left out."""
        found: Callable[[], Json] | None = getattr(self, f"gains_of_{self.action}", None)
        return {name: gain for name, gain in (found() if found else {}).items() if gain}

    # -- what is known

    def known_tile(self) -> Json | None:
        """The tile that the move uncovers, if the viewer knows it."""
        tile = self.tile(self.hexes[0])
        return tile if tile and tile.get("color") else None

    def tile_odds(self) -> Json:
        """What a tile may bring that the viewer does not know: every tile not seen yet is as likely."""
        unseen = [(tile.color, tile.letter) for tile in ISLAND_TILES]
        for tile in self.position["island_tiles"]:
            if tile.get("color"):
                unseen.remove((tile["color"], tile["letter"]))
        brought = [self.result_of(color, letter) for color, letter in unseen]
        return {
            result: float(Fraction(brought.count(result), len(brought)))
            for result in ("shrine", "phi", "psi", "sigma", "omega")
            if result in brought
        }

    def result_of(self, color: str, letter: str) -> str:
        """Whether a tile becomes a shrine or counts by its letter (R19)."""
        own = color == self.player["color"] and self.player["tasks"]["shrine"]
        return "shrine" if own else letter

    def titan_is_next(self) -> bool:
        """After the last seat's turn, unless the game ends with it (R13, R28)."""
        players = self.position["players"]
        return self.seat == len(players) - 1 and not any(player["arrived"] for player in players)

    # -- how much of something there is

    def favor_taken(self, number: int) -> int:
        return number + int(self.player["ship_tile"] == "favor")  # R36

    def cards(self, number: int) -> int:
        """Oracle cards, as far as there are any (R14)."""
        return min(number, len(self.position["oracle_pile"]) + len(self.position["oracle_discard"]))

    def steps(self, number: int) -> int:
        """God steps, as far as gods can advance (R22)."""
        start = first_row(len(self.position["players"]))
        rows = self.player["gods"].values()
        return min(number, sum(TOP_ROW - row if row else 1 + TOP_ROW - start for row in rows))

    def shield(self, number: int) -> int:
        left: int = MAX_SHIELD - self.player["shield"]
        return min(number, left)

    def injuries(self, color: str) -> int:
        held: list[str] = self.player["injuries"]
        return held.count(color)

    def reward_step(self) -> Json:
        """What `god_step_on_reward` adds (R21)."""
        return {"god_steps": self.steps(1)} if self.owns("god_step_on_reward") else {}

    def letter_gains(self, letter: str) -> Json:
        if letter == "psi":
            return {"favor": self.favor_taken(4)}
        if letter == "phi":
            return {"oracle_cards": self.cards(2)}
        if letter == "sigma":
            return {"god_steps": self.steps(3)}
        return {
            "injuries_healed": max(map(self.injuries, COLORS)),
            "shield": self.shield(1),
        }

    # -- by action

    def gains_of_sail(self) -> Json:
        arrives = self.board[self.hexes[0]]["kind"] == "zeus"
        gains: Json = {"spaces": 0 if self.source == "god" else self.spaces(), "arrives": arrives}
        for at in neighbours(self.hexes[0]):
            for what, colors in self.wanted_at(at).items():
                if colors:
                    gains[what] = " ".join(dict.fromkeys([*gains.get(what, "").split(), *colors]))
        return gains

    def wanted_at(self, at: Hex) -> dict[str, list[str]]:
        """What the player's open tasks want of a hex beside the ship, by its color."""
        there = self.board.get(at, {"kind": ""})
        kind, color, cargo = there["kind"], there.get("color", ""), self.player["cargo"]
        if kind == "monster_island":
            return {"at_monster": _those(self.colors_at("monsters", at), self.monsters_needed())}
        if kind == "offering_island":
            return {"at_offering": _those(self.colors_at("offerings", at), self.offerings_needed())}
        if kind == "temple_island":
            return {"at_temple": _those([color], cargo["offerings"])}
        if kind == "city":
            return {
                "at_city": _those([color], self.statues_needed() if self.position["statues"][color] else ())
            }
        if kind == "statue_island":
            raised = [it["color"] for it in self.position["raised"] if (it["q"], it["r"]) == at]
            return {
                "at_site": [site for site in _those(there["sites"], cargo["statues"]) if site not in raised]
            }
        tile = self.tile(at)
        if tile is None or not self.player["tasks"]["shrine"]:
            return {}
        if not tile["face_up"]:
            return {"at_tile": [color]}
        own = tile["color"] == self.player["color"] and not tile["shrine"]
        return {"at_own_tile": [color] * own}

    def gains_of_fight(self) -> Json:
        display = self.position["equipment_display"]
        return {"task": "monster", "equipment": min(1, len(display))} | self.reward_step()

    def gains_of_fight_on(self) -> Json:
        return self.gains_of_fight()

    def gains_of_explore(self) -> Json:
        tile = self.known_tile()
        if tile is None:
            return {}
        result = self.result_of(tile["color"], tile["letter"])
        return self.gains_of_build() if result == "shrine" else self.letter_gains(result)

    def gains_of_reveal(self) -> Json:
        return self.gains_of_explore()

    def gains_of_build(self) -> Json:
        return {"task": "shrine", "god_steps": self.steps(1)}

    def gains_of_load_offering(self) -> Json:
        return {"offering": self.color}

    def gains_of_take_offering(self) -> Json:
        return {"offering": self.color}

    def gains_of_load_statue(self) -> Json:
        return {"statue": self.color}

    def gains_of_take_statue(self) -> Json:
        return {"statue": self.color}

    def gains_of_deliver(self) -> Json:
        return {"task": "offering", "favor": self.favor_taken(3)} | self.reward_step()

    def gains_of_raise(self) -> Json:
        owned = [friend for player in self.position["players"] for friend in player["companions"]]
        left = len(COMPANION_KINDS) - sum(friend["color"] == self.color for friend in owned)
        return {"task": "statue", "companions": min(1, left)} | self.reward_step()

    def gains_of_heal(self) -> Json:
        held = len(self.player["injuries"]) if self.source == "god" else self.injuries(self.color)
        return {"injuries_healed": held}

    def gains_of_heal_color(self) -> Json:
        return {"injuries_healed": self.injuries(self.color)}

    def gains_of_recover(self) -> Json:
        return {"injuries_healed": INJURIES_TO_RECOVER}

    def gains_of_advance(self) -> Json:
        return {"god_steps": 1}

    def gains_of_step(self) -> Json:
        return {"god_steps": 1}

    def gains_of_top(self) -> Json:
        return {"god_to_top": self.fields["god"]}

    def gains_of_bundle(self) -> Json:
        below_top = self.player["gods"][GOD_OF_COLOR[self.color]] < TOP_ROW
        return {"favor": self.favor_taken(1), "oracle_cards": self.cards(1), "god_steps": int(below_top)}

    def gains_of_draw(self) -> Json:
        return {"oracle_cards": self.cards(1)}

    def gains_of_inspire(self) -> Json:
        return {"oracle_cards": self.cards(1), "any_color": True}

    def gains_of_favor(self) -> Json:
        return {"favor": self.favor_taken(2)}

    def gains_of_look(self) -> Json:
        return {"tiles_seen": len(self.hexes)}

    def gains_of_ship(self) -> Json:
        return {"ship_tile": self.fields["ship_tile"]}

    def gains_of_equip(self) -> Json:
        card = self.fields["card"]
        gains: Json = {"card": card}
        if card == "windfall":
            gains |= {"favor": self.favor_taken(3), "oracle_cards": self.cards(1), "god_steps": self.steps(2)}
        elif card == "storage_and_shield":
            gains |= {"storage": 1, "shield": self.shield(1)}
        return gains

    def gains_of_companion(self) -> Json:
        kind, color = self.fields["companion"], self.pending["color"]
        gains: Json = {"companion": kind}
        if kind == "hero":
            gains |= {"shield": self.shield(HERO_SHIELD), "injuries_healed": self.injuries(color)}
        elif kind == "demigod":
            gains["oracle_cards"] = self.cards(1)
        return gains

    def gains_of_return_shrine(self) -> Json:
        return {"task": self.action.removeprefix("return_")}

    gains_of_return_statue = gains_of_return_shrine
    gains_of_return_offering = gains_of_return_shrine
    gains_of_return_monster = gains_of_return_shrine
