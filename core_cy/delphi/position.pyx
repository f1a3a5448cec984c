"""Positions as JSON: full states and what one seat sees of them, both ways.

Reading trusts nothing: types, names, ranges, and then that the position can be reached at all - cards,
pieces and tasks add up to what the box holds, and what is open fits the rest. The rules rely on that for accepted
positions and check nothing themselves.
"""

from libc.string cimport memset

from pythia.core_cy.bits cimport count_bits, lowest
from pythia.core_cy.delphi.rules cimport (
    all_tasks_done, delphi_chance_outcomes, delphi_legal_moves, delphi_to_act, monsters_needed, must_recover, owns,
    storage, winners,
)
from pythia.core_cy.delphi.state cimport (
    ACT, ADVANCE_GOD, BATTLE, BEGIN, COMPANION, DRAFT, DelphiState, EFFECT, EQUIP, EQUIPMENT, EQUIPMENT_CARDS,
    EXTRA_ACTION, FIGHT, FIGHT_EXPLORE_BUILD_REACH, FOLLOW, Frame, GAIN_FAVOR, GAIN_SHIELD, HEAL, HERO,
    INJURY, KINDS, MAX_FAVOR, MAX_FRAMES, MAX_ROUNDS, MAX_SHIELD,
    NEXT_TURN, NO_SHIP_TILE, ORACLE, OVER, Player, RETURN_GOD,
    ROLL, SCOUT, SCOUT_CARD, SETUP, SHIP_ELEVEN_TASKS, SHIP_EQUIPPED, SHIP_GODS, START, STEP,
    TAKE_OFFERING_A, TITAN, TOP_ROW,
)
from pythia.core_cy.delphi.tables cimport (
    COLORS, ISLAND_TILE, MAX_HEXES, MONSTER_ISLAND, MONSTER_ISLANDS, NONE, OFFERING_ISLAND, OFFERING_ISLANDS,
    STATUE_ISLAND, STATUE_ISLANDS, TILES, Tables, WATER, ZEUS,
)
from pythia.core_cy.game cimport CHANCE, SPECTATOR
from pythia.core_cy.parts cimport Part, part, read_observer
from pythia.core_cy.types cimport move_t, u8, u16, u32

from itertools import combinations

from pythia.core_cy.delphi import components
from pythia.core_cy.delphi.board import board_from_placements, check_board

FORMAT = 1

# -- words, by number

cdef tuple COLOR_WORDS = components.COLORS
cdef tuple COLOR_OR_ANY = ("any", *components.COLORS)
cdef tuple COLOR_OR_NONE = ("", *components.COLORS)
cdef tuple PLAYER_COLORS = components.PLAYER_COLORS
cdef tuple LETTERS = components.LETTERS
cdef tuple CARD_WORDS = components.EQUIPMENT_IDS
cdef tuple SHIP_WORDS = components.SHIP_TILE_IDS
cdef tuple COMPANION_WORDS = components.COMPANION_KINDS
# The gods as a player board lists them, with their colors' numbers.
cdef tuple GODS = tuple(
    (god, COLOR_WORDS.index(components.COLOR_OF_GOD[god]))
    for god in ("poseidon", "apollon", "artemis", "aphrodite", "ares", "hermes")
)
cdef tuple TILE_WORDS = tuple((tile.color, tile.letter) for tile in components.ISLAND_TILES)
cdef tuple FIRST_GAME_SHIPS = tuple(tile.id for tile in components.SHIP_TILES if tile.first_game)

# In the order of Kind in state.pxd.
cdef tuple KIND_WORDS = (
    *components.PHASES,
    "favor", "shield", "advance", "return_god", "next", "begin",
)
assert len(KIND_WORDS) == KINDS
cdef tuple PHASE_WORDS = KIND_WORDS[:GAIN_FAVOR]
cdef tuple OPEN_WORDS = KIND_WORDS[DRAFT:GAIN_FAVOR]
cdef tuple WAITING_WORDS = KIND_WORDS[DRAFT:]

# Which kinds carry which part.
cdef frozenset WITH_HEX = frozenset((FIGHT, BATTLE))
cdef frozenset WITH_COLOR = frozenset((FIGHT, BATTLE, COMPANION, ADVANCE_GOD, RETURN_GOD))
cdef frozenset WITH_N = frozenset((STEP, GAIN_FAVOR, GAIN_SHIELD))
# What the stack ends with, if with anything: the way out of set-up, and to the next turn.
cdef frozenset LAST_KINDS = frozenset((NEXT_TURN, BEGIN))
# What can wait in each part of the game: set-up, the actions of a turn, its end.
cdef frozenset EQUIPPED_KINDS = frozenset((EQUIPMENT, EFFECT, SCOUT, STEP, HEAL, ORACLE, GAIN_FAVOR, GAIN_SHIELD))
cdef frozenset SETUP_KINDS = EQUIPPED_KINDS | frozenset((BEGIN, SETUP, INJURY, ROLL, DRAFT))
cdef frozenset ACT_KINDS = frozenset((
    FIGHT, EQUIP, COMPANION, STEP, HEAL, EFFECT, SCOUT, BATTLE, ORACLE, INJURY, EQUIPMENT, GAIN_FAVOR, GAIN_SHIELD,
    ADVANCE_GOD, RETURN_GOD,
))
# Of these a seat has one at a time.
cdef frozenset ONCE_KINDS = frozenset((DRAFT, SETUP, ROLL, FOLLOW))
cdef frozenset END_KINDS = frozenset((NEXT_TURN, TITAN, ROLL, FOLLOW, INJURY))

cdef enum:
    ALL_CARDS = (1 << EQUIPMENT_CARDS) - 1
    MAX_STEPS = 3
    # Resolving one entry of the stack adds at most 7 (a Titan of 6 against four players), so nothing that
    # is read can overflow it. The set-up of a drafted game for four is the deepest there is.
    MAX_OPEN = MAX_FRAMES - 7
    HIDDEN = 255            # a tile whose identity is not known (yet)


# ---------------------------------------------------------------- writing

cdef list bits_to_words(u32 bits, tuple words):
    return [words[i] for i in range(len(words)) if (bits >> i) & 1]


cdef list counts_to_colors(const u8* counts):
    cdef list colors = []
    cdef int color
    for color in range(COLORS):
        colors.extend([COLOR_WORDS[color]] * counts[color])
    return colors


cdef dict at(const Tables* t, int hex):
    return {"q": t.q[hex], "r": t.r[hex]}


cdef dict tile_at(const Tables* t, const DelphiState* s, int slot, bint shown):
    """A tile space, with what lies there if the viewer may know."""
    cdef dict tile = at(t, t.tile_hex[slot])
    if shown:
        tile["color"], tile["letter"] = TILE_WORDS[s.tile[slot]]
    return tile


cdef list task_colors(bint any_color, u32 colors):
    return (["any"] if any_color else []) + bits_to_words(colors, COLOR_WORDS)


