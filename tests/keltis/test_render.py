"""The text form shows what is there, and of an observation no more than that."""

from pythia.core_cy import Random, load_game
from pythia.core_cy.keltis.render import render
from tests.keltis.positions import state


def test_a_position_as_text():
    rows = {"blue": [3, 5]}
    mover = {"figures": [8, 3, 0], "score": 12, "wish_stones": 2, "mirrors": 1, "rows": rows}
    text = str(
        state(mover, {"figures": [8, 0, 0]}, tiles={"at3": "spiral"}, priestess=8, discards={"red": [4, 9]})
    )
    assert "round 4 · turn of seat 0 · seat 0 decides: play" in text
    assert "seat 0: 12 points, 2 wish stones, 1 mirrors, figures on 8, 3, 0" in text
    assert "rows: blue 3 5" in text
    assert "01*" in text
    assert "discards, top last: red 4 9" in text
    assert "spiral" in text


def test_an_observation_as_text_shows_no_other_hand():
    now = load_game("keltis", players=3, seed=2).new_state()
    text = render(now.observation(1))
    assert "as seat 1 sees it" in text
    assert text.count("hand: ") == 1
    assert str(now).count("hand: ") == 3


def test_every_position_of_a_game_can_be_drawn_within_the_line():
    rng = Random(3)
    now = load_game("keltis", players=4, seed=3).new_state()
    while not now.is_over:
        assert max(map(len, str(now).splitlines())) <= 120
        now.apply(rng.choice(now.legal_moves()))
    assert "won by" in str(now)
