"""Scores of moves; see policy.pxd. They are differences of the evaluation, put together without playing the moves."""


from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.keltis.evaluate cimport (
    GOBLIN_1, OPEN, ORACLE_FAR, ORACLE_NEAR, PLAYS, chain, fading, figure_worth, openness,
    turns_left, wish_worth,
)
from pythia.core_cy.keltis.rules cimport (
    MAX_MOVES, final_score, goblin_points, in_goal, keltis_legal_moves, stands_on,
)
from pythia.core_cy.keltis.state cimport (
    BACK, CLOVER_STEP, Cards, DISCARD, DROP_HAND, DROP_ROW, KeltisState, PLAY_FIGURE, PLAY_PRIESTESS, Player, SCORE,
    STEP, TAKE_DISCARD, TAKE_PILE, add_card, move_color, move_kind, move_number, move_space, remove_card,
)
from pythia.core_cy.keltis.tables cimport (
    CLOVER, COLORS, FIGURES, GOBLIN, MIRROR, POINTS, SPIRAL, Tables, WISH,
)
from pythia.core_cy.rng cimport Rng, rng_double
from pythia.core_cy.softmax cimport soften
from pythia.core_cy.types cimport move_t, u32

# The least weight of a move, beside the best.
cdef float LEAST = 1e-4

cdef enum:
    DEEPEST = 2             # clovers and spirals that are followed one after the other

# Ending the game ahead of all others, or not.
cdef float ENDS_WELL = 30.0


ctypedef struct Outlook:
    # What the scores of one decision share.
    const Tables* t
    const KeltisState* s
    const Player* p
    float fade
    int goblins             # figures on goblin spaces
    int others_in_goal
    float play              # what a card that can be played is worth
    float open              # what a whole open color is worth


cdef void look(Outlook* o, const Tables* t, const KeltisState* s, float fade) noexcept nogil:
    cdef int seat, figure
    o.t = t
    o.s = s
    o.p = &s.players[s.turn]
    o.fade = fade
    o.goblins = o.others_in_goal = 0
    for figure in range(FIGURES):
        o.goblins += t.tile[o.p.figures[figure]] == GOBLIN
    for seat in range(t.players):
        if seat != s.turn:
            o.others_in_goal += in_goal(t, &s.players[seat])
    o.play = t.weight[PLAYS] * fade
    o.open = t.weight[OPEN] * fade


# -- figures

cdef inline float goblin_worth(const Outlook* o, int goblins) noexcept nogil:
    return o.t.weight[GOBLIN_1 + goblins - 1] * o.fade if goblins and not o.p.goblin_scored else 0


cdef inline float oracle_worth(const Outlook* o, int space) noexcept nogil:
    """What a figure there can get from the priestess."""
    if space <= o.s.priestess:
        return 0
    return o.fade * o.t.weight[ORACLE_NEAR if space <= o.s.priestess + 5 else ORACLE_FAR]


cdef inline float standing(const Outlook* o, int space) noexcept nogil:
    """A figure on a space, without the tile; two on one space share what the priestess brings."""
    return figure_worth(o.t, space, o.fade) + oracle_worth(o, space)


cdef float end_worth(const Outlook* o, int space, int to) noexcept nogil:
    """What it is worth that the game ends with a figure's move: much, if it is won; 0 if the game goes on."""
    cdef const Tables* t = o.t
    cdef int own = in_goal(t, o.p) - (space >= t.goal) + 1
    cdef int seat, points
    if own < FIGURES and own + o.others_in_goal < t.figures_in_goal:
        return 0
    points = final_score(t, o.p) - t.value[space] + t.value[to]
    for seat in range(t.players):
        if seat != o.s.turn and final_score(t, &o.s.players[seat]) >= points:
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
            gain += wish_worth(t, p.stones + 1, p.mirrors, o.fade) - wish_worth(t, p.stones, p.mirrors, o.fade)
        return gain
    if tile == MIRROR:
        if not (o.s.mirrors_taken >> detail) & 1:
            gain += wish_worth(t, p.stones, p.mirrors + 1, o.fade) - wish_worth(t, p.stones, p.mirrors, o.fade)
        return gain
    if tile == GOBLIN:
        return gain + t.goblin_drop * o.fade
    if depth == 0:
        return gain
    if tile == CLOVER:
        if t.next[to][detail]:
            more = landing(o, to, t.next[to][detail], depth - 1)
            if more > 0:
                gain += more
        return gain
    if tile == SPIRAL and not (o.s.used[o.s.mover] >> detail) & 1:
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
    look(&o, t, s, fade)
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


