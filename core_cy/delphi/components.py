"""The parts of The Oracle of Delphi as readable facts: what tiles and cards show, and how many there are.

Everything else in this package builds on these tables. Names are those of the notation. Where the notation
or the C code relies on the order of a list, the comment above it says so: an id is an index into its list.
"""

from __future__ import annotations

from dataclasses import dataclass

# -- colors, seats and gods

# The oracle wheel, clockwise. A color's number is its place here.
COLORS = ("red", "black", "pink", "blue", "yellow", "green")

# Seat i plays color i (R38).
PLAYER_COLORS = ("red", "yellow", "green", "blue")

MIN_PLAYERS = 2
MAX_PLAYERS = len(PLAYER_COLORS)

# The god of each color, in wheel order.
GODS = ("aphrodite", "ares", "hermes", "poseidon", "apollon", "artemis")
GOD_OF_COLOR = dict(zip(COLORS, GODS, strict=True))
COLOR_OF_GOD = dict(zip(GODS, COLORS, strict=True))

TOP_ROW = 6
MAX_SHIELD = 5

# The monster of each color, in wheel order.
MONSTERS = ("cyclops", "minotaur", "hydra", "siren", "chimera", "gorgon")


def first_row(players: int) -> int:
    """The player-count row of the god track (R5)."""
    return 5 - players


# -- how many there are of everything

WATER_SPACES = 72
WATER_SPACES_PER_COLOR = 12
TILE_SPACES = 12
TILE_SPACES_PER_COLOR = 2
MONSTER_ISLANDS = 9
MARKED_MONSTER_ISLANDS = 3
OFFERING_ISLANDS = 6
STATUE_ISLANDS = 6
TEMPLE_ISLANDS = 6
CITIES = 6
SITES_PER_STATUE_ISLAND = 3
SITES_PER_COLOR = 3
STATUES_PER_COLOR = 3
ORACLE_CARDS_PER_COLOR = 5
INJURY_CARDS_PER_COLOR = 7
DISPLAY_CARDS = 6
DICE_PER_PLAYER = 3
FIRST_FAVOR = 3  # of the first seat; each next seat has one more (R3)

# -- numbers of the rules

SAIL_RANGE = 3  # spaces (R15)
RANGE_OF_SHIP = 2  # more with the ship tile `range`
RANGE_OF_CREATURE = 3  # more with a creature of the die's color
EXTRA_ACTION_COST = 3  # favor
RECOVER_AT_ONE_COLOR = 3  # injuries of one color (R8)
RECOVER_AT_ALL = 6  # injuries in all
MORE_TOLERANCE = (1, 2)  # of both with `injury_tolerance`
STORAGE_OF_CARD = 1  # more with `storage_and_shield`

# What is open: decisions of the turn first, then decisions within it, then events of chance. In the order of Kind in
# state.pxd.
PHASES = (
    "start",
    "act",
    "over",
    "draft",
    "setup",
    "fight",
    "equip",
    "companion",
    "step",
    "heal",
    "effect",
    "scout",
    "follow",
    "roll",
    "battle",
    "titan",
    "oracle",
    "injury",
    "equipment",
)

# -- dice

BATTLE_DIE = tuple(range(10))
TITAN_DIE = tuple(range(1, 7))


# -- board tiles


@dataclass(frozen=True)
class Space:
    """One hex of a tile, in axial coordinates around the tile's own (0, 0)."""

    q: int
    r: int
    kind: str
    color: str = ""
    sites: tuple[str, ...] = ()
    marked: bool = False


@dataclass(frozen=True)
class Tile:
    """The front of a board or city tile. Its back is the mirror image."""

    id: str
    shape: str
    spaces: tuple[Space, ...]


def _water(q: int, r: int, color: str) -> Space:
    return Space(q, r, "water", color)


def _tile_space(q: int, r: int, color: str) -> Space:
    return Space(q, r, "island_tile", color)


