"""A slow, plain reference implementation of Offrandes.

It exists to be read and to be compared with a faster engine. Everything is written straight from the rulings
(cited as O1, O2, ...) and from the interchange format; nothing here is optimised.

Interface
---------
Plain functions over the position as the interchange format writes it: a dict that JSON can hold, every field
written. No function changes the dict it is given.

- `new_state(options)`: the start position for `{"players": 3}` to `{"players": 5}`. Nothing is dealt, so there
  is neither a deal nor a generator to pass; the start player is drawn by the chance event `first`.
- `legal_moves(state)`: the texts of all moves of the seat to act, or of all outcomes at chance, in any order;
  none when the game is over.
- `outcomes(state)`: at chance, each outcome's text with its probability as a `Fraction`; else empty.
- `apply(state, text)`: the position after a move or an outcome, with every automatic move after it (O4). It
  raises `ValueError` for a text that `legal_moves` does not have.
- `observation(state, seat)`: what a seat sees, -1 for a spectator: everything (O27).
- `returns(state)`: one `Fraction` for each seat, of a game that is over.
- `ranks(state)`: one rank for each seat, 1 is the best, equal seats share the better rank; over or not (O25).
- `turn_number(state)`: which turn of the search a position belongs to.
- `complete(position)`: a position written without defaults, with every field written, as the other functions
  want it.
- `check(state)`: raises `ValueError` with the path of the first part that no game can have.

How it works
------------
`apply` copies the position, makes the one move, and then makes moves as long as the seat to act has only one
(O4). A move is carried out by the function of its phase, which also says who is asked next.

Where the rules can be read in more than one way
------------------------------------------------
- A seat that cannot bid higher stays among `bidders` until it is its turn to pass (O4, O7): the automatic pass
  happens when the seat is asked, not when the high bid passes its drachmas.
- Seats are asked in the bribery although they have no seducer; they have only `decline` and are skipped. So
  "asked before" in `bribe` and `offer` counts the skipped seats too.
- `winners` of a game by length is empty, `totals` is written all the same; `ranks` then has a first place (O26).
- A game that ends by O24 in round 100 is not a draw by length: O26 speaks of games that have not ended.
- The bound of 135 points, which the list of refusals names with `offer`, holds in every position: nobody can
  have more when the game is over either.
- In `bribe` the list only bounds the number of `bribed`. Whether each of them could have been bribed is not
  checked: the ladders that allowed it have changed since.
"""

import copy
from fractions import Fraction
from itertools import combinations

# --------------------------------------------------------------------------
# Facts
# --------------------------------------------------------------------------

CITIES = ["sparta", "corinth", "athens", "thebes", "delos"]  # by seat
CHARACTERS = ["farmer", "carrier", "florist", "servant", "priestess", "seducer", "guard"]
BRIBABLE = ["farmer", "carrier", "florist", "servant", "priestess"]  # O14
ANIMALS = ["chicken", "pig", "goat", "sheep", "ox"]
VALUE = {animal: value for value, animal in enumerate(ANIMALS, 1)}
GROUPS = [
    ["hephaistos", "ares", "hermes"],
    ["athena", "hera", "aphrodite"],
    ["artemis", "apollon"],
    ["hades", "poseidon"],
    ["zeus"],
]
ALTARS = [altar for group in GROUPS for altar in group]
GROUP = {altar: number for number, group in enumerate(GROUPS, 1) for altar in group}
ALTAR_POINTS = 5  # times the group
LAMP_POINTS = 2  # times the level of the priestess
TOP = 5
ANIMALS_OF_A_KIND = 15
FIRST_DRACHMAS = 10
INCOME = 10
MAX_DRACHMAS = 25
POINTS_TO_PASS = 100
MOST_POINTS = 135  # 100, five oxen and the best lamp
MAX_ROUNDS = 100

CHANCE = -1
OVER = -2


# --------------------------------------------------------------------------
# Small helpers
# --------------------------------------------------------------------------


def seats(state):
    return range(state["options"]["players"])


def next_seat(state, seat):
    """The seat to the left: seat numbers rise clockwise (O1)."""
    return (seat + 1) % state["options"]["players"]


def clockwise(state, start):
    """All seats, clockwise, beginning with one."""
    players = state["options"]["players"]
    return [(start + step) % players for step in range(players)]


