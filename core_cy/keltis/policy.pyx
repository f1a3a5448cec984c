"""Scores of moves; see policy.pxd.

The estimate of a move is the difference that it makes to the policy's own worth of things (weights.POLICY), put
together without playing it. To this come learned weights over named features of the move (weights.MOVE_FEATURES), one
set for priors and one for playouts; with weights of 0 the estimate stands alone.
"""

from libc.string cimport memset

from pythia.core_cy.game cimport State, state_t, tables_t
from pythia.core_cy.keltis.evaluate cimport (
    GOBLIN_1, OPEN, ORACLE_FAR, ORACLE_NEAR, PLAYS, chain, fading, figure_worth, openness,
    turns_left, wish_worth,
)
from pythia.core_cy.keltis.rules cimport (
    MAX_MOVES, final_score, goblin_points, in_goal, keltis_legal_moves, playable, stands_on,
)
from pythia.core_cy.keltis.state cimport (
    BACK, CLOVER_STEP, Cards, DISCARD, DROP_HAND, DROP_ROW, KINDS, KeltisState, PLAY_FIGURE, PLAY_PRIESTESS, Player,
    SCORE, STEP, TAKE_DISCARD, TAKE_PILE, add_card, count_card, move_color, move_kind, move_number, move_space,
    remove_card,
)
from pythia.core_cy.keltis.tables cimport (
    CLOVER, COLORS, FIGURES, GOBLIN, MIRROR, MOVE_FEATURES, POINTS, SPACES, SPIRAL, Tables, WISH, Worth,
)
from pythia.core_cy.rng cimport Rng, rng_double
from pythia.core_cy.softmax cimport soften
from pythia.core_cy.types cimport move_t, u8, u32

from pythia.core_cy.keltis.weights import MOVE_FEATURES as MOVE_FEATURE_NAMES

# The least weight of a move, beside the best.
cdef float LEAST = 1e-4

# Features of moves, in the order of weights.MOVE_FEATURES.
cdef enum:
    BY_KIND = 0             # 11, from PLAY_FIGURE on
    BY_KIND_LATE = 11
    ESTIMATE = 22
    ESTIMATE_LATE = 23
    SKIP = 24
    SKIP_LATE = 25
    OPENS = 26
    OPENS_MIDDLE = 27
    SAME = 28
    DECIDES = 29
    LOSES = 30
    GOES_ON = 31
    STEPS = 32
    STEPS_LATE = 33
    MOVES_FIRST = 34
    MOVES_LAST = 35
    OFF_START = 36
    VALUE_GAIN = 37
    VALUE_GAIN_LATE = 38
    TO_GOAL = 39
    TO_GOAL_AHEAD = 40
    TO_GOAL_BEHIND = 41
    TO_POINTS = 42
    TO_CLOVER = 43
    TO_SPIRAL = 44
    TO_GOBLIN = 45
    TO_MIRROR = 46
    TO_WISH = 47
    TO_WISH_FEW = 48
    TO_MIRROR_STONES = 49
    WALK = 50
    MEETS = 51
    PASSES_OWN = 52
    PASSES_OTHERS = 53
    NEAR_OWN = 54
    NEAR_OTHERS = 55
    DEAD = 56
    COPY = 57
    GIVES = 58
    TAKE_FITS = 59
    TAKE_SKIP = 60
    TAKE_DENIES = 61
    BACK_SPACES = 62

for name, feature in (
    ("figure", BY_KIND), ("figure_late", BY_KIND_LATE), ("score", ESTIMATE), ("skip", SKIP), ("goes_on", GOES_ON),
    ("spaces", STEPS), ("to_goal_behind", TO_GOAL_BEHIND), ("points", TO_POINTS),
    ("mirror_stones", TO_MIRROR_STONES), ("walk", WALK), ("near_others", NEAR_OTHERS), ("dead", DEAD),
    ("take_fits", TAKE_FITS), ("back_spaces", BACK_SPACES),
):
    assert MOVE_FEATURE_NAMES[feature] == name
