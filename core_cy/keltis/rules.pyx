"""The rules of Keltis: Das Orakel; see rules.pxd, docs/keltis.md and the K numbers there.

A turn: lay out a card and move a figure or the priestess, or discard a card (PLAY); what the path tile asks for
(CLOVER_STEP, SPIRAL_BACK, GOBLIN_DROP, GOBLIN_SCORE); then draw until the hand has eight cards again (TAKE, DRAW).
"""

from pythia.core_cy.bits cimport lowest
from pythia.core_cy.game cimport CHANCE, NOBODY, state_t, tables_t
from pythia.core_cy.keltis.state cimport (
    BACK, CLOVER_STEP, DECLINE, DISCARD, DRAW, DRAW_CARD, DROP_HAND, DROP_ROW, GOBLIN_DROP, GOBLIN_SCORE,
    KeltisState, NO_COLOR, OVER, PLAY, PLAY_FIGURE, PLAY_PRIESTESS, Player, SCORE, SPIRAL_BACK, STEP, TAKE,
    TAKE_DISCARD, TAKE_PILE, add_card, count_card, move_color, move_kind, move_number, move_space, pack, remove_card,
)
from pythia.core_cy.keltis.tables cimport (
    CLOVER, COLORS, FIGURES, GOBLIN, LAST_SPACE, MIRROR, NUMBERS, POINTS, SPIRAL, Tables, WISH,
)
from pythia.core_cy.rng cimport Rng, rng_below
from pythia.core_cy.types cimport move_t, u8, u16, u32

from pythia.core_cy.keltis import components

assert MAX_ROUNDS == components.MAX_ROUNDS


cdef int keltis_to_act(tables_t tables, state_t state) noexcept nogil:
    cdef const KeltisState* s = <const KeltisState*>state
    if s.phase == DRAW:
        return CHANCE
    if s.phase == OVER:
        return NOBODY
    return s.turn


# -- legal moves

cdef int list_plays(const Tables* t, const KeltisState* s, const Player* p, move_t* moves) noexcept nogil:
    """Every card with everything it can move, every card as a discard, and the goblin scoring."""
    cdef int color, number, figure, steps, reach, n = 0
    cdef u32 cards
    cdef u8 spaces[FIGURES]
    cdef int movable
    for color in range(COLORS):
        if not p.hand.once[color]:
            continue
        # Figures on one space are alike.
        movable = 0
        for figure in range(FIGURES):
            if t.next[p.figures[figure]][color] and not (figure and p.figures[figure] == p.figures[figure - 1]):
                spaces[movable] = p.figures[figure]
                movable += 1
        cards = p.hand.once[color] & playable(p, color)
        while cards:
            number = lowest(cards)
            cards &= cards - 1
            for figure in range(movable):
                moves[n] = pack(PLAY_FIGURE, color, number, spaces[figure])
                n += 1
            reach = t.reach[number]
            if reach > LAST_SPACE - s.priestess:
                reach = LAST_SPACE - s.priestess
            for steps in range(1, reach + 1):
                moves[n] = pack(PLAY_PRIESTESS, color, number, steps)
                n += 1
    n += list_hand(p, DISCARD, moves + n)
    if goblin_points(t, p):
        moves[n] = pack(SCORE, 0, 0, 0)
        n += 1
    return n


cdef int list_hand(const Player* p, int kind, move_t* moves) noexcept nogil:
    cdef int color, n = 0
    cdef u32 cards
    for color in range(COLORS):
        cards = p.hand.once[color]
        while cards:
            moves[n] = pack(kind, color, lowest(cards), 0)
            cards &= cards - 1
            n += 1
    return n


cdef inline bint alike(const KeltisState* s, const Player* p, int figure, int other) noexcept nogil:
    """Whether nothing tells two figures apart: they stand, began and used spirals alike."""
    return (p.figures[figure] == p.figures[other] and s.began[figure] == s.began[other]
            and s.used[figure] == s.used[other])


cdef int figures_on(const KeltisState* s, const Player* p, int space, int* found) noexcept nogil:
    """The figures on a space that can be told apart: first the one that came to the tile, then as they are sorted."""
    cdef int figure, i, n = 0
    if p.figures[s.mover] == space:
        found[0] = s.mover
        n = 1
    for figure in range(FIGURES):
        if p.figures[figure] == space:
            for i in range(n):
                if alike(s, p, figure, found[i]):
                    break
            else:
                found[n] = figure
                n += 1
    return n


