"""The rules of The Oracle of Delphi. R numbers refer to docs/rules.md.

A turn is a base phase (START or ACT) with a stack of frames above it: decisions that an action
opened, chance events, and effects that wait their turn. `apply` plays one move or outcome and then
settles: effects at the top that happen by themselves are resolved, frames with nothing to decide
are dropped, until somebody or chance has to decide.
"""

from libc.string cimport memset

from pythia.core_cy.bits cimport count_bits, lowest
from pythia.core_cy.delphi.state cimport *
from pythia.core_cy.delphi.tables cimport (
    BLACK, BLUE, COLORS, GREEN, NONE, Near, OFFERING_ISLANDS, PINK, RED, TILES, Tables, WATER_PER_COLOR, YELLOW,
)
from pythia.core_cy.game cimport CHANCE, NOBODY, state_t, tables_t
from pythia.core_cy.rng cimport Rng, rng_below
from pythia.core_cy.types cimport move_t, u8, u16, u32, u64

from pythia.core_cy.delphi import components

cdef enum:
    ALL_TILES = 0xFFF

# -- the facts of components.py, and that the C code counts them in the same order

assert components.COLORS == ("red", "black", "pink", "blue", "yellow", "green")
assert (RED, BLACK, PINK, BLUE, YELLOW, GREEN) == tuple(range(COLORS)) and len(components.COLORS) == COLORS
assert components.LETTERS == ("phi", "psi", "sigma", "omega") and (PHI, PSI, SIGMA, OMEGA) == (0, 1, 2, 3)
assert components.COMPANION_KINDS == ("hero", "demigod", "creature") and (HERO, DEMIGOD, CREATURE) == (0, 1, 2)
assert components.MAX_PLAYERS == MAX_SEATS
assert (components.TOP_ROW, components.MAX_SHIELD) == (TOP_ROW, MAX_SHIELD)
for place, name in (
    (SHIP_SHIELD, "shield"), (SHIP_GODS, "gods"), (SHIP_RANGE, "range"), (SHIP_TWO_WAY_RECOLOR, "two_way_recolor"),
    (SHIP_FAVOR, "favor"), (SHIP_ELEVEN_TASKS, "eleven_tasks"), (SHIP_CHEAP_RECOLOR, "cheap_recolor"),
    (SHIP_EQUIPPED, "equipped"),
):
    assert components.SHIP_TILE_IDS[place] == name
assert len(components.SHIP_TILE_IDS) == SHIP_TILES
for place, name in (
    (FAVOR_ON_YELLOW, "favor_on_yellow"), (FAVOR_ON_RED, "favor_on_red"), (FAVOR_ON_BLACK, "favor_on_black"),
    (EXTRA_ACTION, "extra_action"), (PINK_BUNDLE, "pink_bundle"), (GREEN_BUNDLE, "green_bundle"),
    (BLUE_BUNDLE, "blue_bundle"), (WINDFALL, "windfall"), (RANGE_PLUS_1, "range_plus_1"),
    (STATUE_REACH, "statue_reach"), (FIGHT_EXPLORE_BUILD_REACH, "fight_explore_build_reach"),
    (OFFERING_REACH, "offering_reach"), (GOD_STEP_ON_REWARD, "god_step_on_reward"), (SCOUT_CARD, "scout"),
    (CROSS_SHALLOWS, "cross_shallows"), (INJURY_TOLERANCE, "injury_tolerance"),
    (STORAGE_AND_SHIELD, "storage_and_shield"), (TAKE_OFFERING_A, "take_offering_a"),
    (TAKE_OFFERING_B, "take_offering_b"), (TAKE_STATUE_A, "take_statue_a"), (TAKE_STATUE_B, "take_statue_b"),
    (GOD_TO_TOP, "god_to_top"),
):
    assert components.EQUIPMENT_IDS[place] == name
assert len(components.EQUIPMENT_IDS) == EQUIPMENT_CARDS
assert (components.SAIL_RANGE, components.RANGE_OF_SHIP) == (SAIL_RANGE, RANGE_OF_SHIP)
assert (components.RANGE_OF_CREATURE, components.EXTRA_ACTION_COST) == (CREATURE_RANGE, EXTRA_ACTION_COST)
assert (components.RECOVER_AT_ONE_COLOR, components.RECOVER_AT_ALL) == (RECOVER_AT_ONE_COLOR, RECOVER_AT_ALL)
assert components.MORE_TOLERANCE == (1, 2) and components.STORAGE_OF_CARD == 1
for number, ship in enumerate(components.SHIP_TILES):
    assert ship.storage == (LARGE_STORAGE if number == SHIP_TWO_WAY_RECOLOR else STORAGE)

assert len(components.ISLAND_TILES) == TILES
for number, island_tile in enumerate(components.ISLAND_TILES):
    TILE_LETTER[number] = components.LETTERS.index(island_tile.letter)

# The colors, or the colors of the gods, that a one-time card lets its owner choose from, as bits.
cdef u8[EQUIPMENT_CARDS] CARD_CHOICES
for number, card_facts in enumerate(components.EQUIPMENT):
    CARD_CHOICES[number] = 0
    for name in (*card_facts.colors, *map(components.COLOR_OF_GOD.get, card_facts.gods)):
        CARD_CHOICES[number] |= <u8>(1 << <int>components.COLORS.index(name))


# ---------------------------------------------------------------- who acts

cdef int delphi_to_act(tables_t tables, state_t state) noexcept nogil:
    cdef const DelphiState* s = <const DelphiState*>state
    cdef const Frame* top
    if s.frames:
        top = &s.stack[s.frames - 1]
        if top.kind >= ROLL:
            return CHANCE
        return top.seat
    if s.phase == OVER:
        return NOBODY
    return s.turn


cdef bint must_recover(const Player* p) noexcept nogil:
    """3 injuries of one color or 6 in all; with `injury_tolerance` 4 or 8 (R8)."""
    cdef int tolerance = owns(p, INJURY_TOLERANCE)
    cdef int color, total = 0
    for color in range(COLORS):
        if p.injuries[color] >= RECOVER_AT_ONE_COLOR + tolerance:
            return True
        total += p.injuries[color]
    return total >= RECOVER_AT_ALL + 2 * tolerance


cdef inline bint is_uninjured(const Player* p) noexcept nogil:
    cdef int color
    for color in range(COLORS):
        if p.injuries[color]:
            return False
    return True


# ---------------------------------------------------------------- legal moves

