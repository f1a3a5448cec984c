"""`pythia explain`: words of the games, in two languages."""

import json

import pytest

from pythia.clients.cli.explain import explained, language_of
from pythia.core_cy import list_games, load_game
from pythia.core_cy.descriptions import LANGUAGES, descriptions, lookup
from tests.clients.command import pythia, worked
from tests.delphi.scenario import Scene


@pytest.fixture(autouse=True)
def english(monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def joined(text):
    """Without the line breaks of a narrow terminal."""
    return " ".join(text.split())


def test_a_word_is_explained():
    (entry,) = lookup("delphi", "poseidon").entries
    assert (
        joined(worked("explain", "POSEIDON", "--game", "delphi"))
        == f"Poseidon (delphi god:poseidon) {entry.text}"
    )
    (entry,) = lookup("delphi", "extra action").entries
    assert entry.text in joined(worked("explain", "extra", "action"))


def test_a_word_of_several_games():
    shown = worked("explain", "poseidon")
    assert "(delphi god:poseidon)" in shown
    assert "(offrandes altar:poseidon)" in shown
    shown = worked("explain", "seed")
    assert "(delphi option:seed)" in shown
    assert "(keltis option:seed)" in shown
    assert "delphi" not in worked("explain", "seed", "--game", "keltis")


def test_the_language(monkeypatch):
    german = descriptions("keltis", "de")["tile:goblin"].text
    assert german in joined(worked("explain", "kobold", "--lang", "de"))
    monkeypatch.setenv("LANG", "de_AT.UTF-8")
    assert german in joined(worked("explain", "kobold"))
    assert german not in joined(worked("explain", "goblin", "--lang", "en"))
    ran = pythia("explain", "seed", "--lang", "fr")
    assert (ran.code, ran.err) == (1, "pythia: language: 'fr' is not allowed; allowed: en, de\n")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de"}, "de"),
        ({"LANG": "DE.utf8"}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "den_CA"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "en_GB"}, "en"),
        ({"LANG": "en_US", "LC_MESSAGES": "en_GB", "LC_ALL": "de_CH"}, "de"),
    ],
)
def test_the_language_of_the_environment(environment, language):
    assert language_of(environment) == language


def test_json():
    found = json.loads(worked("explain", "favor", "--game", "delphi", "--json"))
    assert [entry["key"] for entry in found] == ["ship:favor", "move:favor", "term:favor"]
    assert found[0].keys() == {"game", "key", "kind", "title", "text", "aliases", "language"}
    for language in LANGUAGES:
        everything = json.loads(worked("explain", "--game", "keltis", "--lang", language, "--json"))
        assert [entry["key"] for entry in everything] == list(descriptions("keltis", language))


def test_the_list():
    shown = worked("explain", "--game", "delphi").splitlines()
    assert "delphi  ruling:R12  R12: creatures" in shown
    assert not any("fact:" in line for line in shown)


def test_words_that_are_not_known():
    ran = pythia("explain", "posiedon", "--game", "delphi")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "pythia: word: 'posiedon' is unknown; similar words: Poseidon, Siren\n"
    ran = pythia("explain", "zzzz")
    assert ran.err == "pythia: word: 'zzzz' is unknown; `explain` without a word lists all\n"
    ran = pythia("explain", "sail", "--game", "chess")
    assert (ran.code, ran.err) == (
        1,
        f"pythia: game: 'chess' is not allowed; allowed: {', '.join(list_games())}\n",
    )
    # What somebody pasted by mistake is not repeated at length.
    assert len(pythia("explain", "x" * 5000).err) < 200


# -- at the table


def test_moves_are_explained_with_their_price_and_odds():
    state = Scene().dice("red").favor(3).state()
    texts = [str(move) for move in state.legal_moves()]
    move = "die:red>pink advance"
    lines = explained(state, texts, move, "en")
    assert lines == [
        move,
        descriptions("delphi")["move:advance"].text,
        "Die spent: red",
        "Favor to pay: 2",
        "Favor for the color: 2",
        "Steps for gods: 1",
    ]
    assert explained(state, texts, str(texts.index(move) + 1), "en") == lines
    assert "Zu zahlende Gunst: 2" in explained(state, texts, move, "de")


def test_chances_are_told_in_percent():
    state = Scene().at(1, turn=1).dice(seat=1).shield(4, seat=1).state()
    assert "Chance that the Titan wounds you: 33.3%" in explained(state, ["end"], "end", "en")


def test_words_and_lists_at_the_table():
    state = load_game("keltis", seed=1).new_state()
    texts = [str(move) for move in state.legal_moves()]
    assert explained(state, texts, "spiral", "en")[0] == "Spiral (tile:spiral)"
    (line,) = explained(state, texts, "sprial", "en")
    assert line.startswith("'sprial' is unknown; similar words: spiral, ")
    assert "tile:spiral  Spirale" in explained(state, texts, "", "de")
    assert explained(state, texts, "9999", "en")[0].startswith("'9999' is unknown")
