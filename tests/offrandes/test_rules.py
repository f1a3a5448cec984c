"""Every ruling, by its O number (docs/offrandes.md)."""

import pytest

from pythia.core_cy import (
    CHANCE,
    NOBODY,
    SPECTATOR,
    IllegalMove,
    game_info,
    load_game,
    state_from_observation,
)
from pythia.core_cy.offrandes.components import CHARACTERS, CITIES
from tests.offrandes.positions import example, levels, position, purses, scores, state
from tests.positions import play, texts

ALL_READY = {"farmer": 1, "carrier": 1, "florist": 1, "servant": 1}


def start(players=4):
    return load_game("offrandes", players=players, seed=1).new_state()


def refused(position, move):
    with pytest.raises(IllegalMove) as error:
        position.apply(move)
    return str(error.value)


# -- set-up


@pytest.mark.parametrize("players", [3, 4, 5])
def test_o1_the_start(players):
    obj = start(players).to_json()
    assert [player["city"] for player in obj["players"]] == list(CITIES[:players])
    for player in obj["players"]:
        assert (player["drachmas"], player["score"]) == (10, 0)
        assert set(player["ladders"].values()) == {0}
    assert set(obj["supply"].values()) == {15}
    assert all(altar["number"] == 0 for altar in obj["altars"])


@pytest.mark.parametrize("players", [3, 4, 5])
def test_o2_the_start_player_is_drawn(players):
    begin = start(players)
    assert begin.to_act == CHANCE
    outcomes = {str(move): share for move, share in begin.chance_outcomes()}
    assert outcomes == {f"first {city}": 1 / players for city in CITIES[:players]}
    assert play(begin, "first athens").to_json()["first"] == 2


def test_o2_the_seed_deals_nothing():
    info = game_info("offrandes")
    assert (info.hides, info.dealt, info.open_chance) == (False, False, True)


@pytest.mark.parametrize(("first", "order"), [("sparta", [3, 2, 1, 0]), ("athens", [1, 0, 3, 2])])
def test_o3_the_seat_before_the_start_player_chooses_first_and_then_backwards(first, order):
    now, asked = play(start(), f"first {first}"), []
    while now.to_json()["phase"] == "setup":
        asked.append(now.to_act)
        assert len(texts(now)) == 35
        now.apply("recruit carrier priestess guard")
    assert asked == order
    assert now.to_act == order[-1]
    assert levels(now, 0) == dict.fromkeys(CHARACTERS, 0) | {"carrier": 1, "priestess": 1, "guard": 1}


def test_o4_an_opening_bid_out_of_one_drachma_is_made_at_once():
    now = play(state("auction", 0, drachmas={0: 1}), "auction farmer guard")
    assert now.to_json()["phase"] == "bid"
    assert (now.to_act, now.to_json()["pending"]["high"]) == (1, 1)


def test_o4_who_cannot_bid_higher_passes_up_to_the_sale():
    now = play(state("open", 0, drachmas={1: 2, 2: 3, 3: 0}), "bid 3")
    # All others had to pass, so Sparta has bought, and Corinth is the auctioneer.
    assert now.to_json()["phase"] == "auction"
    assert now.to_json()["turn"] == 1
    assert purses(now) == [7, 2, 3, 0]


def test_o4_auction_turns_without_a_drachma_are_skipped():
    now = play(state("auction", 0, drachmas={1: 0, 2: 0}), "end")
    assert (now.to_act, now.to_json()["phase"]) == (3, "auction")


def test_o4_a_single_end_may_lead_to_the_next_round():
    now = play(state("auction", 0, drachmas={1: 0, 2: 0, 3: 0}), "end")
    obj = now.to_json()
    assert (obj["round"], obj["first"], obj["to_act"], obj["phase"]) == (3, 1, 1, "auction")
    assert purses(now) == [20, 10, 10, 10]


def test_o4_who_can_bribe_nobody_or_offer_nothing_is_skipped():
    ladders = {"sparta": {"seducer": 1}, "athens": {"seducer": 1, "farmer": 1}, "thebes": ALL_READY}
    now = play(state("auction", 3, ladders=ladders, first=0), "end")
    # Sparta has no ladder in common with anybody; Athens has, with Thebes.
    assert (now.to_json()["phase"], now.to_act) == ("bribe", 2)
    now.apply("decline")
    assert (now.to_json()["phase"], now.to_act) == ("offer", 3)


