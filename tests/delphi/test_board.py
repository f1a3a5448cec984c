"""Boards: both generators, tiles laid out by a front-end, plain hexes, and every message for a bad one."""

import copy
import hashlib
import json
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythia.core_cy.delphi import board as boards
from pythia.core_cy.delphi import components
from pythia.core_cy.errors import BadPosition
from pythia.core_cy.rng import Random

COLORS = ["red", "black", "pink", "blue", "yellow", "green"]

# A legal compact layout: tile, q, r, rotation.
LAYOUT = [
    ("zeus", 0, 0, 0),
    ("ring-offering", 2, 1, 0),
    ("ring-monster", -1, 3, 0),
    ("large-a", -5, 5, 0),
    ("large-b", 2, -4, 2),
    ("large-c", 4, 3, 4),
    ("medium-b", 4, -1, 1),
    ("medium-a", -1, 5, 3),
    ("medium-c", -2, 0, 5),
    ("small-a", -5, 2, 2),
    ("small-b", -4, 6, 3),
    ("small-c", 5, -4, 4),
    ("city-yellow", 1, -5, 0),
    ("city-red", 7, -4, 1),
    ("city-black", 6, 2, 2),
    ("city-green", 0, 7, 2),
    ("city-pink", -9, 7, 4),
    ("city-blue", -5, 1, 4),
]
TEMPLE_HEXES = [(4, -6), (3, -3), (0, -2), (4, 2), (-6, 3), (-5, 7)]


def placements():
    return [
        {"tile": tile, "q": q, "r": r, "rotation": rotation, "back": False} for tile, q, r, rotation in LAYOUT
    ]


def temples():
    return [{"q": q, "r": r, "color": color} for (q, r), color in zip(TEMPLE_HEXES, COLORS, strict=True)]


def laid_board():
    return boards.board_from_placements(placements(), temples())


def around(q, r):
    return {(q + 1, r), (q - 1, r), (q, r + 1), (q, r - 1), (q + 1, r - 1), (q - 1, r + 1)}


def hexes_of(board, *kinds):
    return {(h["q"], h["r"]) for h in board if h["kind"] in kinds}


def spread_from(start, within):
    """All hexes of `within` connected with `start`."""
    seen, waiting = {start}, [start]
    while waiting:
        new = (around(*waiting.pop()) & within) - seen
        seen |= new
        waiting.extend(new)
    return seen


def assert_legal(board):
    """R1, R2, R33 and the counts, checked without the engine's own code."""
    assert board == sorted(board, key=lambda h: (h["r"], h["q"]))
    every = {(h["q"], h["r"]) for h in board}
    assert len(every) == len(board)
    counts = Counter((h["kind"], h.get("color")) for h in board if h["kind"] != "shallow")
    expected = {("zeus", None): 1, ("monster_island", None): 9}
    expected |= {(kind, None): 6 for kind in ("offering_island", "statue_island")}
    for color in COLORS:
        expected |= {
            ("water", color): 12,
            ("island_tile", color): 2,
            ("temple_island", color): 1,
            ("city", color): 1,
        }
    assert counts == expected
    assert sum(h.get("marked", False) for h in board) == 3
    assert Counter(c for h in board for c in h.get("sites", [])) == dict.fromkeys(COLORS, 3)
    assert all(
        len(set(h["sites"])) == 3 and h["sites"] == sorted(h["sites"], key=COLORS.index)
        for h in board
        if h["kind"] == "statue_island"
    )
    water = hexes_of(board, "water")
    assert spread_from(min(water), water) == water
    land = every - hexes_of(board, "shallow")
    assert all(around(*at) & water for at in land - water)
    assert hexes_of(board, "shallow") == holes_in(land)


def holes_in(land):
    rows, columns = [r for _, r in land], [q for q, _ in land]
    box = {
        (q, r) for q in range(min(columns) - 1, max(columns) + 2) for r in range(min(rows) - 1, max(rows) + 2)
    }
    return box - land - spread_from((min(columns) - 1, min(rows) - 1), box - land)


def digest(board):
    return hashlib.sha256(json.dumps(board, sort_keys=True).encode()).hexdigest()[:16]