# -- cards

cdef float laying(const Outlook* o, int color, int number) noexcept nogil:
    """What the cards lose that are left, when this one is laid out."""
    cdef const Player* p = o.p
    cdef bint empty = p.row.once[color] == 0
    cdef int direction = p.direction[color]
    cdef int before, after
    cdef Cards hand
    before = chain(&p.hand, color, empty, p.top[color], direction)
    hand = p.hand
    remove_card(&hand, color, number)
    if not empty and number != p.top[color]:
        direction = 1 if number > p.top[color] else -1
    after = chain(&hand, color, False, number, direction)
    return (o.play * (before - after)
            + o.open * (openness(empty, p.top[color], p.direction[color]) - openness(False, number, direction)))


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


cdef float gift(const Outlook* o, int color, int number) noexcept nogil:
    """What a discarded card gives to the next player, by its row."""
    cdef const Player* p = &o.s.players[o.s.turn + 1 if o.s.turn + 1 < o.t.players else 0]
    if p.direction[color] > 0:
        return o.t.gift if number >= p.top[color] and number <= p.top[color] + 3 else 0
    if p.direction[color] < 0:
        return o.t.gift if number <= p.top[color] and number + 3 >= p.top[color] else 0
    return o.t.gift if p.row.once[color] else o.t.gift * <float>0.5


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
            change -= o.t.weight[ORACLE_NEAR if space <= s.priestess + 5 else ORACLE_FAR]
            if space > to:
                change += o.t.weight[ORACLE_NEAR if space <= to + 5 else ORACLE_FAR]
        total += o.fade * (change if seat == s.turn else -change / (o.t.players - 1))
    return total + (o.t.oracle_bonus if stands_on(o.p, to) else 0)


# -- moves

cdef float score_move(const Outlook* o, move_t move) noexcept nogil:
    cdef const Tables* t = o.t
    cdef const KeltisState* s = o.s
    cdef int kind = move_kind(move)
    cdef int color = move_color(move)
    cdef int number = move_number(move)
    cdef int space = move_space(move)
    if kind == PLAY_FIGURE:
        return landing(o, space, t.next[space][color], DEEPEST) - laying(o, color, number)
    if kind == PLAY_PRIESTESS:
        return passing(o, space) - laying(o, color, number)
    if kind == DISCARD or kind == DROP_HAND:
        return -holding(o, color, number, True) - gift(o, color, number)
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


cdef void score_moves(const Tables* t, const KeltisState* s, const move_t* moves, int count,
                      float* scores) noexcept nogil:
    cdef Outlook o
    cdef int i
    look(&o, t, s, fading(t, turns_left(t, s)))
    for i in range(count):
        scores[i] = score_move(&o, moves[i])


# -- the functions of the contract

cdef move_t keltis_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef int count = keltis_legal_moves(tables, state, moves)
    cdef int i
    cdef float left
    if count == 1:
        return moves[0]
    score_moves(<const Tables*>tables, <const KeltisState*>state, moves, count, scores)
    left = <float>rng_double(rng) * soften(scores, count, (<const Tables*>tables).playout_temperature, LEAST)
    for i in range(count):
        left -= scores[i]
        if left < 0:
            return moves[i]
    return moves[count - 1]


cdef void keltis_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef int i
    cdef float total
    score_moves(<const Tables*>tables, <const KeltisState*>state, moves, count, weights)
    total = soften(weights, count, (<const Tables*>tables).prior_temperature, LEAST)
    for i in range(count):
        weights[i] /= total
