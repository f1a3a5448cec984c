"""The tables of a board against slow and plain computations of the same."""

import heapq

import pytest

from pythia.core_cy.delphi.board import check_board, compact_board, free_board, turn
from pythia.core_cy.delphi.tables import tables_as_dict
from pythia.core_cy.rng import Random

COLORS = ["red", "black", "pink", "blue", "yellow", "green"]
KINDS = [
    "zeus",
    "water",
    "city",
    "island_tile",
    "statue_island",
    "monster_island",
    "offering_island",
    "temple_island",
]
NONE = 255

# A loop of 72 water spaces around a wide hole: the Zeus space inside, everything else along the outside.
LOOP = [turn((12 - i, i), n) for n in range(6) for i in range(12)]
RIM = [turn((13 - i, i), n) for n in range(6) for i in range(13)]
ZEUS = (11, 0)


def ring_board():
    others = [{"kind": "island_tile", "color": color} for color in COLORS for _ in range(2)]
    others += [{"kind": "monster_island", "marked": i < 3} for i in range(9)]
    others += [{"kind": "offering_island"}] * 6
    others += [{"kind": "statue_island", "sites": [COLORS[(i + n) % 6] for n in range(3)]} for i in range(6)]
    others += [{"kind": kind, "color": color} for color in COLORS for kind in ("temple_island", "city")]
    board = [{"q": q, "r": r, "kind": "water", "color": COLORS[i % 6]} for i, (q, r) in enumerate(LOOP)]
    board += [{"q": q, "r": r} | other for (q, r), other in zip(RIM, others, strict=False)]
    return check_board([*board, {"q": ZEUS[0], "r": ZEUS[1], "kind": "zeus"}])


BOARDS = [ring_board()]
BOARDS += [compact_board(Random(seed)) for seed in range(6)] + [free_board(Random(seed)) for seed in range(6)]
each_board = pytest.mark.parametrize("board", BOARDS, ids=["ring"] + ["compact"] * 6 + ["free"] * 6)


def around(q, r):
    return [(q + 1, r), (q - 1, r), (q, r + 1), (q, r - 1), (q + 1, r - 1), (q - 1, r + 1)]


def land_of(board):
    return [h for h in board if h["kind"] != "shallow"]


def numbers_of(board):
    return {(h["q"], h["r"]): number for number, h in enumerate(land_of(board))}


def ways_from(start, kinds, crossing):
    """Dijkstra: the cost to each water space and to the Zeus space, by hex."""
    best = {start: 0}
    to_zeus = 0 if kinds[start] == "zeus" else None
    heap = [(0, start)]
    while heap:
        cost, at = heapq.heappop(heap)
        if cost > best[at]:
            continue
        for beside in around(*at):
            kind = kinds.get(beside)
            if kind == "zeus":
                to_zeus = cost + 1 if to_zeus is None else min(to_zeus, cost + 1)
            if kind == "water":
                through = cost + 1
            elif crossing and kind in ("shallow", "zeus"):
                through = cost
            else:
                continue
            if through < best.get(beside, NONE):
                best[beside] = through
                heapq.heappush(heap, (through, beside))
    found = {at: cost for at, cost in best.items() if kinds[at] == "water"}
    zeus = next(at for at, kind in kinds.items() if kind == "zeus")
    return found | ({zeus: to_zeus} if to_zeus is not None else {})


@each_board
def test_hexes_are_numbered_in_order_without_shallows(board):
    tables = tables_as_dict(board, 2)
    land = land_of(board)
    assert len(land) == 118
    assert [(q, r) for q, r in zip(tables["q"], tables["r"], strict=True)] == [(h["q"], h["r"]) for h in land]
    assert tables["kind"] == [KINDS.index(h["kind"]) for h in land]
    assert tables["color"] == [COLORS.index(h["color"]) if "color" in h else NONE for h in land]
    assert land[tables["zeus"]]["kind"] == "zeus"


@each_board
def test_slots_are_numbered_within_a_kind_or_by_color(board):
    tables = tables_as_dict(board, 2)
    land = land_of(board)
    for kind, name in (
        ("island_tile", "tile_hex"),
        ("monster_island", "monster_hex"),
        ("offering_island", "offering_hex"),
        ("statue_island", "statue_hex"),
    ):
        assert tables[name] == [number for number, h in enumerate(land) if h["kind"] == kind]
        assert [tables["slot"][hex] for hex in tables[name]] == list(range(len(tables[name])))
    for kind, name in (("city", "city_hex"), ("temple_island", "temple_hex")):
        assert [(land[hex]["kind"], land[hex]["color"]) for hex in tables[name]] == [
            (kind, c) for c in COLORS
        ]
        assert [tables["slot"][hex] for hex in tables[name]] == list(range(6))


@each_board
def test_colors_sites_and_marks_by_slot(board):
    tables = tables_as_dict(board, 2)
    land = land_of(board)
    tile_colors = [COLORS.index(land[hex]["color"]) for hex in tables["tile_hex"]]
    assert tables["tile_color"] == tile_colors
    for color in range(6):
        slots = [slot for slot in range(12) if tile_colors[slot] == color]
        assert len(slots) == 2
        assert tables["tiles_of_color"][color] == sum(1 << slot for slot in slots)
    for slot, hex in enumerate(tables["statue_hex"]):
        assert tables["sites"][slot] == sum(1 << COLORS.index(color) for color in land[hex]["sites"])
    marked = [slot for slot, hex in enumerate(tables["monster_hex"]) if land[hex]["marked"]]
    assert tables["marked"] == sum(1 << slot for slot in marked)


