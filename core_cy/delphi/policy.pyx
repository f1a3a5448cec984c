"""Scores of moves; see policy.pxd.

In the act phase a move is worth what it shortens the planned route, plus what it brings, less what it costs
in favor, cards and gods. In every other phase each move is tried and the position after it judged. To this estimate
come learned weights over named features of the move (weights.py, MOVE_FEATURES), one set for priors and one for
playouts; with weights of 0 the estimate stands alone.
"""

from libc.math cimport expf
from libc.string cimport memset

from pythia.core_cy.bits cimport count_bits, lowest
from pythia.core_cy.delphi.evaluate cimport (
    CARDS, CARDS_MORE, FAVOR, FAVOR_MORE, GODS, GOD_CARD, INJURIES, INJURY_PAIRS, god_is_useful, god_progress,
    seat_dice, winning_chance,
)
from pythia.core_cy.delphi.route cimport (
    Errands, JOB_DELIVER, JOB_FIGHT, JOB_LOAD_OFFERING, JOB_LOAD_STATUE, JOB_RAISE, JOB_SEARCH, JOB_SHRINE,
    Job, MAX_SPACES, Planner, Route, do_job, errands_key, follow_route, list_jobs, make_planner, nothing_left,
    read_errands, search_dice,
)
from pythia.core_cy.delphi.rules cimport (
    CREATURE_RANGE, EXTRA_ACTION_COST, Looks, MAX_ACTIONS, MAX_MOVES, TILE_LETTER, delphi_apply,
    delphi_legal_moves, delphi_to_act, has_companion, has_room, in_hand, list_actions, list_colored_actions,
    list_god_actions, monsters_needed, offerings_needed, owns, statues_needed, use_costs,
)
from pythia.core_cy.delphi.state cimport *
from pythia.core_cy.delphi.tables cimport (
    COLORS, FEATURES, MAX_HEXES, MOVE_FEATURES, NONE, Near, Policy, TILES, Tables, WATER_PER_COLOR,
)
from pythia.core_cy.game cimport State, state_t, tables_t
from pythia.core_cy.rng cimport Rng, rng_double
from pythia.core_cy.types cimport move_t, u8, u32, u64

from pythia.core_cy.delphi.weights import FEATURES as FEATURE_NAMES
from pythia.core_cy.delphi.weights import MOVE_FEATURES as MOVE_FEATURE_NAMES
from pythia.core_cy.delphi.weights import POLICY

cdef extern from *:
    """
    /* One cache for each thread: a plan depends on its key alone, so threads need not share. */
    static __thread unsigned char pythia_plans[2048 * 160] __attribute__((aligned(32)));
    """
    unsigned char* pythia_plans

cdef enum:
    FIRST_JOBS = 4
    CACHED_PLANS = 2048     # a power of 2
    PLAN = 16               # the purpose of their keys
    MOST_FAVOR = 7          # that a sail of a playout may cost beyond its range
    MAX_PARTS = 24          # features of one move that are not 0

# Features of moves, in the order of weights.MOVE_FEATURES.
cdef enum:
    BY_ACTION = 0           # 16, by kind
    BY_ACTION_WAY = 16      # 16: times the way left
    BY_CARD = 32
    BY_CARD_WAY = 33
    BY_EXTRA = 34
    BY_EXTRA_WAY = 35
    BY_GOD = 36             # 6
    PAID = 42
    PAID_WAY = 43
    PAID_LAST = 44
    SCORE = 45
    SCORE_WAY = 46
    RISK = 47
    RISK_WAY = 48
    RISK_POOR = 49
    RISK_INJURED = 50
    DRAW_HELD = 51
    FAVOR_HELD = 52
    HEAL_INJURED = 53
    HEAL_URGENT = 54
    STEP_TO_TOP = 55
    STEP_FROM_START = 56
    STEP_USEFUL = 57
    STEP_GAIN = 58
    EXPLORE_CHANCE = 59
    EXPLORE_OWN = 60
    EXPLORE_LETTER = 61
    STAY_FREE = 62
    STAY_PAID = 63
    STAY_COST = 64
    SAIL_FREE = 65
    SAIL_PAID = 66
    SAIL_COST = 67
    SAIL_FIRST = 68
    SAIL_LEAVES = 69
    CARD_DICE = 70
    END_CARD = 71
    BY_CHOICE = 72          # 18, by kind from CHOOSE_SHIP to NO_STEP
    START_FAVOR = 90
    SCOUT_LOOK = 91
    STEP_OF = 92            # 6, by god
    COMPANION_OF = 98       # 3, by kind
    CARD_OF = 101           # 22, by equipment card
    FIGHT_ON_STRENGTH = 123
    FIGHT_ON_FAVOR = 124
    CHOICE_SCORE = 125
    CHOICE_WAY = 126
    FEATURES_OF_MOVES = 127

assert FEATURES_OF_MOVES == MOVE_FEATURES == len(MOVE_FEATURE_NAMES)
assert MOVE_FEATURE_NAMES[PAID] == "paid" and MOVE_FEATURE_NAMES[EXPLORE_CHANCE] == "explore_chance"
assert MOVE_FEATURE_NAMES[BY_CHOICE] == "choose_ship" and MOVE_FEATURE_NAMES[CHOICE_SCORE] == "choice_score"

