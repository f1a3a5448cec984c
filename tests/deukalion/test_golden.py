"""A finished game of each size replays to the same states as when it was written down.

`python -m tests.deukalion.test_golden` writes them anew; only after a change of the rules that is meant.
"""

import hashlib
import json
from pathlib import Path

import pytest

from pythia.core_cy import Random, load_game
from pythia.core_cy.record import Record, record_game
from pythia.core_cy.testing import perft

FOLDER = Path(__file__).parent / "golden"
GAMES = {
    "two": {"players": 2, "seed": 21},
    "three": {"players": 3, "seed": 22, "throw": [30, 60, 10]},
    "four": {"players": 4, "seed": 23},
    "length": {"players": 2, "seed": 24, "data": {"max_rounds": 3}},
}


def describe(name):
    """How long the game is, a digest of its states, and lines of play from its start and middle."""
    record = Record.read(FOLDER / f"{name}.jsonl")
    states = list(record.replay())
    running = hashlib.sha256()
    for state in states:
        running.update(json.dumps(state.to_json(), sort_keys=True).encode())
    return {
        "moves": len(record.moves),
        "result": record.result,
        "states": running.hexdigest(),
        "perft": [[perft(states[at], depth) for depth in (1, 2, 3)] for at in (0, len(states) // 2)],
    }


@pytest.mark.parametrize("name", GAMES)
def test_a_game_replays_to_the_same_states(name):
    assert describe(name) == json.loads((FOLDER / "games.json").read_text(encoding="utf-8"))[name]


@pytest.mark.parametrize("name", GAMES)
def test_the_seed_still_deals_the_same_start(name):
    start = Record.read(FOLDER / f"{name}.jsonl").header["start"]
    assert load_game("deukalion", **GAMES[name]).new_state().to_json() == start


def write():
    FOLDER.mkdir(exist_ok=True)
    for name, options in GAMES.items():
        luck = Random(options["seed"])
        start = load_game("deukalion", **options).new_state()
        # Random moves: they come to corners of the rules that sensible ones avoid.
        record = record_game(start, lambda state, luck=luck: str(state.random_move(luck)), luck)
        record.write(FOLDER / f"{name}.jsonl")
    text = json.dumps({name: describe(name) for name in GAMES}, indent=1)
    (FOLDER / "games.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
