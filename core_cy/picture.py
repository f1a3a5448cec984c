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
from pythia.core_cy.game import CHANCE, SPECTATOR, Move, State
from pythia.core_cy.registry import GAMES, game_info, game_of, state_from_json, state_from_observation
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
        if position.get("observer") == SPECTATOR:
            raise BadPosition("observer", "a move cannot be marked in what a spectator sees")
        fields = state.game.move_fields(_marked(state, move, position.get("observer")))
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


def _marked(state: State, text: str, observer: int | None) -> Move:
    """The move, which must be legal as far as the observer can tell."""
    game = state.game
    open_to_all = game_info(game.name).open_chance if state.to_act == CHANCE else game.public_moves
    if observer in (None, state.to_act) or state.is_over or open_to_all:
        return state.parse_move(text)
    # What another seat holds, or what is left to draw, is hidden: it could be any that can be read.
    return state.read_move(text)


def _written(position: Mapping[str, Any]) -> tuple[Json, State]:
    """The position checked and with every field, and a state that looks like it."""
    if "observer" not in position:
        state = state_from_json(position)
        return state.to_json(), state
    state = state_from_observation(position, seed=0, spectators=True)
    return state.observation(position["observer"]), state
