"""Finished games replay to the same states, and the move tree has the same size, as when they were written down.

`python -m tests.delphi.golden.make` writes the files anew; see there when that is right.
"""

import json

import pytest

from pythia.core_cy import load_game
from pythia.core_cy.testing import perft
from tests.delphi.golden.make import FOLDER, GAMES, describe, path, read

EXPECTED = json.loads((FOLDER / "games.json").read_text(encoding="utf-8"))
PERFT = json.loads((FOLDER / "perft.json").read_text(encoding="utf-8"))


def test_there_are_games_of_every_size_and_both_ends():
    assert list(EXPECTED) == list(GAMES)
    assert {game["result"] for game in EXPECTED.values()} == {"arrival", "length"}
    assert {read(name).header["options"]["players"] for name in GAMES} == {2, 3, 4}
    assert all(path(name).stat().st_size < 150_000 for name in GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_replays_to_the_same_states(name):
    """`replay` checks who moves, that each move is legal, and the result."""
    assert describe(name) == EXPECTED[name]


@pytest.mark.parametrize("name", GAMES)
def test_the_seed_still_deals_the_same_start(name):
    options, _, _ = GAMES[name]
    assert load_game("delphi", **options).new_state().to_json() == read(name).header["start"]


@pytest.mark.parametrize("name", GAMES)
def test_perft(name):
    states = list(read(name).replay())
    for entry in (entry for entry in PERFT if entry["game"] == name):
        found = [perft(states[entry["after"]], depth + 1) for depth in range(len(entry["leaves"]))]
        assert found == entry["leaves"], entry["after"]
