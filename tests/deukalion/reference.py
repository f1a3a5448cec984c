"""A slow, plain reference implementation of Deukalion.

It exists to be read and to be compared with a faster engine. Everything is written straight from the rulings
(cited as D1, D2, ...) and from the interchange format; nothing here is optimised.

Interface
---------
Plain functions over the position as the interchange format writes it: a dict that JSON can hold, every field
written (`pending` and a ship that is not placed yet are absent, as the format says). No function changes the
dict it is given.

- `new_state(options, deal)`: the start position. `options` has `players`, and `throw` unless it is 42, 42, 16.
  `deal` is a `random.Random`, or what the seed decides (D2) written out:
  `{"cities": {"korinth": ["red"], ...}, "cards": [[...], ...], "orders": ["two_red", ...], "open_orders": [...]}`
  with `cards` and `orders` by seat.
- `legal_moves(state)`: the texts of all moves of the seat to act, or of all outcomes at chance, in any order;
  none when the game is over.
- `outcomes(state)`: at chance, each outcome's text with its probability as a `Fraction`; else empty.
- `apply(state, text)`: the position after a move or an outcome. It raises `ValueError` for a text that
  `legal_moves` does not have.
- `observation(state, seat)`: what a seat sees, -1 for a spectator (D31).
- `returns(state)`: one `Fraction` for each seat, of a game that is over.
- `ranks(state)`: one rank for each seat, 1 is the best, equal seats share the better rank; over or not (D33).
- `comparable(state)`: a copy without the `refill` entries of `then`, and without an empty `then` (see below).
- `complete(position)`: a full state written without defaults, or without what follows from the rest, with every
  field written, as the other functions want it.
- `check(state)`: raises `ValueError` with the path of the first part that no game can have.

How it works
------------
What is still to be resolved is a list, the agenda: `pending` is its first entry, `then` the others. `apply` works
on a copy whose `pending` is unfolded into `agenda`; an empty agenda means that the mover is in `follow` or `act`
(or that it is time to roll, or to turn the cup), which follows from the rest of the position. Whatever a move
causes is put in front of the agenda. Entries that need nobody are carried out as soon as they come first.

Where the rules can be read in more than one way
------------------------------------------------
- `refill` comes last in every agenda, so it follows from the rest: it happens when the agenda is empty, a place
  for open orders is free and orders are left. It is written as the last entry of `then` when it is certain to
  reveal an order: when more places are free (and orders left) than a pending `order` fills. Another program may
  write a `refill` that will find nothing to do; `comparable` takes all of them out.
- An order being asked for (`claim`) lies in `open_orders`; `pending.order` only names it.
- Several orders fulfilled at once by D21 are one gain: all are taken, then the target is looked at.
- The flags of `used` belong to the move and are set before the points it brings: a winning `deliver`, `found` or
  `claim` leaves `delivered`, `acted` or `sailed` set. `pending` of a game that is over has no `then`.
- A mover who is one of several takers has fulfilled an order in the sense of D13, and does not sail any more.
- Several takers: treasures of all of them leave the ships together and lie in `pending` and `then`, in the order
  in which the takers were asked. (No order asks one taker for cards and another for treasures.)
- Draws of a card die of 1 stay in `then` although the cards may run out before; each is skipped when it is due.
- `midas` may pay in a mover's own turn for an open order and for the own one, but not in phase `claim`, not even
  for the mover (so the format).
- `battle_cry` may be played as long as no deed is done, although no throw may follow any more.
- `deliver` is legal with no victory cards left; it then brings nothing (D5).
- A ship may be displaced onto an anchor or a Styx square, if no ship is there (D15 and D30); the Hydra only onto
  squares it may enter.
- In `setup` `turn` is 0. In `over` by length everything but `phase`, `to_act` and `pending` is as before the last
  `end`: `mover`, `kylix` and `used` too.
- `pending` of a throw has `score` only when the defender of a ship throws. `attacker` is written for every throw,
  `ask` and `claims` for every claim, also when empty.
"""

import copy
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import factorial

# --------------------------------------------------------------------------
# Facts
# --------------------------------------------------------------------------

HEROES = ["deukalion", "perseus", "herkules", "achilles"]  # by seat
COLORS = ["red", "yellow", "green", "blue", "white"]
BOARD = [
    "XX.aAa..E",
    "...aaa...",
    "K.......H",
    "..G.C....",
    ".M....RL.",
    "...T.....",
    ".P..I.S.Z",
]
# name: (letter, treasure slots, conquest value)
CITIES = {
    "korinth": ("K", 1, 2),
    "mykene": ("M", 1, 2),
    "sparta": ("P", 2, 3),
    "thera": ("T", 1, 2),
    "kreta": ("I", 2, 3),
    "rhodos": ("R", 2, 3),
    "zypern": ("Z", 3, 4),
    "halikarnassos": ("H", 3, 4),
}
# name: (letter, fighters, conquest value)
SETTLEMENTS = {
    "ephesus": ("E", 1, 1),
    "salamis": ("S", 2, 2),
    "argos": ("G", 1, 1),
    "lindos": ("L", 2, 2),
}
HYDRA_START = (5, 6)
HYDRA_VALUE = 5
CARDS = {
    "pegasus": 2,
    "favor_of_hades": 2,
    "golden_fleece": 2,
    "fair_wind": 7,
    "battle_cry": 7,
    "charon": 6,
    "midas": 4,
}
PERMANENT = ["pegasus", "favor_of_hades", "golden_fleece"]
# id: (points, one task, other task)
ORDERS = {
    "red_or_yellow": (2, ["treasures", ["red"]], ["treasures", ["yellow"]]),
    "yellow_or_green": (2, ["treasures", ["yellow"]], ["treasures", ["green"]]),
    "green_or_blue": (2, ["treasures", ["green"]], ["treasures", ["blue"]]),
    "blue_or_white": (2, ["treasures", ["blue"]], ["treasures", ["white"]]),
    "white_or_red": (2, ["treasures", ["white"]], ["treasures", ["red"]]),
    "red_and_green": (3, ["treasures", ["red", "green"]], ["defeat"]),
    "yellow_and_blue": (3, ["treasures", ["yellow", "blue"]], ["defeat"]),
    "green_and_white": (3, ["treasures", ["green", "white"]], ["defeat"]),
    "red_and_blue": (3, ["treasures", ["red", "blue"]], ["hydra"]),
    "yellow_and_white": (3, ["treasures", ["yellow", "white"]], ["hydra"]),
    "crew_to_zypern": (2, ["fighters", 9, "zypern"], ["cards", 4, "kreta"]),
    "crew_to_sparta": (2, ["fighters", 9, "sparta"], ["cards", 4, "rhodos"]),
    "crew_to_rhodos": (2, ["fighters", 9, "rhodos"], ["cards", 4, "thera"]),
    "two_red": (4, ["treasures", ["red", "red"]], ["treasures", ["any", "any", "any"]]),
    "two_green": (4, ["treasures", ["green", "green"]], ["treasures", ["any", "any", "any"]]),
    "two_blue": (4, ["treasures", ["blue", "blue"]], ["treasures", ["any", "any", "any"]]),
}
TARGET = {2: 16, 3: 14, 4: 12}
STYX_REWARD = {2: 1, 3: 2, 4: 2}
FIGHTERS = 10
PLACES = 10
TREASURES_PER_COLOR = 3
VICTORY_CARDS = 14
FIRST_HAND = 3
OPEN_ORDERS = 2
DISPLACE = 3
REST = 2
CHARON = 3
WIND = 2
CRY = 2
THROW = [42, 42, 16]
MAX_ROUNDS = 100

CHANCE = -1
OVER = -2
CHANCE_PHASES = ["roll", "throw", "draw", "steal", "order"]
EMPTY_KYLIX = {"center": 0, "ring": [], "card": 0, "fighters": 0, "sail": 0, "hydra": 0}
FRESH = {
    "sailed": False,
    "acted": False,
    "delivered": False,
    "card": False,
    "fighters": False,
    "hydra": False,
    "wind": 0,
    "cry": 0,
}


# --------------------------------------------------------------------------
# The board (D3)
# --------------------------------------------------------------------------

LETTER = {(x, y): letter for y, row in enumerate(BOARD) for x, letter in enumerate(row)}
WATER = [square for square, letter in LETTER.items() if letter in "Xa."]
ANCHORS = [square for square in WATER if LETTER[square] == "a"]
STYX = [square for square in WATER if LETTER[square] == "X"]
HYDRA_WATER = [square for square in WATER if LETTER[square] == "."]  # what the Hydra may enter
PLACE = {name: facts[0] for name, facts in {**CITIES, **SETTLEMENTS}.items()}


