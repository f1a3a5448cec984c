"""How strong the levels 1 to 10 are: data of each game and player count, where they were calibrated.

`levels.json` in a game's folder has them by player count, with how they were measured
(`python -m tools.strength.levels` writes it). Where nothing was measured, LEVELS applies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pythia.core_cy.game import Game

FORMAT = 1
NUMBERS = tuple(range(1, 11))


@dataclass(frozen=True)
class Level:
    """A strength: iterations per decision, a temperature, and the share of moves that the bot overlooks.

    With a temperature above 0 the move is drawn among the good ones with weights visits ** (1 / temperature).
    `overlooked` is the share of the legal moves that the bot does not see, different ones in each position. This is
    what distinguishes beginners from good players, more than the depth of search.
    """

    iterations: int
    temperature: float
    overlooked: float = 0.0


# Calibrated on Delphi with two players so that each level beats the one two below about two times in three
# (docs/strength.md). What more iterations bring shrinks fast, so the steps grow. The low levels differ in how freely
# they choose, as people do who see several good moves and not which is best; they do not make blunders at random.
LEVELS: Mapping[int, Level] = {
    1: Level(12, 10.0),
    2: Level(12, 3.5),
    3: Level(12, 1.6),
    4: Level(12, 0.7),
    5: Level(20, 0.3),
    6: Level(32, 0.0),
    7: Level(60, 0.0),
    8: Level(150, 0.0),
    9: Level(700, 0.0),
    10: Level(4000, 0.0),
}


class BadLevels(ValueError):
    """A levels file that cannot be used; the message names the file and what is wrong."""


def levels_of(game: Game) -> Mapping[int, Level]:
    """The levels of a game with its number of players."""
    return calibrated(game.name).get(game.players, LEVELS)


@cache
def calibrated(game: str) -> Mapping[int, Mapping[int, Level]]:
    """By player count, the levels that were measured in a game."""
    try:
        path = files(f"pythia.core_cy.{game}").joinpath("levels.json")
    except ModuleNotFoundError:  # a game from another package
        return {}
    return (
        read_levels(path.read_text(encoding="utf-8"), game, f"{game}/levels.json") if path.is_file() else {}
    )


def read_levels(text: str, game: str, where: str) -> Mapping[int, Mapping[int, Level]]:
    """Checks and reads a levels file; `where` is its name in errors."""
    try:
        obj = json.loads(text)
    except ValueError as error:
        raise BadLevels(f"{where}: not a whole JSON file ({error})") from error
    if not isinstance(obj, dict) or obj.get("format") != FORMAT or obj.get("game") != game:
        raise BadLevels(f"{where}: not the levels of {game} in format {FORMAT}")
    return {
        int(players): _table(table, f"{where}: players {players}")
        for players, table in obj["players"].items()
    }


def _table(table: Mapping[str, Any], where: str) -> Mapping[int, Level]:
    rows = table["levels"]
    if len(rows) != len(NUMBERS):
        raise BadLevels(f"{where}: {len(rows)} levels given; allowed: {len(NUMBERS)}")
    levels = {}
    for number, row in zip(NUMBERS, rows, strict=True):
        iterations, temperature = row.get("iterations"), row.get("temperature")
        if type(iterations) is not int or iterations < 1:
            raise BadLevels(
                f"{where}: level {number}: iterations {iterations!r} is not allowed; allowed: 1 or more"
            )
        if type(temperature) not in (int, float) or not 0 <= temperature <= 10:
            raise BadLevels(
                f"{where}: level {number}: temperature {temperature!r} is not allowed; allowed: 0 to 10"
            )
        overlooked = row.get("overlooked", 0.0)
        if type(overlooked) not in (int, float) or not 0 <= overlooked <= 1:
            raise BadLevels(
                f"{where}: level {number}: overlooked {overlooked!r} is not allowed; allowed: 0 to 1"
            )
        levels[number] = Level(iterations, float(temperature), float(overlooked))
    return levels


def levels_text(game: str, tables: Mapping[str, Any]) -> str:
    """The file as JSON: tables of levels and provenance by player count."""
    obj = {"format": FORMAT, "game": game, "players": dict(sorted(tables.items()))}
    return json.dumps(obj, indent=1) + "\n"
