"""`Game`, `State` and `Move`: the Python face of the contract in `game.pxd`."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memcpy, memset

from pythia.core_cy.rng cimport Random, Rng, rng_seed, seed_from
from pythia.core_cy.types cimport move_t

from pythia.core_cy.errors import IllegalMove

globals()["CHANCE"] = CHANCE
globals()["NOBODY"] = NOBODY
globals()["SPECTATOR"] = SPECTATOR


@cython.final
@cython.freelist(2048)
cdef class Move:
    """A move or chance outcome of a game; `str(move)` is its text."""

    def __init__(self):
        raise TypeError("moves come from state.legal_moves() or state.parse_move(text)")

    def __str__(self):
        return self.game.move_text(self.code)

    def __repr__(self):
        return f"Move({self.game.move_text(self.code)!r})"

    def __eq__(self, other):
        return isinstance(other, Move) and self.code == (<Move>other).code and self.game.name == (<Move>other).game.name

    def __hash__(self):
        return self.code


cdef inline Move make_move(Game game, move_t code):
    cdef Move move = Move.__new__(Move)
    move.game = game
    move.code = code
    return move


cdef class Game:
    """One set-up of a game: its options and its board. Shared by all its states, never changed."""

    cdef int ready(self) except -1:
        self.scratch = <move_t*>PyMem_Malloc(self.ops.max_moves * sizeof(move_t))
        self.scratch_doubles = <double*>PyMem_Malloc(self.ops.max_moves * sizeof(double))
        if self.scratch == NULL or self.scratch_doubles == NULL:
            raise MemoryError()
        return 0

    def __dealloc__(self):
        PyMem_Free(self.scratch)
        PyMem_Free(self.scratch_doubles)

    @property
    def public_moves(self):
        """Whether the legal moves of a seat follow from what everyone sees."""
        return self.ops.public_moves

    def new_state(self):
        """The position at the start."""
        cdef State state = new_state_of(self)
        self.start(state.data)
        return state

    def __repr__(self):
        return f"<Game {self.name} {dict(self.options)}>"

    # What every game writes for itself.

    cdef int start(self, void* state) except -1:
        raise TypeError(f"{type(self).__name__} does not say how it starts")

    cdef str move_text(self, move_t move):
        raise TypeError(f"{type(self).__name__} has no move text")

    cdef move_t parse_move(self, State state, str text) except 0:
        raise TypeError(f"{type(self).__name__} has no move text")

    def why_illegal(self, State state, Move move):
        """One sentence on the rule that a readable but illegal move breaks."""
        return "not among the legal moves"

    def move_fields(self, Move move):
        """The parts of a move by name, for front-ends; `text` always."""
        return {"text": self.move_text(move.code)}

    def state_to_json(self, State state):
        raise TypeError(f"{type(self).__name__} has no JSON form")

    def observation_of(self, State state, int seat):
        """What the seat sees, or for SPECTATOR (-1) what everyone sees."""
        raise TypeError(f"{type(self).__name__} has no JSON form")

    def reasons(self, State before, State after, int seat, str move):
        """In words, what the move that led from one position to the other is good for; nothing by default."""
        return []

    def search_params(self):
        """Parameters of the tree search (`pythia.search.params`) that suit the game better than the usual ones."""
        return {}

    # What a game offers whose evaluation can be fitted (see pythia.search.fit).
    feature_names = ()

    def features(self, State state):
        raise TypeError(f"{self.name} has no evaluation to fit")

    def weights(self):
        raise TypeError(f"{self.name} has no evaluation to fit")

    def load_weights(self, dict values):
        raise TypeError(f"{self.name} has no evaluation to fit")

    def render(self, State state):
        """The position as text for people."""
        raise TypeError(f"{type(self).__name__} has no text form")


cdef State new_state_of(Game game):
    """A state with its memory zeroed; the caller fills it."""
    cdef State state = State.__new__(State)
    state.game = game
    state.data = PyMem_Malloc(game.ops.state_size)
    if state.data == NULL:
        raise MemoryError()
    memset(state.data, 0, game.ops.state_size)
    return state


@cython.final
cdef class State:
    """A position. Queries never change it; `apply` does, or raises IllegalMove and changes nothing."""

    def __init__(self):
        raise TypeError("states come from game.new_state(), state.clone() or state_from_json(obj)")

    def __dealloc__(self):
        PyMem_Free(self.data)

    @property
    def to_act(self):
        """The seat that decides; CHANCE (-1) when dice or cards decide; NOBODY (-2) when the game is over."""
        return self.game.ops.to_act(self.game.tables, self.data)

    @property
    def is_over(self):
        return self.game.ops.to_act(self.game.tables, self.data) == NOBODY

    @property
    def turn_number(self):
        """Another number for each turn of the game."""
        return self.game.ops.turn_number(self.game.tables, self.data)

    def legal_moves(self):
        """Every legal move; at chance, every outcome; none when the game is over."""
        cdef Game game = self.game
        cdef int count = self.list_moves()
        cdef list moves = [None] * count
        cdef int i
        for i in range(count):
            moves[i] = make_move(game, game.scratch[i])
        return moves

    cdef int list_moves(self) noexcept:
        cdef Game game = self.game
        cdef int actor = game.ops.to_act(game.tables, self.data)
        if actor == NOBODY:
            return 0
        if actor == CHANCE:
            return game.ops.chance_outcomes(game.tables, self.data, game.scratch, game.scratch_doubles)
        return game.ops.legal_moves(game.tables, self.data, game.scratch)

    def chance_outcomes(self):
        """[(Move, probability)] at chance, summing to 1."""
        self._need_chance()
        cdef int count = self.list_moves()
        cdef int i
        return [(make_move(self.game, self.game.scratch[i]), self.game.scratch_doubles[i]) for i in range(count)]

    def sample_chance(self, rng=None):
        """An outcome drawn with its probability. `rng`: a Random, a random.Random, a seed, or None for fresh luck."""
        self._need_chance()
        cdef Rng fresh
        if isinstance(rng, Random):
            return make_move(self.game, self.game.ops.sample_chance(self.game.tables, self.data, &(<Random>rng).rng))
        rng_seed(&fresh, seed_from(rng))
        return make_move(self.game, self.game.ops.sample_chance(self.game.tables, self.data, &fresh))

    def chance_stream(self):
        """A number for what the open event is for (purpose, seat, turn): the key of its luck."""
        self._need_chance()
        return self.game.ops.chance_stream(self.game.tables, self.data)

    def _need_chance(self):
        if self.game.ops.to_act(self.game.tables, self.data) != CHANCE:
            raise ValueError(f"to_act: {self.to_act} is not chance; ask only while state.to_act == CHANCE (-1)")

    def random_move(self, Random rng not None):
        """A uniformly drawn legal move of the seat to act."""
        if self.game.ops.to_act(self.game.tables, self.data) < 0:
            raise ValueError(f"to_act: {self.to_act} is not a seat; ask only at a player's decision")
        return make_move(self.game, self.game.ops.random_move(self.game.tables, self.data, &rng.rng))

    def parse_move(self, str text not None):
        """The legal move, or at chance the outcome, with this text; IllegalMove says what is wrong with it."""
        return make_move(self.game, self.find_move(text))

    def read_move(self, str text not None):
        """The move or outcome with this text, whether or not it is legal now."""
        return make_move(self.game, self.game.parse_move(self, text))

    cdef move_t find_move(self, object move) except 0:
        cdef Game game = self.game
        cdef move_t code
        cdef int i
        if isinstance(move, Move):
            code = (<Move>move).code
            if (<Move>move).game is not game:
                # The same words can have another code on another board.
                code = game.parse_move(self, str(move))
        elif isinstance(move, str):
            code = game.parse_move(self, <str>move)
        else:
            raise TypeError(f"move: {move!r} is not allowed; allowed: a Move or its text")
        for i in range(self.list_moves()):
            if game.scratch[i] == code:
                return code
        if self.is_over:
            raise IllegalMove(f"{str(move)!r}: the game is over")
        raise IllegalMove(f"{str(move)!r}: {game.why_illegal(self, make_move(game, code))}")

    def apply(self, move):
        """Play a Move or its text, or at chance an outcome."""
        cdef move_t code = self.find_move(move)
        self.game.ops.apply(self.game.tables, self.data, code)

    def clone(self):
        cdef State copy = State.__new__(State)
        copy.game = self.game
        copy.data = PyMem_Malloc(self.game.ops.state_size)
        if copy.data == NULL:
            raise MemoryError()
        memcpy(copy.data, self.data, self.game.ops.state_size)
        return copy

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def returns(self):
        """Per seat, once the game is over: 1 split among the winners, 0 for the others."""
        self._need_over()
        cdef double values[MAX_PLAYERS]
        self.game.ops.returns(self.game.tables, self.data, values)
        return [values[i] for i in range(self.game.players)]

    def ranks(self):
        """Per seat, once the game is over: 1 is best, ties share."""
        self._need_over()
        cdef int ranks[MAX_PLAYERS]
        self.game.ops.ranks(self.game.tables, self.data, ranks)
        return [ranks[i] for i in range(self.game.players)]

    def _need_over(self):
        if not self.is_over:
            raise ValueError("the game is not over; returns and ranks are known once state.is_over")

    def evaluate(self):
        """Expected return per seat by the game's own judgement, without search."""
        cdef double values[MAX_PLAYERS]
        self.game.ops.evaluate(self.game.tables, self.data, values)
        return [values[i] for i in range(self.game.players)]

    def rounds_left(self):
        """Rounds until each seat is done, by the game's own judgement; 0 where the game has no such measure."""
        cdef double rounds[MAX_PLAYERS]
        self.game.ops.rounds_left(self.game.tables, self.data, rounds)
        return [rounds[i] for i in range(self.game.players)]

    def information_key(self, int seat):
        """Equal for two positions exactly when they look the same to the seat, or to SPECTATOR (-1)."""
        self._check_observer(seat)
        return self.game.ops.information_key(self.game.tables, self.data, seat)

    def position_hash(self):
        """A hash of the whole position, hidden parts included."""
        return self.game.ops.position_hash(self.game.tables, self.data)

    def to_json(self):
        """The full state as a plain dict."""
        return self.game.state_to_json(self)

    def observation(self, int seat):
        """The same, with everything hidden from the seat removed; for SPECTATOR (-1), all that any seat may not see."""
        self._check_observer(seat)
        return self.game.observation_of(self, seat)

    def _check_observer(self, int seat):
        """The C functions of the games rely on it: nobody but a seat and SPECTATOR observes."""
        if seat != SPECTATOR and not 0 <= seat < self.game.players:
            raise ValueError(f"seat: {seat} is not allowed; allowed: 0 to {self.game.players - 1}, "
                             f"or {SPECTATOR} for a spectator")

    def __str__(self):
        return self.game.render(self)

    def __repr__(self):
        return f"<State of {self.game.name}, to act: {self.to_act}>"

    def __reduce__(self):
        from pythia.core_cy.registry import state_from_json
        return state_from_json, (self.to_json(),)