def neighbours(square):
    x, y = square
    return [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)]


def near(square, place):
    """Whether a square touches a city or a settlement."""
    return any(LETTER.get(other) == PLACE[place] for other in neighbours(square))


def distances(start, water, ends_at=lambda square: False, closed=lambda square: False):
    """Steps from a square to all that can be reached over `water`, without entering what is `closed` and without
    going on from where the way `ends_at`."""
    steps = {start: 0}
    queue = [start]
    for square in queue:
        if square != start and ends_at(square):
            continue
        for other in neighbours(square):
            if other in water and other not in steps and not closed(other):
                steps[other] = steps[square] + 1
                queue.append(other)
    return steps


def text_of(square):
    return f"{square[0]},{square[1]}"


def square_of(text):
    x, y = text.split(",")
    return (int(x), int(y))


def json_of(square):
    return {"x": square[0], "y": square[1]}


# --------------------------------------------------------------------------
# Small helpers
# --------------------------------------------------------------------------


def seats(state):
    return range(state["options"]["players"])


def left_of(state, seat):
    return (seat + 1) % state["options"]["players"]  # D1


def right_of(state, seat):
    return (seat - 1) % state["options"]["players"]  # D1


def clockwise(state, start):
    players = state["options"]["players"]
    return [(start + step) % players for step in range(players)]


def ship(state, seat):
    """The square of a ship, or None before it is placed."""
    square = state["players"][seat].get("ship")
    return (square["x"], square["y"]) if square else None


def hydra(state):
    return (state["hydra"]["x"], state["hydra"]["y"])


def ships_on(state, square):
    return [seat for seat in seats(state) if ship(state, seat) == square]


def aboard(state, seat):
    return state["players"][seat]["fighters"]


def free_places(state, seat):
    player = state["players"][seat]
    return PLACES - player["fighters"] - len(player["treasures"])  # D4


def permanent(state, seat, card):
    return state["players"][seat]["permanent"].count(card)


def city_named(state, name):
    return next(city for city in state["cities"] if city["name"] == name)


def settlement_named(state, name):
    return next(settlement for settlement in state["settlements"] if settlement["name"] == name)


def points(state, seat):
    """Victory cards, fulfilled orders, fighters on settlements (D5)."""
    player = state["players"][seat]
    settled = sum(settlement["fighters"] for settlement in state["settlements"] if settlement["seat"] == seat)
    return player["victory_cards"] + sum(ORDERS[order][0] for order in player["fulfilled"]) + settled


def asks_for(order, kind):
    return any(task[0] == kind for task in ORDERS[order][1:])


def orders_of(state, seat):
    """The orders a seat can fulfil: the open ones and its own."""
    own = state["players"][seat]["order"]
    return state["open_orders"] + ([own] if own else [])


def choices(things, number, names):
    """Every different choice of so many of the things, each in the order of the names."""
    things = sorted(things, key=names.index)
    return sorted(
        set(combinations(things, number)), key=lambda choice: [names.index(name) for name in choice]
    )


def insert(things, thing, names):
    """Puts a name into a list that is kept in the order of the data."""
    things.append(thing)
    things.sort(key=list(names).index)


def turnings(ring):
    return {tuple(ring[turn:] + ring[:turn]) for turn in range(len(ring))}


def main_phase(state):
    """What is open when the agenda is empty."""
    if any(ship(state, seat) is None for seat in seats(state)):
        return "setup"
    if not state["kylix"]["ring"]:
        return "roll"
    if state["mover"] != state["turn"]:
        return "follow"
    return "act" if state["kylix"]["card"] else "kylix"


# --------------------------------------------------------------------------
# Start (D2)
# --------------------------------------------------------------------------


def random_deal(players, rng):
    treasures = [color for color in COLORS for _ in range(TREASURES_PER_COLOR)]
    cards = [card for card, copies in CARDS.items() for _ in range(copies)]
    orders = list(ORDERS)
    for things in (treasures, cards, orders):
        rng.shuffle(things)
    return {
        "cities": {city: [treasures.pop() for _ in range(slots)] for city, (_, slots, _) in CITIES.items()},
        "cards": [[cards.pop() for _ in range(FIRST_HAND)] for _ in range(players)],
        "orders": [orders.pop() for _ in range(players)],
        "open_orders": [orders.pop() for _ in range(OPEN_ORDERS)],
    }


def new_state(options, deal):
    players = options.get("players", 2)
    throw = list(options.get("throw", THROW))
    if players not in TARGET:
        raise ValueError(f"options.players: {players} is not 2, 3 or 4")
    if len(throw) != 3 or min(throw) < 0 or sum(throw) != 100:
        raise ValueError(f"options.throw: {throw} is not three percentages that make 100")
    if isinstance(deal, random.Random):
        deal = random_deal(players, deal)
    pile = Counter(CARDS)
    for hand in deal["cards"]:
        pile.subtract(hand)
    dealt = deal["orders"] + deal["open_orders"]
    state = {
        "game": "deukalion",
        "format": 1,
        "options": {"players": players, "throw": throw},
        "round": 1,
        "turn": 0,
        "mover": 0,
        "to_act": 0,
        "phase": "setup",
        "kylix": copy.deepcopy(EMPTY_KYLIX),
        "used": dict(FRESH),
        "players": [
            {
                "hero": HEROES[seat],
                "fighters": FIGHTERS,
                "underworld": 0,
                "treasures": [],
                "points": 0,
                "victory_cards": 0,
                "fulfilled": [],
                "permanent": [],
                "card_count": FIRST_HAND,
                "cards": sorted(deal["cards"][seat], key=list(CARDS).index),
                "has_order": True,
                "order": deal["orders"][seat],
                "knows": [],
            }
            for seat in range(players)
        ],
        "hydra": json_of(HYDRA_START),
        "cities": [
            {"name": city, "treasures": sorted(deal["cities"][city], key=COLORS.index)} for city in CITIES
        ],
        "settlements": [{"name": name, "seat": 0, "fighters": 0} for name in SETTLEMENTS],
        "open_orders": sorted(deal["open_orders"], key=list(ORDERS).index),
        "removed_orders": [],
        "order_pile_count": len(ORDERS) - len(dealt),
        "order_pile": [order for order in ORDERS if order not in dealt],
        "victory_cards_left": VICTORY_CARDS,
        "pile_count": sum(pile.values()),
        "pile": [card for card in CARDS for _ in range(pile[card])],
        "under": [],
    }
    check(state)
    return state


# --------------------------------------------------------------------------
# What can be done
# --------------------------------------------------------------------------


def legal_moves(state):
    if state["to_act"] == CHANCE:
        return list(outcomes(state))
    return LEGAL[state["phase"]](state)


def legal_setup(state):
    return [f"anchor {text_of(square)}" for square in ANCHORS if not ships_on(state, square)]  # D2


def legal_follow(state):
    used = state["used"]
    moves = legal_of_both(state)
    if not (used["sailed"] or used["acted"] or used["delivered"]) and back(state, state["mover"], REST) > 0:
        moves.append("rest")  # D8
    return moves + ["end"]


def legal_kylix(state):
    return ["kylix " + " ".join(map(str, dice)) for dice in sorted(turnings(state["kylix"]["ring"]))]  # D6


def legal_act(state):
    kylix, used = state["kylix"], state["used"]
    moves = legal_of_both(state)
    if kylix["card"] != 2 and not used["card"]:
        moves.append("card")  # D9
    if not used["fighters"] and back(state, state["mover"], kylix["fighters"]) > 0:
        moves.append("fighters")
    if not used["hydra"]:
        moves += [f"hydra {text_of(square)}" for square in hydra_targets(state)]
    if kylix["card"] == 2 or used["card"]:
        moves.append("end")
    return moves


def legal_of_both(state):
    """What both movers have (D7)."""
    seat, used = state["mover"], state["used"]
    player, square = state["players"][seat], ship(state, seat)
    moves = []
    if not used["sailed"] and not used["acted"]:  # D13
        moves += [f"sail {text_of(target)}" for target in sail_targets(state)]
    if not used["acted"]:
        for settlement in state["settlements"]:
            name = settlement["name"]
            if not near(square, name):
                continue
            if settlement["fighters"] == 0 and player["fighters"] >= SETTLEMENTS[name][1]:
                moves.append(f"found {name}")  # D16
            if settlement["fighters"] > 0 and settlement["seat"] != seat and player["fighters"] > 0:
                moves.append(f"attack {name}")  # D17
        for city in state["cities"]:
            if near(square, city["name"]) and city["treasures"] and player["fighters"] > 0:
                moves.append(f"attack {city['name']}")  # D17
    if square in ANCHORS:
        moves += [f"deliver {color}" for color in COLORS if color in player["treasures"]]  # D19
    for order in orders_of(state, seat):
        moves += claims(state, seat, order, player["cards"].count("midas"))
    for card in CARDS:
        if card in player["cards"] and may_play(state, card):
            moves.append(f"play {card}")
    return moves


