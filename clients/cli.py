"""The `pythia` command. Errors are one line on standard error; docs/cli.md lists the exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import field, make_dataclass
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Annotated, Any

import cyclopts
import grpc
from cyclopts import Parameter
from google.protobuf.json_format import MessageToDict
from rich.console import Console
from rich.table import Table

from pythia.clients.demo import bot_game, check_demo, random_record
from pythia.core_cy import BadOption, game_info, list_games
from pythia.core_cy.record import BadRecord, Record
from pythia.service.config import (
    DEFAULT_PORT,
    KINDS,
    NAMES,
    SECRETS,
    Config,
    ConfigError,
    load_config,
    printed,
)
from pythia.service.convert import game_message
from pythia.service.server import Server
from pythia.v1 import engine_pb2, engine_pb2_grpc

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NO_SERVER = 3
EXIT_INTERRUPTED = 130

ANSWER_SECONDS = 10.0
SWITCH_SECONDS = 0.0005

app = cyclopts.App(
    name="pythia",
    help="An AI opponent for board games with dice and hidden information.",
    version=lambda: f"pythia {installed_version('pythia-opponent')}",
    suppress_keyboard_interrupt=False,
)
app.register_install_completion_command()
# By their path, so that the other commands need not load them.
app.command("pythia.clients.tournament_cli:app", name="tournament")
app.command("pythia.clients.tournament_cli:tune", name="tune")

Port = Annotated[int, Parameter(help="Port on the loopback address; 0 picks a free one.")]
Seed = Annotated[int, Parameter(help="The same seed plays the same game.")]
Turns = Annotated[int, Parameter(help="Show so many turns, then the end.")]


class NoAnswer(Exception):
    """The server does not answer."""


@app.command
def version() -> None:
    """Print the version."""
    print(f"pythia {installed_version('pythia-opponent')}")


@app.command
def games(
    *,
    server: Annotated[
        str | None, Parameter(help="Ask this server, as HOST:PORT, not this installation.")
    ] = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=(), help="Print JSON for scripts.")] = False,
) -> None:
    """List the games with their options."""
    found = (
        [game_message(game_info(name)) for name in sorted(list_games())]
        if server is None
        else ask_games(server)
    )
    if as_json:
        print(json.dumps([game_dict(game) for game in found], indent=2))
        return
    console = Console(highlight=False)
    for game in found:
        table = Table("option", "default", "allowed", "meaning", title_justify="left")
        table.title = f"{game.name}: {game.title}, {game.min_players} to {game.max_players} players"
        for option in game.options:
            table.add_row(option.name, option.default_json, option.allowed, option.help)
        console.print(table)


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


@app.command
def serve(
    *,
    config: Annotated[
        str | None, Parameter(help="File with settings (TOML); PYTHIA_CONFIG names one too.")
    ] = None,
    print_config: Annotated[
        bool, Parameter(negative=(), help="Print the settings and where each comes from, and exit.")
    ] = False,
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
) -> None:
    """Serve the games over gRPC until interrupted.

    A flag goes before the environment (PYTHIA_PORT and so on), the environment before the file.
    """
    settings, origins = load_config(config, flags=vars(flags) if flags else {})
    if print_config:
        print(printed(settings.checked(), origins))
        return
    asyncio.run(serve_until_stopped(settings))


@app.command
def demo(*, game: str = "delphi", players: int = 2, seed: Seed = 7, turns: Turns = 8) -> None:
    """Start a server, show a game between bots on it, and exit."""
    check_demo(game, players, seed)
    asyncio.run(show(game, players, seed, turns))


@app.command
def record(*, game: str = "delphi", players: int = 2, seed: Seed = 7) -> None:
    """Print a game of random moves from start to end as a record, which `pythia replay` reads."""
    random_record(game, players, seed).write(sys.stdout)


@app.command
def replay(file: Annotated[str, Parameter(help="A record; standard input when absent.")] = "", /) -> None:
    """Play a record again, check every move and the result, and show the end."""
    try:
        played = Record.read(file or sys.stdin)
    except (OSError, UnicodeDecodeError) as error:
        raise BadRecord(0, f"file: {file!r} cannot be read: {error}") from None
    for state in played.replay():
        last = state
    print(str(last).rstrip("\n"))
    print()
    print(f"{len(played.moves)} moves and outcomes, as recorded; result: {json.dumps(played.result)}")


@app.command
def run(*, port: Port = DEFAULT_PORT, seed: Seed = 7, turns: Turns = 8) -> None:
    """Serve, show a bot game, and go on serving until interrupted. Matches are kept in memory only."""
    check_demo("delphi", 2, seed)
    settings = Config(port=port, store="memory:")
    asyncio.run(serve_until_stopped(settings, lambda address: bot_game(address, "delphi", 2, seed, turns)))


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
        print(f"Pythia {installed_version('pythia-opponent')} serves on {server.address}", flush=True)
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


def ask_games(address: str) -> list[engine_pb2.GameInfo]:
    with grpc.insecure_channel(address) as channel:
        stub = engine_pb2_grpc.EngineServiceStub(channel)
        try:
            answer: engine_pb2.ListGamesResponse = stub.ListGames(
                engine_pb2.ListGamesRequest(), timeout=ANSWER_SECONDS
            )
        except grpc.RpcError as error:
            code = error.code().name if isinstance(error, grpc.Call) else "UNKNOWN"
            raise NoAnswer(
                f"server: {address!r} does not answer ({code}); start one with `pythia serve`, or check HOST:PORT"
            ) from None
    return list(answer.games)


def game_dict(game: engine_pb2.GameInfo) -> dict[str, Any]:
    """The message as JSON people expect: the default as a value, the type as a word."""
    obj: dict[str, Any] = MessageToDict(
        game, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    for option in obj["options"]:
        option["default"] = json.loads(option.pop("default_json"))
        option["type"] = option["type"].removeprefix("OPTION_TYPE_").lower()
    return obj


def fail(code: int, message: object) -> None:
    one_line = " ".join(str(message).split())
    print(f"pythia: {one_line}", file=sys.stderr)
    sys.exit(code)


def main() -> None:
    try:
        app(exit_on_error=False, print_error=False, result_action="return_none")
    except cyclopts.CycloptsError as error:
        fail(EXIT_USAGE, f"{error} `pythia --help` shows what is allowed.")
    except (BadOption, BadRecord, ConfigError) as error:
        fail(EXIT_FAILED, error)
    except NoAnswer as error:
        fail(EXIT_NO_SERVER, error)
    except KeyboardInterrupt:
        fail(EXIT_INTERRUPTED, "interrupted")
    except BrokenPipeError:
        # The reader (`| head`) has gone; nobody is there to tell, and Python must not try to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