cdef float[FEATURES] WEIGHT     # by feature; never changed, unlike those of the evaluation (Tables.weights)
for name, weight in POLICY.items():
    WEIGHT[FEATURE_NAMES.index(name)] = weight

# What rewards are worth, in dice.
cdef float EQUIPMENT_REWARD = 1.5
cdef float COMPANION_REWARD = 1.5
cdef float LETTER_REWARD = 1.2
cdef float LOOK_REWARD = 0.45
cdef float ARRIVAL = 6.0
# All looks but the best pair share this little.
cdef float OTHER_LOOKS = -4.0


ctypedef struct Plan:
    # What a seat's next jobs cost; kept for each thread until one of them is done.
    u64 key
    float dice              # of the best route from here
    float rest[FIRST_JOBS]  # dice from the job's action on
    Job job[FIRST_JOBS]
    u32 best_look           # argument bits of the pair worth looking at
    u8 jobs
    u8 home                 # all tasks done: only Zeus is left
    u8 has_sails
    u8 sail[COLORS][MOST_FAVOR + 1]     # the best hex of a color for up to so much favor; NONE where there is none

assert sizeof(Plan) <= 160

ctypedef struct Outlook:
    # What the scores of one act decision share.
    Planner planner
    Errands errands
    Plan plan
    Plan* kept                      # its place in the cache
    u8 recolor[COLORS][COLORS]      # favor to use a color as another
    float sail_worth[MAX_HEXES]
    u8 is_sail_known[MAX_HEXES]
    u8 work[MAX_HEXES]              # colors of the tasks that can be worked on from a hex
    u8 is_work_known[MAX_HEXES]
    int left_after                  # the source and color that `left_cost` is for
    u8 left_cost[COLORS]            # favor to use what is left as a color

ctypedef struct Parts:
    # The features of a move that are not 0.
    int count
    int feature[MAX_PARTS]
    float value[MAX_PARTS]


cdef inline float sailing(const Planner* planner, int spaces) noexcept nogil:
    return planner.sail_dice[spaces if spaces < MAX_SPACES else MAX_SPACES - 1]


cdef inline bint reach_of(const Planner* planner, int kind) noexcept nogil:
    if kind == JOB_LOAD_OFFERING or kind == JOB_DELIVER:
        return planner.offering_reach
    if kind == JOB_LOAD_STATUE or kind == JOB_RAISE:
        return planner.statue_reach
    return planner.fight_reach


cdef float dice_from(const Outlook* o, int hex) noexcept nogil:
    """The best route if the ship stood there."""
    cdef const Tables* t = o.planner.t
    cdef float best = 1e9, dice
    cdef int i
    if o.plan.home:
        return sailing(&o.planner, t.distance[o.planner.crossing][hex][t.zeus])
    for i in range(o.plan.jobs):
        dice = o.plan.rest[i] + sailing(
            &o.planner,
            t.approach[o.planner.crossing][reach_of(&o.planner, o.plan.job[i].kind)][hex][o.plan.job[i].hex])
        if dice < best:
            best = dice
    return best


cdef void look_ahead(const Tables* t, const DelphiState* s, int seat, Outlook* o) noexcept nogil:
    cdef u64 key
    cdef int color
    make_planner(&o.planner, t, s, seat)
    read_errands(&o.planner, &o.errands)
    key = errands_key(&o.planner, &o.errands, PLAN)
    o.kept = &(<Plan*>pythia_plans)[key & (CACHED_PLANS - 1)]
    if o.kept.key == key:
        o.plan = o.kept[0]
    else:
        make_plan(o, s, seat)
        o.plan.key = key
        o.plan.has_sails = False
        o.kept[0] = o.plan
    for color in range(COLORS):
        use_costs(&s.players[seat], color, o.recolor[color])
    memset(o.is_sail_known, 0, sizeof(o.is_sail_known))
    memset(o.is_work_known, 0, sizeof(o.is_work_known))
    o.left_after = -1


cdef void make_plan(Outlook* o, const DelphiState* s, int seat) noexcept nogil:
    cdef Plan* plan = &o.plan
    cdef Errands after
    cdef Route route
    cdef int i
    plan.home = nothing_left(&o.errands)
    plan.jobs = 0 if plan.home else <u8>list_jobs(&o.planner, &o.errands, plan.job, FIRST_JOBS)
    for i in range(plan.jobs):
        memset(&route, 0, sizeof(Route))
        after = o.errands
        do_job(&o.planner, &after, &plan.job[i])
        follow_route(&o.planner, &after, &route)
        plan.rest[i] = 1 + route.dice
        if plan.job[i].kind == JOB_SEARCH:
            plan.rest[i] += search_dice(&o.errands)
    plan.dice = dice_from(o, s.players[seat].ship)
    plan.best_look = best_look(o, s, seat)


