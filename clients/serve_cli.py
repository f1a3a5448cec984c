"""`pythia serve`, `pythia demo` and `pythia run`: a server, and a game between bots on it."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import field, make_dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pythia.clients.console import GameName, Players
from pythia.clients.demo import bot_game, check_demo
from pythia.core_cy import DEFAULT_GAME, players_or_fewest
from pythia.service.config import DEFAULT_PORT, KINDS, NAMES, SECRETS, Config, load_config, printed
from pythia.service.server import Server

SWITCH_SECONDS = 0.0005

Port = Annotated[int, Parameter(help="Port on the loopback address; 0 picks a free one.")]
Seed = Annotated[int, Parameter(help="The same seed plays the same game.")]
Turns = Annotated[int, Parameter(help="Show so many turns, then the end.")]

if TYPE_CHECKING:
    Flags = Config
else:
    # The settings of a server as flags: None where a flag is not given, so that file and environment can speak.
    Flags = make_dataclass(
        "Flags",
        [
            (
                name,
                Annotated[
                    KINDS[name] | None,
                    Parameter(help=f"{spec.metadata['help'][:1].upper()}{spec.metadata['help'][1:]}."),
                ],
                field(default=None),
            )
            for name, spec in NAMES.items()
            if name not in SECRETS  # others can see the flags of a process
        ],
        namespace={"__module__": __name__},
    )


def serve(
    *,
    config: Annotated[
        str | None, Parameter(help="File with settings (TOML); PYTHIA_CONFIG names one too.")
    ] = None,
    print_config: Annotated[
        bool,
        Parameter(
            negative=(), show_default=False, help="Print the settings and where each comes from, and exit."
        ),
    ] = False,
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
) -> None:
    """Serve the games over gRPC until interrupted.

    A flag goes before the environment (PYTHIA_PORT and so on), the environment before the file.

    For example:

        pythia serve
        pythia serve --port 0 --store memory:
        pythia serve --config pythia.toml --print-config
    """
    settings, origins = load_config(config, flags=vars(flags) if flags else {})
    if print_config:
        print(printed(settings.checked(), origins))
        return
    asyncio.run(serve_until_stopped(settings))


def demo(*, game: GameName = DEFAULT_GAME, players: Players = None, seed: Seed = 7, turns: Turns = 8) -> None:
    """Start a server, show a game between bots on it, and exit.

    For example:

        pythia demo
        pythia demo --players 3 --turns 20
    """
    seats = players_or_fewest(game, players)
    check_demo(game, seats, seed)
    asyncio.run(show(game, seats, seed, turns))


def run(*, port: Port = DEFAULT_PORT, seed: Seed = 7, turns: Turns = 8) -> None:
    """Serve, show a bot game, and go on serving until interrupted.

    Matches are kept in memory only.

    For example:

        pythia run --port 0 --turns 3
    """
    seats = players_or_fewest(DEFAULT_GAME, None)
    check_demo(DEFAULT_GAME, seats, seed)
    settings = Config(port=port, store="memory:")
    asyncio.run(
        serve_until_stopped(settings, lambda address: bot_game(address, DEFAULT_GAME, seats, seed, turns))
    )


async def show(game: str, players: int, seed: int, turns: int) -> None:
    async with Server(port=0, store="memory:", metrics=False) as server:
        async for line in bot_game(server.address, game, players, seed, turns):
            print(line, flush=True)


async def serve_until_stopped(
    config: Config, story: Callable[[str], AsyncIterator[str]] | None = None
) -> None:
    """Serve, tell the story, then wait for SIGINT or SIGTERM, which also cut the story short."""
    # Searches hold the GIL for moments only; with this, calls wait for it that much less.
    sys.setswitchinterval(SWITCH_SECONDS)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with Server(config) as server:
        print(f"Pythia {version('pythia-opponent')} serves on {server.address}", flush=True)
        print(f"  {server.openness}", flush=True)
        if server.metrics_url:
            print(f"  metrics: {server.metrics_url}", flush=True)
        if not config.tls_cert:
            print(f"  try: pythia games --server {server.address}", flush=True)
        if story is not None:
            async for line in story(server.address):
                if stop.is_set():
                    break
                print(line, flush=True)
        print("Serving; Ctrl-C ends it.", flush=True)
        await stop.wait()
        print("Stopping.", flush=True)
