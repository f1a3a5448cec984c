"""Deukalion behind the contract: options, set-up, notation."""

import json
from types import MappingProxyType

from libc.string cimport memset

from pythia.core_cy.deukalion.evaluate cimport deukalion_evaluate, deukalion_rounds_left
from pythia.core_cy.deukalion.observe cimport (
    deukalion_chance_stream, deukalion_determinize, deukalion_information_key, deukalion_position_hash,
    deukalion_turn_number,
)
from pythia.core_cy.deukalion.policy cimport deukalion_playout_move, deukalion_priors
from pythia.core_cy.deukalion.position cimport EVERYTHING, read_options, read_position, write_position
from pythia.core_cy.deukalion.rules cimport (
    MAX_MOVES, deukalion_apply, deukalion_chance_outcomes, deukalion_legal_moves, deukalion_random_move,
    deukalion_ranks, deukalion_returns, deukalion_sample_chance, deukalion_to_act,
)
from pythia.core_cy.deukalion.state cimport DeukalionState, NONE, SETUP
from pythia.core_cy.deukalion.tables cimport Tables, fill_tables, fill_weights
from pythia.core_cy.deukalion.text cimport Notation
from pythia.core_cy.game cimport Game, GameOps, Move, State, new_state_of
from pythia.core_cy.recent cimport Recent
from pythia.core_cy.rng cimport Random
from pythia.core_cy.types cimport move_t, u16

from pythia.core_cy.deukalion import components, setup, weights
from pythia.core_cy.deukalion.facts import move_facts, scores
from pythia.core_cy.deukalion.weights import FILE, NAMES
from pythia.core_cy.weights import own_weights
from pythia.core_cy.deukalion.render import render
from pythia.core_cy.deukalion.why_good import why_good
from pythia.core_cy.deukalion.why_illegal import why_illegal
from pythia.core_cy.registry import GameInfo, OptionInfo, ValueList, players_option, seed_option

cdef GameOps OPS
OPS.state_size = sizeof(DeukalionState)
OPS.max_moves = MAX_MOVES
OPS.public_moves = False            # what can be played or claimed depends on the hand
OPS.to_act = deukalion_to_act
OPS.legal_moves = deukalion_legal_moves
OPS.random_move = deukalion_random_move
OPS.apply = deukalion_apply
OPS.returns = deukalion_returns
OPS.ranks = deukalion_ranks
OPS.chance_outcomes = deukalion_chance_outcomes
OPS.sample_chance = deukalion_sample_chance
OPS.chance_stream = deukalion_chance_stream
OPS.determinize = deukalion_determinize
OPS.information_key = deukalion_information_key
OPS.position_hash = deukalion_position_hash
OPS.turn_number = deukalion_turn_number
OPS.evaluate = deukalion_evaluate
OPS.rounds_left = deukalion_rounds_left
OPS.playout_move = deukalion_playout_move
OPS.priors = deukalion_priors


