"""Notation: the text of moves and chance outcomes, and back.

A move has exactly one text. The parser reads words from left to right, so that an error can name the word and what
may stand there, and at the end compares the text with what the writer makes of the move: whatever is spelled
differently is refused.
"""

from pythia.core_cy.keltis.state cimport (
    BACK, DECLINE, DISCARD, DRAW_CARD, DROP_HAND, DROP_ROW, PLAY_FIGURE, PLAY_PRIESTESS, SCORE, STEP, TAKE_DISCARD,
    TAKE_PILE, move_color, move_kind, move_number, move_space, pack,
)
from pythia.core_cy.types cimport move_t

from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.keltis.components import COLORS, LAST_SPACE, NUMBERS, priestess_reach

cdef tuple COLOR_WORDS = COLORS
cdef tuple NUMBER_WORDS = tuple(str(number) for number in NUMBERS)
cdef tuple SPACE_WORDS = tuple(str(space) for space in range(LAST_SPACE + 1))
cdef tuple REACH_WORDS = tuple(str(n) for n in range(1, max(priestess_reach(number) for number in NUMBERS) + 1))
# Which of several figures on a space steps on, when they can be told apart; nothing stands for the first.
cdef tuple WHICH_WORDS = ("", "second", "third")
cdef tuple TAKE_WORDS = ("pile", *COLORS)
cdef tuple FIRST_WORDS = ("play", "discard", "score", "step", "back", "drop", "decline", "take", "draw")

# What a move is called in `move_fields`.
cdef dict ACTION_NAMES = {
    PLAY_FIGURE: "play_figure", PLAY_PRIESTESS: "play_priestess", DISCARD: "discard", SCORE: "score", STEP: "step",
    BACK: "back", DROP_HAND: "drop_hand", DROP_ROW: "drop_row", DECLINE: "decline", TAKE_PILE: "take_pile",
    TAKE_DISCARD: "take_discard", DRAW_CARD: "draw",
}


# -- writing

cdef str card_text(move_t move):
    return f"{COLOR_WORDS[move_color(move)]} {move_number(move)}"


cdef str move_text(move_t move):
    cdef int kind = move_kind(move)
    if kind == PLAY_FIGURE:
        return f"play {card_text(move)} figure {move_space(move)}"
    if kind == PLAY_PRIESTESS:
        return f"play {card_text(move)} priestess {move_space(move)}"
    if kind == DISCARD:
        return f"discard {card_text(move)}"
    if kind == SCORE:
        return "score"
    if kind == STEP:
        return f"step {move_space(move)} {WHICH_WORDS[move_number(move)]}".rstrip()
    if kind == BACK:
        return f"back {move_space(move)}"
    if kind == DROP_HAND:
        return f"drop hand {card_text(move)}"
    if kind == DROP_ROW:
        return f"drop row {COLOR_WORDS[move_color(move)]}"
    if kind == DECLINE:
        return "decline"
    if kind == TAKE_PILE:
        return "take pile"
    if kind == TAKE_DISCARD:
        return f"take {COLOR_WORDS[move_color(move)]}"
    if kind == DRAW_CARD:
        return f"draw {card_text(move)}"
    raise ValueError(f"{move} is no code of a move")


# -- reading

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

    cdef int one_of(self, tuple allowed, str called="") except -1:
        """The place of the next word in the list of those allowed."""
        cdef str word = <str>self.words[self.taken] if self.taken < len(self.words) else ""
        if word not in allowed:
            raise self.refuse(word or " " * (self.taken < len(self.words)), called or ", ".join(allowed))
        self.taken += 1
        return allowed.index(word)

    cdef bint more(self):
        return self.taken < len(self.words)

    cdef int number(self, tuple allowed) except -1:
        """The next word as the number that it is."""
        return int(<str>allowed[self.one_of(allowed, f"a number from {allowed[0]} to {allowed[len(allowed) - 1]}")])

    cdef move_t card(self, int kind) except 0:
        cdef int color = self.one_of(COLOR_WORDS)
        return pack(kind, color, self.number(NUMBER_WORDS), 0)

    cdef int finish(self, move_t move) except -1:
        """Nothing may follow, and the spelling must be the one that is written."""
        if self.taken < len(self.words):
            raise self.refuse(<str>self.words[self.taken] or " ", "nothing more")
        written = move_text(move)
        if written != self.text:
            raise IllegalMove(f"{shown(self.text)}: this move is written {written!r}")
        return 0


cdef move_t read_move(Words words) except 0:
    cdef str first = <str>FIRST_WORDS[words.one_of(FIRST_WORDS)]
    cdef move_t card
    cdef int choice
    if first == "play":
        card = words.card(PLAY_FIGURE)
        if words.one_of(("figure", "priestess")) == 0:
            return pack(PLAY_FIGURE, move_color(card), move_number(card), words.number(SPACE_WORDS))
        return pack(PLAY_PRIESTESS, move_color(card), move_number(card), words.number(REACH_WORDS))
    if first == "discard":
        return words.card(DISCARD)
    if first == "score":
        return pack(SCORE, 0, 0, 0)
    if first == "step":
        choice = words.number(SPACE_WORDS)
        return pack(STEP, 0, words.one_of(WHICH_WORDS[1:]) + 1 if words.more() else 0, choice)
    if first == "back":
        return pack(BACK, 0, 0, words.number(SPACE_WORDS))
    if first == "drop":
        if words.one_of(("hand", "row")) == 0:
            return words.card(DROP_HAND)
        return pack(DROP_ROW, words.one_of(COLOR_WORDS), 0, 0)
    if first == "decline":
        return pack(DECLINE, 0, 0, 0)
    if first == "take":
        choice = words.one_of(TAKE_WORDS)
        return pack(TAKE_DISCARD, choice - 1, 0, 0) if choice else pack(TAKE_PILE, 0, 0, 0)
    return words.card(DRAW_CARD)


cdef move_t parse_move_text(str text) except 0:
    cdef Words words = Words.__new__(Words)
    words.text = text
    words.words = text.split(" ") if text else []
    cdef move_t move = read_move(words)
    words.finish(move)
    return move


# -- the parts of a move by name

cdef dict move_fields(move_t move):
    """`text` and `action` always, the rest where the move has it.

    color     of the card, row or discard pile
    number    of the card
    space     where the figure stands that moves, or for `back` where it goes
    which     "second" or "third" of the figures there, when they can be told apart (K12)
    spaces    how far the priestess moves
    """
    cdef int kind = move_kind(move)
    cdef dict fields = {"text": move_text(move), "action": ACTION_NAMES[kind]}
    if kind in (PLAY_FIGURE, PLAY_PRIESTESS, DISCARD, DROP_HAND, DRAW_CARD):
        fields["color"] = COLOR_WORDS[move_color(move)]
        fields["number"] = move_number(move)
    elif kind in (DROP_ROW, TAKE_DISCARD):
        fields["color"] = COLOR_WORDS[move_color(move)]
    if kind in (PLAY_FIGURE, STEP, BACK):
        fields["space"] = move_space(move)
        if kind == STEP and move_number(move):
            fields["which"] = WHICH_WORDS[move_number(move)]
    elif kind == PLAY_PRIESTESS:
        fields["spaces"] = move_space(move)
    return fields


def move_parts(str text not None):
    """The parts of the move with this text by name, whether or not it is legal anywhere; for tests."""
    return move_fields(parse_move_text(text))
