"""Golden games: finished games in the folder `golden` of a game's tests, and what is known of each (`games.json`)."""

import hashlib
import json

from pythia.core_cy import Random
from pythia.core_cy.record import Record, record_game
from pythia.core_cy.testing import perft


def describe(folder, name):
    """How long the game is, a digest of its states, and lines of play from its start and middle."""
    record = Record.read(folder / f"{name}.jsonl")
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


def expected(folder, name):
    """What was written down about the game."""
    return json.loads((folder / "games.json").read_text(encoding="utf-8"))[name]


def write(folder, games, choose):
    """Plays and writes the games: for each name its game, with a seed. `choose` gets a state and its luck."""
    folder.mkdir(exist_ok=True)
    for name, game in games.items():
        luck = Random(game.options["seed"])
        record = record_game(game.new_state(), lambda state, luck=luck: choose(state, luck), luck)
        record.write(folder / f"{name}.jsonl")
    text = json.dumps({name: describe(folder, name) for name in games}, indent=1)
    (folder / "games.json").write_text(text + "\n", encoding="utf-8")
