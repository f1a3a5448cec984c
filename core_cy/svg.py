"""SVG as text: what the pictures of all games are made of.

Whatever a picture says comes in through `text`, `titled` or an attribute, where it is escaped. There are no style
sheets and no ids, so that several pictures can stand in one page; fonts are asked for by name, and nothing is loaded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NewType
from xml.sax.saxutils import escape, quoteattr

# Markup. Words become markup by `text` and `titled` only, so that a type checker finds what is not escaped.
Svg = NewType("Svg", str)
Point = tuple[float, float]
Attribute = str | float | None

FONTS = "DejaVu Sans, Verdana, Noto Sans, Liberation Sans, Helvetica, Arial, sans-serif"
# Characters that XML does not allow in any form.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

PAGE = "#efe7d3"
PAPER = "#fbf7ec"
PAPER_EDGE = "#cdbf9f"
INK = "#2b2a33"
FADED = "#6d675c"
OUTLINE = "#332d22"
MARK = "#ff6a00"

MARGIN = 14.0
HEADING = 32.0
REMARK = 16.0
GAP = 12.0
TEXT_SIZE = 11.0
SMALL_TEXT = 10.0


@dataclass(frozen=True)
class Look:
    """What a caller wishes besides the position."""

    move: Mapping[str, Any]  # the parts of a move to mark, as `move_fields` gives them; empty for none
    names: Sequence[str] = ()  # of the players, by seat
    coordinates: bool = True  # places with their names, as moves have them

    def name_of(self, seat: int) -> str:
        return self.names[seat] if seat < len(self.names) and self.names[seat] else f"Seat {seat}"


# -- elements


def number(value: float) -> str:
    """At most two digits after the point, and none that say nothing."""
    digits = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def tag(name: str, *children: Svg, **attributes: Attribute) -> Svg:
    """An element. `data_q` stands for `data-q`, `class_` for `class`; attributes that are None are left out."""
    words = [name, *(_attribute(key, value) for key, value in attributes.items() if value is not None)]
    inside = "".join(children)
    return Svg(f"<{' '.join(words)}>{inside}</{name}>" if inside else f"<{' '.join(words)}/>")


@lru_cache(8192)
def _attribute(key: str, value: str | float) -> str:
    plain = _allowed(value) if isinstance(value, str) else number(value)
    return f"{key.rstrip('_').replace('_', '-')}={quoteattr(plain)}"


def group(*children: Svg, **attributes: Attribute) -> Svg:
    return tag("g", *children, **attributes)


def moved(x: float, y: float, *children: Svg, scale: float = 1, **attributes: Attribute) -> Svg:
    """A group drawn around (x, y) instead of (0, 0)."""
    transform = f"translate({number(x)} {number(y)})"
    if scale != 1:
        transform += f" scale({number(scale)})"
    return tag("g", *children, transform=transform, **attributes)


def titled(words: str) -> Svg:
    """What a browser says of the element around it."""
    return Svg(f"<title>{escape(_allowed(spoken(words)))}</title>")


def rect(x: float, y: float, width: float, height: float, **attributes: Attribute) -> Svg:
    return tag("rect", x=x, y=y, width=width, height=height, **attributes)


def box(width: float, height: float, **attributes: Attribute) -> Svg:
    """A rectangle around (0, 0)."""
    return rect(-width / 2, -height / 2, width, height, **attributes)


def circle(x: float, y: float, radius: float, **attributes: Attribute) -> Svg:
    return tag("circle", cx=x, cy=y, r=radius, **attributes)


def path(steps: str, **attributes: Attribute) -> Svg:
    return tag("path", d=steps, **attributes)


def polygon(points: Iterable[Point], **attributes: Attribute) -> Svg:
    return tag("polygon", points=_places(points), **attributes)


def polyline(points: Iterable[Point], **attributes: Attribute) -> Svg:
    return tag("polyline", points=_places(points), **attributes)


def _places(points: Iterable[Point]) -> str:
    return " ".join(f"{number(round(x, 1))},{number(round(y, 1))}" for x, y in points)


# -- words


# While a picture is drawn in another language: what English words are in it.
_language: ContextVar[Callable[[str], str] | None] = ContextVar("language", default=None)


@contextmanager
def speaking(words: Callable[[str], str] | None) -> Iterator[None]:
    """Pictures are drawn in this language; None for English."""
    before = _language.set(words)
    try:
        yield
    finally:
        _language.reset(before)


def spoken(words: str) -> str:
    """Words in the language of the picture."""
    language = _language.get()
    return language(words) if language else words


def text(
    x: float,
    y: float,
    words: str,
    size: float = TEXT_SIZE,
    *,
    anchor: str = "start",
    width: float | None = None,
    fill: str = INK,
    bold: bool = False,
    **attributes: Attribute,
) -> Svg:
    """Words with their middle at height `y`; squeezed where they would be wider than `width`."""
    words = spoken(words)
    squeezed = width is not None and text_width(words, size, bold) > width
    return tag(
        "text",
        Svg(escape(_allowed(words))),
        x=x,
        y=y + 0.36 * size,
        font_size=size,
        fill=fill,
        font_weight="bold" if bold else None,
        text_anchor=None if anchor == "start" else anchor,
        textLength=width if squeezed else None,
        lengthAdjust="spacingAndGlyphs" if squeezed else None,
        **attributes,
    )


def sign(x: float, y: float, words: str, size: float, fill: str = INK) -> Svg:
    """A letter or number on a piece: bold, in the middle."""
    return text(x, y, words, size, anchor="middle", fill=fill, bold=True)


def label(x: float, y: float, words: str) -> Svg:
    """A small heading within a panel."""
    return text(x, y, words, 9, fill=FADED)


def text_width(words: str, size: float = TEXT_SIZE, bold: bool = False) -> float:
    """About how wide words are in the widest of the fonts asked for; others leave a little room."""
    words = spoken(words)
    wide = sum(0.34 if letter in " .,:;·|'!il()[]" else 0.62 if letter.islower() else 0.7 for letter in words)
    return wide * size * (1.1 if bold else 1)


def wrapped(words: str, width: float, size: float = TEXT_SIZE) -> list[str]:
    """Lines that are no wider than `width`, unless a word alone is."""
    lines: list[str] = []
    for word in spoken(words).split():
        longer = f"{lines[-1]} {word}" if lines else ""
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _allowed(words: str) -> str:
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", words)


# -- what games share


def piece(
    x: float,
    y: float,
    kind: str,
    told: str,
    *shapes: Svg,
    scale: float = 1,
    opacity: float | None = None,
    mark: Point | None = None,
    **data: Attribute,
) -> Svg:
    """Shapes around (x, y) that a reader can find by class and data and that say what they are.

    `mark`: the size of the frame that shows that the move uses it. Among the data, `key` is what moves call the piece
    (`MovePart.key`), once in a picture and the same from picture to picture; `about` is the entry of the game's
    descriptions that explains it.
    """
    frame = [_frame(*mark)] if mark else []
    attributes = {f"data_{key}": value for key, value in data.items()}
    return moved(x, y, titled(told), *frame, *shapes, scale=scale, class_=kind, opacity=opacity, **attributes)


def together(key: str, about: str | None, shapes: Iterable[Svg]) -> Svg:
    """Equal pieces of which a move uses any: one key for all of them."""
    return group(*shapes, data_key=key, data_about=about)


def numbered(keys: Iterable[str]) -> list[str]:
    """Keys of which some would be equal: the second of them ends with `:2`, and so on."""
    seen: dict[str, int] = {}
    found = []
    for key in keys:
        seen[key] = seen.get(key, 0) + 1
        found.append(key if seen[key] == 1 else f"{key}:{seen[key]}")
    return found


def _frame(width: float, height: float) -> Svg:
    frames = [
        box(width + 6, height + 6, rx=6, fill="none", stroke=stroke, stroke_width=broad)
        for stroke, broad in (("#fff", 5), (MARK, 3))
    ]
    return group(*frames, class_="mark")


def outlined(shape: Callable[..., Svg], **attributes: Attribute) -> Svg:
    """A closed shape in the color of marks with a light edge, so that it shows on anything."""
    return group(
        shape(fill="none", stroke="#fff", stroke_width=8, stroke_linejoin="round"),
        shape(fill="none", stroke=MARK, stroke_width=4.5, stroke_linejoin="round"),
        class_="mark",
        **attributes,
    )


def arrow(start: Point, end: Point) -> Svg:
    """The way of something that the move to show moves; it begins beside it."""
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1)
    if not length:
        return Svg("")
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    head, half, beside = 16.0, 9.0, 20.0
    start = (x1 + ux * beside, y1 + uy * beside)
    neck = (x2 - ux * head, y2 - uy * head)
    tip = [end, (neck[0] - uy * half, neck[1] + ux * half), (neck[0] + uy * half, neck[1] - ux * half)]
    return group(
        polyline([start, neck], stroke="#fff", stroke_width=9, stroke_linecap="round"),
        polygon(tip, fill="#fff", stroke="#fff", stroke_width=5, stroke_linejoin="round"),
        polyline([start, neck], stroke=MARK, stroke_width=5, stroke_linecap="round"),
        polygon(tip, fill=MARK),
        class_="mark way",
    )


def eye(fill: str) -> Svg:
    """Somebody has seen what is hidden from others, 14 wide."""
    return group(
        path("M-7 0 Q0 -6.5 7 0 Q0 6.5 -7 0 Z", fill="#fff", stroke=OUTLINE, stroke_width=0.8),
        circle(0, 0, 2.7, fill=fill, stroke=OUTLINE, stroke_width=0.5),
    )


# -- the page


@dataclass(frozen=True)
class Block:
    """A part of the page that can be put anywhere."""

    width: float
    height: float
    placed: Callable[[float, float], Svg]


def panel(kind: str, width: float, height: float, *children: Svg) -> Block:
    """A sheet of paper with its own (0, 0)."""
    sheet = rect(0, 0, width, height, rx=10, fill=PAPER, stroke=PAPER_EDGE)
    return Block(width, height, lambda x, y: moved(x, y, sheet, *children, class_=kind))


@dataclass(frozen=True)
class Nameplate:
    """Who a player is: the bar above the player's area."""

    seat: int
    name: str
    remark: str
    badges: Sequence[str]
    fill: str
    ink: str

    def drawn(self, width: float) -> list[Svg]:
        bar = f"M0 10 a10 10 0 0 1 10 -10 H{number(width - 10)} a10 10 0 0 1 10 10 V30 H0 Z"
        shown = [path(bar, fill=self.fill, stroke=PAPER_EDGE)]
        right = width - 12.0
        for badge in reversed(self.badges):
            wide = text_width(badge, SMALL_TEXT, bold=True) + 14
            right -= wide
            plate = rect(right, 7, wide, 17, rx=8.5, fill="#fff", stroke=PAPER_EDGE)
            shown.append(group(plate, sign(right + wide / 2, 15.5, badge, SMALL_TEXT), class_="badge"))
            right -= 6
        name_width = min(text_width(self.name, 14, bold=True), (right - 24) * 0.6)
        shown.append(text(12, 15.5, self.name, 14, fill=self.ink, bold=True, width=name_width, class_="name"))
        if self.remark:
            rest = right - 24 - name_width
            shown.append(text(22 + name_width, 15.5, self.remark, fill=self.ink, width=rest))
        return shown