# The looks of a position, kept apart from the other moves: most of an early move list is pairs.
cdef void list_look_pairs(const Tables* t, u32 tiles, bint single, Looks* looks) noexcept nogil:
    """Every pair of the tiles by (r, q); a lone tile if `single` allows (R27)."""
    cdef u32 first = tiles, second
    cdef int a
    looks.pairs = 0
    if single and tiles and (tiles & (tiles - 1)) == 0:
        looks.pair[0] = pack(LOOK, 0, 0, 0, t.tile_hex[lowest(tiles)], NONE)
        looks.pairs = 1
        return
    while first:
        a = lowest(first)
        first &= first - 1
        second = first
        while second:
            looks.pair[looks.pairs] = pack(LOOK, 0, 0, 0, t.tile_hex[a], t.tile_hex[lowest(second)])
            looks.pairs += 1
            second &= second - 1


cdef int list_colored_actions(const Tables* t, const DelphiState* s, int seat, int color,
                              move_t* actions) noexcept nogil:
    """The actions other than sailing that a die used as `color` allows, without their source."""
    cdef const Player* p = &s.players[seat]
    cdef u32 bit = 1 << color
    cdef u32 places
    cdef int n = 0, slot
    cdef const Near* near = &t.near[owns(p, FIGHT_EXPLORE_BUILD_REACH)][p.ship]
    if monsters_needed(p) & bit:
        places = near.monsters
        while places:
            slot = lowest(places)
            places &= places - 1
            if s.monsters[slot] & bit:
                actions[n] = pack(FIGHT_MONSTER, 0, 0, color, t.monster_hex[slot], 0)
                n += 1
    places = near.tiles & t.tiles_of_color[color]
    while places:
        slot = lowest(places)
        places &= places - 1
        if not (s.face_up >> slot) & 1:
            actions[n] = pack(EXPLORE, 0, 0, color, t.tile_hex[slot], 0)
            n += 1
        elif p.shrine_tasks and s.tile[slot] // 3 == seat and not (s.shrines >> slot) & 1:
            actions[n] = pack(BUILD, 0, 0, color, t.tile_hex[slot], 0)
            n += 1
    near = &t.near[owns(p, OFFERING_REACH)][p.ship]
    if near.offerings and offerings_needed(p) & bit and has_room(p):
        places = near.offerings
        while places:
            slot = lowest(places)
            places &= places - 1
            if s.offerings[slot] & bit:
                actions[n] = pack(LOAD_OFFERING, 0, 0, color, t.offering_hex[slot], 0)
                n += 1
    if near.temples & p.offerings_aboard & bit:
        actions[n] = pack(DELIVER, 0, 0, color, t.temple_hex[color], 0)
        n += 1
    near = &t.near[owns(p, STATUE_REACH)][p.ship]
    if near.cities & bit and s.statues[color] and statues_needed(p) & bit and has_room(p):
        actions[n] = pack(LOAD_STATUE, 0, 0, color, t.city_hex[color], 0)
        n += 1
    if p.statues_aboard & bit:
        places = near.statues
        while places:
            slot = lowest(places)
            places &= places - 1
            if t.sites[slot] & ~s.raised[slot] & bit:
                actions[n] = pack(RAISE, 0, 0, color, t.statue_hex[slot], 0)
                n += 1
    if p.injuries[color]:
        actions[n] = pack(HEAL_INJURIES, 0, 0, color, 0, 0)
        n += 1
    if p.gods[color] < TOP_ROW:
        actions[n] = pack(ADVANCE, 0, 0, color, 0, 0)
        n += 1
    if owns_bundle(p, color):
        actions[n] = pack(BUNDLE, 0, 0, color, 0, 0)
        n += 1
    return n


cdef inline bint owns_bundle(const Player* p, int color) noexcept nogil:
    if color == PINK:
        return owns(p, PINK_BUNDLE)
    if color == GREEN:
        return owns(p, GREEN_BUNDLE)
    return color == BLUE and owns(p, BLUE_BUNDLE)


cdef inline int list_sails(const Tables* t, const Player* p, u32 head, int color, int reach, bint any_color,
                           move_t* moves) noexcept nogil:
    """Destinations within reach: of the used color, or of every color with a creature (R12, R15, R16)."""
    cdef bint crossing = crosses(p)
    cdef const u8* distance = t.distance[crossing][p.ship]
    cdef const u8* nearest
    cdef u32 base = head | pack(SAIL, 0, 0, color, 0, 0)
    cdef int n = 0, rank, hex, target
    cdef int first = 0 if any_color else color
    cdef int last = COLORS if any_color else color + 1
    for target in range(first, last):
        nearest = t.nearest[crossing][p.ship][target]
        for rank in range(WATER_PER_COLOR):
            hex = nearest[rank]
            if distance[hex] > reach:
                break
            if hex != p.ship:
                moves[n] = base | pack(0, 0, 0, 0, hex, 0)
                n += 1
    if all_tasks_done(p) and p.ship != t.zeus and distance[t.zeus] <= reach:
        moves[n] = base | pack(0, 0, 0, 0, t.zeus, 0)
        n += 1
    return n


cdef int list_god_actions(const Tables* t, const DelphiState* s, int seat, move_t* moves) noexcept nogil:
    """Special actions of the gods on the top row, or the card instead (R23)."""
    cdef const Player* p = &s.players[seat]
    cdef int n = 0, god, slot, color
    cdef u32 places, colors
    for god in range(COLORS):
        if p.gods[god] != TOP_ROW:
            continue
        if god == BLUE:         # Poseidon
            if not p.arrived:
                for color in range(COLORS):
                    for slot in range(WATER_PER_COLOR):
                        if t.nearest[0][t.zeus][color][slot] != p.ship:
                            moves[n] = pack(SAIL, GOD, god, god, t.nearest[0][t.zeus][color][slot], 0)
                            n += 1
                if all_tasks_done(p) and p.ship != t.zeus:
                    moves[n] = pack(SAIL, GOD, god, god, t.zeus, 0)
                    n += 1
        elif god == YELLOW:     # Apollon
            moves[n] = pack(INSPIRE, GOD, god, god, 0, 0)
            n += 1
        elif god == GREEN:      # Artemis
            places = ~s.face_up & ALL_TILES
            while places:
                moves[n] = pack(EXPLORE, GOD, god, god, t.tile_hex[lowest(places)], 0)
                n += 1
                places &= places - 1
        elif god == RED:        # Aphrodite
            if not is_uninjured(p):
                moves[n] = pack(HEAL_INJURIES, GOD, god, god, 0, 0)
                n += 1
        elif god == BLACK:      # Ares
            places = t.near[owns(p, FIGHT_EXPLORE_BUILD_REACH)][p.ship].monsters
            while places:
                slot = lowest(places)
                places &= places - 1
                colors = s.monsters[slot] & monsters_needed(p)
                while colors:
                    moves[n] = pack(FIGHT_MONSTER, GOD, god, lowest(colors), t.monster_hex[slot], 0)
                    n += 1
                    colors &= colors - 1
        else:                   # Hermes
            if t.near[owns(p, STATUE_REACH)][p.ship].cities and has_room(p):
                colors = statues_needed(p)
                while colors:
                    color = lowest(colors)
                    colors &= colors - 1
                    if s.statues[color]:
                        moves[n] = pack(LOAD_STATUE, GOD, god, color, 0, 0)
                        n += 1
        moves[n] = pack(DRAW, GOD, god, god, 0, 0)
        n += 1
    return n


