"""The facts of components.py as C arrays; see tables.pxd."""

from libc.string cimport memset

from pythia.core_cy.game cimport Game
from pythia.core_cy.types cimport u8, u16, u32, u64

from collections import Counter
from itertools import product
from math import factorial

from pythia.core_cy.deukalion import components, weights

assert components.MAX_COLORS == COLORS
assert components.MAX_CITIES == CITIES
assert components.MAX_SETTLEMENTS == SETTLEMENTS
assert len(components.CARDS) == KINDS and len(components.PERMANENT) == PERMANENT
assert components.MAX_CARDS == CARDS
assert components.MAX_ORDERS == ORDERS
assert components.MAX_PLAYERS == MAX_SEATS
assert components.MAX_SQUARES == SQUARES
assert components.MAX_FIGHTERS == FIGHTERS

cdef dict TASK_KINDS = {"treasures": TREASURES, "defeat": DEFEAT, "hydra": BEAT_HYDRA, "fighters": CREW, "cards": HAND}


cdef u64 bits(object squares):
    cdef u64 found = 0
    for square in squares:
        found |= <u64>1 << <int>square
    return found


cdef u64 water_near(object facts, object place):
    """The water squares that touch a place."""
    near = [other for square in place.squares for other in facts.touching(square)]
    return bits([square for square in near if facts.letters[square] in components.WATER])


cdef int fill_map(Tables* t, object facts) except -1:
    cdef int square
    t.width = facts.width
    t.squares = len(facts.letters)
    t.height = t.squares // t.width
    t.anchors = bits(facts.squares_of(components.ANCHOR))
    t.styx = bits(facts.squares_of(components.STYX))
    t.sea = bits(facts.squares_of(components.SEA))
    t.water = t.anchors | t.styx | t.sea
    t.not_left = bits([square for square in facts.squares if square % facts.width])
    t.not_right = bits([square for square in facts.squares if (square + 1) % facts.width])
    memset(t.distance, FAR, sizeof(t.distance))
    memset(t.hydra_distance, FAR, sizeof(t.hydra_distance))
    for square in facts.squares:
        t.near[square] = bits(facts.touching(square))
        if facts.letters[square] in components.WATER:
            for other, steps in facts.distances(square).items():
                t.distance[square][<int>other] = steps
            t.ship_ring[square] = bits([o for o, steps in facts.distances(square).items() if steps == facts.displace])
        if facts.letters[square] == components.SEA:
            away = facts.distances(square, components.SEA)
            for other, steps in away.items():
                t.hydra_distance[square][<int>other] = steps
            t.hydra_ring[square] = bits([other for other, steps in away.items() if steps == facts.displace])
    t.hydra_start = facts.hydra_start
    t.cities = len(facts.cities)
    for i, city in enumerate(facts.cities):
        t.slots[<int>i] = city.slots
        t.city_halves[<int>i] = 2 * city.value
        t.city_near[<int>i] = water_near(facts, city)
    t.settlements = len(facts.settlements)
    for i, settlement in enumerate(facts.settlements):
        t.garrison[<int>i] = settlement.fighters
        t.settlement_halves[<int>i] = 2 * settlement.value
        t.settlement_near[<int>i] = water_near(facts, settlement)
    for square in range(t.squares):
        for i in range(t.cities):
            t.cities_here[square] |= <u8>((t.city_near[<int>i] >> square & 1) << <int>i)
        for i in range(t.settlements):
            t.settlements_here[square] |= <u8>((t.settlement_near[<int>i] >> square & 1) << <int>i)
    return 0


cdef int fill_orders(Tables* t, object facts) except -1:
    cdef int order, part, square, city
    cdef u16 bit
    cities = [place.name for place in facts.cities]
    t.orders = len(facts.orders)
    for order in range(t.orders):
        bit = <u16>(1 << order)
        t.points[order] = facts.orders[order].points
        for part in range(2):
            task = facts.orders[order].tasks[part]
            t.tasks[order][part].kind = TASK_KINDS[task.kind]
            if task.kind == "treasures":
                t.treasure_orders |= bit
                t.tasks[order][part].number = len(task.colors)
                t.tasks[order][part].any = task.colors.count(components.ANY)
                for i, color in enumerate(facts.colors):
                    t.tasks[order][part].colors[<int>i] = task.colors.count(color)
            elif task.kind == "defeat":
                t.defeat_orders |= bit
            elif task.kind == "hydra":
                t.hydra_orders |= bit
            else:
                city = cities.index(task.city)
                t.tasks[order][part].number = task.number
                t.tasks[order][part].city = <u8>city
                for square in range(t.squares):
                    if t.city_near[city] >> square & 1:
                        t.here[square] |= bit
    return 0


