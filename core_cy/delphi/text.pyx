"""Notation: the text of moves and chance outcomes, and back.

A move has exactly one text. The parser reads words from left to right, so that an error can name the
word and what may stand there, and at the end compares the text with what the writer makes of the
move: whatever is spelled differently is refused.
"""

import re

from libc.string cimport memset

from pythia.core_cy.delphi.state cimport (
    ADVANCE, BUILD, BUNDLE, CHOOSE_SHIP, DECLINE, DELIVER, DRAW, DRAW_INJURY, DRAW_ORACLE, END, EXPLORE, EXTRA,
    FIGHT_MONSTER, FIGHT_ON, GIVE_UP, GOD, GOD_TO_TOP_ROW, HEAL_COLOR, HEAL_INJURIES, INSPIRE, LOAD_OFFERING,
    LOAD_STATUE, LOOK, NO_COLOR, NO_SOURCE, NO_STEP, RAISE, RECOVER, REFILL_EQUIPMENT, RETURN_MONSTER,
    RETURN_OFFERING, RETURN_SHRINE, RETURN_STATUE, REVEAL, ROLL_BATTLE, ROLL_DICE, ROLL_TITAN, SAIL, STEP_GOD,
    TAKE_COMPANION, TAKE_EQUIPMENT, TAKE_FAVOR, TAKE_OFFERING, TAKE_STATUE, move_a, move_b, move_color,
    move_kind, move_source, move_used, pack,
)
from pythia.core_cy.delphi.tables cimport MAX_HEXES, NONE, Tables, fill_tables
from pythia.core_cy.types cimport move_t

from pythia.core_cy.delphi.components import (
    BATTLE_DIE, COLORS, COMPANION_KINDS, EQUIPMENT_IDS, GODS, SHIP_TILE_IDS, TITAN_DIE,
)
from pythia.core_cy.errors import IllegalMove

# -- words, by number

cdef tuple COLOR_WORDS = COLORS
cdef tuple GOD_WORDS = GODS                 # by the god's color
cdef tuple SHIP_WORDS = SHIP_TILE_IDS
cdef tuple CARD_WORDS = EQUIPMENT_IDS
cdef tuple COMPANION_WORDS = COMPANION_KINDS
cdef tuple TASK_COLOR_WORDS = ("any", *COLORS)
cdef tuple SOURCE_WORDS = ("", "die", "card", "extra", "god")
cdef tuple BATTLE_WORDS = tuple(str(n) for n in BATTLE_DIE)
cdef tuple TITAN_WORDS = tuple(str(n) for n in TITAN_DIE)

# The words of the actions of dice, oracle cards and the extra action; those with a hex, and those without.
cdef dict HEX_ACTIONS = {
    "sail": SAIL, "fight": FIGHT_MONSTER, "explore": EXPLORE, "build": BUILD, "load offering": LOAD_OFFERING,
    "deliver": DELIVER, "load statue": LOAD_STATUE, "raise": RAISE,
}
cdef dict BARE_ACTIONS = {"heal": HEAL_INJURIES, "advance": ADVANCE, "bundle": BUNDLE}
# These are the same for every color, so the color is not changed for them.
cdef dict COLORLESS_ACTIONS = {"draw": DRAW, "favor": TAKE_FAVOR, "look": LOOK}
# The special action of each god, by the god's color; each god can draw a card instead.
cdef dict GOD_ACTIONS = {
    "aphrodite": "heal", "ares": "fight", "hermes": "load statue", "poseidon": "sail", "apollon": "inspire",
    "artemis": "explore",
}

cdef tuple COLORED_ACTION_WORDS = (*HEX_ACTIONS, *BARE_ACTIONS)
cdef tuple ACTION_WORDS = (*COLORED_ACTION_WORDS, *COLORLESS_ACTIONS)
cdef tuple EXTRA_WORDS = tuple(COLORLESS_ACTIONS)