assert BACK_SPACES + 1 == MOVE_FEATURES
assert MOVE_FEATURE_NAMES[BY_KIND + TAKE_DISCARD - PLAY_FIGURE] == "take_discard"

cdef enum:
    DEEPEST = 2             # clovers and spirals that are followed one after the other

# Ending the game ahead of all others, or not.
cdef float ENDS_WELL = 30.0


# The most that the best of the next turn counts.
cdef float MOST_NEXT = 10.0


ctypedef struct Outlook:
    # What the scores of one decision share.
    const Tables* t
    const KeltisState* s
    const Player* p         # whose move it is
    const Worth* worth
    int seat
    float fade
    u32 used                # spirals that the moving figure has used in this turn
    int goblins             # figures on goblin spaces
    int others_in_goal
    float play              # what a card that can be played is worth
    float open              # what a whole open color is worth
    int ahead               # 1 if more points would be scored now than by any other, -1 if fewer

ctypedef struct Laid:
    # A card that is laid out.
    int color, number
    bint empty              # its row, before
    int direction           # after
    int before, after       # cards of the hand that can all be played, one after the other

ctypedef struct Sum:
    # What features of a move add up to, or the features themselves where a row for them is given.
    const float* weights
    float* row
    float total


cdef inline void add(Sum* sum, int feature, float value) noexcept nogil:
    if sum.row:
        sum.row[feature] += value
    else:
        sum.total += sum.weights[feature] * value


cdef void look(Outlook* o, const Tables* t, const KeltisState* s, int seat, const Worth* worth,
               float fade) noexcept nogil:
    cdef int other, figure
    o.t = t
    o.s = s
    o.seat = seat
    o.p = &s.players[seat]
    o.worth = worth
    o.fade = fade
    o.used = s.used[s.mover] if seat == s.turn else 0
    o.goblins = o.others_in_goal = 0
    for figure in range(FIGURES):
        o.goblins += t.tile[o.p.figures[figure]] == GOBLIN
    for other in range(t.players):
        if other != seat:
            o.others_in_goal += in_goal(t, &s.players[other])
    o.play = worth.weight[PLAYS] * fade
    o.open = worth.weight[OPEN] * fade
    o.ahead = 0


cdef int standing_now(const Outlook* o) noexcept nogil:
    """1 if the seat would win as things stand, -1 if another has more points."""
    cdef int seat, points = final_score(o.t, o.p), best = -1000
    for seat in range(o.t.players):
        if seat != o.seat:
            best = max(best, final_score(o.t, &o.s.players[seat]))
    return (points > best) - (points < best)


# -- figures

cdef inline float goblin_worth(const Outlook* o, int goblins) noexcept nogil:
    return o.worth.weight[GOBLIN_1 + goblins - 1] * o.fade if goblins and not o.p.goblin_scored else 0


cdef inline float oracle_worth(const Outlook* o, int space) noexcept nogil:
    """What a figure there can get from the priestess."""
    if space <= o.s.priestess:
        return 0
    return o.fade * o.worth.weight[ORACLE_NEAR if space <= o.s.priestess + 5 else ORACLE_FAR]


cdef inline float standing(const Outlook* o, int space) noexcept nogil:
    """A figure on a space, without the tile; two on one space share what the priestess brings."""
    return figure_worth(o.t, o.worth, space, o.fade) + oracle_worth(o, space)


cdef float end_worth(const Outlook* o, int space, int to) noexcept nogil:
    """What it is worth that the game ends with a figure's move: much, if it is won; 0 if the game goes on."""
    cdef const Tables* t = o.t
    cdef int own = in_goal(t, o.p) - (space >= t.goal) + 1
    cdef int seat, points
    if own < FIGURES and own + o.others_in_goal < t.figures_in_goal:
        return 0
    points = final_score(t, o.p) - t.value[space] + t.value[to]
    for seat in range(t.players):
        if seat != o.seat and final_score(t, &o.s.players[seat]) >= points:
            return -ENDS_WELL
    return ENDS_WELL


