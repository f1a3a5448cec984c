"""`pythia show`: a position as text, SVG or PNG."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pythia.clients.cli.console import (
    ANYONE,
    Access,
    AsJson,
    At,
    CommandError,
    OnlyGame,
    Seat,
    Where,
    position_text,
    read_position,
    write_out,
)


def show(
    where: Where,
    /,
    *,
    svg: Annotated[
        Path | None,
        Parameter(
            allow_leading_hyphen=True, help="Write a picture to this file (SVG); - for standard output."
        ),
    ] = None,
    png: Annotated[
        Path | None,
        Parameter(
            allow_leading_hyphen=True, help="Write a picture to this file (PNG); - for standard output."
        ),
    ] = None,
    width: Annotated[int | None, Parameter(help="Width of the PNG in pixels.")] = None,
    move: Annotated[str | None, Parameter(help="Mark this move in the picture.")] = None,
    seat: Seat = None,
    at: At = None,
    game: OnlyGame = None,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Show a position as text, SVG or PNG.

    For example:

        pythia show start.json
        pythia show game.jsonl --at 120 --svg board.svg
        pythia new --moves 30 | pythia show - --seat 1 --png board.png --width 1600
        pythia show game.jsonl --at 120 --seat 0 --json > seen.json
    """
    from pythia.core_cy.picture import svg_of, text_of

    position = read_position(where, at=at, game=game, seat=seat, access=access)
    shown = position.json if seat is None else position.seen_by(seat)
    if width is not None and png is None:
        raise CommandError("width: only for --png; an SVG scales to any size")
    if svg is not None or png is not None:
        picture = svg_of(shown, move=move)
        if svg is not None:
            write_out(picture, svg, "svg")
        if png is not None:
            from pythia.clients.cli.png import png_of

            write_out(png_of(picture, width=width), png, "png")
    elif move is not None:
        raise CommandError("move: can be marked only in a picture; give --svg or --png")
    elif as_json:
        sys.stdout.write(position_text(shown))
    else:
        sys.stdout.write(text_of(shown))
