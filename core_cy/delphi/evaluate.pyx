"""How good a position is; see evaluate.pxd and weights.py."""

from libc.math cimport exp, sqrt
from libc.string cimport memset

from pythia.core_cy.bits cimport count_bits
from pythia.core_cy.delphi.route cimport Errands, Planner, Route, make_planner, plan_route, read_errands
from pythia.core_cy.delphi.rules cimport delphi_returns, must_recover, tasks_left
from pythia.core_cy.delphi.state cimport (
    BATTLE, COMPANION, DelphiState, EFFECT, EQUIP, EQUIPMENT_CARDS, FIGHT, Frame, GAIN_FAVOR, GAIN_SHIELD, HEAL,
    INJURY, KINDS, MAX_SEATS, ORACLE, OVER, Player, SCOUT, STEP, TOP_ROW,
)
from pythia.core_cy.delphi.tables cimport (
    BLACK, COLORS, FEATURES, GREEN, PINK, RED, TILES, Tables, Weights,
)
from pythia.core_cy.game cimport State, state_t, tables_t
from pythia.core_cy.types cimport u32

from pythia.core_cy.delphi import weights as weight_table
from pythia.core_cy.delphi.components import COMPANION_KINDS, EQUIPMENT_IDS
from pythia.core_cy.delphi.components import GODS as GOD_NAMES

cdef enum:
    FIRST_JOBS = 3

cdef float[8] PROGRESS          # by steps to the top
cdef float[KINDS] PENDING        # by kind of frame
cdef float[EQUIPMENT_CARDS] ONE_TIME


cdef int fill_weights(Weights* weights, dict values) except -1:
    cdef int i
    for i, name in enumerate(weight_table.FEATURES):
        weights.feature[i] = values[name]
    weights.certainty = values["certainty"]
    weights.spread = values["spread"]
    return 0


assert len(weight_table.FEATURES) == FEATURES
assert weight_table.FEATURES.index("shield") == SHIELD and weight_table.FEATURES.index("god_card") == GOD_CARD
assert weight_table.FEATURES[GODS:GOD_CARD] == GOD_NAMES and CARD + EQUIPMENT_CARDS == FAVOR_FEW
assert weight_table.FEATURES[COMPANIONS:SHIP_TILE] == COMPANION_KINDS
assert weight_table.FEATURES[CARD:FAVOR_FEW] == EQUIPMENT_IDS
assert weight_table.FEATURES.index("gods_late") == GODS_LATE and weight_table.FEATURES.index("unseen") == UNSEEN
for name, kind in (
    ("oracle", ORACLE), ("step", STEP), ("favor", GAIN_FAVOR), ("shield", GAIN_SHIELD), ("equip", EQUIP),
    ("companion", COMPANION), ("heal", HEAL), ("scout", SCOUT), ("injury", INJURY), ("fight", BATTLE),
):
    PENDING[kind] = weight_table.PENDING[name]
for name, worth in weight_table.ONE_TIME.items():
    ONE_TIME[EQUIPMENT_IDS.index(name)] = worth
for steps in range(8):
    PROGRESS[steps] = 0.8 ** steps


cdef void seat_route(const Tables* t, const DelphiState* s, int seat, Route* route) noexcept nogil:
    cdef Planner planner
    cdef Errands errands
    memset(&errands, 0, sizeof(Errands))
    make_planner(&planner, t, s, seat)
    read_errands(&planner, &errands)
    plan_route(&planner, &errands, FIRST_JOBS, route)


cdef float god_progress(const Tables* t, int row) noexcept nogil:
    return PROGRESS[TOP_ROW - row if row else TOP_ROW - t.first_row + 1]


cdef bint god_is_useful(const DelphiState* s, int seat, int god) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef int color
    if god == BLACK:        # Ares
        return p.monster_tasks or p.any_monster
    if god == PINK:         # Hermes
        return count_bits(p.statues_aboard) < p.statue_tasks
    if god == GREEN:        # Artemis
        return p.shrine_tasks > 0
    if god == RED:          # Aphrodite
        for color in range(COLORS):
            if p.injuries[color]:
                return True
        return False
    return tasks_left(p) > 0