def level(state, seat, character):
    return state["players"][seat]["ladders"][character]


def drachmas(state, seat):
    return state["players"][seat]["drachmas"]


def altar_of(state, name):
    return next(altar for altar in state["altars"] if altar["altar"] == name)


def most_auctions(state):
    """Auctions of one auction turn (O8)."""
    return 2 if state["options"]["players"] == 3 else 3


def setup_order(state):
    """From the seat before the start player, counter-clockwise, to the start player (O3)."""
    players = state["options"]["players"]
    return [(state["first"] - step) % players for step in range(1, players + 1)]


def bribe_order(state):
    """Most seducers first, equal ones clockwise from the start player (O12)."""
    return sorted(clockwise(state, state["first"]), key=lambda seat: -level(state, seat, "seducer"))


def offer_order(state):
    return clockwise(state, state["first"])  # O17


def all_altars_taken(state):
    return all(altar["number"] > 0 for altar in state["altars"])


def above_the_goal(state):
    return any(player["score"] > POINTS_TO_PASS for player in state["players"])


# --------------------------------------------------------------------------
# Start
# --------------------------------------------------------------------------


def new_state(options):
    players = options.get("players", 3)
    if players not in (3, 4, 5):
        raise ValueError(f"options.players: {players} is not 3, 4 or 5")
    return {
        "game": "offrandes",
        "format": 1,
        "options": {"players": players},
        "round": 1,
        "first": 0,
        "turn": 0,
        "to_act": CHANCE,
        "phase": "first",
        "players": [
            {
                "city": city,
                "drachmas": FIRST_DRACHMAS,
                "score": 0,
                "ladders": dict.fromkeys(CHARACTERS, 0),
            }
            for city in CITIES[:players]
        ],
        "altars": [{"altar": altar, "city": "", "number": 0, "animal": ""} for altar in ALTARS],
        "supply": dict.fromkeys(ANIMALS, ANIMALS_OF_A_KIND),
    }


# --------------------------------------------------------------------------
# What can be done
# --------------------------------------------------------------------------


def legal_moves(state):
    return LEGAL[state["phase"]](state)


def outcomes(state):
    if state["phase"] != "first":
        return {}
    players = state["options"]["players"]
    return {f"first {CITIES[seat]}": Fraction(1, players) for seat in range(players)}  # O2


def legal_first(state):
    return list(outcomes(state))


def legal_setup(state):
    return ["recruit " + " ".join(three) for three in combinations(CHARACTERS, 3)]  # O3


def legal_auction(state):
    if drachmas(state, state["turn"]) == 0:
        return ["end"]  # O5
    unsold = [character for character in CHARACTERS if character not in state["pending"]["sold"]]
    return ["auction " + " ".join(pair) for pair in combinations(unsold, 2)] + ["end"]  # O6


def legal_open(state):
    return [f"bid {amount}" for amount in range(1, drachmas(state, state["to_act"]) + 1)]  # O6


def legal_bid(state):
    lowest = state["pending"]["high"] + 1
    return [f"bid {amount}" for amount in range(lowest, drachmas(state, state["to_act"]) + 1)] + [
        "pass"
    ]  # O7


def legal_bribe(state):
    briber = state["to_act"]
    moves = []
    for victim in seats(state):
        for character in BRIBABLE:
            if may_bribe(state, briber, victim, character):
                moves.append(f"bribe {CITIES[victim]} {character}")
    return moves + ["decline"]


def may_bribe(state, briber, victim, character):
    seducers = level(state, briber, "seducer")
    return (
        victim != briber
        and victim not in state["pending"]["bribed"]  # O13
        and level(state, victim, "guard") < seducers  # O13
        and level(state, briber, character) >= 1  # O14
        and level(state, victim, character) >= 1  # O14
        and (level(state, victim, character) < TOP or seducers == TOP)  # O15
    )


def legal_offer(state):
    seat = state["to_act"]
    moves = []
    for number, animal in offerings(state, seat):
        for altar in state["altars"]:
            if GROUP[altar["altar"]] <= level(state, seat, "servant") and takes(altar, number, animal):  # O19
                moves.append(f"offer {number} {animal} {altar['altar']}")
    return moves + ["decline"]