def sail_range(state):
    """D10"""
    seat, kylix = state["mover"], state["kylix"]
    die = kylix["sail"] if seat == state["turn"] else kylix["center"]
    return die + permanent(state, seat, "pegasus") + WIND * state["used"]["wind"]


def sail_targets(state):
    seat = state["mover"]
    armed = aboard(state, seat) > 0
    may_hunt = any(asks_for(order, "hydra") for order in orders_of(state, seat))

    def holds_enemy(square):  # D11; safe squares by D14
        return LETTER[square] == "." and any(other != seat for other in ships_on(state, square))

    def ends_at(square):
        return square in STYX or holds_enemy(square) or square == hydra(state)

    def closed(square):
        if square == hydra(state):
            return not (armed and may_hunt)  # D12
        return holds_enemy(square) and not armed  # D11

    steps = distances(ship(state, seat), WATER, ends_at, closed)
    return [square for square in WATER if 0 < steps.get(square, 0) <= sail_range(state)]


def hydra_targets(state):
    """D29"""
    own = ship(state, state["mover"])
    steps = distances(
        hydra(state),
        HYDRA_WATER,
        ends_at=lambda square: bool(ships_on(state, square)),
        closed=lambda square: square == own,
    )
    return [square for square in HYDRA_WATER if 0 < steps.get(square, 0) <= state["kylix"]["hydra"]]


def back(state, seat, number):
    """How many fighters come back, of up to so many (D4)."""
    return min(number, state["players"][seat]["underworld"], free_places(state, seat))


def may_play(state, card):
    used = state["used"]
    if card in PERMANENT:
        return True
    if card == "fair_wind":
        return not used["sailed"] and not used["acted"]
    if card == "battle_cry":
        return not used["acted"]
    if card == "charon":
        return back(state, state["mover"], CHARON) > 0
    return False  # midas: not alone (D24)


def claims(state, seat, order, midas):
    """The ways in which a seat can fulfil an order now, with so many midas at hand (D20)."""
    player, square = state["players"][seat], ship(state, seat)
    moves = []
    for kind, *task in ORDERS[order][1:]:
        if kind == "treasures" and square in ANCHORS:
            for given in choices(player["treasures"], len(task[0]), COLORS):
                if midas_for(order, given) <= midas:
                    moves.append(f"claim {order} {' '.join(given)}")
        if kind == "fighters" and near(square, task[1]) and player["fighters"] >= task[0]:
            moves.append(f"claim {order} fighters")
        if kind == "cards" and near(square, task[1]) and len(player["cards"]) >= task[0]:
            for laid in choices(player["cards"], task[0], list(CARDS)):
                moves.append(f"claim {order} cards {' '.join(laid)}")
    return list(dict.fromkeys(moves))  # both tasks may be paid alike


def midas_for(order, given):
    """How many midas these treasures need: the fewest, of the tasks that name as many (D24)."""
    needs = []
    for kind, *task in ORDERS[order][1:]:
        if kind == "treasures" and len(task[0]) == len(given):
            wrong = sum((Counter(given) - Counter(task[0])).values())
            needs.append(0 if "any" in task[0] else wrong)
    return min(needs)


def legal_loot(state):
    city = city_named(state, state["pending"]["place"])
    return [f"take {color}" for color in COLORS if color in city["treasures"]] + ["decline"]


def can_take(state, seat):
    """Whether a treasure finds a place, be it a fighter's (D18)."""
    return free_places(state, seat) > 0 or aboard(state, seat) > 0


def legal_spoils(state):
    return spoils(state, state["pending"]["seat"], state["pending"]["loser"])


def spoils(state, winner, loser):
    """D27"""
    moves = []
    if can_take(state, winner):
        moves += [f"take {color}" for color in COLORS if color in state["players"][loser]["treasures"]]
    if state["players"][loser]["cards"]:
        moves.append("steal")
    return moves + ["decline"]


def legal_displace(state):
    """D30"""
    piece = state["pending"]["piece"]
    if piece == "hydra":
        steps = distances(hydra(state), HYDRA_WATER)
    else:
        steps = distances(ship(state, HEROES.index(piece)), WATER)
    free = [
        square
        for square, distance in steps.items()
        if distance >= DISPLACE and not ships_on(state, square) and square != hydra(state)
    ]
    nearest = min(steps[square] for square in free)
    return [f"displace {text_of(square)}" for square in free if steps[square] == nearest]


def legal_styx(state):
    """D15"""
    seat = state["pending"]["seat"]
    player = state["players"][seat]
    moves = []
    if free_places(state, seat) > 0:
        moves.append("fetch")
    if player["underworld"] > free_places(state, seat):
        moves += [f"drop {color}" for color in COLORS if color in player["treasures"]]
    return moves + ["decline"]


def legal_place(state):
    return [
        f"place {city['name']}"
        for city in state["cities"]
        if len(city["treasures"]) < CITIES[city["name"]][1]
    ]  # D19


def legal_claim(state):
    pending = state["pending"]
    return claims(state, pending["seat"], pending["order"], 0) + ["decline"]


LEGAL = {
    "setup": legal_setup,
    "follow": legal_follow,
    "kylix": legal_kylix,
    "act": legal_act,
    "loot": legal_loot,
    "spoils": legal_spoils,
    "displace": legal_displace,
    "styx": legal_styx,
    "place": legal_place,
    "claim": legal_claim,
    "over": lambda state: [],
}


# --------------------------------------------------------------------------
# Chance
# --------------------------------------------------------------------------


def outcomes(state):
    return CHANCES[state["phase"]](state) if state["to_act"] == CHANCE else {}


def roll_outcomes(state):
    return dict(ROLLS)


def all_rolls():
    """One die in the middle, four in a ring that is written from where it is smallest (D6)."""
    found = {}
    for center, *ring in product((1, 2, 3), repeat=5):
        ways = turnings(ring)
        if tuple(ring) == min(ways):
            found[f"roll {center} {' '.join(map(str, ring))}"] = Fraction(len(ways), 3**5)
    return found


ROLLS = all_rolls()


def throw_outcomes(state):
    """D26; `throw` is the chance of cross up, cross down and half in percent."""
    return dict(throws(aboard(state, state["pending"]["seat"]), tuple(state["options"]["throw"])))


@cache
def throws(fighters, percentages):
    found = {}
    for up in range(fighters + 1):
        for down in range(fighters + 1 - up):
            numbers = (up, down, fighters - up - down)
            probability = Fraction(factorial(fighters))
            for number, percent in zip(numbers, percentages, strict=True):
                probability *= Fraction(percent, 100) ** number / factorial(number)
            if probability > 0:
                found["throw " + " ".join(map(str, numbers))] = probability
    return found


def draw_outcomes(state):
    if not state["pile"]:
        return {f"draw {state['under'][0]}": Fraction(1)}  # D23
    return shares("draw", state["pile"])


def steal_outcomes(state):
    return shares("steal", state["players"][state["pending"]["loser"]]["cards"])


def order_outcomes(state):
    return shares("order", state["order_pile"])


def shares(word, things):
    return {f"{word} {thing}": Fraction(number, len(things)) for thing, number in Counter(things).items()}


CHANCES = {
    "roll": roll_outcomes,
    "throw": throw_outcomes,
    "draw": draw_outcomes,
    "steal": steal_outcomes,
    "order": order_outcomes,
}


# --------------------------------------------------------------------------
# Doing it
# --------------------------------------------------------------------------


def apply(state, text):
    if text not in legal_moves(state):
        raise ValueError(f"{text!r} is not legal in phase {state['phase']}")
    state = copy.deepcopy(state)
    unfold(state)
    word, *rest = text.split()
    MAKE[state["phase"]](state, word, rest)
    settle(state)
    fold(state)
    return state


def unfold(state):
    """Writes the position as `apply` works on it: what is pending and what follows as one list."""
    pending = state.pop("pending", None)
    agenda = []
    if pending:
        agenda = [pending] + pending.pop("then", [])
    state["agenda"] = [entry for entry in agenda if entry["kind"] != "refill"]


def fold(state):
    """Writes the position as the format has it, with all that follows from the rest."""
    agenda = state.pop("agenda")
    state["phase"] = agenda[0]["kind"] if agenda else main_phase(state)
    if agenda:
        pending, *then = agenda
        if revealed_later(state, pending):
            then.append({"kind": "refill"})
        state["pending"] = {**pending, "then": then} if then else pending
    derive(state)


