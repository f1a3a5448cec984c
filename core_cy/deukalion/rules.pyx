"""The rules of Deukalion; see rules.pxd, docs/deukalion.md and the D numbers there.

A turn: the active player rolls; every other one makes a passive turn (FOLLOW); the active one stands the cup (KYLIX)
and acts (ACT). A decision can lead to others: what follows waits in `ahead`, and `advance` opens the next of it. When
nothing is left, the mover goes on.
"""

from libc.string cimport memset

from pythia.core_cy.bits cimport count_bits, lowest
from pythia.core_cy.deukalion.state cimport (
    ACT, ANCHOR, ASK, ATTACK_CITY, ATTACK_SETTLEMENT, BITE, BY_LENGTH, BY_POINTS, CITY_FIGHT, CLAIM_CARDS,
    CLAIM_FIGHTERS, CLAIM_TREASURES, DECLINE, DELIVER, DISPLACE, DISPLACE_TO, DRAW, DRAWING, DROP, DeukalionState,
    END, FETCH, FOLLOW, FOUND, HYDRA_FIGHT, KYLIX, LOOT, MOVE_HYDRA, NONE, ORDER, OVER, PLACE, PLACE_IN, PLAY, Player,
    REFILL, REST, REVEAL, ROLL, ROLLING, SAIL, SETTLEMENT_FIGHT, SETUP, SHIP_FIGHT, SPOILS, STAND, STEAL, STEALING,
    STOLEN, STYX, Step, TAKE, THE_HYDRA, THROW, THROWING, USE_CARD, USE_FIGHTERS, claim_count, claim_order, move_item,
    move_kind, pack, pack_claim, pack_throw, thrown_down, thrown_half, thrown_up,
)
from pythia.core_cy.deukalion.tables cimport (
    BATTLE_CRY, CHARON, COLORS, CREW, DICE, FAIR_WIND, FAR, FAVOR_OF_HADES, HAND, KINDS, MIDAS, PERMANENT,
    ROLLS, TREASURES, Tables, Task, Throw, around, die,
)
from pythia.core_cy.game cimport CHANCE, NOBODY, state_t, tables_t
from pythia.core_cy.rng cimport Rng, rng_below, rng_next
from pythia.core_cy.types cimport move_t, u8, u16, u32, u64

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define pythia_ctz64(x) __builtin_ctzll(x)
    #else
    static inline int pythia_ctz64(unsigned long long x) { int n = 0; while (!(x & 1u)) { x >>= 1; n++; } return n; }
    #endif
    """
    int lowest64 "pythia_ctz64" (u64 bits) noexcept nogil


cdef int deukalion_to_act(tables_t tables, state_t state) noexcept nogil:
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int kind = s.now.kind
    if kind == ROLLING or kind == THROWING or kind == STEALING or kind == REVEAL or kind == DRAWING:
        return CHANCE
    if kind == OVER:
        return NOBODY
    return s.now.seat


cdef int points_of(const Tables* t, const DeukalionState* s, int seat) noexcept nogil:
    cdef int i, points = s.players[seat].victory_cards + s.players[seat].order_points
    for i in range(t.settlements):
        if s.garrison[i] and s.owner[i] == seat:
            points += s.garrison[i]
    return points


# -- squares

cdef u64 ships_of_others(const Tables* t, const DeukalionState* s, int seat) noexcept nogil:
    cdef u64 ships = 0
    cdef int other
    for other in range(t.players):
        if other != seat and s.players[other].ship != NONE:
            ships |= bit(s.players[other].ship)
    return ships


cdef u64 flood(const Tables* t, int start, int steps, u64 passable, u64 ends) noexcept nogil:
    """The squares within this number of steps; those of `ends` can be entered but end the way."""
    cdef u64 found = bit(start), edge = found
    while steps and edge:
        edge = around(t, edge) & (passable | ends) & ~found
        found |= edge
        edge &= passable
        steps -= 1
    return found & ~bit(start)


cdef u64 sail_squares(const Tables* t, const DeukalionState* s) noexcept nogil:
    cdef const Player* p = &s.players[s.mover]
    cdef u64 ships = ships_of_others(t, s, s.mover) & t.sea
    cdef u64 hydra = bit(s.hydra)
    cdef u64 ends = t.styx
    if p.fighters:
        ends |= ships
        if orders_for(s, s.mover) & t.hydra_orders:
            ends |= hydra
    return flood(t, p.ship, sail_range(t, s), t.water & ~t.styx & ~ships & ~hydra, ends)


cdef u64 hydra_squares(const Tables* t, const DeukalionState* s) noexcept nogil:
    """Where the Hydra can move: the first ship on its way ends it, and must not be the mover's own (D29)."""
    cdef u64 ships = ships_of_others(t, s, s.mover) & t.sea
    return flood(t, s.hydra, s.hydra_die, t.sea & ~ships & ~bit(s.players[s.mover].ship), ships)


