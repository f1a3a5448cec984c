"""What the tests of the adapters share."""

import importlib
import re
import sys
from pathlib import Path

from pythia.core_cy import game_info, list_games

GUIDE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
# Every game with every number of players that it allows.
TABLES = [
    (game, players)
    for game in list_games()
    for players in range(game_info(game).min_players, game_info(game).max_players + 1)
]


def examples(name):
    """The programs of the guide that use this adapter."""
    blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    return [block for block in blocks if f"pythia.clients.adapters.{name}" in block]


def import_without(package, name, monkeypatch):
    """Imports an adapter anew as if the package were not installed."""
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"pythia.clients.adapters.{name}")
    importlib.import_module(f"pythia.clients.adapters.{name}")


def table_options(table):
    """The options that put a match at a table; the match brings the seed."""
    return {name: value for name, value in table.options.items() if name != "seed"}
