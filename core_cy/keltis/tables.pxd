"""What one game fixes, as C arrays: the path with its tiles, and what things score."""

from pythia.core_cy.types cimport i8, u8

cdef enum:
    COLORS = 5
    NUMBERS = 11
    ALL_NUMBERS = (1 << 11) - 1
    CARDS = 110
    HAND = 8
    MAX_SEATS = 4
    FIGURES = 3
    SPACES = 36             # the start stone is 0, the end 35
    LAST_SPACE = 35
    BIG_STONES = 5
    WISH_STONES = 9
    TILE_COUNT = 30
    SPIRALS = 3
    GOBLINS = 3
    MIRRORS = 3
    FEATURES = 20           # of the evaluation, in the order of weights.FEATURES
    MOVE_FEATURES = 63      # of the policy, in the order of weights.MOVE_FEATURES

# What a figure finds on a space.
cdef enum:
    NOTHING = 0             # the start stone
    POINTS = 1
    CLOVER = 2
    SPIRAL = 3
    GOBLIN = 4
    MIRROR = 5
    WISH = 6                # a big stone

# What things on the path and cards are worth, to the evaluation or to the policy.
ctypedef struct Worth:
    float weight[FEATURES]      # by feature of the evaluation (weights.py)
    float fade, goblin_drop

# What priors and playouts add to the estimate of a move (weights.py).
ctypedef struct Policy:
    Worth worth                 # what the estimate is made of; never changed, unlike that of the evaluation
    float prior[MOVE_FEATURES]
    float playout[MOVE_FEATURES]
    float prior_temperature, playout_temperature, gift
    bint prior_learned, playout_learned     # whether any of them is not 0

ctypedef struct Tables:
    Worth worth
    Policy policy
    float scale_base, scale_growth, draw
    u8 players
    u8 any_figure               # the clover moves any own figure (K12)
    u8 goal                     # first space of the goal area
    u8 figures_in_goal          # that end the game, of all players
    u8 oracle_bonus
    u8 removed                  # cards that left the game unseen
    u8 goblin_value[FIGURES + 1]    # by the number of different goblin spaces
    u8 color[SPACES]
    i8 value[SPACES]            # at the end, for each figure
    u8 tile[SPACES]
    u8 detail[SPACES]           # points; color of a clover; number of a spiral, mirror or big stone
    u8 next[SPACES][COLORS]     # the next space of a color after this one; 0: there is none
    u8 reach[NUMBERS]           # of the priestess, by card
    i8 wish_value[WISH_STONES + 1]
    u8 big[BIG_STONES]          # the spaces of the big stones
    u8 wish_stones[BIG_STONES]  # on each at the start
    u8 mirror[MIRRORS]          # the spaces of the mirrors

# `path`: which tile (a place in components.TILES) lies on each small stone. `goblins`: the three values.
cdef int fill_tables(Tables* t, int players, dict path, list goblins, bint any_figure) except -1
