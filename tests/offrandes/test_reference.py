"""The reference implementation of Offrandes against the rulings: the worked examples, every ruling that can be
got wrong, and what must hold in any game."""

import json
import random
from fractions import Fraction

import pytest

from tests.offrandes import reference as ref

EXAMPLE = [
    "first sparta",
    "recruit farmer carrier guard",
    "recruit carrier florist guard",
    "recruit servant priestess seducer",
    "recruit farmer florist servant",
]
AUCTION_TURN = ["auction servant guard", "bid 3", "pass", "pass", "bid 4", "pass"]
AUCTION_TURN += ["auction farmer carrier", "bid 2", "pass", "pass"]


def played(texts, players=4):
    state = ref.new_state({"players": players})
    for text in texts:
        state = ref.apply(state, text)
        ref.check(state)
    return state


def position(phase, to_act, players=4, first=0, turn=None, ladders=None, **changes):
    """A position of round 2 with ladders by city; what is not named is as at the start."""
    state = ref.new_state({"players": players})
    turn = to_act if turn is None else turn
    state.update(round=2, first=first, turn=turn, to_act=to_act, phase=phase)
    for city, levels in (ladders or {}).items():
        state["players"][ref.CITIES.index(city)]["ladders"].update(levels)
    state.update(changes)
    return state


def auction(auctioneer, purses, sold=(), buyers=(), ladders=None, first=0):
    """An auctioneer about to put up a pair, with the drachmas of every seat."""
    state = position("auction", auctioneer, len(purses), first, ladders=ladders)
    state["pending"] = {"kind": "auction", "seat": auctioneer, "sold": list(sold), "buyers": list(buyers)}
    for player, drachmas in zip(state["players"], purses, strict=True):
        player["drachmas"] = drachmas
    return state


def bribery(to_act, ladders, bribed=(), players=4, first=0):
    state = position("bribe", to_act, players, first, ladders=ladders)
    state["pending"] = {"kind": "bribe", "seat": to_act, "bribed": list(bribed)}
    return state


def lay(state, altar, city, number, animal):
    """Puts an offering on an altar; its owner's score covers it."""
    ref.altar_of(state, altar).update(city=city, number=number, animal=animal)
    state["supply"][animal] -= number
    state["players"][ref.CITIES.index(city)]["score"] += number * ref.VALUE[animal]


def levels(state, city):
    return state["players"][ref.CITIES.index(city)]["ladders"]


def scores(state):
    return [player["score"] for player in state["players"]]


# Set-up and auctions


def test_the_start_player_is_drawn_and_the_last_seat_chooses_first():
    state = ref.new_state({"players": 5})
    assert ref.outcomes(state) == {f"first {city}": Fraction(1, 5) for city in ref.CITIES}
    state = ref.apply(state, "first athens")
    asked = []
    while state["phase"] == "setup":
        asked.append(state["to_act"])
        assert len(ref.legal_moves(state)) == 35
        state = ref.apply(state, "recruit farmer florist guard")
    assert asked == [1, 0, 4, 3, 2]
    assert (state["phase"], state["turn"], state["to_act"]) == ("auction", 2, 2)


def test_set_up_of_the_rulebook():
    state = played(EXAMPLE)
    assert [character for character, at in levels(state, "sparta").items() if at] == [
        "farmer",
        "florist",
        "servant",
    ]
    assert [character for character, at in levels(state, "corinth").items() if at] == [
        "servant",
        "priestess",
        "seducer",
    ]
    assert [character for character, at in levels(state, "athens").items() if at] == [
        "carrier",
        "florist",
        "guard",
    ]
    assert [character for character, at in levels(state, "thebes").items() if at] == [
        "farmer",
        "carrier",
        "guard",
    ]


