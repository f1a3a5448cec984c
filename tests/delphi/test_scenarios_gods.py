"""The gods: their special actions, the card instead, and when they return (R23, R30)."""

import pytest

from tests.delphi.scenario import (
    COLORS,
    FIRST_ROW,
    GODS,
    Scene,
    actions,
    after,
    beside,
    far_from,
    legal,
    odds,
    phase,
    place,
    places,
    play,
    player,
    text,
    two_away,
    waiting,
    zeus,
)


@pytest.mark.parametrize("god", GODS)
def test_r23_every_god_on_top_may_draw_a_card_instead(god):
    state = Scene().top(god).dice("red").state()
    play(state, f"god:{god} draw")
    assert waiting(state) == ["oracle 0", "return_god 0"]
    assert player(state)["gods"][god] == 6
    assert odds(state) == pytest.approx({f"oracle {color}": 1 / 6 for color in COLORS})
    play(state, "oracle pink")
    assert (player(state)["oracle_cards"], player(state)["gods"][god]) == (["pink"], 0)
    assert player(state)["dice_left"] == ["red"]  # no die is used


@pytest.mark.parametrize("row", [0, 3, 5])
@pytest.mark.parametrize("god", GODS)
def test_r23_only_on_the_top_row(god, row):
    assert legal(Scene().gods(**{god: row}).state(), "god:") == set()


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("god", GODS)
def test_r23_with_ship_gods_a_god_returns_to_the_player_count_row(god, players):
    state = Scene(players).ship_tile("gods").top(god).state()
    play(state, f"god:{god} draw", "oracle red")
    assert player(state)["gods"][god] == FIRST_ROW[players]


def test_r23_poseidon_any_other_water_space():
    start = place("water", color="red")
    state = Scene().ship(start).top("poseidon").dice().state()
    spaces = {f"god:poseidon sail {text(hex)}" for hex in places("water") if hex != start}
    assert legal(state, "god:") == spaces | {"god:poseidon draw"}
    assert len(spaces) == 71
    goal = places("water")[-1]
    play(state, f"god:poseidon sail {text(goal)}")
    assert player(state)["ship"] == {"q": goal[0], "r": goal[1]}
    assert player(state)["gods"]["poseidon"] == 0


def test_r16_r23_poseidon_reaches_zeus_with_all_tasks_done():
    move = f"god:poseidon sail {text(zeus())}"
    scene = Scene().ship(place("water")).top("poseidon").dice()
    assert move not in legal(scene.state())
    state = scene.all_done().state()
    assert move in legal(state)
    assert player(play(state, move))["arrived"] is True


def test_r23_r30_apollon_draws_first_and_may_inspire_again():
    state = Scene().top("apollon").dice("red").state()
    assert legal(state, "god:") == {"god:apollon inspire", "god:apollon draw"}
    play(state, "god:apollon inspire")
    assert waiting(state) == ["oracle 0", "return_god 0"]
    assert player(state)["apollon"] is True  # active before the card is drawn
    play(state, "oracle blue")
    assert player(state)["gods"]["apollon"] == 0
    again = Scene().top("apollon").dice("red")
    again.players[0]["apollon"] = True
    assert "god:apollon inspire" in legal(again.state())


def test_r23_artemis_uncovers_any_face_down_tile_with_its_reward():
    tiles = places("island_tile")
    scene = Scene().ship(far_from("island_tile")).top("artemis").dice().face_up(*tiles[:3])
    state = scene.tile(tiles[5], "green", "psi").state()
    expected = {f"god:artemis explore {text(hex)}" for hex in tiles[3:]}
    assert legal(state, "god:") == expected | {"god:artemis draw"}
    play(state, f"god:artemis explore {text(tiles[5])}")
    assert (player(state)["favor"], player(state)["gods"]["artemis"], phase(state)) == (4, 0, "act")


def test_r23_artemis_stays_on_top_while_her_reward_is_taken():
    """The shrine's step cannot go to her; she returns when all is over."""
    hex = places("island_tile")[0]
    scene = Scene().top("artemis").dice().tile(hex, "red", "phi")
    state = play(scene.state(), f"god:artemis explore {text(hex)}")
    assert waiting(state) == ["step 0", "return_god 0"]
    assert legal(state) == {f"step {god}" for god in GODS if god != "artemis"}
    play(state, "step ares")
    assert (player(state)["gods"]["artemis"], player(state)["done"]["shrine"]) == (0, 1)


def test_r23_with_all_tiles_face_up_artemis_only_draws():
    state = Scene().top("artemis").dice().face_up(*places("island_tile")).state()
    assert legal(state, "god:") == {"god:artemis draw"}


def test_r23_aphrodite_discards_all_injuries():
    scene = Scene().top("aphrodite").dice()
    assert legal(scene.state(), "god:") == {"god:aphrodite draw"}  # nothing to heal
    state = scene.injuries("red", "red", "pink").state()
    assert legal(state, "god:") == {"god:aphrodite heal", "god:aphrodite draw"}
    play(state, "god:aphrodite heal")
    assert (player(state)["injuries"], player(state)["gods"]["aphrodite"]) == ([], 0)
    assert state.to_json()["injury_discard"] == ["red", "red", "pink"]


