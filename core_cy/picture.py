"""Positions for the eye: as text and as SVG, of any game, full states and what one seat sees alike.

A game brings `render.py` with `render(position) -> str` and `svg.py` with `draw(position, look) -> str`, beside its
`INFO`. They get every field of the JSON and nothing else, so a picture of an observation cannot show more than the seat
sees.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from pythia.core_cy.errors import BadPosition
from pythia.core_cy.game import SPECTATOR, State
from pythia.core_cy.registry import GAMES, game_of, load_game, state_from_json, state_from_observation
from pythia.core_cy.svg import Look

Json = dict[str, Any]


def svg_of(
    position: Mapping[str, Any],
    *,
    move: str | None = None,
    names: Sequence[str] = (),
    coordinates: bool = True,
) -> str:
    """The position as an SVG document, with a move marked in it if one is given.

    `names` are those of the players by seat; without `coordinates` places have their names only in tooltips.
    """
    part = _part_of(position, "svg")
    written, state = _written(position)
    fields: Mapping[str, Any] = {}
    if move is not None:
        if state is None:
            raise BadPosition("observer", "a move cannot be marked in what a spectator sees")
        fields = state.game.move_fields(state.read_move(move))
    picture: str = part.draw(written, Look(fields, tuple(names), coordinates))
    return picture


def text_of(position: Mapping[str, Any]) -> str:
    """The position as text for a terminal."""
    text: str = _part_of(position, "render").render(_written(position)[0])
    return text


def viewpoint(position: Mapping[str, Any]) -> str:
    """For a heading: through whose eyes; nothing for a full state."""
    observer = position.get("observer")
    if observer is None:
        return ""
    return " · as a spectator sees it" if observer == SPECTATOR else f" · as seat {observer} sees it"


def _part_of(position: Mapping[str, Any], part: str) -> ModuleType:
    """The game's own module for this."""
    game = game_of(position).name
    if game not in GAMES:
        raise BadPosition("game", f"{game!r} has no pictures; games that have: {', '.join(GAMES)}")
    return importlib.import_module(f"{GAMES[game]}.{part}")


def _written(position: Mapping[str, Any]) -> tuple[Json, State | None]:
    """The position checked and with every field, and a state that looks like it; none for a spectator."""
    if "observer" not in position:
        state = state_from_json(position)
        return state.to_json(), state
    if position["observer"] != SPECTATOR:
        state = state_from_observation(position, seed=0)
        return state.observation(position["observer"]), state
    players = position.get("players")
    if not isinstance(players, list):
        raise BadPosition("players", f"{players!r} is not allowed; allowed: a list")
    info = game_of(position)
    if not info.min_players <= len(players) <= info.max_players:
        raise BadPosition("players", f"{len(players)} play; allowed: {info.min_players} to {info.max_players}")
    start = load_game(info.name, players=len(players), seed=0).new_state()
    return _filled(position, start.observation(SPECTATOR), ""), None


def _filled(value: Any, like: Any, path: str) -> Any:
    """What a spectator sees, which no game reads: of the types that it has at the start, absent parts as defaults."""
    if not isinstance(value, type(like)):
        raise BadPosition(path, f"{value!r} is not allowed; allowed: a {type(like).__name__}")
    if isinstance(like, dict):
        # An object that is absent says something by that, such as that nothing is open.
        parts = {key: part for key, part in like.items() if key in value or not isinstance(part, dict)}
        filled = {
            key: _filled(value.get(key, type(part)()), part, f"{path}.{key}".lstrip("."))
            for key, part in parts.items()
        }
        return filled | {key: part for key, part in value.items() if key not in filled}
    if isinstance(like, list) and like:
        return [_filled(item, like[0], f"{path}[{place}]") for place, item in enumerate(value)]
    return value
