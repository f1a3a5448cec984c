"""Fits the weights of the evaluation to games between equals: `python -m tools.fitting.keltis --games 200`.

At the start of every turn the points that a seat is ahead of another at the end, beyond those on the track, are
explained by the difference of their features: least squares, more weight where less is left to happen, and held to
the weights in use. Prints them as weights.py has them, with what is left unexplained by the length of the rest, and
the scale that makes the observed winners likeliest.
"""

import argparse
import itertools
import math

import numpy as np

from pythia.arena.luck import Luck
from pythia.core_cy import CHANCE, load_game
from pythia.core_cy.keltis import components
from pythia.core_cy.keltis.evaluate import features
from pythia.core_cy.keltis.weights import FEATURES, WEIGHTS
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec

HOLD = 3.0  # how strongly the weights in use hold
STAGES = (0, 4, 8, 12, 16, 25, 60)


def final_points(player):
    figures = sum(components.end_value(space) for space in player["figures"])
    return player["score"] + figures + components.WISH_VALUES[player["wish_stones"]] * (1 + player["mirrors"])


def play(players, bot, seed):
    """(features of the seats at the start of each turn, who had it), and the points at the end."""
    state = load_game("keltis", players=players, seed=seed).new_state()
    luck = Luck(seed)
    bots = [BotSpec.parse(bot).make(seed_of(seed, seat)) for seat in range(players)]
    turns = []
    turn = None
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(luck.draw(state))
            continue
        if state.turn_number != turn:
            turn = state.turn_number
            turns.append((state.to_act, [features(state, seat) for seat in range(players)]))
        state.apply(bots[state.to_act].choose(state.observation(state.to_act)).move)
    return turns, [final_points(player) for player in state.to_json()["players"]]


def collect(players, bot, games, seed):
    """Rows of (points ahead on the track, turns left, differences of features, points ahead at the end)."""
    for number in range(games):
        turns, final = play(players, bot, seed + number)
        for seat, seats in turns:
            score, left, own = seats[seat]
            for other in range(players):
                if other != seat:
                    apart = [a - b for a, b in zip(own, seats[other][2], strict=True)]
                    # The last one stands for having the move.
                    yield score - seats[other][0], left, [*apart, 1.0], final[seat] - final[other]


def best_scale(ahead, left, won):
    """(log loss, base, growth)."""
    found = []
    for base in np.arange(0.5, 8, 0.5):
        for growth in np.arange(0, 4, 0.25):
            chance = 1 / (1 + np.exp(-ahead / (base + growth * np.sqrt(left))))
            loss = -np.mean(won * np.log(chance + 1e-9) + (1 - won) * np.log(1 - chance + 1e-9))
            found.append((loss, base, growth))
    return min(found)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--bot", default="ismcts:iterations=120,tree_turns=1,playout_rounds=2")
    parser.add_argument("--seed", type=int, default=3000)
    given = parser.parse_args()
    rows = list(collect(given.players, given.bot, given.games, given.seed))
    track, left, apart, end = (np.array(column) for column in zip(*rows, strict=True))
    weight = 1 / (16 + 6 * left)
    old = np.array([*(WEIGHTS[name] for name in FEATURES), 2.5])
    matrix = (apart * weight[:, None]).T @ apart + HOLD * np.eye(len(old))
    new = np.linalg.solve(matrix, (apart * weight[:, None]).T @ (end - track) + HOLD * old)
    for name, before, after in zip([*FEATURES, "the move"], old, new, strict=True):
        print(f'    "{name}": {after:.2f},  # was {before:.2f}')
    for low, high in itertools.pairwise(STAGES):
        stage = (left >= low) & (left < high)
        if stage.any():
            unexplained = (end - track - apart @ new)[stage].std()
            print(f"{low} to {high} turns left: {stage.sum()} rows, {unexplained:.1f} points unexplained")
    won = (end > 0) + 0.5 * (end == 0)
    loss, base, growth = best_scale(track + apart @ new, left, won)
    print(f"SCALE_BASE = {base}, SCALE_GROWTH = {growth}: log loss {loss:.3f} of {math.log(2):.3f}")


if __name__ == "__main__":
    main()
