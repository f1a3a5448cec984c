"""Descriptions: what every game that has them must describe, and how words are found."""

import json
import re

import pytest

from pythia.core_cy import BadOption, game_info, list_games, load_game
from pythia.core_cy.descriptions import (
    LANGUAGES,
    BadDescriptions,
    Description,
    described_games,
    descriptions,
    lookup,
    read_descriptions,
)
from pythia.core_cy.encoding import encoding_class
from tests.contract.rulebooks import WORDS, rulebook_runs, runs
from tests.contract.set_ups import sample

each_game = pytest.mark.parametrize("name", list_games())
each_language = pytest.mark.parametrize("language", LANGUAGES)


def test_every_game_for_players_is_described():
    assert described_games() == list_games()


@each_game
def test_all_languages_have_the_same_entries_in_the_same_order(name):
    first, *others = (list(descriptions(name, language)) for language in LANGUAGES)
    assert len(first) > 20
    for other in others:
        assert other == first


@each_game
def test_translations_are_translated(name):
    english, german = (descriptions(name, language) for language in LANGUAGES)
    same = [key for key in english if english[key].text == german[key].text]
    assert same == []


@each_game
def test_options_moves_phases_and_facts_are_described(name):
    info = game_info(name)
    wanted = {f"option:{option.name}" for option in info.options}
    for players in range(info.min_players, info.max_players + 1):
        game = load_game(name, players=players, seed=1)
        state, encoding = game.new_state(), encoding_class(name)(game)
        for text in (*encoding.moves(), *encoding.outcomes()):
            wanted.add(f"move:{game.move_fields(state.read_move(text))['action']}")
        for position in sample(name, players, games=2, count=30):
            wanted.add(f"phase:{position.to_json()['phase']}")
            if position.to_act >= 0:
                for move in position.legal_moves()[:40]:
                    facts = position.game.move_facts(position, move)
                    wanted |= {f"fact:{group}_{fact}" for group, told in facts.items() for fact in told}
    assert {key.partition(":")[0] for key in wanted} == {"option", "move", "phase", "fact"}
    assert wanted - descriptions(name).keys() == set()


@each_game
@each_language
def test_no_sentence_is_a_rulebooks(name, language):
    books = rulebook_runs()
    assert len(books) > 1000
    for entry in descriptions(name, language).values():
        assert not runs(entry.text) & books, entry


def test_repeated_words_are_found():
    book = runs("One two three, four five: six seven\neight nine ten.")
    assert len(book) == 11 - WORDS
    assert runs("He said TWO three four five six seven eight nine!") & book
    assert not runs("two three four five six seven nine eight") & book


@each_game
@each_language
def test_entries_are_found_by_every_word_for_them(name, language):
    for entry in descriptions(name, language).values():
        assert lookup(name, entry.key.upper(), language).entries == (entry,)
        for word in (entry.name, entry.title, *entry.aliases):
            assert entry in lookup(name, f" {word.swapcase()} ", language).entries


def test_words_with_several_meanings():
    kinds = {entry.kind for entry in lookup("delphi", "favor").entries}
    assert kinds == {"ship", "move", "term"}
    assert [entry.key for entry in lookup("delphi", "move:favor").entries] == ["move:favor"]


@pytest.mark.parametrize(
    ("game", "word", "language", "key"),
    [
        ("delphi", "r12", "en", "ruling:R12"),
        ("delphi", "extra-action", "en", "card:extra_action"),
        ("delphi", "Kultstaette", "de", "tile:shrine"),
        ("delphi", "cross_shallows", "de", "card:cross_shallows"),
        ("keltis", "KOBOLD", "de", "tile:goblin"),
        ("keltis", "k10", "de", "ruling:K10"),
    ],
)
def test_words_as_people_type_them(game, word, language, key):
    assert [entry.key for entry in lookup(game, word, language).entries] == [key]


@pytest.mark.parametrize(
    ("word", "language", "suggested"),
    [
        ("posiedon", "en", "Poseidon"),
        ("sigm", "en", "sigma"),
        ("fight expl", "en", "fight explore build reach"),
        ("Untife", "de", "Untiefe"),
    ],
)
def test_close_words_are_suggested(word, language, suggested):
    found = lookup("delphi", word, language)
    assert found.entries == ()
    assert suggested in [word.replace("_", " ") for word in found.suggestions]


@pytest.mark.parametrize("word", ["", "   ", "zzzzzzzz", "x" * 100_000])
def test_words_that_are_close_to_nothing(word):
    assert lookup("delphi", word).entries == lookup("delphi", word).suggestions == ()


def test_games_and_languages_that_are_not_known():
    with pytest.raises(BadOption, match="game: 'chess' is not allowed; allowed: delphi"):
        lookup("chess", "rook")
    with pytest.raises(BadOption, match="language: 'fr' is not allowed; allowed: en, de"):
        descriptions("delphi", "fr")
    assert descriptions("kuhn") == {}
    assert lookup("kuhn", "bet").entries == ()


GOOD = {"card:scout": {"title": "Scout", "text": "Looks.", "aliases": ["spy"]}}


def test_a_file_of_descriptions():
    (entry,) = read_descriptions(json.dumps(GOOD), "file").values()
    assert entry == Description("card:scout", "Scout", "Looks.", ("spy",))
    assert (entry.kind, entry.name) == ("card", "scout")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "file: not JSON"),
        ("[]", "file: list is not allowed; allowed: an object of entries"),
        ('{"a:b": {"title": "x", "text": "y."}, "a:b": {}}', "file: 'a:b' is there twice"),
        ('{"scout": {}}', "file: scout: the key is not allowed; allowed: KIND:ID, such as card:scout"),
        ('{"a:b": {"title": "x"}}', "file: a:b: allowed: an object with title, text"),
        ('{"a:b": {"title": "x", "text": "y.", "kind": "z"}}', "file: a:b: allowed: an object with"),
        ('{"a:b": 3}', "file: a:b: allowed: an object with"),
        ('{"a:b": {"title": "", "text": "y."}}', "file: a:b.title: '' is not allowed; allowed: a line"),
        ('{"a:b": {"title": "x", "text": "y\\nz."}}', "file: a:b.text: 'y\\nz.' is not allowed; allowed: a"),
        ('{"a:b": {"title": "x", "text": "y"}}', "file: a:b.text: 'y' is not allowed; allowed: a sentence"),
        ('{"a:b": {"title": "x", "text": "y.", "aliases": "z"}}', "file: a:b.aliases: 'z' is not allowed"),
        ('{"a:b": {"title": "x", "text": "y.", "aliases": [3]}}', "file: a:b.aliases: 3 is not allowed"),
        (
            '{"a:b": {"title": "x", "text": "y.", "aliases": ["X"]}}',
            "file: a:b.aliases: a word is there twice",
        ),
    ],
)
def test_files_that_break_the_format(text, words):
    with pytest.raises(BadDescriptions, match=re.escape(words)):
        read_descriptions(text, "file")


def test_a_sentence_has_a_length():
    text = json.dumps({"a:b": {"title": "x", "text": "y" * 300 + "."}})
    with pytest.raises(BadDescriptions, match="at most 300 characters"):
        read_descriptions(text, "file")
