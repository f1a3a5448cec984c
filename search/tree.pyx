"""Single-observer information-set Monte-Carlo tree search, for any game of the contract, without the GIL.

Cowling, Powley, Whitehouse (2012): every iteration draws what the searching seat cannot see anew, and walks one
tree whose nodes are the information sets of that seat. A node's key is how the position looks to the seat, so

- the same actions in another order lead to the same node (the tree is a graph within a turn), and
- after a look, what was seen is part of the key: the tree branches on it, and looking has a value.

Chance is sampled in place; its outcomes show in the next key. Each seat maximises its own return (max^n); in a
paranoid search, all others minimise the return of the searching seat. Nodes keep their moves by prior and consider
more of them with more visits. Leaves are played on by the games' own policies for some rounds and then judged by the
games' evaluation.

Where what others may do depends on what they hold, a node of theirs has the moves of all determinizations so far:
each visit selects among those legal in its own, by the priors of its own, and a move gets its bonus by how often it
could have been chosen (availability), not by all visits of the node.

Luck is keyed by iteration, purpose, seat, turn and draw: two moves compared in the same iteration meet the same
hidden parts, dice and cards.
"""

from libc.math cimport pow, sqrt
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from pythia.core_cy.clock cimport now
from pythia.core_cy.game cimport (
    CHANCE, Game, GameOps, MAX_PLAYERS, Move, NOBODY, SPECTATOR, State, View, make_move, tables_t,
)
from pythia.core_cy.rng cimport Rng, mix64, rng_keyed
from pythia.core_cy.types cimport move_t, u32, u64

from typing import NamedTuple

cdef enum:
    MAX_DEPTH = 256         # decisions of one iteration inside the tree
    MAX_STREAMS = 128       # streams of luck told apart in one iteration
    MAX_PLAYOUT = 20000     # moves of one playout, a guard against endless policies

ctypedef struct Edge:
    move_t move
    float prior
    u32 visits
    u32 available           # visits of the node at which the move was legal; kept where moves are not public
    double sum              # of the returns that the seat that moves wants to be high, see `aim`
    double squares

ctypedef struct Node:
    u64 key
    u32 visits
    u32 first               # its edges, best priors first
    u32 edges
    u32 room                # edges that fit where they are
    int actor
    double sum              # as in its edges

ctypedef struct Settings:
    # SearchParams for C.
    double exploration, first_play_reduction, virtual_visits, prior_power
    double width, width_growth, width_power, early_share, early_iterations
    int max_children, tree_turns, playout_rounds
    bint paranoid, common_luck, transpositions, private_knowledge
    u32 max_nodes

ctypedef struct PathStep:
    u32 node
    u32 edge


class RootMove(NamedTuple):
    """What the search found about one move at the root."""

    move: Move
    visits: int
    value: float
    variance: float
    prior: float


cdef class StopFlag:
    """Set from anywhere, polled by searches between iterations."""

    cdef volatile int flag

    def set(self):
        self.flag = 1

    def is_set(self):
        return self.flag != 0