def derive(state):
    """Writes what follows from the rest of a position."""
    state["to_act"] = to_act(state)
    state["order_pile_count"] = len(state["order_pile"])
    state["pile_count"] = len(state["pile"])
    for seat, player in enumerate(state["players"]):
        player["points"] = points(state, seat)
        player["card_count"] = len(player["cards"])
        player["has_order"] = player["order"] != ""


def revealed_later(state, pending):
    """Whether orders are going to be revealed after all that is pending."""
    reveals = 1 if pending["kind"] == "order" else 0
    free = OPEN_ORDERS - len(state["open_orders"])
    return pending["kind"] != "over" and min(free, len(state["order_pile"])) > reveals


def to_act(state):
    phase = state["phase"]
    if phase == "over":
        return OVER
    if phase in CHANCE_PHASES:
        return CHANCE
    return state["pending"]["seat"] if "pending" in state else state["mover"]


def comparable(state):
    state = copy.deepcopy(state)
    pending = state.get("pending", {})
    then = [entry for entry in pending.pop("then", []) if entry["kind"] != "refill"]
    if then:
        pending["then"] = then
    return state


def next_up(state, *entries):
    """Puts entries in front of the agenda, the first first."""
    state["agenda"][:0] = entries


def settle(state):
    """Carries out what needs nobody, until somebody or chance is asked."""
    agenda = state["agenda"]
    while agenda and not is_asked(state, agenda[0]):
        entry = agenda.pop(0)
        if entry["kind"] == "throw":
            resolve(state, entry, 0, 0, 0)  # without fighters there is no throw, cards still count (D26)
        agenda = state["agenda"]
    if not agenda and len(state["open_orders"]) < OPEN_ORDERS and state["order_pile"]:
        next_up(state, {"kind": "order"})  # D22


def is_asked(state, entry):
    """Whether an entry of the agenda is not skipped."""
    kind = entry["kind"]
    if kind == "throw":
        return aboard(state, entry["seat"]) > 0
    if kind == "draw":
        return bool(state["pile"] or state["under"])
    if kind == "loot":
        return can_take(state, entry["seat"])
    if kind == "spoils":
        return spoils(state, entry["seat"], entry["loser"]) != ["decline"]
    if kind == "styx":
        return state["players"][entry["seat"]]["underworld"] > 0
    return True


# Turns (D6)


def make_setup(state, word, rest):
    state["players"][state["mover"]]["ship"] = json_of(square_of(rest[0]))
    state["mover"] = left_of(state, state["mover"])  # after the last: seat 0, who begins (D1)


def make_roll(state, word, rest):
    center, *ring = map(int, rest)
    state["kylix"].update(center=center, ring=ring)
    state["mover"] = left_of(state, state["turn"])


def make_kylix(state, word, rest):
    state["kylix"].update(zip(("card", "fighters", "sail", "hydra"), map(int, rest), strict=True))


def end_of_moves(state):
    """The mover's turn is over: the next passive mover, the active one after the last, or the next active seat."""
    if state["mover"] != state["turn"]:
        state["mover"] = left_of(state, state["mover"])
        state["used"] = dict(FRESH)
        return
    following = left_of(state, state["turn"])
    if following == 0 and state["round"] == MAX_ROUNDS:
        state["agenda"] = [{"kind": "over", "result": "length", "winners": []}]  # D34
        return
    state["turn"] = state["mover"] = following
    state["round"] += following == 0
    state["used"] = dict(FRESH)
    state["kylix"] = copy.deepcopy(EMPTY_KYLIX)


def won(state):
    """Ends the game if somebody has reached the target (D33)."""
    winners = [seat for seat in seats(state) if points(state, seat) >= TARGET[state["options"]["players"]]]
    if winners:
        state["agenda"] = [{"kind": "over", "result": "points", "winners": winners}]
    return bool(winners)


# What a mover does


def make_main(state, word, rest):
    MAIN[word](state, state["mover"], *rest)


def do_end(state, seat):
    end_of_moves(state)


def do_rest(state, seat):
    bring_back(state, seat, REST)  # D8
    end_of_moves(state)


def do_card(state, seat):
    state["used"]["card"] = True
    others = clockwise(state, seat)[1:]
    drawers = others if state["kylix"]["card"] == 1 else [seat]  # D9
    next_up(state, *({"kind": "draw", "seat": drawer} for drawer in drawers))


def do_fighters(state, seat):
    state["used"]["fighters"] = True
    bring_back(state, seat, state["kylix"]["fighters"])


def do_hydra(state, seat, target):
    state["used"]["hydra"] = True
    square = square_of(target)
    state["hydra"] = json_of(square)
    for bitten in ships_on(state, square):  # D29
        next_up(
            state, {"kind": "throw", "seat": bitten, "fight": "bite", "attacker": seat, "defender": bitten}
        )


def do_sail(state, seat, target):
    square = square_of(target)
    enemies = ships_on(state, square) if LETTER[square] == "." else []  # D14
    state["used"]["sailed"] = True
    state["players"][seat]["ship"] = json_of(square)
    if square in STYX:
        next_up(state, {"kind": "styx", "seat": seat})  # D15
    elif square == hydra(state):
        next_up(state, {"kind": "throw", "seat": seat, "fight": "hydra", "attacker": seat})  # D12
    elif enemies:
        state["used"]["acted"] = True  # D11
        next_up(
            state, {"kind": "throw", "seat": seat, "fight": "ship", "attacker": seat, "defender": enemies[0]}
        )


def do_found(state, seat, name):
    state["used"]["acted"] = True
    move_in(state, seat, settlement_named(state, name))  # D16
    won(state)


def do_attack(state, seat, name):
    state["used"]["acted"] = True
    fight = "city" if name in CITIES else "settlement"
    next_up(state, {"kind": "throw", "seat": seat, "fight": fight, "attacker": seat, "place": name})  # D17


def do_deliver(state, seat, color):
    state["used"]["delivered"] = True
    take_victory_cards(state, seat, 1)  # D19
    if not won(state):
        state["players"][seat]["treasures"].remove(color)
        next_up(state, {"kind": "place", "seat": seat, "color": color})


def do_play(state, seat, card):
    used = state["used"]
    leave_hand(state, seat, card)
    if card in PERMANENT:
        insert(state["players"][seat]["permanent"], card, CARDS)  # D25
        return
    state["under"].append(card)  # D23
    if card == "fair_wind":
        used["wind"] += 1
    elif card == "battle_cry":
        used["cry"] += 1
    elif card == "charon":
        bring_back(state, seat, CHARON)


def do_claim(state, seat, *words):
    fulfil(state, words[0], [{"seat": seat, "move": " ".join(["claim", *words])}])


MAIN = {
    "sail": do_sail,
    "found": do_found,
    "attack": do_attack,
    "deliver": do_deliver,
    "claim": do_claim,
    "play": do_play,
    "rest": do_rest,
    "card": do_card,
    "fighters": do_fighters,
    "hydra": do_hydra,
    "end": do_end,
}


# Pieces


def bring_back(state, seat, number):
    player = state["players"][seat]
    number = back(state, seat, number)
    player["underworld"] -= number
    player["fighters"] += number


def lose(state, seat, number):
    player = state["players"][seat]
    player["fighters"] -= number
    player["underworld"] += number


def move_in(state, seat, settlement):
    """Exactly the number of fighters moves from the ship (D16)."""
    number = SETTLEMENTS[settlement["name"]][1]
    state["players"][seat]["fighters"] -= number
    settlement.update(seat=seat, fighters=number)


def take_victory_cards(state, seat, number):
    number = min(number, state["victory_cards_left"])  # D5
    state["victory_cards_left"] -= number
    state["players"][seat]["victory_cards"] += number


def load(state, seat, color):
    """A treasure comes aboard (D18)."""
    if free_places(state, seat) == 0:
        lose(state, seat, 1)
    insert(state["players"][seat]["treasures"], color, COLORS)


# Fights


def make_throw(state, word, rest):
    entry = state["agenda"].pop(0)
    resolve(state, entry, *map(int, rest))


def resolve(state, entry, up, down, half):
    """A throw and what it decides (D26); points are counted in halves."""
    seat = entry["seat"]
    lose(state, seat, max(0, up - permanent(state, seat, "favor_of_hades")))  # D25
    score = 2 * down + half + 2 * permanent(state, seat, "golden_fleece")
    if seat == state["mover"]:
        score += 2 * CRY * state["used"]["cry"]  # D24
        state["used"]["cry"] = 0
    FIGHTS[entry["fight"]](state, seat, score, entry)


def fight_city(state, seat, score, entry):
    if score >= 2 * CITIES[entry["place"]][2]:
        next_up(state, {"kind": "loot", "seat": seat, "place": entry["place"]})


