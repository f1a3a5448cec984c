"""A position as an SVG picture: the seven ladders, the altars, the auction under way, and what every player has.

It is drawn from the JSON alone. Pieces have classes and data by which front-ends find them, such as
`.field[data-character][data-level]`, `.disc[data-seat]` and `.altar[data-altar]`. Those that moves and descriptions
speak of have `data-key` and `data-about`; docs/offrandes.md lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pythia.core_cy.offrandes import icons
from pythia.core_cy.offrandes.components import (
    ALTAR_GROUPS,
    ANIMALS,
    CHARACTERS,
    CITIES,
    LAMPS,
    LAST_SCORE,
    MAX_ROUNDS,
    TOP,
    altar_points,
)
from pythia.core_cy.offrandes.render import NO_OFFERING, altars_of, heading, offering_of
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
    label,
    legend,
    moved,
    outlined,
    page,
    panel,
    piece,
    player_panel,
    rect,
    sign,
    text,
    text_width,
)

Json = dict[str, Any]

STONE, STONE_EDGE, TOP_FIELD = "#d9ccae", "#a8966c", "#f0d98a"
GROUND = "#7b6a4c"
CREAM = "#fdf8e8"

# The ladders: a column for each character, level 5 on top.
COLUMN, FIELD = 112.0, 56.0
HEAD, EDGE, GAP = 34.0, 10.0, 4.0
BOARD_WIDTH = 2 * EDGE + len(CHARACTERS) * COLUMN
BOARD_HEIGHT = 2 * EDGE + HEAD + (TOP + 1) * FIELD
DISC_STEP = 20.0

# The altars in one row, by group.
ALTAR_WIDTH, ALTAR_HEIGHT = 63.0, 84.0
GROUP_GAP = 12.0

# A player's area.
WIDTH, HEIGHT = 400.0, 112.0
SCALES = {3: 1.3, 4: 1.15, 5: 1.05}


def draw(position: Json, look: Look) -> str:
    """The whole picture."""
    left = [_ladders(position, look), _altars(position, look), _auction(position, look), _supply(position)]
    areas = [_player_area(position, look, seat) for seat in range(len(position["players"]))]
    return page("offrandes", heading(position), "", left, areas, _legend)


# -- ladders


def _column(character: str) -> float:
    """The middle of a ladder."""
    return EDGE + COLUMN * (CHARACTERS.index(character) + 0.5)


def _row(level: int) -> float:
    """The middle of a level."""
    return EDGE + HEAD + FIELD * (TOP - level + 0.5)


def _means(character: str, level: int) -> str:
    """What a level brings, in a word or two."""
    if level == 0:
        return ""
    if character == "farmer":
        return f"{ANIMALS[level - 1]} {level}"
    if character in ("carrier", "florist"):
        return f"{level} animal{'s' * (level > 1)}"
    if character == "servant":
        return f"altars to {level}" if level > 1 else "altars 1"
    if character == "priestess":
        return f"+{LAMPS[level]} points"
    return str(level)


def _ladders(position: Json, look: Look) -> Block:
    drawn = [rect(0, 0, BOARD_WIDTH, BOARD_HEIGHT, rx=9, fill=GROUND)]
    pending = position.get("pending", {})
    for character in CHARACTERS:
        x = _column(character)
        drawn.append(_head(character, x, pending, look.move))
        drawn += [_field(character, level, x, look) for level in range(TOP + 1)]
        for level in range(TOP + 1):
            drawn += _discs(position, look, character, level)
    drawn += _bribe_marks(position, look.move)
    return Block(BOARD_WIDTH, BOARD_HEIGHT, lambda x, y: moved(x, y, *drawn, class_="board"))


def _head(character: str, x: float, pending: Mapping[str, Any], move: Mapping[str, Any]) -> Svg:
    """The tile of a character: bright when it is for sale, faint when it was sold in this auction turn."""
    for_sale, sold = character in pending.get("pair", []), character in pending.get("sold", [])
    told = character + (", for sale" if for_sale else ", sold in this auction turn" if sold else "")
    size = (COLUMN - 2 * GAP, HEAD - 2 * GAP)
    tile = box(*size, rx=6, fill=icons.GOLD if for_sale else CREAM, stroke=OUTLINE, stroke_width=1)
    marked = size if character in move.get("characters", []) and move.get("action") != "bribe" else None
    return piece(
        x,
        EDGE + HEAD / 2 - GAP / 2,
        "character" + " for-sale" * for_sale + " sold" * sold,
        told,
        tile,
        text(0, 0, character, 13, anchor="middle", bold=True, width=COLUMN - 14),
        opacity=0.45 if sold else None,
        mark=marked,
        character=character,
        key=f"character:{character}",
        about=f"character:{character}",
    )


def _field(character: str, level: int, x: float, look: Look) -> Svg:
    means = _means(character, level)
    shapes = [
        box(
            COLUMN - GAP,
            FIELD - GAP,
            rx=6,
            fill=TOP_FIELD if level == TOP else STONE,
            stroke=STONE_EDGE,
            stroke_width=1,
        )
    ]
    if character not in ("seducer", "guard") and means:
        shapes.append(text(COLUMN / 2 - 8, -17, means, SMALL_TEXT, anchor="end", fill=FADED))
    if look.coordinates:
        shapes.append(text(8 - COLUMN / 2, -17, str(level), SMALL_TEXT, fill=FADED, class_="coordinates"))
    told = f"{character} {level}" + (f": {means}" if means else ": start")
    key, about = f"field:{character}:{level}", f"character:{character}"
    return piece(
        x, _row(level), "field", told, *shapes, character=character, level=level, key=key, about=about
    )


def _disc_place(position: Json, seat: int, character: str, level: int) -> Point:
    """Every seat has its own place on a field."""
    count = len(position["players"])
    return _column(character) + DISC_STEP * (seat - (count - 1) / 2), _row(level) + 9


def _discs(position: Json, look: Look, character: str, level: int) -> list[Svg]:
    drawn = []
    for seat, player in enumerate(position["players"]):
        if player["ladders"].get(character, 0) == level:
            told = f"{look.name_of(seat)}: {character} {level}"
            place = _disc_place(position, seat, character, level)
            drawn.append(
                piece(
                    *place,
                    "disc",
                    told,
                    icons.disc(seat, 9.5),
                    seat=seat,
                    character=character,
                    level=level,
                    key=f"disc:{seat}:{character}",
                    about=f"city:{CITIES[seat]}",
                )
            )
    return drawn


def _bribe_marks(position: Json, move: Mapping[str, Any]) -> list[Svg]:
    """The victim's disc goes down, the briber's climbs."""
    seat = position["to_act"]
    if move.get("action") != "bribe" or seat < 0:
        return []
    (ladder,) = move["characters"]
    drawn = []
    for who, step in ((CITIES.index(move["city"]), -1), (seat, 1)):
        if who >= len(position["players"]):
            continue
        level = position["players"][who]["ladders"].get(ladder, 0)
        x, y = _disc_place(position, who, ladder, level)
        if 0 <= level + step <= TOP:
            drawn.append(arrow((x, y + 8 * step), (x, y - FIELD * step)))
    return drawn


# -- altars


def _altars(position: Json, look: Look) -> Block:
    there = {altar["altar"]: altar for altar in position["altars"]}
    drawn = [label(14, 14, "altars")]
    room = BOARD_WIDTH - 28 - GROUP_GAP * (len(ALTAR_GROUPS) - 1)
    step = room / len(there)
    x = 14.0
    for number, group in enumerate(ALTAR_GROUPS, 1):
        words = f"{number}: {altar_points(group[0])} points" + " each" * (len(group) > 1)
        drawn.append(text(x + step * len(group) / 2, 30, words, SMALL_TEXT, anchor="middle", fill=FADED))
        for name in group:
            drawn.append(_altar(there[name], x + step / 2, 42 + ALTAR_HEIGHT / 2, look))
            x += step
        x += GROUP_GAP
    return panel("altars", BOARD_WIDTH, 56 + ALTAR_HEIGHT, *drawn)


def _altar(altar: Json, x: float, y: float, look: Look) -> Svg:
    name, number = altar["altar"], altar.get("number", 0)
    shapes = [
        box(ALTAR_WIDTH, ALTAR_HEIGHT, rx=5, fill=STONE, stroke=STONE_EDGE, stroke_width=1),
        text(0, 12 - ALTAR_HEIGHT / 2, name, SMALL_TEXT, anchor="middle", width=ALTAR_WIDTH - 6, bold=True),
    ]
    told = f"{name}: empty, {altar_points(name)} points at the end"
    seat = None
    if number:
        seat = CITIES.index(altar["city"])
        told = f"{name}: {number} {altar['animal']} of {look.name_of(seat)}, {altar_points(name)} points at the end"
        shapes += [
            sign(-16, 4, f"{number} x", 14),
            moved(12, 5, icons.animal(altar["animal"]), class_="animals"),
            moved(0, ALTAR_HEIGHT / 2 - 14, icons.disc(seat, 9.5), class_="owner"),
        ]
    mark = (ALTAR_WIDTH, ALTAR_HEIGHT) if look.move.get("altar") == name else None
    key = f"altar:{name}"
    return piece(
        x, y, "altar", told, *shapes, mark=mark, altar=name, seat=seat, number=number, key=key, about=key
    )


# -- the auction, and the supply


# The name of the panel in phases without an auction, and why the game ended.
PANELS = {"first": "start", "setup": "set-up", "bribe": "bribery", "offer": "offerings", "over": "end"}
ENDS = {
    "altars": "every altar has an offering",
    "points": f"somebody has more than {LAST_SCORE} points on the track",
    "length": f"round {MAX_ROUNDS} is over, and nobody wins",
}


def _auction(position: Json, look: Look) -> Block:
    """What is going on: an auction with its bids, or the phase in words."""
    pending, phase, move = position.get("pending", {}), position["phase"], look.move
    drawn = [label(14, 14, PANELS.get(phase, "auction"))]
    deciding = max(position["to_act"], 0)
    seducers = position["players"][deciding]["ladders"].get("seducer", 0)
    words = {
        "first": "the start player is drawn",
        "setup": "everybody advances three characters",
        "auction": f"a pair, or the end of the auction turn: {look.name_of(position['turn'])}",
        "open": f"{' and '.join(pending.get('pair', []))} · to open: {look.name_of(position['turn'])}",
        "bid": f"{' and '.join(pending.get('pair', []))} · highest bid: {look.name_of(pending.get('leader', 0))}",
        "bribe": f"bribery, of seats whose guard is below level {seducers}: {look.name_of(deciding)}",
        "offer": f"an offering to an altar: {look.name_of(deciding)}",
        "over": ENDS.get(pending.get("result", ""), ""),
    }[phase]
    drawn.append(text(14, 36, words, 14, bold=True, width=BOARD_WIDTH - 260))
    x = 26 + min(text_width(words, 14, bold=True), BOARD_WIDTH - 260)
    if phase == "bid":
        told = f"highest bid: {pending.get('high', 0)}"
        drawn.append(
            piece(
                x + 8,
                36,
                "high",
                told,
                icons.coin(),
                text(15, 0, str(pending.get("high", 0)), 16, bold=True),
                value=pending.get("high", 0),
                key="auction:high",
                about="move:bid",
            )
        )
        drawn.append(label(x + 62, 14, "not passed"))
        for place, seat in enumerate(pending.get("bidders", [])):
            told = f"{look.name_of(seat)} has not passed"
            key, about = f"bidder:{seat}", f"city:{CITIES[seat]}"
            disc = icons.disc(seat, 9.5)
            drawn.append(
                piece(x + 72 + 22 * place, 36, "bidder", told, disc, seat=seat, key=key, about=about)
            )
    if move.get("action") in ("bid", "pass", "end", "decline"):
        frame = partial(rect, BOARD_WIDTH - 104, 20, 90, 30, rx=8)
        drawn += [
            outlined(frame),
            sign(BOARD_WIDTH - 59, 35, move["text"], 14),
        ]
    return panel("auction", BOARD_WIDTH, 58, *drawn)


def _supply(position: Json) -> Block:
    drawn = [label(14, 14, "supply")]
    step = (BOARD_WIDTH - 28) / len(ANIMALS)
    for place, kind in enumerate(ANIMALS):
        left = position["supply"].get(kind, 0)
        told = f"{left} {kind} in the supply, worth {place + 1} each"
        shapes = [icons.animal(kind), text(20, 0, f"{left} {kind}", 13, bold=True)]
        key, x = f"animal:{kind}", 40 + place * step
        drawn.append(piece(x, 36, "supply-of", told, *shapes, animal=kind, count=left, key=key, about=key))
    return panel("supply", BOARD_WIDTH, 58, *drawn)


# -- players


def _player_area(position: Json, look: Look, seat: int) -> Block:
    phase = position["phase"]
    pending = position.get("pending", {})
    badges = [
        *["to act"] * (position["to_act"] == seat),
        *["auctioneer"] * (phase in ("auction", "open", "bid") and position["turn"] == seat),
        *["bought"] * (seat in pending.get("buyers", [])),
        *["bribed"] * (seat in pending.get("bribed", [])),
        *["winner"] * (phase == "over" and seat in pending.get("winners", [])),
    ]
    plate = Nameplate(seat, look.name_of(seat), CITIES[seat], badges, icons.SEATS[seat], icons.ON_SEATS[seat])
    drawn = _holdings(position, seat)
    offering = offering_of(position, seat)
    if offering:
        offering = offering if offering == NO_OFFERING else f"offering: {offering} points"
        drawn.append(text(14, HEIGHT - 18, offering, 12, width=WIDTH - 28))
    if phase != "first" and position["first"] == seat:
        told = "has the start player's marker"
        at = (WIDTH - 24, HEIGHT - 22)
        drawn.append(
            piece(*at, "first", told, icons.marker(), seat=seat, key="marker:first", about="term:marker")
        )
    if look.move.get("action") == "first" and look.move["city"] == CITIES[seat]:
        drawn.append(outlined(partial(rect, 4, 34, WIDTH - 8, HEIGHT - 38, rx=8), data_seat=seat))
    return player_panel(plate, WIDTH, HEIGHT, SCALES[len(position["players"])], *drawn)


def _holdings(position: Json, seat: int) -> list[Svg]:
    """Money and points, and what altars add at the end."""
    player, altars = position["players"][seat], altars_of(position, seat)
    held = sum(map(altar_points, altars))
    entries = (
        ("drachmas", str(player["drachmas"]), "money", icons.coin(), "drachmas"),
        ("points", str(player["score"]), "on the track", None, "points"),
        ("altars", f"{held:+d}" if held else "0", ", ".join(altars) or "none", None, "altars"),
        (
            "total" if position["phase"] == "over" else "if it ended now",
            str(player["score"] + held),
            "points and altars",
            None,
            "total",
        ),
    )
    drawn = []
    for place, (name, value, told, icon, term) in enumerate(entries):
        shapes = [label(0, -20, name), text(22 if icon else 0, 0, value, 16, bold=True)]
        if icon:
            shapes.append(moved(9, 0, icon))
        key, about = f"holding:{seat}:{term}", f"term:{term}"
        said = f"{name}: {value}, {told}"
        drawn.append(piece(14 + 94 * place, 66, "holding", said, *shapes, value=value, key=key, about=about))
    return drawn


def _legend(width: float) -> Block:
    """What the signs mean."""
    signs = [
        (icons.disc(0), "a disc of seat 0"),
        (icons.coin(), "drachmas"),
        (icons.marker(), "start player"),
        *((icons.animal(kind), f"{kind}, value {value}") for value, kind in enumerate(ANIMALS, 1)),
    ]
    notes = [
        "an offering: animals of the farmer, as many as carrier and florist both allow",
        "golden fields take one disc; tiles: golden for sale, faint sold in this auction turn",
    ]
    return legend(width, signs, notes)
