"""How good a position is; see evaluate.pxd and weights.py."""

from libc.math cimport exp, sqrt
from libc.string cimport memset

from pythia.core_cy.game cimport State, state_t, tables_t
from pythia.core_cy.offrandes.policy cimport likely_sale
from pythia.core_cy.offrandes.rules cimport distance, offered_number, offrandes_returns
from pythia.core_cy.offrandes.state cimport (
    BID, BRIBE, OFFER, OPEN, OVER, OffrandesState, Player, SETUP,
)
from pythia.core_cy.offrandes.tables cimport (
    ALTARS, CARRIER, FARMER, FEATURES, FLORIST, GUARD, INCOME, LAST_SCORE, MAX_ROUNDS, MAX_SEATS,
    MOST_DRACHMAS, PRIESTESS, ROUND_FEATURES, SEDUCER, SERVANT, TOP, Tables,
)

from pythia.core_cy.offrandes import weights

# The approximate share of the auction turns in which a seat buys.
cdef float BUYS = 0.7
cdef float SCALE_BASE = weights.SCALE_BASE
cdef float SCALE_GROWTH = weights.SCALE_GROWTH

assert len(weights.FEATURES) == FEATURES and len(weights.ROUND_FEATURES) == ROUND_FEATURES
for name, feature in (
    ("product", PRODUCT), ("growth", GROWTH), ("spare", SPARE), ("lamp", LAMP), ("reach", REACH), ("unready", UNREADY),
    ("bribes", BRIBES), ("exposed", EXPOSED), ("money", MONEY), ("safe", SAFE), ("threatened", THREATENED),
    ("last_turn", LAST_TURN),
):
    assert weights.FEATURES[feature] == name
for name, feature in (
    ("rounds_base", ONE), ("rounds_altars", EMPTY_ALTARS), ("rounds_points", POINTS_LACKING), ("rounds_round", ROUND),
    ("rounds_servant", BEST_SERVANT), ("rounds_ready", READY), ("rounds_production", BEST_PRODUCTION),
):
    assert weights.ROUND_FEATURES[feature] == name


cdef int fill_weights(Tables* t, dict values) except -1:
    cdef int i
    known = {*weights.FEATURES, *weights.ROUND_FEATURES}
    if set(values) != known:
        raise ValueError(f"weights: {sorted(set(values) ^ known)} missing or unknown")
    for i, name in enumerate(weights.FEATURES):
        t.weight[i] = values[name]
    for i, name in enumerate(weights.ROUND_FEATURES):
        t.round_weight[i] = values[name]
    return 0


# -- how long the game lasts

cdef inline int production(const Tables* t, const Player* p) noexcept nogil:
    """What an offering brings at once; 0 for who cannot make one."""
    if p.level[FARMER] == 0 or p.level[SERVANT] == 0 or offered_number(p) == 0:
        return 0
    return p.level[FARMER] * offered_number(p) + t.lamp[p.level[PRIESTESS]]


cdef float round_features(const Tables* t, const OffrandesState* s, float* f) noexcept nogil:
    """Returns how many rounds it is at most, until the first seat has its points as it goes on now."""
    cdef const Player* p
    cdef float needed, least = MAX_ROUNDS
    cdef int seat, made, ready = 0, best = 0, servant = 0, score = 0
    for seat in range(t.players):
        p = &s.players[seat]
        made = production(t, p)
        ready += made > 0
        if made > best:
            best = made
        if p.level[SERVANT] > servant:
            servant = p.level[SERVANT]
        if p.score > score:
            score = p.score
        needed = <float>0.5 + (LAST_SCORE + 1 - p.score) / (<float>5.0 + <float>0.8 * made)
        if needed < least:
            least = needed
    f[ONE] = 1
    f[EMPTY_ALTARS] = (ALTARS - s.taken) / <float>t.players
    f[POINTS_LACKING] = (LAST_SCORE + 1 - score) * <float>0.1
    f[ROUND] = s.round
    f[BEST_SERVANT] = servant
    f[READY] = ready / <float>t.players
    f[BEST_PRODUCTION] = best
    return least


