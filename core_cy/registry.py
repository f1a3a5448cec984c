"""The games there are, and the doors to them. A new game is one line in `GAMES`."""

from __future__ import annotations

import importlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pythia.core_cy.errors import BadOption, BadPosition

if TYPE_CHECKING:
    from pythia.core_cy.game import Game, State

# Name to module; the module has an `INFO`. Modules are imported when first asked for.
GAMES = {
    "delphi": "pythia.core_cy.delphi",
    "deukalion": "pythia.core_cy.deukalion",
    "keltis": "pythia.core_cy.keltis",
}
# What commands play when no game is named.
DEFAULT_GAME = "delphi"
# Games with a known solution, for the tests of the contract and of search; not offered to players.
MICRO_GAMES = {
    "doors": "pythia.core_cy.micro.doors",
    "kuhn": "pythia.core_cy.micro.kuhn",
}

MAX_SEED = 2**63 - 1


class GameFactory(Protocol):
    """What a game's class offers besides being a `Game`."""

    def __call__(self, options: dict[str, Any]) -> Game: ...
    def state_from_json(self, obj: Mapping[str, Any]) -> State: ...
    def state_from_observation(self, obj: Mapping[str, Any], rng: Any) -> State: ...


@dataclass(frozen=True)
class OptionInfo:
    """One option of a game. `choices` for words, `low` and `high` for whole numbers, else a JSON value: `shape`."""

    name: str
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    shape: type[list[Any]] | type[dict[str, Any]] = list

    @property
    def type(self) -> str:
        if self.choices:
            return "str"
        return "int" if self.low is not None else "json"

    @property
    def allowed(self) -> str:
        if self.choices:
            return ", ".join(self.choices)
        if self.low is not None:
            return f"a whole number from {self.low} to {self.high}"
        return "a list" if self.shape is list else "an object, or the path of a file with one"

    def check(self, value: Any) -> None:
        if self.choices:
            good = isinstance(value, str) and value in self.choices
        elif self.low is not None and self.high is not None:
            good = isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high
        else:
            good = isinstance(value, self.shape)
        if not good:
            raise BadOption(self.name, value, self.allowed)


@dataclass(frozen=True)
class GameInfo:
    """What a game is. `open_chance` where everyone sees what chance may bring, how likely, and what it brings.

    Then real dice and cards can stand for it: to ask what may come, or to report what came, tells nobody anything.
    """

    name: str
    title: str
    min_players: int
    max_players: int
    options: tuple[OptionInfo, ...]
    factory: GameFactory = field(repr=False, compare=False)
    open_chance: bool = False


def list_games() -> list[str]:
    """The names of the games, as `load_game` takes them."""
    return list(GAMES)


def game_info(name: str) -> GameInfo:
    """Title, player counts and options of a game."""
    module = GAMES.get(name) or MICRO_GAMES.get(name) if isinstance(name, str) else None
    if module is None:
        raise BadOption("game", name, ", ".join(GAMES))
    info: GameInfo = importlib.import_module(module).INFO
    return info


def load_game(name: str, **options: Any) -> Game:
    """A game with its options, which `game.options` tells; the same seed gives the same game.

    Without a seed one is drawn, and `game.options["seed"]` says which.
    """
    info = game_info(name)
    known = {option.name: option for option in info.options}
    options = {key: _from_file(key, value) for key, value in options.items()}
    for key, value in options.items():
        if key not in known:
            raise BadOption("option", key, ", ".join(known))
        if value is not None or known[key].default is not None:
            known[key].check(value)
    values = {option.name: options.get(option.name, option.default) for option in info.options}
    if "seed" in values and values["seed"] is None:
        values["seed"] = secrets.randbits(32)
    return info.factory(values)


def _from_file(key: str, value: Any) -> Any:
    """The JSON in a file, for an option given as a path. A path is an object, never text: no text names a file."""
    if not isinstance(value, PathLike):
        return value
    try:
        return json.loads(Path(value).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadOption(key, str(value), f"a file with JSON in it ({error})") from None


def players_option(low: int, high: int) -> OptionInfo:
    return OptionInfo("players", "how many play", default=low, low=low, high=high)


def seed_option() -> OptionInfo:
    return OptionInfo("seed", "the same seed gives the same game; drawn when absent", low=0, high=MAX_SEED)


def game_of(obj: Any) -> GameInfo:
    """The game that a position is of."""
    if not isinstance(obj, Mapping):
        raise BadPosition("", f"a position is a JSON object, not {type(obj).__name__}")
    name = obj.get("game")
    if not isinstance(name, str) or (name not in GAMES and name not in MICRO_GAMES):
        raise BadPosition("game", f"{name!r} is not a known game; known: {', '.join(GAMES)}")
    return game_info(name)


def state_from_json(obj: Mapping[str, Any]) -> State:
    """The state that `state.to_json()` wrote; its game comes with it as `state.game`."""
    return game_of(obj).factory.state_from_json(obj)


def state_from_observation(obj: Mapping[str, Any], seed: Any = None) -> State:
    """A full state drawn among those that look like this observation to its observer."""
    from pythia.core_cy.rng import Random

    return game_of(obj).factory.state_from_observation(obj, Random(seed))