cdef float landing(const Outlook* o, int space, int to, int depth) noexcept nogil:
    """What a figure gains that moves from a space to another, with the tile there."""
    cdef const Tables* t = o.t
    cdef const Player* p = o.p
    cdef int tile = t.tile[to], detail = t.detail[to]
    cdef int goblins = o.goblins - (t.tile[space] == GOBLIN)
    cdef float gain, more
    if to >= t.goal and space < t.goal:
        more = end_worth(o, space, to)
        if more != 0:
            return more
    gain = (standing(o, to) - standing(o, space)
            + goblin_worth(o, goblins + (tile == GOBLIN)) - goblin_worth(o, o.goblins))
    if tile == POINTS:
        return gain + detail
    if tile == WISH:
        if o.s.stones[detail]:
            gain += (wish_worth(t, o.worth, p.stones + 1, p.mirrors, o.fade)
                     - wish_worth(t, o.worth, p.stones, p.mirrors, o.fade))
        return gain
    if tile == MIRROR:
        if not (o.s.mirrors_taken >> detail) & 1:
            gain += (wish_worth(t, o.worth, p.stones, p.mirrors + 1, o.fade)
                     - wish_worth(t, o.worth, p.stones, p.mirrors, o.fade))
        return gain
    if tile == GOBLIN:
        return gain + o.worth.goblin_drop * o.fade
    if depth == 0:
        return gain
    if tile == CLOVER:
        if t.next[to][detail]:
            more = landing(o, to, t.next[to][detail], depth - 1)
            if more > 0:
                gain += more
        return gain
    if tile == SPIRAL and not (o.used >> detail) & 1:
        gain += best_back(o, to, space)
    return gain


cdef float best_back(const Outlook* o, int space, int origin) noexcept nogil:
    """What a spiral brings at most; tiles that lead on from there are not followed."""
    cdef float best = 0, gain
    cdef int to
    for to in range(space):
        if to != origin:
            gain = landing(o, space, to, 0)
            if gain > best:
                best = gain
    return best


cdef float best_open(const Tables* t, const KeltisState* s, float fade) noexcept nogil:
    cdef Outlook o
    cdef float gain
    cdef int to
    look(&o, t, s, s.turn, &t.worth, fade)
    if s.phase != CLOVER_STEP:
        return best_back(&o, s.space, s.began[s.mover])
    to = t.next[s.space][t.detail[s.space]]
    if to == 0:
        return 0
    gain = landing(&o, s.space, to, 1)
    # Positions are compared in points; that the game can be ended here shows once it is.
    if gain > 5:
        return 5
    return gain if gain > 0 else 0


cdef float best_next(const Tables* t, const KeltisState* s, int seat, float fade) noexcept nogil:
    cdef Outlook o
    cdef float gain, best = 0
    cdef int color, figure, space
    look(&o, t, s, seat, &t.policy.worth, fade)
    for color in range(COLORS):
        if not o.p.hand.once[color] & playable(o.p, color):
            continue
        for figure in range(FIGURES):
            space = o.p.figures[figure]
            if t.next[space][color] and not (figure and space == o.p.figures[figure - 1]):
                gain = landing(&o, space, t.next[space][color], 1)
                best = max(best, gain)
    return min(best, MOST_NEXT)


# -- cards

cdef Laid lay(const Outlook* o, int color, int number) noexcept nogil:
    """What becomes of the cards of a color when this one is laid out."""
    cdef const Player* p = o.p
    cdef Laid laid
    cdef Cards hand
    laid.color = color
    laid.number = number
    laid.empty = p.row.once[color] == 0
    laid.direction = p.direction[color]
    laid.before = chain(&p.hand, color, laid.empty, p.top[color], laid.direction)
    hand.once[color] = p.hand.once[color]
    hand.twice[color] = p.hand.twice[color]
    remove_card(&hand, color, number)
    if not laid.empty and number != p.top[color]:
        laid.direction = 1 if number > p.top[color] else -1
    laid.after = chain(&hand, color, False, number, laid.direction)
    return laid


