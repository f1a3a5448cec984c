"""The facts of components.py and the path of one game as C arrays; see tables.pxd."""

from libc.string cimport memset

from pythia.core_cy.keltis import components
from pythia.core_cy.types cimport i8, u8

assert len(components.COLORS) == COLORS
assert components.NUMBERS == tuple(range(NUMBERS))
assert COLORS * NUMBERS * components.COPIES == CARDS and components.COPIES == 2
assert components.HAND == HAND
assert components.MAX_PLAYERS == MAX_SEATS
assert components.FIGURES == FIGURES
assert components.LAST_SPACE == LAST_SPACE and SPACES == LAST_SPACE + 1
assert len(components.BIG_STONES) == BIG_STONES and sum(components.BIG_STONES.values()) == WISH_STONES
assert len(components.TILES) == TILE_COUNT
assert [word for word, _ in components.TILES].count("mirror") == MIRRORS
assert len(components.WISH_VALUES) == WISH_STONES + 1 and len(components.GOBLIN_VALUES) == FIGURES

cdef dict TILE_NUMBERS = {"points": POINTS, "clover": CLOVER, "spiral": SPIRAL, "goblin": GOBLIN, "mirror": MIRROR}


cdef int fill_tables(Tables* t, int players, dict path, list goblins, bint any_figure) except -1:
    cdef int space, color, ahead, kind, i
    cdef int counts[WISH + 1]
    memset(t, 0, sizeof(Tables))
    memset(counts, 0, sizeof(counts))
    t.players = <u8>players
    t.any_figure = any_figure
    t.goal = components.GOAL
    t.figures_in_goal = components.FIGURES_IN_GOAL
    t.oracle_bonus = components.ORACLE_BONUS
    t.removed = components.removed_cards(players)
    for i, points in enumerate(goblins):
        t.goblin_value[i + 1] = points
    for i in range(NUMBERS):
        t.reach[i] = components.priestess_reach(i)
    for i in range(WISH_STONES + 1):
        t.wish_value[i] = components.WISH_VALUES[i]
    for space in range(SPACES):
        t.value[space] = <i8>components.end_value(space)
        t.color[space] = components.COLORS.index(components.space_color(space)) if space else COLORS
    for space in range(SPACES):
        for color in range(COLORS):
            for ahead in range(LAST_SPACE, space, -1):
                if t.color[ahead] == color:
                    t.next[space][color] = <u8>ahead
    for i, (stone, stones) in enumerate(components.BIG_STONES.items()):
        t.big[i] = stone
        t.wish_stones[i] = stones
        t.tile[t.big[i]] = WISH
        t.detail[t.big[i]] = <u8>i
    for space in components.SMALL_STONES:
        word, detail = components.TILES[path[space]]
        kind = TILE_NUMBERS[word]
        t.tile[space] = <u8>kind
        if kind == POINTS:
            t.detail[space] = detail
        elif kind == CLOVER:
            t.detail[space] = components.COLORS.index(detail)
        else:
            t.detail[space] = <u8>counts[kind]
            if kind == MIRROR:
                t.mirror[counts[kind]] = <u8>space
            counts[kind] += 1
    return 0
