"""Why a move is good: games find reasons, and every language has the words for them."""

import importlib
import re
from string import Formatter

import pytest

from pythia.core_cy import CHANCE, BadOption, Random, View, list_games, load_game
from pythia.core_cy.descriptions import LANGUAGES, BadDescriptions, descriptions
from pythia.core_cy.move_words import Phrase, reasons, tell_reasons
from pythia.core_cy.registry import GAMES, MICRO_GAMES
from pythia.search.bots import make_bot
from tests.contract.set_ups import fewest
from tests.contract.test_move_words import each_game, words_of

# What both languages have, besides names.
SHARED = {"in", "an"}


def decisions(name, bot, count):
    """Views in a game that a bot plays."""
    state, rng = load_game(name, players=fewest(name), seed=3).new_state(), Random(3)
    player = make_bot(bot, seed=3)
    while not state.is_over and count:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        view = View.of(state, state.to_act)
        yield view
        state.apply(player.choose(view, lines=0).move)
        count -= 1


def fields(template):
    return sorted(name for _, name, _, _ in Formatter().parse(template) if name)


def words(text):
    return set(re.findall(r"[^\W\d_]+", text))


def literals(template):
    """The words of a template itself, with those for what is counted."""
    return set().union(
        *(
            words(f"{text} {spec if '|' in (spec or '') else ''}")
            for text, _, spec, _ in Formatter().parse(template)
        )
    )


@each_game
def test_every_reason_has_the_same_fields_in_every_language(name):
    wanted = importlib.import_module(f"{GAMES[name]}.why_good").REASONS
    english = words_of(name, LANGUAGES[0])["reasons"]
    for language in LANGUAGES:
        templates = words_of(name, language)["reasons"]
        assert sorted(templates) == sorted(wanted)
        for key, template in templates.items():
            assert fields(template) == fields(english[key]), key


@each_game
def test_reasons_of_a_bot_s_game_are_in_the_language_asked_for(name):
    said = words_of(name, "de")
    known = set().union(
        *map(literals, said["reasons"].values()),
        *(words(word) for table in said["words"].values() for word in table.values()),
        *(words(entry.title) for entry in descriptions(name, "de").values()),
        {"und"},
    )
    told = set()
    for bot in ("prior", "random"):
        for view in decisions(name, bot, 250):
            for move in view.legal_moves()[:3]:
                found = view.why_good(move)
                english, german = (reasons(view, move, language) for language in ("en", "de"))
                assert len(english) == len(german) == len(found)
                for phrase, one, other in zip(found, english, german, strict=True):
                    assert one != other
                    assert words(other) <= known, "a word that no file of the language has"
                    assert not re.search(r"[{}_]|  ", one + other)
                    told.add(phrase.name)
    assert len(told) > 9, "too few reasons were seen"


@each_game
def test_languages_share_no_words_but_names(name):
    """A template that was copied and not translated would show here."""
    english, german = (
        set().union(*map(literals, words_of(name, language)["reasons"].values())) for language in LANGUAGES
    )
    assert {word for word in english & german if word.islower()} <= SHARED


@each_game
def test_bots_tell_reasons_in_the_language(name):
    bot = make_bot("prior", seed=1)
    for view in decisions(name, "prior", 30):
        english, german = (bot.choose(view, language=language) for language in LANGUAGES)
        assert (english.move, english.values) == (german.move, german.values)
        assert english.reasons == reasons(view, english.move)
        assert german.reasons == reasons(view, english.move, "de")


def test_reasons_in_words():
    assert tell_reasons("delphi", [Phrase("sooner", {"n": 1.25})]) == ["finishes 1.2 dice sooner"]
    assert tell_reasons("delphi", [Phrase("sooner", {"n": 1.25})], "de") == ["ist 1,2 Würfel früher fertig"]
    taken = Phrase("takes_wanted", {"color": "red", "order": "white_or_red"})
    assert tell_reasons("deukalion", [taken]) == ["takes a red treasure, which “White or red” asks for"]
    assert tell_reasons("deukalion", [taken], "de") == [
        "nimmt einen roten Schatz, den „Weiß oder Rot“ verlangt"
    ]
    bought = Phrase("buys", {"pair": ["farmer", "guard"], "n": 1})
    assert tell_reasons("offrandes", [bought]) == ["buys farmer and guard for 1 drachma"]
    assert tell_reasons("offrandes", [bought], "de") == ["kauft den Bauern und den Wächter für 1 Drachme"]


def test_a_game_may_tell_its_reasons_as_text():
    for name in (*list_games(), *MICRO_GAMES):
        assert tell_reasons(name, ["wins"], "de") == ["wins"]


def test_reasons_that_cannot_be_told():
    with pytest.raises(BadOption, match="language: 'fr' is not allowed; allowed: en, de"):
        tell_reasons("keltis", [], "fr")
    with pytest.raises(BadDescriptions, match=r"keltis/moves\.de\.json: reasons: 'nothing' is missing"):
        tell_reasons("keltis", [Phrase("nothing")], "de")
    view = next(decisions(list_games()[0], "prior", 1))
    with pytest.raises(BadOption, match="language: 'fr' is not allowed"):
        make_bot("random").choose(view, language="fr")
