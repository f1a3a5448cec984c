"""Planning a route; see route.pxd."""

from libc.string cimport memcpy, memset

from pythia.core_cy.bits cimport count_bits, lowest
from pythia.core_cy.delphi.rules cimport ALL_COLORS, crosses, owns, ship_range, storage
from pythia.core_cy.delphi.state cimport (
    DelphiState, FIGHT_EXPLORE_BUILD_REACH, OFFERING_REACH, Player, STATUE_REACH,
)
from pythia.core_cy.delphi.tables cimport (
    COLORS, MONSTER_ISLANDS, NONE, OFFERING_ISLANDS, STATUE_ISLANDS, TILES, Tables,
)
from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.types cimport u8, u16, u32, u64

cdef extern from *:
    """
    /* One cache for each thread: a route depends on its key alone, so threads need not share. */
    static __thread unsigned char pythia_routes[16384 * 64] __attribute__((aligned(64)));
    """
    unsigned char* pythia_routes

ctypedef struct CachedRoute:
    u64 key
    Route route

# Everything that a route depends on besides the errands.
ctypedef struct Surroundings:
    u64 board
    u8 monsters[MONSTER_ISLANDS]
    u8 offerings[OFFERING_ISLANDS]
    u8 statues[COLORS]
    u8 raised[STATUE_ISLANDS]
    u8 reach
    u8 flags
    u8 padding[3]

cdef enum:
    CACHED_ROUTES = 16384       # a power of 2
    MAX_RANGE = 8
    ALL_TILES = 0xFFF

cdef float[MAX_RANGE][MAX_SPACES] SAIL_DICE
# A space beyond the range costs a favor, or a share of one more die.
cdef float BEYOND_DICE = 0.36
# A fruitless exploration costs a sail and an action, and brings the reward of a letter.
cdef float SEARCH_DICE = 0.9
# What a load opens counts half when the next job is chosen: the way is shared with others.
cdef float CARRY_SHARE = 0.5


def _fill_sail_dice():
    for reach in range(MAX_RANGE):
        for spaces in range(MAX_SPACES):
            SAIL_DICE[reach][spaces] = 0 if spaces == 0 else 1 + BEYOND_DICE * max(0, spaces - reach)


_fill_sail_dice()
assert sizeof(CachedRoute) <= 64


cdef void make_planner(Planner* planner, const Tables* t, const DelphiState* s, int seat) noexcept nogil:
    cdef const Player* p = &s.players[seat]
    cdef Surroundings around
    planner.t = t
    planner.s = s
    planner.seat = seat
    planner.crossing = crosses(p)
    planner.reach = ship_range(p)
    planner.fight_reach = owns(p, FIGHT_EXPLORE_BUILD_REACH)
    planner.statue_reach = owns(p, STATUE_REACH)
    planner.offering_reach = owns(p, OFFERING_REACH)
    planner.sail_dice = &SAIL_DICE[planner.reach][0]
    memset(&around, 0, sizeof(Surroundings))
    around.board = t.key
    memcpy(around.monsters, s.monsters, sizeof(around.monsters))
    memcpy(around.offerings, s.offerings, sizeof(around.offerings))
    memcpy(around.statues, s.statues, sizeof(around.statues))
    memcpy(around.raised, s.raised, sizeof(around.raised))
    around.reach = <u8>planner.reach
    around.flags = <u8>(planner.crossing | planner.fight_reach << 1 | planner.statue_reach << 2
                        | planner.offering_reach << 3)
    planner.key = hash_bytes(&around, sizeof(Surroundings))


