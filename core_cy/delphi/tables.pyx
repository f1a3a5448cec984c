"""The tables of `tables.pxd`, filled from a board."""

from array import array

from libc.string cimport memset

from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.types cimport u8, u16

from pythia.core_cy.delphi import components
from pythia.core_cy.delphi.board import neighbours

cdef enum:
    SIDES = 6
    NOWHERE = -1            # beside the edge of the board


cdef class Chart:
    """The board as a graph: the numbered hexes first, then the shallows. With what a search on it needs."""
    cdef int spaces
    cdef int[::1] beside    # [space * SIDES + side]: the space there, or NOWHERE
    cdef u8[::1] reached    # the spaces sailed to get to each space, or NONE
    cdef int[::1] now       # spaces to go on from, at the present distance
    cdef int[::1] later     # and one farther

    def __init__(self, list items):
        cdef dict number = {(item["q"], item["r"]): i for i, item in enumerate(items)}
        self.spaces = len(items)
        self.beside = array("i", [number.get(at, NOWHERE) for place in number for at in neighbours(place)])
        self.reached = bytearray(self.spaces)
        self.now = array("i", [0]) * self.spaces
        self.later = array("i", [0]) * self.spaces


cdef int fill_tables(Tables* tables, list board, int players) except -1:
    cdef list land = [item for item in board if item["kind"] != components.SHALLOW]
    cdef list shallows = [item for item in board if item["kind"] == components.SHALLOW]
    cdef Chart chart
    cdef int crossing, ship
    if len(land) != MAX_HEXES:
        raise ValueError(f"board: {len(land)} hexes besides shallows are not allowed; allowed: {MAX_HEXES}")
    memset(tables, 0, sizeof(Tables))
    tables.players = <u8>players
    tables.first_row = <u8>components.first_row(players)
    fill_hexes(tables, land)

    chart = Chart(land + shallows)
    memset(tables.distance, NONE, sizeof(tables.distance))
    for ship in range(MAX_HEXES):
        for crossing in range(2):
            if is_sailable(tables, ship):
                fill_distance(tables, chart, crossing, ship)
            fill_nearest(tables, crossing, ship)
        if is_sailable(tables, ship):
            fill_near(tables, chart, ship)
    fill_approach(tables)
    tables.key = hash_bytes(tables, sizeof(Tables))
    return 0


# -- hexes and their slots

cdef int fill_hexes(Tables* tables, list land) except -1:
    cdef int hex, kind, color
    cdef int found[8]       # of each kind so far
    memset(found, 0, sizeof(found))
    for hex, item in enumerate(land):
        kind = components.HEX_KINDS.index(item["kind"])
        color = components.COLORS.index(item["color"]) if "color" in item else NONE
        tables.kind[hex] = <u8>kind
        tables.color[hex] = <u8>color
        tables.slot[hex] = <u8>(color if kind == CITY or kind == TEMPLE_ISLAND else found[kind])
        tables.q[hex] = item["q"]
        tables.r[hex] = item["r"]
        fill_slot(tables, hex, item)
        found[kind] += 1
    return 0


cdef int fill_slot(Tables* tables, int hex, dict item) except -1:
    """What the tables keep by the slot of a hex."""
    cdef int kind = tables.kind[hex]
    cdef int color = tables.color[hex]
    cdef int slot = tables.slot[hex]
    if kind == ZEUS:
        tables.zeus = <u8>hex
    elif kind == CITY:
        tables.city_hex[slot] = <u8>hex
    elif kind == TEMPLE_ISLAND:
        tables.temple_hex[slot] = <u8>hex
    elif kind == OFFERING_ISLAND:
        tables.offering_hex[slot] = <u8>hex
    elif kind == ISLAND_TILE:
        tables.tile_hex[slot] = <u8>hex
        tables.tile_color[slot] = <u8>color
        tables.tiles_of_color[color] |= <u16>(1 << slot)
    elif kind == MONSTER_ISLAND:
        tables.monster_hex[slot] = <u8>hex
        if item["marked"]:
            tables.marked |= <u16>(1 << slot)
    elif kind == STATUE_ISLAND:
        tables.statue_hex[slot] = <u8>hex
        for name in item["sites"]:
            tables.sites[slot] |= <u8>(1 << <int>components.COLORS.index(name))
    return 0