cdef float laying(const Outlook* o, const Laid* laid) noexcept nogil:
    """What the cards lose that are left."""
    cdef const Player* p = o.p
    return (o.play * (laid.before - laid.after)
            + o.open * (openness(laid.empty, p.top[laid.color], p.direction[laid.color])
                        - openness(False, laid.number, laid.direction)))


cdef float holding(const Outlook* o, int color, int number, bint held) noexcept nogil:
    """What a card adds to the hand; one that is `held` is in it already."""
    cdef const Player* p = o.p
    cdef bint empty = p.row.once[color] == 0
    cdef Cards other = p.hand
    cdef int without, having
    if held:
        remove_card(&other, color, number)
        having = chain(&p.hand, color, empty, p.top[color], p.direction[color])
        without = chain(&other, color, empty, p.top[color], p.direction[color])
    else:
        add_card(&other, color, number)
        having = chain(&other, color, empty, p.top[color], p.direction[color])
        without = chain(&p.hand, color, empty, p.top[color], p.direction[color])
    return o.play * (having - without)


cdef inline const Player* next_player(const Outlook* o) noexcept nogil:
    return &o.s.players[o.seat + 1 if o.seat + 1 < o.t.players else 0]


cdef float gift(const Outlook* o, int color, int number) noexcept nogil:
    """What a discarded card gives to the next player, by its row."""
    cdef const Player* p = next_player(o)
    cdef float worth = o.t.policy.gift
    if p.direction[color] > 0:
        return worth if number >= p.top[color] and number <= p.top[color] + 3 else 0
    if p.direction[color] < 0:
        return worth if number <= p.top[color] and number + 3 >= p.top[color] else 0
    return worth if p.row.once[color] else worth * <float>0.5


cdef float from_pile(const Outlook* o) noexcept nogil:
    """A card that nobody has seen: it can be played as often as rows are open."""
    cdef const Player* p = o.p
    cdef float opens = 0
    cdef int color
    for color in range(COLORS):
        opens += openness(p.row.once[color] == 0, p.top[color], p.direction[color])
    return o.play * opens / COLORS


cdef float passing(const Outlook* o, int spaces) noexcept nogil:
    """What moving the priestess changes for the own figures, and for those of others."""
    cdef const KeltisState* s = o.s
    cdef const Player* p
    cdef int to = s.priestess + spaces
    cdef int seat, i, space
    cdef float change, total = 0
    for seat in range(o.t.players):
        p = &s.players[seat]
        change = 0
        for i in range(FIGURES):
            space = p.figures[i]
            if space <= s.priestess or (i and space == p.figures[i - 1]):
                continue
            change -= o.worth.weight[ORACLE_NEAR if space <= s.priestess + 5 else ORACLE_FAR]
            if space > to:
                change += o.worth.weight[ORACLE_NEAR if space <= to + 5 else ORACLE_FAR]
        total += o.fade * (change if seat == o.seat else -change / (o.t.players - 1))
    return total + (o.t.oracle_bonus if stands_on(o.p, to) else 0)


# -- the estimate of a move

cdef float estimate(const Outlook* o, move_t move) noexcept nogil:
    """Of a move other than laying out a card."""
    cdef const Tables* t = o.t
    cdef const KeltisState* s = o.s
    cdef int kind = move_kind(move)
    cdef int color = move_color(move)
    cdef int space = move_space(move)
    if kind == DISCARD or kind == DROP_HAND:
        return -holding(o, color, move_number(move), True) - gift(o, color, move_number(move))
    if kind == DROP_ROW:
        return reopening(o, color)
    if kind == SCORE:
        # Now, unless a better pattern is likely; search can find out.
        return goblin_points(t, o.p) - goblin_worth(o, 3) + 1
    if kind == STEP:
        return landing(o, space, t.next[space][t.detail[s.space]], DEEPEST)
    if kind == BACK:
        return landing(o, s.space, space, DEEPEST)
    if kind == TAKE_PILE:
        return from_pile(o)
    if kind == TAKE_DISCARD:
        return holding(o, color, s.discard[color][s.discards[color] - 1], False)
    return 0