def fight_settlement(state, seat, score, entry):
    settlement = settlement_named(state, entry["place"])
    _, number, value = SETTLEMENTS[entry["place"]]
    if score < 2 * value:
        return
    state["players"][settlement["seat"]]["underworld"] += settlement["fighters"]  # D17
    settlement.update(seat=0, fighters=0)
    if aboard(state, seat) >= number:
        move_in(state, seat, settlement)
        won(state)


def fight_hydra(state, seat, score, entry):
    """A ship attacks it (D28)."""
    if score < 2 * HYDRA_VALUE:
        next_up(state, {"kind": "displace", "seat": right_of(state, seat), "piece": HEROES[seat]})
        return
    fulfil_by_fight(state, seat, "hydra")
    if not won(state):
        next_up(state, {"kind": "displace", "seat": seat, "piece": "hydra"})


def fight_bite(state, seat, score, entry):
    """It attacks a ship (D29)."""
    if score < 2 * HYDRA_VALUE:
        next_up(state, {"kind": "displace", "seat": right_of(state, seat), "piece": HEROES[seat]})
        return
    if not fulfil_by_fight(state, seat, "hydra"):
        take_victory_cards(state, seat, 1)
    if not won(state):
        next_up(state, {"kind": "displace", "seat": seat, "piece": "hydra"})


def fight_ship(state, seat, score, entry):
    """D27"""
    attacker, defender = entry["attacker"], entry["defender"]
    if seat == attacker:
        next_up(state, {**entry, "seat": defender, "score": score})
        return
    winner, loser = (attacker, defender) if entry["score"] > score else (defender, attacker)
    fulfil_by_fight(state, winner, "defeat")
    if not won(state):
        next_up(
            state,
            {"kind": "spoils", "seat": winner, "loser": loser},
            {"kind": "displace", "seat": winner, "piece": HEROES[loser]},
        )


FIGHTS = {
    "city": fight_city,
    "settlement": fight_settlement,
    "hydra": fight_hydra,
    "bite": fight_bite,
    "ship": fight_ship,
}


def fulfil_by_fight(state, seat, kind):
    """Every order, open or in hand, that asks for the fight just won (D21)."""
    orders = [order for order in orders_of(state, seat) if asks_for(order, kind)]
    for order in orders:
        take_order(state, seat, order)
    return orders


def make_loot(state, word, rest):
    entry = state["agenda"].pop(0)
    if word == "take":
        city_named(state, entry["place"])["treasures"].remove(rest[0])
        load(state, entry["seat"], rest[0])


def make_spoils(state, word, rest):
    entry = state["agenda"].pop(0)
    if word == "take":
        state["players"][entry["loser"]]["treasures"].remove(rest[0])
        load(state, entry["seat"], rest[0])
    elif word == "steal":
        next_up(state, {**entry, "kind": "steal"})


def make_displace(state, word, rest):
    piece = state["agenda"].pop(0)["piece"]
    square = json_of(square_of(rest[0]))
    if piece == "hydra":
        state["hydra"] = square
    else:
        state["players"][HEROES.index(piece)]["ship"] = square  # nothing happens there (D30)


# Treasures and the Styx


def make_place(state, word, rest):
    entry = state["agenda"].pop(0)
    insert(city_named(state, rest[0])["treasures"], entry["color"], COLORS)


def make_styx(state, word, rest):
    """D15"""
    seat = state["agenda"].pop(0)["seat"]
    player = state["players"][seat]
    if word == "drop":
        player["treasures"].remove(rest[0])
        next_up(state, {"kind": "place", "seat": seat, "color": rest[0]}, {"kind": "styx", "seat": seat})
    elif word == "fetch":
        # Nobody's underworld has changed since the ship arrived.
        most = all(
            player["underworld"] > state["players"][other]["underworld"]
            for other in seats(state)
            if other != seat
        )
        bring_back(state, seat, player["underworld"])
        if most:
            take_victory_cards(state, seat, STYX_REWARD[state["options"]["players"]])
            won(state)


# Orders


def make_order(state, word, rest):
    """An order is revealed; every player for whom it holds is asked, from the mover clockwise (D20)."""
    state["agenda"].pop(0)
    order = rest[0]
    state["order_pile"].remove(order)
    insert(state["open_orders"], order, ORDERS)
    asked = [seat for seat in clockwise(state, state["mover"]) if claims(state, seat, order, 0)]
    if asked:
        next_up(state, {"kind": "claim", "seat": asked[0], "order": order, "ask": asked[1:], "claims": []})


def make_claim(state, word, rest):
    entry = state["agenda"].pop(0)
    if word == "claim":
        entry["claims"].append({"seat": entry["seat"], "move": " ".join([word, *rest])})
    if entry["ask"]:
        entry["seat"] = entry["ask"].pop(0)
        next_up(state, entry)
    elif entry["claims"]:
        fulfil(state, entry["order"], entry["claims"])


def fulfil(state, order, takers):
    """One taker gets the order, of several each a victory card; then they pay (D20)."""
    if any(taker["seat"] == state["mover"] for taker in takers):
        state["used"]["sailed"] = True  # D13
    if len(takers) == 1:
        take_order(state, takers[0]["seat"], order)
    else:
        state["open_orders"].remove(order)
        insert(state["removed_orders"], order, ORDERS)
        for taker in takers:
            take_victory_cards(state, taker["seat"], 1)
    if won(state):
        return
    placed = []
    for taker in takers:
        placed += pay(state, taker["seat"], taker["move"])
    next_up(state, *placed)


def take_order(state, seat, order):
    player = state["players"][seat]
    if player["order"] == order:
        player["order"] = ""  # not replaced (D22)
    else:
        state["open_orders"].remove(order)
    insert(player["fulfilled"], order, ORDERS)


def pay(state, seat, move):
    """What a claim costs; the treasures that are to be placed now."""
    _, order, *given = move.split()
    if given[0] == "fighters":
        return []
    if given[0] == "cards":
        cards, treasures = given[1:], []
    else:
        cards, treasures = ["midas"] * midas_for(order, given), given
    for card in cards:
        leave_hand(state, seat, card)
        state["under"].append(card)  # D23
    for color in treasures:
        state["players"][seat]["treasures"].remove(color)
    return [{"kind": "place", "seat": seat, "color": color} for color in treasures]


# Cards and what is known of them (D32)


def make_draw(state, word, rest):
    seat = state["agenda"].pop(0)["seat"]
    card = rest[0]
    if state["pile"]:
        state["pile"].remove(card)
    else:
        state["under"].pop(0)
        for other in seats(state):
            if other != seat:
                learn(state, other, seat, card)
    insert(state["players"][seat]["cards"], card, CARDS)


def make_steal(state, word, rest):
    entry = state["agenda"].pop(0)
    winner, loser, card = entry["seat"], entry["loser"], rest[0]
    state["players"][loser]["cards"].remove(card)
    insert(state["players"][winner]["cards"], card, CARDS)
    learn(state, loser, winner, card)
    for knower in seats(state):
        if knower == winner:
            strike(state, knower, loser, card)
        elif knower != loser:
            for kind in CARDS:
                strike(state, knower, loser, kind)


def leave_hand(state, seat, card):
    """A card leaves a hand openly."""
    state["players"][seat]["cards"].remove(card)
    for knower in seats(state):
        strike(state, knower, seat, card)


def known(state, knower, seat):
    """The cards a player knows to be in the hand of a seat."""
    for entry in state["players"][knower]["knows"]:
        if entry["seat"] == seat:
            return entry["cards"]
    return []


def set_known(state, knower, seat, cards):
    player = state["players"][knower]
    entries = [entry for entry in player["knows"] if entry["seat"] != seat]
    if cards:
        entries.append({"seat": seat, "cards": cards})
    player["knows"] = sorted(entries, key=lambda entry: entry["seat"])


def learn(state, knower, seat, card):
    cards = list(known(state, knower, seat))
    insert(cards, card, CARDS)
    set_known(state, knower, seat, cards)


def strike(state, knower, seat, card):
    cards = list(known(state, knower, seat))
    if card in cards:
        cards.remove(card)
        set_known(state, knower, seat, cards)


MAKE = {
    "setup": make_setup,
    "roll": make_roll,
    "follow": make_main,
    "kylix": make_kylix,
    "act": make_main,
    "throw": make_throw,
    "loot": make_loot,
    "spoils": make_spoils,
    "steal": make_steal,
    "displace": make_displace,
    "styx": make_styx,
    "place": make_place,
    "order": make_order,
    "claim": make_claim,
    "draw": make_draw,
}


# --------------------------------------------------------------------------
# What is seen, and the end
# --------------------------------------------------------------------------