cdef u64 displace_squares(const Tables* t, const DeukalionState* s, int piece) noexcept nogil:
    """At distance 3, or else at the least distance above it that has a free square (D30)."""
    cdef u64 free = t.water & ~ships_of_others(t, s, NONE)
    cdef u64 found
    cdef const u8* away
    cdef int square, least = FAR
    if piece == THE_HYDRA:
        found = t.hydra_ring[s.hydra] & free
        away = t.hydra_distance[s.hydra]
    else:
        free &= ~bit(s.hydra)
        found = t.ship_ring[s.players[piece].ship] & free
        away = t.distance[s.players[piece].ship]
    if found:
        return found
    for square in range(t.squares):
        if free >> square & 1 and away[square] > t.displace and away[square] < least:
            least = away[square]
    for square in range(t.squares):
        if free >> square & 1 and away[square] == least and least != FAR:
            found |= bit(square)
    return found


# -- claims

cdef int task_cost(const Task* task, const int* counts, int total) noexcept nogil:
    """How many treasures of the choice are of a wrong color for the task."""
    cdef int color, wrong = 0
    if task.kind != TREASURES or task.number != total:
        return NO_WAY
    for color in range(COLORS):
        if counts[color] > task.colors[color]:
            wrong += counts[color] - task.colors[color]
    return wrong - task.any if wrong > task.any else 0


cdef int claim_cost(const Tables* t, int order, const int* counts) noexcept nogil:
    cdef int color, one, other, total = 0
    for color in range(COLORS):
        total += counts[color]
    one = task_cost(&t.tasks[order][0], counts, total)
    other = task_cost(&t.tasks[order][1], counts, total)
    return one if one < other else other


cdef bint task_holds(const Tables* t, const DeukalionState* s, const Player* p, const Task* task) noexcept nogil:
    cdef int color
    if task.kind == TREASURES:
        if not t.anchors >> p.ship & 1 or treasures_aboard(p) < task.number:
            return False
        for color in range(COLORS):
            if p.treasures[color] < task.colors[color]:
                return False
        return True
    if task.kind == CREW:
        return t.city_near[task.city] >> p.ship & 1 and p.fighters >= task.number
    if task.kind == HAND:
        return t.city_near[task.city] >> p.ship & 1 and p.hand_count >= task.number
    return False


cdef bint can_claim(const Tables* t, const DeukalionState* s, int seat, int order) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    return task_holds(t, s, p, &t.tasks[order][0]) or task_holds(t, s, p, &t.tasks[order][1])


ctypedef struct Choosing:
    # Choices of a number of things out of several kinds.
    const Tables* t
    const u8* have
    int kinds
    int kind                # of the claim
    int order
    int midas
    move_t* moves
    int n
    int counts[KINDS]


cdef void choose(Choosing* c, int place, int left) noexcept nogil:
    cdef int take, i
    cdef u32 packed
    if left == 0:
        if c.kind == CLAIM_TREASURES and claim_cost(c.t, c.order, c.counts) > c.midas:
            return
        packed = 0
        for i in range(c.kinds):
            packed |= <u32>c.counts[i] << (3 * i)
        if c.n < MAX_MOVES:
            c.moves[c.n] = pack_claim(c.kind, c.order, packed)
            c.n += 1
        return
    if place == c.kinds:
        return
    take = c.have[place] if c.have[place] < left else left
    while take >= 0:
        c.counts[place] = take
        choose(c, place + 1, left - take)
        take -= 1
    c.counts[place] = 0


cdef int list_claims(const Tables* t, const DeukalionState* s, int seat, int order, int midas, move_t* moves,
                     int n) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef const Task* task
    cdef const Task* first = &t.tasks[order][0]
    cdef int part
    cdef Choosing c
    cdef bint again
    for part in range(2):
        task = &t.tasks[order][part]
        # A choice that both tasks allow is one move.
        again = part == 1 and first.kind == task.kind and first.number == task.number
        if task.kind == TREASURES:
            if again or not t.anchors >> p.ship & 1:
                continue
            c.kind = CLAIM_TREASURES
            c.have = &p.treasures[0]
            c.kinds = COLORS
        elif task.kind == HAND:
            if not t.city_near[task.city] >> p.ship & 1 or p.hand_count < task.number:
                continue
            if again and t.city_near[first.city] >> p.ship & 1:
                continue
            c.kind = CLAIM_CARDS
            c.have = &p.hand[0]
            c.kinds = KINDS
        elif task.kind == CREW:
            if task_holds(t, s, p, task) and not (part == 1 and first.kind == CREW and task_holds(t, s, p, first)):
                moves[n] = pack_claim(CLAIM_FIGHTERS, order, 0)
                n += 1
            continue
        else:
            continue
        c.t = t
        c.order = order
        c.midas = midas
        c.moves = moves
        c.n = n
        memset(c.counts, 0, sizeof(c.counts))
        choose(&c, 0, task.number)
        n = c.n
    return n


# -- legal moves

cdef inline int list_squares(int kind, u64 squares, move_t* moves, int n) noexcept nogil:
    while squares:
        moves[n] = pack(kind, <u32>lowest64(squares))
        squares &= squares - 1
        n += 1
    return n


cdef inline int list_colors(int kind, const u8* treasures, move_t* moves, int n) noexcept nogil:
    cdef int color
    for color in range(COLORS):
        if treasures[color]:
            moves[n] = pack(kind, <u32>color)
            n += 1
    return n


