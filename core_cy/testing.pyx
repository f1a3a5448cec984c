"""Doors into the C side for tests and benchmarks. Nothing else uses them."""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from pythia.core_cy.game cimport CHANCE, GameOps, NOBODY, State, tables_t
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
    """Seconds for so many clones in C."""
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
