"""Every ruling of docs/deukalion.md, D1 to D35, as a scenario at the table."""

import pytest

from pythia.core_cy import CHANCE, NOBODY, IllegalMove, load_game, state_from_json
from tests.deukalion.tables import COLORS, FACTS, Table, legal, play, seat_of, ship


def probabilities(state):
    return {str(move): probability for move, probability in state.chance_outcomes()}


def pending(state):
    return state.to_json()["pending"]


# -- board, pieces, points


def test_d1_seats_play_the_heroes_and_go_clockwise():
    state = load_game("deukalion", players=4, seed=1).new_state()
    assert [player["hero"] for player in state.to_json()["players"]] == list(FACTS.heroes)
    play(state, "anchor 3,0", "anchor 5,0", "anchor 3,1", "anchor 4,1")
    assert state.to_json()["turn"] == 0
    play(state, "roll 1 1 1 1 1")
    movers = []
    while state.to_json()["phase"] == "follow":
        movers.append(state.to_act)
        state.apply("end")
    assert movers == [1, 2, 3]
    assert state.to_act == 0


def test_d2_the_seed_deals_and_seats_choose_anchors():
    start = load_game("deukalion", players=3, seed=5).new_state()
    obj = start.to_json()
    assert [len(city["treasures"]) for city in obj["cities"]] == [city.slots for city in FACTS.cities]
    assert sorted(color for city in obj["cities"] for color in city["treasures"]) == sorted(COLORS * 3)
    assert obj["hydra"] == {"x": 5, "y": 6}
    for player in obj["players"]:
        assert (player["card_count"], player["has_order"], player["fighters"]) == (3, True, 10)
        assert "ship" not in player
    assert (len(obj["open_orders"]), obj["order_pile_count"], obj["pile_count"]) == (2, 11, 21)
    assert legal(start) == {"anchor 3,0", "anchor 5,0", "anchor 3,1", "anchor 4,1", "anchor 5,1"}
    play(start, "anchor 4,1")
    assert (start.to_act, start.to_json()["mover"]) == (1, 1)
    assert "anchor 4,1" not in legal(start)
    play(start, "anchor 3,0", "anchor 3,1")
    assert start.to_json()["phase"] == "roll"


def test_d3_near_is_by_an_edge():
    table = Table().seat(1, ship="2,2")  # above Argos
    assert "found argos" in legal(table.state())
    assert "found argos" not in legal(Table().seat(1, ship="1,2").state())  # a corner


def test_d3_the_rulebook_example_squares_around_rhodos():
    """The four squares that touch Rhodos by an edge, less Lindos, which is land; diagonal ones do not count."""
    near = []
    for x in range(9):
        for y in range(7):
            if FACTS.letters[y * 9 + x] in ".a":
                table = Table(hydra="0,5").seat(0, ship="0,0").seat(1, ship=f"{x},{y}")
                if (x, y) != (0, 5) and "attack rhodos" in legal(table.state()):
                    near.append(f"{x},{y}")
    assert near == ["5,4", "6,3", "6,5"]


def test_d3_distances_count_squares_for_the_hydra_without_anchors_and_styx():
    state = Table(
        hydra="2,0", phase="displace", mover=1, pending={"kind": "displace", "seat": 1, "piece": "hydra"}
    )
    state = state.seat(1, ship="2,0").state()
    # (4,2) is three steps away for a ship over the anchor (3,1), five for the Hydra.
    assert "displace 4,2" not in legal(state)
    assert "displace 2,3" not in legal(state)  # land
    assert {"displace 0,1", "displace 3,2", "displace 1,2"} <= legal(state)


def test_d4_fighters_and_treasures_share_ten_places():
    state = Table().seat(1, fighters=7, treasures=["red", "blue"]).state()
    state.apply("rest")  # up to two, but only one fits
    assert seat_of(state, 1)["fighters"] == 8
    assert seat_of(state, 1)["underworld"] == 2


def test_d5_points_and_victory_cards_that_run_out():
    table = Table(players=3).seat(1, treasures=["red"], victory_cards=3, fulfilled=["two_red"])
    table.settle(argos=1, lindos=0).seat(0, victory_cards=6).seat(2, victory_cards=5)
    state = table.state()
    assert [seat_of(state, seat)["points"] for seat in range(3)] == [8, 8, 5]
    assert state.to_json()["victory_cards_left"] == 0
    play(state, "deliver red")
    assert seat_of(state, 1)["points"] == 8
    assert pending(state) == {"kind": "place", "seat": 1, "color": "red"}


# -- turns


def test_d6_roll_follow_turn_the_cup_act():
    state = load_game("deukalion", players=2, seed=3).new_state()
    play(state, "anchor 3,0", "anchor 5,0")
    odds = probabilities(state)
    assert len(odds) == 72
    assert odds["roll 2 1 1 1 1"] == pytest.approx(1 / 243)
    assert odds["roll 1 1 2 1 2"] == pytest.approx(2 / 243)
    assert odds["roll 3 1 1 2 3"] == pytest.approx(4 / 243)
    play(state, "roll 3 1 1 2 3")
    assert (state.to_act, state.to_json()["phase"]) == (1, "follow")
    play(state, "end")
    assert legal(state) == {"kylix 1 1 2 3", "kylix 1 2 3 1", "kylix 2 3 1 1", "kylix 3 1 1 2"}
    play(state, "kylix 2 3 1 1")
    kylix = state.to_json()["kylix"]
    assert (kylix["card"], kylix["fighters"], kylix["sail"], kylix["hydra"]) == (2, 3, 1, 1)
    play(state, "end")
    assert (state.to_json()["phase"], state.to_json()["turn"]) == ("roll", 1)


def test_d6_equal_turnings_are_one_move():
    table = Table(phase="kylix", mover=0).rolled(1, 1, 2, 1, 2)
    assert legal(table.state()) == {"kylix 1 2 1 2", "kylix 2 1 2 1"}
    assert legal(Table(phase="kylix", mover=0).rolled(1, 3, 3, 3, 3).state()) == {"kylix 3 3 3 3"}