cdef int list_deeds(const Tables* t, const DeukalionState* s, const Player* p, move_t* moves, int n) noexcept nogil:
    cdef int place, color
    cdef u32 near = t.settlements_here[p.ship]
    while near:
        place = lowest(near)
        near &= near - 1
        if s.garrison[place] == 0:
            if p.fighters >= t.garrison[place]:
                moves[n] = pack(FOUND, <u32>place)
                n += 1
        elif s.owner[place] != s.mover and p.fighters:
            moves[n] = pack(ATTACK_SETTLEMENT, <u32>place)
            n += 1
    if not p.fighters:
        return n
    near = t.cities_here[p.ship]
    while near:
        place = lowest(near)
        near &= near - 1
        for color in range(COLORS):
            if s.cities[place][color]:
                moves[n] = pack(ATTACK_CITY, <u32>place)
                n += 1
                break
    return n


cdef int list_plays(const Tables* t, const DeukalionState* s, const Player* p, move_t* moves, int n) noexcept nogil:
    cdef int kind
    for kind in range(KINDS):
        if not p.hand[kind] or kind == MIDAS:
            continue
        if kind == FAIR_WIND:
            if s.sailed or s.acted:
                continue
        elif kind == BATTLE_CRY:
            if s.acted:
                continue
        elif kind == CHARON:
            if come_back(t, p, t.charon) == 0:
                continue
        moves[n] = pack(PLAY, <u32>kind)
        n += 1
    return n


cdef int list_turn(const Tables* t, const DeukalionState* s, move_t* moves) noexcept nogil:
    """What a mover can do (D7 to D9)."""
    cdef const Player* p = &s.players[s.mover]
    cdef int order, n = 0
    cdef u32 orders
    cdef bint at_anchor = t.anchors >> p.ship & 1
    if not s.sailed and not s.acted:
        n = list_squares(SAIL, sail_squares(t, s), moves, n)
    if not s.acted:
        n = list_deeds(t, s, p, moves, n)
    orders = orders_for(s, s.mover) & (t.here[p.ship] | (t.treasure_orders if at_anchor else <u16>0))
    while orders:
        order = lowest(orders)
        orders &= orders - 1
        n = list_claims(t, s, s.mover, order, p.hand[MIDAS], moves, n)
        if n > MAX_MOVES - 128:     # room for all that follows; no position of the printed game comes near
            n = MAX_MOVES - 128
    if at_anchor:
        n = list_colors(DELIVER, p.treasures, moves, n)
    n = list_plays(t, s, p, moves, n)
    if s.now.kind == FOLLOW:
        if not (s.sailed or s.acted or s.delivered) and come_back(t, p, t.rest):
            moves[n] = pack(REST, 0)
            n += 1
        moves[n] = pack(END, 0)
        return n + 1
    if not s.card_used and s.card_die != 2:
        moves[n] = pack(USE_CARD, 0)
        n += 1
    if not s.fighters_used and come_back(t, p, s.fighters_die):
        moves[n] = pack(USE_FIGHTERS, 0)
        n += 1
    if not s.hydra_used:
        n = list_squares(MOVE_HYDRA, hydra_squares(t, s), moves, n)
    if s.card_used or s.card_die == 2:
        moves[n] = pack(END, 0)
        n += 1
    return n


cdef int list_turnings(const DeukalionState* s, move_t* moves) noexcept nogil:
    """The different ways to turn the cup (D6)."""
    cdef u32 ring = s.roll >> 2
    cdef int _turn, i, n = 0
    cdef bint known
    for _turn in range(4):
        known = False
        for i in range(n):
            known |= move_item(moves[i]) == <int>ring
        if not known:
            moves[n] = pack(STAND, ring)
            n += 1
        ring = ring >> 2 | (ring & 3) << 6
    return n


cdef inline bint can_take(const Tables* t, const Player* p) noexcept nogil:
    """Whether a treasure finds a place aboard (D18)."""
    return p.fighters > 0 or free_places(t, p) > 0


cdef int list_spoils(const Tables* t, const DeukalionState* s, move_t* moves) noexcept nogil:
    cdef const Player* loser = &s.players[s.now.item]
    cdef int n = 0
    if can_take(t, &s.players[s.now.seat]):
        n = list_colors(TAKE, loser.treasures, moves, n)
    if loser.hand_count:
        moves[n] = pack(STEAL, 0)
        n += 1
    return n


cdef int list_styx(const Tables* t, const DeukalionState* s, move_t* moves) noexcept nogil:
    cdef const Player* p = &s.players[s.now.seat]
    cdef int free = free_places(t, p), n = 0
    if free > 0 and p.underworld:
        moves[n] = pack(FETCH, 0)
        n += 1
    if p.underworld > free:
        n = list_colors(DROP, p.treasures, moves, n)
    moves[n] = pack(DECLINE, 0)
    return n + 1


cdef int list_slots(const Tables* t, const DeukalionState* s, move_t* moves) noexcept nogil:
    cdef int city, color, lying, n = 0
    for city in range(t.cities):
        lying = 0
        for color in range(COLORS):
            lying += s.cities[city][color]
        if lying < t.slots[city]:
            moves[n] = pack(PLACE_IN, <u32>city)
            n += 1
    return n