def _statues(q: int, r: int, *sites: str) -> Space:
    return Space(q, r, "statue_island", sites=sites)


def _monsters(q: int, r: int, marked: bool = False) -> Space:
    return Space(q, r, "monster_island", marked=marked)


def _city(q: int, r: int, color: str) -> Space:
    return Space(q, r, "city", color)


# The kinds of hexes, in the order of HexKind in tables.pxd; shallows have no number there.
HEX_KINDS = (
    "zeus",
    "water",
    "city",
    "island_tile",
    "statue_island",
    "monster_island",
    "offering_island",
    "temple_island",
)
SHALLOW = "shallow"

# fmt: off
BOARD_TILES = (
    Tile("zeus", "ring", (
        _water(0, -1, "pink"), _water(1, -1, "green"),
        _water(-1, 0, "blue"), Space(0, 0, "zeus"), _water(1, 0, "black"),
        _water(-1, 1, "red"), _water(0, 1, "yellow"),
    )),
    Tile("ring-offering", "ring", (
        _water(0, -1, "yellow"), _water(1, -1, "green"),
        _water(-1, 0, "red"), _water(1, 0, "black"),
        Space(-1, 1, "offering_island"), _tile_space(0, 1, "green"),
    )),
    Tile("ring-monster", "ring", (
        _water(0, -1, "blue"), _water(1, -1, "red"),
        _water(-1, 0, "yellow"), _water(1, 0, "pink"),
        _monsters(-1, 1), _tile_space(0, 1, "green"),
    )),
    Tile("large-a", "large", (
        _water(2, -4, "green"), _water(3, -4, "black"),
        _tile_space(1, -3, "yellow"), _water(2, -3, "pink"), Space(3, -3, "offering_island"),
        _monsters(1, -2), _water(2, -2, "red"),
        _water(1, -1, "blue"), _water(2, -1, "black"),
        _statues(0, 0, "black", "blue", "green"), _water(1, 0, "green"),
    )),
    Tile("large-b", "large", (
        Space(2, -4, "offering_island"), _water(3, -4, "pink"),
        _water(1, -3, "green"), _water(2, -3, "red"), _statues(3, -3, "red", "black", "pink"),
        Space(1, -2, "temple_island"), _water(2, -2, "yellow"),
        _water(1, -1, "green"), _tile_space(2, -1, "pink"),
        _monsters(0, 0), _water(1, 0, "pink"),
    )),
    Tile("large-c", "large", (
        _water(2, -4, "black"), _water(3, -4, "blue"),
        _water(1, -3, "red"), _water(2, -3, "yellow"), _tile_space(3, -3, "red"),
        _monsters(1, -2), _water(2, -2, "black"),
        _water(1, -1, "blue"), _water(2, -1, "red"),
        _tile_space(0, 0, "pink"), Space(1, 0, "temple_island"),
    )),
    Tile("medium-a", "medium", (
        _statues(1, -2, "red", "yellow", "green"), _water(2, -2, "yellow"), Space(3, -2, "offering_island"),
        _water(0, -1, "green"), _tile_space(1, -1, "yellow"), _water(2, -1, "blue"),
        _water(0, 0, "pink"), _water(1, 0, "red"), _water(2, 0, "pink"),
    )),
    Tile("medium-b", "medium", (
        _monsters(1, -2, marked=True), _tile_space(2, -2, "black"), _water(3, -2, "pink"),
        _water(0, -1, "red"), _water(1, -1, "pink"), _water(2, -1, "yellow"),
        Space(0, 0, "offering_island"), _water(1, 0, "green"), _statues(2, 0, "black", "blue", "yellow"),
    )),
    Tile("medium-c", "medium", (
        _tile_space(1, -2, "red"), _water(2, -2, "pink"), _statues(3, -2, "pink", "yellow", "green"),
        Space(0, -1, "offering_island"), _water(1, -1, "green"), _water(2, -1, "black"),
        _monsters(0, 0), _water(1, 0, "blue"), Space(2, 0, "temple_island"),
    )),
    Tile("small-a", "small", (
        _tile_space(2, -2, "blue"), _statues(3, -2, "red", "pink", "blue"),
        _water(1, -1, "blue"), _water(2, -1, "yellow"), _water(3, -1, "black"),
        _monsters(0, 0, marked=True), Space(1, 0, "temple_island"),
    )),
    Tile("small-b", "small", (
        _tile_space(2, -2, "blue"), _monsters(3, -2),
        Space(1, -1, "temple_island"), _water(2, -1, "yellow"), _water(3, -1, "red"),
        _water(0, 0, "black"), _water(1, 0, "blue"),
    )),
    Tile("small-c", "small", (
        _monsters(2, -2, marked=True), _water(3, -2, "yellow"),
        _tile_space(1, -1, "black"), _water(2, -1, "green"), Space(3, -1, "temple_island"),
        _water(0, 0, "blue"), _water(1, 0, "black"),
    )),
)

