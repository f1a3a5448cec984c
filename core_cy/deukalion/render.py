"""A position as text for people, drawn from its JSON, so that what one seat sees can be drawn as well."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pythia.core_cy.deukalion.components import Facts, Square, default_facts, read_facts
from pythia.core_cy.picture import viewpoint

Json = dict[str, Any]

CELL = 7
# What is open, as people say it.
PHASES = {
    "setup": "places the ship",
    "follow": "follows",
    "kylix": "stands the cup",
    "act": "acts",
    "loot": "may take a treasure from the city",
    "spoils": "takes spoils",
    "displace": "displaces",
    "styx": "is at the Styx",
    "place": "puts a treasure into a city",
    "claim": "may claim an order",
}
EVENTS = {
    "roll": "rolls the dice",
    "throw": "throws fighters",
    "draw": "draws a card",
    "steal": "draws a card of the loser",
}


def facts_of(position: Mapping[str, Any]) -> Facts:
    """What is printed on the board and the cards of this game."""
    data = position.get("options", {}).get("data")
    if not data:
        return default_facts()
    return read_facts(json.loads(data) if isinstance(data, str) else data)


def render(position: Json) -> str:
    """The board, every player's area, orders and cards."""
    facts = facts_of(position)
    parts = [heading(position), "\n".join(_board(position, facts)), dice_text(position)]
    parts += [_player_area(position, facts, seat) for seat in range(len(position["players"]))]
    parts.append(_orders(position, facts))
    parts.append(_cards(position))
    return "\n\n".join(part for part in parts if part) + "\n"


def heading(position: Json) -> str:
    """What is going on."""
    pending, phase = position.get("pending", {}), position["phase"]
    if phase == "over":
        winners = " and ".join(f"seat {seat}" for seat in pending["winners"])
        what = f"over: won by {winners}" if winners else "over: a draw by length"
    elif phase == "order":
        what = "an order is revealed"
    elif position["to_act"] < 0:
        what = f"seat {pending.get('seat', position['turn'])} {EVENTS[phase]}"
    else:
        what = f"seat {position['to_act']} {PHASES[phase]}{_about(pending)}"
    text = f"Deukalion · round {position['round']} · turn of seat {position['turn']} · {what}"
    return text + viewpoint(position)


def _about(pending: Json) -> str:
    """Which treasure, city, order or piece."""
    for name in ("color", "place", "order", "piece"):
        if pending.get(name):
            return f": {pending[name]}"
    return ""


# -- the board


def square_of(position: Mapping[str, Any], facts: Facts) -> Square:
    """The number of a square that the JSON has as column and row."""
    return int(position["y"] * facts.width + position["x"])


def _board(position: Json, facts: Facts) -> list[str]:
    """Every square in two lines: what it is, and who is there."""
    names = {square: place.name for place in facts.sites for square in place.squares}
    there = dict.fromkeys(facts.squares, "")
    for city, found in zip(facts.cities, position["cities"], strict=True):
        there[city.squares[0]] = "".join(color[0] for color in found["treasures"]) or "-"
    for settlement, found in zip(facts.settlements, position["settlements"], strict=True):
        there[settlement.squares[0]] = f"{found['seat']}:{found['fighters']}" if found["fighters"] else "-"
    for seat, player in enumerate(position["players"]):
        if "ship" in player:
            there[square_of(player["ship"], facts)] += f">{seat}"
    there[square_of(position["hydra"], facts)] += "HYDRA"
    signs = {".": ".", "X": "styx", "a": "anchor", "A": "ATHENS", "C": "CENTER"}
    lines = ["   " + "".join(str(x).ljust(CELL) for x in range(facts.width)).rstrip()]
    for y in range(len(facts.letters) // facts.width):
        row = range(y * facts.width, (y + 1) * facts.width)
        kinds = [signs.get(facts.letters[s]) or names[s][: CELL - 1].upper() for s in row]
        lines.append(f"{y}  " + "".join(kind.ljust(CELL) for kind in kinds).rstrip())
        lines.append("   " + "".join(there[s].ljust(CELL) for s in row).rstrip())
    lines.append(
        "in cities: treasures (first letters); on settlements: seat and fighters; >0 the ship of seat 0"
    )
    return lines


def dice_text(position: Json) -> str:
    kylix = position["kylix"]
    if not kylix["ring"]:
        return ""
    text = f"dice: center {kylix['center']}, ring {' '.join(map(str, kylix['ring']))}"
    if kylix["sail"]:
        text += " · " + ", ".join(f"{name} {kylix[name]}" for name in ("card", "fighters", "sail", "hydra"))
    used = [name for name, value in position["used"].items() if value]
    return text + (f" · done by seat {position['mover']}: {', '.join(used)}" if used else "")


# -- players, orders and cards


def known_cards(position: Json, seat: int) -> list[str]:
    """The cards in a hand that the viewer sees: all of the own hand, of others what is known (D32)."""
    observer = position.get("observer", seat)
    if observer == seat:
        found: list[str] = position["players"][seat]["cards"]
        return found
    entries = position["players"][observer]["knows"] if observer >= 0 else []
    return [card for entry in entries if entry["seat"] == seat for card in entry["cards"]]


def _player_area(position: Json, facts: Facts, seat: int) -> str:
    player = position["players"][seat]
    target = facts.target[len(position["players"])]
    lines = [
        f"seat {seat} {player['hero']}: {player['points']} of {target} points, {player['fighters']} fighters aboard, "
        f"{player['underworld']} in the underworld, {player['victory_cards']} victory cards",
        f"  treasures: {', '.join(player['treasures']) or 'none'}"
        f" · fulfilled: {', '.join(player['fulfilled']) or 'none'}"
        f" · permanent: {', '.join(player['permanent']) or 'none'}",
    ]
    if position.get("observer", seat) == seat:
        own = player["order"] or "fulfilled"
        lines.append(f"  hand: {', '.join(player['cards']) or 'no cards'} · order: {own}")
    else:
        lines.append(
            f"  hand: {cards_text(player['card_count'])}{', an order' if player['has_order'] else ''}"
        )
    for known in player["knows"]:
        lines.append(f"  knows of seat {known['seat']}: {', '.join(known['cards'])}")
    return "\n".join(lines)


def cards_text(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def order_text(facts: Facts, name: str) -> str:
    """An order with its points and tasks."""
    order = next(order for order in facts.orders if order.name == name)
    return f"{name} ({order.points}: {task_text(order.tasks[0])}, or {task_text(order.tasks[1])})"


def task_text(task: Any) -> str:
    if task.kind == "treasures":
        return f"bring {' + '.join(task.colors)}"
    if task.kind == "defeat":
        return "beat a ship"
    if task.kind == "hydra":
        return "beat the Hydra"
    return f"{task.number} {task.kind} to {task.city}"


def _orders(position: Json, facts: Facts) -> str:
    shown = "\n  ".join(order_text(facts, name) for name in position["open_orders"]) or "none"
    own = [player["order"] for player in position["players"] if player.get("order")]
    text = f"open orders:\n  {shown}"
    if own and "observer" in position:
        text += f"\nown order:\n  {order_text(facts, own[0])}"
    return text + f"\norders in the pile: {position['order_pile_count']}"


def _cards(position: Json) -> str:
    under = ", ".join(position["under"]) or "none"
    return (
        f"cards in the pile: {position['pile_count']} · under it, next first: {under}"
        f" · victory cards: {position['victory_cards_left']}"
    )
