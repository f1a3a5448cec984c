"""Scores of moves; see policy.pxd.

In the act phase a move is worth what it shortens the planned route, plus what it brings, less what it costs
in favor, cards and gods. In every other phase each move is tried and the position after it judged.
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
    Job, Planner, Route, do_job, follow_route, list_jobs, make_planner, nothing_left,
    read_errands, search_dice,
)
from pythia.core_cy.delphi.rules cimport (
    CREATURE_RANGE, Looks, MAX_MOVES, TILE_LETTER, crosses, delphi_apply, delphi_legal_moves, delphi_to_act,
    has_companion, list_actions, ship_range, use_costs,
)
from pythia.core_cy.delphi.state cimport *
from pythia.core_cy.delphi.tables cimport COLORS, FEATURES, MAX_HEXES, NONE, TILES, Tables
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng, rng_double
from pythia.core_cy.types cimport move_t, u8, u32

from pythia.core_cy.delphi.weights import FEATURES as FEATURE_NAMES
from pythia.core_cy.delphi.weights import POLICY

cdef enum:
    FIRST_JOBS = 4

cdef float[FEATURES] WEIGHT     # by feature; never changed, unlike those of the evaluation (Tables.weights)
for name, weight in POLICY.items():
    WEIGHT[FEATURE_NAMES.index(name)] = weight

# What rewards are worth, in dice.
cdef float EQUIPMENT_REWARD = 1.5
cdef float COMPANION_REWARD = 1.5
cdef float LETTER_REWARD = 1.2
cdef float LOOK_REWARD = 0.45
cdef float ARRIVAL = 6.0
# Scores to priors: a move that saves this many dice more is e times as likely.
cdef float TEMPERATURE = 0.25
# Playouts differ by so many dice where scores are close.
cdef float NOISE = 0.1
# All looks but the best pair share this little.
cdef float OTHER_LOOKS = -4.0


ctypedef struct Outlook:
    # What the scores of one act decision share.
    Planner planner
    Errands errands
    bint home               # all tasks done: only Zeus is left
    int jobs
    Job job[FIRST_JOBS]
    float rest[FIRST_JOBS]  # dice from the job's action on
    float dice              # of the best route from here
    u32 best_look           # argument bits of the pair worth looking at


cdef inline float sailing(const Planner* planner, int spaces) noexcept nogil:
    return planner.sail_dice[spaces if spaces < 63 else 63]


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
    if o.home:
        return sailing(&o.planner, t.distance[o.planner.crossing][hex][t.zeus])
    for i in range(o.jobs):
        dice = o.rest[i] + sailing(
            &o.planner, t.approach[o.planner.crossing][reach_of(&o.planner, o.job[i].kind)][hex][o.job[i].hex])
        if dice < best:
            best = dice
    return best


cdef void look_ahead(const Tables* t, const DelphiState* s, int seat, Outlook* o) noexcept nogil:
    cdef Errands after
    cdef Route route
    cdef int i
    make_planner(&o.planner, t, s, seat)
    read_errands(&o.planner, &o.errands)
    o.home = nothing_left(&o.errands)
    o.jobs = 0 if o.home else list_jobs(&o.planner, &o.errands, o.job, FIRST_JOBS)
    for i in range(o.jobs):
        memset(&route, 0, sizeof(Route))
        after = o.errands
        do_job(&o.planner, &after, &o.job[i])
        follow_route(&o.planner, &after, &route)
        o.rest[i] = 1 + route.dice
        if o.job[i].kind == JOB_SEARCH:
            o.rest[i] += search_dice(&o.errands)
    o.dice = dice_from(o, s.players[seat].ship)
    o.best_look = best_look(o, s, seat)


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
    return o.dice - route.dice


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
    if kind == SAIL:
        if hex == t.zeus:
            return ARRIVAL
        return o.dice - dice_from(o, hex)
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


cdef void score_actions(
    const Outlook* o, const DelphiState* s, const move_t* moves, int count, float* scores
) noexcept nogil:
    cdef const Tables* t = o.planner.t
    cdef int seat = s.turn
    cdef const Player* p = &s.players[seat]
    cdef const u8* spaces = t.distance[crosses(p)][p.ship]
    # The same action with another source is worth the same: kind, used color and hex say which it is.
    cdef float known[16][8]
    cdef u8 known_hex[16][8]
    cdef bint is_known[16][8]
    cdef float sail_worth[MAX_HEXES]
    cdef bint is_sail_known[MAX_HEXES]
    cdef u8 recolor[COLORS][COLORS]
    cdef int i, kind, used, source, hex, paid, beyond, reach = ship_range(p)
    cdef float worth, best_look = <float>0.05, card = card_worth(p), extra = favor_worth(p, 3)
    memset(is_known, 0, sizeof(is_known))
    memset(is_sail_known, 0, sizeof(is_sail_known))
    for i in range(COLORS):
        use_costs(p, i, recolor[i])
    if o.errands.unseen_own and count_bits(o.errands.own_tiles) < p.shrine_tasks:
        best_look = LOOK_REWARD
    for i in range(count):
        kind = move_kind(moves[i])
        source = move_source(moves[i])
        used = move_used(moves[i])
        hex = move_a(moves[i])
        paid = 0
        if kind == END:
            scores[i] = 0
            continue
        if kind == LOOK:
            worth = best_look if moves[i] & ~<u32>0x7FFF == o.best_look else OTHER_LOOKS
        elif kind == SAIL:
            if not is_sail_known[hex]:
                sail_worth[hex] = action_worth(o, s, seat, moves[i])
                is_sail_known[hex] = True
            worth = sail_worth[hex]
            if source != GOD:
                beyond = spaces[hex] - reach
                if source != EXTRA and has_companion(p, used, CREATURE):
                    beyond -= CREATURE_RANGE
                if beyond > 0:
                    paid = beyond
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
        else:
            paid += recolor[move_color(moves[i])][used]
            if source == CARD:
                worth -= card
        scores[i] = worth + WEIGHT[FAVOR] * paid


cdef void score_others(
    const Tables* t, const DelphiState* s, const move_t* moves, int count, float* scores
) noexcept nogil:
    """Outside the act phase: the position after each move."""
    cdef int seat = delphi_to_act(t, s), i, slot
    cdef DelphiState after
    for i in range(count):
        after = s[0]
        delphi_apply(t, &after, moves[i])
        scores[i] = -seat_dice(t, &after, seat)
        if move_kind(moves[i]) == LOOK:
            # Which two a scout looks at: those not known yet.
            for slot in range(TILES):
                if (after.players[seat].knows & ~s.players[seat].knows) >> slot & 1:
                    scores[i] += <float>0.5


cdef void score_moves(
    const Tables* t, const DelphiState* s, const move_t* moves, int count, float* scores
) noexcept nogil:
    cdef Outlook outlook
    if s.frames == 0 and s.phase == ACT:
        look_ahead(t, s, s.turn, &outlook)
        score_actions(&outlook, s, moves, count, scores)
    else:
        score_others(t, s, moves, count, scores)


cdef int list_scored_moves(const Tables* t, const DelphiState* s, move_t* moves, float* scores) noexcept nogil:
    """The legal moves with their scores, but of the many looks only the one worth a thought."""
    cdef Outlook outlook
    cdef Looks looks
    cdef int count, i
    if s.frames or s.phase != ACT:
        count = delphi_legal_moves(t, s, moves)
        if count > 1:
            score_others(t, s, moves, count, scores)
        return count
    look_ahead(t, s, s.turn, &outlook)
    count = list_actions(t, s, moves, &looks)
    if looks.pairs:
        for i in range(looks.lookers):
            moves[count] = pack(LOOK, 0, 0, 0, 0, 0) | looks.looker[i] | outlook.best_look
            count += 1
    score_actions(&outlook, s, moves, count, scores)
    return count


cdef move_t delphi_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    """The best score with a little noise, so that playouts differ where scores are close."""
    cdef move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef int count = list_scored_moves(<const Tables*>tables, <const DelphiState*>state, moves, scores), i, best = 0
    cdef float score, best_score = -1e9
    if count == 1:
        return moves[0]
    for i in range(count):
        if scores[i] + NOISE <= best_score:
            continue
        score = scores[i] + NOISE * <float>rng_double(rng)
        if score > best_score:
            best = i
            best_score = score
    return moves[best]


cdef void delphi_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef int i
    cdef float best = -1e9, total = 0
    score_moves(<const Tables*>tables, <const DelphiState*>state, moves, count, weights)
    for i in range(count):
        best = max(best, weights[i])
    for i in range(count):
        weights[i] = expf(max((weights[i] - best) / TEMPERATURE, <float>-12.0))
        total += weights[i]
    for i in range(count):
        weights[i] /= total
