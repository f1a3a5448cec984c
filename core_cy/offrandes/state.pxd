"""A position of Offrandes as one plain struct, and the packing of its moves."""

from pythia.core_cy.offrandes.tables cimport ALTARS, CHARACTERS, KINDS_OF_ANIMALS, MAX_SEATS
from pythia.core_cy.types cimport move_t, u8, u32

# What is open. FIRST is chance, OVER the end, all others are decisions.
cdef enum:
    FIRST = 0               # the start player is drawn (O2)
    SETUP = 1
    AUCTION = 2             # put up a pair, or end the auction turn (O5)
    OPEN = 3                # the auctioneer's bid (O6)
    BID = 4
    BRIBE = 5
    OFFER = 6
    OVER = 7
    PHASES = 8

ctypedef struct Player:
    u8 level[CHARACTERS]
    u8 drachmas
    u8 score                # on the track, without altars

ctypedef struct OffrandesState:
    # 96 bytes, all of them counted: sets of seats and of characters are bits.
    Player players[MAX_SEATS]
    u8 owner[ALTARS]        # seat + 1; 0 where nothing lies
    u8 number[ALTARS]
    u8 animal[ALTARS]       # its value
    u8 supply[KINDS_OF_ANIMALS]     # by value - 1
    u8 taken                # altars with an offering
    u8 round
    u8 first                # who has the start player's marker
    u8 turn                 # the auctioneer; in other phases as `actor`, and when over as `first`
    u8 actor                # who decides
    u8 phase
    # Of the auction turn under way, 0 outside it.
    u8 sold
    u8 buyers
    # Of the auction under way, 0 outside it.
    u8 pair
    u8 high
    u8 leader
    u8 bidders
    # Of phase 2, 0 outside it.
    u8 bribed


# -- moves: kind in bits 0-7, three arguments in 8-15, 16-23 and 24-31

cdef enum:
    RECRUIT = 1             # characters as bits
    PUT_UP = 2              # characters as bits
    END = 3
    MAKE_BID = 4            # drachmas
    PASS = 5
    MAKE_BRIBE = 6          # victim, ladder
    DECLINE = 7
    MAKE_OFFER = 8          # number, value of the animal, altar
    BEGIN = 9               # chance: seat
    KINDS = 10

cdef inline move_t pack(int kind, int a, int b, int c) noexcept nogil:
    return <move_t>(<u32>kind | <u32>a << 8 | <u32>b << 16 | <u32>c << 24)

cdef inline int move_kind(move_t move) noexcept nogil:
    return move & 255

cdef inline int move_a(move_t move) noexcept nogil:
    return (move >> 8) & 255

cdef inline int move_b(move_t move) noexcept nogil:
    return (move >> 16) & 255

cdef inline int move_c(move_t move) noexcept nogil:
    return move >> 24
