"""The reference implementation of Deukalion against the rulings: the worked examples, every ruling that can be
got wrong, and what must hold in any game."""

import json
import random
from collections import Counter
from fractions import Fraction

import pytest

from tests.deukalion import reference as ref

PLAIN_ORDERS = ["crew_to_zypern", "crew_to_sparta"]  # open when a test names none
FAR = [(3, 0), (5, 0), (4, 1), (5, 1)]  # anchors for ships a test does not place


def table(
    players=2, mover=0, turn=None, ships=None, seats=None, open_orders=PLAIN_ORDERS, dice="2 1 1 2 2", **more
):
    """A position in `follow`, or in `act` if the mover is the active seat.

    `seats` has, by seat, what differs from ten fighters aboard and empty hands: treasures (each takes the place
    of a fighter), cards, order, permanent,
    underworld, victory_cards, fulfilled. `dice` are the middle die and those for card, fighters, sail and Hydra.
    """
    state = ref.new_state({"players": players, **more.pop("options", {})}, random.Random(1))
    turn = mover if turn is None else turn
    center, *ring = map(int, dice.split())
    state.update(turn=turn, mover=mover, round=3)
    state["kylix"].update(center=center, ring=list(min(ref.turnings(ring))))
    if mover == turn:
        state["kylix"].update(zip(("card", "fighters", "sail", "hydra"), ring, strict=True))
    for seat, player in enumerate(state["players"]):
        player.update(cards=[], order="", ship=ref.json_of((ships or {}).get(seat, FAR[seat])))
        player.update((seats or {}).get(seat, {}))
        player["underworld"] = max(player["underworld"], len(player["treasures"]))  # they need places
        player["fighters"] = ref.FIGHTERS - player["underworld"]
        for color in player["treasures"]:
            next(city for city in state["cities"] if color in city["treasures"])["treasures"].remove(color)
    state["hydra"] = ref.json_of(more.pop("hydra", ref.HYDRA_START))
    for name, (seat, fighters) in more.pop("settlements", {}).items():
        ref.settlement_named(state, name).update(seat=seat, fighters=fighters)
        state["players"][seat]["fighters"] -= fighters
    state["used"].update(more.pop("used", {}))
    state["open_orders"] = sorted(open_orders, key=list(ref.ORDERS).index)
    state["under"] = more.pop("under", [])
    held = Counter(state["under"])
    orders = list(state["open_orders"])
    for player in state["players"]:
        held.update(player["cards"] + player["permanent"])
        orders += player["fulfilled"] + [player["order"]]
    left = Counter(ref.CARDS) - held
    if more.pop("empty_pile", False):
        spare = [card for card in ref.CARDS if card not in ref.PERMANENT for _ in range(left[card])]
        state["under"] += spare
        left -= Counter(spare)
        state["players"][-1]["permanent"] += [card for card in ref.PERMANENT for _ in range(left[card])]
        left = Counter()
    state["pile"] = [card for card in ref.CARDS for _ in range(left[card])]
    gone = more.pop("removed_orders", [])
    state["removed_orders"] = [order for order in ref.ORDERS if order in gone]
    state["order_pile"] = [order for order in ref.ORDERS if order not in orders + gone]
    state["victory_cards_left"] = ref.VICTORY_CARDS - sum(
        player["victory_cards"] for player in state["players"]
    )
    assert not more
    state["agenda"] = []
    ref.fold(state)
    ref.check(state)
    return state


def played(state, *texts):
    for text in texts:
        state = ref.apply(state, text)
        ref.check(state)
    return state


def moves(state, word):
    """What can follow a word."""
    found = [move.split(maxsplit=1) for move in ref.legal_moves(state)]
    return {move[1] if len(move) > 1 else "" for move in found if move[0] == word}


def pending(state):
    return {name: value for name, value in state["pending"].items() if name != "then"}


# The worked examples

FORMAT_EXAMPLE = """
{"game": "deukalion", "format": 1, "options": {"players": 2, "throw": [42, 42, 16]},
 "round": 4, "turn": 1, "mover": 0, "to_act": 0, "phase": "place",
 "pending": {"kind": "place", "seat": 0, "color": "white", "then": [{"kind": "refill"}]},
 "kylix": {"center": 3, "ring": [2, 2, 2, 3], "card": 0, "fighters": 0, "sail": 0, "hydra": 0},
 "used": {"sailed": true, "acted": false, "delivered": false, "card": false, "fighters": false, "hydra": false,
          "wind": 0, "cry": 0},
 "players": [
  {"hero": "deukalion", "ship": {"x": 3, "y": 1}, "fighters": 6, "underworld": 4, "treasures": [], "points": 9,
   "victory_cards": 0, "fulfilled": ["green_and_white", "crew_to_rhodos", "two_green"],
   "permanent": ["golden_fleece"], "card_count": 4, "cards": ["fair_wind", "battle_cry", "battle_cry", "charon"],
   "has_order": true, "order": "two_blue", "knows": []},
  {"hero": "perseus", "ship": {"x": 6, "y": 5}, "fighters": 6, "underworld": 0, "treasures": [], "points": 8,
   "victory_cards": 2, "fulfilled": ["red_or_yellow"], "permanent": ["pegasus", "favor_of_hades"],
   "card_count": 2, "cards": ["fair_wind", "battle_cry"], "has_order": true, "order": "white_or_red",
   "knows": [{"seat": 0, "cards": ["charon"]}]}],
 "hydra": {"x": 5, "y": 6},
 "cities": [{"name": "korinth", "treasures": ["red"]}, {"name": "mykene", "treasures": ["yellow"]},
            {"name": "sparta", "treasures": ["green", "blue"]}, {"name": "thera", "treasures": ["green"]},
            {"name": "kreta", "treasures": ["red", "blue"]}, {"name": "rhodos", "treasures": ["yellow", "green"]},
            {"name": "zypern", "treasures": ["red", "white", "white"]},
            {"name": "halikarnassos", "treasures": ["yellow", "blue"]}],
 "settlements": [{"name": "ephesus", "seat": 0, "fighters": 0}, {"name": "salamis", "seat": 1, "fighters": 2},
                 {"name": "argos", "seat": 0, "fighters": 0}, {"name": "lindos", "seat": 1, "fighters": 2}],
 "open_orders": ["crew_to_zypern"], "removed_orders": [], "order_pile_count": 9,
 "order_pile": ["yellow_or_green", "green_or_blue", "blue_or_white", "red_and_green", "yellow_and_blue",
                "red_and_blue", "yellow_and_white", "crew_to_sparta", "two_red"],
 "victory_cards_left": 12, "pile_count": 18,
 "pile": ["pegasus", "favor_of_hades", "golden_fleece", "fair_wind", "fair_wind", "fair_wind", "fair_wind",
          "fair_wind", "battle_cry", "battle_cry", "battle_cry", "battle_cry", "charon", "charon", "midas", "midas",
          "midas", "midas"],
 "under": ["charon", "charon", "charon"]}
"""


