"""How good a position is; see evaluate.pxd and weights.py."""

from libc.math cimport exp, sqrt
from libc.string cimport memset

from pythia.core_cy.game cimport State, state_t, tables_t
from pythia.core_cy.keltis.policy cimport best_open
from pythia.core_cy.keltis.rules cimport keltis_returns
from pythia.core_cy.keltis.state cimport (
    CLOVER_STEP, GOBLIN_DROP, KeltisState, OVER, Player, SPIRAL_BACK,
)
from pythia.core_cy.keltis.tables cimport COLORS, FEATURES, FIGURES, GOBLIN, MAX_SEATS, Tables

from pythia.core_cy.keltis import weights

# Turns that games go on when their end is near.
cdef float STALLING = 4

assert len(weights.FEATURES) == FEATURES
for name, feature in (
    ("value", VALUE), ("progress", PROGRESS), ("start", AT_START), ("wish", WISH_NOW), ("stones", STONES),
    ("stones_missing", STONES_MISSING), ("mirrors", MIRRORS_HELD), ("plays", PLAYS), ("open", OPEN),
    ("goblin_1", GOBLIN_1), ("goblin_2", GOBLIN_2), ("goblin_3", GOBLIN_3), ("oracle_near", ORACLE_NEAR),
    ("oracle_far", ORACLE_FAR),
):
    assert weights.FEATURES[feature] == name


cdef int fill_weights(Tables* t, dict values) except -1:
    cdef int i
    for i, name in enumerate(weights.FEATURES):
        t.weight[i] = values[name]
    t.fade = values["fade"]
    t.scale_base = values["scale_base"]
    t.scale_growth = values["scale_growth"]
    t.draw = values["draw"]
    t.goblin_drop = values["goblin_drop"]
    t.prior_temperature = values["prior_temperature"]
    t.playout_temperature = values["playout_temperature"]
    t.gift = values["gift"]
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
    # Whoever is behind holds the end off, so it comes later than the figures alone could bring it.
    turns = STALLING + five / t.players + <float>0.5 * least_own + <float>0.1 * by_pile
    if by_pile < turns:
        turns = by_pile
    return turns


cdef float fading(const Tables* t, float turns) noexcept nogil:
    return turns / (turns + t.fade)


# -- points

cdef void seat_features(const Tables* t, const KeltisState* s, int seat, float fade, float* f) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef int i, space, previous = -1, goblins = 0, plays = 0
    cdef float opens = 0
    cdef bint empty
    memset(f, 0, FEATURES * sizeof(float))
    for i in range(FIGURES):
        space = p.figures[i]
        f[VALUE] += t.value[space]
        f[PROGRESS] += fade * space * <float>0.2
        if space == 0:
            f[AT_START] += fade
        goblins += t.tile[space] == GOBLIN
        if space > s.priestess and space != previous:
            f[ORACLE_NEAR if space <= s.priestess + 5 else ORACLE_FAR] += fade
        previous = space
    f[WISH_NOW] = t.wish_value[p.stones] * (1 + p.mirrors)
    f[STONES] = fade * p.stones
    if p.stones < 2:
        f[STONES_MISSING] = fade * (2 - p.stones)
    f[MIRRORS_HELD] = fade * p.mirrors
    for i in range(COLORS):
        empty = p.row.once[i] == 0
        plays += chain(&p.hand, i, empty, p.top[i], p.direction[i])
        opens += openness(empty, p.top[i], p.direction[i])
    f[PLAYS] = fade * plays
    f[OPEN] = fade * opens
    if goblins and not p.goblin_scored:
        f[GOBLIN_1 + goblins - 1] = fade


cdef float expected_points(const Tables* t, const KeltisState* s, int seat, float fade) noexcept nogil:
    cdef float features[FEATURES]
    cdef float points = s.players[seat].score
    cdef int i
    seat_features(t, s, seat, fade, features)
    for i in range(FEATURES):
        points += t.weight[i] * features[i]
    return points


def features(State state not None, int seat):
    """For fitting: (points on the track, turns left, the features of a seat)."""
    cdef const Tables* t = <const Tables*>state.game.tables
    cdef const KeltisState* s = <const KeltisState*>state.data
    cdef float found[FEATURES]
    cdef float turns = turns_left(t, s)
    cdef int i
    seat_features(t, s, seat, fading(t, turns), found)
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
    fade = fading(t, turns)
    memset(points, 0, sizeof(points))
    for seat in range(t.players):
        points[seat] = expected_points(t, s, seat, fade)
    points[s.turn] += t.draw * s.draws * fade
    if s.phase == CLOVER_STEP or s.phase == SPIRAL_BACK:
        points[s.turn] += best_open(t, s, fade)
    elif s.phase == GOBLIN_DROP:
        points[s.turn] += t.goblin_drop * fade
    for seat in range(t.players):
        if points[seat] > best:
            best = points[seat]
    scale = t.scale_base + t.scale_growth * sqrt(turns)
    for seat in range(t.players):
        values[seat] = exp((points[seat] - best) / scale)
        total += values[seat]
    for seat in range(t.players):
        values[seat] /= total