def offerings(state, seat):
    """What a seat can take from the supply, as (number, animal) (O18)."""
    best = level(state, seat, "farmer")
    number = min(level(state, seat, "carrier"), level(state, seat, "florist"))
    if best == 0 or number == 0:
        return []
    supply = state["supply"]
    animal = ANIMALS[best - 1]
    if supply[animal] >= number:
        return [(number, animal)]
    return [(min(number, supply[lesser]), lesser) for lesser in ANIMALS[:best] if supply[lesser] > 0]


def takes(altar, number, animal):
    """Whether an altar takes an offering (O20)."""
    if altar["number"] == 0:
        return True
    return (
        number >= altar["number"]
        and VALUE[animal] >= VALUE[altar["animal"]]
        and (number, animal) != (altar["number"], altar["animal"])
    )


LEGAL = {
    "first": legal_first,
    "setup": legal_setup,
    "auction": legal_auction,
    "open": legal_open,
    "bid": legal_bid,
    "bribe": legal_bribe,
    "offer": legal_offer,
    "over": lambda state: [],
}


# --------------------------------------------------------------------------
# Doing it
# --------------------------------------------------------------------------


def apply(state, text):
    if text not in legal_moves(state):
        raise ValueError(f"{text!r} is not legal in phase {state['phase']}")
    state = copy.deepcopy(state)
    make(state, text)
    while state["to_act"] >= 0:  # O4; chance and the end are never skipped
        moves = legal_moves(state)
        if len(moves) > 1:
            break
        make(state, moves[0])
    return state


def make(state, text):
    word, *rest = text.split()
    MAKE[state["phase"]](state, word, rest)


def ask(state, phase, seat, **pending):
    """What is open next, and whose decision it is."""
    state["phase"] = phase
    state["to_act"] = seat
    if phase in ("setup", "bribe", "offer"):
        state["turn"] = seat
    state.pop("pending", None)
    if phase not in ("setup", "offer"):
        state["pending"] = {"kind": phase, "seat": seat, **pending}


def climb(state, seat, character):
    """One level up (O10, O11)."""
    ladder = level(state, seat, character)
    if ladder == TOP:
        return
    if ladder == TOP - 1:
        for other in seats(state):
            if level(state, other, character) == TOP:
                state["players"][other]["ladders"][character] = TOP - 1
    state["players"][seat]["ladders"][character] = ladder + 1


def make_first(state, word, rest):
    state["first"] = CITIES.index(rest[0])
    ask(state, "setup", setup_order(state)[0])  # O3


def make_setup(state, word, rest):
    for character in rest:
        climb(state, state["to_act"], character)
    if state["to_act"] != state["first"]:
        ask(state, "setup", after(setup_order(state), state["to_act"]))
    else:
        begin_auction_turn(state, state["first"])


def after(order, seat):
    """Who follows a seat in an order, or None after the last."""
    place = order.index(seat) + 1
    return order[place] if place < len(order) else None


# Phase 1


def begin_auction_turn(state, auctioneer):
    state["turn"] = auctioneer
    ask(state, "auction", auctioneer, sold=[], buyers=[])  # O5: all tiles and seats are in again


def end_auction_turn(state):
    auctioneer = next_seat(state, state["turn"])
    if auctioneer != state["first"]:
        begin_auction_turn(state, auctioneer)  # O5
    else:
        ask(state, "bribe", bribe_order(state)[0], bribed=[])


def make_auction(state, word, rest):
    if word == "end":
        end_auction_turn(state)
        return
    pending = state["pending"]
    ask(state, "open", state["turn"], sold=pending["sold"], buyers=pending["buyers"], pair=rest)


def make_open(state, word, rest):
    pending = state["pending"]
    bidders = [seat for seat in seats(state) if seat not in pending["buyers"]]  # O8
    ask_to_bid(state, pending, high=int(rest[0]), leader=state["turn"], bidders=bidders)


def make_bid(state, word, rest):
    pending, seat = state["pending"], state["to_act"]
    if word == "bid":
        ask_to_bid(state, pending, high=int(rest[0]), leader=seat, bidders=pending["bidders"])
        return
    bidders = [other for other in pending["bidders"] if other != seat]  # a pass is final (O7)
    if len(bidders) == 1:
        sell(state)
    else:
        ask_to_bid(state, pending, high=pending["high"], leader=pending["leader"], bidders=bidders)


