"""What commands show in common: an analysis as a table with bars, moves in groups, who made a move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pythia.clients.cli.console import percent, plain_table
from pythia.core_cy import CHANCE, Game, Move, Random, View
from pythia.core_cy.move_words import is_outcome
from pythia.search.result import MoveReport, Result

BAR = 20
MOST_MOVE = 40
# The columns of numbers, with the gaps.
NUMBERS = 34
LEAST_LINE = 15
# Positions in which an expected line is followed; its cards and dice are not those of every position.
POSITIONS = 32


def who(seat: int) -> str:
    return "chance" if seat == CHANCE else f"seat {seat}"


def analysis(
    result: Result, *, game: str, lines: int, width: int, view: View | None = None
) -> RenderableType:
    """The best moves; then what the bot plays, why, and what the seats may hope for.

    With the view that it was found for, the expected line names who makes its moves.
    """
    table = moves_table(result, game, lines, width, view)
    best = next((report for report in result.moves if report.move == result.move), None)
    if best and best.line[1:] and "then" not in (column.header for column in table.columns):
        then = [Text(f"  then: {expected(game, best.line, view)}", style="dim")]
    else:
        then = []
    return Group(
        table,
        Text(),
        Text(result.move, style="bold"),
        *(Text(f"  {reason}") for reason in result.reasons),
        *then,
        Text(summary(result), style="dim"),
    )


def moves_table(result: Result, game: str, lines: int, width: int, view: View | None = None) -> Table:
    """As wide as fits: where there is no room for it, the expected line and then the bar are left out."""
    shown = result.moves[:lines]
    longest = min(MOST_MOVE, max(len("move"), *(len(report.move) for report in shown)))
    rest = width - longest - NUMBERS
    with_bar, with_line = rest > BAR, rest > BAR + LEAST_LINE
    table = plain_table("move", "win", "95 %", "visits")
    table.columns[0].min_width = table.columns[0].max_width = longest
    table.columns[0].overflow = "ellipsis"
    table.columns[0].no_wrap = True
    if with_bar:
        table.add_column(min_width=BAR)
    if with_line:
        table.add_column("then", no_wrap=True, overflow="ellipsis", max_width=rest - BAR - 3)
    for report in shown:
        # Without visits nothing was found out about the move itself.
        tried = report.win_probability is not None and report.visits > 0
        cells: list[RenderableType] = [
            Text(report.move, style="bold" if report.move == result.move else ""),
            percent(report.win_probability if tried else None),
            f"{100 * report.low:.0f} to {100 * report.high:.0f}" if tried else "",
            str(report.visits),
        ]
        if with_bar:
            cells.append(interval_bar(report))
        if with_line:
            cells.append(Text(expected(game, report.line, view), style="dim"))
        table.add_row(*cells)
    return table


def expected(game: str, line: Sequence[str], view: View | None = None) -> str:
    """How play may go on after the first move. What dice and cards will show is unknown; the line has but one of many
    outcomes. With a view, moves of another seat than the one before are marked with it, and the line ends at a move
    that depends on a card or die which nobody knows yet: of that one only the kind is told.
    """
    if view:
        return "; ".join(foreseen(game, line, view)[1:])
    return "; ".join(unknown(text) if is_outcome(game, text) else text for text in line[1:])


def foreseen(game: str, line: Sequence[str], view: View) -> list[str]:
    """The line in positions that look like the view, each with cards and dice of its own."""
    worlds, by, told = [view.imagined(seed) for seed in range(POSITIONS)], view.seat, []
    luck = Random(0)
    for text in line:
        if is_outcome(game, text):
            told.append(unknown(text))
            for world in worlds:
                if world.to_act == CHANCE:
                    world.apply(world.sample_chance(luck))
            continue
        possible = [world for world in worlds if text in map(str, world.legal_moves())]
        some = (possible or worlds)[0]
        mark = "" if some.to_act in (by, CHANCE) else f"{who(some.to_act)}: "
        if 2 * len(possible) < len(worlds):
            kind = action(some.game.move_fields(some.read_move(text))).replace("_", " ")
            return [*told, f"{mark}{kind} ?"]
        told.append(mark + text)
        by = some.to_act
        for world in possible:
            world.apply(text)
        worlds = possible
    return told


def unknown(outcome: str) -> str:
    return f"{outcome.partition(' ')[0]} ?"


def interval_bar(report: MoveReport) -> Text:
    """The win probability as a bar, its 95 % interval shaded around the end."""
    if report.win_probability is None or not report.visits:
        return Text("·" * BAR, style="dim")
    low, mean, high = (
        round(BAR * min(1.0, max(0.0, share))) for share in (report.low, report.win_probability, report.high)
    )
    bar = Text("█" * low, style="green")
    bar.append("▓" * (mean - low), style="green")
    bar.append("░" * (high - mean), style="green")
    return bar.append("·" * (BAR - high), style="dim")


def summary(result: Result) -> str:
    seats = ", ".join(f"seat {seat} {percent(value)}" for seat, value in enumerate(result.values))
    parts = [f"win probability: {seats}"]
    if result.rounds_left:
        parts.append("rounds left: " + ", ".join(f"{left:.1f}" for left in result.rounds_left))
    if result.iterations:
        parts.append(f"{result.iterations} iterations")
    if result.seconds:  # known once the search is over
        parts.append(f"{result.seconds:.2f} s")
    return " · ".join(parts)


def action(fields: Mapping[str, Any]) -> str:
    """What a move does, in the game's word for it."""
    return str(fields.get("action") or fields["text"].split()[0])


def move_groups(game: Game, moves: Iterable[Move]) -> dict[str, list[str]]:
    """The texts of moves by what they do, in the order in which they come."""
    groups: dict[str, list[str]] = {}
    for move in moves:
        fields = game.move_fields(move)
        groups.setdefault(action(fields).replace("_", " "), []).append(fields["text"])
    return groups


def moves_in_groups(groups: Mapping[str, Sequence[str]]) -> Iterator[RenderableType]:
    """Each group with its number and its moves in columns."""
    for name, texts in groups.items():
        yield Text(f"{name} ({len(texts)})", style="bold")
        yield Columns([Text(f"  {text}") for text in texts], padding=(0, 2), equal=True, column_first=True)
