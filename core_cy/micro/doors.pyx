"""Three doors: a game in which looking before acting is optimal, for the tests of search.

A prize is hidden behind one of three doors. Seat 0 may look behind one door, once, and then opens one; seat 1 only
watches. The prize is worth 1 to seat 0, or 9/10 after a look; seat 1 gets the rest. Opening at once wins 1/3. After a
look seat 0 knows the door in a third of the cases and has two left otherwise: (1/3 + 2/3 * 1/2) * 9/10 = 3/5. A search
that does not tell apart what was seen values the look at 3/10 and opens at once.

Moves: `look 0`, `open 2`. Chance: `hide 1`.
JSON: {"game": "doors", "format": 1, "prize": "1", "looked": "0", "opened": ""}; in an observation "?" is a prize that
the observer has not seen.
"""

from types import MappingProxyType

from libc.string cimport memset

from pythia.core_cy.game cimport CHANCE, Game, GameOps, NOBODY, State, new_state_of, state_t, tables_t
from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.rng cimport Random, Rng, rng_below
from pythia.core_cy.types cimport move_t, u8, u64

from pythia.core_cy.errors import BadPosition, IllegalMove
from pythia.core_cy.registry import GameInfo, players_option, seed_option

cdef enum:
    DOORS = 3
    NO_DOOR = 3
    LOOK = 1                # LOOK + door
    OPEN = 4
    HIDE = 7

ctypedef struct DoorsState:
    u8 prize
    u8 looked
    u8 opened


cdef int doors_to_act(tables_t tables, state_t state) noexcept nogil:
    cdef const DoorsState* s = <const DoorsState*>state
    if s.prize == NO_DOOR:
        return CHANCE
    return 0 if s.opened == NO_DOOR else NOBODY


cdef int doors_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil:
    cdef int door, n = 0
    for door in range(DOORS):
        moves[n] = OPEN + door
        n += 1
    if (<const DoorsState*>state).looked == NO_DOOR:
        for door in range(DOORS):
            moves[n] = LOOK + door
            n += 1
    return n


cdef move_t doors_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef move_t moves[2 * DOORS]
    return moves[rng_below(rng, doors_legal_moves(tables, state, moves))]


cdef void doors_apply(tables_t tables, void* state, move_t move) noexcept nogil:
    cdef DoorsState* s = <DoorsState*>state
    if move >= HIDE:
        s.prize = <u8>(move - HIDE)
    elif move >= OPEN:
        s.opened = <u8>(move - OPEN)
    else:
        s.looked = <u8>(move - LOOK)


cdef void doors_returns(tables_t tables, state_t state, double* values) noexcept nogil:
    cdef const DoorsState* s = <const DoorsState*>state
    values[0] = 0.0
    if s.opened == s.prize:
        values[0] = 1.0 if s.looked == NO_DOOR else 0.9
    values[1] = 1.0 - values[0]


cdef void doors_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil:
    cdef const DoorsState* s = <const DoorsState*>state
    ranks[0] = 1 if s.opened == s.prize else 2
    ranks[1] = 3 - ranks[0]


cdef int doors_chance_outcomes(tables_t tables, state_t state, move_t* outcomes, double* probabilities) noexcept nogil:
    cdef int door
    for door in range(DOORS):
        outcomes[door] = HIDE + door
        probabilities[door] = 1.0 / DOORS
    return DOORS


cdef move_t doors_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    return HIDE + rng_below(rng, DOORS)


cdef u64 doors_chance_stream(tables_t tables, state_t state) noexcept nogil:
    return 0


cdef bint is_seen(const DoorsState* s, int observer) noexcept nogil:
    """Whether the observer knows where the prize is."""
    return s.prize == NO_DOOR or s.opened != NO_DOOR or (observer == 0 and s.looked == s.prize)


cdef void doors_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil:
    cdef DoorsState* s = <DoorsState*>state
    cdef int door
    if is_seen(s, observer):
        return
    if observer == 0 and s.looked != NO_DOOR:
        # Not where it looked.
        door = <int>rng_below(rng, DOORS - 1)
        s.prize = <u8>(door + (door >= s.looked))
    else:
        s.prize = <u8>rng_below(rng, DOORS)


cdef u64 doors_information_key(tables_t tables, state_t state, int observer) noexcept nogil:
    cdef DoorsState seen = (<const DoorsState*>state)[0]
    if not is_seen(&seen, observer):
        seen.prize = NO_DOOR + 1
    return hash_bytes(&seen, sizeof(DoorsState))


cdef u64 doors_position_hash(tables_t tables, state_t state) noexcept nogil:
    return hash_bytes(state, sizeof(DoorsState))


cdef int doors_turn_number(tables_t tables, state_t state) noexcept nogil:
    return (<const DoorsState*>state).opened != NO_DOOR


cdef void doors_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    if doors_to_act(tables, state) == NOBODY:
        doors_returns(tables, state, values)
    else:
        values[0] = values[1] = 0.5


