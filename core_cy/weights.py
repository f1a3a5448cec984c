"""Weights files: what a game's judgement and policy multiply their features with, and how these numbers came about.

A game keeps the weights that it plays with in `weights.json` of its folder, and those of releases in
`weights-VERSION.json`, so that a bot of then can still be played against (`ismcts@0.1.0`). `pythia learn` writes such
files. Their parts:

- `value`: by feature of a seat; `prior` and `playout`: by feature of a move; `settings`: single numbers;
- `search`: parameters of the tree search that suit the game;
- `net`: a network that corrects the judgement, with the names of its inputs (pythia.core_cy.net_text);
- `display`: what turns the search's numbers into those that are shown (pythia.search.display);
- `provenance`: the command, games, commit and gate they come from.

In a program all but the last four are one flat table of numbers, in which those of moves are `prior.NAME` and
`playout.NAME`. A feature that a file does not name has the weight 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from pythia.core_cy.net_text import net_numbers

FORMAT = 1
PARTS = ("value", "prior", "playout", "settings")


class BadWeights(ValueError):
    """A weights file that cannot be used; the message names the file, what is wrong and what to do."""


@dataclass(frozen=True)
class WeightsFile:
    """The content of a weights file."""

    game: str
    values: dict[str, float]  # flat
    search: dict[str, Any] = field(default_factory=dict)
    display: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    net: str = ""

    @property
    def changes(self) -> dict[str, Any]:
        """All that a bot judges and plays with, for `Game.with_weights`."""
        return {**self.values, "net": self.net}


@dataclass(frozen=True)
class Names:
    """What a game's weights are called."""

    game: str
    value: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()  # features of moves, for priors and playouts
    settings: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()  # features of moves that playouts cannot afford
    net: tuple[str, ...] = ()  # what the network sees of a seat

    @property
    def flat(self) -> list[str]:
        return [
            *self.value,
            *self.settings,
            *(f"{part}.{name}" for part in ("prior", "playout") for name in self.moves),
        ]


def flat_name(part: str, name: str) -> str:
    return f"{part}.{name}" if part in ("prior", "playout") else name


def part_of(name: str, names: Names) -> tuple[str, str]:
    """The part of a file that a flat name belongs to, and its name there."""
    part, dot, rest = name.partition(".")
    if dot and part in ("prior", "playout"):
        return part, rest
    return ("settings" if name in names.settings else "value"), name


def read_weights(text: str, names: Names, where: str) -> WeightsFile:
    """Checks and reads a weights file; `where` is its name in errors."""
    try:
        obj = json.loads(text)
    except ValueError as error:
        raise BadWeights(f"{where}: not a whole JSON file ({error}); learn or copy it again") from error
    if not isinstance(obj, dict) or obj.get("format") != FORMAT:
        found = obj.get("format") if isinstance(obj, dict) else None
        raise BadWeights(f"{where}: format {found!r} is not allowed; allowed: {FORMAT}; learn it again")
    if obj.get("game") != names.game:
        raise BadWeights(
            f"{where}: weights of {obj.get('game')!r}, not of {names.game!r}; give those of {names.game}"
        )
    known = {
        "value": names.value,
        "prior": names.moves,
        "playout": names.moves,
        "settings": names.settings,
    }
    values = dict.fromkeys(names.flat, 0.0)
    for part in PARTS:
        for name, value in _table(obj, part, where).items():
            if name not in known[part]:
                raise BadWeights(
                    f"{where}: {part}.{name} is not a feature of this version of {names.game}; "
                    "the file is of another version, learn it again"
                )
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise BadWeights(f"{where}: {part}.{name}: {value!r} is not allowed; allowed: a number")
            values[flat_name(part, name)] = float(value)
    for name in names.settings:
        if name not in obj["settings"]:
            raise BadWeights(f"{where}: settings.{name} is missing; the file is of another version")
    search, display, provenance, net = (
        _table(obj, part, where) for part in ("search", "display", "provenance", "net")
    )
    return WeightsFile(names.game, values, search, display, provenance, _net(net, names, where))


def _net(table: dict[str, Any], names: Names, where: str) -> str:
    if not table:
        return ""
    if table.get("inputs") != list(names.net):
        raise BadWeights(
            f"{where}: net.inputs are not those of this version of {names.game}; the file is of another version, "
            "learn it again"
        )
    text = table.get("numbers")
    try:
        net_numbers(text if isinstance(text, str) else "?", len(names.net))
    except ValueError as error:
        raise BadWeights(f"{where}: {error}; learn or copy it again") from error
    return str(text)


def _table(obj: Mapping[str, Any], part: str, where: str) -> dict[str, Any]:
    table = obj.get(part, {})
    if not isinstance(table, dict):
        raise BadWeights(f"{where}: {part}: {table!r} is not allowed; allowed: a table")
    return table


def weights_text(file: WeightsFile, names: Names) -> str:
    """The file as JSON; moves' features with the weight 0 are left out."""
    obj: dict[str, Any] = {"format": FORMAT, "game": file.game} | {part: {} for part in PARTS}
    for name, value in file.values.items():
        part, own = part_of(name, names)
        if value or part in ("value", "settings"):
            obj[part][own] = round(value, 6)
    if file.net:
        obj["net"] = {"inputs": list(names.net), "numbers": file.net}
    obj |= {"search": file.search, "display": file.display, "provenance": file.provenance}
    return json.dumps(obj, indent=1) + "\n"


@cache
def own_weights(package: str, names: Names, version: str | None = None) -> WeightsFile:
    """The weights in a game's folder: those it plays with, or those of a release."""
    name = "weights.json" if version is None else f"weights-{version}.json"
    path = files(package).joinpath(name)
    if version is not None and not path.is_file():
        raise BadWeights(
            f"version: {version!r} of {names.game} is not allowed; "
            f"allowed: {', '.join(versions(package)) or 'none'}"
        )
    return read_weights(path.read_text(encoding="utf-8"), names, f"{names.game}/{name}")


def versions(package: str) -> list[str]:
    """The releases whose weights a game keeps."""
    found = [path.name for path in files(package).iterdir()]
    return sorted(
        name.removeprefix("weights-").removesuffix(".json")
        for name in found
        if name.startswith("weights-") and name.endswith(".json")
    )
