"""How good a position is: a race to the target; see outlook.pxd for what counts, weights.py for how much."""

from libc.math cimport powf

from pythia.core_cy.deukalion.outlook cimport (
    Outlook, fighters_worth, goals_from, holdings, look, styx_majority, treasure_worth,
)
from pythia.core_cy.deukalion.rules cimport come_back, deukalion_returns
from pythia.core_cy.deukalion.state cimport (
    ACT, ASK, DRAWING, DeukalionState, FOLLOW, LOOT, NONE, OVER, Player, SPOILS, STEALING, STYX,
)
from pythia.core_cy.deukalion.tables cimport COLORS, FIGHTERS, Tables
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.types cimport u8


cdef float best_treasure(const Outlook* o, const u8* treasures) noexcept nogil:
    cdef float best = 0
    cdef int color
    for color in range(COLORS):
        if treasures[color] and treasure_worth(o, color) > best:
            best = treasure_worth(o, color)
    return best


cdef float open_worth(const Outlook* o) noexcept nogil:
    """What the open decision will bring: it must not look worse to have it than to have made it."""
    cdef const DeukalionState* s = o.s
    cdef float worth = 0
    if s.mover == s.turn and s.sail_die:
        worth = dice_worth(o)
    if s.now.seat != o.seat:
        return worth
    return worth + decision_worth(o)


cdef float dice_worth(const Outlook* o) noexcept nogil:
    """What the dice that the active player has not used yet will bring the seat."""
    cdef const DeukalionState* s = o.s
    cdef const Player* p = &s.players[o.seat]
    cdef float worth = 0
    cdef int back
    if not s.card_used:
        if s.card_die == 3 and o.seat == s.turn or s.card_die == 1 and o.seat != s.turn:
            worth += o.w.steal
    if o.seat == s.turn and not s.fighters_used:
        back = come_back(o.t, p, s.fighters_die)
        worth += (fighters_worth(o.w, p.fighters + back, p.underworld - back)
                  - fighters_worth(o.w, p.fighters, p.underworld))
    return worth


cdef float decision_worth(const Outlook* o) noexcept nogil:
    cdef const Tables* t = o.t
    cdef const DeukalionState* s = o.s
    cdef const Player* p = &s.players[o.seat]
    cdef float worth = 0, other
    cdef int kind = s.now.kind, back
    if kind == LOOT:
        return best_treasure(o, s.cities[s.now.item])
    if kind == SPOILS:
        worth = best_treasure(o, s.players[s.now.item].treasures)
        other = o.w.steal if s.players[s.now.item].hand_count else <float>0
        return worth if worth > other else other
    if kind == STEALING or kind == DRAWING:
        return o.w.steal
    if kind == STYX:
        back = come_back(t, p, FIGHTERS)
        worth = (fighters_worth(o.w, p.fighters + back, p.underworld - back)
                 - fighters_worth(o.w, p.fighters, p.underworld))
        if back and styx_majority(t, s, o.seat):
            back = t.styx_reward if t.styx_reward < s.victory_cards else s.victory_cards
            worth += back
        return worth
    if kind == ASK:
        return t.points[s.revealed] * <float>0.5
    if (kind == FOLLOW or kind == ACT) and o.reach > 0:
        return o.w.tempo
    return 0


cdef float standing(const Tables* t, const DeukalionState* s, int seat) noexcept nogil:
    """Points, those that are as good as made among them."""
    cdef Outlook o
    cdef float worth
    look(&o, t, s, seat)
    worth = holdings(&o)
    if s.players[seat].ship != NONE:
        worth += goals_from(&o, s.players[seat].ship, o.reach, o.may_act)
        worth += open_worth(&o)
    return worth


cdef inline float to_go(const Tables* t, const DeukalionState* s, int seat) noexcept nogil:
    cdef float left = t.target - standing(t, s, seat)
    return left if left > t.weights.least else t.weights.least


cdef double drawn(const Tables* t, const DeukalionState* s, float needed) noexcept nogil:
    """How likely the game is a draw by length (D34), when the first in the race needs this number of rounds.

    It makes exchanges that bring nobody nearer to the target costly for who is ahead. With twice the rounds needed
    still to come there is no danger.
    """
    cdef double left = t.max_rounds - s.round + 1 - <double>s.turn / t.players
    return 1 - left / (2 * needed) if left < 2 * needed else 0


cdef void deukalion_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int seat
    cdef double total = 0
    cdef float left, least = t.target
    cdef double draw
    if s.now.kind == OVER:
        deukalion_returns(tables, state, values)
        return
    for seat in range(t.players):
        left = to_go(t, s, seat)
        if left < least:
            least = left
        values[seat] = powf(left, -t.weights.power)
        total += values[seat]
    draw = drawn(t, s, least / t.weights.pace)
    for seat in range(t.players):
        values[seat] = (1 - draw) * values[seat] / total + draw / t.players


cdef void deukalion_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DeukalionState* s = <const DeukalionState*>state
    cdef int seat
    for seat in range(t.players):
        rounds[seat] = 0 if s.now.kind == OVER else to_go(t, s, seat) / t.weights.pace
