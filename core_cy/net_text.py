"""The numbers of a network (`net.pxd`) as text, as weights files and settings of bots have them."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Sequence

HIDDEN = 64  # units; NET_HIDDEN of net.pxd


def numbers_in(inputs: int) -> int:
    """How many numbers a network of so many inputs has."""
    return (inputs + 2) * HIDDEN + 1


def net_text(numbers: Sequence[float]) -> str:
    """As base64 of little-endian half-precision numbers; an empty text for no network."""
    return base64.b64encode(struct.pack(f"<{len(numbers)}e", *numbers)).decode("ascii")


def net_numbers(text: str, inputs: int) -> tuple[float, ...]:
    """The numbers of a text, none of an empty one; ValueError where it is not that of a network of so many inputs."""
    if not text:
        return ()
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"net: not base64 ({error}); allowed: what `pythia learn` wrote") from error
    if len(data) != 2 * numbers_in(inputs):
        raise ValueError(f"net: {len(data) / 2:g} numbers are not allowed; allowed: {numbers_in(inputs)}")
    return struct.unpack(f"<{numbers_in(inputs)}e", data)
