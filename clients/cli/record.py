"""`pythia record`: a game of random moves."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from pythia.clients.cli.console import (
    GameName,
    Players,
)
from pythia.core_cy import (
    DEFAULT_GAME,
    Random,
    load_game,
    players_or_fewest,
)
from pythia.core_cy.record import Record, record_game


def record(
    *,
    game: GameName = DEFAULT_GAME,
    players: Players = None,
    seed: Annotated[int, Parameter(help="The same seed plays the same game.")] = 7,
) -> None:
    """Print a game of random moves as a record.

    For example:

        pythia record --players 4 > game.jsonl
        pythia record | pythia replay
    """
    random_record(game, players_or_fewest(game, players), seed).write(sys.stdout)


def random_record(name: str, players: int, seed: int) -> Record:
    """A game of bots that move at random, as a record."""
    rng = Random(seed)
    state = load_game(name, players=players, seed=seed).new_state()
    return record_game(state, lambda state: rng.choice(state.legal_moves()), rng)
