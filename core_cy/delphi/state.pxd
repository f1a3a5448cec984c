"""A position of The Oracle of Delphi as one plain struct, and the packing of its moves."""

from pythia.core_cy.delphi.tables cimport (
    COLORS, MONSTER_ISLANDS, OFFERING_ISLANDS, STATUE_ISLANDS, TILES,
)
from pythia.core_cy.types cimport move_t, u8, u16, u32

cdef enum:
    MAX_SEATS = 4
    TOP_ROW = 6
    MAX_SHIELD = 5
    MAX_FAVOR = 9999        # no limit in the rules (R14); far more than 100 rounds can bring
    MAX_ROUNDS = 100        # R29
    MAX_FRAMES = 24

# In the order of the component list, as the format asks. NO_SHIP_TILE until drafted.
cdef enum:
    SHIP_SHIELD = 0
    SHIP_GODS = 1
    SHIP_RANGE = 2
    SHIP_TWO_WAY_RECOLOR = 3
    SHIP_FAVOR = 4
    SHIP_ELEVEN_TASKS = 5
    SHIP_CHEAP_RECOLOR = 6
    SHIP_EQUIPPED = 7
    SHIP_TILES = 8
    NO_SHIP_TILE = 255

cdef enum:
    FAVOR_ON_YELLOW = 0
    FAVOR_ON_RED = 1
    FAVOR_ON_BLACK = 2
    EXTRA_ACTION = 3
    PINK_BUNDLE = 4
    GREEN_BUNDLE = 5
    BLUE_BUNDLE = 6
    WINDFALL = 7
    RANGE_PLUS_1 = 8
    STATUE_REACH = 9
    FIGHT_EXPLORE_BUILD_REACH = 10
    OFFERING_REACH = 11
    GOD_STEP_ON_REWARD = 12
    SCOUT_CARD = 13
    CROSS_SHALLOWS = 14
    INJURY_TOLERANCE = 15
    STORAGE_AND_SHIELD = 16
    TAKE_OFFERING_A = 17
    TAKE_OFFERING_B = 18
    TAKE_STATUE_A = 19
    TAKE_STATUE_B = 20
    GOD_TO_TOP = 21
    EQUIPMENT_CARDS = 22

cdef enum:
    HERO = 0
    DEMIGOD = 1
    CREATURE = 2

cdef enum:
    PHI = 0
    PSI = 1
    SIGMA = 2
    OMEGA = 3

# The 12 island tiles: tile id = 3 * seat of its color + n, letters as printed (components.py).

# Phases, events and what else can wait on the stack. START, ACT and OVER are the phase while the
# stack is empty; all others stand on the stack.
cdef enum:
    START = 0
    ACT = 1
    OVER = 2
    # decisions
    DRAFT = 3
    SETUP = 4
    FIGHT = 5           # hex, color, n: strength
    EQUIP = 6
    COMPANION = 7       # color
    STEP = 8            # n: steps left
    HEAL = 9
    EFFECT = 10         # card
    SCOUT = 11          # tile_a, tile_b: slots
    FOLLOW = 12
    # events
    ROLL = 13
    BATTLE = 14         # hex, color, n: strength
    TITAN = 15
    ORACLE = 16
    INJURY = 17
    EQUIPMENT = 18
    # what happens by itself when reached
    GAIN_FAVOR = 19     # n
    GAIN_SHIELD = 20    # n
    ADVANCE_GOD = 21    # color
    RETURN_GOD = 22     # color
    NEXT_TURN = 23
    BEGIN = 24
    KINDS = 25

ctypedef struct Frame:
    u8 kind
    u8 seat
    u8 hex
    u8 color
    u8 n
    u8 card
    u8 tile_a
    u8 tile_b

# Colors index arrays and bit sets; `c` in a comment is a color's bit.
ctypedef struct Player:
    u32 companions              # bit 3 * color + kind
    u32 equipment               # bit per card, used one-time cards included
    u16 favor
    u16 knows                   # face-down tile slots this player has looked at
    u8 ship                     # hex
    u8 shield
    u8 ship_tile
    u8 card_played              # color of the oracle card played this turn, or NONE
    u8 apollon                  # active this turn
    u8 extra_used
    u8 arrived
    u8 dice[COLORS]             # counts
    u8 dice_left[COLORS]
    u8 oracle_cards[COLORS]
    u8 injuries[COLORS]
    u8 gods[COLORS]             # row of the god of each color
    # Tasks left: counts, and for offerings and monsters one white tile and a set of colored ones.
    u8 shrine_tasks
    u8 statue_tasks
    u8 any_offering
    u8 any_monster
    u8 offering_tasks
    u8 monster_tasks
    # Tasks done.
    u8 shrines_done
    u8 statues_done
    u8 offerings_done
    u8 monsters_done
    # Cargo.
    u8 offerings_aboard
    u8 statues_aboard

