"""What one board fixes, as C arrays: hexes, neighbours and distances.

Hexes are numbered in (r, q) order, shallows left out, so listing by number is listing as the
notation asks. Spaces of a kind are also numbered among themselves (their `slot`) in the same
order, except that cities and temples are numbered by their color.
"""

from pythia.core_cy.net cimport Net
from pythia.core_cy.types cimport i16, u8, u16, u64

cdef enum:
    COLORS = 6
    # 72 water, Zeus, 12 tile spaces, 9 monster islands, 6 each of offering, temple and statue islands and cities
    MAX_HEXES = 118
    WATER_PER_COLOR = 12
    TILES = 12
    MONSTER_ISLANDS = 9
    OFFERING_ISLANDS = 6
    STATUE_ISLANDS = 6
    NONE = 255              # no hex, no color, not reachable
    FEATURES = 66           # of the evaluation, in the order of weights.FEATURES
    MOVE_FEATURES = 127     # of the policy, in the order of weights.MOVE_FEATURES

# In wheel order, clockwise.
cdef enum:
    RED = 0
    BLACK = 1
    PINK = 2
    BLUE = 3
    YELLOW = 4
    GREEN = 5

cdef enum:
    ZEUS = 0
    WATER = 1
    CITY = 2
    ISLAND_TILE = 3
    STATUE_ISLAND = 4
    MONSTER_ISLAND = 5
    OFFERING_ISLAND = 6
    TEMPLE_ISLAND = 7

# What is in reach of a ship on one hex, as bit sets over slots (cities and temples: over colors).
ctypedef struct Near:
    u16 tiles
    u16 monsters
    u8 offerings
    u8 temples
    u8 statues
    u8 cities

# What the evaluation multiplies its features with (weights.py).
ctypedef struct Weights:
    float feature[FEATURES]
    double certainty
    double spread

# What priors and playouts add to the estimate of a move (weights.py).
ctypedef struct Policy:
    float prior[MOVE_FEATURES]
    float playout[MOVE_FEATURES]
    float temperature       # of the priors: a move that saves this many dice more is e times as likely
    float noise             # playouts differ by up to this many dice where scores are close
    u8 short_list           # playouts compare only the best sail of each color
    # Whether any weight is not 0, and any of those that are worked out for each move apart.
    u8 prior_learned
    u8 prior_by_move
    u8 playout_learned
    u8 playout_by_move

ctypedef struct Tables:
    Weights weights
    Policy policy
    Net net                                 # corrects the evaluation
    u8 players
    u8 zeus                                 # the hex of the Zeus space
    u8 first_row                            # the player-count row of the god track (R5)
    u8 kind[MAX_HEXES]
    u8 color[MAX_HEXES]                     # NONE where a hex has none
    u8 slot[MAX_HEXES]                      # number among the hexes of its kind
    i16 q[MAX_HEXES]
    i16 r[MAX_HEXES]
    u8 tile_hex[TILES]
    u8 monster_hex[MONSTER_ISLANDS]
    u8 offering_hex[OFFERING_ISLANDS]
    u8 statue_hex[STATUE_ISLANDS]
    u8 city_hex[COLORS]                     # by color
    u8 temple_hex[COLORS]                   # by color
    u8 tile_color[TILES]                    # color of the hexagon of a tile space
    u16 tiles_of_color[COLORS]              # tile spaces by that color, as bits
    u8 sites[STATUE_ISLANDS]                # colors of the building sites, as bits
    u16 marked                              # monster islands that are marked, as bits
    # Spaces to sail: [with cross_shallows][from][to], NONE when there is no way. `from` is water or
    # the Zeus space, and so is `to` (R15, R16, R33).
    u8 distance[2][MAX_HEXES][MAX_HEXES]
    # The water hexes of each color from nearest to farthest: [cross_shallows][from][color][rank].
    u8 nearest[2][MAX_HEXES][COLORS][WATER_PER_COLOR]
    # [with a reach card][ship] (R17, R34).
    Near near[2][MAX_HEXES]
    # Spaces to sail until a land hex is in reach, and the space where that is first so:
    # [cross_shallows][reach card][from][land hex]. For planning.
    u8 approach[2][2][MAX_HEXES][MAX_HEXES]
    u8 stop[2][2][MAX_HEXES][MAX_HEXES]
    u64 key                                 # differs for each board, for caches


# Fills the tables from a checked board, the list of {"q", "r", "kind", "color", ...} that board.py makes.
cdef int fill_tables(Tables* tables, list board, int players) except -1