def test_r23_ares_defeats_a_needed_monster_in_reach_without_a_roll():
    scene = Scene(players=4).top("ares").dice().defeated("pink")
    hex = next(h for h in places("monster_island") if {"red", "black"} & set(scene.colors_on("monsters", h)))
    needed = {"red", "black"} & set(scene.colors_on("monsters", hex))
    state = scene.ship(beside(hex)).state()
    fights = {move for move in legal(state, "god:ares fight") if text(hex) in move}
    assert fights == {f"god:ares fight {text(hex)} {color}" for color in needed}
    color = min(needed)
    play(state, f"god:ares fight {text(hex)} {color}")
    assert waiting(state) == ["equip 0", "return_god 0"]
    assert color in player(state)["done"]["monster"]


def test_r23_ares_far_from_monsters_only_draws():
    state = Scene().top("ares").dice().ship(far_from("monster_island")).state()
    assert legal(state, "god:") == {"god:ares draw"}


def test_r23_ares_reaches_further_with_the_reach_card():
    scene = Scene().top("ares").dice()
    hex = scene.island("monsters", "red")
    scene.ship(two_away(hex))
    move = f"god:ares fight {text(hex)} red"
    assert move not in legal(scene.state())
    assert move in legal(scene.own("fight_explore_build_reach").state())


def test_r23_ares_keeps_his_place_until_the_card_he_brings_has_acted():
    """The windfall's steps cannot go to him, and a god brought to the top stays there."""
    scene = Scene().ship_tile("range").top("ares").dice().display("windfall")
    hex = scene.island("monsters", "red")
    state = play(scene.ship(beside(hex)).state(), f"god:ares fight {text(hex)} red", "equip windfall")
    play(state, next(iter(odds(state))), "oracle red")
    assert legal(state) == {f"step {god}" for god in GODS if god != "ares"}
    play(state, "step hermes", "step hermes")
    assert (player(state)["gods"]["ares"], player(state)["gods"]["hermes"], phase(state)) == (0, 4, "act")


def test_r23_hermes_takes_a_needed_statue_of_any_city():
    city = place("city", color="red")
    scene = (
        Scene().top("hermes").dice().ship(beside(city)).companion("hero", "blue").aboard(statues=["green"])
    )
    state = scene.state()
    expected = {f"god:hermes load statue {color}" for color in ("red", "black", "pink", "yellow")}
    assert legal(state, "god:") == expected | {"god:hermes draw"}
    play(state, "god:hermes load statue yellow")
    now = player(state)
    assert (now["cargo"]["statues"], now["gods"]["hermes"]) == (["yellow", "green"], 0)
    assert state.to_json()["statues"]["yellow"] == 2


def test_r23_hermes_needs_a_city_in_reach_and_room():
    city = place("city", color="red")
    away = Scene().top("hermes").dice().ship(far_from("city"))
    assert legal(away.state(), "god:") == {"god:hermes draw"}
    full = Scene().top("hermes").dice().ship(beside(city)).aboard(offerings=["blue"], statues=["red"])
    assert legal(full.state(), "god:") == {"god:hermes draw"}


def test_r23_hermes_uses_the_statue_reach():
    city = place("city", color="red")
    scene = Scene().top("hermes").dice().ship(two_away(city))
    assert legal(scene.state(), "god:") == {"god:hermes draw"}
    assert len(legal(scene.own("statue_reach").state(), "god:hermes load")) == 6


def test_r23_hermes_beside_an_empty_city_takes_from_another():
    city = place("city", color="red")
    scene = Scene(players=4).top("hermes").dice().ship(beside(city))
    scene.companion("hero", "red", seat=1).companion("demigod", "red", seat=2).aboard(statues=["red"], seat=3)
    expected = {f"god:hermes load statue {color}" for color in COLORS if color != "red"}
    assert legal(scene.state(), "god:hermes load") == expected


def test_r23_gods_act_only_in_the_action_phase_of_their_owner():
    scene = Scene().at(2, phase="start").top("ares", "hermes")
    assert all(move.startswith(("take", "step")) for move in legal(scene.state()))
    state = Scene().top("poseidon", seat=1).dice("red").state()
    assert legal(state, "god:") == set()


def test_r23_several_gods_may_act_in_one_turn():
    state = Scene().top("poseidon", "ares").dice().injuries("red").state()
    play(state, "god:ares draw", "oracle red", "god:poseidon draw", "oracle blue")
    assert player(state)["oracle_cards"] == ["red", "blue"]
    assert actions(state) == {
        f"card:{color} {action}" for color in ("red", "blue") for action in ("draw", "favor", "advance")
    } | {"card:red heal", "end"}


def test_r30_draws_stay_legal_and_inspire_twice():
    cards = [color for color in COLORS for _ in range(5)]
    scene = Scene().cards(*cards, seat=1).top("apollon", "hermes").dice("red")
    state = scene.state()
    assert {"die:red draw", "god:hermes draw", "god:apollon inspire"} <= legal(state)
    drawn = after(state, "god:hermes draw")
    assert (phase(drawn), player(drawn)["gods"]["hermes"]) == ("act", 0)
