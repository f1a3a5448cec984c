"""Which moves look good, scored in points; see policy.pxd. The scores are what evaluation would gain, put together
without playing the moves."""


from pythia.core_cy.deukalion.outlook cimport (
    Outlook, chance_to_beat, chance_to_reach, fighters_worth, goals_from, look, styx_majority, treasure_worth,
)
from pythia.core_cy.deukalion.rules cimport MAX_MOVES, bonus_halves, come_back, deukalion_legal_moves, has_ship
from pythia.core_cy.deukalion.state cimport (
    ATTACK_CITY, ATTACK_SETTLEMENT, CLAIM_CARDS, CLAIM_FIGHTERS, CLAIM_TREASURES, DECLINE, DELIVER,
    DISPLACE_TO, DROP, DeukalionState, FETCH, FOUND, MOVE_HYDRA, PLACE_IN, PLAY, Player, REST, SAIL,
    STAND, STEAL, TAKE, THE_HYDRA, USE_CARD, USE_FIGHTERS, claim_count, claim_order, move_item, move_kind,
)
from pythia.core_cy.deukalion.tables cimport (
    BATTLE_CRY, CHARON, COLORS, FAIR_WIND, FIGHTERS, GOLDEN_FLEECE, KINDS, PERMANENT, Tables, die,
)
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng, rng_double
from pythia.core_cy.softmax cimport soften
from pythia.core_cy.types cimport move_t

# The least weight of a move, beside the best.
cdef float LEAST = 1e-3

# Points that make a move e times as likely, for priors and in playouts.
cdef float PRIOR_TEMPERATURE = 0.5
cdef float PLAYOUT_TEMPERATURE = 0.25


cdef inline float back_worth(const Outlook* o, const Player* p, int most) noexcept nogil:
    """Fighters that come back."""
    cdef int back = come_back(o.t, p, most)
    return (fighters_worth(o.w, p.fighters + back, p.underworld - back)
            - fighters_worth(o.w, p.fighters, p.underworld))


cdef float ship_fight(const Outlook* o, int other) noexcept nogil:
    """What attacking another ship brings: its treasures or cards, orders, and the danger to lose the own."""
    cdef const DeukalionState* s = o.s
    cdef const Player* p = &s.players[o.seat]
    cdef const Player* q = &s.players[other]
    cdef float chance = chance_to_beat(o.t, p.fighters, q.fighters,
                                       bonus_halves(o.t, s, o.seat) - 2 * q.permanent[GOLDEN_FLEECE])
    cdef float gain = <float>0.2, risk = <float>0.4
    cdef int color, order
    for color in range(COLORS):
        if q.treasures[color] and treasure_worth(o, color) > gain:
            gain = treasure_worth(o, color)
        if p.treasures[color]:
            risk = <float>1.0
    if q.hand_count and gain < o.w.steal:
        gain = o.w.steal
    for order in range(o.t.orders):
        if o.t.defeat_orders >> order & 1:
            if s.open_orders >> order & 1:
                gain += o.t.points[order]
                risk += o.t.points[order]
            elif p.order == order:
                gain += o.t.points[order]
    return chance * gain - (1 - chance) * risk - o.lost


cdef float sailing(const Outlook* o, int to, float stay) noexcept nogil:
    cdef const DeukalionState* s = o.s
    cdef const Tables* t = o.t
    cdef const Player* p = &s.players[o.seat]
    cdef int other
    cdef float worth
    if to == s.hydra:
        worth = chance_to_reach(t, p.fighters, t.hydra_halves - bonus_halves(t, s, o.seat))
        return worth * 3 - <float>0.8
    if t.styx >> to & 1 and p.underworld:
        worth = back_worth(o, p, FIGHTERS)
        if s.victory_cards and styx_majority(t, s, o.seat) and come_back(t, p, 1):
            worth += t.styx_reward
        return worth + goals_from(o, to, -1, True) - stay
    if t.sea >> to & 1:
        for other in range(t.players):
            if other != o.seat and s.players[other].ship == to:
                return ship_fight(o, other)
    return goals_from(o, to, 0, True) - stay


