"""What the seed deals: tokens, island tiles, tasks, ship tiles and the first display."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythia.core_cy.delphi import components
from pythia.core_cy.delphi.board import compact_board, free_board
from pythia.core_cy.delphi.setup import (
    SHIP_TILE_MODES,
    deal,
    deal_display,
    deal_island_tiles,
    deal_monsters,
    deal_offerings,
    deal_ship_tiles,
    deal_tasks,
    stream,
)
from pythia.core_cy.errors import BadOption
from pythia.core_cy.rng import Random

BOARD = compact_board(Random(3))
PLAYERS = st.integers(2, 4)
SEEDS = st.integers(0, 2**63 - 1)
RED, BLACK, PINK, BLUE, YELLOW, GREEN = range(6)


def counts(islands):
    return Counter(color for colors in islands for color in colors)


# -- facts


def test_components_add_up():
    spaces = [space for tile in components.TILES_BY_ID.values() for space in tile.spaces]
    kinds = Counter(space.kind for space in spaces)
    assert kinds == {
        "zeus": 1,
        "water": 72,
        "island_tile": 12,
        "monster_island": 9,
        "offering_island": 6,
        "statue_island": 6,
        "temple_island": 6,
        "city": 6,
    }
    assert Counter(s.color for s in spaces if s.kind == "water") == dict.fromkeys(components.COLORS, 12)
    assert Counter(s.color for s in spaces if s.kind == "island_tile") == dict.fromkeys(components.COLORS, 2)
    assert Counter(c for s in spaces for c in s.sites) == dict.fromkeys(components.COLORS, 3)
    assert sum(space.marked for space in spaces) == 3
    assert len(components.TILES_BY_ID) == 18
    assert Counter(t.shape for t in components.TILES_BY_ID.values()) == Counter(
        slot.shape for slot in components.COMPACT_SLOTS
    )


def test_lists_have_the_lengths_of_the_box():
    assert len(components.EQUIPMENT) == 22
    assert sum(card.one_time for card in components.EQUIPMENT) == 7
    assert len(components.SHIP_TILES) == 8
    assert sum(ship.first_game for ship in components.SHIP_TILES) == 4
    assert {ship.storage for ship in components.SHIP_TILES if ship.id != "two_way_recolor"} == {2}
    assert components.GOD_OF_COLOR["blue"] == "poseidon"
    assert [components.first_row(players) for players in (2, 3, 4)] == [3, 2, 1]


def test_island_tiles_are_numbered_by_seat():
    assert len(set(components.ISLAND_TILES)) == 12
    for number, tile in enumerate(components.ISLAND_TILES):
        assert tile.color == components.PLAYER_COLORS[number // 3]
    assert Counter(tile.letter for tile in components.ISLAND_TILES) == dict.fromkeys(components.LETTERS, 3)


# -- tokens (R2)


@settings(deadline=None)
@given(players=PLAYERS, seed=SEEDS)
def test_offerings_lie_evenly(players, seed):
    islands = deal_offerings(players, Random(seed))
    assert [len(colors) for colors in islands] == [players] * 6
    assert counts(islands) == dict.fromkeys(range(6), players)


@settings(deadline=None)
@given(players=PLAYERS, seed=SEEDS, marked=st.permutations([True] * 3 + [False] * 6))
def test_monsters_lie_two_on_marked_islands_and_evenly_on_the_others(players, seed, marked):
    islands = deal_monsters(players, marked, Random(seed))
    assert [len(colors) for colors in islands] == [2 if flag else players - 1 for flag in marked]
    assert counts(islands) == dict.fromkeys(range(6), players)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_color_is_as_likely_on_every_island(players):
    rng = Random(players)
    deals = 1200
    seen = Counter()
    for _ in range(deals):
        seen.update((island, c) for island, colors in enumerate(deal_offerings(players, rng)) for c in colors)
    expected = deals * players / 6
    assert len(seen) == 36
    assert all(abs(count - expected) < 0.25 * expected for count in seen.values())


# -- tasks (R6, R38)


@settings(deadline=None)
@given(seed=SEEDS)
def test_two_double_sided_tasks_show_offerings_and_two_show_monsters(seed):
    tasks = deal_tasks(0, Random(seed))
    assert (tasks.shrines, tasks.statues, len(tasks.offerings), len(tasks.monsters)) == (3, 3, 2, 2)
    offering_sides = {BLUE: BLUE, YELLOW: YELLOW, PINK: RED, GREEN: BLACK}
    assert {offering_sides[color] for color in tasks.offerings} | tasks.monsters == {BLUE, YELLOW, RED, BLACK}


def test_all_six_ways_to_show_the_double_sided_tasks_come_up():
    seen = Counter(deal_tasks(0, Random(seed)).offerings for seed in range(600))
    assert len(seen) == 6
    assert min(seen.values()) > 50


@settings(deadline=None)
@given(seed=SEEDS)
def test_tasks_are_removed_in_order(seed):
    full = deal_tasks(0, Random(seed))
    sizes = []
    for removed in range(5):
        tasks = deal_tasks(removed, Random(seed))
        sizes.append((tasks.statues, tasks.shrines, len(tasks.monsters), len(tasks.offerings)))
        assert tasks.monsters <= full.monsters
        assert tasks.offerings <= full.offerings
    assert sizes == [(3, 3, 2, 2), (2, 3, 2, 2), (2, 2, 2, 2), (2, 2, 1, 2), (2, 2, 1, 1)]


def test_the_removed_colored_tasks_differ_from_seed_to_seed():
    left = Counter(
        (deal_tasks(4, Random(s)).offerings, deal_tasks(4, Random(s)).monsters) for s in range(600)
    )
    # Any offering side with any monster side of another tile.
    assert len(left) == 12


# -- ship tiles (R4) and cards


@settings(deadline=None)
@given(players=PLAYERS, seed=SEEDS)
def test_ship_tiles_are_different_and_enough(players, seed):
    for mode, count, allowed in (
        ("random", players, 8),
        ("draft", players + 1, 8),
        ("first_game", players, 4),
    ):
        ships = deal_ship_tiles(players, mode, Random(seed))
        assert len(ships) == len(set(ships)) == count
        assert set(ships) <= set(range(allowed))
    offer = deal_ship_tiles(players, "draft", Random(seed))
    assert offer == sorted(offer)


def test_every_seat_can_get_every_ship_tile():
    for mode, ships in (("random", 8), ("first_game", 4)):
        seen = {(seat, s) for n in range(300) for seat, s in enumerate(deal_ship_tiles(4, mode, Random(n)))}
        assert len(seen) == 4 * ships


def test_an_unknown_way_to_deal_ship_tiles_is_refused():
    with pytest.raises(
        BadOption, match="ship_tiles: 'all' is not allowed; allowed: random, draft, first_game"
    ):
        deal_ship_tiles(2, "all", Random(1))


@settings(deadline=None)
@given(seed=SEEDS)
def test_display_and_island_tiles(seed):
    display = deal_display(Random(seed))
    assert display == sorted(set(display))
    assert len(display) == 6
    assert set(display) <= set(range(22))
    assert sorted(deal_island_tiles(Random(seed))) == list(range(12))


# -- all together


@settings(deadline=None)
@given(players=PLAYERS, mode=st.sampled_from(SHIP_TILE_MODES), removed=st.integers(0, 4), seed=SEEDS)
def test_the_deal_is_complete(players, mode, removed, seed):
    dealt = deal(BOARD, players, mode, removed, Random(seed))
    assert dealt == deal(BOARD, players, mode, removed, Random(seed))
    assert sorted(dealt.tiles) == list(range(12))
    assert counts(dealt.offerings) == counts(dealt.monsters) == dict.fromkeys(range(6), players)
    marked = [h["marked"] for h in BOARD if h["kind"] == "monster_island"]
    assert [len(colors) for colors in dealt.monsters] == [2 if flag else players - 1 for flag in marked]
    if mode == "draft":
        assert (len(dealt.ship_tiles), len(dealt.ships_on_offer)) == (0, players + 1)
    else:
        assert (len(dealt.ship_tiles), len(dealt.ships_on_offer)) == (players, 0)
    assert len(dealt.display) == 6


@settings(deadline=None)
@given(seed=SEEDS)
def test_an_option_changes_only_its_own_part(seed):
    def parts(mode, removed):
        dealt = deal(BOARD, 3, mode, removed, Random(seed))
        return dealt.tiles, dealt.offerings, dealt.monsters, dealt.display

    assert len({parts(mode, removed) for mode in SHIP_TILE_MODES for removed in range(5)}) == 1
    modes = {deal(BOARD, 3, mode, 2, Random(seed)).tasks for mode in SHIP_TILE_MODES}
    assert len(modes) == 1


def test_the_deal_needs_only_the_marked_islands_of_a_board():
    other = free_board(Random(5))
    here, there = (deal(board, 4, "random", 0, Random(9)) for board in (BOARD, other))
    assert (here.tiles, here.offerings, here.tasks, here.ship_tiles) == (
        there.tiles,
        there.offerings,
        there.tasks,
        there.ship_tiles,
    )


def test_streams_differ_by_seed_and_purpose():
    first = {
        stream(seed, purpose).getrandbits(64) for seed in range(50) for purpose in ("board", "deal", "tasks")
    }
    assert len(first) == 150
    assert stream(7, "board").getrandbits(64) == stream(7, "board").getrandbits(64)