# -- auctions


def test_o5_each_seat_has_one_auction_turn_from_the_start_player_on():
    now = state("auction", 2, first=2)
    for auctioneer in (2, 3, 0, 1):
        assert (now.to_act, now.to_json()["turn"]) == (auctioneer, auctioneer)
        now.apply("end")
    assert now.to_json()["round"] == 3


def test_o5_all_tiles_and_seats_are_in_again():
    now = play(example(), "auction servant guard", "bid 3", "pass", "pass", "bid 4", "pass", "end")
    pending = now.to_json()["pending"]
    assert (pending["sold"], pending["buyers"]) == ([], [])
    assert len(texts(now)) == 21 + 1


def test_o6_a_pair_is_two_characters_not_sold_and_the_auctioneer_must_bid():
    now = play(example(), "auction servant guard", "bid 3", "pass", "pass", "bid 4", "pass")
    assert len(texts(now)) == 10 + 1
    assert "guard was sold in this auction turn (O6)" in refused(now, "auction farmer guard")
    opened = play(now, "auction farmer carrier")
    assert texts(opened) == [f"bid {drachmas}" for drachmas in range(1, 11)]
    assert "the auctioneer must open with a bid (O6)" in refused(opened, "pass")


def test_o7_a_bid_is_higher_and_a_pass_is_final():
    now = play(state("open", 0), "bid 3")
    assert texts(now) == [*(f"bid {drachmas}" for drachmas in range(4, 11)), "pass"]
    assert "the highest bid is 3; a bid must be higher (O7)" in refused(now, "bid 3")
    assert "seat 1 has 10 drachmas (O7)" in refused(now, "bid 11")
    now = play(now, "bid 4", "pass", "pass", "bid 5", "bid 6")  # Athens and Thebes are out
    assert now.to_act == 0
    assert now.to_json()["pending"]["bidders"] == [0, 1]


def test_o7_who_has_bid_may_pass_and_the_pair_is_sold_at_once_even_without_use():
    top = {"sparta": {"farmer": 5, "carrier": 5}}
    now = play(state("open", 0, ladders=top), "bid 2", "pass", "pass", "bid 3", "bid 4", "pass")
    assert purses(now)[0] == 6
    assert (levels(now, 0)["farmer"], levels(now, 0)["carrier"]) == (5, 5)


def test_o8_a_buyer_is_left_out_and_the_auctioneer_s_purchase_ends_the_turn():
    now = play(state("auction", 0), "auction farmer carrier", "bid 1", "bid 2", "pass", "pass", "pass")
    assert now.to_json()["pending"]["buyers"] == [1]
    now = play(now, "auction florist servant", "bid 1")
    assert now.to_json()["pending"]["bidders"] == [0, 2, 3]
    now = play(now, "pass", "pass")
    assert (now.to_act, now.to_json()["phase"], now.to_json()["pending"]["sold"]) == (1, "auction", [])


@pytest.mark.parametrize(("players", "auctions"), [(3, 2), (4, 3), (5, 3)])
def test_o8_so_many_auctions_in_an_auction_turn(players, auctions):
    now = state("auction", 0, players=players)
    pairs = ["farmer carrier", "florist servant", "priestess seducer"]
    for number in range(auctions):
        assert (now.to_json()["turn"], now.to_json()["pending"]["buyers"]) == (0, list(range(1, number + 1)))
        now = play(now, f"auction {pairs[number]}", "bid 1", "bid 2")
        while now.to_json()["phase"] == "bid":
            now.apply("pass")
    assert (now.to_json()["turn"], now.to_json()["phase"]) == (1, "auction")


def test_o9_the_buyer_pays_and_climbs():
    now = play(
        state("open", 0, pending={"pair": ["priestess", "guard"]}), "bid 3", "bid 7", "pass", "pass", "pass"
    )
    assert purses(now) == [10, 3, 10, 10]
    assert levels(now, 1) == dict.fromkeys(CHARACTERS, 0) | {"priestess": 1, "guard": 1}
    assert levels(now, 0) == dict.fromkeys(CHARACTERS, 0)


def test_o10_levels_below_the_top_hold_any_number():
    ladders = {city: {"farmer": 3} for city in CITIES[:4]}
    now = play(state("open", 0, ladders=ladders), "bid 10")
    assert [levels(now, seat)["farmer"] for seat in range(4)] == [4, 3, 3, 3]


