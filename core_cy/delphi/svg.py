"""A position as an SVG picture: the board, every player's area, and what lies beside the board.

It is drawn from the JSON alone, so what one seat sees can be drawn as well. Pieces have classes and data by which
front-ends find them, such as `.hex[data-q][data-r]`, `.ship[data-seat]`, `.player[data-seat] .die.left`. Those that
moves and descriptions speak of have `data-key` and `data-about`; docs/format.md lists them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pythia.core_cy.delphi import components, icons
from pythia.core_cy.delphi.components import COLOR_OF_GOD, COLORS, GODS, TOP_ROW
from pythia.core_cy.delphi.icons import TOKEN, ink_on, letter
from pythia.core_cy.delphi.render import PILES, dice_used, heading
from pythia.core_cy.delphi.svg_board import board_block
from pythia.core_cy.panels import title_of
from pythia.core_cy.svg import (
    FADED,
    INK,
    OUTLINE,
    PAPER,
    SMALL_TEXT,
    Block,
    Look,
    Nameplate,
    Svg,
    box,
    circle,
    eye,
    group,
    label,
    legend,
    moved,
    numbered,
    page,
    panel,
    path,
    piece,
    player_panel,
    rect,
    sign,
    text,
    text_width,
    together,
    wrapped,
)

Json = dict[str, Any]
Marks = set[tuple[str, str]]  # what the move to show uses beside the board: class and name

# A player's area: two halves above, then the tasks, then what is aboard and what the player has.
WIDTH = 452.0
LEFT, RIGHT = 14.0, 196.0
DICE, CARDS, INJURIES, TASKS, ABOARD = 42.0, 86.0, 137.0, 186.0, 242.0
GOD_STEP, ROW_STEP = 27.0, 17.0
CHIP = 20.0
# The fewer players there are, the larger are their areas.
SCALES = {2: 1.3, 3: 1.12, 4: 1.0}

CARD = "#f0e4c4"


def draw(position: Json, look: Look) -> str:
    """The whole picture."""
    board = board_block(position, look)
    title, *more = heading(position)
    areas = [_player_area(position, look, seat) for seat in range(len(position["players"]))]
    return page("delphi", title, "".join(more), [board, _supply(position, look, board.width)], areas, _legend)


def _marks(move: Mapping[str, Any]) -> Marks:
    action, color = move.get("action"), move.get("color", "")
    marks = {(name, move[name]) for name in ("god", "card") if name in move}
    source = {"die": ("die", color), "card": ("oracle-card", color), "extra": ("equipment", "extra_action")}
    if move.get("source") in source:
        marks.add(source[move["source"]])
    if action in ("heal_color", "recover"):
        marks |= {("injury", color) for color in move.get("colors", [color])}
    return marks


# -- players


def _player_area(position: Json, look: Look, seat: int) -> Block:
    player, players = position["players"][seat], len(position["players"])
    acting = position["to_act"] == seat
    marks = _marks(look.move) if acting else set()
    won = position["phase"] == "over" and seat in position.get("pending", {}).get("winners", [])
    badges = [
        word for word, shown in (("to act", acting), ("arrived", player["arrived"]), ("winner", won)) if shown
    ]
    color, ship_tile = player["color"], player["ship_tile"]
    remark = f"{color} · {title_of('delphi', f'ship:{ship_tile}')}" if ship_tile else color
    plate = Nameplate(seat, look.name_of(seat), remark, badges, TOKEN[color], ink_on(color))
    chips, bottom = _belongings(player, seat, marks)
    drawn = [
        *_gods(player, seat, players, marks),
        *_dice(player, seat, marks),
        *_oracle_cards(player, seat, marks),
        *_injuries(player, seat, marks),
        *_tasks(player, seat),
        *_cargo(player, seat),
        *chips,
    ]
    return player_panel(plate, WIDTH, bottom + 12, SCALES[players], *drawn)


def _gods(player: Json, seat: int, players: int, marks: Marks) -> list[Svg]:
    """The track of the gods, with a mark at the row to which they come first."""
    top = DICE + 10
    drawn = [label(LEFT, DICE, "gods, top row above")]
    for row in range(TOP_ROW + 1):
        y = top + (TOP_ROW - row) * ROW_STEP
        fill = "#f6dc8b" if row == TOP_ROW else "#f3ecd9" if row else "#e4dcc6"
        drawn.append(
            rect(LEFT, y, len(GODS) * GOD_STEP, ROW_STEP, fill=fill, stroke="#d8cbaa", stroke_width=0.6)
        )
        if row == components.first_row(players):
            drawn.append(moved(LEFT - 6, y + 5, path("M0 0 l5 3.5 l-5 3.5 Z", fill=FADED)))
    for place, (god, color) in enumerate(COLOR_OF_GOD.items()):
        row = player["gods"].get(god, 0)
        x, y = LEFT + (place + 0.5) * GOD_STEP, top + (TOP_ROW - row + 0.5) * ROW_STEP
        told = f"{god.capitalize()} ({color}): " + ("top row" if row == TOP_ROW else f"row {row}")
        disc = circle(0, 0, 7.8, fill=TOKEN[color], stroke=OUTLINE, stroke_width=0.9)
        name = sign(0, 0, letter(color), 9.5, ink_on(color))
        mark = (14, 14) if ("god", god) in marks else None
        about, key = f"god:{god}", f"god:{seat}:{god}"
        drawn.append(piece(x, y, "god", told, disc, name, mark=mark, god=god, row=row, key=key, about=about))
    return drawn


def _dice(player: Json, seat: int, marks: Marks) -> list[Svg]:
    """Dice, favor and shield."""
    y = DICE + 22
    drawn = [label(RIGHT, DICE, "dice")]
    open_marks = set(marks)
    left: dict[str, list[Svg]] = {}
    for place, (color, used) in enumerate(dice_used(player)):
        mark = (26, 26) if not used and ("die", color) in open_marks else None
        if mark:
            open_marks.discard(("die", color))  # of equal dice only one
        kind, told = ("die used", f"{color} die, used") if used else ("die left", f"{color} die")
        die = piece(RIGHT + 13 + place * 33, y, kind, told, icons.die(color, used), mark=mark, color=color)
        (drawn if used else left.setdefault(color, [])).append(die)
    drawn += [together(f"die:{seat}:{color}", "source:die", dice) for color, dice in left.items()]
    if not player["dice"]:
        drawn.append(text(RIGHT, y, "not rolled yet", fill=FADED))
    for x, name, icon in ((RIGHT + 128, "favor", icons.favor()), (RIGHT + 194, "shield", icons.shield())):
        count = player[name]
        words = [label(-10, DICE - y, name), text(15, 0, str(count), 16, bold=True)]
        key, about = f"{name}:{seat}", f"term:{name}"
        drawn.append(piece(x, y, name, f"{name}: {count}", icon, *words, count=count, key=key, about=about))
    return drawn


def _oracle_cards(player: Json, seat: int, marks: Marks) -> list[Svg]:
    """Oracle cards in hand, and the one played this turn."""
    y = CARDS + 24
    drawn = [label(RIGHT, CARDS, "oracle cards")]
    counts = _by_color(player["oracle_cards"])
    for place, (color, count) in enumerate(counts.items()):
        mark = (20, 28) if ("oracle-card", color) in marks else None
        told = f"{color} oracle cards: {count}"
        card = icons.card(color, count)
        x = RIGHT + 11 + place * 28
        key, about = f"oracle:{seat}:{color}", "card:oracle"
        drawn.append(
            piece(x, y, "oracle-card", told, card, mark=mark, color=color, count=count, key=key, about=about)
        )
    if not counts:
        drawn.append(text(RIGHT, y, "none", fill=FADED))
    played = player["card_played"]
    if played:
        x, told = WIDTH - 42, f"{played} oracle card, played this turn"
        drawn.append(text(x, CARDS, "played", 9, anchor="middle", fill=FADED))
        card = icons.card(played)
        about = "source:card"
        drawn.append(piece(x, y, "card-played", told, card, opacity=0.55, color=played, about=about))
    return drawn


def _injuries(player: Json, seat: int, marks: Marks) -> list[Svg]:
    counts = _by_color(player["injuries"])
    drawn = [label(RIGHT, INJURIES, f"injuries: {len(player['injuries'])}")]
    for place, color in enumerate(COLORS):
        count = counts.get(color, 0)
        mark = (24, 26) if ("injury", color) in marks else None
        x, y, told = RIGHT + 12 + place * 30, INJURIES + 21, f"{color} injuries: {count}"
        injury, key = icons.injury(color, count), f"injury:{seat}:{color}"
        drawn.append(
            piece(
                x,
                y,
                "injury",
                told,
                injury,
                mark=mark,
                color=color,
                count=count,
                key=key,
                about="card:injury",
            )
        )
    return drawn


def _tasks(player: Json, seat: int) -> list[Svg]:
    """The Zeus tiles by kind: what is done with a tick, then what is open."""
    tasks, done = player["tasks"], player["done"]
    own = player["color"]
    rows = {
        "shrine": ([own] * done["shrine"], [own] * tasks["shrine"]),
        "statue": (done["statue"], ["any"] * tasks["statue"]),
        "offering": (done["offering"], tasks["offering"]),
        "monster": (done["monster"], tasks["monster"]),
    }
    finished = sum(len(there) for there, _ in rows.values())
    total = finished + sum(len(there) for _, there in rows.values())
    drawn = [label(LEFT, TASKS, f"tasks: {finished} of {total} done")]
    x = LEFT + 15.5
    for kind, (ticked, still) in rows.items():
        tiles = [(color, "done") for color in ticked] + [(color, "open") for color in still]
        keys = numbered(f"task:{seat}:{kind}:{color}" + ":done" * (state == "done") for color, state in tiles)
        for (color, state), key in zip(tiles, keys, strict=True):
            told = f"{kind}: {'any color' if color == 'any' else color}, {state}"
            tile = _task(icons.TASK_ICONS[kind](color), state == "done")
            about = f"tile:{kind}"
            drawn.append(
                piece(
                    x, TASKS + 26, f"task {state}", told, *tile, task=kind, color=color, key=key, about=about
                )
            )
            x += 33
        x += 8
    return drawn


def _task(icon: Svg, done: bool) -> list[Svg]:
    tile = box(31, 34, rx=5, fill="#dfe8d5" if done else "#fff", stroke=OUTLINE, stroke_width=0.9)
    tick = path("M-7 4 L-1 11 L11 -9", fill="none", stroke="#2c7a3f", stroke_width=4, stroke_linecap="round")
    return [tile, group(icon, opacity=0.45), tick] if done else [tile, icon]


def _cargo(player: Json, seat: int) -> list[Svg]:
    """What is aboard, and the storage left."""
    cargo = player["cargo"]
    aboard = [("offering", color) for color in cargo.get("offerings", [])]
    aboard += [("statue", color) for color in cargo.get("statues", [])]
    room = sum(tile.storage for tile in components.SHIP_TILES if tile.id == player["ship_tile"])
    room += "storage_and_shield" in player["equipment"]
    drawn = [label(LEFT, ABOARD, "aboard")]
    keys = numbered(f"cargo:{seat}:{kind}:{color}" for kind, color in aboard)
    for place in range(max(room, len(aboard))):
        x, y = LEFT + 14 + place * 32, ABOARD + 24
        drawn.append(moved(x, y, box(28, 30, rx=5, fill=CARD, stroke=OUTLINE, stroke_dasharray="3 2")))
        if place < len(aboard):
            kind, color = aboard[place]
            icon = icons.TASK_ICONS[kind](color)
            told = f"{color} {kind} aboard"
            drawn.append(
                piece(x, y, f"cargo {kind}", told, icon, color=color, key=keys[place], about=f"tile:{kind}")
            )
    return drawn


def _belongings(player: Json, seat: int, marks: Marks) -> tuple[list[Svg], float]:
    """Companions, equipment and what holds for this turn, and how far down they reach."""
    chips = [
        _companion(companion, f"companion:{seat}:{companion['color']}:{companion['kind']}")
        for companion in player["companions"]
    ]
    for card in player["equipment"]:
        marked, key, about = ("equipment", card) in marks, f"card:{seat}:{card}", f"card:{card}"
        title = title_of("delphi", about)
        told = f"equipment card {title}"
        chips.append(_Chip("equipment", title, told, card, marked=marked, key=key, about=about))
    notes = {"Apollon inspires": player["apollon"], "extra action used": player["extra_used"]}
    chips += [
        _Chip("note", note, f"this turn: {note}", fill="#fff") for note, shown in notes.items() if shown
    ]

    below_cargo = ABOARD + 40
    left, x, y = RIGHT, RIGHT, ABOARD + 9
    drawn = [label(RIGHT, ABOARD, "companions and equipment")]
    if not chips:
        drawn.append(text(RIGHT, y + 12, "none", fill=FADED))
    for chip in chips:
        if x > left and x + chip.width > WIDTH - 12:
            y += CHIP + 5
            # Below the storage there is the whole width.
            left = LEFT if y >= below_cargo else RIGHT
            x = left
        drawn.append(chip.drawn(x + chip.width / 2, y + CHIP / 2))
        x += chip.width + 6
    return drawn, max(y + CHIP, below_cargo)


class _Chip:
    """A name on a little card."""

    def __init__(
        self,
        kind: str,
        words: str,
        told: str,
        name: str | None = None,
        *,
        fill: str = CARD,
        ink: str = INK,
        marked: bool = False,
        key: str | None = None,
        about: str | None = None,
    ) -> None:
        self.width = text_width(words, 10.5) + 16
        plate = box(self.width, CHIP, rx=6, fill=fill, stroke=OUTLINE, stroke_width=0.8)
        self.shapes = [plate, text(0, 0, words, 10.5, anchor="middle", fill=ink)]
        self.kind, self.told, self.marked = kind, told, marked
        self.name, self.key, self.about = name, key, about

    def drawn(self, x: float, y: float) -> Svg:
        mark = (self.width, CHIP) if self.marked else None
        return piece(
            x,
            y,
            self.kind,
            self.told,
            *self.shapes,
            mark=mark,
            name=self.name,
            key=self.key,
            about=self.about,
        )


def _companion(companion: Json, key: str, marked: bool = False) -> _Chip:
    kind, color = companion["kind"], companion["color"]
    names = {"hero": components.HEROES, "demigod": components.DEMIGODS, "creature": components.CREATURES}
    name = names[kind][COLORS.index(color)]
    told = f"{name}, {color} {kind}"
    return _Chip(
        "companion",
        f"{letter(color)} {name}, {kind}",
        told,
        f"{color} {kind}",
        fill=TOKEN[color],
        ink=ink_on(color),
        marked=marked,
        key=key,
        about=f"companion:{name.lower()}",
    )


def _words(name: str) -> str:
    return name.replace("_", " ")


def _by_color(cards: Iterable[str]) -> dict[str, int]:
    """How many there are of each color, in the order of the wheel."""
    counts = Counter(cards)
    return {color: counts[color] for color in COLORS if counts[color]}


# -- beside the board


def _supply(position: Json, look: Look, width: float) -> Block:
    """The equipment on display and the piles."""
    marks = _marks(look.move)
    drawn = [label(14, 14, "equipment on display")]
    step = (width - 20) / components.DISPLAY_CARDS
    for place, card in enumerate(position["equipment_display"]):
        key, about = f"display:{card}", f"card:{card}"
        title = title_of("delphi", about)
        lines = wrapped(title, step - 20, 10.5)
        first = -6.5 * (len(lines) - 1)
        shapes = [box(step - 8, 44, rx=5, fill=CARD, stroke=OUTLINE, stroke_width=0.9)]
        shapes += [
            text(0, first + 13 * row, line, 10.5, anchor="middle", width=step - 14)
            for row, line in enumerate(lines)
        ]
        x, mark = 14 + place * step + (step - 8) / 2, (step - 8, 44) if ("card", card) in marks else None
        told = f"equipment card {title}"
        drawn.append(piece(x, 46, "display-card", told, *shapes, mark=mark, card=card, key=key, about=about))
    step = (width - 20) / len(PILES)
    drawn += [_pile(32 + place * step, 96, name, position.get(name, [])) for place, name in enumerate(PILES)]
    chips = _choices(position, look.move)
    x = 14.0
    for chip in chips:
        drawn.append(chip.drawn(x + chip.width / 2, 136))
        x += chip.width + 8
    return panel("supply", width, 154 if chips else 124, *drawn)


def _choices(position: Json, move: Mapping[str, Any]) -> list[_Chip]:
    """Ship tiles and companions that the seat to act chooses from."""
    pending = position.get("pending", {})
    chips = [
        _Chip(
            "choice",
            title_of("delphi", f"ship:{ship}"),
            title_of("delphi", f"ship:{ship}"),
            ship,
            marked=move.get("ship_tile") == ship,
            key=f"choice:{ship}",
            about=f"ship:{ship}",
        )
        for ship in pending.get("ships", [])
    ]
    if pending.get("kind") == "companion":
        owned = [friend for player in position["players"] for friend in player["companions"]]
        for kind in components.COMPANION_KINDS:
            friend = {"color": pending["color"], "kind": kind}
            if friend not in owned:
                chips.append(_companion(friend, f"choice:{kind}", move.get("companion") == kind))
    return chips


def _pile(x: float, y: float, name: str, cards: Sequence[str]) -> Svg:
    edge: dict[str, str | float] = {"rx": 3, "stroke": OUTLINE, "stroke_width": 0.9}
    known = ", ".join(f"{count} {color}" for color, count in _by_color(cards).items())
    shapes = [box(22, 30, fill="none", stroke_dasharray="3 2", **edge)]
    if cards:
        shapes = [moved(2, -2, box(22, 30, fill=PAPER, **edge)), box(22, 30, fill=PAPER, **edge)]
    shapes += [
        text(20, -6, str(len(cards)), 14, bold=True),
        text(20, 9, _words(name), SMALL_TEXT, fill=FADED),
    ]
    told = f"{_words(name)}: {len(cards)}" + (f" ({known})" if known else "")
    about = {"oracle": "card:oracle", "injury": "card:injury"}.get(name.partition("_")[0])
    return piece(x, y, "pile", told, *shapes, pile=name, count=len(cards), key=f"pile:{name}", about=about)


def _legend(width: float) -> Block:
    """What the letters and signs mean."""
    signs = [
        (icons.cube("any"), "offering"),
        (icons.monster("any"), "monster"),
        (icons.statue("any"), "statue"),
        (icons.shrine("any"), "shrine"),
        (moved(0, 0, icons.tile_down(), scale=0.65), "tile, face down"),
        (moved(0, 0, icons.tile_down("red", "phi"), scale=0.65), "face down, but known"),
        (eye(TOKEN["red"]), "a player has looked at it"),
    ]
    colors = ", ".join(f"{letter(color)} {color}" for color in COLORS)
    gods = ", ".join(f"{letter(color)} {god.capitalize()}" for god, color in COLOR_OF_GOD.items())
    return legend(width, signs, [f"colors: {colors}, * any color", f"gods: {gods}"])