cdef void doors_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil:
    rounds[0] = rounds[1] = 0.0


cdef void doors_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef int i
    for i in range(count):
        weights[i] = <float>(1.0 / count)


cdef GameOps OPS
OPS.state_size = sizeof(DoorsState)
OPS.max_moves = 2 * DOORS
OPS.public_moves = True
OPS.to_act = doors_to_act
OPS.legal_moves = doors_legal_moves
OPS.random_move = doors_random_move
OPS.apply = doors_apply
OPS.returns = doors_returns
OPS.ranks = doors_ranks
OPS.chance_outcomes = doors_chance_outcomes
OPS.sample_chance = doors_sample_chance
OPS.chance_stream = doors_chance_stream
OPS.determinize = doors_determinize
OPS.information_key = doors_information_key
OPS.position_hash = doors_position_hash
OPS.turn_number = doors_turn_number
OPS.evaluate = doors_evaluate
OPS.rounds_left = doors_rounds_left
OPS.playout_move = doors_random_move
OPS.priors = doors_priors

TEXTS = {
    first + door: f"{word} {door}"
    for first, word in ((LOOK, "look"), (OPEN, "open"), (HIDE, "hide"))
    for door in range(DOORS)
}
CODES = {text: code for code, text in TEXTS.items()}
FIELDS = ("prize", "looked", "opened")


cdef class DoorsGame(Game):
    """Three doors; `seed` is taken for the sake of the contract, hiding the prize is chance."""

    def __init__(self, options):
        self.name = "doors"
        self.players = 2
        self.options = MappingProxyType(dict(options))
        self.ops = &OPS
        self.ready()

    cdef int start(self, void* state) except -1:
        memset(state, NO_DOOR, sizeof(DoorsState))
        return 0

    cdef str move_text(self, move_t move):
        return TEXTS[move]

    cdef move_t parse_move(self, State state, str text) except 0:
        if text not in CODES:
            raise IllegalMove(f"{text!r} is not a move; allowed: {', '.join(CODES)}")
        return CODES[text]

    def state_to_json(self, State state):
        cdef DoorsState* s = <DoorsState*>state.data
        doors = (s.prize, s.looked, s.opened)
        return {"game": "doors", "format": 1} | {
            name: "" if door == NO_DOOR else str(door) for name, door in zip(FIELDS, doors, strict=True)
        }

    def observation_of(self, State state, int seat):
        obj = self.state_to_json(state)
        if not is_seen(<DoorsState*>state.data, seat):
            obj["prize"] = "?"
        obj["observer"] = seat
        return obj

    def render(self, State state):
        obj = self.state_to_json(state)
        return "Three doors: " + ", ".join(f"{name} {obj[name] or '-'}" for name in FIELDS)

    @staticmethod
    def state_from_json(obj):
        if "observer" in obj:
            raise BadPosition("observer", "this is an observation; read it with state_from_observation")
        return read_position(obj, "012")

    @staticmethod
    def state_from_observation(obj, Random rng not None):
        seat = obj.get("observer")
        if seat not in (0, 1) or isinstance(seat, bool):
            raise BadPosition("observer", f"{seat!r} is not allowed; allowed: 0, 1")
        cdef State state = read_position(obj, "012?")
        if obj.get("prize") == "?":
            # Any place that fits, for now; then drawn anew.
            (<DoorsState*>state.data).prize = (int(obj.get("looked") or 0) + 1) % DOORS
            doors_determinize(NULL, state.data, seat, &rng.rng)
        return state


# There is one set-up only, so all positions that are read are of one game.
cdef DoorsGame READ = DoorsGame({"players": 2, "seed": None})


cdef State read_position(object obj, str places):
    cdef State state = new_state_of(READ)
    cdef DoorsState* s = <DoorsState*>state.data
    extra = set(obj) - {"game", "format", "observer", *FIELDS}
    if extra:
        raise BadPosition(sorted(extra)[0], "not a field of this game's positions")
    if obj.get("format") != 1:
        raise BadPosition("format", f"{obj.get('format')!r} is not allowed; allowed: 1")
    for name in FIELDS:
        door = obj.get(name, "")
        allowed = places if name == "prize" else "012"
        if not isinstance(door, str) or len(door) > 1 or door not in allowed:
            raise BadPosition(name, f"{door!r} is not allowed; allowed: '', {', '.join(allowed)}")
        if door and not obj.get("prize"):
            raise BadPosition(name, "nothing happens before the prize is hidden")
    s.prize = int(obj["prize"]) if obj.get("prize") not in (None, "", "?") else NO_DOOR
    s.looked = int(obj["looked"]) if obj.get("looked") else NO_DOOR
    s.opened = int(obj["opened"]) if obj.get("opened") else NO_DOOR
    return state


INFO = GameInfo("doors", "Three doors", 2, 2, (players_option(2, 2), seed_option()), DoorsGame)
