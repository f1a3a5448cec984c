"""Why a move is not legal: one sentence that names the rule it breaks.

This runs only on errors, so it works on the JSON of the position and the parts of the move rather than on the
engine's own structures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pythia.core_cy.deukalion.components import ANCHOR, WATER, Facts, Square
from pythia.core_cy.deukalion.render import square_of

Json = Mapping[str, Any]

TURN = ("follow", "act")
# The phases in which each kind of move can be made.
PHASES_OF = {
    "anchor": ("setup",),
    "sail": TURN,
    "hydra": ("act",),
    "displace": ("displace",),
    "rest": ("follow",),
    "end": TURN,
    "kylix": ("kylix",),
    "card": ("act",),
    "fighters": ("act",),
    "take": ("loot", "spoils"),
    "decline": ("loot", "spoils", "styx", "claim"),
    "steal": ("spoils",),
    "fetch": ("styx",),
    "drop": ("styx",),
    "place": ("place",),
    "found": TURN,
    "attack_city": TURN,
    "attack_settlement": TURN,
    "deliver": TURN,
    "claim_treasures": (*TURN, "claim"),
    "claim_fighters": (*TURN, "claim"),
    "claim_cards": (*TURN, "claim"),
    "play": TURN,
    "roll": ("roll",),
    "throw": ("throw",),
    "draw": ("draw",),
    "stolen": ("steal",),
    "order": ("order",),
}


def why_illegal(facts: Facts, position: Json, move: Json) -> str:
    phase, action = position["phase"], move["action"]
    if phase not in PHASES_OF[action]:
        words = " ".join(action.split("_"))
        return f"not in phase {phase}; {words} belongs to {', '.join(PHASES_OF[action])}"
    seat = position["pending"]["seat"] if "seat" in position.get("pending", {}) else position["mover"]
    why = _Why(facts, position, move, seat)
    found: str = getattr(why, f"_{action}")()
    return found


class _Why:
    """One method for each kind of move, called when it is made in the right phase."""

    def __init__(self, facts: Facts, position: Json, move: Json, seat: int) -> None:
        self.facts, self.position, self.move, self.seat = facts, position, move, seat
        self.player: Json = position["players"][seat]
        self.used: Json = position["used"]
        self.pending: Json = position.get("pending", {})
        self.square = move["y"] * facts.width + move["x"] if "x" in move else -1
        self.ship = square_of(self.player["ship"], facts) if "ship" in self.player else -1

    @property
    def name(self) -> str:
        return self.facts.square_name(self.square)

    def _near(self, squares: tuple[Square, ...]) -> bool:
        return any(self.ship in self.facts.touching(square) for square in squares)

    def _none_back(self) -> str:
        if not self.player["underworld"]:
            return f"no fighters of seat {self.seat} are in the underworld"
        return f"no place aboard is free for a fighter; all {self.facts.places} are taken (D4)"

    # -- set-up and sailing

    def _anchor(self) -> str:
        if self.facts.letters[self.square] != ANCHOR:
            return f"{self.name} is no anchor (D2)"
        return f"a ship is on the anchor {self.name} already (D2)"

    def _sail(self) -> str:
        if self.used["sailed"]:
            return "a ship sails once in a turn, and not after an order was fulfilled (D7, D13)"
        if self.used["acted"]:
            return "a ship does not sail after the deed of the turn (D13)"
        if self.facts.letters[self.square] not in WATER:
            return f"{self.name} is land; ships sail over water (D10)"
        if self.square == self.ship:
            return f"the ship is on {self.name} already (D10)"
        if self.square == square_of(self.position["hydra"], self.facts):
            if not self.player["fighters"]:
                return "the Hydra is there, and no fighter is aboard (D12)"
            if not self._hunts():
                return "the Hydra is there, and no order that asks for it is open or in the own hand (D12)"
        others = [
            square_of(player["ship"], self.facts)
            for seat, player in enumerate(self.position["players"])
            if seat != self.seat
        ]
        if self.square in others and self.facts.letters[self.square] == "." and not self.player["fighters"]:
            return "a ship is there, and an attack needs a fighter aboard (D11)"
        steps = self.facts.distances(self.ship)[self.square]
        if steps > self._range():
            return f"{self.name} is {steps} steps away, the range is {self._range()} (D10)"
        return f"ships, the Hydra and the Styx end the way before {self.name}; range {self._range()} (D10 to D12)"

    def _hunts(self) -> bool:
        asking = [
            order.name for order in self.facts.orders if any(task.kind == "hydra" for task in order.tasks)
        ]
        return any(name in asking for name in (*self.position["open_orders"], self.player.get("order")))

    def _range(self) -> int:
        active = self.position["mover"] == self.position["turn"]
        steps: int = self.position["kylix"]["sail" if active else "center"]
        steps += self.facts.wind * self.used["wind"] + self.player["permanent"].count("pegasus")
        return steps

    def _hydra(self) -> str:
        if self.used["hydra"]:
            return "the die of the Hydra is used (D9)"
        hydra = square_of(self.position["hydra"], self.facts)
        if self.square == hydra:
            return f"the Hydra is on {self.name} already (D9)"
        if self.facts.letters[self.square] != ".":
            return f"the Hydra does not enter {self.name}: no land, anchors or Styx (D3)"
        if self.square == self.ship:
            return "the own ship is there; the Hydra attacks only others (D29)"
        steps, most = self.facts.distances(hydra, ".").get(self.square, 99), self.position["kylix"]["hydra"]
        if steps > most:
            return f"{self.name} is {steps} steps away for the Hydra, the die says {most} (D9)"
        return f"the first ship ends the way of the Hydra before {self.name} (D29)"

    def _displace(self) -> str:
        piece = self.pending["piece"]
        letters = "." if piece == "hydra" else WATER
        if self.facts.letters[self.square] not in letters:
            return f"{self.name} is no square for it (D30)"
        return f"{piece} is displaced by exactly {self.facts.displace} to a free square; else by the least more (D30)"

    # -- the turn

    def _rest(self) -> str:
        if self.used["sailed"] or self.used["acted"] or self.used["delivered"]:
            return "resting is instead of sailing, a deed, delivering and orders (D8)"
        return self._none_back()

    def _end(self) -> str:
        return f"the card die shows {self.position['kylix']['card']} and must be used first (D9)"

    def _kylix(self) -> str:
        return f"no turning of the ring {' '.join(map(str, self.position['kylix']['ring']))} (D6)"

    def _card(self) -> str:
        if self.used["card"]:
            return "the card die is used (D9)"
        return "a 2 of the card die brings nothing (D9)"

    def _fighters(self) -> str:
        return "the die for fighters is used (D9)" if self.used["fighters"] else self._none_back()

    def _play(self) -> str:
        card = self.move["card"]
        if card not in self.player["cards"]:
            return f"{card} is not in the hand of seat {self.seat}"
        if card == "midas":
            return "midas is not played alone; it counts when an order asks for treasures (D24)"
        if card == "charon":
            return self._none_back()
        return (
            f"{card} is played before sailing and before the deed (D24)"
            if card == "fair_wind"
            else ("battle_cry is played before the deed of the turn (D24)")
        )

    # -- deeds

    def _settlement(self) -> tuple[Any, Json]:
        place = next(place for place in self.facts.settlements if place.name == self.move["place"])
        return place, next(there for there in self.position["settlements"] if there["name"] == place.name)

    def _why_no_deed(self, place: Any) -> str:
        if self.used["acted"]:
            return "one deed in a turn: found, or attack a ship, a city or a settlement (D7)"
        if not self._near(place.squares):
            return f"the ship is not near {place.name} (D3)"
        return ""

    def _found(self) -> str:
        place, there = self._settlement()
        why = self._why_no_deed(place)
        if why:
            return why
        if there["fighters"]:
            return f"fighters of seat {there['seat']} are on {place.name} (D16)"
        return f"{place.name} takes {place.fighters} fighters; {self.player['fighters']} are aboard (D16)"

    def _attack_settlement(self) -> str:
        place, there = self._settlement()
        why = self._why_no_deed(place)
        if why:
            return why
        if not there["fighters"]:
            return f"nobody is on {place.name}; it can be founded (D17)"
        if there["seat"] == self.seat:
            return f"the own fighters are on {place.name} (D17)"
        return "an attack needs a fighter aboard (D17)"

    def _attack_city(self) -> str:
        place = next(city for city in self.facts.cities if city.name == self.move["place"])
        why = self._why_no_deed(place)
        if why:
            return why
        lying = next(city for city in self.position["cities"] if city["name"] == place.name)["treasures"]
        return "an attack needs a fighter aboard (D17)" if lying else f"{place.name} has no treasure (D17)"

    # -- treasures and orders

    def _on_anchor(self) -> bool:
        return self.ship >= 0 and self.facts.letters[self.ship] == ANCHOR

    def _no_treasure(self) -> str:
        return f"no {self.move['color']} treasure is aboard the ship of seat {self.seat}"

    def _deliver(self) -> str:
        if self.move["color"] not in self.player["treasures"]:
            return self._no_treasure()
        return "treasures are delivered on an anchor (D19)"

    def _drop(self) -> str:
        if self.move["color"] not in self.player["treasures"]:
            return self._no_treasure()
        return "all fighters fit; treasures are put back only while they do not (D15)"

    def _place(self) -> str:
        return f"{self.move['place']} has no free slot (D19)"

    def _take(self) -> str:
        if self.position["phase"] == "loot":
            return f"no {self.move['color']} treasure is in {self.pending['place']}"
        loser = self.position["players"][self.pending["loser"]]
        if self.move["color"] not in loser["treasures"]:
            return f"no {self.move['color']} treasure is aboard the ship of seat {self.pending['loser']}"
        return "no place is free for a treasure, and no fighter is aboard to make one (D18)"

    def _steal(self) -> str:
        return f"seat {self.pending['loser']} has no cards in hand (D27)"

    def _fetch(self) -> str:
        return self._none_back()

    def _claim(self, kind: str) -> str:
        name = self.move["order"]
        if self.position["phase"] == "claim" and name != self.pending["order"]:
            return f"{self.pending['order']} was revealed; only that order can be claimed now (D20)"
        if name not in self.position["open_orders"] and name != self.player.get("order"):
            return f"{name} is neither open nor in the hand of seat {self.seat} (D20)"
        order = next(order for order in self.facts.orders if order.name == name)
        tasks = [task for task in order.tasks if task.kind == kind]
        return "" if tasks else f"no task of {name} is {kind} (D20)"

    def _claim_treasures(self) -> str:
        why = self._claim("treasures")
        if why:
            return why
        if not self._on_anchor():
            return "treasures are brought to an anchor (D20)"
        given = self.move["colors"]
        for color in given:
            if given.count(color) > self.player["treasures"].count(color):
                return f"{given.count(color)} {color} treasures are not aboard (D20)"
        midas = 0 if self.position["phase"] == "claim" else self.player["cards"].count("midas")
        return f"these are not the treasures of a task, and {midas} midas can stand in (D20, D24)"

    def _claim_fighters(self) -> str:
        return self._claim("fighters") or self._why_not_there("fighters", self.player["fighters"])

    def _claim_cards(self) -> str:
        why = self._claim("cards")
        if why:
            return why
        given = self.move["cards"]
        for card in given:
            if given.count(card) > self.player["cards"].count(card):
                return f"{given.count(card)} {card} are not in the hand of seat {self.seat} (D20)"
        return self._why_not_there("cards", len(given))

    def _why_not_there(self, kind: str, count: int) -> str:
        order = next(order for order in self.facts.orders if order.name == self.move["order"])
        task = next(task for task in order.tasks if task.kind == kind)
        city = next(city for city in self.facts.cities if city.name == task.city)
        if not self._near(city.squares):
            return f"the ship is not near {task.city} (D20)"
        return f"{task.number} {kind} are asked for, not {count} (D20)"

    def _decline(self) -> str:
        return "not among the legal moves"

    # -- chance

    def _roll(self) -> str:
        return "a roll is written from where the ring is smallest (D6)"

    def _throw(self) -> str:
        return f"{self.player['fighters']} fighters are thrown, and each fall must be possible (D26)"

    def _draw(self) -> str:
        if self.position["pile_count"]:
            return f"no {self.move['card']} is left in the pile (D23)"
        return f"the next card under the pile is {self.position['under'][0]} (D23)"

    def _stolen(self) -> str:
        return f"no {self.move['card']} is in the hand of seat {self.pending['loser']} (D27)"

    def _order(self) -> str:
        return f"{self.move['order']} is not in the pile of orders (D22)"
