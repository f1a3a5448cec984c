"""A position as an SVG picture: the board, dice and orders, and every player's area.

It is drawn from the JSON alone, so what one seat sees can be drawn as well: hidden cards show their backs. Pieces have
classes and data by which front-ends find them, such as `.square[data-square]` and `.ship[data-seat]`. Those that moves
and descriptions speak of have `data-key` and `data-about`; docs/deukalion.md lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pythia.core_cy.deukalion import icons
from pythia.core_cy.deukalion.components import (
    ANCHOR,
    ATHENS,
    CENTER,
    SEA,
    STYX,
    Facts,
    Order,
    Square,
    default_facts,
)
from pythia.core_cy.deukalion.render import facts_of, heading, known_cards, square_of, task_text
from pythia.core_cy.svg import (
    FADED,
    INK,
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
    label,
    legend,
    moved,
    numbered,
    outlined,
    page,
    panel,
    path,
    piece,
    player_panel,
    rect,
    sign,
    text,
    together,
)

Json = dict[str, Any]

PILES = ("action_cards", "used_cards", "victory_cards")
# What the descriptions tell of the printed data; a copy of the game may have other places, colors and orders.
PRINTED = {
    *(f"place:{site.name}" for site in default_facts().sites),
    *(f"color:{color}" for color in default_facts().colors),
    *(f"order:{order.name}" for order in default_facts().orders),
}

SIDE = 96.0
GROUND = {SEA: icons.SEA, ANCHOR: icons.ANCHOR_WATER, STYX: icons.STYX_WATER}
# A player's area. The fewer players there are, the larger it is.
WIDTH, HEIGHT = 520.0, 264.0
SCALES = {2: 1.3, 3: 1.06, 4: 0.92}
CARD, CARD_STEP = (58.0, 46.0), 62.0


def draw(position: Json, look: Look) -> str:
    """The whole picture."""
    facts = facts_of(position)
    board = _board(position, facts, look)
    areas = [_player_area(position, facts, look, seat) for seat in range(len(position["players"]))]
    left = [board, _table(position, facts, look, board.width)]
    return page("deukalion", heading(position), "", left, areas, partial(_legend, facts))


# -- the board


def _middle(facts: Facts, square: Square) -> Point:
    return (square % facts.width + 0.5) * SIDE, (square // facts.width + 0.5) * SIDE


def _board(position: Json, facts: Facts, look: Look) -> Block:
    width, height = facts.width * SIDE, len(facts.letters) // facts.width * SIDE
    places: dict[Square, tuple[str, list[Svg], str]] = {}
    for city, found in zip(facts.cities, position["cities"], strict=True):
        places |= {square: _city(facts, city, found) for square in city.squares}
    for settlement, found in zip(facts.settlements, position["settlements"], strict=True):
        places |= {square: _settlement(settlement, found) for square in settlement.squares}
    drawn = [rect(0, 0, width, height, rx=9, fill=icons.DEEP)]
    sites = {square: site.name for site in facts.sites for square in site.squares}
    drawn += [
        _square(facts, look, square, places.get(square)) for square in facts.squares if square not in sites
    ]
    for site in facts.sites:
        found = [_square(facts, look, square, places[square]) for square in site.squares]
        drawn.append(together(f"place:{site.name}", _about(f"place:{site.name}"), found))
    drawn += _pieces(position, facts, look)
    drawn += _marks(position, facts, look)
    return Block(width, height, lambda x, y: moved(x, y, *drawn, class_="board"))


def _square(facts: Facts, look: Look, square: Square, place: tuple[str, list[Svg], str] | None) -> Svg:
    letter, name = facts.letters[square], facts.square_name(square)
    kinds = {SEA: "sea", ANCHOR: "anchor", STYX: "styx", ATHENS: "athens", CENTER: "center"}
    kind = kinds.get(letter, "place")
    told, shapes = f"{name}: {kind}", []
    ground = box(
        SIDE - 2, SIDE - 2, rx=7, fill=GROUND.get(letter, icons.LAND), stroke="#ffffff", stroke_width=0.6
    )
    if place:
        told, shapes, fill = f"{name}: {place[0]}", place[1], place[2]
        ground = box(SIDE - 2, SIDE - 2, rx=14, fill=fill, stroke=OUTLINE, stroke_width=1.2)
    elif letter == ANCHOR:
        shapes = [
            path(
                "M0 12 V34 M-7 18 H7 M-11 27 Q-9 35 0 35 Q9 35 11 27",
                fill="none",
                stroke="#3d6b57",
                stroke_width=2.4,
                stroke_linecap="round",
            )
        ]
    elif letter == STYX:
        shapes = [sign(0, 32, "STYX", 11, "#d9cfee")]
    elif kind in ("athens", "center"):
        shapes = [sign(0, 0, kind.upper(), 13)]
    if look.coordinates:
        ink = "#d9cfee" if letter == STYX else FADED
        shapes.append(text(-SIDE / 2 + 6, -SIDE / 2 + 11, name, 9, fill=ink, class_="coordinates"))
    about = None if place else f"space:{kind}"
    return piece(
        *_middle(facts, square),
        f"square {kind}",
        told,
        ground,
        *shapes,
        square=name,
        key=f"square:{name}",
        about=about,
    )


def _about(key: str) -> str | None:
    """The entry of the descriptions; those of another copy's places, colors and orders are not described."""
    return key if key in PRINTED else None