CITY_TILES = (
    Tile("city-yellow", "city", (
        _city(0, 0, "yellow"),
        _water(-1, 1, "green"), _water(0, 1, "red"),
    )),
    Tile("city-red", "city", (
        _city(0, 0, "red"),
        _water(-1, 1, "pink"), _water(0, 1, "black"),
    )),
    Tile("city-black", "city", (
        _city(0, 0, "black"),
        _water(-1, 1, "pink"), _water(0, 1, "yellow"),
    )),
    Tile("city-green", "city", (
        _city(0, 0, "green"),
        _water(-1, 1, "blue"), _water(0, 1, "black"),
    )),
    Tile("city-pink", "city", (
        _city(0, 0, "pink"),
        _water(-1, 1, "blue"), _water(0, 1, "red"),
    )),
    Tile("city-blue", "city", (
        _city(0, 0, "blue"),
        _water(-1, 1, "green"), _water(0, 1, "yellow"),
    )),
)
# fmt: on

TILES_BY_ID = {tile.id: tile for tile in BOARD_TILES + CITY_TILES}


# -- the compact board


@dataclass(frozen=True)
class Slot:
    """A place for any tile of one shape: turn the tile, then shift it. No rotation: any will do."""

    shape: str
    q: int
    r: int
    rotation: int | None = None


COMPACT_SLOTS = (
    Slot("ring", 0, 0),
    Slot("ring", 2, 1),
    Slot("ring", -1, 3),
    Slot("large", -5, 5, 0),
    Slot("large", 2, -4, 2),
    Slot("large", 4, 3, 4),
    Slot("medium", 4, -1, 1),
    Slot("medium", -1, 5, 3),
    Slot("medium", -2, 0, 5),
    Slot("small", -5, 2, 2),
    Slot("small", -4, 6, 3),
    Slot("small", 5, -4, 4),
    Slot("city", 1, -5, 0),
    Slot("city", 7, -4, 1),
    Slot("city", 6, 2, 2),
    Slot("city", 0, 7, 2),
    Slot("city", -9, 7, 4),
    Slot("city", -5, 1, 4),
)


# -- island tiles

# In the order of Letter in state.pxd.
LETTERS = ("phi", "psi", "sigma", "omega")


@dataclass(frozen=True)
class IslandTile:
    color: str
    letter: str


# Tile 3 * seat + n is the n-th tile of that seat's color.
ISLAND_TILES = (
    IslandTile("red", "phi"),
    IslandTile("red", "psi"),
    IslandTile("red", "omega"),
    IslandTile("yellow", "psi"),
    IslandTile("yellow", "sigma"),
    IslandTile("yellow", "omega"),
    IslandTile("green", "phi"),
    IslandTile("green", "psi"),
    IslandTile("green", "sigma"),
    IslandTile("blue", "phi"),
    IslandTile("blue", "sigma"),
    IslandTile("blue", "omega"),
)


