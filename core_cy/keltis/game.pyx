"""Keltis: Das Orakel as a game of the registry: its options, its start and its place in the contract."""

from types import MappingProxyType

from libc.string cimport memset

from pythia.core_cy.game cimport Game, GameOps, Move, State, new_state_of
from pythia.core_cy.keltis.evaluate cimport fill_weights, keltis_evaluate, keltis_rounds_left
from pythia.core_cy.keltis.observe cimport (
    keltis_chance_stream, keltis_determinize, keltis_information_key, keltis_position_hash, keltis_turn_number,
)
from pythia.core_cy.keltis.policy cimport keltis_playout_move, keltis_priors
from pythia.core_cy.keltis.position cimport EVERYTHING, read_position, read_setup, write_position
from pythia.core_cy.keltis.rules cimport (
    MAX_MOVES, keltis_apply, keltis_chance_outcomes, keltis_legal_moves, keltis_random_move, keltis_ranks,
    keltis_returns, keltis_sample_chance, keltis_to_act,
)
from pythia.core_cy.keltis.state cimport KeltisState, NO_COLOR, add_card
from pythia.core_cy.keltis.tables cimport BIG_STONES, Tables, fill_tables
from pythia.core_cy.keltis.text cimport move_fields, parse_move_text
from pythia.core_cy.keltis.text cimport move_text as text_of
from pythia.core_cy.recent cimport Recent
from pythia.core_cy.rng cimport Random
from pythia.core_cy.types cimport move_t

from pythia.core_cy.errors import BadOption
from pythia.core_cy.keltis import components, setup
from pythia.core_cy.keltis.weights import FILE, NAMES, WEIGHTS
from pythia.core_cy.weights import own_weights
from pythia.core_cy.keltis.evaluate import features
from pythia.core_cy.keltis.facts import move_facts, scores
from pythia.core_cy.keltis.policy import move_features_of
from pythia.core_cy.keltis.render import render
from pythia.core_cy.keltis.why_good import why_good
from pythia.core_cy.keltis.why_illegal import why_illegal
from pythia.core_cy.registry import GameInfo, OptionInfo, ValueList, players_option, seed_option

cdef GameOps OPS
OPS.state_size = sizeof(KeltisState)
OPS.max_moves = MAX_MOVES
OPS.public_moves = False            # what can be played depends on the hand
OPS.to_act = keltis_to_act
OPS.legal_moves = keltis_legal_moves
OPS.random_move = keltis_random_move
OPS.apply = keltis_apply
OPS.returns = keltis_returns
OPS.ranks = keltis_ranks
OPS.chance_outcomes = keltis_chance_outcomes
OPS.sample_chance = keltis_sample_chance
OPS.chance_stream = keltis_chance_stream
OPS.determinize = keltis_determinize
OPS.information_key = keltis_information_key
OPS.position_hash = keltis_position_hash
OPS.turn_number = keltis_turn_number
OPS.evaluate = keltis_evaluate
OPS.rounds_left = keltis_rounds_left
OPS.playout_move = keltis_playout_move
OPS.priors = keltis_priors