def _city(facts: Facts, city: Any, found: Json) -> tuple[str, list[Svg], str]:
    lying: list[str] = found["treasures"]
    told = f"{city.name}, conquest value {city.value}, treasures: {', '.join(lying) or 'none'}; slots: {city.slots}"
    shapes = [
        text(0, -20, city.name.capitalize(), anchor="middle", bold=True, width=SIDE - 12),
        moved(30, -34, box(20, 17, rx=5, fill="#fffdf5", stroke=OUTLINE), sign(0, 0, str(city.value), 11)),
    ]
    equal: dict[str, list[Svg]] = {}
    for place in range(city.slots):
        x = 22.0 * (place - (city.slots - 1) / 2)
        if place < len(lying):
            color = lying[place]
            shape = icons.treasure(icons.fill_of(facts.colors, color), color[0])
            equal.setdefault(color, []).append(
                piece(x, 10, "treasure", f"{color} treasure", shape, color=color)
            )
        else:
            shapes.append(moved(x, 10, icons.slot()))
    shapes += [
        together(f"treasure:{city.name}:{color}", _about(f"color:{color}"), found)
        for color, found in equal.items()
    ]
    return told, shapes, icons.CITY


def _settlement(settlement: Any, found: Json) -> tuple[str, list[Svg], str]:
    count, seat = found["fighters"], found["seat"]
    told = f"{settlement.name}, for {settlement.fighters}, conquest value {settlement.value}"
    told += f", held by seat {seat}" if count else ", empty"
    shapes = [
        text(0, -20, settlement.name.capitalize(), anchor="middle", bold=True, width=SIDE - 12),
        moved(
            30, -34, box(20, 17, rx=5, fill="#fffdf5", stroke=OUTLINE), sign(0, 0, str(settlement.value), 11)
        ),
    ]
    for place in range(settlement.fighters):
        x = 20.0 * (place - (settlement.fighters - 1) / 2)
        if count:
            shapes.append(
                piece(x, 12, "settler", f"fighter of seat {seat}", icons.fighter(seat), scale=1.4, seat=seat)
            )
        else:
            shapes.append(
                moved(x, 12, box(14, 20, rx=7, fill="none", stroke=OUTLINE, stroke_dasharray="3 2"))
            )
    return told, shapes, icons.SETTLED


