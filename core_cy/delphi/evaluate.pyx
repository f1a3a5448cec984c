"""How good a position is; see evaluate.pxd and weights.py."""

from libc.math cimport exp, sqrt
from libc.string cimport memcpy, memset

from pythia.core_cy.bits cimport count_bits
from pythia.core_cy.delphi.route cimport (
    Errands, Job, Planner, Route, list_jobs, make_planner, nothing_left, plan_route, read_errands,
)
from pythia.core_cy.delphi.rules cimport delphi_returns, must_recover, tasks_left, use_costs
from pythia.core_cy.delphi.state cimport (
    ACT, BATTLE, COMPANION, DelphiState, EFFECT, EQUIP, EQUIPMENT_CARDS, FIGHT, Frame, GAIN_FAVOR, GAIN_SHIELD, HEAL,
    INJURY, KINDS, MAX_SEATS, ORACLE, OVER, Player, SCOUT, SHIP_TILES, STEP, TOP_ROW,
)
from pythia.core_cy.delphi.tables cimport (
    BLACK, COLORS, FEATURES, GREEN, NONE, PINK, RED, TILES, Tables, WATER, Weights,
)
from pythia.core_cy.game cimport State, state_t, tables_t
from pythia.core_cy.net cimport NET_INPUTS, net_output
from pythia.core_cy.types cimport u8, u32

from pythia.core_cy.delphi import weights as weight_table
from pythia.core_cy.delphi.components import COMPANION_KINDS, EQUIPMENT_IDS
from pythia.core_cy.delphi.components import GODS as GOD_NAMES

cdef enum:
    FIRST_JOBS = 3
    NET_JOBS = 6
    MANY = 6                # favor: more than any recoloring costs

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
    seat_features(t, s, seat, features)
    return dice_of(t, s, seat, features)


cdef float dice_of(const Tables* t, const DelphiState* s, int seat, const float* features) noexcept nogil:
    """What a seat with these features still has to do, in dice."""
    cdef float dice = 0, least
    cdef int i
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


cdef inline int least_cost(const Player* p, const u8* dice, u32 colors) noexcept nogil:
    """The least favor for which one of the dice can be used as one of the colors; MANY without dice or colors."""
    cdef u8 costs[COLORS]
    cdef int least = MANY, color, target
    for color in range(COLORS):
        if dice[color]:
            use_costs(p, color, costs)
            for target in range(COLORS):
                if (colors >> target) & 1 and costs[target] < least:
                    least = costs[target]
    return least


cdef inline int count_of(const u8* hand, u32 colors) noexcept nogil:
    cdef int color, total = 0
    for color in range(COLORS):
        if (colors >> color) & 1:
            total += hand[color]
    return total


