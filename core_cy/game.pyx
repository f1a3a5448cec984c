"""`Game`, `State`, `View` and `Move`: the Python face of the contract in `game.pxd`."""

cimport cython
from cpython.list cimport PyList_SetItem
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport Py_INCREF
from libc.string cimport memcpy, memset

from pythia.core_cy.rng cimport Random, Rng, rng_keyed, rng_seed, seed_from
from pythia.core_cy.types cimport move_t, u64

from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.net_text import net_numbers
from pythia.core_cy.weights import BadWeights, Names, WeightsFile

globals()["CHANCE"] = CHANCE
globals()["NOBODY"] = NOBODY
globals()["SPECTATOR"] = SPECTATOR

# Positions drawn to find out whether a move shows something hidden. If it can show two things with equal chance, all
# agree by accident once in 2 ** 23.
WORLDS = 24
# The same for an outcome of chance that a seat may not tell from others. It is announced when no position speaks
# against it, so there are more: what would be so in one position of ten is missed once in a thousand times.
OUTCOME_WORLDS = 64

# Games with other weights that a game keeps, so that bots which take turns find theirs again.
cdef int MAX_WEIGHTS_KEPT = 8


@cython.final
@cython.freelist(2048)
cdef class Move:
    """A move or chance outcome of a `game`; `str(move)` is its text, `code` its number in the C code."""

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


cdef Move make_move(Game game, move_t code):
    cdef Move move = Move.__new__(Move)
    move.game = game
    move.code = code
    return move