def test_the_position_of_the_format():
    state = json.loads(FORMAT_EXAMPLE)
    ref.check(state)
    assert ref.legal_moves(state) == ["place halikarnassos"]
    state = played(state, "place halikarnassos")
    assert state["pending"] == {"kind": "order"}
    assert (state["phase"], state["to_act"]) == ("order", ref.CHANCE)
    assert ref.outcomes(state) == {f"order {order}": Fraction(1, 9) for order in state["order_pile"]}
    state = played(state, "order two_red")
    assert (state["phase"], state["to_act"], state["open_orders"]) == (
        "follow",
        0,
        ["crew_to_zypern", "two_red"],
    )
    assert moves(state, "sail") == moves(state, "rest") == set()  # D13, D8
    assert set(ref.legal_moves(state)) == {"play battle_cry", "play charon", "end"}


def test_the_turn_of_the_format():
    state = table(ships={0: (3, 2), 1: (5, 4)}, mover=0)
    state.update(to_act=ref.CHANCE, phase="roll")
    state["kylix"] = {"center": 0, "ring": [], "card": 0, "fighters": 0, "sail": 0, "hydra": 0}
    for city, treasures in [
        ("rhodos", ["blue", "white"]),
        ("thera", ["red"]),
    ]:  # by exchange with other cities
        for color in treasures:
            if color not in ref.city_named(state, city)["treasures"]:
                other = next(
                    found
                    for found in state["cities"]
                    if color in found["treasures"] and found["name"] not in ("rhodos", "thera")
                )
                mine = ref.city_named(state, city)["treasures"]
                spare = next(spare for spare in mine if spare not in treasures)
                mine[mine.index(spare)] = color
                other["treasures"][other["treasures"].index(color)] = spare
        for found in state["cities"]:
            found["treasures"].sort(key=ref.COLORS.index)
    ref.check(state)
    state = played(state, "roll 2 1 1 3 3", "sail 6,5", "attack rhodos", "throw 4 5 1", "take blue", "end")
    assert (state["phase"], state["mover"], state["used"]) == ("kylix", 0, ref.FRESH)
    assert state["players"][1]["treasures"] == ["blue"]
    assert (state["players"][1]["fighters"], state["players"][1]["underworld"]) == (6, 4)
    state = played(
        state, "kylix 3 1 1 3", "card", "draw fair_wind", "play fair_wind", "sail 3,4", "attack thera"
    )
    state = played(state, "throw 3 6 1", "take red", "hydra 6,5", "throw 2 4 0")
    assert state["pending"] == {"kind": "displace", "seat": 0, "piece": "perseus"}
    state = played(state, "displace 8,4")
    assert (state["phase"], ref.ship(state, 1), ref.hydra(state)) == ("act", (8, 4), (6, 5))
    state = played(state, "end")
    assert (state["phase"], state["turn"], state["mover"], state["round"]) == ("roll", 1, 1, 3)
    assert state["kylix"]["ring"] == []


def test_an_order_revealed_is_fulfilled_at_once():
    """The rulebook: green and red aboard, the green order is fulfilled, the red one is revealed."""
    state = table(
        mover=0,
        turn=1,
        seats={0: {"treasures": ["red", "green"]}},
        open_orders=["yellow_or_green", "crew_to_zypern"],
    )
    state = played(state, "claim yellow_or_green green")
    assert pending(state) == {"kind": "place", "seat": 0, "color": "green"}
    assert state["pending"]["then"] == [{"kind": "refill"}]
    state = played(state, sorted(ref.legal_moves(state))[0], "order red_or_yellow")
    assert state["pending"] == {"kind": "claim", "seat": 0, "order": "red_or_yellow", "ask": [], "claims": []}
    assert set(ref.legal_moves(state)) == {"claim red_or_yellow red", "decline"}
    state = played(state, "claim red_or_yellow red")
    assert state["players"][0]["fulfilled"] == ["red_or_yellow", "yellow_or_green"]
    assert state["players"][0]["points"] == 4


# Set-up and turns


def test_set_up_and_the_order_of_turns():
    state = ref.new_state({"players": 3}, random.Random(5))
    assert set(ref.legal_moves(state)) == {
        "anchor 3,0",
        "anchor 5,0",
        "anchor 3,1",
        "anchor 4,1",
        "anchor 5,1",
    }
    state = played(state, "anchor 4,1")
    assert (state["mover"], "anchor 4,1" in ref.legal_moves(state)) == (1, False)
    state = played(state, "anchor 3,0", "anchor 5,1")
    movers = []
    while state["round"] < 3:
        movers.append((state["phase"], state["turn"], state["mover"]))
        preferred = ["end", "card", "decline"]
        legal = ref.legal_moves(state)
        state = played(state, next((move for move in preferred if move in legal), legal[0]))
    skipped = ("act", "draw", "throw", "loot")
    one_round = [
        step
        for turn in range(3)
        for step in [
            ("roll", turn, turn),
            ("follow", turn, (turn + 1) % 3),
            ("follow", turn, (turn + 2) % 3),
            ("kylix", turn, turn),
        ]
    ]
    assert [step for step in movers if step[0] not in skipped] == one_round * 2