cdef int fill_throws(Tables* t, tuple throw) except -1:
    """Multinomial: a number of fighters, each up, down or half."""
    cdef int fighters, n, up, half, value, score
    cdef Throw* found
    cdef double total
    for i in range(3):
        t.face[<int>i] = throw[i] / 100
    for fighters in range(FIGHTERS + 1):
        found = &t.throws[fighters]
        n = 0
        total = 0
        for up in range(fighters + 1):
            for half in range(fighters - up + 1):
                down = fighters - up - half
                ways = factorial(fighters) // (factorial(up) * factorial(down) * factorial(half))
                probability = ways * throw[0] ** up * throw[1] ** down * throw[2] ** half / 100 ** fighters
                if probability == 0:
                    continue
                found.up[n] = <u8>up
                found.half[n] = <u8>half
                found.probability[n] = probability
                total += found.probability[n]
                found.below[n] = <u32>min(0xFFFFFFFF, int(total * 2.0 ** 32))
                n += 1
        found.count = <u8>n
        found.below[n - 1] = 0xFFFFFFFF
        for value in range(HALVES):
            t.reach[fighters][value] = 0
            for i in range(n):
                score = 2 * (fighters - found.up[<int>i]) - found.half[<int>i]
                if score >= value:
                    t.reach[fighters][value] += <float>found.probability[<int>i]
    for fighters in range(FIGHTERS + 1):
        for other in range(FIGHTERS + 1):
            for value in range(HALVES):
                t.beats[fighters][<int>other][value] = beating(t, fighters, other, value - HALVES // 2)
    return 0


cdef float beating(const Tables* t, int fighters, int other, int ahead) noexcept:
    """P(own points > the other's), with extra halves from cards."""
    cdef const Throw* theirs = &t.throws[other]
    cdef int i, needed
    cdef double chance = 0
    for i in range(theirs.count):
        needed = 2 * (other - theirs.up[i]) - theirs.half[i] - ahead + 1
        if needed <= 0:
            chance += theirs.probability[i]
        elif needed < HALVES:
            chance += theirs.probability[i] * t.reach[fighters][needed]
    return <float>chance


def throw_tables(Game game):
    """P(points in halves reached | fighters), and P(win | own fighters, the other's, halves ahead by cards).

    The second is by halves ahead from `-(HALVES // 2)` up.
    """
    cdef const Tables* t = <const Tables*>game.tables
    reach = [[t.reach[own][value] for value in range(HALVES)] for own in range(FIGHTERS + 1)]
    beats = [
        [[t.beats[own][other][value] for value in range(HALVES)] for other in range(FIGHTERS + 1)]
        for own in range(FIGHTERS + 1)
    ]
    return reach, beats


cdef int fill_ways(Tables* t) except -1:
    """Steps to the nearest square from which something can be done."""
    cdef int square, i
    for square in range(t.squares):
        for i in range(t.cities):
            t.to_city[i][square] = nearest(t, square, t.city_near[i])
        for i in range(t.settlements):
            t.to_settlement[i][square] = nearest(t, square, t.settlement_near[i])
        t.to_anchor[square] = nearest(t, square, t.anchors)
        t.to_styx[square] = nearest(t, square, t.styx)
    return 0


cdef u8 nearest(const Tables* t, int square, u64 goals) noexcept:
    cdef int goal
    cdef u8 least = FAR
    for goal in range(t.squares):
        if goals >> goal & 1 and t.distance[square][goal] < least:
            least = t.distance[square][goal]
    return least


cdef int fill_weights(Tables* t, dict values) except -1:
    cdef Weights* w = &t.weights
    cdef int i
    w.settlement = values["settlement"]
    w.settlement_risk = values["settlement_risk"]
    w.fighter = values["fighter"]
    w.few_fighters = values["few_fighters"]
    w.fighter_lost = values["fighter_lost"]
    w.deliver = values["deliver"]
    w.open_order = values["open_order"]
    w.own_order = values["own_order"]
    w.missing = values["missing"]
    w.crew_missing = values["crew_missing"]
    w.cards_missing = values["cards_missing"]
    w.cards_paid = values["cards_paid"]
    w.treasure = values["treasure"]
    w.loot_fit = values["loot_fit"]
    w.found = values["found"]
    w.second_goal = values["second_goal"]
    w.third_goal = values["third_goal"]
    w.styx = values["styx"]
    w.turn = values["turn"]
    w.steal = values["steal"]
    w.tempo = values["tempo"]
    w.power = values["power"]
    w.least = values["least"]
    w.pace = values["pace"]
    for i in range(KINDS):
        w.card[i] = values[components.CARDS[i]]
    for i in range(PERMANENT):
        w.permanent[i] = values[f"{components.CARDS[i]}_played"]
    return 0


def smallest(ring):
    """The ring, written from where it is smallest."""
    return min(tuple(ring[i:]) + tuple(ring[:i]) for i in range(len(ring)))


cdef int fill_rolls(Tables* t) except -1:
    cdef int n = 0
    counts = Counter()
    for i, dice in enumerate(product((1, 2, 3), repeat=5)):
        roll = sum(shown << (2 * place) for place, shown in enumerate((dice[0], *smallest(dice[1:]))))
        counts[roll] += 1
        t.roll[<int>i] = roll
    assert len(counts) == ROLLS
    for roll, ways in sorted(counts.items()):
        t.rolls[n] = roll
        t.roll_probability[n] = ways / <double>DICE
        n += 1
    return 0


cdef int fill_tables(Tables* t, object facts, int players, tuple throw) except -1:
    cdef int i
    memset(t, 0, sizeof(Tables))
    t.players = <u8>players
    t.colors = len(facts.colors)
    t.target = facts.target[players]
    t.fighters = facts.fighters
    t.places = facts.places
    t.per_color = facts.treasures_per_color
    t.victory_cards = facts.victory_cards
    t.styx_reward = facts.styx_reward[players]
    t.open_orders = facts.open_orders
    t.displace = facts.displace
    t.rest = facts.rest
    t.charon = facts.charon
    t.wind = facts.wind
    t.max_rounds = facts.max_rounds
    t.hydra_halves = 2 * facts.hydra_value
    t.cry_halves = 2 * facts.cry
    for i in range(KINDS):
        t.copies[i] = facts.copies[i]
    fill_map(t, facts)
    fill_orders(t, facts)
    fill_throws(t, throw)
    fill_rolls(t)
    fill_ways(t)
    fill_weights(t, weights.WEIGHTS)
    return 0
