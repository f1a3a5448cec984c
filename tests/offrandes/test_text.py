"""Each move has one text; everything else is refused with the word that cannot stand there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythia.core_cy import IllegalMove
from pythia.core_cy.offrandes.text import all_texts, move_parts

PARTS = [
    (
        "recruit farmer florist servant",
        {"action": "recruit", "characters": ["farmer", "florist", "servant"]},
    ),
    ("auction servant guard", {"action": "auction", "characters": ["servant", "guard"]}),
    ("end", {"action": "end"}),
    ("bid 25", {"action": "bid", "drachmas": 25}),
    ("pass", {"action": "pass"}),
    ("bribe athens carrier", {"action": "bribe", "city": "athens", "characters": ["carrier"]}),
    ("decline", {"action": "decline"}),
    ("offer 2 sheep hermes", {"action": "offer", "number": 2, "animal": "sheep", "altar": "hermes"}),
    ("first delos", {"action": "first", "city": "delos"}),
]


@pytest.mark.parametrize(("text", "parts"), PARTS)
def test_moves_have_parts_by_name(text, parts):
    assert move_parts(text) == {"text": text} | parts


def test_there_are_384_moves_and_5_outcomes():
    texts = all_texts()
    assert len(texts) == len(set(texts)) == 384 + 5
    assert [text for text in texts if text.startswith("first")] == texts[384:]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a word is missing; allowed: recruit, auction, end"),
        (" ", "'' is not allowed there; allowed: recruit"),
        ("sail", "'sail' is not allowed there; allowed: recruit, auction"),
        ("bid", "a word is missing; allowed: a number from 1 to 25"),
        ("bid 0", "'0' is not allowed there; allowed: a number from 1 to 25"),
        ("bid 26", "'26' is not allowed there"),
        ("bid 03", "'03' is not allowed there"),
        ("bid three", "'three' is not allowed there"),
        ("pass ", "'' is not allowed there; allowed: nothing more"),
        ("pass now", "'now' is not allowed there; allowed: nothing more"),
        ("Pass", "'Pass' is not allowed there"),
        ("auction guard", "'guard' is not allowed there; allowed: farmer"),
        ("auction farmer", "a word is missing; allowed: carrier, florist"),
        ("auction guard servant", "this move is written 'auction servant guard'"),
        ("auction guard guard", "'guard' is not allowed there"),
        ("recruit servant farmer florist", "this move is written 'recruit farmer florist servant'"),
        (
            "bribe athens guard",
            "'guard' is not allowed there; allowed: farmer, carrier, florist, servant, priestess",
        ),
        ("bribe rome farmer", "'rome' is not allowed there; allowed: sparta, corinth"),
        ("offer 6 sheep hermes", "allowed: a number from 1 to 5"),
        ("offer 2 sheep dionysos", "'dionysos' is not allowed there; allowed: hephaistos"),
        ("x" * 200, "..."),
    ],
)
def test_errors_name_the_word(text, message):
    with pytest.raises(IllegalMove) as error:
        move_parts(text)
    assert message in str(error.value)


WORDS = sorted({word for text in all_texts() for word in text.split()})


@given(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join) | st.text(max_size=20))
def test_whatever_is_read_is_written_the_same(text):
    if text in all_texts():
        assert move_parts(text)["text"] == text
    else:
        with pytest.raises(IllegalMove, match=r"."):
            move_parts(text)
