"""Fits the weights of the evaluation to games of the playout policy: `python -m tools.fitting.offrandes` after a build.

What a seat is ahead of another at the end, beyond the points that it has, is explained by the difference of their
features: least squares, more weight where less is left to happen. The policy plays by the weights, so they are
fitted several times, each time to games with the last ones. Prints them as weights.py has them, with the scale that
makes the observed winners likeliest.
"""

import argparse
import math

import numpy as np

from pythia.core_cy import CHANCE, Random, load_game
from pythia.core_cy.offrandes.components import CITIES, altar_points
from pythia.core_cy.offrandes.evaluate import features, features_of_rounds
from pythia.core_cy.offrandes.weights import FEATURES, ROUND_FEATURES, ROUNDS, WEIGHTS
from pythia.core_cy.testing import playout_move

SHARE = 25  # looks at one position in 25
HOLD = 30.0  # how strongly the weights in use hold
STEP = 0.5  # how far the weights go towards those found


def totals(obj):
    held = dict.fromkeys(CITIES, 0)
    for altar in obj["altars"]:
        if altar["city"]:
            held[altar["city"]] += altar_points(altar["altar"])
    return [player["score"] + held[player["city"]] for player in obj["players"]]


def play(players, seed, weights):
    """Positions with their features, totals at the end and rounds that came."""
    state = load_game("offrandes", players=players, seed=seed).with_weights(weights).new_state()
    rng, seen = Random(seed), []
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        if rng.below(SHARE) == 0:
            obj = state.to_json()
            seats = [features(state, seat) for seat in range(players)]
            seen.append((obj["round"], features_of_rounds(state), seats))
        state.apply(playout_move(state, rng))
    obj = state.to_json()
    return seen, totals(obj), obj["round"]


def collect(games, seed, weights):
    rows, rounds = [], []
    for number in range(games):
        seen, final, last = play(3 + number % 3, seed + number, weights)
        for now, of_rounds, seats in seen:
            rounds.append((of_rounds, last - now + 1))
            for seat in range(len(seats)):
                for other in range(seat):
                    apart = np.subtract(seats[seat][2], seats[other][2])
                    ahead = final[seat] - final[other] - (seats[seat][0] - seats[other][0])
                    rows.append((apart, ahead, seats[seat][1], seats[seat][0] - seats[other][0]))
    return rows, rounds


def solve(x, y, weight, start, hold):
    """Weighted least squares, held to the start."""
    scaled = x * weight[:, None]
    size = np.sqrt((scaled**2).mean(axis=0)) + 1e-9
    left = scaled.T @ scaled / len(y) + np.diag(size**2 * hold / len(y))
    return start + np.linalg.solve(left, scaled.T @ ((y - x @ start) * weight) / len(y))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--times", type=int, default=6)
    args = parser.parse_args()
    weights, rounds = dict(WEIGHTS), dict(ROUNDS)
    for time in range(args.times):
        rows, of_rounds = collect(args.games, 100000 * (time + 1), weights | rounds)
        x = np.array([row[0] for row in rows])
        y = np.array([row[1] for row in rows], float)
        left = np.array([row[2] for row in rows])
        spread = 1 / (4 + 6 * np.sqrt(left))
        start = np.array([weights[name] for name in FEATURES])
        found = solve(x, y, spread, start, HOLD)
        error = y - x @ start
        print(f"time {time}: {len(y)} rows, unexplained {error.std():.1f} of {y.std():.1f},", end=" ")
        rx = np.array([row[0] for row in of_rounds])
        ry = np.array([row[1] for row in of_rounds], float)
        rfound, *_ = np.linalg.lstsq(rx, ry, rcond=None)
        rnow = np.array([rounds[name] for name in ROUND_FEATURES])
        print(f"rounds {ry.mean():.1f}, error {(rx @ rnow - ry).std():.2f} to {(rx @ rfound - ry).std():.2f}")
        for low, high in ((0, 2), (2, 4), (4, 6), (6, 20)):
            part = (left >= low) & (left < high)
            if part.any():
                print(
                    f"    {low} to {high} rounds left: error {error[part].std():.1f}, bias {error[part].mean():.1f}"
                )
        weights = dict(zip(FEATURES, np.round(start + STEP * (found - start), 3).tolist(), strict=True))
        rounds = dict(zip(ROUND_FEATURES, np.round(rnow + STEP * (rfound - rnow), 3).tolist(), strict=True))
        print("    found:", dict(zip(FEATURES, np.round(found, 2).tolist(), strict=True)))
    print("WEIGHTS =", weights)
    print("ROUNDS =", rounds)
    ahead = x @ np.array([weights[name] for name in FEATURES]) + np.array([row[3] for row in rows])
    won = (y + np.array([row[3] for row in rows])) > 0
    best = min(
        ((base, growth) for base in (1, 2, 4, 6, 8, 12) for growth in (1, 2, 3, 4, 6, 8)),
        key=lambda scale: loss(ahead / (scale[0] + scale[1] * np.sqrt(left)), won),
    )
    print(
        "scale: base and growth",
        best,
        "loss",
        loss(ahead / (best[0] + best[1] * np.sqrt(left)), won),
        math.log(2),
    )


def loss(z, won):
    return float(np.where(won, np.logaddexp(0, -z), np.logaddexp(0, z)).mean())


if __name__ == "__main__":
    main()