cdef int list_actions(const Tables* t, const DelphiState* s, move_t* moves, Looks* looks) noexcept nogil:
    cdef int seat = s.turn
    cdef const Player* p = &s.players[seat]
    cdef move_t actions[COLORS][MAX_ACTIONS]
    cdef int counts[COLORS]
    cdef u8 costs[COLORS]
    cdef int n = 0, source, color, used, i, left
    cdef int reach = ship_range(p)
    cdef u32 head
    cdef bint dice_used = True, creature
    for used in range(COLORS):
        counts[used] = list_colored_actions(t, s, seat, used, actions[used])
    list_look_pairs(t, ~s.face_up & ~p.knows & ALL_TILES, True, looks)
    looks.lookers = 0
    for source in range(DIE, EXTRA):
        if source == CARD and p.card_played != NONE:
            continue        # one card a turn (R9)
        for color in range(COLORS):
            if not (p.dice_left[color] if source == DIE else p.oracle_cards[color]):
                continue
            head = in_hand(source, color)
            use_costs(p, color, costs)
            for used in range(COLORS):
                if costs[used] > p.favor:
                    continue
                for i in range(counts[used]):
                    moves[n + i] = actions[used][i] | head
                n += counts[used]
                if not p.arrived:
                    creature = has_companion(p, used, CREATURE)
                    left = p.favor - costs[used]
                    n += list_sails(
                        t, p, head, used, reach + left + (CREATURE_RANGE if creature else 0), creature, &moves[n]
                    )
            moves[n] = pack(DRAW, source, color, color, 0, 0)
            moves[n + 1] = pack(TAKE_FAVOR, source, color, color, 0, 0)
            n += 2
            looks.looker[looks.lookers] = head | (<u32>color << 12)
            looks.lookers += 1
            if source == DIE:
                dice_used = False
    if owns(p, EXTRA_ACTION) and not p.extra_used and p.favor >= EXTRA_ACTION_COST:
        for used in range(COLORS):
            head = in_hand(EXTRA, used)
            for i in range(counts[used]):
                moves[n + i] = actions[used][i] | head
            n += counts[used]
            if not p.arrived:
                n += list_sails(t, p, head, used, reach + p.favor - EXTRA_ACTION_COST, False, &moves[n])
        moves[n] = pack(DRAW, EXTRA, NO_COLOR, NO_COLOR, 0, 0)
        moves[n + 1] = pack(TAKE_FAVOR, EXTRA, NO_COLOR, NO_COLOR, 0, 0)
        n += 2
        looks.looker[looks.lookers] = in_hand(EXTRA, NO_COLOR) | (<u32>NO_COLOR << 12)
        looks.lookers += 1
    n += list_god_actions(t, s, seat, &moves[n])
    if dice_used:
        moves[n] = pack(END, 0, 0, 0, 0, 0)
        n += 1
    return n


cdef int list_recoveries(const Player* p, move_t* moves) noexcept nogil:
    """Every way to discard exactly 3 injuries (R8)."""
    cdef int a, b, c, n = 0
    for a in range(COLORS):
        if not p.injuries[a]:
            continue
        for b in range(a, COLORS):
            if p.injuries[b] < 1 + (b == a):
                continue
            for c in range(b, COLORS):
                if p.injuries[c] >= 1 + (c == b) + (c == a):
                    moves[n] = pack(RECOVER, 0, a, b, c, 0)
                    n += 1
    return n


cdef int list_steps(const Player* p, move_t* moves) noexcept nogil:
    cdef int god, n = 0
    for god in range(COLORS):
        if p.gods[god] < TOP_ROW:
            moves[n] = pack(STEP_GOD, 0, god, 0, 0, 0)
            n += 1
    return n


cdef int list_follow_steps(const DelphiState* s, int seat, move_t* moves) noexcept nogil:
    """Gods neither on row 0 nor on top whose color was rolled (R13)."""
    cdef const Player* p = &s.players[seat]
    cdef int god, n = 0
    for god in range(COLORS):
        if s.players[s.turn].dice[god] and 0 < p.gods[god] < TOP_ROW:
            moves[n] = pack(STEP_GOD, 0, god, 0, 0, 0)
            n += 1
    return n


cdef int list_effects(const Tables* t, const DelphiState* s, const Frame* frame, move_t* moves) noexcept nogil:
    """The choices of a one-time card, but for `decline` (R26)."""
    cdef const Player* p = &s.players[frame.seat]
    cdef Looks looks
    cdef int n = 0, slot, color, i
    cdef u32 colors
    if frame.card == TAKE_OFFERING_A or frame.card == TAKE_OFFERING_B:
        if has_room(p):
            colors = offerings_needed(p) & CARD_CHOICES[frame.card]
            while colors:
                color = lowest(colors)
                colors &= colors - 1
                for slot in range(OFFERING_ISLANDS):
                    if (s.offerings[slot] >> color) & 1:
                        moves[n] = pack(TAKE_OFFERING, 0, color, 0, t.offering_hex[slot], 0)
                        n += 1
    elif frame.card == TAKE_STATUE_A or frame.card == TAKE_STATUE_B:
        if has_room(p):
            colors = statues_needed(p) & CARD_CHOICES[frame.card]
            while colors:
                color = lowest(colors)
                colors &= colors - 1
                if s.statues[color]:
                    moves[n] = pack(TAKE_STATUE, 0, color, 0, 0, 0)
                    n += 1
    elif frame.card == GOD_TO_TOP:
        for color in range(COLORS):
            if (CARD_CHOICES[GOD_TO_TOP] >> color) & 1 and p.gods[color] < TOP_ROW:
                moves[n] = pack(GOD_TO_TOP_ROW, 0, color, 0, 0, 0)
                n += 1
    elif frame.card == SCOUT_CARD:
        list_look_pairs(t, ~s.face_up & ALL_TILES, False, &looks)
        for i in range(looks.pairs):
            moves[n] = looks.pair[i]
            n += 1
    return n


