"""The engine beside an independent implementation of the same rules, move by move.

`tests/delphi/reference.py` is written in plain Python from the rules alone and shares nothing with the engine. Both
play the same games from the engine's start positions; at every step the legal moves, the probabilities of
chance and the positions must be the same.
"""

from fractions import Fraction

import pytest

from pythia.core_cy import CHANCE, Random, load_game, state_from_json
from tests.comparing import same_json, same_moves
from tests.delphi.reference import Reference

# Task moves first, so that games reach their end in some of the runs.
PREFERRED = ("deliver", "raise", "build", "explore", "fight", "load", "take", "equip", "companion", "sail")
PREFERRED += ("god:", "bundle", "extra")


def without_defaults(value):
    """JSON with absent fields for defaults, so that both ways of writing them compare equal."""
    if isinstance(value, dict):
        lean = {key: without_defaults(item) for key, item in value.items()}
        return {key: item for key, item in lean.items() if item not in (0, False, "", [], {}, None)}
    return [without_defaults(item) for item in value] if isinstance(value, list) else value


def same_lean_json(mine, theirs, after):
    # The board never changes; both have it from the same place.
    assert mine.pop("board") == theirs.pop("board")
    same_json(without_defaults(mine), without_defaults(theirs), after)


def same_position(state, reference, after):
    same_lean_json(state.to_json(), reference.to_json(), after)


def same_observations(state, reference, after):
    for seat in range(state.game.players):
        seen = state.observation(seat)
        assert seen["observer"] == seat
        same_lean_json(seen, reference.observation(seat), after)


def same_choices(state, reference, after):
    assert state.to_act == reference.to_act()
    moves = [str(move) for move in state.legal_moves()]
    same_moves(moves, reference.legal_moves(), after)
    if state.to_act == CHANCE:
        mine = {str(move): probability for move, probability in state.chance_outcomes()}
        theirs = dict(reference.chance_outcomes())
        assert sum(theirs.values()) == Fraction(1)
        assert mine == pytest.approx({text: float(probability) for text, probability in theirs.items()})
    return moves


def choose(moves, rng, eager):
    """A random move; an eager player does what brings tasks on more often than the rest."""
    if eager and rng.below(10) < 8:
        for word in PREFERRED:
            good = [move for move in moves if word in move]
            if good and rng.below(10) < 8:
                return rng.choice(good)
    return rng.choice(moves)


def play_both(state, rng, eager, moves):
    reference, text = Reference(state.to_json()), ""
    for number in range(moves):
        same_position(state, reference, text)
        if number % 10 == 0:
            same_observations(state, reference, text)
        legal = same_choices(state, reference, text)
        if state.is_over:
            assert state.returns() == pytest.approx(reference.returns())
            assert state.ranks() == reference.ranks()
            return
        text = str(state.sample_chance(rng)) if state.to_act == CHANCE else choose(legal, rng, eager)
        state.apply(text)
        reference.apply(text)


CASES = [
    (players, ship_tiles, removed)
    for players in (2, 3, 4)
    for ship_tiles in ("random", "draft", "first_game")
    for removed in range(5)
]


@pytest.mark.parametrize(("players", "ship_tiles", "removed"), CASES)
def test_the_same_game_move_by_move(players, ship_tiles, removed):
    for eager in (True, False):
        seed = 1000 * players + 10 * removed + eager
        board = "free" if removed % 2 else "compact"
        game = load_game(
            "delphi", players=players, seed=seed, board=board, ship_tiles=ship_tiles, removed_tasks=removed
        )
        play_both(game.new_state(), Random(seed), eager, 700 if eager else 250)


def test_games_to_their_end_by_length():
    """Random play rarely arrives: the guard of 100 rounds ends it."""
    rng = Random(4)
    state = load_game("delphi", players=2, seed=4).new_state()
    while not state.is_over and state.to_json()["round"] < 99:
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
    play_both(state_from_json(state.to_json()), rng, False, 200)
