"""Moves in words, and the pieces of the picture that they use: for every game, in every language."""

import importlib.resources
import json
import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from pythia.core_cy import (
    CHANCE,
    SPECTATOR,
    BadOption,
    IllegalMove,
    Random,
    View,
    game_info,
    list_games,
    load_game,
)
from pythia.core_cy.descriptions import LANGUAGES, BadDescriptions, descriptions
from pythia.core_cy.move_words import (
    ROLES,
    MovePart,
    MoveWords,
    describe_move,
    describe_moves,
    read_words,
    tell_news,
)
from pythia.core_cy.picture import svg_of
from pythia.core_cy.registry import GAMES, MICRO_GAMES
from tests.contract.set_ups import SET_UPS, each_set_up, fewest, next_move, sample
from tests.contract.test_views import observers, truths

each_offered_set_up = pytest.mark.parametrize(
    ("name", "players"), [(name, players) for name, players in SET_UPS if name in list_games()]
)
each_game = pytest.mark.parametrize("name", list_games())
each_language = pytest.mark.parametrize("language", LANGUAGES)


def decisions(name, players, **wishes):
    """What the seat to act sees, in positions of random games."""
    for state in sample(name, players, **wishes):
        if state.to_act >= 0:
            yield View.of(state, state.to_act)


def attributes(svg, name):
    found = [element.get(name) for element in ElementTree.fromstring(svg).iter()]
    return [value for value in found if value is not None]


@each_offered_set_up
def test_the_pieces_of_every_move_are_in_the_picture(name, players):
    used = Counter()
    for view in decisions(name, players, count=12):
        seen = view.observation()
        keys = attributes(svg_of(seen), "data-key")
        for move in describe_moves(view):
            for part in move.parts:
                assert part.role in ROLES
                assert part.label
                assert part.key == "" or part.key in keys, (move, seen["phase"])
                used[part.key != ""] += 1
    assert used[True] > used[False], "most parts of moves can be pointed at"


@each_offered_set_up
def test_keys_are_unique_and_what_pieces_are_about_is_described(name, players):
    described = descriptions(name)
    for state in sample(name, players, games=2, count=6):
        for seen in (state.to_json(), state.observation(0), state.observation(SPECTATOR)):
            svg = svg_of(seen)
            keys, abouts = attributes(svg, "data-key"), attributes(svg, "data-about")
            assert [key for key, count in Counter(keys).items() if count > 1] == []
            assert [key for key in keys if not re.fullmatch(r"[a-z]+:[A-Za-z0-9_:,.+-]+", key)] == []
            assert set(abouts) - described.keys() == set()
            assert len(set(abouts)) > 5


@each_offered_set_up
@each_language
def test_a_player_can_choose_between_moves(name, players, language):
    for view in decisions(name, players, games=2, count=10):
        moves = describe_moves(view, language=language)
        assert [move.move for move in moves] == [str(move) for move in view.legal_moves()]
        assert all(move.label == move.label.strip() != "" for move in moves)
        assert not any("{" in str(move) or "  " in move.label for move in moves)
        chosen = Counter((move.label, move.parts) for move in moves)
        assert [words for words, count in chosen.items() if count > 1] == []


@each_offered_set_up
@each_language
def test_outcomes_have_words_and_use_no_piece(name, players, language):
    found = 0
    for state in sample(name, players, games=2, count=40):
        if state.to_act == CHANCE:
            for seat in (0, SPECTATOR):
                for move in describe_moves(View.of(state, seat), state.legal_moves()[:20], language):
                    assert move.label
                    assert move.parts == ()
                    assert move.price == move.odds == move.gains == ""
                    found += 1
    assert found


@each_offered_set_up
def test_news_say_what_came_of_a_move(name, players):
    """To whoever sees it, in every language; an empty text where there is no more to say."""
    told = Counter()
    for before, move, after in events(name, players):
        for seat in (0, SPECTATOR):
            then, now = View.of(before, seat), View.of(after, seat)
            english, german = (tell_news(then, move, now, language) for language in LANGUAGES)
            assert bool(english) == bool(german)
            assert english == english.strip()
            assert "{" not in english + german
            told[english != ""] += 1
    assert told[True]
    assert told[False]


def events(name, players):
    """What happens in random games, with the positions before and after it."""
    rng = Random(3)
    for seed in range(2):
        state = load_game(name, players=players, seed=seed).new_state()
        for _ in range(400):
            if state.is_over:
                break
            before, move = state.clone(), next_move(state, rng)
            state.apply(move)
            yield before, move, state


def test_a_game_without_news_says_nothing():
    name = next(iter(MICRO_GAMES))
    before, move, after = next(events(name, fewest(name)))
    assert tell_news(View.of(before, 0), move, View.of(after, 0)) == ""


@each_offered_set_up
def test_what_is_declined_is_named(name, players):
    """Wherever a move is but a word that means anything, people are told what it means there."""
    for view in decisions(name, players, count=60):
        for move in describe_moves(view):
            if move.move == "decline":
                assert len(move.label.split()) > 2


