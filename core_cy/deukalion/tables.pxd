"""What one game fixes, as C arrays: the map as sets of squares, what things cost and bring, the odds of a throw."""

from pythia.core_cy.types cimport u8, u16, u32, u64

cdef enum:
    COLORS = 5
    CITIES = 8
    SETTLEMENTS = 4
    KINDS = 7               # of action cards
    PERMANENT = 3           # the first kinds
    CARDS = 30
    ORDERS = 16
    MAX_SEATS = 4
    SQUARES = 64            # a set of squares is a u64: bit n is square n
    FIGHTERS = 10           # of one player at most
    THROWS = 66             # different throws of ten fighters
    ROLLS = 72
    DICE = 243              # rolls of five dice with three faces
    HALVES = 41             # points in halves that are told apart
    FAR = 255               # a distance that no way has

# The kinds of action cards, in the order of the data.
cdef enum:
    PEGASUS = 0
    FAVOR_OF_HADES = 1
    GOLDEN_FLEECE = 2
    FAIR_WIND = 3
    BATTLE_CRY = 4
    CHARON = 5
    MIDAS = 6

# The kinds of tasks.
cdef enum:
    TREASURES = 0
    DEFEAT = 1
    BEAT_HYDRA = 2
    CREW = 3                # a number of fighters near a city
    HAND = 4                # a number of cards near a city

ctypedef struct Task:
    u8 kind
    u8 number               # treasures, fighters or cards
    u8 city
    u8 any                  # treasures of any color
    u8 colors[COLORS]

ctypedef struct Weights:
    # What things are worth, in points; weights.py has the values and what they mean.
    float settlement, settlement_risk, fighter, few_fighters, fighter_lost
    float deliver, open_order, own_order, missing, crew_missing, cards_missing, cards_paid
    float treasure, loot_fit, found, second_goal, third_goal, styx
    float turn
    float card[KINDS]
    float permanent[PERMANENT]
    float steal, tempo
    float power, least, pace

ctypedef struct Throw:
    # The outcomes of throwing a number of fighters, those that cannot be left out.
    u8 count
    u8 up[THROWS]
    u8 half[THROWS]
    double probability[THROWS]
    u32 below[THROWS]       # of 2^32: a random number under this and no earlier one is this outcome

ctypedef struct Tables:
    u8 players
    u8 width, height, squares
    u8 colors, cities, settlements, orders      # how many there are
    u8 target, fighters, places, per_color, victory_cards, styx_reward, open_orders
    u8 displace, rest, charon, wind, hydra_start
    u16 max_rounds
    u16 hydra_halves                            # points in halves, as all scores
    u16 cry_halves
    u8 copies[KINDS]
    u8 slots[CITIES]
    u16 city_halves[CITIES]
    u8 garrison[SETTLEMENTS]
    u16 settlement_halves[SETTLEMENTS]
    u64 city_near[CITIES]                       # squares from which it can be attacked
    u64 settlement_near[SETTLEMENTS]
    u8 cities_here[SQUARES]                     # bits: the cities that a ship there is near
    u8 settlements_here[SQUARES]
    u64 water, anchors, styx
    u64 sea                                     # neither anchor nor Styx: where one can be attacked
    u64 near[SQUARES]
    u64 not_left, not_right                     # all squares but those of the first and the last column
    u8 distance[SQUARES][SQUARES]               # for ships
    u8 hydra_distance[SQUARES][SQUARES]
    u64 ship_ring[SQUARES]                      # at distance `displace`
    u64 hydra_ring[SQUARES]
    Task tasks[ORDERS][2]
    u8 points[ORDERS]
    u16 defeat_orders, hydra_orders             # bits
    u16 here[SQUARES]                           # orders with fighters or cards that can be fulfilled there
    u16 treasure_orders                         # orders with treasures
    double face[3]                              # the odds of a fighter: up, down, half
    Throw throws[FIGHTERS + 1]
    u16 roll[DICE]                              # five dice as a roll: center, and the ring from where it is smallest
    u16 rolls[ROLLS]
    double roll_probability[ROLLS]
    # -- for the evaluation
    # P(points in halves >= value) and P(points in halves > those of the other), by fighters thrown.
    float reach[FIGHTERS + 1][HALVES]
    float beats[FIGHTERS + 1][FIGHTERS + 1][HALVES]     # own, the other's, and how many halves ahead cards put one
    # Steps from a square to where something can be done.
    u8 to_city[CITIES][SQUARES]
    u8 to_settlement[SETTLEMENTS][SQUARES]
    u8 to_anchor[SQUARES]
    u8 to_styx[SQUARES]
    Weights weights

# `facts`: components.Facts; `throw`: the percentages of a thrown fighter.
# The weights of weights.py, by name.
cdef int fill_weights(Tables* t, dict values) except -1
cdef int fill_tables(Tables* t, object facts, int players, tuple throw) except -1

# Dice are packed two bits each, the first lowest: the center, then the ring clockwise.
cdef inline int die(u32 dice, int place) noexcept nogil:
    return (dice >> (2 * place)) & 3

# All squares that touch one of these.
cdef inline u64 around(const Tables* t, u64 squares) noexcept nogil:
    return ((squares & t.not_right) << 1 | (squares & t.not_left) >> 1 | squares << t.width | squares >> t.width)
