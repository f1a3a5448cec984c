"""The facts of components.py as C arrays; see tables.pxd."""

from itertools import combinations

from libc.string cimport memset

from pythia.core_cy.offrandes import components
from pythia.core_cy.types cimport u8

assert components.MAX_PLAYERS == len(components.CITIES) == MAX_SEATS
assert components.CHARACTERS[FARMER] == "farmer" and components.CHARACTERS[CARRIER] == "carrier"
assert components.CHARACTERS[FLORIST] == "florist" and components.CHARACTERS[SERVANT] == "servant"
assert components.CHARACTERS[PRIESTESS] == "priestess" and components.CHARACTERS[SEDUCER] == "seducer"
assert components.CHARACTERS[GUARD] == "guard" and len(components.CHARACTERS) == CHARACTERS
assert components.BRIBABLE == components.CHARACTERS[:BRIBABLE]
assert components.TOP == TOP and len(components.LAMPS) == TOP + 1
assert len(components.ANIMALS) == KINDS_OF_ANIMALS and components.OF_A_KIND == OF_A_KIND
assert components.MOST_ANIMALS == MOST_ANIMALS
assert len(components.ALTARS) == ALTARS and len(components.ALTAR_GROUPS) == GROUPS
assert components.DRACHMAS == DRACHMAS and components.INCOME == INCOME
assert components.MOST_DRACHMAS == MOST_DRACHMAS
assert components.LAST_SCORE == LAST_SCORE and components.MAX_SCORE == MAX_SCORE
assert components.MAX_ROUNDS == MAX_ROUNDS
assert len(list(combinations(range(CHARACTERS), 2))) == PAIRS
assert len(list(combinations(range(CHARACTERS), components.RECRUITS))) == TRIPLES


cdef int fill_tables(Tables* t, int players) except -1:
    cdef int i, level
    memset(t, 0, sizeof(Tables))
    t.players = <u8>players
    t.auctions = components.auctions(players)
    for level in range(TOP + 1):
        t.lamp[level] = components.LAMPS[level]
    for i, altar in enumerate(components.ALTARS):
        t.group[i] = components.altar_group(altar)
        t.points[i] = components.altar_points(altar)
        for level in range(t.group[i], TOP + 1):
            t.reach[level] = <u8>(i + 1)
    for i, (one, other) in enumerate(combinations(range(CHARACTERS), 2)):
        t.pairs[i] = 1 << one | 1 << other
    for i, three in enumerate(combinations(range(CHARACTERS), components.RECRUITS)):
        t.triples[i] = sum([1 << character for character in three])
    return 0