# -- from a seed


@pytest.mark.parametrize("seeds", [range(start, start + 50) for start in (0, 1000, 10**9, 2**62)])
def test_compact_boards_are_legal_and_pass_the_check(seeds):
    for seed in seeds:
        board = boards.compact_board(Random(seed))
        assert_legal(board)
        assert boards.check_board(board) == board


def test_compact_boards_cover_the_slots():
    # Any ring may be the one around the Zeus space, so shallows are compared too.
    covered = hexes_of(laid_board(), *boards.KINDS)
    for seed in range(20):
        assert hexes_of(boards.compact_board(Random(seed)), *boards.KINDS) == covered


def test_free_boards_are_legal_and_pass_the_check():
    for seed in range(50):
        board = boards.free_board(Random(seed))
        assert_legal(board)
        assert boards.check_board(board) == board


def test_cities_of_free_boards_lie_around_the_board():
    for seed in range(30):
        cities = sorted(hexes_of(boards.free_board(Random(seed)), "city"))
        for (q1, r1), (q2, r2) in combinations(cities, 2):
            assert max(abs(q1 - q2), abs(r1 - r2), abs(q1 + r1 - q2 - r2)) >= boards.CITY_GAP


@pytest.mark.parametrize("generator", [boards.compact_board, boards.free_board])
def test_same_seed_same_board(generator):
    drawn = [generator(Random(seed)) for seed in range(20)]
    assert drawn == [generator(Random(seed)) for seed in range(20)]
    assert len({digest(board) for board in drawn}) == 20


def test_boards_of_a_seed_stay_the_same_on_every_machine_and_release():
    assert digest(boards.compact_board(Random(7))) == "320fb982d530cd7b"
    assert digest(boards.free_board(Random(7))) == "4cc0cf16b4bebd51"


def test_every_temple_island_gets_every_color():
    seen = Counter()
    for seed in range(200):
        board = boards.compact_board(Random(seed))
        seen.update([next(h["color"] for h in board if h["kind"] == "temple_island")])
    assert set(seen) == set(COLORS)
    assert min(seen.values()) > 10


def test_a_generator_that_finds_nothing_says_so(monkeypatch):
    monkeypatch.setattr(boards, "_fault", lambda kinds: ((0, 0), "never good"))
    for generator in (boards.compact_board, boards.free_board):
        monkeypatch.setattr(boards, "ATTEMPTS", 3)
        with pytest.raises(RuntimeError, match="in 3 draws"):
            generator(Random(1))


# -- tiles


def test_placements_make_a_legal_board():
    board = laid_board()
    assert_legal(board)
    assert boards.check_board(board) == board
    assert {"q": 1, "r": 0, "kind": "water", "color": "black"} in board
    assert {"q": -5, "r": 5, "kind": "statue_island", "sites": ["black", "blue", "green"]} in board
    assert {"q": -5, "r": 3, "kind": "monster_island", "marked": False} not in board
    assert {"q": -4, "r": 3, "kind": "monster_island", "marked": False} in board
    assert {"q": 3, "r": -3, "kind": "temple_island", "color": "black"} in board


def test_absent_fields_of_placements_are_zero_and_false():
    short = [{key: value for key, value in item.items() if value} for item in placements()]
    assert short[0] == {"tile": "zeus"}
    assert boards.board_from_placements(short, temples()) == laid_board()


def test_shallows_are_ring_centres_and_gaps_that_only_cities_close():
    # R33: (0,-3) is closed by the yellow city; without it the gap is open to the outside.
    board = laid_board()
    shallows = hexes_of(board, "shallow")
    assert shallows == {(2, 1), (-1, 3), (0, -3), (5, -3), (5, 1), (-6, 6), (-7, 6)}
    cities = {at for tile, q, r, _ in LAYOUT if tile.startswith("city") for at in {(q, r)} | around(q, r)}
    without_cities = hexes_of(board, *components.HEX_KINDS) - cities
    assert (0, -3) not in boards.enclosed(without_cities)
    assert (2, 1) in boards.enclosed(without_cities)