def test_the_position_of_the_format():
    state = played(EXAMPLE + AUCTION_TURN[:4])
    assert state["pending"] == {
        "kind": "bid",
        "seat": 3,
        "sold": [],
        "buyers": [],
        "pair": ["servant", "guard"],
        "high": 3,
        "leader": 0,
        "bidders": [0, 3],
    }
    assert (state["round"], state["first"], state["turn"], state["to_act"], state["phase"]) == (
        1,
        0,
        0,
        3,
        "bid",
    )
    assert state["players"][0] == {
        "city": "sparta",
        "drachmas": 10,
        "score": 0,
        "ladders": {
            "farmer": 1,
            "carrier": 0,
            "florist": 1,
            "servant": 1,
            "priestess": 0,
            "seducer": 0,
            "guard": 0,
        },
    }


def test_spartas_auction_turn():
    state = played(EXAMPLE + AUCTION_TURN[:6])
    assert state["pending"] == {"kind": "auction", "seat": 0, "sold": ["servant", "guard"], "buyers": [3]}
    state = played(EXAMPLE + AUCTION_TURN)
    assert state["pending"] == {"kind": "auction", "seat": 1, "sold": [], "buyers": []}
    assert state["turn"] == 1
    assert [player["drachmas"] for player in state["players"]] == [8, 10, 10, 6]
    assert (levels(state, "thebes")["servant"], levels(state, "thebes")["guard"]) == (1, 2)
    assert (levels(state, "sparta")["farmer"], levels(state, "sparta")["carrier"]) == (2, 1)


def test_a_pass_is_final_and_the_auctioneer_bids_again():
    state = auction(0, [10, 10, 10])
    for text, asked in [("auction farmer guard", 0), ("bid 1", 1), ("bid 2", 2), ("pass", 0), ("bid 4", 1)]:
        state = ref.apply(state, text)
        assert state["to_act"] == asked
    assert ref.legal_moves(state) == [f"bid {amount}" for amount in range(5, 11)] + ["pass"]
    state = ref.apply(state, "pass")
    assert state["players"][0]["drachmas"] == 6
    assert (state["phase"], state["turn"]) == ("auction", 1)


def test_the_third_auction_is_the_last_and_with_three_players_the_second():
    for players, auctions in [(3, 2), (4, 3), (5, 3)]:
        state = auction(0, [10] * players)
        for number in range(auctions):
            assert state["turn"] == 0
            unsold = [name for name in ref.CHARACTERS if name not in state["pending"]["sold"]]
            assert len(ref.legal_moves(state)) == len(unsold) * (len(unsold) - 1) // 2 + 1
            state = ref.apply(state, "auction " + " ".join(unsold[:2]))
            state = ref.apply(state, "bid 1")
            assert state["to_act"] == number + 1
            state = ref.apply(state, "bid 2")
            while state["phase"] == "bid":
                state = ref.apply(state, "pass")
        assert (state["phase"], state["turn"], state["pending"]["buyers"]) == ("auction", 1, [])


def test_who_cannot_bid_higher_passes_by_itself():
    state = ref.apply(auction(0, [10, 3, 0, 5]), "auction farmer guard")
    asked = ref.apply(state, "bid 3")
    assert asked["to_act"] == 3
    assert asked["pending"]["bidders"] == [0, 3]
    sold = ref.apply(state, "bid 5")
    assert (sold["phase"], sold["turn"], sold["players"][0]["drachmas"]) == ("auction", 1, 5)


def test_a_poor_bidder_is_among_the_bidders_until_asked():
    state = ref.apply(ref.apply(auction(0, [10, 9, 0, 5]), "auction farmer guard"), "bid 3")
    assert state["to_act"] == 1
    assert state["pending"]["bidders"] == [0, 1, 2, 3]


def test_an_opening_bid_out_of_one_drachma_is_made_by_itself():
    state = ref.apply(auction(0, [1, 9, 9]), "auction farmer guard")
    assert (state["phase"], state["pending"]["high"], state["to_act"]) == ("bid", 1, 1)


def test_auction_turns_without_a_drachma_are_skipped():
    state = ref.apply(auction(0, [5, 0, 0, 2]), "end")
    assert (state["phase"], state["turn"]) == ("auction", 3)