# Moves that are the same words every time.
cdef dict FIXED_TEXTS = {
    END: "end", RETURN_SHRINE: "return shrine", RETURN_STATUE: "return statue", FIGHT_ON: "fight on",
    GIVE_UP: "give up", DECLINE: "decline", NO_STEP: "no step",
}
cdef dict ACTION_TEXTS = {
    number: words for words, number in (HEX_ACTIONS | BARE_ACTIONS | COLORLESS_ACTIONS | {"inspire": INSPIRE}).items()
}
# What a move is called in `move_fields`.
cdef dict ACTION_NAMES = {
    **{number: words.replace(" ", "_") for number, words in (ACTION_TEXTS | FIXED_TEXTS).items()},
    CHOOSE_SHIP: "ship", RETURN_OFFERING: "return_offering", RETURN_MONSTER: "return_monster",
    TAKE_EQUIPMENT: "equip", RECOVER: "recover", STEP_GOD: "step", TAKE_COMPANION: "companion",
    HEAL_COLOR: "heal_color", TAKE_OFFERING: "take_offering", TAKE_STATUE: "take_statue", GOD_TO_TOP_ROW: "top",
    REVEAL: "reveal", ROLL_DICE: "roll", ROLL_BATTLE: "battle", ROLL_TITAN: "titan", DRAW_ORACLE: "oracle",
    DRAW_INJURY: "injury", REFILL_EQUIPMENT: "equipment",
}

cdef tuple FIRST_WORDS = (
    "die:<color>", "card:<color>", "extra:<color>", "extra", "god:<name>", "end", "ship", "return", "equip",
    "recover", "take", "step", "fight", "give", "companion", "heal", "top", "look", "decline", "reveal", "no",
    "roll", "battle", "titan", "oracle", "injury", "equipment",
)

cdef dict COLOR_NUMBER = {word: number for number, word in enumerate(COLORS)}
cdef object HEX_PATTERN = re.compile(r"(-?[0-9]{1,5}),(-?[0-9]{1,5})")


# -- writing

cdef inline str hex_text(const Tables* t, int hex):
    return f"{t.q[hex]},{t.r[hex]}"


cdef str source_text(int source, int color, int used):
    if source == GOD:
        return "god:" + <str>GOD_WORDS[color]
    if source == EXTRA:
        return "extra" if color == NO_COLOR else "extra:" + <str>COLOR_WORDS[color]
    if color == used:
        return <str>SOURCE_WORDS[source] + ":" + <str>COLOR_WORDS[color]
    return <str>SOURCE_WORDS[source] + ":" + <str>COLOR_WORDS[color] + ">" + <str>COLOR_WORDS[used]


# The texts of all sources: [source][color * 8 + used].
cdef list SOURCE_TEXTS = [
    [
        source_text(source, color, used)
        if source and max(color, used) < len(COLORS) or source == EXTRA and color == used == NO_COLOR else ""
        for color in range(8) for used in range(8)
    ]
    for source in range(5)
]


cdef str action_text(const Tables* t, move_t move):
    """A move with a source: `die:pink>blue sail 2,1`."""
    cdef int kind = move_kind(move)
    cdef int source = move_source(move)
    cdef list texts = <list>SOURCE_TEXTS[source]
    cdef str text = <str>texts[move_color(move) * 8 + move_used(move)] + " " + <str>ACTION_TEXTS[kind]
    if kind == LOAD_STATUE and source == GOD:
        return text + " " + <str>COLOR_WORDS[move_used(move)]
    if kind == LOOK and move_b(move) != NONE:
        return text + " " + hex_text(t, move_a(move)) + " " + hex_text(t, move_b(move))
    if kind <= RAISE or kind == LOOK:
        text += " " + hex_text(t, move_a(move))
    if kind == FIGHT_MONSTER and source == GOD:
        text += " " + <str>COLOR_WORDS[move_used(move)]
    return text