def test_rolls_and_turnings():
    state = table()
    state.update(to_act=ref.CHANCE, phase="roll", kylix={**state["kylix"], "center": 0, "ring": []})
    state["kylix"].update(card=0, fighters=0, sail=0, hydra=0)
    chances = ref.outcomes(state)
    assert (len(chances), sum(chances.values())) == (72, 1)
    assert chances["roll 2 1 1 3 2"] == Fraction(4, 243)
    assert chances["roll 2 1 2 1 2"] == Fraction(2, 243)
    assert chances["roll 3 3 3 3 3"] == Fraction(1, 243)
    state = played(state, "roll 2 1 1 3 2", "end")
    assert moves(state, "kylix") == {"1 1 3 2", "1 3 2 1", "3 2 1 1", "2 1 1 3"}  # never 1 1 2 3
    state = played(state, "kylix 3 2 1 1")
    assert state["kylix"] == {
        "center": 2,
        "ring": [1, 1, 3, 2],
        "card": 3,
        "fighters": 2,
        "sail": 1,
        "hydra": 1,
    }


def test_the_card_die_must_be_used_before_the_end():
    state = table(players=3, mover=1, dice="1 1 1 1 1")
    assert "end" not in ref.legal_moves(state)
    state = played(state, "card")
    assert pending(state) == {"kind": "draw", "seat": 2}
    assert state["pending"]["then"] == [{"kind": "draw", "seat": 0}]
    state = played(state, "draw charon", "draw midas")
    assert [player["cards"] for player in state["players"]] == [["midas"], [], ["charon"]]
    assert "end" in ref.legal_moves(state)
    assert "card" not in ref.legal_moves(state)
    state = table(dice="1 2 1 1 1")
    assert "card" not in ref.legal_moves(state)
    assert "end" in ref.legal_moves(state)


def test_rest_is_instead_of_the_rest():
    seats = {0: {"underworld": 3, "cards": ["fair_wind", "charon"]}}
    state = table(mover=0, turn=1, seats=seats)
    assert "rest" in ref.legal_moves(played(state, "play fair_wind"))
    assert "rest" not in ref.legal_moves(played(state, "play charon"))  # nobody is left to come back
    assert "rest" not in ref.legal_moves(played(state, "sail 2,1"))
    state = played(state, "rest")
    assert (state["players"][0]["fighters"], state["players"][0]["underworld"]) == (9, 1)
    assert (state["phase"], state["mover"]) == ("kylix", 1)


def test_the_game_ends_by_length():
    state = table(players=3, mover=2, dice="1 2 1 1 1")
    state["round"] = 100
    over = played(state, "end")
    assert over["pending"] == {"kind": "over", "result": "length", "winners": []}
    assert (over["round"], over["turn"], over["mover"]) == (100, 2, 2)
    assert ref.returns(over) == [Fraction(1, 3)] * 3
    state["turn"] = state["mover"] = 1
    state["to_act"] = 1
    assert played(state, "end")["phase"] == "roll"


# Sailing


def test_the_range_and_its_cards():
    state = table(
        mover=0, turn=1, ships={0: (8, 6 - 1)}, seats={0: {"permanent": ["pegasus"], "cards": ["fair_wind"]}}
    )
    assert ref.sail_range(state) == 3  # the middle die 2
    assert moves(state, "sail") == {"8,4", "8,3", "7,5", "7,6", "6,5", "5,5", "7,3"}
    state = played(state, "play fair_wind")
    assert ref.sail_range(state) == 5
    assert state["under"] == ["fair_wind"]
    state = table(mover=0, dice="3 2 1 1 3", ships={0: (8, 5)})
    assert ref.sail_range(state) == 1
    assert moves(state, "sail") == {"8,4", "7,5"}


def test_ships_and_the_styx_end_the_way():
    ships = {0: (0, 1), 1: (1, 1)}
    state = table(mover=0, turn=1, ships=ships, dice="3 1 1 1 1")
    assert moves(state, "sail") == {"0,0", "1,1"}  # neither is passed
    state = table(mover=0, turn=1, ships=ships, dice="3 1 1 1 1", seats={0: {"underworld": 10}})
    assert moves(state, "sail") == {"0,0"}  # no fighter aboard
    state = table(mover=0, turn=1, ships={0: (3, 1), 1: (4, 1)}, dice="2 1 1 1 1")
    assert {"4,1", "5,1"} <= moves(state, "sail")  # anchors let pass
    state = played(state, "sail 4,1")
    assert state["phase"] == "follow"


def test_the_hydra_is_entered_only_for_an_order():
    for open_orders, hand, entered in [
        (PLAIN_ORDERS, "", False),
        (["red_and_blue", "two_red"], "", True),
        (PLAIN_ORDERS, "yellow_and_white", True),
    ]:
        seats = {0: {"order": hand}}
        state = table(
            mover=0, turn=1, ships={0: (5, 5)}, seats=seats, open_orders=open_orders, dice="2 1 1 1 1"
        )
        assert ("5,6" in moves(state, "sail")) is entered
    unarmed = table(mover=0, turn=1, ships={0: (5, 5)}, seats={0: {**seats[0], "underworld": 10}})
    assert "5,6" not in moves(unarmed, "sail")
    state = played(state, "sail 5,6")
    assert pending(state) == {"kind": "throw", "seat": 0, "fight": "hydra", "attacker": 0}
    assert state["used"]["acted"] is False


