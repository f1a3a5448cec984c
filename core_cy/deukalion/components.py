"""The parts of Deukalion: `data.json` beside this file, read, checked and given names.

The data file is the only place that knows what is printed on the board and the cards, each with its grade: sure,
medium or chosen. An owner of the game corrects a copy and hands it to `load_game` as the option `data`; what the copy
leaves out stays as it is here. Errors name the part, such as `data.cities[3]`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pythia.core_cy.errors import BadOption

MIN_PLAYERS = 2
MAX_PLAYERS = 4
PLAYER_COUNTS = tuple(range(MIN_PLAYERS, MAX_PLAYERS + 1))

# What the rules know by name. The data may change how many there are of a card, not what it does.
CARDS = ("pegasus", "favor_of_hades", "golden_fleece", "fair_wind", "battle_cry", "charon", "midas")
PERMANENT = CARDS[:3]
# What is open, in the order of the numbers in state.pxd.
# fmt: off
PHASES = (
    "setup", "roll", "follow", "kylix", "act", "throw", "loot", "spoils", "steal", "displace", "styx", "place",
    "order", "claim", "draw", "over",
)
# fmt: on
TASKS = ("treasures", "defeat", "hydra", "fighters", "cards")
ANY = "any"

# Letters of the board. All others are places on land.
STYX, ANCHOR, SEA, ATHENS, CENTER = "X", "a", ".", "A", "C"
WATER = STYX + ANCHOR + SEA

# What the engine has room for.
MAX_SQUARES = 64
MAX_COLORS = 5
MAX_CITIES = 8
MAX_SETTLEMENTS = 4
MAX_ORDERS = 16
MAX_COPIES = 7
MAX_CARDS = 30
MAX_FIGHTERS = 10
MAX_PER_COLOR = 3
MAX_ROUNDS = 1000

GRADES = ("sure", "medium", "chosen")

Square = int
Json = dict[str, Any]


@dataclass(frozen=True)
class Site:
    """A city or a settlement."""

    name: str
    squares: tuple[Square, ...]


@dataclass(frozen=True)
class City(Site):
    slots: int
    value: int


@dataclass(frozen=True)
class Settlement(Site):
    fighters: int
    value: int


@dataclass(frozen=True)
class Task:
    """One of the two tasks of an order. `colors` for treasures; `number` and `city` for fighters and cards."""

    kind: str
    colors: tuple[str, ...] = ()
    number: int = 0
    city: str = ""


@dataclass(frozen=True)
class Order:
    name: str
    points: int
    tasks: tuple[Task, Task]


@dataclass(frozen=True)
class Facts:
    """All that is printed, for one copy of the data. A square is a number: row * width + column."""

    heroes: tuple[str, ...]
    colors: tuple[str, ...]
    width: int
    letters: str
    cities: tuple[City, ...]
    settlements: tuple[Settlement, ...]
    hydra_start: Square
    hydra_value: int
    copies: tuple[int, ...]
    orders: tuple[Order, ...]
    target: Mapping[int, int]
    fighters: int
    places: int
    treasures_per_color: int
    victory_cards: int
    styx_reward: Mapping[int, int]
    first_hand: int
    open_orders: int
    displace: int
    rest: int
    charon: int
    wind: int
    cry: int
    max_rounds: int
    throw: tuple[int, int, int]

    @property
    def squares(self) -> range:
        return range(len(self.letters))

    @property
    def sites(self) -> tuple[Site, ...]:
        return (*self.cities, *self.settlements)

    def squares_of(self, letters: str) -> tuple[Square, ...]:
        return tuple(square for square in self.squares if self.letters[square] in letters)

    def touching(self, square: Square) -> list[Square]:
        """The squares that share an edge with this one (D3)."""
        x = square % self.width
        near = [square - self.width, square + self.width]
        near += [square - 1] * (x > 0) + [square + 1] * (x + 1 < self.width)
        return [other for other in near if other in self.squares]

    def distances(self, start: Square, letters: str = WATER) -> dict[Square, int]:
        """Steps over squares with these letters, occupied or not (D3)."""
        found, edge = {start: 0}, [start]
        while edge:
            steps = found[edge[0]] + 1
            ahead = {other for square in edge for other in self.touching(square)}
            edge = sorted(other for other in ahead - found.keys() if self.letters[other] in letters)
            found |= dict.fromkeys(edge, steps)
        return found

    def square_name(self, square: Square) -> str:
        return f"{square % self.width},{square // self.width}"


@cache
def printed() -> Json:
    """The data file that comes with the engine."""
    text = Path(__file__).with_name("data.json").read_text(encoding="utf-8")
    data: Json = json.loads(text)
    return data


@cache
def default_facts() -> Facts:
    return read_facts({})


def read_facts(data: Mapping[str, Any]) -> Facts:
    """The facts of a data file, or BadOption with the path of what is wrong. Absent parts are as printed()."""
    try:
        text = json.dumps(data)
    except (TypeError, ValueError, RecursionError):
        return _Reader(data).facts()  # it says what is wrong
    return _read_text(text)


@lru_cache(64)
def _read_text(text: str) -> Facts:
    """Checked once: positions carry their data, and are read again and again."""
    return _Reader(json.loads(text)).facts()


def check_throw(path: str, throw: Any) -> tuple[int, int, int]:
    """The percentages of a thrown fighter: cross up, cross down, half."""
    good = (
        isinstance(throw, Sequence) and len(throw) == 3 and all(_is_number(share, 0, 100) for share in throw)
    )
    if not good or sum(throw) != 100:
        raise BadOption(
            path, throw, "three whole numbers from 0 to 100 that make 100: cross up, cross down, half"
        )
    return throw[0], throw[1], throw[2]


def _is_number(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


class _Reader:
    """Reads a data file part by part; every way to read one says what is allowed there."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        if not isinstance(data, Mapping):
            raise BadOption("data", data, "an object such as core_cy/deukalion/data.json")
        for name in data:
            if name not in printed():
                raise BadOption(f"data.{name}", data[name], f"no such part; known: {', '.join(printed())}")
        self.data = {**printed(), **data}

    def facts(self) -> Facts:
        self._grades()
        heroes = self._names("heroes", MAX_PLAYERS, MAX_PLAYERS)
        if "hydra" in heroes:
            raise BadOption(
                f"data.heroes[{heroes.index('hydra')}]", "hydra", "a name that no other piece has"
            )
        colors = self._names("colors", 1, MAX_COLORS)
        for place, color in enumerate(colors):
            if color in (ANY, "fighters", "cards"):
                raise BadOption(f"data.colors[{place}]", color, "a word that means nothing else in a move")
        width, letters = self._board()
        cities = [City(*place) for place in self._places("cities", width, letters, MAX_CITIES, 0, MAX_CARDS)]
        settlements = [
            Settlement(*place)
            for place in self._places("settlements", width, letters, MAX_SETTLEMENTS, 1, MAX_FIGHTERS)
        ]
        self._no_other_letters(letters, width)
        permanent = self._list("permanent", len(PERMANENT))
        if tuple(permanent) != PERMANENT:
            raise BadOption("data.permanent", permanent, ", ".join(PERMANENT))
        found = Facts(
            heroes=heroes,
            colors=colors,
            width=width,
            letters=letters,
            cities=tuple(cities),
            settlements=tuple(settlements),
            hydra_start=self._hydra_start(width, letters),
            hydra_value=self._number("hydra_value", 0, 100),
            copies=self._copies(),
            orders=self._orders(colors, [city.name for city in cities]),
            target=self._by_players("target", 1, 100),
            fighters=self._number("fighters", 1, MAX_FIGHTERS),
            places=self._number("places", 1, MAX_FIGHTERS),
            treasures_per_color=self._number("treasures_per_color", 0, MAX_PER_COLOR),
            victory_cards=self._number("victory_cards", 0, 100),
            styx_reward=self._by_players("styx_reward", 0, 10),
            first_hand=self._number("first_hand", 0, MAX_CARDS // MAX_PLAYERS),
            open_orders=self._number("open_orders", 0, 8),
            displace=self._number("displace", 1, MAX_SQUARES),
            rest=self._number("rest", 1, MAX_FIGHTERS),
            charon=self._number("charon", 1, MAX_FIGHTERS),
            wind=self._number("wind", 0, MAX_SQUARES),
            cry=self._number("cry", 0, 20),
            max_rounds=self._number("max_rounds", 1, MAX_ROUNDS),
            throw=check_throw("data.throw", self.data["throw"]),
        )
        self._enough(found)
        self._in_reach(found)
        return found

    # -- parts

    def _list(self, name: str, low: int, high: int | None = None) -> Sequence[Any]:
        found = self.data[name]
        most = low if high is None else high
        if not isinstance(found, (list, tuple)) or not low <= len(found) <= most:
            number = f"{low}" if low == most else f"{low} to {most}"
            raise BadOption(f"data.{name}", found, f"a list of {number}")
        return found

    def _names(self, name: str, low: int, high: int) -> tuple[str, ...]:
        found = self._list(name, low, high)
        for place, word in enumerate(found):
            self._name(f"data.{name}[{place}]", word, found[:place])
        return tuple(found)

    def _name(self, path: str, word: Any, others: Sequence[Any]) -> str:
        good = (
            isinstance(word, str)
            and word.replace("_", "").isalnum()
            and word.isascii()
            and word == word.lower()
        )
        if not good or word in others:
            raise BadOption(path, word, "small letters, digits and _, each name once")
        return str(word)

    def _number(self, name: str, low: int, high: int, value: Any = None) -> int:
        value = self.data[name] if value is None else value
        if not _is_number(value, low, high):
            raise BadOption(f"data.{name}", value, f"a whole number from {low} to {high}")
        return int(value)

    def _by_players(self, name: str, low: int, high: int) -> dict[int, int]:
        found = self.data[name]
        keys = [str(players) for players in PLAYER_COUNTS]
        if not isinstance(found, Mapping) or sorted(found) != keys:
            raise BadOption(f"data.{name}", found, f"an object with {', '.join(keys)}")
        return {
            players: self._number(f"{name}.{players}", low, high, found[str(players)])
            for players in PLAYER_COUNTS
        }

    def _grades(self) -> None:
        grades = self.data["grades"]
        if not isinstance(grades, Mapping):
            raise BadOption("data.grades", grades, "an object")
        for name, grade in grades.items():
            if name not in printed() or name == "grades":
                raise BadOption(f"data.grades.{name}", grade, f"no such part; known: {', '.join(printed())}")
            if not isinstance(grade, str) or not grade.startswith(GRADES):
                raise BadOption(
                    f"data.grades.{name}", grade, f"{', '.join(GRADES)}, and then whatever explains it"
                )

    def _board(self) -> tuple[int, str]:
        rows = self._list("board", 1, MAX_SQUARES)
        for y, row in enumerate(rows):
            if not isinstance(row, str) or not row or len(row) != len(rows[0]):
                raise BadOption(f"data.board[{y}]", row, "a text as long as the first row")
        letters = "".join(rows)
        if len(letters) > MAX_SQUARES:
            raise BadOption("data.board", f"{len(letters)} squares", f"at most {MAX_SQUARES} squares")
        if letters.count(ANCHOR) < MAX_PLAYERS:
            raise BadOption(
                "data.board", f"{letters.count(ANCHOR)} anchors", f"at least {MAX_PLAYERS}, one for each ship"
            )
        return len(rows[0]), letters

    def _places(
        self, name: str, width: int, letters: str, most: int, least_count: int, most_count: int
    ) -> list[tuple[str, tuple[Square, ...], int, int]]:
        counted = "treasure slots" if name == "cities" else "fighters"
        found: list[tuple[str, tuple[Square, ...], int, int]] = []
        for place, entry in enumerate(self._list(name, 1, most)):
            path = f"data.{name}[{place}]"
            if not isinstance(entry, (list, tuple)) or len(entry) != 4:
                raise BadOption(path, entry, f"[name, letter, {counted}, conquest value]")
            word = self._name(f"{path}[0]", entry[0], [other[0] for other in found])
            letter = entry[1]
            if not isinstance(letter, str) or len(letter) != 1 or letter in WATER + ATHENS + CENTER:
                raise BadOption(f"{path}[1]", letter, "one letter that stands for nothing else")
            squares = tuple(square for square, there in enumerate(letters) if there == letter)
            if not squares:
                raise BadOption(f"{path}[1]", letter, "a letter that is on the board")
            if any(squares == other[1] for other in found):
                raise BadOption(f"{path}[1]", letter, "a letter of its own")
            if not _is_number(entry[2], least_count, most_count):
                raise BadOption(f"{path}[2]", entry[2], f"{counted}, {least_count} to {most_count}")
            if not _is_number(entry[3], 0, 100):
                raise BadOption(f"{path}[3]", entry[3], "a conquest value, 0 to 100")
            found.append((word, squares, entry[2], entry[3]))
        return found

    def _no_other_letters(self, letters: str, width: int) -> None:
        cities, settlements = self.data["cities"], self.data["settlements"]
        names: list[str] = []
        for name, entries in (("cities", cities), ("settlements", settlements)):
            for place, entry in enumerate(entries):
                if entry[0] in names:
                    raise BadOption(f"data.{name}[{place}][0]", entry[0], "each name once")
                names.append(entry[0])
        for place, entry in enumerate(settlements):
            if entry[1] in [city[1] for city in cities]:
                raise BadOption(f"data.settlements[{place}][1]", entry[1], "a letter of its own")
        known = [entry[1] for entry in (*cities, *settlements)] + list(WATER + ATHENS + CENTER)
        for square, letter in enumerate(letters):
            if letter not in known:
                raise BadOption(
                    f"data.board[{square // width}]", letter, f"letters of places, or {' '.join(known)}"
                )

    def _hydra_start(self, width: int, letters: str) -> Square:
        found = self._list("hydra_start", 2)
        if not _is_number(found[0], 0, width - 1) or not _is_number(found[1], 0, len(letters) // width - 1):
            raise BadOption("data.hydra_start", found, "[column, row] of a square of the board")
        square = found[1] * width + found[0]
        if letters[square] != SEA:
            raise BadOption("data.hydra_start", found, "a sea square, no anchor and no Styx (D3)")
        return int(square)

    def _copies(self) -> tuple[int, ...]:
        found = self._list("cards", len(CARDS))
        for place, entry in enumerate(found):
            path = f"data.cards[{place}]"
            if not isinstance(entry, (list, tuple)) or len(entry) != 2:
                raise BadOption(path, entry, "[id, copies]")
            if entry[0] != CARDS[place]:
                raise BadOption(
                    f"{path}[0]",
                    entry[0],
                    f"{CARDS[place]}; the cards come in this order: {', '.join(CARDS)}",
                )
            if not _is_number(entry[1], 0, MAX_COPIES):
                raise BadOption(f"{path}[1]", entry[1], f"copies, 0 to {MAX_COPIES}")
        copies = tuple(entry[1] for entry in found)
        if sum(copies) > MAX_CARDS:
            raise BadOption("data.cards", f"{sum(copies)} cards", f"at most {MAX_CARDS}")
        return copies

    def _orders(self, colors: Sequence[str], cities: Sequence[str]) -> tuple[Order, ...]:
        found: list[Order] = []
        for place, entry in enumerate(self._list("orders", 0, MAX_ORDERS)):
            path = f"data.orders[{place}]"
            if not isinstance(entry, (list, tuple)) or len(entry) != 4:
                raise BadOption(path, entry, "[id, points, one task, other task]")
            name = self._name(f"{path}[0]", entry[0], [order.name for order in found])
            if not _is_number(entry[1], 0, 100):
                raise BadOption(f"{path}[1]", entry[1], "points, 0 to 100")
            one, other = (self._task(f"{path}[{part}]", entry[part], colors, cities) for part in (2, 3))
            found.append(Order(name, entry[1], (one, other)))
        return tuple(found)

    def _task(self, path: str, entry: Any, colors: Sequence[str], cities: Sequence[str]) -> Task:
        if not isinstance(entry, (list, tuple)) or not entry or entry[0] not in TASKS:
            raise BadOption(path, entry, f"a task, its kind first: {', '.join(TASKS)}")
        kind = entry[0]
        if kind in ("defeat", "hydra"):
            if len(entry) != 1:
                raise BadOption(path, entry, f'["{kind}"]')
            return Task(kind)
        if kind == "treasures":
            good = len(entry) == 2 and isinstance(entry[1], (list, tuple)) and 1 <= len(entry[1]) <= 4
            if not good or any(color not in (*colors, ANY) for color in entry[1]):
                raise BadOption(path, entry, f"1 to 4 of {', '.join((*colors, ANY))}")
            return Task(kind, colors=tuple(entry[1]))
        if len(entry) != 3 or not _is_number(entry[1], 1, MAX_CARDS) or entry[2] not in cities:
            raise BadOption(path, entry, f'["{kind}", number, city]; cities: {", ".join(cities)}')
        return Task(kind, number=entry[1], city=entry[2])

    # -- the whole

    def _enough(self, facts: Facts) -> None:
        slots = sum(city.slots for city in facts.cities)
        treasures = facts.treasures_per_color * len(facts.colors)
        if slots < treasures:
            raise BadOption(
                "data.cities", f"{slots} slots", f"at least {treasures}, one for each treasure (D19)"
            )
        if facts.places < facts.fighters:
            raise BadOption("data.places", facts.places, f"at least the {facts.fighters} fighters (D2)")
        if facts.first_hand * MAX_PLAYERS > sum(facts.copies):
            raise BadOption(
                "data.first_hand", facts.first_hand, f"what {sum(facts.copies)} cards are enough for"
            )
        if facts.open_orders + MAX_PLAYERS > len(facts.orders):
            raise BadOption(
                "data.orders",
                f"{len(facts.orders)} orders",
                f"at least {facts.open_orders + MAX_PLAYERS} (D2)",
            )

    def _in_reach(self, facts: Facts) -> None:
        """Ships come from Athens to every place, and a displaced piece always finds a square (D30)."""
        reached = facts.distances(facts.squares_of(ANCHOR)[0])
        for square in facts.squares_of(WATER):
            if square not in reached:
                path = f"data.board[{square // facts.width}]"
                raise BadOption(path, facts.square_name(square), "water that ships reach from the anchors")
        sites: list[tuple[str, Site]] = [(f"data.cities[{i}]", city) for i, city in enumerate(facts.cities)]
        sites += [(f"data.settlements[{i}]", there) for i, there in enumerate(facts.settlements)]
        for path, site in sites:
            if not any(facts.letters[o] in WATER for square in site.squares for o in facts.touching(square)):
                raise BadOption(path, site.name, "a place in reach: with a water square that touches it (D3)")
        for letters, whose in ((WATER, "a ship"), (SEA, "the Hydra")):
            for square in facts.squares_of(letters):
                far = [
                    steps for steps in facts.distances(square, letters).values() if steps >= facts.displace
                ]
                if len(far) <= MAX_PLAYERS:
                    raise BadOption(
                        "data.board",
                        facts.square_name(square),
                        f"squares from which {whose} can be displaced by {facts.displace} or more (D30)",
                    )