cdef class DeukalionGame(Game):
    """Deukalion with its options and one copy of the data."""

    cdef Tables data_tables
    cdef Notation words
    cdef readonly object facts

    def __init__(self, dict options):
        data = options["data"]
        facts = components.default_facts() if data is None else components.read_facts(data)
        throw = list(facts.throw) if options["throw"] is None else options["throw"]
        components.check_throw("throw", throw)
        self.set_up(facts, options | {"throw": throw})

    cdef int set_up(self, object facts, dict options) except -1:
        self.name = "deukalion"
        self.players = options["players"]
        self.options = MappingProxyType(options)
        self.facts = facts
        self.words = Notation(facts)
        self.ops = &OPS
        fill_tables(&self.data_tables, facts, self.players, tuple(options["throw"]))
        self.tables = &self.data_tables
        self.ready()
        return 0

    cdef int start(self, void* state) except -1:
        """The position before the ships are placed: the seed has dealt everything (D2)."""
        cdef DeukalionState* s = <DeukalionState*>state
        cdef const Tables* t = &self.data_tables
        cdef int seat
        # The game of a position that was read has no seed of its own; it can be played anew all the same.
        dealt = setup.deal(self.facts, self.players, self.options["seed"] or 0)
        memset(s, 0, sizeof(DeukalionState))
        for seat in range(self.players):
            s.players[seat].ship = NONE
            s.players[seat].fighters = t.fighters
            s.players[seat].order = dealt.orders[seat]
            for card in dealt.hands[seat]:
                s.players[seat].hand[<int>card] += 1
                s.players[seat].hand_count += 1
        for city, treasures in enumerate(dealt.cities):
            for color in treasures:
                s.cities[<int>city][<int>color] += 1
        for card in dealt.pile:
            s.pile[<int>card] += 1
        s.pile_count = len(dealt.pile)
        for order in range(t.orders):
            if order in dealt.open_orders:
                s.open_orders |= <u16>(1 << <int>order)
            elif order not in dealt.orders:
                s.order_pile |= <u16>(1 << <int>order)
                s.order_pile_count += 1
        s.hydra = t.hydra_start
        s.victory_cards = t.victory_cards
        s.round = 1
        s.now.kind = SETUP
        return 0

    cdef str move_text(self, move_t move):
        return self.words.text(move)

    cdef move_t parse_move(self, State state, str text) except 0:
        return self.words.parse(text)

    def move_fields(self, Move move):
        return self.words.fields(move.code)

    def why_illegal(self, State state, Move move):
        return why_illegal(self.facts, self.state_to_json(state), self.words.fields(move.code))

    def state_to_json(self, State state):
        return write_position(&self.data_tables, <DeukalionState*>state.data, self.words, self.options, EVERYTHING)

    def observation_of(self, State state, int seat):
        return write_position(&self.data_tables, <DeukalionState*>state.data, self.words, self.options, seat)

    def render(self, State state):
        return render(self.state_to_json(state))

    def why_good(self, State before not None, State after not None, int seat, Move move not None):
        fields = self.words.fields(move.code)
        share = after.returns()[seat] if after.is_over else None
        return why_good(self.facts, fields, self.state_to_json(before), self.state_to_json(after), seat, share)

    def reveals_of(self, before, after):
        """The order that another seat held hidden and fulfils by the event, or that it fulfils none (D21)."""
        texts = []
        for seat, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
            if seat != before["observer"] and old["has_order"]:
                fulfilled = [order for order in new["fulfilled"] if order not in old["fulfilled"]]
                shown = "nothing" if new["has_order"] else " ".join(fulfilled)
                texts.append(f"reveal {seat} {shown}")
        return texts

    def facts_of(self, observation, fields):
        return move_facts(observation, fields)

    def scores_of(self, observation):
        return scores(observation)

    def weights(self):
        return dict(self.own_weights if self.own_weights is not None else weights.WEIGHTS)

    cdef Game weighed(self, dict values):
        cdef DeukalionGame game = DeukalionGame.__new__(DeukalionGame)
        if set(values) != set(weights.WEIGHTS):
            raise ValueError(f"weights: {sorted(set(values) ^ set(weights.WEIGHTS))} missing or unknown")
        game.set_up(self.facts, dict(self.options))
        fill_weights(&game.data_tables, values)
        return game

    weight_names = NAMES

    def weights_file(self, str version=None):
        return FILE if version is None else own_weights("pythia.core_cy.deukalion", NAMES, version)

    @staticmethod
    def state_from_json(obj):
        return read_state(obj, False)

    @staticmethod
    def state_from_observation(obj, Random rng not None):
        cdef State state = read_state(obj, True)
        deukalion_determinize(state.game.tables, state.data, obj["observer"], &rng.rng)
        return state


# Games of positions read lately, by their options however their JSON was written: tables are built once for each.
cdef Recent games_read = Recent(64)


cdef DeukalionGame game_of_position(dict options):
    cdef DeukalionGame game
    key = json.dumps(options, sort_keys=True)
    game = games_read.find(key)
    if game is None:
        game = DeukalionGame({"seed": None} | options)
        games_read.keep(key, game)
    return game


cdef State read_state(object obj, bint observed):
    cdef DeukalionGame game = game_of_position(read_options(obj, observed))
    cdef State state = new_state_of(game)
    read_position(obj, &game.data_tables, game.words, <DeukalionState*>state.data, observed)
    return state


INFO = GameInfo(
    "deukalion",
    "Deukalion",
    components.MIN_PLAYERS,
    components.MAX_PLAYERS,
    (
        players_option(components.MIN_PLAYERS, components.MAX_PLAYERS),
        seed_option(),
        OptionInfo("throw", "percentages of a thrown fighter: cross up, cross down, half; they make 100",
                   default=list(components.default_facts().throw)),
        OptionInfo("data", "what is printed on board and cards, where your copy differs (core_cy/deukalion/data.json)",
                   shape=dict),
    ),
    DeukalionGame,
    about="heroes sail for treasures and orders, fight with thrown pieces, and cross the Styx",
    values=(
        ValueList("hero", components.default_facts().heroes),
        ValueList("color", components.default_facts().colors),
        ValueList("card", components.CARDS),
        ValueList("order", tuple([order.name for order in components.default_facts().orders])),
        ValueList("city", tuple([city.name for city in components.default_facts().cities])),
        ValueList("settlement", tuple([place.name for place in components.default_facts().settlements])),
        ValueList("phase", components.PHASES),
    ),
)