def ask_to_bid(state, pending, high, leader, bidders):
    """The next bidder clockwise from whoever bid or passed just now (O7)."""
    asked = next(seat for seat in clockwise(state, next_seat(state, state["to_act"])) if seat in bidders)
    ask(
        state,
        "bid",
        asked,
        sold=pending["sold"],
        buyers=pending["buyers"],
        pair=pending["pair"],
        high=high,
        leader=leader,
        bidders=bidders,
    )


def sell(state):
    pending = state["pending"]
    buyer = pending["leader"]
    state["players"][buyer]["drachmas"] -= pending["high"]  # O9
    for character in pending["pair"]:
        climb(state, buyer, character)
    sold = sorted(pending["sold"] + pending["pair"], key=CHARACTERS.index)
    buyers = sorted(pending["buyers"] + [buyer])
    if buyer == state["turn"] or len(buyers) == most_auctions(state):
        end_auction_turn(state)  # O8
    else:
        ask(state, "auction", state["turn"], sold=sold, buyers=buyers)


# Phase 2


def make_bribe(state, word, rest):
    briber, bribed = state["to_act"], state["pending"]["bribed"]
    if word == "bribe":
        victim, character = CITIES.index(rest[0]), rest[1]
        state["players"][victim]["ladders"][character] -= 1  # O16: the victim first
        climb(state, briber, character)
        bribed = sorted(bribed + [victim])
    following = after(bribe_order(state), briber)
    if following is not None:
        ask(state, "bribe", following, bribed=bribed)
    else:
        ask(state, "offer", offer_order(state)[0])


# Phase 3


def make_offer(state, word, rest):
    seat = state["to_act"]
    if word == "offer":
        offer(state, seat, int(rest[0]), rest[1], altar_of(state, rest[2]))
    following = after(offer_order(state), seat)
    if following is not None:
        ask(state, "offer", following)
    else:
        end_round(state)


def offer(state, seat, number, animal, altar):
    state["supply"][animal] -= number  # O21
    if altar["number"] > 0:
        state["supply"][altar["animal"]] += altar["number"]
    altar.update(city=CITIES[seat], number=number, animal=animal)
    state["players"][seat]["score"] += number * VALUE[animal] + LAMP_POINTS * level(
        state, seat, "priestess"
    )  # O22


# Phase 4 and the end


def end_round(state):
    if all_altars_taken(state) or above_the_goal(state) or state["round"] == MAX_ROUNDS:  # O24, O26
        state["phase"], state["to_act"], state["turn"] = "over", OVER, state["first"]
        state["pending"] = over_pending(state)
        return
    for player in state["players"]:
        player["drachmas"] = min(player["drachmas"] + INCOME, MAX_DRACHMAS)  # O23
    state["first"] = next_seat(state, state["first"])
    state["round"] += 1
    begin_auction_turn(state, state["first"])


MAKE = {
    "first": make_first,
    "setup": make_setup,
    "auction": make_auction,
    "open": make_open,
    "bid": make_bid,
    "bribe": make_bribe,
    "offer": make_offer,
}


# --------------------------------------------------------------------------
# Points
# --------------------------------------------------------------------------


def own_altars(state, seat):
    return [altar for altar in state["altars"] if altar["city"] == CITIES[seat]]


def total(state, seat):
    """Points with those of the altars (O25)."""
    altars = sum(ALTAR_POINTS * GROUP[altar["altar"]] for altar in own_altars(state, seat))
    return state["players"][seat]["score"] + altars


def standing(state, seat):
    return (total(state, seat), len(own_altars(state, seat)))  # O25


def ranks(state):
    standings = [standing(state, seat) for seat in seats(state)]
    return [1 + sum(other > mine for other in standings) for mine in standings]


def over_pending(state):
    if all_altars_taken(state):
        result = "altars"
    elif above_the_goal(state):
        result = "points"
    else:
        result = "length"
    winners = [seat for seat, rank in enumerate(ranks(state)) if rank == 1]
    return {
        "kind": "over",
        "result": result,
        "winners": [] if result == "length" else winners,  # O26
        "totals": [total(state, seat) for seat in seats(state)],
    }


