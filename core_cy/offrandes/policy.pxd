"""Which moves look good: scores in points for the priors of search and for playouts."""

from pythia.core_cy.game cimport state_t, tables_t
from pythia.core_cy.offrandes.evaluate cimport Outlook
from pythia.core_cy.offrandes.state cimport OffrandesState
from pythia.core_cy.offrandes.tables cimport MAX_SEATS
from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t, u32

# What each seat would gain by a pair, in points, and how much it would pay for that, in drachmas.
ctypedef struct Limits:
    float gain[MAX_SEATS]
    float worth[MAX_SEATS]      # of a drachma
    int limit[MAX_SEATS]

cdef void find_limits(const Outlook* o, u32 pair, u32 seats, Limits* found) noexcept nogil
# Who buys in the end, and for how much, when every bidder goes up to the limit.
cdef int buyer_of(const Limits* limits, u32 bidders, int leader, int high, int* price) noexcept nogil
# The position after the open auction, as the limits of all say it ends. Only ladders and money are changed.
cdef void likely_sale(const Outlook* o, OffrandesState* sold) noexcept nogil

cdef move_t offrandes_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil
cdef void offrandes_priors(tables_t tables, state_t state, const move_t* moves, int count,
                           float* weights) noexcept nogil
