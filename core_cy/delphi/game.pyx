"""The Oracle of Delphi as a game of the registry: its options, its start and its place in the contract."""

import json
import marshal
from types import MappingProxyType

from libc.string cimport memcpy, memset

from pythia.core_cy.delphi.evaluate cimport delphi_evaluate, delphi_rounds_left, fill_weights, seat_dice
from pythia.core_cy.delphi.observe cimport (
    delphi_chance_stream, delphi_determinize, delphi_information_key, delphi_position_hash, delphi_turn_number,
)
from pythia.core_cy.delphi.policy cimport delphi_playout_move, delphi_priors, fill_policy
from pythia.core_cy.delphi.position cimport EVERYTHING, read_board, read_position, read_setup, write_position
from pythia.core_cy.delphi.rules cimport (
    MAX_MOVES, delphi_apply, delphi_chance_outcomes, delphi_legal_moves, delphi_random_move, delphi_ranks,
    delphi_returns, delphi_sample_chance, delphi_to_act, give_ship_tile, schedule_setup,
)
from pythia.core_cy.delphi.state cimport DelphiState, NO_SHIP_TILE, Player
from pythia.core_cy.delphi.tables cimport COLORS, MAX_HEXES, NONE, Tables, fill_tables
from pythia.core_cy.delphi.text cimport move_fields, parse_move_text
from pythia.core_cy.delphi.text cimport move_text as text_of
from pythia.core_cy.game cimport Game, GameOps, Move, State, new_state_of
from pythia.core_cy.net cimport fill_net
from pythia.core_cy.recent cimport Recent
from pythia.core_cy.rng cimport Random
from pythia.core_cy.types cimport move_t, u8, u16, u32

from pythia.core_cy.delphi import board as boards
from pythia.core_cy.delphi import components, setup
from pythia.core_cy.delphi import weights as weight_table
from pythia.core_cy.delphi.evaluate import features_of, net_inputs_of
from pythia.core_cy.delphi.facts import move_facts
from pythia.core_cy.delphi.policy import move_features_of
from pythia.core_cy.delphi.render import render
from pythia.core_cy.delphi.why_good import why_good
from pythia.core_cy.delphi.why_illegal import why_illegal
from pythia.core_cy.errors import BadOption
from pythia.core_cy.net_text import net_numbers
from pythia.core_cy.weights import own_weights
from pythia.core_cy.registry import GameInfo, OptionInfo, ValueList, players_option, seed_option

cdef GameOps OPS
OPS.state_size = sizeof(DelphiState)
OPS.max_moves = MAX_MOVES
OPS.public_moves = True
OPS.to_act = delphi_to_act
OPS.legal_moves = delphi_legal_moves
OPS.random_move = delphi_random_move
OPS.apply = delphi_apply
OPS.returns = delphi_returns
OPS.ranks = delphi_ranks
OPS.chance_outcomes = delphi_chance_outcomes
OPS.sample_chance = delphi_sample_chance
OPS.chance_stream = delphi_chance_stream
OPS.determinize = delphi_determinize
OPS.information_key = delphi_information_key
OPS.position_hash = delphi_position_hash
OPS.turn_number = delphi_turn_number
OPS.evaluate = delphi_evaluate
OPS.rounds_left = delphi_rounds_left
OPS.playout_move = delphi_playout_move
OPS.priors = delphi_priors


cdef class Board:
    """A board for a number of players: its tables, which all games on it share."""

    cdef Tables tables
    cdef list hexes                 # every hex, as the notation writes it

    cdef Board with_weights(self, dict values):
        cdef Board board = Board.__new__(Board)
        board.hexes = self.hexes
        memcpy(&board.tables, &self.tables, sizeof(Tables))
        board.weigh(values, values["net"])
        return board

    cdef int weigh(self, dict values, str net) except -1:
        inputs = len(weight_table.NET_INPUTS)
        fill_weights(&self.tables.weights, values)
        fill_policy(&self.tables.policy, values)
        fill_net(&self.tables.net, inputs, net_numbers(net, inputs))
        return 0