cdef int deukalion_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int kind = s.now.kind, n
    if kind == FOLLOW or kind == ACT:
        return list_turn(t, s, moves)
    if kind == KYLIX:
        return list_turnings(s, moves)
    if kind == DISPLACE:
        return list_squares(DISPLACE_TO, displace_squares(t, s, s.now.item), moves, 0)
    if kind == PLACE:
        return list_slots(t, s, moves)
    if kind == STYX:
        return list_styx(t, s, moves)
    if kind == SETUP:
        return list_squares(ANCHOR, t.anchors & ~ships_of_others(t, s, NONE), moves, 0)
    if kind == LOOT:
        n = list_colors(TAKE, s.cities[s.now.item], moves, 0)
    elif kind == SPOILS:
        n = list_spoils(t, s, moves)
    elif kind == ASK:
        n = list_claims(t, s, s.now.seat, s.revealed, 0, moves, 0)
        if n == MAX_MOVES:
            n -= 1
    else:
        return 0
    moves[n] = pack(DECLINE, 0)
    return n + 1


cdef move_t deukalion_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef move_t moves[MAX_MOVES]
    cdef int count = deukalion_legal_moves(tables, state, moves)
    return moves[rng_below(rng, <u32>count)]


# -- what follows

cdef inline void put_ahead(DeukalionState* s, int kind, int seat, int item) noexcept nogil:
    """Comes next, before what is ahead already."""
    cdef Step* step = &s.ahead[s.ahead_count]
    step.kind = <u8>kind
    step.seat = <u8>seat
    step.item = <u8>item
    s.ahead_count += 1


cdef inline void open_step(DeukalionState* s, int kind, int seat, int item) noexcept nogil:
    s.now.kind = <u8>kind
    s.now.seat = <u8>seat
    s.now.item = <u8>item


cdef void advance(const Tables* t, DeukalionState* s) noexcept nogil:
    """Opens the next step; when none is ahead, the mover goes on."""
    cdef Step step
    while s.ahead_count:
        s.ahead_count -= 1
        step = s.ahead[s.ahead_count]
        memset(&s.ahead[s.ahead_count], 0, sizeof(Step))
        if step.kind == REFILL:
            # One order at a time (D22).
            if s.order_pile_count == 0 or count_bits(s.open_orders) >= t.open_orders:
                continue
            put_ahead(s, REFILL, 0, 0)
            open_step(s, REVEAL, 0, 0)
            return
        if step.kind == DRAWING and s.pile_count == 0 and s.under_count == 0:
            continue
        s.now = step
        return
    open_step(s, ACT if s.mover == s.turn else FOLLOW, s.mover, 0)


cdef void clear_fight(DeukalionState* s) noexcept nogil:
    s.fight = s.attacker = s.defender = s.defending = 0
    s.score = 0


cdef void clear_claims(DeukalionState* s) noexcept nogil:
    s.revealed = s.asked = 0
    memset(s.claims, 0, sizeof(s.claims))


cdef void finish(DeukalionState* s, int result, int winners) noexcept nogil:
    """The end: what was open or ahead does not happen any more (D33)."""
    open_step(s, OVER, 0, 0)
    memset(s.ahead, 0, sizeof(s.ahead))
    s.ahead_count = 0
    clear_fight(s)
    clear_claims(s)
    s.result = <u8>result
    s.winners = <u8>winners


cdef bint has_won(const Tables* t, DeukalionState* s, int seat) noexcept nogil:
    """Ends the game when the seat has the points (D33)."""
    if points_of(t, s, seat) < t.target:
        return False
    finish(s, BY_POINTS, 1 << seat)
    return True


# -- fighters, cards, orders

cdef void bring_back(const Tables* t, Player* p, int most) noexcept nogil:
    cdef int count = come_back(t, p, most)
    p.fighters += <u8>count
    p.underworld -= <u8>count


cdef void take_victory_cards(DeukalionState* s, int seat, int count) noexcept nogil:
    """As many as are left (D5)."""
    if count > s.victory_cards:
        count = s.victory_cards
    s.victory_cards -= <u8>count
    s.players[seat].victory_cards += <u8>count


cdef void take_treasure(const Tables* t, Player* p, int color) noexcept nogil:
    """Aboard; without a place free, instead of a fighter (D18)."""
    if free_places(t, p) == 0:
        p.fighters -= 1
        p.underworld += 1
    p.treasures[color] += 1


cdef void strike(const Tables* t, DeukalionState* s, int seat, int kind) noexcept nogil:
    """A card left the hand openly: players who knew of one such card there know of one less (D32)."""
    cdef int other
    for other in range(t.players):
        if s.players[other].knows[seat][kind]:
            s.players[other].knows[seat][kind] -= 1


cdef void put_under(const Tables* t, DeukalionState* s, int seat, int kind) noexcept nogil:
    """A used card goes from the hand under the pile (D23)."""
    s.players[seat].hand[kind] -= 1
    s.players[seat].hand_count -= 1
    s.under[s.under_count] = <u8>kind
    s.under_count += 1
    strike(t, s, seat, kind)


