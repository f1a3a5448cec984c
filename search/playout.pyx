"""Playouts by a game's own policy, and judgements with other weights: what learning and truth are measured with."""

from libc.stdlib cimport free, malloc

from pythia.core_cy.game cimport CHANCE, Game, GameOps, MAX_PLAYERS, NOBODY, State, tables_t
from pythia.core_cy.rng cimport Rng, mix64, rng_double, rng_keyed
from pythia.core_cy.types cimport move_t, u32, u64

cdef enum:
    MAX_MOVES_OF_A_PLAYOUT = 20000
    MAX_STREAMS = 4096          # streams of luck told apart in one playout

ctypedef struct Streams:
    u64 key[MAX_STREAMS]
    u32 draws[MAX_STREAMS]


cdef move_t draw(const GameOps* ops, tables_t tables, const void* state, u64 luck, Streams* streams) noexcept nogil:
    """An outcome from the stream of its purpose, seat, turn and draw, as the luck of a search and of a game."""
    cdef u64 stream = ops.chance_stream(tables, state)
    cdef u32 slot = <u32>(mix64(stream) & (MAX_STREAMS - 1))
    cdef Rng rng
    if streams.key[slot] != stream:
        streams.key[slot] = stream
        streams.draws[slot] = 0
    streams.draws[slot] += 1
    rng_keyed(&rng, luck, stream * <u64>0x9E3779B97F4A7C15 + streams.draws[slot])
    return ops.sample_chance(tables, state, &rng)


cdef move_t wander(const GameOps* ops, tables_t tables, const void* state, double power, move_t* moves,
                   float* weights, Rng* rng) noexcept nogil:
    """A legal move drawn by its prior to a power."""
    cdef int count = ops.legal_moves(tables, state, moves), i
    cdef double total = 0.0, left
    if count == 1:
        return moves[0]
    ops.priors(tables, state, moves, count, weights)
    for i in range(count):
        weights[i] = <float>(weights[i] ** power)
        total += weights[i]
    left = rng_double(rng) * total
    for i in range(count):
        left -= weights[i]
        if left < 0:
            return moves[i]
    return moves[count - 1]


def play_on(State state not None, luck, int last_turn=0x7FFFFFFF, double power=0.0, int wander_until=-1,
            int moves_at_most=MAX_MOVES_OF_A_PLAYOUT):
    """Play the position on, in place, by the policy of all seats, until its turn is past `last_turn` or it is over.

    `luck` is a seed: the same one meets the same dice and draws. Up to the turn `wander_until` moves are drawn by their
    priors to the power `power`, so that playouts take different ways. After `moves_at_most` moves and outcomes it stops
    at the next decision.
    """
    cdef const GameOps* ops = state.game.ops
    cdef tables_t tables = state.game.tables
    cdef void* data = state.data
    cdef u64 seed = <u64>(luck & 0xFFFFFFFFFFFFFFFF)
    cdef Streams* streams = <Streams*>malloc(sizeof(Streams))
    cdef move_t* moves = <move_t*>malloc(ops.max_moves * sizeof(move_t))
    cdef float* weights = <float*>malloc(ops.max_moves * sizeof(float))
    cdef Rng rng
    cdef int actor, turn, i
    cdef move_t move
    try:
        if not (streams and moves and weights):
            raise MemoryError()
        with nogil:
            for i in range(MAX_STREAMS):
                streams.key[i] = 0
                streams.draws[i] = 0
            rng_keyed(&rng, seed, 2)
            for i in range(MAX_MOVES_OF_A_PLAYOUT):
                actor = ops.to_act(tables, data)
                if actor == NOBODY or (i >= moves_at_most and actor != CHANCE):
                    break
                turn = ops.turn_number(tables, data)
                if turn > last_turn:
                    break
                if actor == CHANCE:
                    move = draw(ops, tables, data, seed, streams)
                elif turn <= wander_until:
                    move = wander(ops, tables, data, power, moves, weights, &rng)
                else:
                    move = ops.playout_move(tables, data, &rng)
                ops.apply(tables, data, move)
    finally:
        free(streams)
        free(moves)
        free(weights)


def judge_with(State state not None, list games not None):
    """The judgement of a position by each of the games, which are this one with other weights: a list per game."""
    cdef double values[MAX_PLAYERS]
    cdef Game game
    cdef int i
    found = []
    for game in games:
        if game.ops != state.game.ops:
            raise ValueError(f"games: {game!r} is not {state.game.name} with other weights")
        game.ops.evaluate(game.tables, state.data, values)
        found.append([values[i] for i in range(game.players)])
    return found
