"""Who takes part: built-in bots, Python classes by import path, and kinds that others register (remote bots)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pythia.arena.tournament.weights import WeightedBot, check_weights
from pythia.search.bots import Bot, BotSpec, bot_info
from pythia.search.limits import Limit
from pythia.search.plugins import BadBot, load_class, takes

# Kinds of entrants beside `bot` and `class`: the key in the file, and the import path of what makes the bot from the
# key's value. Filled from above, so that this package need not know what is there; see `register_kind`.
KINDS: dict[str, str] = {}

LIMITS = ("iterations", "seconds", "per")
BUILT_IN = ("level", "threads")


class BadTournament(ValueError):
    """A tournament that cannot be played as it is written; the message names field, value and what is allowed."""


def not_allowed(field: str, value: object, allowed: str) -> BadTournament:
    return BadTournament(f"{field}: {value!r} is not allowed; allowed: {allowed}")


def register_kind(key: str, factory: str) -> None:
    """Make `key = "target"` an entrant, made as `factory("target", seed=..., game=..., **params)`.

    Seed and game are given to a factory that takes them.
    `factory` is an import path, `package.module:attribute`: entrants go to other processes as plain data.
    """
    KINDS[key] = factory


@dataclass(frozen=True)
class Entrant:
    """A participant as plain data. `kind` is bot, class, or a registered one; `target` its name, path or address."""

    name: str
    kind: str
    target: str
    factory: str  # the import path of what makes it; empty for built-in bots
    settings: Mapping[str, Any]  # level and threads of a built-in bot
    limit: Limit | None
    params: Mapping[str, Any]
    weights: Mapping[str, Any]  # numbers, and the network as text

    @property
    def reproducible(self) -> bool:
        """Whether its limit leaves the same seed with the same game; a class may do with it what it likes."""
        return self.limit is None or self.limit.reproducible

    def make(self, game: str, seed: int) -> Bot:
        if self.kind in ("bot", "class"):
            bot: Bot = self._spec().make(seed).ready()
        else:
            maker = load_class(self.target, self.factory)
            known = {"seed": seed, "game": game}
            values = {name: value for name, value in known.items() if takes(maker, name)}
            bot = cast(Bot, maker(self.target, **values, **self.params))
        return WeightedBot(bot, self.weights) if self.weights else bot

    def check(self, field: str, game: str) -> None:
        """Make it once, before the first game; the error says what is wrong."""
        try:
            bot = self.make(game, 0)
        except BadBot as error:
            raise BadTournament(f"{field}.{self.kind}: {str(error).removeprefix('bot: ')}") from error
        except Exception as error:  # a plug-in class can raise anything
            raise BadTournament(
                f"{field}.{self.kind}: {self.target!r} cannot be made: {type(error).__name__}: {error}"
            ) from error
        if not callable(getattr(bot, "choose", None)):
            raise not_allowed(f"{field}.{self.kind}", self.target, "something with choose(view, limit)")
        close = getattr(bot, "close", None)
        if callable(close):
            close()

    def _spec(self) -> BotSpec:
        return BotSpec(self.target, limit=self.limit, params=tuple(self.params.items()), **self.settings)

    def __str__(self) -> str:
        """What it is, in a line."""
        if self.kind == "bot":
            text = str(self._spec())
        else:
            values = [f"{key}={value}" for key, value in self.params.items()]
            if self.limit:
                values += [f"{key}={value}" for key, value in _limit_json(self.limit).items()]
            text = f"{self.kind} {self.target}" + (f" ({', '.join(values)})" if values else "")
        if self.weights:
            shown = (f"{key}={value:g}" if key != "net" else "a net" for key, value in self.weights.items())
            text += " with weights " + ", ".join(shown)
        return text

    def to_json(self) -> dict[str, Any]:
        obj: dict[str, Any] = {"name": self.name, self.kind: self.target, **self.settings}
        if self.limit:
            obj |= _limit_json(self.limit)
        if self.params:
            obj["params"] = dict(self.params)
        if self.weights:
            obj["weights"] = dict(self.weights)
        return obj


def _limit_json(limit: Limit) -> dict[str, Any]:
    values = {"iterations": limit.iterations, "seconds": limit.seconds}
    known: dict[str, Any] = {key: value for key, value in values.items() if value is not None}
    return known | ({"per": limit.per} if limit.per != "decision" else {})


def table_of(spec: BotSpec) -> dict[str, Any]:
    """A bot's entry in a tournament file, without its name."""
    table: dict[str, Any] = {"bot": spec.name, "threads": spec.threads, "params": dict(spec.params)}
    if spec.level is not None:
        table["level"] = spec.level
    return table | (_limit_json(spec.limit) if spec.limit else {})


def entrant_of(obj: object, field: str, game: str, name: str | None = None) -> Entrant:
    """An entrant from its table in the file. Bots with a name are checked at once, classes and others by `check`."""
    if not isinstance(obj, dict):
        raise not_allowed(field, obj, "a table with name and bot or class")
    values: dict[str, Any] = dict(obj)
    kinds = ("bot", "class", *KINDS)
    given = [kind for kind in kinds if kind in values]
    if len(given) != 1:
        raise BadTournament(f"{field}: {given or 'none'} given; allowed: exactly one of {', '.join(kinds)}")
    (kind,) = given
    target = values.pop(kind)
    if not isinstance(target, str) or not target:
        raise not_allowed(f"{field}.{kind}", target, "text")
    name = values.pop("name", name if name is not None else target)
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise not_allowed(f"{field}.name", name, "printable text")
    params = _table(values.pop("params", {}), f"{field}.params")
    weights = _table(values.pop("weights", {}), f"{field}.weights")
    if weights and kind in KINDS:
        # They are of the game here, which is not where such a bot thinks.
        raise not_allowed(f"{field}.weights", dict(weights), f"none for {kind}")
    limits = {key: values.pop(key) for key in LIMITS if key in values}
    settings = {key: values.pop(key) for key in BUILT_IN if kind == "bot" and key in values}
    if values:
        known = ("name", kind, *LIMITS, *(BUILT_IN if kind == "bot" else ()), "params", "weights")
        raise not_allowed(field, next(iter(values)), ", ".join(known))
    factory = "" if kind == "bot" else target if kind == "class" else KINDS[kind]
    if kind == "class" and not all(part for part in target.partition(":")):
        raise not_allowed(f"{field}.class", target, "an import path as package.module:Class")
    try:
        entrant = Entrant(
            name, kind, target, factory, settings, Limit(**limits) if limits else None, params, weights
        )
        if kind == "bot":
            entrant._spec()
            if ":" not in target:
                bot_info(target)
        check_weights(game, weights)
    except ValueError as error:
        raise BadTournament(f"{field}.{error}") from error
    return entrant


def _table(value: object, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise not_allowed(field, value, "a table")
    return value