@pytest.mark.parametrize(("players", "row"), [(2, 3), (3, 2), (4, 1)])
def test_the_first_row_is_the_player_count_row(players, row):
    tables = tables_as_dict(BOARDS[1], players)
    assert (tables["players"], tables["first_row"]) == (players, row)


@each_board
@pytest.mark.parametrize("crossing", [0, 1])
def test_distances_are_those_of_a_plain_search(board, crossing):
    distance = tables_as_dict(board, 2)["distance"][crossing]
    numbers = numbers_of(board)
    kinds = {(h["q"], h["r"]): h["kind"] for h in board}
    for start, number in numbers.items():
        expected = [NONE] * 118
        if kinds[start] in ("water", "zeus"):
            for at, cost in ways_from(start, kinds, crossing).items():
                expected[numbers[at]] = cost
            assert expected[number] == 0
        assert distance[number] == expected


@each_board
def test_crossing_shallows_never_makes_a_way_longer(board):
    plain, crossing = tables_as_dict(board, 2)["distance"]
    assert all(
        b <= a for row, other in zip(plain, crossing, strict=True) for a, b in zip(row, other, strict=True)
    )


@each_board
def test_nearest_is_sorted_by_distance_then_number(board):
    tables = tables_as_dict(board, 2)
    for crossing in range(2):
        for start in range(118):
            row = tables["distance"][crossing][start]
            for color in range(6):
                water = [n for n in range(118) if tables["kind"][n] == 1 and tables["color"][n] == color]
                expected = sorted(water, key=lambda n: (row[n], n))
                assert tables["nearest"][crossing][start][color] == expected


@each_board
def test_reach_is_the_edge_or_one_water_space_between(board):
    # R17, R34: the space in between is water, and the ship may be on the Zeus space.
    tables = tables_as_dict(board, 2)
    numbers = numbers_of(board)
    kinds = {(h["q"], h["r"]): h["kind"] for h in board}
    names = {
        "tiles": "island_tile",
        "monsters": "monster_island",
        "offerings": "offering_island",
        "temples": "temple_island",
        "statues": "statue_island",
        "cities": "city",
    }
    for ship, number in numbers.items():
        sailable = kinds[ship] in ("water", "zeus")
        beside = set(around(*ship)) if sailable else set()
        farther = beside | {at for way in beside if kinds.get(way) == "water" for at in around(*way)}
        for card, reached in enumerate((beside, farther)):
            near = tables["near"][card][number]
            for name, kind in names.items():
                slots = {tables["slot"][numbers[at]] for at in reached if kinds.get(at) == kind}
                assert near[name] == sum(1 << slot for slot in slots)


# -- the rulings one by one, on the ring


def ring_distance(crossing, start, end):
    numbers = numbers_of(BOARDS[0])
    return tables_as_dict(BOARDS[0], 2)["distance"][crossing][numbers[start]][numbers[end]]


def test_without_the_card_ships_go_around_the_hole():
    assert ring_distance(0, (12, 0), (-12, 0)) == 36
    assert ring_distance(0, (12, 0), (12, -1)) == 1


def test_shallows_in_a_row_cost_nothing():
    # R33: across 23 shallows to the other shore, which is one space.
    assert ring_distance(1, (0, 12), (0, -12)) == 1
    assert ring_distance(1, (12, -1), (-12, 1)) == 1


def test_the_zeus_space_is_not_sailed_through():
    # R15: 12,-1 and 11,1 both touch the Zeus space, and the water between them is 12,0.
    assert ring_distance(0, (12, -1), (11, 1)) == 2


def test_the_zeus_space_is_crossed_like_a_shallow_with_the_card():
    # R15: 12,0 touches no shallow, only the Zeus space.
    assert ring_distance(1, (12, 0), (-12, 0)) == 1
    assert ring_distance(1, (12, -1), (11, 1)) == 1


def test_the_zeus_space_as_destination_counts():
    # R16, R33: one space, also when only shallows lie before it.
    assert ring_distance(0, (12, 0), ZEUS) == 1
    assert ring_distance(1, (12, 0), ZEUS) == 1
    assert ring_distance(0, (-12, 0), ZEUS) == 36
    assert ring_distance(1, (-12, 0), ZEUS) == 1


def test_the_zeus_space_is_a_start():
    assert ring_distance(0, ZEUS, (12, 0)) == 1
    assert ring_distance(0, ZEUS, (-12, 0)) == 36
    assert ring_distance(1, ZEUS, (-12, 0)) == 1
    assert ring_distance(0, ZEUS, ZEUS) == ring_distance(1, ZEUS, ZEUS) == 0


def test_a_board_that_was_not_checked_is_refused():
    with pytest.raises(ValueError, match="board: 117 hexes besides shallows are not allowed; allowed: 118"):
        tables_as_dict(land_of(BOARDS[1])[1:], 2)
