"""A finished game of each size replays to the same states as when it was written down.

`python -m tests.keltis.test_golden` writes them anew; only after a change of the rules that is meant.
"""

from pathlib import Path

import pytest

from pythia.core_cy import load_game
from pythia.core_cy.record import Record
from pythia.core_cy.testing import playout_move
from tests.golden import describe, expected, write

FOLDER = Path(__file__).parent / "golden"
GAMES = {
    "two": {"players": 2, "seed": 21},
    "three": {"players": 3, "seed": 22, "clover": "any"},
    "four": {"players": 4, "seed": 23, "goblin_values": [4, 8, 20]},
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_replays_to_the_same_states(name):
    assert describe(FOLDER, name) == expected(FOLDER, name)


@pytest.mark.parametrize("name", GAMES)
def test_the_seed_still_deals_the_same_start(name):
    start = Record.read(FOLDER / f"{name}.jsonl").header["start"]
    assert load_game("keltis", **GAMES[name]).new_state().to_json() == start


if __name__ == "__main__":
    write(FOLDER, {name: load_game("keltis", **options) for name, options in GAMES.items()}, playout_move)
