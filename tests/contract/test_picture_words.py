"""Pictures in other languages than English: nothing stays English but names, and only words change."""

import re
from html import unescape

import pytest

from pythia.core_cy import CHANCE, SPECTATOR, BadOption, Random, View, game_info, list_games, load_game
from pythia.core_cy.descriptions import LANGUAGES, descriptions
from pythia.core_cy.picture import svg_of
from pythia.core_cy.picture_words import words_in
from pythia.search.bots import make_bot

OTHERS = [language for language in LANGUAGES if language != "en"]
WORD = re.compile("[A-Za-z]{3}")
# English words that no other language has.
ENGLISH = re.compile(r"\b(?:the|of|with|and|seen|for|card|cards|space|points|shrine|dice|seat|round)\b")


def positions(game):
    """From the start to the end of a game, and what a seat and everyone sees of them."""
    bot, rng, number = make_bot("greedy"), Random(3), 0
    state = load_game(game, players=game_info(game).min_players, seed=3).new_state()
    while not state.is_over:
        if number % 17 == 0:
            yield state.observation(0)
            yield state.observation(SPECTATOR)
        number += 1
        by = state.to_act
        state.apply(state.sample_chance(rng) if by == CHANCE else bot.choose(View.of(state, by)).move)
    yield state.observation(0)


def said(picture):
    return [unescape(words) for words in re.findall(r"<(?:text|title)[^>]*>([^<]*)", picture)]


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("game", list_games())
def test_no_english_is_left(game, language):
    own = {entry.title.lower() for entry in descriptions(game, language).values()}
    left = set()
    for position in positions(game):
        english, told = svg_of(position), svg_of(position, language=language)
        assert re.findall('data-key="[^"]*"', english) == re.findall('data-key="[^"]*"', told)
        before = set(said(english))
        for words in said(told):
            names = words.lower() in own or words in (game_info(game).title, "START", "STYX", "ZEUS")
            if WORD.search(words) and not names and (words in before or ENGLISH.search(words)):
                left.add(words)
    assert not left


def test_phrases():
    german = words_in("delphi", "de")
    assert german("tasks: 5 of 11 done") == "Aufgaben: 5 von 11 erledigt"
    assert (
        german("favor_on_red")
        == german("favor on red")
        == descriptions("delphi", "de")["card:favor_on_red"].title
    )
    assert german("round 3 · turn of seat 1 · Ada") == "Runde 3 · Zug von Sitz 1 · Ada"
    assert german("step 2 times (seat 1)").endswith("(Sitz 1)")


def test_the_language_ends_with_the_picture():
    position = load_game("keltis", players=2, seed=1).new_state().observation(0)
    before = svg_of(position)
    assert svg_of(position, language="de") != before
    assert svg_of(position) == before
    with pytest.raises(BadOption, match="language"):
        svg_of(position, language="fr")