cdef u32 best_look(const Outlook* o, const DelphiState* s, int seat) noexcept nogil:
    """The two nearest tiles not seen yet."""
    cdef const Tables* t = o.planner.t
    cdef const u8* spaces = t.approach[o.planner.crossing][o.planner.fight_reach][s.players[seat].ship]
    cdef u32 places = o.errands.unseen
    cdef int slot, first = -1, second = -1
    while places:
        slot = lowest(places)
        places &= places - 1
        if first < 0 or spaces[t.tile_hex[slot]] < spaces[t.tile_hex[first]]:
            second = first
            first = slot
        elif second < 0 or spaces[t.tile_hex[slot]] < spaces[t.tile_hex[second]]:
            second = slot
    if first < 0:
        return 0
    if second < 0:
        return pack(0, 0, 0, 0, t.tile_hex[first], NONE)
    return pack(0, 0, 0, 0, t.tile_hex[min(first, second)], t.tile_hex[max(first, second)])


cdef inline float favor_worth(const Player* p, int n) noexcept nogil:
    return -n * (WEIGHT[FAVOR] if p.favor + n <= 8 else WEIGHT[FAVOR_MORE])


cdef inline float card_worth(const Player* p) noexcept nogil:
    cdef int color, cards = 0
    for color in range(COLORS):
        cards += p.oracle_cards[color]
    return -(WEIGHT[CARDS] if cards < 3 else WEIGHT[CARDS_MORE])


cdef inline float god_weight(const DelphiState* s, int seat, int god) noexcept nogil:
    return -(WEIGHT[GODS + god] if god_is_useful(s, seat, god) else WEIGHT[GOD_CARD])


cdef inline float step_worth(const Tables* t, const DelphiState* s, int seat, int god) noexcept nogil:
    cdef int row = s.players[seat].gods[god]
    cdef int above = t.first_row if row == 0 else row + 1
    if row == TOP_ROW:
        return 0
    return god_weight(s, seat, god) * (god_progress(t, above) - god_progress(t, row))


cdef inline float healing_worth(const Player* p, int color) noexcept nogil:
    cdef int c, total = 0
    for c in range(COLORS):
        total += p.injuries[c]
    return (WEIGHT[INJURIES] * p.injuries[color] + (WEIGHT[INJURY_PAIRS] if p.injuries[color] >= 2 else 0)
            + (<float>0.8 if total >= 5 else 0))


cdef float job_worth(const Outlook* o, int kind, int color, int slot) noexcept nogil:
    """What doing a job from here saves."""
    cdef Errands after = o.errands
    cdef Route route
    cdef Job job
    memset(&job, 0, sizeof(Job))
    memset(&route, 0, sizeof(Route))
    job.kind = <u8>kind
    job.color = <u8>color
    job.slot = <u8>slot
    job.stop = after.ship
    do_job(&o.planner, &after, &job)
    follow_route(&o.planner, &after, &route)
    return o.plan.dice - route.dice


cdef float letter_worth(const Tables* t, const DelphiState* s, int seat, int letter) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef float best = 0
    cdef int color
    if letter == PSI:
        return favor_worth(p, 4)
    if letter == PHI:
        return 2 * card_worth(p)
    for color in range(COLORS):
        if letter == SIGMA:
            best = max(best, 3 * step_worth(t, s, seat, color))
        else:
            best = max(best, healing_worth(p, color))
    return best + (<float>0.3 if letter == OMEGA else 0)


cdef float exploring(const Outlook* o, const DelphiState* s, int seat, int slot) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef float chance
    if (p.knows >> slot) & 1:
        if s.tile[slot] // 3 == seat and p.shrine_tasks:
            return job_worth(o, JOB_SHRINE, 0, slot) + <float>0.3
        return letter_worth(o.planner.t, s, seat, TILE_LETTER[s.tile[slot]])
    if not p.shrine_tasks or not o.errands.unseen_own:
        return LETTER_REWARD
    chance = o.errands.unseen_own / <float>count_bits(o.errands.unseen)
    return chance * job_worth(o, JOB_SEARCH, 0, slot) + (1 - chance) * LETTER_REWARD


cdef float fighting(const Outlook* o, const DelphiState* s, int seat, int color, int slot, bint sure) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef float worth = job_worth(o, JOB_FIGHT, color, slot) + EQUIPMENT_REWARD
    cdef int rounds = 1 + min(p.favor, 4)
    if sure:
        return worth
    return worth * winning_chance(p, 9 - p.shield, rounds) - favor_worth(p, rounds - 1) * <float>0.6


cdef float action_worth(const Outlook* o, const DelphiState* s, int seat, move_t move) noexcept nogil:
    """What the action of a move brings, without what its source costs."""
    cdef const Tables* t = o.planner.t
    cdef const Player* p = &s.players[seat]
    cdef int kind = move_kind(move), hex = move_a(move), used = move_used(move), source = move_source(move)
    cdef int color
    cdef float worth = 0
    if kind == FIGHT_MONSTER:
        return fighting(o, s, seat, used, t.slot[hex], source == GOD)
    if kind == EXPLORE:
        return exploring(o, s, seat, t.slot[hex])
    if kind == BUILD:
        return job_worth(o, JOB_SHRINE, 0, t.slot[hex]) + <float>0.3
    if kind == LOAD_OFFERING:
        return job_worth(o, JOB_LOAD_OFFERING, used, t.slot[hex])
    if kind == DELIVER:
        return job_worth(o, JOB_DELIVER, used, 0) + favor_worth(p, 3)
    if kind == LOAD_STATUE:
        return job_worth(o, JOB_LOAD_STATUE, used, 0)
    if kind == RAISE:
        return job_worth(o, JOB_RAISE, used, t.slot[hex]) + COMPANION_REWARD
    if kind == HEAL_INJURIES:
        if source != GOD:
            return healing_worth(p, used)
        for color in range(COLORS):
            worth += healing_worth(p, color)
        return worth
    if kind == ADVANCE:
        return step_worth(t, s, seat, used)
    if kind == BUNDLE:
        return favor_worth(p, 1) + card_worth(p) + step_worth(t, s, seat, used)
    if kind == DRAW:
        return card_worth(p)
    if kind == TAKE_FAVOR:
        return favor_worth(p, 2)
    if kind == INSPIRE:
        worth = card_worth(p)
        for color in range(COLORS):
            worth += <float>0.35 * p.dice_left[color]
        return worth
    return 0