def test_sailing_once_and_not_after_a_deed():
    state = table(mover=0, turn=1, ships={0: (8, 5)}, dice="3 1 1 1 1")
    assert moves(played(state, "sail 8,4"), "sail") == set()
    state = table(mover=0, turn=1, ships={0: (7, 0)}, dice="3 1 1 1 1")
    assert moves(played(state, "found ephesus"), "sail") == set()
    state = table(mover=0, turn=1, seats={0: {"treasures": ["red"]}})
    state = played(state, "deliver red", "place " + sorted(moves(played(state, "deliver red"), "place"))[0])
    assert moves(state, "sail") != set()  # D13
    assert "rest" not in ref.legal_moves(state)


# The Styx


def test_fighters_come_back_from_the_styx_with_a_reward():
    for players, others, cards in [(2, 2, 1), (3, 2, 2), (3, 3, 0)]:
        seats = {0: {"underworld": 3}, 1: {"underworld": others}}
        state = table(players=players, mover=0, turn=1, ships={0: (0, 1)}, seats=seats)
        state = played(state, "sail 0,0")
        assert set(ref.legal_moves(state)) == {"fetch", "decline"}
        state = played(state, "fetch")
        assert state["players"][0]["victory_cards"] == cards
        assert (state["players"][0]["fighters"], state["phase"]) == (10, "follow")


def test_treasures_may_make_room_on_the_styx():
    treasures = ["red", "red", "yellow", "green", "green", "blue"]
    seats = {0: {"underworld": 6, "treasures": treasures}}
    state = played(table(mover=0, turn=1, ships={0: (0, 1)}, seats=seats), "sail 0,0")
    # Ten places are taken, so nobody fits.
    assert set(ref.legal_moves(state)) == {"drop red", "drop yellow", "drop green", "drop blue", "decline"}
    state = played(state, "drop red")
    assert pending(state) == {"kind": "place", "seat": 0, "color": "red"}
    assert state["pending"]["then"] == [{"kind": "styx", "seat": 0}]
    state = played(state, sorted(ref.legal_moves(state))[0])
    assert "fetch" in ref.legal_moves(state)
    state = played(state, "fetch")
    player = state["players"][0]
    assert (player["fighters"], player["underworld"], player["victory_cards"]) == (5, 5, 1)


def test_treasures_stay_aboard_when_all_fighters_fit():
    # One fighter of ten is on Argos, so that a place stays free for the treasure.
    state = table(
        mover=0,
        turn=1,
        ships={0: (0, 1)},
        seats={0: {"underworld": 3, "treasures": ["red"]}},
        settlements={"argos": (0, 1)},
    )
    assert set(ref.legal_moves(played(state, "sail 0,0"))) == {"fetch", "decline"}


def test_the_styx_asks_nobody_without_fighters_there():
    state = played(table(mover=0, turn=1, ships={0: (0, 1)}), "sail 0,0")
    assert state["phase"] == "follow"


# Fights


def test_a_city_falls_when_its_value_is_reached():
    state = played(table(mover=0, turn=1, ships={0: (8, 3)}), "attack halikarnassos")
    assert pending(played(state, "throw 6 4 0")) == {"kind": "loot", "seat": 0, "place": "halikarnassos"}
    assert pending(played(state, "throw 2 0 8"))["kind"] == "loot"
    lost = played(state, "throw 6 3 1")
    assert (lost["phase"], lost["players"][0]["fighters"]) == ("follow", 4)
    assert moves(lost, "attack") == moves(lost, "sail") == set()


def test_cards_of_a_throw():
    permanent = ["favor_of_hades", "golden_fleece", "golden_fleece"]
    seats = {0: {"cards": ["battle_cry"], "permanent": permanent, "underworld": 9}}
    state = table(mover=0, turn=1, ships={0: (8, 3)}, seats=seats)
    state = played(state, "play battle_cry", "attack halikarnassos")
    assert state["used"]["cry"] == 1
    assert set(ref.outcomes(state)) == {"throw 1 0 0", "throw 0 1 0", "throw 0 0 1"}
    assert ref.outcomes(state)["throw 0 0 1"] == Fraction(16, 100)
    state = played(state, "throw 1 0 0")  # four by cards, and nobody is lost
    assert (state["phase"], state["used"]["cry"], state["players"][0]["fighters"]) == ("loot", 0, 1)


def test_throws_are_multinomial_and_without_what_cannot_be():
    state = played(table(mover=0, turn=1, ships={0: (8, 3)}), "attack halikarnassos")
    chances = ref.outcomes(state)
    assert (len(chances), sum(chances.values())) == (66, 1)
    assert chances["throw 9 1 0"] == 10 * Fraction(42, 100) ** 10
    state = table(mover=0, turn=1, ships={0: (8, 3)}, options={"throw": [0, 100, 0]})
    assert ref.outcomes(played(state, "attack halikarnassos")) == {"throw 0 10 0": 1}


def test_a_treasure_without_a_place_costs_a_fighter():
    state = played(table(mover=0, turn=1, ships={0: (8, 3)}), "attack halikarnassos", "throw 0 10 0")
    state = played(state, ref.legal_moves(state)[0])
    player = state["players"][0]
    assert (player["fighters"], player["underworld"], len(player["treasures"])) == (9, 1, 1)
    state = table(mover=0, turn=1, ships={0: (8, 3)})
    state = played(state, "attack halikarnassos", "throw 0 10 0", "decline")
    assert state["players"][0]["treasures"] == []


def test_settlements():
    ships = {0: (7, 0)}
    state = table(mover=0, turn=1, ships=ships)
    assert moves(state, "attack") == set()
    state = played(state, "found ephesus")
    assert (state["players"][0]["fighters"], state["players"][0]["points"]) == (9, 1)
    assert moves(state, "found") == moves(state, "attack") == set()
    state = table(mover=0, turn=1, ships=ships, settlements={"ephesus": (1, 1)})
    assert moves(state, "attack") == {"ephesus"}
    state = played(state, "attack ephesus")
    failed = played(state, "throw 9 0 1")
    assert failed["players"][1]["points"] == 1
    state = played(state, "throw 9 1 0")
    assert [player["points"] for player in state["players"]] == [1, 0]
    assert (state["players"][0]["fighters"], state["players"][1]["underworld"]) == (0, 1)


