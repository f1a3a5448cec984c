"""Scores of moves; see policy.pxd. They are differences of the evaluation, put together without playing the moves.

An auction is judged by limits: what each seat would pay at most, which is what the pair brings it, in points, by
what a drachma is worth to it. The seat with the highest limit buys, for about the second highest.
"""

from libc.string cimport memcpy

from pythia.core_cy.bits cimport lowest
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.offrandes.evaluate cimport (
    Outlook, drachma_worth, keeping, ladder_points, look,
)
from pythia.core_cy.offrandes.rules cimport MAX_MOVES, climb, offrandes_legal_moves
from pythia.core_cy.offrandes.state cimport (
    AUCTION, BID, MAKE_BID, MAKE_BRIBE, MAKE_OFFER, OPEN, OffrandesState, PASS, PUT_UP, Player, SETUP,
    move_a, move_b, move_c, move_kind, pack,
)
from pythia.core_cy.offrandes.tables cimport (
    CHARACTERS, FLORIST, MAX_SEATS, PRIESTESS, TOP, Tables,
)
from pythia.core_cy.rng cimport Rng, rng_double
from pythia.core_cy.softmax cimport soften
from pythia.core_cy.types cimport move_t, u8, u32

# Points that make a move e times as likely, for priors and in playouts.
cdef float PRIOR_TEMPERATURE = 7.0
cdef float PLAYOUT_TEMPERATURE = 1.0
# The least weight of a move, beside the best: one that looks bad is still tried, by search soon.
cdef float PRIOR_LEAST = 0.02
cdef float PLAYOUT_LEAST = 0.001
# What a point that all others lose, or one of them gains, is to oneself.
cdef float RIVALRY = 1.0
# In playouts, limits are so much higher or lower than they seem.
cdef float HAGGLE = 0.2


# -- limits

cdef inline void step_up(Player* p, int character) noexcept nogil:
    if p.level[character] < TOP:
        p.level[character] += 1


cdef float pair_gain(const Outlook* o, int seat, u32 pair) noexcept nogil:
    """Points that a pair brings a seat."""
    cdef const Player* now = &o.s.players[seat]
    cdef Player then
    memcpy(&then, now, sizeof(Player))
    while pair:
        step_up(&then, lowest(pair))
        pair &= pair - 1
    return ladder_points(o, &then, seat) - ladder_points(o, now, seat)


cdef inline int limit_of(const Outlook* o, int seat, float gain, float worth) noexcept nogil:
    cdef int drachmas = o.s.players[seat].drachmas
    if gain >= worth * drachmas:
        return drachmas
    return <int>(gain / worth) if gain > 0 else 0


cdef void find_limits(const Outlook* o, u32 pair, u32 seats, Limits* found) noexcept nogil:
    cdef int seat
    for seat in range(o.t.players):
        found.limit[seat] = 0
        if (seats >> seat) & 1:
            found.worth[seat] = drachma_worth(o, seat)
            found.gain[seat] = pair_gain(o, seat, pair)
            found.limit[seat] = limit_of(o, seat, found.gain[seat], found.worth[seat])


cdef int buyer_of(const Limits* limits, u32 bidders, int leader, int high, int* price) noexcept nogil:
    cdef int seat, best = leader, most = limits.limit[leader], second = 0
    if most < high:
        most = high
    bidders &= ~(<u32>1 << leader)
    while bidders:
        seat = lowest(bidders)
        bidders &= bidders - 1
        if limits.limit[seat] <= high:
            continue
        if limits.limit[seat] > most:
            second = most
            most = limits.limit[seat]
            best = seat
        elif limits.limit[seat] > second:
            second = limits.limit[seat]
    price[0] = second
    if second < high + (best != leader):
        price[0] = high + (best != leader)
    return best


cdef u32 in_auction(const Outlook* o) noexcept nogil:
    """The seats that may still bid."""
    if o.s.phase == BID:
        return o.s.bidders
    return ((1 << o.t.players) - 1) & ~<u32>o.s.buyers


cdef void likely_sale(const Outlook* o, OffrandesState* sold) noexcept nogil:
    cdef Limits limits
    cdef int buyer, price, leader = o.s.leader, high = o.s.high
    if o.s.phase == OPEN:
        leader = o.s.actor
        high = 1
    find_limits(o, o.s.pair, in_auction(o), &limits)
    buyer = buyer_of(&limits, in_auction(o), leader, high, &price)
    memcpy(sold, o.s, sizeof(OffrandesState))
    sold.players[buyer].drachmas -= <u8>price
    climb(o.t, sold, buyer, lowest(o.s.pair))
    climb(o.t, sold, buyer, lowest(o.s.pair & (o.s.pair - 1)))


cdef float sale_worth(const Outlook* o, const Limits* limits, u32 bidders, int leader, int high) noexcept nogil:
    """What the end of an auction is worth to the seat that decides now."""
    cdef int price
    cdef int buyer = buyer_of(limits, bidders, leader, high, &price)
    cdef float gain = limits.gain[buyer] - limits.worth[buyer] * price
    return gain if buyer == o.s.actor else -RIVALRY * gain / (o.t.players - 1)


# -- moves by phase

cdef void score_recruits(const Outlook* o, const move_t* moves, int count, float* scores) noexcept nogil:
    cdef int i
    for i in range(count):
        scores[i] = pair_gain(o, o.s.actor, <u32>move_a(moves[i]))


cdef void score_pairs(const Outlook* o, const move_t* moves, int count, float* scores) noexcept nogil:
    """What each pair would bring, sold by limits. Gains add up but for those that are multiplied with each other."""
    cdef Limits limits
    cdef float single[MAX_SEATS][CHARACTERS]
    cdef float worth[MAX_SEATS]
    cdef u32 seats = in_auction(o), pair
    cdef int seat, character, i, one, other
    for seat in range(o.t.players):
        if (seats >> seat) & 1:
            worth[seat] = drachma_worth(o, seat)
            for character in range(CHARACTERS):
                single[seat][character] = pair_gain(o, seat, <u32>1 << character)
    for i in range(count):
        scores[i] = 0
        if move_kind(moves[i]) != PUT_UP:
            continue
        pair = <u32>move_a(moves[i])
        one = lowest(pair)
        other = lowest(pair & (pair - 1))
        for seat in range(o.t.players):
            limits.limit[seat] = 0
            if (seats >> seat) & 1:
                limits.worth[seat] = worth[seat]
                limits.gain[seat] = (pair_gain(o, seat, pair) if other <= FLORIST
                                     else single[seat][one] + single[seat][other])
                limits.limit[seat] = limit_of(o, seat, limits.gain[seat], worth[seat])
        scores[i] = sale_worth(o, &limits, seats, o.s.actor, 1)


cdef void score_bids(const Outlook* o, const move_t* moves, int count, float* scores) noexcept nogil:
    cdef Limits limits
    cdef u32 bidders = in_auction(o)
    cdef int i, bid, most = 0, seat
    find_limits(o, o.s.pair, bidders, &limits)
    for seat in range(o.t.players):
        if seat != o.s.actor and limits.limit[seat] > most:
            most = limits.limit[seat]
    for i in range(count):
        if move_kind(moves[i]) == PASS:
            scores[i] = sale_worth(o, &limits, bidders & ~(<u32>1 << o.s.actor), o.s.leader, o.s.high)
            continue
        bid = move_a(moves[i])
        scores[i] = sale_worth(o, &limits, bidders, o.s.actor, bid)
        # One more, or what the others would not pay: bids between and above say little.
        if bid != o.s.high + 1 and bid != most and bid != most + 1:
            scores[i] -= 2