def returns(state):
    if state["phase"] != "over":
        raise ValueError("the game is not over")
    winners = over_pending(state)["winners"] or list(seats(state))  # O26: a draw by length
    return [Fraction(1, len(winners)) if seat in winners else Fraction(0) for seat in seats(state)]


def observation(state, seat):
    if seat not in range(-1, state["options"]["players"]):
        raise ValueError(f"seat {seat} does not play")
    return {**copy.deepcopy(state), "observer": seat}  # O27


def turn_number(state):
    if state["phase"] in ("first", "setup"):
        return 0
    players = state["options"]["players"]
    if state["phase"] == "bribe":
        part = players
    elif state["phase"] in ("offer", "over"):
        part = players + 1
    else:
        part = (state["turn"] - state["first"]) % players
    return (state["round"] - 1) * (players + 2) + 1 + part


# --------------------------------------------------------------------------
# Reading what was written without defaults
# --------------------------------------------------------------------------

BLANK_STATE = {
    "game": "",
    "format": 0,
    "options": {},
    "round": 0,
    "first": 0,
    "turn": 0,
    "to_act": 0,
    "phase": "",
    "players": [],
    "altars": [],
    "supply": {},
}
BLANK_PENDING = {
    "seat": 0,
    "sold": [],
    "buyers": [],
    "pair": [],
    "high": 0,
    "leader": 0,
    "bidders": [],
    "bribed": [],
}


def filled(value, defaults):
    """A copy with defaults for what is absent."""
    return copy.deepcopy({**defaults, **value})


def complete(position):
    state = filled(position, BLANK_STATE)
    players = [
        filled(player, {"city": "", "drachmas": 0, "score": 0, "ladders": {}}) for player in state["players"]
    ]
    for player in players:
        player["ladders"] = filled(player["ladders"], dict.fromkeys(CHARACTERS, 0))
    state["players"] = players
    state["altars"] = [
        filled(altar, {"altar": "", "city": "", "number": 0, "animal": ""}) for altar in state["altars"]
    ]
    state["supply"] = filled(state["supply"], dict.fromkeys(ANIMALS, 0))
    if state["phase"] == "over":
        state["pending"] = filled(state.get("pending", {}), over_pending(state))
    elif state["phase"] in PENDING:
        blank = {name: BLANK_PENDING[name] for name in PENDING[state["phase"]] if name in BLANK_PENDING}
        state["pending"] = filled(state["pending"], blank)
    return state


# --------------------------------------------------------------------------
# What no game can have
# --------------------------------------------------------------------------


def check(state):
    check_fields(state)
    check_ladders(state)
    check_altars(state)
    check_scores(state)
    CHECK[state["phase"]](state)
    expected = {"first": CHANCE, "over": OVER}
    if state["phase"] in expected:
        need(state["to_act"] == expected[state["phase"]], "to_act", "does not fit the phase")
    else:
        need(len(legal_moves(state)) >= 2, "to_act", "has fewer than two moves (O4)")


def need(condition, path, reason):
    if not condition:
        raise ValueError(f"{path}: {reason}")


def fields(value, names, path):
    need(isinstance(value, dict), path, "is not an object")
    for name in names:
        need(name in value, f"{path}.{name}".lstrip("."), "is missing")
    for name in value:
        need(name in names, f"{path}.{name}".lstrip("."), "is unknown")


def whole(value, low, high, path):
    need(type(value) is int, path, f"{value!r} is not a whole number")
    need(low <= value <= high, path, f"{value} is not {low} to {high}")


def one_of(value, names, path):
    need(isinstance(value, str) and value in names, path, f"{value!r} is not one of {', '.join(names)}")


def different(values, allowed, path):
    """A list of different names or seats."""
    need(isinstance(values, list), path, "is not a list")
    for place, value in enumerate(values):
        need(
            type(value) is type(allowed[0]) and value in allowed, f"{path}[{place}]", f"{value!r} is unknown"
        )
        need(value not in values[:place], f"{path}[{place}]", f"{value!r} is there twice")


PENDING = {
    "auction": ["kind", "seat", "sold", "buyers"],
    "open": ["kind", "seat", "sold", "buyers", "pair"],
    "bid": ["kind", "seat", "sold", "buyers", "pair", "high", "leader", "bidders"],
    "bribe": ["kind", "seat", "bribed"],
    "over": ["kind", "result", "winners", "totals"],
}