def test_d7_one_deed_in_a_turn():
    table = Table().seat(1, ship="8,1").city(halikarnassos=["red", "blue", "white"])
    state = table.state()
    assert {"found ephesus", "attack halikarnassos"} <= legal(state)
    play(state, "found ephesus")
    assert not legal(state, "attack") | legal(state, "found") | legal(state, "sail")
    assert legal(state) == {"end"}


def test_d8_rest_instead_of_all_else():
    table = Table().seat(1, fighters=5, cards=["charon", "pegasus"], treasures=["red"])
    assert "rest" in legal(table.state())
    rested = play(table.state(), "rest")
    assert seat_of(rested, 1)["fighters"] == 7
    assert rested.to_json()["phase"] == "kylix"
    assert "rest" in legal(play(table.state(), "play charon"))
    assert "rest" not in legal(play(table.state(), "sail 5,1"))
    assert "rest" not in legal(play(table.state(), "deliver red", "place korinth"))
    founded = play(Table().seat(1, ship="8,1", fighters=5).state(), "found ephesus")
    assert "rest" not in legal(founded)
    fulfilled = Table().seat(1, fighters=9, order="crew_to_zypern", ship="8,5").state()
    assert "rest" in legal(fulfilled)
    assert "rest" not in legal(play(fulfilled, "claim crew_to_zypern fighters"))
    assert "rest" not in legal(Table().seat(1, fighters=10).state())
    assert "rest" not in legal(Table().act(2, 1, 1, 1).seat(0, fighters=3).state())


def test_d9_the_dice_of_the_active_player():
    table = Table().act(1, 2, 1, 1).seat(0, fighters=5)
    state = table.state()
    assert "end" not in legal(state)
    play(state, "fighters")
    assert seat_of(state, 0)["fighters"] == 7
    assert "fighters" not in legal(state)
    play(state, "hydra 5,5")
    assert not legal(state, "hydra")
    play(state, "card")
    assert pending(state) == {"kind": "draw", "seat": 1}
    state.apply(state.sample_chance(1))
    assert "card" not in legal(state)
    assert "end" in legal(state)


def test_d9_who_draws():
    one = Table(players=4).act(1, 1, 1, 1).state()
    play(one, "card")
    assert pending(one) == {
        "kind": "draw",
        "seat": 1,
        "then": [{"kind": "draw", "seat": 2}, {"kind": "draw", "seat": 3}],
    }
    two = Table(players=4).act(2, 1, 1, 1).state()
    assert "card" not in legal(two)
    assert "end" in legal(two)
    three = play(Table(players=4).act(3, 1, 1, 1).state(), "card")
    assert pending(three) == {"kind": "draw", "seat": 0}


# -- sailing


def test_d10_range_by_the_middle_die_the_sail_die_and_cards():
    passive = Table().seat(1, ship="0,6").rolled(1, 1, 1, 2, 3).state()
    assert legal(passive, "sail") == {"sail 0,5"}
    active = (
        Table(hydra="7,6")
        .act(1, 1, 2, 1)
        .seat(0, ship="0,6", permanent=["pegasus"], cards=["fair_wind"])
        .state()
    )
    # Two and one for Pegasus.
    assert legal(active, "sail") == {"sail 0,5", "sail 0,4", "sail 1,5", "sail 2,5", "sail 0,3"}
    play(active, "play fair_wind")
    assert {"sail 0,1", "sail 1,2", "sail 2,4", "sail 3,4", "sail 3,6"} - legal(active) == {"sail 0,1"}
    play(active, "sail 0,5")
    assert not legal(active, "sail")


def test_d10_anchors_hold_and_let_pass_any_number():
    state = Table().seat(0, ship="3,1").seat(1, ship="4,1").rolled(2, 1, 1, 1, 1).state()
    assert {"sail 3,1", "sail 2,1", "sail 3,0"} <= legal(state)
    play(state, "sail 3,1")
    assert state.to_json()["phase"] == "follow"


def test_d11_the_styx_and_ships_end_the_way():
    state = Table().seat(1, ship="2,0").rolled(2, 1, 1, 1, 1).state()
    assert "sail 1,0" in legal(state)
    assert "sail 0,0" not in legal(state)
    blocked = Table(hydra="7,6").seat(0, ship="0,5").seat(1, ship="0,6").rolled(3, 1, 1, 1, 1).state()
    assert legal(blocked, "sail") == {"sail 0,5"}
    nobody = Table(hydra="7,6").seat(0, ship="0,5").seat(1, ship="0,6", fighters=0).state()
    assert not legal(nobody, "sail")
    play(blocked, "sail 0,5")
    assert pending(blocked) == {"kind": "throw", "seat": 1, "fight": "ship", "attacker": 1, "defender": 0}
    assert blocked.to_json()["used"]["acted"]


def test_d12_the_hydra_only_with_an_order_that_asks_for_it():
    def sailing(**seat):
        return Table(hydra="0,5").seat(1, ship="0,6", **seat)

    assert not legal(sailing().state(), "sail")
    assert legal(sailing(order="red_and_blue").state(), "sail") == {"sail 0,5"}
    assert not legal(sailing().seat(0, order="red_and_blue").state(), "sail")
    open_order = sailing().orders("yellow_and_white", "two_red")
    assert legal(open_order.state(), "sail") == {"sail 0,5"}
    assert not legal(open_order.seat(1, fighters=0).state(), "sail")
    state = play(open_order.seat(1, fighters=10).state(), "sail 0,5")
    assert pending(state) == {"kind": "throw", "seat": 1, "fight": "hydra", "attacker": 1}
    assert not state.to_json()["used"]["acted"]  # D7: not a deed


def test_d13_no_sailing_after_a_deed_or_an_order_but_after_delivering():
    table = (
        Table()
        .seat(1, ship="3,1", treasures=["red", "blue"], order="white_or_red")
        .orders("two_green", "two_blue")
    )
    delivered = play(table.state(), "deliver blue", "place korinth")
    assert legal(delivered, "sail")
    claimed = play(table.state(), "claim white_or_red red", "place korinth")
    assert not legal(claimed, "sail")
    assert claimed.to_json()["used"] == {
        "sailed": True,
        "acted": False,
        "delivered": False,
        "card": False,
        "fighters": False,
        "hydra": False,
        "wind": 0,
        "cry": 0,
    }


