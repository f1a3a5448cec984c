"""The engine against a slow, plain one written from the same rulings: every move of many random games.

`python -m tests.deukalion.test_against_reference 1000` compares so many games of each set-up.
"""

import json
import random
import sys

import pytest

from pythia.core_cy import CHANCE, Random, load_game, state_from_json
from pythia.core_cy.testing import playout_move
from tests.comparing import same_json, same_moves
from tests.deukalion import reference

THROWS = ([42, 42, 16], [50, 50, 0], [30, 60, 10])


def compare(players, seed, throw, sensible=False, looks=1.0):
    """One game, in both engines; the number of moves. `looks`: of so many positions observations are compared."""
    state = load_game("deukalion", players=players, seed=seed, throw=throw).new_state()
    other = state.to_json()
    reference.check(other)
    rng, coin, moves, move = Random(seed), random.Random(seed), 0, ""
    while True:
        mine = state.to_json()
        same_json(reference.comparable(mine), reference.comparable(other), move)
        same_moves(state.legal_moves(), reference.legal_moves(other), move)
        for seat in (-1, *range(players)) if coin.random() < looks else ():
            seen = state.observation(seat)
            same_json(
                reference.comparable(seen), reference.comparable(reference.observation(other, seat)), move
            )
        if state.is_over:
            break
        if state.to_act == CHANCE:
            expected = {text: float(share) for text, share in reference.outcomes(other).items()}
            assert {str(move): share for move, share in state.chance_outcomes()} == pytest.approx(expected)
            move = str(state.sample_chance(rng))
        elif sensible and coin.random() < 0.7:
            move = str(playout_move(state, rng))
        else:
            move = str(state.random_move(rng))
        state.apply(move)
        other = reference.apply(other, move)
        moves += 1
        if coin.random() < 0.02:  # what the other engine wrote can be read
            state = state_from_json(json.loads(json.dumps(other)))
    assert [float(share) for share in reference.returns(other)] == pytest.approx(state.returns())
    assert reference.ranks(other) == state.ranks()
    return moves


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("sensible", [False, True])
def test_random_games_are_the_same(players, sensible):
    compare(players, 100 + players, THROWS[players % len(THROWS)], sensible, looks=0.25)


if __name__ == "__main__":
    games = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + games):
        for count in (2, 3, 4):
            total = compare(count, seed, THROWS[seed % len(THROWS)], sensible=seed % 2 == 1, looks=0.1)
        if seed % 10 == 9:
            print(seed + 1, "games of each set-up agree", flush=True)
