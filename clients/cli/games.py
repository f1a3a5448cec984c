"""`pythia games`: the games and their options."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.table import Table

from pythia.clients.cli.console import (
    AsJson,
    ServerOptions,
    open_client,
    print_json,
    terminal,
)


def games(*, as_json: AsJson = False, connection: ServerOptions | None = None) -> None:
    """List the games with their options.

    For example:

        pythia games
        pythia games --json | jq '.[].name'
        pythia games --server 127.0.0.1:50051
    """
    with open_client(connection) as client:
        found = client.games()
    if as_json:
        print_json([asdict(game) for game in found])
        return
    console = terminal()
    for game in found:
        table = Table("option", "default", "allowed", "meaning", title_justify="left")
        table.title = f"{game.name}: {game.title}, {game.min_players} to {game.max_players} players"
        for option in game.options:
            table.add_row(option.name, json.dumps(option.default), option.allowed, option.help)
        console.print(table)