def revealed_to_the_mover():
    """The mover sends the Hydra, the attacked player beats it, and the order revealed then fits the mover."""
    table = Table(players=3, hydra="0,5").act(2, 1, 3, 1).seat(0, ship="3,1", treasures=["red"])
    table.seat(1, ship="0,4").seat(2, ship="5,0", treasures=["yellow"]).orders(
        "yellow_and_white", "two_green"
    )
    state = play(table.state(), "hydra 0,4", "throw 0 10 0")
    return play(state, sorted(legal(state))[0], "order red_or_yellow")


def test_d13_an_order_taken_when_it_was_revealed_counts_as_well():
    state = revealed_to_the_mover()
    assert pending(state)["ask"] == [2]
    declined = play(state.clone(), "decline", "decline")
    assert legal(declined, "sail")
    other = play(state.clone(), "decline", "claim red_or_yellow yellow", "place korinth")
    other.apply(other.sample_chance(1))
    assert not other.to_json()["used"]["sailed"]  # fulfilled by another player
    taken = play(state.clone(), "claim red_or_yellow red", "decline")
    assert taken.to_json()["used"]["sailed"]
    shared = play(state, "claim red_or_yellow red", "claim red_or_yellow yellow")
    assert shared.to_json()["used"]["sailed"]


def test_d14_anchors_and_styx_are_safe():
    styx = Table().seat(0, ship="1,0").seat(1, ship="2,0", fighters=8).state()
    play(styx, "sail 1,0")
    assert pending(styx) == {"kind": "styx", "seat": 1}
    near = Table(hydra="2,0").act(2, 1, 1, 3).seat(1, ship="3,0").state()
    assert "hydra 3,0" not in legal(near)
    assert "hydra 1,0" not in legal(near)


def test_d15_the_styx_brings_all_back_and_rewards_the_most():
    table = Table(players=3).seat(1, ship="2,0", fighters=4).seat(0, fighters=5)
    state = play(table.state(), "sail 1,0")
    assert legal(state) == {"fetch", "decline"}
    play(state, "fetch")
    assert (seat_of(state, 1)["fighters"], seat_of(state, 1)["victory_cards"]) == (10, 2)
    two = play(Table().seat(1, ship="2,0", fighters=4).state(), "sail 1,0", "fetch")
    assert seat_of(two, 1)["victory_cards"] == 1
    tie = play(table.seat(0, fighters=4).state(), "sail 1,0", "fetch")
    assert (seat_of(tie, 1)["fighters"], seat_of(tie, 1)["victory_cards"]) == (10, 0)
    declined = play(table.state(), "sail 1,0", "decline")
    assert seat_of(declined, 1)["fighters"] == 4
    skipped = play(Table().seat(1, ship="2,0").state(), "sail 1,0")
    assert skipped.to_json()["phase"] == "follow"


def test_d15_treasures_can_make_room():
    table = Table().seat(1, ship="2,0", fighters=7, treasures=["red", "blue"])
    state = play(table.state(), "sail 1,0")
    assert legal(state) == {"fetch", "drop red", "drop blue", "decline"}
    play(state, "drop blue")
    assert pending(state) == {
        "kind": "place",
        "seat": 1,
        "color": "blue",
        "then": [{"kind": "styx", "seat": 1}],
    }
    play(state, "place korinth")
    assert legal(state) == {"fetch", "drop red", "decline"}
    play(state, "drop red", "place mykene")
    assert legal(state) == {"fetch", "decline"}
    play(state, "fetch")
    assert seat_of(state, 1)["fighters"] == 10


def test_d15_from_one_styx_square_to_the_other():
    state = Table().seat(1, ship="0,0", fighters=6).state()
    play(state, "sail 1,0", "fetch")
    assert seat_of(state, 1)["victory_cards"] == 1


def test_d15_being_displaced_onto_the_styx_brings_nothing():
    table = Table(phase="displace", pending={"kind": "displace", "seat": 1, "piece": "deukalion"})
    state = table.seat(0, ship="1,2", fighters=2).seat(1, ship="1,2").state()
    play(state, "displace 0,0")
    assert state.to_json()["phase"] == "follow"
    assert seat_of(state, 0)["fighters"] == 2


# -- deeds, treasures, orders


def test_d16_founding_takes_exactly_the_fighters():
    state = Table(hydra="7,6").seat(1, ship="5,6", fighters=6).state()
    play(state, "found salamis")
    player = seat_of(state, 1)
    assert (player["fighters"], player["underworld"], player["points"]) == (4, 4, 2)
    assert "found salamis" not in legal(Table(hydra="7,6").seat(1, ship="5,6", fighters=1).state())
    assert "found salamis" not in legal(Table(hydra="7,6").seat(1, ship="5,6").settle(salamis=0).state())


def test_d17_attacking_a_city():
    table = Table().seat(1, ship="2,5").city(thera=["red"])
    state = play(table.state(), "attack thera")
    assert pending(state) == {"kind": "throw", "seat": 1, "fight": "city", "attacker": 1, "place": "thera"}
    won = play(state.clone(), "throw 8 2 0")
    assert pending(won) == {"kind": "loot", "seat": 1, "place": "thera"}
    assert legal(won) == {"take red", "decline"}
    play(won, "take red")
    player = seat_of(won, 1)
    assert (player["fighters"], player["underworld"], player["treasures"]) == (2, 8, ["red"])
    lost = play(state, "throw 9 1 0")
    assert lost.to_json()["phase"] == "follow"
    empty = Table().seat(1, ship="2,5").city(thera=[]).seat(0, treasures=["red"])
    assert "attack thera" not in legal(empty.state())
    assert "attack thera" not in legal(table.seat(1, fighters=0).state())


def test_d17_attacking_a_settlement():
    table = Table(hydra="7,6").seat(1, ship="5,6", fighters=4).settle(salamis=0)
    state = play(table.state(), "attack salamis")
    assert pending(state)["place"] == "salamis"
    won = play(state.clone(), "throw 2 2 0")
    assert won.to_json()["settlements"][1] == {"name": "salamis", "seat": 1, "fighters": 2}
    assert (seat_of(won, 0)["underworld"], seat_of(won, 0)["points"]) == (2, 0)
    assert (seat_of(won, 1)["fighters"], seat_of(won, 1)["points"]) == (0, 2)
    lost = play(state, "throw 3 1 0")
    assert lost.to_json()["settlements"][1]["seat"] == 0
    own = Table(hydra="7,6").seat(1, ship="5,6").settle(salamis=1)
    assert "attack salamis" not in legal(own.state())


