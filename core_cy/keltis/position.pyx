"""Positions as JSON: full states and what one seat sees of them, both ways.

Reading trusts nothing: types, names, ranges, and then that the position can be reached at all - cards, stones and
mirrors add up to what the box holds, hands have the size that the turn asks for, and what is open fits the rest.
The rules rely on that for accepted positions and check nothing themselves.
"""

from libc.string cimport memset

from pythia.core_cy.keltis.rules cimport (
    MAX_ROUNDS, begin_chain, first_on, goal_reached, goblin_points, keltis_ranks, keltis_to_act, sort_figures,
)
from pythia.core_cy.keltis.state cimport (
    CLOVER_STEP, Cards, DRAW, GOBLIN_DROP, GOBLIN_SCORE, KeltisState, NO_COLOR, OVER, PHASES, PLAY, Player,
    SPIRAL_BACK, TAKE, add_card, count_card, count_cards,
)
from pythia.core_cy.keltis.tables cimport (
    BIG_STONES, CARDS, CLOVER, COLORS, FIGURES, GOBLIN, HAND, LAST_SPACE, MAX_SEATS, MIRRORS, NUMBERS, SPACES,
    SPIRAL, Tables, WISH, WISH_STONES,
)
from pythia.core_cy.parts cimport Part, part, read_observer
from pythia.core_cy.types cimport i8, u8, u16, u32

from pythia.core_cy.keltis import components

FORMAT = 1

cdef enum:
    MAX_SCORE = 9999        # far more than 100 rounds can bring

# -- words, by number

cdef tuple COLOR_WORDS = components.COLORS
cdef tuple COLOR_OR_NONE = ("", *components.COLORS)
cdef tuple CARD_WORDS = tuple(f"{color} {number}" for color in components.COLORS for number in components.NUMBERS)
cdef tuple TILE_WORDS = components.TILE_KINDS
cdef tuple CLOVER_WORDS = ("same", "any")
cdef tuple PHASE_WORDS = components.PHASES
assert len(PHASE_WORDS) == PHASES

# What a turn can bring on the track, besides the goblin scoring: a tile, or figures and the priestess together.
cdef int TURN_POINTS = max(components.ORACLE_BONUS, *[value for word, value in components.TILES if word == "points"])


# ---------------------------------------------------------------- writing

cdef list cards_to_json(const Cards* cards):
    cdef int color, number, _copy
    cdef list words = []
    for color in range(COLORS):
        if cards.once[color]:
            for number in range(NUMBERS):
                for _copy in range(count_card(cards, color, number)):
                    words.append(CARD_WORDS[color * NUMBERS + number])
    return words


cdef list row_to_json(const Player* p, int color):
    cdef int number, _copy
    cdef list numbers = []
    for number in range(NUMBERS):
        for _copy in range(count_card(&p.row, color, number)):
            numbers.append(number)
    return numbers[::-1] if p.direction[color] < 0 else numbers


cdef dict player_to_json(const Player* p, bint shown):
    cdef int i, color
    cdef dict player = {
        "figures": [p.figures[i] for i in range(FIGURES)],
        "score": p.score,
        "wish_stones": p.stones,
        "mirrors": p.mirrors,
        "goblins_scored": p.goblin_scored != 0,
        "rows": {COLOR_WORDS[color]: row_to_json(p, color) for color in range(COLORS)},
    }
    if shown:
        player["hand"] = cards_to_json(&p.hand)
    player["known"] = cards_to_json(&p.known)
    return player


cdef list path_to_json(const Tables* t, const KeltisState* s):
    cdef int space
    cdef list path = []
    for space in range(1, SPACES):
        if t.tile[space] == WISH:
            continue
        tile = {"space": space, "tile": TILE_WORDS[t.tile[space] - 1]}
        if tile["tile"] == "points":
            tile["value"] = t.detail[space]
        elif tile["tile"] == "clover":
            tile["color"] = COLOR_WORDS[t.detail[space]]
        elif tile["tile"] == "mirror":
            tile["taken"] = (s.mirrors_taken >> t.detail[space]) & 1 != 0
        path.append(tile)
    return path