def test_a_settlement_may_be_left_empty():
    seats = {0: {"underworld": 9, "permanent": ["golden_fleece", "golden_fleece"]}}
    state = table(
        mover=0, turn=1, ships={0: (5, 6)}, hydra=(0, 6), seats=seats, settlements={"salamis": (1, 2)}
    )
    state = played(state, "attack salamis", "throw 0 1 0")
    assert state["settlements"][1] == {"name": "salamis", "seat": 0, "fighters": 0}
    assert state["players"][1]["underworld"] == 2


def duel(**seats):
    """Seat 0 attacks seat 1 on 6,2 from 6,1."""
    state = table(
        players=3,
        mover=0,
        turn=2,
        ships={0: (6, 1), 1: (6, 2)},
        seats={int(seat[1:]): facts for seat, facts in seats.items()},
        open_orders=["red_and_green", "crew_to_zypern"],
    )
    return played(state, "sail 6,2")


def test_ship_against_ship():
    state = duel(s1={"treasures": ["blue"], "cards": ["charon", "midas", "midas"]})
    assert pending(state) == {"kind": "throw", "seat": 0, "fight": "ship", "attacker": 0, "defender": 1}
    state = played(state, "throw 5 3 2")
    assert pending(state) == {**duel()["pending"], "seat": 1, "score": 8}
    assert state["players"][0]["fighters"] == 5
    won = played(state, "throw 5 3 1")  # 4 against 3.5
    assert pending(won) == {"kind": "spoils", "seat": 0, "loser": 1}
    displaced = {"kind": "displace", "seat": 0, "piece": "perseus"}
    assert won["pending"]["then"] == [displaced, {"kind": "refill"}]
    assert won["players"][0]["fulfilled"] == ["red_and_green"]  # D21
    assert set(ref.legal_moves(won)) == {"take blue", "steal", "decline"}
    stolen = played(won, "steal")
    assert ref.outcomes(stolen) == {"steal charon": Fraction(1, 3), "steal midas": Fraction(2, 3)}
    stolen = played(stolen, "steal midas")
    assert stolen["players"][1]["knows"] == [{"seat": 0, "cards": ["midas"]}]
    assert stolen["players"][2]["knows"] == []
    taken = played(won, "take blue")
    assert (taken["players"][0]["treasures"], taken["players"][1]["treasures"]) == (["blue"], [])
    assert pending(taken) == displaced
    after = played(taken, "displace 8,3")
    assert pending(after) == {"kind": "order"}
    after = played(after, "order red_and_blue")
    assert (after["phase"], after["mover"], after["used"]["acted"]) == ("follow", 0, True)


def test_the_defender_wins_a_tie():
    state = played(duel(s1={"order": "yellow_and_blue"}), "throw 5 3 2", "throw 6 4 0")
    # Nothing to take, so the winner displaces at once.
    assert pending(state) == {"kind": "displace", "seat": 1, "piece": "deukalion"}
    assert state["players"][1]["fulfilled"] == ["red_and_green", "yellow_and_blue"]
    assert state["players"][1]["has_order"] is False


def test_a_defender_without_fighters_does_not_throw():
    state = played(duel(s1={"underworld": 10, "permanent": ["golden_fleece"]}), "throw 9 1 0")
    assert pending(state) == {"kind": "displace", "seat": 1, "piece": "deukalion"}
    state = played(duel(s1={"underworld": 10, "permanent": ["golden_fleece"]}), "throw 8 2 0")
    assert pending(state) == {"kind": "displace", "seat": 0, "piece": "perseus"}


def test_displacing_a_ship_goes_exactly_three_squares():
    state = played(duel(), "throw 0 10 0", "throw 10 0 0")
    steps = ref.distances((6, 2), ref.WATER)
    squares = {ref.square_of(text) for text in moves(state, "displace")}
    assert squares == {square for square, steps in steps.items() if steps == 3} - {(4, 1)}
    assert (5, 0) in squares  # an anchor without a ship


def test_displacing_goes_farther_when_nothing_is_free():
    state = table(mover=0, turn=1, hydra=(0, 6), ships={0: (2, 2)})
    state.update(phase="displace", to_act=1, pending={"kind": "displace", "seat": 1, "piece": "hydra"})
    steps = ref.distances((0, 6), ref.HYDRA_WATER)
    at_three = [square for square, distance in steps.items() if distance == 3]
    assert moves(state, "displace") == {ref.text_of(square) for square in at_three}
    # The corner of the Hydra has few ways out: fill all of distance 3 with ships.
    assert len(at_three) <= 2
    for seat, square in enumerate(at_three):
        state["players"][seat]["ship"] = ref.json_of(square)
    expected = {ref.text_of(square) for square, distance in steps.items() if distance == 4}
    assert moves(state, "displace") == expected


def test_two_orders_at_once_leave_two_places():
    state = table(
        mover=0,
        turn=1,
        ships={0: (6, 1), 1: (6, 2)},
        seats={0: {"victory_cards": 1}},
        open_orders=["red_and_green", "green_and_white"],
    )
    state = played(state, "sail 6,2", "throw 0 10 0", "throw 10 0 0")
    assert (state["players"][0]["points"], state["open_orders"]) == (7, [])
    state = played(state, "displace 8,3")
    assert state["pending"] == {"kind": "order", "then": [{"kind": "refill"}]}
    state = played(state, "order yellow_and_blue")  # revealed later, so it does not count (D21)
    assert state["pending"] == {"kind": "order"}
    state = played(state, "order two_red")
    assert (state["phase"], state["open_orders"]) == ("follow", ["yellow_and_blue", "two_red"])


# The Hydra