cdef void play_card(const Tables* t, DeukalionState* s, int kind) noexcept nogil:
    cdef Player* p = &s.players[s.mover]
    if kind < PERMANENT:
        p.hand[kind] -= 1
        p.hand_count -= 1
        p.permanent[kind] += 1
        strike(t, s, s.mover, kind)
        return
    put_under(t, s, s.mover, kind)
    if kind == FAIR_WIND:
        s.wind += 1
    elif kind == BATTLE_CRY:
        s.cry += 1
    else:
        bring_back(t, p, t.charon)


cdef void draw_card(const Tables* t, DeukalionState* s, int kind) noexcept nogil:
    cdef int seat = s.now.seat, other, i
    s.players[seat].hand[kind] += 1
    s.players[seat].hand_count += 1
    if s.pile_count:
        s.pile[kind] -= 1
        s.pile_count -= 1
        return
    for i in range(1, s.under_count):
        s.under[i - 1] = s.under[i]
    s.under_count -= 1
    s.under[s.under_count] = 0
    for other in range(t.players):
        if other != seat:
            s.players[other].knows[seat][kind] += 1


cdef void steal_card(const Tables* t, DeukalionState* s, int kind) noexcept nogil:
    """From the loser's hand to the winner's; what the others knew of it is less sure now (D32)."""
    cdef int winner = s.now.seat, loser = s.now.item, other, i
    s.players[loser].hand[kind] -= 1
    s.players[loser].hand_count -= 1
    s.players[winner].hand[kind] += 1
    s.players[winner].hand_count += 1
    s.players[loser].knows[winner][kind] += 1
    for other in range(t.players):
        if other == winner:
            if s.players[other].knows[loser][kind]:
                s.players[other].knows[loser][kind] -= 1
        elif other != loser:
            for i in range(KINDS):
                if s.players[other].knows[loser][i]:
                    s.players[other].knows[loser][i] -= 1


cdef void fulfil(const Tables* t, DeukalionState* s, int seat, int order) noexcept nogil:
    cdef Player* p = &s.players[seat]
    if p.order == order:
        p.order = NONE
    else:
        s.open_orders &= ~<u16>(1 << order)
    p.fulfilled |= <u16>(1 << order)
    p.order_points += t.points[order]


cdef int fulfil_by_fight(const Tables* t, DeukalionState* s, int seat, u16 asking) noexcept nogil:
    """Every order that asks for the fight that was won, at once (D21); how many."""
    cdef u32 orders = orders_for(s, seat) & asking
    cdef int count = count_bits(orders)
    while orders:
        fulfil(t, s, seat, lowest(orders))
        orders &= orders - 1
    return count


cdef void pay(const Tables* t, DeukalionState* s, int seat, move_t claim) noexcept nogil:
    """Cards and `midas` go under the pile, treasures leave the ship to be placed one by one (D20)."""
    cdef int kind, place, _copy
    cdef int counts[COLORS]
    if move_kind(claim) == CLAIM_CARDS:
        for kind in range(KINDS):
            for _copy in range(claim_count(claim, kind)):
                put_under(t, s, seat, kind)
    elif move_kind(claim) == CLAIM_TREASURES:
        for place in range(COLORS):
            counts[place] = claim_count(claim, place)
        for _copy in range(claim_cost(t, claim_order(claim), counts)):
            put_under(t, s, seat, MIDAS)
        for place in range(COLORS - 1, -1, -1):
            s.players[seat].treasures[place] -= <u8>counts[place]
            for _copy in range(counts[place]):
                put_ahead(s, PLACE, seat, place)


cdef void claim_in_turn(const Tables* t, DeukalionState* s, move_t claim) noexcept nogil:
    fulfil(t, s, s.mover, claim_order(claim))
    s.sailed = 1            # D13
    if has_won(t, s, s.mover):
        return
    put_ahead(s, REFILL, 0, 0)
    pay(t, s, s.mover, claim)
    advance(t, s)


# -- orders that were revealed (D20)

cdef void ask_next(const Tables* t, DeukalionState* s) noexcept nogil:
    """The next one to be asked, from the mover clockwise; when all have answered, what comes of it."""
    cdef int seat = s.mover
    if s.asked:
        while not s.asked >> seat & 1:
            seat = after(t, seat)
        s.asked &= ~<u8>(1 << seat)
        open_step(s, ASK, seat, 0)
        return
    settle_claims(t, s)


cdef void reveal(const Tables* t, DeukalionState* s, int order) noexcept nogil:
    cdef int seat
    s.order_pile &= ~<u16>(1 << order)
    s.order_pile_count -= 1
    s.open_orders |= <u16>(1 << order)
    s.revealed = <u8>order
    for seat in range(t.players):
        if can_claim(t, s, seat, order):
            s.asked |= <u8>(1 << seat)
    ask_next(t, s)


cdef void settle_claims(const Tables* t, DeukalionState* s) noexcept nogil:
    """One taker gets the order; of several each gets a victory card, and the order leaves the game."""
    cdef move_t claims[4]
    cdef u8 takers[4]
    cdef int i, _seat, seat = s.mover, count = 0, winners = 0, order = s.revealed
    for _seat in range(t.players):
        if s.claims[seat]:
            takers[count] = <u8>seat
            claims[count] = s.claims[seat]
            count += 1
        seat = after(t, seat)
    clear_claims(s)
    if count == 1:
        fulfil(t, s, takers[0], order)
    elif count > 1:
        s.open_orders &= ~<u16>(1 << order)
        s.removed_orders |= <u16>(1 << order)
        for i in range(count):
            take_victory_cards(s, takers[i], 1)
    for i in range(count):
        if takers[i] == s.mover:
            s.sailed = 1    # D13
        if points_of(t, s, takers[i]) >= t.target:
            winners |= 1 << takers[i]
    if winners:
        finish(s, BY_POINTS, winners)
        return
    # Cards are paid in the order of asking; treasures are placed so as well, hence put ahead the other way round.
    pay_all(t, s, takers, claims, count)
    advance(t, s)


