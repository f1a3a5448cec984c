"""Kuhn poker on the contract: the smallest game with chance, hidden cards and a known solution.

Cards J, Q, K; each of two seats antes 1 and gets one card that only it sees. Seat 0 passes or bets 1;
the other answers; after pass and bet seat 0 answers too. A bet that is passed wins the pot for the
bettor, else the higher card wins. H. W. Kuhn (1950): the value for seat 0 is -1/18.

Returns map the payoff -2..2 to 0..1, so that the two sum to 1: (payoff + 2) / 4.

Moves: `pass`, `bet`. Chance: `deal J`, first to seat 0, then to seat 1.
JSON: {"game": "kuhn", "format": 1, "cards": ["J", "K"], "bets": "pb"}; an observation has "observer" and
"?" for the card of the other seat.
"""

from types import MappingProxyType

from libc.string cimport memset

from pythia.core_cy.game cimport CHANCE, Game, GameOps, NOBODY, SPECTATOR, State, new_state_of, state_t, tables_t
from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.rng cimport Random, Rng, rng_below
from pythia.core_cy.types cimport move_t, u8, u64

from pythia.core_cy.errors import BadPosition, IllegalMove
from pythia.core_cy.registry import GameInfo, players_option, seed_option

cdef enum:
    CARDS = 3
    NO_CARD = 3
    PASS = 1
    BET = 2
    DEAL = 4                # DEAL + card is an outcome

ctypedef struct KuhnState:
    u8 card[2]
    u8 bets[3]              # PASS or BET, in order
    u8 count                # how many bets were made


cdef int kuhn_to_act(tables_t tables, state_t state) noexcept nogil:
    cdef const KuhnState* s = <const KuhnState*>state
    if s.card[1] == NO_CARD:
        return CHANCE
    if s.count < 2:
        return s.count
    return 0 if s.count == 2 and s.bets[0] == PASS and s.bets[1] == BET else NOBODY


cdef int kuhn_legal_moves(tables_t tables, state_t state, move_t* moves) noexcept nogil:
    moves[0] = PASS
    moves[1] = BET
    return 2


