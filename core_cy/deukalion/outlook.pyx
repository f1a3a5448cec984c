"""What a seat can do next; see outlook.pxd.

A goal is something to do at some place: an order to fulfil, a city to loot, a settlement to found, the Styx. It is
worth what it brings, times a factor for every turn that it takes; the best few count.
"""

from libc.math cimport powf
from libc.string cimport memset

from pythia.core_cy.bits cimport lowest
from pythia.core_cy.deukalion.rules cimport come_back, has_ship, orders_for, sail_range, treasures_aboard
from pythia.core_cy.deukalion.state cimport DeukalionState, KYLIX, Player
from pythia.core_cy.deukalion.tables cimport (
    BEAT_HYDRA, COLORS, CREW, FIGHTERS, GOLDEN_FLEECE, HALVES, HAND, KINDS, MIDAS, PEGASUS, PERMANENT, Tables,
    Task, TREASURES, Weights,
)
from pythia.core_cy.types cimport u8, u32

cdef enum:
    FEW = 5                 # fighters below which each counts more


cdef float fade(const Weights* w, float turns) noexcept nogil:
    return powf(w.turn, turns)


cdef float chance_to_reach(const Tables* t, int fighters, int halves) noexcept nogil:
    if halves <= 0:
        return 1
    return t.reach[fighters][halves] if halves < HALVES else 0


cdef float chance_to_beat(const Tables* t, int fighters, int other, int ahead) noexcept nogil:
    ahead += HALVES // 2
    if ahead < 0:
        ahead = 0
    elif ahead >= HALVES:
        ahead = HALVES - 1
    return t.beats[fighters][other][ahead]


cdef bint styx_majority(const Tables* t, const DeukalionState* s, int seat) noexcept nogil:
    cdef int other
    for other in range(t.players):
        if other != seat and s.players[other].underworld >= s.players[seat].underworld:
            return False
    return True


cdef float fighters_worth(const Weights* w, int fighters, int underworld) noexcept nogil:
    cdef int few = FEW - fighters if fighters < FEW else 0
    return w.fighter * fighters - w.few_fighters * few + w.fighter_lost * underworld


cdef float throw_cost(const Tables* t, const Player* p) noexcept nogil:
    """What a throw of all fighters costs: those that fall cross up."""
    cdef int lost = <int>(t.face[0] * p.fighters + <float>0.5)
    return (fighters_worth(&t.weights, p.fighters, p.underworld)
            - fighters_worth(&t.weights, p.fighters - lost, p.underworld + lost))


# -- goals

cdef inline void add_goal(Outlook* o, float worth, const u8* steps, bint deed) noexcept nogil:
    cdef Goal* goal
    if worth > 0 and o.goals < MAX_GOALS:
        goal = &o.goal[o.goals]
        goal.worth = worth
        goal.steps = steps
        goal.deed = deed
        o.goals += 1


cdef void treasure_goal(Outlook* o, const Task* task, float points) noexcept nogil:
    """Bring treasures: what is missing costs turns; what is aboard would bring a victory card each anyway."""
    cdef const Player* p = &o.s.players[o.seat]
    cdef int color, missing = 0, wrong
    cdef float gain
    for color in range(COLORS):
        if task.colors[color] > p.treasures[color]:
            missing += task.colors[color] - p.treasures[color]
    if task.any and o.treasures < task.number:
        missing = task.number - o.treasures if task.number - o.treasures > missing else missing
    # Midas turns others into the right ones.
    wrong = o.treasures - (task.number - missing)
    if wrong > o.midas:
        wrong = o.midas
    if wrong > 0:
        missing = missing - wrong if missing > wrong else 0
    gain = points - o.w.treasure * (task.number - missing)
    if gain <= 0:
        return
    if missing:
        gain *= fade(o.w, o.w.missing * missing)
        for color in range(COLORS):
            if task.colors[color] > p.treasures[color] and gain * <float>0.6 > o.wanted[color]:
                o.wanted[color] = gain * <float>0.6
    add_goal(o, gain, o.t.to_anchor, False)


cdef void task_goal(Outlook* o, const Task* task, float points) noexcept nogil:
    """The goals that a task sets."""
    cdef const Tables* t = o.t
    cdef const Player* p = &o.s.players[o.seat]
    cdef int other, short
    cdef float chance
    if task.kind == TREASURES:
        treasure_goal(o, task, points)
    elif task.kind == CREW:
        short = task.number - p.fighters
        if p.fighters + come_back(t, p, FIGHTERS) >= task.number:
            add_goal(o, points * fade(o.w, o.w.crew_missing * (short if short > 0 else 0)), t.to_city[task.city], False)
    elif task.kind == HAND:
        short = task.number - p.hand_count
        add_goal(o, points * fade(o.w, o.w.cards_missing * (short if short > 0 else 0)) - o.w.cards_paid * task.number,
                 t.to_city[task.city], False)
    elif task.kind == BEAT_HYDRA:
        chance = chance_to_reach(t, p.fighters, t.hydra_halves - o.bonus)
        add_goal(o, points * chance, t.distance[o.s.hydra], False)
    elif p.fighters:
        for other in range(t.players):
            if other != o.seat and has_ship(&o.s.players[other]) and t.sea >> o.s.players[other].ship & 1:
                chance = chance_to_beat(t, p.fighters, o.s.players[other].fighters,
                                        o.bonus - 2 * o.s.players[other].permanent[GOLDEN_FLEECE])
                add_goal(o, points * chance * <float>0.8, t.distance[o.s.players[other].ship], True)