cdef void read_errands(const Planner* planner, Errands* e) noexcept nogil:
    cdef const DelphiState* s = planner.s
    cdef const Player* p = &s.players[planner.seat]
    cdef int slot, own = 0
    cdef u32 seen = s.face_up | p.knows
    e.ship = p.ship
    e.offering_tasks = p.offering_tasks
    e.any_offering = p.any_offering
    e.offerings_done = p.offerings_done
    e.offerings_aboard = p.offerings_aboard
    e.monster_tasks = p.monster_tasks
    e.any_monster = p.any_monster
    e.monsters_done = p.monsters_done
    e.statue_tasks = p.statue_tasks
    e.statues_done = p.statues_done
    e.statues_aboard = p.statues_aboard
    e.shrine_tasks = p.shrine_tasks
    e.room = <u8>(storage(p) - count_bits(p.offerings_aboard) - count_bits(p.statues_aboard))
    e.own_tiles = 0
    e.unseen = <u16>(~seen & ALL_TILES)
    for slot in range(TILES):
        if (seen >> slot) & 1 and s.tile[slot] // 3 == planner.seat:
            own += 1
            if not (s.shrines >> slot) & 1:
                e.own_tiles |= <u16>(1 << slot)
    e.unseen_own = <u8>(3 - own)


cdef bint nothing_left(const Errands* e) noexcept nogil:
    return (e.offering_tasks | e.any_offering | e.monster_tasks | e.any_monster | e.statue_tasks
            | e.shrine_tasks) == 0


cdef inline float sail_dice(const Planner* planner, int spaces) noexcept nogil:
    return planner.sail_dice[spaces if spaces < MAX_SPACES else MAX_SPACES - 1]


cdef inline void offer(Job* jobs, int* count, int most, int kind, int color, int slot, int hex, int stop,
                       int spaces, float cost) noexcept nogil:
    """Puts a job into its place among the best."""
    cdef int i = count[0]
    if i == most:
        if jobs[i - 1].cost <= cost:
            return
        i -= 1
    else:
        count[0] += 1
    while i > 0 and jobs[i - 1].cost > cost:
        jobs[i] = jobs[i - 1]
        i -= 1
    jobs[i].kind = <u8>kind
    jobs[i].color = <u8>color
    jobs[i].slot = <u8>slot
    jobs[i].hex = <u8>hex
    jobs[i].stop = <u8>stop
    jobs[i].spaces = <u8>spaces
    jobs[i].cost = cost


cdef inline float carry_statue(const Planner* planner, int stop, int color) noexcept nogil:
    """To the nearest free site of a color."""
    cdef const Tables* t = planner.t
    cdef int slot, best = NONE, spaces
    for slot in range(STATUE_ISLANDS):
        if (t.sites[slot] & ~planner.s.raised[slot]) >> color & 1:
            spaces = t.approach[planner.crossing][planner.statue_reach][stop][t.statue_hex[slot]]
            if spaces < best:
                best = spaces
    return sail_dice(planner, best)


