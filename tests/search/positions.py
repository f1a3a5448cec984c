"""Positions for the tests of search, from games of every kind there is."""

from collections.abc import Iterator

from pythia.core_cy import CHANCE, Random, State, list_games, load_game, players_or_fewest
from pythia.core_cy.registry import MICRO_GAMES

ALL_GAMES = [*list_games(), *MICRO_GAMES]


def decisions(name: str, seed: int, every: int, most: int, players: int | None = None) -> Iterator[State]:
    """Every so many-th decision of a random game, at most so many, each with more than one legal move."""
    state = load_game(name, players=players_or_fewest(name, players), seed=seed).new_state()
    rng = Random(seed)
    count = found = 0
    while not state.is_over and found < most:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        moves = state.legal_moves()
        if len(moves) > 1:
            count += 1
            if (count - 1) % every == 0:
                found += 1
                yield state.clone()
        state.apply(rng.choice(moves))