cdef class KeltisGame(Game):
    """One path of Keltis: Das Orakel with its options."""

    cdef Tables path_tables
    cdef dict path                  # which tile lies on each small stone

    def __init__(self, dict options):
        check_goblin_values(options["goblin_values"])
        self.set_up(setup.deal_path(options["seed"]), options)

    cdef int set_up(self, dict path, dict options) except -1:
        self.name = "keltis"
        self.players = options["players"]
        self.options = MappingProxyType(options)
        self.path = path
        self.ops = &OPS
        fill_tables(&self.path_tables, self.players, path, options["goblin_values"], options["clover"] == "any")
        fill_weights(&self.path_tables, WEIGHTS)
        self.tables = &self.path_tables
        self.ready()
        return 0

    cdef int start(self, void* state) except -1:
        """The position before the first turn: the seed has dealt everything (K1)."""
        cdef KeltisState* s = <KeltisState*>state
        cdef int seat, i
        # The game of a position that was read has no seed of its own; its path can be played anew all the same.
        dealt = setup.deal_cards(self.options["seed"] or 0, self.players)
        memset(s, 0, sizeof(KeltisState))
        for seat in range(self.players):
            for color, number in dealt.hands[seat]:
                add_card(&s.players[seat].hand, color, number)
        for color, number in dealt.removed:
            add_card(&s.removed, color, number)
        for color, number in dealt.pile:
            add_card(&s.pile, color, number)
        s.pile_count = len(dealt.pile)
        for i in range(BIG_STONES):
            s.stones[i] = self.path_tables.wish_stones[i]
        s.blocked = NO_COLOR
        s.round = 1
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
        return write_position(&self.path_tables, <KeltisState*>state.data, self.options, EVERYTHING)

    def observation_of(self, State state, int seat):
        return write_position(&self.path_tables, <KeltisState*>state.data, self.options, seat)

    def render(self, State state):
        return render(self.state_to_json(state))

    def why_good(self, State before not None, State after not None, int seat, Move move not None):
        fields = move_fields(move.code)
        phase = self.state_to_json(after)["phase"]
        share = after.returns()[seat] if after.is_over else None
        return why_good(fields, features(before, seat), features(after, seat), phase, share)

    def facts_of(self, observation, fields):
        return move_facts(observation, fields)

    def scores_of(self, observation):
        return scores(observation)

    def weights(self):
        return dict(self.own_weights if self.own_weights is not None else WEIGHTS)

    cdef Game weighed(self, dict values):
        cdef KeltisGame game = KeltisGame.__new__(KeltisGame)
        game.set_up(self.path, dict(self.options))
        fill_weights(&game.path_tables, values)
        return game

    weight_names = NAMES
    move_feature_names = NAMES.moves

    def move_features(self, State state not None):
        """What the policy sees of each legal move, by move_feature_names: a matrix of floats."""
        return move_features_of(state)

    def weights_file(self, str version=None):
        return FILE if version is None else own_weights("pythia.core_cy.keltis", self.weight_names, version)

    @staticmethod
    def state_from_json(obj):
        return read_state(obj, False)

    @staticmethod
    def state_from_observation(obj, Random rng not None):
        cdef State state = read_state(obj, True)
        keltis_determinize(state.game.tables, state.data, obj["observer"], &rng.rng)
        return state


def check_goblin_values(values):
    good = len(values) == len(components.GOBLIN_VALUES) and all(
        isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= components.MAX_GOBLIN_VALUE
        for value in values
    )
    if not good:
        raise BadOption("goblin_values", values, f"three whole numbers from 1 to {components.MAX_GOBLIN_VALUE}")


# Games of positions read lately, by options and path, however their JSON was written: tables are built once for each.
cdef Recent games_read = Recent(64)


cdef KeltisGame game_of_position(dict options, dict path):
    cdef KeltisGame game
    key = repr((sorted(options.items()), sorted(path.items())))
    game = games_read.find(key)
    if game is None:
        game = KeltisGame.__new__(KeltisGame)
        game.set_up(path, {"seed": None} | options)
        games_read.keep(key, game)
    return game


cdef State read_state(object obj, bint observed):
    cdef KeltisGame game
    cdef State state
    options, path = read_setup(obj, observed)
    game = game_of_position(options, path)
    state = new_state_of(game)
    read_position(obj, &game.path_tables, <KeltisState*>state.data, observed)
    return state


INFO = GameInfo(
    "keltis",
    "Keltis: Das Orakel",
    components.MIN_PLAYERS,
    components.MAX_PLAYERS,
    (
        players_option(components.MIN_PLAYERS, components.MAX_PLAYERS),
        seed_option(),
        OptionInfo("clover", "the clover moves the same figure on, or any own figure", default="same",
                   choices=("same", "any")),
        OptionInfo("goblin_values", "points for figures on one, two and three goblin spaces",
                   default=list(components.GOBLIN_VALUES)),
    ),
    KeltisGame,
    about="figures run along a path of stones by cards laid in rising or falling rows; Reiner Knizia, 2010",
    values=(
        ValueList("color", components.COLORS),
        ValueList("card", tuple([f"{color} {number}" for color in components.COLORS for number in components.NUMBERS])),
        ValueList("tile", components.TILE_KINDS),
        ValueList("phase", components.PHASES),
    ),
)