cdef float rounds_to_come(const Tables* t, const OffrandesState* s) noexcept nogil:
    """Until somebody has more than 100 points, or offerings lie on all altars; this round included."""
    cdef float f[ROUND_FEATURES]
    cdef float rounds = 0
    cdef float most = round_features(t, s, f)
    cdef int i
    for i in range(ROUND_FEATURES):
        rounds += t.round_weight[i] * f[i]
    if rounds > most:
        rounds = most
    if rounds < 1 or f[POINTS_LACKING] <= 0 or s.taken == ALTARS:
        return 1
    return rounds


# -- what judgements share

cdef void look(Outlook* o, const Tables* t, const OffrandesState* s) noexcept nogil:
    cdef int seat, level
    cdef float turns = t.players
    o.t = t
    o.s = s
    o.rounds = rounds_to_come(t, s)
    if s.phase >= BRIBE:
        turns = 0
    elif s.phase > SETUP:
        turns -= distance(t, s.first, s.turn)
    o.purchases = BUYS * (turns + t.players * (o.rounds - 1))
    o.briberies = o.rounds - 1 if s.phase == OFFER else o.rounds
    o.most_seducers[0] = o.most_seducers[1] = -1
    o.least_guards[0] = o.least_guards[1] = TOP + 1
    o.top_seducer = o.low_guard = 0
    for seat in range(t.players):
        o.offers[seat] = o.rounds
        if s.phase == OFFER and distance(t, s.first, seat) < distance(t, s.first, s.actor):
            o.offers[seat] -= 1
        level = s.players[seat].level[SEDUCER]
        if level > o.most_seducers[0]:
            o.most_seducers[1] = o.most_seducers[0]
            o.most_seducers[0] = level
            o.top_seducer = seat
        elif level > o.most_seducers[1]:
            o.most_seducers[1] = level
        level = s.players[seat].level[GUARD]
        if level < o.least_guards[0]:
            o.least_guards[1] = o.least_guards[0]
            o.least_guards[0] = level
            o.low_guard = seat
        elif level < o.least_guards[1]:
            o.least_guards[1] = level


# -- points

cdef inline void ladder_features(const Outlook* o, const Player* p, int seat, float* f) noexcept nogil:
    cdef float offers = o.offers[seat]
    cdef float animal = p.level[FARMER]
    cdef float number = offered_number(p)
    cdef float spare = p.level[CARRIER] + p.level[FLORIST] - 2 * number
    cdef float made = offers
    cdef int seducers = o.most_seducers[o.top_seducer == seat]
    cdef int guards = o.least_guards[o.low_guard == seat]
    cdef bint unready = production(o.t, p) == 0
    if unready:
        # Half of those who cannot offer anything yet can before the round ends.
        made = offers - <float>0.5 if offers > <float>0.5 else 0
    f[PRODUCT] = made * animal * number
    f[GROWTH] = made * (made - 1) * <float>0.5 * (animal + number) if made > 1 else 0
    f[SPARE] = made * (spare if spare < 2 else 2)
    f[LAMP] = made * o.t.lamp[p.level[PRIESTESS]]
    f[REACH] = made * p.level[SERVANT]
    f[UNREADY] = unready if offers >= 1 else 0
    f[BRIBES] = o.briberies if p.level[SEDUCER] > guards else 0
    f[EXPOSED] = o.briberies if seducers > p.level[GUARD] else 0


cdef float ladder_points(const Outlook* o, const Player* p, int seat) noexcept nogil:
    cdef float f[FEATURES]
    cdef float points = 0
    cdef int i
    ladder_features(o, p, seat, f)
    for i in range(MONEY):
        points += o.t.weight[i] * f[i]
    return points


cdef inline float money_share(const Outlook* o, int seat) noexcept nogil:
    """How much of what the seat will spend one drachma is, times what it can still improve."""
    cdef float all = o.s.players[seat].drachmas + INCOME * (o.rounds - 1)
    return o.purchases / (all + 3) * (o.rounds if o.rounds < 4 else 4)


cdef inline float kept_money(const Outlook* o, int seat) noexcept nogil:
    """Drachmas that still can be spent: more than 25 are not kept (O23)."""
    cdef int drachmas = o.s.players[seat].drachmas
    if o.s.phase >= BRIBE and drachmas > MOST_DRACHMAS - INCOME:
        drachmas = MOST_DRACHMAS - INCOME
    return drachmas