cdef dict player_to_json(const Tables* t, const DelphiState* s, int seat, int observer):
    cdef const Player* p = &s.players[seat]
    cdef int bit, slot
    cdef bint shown = observer in (EVERYTHING, seat)
    return {
        "color": PLAYER_COLORS[seat],
        "ship_tile": "" if p.ship_tile == NO_SHIP_TILE else SHIP_WORDS[p.ship_tile],
        "ship": at(t, p.ship),
        "favor": p.favor,
        "shield": p.shield,
        "dice": counts_to_colors(p.dice),
        "dice_left": counts_to_colors(p.dice_left),
        "oracle_cards": counts_to_colors(p.oracle_cards),
        "card_played": "" if p.card_played == NONE else COLOR_WORDS[p.card_played],
        "apollon": p.apollon != 0,
        "extra_used": p.extra_used != 0,
        "injuries": counts_to_colors(p.injuries),
        "gods": {god: p.gods[<int>color] for god, color in GODS},
        "tasks": {
            "shrine": p.shrine_tasks,
            "statue": p.statue_tasks,
            "offering": task_colors(p.any_offering, p.offering_tasks),
            "monster": task_colors(p.any_monster, p.monster_tasks),
        },
        "done": {
            "shrine": p.shrines_done,
            "statue": bits_to_words(p.statues_done, COLOR_WORDS),
            "offering": bits_to_words(p.offerings_done, COLOR_WORDS),
            "monster": bits_to_words(p.monsters_done, COLOR_WORDS),
        },
        "cargo": {
            "offerings": bits_to_words(p.offerings_aboard, COLOR_WORDS),
            "statues": bits_to_words(p.statues_aboard, COLOR_WORDS),
        },
        "companions": [
            {"kind": COMPANION_WORDS[bit % 3], "color": COLOR_WORDS[bit // 3]}
            for bit in range(3 * COLORS) if (p.companions >> bit) & 1
        ],
        "equipment": bits_to_words(p.equipment, CARD_WORDS),
        "knows": [tile_at(t, s, slot, shown) for slot in range(TILES) if (p.knows >> slot) & 1],
        "arrived": p.arrived != 0,
    }


cdef dict frame_to_json(const Tables* t, const DelphiState* s, const Frame* frame, int observer):
    cdef int kind = frame.kind
    cdef dict entry = {"kind": KIND_WORDS[kind], "seat": frame.seat}
    if kind in WITH_HEX:
        entry.update(at(t, frame.hex))
    if kind in WITH_COLOR:
        entry["color"] = COLOR_WORDS[frame.color]
    if kind in WITH_HEX:
        entry["strength"] = frame.n
    elif kind in WITH_N:
        entry["n"] = frame.n
    elif kind == EFFECT:
        entry["card"] = CARD_WORDS[frame.card]
    elif kind == SCOUT:
        shown = observer in (EVERYTHING, frame.seat)
        entry["tiles"] = [tile_at(t, s, frame.tile_a, shown), tile_at(t, s, frame.tile_b, shown)]
    return entry


cdef dict pending_to_json(const Tables* t, const DelphiState* s, int observer):
    """The open entry of the stack, with those below it under `then`, next first."""
    cdef int i
    cdef dict pending
    if s.phase == OVER:
        return {
            "kind": "over",
            "result": "length" if s.by_length else "arrival",
            "winners": bits_to_words(winners(t, s), tuple(range(t.players))),
        }
    pending = frame_to_json(t, s, &s.stack[s.frames - 1], observer)
    if s.stack[s.frames - 1].kind == DRAFT:
        pending["ships"] = bits_to_words(s.ships_on_offer, SHIP_WORDS)
    if s.frames > 1:
        pending["then"] = [frame_to_json(t, s, &s.stack[i], observer) for i in reversed(range(s.frames - 1))]
    return pending


cdef dict options_to_json(const Tables* t, object options):
    board = options.get("board")
    return {
        "players": t.players,
        "board": board if board in ("compact", "free") else "given",
        "ship_tiles": options.get("ship_tiles", "random"),
        "removed_tasks": options.get("removed_tasks", 0),
    }


cdef dict copy_hex(dict hex):
    cdef dict copy = dict(hex)
    if "sites" in copy:
        copy["sites"] = list(copy["sites"])
    return copy


cdef dict write_position(const Tables* t, const DelphiState* s, list board, object options, int observer):
    """What the observer sees: a seat, SPECTATOR, or EVERYTHING for the full state."""
    cdef dict obj = {"game": "delphi", "format": FORMAT}
    cdef int slot, seat, color, i
    cdef u32 seen = s.face_up
    cdef list tiles = []
    if observer == EVERYTHING:
        seen = (1 << TILES) - 1
    else:
        obj["observer"] = observer
        if observer != SPECTATOR:
            seen |= s.players[observer].knows
    for slot in range(TILES):
        tile = at(t, t.tile_hex[slot])
        tile["face_up"] = (s.face_up >> slot) & 1 != 0
        if (seen >> slot) & 1:
            tile["color"], tile["letter"] = TILE_WORDS[s.tile[slot]]
        tile["shrine"] = (s.shrines >> slot) & 1 != 0
        tiles.append(tile)

    obj["options"] = options_to_json(t, options)
    obj["board"] = [copy_hex(hex) for hex in board]
    obj["round"] = s.round
    obj["turn"] = s.turn
    obj["to_act"] = delphi_to_act(t, s)
    obj["phase"] = KIND_WORDS[s.stack[s.frames - 1].kind if s.frames else s.phase]
    if s.frames or s.phase == OVER:
        obj["pending"] = pending_to_json(t, s, observer)
    obj["players"] = [player_to_json(t, s, seat, observer) for seat in range(t.players)]
    obj["island_tiles"] = tiles
    obj["offerings"] = [
        at(t, t.offering_hex[i]) | {"colors": bits_to_words(s.offerings[i], COLOR_WORDS)}
        for i in range(OFFERING_ISLANDS)
    ]
    obj["monsters"] = [
        at(t, t.monster_hex[i]) | {"colors": bits_to_words(s.monsters[i], COLOR_WORDS)}
        for i in range(MONSTER_ISLANDS)
    ]
    obj["statues"] = {COLOR_WORDS[color]: s.statues[color] for color in range(COLORS)}
    obj["raised"] = [
        at(t, t.statue_hex[i]) | {"color": COLOR_WORDS[color]}
        for i in range(STATUE_ISLANDS) for color in range(COLORS) if (s.raised[i] >> color) & 1
    ]
    obj["equipment_display"] = bits_to_words(s.display, CARD_WORDS)
    obj["equipment_pile"] = bits_to_words(s.equipment_pile, CARD_WORDS)
    obj["oracle_pile"] = counts_to_colors(s.oracle_pile)
    obj["oracle_discard"] = counts_to_colors(s.oracle_discard)
    obj["injury_pile"] = counts_to_colors(s.injury_pile)
    obj["injury_discard"] = counts_to_colors(s.injury_discard)
    return obj


# ---------------------------------------------------------------- reading: hexes

cdef int read_hex(Part where, dict hexes) except -1:
    """The number of the hex at `q`, `r`."""
    cdef int q = where.field("q", 0).number(-999, 999)
    cdef int r = where.field("r", 0).number(-999, 999)
    hex = hexes.get((q, r))
    if hex is None:
        raise where.bad(f"{q},{r} is not a water, island, city or Zeus space of the board")
    return hex


cdef int read_slot(Part where, dict hexes, const Tables* t, int kind, str what) except -1:
    """The same, as the number among the spaces of one kind."""
    cdef int hex = read_hex(where, hexes)
    if t.kind[hex] != kind:
        raise where.bad(f"{t.q[hex]},{t.r[hex]} is not {what}")
    return t.slot[hex]


# ---------------------------------------------------------------- reading: set-up

cdef tuple ROOT_FIELDS = (
    "game", "format", "options", "board", "placements", "temples", "round", "turn", "to_act", "phase", "pending",
    "players", "island_tiles", "offerings", "monsters", "statues", "raised", "equipment_display", "equipment_pile",
    "oracle_pile", "oracle_discard", "injury_pile", "injury_discard",
)


cdef Part read_root(object obj, bint observed):
    cdef Part root = part("", dict(obj))
    if observed and not root.has("observer"):
        raise part("observer", None).bad(
            "is missing; an observation names the seat that sees it, and a full state is read by state_from_json")
    if not observed and root.has("observer"):
        raise part("observer", None).bad(
            "this is what one seat sees, not a full state; it is read by state_from_observation")
    for name in ("game", "format", "players"):
        if not root.has(name):
            raise part(name, None).bad("is missing")
    root.only((*ROOT_FIELDS, "observer") if observed else ROOT_FIELDS)
    root.field("game", "").word(("delphi",))
    root.field("format", 0).number(FORMAT, FORMAT)
    return root


cdef dict read_options(Part root):
    cdef Part options = root.field("options", {})
    cdef Part players = root.field("players", [])
    cdef int count = len(players.items())
    if not 2 <= count <= 4:
        raise players.bad(f"{count} players are not allowed; allowed: 2 to 4")
    options.only(("players", "board", "ship_tiles", "removed_tasks"))
    if options.field("players", count).number(2, 4) != count:
        raise options.field("players", count).bad(f"{options.value['players']}, but {count} players are listed")
    boards, ships = ("given", "compact", "free"), ("random", "draft", "first_game")
    return {
        "players": count,
        "board": boards[options.field("board", "given").word(boards)],
        "ship_tiles": ships[options.field("ship_tiles", "random").word(ships)],
        "removed_tasks": options.field("removed_tasks", 0).number(0, components.MAX_REMOVED_TASKS),
    }


cdef list read_board(object obj):
    """The board of a position: either all hexes, or where the tiles lie and which temple is where."""
    cdef Part root = part("", obj)
    if root.field("board", []).value == []:
        if root.field("placements", []).value == []:
            raise part("board", None).bad("is missing; give `board`, or `placements` and `temples`")
        return board_from_placements(root.field("placements", []).value, root.field("temples", []).value)
    for name in ("placements", "temples"):
        if root.field(name, []).value != []:
            raise root.field(name, []).bad("the board is given twice; give `board`, or `placements` and `temples`")
    return check_board(root.field("board", []).value)


cdef dict read_setup(object obj, bint observed):
    return read_options(read_root(obj, observed))


# ---------------------------------------------------------------- reading: players

cdef tuple PLAYER_FIELDS = (
    "color", "ship_tile", "ship", "favor", "shield", "dice", "dice_left", "oracle_cards", "card_played", "apollon",
    "extra_used", "injuries", "gods", "tasks", "done", "cargo", "companions", "equipment", "knows", "arrived",
)


cdef int read_gods(Part gods, const Tables* t, Player* p) except -1:
    cdef Part row
    cdef int number
    gods.only(tuple([god for god, _ in GODS]))
    for god, color in GODS:
        row = gods.field(god, 0)
        number = row.number(0, TOP_ROW)
        if 0 < number < t.first_row:
            raise row.bad(f"no god stands on row {number} with {t.players} players: "
                          f"the first step leads from row 0 to row {t.first_row} (R22)")
        if number == 0 and p.ship_tile == SHIP_GODS:
            raise row.bad(f"with ship tile gods no god is below row {t.first_row} (R5)")
        p.gods[<int>color] = <u8>number
    return 0


cdef int read_tasks(Part player, Player* p) except -1:
    cdef Part tasks = player.field("tasks", {})
    cdef Part done = player.field("done", {})
    cdef u32 bits
    for part_ in (tasks, done):
        (<Part>part_).only(("shrine", "statue", "offering", "monster"))
    p.shrine_tasks = <u8>tasks.field("shrine", 0).number(0, 3)
    p.statue_tasks = <u8>tasks.field("statue", 0).number(0, 3)
    bits = tasks.field("offering", []).word_set(COLOR_OR_ANY)
    p.any_offering, p.offering_tasks = bits & 1, <u8>(bits >> 1)
    bits = tasks.field("monster", []).word_set(COLOR_OR_ANY)
    p.any_monster, p.monster_tasks = bits & 1, <u8>(bits >> 1)
    p.shrines_done = <u8>done.field("shrine", 0).number(0, 3)
    p.statues_done = <u8>done.field("statue", []).word_set(COLOR_WORDS)
    p.offerings_done = <u8>done.field("offering", []).word_set(COLOR_WORDS)
    p.monsters_done = <u8>done.field("monster", []).word_set(COLOR_WORDS)
    return 0


cdef int read_companions(Part companions, Player* p) except -1:
    cdef Part item
    cdef u32 bit
    for entry in companions.items():
        item = entry
        item.only(("kind", "color"))
        bit = <u32>1 << (3 * item.field("color", "").word(COLOR_WORDS) + item.field("kind", "").word(COMPANION_WORDS))
        if p.companions & bit:
            raise item.bad("is there twice")
        p.companions |= bit
    return 0


cdef int read_dice(Part player, Player* p) except -1:
    cdef Part dice = player.field("dice", [])
    cdef Part left = player.field("dice_left", [])
    cdef int color
    cdef int count = dice.word_counts(COLOR_WORDS, p.dice, 3)
    if count not in (0, 3):
        raise dice.bad(f"{count} dice; allowed: 3, or none before the opening roll")
    left.word_counts(COLOR_WORDS, p.dice_left, 3)
    for color in range(COLORS):
        if p.dice_left[color] > p.dice[color]:
            raise left.bad(f"{p.dice_left[color]} {COLOR_WORDS[color]} dice left, but {p.dice[color]} rolled")
    return 0


cdef int read_player(Part player, const Tables* t, DelphiState* s, int seat, dict options, dict hexes) except -1:
    cdef Player* p = &s.players[seat]
    cdef Part color = player.field("color", "") if isinstance(player.value, dict) else None
    cdef Part tile, ship
    cdef int number
    player.only(PLAYER_FIELDS)
    if color.value != PLAYER_COLORS[seat]:
        raise color.not_allowed(f"{PLAYER_COLORS[seat]}, the color of seat {seat}")

    tile = player.field("ship_tile", "")
    number = tile.word(("", *SHIP_WORDS))
    p.ship_tile = NO_SHIP_TILE if number == 0 else <u8>(number - 1)
    if options["ship_tiles"] == "first_game" and number and tile.value not in FIRST_GAME_SHIPS:
        raise tile.not_allowed(f"{', '.join(FIRST_GAME_SHIPS)} in a first game (R4)")

    ship = player.field("ship", {})
    ship.only(("q", "r"))
    p.ship = <u8>read_hex(ship, hexes)
    if t.kind[p.ship] not in (WATER, ZEUS):
        raise ship.bad(f"{t.q[p.ship]},{t.r[p.ship]} is neither water nor the Zeus space (R15)")

    p.favor = <u16>player.field("favor", 0).number(0, MAX_FAVOR)
    p.shield = <u8>player.field("shield", 0).number(0, MAX_SHIELD)
    read_dice(player, p)
    player.field("oracle_cards", []).word_counts(
        COLOR_WORDS, p.oracle_cards, COLORS * components.ORACLE_CARDS_PER_COLOR)
    number = player.field("card_played", "").word(COLOR_OR_NONE)
    p.card_played = NONE if number == 0 else <u8>(number - 1)
    p.apollon = player.field("apollon", False).flag()
    p.extra_used = player.field("extra_used", False).flag()
    player.field("injuries", []).word_counts(COLOR_WORDS, p.injuries, COLORS * components.INJURY_CARDS_PER_COLOR)
    read_gods(player.field("gods", {}), t, p)
    read_tasks(player, p)
    cargo = player.field("cargo", {})
    cargo.only(("offerings", "statues"))
    p.offerings_aboard = <u8>cargo.field("offerings", []).word_set(COLOR_WORDS)
    p.statues_aboard = <u8>cargo.field("statues", []).word_set(COLOR_WORDS)
    read_companions(player.field("companions", []), p)
    p.equipment = player.field("equipment", []).word_set(CARD_WORDS)
    p.arrived = player.field("arrived", False).flag()
    return 0


# ---------------------------------------------------------------- reading: island tiles and who knows them

cdef int read_identity(Part tile) except -1:
    """The tile that `color` and `letter` name; HIDDEN when both are absent."""
    cdef Part color = tile.field("color", "")
    cdef Part letter = tile.field("letter", "")
    if color.value == "" and letter.value == "":
        return HIDDEN
    color.word(PLAYER_COLORS)
    letter.word(LETTERS)
    if (color.value, letter.value) not in TILE_WORDS:
        raise tile.bad(f"there is no {color.value} tile with {letter.value}")
    return TILE_WORDS.index((color.value, letter.value))


cdef int note_identity(Part where, DelphiState* s, int slot, int tile, bint allowed) except -1:
    """Remembers which tile lies on a slot, or checks that it is the same as said elsewhere."""
    cdef int other
    if tile == HIDDEN:
        return 0
    if s.tile[slot] == HIDDEN and not allowed:
        raise where.bad("color and letter of this tile are hidden from the observer")
    if s.tile[slot] not in (HIDDEN, tile):
        raise where.bad(f"{' '.join(TILE_WORDS[tile])}, but {' '.join(TILE_WORDS[s.tile[slot]])} elsewhere")
    for other in range(TILES):
        if other != slot and s.tile[other] == tile:
            raise where.bad(f"the tile {' '.join(TILE_WORDS[tile])} lies on two spaces")
    s.tile[slot] = <u8>tile
    return 0


cdef int read_tiles(Part root, const Tables* t, DelphiState* s, dict hexes, int observer) except -1:
    cdef Part tiles = root.field("island_tiles", [])
    cdef Part item
    cdef u32 listed = 0, bit
    cdef int slot
    memset(s.tile, HIDDEN, TILES)
    for entry in tiles.items():
        item = entry
        item.only(("q", "r", "face_up", "color", "letter", "shrine"))
        slot = read_slot(item, hexes, t, ISLAND_TILE, "a space for an island tile")
        bit = <u32>1 << slot
        if listed & bit:
            raise item.bad("this space is there twice")
        listed |= bit
        note_identity(item, s, slot, read_identity(item), True)
        if item.field("face_up", False).flag():
            s.face_up |= <u16>bit
        if s.tile[slot] == HIDDEN and (observer == EVERYTHING or s.face_up & bit):
            raise item.bad("color and letter are missing")
        if item.field("shrine", False).flag():
            if not s.face_up & bit:
                raise item.field("shrine", False).bad("a shrine stands only on a tile that is face up")
            s.shrines |= <u16>bit
        if observer != EVERYTHING and s.tile[slot] != HIDDEN and not s.face_up & bit:
            if observer == SPECTATOR:
                raise item.bad("color and letter of this tile are hidden from the observer")
            s.players[observer].knows |= <u16>bit
    if count_bits(listed) != TILES:
        raise tiles.bad(f"{count_bits(listed)} spaces are listed; there are {TILES}")
    return 0


cdef int read_knows(Part player, const Tables* t, DelphiState* s, int seat, dict hexes, int observer) except -1:
    cdef Part item
    cdef Player* p = &s.players[seat]
    cdef u32 listed = 0, bit
    cdef int slot
    for entry in player.field("knows", []).items():
        item = entry
        item.only(("q", "r", "color", "letter"))
        slot = read_slot(item, hexes, t, ISLAND_TILE, "a space for an island tile")
        bit = <u32>1 << slot
        if listed & bit:
            raise item.bad("this space is there twice")
        if s.face_up & bit:
            raise item.bad("this tile is face up; only face-down tiles are listed")
        note_identity(item, s, slot, read_identity(item), observer == seat)
        if observer == seat and s.tile[slot] == HIDDEN:
            raise item.bad("the observer has seen this tile; its color and letter are missing")
        listed |= bit
    p.knows |= <u16>listed
    return 0


cdef int fill_hidden_tiles(DelphiState* s) except -1:
    """Puts the tiles that have not been seen on the spaces that are left, in some order."""
    cdef u32 unused = (1 << TILES) - 1
    cdef int slot
    for slot in range(TILES):
        if s.tile[slot] != HIDDEN:
            unused &= ~(<u32>1 << s.tile[slot])
    for slot in range(TILES):
        if s.tile[slot] == HIDDEN:
            s.tile[slot] = <u8>lowest(unused)
            unused &= unused - 1
    return 0


# ---------------------------------------------------------------- reading: what lies on islands and in piles

cdef int read_islands(Part islands, u8* colors, const Tables* t, dict hexes, int kind, str what) except -1:
    """The colors on each island of a kind; an island that is not listed is empty."""
    cdef Part item
    cdef u32 listed = 0
    cdef int slot
    for entry in islands.items():
        item = entry
        item.only(("q", "r", "colors"))
        slot = read_slot(item, hexes, t, kind, what)
        if (listed >> slot) & 1:
            raise item.bad("this island is there twice")
        listed |= <u32>1 << slot
        colors[slot] = <u8>item.field("colors", []).word_set(COLOR_WORDS)
    return 0


cdef int read_raised(Part raised, const Tables* t, DelphiState* s, dict hexes) except -1:
    cdef Part item
    cdef int slot
    cdef u8 bit
    for entry in raised.items():
        item = entry
        item.only(("q", "r", "color"))
        slot = read_slot(item, hexes, t, STATUE_ISLAND, "a statue island")
        bit = <u8>(1 << item.field("color", "").word(COLOR_WORDS))
        if not t.sites[slot] & bit:
            raise item.field("color", "").not_allowed(
                f"{', '.join(bits_to_words(t.sites[slot], COLOR_WORDS))}, the building sites there (R20)")
        if s.raised[slot] & bit:
            raise item.bad(f"the {item.value['color']} site has two statues")
        s.raised[slot] |= bit
    return 0


cdef int read_deck(Part root, const Tables* t, DelphiState* s, str name, int each, u8* pile, u8* discard,
                   bint injuries) except -1:
    """A pile and its discards; with what players hold they are `each` cards of each color. Absent ones are the rest."""
    cdef Part pile_part = root.field(f"{name}_pile", [])
    cdef Part discard_part = root.field(f"{name}_discard", [])
    cdef bint has_pile = root.has(f"{name}_pile"), has_discard = root.has(f"{name}_discard")
    cdef int color, seat, held, rest
    cdef const Player* p
    pile_part.word_counts(COLOR_WORDS, pile, COLORS * each)
    discard_part.word_counts(COLOR_WORDS, discard, COLORS * each)
    for color in range(COLORS):
        held = 0
        for seat in range(t.players):
            p = &s.players[seat]
            held += p.injuries[color] if injuries else p.oracle_cards[color] + (p.card_played == color)
            if held > each:
                raise part(f"players[{seat}].{'injuries' if injuries else 'oracle_cards'}", None).bad(
                    f"the players hold {held} {COLOR_WORDS[color]} cards so far; there are {each}")
        rest = each - held - pile[color] - discard[color]
        if rest > 0 and not has_pile:
            pile[color] += <u8>rest
        elif rest > 0 and not has_discard:
            discard[color] += <u8>rest
        elif rest != 0:
            raise (pile_part if has_pile else discard_part).bad(
                f"{held} {COLOR_WORDS[color]} cards held, {pile[color]} in the pile and {discard[color]} discarded "
                f"make {each - rest}; there are {each}")
    return 0


cdef int read_equipment(Part root, const Tables* t, DelphiState* s) except -1:
    """Every equipment card is in exactly one place."""
    cdef Part display = root.field("equipment_display", [])
    cdef Part pile = root.field("equipment_pile", [])
    cdef u32 used = 0, cards
    cdef int seat
    s.display = display.word_set(CARD_WORDS)
    s.equipment_pile = pile.word_set(CARD_WORDS)
    if count_bits(s.display) > components.DISPLAY_CARDS:
        raise display.bad(f"{count_bits(s.display)} cards; at most {components.DISPLAY_CARDS}")
    for seat in range(t.players):
        cards = s.players[seat].equipment
        no_card_twice(f"players[{seat}].equipment", cards & used)
        used |= cards
    no_card_twice("equipment_display", s.display & used)
    used |= s.display
    if not root.has("equipment_pile"):
        s.equipment_pile = ALL_CARDS & ~used
    no_card_twice("equipment_pile", s.equipment_pile & used)
    if used | s.equipment_pile != ALL_CARDS:
        raise pile.bad(f"{CARD_WORDS[lowest(ALL_CARDS & ~(used | s.equipment_pile))]} is nowhere")
    return 0


cdef int no_card_twice(str path, u32 twice) except -1:
    if twice:
        raise part(path, None).bad(f"{CARD_WORDS[lowest(twice)]} is there twice; each card exists once")
    return 0


# ---------------------------------------------------------------- reading: what is open

cdef tuple FRAME_FIELDS = ("kind", "seat", "q", "r", "color", "strength", "n", "card", "tiles")
cdef tuple PENDING_FIELDS = (*FRAME_FIELDS, "ships", "then", "result", "winners")


cdef int no_field(Part entry, str name, object default) except -1:
    """A field that this kind does not have may stand there only with its default."""
    cdef Part field = entry.field(name, default)
    if field.value != default or isinstance(field.value, bool):
        raise field.bad(f"{entry.value['kind']} has no {name}")
    return 0


cdef int read_scouted(Part entry, Frame* frame, const Tables* t, DelphiState* s, dict hexes, int observer) except -1:
    cdef Part tiles = entry.field("tiles", [])
    cdef Part item
    cdef list items = tiles.items(), slots = []
    cdef int slot
    if len(items) != 2:
        raise tiles.bad(f"{len(items)} tiles; a scout looks at 2")
    for each in items:
        item = each
        item.only(("q", "r", "color", "letter"))
        slot = read_slot(item, hexes, t, ISLAND_TILE, "a space for an island tile")
        if (s.face_up >> slot) & 1:
            raise item.bad("this tile is face up")
        if slot in slots:
            raise item.bad("this space is there twice")
        note_identity(item, s, slot, read_identity(item), observer == frame.seat)
        # Players know what they have looked at (R27).
        s.players[frame.seat].knows |= <u16>(1 << slot)
        slots.append(slot)
    frame.tile_a, frame.tile_b = min(slots), max(slots)
    return 0


cdef int read_frame(Part entry, tuple kinds, const Tables* t, DelphiState* s, Frame* frame, dict hexes,
                    int observer) except -1:
    cdef int kind = KIND_WORDS.index(kinds[entry.field("kind", "").word(kinds)])
    frame.kind = <u8>kind
    if kind in (BEGIN, NEXT_TURN, TITAN):
        # Of these the seat follows, so it may be absent: the one whose turn it is.
        frame.seat = s.turn
        entry.field("seat", s.turn).number(s.turn, s.turn)
    else:
        frame.seat = <u8>entry.field("seat", 0).number(0, t.players - 1)

    if kind in WITH_HEX:
        frame.hex = <u8>read_hex(entry, hexes)
        # The first roll needs 9 - shield, each later one 1 less; what is lost needed at least 1 (R18).
        frame.n = <u8>entry.field("strength", 0).number(kind == FIGHT, 9 - s.players[frame.seat].shield)
    else:
        no_field(entry, "q", 0)
        no_field(entry, "r", 0)
        no_field(entry, "strength", 0)
    if kind in WITH_COLOR:
        frame.color = <u8>entry.field("color", "").word(COLOR_WORDS)
    else:
        no_field(entry, "color", "")
    if kind in WITH_N:
        frame.n = <u8>entry.field("n", 0).number(1, MAX_STEPS)
    else:
        no_field(entry, "n", 0)
    if kind == EFFECT:
        frame.card = <u8>entry.field("card", "").word(CARD_WORDS)
    else:
        no_field(entry, "card", "")
    if kind == SCOUT:
        read_scouted(entry, frame, t, s, hexes, observer)
    else:
        no_field(entry, "tiles", [])
    return 0


cdef int read_over(Part pending, Part root, const Tables* t, DelphiState* s) except -1:
    """The end, by arrival or by length; `pending` may be absent, as all of it follows (R28, R29)."""
    cdef int seat
    cdef bint arrived = False
    cdef str result
    for seat in range(t.players):
        arrived |= s.players[seat].arrived
    s.phase = OVER
    s.by_length = not arrived
    if not arrived and s.round != MAX_ROUNDS:
        raise root.field("phase", "").bad(f"over, but nobody has arrived and it is not round {MAX_ROUNDS}")
    if pending is None:
        return 0
    result = "arrival" if arrived else "length"
    for name in ("seat", "q", "r", "strength", "n"):
        no_field(pending, name, 0)
    for name in ("color", "card"):
        no_field(pending, name, "")
    for name in ("tiles", "ships", "then"):
        no_field(pending, name, [])
    if pending.has("result") and pending.value["result"] != result:
        raise pending.field("result", "").not_allowed(f"{result}, as {'somebody' if arrived else 'nobody'} has arrived")
    won = bits_to_words(winners(t, s), tuple(range(t.players)))
    if pending.has("winners") and pending.value["winners"] != won:
        raise pending.field("winners", []).bad(f"not those who win by R28, which are {won}")
    return 0


cdef int read_stack(Part root, const Tables* t, DelphiState* s, dict hexes, int observer) except -1:
    """`phase` and `pending`: the base phase, or what is open and what waits below it."""
    cdef Part phase = root.field("phase", "")
    cdef Part pending = None
    cdef Part then
    cdef list waiting
    cdef int kind = phase.word(PHASE_WORDS)
    cdef int i
    if root.has("pending"):
        pending = root.field("pending", {})
        pending.only(PENDING_FIELDS)
        if pending.field("kind", "").value != phase.value:
            raise pending.field("kind", "").not_allowed(f"{phase.value}, the phase")
    if kind == OVER:
        return read_over(pending, root, t, s)
    if kind in (START, ACT):
        if pending is not None:
            raise pending.bad(f"nothing is open in phase {phase.value}")
        s.phase = <u8>kind
        return 0

    if pending is None:
        raise part("pending", None).bad(f"is missing in phase {phase.value}")
    no_field(pending, "result", "")
    no_field(pending, "winners", [])
    if kind != DRAFT:
        no_field(pending, "ships", [])
    then = pending.field("then", [])
    waiting = then.items()
    if len(waiting) >= MAX_OPEN:
        raise then.bad(f"{len(waiting)} entries; at most {MAX_OPEN - 1}")
    s.frames = <u8>(len(waiting) + 1)
    read_frame(pending, OPEN_WORDS, t, s, &s.stack[s.frames - 1], hexes, observer)
    for i in range(len(waiting)):
        (<Part>waiting[i]).only(FRAME_FIELDS)
        read_frame(waiting[i], WAITING_WORDS, t, s, &s.stack[s.frames - 2 - i], hexes, observer)
    if kind == DRAFT:
        s.ships_on_offer = <u8>pending.field("ships", []).word_set(SHIP_WORDS)
    # Before the first turn the base phase is not set yet; later it is ACT until the turn has passed on.
    s.phase = START if s.stack[0].kind == BEGIN else ACT
    return 0


# ---------------------------------------------------------------- checks: the stack

cdef str frame_path(const DelphiState* s, int i):
    """The path of an entry of the stack."""
    return "pending" if i == s.frames - 1 else f"pending.then[{s.frames - 2 - i}]"


cdef bint in_setup(const DelphiState* s) noexcept:
    return s.frames > 0 and s.stack[0].kind == BEGIN


cdef bint turn_ends(const DelphiState* s) noexcept:
    return s.frames > 0 and s.stack[0].kind == NEXT_TURN


cdef int waiting(const DelphiState* s, int kind, int seat) noexcept:
    """How many entries of a kind a seat has on the stack."""
    cdef int i, n = 0
    for i in range(s.frames):
        n += s.stack[i].kind == kind and s.stack[i].seat == seat
    return n


cdef int check_frame(const Tables* t, const DelphiState* s, int i) except -1:
    """What an entry is about must be there."""
    cdef const Frame* frame = &s.stack[i]
    cdef const Player* p = &s.players[frame.seat]
    cdef Part entry = part(frame_path(s, i), None)
    cdef int kind = frame.kind
    cdef str color = COLOR_WORDS[frame.color]
    if kind in (FIGHT, BATTLE):
        if t.kind[frame.hex] != MONSTER_ISLAND or not (s.monsters[t.slot[frame.hex]] >> frame.color) & 1:
            raise entry.bad(f"there is no {color} monster on {t.q[frame.hex]},{t.r[frame.hex]}")
        if not (monsters_needed(p) >> frame.color) & 1:
            raise entry.bad(f"no task of seat {frame.seat} needs a {color} monster (R18)")
        if not (t.near[owns(p, FIGHT_EXPLORE_BUILD_REACH)][p.ship].monsters >> t.slot[frame.hex]) & 1:
            raise entry.bad(f"{t.q[frame.hex]},{t.r[frame.hex]} is not in reach of the ship of seat {frame.seat} (R17)")
    elif kind == COMPANION:
        if not (p.statues_done >> frame.color) & 1:
            raise entry.bad(f"seat {frame.seat} has not raised a {color} statue")
    elif kind == EFFECT:
        if frame.card != SCOUT_CARD and frame.card < TAKE_OFFERING_A:
            raise entry.bad(f"{CARD_WORDS[frame.card]} leaves no choice (R26)")
        if not owns(p, frame.card):
            raise entry.bad(f"seat {frame.seat} does not own {CARD_WORDS[frame.card]}")
    elif kind == SCOUT:
        if not owns(p, SCOUT_CARD):
            raise entry.bad(f"seat {frame.seat} does not own scout")
    elif kind == RETURN_GOD:
        if p.gods[frame.color] != TOP_ROW:
            raise entry.bad(f"the {color} god of seat {frame.seat} is not on the top row (R23)")
    elif kind == GAIN_SHIELD and frame.n != 1:
        raise entry.bad("n: a card or tile gives 1 shield")
    return 0


cdef int check_stack(const Tables* t, const DelphiState* s, dict options) except -1:
    """Each part of the game has its own entries, in an order of their own."""
    cdef frozenset kinds = SETUP_KINDS if in_setup(s) else END_KINDS if turn_ends(s) else ACT_KINDS
    cdef str part_of_game = "set-up" if in_setup(s) else "the end of a turn" if turn_ends(s) else "a turn's actions"
    cdef Part entry
    cdef int i, kind
    for i in range(s.frames):
        entry = part(frame_path(s, i), None)
        kind = s.stack[i].kind
        if kind not in kinds or (i and kind in LAST_KINDS):
            raise entry.bad(f"{KIND_WORDS[kind]} does not occur there in {part_of_game}")
        if waiting(s, kind, s.stack[i].seat) > 1 and (kind in ONCE_KINDS or (kind == INJURY and in_setup(s))):
            raise entry.bad(f"seat {s.stack[i].seat} has a {KIND_WORDS[kind]} already; there is one for each seat")
        if kinds is ACT_KINDS and s.stack[i].seat != s.turn:
            raise entry.bad(f"seat {s.stack[i].seat} has no {KIND_WORDS[kind]} in the turn of seat {s.turn}")
        if in_setup(s) and kind in EQUIPPED_KINDS and s.players[s.stack[i].seat].ship_tile != SHIP_EQUIPPED:
            raise entry.bad(f"{KIND_WORDS[kind]} in set-up comes only from ship tile equipped (R4)")
        if kind == TITAN and (i != 1 or s.turn != t.players - 1):
            raise entry.bad("the Titan attacks once, after the turn of the last seat (R13)")
        if kind == ROLL and turn_ends(s) and s.stack[i].seat != s.turn:
            raise entry.bad(f"seat {s.stack[i].seat} does not roll in the turn of seat {s.turn}")
        if kind == FOLLOW and s.stack[i].seat == s.turn:
            raise entry.bad("the one who rolls advances nothing (R13)")
        if kind == DRAFT and options["ship_tiles"] != "draft":
            raise entry.bad(f"ship tiles are not drafted; options.ship_tiles is {options['ship_tiles']}")
        check_frame(t, s, i)
    return 0


cdef int check_draft(const Tables* t, const DelphiState* s) except -1:
    """A seat has its ship tile unless it still has to choose; each tile exists once (R4)."""
    cdef int seat, to_choose = 0
    cdef u32 taken = 0
    cdef Part tile
    for seat in range(t.players):
        tile = part(f"players[{seat}].ship_tile", None)
        if (s.players[seat].ship_tile == NO_SHIP_TILE) != (waiting(s, DRAFT, seat) == 1):
            raise tile.bad("is missing" if s.players[seat].ship_tile == NO_SHIP_TILE
                           else f"seat {seat} has a ship tile and has still to draft one")
        if s.players[seat].ship_tile == NO_SHIP_TILE:
            to_choose += 1
            continue
        if (taken >> s.players[seat].ship_tile) & 1:
            raise tile.bad(f"{SHIP_WORDS[s.players[seat].ship_tile]} is there twice; each ship tile exists once")
        taken |= <u32>1 << s.players[seat].ship_tile
    if to_choose:
        if taken & s.ships_on_offer:
            raise part("pending.ships", None).bad(f"{SHIP_WORDS[lowest(taken & s.ships_on_offer)]} is already taken")
        if s.stack[s.frames - 1].kind != DRAFT:
            raise part("pending", None).bad("the draft comes first (R4)")
        if count_bits(s.ships_on_offer) != to_choose + 1:
            raise part("pending.ships", None).bad(
                f"{count_bits(s.ships_on_offer)} tiles for {to_choose} seats; one more than seats are on offer (R4)")
    return 0


cdef int check_turn(Part root, const Tables* t, const DelphiState* s) except -1:
    """Dice, the card played and what else belongs to one turn, for every seat."""
    cdef const Player* p
    cdef int seat, color, dice, left
    cdef bint acting
    cdef str path
    if in_setup(s) and (s.round != 1 or s.turn != 0):
        raise root.field("round" if s.round != 1 else "turn", 0).bad("set-up is before round 1, turn 0")
    for seat in range(t.players):
        p = &s.players[seat]
        path = f"players[{seat}]"
        acting = seat == s.turn and s.phase == ACT and not turn_ends(s)
        dice = left = 0
        for color in range(COLORS):
            dice += p.dice[color]
            left += p.dice_left[color]
        if dice == 0 and waiting(s, ROLL, seat) == 0:
            raise part(f"{path}.dice", None).bad("are missing; only before the opening roll there are none")
        if left != dice and s.phase != OVER and (seat != s.turn or s.phase == START):
            raise part(f"{path}.dice_left", None).bad("differs from dice outside the actions of the own turn")
        if left and seat == s.turn and turn_ends(s) and waiting(s, ROLL, seat):
            raise part(f"{path}.dice_left", None).bad("all dice are used before the turn ends (R9)")
        if not acting:
            if p.card_played != NONE:
                raise part(f"{path}.card_played", None).bad(f"seat {seat} is not in the actions of its turn")
            if p.apollon:
                raise part(f"{path}.apollon", None).bad(f"seat {seat} is not in the actions of its turn")
            if p.extra_used:
                raise part(f"{path}.extra_used", None).bad(f"seat {seat} is not in the actions of its turn")
        if p.extra_used and not owns(p, EXTRA_ACTION):
            raise part(f"{path}.extra_used", None).bad(f"seat {seat} does not own extra_action")
        if p.arrived:
            if not all_tasks_done(p):
                raise part(f"{path}.arrived", None).bad("there are tasks left (R16)")
            if p.ship != t.zeus:
                raise part(f"{path}.arrived", None).bad("the ship is not on the Zeus space")
            if seat > s.turn and s.phase != OVER:
                raise part(f"{path}.arrived", None).bad(
                    f"seat {seat} has not had its turn in the round in which the game ends (R28)")
    return 0


cdef int check_open(Part root, const Tables* t, const DelphiState* s) except -1:
    """The seat to act has something to decide, or chance has outcomes; `to_act` says who."""
    cdef move_t moves[256]
    cdef double probabilities[256]
    cdef int actor = delphi_to_act(t, s)
    cdef int count = 1, color, injuries = 0
    cdef const Player* p = &s.players[s.turn]
    if root.field("to_act", 0).number(-2, t.players - 1) != actor:
        raise root.field("to_act", 0).not_allowed(f"{actor} in this phase")
    if s.frames:
        count = (delphi_chance_outcomes(t, s, moves, probabilities) if actor == CHANCE
                 else delphi_legal_moves(t, s, moves))
    elif s.phase == START and not must_recover(p):
        for color in range(COLORS):
            injuries += p.injuries[color]
        count = injuries == 0
    if count == 0:
        raise root.field("phase", "").bad(f"{root.value['phase']} is skipped here: there is nothing to decide")
    return 0


# ---------------------------------------------------------------- checks: cards, pieces and tasks

cdef int check_equipment(const Tables* t, const DelphiState* s) except -1:
    """One card for each monster, and one for ship tile `equipped`; the display is refilled at once (R21)."""
    cdef int seat, cards, refills = 0
    cdef const Player* p
    for seat in range(t.players):
        p = &s.players[seat]
        cards = count_bits(p.monsters_done) - waiting(s, EQUIP, seat)
        if p.ship_tile == SHIP_EQUIPPED and waiting(s, SETUP, seat) == 0:
            cards += 1
        if count_bits(p.equipment) != cards:
            raise part(f"players[{seat}].equipment", None).bad(
                f"{count_bits(p.equipment)} cards, but monsters and ship tile brought {cards}")
        refills += waiting(s, EQUIPMENT, seat)
    if count_bits(s.display) + refills != components.DISPLAY_CARDS:
        raise part("equipment_display", None).bad(
            f"{count_bits(s.display)} cards; allowed: {components.DISPLAY_CARDS}, one less only while a refill is open")
    return 0


cdef int check_companions(const Tables* t, const DelphiState* s) except -1:
    """One companion of the color of each statue raised; each exists once (R21, R24)."""
    cdef int seat, color, number, expected
    cdef u32 taken = 0, twice
    cdef const Player* p
    cdef Part where
    for seat in range(t.players):
        p = &s.players[seat]
        where = part(f"players[{seat}].companions", None)
        twice = taken & p.companions
        if twice:
            raise where.bad(f"the {COLOR_WORDS[lowest(twice) // 3]} {COMPANION_WORDS[lowest(twice) % 3]} "
                            "is there twice; each companion exists once")
        taken |= p.companions
        for color in range(COLORS):
            number = count_bits((p.companions >> (3 * color)) & 7)
            expected = (p.statues_done >> color) & 1
            if expected and number == 0 and companion_waits(s, seat, color):
                continue
            if number != expected:
                raise where.bad(f"{number} {COLOR_WORDS[color]}, but {expected} {COLOR_WORDS[color]} statues raised")
            if (p.companions >> (3 * color + HERO)) & 1 and p.injuries[color]:
                raise part(f"players[{seat}].injuries", None).bad(
                    f"{COLOR_WORDS[color]} injuries, in spite of the {COLOR_WORDS[color]} hero (R24)")
    return 0


cdef bint companion_waits(const DelphiState* s, int seat, int color) noexcept:
    cdef int i
    for i in range(s.frames):
        if s.stack[i].kind == COMPANION and s.stack[i].seat == seat and s.stack[i].color == color:
            return True
    return False


cdef int islands_with(const u8* islands, int count, int color) noexcept:
    """On how many islands there is something of a color."""
    cdef int i, n = 0
    for i in range(count):
        n += (islands[i] >> color) & 1
    return n


cdef int check_statues(const Tables* t, const DelphiState* s) except -1:
    cdef int color, seat, aboard, raised, done
    for color in range(COLORS):
        raised = islands_with(s.raised, STATUE_ISLANDS, color)
        aboard = done = 0
        for seat in range(t.players):
            aboard += (s.players[seat].statues_aboard >> color) & 1
            done += (s.players[seat].statues_done >> color) & 1
        if raised != done:
            raise part("raised", None).bad(
                f"{raised} {COLOR_WORDS[color]} statues stand, but the players have raised {done}")
        if s.statues[color] + aboard + raised != components.STATUES_PER_COLOR:
            raise part(f"statues.{COLOR_WORDS[color]}", None).bad(
                f"{s.statues[color]} in the city, {aboard} aboard and {raised} raised make "
                f"{s.statues[color] + aboard + raised}; there are {components.STATUES_PER_COLOR}")
    return 0


cdef int check_offerings(const Tables* t, const DelphiState* s) except -1:
    """One of each color per player, `players` on each island at first (R2)."""
    cdef int color, i, seat, there, aboard, done
    for i in range(OFFERING_ISLANDS):
        if count_bits(s.offerings[i]) > t.players:
            raise part("offerings", None).bad(
                f"{count_bits(s.offerings[i])} on {t.q[t.offering_hex[i]]},{t.r[t.offering_hex[i]]}; "
                f"at most {t.players} with {t.players} players")
    for color in range(COLORS):
        there = islands_with(s.offerings, OFFERING_ISLANDS, color)
        aboard = done = 0
        for seat in range(t.players):
            aboard += (s.players[seat].offerings_aboard >> color) & 1
            done += (s.players[seat].offerings_done >> color) & 1
        if there + aboard + done != t.players:
            raise part("offerings", None).bad(
                f"{there} {COLOR_WORDS[color]} on islands, {aboard} aboard and {done} delivered make "
                f"{there + aboard + done}; there are {t.players}")
    return 0


cdef int check_monsters(const Tables* t, const DelphiState* s) except -1:
    """One of each color per player; 2 on marked islands and `players` - 1 on the others at first (R2)."""
    cdef int color, i, seat, there, done, most
    for i in range(MONSTER_ISLANDS):
        most = 2 if (t.marked >> i) & 1 else t.players - 1
        if count_bits(s.monsters[i]) > most:
            raise part("monsters", None).bad(
                f"{count_bits(s.monsters[i])} on {t.q[t.monster_hex[i]]},{t.r[t.monster_hex[i]]}; at most {most} there")
    for color in range(COLORS):
        there = islands_with(s.monsters, MONSTER_ISLANDS, color)
        done = 0
        for seat in range(t.players):
            done += (s.players[seat].monsters_done >> color) & 1
        if there + done != t.players:
            raise part("monsters", None).bad(
                f"{there} {COLOR_WORDS[color]} on islands and {done} defeated make {there + done}; "
                f"there are {t.players}")
    return 0


cdef int check_shrines(const Tables* t, const DelphiState* s) except -1:
    """Shrines stand on tiles of the builder's color (R19)."""
    cdef int slot, seat
    cdef int built[4]
    memset(built, 0, sizeof(built))
    for slot in range(TILES):
        if (s.shrines >> slot) & 1:
            built[s.tile[slot] // 3] += 1
    for seat in range(4):
        if seat >= t.players:
            if built[seat]:
                raise part("island_tiles", None).bad(f"a shrine on a {PLAYER_COLORS[seat]} tile, a color nobody plays")
        elif built[seat] != s.players[seat].shrines_done:
            raise part(f"players[{seat}].done.shrine", None).bad(
                f"{s.players[seat].shrines_done}, but {built[seat]} shrines stand on {PLAYER_COLORS[seat]} tiles")
    return 0


cdef int check_cargo(const Tables* t, const DelphiState* s) except -1:
    """Storage, and that each piece aboard serves an open task (R20)."""
    cdef const Player* p
    cdef int seat, aboard
    cdef u32 white
    for seat in range(t.players):
        p = &s.players[seat]
        aboard = count_bits(p.offerings_aboard) + count_bits(p.statues_aboard)
        if aboard > storage(p):
            raise part(f"players[{seat}].cargo", None).bad(f"{aboard} aboard; there is storage for {storage(p)}")
        # What no colored task asks for serves the white one, in a color not delivered yet (R7).
        white = p.offerings_aboard & ~p.offering_tasks
        if count_bits(white) > p.any_offering or white & p.offerings_done:
            raise part(f"players[{seat}].cargo.offerings", None).bad(
                f"no open task needs the {COLOR_WORDS[lowest(white)]} offering (R20)")
        if p.statues_aboard & p.statues_done:
            raise part(f"players[{seat}].cargo.statues", None).bad(
                f"a {COLOR_WORDS[lowest(p.statues_aboard & p.statues_done)]} statue is raised already (R20)")
        if count_bits(p.statues_aboard) > p.statue_tasks:
            raise part(f"players[{seat}].cargo.statues", None).bad(
                f"{count_bits(p.statues_aboard)} aboard, but {p.statue_tasks} statue tasks are open (R20)")
    return 0


cdef bint colors_fit(u32 tiles, bint any_tile, u32 open_tiles, bint any_open, u32 done) noexcept:
    """Whether open and done tasks of a type come from these colored tiles and the white one, if it is dealt (R7)."""
    cdef u32 white = done & ~(tiles & ~open_tiles)      # done, but by no colored tile
    if open_tiles & ~tiles or tiles & ~open_tiles & ~done or any_open and not any_tile:
        return False
    return count_bits(white) == any_tile - any_open and white & tiles == 0


cdef list tiles_left(u32 offerings, u32 monsters, bint returned):
    """What a player can have of these colored tiles and the white ones: all, or all but one that went back (R35)."""
    cdef int color
    if not returned:
        return [(offerings, True, monsters, True)]
    return (
        [(offerings, False, monsters, True), (offerings, True, monsters, False)]
        + [(offerings & ~(1 << color), True, monsters, True) for color in range(COLORS) if (offerings >> color) & 1]
        + [(offerings, True, monsters & ~(1 << color), True) for color in range(COLORS) if (monsters >> color) & 1]
    )


cdef bint tasks_fit(const Player* p, u32 offerings, u32 monsters, bint returned):
    """Whether a player's open and done tasks come from these colored tiles."""
    for offering_tiles, any_offering, monster_tiles, any_monster in tiles_left(offerings, monsters, returned):
        if (colors_fit(offering_tiles, any_offering, p.offering_tasks, p.any_offering, p.offerings_done)
                and colors_fit(monster_tiles, any_monster, p.monster_tasks, p.any_monster, p.monsters_done)):
            return True
    return False


def _colored_tiles(removed):
    """Every set of colored tiles that a game can have, as (offering colors, monster colors) in bits (R6)."""
    sides = [
        (1 << COLOR_WORDS.index(tile.offering), 1 << COLOR_WORDS.index(tile.monster))
        for tile in components.DOUBLE_SIDED_TASKS
    ]
    found = set()
    for shown in combinations(range(4), 2):
        for kept_offerings in combinations(shown, 1 if removed >= 4 else 2):
            for kept_monsters in combinations([i for i in range(4) if i not in shown], 1 if removed >= 3 else 2):
                found.add((sum([sides[i][0] for i in kept_offerings]), sum([sides[i][1] for i in kept_monsters])))
    return sorted(found)


cdef int check_tasks(const Tables* t, const DelphiState* s, int removed) except -1:
    """All were dealt the same tiles; each is open or done, but for one that `eleven_tasks` returned (R6, R35)."""
    cdef const Player* p
    cdef int seat, missing, has, dealt
    cdef dict short_by
    cdef list possible = _colored_tiles(removed)
    for seat in range(t.players):
        p = &s.players[seat]
        missing = p.ship_tile == SHIP_ELEVEN_TASKS and waiting(s, SETUP, seat) == 0
        short_by = {}
        for name, has, dealt in (
            ("shrine", p.shrine_tasks + p.shrines_done, 3 - (removed >= 2)),
            ("statue", p.statue_tasks + count_bits(p.statues_done), 3 - (removed >= 1)),
            ("offering", p.any_offering + count_bits(p.offering_tasks) + count_bits(p.offerings_done),
             3 - (removed >= 4)),
            ("monster", p.any_monster + count_bits(p.monster_tasks) + count_bits(p.monsters_done),
             3 - (removed >= 3)),
        ):
            if not dealt - missing <= has <= dealt:
                raise part(f"players[{seat}].tasks.{name}", None).bad(
                    f"{has} {name} tasks open or done; {dealt} are dealt with {removed} removed tasks (R6)")
            short_by[name] = dealt - has
        if sum(short_by.values()) != missing:
            raise part(f"players[{seat}].tasks", None).bad(
                f"{sum(short_by.values())} tasks are neither open nor done; eleven_tasks returned {missing} (R35)")
        returned = short_by["offering"] or short_by["monster"]
        possible = [
            (offerings, monsters) for offerings, monsters in possible if tasks_fit(p, offerings, monsters, returned)
        ]
        if not possible:
            raise part(f"players[{seat}].tasks", None).bad(
                "the colors of open and done tasks fit no set of Zeus tiles"
                + (" that the seats before can have as well" if seat else "")
                + "; all have the same, and the white tile never repeats a color (R6, R7)")
    return 0


# ---------------------------------------------------------------- reading: all of it

cdef int read_position(object obj, const Tables* t, dict options, DelphiState* s, bint observed) except -3:
    cdef Part root = read_root(obj, observed)
    cdef Part statues
    cdef list players = root.field("players", []).items()
    cdef int observer = read_observer(root.field("observer", 0), t.players) if observed else EVERYTHING
    cdef int seat, hex, color
    cdef dict hexes = {(t.q[hex], t.r[hex]): hex for hex in range(MAX_HEXES)}
    memset(s, 0, sizeof(DelphiState))

    s.round = <u8>root.field("round", 0).number(1, MAX_ROUNDS)
    s.turn = <u8>root.field("turn", 0).number(0, t.players - 1)
    for seat in range(t.players):
        read_player(players[seat], t, s, seat, options, hexes)
    read_tiles(root, t, s, hexes, observer)
    if observer >= 0:
        # What the observer knows first: others may have seen the same tiles.
        read_knows(players[observer], t, s, observer, hexes, observer)
    for seat in range(t.players):
        if seat != observer:
            read_knows(players[seat], t, s, seat, hexes, observer)
    read_islands(root.field("offerings", []), s.offerings, t, hexes, OFFERING_ISLAND, "an offering island")
    read_islands(root.field("monsters", []), s.monsters, t, hexes, MONSTER_ISLAND, "a monster island")
    statues = root.field("statues", {})
    statues.only(COLOR_WORDS)
    for color in range(COLORS):
        s.statues[color] = <u8>statues.field(COLOR_WORDS[color], 0).number(0, components.STATUES_PER_COLOR)
    read_raised(root.field("raised", []), t, s, hexes)
    read_deck(root, t, s, "oracle", components.ORACLE_CARDS_PER_COLOR, s.oracle_pile, s.oracle_discard, False)
    read_deck(root, t, s, "injury", components.INJURY_CARDS_PER_COLOR, s.injury_pile, s.injury_discard, True)
    read_equipment(root, t, s)
    read_stack(root, t, s, hexes, observer)
    fill_hidden_tiles(s)

    check_stack(t, s, options)
    check_draft(t, s)
    check_turn(root, t, s)
    check_tasks(t, s, options["removed_tasks"])
    check_shrines(t, s)
    check_statues(t, s)
    check_offerings(t, s)
    check_monsters(t, s)
    check_cargo(t, s)
    check_companions(t, s)
    check_equipment(t, s)
    check_open(root, t, s)
    return observer
