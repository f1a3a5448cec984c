"""Positions that no game can reach are refused, and the part is named; those of games come back as they were."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythia.core_cy import BadPosition, Random, load_game, state_from_json, state_from_observation
from tests.keltis.positions import position, state
from tests.positions import changed

BASE = state({}, {}).to_json()


def refuse(obj, path, reason, read=state_from_json):
    with pytest.raises(BadPosition) as error:
        read(obj)
    assert error.value.path == path
    assert reason in error.value.reason


HAND = BASE["players"][0]["hand"]
PILE = BASE["pile"]
PATH = BASE["path"]


@pytest.mark.parametrize(
    ("changes", "path", "reason"),
    [
        # hands
        ([("players", 0, "hand", HAND[:7])], "players[0].hand", "7 cards; there must be 8 now (K1)"),
        ([("players", 0, "hand", [*HAND, PILE[0]])], "players[0].hand", "9 cards; there must be 8"),
        ([("players", 0, "hand", ...)], "players[0].hand", "is missing"),
        ([("players", 0, "hand", ["blue 11", *HAND[1:]])], "players[0].hand[0]", "'blue 11' is not allowed"),
        (
            [("players", 0, "hand", [7, *HAND[1:]])],
            "players[0].hand[0]",
            "7 is not allowed; allowed: a card such",
        ),
        ([("players", 0, "hand", ["blue 4"] * 3 + HAND[3:])], "players[0].hand[2]", "is there three times"),
        ([("players", 0, "hand", [PILE[-1], *HAND[1:]])], "pile", "is seen 3 times; there are two (K1)"),
        ([("players", 0, "known", ["blue 0"])], "players[0].known", "is not in it"),
        # cards elsewhere
        ([("pile", PILE[:-1])], "pile_count", "64, but 63 cards are in the pile"),
        ([("pile", PILE[:-1]), ("pile_count", 63)], "pile", "is there 1 times; there are two (K1)"),
        ([("removed", BASE["removed"][:-1])], "removed", "29 cards; 30 left the game with 2 players"),
        ([("players", 0, "rows", "blue", [4, 4, 4])], "players[0].rows.blue[2]", "4 is there three times"),
        (
            [("players", 0, "rows", "blue", [4, 5, 4])],
            "players[0].rows.blue[2]",
            "4 after 5 in a rising row (K9)",
        ),
        (
            [("players", 0, "rows", "blue", [5, 4, 6])],
            "players[0].rows.blue[2]",
            "6 after 4 in a falling row",
        ),
        (
            [("players", 0, "rows", "blue", [11])],
            "players[0].rows.blue[0]",
            "11 is not allowed; allowed: 0 to 10",
        ),
        ([("players", 0, "rows", "white", [1])], "players[0].rows.white", "there is no such field"),
        ([("discards", "blue", [1, 1, 1])], "discards.blue", "1 is there three times"),
        ([("discards", "blue", [12])], "discards.blue[0]", "12 is not allowed; allowed: 0 to 10"),
        ([("discards", "blue", [0] * 23)], "discards.blue[22]", "a color has 22 cards (K1)"),
        ([("pile_count", 65)], "pile_count", "65 is not allowed; allowed: 0 to 64"),
        # the path
        ([("path", 0, "space", 7)], "path[0].space", "cannot lie on the big stone 7 (K5)"),
        ([("path", 0, "space", 0)], "path[0].space", "cannot lie on the start stone"),
        ([("path", 0, "space", 2)], "path[1].space", "two path tiles on space 2"),
        ([("path", PATH[1:])], "path", "space 1 has no tile"),
        ([("path", 0, "value", 5)], "path[0].value", "5 is not allowed; allowed: 1 to 4"),
        (
            [("path", 0, {"space": 1, "tile": "goblin"})],
            "path[26]",
            "the tile goblin is there 4 times; there are 3",
        ),
        (
            [("path", 0, {"space": 1, "tile": "clover", "color": "blue"})],
            "path[16]",
            "is there 2 times; there is 1",
        ),
        ([("path", 0, {"space": 1, "tile": "stone"})], "path[0].tile", "'stone' is not allowed"),
        ([("path", 0, "taken", True)], "path[0].taken", "a points tile has no taken"),
        ([("path", ...)], "path", "is missing"),
        # figures, stones, mirrors, points
        ([("players", 0, "figures", [0, 0])], "players[0].figures", "2 figures; a player has 3"),
        (
            [("players", 0, "figures", [36, 0, 0])],
            "players[0].figures[0]",
            "36 is not allowed; allowed: 0 to 35",
        ),
        (
            [("players", 0, "wish_stones", 1)],
            "wish_stones",
            "10 wish stones on the path and with the players",
        ),
        ([("wish_stones", 0, "space", 8)], "wish_stones[0].space", "space 8 is not a big stone (K3)"),
        ([("wish_stones", 0, "space", 14)], "wish_stones[1].space", "space 14 is there twice"),
        ([("wish_stones", 4, "stones", 2)], "wish_stones[4].stones", "2 is not allowed; allowed: 0 to 1"),
        ([("players", 0, "mirrors", 1)], "path", "0 mirrors are taken, but the players have 1"),
        ([("players", 0, "score", -1)], "players[0].score", "-1 is not allowed"),
        ([("players", 0, "goblins_scored", True)], "players[0].score", "less than the goblin scoring brings"),
        (
            [("players", 0, "goblins_scored", 1)],
            "players[0].goblins_scored",
            "1 is not allowed; allowed: true",
        ),
        ([("priestess", 36)], "priestess", "36 is not allowed"),
        # the turn
        ([("round", 0)], "round", "0 is not allowed; allowed: 1 to 100"),
        ([("turn", 2)], "turn", "2 is not allowed; allowed: 0 to 1"),
        ([("to_act", 1)], "to_act", "1 is not allowed; allowed: 0"),
        ([("phase", "sail")], "phase", "'sail' is not allowed"),
        ([("phase", "over")], "phase", "no goal is reached, the pile is not empty"),
        ([("players", 0, "figures", [29, 30, 31])], "phase", "so many figures are in the goal area"),
        ([("pending", {"kind": "take"})], "pending.kind", "'take', but the phase is 'play'"),
        ([("pending", {"draws": 1})], "pending.draws", "there is no such field"),
        # the rest
        ([("players", [])], "players", "0 players are not allowed; allowed: 2 to 4"),
        ([("players", 0, 3)], "players[0]", "3 is not allowed; allowed: an object"),
        ([("options", {"players": 3})], "options.players", "3, but 2 players are listed"),
        ([("options", {"clover": "all"})], "options.clover", "'all' is not allowed; allowed: same, any"),
        ([("options", {"goblin_values": [5, 10]})], "options.goblin_values", "2 values; there are 3"),
        ([("options", {"goblin_values": [5, 10, 0]})], "options.goblin_values[2]", "0 is not allowed"),
        ([("format", 2)], "format", "2 is not allowed"),
        ([("colour", 1)], "colour", "there is no such field"),
        ([("observer", 0)], "observer", "state_from_observation"),
    ],
)
def test_faults_are_named(changes, path, reason):
    obj = BASE
    for *way, value in changes:
        obj = changed(obj, *way, value=value)
    refuse(obj, path, reason)


def in_phase(phase, tiles=None, mover=None, **pending):
    """A position in the middle of seat 0's turn."""
    to_act = -1 if phase == "draw" else 0
    fields = {"phase": phase, "to_act": to_act, "pending": {"kind": phase, "seat": 0} | pending}
    return position(mover or {"figures": [8, 3, 0]}, {}, tiles=tiles or {}, **fields)


