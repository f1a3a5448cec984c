"""What a seat can see: all but the face-down island tiles that it has not looked at (R27)."""

from pythia.core_cy.bits cimport lowest
from pythia.core_cy.delphi.state cimport DelphiState
from pythia.core_cy.delphi.tables cimport NONE, TILES, Tables
from pythia.core_cy.game cimport SPECTATOR, state_t, tables_t
from pythia.core_cy.hashing cimport hash_bytes
from pythia.core_cy.rng cimport Rng, rng_below
from pythia.core_cy.types cimport u8, u32, u64


cdef inline bint is_hidden(const DelphiState* s, int slot, int observer) noexcept nogil:
    cdef u32 seen = s.face_up
    if observer != SPECTATOR:
        seen |= s.players[observer].knows
    return not (seen >> slot) & 1


cdef void delphi_determinize(tables_t tables, void* state, int observer, Rng* rng) noexcept nogil:
    """A uniform shuffle of the tiles the observer has not seen, over the places it has not seen."""
    cdef DelphiState* s = <DelphiState*>state
    cdef u8 places[TILES]
    cdef u8 tiles[TILES]
    cdef u8 tile
    cdef u32 unseen = 0
    cdef int n = 0, slot, i, j
    for slot in range(TILES):
        if is_hidden(s, slot, observer):
            places[n] = <u8>slot
            unseen |= 1 << s.tile[slot]
            n += 1
    # Drawn from the tiles in their own order, so that how they really lie has no say.
    for i in range(n):
        tiles[i] = <u8>lowest(unseen)
        unseen &= unseen - 1
    for i in range(n - 1, -1, -1):
        j = <int>rng_below(rng, <u32>(i + 1))
        tile = tiles[j]
        tiles[j] = tiles[i]
        s.tile[places[i]] = tile


cdef u64 delphi_information_key(tables_t tables, state_t state, int observer) noexcept nogil:
    cdef DelphiState seen = (<const DelphiState*>state)[0]
    cdef int slot
    for slot in range(TILES):
        if is_hidden(&seen, slot, observer):
            seen.tile[slot] = NONE
    return hash_bytes(&seen, sizeof(DelphiState))


cdef u64 delphi_position_hash(tables_t tables, state_t state) noexcept nogil:
    return hash_bytes(state, sizeof(DelphiState))


cdef int delphi_turn_number(tables_t tables, state_t state) noexcept nogil:
    cdef const DelphiState* s = <const DelphiState*>state
    return s.round * (<const Tables*>tables).players + s.turn


cdef u64 delphi_chance_stream(tables_t tables, state_t state) noexcept nogil:
    """Purpose, seat and turn of the open event."""
    cdef const DelphiState* s = <const DelphiState*>state
    return (<u64>delphi_turn_number(tables, state) << 16 | <u64>s.stack[s.frames - 1].seat << 8
            | s.stack[s.frames - 1].kind)
