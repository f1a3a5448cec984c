"""What is dealt before the first turn: tokens on islands, island tiles, tasks, ship tiles, equipment.

Colors are numbers in wheel order here, and tiles and cards are their ids (see components.py); islands come in
(r, q) order, as their slots do. Every part has a random stream of its own, so that an option that changes one
part leaves the others as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pythia.core_cy.delphi import components
from pythia.core_cy.delphi.components import COLORS
from pythia.core_cy.errors import BadOption
from pythia.core_cy.rng import Random
from pythia.core_cy.streams import stream as stream  # boards are drawn with it too

if TYPE_CHECKING:
    from pythia.core_cy.delphi.board import Board

SHIP_TILE_MODES = ("random", "draft", "first_game")


@dataclass(frozen=True)
class Tasks:
    """The Zeus tiles that every player starts with, besides one offering and one monster of any color."""

    shrines: int
    statues: int
    offerings: frozenset[int]
    monsters: frozenset[int]


@dataclass(frozen=True)
class Setup:
    tiles: tuple[int, ...]  # the island tile on each tile space
    offerings: tuple[frozenset[int], ...]  # the colors on each offering island
    monsters: tuple[frozenset[int], ...]  # the colors on each monster island
    tasks: Tasks
    ship_tiles: tuple[int, ...]  # of each seat; nothing yet in a draft
    ships_on_offer: tuple[int, ...]  # in a draft, in the order of the component list
    display: tuple[int, ...]  # equipment, in the order of the component list


def deal(board: Board, players: int, ship_tiles: str, removed_tasks: int, rng: Random) -> Setup:
    """Everything that the seed decides besides the board (R2, R4, R6, R38)."""
    seed = rng.getrandbits(64)
    marked = [written["marked"] for written in board if written["kind"] == "monster_island"]
    drafting = ship_tiles == "draft"
    ships = deal_ship_tiles(players, ship_tiles, stream(seed, "ship_tiles"))
    return Setup(
        tiles=tuple(deal_island_tiles(stream(seed, "island_tiles"))),
        offerings=tuple(map(frozenset, deal_offerings(players, stream(seed, "offerings")))),
        monsters=tuple(map(frozenset, deal_monsters(players, marked, stream(seed, "monsters")))),
        tasks=deal_tasks(removed_tasks, stream(seed, "tasks")),
        ship_tiles=() if drafting else tuple(ships),
        ships_on_offer=tuple(ships) if drafting else (),
        display=tuple(deal_display(stream(seed, "display"))),
    )


def deal_island_tiles(rng: Random) -> list[int]:
    """All twelve, in any order (R2)."""
    return _drawn(components.TILE_SPACES, components.TILE_SPACES, rng)


def deal_offerings(players: int, rng: Random) -> list[set[int]]:
    """`players` offerings for each island, one of each color per player, no color twice on an island (R2)."""
    everything = set(range(len(COLORS)))
    left_out = len(COLORS) - players
    if left_out < players:
        # The same draw from the other side, which succeeds far sooner: the colors each island goes without.
        return [
            everything - colors for colors in _spread(left_out, [left_out] * components.OFFERING_ISLANDS, rng)
        ]
    return _spread(players, [players] * components.OFFERING_ISLANDS, rng)


def deal_monsters(players: int, marked: Sequence[bool], rng: Random) -> list[set[int]]:
    """Two monsters for each marked island, `players` - 1 for the others, no color twice on an island (R2)."""
    return _spread(players, [2 if is_marked else players - 1 for is_marked in marked], rng)


def deal_tasks(removed: int, rng: Random) -> Tasks:
    """The tasks of a game after removing some (R6); the same for everyone."""
    order = _drawn(len(components.DOUBLE_SIDED_TASKS), len(components.DOUBLE_SIDED_TASKS), rng)
    tiles = [components.DOUBLE_SIDED_TASKS[index] for index in order]
    offerings = [COLORS.index(tile.offering) for tile in tiles[: components.OFFERING_TASKS_ON_SHOW]]
    monsters = [COLORS.index(tile.monster) for tile in tiles[components.OFFERING_TASKS_ON_SHOW :]]
    # The tiles are in random order, so the last of each type is a random one of it.
    gone = components.REMOVAL_ORDER[:removed]
    return Tasks(
        shrines=components.SHRINE_TASKS - ("shrine" in gone),
        statues=components.STATUE_TASKS - ("statue" in gone),
        offerings=frozenset(offerings[:-1] if "offering" in gone else offerings),
        monsters=frozenset(monsters[:-1] if "monster" in gone else monsters),
    )


def deal_ship_tiles(players: int, mode: str, rng: Random) -> list[int]:
    """The ship tile of each seat, or for a draft the tiles on offer (R4)."""
    every = range(len(components.SHIP_TILES))
    if mode == "random":
        return _drawn(players, len(every), rng)
    if mode == "draft":
        return sorted(_drawn(players + 1, len(every), rng))
    if mode == "first_game":
        easy = [ship for ship in every if components.SHIP_TILES[ship].first_game]
        rng.shuffle(easy)
        return easy[:players]
    raise BadOption("ship_tiles", mode, ", ".join(SHIP_TILE_MODES))


def deal_display(rng: Random) -> list[int]:
    """The first equipment cards on display (R38)."""
    return sorted(_drawn(components.DISPLAY_CARDS, len(components.EQUIPMENT), rng))


def _drawn(count: int, n: int, rng: Random) -> list[int]:
    """`count` different numbers below n, in random order."""
    numbers = list(range(n))
    rng.shuffle(numbers)
    return numbers[:count]


def _spread(copies: int, sizes: Sequence[int], rng: Random) -> list[set[int]]:
    """A number of tokens of each color on islands of these sizes, no color twice on an island.

    Deals from a shuffled bag and starts again when a color comes twice, which makes every allowed
    distribution equally likely. At worst, with the monsters of four players, one deal in about 20 succeeds.
    """
    bag = [color for color in range(len(COLORS)) for _ in range(copies)]
    while True:
        rng.shuffle(bag)
        islands = []
        start = 0
        for size in sizes:
            colors = set(bag[start : start + size])
            if len(colors) < size:
                break
            islands.append(colors)
            start += size
        else:
            return islands
