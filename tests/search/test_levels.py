"""Levels as data: read with care, by game and player count, and used by the bots that play there."""

import json

import pytest

from pythia.core_cy import View, load_game
from pythia.search import levels
from pythia.search.bots import make_bot
from pythia.search.levels import LEVELS, BadLevels, Level, levels_of, levels_text, read_levels
from pythia.search.limits import Limit

ROWS = [{"iterations": 5 + number, "temperature": 0.5} for number in range(10)]


def test_a_level_is_that_of_the_game_and_the_number_of_players(monkeypatch):
    found = read_levels(levels_text("keltis", {"3": {"levels": ROWS}}), "keltis", "levels.json")
    monkeypatch.setattr(levels, "calibrated", lambda game: found if game == "keltis" else {})
    for game, players, expected in (
        ("keltis", 3, Level(7, 0.5)),
        ("keltis", 2, LEVELS[3]),
        ("delphi", 3, LEVELS[3]),
    ):
        state = load_game(game, players=players, seed=1).new_state()
        while state.to_act < 0 or len(state.legal_moves()) < 2:
            state.apply(state.legal_moves()[0] if state.to_act >= 0 else state.chance_outcomes()[0][0])
        bot = make_bot("ismcts", level=3, seed=1)
        assert levels_of(state.game)[3] == expected
        assert bot.limit_in(state.game).iterations == expected.iterations
        assert bot.temperature_in(state.game) == expected.temperature
        assert bot.choose(View.of(state, state.to_act)).iterations == expected.iterations


def test_a_limit_and_a_temperature_go_before_those_of_the_level():
    game = load_game("keltis", players=2, seed=1)
    bot = make_bot("ismcts", level=1, temperature=0.25)
    assert (bot.limit_in(game).iterations, bot.temperature_in(game)) == (levels_of(game)[1].iterations, 0.25)
    assert make_bot("ismcts", temperature=0.0).temperature_in(game) == 0.0
    assert make_bot("ismcts").temperature_in(game) == 0.0


def test_weak_players_overlook_moves():
    state = load_game("delphi", players=2, seed=1).new_state()
    while state.to_act < 0 or len(state.legal_moves()) < 40:
        state.apply(state.legal_moves()[0] if state.to_act >= 0 else state.chance_outcomes()[0][0])
    view = View.of(state, state.to_act)
    legal = {str(move) for move in view.legal_moves()}

    def seen(seed, **params):
        result = make_bot("ismcts", seed=seed, **params).choose(view, Limit(iterations=30), lines=None)
        return {str(report.move) for report in result.moves}

    assert seen(1) == legal
    half = seen(1, overlooked=0.5)
    assert half < legal
    assert len(legal) / 4 < len(half) < 3 * len(legal) / 4
    assert seen(1, overlooked=0.5) == half != seen(2, overlooked=0.5)
    # Whoever overlooks all of them plays some move.
    played = {str(make_bot("ismcts", seed=seed, overlooked=1).choose(view).move) for seed in range(20)}
    assert played <= legal
    assert len(played) > 5


def test_the_share_of_overlooked_moves_comes_from_the_level(monkeypatch):
    rows = [{**row, "overlooked": 0.3} for row in ROWS]
    found = read_levels(levels_text("keltis", {"2": {"levels": rows}}), "keltis", "levels.json")
    monkeypatch.setattr(levels, "calibrated", lambda game: found)
    game = load_game("keltis", players=2, seed=1)
    assert make_bot("ismcts", level=2).overlooked_in(game) == 0.3
    assert make_bot("ismcts", level=2, overlooked=0.1).overlooked_in(game) == 0.1
    assert make_bot("ismcts").overlooked_in(game) == 0.0


@pytest.mark.parametrize("value", [-0.1, 1.5, True, "half"])
def test_bad_shares_are_refused(value):
    with pytest.raises(ValueError, match=r"overlooked: .* is not allowed; allowed: a number from 0 to 1"):
        make_bot("ismcts", overlooked=value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a whole JSON file"),
        (json.dumps({"format": 2, "game": "keltis"}), "not the levels of keltis in format 1"),
        (levels_text("delphi", {}), "not the levels of keltis"),
        (levels_text("keltis", {"2": {"levels": ROWS[1:]}}), "players 2: 9 levels given; allowed: 10"),
        (
            levels_text("keltis", {"2": {"levels": [{**ROWS[0], "iterations": 0}, *ROWS[1:]]}}),
            "level 1: iterations 0",
        ),
        (
            levels_text("keltis", {"2": {"levels": [*ROWS[1:], {"iterations": 1}]}}),
            "level 10: temperature None",
        ),
        (
            levels_text("keltis", {"2": {"levels": [{**ROWS[0], "overlooked": 2}, *ROWS[1:]]}}),
            "level 1: overlooked 2 is not allowed; allowed: 0 to 1",
        ),
    ],
)
def test_bad_files_are_refused(text, message):
    with pytest.raises(BadLevels, match=message):
        read_levels(text, "keltis", "levels.json")
