"""The position in parts for windows of any size; what they say is said by render.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pythia.core_cy.deukalion.components import Facts
from pythia.core_cy.deukalion.render import (
    CELL,
    cards_text,
    dice_text,
    facts_of,
    heading,
    known_cards,
    order_text,
    square_of,
)
from pythia.core_cy.game import SPECTATOR
from pythia.core_cy.panels import (
    Line,
    Panel,
    Screen,
    Span,
    placed,
    plain,
    seat_name,
    seats_from,
    title_of,
    unobserved,
)

Json = dict[str, Any]

SMALL_CELL = 8
ROW = 3  # the columns for the number of a row
SIGNS = {".": ".", "X": "styx", "a": "anchor", "A": "ATHENS", "C": "CENTER"}
SMALL_SIGNS = {".": ".", "X": "~~", "a": "an", "A": "AT", "C": "CE"}

LEGEND = (
    "squares are column,row: Athens is on 4,0    in cities treasures by their first letters, w white",
    "on settlements the seat and its fighters, 1:2    >0 the ship of seat 0    HYDRA, in a small board H!",
    "a small board has the first two letters of every name, ~~ for the Styx, an for an anchor",
)


def screen(position: Json) -> Screen:
    facts = facts_of(position)
    own, *others = seats_from(position)
    dice = [text] if (text := dice_text(position)) else []
    return Screen(
        heading=[heading(unobserved(position)), *dice],
        boards=(_large(position, facts), _small(position, facts)),
        panels=[
            _own(position, facts, own),
            *(_other(position, facts, seat) for seat in others),
            _cards(position),
        ],
        legend=LEGEND,
        colors={color: color for color in facts.colors},
    )


# -- the board


def _there(position: Json, facts: Facts, hydra: str) -> dict[int, list[Span]]:
    """What is on each square: treasures in their colors, fighters, ships, the Hydra."""
    there: dict[int, list[Span]] = {square: [] for square in facts.squares}
    for city, found in zip(facts.cities, position["cities"], strict=True):
        there[city.squares[0]] += [(color[0], color) for color in found["treasures"]]
    for settlement, found in zip(facts.settlements, position["settlements"], strict=True):
        if found["fighters"]:
            there[settlement.squares[0]].append((f"{found['seat']}:{found['fighters']}", ""))
    for seat, player in enumerate(position["players"]):
        if "ship" in player:
            there[square_of(player["ship"], facts)].append((f">{seat}", "ship"))
    there[square_of(position["hydra"], facts)].append((hydra, "danger"))
    return there


def _large(position: Json, facts: Facts) -> list[Line]:
    """Every square in two lines: what it is, and who is there."""
    names, there = _names(facts), _there(position, facts, "HYDRA")
    lines = [_numbers(facts, CELL)]
    for y in range(len(facts.letters) // facts.width):
        row = range(y * facts.width, (y + 1) * facts.width)
        kinds = [SIGNS.get(facts.letters[square]) or names[square][: CELL - 1].upper() for square in row]
        lines.append(
            placed([(0, plain(str(y))), *((ROW + x * CELL, plain(kind)) for x, kind in enumerate(kinds))])
        )
        lines.append(placed((ROW + x * CELL, there[square]) for x, square in enumerate(row)))
    return lines


def _small(position: Json, facts: Facts) -> list[Line]:
    """Every square in a part of a line."""
    names, there = _names(facts), _there(position, facts, "H!")
    lines = [_numbers(facts, SMALL_CELL)]
    for y in range(len(facts.letters) // facts.width):
        cells: list[tuple[int, Line]] = [(0, plain(str(y)))]
        for x in range(facts.width):
            square = y * facts.width + x
            sign = SMALL_SIGNS.get(facts.letters[square]) or names[square][:2].capitalize()
            gap = " " if sign[0].isupper() and there[square] else ""
            cells.append((ROW + x * SMALL_CELL, [(sign + gap, ""), *there[square]]))
        lines.append(placed(cells))
    return lines


def _names(facts: Facts) -> dict[int, str]:
    return {square: site.name for site in facts.sites for square in site.squares}


def _numbers(facts: Facts, cell: int) -> Line:
    return placed((ROW + x * cell, plain(str(x))) for x in range(facts.width))


# -- panels


def _player(position: Json, facts: Facts, seat: int) -> str:
    player = position["players"][seat]
    target = facts.target[len(position["players"])]
    return (
        f"{seat_name(position, seat)} {player['hero']}: {player['points']} of {target} points"
        f" · {player['fighters']} fighters aboard, {player['underworld']} in the underworld"
        f" · treasures: {', '.join(player['treasures']) or 'none'}"
    )


def _more(player: Json) -> list[str]:
    return [
        f"{name}: {_named(player[field], kind)}"
        for name, field, kind in (
            ("fulfilled", "fulfilled", "order"),
            ("permanent cards", "permanent", "card"),
        )
        if player[field]
    ]


def _named(names: Sequence[str], kind: str = "card") -> str:
    return ", ".join(title_of("deukalion", f"{kind}:{name}") for name in names)


def _own(position: Json, facts: Facts, seat: int) -> Panel:
    """The viewer, and the orders, which decide where to sail: in a small window too."""
    player = position["players"][seat]
    hand = []
    if position.get("observer", seat) == seat:
        hand = [f"hand: {_named(player['cards']) or 'no cards'}"]
    aboard = "".join(color[0] for color in player["treasures"])
    short = (
        f"{seat_name(position, seat)}: {player['points']} of {facts.target[len(position['players'])]} points"
        f" · {player['fighters']} fighters, {player['underworld']} in the underworld"
        f" · {'treasures ' + aboard if aboard else 'no treasures'}"
    )
    played = [f"permanent cards: {_named(player['permanent'])}"] if player["permanent"] else []
    return Panel(
        [_player(position, facts, seat), *_more(player), *hand, *_orders(position, facts)],
        [short, *([" · ".join(hand + played)] if hand or played else []), _orders_in_short(position, facts)],
    )


def _other(position: Json, facts: Facts, seat: int) -> Panel:
    player = position["players"][seat]
    count = player["card_count"] if "card_count" in player else len(player["cards"])
    known = known_cards(position, seat)
    hand = f"hand: {cards_text(count)}" + (f", {_named(known)} among them" if known else "")
    short = (
        f"{seat_name(position, seat)} {player['hero']}: {player['points']} point{'' if player['points'] == 1 else 's'}"
        f" · {player['fighters']} fighters · {cards_text(count)} · {', '.join(player['treasures']) or 'no treasures'}"
    )
    return Panel([_player(position, facts, seat), *_more(player), hand], [short])


def _orders(position: Json, facts: Facts) -> list[str]:
    return [
        *(f"own order: {_titled(order_text(facts, name), name)}" for name in _own_order(position)),
        *(f"open order: {_titled(order_text(facts, name), name)}" for name in position["open_orders"]),
        f"orders in the pile: {position['order_pile_count']}",
    ]


def _titled(text: str, name: str) -> str:
    """An order as text, with its title instead of its id."""
    return _named([name], "order") + text.removeprefix(name)


def _orders_in_short(position: Json, facts: Facts) -> str:
    points = {order.name: order.points for order in facts.orders}
    named = [f"{_named([name], 'order')} {points[name]} (own)" for name in _own_order(position)]
    named += [f"{_named([name], 'order')} {points[name]}" for name in position["open_orders"]]
    return f"orders: {', '.join(named) or 'none'}"


def _own_order(position: Json) -> list[str]:
    """The order in the viewer's hand, if there is one."""
    observer = position.get("observer", SPECTATOR)
    return [name] if observer != SPECTATOR and (name := position["players"][observer]["order"]) else []


def _cards(position: Json) -> Panel:
    text = f"cards in the pile: {position['pile_count']} · victory cards: {position['victory_cards_left']}"
    under = _named(position["under"])
    return Panel([text, *([f"under the pile, next first: {under}"] if under else [])], [text])