cdef int list_returns(const Player* p, move_t* moves) noexcept nogil:
    """The Zeus tiles that `eleven_tasks` may give back."""
    cdef int n = 0, color
    if p.shrine_tasks:
        moves[n] = pack(RETURN_SHRINE, 0, 0, 0, 0, 0)
        n += 1
    if p.statue_tasks:
        moves[n] = pack(RETURN_STATUE, 0, 0, 0, 0, 0)
        n += 1
    if p.any_offering:
        moves[n] = pack(RETURN_OFFERING, 0, NO_COLOR, 0, 0, 0)
        n += 1
    for color in range(COLORS):
        if (p.offering_tasks >> color) & 1:
            moves[n] = pack(RETURN_OFFERING, 0, color, 0, 0, 0)
            n += 1
    if p.any_monster:
        moves[n] = pack(RETURN_MONSTER, 0, NO_COLOR, 0, 0, 0)
        n += 1
    for color in range(COLORS):
        if (p.monster_tasks >> color) & 1:
            moves[n] = pack(RETURN_MONSTER, 0, color, 0, 0, 0)
            n += 1
    return n


cdef int list_bits(int kind, u32 bits, move_t* moves) noexcept nogil:
    """One move for each bit, as its argument."""
    cdef int n = 0
    while bits:
        moves[n] = pack(kind, 0, 0, 0, lowest(bits), 0)
        n += 1
        bits &= bits - 1
    return n


cdef u32 companions_left(const Tables* t, const DelphiState* s, int color) noexcept nogil:
    """The kinds of companion of a color that nobody has taken."""
    cdef u32 taken = 0
    cdef int seat
    for seat in range(t.players):
        taken |= s.players[seat].companions >> (3 * color)
    return ~taken & 7


cdef int list_frame_moves(const Tables* t, const DelphiState* s, const Frame* frame, move_t* moves) noexcept nogil:
    """The moves of an open decision on the stack; none means that it is skipped."""
    cdef const Player* p = &s.players[frame.seat]
    cdef int n = 0, color
    if frame.kind == DRAFT:
        return list_bits(CHOOSE_SHIP, s.ships_on_offer, moves)
    if frame.kind == SETUP:
        if p.ship_tile == SHIP_ELEVEN_TASKS:
            return list_returns(p, moves)
        return list_bits(TAKE_EQUIPMENT, s.display, moves) if p.ship_tile == SHIP_EQUIPPED else 0
    if frame.kind == FIGHT:
        if p.favor == 0:
            return 0        # given up
        moves[0] = pack(FIGHT_ON, 0, 0, 0, 0, 0)
        moves[1] = pack(GIVE_UP, 0, 0, 0, 0, 0)
        return 2
    if frame.kind == EQUIP:
        return list_bits(TAKE_EQUIPMENT, s.display, moves)
    if frame.kind == COMPANION:
        return list_bits(TAKE_COMPANION, companions_left(t, s, frame.color), moves)
    if frame.kind == STEP:
        return list_steps(p, moves) if frame.n else 0
    if frame.kind == HEAL:
        for color in range(COLORS):
            if p.injuries[color]:
                moves[n] = pack(HEAL_COLOR, 0, color, 0, 0, 0)
                n += 1
        return n
    if frame.kind == EFFECT:
        n = list_effects(t, s, frame, moves)
        if n:
            moves[n] = pack(DECLINE, 0, 0, 0, 0, 0)
            n += 1
        return n
    if frame.kind == SCOUT:
        moves[0] = pack(REVEAL, 0, 0, 0, t.tile_hex[frame.tile_a], 0)
        moves[1] = pack(REVEAL, 0, 0, 0, t.tile_hex[frame.tile_b], 0)
        return 2
    # FOLLOW
    n = list_follow_steps(s, frame.seat, moves)
    if n:
        moves[n] = pack(NO_STEP, 0, 0, 0, 0, 0)
        n += 1
    return n


cdef int list_start_moves(const Player* p, move_t* moves) noexcept nogil:
    if must_recover(p):
        return list_recoveries(p, moves)
    moves[0] = pack(TAKE_FAVOR, 0, 0, 0, 0, 0)
    return 1 + list_steps(p, &moves[1])


cdef int delphi_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DelphiState* s = <const DelphiState*>state
    cdef Looks looks
    cdef int n, i, j
    if s.frames:
        return list_frame_moves(t, s, &s.stack[s.frames - 1], moves)
    if s.phase == START:
        return list_start_moves(&s.players[s.turn], moves)
    n = list_actions(t, s, moves, &looks)
    for i in range(looks.lookers):
        for j in range(looks.pairs):
            moves[n + j] = looks.looker[i] | looks.pair[j]
        n += looks.pairs
    return n