def test_one_end_may_lead_to_the_next_round():
    state = ref.apply(auction(2, [5, 0, 20]), "end")
    assert (state["round"], state["first"], state["turn"], state["phase"]) == (3, 1, 1, "auction")
    assert [player["drachmas"] for player in state["players"]] == [15, 10, 25]  # O23


# Ladders


def test_the_top_field_takes_one_disc():
    ladders = {"sparta": {"farmer": 4, "guard": 2}, "corinth": {"farmer": 5}, "athens": {"farmer": 4}}
    state = auction(0, [10, 0, 0, 0], ladders=ladders)
    state = ref.apply(ref.apply(state, "auction farmer guard"), "bid 2")
    assert [levels(state, city)["farmer"] for city in ref.CITIES[:4]] == [5, 4, 4, 0]
    assert levels(state, "sparta")["guard"] == 3


def test_a_disc_on_the_top_field_stays_and_the_pair_is_paid():
    state = auction(0, [10, 0, 0], ladders={"sparta": {"farmer": 5, "guard": 5}})
    state = ref.apply(ref.apply(state, "auction farmer guard"), "bid 7")
    assert (levels(state, "sparta")["farmer"], levels(state, "sparta")["guard"]) == (5, 5)
    # Nobody else has a drachma, so that a whole round passed (O4).
    assert (state["round"], state["players"][0]["drachmas"]) == (3, 13)


# Bribery

RULEBOOK_BRIBERY = {
    "sparta": {"farmer": 2, "carrier": 1, "florist": 1, "servant": 1, "seducer": 1},
    "corinth": {"florist": 1, "servant": 1, "priestess": 1, "seducer": 2, "guard": 1},
    "athens": {"farmer": 4, "carrier": 2, "florist": 1, "servant": 2},
    "thebes": {"farmer": 1, "carrier": 2, "florist": 2, "servant": 1, "seducer": 1, "guard": 1},
}


def test_the_bribery_and_the_offerings_of_the_rulebook():
    state = bribery(1, RULEBOOK_BRIBERY)
    assert ref.bribe_order(state) == [1, 0, 3, 2]
    assert {move.split()[1] for move in ref.legal_moves(state) if move != "decline"} == {
        "sparta",
        "athens",
        "thebes",
    }
    state = ref.apply(state, "bribe sparta florist")
    assert state["to_act"] == 0
    assert {move.split()[1] for move in ref.legal_moves(state) if move != "decline"} == {"athens"}
    # Thebes and Athens can bribe nobody, Sparta and Corinth have nothing to offer.
    state = ref.apply(state, "bribe athens carrier")
    assert (state["phase"], state["to_act"]) == ("offer", 2)
    assert sorted(ref.legal_moves(state)) == sorted(
        ["decline"] + [f"offer 1 sheep {altar}" for altar in ref.ALTARS[:6]]
    )
    state = ref.apply(state, "offer 1 sheep athena")
    assert state["to_act"] == 3
    state = ref.apply(state, "offer 2 chicken hermes")
    assert ref.altar_of(state, "hermes") == {
        "altar": "hermes",
        "city": "thebes",
        "number": 2,
        "animal": "chicken",
    }
    assert (state["supply"]["chicken"], state["supply"]["sheep"]) == (13, 14)
    assert scores(state) == [0, 0, 4, 2]


def test_equal_seducers_go_clockwise_from_the_start_player():
    ladders = {city: {"seducer": 2} for city in ref.CITIES}
    assert ref.bribe_order(bribery(3, ladders, players=5, first=3)) == [3, 4, 0, 1, 2]


def test_a_top_disc_is_bribed_by_a_top_seducer_only():
    ladders = {"sparta": {"seducer": 4, "farmer": 1, "carrier": 1}, "corinth": {"farmer": 5, "carrier": 4}}
    assert sorted(ref.legal_moves(bribery(0, ladders))) == ["bribe corinth carrier", "decline"]
    ladders["sparta"]["seducer"] = 5
    state = ref.apply(bribery(0, ladders), "bribe corinth farmer")
    assert (levels(state, "corinth")["farmer"], levels(state, "sparta")["farmer"]) == (4, 2)