cdef class Game:
    """One set-up of a game: its `name`, its number of `players`, its `options` and its board.

    All states of the set-up share it; it never changes.
    """

    cdef int ready(self) except -1:
        cdef const GameOps* ops = self.ops
        there = {
            "to_act": ops.to_act != NULL, "legal_moves": ops.legal_moves != NULL,
            "random_move": ops.random_move != NULL, "apply": ops.apply != NULL, "returns": ops.returns != NULL,
            "ranks": ops.ranks != NULL, "chance_outcomes": ops.chance_outcomes != NULL,
            "sample_chance": ops.sample_chance != NULL, "chance_stream": ops.chance_stream != NULL,
            "determinize": ops.determinize != NULL, "information_key": ops.information_key != NULL,
            "position_hash": ops.position_hash != NULL, "turn_number": ops.turn_number != NULL,
            "evaluate": ops.evaluate != NULL, "rounds_left": ops.rounds_left != NULL,
            "playout_move": ops.playout_move != NULL, "priors": ops.priors != NULL,
            "state_size": ops.state_size > 0, "max_moves": ops.max_moves > 0,
        }
        missing = [name for name in there if not there[name]]
        if missing:
            raise TypeError(f"{self.name}: its table of rules (GameOps) lacks {', '.join(missing)}")
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
        """Whether everyone can know the legal moves of a seat."""
        return self.ops.public_moves

    def new_state(self):
        """Return the position at the start."""
        cdef State state = new_state_of(self)
        self.start(state.data)
        return state

    cdef Game without_seed(self):
        if self.options.get("seed") is None:
            return self
        if self.unseeded is None:
            from pythia.core_cy.registry import state_from_json
            self.unseeded = (<State>state_from_json(self.new_state().to_json())).game
            if self.own_weights is not None:
                self.unseeded = self.unseeded.with_weights({**self.own_weights, "net": self.own_net})
        return self.unseeded

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
        """Return one sentence on the rule that a well-formed but illegal move breaks."""
        return "not among the legal moves"

    def move_fields(self, Move move):
        """Return the parts of a move by name, for front-ends; always with `text`."""
        return {"text": self.move_text(move.code)}

    def state_to_json(self, State state):
        """The full position as a plain dict."""
        raise TypeError(f"{type(self).__name__} has no JSON form")

    def observation_of(self, State state, int seat):
        """What the seat sees, or for SPECTATOR (-1) what everyone sees."""
        raise TypeError(f"{type(self).__name__} has no JSON form")

    def why_good(self, State before, State after, int seat, Move move):
        """Find what the move from one position to the other is good for; nothing by default.

        Returns a Phrase of the section `reasons` for each reason, or a text; `move_words.tell_reasons` says them.
        """
        return []

    # Facts for people about the moves and the score of a position. Search does not use them.

    def move_facts(self, known, move):
        """Return what a legal move costs, risks and brings, as plain dicts: `price`, `odds`, `gains`.

        `known` is a View, or a State, which stands for the view of its seat to act. Empty groups are left out. The
        result is empty for outcomes of chance, for another seat's moves if only that seat knows what is legal, and for
        games without such facts.
        """
        cdef View view = view_of_known(self, known)
        if not view.is_over and view.moves_are_hidden():
            return {}
        cdef Move played = make_move(view.game, view.drawn.find_move(move))
        facts = view.game.facts_of(view.observation(), view.game.move_fields(played))
        return {group: told for group, told in facts.items() if told}

    def scores(self, known):
        """Return `total` and its `parts` for each seat, as if the game ended now; None for a game without a score.

        `known` is as for `move_facts`. Parts that the viewer cannot see count as 0.
        """
        cdef View view = view_of_known(self, known)
        return view.game.scores_of(view.observation())

    def facts_of(self, observation, fields):
        """The game's part of `move_facts`, from what the viewer sees and the parts of a move; nothing by default."""
        return {}

    def scores_of(self, observation):
        """The game's part of `scores`, from what the viewer sees; None by default: it has no score."""
        return None

    def reveals_of(self, before, after):
        """What the viewer of two observations was shown between them, as texts such as `reveal 3,-1 red phi`.

        Two observations that a move may lead to must have different texts; None by default: the parts of the JSON in
        which they differ tell it (`pythia.core_cy.reveals`).
        """
        return None

    def search_params(self):
        """Return search parameters (`pythia.search.params`) that suit the game better than the defaults."""
        return dict(self.weights_file().search)

    # What a game offers whose evaluation has weights.
    feature_names = ()
    per_round = 1.0         # of what the evaluation counts, so much is done in a round

    def features(self, State state):
        """What the evaluation sees of each seat, by feature_names."""
        raise TypeError(f"{self.name} has no evaluation to fit")

    # What the policy sees of a move, for a game whose policy has weights.
    move_feature_names = ()

    def move_features(self, State state):
        """The features of every legal move, in their order, by move_feature_names: a matrix of floats."""
        raise TypeError(f"{self.name} has no features of moves")

    def weights(self):
        """The weights of the evaluation and the policy by name; none for a game that has none."""
        return {}

    # A network that corrects the evaluation (net.pxd), for a game that names inputs.

    def net(self):
        """The network as text (`pythia.core_cy.net_text`); empty where there is none."""
        return ""

    def net_inputs(self, State state):
        """What the network sees of each seat, by weight_names.net: a matrix of floats."""
        raise TypeError(f"{self.name} has no inputs of a network")

    @property
    def weight_names(self):
        """What these weights are called, as the parts of a weights file (`pythia.core_cy.weights`)."""
        return Names(self.name, tuple(self.weights()))

    def weights_file(self, str version=None):
        """The weights file that the game plays with, or the one that it kept of a release."""
        if version is not None:
            raise BadWeights(f"version: {version!r} of {self.name} is not allowed; allowed: none")
        return WeightsFile(self.name, self.weights())

    cdef Game weighed(self, dict values):
        raise TypeError(f"{self.name} has no weights")

    def with_weights(self, changes):
        """Return the same set-up with some weights of the evaluation, or its `net`, changed. This game does not change.
        """
        cdef dict values = self.weights()
        cdef str net = self.net()
        cdef Game game
        for name, value in changes.items():
            if name == "net":
                net = self.checked_net(value)
                continue
            if name not in values:
                allowed = ", ".join(values) or f"none for {self.name}"
                raise ValueError(f"weights: {name!r} is not allowed; allowed: {allowed}")
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ValueError(f"weights.{name}: {value!r} is not allowed; allowed: a number")
            values[name] = float(value)
        key = (*values.values(), net)
        if self.with_other_weights is None:
            self.with_other_weights = {}
        game = self.with_other_weights.get(key)
        if game is None:
            game = self.weighed({**values, "net": net} if self.weight_names.net else values)
            game.own_weights = values
            game.own_net = net
            if len(self.with_other_weights) == MAX_WEIGHTS_KEPT:
                del self.with_other_weights[next(iter(self.with_other_weights))]
            self.with_other_weights[key] = game
        return game

    cdef str checked_net(self, object text):
        inputs = len(self.weight_names.net)
        if not isinstance(text, str) or text and not inputs:
            raise ValueError(f"weights.net: {str(text)[:40]!r} is not allowed; allowed: "
                             + ("the text of a network" if inputs else f"none for {self.name}"))
        try:
            net_numbers(text, inputs)
        except ValueError as error:
            raise ValueError(f"weights.{error}") from None
        return text

    def render(self, State state):
        """The position as text for people."""
        raise TypeError(f"{type(self).__name__} has no text form")


