"""Notation: the text of moves and chance outcomes, and back.

A move has exactly one text. The parser reads words from left to right, so that an error can name the word and what
may stand there, and at the end compares the text with what the writer makes of the move: whatever is spelled
differently is refused.
"""

from pythia.core_cy.deukalion.state cimport (
    ANCHOR, ATTACK_CITY, ATTACK_SETTLEMENT, CLAIM_CARDS, CLAIM_FIGHTERS, CLAIM_TREASURES, DECLINE, DELIVER,
    DISPLACE_TO, DRAW, DROP, END, FETCH, FOUND, MOVE_HYDRA, ORDER, PLACE_IN, PLAY, REST, ROLL, SAIL, STAND, STEAL,
    STOLEN, TAKE, THROW, USE_CARD, USE_FIGHTERS, claim_count, claim_order, move_item, move_kind, pack, pack_claim,
    pack_throw, thrown_down, thrown_half, thrown_up,
)
from pythia.core_cy.deukalion.tables cimport FIGHTERS, die
from pythia.core_cy.types cimport move_t, u32

from pythia.core_cy.deukalion import components
from pythia.core_cy.errors import IllegalMove

# Moves that are one word and a square, a color, a place, a card or an order.
cdef dict SQUARE_MOVES = {ANCHOR: "anchor", SAIL: "sail", MOVE_HYDRA: "hydra", DISPLACE_TO: "displace"}
cdef dict COLOR_MOVES = {TAKE: "take", DROP: "drop", DELIVER: "deliver"}
cdef dict CARD_MOVES = {PLAY: "play", DRAW: "draw", STOLEN: "steal"}
cdef dict PLAIN_MOVES = {
    REST: "rest", END: "end", USE_CARD: "card", USE_FIGHTERS: "fighters", DECLINE: "decline", STEAL: "steal",
    FETCH: "fetch",
}
# What a move is called in `fields`, where that is not its first word.
cdef dict ACTION_NAMES = {
    ATTACK_CITY: "attack_city", ATTACK_SETTLEMENT: "attack_settlement", CLAIM_TREASURES: "claim_treasures",
    CLAIM_FIGHTERS: "claim_fighters", CLAIM_CARDS: "claim_cards", STOLEN: "stolen",
}
cdef tuple FIRST_WORDS = (
    "anchor", "sail", "hydra", "displace", "take", "drop", "deliver", "play", "draw", "steal", "rest", "end", "card",
    "fighters", "decline", "fetch", "kylix", "roll", "throw", "place", "found", "attack", "claim", "order",
)
cdef tuple DIE_WORDS = ("1", "2", "3")
cdef tuple THROWN_WORDS = tuple(str(number) for number in range(FIGHTERS + 1))