def check_fields(state):
    names = [
        "game",
        "format",
        "options",
        "round",
        "first",
        "turn",
        "to_act",
        "phase",
        "players",
        "altars",
        "supply",
    ]
    need(isinstance(state, dict), "", "is not an object")
    one_of(state.get("phase"), list(LEGAL), "phase")
    fields(state, names + ["pending"] * (state["phase"] in PENDING), "")
    one_of(state["game"], ["offrandes"], "game")
    whole(state["format"], 1, 1, "format")
    fields(state["options"], ["players"], "options")
    whole(state["options"]["players"], 3, 5, "options.players")
    players = state["options"]["players"]
    whole(state["round"], 1, MAX_ROUNDS, "round")
    whole(state["first"], 0, players - 1, "first")
    whole(state["turn"], 0, players - 1, "turn")
    whole(state["to_act"], OVER, players - 1, "to_act")
    need(state["to_act"] >= 0 or state["phase"] in ("first", "over"), "to_act", "does not fit the phase")
    if state["phase"] in PENDING:
        pending = state["pending"]
        fields(pending, PENDING[state["phase"]], "pending")
        one_of(pending["kind"], [state["phase"]], "pending.kind")
        if "seat" in pending:
            whole(pending["seat"], state["to_act"], state["to_act"], "pending.seat")
    need(isinstance(state["players"], list), "players", "is not a list")
    need(len(state["players"]) == players, "players", f"has not one for each of {players} seats")
    for seat, player in enumerate(state["players"]):
        path = f"players[{seat}]"
        fields(player, ["city", "drachmas", "score", "ladders"], path)
        one_of(player["city"], [CITIES[seat]], f"{path}.city")
        whole(player["drachmas"], 0, MAX_DRACHMAS, f"{path}.drachmas")  # O23
        whole(player["score"], 0, 10**6, f"{path}.score")
        fields(player["ladders"], CHARACTERS, f"{path}.ladders")
        for character in CHARACTERS:
            whole(player["ladders"][character], 0, TOP, f"{path}.ladders.{character}")


def check_ladders(state):
    for character in CHARACTERS:
        top = [seat for seat in seats(state) if level(state, seat, character) == TOP]
        for seat in top[1:]:
            need(False, f"players[{seat}].ladders.{character}", "is a second disc on level 5 (O11)")


def check_altars(state):
    need(isinstance(state["altars"], list), "altars", "is not a list")
    seen = []
    for place, altar in enumerate(state["altars"]):
        path = f"altars[{place}]"
        fields(altar, ["altar", "city", "number", "animal"], path)
        one_of(altar["altar"], ALTARS, f"{path}.altar")
        need(altar["altar"] not in seen, f"{path}.altar", "is there twice")
        seen.append(altar["altar"])
        whole(altar["number"], 0, TOP, f"{path}.number")
        playing = CITIES[: state["options"]["players"]]
        one_of(altar["city"], playing if altar["number"] else [""], f"{path}.city")
        one_of(altar["animal"], ANIMALS if altar["number"] else [""], f"{path}.animal")
    need(len(seen) == len(ALTARS), "altars", "are not all eleven")
    fields(state["supply"], ANIMALS, "supply")
    for animal in ANIMALS:
        whole(state["supply"][animal], 0, ANIMALS_OF_A_KIND, f"supply.{animal}")
        offered = sum(altar["number"] for altar in state["altars"] if altar["animal"] == animal)
        need(
            state["supply"][animal] + offered == ANIMALS_OF_A_KIND,
            f"supply.{animal}",
            f"and the altars are not {ANIMALS_OF_A_KIND} together",
        )


def check_scores(state):
    for seat in seats(state):
        score, path = state["players"][seat]["score"], f"players[{seat}].score"
        lying = sum(altar["number"] * VALUE[altar["animal"]] for altar in own_altars(state, seat))
        need(score >= lying, path, f"{score} is below the {lying} points lying on its altars")
        need(score <= MOST_POINTS, path, f"{score} is more than an offering can bring after {POINTS_TO_PASS}")
    if state["phase"] == "over":
        return
    unasked = list(seats(state))
    if state["phase"] == "offer":
        order = offer_order(state)
        unasked = order[order.index(state["to_act"]) :]
    for seat in unasked:
        score, path = state["players"][seat]["score"], f"players[{seat}].score"
        need(score <= POINTS_TO_PASS, path, f"{score} is above {POINTS_TO_PASS}, so the game is over (O24)")
    if len(unasked) == state["options"]["players"]:
        need(not all_altars_taken(state), "altars", "are all taken, so the game is over (O24)")


