"""The set-up as the first part of the game tree: seats, ship tiles, injuries, tasks (R3 to R6, R38)."""

import copy

import pytest

from pythia.core_cy import load_game, state_from_json
from pythia.core_cy.delphi.components import SHIP_TILE_IDS
from tests.delphi.scenario import (
    FIRST_ROW,
    GOD_COLORS,
    GODS,
    SEAT_COLORS,
    legal,
    odds,
    pending,
    phase,
    play,
    player,
    waiting,
)


def start(**options):
    return load_game("delphi", **{"players": 2, "seed": 1} | options).new_state()


def start_with(*ship_tiles, players=2):
    """A start in which the first seats have these ship tiles."""
    for seed in range(5000):
        state = start(seed=seed, players=players)
        tiles = [each["ship_tile"] for each in state.to_json()["players"]]
        if tiles[: len(ship_tiles)] == list(ship_tiles):
            return state
    raise LookupError(ship_tiles)


def with_display(state, *cards):
    """The same position with certain cards on display."""
    position = copy.deepcopy(state.to_json())
    display, pile = position["equipment_display"], position["equipment_pile"]
    for card in cards:
        if card in pile:
            other = next(c for c in display if c not in cards)
            display[display.index(other)], pile[pile.index(card)] = card, other
    return state_from_json(position)


def rolled(state):
    """Everyone rolls red, black, pink and draws a green injury."""
    while phase(state) in ("roll", "injury"):
        state.apply("roll red black pink" if phase(state) == "roll" else "injury green")
    return state


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r3_each_seat_has_one_favor_more_and_the_ships_start_on_zeus(players):
    position = start(players=players, seed=5).to_json()
    zeus = next(hex for hex in position["board"] if hex["kind"] == "zeus")
    for seat, each in enumerate(position["players"]):
        assert each["favor"] == 3 + seat + (each["ship_tile"] == "favor")
        assert each["ship"] == {"q": zeus["q"], "r": zeus["r"]}
        assert each["arrived"] is False
    assert (position["round"], position["turn"]) == (1, 0)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r38_seats_have_their_colors(players):
    colors = [each["color"] for each in start(players=players).to_json()["players"]]
    assert colors == list(SEAT_COLORS[:players])


def test_r4_random_and_first_game_tiles_are_dealt_once_each():
    marked = {"shield", "gods", "range", "two_way_recolor"}
    seen = set()
    for seed in range(30):
        for mode in ("random", "first_game"):
            tiles = [
                each["ship_tile"]
                for each in start(players=4, seed=seed, ship_tiles=mode).to_json()["players"]
            ]
            assert len(set(tiles)) == 4
            if mode == "first_game":
                assert set(tiles) == marked
            else:
                seen |= set(tiles)
    assert seen == set(SHIP_TILE_IDS)


def test_r4_a_draft_goes_from_the_last_seat_to_the_first():
    state = start(players=3, ship_tiles="draft")
    offer = pending(state)["ships"]
    assert len(offer) == 4
    assert [tile for tile in SHIP_TILE_IDS if tile in offer] == offer
    for seat, chosen in ((2, offer[0]), (1, offer[3]), (0, offer[1])):
        assert state.to_act == seat
        left = [
            tile for tile in offer if tile not in {each["ship_tile"] for each in state.to_json()["players"]}
        ]
        assert legal(state) == {f"ship {tile}" for tile in left}
        play(state, f"ship {chosen}")
    assert [each["ship_tile"] for each in state.to_json()["players"]] == [offer[1], offer[3], offer[0]]
    assert phase(state) == "roll"


def test_r4_the_draft_is_first_then_rolls_injuries_and_choices_by_seat():
    """What waits lists an entry for every seat of a draft, as nobody knows yet whose tile will ask."""
    state = start(players=3, ship_tiles="draft")
    events = ["roll 0", "roll 1", "roll 2", "injury 0", "injury 1", "injury 2"]
    assert waiting(state) == [
        "draft 2",
        "draft 1",
        "draft 0",
        *events,
        "setup 0",
        "setup 1",
        "setup 2",
        "begin 0",
    ]


def test_r4_after_a_draft_seats_without_a_choice_are_skipped():
    drafts = (start(ship_tiles="draft", seed=seed) for seed in range(100))
    state = next(state for state in drafts if {"range", "eleven_tasks"} <= set(pending(state)["ships"]))
    rolled(play(state, "ship eleven_tasks", "ship range"))
    assert (phase(state), state.to_act) == ("setup", 1)
    assert phase(play(state, "return statue")) == "act"