cdef int list_jobs(const Planner* planner, const Errands* e, Job* jobs, int most) noexcept nogil:
    cdef const Tables* t = planner.t
    cdef const DelphiState* s = planner.s
    cdef const u8* spaces
    cdef const u8* stops
    cdef int count = 0, slot, color, hex
    cdef u32 needed, colors, places
    cdef float cost
    # monsters
    needed = (e.monster_tasks | (~e.monsters_done if e.any_monster else 0)) & ALL_COLORS
    if needed:
        spaces = t.approach[planner.crossing][planner.fight_reach][e.ship]
        stops = t.stop[planner.crossing][planner.fight_reach][e.ship]
        for slot in range(MONSTER_ISLANDS):
            colors = s.monsters[slot] & needed
            if colors:
                # A colored task is the scarcer one.
                if colors & e.monster_tasks:
                    colors &= e.monster_tasks
                hex = t.monster_hex[slot]
                offer(jobs, &count, most, JOB_FIGHT, lowest(colors), slot, hex, stops[hex], spaces[hex],
                      sail_dice(planner, spaces[hex]) + <float>0.2)
    # offerings aboard, and to load
    spaces = t.approach[planner.crossing][planner.offering_reach][e.ship]
    stops = t.stop[planner.crossing][planner.offering_reach][e.ship]
    colors = e.offerings_aboard
    while colors:
        color = lowest(colors)
        colors &= colors - 1
        hex = t.temple_hex[color]
        offer(jobs, &count, most, JOB_DELIVER, color, 0, hex, stops[hex], spaces[hex], sail_dice(planner, spaces[hex]))
    if e.room:
        needed = e.offering_tasks
        if e.any_offering and (e.offerings_aboard & ~e.offering_tasks) == 0:
            needed |= ~e.offerings_done
        needed &= ~e.offerings_aboard & ALL_COLORS
        if needed:
            for slot in range(OFFERING_ISLANDS):
                colors = s.offerings[slot] & needed
                hex = t.offering_hex[slot]
                while colors:
                    color = lowest(colors)
                    colors &= colors - 1
                    cost = sail_dice(planner, spaces[hex]) + CARRY_SHARE * sail_dice(
                        planner,
                        t.approach[planner.crossing][planner.offering_reach][stops[hex]][t.temple_hex[color]])
                    offer(jobs, &count, most, JOB_LOAD_OFFERING, color, slot, hex, stops[hex], spaces[hex], cost)
    # statues aboard, and to load
    spaces = t.approach[planner.crossing][planner.statue_reach][e.ship]
    stops = t.stop[planner.crossing][planner.statue_reach][e.ship]
    if e.statues_aboard:
        for slot in range(STATUE_ISLANDS):
            colors = e.statues_aboard & t.sites[slot] & ~s.raised[slot]
            if colors:
                hex = t.statue_hex[slot]
                offer(jobs, &count, most, JOB_RAISE, lowest(colors), slot, hex, stops[hex], spaces[hex],
                      sail_dice(planner, spaces[hex]))
    if e.room and count_bits(e.statues_aboard) < e.statue_tasks:
        colors = ~(e.statues_done | e.statues_aboard) & ALL_COLORS
        while colors:
            color = lowest(colors)
            colors &= colors - 1
            if s.statues[color]:
                hex = t.city_hex[color]
                cost = sail_dice(planner, spaces[hex]) + CARRY_SHARE * carry_statue(planner, stops[hex], color)
                offer(jobs, &count, most, JOB_LOAD_STATUE, color, 0, hex, stops[hex], spaces[hex], cost)
    # shrines
    if e.shrine_tasks:
        spaces = t.approach[planner.crossing][planner.fight_reach][e.ship]
        stops = t.stop[planner.crossing][planner.fight_reach][e.ship]
        places = e.own_tiles
        while places:
            slot = lowest(places)
            places &= places - 1
            hex = t.tile_hex[slot]
            offer(jobs, &count, most, JOB_SHRINE, t.tile_color[slot], slot, hex, stops[hex], spaces[hex],
                  sail_dice(planner, spaces[hex]))
        if e.unseen_own and count_bits(e.own_tiles) < e.shrine_tasks:
            places = e.unseen
            cost = <float>0.5 * search_dice(e)
            while places:
                slot = lowest(places)
                places &= places - 1
                hex = t.tile_hex[slot]
                offer(jobs, &count, most, JOB_SEARCH, t.tile_color[slot], slot, hex, stops[hex], spaces[hex],
                      sail_dice(planner, spaces[hex]) + cost)
    return count


cdef inline float fruitless_searches(const Errands* e) noexcept nogil:
    """Expected explorations before the next tile of one's own, that one not counted."""
    cdef int unseen = count_bits(e.unseen)
    return (unseen - e.unseen_own) / <float>(e.unseen_own + 1)


cdef float search_dice(const Errands* e) noexcept nogil:
    return SEARCH_DICE * fruitless_searches(e)


