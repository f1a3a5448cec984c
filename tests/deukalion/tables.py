"""Positions of Deukalion for scenarios: what a test says about the table, and the rest filled in so that it adds up."""

from typing import Any

from pythia.core_cy import State, state_from_json
from pythia.core_cy.deukalion.components import CARDS, default_facts

FACTS = default_facts()
COLORS = FACTS.colors
ANCHORS = ("3,0", "5,0", "3,1", "4,1")
# Orders for the hands and the open places that no test asks for by itself: single treasures.
PLAIN_ORDERS = (
    "crew_to_sparta",
    "red_or_yellow",
    "yellow_or_green",
    "green_or_blue",
    "blue_or_white",
    "white_or_red",
    "two_blue",
)


def square(name: str) -> dict[str, int]:
    x, y = name.split(",")
    return {"x": int(x), "y": int(y)}


class Table:
    """A table in the middle of a game. By default seat 1 is in a passive turn, seat 0 is active."""

    def __init__(self, players: int = 2, **parts: Any) -> None:
        self.seats: list[dict[str, Any]] = [{"ship": ANCHORS[seat]} for seat in range(players)]
        self.settled: dict[str, int] = {}
        self.cities: dict[str, list[str]] = {}
        self.parts: dict[str, Any] = {
            "phase": "follow",
            "mover": 1,
            "turn": 0,
            "round": 3,
            "hydra": "5,6",
            **parts,
        }
        self.center, self.ring, self.dice = 2, [1, 1, 2, 3], [0, 0, 0, 0]
        self.used: dict[str, Any] = {}
        self.open: list[str] | None = None
        self.under: list[str] = []
        self.removed: list[str] = []
        self.options: dict[str, Any] = {}
        self.nothing_left = False

    def seat(self, seat: int, **parts: Any) -> "Table":
        """ship, fighters, treasures, cards, order, fulfilled, permanent, victory_cards, knows"""
        self.seats[seat].update(parts)
        return self

    def settle(self, **owners: int) -> "Table":
        self.settled.update(owners)
        return self

    def city(self, **treasures: list[str]) -> "Table":
        self.cities.update(treasures)
        return self

    def orders(self, *orders: str) -> "Table":
        """The open orders."""
        self.open = list(orders)
        return self

    def rolled(self, center: int, *ring: int) -> "Table":
        self.center, self.ring = center, list(ring)
        return self

    def act(self, card: int, fighters: int, sail: int, hydra: int, turn: int = 0) -> "Table":
        """An active turn with these dice."""
        dice = [card, fighters, sail, hydra]
        self.parts |= {"phase": "act", "turn": turn, "mover": turn}
        self.ring = min(dice[i:] + dice[:i] for i in range(4))
        self.dice = dice
        return self

    def use(self, **used: Any) -> "Table":
        self.used.update(used)
        return self

    def no_pile(self, *under: str) -> "Table":
        """All cards that are nowhere else are in the hand of the last seat, but those under the pile."""
        self.under, self.nothing_left = list(under), True
        return self

    def json(self) -> dict[str, Any]:
        free = [order for order in PLAIN_ORDERS if order not in self._orders_named()]
        if self.open is None:
            self.open = [free.pop(), free.pop()]
        players = [self._player(seat, free) for seat in range(len(self.seats))]
        if self.nothing_left:
            held = [
                card for player in players for card in (*player["cards"], *player["permanent"])
            ] + self.under
            left = [c for c, n in zip(CARDS, FACTS.copies, strict=True) for _ in range(n - held.count(c))]
            players[-1]["cards"] = sorted(players[-1]["cards"] + left, key=CARDS.index)
        obj = {
            "game": "deukalion",
            "format": 1,
            "options": {"players": len(self.seats), **self.options},
            **self.parts,
            "hydra": square(self.parts["hydra"]),
            "kylix": {
                "center": self.center,
                "ring": self.ring,
                **dict(zip(("card", "fighters", "sail", "hydra"), self.dice, strict=True)),
            },
            "used": self.used,
            "players": players,
            "cities": self._cities(players),
            "settlements": [
                {
                    "name": there.name,
                    "seat": self.settled.get(there.name, 0),
                    "fighters": there.fighters if there.name in self.settled else 0,
                }
                for there in FACTS.settlements
            ],
            "open_orders": sorted(self.open, key=[order.name for order in FACTS.orders].index),
            "removed_orders": self.removed,
            "under": self.under,
        }
        if self.parts["phase"] in ("roll", "setup"):
            obj["kylix"] = {}
        return obj

    def state(self) -> State:
        return state_from_json(self.json())

    def _orders_named(self) -> list[str]:
        named = [order for seat in self.seats for order in [seat.get("order"), *seat.get("fulfilled", [])]]
        return [*named, *(self.open or []), *self.removed]

    def _player(self, seat: int, free: list[str]) -> dict[str, Any]:
        parts = self.seats[seat]
        away = sum(there.fighters for there in FACTS.settlements if self.settled.get(there.name) == seat)
        treasures = parts.get("treasures", [])
        fighters = parts.get("fighters", FACTS.fighters - max(away, len(treasures)))
        return {
            **({"ship": square(parts["ship"])} if parts["ship"] else {}),
            "fighters": fighters,
            "underworld": FACTS.fighters - away - fighters,
            "treasures": sorted(treasures, key=COLORS.index),
            "victory_cards": parts.get("victory_cards", 0),
            "fulfilled": parts.get("fulfilled", []),
            "permanent": parts.get("permanent", []),
            "cards": sorted(parts.get("cards", []), key=CARDS.index),
            "order": parts["order"] if "order" in parts else free.pop(),
            "knows": parts.get("knows", []),
        }

    def _cities(self, players: list[dict[str, Any]]) -> list[dict[str, Any]]:
        taken = [color for player in players for color in player["treasures"]]
        taken += [color for lying in self.cities.values() for color in lying]
        pending = self.parts.get("pending", {})
        taken += [step["color"] for step in (pending, *pending.get("then", [])) if "color" in step]
        left = [c for c in COLORS for _ in range(FACTS.treasures_per_color - taken.count(c))]
        found = []
        for city in reversed(FACTS.cities):  # so that the first cities have the free slots
            lying = self.cities.get(city.name)
            if lying is None:
                lying, left = left[: city.slots], left[city.slots :]
            found.append({"name": city.name, "treasures": sorted(lying, key=COLORS.index)})
        assert not left, f"no slots for {left}"
        return found[::-1]


def legal(state: State, first: str = "") -> set[str]:
    """The texts of the legal moves, or of those that begin with a word."""
    texts = {str(move) for move in state.legal_moves()}
    return {text for text in texts if not first or text.split()[0] == first}


def play(state: State, *moves: str) -> State:
    for move in moves:
        state.apply(move)
    return state


def seat_of(state: State, seat: int) -> dict[str, Any]:
    found: dict[str, Any] = state.to_json()["players"][seat]
    return found


def ship(state: State, seat: int) -> str:
    where = seat_of(state, seat)["ship"]
    return f"{where['x']},{where['y']}"