def test_o11_a_disc_that_climbs_to_the_top_sends_the_other_down():
    ladders = {"sparta": {"farmer": 4}, "corinth": {"farmer": 5}, "athens": {"farmer": 4}}
    now = play(state("open", 0, ladders=ladders), "bid 10")
    assert [levels(now, seat)["farmer"] for seat in range(4)] == [5, 4, 4, 0]


# -- bribery


def bribery(to_act, ladders, **more):
    return state("bribe", to_act, ladders=ladders, **more)


def test_o12_most_seducers_first_then_clockwise_from_the_start_player():
    some = {"farmer": 2, "guard": 0}
    ladders = {
        "sparta": some | {"seducer": 1},
        "corinth": some | {"seducer": 3},
        "athens": some | {"seducer": 1},
        "thebes": some | {"seducer": 3},
    }
    now, asked = state("auction", 1, ladders=ladders, first=2), []
    now.apply("end")
    while now.to_json()["phase"] == "bribe":
        asked.append(now.to_act)
        now.apply("decline")
    assert asked == [3, 1, 2, 0]


def test_o13_another_seat_once_a_round_with_fewer_guards():
    ladders = {
        "sparta": {"farmer": 1, "seducer": 2},
        "corinth": {"farmer": 1, "guard": 1, "seducer": 1},
        "athens": {"farmer": 1, "guard": 2},
        "thebes": {"farmer": 1},
    }
    now = bribery(0, ladders)
    assert texts(now) == ["bribe corinth farmer", "bribe thebes farmer", "decline"]
    assert "seat 2 has 2 guards; 2 seducers are not more than that (O13)" in refused(
        now, "bribe athens farmer"
    )
    assert "nobody bribes an own character (O13)" in refused(now, "bribe sparta farmer")
    assert "delos does not play" in refused(now, "bribe delos farmer")
    now.apply("bribe thebes farmer")
    assert levels(now, 3)["farmer"] == 0
    # Thebes has been bribed, and Sparta still has a farmer.
    assert texts(now) == ["bribe sparta farmer", "decline"]
    assert "seat 3 was bribed in this round (O13)" in refused(now, "bribe thebes farmer")


def test_o14_a_ladder_on_which_both_stand_but_not_seducers_and_guards():
    everything = dict.fromkeys(CHARACTERS, 1)
    ladders = {"sparta": everything | {"seducer": 3, "farmer": 0}, "corinth": everything | {"carrier": 0}}
    now = bribery(0, ladders)
    assert texts(now) == [
        *(f"bribe corinth {word}" for word in ("florist", "servant", "priestess")),
        "decline",
    ]
    assert "seat 0 has no farmer (O14)" in refused(now, "bribe corinth farmer")
    assert "seat 1 has no carrier (O14)" in refused(now, "bribe corinth carrier")
    assert "'seducer' is not allowed there" in refused(now, "bribe corinth seducer")


@pytest.mark.parametrize("seducers", [4, 5])
def test_o15_the_top_field_only_with_a_seducer_on_the_top_field(seducers):
    ladders = {
        "sparta": {"seducer": seducers, "farmer": 2},
        "corinth": {"farmer": 5},
        "athens": {"farmer": 1},
    }
    now = bribery(0, ladders)
    assert ("bribe corinth farmer" in texts(now)) is (seducers == 5)
    if seducers == 4:
        assert "only a seducer on the top field can bribe there (O15)" in refused(now, "bribe corinth farmer")


def test_o16_a_victim_on_the_top_field_goes_down_once():
    ladders = {"sparta": {"seducer": 5, "farmer": 4}, "corinth": {"farmer": 5}}
    now = play(bribery(0, ladders), "bribe corinth farmer")
    assert [levels(now, seat)["farmer"] for seat in range(2)] == [5, 4]


def test_o16_a_third_disc_is_sent_down_although_it_has_guards():
    ladders = {
        "sparta": {"seducer": 1, "farmer": 4},
        "corinth": {"farmer": 2},
        "athens": {"farmer": 5, "guard": 5},
    }
    now = play(bribery(0, ladders), "bribe corinth farmer")
    assert [levels(now, seat)["farmer"] for seat in range(3)] == [5, 1, 4]


