"""`pythia run`: a server that shows a game between bots first."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Annotated

from cyclopts import Parameter

from pythia.clients.cli.bot_game import Seed, Turns, bot_game, check_demo
from pythia.clients.cli.serve import serve_until_stopped
from pythia.core_cy import DEFAULT_GAME, players_or_fewest
from pythia.service.config import DEFAULT_PORT, Config

Port = Annotated[int, Parameter(help="Port on the loopback address; 0 picks a free one.")]


def run(*, port: Port = DEFAULT_PORT, seed: Seed = 7, turns: Turns = 8) -> None:
    """Start a server, show a game between bots on it, and keep serving.

    Matches are kept in memory only. HTTP is on if the extra `web` is installed.

    For example:

        pythia run --port 0 --turns 3
    """
    seats = players_or_fewest(DEFAULT_GAME, None)
    check_demo(DEFAULT_GAME, seats, seed)
    settings = Config(port=port, http=find_spec("connectrpc") is not None, store="memory:")
    asyncio.run(
        serve_until_stopped(settings, lambda address: bot_game(address, DEFAULT_GAME, seats, seed, turns))
    )
