"""Nothing appears and nothing is lost: every card and piece is counted in positions of some 2400 random games."""

from collections import Counter

import pytest

from pythia.core_cy import Random, load_game, state_from_json
from pythia.core_cy.delphi.components import COLORS, EQUIPMENT_IDS, SHIP_TILE_IDS
from pythia.core_cy.testing import play_random

SHIP_TILES = ("random", "draft", "first_game")
CHECKS = 60  # for each of the 45 sets of options
MOST_MOVES = 4000  # a random game has 1500 (2 players) to 3500 (4 players); then the next one begins


def times(number):
    return dict.fromkeys(COLORS, number)


def count(*lists):
    return Counter(item for items in lists for item in items)


def check(position):
    players = position["players"]
    seats = len(players)

    cards = [p["oracle_cards"] for p in players] + [[p["card_played"]] for p in players if p["card_played"]]
    assert count(*cards, position["oracle_pile"], position["oracle_discard"]) == times(5)
    injuries = [p["injuries"] for p in players]
    assert count(*injuries, position["injury_pile"], position["injury_discard"]) == times(7)

    equipment = [p["equipment"] for p in players]
    assert count(*equipment, position["equipment_display"], position["equipment_pile"]) == Counter(
        EQUIPMENT_IDS
    )
    companions = [(c["kind"], c["color"]) for p in players for c in p["companions"]]
    assert len(companions) == len(set(companions))

    raised = [statue["color"] for statue in position["raised"]]
    aboard = [p["cargo"]["statues"] for p in players]
    assert count(raised, *aboard, Counter(position["statues"]).elements()) == times(3)
    assert count(raised) == count(*[p["done"]["statue"] for p in players])
    assert len({(statue["q"], statue["r"], statue["color"]) for statue in position["raised"]}) == len(raised)

    for pieces, aboard in (("offerings", [p["cargo"]["offerings"] for p in players]), ("monsters", [])):
        left = [island["colors"] for island in position[pieces]]
        done = [p["done"][pieces[:-1]] for p in players]
        assert count(*left, *aboard, *done) == times(seats)

    tiles = {(tile["color"], tile["letter"]) for tile in position["island_tiles"]}
    assert len(tiles) == len(position["island_tiles"]) == 12
    shrines = Counter(tile["color"] for tile in position["island_tiles"] if tile["shrine"])
    assert shrines == Counter({p["color"]: p["done"]["shrine"] for p in players})

    ships = [p["ship_tile"] for p in players if p["ship_tile"]]
    assert set(ships) <= set(SHIP_TILE_IDS)
    assert len(ships) == len(set(ships))
    for p in players:
        check_player(p, position["options"]["removed_tasks"])


def check_player(p, removed):
    assert len(p["dice"]) in (0, 3)
    assert not Counter(p["dice_left"]) - Counter(p["dice"])
    assert 0 <= p["shield"] <= 5
    assert p["favor"] >= 0
    assert all(0 <= row <= 6 for row in p["gods"].values())
    storage = (4 if p["ship_tile"] == "two_way_recolor" else 2) + ("storage_and_shield" in p["equipment"])
    assert len(p["cargo"]["offerings"]) + len(p["cargo"]["statues"]) <= storage
    tasks, done = p["tasks"], p["done"]
    open_tasks = tasks["shrine"] + tasks["statue"] + len(tasks["offering"]) + len(tasks["monster"])
    finished = done["shrine"] + len(done["statue"]) + len(done["offering"]) + len(done["monster"])
    # `eleven_tasks` returns its tile during the set-up.
    assert 12 - removed - (open_tasks + finished) in ((0, 1) if p["ship_tile"] == "eleven_tasks" else (0,))
    assert len(p["companions"]) in (len(done["statue"]), len(done["statue"]) - 1)  # one may be open
    for hero in (c["color"] for c in p["companions"] if c["kind"] == "hero"):
        assert hero not in p["injuries"]


@pytest.mark.parametrize("removed", range(5))
@pytest.mark.parametrize("ship_tiles", SHIP_TILES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_card_and_piece_is_somewhere(players, ship_tiles, removed):
    board = ("compact", "free")[(players + removed) % 2]
    game = load_game(
        "delphi", players=players, seed=removed, board=board, ship_tiles=ship_tiles, removed_tasks=removed
    )
    rng = Random(100 * players + removed)
    for number in range(CHECKS):
        state = game.new_state()
        play_random(state, rng, rng.below(MOST_MOVES), listing=False)
        position = state.to_json()
        check(position)
        if number % 6 == 0:
            # The reader has stricter checks of its own, and finds nothing wrong either.
            assert state_from_json(position).position_hash() == state.position_hash()
