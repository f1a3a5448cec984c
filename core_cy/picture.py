"""Positions for the eye: as text and as SVG, of any game, full states and what one seat sees alike.

A game brings `render.py` with `render(position) -> str` and `svg.py` with `draw(position, look) -> str`, beside its
`INFO`. They get every field of the JSON and nothing else, so a picture of an observation cannot show more than the seat
sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pythia.core_cy.descriptions import LANGUAGES
from pythia.core_cy.errors import BadOption, BadPosition, IllegalMove
from pythia.core_cy.game import CHANCE, SPECTATOR, Move, State
from pythia.core_cy.panels import Screen, plain
from pythia.core_cy.picture_words import words_in
from pythia.core_cy.registry import (
    game_info,
    game_of,
    game_part,
    has_part,
    state_from_json,
    state_from_observation,
)
from pythia.core_cy.svg import Look, speaking

Json = dict[str, Any]


def svg_of(
    position: Mapping[str, Any],
    *,
    move: str | None = None,
    names: Sequence[str] = (),
    coordinates: bool = True,
    language: str = "en",
) -> str:
    """The position as an SVG document, with a move marked in it if one is given.

    `names` are those of the players by seat; without `coordinates` places have their names only in tooltips.
    """
    if language not in LANGUAGES:
        raise BadOption("language", language, ", ".join(LANGUAGES))
    draw = _part_of(position, "svg")
    written, state = _written(position)
    fields: Mapping[str, Any] = {}
    if move is not None:
        if position.get("observer") == SPECTATOR:
            raise BadPosition("observer", "a move cannot be marked in what a spectator sees")
        fields = state.game.move_fields(_marked(state, move, position.get("observer")))
    words = words_in(state.game.name, language) if language != "en" else None
    try:
        with speaking(words):
            picture: str = draw(written, Look(fields, tuple(names), coordinates))
    except (LookupError, StopIteration, ValueError):
        if move is None or _is_known(state, position.get("observer")):
            raise
        # It was only read, and speaks of what is not there.
        raise IllegalMove(f"{move!r}: not possible in this position") from None
    return picture


def text_of(position: Mapping[str, Any]) -> str:
    """The position as text for a terminal."""
    text: str = _part_of(position, "render")(_written(position)[0])
    return text


def screen_of(position: Mapping[str, Any]) -> Screen:
    """The position in parts, for a window of any size."""
    written, state = _written(position)
    if has_part(state.game.name, "screen"):
        screen: Screen = game_part(state.game.name, "screen")(written)
        return screen
    lines = text_of(position).splitlines()
    return Screen(heading=lines[:1], boards=([plain(line) for line in lines[1:]],))


def viewpoint(position: Mapping[str, Any]) -> str:
    """For a heading: through whose eyes; nothing for a full state."""
    observer = position.get("observer")
    if observer is None:
        return ""
    return " · as a spectator sees it" if observer == SPECTATOR else f" · as seat {observer} sees it"


def _part_of(position: Mapping[str, Any], part: str) -> Callable[..., str]:
    """The game's own function for this."""
    game = game_of(position).name
    try:
        found: Callable[..., str] = game_part(game, part)
    except BadOption as error:
        raise BadPosition("game", f"{game!r} has no pictures; games with pictures: {error.allowed}") from None
    return found


def _marked(state: State, text: str, observer: int | None) -> Move:
    """The move, which must be legal as far as the observer can tell."""
    if _is_known(state, observer):
        return state.parse_move(text)
    # What another seat holds, or what is left to draw, is hidden: it could be any that can be read.
    return state.read_move(text)


def _is_known(state: State, observer: int | None) -> bool:
    """Whether the observer can tell which moves or outcomes are legal."""
    game = state.game
    open_to_all = game_info(game.name).open_chance if state.to_act == CHANCE else game.public_moves
    return observer in (None, state.to_act) or state.is_over or open_to_all


def _written(position: Mapping[str, Any]) -> tuple[Json, State]:
    """The position checked and with every field, and a state that looks like it."""
    if "observer" not in position:
        state = state_from_json(position)
        return state.to_json(), state
    state = state_from_observation(position, seed=0, spectators=True)
    return state.observation(position["observer"]), state