cdef class Search:
    """One tree from what a seat that is to act knows. The same inputs give the same tree."""

    cdef Game game
    cdef const GameOps* ops
    cdef tables_t tables
    cdef int seat, players, root_turn
    cdef u32 root_node
    cdef Settings settings
    cdef u64 seed
    cdef void* root             # a position that looks like the view searched from
    cdef void* work             # the position of the iteration under way
    cdef move_t* buffer
    cdef float* weights
    cdef Node* nodes
    cdef Edge* edge_pool
    cdef u32* table             # open addressing: node + 1, 0 is empty
    cdef u32 node_count, node_room, edge_count, edge_room, table_mask
    cdef PathStep path[MAX_DEPTH]
    cdef u64 stream_keys[MAX_STREAMS]
    cdef u32 stream_draws[MAX_STREAMS]
    cdef int streams
    cdef u64 iteration_seed
    cdef Rng policy_rng
    cdef double totals[MAX_PLAYERS]
    cdef u64 samples            # iterations of the whole tree, which number the luck
    cdef readonly long iterations, transitions
    cdef readonly int depth

    def __cinit__(self, View view not None, params, seed, moves=None):
        view.need_to_act()
        self.game = view.game
        self.ops = view.game.ops
        self.tables = view.game.tables
        self.seat = view.seat
        self.players = view.game.players
        self.seed = <u64>(seed & 0xFFFFFFFFFFFFFFFF)
        self.settings.exploration = params.exploration
        self.settings.first_play_reduction = params.first_play_reduction
        self.settings.virtual_visits = params.virtual_visits
        self.settings.prior_power = params.prior_power
        self.settings.width = params.width
        self.settings.width_growth = params.width_growth
        self.settings.width_power = params.width_power
        self.settings.max_children = params.max_children or self.ops.max_moves
        self.settings.tree_turns = params.tree_turns
        self.settings.playout_rounds = params.playout_rounds
        self.settings.common_luck = params.common_luck
        self.settings.transpositions = params.transpositions
        self.settings.private_knowledge = params.private_knowledge
        self.settings.early_share = params.early_share
        self.settings.early_iterations = params.early_iterations
        self.settings.paranoid = params.paranoid
        self.settings.max_nodes = max(1, params.max_nodes)
        self.root_turn = self.ops.turn_number(self.tables, view.drawn.data)
        self.root = malloc(self.ops.state_size)
        self.work = malloc(self.ops.state_size)
        self.buffer = <move_t*>malloc(self.ops.max_moves * sizeof(move_t))
        self.weights = <float*>malloc(self.ops.max_moves * sizeof(float))
        self.node_room = 1024
        self.edge_room = 16384
        self.table_mask = 4095
        self.nodes = <Node*>malloc(self.node_room * sizeof(Node))
        self.edge_pool = <Edge*>malloc(self.edge_room * sizeof(Edge))
        self.table = <u32*>calloc(self.table_mask + 1, sizeof(u32))
        if not (self.root and self.work and self.buffer and self.weights and self.nodes and self.edge_pool
                and self.table):
            raise MemoryError()
        memcpy(self.root, view.drawn.data, self.ops.state_size)
        self.make_root([view.drawn.find_move(move) for move in moves] if moves is not None else None)

    def __dealloc__(self):
        free(self.root)
        free(self.work)
        free(self.buffer)
        free(self.weights)
        free(self.nodes)
        free(self.edge_pool)
        free(self.table)

    cdef int make_root(self, list moves) except -1:
        cdef int count = self.ops.legal_moves(self.tables, self.root, self.buffer), kept = 0, i
        if moves is not None:
            wanted = set(moves)
            for i in range(count):
                if self.buffer[i] in wanted:
                    self.buffer[kept] = self.buffer[i]
                    kept += 1
            count = kept
        if count == 0:
            raise ValueError("moves: none of them is legal")
        # Every root move is kept: a caller may ask for any of them.
        if self.expand(self.root, self.seat, self.key_of(self.root), count, count) < 0:
            raise MemoryError()
        return 0

    def knows(self, View view not None):
        """Whether the tree has been at this position of the same turn, as far as the seat can tell."""
        return (self.settings.transpositions and view.game is self.game and view.seat == view.to_act == self.seat
                and view.turn_number == self.root_turn and self.find(self.key_of(view.drawn.data)) >= 0)

    def go_on(self, View view not None):
        """Search on from a view that the tree knows: what it found there is kept."""
        cdef long number = self.find(self.key_of(view.drawn.data))
        cdef int count = self.ops.legal_moves(self.tables, view.drawn.data, self.buffer), i
        cdef u32 first, edges, j
        cdef Edge* edge
        cdef Node* node
        if number < 0 or not self.grow_edges(<u32>count):
            raise ValueError("view: the tree does not know this position")
        memcpy(self.root, view.drawn.data, self.ops.state_size)
        node = &self.nodes[number]
        first, edges = node.first, node.edges
        self.list_edges(node, self.root, count, count)
        for i in range(count):
            edge = &self.edge_pool[node.first + i]
            for j in range(first, first + edges):
                if self.edge_pool[j].move == edge.move:
                    edge.visits = self.edge_pool[j].visits
                    edge.available = self.edge_pool[j].available
                    edge.sum = self.edge_pool[j].sum
                    edge.squares = self.edge_pool[j].squares
        self.root_node = <u32>number
        memset(self.totals, 0, sizeof(self.totals))
        self.iterations = self.depth = 0

    # -- nodes

    cdef u64 key_of(self, const void* state) noexcept nogil:
        return self.ops.information_key(
            self.tables, state, self.seat if self.settings.private_knowledge else SPECTATOR)

    cdef long find(self, u64 key) noexcept nogil:
        cdef u32 slot = <u32>key & self.table_mask
        while self.table[slot]:
            if self.nodes[self.table[slot] - 1].key == key:
                return self.table[slot] - 1
            slot = (slot + 1) & self.table_mask
        return -1

    cdef bint grow_edges(self, u32 edges) noexcept nogil:
        """Make room for this many more edges."""
        cdef u32 room
        cdef void* moved
        if self.edge_count + edges > self.edge_room:
            room = max(2 * self.edge_room, self.edge_count + edges)
            moved = realloc(self.edge_pool, room * sizeof(Edge))
            if moved == NULL:
                return False
            self.edge_pool = <Edge*>moved
            self.edge_room = room
        return True

    cdef bint grow(self, u32 edges) noexcept nogil:
        """Make room for one more node with this many edges; False if memory or the cap does not allow it."""
        cdef u32 i, slot
        cdef void* moved
        if self.node_count >= self.settings.max_nodes:
            return False
        if self.node_count == self.node_room:
            moved = realloc(self.nodes, 2 * self.node_room * sizeof(Node))
            if moved == NULL:
                return False
            self.nodes = <Node*>moved
            self.node_room *= 2
        if not self.grow_edges(edges):
            return False
        if 2 * (self.node_count + 1) > self.table_mask:
            moved = calloc(2 * (self.table_mask + 1), sizeof(u32))
            if moved == NULL:
                return False
            free(self.table)
            self.table = <u32*>moved
            self.table_mask = 2 * self.table_mask + 1
            for i in range(self.node_count):
                slot = <u32>self.nodes[i].key & self.table_mask
                while self.table[slot]:
                    slot = (slot + 1) & self.table_mask
                self.table[slot] = i + 1
        return True

    cdef long expand(self, const void* state, int actor, u64 key, int count, int keep) noexcept nogil:
        """A node for the legal moves in the buffer, the best `keep` by prior in order; -1 when there is no room."""
        cdef Node* node
        cdef u32 slot
        keep = min(keep, count)
        if not self.grow(<u32>keep):
            return -1
        node = &self.nodes[self.node_count]
        memset(node, 0, sizeof(Node))
        node.key = key
        node.actor = actor
        self.list_edges(node, state, count, keep)
        slot = <u32>key & self.table_mask
        while self.table[slot]:
            slot = (slot + 1) & self.table_mask
        self.table[slot] = self.node_count + 1
        self.node_count += 1
        return self.node_count - 1

    cdef void list_edges(self, Node* node, const void* state, int count, int keep) noexcept nogil:
        """Gives a node the best `keep` of the moves in the buffer, in order of their priors, at the end of the pool."""
        cdef Edge* edges = &self.edge_pool[self.edge_count]
        cdef int i, j, best
        cdef float weight, total = 0
        cdef move_t move
        self.weigh(state, count)
        node.first = self.edge_count
        node.edges = node.room = <u32>keep
        for i in range(keep):
            best = i
            for j in range(i + 1, count):
                if self.weights[j] > self.weights[best]:
                    best = j
            weight = self.weights[best]
            self.weights[best] = self.weights[i]
            self.weights[i] = weight
            move = self.buffer[best]
            self.buffer[best] = self.buffer[i]
            self.buffer[i] = move
            memset(&edges[i], 0, sizeof(Edge))
            edges[i].move = move
            edges[i].prior = weight
            total += weight
        for i in range(keep):
            edges[i].prior /= total
        self.edge_count += <u32>keep

    cdef void weigh(self, const void* state, int count) noexcept nogil:
        """The priors of the moves in the buffer, to the power that is set, with a sum of 1."""
        cdef int i
        cdef float most, total = 0
        self.ops.priors(self.tables, state, self.buffer, count, self.weights)
        if self.settings.prior_power == 1.0:
            return
        # Seen from the largest, which stays 1: however high the power, they do not all vanish.
        most = self.weights[0]
        for i in range(1, count):
            most = max(most, self.weights[i])
        for i in range(count):
            self.weights[i] = <float>pow(self.weights[i] / most, self.settings.prior_power)
            total += self.weights[i]
        for i in range(count):
            self.weights[i] /= total

    cdef bint is_hidden(self, int actor) noexcept nogil:
        """Whether a node of this seat does not tell which moves it has: what decides it is not part of the key."""
        return not self.ops.public_moves and (actor != self.seat or not self.settings.private_knowledge)

    cdef u32 select(self, const Node* node) noexcept nogil:
        """The edge with the highest value and bonus among those considered now."""
        cdef const Edge* edges = &self.edge_pool[node.first]
        cdef const Edge* edge
        cdef u32 considered, i, best = 0
        cdef double score, best_score = -1e30, spread, unvisited, virtual, wide
        considered = node.edges
        if node.edges > 1:
            wide = self.settings.width + self.settings.width_growth * pow(node.visits, self.settings.width_power)
            # Compared as it is: a large one does not fit into a u32.
            considered = <u32>min(max(wide, 1.0), <double>node.edges)
        virtual = self.settings.virtual_visits
        spread = self.settings.exploration * sqrt(node.visits + 1.0)
        unvisited = (node.sum / node.visits if node.visits else 0.5) - self.settings.first_play_reduction
        for i in range(considered):
            edge = &edges[i]
            score = unvisited
            if edge.visits:
                score = (edge.sum + virtual * unvisited) / (edge.visits + virtual)
            score += spread * edge.prior / (1.0 + edge.visits)
            if score > best_score:
                best_score = score
                best = i
        return best

    cdef long select_hidden(self, long number, const void* state) noexcept nogil:
        """The same among the moves legal in this determinization, with its priors; -1 when there is no room for one."""
        cdef Node* node = &self.nodes[number]
        cdef Edge* edge
        cdef u32 i
        cdef long best_edge = -1, known
        cdef int count, j, best = 0
        cdef double score, best_score = -1e30, unvisited, virtual = self.settings.virtual_visits
        cdef u32 visits, available
        unvisited = (node.sum / node.visits if node.visits else 0.5) - self.settings.first_play_reduction
        count = self.ops.legal_moves(self.tables, state, self.buffer)
        self.weigh(state, count)
        for j in range(count):
            known = -1
            visits = 0
            available = node.visits
            score = unvisited
            for i in range(node.edges):
                edge = &self.edge_pool[node.first + i]
                if edge.move == self.buffer[j]:
                    known = i
                    edge.available += 1
                    available = edge.available
                    visits = edge.visits
                    if visits:
                        score = (edge.sum + virtual * unvisited) / (visits + virtual)
                    break
            score += self.settings.exploration * sqrt(available + 1.0) * self.weights[j] / (1.0 + visits)
            if score > best_score:
                best_score = score
                best = j
                best_edge = known
        return best_edge if best_edge >= 0 else self.add_edge(node, self.buffer[best], self.weights[best])

    cdef long add_edge(self, Node* node, move_t move, float prior) noexcept nogil:
        """A further move of a node, whose edges go to the end of the pool when they do not fit where they are."""
        cdef Edge* edge
        if node.edges == node.room:
            if not self.grow_edges(2 * node.room + 4):
                return -1
            memcpy(&self.edge_pool[self.edge_count], &self.edge_pool[node.first], node.edges * sizeof(Edge))
            node.first = self.edge_count
            node.room = 2 * node.room + 4
            self.edge_count += node.room
        edge = &self.edge_pool[node.first + node.edges]
        memset(edge, 0, sizeof(Edge))
        edge.move = move
        edge.prior = prior
        edge.available = 1
        node.edges += 1
        return node.edges - 1

    # -- luck

    cdef move_t draw(self, const void* state) noexcept nogil:
        """An outcome of the open event, from the stream of its purpose, seat, turn and draw."""
        cdef u64 stream = self.ops.chance_stream(self.tables, state)
        cdef Rng rng
        cdef int i
        for i in range(self.streams):
            if self.stream_keys[i] == stream:
                break
        else:
            i = self.streams
            if self.streams < MAX_STREAMS:
                self.stream_keys[i] = stream
                self.stream_draws[i] = 0
                self.streams += 1
            else:
                i = MAX_STREAMS - 1
        self.stream_draws[i] += 1
        rng_keyed(&rng, self.iteration_seed, stream * <u64>0x9E3779B97F4A7C15 + self.stream_draws[i])
        return self.ops.sample_chance(self.tables, state, &rng)

    cdef void begin_iteration(self, u64 number) noexcept nogil:
        """The position of an iteration, its hidden parts drawn, and its luck."""
        cdef Rng rng
        self.iteration_seed = mix64(self.seed ^ mix64(number * 4 + 2))
        if not self.settings.common_luck:
            self.iteration_seed = mix64(self.iteration_seed ^ mix64(self.samples + 77))
        self.streams = 0
        rng_keyed(&rng, self.iteration_seed, 1)
        rng_keyed(&self.policy_rng, self.iteration_seed, 2)
        memcpy(self.work, self.root, self.ops.state_size)
        self.ops.determinize(self.tables, self.work, self.seat, &rng)

    # -- one iteration

    cdef inline double aim(self, int actor, const double* values) noexcept nogil:
        """What a seat in the tree tries to make high, where the seats get these values."""
        if self.settings.paranoid and actor != self.seat:
            return 1 - values[self.seat]
        return values[actor]

    cdef void iterate(self) noexcept nogil:
        """Walk, play on, judge, remember."""
        cdef void* state = self.work
        cdef double values[MAX_PLAYERS]
        cdef double early[MAX_PLAYERS]
        cdef double value, share = 0
        cdef int actor, turn, length = 0, count, i
        cdef long number, choice
        cdef u64 key
        cdef Node* node
        cdef Edge* edge
        while True:
            actor = self.ops.to_act(self.tables, state)
            if actor == NOBODY:
                break
            if actor == CHANCE:
                self.ops.apply(self.tables, state, self.draw(state))
                self.transitions += 1
                continue
            turn = self.ops.turn_number(self.tables, state)
            if length == MAX_DEPTH or turn > self.root_turn + self.settings.tree_turns:
                break
            if length == 0:
                number = self.root_node
            else:
                key = self.key_of(state)
                if not self.settings.transpositions:
                    # Nodes differ by the path that led to them.
                    key = mix64(key ^ self.nodes[self.path[length - 1].node].key * <u64>0x9E3779B97F4A7C15
                                ^ self.edge_pool[self.path[length - 1].edge].move)
                number = self.find(key)
            if number < 0:
                count = self.ops.legal_moves(self.tables, state, self.buffer)
                if count > 1:
                    # Moves that depend on what is hidden come in as they are tried.
                    self.expand(state, actor, key, count, 0 if self.is_hidden(actor) else self.settings.max_children)
                    break
                # A forced move needs no node.
                self.ops.apply(self.tables, state, self.buffer[0])
                self.transitions += 1
                continue
            node = &self.nodes[number]
            if self.is_hidden(actor):
                choice = self.select_hidden(number, state)
                if choice < 0:
                    break
            else:
                choice = self.select(node)
            self.path[length].node = <u32>number
            self.path[length].edge = node.first + <u32>choice
            length += 1
            self.ops.apply(self.tables, state, self.edge_pool[node.first + choice].move)
            self.transitions += 1
        self.depth = max(self.depth, length)
        if self.settings.early_share > 0 and self.settings.playout_rounds > 0:
            self.play_on(state, self.root_turn)
            if self.ops.to_act(self.tables, state) != NOBODY:
                share = self.settings.early_share / (1 + self.samples / self.settings.early_iterations)
                self.judge(state, early)
        self.play_on(state, self.root_turn + self.settings.playout_rounds * self.players)
        self.judge(state, values)
        for i in range(self.players):
            if share > 0:
                values[i] += share * (early[i] - values[i])
            self.totals[i] += values[i]
        for i in range(length):
            node = &self.nodes[self.path[i].node]
            edge = &self.edge_pool[self.path[i].edge]
            value = self.aim(node.actor, values)
            node.visits += 1
            node.sum += value
            edge.visits += 1
            edge.sum += value
            edge.squares += value * value
        self.iterations += 1
        self.samples += 1

    cdef inline void judge(self, const void* state, double* values) noexcept nogil:
        if self.ops.to_act(self.tables, state) == NOBODY:
            self.ops.returns(self.tables, state, values)
        else:
            self.ops.evaluate(self.tables, state, values)

    cdef void play_on(self, void* state, int last) noexcept nogil:
        """By the policies of all seats, until the turn `last` is over."""
        cdef int actor, _move
        for _move in range(MAX_PLAYOUT):
            actor = self.ops.to_act(self.tables, state)
            if actor == NOBODY or self.ops.turn_number(self.tables, state) > last:
                return
            if actor == CHANCE:
                self.ops.apply(self.tables, state, self.draw(state))
            else:
                self.ops.apply(self.tables, state, self.ops.playout_move(self.tables, state, &self.policy_rng))
            self.transitions += 1

    # -- running

    def run(self, long iterations, seconds=None, StopFlag stop=None):
        """Search on for a number of iterations, or of seconds, or both, whichever ends first; how many were done."""
        cdef bint timed = seconds is not None
        cdef double deadline = now() + seconds if timed else 0.0
        cdef long before = self.iterations, limit
        cdef StopFlag flag = stop if stop is not None else StopFlag()
        if iterations <= 0 and not timed:
            raise ValueError(f"iterations: {iterations} is not allowed; allowed: 1 or more, or a limit in seconds")
        limit = before + iterations if iterations > 0 else 0x7FFFFFFFFFFFFFFF
        with nogil:
            while self.iterations < limit and not flag.flag and not (timed and now() >= deadline):
                self.begin_iteration(self.samples)
                self.iterate()
        return self.iterations - before

    # -- what was found

    @property
    def nodes_made(self):
        return self.node_count

    def moves(self):
        """The root moves, best first: by visits, then by prior."""
        cdef const Edge* edge
        cdef u32 i
        cdef double value, variance
        cdef list found = []
        for i in range(self.nodes[self.root_node].edges):
            edge = &self.edge_pool[self.nodes[self.root_node].first + i]
            value = variance = 0.0
            if edge.visits:
                value = edge.sum / edge.visits
                variance = max(0.0, edge.squares / edge.visits - value * value)
            found.append(RootMove(make_move(self.game, edge.move), edge.visits, value, variance, edge.prior))
        found.sort(key=lambda root: (-root.visits, -root.prior))
        return found

    def values(self):
        """The mean return of each seat over all iterations."""
        if not self.iterations:
            return [1.0 / self.players] * self.players
        return [self.totals[i] / self.iterations for i in range(self.players)]

    cdef move_t most_visited(self, const Node* node, int count) noexcept:
        """Of the `count` legal moves in the buffer the one that the node tried most; 0 when it tried none."""
        cdef move_t best = 0
        cdef u32 most = 0, i
        cdef int j
        for i in range(node.first, node.first + node.edges):
            if self.edge_pool[i].visits > most:
                for j in range(count):
                    if self.buffer[j] == self.edge_pool[i].move:
                        best = self.edge_pool[i].move
                        most = self.edge_pool[i].visits
        return best

    def line(self, Move move not None, int length=12):
        """How play goes on after a root move, each seat by its most visited move and chance by its likeliest outcome.

        Returns the moves and outcomes, and the probability of those outcomes.
        """
        cdef void* state = self.work
        cdef int actor, count, i, best
        cdef long number = 0
        cdef Node* node
        cdef double probability = 1.0
        cdef double* chances
        cdef move_t code = move.code
        cdef list line = []
        for i in range(<int>self.nodes[self.root_node].edges):
            if self.edge_pool[self.nodes[self.root_node].first + i].move == code:
                break
        else:
            raise ValueError(f"move: {str(move)!r} is not a root move")
        self.begin_iteration(0)
        chances = <double*>malloc(self.ops.max_moves * sizeof(double))
        if chances == NULL:
            raise MemoryError()
        while True:
            line.append(make_move(self.game, code))
            self.ops.apply(self.tables, state, code)
            actor = self.ops.to_act(self.tables, state)
            if actor == NOBODY or len(line) == length:
                break
            if actor == CHANCE:
                count = self.ops.chance_outcomes(self.tables, state, self.buffer, chances)
                best = 0
                for i in range(count):
                    if chances[i] > chances[best]:
                        best = i
                code = self.buffer[best]
                probability *= chances[best]
                continue
            count = self.ops.legal_moves(self.tables, state, self.buffer)
            code = self.buffer[0]
            if count > 1:
                number = self.find(self.key_of(state))
                if number < 0 or not self.settings.transpositions:
                    break
                node = &self.nodes[number]
                code = self.most_visited(node, count)
                if code == 0:
                    break
        free(chances)
        return line, probability