def test_a_bribe_may_send_a_third_disc_down():
    ladders = {
        "sparta": {"seducer": 1, "farmer": 4},
        "corinth": {"farmer": 4},
        "athens": {"farmer": 5, "guard": 5},
    }
    state = ref.apply(bribery(0, ladders), "bribe corinth farmer")
    assert [levels(state, city)["farmer"] for city in ref.CITIES[:3]] == [5, 3, 4]


def test_a_briber_on_the_top_field_may_still_do_harm():
    ladders = {"sparta": {"seducer": 1, "farmer": 5}, "corinth": {"farmer": 1}}
    state = ref.apply(bribery(0, ladders), "bribe corinth farmer")
    assert [levels(state, city)["farmer"] for city in ref.CITIES[:2]] == [5, 0]


def test_nobody_is_bribed_twice_and_the_bribed_may_bribe():
    ladders = {city: {"seducer": 2, "farmer": 2} for city in ref.CITIES[:4]}
    state = ref.apply(bribery(0, ladders), "bribe corinth farmer")
    assert state["to_act"] == 1
    assert sorted(ref.legal_moves(state)) == [
        f"bribe {city} farmer" for city in ("athens", "sparta", "thebes")
    ] + ["decline"]
    state = ref.apply(state, "bribe sparta farmer")
    assert state["pending"]["bribed"] == [0, 1]


# Offerings


def offering(to_act=0, farmer=4, number=2, servant=2, priestess=0):
    ladder = {
        "farmer": farmer,
        "carrier": number,
        "florist": number + 1,
        "servant": servant,
        "priestess": priestess,
    }
    return position("offer", to_act, ladders={ref.CITIES[to_act]: ladder})


def test_two_sheep_fit_three_altars_only():
    state = offering()
    for altar, number, animal in [
        ("hephaistos", 3, "chicken"),
        ("ares", 2, "sheep"),
        ("hermes", 2, "chicken"),
        ("athena", 1, "sheep"),
        ("hera", 1, "ox"),
    ]:
        lay(state, altar, "thebes", number, animal)
    lay(state, "aphrodite", "sparta", 2, "pig")
    ref.check(state)
    assert sorted(ref.legal_moves(state)) == [
        "decline",
        "offer 2 sheep aphrodite",
        "offer 2 sheep athena",
        "offer 2 sheep hermes",
    ]
    state = ref.apply(state, "offer 2 sheep aphrodite")
    assert state["supply"]["pig"] == 15
    assert scores(state)[0] == 4 + 8  # points are never lost


def test_points_of_one_round():
    ladders = {
        "sparta": {"farmer": 1, "carrier": 1, "florist": 1, "servant": 1, "priestess": 2},
        "corinth": {"farmer": 3, "carrier": 1, "florist": 2, "servant": 1, "priestess": 4},
        "athens": {"farmer": 5, "carrier": 3, "florist": 2, "servant": 2, "priestess": 2},
        "thebes": {"farmer": 4, "carrier": 3, "florist": 3, "servant": 2},
    }
    state = position("offer", 0, ladders=ladders)
    for text in ["offer 1 chicken ares", "offer 1 goat hermes", "offer 2 ox hera", "offer 3 sheep athena"]:
        ref.check(state)
        state = ref.apply(state, text)
    assert scores(state) == [5, 11, 14, 12]


def test_a_short_supply_leaves_fewer_or_lesser_animals():
    state = offering(farmer=3, number=4, servant=1)
    for altar, number in [("zeus", 5), ("hades", 5), ("poseidon", 3)]:
        lay(state, altar, "thebes", number, "goat")
    for altar, number in [("apollon", 5), ("artemis", 5), ("hera", 5)]:
        lay(state, altar, "corinth", number, "pig")
    altars = ref.ALTARS[:3]
    assert sorted(ref.legal_moves(state)) == sorted(
        ["decline"]
        + [f"offer 2 goat {altar}" for altar in altars]
        + [f"offer 4 chicken {altar}" for altar in altars]
    )
    state["players"][0]["ladders"]["carrier"] = 2  # two goats are enough now
    assert sorted(ref.legal_moves(state)) == sorted(
        ["decline"] + [f"offer 2 goat {altar}" for altar in altars]
    )