ctypedef struct DelphiState:
    Player players[MAX_SEATS]
    u32 display                     # equipment on display
    u32 equipment_pile
    u16 face_up                     # tile slots
    u16 shrines                     # tile slots with a shrine
    u8 tile[TILES]                  # the tile on each slot
    u8 offerings[OFFERING_ISLANDS]  # colors left on each island
    u8 monsters[MONSTER_ISLANDS]
    u8 raised[STATUE_ISLANDS]       # colors of the statues raised
    u8 statues[COLORS]              # left in each city
    u8 oracle_pile[COLORS]
    u8 oracle_discard[COLORS]
    u8 injury_pile[COLORS]
    u8 injury_discard[COLORS]
    u8 ships_on_offer               # in a draft
    u8 round
    u8 turn
    u8 phase                        # START, ACT or OVER
    u8 by_length                    # over without an arrival (R29)
    u8 frames                       # how many wait; the last is the one open now
    Frame stack[MAX_FRAMES]

# -- moves: kind, source, natural color, used color, two arguments (hexes, ids or colors)
#    bits 0-5, 6-8, 9-11, 12-14, 15-22, 23-30. A field that a move does not use is 0, so that equal
#    moves have equal codes. Moves with a die or card: color is its own color, used the color it is
#    used as (the same for draw, favor and look). With `extra:c` both are c; `extra draw`,
#    `extra favor` and `extra look` have NO_COLOR for both. With a god: color is the god's color, used
#    the color of the monster or statue it takes, else again the god's color.

cdef enum:
    NO_SOURCE = 0
    DIE = 1
    CARD = 2
    EXTRA = 3
    GOD = 4

cdef enum:
    NO_MOVE = 0
    # actions: with a source; color, used
    SAIL = 1                # a: hex
    FIGHT_MONSTER = 2       # a: hex, used: monster color (god:ares too)
    EXPLORE = 3             # a: hex
    BUILD = 4               # a: hex
    LOAD_OFFERING = 5       # a: hex
    DELIVER = 6             # a: hex
    LOAD_STATUE = 7         # a: hex; god:hermes: used is the color, a is 0
    RAISE = 8               # a: hex
    HEAL_INJURIES = 9       # god:aphrodite too
    ADVANCE = 10
    BUNDLE = 11
    DRAW = 12
    TAKE_FAVOR = 13         # `favor`, and at the start of a turn `take favor` (no source)
    LOOK = 14               # a, b: hexes, b NONE for a single tile; no source: scout
    INSPIRE = 15
    # without a source
    END = 16
    CHOOSE_SHIP = 17        # a: ship tile
    RETURN_SHRINE = 18
    RETURN_STATUE = 19
    RETURN_OFFERING = 20    # color, NO_COLOR for any
    RETURN_MONSTER = 21     # color, NO_COLOR for any
    TAKE_EQUIPMENT = 22     # a: card
    RECOVER = 23            # color <= used <= a, in wheel order
    STEP_GOD = 24           # color
    FIGHT_ON = 25
    GIVE_UP = 26
    TAKE_COMPANION = 27     # a: companion kind
    HEAL_COLOR = 28         # color
    TAKE_OFFERING = 29      # color, a: hex
    TAKE_STATUE = 30        # color
    GOD_TO_TOP_ROW = 31     # color
    DECLINE = 32
    REVEAL = 33             # a: hex
    NO_STEP = 34
    # chance outcomes
    ROLL_DICE = 35          # color <= used <= a
    ROLL_BATTLE = 36        # a
    ROLL_TITAN = 37         # a
    DRAW_ORACLE = 38        # color
    DRAW_INJURY = 39        # color
    REFILL_EQUIPMENT = 40   # a: card

cdef enum:
    NO_COLOR = 7            # in a move's color fields


cdef inline move_t pack(int kind, int source, int color, int used, int a, int b) noexcept nogil:
    return (<move_t>kind | (<move_t>source << 6) | (<move_t>color << 9) | (<move_t>used << 12)
            | (<move_t>a << 15) | (<move_t>b << 23))

cdef inline int move_kind(move_t move) noexcept nogil:
    return move & 63

cdef inline int move_source(move_t move) noexcept nogil:
    return (move >> 6) & 7

cdef inline int move_color(move_t move) noexcept nogil:
    return (move >> 9) & 7

cdef inline int move_used(move_t move) noexcept nogil:
    return (move >> 12) & 7

cdef inline int move_a(move_t move) noexcept nogil:
    return (move >> 15) & 255

cdef inline int move_b(move_t move) noexcept nogil:
    return (move >> 23) & 255