cdef float reopening(const Outlook* o, int color) noexcept nogil:
    """What the row gains when its last card goes."""
    cdef const Player* p = o.p
    cdef Cards row = p.row
    cdef int top = p.top[color], direction = p.direction[color]
    cdef int before = chain(&p.hand, color, False, top, direction)
    cdef float was = openness(False, top, direction)
    cdef u32 left
    remove_card(&row, color, top)
    left = row.once[color]
    if left:
        while not (left >> top) & 1:
            top -= direction
        if left & (left - 1) == 0:
            direction = 0
    return (o.play * (chain(&p.hand, color, left == 0, top, direction) - before)
            + o.open * (openness(left == 0, top, direction) - was) - gift(o, color, p.top[color]))


# -- features of moves

cdef void kind_parts(const Outlook* o, int kind, Sum* sum) noexcept nogil:
    add(sum, BY_KIND + kind - PLAY_FIGURE, 1)
    add(sum, BY_KIND_LATE + kind - PLAY_FIGURE, 1 - o.fade)


cdef void card_parts(const Outlook* o, const Laid* laid, Sum* sum) noexcept nogil:
    """Of a card that is laid out."""
    cdef int top = o.p.top[laid.color], number = laid.number
    cdef int skip = number - top if number > top else top - number
    if laid.empty:
        add(sum, OPENS, 1)
        add(sum, OPENS_MIDDLE, min(number, 10 - number) * <float>0.2)
    elif skip == 0:
        add(sum, SAME, 1)
    else:
        add(sum, SKIP, skip - 1)
        add(sum, SKIP_LATE, (skip - 1) * (1 - o.fade))
        if o.p.direction[laid.color] == 0:
            add(sum, DECIDES, 1)
    add(sum, LOSES, laid.before - 1 - laid.after)
    add(sum, GOES_ON, laid.after)


cdef void landing_parts(const Outlook* o, int space, int to, Sum* sum) noexcept nogil:
    """Of a figure that moves from a space to another."""
    cdef const Tables* t = o.t
    cdef const Player* p = o.p
    cdef int tile = t.tile[to], detail = t.detail[to]
    cdef float late = 1 - o.fade, steps = (to - space) * <float>0.2, gain = t.value[to] - t.value[space]
    add(sum, STEPS, steps)
    add(sum, STEPS_LATE, steps * late)
    if space == p.figures[0]:
        add(sum, MOVES_FIRST, 1)
    if space == p.figures[FIGURES - 1]:
        add(sum, MOVES_LAST, 1)
    if space == 0:
        add(sum, OFF_START, 1)
    add(sum, VALUE_GAIN, gain)
    add(sum, VALUE_GAIN_LATE, gain * late)
    if to >= t.goal and space < t.goal:
        add(sum, TO_GOAL, 1)
        if o.ahead:
            add(sum, TO_GOAL_AHEAD if o.ahead > 0 else TO_GOAL_BEHIND, 1)
    if tile == POINTS:
        add(sum, TO_POINTS, detail)
    elif tile == CLOVER:
        add(sum, TO_CLOVER, 1)
    elif tile == SPIRAL:
        add(sum, TO_SPIRAL, 1)
    elif tile == GOBLIN:
        add(sum, TO_GOBLIN, 1)
    elif tile == MIRROR:
        if not (o.s.mirrors_taken >> detail) & 1:
            add(sum, TO_MIRROR, 1)
            add(sum, TO_MIRROR_STONES, p.stones)
    elif tile == WISH:
        if o.s.stones[detail]:
            add(sum, TO_WISH, 1)
            if p.stones < 2:
                add(sum, TO_WISH_FEW, 1)


