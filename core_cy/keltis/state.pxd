"""A position of Keltis: Das Orakel as one plain struct, and the packing of its moves."""

from pythia.core_cy.bits cimport count_bits
from pythia.core_cy.keltis.tables cimport BIG_STONES, COLORS, FIGURES, MAX_SEATS
from pythia.core_cy.types cimport i8, move_t, u8, u16, u32

cdef enum:
    MAX_DISCARD = 22        # every card of a color
    NO_COLOR = 255

# What is open. DRAW is chance, OVER the end, all others are decisions of the seat whose turn it is.
cdef enum:
    PLAY = 0
    CLOVER_STEP = 1
    SPIRAL_BACK = 2
    GOBLIN_DROP = 3
    GOBLIN_SCORE = 4
    TAKE = 5
    DRAW = 6
    OVER = 7
    PHASES = 8

# A set of cards, in which each kind can be once or twice: bit n of a color is its card n.
ctypedef struct Cards:
    u16 once[COLORS]        # of which there is at least one
    u16 twice[COLORS]       # of which there are two

ctypedef struct Player:
    Cards hand
    Cards known             # those of the hand that everyone has seen: taken from discard piles
    Cards row               # laid out; a row is sorted, so its cards and direction say all
    u8 top[COLORS]          # the last card of each row, 0 for an empty one
    i8 direction[COLORS]    # 1 rising, -1 falling, 0 not decided (K9)
    u8 figures[FIGURES]     # spaces, farthest first: figures of a player are alike
    u8 stones
    u8 mirrors
    u8 goblin_scored
    u16 score

ctypedef struct KeltisState:
    Player players[MAX_SEATS]
    Cards pile              # drawn from by chance, so its order is not decided yet
    Cards removed
    u8 discard[COLORS][MAX_DISCARD]     # numbers, bottom first; 0 above the top
    u8 discards[COLORS]     # how many
    u8 stones[BIG_STONES]   # wish stones left
    u8 mirrors_taken        # bits, by number of the mirror
    u8 pile_count
    u8 priestess
    u8 phase
    u8 turn
    # Of the turn under way; 0 and NO_COLOR outside it.
    u8 space                # of the figure that moved
    u8 mover                # which of the figures that is
    u8 began[FIGURES]       # where each figure of the seat to act stood when the turn began (K10)
    u8 used[FIGURES]        # spirals that each has used: bits, by number of the spiral
    u8 draws                # cards still to be drawn
    u8 blocked              # color of the card discarded in this turn, which may not be taken back
    u16 round


# -- cards

cdef inline bint has_card(const Cards* cards, int color, int number) noexcept nogil:
    return (cards.once[color] >> number) & 1

cdef inline int count_card(const Cards* cards, int color, int number) noexcept nogil:
    return ((cards.once[color] >> number) & 1) + ((cards.twice[color] >> number) & 1)

cdef inline int count_cards(const Cards* cards) noexcept nogil:
    cdef int color, count = 0
    for color in range(COLORS):
        count += count_bits(cards.once[color]) + count_bits(cards.twice[color])
    return count

cdef inline void add_card(Cards* cards, int color, int number) noexcept nogil:
    cdef u16 bit = <u16>(1 << number)
    cards.twice[color] |= cards.once[color] & bit
    cards.once[color] |= bit

cdef inline void remove_card(Cards* cards, int color, int number) noexcept nogil:
    cdef u16 bit = <u16>(1 << number)
    if cards.twice[color] & bit:
        cards.twice[color] &= ~bit
    else:
        cards.once[color] &= ~bit


# -- moves: kind in bits 0-7, color in 8-15, number in 16-23, space or spaces in 24-31

cdef enum:
    PLAY_FIGURE = 1         # card; the figure on `space` moves
    PLAY_PRIESTESS = 2      # card; she moves `space` spaces
    DISCARD = 3             # card
    SCORE = 4
    STEP = 5                # a figure on `space` moves to the next space of the clover's color; `number`: which of them
    BACK = 6                # to `space`
    DROP_HAND = 7           # card
    DROP_ROW = 8            # color
    DECLINE = 9
    TAKE_PILE = 10
    TAKE_DISCARD = 11       # color
    DRAW_CARD = 12          # chance: card
    KINDS = 13

cdef inline move_t pack(int kind, int color, int number, int space) noexcept nogil:
    return <move_t>(<u32>kind | <u32>color << 8 | <u32>number << 16 | <u32>space << 24)

cdef inline int move_kind(move_t move) noexcept nogil:
    return move & 255

cdef inline int move_color(move_t move) noexcept nogil:
    return (move >> 8) & 255

cdef inline int move_number(move_t move) noexcept nogil:
    return (move >> 16) & 255

cdef inline int move_space(move_t move) noexcept nogil:
    return move >> 24