cdef void pay_all(const Tables* t, DeukalionState* s, const u8* takers, const move_t* claims, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        if move_kind(claims[i]) == CLAIM_CARDS:
            pay(t, s, takers[i], claims[i])
    for i in range(count - 1, -1, -1):
        if move_kind(claims[i]) == CLAIM_TREASURES:
            pay(t, s, takers[i], claims[i])


# -- fights (D26 to D29)

cdef void begin_fight(const Tables* t, DeukalionState* s, int fight, int thrower, int defender,
                      int place) noexcept nogil:
    s.fight = <u8>fight
    s.attacker = s.mover
    s.defender = <u8>defender
    open_step(s, THROWING, thrower, place)
    if s.players[thrower].fighters == 0:
        score_throw(t, s, 0, 0, 0)


cdef void score_throw(const Tables* t, DeukalionState* s, int up, int down, int half) noexcept nogil:
    """The losses at once, then the points in halves, cards included."""
    cdef int seat = s.now.seat, place = s.now.item, fight = s.fight
    cdef Player* p = &s.players[seat]
    cdef int score = 2 * down + half + bonus_halves(t, s, seat)
    cdef int lost = up - p.permanent[FAVOR_OF_HADES]
    if lost > 0:
        p.fighters -= <u8>lost
        p.underworld += <u8>lost
    if seat == s.mover:
        s.cry = 0
    if fight == SHIP_FIGHT and not s.defending:
        s.defending = 1
        s.score = <u16>score
        open_step(s, THROWING, s.defender, 0)
        if s.players[s.defender].fighters == 0:
            score_throw(t, s, 0, 0, 0)
        return
    if fight == SHIP_FIGHT:
        settle_ships(t, s, s.score > score)
        return
    clear_fight(s)
    if fight == CITY_FIGHT:
        if score >= t.city_halves[place] and can_take(t, p):
            open_step(s, LOOT, seat, place)
        else:
            advance(t, s)
    elif fight == SETTLEMENT_FIGHT:
        if score >= t.settlement_halves[place]:
            conquer(t, s, place)
            if has_won(t, s, seat):
                return
        advance(t, s)
    else:
        settle_hydra(t, s, seat, fight == BITE, score >= t.hydra_halves)


cdef void settle_ships(const Tables* t, DeukalionState* s, bint attacker_won) noexcept nogil:
    cdef int winner = s.attacker if attacker_won else s.defender
    cdef int loser = s.defender if attacker_won else s.attacker
    cdef move_t moves[COLORS + 2]
    clear_fight(s)
    if fulfil_by_fight(t, s, winner, t.defeat_orders) and has_won(t, s, winner):
        return
    put_ahead(s, REFILL, 0, 0)
    put_ahead(s, DISPLACE, winner, loser)
    open_step(s, SPOILS, winner, loser)
    if list_spoils(t, s, moves) == 0:
        advance(t, s)


cdef void settle_hydra(const Tables* t, DeukalionState* s, int seat, bint bitten, bint won) noexcept nogil:
    if not won:
        put_ahead(s, DISPLACE, right_of(t, seat), seat)
        advance(t, s)
        return
    if fulfil_by_fight(t, s, seat, t.hydra_orders) == 0 and bitten:
        take_victory_cards(s, seat, 1)
    if has_won(t, s, seat):
        return
    put_ahead(s, REFILL, 0, 0)
    put_ahead(s, DISPLACE, seat, THE_HYDRA)
    advance(t, s)


cdef void conquer(const Tables* t, DeukalionState* s, int place) noexcept nogil:
    """A settlement falls: its fighters go to the underworld, the mover's move in if they are enough (D17)."""
    cdef Player* p = &s.players[s.mover]
    s.players[s.owner[place]].underworld += s.garrison[place]
    s.garrison[place] = 0
    s.owner[place] = 0
    if p.fighters >= t.garrison[place]:
        garrison(t, s, place)


cdef void garrison(const Tables* t, DeukalionState* s, int place) noexcept nogil:
    s.players[s.mover].fighters -= t.garrison[place]
    s.garrison[place] = t.garrison[place]
    s.owner[place] = s.mover


# -- moves

cdef void sail(const Tables* t, DeukalionState* s, int to) noexcept nogil:
    cdef Player* p = &s.players[s.mover]
    cdef int other
    p.ship = <u8>to
    s.sailed = 1
    if to == s.hydra:
        begin_fight(t, s, HYDRA_FIGHT, s.mover, 0, 0)
        return
    if t.styx >> to & 1:
        if p.underworld:
            open_step(s, STYX, s.mover, 0)
        return
    if not t.sea >> to & 1:
        return
    for other in range(t.players):
        if other != s.mover and s.players[other].ship == to:
            s.acted = 1
            begin_fight(t, s, SHIP_FIGHT, s.mover, other, 0)
            return


cdef void move_hydra(const Tables* t, DeukalionState* s, int to) noexcept nogil:
    cdef int other
    s.hydra = <u8>to
    s.hydra_used = 1
    for other in range(t.players):
        if s.players[other].ship == to:
            begin_fight(t, s, BITE, other, other, 0)
            return


cdef void fetch(const Tables* t, DeukalionState* s) noexcept nogil:
    """Fighters come back from the Styx; a player who had the most there is rewarded (D15)."""
    cdef int seat = s.now.seat, other
    cdef Player* p = &s.players[seat]
    cdef bint most = True
    for other in range(t.players):
        if other != seat and s.players[other].underworld >= p.underworld:
            most = False
    bring_back(t, p, t.fighters)
    if most:
        take_victory_cards(s, seat, t.styx_reward)
        if has_won(t, s, seat):
            return
    advance(t, s)


cdef void deliver(const Tables* t, DeukalionState* s, int color) noexcept nogil:
    s.delivered = 1
    take_victory_cards(s, s.mover, 1)
    if has_won(t, s, s.mover):
        return
    s.players[s.mover].treasures[color] -= 1
    open_step(s, PLACE, s.mover, color)


cdef void draw_cards(const Tables* t, DeukalionState* s) noexcept nogil:
    """The card die: 1 for all others, from the left, 3 for the active player (D9)."""
    cdef int seat
    s.card_used = 1
    if s.card_die == 3:
        put_ahead(s, DRAWING, s.mover, 0)
    else:
        seat = right_of(t, s.mover)
        while seat != s.mover:
            put_ahead(s, DRAWING, seat, 0)
            seat = right_of(t, seat)
    advance(t, s)


cdef void begin_turn(const Tables* t, DeukalionState* s, int mover) noexcept nogil:
    s.mover = <u8>mover
    s.sailed = s.acted = s.delivered = s.card_used = s.fighters_used = s.hydra_used = s.wind = s.cry = 0


cdef void end_turn(const Tables* t, DeukalionState* s) noexcept nogil:
    cdef int mover
    if s.mover != s.turn:
        mover = after(t, s.mover)
        begin_turn(t, s, mover)
        open_step(s, KYLIX if mover == s.turn else FOLLOW, mover, 0)
        return
    if s.turn + 1 == t.players and s.round >= t.max_rounds:
        finish(s, BY_LENGTH, 0)     # D34
        return
    s.turn = <u8>after(t, s.turn)
    s.round += s.turn == 0
    s.roll = 0
    s.card_die = s.fighters_die = s.sail_die = s.hydra_die = 0
    begin_turn(t, s, s.turn)
    open_step(s, ROLLING, s.turn, 0)


cdef void put_ship(const Tables* t, DeukalionState* s, int square) noexcept nogil:
    s.players[s.mover].ship = <u8>square
    s.mover = <u8>after(t, s.mover)
    open_step(s, SETUP if s.mover else ROLLING, s.mover, 0)


cdef void claim(const Tables* t, DeukalionState* s, move_t move) noexcept nogil:
    if s.now.kind == ASK:
        s.claims[s.now.seat] = move
        ask_next(t, s)
    else:
        claim_in_turn(t, s, move)


cdef void take(const Tables* t, DeukalionState* s, int color) noexcept nogil:
    cdef u8* treasures
    if s.now.kind == LOOT:
        treasures = s.cities[s.now.item]
    else:
        treasures = s.players[s.now.item].treasures
    treasures[color] -= 1
    take_treasure(t, &s.players[s.now.seat], color)
    advance(t, s)


cdef void deukalion_apply(tables_t tables, void* state, move_t move) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef DeukalionState* s = <DeukalionState*>state
    cdef int kind = move_kind(move), item = move_item(move)
    if kind == SAIL:
        sail(t, s, item)
    elif kind == ROLL:
        s.roll = <u16>item
        begin_turn(t, s, after(t, s.turn))
        open_step(s, FOLLOW, s.mover, 0)
    elif kind == THROW:
        score_throw(t, s, thrown_up(move), thrown_down(move), thrown_half(move))
    elif kind == END:
        end_turn(t, s)
    elif kind == STAND:
        s.card_die = <u8>die(item, 0)
        s.fighters_die = <u8>die(item, 1)
        s.sail_die = <u8>die(item, 2)
        s.hydra_die = <u8>die(item, 3)
        open_step(s, ACT, s.mover, 0)
    elif kind == PLAY:
        play_card(t, s, item)
    elif kind == REST:
        bring_back(t, &s.players[s.mover], t.rest)
        end_turn(t, s)
    elif kind == USE_CARD:
        draw_cards(t, s)
    elif kind == USE_FIGHTERS:
        s.fighters_used = 1
        bring_back(t, &s.players[s.mover], s.fighters_die)
    elif kind == MOVE_HYDRA:
        move_hydra(t, s, item)
    elif kind == DRAW:
        draw_card(t, s, item)
        advance(t, s)
    elif kind == FOUND:
        s.acted = 1
        garrison(t, s, item)
        has_won(t, s, s.mover)
    elif kind == ATTACK_CITY:
        s.acted = 1
        begin_fight(t, s, CITY_FIGHT, s.mover, 0, item)
    elif kind == ATTACK_SETTLEMENT:
        s.acted = 1
        begin_fight(t, s, SETTLEMENT_FIGHT, s.mover, 0, item)
    elif kind == DISPLACE_TO:
        if s.now.item == THE_HYDRA:
            s.hydra = <u8>item
        else:
            s.players[s.now.item].ship = <u8>item
        advance(t, s)
    elif kind == TAKE:
        take(t, s, item)
    elif kind == DELIVER:
        deliver(t, s, item)
    elif kind == PLACE_IN:
        s.cities[item][s.now.item] += 1
        advance(t, s)
    elif kind == CLAIM_TREASURES or kind == CLAIM_FIGHTERS or kind == CLAIM_CARDS:
        claim(t, s, move)
    elif kind == FETCH:
        fetch(t, s)
    elif kind == DROP:
        s.players[s.now.seat].treasures[item] -= 1
        put_ahead(s, STYX, s.now.seat, 0)
        open_step(s, PLACE, s.now.seat, item)
    elif kind == STEAL:
        open_step(s, STEALING, s.now.seat, s.now.item)
    elif kind == STOLEN:
        steal_card(t, s, item)
        advance(t, s)
    elif kind == ORDER:
        reveal(t, s, item)
    elif kind == ANCHOR:
        put_ship(t, s, item)
    elif s.now.kind == ASK:
        ask_next(t, s)      # declined
    else:
        advance(t, s)       # declined


# -- chance

cdef const u8* drawn_from(const DeukalionState* s) noexcept nogil:
    """The cards of which one is drawn or stolen."""
    if s.now.kind == STEALING:
        return s.players[s.now.item].hand
    return s.pile


cdef int deukalion_chance_outcomes(tables_t tables, state_t state, move_t* outcomes,
                                   double* probabilities) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int kind = s.now.kind, i, n = 0, total = 0
    cdef const Throw* throw
    cdef const u8* cards
    cdef u32 orders
    if kind == ROLLING:
        for i in range(ROLLS):
            outcomes[i] = pack(ROLL, t.rolls[i])
            probabilities[i] = t.roll_probability[i]
        return ROLLS
    if kind == THROWING:
        total = s.players[s.now.seat].fighters
        throw = &t.throws[total]
        for i in range(throw.count):
            outcomes[i] = pack_throw(throw.up[i], total - throw.up[i] - throw.half[i], throw.half[i])
            probabilities[i] = throw.probability[i]
        return throw.count
    if kind == REVEAL:
        orders = s.order_pile
        while orders:
            outcomes[n] = pack(ORDER, <u32>lowest(orders))
            probabilities[n] = 1.0 / s.order_pile_count
            orders &= orders - 1
            n += 1
        return n
    if kind == DRAWING and s.pile_count == 0:
        outcomes[0] = pack(DRAW, s.under[0])
        probabilities[0] = 1
        return 1
    cards = drawn_from(s)
    for i in range(KINDS):
        total += cards[i]
    for i in range(KINDS):
        if cards[i]:
            outcomes[n] = pack(DRAW if kind == DRAWING else STOLEN, <u32>i)
            probabilities[n] = cards[i] / <double>total
            n += 1
    return n


cdef move_t deukalion_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int kind = s.now.kind, total, left, i, low, high
    cdef const Throw* throw
    cdef const u8* cards
    cdef u32 luck
    if kind == ROLLING:
        return pack(ROLL, t.roll[rng_below(rng, DICE)])
    if kind == THROWING:
        total = s.players[s.now.seat].fighters
        throw = &t.throws[total]
        luck = <u32>(rng_next(rng) >> 32)
        low = 0
        high = throw.count - 1
        while low < high:
            i = (low + high) >> 1
            if luck < throw.below[i]:
                high = i
            else:
                low = i + 1
        return pack_throw(throw.up[low], total - throw.up[low] - throw.half[low], throw.half[low])
    if kind == REVEAL:
        # Any order until one is in the pile: the same luck so mostly reveals the same order from two piles.
        while True:
            i = <int>rng_below(rng, t.orders)
            if s.order_pile >> i & 1:
                return pack(ORDER, <u32>i)
    if kind == DRAWING and s.pile_count == 0:
        return pack(DRAW, s.under[0])
    cards = drawn_from(s)
    total = s.pile_count if kind == DRAWING else s.players[s.now.item].hand_count
    left = <int>rng_below(rng, <u32>total)
    i = 0
    while left >= cards[i]:
        left -= cards[i]
        i += 1
    return pack(DRAW if kind == DRAWING else STOLEN, <u32>i)


# -- the end

cdef void deukalion_returns(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int seat
    for seat in range(t.players):
        if s.result == BY_LENGTH:
            values[seat] = 1.0 / t.players
        elif s.winners >> seat & 1:
            values[seat] = 1.0 / count_bits(s.winners)
        else:
            values[seat] = 0


cdef void deukalion_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int seat, other, points
    for seat in range(t.players):
        points = points_of(t, s, seat)
        ranks[seat] = 1
        for other in range(t.players):
            ranks[seat] += points_of(t, s, other) > points
