"""A position of Deukalion as one plain struct, and the packing of its moves."""

from pythia.core_cy.deukalion.tables cimport CARDS, CITIES, COLORS, KINDS, MAX_SEATS, PERMANENT, SETTLEMENTS
from pythia.core_cy.types cimport move_t, u8, u16, u32

cdef enum:
    NONE = 255              # no ship yet, no order in hand
    MAX_AHEAD = 24          # what can follow an open decision

# What is open, and what can follow it.
cdef enum:
    SETUP = 0
    ROLLING = 1             # chance
    FOLLOW = 2
    KYLIX = 3
    ACT = 4
    THROWING = 5            # chance
    LOOT = 6
    SPOILS = 7
    STEALING = 8            # chance
    DISPLACE = 9
    STYX = 10
    PLACE = 11
    REVEAL = 12             # chance: an order
    ASK = 13                # phase `claim`
    DRAWING = 14            # chance
    OVER = 15
    REFILL = 16             # only ahead: reveals orders while a place is free
    PHASES = 16

# What is fought for in THROWING.
cdef enum:
    SHIP_FIGHT = 0
    CITY_FIGHT = 1
    SETTLEMENT_FIGHT = 2
    HYDRA_FIGHT = 3         # a ship attacks it
    BITE = 4                # it attacks a ship
    FIGHTS = 5

# How the game ended.
cdef enum:
    BY_POINTS = 1
    BY_LENGTH = 2

cdef enum:
    THE_HYDRA = 4           # as the piece to displace; below it: the ship of a seat

ctypedef struct Step:
    # Something that is open or ahead. `item`: color, piece, loser or place, as its kind has it.
    u8 kind
    u8 seat
    u8 item

ctypedef struct Player:
    u8 ship                 # square
    u8 fighters             # aboard
    u8 underworld
    u8 treasures[COLORS]
    u8 victory_cards
    u8 permanent[PERMANENT]
    u8 hand[KINDS]
    u8 hand_count
    u8 order
    u8 knows[MAX_SEATS][KINDS]  # cards known to be in the hands of others, at least (D32)
    u8 order_points         # of the fulfilled orders
    u16 fulfilled           # bits

ctypedef struct DeukalionState:
    Player players[MAX_SEATS]
    u8 cities[CITIES][COLORS]
    u8 owner[SETTLEMENTS]   # 0 without fighters
    u8 garrison[SETTLEMENTS]
    u8 hydra
    u8 pile[KINDS]          # drawn from by chance, so its order is not decided yet
    u8 pile_count
    u8 under[CARDS]         # used cards beneath the pile, next to be drawn first; 0 behind the last
    u8 under_count
    u8 order_pile_count
    u16 open_orders, removed_orders, order_pile     # bits
    u8 victory_cards
    u16 round
    u8 turn, mover
    Step now                # what is open
    u8 ahead_count
    Step ahead[MAX_AHEAD]   # what follows, next last; 0 above the top
    # Of a throw.
    u8 fight, defender
    u8 attacker
    u8 defending            # the attacker has thrown: `score` is his, in halves
    u16 score
    # Of an order that was revealed.
    u8 revealed             # the order
    u8 asked                # bits: seats still to be asked
    move_t claims[MAX_SEATS]
    # The dice: 0 before they are thrown or placed.
    u16 roll                # center and ring, see tables.pxd
    u8 card_die, fighters_die, sail_die, hydra_die
    # Of the mover in this turn.
    u8 sailed, acted, delivered, card_used, fighters_used, hydra_used, wind, cry
    # Once over.
    u8 result, winners      # bits


# -- moves: kind in bits 0-4, the rest above

cdef enum:
    ANCHOR = 1              # square
    SAIL = 2                # square
    MOVE_HYDRA = 3          # square
    DISPLACE_TO = 4         # square
    REST = 5
    END = 6
    STAND = 7               # the cup: four dice
    USE_CARD = 8
    USE_FIGHTERS = 9
    TAKE = 10               # color
    DECLINE = 11
    STEAL = 12
    FETCH = 13
    DROP = 14               # color
    PLACE_IN = 15           # city
    FOUND = 16              # settlement
    ATTACK_SETTLEMENT = 17
    ATTACK_CITY = 18
    DELIVER = 19            # color
    CLAIM_TREASURES = 20    # order, and how many of each color
    CLAIM_FIGHTERS = 21     # order
    CLAIM_CARDS = 22        # order, and how many of each kind
    PLAY = 23               # kind of card
    ROLL = 24               # chance: center and ring
    THROW = 25              # chance: up, down, half
    DRAW = 26               # chance: kind of card
    STOLEN = 27             # chance: kind of card
    ORDER = 28              # chance: order
    MOVE_KINDS = 29

cdef inline move_t pack(int kind, u32 rest) noexcept nogil:
    return <move_t>(<u32>kind | rest << 5)

cdef inline int move_kind(move_t move) noexcept nogil:
    return move & 31

# The square, color, place, kind of card, order, or dice.
cdef inline int move_item(move_t move) noexcept nogil:
    return move >> 5

# Claims: the order in bits 5-9, then three bits for each color or kind of card.
cdef inline move_t pack_claim(int kind, int order, u32 counts) noexcept nogil:
    return <move_t>(<u32>kind | <u32>order << 5 | counts << 10)

cdef inline int claim_order(move_t move) noexcept nogil:
    return (move >> 5) & 31

cdef inline int claim_count(move_t move, int place) noexcept nogil:
    return (move >> (10 + 3 * place)) & 7

# Throws: up, down and half, four bits each.
cdef inline move_t pack_throw(int up, int down, int half) noexcept nogil:
    return pack(THROW, <u32>up | <u32>down << 4 | <u32>half << 8)

cdef inline int thrown_up(move_t move) noexcept nogil:
    return (move >> 5) & 15

cdef inline int thrown_down(move_t move) noexcept nogil:
    return (move >> 9) & 15

cdef inline int thrown_half(move_t move) noexcept nogil:
    return (move >> 13) & 15