cdef inline float sailing_worth(Outlook* o, int hex) noexcept nogil:
    if not o.is_sail_known[hex]:
        o.sail_worth[hex] = ARRIVAL if hex == o.planner.t.zeus else o.plan.dice - dice_from(o, hex)
        o.is_sail_known[hex] = True
    return o.sail_worth[hex]


cdef inline int paid_for(const Outlook* o, const DelphiState* s, move_t move) noexcept nogil:
    """Favor for recoloring, and for spaces beyond the range."""
    cdef const Player* p = &s.players[s.turn]
    cdef int source = move_source(move), used = move_used(move), paid = 0, beyond
    if move_kind(move) == SAIL and source != GOD:
        beyond = o.planner.t.distance[o.planner.crossing][p.ship][move_a(move)] - o.planner.reach
        if source != EXTRA and has_companion(p, used, CREATURE):
            beyond -= CREATURE_RANGE
        paid = max(beyond, 0)
    if source == DIE or source == CARD:
        paid += o.recolor[move_color(move)][used]
    return paid


cdef void score_actions(
    Outlook* o, const DelphiState* s, const move_t* moves, int count, const float* weights, float* scores
) noexcept nogil:
    """The estimate of each move, with the learned part if there are weights."""
    cdef const Tables* t = o.planner.t
    cdef int seat = s.turn
    cdef const Player* p = &s.players[seat]
    # The same action with another source is worth the same: kind, used color and hex say which it is.
    cdef float known[16][8]
    cdef u8 known_hex[16][8]
    cdef bint is_known[16][8]
    cdef int i, kind, used, source, hex, paid
    cdef float worth, best_look = <float>0.05, card = card_worth(p), extra = favor_worth(p, 3)
    cdef float by_kind[END + 1]
    cdef float by_source[GOD + 1]
    cdef float slope = 0
    cdef bint by_move = False
    cdef Parts parts
    memset(is_known, 0, sizeof(is_known))
    if weights:
        # What moves of a kind and of a source have in common is weighed once.
        for kind in range(SAIL, END + 1):
            parts.count = 0
            kind_parts(o, kind, &parts)
            by_kind[kind] = weigh(&parts, weights)
        for source in range(GOD + 1):
            parts.count = 0
            source_parts(o, p, source, NO_COLOR, &parts)
            by_source[source] = weigh(&parts, weights)
        by_move = t.policy.prior_by_move if weights == t.policy.prior else t.policy.playout_by_move
        parts.count = 0
        score_parts(o, 1, &parts)
        slope = weigh(&parts, weights)
    if o.errands.unseen_own and count_bits(o.errands.own_tiles) < p.shrine_tasks:
        best_look = LOOK_REWARD
    for i in range(count):
        kind = move_kind(moves[i])
        source = move_source(moves[i])
        used = move_used(moves[i])
        hex = move_a(moves[i])
        if kind == END:
            worth = 0
        elif kind == LOOK:
            worth = best_look if moves[i] & ~<u32>0x7FFF == o.plan.best_look else OTHER_LOOKS
        elif kind == SAIL:
            worth = sailing_worth(o, hex)
        elif source == GOD or kind >= HEAL_INJURIES:
            worth = action_worth(o, s, seat, moves[i])
        else:
            if not is_known[kind][used] or known_hex[kind][used] != hex:
                known[kind][used] = action_worth(o, s, seat, moves[i])
                known_hex[kind][used] = <u8>hex
                is_known[kind][used] = True
            worth = known[kind][used]
        if source == GOD:
            worth -= god_weight(s, seat, move_color(moves[i])) * (1 - god_progress(t, 0))
        elif source == EXTRA:
            worth -= extra
        elif source == CARD:
            worth -= card
        paid = paid_for(o, s, moves[i])
        scores[i] = worth + WEIGHT[FAVOR] * paid
        if weights:
            scores[i] += slope * scores[i] + by_kind[kind] + by_source[source]
            if source == GOD:
                scores[i] += weights[BY_GOD + move_color(moves[i])]
            if by_move:
                parts.count = 0
                action_parts(o, s, moves[i], paid, &parts)
                scores[i] += weigh(&parts, weights)


# -- features of moves

cdef inline void put(Parts* parts, int feature, float value) noexcept nogil:
    parts.feature[parts.count] = feature
    parts.value[parts.count] = value
    parts.count += 1