def test_r4_without_a_draft_only_seats_that_choose_have_an_entry():
    state = start_with("range", "eleven_tasks", "equipped", players=3)
    events = ["roll 0", "roll 1", "roll 2", "injury 0", "injury 1", "injury 2"]
    assert waiting(state) == [*events, "setup 1", "setup 2", "begin 0"]
    assert waiting(start_with("range", "shield")) == ["roll 0", "roll 1", "injury 0", "injury 1", "begin 0"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r5_the_injury_brings_its_god_to_the_player_count_row(players):
    state = start_with("range", players=players)
    for _ in range(players):
        play(state, "roll red black black")
    for color in ("pink", "green", "red", "red")[:players]:
        play(state, f"injury {color}")
    for seat, color in enumerate(("pink", "green", "red", "red")[:players]):
        each = player(state, seat)
        if each["ship_tile"] == "gods":
            continue
        rows = {god: FIRST_ROW[players] if GOD_COLORS[god] == color else 0 for god in GODS}
        assert each["gods"] == rows
        assert each["injuries"] == [color]


def test_r5_with_ship_gods_all_start_on_the_row_and_the_injury_gives_no_more():
    state = start_with("gods", "shield")
    assert set(player(state)["gods"].values()) == {3}
    play(state, "roll red black pink", "roll red red red", "injury blue", "injury blue")
    assert set(player(state)["gods"].values()) == {3}
    assert player(state, 1)["gods"] == {god: 3 * (god == "poseidon") for god in GODS}


def test_r5_the_opening_roll_lets_nobody_follow():
    state = start_with("gods", "shield")
    assert "follow 0" not in waiting(state)
    play(state, "roll red black pink", "roll blue blue blue")
    assert player(state)["dice"] == player(state)["dice_left"] == ["red", "black", "pink"]
    assert set(player(state)["gods"].values()) == {3}
    assert player(state, 1)["dice"] == ["blue", "blue", "blue"]


@pytest.mark.parametrize(
    ("removed", "shrines", "statues", "offerings", "monsters"),
    [(0, 3, 3, 3, 3), (1, 3, 2, 3, 3), (2, 2, 2, 3, 3), (3, 2, 2, 3, 2), (4, 2, 2, 2, 2)],
)
def test_r6_short_games_remove_statue_shrine_monster_offering(removed, shrines, statues, offerings, monsters):
    dealt = [each["tasks"] for each in start(players=4, seed=9, removed_tasks=removed).to_json()["players"]]
    assert all(tasks == dealt[0] for tasks in dealt)
    assert (dealt[0]["shrine"], dealt[0]["statue"]) == (shrines, statues)
    for name, number in (("offering", offerings), ("monster", monsters)):
        assert len(dealt[0][name]) == number
        assert dealt[0][name].count("any") == 1  # only colored tiles are removed


def test_ship_eleven_tasks_returns_one_tile_without_reward():
    state = rolled(start_with("eleven_tasks", "shield"))
    tasks = player(state)["tasks"]
    expected = {"return shrine", "return statue"}
    expected |= {f"return {name} {color}" for name in ("offering", "monster") for color in tasks[name]}
    assert legal(state) == expected
    assert len(expected) == 8
    colored = tasks["monster"][-1]
    before = player(state)
    play(state, f"return monster {colored}")
    after = player(state)
    assert after["tasks"]["monster"] == [color for color in tasks["monster"] if color != colored]
    assert after["done"] == {"shrine": 0, "statue": [], "offering": [], "monster": []}
    for name in ("favor", "gods", "equipment", "oracle_cards"):
        assert after[name] == before[name]


@pytest.mark.parametrize("task", ["shrine", "statue"])
def test_ship_eleven_tasks_may_return_a_shrine_or_a_statue(task):
    state = play(rolled(start_with("eleven_tasks", "shield")), f"return {task}")
    assert player(state)["tasks"][task] == 2
    assert phase(state) == "act"  # one injury each: no start phase


def test_ship_equipped_card_refill_then_oracle_card():
    state = rolled(with_display(start_with("equipped", "shield"), "range_plus_1"))
    display = state.to_json()["equipment_display"]
    assert legal(state) == {f"equip {card}" for card in display}
    play(state, "equip range_plus_1")
    assert waiting(state) == ["equipment 0", "oracle 0", "begin 0"]
    assert set(odds(state)) == {f"equipment {card}" for card in state.to_json()["equipment_pile"]}
    play(state, next(iter(odds(state))), "oracle green")
    assert player(state)["equipment"] == ["range_plus_1"]
    assert player(state)["oracle_cards"] == ["green"]
    assert len(state.to_json()["equipment_display"]) == 6
    assert phase(state) == "act"


def test_ship_equipped_a_one_time_card_acts_before_the_oracle_card():
    """R31: the refill, favor, the card of the windfall, its steps; then the card of the ship tile."""
    state = rolled(with_display(start_with("equipped", "shield"), "windfall"))
    favor = player(state)["favor"]
    play(state, "equip windfall")
    assert waiting(state) == ["equipment 0", "favor 0", "oracle 0", "step 0", "oracle 0", "begin 0"]
    play(state, next(iter(odds(state))))
    assert player(state)["favor"] == favor + 3
    play(state, "oracle red", "step ares", "step ares")
    assert waiting(state) == ["oracle 0", "begin 0"]
    play(state, "oracle blue")
    assert player(state)["gods"]["ares"] == 4
    assert player(state)["oracle_cards"] == ["red", "blue"]


def test_ship_equipped_scout_may_build_a_shrine_before_the_first_turn():
    state = rolled(with_display(start_with("equipped", "shield"), "scout"))
    play(state, "equip scout")
    play(state, next(iter(odds(state))))
    own = [tile for tile in state.to_json()["island_tiles"] if tile["color"] == "red"]
    first, second = (f"{tile['q']},{tile['r']}" for tile in own[:2])
    play(state, f"look {first} {second}", f"reveal {first}", "step hermes", "oracle red")
    assert player(state)["done"]["shrine"] == 1
    assert player(state)["gods"]["hermes"] == 3
    assert player(state)["knows"] == [{name: own[1][name] for name in ("q", "r", "color", "letter")}]


def test_ship_shield_starts_with_two():
    state = start_with("shield", "range")
    assert [player(state, seat)["shield"] for seat in (0, 1)] == [2, 0]


def test_ship_favor_counts_the_first_favor_too():
    assert player(start_with("favor"))["favor"] == 4
    drafts = (start(ship_tiles="draft", seed=seed) for seed in range(100))
    state = next(state for state in drafts if "favor" in pending(state)["ships"])
    assert player(state, 1)["favor"] == 4
    assert player(play(state, "ship favor"), 1)["favor"] == 5