cdef inline bint is_sailable(const Tables* tables, int hex) noexcept nogil:
    return tables.kind[hex] == WATER or tables.kind[hex] == ZEUS


# -- sailing

cdef void fill_distance(Tables* tables, Chart chart, int crossing, int start) noexcept:
    """The row of one start: a search in layers, one for each space sailed."""
    cdef int hex, side, space, distance = 0, count = 1, next_count
    memset(&chart.reached[0], NONE, chart.spaces)
    chart.reached[start] = 0
    chart.now[0] = start
    while count:
        next_count = 0
        while count:
            count -= 1
            space = chart.now[count]
            for side in range(SIDES):
                hex = chart.beside[space * SIDES + side]
                if hex == NOWHERE or chart.reached[hex] != NONE:
                    continue
                if hex < MAX_HEXES and tables.kind[hex] == WATER:
                    chart.reached[hex] = <u8>(distance + 1)
                    chart.later[next_count] = hex
                    next_count += 1
                elif crossing and (hex >= MAX_HEXES or tables.kind[hex] == ZEUS):
                    # Crossed at no cost (R33), so it belongs to this layer.
                    chart.reached[hex] = <u8>distance
                    chart.now[count] = hex
                    count += 1
        chart.now, chart.later = chart.later, chart.now
        count = next_count
        distance += 1
    for hex in range(MAX_HEXES):
        if tables.kind[hex] == WATER:
            tables.distance[crossing][start][hex] = chart.reached[hex]
    tables.distance[crossing][start][tables.zeus] = <u8>steps_to_zeus(tables, chart, start)


cdef int steps_to_zeus(const Tables* tables, Chart chart, int start) noexcept:
    """One more than to the nearest space beside it: as the destination the Zeus space counts (R16, R33)."""
    cdef int side, beside, best = NONE
    if start == tables.zeus:
        return 0
    for side in range(SIDES):
        beside = chart.beside[tables.zeus * SIDES + side]
        if beside != NOWHERE and chart.reached[beside] != NONE:
            best = min(best, chart.reached[beside] + 1)
    return best


cdef void fill_nearest(Tables* tables, int crossing, int start) noexcept nogil:
    """Sorts the water of each color by distance; hexes come in order, so equal distances stay in order."""
    cdef int hex, color, rank
    cdef int count[COLORS]
    cdef u8* row = tables.distance[crossing][start]
    cdef u8* sorted_hexes
    memset(count, 0, sizeof(count))
    for hex in range(MAX_HEXES):
        if tables.kind[hex] != WATER:
            continue
        color = tables.color[hex]
        sorted_hexes = tables.nearest[crossing][start][color]
        rank = count[color]
        while rank > 0 and row[sorted_hexes[rank - 1]] > row[hex]:
            sorted_hexes[rank] = sorted_hexes[rank - 1]
            rank -= 1
        sorted_hexes[rank] = <u8>hex
        count[color] += 1


# -- reach

cdef void fill_near(Tables* tables, Chart chart, int ship) noexcept:
    """What a ship can reach: beside it, and with a reach card beside water that is beside it (R17, R34)."""
    cdef int side, beside
    add_beside(tables, chart, &tables.near[0][ship], ship)
    add_beside(tables, chart, &tables.near[1][ship], ship)
    for side in range(SIDES):
        beside = chart.beside[ship * SIDES + side]
        if 0 <= beside < MAX_HEXES and tables.kind[beside] == WATER:
            add_beside(tables, chart, &tables.near[1][ship], beside)


