"""The contract between a game and everything above it.

A game is a table of C functions over a plain state struct, plus Python for its notation.
Search uses the C side only and never learns which game it plays; people and the service use
`Game`, `State`, `View` and `Move`, which are the same for every game.

Made for 2 to 5 players, chance, hidden information, several decisions in a turn and
decisions by players out of turn.
"""

from pythia.core_cy.rng cimport Rng
from pythia.core_cy.types cimport move_t, u64

cdef enum:
    CHANCE = -1         # dice or cards decide
    NOBODY = -2         # the game is over
    SPECTATOR = -1      # as an observer: sees only what everyone sees
    MAX_PLAYERS = 5

ctypedef const void* tables_t   # the immutable knowledge of one set-up: options and board
ctypedef const void* state_t    # one position: a struct without pointers, so a clone is a memcpy

ctypedef struct GameOps:
    # What a game can do. Nothing here allocates, raises or takes the GIL, and only `apply` and
    # `determinize` write to the state. Buffers belong to the caller.

    size_t state_size
    int max_moves       # `legal_moves` and `chance_outcomes` never write more than this
    bint public_moves   # which moves are legal follows from what everyone sees

    # -- rules
    # The seat that decides, CHANCE or NOBODY.
    int (*to_act)(tables_t tables, state_t state) noexcept nogil
    # At a decision: every legal move, each once, in an order that depends on the position only.
    int (*legal_moves)(tables_t tables, state_t state, move_t* moves) noexcept nogil
    # At a decision: a uniformly drawn legal move, without listing them all where that is quicker.
    move_t (*random_move)(tables_t tables, state_t state, Rng* rng) noexcept nogil
    # Plays a legal move, or at chance an outcome.
    void (*apply)(tables_t tables, void* state, move_t move) noexcept nogil
    # Per seat, once over: 1 split among the winners; a draw by length splits it among all.
    void (*returns)(tables_t tables, state_t state, double* values) noexcept nogil
    # Per seat, once over: 1 is best, ties share.
    void (*ranks)(tables_t tables, state_t state, int* ranks) noexcept nogil

    # -- chance
    int (*chance_outcomes)(tables_t tables, state_t state, move_t* outcomes, double* probabilities) noexcept nogil
    move_t (*sample_chance)(tables_t tables, state_t state, Rng* rng) noexcept nogil
    # What this event is for (purpose, seat, turn), so that a caller who counts the draws of each
    # stream can give the same luck to games that took different ways (common random numbers).
    u64 (*chance_stream)(tables_t tables, state_t state) noexcept nogil

    # -- information. The observer is a seat, or SPECTATOR for what everyone sees.
    # Draws everything hidden from the observer anew, consistently with what the observer knows.
    void (*determinize)(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil
    # The same for two positions exactly when they look the same to the observer.
    u64 (*information_key)(tables_t tables, state_t state, int observer) noexcept nogil
    # The whole position, hidden parts included.
    u64 (*position_hash)(tables_t tables, state_t state) noexcept nogil
    # Another number for each turn of the game: moves of one turn can be reordered, turns cannot.
    int (*turn_number)(tables_t tables, state_t state) noexcept nogil

    # -- knowledge
    # Expected return per seat, as `returns` would give it; cheap.
    void (*evaluate)(tables_t tables, state_t state, double* values) noexcept nogil
    # The estimated rounds until each seat is done; 0 where a game has no such measure.
    void (*rounds_left)(tables_t tables, state_t state, double* rounds) noexcept nogil
    # A sensible move for the seat to act; cheap.
    move_t (*playout_move)(tables_t tables, state_t state, Rng* rng) noexcept nogil
    # A weight for each of the given legal moves: positive, summing to 1.
    void (*priors)(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil


cdef class Move:
    # A move or chance outcome. `str(move)` is the game's move text.
    cdef readonly Game game
    cdef readonly move_t code


cdef class Game:
    # One set-up of a game: its options and board. Immutable; states share it.
    cdef const GameOps* ops
    cdef tables_t tables
    cdef move_t* scratch            # room for max_moves, used only with the GIL held
    cdef double* scratch_doubles
    cdef readonly str name
    cdef readonly int players
    cdef readonly object options
    cdef Game unseeded              # see `without_seed`
    cdef dict own_weights           # where they are not the usual ones
    cdef str own_net                # likewise
    cdef dict with_other_weights    # see `with_weights`

    # The same set-up without its seed, from which the whole deal could be worked out: what a View stands on.
    cdef Game without_seed(self)
    # The same set-up with an evaluation that has these weights, all of them given; those of a game that
    # names inputs of a network have it as `net`.
    cdef Game weighed(self, dict values)
    cdef str checked_net(self, object text)
    # Called by the game's own __init__ once `ops` and `tables` stand.
    cdef int ready(self) except -1
    # The position at the start, written to `state`.
    cdef int start(self, void* state) except -1
    # Notation: the text of a move, and back. `parse_move` raises IllegalMove for unreadable text.
    cdef str move_text(self, move_t move)
    cdef move_t parse_move(self, State state, str text) except 0


cdef class State:
    cdef readonly Game game
    cdef void* data

    # The legal moves or outcomes into the game's scratch buffer; their number.
    cdef int list_moves(self) noexcept
    # The code of a Move or move text that is legal now, or IllegalMove.
    cdef move_t find_move(self, object move) except 0
    # The code of a Move or move text that can be read on this board, whether or not it is legal now.
    cdef move_t read_code(self, object move) except 0


cdef class View:
    # What one seat knows. It holds a position drawn from that knowledge alone, never the true one.
    cdef readonly Game game
    cdef readonly int seat          # or SPECTATOR
    cdef readonly u64 key           # equal for two views of a game and seat exactly when they look the same
    cdef State drawn

    # Draws one of the positions that fit, into a state of this game; the same number gives the same position.
    cdef void draw(self, void* state, u64 number) noexcept nogil
    # Whether which moves are legal now can depend on what the seat does not see.
    cdef bint moves_are_hidden(self) noexcept nogil


cdef Move make_move(Game game, move_t code)
cdef State new_state_of(Game game)
cdef View view_of(State state, int seat)
