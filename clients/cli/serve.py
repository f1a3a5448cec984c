"""`pythia serve`: a server, until it is interrupted."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import field, make_dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pythia.clients.cli.console import bots_from_here
from pythia.service.config import KINDS, NAMES, SECRETS, Config, load_config, printed
from pythia.service.server import Server

SWITCH_SECONDS = 0.0005

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
    """Serve the games over gRPC, and with --http over HTTP, until interrupted.

    Flags override environment variables (PYTHIA_PORT and so on), which
    override the file.

    For example:

        pythia serve
        pythia serve --http
        pythia serve --port 0 --store memory:
        pythia serve --config pythia.toml --print-config
    """
    settings, origins = load_config(config, flags=vars(flags) if flags else {})
    if print_config:
        print(printed(settings.checked(), origins))
        return
    bots_from_here()
    asyncio.run(serve_until_stopped(settings))


async def serve_until_stopped(
    config: Config,
    story: Callable[[str], AsyncIterator[str]] | None = None,
    page: Callable[[str], None] | None = None,
) -> None:
    """Serve, tell the story, then wait for SIGINT or SIGTERM, which also cut the story short.

    `page` is called with the address of the page for people.
    """
    # Searches hold the GIL for moments only; with this, calls wait for it that much less.
    sys.setswitchinterval(SWITCH_SECONDS)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with Server(config) as server:
        print(f"Pythia {version('pythia-opponent')} serves on {server.address}", flush=True)
        print(f"  {server.openness}", flush=True)
        if server.http_url:
            print(f"  HTTP: {server.http_url} (open it in a browser to play)", flush=True)
            if page is not None:
                page(f"{server.http_url}/")
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
