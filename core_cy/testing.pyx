"""Doors into the C side for tests and benchmarks. Nothing else uses them."""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from pythia.core_cy.clock cimport now
from pythia.core_cy.game cimport CHANCE, Game, GameOps, NOBODY, State, state_t, tables_t
from pythia.core_cy.rng cimport Random, Rng
from pythia.core_cy.rng cimport rng_below
from pythia.core_cy.types cimport move_t, u64

import time
from typing import NamedTuple


class RandomPlay(NamedTuple):
    moves: int          # outcomes of chance included
    decisions: int
    games: int          # finished, or cut after their turns
    listed: int         # legal moves written, over all decisions
    seconds: float


def play_random(State state not None, Random rng not None, long moves, bint listing=True, int turns=0):
    """Play uniformly random moves in C, chance included, starting over whenever a game ends.

    Stops after `moves` moves; with `turns`, a game also starts over after that many of them. `listing`
    writes every legal move before one is drawn; without it the game draws one its own way. The state is
    left where play stopped.
    """
    cdef const GameOps* ops = state.game.ops
    cdef tables_t tables = state.game.tables
    cdef void* start = malloc(ops.state_size)
    cdef move_t* buffer = <move_t*>malloc(ops.max_moves * sizeof(move_t))
    cdef Rng* stream = &rng.rng
    cdef void* data = state.data
    cdef long played = 0, decisions = 0, finished = 0, listed = 0
    cdef int actor, count, first_turn
    cdef move_t move
    if start == NULL or buffer == NULL:
        raise MemoryError()
    memcpy(start, data, ops.state_size)
    first_turn = ops.turn_number(tables, start)
    began = time.perf_counter()
    with nogil:
        while played < moves:
            actor = ops.to_act(tables, data)
            if actor == NOBODY or (turns and ops.turn_number(tables, data) - first_turn >= turns):
                finished += 1
                memcpy(data, start, ops.state_size)
                continue
            decisions += actor != CHANCE
            if actor == CHANCE:
                move = ops.sample_chance(tables, data, stream)
            elif listing:
                count = ops.legal_moves(tables, data, buffer)
                listed += count
                move = buffer[rng_below(stream, <unsigned int>count)]
            else:
                move = ops.random_move(tables, data, stream)
            ops.apply(tables, data, move)
            played += 1
    seconds = time.perf_counter() - began
    free(start)
    free(buffer)
    return RandomPlay(played, decisions, finished, listed, seconds)


def clone_seconds(State state not None, long times):
    """Seconds for this number of clones in C."""
    cdef size_t size = state.game.ops.state_size
    cdef char* copies = <char*>malloc(2 * size)
    cdef long i
    if copies == NULL:
        raise MemoryError()
    memcpy(copies, state.data, size)
    began = time.perf_counter()
    with nogil:
        for i in range(times):
            # Each copy is the source of the next, so that none can be left out.
            memcpy(copies + ((i + 1) & 1) * size, copies + (i & 1) * size, size)
            copies[((i + 1) & 1) * size] = <char>(copies[(i & 1) * size] + 1)
    seconds = time.perf_counter() - began
    free(copies)
    return seconds


def determinized(State state not None, int observer, Random rng not None):
    """A copy in which everything hidden from the observer, a seat or SPECTATOR, is drawn anew."""
    cdef State copy = state.clone()
    state._check_observer(observer)
    copy.game.ops.determinize(copy.game.tables, copy.data, observer, &rng.rng)
    return copy


def state_size(State state not None):
    """Bytes of a position."""
    return state.game.ops.state_size


cdef u64 count_leaves(const GameOps* ops, tables_t tables, const void* state, int depth) noexcept nogil:
    cdef int actor = ops.to_act(tables, state)
    cdef move_t* moves
    cdef double* probabilities
    cdef void* child
    cdef int count, i
    cdef u64 leaves = 0
    if depth == 0 or actor == NOBODY:
        return 1
    moves = <move_t*>malloc(ops.max_moves * sizeof(move_t))
    probabilities = <double*>malloc(ops.max_moves * sizeof(double))
    child = malloc(ops.state_size)
    if actor == CHANCE:
        count = ops.chance_outcomes(tables, state, moves, probabilities)
    else:
        count = ops.legal_moves(tables, state, moves)
    if depth == 1:
        leaves = <u64>count
    else:
        for i in range(count):
            memcpy(child, state, ops.state_size)
            ops.apply(tables, child, moves[i])
            leaves += count_leaves(ops, tables, child, depth - 1)
    free(child)
    free(probabilities)
    free(moves)
    return leaves