def test_d17_with_too_few_left_the_settlement_is_empty():
    table = Table(hydra="7,6").seat(1, ship="5,6", fighters=2, permanent=["golden_fleece"]).settle(salamis=0)
    state = play(table.state(), "attack salamis", "throw 1 1 0")
    assert state.to_json()["settlements"][1] == {"name": "salamis", "seat": 0, "fighters": 0}
    assert (seat_of(state, 1)["fighters"], seat_of(state, 0)["underworld"]) == (1, 2)


def test_d18_a_treasure_takes_the_place_of_a_fighter():
    table = Table().seat(1, ship="2,5", fighters=8, treasures=["blue", "blue"], permanent=["favor_of_hades"])
    state = play(table.city(thera=["red"]).state(), "attack thera", "throw 1 7 0", "take red")
    player = seat_of(state, 1)
    assert (player["fighters"], player["underworld"]) == (7, 3)
    assert player["treasures"] == ["red", "blue", "blue"]
    declined = play(table.state(), "attack thera", "throw 1 7 0", "decline")
    assert seat_of(declined, 1)["fighters"] == 8


def test_d18_with_neither_a_place_nor_a_fighter_nothing_can_be_taken():
    full = ["red"] * 3 + ["yellow"] * 3 + ["green"] * 3 + ["blue"]
    loser = {"fighters": 1, "treasures": ["white"], "cards": ["charon"]}
    table = fight(attacker=loser, defender={"fighters": 0, "treasures": full, "permanent": ["golden_fleece"]})
    state = play(table.state(), "sail 0,5", "throw 0 1 0")  # a tie, by the card
    assert (pending(state)["seat"], legal(state)) == (0, {"steal", "decline"})
    table.seat(1, cards=[])
    assert pending(play(table.state(), "sail 0,5", "throw 0 1 0"))["kind"] == "displace"


def test_d19_delivering_brings_a_victory_card_whatever_is_open():
    table = (
        Table()
        .seat(1, ship="4,1", treasures=["red", "red"], order="white_or_red")
        .orders("red_or_yellow", "two_red")
    )
    state = play(table.state(), "deliver red")
    assert seat_of(state, 1)["points"] == 1
    assert pending(state) == {"kind": "place", "seat": 1, "color": "red"}
    assert all(text.startswith("place ") for text in legal(state))
    full = {city["name"] for city in state.to_json()["cities"] if len(city["treasures"]) == 0}
    assert full <= {text.split()[1] for text in legal(state)}
    assert not legal(Table().seat(1, ship="2,1", treasures=["red"]).state(), "deliver")


def test_d20_treasures():
    table = Table().seat(1, ship="5,0", treasures=["red", "green", "blue"], order=("two_blue"))
    table = table.orders("red_and_green", "green_or_blue")
    state = table.state()
    assert legal(state, "claim") == {
        "claim red_and_green red green",
        "claim green_or_blue green",
        "claim green_or_blue blue",
        "claim two_blue red green blue",  # any three
    }
    play(state, "claim red_and_green red green")
    assert seat_of(state, 1)["points"] == 3
    assert pending(state) == {
        "kind": "place",
        "seat": 1,
        "color": "red",
        "then": [{"kind": "place", "seat": 1, "color": "green"}, {"kind": "refill"}],
    }
    play(state, "place korinth", "place mykene")
    assert state.to_act == CHANCE


def test_d20_fighters_and_cards():
    fighters = Table().seat(1, ship="8,5", fighters=9, order="crew_to_zypern").state()
    play(fighters, "claim crew_to_zypern fighters")
    assert (seat_of(fighters, 1)["points"], seat_of(fighters, 1)["fighters"]) == (2, 9)
    few = Table().seat(1, ship="8,5", fighters=8, order="crew_to_zypern").state()
    assert not legal(few, "claim")
    hand = ["fair_wind", "charon", "charon", "midas", "pegasus"]
    cards = Table().seat(1, ship="3,6", cards=hand, order="crew_to_zypern").state()
    assert legal(cards, "claim") == {
        "claim crew_to_zypern cards pegasus fair_wind charon charon",
        "claim crew_to_zypern cards pegasus fair_wind charon midas",
        "claim crew_to_zypern cards pegasus charon charon midas",
        "claim crew_to_zypern cards fair_wind charon charon midas",
    }
    play(cards, "claim crew_to_zypern cards pegasus charon charon midas")
    assert cards.to_json()["under"] == ["pegasus", "charon", "charon", "midas"]
    assert seat_of(cards, 1)["cards"] == ["fair_wind"]
    assert seat_of(cards, 1)["permanent"] == []


def revealing(**seats):
    """Seat 1 fulfils green_or_blue, and an order is to be revealed."""
    table = Table(players=3).orders("green_or_blue", "two_green")
    table.seat(1, ship="4,1", treasures=["red", "green"])
    for seat, parts in seats.items():
        table.seat(int(seat[1:]), **parts)
    state = table.state()
    play(state, "claim green_or_blue green", "place korinth")
    return state


def test_d20_a_revealed_order_is_offered_from_the_mover_clockwise():
    state = revealing(s2={"ship": "5,0", "treasures": ["yellow"]}, s0={"ship": "5,1", "treasures": ["red"]})
    before = pending(state)
    assert before == {"kind": "order", "then": [{"kind": "refill"}]}
    play(state, "order red_or_yellow")
    assert pending(state) == {
        "kind": "claim",
        "seat": 1,
        "order": "red_or_yellow",
        "ask": [2, 0],
        "claims": [],
        "then": [{"kind": "refill"}],
    }
    assert legal(state) == {"claim red_or_yellow red", "decline"}
    one = play(state.clone(), "decline", "claim red_or_yellow yellow")
    assert pending(one)["claims"] == [{"seat": 2, "move": "claim red_or_yellow yellow"}]
    play(one, "decline")
    assert "red_or_yellow" in seat_of(one, 2)["fulfilled"]
    assert pending(one)["color"] == "yellow"
    nobody = play(state.clone(), "decline", "decline", "decline")
    assert "red_or_yellow" in nobody.to_json()["open_orders"]
    assert nobody.to_json()["phase"] == "follow"


