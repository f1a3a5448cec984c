"""How good a position is; see evaluate.pxd and weights.py."""

from libc.math cimport exp, sqrt
from libc.string cimport memset

from pythia.core_cy.bits cimport lowest
from pythia.core_cy.game cimport State, state_t, tables_t
from pythia.core_cy.keltis.policy cimport best_next, best_open
from pythia.core_cy.keltis.rules cimport keltis_returns, playable
from pythia.core_cy.keltis.state cimport (
    CLOVER_STEP, GOBLIN_DROP, KeltisState, OVER, Player, SPIRAL_BACK,
)
from pythia.core_cy.keltis.tables cimport (
    BIG_STONES, COLORS, FEATURES, FIGURES, GOBLIN, MAX_SEATS, MOVE_FEATURES, Tables, Worth,
)
from pythia.core_cy.types cimport u32

from pythia.core_cy.keltis import weights

# Turns that games go on when their end is near.
cdef float STALLING = 4

assert len(weights.FEATURES) == FEATURES
for name, feature in (
    ("value", VALUE), ("progress", PROGRESS), ("start", AT_START), ("wish", WISH_NOW), ("stones", STONES),
    ("stones_missing", STONES_MISSING), ("mirrors", MIRRORS_HELD), ("plays", PLAYS), ("open", OPEN),
    ("goblin_1", GOBLIN_1), ("goblin_2", GOBLIN_2), ("goblin_3", GOBLIN_3), ("oracle_near", ORACLE_NEAR),
    ("oracle_far", ORACLE_FAR), ("oracle_reach", ORACLE_REACH), ("next_gain", NEXT_GAIN), ("fits", FITS),
    ("value_fading", VALUE_FADING), ("mirrored", MIRRORED), ("stones_ahead", STONES_AHEAD),
):
    assert weights.FEATURES[feature] == name
assert len(weights.MOVE_FEATURES) == MOVE_FEATURES


cdef int fill_weights(Tables* t, dict values) except -1:
    cdef int i
    fill_worth(&t.worth, values)
    t.scale_base = values["scale_base"]
    t.scale_growth = values["scale_growth"]
    t.draw = values["draw"]
    fill_worth(&t.policy.worth, weights.POLICY)
    t.policy.prior_temperature = values["prior_temperature"]
    t.policy.playout_temperature = values["playout_temperature"]
    t.policy.gift = values["gift"]
    t.policy.prior_learned = t.policy.playout_learned = False
    for i, name in enumerate(weights.MOVE_FEATURES):
        t.policy.prior[i] = values[f"prior.{name}"]
        t.policy.playout[i] = values[f"playout.{name}"]
        t.policy.prior_learned |= t.policy.prior[i] != 0
        t.policy.playout_learned |= t.policy.playout[i] != 0
    return 0


cdef int fill_worth(Worth* worth, dict values) except -1:
    cdef int i
    for i, name in enumerate(weights.FEATURES):
        worth.weight[i] = values.get(name, 0.0)
    worth.fade = values["fade"]
    worth.goblin_drop = values["goblin_drop"]
    return 0


# -- how long the game lasts

cdef inline float moves_to_goal(const Tables* t, int space) noexcept nogil:
    return (t.goal - space) * <float>0.2 if space < t.goal else 0


cdef float turns_left(const Tables* t, const KeltisState* s) noexcept nogil:
    cdef float by_pile = s.pile_count / <float>t.players
    cdef float nearest[5]
    cdef float needed, own, least_own = 1e9, five = 0, turns
    cdef int seat, figure, i, j, found = 0
    for seat in range(t.players):
        own = 0
        for figure in range(FIGURES):
            needed = moves_to_goal(t, s.players[seat].figures[figure])
            own += needed
            # The five figures of all that are nearest to the goal area.
            if found < 5:
                i = found
                found += 1
            elif needed < nearest[4]:
                i = 4
            else:
                continue
            while i > 0 and nearest[i - 1] > needed:
                nearest[i] = nearest[i - 1]
                i -= 1
            nearest[i] = needed
        if own < least_own:
            least_own = own
    for j in range(found):
        five += nearest[j]
    # Players who are behind delay the end, so it comes later than the figures alone suggest.
    turns = STALLING + five / t.players + <float>0.5 * least_own + <float>0.1 * by_pile
    if by_pile < turns:
        turns = by_pile
    return turns


# -- points

cdef float fitting(const KeltisState* s, int seat) noexcept nogil:
    """The share of the pile that the rows of a seat can take."""
    cdef int color, cards = 0
    if s.pile_count == 0:
        return 0
    for color in range(COLORS):
        cards += count_in(&s.pile, color, playable(&s.players[seat], color))
    return cards / <float>s.pile_count