cdef State bare_state(Game game):
    cdef State state = State.__new__(State)
    state.game = game
    state.data = PyMem_Malloc(game.ops.state_size)
    if state.data == NULL:
        raise MemoryError()
    return state


cdef State new_state_of(Game game):
    """A state with its memory zeroed; the caller fills it."""
    cdef State state = bare_state(game)
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
        """Whether the game is over."""
        return self.game.ops.to_act(self.game.tables, self.data) == NOBODY

    @property
    def turn_number(self):
        """The number of the turn; it differs for each turn of the game."""
        return self.game.ops.turn_number(self.game.tables, self.data)

    def legal_moves(self):
        """Return every legal move; when chance decides, every outcome; nothing when the game is over."""
        cdef Game game = self.game
        cdef int count = self.list_moves()
        cdef list moves = [None] * count
        cdef Move move
        cdef int i
        for i in range(count):
            move = make_move(game, game.scratch[i])
            Py_INCREF(move)
            PyList_SetItem(moves, i, move)  # takes the reference; `moves[i] = move` is slow with the stable ABI
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
        """Return [(Move, probability)] of all outcomes when chance decides; they sum to 1."""
        self._need_chance()
        cdef int count = self.list_moves()
        cdef int i
        return [(make_move(self.game, self.game.scratch[i]), self.game.scratch_doubles[i]) for i in range(count)]

    def sample_chance(self, rng=None):
        """Draw an outcome. `rng`: a Random, a random.Random, a seed, or None for fresh entropy."""
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
        """Draw a legal move of the seat to act; all are equally likely."""
        if self.game.ops.to_act(self.game.tables, self.data) < 0:
            raise ValueError(f"to_act: {self.to_act} is not a seat; ask only at a player's decision")
        return make_move(self.game, self.game.ops.random_move(self.game.tables, self.data, &rng.rng))

    def parse_move(self, str text not None):
        """Return the legal move or outcome with this text, or raise IllegalMove with the reason."""
        return make_move(self.game, self.find_move(text))

    def read_move(self, str text not None):
        """Return the move or outcome with this text, whether or not it is legal now."""
        return make_move(self.game, self.game.parse_move(self, text))

    cdef move_t find_move(self, object move) except 0:
        cdef Game game = self.game
        cdef move_t code = self.read_code(move)
        cdef int i
        for i in range(self.list_moves()):
            if game.scratch[i] == code:
                return code
        if self.is_over:
            raise IllegalMove(f"{str(move)!r}: the game is over")
        raise IllegalMove(f"{str(move)!r}: {game.why_illegal(self, make_move(game, code))}")

    cdef move_t read_code(self, object move) except 0:
        if isinstance(move, Move):
            if (<Move>move).game is self.game or (<Move>move).game.without_seed() is self.game.without_seed():
                return (<Move>move).code
            # The same words can have another code on another board.
            return self.game.parse_move(self, str(move))
        if isinstance(move, str):
            return self.game.parse_move(self, <str>move)
        raise TypeError(f"move: {move!r} is not allowed; allowed: a Move or its text")

    def apply(self, move):
        """Play a move or an outcome, given as a Move or its text."""
        cdef move_t code = self.find_move(move)
        self.game.ops.apply(self.game.tables, self.data, code)

    def clone(self):
        """Return a copy that can be changed without changing this state."""
        cdef State copy = bare_state(self.game)
        memcpy(copy.data, self.data, self.game.ops.state_size)
        return copy

    def imagined(self, int seat, rng=None):
        """Return a clone in which everything hidden from the seat, or SPECTATOR (-1), is drawn again; without the seed.

        `rng`: a Random, a random.Random, a seed, or None for fresh entropy.
        """
        self._check_observer(seat)
        cdef State copy = bare_state(self.game.without_seed())
        cdef Random luck = rng if isinstance(rng, Random) else Random(rng)
        memcpy(copy.data, self.data, self.game.ops.state_size)
        copy.game.ops.determinize(copy.game.tables, copy.data, seat, &luck.rng)
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
        """Return the expected return of each seat by the game's own evaluation, without search."""
        cdef double values[MAX_PLAYERS]
        self.game.ops.evaluate(self.game.tables, self.data, values)
        return [values[i] for i in range(self.game.players)]

    def rounds_left(self):
        """Return the estimated rounds until each seat is done; 0 if the game has no such measure."""
        cdef double rounds[MAX_PLAYERS]
        self.game.ops.rounds_left(self.game.tables, self.data, rounds)
        return [rounds[i] for i in range(self.game.players)]

    def information_key(self, int seat):
        """Return a key that two positions share if and only if they look the same to the seat, or to SPECTATOR (-1)."""
        self._check_observer(seat)
        return self.game.ops.information_key(self.game.tables, self.data, seat)

    def position_hash(self):
        """Return a hash of the whole position, including hidden parts."""
        return self.game.ops.position_hash(self.game.tables, self.data)

    def to_json(self):
        """Return the full state as a plain dict."""
        return self.game.state_to_json(self)

    def observation(self, int seat):
        """Return what the seat sees as a plain dict; for SPECTATOR (-1), what every seat may see."""
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