def test_d20_several_takers_get_a_victory_card_each():
    state = revealing(s2={"ship": "5,0", "treasures": ["yellow"]}, s0={"ship": "5,1", "treasures": ["red"]})
    play(state, "order red_or_yellow", "claim red_or_yellow red", "claim red_or_yellow yellow", "decline")
    obj = state.to_json()
    assert obj["removed_orders"] == ["red_or_yellow"]
    assert [player["victory_cards"] for player in obj["players"]] == [0, 1, 1]
    assert pending(state) == {
        "kind": "place",
        "seat": 1,
        "color": "red",
        "then": [{"kind": "place", "seat": 2, "color": "yellow"}, {"kind": "refill"}],
    }
    assert obj["players"][2]["treasures"] == []


def test_d20_the_rulebook_example_two_orders_in_a_row():
    """A green and a red treasure: the first order is fulfilled, and so is the one that is revealed next."""
    state = revealing()
    play(state, "order red_or_yellow", "claim red_or_yellow red")
    play(state, sorted(legal(state))[0])
    assert seat_of(state, 1)["points"] == 4
    assert seat_of(state, 1)["treasures"] == []
    assert state.to_act == CHANCE  # the next order


def test_d20_midas_does_not_help_when_an_order_is_revealed():
    orders = {"s0": {"order": "crew_to_sparta"}, "s2": {"order": "two_blue"}}
    state = revealing(s1={"cards": ["midas"], "order": "two_red"}, **orders)
    play(state, "order blue_or_white")
    assert state.to_json()["phase"] == "follow"
    # In the own turn it does.
    assert "claim blue_or_white red" in legal(state)


def fight(defender=None, attacker=None, **parts):
    table = Table(players=3, hydra="7,6", **parts)
    table.seat(1, ship="0,6", **(attacker or {})).seat(0, ship="0,5", **(defender or {}))
    return table


def test_d21_a_won_fight_fulfils_every_order_that_asks_for_it():
    table = fight(attacker={"order": "green_and_white", "fighters": 3}, defender={"fighters": 1})
    table.orders("red_and_green", "yellow_and_blue")
    state = play(table.state(), "sail 0,5", "throw 0 3 0", "throw 1 0 0")
    assert seat_of(state, 1)["fulfilled"] == ["red_and_green", "yellow_and_blue", "green_and_white"]
    assert seat_of(state, 1)["points"] == 9
    assert not seat_of(state, 1)["has_order"]
    assert state.to_json()["open_orders"] == []
    # Orders are revealed after the displacement (D22).
    assert pending(state) == {
        "kind": "displace",
        "seat": 1,
        "piece": "deukalion",
        "then": [{"kind": "refill"}],
    }
    play(state, sorted(legal(state))[0])
    assert state.to_json()["phase"] == "order"


def test_d21_the_defender_who_wins_has_beaten_a_player_too():
    table = fight(defender={"order": "green_and_white"}).orders("red_and_green", "two_red")
    state = play(table.state(), "sail 0,5", "throw 9 1 0", "throw 9 1 0")  # a tie
    assert seat_of(state, 0)["points"] == 6


def test_d22_one_order_at_a_time_and_the_hand_is_not_replaced():
    table = fight(attacker={"fighters": 3}, defender={"fighters": 0}).orders(
        "red_and_green", "yellow_and_blue"
    )
    state = play(table.state(), "sail 0,5", "throw 0 3 0")
    play(state, sorted(legal(state))[0], "order two_red")
    assert state.to_json()["phase"] == "order"
    play(state, "order two_green")
    assert state.to_json()["open_orders"] == ["two_red", "two_green"]
    own = Table().seat(1, ship="3,1", treasures=["white"], order="white_or_red").state()
    play(own, "claim white_or_red white", "place korinth")
    assert own.to_json()["phase"] == "follow"
    assert not seat_of(own, 1)["has_order"]


def test_d22_with_no_orders_left_places_stay_empty():
    table = Table().seat(1, ship="3,1", treasures=["red", "green"], order="two_blue")
    table.orders("red_and_green", "two_green")
    table.removed = [
        order.name
        for order in FACTS.orders
        if order.name not in ("red_and_green", "two_green", "two_blue", "crew_to_sparta")
    ]
    state = table.seat(0, order="crew_to_sparta").state()
    play(state, "claim red_and_green red green", "place korinth", "place mykene")
    assert (state.to_json()["phase"], state.to_json()["open_orders"]) == ("follow", ["two_green"])


# -- action cards


def test_d23_used_cards_go_under_the_pile_in_order():
    state = Table().seat(1, cards=["fair_wind", "battle_cry", "charon"], fighters=5).state()
    play(state, "play battle_cry", "play charon", "play fair_wind")
    assert state.to_json()["under"] == ["battle_cry", "charon", "fair_wind"]


def test_d23_cards_are_drawn_from_the_top_then_from_those_under_it():
    table = Table().act(3, 1, 1, 1).seat(0, cards=["charon"]).no_pile("midas", "fair_wind")
    state = play(table.state(), "card")
    assert probabilities(state) == {"draw midas": 1}
    play(state, "draw midas")
    assert state.to_json()["under"] == ["fair_wind"]
    nothing = play(Table().act(3, 1, 1, 1).no_pile().state(), "card")
    assert nothing.to_json()["phase"] == "act"
    assert "end" in legal(nothing)


def test_d23_a_card_can_be_played_when_it_was_drawn_and_in_no_sub_decision():
    state = play(Table().act(3, 1, 1, 1).state(), "card", "draw pegasus")
    assert "play pegasus" in legal(state)
    looting = play(Table().seat(1, ship="2,5", cards=["pegasus"]).state(), "attack thera", "throw 0 10 0")
    assert not legal(looting, "play")


