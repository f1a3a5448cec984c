"""A position as text for people, drawn from its JSON."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.offrandes.components import (
    ALTAR_GROUPS,
    ANIMALS,
    CHARACTERS,
    CITIES,
    TOP,
    altar_points,
)
from pythia.core_cy.offrandes.facts import offering_points
from pythia.core_cy.picture import viewpoint

Json = dict[str, Any]

NAME = 10  # how wide names are
FIELD = 9

# What the seat to act is asked, by phase.
ASKED = {
    "setup": "advance three characters",
    "auction": "put up a pair or end",
    "open": "open with a bid",
    "bid": "bid or pass",
    "bribe": "bribe or decline",
    "offer": "offer or decline",
}

NO_OFFERING = "no offering"
LEGEND = "digits are seats; * begins the round"


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
    pending, phase, seat = position.get("pending", {}), position["phase"], position["to_act"]
    if phase == "over":
        winners = " and ".join(f"seat {winner}" for winner in pending.get("winners", []))
        what = f"over ({pending.get('result', '')}): {f'won by {winners}' if winners else 'nobody wins'}"
    elif seat < 0:
        what = "chance draws the start player"
    elif phase in ("auction", "open"):
        what = f"auction turn of seat {seat}: {ASKED[phase]}"
    elif phase == "bid":
        what = f"auction turn of seat {position['turn']} · seat {seat}: {ASKED[phase]}"
    else:
        what = f"seat {seat}: {ASKED[phase]}"
    return f"Offrandes · round {position['round']} · {what}" + viewpoint(position)


def open_lines(position: Json) -> list[str]:
    """The auction under way, and what was sold in this auction turn."""
    pending = position.get("pending", {})
    lines = []
    if pending.get("pair"):
        auction = f"for sale: {' and '.join(pending['pair'])}"
        if position["phase"] == "bid":
            auction += f" · seat {pending.get('leader', 0)} bids {pending['high']} · in: {_seats(pending['bidders'])}"
        lines.append(auction)
    if pending.get("sold"):
        lines.append(
            f"sold in this auction turn: {', '.join(pending['sold'])}; out: {_seats(pending['buyers'])}"
        )
    if pending.get("bribed"):
        lines.append(f"bribed in this round: {_seats(pending['bribed'])}")
    return lines


def _seats(seats: list[int]) -> str:
    return f"seat{'s' * (len(seats) > 1)} {', '.join(map(str, seats))}"


def altars_of(position: Json, seat: int) -> list[str]:
    return [altar["altar"] for altar in position["altars"] if altar.get("city") == CITIES[seat]]


def offering_of(position: Json, seat: int) -> str:
    """What a seat would offer with the levels as they are, and what that scores at once."""
    levels = {character: position["players"][seat]["ladders"].get(character, 0) for character in CHARACTERS}
    if position["phase"] == "over":
        return ""
    if not (points := offering_points(levels)):
        return NO_OFFERING
    number, animal = min(levels["carrier"], levels["florist"]), ANIMALS[levels["farmer"] - 1]
    left = position["supply"].get(animal, 0)
    short = f" ({left} left)" if left < number else ""
    return f"{number} {animal}{short} for {points}"


def _player_lines(position: Json) -> list[str]:
    over = position["phase"] == "over"
    lines = [f"{'seat':<{NAME + 3}}drachmas  points  altars  total{'' if over else '  offering'}"]
    for seat, player in enumerate(position["players"]):
        held = sum(map(altar_points, altars_of(position, seat)))
        first = "*" if position["phase"] != "first" and seat == position["first"] else " "
        numbers = f"{player['drachmas']:>8}{player['score']:>8}{held:>8}{player['score'] + held:>7}"
        lines.append(f"{first}{seat} {CITIES[seat]:<{NAME}}{numbers}  {offering_of(position, seat)}".rstrip())
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
    for group in ALTAR_GROUPS:
        altars = ", ".join(f"{name} {lying_on(there[name])}" for name in group)
        lines.append(f"altars of {altar_points(group[0]):>2}: {altars}")
    return lines


def lying_on(altar: Json) -> str:
    """An offering and the seat of its disc."""
    if not altar.get("number"):
        return "empty"
    return f"{altar['number']} {altar['animal']} ({CITIES.index(altar['city'])})"