@pytest.mark.parametrize(
    ("obj", "path", "reason"),
    [
        (
            in_phase("clover", {"at8": "clover blue"}, space=9),
            "pending.space",
            "there is no clover on space 9",
        ),
        (
            in_phase("goblin", {"at16": "goblin"}, space=16),
            "pending.space",
            "seat 0 has no figure on space 16",
        ),
        (
            in_phase("spiral", {"at8": "spiral"}, space=8),
            "pending.spirals_used",
            "spiral on space 8 is not among",
        ),
        (
            in_phase("spiral", {"at8": "spiral"}, space=8, spirals_used=[9]),
            "pending.spirals_used[0]",
            "there is no spiral on space 9",
        ),
        (
            in_phase("spiral", {"at8": "spiral"}, space=8, spirals_used=[8, 8]),
            "pending.spirals_used[1]",
            "is there twice",
        ),
        (
            in_phase("clover", {"at8": "clover blue"}, space=8, began=20),
            "pending.began",
            "20, but the figure is on space 8 and used no spiral",
        ),
        (
            in_phase("clover", {"at33": "clover blue"}, {"figures": [33, 0, 0]}, space=33),
            "pending.space",
            "no space of the clover's color is ahead of space 33",
        ),
        (
            in_phase("spiral", {"at1": "spiral"}, {"figures": [1, 0, 0]}, space=1, spirals_used=[1]),
            "pending.space",
            "has no way back from space 1 (K10)",
        ),
        (in_phase("take", draws=0), "pending.draws", "0 is not allowed; allowed: 1 to 2"),
        (in_phase("take", draws=2), "pending.blocked", "with two cards to draw, one was discarded"),
        (in_phase("take", draws=1, blocked="blue"), "pending.blocked", "the blue discard pile is empty"),
        (in_phase("draw", draws=1, space=3), "pending.space", "there is no such field"),
        (in_phase("score", draws=1), "phase", "no goblin pattern holds, or it was scored before (K8)"),
        (in_phase("take", draws=1) | {"turn": 1, "to_act": 1}, "pending.seat", "it is the turn of seat 1"),
        (position({}, {}, pile_count=0), "phase", "the pile is empty, so the game is over (K11)"),
        (
            position(
                {"figures": [29, 30, 31]}, {}, phase="over", to_act=-2, pending={"kind": "over", "draws": 0}
            ),
            "pending.draws",
            "ends the game before the card is drawn",
        ),
        (
            position({"score": 3}, {}, pile_count=0, phase="over", to_act=-2, pending={"winners": [1]}),
            "pending.winners",
            "the points say [0]",
        ),
        (
            position({}, {}, pile_count=0, phase="over", to_act=-2, pending={"result": "goal"}),
            "pending.result",
            "'goal' is not allowed; allowed: pile",
        ),
    ],
)
def test_faults_of_what_is_open_are_named(obj, path, reason):
    refuse(obj, path, reason)