def test_o16_a_briber_on_the_top_field_may_do_harm():
    ladders = {"sparta": {"seducer": 1, "farmer": 5}, "corinth": {"farmer": 2}}
    now = play(bribery(0, ladders), "bribe corinth farmer")
    assert [levels(now, seat)["farmer"] for seat in range(2)] == [5, 1]


def test_o16_who_was_bribed_may_still_bribe():
    ladders = {
        "sparta": {"seducer": 2, "farmer": 2},
        "corinth": {"seducer": 1, "farmer": 2},
        "athens": {"farmer": 1},
    }
    now = play(bribery(0, ladders), "bribe corinth farmer")
    assert now.to_act == 1
    assert texts(now) == ["bribe sparta farmer", "bribe athens farmer", "decline"]


# -- offerings


def offering(to_act=0, **more):
    return state("offer", to_act, **more)


def test_o17_one_offering_each_from_the_start_player_on_and_it_may_be_declined():
    ladders = {"sparta": ALL_READY, "corinth": ALL_READY, "thebes": ALL_READY}
    now = offering(3, ladders=ladders, first=3)
    now = play(now, "decline")
    assert now.to_act == 0
    now = play(now, "offer 1 chicken hermes")
    assert now.to_act == 1
    now = play(now, "decline")
    assert now.to_json()["round"] == 3
    assert scores(now) == [1, 0, 0, 0]


def test_o17_all_seats_have_the_phase_also_when_the_end_is_sure():
    ladders = {"sparta": ALL_READY | {"priestess": 1}, "corinth": ALL_READY}
    now = play(offering(ladders=ladders, scores={0: 99}), "offer 1 chicken ares")
    assert scores(now)[0] == 102
    assert (now.to_act, now.to_json()["phase"]) == (1, "offer")


def test_o18_kind_by_the_farmer_and_number_by_the_lower_of_carrier_and_florist():
    now = offering(ladders={"sparta": {"farmer": 4, "carrier": 3, "florist": 2, "servant": 1}})
    assert texts(now) == [
        *(f"offer 2 sheep {altar}" for altar in ("hephaistos", "ares", "hermes")),
        "decline",
    ]
    assert "make an offering of 2 sheep (O18)" in refused(now, "offer 1 sheep ares")
    assert "make an offering of 2 sheep (O18)" in refused(now, "offer 2 goat ares")


@pytest.mark.parametrize("missing", ["farmer", "carrier", "florist", "servant"])
def test_o18_o19_without_one_of_them_nothing_can_be_offered(missing):
    ladders = {"sparta": {word: 3 for word in ALL_READY if word != missing}, "corinth": ALL_READY}
    now = play(state("auction", 3, ladders=ladders), "end")
    assert (now.to_json()["phase"], now.to_act) == ("offer", 1)


def test_o18_a_short_supply_allows_fewer_or_lesser_animals():
    altars = {"athena": "5 goat corinth", "hera": "5 goat corinth", "artemis": "4 goat corinth"}
    altars |= {"aphrodite": "5 pig athens", "apollon": "5 pig athens", "hades": "5 pig athens"}
    ladders = {"sparta": {"farmer": 3, "carrier": 3, "florist": 3, "servant": 1}}
    now = offering(ladders=ladders, altars=altars)
    # One goat is left, no pig, and all chickens.
    assert now.to_json()["supply"] == {"chicken": 15, "pig": 0, "goat": 1, "sheep": 15, "ox": 15}
    group = ("hephaistos", "ares", "hermes")
    expected = [f"offer {what} {altar}" for what in ("3 chicken", "1 goat") for altar in group]
    assert sorted(texts(now)) == sorted([*expected, "decline"])
    assert "of goat, 1 can be offered (O18)" in refused(now, "offer 2 goat ares")
    assert "brings goat or, in a short supply, less (O18)" in refused(now, "offer 1 sheep ares")


def test_o18_with_none_left_of_all_these_there_is_no_offering():
    altars = {"athena": "5 chicken corinth", "hera": "5 chicken corinth", "artemis": "5 chicken corinth"}
    ladders = {"sparta": ALL_READY, "athens": ALL_READY | {"farmer": 2}}
    now = play(state("auction", 3, ladders=ladders, altars=altars), "end")
    assert (now.to_json()["phase"], now.to_act) == ("offer", 2)