cdef void fill_inputs(const Tables* t, const DelphiState* s, const float* features, const float* dice, int seat,
                      float* inputs) noexcept nogil:
    """What the network sees of a seat, by weights.NET_INPUTS; `features` of the seat, `dice` left of all."""
    cdef const Player* p = &s.players[seat]
    cdef Planner planner
    cdef Errands errands
    cdef Job jobs[NET_JOBS]
    cdef u32 here = 0, work = 0, way = 0, owned
    cdef int count, i, color, cards = 0, injuries = 0, most = 0, kinds = 0
    cdef float lead = 1e9
    cdef float* x = inputs
    memcpy(x, features, FEATURES * sizeof(float))
    x += FEATURES
    memset(&errands, 0, sizeof(Errands))
    make_planner(&planner, t, s, seat)
    read_errands(&planner, &errands)
    count = 0 if nothing_left(&errands) else list_jobs(&planner, &errands, jobs, NET_JOBS)
    for i in range(t.players):
        if i != seat and dice[i] < lead:
            lead = dice[i]
    for color in range(COLORS):
        cards += p.oracle_cards[color]
        injuries += p.injuries[color]
        most = max(most, p.injuries[color])
        kinds += p.dice_left[color] > 0
    # the race
    x[0] = dice[seat] / 10
    x[1] = max(min((lead - dice[seat]) / 10, <float>2), <float>-2)
    x[2] = s.round / <float>10
    x[3 + (seat - s.turn + t.players) % t.players] = 1
    x[7] = seat == t.players - 1
    x[8] = t.players == 2
    x[9] = t.players == 4
    x[10] = s.phase == ACT and seat == s.turn
    # what is in hand
    x[11] = p.favor / <float>10
    x[12] = cards / <float>4
    x[13] = injuries / <float>4
    x[14] = most >= 2
    x[15] = most >= 3
    x[16] = p.shield / <float>4
    x[17] = kinds / <float>3
    x[18] = p.arrived
    x[19] = p.card_played != NONE
    for color in range(COLORS):
        x[20 + color] = p.gods[color] / <float>6
        x[26 + color] = p.dice_left[color] / <float>3
    # what is left
    x[32] = tasks_left(p) / <float>10
    x[33] = count_bits(p.offerings_aboard)
    x[34] = count_bits(p.statues_aboard)
    x[35] = errands.room / <float>2
    x[36] = count_bits(errands.own_tiles) / <float>3
    x[37] = count_bits(errands.unseen) / <float>12
    x[38] = errands.unseen_own / <float>3
    x[39] = p.any_monster
    x[40] = p.any_offering
    # what the dice and cards can do at once: work at the ship's place, and sail to the next jobs
    for i in range(count):
        if jobs[i].spaces == 0:
            here |= <u32>1 << jobs[i].color
        else:
            work |= <u32>1 << jobs[i].color
            if jobs[i].spaces <= planner.reach and t.kind[jobs[i].stop] == WATER:
                way |= <u32>1 << t.color[jobs[i].stop]
    if count:
        x[41] = min(jobs[0].spaces, 10) / <float>5
        x[42] = jobs[0].spaces == 0
        x[43] = count_of(p.dice_left, <u32>1 << jobs[0].color)
        x[44] = count_of(p.oracle_cards, <u32>1 << jobs[0].color)
        if jobs[0].spaces and t.kind[jobs[0].stop] == WATER:
            x[45] = count_of(p.dice_left, <u32>1 << t.color[jobs[0].stop])
            x[46] = least_cost(p, p.dice_left, <u32>1 << t.color[jobs[0].stop]) / <float>MANY
        x[47] = least_cost(p, p.dice_left, <u32>1 << jobs[0].color) / <float>MANY
        x[48 + jobs[0].kind] = 1                    # 1 to 7
    x[56] = count_bits(here)
    x[57] = count_of(p.dice_left, here)
    x[58] = count_of(p.oracle_cards, here) > 0
    x[59] = least_cost(p, p.dice_left, here) / <float>MANY
    x[60] = count_of(p.dice_left, way)
    x[61] = least_cost(p, p.dice_left, way) / <float>MANY
    x[62] = count_of(p.oracle_cards, way | here) > 0
    x[63] = count_of(p.dice_left, work & ~here & ~way)
    x[64] = count / <float>NET_JOBS
    x[65] = count_of(p.oracle_cards, work) / <float>2
    # lasting helps, unscaled
    x += 66
    if p.ship_tile < SHIP_TILES:
        x[p.ship_tile] = 1
    owned = p.equipment
    while owned:
        x[SHIP_TILES + count_trailing(owned)] = 1
        owned &= owned - 1
    owned = p.companions
    while owned:
        x[SHIP_TILES + EQUIPMENT_CARDS + count_trailing(owned) % 3] += <float>0.5
        owned &= owned - 1


cdef void corrected_rounds(const Tables* t, const DelphiState* s, double* rounds) noexcept nogil:
    """The rounds until each seat is done, as the network has them."""
    cdef float features[MAX_SEATS][FEATURES]
    cdef float dice[MAX_SEATS]
    cdef float inputs[NET_INPUTS]
    cdef int seat
    for seat in range(t.players):
        seat_features(t, s, seat, features[seat])
        dice[seat] = dice_of(t, s, seat, features[seat])
    for seat in range(t.players):
        memset(inputs, 0, sizeof(inputs))
        fill_inputs(t, s, features[seat], dice, seat, inputs)
        rounds[seat] = (dice[seat] + net_output(&t.net, inputs)) / 3.0


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
    if t.net.inputs:
        corrected_rounds(t, s, rounds)
    else:
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


def net_inputs_of(State state not None):
    """What the network sees of each seat, by weights.NET_INPUTS: a matrix of floats."""
    cdef const Tables* t = <const Tables*>state.game.tables
    cdef const DelphiState* s = <const DelphiState*>state.data
    cdef float features[MAX_SEATS][FEATURES]
    cdef float dice[MAX_SEATS]
    cdef int seat, inputs = len(weight_table.NET_INPUTS)
    cdef bytearray rows = bytearray(t.players * inputs * sizeof(float))
    cdef float* row = <float*><char*>rows
    for seat in range(t.players):
        seat_features(t, s, seat, features[seat])
        dice[seat] = dice_of(t, s, seat, features[seat])
    for seat in range(t.players):
        fill_inputs(t, s, features[seat], dice, seat, row + seat * inputs)
    return memoryview(rows).cast("f", (t.players, inputs))