SEEN = state({}, {}).observation(0)


@pytest.mark.parametrize(
    ("obj", "path", "reason"),
    [
        (changed(SEEN, "observer", value=...), "observer", "state_from_json"),
        (changed(SEEN, "observer", value=2), "observer", "2 is not allowed; allowed: 0 to 1"),
        (changed(SEEN, "observer", value=-1), "observer", "-1 is not allowed"),
        (
            changed(SEEN, "players", 1, "hand", value=HAND),
            "players[1].hand",
            "is hidden from the observer",
        ),
        (SEEN | {"pile": PILE}, "pile", "is hidden from the observer"),
        (SEEN | {"removed": []}, "removed", "is hidden from the observer"),
        (SEEN | {"pile_count": 60}, "pile_count", "60, but 64 cards are neither seen, held nor removed"),
        (
            changed(SEEN, "players", 1, "known", value=PILE[:9]),
            "players[1].known",
            "9 cards in a hand of 8",
        ),
        (
            changed(SEEN, "players", 1, "known", value=[HAND[0], HAND[0]]),
            "players[1].known",
            f"with this, {HAND[0]} is seen",
        ),
    ],
)
def test_faults_of_observations_are_named(obj, path, reason):
    refuse(obj, path, reason, read=state_from_observation)


def without_defaults(value):
    if isinstance(value, dict):
        return {
            name: without_defaults(item)
            for name, item in value.items()
            if name == "observer" or item not in (0, False, "", [])
        }
    return [without_defaults(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_has_its_default_may_be_left_out(players):
    rng = Random(players)
    now = load_game("keltis", players=players, seed=players).new_state()
    while True:
        full = now.to_json()
        assert state_from_json(without_defaults(full)).to_json() == full
        seen = now.observation(0)
        assert state_from_observation(without_defaults(seen), 1).observation(0) == seen
        if now.is_over:
            return
        now.apply(rng.choice(now.legal_moves()))


def test_the_order_of_lists_does_not_matter():
    shuffled = copy.deepcopy(BASE)
    for cards in (shuffled["pile"], shuffled["removed"], shuffled["players"][0]["hand"], shuffled["path"]):
        cards.reverse()
    assert state_from_json(shuffled).to_json() == BASE


# -- whatever is thrown at it

PARTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 120)
    | st.sampled_from(["", "blue", "blue 7", "take", "any", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["space", "kind"]), inner, max_size=2)
    ),
    max_leaves=6,
)