cdef inline float weigh(const Parts* parts, const float* weights) noexcept nogil:
    cdef float total = 0
    cdef int i
    for i in range(parts.count):
        total += weights[parts.feature[i]] * parts.value[i]
    return total


cdef int work_at(Outlook* o, const DelphiState* s, int hex) noexcept nogil:
    """The colors of the tasks that a ship on a hex can work on."""
    cdef const Tables* t = o.planner.t
    cdef const Player* p = &s.players[o.planner.seat]
    cdef const Near* near
    cdef u32 places, colors = 0, needed
    cdef int slot
    if o.is_work_known[hex]:
        return o.work[hex]
    near = &t.near[o.planner.fight_reach][hex]
    places = near.monsters
    needed = monsters_needed(p)
    while places:
        colors |= s.monsters[lowest(places)] & needed
        places &= places - 1
    if p.shrine_tasks:
        places = near.tiles & (o.errands.own_tiles | (o.errands.unseen if o.errands.unseen_own else 0))
        while places:
            colors |= 1 << t.tile_color[lowest(places)]
            places &= places - 1
    near = &t.near[o.planner.offering_reach][hex]
    colors |= near.temples & p.offerings_aboard
    if near.offerings and has_room(p):
        places = near.offerings
        needed = offerings_needed(p)
        while places:
            colors |= s.offerings[lowest(places)] & needed
            places &= places - 1
    near = &t.near[o.planner.statue_reach][hex]
    if near.cities and has_room(p):
        needed = near.cities & statues_needed(p)
        while needed:
            if s.statues[lowest(needed)]:
                colors |= needed & (0 - needed)
            needed &= needed - 1
    if p.statues_aboard:
        places = near.statues
        while places:
            slot = lowest(places)
            colors |= t.sites[slot] & ~s.raised[slot] & p.statues_aboard
            places &= places - 1
    o.work[hex] = <u8>colors
    o.is_work_known[hex] = True
    return <int>colors


cdef int next_cost(Outlook* o, const Player* p, u32 work, int source, int color) noexcept nogil:
    """The least favor to use a die or card that is left after this one as one of the colors; NONE without any."""
    cdef int left, used, best = NONE
    cdef bint cards
    if work == 0:
        return NONE
    if o.left_after != (source << 3 | color):
        # Moves come source by source, so this is worked out once for each.
        o.left_after = source << 3 | color
        cards = source != CARD and p.card_played == NONE
        memset(o.left_cost, NONE, sizeof(o.left_cost))
        for left in range(COLORS):
            if p.dice_left[left] > (source == DIE and left == color) or (cards and p.oracle_cards[left]):
                for used in range(COLORS):
                    if o.recolor[left][used] < o.left_cost[used]:
                        o.left_cost[used] = o.recolor[left][used]
    while work:
        used = lowest(work)
        if o.left_cost[used] < best:
            best = o.left_cost[used]
        work &= work - 1
    return best


cdef inline float way_left(const Outlook* o) noexcept nogil:
    return min(o.plan.dice, <float>30.0) * <float>0.1


cdef inline void kind_parts(const Outlook* o, int kind, Parts* parts) noexcept nogil:
    put(parts, BY_ACTION + kind - SAIL, 1)
    put(parts, BY_ACTION_WAY + kind - SAIL, way_left(o))


cdef inline void source_parts(const Outlook* o, const Player* p, int source, int color, Parts* parts) noexcept nogil:
    cdef int i, dice = 0
    if source == CARD:
        put(parts, BY_CARD, 1)
        put(parts, BY_CARD_WAY, way_left(o))
        for i in range(COLORS):
            dice += p.dice_left[i]
        put(parts, CARD_DICE, dice)
    elif source == EXTRA:
        put(parts, BY_EXTRA, 1)
        put(parts, BY_EXTRA_WAY, way_left(o))
    elif source == GOD and color < COLORS:
        put(parts, BY_GOD + color, 1)


cdef inline void score_parts(const Outlook* o, float score, Parts* parts) noexcept nogil:
    put(parts, SCORE, score)
    put(parts, SCORE_WAY, score * way_left(o))


cdef void step_parts(const Tables* t, const DelphiState* s, int seat, int god, Parts* parts) noexcept nogil:
    cdef int row = s.players[seat].gods[god]
    cdef int above = t.first_row if row == 0 else row + 1
    if row == TOP_ROW:
        return
    if above == TOP_ROW:
        put(parts, STEP_TO_TOP, 1)
    if row == 0:
        put(parts, STEP_FROM_START, 1)
    put(parts, STEP_GAIN, god_progress(t, above) - god_progress(t, row))
    if god_is_useful(s, seat, god):
        put(parts, STEP_USEFUL, 1)


