"""What a game must provide, in one place; `game_info` checks it at first use and names what is missing.

rules           who acts, legal moves, chance, what is hidden, evaluation: the C table `GameOps` in game.pxd, which
                `Game.ready` checks
notation        move text, JSON of positions and observations: methods of the game's class, see `METHODS`
description     names, player counts, options, facts for people, what is hidden and what the seed deals: `INFO`
modules         the position as text and as a picture, moves and views as numbers: see `PARTS`; moves in words: see
                `OPTIONAL_PARTS`; not for MICRO_GAMES
words           what things are, for people, in every language: `descriptions.LANGUAGE.json`; not for MICRO_GAMES
wire messages   a field with the game's name in each oneof of `position.proto`; the tests of the service check it
"""

from __future__ import annotations

import importlib
import importlib.resources
import importlib.util
from typing import TYPE_CHECKING, Any

from pythia.core_cy.game import Game

if TYPE_CHECKING:
    from pythia.core_cy.registry import GameInfo

# Most that `Game`'s tables have room for (MAX_PLAYERS in game.pxd).
MAX_PLAYERS = 5

# What the class of a game has to define, and what each does.
METHODS = {
    "state_to_json": "the full position as JSON",
    "observation_of": "what a seat or a spectator sees, as JSON",
    "state_from_json": "a position from JSON",
    "state_from_observation": "a position that looks like an observation",
    "render": "the position as text, for str(state)",
}
# What it may also define; otherwise the defaults of `Game` apply.
OPTIONAL_METHODS = {
    "why_illegal": "the rule that a move breaks",
    "why_good": "what a move is good for",
    "move_fields": "the parts of a move by name",
    "reveals_of": "what a move showed, as text",
    "search_params": "parameters of the search that suit the game",
    "weights": "the weights of its evaluation",
    "features": "what its evaluation sees",
}
# Names of the past, so that a game which still uses one is not silently without it.
RENAMED = {"reasons": "why_good(before, after, seat, move), with a Move", "load_weights": "with_weights"}

# The modules of a game that is offered to players: what each holds, and what for.
PARTS = {
    "render": ("render", "the position as text"),
    "svg": ("draw", "the position as a picture"),
    "encoding": ("Encoding", "moves and observations as numbers"),
}
# Optional modules; each has a default.
OPTIONAL_PARTS = {
    "words": (
        "phrases",
        "moves in words with the pieces they use; else their text (pythia.core_cy.move_words)",
    ),
    "news": (
        "news",
        "what came of a move, beyond its own words; else nothing (pythia.core_cy.move_words)",
    ),
    "screen": (
        "screen",
        "the position in parts for windows of any size; else its text (pythia.core_cy.panels)",
    ),
}


class IncompleteGame(TypeError):
    """A game that does not provide everything in the contract; the message names the game and all that is missing."""


def check(name: str, package: str, info: GameInfo, offered: bool) -> None:
    """Raise IncompleteGame unless the game provides everything."""
    missing = [*_missing_facts(name, info), *_missing_methods(info.factory)]
    if offered:
        missing += [
            f"{part}.py with {attribute} ({use})"
            for part, (attribute, use) in PARTS.items()
            if importlib.util.find_spec(f"{package}.{part}") is None
        ]
        missing += _missing_files(package)
    if missing:
        raise IncompleteGame(f"{package}: the game {name!r} lacks {'; '.join(missing)}")


def _missing_facts(name: str, info: GameInfo) -> list[str]:
    missing = []
    if info.name != name:
        missing.append(f"its registered name in INFO, which has {info.name!r}")
    if not info.title:
        missing.append("a title")
    if not 1 < info.min_players <= info.max_players <= MAX_PLAYERS:
        missing.append(f"player counts from 2 to {MAX_PLAYERS}, not {info.min_players} to {info.max_players}")
    options = {option.name: option for option in info.options}
    missing += [f"the option {option!r}" for option in ("players", "seed") if option not in options]
    players = options.get("players")
    if players is not None and (players.low, players.high) != (info.min_players, info.max_players):
        missing.append(f"its player counts in the option 'players', which allows {players.allowed}")
    return missing


def _missing_methods(factory: Any) -> list[str]:
    missing = [
        f"the method {method} ({use})"
        for method, use in METHODS.items()
        if getattr(factory, method, None) is None or getattr(factory, method) is getattr(Game, method, None)
    ]
    missing += [
        f"the method {new}, as {old} is called now" for old, new in RENAMED.items() if hasattr(factory, old)
    ]
    return missing


def _missing_files(package: str) -> list[str]:
    """Words for people, in every language (docs/adding-a-game.md)."""
    from pythia.core_cy.descriptions import LANGUAGES

    folder = importlib.resources.files(package)
    wanted = {"descriptions": "what things are, for people"}
    if importlib.util.find_spec(f"{package}.words") is not None:
        wanted["moves"] = "the words of words.py"
    return [
        f"{kind}.{language}.json ({use})"
        for kind, use in wanted.items()
        for language in LANGUAGES
        if not (folder / f"{kind}.{language}.json").is_file()
    ]


def part_of(package: str, part: str) -> Any:
    """What a module of a game holds: its function to render, its encoding and so on."""
    attribute, use = (PARTS | OPTIONAL_PARTS)[part]
    module = importlib.import_module(f"{package}.{part}")
    if not hasattr(module, attribute):
        raise IncompleteGame(f"{package}.{part} lacks {attribute} ({use})")
    return getattr(module, attribute)