def places(value, way=()):
    """The path to every part of a JSON value."""
    yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from places(item, (*way, name))


PLACES = [way for way in places(BASE) if way]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PLACES), PARTS)
def test_any_change_is_read_or_refused(way, value):
    obj = changed(BASE, *way, value=value)
    try:
        read = state_from_json(obj)
    except BadPosition:
        return
    written = read.to_json()
    assert state_from_json(json.loads(json.dumps(written))).to_json() == written
    assert read.is_over or read.legal_moves()


# -- scores are those that the turns so far can have brought


@pytest.mark.parametrize(
    ("score", "fields", "most"),
    [
        ({"score": 9999}, {"round": 100}, 495),
        ({"score": 1}, {"round": 1}, 0),
        ({"score": 16}, {"round": 4}, 15),
        ({"score": 31, "goblins_scored": True}, {"round": 4}, 30),
        (
            {"score": 21},
            {"round": 4, "phase": "take", "pending": {"kind": "take", "seat": 0, "draws": 1, "blocked": ""}},
            20,
        ),
    ],
)
def test_scores_that_no_turn_brought_are_refused(score, fields, most):
    with pytest.raises(
        BadPosition, match=rf"^players\[0\]\.score: .* turns can bring; allowed: 0 to {most}$"
    ):
        state_from_json(position(score, {}, **fields))
    state_from_json(position(score | {"score": most}, {}, **fields))


def test_the_highest_score_can_be_written_after_every_move():
    now = state_from_json(position({"score": 495, "figures": [2, 2, 0]}, {"score": 495}, round=100))
    scored = 0
    for move in now.legal_moves():
        after = now.clone()
        after.apply(move)
        scored += after.to_json()["players"][0]["score"] > 495
        assert state_from_json(after.to_json()).to_json() == after.to_json()
    assert scored


@pytest.mark.parametrize(
    ("moved", "path", "reason"),
    [
        ([{"space": 9, "began": 6}], "pending.moved", "only with the option clover = any"),
        ([{"space": 8, "began": 6}], "pending.moved[0].space", "no further figure on space 8"),
        (
            [{"space": 9, "began": 12}],
            "pending.moved[0].began",
            "12, but the figure is on space 9 and used no spiral",
        ),
        (
            [{"space": 9, "began": 6, "spirals_used": [3]}],
            "pending.moved[0].spirals_used[0]",
            "no spiral on space 3",
        ),
        ([{"space": 9}, {"space": 9}], "pending.moved[1].space", "no further figure on space 9"),
        ([{"space": 9, "steps": 1}], "pending.moved[0].steps", "no such field"),
        ([3], "pending.moved[0]", "an object"),
        ({}, "pending.moved", "a list"),
    ],
)
def test_what_other_figures_did_is_checked(moved, path, reason):
    pending = {"kind": "spiral", "seat": 0, "space": 6, "began": 0, "spirals_used": [6], "moved": moved}
    clover = "same" if "option" in reason else "any"
    obj = position(
        {"figures": [9, 6, 0]},
        {},
        tiles={"at6": "spiral"},
        phase="spiral",
        pending=pending,
        options={"players": 2, "clover": clover, "goblin_values": [5, 10, 15]},
    )
    refuse(obj, path, reason)
