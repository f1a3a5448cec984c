"""What is said of moves: what they bring, and what they cost."""

import pytest

from pythia.core_cy import Random, load_game, state_from_json
from pythia.core_cy.move_words import tell_reasons
from tests.keltis.positions import position

HAND = ["blue 7", "blue 1", "yellow 2", "yellow 3", "green 3", "green 5", "pink 4", "pink 5"]
AHEAD = {"figures": [28, 28, 28], "score": 0}


def told(obj, move):
    """The reasons for a move of seat 0."""
    before = state_from_json(obj)
    after = before.clone()
    after.apply(move)
    return tell_reasons("keltis", before.game.why_good(before, after, 0, before.parse_move(move)))


def at_start(**player):
    return position(
        {"hand": HAND, **player},
        {},
        tiles={"at1": "points 4", "at2": "mirror", "at3": "goblin", "at5": "spiral"},
    )


def test_points_and_a_figure_off_the_start():
    reasons = told(at_start(), "play blue 7 figure 0")
    assert reasons[0] == "scores 4 points"
    assert "brings 1 figure off the start stone" in reasons


def test_what_lies_on_the_path():
    assert "takes 1 mirror" in told(at_start(), "play yellow 2 figure 0")
    assert told(at_start(), "play green 3 figure 0")[0] == "reaches a goblin, which may take a card away"
    assert told(at_start(), "play pink 4 figure 0")[0] == "reaches a spiral, which can lead back"
    assert "takes 1 wish stone" in told(at_start(figures=[5, 0, 0]), "play pink 4 figure 5")


def test_figures_far_ahead():
    reasons = told(at_start(figures=[14, 0, 0]), "play green 3 figure 14")
    assert "makes figures worth 4 points more at the end" in reasons
    assert "brings figures 5 spaces on" in reasons


def test_the_priestess():
    obj = at_start(figures=[2, 0, 0])
    assert told(obj, "play blue 7 priestess 2")[0] == "scores 5 points where the priestess meets a figure"
    assert not any("priestess meets" in reason for reason in told(obj, "play blue 7 priestess 1"))


def test_cards():
    # A seven in an empty row leaves the one to be played, a row that rises does not.
    assert not any("card" in reason for reason in told(at_start(), "play blue 7 priestess 1"))
    rising = at_start(rows={"blue": [0, 1]})
    assert "can play 1 card fewer" in told(rising, "play blue 7 priestess 1")
    assert "can play 1 card fewer" in told(at_start(), "discard pink 4")
    stuck = at_start(rows={"blue": [2, 3]})
    assert told(stuck, "discard blue 1") == ["gives away a card that could not be played"]


def test_taking_a_card_that_fits():
    obj = position(
        {"hand": HAND[:-1]},
        {},
        discards={"red": [6]},
        phase="take",
        pending={"kind": "take", "seat": 0, "draws": 1, "blocked": ""},
    )
    assert told(obj, "take red") == ["can play 1 card more"]
    assert told(obj, "take pile") == []


def test_goblins():
    tiles = {"at1": "goblin", "at2": "goblin", "at3": "goblin", "at4": "points 1"}
    reasons = told(position({"hand": HAND, "figures": [2, 1, 0]}, {}, tiles=tiles), "play green 3 figure 0")
    assert "has all figures on goblins" in reasons
    obj = position({"figures": [3, 2, 1]}, {}, tiles=tiles)
    assert told(obj, "score")[0] == "scores 15 points with goblins"


def test_the_end():
    hand = ["pink 4", *HAND[:6], "red 9"]
    won = position({"hand": hand, "figures": [31, 30, 28], "score": 40}, {"figures": [0, 0, 0]})
    assert told(won, "play pink 4 figure 28") == ["ends the game and wins"]
    lost = position({"hand": hand, "figures": [31, 30, 28]}, {"score": 90})
    assert told(lost, "play pink 4 figure 28") == ["ends the game"]


@pytest.mark.parametrize("players", [2, 4])
def test_every_move_of_a_game_can_be_told(players):
    state, rng = load_game("keltis", players=players, seed=6).new_state(), Random(6)
    sentences = set()
    while not state.is_over:
        before, seat = state.clone(), state.to_act
        move = state.sample_chance(rng) if seat < 0 else state.random_move(rng)
        state.apply(move)
        if seat >= 0:
            reasons = tell_reasons("keltis", state.game.why_good(before, state, seat, move))
            assert len(reasons) <= 5
            assert not any("{" in reason or " 0 " in reason for reason in reasons)
            sentences.update(reasons)
    assert len(sentences) > 15