def test_attacking_the_hydra():
    seats = {0: {"order": "yellow_and_white"}}
    state = table(
        players=3, mover=0, turn=1, ships={0: (5, 5)}, seats=seats, open_orders=["red_and_blue", "two_red"]
    )
    state = played(state, "sail 5,6")
    won = played(state, "throw 5 5 0")
    assert won["players"][0]["fulfilled"] == ["red_and_blue", "yellow_and_white"]
    assert won["players"][0]["victory_cards"] == 0
    assert pending(won) == {"kind": "displace", "seat": 0, "piece": "hydra"}
    assert won["pending"]["then"] == [{"kind": "refill"}]
    assert not {ref.square_of(text) for text in moves(won, "displace")} & set(ref.ANCHORS + ref.STYX)
    lost = played(state, "throw 5 4 1")
    assert lost["pending"] == {"kind": "displace", "seat": 2, "piece": "deukalion"}  # to the right of 0
    lost = played(lost, ref.legal_moves(lost)[0])
    assert (lost["phase"], lost["mover"]) == ("follow", 0)
    assert lost["used"]["acted"] is False


def bitten(**facts):
    state = table(
        mover=0,
        dice="1 2 1 1 3",
        ships={0: (2, 2), 1: (5, 4)},
        seats={1: facts},
        open_orders=["two_red", "two_blue"],
    )
    return played(state, "hydra 5,4")


def test_the_hydra_attacks_a_ship():
    state = bitten()
    assert pending(state) == {"kind": "throw", "seat": 1, "fight": "bite", "attacker": 0, "defender": 1}
    won = played(state, "throw 0 0 10")
    assert won["players"][1]["victory_cards"] == 1
    assert won["pending"] == {"kind": "displace", "seat": 1, "piece": "hydra"}
    won = played(bitten(order="red_and_blue"), "throw 0 0 10")
    assert (won["players"][1]["victory_cards"], won["players"][1]["fulfilled"]) == (0, ["red_and_blue"])
    lost = played(state, "throw 1 0 9")
    assert lost["pending"] == {"kind": "displace", "seat": 0, "piece": "perseus"}
    lost = bitten(underworld=10)
    assert lost["pending"] == {"kind": "displace", "seat": 0, "piece": "perseus"}


def test_the_way_of_the_hydra():
    state = table(players=3, mover=0, dice="1 2 1 1 3", ships={0: (5, 5), 1: (7, 6), 2: (3, 6)})
    assert moves(state, "hydra") == set()  # between land and the mover's own ship
    state = table(players=3, mover=0, dice="1 2 1 1 3", ships={0: (6, 5), 1: (5, 4), 2: (4, 5)})
    assert moves(state, "hydra") == {"5,5", "5,4", "4,5"}  # ships end the way, one's own is closed
    state = table(mover=0, dice="1 2 1 1 3", hydra=(6, 1), ships={0: (8, 6 - 1), 1: (5, 1)})
    targets = {ref.square_of(text) for text in moves(state, "hydra")}
    assert not targets & set(ref.ANCHORS)
    assert (6, 1) not in targets


# Orders


def test_midas_for_wrong_colors():
    seats = {0: {"treasures": ["red", "blue", "white"], "cards": ["midas"], "order": "two_red"}}
    state = table(mover=0, turn=1, seats=seats, open_orders=["green_or_blue", "green_and_white"])
    assert moves(state, "claim") == {
        "two_red red blue",
        "two_red red white",
        "two_red red blue white",  # any three
        "green_or_blue blue",
        "green_or_blue red",
        "green_or_blue white",
        "green_and_white red white",
        "green_and_white blue white",
    }
    state = played(state, "claim two_red red blue")
    assert state["under"] == ["midas"]
    assert pending(state) == {"kind": "place", "seat": 0, "color": "red"}
    assert state["pending"]["then"] == [
        {"kind": "place", "seat": 0, "color": "blue"}
    ]  # from the hand: no refill
    assert (state["players"][0]["has_order"], state["players"][0]["treasures"]) == (False, ["white"])
    state = table(
        mover=0, turn=1, seats=seats, open_orders=["green_or_blue", "green_and_white"], ships={0: (2, 1)}
    )
    assert moves(state, "claim") == moves(state, "deliver") == set()  # not on an anchor


def test_fighters_and_cards_for_an_order():
    hand = ["pegasus", "fair_wind", "fair_wind", "charon", "midas"]
    seats = {0: {"cards": hand, "underworld": 1}}
    state = table(mover=0, turn=1, ships={0: (5, 6)}, hydra=(2, 2), seats=seats)
    assert moves(state, "claim") == {
        "crew_to_zypern cards pegasus fair_wind fair_wind charon",
        "crew_to_zypern cards pegasus fair_wind fair_wind midas",
        "crew_to_zypern cards pegasus fair_wind charon midas",
        "crew_to_zypern cards fair_wind fair_wind charon midas",
    }
    paid = played(state, "claim crew_to_zypern cards pegasus fair_wind charon midas")
    assert paid["under"] == ["pegasus", "fair_wind", "charon", "midas"]
    assert paid["players"][0]["cards"] == ["fair_wind"]
    assert paid["used"]["sailed"] is True
    state = table(mover=0, turn=1, ships={0: (7, 6)}, seats=seats)
    assert moves(state, "claim") == {"crew_to_zypern fighters"}
    state = table(mover=0, turn=1, ships={0: (7, 6)}, seats={0: {"underworld": 2}})
    assert moves(state, "claim") == set()


def revealed(seats, players=3):
    """Seat 1 claims `two_blue`; then `red_or_yellow` is revealed with all ships on anchors."""
    facts = {1: {"treasures": ["blue", "blue"]}}
    for seat, treasures in seats.items():
        facts[seat] = {
            "treasures": sorted(treasures + facts.get(seat, {}).get("treasures", []), key=ref.COLORS.index)
        }
    state = table(players, mover=1, turn=0, seats=facts, open_orders=["two_blue", "crew_to_zypern"])
    state = played(state, "claim two_blue blue blue")
    while state["phase"] == "place":
        state = played(state, sorted(ref.legal_moves(state))[0])
    return played(state, "order red_or_yellow")