cdef void place_goals(Outlook* o) noexcept nogil:
    """Cities to loot and settlements to take."""
    cdef const Tables* t = o.t
    cdef const DeukalionState* s = o.s
    cdef const Player* p = &s.players[o.seat]
    cdef int place, color
    cdef float worth, best
    for place in range(t.cities):
        best = 0
        for color in range(COLORS):
            if s.cities[place][color]:
                worth = treasure_worth(o, color)
                if worth > best:
                    best = worth
        if best > 0 and p.fighters:
            # Ten places: the more treasures wait to be delivered, the less another one helps.
            add_goal(o, best * chance_to_reach(t, p.fighters, t.city_halves[place] - o.bonus)
                     / (1 + <float>0.2 * o.treasures) - o.lost, t.to_city[place], True)
    for place in range(t.settlements):
        worth = o.w.found * t.garrison[place]
        if s.garrison[place] == 0:
            if p.fighters >= t.garrison[place]:
                add_goal(o, worth - o.w.fighter * t.garrison[place], t.to_settlement[place], True)
        elif s.owner[place] != o.seat and p.fighters > t.garrison[place]:
            # What another player loses counts as well, shared by all who gain from it.
            worth *= 1 + <float>1.0 / (t.players - 1)
            add_goal(o, worth * chance_to_reach(t, p.fighters, t.settlement_halves[place] - o.bonus) - o.lost,
                     t.to_settlement[place], True)


cdef void look(Outlook* o, const Tables* t, const DeukalionState* s, int seat) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef u32 orders
    cdef int order, back
    cdef float points, gain
    o.t = t
    o.w = &t.weights
    o.s = s
    o.seat = seat
    o.bonus = 2 * p.permanent[GOLDEN_FLEECE]
    o.pace = 2 + p.permanent[PEGASUS]
    o.midas = p.hand[MIDAS]
    o.treasures = treasures_aboard(p)
    o.lost = throw_cost(t, p)
    o.goals = 0
    o.reach = -1
    o.may_act = True
    if seat == s.mover and s.roll and s.now.kind != KYLIX:
        o.reach = 0 if s.sailed or s.acted else sail_range(t, s)
        o.may_act = not s.acted
    memset(o.wanted, 0, sizeof(o.wanted))
    if not has_ship(p):
        return
    orders = orders_for(s, seat)
    while orders:
        order = lowest(orders)
        orders &= orders - 1
        points = t.points[order] * (o.w.own_order if p.order == order else o.w.open_order)
        task_goal(o, &t.tasks[order][0], points)
        task_goal(o, &t.tasks[order][1], points)
    if o.treasures:
        add_goal(o, (o.w.deliver - o.w.treasure) * o.treasures, t.to_anchor, False)
    place_goals(o)
    if p.underworld:
        back = come_back(t, p, FIGHTERS)
        gain = (fighters_worth(o.w, p.fighters + back, p.underworld - back)
                - fighters_worth(o.w, p.fighters, p.underworld))
        if back and s.victory_cards and styx_majority(t, s, seat):
            gain += o.w.styx * t.styx_reward
        add_goal(o, gain, t.to_styx, False)


cdef inline float turns_to(const Outlook* o, int steps, int reach, bint possible) noexcept nogil:
    """Turns until something so far away can be done; 0 is now."""
    if reach >= 0 and possible and steps <= reach:
        return 0
    if reach >= 0:
        steps -= reach
        if steps < 0:
            steps = 0
    # The next turn, and more where one is not enough; nearer is surer.
    if steps > o.pace:
        return 1 + (steps - o.pace) / o.pace
    return <float>0.7 + <float>0.3 * steps / o.pace


cdef float goals_from(const Outlook* o, int square, int reach, bint may_act) noexcept nogil:
    cdef float best = 0, second = 0, third = 0, worth
    cdef int i
    for i in range(o.goals):
        worth = o.goal[i].worth * fade(o.w, turns_to(o, o.goal[i].steps[square], reach, may_act or not o.goal[i].deed))
        if worth > best:
            third = second
            second = best
            best = worth
        elif worth > second:
            third = second
            second = worth
        elif worth > third:
            third = worth
    return best + o.w.second_goal * second + o.w.third_goal * third


cdef float treasure_worth(const Outlook* o, int color) noexcept nogil:
    return o.w.treasure + o.w.loot_fit * (o.wanted[color] > 0) + o.wanted[color]


cdef float conquest_risk(const Outlook* o, int place) noexcept nogil:
    """How likely another player conquers a settlement: the best throw among them, less for every turn to get there."""
    cdef const Tables* t = o.t
    cdef const Player* q
    cdef float most = 0, risk
    cdef int other
    for other in range(t.players):
        q = &o.s.players[other]
        if other != o.seat and q.fighters and has_ship(q):
            risk = chance_to_reach(t, q.fighters, t.settlement_halves[place] - 2 * q.permanent[GOLDEN_FLEECE])
            risk *= fade(o.w, t.to_settlement[place][q.ship] / <float>(2 + q.permanent[PEGASUS]))
            if risk > most:
                most = risk
    return most


cdef float holdings(const Outlook* o) noexcept nogil:
    cdef const Tables* t = o.t
    cdef const DeukalionState* s = o.s
    cdef const Player* p = &s.players[o.seat]
    cdef float worth = p.victory_cards + p.order_points
    cdef int i
    for i in range(t.settlements):
        if s.garrison[i] and s.owner[i] == o.seat:
            worth += (1 + o.w.settlement + o.w.settlement_risk * conquest_risk(o, i)) * s.garrison[i]
    worth += fighters_worth(o.w, p.fighters, p.underworld) + o.w.treasure * o.treasures
    for i in range(KINDS):
        worth += o.w.card[i] * p.hand[i]
    for i in range(PERMANENT):
        worth += o.w.permanent[i] * p.permanent[i]
    return worth
