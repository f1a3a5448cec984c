"""Every game with every number of players, and positions of random games: what the contract suite runs on."""

import itertools

import pytest

from pythia.core_cy import CHANCE, Random, game_info, list_games, load_game
from pythia.core_cy.registry import MICRO_GAMES

ALL_GAMES = [*list_games(), *MICRO_GAMES]
SET_UPS = [
    (name, players)
    for name in ALL_GAMES
    for players in range(game_info(name).min_players, game_info(name).max_players + 1)
]
each_set_up = pytest.mark.parametrize(("name", "players"), SET_UPS)


def next_move(state, rng):
    """What happens next in random play."""
    return state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves())


def play(name, players, seed, moves=None):
    """Positions of a random game, each a clone."""
    rng = Random(seed)
    state = load_game(name, players=players, seed=seed).new_state()
    for _ in itertools.count() if moves is None else range(moves):
        yield state.clone()
        if state.is_over:
            return
        state.apply(next_move(state, rng))


def sample(name, players, games=3, moves=400, count=40):
    """A spread of positions from several random games, the first and the last of each among them."""
    for seed in range(games):
        positions = list(play(name, players, seed, moves))
        yield from positions[:: max(1, len(positions) // count)]
        yield positions[-1]