cdef int list_steps(const Tables* t, const KeltisState* s, const Player* p, move_t* moves) noexcept nogil:
    """The figure that landed on the clover, or in the variant any own figure (K12), steps on."""
    cdef int color = t.detail[s.space]
    cdef int found[FIGURES]
    cdef int figure, space, which, n = 0
    if not t.any_figure:
        if t.next[s.space][color]:
            moves[0] = pack(STEP, 0, 0, s.space)
            n = 1
        return n
    for figure in range(FIGURES):
        space = p.figures[figure]
        if t.next[space][color] and not (figure and space == p.figures[figure - 1]):
            for which in range(figures_on(s, p, space, found)):
                moves[n] = pack(STEP, 0, which, space)
                n += 1
    return n


cdef int list_backs(const KeltisState* s, move_t* moves) noexcept nogil:
    """Any space behind, the start stone included, but not where this figure began the turn (K10)."""
    cdef int space, n = 0
    for space in range(s.space):
        if space != s.began[s.mover]:
            moves[n] = pack(BACK, 0, 0, space)
            n += 1
    return n


cdef int keltis_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const KeltisState* s = <const KeltisState*>state
    cdef const Player* p = &s.players[s.turn]
    cdef int color, n = 0
    if s.phase == PLAY:
        return list_plays(t, s, p, moves)
    if s.phase == TAKE:
        moves[0] = pack(TAKE_PILE, 0, 0, 0)
        n = 1
        for color in range(COLORS):
            if s.discards[color] and color != s.blocked:
                moves[n] = pack(TAKE_DISCARD, color, 0, 0)
                n += 1
        return n
    if s.phase == CLOVER_STEP:
        n = list_steps(t, s, p, moves)
    elif s.phase == SPIRAL_BACK:
        n = list_backs(s, moves)
    elif s.phase == GOBLIN_DROP:
        n = list_hand(p, DROP_HAND, moves)
        for color in range(COLORS):
            if p.row.once[color]:
                moves[n] = pack(DROP_ROW, color, 0, 0)
                n += 1
    elif s.phase == GOBLIN_SCORE:
        moves[0] = pack(SCORE, 0, 0, 0)
        n = 1
    moves[n] = pack(DECLINE, 0, 0, 0)
    return n + 1


cdef move_t keltis_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef move_t moves[MAX_MOVES]
    cdef int count = keltis_legal_moves(tables, state, moves)
    return moves[rng_below(rng, <u32>count)]


# -- cards

cdef void leave_hand(KeltisState* s, Player* p, int color, int number) noexcept nogil:
    """A card leaves the hand, to be replaced at the end of the turn."""
    # If it was one that everyone knows of, one less is known; equal cards cannot be told apart.
    if (p.known.once[color] >> number) & 1:
        remove_card(&p.known, color, number)
    remove_card(&p.hand, color, number)
    s.draws += 1


cdef void put_on_discard(KeltisState* s, int color, int number) noexcept nogil:
    s.discard[color][s.discards[color]] = <u8>number
    s.discards[color] += 1
    s.blocked = <u8>color


cdef void lay_out(KeltisState* s, Player* p, int color, int number) noexcept nogil:
    """A card goes from the hand to its row, whose direction the first different card decides (K9)."""
    leave_hand(s, p, color, number)
    if p.row.once[color] and number != p.top[color]:
        p.direction[color] = 1 if number > p.top[color] else -1
    add_card(&p.row, color, number)
    p.top[color] = <u8>number


cdef void drop_from_row(KeltisState* s, Player* p, int color) noexcept nogil:
    """The last card of a row is discarded. What is left says whether there is still a direction."""
    cdef u32 left
    put_on_discard(s, color, p.top[color])
    remove_card(&p.row, color, p.top[color])
    left = p.row.once[color]
    if left == 0:
        p.top[color] = 0
    elif not (left >> p.top[color]) & 1:
        if p.direction[color] > 0:
            while not (left >> p.top[color]) & 1:
                p.top[color] -= 1
        else:
            p.top[color] = <u8>lowest(left)
    if left & (left - 1) == 0:
        p.direction[color] = 0


# -- figures

cdef bint goal_reached(const Tables* t, const KeltisState* s) noexcept nogil:
    cdef int seat, here, total = 0
    for seat in range(t.players):
        here = in_goal(t, &s.players[seat])
        if here == FIGURES:
            return True
        total += here
    return total >= t.figures_in_goal


cdef void begin_chain(KeltisState* s, const Player* p) noexcept nogil:
    """A figure is about to move: each has its own space where it began, and no spiral is used yet (K10)."""
    cdef int figure
    for figure in range(FIGURES):
        s.began[figure] = p.figures[figure]
        s.used[figure] = 0