def check_first(state):
    need(state == new_state(state["options"]), "phase", "first, and not the start position (O1)")


def check_setup(state):
    need(state["round"] == 1, "round", "is not 1 in setup")
    need(state["turn"] == state["to_act"], "turn", "is not to_act")
    order = setup_order(state)
    asked = order[: order.index(state["to_act"])]
    for seat, player in enumerate(state["players"]):
        path = f"players[{seat}]"
        need(player["drachmas"] == FIRST_DRACHMAS, f"{path}.drachmas", "is not 10 in setup")
        need(player["score"] == 0, f"{path}.score", "is not 0 in setup")
        levels = sorted(player["ladders"].values(), reverse=True)
        wanted = [1, 1, 1, 0, 0, 0, 0] if seat in asked else [0] * len(CHARACTERS)
        need(levels == wanted, f"{path}.ladders", "does not fit the seats asked before (O3)")
    for place, altar in enumerate(state["altars"]):
        need(altar["number"] == 0, f"altars[{place}]", "has an offering in setup")


def check_auction(state):
    pending = state["pending"]
    different(pending["sold"], CHARACTERS, "pending.sold")
    different(pending["buyers"], list(seats(state)), "pending.buyers")
    need(len(pending["sold"]) == 2 * len(pending["buyers"]), "pending.sold", "is not twice as many as buyers")
    need(len(pending["buyers"]) < most_auctions(state), "pending.buyers", "leave no further auction (O8)")
    need(state["turn"] not in pending["buyers"], "pending.buyers", "has the auctioneer (O8)")
    if state["phase"] != "bid":
        need(state["turn"] == state["to_act"], "turn", "is not to_act")


def check_open(state):
    check_auction(state)
    pending = state["pending"]
    different(pending["pair"], CHARACTERS, "pending.pair")
    need(len(pending["pair"]) == 2, "pending.pair", "is not two characters (O6)")
    for character in pending["pair"]:
        need(character not in pending["sold"], "pending.pair", f"{character} is sold (O6)")


def check_bid(state):
    check_open(state)
    pending = state["pending"]
    whole(pending["leader"], 0, state["options"]["players"] - 1, "pending.leader")
    whole(pending["high"], 1, drachmas(state, pending["leader"]), "pending.high")
    different(pending["bidders"], list(seats(state)), "pending.bidders")
    need(pending["leader"] in pending["bidders"], "pending.leader", "is not among bidders")
    need(state["to_act"] in pending["bidders"], "to_act", "is not among bidders")
    need(state["to_act"] != pending["leader"], "to_act", "is the leader")
    for seat in pending["bidders"]:
        need(seat not in pending["buyers"], "pending.bidders", f"has the buyer {seat} (O8)")


def check_bribe(state):
    need(state["turn"] == state["to_act"], "turn", "is not to_act")
    bribed = state["pending"]["bribed"]
    different(bribed, list(seats(state)), "pending.bribed")
    asked = bribe_order(state).index(state["to_act"])
    need(len(bribed) <= asked, "pending.bribed", f"has more seats than the {asked} asked before (O12)")


def check_offer(state):
    need(state["turn"] == state["to_act"], "turn", "is not to_act")


def check_over(state):
    need(state["turn"] == state["first"], "turn", "is not first")
    ended = all_altars_taken(state) or above_the_goal(state) or state["round"] == MAX_ROUNDS
    need(ended, "phase", "over, with an empty altar, no score above 100 and before round 100 (O24, O26)")
    for name, value in over_pending(state).items():
        need(state["pending"][name] == value, f"pending.{name}", f"is not {value!r}")


CHECK = {
    "first": check_first,
    "setup": check_setup,
    "auction": check_auction,
    "open": check_open,
    "bid": check_bid,
    "bribe": check_bribe,
    "offer": check_offer,
    "over": check_over,
}