def perft(State state not None, int depth):
    """How many lines of play there are of a length, outcomes of chance counted as moves."""
    cdef u64 leaves
    cdef const GameOps* ops = state.game.ops
    cdef tables_t tables = state.game.tables
    cdef void* data = state.data
    with nogil:
        leaves = count_leaves(ops, tables, data, depth)
    return leaves


def priors(State state not None):
    """The weight that the game gives to each legal move, in their order."""
    cdef int count = state.list_moves()
    cdef float* weights = <float*>malloc(max(1, count) * sizeof(float))
    if weights == NULL:
        raise MemoryError()
    state.game.ops.priors(state.game.tables, state.data, state.game.scratch, count, weights)
    result = [weights[i] for i in range(count)]
    free(weights)
    return result


def playout_move(State state not None, Random rng not None):
    """The text of the move that the game's playout policy makes."""
    return state.game.move_text(state.game.ops.playout_move(state.game.tables, state.data, &rng.rng))


def play_policy(State state not None, Random rng not None):
    """Play the game to its end in C, every seat by the game's playout policy. Returns (moves played, seconds)."""
    cdef const GameOps* ops = state.game.ops
    cdef tables_t tables = state.game.tables
    cdef void* data = state.data
    cdef Rng* stream = &rng.rng
    cdef long played = 0
    cdef int actor
    began = time.perf_counter()
    with nogil:
        while True:
            actor = ops.to_act(tables, data)
            if actor == NOBODY:
                break
            if actor == CHANCE:
                ops.apply(tables, data, ops.sample_chance(tables, data, stream))
            else:
                ops.apply(tables, data, ops.playout_move(tables, data, stream))
            played += 1
    return played, time.perf_counter() - began


# -- where the time of a search goes

cdef enum:
    RULES, DETERMINIZATION, KEYS, EVALUATION, POLICY, PARTS

cdef const GameOps* real            # of the game that is timed now
cdef GameOps timed
cdef double[PARTS] spent
cdef long[PARTS] calls


cdef inline void book(int part, double began) noexcept nogil:
    spent[part] += now() - began
    calls[part] += 1


cdef int timed_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil:
    cdef double began = now()
    cdef int count = real.legal_moves(tables, state, moves)
    book(RULES, began)
    return count


cdef void timed_apply(tables_t tables, void* state, move_t move) noexcept nogil:
    cdef double began = now()
    real.apply(tables, state, move)
    book(RULES, began)


cdef move_t timed_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef double began = now()
    cdef move_t move = real.sample_chance(tables, state, rng)
    book(RULES, began)
    return move


cdef void timed_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil:
    cdef double began = now()
    real.determinize(tables, state, observer, rng)
    book(DETERMINIZATION, began)


cdef u64 timed_information_key(tables_t tables, state_t state, int observer) noexcept nogil:
    cdef double began = now()
    cdef u64 key = real.information_key(tables, state, observer)
    book(KEYS, began)
    return key


cdef void timed_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef double began = now()
    real.evaluate(tables, state, values)
    book(EVALUATION, began)


cdef move_t timed_playout_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef double began = now()
    cdef move_t move = real.playout_move(tables, state, rng)
    book(POLICY, began)
    return move


cdef void timed_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef double began = now()
    real.priors(tables, state, moves, count, weights)
    book(POLICY, began)


class Timing:
    """While open, times what one game does for those who call it from C, in one thread.

    `seconds()` then has the time in each part, without that of reading the clock. What a game does for itself counts
    for the part that was called: a policy that lists moves is policy.
    """

    def __init__(self, Game game not None):
        self.game = game

    def __enter__(self):
        global real, timed
        cdef Game game = self.game
        cdef int part
        real = game.ops
        timed = real[0]
        timed.legal_moves = timed_legal_moves
        timed.apply = timed_apply
        timed.sample_chance = timed_sample_chance
        timed.determinize = timed_determinize
        timed.information_key = timed_information_key
        timed.evaluate = timed_evaluate
        timed.playout_move = timed_playout_move
        timed.priors = timed_priors
        for part in range(PARTS):
            spent[part] = 0
            calls[part] = 0
        game.ops = &timed
        return self

    def __exit__(self, *_):
        cdef Game game = self.game
        game.ops = real

    def seconds(self):
        cdef int i, _time
        cdef double began = now(), cost
        for _time in range(100000):
            now()
        cost = (now() - began) / 100000
        names = ("rules", "determinization", "keys", "evaluation", "policy")
        # The clock's own cost, twice for each call, is also in the caller's time: "clock".
        found = {name: spent[i] - calls[i] * cost for i, name in enumerate(names)}
        return found | {"clock": 2 * cost * sum([calls[i] for i in range(PARTS)])}