def player_panel(plate: Nameplate, width: float, height: float, scale: float, *children: Svg) -> Block:
    """A player's area."""
    sheet = rect(0, 0, width, height, rx=10, fill=PAPER, stroke=PAPER_EDGE)
    inside = [sheet, *plate.drawn(width), *children]
    return Block(
        scale * width,
        scale * height,
        lambda x, y: moved(x, y, *inside, scale=scale, class_="player", data_seat=plate.seat),
    )


def legend(width: float, signs: Iterable[tuple[Svg, str]], notes: Iterable[str]) -> Block:
    """What signs mean, each no larger than 30, and what else there is to say."""
    drawn = []
    x, y = 28.0, 24.0
    for shape, words in signs:
        step = text_width(words, SMALL_TEXT) + 40
        if x + step > width:
            x, y = 28.0, y + 32
        drawn += [moved(x, y, shape), text(x + 18, y, words, SMALL_TEXT, fill=FADED)]
        x += step
    y += 12
    for note in notes:
        y += 16
        drawn.append(text(14, y, note, SMALL_TEXT, fill=FADED, width=width - 28))
    return panel("legend", width, y + 14, *drawn)


def page(
    game: str,
    heading: str,
    remark: str,
    left: Sequence[Block],
    right: Sequence[Block],
    explained: Callable[[float], Block],
) -> str:
    """The whole picture in two columns, with a background of its own: it can stand on white and on dark pages."""
    columns = [list(left), list(right)]
    # The legend goes where there is room.
    shorter = min(columns, key=_height)
    shorter.append(explained(shorter[0].width))
    top = HEADING + (REMARK if remark else 0)
    x, placed = MARGIN, []
    for column in columns:
        y = top
        for block in column:
            placed.append(block.placed(x, y))
            y += block.height + GAP
        x += column[0].width + GAP
    width, height = x - GAP + MARGIN, top + max(map(_height, columns)) + MARGIN
    room = width - 2 * MARGIN - 8
    document = tag(
        "svg",
        titled(heading),
        rect(0, 0, width, height, rx=12, fill=PAGE, class_="background"),
        text(MARGIN + 4, 17, heading, 15, bold=True, width=room, class_="heading"),
        *([text(MARGIN + 4, 36, remark, fill=FADED, width=room, class_="remark")] if remark else []),
        *placed,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        font_family=FONTS,
        role="img",
        class_=f"pythia {game}",
    )
    return document + "\n"


def _height(column: Sequence[Block]) -> float:
    return sum(block.height + GAP for block in column) - GAP
