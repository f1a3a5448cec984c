"""How good a position is: for each seat the points it will have, by linear features of its area (weights.py)."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.keltis.state cimport Cards, KeltisState
from pythia.core_cy.keltis.tables cimport ALL_NUMBERS, NUMBERS, Tables, Worth
from pythia.core_cy.bits cimport count_bits
from pythia.core_cy.types cimport u32

# In the order of weights.FEATURES.
cdef enum:
    VALUE = 0
    PROGRESS = 1
    AT_START = 2
    WISH_NOW = 3
    STONES = 4
    STONES_MISSING = 5
    MIRRORS_HELD = 6
    PLAYS = 7
    OPEN = 8
    GOBLIN_1 = 9
    GOBLIN_2 = 10
    GOBLIN_3 = 11
    ORACLE_NEAR = 12
    ORACLE_FAR = 13
    ORACLE_REACH = 14
    NEXT_GAIN = 15
    FITS = 16
    VALUE_FADING = 17
    MIRRORED = 18
    STONES_AHEAD = 19

# The weights by name into the tables; every feature must be there.
cdef int fill_weights(Tables* t, dict values) except -1

# Turns that each seat still has, roughly: until figures end the game or the pile does.
cdef float turns_left(const Tables* t, const KeltisState* s) noexcept nogil
# How much of the game is left for things that pay later: 0 to 1.
cdef inline float fading(const Worth* worth, float turns) noexcept nogil:
    return turns / (turns + worth.fade)

# Points of a seat at the end, without what is open; `fade` is fading(turns).
cdef float expected_points(const Tables* t, const KeltisState* s, int seat, float fade) noexcept nogil

# What a figure on a space is worth, without what lies there.
cdef inline float figure_worth(const Tables* t, const Worth* w, int space, float fade) noexcept nogil:
    return ((w.weight[VALUE] + fade * w.weight[VALUE_FADING]) * t.value[space]
            + fade * (w.weight[PROGRESS] * space * <float>0.2 + (w.weight[AT_START] if space == 0 else 0)))

cdef inline int mirrored(int stones, int mirrors) noexcept nogil:
    return (stones if stones < 5 else 5) * mirrors

cdef inline float wish_worth(const Tables* t, const Worth* w, int stones, int mirrors, float fade) noexcept nogil:
    return (w.weight[WISH_NOW] * t.wish_value[stones] * (1 + mirrors)
            + fade * (w.weight[STONES] * stones + w.weight[MIRRORS_HELD] * mirrors
                      + w.weight[MIRRORED] * mirrored(stones, mirrors)
                      + (w.weight[STONES_MISSING] * (2 - stones) if stones < 2 else 0)))

cdef inline int count_in(const Cards* cards, int color, u32 numbers) noexcept nogil:
    return count_bits(cards.once[color] & numbers) + count_bits(cards.twice[color] & numbers)

# How many cards of a color can be played one after the other on a row: rising, falling, or the better of both ways.
cdef inline int chain(const Cards* hand, int color, bint empty, int top, int direction) noexcept nogil:
    cdef int up, down
    if empty:
        return count_in(hand, color, ALL_NUMBERS)
    up = count_in(hand, color, (ALL_NUMBERS << top) & ALL_NUMBERS)
    if direction > 0:
        return up
    down = count_in(hand, color, (2 << top) - 1)
    if direction < 0:
        return down
    return up if up > down else down

# The share of a color's numbers that the row can still take.
cdef inline float openness(bint empty, int top, int direction) noexcept nogil:
    cdef int up = NUMBERS - top, down = top + 1
    if empty:
        return 1
    if direction > 0:
        return up / <float>NUMBERS
    if direction < 0:
        return down / <float>NUMBERS
    return (up if up > down else down) / <float>NUMBERS

cdef void keltis_evaluate(tables_t tables, state_t state, double* values) noexcept nogil
cdef void keltis_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil
