"""The rules of Offrandes; see rules.pxd, docs/offrandes.md and the O numbers there.

A round: auction turns (AUCTION, OPEN, BID), bribery (BRIBE), offerings (OFFER), income. A seat with only one move is
not asked (O4): the functions that ask a seat make that move and go on, until somebody has a choice.
"""

from pythia.core_cy.bits cimport count_bits, lowest
from pythia.core_cy.game cimport CHANCE, NOBODY, state_t, tables_t
from pythia.core_cy.offrandes.state cimport (
    AUCTION, BEGIN, BID, BRIBE, DECLINE, END, FIRST, MAKE_BID, MAKE_BRIBE, MAKE_OFFER, OFFER, OPEN, OVER,
    OffrandesState, PASS, PUT_UP, Player, RECRUIT, SETUP, move_a, move_b, move_c, move_kind, pack,
)
from pythia.core_cy.offrandes.tables cimport (
    ALTARS, BRIBABLE, FARMER, GUARD, INCOME, LAST_SCORE, MAX_ROUNDS, MAX_SEATS, MOST_DRACHMAS, PAIRS,
    PRIESTESS, SEDUCER, SERVANT, TOP, TRIPLES, Tables,
)
from pythia.core_cy.rng cimport Rng, rng_below
from pythia.core_cy.types cimport move_t, u8, u32


cdef int offrandes_to_act(tables_t tables, state_t state) noexcept nogil:
    cdef const OffrandesState* s = <const OffrandesState*>state
    if s.phase == FIRST:
        return CHANCE
    if s.phase == OVER:
        return NOBODY
    return s.actor


# -- ladders

cdef int on_top(const Tables* t, const OffrandesState* s, int character) noexcept nogil:
    cdef int seat
    for seat in range(t.players):
        if s.players[seat].level[character] == TOP:
            return seat
    return -1


cdef void climb(const Tables* t, OffrandesState* s, int seat, int character) noexcept nogil:
    cdef u8* level = &s.players[seat].level[character]
    cdef int there
    if level[0] == TOP:
        return
    if level[0] == TOP - 1:
        there = on_top(t, s, character)
        if there >= 0:
            s.players[there].level[character] = TOP - 1
    level[0] += 1


# -- auctions

cdef void ask_auctioneer(const Tables* t, OffrandesState* s) noexcept nogil:
    """Before every auction; without a drachma nobody can put up a pair (O5)."""
    if s.players[s.turn].drachmas == 0:
        end_auction_turn(t, s)
        return
    s.phase = AUCTION
    s.actor = s.turn


cdef void end_auction_turn(const Tables* t, OffrandesState* s) noexcept nogil:
    s.sold = s.buyers = 0
    s.turn = <u8>after(t, s.turn)
    if s.turn != s.first:
        ask_auctioneer(t, s)
        return
    s.phase = BRIBE
    ask_briber(t, s, -1000)


cdef void make_bid(const Tables* t, OffrandesState* s, int drachmas) noexcept nogil:
    if s.phase == OPEN:
        s.phase = BID
        s.bidders = <u8>(((1 << t.players) - 1) & ~s.buyers)
    s.high = <u8>drachmas
    s.leader = s.actor
    ask_bidder(t, s)


cdef void ask_bidder(const Tables* t, OffrandesState* s) noexcept nogil:
    """The next seat clockwise that has not passed and can bid more; those who cannot pass (O4, O7)."""
    cdef int seat = s.actor
    while s.bidders & (s.bidders - 1):
        seat = after(t, seat)
        if seat == s.leader or not (s.bidders >> seat) & 1:
            continue
        if s.players[seat].drachmas > s.high:
            s.actor = <u8>seat
            return
        s.bidders &= <u8>~(1 << seat)
    sell(t, s)


cdef void sell(const Tables* t, OffrandesState* s) noexcept nogil:
    """To the leader, who pays and climbs on both ladders (O9)."""
    cdef int buyer = s.leader
    s.players[buyer].drachmas -= s.high
    climb(t, s, buyer, lowest(s.pair))
    climb(t, s, buyer, lowest(s.pair & (s.pair - 1)))
    s.sold |= s.pair
    s.buyers |= <u8>(1 << buyer)
    s.pair = s.high = s.leader = s.bidders = 0
    if buyer == s.turn or count_bits(s.buyers) == t.auctions:
        end_auction_turn(t, s)
    else:
        ask_auctioneer(t, s)


# -- bribery

cdef bint can_bribe(const OffrandesState* s, int seat, int victim, int character) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef const Player* v = &s.players[victim]
    return (seat != victim and not (s.bribed >> victim) & 1 and v.level[GUARD] < p.level[SEDUCER]
            and p.level[character] != 0 and v.level[character] != 0
            and (v.level[character] < TOP or p.level[SEDUCER] == TOP))


cdef bint can_bribe_anybody(const Tables* t, const OffrandesState* s, int seat) noexcept nogil:
    cdef int victim, character
    for victim in range(t.players):
        for character in range(BRIBABLE):
            if can_bribe(s, seat, victim, character):
                return True
    return False


cdef void ask_briber(const Tables* t, OffrandesState* s, int place) noexcept nogil:
    """The next one in the order of O12 behind a place in it who can bribe; then come the offerings."""
    cdef int seat, best, here, best_place
    while True:
        best = -1
        best_place = 1000
        for seat in range(t.players):
            here = bribe_place(t, s, seat)
            if place < here < best_place:
                best = seat
                best_place = here
        if best < 0 or s.players[best].level[SEDUCER] == 0:
            # Without a seducer nobody can bribe, and those come last.
            s.bribed = 0
            s.phase = OFFER
            ask_offerer(t, s, 0)
            return
        if can_bribe_anybody(t, s, best):
            s.turn = s.actor = <u8>best
            return
        place = best_place


# -- offerings

cdef bint takes(const OffrandesState* s, int altar, int number, int animal) noexcept nogil:
    return (number >= s.number[altar] and animal >= s.animal[altar]
            and (number != s.number[altar] or animal != s.animal[altar]))


cdef int list_kind(const OffrandesState* s, int number, int animal, int reach, move_t* moves) noexcept nogil:
    cdef int altar, n = 0
    for altar in range(reach):
        if takes(s, altar, number, animal):
            moves[n] = pack(MAKE_OFFER, number, animal, altar)
            n += 1
    return n


cdef int list_offers(const Tables* t, const OffrandesState* s, int seat, move_t* moves) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef int animal = p.level[FARMER]
    cdef int number = offered_number(p)
    cdef int reach = t.reach[p.level[SERVANT]]
    cdef int kind, left, n = 0
    if animal == 0 or number == 0 or reach == 0:
        return 0
    if s.supply[animal - 1] >= number:
        return list_kind(s, number, animal, reach, moves)
    # A short supply: that kind or a lesser one, as many as there are (O18).
    for kind in range(1, animal + 1):
        left = s.supply[kind - 1]
        if left:
            n += list_kind(s, left if left < number else number, kind, reach, moves + n)
    return n


cdef void ask_offerer(const Tables* t, OffrandesState* s, int asked) noexcept nogil:
    """The next one who can offer something, clockwise from the start player, after this number of seats have been asked
    (O17)."""
    cdef move_t moves[MAX_MOVES]
    cdef int seat
    while asked < t.players:
        seat = s.first + asked
        if seat >= t.players:
            seat -= t.players
        if list_offers(t, s, seat, moves):
            s.turn = s.actor = <u8>seat
            return
        asked += 1
    end_round(t, s)


cdef void make_offer(const Tables* t, OffrandesState* s, int number, int animal, int altar) noexcept nogil:
    cdef Player* p = &s.players[s.actor]
    s.supply[animal - 1] -= <u8>number
    if s.owner[altar]:
        s.supply[s.animal[altar] - 1] += s.number[altar]
    else:
        s.taken += 1
    s.owner[altar] = s.actor + 1
    s.number[altar] = <u8>number
    s.animal[altar] = <u8>animal
    p.score += <u8>(number * animal + t.lamp[p.level[PRIESTESS]])


# -- the round

cdef bint over_score(const Tables* t, const OffrandesState* s) noexcept nogil:
    cdef int seat
    for seat in range(t.players):
        if s.players[seat].score > LAST_SCORE:
            return True
    return False


cdef bint is_end(const Tables* t, const OffrandesState* s) noexcept nogil:
    return s.taken == ALTARS or over_score(t, s) or s.round == MAX_ROUNDS


cdef bint is_draw(const Tables* t, const OffrandesState* s) noexcept nogil:
    return s.taken != ALTARS and not over_score(t, s)


cdef void end_round(const Tables* t, OffrandesState* s) noexcept nogil:
    """The end (O24), or income and the next round (O23)."""
    cdef int seat
    cdef Player* p
    if is_end(t, s):
        s.phase = OVER
        s.turn = s.first
        s.actor = 0
        return
    for seat in range(t.players):
        p = &s.players[seat]
        p.drachmas += INCOME
        if p.drachmas > MOST_DRACHMAS:
            p.drachmas = MOST_DRACHMAS
    s.round += 1
    s.first = <u8>after(t, s.first)
    s.turn = s.first
    ask_auctioneer(t, s)


# -- legal moves

cdef int offrandes_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const OffrandesState* s = <const OffrandesState*>state
    cdef int i, victim, character, n = 0
    if s.phase == BID or s.phase == OPEN:
        for i in range(s.high + 1, s.players[s.actor].drachmas + 1):
            moves[n] = pack(MAKE_BID, i, 0, 0)
            n += 1
        if s.phase == BID:
            moves[n] = pack(PASS, 0, 0, 0)
            n += 1
    elif s.phase == AUCTION:
        for i in range(PAIRS):
            if not t.pairs[i] & s.sold and s.players[s.actor].drachmas:
                moves[n] = pack(PUT_UP, t.pairs[i], 0, 0)
                n += 1
        moves[n] = pack(END, 0, 0, 0)
        n += 1
    elif s.phase == BRIBE:
        for victim in range(t.players):
            for character in range(BRIBABLE):
                if can_bribe(s, s.actor, victim, character):
                    moves[n] = pack(MAKE_BRIBE, victim, character, 0)
                    n += 1
        moves[n] = pack(DECLINE, 0, 0, 0)
        n += 1
    elif s.phase == OFFER:
        n = list_offers(t, s, s.actor, moves)
        moves[n] = pack(DECLINE, 0, 0, 0)
        n += 1
    elif s.phase == SETUP:
        for i in range(TRIPLES):
            moves[n] = pack(RECRUIT, t.triples[i], 0, 0)
            n += 1
    return n


cdef move_t offrandes_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const OffrandesState* s = <const OffrandesState*>state
    cdef move_t moves[MAX_MOVES]
    cdef int i, count
    if s.phase == BID:
        count = s.players[s.actor].drachmas - s.high
        i = <int>rng_below(rng, <u32>(count + 1))
        return pack(PASS, 0, 0, 0) if i == count else pack(MAKE_BID, s.high + 1 + i, 0, 0)
    if s.phase == OPEN:
        return pack(MAKE_BID, 1 + <int>rng_below(rng, s.players[s.actor].drachmas), 0, 0)
    if s.phase == SETUP:
        return pack(RECRUIT, t.triples[rng_below(rng, TRIPLES)], 0, 0)
    count = offrandes_legal_moves(tables, state, moves)
    return moves[rng_below(rng, <u32>count)]


# -- apply