@each_game
def test_languages_differ(name):
    for view in decisions(name, fewest(name), games=1, count=10):
        english, german = (describe_moves(view, language=language) for language in LANGUAGES)
        for one, other in zip(english, german, strict=True):
            assert one.label != other.label
            assert [(part.role, part.key) for part in one.parts] == [
                (part.role, part.key) for part in other.parts
            ]
            assert bool(one.price) == bool(other.price)
            assert bool(one.odds) == bool(other.odds)
            assert bool(one.gains) == bool(other.gains)


@each_set_up
def test_words_and_pictures_tell_nothing_hidden(name, players):
    """Not in labels, and not in any attribute of the picture: the whole documents are compared."""
    differ = 0
    for state in sample(name, players, games=2, count=5):
        moves = [str(move) for move in state.legal_moves()]
        moves = [*moves[:6], *moves[-6:]]
        for seat in observers(players):
            others = truths(state, seat)
            differ += len({other.position_hash() for other in others}) > 1
            assert len({told(View.of(other, seat), moves) for other in others}) == 1
            if name in list_games():
                assert len({svg_of(other.observation(seat)) for other in others}) == 1
    assert (differ > 0) is game_info(name).hides


def told(view, moves):
    parts = []
    for move in moves:
        try:
            parts.append(repr(describe_move(view, move)))
        except IllegalMove as error:
            parts.append(str(error))
    return "\n".join(parts)


@each_game
def test_moves_of_other_positions_are_refused_or_told(name):
    """Where a viewer cannot tell what is legal, any text that can be read may come, from the very first position on."""
    told = refused = 0
    states = list(sample(name, fewest(name), games=1, count=20))
    texts = {str(move).split()[0]: str(move) for state in states for move in state.legal_moves()}.values()
    for state in states:
        for seat in observers(fewest(name)):
            view = View.of(state, seat)
            for text in texts:
                try:
                    told += bool(describe_move(view, text).label)
                    if seat != SPECTATOR:
                        svg_of(view.observation(), move=text)
                except IllegalMove:
                    refused += 1
    assert told
    assert refused


@each_set_up
def test_one_by_one_or_together(name, players):
    for state in sample(name, players, games=1, count=8):
        if state.to_act < 0:
            continue
        view = View.of(state, state.to_act)
        together = describe_moves(view)
        assert together[:5] == [describe_move(state, move.move) for move in together[:5]]
        assert together[:5] == [describe_move(view, move) for move in view.legal_moves()[:5]]


@pytest.mark.parametrize("name", MICRO_GAMES)
def test_a_game_without_words_has_its_text(name):
    for view in decisions(name, fewest(name), games=1):
        for move, words in zip(view.legal_moves(), describe_moves(view), strict=True):
            fields = view.game.move_fields(move)
            assert words.label == words.move == str(move)
            assert len(words.parts) == len(fields.keys() - {"text", "action"})
            assert all(part.role == "choice" and part.key == "" and part.label for part in words.parts)


def test_words_of_a_move():
    state = load_game("offrandes", players=3, seed=1).new_state()
    for move in ("first sparta", *["recruit farmer carrier guard"] * 3):
        state.apply(move)
    assert describe_move(state, "auction farmer florist") == MoveWords(
        "auction farmer florist",
        "Put up farmer and florist",
        tuple(
            MovePart("choice", f"character:{name}", title)
            for name, title in (("farmer", "Farmer"), ("florist", "Florist"))
        ),
        gains="farmer to 2, florist to 1",
    )


def test_moves_and_languages_that_are_not_allowed():
    state = load_game("keltis", seed=1).new_state()
    with pytest.raises(IllegalMove, match="not in phase play"):
        describe_move(state, "take pile")
    with pytest.raises(BadOption, match="language: 'fr' is not allowed; allowed: en, de"):
        describe_moves(state, language="fr")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "file: not JSON"),
        ("[]", "file: allowed: an object with labels, parts, words, facts, reasons"),
        ('{"labels": {}, "parts": {}, "words": {}}', "file: allowed: an object with"),
        (
            '{"labels": {"a": 3}, "parts": {}, "words": {}, "facts": {}, "reasons": {}}',
            "file: labels: allowed: words by name",
        ),
        (
            '{"labels": {}, "parts": {}, "words": {"a": "b"}, "facts": {}, "reasons": {}}',
            "file: words: allowed: words by name",
        ),
        (
            '{"labels": {"a": "{"}, "parts": {}, "words": {}, "facts": {}, "reasons": {}}',
            "file: labels: a: '{' is not allowed",
        ),
    ],
)
def test_files_that_break_the_format(text, message):
    with pytest.raises(BadDescriptions, match=re.escape(message)):
        read_words(text, "file")


def test_a_file_of_words():
    content = {
        "labels": {"sail": "to {hex}"},
        "parts": {},
        "words": {"color": {"red": "rot"}},
        "facts": {},
        "reasons": {},
    }
    assert read_words(json.dumps(content), "file") == content


@each_game
def test_languages_have_the_same_templates(name):
    first, *others = (words_of(name, language) for language in LANGUAGES)
    for other in others:
        for section in ("labels", "parts", "facts", "reasons"):
            assert list(other[section]) == list(first[section])
    english = descriptions(name)
    assert {f"fact:{fact}" for fact in first["facts"]} <= english.keys()


def words_of(name, language):
    file = importlib.resources.files(GAMES[name]) / f"moves.{language}.json"
    return read_words(file.read_text(encoding="utf-8"), file.name)