cdef void walk_parts(const Outlook* o, int spaces, Sum* sum) noexcept nogil:
    """Of the priestess, who moves that many spaces."""
    cdef int start = o.s.priestess, to = start + spaces, seat, i, space
    cdef const Player* p
    add(sum, WALK, spaces)
    if stands_on(o.p, to):
        add(sum, MEETS, 1)
    for seat in range(o.t.players):
        p = &o.s.players[seat]
        for i in range(FIGURES):
            space = p.figures[i]
            if space <= start or (i and space == p.figures[i - 1]):
                continue
            if space <= to:
                add(sum, PASSES_OWN if seat == o.seat else PASSES_OTHERS, 1)
            elif space <= to + 5:
                add(sum, NEAR_OWN if seat == o.seat else NEAR_OTHERS, 1)


cdef inline bint next_can_lay(const Outlook* o, int color, int number) noexcept nogil:
    return (playable(next_player(o), color) >> number) & 1


cdef void other_parts(const Outlook* o, move_t move, Sum* sum) noexcept nogil:
    """Of a move other than laying out a card."""
    cdef const Player* p = o.p
    cdef int kind = move_kind(move), color = move_color(move), number = move_number(move), space = move_space(move)
    if kind == DISCARD or kind == DROP_HAND:
        if not (playable(p, color) >> number) & 1:
            add(sum, DEAD, 1)
        if count_card(&p.hand, color, number) > 1:
            add(sum, COPY, 1)
        if next_can_lay(o, color, number):
            add(sum, GIVES, 1)
    elif kind == STEP:
        landing_parts(o, space, o.t.next[space][o.t.detail[o.s.space]], sum)
    elif kind == BACK:
        landing_parts(o, o.s.space, space, sum)
        add(sum, BACK_SPACES, (o.s.space - space) * <float>0.2)
    elif kind == TAKE_DISCARD:
        number = o.s.discard[color][o.s.discards[color] - 1]
        if (playable(p, color) >> number) & 1:
            add(sum, TAKE_FITS, 1)
            if p.row.once[color]:
                add(sum, TAKE_SKIP, number - p.top[color] if number > p.top[color] else p.top[color] - number)
        if next_can_lay(o, color, number):
            add(sum, TAKE_DENIES, 1)


# -- all moves of a decision

ctypedef struct Known:
    # What moves of a decision have in common, worked out once.
    u8 is_landing[COLORS][SPACES]
    u8 is_walk[8]
    int card                    # the card that `laying` is of: cards come one after the other
    float landing[COLORS][SPACES]
    float landing_learned[COLORS][SPACES]
    float walk[8]
    float walk_learned[8]
    float laying, laying_learned


cdef void score_moves(const Tables* t, const KeltisState* s, const move_t* moves, int count, const float* learned,
                      float* scores) noexcept nogil:
    """The estimate of each move, with what was learned if there are weights."""
    cdef Outlook o
    cdef Known known
    cdef Laid laid
    cdef Sum sum
    cdef int i, kind, color, number, space
    cdef float slope = 0, score
    cdef float by_kind[KINDS]
    look(&o, t, s, s.turn, &t.policy.worth, fading(&t.policy.worth, turns_left(t, s)))
    sum.weights = learned
    sum.row = NULL
    if learned:
        o.ahead = standing_now(&o)
        slope = learned[ESTIMATE] + learned[ESTIMATE_LATE] * (1 - o.fade)
        for kind in range(PLAY_FIGURE, TAKE_DISCARD + 1):
            sum.total = 0
            kind_parts(&o, kind, &sum)
            by_kind[kind] = sum.total
    if move_kind(moves[0]) == PLAY_FIGURE or move_kind(moves[0]) == PLAY_PRIESTESS:
        memset(known.is_landing, 0, sizeof(known.is_landing))
        memset(known.is_walk, 0, sizeof(known.is_walk))
        known.card = -1
    for i in range(count):
        kind = move_kind(moves[i])
        sum.total = 0
        if kind == PLAY_FIGURE or kind == PLAY_PRIESTESS:
            color = move_color(moves[i])
            number = move_number(moves[i])
            space = move_space(moves[i])
            if known.card != (color << 8 | number):
                known.card = color << 8 | number
                laid = lay(&o, color, number)
                known.laying = laying(&o, &laid)
                if learned:
                    sum.total = 0
                    card_parts(&o, &laid, &sum)
                    known.laying_learned = sum.total
            if kind == PLAY_FIGURE:
                if not known.is_landing[color][space]:
                    known.is_landing[color][space] = True
                    known.landing[color][space] = landing(&o, space, t.next[space][color], DEEPEST)
                    if learned:
                        sum.total = 0
                        landing_parts(&o, space, t.next[space][color], &sum)
                        known.landing_learned[color][space] = sum.total
                score = known.landing[color][space] - known.laying
                if learned:
                    sum.total = known.landing_learned[color][space] + known.laying_learned
            else:
                if not known.is_walk[space]:
                    known.is_walk[space] = True
                    known.walk[space] = passing(&o, space)
                    if learned:
                        sum.total = 0
                        walk_parts(&o, space, &sum)
                        known.walk_learned[space] = sum.total
                score = known.walk[space] - known.laying
                if learned:
                    sum.total = known.walk_learned[space] + known.laying_learned
        else:
            score = estimate(&o, moves[i])
            if learned:
                other_parts(&o, moves[i], &sum)
        scores[i] = score
        if learned:
            scores[i] += slope * score + by_kind[kind] + sum.total


