"""A finished game of each size replays to the same states as when it was written down.

`python -m tests.offrandes.test_golden` writes them anew; only after a change of the rules that is meant.
"""

import hashlib
import json
from pathlib import Path

import pytest

from pythia.core_cy import Random, load_game
from pythia.core_cy.record import Record, record_game
from pythia.core_cy.testing import perft, playout_move
from tests.offrandes import reference

FOLDER = Path(__file__).parent / "golden"
GAMES = {"three": 3, "four": 4, "five": 5}


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
def test_the_reference_replays_it_too(name):
    record = Record.read(FOLDER / f"{name}.jsonl")
    *_, last = record.replay()
    theirs = reference.new_state({"players": GAMES[name]})
    for _, move in record.moves:
        theirs = reference.apply(theirs, move)
    assert theirs == last.to_json()


def write():
    FOLDER.mkdir(exist_ok=True)
    for name, players in GAMES.items():
        luck = Random(players)
        start = load_game("offrandes", players=players, seed=players).new_state()
        record = record_game(start, lambda state, luck=luck: playout_move(state, luck), luck)
        record.write(FOLDER / f"{name}.jsonl")
    text = json.dumps({name: describe(name) for name in GAMES}, indent=1)
    (FOLDER / "games.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