cdef str shown(str text):
    """Quoted, and not longer than a line."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


cdef class Words:
    """The words of a move text, taken one by one; each way to take one says what may stand there."""

    cdef str text
    cdef list words
    cdef int taken

    cdef object refuse(self, str word, str allowed):
        what = f"{shown(word)} is not allowed there" if word else "a word is missing"
        return IllegalMove(f"{shown(self.text)}: {what}; allowed: {allowed}")

    cdef str next(self):
        """The next word, "" when there is none."""
        return <str>self.words[self.taken] if self.taken < len(self.words) else ""

    cdef bint more(self):
        return self.taken < len(self.words)

    cdef int one_of(self, tuple allowed, str called="") except -1:
        """The place of the next word in the list of those allowed."""
        cdef str word = self.next()
        if not word or word not in allowed:
            raise self.refuse(word or " " * self.more(), called or ", ".join(allowed))
        self.taken += 1
        return allowed.index(word)


cdef class Notation:
    """Texts of moves with the words of one copy of the data."""

    def __init__(self, facts):
        self.colors = facts.colors
        self.cards = components.CARDS
        self.orders = tuple([order.name for order in facts.orders])
        self.cities = tuple([city.name for city in facts.cities])
        self.settlements = tuple([settlement.name for settlement in facts.settlements])
        self.heroes = facts.heroes
        self.squares = tuple([facts.square_name(square) for square in facts.squares])
        self.square_numbers = {name: square for square, name in enumerate(self.squares)}
        self.width = facts.width

    cdef str text(self, move_t move):
        cdef int kind = move_kind(move), item = move_item(move), place
        if kind in SQUARE_MOVES:
            return f"{SQUARE_MOVES[kind]} {self.squares[item]}"
        if kind in PLAIN_MOVES:
            return PLAIN_MOVES[kind]
        if kind in COLOR_MOVES:
            return f"{COLOR_MOVES[kind]} {self.colors[item]}"
        if kind in CARD_MOVES:
            return f"{CARD_MOVES[kind]} {self.cards[item]}"
        if kind == THROW:
            return f"throw {thrown_up(move)} {thrown_down(move)} {thrown_half(move)}"
        if kind == ROLL:
            return "roll " + " ".join([str(die(item, place)) for place in range(5)])
        if kind == STAND:
            return "kylix " + " ".join([str(die(item, place)) for place in range(4)])
        if kind == PLACE_IN:
            return f"place {self.cities[item]}"
        if kind == ATTACK_CITY:
            return f"attack {self.cities[item]}"
        if kind == ATTACK_SETTLEMENT:
            return f"attack {self.settlements[item]}"
        if kind == FOUND:
            return f"found {self.settlements[item]}"
        if kind == ORDER:
            return f"order {self.orders[item]}"
        if kind == CLAIM_TREASURES:
            return " ".join(["claim", self.orders[claim_order(move)], *self.counted(move, self.colors)])
        if kind == CLAIM_FIGHTERS:
            return f"claim {self.orders[claim_order(move)]} fighters"
        if kind == CLAIM_CARDS:
            return " ".join(["claim", self.orders[claim_order(move)], "cards", *self.counted(move, self.cards)])
        raise ValueError(f"{move} is no code of a move")

    cdef list counted(self, move_t move, tuple words):
        """The treasures or cards of a claim, in the order of the data."""
        cdef int place
        return [words[place] for place in range(len(words)) for _ in range(claim_count(move, place))]

    cdef move_t parse(self, str text) except 0:
        cdef Words words = Words.__new__(Words)
        words.text = text
        words.words = text.split(" ") if text else []
        cdef move_t move = read_move(self, words)
        if words.more():
            raise words.refuse(words.next() or " ", "nothing more")
        written = self.text(move)
        if written != text:
            raise IllegalMove(f"{shown(text)}: this move is written {written!r}")
        return move

    # -- the parts of a move by name

    cdef dict fields(self, move_t move):
        """`text` and `action` always, the rest where the move has it.

        x, y            the square
        color           of the treasure
        place           the city or settlement
        card            the action card
        order           the order
        colors, cards   what is given for an order
        dice            for `kylix` card, fighters, sail, Hydra; for `roll` the center and the ring
        up, down, half  how the fighters fell
        """
        cdef int kind = move_kind(move), item = move_item(move), place
        cdef str text = self.text(move)
        cdef dict fields = {"text": text, "action": ACTION_NAMES.get(kind) or text.split(" ")[0]}
        if kind in SQUARE_MOVES:
            fields["x"] = item % self.width
            fields["y"] = item // self.width
        elif kind in COLOR_MOVES:
            fields["color"] = self.colors[item]
        elif kind in CARD_MOVES:
            fields["card"] = self.cards[item]
        elif kind in (PLACE_IN, ATTACK_CITY):
            fields["place"] = self.cities[item]
        elif kind in (FOUND, ATTACK_SETTLEMENT):
            fields["place"] = self.settlements[item]
        elif kind == ORDER:
            fields["order"] = self.orders[item]
        elif kind in (CLAIM_TREASURES, CLAIM_FIGHTERS, CLAIM_CARDS):
            fields["order"] = self.orders[claim_order(move)]
            if kind == CLAIM_TREASURES:
                fields["colors"] = self.counted(move, self.colors)
            elif kind == CLAIM_CARDS:
                fields["cards"] = self.counted(move, self.cards)
        elif kind in (STAND, ROLL):
            fields["dice"] = [die(item, place) for place in range(4 if kind == STAND else 5)]
        elif kind == THROW:
            fields["up"] = thrown_up(move)
            fields["down"] = thrown_down(move)
            fields["half"] = thrown_half(move)
        return fields


# -- reading

cdef move_t read_move(Notation notation, Words words) except 0:
    cdef str first = <str>FIRST_WORDS[words.one_of(FIRST_WORDS)]
    cdef int item, up, down
    if first == "steal":
        return pack(STOLEN, <u32>words.one_of(notation.cards)) if words.more() else pack(STEAL, 0)
    for kind, word in PLAIN_MOVES.items():
        if word == first:
            return pack(kind, 0)
    for kind, word in SQUARE_MOVES.items():
        if word == first:
            item = words.one_of(notation.squares, "a square such as 4,2, column and row from 0")
            return pack(kind, <u32>item)
    for kind, word in COLOR_MOVES.items():
        if word == first:
            return pack(kind, <u32>words.one_of(notation.colors))
    for kind, word in CARD_MOVES.items():
        if word == first:
            return pack(kind, <u32>words.one_of(notation.cards))
    if first == "kylix":
        return pack(STAND, read_dice(words, 4))
    if first == "roll":
        return pack(ROLL, read_dice(words, 5))
    if first == "throw":
        up = words.one_of(THROWN_WORDS)
        down = words.one_of(THROWN_WORDS)
        return pack_throw(up, down, words.one_of(THROWN_WORDS))
    if first == "place":
        return pack(PLACE_IN, <u32>words.one_of(notation.cities))
    if first == "found":
        return pack(FOUND, <u32>words.one_of(notation.settlements))
    if first == "order":
        return pack(ORDER, <u32>words.one_of(notation.orders))
    if first == "attack":
        item = words.one_of(notation.cities + notation.settlements)
        if item < len(notation.cities):
            return pack(ATTACK_CITY, <u32>item)
        return pack(ATTACK_SETTLEMENT, <u32>(item - len(notation.cities)))
    return read_claim(notation, words)


cdef u32 read_dice(Words words, int count) except? 0xFFFFFFFF:
    cdef u32 packed = 0
    cdef int place
    for place in range(count):
        packed |= <u32>(words.one_of(DIE_WORDS) + 1) << (2 * place)
    return packed


cdef move_t read_claim(Notation notation, Words words) except 0:
    cdef int order = words.one_of(notation.orders)
    cdef str word = words.next()
    if word == "fighters":
        words.taken += 1
        return pack_claim(CLAIM_FIGHTERS, order, 0)
    if word == "cards":
        words.taken += 1
        return pack_claim(CLAIM_CARDS, order, read_counts(words, notation.cards, ", ".join(notation.cards)))
    allowed = ", ".join((*notation.colors, "fighters", "cards"))
    return pack_claim(CLAIM_TREASURES, order, read_counts(words, notation.colors, allowed))


cdef u32 read_counts(Words words, tuple allowed, str called) except? 0xFFFFFFFF:
    """One word or more, counted."""
    cdef u32 packed = 0
    cdef int place
    while True:
        place = words.one_of(allowed, called)
        if (packed >> (3 * place)) & 7 == 7:
            words.taken -= 1
            raise words.refuse(words.next(), "at most 7 of a kind")
        packed += <u32>1 << (3 * place)
        if not words.more():
            return packed
        called = ", ".join(allowed)


def move_parts(facts, str text not None):
    """The parts of the move with this text by name, whether or not it is legal anywhere; for tests."""
    cdef Notation notation = Notation(facts)
    return notation.fields(notation.parse(text))