cdef void recruit(const Tables* t, OffrandesState* s, u32 characters) noexcept nogil:
    """Three characters step onto level 1; then the seat before decides, up to the start player (O3)."""
    while characters:
        s.players[s.actor].level[lowest(characters)] = 1
        characters &= characters - 1
    if s.actor == s.first:
        ask_auctioneer(t, s)
    else:
        s.turn = s.actor = s.actor - 1 if s.actor else t.players - 1


cdef void offrandes_apply(tables_t tables, void* state, move_t move) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef OffrandesState* s = <OffrandesState*>state
    cdef int kind = move_kind(move)
    if kind == MAKE_BID:
        make_bid(t, s, move_a(move))
    elif kind == PASS:
        s.bidders &= <u8>~(1 << s.actor)
        ask_bidder(t, s)
    elif kind == PUT_UP:
        s.pair = <u8>move_a(move)
        s.phase = OPEN
        if s.players[s.actor].drachmas == 1:
            make_bid(t, s, 1)
    elif kind == END:
        end_auction_turn(t, s)
    elif kind == MAKE_BRIBE:
        # First the victim goes down, so that a victim on the top field is not sent down again (O16).
        s.players[move_a(move)].level[move_b(move)] -= 1
        climb(t, s, s.actor, move_b(move))
        s.bribed |= <u8>(1 << move_a(move))
        ask_briber(t, s, bribe_place(t, s, s.actor))
    elif kind == MAKE_OFFER:
        make_offer(t, s, move_a(move), move_b(move), move_c(move))
        ask_offerer(t, s, distance(t, s.first, s.actor) + 1)
    elif kind == DECLINE:
        if s.phase == BRIBE:
            ask_briber(t, s, bribe_place(t, s, s.actor))
        else:
            ask_offerer(t, s, distance(t, s.first, s.actor) + 1)
    elif kind == RECRUIT:
        recruit(t, s, <u32>move_a(move))
    elif kind == BEGIN:
        s.first = <u8>move_a(move)
        s.turn = s.actor = s.first - 1 if s.first else t.players - 1
        s.phase = SETUP


# -- chance

cdef int offrandes_chance_outcomes(tables_t tables, state_t state, move_t* outcomes,
                                   double* probabilities) noexcept nogil:
    cdef int players = (<const Tables*>tables).players
    cdef int seat
    for seat in range(players):
        outcomes[seat] = pack(BEGIN, seat, 0, 0)
        probabilities[seat] = 1.0 / players
    return players


cdef move_t offrandes_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    return pack(BEGIN, <int>rng_below(rng, (<const Tables*>tables).players), 0, 0)


# -- the end

cdef int total(const Tables* t, const OffrandesState* s, int seat, int* altars) noexcept nogil:
    cdef int altar, points = s.players[seat].score
    altars[0] = 0
    for altar in range(ALTARS):
        if s.owner[altar] == seat + 1:
            points += t.points[altar]
            altars[0] += 1
    return points


cdef void offrandes_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const OffrandesState* s = <const OffrandesState*>state
    cdef int seat, other, altars
    cdef int standing[MAX_SEATS]
    for seat in range(t.players):
        # More altars decide between equal points (O25).
        standing[seat] = 16 * total(t, s, seat, &altars)
        standing[seat] += altars
    for seat in range(t.players):
        ranks[seat] = 1
        for other in range(t.players):
            ranks[seat] += standing[other] > standing[seat]


cdef void offrandes_returns(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const OffrandesState* s = <const OffrandesState*>state
    cdef int ranks[MAX_SEATS]
    cdef int seat, winners = 0
    cdef bint draw = is_draw(t, s)
    offrandes_ranks(tables, state, ranks)
    for seat in range(t.players):
        winners += draw or ranks[seat] == 1
    for seat in range(t.players):
        values[seat] = 1.0 / winners if draw or ranks[seat] == 1 else 0.0
