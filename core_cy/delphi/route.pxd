"""What a seat still has to do, as a route: pick up and deliver with small storage over the board's distances.

A route is planned greedily, job by job, from each of the best few first jobs. It uses what the seat knows
and nothing more: face-down tiles that it has not looked at are a search with an expected length.
"""

from pythia.core_cy.delphi.state cimport DelphiState
from pythia.core_cy.delphi.tables cimport Tables
from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.types cimport u8, u16, u64

cdef enum:
    JOB_NONE = 0
    JOB_FIGHT = 1           # color, slot of the island
    JOB_LOAD_OFFERING = 2   # color, slot of the island
    JOB_DELIVER = 3         # color
    JOB_LOAD_STATUE = 4     # color
    JOB_RAISE = 5           # color, slot of the island
    JOB_SHRINE = 6          # slot of a tile known to be one's own
    JOB_SEARCH = 7          # slot of a tile not seen yet

    MAX_FIRST_JOBS = 6
    MAX_SPACES = 64

ctypedef struct Job:
    u8 kind
    u8 color
    u8 slot
    u8 hex
    u8 stop         # where the ship stands to do it
    u8 spaces       # to sail there
    float cost      # in dice, for choosing: the sail, and half of the way that a load opens

# What is left to do, apart from the board.
ctypedef struct Errands:
    u8 ship
    u8 offering_tasks
    u8 any_offering
    u8 offerings_done
    u8 offerings_aboard
    u8 monster_tasks
    u8 any_monster
    u8 monsters_done
    u8 statue_tasks
    u8 statues_done
    u8 statues_aboard
    u8 shrine_tasks
    u8 room
    u8 unseen_own           # tiles of one's own color among those not seen
    u16 own_tiles           # places of one's own tiles without a shrine, known to the seat
    u16 unseen              # face-down places the seat has not looked at

# A planned route in numbers.
ctypedef struct Route:
    float dice              # all of it, in dice
    float actions           # apart from sailing
    float sails             # legs that need a sail
    float beyond            # spaces beyond the ship's range, over all legs
    float searches          # expected explorations that find nothing of one's own
    Job first               # what it begins with

ctypedef struct Planner:
    # How one seat moves and reaches, fixed while a route is planned.
    const Tables* t
    const DelphiState* s
    int seat
    bint crossing
    int reach               # range of the ship
    bint fight_reach
    bint statue_reach
    bint offering_reach
    const float* sail_dice  # by spaces
    u64 key                 # of everything a route depends on besides the errands

# A key of everything that plans depend on; another number for each `purpose`.
cdef inline u64 errands_key(const Planner* planner, const Errands* errands, int purpose) noexcept nogil:
    return (hash_bytes(errands, sizeof(Errands)) + <u64>purpose) ^ planner.key

cdef void make_planner(Planner* planner, const Tables* t, const DelphiState* s, int seat) noexcept nogil
cdef void read_errands(const Planner* planner, Errands* errands) noexcept nogil
cdef bint nothing_left(const Errands* errands) noexcept nogil
# The best few next jobs, cheapest first; their number.
cdef int list_jobs(const Planner* planner, const Errands* errands, Job* jobs, int most) noexcept nogil
# What it costs to look for the next tile of one's own, that one not counted, in dice.
cdef float search_dice(const Errands* errands) noexcept nogil
# The errands after a job was done at its stop.
cdef void do_job(const Planner* planner, Errands* errands, const Job* job) noexcept nogil
# Adds the greedy route from here (kept for each thread, since search asks for the same ones again and again).
cdef void follow_route(const Planner* planner, const Errands* errands, Route* route) noexcept nogil
# The best route that begins with one of the best `first_jobs`.
cdef void plan_route(const Planner* planner, const Errands* errands, int first_jobs, Route* route) noexcept nogil
