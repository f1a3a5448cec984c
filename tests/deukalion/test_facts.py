"""Facts about moves and scores of Deukalion, counted by hand."""

import pytest

from pythia.core_cy import View
from pythia.core_cy.deukalion.facts import chance_to_beat, chance_to_reach, throw_odds
from pythia.core_cy.move_words import describe_move, tell_news
from tests.deukalion.tables import Table
from tests.positions import play

THROW = (42, 42, 16)


def facts(state, move):
    return state.game.move_facts(state, move)


def test_odds_of_throws():
    assert sum(throw_odds(10, THROW).values()) == pytest.approx(1)
    assert chance_to_reach(0, 0, THROW) == 1
    assert chance_to_reach(0, 1, THROW) == 0
    assert chance_to_reach(1, 1, THROW) == pytest.approx(0.42)
    assert chance_to_reach(1, 0.5, THROW) == pytest.approx(0.58)
    # Two fighters reach one point unless both fall cross up, or one so and the other on a side.
    assert chance_to_reach(2, 1, THROW) == pytest.approx(1 - 0.42**2 - 2 * 0.42 * 0.16)
    # A tie goes to the defender (D27), so equal ships win less than half.
    even = chance_to_beat(1, 1, 0, THROW)
    assert even == pytest.approx(0.42 * 0.58 + 0.16 * 0.42)
    assert chance_to_beat(3, 0, 1, THROW) == 1
    assert chance_to_beat(0, 0, 0, THROW) == 0


def test_an_attack_on_a_city():
    table = Table().seat(1, ship="2,5", fighters=4, permanent=["golden_fleece"]).city(thera=["red"])
    state = table.state()
    found = facts(state, "attack thera")
    assert found["odds"] == {
        "need": 2,
        "fighters": 4,
        "bonus": 1,
        "win": pytest.approx(chance_to_reach(4, 1, THROW)),
    }
    assert found["gains"] == {"treasures": 1}
    words = describe_move(state, "attack thera", "de")
    assert words.label == "Thera angreifen"
    assert words.odds.startswith("nötig: 2 Punkte, 4 Kämpfer im Wurf, +1 durch Karten, Sieg mit ")
    assert describe_move(state, "attack thera").odds.endswith("% to win")


def test_sailing_into_a_ship():
    state = Table().seat(0, ship="2,5", fighters=5).seat(1, ship="1,5", fighters=7).state()
    found = facts(state, "sail 2,5")
    assert found["odds"] == {
        "fighters": 7,
        "bonus": 0,
        "others": 5,
        "win": pytest.approx(chance_to_beat(7, 5, 0, THROW)),
    }
    assert found["gains"] == {"squares": 1}


def test_points():
    state = Table().seat(1, ship="1,3", victory_cards=2, fulfilled=["two_red"]).settle(lindos=1).state()
    assert state.game.scores(state)[1] == {
        "total": 8,
        "parts": {"victory_cards": 2, "orders": 4, "settlements": 2},
    }
    assert facts(state, "found argos") == {"price": {"fighters": 1}, "gains": {"points": 1}}


def news(before, move):
    return tell_news(View.of(before, 0), move, View.of(play(before, move), 0))


def test_news_say_how_a_throw_ended():
    city = play(Table().seat(1, ship="2,5", fighters=4).city(thera=["red"]).state(), "attack thera")
    assert news(city, "throw 1 3 0") == "3 points, Thera falls"
    assert news(city, "throw 3 1 0") == "1 point, Thera holds"
    ships = play(Table().seat(0, ship="2,5", fighters=2).seat(1, ship="1,5", fighters=3).state(), "sail 2,5")
    assert news(ships, "throw 0 2 1") == "2.5 points"
    defended = play(ships, "throw 0 2 1")
    assert news(defended, "throw 0 2 0") == "2 points, Perseus wins"


def test_news_say_who_has_how_many_points():
    state = Table().seat(1, ship="4,1", treasures=["red"]).state()
    assert news(state, "deliver red") == "seat 1 has 1 point"


def test_declining_says_what():
    city = play(Table().seat(1, ship="2,5", fighters=4).city(thera=["red"]).state(), "attack thera")
    looting = play(city, "throw 1 3 0")
    assert describe_move(looting, "decline").label == "Decline: take no treasure of Thera"
    styx = play(Table(players=3).seat(1, ship="2,0", fighters=4).seat(0, fighters=5).state(), "sail 1,0")
    assert describe_move(styx, "decline").label == "Decline: bring no fighters back"