def test_d24_fair_wind_and_battle_cry():
    state = (
        Table().seat(1, ship="2,5", fighters=1, cards=["battle_cry", "fair_wind"]).city(thera=["red"]).state()
    )
    play(state, "play fair_wind", "play battle_cry")
    assert state.to_json()["used"]["wind"] == 1
    assert state.to_json()["used"]["cry"] == 1
    play(state, "attack thera")
    won = play(state, "throw 0 0 1")  # half a point and two make more than 2
    assert won.to_json()["phase"] == "loot"
    assert won.to_json()["used"]["cry"] == 0
    late = Table().seat(1, ship="2,5", cards=["battle_cry", "fair_wind"]).city(thera=["red"]).state()
    play(late, "sail 2,4")
    assert legal(late, "play") == {"play battle_cry"}
    ended = Table().seat(1, ship="8,1", cards=["battle_cry", "fair_wind"]).state()
    play(ended, "found ephesus")
    assert not legal(ended, "play")


def test_d24_battle_cry_is_lost_at_the_end_of_the_turn():
    state = play(Table().seat(1, cards=["battle_cry"]).state(), "play battle_cry", "end")
    assert state.to_json()["used"]["cry"] == 0


def test_d24_charon_brings_back_three():
    state = play(Table().seat(1, fighters=5, cards=["charon"]).state(), "play charon")
    assert seat_of(state, 1)["fighters"] == 8
    assert not legal(Table().seat(1, cards=["charon"]).state(), "play")


def test_d24_midas_makes_a_wrong_color_right():
    table = Table().seat(1, ship="3,1", treasures=["yellow", "white"], cards=["midas"], order="red_and_green")
    table.orders("two_green", "two_blue")
    assert not legal(table.state(), "play")
    assert not legal(table.state(), "claim")
    state = table.seat(1, cards=["midas", "midas"]).state()
    play(state, "claim red_and_green yellow white")
    assert state.to_json()["under"] == ["midas", "midas"]
    # Of two tasks of the same length the one that needs fewer counts; beyond three of any no midas is needed.
    one = (
        Table()
        .seat(1, ship="3,1", treasures=["red", "yellow"], cards=["midas"], order="red_and_green")
        .state()
    )
    play(one, "claim red_and_green red yellow")
    assert one.to_json()["under"] == ["midas"]


def test_d25_permanent_cards_add_up():
    table = Table().seat(
        1, ship="2,5", fighters=4, permanent=["golden_fleece", "golden_fleece", "favor_of_hades"]
    )
    state = play(table.city(thera=["red"]).state(), "attack thera", "throw 3 0 1")
    assert state.to_json()["phase"] == "loot"  # half a point and two
    assert seat_of(state, 1)["fighters"] == 2  # three lay up, one is spared
    played = play(Table().seat(1, cards=["pegasus"]).state(), "play pegasus")
    assert seat_of(played, 1)["permanent"] == ["pegasus"]
    assert played.to_json()["under"] == []


# -- fights


def test_d26_the_odds_of_a_throw():
    table = Table().seat(1, ship="2,5", fighters=2).city(thera=["red"])
    state = play(table.state(), "attack thera")
    odds = probabilities(state)
    assert odds == {
        "throw 0 0 2": pytest.approx(0.16**2),
        "throw 0 1 1": pytest.approx(2 * 0.16 * 0.42),
        "throw 0 2 0": pytest.approx(0.42**2),
        "throw 1 0 1": pytest.approx(2 * 0.16 * 0.42),
        "throw 1 1 0": pytest.approx(2 * 0.42**2),
        "throw 2 0 0": pytest.approx(0.42**2),
    }
    ten = play(Table().seat(1, ship="2,5").city(thera=["red"]).state(), "attack thera")
    assert len(probabilities(ten)) == 66
    assert sum(probabilities(ten).values()) == pytest.approx(1)


def test_d26_the_throw_is_an_option():
    table = Table().seat(1, ship="2,5", fighters=2).city(thera=["red"])
    table.options["throw"] = [50, 50, 0]
    state = play(table.state(), "attack thera")
    assert probabilities(state) == {"throw 0 2 0": 0.25, "throw 1 1 0": 0.5, "throw 2 0 0": 0.25}
    assert state.to_json()["options"]["throw"] == [50, 50, 0]
    assert load_game("deukalion", seed=1, throw=[50, 50, 0]).options["throw"] == [50, 50, 0]


def test_d26_the_conquest_value_is_enough_halikarnassos_and_ephesus():
    """The examples of the rulebook: 4 points for Halikarnassos, 1 for Ephesus."""
    table = Table().seat(1, ship="7,2").city(halikarnassos=["red", "blue", "white"])
    four = play(table.state(), "attack halikarnassos", "throw 6 4 0")
    assert four.to_json()["phase"] == "loot"
    less = play(table.state(), "attack halikarnassos", "throw 6 3 1")
    assert less.to_json()["phase"] == "follow"
    ephesus = Table().seat(1, ship="7,0").settle(ephesus=0)
    one = play(ephesus.state(), "attack ephesus", "throw 9 1 0")
    assert one.to_json()["settlements"][0]["seat"] == 1
    half = play(ephesus.state(), "attack ephesus", "throw 9 0 1")
    assert half.to_json()["settlements"][0]["seat"] == 0


def test_d26_without_fighters_cards_still_count():
    table = fight(attacker={"fighters": 1}, defender={"fighters": 0, "permanent": ["golden_fleece"]})
    state = play(table.state(), "sail 0,5", "throw 0 1 0")  # 1 against 1: the defender wins
    assert pending(state)["seat"] == 0
    assert pending(state)["piece"] == "perseus"


