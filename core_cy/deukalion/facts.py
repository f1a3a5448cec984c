"""What a legal move costs, risks and brings, and the scores, as plain facts for people; docs/adding-a-game.md says in
what form. Everything follows from what the viewer sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pythia.core_cy.deukalion.components import ANCHOR, STYX, Facts, Square
from pythia.core_cy.deukalion.render import facts_of, square_of

Json = dict[str, Any]


def scores(position: Json) -> list[Json]:
    """Per seat its points and what they are made of (D5)."""
    printed = facts_of(position)
    worth = {order.name: order.points for order in printed.orders}
    found = []
    for player in position["players"]:
        orders = sum(worth[name] for name in player["fulfilled"])
        settled = player["points"] - orders - player["victory_cards"]
        parts = {"victory_cards": player["victory_cards"], "orders": orders, "settlements": settled}
        found.append({"total": player["points"], "parts": parts})
    return found


# -- throws


@lru_cache(256)
def throw_odds(fighters: int, throw: tuple[int, ...]) -> Mapping[int, float]:
    """The odds of half points in a throw: cross up 0, cross down a point, side or standing half of one (D26)."""
    odds = {0: 1.0}
    for _ in range(fighters):
        next_odds: dict[int, float] = {}
        for halves, chance in odds.items():
            for gain, share in zip((0, 2, 1), throw, strict=True):
                next_odds[halves + gain] = next_odds.get(halves + gain, 0.0) + chance * share / 100
        odds = next_odds
    return odds


def chance_to_reach(fighters: int, value: float, throw: Sequence[int]) -> float:
    """P(the points of a throw reach a value)."""
    odds = throw_odds(fighters, tuple(throw))
    return min(1.0, sum(chance for halves, chance in odds.items() if halves >= 2 * value))


def chance_to_beat(fighters: int, other: int, ahead: int, throw: Sequence[int]) -> float:
    """P(a throw of some fighters with extra points beats another throw); a tie is lost (D27)."""
    mine, theirs = throw_odds(fighters, tuple(throw)), throw_odds(other, tuple(throw))
    wins = sum(
        one * two
        for halves, one in mine.items()
        for others, two in theirs.items()
        if halves + 2 * ahead > others
    )
    return min(1.0, wins)


# -- one move


def move_facts(position: Json, fields: Json) -> dict[str, Json]:
    """`price`, `odds` and `gains` of a move with these fields, in what a viewer sees. What is nothing is left out."""
    move = _LegalMove(position, fields)
    groups = {"price": move.price(), "odds": move.odds(), "gains": move.gains()}
    return {
        group: {name: fact for name, fact in told.items() if fact or group == "odds"}
        for group, told in groups.items()
    }


class _LegalMove:
    def __init__(self, position: Json, fields: Json) -> None:
        self.position, self.fields = position, fields
        self.printed: Facts = facts_of(position)
        self.action: str = fields["action"]
        self.seat: int = max(position["to_act"], 0)
        self.player: Json = position["players"][self.seat]
        self.pending: Json = position.get("pending", {})
        self.throw: list[int] = position["options"]["throw"]

    # -- what there is

    @property
    def target(self) -> Square:
        return int(self.fields["y"] * self.printed.width + self.fields["x"])

    def ship_on(self, square: Square) -> int:
        """The seat of another ship that is attacked there (D11, D14), -1 for none."""
        if self.printed.letters[square] in (ANCHOR, STYX):
            return -1
        for seat, player in enumerate(self.position["players"]):
            moved = self.action == "sail" and seat == self.seat
            if not moved and "ship" in player and square_of(player["ship"], self.printed) == square:
                return seat
        return -1

    def fleeces(self, seat: int) -> int:
        count: int = self.position["players"][seat]["permanent"].count("golden_fleece")
        return count

    def bonus(self) -> int:
        """Points that the mover's cards add to the next throw (D24, D25)."""
        return self.fleeces(self.seat) + self.printed.cry * int(self.position["used"]["cry"])

    def come_back(self, number: int) -> int:
        """The fighters that come back, limited by how many there are and how many fit (D4)."""
        player = self.player
        free = self.printed.places - player["fighters"] - len(player["treasures"])
        return min(number, int(player["underworld"]), max(int(free), 0))

    def value_of(self, place: str) -> int:
        values = {city.name: city.value for city in self.printed.cities}
        return (values | {site.name: site.value for site in self.printed.settlements})[place]

    def order_points(self) -> int:
        return next(order.points for order in self.printed.orders if order.name == self.fields["order"])

    def styx_reward(self) -> int:
        """Victory cards for more fighters in the underworld than each other player has (D15)."""
        others = [p["underworld"] for seat, p in enumerate(self.position["players"]) if seat != self.seat]
        if self.player["underworld"] <= max(others):
            return 0
        players = len(self.position["players"])
        return min(self.printed.styx_reward[players], int(self.position["victory_cards_left"]))

    # -- the groups

    def price(self) -> Json:
        if self.action == "found":
            return {"fighters": self.settlers()}
        if self.action == "take" and self.full():
            return {"fighters": 1}  # D18
        if self.action == "claim_treasures":
            return {"treasures": " ".join(self.fields["colors"])}
        if self.action == "claim_cards":
            return {"cards": " ".join(self.fields["cards"])}
        return {"treasure": self.fields["color"]} if self.action in ("deliver", "drop") else {}

    def full(self) -> bool:
        aboard = int(self.player["fighters"]) + len(self.player["treasures"])
        return aboard >= self.printed.places

    def settlers(self) -> int:
        found = (site for site in self.printed.settlements if site.name == self.fields["place"])
        return next(found).fighters

    def odds(self) -> Json:
        """Of the fight that the move begins: points needed, fighters thrown, points of cards, chance to win."""
        if self.action in ("attack_city", "attack_settlement"):
            return self.against_value(self.value_of(self.fields["place"]))
        if self.action == "sail":
            if self.target == square_of(self.position["hydra"], self.printed):
                return self.against_value(self.printed.hydra_value)
            other = self.ship_on(self.target)
            return self.against_ship(other) if other >= 0 else {}
        if self.action == "hydra":
            other = self.ship_on(self.target)
            return self.bite(other) if other >= 0 else {}
        return {}

    def against_value(self, value: int) -> Json:
        fighters, bonus = self.player["fighters"], self.bonus()
        win = chance_to_reach(fighters, value - bonus, self.throw)
        return {"need": value, "fighters": fighters, "bonus": bonus, "win": win}

    def against_ship(self, other: int) -> Json:
        fighters, others = self.player["fighters"], self.position["players"][other]["fighters"]
        bonus, theirs = self.bonus(), self.fleeces(other)
        win = chance_to_beat(fighters, others, bonus - theirs, self.throw)
        return {"fighters": fighters, "bonus": bonus, "others": others, "win": win}

    def bite(self, other: int) -> Json:
        """The Hydra attacks a ship (D29)."""
        others = self.position["players"][other]["fighters"]
        need = self.printed.hydra_value - self.fleeces(other)
        return {"others": others, "hydra_wins": 1 - chance_to_reach(others, need, self.throw)}

    def gains(self) -> Json:
        found = getattr(self, f"gains_of_{self.action}", None)
        gains: Json = found() if found else {}
        return gains

    def gains_of_sail(self) -> Json:
        start = square_of(self.player["ship"], self.printed)
        gains: Json = {"squares": self.printed.distances(start)[self.target]}
        if self.printed.letters[self.target] == STYX:
            back = self.come_back(self.printed.fighters)
            gains |= {"fighters": back, "victory_cards": self.styx_reward() if back else 0}
        return gains

    def gains_of_fetch(self) -> Json:
        back = self.come_back(self.printed.fighters)
        return {"fighters": back, "victory_cards": self.styx_reward()}

    def gains_of_rest(self) -> Json:
        return {"fighters": self.come_back(self.printed.rest)}

    def gains_of_fighters(self) -> Json:
        return {"fighters": self.come_back(self.position["kylix"]["fighters"])}

    def gains_of_card(self) -> Json:
        """The card die: 1 gives every other player a card, 3 gives one to the mover (D9)."""
        left = int(self.position["pile_count"]) + len(self.position["under"])
        others = len(self.position["players"]) - 1
        drawn = {1: {"cards_of_others": min(others, left)}, 3: {"cards": min(1, left)}}
        return dict(drawn.get(self.position["kylix"]["card"], {}))

    def gains_of_play(self) -> Json:
        card = self.fields["card"]
        if card == "charon":
            return {"fighters": self.come_back(self.printed.charon)}
        if card == "fair_wind":
            return {"range": self.printed.wind}
        return {"throw_points": self.printed.cry} if card == "battle_cry" else {}

    def gains_of_found(self) -> Json:
        return {"points": self.settlers()}

    def gains_of_deliver(self) -> Json:
        card = min(1, int(self.position["victory_cards_left"]))
        return {"victory_cards": card, "points": card}

    def gains_of_take(self) -> Json:
        return {"treasure": self.fields["color"]}

    def gains_of_steal(self) -> Json:
        return {"cards": 1}

    def gains_of_attack_city(self) -> Json:
        return {"treasures": 1}

    def gains_of_attack_settlement(self) -> Json:
        """If it is won with enough fighters left (D17)."""
        return {"points": self.settlers()}

    def gains_of_claim_fighters(self) -> Json:
        return {"points": self.order_points()}

    gains_of_claim_treasures = gains_of_claim_fighters
    gains_of_claim_cards = gains_of_claim_fighters