@pytest.mark.parametrize(("servants", "altars"), [(1, 3), (2, 6), (3, 8), (4, 10), (5, 11)])
def test_o19_altars_up_to_the_level_of_the_servant(servants, altars):
    now = offering(ladders={"sparta": ALL_READY | {"servant": servants}})
    assert len(texts(now)) == altars + 1
    if servants == 2:
        assert "artemis is of group 3; a servant on level 2 does not reach it (O19)" in refused(
            now, "offer 1 chicken artemis"
        )


@pytest.mark.parametrize(
    ("lying", "fits"),
    [
        ("1 chicken corinth", True),
        ("2 goat corinth", True),
        ("1 sheep corinth", True),
        ("2 sheep corinth", False),
        ("2 sheep sparta", False),  # one's own too
        ("1 sheep sparta", True),
        ("3 chicken corinth", False),
        ("1 ox corinth", False),
    ],
)
def test_o20_at_least_as_many_of_at_least_the_value_and_not_the_same(lying, fits):
    ladders = {"sparta": {"farmer": 4, "carrier": 2, "florist": 2, "servant": 1}}
    now = offering(ladders=ladders, altars={"ares": lying})
    assert ("offer 2 sheep ares" in texts(now)) is fits
    if not fits:
        assert "(O20)" in refused(now, "offer 2 sheep ares")


def test_o21_the_new_animals_come_first_then_those_that_lay_there_go_back():
    altars = {"ares": "3 pig corinth", "athena": "5 pig athens", "hera": "4 pig athens"}
    ladders = {"sparta": {"farmer": 2, "carrier": 4, "florist": 4, "servant": 1}, "corinth": ALL_READY}
    now = offering(ladders=ladders, altars=altars)
    # Three pigs are in the supply: four are too many, although three lie on the altar that they would go to.
    assert "offer 4 pig ares" not in texts(now)
    assert "offer 3 pig hermes" in texts(now)
    ladders["sparta"] |= {"farmer": 3}
    now = play(offering(ladders=ladders, altars=altars), "offer 4 goat ares")
    assert now.to_json()["altars"][1] == {"altar": "ares", "city": "sparta", "number": 4, "animal": "goat"}
    assert now.to_json()["supply"] == {"chicken": 15, "pig": 6, "goat": 11, "sheep": 15, "ox": 15}


def test_o22_number_times_value_and_the_lamp_but_only_with_an_offering():
    ladders = {
        "sparta": {"farmer": 5, "carrier": 2, "florist": 3, "servant": 1, "priestess": 2},
        "corinth": {"priestess": 5},
        "athens": ALL_READY,
    }
    now = play(offering(ladders=ladders), "offer 2 ox hermes", "decline")
    assert scores(now) == [14, 0, 0, 0]
    # Not even a seat that could have made one.
    assert scores(play(offering(ladders=ladders), "decline", "decline")) == [0, 0, 0, 0]


def test_o22_points_are_not_lost_with_the_altar():
    ladders = {"sparta": {"farmer": 2, "carrier": 2, "florist": 2, "servant": 1}}
    altars = {"ares": "2 chicken corinth"}
    now = play(offering(ladders=ladders, altars=altars), "offer 2 pig ares")
    assert scores(now) == [4, 2, 0, 0]


# -- the end


def test_o23_income_and_the_marker():
    now = play(
        offering(3, first=0, ladders={"thebes": ALL_READY}, drachmas={0: 0, 1: 14, 2: 15, 3: 16}), "decline"
    )
    assert purses(now) == [10, 24, 25, 25]
    assert (now.to_json()["first"], now.to_act, now.to_json()["round"]) == (1, 1, 3)


@pytest.mark.parametrize(("score", "over"), [(98, False), (99, True)])
def test_o24_more_than_100_points_end_the_game(score, over):
    ladders = {"thebes": {"farmer": 2, "carrier": 1, "florist": 1, "servant": 1}}
    now = play(offering(3, ladders=ladders, scores={3: score}, drachmas={0: 3}), "offer 1 pig ares")
    assert now.is_over is over
    if over:
        obj = now.to_json()
        assert (obj["to_act"], obj["phase"], obj["round"], obj["first"], obj["turn"]) == (
            NOBODY,
            "over",
            2,
            0,
            0,
        )
        assert obj["players"][0]["drachmas"] == 3  # no income
        assert obj["pending"] == {
            "kind": "over",
            "result": "points",
            "winners": [3],
            "totals": [0, 0, 0, 106],
        }