def observation(state, seat):
    """D31"""
    if seat not in range(-1, state["options"]["players"]):
        raise ValueError(f"seat {seat} does not play")
    seen = copy.deepcopy(state)
    del seen["pile"], seen["order_pile"]
    for other, player in enumerate(seen["players"]):
        if other != seat:
            del player["cards"], player["order"]
            player["knows"] = [entry for entry in player["knows"] if entry["seat"] == seat]
    return {**seen, "observer": seat}


def returns(state):
    if state["phase"] != "over":
        raise ValueError("the game is not over")
    winners = state["pending"]["winners"] or list(seats(state))  # D33, D34
    return [Fraction(1, len(winners)) if seat in winners else Fraction(0) for seat in seats(state)]


def ranks(state):
    scores = [points(state, seat) for seat in seats(state)]
    return [1 + sum(other > mine for other in scores) for mine in scores]


# --------------------------------------------------------------------------
# Reading what was written without defaults
# --------------------------------------------------------------------------

BLANK_STATE = {
    "game": "",
    "format": 0,
    "options": {},
    "round": 0,
    "turn": 0,
    "mover": 0,
    "phase": "",
    "kylix": {},
    "used": {},
    "players": [],
    "hydra": {},
    "cities": [],
    "settlements": [],
    "open_orders": [],
    "removed_orders": [],
    "victory_cards_left": 0,
    "under": [],
}
BLANK_PLAYER = {
    "fighters": 0,
    "underworld": 0,
    "treasures": [],
    "victory_cards": 0,
    "fulfilled": [],
    "permanent": [],
    "cards": [],
    "order": "",
    "knows": [],
}
BLANK_PENDING = {"seat": 0, "attacker": 0, "defender": 0, "loser": 0, "ask": [], "claims": [], "winners": []}


def filled(value, defaults):
    """A copy with defaults for what is absent."""
    return copy.deepcopy({**defaults, **value})


def complete(position):
    state = filled(position, BLANK_STATE)
    state["options"] = filled(state["options"], {"players": 0, "throw": THROW})
    state["kylix"] = filled(state["kylix"], EMPTY_KYLIX)
    state["used"] = filled(state["used"], FRESH)
    state["hydra"] = filled(state["hydra"], {"x": 0, "y": 0})
    state["players"] = [complete_player(player, seat) for seat, player in enumerate(state["players"])]
    state["cities"] = [filled(city, {"treasures": []}) for city in state["cities"]]
    state["settlements"] = [
        filled(settlement, {"seat": 0, "fighters": 0}) for settlement in state["settlements"]
    ]
    for entry, _ in entries(state):
        complete_entry(entry)
    cards, orders = Counter(state["under"]), state["open_orders"] + state["removed_orders"]
    for player in state["players"]:
        cards.update(player["cards"] + player["permanent"])
        orders = orders + player["fulfilled"] + [player["order"]]
    state.setdefault("pile", list((Counter(CARDS) - cards).elements()))
    state.setdefault("order_pile", [order for order in ORDERS if order not in orders])
    derived = copy.deepcopy(state)
    derive(derived)
    # What was written stays, so that `check` can refuse what is wrong.
    players = [filled(*pair) for pair in zip(state["players"], derived["players"], strict=True)]
    return {**filled(state, derived), "players": players}


def complete_player(player, seat):
    player = filled(player, {**BLANK_PLAYER, "hero": HEROES[seat]})
    player["knows"] = [filled(entry, {"seat": 0, "cards": []}) for entry in player["knows"]]
    if "ship" in player:
        player["ship"] = filled(player["ship"], {"x": 0, "y": 0})
    return player


def complete_entry(entry):
    for name in PENDING.get(entry["kind"], []) + FIGHT_FIELDS.get(entry.get("fight"), []):
        if name in BLANK_PENDING:
            entry.setdefault(name, copy.deepcopy(BLANK_PENDING[name]))
    if entry.get("fight") == "ship" and entry["seat"] == entry["defender"]:
        entry.setdefault("score", 0)
    for claim in entry.get("claims", []):
        claim.setdefault("seat", 0)


# --------------------------------------------------------------------------
# What no game can have
# --------------------------------------------------------------------------


def check(state):
    check_fields(state)
    for seat in seats(state):
        check_player(state, seat)
    check_pieces(state)
    check_turn(state)
    check_pending(state)
    check_squares(state)
    check_knowledge(state)
    check_end(state)
    check_derived(state)


def need(condition, path, reason):
    if not condition:
        raise ValueError(f"{path}: {reason}")


def fields(value, names, path, optional=()):
    need(isinstance(value, dict), path, "is not an object")
    for name in names:
        need(name in value, f"{path}.{name}".lstrip("."), "is missing")
    for name in value:
        need(name in names or name in optional, f"{path}.{name}".lstrip("."), "is unknown")


def whole(value, low, high, path):
    need(type(value) is int, path, f"{value!r} is not a whole number")
    need(low <= value <= high, path, f"{value} is not {low} to {high}")


def truth(value, path):
    need(type(value) is bool, path, f"{value!r} is not true or false")


def one_of(value, names, path):
    need(isinstance(value, str) and value in names, path, f"{value!r} is not one of {', '.join(names)}")


def listed(values, names, path, in_order=True):
    """A list of names, in the order of the data."""
    need(isinstance(values, list), path, "is not a list")
    names = list(names)
    for place, value in enumerate(values):
        one_of(value, names, f"{path}[{place}]")
    if in_order:
        need(values == sorted(values, key=names.index), path, "is not in the order of the data")


def check_square(value, allowed, path):
    fields(value, ["x", "y"], path)
    whole(value["x"], 0, len(BOARD[0]) - 1, f"{path}.x")
    whole(value["y"], 0, len(BOARD) - 1, f"{path}.y")
    need((value["x"], value["y"]) in allowed, path, f"{value['x']},{value['y']} cannot be entered")


STATE_FIELDS = ["game", "format", "options", "round", "turn", "mover", "to_act", "phase", "kylix", "used"]
STATE_FIELDS += ["players", "hydra", "cities", "settlements", "open_orders", "removed_orders"]
STATE_FIELDS += ["order_pile_count", "order_pile", "victory_cards_left", "pile_count", "pile", "under"]
PLAYER_FIELDS = [
    "hero",
    "fighters",
    "underworld",
    "treasures",
    "points",
    "victory_cards",
    "fulfilled",
    "permanent",
]
PLAYER_FIELDS += ["card_count", "cards", "has_order", "order", "knows"]
MAIN_PHASES = ["setup", "roll", "follow", "kylix", "act"]
PENDING = {
    "throw": ["seat", "fight", "attacker"],
    "loot": ["seat", "place"],
    "spoils": ["seat", "loser"],
    "steal": ["seat", "loser"],
    "displace": ["seat", "piece"],
    "place": ["seat", "color"],
    "claim": ["seat", "order", "ask", "claims"],
    "styx": ["seat"],
    "draw": ["seat"],
    "order": [],
    "over": ["result", "winners"],
}
FIGHT_FIELDS = {
    "ship": ["defender"],
    "bite": ["defender"],
    "city": ["place"],
    "settlement": ["place"],
    "hydra": [],
}


def check_fields(state):
    need(isinstance(state, dict), "", "is not an object")
    one_of(state.get("phase"), MAIN_PHASES + list(PENDING), "phase")
    fields(state, STATE_FIELDS + ["pending"] * (state["phase"] in PENDING), "")
    one_of(state["game"], ["deukalion"], "game")
    whole(state["format"], 1, 1, "format")
    fields(state["options"], ["players", "throw"], "options")
    whole(state["options"]["players"], 2, 4, "options.players")
    throw = state["options"]["throw"]
    need(isinstance(throw, list) and len(throw) == 3, "options.throw", "is not three percentages")
    for place, percent in enumerate(throw):
        whole(percent, 0, 100, f"options.throw[{place}]")
    need(sum(throw) == 100, "options.throw", "do not make 100")
    last = state["options"]["players"] - 1
    whole(state["round"], 1, MAX_ROUNDS, "round")
    whole(state["turn"], 0, last, "turn")
    whole(state["mover"], 0, last, "mover")
    whole(state["to_act"], OVER, last, "to_act")
    need(isinstance(state["players"], list), "players", "is not a list")
    need(len(state["players"]) == last + 1, "players", f"has not one for each of {last + 1} seats")
    need(isinstance(state["cities"], list), "cities", "is not a list")
    need(isinstance(state["settlements"], list), "settlements", "is not a list")
    fields(state["used"], list(FRESH), "used")
    for name in ("sailed", "acted", "delivered", "card", "fighters", "hydra"):
        truth(state["used"][name], f"used.{name}")
    # One more than there are: the first may have been drawn again in the same turn.
    whole(state["used"]["wind"], 0, CARDS["fair_wind"] + 1, "used.wind")
    whole(state["used"]["cry"], 0, CARDS["battle_cry"] + 1, "used.cry")
    listed(state["open_orders"], ORDERS, "open_orders")
    need(len(state["open_orders"]) <= OPEN_ORDERS, "open_orders", f"has more than {OPEN_ORDERS}")
    listed(state["removed_orders"], ORDERS, "removed_orders")
    listed(state["order_pile"], ORDERS, "order_pile")
    listed(state["pile"], CARDS, "pile")
    listed(state["under"], CARDS, "under", in_order=False)
    for place, card in enumerate(state["under"]):
        need(
            card not in PERMANENT or card_was_laid(state, card),
            f"under[{place}]",
            f"{card} stays before its owner",
        )