cdef void seat_features(const Tables* t, const DelphiState* s, int seat, float* features) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef Route route
    cdef float scale, late
    cdef int color, count, cards = 0, injuries = 0, pairs = 0, slot, own = 0
    cdef u32 owned, seen
    memset(features, 0, FEATURES * sizeof(float))
    seat_route(t, s, seat, &route)
    scale = route.dice / 10
    late = 1 - route.dice / 15
    if late < 0:
        late = 0
    features[ACTIONS] = route.actions
    features[SAILS] = route.sails
    features[BEYOND] = route.beyond
    features[SEARCHES] = route.searches
    features[FIGHTS] = (count_bits(p.monster_tasks) + p.any_monster) * (9 - p.shield) / <float>9
    features[FAVOR] = min(p.favor, 6)
    features[FAVOR_MORE] = min(max(p.favor, 6), 12) - 6
    for color in range(COLORS):
        cards += p.oracle_cards[color]
        injuries += p.injuries[color]
        pairs += p.injuries[color] >= 2
        if god_is_useful(s, seat, color):
            features[GODS + color] = god_progress(t, p.gods[color])
            features[GODS_TOP] += p.gods[color] == TOP_ROW
            features[GODS_LATE] += late * features[GODS + color]
        else:
            features[GOD_CARD] += god_progress(t, p.gods[color])
    features[CARDS] = min(cards, 3)
    features[CARDS_MORE] = min(max(cards, 3), 6) - 3
    features[INJURIES] = injuries
    features[INJURY_PAIRS] = pairs
    features[RECOVERY] = must_recover(p)
    features[SHIELD] = p.shield * scale
    if seat == s.turn:
        for color in range(COLORS):
            features[DICE_NOW] += p.dice_left[color]
    elif seat > s.turn:
        features[DICE_NOW] = 3
    owned = p.companions
    while owned:
        count = count_trailing(owned)
        owned &= owned - 1
        features[COMPANIONS + count % 3] += scale
    if p.ship_tile < 8:
        features[SHIP_TILE + p.ship_tile] = scale
    owned = p.equipment
    while owned:
        features[CARD + count_trailing(owned)] = scale
        owned &= owned - 1
    features[FAVOR_FEW] = min(p.favor, 2)
    features[FAVOR_LATE] = late * min(p.favor, 12)
    features[CARDS_LATE] = late * cards
    features[CARDS_IDLE] = max(cards - route.dice / 3, <float>0.0)
    features[INJURIES_LATE] = late * injuries
    features[SHRINES] = p.shrine_tasks
    features[STATUES] = p.statue_tasks
    features[OFFERINGS] = p.any_offering + count_bits(p.offering_tasks)
    features[MONSTERS] = p.any_monster + count_bits(p.monster_tasks)
    if p.shrine_tasks:
        seen = s.face_up | p.knows
        for slot in range(TILES):
            if ((seen & ~s.shrines) >> slot) & 1 and s.tile[slot] // 3 == seat:
                own += 1
        features[UNSEEN] = max(p.shrine_tasks - own, 0)


cdef inline int count_trailing(u32 bits) noexcept nogil:
    return count_bits((bits & (0 - bits)) - 1)


cdef float seat_dice(const Tables* t, const DelphiState* s, int seat) noexcept nogil:
    cdef float features[FEATURES]
    cdef float dice = 0, least
    cdef int i
    seat_features(t, s, seat, features)
    for i in range(FEATURES):
        dice += t.weights.feature[i] * features[i]
    for i in range(s.frames):
        if s.stack[i].seat == seat:
            dice -= frame_worth(&s.players[seat], &s.stack[i])
    # Helps shorten the way, but it has to be gone: what they save beyond half of it counts little.
    least = <float>0.5 * (features[ACTIONS] + features[SAILS]) - features[DICE_NOW]
    return dice if dice > least else least + <float>0.2 * (dice - least)


cdef float winning_chance(const Player* p, int strength, int rounds) noexcept nogil:
    """To defeat a monster of this strength in at most this number of further rolls, each after the first for a favor
    (R18)."""
    cdef float lost = 1
    cdef int i
    for i in range(rounds):
        lost *= min(max(strength - i, 0), 10) / <float>10
    return 1 - lost


cdef float frame_worth(const Player* p, const Frame* frame) noexcept nogil:
    """What an open or waiting frame will bring its seat, in dice."""
    if frame.kind == STEP:
        return PENDING[STEP] * frame.n
    if frame.kind == GAIN_FAVOR:
        return PENDING[GAIN_FAVOR] * frame.n
    if frame.kind == EFFECT:
        return ONE_TIME[frame.card]
    if frame.kind == BATTLE:
        return PENDING[BATTLE] * winning_chance(p, frame.n, 1 + min(p.favor, 2))
    if frame.kind == FIGHT:
        return PENDING[BATTLE] * winning_chance(p, frame.n - 1, min(p.favor, 2)) * <float>0.9
    return PENDING[frame.kind]


cdef void delphi_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DelphiState* s = <const DelphiState*>state
    cdef int seat
    for seat in range(t.players):
        rounds[seat] = 0 if s.players[seat].arrived else seat_dice(t, s, seat) / 3.0


cdef void delphi_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DelphiState* s = <const DelphiState*>state
    cdef double rounds[MAX_SEATS]
    cdef double total = 0.0, best, sharpness
    cdef bint ending = False
    cdef int seat, color
    if s.phase == OVER and s.frames == 0:
        delphi_returns(tables, state, values)
        return
    memset(rounds, 0, sizeof(rounds))
    delphi_rounds_left(tables, state, rounds)
    best = rounds[0]
    for seat in range(t.players):
        if s.players[seat].arrived:
            ending = True
            # Among the arrived, oracle cards decide (R28).
            rounds[seat] = -1.0
            for color in range(COLORS):
                rounds[seat] -= 0.5 * s.players[seat].oracle_cards[color]
        best = min(best, rounds[seat])
    sharpness = t.weights.certainty / sqrt(t.weights.spread + max(best, 0.0))
    for seat in range(t.players):
        if ending and seat < s.turn and not s.players[seat].arrived:
            values[seat] = 0.0          # has no turn left
        else:
            values[seat] = exp(-min(sharpness * (rounds[seat] - best), 200.0))
        total += values[seat]
    for seat in range(t.players):
        values[seat] /= total


def features_of(State state not None):
    """What the evaluation sees of each seat: a list of numbers per seat, named by weights.FEATURES."""
    cdef float features[FEATURES]
    cdef int seat, i
    rows = []
    for seat in range(state.game.players):
        seat_features(<const Tables*>state.game.tables, <const DelphiState*>state.data, seat, features)
        rows.append([features[i] for i in range(FEATURES)])
    return rows
