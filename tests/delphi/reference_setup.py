"""Random start states on the compact board, for games that the reference plays from their very first event.

The set-up follows R1 to R7 and R38. Everything is drawn from the given
random.Random, so the same generator state gives the same start.
"""

import random

try:
    from . import reference as ref
except ImportError:
    import reference as ref

COLORS = ref.COLORS

# Slots of the compact board: (q, r, rotation); rings turn freely.
SLOTS = {
    "ring": [(0, 0, None), (2, 1, None), (-1, 3, None)],
    "large": [(-5, 5, 0), (2, -4, 2), (4, 3, 4)],
    "medium": [(4, -1, 1), (-1, 5, 3), (-2, 0, 5)],
    "small": [(-5, 2, 2), (-4, 6, 3), (5, -4, 4)],
    "city": [(1, -5, 0), (7, -4, 1), (6, 2, 2), (0, 7, 2), (-9, 7, 4), (-5, 1, 4)],
}
SHAPES = {
    "ring": ["zeus", "ring-offering", "ring-monster"],
    "large": ["large-a", "large-b", "large-c"],
    "medium": ["medium-a", "medium-b", "medium-c"],
    "small": ["small-a", "small-b", "small-c"],
    "city": ["city-yellow", "city-red", "city-black", "city-green", "city-pink", "city-blue"],
}


def random_placements(rng):
    placements = []
    for shape, slots in SLOTS.items():
        tiles = list(SHAPES[shape])
        rng.shuffle(tiles)
        for tile, (q, r, rotation) in zip(tiles, slots):
            if rotation is None:
                rotation = rng.randrange(6)
            placements.append({"tile": tile, "q": q, "r": r, "rotation": rotation, "back": False})
    return placements


def temple_islands(placements):
    """Where the temple islands of a set of placements are."""
    found = []
    for placement in placements:
        for (q, r), space in ref.tile_hexes(placement["tile"]).items():
            if space["kind"] != "temple_island":
                continue
            if placement.get("back", False):
                q, r = r, q
            for _ in range(placement["rotation"]):
                q, r = -r, q + r
            found.append((q + placement["q"], r + placement["r"]))
    return sorted(found, key=ref.by_row)


def random_board(rng):
    """Draw boards until one has connected water (R1)."""
    while True:
        placements = random_placements(rng)
        colors = list(COLORS)
        rng.shuffle(colors)
        temples = [
            {"q": q, "r": r, "color": color} for (q, r), color in zip(temple_islands(placements), colors)
        ]
        try:
            return ref.board_from_placements(placements, temples)
        except ValueError:
            continue


def spread(rng, players, sizes):
    """Deal `players` tokens of each color to islands of the given sizes, no color twice on one (R2)."""
    while True:
        tokens = COLORS * players
        rng.shuffle(tokens)
        islands = []
        for size in sizes:
            islands.append(tokens[:size])
            tokens = tokens[size:]
        if all(len(set(island)) == len(island) for island in islands):
            return islands


def random_start(players, rng: random.Random, ship_tiles="random", removed_tasks=0):
    board = random_board(rng)

    def places(kind):
        return [h for h in board if h["kind"] == kind]

    def entry(h, **fields):
        return dict({"q": h["q"], "r": h["r"]}, **fields)

    faces = [(color, letter) for color, letters in ref.LETTERS.items() for letter in letters]
    rng.shuffle(faces)
    island_tiles = [
        entry(h, face_up=False, color=color, letter=letter, shrine=False)
        for h, (color, letter) in zip(places("island_tile"), faces)
    ]
    offering_islands = places("offering_island")
    offerings = [
        entry(h, colors=ref.sort_colors(island))
        for h, island in zip(offering_islands, spread(rng, players, [players] * 6))
    ]
    monster_islands = places("monster_island")
    sizes = [2 if h["marked"] else players - 1 for h in monster_islands]
    monsters = [
        entry(h, colors=ref.sort_colors(island))
        for h, island in zip(monster_islands, spread(rng, players, sizes))
    ]

    double = list(ref.DOUBLE_SIDED)
    rng.shuffle(double)
    offering_tasks = ["any"] + [tile["offering"] for tile in double[:2]]
    monster_tasks = ["any"] + [tile["monster"] for tile in double[2:]]
    # The order in which a short game drops tiles is fixed (R6).
    if removed_tasks >= 3:
        monster_tasks.remove(rng.choice(monster_tasks[1:]))
    if removed_tasks >= 4:
        offering_tasks.remove(rng.choice(offering_tasks[1:]))
    tasks = {
        "shrine": 2 if removed_tasks >= 2 else 3,
        "statue": 2 if removed_tasks >= 1 else 3,
        "offering": ref.sort_colors(offering_tasks),
        "monster": ref.sort_colors(monster_tasks),
    }

    pool = list(ref.FIRST_GAME_SHIP_TILES if ship_tiles == "first_game" else ref.SHIP_TILES)
    rng.shuffle(pool)
    on_offer = []
    dealt = pool[:players]
    if ship_tiles == "draft":
        on_offer = sorted(pool[: players + 1], key=ref.SHIP_TILES.index)
        dealt = [""] * players

    zeus = places("zeus")[0]
    first_row = 5 - players
    seats = []
    for seat in range(players):
        tile = dealt[seat]
        seats.append(
            {
                "color": ref.PLAYER_COLORS[seat],
                "ship_tile": tile,
                "ship": {"q": zeus["q"], "r": zeus["r"]},
                "favor": 3 + seat + (1 if tile == "favor" else 0),
                "shield": 2 if tile == "shield" else 0,
                "gods": {god: first_row if tile == "gods" else 0 for god in ref.GODS},
                "tasks": {kind: (list(v) if isinstance(v, list) else v) for kind, v in tasks.items()},
            }
        )

    cards = list(ref.EQUIPMENT)
    rng.shuffle(cards)

    agenda = []
    if ship_tiles == "draft":
        agenda += [{"kind": "draft", "seat": seat} for seat in reversed(range(players))]
        agenda[0]["ships"] = on_offer
    agenda += [{"kind": "roll", "seat": seat} for seat in range(players)]
    agenda += [{"kind": "injury", "seat": seat} for seat in range(players)]
    agenda += [
        {"kind": "setup", "seat": seat}
        for seat in range(players)
        if dealt[seat] in ("", "eleven_tasks", "equipped")
    ]
    agenda.append({"kind": "begin", "seat": 0})
    pending = dict(agenda[0], then=agenda[1:])

    state = {
        "game": "delphi",
        "format": 1,
        "options": {
            "players": players,
            "board": "compact",
            "ship_tiles": ship_tiles,
            "removed_tasks": removed_tasks,
        },
        "board": board,
        "round": 1,
        "turn": 0,
        "phase": pending["kind"],
        "players": seats,
        "island_tiles": island_tiles,
        "offerings": offerings,
        "monsters": monsters,
        "statues": {color: 3 for color in COLORS},
        "raised": [],
        "equipment_display": cards[: ref.DISPLAY_SIZE],
        "equipment_pile": cards[ref.DISPLAY_SIZE :],
        "oracle_pile": [c for c in COLORS for _ in range(ref.ORACLE_CARDS_PER_COLOR)],
        "oracle_discard": [],
        "injury_pile": [c for c in COLORS for _ in range(ref.INJURY_CARDS_PER_COLOR)],
        "injury_discard": [],
        "pending": pending,
    }
    return ref.Reference(state).to_json()