cdef class DelphiGame(Game):
    """One board of The Oracle of Delphi with its options."""

    cdef Board shared               # by all games on it
    cdef DelphiState first          # the position at the start, dealt when first asked for
    cdef readonly list board        # every hex, as the notation writes it

    def __init__(self, dict options):
        self.set_up(board_of(make_board(options), options["players"]), options)

    cdef int set_up(self, Board board, dict options) except -1:
        self.name = "delphi"
        self.players = options["players"]
        self.options = MappingProxyType(options)
        self.shared = board
        self.board = board.hexes
        self.ops = &OPS
        self.tables = &self.shared.tables
        self.ready()
        return 0

    cdef int start(self, void* state) except -1:
        if self.first.round == 0:
            self.deal()
        memcpy(state, &self.first, sizeof(DelphiState))
        return 0

    cdef int deal(self) except -1:
        """The position before the first event: everything that the seed decides is in place."""
        cdef DelphiState* s = &self.first
        cdef Player* p
        cdef int i, seat
        options = self.options
        # The game of a position that was read has no seed of its own; its board can be played anew all the same.
        rng = setup.stream(options["seed"] or 0, "deal")
        dealt = setup.deal(self.board, self.players, options["ship_tiles"], options["removed_tasks"], rng)
        memset(s, 0, sizeof(DelphiState))
        for i in range(COLORS):
            s.statues[i] = components.STATUES_PER_COLOR
            s.oracle_pile[i] = components.ORACLE_CARDS_PER_COLOR
            s.injury_pile[i] = components.INJURY_CARDS_PER_COLOR
        for i, tile in enumerate(dealt.tiles):
            s.tile[i] = tile
        for i, colors in enumerate(dealt.offerings):
            s.offerings[i] = <u8>bits(colors)
        for i, colors in enumerate(dealt.monsters):
            s.monsters[i] = <u8>bits(colors)
        s.display = bits(dealt.display)
        s.equipment_pile = bits(range(len(components.EQUIPMENT))) & ~s.display
        s.ships_on_offer = <u8>bits(dealt.ships_on_offer)
        s.round = 1
        for seat in range(self.players):
            p = &s.players[seat]
            p.ship = self.shared.tables.zeus
            p.ship_tile = NO_SHIP_TILE
            p.favor = <u16>(components.FIRST_FAVOR + seat)      # R3
            p.card_played = NONE
            p.shrine_tasks = dealt.tasks.shrines
            p.statue_tasks = dealt.tasks.statues
            p.any_offering = 1
            p.any_monster = 1
            p.offering_tasks = <u8>bits(dealt.tasks.offerings)
            p.monster_tasks = <u8>bits(dealt.tasks.monsters)
            if dealt.ship_tiles:
                give_ship_tile(&self.shared.tables, s, seat, dealt.ship_tiles[seat])
        schedule_setup(&self.shared.tables, s)
        return 0

    cdef str move_text(self, move_t move):
        return text_of(&self.shared.tables, move)

    cdef move_t parse_move(self, State state, str text) except 0:
        return parse_move_text(&self.shared.tables, text)

    def move_fields(self, Move move):
        return move_fields(&self.shared.tables, move.code)

    def why_illegal(self, State state, Move move):
        return why_illegal(state, self.move_fields(move), self.distance)

    def distance(self, start, end, bint crossing):
        """Spaces to sail between two hexes (q, r) of water or Zeus; None when there is no way."""
        cdef const Tables* t = &self.shared.tables
        numbers = {(t.q[i], t.r[i]): i for i in range(MAX_HEXES)}
        spaces = t.distance[crossing][numbers[start]][numbers[end]]
        return None if spaces == NONE else spaces

    def state_to_json(self, State state):
        return write_position(&self.shared.tables, <DelphiState*>state.data, self.board, self.options, EVERYTHING)

    def observation_of(self, State state, int seat):
        return write_position(&self.shared.tables, <DelphiState*>state.data, self.board, self.options, seat)

    def render(self, State state):
        return render(self.state_to_json(state))

    def why_good(self, State before not None, State after not None, int seat, Move move not None):
        cdef const Tables* t = &self.shared.tables
        cdef const DelphiState* old = <const DelphiState*>before.data
        cdef const DelphiState* new = <const DelphiState*>after.data
        # The die that the move uses is spent by any move; only what it brings counts.
        dice = seat_dice(t, old, seat) - seat_dice(t, new, seat) + (1.0 if str(move).startswith("die:") else 0.0)
        fields = move_fields(t, move.code)
        return why_good(fields, features_of(before)[seat], features_of(after)[seat], new.players[seat].favor, dice)

    def reveals_of(self, before, after):
        """Island tiles, the only things that are hidden (R27)."""
        unseen = {(tile["q"], tile["r"]) for tile in before["island_tiles"] if "color" not in tile}
        return [f"reveal {tile['q']},{tile['r']} {tile['color']} {tile['letter']}" for tile in after["island_tiles"]
                if "color" in tile and (tile["q"], tile["r"]) in unseen]

    def facts_of(self, observation, fields):
        return move_facts(observation, fields, self.distance)

    # -- fitting the evaluation

    feature_names = weight_table.FEATURES
    per_round = float(components.DICE_PER_PLAYER)

    def features(self, State state not None):
        """What the evaluation sees of each seat, by feature_names."""
        return features_of(state)

    move_feature_names = weight_table.MOVE_FEATURES

    def move_features(self, State state not None):
        """What the policy sees of each legal move, by move_feature_names: a matrix of floats."""
        return move_features_of(state)

    def weights(self):
        return dict(self.own_weights if self.own_weights is not None else weight_table.WEIGHTS)

    weight_names = weight_table.NAMES

    def net(self):
        return weight_table.NET if self.own_net is None else self.own_net

    def net_inputs(self, State state not None):
        return net_inputs_of(state)

    def weights_file(self, str version=None):
        if version is None:
            return weight_table.FILE
        return own_weights("pythia.core_cy.delphi", self.weight_names, version)

    cdef Game weighed(self, dict values):
        cdef DelphiGame game = DelphiGame.__new__(DelphiGame)
        game.set_up(self.shared.with_weights(values), dict(self.options))
        return game

    @staticmethod
    def state_from_json(obj):
        return read_state(obj, False)

    @staticmethod
    def state_from_observation(obj, Random rng not None):
        cdef State state = read_state(obj, True)
        delphi_determinize(state.game.tables, state.data, obj["observer"], &rng.rng)
        return state


