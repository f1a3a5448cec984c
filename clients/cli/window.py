"""A position in a window: the largest board that leaves room for the rest, panels beside it and below it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from pythia.clients.cli.palette import colored, painted
from pythia.core_cy.panels import Line, Screen, width_of

# The narrowest column for panels, and what separates it from the board.
LEAST_BESIDE, GAP = 30, 2
INDENT, BETWEEN = "  ", "    "
CUT = "… `board all` shows everything"


def fitted(screen: Screen, console: Console, rows: int) -> list[Text]:
    """The position in no more rows than these, as long as the smallest board and the own panel leave it a choice.

    The largest board with all panels in full comes first, then with panels in few words, the least important first;
    then the next smaller board.
    """
    boards = boards_for(screen, console)
    for board in boards:
        for shortened in range(len(screen.panels) + 1):
            lines = arranged(screen, board, len(screen.panels) - shortened, console)
            if len(lines) <= rows:
                return lines
    lines, kept = arranged(screen, boards[-1], 0, console), least(screen, console)
    if rows <= kept:
        return lines[:kept]
    return [*lines[: rows - 1], Text(CUT, style="dim")]


def everything(screen: Screen, console: Console) -> list[Text]:
    """The position in as many rows as it needs: the largest board that is not too wide, and all there is to say."""
    board = boards_for(screen, console)[0]
    details = (
        part
        for line in screen.details
        for part in wrapped(colored(line, screen.colors), console, console.width)
    )
    return [*arranged(screen, board, len(screen.panels), console), *details]


def is_cut(lines: Sequence[Text]) -> bool:
    """Whether something is left out of what `fitted` found."""
    return bool(lines) and lines[-1].plain == CUT


def draw(lines: Iterable[Text], console: Console) -> None:
    """What is too wide all the same is cut off."""
    for line in lines:
        console.print(line, no_wrap=True, overflow="crop", crop=True)


def least(screen: Screen, console: Console) -> int:
    """The rows that the smallest board and the viewer's own panel take."""
    board = boards_for(screen, console)[-1]
    alone = Screen(screen.heading, [board], screen.panels[:1], colors=screen.colors)
    return len(arranged(alone, board, 0, console))


def boards_for(screen: Screen, console: Console) -> list[Sequence[Line]]:
    """Those that are not too wide; a higher one only where no lower one is left. If all are too wide, the last."""
    found: list[Sequence[Line]] = []
    for board in screen.boards:
        fits = max(map(width_of, board), default=0) <= console.width
        if fits and (not found or len(board) <= len(found[-1])):
            found.append(board)
    return found or [screen.boards[-1]]


def arranged(screen: Screen, board: Sequence[Line], full: int, console: Console) -> list[Text]:
    """With this board, and the first `full` panels in full: beside the board as long as it is high, then below it."""
    wide = max(map(width_of, board), default=0)
    told = [
        colored(line, screen.colors, "bold" if line.startswith("seat ") else "")
        for number, panel in enumerate(screen.panels)
        for line in (panel.lines if number < full else panel.short)
    ]
    lines = [
        part for line in screen.heading for part in wrapped(Text(line, style="bold"), console, console.width)
    ]
    beside: list[Text] = []
    column = console.width - wide - GAP
    while told and column >= LEAST_BESIDE:
        parts = wrapped(told[0], console, column)
        if len(beside) + len(parts) > len(board):
            break
        beside += parts
        del told[0]
    lines += joined(board, beside, wide)
    return lines + [part for line in told for part in wrapped(line, console, console.width)]


def joined(board: Sequence[Line], beside: Sequence[Text], wide: int) -> Iterator[Text]:
    for left, right in zip_longest(board, beside):
        line = painted(left or [])
        if right is not None:
            line.pad_right(wide + GAP - len(line))
            line.append_text(right)
        yield line


def wrapped(text: Text, console: Console, width: int, indent: str = INDENT) -> list[Text]:
    """Broken at words; what follows the first line is indented."""
    if len(text) <= width:
        return [text]
    first, *rest = text.wrap(console, max(width, 10))
    left = text[len(text.plain) - len(text.plain[len(first) :].lstrip()) :]
    rest = list(left.wrap(console, max(width - len(indent), 10))) if rest else []
    for line in (first, *rest):
        line.rstrip()
        line.end = ""
    return [first, *(Text(indent).append_text(line) for line in rest)]


def legend(screen: Screen, console: Console) -> list[Text]:
    """What the signs on the board mean."""
    lines = (part for line in screen.legend for part in filled(line, console.width))
    return [part for line in lines for part in wrapped(colored(line, screen.colors), console, console.width)]


def filled(line: str, width: int) -> Iterator[str]:
    """Entries with four spaces between them, on as many lines as they need; an entry is broken only if it must be."""
    found = ""
    for entry in line.split(BETWEEN):
        if found and len(found) + len(BETWEEN) + len(entry) > width:
            yield found
            found = ""
        found += (BETWEEN if found else "") + entry
    yield found


def in_columns(lines: Sequence[Text], width: int) -> list[Text]:
    """The lines side by side, one column after the other, as many columns as there is room for."""
    wide = max(map(len, lines), default=0) + GAP
    rows = math.ceil(len(lines) / max(1, (width + GAP) // wide))
    found = []
    for row in range(rows):
        line = Text()
        for part in lines[row::rows]:
            line.pad_right(-len(line) % wide)
            line.append_text(part)
        found.append(line)
    return found
