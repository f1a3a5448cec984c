"""Each move has one text; everything else is refused with the word that cannot stand there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythia.core_cy import IllegalMove, Random, load_game
from pythia.core_cy.keltis.text import move_parts

PARTS = [
    ("play blue 7 figure 12", {"action": "play_figure", "color": "blue", "number": 7, "space": 12}),
    ("play pink 0 priestess 5", {"action": "play_priestess", "color": "pink", "number": 0, "spaces": 5}),
    ("discard green 10", {"action": "discard", "color": "green", "number": 10}),
    ("score", {"action": "score"}),
    ("step 3", {"action": "step", "space": 3}),
    ("back 0", {"action": "back", "space": 0}),
    ("drop hand red 2", {"action": "drop_hand", "color": "red", "number": 2}),
    ("drop row red", {"action": "drop_row", "color": "red"}),
    ("decline", {"action": "decline"}),
    ("take pile", {"action": "take_pile"}),
    ("take yellow", {"action": "take_discard", "color": "yellow"}),
    ("draw blue 7", {"action": "draw", "color": "blue", "number": 7}),
]


@pytest.mark.parametrize(("text", "parts"), PARTS)
def test_moves_have_parts_by_name(text, parts):
    assert move_parts(text) == {"text": text} | parts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a word is missing; allowed: play, discard"),
        (" ", "' ' is not allowed there; allowed: play"),
        ("sail", "'sail' is not allowed there; allowed: play"),
        ("play", "a word is missing; allowed: blue, yellow, green, red, pink"),
        ("play white 3 figure 0", "'white' is not allowed there"),
        ("play blue 11 figure 0", "'11' is not allowed there; allowed: a number from 0 to 10"),
        ("play blue 07 figure 0", "'07' is not allowed there"),
        ("play blue 7 figure 36", "allowed: a number from 0 to 35"),
        ("play blue 7 priestess 6", "allowed: a number from 1 to 5"),
        ("play blue 7", "allowed: figure, priestess"),
        ("drop blue 7", "allowed: hand, row"),
        ("take white", "allowed: pile, blue"),
        ("score now", "'now' is not allowed there; allowed: nothing more"),
        ("score ", "' ' is not allowed there; allowed: nothing more"),
        ("x" * 200, "..."),
    ],
)
def test_errors_name_the_word(text, message):
    with pytest.raises(IllegalMove) as error:
        move_parts(text)
    assert message in str(error.value)


WORDS = ["play", "discard", "score", "step", "back", "drop", "decline", "take", "draw", "hand", "row"]
WORDS += [
    "figure",
    "priestess",
    "pile",
    "blue",
    "green",
    "pink",
    "0",
    "7",
    "10",
    "11",
    "35",
    "-1",
    "",
    "Blue",
    "\u0667",
]


@given(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=30))
def test_what_is_read_is_written_the_same(text):
    try:
        parts = move_parts(text)
    except IllegalMove:
        return
    assert parts["text"] == text


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_every_move_of_a_game_reads_back(seed, players):
    rng = Random(seed)
    state = load_game("keltis", players=players, seed=seed).new_state()
    for _ in range(40):
        if state.is_over:
            break
        moves = state.legal_moves()
        for move in moves:
            assert state.game.move_fields(state.read_move(str(move))) == move_parts(str(move))
        state.apply(rng.choice(moves))