cdef bint has_moved(const KeltisState* s, int figure):
    return s.began[figure] != s.players[s.turn].figures[figure] or s.used[figure] != 0


cdef dict history_to_json(const Tables* t, const KeltisState* s, int figure):
    """Where a figure began the turn, and the spirals it has used (K10)."""
    cdef int space
    return {
        "began": s.began[figure],
        "spirals_used": [
            space for space in range(SPACES) if t.tile[space] == SPIRAL and (s.used[figure] >> t.detail[space]) & 1
        ],
    }


cdef dict pending_to_json(const Tables* t, const KeltisState* s):
    cdef int ranks[MAX_SEATS]
    cdef int seat, figure
    cdef dict pending = {"kind": PHASE_WORDS[s.phase]}
    if s.phase == OVER:
        keltis_ranks(t, s, ranks)
        pending["result"] = end_reason(t, s)
        pending["winners"] = [seat for seat in range(t.players) if ranks[seat] == 1]
    else:
        pending["seat"] = s.turn
    if s.phase in (CLOVER_STEP, SPIRAL_BACK):
        pending["space"] = s.space
        pending.update(history_to_json(t, s, s.mover))
        moved = [
            {"space": s.players[s.turn].figures[figure], **history_to_json(t, s, figure)}
            for figure in range(FIGURES) if figure != s.mover and has_moved(s, figure)
        ]
        if moved:
            pending["moved"] = moved
    elif s.phase == GOBLIN_DROP:
        pending["space"] = s.space
    if s.phase >= GOBLIN_SCORE:
        pending["draws"] = s.draws
    if s.phase in (GOBLIN_SCORE, TAKE, DRAW):
        pending["blocked"] = "" if s.blocked == NO_COLOR else COLOR_WORDS[s.blocked]
    return pending


cdef str end_reason(const Tables* t, const KeltisState* s):
    if goal_reached(t, s):
        return "goal"
    return "pile" if s.pile_count == 0 else "length"


cdef dict write_position(const Tables* t, const KeltisState* s, object options, int observer):
    cdef int seat, color, i
    cdef dict obj = {"game": "keltis", "format": FORMAT}
    if observer != EVERYTHING:
        obj["observer"] = observer
    obj["options"] = {
        "players": t.players, "clover": options["clover"], "goblin_values": list(options["goblin_values"]),
    }
    obj["round"] = s.round
    obj["turn"] = s.turn
    obj["to_act"] = keltis_to_act(t, s)
    obj["phase"] = PHASE_WORDS[s.phase]
    if s.phase != PLAY:
        obj["pending"] = pending_to_json(t, s)
    obj["players"] = [player_to_json(&s.players[seat], observer in (EVERYTHING, seat)) for seat in range(t.players)]
    obj["priestess"] = s.priestess
    obj["path"] = path_to_json(t, s)
    obj["wish_stones"] = [{"space": t.big[i], "stones": s.stones[i]} for i in range(BIG_STONES)]
    obj["discards"] = {
        COLOR_WORDS[color]: [s.discard[color][i] for i in range(s.discards[color])] for color in range(COLORS)
    }
    obj["pile_count"] = s.pile_count
    if observer == EVERYTHING:
        obj["pile"] = cards_to_json(&s.pile)
        obj["removed"] = cards_to_json(&s.removed)
    return obj


# ---------------------------------------------------------------- reading: set-up

cdef tuple ROOT_FIELDS = (
    "game", "format", "options", "round", "turn", "to_act", "phase", "pending", "players", "priestess", "path",
    "wish_stones", "discards", "pile_count", "pile", "removed",
)
cdef tuple OBSERVED_FIELDS = tuple([name for name in ROOT_FIELDS if name not in ("pile", "removed")]) + ("observer",)


