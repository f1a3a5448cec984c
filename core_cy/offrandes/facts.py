"""What a legal move costs and brings, and the scores, as plain facts for people; docs/adding-a-game.md says in what
form. Nothing is hidden (O27), so everything follows from the position.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pythia.core_cy.offrandes.components import (
    ALTARS,
    ANIMALS,
    CHARACTERS,
    CITIES,
    LAMPS,
    LAST_SCORE,
    TOP,
    altar_points,
)

Json = dict[str, Any]
Levels = dict[str, int]


def scores(position: Json) -> list[Json]:
    """Per seat what its total is made of, were it scored now (O25)."""
    found = []
    for seat, player in enumerate(position["players"]):
        held = sum(altar_points(there["altar"]) for there in position["altars"] if owner(there) == seat)
        found.append({"total": player["score"] + held, "parts": {"track": player["score"], "altars": held}})
    return found


def owner(altar: Json) -> int:
    """The seat whose disc is on an altar, -1 for nobody's."""
    return CITIES.index(altar["city"]) if altar.get("number") else -1


def offering_points(levels: Levels) -> int:
    """What an offering scores at once with these levels (O18, O22); 0 where there is none."""
    number = min(levels["carrier"], levels["florist"])
    if not (number and levels["farmer"] and levels["servant"]):
        return 0
    return number * levels["farmer"] + LAMPS[levels["priestess"]]


def move_facts(position: Json, fields: Json) -> dict[str, Json]:
    """`price` and `gains` of a move with these fields; there is no luck in this game after the draw for the start."""
    move = _LegalMove(position, fields)
    gains = move.gains()
    return {"price": move.price(), "odds": {}, "gains": {name: gain for name, gain in gains.items() if gain}}


class _LegalMove:
    def __init__(self, position: Json, fields: Json) -> None:
        self.position, self.fields = position, fields
        self.seat: int = max(position["to_act"], 0)
        self.levels: Levels = self.levels_of(self.seat)

    def levels_of(self, seat: int) -> Levels:
        ladders: Levels = self.position["players"][seat]["ladders"]
        return {character: ladders.get(character, 0) for character in CHARACTERS}

    def price(self) -> Json:
        return {"drachmas": self.fields["drachmas"]} if self.fields["action"] == "bid" else {}

    def gains(self) -> Json:
        action = self.fields["action"]
        # A recruit always comes to level 1, which need not be said.
        if action == "auction":
            return self.climbed(self.fields["characters"])
        if action == "bid":
            return self.climbed(self.position["pending"]["pair"])
        if action == "bribe":
            return self.bribed()
        return self.offered() if action == "offer" else {}

    def climbed(self, characters: Iterable[str]) -> Json:
        """The levels that this seat comes to, who is sent down from the top (O11), and what it does to an offering."""
        after, sent = dict(self.levels), []
        for character in characters:
            if after[character] < TOP:
                after[character] += 1
                if after[character] == TOP:
                    sent += [CITIES[seat] for seat in self.others() if self.levels_of(seat)[character] == TOP]
        gains: Json = {name: after[name] for name in CHARACTERS if after[name] != self.levels[name]}
        gains["offering_points"] = offering_points(after) - offering_points(self.levels)
        return gains | ({"sends_down": " ".join(dict.fromkeys(sent))} if sent else {})

    def others(self) -> list[int]:
        return [seat for seat in range(len(self.position["players"])) if seat != self.seat]

    def bribed(self) -> Json:
        """The victim's disc goes down one, then the briber's climbs (O16)."""
        (ladder,) = self.fields["characters"]
        victim = CITIES.index(self.fields["city"])
        before = self.levels_of(victim)
        after = before | {ladder: before[ladder] - 1}
        gains = self.climbed([ladder])
        if gains.get("sends_down") == self.fields["city"]:
            del gains["sends_down"]  # it is down already
        return gains | {"victim_points": offering_points(after) - offering_points(before)}

    def offered(self) -> Json:
        """Points at once and for the altar (O22, O25), and whether the game ends with this phase (O24)."""
        altar = next(there for there in self.position["altars"] if there["altar"] == self.fields["altar"])
        animals = self.fields["number"] * (ANIMALS.index(self.fields["animal"]) + 1)
        lamp = LAMPS[self.levels["priestess"]]
        new = 0 if owner(altar) == self.seat else altar_points(altar["altar"])
        taken = {there["altar"] for there in self.position["altars"] if there.get("number")}
        score = self.position["players"][self.seat]["score"] + animals + lamp
        gains: Json = {"animals": animals, "lamp": lamp, "altar": new, "total": animals + lamp + new}
        if owner(altar) not in (-1, self.seat):
            gains["takes_from"] = altar["city"]
        gains["ends_game"] = score > LAST_SCORE or taken | {altar["altar"]} == set(ALTARS)
        return gains
