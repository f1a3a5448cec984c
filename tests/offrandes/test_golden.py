"""A finished game of each size replays to the same states as when it was written down.

`python -m tests.offrandes.test_golden` writes them anew; only after a change of the rules that is meant.
"""

from pathlib import Path

import pytest

from pythia.core_cy import load_game
from pythia.core_cy.record import Record
from pythia.core_cy.testing import playout_move
from tests.golden import describe, expected, write
from tests.offrandes import reference

FOLDER = Path(__file__).parent / "golden"
GAMES = {"three": 3, "four": 4, "five": 5}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_replays_to_the_same_states(name):
    assert describe(FOLDER, name) == expected(FOLDER, name)


@pytest.mark.parametrize("name", GAMES)
def test_the_reference_replays_it_too(name):
    record = Record.read(FOLDER / f"{name}.jsonl")
    *_, last = record.replay()
    theirs = reference.new_state({"players": GAMES[name]})
    for _, move in record.moves:
        theirs = reference.apply(theirs, move)
    assert theirs == last.to_json()


if __name__ == "__main__":
    games = {name: load_game("offrandes", players=players, seed=players) for name, players in GAMES.items()}
    write(FOLDER, games, playout_move)