cdef u32 bits(object numbers):
    cdef u32 result = 0
    for number in numbers:
        result |= <u32>1 << <int>number
    return result


def make_board(options):
    """The board that the options ask for."""
    given = {name: options[name] for name in ("hexes", "placements", "temples") if options[name] is not None}
    if options["board"] != "given":
        if given:
            raise BadOption(next(iter(given)), "...", 'nothing, unless board is "given"')
        rng = setup.stream(options["seed"], "board")
        return boards.compact_board(rng) if options["board"] == "compact" else boards.free_board(rng)
    if "hexes" in given and len(given) == 1:
        return boards.check_board(given["hexes"])
    if "placements" in given and "hexes" not in given:
        return boards.board_from_placements(given["placements"], given.get("temples"))
    raise BadOption("board", "given", "with hexes, or with placements and temples")


# Boards used lately, by what they are, however their JSON was written: tables are built once for each.
cdef Recent boards_in_use = Recent(64)
# Games of positions read lately. The key is the board as it came, byte for byte, so that a board which was found good
# is not checked again, and only what was found good is taken as good.
cdef Recent games_read = Recent(64)
cdef int PLAIN = 2      # marshal's last version that writes equal values alike, whether or not they are one object


cdef Board board_of(list hexes, int players):
    """The tables of a checked board."""
    cdef Board board
    key = (players, json.dumps(sorted(hexes, key=lambda hex: (hex["r"], hex["q"])), sort_keys=True))
    board = boards_in_use.find(key)
    if board is None:
        board = Board.__new__(Board)
        board.hexes = hexes
        fill_tables(&board.tables, hexes, players)
        board.weigh(weight_table.WEIGHTS, weight_table.NET)
        boards_in_use.keep(key, board)
    return board


cdef DelphiGame game_of_position(dict options, dict obj):
    cdef DelphiGame game
    cdef Board board
    given = (options, obj.get("board"), obj.get("placements"), obj.get("temples"))
    try:
        written = marshal.dumps(given, PLAIN)
    except ValueError:
        written = None      # not plain JSON (a subclass of dict, a loop), so not to be remembered
    game = games_read.find(written)
    if game is not None:
        return game
    board = board_of(read_board(obj), options["players"])
    # One game for one board and the same options, so that its positions can be told to be of one game.
    meant = (id(board), json.dumps(options, sort_keys=True))
    game = games_read.find(meant)
    if game is None:
        game = DelphiGame.__new__(DelphiGame)
        game.set_up(board, NO_OPTIONS | options)
    games_read.keep(meant, game)
    if written is not None:
        games_read.keep(written, game)
    return game


cdef State read_state(object obj, bint observed):
    cdef DelphiGame game
    cdef State state
    obj = dict(obj)
    options = read_setup(obj, observed)
    game = game_of_position(options, obj)
    state = new_state_of(game)
    read_position(obj, &game.shared.tables, options, <DelphiState*>state.data, observed)
    return state


INFO = GameInfo(
    "delphi",
    "The Oracle of Delphi",
    components.MIN_PLAYERS,
    components.MAX_PLAYERS,
    (
        players_option(components.MIN_PLAYERS, components.MAX_PLAYERS),
        seed_option(),
        OptionInfo(
            "board", "compact, free, or one that you give", default="compact", choices=("compact", "free", "given")
        ),
        OptionInfo("ship_tiles", "how ship tiles are dealt", default="random", choices=setup.SHIP_TILE_MODES),
        OptionInfo("removed_tasks", "tasks left out for a shorter game", default=0, low=0, high=4),
        OptionInfo("hexes", 'with board "given": every hex, as in the JSON of a position'),
        OptionInfo("placements", 'with board "given": where each board and city tile lies'),
        OptionInfo("temples", "with placements: the color of each temple island"),
    ),
    DelphiGame,
    open_chance=True,
    about="a race of ships through the islands of ancient Greece for twelve tasks of Zeus; Stefan Feld, 2016",
    values=(
        ValueList("color", components.COLORS),
        ValueList("god", components.GODS),
        ValueList("hex_kind", (*components.HEX_KINDS, components.SHALLOW)),
        ValueList("letter", components.LETTERS),
        ValueList("monster", components.MONSTERS),
        ValueList("ship_tile", components.SHIP_TILE_IDS),
        ValueList("card", components.EQUIPMENT_IDS),
        ValueList("companion", components.COMPANION_KINDS),
        ValueList("phase", components.PHASES),
    ),
)

NO_OPTIONS = {option.name: None for option in INFO.options}
