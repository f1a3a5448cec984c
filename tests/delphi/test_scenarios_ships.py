"""The 8 ship tiles in play; what they do at the start is in test_scenarios_setup.py (R5, R10, R20, R36)."""

import pytest

from tests.delphi.scenario import (
    Scene,
    beside,
    legal,
    pending,
    phase,
    place,
    places,
    play,
    player,
    sails,
    text,
    zeus,
)


def test_ship_shield_weakens_monsters():
    scene = Scene().ship_tile("shield").shield(2)
    hex = scene.island("monsters", "red")
    state = play(scene.ship(beside(hex)).dice("red").state(), f"die:red fight {text(hex)}")
    assert pending(state)["strength"] == 7


def test_ship_gods_returns_gods_to_the_row_also_after_a_special_action():
    state = Scene().ship_tile("gods").top("aphrodite").injuries("red").dice().state()
    play(state, "god:aphrodite heal")
    assert player(state)["gods"]["aphrodite"] == 3


def test_ship_range_sails_two_further():
    state = Scene().ship_tile("range").dice("pink").favor(1).state()
    assert legal(state, "die:pink sail") == sails("die:pink", zeus(), 6, "pink")


def test_ship_two_way_recolor_stores_four():
    city = place("city", color="red")
    scene = Scene().ship_tile("two_way_recolor").ship(beside(city)).dice("red")
    three = scene.aboard(offerings=["blue", "yellow"], statues=["pink"])
    assert legal(three.state(), "die:red load") == {f"die:red load statue {text(city)}"}
    play(state := three.state(), f"die:red load statue {text(city)}")
    assert player(state)["cargo"] == {"offerings": ["blue", "yellow"], "statues": ["red", "pink"]}
    four = (
        Scene().ship_tile("two_way_recolor").aboard(offerings=["blue", "yellow"], statues=["pink", "green"])
    )
    assert legal(four.ship(beside(city)).dice("red").state(), "die:red load") == set()


@pytest.mark.parametrize("tile", ["favor", "range"])
def test_r36_ship_favor_takes_one_more_each_time(tile):
    more = int(tile == "favor")
    scene = Scene().ship_tile(tile)
    assert player(play(scene.dice("red").state(), "die:red favor"))["favor"] == 2 + more
    hex = places("island_tile")[0]
    state = scene.top("artemis").tile(hex, "green", "psi").state()
    assert player(play(state, f"god:artemis explore {text(hex)}"))["favor"] == 4 + more
    temple = place("temple_island", color="blue")
    state = Scene().ship_tile(tile).aboard(offerings=["blue"]).ship(beside(temple)).dice("blue").state()
    assert player(play(state, f"die:blue deliver {text(temple)}"))["favor"] == 3 + more
    state = Scene().ship_tile(tile).at(2, phase="start").state()
    assert player(play(state, "take favor"))["favor"] == 2 + more
    scene = Scene().ship_tile(tile).defeated("red").own("pink_bundle").dice("pink")
    assert player(play(scene.state(), "die:pink bundle"))["favor"] == 1 + more


def test_ship_eleven_tasks_arrives_with_eleven():
    scene = Scene().ship_tile("eleven_tasks").all_done().ship(beside(zeus())).dice("red")
    done = scene.players[0]["done"]
    assert done["shrine"] + len(done["statue"]) + len(done["offering"]) + len(done["monster"]) == 11
    state = play(scene.state(), f"die:red sail {text(zeus())}")
    assert player(state)["arrived"] is True


def test_ship_cheap_recolor_saves_once_for_each_die_and_card():
    state = Scene().ship_tile("cheap_recolor").favor(2).dice("red", "red").cards("red").state()
    play(state, "die:red>pink advance", "die:red>black advance", "card:red>pink advance")
    assert player(state)["favor"] == 0


def test_ship_equipped_does_nothing_later():
    scene = Scene()
    assert scene.players[0]["ship_tile"] == "equipped"
    hex = scene.island("monsters", "red")
    state = play(scene.ship(beside(hex)).dice("red").state(), f"die:red fight {text(hex)}", "battle 9")
    assert phase(state) == "equip"
    assert len(legal(state)) == 6
