"""Writes the golden files anew: `python -m tests.delphi.golden.make` in the root of the repository, after a build.

Only after a change of the rules that is meant. The difference in version control then shows what it changed:

- `*.jsonl`: finished games, each from its own start position, so that no generator is needed to replay them.
- `games.json`: for each game how long it is, how it ended, and a digest of all its states.
- `perft.json`: numbers of lines of play from positions of these games.

`python -m tests.delphi.golden.make --keep-games` replays the games that are there instead of playing new ones.
"""

import argparse
import hashlib
import json
from pathlib import Path

from pythia.core_cy import Random, load_game
from pythia.core_cy.record import Record, record_game
from pythia.core_cy.testing import perft

FOLDER = Path(__file__).parent

# Name: options, the seed of the players' choices and luck, and whether they go for their tasks.
GAMES = {
    "two": ({"players": 2, "seed": 11}, 1, True),
    "three": (
        {"players": 3, "seed": 12, "board": "free", "ship_tiles": "draft", "removed_tasks": 2},
        2,
        True,
    ),
    "four": ({"players": 4, "seed": 13, "ship_tiles": "first_game", "removed_tasks": 4}, 3, True),
    "length": ({"players": 2, "seed": 14, "board": "free", "removed_tasks": 1}, 4, False),
}

# Leaves that a count may have; the test is to stay quick.
MOST_LEAVES = 20_000_000

# What brings tasks on, best first, and what else is worth a die.
TASKS = ("deliver", "raise", "build", "fight", "explore", "load")
LIKED = ("take ", "equip", "companion", "god:", "heal", "sail", "advance", "draw")


def offers(state):
    """How much there is to do for the tasks with what the player has left."""
    moves = [str(move) for move in state.legal_moves()]
    return len({move.split(" ")[1] for move in moves if " " in move and move.split(" ")[1] in TASKS})


def best_sail(state, sails, rng):
    """Of a few destinations one with something to do."""
    few = [rng.choice(sails) for _ in range(12)]
    found = []
    for move in few:
        there = state.clone()
        there.apply(move)
        found.append((offers(there), move))
    return max(found)[1]


def choose(state, rng, eager):
    """A random move; an eager player mostly a useful one, and home when the tasks are done."""
    moves = [str(move) for move in state.legal_moves()]
    if not eager or rng.below(20) == 0:
        return rng.choice(moves)
    zeus = next(f"{hex['q']},{hex['r']}" for hex in state.game.board if hex["kind"] == "zeus")
    home = [move for move in moves if move.endswith(f" sail {zeus}")]
    if home:
        return rng.choice(home)
    for word in (*TASKS, *LIKED):
        good = [move for move in moves if word in move]
        if good and rng.below(10) < 8:
            return best_sail(state, good, rng) if word == "sail" else rng.choice(good)
    return rng.choice(moves)


def play(options, seed, eager):
    rng = Random(seed)
    state = load_game("delphi", **options).new_state()
    return record_game(state, lambda now: choose(now, rng, eager), rng)


def path(name):
    return FOLDER / f"{name}.jsonl"


def read(name):
    return Record.read(path(name))


def digest(states):
    """One hash over every state of a game, the board aside."""
    running = hashlib.sha256()
    for state in states:
        position = state.to_json()
        position.pop("board")
        running.update(json.dumps(position, sort_keys=True).encode())
    return running.hexdigest()


def describe(name):
    record = read(name)
    states = list(record.replay())
    return {
        "moves": len(record.moves),
        "rounds": states[-1].to_json()["round"],
        "result": record.result["reason"],
        "states": digest(states),
    }


def counts(name):
    """Lines of play from the start of a game, some positions within it, and shortly before its end."""
    states = list(read(name).replay())
    last = len(states) - 1
    acting = [number for number, state in enumerate(states) if state.to_json()["phase"] == "act"]
    for part in (0, acting[0], last // 5, last // 3, last // 2, 2 * last // 3, last - 60, last - 4):
        # At the start and near the end whatever is open, else the next action of a turn.
        after = part if part in (0, last - 4) else next(number for number in acting if number >= part)
        leaves = []
        for depth in range(1, 7):
            leaves.append(perft(states[after], depth))
            # Another ply multiplies by about as much as this one did.
            if leaves[-1] * max(2, leaves[-1] // (leaves[-2] if depth > 1 else 1)) > MOST_LEAVES:
                break
        yield {"game": name, "after": after, "leaves": leaves}


def write(name, lines):
    (FOLDER / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="write the golden files anew")
    parser.add_argument(
        "--keep-games", action="store_true", help="only count and replay the games that are there"
    )
    if not parser.parse_args().keep_games:
        for name, (options, seed, eager) in GAMES.items():
            play(options, seed, eager).write(path(name))
    write("games.json", [json.dumps({name: describe(name) for name in GAMES}, indent=1)])
    entries = [json.dumps(entry) for name in GAMES for entry in counts(name)]
    write("perft.json", ["[", ",\n".join(entries), "]"])


if __name__ == "__main__":
    main()