cdef struct World:
    # What a seat's view may be in truth, and the luck that follows there.
    void* state
    Rng rng


cdef void draw_world(const GameOps* ops, tables_t tables, const void* state, int seat, u64 luck,
                     World* world) noexcept nogil:
    rng_keyed(&world.rng, luck, 0)
    memcpy(world.state, state, ops.state_size)
    ops.determinize(tables, world.state, seat, &world.rng)


cdef double judge_after(const GameOps* ops, tables_t tables, const World* world, void* work, int seat,
                        move_t move) noexcept nogil:
    """The judgement of the position after a move, with the luck of this world."""
    cdef double values[MAX_PLAYERS]
    cdef int actor
    cdef Rng rng = world.rng
    memcpy(work, world.state, ops.state_size)
    ops.apply(tables, work, move)
    while True:
        actor = ops.to_act(tables, work)
        if actor != CHANCE:
            break
        ops.apply(tables, work, ops.sample_chance(tables, work, &rng))
    if actor == NOBODY:
        ops.returns(tables, work, values)
    else:
        ops.evaluate(tables, work, values)
    return values[seat]


def one_ply(View view not None, int samples, seed, int finalists=8, seconds=None, StopFlag stop=None):
    """Every legal move with the mean judgement of the position after it, chance and hidden parts sampled.

    All moves meet the same luck. The best few are judged on four times as many samples more, or the luckiest of
    many moves would be taken for the best. `stop` and `seconds` end it between samples, after the first at the
    earliest. Returns [(move, expected return of the seat)], best first, and the samples that every move got.
    """
    cdef State state = view.drawn
    cdef const GameOps* ops = state.game.ops
    cdef tables_t tables = state.game.tables
    cdef int count = state.list_moves(), width = min(count, finalists), i, seat = view.seat
    cdef long done = 0, more = 0, most_more = 4 * <long>samples
    cdef move_t* moves = <move_t*>malloc(max(1, count) * sizeof(move_t))
    cdef double* sums = <double*>calloc(max(1, count), sizeof(double))
    cdef double* sums_more = <double*>calloc(max(1, width), sizeof(double))
    cdef int* chosen = <int*>malloc(max(1, width) * sizeof(int))
    cdef void* work = malloc(ops.state_size)
    cdef World world
    cdef u64 base = <u64>(seed & 0xFFFFFFFFFFFFFFFF)
    cdef double deadline = now() + seconds if seconds is not None else 0.0
    cdef bint timed = seconds is not None
    cdef StopFlag flag = stop if stop is not None else StopFlag()
    world.state = malloc(ops.state_size)
    try:
        if not (moves and sums and sums_more and chosen and work and world.state):
            raise MemoryError()
        if seat < 0 or state.to_act != seat:
            raise ValueError(f"seat: {seat} is not to act; to act: {state.to_act}")
        if samples < 1:
            raise ValueError(f"samples: {samples} is not allowed; allowed: 1 or more")
        memcpy(moves, state.game.scratch, count * sizeof(move_t))
        with nogil:
            while done < samples and (not done or not (flag.flag or timed and now() >= deadline)):
                draw_world(ops, tables, state.data, seat, mix64(base + <u64>done), &world)
                for i in range(count):
                    sums[i] += judge_after(ops, tables, &world, work, seat, moves[i])
                done += 1
        means = [sums[i] / done for i in range(count)]
        order = sorted(range(count), key=means.__getitem__, reverse=True)
        best = order[:finalists]
        for i in range(width):
            chosen[i] = best[i]
        with nogil:
            while done == samples and more < most_more and not (flag.flag or timed and now() >= deadline):
                draw_world(ops, tables, state.data, seat, mix64(base + <u64>(samples + more)), &world)
                for i in range(width):
                    sums_more[i] += judge_after(ops, tables, &world, work, seat, moves[chosen[i]])
                more += 1
        for i in range(width):
            means[chosen[i]] = (sums[chosen[i]] + sums_more[i]) / (done + more)
        best.sort(key=means.__getitem__, reverse=True)
        return [(make_move(state.game, moves[i]), means[i]) for i in best + order[finalists:]], done
    finally:
        free(moves)
        free(sums)
        free(sums_more)
        free(chosen)
        free(work)
        free(world.state)
