"""A tournament as its file defines it: read, checked, and identified.

    name = "levels"
    game = "..."
    seats = 2
    format = "round_robin"      # or gauntlet, ladder
    blocks = 50                 # for each set of entrants that meet
    seed = 1

    [[entrants]]
    name = "level 3"
    bot = "ismcts"
    level = 3

docs/tournaments.md lists everything.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pythia.arena.ratings import Sprt
from pythia.arena.tournament.entrants import BadTournament, Entrant, entrant_of, not_allowed, table_of
from pythia.core_cy.errors import BadOption
from pythia.core_cy.registry import game_info, load_game
from pythia.search.bots import BotSpec

FORMATS = ("round_robin", "gauntlet", "ladder")
DECISION_SECONDS = 60.0


@dataclass(frozen=True)
class Clock:
    """What a bot may take before it loses by rule; 0 is without limit."""

    decision_seconds: float = DECISION_SECONDS
    game_seconds: float = 0.0


@dataclass(frozen=True)
class Definition:
    """A whole tournament. Made by `read_definition` or `definition_of`, which check it."""

    name: str
    game: str
    seats: int
    format: str
    blocks: int
    seed: int
    entrants: tuple[Entrant, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    challengers: tuple[str, ...] = ()  # of a gauntlet
    rounds: int = 0  # of a ladder
    anchor: str | None = None
    clock: Clock = Clock()
    sprt: Sprt | None = None
    records: bool = True
    paths: tuple[str, ...] = ()  # where classes are looked for as well

    @property
    def names(self) -> list[str]:
        return [entrant.name for entrant in self.entrants]

    def entrant(self, name: str) -> Entrant:
        return self.entrants[self.names.index(name)]

    @property
    def reproducible(self) -> bool:
        """Whether the same file gives the same games on every machine: no limits in seconds."""
        return all(entrant.reproducible for entrant in self.entrants)

    def changed(self, **values: Any) -> Definition:
        """The same with other blocks or sequential test, checked again."""
        found = replace(self, **values)
        _check(found)
        return found

    def check_entrants(self) -> None:
        """Make every entrant once, so that errors come before the first game."""
        for number, entrant in enumerate(self.entrants):
            entrant.check(f"entrants[{number}]", self.game)

    def identity(self) -> dict[str, Any]:
        """Everything in the file that the games depend on; code.py has the rest. More blocks or another test go on with
        the same results.

        A ladder is an exception: who meets in a round depends on the blocks of the round before.
        """
        obj: dict[str, Any] = {
            "game": self.game,
            "seats": self.seats,
            "options": dict(self.options),
            "format": self.format,
            "seed": self.seed,
            "entrants": [entrant.to_json() for entrant in self.entrants],
            "clock": asdict(self.clock),
        }
        if self.format == "gauntlet":
            obj["challengers"] = list(self.challengers)
        if self.format == "ladder":
            obj |= {
                "blocks": self.blocks,
                "rounds": self.rounds,
                "sprt": asdict(self.sprt) if self.sprt else None,
            }
        return obj

    def digest(self) -> str:
        text = json.dumps(self.identity(), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def installed_version() -> str:
    try:
        return version("pythia-opponent")
    except PackageNotFoundError:
        return "not installed"


def read_definition(path: Path) -> Definition:
    """From a TOML file. Classes are looked for in its folder as well."""
    return definition_of(
        read_toml(path, "the tournament file; results go to --results"), paths=(str(path.resolve().parent),)
    )


def read_toml(path: Path, wanted: str) -> dict[str, Any]:
    """What the file says, with its own name where it does not say another. `wanted` is what to give instead of a
    binary file.
    """
    try:
        obj = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadTournament(f"file: {str(path)!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        # Usually the results, which lie beside the file.
        raise BadTournament(f"file: {str(path)!r} is not TOML; give {wanted}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadTournament(f"file: {str(path)!r} is not TOML: {error}") from error
    return {"name": path.stem, **obj}


KEYS = {
    "name": str,
    "game": str,
    "seats": int,
    "format": str,
    "blocks": int,
    "seed": int,
    "rounds": int,
    "anchor": str,
    "records": bool,
    "challengers": list,
    "options": dict,
    "clock": dict,
    "sprt": dict,
    "entrants": list,
}
WORDS = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}


def checked_keys(obj: Mapping[str, Any], keys: Mapping[str, type], needed: Sequence[str]) -> dict[str, Any]:
    """The table, when it has only known keys with values of their type, and all that are needed."""
    for key, value in obj.items():
        if key not in keys:
            raise not_allowed("key", key, ", ".join(keys))
        kind = keys[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise not_allowed(key, value, WORDS[kind])
    for key in needed:
        if key not in obj:
            raise BadTournament(f"{key}: missing; needed: {', '.join(needed)}")
    return dict(obj)


def definition_of(obj: Mapping[str, Any], paths: tuple[str, ...] = ()) -> Definition:
    """From the tables of a file."""
    values = checked_keys(obj, KEYS, ("game", "entrants"))
    game = values["game"]
    info = _game_info(game)
    entrants = tuple(
        entrant_of(table, f"entrants[{number}]", game) for number, table in enumerate(values["entrants"])
    )
    form = values.get("format", "round_robin")
    seats = values.get("seats", info.min_players)
    challengers = tuple(values.get("challengers", ()))
    if form == "gauntlet" and not challengers and entrants:
        challengers = (entrants[0].name,)
    found = Definition(
        name=values.get("name", "tournament"),
        game=game,
        seats=seats,
        format=form,
        blocks=values.get("blocks", 20),
        seed=values.get("seed", 1),
        entrants=entrants,
        options=values.get("options", {}),
        challengers=challengers,
        rounds=values.get("rounds", len(entrants) if form == "ladder" else 0),
        anchor=values.get("anchor"),
        clock=_clock(values.get("clock", {})),
        sprt=sprt_of(values["sprt"]) if "sprt" in values else None,
        records=values.get("records", True),
        paths=paths,
    )
    _check(found)
    return found


def of_bots(bots: Sequence[str], game: str, options: Mapping[str, Any], seed: int) -> Definition:
    """A round robin of bots given as `name:setting=value,...`, one for each seat; a bot may come several times.

    Classes are looked for in the current folder too.
    """
    info = _game_info(game)
    low, high = info.min_players, info.max_players
    if not low <= len(bots) <= high:
        much = "few" if len(bots) < low else "many"
        span = f"{low}" if low == high else f"{low} to {high}"
        raise BadTournament(f"bots: {len(bots)} is too {much}; allowed: {span} bots with {game}")
    entrants: list[dict[str, Any]] = []
    for number, text in enumerate(bots):
        try:
            table = table_of(BotSpec.parse(text))
        except ValueError as error:
            raise BadTournament(f"bots[{number}]: {error}") from error
        copies = bots[:number].count(text)
        entrants.append({**table, "name": f"{text} ({copies + 1})" if copies else text})
    return definition_of(
        {
            "name": " against ".join(bots),
            "game": game,
            "seats": len(bots),
            "options": dict(options),
            "seed": seed,
            "entrants": entrants,
        },
        paths=(str(Path.cwd()),),
    )


def _game_info(game: str) -> Any:
    try:
        return game_info(game)
    except BadOption as error:
        raise BadTournament(str(error)) from error


def _clock(obj: Mapping[str, Any]) -> Clock:
    known = ("decision_seconds", "game_seconds")
    for key, value in obj.items():
        if key not in known:
            raise not_allowed("clock", key, ", ".join(known))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
            raise not_allowed(f"clock.{key}", value, "a number of seconds, 0 for no limit")
    return Clock(**{key: float(value) for key, value in obj.items()})


def sprt_of(obj: Mapping[str, Any]) -> Sprt:
    known = tuple(Sprt.__dataclass_fields__)
    for key in obj:
        if key not in known:
            raise not_allowed("sprt", key, ", ".join(known))
    try:
        return Sprt(**obj)
    except ValueError as error:
        raise BadTournament(str(error)) from error


def _check(found: Definition) -> None:
    info = _game_info(found.game)
    low, high = info.min_players, info.max_players
    if not low <= found.seats <= high:
        raise not_allowed("seats", found.seats, f"{low} to {high} with {found.game}")
    if found.format not in FORMATS:
        raise not_allowed("format", found.format, ", ".join(FORMATS))
    if found.blocks < 1:
        raise not_allowed("blocks", found.blocks, "1 or more")
    if not 0 <= found.seed < 2**63:
        raise not_allowed("seed", found.seed, "a whole number from 0 to 2^63 - 1")
    names = found.names
    for number, name in enumerate(names):
        if name in names[:number]:
            raise not_allowed(f"entrants[{number}].name", name, "a name that no other entrant has")
    if len(names) < found.seats:
        raise BadTournament(
            f"entrants: {len(names)} given; allowed: at least as many as seats, {found.seats}. "
            "The same bot may take part under several names"
        )
    for number, name in enumerate(found.challengers):
        if name not in names or name in found.challengers[:number]:
            raise not_allowed(f"challengers[{number}]", name, "a name of an entrant, each once")
    if found.challengers and found.format != "gauntlet":
        raise not_allowed("challengers", list(found.challengers), "with format gauntlet only")
    if found.rounds and found.format != "ladder":
        raise not_allowed("rounds", found.rounds, "with format ladder only")
    if found.format == "ladder" and found.rounds < 1:
        raise not_allowed("rounds", found.rounds, "1 or more")
    if found.anchor is not None and found.anchor not in names:
        raise not_allowed("anchor", found.anchor, "a name of an entrant")
    if found.sprt and found.seats != 2:
        raise not_allowed("sprt", f"{found.seats} seats", "with two seats only")
    if "players" in found.options:
        raise not_allowed("options.players", found.options["players"], "none; `seats` says how many play")
    try:
        load_game(found.game, **{**found.options, "players": found.seats})
    except ValueError as error:
        raise BadTournament(f"options.{error}") from error