def test_d27_more_points_win_the_rulebook_example():
    """4 points against 3,5."""
    table = fight(defender={"treasures": ["red"], "cards": ["charon", "charon"], "fighters": 6})
    state = play(table.state(), "sail 0,5", "throw 6 4 0")
    assert pending(state) == {
        "kind": "throw",
        "seat": 0,
        "fight": "ship",
        "attacker": 1,
        "defender": 0,
        "score": 8,
    }
    play(state, "throw 2 3 1")
    assert pending(state) == {
        "kind": "spoils",
        "seat": 1,
        "loser": 0,
        "then": [{"kind": "displace", "seat": 1, "piece": "deukalion"}, {"kind": "refill"}],
    }
    assert legal(state) == {"take red", "steal", "decline"}
    taken = play(state.clone(), "take red")
    assert seat_of(taken, 1)["treasures"] == ["red"]
    assert taken.to_json()["phase"] == "displace"
    stolen = play(state.clone(), "steal")
    assert pending(stolen)["kind"] == "steal"
    assert probabilities(stolen) == {"steal charon": 1}
    play(stolen, "steal charon")
    assert seat_of(stolen, 1)["cards"] == ["charon"]
    neither = play(state, "decline")
    assert neither.to_json()["phase"] == "displace"


def test_d27_spoils_are_skipped_when_there_is_nothing():
    state = play(fight(defender={"fighters": 0}).state(), "sail 0,5", "throw 0 10 0")
    assert state.to_json()["phase"] == "displace"


def test_d28_attacking_the_hydra():
    table = (
        Table(players=3, hydra="0,5").seat(1, ship="0,6", order="red_and_blue").orders("two_red", "two_green")
    )
    state = play(table.state(), "sail 0,5")
    won = play(state.clone(), "throw 5 5 0")
    assert (seat_of(won, 1)["points"], seat_of(won, 1)["victory_cards"]) == (3, 0)
    assert pending(won) == {"kind": "displace", "seat": 1, "piece": "hydra", "then": [{"kind": "refill"}]}
    lost = play(state, "throw 6 4 0")
    assert pending(lost) == {"kind": "displace", "seat": 0, "piece": "perseus"}
    assert lost.to_act == 0  # to the right of seat 1


def test_d29_the_hydra_bites_the_first_ship():
    table = Table(players=3, hydra="0,5").act(2, 1, 1, 3).seat(1, ship="0,4").orders("two_red", "two_green")
    state = table.state()
    assert "hydra 0,4" in legal(state)
    assert "hydra 0,3" not in legal(state)
    play(state, "hydra 0,4")
    assert pending(state) == {"kind": "throw", "seat": 1, "fight": "bite", "attacker": 0, "defender": 1}
    won = play(state.clone(), "throw 5 5 0")
    assert seat_of(won, 1)["victory_cards"] == 1
    assert pending(won) == {"kind": "displace", "seat": 1, "piece": "hydra", "then": [{"kind": "refill"}]}
    lost = play(state, "throw 6 4 0")
    assert pending(lost) == {"kind": "displace", "seat": 0, "piece": "perseus"}
    own = Table(hydra="0,5").act(2, 1, 1, 1).seat(0, ship="0,4").state()
    assert "hydra 0,4" not in legal(own)


def test_d29_orders_instead_of_the_victory_card():
    table = Table(players=3, hydra="0,5").act(2, 1, 1, 3).seat(1, ship="0,4", order="red_and_blue")
    state = play(table.orders("yellow_and_white", "two_green").state(), "hydra 0,4", "throw 0 10 0")
    assert (seat_of(state, 1)["points"], seat_of(state, 1)["victory_cards"]) == (6, 0)


def test_d29_who_has_no_fighters_loses_without_a_throw():
    table = Table(players=3, hydra="0,5").act(2, 1, 1, 3).seat(1, ship="0,4", fighters=0)
    state = play(table.state(), "hydra 0,4")
    assert pending(state)["kind"] == "displace"


def test_d30_displaced_by_exactly_three():
    table = Table(
        hydra="1,5", phase="displace", pending={"kind": "displace", "seat": 1, "piece": "deukalion"}
    )
    state = table.seat(0, ship="0,6").seat(1, ship="0,6").state()
    assert legal(state) == {"displace 2,5", "displace 0,3"}  # (1,5) is on the way, which does not matter
    open_step = {"kind": "displace", "seat": 1, "piece": "deukalion"}
    taken = Table(hydra="2,5", phase="displace", players=3, pending=open_step)
    taken = taken.seat(0, ship="0,6").seat(1, ship="0,6").seat(2, ship="0,3").state()
    # None at three: the least distance above that has one.
    assert legal(taken) == {"displace 1,3", "displace 2,4", "displace 2,6"}


# -- hidden, and known


def test_d31_what_the_others_do_not_see():
    state = Table(players=3).seat(1, cards=["charon", "midas"], order="two_red").state()
    seen = state.observation(0)
    assert seen["players"][1]["card_count"] == 2
    assert "cards" not in seen["players"][1]
    assert "order" not in seen["players"][1]
    assert "pile" not in seen
    assert "order_pile" not in seen
    assert seen["players"][0]["cards"] == []
    assert state.observation(-1)["observer"] == -1
    assert all("cards" not in player for player in state.observation(-1)["players"])


def test_d32_drawn_from_under_the_pile_and_stolen_cards_are_known():
    table = Table(players=3).act(1, 1, 1, 1).no_pile("midas", "fair_wind")
    state = play(table.state(), "card", "draw midas")
    assert seat_of(state, 0)["knows"] == [{"seat": 1, "cards": ["midas"]}]
    assert seat_of(state, 2)["knows"] == [{"seat": 1, "cards": ["midas"]}]
    stolen = fight(defender={"fighters": 0, "cards": ["charon"]}).state()
    play(stolen, "sail 0,5", "throw 0 10 0", "steal", "steal charon")
    assert seat_of(stolen, 0)["knows"] == [{"seat": 1, "cards": ["charon"]}]
    assert seat_of(stolen, 2)["knows"] == []


def test_d32_what_leaves_a_hand_is_struck():
    knows = [{"seat": 1, "cards": ["battle_cry", "charon", "charon"]}]
    table = (
        Table(players=3).seat(1, cards=["battle_cry", "charon", "charon"], fighters=5).seat(0, knows=knows)
    )
    state = play(table.state(), "play charon")
    assert seat_of(state, 0)["knows"] == [{"seat": 1, "cards": ["battle_cry", "charon"]}]
    # A theft that the knower does not see strikes one of each kind; one into the own hand strikes that card.
    cards = ["battle_cry", "charon", "charon"]
    theft = fight(defender={"fighters": 0, "cards": cards}, attacker={"knows": [{"seat": 0, "cards": cards}]})
    theft.seat(2, knows=[{"seat": 0, "cards": cards}])
    state = play(theft.state(), "sail 0,5", "throw 0 10 0", "steal", "steal charon")
    assert seat_of(state, 1)["knows"] == [{"seat": 0, "cards": ["battle_cry", "charon"]}]
    assert seat_of(state, 2)["knows"] == [{"seat": 0, "cards": ["charon"]}]


