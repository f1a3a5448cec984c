"""What a seat can see: all but the pile, the removed cards, and what others hold and did not take in the open.

Discards are seen by everyone when they are made, so all of each discard pile counts as known, not only its top.
"""

from libc.string cimport memcpy, memset

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.keltis.state cimport Cards, KeltisState, Player, add_card, count_card, count_cards, remove_card
from pythia.core_cy.keltis.tables cimport CARDS, COLORS, NUMBERS, Tables
from pythia.core_cy.rng cimport Rng, rng_below
from pythia.core_cy.types cimport u8, u32, u64


cdef void add_all(Cards* cards, const Cards* more, const Cards* less) noexcept nogil:
    """Adds one set without another that is part of it."""
    cdef int color, number, _copy
    for color in range(COLORS):
        if not more.once[color]:
            continue
        for number in range(NUMBERS):
            for _copy in range(count_card(more, color, number) - count_card(less, color, number)):
                add_card(cards, color, number)


cdef void deal(Cards* hidden, u8* cards, int* left, Cards* to, int count, Rng* rng) noexcept nogil:
    """Moves a number of cards, drawn uniformly, from the hidden ones to a set."""
    cdef int j, card, _card
    for _card in range(count):
        j = <int>rng_below(rng, <u32>left[0])
        left[0] -= 1
        card = cards[j]
        cards[j] = cards[left[0]]
        add_card(to, card // NUMBERS, card % NUMBERS)
        remove_card(hidden, card // NUMBERS, card % NUMBERS)


cdef void keltis_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil:
    """Deals all that the observer has not seen anew, every way alike; cards known to be in a hand stay there."""
    cdef const Tables* t = <const Tables*>tables
    cdef KeltisState* s = <KeltisState*>state
    cdef Player* p
    cdef Cards hidden, nothing
    cdef u8 cards[CARDS]
    cdef int seat, color, number, size, _copy, left = 0
    memset(&hidden, 0, sizeof(Cards))
    memset(&nothing, 0, sizeof(Cards))
    add_all(&hidden, &s.pile, &nothing)
    add_all(&hidden, &s.removed, &nothing)
    for seat in range(t.players):
        if seat != observer:
            add_all(&hidden, &s.players[seat].hand, &s.players[seat].known)
    # By kind, so that where they really are has no say.
    for color in range(COLORS):
        for number in range(NUMBERS):
            for _copy in range(count_card(&hidden, color, number)):
                cards[left] = <u8>(color * NUMBERS + number)
                left += 1
    for seat in range(t.players):
        if seat != observer:
            p = &s.players[seat]
            size = count_cards(&p.hand) - count_cards(&p.known)
            p.hand = p.known
            deal(&hidden, cards, &left, &p.hand, size, rng)
    # The smaller part is dealt, the other is what is left.
    memset(&s.removed, 0, sizeof(Cards))
    memset(&s.pile, 0, sizeof(Cards))
    if t.removed < s.pile_count:
        deal(&hidden, cards, &left, &s.removed, t.removed, rng)
        s.pile = hidden
    else:
        deal(&hidden, cards, &left, &s.pile, s.pile_count, rng)
        s.removed = hidden


cdef u64 keltis_information_key(tables_t tables, state_t state, int observer) noexcept nogil:
    cdef KeltisState seen
    cdef int seat
    memcpy(&seen, state, sizeof(KeltisState))
    memset(&seen.pile, 0, sizeof(Cards))
    memset(&seen.removed, 0, sizeof(Cards))
    for seat in range((<const Tables*>tables).players):
        if seat != observer:
            seen.players[seat].hand = seen.players[seat].known
    return hash_bytes(&seen, sizeof(KeltisState))


cdef u64 keltis_position_hash(tables_t tables, state_t state) noexcept nogil:
    return hash_bytes(state, sizeof(KeltisState))


cdef int keltis_turn_number(tables_t tables, state_t state) noexcept nogil:
    cdef const KeltisState* s = <const KeltisState*>state
    return s.round * (<const Tables*>tables).players + s.turn


cdef u64 keltis_chance_stream(tables_t tables, state_t state) noexcept nogil:
    """Seat and turn; there is one purpose only, to draw a card."""
    return <u64>keltis_turn_number(tables, state) << 8 | (<const KeltisState*>state).turn
