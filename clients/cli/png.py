"""SVG pictures as PNG, by resvg: one self-contained library, which comes with the extra `png`.

It writes with the fonts of the machine, and where there are none it leaves all words out without a word; so that is
asked first.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pythia.core_cy.errors import BadOption
from pythia.core_cy.svg import FONTS

if TYPE_CHECKING:
    from collections.abc import Callable

MIN_WIDTH, MAX_WIDTH = 16, 10_000


class NoPng(Exception):
    """PNG cannot be made on this machine; the message says what is missing."""


def png_of(svg: str, width: int | None = None) -> bytes:
    """The picture as a PNG file, in its own size or with the given width in pixels."""
    if width is not None and not (isinstance(width, int) and MIN_WIDTH <= width <= MAX_WIDTH):
        raise BadOption("width", width, f"a whole number from {MIN_WIDTH} to {MAX_WIDTH}")
    if not _has_fonts():
        raise NoPng(
            "png: no font was found; install one, such as the package fonts-dejavu-core, or write SVG"
        )
    return _painter()(svg_string=svg, width=width)


def _painter() -> Callable[..., bytes]:
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise NoPng("png: resvg is not installed; run `pip install 'pythia-opponent[png]'`") from error
    painter: Callable[..., bytes] = svg_to_bytes
    return painter


@cache
def _has_fonts() -> bool:
    """Whether a word leaves a trace."""
    empty = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
    word = f'<text x="2" y="15" font-size="14" font-family="{FONTS}">Rφ</text>'
    paint = _painter()
    return paint(svg_string=empty.format(word)) != paint(svg_string=empty.format(""))