def test_d32_others_see_only_what_concerns_them():
    knows = [{"seat": 1, "cards": ["charon"]}, {"seat": 2, "cards": ["midas"]}]
    state = Table(players=3).seat(1, cards=["charon"]).seat(2, cards=["midas"]).seat(0, knows=knows).state()
    assert state.observation(1)["players"][0]["knows"] == [{"seat": 1, "cards": ["charon"]}]
    assert state.observation(2)["players"][0]["knows"] == [{"seat": 2, "cards": ["midas"]}]
    assert state.observation(-1)["players"][0]["knows"] == []


# -- the end


def test_d33_the_target_ends_the_game_before_payment():
    table = Table().seat(1, ship="3,1", treasures=["red"], victory_cards=13, fulfilled=["yellow_or_green"])
    state = play(table.state(), "deliver red")
    assert (state.is_over, state.to_act) == (True, NOBODY)
    assert pending(state) == {"kind": "over", "result": "points", "winners": [1]}
    assert seat_of(state, 1)["treasures"] == ["red"]
    assert state.returns() == [0, 1]
    assert state.ranks() == [2, 1]
    assert state_from_json(state.to_json()).to_json() == state.to_json()


@pytest.mark.parametrize(("players", "target"), [(2, 16), (3, 14), (4, 12)])
def test_d33_targets(players, target):
    table = Table(players=players).seat(
        1, ship="8,1", victory_cards=target - 3, fulfilled=["yellow_or_green"]
    )
    state = play(table.state(), "found ephesus")
    assert state.is_over
    with pytest.raises(ValueError, match=r"phase: seat 1 has"):
        Table(players=players).seat(1, victory_cards=target - 2, fulfilled=["yellow_or_green"]).state()


def test_d33_two_takers_can_share_the_win():
    nearly = {"fulfilled": ["two_red", "two_blue", "crew_to_zypern"], "victory_cards": 3}
    also = {"fulfilled": ["two_green", "red_and_green", "yellow_and_blue"], "victory_cards": 3}
    table = Table(players=3).orders("green_or_blue", "red_and_blue")
    table.seat(1, ship="4,1", treasures=["red"], **nearly).seat(2, ship="5,0", treasures=["yellow"], **also)
    table.seat(0, ship="5,1", treasures=["green"])
    table.parts |= {
        "phase": "claim",
        "pending": {
            "kind": "claim",
            "seat": 2,
            "order": "red_or_yellow",
            "ask": [],
            "claims": [{"seat": 1, "move": "claim red_or_yellow red"}],
            "then": [{"kind": "refill"}],
        },
    }
    state = play(table.orders("red_or_yellow", "red_and_blue").state(), "claim red_or_yellow yellow")
    assert pending(state)["winners"] == [1, 2]
    assert state.returns() == [0, 0.5, 0.5]
    assert seat_of(state, 1)["treasures"] == ["red"]


def test_d34_a_hundred_rounds_are_a_draw():
    table = Table(round=100).act(2, 1, 1, 1, turn=1).seat(0, victory_cards=2)
    state = play(table.state(), "end")
    assert pending(state) == {"kind": "over", "result": "length", "winners": []}
    assert state.returns() == [0.5, 0.5]
    assert state.ranks() == [1, 2]
    assert (state.to_json()["round"], state.to_json()["turn"]) == (100, 1)


def test_d35_single_moves_and_outcomes_are_asked():
    state = Table(hydra="7,6").seat(1, ship="2,5", fighters=1).city(thera=["red"]).state()
    play(state, "attack thera")
    assert state.to_act == CHANCE
    order = play(Table().act(3, 1, 1, 1).no_pile("midas").state(), "card")
    assert len(order.legal_moves()) == 1
    assert order.to_act == CHANCE


# -- the rulebook's example of a turn, and the one of the format


def test_the_example_of_a_turn_for_four():
    """A rolls a 3; B founds a settlement, C rests, D attacks Rhodos for a treasure; then A stands the cup."""
    table = (
        Table(players=4, phase="roll", mover=0).seat(1, ship="7,3").seat(2, fighters=6).seat(3, ship="6,2")
    )
    state = table.city(rhodos=["red", "blue"]).state()
    play(state, "roll 3 1 1 2 2", "sail 7,0", "found ephesus", "end", "rest", "sail 6,3", "attack rhodos")
    play(state, "throw 4 5 1", "take blue", "end")
    assert (state.to_act, state.to_json()["phase"]) == (0, "kylix")
    assert seat_of(state, 1)["points"] == 1
    assert seat_of(state, 2)["fighters"] == 8
    assert seat_of(state, 3)["treasures"] == ["blue"]


def test_a_turn_as_the_format_writes_it():
    table = Table(phase="roll", mover=0).seat(0, ship="3,2").seat(1, ship="5,4")
    state = table.city(rhodos=["red", "blue"], thera=["red"]).state()
    play(state, "roll 2 1 1 3 3", "sail 6,5", "attack rhodos", "throw 4 5 1", "take blue", "end")
    play(state, "kylix 3 1 1 3", "card", "draw fair_wind", "play fair_wind", "sail 3,4", "attack thera")
    play(state, "throw 3 6 1", "take red", "hydra 6,5", "throw 2 4 0")
    assert state.to_act == 0
    play(state, "displace 8,4", "end")
    assert (ship(state, 0), ship(state, 1)) == ("3,4", "8,4")


def test_illegal_moves_change_nothing():
    state = Table().state()
    before = state.to_json()
    for text in ("sail 4,0", "found argos", "kylix 1 1 2 3", "sail 99,0", "claim two_red", "throw 1 1"):
        with pytest.raises(IllegalMove):
            state.apply(text)
    assert state.to_json() == before