def test_no_animal_of_all_these_is_no_offering():
    state = offering(farmer=1, number=1)
    for altar in ("zeus", "hades", "poseidon"):
        lay(state, altar, "thebes", 5, "chicken")
    assert ref.legal_moves(state) == ["decline"]


@pytest.mark.parametrize("missing", ["farmer", "carrier", "florist", "servant"])
def test_a_level_of_zero_leaves_nothing_to_offer(missing):
    state = offering()
    state["players"][0]["ladders"][missing] = 0
    assert ref.legal_moves(state) == ["decline"]


# The end


def last_offer(score):
    """Thebes, the last of the round, is to offer 2 sheep (8 points) with this score."""
    state = offering(to_act=3)
    state["players"][3]["score"] = score
    ref.check(state)
    return state


def test_exactly_100_points_do_not_end_the_game():
    state = ref.apply(last_offer(92), "offer 2 sheep ares")
    assert (state["phase"], state["round"]) == ("auction", 3)
    state = ref.apply(last_offer(93), "offer 2 sheep ares")
    assert state["pending"] == {"kind": "over", "result": "points", "winners": [3], "totals": [0, 0, 0, 106]}
    assert (state["round"], state["first"], state["turn"], state["to_act"]) == (2, 0, 0, ref.OVER)


def test_all_seats_have_the_last_phase():
    state = offering(to_act=0)
    state["players"][0]["score"] = 99
    state["players"][3]["ladders"].update(farmer=1, carrier=1, florist=1, servant=1)
    state = ref.apply(state, "offer 2 sheep ares")
    ref.check(state)
    assert (state["phase"], state["to_act"]) == ("offer", 3)
    assert ref.apply(state, "decline")["phase"] == "over"


def final_altars():
    """All altars but Hermes taken as in the example of the final scoring; Athens, the last, will take it."""
    state = offering(to_act=2, farmer=1, number=1, servant=1)
    state.update(first=3)
    owned = {
        "sparta": ["hephaistos", "zeus"],
        "corinth": ["athena", "hera", "hades"],
        "athens": ["ares", "aphrodite"],
        "thebes": ["artemis", "apollon", "poseidon"],
    }
    for city, altars in owned.items():
        for altar in altars:
            lay(state, altar, city, 1, "ox" if altar == "ares" else "pig")
    ref.check(state)
    return state


def test_points_of_the_altars():
    state = ref.apply(final_altars(), "offer 1 chicken hermes")
    assert state["pending"]["result"] == "altars"
    assert [
        total - score for total, score in zip(state["pending"]["totals"], scores(state), strict=True)
    ] == [
        30,
        40,
        20,
        50,
    ]
    assert state["pending"]["winners"] == [3]
    assert ref.returns(state) == [0, 0, 0, 1]
    ref.check(state)


def test_more_altars_break_a_tie_and_else_the_win_is_shared():
    state = final_altars()
    totals = [ref.total(state, seat) for seat in range(4)]
    state["players"][0]["score"] += 100 - totals[0]
    state["players"][1]["score"] += 100 - totals[1]
    over = ref.apply(state, "offer 1 chicken hermes")
    assert over["pending"]["totals"][:2] == [100, 100]
    assert (over["pending"]["winners"], ref.ranks(over)[:2]) == ([1], [2, 1])
    state["players"][3]["score"] += 100 - totals[3]
    over = ref.apply(state, "offer 1 chicken hermes")
    assert (over["pending"]["winners"], ref.ranks(over)) == ([1, 3], [3, 1, 4, 1])
    assert ref.returns(over) == [0, Fraction(1, 2), 0, Fraction(1, 2)]