def move_features_of(State state not None):
    """The features of every legal move, in their order: a matrix of floats."""
    cdef const Tables* t = <const Tables*>state.game.tables
    cdef const KeltisState* s = <const KeltisState*>state.data
    cdef move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef Outlook o
    cdef Laid laid
    cdef Sum sum
    cdef int count = keltis_legal_moves(t, s, moves), i, kind, color, space
    cdef bytearray rows = bytearray(count * MOVE_FEATURES * sizeof(float))
    score_moves(t, s, moves, count, NULL, scores)
    look(&o, t, s, s.turn, &t.policy.worth, fading(&t.policy.worth, turns_left(t, s)))
    o.ahead = standing_now(&o)
    sum.weights = NULL
    for i in range(count):
        sum.row = <float*><char*>rows + i * MOVE_FEATURES
        kind = move_kind(moves[i])
        color = move_color(moves[i])
        space = move_space(moves[i])
        kind_parts(&o, kind, &sum)
        add(&sum, ESTIMATE, scores[i])
        add(&sum, ESTIMATE_LATE, scores[i] * (1 - o.fade))
        if kind == PLAY_FIGURE or kind == PLAY_PRIESTESS:
            laid = lay(&o, color, move_number(moves[i]))
            card_parts(&o, &laid, &sum)
            if kind == PLAY_FIGURE:
                landing_parts(&o, space, t.next[space][color], &sum)
            else:
                walk_parts(&o, space, &sum)
        else:
            other_parts(&o, moves[i], &sum)
    return memoryview(rows).cast("f", (count, MOVE_FEATURES))


# -- the functions of the contract

cdef inline const float* weights_of(const float* weights, bint learned) noexcept nogil:
    return weights if learned else NULL


cdef move_t keltis_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef int count = keltis_legal_moves(tables, state, moves)
    cdef int i
    cdef float left
    if count == 1:
        return moves[0]
    score_moves(t, <const KeltisState*>state, moves, count,
                weights_of(t.policy.playout, t.policy.playout_learned), scores)
    left = <float>rng_double(rng) * soften(scores, count, t.policy.playout_temperature, LEAST)
    for i in range(count):
        left -= scores[i]
        if left < 0:
            return moves[i]
    return moves[count - 1]


cdef void keltis_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef int i
    cdef float total
    score_moves(t, <const KeltisState*>state, moves, count,
                weights_of(t.policy.prior, t.policy.prior_learned), weights)
    total = soften(weights, count, t.policy.prior_temperature, LEAST)
    for i in range(count):
        weights[i] /= total
