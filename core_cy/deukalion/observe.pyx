"""What a seat can see (D31, D32): all but the hands and orders of others, the piles, and what others know of others.

The cards under the pile are known in their order. Cards that the observer knows to be in a hand stay there, and all
others are dealt again, every deal equally likely. An open decision can reveal more: a player who claims an order with
cards has them, and one who attacks the Hydra while no open order asks for it holds one that does.
"""

from libc.string cimport memcpy, memset

from pythia.core_cy.bits cimport count_bits, lowest
from pythia.core_cy.deukalion.state cimport (
    ASK, CLAIM_CARDS, DeukalionState, HYDRA_FIGHT, NONE, Player, SETUP, THROWING, claim_count,
    move_kind,
)
from pythia.core_cy.deukalion.tables cimport CARDS, KINDS, MAX_SEATS, Tables
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.rng cimport Rng, rng_below
from pythia.core_cy.types cimport u8, u16, u32, u64


cdef void seen_in_hand(const Tables* t, const DeukalionState* s, int seat, int observer, u8* cards) noexcept nogil:
    """The cards that the observer knows to be in the hand of another seat."""
    cdef int kind
    memset(cards, 0, KINDS)
    if observer >= 0:
        memcpy(cards, s.players[observer].knows[seat], KINDS)
    if s.now.kind == ASK and move_kind(s.claims[seat]) == CLAIM_CARDS:
        for kind in range(KINDS):
            if cards[kind] < claim_count(s.claims[seat], kind):
                cards[kind] = <u8>claim_count(s.claims[seat], kind)


cdef void deal_hands(const Tables* t, DeukalionState* s, int observer, Rng* rng) noexcept nogil:
    cdef u8 known[MAX_SEATS][KINDS]
    cdef u8 cards[CARDS]
    cdef Player* p
    cdef int seat, kind, i, _card, unknown, left = 0
    # By kind, so that where they really are has no say: first all that is hidden goes to the pile.
    for seat in range(t.players):
        if seat == observer:
            continue
        seen_in_hand(t, s, seat, observer, known[seat])
        for kind in range(KINDS):
            s.pile[kind] += s.players[seat].hand[kind] - known[seat][kind]
    for kind in range(KINDS):
        for _card in range(s.pile[kind]):
            cards[left] = <u8>kind
            left += 1
    for seat in range(t.players):
        if seat == observer:
            continue
        p = &s.players[seat]
        unknown = p.hand_count
        for kind in range(KINDS):
            p.hand[kind] = known[seat][kind]
            unknown -= known[seat][kind]
        for _card in range(unknown):
            i = <int>rng_below(rng, <u32>left)
            left -= 1
            p.hand[cards[i]] += 1
            s.pile[cards[i]] -= 1
            cards[i] = cards[left]


cdef int draw_order(u16* orders, u16 among, Rng* rng) noexcept nogil:
    cdef u32 left = orders[0] & among
    cdef int i, _skipped
    for _skipped in range(<int>rng_below(rng, <u32>count_bits(left))):
        left &= left - 1
    i = lowest(left)
    orders[0] &= ~<u16>(1 << i)
    return i


cdef void deal_orders(const Tables* t, DeukalionState* s, int observer, Rng* rng) noexcept nogil:
    cdef u16 hidden = s.order_pile
    cdef int seat, hunter = -1
    for seat in range(t.players):
        if seat != observer and s.players[seat].order != NONE:
            hidden |= <u16>(1 << s.players[seat].order)
    if s.now.kind == THROWING and s.fight == HYDRA_FIGHT and not s.open_orders & t.hydra_orders:
        hunter = s.attacker
        if hunter != observer and hidden & t.hydra_orders:
            s.players[hunter].order = <u8>draw_order(&hidden, t.hydra_orders, rng)
    for seat in range(t.players):
        if seat != observer and seat != hunter and s.players[seat].order != NONE:
            s.players[seat].order = <u8>draw_order(&hidden, 0xFFFF, rng)
    s.order_pile = hidden


cdef void forget_others(const Tables* t, DeukalionState* s, int observer) noexcept nogil:
    """What others know of third hands is not for the observer."""
    cdef int seat, other
    for seat in range(t.players):
        if seat == observer:
            continue
        for other in range(t.players):
            if other != observer:
                memset(s.players[seat].knows[other], 0, KINDS)


cdef void deukalion_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef DeukalionState* s = <DeukalionState*>state
    deal_hands(t, s, observer, rng)
    deal_orders(t, s, observer, rng)
    forget_others(t, s, observer)


cdef u64 deukalion_information_key(tables_t tables, state_t state, int observer) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef DeukalionState seen
    cdef Player* p
    cdef int seat
    memcpy(&seen, state, sizeof(DeukalionState))
    memset(seen.pile, 0, sizeof(seen.pile))
    seen.order_pile = 0
    for seat in range(t.players):
        if seat != observer:
            p = &seen.players[seat]
            memset(p.hand, 0, sizeof(p.hand))
            # That there is one shows.
            p.order = <u8>(p.order != NONE)
    forget_others(t, &seen, observer)
    return hash_bytes(&seen, sizeof(DeukalionState))


cdef u64 deukalion_position_hash(tables_t tables, state_t state) noexcept nogil:
    return hash_bytes(state, sizeof(DeukalionState))


cdef int deukalion_turn_number(tables_t tables, state_t state) noexcept nogil:
    """Counts the turns of movers, passive and active: what one of them does can be reordered. 0 is the set-up."""
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int place
    if s.now.kind == SETUP:
        return 0
    # The active player rolls first and acts last: before the dice lie, his turn is not the last of the round's.
    place = (s.mover - s.turn - 1 + t.players) % t.players if s.roll else 0
    return ((s.round - 1) * t.players + s.turn) * t.players + place + 1


cdef u64 deukalion_chance_stream(tables_t tables, state_t state) noexcept nogil:
    """What happens, to whom, and in which turn."""
    cdef const DeukalionState* s = <const DeukalionState*>state
    return <u64>deukalion_turn_number(tables, state) << 16 | <u64>s.now.kind << 8 | s.now.seat