cdef float drachma_worth(const Outlook* o, int seat) noexcept nogil:
    return o.t.weight[MONEY] * money_share(o, seat)


cdef bint is_threatened(const Outlook* o, int altar, int owner, int number, int animal) noexcept nogil:
    """Whether some other seat could replace an offering with what it can offer now."""
    cdef const Player* p
    cdef int seat, theirs
    for seat in range(o.t.players):
        p = &o.s.players[seat]
        if seat == owner or p.level[SERVANT] < o.t.group[altar] or o.offers[seat] < <float>0.5:
            continue
        theirs = offered_number(p)
        if theirs >= number and p.level[FARMER] >= animal and (theirs > number or p.level[FARMER] > animal):
            return True
    return False


cdef float keeping(const Outlook* o, int altar, int owner, int number, int animal) noexcept nogil:
    return o.t.weight[THREATENED if is_threatened(o, altar, owner, number, animal) else SAFE]


cdef void seat_features(const Outlook* o, int seat, float* f) noexcept nogil:
    cdef const OffrandesState* s = o.s
    cdef int altar
    cdef bint threatened
    memset(f, 0, FEATURES * sizeof(float))
    ladder_features(o, &s.players[seat], seat, f)
    f[MONEY] = kept_money(o, seat) * money_share(o, seat)
    # Only before the first auction: a term that comes and goes with auction turns would favor moves that end them.
    f[LAST_TURN] = s.phase == SETUP and distance(o.t, s.first, seat) == o.t.players - 1
    for altar in range(ALTARS):
        if s.owner[altar] == seat + 1:
            threatened = is_threatened(o, altar, seat, s.number[altar], s.animal[altar])
            f[THREATENED if threatened else SAFE] += o.t.points[altar]


cdef float expected_points(const Outlook* o, int seat) noexcept nogil:
    cdef float f[FEATURES]
    cdef float points = o.s.players[seat].score
    cdef int i
    seat_features(o, seat, f)
    for i in range(FEATURES):
        points += o.t.weight[i] * f[i]
    return points


def features(State state not None, int seat):
    """For fitting: (points on the track, rounds left, the features of a seat)."""
    cdef const OffrandesState* s = <const OffrandesState*>state.data
    cdef float found[FEATURES]
    cdef Outlook o
    cdef int i
    look(&o, <const Tables*>state.game.tables, s)
    seat_features(&o, seat, found)
    return s.players[seat].score, o.rounds, [found[i] for i in range(FEATURES)]


def features_of_rounds(State state not None):
    """For fitting: what the number of rounds to come is made of."""
    cdef float found[ROUND_FEATURES]
    cdef int i
    round_features(<const Tables*>state.game.tables, <const OffrandesState*>state.data, found)
    return [found[i] for i in range(ROUND_FEATURES)]


def judged(State state not None, int seat):
    """What each feature adds to the points that a seat can expect, by name."""
    _, _, found = features(state, seat)
    return {name: (<const Tables*>state.game.tables).weight[i] * found[i] for i, name in enumerate(weights.FEATURES)}


# -- the functions of the contract

cdef void offrandes_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const OffrandesState* s = <const OffrandesState*>state
    cdef int seat
    for seat in range(t.players):
        rounds[seat] = 0 if s.phase == OVER else rounds_to_come(t, s)


cdef void offrandes_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const OffrandesState* s = <const OffrandesState*>state
    cdef OffrandesState sold
    cdef Outlook o
    cdef float points[MAX_SEATS]
    cdef double best = -1e9, sum = 0.0, scale
    cdef int seat
    if s.phase == OVER:
        offrandes_returns(tables, state, values)
        return
    look(&o, t, s)
    if s.phase == OPEN or s.phase == BID:
        # What is open is judged as if it were sold as the limits of all say.
        likely_sale(&o, &sold)
        o.s = &sold
    for seat in range(t.players):
        points[seat] = expected_points(&o, seat)
        if points[seat] > best:
            best = points[seat]
    scale = SCALE_BASE + SCALE_GROWTH * sqrt(o.rounds)
    for seat in range(t.players):
        values[seat] = exp((points[seat] - best) / scale)
        sum += values[seat]
    for seat in range(t.players):
        values[seat] /= sum
