"""Positions that no game can reach are refused, and the part is named; those of games come back as they were."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythia.core_cy import (
    CHANCE,
    NOBODY,
    BadPosition,
    Random,
    load_game,
    state_from_json,
    state_from_observation,
)
from tests.offrandes.positions import example, position, state
from tests.offrandes.test_rules import ALL_READY, ELEVEN
from tests.positions import changed

AUCTION = position("auction", 1, turn=1)
BID = position("bid", 1, turn=0)
SOLD = {"sold": ["farmer", "guard"], "buyers": [2]}
OFFER = position(
    "offer", 1, ladders={"corinth": ALL_READY, "athens": ALL_READY}, altars={"ares": "2 pig athens"}
)
BRIBERS = {
    "sparta": {"seducer": 1, "farmer": 1},
    "corinth": {"farmer": 1, "seducer": 1},
    "athens": {"farmer": 1},
}
BRIBE = position("bribe", 1, ladders=BRIBERS)
OVER = position("over", NOBODY, altars=ELEVEN)
FIRST = load_game("offrandes", players=4, seed=1).new_state().to_json()
ASKED = {"farmer": 1, "carrier": 1, "guard": 1}


def in_setup(to_act=1, first=0, **more):
    """Thebes and Athens have chosen, Corinth is asked."""
    ladders = more.pop("ladders", {"thebes": ASKED, "athens": ASKED})
    return position("setup", to_act, first=first, ladders=ladders, **{"round": 1} | more)


def refuse(obj, path, reason, read=state_from_json):
    with pytest.raises(BadPosition) as error:
        read(obj)
    assert error.value.path == path
    assert reason in error.value.reason


def part(obj, *path, value):
    return changed(obj, *path, value=value)


def altar(place, **fields):
    return changed(OFFER, "altars", place, value=OFFER["altars"][place] | fields)


@pytest.mark.parametrize(
    ("obj", "path", "reason"),
    [
        # what the format is
        (part(AUCTION, "format", value=2), "format", "2 is not allowed; allowed: 1"),
        (part(AUCTION, "cards", value=[]), "cards", "there is no such field"),
        (
            part(AUCTION, "options", "players", value=6),
            "options.players",
            "6 is not allowed; allowed: 3 to 5",
        ),
        (
            part(AUCTION, "options", "players", value=...),
            "options.players",
            "0 is not allowed; allowed: 3 to 5",
        ),
        (part(AUCTION, "options", value=...), "options", "is missing"),
        (part(AUCTION, "options", "players", value=3), "players", "4 are listed, but 3 play"),
        (part(AUCTION, "players", value=AUCTION["players"][:3]), "players", "3 are listed, but 4 play"),
        (part(AUCTION, "players", value={}), "players", "a list"),
        (part(AUCTION, "round", value=0), "round", "0 is not allowed; allowed: 1 to 100"),
        (part(AUCTION, "round", value=101), "round", "101 is not allowed; allowed: 1 to 100"),
        (part(AUCTION, "round", value=True), "round", "True is not allowed"),
        (part(AUCTION, "first", value=4), "first", "4 is not allowed; allowed: 0 to 3"),
        (part(AUCTION, "phase", value="draw"), "phase", "'draw' is not allowed; allowed: first, setup"),
        (part(AUCTION, "phase", value=...), "phase", "'' is not allowed"),
        (part(AUCTION, "to_act", value=4), "to_act", "4 is not allowed; allowed: 0 to 3"),
        (part(AUCTION, "to_act", value=CHANCE), "to_act", "-1 is not allowed"),
        # players
        (part(AUCTION, "players", 1, "city", value="athens"), "players[1].city", "allowed: corinth"),
        (part(AUCTION, "players", 1, "city", value=...), "players[1].city", "allowed: corinth"),
        (part(AUCTION, "players", 1, "drachmas", value=26), "players[1].drachmas", "allowed: 0 to 25"),
        (part(AUCTION, "players", 1, "score", value=136), "players[1].score", "allowed: 0 to 135"),
        (part(AUCTION, "players", 1, "hand", value=[]), "players[1].hand", "there is no such field"),
        (part(AUCTION, "players", 1, "ladders", "farmer", value=6), "players[1].ladders.farmer", "0 to 5"),
        (
            part(AUCTION, "players", 1, "ladders", "priest", value=1),
            "players[1].ladders.priest",
            "no such field",
        ),
        (
            position("auction", 0, ladders={"sparta": {"guard": 5}, "athens": {"guard": 5}}),
            "players[2].ladders.guard",
            "seat 0 has the top field, which takes one disc (O11)",
        ),
        # altars and supply
        (altar(1, altar="hermes"), "altars[2].altar", "hermes is there twice"),
        (altar(1, altar="dionysos"), "altars[1].altar", "'dionysos' is not allowed"),
        (part(OFFER, "altars", value=OFFER["altars"][:10]), "altars", "zeus is missing"),
        (altar(1, number=6), "altars[1].number", "6 is not allowed; allowed: 0 to 5"),
        (altar(1, number=-1), "altars[1].number", "-1 is not allowed; allowed: 0 to 5"),
        (altar(1, city="delos"), "altars[1].city", "'delos' is not allowed; allowed: sparta"),
        (altar(1, city=""), "altars[1].city", "'' is not allowed"),
        (altar(1, animal=""), "altars[1].animal", "'' is not allowed"),
        (altar(1, animal="cow"), "altars[1].animal", "'cow' is not allowed; allowed: chicken"),
        (altar(0, city="sparta"), "altars[0].city", "hephaistos has no animals, so it has no city"),
        (altar(0, animal="pig"), "altars[0].animal", "hephaistos has no animals, so it has no animal"),
        (altar(1, number=3), "supply.pig", "13 here and 3 on altars; there are 15"),
        (part(OFFER, "supply", "ox", value=14), "supply.ox", "14 here and 0 on altars; there are 15"),
        (part(OFFER, "supply", "ox", value=16), "supply.ox", "16 is not allowed; allowed: 0 to 15"),
        (part(OFFER, "supply", "cow", value=1), "supply.cow", "there is no such field"),
        # scores
        (
            part(OFFER, "players", 2, "score", value=3),
            "players[2].score",
            "3, but the offerings on its altars brought 4 (O22)",
        ),
        (part(AUCTION, "players", 2, "score", value=101), "players[2].score", "the game was over after"),
        (part(OFFER, "players", 1, "score", value=101), "players[1].score", "the game was over after"),
        (part(OFFER, "players", 2, "score", value=101), "players[2].score", "the game was over after"),
        (position("auction", 1, altars=ELEVEN), "altars", "all have an offering, so the game was over"),
        (position("offer", 0, altars=ELEVEN), "altars", "all have an offering, so the game was over"),
        # before the first round
        (part(FIRST, "round", value=2), "round", "2 is not allowed; allowed: 1 in phase first"),
        (FIRST | {"first": 1, "turn": 1}, "first", "1 is not allowed; allowed: 0 before the start"),
        (part(FIRST, "turn", value=1), "turn", "1 is not allowed; allowed: 0"),
        (part(FIRST, "to_act", value=0), "to_act", "0 is not allowed; allowed: -1"),
        (part(FIRST, "players", 0, "drachmas", value=9), "players[0].drachmas", "everybody has 10 (O1)"),
        (part(FIRST, "players", 0, "score", value=1), "players[0].score", "nobody has points (O1)"),
        (
            part(FIRST, "players", 0, "ladders", "guard", value=1),
            "players[0].ladders",
            "all on level 0 (O1, O3)",
        ),
        (FIRST | {"pending": {"kind": "first"}}, "pending.kind", "there is no such field"),
        (in_setup(round=2), "round", "2 is not allowed; allowed: 1 in phase setup"),
        (in_setup(drachmas={0: 11}), "players[0].drachmas", "11; before the first round"),
        (in_setup(altars={"ares": "1 pig sparta"}), "altars", "ares has an offering before the first round"),
        (in_setup(to_act=2), "players[2].ladders", "this seat has not been asked, so it has all on level 0"),
        (in_setup(to_act=0), "players[1].ladders", "this seat has been asked, so it has three characters"),
        (in_setup(first=1, to_act=3), "players[0].ladders", "this seat has been asked"),
        (
            in_setup(ladders={"thebes": {"farmer": 2, "guard": 1}, "athens": ASKED}),
            "players[3].ladders",
            "three characters on level 1",
        ),
        (part(in_setup(), "turn", value=0), "turn", "0 is not allowed; allowed: 1, as `to_act`"),
        # auctions
        (part(AUCTION, "turn", value=0), "turn", "0 is not allowed; allowed: 1, as `to_act`"),
        (part(position("open", 1), "turn", value=0), "turn", "0 is not allowed; allowed: 1, as `to_act`"),
        (part(AUCTION, "pending", "seat", value=2), "pending.seat", "2 is not allowed; allowed: 1"),
        (
            part(AUCTION, "pending", "kind", value="bid"),
            "pending.kind",
            "'bid' is not allowed; allowed: auction",
        ),
        (part(AUCTION, "pending", "seat", value=...), "pending.seat", "0 is not allowed; allowed: 1"),
        (part(AUCTION, "pending", "kind", value=...), "pending.kind", "'' is not allowed; allowed: auction"),
        (part(AUCTION, "pending", value=...), "pending.kind", "'' is not allowed; allowed: auction"),
        (part(AUCTION, "pending", "pair", value=[]), "pending.pair", "there is no such field"),
        (
            part(AUCTION, "pending", "sold", value=["guard"]),
            "pending.sold",
            "1 characters, but 0 seats bought",
        ),
        (part(AUCTION, "pending", "sold", value=["guard"] * 2), "pending.sold[1]", "guard is there twice"),
        (
            part(AUCTION, "pending", "buyers", value=[4]),
            "pending.buyers[0]",
            "4 is not allowed; allowed: 0 to 3",
        ),
        (part(AUCTION, "pending", "buyers", value=[1]), "pending.buyers", "seat 1 is the auctioneer"),
        (
            part(AUCTION, "pending", "buyers", value=[0, 2, 3]),
            "pending.buyers",
            "3; an auction turn with 4 players",
        ),
        (
            position("auction", 0, players=3, pending={"sold": ["farmer", "guard"] * 2, "buyers": [1, 2]}),
            "pending.sold[2]",
            "farmer is there twice",
        ),
        (
            position(
                "auction",
                0,
                players=3,
                pending={"sold": ["farmer", "guard", "carrier", "florist"], "buyers": [1, 2]},
            ),
            "pending.buyers",
            "2; an auction turn with 3 players has 2 auctions, so it is over (O8)",
        ),
        (
            position("open", 1, pending={"pair": ["guard"]}),
            "pending.pair",
            "1 characters; a pair has two (O6)",
        ),
        (position("open", 1, pending={"pair": ["guard"] * 2}), "pending.pair[1]", "guard is there twice"),
        (
            position("open", 1, pending=SOLD | {"pair": ["carrier", "guard"]}),
            "pending.pair[1]",
            "guard was sold in this auction turn (O6)",
        ),
        (part(BID, "pending", "high", value=0), "pending.high", "0 is not allowed; allowed: 1 to 25"),
        (
            part(BID, "pending", "high", value=11),
            "pending.high",
            "11, but seat 0, the leader, has 10 drachmas",
        ),
        (
            part(BID, "pending", "leader", value=1),
            "pending.leader",
            "1 is asked for a bid, so it cannot have",
        ),
        (
            part(BID, "pending", "bidders", value=[1, 2]),
            "pending.bidders",
            "seat 0 is the leader and not among",
        ),
        (
            part(BID, "pending", "bidders", value=[0, 2]),
            "pending.bidders",
            "seat 1 is asked for a bid and not",
        ),
        (
            position("bid", 1, turn=0, pending=SOLD | {"pair": ["carrier", "florist"]}),
            "pending.bidders",
            "seat 2 has bought in this auction turn (O8)",
        ),
        # bribery, offerings, the end
        (
            part(BRIBE, "pending", "bribed", value=[2, 3]),
            "pending.bribed",
            "2 seats, but 1 were asked before",
        ),
        (part(BRIBE, "pending", "sold", value=[]), "pending.sold", "there is no such field"),
        (OFFER | {"pending": {"kind": "offer"}}, "pending.kind", "there is no such field"),
        (
            position("over", NOBODY),
            "phase",
            "over, but not all altars have an offering, no score is above 100",
        ),
        (part(OVER, "to_act", value=0), "to_act", "0 is not allowed; allowed: -2"),
        (part(OVER, "turn", value=1), "turn", "1 is not allowed; allowed: 0, as `first`"),
        (part(OVER, "pending", "result", value="points"), "pending.result", "allowed: altars"),
        (part(OVER, "pending", "result", value="x"), "pending.result", "'x' is not allowed"),
        (part(OVER, "pending", "winners", value=[0]), "pending.winners", "the points say [3] (O25)"),
        (part(OVER, "pending", "totals", value=[1, 2, 3, 4]), "pending.totals", "scores and altars make"),
        (part(OVER, "pending", "seat", value=0), "pending.seat", "there is no such field"),
        # a choice of one (O4)
        (position("auction", 1, drachmas={1: 0}), "to_act", "seat 1 with 0 drachmas has no choice"),
        (position("open", 1, drachmas={1: 1}), "to_act", "seat 1 with 1 drachmas has no choice"),
        (position("bid", 1, turn=0, drachmas={1: 1}), "to_act", "seat 1 with 1 drachmas has no choice"),
        (position("bribe", 1), "to_act", "seat 1 can bribe nobody, so it is not asked (O4)"),
        (position("offer", 1), "to_act", "seat 1 can offer nothing, so it is not asked (O4)"),
    ],
)
def test_impossible_positions_are_refused_by_part(obj, path, reason):
    refuse(obj, path, reason)


def test_what_the_cases_above_begin_with_is_possible():
    for obj in (AUCTION, BID, OFFER, BRIBE, OVER, FIRST, in_setup(), in_setup(first=2, to_act=3, ladders={
        "corinth": ASKED, "sparta": ASKED,
    })):  # fmt: skip
        state_from_json(obj)


def test_a_result_may_be_left_out():
    """It follows from the rest, all of it or in part."""
    whole = state_from_json(OVER).to_json()
    for left_out in ([], *([name] for name in whole["pending"])):
        assert state_from_json(part(whole, "pending", *left_out, value=...)).to_json() == whole


def test_a_score_above_100_is_possible_for_who_has_offered():
    state("offer", 1, ladders={"corinth": ALL_READY}, scores={0: 135})
    state("over", NOBODY, scores={0: 135})
    state("over", NOBODY, round=100)


def test_all_altars_may_be_taken_within_the_phase():
    ladders = {"corinth": {"farmer": 5, "carrier": 1, "florist": 1, "servant": 1}}
    state("offer", 1, ladders=ladders, altars=ELEVEN)


def lean(value):
    """As proto3 writes it: without what is 0, empty or false."""
    if isinstance(value, dict):
        kept = {key: lean(part) for key, part in value.items()}
        return {key: part for key, part in kept.items() if part not in (0, "", [], {})}
    return [lean(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("players", [3, 4, 5])
def test_absent_fields_have_their_defaults_and_the_order_of_lists_does_not_matter(players):
    for seed in range(4):
        rng = Random(seed)
        now = load_game("offrandes", players=players, seed=seed).new_state()
        while not now.is_over:
            now.apply(now.sample_chance(rng) if now.to_act == CHANCE else now.random_move(rng))
            obj = now.to_json()
            assert state_from_json(lean(obj)).to_json() == obj
            mixed = json.loads(json.dumps(obj))
            for name in ("sold", "buyers", "pair", "bidders", "bribed", "winners"):
                mixed.get("pending", {}).get(name, []).reverse()
            mixed["altars"].reverse()
            assert state_from_json(mixed).to_json() == obj


def test_observations_are_read_for_seats_that_play():
    seen = example().observation(2)
    refuse(seen | {"observer": 4}, "observer", "4 is not allowed; allowed: 0 to 3", state_from_observation)
    refuse(seen, "observer", "this is what one seat sees")
    assert state_from_observation(seen).to_json() == example().to_json()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 200) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
BASES = [AUCTION, BID, OFFER, BRIBE, OVER, FIRST, in_setup()]


def ways(value, way=()):
    yield way
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in parts:
        yield from ways(item, (*way, key))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_json_does_anything_but_fail_by_its_part_or_be_read(data):
    base = data.draw(st.sampled_from(BASES))
    way = data.draw(st.sampled_from([way for way in ways(base) if way]))
    obj = changed(base, *way, value=data.draw(JSON))
    try:
        read = state_from_json(obj)
    except BadPosition:
        return
    assert state_from_json(read.to_json()).to_json() == read.to_json()
    assert read.is_over or len(read.legal_moves()) >= 2