def test_players_are_asked_from_the_mover_clockwise():
    state = revealed({0: ["red"], 1: ["yellow"], 2: ["white", "red", "yellow"]})
    assert pending(state) == {
        "kind": "claim",
        "seat": 1,
        "order": "red_or_yellow",
        "ask": [2, 0],
        "claims": [],
    }
    assert "red_or_yellow" in state["open_orders"]
    state = played(state, "decline")
    assert moves(state, "claim") == {"red_or_yellow red", "red_or_yellow yellow"}
    state = played(state, "claim red_or_yellow yellow")
    assert pending(state) == {
        "kind": "claim",
        "seat": 0,
        "order": "red_or_yellow",
        "ask": [],
        "claims": [{"seat": 2, "move": "claim red_or_yellow yellow"}],
    }
    alone = played(state, "decline")
    assert alone["players"][2]["fulfilled"] == ["red_or_yellow"]
    assert pending(alone) == {"kind": "place", "seat": 2, "color": "yellow"}
    both = played(state, "claim red_or_yellow red")
    assert both["removed_orders"] == ["red_or_yellow"]
    assert [player["victory_cards"] for player in both["players"]] == [1, 0, 1]
    assert pending(both) == {"kind": "place", "seat": 2, "color": "yellow"}
    assert both["pending"]["then"] == [{"kind": "place", "seat": 0, "color": "red"}, {"kind": "refill"}]


def test_an_order_nobody_wants_stays_open():
    state = played(revealed({0: ["red"], 2: ["red"]}), "decline", "decline")
    assert (state["phase"], state["open_orders"]) == ("follow", ["red_or_yellow", "crew_to_zypern"])


def test_two_takers_share_the_win():
    state = revealed({0: ["red"], 2: ["red"]})
    for seat, orders in [
        (0, ["two_green", "green_or_blue", "blue_or_white", "white_or_red"]),
        (2, ["two_red"]),
    ]:
        state["players"][seat]["fulfilled"] = sorted(orders, key=list(ref.ORDERS).index)
        for order in orders:
            state["order_pile"].remove(order)
    state["players"][0]["victory_cards"] = 3
    state["players"][2]["victory_cards"] = 9
    state["victory_cards_left"] = 2
    state["agenda"] = [state.pop("pending")]
    ref.fold(state)
    ref.check(state)
    over = played(state, "claim red_or_yellow red", "claim red_or_yellow red")
    assert over["pending"] == {"kind": "over", "result": "points", "winners": [0, 2]}
    assert ref.returns(over) == [Fraction(1, 2), 0, Fraction(1, 2)]
    assert ref.ranks(over) == [1, 3, 1]
    assert over["players"][0]["treasures"] == ["red"]  # no payment (D33)


def test_no_order_is_revealed_when_none_is_left():
    gone = [order for order in ref.ORDERS if order not in ("yellow_or_green", "crew_to_zypern")]
    state = table(
        mover=0,
        turn=1,
        seats={0: {"treasures": ["green"]}},
        open_orders=["yellow_or_green", "crew_to_zypern"],
        removed_orders=gone,
    )
    state = played(state, "claim yellow_or_green green")
    assert "then" not in state["pending"]
    state = played(state, sorted(ref.legal_moves(state))[0])
    assert (state["phase"], state["open_orders"]) == ("follow", ["crew_to_zypern"])


def test_reaching_the_target_ends_the_game_at_once():
    seats = {0: {"treasures": ["red"], "victory_cards": 9, "fulfilled": ["red_or_yellow", "two_red"]}}
    state = played(table(mover=0, turn=1, seats=seats), "deliver red")
    assert state["pending"] == {"kind": "over", "result": "points", "winners": [0]}
    assert (state["to_act"], ref.legal_moves(state)) == (ref.OVER, [])
    assert state["players"][0]["treasures"] == ["red"]
    assert ref.returns(state) == [1, 0]


def test_victory_cards_run_out():
    seats = {0: {"treasures": ["red"], "victory_cards": 4}, 1: {"victory_cards": 10}}
    state = played(table(mover=0, turn=1, seats=seats), "deliver red")
    assert (state["phase"], state["players"][0]["victory_cards"]) == ("place", 4)


# Cards and what is known


def test_cards_under_the_pile_are_drawn_in_order_and_known():
    state = table(players=3, mover=0, dice="1 1 1 1 1", under=["midas", "charon"], empty_pile=True)
    state = played(state, "card")
    assert ref.outcomes(state) == {"draw midas": 1}
    state = played(state, "draw midas", "draw charon")
    assert [player["knows"] for player in state["players"]] == [
        [{"seat": 1, "cards": ["midas"]}, {"seat": 2, "cards": ["charon"]}],
        [{"seat": 2, "cards": ["charon"]}],
        [{"seat": 1, "cards": ["midas"]}],
    ]


def test_a_played_card_is_no_longer_known():
    seats = {
        0: {"cards": ["fair_wind", "fair_wind"]},
        1: {"knows": [{"seat": 0, "cards": ["fair_wind", "fair_wind"]}]},
        2: {"knows": [{"seat": 0, "cards": ["fair_wind"]}]},
    }
    state = played(table(players=3, mover=0, turn=1, seats=seats), "play fair_wind")
    assert [player["knows"] for player in state["players"]] == [[], [{"seat": 0, "cards": ["fair_wind"]}], []]