cdef void do_job(const Planner* planner, Errands* e, const Job* job) noexcept nogil:
    cdef u8 bit = <u8>(1 << job.color)
    cdef int gone
    e.ship = job.stop
    if job.kind == JOB_FIGHT:
        if e.monster_tasks & bit:
            e.monster_tasks &= ~bit
        else:
            e.any_monster = 0
        e.monsters_done |= bit
    elif job.kind == JOB_LOAD_OFFERING:
        e.offerings_aboard |= bit
        e.room -= 1
    elif job.kind == JOB_DELIVER:
        e.offerings_aboard &= ~bit
        e.room += 1
        if e.offering_tasks & bit:
            e.offering_tasks &= ~bit
        else:
            e.any_offering = 0
        e.offerings_done |= bit
    elif job.kind == JOB_LOAD_STATUE:
        e.statues_aboard |= bit
        e.room -= 1
    elif job.kind == JOB_RAISE:
        e.statues_aboard &= ~bit
        e.statues_done |= bit
        e.statue_tasks -= 1
        e.room += 1
    elif job.kind == JOB_SHRINE:
        e.own_tiles &= <u16>~(1 << job.slot)
        e.shrine_tasks -= 1
    else:
        # The search ends with the expected number of places gone and one tile of one's own found.
        gone = 1 + <int>(fruitless_searches(e) + <float>0.5)
        e.unseen &= <u16>~(1 << job.slot)
        while gone > 1 and e.unseen:
            e.unseen &= e.unseen - 1
            gone -= 1
        e.unseen_own -= 1
        e.shrine_tasks -= 1


cdef inline void add_leg(const Planner* planner, Route* route, int spaces) noexcept nogil:
    if spaces:
        route.sails += 1
        if spaces > planner.reach:
            route.beyond += spaces - planner.reach
        route.dice += sail_dice(planner, spaces)


cdef inline void add_job(const Planner* planner, Route* route, const Errands* e, const Job* job) noexcept nogil:
    cdef float searches
    add_leg(planner, route, job.spaces)
    route.actions += 1
    route.dice += 1
    if job.kind == JOB_SEARCH:
        searches = fruitless_searches(e)
        route.searches += searches
        route.dice += SEARCH_DICE * searches


cdef inline CachedRoute* cached(
    const Planner* planner, const Errands* errands, int first_jobs, u64* key
) noexcept nogil:
    """The place of a route in the cache, and the key that it has there if it is the one."""
    key[0] = errands_key(planner, errands, first_jobs)
    return &(<CachedRoute*>pythia_routes)[key[0] & (CACHED_ROUTES - 1)]


cdef void follow_route(const Planner* planner, const Errands* errands, Route* route) noexcept nogil:
    cdef u64 key
    cdef CachedRoute* entry = cached(planner, errands, 0, &key)
    if entry.key != key:
        memset(&entry.route, 0, sizeof(Route))
        walk_route(planner, errands[0], &entry.route)
        entry.key = key
    route.dice += entry.route.dice
    route.actions += entry.route.actions
    route.sails += entry.route.sails
    route.beyond += entry.route.beyond
    route.searches += entry.route.searches


cdef void walk_route(const Planner* planner, Errands e, Route* route) noexcept nogil:
    """Always the cheapest job next, then home to Zeus."""
    cdef Job job
    memset(&job, 0, sizeof(Job))
    while not nothing_left(&e):
        if list_jobs(planner, &e, &job, 1) == 0:
            # Cannot be done from here on (nothing of the color is left): a long way to go.
            route.dice += 20
            return
        add_job(planner, route, &e, &job)
        do_job(planner, &e, &job)
    add_leg(planner, route, planner.t.distance[planner.crossing][e.ship][planner.t.zeus])


cdef void plan_route(const Planner* planner, const Errands* errands, int first_jobs, Route* route) noexcept nogil:
    cdef Job jobs[MAX_FIRST_JOBS]
    cdef Errands after
    cdef Route candidate
    cdef int count, i
    cdef u64 key
    cdef CachedRoute* entry = cached(planner, errands, first_jobs, &key)
    if entry.key == key:
        route[0] = entry.route
        return
    memset(route, 0, sizeof(Route))
    count = 0 if nothing_left(errands) else list_jobs(planner, errands, jobs, first_jobs)
    if count == 0:
        follow_route(planner, errands, route)
        return
    for i in range(count):
        memset(&candidate, 0, sizeof(Route))
        candidate.first = jobs[i]
        add_job(planner, &candidate, errands, &jobs[i])
        after = errands[0]
        do_job(planner, &after, &jobs[i])
        follow_route(planner, &after, &candidate)
        if i == 0 or candidate.dice < route.dice:
            route[0] = candidate
    # Planning the candidates may have taken the place for another route.
    entry.route = route[0]
    entry.key = key