cdef int priestess_reach(const Tables* t, const Player* p) noexcept nogil:
    """How far a card of the hand can bring the priestess."""
    cdef int color, reach = 0
    cdef u32 cards
    for color in range(COLORS):
        cards = p.hand.once[color] & playable(p, color)
        while cards:
            reach = max(reach, <int>t.reach[lowest(cards)])
            cards &= cards - 1
    return reach


cdef void seat_features(const Tables* t, const KeltisState* s, int seat, float fade, bint every,
                        float* f) noexcept nogil:
    """`every`: those too whose weight is 0."""
    cdef const Player* p = &s.players[seat]
    cdef int i, space, previous = -1, goblins = 0, plays = 0, reach = 0
    cdef float opens = 0
    cdef bint empty
    memset(f, 0, FEATURES * sizeof(float))
    if t.worth.weight[ORACLE_REACH] != 0 or every:
        reach = priestess_reach(t, p)
    for i in range(FIGURES):
        space = p.figures[i]
        f[VALUE] += t.value[space]
        f[PROGRESS] += fade * space * <float>0.2
        if space == 0:
            f[AT_START] += fade
        goblins += t.tile[space] == GOBLIN
        if space > s.priestess and space != previous:
            f[ORACLE_NEAR if space <= s.priestess + 5 else ORACLE_FAR] += fade
            if space <= s.priestess + reach:
                f[ORACLE_REACH] += fade
        previous = space
    f[VALUE_FADING] = fade * f[VALUE]
    f[WISH_NOW] = t.wish_value[p.stones] * (1 + p.mirrors)
    f[STONES] = fade * p.stones
    if p.stones < 2:
        f[STONES_MISSING] = fade * (2 - p.stones)
    f[MIRRORS_HELD] = fade * p.mirrors
    f[MIRRORED] = fade * mirrored(p.stones, p.mirrors)
    for i in range(BIG_STONES):
        if s.stones[i] and t.big[i] > p.figures[FIGURES - 1]:
            f[STONES_AHEAD] += fade
    for i in range(COLORS):
        empty = p.row.once[i] == 0
        plays += chain(&p.hand, i, empty, p.top[i], p.direction[i])
        opens += openness(empty, p.top[i], p.direction[i])
    f[PLAYS] = fade * plays
    f[OPEN] = fade * opens
    if goblins and not p.goblin_scored:
        f[GOBLIN_1 + goblins - 1] = fade
    if t.worth.weight[FITS] != 0 or every:
        f[FITS] = fade * fitting(s, seat)
    if t.worth.weight[NEXT_GAIN] != 0 or every:
        f[NEXT_GAIN] = best_next(t, s, seat, fade)


cdef float expected_points(const Tables* t, const KeltisState* s, int seat, float fade) noexcept nogil:
    cdef float features[FEATURES]
    cdef float points = s.players[seat].score
    cdef int i
    seat_features(t, s, seat, fade, False, features)
    for i in range(FEATURES):
        points += t.worth.weight[i] * features[i]
    return points


def features(State state not None, int seat):
    """For fitting: (points on the track, turns left, the features of a seat)."""
    cdef const Tables* t = <const Tables*>state.game.tables
    cdef const KeltisState* s = <const KeltisState*>state.data
    cdef float found[FEATURES]
    cdef float turns = turns_left(t, s)
    cdef int i
    seat_features(t, s, seat, fading(&t.worth, turns), True, found)
    return s.players[seat].score, turns, [found[i] for i in range(FEATURES)]


# -- the functions of the contract

cdef void keltis_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const KeltisState* s = <const KeltisState*>state
    cdef int seat
    cdef float turns = 0 if s.phase == OVER else turns_left(t, s)
    for seat in range(t.players):
        rounds[seat] = turns


cdef void keltis_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const KeltisState* s = <const KeltisState*>state
    cdef float turns, fade
    cdef float[MAX_SEATS] points
    cdef double best = -1e9, total = 0.0, scale
    cdef int seat
    if s.phase == OVER:
        keltis_returns(tables, state, values)
        return
    turns = turns_left(t, s)
    fade = fading(&t.worth, turns)
    memset(points, 0, sizeof(points))
    for seat in range(t.players):
        points[seat] = expected_points(t, s, seat, fade)
    points[s.turn] += t.draw * s.draws * fade
    if s.phase == CLOVER_STEP or s.phase == SPIRAL_BACK:
        points[s.turn] += best_open(t, s, fade)
    elif s.phase == GOBLIN_DROP:
        points[s.turn] += t.worth.goblin_drop * fade
    for seat in range(t.players):
        if points[seat] > best:
            best = points[seat]
    scale = t.scale_base + t.scale_growth * sqrt(turns)
    for seat in range(t.players):
        values[seat] = exp((points[seat] - best) / scale)
        total += values[seat]
    for seat in range(t.players):
        values[seat] /= total
