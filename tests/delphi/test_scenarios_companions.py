"""The 18 companions and what their colors do (R11, R12, R24, R37)."""

import pytest

from tests.delphi.scenario import (
    COLORS,
    Scene,
    beside,
    board,
    legal,
    phase,
    places,
    play,
    player,
    sails,
    text,
    waiting,
    zeus,
)

EVERY_COLOR = pytest.mark.parametrize("color", COLORS)


def raised(color, scene):
    """Seat 0 has just raised a statue of the color."""
    site = next(hex for hex in places("statue_island") if color in board()[hex]["sites"])
    state = scene.aboard(statues=[color]).ship(beside(site)).dice(color).state()
    play(state, f"die:{color} raise {text(site)}")
    assert legal(state) == {"companion hero", "companion demigod", "companion creature"}
    return state


def other(color):
    return COLORS[COLORS.index(color) - 2]


@EVERY_COLOR
def test_r24_hero_shield_plus_2_and_its_injuries_are_discarded(color):
    state = raised(color, Scene().injuries(color, color, other(color)).shield(1))
    play(state, "companion hero")
    now = player(state)
    assert (now["shield"], now["injuries"]) == (3, [other(color)])
    assert now["companions"] == [{"kind": "hero", "color": color}]
    assert state.to_json()["injury_discard"] == [color, color]
    assert phase(state) == "act"


def test_r24_the_shield_never_exceeds_5():
    assert player(play(raised("red", Scene().shield(4)), "companion hero"))["shield"] == 5


@EVERY_COLOR
def test_r24_r37_injuries_of_the_heros_color_are_discarded_as_they_are_drawn(color):
    """A Titan of 6: both cards of a seat are drawn one by one."""
    scene = Scene().companion("hero", color).at(3, turn=1).dice(seat=1)
    state = play(scene.state(), "end", "roll red red red", "titan 6", f"injury {color}")
    assert player(state)["injuries"] == []
    assert state.to_json()["injury_discard"] == [color]
    assert waiting(state) == ["injury 0", "injury 1", "injury 1", "next 1"]
    play(state, f"injury {other(color)}")
    assert player(state)["injuries"] == [other(color)]
    play(state, f"injury {color}")
    assert player(state, 1)["injuries"] == [color]  # the hero of seat 0 does not help seat 1


@EVERY_COLOR
def test_r24_demigod_draws_a_card(color):
    state = play(raised(color, Scene()), "companion demigod")
    assert waiting(state) == ["oracle 0"]
    play(state, "oracle blue")
    assert player(state)["oracle_cards"] == ["blue"]


@EVERY_COLOR
def test_r11_demigod_makes_dice_and_cards_of_its_color_any_color(color):
    state = Scene().companion("demigod", color).dice(color, other(color)).cards(color).state()
    for source in ("die", "card"):
        used = {f"{source}:{color}" if target == color else f"{source}:{color}>{target}" for target in COLORS}
        assert {f"{head} advance" for head in used} <= legal(state)
    assert {move for move in legal(state, f"die:{other(color)}") if ">" in move} == set()


@EVERY_COLOR
def test_r12_creature_sails_three_further_and_ends_anywhere(color):
    state = Scene().companion("creature", color).dice(color, other(color)).cards(color).state()
    for source in ("die", "card"):
        assert legal(state, f"{source}:{color} sail") == sails(f"{source}:{color}", zeus(), 6)
    away = other(color)
    assert legal(state, f"die:{away} sail") == sails(f"die:{away}", zeus(), 3, away)


@EVERY_COLOR
def test_a_creature_brings_nothing_at_once(color):
    state = play(raised(color, Scene().injuries(color)), "companion creature")
    now = player(state)
    assert (phase(state), now["shield"], now["injuries"], now["oracle_cards"]) == ("act", 0, [color], [])


def test_r21_each_companion_exists_once():
    scene = Scene(players=3).companion("hero", "red", seat=1).companion("demigod", "red", seat=2)
    site = next(hex for hex in places("statue_island") if "red" in board()[hex]["sites"])
    state = scene.aboard(statues=["red"]).ship(beside(site)).dice("red").state()
    play(state, f"die:red raise {text(site)}")
    assert legal(state) == {"companion creature"}
