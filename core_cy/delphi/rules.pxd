"""The rules of The Oracle of Delphi as the functions of the contract (`core_cy/game.pxd`)."""

from pythia.core_cy.delphi.state cimport (
    CROSS_SHALLOWS, DEMIGOD, DelphiState, FIGHT_EXPLORE_BUILD_REACH, MAX_SHIELD, OFFERING_REACH, Player,
    RANGE_PLUS_1, SHIP_CHEAP_RECOLOR, SHIP_RANGE, SHIP_TWO_WAY_RECOLOR, STATUE_REACH, STORAGE_AND_SHIELD,
    pack,
)
from pythia.core_cy.bits cimport count_bits
from pythia.core_cy.delphi.tables cimport COLORS, TILES, Tables
from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t, u8, u16, u32, u64

cdef enum:
    MAX_MOVES = 8192

    MAX_PAIRS = 66
    MAX_LOOKERS = 10            # 3 dice, 6 colors of cards, the extra action
    MAX_ACTIONS = 64            # colored actions other than sailing, for one used color

cdef enum:
    ALL_COLORS = 63

# Numbers of components.py that the compiler should know; rules.pyx asserts that they are the same.
cdef enum:
    SAIL_RANGE = 3
    RANGE_OF_SHIP = 2
    CREATURE_RANGE = 3          # what a creature adds (R15)
    STORAGE = 2
    LARGE_STORAGE = 4
    EXTRA_ACTION_COST = 3
    RECOVER_AT_ONE_COLOR = 3
    RECOVER_AT_ALL = 6

# The looks of the act phase: any of the sources with any of the pairs.
ctypedef struct Looks:
    int pairs
    int lookers
    u32 pair[MAX_PAIRS]             # kind and argument bits of each pair
    u32 looker[MAX_LOOKERS]         # the source bits of each source that can look

# The letters of the island tiles, by tile id.
cdef u8[TILES] TILE_LETTER


# -- what a player has

cdef inline bint owns(const Player* p, int card) noexcept nogil:
    return (p.equipment >> card) & 1

cdef inline bint has_companion(const Player* p, int color, int kind) noexcept nogil:
    return (p.companions >> (3 * color + kind)) & 1

cdef inline bint all_tasks_done(const Player* p) noexcept nogil:
    return (p.shrine_tasks | p.statue_tasks | p.any_offering | p.any_monster | p.offering_tasks | p.monster_tasks) == 0

cdef inline int tasks_left(const Player* p) noexcept nogil:
    return (p.shrine_tasks + p.statue_tasks + p.any_offering + p.any_monster
            + count_bits(p.offering_tasks) + count_bits(p.monster_tasks))

cdef inline int storage(const Player* p) noexcept nogil:
    """How many offerings and statues fit aboard."""
    return (LARGE_STORAGE if p.ship_tile == SHIP_TWO_WAY_RECOLOR else STORAGE) + owns(p, STORAGE_AND_SHIELD)

cdef inline bint has_room(const Player* p) noexcept nogil:
    return count_bits(p.offerings_aboard) + count_bits(p.statues_aboard) < storage(p)

cdef inline int ship_range(const Player* p) noexcept nogil:
    return SAIL_RANGE + (RANGE_OF_SHIP if p.ship_tile == SHIP_RANGE else 0) + owns(p, RANGE_PLUS_1)

cdef inline bint crosses(const Player* p) noexcept nogil:
    return owns(p, CROSS_SHALLOWS)

# -- what the open tasks still need, as sets of colors (R7, R20)

cdef inline u32 offerings_needed(const Player* p) noexcept nogil:
    """Colors that fit an open task together with the offerings aboard."""
    cdef u32 needed = p.offering_tasks
    if p.any_offering and (p.offerings_aboard & ~p.offering_tasks) == 0:
        needed |= ~p.offerings_done
    return needed & ~p.offerings_aboard & ALL_COLORS

cdef inline u32 monsters_needed(const Player* p) noexcept nogil:
    return (p.monster_tasks | (~p.monsters_done if p.any_monster else 0)) & ALL_COLORS

cdef inline u32 statues_needed(const Player* p) noexcept nogil:
    if count_bits(p.statues_aboard) >= p.statue_tasks:
        return 0
    return ~(p.statues_done | p.statues_aboard) & ALL_COLORS

cdef inline int recolor_steps(const Player* p, int color, int target) noexcept nogil:
    """Steps on the wheel, clockwise, or the shorter way with `two_way_recolor` (R10)."""
    cdef int steps = target - color
    if steps < 0:
        steps += COLORS
    if steps > 3 and p.ship_tile == SHIP_TWO_WAY_RECOLOR:
        steps = COLORS - steps
    return steps

cdef inline void use_costs(const Player* p, int color, u8* costs) noexcept nogil:
    """Favor to use a die or card of a color as each color (R10, R11, R32)."""
    cdef int target, steps, cheapest_demigod = COLORS
    if p.apollon:
        for target in range(COLORS):
            costs[target] = 0
        return
    for target in range(COLORS):
        steps = recolor_steps(p, color, target)
        costs[target] = <u8>steps
        if has_companion(p, target, DEMIGOD) and steps < cheapest_demigod:
            cheapest_demigod = steps
    for target in range(COLORS):
        if costs[target] > cheapest_demigod:
            costs[target] = <u8>cheapest_demigod
        if p.ship_tile == SHIP_CHEAP_RECOLOR and costs[target] > 0:
            costs[target] -= 1

cdef bint must_recover(const Player* p) noexcept nogil

# The source and color bits of a move.
cdef inline u32 in_hand(int source, int color) noexcept nogil:
    return pack(0, source, color, 0, 0, 0)

# The actions other than sailing that a die used as a color allows, without their source.
cdef int list_colored_actions(
    const Tables* t, const DelphiState* s, int seat, int color, move_t* actions
) noexcept nogil
# Special actions of the gods on the top row, or the card instead.
cdef int list_god_actions(const Tables* t, const DelphiState* s, int seat, move_t* moves) noexcept nogil
# The moves of the act phase but for the looks, which are described apart.
cdef int list_actions(const Tables* t, const DelphiState* s, move_t* moves, Looks* looks) noexcept nogil

# -- the functions of the contract

cdef int delphi_to_act(tables_t tables, state_t state) noexcept nogil
cdef int delphi_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil
cdef move_t delphi_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void delphi_apply(tables_t tables, void* state, move_t move) noexcept nogil
cdef int delphi_chance_outcomes(tables_t tables, state_t state, move_t* outcomes, double* probabilities) noexcept nogil
cdef move_t delphi_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void delphi_returns(tables_t tables, state_t state, double* values) noexcept nogil
cdef void delphi_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil
cdef u32 winners(const Tables* tables, const DelphiState* state) noexcept nogil

# -- set-up

# Puts the opening events on the stack (R4, R5): the draft if ships are on offer, rolls, injuries, choices, the first
# turn.
cdef void schedule_setup(const Tables* tables, DelphiState* state) noexcept nogil
# Gives a seat its ship tile with what it brings at once.
cdef void give_ship_tile(const Tables* tables, DelphiState* state, int seat, int ship_tile) noexcept nogil