cdef str three_colors(move_t move):
    return f"{COLOR_WORDS[move_color(move)]} {COLOR_WORDS[move_used(move)]} {COLOR_WORDS[move_a(move)]}"


cdef str task_color_text(int color):
    return "any" if color == NO_COLOR else <str>COLOR_WORDS[color]


cdef str move_text(const Tables* t, move_t move):
    cdef int kind = move_kind(move)
    cdef int color = move_color(move)
    cdef int a = move_a(move)
    if move_source(move) != NO_SOURCE:
        return action_text(t, move)
    if kind in FIXED_TEXTS:
        return <str>FIXED_TEXTS[kind]
    if kind == STEP_GOD:
        return f"step {GOD_WORDS[color]}"
    if kind == TAKE_FAVOR:
        return "take favor"
    if kind == LOOK:
        return f"look {hex_text(t, a)} {hex_text(t, move_b(move))}"
    if kind == CHOOSE_SHIP:
        return f"ship {SHIP_WORDS[a]}"
    if kind == RETURN_OFFERING:
        return f"return offering {task_color_text(color)}"
    if kind == RETURN_MONSTER:
        return f"return monster {task_color_text(color)}"
    if kind == TAKE_EQUIPMENT:
        return f"equip {CARD_WORDS[a]}"
    if kind == RECOVER:
        return "recover " + three_colors(move)
    if kind == TAKE_COMPANION:
        return f"companion {COMPANION_WORDS[a]}"
    if kind == HEAL_COLOR:
        return f"heal {COLOR_WORDS[color]}"
    if kind == TAKE_OFFERING:
        return f"take offering {COLOR_WORDS[color]} {hex_text(t, a)}"
    if kind == TAKE_STATUE:
        return f"take statue {COLOR_WORDS[color]}"
    if kind == GOD_TO_TOP_ROW:
        return f"top {GOD_WORDS[color]}"
    if kind == REVEAL:
        return f"reveal {hex_text(t, a)}"
    if kind == ROLL_DICE:
        return "roll " + three_colors(move)
    if kind == ROLL_BATTLE:
        return f"battle {a}"
    if kind == ROLL_TITAN:
        return f"titan {a}"
    if kind == DRAW_ORACLE:
        return f"oracle {COLOR_WORDS[color]}"
    if kind == DRAW_INJURY:
        return f"injury {COLOR_WORDS[color]}"
    if kind == REFILL_EQUIPMENT:
        return f"equipment {CARD_WORDS[a]}"
    raise ValueError(f"{move} is no code of a move")


# -- reading