cdef void action_parts(Outlook* o, const DelphiState* s, move_t move, int paid, Parts* parts) noexcept nogil:
    """The features of a move of the act phase, but for those of its kind, source and score."""
    cdef const Tables* t = o.planner.t
    cdef int seat = s.turn, kind = move_kind(move), source = move_source(move), used = move_used(move)
    cdef int hex = move_a(move), color, cost, slot, total = 0
    cdef const Player* p = &s.players[seat]
    cdef float way = way_left(o), risk
    cdef u32 work
    if paid:
        put(parts, PAID, paid)
        put(parts, PAID_WAY, paid * way)
        if p.favor - paid < 2:
            put(parts, PAID_LAST, 1)
    # Whether what is left can be used where the ship then stands.
    if kind == SAIL:
        work = <u32>work_at(o, s, hex)
        cost = next_cost(o, p, work, source, move_color(move))
        if cost <= p.favor - paid:
            put(parts, SAIL_PAID if cost else SAIL_FREE, 1)
            if cost:
                put(parts, SAIL_COST, cost)
        if o.plan.jobs and hex == o.plan.job[0].stop:
            put(parts, SAIL_FIRST, 1)
        if next_cost(o, p, <u32>work_at(o, s, p.ship), source, move_color(move)) == 0:
            put(parts, SAIL_LEAVES, 1)
        return
    work = <u32>work_at(o, s, p.ship)
    if kind <= RAISE:
        work &= ~(<u32>1 << used)
    cost = next_cost(o, p, work, source, move_color(move))
    if cost <= p.favor - paid:
        put(parts, STAY_PAID if cost else STAY_FREE, 1)
        if cost:
            put(parts, STAY_COST, cost)
    if kind == FIGHT_MONSTER and source != GOD:
        risk = 1 - winning_chance(p, 9 - p.shield, 1)
        put(parts, RISK, risk)
        put(parts, RISK_WAY, risk * way)
        if p.favor - paid < 3:
            put(parts, RISK_POOR, risk)
        for color in range(COLORS):
            total += p.injuries[color]
        if total >= 3:
            put(parts, RISK_INJURED, risk)
    elif kind == EXPLORE:
        slot = t.slot[hex]
        if not (p.knows >> slot) & 1:
            if o.errands.unseen_own and p.shrine_tasks:
                put(parts, EXPLORE_CHANCE, o.errands.unseen_own / <float>count_bits(o.errands.unseen))
        elif s.tile[slot] // 3 == seat and p.shrine_tasks:
            put(parts, EXPLORE_OWN, 1)
        else:
            put(parts, EXPLORE_LETTER, 1)
    elif kind == HEAL_INJURIES:
        for color in range(COLORS):
            total += p.injuries[color]
        put(parts, HEAL_INJURED, p.injuries[used] if source != GOD else total)
        if p.injuries[used] >= 2 or total >= 5:
            put(parts, HEAL_URGENT, 1)
    elif kind == ADVANCE or kind == BUNDLE:
        step_parts(t, s, seat, used, parts)
    elif kind == DRAW:
        for color in range(COLORS):
            total += p.oracle_cards[color]
        put(parts, DRAW_HELD, total)
    elif kind == TAKE_FAVOR:
        put(parts, FAVOR_HELD, min(p.favor, <int>12))
    elif kind == END and p.card_played == NONE:
        for color in range(COLORS):
            total += p.oracle_cards[color]
        if total:
            put(parts, END_CARD, 1)


cdef void choice_parts(const Tables* t, const DelphiState* s, int seat, move_t move, float score, float way,
                       Parts* parts) noexcept nogil:
    """The features of a move outside the act phase."""
    cdef int kind = move_kind(move)
    cdef const Player* p = &s.players[seat]
    parts.count = 0
    put(parts, CHOICE_SCORE, score)
    put(parts, CHOICE_WAY, score * way)
    if kind == TAKE_FAVOR:
        put(parts, START_FAVOR, 1)
    elif kind == LOOK:
        put(parts, SCOUT_LOOK, 1)
    elif CHOOSE_SHIP <= kind <= NO_STEP:
        put(parts, BY_CHOICE + kind - CHOOSE_SHIP, 1)
        if kind == STEP_GOD:
            put(parts, STEP_OF + move_color(move), 1)
            step_parts(t, s, seat, move_color(move), parts)
        elif kind == TAKE_COMPANION:
            put(parts, COMPANION_OF + move_a(move), 1)
        elif kind == TAKE_EQUIPMENT:
            put(parts, CARD_OF + move_a(move), 1)
        elif kind == FIGHT_ON and s.frames:
            put(parts, FIGHT_ON_STRENGTH, s.stack[s.frames - 1].n)
            put(parts, FIGHT_ON_FAVOR, min(p.favor, <int>10))


# -- all moves of a decision

cdef void score_choices(
    const Tables* t, const DelphiState* s, const move_t* moves, int count, const float* weights, float* scores
) noexcept nogil:
    """Outside the act phase: the position after each move."""
    cdef int seat = delphi_to_act(t, s), i, slot
    cdef DelphiState after
    cdef float way = 0
    cdef Parts parts
    if weights:
        way = min(max(seat_dice(t, s, seat), <float>0.0), <float>30.0) * <float>0.1
    for i in range(count):
        after = s[0]
        delphi_apply(t, &after, moves[i])
        scores[i] = -seat_dice(t, &after, seat)
        if move_kind(moves[i]) == LOOK:
            # Which two a scout looks at: those not known yet.
            for slot in range(TILES):
                if (after.players[seat].knows & ~s.players[seat].knows) >> slot & 1:
                    scores[i] += <float>0.5
        if weights:
            choice_parts(t, s, seat, moves[i], scores[i], way, &parts)
            scores[i] += weigh(&parts, weights)


