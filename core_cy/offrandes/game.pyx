"""Offrandes as a game of the registry: its options, its start and its place in the contract."""

from types import MappingProxyType

from libc.string cimport memset

from pythia.core_cy.game cimport Game, GameOps, Move, State, new_state_of
from pythia.core_cy.offrandes.evaluate cimport fill_weights, offrandes_evaluate, offrandes_rounds_left
from pythia.core_cy.offrandes.observe cimport (
    offrandes_chance_stream, offrandes_determinize, offrandes_information_key, offrandes_position_hash,
    offrandes_turn_number,
)
from pythia.core_cy.offrandes.policy cimport offrandes_playout_move, offrandes_priors
from pythia.core_cy.offrandes.position cimport EVERYTHING, read_players, read_position, write_position
from pythia.core_cy.offrandes.rules cimport (
    MAX_MOVES, offrandes_apply, offrandes_chance_outcomes, offrandes_legal_moves, offrandes_random_move,
    offrandes_ranks, offrandes_returns, offrandes_sample_chance, offrandes_to_act,
)
from pythia.core_cy.offrandes.state cimport OffrandesState
from pythia.core_cy.offrandes.tables cimport DRACHMAS, KINDS_OF_ANIMALS, OF_A_KIND, Tables, fill_tables
from pythia.core_cy.offrandes.text cimport move_fields, parse_move_text
from pythia.core_cy.offrandes.text cimport move_text as text_of
from pythia.core_cy.rng cimport Random
from pythia.core_cy.types cimport move_t

from pythia.core_cy.offrandes import components, weights
from pythia.core_cy.offrandes.weights import FILE, NAMES
from pythia.core_cy.weights import own_weights
from pythia.core_cy.offrandes.evaluate import judged
from pythia.core_cy.offrandes.facts import move_facts, scores
from pythia.core_cy.offrandes.render import render
from pythia.core_cy.offrandes.why_good import why_good
from pythia.core_cy.offrandes.why_illegal import why_illegal
from pythia.core_cy.registry import GameInfo, ValueList, players_option, seed_option

cdef GameOps OPS
OPS.state_size = sizeof(OffrandesState)
OPS.max_moves = MAX_MOVES
OPS.public_moves = True             # nothing is hidden (O27)
OPS.to_act = offrandes_to_act
OPS.legal_moves = offrandes_legal_moves
OPS.random_move = offrandes_random_move
OPS.apply = offrandes_apply
OPS.returns = offrandes_returns
OPS.ranks = offrandes_ranks
OPS.chance_outcomes = offrandes_chance_outcomes
OPS.sample_chance = offrandes_sample_chance
OPS.chance_stream = offrandes_chance_stream
OPS.determinize = offrandes_determinize
OPS.information_key = offrandes_information_key
OPS.position_hash = offrandes_position_hash
OPS.turn_number = offrandes_turn_number
OPS.evaluate = offrandes_evaluate
OPS.rounds_left = offrandes_rounds_left
OPS.playout_move = offrandes_playout_move
OPS.priors = offrandes_priors


cdef class OffrandesGame(Game):
    """Offrandes for a number of players. The seed deals nothing; the start player is drawn in the game (O2)."""

    cdef Tables facts

    def __init__(self, dict options):
        self.name = "offrandes"
        self.players = options["players"]
        self.options = MappingProxyType(options)
        self.ops = &OPS
        fill_tables(&self.facts, self.players)
        fill_weights(&self.facts, weights.WEIGHTS | weights.ROUNDS)
        self.tables = &self.facts
        self.ready()

    cdef int start(self, void* state) except -1:
        """Before the start player is drawn (O1)."""
        cdef OffrandesState* s = <OffrandesState*>state
        cdef int i
        memset(s, 0, sizeof(OffrandesState))
        s.round = 1
        for i in range(self.players):
            s.players[i].drachmas = DRACHMAS
        for i in range(KINDS_OF_ANIMALS):
            s.supply[i] = OF_A_KIND
        return 0

    cdef str move_text(self, move_t move):
        return text_of(move)

    cdef move_t parse_move(self, State state, str text) except 0:
        return parse_move_text(text)

    def move_fields(self, Move move):
        return move_fields(move.code)

    def why_illegal(self, State state, Move move):
        return why_illegal(self.state_to_json(state), move_fields(move.code))

    def state_to_json(self, State state):
        return write_position(&self.facts, <OffrandesState*>state.data, EVERYTHING)

    def observation_of(self, State state, int seat):
        return write_position(&self.facts, <OffrandesState*>state.data, seat)

    def render(self, State state):
        return render(self.state_to_json(state))

    def why_good(self, State before not None, State after not None, int seat, Move move not None):
        fields = move_fields(move.code)
        share = after.returns()[seat] if after.is_over else None
        return why_good(fields, self.state_to_json(before), self.state_to_json(after), seat,
                        judged(before, seat), judged(after, seat), share)

    def facts_of(self, observation, fields):
        return move_facts(observation, fields)

    def scores_of(self, observation):
        return scores(observation)

    def weights(self):
        return dict(self.own_weights if self.own_weights is not None else weights.WEIGHTS | weights.ROUNDS)

    cdef Game weighed(self, dict values):
        cdef OffrandesGame game = OffrandesGame(dict(self.options))
        fill_weights(&game.facts, values)
        return game

    weight_names = NAMES

    def weights_file(self, str version=None):
        return FILE if version is None else own_weights("pythia.core_cy.offrandes", NAMES, version)

    @staticmethod
    def state_from_json(obj):
        return read_state(obj, False)

    @staticmethod
    def state_from_observation(obj, Random rng not None):
        return read_state(obj, True)


# Games of positions that were read, by the number of players: all that differs between them.
cdef dict games = {}


cdef State read_state(object obj, bint observed):
    cdef OffrandesGame game
    cdef State state
    cdef int players = read_players(obj, observed)
    if players not in games:
        games[players] = OffrandesGame({"players": players, "seed": None})
    game = games[players]
    state = new_state_of(game)
    read_position(obj, &game.facts, <OffrandesState*>state.data, observed)
    return state


INFO = GameInfo(
    "offrandes",
    "Offrandes",
    components.MIN_PLAYERS,
    components.MAX_PLAYERS,
    (players_option(components.MIN_PLAYERS, components.MAX_PLAYERS), seed_option()),
    OffrandesGame,
    open_chance=True,
    hides=False,
    dealt=False,
    forced_moves=False,     # they are made at once (O4)
    about="cities bid for helpers in open auctions, and offer animals on the altars of the gods",
    values=(
        ValueList("city", components.CITIES),
        ValueList("character", components.CHARACTERS),
        ValueList("animal", components.ANIMALS),
        ValueList("altar", components.ALTARS),
        ValueList("phase", components.PHASES),
    ),
)