cdef str shown(str text):
    """Quoted, and not longer than a line."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


cdef class Words:
    """The words of a move text, taken one by one; each way to take one says what may stand there."""

    cdef const Tables* tables
    cdef str text
    cdef list words
    cdef int taken

    cdef object refuse(self, str word, str allowed):
        what = f"{shown(word)} is not allowed there" if word else "a word is missing"
        return IllegalMove(f"{shown(self.text)}: {what}; allowed: {allowed}")

    cdef bint more(self):
        return self.taken < len(self.words)

    cdef str take(self, str allowed):
        if not self.more():
            raise self.refuse("", allowed)
        self.taken += 1
        return <str>self.words[self.taken - 1]

    cdef int number_of(self, str word, tuple allowed) except -1:
        """The place of a word in the list of those allowed."""
        if word not in allowed:
            raise self.refuse(word, ", ".join(allowed))
        return allowed.index(word)

    cdef int one_of(self, tuple allowed) except -1:
        return self.number_of(self.take(", ".join(allowed)), allowed)

    cdef int color(self) except -1:
        return self.one_of(COLOR_WORDS)

    cdef int task_color(self) except -1:
        """`any` or a color, as a move has it."""
        cdef int number = self.one_of(TASK_COLOR_WORDS)
        return NO_COLOR if number == 0 else number - 1

    cdef int hex(self) except -1:
        cdef int hex, q, r
        word = self.take("a hex such as 2,-1")
        match = HEX_PATTERN.fullmatch(word)
        if match is None:
            raise self.refuse(word, "a hex such as 2,-1")
        q, r = int(match[1]), int(match[2])
        for hex in range(MAX_HEXES):
            if self.tables.q[hex] == q and self.tables.r[hex] == r:
                return hex
        raise self.refuse(word, "a water, island, city or Zeus space of this board")

    cdef str action(self, tuple allowed):
        """The words of an action, which are two for `load`."""
        names = ", ".join(allowed)
        word = self.take(names)
        if word == "load" and self.more():
            word += " " + self.take(names)
        if word not in allowed:
            raise self.refuse(word, names)
        return word

    cdef int finish(self, move_t move) except -1:
        """Nothing may follow, and the spelling must be the one that is written."""
        if self.more():
            raise self.refuse(<str>self.words[self.taken] or " ", "nothing more")
        written = move_text(self.tables, move)
        if written != self.text:
            raise IllegalMove(f"{shown(self.text)}: this move is written {written!r}")
        return 0


cdef move_t read_look(Words words, int source, int color) except 0:
    cdef int a = words.hex()
    cdef int b = words.hex() if source == NO_SOURCE or words.more() else NONE
    if a == b:
        raise words.refuse(<str>words.words[words.taken - 1], "a second hex other than the first")
    # Hexes are numbered in the order in which they are written.
    return pack(LOOK, source, color, color, min(a, b), max(a, b))


cdef move_t read_colored_action(Words words, str first) except 0:
    """`die:<c>`, `card:<c>` and `extra:<c>`, and what is done with it."""
    cdef int source, color, used
    name, _, colors = first.partition(":")
    source = SOURCE_WORDS.index(name)
    natural, recolored, into = colors.partition(">")
    color = used = words.number_of(natural, COLOR_WORDS)
    if recolored:
        if source == EXTRA:
            raise words.refuse(first, "extra:<color>, as it is used in any color")
        used = words.number_of(into, COLOR_WORDS)
    action = words.action(COLORED_ACTION_WORDS if source == EXTRA or recolored else ACTION_WORDS)
    if action in HEX_ACTIONS:
        return pack(HEX_ACTIONS[action], source, color, used, words.hex(), 0)
    if action in BARE_ACTIONS:
        return pack(BARE_ACTIONS[action], source, color, used, 0, 0)
    if action == "look":
        return read_look(words, source, color)
    return pack(COLORLESS_ACTIONS[action], source, color, color, 0, 0)


cdef move_t read_extra(Words words) except 0:
    action = words.action(EXTRA_WORDS)
    if action == "look":
        return read_look(words, EXTRA, NO_COLOR)
    return pack(COLORLESS_ACTIONS[action], EXTRA, NO_COLOR, NO_COLOR, 0, 0)


cdef move_t read_god_action(Words words, str first) except 0:
    cdef int hex
    cdef int god = words.number_of(first.partition(":")[2], GOD_WORDS)
    special = GOD_ACTIONS[GOD_WORDS[god]]
    action = words.action((special, "draw"))
    if action == "draw":
        return pack(DRAW, GOD, god, god, 0, 0)
    if action == "heal":
        return pack(HEAL_INJURIES, GOD, god, god, 0, 0)
    if action == "inspire":
        return pack(INSPIRE, GOD, god, god, 0, 0)
    if action == "load statue":
        return pack(LOAD_STATUE, GOD, god, words.color(), 0, 0)
    hex = words.hex()
    return pack(HEX_ACTIONS[action], GOD, god, words.color() if action == "fight" else god, hex, 0)


cdef move_t read_three(Words words, int kind) except 0:
    """Three colors; in another order than the wheel's they are refused at the end."""
    first, second, third = sorted((words.color(), words.color(), words.color()))
    return pack(kind, NO_SOURCE, first, second, third, 0)