ELEVEN = {
    "hephaistos": "1 chicken sparta", "ares": "1 chicken athens", "hermes": "1 chicken athens",
    "athena": "1 pig corinth", "hera": "1 pig corinth", "aphrodite": "1 pig athens",
    "artemis": "1 goat thebes", "apollon": "1 goat thebes",
    "hades": "1 sheep corinth", "poseidon": "1 sheep thebes", "zeus": "1 ox sparta",
}  # fmt: skip


def test_o24_an_offering_on_every_altar_ends_the_game():
    ten = {altar: lying for altar, lying in ELEVEN.items() if altar != "ares"}
    now = offering(2, ladders={"athens": ALL_READY, "thebes": ALL_READY | {"farmer": 2}}, altars=ten)
    now = play(now, "offer 1 chicken ares")
    assert now.to_act == 3  # everybody has the phase (O17)
    now.apply("decline")
    assert now.is_over
    assert now.to_json()["pending"]["result"] == "altars"


def ended(totals_altars=None, **more):
    return state("over", NOBODY, altars=totals_altars or ELEVEN, **more)


def test_o25_most_points_then_more_altars_then_a_shared_win():
    # Altars: Sparta 2 with 30 points, Corinth 3 with 40, Athens 3 with 20, Thebes 3 with 50.
    now = ended(scores={0: 50, 1: 40, 2: 50, 3: 30})
    assert now.to_json()["pending"] == {
        "kind": "over", "result": "altars", "winners": [1, 3], "totals": [80, 80, 70, 80]
    }  # fmt: skip
    assert now.returns() == [0, 0.5, 0, 0.5]
    assert now.ranks() == [3, 1, 4, 1]
    assert ended(scores={0: 51, 1: 40, 2: 50, 3: 30}).returns() == [1, 0, 0, 0]


def test_o26_a_game_of_100_rounds_is_a_draw_by_length():
    now = offering(3, ladders={"thebes": ALL_READY}, round=100, scores={3: 40})
    now = play(now, "offer 1 chicken ares")
    assert now.is_over
    assert now.to_json()["pending"] == {
        "kind": "over",
        "result": "length",
        "winners": [],
        "totals": [0, 0, 0, 46],
    }
    assert now.returns() == [0.25] * 4
    assert now.ranks() == [2, 2, 2, 1]
    assert "nobody wins" in str(now)
    # A game that ends by its points or altars in that round is none (O24).
    won = play(offering(3, ladders={"thebes": ALL_READY}, round=100, scores={3: 100}), "offer 1 chicken ares")
    assert (won.to_json()["pending"]["result"], won.returns()) == ("points", [0, 0, 0, 1])
    # Not one round earlier.
    assert not play(offering(3, ladders={"thebes": ALL_READY}, round=99), "decline").is_over


def test_o27_nothing_is_hidden():
    now = example("auction servant guard", "bid 3")
    for seat in (SPECTATOR, 0, 1, 2, 3):
        assert now.observation(seat) == now.to_json() | {"observer": seat}
    for seed in range(3):
        assert state_from_observation(now.observation(2), seed=seed).to_json() == now.to_json()
    assert len({now.information_key(seat) for seat in range(4)}) == 1
    assert now.game.public_moves
    assert all(now.imagined(seat, seed).to_json() == now.to_json() for seat in range(4) for seed in range(3))


# -- for search


def test_an_auction_turn_is_one_turn_of_the_search():
    now = example()
    assert start().turn_number == play(start(), "first sparta").turn_number == 0
    for move in ("auction servant guard", "bid 3", "pass", "pass", "bid 4", "pass", "auction farmer carrier"):
        assert now.turn_number == 1
        now.apply(move)
    assert play(now, "bid 2", "pass", "pass").turn_number == 2
    assert state("auction", 1, first=2).turn_number == 1 * 6 + 1 + 3
    assert (
        bribery(0, {"sparta": {"seducer": 1, "farmer": 1}, "athens": {"farmer": 1}}).turn_number == 6 + 1 + 4
    )
    assert offering(ladders={"sparta": ALL_READY}).turn_number == 6 + 1 + 5
    assert ended().turn_number == 6 + 1 + 5


def test_scenarios_are_written_as_they_are_read():
    obj = position("bid", 1)
    assert state("bid", 1).to_json() == obj