cdef float deed(const Outlook* o, int kind, int place, int more) noexcept nogil:
    """What attacking or founding a place brings, with `more` half points added to the throw."""
    cdef const Tables* t = o.t
    cdef const DeukalionState* s = o.s
    cdef const Player* p = &s.players[o.seat]
    cdef float best = 0
    cdef int color, bonus = bonus_halves(t, s, o.seat) + more
    if kind == FOUND:
        return t.garrison[place] * (1 + o.w.settlement) - o.w.fighter * t.garrison[place]
    if kind == ATTACK_SETTLEMENT:
        best = t.garrison[place] * (1 + o.w.settlement + <float>1.0 / (t.players - 1))
        return best * chance_to_reach(t, p.fighters, t.settlement_halves[place] - bonus) - o.lost
    for color in range(COLORS):
        if s.cities[place][color] and treasure_worth(o, color) > best:
            best = treasure_worth(o, color)
    best = best / (1 + <float>0.2 * o.treasures)
    return best * chance_to_reach(t, p.fighters, t.city_halves[place] - bonus) - o.lost


cdef float best_deed(const Outlook* o, int more) noexcept nogil:
    """The best that can be done where the ship is, 0 at least."""
    cdef const Tables* t = o.t
    cdef const DeukalionState* s = o.s
    cdef int square = s.players[o.seat].ship, place
    cdef float best = 0, worth
    if s.players[o.seat].fighters == 0:
        return 0
    for place in range(t.cities):
        if t.cities_here[square] >> place & 1:
            worth = deed(o, ATTACK_CITY, place, more)
            if worth > best:
                best = worth
    for place in range(t.settlements):
        if t.settlements_here[square] >> place & 1 and s.garrison[place] and s.owner[place] != o.seat:
            worth = deed(o, ATTACK_SETTLEMENT, place, more)
            if worth > best:
                best = worth
    return best


cdef float playing(const Outlook* o, int card, float stay) noexcept nogil:
    cdef const Tables* t = o.t
    cdef const Player* p = &o.s.players[o.seat]
    cdef float worth
    if card < PERMANENT:
        return 1
    if card == CHARON:
        return back_worth(o, p, t.charon) - o.w.card[CHARON]
    if card == FAIR_WIND:
        return goals_from(o, p.ship, o.reach + t.wind, o.may_act) - stay - o.w.card[FAIR_WIND]
    worth = best_deed(o, t.cry_halves) - best_deed(o, 0)
    return worth - o.w.card[BATTLE_CRY]


cdef float biting(const Outlook* o, int to) noexcept nogil:
    """The Hydra onto a ship, or out of the way."""
    cdef const DeukalionState* s = o.s
    cdef const Player* q
    cdef int other
    cdef float chance
    for other in range(o.t.players):
        q = &s.players[other]
        if q.ship == to:
            chance = chance_to_reach(o.t, q.fighters, o.t.hydra_halves - 2 * q.permanent[GOLDEN_FLEECE])
            if s.open_orders & o.t.hydra_orders:
                chance *= 3
            return (<float>0.42 * o.w.fighter * q.fighters + <float>0.5 - 2 * chance) / (o.t.players - 1)
    return 0


cdef float turning(const Outlook* o, int dice) noexcept nogil:
    """The cup: a card, fighters, the ship, the Hydra."""
    cdef const DeukalionState* s = o.s
    cdef const Player* p = &s.players[o.seat]
    cdef float worth = back_worth(o, p, die(dice, 1)) + <float>0.03 * die(dice, 3)
    if die(dice, 0) == 3:
        worth += <float>0.35
    elif die(dice, 0) == 1:
        worth -= <float>0.35
    return worth + goals_from(o, p.ship, die(dice, 2) + p.permanent[0], True)