def test_a_draw_by_length():
    state = last_offer(50)
    state["round"] = 100
    over = ref.apply(state, "decline")
    ref.check(over)
    assert over["pending"] == {"kind": "over", "result": "length", "winners": [], "totals": [0, 0, 0, 50]}
    assert ref.returns(over) == [Fraction(1, 4)] * 4
    assert ref.ranks(over) == [2, 2, 2, 1]
    state["players"][3]["score"] = 95
    assert ref.apply(state, "offer 2 sheep ares")["pending"]["result"] == "points"


# Any game


def without_defaults(value):
    if isinstance(value, dict):
        lean = {key: without_defaults(item) for key, item in value.items()}
        return {key: item for key, item in lean.items() if item not in (0, "", [], {})}
    return [without_defaults(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("players", [3, 4, 5])
def test_random_games(players):
    """`check` holds the conservation of animals and discs; here the rest that no position shows."""
    for seed in range(5):
        rng = random.Random(100 * players + seed)
        state = ref.new_state({"players": players})
        turn = 0
        while state["phase"] != "over":
            before = json.dumps(state)
            moves = ref.legal_moves(state)
            assert len(set(moves)) == len(moves) <= 56
            assert set(ref.outcomes(state)) == (set(moves) if state["to_act"] == ref.CHANCE else set())
            after = ref.apply(state, rng.choice(moves))
            assert json.dumps(state) == before
            assert json.loads(json.dumps(after)) == after
            ref.check(after)
            assert ref.complete(without_defaults(after)) == after
            assert ref.turn_number(after) >= turn
            assert all(new >= old for new, old in zip(scores(after), scores(state), strict=True))
            assert ref.observation(after, 1) == {**after, "observer": 1}
            state, turn = after, ref.turn_number(after)
        assert sum(ref.returns(state)) == 1
        assert state["pending"]["result"] in ("altars", "points")
        assert ref.complete({name: value for name, value in state.items() if name != "pending"}) == state


def test_a_move_that_is_not_legal_is_refused():
    state = played(EXAMPLE)
    for text in ["auction guard servant", "auction farmer farmer", "bid 1", "pass", "", "end "]:
        with pytest.raises(ValueError, match="not legal"):
            ref.apply(state, text)


def set_at(state, path, value):
    *parents, last = path
    for part in parents:
        state = state[part]
    state[last] = value


BID = EXAMPLE + AUCTION_TURN[:4]


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (["players", 0, "ladders", "guard"], 6, "players[0].ladders.guard"),
        (["players", 0, "drachmas"], 26, "players[0].drachmas"),
        (["players", 0, "score"], 101, "players[0].score"),
        (["players", 1, "city"], "delos", "players[1].city"),
        (["round"], 101, "round"),
        (["round"], True, "round"),
        (["secret"], 1, "secret"),
        (["altars", 2, "number"], 2, "altars[2].city"),
        (["altars", 2, "altar"], "ares", "altars[2].altar"),
        (["supply", "pig"], 14, "supply.pig"),
        (["pending", "high"], 11, "pending.high"),
        (["pending", "high"], 0, "pending.high"),
        (["pending", "high"], 10, "to_act"),
        (["pending", "leader"], 1, "pending.leader"),
        (["pending", "leader"], 3, "to_act"),
        (["pending", "bidders"], [0], "to_act"),
        (["pending", "buyers"], [1], "pending.sold"),
        (["pending", "pair"], ["guard"], "pending.pair"),
        (["pending", "seat"], 0, "pending.seat"),
    ],
)
def test_impossible_positions_are_refused_with_their_path(path, value, where):
    state = played(BID)
    set_at(state, path, value)
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        ref.check(state)
    assert str(refused.value).startswith(where + ":")


def test_two_discs_on_the_top_field_are_refused():
    state = played(BID)
    state["players"][0]["ladders"]["guard"] = state["players"][2]["ladders"]["guard"] = 5
    with pytest.raises(ValueError, match=r"players\[2\].ladders.guard: is a second disc"):
        ref.check(state)
