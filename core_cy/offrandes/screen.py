"""The position in parts for windows of any size; what they say is said by render.py."""

from __future__ import annotations

from typing import Any

from pythia.core_cy.offrandes.components import (
    ALTAR_GROUPS,
    ALTAR_POINTS,
    ANIMALS,
    CHARACTERS,
    CITIES,
    LAMPS,
    TOP,
    altar_points,
)
from pythia.core_cy.offrandes.render import (
    FIELD,
    LEGEND,
    NAME,
    altars_of,
    heading,
    lying_on,
    offering_of,
    open_lines,
)
from pythia.core_cy.panels import Line, Panel, Screen, placed, plain, seat_name, seats_from, unobserved

Json = dict[str, Any]

SMALL_FIELD = 6
# The discs, by seat.
SEAT_COLORS = ("red", "yellow", "green", "blue", "black")


# What the levels of a ladder are good for.
LADDERS = (
    "farmer: the animal, " + ", ".join(f"{level} {animal}" for level, animal in enumerate(ANIMALS, 1)),
    "carrier, florist: the lower one is the number of animals",
    "servant: altars, on level 1 those of {} points, on 2 also those of {}, then {}, {}, {}".format(
        *ALTAR_POINTS
    ),
    "priestess: points added to every offering, " + ", ".join(map(str, LAMPS[1:])),
    "seducer: bribes whoever has fewer guards · guard: protects from that",
    f"level {TOP} takes one disc: who climbs there sends the other down",
    "points: on the track + for altars · then the offering of now and what it scores",
)


def screen(position: Json) -> Screen:
    seats = range(len(position["players"]))
    return Screen(
        heading=[heading(unobserved(position)), *open_lines(position)],
        boards=(_ladders(position, FIELD), _ladders(position, SMALL_FIELD)),
        panels=[
            *(_player(position, seat) for seat in seats_from(position)),
            _altars(position),
            Panel([_supply(position)], [_supply(position)]),
        ],
        legend=(f"{LEGEND} · {', '.join(f'{seat} {CITIES[seat]}' for seat in seats)}", *LADDERS),
        colors=dict(zip(CITIES, SEAT_COLORS, strict=True)),
    )


def _ladders(position: Json, field: int) -> list[Line]:
    """The seats on each level of every ladder, in the colors of their discs."""
    levels = range(TOP + 1)
    lines = [placed((NAME + level * field, plain(str(level))) for level in levels)]
    for character in CHARACTERS:
        cells: list[tuple[int, Line]] = [(0, plain(character))]
        for level in levels:
            there = [
                (str(seat), SEAT_COLORS[seat])
                for seat, player in enumerate(position["players"])
                if player["ladders"].get(character, 0) == level
            ]
            cells.append((NAME + level * field, there or plain(".")))
        lines.append(placed(cells))
    return lines


def _player(position: Json, seat: int) -> Panel:
    player = position["players"][seat]
    held = sum(map(altar_points, altars_of(position, seat)))
    first = "*" if position["phase"] != "first" and seat == position["first"] else ""
    name = f"{seat_name(position, seat)} {CITIES[seat]}{first}"
    offering = offering_of(position, seat)
    points = f"{player['score']} + {held} = {player['score'] + held} points"
    return Panel(
        [f"{name}: {player['drachmas']} drachmas, {points}{' · ' * bool(offering)}{offering}"],
        [f"{name}: {player['drachmas']} dr., {player['score']}+{held}{', ' * bool(offering)}{offering}"],
    )


def _altars(position: Json) -> Panel:
    there = {altar["altar"]: altar for altar in position["altars"]}
    lines = [
        f"altars of {altar_points(group[0])}: "
        + ", ".join(f"{name} {lying_on(there[name])}" for name in group)
        for group in ALTAR_GROUPS
    ]
    taken = [f"{name} {lying_on(altar)}" for name, altar in there.items() if altar.get("number")]
    return Panel(lines, [f"altars taken: {', '.join(taken) or 'none'}"])


def _supply(position: Json) -> str:
    return "supply: " + ", ".join(f"{position['supply'].get(animal, 0)} {animal}" for animal in ANIMALS)