cdef void score_moves(
    const Tables* t, const DelphiState* s, const move_t* moves, int count, const float* weights, float* scores
) noexcept nogil:
    cdef Outlook outlook
    if s.frames == 0 and s.phase == ACT:
        look_ahead(t, s, s.turn, &outlook)
        score_actions(&outlook, s, moves, count, weights, scores)
    else:
        score_choices(t, s, moves, count, weights, scores)


# -- playouts

cdef void find_sails(Outlook* o) noexcept nogil:
    """Of each color the best hex to sail to, for each amount of favor beyond the range."""
    cdef const Tables* t = o.planner.t
    cdef const u8* spaces = t.distance[o.planner.crossing][o.errands.ship]
    cdef const u8* nearest
    cdef float best[MOST_FAVOR + 1]
    cdef float worth
    cdef int reach = o.planner.reach, color, rank, hex, favor
    cdef u8* sail
    for color in range(COLORS):
        sail = o.plan.sail[color]
        nearest = t.nearest[o.planner.crossing][o.errands.ship][color]
        for favor in range(MOST_FAVOR + 1):
            best[favor] = -1e9
            sail[favor] = NONE
        for rank in range(WATER_PER_COLOR):
            hex = nearest[rank]
            if spaces[hex] > reach + MOST_FAVOR:
                break
            if hex == o.errands.ship:
                continue
            favor = max(spaces[hex] - reach, 0)
            worth = o.plan.dice - dice_from(o, hex) + WEIGHT[FAVOR] * favor
            if worth > best[favor]:
                best[favor] = worth
                sail[favor] = <u8>hex
        for favor in range(1, MOST_FAVOR + 1):
            if best[favor - 1] >= best[favor]:
                best[favor] = best[favor - 1]
                sail[favor] = sail[favor - 1]
    o.plan.has_sails = True
    o.kept[0] = o.plan


cdef int best_sail(Outlook* o, int color, int favor, bint creature) noexcept nogil:
    """Where to sail with a die used as a color and so much favor; NONE when there is no way."""
    cdef const u8* spaces = o.planner.t.distance[o.planner.crossing][o.errands.ship]
    cdef int more = CREATURE_RANGE if creature else 0, target, hex, best = NONE
    cdef float worth, best_worth = -1e9
    if o.plan.home and 0 < spaces[o.planner.t.zeus] <= o.planner.reach + more + favor:
        return o.planner.t.zeus
    if not creature:
        return o.plan.sail[color][min(favor, MOST_FAVOR)]
    for target in range(COLORS):
        hex = o.plan.sail[target][min(favor + more, MOST_FAVOR)]
        if hex != NONE:
            worth = sailing_worth(o, hex) + WEIGHT[FAVOR] * max(spaces[hex] - o.planner.reach - more, 0)
            if worth > best_worth:
                best_worth = worth
                best = hex
    return best


cdef int list_candidates(Outlook* o, const DelphiState* s, move_t* moves) noexcept nogil:
    """The moves of the act phase that a playout compares: of the sails in a color the best, of the looks one."""
    cdef const Tables* t = o.planner.t
    cdef int seat = s.turn
    cdef const Player* p = &s.players[seat]
    cdef move_t actions[COLORS][MAX_ACTIONS]
    cdef int counts[COLORS]
    cdef int n = 0, source, color, used, i, left, hex
    cdef u32 head
    cdef bint dice_used = True
    if not o.plan.has_sails:
        find_sails(o)
    for used in range(COLORS):
        counts[used] = list_colored_actions(t, s, seat, used, actions[used])
    for source in range(DIE, EXTRA):
        if source == CARD and p.card_played != NONE:
            continue        # one card a turn (R9)
        for color in range(COLORS):
            if not (p.dice_left[color] if source == DIE else p.oracle_cards[color]):
                continue
            head = in_hand(source, color)
            for used in range(COLORS):
                left = p.favor - o.recolor[color][used]
                if left < 0:
                    continue
                for i in range(counts[used]):
                    moves[n + i] = actions[used][i] | head
                n += counts[used]
                if not p.arrived:
                    hex = best_sail(o, used, left, has_companion(p, used, CREATURE))
                    if hex != NONE:
                        moves[n] = pack(SAIL, 0, 0, used, hex, 0) | head
                        n += 1
            moves[n] = pack(DRAW, source, color, color, 0, 0)
            moves[n + 1] = pack(TAKE_FAVOR, source, color, color, 0, 0)
            n += 2
            if o.plan.best_look:
                moves[n] = pack(LOOK, 0, 0, 0, 0, 0) | head | (<u32>color << 12) | o.plan.best_look
                n += 1
            if source == DIE:
                dice_used = False
    if owns(p, EXTRA_ACTION) and not p.extra_used and p.favor >= EXTRA_ACTION_COST:
        for used in range(COLORS):
            head = in_hand(EXTRA, used)
            for i in range(counts[used]):
                moves[n + i] = actions[used][i] | head
            n += counts[used]
            if not p.arrived:
                hex = best_sail(o, used, p.favor - EXTRA_ACTION_COST, False)
                if hex != NONE:
                    moves[n] = pack(SAIL, 0, 0, used, hex, 0) | head
                    n += 1
        moves[n] = pack(DRAW, EXTRA, NO_COLOR, NO_COLOR, 0, 0)
        moves[n + 1] = pack(TAKE_FAVOR, EXTRA, NO_COLOR, NO_COLOR, 0, 0)
        n += 2
    n += list_god_actions(t, s, seat, &moves[n])
    if dice_used:
        moves[n] = pack(END, 0, 0, 0, 0, 0)
        n += 1
    return n


