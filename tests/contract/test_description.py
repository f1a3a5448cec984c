"""The description of a game: checked when it is first asked for, with a message that names everything missing."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pythia.core_cy import contract, game_info, list_games
from pythia.core_cy.descriptions import LANGUAGES
from pythia.core_cy.game import Game
from pythia.core_cy.registry import MICRO_GAMES, OptionInfo, game_part, is_known, players_option, seed_option
from tests.contract.set_ups import ALL_GAMES

PACKAGE = "unfinished_game"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def info():
    """A description that is complete."""
    return replace(game_info(list_games()[0]), name="mine")


def refused(info, offered=False):
    with pytest.raises(contract.IncompleteGame) as error:
        contract.check("mine", PACKAGE, info, offered)
    return str(error.value)


@pytest.mark.parametrize("name", ALL_GAMES)
def test_every_game_is_complete(name):
    info = game_info(name)
    assert info.name == name
    assert is_known(name)
    if name in list_games():
        assert info.about
        for part in contract.PARTS:
            assert callable(game_part(name, part))


def test_a_game_without_its_modules(package, info):
    assert refused(info, offered=True) == (
        "unfinished_game: the game 'mine' lacks render.py with render (the position as text); "
        "svg.py with draw (the position as a picture); encoding.py with Encoding (moves and observations as numbers); "
        "descriptions.en.json (what things are, for people); descriptions.de.json (what things are, for people)"
    )
    contract.check("mine", PACKAGE, info, offered=False)
    for part in contract.PARTS:
        (package / f"{part}.py").touch()
    for language in LANGUAGES:
        (package / f"descriptions.{language}.json").touch()
    contract.check("mine", PACKAGE, info, offered=True)
    with pytest.raises(contract.IncompleteGame, match=r"unfinished_game.svg lacks draw"):
        contract.part_of(PACKAGE, "svg")


def test_a_game_that_tells_its_moves_brings_the_words(package, info):
    for part in (*contract.PARTS, "words"):
        (package / f"{part}.py").touch()
    for language in LANGUAGES:
        (package / f"descriptions.{language}.json").touch()
    assert refused(info, offered=True) == (
        "unfinished_game: the game 'mine' lacks moves.en.json (the words of words.py); "
        "moves.de.json (the words of words.py)"
    )
    with pytest.raises(
        contract.IncompleteGame, match=r"unfinished_game.words lacks phrases \(moves in words"
    ):
        contract.part_of(PACKAGE, "words")


def test_values_are_listed(info):
    for name in list_games():
        lists = {found.name: found.values for found in game_info(name).values}
        assert {"phase"} < lists.keys()
        for values in lists.values():
            assert len(set(values)) == len(values) > 1
            assert all(isinstance(value, str) and value for value in values)
    assert game_info("delphi").values[0].values == ("red", "black", "pink", "blue", "yellow", "green")


def test_a_game_without_its_methods(info):
    class Bare(Game):
        pass

    message = refused(replace(info, factory=Bare))
    for method, use in contract.METHODS.items():
        assert f"the method {method} ({use})" in message


def test_a_game_with_a_name_of_the_past(info):
    old = type("Old", (info.factory,), {"reasons": lambda self: []})
    assert "lacks the method why_good(before, after, seat, move)" in refused(replace(info, factory=old))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "yours"}, "its registered name in INFO, which has 'yours'"),
        ({"title": ""}, "a title"),
        ({"min_players": 1}, "player counts from 2 to 5, not 1 to 4"),
        ({"max_players": 6}, "player counts from 2 to 5, not 2 to 6"),
        ({"options": ()}, "the option 'players'; the option 'seed'"),
        (
            {"options": (players_option(2, 3), seed_option())},
            "its player counts in the option 'players', which allows a whole number from 2 to 3",
        ),
        (
            {"options": (OptionInfo("players", ""), seed_option())},
            "its player counts in the option 'players'",
        ),
    ],
)
def test_a_description_that_does_not_fit(info, changes, message):
    assert message in refused(replace(info, **changes))


@pytest.mark.parametrize("name", MICRO_GAMES)
def test_games_for_tests_are_not_offered(name):
    assert name not in list_games()
    with pytest.raises(
        ValueError, match=f"game: '{name}' is not allowed; allowed: {', '.join(list_games())}"
    ):
        game_part(name, "svg")


def test_what_is_not_a_game():
    assert not is_known("chess")
    assert not is_known(None)
    assert not is_known([])


def test_only_the_registry_names_games():
    """Whoever needs games asks it; a game's own folder knows its own name only."""
    sources = [
        path
        for folder in ("core_cy", "search", "arena", "service", "clients")
        for path in (ROOT / folder).rglob("*.py*")
        if path.suffix in (".py", ".pyx", ".pxd") and path.name != "registry.py"
    ]
    assert len(sources) > 100
    for path in sources:
        text = path.read_text(encoding="utf-8")
        named = [name for name in list_games() if f'"{name}"' in text and name not in path.parts]
        assert not named, f"{path} names {named}"