cdef float bribe_gain(const Outlook* o, int victim, int character) noexcept nogil:
    cdef const Player* loser = &o.s.players[victim]
    cdef Player then
    memcpy(&then, loser, sizeof(Player))
    then.level[character] -= 1
    return (pair_gain(o, o.s.actor, <u32>1 << character)
            + RIVALRY * (ladder_points(o, loser, victim) - ladder_points(o, &then, victim)) / (o.t.players - 1))


cdef float offer_gain(const Outlook* o, int number, int animal, int altar) noexcept nogil:
    """Points at once, and the altar: what it will be worth, and what its owner loses."""
    cdef const OffrandesState* s = o.s
    cdef float points = number * animal + o.t.lamp[s.players[s.actor].level[PRIESTESS]]
    cdef float there = o.t.points[altar]
    points += there * keeping(o, altar, s.actor, number, animal)
    if s.owner[altar]:
        points -= there * keeping(o, altar, s.owner[altar] - 1, s.number[altar], s.animal[altar]) * (
            1 if s.owner[altar] == s.actor + 1 else -RIVALRY / (o.t.players - 1))
    return points


cdef void score_moves(const Outlook* o, const move_t* moves, int count, float* scores) noexcept nogil:
    cdef int i, phase = o.s.phase
    if phase == BID or phase == OPEN:
        score_bids(o, moves, count, scores)
    elif phase == AUCTION:
        score_pairs(o, moves, count, scores)
    elif phase == SETUP:
        score_recruits(o, moves, count, scores)
    else:
        for i in range(count):
            if move_kind(moves[i]) == MAKE_BRIBE:
                scores[i] = bribe_gain(o, move_a(moves[i]), move_b(moves[i]))
            elif move_kind(moves[i]) == MAKE_OFFER:
                scores[i] = offer_gain(o, move_a(moves[i]), move_b(moves[i]), move_c(moves[i]))
            else:
                scores[i] = 0


# -- the functions of the contract

cdef move_t playout_bid(const Outlook* o, Rng* rng) noexcept nogil:
    """Up to one's own limit, at once to the highest of the others."""
    cdef Limits limits
    cdef int seat, own, most = 0, least = o.s.high + 1
    find_limits(o, o.s.pair, in_auction(o), &limits)
    for seat in range(o.t.players):
        if seat != o.s.actor and limits.limit[seat] > most:
            most = limits.limit[seat]
    own = <int>(limits.limit[o.s.actor] * (1 + HAGGLE * (2 * <float>rng_double(rng) - 1)) + <float>rng_double(rng))
    if own > o.s.players[o.s.actor].drachmas:
        own = o.s.players[o.s.actor].drachmas
    if own < least:
        return pack(PASS, 0, 0, 0) if o.s.phase == BID else pack(MAKE_BID, 1, 0, 0)
    if most < least:
        most = least
    return pack(MAKE_BID, most if most < own else own, 0, 0)


cdef move_t offrandes_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef Outlook o
    cdef int i, count
    cdef float left
    look(&o, <const Tables*>tables, <const OffrandesState*>state)
    if o.s.phase == BID or o.s.phase == OPEN:
        return playout_bid(&o, rng)
    count = offrandes_legal_moves(tables, state, moves)
    score_moves(&o, moves, count, scores)
    left = <float>rng_double(rng) * soften(scores, count, PLAYOUT_TEMPERATURE, PLAYOUT_LEAST)
    for i in range(count):
        left -= scores[i]
        if left < 0:
            return moves[i]
    return moves[count - 1]


cdef void offrandes_priors(tables_t tables, state_t state, const move_t* moves, int count,
                           float* weights) noexcept nogil:
    cdef Outlook o
    cdef int i
    cdef float total
    look(&o, <const Tables*>tables, <const OffrandesState*>state)
    score_moves(&o, moves, count, weights)
    total = soften(weights, count, PRIOR_TEMPERATURE, PRIOR_LEAST)
    for i in range(count):
        weights[i] /= total
