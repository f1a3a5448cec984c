"""A finished game of each size replays to the same states as when it was written down.

`python -m tests.deukalion.test_golden` writes them anew; only after a change of the rules that is meant.
"""

from pathlib import Path

import pytest

from pythia.core_cy import load_game
from pythia.core_cy.record import Record
from tests.golden import describe, expected, write

FOLDER = Path(__file__).parent / "golden"
GAMES = {
    "two": {"players": 2, "seed": 21},
    "three": {"players": 3, "seed": 22, "throw": [30, 60, 10]},
    "four": {"players": 4, "seed": 23},
    "length": {"players": 2, "seed": 24, "data": {"max_rounds": 3}},
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_replays_to_the_same_states(name):
    assert describe(FOLDER, name) == expected(FOLDER, name)


@pytest.mark.parametrize("name", GAMES)
def test_the_seed_still_deals_the_same_start(name):
    start = Record.read(FOLDER / f"{name}.jsonl").header["start"]
    assert load_game("deukalion", **GAMES[name]).new_state().to_json() == start


if __name__ == "__main__":
    games = {name: load_game("deukalion", **options) for name, options in GAMES.items()}
    # Random moves: they come to corners of the rules that sensible ones avoid.
    write(FOLDER, games, lambda state, luck: str(state.random_move(luck)))
