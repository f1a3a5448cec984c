"""`pythia demo`: a game between bots on a server of its own."""

from __future__ import annotations

import asyncio

from pythia.clients.cli.bot_game import Seed, Turns, bot_game, check_demo
from pythia.clients.cli.console import GameName, Players
from pythia.core_cy import DEFAULT_GAME, players_or_fewest
from pythia.service.server import Server


def demo(*, game: GameName = DEFAULT_GAME, players: Players = None, seed: Seed = 7, turns: Turns = 8) -> None:
    """Start a server, show a game between bots on it, and exit.

    For example:

        pythia demo
        pythia demo --players 3 --turns 20
    """
    seats = players_or_fewest(game, players)
    check_demo(game, seats, seed)
    asyncio.run(show(game, seats, seed, turns))


async def show(game: str, players: int, seed: int, turns: int) -> None:
    async with Server(port=0, store="memory:", metrics=False) as server:
        async for line in bot_game(server.address, game, players, seed, turns):
            print(line, flush=True)