cdef inline bint is_before(const KeltisState* s, const Player* p, int figure, int other) noexcept nogil:
    """The order of figures: farthest first, then who began farthest, then by spirals used."""
    if p.figures[figure] != p.figures[other]:
        return p.figures[figure] > p.figures[other]
    if s.began[figure] != s.began[other]:
        return s.began[figure] > s.began[other]
    return s.used[figure] < s.used[other]


cdef inline void swap_figures(KeltisState* s, Player* p, int figure, int other) noexcept nogil:
    p.figures[figure], p.figures[other] = p.figures[other], p.figures[figure]
    s.began[figure], s.began[other] = s.began[other], s.began[figure]
    s.used[figure], s.used[other] = s.used[other], s.used[figure]


cdef inline void order(KeltisState* s, Player* p, int first) noexcept nogil:
    """Swaps a figure and the next one if they are in the wrong order; `mover` stays the same figure."""
    if is_before(s, p, first + 1, first):
        swap_figures(s, p, first, first + 1)
        if s.mover == first:
            s.mover += 1
        elif s.mover == first + 1:
            s.mover -= 1


cdef void sort_figures(KeltisState* s, Player* p) noexcept nogil:
    order(s, p, 0)
    order(s, p, 1)
    order(s, p, 0)
    # Of those that are alike it is the first.
    while s.mover and alike(s, p, s.mover, s.mover - 1):
        s.mover -= 1


cdef int first_on(const Player* p, int space) noexcept nogil:
    if p.figures[0] == space:
        return 0
    return 1 if p.figures[1] == space else 2


cdef void move_figure(const Tables* t, KeltisState* s, Player* p, int figure, int to) noexcept nogil:
    p.figures[figure] = <u8>to
    s.mover = <u8>figure
    sort_figures(s, p)
    land(t, s, p, to)


cdef void land(const Tables* t, KeltisState* s, Player* p, int space) noexcept nogil:
    """The figure that moves has come to a space: the end of the game, or what lies there."""
    cdef int tile = t.tile[space]
    cdef int detail = t.detail[space]
    cdef move_t moves[4]
    s.space = <u8>space
    s.phase = TAKE
    if space >= t.goal and goal_reached(t, s):
        # At once: what lies there does not count any more (K11).
        s.phase = OVER
    elif tile == POINTS:
        p.score += <u16>detail
    elif tile == CLOVER:
        if list_steps(t, s, p, moves):
            s.phase = CLOVER_STEP
    elif tile == SPIRAL:
        # Once for each figure in a turn (K10), or a clover and a spiral could lead round and round.
        if not (s.used[s.mover] >> detail) & 1 and not (space == 1 and s.began[s.mover] == 0):
            s.used[s.mover] |= <u8>(1 << detail)
            sort_figures(s, p)
            s.phase = SPIRAL_BACK
    elif tile == GOBLIN:
        s.phase = GOBLIN_DROP
    elif tile == MIRROR:
        if not (s.mirrors_taken >> detail) & 1:
            s.mirrors_taken |= <u8>(1 << detail)
            p.mirrors += 1
    elif tile == WISH:
        if s.stones[detail]:
            s.stones[detail] -= 1
            p.stones += 1


cdef void after_drop(const Tables* t, KeltisState* s, const Player* p) noexcept nogil:
    s.phase = GOBLIN_SCORE if goblin_points(t, p) else TAKE


cdef void score_goblins(const Tables* t, Player* p) noexcept nogil:
    p.score += <u16>goblin_points(t, p)
    p.goblin_scored = 1


# -- the turn

cdef void end_turn(const Tables* t, KeltisState* s) noexcept nogil:
    s.blocked = NO_COLOR
    if s.turn + 1 < t.players:
        s.turn += 1
    elif s.round == MAX_ROUNDS:
        s.phase = OVER
        return
    else:
        s.turn = 0
        s.round += 1
    s.phase = PLAY


cdef void card_drawn(const Tables* t, KeltisState* s) noexcept nogil:
    s.draws -= 1
    if s.pile_count == 0:
        # The last card ends the game after this turn, in which nothing is left that could score (K11).
        s.phase = OVER
    elif s.draws:
        s.phase = TAKE
    else:
        end_turn(t, s)


cdef void settle(KeltisState* s) noexcept nogil:
    """Forgets what only mattered for the tile, so that equal positions are equal in memory."""
    cdef int figure
    if s.phase != CLOVER_STEP and s.phase != SPIRAL_BACK:
        s.mover = 0
        for figure in range(FIGURES):
            s.began[figure] = s.used[figure] = 0
        if s.phase != GOBLIN_DROP:
            s.space = 0
    if s.phase == OVER:
        s.blocked = NO_COLOR