def card_was_laid(state, card):
    """Permanent cards get under the pile only as payment for a `cards` task, which is fulfilled or removed then."""
    gone = state["removed_orders"] + [order for player in state["players"] for order in player["fulfilled"]]
    return any(asks_for(order, "cards") for order in gone)


def check_player(state, seat):
    player, path = state["players"][seat], f"players[{seat}]"
    fields(player, PLAYER_FIELDS, path, optional=["ship"])
    one_of(player["hero"], [HEROES[seat]], f"{path}.hero")
    if "ship" in player:
        check_square(player["ship"], WATER, f"{path}.ship")
    whole(player["fighters"], 0, FIGHTERS, f"{path}.fighters")
    whole(player["underworld"], 0, FIGHTERS, f"{path}.underworld")
    whole(player["victory_cards"], 0, VICTORY_CARDS, f"{path}.victory_cards")
    listed(player["treasures"], COLORS, f"{path}.treasures")
    listed(player["fulfilled"], ORDERS, f"{path}.fulfilled")
    listed(player["permanent"], PERMANENT, f"{path}.permanent")
    listed(player["cards"], CARDS, f"{path}.cards")
    one_of(player["order"], ["", *ORDERS], f"{path}.order")
    need(free_places(state, seat) >= 0, f"{path}.treasures", "and fighters have more than 10 places (D4)")


def entries(state):
    """What is pending and what follows, each with its path."""
    pending = state.get("pending")
    if not isinstance(pending, dict):
        return []
    then = pending.get("then", [])
    need(isinstance(then, list), "pending.then", "is not a list")
    return [(pending, "pending")] + [(entry, f"pending.then[{place}]") for place, entry in enumerate(then)]


def check_pieces(state):
    """Nothing is lost and nothing is there twice."""
    players = state["players"]
    names = []
    for place, settlement in enumerate(state["settlements"]):
        path = f"settlements[{place}]"
        fields(settlement, ["name", "seat", "fighters"], path)
        one_of(settlement["name"], list(SETTLEMENTS), f"{path}.name")
        names.append(settlement["name"])
        whole(settlement["seat"], 0, len(players) - 1, f"{path}.seat")
        number = SETTLEMENTS[settlement["name"]][1]
        need(settlement["fighters"] in (0, number), f"{path}.fighters", f"is not 0 or {number} (D16)")
        need(
            settlement["fighters"] or settlement["seat"] == 0,
            f"{path}.seat",
            "is not 0 though nobody is there",
        )
    need(names == list(SETTLEMENTS), "settlements", "are not all, in the order of the data")
    for seat, player in enumerate(players):
        settled = sum(s["fighters"] for s in state["settlements"] if s["seat"] == seat)
        everywhere = player["fighters"] + player["underworld"] + settled
        need(everywhere == FIGHTERS, f"players[{seat}].fighters", f"{everywhere} in all, not {FIGHTERS} (D4)")

    treasures = Counter(color for player in players for color in player["treasures"])
    names = []
    for place, city in enumerate(state["cities"]):
        path = f"cities[{place}]"
        fields(city, ["name", "treasures"], path)
        one_of(city["name"], list(CITIES), f"{path}.name")
        names.append(city["name"])
        listed(city["treasures"], COLORS, f"{path}.treasures")
        slots = CITIES[city["name"]][1]
        need(len(city["treasures"]) <= slots, f"{path}.treasures", f"are more than its {slots} slots")
        treasures.update(city["treasures"])
    need(names == list(CITIES), "cities", "are not all, in the order of the data")
    for entry, path in entries(state):
        if entry.get("kind") == "place":
            one_of(entry.get("color"), COLORS, f"{path}.color")
            treasures[entry["color"]] += 1
    for color in COLORS:
        need(
            treasures[color] == TREASURES_PER_COLOR,
            "cities",
            f"{treasures[color]} {color} treasures in all, not 3",
        )

    cards = Counter(state["pile"]) + Counter(state["under"])
    orders = Counter(state["open_orders"] + state["removed_orders"] + state["order_pile"])
    for player in players:
        cards.update(player["cards"] + player["permanent"])
        orders.update(player["fulfilled"] + [order for order in [player["order"]] if order])
    for card, copies in CARDS.items():
        need(cards[card] == copies, "pile", f"{cards[card]} {card} in all, not {copies}")
    for order in ORDERS:
        need(orders[order] == 1, "order_pile", f"{orders[order]} {order} in all, not 1")
    whole(state["victory_cards_left"], 0, VICTORY_CARDS, "victory_cards_left")
    taken = sum(player["victory_cards"] for player in players)
    need(
        state["victory_cards_left"] + taken == VICTORY_CARDS,
        "victory_cards_left",
        f"and those of the players are not {VICTORY_CARDS} in all",
    )


def check_turn(state):
    kylix, phase, main = state["kylix"], state["phase"], main_phase(state)
    fields(kylix, ["center", "ring", "card", "fighters", "sail", "hydra"], "kylix")
    ring = kylix["ring"]
    need(isinstance(ring, list) and len(ring) in (0, 4), "kylix.ring", "is not four dice")
    for place, die in enumerate(ring):
        whole(die, 1, 3, f"kylix.ring[{place}]")
    if ring:
        need(tuple(ring) == min(turnings(ring)), "kylix.ring", "is not written from where it is smallest")
    whole(kylix["center"], 1 if ring else 0, 3 if ring else 0, "kylix.center")
    given = [kylix[name] for name in ("card", "fighters", "sail", "hydra")]
    for name, die in zip(("card", "fighters", "sail", "hydra"), given, strict=True):
        whole(die, 0, 3, f"kylix.{name}")
    need(
        not any(given) or tuple(given) in turnings(ring),
        "kylix.card",
        "and the other dice are no turning of ring",
    )
    need(not any(given) or state["mover"] == state["turn"], "mover", "is passive, and the cup stands already")
    if phase in MAIN_PHASES:
        need(phase == main, "phase", f"is {phase}, and the rest of the position is in {main}")
        need(
            len(state["open_orders"]) == OPEN_ORDERS or not state["order_pile"],
            "open_orders",
            "has a free place though orders are left (D22)",
        )
    else:
        need(main in ("follow", "act"), "phase", f"is {phase}, and the rest of the position is in {main}")
    if main in ("setup", "roll", "kylix"):
        need(state["used"] == FRESH, "used", f"is not as at the start, in {main}")
    if main == "follow":
        for name in ("card", "fighters", "hydra"):
            need(not state["used"][name], f"used.{name}", "is true for a passive mover")
    if main == "setup":
        need(state["round"] == 1, "round", "is not 1 in setup")
        need(state["turn"] == 0, "turn", "is not 0 in setup")
        for seat, player in enumerate(state["players"]):
            path = f"players[{seat}]"
            placed = seat < state["mover"]
            need(
                ("ship" in player) == placed,
                f"{path}.ship",
                f"does not fit, with seat {state['mover']} to place",
            )
            need(not placed or ship(state, seat) in ANCHORS, f"{path}.ship", "is not on an anchor in setup")
            need(
                not placed or ships_on(state, ship(state, seat)) == [seat],
                f"{path}.ship",
                "shares its anchor",
            )
            need(len(player["cards"]) == FIRST_HAND, f"{path}.cards", "are not three in setup")
            need(player["order"] != "", f"{path}.order", "is missing in setup")
            need(player["fighters"] == FIGHTERS, f"{path}.fighters", "are not ten in setup")
        need(hydra(state) == HYDRA_START, "hydra", "is not on its start in setup")
    if main == "roll":
        need(state["mover"] == state["turn"], "mover", "is not the active seat before the roll")