def test_rotation_turns_clockwise_about_the_tile():
    assert [boards.turn((1, 0), n) for n in range(6)] == [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    assert boards.turn((2, -1), 2) == (-1, 2)


def test_backs_mirror_before_the_rotation():
    # The mirror image of the whole table: every tile on its back, turned the other way round.
    mirrored = [
        {
            "tile": item["tile"],
            "q": item["r"],
            "r": item["q"],
            "rotation": -item["rotation"] % 6,
            "back": True,
        }
        for item in placements()
    ]
    mirrored_temples = [{"q": t["r"], "r": t["q"], "color": t["color"]} for t in temples()]
    board = boards.board_from_placements(mirrored, mirrored_temples)
    expected = [h | {"q": h["r"], "r": h["q"]} for h in laid_board()]
    assert board == sorted(expected, key=lambda h: (h["r"], h["q"]))


def set_in(index, **fields):
    return lambda tiles, temples: tiles[index].update(fields)


def set_temple(index, **fields):
    return lambda tiles, temples: temples[index].update(fields)


BAD_PLACEMENTS = [
    (
        set_in(3, tile="large-x"),
        "placements[3].tile",
        "'large-x' is not allowed; allowed: zeus, ring-offering",
    ),
    (set_in(3, tile=7), "placements[3].tile", "7 is not allowed"),
    (set_in(3, tile=None), "placements[3].tile", "None is not allowed"),
    (lambda t, _: t[3].pop("tile"), "placements[3].tile", "is missing"),
    (set_in(3, tile="large-b"), "placements[4].tile", "large-b is placed already by placements[3]"),
    (lambda t, _: t.pop(9), "placements", "missing: small-a"),
    (lambda t, _: t.clear(), "placements", "missing: zeus, ring-offering"),
    (
        set_in(2, rotation=6),
        "placements[2].rotation",
        "6 is not allowed; allowed: a whole number from 0 to 5",
    ),
    (set_in(2, rotation=-1), "placements[2].rotation", "-1 is not allowed"),
    (set_in(2, rotation=True), "placements[2].rotation", "True is not allowed"),
    (set_in(2, rotation="any"), "placements[2].rotation", "'any' is not allowed"),
    (set_in(2, q=1.0), "placements[2].q", "1.0 is not allowed; allowed: a whole number from -200 to 200"),
    (set_in(2, r=201), "placements[2].r", "201 is not allowed"),
    (set_in(2, r=10**6000), "placements[2].r", "this int is not allowed"),
    (set_in(2, back=1), "placements[2].back", "1 is not allowed; allowed: true, false"),
    (set_in(2, colour="red"), "placements[2].colour", "unknown key; allowed: tile, q, r, rotation, back"),
    (
        lambda t, _: t.__setitem__(2, "zeus"),
        "placements[2]",
        "'zeus' is not allowed; allowed: an object with tile",
    ),
    (
        set_in(1, q=1, r=1),
        "placements[1]",
        "ring-offering overlaps zeus (placements[0]) at 1,0",
    ),
    (set_in(17, q=0, r=-200), "placements[17]", "city-blue covers 1,-201; coordinates are from -200"),
    (
        set_in(17, q=-40, r=0),
        "placements[17]",
        "city-blue at -39,-1: the water at -39,-1 is not connected with the main area of 70 spaces",
    ),
    (set_temple(1, color="purple"), "temples[1].color", "'purple' is not allowed; allowed: red, black"),
    (set_temple(1, color="red"), "temples[1].color", "red is taken already by temples[0]"),
    (lambda _, s: s[1].pop("color"), "temples[1].color", "is missing"),
    (
        set_temple(1, q=0, r=0),
        "temples[1]",
        "0,0 is not a temple island; they are at 4,-6 3,-3 0,-2 4,2 -6,3 -5,7",
    ),
    (set_temple(1, q=4, r=-6), "temples[1]", "4,-6 has its temple already from temples[0]"),
    (set_temple(1, q="4"), "temples[1].q", "'4' is not allowed"),
    (set_temple(1, kind="temple"), "temples[1].kind", "unknown key; allowed: q, r, color"),
    (lambda _, s: s.pop(2), "temples", "missing: 0,-2"),
    (lambda _, s: s.__setitem__(2, []), "temples[2]", "[] is not allowed"),
]


@pytest.mark.parametrize(("spoil", "path", "reason"), BAD_PLACEMENTS)
def test_bad_placements_name_path_and_reason(spoil, path, reason):
    tiles, colors = placements(), temples()
    spoil(tiles, colors)
    with pytest.raises(BadPosition) as caught:
        boards.board_from_placements(tiles, colors)
    assert caught.value.path == path
    assert reason in caught.value.reason


@pytest.mark.parametrize("value", [None, 3, "zeus", {"tile": "zeus"}, True])
def test_placements_and_temples_are_lists(value):
    with pytest.raises(BadPosition) as caught:
        boards.board_from_placements(value, temples())
    assert caught.value.path == "placements"
    with pytest.raises(BadPosition) as caught:
        boards.board_from_placements(placements(), value)
    assert caught.value.path == "temples"


# -- plain hexes


def test_a_board_in_any_order_is_brought_into_the_one_form():
    board = laid_board()
    given_board = [dict(reversed(h.items())) for h in reversed(copy.deepcopy(board))]
    for h in given_board:
        if "sites" in h:
            h["sites"].reverse()
    assert boards.check_board(given_board) == board


def test_absent_keys_are_defaults_and_defaults_may_be_written():
    board = laid_board()
    short = [{key: value for key, value in h.items() if value} for h in board]
    assert any("q" not in h for h in short)
    assert any("marked" not in h for h in short if h["kind"] == "monster_island")
    assert boards.check_board(short) == board
    long = [{"color": "", "sites": [], "marked": False} | h for h in board]
    assert boards.check_board(long) == board


def test_the_check_does_not_change_what_it_is_given():
    board = list(reversed(laid_board()))
    before = copy.deepcopy(board)
    checked = boards.check_board(board)
    checked[0]["kind"] = "spoiled"
    next(h for h in checked if "sites" in h)["sites"].clear()
    assert board == before


def test_shallows_that_are_not_listed_are_added():
    board = laid_board()
    assert boards.check_board([h for h in board if h["kind"] != "shallow"]) == board
    assert boards.check_board([h for h in board if (h["q"], h["r"]) != (2, 1)]) == board


def test_a_board_that_no_tiles_make_is_allowed():
    assert_legal(boards.check_board(ring_board()))


def ring_board():
    """A loop of water around a wide hole, with everything else along it."""
    loop = [(12 - i, i) for i in range(12)]
    loop = [boards.turn(at, n) for n in range(6) for at in loop]
    rim = [(13 - i, i) for i in range(13)]
    rim = [boards.turn(at, n) for n in range(6) for at in rim]
    others = [{"kind": "zeus"}]
    others += [{"kind": "island_tile", "color": color} for color in COLORS for _ in range(2)]
    others += [{"kind": "monster_island", "marked": i < 3} for i in range(9)]
    others += [{"kind": "offering_island"}] * 6
    others += [{"kind": "statue_island", "sites": [COLORS[(i + n) % 6] for n in range(3)]} for i in range(6)]
    others += [{"kind": kind, "color": color} for color in COLORS for kind in ("temple_island", "city")]
    board = [{"q": q, "r": r, "kind": "water", "color": COLORS[i % 6]} for i, (q, r) in enumerate(loop)]
    return board + [{"q": q, "r": r} | other for (q, r), other in zip(rim, others, strict=False)]


def index_of(board, **fields):
    return next(i for i, h in enumerate(board) if all(h.get(key) == value for key, value in fields.items()))


def changed(board, at, **fields):
    board[index_of(board, q=at[0], r=at[1])].update(fields)


# Hexes of the laid board: water 1,0 black; statue island -5,5; monster island -4,3; temple 3,-3; city 1,-5.
BAD_HEXES = [
    ((1, 0), {"kind": "sea"}, ".kind", "'sea' is not allowed; allowed: zeus, water, city"),
    ((1, 0), {"kind": ["water"]}, ".kind", "['water'] is not allowed"),
    ((1, 0), {"kind": ""}, ".kind", "'' is not allowed"),
    ((1, 0), {"color": "purple"}, ".color", "'purple' is not allowed; allowed: red, black, pink"),
    ((1, 0), {"color": ""}, ".color", "'' is not allowed"),
    ((1, 0), {"color": 1}, ".color", "1 is not allowed"),
    ((1, 0), {"color": {}}, ".color", "{} is not allowed"),
    ((1, 0), {"q": True}, ".q", "True is not allowed; allowed: a whole number from -200 to 200"),
    ((1, 0), {"q": 201}, ".q", "201 is not allowed"),
    ((1, 0), {"q": -201}, ".q", "-201 is not allowed"),
    ((1, 0), {"r": 0.0}, ".r", "0.0 is not allowed"),
    ((1, 0), {"r": None}, ".r", "None is not allowed"),
    ((1, 0), {"r": "0"}, ".r", "'0' is not allowed"),
    ((1, 0), {"r": 10**6000}, ".r", "this int is not allowed"),
    ((1, 0), {"depth": 3}, ".depth", "unknown key; allowed: q, r, kind, color, sites, marked"),
    ((1, 0), {5: 3}, ".5", "unknown key"),
    ((1, 0), {"sites": ["red"]}, ".sites", "a water has no building sites; only a statue_island has"),
    ((1, 0), {"marked": True}, ".marked", "a water is not marked; only a monster_island can be"),
    ((1, 0), {"marked": 0}, ".marked", "0 is not allowed; allowed: true, false"),
    ((0, 0), {"color": "red"}, ".color", "'red' is not allowed, a zeus has no color"),
    ((0, 0), {"color": None}, ".color", "None is not allowed, a zeus has no color"),
    ((2, 1), {"color": "red"}, ".color", "a shallow has no color"),
    ((-5, 5), {"sites": "red"}, ".sites", "'red' is not allowed; allowed: a list of colors"),
    ((-5, 5), {"sites": None}, ".sites", "None is not allowed"),
    ((-5, 5), {"sites": []}, ".sites", "0 sites; a statue_island has 3"),
    ((-5, 5), {"sites": ["red", "blue"]}, ".sites", "2 sites; a statue_island has 3"),
    ((-5, 5), {"sites": ["red", "blue", "red"]}, ".sites[2]", "red is there twice"),
    ((-5, 5), {"sites": ["red", "blue", "white"]}, ".sites[2]", "'white' is not allowed; allowed: red"),
    ((-5, 5), {"sites": ["red", [], "white"]}, ".sites[1]", "[] is not allowed"),
    ((-4, 3), {"marked": "yes"}, ".marked", "'yes' is not allowed; allowed: true, false"),
    ((0, 1), {"q": 1, "r": 0}, "", "1,0 is listed already as board["),
]


@pytest.mark.parametrize(("at", "fields", "path", "reason"), BAD_HEXES)
def test_bad_hexes_name_path_and_reason(at, fields, path, reason):
    board = laid_board()
    index = index_of(board, q=at[0], r=at[1])
    board[index].update(fields)
    with pytest.raises(BadPosition) as caught:
        boards.check_board(board)
    assert caught.value.path == f"board[{index}]{path}"
    assert reason in caught.value.reason


BAD_COUNTS = [
    ((1, 0), {"color": "red"}, "13 of red water; a board has 12"),
    ((1, 0), {"kind": "city"}, "11 of black water; a board has 12"),
    ((1, 0), {"kind": "shallow", "color": ""}, "11 of black water; a board has 12"),
    ((1, 0), {"kind": "zeus", "color": ""}, "2 of zeus; a board has 1"),
    ((1, 0), {"kind": "offering_island", "color": ""}, "7 of offering_island; a board has 6"),
    ((1, 0), {"kind": "monster_island", "color": ""}, "10 of monster_island; a board has 9"),
    ((-4, 3), {"marked": True}, "4 of marked monster_island; a board has 3"),
    ((-5, 5), {"sites": ["red", "black", "blue"]}, "4 of red building site; a board has 3"),
    ((3, -3), {"color": "red"}, "2 of red temple_island; a board has 1"),
    ((1, -5), {"color": "red"}, "2 of red city; a board has 1"),
    ((-4, 2), {"color": "red"}, "3 of red island_tile; a board has 2"),
    ((-5, 5), {"kind": "offering_island", "sites": []}, "7 of offering_island; a board has 6"),
]


@pytest.mark.parametrize(("at", "fields", "reason"), BAD_COUNTS)
def test_wrong_counts_are_named(at, fields, reason):
    board = laid_board()
    changed(board, at, **fields)
    with pytest.raises(BadPosition) as caught:
        boards.check_board(board)
    assert (caught.value.path, caught.value.reason) == ("board", reason)


def test_an_empty_board_lacks_everything():
    with pytest.raises(BadPosition, match="0 of zeus; a board has 1"):
        boards.check_board([])


def test_a_missing_hex_is_counted():
    board = laid_board()
    del board[index_of(board, q=1, r=0)]
    with pytest.raises(BadPosition, match="11 of black water; a board has 12"):
        boards.check_board(board)


def test_missing_keys_are_named():
    for at, key in (((1, 0), "kind"), ((1, 0), "color"), ((3, -3), "color")):
        board = laid_board()
        index = index_of(board, q=at[0], r=at[1])
        del board[index][key]
        with pytest.raises(BadPosition, match="is missing; allowed: ") as caught:
            boards.check_board(board)
        assert caught.value.path == f"board[{index}].{key}"


def test_water_that_is_cut_off_is_named():
    board = ring_board()
    board[10].update(q=100, r=100)
    board[40].update(q=0, r=100)
    with pytest.raises(BadPosition, match="is not connected with the main area of") as caught:
        boards.check_board(board)
    assert caught.value.path.startswith("board[")


def test_land_without_water_beside_it_is_named():
    for kind in (
        "zeus",
        "city",
        "island_tile",
        "statue_island",
        "monster_island",
        "offering_island",
        "temple_island",
    ):
        board = ring_board()
        index = index_of(board, kind=kind)
        board[index].update(q=150, r=-40)
        with pytest.raises(BadPosition) as caught:
            boards.check_board(board)
        assert caught.value.path == f"board[{index}]"
        assert caught.value.reason == f"the {kind} at 150,-40 touches no water space"


def test_shallows_open_to_the_outside_are_refused():
    for at in ((50, 50), (-200, 200), (2, -6)):
        board = [*laid_board(), {"q": at[0], "r": at[1], "kind": "shallow"}]
        with pytest.raises(BadPosition) as caught:
            boards.check_board(board)
        assert caught.value.path == f"board[{len(board) - 1}]"
        assert "is open to the outside" in caught.value.reason


@pytest.mark.parametrize("value", [None, 3, "board", {"q": 0}, (1, 2), True])
def test_a_board_is_a_list(value):
    with pytest.raises(BadPosition) as caught:
        boards.check_board(value)
    assert caught.value.path == "board"


@pytest.mark.parametrize("value", [None, 3, "0,0", [0, 0], True])
def test_a_hex_is_an_object(value):
    board = laid_board()
    board[5] = value
    with pytest.raises(BadPosition) as caught:
        boards.check_board(board)
    assert caught.value.path == "board[5]"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(COLORS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
KEYS = st.sampled_from(["q", "r", "kind", "color", "sites", "marked", "tile", "rotation", "back"])


def outcome(read, *arguments):
    """The board or the fault; anything else is a crash."""
    try:
        return assert_legal(read(*arguments))
    except BadPosition as fault:
        return fault


@settings(max_examples=150, deadline=None)
@given(index=st.integers(0, 117), key=KEYS, value=JSON)
def test_any_value_anywhere_gives_a_board_or_a_fault(index, key, value):
    board = laid_board()
    board[index][key] = value
    outcome(boards.check_board, board)
    tiles, colors = placements(), temples()
    tiles[index % 18][key] = value
    outcome(boards.board_from_placements, tiles, temples())
    colors[index % 6][key] = value
    outcome(boards.board_from_placements, placements(), colors)


@settings(max_examples=100, deadline=None)
@given(value=JSON)
def test_any_json_gives_a_fault(value):
    with pytest.raises(BadPosition):
        boards.check_board(value)
    with pytest.raises(BadPosition):
        boards.board_from_placements(value, value)