cdef move_t delphi_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    """Uniform among the legal moves, with the looks counted instead of listed."""
    cdef const Tables* t = <const Tables*>tables
    cdef const DelphiState* s = <const DelphiState*>state
    cdef move_t moves[MAX_MOVES]
    cdef Looks looks
    cdef int n, pick
    if s.frames or s.phase == START:
        return moves[rng_below(rng, <u32>delphi_legal_moves(tables, state, moves))]
    n = list_actions(t, s, moves, &looks)
    pick = <int>rng_below(rng, <u32>(n + looks.lookers * looks.pairs))
    if pick < n:
        return moves[pick]
    pick -= n
    return looks.looker[pick // looks.pairs] | looks.pair[pick % looks.pairs]


# ---------------------------------------------------------------- the stack

cdef inline Frame* push(DelphiState* s, int kind, int seat) noexcept nogil:
    cdef Frame* frame = &s.stack[s.frames]
    frame.kind = <u8>kind
    frame.seat = <u8>seat
    s.frames += 1
    return frame


cdef inline Frame pop(DelphiState* s) noexcept nogil:
    """Takes the open frame away; its place is cleared so that equal positions are equal bytes."""
    cdef Frame frame
    s.frames -= 1
    frame = s.stack[s.frames]
    memset(&s.stack[s.frames], 0, sizeof(Frame))
    return frame


cdef inline void push_n(DelphiState* s, int kind, int seat, int n) noexcept nogil:
    push(s, kind, seat).n = <u8>n


cdef inline void push_color(DelphiState* s, int kind, int seat, int color) noexcept nogil:
    push(s, kind, seat).color = <u8>color


cdef inline bint in_setup(const DelphiState* s) noexcept nogil:
    return s.frames > 0 and s.stack[0].kind == BEGIN


# ---------------------------------------------------------------- effects

cdef inline void gain_favor(Player* p, int n) noexcept nogil:
    """Ship tile `favor` adds 1 to each taking (R36)."""
    # The cap is no rule (R14): no game comes near it, and what is read can be written again.
    p.favor = <u16>min(p.favor + n + (p.ship_tile == SHIP_FAVOR), MAX_FAVOR)


cdef inline void gain_shield(Player* p, int n) noexcept nogil:
    p.shield = <u8>min(p.shield + n, MAX_SHIELD)


cdef inline void step_god(const Tables* t, Player* p, int god) noexcept nogil:
    """From row 0 to the player-count row, else one up; never beyond the top (R22)."""
    if p.gods[god] == 0:
        p.gods[god] = t.first_row
    elif p.gods[god] < TOP_ROW:
        p.gods[god] += 1


cdef inline void discard_injuries(DelphiState* s, Player* p, int color) noexcept nogil:
    s.injury_discard[color] += p.injuries[color]
    p.injuries[color] = 0


cdef inline bint is_empty(const u8* pile) noexcept nogil:
    cdef int color
    for color in range(COLORS):
        if pile[color]:
            return False
    return True


cdef inline bint can_draw(u8* pile, u8* discard) noexcept nogil:
    """Refills an empty pile from its discards, now that a card must be drawn (R14, R37)."""
    cdef int color
    if not is_empty(pile):
        return True
    if is_empty(discard):
        return False
    for color in range(COLORS):
        pile[color] = discard[color]
        discard[color] = 0
    return True


cdef void take_card(DelphiState* s, int seat, int card) noexcept nogil:
    """An equipment card from the display: refilled first, then its effect (R26, R31)."""
    cdef Player* p = &s.players[seat]
    s.display &= ~(<u32>1 << card)
    p.equipment |= <u32>1 << card
    if card == WINDFALL:
        push_n(s, STEP, seat, 2)
        push(s, ORACLE, seat)
        push_n(s, GAIN_FAVOR, seat, 3)
    elif card == STORAGE_AND_SHIELD:
        push_n(s, GAIN_SHIELD, seat, 1)
    elif card == SCOUT_CARD or card >= TAKE_OFFERING_A:
        push(s, EFFECT, seat).card = <u8>card
    push(s, EQUIPMENT, seat)


cdef void take_companion(DelphiState* s, int seat, int color, int kind) noexcept nogil:
    cdef Player* p = &s.players[seat]
    p.companions |= <u32>1 << (3 * color + kind)
    if kind == HERO:            # R24
        gain_shield(p, 2)
        discard_injuries(s, p, color)
    elif kind == DEMIGOD:
        push(s, ORACLE, seat)


cdef inline void push_reward_step(DelphiState* s, int seat) noexcept nogil:
    """`god_step_on_reward`: after all of the reward itself, so below it (R21)."""
    if owns(&s.players[seat], GOD_STEP_ON_REWARD):
        push_n(s, STEP, seat, 1)


cdef void defeat_monster(const Tables* t, DelphiState* s, int seat, int hex, int color) noexcept nogil:
    cdef Player* p = &s.players[seat]
    cdef u8 bit = <u8>(1 << color)
    s.monsters[t.slot[hex]] &= ~bit
    if p.monster_tasks & bit:
        p.monster_tasks &= ~bit
    else:
        p.any_monster = 0
    p.monsters_done |= bit
    push_reward_step(s, seat)
    push(s, EQUIP, seat)


cdef void deliver_offering(DelphiState* s, int seat, int color) noexcept nogil:
    cdef Player* p = &s.players[seat]
    cdef u8 bit = <u8>(1 << color)
    p.offerings_aboard &= ~bit
    if p.offering_tasks & bit:
        p.offering_tasks &= ~bit
    else:
        p.any_offering = 0
    p.offerings_done |= bit
    gain_favor(p, 3)
    push_reward_step(s, seat)


cdef void raise_statue(const Tables* t, DelphiState* s, int seat, int hex, int color) noexcept nogil:
    cdef Player* p = &s.players[seat]
    cdef u8 bit = <u8>(1 << color)
    p.statues_aboard &= ~bit
    s.raised[t.slot[hex]] |= bit
    p.statue_tasks -= 1
    p.statues_done |= bit
    push_reward_step(s, seat)
    push_color(s, COMPANION, seat, color)


cdef void build_shrine(DelphiState* s, int seat, int slot) noexcept nogil:
    cdef Player* p = &s.players[seat]
    s.shrines |= <u16>(1 << slot)
    p.shrine_tasks -= 1
    p.shrines_done += 1
    push_n(s, STEP, seat, 1)


cdef void uncover(const Tables* t, DelphiState* s, int seat, int slot) noexcept nogil:
    """A tile is turned up: a shrine on one's own color, else the reward of the letter (R19)."""
    cdef int tile = s.tile[slot]
    cdef int other
    s.face_up |= <u16>(1 << slot)
    for other in range(t.players):
        s.players[other].knows &= <u16>~(1 << slot)
    if tile // 3 == seat and s.players[seat].shrine_tasks:
        build_shrine(s, seat, slot)
    elif TILE_LETTER[tile] == PSI:
        gain_favor(&s.players[seat], 4)
    elif TILE_LETTER[tile] == PHI:
        push(s, ORACLE, seat)
        push(s, ORACLE, seat)
    elif TILE_LETTER[tile] == SIGMA:
        push_n(s, STEP, seat, 3)
    else:
        push_n(s, GAIN_SHIELD, seat, 1)
        push(s, HEAL, seat)


# ---------------------------------------------------------------- turns

cdef bint anyone_arrived(const Tables* t, const DelphiState* s) noexcept nogil:
    cdef int seat
    for seat in range(t.players):
        if s.players[seat].arrived:
            return True
    return False


cdef void start_turn(DelphiState* s) noexcept nogil:
    """The start phase only where it asks something (R8)."""
    cdef const Player* p = &s.players[s.turn]
    s.phase = START if must_recover(p) or is_uninjured(p) else ACT


cdef void next_turn(const Tables* t, DelphiState* s) noexcept nogil:
    if s.turn + 1 < t.players:
        s.turn += 1
    elif s.round == MAX_ROUNDS:
        s.phase = OVER          # R29
        s.by_length = 1
        return
    else:
        s.turn = 0
        s.round += 1
    start_turn(s)


cdef void end_turn(const Tables* t, DelphiState* s, bint rolls) noexcept nogil:
    """The game is over after the last seat of a round with an arrival; else roll, follow, Titan, next (R13, R28)."""
    cdef bint last = s.turn + 1 == t.players
    cdef int i
    if last and anyone_arrived(t, s):
        s.phase = OVER
        return
    push(s, NEXT_TURN, s.turn)
    if last:
        push(s, TITAN, s.turn)
    if rolls:
        for i in range(t.players - 1, 0, -1):
            push(s, FOLLOW, (s.turn + i) % t.players)       # the roller's left neighbour ends on top
        push(s, ROLL, s.turn)


cdef void end_actions(const Tables* t, DelphiState* s) noexcept nogil:
    cdef Player* p = &s.players[s.turn]
    if p.card_played != NONE:
        s.oracle_discard[p.card_played] += 1        # R14
        p.card_played = NONE
    p.apollon = 0
    p.extra_used = 0
    end_turn(t, s, True)


# ---------------------------------------------------------------- apply

cdef void play_action(const Tables* t, DelphiState* s, move_t move) noexcept nogil:
    """An action with a die, card, the extra action or a god."""
    cdef int seat = s.turn
    cdef Player* p = &s.players[seat]
    cdef int kind = move_kind(move), source = move_source(move), color = move_color(move), used = move_used(move)
    cdef int hex = move_a(move)
    cdef int c, beyond, reach
    cdef u8 costs[COLORS]
    if source == DIE or source == CARD:
        if used != color:
            use_costs(p, color, costs)
            p.favor -= costs[used]
        if source == DIE:
            p.dice_left[color] -= 1
        else:
            p.oracle_cards[color] -= 1
            p.card_played = <u8>color
    elif source == EXTRA:
        p.favor -= EXTRA_ACTION_COST
        p.extra_used = 1
    else:
        # Waits below all that the action causes: the god stays on top until then (R23).
        push_color(s, RETURN_GOD, seat, color)

    if kind == SAIL:
        if source != GOD:
            reach = ship_range(p)
            if source != EXTRA and has_companion(p, used, CREATURE):
                reach += CREATURE_RANGE
            beyond = t.distance[crosses(p)][p.ship][hex] - reach
            if beyond > 0:
                p.favor -= <u16>beyond
        p.ship = <u8>hex
        p.arrived = hex == t.zeus
    elif kind == FIGHT_MONSTER:
        if source == GOD:
            defeat_monster(t, s, seat, hex, used)
        else:
            push_battle(s, seat, hex, used, 9 - p.shield)
    elif kind == EXPLORE:
        uncover(t, s, seat, t.slot[hex])
    elif kind == BUILD:
        build_shrine(s, seat, t.slot[hex])
    elif kind == LOAD_OFFERING:
        s.offerings[t.slot[hex]] &= ~<u8>(1 << used)
        p.offerings_aboard |= <u8>(1 << used)
    elif kind == DELIVER:
        deliver_offering(s, seat, used)
    elif kind == LOAD_STATUE:
        s.statues[used] -= 1
        p.statues_aboard |= <u8>(1 << used)
    elif kind == RAISE:
        raise_statue(t, s, seat, hex, used)
    elif kind == HEAL_INJURIES:
        if source == GOD:
            for c in range(COLORS):
                discard_injuries(s, p, c)
        else:
            discard_injuries(s, p, used)
    elif kind == ADVANCE:
        step_god(t, p, used)
    elif kind == BUNDLE:        # favor, card, step (R25, R31)
        gain_favor(p, 1)
        push_color(s, ADVANCE_GOD, seat, used)
        push(s, ORACLE, seat)
    elif kind == DRAW:
        push(s, ORACLE, seat)
    elif kind == TAKE_FAVOR:
        gain_favor(p, 2)
    elif kind == LOOK:
        look_at(t, p, move)
    elif kind == INSPIRE:
        p.apollon = 1
        push(s, ORACLE, seat)


cdef inline void push_battle(DelphiState* s, int seat, int hex, int color, int strength) noexcept nogil:
    cdef Frame* frame = push(s, BATTLE, seat)
    frame.hex = <u8>hex
    frame.color = <u8>color
    frame.n = <u8>strength


cdef inline void look_at(const Tables* t, Player* p, move_t move) noexcept nogil:
    p.knows |= <u16>(1 << t.slot[move_a(move)])
    if move_b(move) != NONE:
        p.knows |= <u16>(1 << t.slot[move_b(move)])


cdef void resolve_battle(const Tables* t, DelphiState* s, int roll) noexcept nogil:
    """A roll of at least the strength wins; a lost round with a 0 costs an injury (R18)."""
    cdef Frame battle = pop(s)
    cdef Frame* fight
    if roll >= battle.n:
        defeat_monster(t, s, battle.seat, battle.hex, battle.color)
        return
    fight = push(s, FIGHT, battle.seat)
    fight.hex = battle.hex
    fight.color = battle.color
    fight.n = battle.n
    if roll == 0:
        push(s, INJURY, battle.seat)


cdef void resolve_roll(DelphiState* s, move_t move) noexcept nogil:
    cdef Player* p = &s.players[pop(s).seat]
    cdef int color
    for color in range(COLORS):
        p.dice[color] = 0
    p.dice[move_color(move)] += 1
    p.dice[move_used(move)] += 1
    p.dice[move_a(move)] += 1
    for color in range(COLORS):
        p.dice_left[color] = p.dice[color]
    if p.dice[YELLOW] and owns(p, FAVOR_ON_YELLOW):
        gain_favor(p, 2)
    if p.dice[RED] and owns(p, FAVOR_ON_RED):
        gain_favor(p, 2)
    if p.dice[BLACK] and owns(p, FAVOR_ON_BLACK):
        gain_favor(p, 2)


cdef void resolve_titan(const Tables* t, DelphiState* s, int strength) noexcept nogil:
    cdef int seat, cards
    pop(s)
    for seat in range(t.players - 1, -1, -1):
        cards = 2 if strength == 6 else strength > s.players[seat].shield
        if cards:
            push(s, INJURY, seat)
        if cards == 2:
            push(s, INJURY, seat)


cdef void resolve_injury(const Tables* t, DelphiState* s, int color) noexcept nogil:
    cdef Player* p = &s.players[pop(s).seat]
    s.injury_pile[color] -= 1
    if has_companion(p, color, HERO):
        s.injury_discard[color] += 1        # R24, R37
    else:
        p.injuries[color] += 1
    if in_setup(s) and p.ship_tile != SHIP_GODS:
        p.gods[color] = t.first_row         # R5


cdef void return_task(Player* p, move_t move) noexcept nogil:
    """`eleven_tasks`: the tile is neither open nor done (R35)."""
    cdef int kind = move_kind(move), color = move_color(move)
    if kind == RETURN_SHRINE:
        p.shrine_tasks -= 1
    elif kind == RETURN_STATUE:
        p.statue_tasks -= 1
    elif kind == RETURN_OFFERING:
        if color == NO_COLOR:
            p.any_offering = 0
        else:
            p.offering_tasks &= ~<u8>(1 << color)
    elif color == NO_COLOR:
        p.any_monster = 0
    else:
        p.monster_tasks &= ~<u8>(1 << color)


cdef void play_frame_move(const Tables* t, DelphiState* s, move_t move) noexcept nogil:
    """A decision of the open frame, or the outcome of its event."""
    cdef Frame* top = &s.stack[s.frames - 1]
    cdef int kind = move_kind(move), seat = top.seat, color = move_color(move)
    cdef Player* p = &s.players[seat]
    cdef Frame frame
    if kind == ROLL_DICE:
        resolve_roll(s, move)
    elif kind == ROLL_BATTLE:
        resolve_battle(t, s, move_a(move))
    elif kind == ROLL_TITAN:
        resolve_titan(t, s, move_a(move))
    elif kind == DRAW_ORACLE:
        pop(s)
        s.oracle_pile[color] -= 1
        p.oracle_cards[color] += 1
    elif kind == DRAW_INJURY:
        resolve_injury(t, s, color)
    elif kind == REFILL_EQUIPMENT:
        pop(s)
        s.equipment_pile &= ~(<u32>1 << move_a(move))
        s.display |= <u32>1 << move_a(move)
    elif kind == STEP_GOD:
        step_god(t, p, color)
        if top.kind == STEP:
            top.n -= 1
        else:
            pop(s)              # follow
    elif kind == FIGHT_ON:
        p.favor -= 1
        top.kind = BATTLE
        top.n -= 1
    elif kind == TAKE_EQUIPMENT:
        frame = pop(s)
        if frame.kind == SETUP:
            push(s, ORACLE, seat)       # ship tile `equipped`: after the card and its effect
        take_card(s, seat, move_a(move))
    elif kind == TAKE_COMPANION:
        frame = pop(s)
        take_companion(s, seat, frame.color, move_a(move))
    elif kind == HEAL_COLOR:
        pop(s)
        discard_injuries(s, p, color)
    elif kind == TAKE_OFFERING:
        pop(s)
        s.offerings[t.slot[move_a(move)]] &= ~<u8>(1 << color)
        p.offerings_aboard |= <u8>(1 << color)
    elif kind == TAKE_STATUE:
        pop(s)
        s.statues[color] -= 1
        p.statues_aboard |= <u8>(1 << color)
    elif kind == GOD_TO_TOP_ROW:
        pop(s)
        p.gods[color] = TOP_ROW
    elif kind == LOOK:
        look_at(t, p, move)
        top.kind = SCOUT
        top.card = 0
        top.tile_a = t.slot[move_a(move)]
        top.tile_b = t.slot[move_b(move)]
    elif kind == REVEAL:
        pop(s)
        uncover(t, s, seat, t.slot[move_a(move)])
    elif kind == CHOOSE_SHIP:
        pop(s)
        s.ships_on_offer &= ~<u8>(1 << move_a(move))
        give_ship_tile(t, s, seat, move_a(move))
        if s.stack[s.frames - 1].kind != DRAFT:
            s.ships_on_offer = 0        # the tile left over goes back to the box
    elif RETURN_SHRINE <= kind <= RETURN_MONSTER:
        pop(s)
        return_task(p, move)
    else:
        pop(s)                  # give up, decline, no step


cdef void play_start_move(const Tables* t, DelphiState* s, move_t move) noexcept nogil:
    cdef Player* p = &s.players[s.turn]
    cdef int colors[3]
    cdef int i
    if move_kind(move) == RECOVER:
        colors[0], colors[1], colors[2] = move_color(move), move_used(move), move_a(move)
        for i in range(3):
            p.injuries[colors[i]] -= 1
            s.injury_discard[colors[i]] += 1
        s.phase = ACT
        end_turn(t, s, False)   # no actions and no roll, but the Titan still comes (R8, R13)
        return
    if move_kind(move) == STEP_GOD:
        step_god(t, p, move_color(move))
    else:
        gain_favor(p, 2)
    s.phase = ACT


cdef void settle(const Tables* t, DelphiState* s) noexcept nogil:
    """Resolves what happens by itself and drops what has nothing to decide."""
    cdef move_t moves[MAX_PAIRS + 2]
    cdef Frame* top
    cdef Player* p
    while s.frames:
        top = &s.stack[s.frames - 1]
        p = &s.players[top.seat]
        if top.kind == GAIN_FAVOR:
            gain_favor(p, pop(s).n)
        elif top.kind == GAIN_SHIELD:
            gain_shield(p, pop(s).n)
        elif top.kind == ADVANCE_GOD:
            step_god(t, p, pop(s).color)
        elif top.kind == RETURN_GOD:
            p.gods[pop(s).color] = t.first_row if p.ship_tile == SHIP_GODS else 0
        elif top.kind == NEXT_TURN:
            pop(s)
            next_turn(t, s)
        elif top.kind == BEGIN:
            pop(s)
            start_turn(s)
        elif top.kind == ORACLE:
            if can_draw(s.oracle_pile, s.oracle_discard):
                return
            pop(s)              # nothing to draw (R14, R30)
        elif top.kind == INJURY:
            if can_draw(s.injury_pile, s.injury_discard):
                return
            pop(s)
        elif top.kind == EQUIPMENT:
            if s.equipment_pile:
                return
            pop(s)
        elif top.kind >= ROLL or list_frame_moves(t, s, top, moves):
            return
        else:
            pop(s)


cdef void delphi_apply(tables_t tables, void* state, move_t move) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef DelphiState* s = <DelphiState*>state
    if s.frames:
        play_frame_move(t, s, move)
    elif s.phase == START:
        play_start_move(t, s, move)
    elif move_kind(move) == END:
        end_actions(t, s)
    else:
        play_action(t, s, move)
    if s.frames:
        settle(t, s)


# ---------------------------------------------------------------- chance

cdef int card_outcomes(int kind, const u8* pile, move_t* outcomes, double* probabilities) noexcept nogil:
    cdef int color, n = 0, total = 0
    for color in range(COLORS):
        total += pile[color]
    for color in range(COLORS):
        if pile[color]:
            outcomes[n] = pack(kind, 0, color, 0, 0, 0)
            probabilities[n] = <double>pile[color] / total
            n += 1
    return n


cdef int delphi_chance_outcomes(tables_t tables, state_t state, move_t* outcomes, double* probabilities) noexcept nogil:
    cdef const DelphiState* s = <const DelphiState*>state
    cdef int kind = s.stack[s.frames - 1].kind
    cdef int a, b, c, orders, n = 0
    cdef u32 pile
    if kind == ROLL:
        for a in range(COLORS):
            for b in range(a, COLORS):
                for c in range(b, COLORS):
                    orders = 1 if a == c else 3 if a == b or b == c else 6
                    outcomes[n] = pack(ROLL_DICE, 0, a, b, c, 0)
                    probabilities[n] = orders / 216.0
                    n += 1
    elif kind == BATTLE:
        for n in range(10):
            outcomes[n] = pack(ROLL_BATTLE, 0, 0, 0, n, 0)
            probabilities[n] = 0.1
        n = 10
    elif kind == TITAN:
        for n in range(6):
            outcomes[n] = pack(ROLL_TITAN, 0, 0, 0, n + 1, 0)
            probabilities[n] = 1.0 / 6
        n = 6
    elif kind == ORACLE:
        n = card_outcomes(DRAW_ORACLE, s.oracle_pile, outcomes, probabilities)
    elif kind == INJURY:
        n = card_outcomes(DRAW_INJURY, s.injury_pile, outcomes, probabilities)
    else:
        pile = s.equipment_pile
        a = count_bits(pile)
        while pile:
            outcomes[n] = pack(REFILL_EQUIPMENT, 0, 0, 0, lowest(pile), 0)
            probabilities[n] = 1.0 / a
            n += 1
            pile &= pile - 1
    return n


cdef inline int sample_card(const u8* pile, Rng* rng) noexcept nogil:
    cdef int color, total = 0, pick
    for color in range(COLORS):
        total += pile[color]
    pick = <int>rng_below(rng, <u32>total)
    for color in range(COLORS):
        pick -= pile[color]
        if pick < 0:
            return color
    return COLORS - 1


cdef move_t delphi_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef const DelphiState* s = <const DelphiState*>state
    cdef int kind = s.stack[s.frames - 1].kind
    cdef int a, b, c, pick
    cdef u32 pile
    if kind == ROLL:
        a = <int>rng_below(rng, COLORS)
        b = <int>rng_below(rng, COLORS)
        c = <int>rng_below(rng, COLORS)
        if a > b:
            a, b = b, a
        if b > c:
            b, c = c, b
        if a > b:
            a, b = b, a
        return pack(ROLL_DICE, 0, a, b, c, 0)
    if kind == BATTLE:
        return pack(ROLL_BATTLE, 0, 0, 0, <int>rng_below(rng, 10), 0)
    if kind == TITAN:
        return pack(ROLL_TITAN, 0, 0, 0, 1 + <int>rng_below(rng, 6), 0)
    if kind == ORACLE:
        return pack(DRAW_ORACLE, 0, sample_card(s.oracle_pile, rng), 0, 0, 0)
    if kind == INJURY:
        return pack(DRAW_INJURY, 0, sample_card(s.injury_pile, rng), 0, 0, 0)
    pile = s.equipment_pile
    pick = <int>rng_below(rng, <u32>count_bits(pile))
    while pick:
        pile &= pile - 1
        pick -= 1
    return pack(REFILL_EQUIPMENT, 0, 0, 0, lowest(pile), 0)


# ---------------------------------------------------------------- the end

cdef inline u64 standing(const Player* p) noexcept nogil:
    """Higher is better: arrived, fewer tasks left, oracle cards, favor (R28)."""
    cdef u64 cards = 0
    cdef int color
    for color in range(COLORS):
        cards += p.oracle_cards[color]
    return (<u64>p.arrived << 40) | (<u64>(15 - tasks_left(p)) << 32) | (cards << 16) | p.favor


cdef u32 winners(const Tables* tables, const DelphiState* state) noexcept nogil:
    """The winning seats of a game that is over, as bits; none by length."""
    cdef u64 best = 0
    cdef u32 seats = 0
    cdef int seat
    if state.by_length:
        return 0
    for seat in range(tables.players):
        best = max(best, standing(&state.players[seat]))
    for seat in range(tables.players):
        if standing(&state.players[seat]) == best:
            seats |= 1 << seat
    return seats


cdef void delphi_returns(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef u32 seats = winners(t, <const DelphiState*>state)
    cdef int seat
    for seat in range(t.players):
        if seats:
            values[seat] = ((seats >> seat) & 1) / <double>count_bits(seats)
        else:
            values[seat] = 1.0 / t.players      # R29


cdef void delphi_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil:
    cdef const Tables* t = <const Tables*>tables
    cdef const DelphiState* s = <const DelphiState*>state
    cdef int seat, other
    for seat in range(t.players):
        ranks[seat] = 1
        for other in range(t.players):
            ranks[seat] += standing(&s.players[other]) > standing(&s.players[seat])


# ---------------------------------------------------------------- set-up

cdef void give_ship_tile(const Tables* tables, DelphiState* state, int seat, int ship_tile) noexcept nogil:
    cdef Player* p = &state.players[seat]
    cdef int god
    p.ship_tile = <u8>ship_tile
    if ship_tile == SHIP_SHIELD:
        p.shield = 2
    elif ship_tile == SHIP_FAVOR:
        p.favor = <u16>min(p.favor + 1, MAX_FAVOR)
    elif ship_tile == SHIP_GODS:
        for god in range(COLORS):
            p.gods[god] = tables.first_row


cdef void schedule_setup(const Tables* tables, DelphiState* state) noexcept nogil:
    cdef int seat
    push(state, BEGIN, 0)
    for seat in range(tables.players - 1, -1, -1):
        if state.players[seat].ship_tile in (SHIP_ELEVEN_TASKS, SHIP_EQUIPPED, NO_SHIP_TILE):
            push(state, SETUP, seat)
    for seat in range(tables.players - 1, -1, -1):
        push(state, INJURY, seat)
    for seat in range(tables.players - 1, -1, -1):
        push(state, ROLL, seat)
    if state.ships_on_offer:
        for seat in range(tables.players):
            push(state, DRAFT, seat)        # the last seat chooses first (R4)
