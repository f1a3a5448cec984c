"""One home for the integer types that the C code shares."""

from libc.stdint cimport (
    int8_t, int16_t, int32_t, int64_t,
    uint8_t, uint16_t, uint32_t, uint64_t,
)

ctypedef int8_t i8
ctypedef int16_t i16
ctypedef int32_t i32
ctypedef int64_t i64
ctypedef uint8_t u8
ctypedef uint16_t u16
ctypedef uint32_t u32
ctypedef uint64_t u64

# A move or a chance outcome, packed by its game. Equal codes are equal moves; 0 is never a move.
ctypedef u32 move_t