def check_pending(state):
    found = entries(state)
    for place, (entry, path) in enumerate(found):
        need(isinstance(entry, dict), path, "is not an object")
        kind = entry.get("kind")
        if place == 0:
            one_of(kind, [state["phase"]], f"{path}.kind")
        elif kind == "refill":
            need(place == len(found) - 1, path, "is a refill that is not the last")
            fields(entry, ["kind"], path)
            continue
        else:
            one_of(kind, ["displace", "place", "styx", "draw", "order"], f"{path}.kind")
        names = ["kind", *PENDING[kind]]
        if kind == "throw":
            one_of(entry.get("fight"), list(FIGHT_FIELDS), f"{path}.fight")
            names += FIGHT_FIELDS[entry["fight"]]
        fields(entry, names, path, optional=["then"] * (place == 0) + ["score"] * (kind == "throw"))
        if "seat" in names:
            whole(entry["seat"], 0, len(state["players"]) - 1, f"{path}.seat")
        ENTRY_CHECKS.get(kind, lambda *_: None)(state, entry, path)


def check_throw(state, entry, path):
    last = len(state["players"]) - 1
    whole(entry["attacker"], state["mover"], state["mover"], f"{path}.attacker")
    thrower = entry["attacker"]
    if "defender" in entry:
        whole(entry["defender"], 0, last, f"{path}.defender")
        need(entry["defender"] != entry["attacker"], f"{path}.defender", "is the attacker")
        if entry["fight"] == "bite" or "score" in entry:
            thrower = entry["defender"]
    if "score" in entry:
        need(entry["fight"] == "ship", f"{path}.score", "is there though no ship defends")
        whole(entry["score"], 0, 10**6, f"{path}.score")
    need(entry["seat"] == thrower, f"{path}.seat", f"is not {thrower}, who throws")
    need(aboard(state, thrower) > 0, f"{path}.seat", "has no fighter to throw (D26)")
    square = ship(state, entry["attacker"])
    if entry["fight"] == "ship":
        need(LETTER[square] == ".", f"{path}.fight", "is where nobody can be attacked (D14)")
        need(ship(state, entry["defender"]) == square, f"{path}.defender", "is not where the attacker is")
    elif entry["fight"] == "bite":
        need(ship(state, entry["defender"]) == hydra(state), f"{path}.defender", "is not where the Hydra is")
    elif entry["fight"] == "hydra":
        need(square == hydra(state), f"{path}.attacker", "is not where the Hydra is")
    else:
        one_of(entry["place"], list(CITIES if entry["fight"] == "city" else SETTLEMENTS), f"{path}.place")
        need(near(square, entry["place"]), f"{path}.place", "is not near the attacker (D17)")


def check_loot(state, entry, path):
    one_of(entry["place"], list(CITIES), f"{path}.place")
    need(entry["seat"] == state["mover"], f"{path}.seat", "is not the mover")
    need(near(ship(state, entry["seat"]), entry["place"]), f"{path}.place", "is not near the attacker (D17)")
    need(city_named(state, entry["place"])["treasures"], f"{path}.place", "has no treasure")


def check_spoils(state, entry, path):
    whole(entry["loser"], 0, len(state["players"]) - 1, f"{path}.loser")
    need(entry["loser"] != entry["seat"], f"{path}.loser", "is the winner")
    need(state["mover"] in (entry["seat"], entry["loser"]), f"{path}.seat", "and loser are not the mover")
    need(
        ship(state, entry["seat"]) == ship(state, entry["loser"]),
        f"{path}.loser",
        "is not where the winner is",
    )
    if entry["kind"] == "steal":
        need(state["players"][entry["loser"]]["cards"], f"{path}.loser", "has no cards")


def check_displace(state, entry, path):
    one_of(entry["piece"], ["hydra", *HEROES[: len(state["players"])]], f"{path}.piece")


def check_claim(state, entry, path):
    one_of(entry["order"], state["open_orders"], f"{path}.order")
    need(isinstance(entry["ask"], list), f"{path}.ask", "is not a list")
    need(isinstance(entry["claims"], list), f"{path}.claims", "is not a list")
    for place, claim in enumerate(entry["claims"]):
        fields(claim, ["seat", "move"], f"{path}.claims[{place}]")
        whole(claim["seat"], 0, len(state["players"]) - 1, f"{path}.claims[{place}].seat")
        possible = claims(state, claim["seat"], entry["order"], 0)
        one_of(claim["move"], possible, f"{path}.claims[{place}].move")
    order = [claim["seat"] for claim in entry["claims"]] + [entry["seat"], *entry["ask"]]
    asked = [seat for seat in clockwise(state, state["mover"]) if claims(state, seat, entry["order"], 0)]
    declined = [seat for seat in asked if seat not in order]
    need(
        [seat for seat in asked if seat not in declined] == order, f"{path}.ask", "is not in the order of D20"
    )
    need(
        all(asked.index(seat) < asked.index(entry["seat"]) for seat in declined),
        f"{path}.ask",
        "misses a player for whom the order holds (D20)",
    )


def check_styx(state, entry, path):
    need(entry["seat"] == state["mover"], f"{path}.seat", "is not the mover")
    need(ship(state, entry["seat"]) in STYX, f"{path}.seat", "is not on the Styx")
    need(state["players"][entry["seat"]]["underworld"] > 0, f"{path}.seat", "has nobody in the underworld")


def check_draw(state, entry, path):
    if path == "pending":
        need(state["pile"] or state["under"], path, "is a draw, and no card is left")


def check_order(state, entry, path):
    need(state["order_pile"], path, "is an order, and none is left")
    need(len(state["open_orders"]) < OPEN_ORDERS, path, "is an order, and no place is free")


ENTRY_CHECKS = {
    "throw": check_throw,
    "loot": check_loot,
    "spoils": check_spoils,
    "steal": check_spoils,
    "displace": check_displace,
    "claim": check_claim,
    "styx": check_styx,
    "draw": check_draw,
    "order": check_order,
}


def check_squares(state):
    """Ships and the Hydra share squares of the sea only while a fight lasts."""
    check_square(state["hydra"], HYDRA_WATER, "hydra")
    kinds = [entry["kind"] for entry, _ in entries(state)]
    fighting = state["phase"] in ("throw", "over") or "displace" in kinds
    for seat in seats(state):
        square = ship(state, seat)
        if square is None or LETTER[square] != ".":
            continue
        shared = ships_on(state, square) != [seat] or square == hydra(state)
        need(fighting or not shared, f"players[{seat}].ship", "shares its square, and there is no fight")


def check_knowledge(state):
    for seat, player in enumerate(state["players"]):
        path = f"players[{seat}].knows"
        need(isinstance(player["knows"], list), path, "is not a list")
        about = []
        for place, entry in enumerate(player["knows"]):
            fields(entry, ["seat", "cards"], f"{path}[{place}]")
            whole(entry["seat"], 0, len(state["players"]) - 1, f"{path}[{place}].seat")
            need(entry["seat"] != seat, f"{path}[{place}].seat", "is the player")
            listed(entry["cards"], CARDS, f"{path}[{place}].cards")
            need(entry["cards"], f"{path}[{place}].cards", "is empty")
            hand = Counter(state["players"][entry["seat"]]["cards"])
            need(not Counter(entry["cards"]) - hand, f"{path}[{place}].cards", "are not in that hand (D32)")
            about.append(entry["seat"])
        need(about == sorted(set(about)), path, "is not by seat")


def check_end(state):
    winners = [seat for seat in seats(state) if points(state, seat) >= TARGET[len(state["players"])]]
    if state["phase"] != "over":
        for seat in winners:
            need(False, f"players[{seat}].points", "has reached the target, and the game goes on (D33)")
        return
    pending = state["pending"]
    one_of(pending["result"], ["points", "length"], "pending.result")
    need(pending["winners"] == winners, "pending.winners", f"is not {winners}")
    need((pending["result"] == "points") == bool(winners), "pending.result", "does not fit the points")
    if not winners:
        last = len(state["players"]) - 1
        need(state["round"] == MAX_ROUNDS, "round", "is not the last one (D34)")
        need(state["turn"] == state["mover"] == last, "turn", "is not the last one (D34)")


def check_derived(state):
    need(state["to_act"] == to_act(state), "to_act", f"is not {to_act(state)}")
    need(state["pile_count"] == len(state["pile"]), "pile_count", f"is not {len(state['pile'])}")
    need(
        state["order_pile_count"] == len(state["order_pile"]),
        "order_pile_count",
        f"is not {len(state['order_pile'])}",
    )
    for seat, player in enumerate(state["players"]):
        for name, value in (
            ("points", points(state, seat)),
            ("card_count", len(player["cards"])),
            ("has_order", player["order"] != ""),
        ):
            need(player[name] == value, f"players[{seat}].{name}", f"is not {value!r}")
    if state["phase"] != "over":
        need(legal_moves(state), "phase", "has no legal move")
