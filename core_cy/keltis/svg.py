"""A position as an SVG picture: the spiral path, every player's cards, and the piles.

It is drawn from the JSON alone, so what one seat sees can be drawn as well: the hands of others show their backs.
Pieces have classes and data by which front-ends find them, such as `.space[data-space]` and `.figure[data-seat]`. Those
that moves and descriptions speak of have `data-key` and `data-about`; docs/keltis.md lists them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from pythia.core_cy.keltis import components, icons
from pythia.core_cy.keltis.components import BIG_STONES, LAST_SPACE
from pythia.core_cy.keltis.icons import CREAM, FILL, ink_on, letter
from pythia.core_cy.keltis.render import heading
from pythia.core_cy.svg import (
    FADED,
    OUTLINE,
    SMALL_TEXT,
    Block,
    Look,
    Nameplate,
    Point,
    Svg,
    arrow,
    box,
    circle,
    eye,
    label,
    legend,
    moved,
    outlined,
    page,
    panel,
    path,
    piece,
    player_panel,
    polyline,
    rect,
    sign,
    text,
    text_width,
    together,
)

Json = dict[str, Any]
Marks = set[tuple[str, str]]  # what the move to show uses beside the board: class and name

# The board: the radii of stones, where the spiral begins, and how much nearer each turn is to the middle.
SMALL, BIG, START = 36.0, 44.0, 52.0
OUTER, PITCH, FIRST_TURN = 342.0, 128.0, 0.72 * math.pi
EDGE = START + 18
BOARD_SCALE = 1.2
MEADOW, TRACK, GOAL_TRACK = "#26483b", "#3a6351", "#8a6a2a"
# How large figures are, by the number of them on a space.
CROWDS = ((3, 1.0), (6, 0.85), (9, 0.72), (12, 0.62))
PER_ROW = 3

# A player's area. The fewer players there are, the larger it is.
WIDTH, HEIGHT = 470.0, 330.0
SCALES = {2: 1.3, 3: 1.0, 4: 0.86}
HOLDINGS, ROWS, HAND = 42.0, 86.0, 250.0
ROW_STEP, HAND_STEP, HAND_CARD = 29.0, 54.0, 40.0
PILE_CARD = 36.0


def draw(position: Json, look: Look) -> str:
    """The whole picture."""
    board = _board(position, look)
    areas = [_player_area(position, look, seat) for seat in range(len(position["players"]))]
    return page("keltis", heading(position), "", [board, _piles(position, look, board.width)], areas, _legend)


# -- the path


def _radius(space: int) -> float:
    return START if space == 0 else BIG if space in BIG_STONES else SMALL


def _on_spiral(turn: float) -> Point:
    """A place, seen from the middle of the spiral."""
    length = OUTER - PITCH * (turn - FIRST_TURN) / (2 * math.pi)
    return length * math.cos(turn), length * math.sin(turn)


def _turns() -> list[float]:
    """Where on the spiral every stone lies: each so far on that it just does not touch the last."""
    turns = [FIRST_TURN]
    for space in range(1, LAST_SPACE + 1):
        last, turn = _on_spiral(turns[-1]), turns[-1]
        while math.dist(_on_spiral(turn), last) < _radius(space) + _radius(space - 1) + 4:
            turn += 0.002
        turns.append(turn)
    return turns


TURNS = _turns()
PLACES = [_on_spiral(turn) for turn in TURNS]


def _outwards(space: int) -> Point:
    """The direction away from the middle of the spiral."""
    x, y = PLACES[space]
    length = math.hypot(x, y)
    return x / length, y / length


def _board(position: Json, look: Look) -> Block:
    tiles = {tile["space"]: tile for tile in position["path"]}
    stones = {there["space"]: there["stones"] for there in position["wish_stones"]}
    left, top = (min(place[axis] for place in PLACES) - EDGE for axis in (0, 1))
    right, bottom = (max(place[axis] for place in PLACES) + EDGE for axis in (0, 1))
    spaces = range(LAST_SPACE + 1)
    drawn = [
        rect(left, top, right - left, bottom - top, rx=9, fill=MEADOW),
        _track(0, TRACK),
        _track(components.GOAL, GOAL_TRACK),
        *(_space(space, tiles.get(space), stones.get(space, 0), look) for space in spaces),
        *(standing for space in spaces for standing in _standing(position, look, space)),
        *_way_marks(position, look),
    ]
    k = BOARD_SCALE
    return Block(
        k * (right - left),
        k * (bottom - top),
        lambda x, y: moved(x - k * left, y - k * top, *drawn, scale=k, class_="board"),
    )


def _track(first: int, stroke: str) -> Svg:
    """The ground under the path, from a space to the end."""
    start, end = TURNS[first], TURNS[-1]
    steps = math.ceil((end - start) / 0.12)
    way = [_on_spiral(start + (end - start) * step / steps) for step in range(steps + 1)]
    return polyline(way, fill="none", stroke=stroke, stroke_width=92, stroke_linecap="round")


def _space(space: int, tile: Json | None, stones: int, look: Look) -> Svg:
    """A stone: outwards its tile or wish stones, at the sides its color and number, inwards what it is worth."""
    out_x, out_y = _outwards(space)

    def place(out: float, aside: float = 0) -> Point:
        return out * out_x - aside * out_y, out * out_y + aside * out_x

    color, radius, worth = components.space_color(space), _radius(space), components.end_value(space)
    kind = "start" if not color else "big" if space in BIG_STONES else "small"
    told = [f"space {space}", f"{color} {kind} stone".strip()]
    shapes = [
        circle(0, 0, radius, fill=FILL.get(color, "#b9b2a2"), stroke=OUTLINE, stroke_width=1.2),
        circle(0, 0, radius - 4, fill="none", stroke="#fff", stroke_opacity=0.35, stroke_width=1.5),
    ]
    if color:
        told.append(f"{worth} points for a figure at the end")
        shapes.append(text(*place(-radius - 10), _signed(worth), anchor="middle", fill=CREAM))
        shapes.append(sign(*place(6, 11 - radius), letter(color), 12, ink_on(color)))
        if look.coordinates:
            x, y = place(6, radius - 11)
            shapes.append(
                text(x, y, str(space), 10, anchor="middle", fill=ink_on(color), class_="coordinates")
            )
    else:
        shapes.append(sign(0, 14 - radius, "START", 10))
    if tile:
        told.append(_tile_name(tile))
        about = f"tile:{tile['tile']}"
        shapes.append(moved(*place(radius - 9), _tile(tile), class_=f"tile {tile['tile']}", data_about=about))
    if stones:
        told.append(f"wish stones: {stones}")
        asides = [9.5 * (2 * along - stones + 1) for along in range(stones)]
        about = "tile:wish_stone"
        shapes += [
            moved(*place(radius - 10, aside), icons.gem(), class_="wish-stone", data_about=about)
            for aside in asides
        ]
    return piece(
        *PLACES[space],
        f"space {kind}",
        ", ".join(told),
        *shapes,
        space=space,
        color=color or None,
        key=f"space:{space}",
        about=f"space:{kind}" + "_stone" * (kind != "start"),
    )


def _tile(tile: Json) -> Svg:
    return icons.tile(tile["tile"], tile.get("color", ""), tile.get("value", 0), tile.get("taken", False))


def _tile_name(tile: Json) -> str:
    more = {"points": f": {tile.get('value')}", "clover": f": {tile.get('color')}"}.get(tile["tile"], "")
    return f"{tile['tile']}{more}{', taken' if tile.get('taken') else ''}"


def _standing(position: Json, look: Look, space: int) -> list[Svg]:
    """The figures on a space in rows, those behind first, with the priestess at their left."""
    players = enumerate(position["players"])
    seats = [seat for seat, player in players for _ in range(player["figures"].count(space))]
    rows = [seats[i : i + PER_ROW] for i in range(0, len(seats), PER_ROW)]
    scale = next(scale for most, scale in CROWDS if len(seats) <= most)
    step_x, step_y = 17 * scale, 25 * scale
    (x, y), (out_x, out_y) = PLACES[space], _outwards(space)
    # Not on the tile, which lies outwards; the label of the start stone stands above.
    x, y = (x - 5 * out_x, y - 5 * out_y + 2) if space else (x, y + 8)
    drawn = []
    figures: dict[int, list[Svg]] = {}
    if position["priestess"] == space:
        left = step_x * len(rows[0]) / 2 + 8 if rows else 0
        x += left / 3
        drawn.append(
            piece(
                x - left,
                y,
                "priestess",
                f"priestess on space {space}",
                icons.priestess(),
                space=space,
                key="piece:priestess",
                about="term:priestess",
            )
        )
    for down, row in enumerate(rows):
        at_y = y + step_y * (down - (len(rows) - 1) / 2)
        for along, seat in enumerate(row):
            at_x = x + step_x * (along - (len(row) - 1) / 2)
            told = f"figure of {look.name_of(seat)} on space {space}"
            shape = icons.figure(seat)
            figures.setdefault(seat, []).append(
                piece(at_x, at_y, "figure", told, shape, scale=scale, seat=seat, space=space)
            )
    drawn += [together(f"figure:{seat}:{space}", "term:figure", found) for seat, found in figures.items()]
    return drawn


# -- the move to show


def _way(position: Json, move: Mapping[str, Any]) -> tuple[int, int] | None:
    """From where to where the move takes a figure or the priestess."""
    action, pending = move.get("action"), position.get("pending", {})
    if action == "play_priestess":
        return position["priestess"], min(position["priestess"] + move["spaces"], LAST_SPACE)
    if action == "back" and "space" in pending:
        return pending["space"], move["space"]
    if action == "step":
        colors = [tile.get("color") for tile in position["path"] if tile["space"] == pending.get("space")]
    elif action == "play_figure":
        colors = [move["color"]]
    else:
        return None
    ahead = range(move["space"] + 1, LAST_SPACE + 1)
    ends = [space for space in ahead if components.space_color(space) in colors]
    return (move["space"], ends[0]) if ends else None


def _way_marks(position: Json, look: Look) -> list[Svg]:
    way = _way(position, look.move)
    if way is None:
        return []
    start, end = way
    ring = partial(circle, 0, 0, _radius(end) + 2)
    return [moved(*PLACES[end], outlined(ring, data_space=end)), arrow(PLACES[start], PLACES[end])]


def _marks(move: Mapping[str, Any]) -> Marks:
    action, color = move.get("action"), move.get("color", "")
    if action == "take_pile":
        return {("pile", "")}
    if action in ("take_discard", "drop_row"):
        return {("discards" if action == "take_discard" else "row", color)}
    return {("card", f"{color} {move['number']}")} if "number" in move else set()


# -- players


def _player_area(position: Json, look: Look, seat: int) -> Block:
    player, over = position["players"][seat], position["phase"] == "over"
    acting = position["to_act"] == seat
    marks = _marks(look.move) if acting else set()
    won = over and seat in position.get("pending", {}).get("winners", [])
    badges = ["to act"] * acting + ["winner"] * won + ["goblins scored"] * player["goblins_scored"]
    plate = Nameplate(seat, look.name_of(seat), "", badges, icons.SEATS[seat], icons.ON_SEATS[seat])
    drawn = [*_holdings(player, seat, over), *_rows(player, seat, marks), *_hand(position, seat, marks)]
    return player_panel(plate, WIDTH, HEIGHT, SCALES[len(position["players"])], *drawn)


HOLDING_NAMES = ("points", "figures", "wish_stones", "mirrors", "total")


def _holdings(player: Json, seat: int, over: bool) -> list[Svg]:
    """Points, and what will bring points at the end."""
    figures = sum(map(components.end_value, player["figures"]))
    wishes = components.WISH_VALUES[player["wish_stones"]] * (1 + player["mirrors"])
    entries = (
        ("points", str(player["score"]), "on the track", None, "tile:points"),
        (
            "figures",
            _signed(figures),
            "what they score at the end, from where they stand",
            None,
            "term:end_value",
        ),
        (
            "wish stones",
            str(player["wish_stones"]),
            f"{_signed(wishes)} at the end, with mirrors",
            icons.gem(),
            "tile:wish_stone",
        ),
        (
            "mirrors",
            str(player["mirrors"]),
            "each scores the wish stones once more",
            icons.mirror(),
            "tile:mirror",
        ),
        (
            "total" if over else "if it ended now",
            str(player["score"] + figures + wishes),
            "all together",
            None,
            "term:total",
        ),
    )
    drawn = []
    x = 14.0
    for place, (name, value, told, icon, about) in enumerate(entries):
        shapes = [label(0, -20, name), text(20 if icon else 0, 0, value, 16, bold=True)]
        if icon:
            shapes.append(moved(8, 0, icon))
        key = f"holding:{seat}:{HOLDING_NAMES[place]}"
        said = f"{name}: {value}, {told}"
        drawn.append(piece(x, HOLDINGS + 20, "holding", said, *shapes, value=value, key=key, about=about))
        x += max(text_width(name, 9) + 26, 82)
    return drawn


def _signed(points: int) -> str:
    return f"{points:+d}" if points else "0"


def _rows(player: Json, seat: int, marks: Marks) -> list[Svg]:
    """The cards laid out, a line for each color, with the way that it goes."""
    drawn = [label(14, ROWS, "rows")]
    for place, color in enumerate(components.COLORS):
        row = player["rows"].get(color, [])
        step = min(24.0, (WIDTH - 76) / max(len(row), 1))
        shapes = [
            rect(12, -13.5, WIDTH - 24, 27, rx=5, fill=FILL[color], fill_opacity=0.18),
            sign(22, 0, letter(color), 11),
        ]
        for along, value in enumerate(row):
            mark = (18, 25) if along == len(row) - 1 and ("row", color) in marks else None
            card = f"{color} {value}"
            shapes.append(
                piece(
                    44 + along * step, 0, "laid", card, icons.small_card(color, value), mark=mark, card=card
                )
            )
        if row and row[0] != row[-1]:
            told, tip = (
                ("rising", "M-5 4 L0 -5 L5 4 Z") if row[-1] > row[0] else ("falling", "M-5 -4 L0 5 L5 -4 Z")
            )
            shapes.append(piece(WIDTH - 26, 0, f"direction {told}", told, path(tip, fill=FADED)))
        drawn.append(
            moved(
                0,
                ROWS + 21 + place * ROW_STEP,
                *shapes,
                class_="row",
                data_color=color,
                data_key=f"row:{seat}:{color}",
                data_about="term:row",
            )
        )
    return drawn


def _hand(position: Json, seat: int, marks: Marks) -> list[Svg]:
    """The cards in hand; of a hidden hand those that everyone knows, and the backs of the others."""
    player, open_marks = position["players"][seat], set(marks)
    hidden = position.get("observer", seat) != seat
    held: list[str] = player["known"] if hidden else player["hand"]
    known = Counter(player["known"])
    y = HAND + 39
    places = iter([35 + place * HAND_STEP for place in range(components.HAND)])
    drawn = [label(14, HAND, "hand, hidden" if hidden else "hand")]
    equal: dict[str, list[Svg]] = {}
    for card in held:
        color, value = card.split(" ")
        shapes, kind, told = [icons.card(color, int(value), HAND_CARD)], "card", card
        if known[card]:
            known[card] -= 1
            shapes.append(moved(14, -24, eye(OUTLINE)))
            kind, told = "card known", f"{card}, known to all"
        mark = (HAND_CARD, 1.4 * HAND_CARD) if ("card", card) in open_marks else None
        open_marks.discard(("card", card))  # of equal cards only one
        key = f"card:{seat}:{color}:{value}"
        equal.setdefault(key, []).append(piece(next(places), y, kind, told, *shapes, mark=mark, card=card))
    drawn += [together(key, "card:number", cards) for key, cards in equal.items()]
    for _ in range(hand_size(position, seat) - len(held)):
        drawn.append(piece(next(places), y, "card back", "a hidden card", icons.card_back(HAND_CARD)))
    return drawn


def hand_size(position: Json, seat: int) -> int:
    """How many cards a hand has: eight, less those that its player has still to draw."""
    if seat != position["turn"] or position["phase"] == "play":
        return components.HAND
    return components.HAND - int(position["pending"].get("draws", 1))


# -- piles


def _piles(position: Json, look: Look, width: float) -> Block:
    """The draw pile, and the discards by color."""
    marks = _marks(look.move)
    size = (PILE_CARD, 1.4 * PILE_CARD)
    y, count = 51.0, position["pile_count"]
    removed = components.removed_cards(len(position["players"]))
    told = f"draw pile: {count} cards" + (f"; {removed} left the game unseen" if removed else "")
    shapes = [moved(2 * layer, -2 * layer, icons.card_back(PILE_CARD)) for layer in range(min(count, 3))]
    shapes += [text(32, -5, str(count), 20, bold=True), text(32, 13, "cards", SMALL_TEXT, fill=FADED)]
    mark = size if ("pile", "") in marks else None
    drawn = [
        label(14, 14, "draw pile"),
        piece(36, y, "pile", told, *shapes, mark=mark, count=count, key="pile:draw", about="card:number"),
        label(154, 14, "discards, the top card shown"),
    ]
    step = (width - 154) / len(components.COLORS)
    for place, color in enumerate(components.COLORS):
        pile = position["discards"].get(color, [])
        top = box(*size, rx=4, fill="none", stroke=FILL[color], stroke_width=1.5, stroke_dasharray="4 3")
        if pile:
            top = icons.card(color, pile[-1], PILE_CARD)
        told = f"{color} discards, bottom first: {', '.join(map(str, pile)) or 'none'}"
        words = [text(26, -5, str(len(pile)), 14, bold=True), text(26, 11, color, SMALL_TEXT, fill=FADED)]
        mark = size if ("discards", color) in marks else None
        x = 172 + place * step
        key = f"discards:{color}"
        drawn.append(
            piece(
                x,
                y,
                "discards",
                told,
                top,
                *words,
                mark=mark,
                color=color,
                count=len(pile),
                key=key,
                about=f"color:{color}",
            )
        )
    return panel("piles", width, 92, *drawn)


def _legend(width: float) -> Block:
    """What the signs mean."""
    signs = [
        (icons.tile("points", value=2), "points"),
        (icons.tile("clover", "green"), "clover: on to its color"),
        (icons.tile("spiral"), "spiral: back"),
        (icons.tile("goblin"), "goblin"),
        (icons.tile("mirror"), "mirror"),
        (icons.gem(), "wish stone"),
        (moved(0, 0, icons.priestess(), scale=0.85), "priestess"),
        (eye(OUTLINE), "card known to all"),
    ]
    values = components.WISH_VALUES
    most = values.index(max(values))
    worth = ", ".join(f"{stones}: {_signed(value)}" for stones, value in enumerate(values[:most]))
    notes = [
        f"wish stones score {worth}, from {most} on: {_signed(values[most])}; each mirror scores them once more",
        "beside each stone: what a figure there scores at the end; golden ground: the goal area",
        "on each card, in the corner: how far it moves the priestess",
    ]
    return legend(width, signs, notes)