cdef Part read_root(object obj, bint observed):
    cdef Part root = part("", dict(obj))
    if observed and not root.has("observer"):
        raise part("observer", None).bad(
            "is missing; an observation names the seat that sees it, and a full state is read by state_from_json")
    if not observed and root.has("observer"):
        raise part("observer", None).bad(
            "this is what one seat sees, not a full state; it is read by state_from_observation")
    for name in ("game", "format", "players", "path"):
        if not root.has(name):
            raise part(name, None).bad("is missing")
    if observed:
        for name in ("pile", "removed"):
            if root.has(name):
                raise part(name, None).bad("is hidden from the observer")
    root.only(OBSERVED_FIELDS if observed else ROOT_FIELDS)
    root.field("game", "").word(("keltis",))
    root.field("format", 0).number(FORMAT, FORMAT)
    return root


cdef list read_goblin_values(Part values):
    cdef list items = values.items()
    if len(items) != len(components.GOBLIN_VALUES):
        raise values.bad(f"{len(items)} values; there are {len(components.GOBLIN_VALUES)}: for figures on one, two "
                         "and three goblin spaces (K8)")
    return [(<Part>item).number(1, components.MAX_GOBLIN_VALUE) for item in items]


cdef dict read_options(Part root):
    cdef Part options = root.field("options", {})
    cdef Part players = root.field("players", [])
    cdef int count = len(players.items())
    if not components.MIN_PLAYERS <= count <= components.MAX_PLAYERS:
        raise players.bad(f"{count} players are not allowed; allowed: 2 to 4")
    options.only(("players", "clover", "goblin_values"))
    if options.field("players", count).number(2, 4) != count:
        raise options.field("players", count).bad(f"{options.value['players']}, but {count} players are listed")
    return {
        "players": count,
        "clover": CLOVER_WORDS[options.field("clover", "same").word(CLOVER_WORDS)],
        "goblin_values": read_goblin_values(options.field("goblin_values", list(components.GOBLIN_VALUES))),
    }


cdef dict read_path(Part path):
    """The tile on each small stone, as a place in components.TILES; equal tiles are alike (K5)."""
    cdef Part item
    cdef int space
    cdef dict found = {}
    left = [tile for tile in components.TILES]
    for entry in path.items():
        item = entry
        item.only(("space", "tile", "value", "color", "taken"))
        word = TILE_WORDS[item.field("tile", "").word(TILE_WORDS)]
        space = item.field("space", 0).number(0, LAST_SPACE)
        if space == 0:
            raise item.field("space", 0).bad("a path tile cannot lie on the start stone (K5)")
        if space in components.BIG_STONES:
            raise item.field("space", 0).bad(f"a path tile cannot lie on the big stone {space} (K5)")
        if space in found:
            raise item.field("space", 0).bad(f"two path tiles on space {space} (K5)")
        detail = None
        if word == "points":
            detail = item.field("value", 0).number(1, 4)
        elif word == "clover":
            detail = COLOR_WORDS[item.field("color", "").word(COLOR_WORDS)]
        for name, owner in (("value", "points"), ("color", "clover"), ("taken", "mirror")):
            if item.has(name) and word != owner:
                raise item.field(name, None).bad(f"a {word} tile has no {name}")
        if (word, detail) not in left:
            count = components.TILES.count((word, detail))
            tile = word if detail is None else f"{word} {detail}"
            raise item.bad(
                f"the tile {tile} is there {count + 1} times; there {'is' if count == 1 else 'are'} {count} (K5)")
        left.remove((word, detail))
        found[space] = (word, detail)
    for space in components.SMALL_STONES:
        if space not in found:
            raise path.bad(f"space {space} has no tile; every small stone has one (K5)")
    # Which of several equal tiles lies where makes no difference: the first of them comes first.
    numbers = {}
    for number in range(len(components.TILES) - 1, -1, -1):
        numbers.setdefault(components.TILES[number], []).append(number)
    return {space: numbers[found[space]].pop() for space in components.SMALL_STONES}


cdef tuple read_setup(object obj, bint observed):
    cdef Part root = read_root(obj, observed)
    return read_options(root), read_path(root.field("path", []))


# ---------------------------------------------------------------- reading: players

