"""What a seat can do next, and what it is worth: the judgement that evaluation and policy share."""

from pythia.core_cy.deukalion.state cimport DeukalionState
from pythia.core_cy.deukalion.tables cimport COLORS, HALVES, Tables, Weights
from pythia.core_cy.types cimport u8, u32

cdef enum:
    MAX_GOALS = 40

ctypedef struct Goal:
    float worth             # in points, once there
    const u8* steps         # by square, how far it is
    u8 deed                 # needs the deed of the turn

ctypedef struct Outlook:
    const Tables* t
    const Weights* w
    const DeukalionState* s
    int seat
    int bonus               # halves that permanent cards add to a throw
    float pace              # squares that the ship makes in a turn
    int reach               # squares that it still can make in this turn; -1: not its turn
    bint may_act            # the deed of this turn is left
    int midas
    int treasures
    float lost              # what a throw costs: fighters that fall cross up
    float wanted[COLORS]    # what a treasure of the color adds, besides being delivered
    int goals
    Goal goal[MAX_GOALS]

# Fills the outlook of a seat, goals and all.
cdef void look(Outlook* o, const Tables* t, const DeukalionState* s, int seat) noexcept nogil
# What the goals are worth to a ship on the square that can still make this number of steps in this turn (-1: next
# turn).
cdef float goals_from(const Outlook* o, int square, int reach, bint may_act) noexcept nogil
# What the seat has, in points: all but the goals.
cdef float holdings(const Outlook* o) noexcept nogil
cdef float fighters_worth(const Weights* w, int fighters, int underworld) noexcept nogil
# P(a throw of these fighters reaches the points), and P(more points than the other).
cdef float chance_to_reach(const Tables* t, int fighters, int halves) noexcept nogil
cdef float chance_to_beat(const Tables* t, int fighters, int other, int ahead) noexcept nogil
# What a treasure is worth to the seat, aboard.
cdef float treasure_worth(const Outlook* o, int color) noexcept nogil
cdef bint styx_majority(const Tables* t, const DeukalionState* s, int seat) noexcept nogil

# w.turn to the power of the number of turns.
cdef float fade(const Weights* w, float turns) noexcept nogil
