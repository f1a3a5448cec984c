"""A position as text for people, drawn from its JSON."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.offrandes.components import (
    ALTAR_GROUPS,
    ANIMALS,
    CHARACTERS,
    CITIES,
    LAMPS,
    TOP,
    altar_points,
)
from pythia.core_cy.picture import viewpoint

Json = dict[str, Any]

NAME = 10  # how wide names are
FIELD = 9

LEGEND = "ladders: the seats on each level; * has the start player's marker"


def render(position: Json) -> str:
    """What is open, the players, the ladders, the altars and the supply."""
    parts = [
        heading(position),
        *(["\n".join(lines)] if (lines := open_lines(position)) else []),
        "\n".join(_player_lines(position)),
        "\n".join([*ladder_lines(position), LEGEND]),
        "\n".join(_altar_lines(position)),
        "supply: " + ", ".join(f"{position['supply'].get(animal, 0)} {animal}" for animal in ANIMALS),
    ]
    return "\n\n".join(parts) + "\n"


def heading(position: Json) -> str:
    """What is going on."""
    pending, phase = position.get("pending", {}), position["phase"]
    if phase == "over":
        winners = " and ".join(f"seat {seat}" for seat in pending.get("winners", []))
        what = f"over ({pending.get('result', '')}): {f'won by {winners}' if winners else 'nobody wins'}"
    elif position["to_act"] < 0:
        what = "chance draws the start player"
    else:
        what = f"seat {position['to_act']} decides: {phase}"
    turn = f" · auction turn of seat {position['turn']}" if phase in ("auction", "open", "bid") else ""
    return f"Offrandes · round {position['round']}{turn} · {what}" + viewpoint(position)


def open_lines(position: Json) -> list[str]:
    """The auction under way, and what was sold in this auction turn."""
    pending = position.get("pending", {})
    lines = []
    if pending.get("pair"):
        auction = f"for sale: {' and '.join(pending['pair'])}"
        if position["phase"] == "bid":
            bidders = ", ".join(str(seat) for seat in pending.get("bidders", []))
            auction += (
                f" · seat {pending.get('leader', 0)} bids {pending.get('high', 0)} · not passed: {bidders}"
            )
        lines.append(auction)
    if pending.get("sold"):
        buyers = ", ".join(str(seat) for seat in pending.get("buyers", []))
        lines.append(f"sold in this auction turn: {', '.join(pending['sold'])} · bought by seats {buyers}")
    if pending.get("bribed"):
        lines.append(f"bribed in this round: seats {', '.join(str(seat) for seat in pending['bribed'])}")
    return lines


def altars_of(position: Json, seat: int) -> list[str]:
    return [altar["altar"] for altar in position["altars"] if altar.get("city") == CITIES[seat]]


def offering_of(player: Json) -> str:
    """What a player can offer with the levels as they are, if the supply has it."""
    levels = player["ladders"]
    number = min(levels.get("carrier", 0), levels.get("florist", 0))
    if not (number and levels.get("farmer", 0) and levels.get("servant", 0)):
        return "nothing to offer"
    lamp = LAMPS[levels.get("priestess", 0)]
    points = number * levels["farmer"] + lamp
    return f"offers {number} {ANIMALS[levels['farmer'] - 1]} for {points} points"


def _player_lines(position: Json) -> list[str]:
    lines = []
    for seat, player in enumerate(position["players"]):
        held = sum(map(altar_points, altars_of(position, seat)))
        first = "*" if position["phase"] != "first" and seat == position["first"] else " "
        lines.append(
            f"{first}seat {seat} {CITIES[seat].ljust(NAME)}{player['score']:>3} points and {held:>3} for altars · "
            f"{player['drachmas']:>2} drachmas · {offering_of(player)}"
        )
    return lines


def ladder_lines(position: Json) -> list[str]:
    lines = ["".ljust(NAME) + "".join(str(level).ljust(FIELD) for level in range(TOP + 1)).rstrip()]
    for character in CHARACTERS:
        standing = [
            "".join(
                str(seat)
                for seat, player in enumerate(position["players"])
                if player["ladders"].get(character, 0) == level
            )
            for level in range(TOP + 1)
        ]
        lines.append(
            character.ljust(NAME) + "".join((seats or ".").ljust(FIELD) for seats in standing).rstrip()
        )
    return lines


def _altar_lines(position: Json) -> list[str]:
    there = {altar["altar"]: altar for altar in position["altars"]}
    lines = []
    for number, group in enumerate(ALTAR_GROUPS, 1):
        altars = [f"{name}: {lying_on(there[name])}" for name in group]
        lines.append(f"altars {number}, {altar_points(group[0]):>2} points each · " + " · ".join(altars))
    return lines


def lying_on(altar: Json) -> str:
    if not altar.get("number"):
        return "empty"
    return f"{altar['number']} {altar['animal']} of seat {CITIES.index(altar['city'])}"