cdef int list_all(Outlook* o, const DelphiState* s, move_t* moves) noexcept nogil:
    """The legal moves of the act phase, but of the many looks only the one worth a thought."""
    cdef Looks looks
    cdef int count = list_actions(o.planner.t, s, moves, &looks), i
    if looks.pairs:
        for i in range(looks.lookers):
            moves[count] = pack(LOOK, 0, 0, 0, 0, 0) | looks.looker[i] | o.plan.best_look
            count += 1
    return count


cdef int list_scored_moves(const Tables* t, const DelphiState* s, move_t* moves, float* scores) noexcept nogil:
    """The moves that a playout compares, with their scores."""
    cdef const float* weights = NULL
    cdef Outlook outlook
    cdef int count
    if t.policy.playout_learned:
        weights = <const float*>t.policy.playout
    if s.frames or s.phase != ACT:
        count = delphi_legal_moves(t, s, moves)
        if count > 1:
            score_choices(t, s, moves, count, weights, scores)
        return count
    look_ahead(t, s, s.turn, &outlook)
    count = list_candidates(&outlook, s, moves) if t.policy.short_list else list_all(&outlook, s, moves)
    score_actions(&outlook, s, moves, count, weights, scores)
    return count


# -- the functions of the contract

cdef move_t delphi_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    """The best score with a little noise, so that playouts differ where scores are close."""
    cdef const Tables* t = <const Tables*>tables
    cdef move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef int count = list_scored_moves(t, <const DelphiState*>state, moves, scores), i, best = 0
    cdef float score, best_score = -1e9, noise = t.policy.noise
    if count == 1:
        return moves[0]
    for i in range(count):
        if scores[i] + noise <= best_score:
            continue
        score = scores[i] + noise * <float>rng_double(rng)
        if score > best_score:
            best = i
            best_score = score
    return moves[best]


cdef void delphi_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const float* learned = NULL
    cdef int i
    cdef float best = -1e9, total = 0
    if t.policy.prior_learned:
        learned = <const float*>t.policy.prior
    score_moves(t, <const DelphiState*>state, moves, count, learned, weights)
    for i in range(count):
        best = max(best, weights[i])
    for i in range(count):
        weights[i] = expf(max((weights[i] - best) / t.policy.temperature, <float>-12.0))
        total += weights[i]
    for i in range(count):
        weights[i] /= total


cdef int fill_policy(Policy* policy, dict values) except -1:
    """The weights by name: the moves' features for priors and playouts, and the settings."""
    cdef int i
    policy.prior_learned = policy.prior_by_move = policy.playout_learned = policy.playout_by_move = 0
    for i, name in enumerate(MOVE_FEATURE_NAMES):
        policy.prior[i] = values[f"prior.{name}"]
        policy.playout[i] = values[f"playout.{name}"]
        policy.prior_learned |= policy.prior[i] != 0
        policy.playout_learned |= policy.playout[i] != 0
        if PAID <= i <= PAID_LAST or RISK <= i <= SAIL_LEAVES or i == END_CARD:
            policy.prior_by_move |= policy.prior[i] != 0
            policy.playout_by_move |= policy.playout[i] != 0
    policy.temperature = values["temperature"]
    policy.noise = values["noise"]
    policy.short_list = bool(values["short_list"])
    return 0


def move_features_of(State state not None):
    """The features of every legal move, in their order: a matrix of floats."""
    cdef const Tables* t = <const Tables*>state.game.tables
    cdef const DelphiState* s = <const DelphiState*>state.data
    cdef move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef Outlook outlook
    cdef Parts parts
    cdef int count = delphi_legal_moves(t, s, moves), seat = delphi_to_act(t, s), i, j
    cdef bint acting = s.frames == 0 and s.phase == ACT
    cdef float way = 0
    cdef bytearray rows = bytearray(count * MOVE_FEATURES * sizeof(float))
    cdef float* row = <float*><char*>rows
    score_moves(t, s, moves, count, NULL, scores)
    if acting:
        look_ahead(t, s, seat, &outlook)
    else:
        way = min(max(seat_dice(t, s, seat), <float>0.0), <float>30.0) * <float>0.1
    for i in range(count):
        if acting:
            parts.count = 0
            kind_parts(&outlook, move_kind(moves[i]), &parts)
            source_parts(&outlook, &s.players[seat], move_source(moves[i]), move_color(moves[i]), &parts)
            score_parts(&outlook, scores[i], &parts)
            action_parts(&outlook, s, moves[i], paid_for(&outlook, s, moves[i]), &parts)
        else:
            choice_parts(t, s, seat, moves[i], scores[i], way, &parts)
        for j in range(parts.count):
            row[i * MOVE_FEATURES + parts.feature[j]] += parts.value[j]
    return memoryview(rows).cast("f", (count, MOVE_FEATURES))