cdef void keltis_apply(tables_t tables, void* state, move_t move) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef KeltisState* s = <KeltisState*>state
    cdef Player* p = &s.players[s.turn]
    cdef int kind = move_kind(move)
    cdef int color = move_color(move)
    cdef int number = move_number(move)
    cdef int space = move_space(move)
    cdef int found[FIGURES]
    if kind == DRAW_CARD:
        remove_card(&s.pile, color, number)
        s.pile_count -= 1
        add_card(&p.hand, color, number)
        card_drawn(t, s)
    elif kind == TAKE_PILE:
        s.phase = DRAW
    elif kind == TAKE_DISCARD:
        s.discards[color] -= 1
        number = s.discard[color][s.discards[color]]
        s.discard[color][s.discards[color]] = 0
        add_card(&p.hand, color, number)
        add_card(&p.known, color, number)
        card_drawn(t, s)
    elif kind == PLAY_FIGURE:
        lay_out(s, p, color, number)
        begin_chain(s, p)
        move_figure(t, s, p, first_on(p, space), t.next[space][color])
    elif kind == PLAY_PRIESTESS:
        lay_out(s, p, color, number)
        s.priestess += <u8>space
        if stands_on(p, s.priestess):
            p.score += t.oracle_bonus
        s.phase = TAKE
    elif kind == DISCARD:
        leave_hand(s, p, color, number)
        put_on_discard(s, color, number)
        s.phase = TAKE
    elif kind == SCORE:
        score_goblins(t, p)
        if s.phase == GOBLIN_SCORE:
            s.phase = TAKE
    elif kind == STEP:
        figures_on(s, p, space, found)
        move_figure(t, s, p, found[number], t.next[space][t.detail[s.space]])
    elif kind == BACK:
        move_figure(t, s, p, s.mover, space)
    elif kind == DROP_HAND:
        leave_hand(s, p, color, number)
        put_on_discard(s, color, number)
        after_drop(t, s, p)
    elif kind == DROP_ROW:
        drop_from_row(s, p, color)
        after_drop(t, s, p)
    elif s.phase == GOBLIN_DROP:
        after_drop(t, s, p)
    else:
        s.phase = TAKE
    settle(s)


# -- chance

cdef int keltis_chance_outcomes(tables_t tables, state_t state, move_t* outcomes, double* probabilities) noexcept nogil:
    cdef const KeltisState* s = <const KeltisState*>state
    cdef int color, number, n = 0
    cdef u32 cards
    for color in range(COLORS):
        cards = s.pile.once[color]
        while cards:
            number = lowest(cards)
            cards &= cards - 1
            outcomes[n] = pack(DRAW_CARD, color, number, 0)
            probabilities[n] = count_card(&s.pile, color, number) / <double>s.pile_count
            n += 1
    return n


cdef move_t keltis_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    """Any of the 110 cards, until one is in the pile: the same luck so mostly draws the same card from two piles."""
    cdef const KeltisState* s = <const KeltisState*>state
    cdef int card, color, number
    cdef u32 cards
    while True:
        card = <int>rng_below(rng, 2 * COLORS * NUMBERS)
        color = (card >> 1) // NUMBERS
        number = (card >> 1) % NUMBERS
        cards = s.pile.twice[color] if card & 1 else s.pile.once[color]
        if (cards >> number) & 1:
            return pack(DRAW_CARD, color, number, 0)


# -- the end

cdef int final_score(const Tables* t, const Player* p) noexcept nogil:
    cdef int figure, points = p.score + t.wish_value[p.stones] * (1 + p.mirrors)
    for figure in range(FIGURES):
        points += t.value[p.figures[figure]]
    return points


cdef void keltis_returns(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef int ranks[4]
    cdef int seat, winners = 0
    keltis_ranks(tables, state, ranks)
    for seat in range((<const Tables*>tables).players):
        winners += ranks[seat] == 1
    for seat in range((<const Tables*>tables).players):
        values[seat] = 1.0 / winners if ranks[seat] == 1 else 0.0


cdef void keltis_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const KeltisState* s = <const KeltisState*>state
    cdef int seat, other, points
    for seat in range(t.players):
        points = final_score(t, &s.players[seat])
        ranks[seat] = 1
        for other in range(t.players):
            ranks[seat] += final_score(t, &s.players[other]) > points