cdef move_t kuhn_random_move(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    return PASS + rng_below(rng, 2)


cdef void kuhn_apply(tables_t tables, void* state, move_t move) noexcept nogil:
    cdef KuhnState* s = <KuhnState*>state
    if move >= DEAL:
        s.card[0 if s.card[0] == NO_CARD else 1] = <u8>(move - DEAL)
    else:
        s.bets[s.count] = <u8>move
        s.count += 1


cdef int payoff(const KuhnState* s) noexcept nogil:
    """What seat 0 wins."""
    cdef int higher = 1 if s.card[0] > s.card[1] else -1
    cdef int last = s.bets[s.count - 1]
    if s.bets[s.count - 2] == BET:
        if last == PASS:
            return 1 if s.count == 2 else -1        # the bettor takes the pot
        return 2 * higher
    return higher


cdef void kuhn_returns(tables_t tables, state_t state, double* values) noexcept nogil:
    values[0] = (payoff(<const KuhnState*>state) + 2) / 4.0
    values[1] = 1.0 - values[0]


cdef void kuhn_ranks(tables_t tables, state_t state, int* ranks) noexcept nogil:
    ranks[0] = 1 if payoff(<const KuhnState*>state) > 0 else 2
    ranks[1] = 3 - ranks[0]


cdef int kuhn_chance_outcomes(tables_t tables, state_t state, move_t* outcomes, double* probabilities) noexcept nogil:
    cdef const KuhnState* s = <const KuhnState*>state
    cdef int card, n = 0, i
    for card in range(CARDS):
        if card != s.card[0]:
            outcomes[n] = DEAL + card
            n += 1
    for i in range(n):
        probabilities[i] = 1.0 / n
    return n


cdef move_t kuhn_sample_chance(tables_t tables, state_t state, Rng* rng) noexcept nogil:
    cdef const KuhnState* s = <const KuhnState*>state
    cdef int card
    if s.card[0] == NO_CARD:
        return DEAL + rng_below(rng, CARDS)
    card = <int>rng_below(rng, CARDS - 1)
    return DEAL + card + (card >= s.card[0])


cdef u64 kuhn_chance_stream(tables_t tables, state_t state) noexcept nogil:
    return (<const KuhnState*>state).card[0] != NO_CARD


cdef void kuhn_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil:
    """The cards that the observer does not hold anew, among those that it does not hold."""
    cdef KuhnState* s = <KuhnState*>state
    cdef int seat, taken = NO_CARD
    cdef int card
    if observer != SPECTATOR:
        taken = s.card[observer]
    for seat in range(2):
        if seat == observer or s.card[seat] == NO_CARD:
            continue
        if taken == NO_CARD:
            card = <int>rng_below(rng, CARDS)
        else:
            card = <int>rng_below(rng, CARDS - 1)
            card += card >= taken
        s.card[seat] = <u8>card
        taken = card


cdef u64 kuhn_information_key(tables_t tables, state_t state, int observer) noexcept nogil:
    cdef KuhnState seen = (<const KuhnState*>state)[0]
    cdef int seat
    for seat in range(2):
        if seat != observer and seen.card[seat] != NO_CARD:
            seen.card[seat] = NO_CARD + 1
    return hash_bytes(&seen, sizeof(KuhnState))


cdef u64 kuhn_position_hash(tables_t tables, state_t state) noexcept nogil:
    return hash_bytes(state, sizeof(KuhnState))


cdef int kuhn_turn_number(tables_t tables, state_t state) noexcept nogil:
    return (<const KuhnState*>state).count


cdef void kuhn_evaluate(tables_t tables, state_t state, double* values) noexcept nogil:
    if kuhn_to_act(tables, state) == NOBODY:
        kuhn_returns(tables, state, values)
    else:
        values[0] = values[1] = 0.5


cdef void kuhn_rounds_left(tables_t tables, state_t state, double* rounds) noexcept nogil:
    rounds[0] = rounds[1] = 0.0


cdef void kuhn_priors(tables_t tables, state_t state, const move_t* moves, int count, float* weights) noexcept nogil:
    cdef int i
    for i in range(count):
        weights[i] = <float>(1.0 / count)


cdef GameOps OPS
OPS.state_size = sizeof(KuhnState)
OPS.max_moves = 4
OPS.public_moves = True
OPS.to_act = kuhn_to_act
OPS.legal_moves = kuhn_legal_moves
OPS.random_move = kuhn_random_move
OPS.apply = kuhn_apply
OPS.returns = kuhn_returns
OPS.ranks = kuhn_ranks
OPS.chance_outcomes = kuhn_chance_outcomes
OPS.sample_chance = kuhn_sample_chance
OPS.chance_stream = kuhn_chance_stream
OPS.determinize = kuhn_determinize
OPS.information_key = kuhn_information_key
OPS.position_hash = kuhn_position_hash
OPS.turn_number = kuhn_turn_number
OPS.evaluate = kuhn_evaluate
OPS.rounds_left = kuhn_rounds_left
OPS.playout_move = kuhn_random_move
OPS.priors = kuhn_priors

LETTERS = "JQK"
TEXTS = {PASS: "pass", BET: "bet", DEAL: "deal J", DEAL + 1: "deal Q", DEAL + 2: "deal K"}
CODES = {text: code for code, text in TEXTS.items()}
LINES = {"", "p", "b", "pp", "pb", "bp", "bb", "pbp", "pbb"}


cdef class KuhnGame(Game):
    """Kuhn poker; `seed` is taken for the sake of the contract, the deal is chance."""

    def __init__(self, options):
        self.name = "kuhn"
        self.players = 2
        self.options = MappingProxyType(dict(options))
        self.ops = &OPS
        self.ready()

    cdef int start(self, void* state) except -1:
        cdef KuhnState* s = <KuhnState*>state
        memset(s, 0, sizeof(KuhnState))
        s.card[0] = s.card[1] = NO_CARD
        return 0

    cdef str move_text(self, move_t move):
        return TEXTS[move]

    cdef move_t parse_move(self, State state, str text) except 0:
        if text not in CODES:
            raise IllegalMove(f"{text!r} is not a move; allowed: {', '.join(CODES)}")
        return CODES[text]

    def state_to_json(self, State state):
        cdef KuhnState* s = <KuhnState*>state.data
        return {
            "game": "kuhn",
            "format": 1,
            "cards": [LETTERS[s.card[i]] if s.card[i] != NO_CARD else "" for i in range(2)],
            "bets": "".join("pb"[s.bets[i] - PASS] for i in range(s.count)),
        }

    def observation_of(self, State state, int seat):
        obj = self.state_to_json(state)
        obj["cards"] = [card if i == seat or not card else "?" for i, card in enumerate(obj["cards"])]
        obj["observer"] = seat
        return obj

    def render(self, State state):
        obj = self.state_to_json(state)
        return f"Kuhn poker: cards {obj['cards']}, bets {obj['bets'] or '-'}"

    @staticmethod
    def state_from_json(obj):
        if "observer" in obj:
            raise BadPosition("observer", "this is an observation; read it with state_from_observation")
        return read_position(obj, "JQK")

    @staticmethod
    def state_from_observation(obj, Random rng not None):
        seat = obj.get("observer")
        if seat not in (0, 1) or isinstance(seat, bool):
            raise BadPosition("observer", f"{seat!r} is not allowed; allowed: 0, 1")
        cards = obj.get("cards")
        if isinstance(cards, list) and len(cards) == 2 and cards[seat] == "?":
            raise BadPosition(f"cards[{seat}]", "the observer sees its own card")
        cdef State state = read_position(obj, "JQK?")
        kuhn_determinize(NULL, state.data, seat, &rng.rng)
        return state


# There is one set-up only, so all positions that are read are of one game.
cdef KuhnGame READ = KuhnGame({"players": 2, "seed": None})


cdef State read_position(object obj, str allowed):
    cdef State state = new_state_of(READ)
    cdef KuhnState* s = <KuhnState*>state.data
    extra = set(obj) - {"game", "format", "cards", "bets", "observer"}
    if extra:
        raise BadPosition(sorted(extra)[0], "not a field of a Kuhn poker position")
    if obj.get("format") != 1:
        raise BadPosition("format", f"{obj.get('format')!r} is not allowed; allowed: 1")
    cards, bets = obj.get("cards", ["", ""]), obj.get("bets", "")
    if not isinstance(cards, list) or len(cards) != 2:
        raise BadPosition("cards", f"{cards!r} is not allowed; allowed: two cards")
    for i, card in enumerate(cards):
        if not isinstance(card, str) or len(card) > 1 or card not in allowed:
            raise BadPosition(f"cards[{i}]", f"{card!r} is not allowed; allowed: '', {', '.join(allowed)}")
    if cards[0] == cards[1] != "":
        raise BadPosition("cards[1]", f"{cards[1]!r} is dealt twice")
    if cards[1] and not cards[0]:
        raise BadPosition("cards[0]", "seat 0 is dealt first")
    if bets not in LINES or (bets and not cards[1]):
        raise BadPosition("bets", f"{bets!r} is not allowed here; allowed once both cards are dealt: {sorted(LINES)}")
    for i in range(2):
        # A hidden card gets a value for now; the caller draws it anew.
        s.card[i] = NO_CARD if not cards[i] else LETTERS.index(cards[i]) if cards[i] != "?" else 0
    for i, bet in enumerate(bets):
        s.bets[i] = PASS + "pb".index(bet)
    s.count = len(bets)
    return state


INFO = GameInfo("kuhn", "Kuhn poker", 2, 2, (players_option(2, 2), seed_option()), KuhnGame)