cdef move_t read_return(Words words) except 0:
    cdef int task = words.one_of(("shrine", "statue", "offering", "monster"))
    if task == 0:
        return pack(RETURN_SHRINE, NO_SOURCE, 0, 0, 0, 0)
    if task == 1:
        return pack(RETURN_STATUE, NO_SOURCE, 0, 0, 0, 0)
    return pack(RETURN_OFFERING if task == 2 else RETURN_MONSTER, NO_SOURCE, words.task_color(), 0, 0, 0)


cdef move_t read_take(Words words) except 0:
    cdef int color
    cdef int what = words.one_of(("favor", "offering", "statue"))
    if what == 0:
        return pack(TAKE_FAVOR, NO_SOURCE, 0, 0, 0, 0)
    color = words.color()
    if what == 1:
        return pack(TAKE_OFFERING, NO_SOURCE, color, 0, words.hex(), 0)
    return pack(TAKE_STATUE, NO_SOURCE, color, 0, 0, 0)


cdef move_t read_move(Words words) except 0:
    cdef str first = words.take(", ".join(FIRST_WORDS))
    cdef str source = first.partition(":")[0] if ":" in first else ""
    if source in ("die", "card", "extra"):
        return read_colored_action(words, first)
    if source == "god":
        return read_god_action(words, first)
    if first == "extra":
        return read_extra(words)
    if first == "end":
        return pack(END, NO_SOURCE, 0, 0, 0, 0)
    if first == "ship":
        return pack(CHOOSE_SHIP, NO_SOURCE, 0, 0, words.one_of(SHIP_WORDS), 0)
    if first == "return":
        return read_return(words)
    if first == "equip":
        return pack(TAKE_EQUIPMENT, NO_SOURCE, 0, 0, words.one_of(CARD_WORDS), 0)
    if first == "recover":
        return read_three(words, RECOVER)
    if first == "take":
        return read_take(words)
    if first == "step":
        return pack(STEP_GOD, NO_SOURCE, words.one_of(GOD_WORDS), 0, 0, 0)
    if first == "fight":
        words.one_of(("on",))
        return pack(FIGHT_ON, NO_SOURCE, 0, 0, 0, 0)
    if first == "give":
        words.one_of(("up",))
        return pack(GIVE_UP, NO_SOURCE, 0, 0, 0, 0)
    if first == "companion":
        return pack(TAKE_COMPANION, NO_SOURCE, 0, 0, words.one_of(COMPANION_WORDS), 0)
    if first == "heal":
        return pack(HEAL_COLOR, NO_SOURCE, words.color(), 0, 0, 0)
    if first == "top":
        return pack(GOD_TO_TOP_ROW, NO_SOURCE, words.one_of(GOD_WORDS), 0, 0, 0)
    if first == "look":
        return read_look(words, NO_SOURCE, 0)
    if first == "decline":
        return pack(DECLINE, NO_SOURCE, 0, 0, 0, 0)
    if first == "reveal":
        return pack(REVEAL, NO_SOURCE, 0, 0, words.hex(), 0)
    if first == "no":
        words.one_of(("step",))
        return pack(NO_STEP, NO_SOURCE, 0, 0, 0, 0)
    if first == "roll":
        return read_three(words, ROLL_DICE)
    if first == "battle":
        return pack(ROLL_BATTLE, NO_SOURCE, 0, 0, BATTLE_DIE[words.one_of(BATTLE_WORDS)], 0)
    if first == "titan":
        return pack(ROLL_TITAN, NO_SOURCE, 0, 0, TITAN_DIE[words.one_of(TITAN_WORDS)], 0)
    if first == "oracle":
        return pack(DRAW_ORACLE, NO_SOURCE, words.color(), 0, 0, 0)
    if first == "injury":
        return pack(DRAW_INJURY, NO_SOURCE, words.color(), 0, 0, 0)
    if first == "equipment":
        return pack(REFILL_EQUIPMENT, NO_SOURCE, 0, 0, words.one_of(CARD_WORDS), 0)
    raise words.refuse(first or " ", ", ".join(FIRST_WORDS))


