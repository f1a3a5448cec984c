"""Notation: the text of moves and chance outcomes, and back.

A move has exactly one text, and there are few enough moves to list them all: writing and reading are look-ups.
"""

from itertools import combinations

from pythia.core_cy.offrandes.state cimport (
    BEGIN, DECLINE, END, MAKE_BID, MAKE_BRIBE, MAKE_OFFER, PASS, PUT_UP, RECRUIT, move_a, move_b, move_c, move_kind,
    pack,
)
from pythia.core_cy.types cimport move_t

from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.offrandes.components import (
    ALTARS, ANIMALS, BRIBABLE, CHARACTERS, CITIES, MOST_ANIMALS, MOST_DRACHMAS, RECRUITS,
)


cdef dict list_texts():
    """Every text with the code of its move, in the order of the notation: decisions, then outcomes."""
    cdef dict codes = {}
    cdef int seat, character, number, animal, altar
    for word, kind, count in (("recruit", RECRUIT, RECRUITS), ("auction", PUT_UP, 2)):
        for some in combinations(range(len(CHARACTERS)), count):
            words = " ".join([CHARACTERS[character] for character in some])
            codes[f"{word} {words}"] = pack(kind, sum([1 << character for character in some]), 0, 0)
    codes["end"] = pack(END, 0, 0, 0)
    for number in range(1, MOST_DRACHMAS + 1):
        codes[f"bid {number}"] = pack(MAKE_BID, number, 0, 0)
    codes["pass"] = pack(PASS, 0, 0, 0)
    for seat, city in enumerate(CITIES):
        for character, ladder in enumerate(BRIBABLE):
            codes[f"bribe {city} {ladder}"] = pack(MAKE_BRIBE, seat, character, 0)
    codes["decline"] = pack(DECLINE, 0, 0, 0)
    for number in range(1, MOST_ANIMALS + 1):
        for animal, kind in enumerate(ANIMALS):
            for altar, god in enumerate(ALTARS):
                codes[f"offer {number} {kind} {god}"] = pack(MAKE_OFFER, number, animal + 1, altar)
    for seat, city in enumerate(CITIES):
        codes[f"first {city}"] = pack(BEGIN, seat, 0, 0)
    return codes


cdef dict CODES = list_texts()
cdef dict TEXTS = {code: text for text, code in CODES.items()}
assert len(TEXTS) == len(CODES)


def all_texts():
    """Every move text and then every outcome, always in the same order."""
    return list(CODES)


# -- writing and reading

cdef str move_text(move_t move):
    return TEXTS[move]


cdef move_t parse_move_text(str text) except 0:
    code = CODES.get(text)
    if code is None:
        raise refusal(text)
    return code


cdef str shown(str text):
    """Quoted, and not longer than a line."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


cdef object refusal(str text):
    """The first word that no move has there, and what may stand there."""
    cdef list words = text.split(" ")
    cdef int taken = 0
    for known in CODES:
        if sorted(known.split(" ")) == sorted(words):
            return IllegalMove(f"{shown(text)}: this move is written {known!r}")
    split = [known.split(" ") for known in CODES]
    for taken in range(len(words) + 1):
        begun = [known for known in split if known[:taken] == words[:taken]]
        allowed = list(dict.fromkeys([known[taken] for known in begun if len(known) > taken]))
        if taken == len(words) or words[taken] not in allowed:
            break
    missing = taken == len(words) or text == ""
    what = "a word is missing" if missing else f"{shown(words[taken])} is not allowed there"
    numbers = [word for word in allowed if word.isdigit()]
    if numbers:
        allowed = [f"a number from {numbers[0]} to {numbers[len(numbers) - 1]}"]
    return IllegalMove(f"{shown(text)}: {what}; allowed: {', '.join(allowed) or 'nothing more'}")


# -- the parts of a move by name

cdef dict move_fields(move_t move):
    """`text` and `action` always, the rest where the move has it.

    characters  those recruited or put up, or the one whose ladder is bribed
    drachmas    of a bid
    city        the one bribed, or the start player's
    number      of animals
    animal      their kind
    altar       where they go
    """
    cdef int kind = move_kind(move)
    cdef str text = move_text(move)
    cdef dict fields = {"text": text, "action": text.split(" ")[0]}
    if kind in (RECRUIT, PUT_UP):
        fields["characters"] = text.split(" ")[1:]
    elif kind == MAKE_BID:
        fields["drachmas"] = move_a(move)
    elif kind == MAKE_BRIBE:
        fields["city"] = CITIES[move_a(move)]
        fields["characters"] = [BRIBABLE[move_b(move)]]
    elif kind == BEGIN:
        fields["city"] = CITIES[move_a(move)]
    elif kind == MAKE_OFFER:
        fields["number"] = move_a(move)
        fields["animal"] = ANIMALS[move_b(move) - 1]
        fields["altar"] = ALTARS[move_c(move)]
    return fields


def move_parts(str text not None):
    """The parts of the move with this text by name, whether or not it is legal anywhere; for tests."""
    return move_fields(parse_move_text(text))