def test_a_theft_strikes_what_others_know():
    knows = [{"seat": 1, "cards": ["charon", "midas", "midas"]}]
    state = duel(s0={"knows": knows}, s1={"cards": ["charon", "midas", "midas"]}, s2={"knows": knows})
    state = played(state, "throw 0 10 0", "throw 10 0 0", "steal", "steal midas")
    assert [player["knows"] for player in state["players"]] == [
        [{"seat": 1, "cards": ["charon", "midas"]}],
        [{"seat": 0, "cards": ["midas"]}],
        [{"seat": 1, "cards": ["midas"]}],  # one of each kind: it did not see which
    ]


def test_observations_hide_hands_and_piles():
    state = json.loads(FORMAT_EXAMPLE)
    seen = ref.observation(state, 0)
    assert seen["observer"] == 0
    assert not {"pile", "order_pile"} & set(seen)
    assert (seen["pile_count"], seen["order_pile_count"], seen["under"]) == (18, 9, ["charon"] * 3)
    assert seen["players"][0] == state["players"][0]
    other = seen["players"][1]
    assert not {"cards", "order"} & set(other)
    assert (other["card_count"], other["has_order"]) == (2, True)
    assert other["knows"] == [{"seat": 0, "cards": ["charon"]}]
    watched = ref.observation(state, -1)
    assert all(not {"cards", "order"} & set(player) for player in watched["players"])
    assert all(player["knows"] == [] for player in watched["players"])


# Any game


def without_defaults(value):
    """Objects stay, also empty ones: a ship on 0,0 is `{}` and not absent."""
    if isinstance(value, dict):
        lean = {key: without_defaults(item) for key, item in value.items()}
        return {key: item for key, item in lean.items() if item not in (0, "", [])}
    return [without_defaults(item) for item in value] if isinstance(value, list) else value


def without_derived(state):
    derived = ["to_act", "pile", "pile_count", "order_pile", "order_pile_count"]
    of_players = ["hero", "points", "card_count", "has_order"]
    lean = {name: value for name, value in state.items() if name not in derived}
    lean["players"] = [
        {name: value for name, value in player.items() if name not in of_players}
        for player in state["players"]
    ]
    return lean


def lively(state, legal, rng):
    """Prefers what brings games to their end."""
    words = ("claim", "deliver", "fetch", "found", "attack", "take", "steal", "hydra", "card", "fighters")
    good = [move for move in legal if move.split()[0] in words]
    return rng.choice(good if good and rng.random() < 0.6 else legal)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games(players):
    """`check` holds the conservation of all pieces; here the rest that no position shows."""
    for seed in range(2):
        rng = random.Random(100 * players + seed)
        state = ref.new_state({"players": players}, rng)
        clock = (1, 0)
        while state["phase"] != "over":
            before = json.dumps(state)
            legal = ref.legal_moves(state)
            assert 0 < len(set(legal)) == len(legal) < 512
            if state["to_act"] == ref.CHANCE:
                chances = ref.outcomes(state)
                assert sum(chances.values()) == 1
                text = rng.choices(list(chances), [float(chance) for chance in chances.values()])[0]
            else:
                assert ref.outcomes(state) == {}
                text = lively(state, legal, rng)
            after = ref.apply(state, text)
            assert json.dumps(state) == before
            assert json.loads(json.dumps(after)) == after
            ref.check(after)
            if rng.random() < 0.1:
                assert ref.complete(without_derived(after)) == after
                assert ref.complete(without_defaults(without_derived(after))) == after
            assert ref.comparable(after).get("pending", {}).get("then") != []
            assert (after["round"], after["turn"]) >= clock
            state, clock = after, (after["round"], after["turn"])
        assert sum(ref.returns(state)) == 1
        assert state["pending"]["result"] == "points"


def test_a_move_that_is_not_legal_is_refused():
    state = table(mover=0, turn=1)
    for text in ["sail 4,0", "sail 9,9", "claim two_red", "play midas", "card", "", "end "]:
        with pytest.raises(ValueError, match="not legal"):
            ref.apply(state, text)


def set_at(state, path, value):
    *parents, last = path
    for part in parents:
        state = state[part]
    state[last] = value


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (["round"], 101, "round"),
        (["secret"], 1, "secret"),
        (["options", "throw"], [50, 50, 1], "options.throw"),
        (["players", 0, "fighters"], 7, "players[0].fighters"),
        (["players", 0, "ship"], {"x": 4, "y": 0}, "players[0].ship"),
        (["players", 1, "ship"], {"x": 5, "y": 6}, "players[1].ship"),
        (["players", 1, "hero"], "achilles", "players[1].hero"),
        (["players", 0, "points"], 8, "players[0].points"),
        (["players", 0, "victory_cards"], 1, "victory_cards_left"),
        (["players", 0, "order"], "two_red", "order_pile"),
        (["players", 0, "cards"], ["charon", "fair_wind"], "players[0].cards"),
        (["players", 1, "knows", 0, "cards"], ["midas"], "players[1].knows[0].cards"),
        (["hydra"], {"x": 3, "y": 0}, "hydra"),
        (["cities", 0, "treasures"], [], "cities"),
        (["cities", 0, "treasures"], ["red", "red"], "cities[0].treasures"),
        (["settlements", 1, "fighters"], 1, "settlements[1].fighters"),
        (["settlements", 0, "seat"], 1, "settlements[0].seat"),
        (["pile_count"], 3, "pile_count"),
        (["under"], ["charon", "charon"], "pile"),
        (["under", 0], "pegasus", "pile"),
        (["kylix", "ring"], [3, 2, 2, 2], "kylix.ring"),
        (["kylix", "card"], 2, "kylix.card"),
        (["used", "hydra"], True, "used.hydra"),
        (["phase"], "follow", "pending"),
        (["to_act"], 1, "to_act"),
        (["pending", "color"], "red", "cities"),
        (["pending", "then"], [{"kind": "over"}], "pending.then[0].kind"),
    ],
)
def test_impossible_positions_are_refused_with_their_path(path, value, where):
    state = json.loads(FORMAT_EXAMPLE)
    set_at(state, path, value)
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        ref.check(state)
    assert str(refused.value).startswith(where + ":")