cdef move_t parse_move_text(const Tables* t, str text) except 0:
    cdef Words words = Words.__new__(Words)
    words.tables = t
    words.text = text
    words.words = text.split(" ")
    cdef move_t move = read_move(words)
    words.finish(move)
    return move


# -- the parts of a move by name

cdef dict hex_field(const Tables* t, int hex):
    return {"q": t.q[hex], "r": t.r[hex]}


cdef dict move_fields(const Tables* t, move_t move):
    """`text` and `action` always, the rest where the move has it.

    source            die, card, extra or god
    color, used_as    of the die or card (`extra:<c>`: both c; absent for `extra draw` and the like)
    god               the god who acts, steps or goes to the top row
    color             otherwise: the color named in the text, `any` included
    colors            the three colors of recover and roll
    hexes             the hexes named, one or two
    card, ship_tile, companion    the id chosen or drawn
    value             of the battle or Titan die
    """
    cdef int kind = move_kind(move)
    cdef int source = move_source(move)
    cdef int color = move_color(move)
    cdef int used = move_used(move)
    cdef int a = move_a(move)
    cdef dict fields = {"text": move_text(t, move), "action": ACTION_NAMES[kind]}
    if source != NO_SOURCE:
        fields["source"] = SOURCE_WORDS[source]
        if source == GOD:
            fields["god"] = GOD_WORDS[color]
            if kind in (FIGHT_MONSTER, LOAD_STATUE):
                fields["color"] = COLOR_WORDS[used]
        elif color != NO_COLOR:
            fields["color"] = COLOR_WORDS[color]
            fields["used_as"] = COLOR_WORDS[used]
    elif kind in (STEP_GOD, GOD_TO_TOP_ROW):
        fields["god"] = GOD_WORDS[color]
    elif kind in (RECOVER, ROLL_DICE):
        fields["colors"] = [COLOR_WORDS[color], COLOR_WORDS[used], COLOR_WORDS[a]]
    elif kind in (RETURN_OFFERING, RETURN_MONSTER):
        fields["color"] = task_color_text(color)
    elif kind in (HEAL_COLOR, TAKE_OFFERING, TAKE_STATUE, DRAW_ORACLE, DRAW_INJURY):
        fields["color"] = COLOR_WORDS[color]
    elif kind in (TAKE_EQUIPMENT, REFILL_EQUIPMENT):
        fields["card"] = CARD_WORDS[a]
    elif kind == CHOOSE_SHIP:
        fields["ship_tile"] = SHIP_WORDS[a]
    elif kind == TAKE_COMPANION:
        fields["companion"] = COMPANION_WORDS[a]
    elif kind in (ROLL_BATTLE, ROLL_TITAN):
        fields["value"] = a

    if kind == LOOK:
        fields["hexes"] = [hex_field(t, a)] if move_b(move) == NONE else [hex_field(t, a), hex_field(t, move_b(move))]
    elif kind in (TAKE_OFFERING, REVEAL) or kind <= RAISE and not (kind == LOAD_STATUE and source == GOD):
        fields["hexes"] = [hex_field(t, a)]
    return fields


cdef class Notation:
    """The notation of one board, without a game: what a text means, whether or not it is legal now."""

    cdef Tables tables

    def __init__(self, list board not None, int players):
        memset(&self.tables, 0, sizeof(Tables))
        fill_tables(&self.tables, board, players)

    def code(self, str text not None):
        """The number that stands for the move in the engine; the same text always has the same."""
        return parse_move_text(&self.tables, text)

    def fields(self, str text not None):
        """The parts of the move by name, its text among them."""
        return move_fields(&self.tables, parse_move_text(&self.tables, text))
