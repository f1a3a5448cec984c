"""Comparisons of positions and moves that say what differs: the field, both values, and after which move.

players[1].gods.ares: 3, the reference has 2 after "sail 2,0"
"""

from itertools import zip_longest

MOST = 8  # differences told; more would hide the first
ABSENT = "nothing"


def differences(mine, theirs, path=""):
    """The parts in which two JSON values differ: the path of each, and both values. Absent ones are `ABSENT`."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in [*mine, *(key for key in theirs if key not in mine)]:
            there = f"{path}.{key}" if path else str(key)
            yield from differences(mine.get(key, ABSENT), theirs.get(key, ABSENT), there)
    elif isinstance(mine, (list, tuple)) and isinstance(theirs, (list, tuple)):
        for number, pair in enumerate(zip_longest(mine, theirs, fillvalue=ABSENT)):
            yield from differences(*pair, f"{path}[{number}]")
    elif mine != theirs:
        yield path or "all of it", mine, theirs


def same_json(mine, theirs, after="", other="the reference"):
    """Fails with the parts that differ; `after` is the move that led here."""
    if mine == theirs:  # what is compared at every move should cost little
        return
    found = list(differences(mine, theirs)) or [("all of it", mine, theirs)]
    raise AssertionError(
        told([f"{path}: {shown(one)}, {other} has {shown(two)}{since(after)}" for path, one, two in found])
    )


def same_moves(mine, theirs, after="", other="the reference"):
    """Fails with the moves that only one of them has, whatever their order."""
    mine, theirs = sorted(map(str, mine)), sorted(map(str, theirs))
    lines = [f'"{move}": legal here, not in {other}{since(after)}' for move in only_in(mine, theirs)]
    lines += [f'"{move}": legal in {other}, not here{since(after)}' for move in only_in(theirs, mine)]
    assert not lines, told(lines)


def only_in(moves, others):
    """Those that are not in the others, also where a move comes more often."""
    left = list(others)
    found = []
    for move in moves:
        if move in left:
            left.remove(move)
        else:
            found.append(move)
    return found


def since(move):
    return f' after "{move}"' if move else ""


def shown(value):
    return value if value is ABSENT else repr(value)


def told(lines):
    more = len(lines) - MOST
    return "\n".join([*lines[:MOST], *([f"and {more} more"] if more > 0 else [])])