def _pieces(position: Json, facts: Facts, look: Look) -> list[Svg]:
    """Ships and the Hydra, side by side where they share a square."""
    there: dict[Square, list[int]] = {}
    for seat, player in enumerate(position["players"]):
        if "ship" in player:
            there.setdefault(square_of(player["ship"], facts), []).append(seat)
    hydra = square_of(position["hydra"], facts)
    drawn = []
    for square in sorted({hydra, *there}):
        pieces: list[int | None] = [*there.get(square, [])]
        if square == hydra:
            pieces.append(None)
        x, y = _middle(facts, square)
        scale = (1.25, 1.0, 0.8, 0.75, 0.7)[len(pieces) - 1]
        for place, owner in enumerate(pieces):
            column, row = place % 2, place // 2
            across = min(2, len(pieces) - 2 * row)
            at = (x + 42 * (column - (across - 1) / 2), y - 4 + 34 * (row - ((len(pieces) + 1) // 2 - 1) / 2))
            name = facts.square_name(square)
            if owner is None:
                drawn.append(
                    piece(
                        *at,
                        "hydra",
                        f"the Hydra on {name}",
                        icons.hydra(),
                        scale=scale,
                        square=name,
                        key="piece:hydra",
                        about="term:hydra",
                    )
                )
            else:
                told = f"ship of {look.name_of(owner)} on {name}"
                drawn.append(
                    piece(
                        *at,
                        "ship",
                        told,
                        icons.ship(owner),
                        scale=scale,
                        seat=owner,
                        square=name,
                        key=f"ship:{owner}",
                        about="term:ship",
                    )
                )
    return drawn


# -- the move to show


def _marks(position: Json, facts: Facts, look: Look) -> list[Svg]:
    """The way of what moves, or the place that the move is about."""
    move = look.move
    ring = partial(box, SIDE - 6, SIDE - 6, rx=9)
    if "x" in move:
        end = move["y"] * facts.width + move["x"]
        marks = [moved(*_middle(facts, end), outlined(ring, data_square=facts.square_name(end)))]
        start = _start(position, facts, move)
        if start is not None and start != end:
            marks.append(arrow(_middle(facts, start), _middle(facts, end)))
        return marks
    for place in facts.sites:
        if place.name == move.get("place"):
            name = facts.square_name(place.squares[0])
            return [moved(*_middle(facts, place.squares[0]), outlined(ring, data_square=name))]
    return _actor_mark(position, facts) if move else []


def _actor_mark(position: Json, facts: Facts) -> list[Svg]:
    """For a move that is about no place: whose it is."""
    seat = position.get("pending", {}).get("seat", position["mover"])
    player = position["players"][seat]
    if "ship" not in player:
        return []
    square = square_of(player["ship"], facts)
    ring = partial(circle, 0, 0, SIDE / 2 - 6)
    return [moved(*_middle(facts, square), outlined(ring, data_square=facts.square_name(square)))]


def _start(position: Json, facts: Facts, move: Mapping[str, Any]) -> Square | None:
    """From where something moves."""
    if move["action"] == "sail":
        return square_of(position["players"][position["mover"]]["ship"], facts)
    if move["action"] == "hydra":
        return square_of(position["hydra"], facts)
    piece_name = position.get("pending", {}).get("piece")
    if move["action"] == "displace" and piece_name:
        if piece_name == "hydra":
            return square_of(position["hydra"], facts)
        return square_of(position["players"][facts.heroes.index(piece_name)]["ship"], facts)
    return None


# -- dice, orders and piles


def _order_card(order: Order, x: float, y: float, width: float, look: Look, kind: str) -> Svg:
    told = f"{order.name}, {order.points} points: {task_text(order.tasks[0])}, or {task_text(order.tasks[1])}"
    mark = (width, 58.0) if look.move.get("order") == order.name else None
    shapes = [
        box(width, 58, rx=5, fill=icons.ORDER_CARD, stroke=OUTLINE, stroke_width=1),
        sign(width / 2 - 14, -17, str(order.points), 15),
        text(-width / 2 + 8, -17, order.name.replace("_", " "), SMALL_TEXT, bold=True, width=width - 40),
        text(-width / 2 + 8, 2, task_text(order.tasks[0]), SMALL_TEXT, width=width - 16),
        text(-width / 2 + 8, 18, f"or {task_text(order.tasks[1])}", SMALL_TEXT, width=width - 16),
    ]
    key = f"order:{order.name}"
    return piece(x, y, kind, told, *shapes, mark=mark, order=order.name, key=key, about=_about(key))


def _table(position: Json, facts: Facts, look: Look, width: float) -> Block:
    """The cup, the open orders, and what is left of the piles."""
    drawn = [label(14, 14, "cup"), *_dice(position, look)]
    x = 190.0
    drawn.append(label(x, 14, f"open orders; {position['order_pile_count']} in the pile"))
    for place, name in enumerate(position["open_orders"]):
        order = next(order for order in facts.orders if order.name == name)
        drawn.append(_order_card(order, x + 98 + place * 206, 56, 196, look, "order open"))
    x += 206.0 * max(1, facts.open_orders) + 8
    drawn.append(label(x, 14, "piles"))
    under = position["under"]
    told = f"under the pile, next first: {', '.join(under) or 'none'}"
    for line, words in enumerate(
        (
            f"{position['pile_count']} action cards",
            f"{len(under)} used cards under them" + (f", next {under[0].replace('_', ' ')}" if under else ""),
            f"{position['victory_cards_left']} victory cards",
        )
    ):
        name = PILES[line]
        shown = text(0, 0, words, width=width - x - 10)
        drawn.append(piece(x, 34 + 18 * line, "pile", told, shown, key=f"pile:{name}", about=f"term:{name}"))
    return panel("table", width, 98, *drawn)


def _dice(position: Json, look: Look) -> list[Svg]:
    """The dice around the middle one, or what they were given to."""
    kylix = position["kylix"]
    if not kylix["ring"]:
        return [text(14, 52, "the dice are not thrown", SMALL_TEXT, fill=FADED)]
    names = ("card", "fighters", "sail", "hydra")
    stands = bool(kylix["sail"])
    values = [kylix[name] for name in names] if stands else kylix["ring"]
    told, middle = f"middle die: {kylix['center']}", icons.die(kylix["center"])
    shapes = [piece(30, 56, "die center", told, middle, key="die:center", about="term:middle_die")]
    shapes.append(text(30, 78, "middle", 8, anchor="middle", fill=FADED))
    for place, value in enumerate(values):
        told = f"{names[place]}: {value}" if stands else f"ring: {value}"
        used = stands and position["used"].get("sailed" if names[place] == "sail" else names[place])
        die = piece(
            66 + 32 * place,
            56,
            "die",
            told,
            icons.die(value),
            opacity=0.45 if used else None,
            value=value,
            key=f"die:{names[place]}" if stands else f"die:{place}",
            about=f"move:{names[place]}" if stands else "term:ring",
        )
        shapes.append(die)
        if stands:
            shapes.append(text(66 + 32 * place, 78, names[place], 8, anchor="middle", fill=FADED, width=30))
    return shapes


# -- players


def _player_area(position: Json, facts: Facts, look: Look, seat: int) -> Block:
    player = position["players"][seat]
    won = position["phase"] == "over" and seat in position["pending"]["winners"]
    badges = (
        ["active"] * (position["turn"] == seat) + ["to act"] * (position["to_act"] == seat) + ["winner"] * won
    )
    plate = Nameplate(
        seat, look.name_of(seat), player["hero"].capitalize(), badges, icons.SEATS[seat], icons.ON_SEATS[seat]
    )
    acting = position["to_act"] == seat
    drawn = [
        *_holdings(player, facts, seat, len(position["players"])),
        *_aboard(player, facts, seat, look if acting else None),
        *_hand(position, facts, look, seat),
    ]
    return player_panel(plate, WIDTH, HEIGHT, SCALES[len(position["players"])], *drawn)


def _holdings(player: Json, facts: Facts, seat: int, players: int) -> list[Svg]:
    orders = sum(order.points for order in facts.orders if order.name in player["fulfilled"])
    settled = player["points"] - orders - player["victory_cards"]
    entries = (
        ("points", f"{player['points']} / {facts.target[players]}", "to win", "points"),
        ("aboard", str(player["fighters"]), "fighters aboard", "fighters"),
        ("underworld", str(player["underworld"]), "fighters in the underworld", "underworld"),
        ("victory cards", str(player["victory_cards"]), "a point each", "victory_cards"),
        ("orders", str(orders), f"points of {', '.join(player['fulfilled']) or 'no orders'}", "orders"),
        ("settlements", str(settled), "points of fighters on settlements", "settlements"),
    )
    drawn = []
    for place, (name, value, told, term) in enumerate(entries):
        shapes = [label(0, -20, name), text(0, 0, value, 16, bold=True)]
        said, key = f"{name}: {value}, {told}", f"holding:{seat}:{term}"
        x, about = 14 + 84 * place, f"term:{term}"
        drawn.append(piece(x, 64, "holding", said, *shapes, value=value, key=key, about=about))
    return drawn


def _aboard(player: Json, facts: Facts, seat: int, look: Look | None) -> list[Svg]:
    """Treasures aboard and permanent cards."""
    drawn = [label(14, 92, "treasures aboard")]
    wanted = look.move.get("color") if look else None
    equal: dict[str, list[Svg]] = {}
    for place, color in enumerate(player["treasures"]):
        shape = icons.treasure(icons.fill_of(facts.colors, color), color[0])
        mark = (
            (18.0, 18.0)
            if color == wanted and look and look.move.get("action") in ("deliver", "drop")
            else None
        )
        equal.setdefault(color, []).append(
            piece(26 + 24 * place, 112, "treasure", f"{color} treasure aboard", shape, mark=mark, color=color)
        )
        if mark:
            wanted = None  # of equal ones only one
    drawn += [
        together(f"treasure:{seat}:{color}", _about(f"color:{color}"), found)
        for color, found in equal.items()
    ]
    if not player["treasures"]:
        drawn.append(text(14, 112, "none", SMALL_TEXT, fill=FADED))
    drawn.append(label(270, 92, "permanent cards"))
    if not player["permanent"]:
        drawn.append(text(270, 112, "none", SMALL_TEXT, fill=FADED))
    keys = numbered(f"permanent:{seat}:{card}" for card in player["permanent"])
    room = (WIDTH - 284) / max(3, len(keys))
    for place, (card, key) in enumerate(zip(player["permanent"], keys, strict=True)):
        words = text(0, 0, card.replace("_", " "), SMALL_TEXT, fill=INK, width=room - 8)
        x, about = 270 + room * place, f"card:{card}"
        drawn.append(piece(x, 112, "permanent", f"{card}, permanent", words, card=card, key=key, about=about))
    return drawn


def _hand(position: Json, facts: Facts, look: Look, seat: int) -> list[Svg]:
    """Cards and the order in hand; of a hidden hand their backs, and what the observer knows of it."""
    player = position["players"][seat]
    hidden = position.get("observer", seat) != seat
    count = player["card_count"]
    shown = known_cards(position, seat)
    room = WIDTH - 28 - 200
    step = min(CARD_STEP, (room - CARD[0]) / max(1, count - 1)) if count > 1 else CARD_STEP
    played = look.move.get("card") if position["to_act"] == seat else None
    drawn = [label(14, 140, f"{count} card{'s' * (count != 1)} in hand" + ", hidden" * hidden)]
    equal: dict[str, list[Svg]] = {}
    for place in range(count):
        x, y = 14 + CARD[0] / 2 + place * step, 176.0
        if place < len(shown):
            card = shown[place]
            mark = CARD if card == played else None
            played = None if mark else played
            kind, told = ("card known", f"{card}, known to the observer") if hidden else ("card", card)
            # Cards that are shown lie on top of backs, each below the next.
            uncovered = min(step, CARD[0]) if place + 1 < len(shown) else CARD[0]
            equal.setdefault(card, []).append(
                piece(x, y, kind, told, icons.card(card, *CARD, uncovered), mark=mark, card=card)
            )
        else:
            drawn.append(piece(x, y, "card back", "a hidden card", icons.card_back(*CARD)))
    drawn += [together(f"card:{seat}:{card}", f"card:{card}", found) for card, found in equal.items()]
    drawn.append(label(WIDTH - 200, 140, "order in hand"))
    if not player["has_order"]:
        drawn.append(text(WIDTH - 200, 176, "fulfilled", SMALL_TEXT, fill=FADED))
    elif hidden:
        drawn.append(piece(WIDTH - 106, 180, "order back", "a hidden order", icons.card_back(186, 58)))
    else:
        order = next(order for order in facts.orders if order.name == player["order"])
        drawn.append(_order_card(order, WIDTH - 106, 180, 186, look, "order own"))
    names = ", ".join(name.replace("_", " ") for name in player["fulfilled"]) or "none"
    drawn += [label(14, 222, "fulfilled orders"), text(14, 242, names, SMALL_TEXT, width=WIDTH - 28)]
    return drawn


def _legend(facts: Facts, width: float) -> Block:
    """What the signs mean."""
    signs = [
        *(
            (icons.treasure(icons.fill_of(facts.colors, color), color[0]), f"{color} treasure")
            for color in facts.colors
        ),
        (icons.slot(), "free slot"),
        (moved(0, 2, icons.hydra(), scale=0.7), "Hydra"),
        (moved(0, 2, icons.ship(0), scale=0.75), "ship of seat 0"),
        (icons.fighter(0), "fighter"),
    ]
    notes = [
        "in the corner of a city or settlement: its conquest value; fighters and treasures share the places aboard",
        "cards under the pile lie in a known order, next to be drawn first",
    ]
    return legend(width, signs, notes)