cdef View view_of(State state, int seat):
    cdef View view = View.__new__(View)
    cdef Rng rng
    view.game = state.game.without_seed()
    view.seat = seat
    view.key = view.game.ops.information_key(view.game.tables, state.data, seat)
    view.drawn = bare_state(view.game)
    memcpy(view.drawn.data, state.data, view.game.ops.state_size)
    # By the key alone, so that what is hidden from the seat has no say in what is drawn.
    rng_keyed(&rng, view.key, 0)
    view.game.ops.determinize(view.game.tables, view.drawn.data, seat, &rng)
    return view


cdef View view_of_known(Game game, object known):
    """A view, or what the seat to act knows of a state; at chance and at the end, what everyone knows."""
    cdef View view = known if isinstance(known, View) else view_of(<State?>known, max(known.to_act, SPECTATOR))
    if view.game.name != game.name:
        raise ValueError(f"game: a position of {view.game.name} is not allowed; allowed: one of {game.name}")
    return view


@cython.final
cdef class View:
    """What one `seat`, or a spectator, knows of a position of its `game`. Bots choose from it.

    Two views of a game and seat have the same `key` if and only if they look the same. Nothing in a view depends on
    what is hidden from its seat: views of two positions that look the same to the seat are the same in every respect. A
    view never changes.
    """

    def __init__(self):
        raise TypeError("views come from View.of(state, seat) or View.from_observation(obj)")

    @staticmethod
    def of(State state not None, int seat):
        """Return what the seat knows, or for SPECTATOR (-1) what everyone knows."""
        state._check_observer(seat)
        return view_of(state, seat)

    @staticmethod
    def from_observation(obj):
        """Read a view that `view.observation()` or `state.observation(seat)` wrote."""
        from pythia.core_cy.registry import state_from_observation
        return view_of(state_from_observation(obj, 0), obj["observer"])

    @property
    def to_act(self):
        """The seat that decides; CHANCE (-1) when dice or cards decide; NOBODY (-2) when the game is over."""
        return self.drawn.to_act

    @property
    def is_over(self):
        """Whether the game is over."""
        return self.drawn.is_over

    @property
    def turn_number(self):
        """The number of the turn; it differs for each turn of the game."""
        return self.drawn.turn_number

    def observation(self):
        """Return what the seat sees as a plain dict."""
        return self.game.observation_of(self.drawn, self.seat)

    def imagined(self, rng=None):
        """Draw a full position that looks like this to the seat; everything hidden is random."""
        return self.drawn.imagined(self.seat, rng)

    def legal_moves(self):
        """Return every legal move of the seat, which must be to act."""
        self.need_to_act()
        return self.drawn.legal_moves()

    def parse_move(self, str text not None):
        """Return the legal move of the seat with this text, or raise IllegalMove with the reason."""
        self.need_to_act()
        return self.drawn.parse_move(text)

    def read_move(self, str text not None):
        """Return the move or outcome with this text, whether or not it is legal now."""
        return self.drawn.read_move(text)

    def need_to_act(self):
        """ValueError unless the seat is to act."""
        cdef int actor = self.drawn.to_act
        if actor == NOBODY:
            raise ValueError("observation: the game is over; allowed: a game that goes on")
        if actor != self.seat or actor == CHANCE:
            who = "chance" if actor == CHANCE else f"seat {actor}"
            raise ValueError(
                f"observation: {who} is to act; allowed: the observation of the seat to act, not of {self.seat}")

    def evaluate(self):
        """Return the expected return of each seat by the evaluation of a position that fits, without search."""
        return self.drawn.evaluate()

    def rounds_left(self):
        """Return the estimated rounds until each seat is done; 0 if the game has no such measure."""
        return self.drawn.rounds_left()

    def why_good(self, move):
        """Find what a legal move of the seat is good for, as `Game.why_good`; `move_words.reasons` says it in words."""
        cdef State after = self.drawn.clone()
        cdef Move played = make_move(self.game, self.drawn.find_move(move))
        after.apply(played)
        return self.game.why_good(self.drawn, after, self.seat, played)

    def with_weights(self, changes):
        """Return the same view with some weights of the game's evaluation changed."""
        cdef View view = View.__new__(View)
        view.game = self.game.with_weights(changes)
        view.seat = self.seat
        view.key = self.key
        view.drawn = bare_state(view.game)
        memcpy(view.drawn.data, self.drawn.data, view.game.ops.state_size)
        return view

    # -- what a move will show

    cdef void draw(self, void* state, u64 number) noexcept nogil:
        cdef Rng rng
        memcpy(state, self.drawn.data, self.game.ops.state_size)
        rng_keyed(&rng, self.key, number + 1)
        self.game.ops.determinize(self.game.tables, state, self.seat, &rng)

    cdef bint moves_are_hidden(self) noexcept nogil:
        cdef int actor = self.game.ops.to_act(self.game.tables, self.drawn.data)
        return actor == CHANCE or not (self.game.ops.public_moves or actor == self.seat)

    def foresees(self, move, int worlds=WORLDS):
        """Whether the seat can tell now what it will see after a move or outcome: it shows nothing hidden.

        A move that is not legal in every position that fits reveals something, so it is not foreseen.
        """
        cdef State world = bare_state(self.game)
        cdef move_t code = self.drawn.read_code(move)
        cdef bint hidden = self.moves_are_hidden()
        cdef u64 key, first = 0
        cdef int i
        if not hidden:
            self.drawn.find_move(move)
        for i in range(worlds):
            self.draw(world.data, i)
            if hidden and not is_legal(world, code):
                return False
            self.game.ops.apply(self.game.tables, world.data, code)
            key = self.game.ops.information_key(self.game.tables, world.data, self.seat)
            if i == 0:
                first = key
            elif key != first:
                return False
        return True

    def after(self, move, int worlds=WORLDS):
        """Return the views that the seat may have after a move or outcome, each once; none if it is not legal."""
        cdef State world = bare_state(self.game)
        cdef move_t code = self.drawn.read_code(move)
        cdef bint hidden = self.moves_are_hidden()
        cdef u64 key
        cdef int i
        cdef dict found = {}
        if not hidden and not is_legal(self.drawn, code):
            return []
        for i in range(worlds):
            self.draw(world.data, i)
            if hidden and not is_legal(world, code):
                continue
            self.game.ops.apply(self.game.tables, world.data, code)
            key = self.game.ops.information_key(self.game.tables, world.data, self.seat)
            if key not in found:
                found[key] = view_of(world, self.seat)
        return list(found.values())

    def chances(self, int worlds=OUTCOME_WORLDS):
        """[(Move, probability)] at chance, the mean of what fits what the seat knows; and whether it sees any of it.

        It sees nothing of an event that can have several outcomes when all of them look the same to it.
        """
        self.drawn._need_chance()
        cdef State world = bare_state(self.game), next = bare_state(self.game)
        cdef const GameOps* ops = self.game.ops
        cdef tables_t tables = self.game.tables
        cdef u64 key, first = 0
        cdef bint begun = False, seen = False
        cdef int i, j
        cdef dict found = {}
        for i in range(worlds):
            self.draw(world.data, i)
            for j in range(world.list_moves()):
                found[self.game.scratch[j]] = found.get(self.game.scratch[j], 0.0) + self.game.scratch_doubles[j]
                if seen:
                    continue
                memcpy(next.data, world.data, ops.state_size)
                ops.apply(tables, next.data, self.game.scratch[j])
                key = ops.information_key(tables, next.data, self.seat)
                seen = begun and key != first
                first, begun = key, True
        moves = [(make_move(self.game, code), found[code] / worlds) for code in sorted(found)]
        return moves, seen or len(moves) == 1

    def recognises(self, outcome, View now not None, int worlds=OUTCOME_WORLDS):
        """Whether the seat, which sees `now` after an outcome of chance, can tell which outcome it was.

        It cannot when in a position that fits another outcome, which leads elsewhere, would look the same.
        """
        cdef State world = bare_state(self.game), next = bare_state(self.game)
        cdef const GameOps* ops = self.game.ops
        cdef tables_t tables = self.game.tables
        cdef move_t code = self.drawn.read_code(outcome)
        cdef u64 actual
        cdef bint possible
        cdef int i, j, count
        for i in range(worlds):
            self.draw(world.data, i)
            possible = is_legal(world, code)
            count = world.list_moves()
            actual = 0
            if possible:
                memcpy(next.data, world.data, ops.state_size)
                ops.apply(tables, next.data, code)
                actual = ops.position_hash(tables, next.data)
            for j in range(count):
                if self.game.scratch[j] == code:
                    continue
                memcpy(next.data, world.data, ops.state_size)
                ops.apply(tables, next.data, self.game.scratch[j])
                if (ops.information_key(tables, next.data, self.seat) == now.key
                        and not (possible and ops.position_hash(tables, next.data) == actual)):
                    return False
        return True

    def __eq__(self, other):
        return (isinstance(other, View) and self.key == (<View>other).key and self.seat == (<View>other).seat
                and self.game is (<View>other).game)

    def __hash__(self):
        return hash((self.key, self.seat))

    def __repr__(self):
        who = "a spectator" if self.seat == SPECTATOR else f"seat {self.seat}"
        return f"<View of {self.game.name} by {who}, to act: {self.to_act}, key {self.key:016x}>"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        # Not as an observation: no game reads that of a spectator. What is drawn reveals nothing either.
        return stored_view, (self.drawn.to_json(), self.seat)


def stored_view(position, seat):
    """A view out of a pickle."""
    from pythia.core_cy.registry import state_from_json
    return View.of(state_from_json(position), seat)


cdef bint is_legal(State state, move_t code) noexcept:
    """Whether the move or outcome is possible; all that are, are in the game's scratch buffer."""
    cdef int i
    for i in range(state.list_moves()):
        if state.game.scratch[i] == code:
            return True
    return False