cdef tuple PLAYER_FIELDS = (
    "figures", "score", "wish_stones", "mirrors", "goblins_scored", "rows", "hand", "known",
)


cdef int read_cards(Part where, Cards* cards) except -1:
    """A list of cards; returns how many."""
    cdef int card
    cdef list items = where.items()
    for item in items:
        card = (<Part>item).word(CARD_WORDS) if isinstance((<Part>item).value, str) else -1
        if card < 0:
            raise (<Part>item).not_allowed("a card such as \"blue 7\"")
        if (cards.twice[card // NUMBERS] >> (card % NUMBERS)) & 1:
            raise (<Part>item).bad(f"{CARD_WORDS[card]} is there three times; there are two (K1)")
        add_card(cards, card // NUMBERS, card % NUMBERS)
    return len(items)


cdef int read_row(Part row, Player* p, int color) except -1:
    """Numbers in the order in which they were laid, rising or falling (K9)."""
    cdef Part item
    cdef int number, direction
    for entry in row.items():
        item = entry
        number = item.number(0, NUMBERS - 1)
        if (p.row.twice[color] >> number) & 1:
            raise item.bad(f"{COLOR_WORDS[color]} {number} is there three times; there are two (K1)")
        if p.row.once[color] and number != p.top[color]:
            direction = 1 if number > p.top[color] else -1
            if p.direction[color] == -direction:
                raise item.bad(
                    f"{number} after {p.top[color]} in a {'rising' if direction < 0 else 'falling'} row (K9)")
            p.direction[color] = <i8>direction
        add_card(&p.row, color, number)
        p.top[color] = <u8>number
    return 0


cdef int read_player(Part player, const Tables* t, KeltisState* s, int seat, int observer) except -1:
    cdef Player* p = &s.players[seat]
    cdef Part figures, rows
    cdef int i, color
    player.only(PLAYER_FIELDS)
    figures = player.field("figures", [0] * FIGURES)
    if len(figures.items()) != FIGURES:
        raise figures.bad(f"{len(figures.items())} figures; a player has {FIGURES}")
    spaces = sorted([(<Part>item).number(0, LAST_SPACE) for item in figures.items()], reverse=True)
    for i in range(FIGURES):
        p.figures[i] = spaces[i]
    p.stones = <u8>player.field("wish_stones", 0).number(0, WISH_STONES)
    p.mirrors = <u8>player.field("mirrors", 0).number(0, MIRRORS)
    p.goblin_scored = player.field("goblins_scored", False).flag()
    rows = player.field("rows", {})
    rows.only(COLOR_WORDS)
    for color in range(COLORS):
        read_row(rows.field(COLOR_WORDS[color], []), p, color)
    if observer in (EVERYTHING, seat):
        if not player.has("hand"):
            raise player.field("hand", None).bad("is missing")
        read_cards(player.field("hand", []), &p.hand)
    elif player.has("hand"):
        raise player.field("hand", None).bad(f"the hand of seat {seat} is hidden from the observer")
    read_cards(player.field("known", []), &p.known)
    if observer in (EVERYTHING, seat):
        for color in range(COLORS):
            if p.known.once[color] & ~p.hand.once[color] or p.known.twice[color] & ~p.hand.twice[color]:
                raise player.field("known", None).bad(
                    "a card that everyone knows to be in the hand is not in it")
    return 0


cdef int read_score(Part score, const Tables* t, KeltisState* s, int seat) except -1:
    """Points on the track: no more than the turns of the seat can have brought, so that play leads to no others."""
    cdef Player* p = &s.players[seat]
    cdef list goblins = [t.goblin_value[i] for i in range(1, FIGURES + 1)]
    cdef int turns = s.round - 1
    # The points of a turn come with its play, or at the end of the chain of tiles.
    if seat < s.turn or (seat == s.turn and s.phase >= GOBLIN_SCORE):
        turns += 1
    most = TURN_POINTS * turns + (max(goblins) if p.goblin_scored else 0)
    p.score = <u16>score.number(0, MAX_SCORE)
    if p.score > most:
        raise score.bad(f"{p.score} is more than {turns} turns can bring; allowed: 0 to {most}")
    if p.goblin_scored and p.score < min(goblins):
        raise score.bad(f"{p.score} is less than the goblin scoring brings (K8)")
    return 0


# ---------------------------------------------------------------- reading: what is open

cdef int read_moved(Part pending, const Tables* t, KeltisState* s, int tile, str what) except -1:
    """The space on which a figure has just come to a tile."""
    cdef Part space = pending.field("space", 0)
    s.space = <u8>space.number(1, LAST_SPACE)
    if t.tile[s.space] != tile:
        raise space.bad(f"there is no {what} on space {s.space}")
    if s.space not in [s.players[s.turn].figures[i] for i in range(FIGURES)]:
        raise space.bad(f"seat {s.turn} has no figure on space {s.space}")
    return 0


cdef int read_history(Part where, const Tables* t, KeltisState* s, int figure) except -1:
    """Where a figure that moved began the turn, and which spirals it used (K10)."""
    cdef Part item, began = where.field("began", 0)
    cdef int space, stands = s.players[s.turn].figures[figure]
    s.began[figure] = <u8>began.number(0, LAST_SPACE - 1)
    for entry in where.field("spirals_used", []).items():
        item = entry
        space = item.number(1, LAST_SPACE)
        if t.tile[space] != SPIRAL:
            raise item.bad(f"there is no spiral on space {space}")
        if (s.used[figure] >> t.detail[space]) & 1:
            raise item.bad(f"the spiral on space {space} is there twice")
        s.used[figure] |= <u8>(1 << t.detail[space])
    if s.began[figure] >= stands and not s.used[figure]:
        raise began.bad(f"{s.began[figure]}, but the figure is on space {stands} and used no spiral")
    return 0


cdef int read_moved_before(Part moved, const Tables* t, KeltisState* s) except -1:
    """What other figures did in this turn, which clovers of the variant moved before (K12)."""
    cdef Part item
    cdef int figure, space
    cdef u32 told = 1 << s.mover
    if moved.items() and not t.any_figure:
        raise moved.bad("only with the option clover = any other figures move in the turn (K12)")
    for entry in moved.items():
        item = entry
        item.only(("space", "began", "spirals_used"))
        space = item.field("space", 0).number(0, LAST_SPACE)
        for figure in range(FIGURES):
            if s.players[s.turn].figures[figure] == space and not (told >> figure) & 1:
                break
        else:
            raise item.field("space", 0).bad(f"seat {s.turn} has no further figure on space {space}")
        told |= <u32>1 << figure
        read_history(item, t, s, figure)
    return 0


cdef int read_chain(Part pending, const Tables* t, KeltisState* s) except -1:
    """What the figures of a turn with a clover or spiral have done in it."""
    cdef Player* p = &s.players[s.turn]
    begin_chain(s, p)
    s.mover = <u8>first_on(p, s.space)
    read_history(pending, t, s, s.mover)
    read_moved_before(pending.field("moved", []), t, s)
    sort_figures(s, p)
    if s.phase == SPIRAL_BACK:
        if not (s.used[s.mover] >> t.detail[s.space]) & 1:
            raise pending.field("spirals_used", None).bad(f"the open spiral on space {s.space} is not among them")
        if s.space == 1 and s.began[s.mover] == 0:
            raise pending.field("space", 0).bad(
                "a figure that began on the start stone has no way back from space 1 (K10)")
    elif not can_step(t, s):
        raise pending.field("space", 0).bad(f"no space of the clover's color is ahead of space {s.space}")
    return 0


cdef bint can_step(const Tables* t, const KeltisState* s):
    cdef int color = t.detail[s.space], i
    if not t.any_figure:
        return t.next[s.space][color] != 0
    for i in range(FIGURES):
        if t.next[s.players[s.turn].figures[i]][color]:
            return True
    return False


cdef tuple PENDING_FIELDS = (
    ("kind",),
    ("kind", "seat", "space", "began", "spirals_used", "moved"),
    ("kind", "seat", "space", "began", "spirals_used", "moved"),
    ("kind", "seat", "space"),
    ("kind", "seat", "draws", "blocked"),
    ("kind", "seat", "draws", "blocked"),
    ("kind", "seat", "draws", "blocked"),
    ("kind", "result", "winners", "draws"),
)


cdef int read_blocked(Part pending, KeltisState* s) except -1:
    cdef Part blocked = pending.field("blocked", "")
    cdef int color = blocked.word(COLOR_OR_NONE)
    if color:
        s.blocked = <u8>(color - 1)
        if not s.discards[color - 1]:
            raise blocked.bad(f"the {COLOR_WORDS[color - 1]} discard pile is empty")
    elif s.draws == 2:
        raise blocked.bad("with two cards to draw, one was discarded in this turn")
    return 0


cdef int read_open(Part root, const Tables* t, KeltisState* s) except -1:
    cdef Part phase = root.field("phase", "play")
    cdef Part pending = root.field("pending", {})
    cdef Part kind
    s.phase = <u8>phase.word(PHASE_WORDS)
    s.blocked = NO_COLOR
    pending.only(PENDING_FIELDS[s.phase])
    kind = pending.field("kind", phase.value)
    if kind.value != phase.value:
        raise kind.bad(f"{kind.value!r}, but the phase is {phase.value!r}")
    if s.phase not in (PLAY, OVER) and pending.field("seat", s.turn).number(0, t.players - 1) != s.turn:
        raise pending.field("seat", 0).bad(f"it is the turn of seat {s.turn}")
    if s.phase in (CLOVER_STEP, SPIRAL_BACK, GOBLIN_DROP):
        s.draws = 1
        if s.phase == GOBLIN_DROP:
            read_moved(pending, t, s, GOBLIN, "goblin")
        else:
            read_moved(pending, t, s, CLOVER if s.phase == CLOVER_STEP else SPIRAL, kind.value)
            read_chain(pending, t, s)
    elif s.phase in (GOBLIN_SCORE, TAKE, DRAW):
        s.draws = <u8>pending.field("draws", 0).number(1, 2)
        read_blocked(pending, s)
        if s.phase == GOBLIN_SCORE and not goblin_points(t, &s.players[s.turn]):
            raise phase.bad("no goblin pattern holds, or it was scored before (K8)")
    elif s.phase == OVER:
        s.draws = <u8>pending.field("draws", 0).number(0, 1)
    return 0


# ---------------------------------------------------------------- reading: what it adds up to

cdef int check_hands(const Tables* t, KeltisState* s, int observer) except -1:
    """Every hand has eight cards, less those that are to be drawn (K1); hidden ones get that many later."""
    cdef int seat, size, held
    for seat in range(t.players):
        size = HAND - s.draws if seat == s.turn else HAND
        held = count_cards(&s.players[seat].hand if observer in (EVERYTHING, seat) else &s.players[seat].known)
        if observer not in (EVERYTHING, seat):
            if held > size:
                raise part(f"players[{seat}].known", None).bad(f"{held} cards in a hand of {size}")
        elif held != size:
            raise part(f"players[{seat}].hand", None).bad(f"{held} cards; there must be {size} now (K1)")
    return 0


cdef int note_cards(list counts, str path, const Cards* cards) except -1:
    """Counts the cards of one place; raises at one that is seen for the third time."""
    cdef int color, number, held
    for color in range(COLORS):
        if cards.once[color]:
            for number in range(NUMBERS):
                held = count_card(cards, color, number)
                counts[color * NUMBERS + number] += held
                if counts[color * NUMBERS + number] > 2:
                    raise part(path, None).bad(
                        f"with this, {CARD_WORDS[color * NUMBERS + number]} is seen "
                        f"{counts[color * NUMBERS + number]} times; there are two (K1)")
    return 0


cdef list count_seen(const Tables* t, const KeltisState* s, int observer):
    """How often each card is seen, kind by kind."""
    cdef int seat, color, i
    cdef const Player* p
    cdef list counts = [0] * (COLORS * NUMBERS)
    for color in range(COLORS):
        for i in range(s.discards[color]):
            card = color * NUMBERS + s.discard[color][i]
            counts[card] += 1
            if counts[card] > 2:
                raise part(f"discards.{COLOR_WORDS[color]}", None).bad(
                    f"{s.discard[color][i]} is there three times; there are two (K1)")
    for seat in range(t.players):
        note_cards(counts, f"players[{seat}].rows", &s.players[seat].row)
    for seat in range(t.players):
        p = &s.players[seat]
        if observer in (EVERYTHING, seat):
            note_cards(counts, f"players[{seat}].hand", &p.hand)
        else:
            note_cards(counts, f"players[{seat}].known", &p.known)
    note_cards(counts, "pile", &s.pile)
    note_cards(counts, "removed", &s.removed)
    return counts


cdef int check_cards(Part root, const Tables* t, KeltisState* s, int observer) except -1:
    """Each card is there twice; what the observer does not see is dealt to the places that are left."""
    cdef list counts = count_seen(t, s, observer)
    cdef u8 places[CARDS]
    cdef int card, seat, missing, _card, n = 0
    cdef Player* p
    if observer == EVERYTHING:
        if count_cards(&s.pile) != s.pile_count:
            raise root.field("pile_count", 0).bad(f"{s.pile_count}, but {count_cards(&s.pile)} cards are in the pile")
        if count_cards(&s.removed) != t.removed:
            raise root.field("removed", None).bad(
                f"{count_cards(&s.removed)} cards; {t.removed} left the game with {t.players} players (K1)")
        for card in range(COLORS * NUMBERS):
            if counts[card] != 2:
                raise part("pile", None).bad(
                    f"without it, {CARD_WORDS[card]} is there {counts[card]} times; there are two (K1)")
        return 0
    missing = 0
    for card in range(COLORS * NUMBERS):
        missing += 2 - counts[card]
    for seat in range(t.players):
        p = &s.players[seat]
        if seat != observer:
            for _card in range((HAND - s.draws if seat == s.turn else HAND) - count_cards(&p.known)):
                places[n] = <u8>seat
                n += 1
            p.hand = p.known
    if missing != n + t.removed + s.pile_count:
        raise root.field("pile_count", 0).bad(
            f"{s.pile_count}, but {missing - n - t.removed} cards are neither seen, held nor removed (K1)")
    n = 0
    missing = missing - t.removed - s.pile_count
    for card in range(COLORS * NUMBERS):
        for _card in range(2 - counts[card]):
            if n < missing:
                add_card(&s.players[places[n]].hand, card // NUMBERS, card % NUMBERS)
            elif n < missing + t.removed:
                add_card(&s.removed, card // NUMBERS, card % NUMBERS)
            else:
                add_card(&s.pile, card // NUMBERS, card % NUMBERS)
            n += 1
    return 0


cdef int read_wish_stones(Part root, const Tables* t, KeltisState* s) except -1:
    """What is left on the big stones; with what the players have, all nine (K2)."""
    cdef Part item
    cdef Part stones = root.field("wish_stones", [])
    cdef int space, seat, i, total = 0
    cdef u32 listed = 0
    for entry in stones.items():
        item = entry
        item.only(("space", "stones"))
        space = item.field("space", 0).number(0, LAST_SPACE)
        if t.tile[space] != WISH:
            raise item.field("space", 0).bad(f"space {space} is not a big stone (K3)")
        i = t.detail[space]
        if (listed >> i) & 1:
            raise item.field("space", 0).bad(f"space {space} is there twice")
        listed |= <u32>1 << i
        s.stones[i] = <u8>item.field("stones", 0).number(0, t.wish_stones[i])
    for i in range(BIG_STONES):
        total += s.stones[i]
    for seat in range(t.players):
        total += s.players[seat].stones
    if total != WISH_STONES:
        raise stones.bad(f"{total} wish stones on the path and with the players; there are {WISH_STONES} (K2)")
    return 0


cdef int read_mirrors(Part root, const Tables* t, KeltisState* s) except -1:
    cdef int seat, held = 0, taken = 0
    cdef Part item
    for entry in root.field("path", []).items():
        item = entry
        if item.field("taken", False).flag():
            s.mirrors_taken |= <u8>(1 << t.detail[item.field("space", 0).number(1, LAST_SPACE)])
            taken += 1
    for seat in range(t.players):
        held += s.players[seat].mirrors
    if held != taken:
        raise root.field("path", None).bad(f"{taken} mirrors are taken, but the players have {held} (K5)")
    return 0


cdef int read_discards(Part discards, KeltisState* s) except -1:
    cdef Part item
    cdef int color
    discards.only(COLOR_WORDS)
    for color in range(COLORS):
        for entry in discards.field(COLOR_WORDS[color], []).items():
            item = entry
            if s.discards[color] == 2 * NUMBERS:
                raise item.bad(f"a color has {2 * NUMBERS} cards (K1)")
            s.discard[color][s.discards[color]] = <u8>item.number(0, NUMBERS - 1)
            s.discards[color] += 1
    return 0


cdef int check_end(Part root, const Tables* t, KeltisState* s) except -1:
    """The game is over when it must be, and not otherwise (K11)."""
    cdef Part phase = root.field("phase", "play")
    cdef Part pending = root.field("pending", {})
    cdef bint goal = goal_reached(t, s)
    cdef int ranks[MAX_SEATS]
    cdef int seat
    if s.phase != OVER:
        if goal:
            raise phase.bad("so many figures are in the goal area that the game is over (K11)")
        if s.pile_count == 0:
            raise phase.bad("the pile is empty, so the game is over (K11)")
        return 0
    if goal:
        if s.draws != 1:
            raise pending.field("draws", 0).bad(
                "the move into the goal area ends the game before the card is drawn (K11)")
    elif s.pile_count and (s.round != MAX_ROUNDS or s.turn != t.players - 1 or s.draws):
        raise phase.bad(f"no goal is reached, the pile is not empty, and round {MAX_ROUNDS} is not over (K11)")
    reason = end_reason(t, s)
    if pending.field("result", reason).value != reason:
        raise pending.field("result", "").not_allowed(reason)
    keltis_ranks(t, s, ranks)
    winners = [seat for seat in range(t.players) if ranks[seat] == 1]
    if pending.field("winners", winners).value != winners:
        raise pending.field("winners", []).bad(f"the points say {winners}")
    return 0


# ---------------------------------------------------------------- reading: all of it

cdef int read_position(object obj, const Tables* t, KeltisState* s, bint observed) except -3:
    cdef Part root = read_root(obj, observed)
    cdef list players = root.field("players", []).items()
    cdef int observer = read_observer(root.field("observer", 0), t.players) if observed else EVERYTHING
    cdef int seat
    memset(s, 0, sizeof(KeltisState))
    s.round = <u16>root.field("round", 0).number(1, MAX_ROUNDS)
    s.turn = <u8>root.field("turn", 0).number(0, t.players - 1)
    for seat in range(t.players):
        read_player(players[seat], t, s, seat, observer)
    s.priestess = <u8>root.field("priestess", 0).number(0, LAST_SPACE)
    read_mirrors(root, t, s)
    read_wish_stones(root, t, s)
    read_discards(root.field("discards", {}), s)
    s.pile_count = <u8>root.field("pile_count", len(root.field("pile", []).items())).number(
        0, CARDS - t.removed - HAND * t.players)
    read_cards(root.field("pile", []), &s.pile)
    read_cards(root.field("removed", []), &s.removed)
    read_open(root, t, s)
    for seat in range(t.players):
        read_score((<Part>players[seat]).field("score", 0), t, s, seat)
    check_hands(t, s, observer)
    check_cards(root, t, s, observer)
    check_end(root, t, s)
    if root.has("to_act") and root.field("to_act", 0).value != keltis_to_act(t, s):
        raise root.field("to_act", 0).not_allowed(f"{keltis_to_act(t, s)}, as the phase says")
    return observer