cdef void add_beside(const Tables* tables, Chart chart, Near* near, int space) noexcept:
    cdef int side, hex, kind, bit
    for side in range(SIDES):
        hex = chart.beside[space * SIDES + side]
        if not 0 <= hex < MAX_HEXES or is_sailable(tables, hex):
            continue
        kind = tables.kind[hex]
        bit = 1 << tables.slot[hex]
        if kind == ISLAND_TILE:
            near.tiles |= <u16>bit
        elif kind == MONSTER_ISLAND:
            near.monsters |= <u16>bit
        elif kind == OFFERING_ISLAND:
            near.offerings |= <u8>bit
        elif kind == TEMPLE_ISLAND:
            near.temples |= <u8>bit
        elif kind == STATUE_ISLAND:
            near.statues |= <u8>bit
        elif kind == CITY:
            near.cities |= <u8>bit


cdef bint is_near(const Tables* tables, const Near* near, int hex) noexcept nogil:
    cdef int kind = tables.kind[hex], slot = tables.slot[hex]
    if kind == ISLAND_TILE:
        return (near.tiles >> slot) & 1
    if kind == MONSTER_ISLAND:
        return (near.monsters >> slot) & 1
    if kind == OFFERING_ISLAND:
        return (near.offerings >> slot) & 1
    if kind == TEMPLE_ISLAND:
        return (near.temples >> slot) & 1
    if kind == STATUE_ISLAND:
        return (near.statues >> slot) & 1
    return kind == CITY and (near.cities >> slot) & 1


cdef void fill_approach(Tables* tables) noexcept nogil:
    """For each land hex the water spaces that have it in reach, and from everywhere the nearest of those."""
    cdef int crossing, reach, ship, land, water
    cdef u8 spaces
    memset(tables.approach, NONE, sizeof(tables.approach))
    for reach in range(2):
        for land in range(MAX_HEXES):
            for water in range(MAX_HEXES):
                if tables.kind[water] != WATER or not is_near(tables, &tables.near[reach][water], land):
                    continue
                for crossing in range(2):
                    for ship in range(MAX_HEXES):
                        spaces = tables.distance[crossing][ship][water]
                        if spaces < tables.approach[crossing][reach][ship][land]:
                            tables.approach[crossing][reach][ship][land] = spaces
                            tables.stop[crossing][reach][ship][land] = <u8>water


# -- for tests

def tables_as_dict(list board, int players):
    """For tests: the tables of a board as plain lists and numbers, by the names of `tables.pxd`."""
    cdef Tables tables
    cdef int crossing, hex, color
    fill_tables(&tables, board, players)
    return {
        "players": tables.players,
        "zeus": tables.zeus,
        "first_row": tables.first_row,
        "marked": tables.marked,
        "kind": bytes_of(tables.kind, MAX_HEXES),
        "color": bytes_of(tables.color, MAX_HEXES),
        "slot": bytes_of(tables.slot, MAX_HEXES),
        "q": [tables.q[hex] for hex in range(MAX_HEXES)],
        "r": [tables.r[hex] for hex in range(MAX_HEXES)],
        "tile_hex": bytes_of(tables.tile_hex, TILES),
        "monster_hex": bytes_of(tables.monster_hex, MONSTER_ISLANDS),
        "offering_hex": bytes_of(tables.offering_hex, OFFERING_ISLANDS),
        "statue_hex": bytes_of(tables.statue_hex, STATUE_ISLANDS),
        "city_hex": bytes_of(tables.city_hex, COLORS),
        "temple_hex": bytes_of(tables.temple_hex, COLORS),
        "tile_color": bytes_of(tables.tile_color, TILES),
        "tiles_of_color": [tables.tiles_of_color[color] for color in range(COLORS)],
        "sites": bytes_of(tables.sites, STATUE_ISLANDS),
        "distance": [
            [bytes_of(tables.distance[crossing][hex], MAX_HEXES) for hex in range(MAX_HEXES)]
            for crossing in range(2)
        ],
        "nearest": [
            [
                [bytes_of(tables.nearest[crossing][hex][color], WATER_PER_COLOR) for color in range(COLORS)]
                for hex in range(MAX_HEXES)
            ]
            for crossing in range(2)
        ],
        "near": [[tables.near[reach][hex] for hex in range(MAX_HEXES)] for reach in range(2)],
    }


cdef list bytes_of(const u8* values, int count):
    return list(values[:count])