# -- ship tiles


@dataclass(frozen=True)
class ShipTile:
    id: str
    storage: int = 2
    first_game: bool = False


# In the order of ShipTile in state.pxd, which is the order of lists in the notation.
SHIP_TILES = (
    ShipTile("shield", first_game=True),
    ShipTile("gods", first_game=True),
    ShipTile("range", first_game=True),
    ShipTile("two_way_recolor", storage=4, first_game=True),
    ShipTile("favor"),
    ShipTile("eleven_tasks"),
    ShipTile("cheap_recolor"),
    ShipTile("equipped"),
)
SHIP_TILE_IDS = tuple(tile.id for tile in SHIP_TILES)


# -- equipment cards


@dataclass(frozen=True)
class EquipmentCard:
    """`colors` and `gods` are what a one-time card lets its owner choose from."""

    id: str
    one_time: bool = False
    colors: tuple[str, ...] = ()
    gods: tuple[str, ...] = ()


# In the order of Equipment in state.pxd, which is the order of lists in the notation.
EQUIPMENT = (
    EquipmentCard("favor_on_yellow"),
    EquipmentCard("favor_on_red"),
    EquipmentCard("favor_on_black"),
    EquipmentCard("extra_action"),
    EquipmentCard("pink_bundle"),
    EquipmentCard("green_bundle"),
    EquipmentCard("blue_bundle"),
    EquipmentCard("windfall", one_time=True),
    EquipmentCard("range_plus_1"),
    EquipmentCard("statue_reach"),
    EquipmentCard("fight_explore_build_reach"),
    EquipmentCard("offering_reach"),
    EquipmentCard("god_step_on_reward"),
    EquipmentCard("scout", one_time=True),
    EquipmentCard("cross_shallows"),
    EquipmentCard("injury_tolerance"),
    EquipmentCard("storage_and_shield"),
    EquipmentCard("take_offering_a", one_time=True, colors=("red", "yellow", "green")),
    EquipmentCard("take_offering_b", one_time=True, colors=("black", "pink", "blue")),
    EquipmentCard("take_statue_a", one_time=True, colors=("red", "yellow", "green")),
    EquipmentCard("take_statue_b", one_time=True, colors=("black", "pink", "blue")),
    EquipmentCard("god_to_top", one_time=True, gods=("aphrodite", "hermes", "poseidon", "artemis")),
)
EQUIPMENT_IDS = tuple(card.id for card in EQUIPMENT)


# -- companions: one of each kind in each color

# In the order of CompanionKind in state.pxd.
COMPANION_KINDS = ("hero", "demigod", "creature")

# Their names, each in wheel order.
HEROES = ("Odysseus", "Theseus", "Aias", "Achilles", "Bellerophon", "Hektor")
DEMIGODS = ("Penthesilea", "Kirke", "Helena", "Herakles", "Minos", "Perseus")
CREATURES = ("Phoenix", "Cheiron", "Pan", "Nereide", "Gryphos", "Pegasus")


# -- Zeus tiles, the tasks of each player (R6)

SHRINE_TASKS = 3
STATUE_TASKS = 3
OFFERING_TASKS_ON_SHOW = 2  # of the double-sided tiles; the others show monsters


@dataclass(frozen=True)
class DoubleSidedTask:
    """The color of the offering on one side and of the monster on the other."""

    offering: str
    monster: str


DOUBLE_SIDED_TASKS = (
    DoubleSidedTask("blue", "blue"),
    DoubleSidedTask("yellow", "yellow"),
    DoubleSidedTask("pink", "red"),
    DoubleSidedTask("green", "black"),
)

# What a short game takes from everyone, in this order.
REMOVAL_ORDER = ("statue", "shrine", "monster", "offering")
MAX_REMOVED_TASKS = len(REMOVAL_ORDER)