cdef float displacing(const Outlook* o, int to) noexcept nogil:
    """Another ship away from what it can do; the Hydra towards others."""
    cdef Outlook other
    cdef const DeukalionState* s = o.s
    if s.now.item == THE_HYDRA:
        return 0
    look(&other, o.t, s, s.now.item)
    if s.now.item == o.seat:
        return goals_from(&other, to, -1, True)
    return -goals_from(&other, to, -1, True)


cdef float claiming(const Outlook* o, move_t move) noexcept nogil:
    cdef int color, kind
    cdef float cost = 0
    if move_kind(move) == CLAIM_TREASURES:
        for color in range(COLORS):
            cost += claim_count(move, color) * (<float>0.6 + o.wanted[color])
    elif move_kind(move) == CLAIM_CARDS:
        for kind in range(KINDS):
            cost += claim_count(move, kind) * o.w.card[kind]
    return 2 + o.t.points[claim_order(move)] - <float>0.5 * cost


cdef float score_move(const Outlook* o, move_t move, float stay) noexcept nogil:
    cdef const Tables* t = o.t
    cdef const DeukalionState* s = o.s
    cdef const Player* p = &s.players[o.seat]
    cdef int kind = move_kind(move), item = move_item(move)
    if kind == SAIL:
        return sailing(o, item, stay) + <float>0.1
    if kind == CLAIM_TREASURES or kind == CLAIM_FIGHTERS or kind == CLAIM_CARDS:
        return claiming(o, move)
    if kind == FOUND or kind == ATTACK_CITY or kind == ATTACK_SETTLEMENT:
        return deed(o, kind, item, 0) + <float>0.3
    if kind == DELIVER:
        return (<float>0.8 if s.victory_cards else <float>-1) - o.wanted[item]
    if kind == PLAY:
        return playing(o, item, stay)
    if kind == TAKE:
        return treasure_worth(o, item)
    if kind == STEAL:
        return o.w.steal
    if kind == FETCH:
        return 2
    if kind == DROP:
        return <float>-0.5 - o.wanted[item]
    if kind == REST:
        return back_worth(o, p, t.rest) - (stay - goals_from(o, p.ship, -1, True)) * <float>0.8
    if kind == USE_FIGHTERS:
        return 1
    if kind == USE_CARD:
        return <float>0.8 if s.card_die == 3 else <float>0
    if kind == MOVE_HYDRA:
        return biting(o, item)
    if kind == STAND:
        return turning(o, item)
    if kind == DISPLACE_TO:
        return displacing(o, item)
    if kind == PLACE_IN:
        # Near the own ship and easy to take.
        return <float>-0.05 * t.to_city[item][p.ship] - <float>0.05 * t.city_halves[item]
    if kind == DECLINE:
        return 0
    return <float>-0.1      # end, or an anchor


cdef void score_moves(const Tables* t, const DeukalionState* s, const move_t* moves, int count,
                      float* scores) noexcept nogil:
    cdef Outlook o
    cdef float stay = 0
    cdef int i
    look(&o, t, s, s.now.seat)
    if has_ship(&s.players[s.now.seat]):
        stay = goals_from(&o, s.players[s.now.seat].ship, 0 if o.reach > 0 else o.reach, o.may_act)
    for i in range(count):
        scores[i] = score_move(&o, moves[i], stay)


# -- the functions of the contract

cdef move_t deukalion_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef int count = deukalion_legal_moves(tables, state, moves)
    cdef int i
    cdef float left
    if count == 1:
        return moves[0]
    score_moves(<const Tables*>tables, <const DeukalionState*>state, moves, count, scores)
    left = <float>rng_double(rng) * soften(scores, count, PLAYOUT_TEMPERATURE, LEAST)
    for i in range(count):
        left -= scores[i]
        if left < 0:
            return moves[i]
    return moves[count - 1]


cdef void deukalion_priors(tables_t tables, state_t state, const move_t* moves, int count,
                           float* weights) noexcept nogil:
    cdef int i
    cdef float total
    score_moves(<const Tables*>tables, <const DeukalionState*>state, moves, count, weights)
    total = soften(weights, count, PRIOR_TEMPERATURE, LEAST)
    for i in range(count):
        weights[i] /= total
