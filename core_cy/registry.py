"""The games by name, and how to load them. A new game is one line in `GAMES`."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pythia.core_cy.errors import BadOption, BadPosition
from pythia.core_cy.seeds import MAX_SEED, fresh_seed

if TYPE_CHECKING:
    from pythia.core_cy.game import Game, State

# Name to module; the module has an `INFO`. Modules are imported when first asked for.
GAMES = {
    "delphi": "pythia.core_cy.delphi",
    "deukalion": "pythia.core_cy.deukalion",
    "keltis": "pythia.core_cy.keltis",
    "offrandes": "pythia.core_cy.offrandes",
}
# What commands play when no game is named.
DEFAULT_GAME = "delphi"
# Games with a known solution, for the tests of the contract and of search; not offered to players.
MICRO_GAMES = {
    "doors": "pythia.core_cy.micro.doors",
    "kuhn": "pythia.core_cy.micro.kuhn",
}


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
class ValueList:
    """The values that a field of positions and moves takes, in the game's order, such as the colors."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class GameInfo:
    """What a game is. `open_chance` where everyone sees what chance may bring, how likely, and what it brings.

    Then real dice and cards can be used: asking for the possible outcomes or reporting one reveals nothing.
    `hides` where some position has parts that a seat does not see, `dealt` where the seed decides on the start,
    `forced_moves` where a seat is asked although it has one move only.
    """

    name: str
    title: str
    min_players: int
    max_players: int
    options: tuple[OptionInfo, ...]
    factory: GameFactory = field(repr=False, compare=False)
    open_chance: bool = False
    hides: bool = True
    dealt: bool = True
    forced_moves: bool = True
    about: str = ""  # for people, in a line: who made it, what it is about
    values: tuple[ValueList, ...] = ()


def list_games() -> list[str]:
    """Return the names of the games, for `load_game`."""
    return list(GAMES)


def game_info(name: str) -> GameInfo:
    """The description of a game, checked when it is first asked for."""
    module = GAMES.get(name) or MICRO_GAMES.get(name) if isinstance(name, str) else None
    if module is None:
        raise BadOption("game", name, ", ".join(GAMES))
    if name not in _checked:
        from pythia.core_cy import contract

        info: GameInfo = importlib.import_module(module).INFO
        contract.check(name, module, info, offered=name in GAMES)
        _checked[name] = info
    return _checked[name]


_checked: dict[str, GameInfo] = {}


def is_known(name: object) -> bool:
    """Whether there is a game of this name, for players or for tests."""
    return isinstance(name, str) and (name in GAMES or name in MICRO_GAMES)


def game_part(name: str, part: str) -> Any:
    """What the game's own module for something holds (`PARTS` in contract.py); BadOption where it has none."""
    from pythia.core_cy import contract

    if name not in GAMES:
        raise BadOption("game", name, ", ".join(GAMES))
    return contract.part_of(GAMES[name], part)


def has_part(name: str, part: str) -> bool:
    """Whether a game has the module for something, for parts that are optional."""
    return name in GAMES and importlib.util.find_spec(f"{GAMES[name]}.{part}") is not None


def players_or_fewest(name: str, players: int | None) -> int:
    """The number of players asked for, or when none is, the fewest that the game allows."""
    return game_info(name).min_players if players is None else players


def load_game(name: str, /, **options: Any) -> Game:
    """Load a game with the given options; `game.options` lists them all. The same seed gives the same game.

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
        values["seed"] = fresh_seed()
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
    return OptionInfo("players", "the number of players", default=low, low=low, high=high)


def seed_option() -> OptionInfo:
    return OptionInfo("seed", "the same seed gives the same game; random by default", low=0, high=MAX_SEED)


def game_of(obj: Any) -> GameInfo:
    """The game that a position is of."""
    if not isinstance(obj, Mapping):
        raise BadPosition("", f"a position is a JSON object, not {type(obj).__name__}")
    name: Any = obj.get("game")
    if not is_known(name):
        raise BadPosition("game", f"{name!r} is not a known game; known: {', '.join(GAMES)}")
    return game_info(name)


def state_from_json(obj: Mapping[str, Any]) -> State:
    """Read a state that `state.to_json()` wrote; its game is `state.game`."""
    return game_of(obj).factory.state_from_json(obj)


def state_from_observation(obj: Mapping[str, Any], seed: Any = None, *, spectators: bool = False) -> State:
    """Draw a full state that looks like this observation to its observer.

    With `spectators` also what a spectator sees is read; nobody can decide by that.
    """
    from pythia.core_cy.game import SPECTATOR
    from pythia.core_cy.rng import Random

    if isinstance(obj, Mapping) and obj.get("observer") == SPECTATOR and not spectators:
        raise BadPosition("observer", f"{SPECTATOR} is not allowed; allowed: a seat, not a spectator")
    return game_of(obj).factory.state_from_observation(obj, Random(seed))
