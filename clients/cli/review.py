"""The command `review`: what the decisions of a game lost, and apart from it the luck."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pythia.arena import review as reviews
from pythia.arena.plot import svg_file
from pythia.arena.review import DEFAULT_JUDGE, Decision, Judge, LuckyEvent, Review, Stopped, local_judge
from pythia.arena.review_plot import boards_of, review_html, review_svg
from pythia.clients.cli.console import (
    AsJson,
    CutShort,
    OnlyGame,
    ProgressLine,
    RecordFile,
    ServerOptions,
    Thinking,
    Unfinished,
    bots_from_here,
    not_allowed,
    open_client,
    percent,
    plain_table,
    print_json,
    read_record,
    refusing,
    terminal,
    write_out,
)
from pythia.clients.cli.explain import ReasonsLang, chosen_language
from pythia.core_cy import View
from pythia.core_cy.record import Record
from pythia.search.bots import BotSpec
from pythia.search.limits import Limit
from pythia.search.result import Result
from pythia.search.tree import StopFlag

LINES = 15
LUCKY_LINES = 5
# The columns that tables with everything in a row need; in fewer, decisions take lines and sums two tables.
WIDE = 110
# With the record, where there is one, a page shows the boards.
PICTURES: dict[str, Callable[[Review, Record | None], str]] = {
    ".svg": lambda review, record: svg_file(review_svg(review)),
    ".html": lambda review, record: review_html(review, boards_of(review, record) if record else None),
}

Seats = Annotated[
    tuple[int, ...],
    Parameter(
        negative=(), show_default=False, help="Only this seat, counted from 0; several times for more."
    ),
]
InOrder = Annotated[
    bool, Parameter(negative=(), show_default=False, help="Every decision, in the order of the game.")
]
Lines = Annotated[int, Parameter(help="The number of decisions to show, worst first.")]
Plot = Annotated[Path | None, Parameter(help="Draw the game into this file, which ends in .svg or .html.")]
Seed = Annotated[int, Parameter(help="With an iteration limit the same seed gives the same review.")]


def review(
    file: RecordFile = "-",
    /,
    *,
    seat: Seats = (),
    in_order: InOrder = False,
    lines: Lines = LINES,
    plot: Plot = None,
    seed: Seed = 0,
    unfinished: Unfinished = False,
    game: OnlyGame = None,
    lang: ReasonsLang = None,
    as_json: AsJson = False,
    thinking: Thinking | None = None,
    connection: ServerOptions | None = None,
) -> None:
    """Review a game: what decisions cost, and who was lucky.

    Each decision is compared with the best move that a bot finds from what the
    seat could know at the time: the win probability lost, with its 95 % interval.
    Luck is separate: the value of what dice, draws and uncovered things brought,
    minus the mean of what they could have brought. Ctrl-C stops the review and
    prints it so far.

    For example:

        pythia review game.jsonl
        pythia review game.jsonl --seat 0 --in-order --iterations 2000
        pythia review game.jsonl --plot review.html
        pythia review game.jsonl --json | jq '.summaries[].total_loss'
    """
    check_told(lines, plot)
    spec = thinking.spec() if thinking else BotSpec.parse(DEFAULT_JUDGE)
    language = chosen_language(lang)
    record = read_record(file, game=game, unfinished=unfinished)
    found, interrupted = run(record, spec, seat or None, seed, connection, language)
    tell(found, interrupted, in_order, lines, plot, as_json, record=record, source=file)


def check_told(lines: int, plot: Path | None) -> None:
    """Before anything is reviewed."""
    if plot is not None and plot.suffix not in PICTURES:
        raise not_allowed("plot", str(plot), f"a file that ends in {' or '.join(PICTURES)}")
    if lines < 0:
        raise not_allowed("lines", lines, "0 or more")


def tell(
    found: Review,
    interrupted: bool,
    in_order: bool,
    lines: int,
    plot: Path | None,
    as_json: bool,
    *,
    record: Record | None = None,
    source: str = "-",
) -> None:
    """The review on the terminal, as JSON, and as a picture. `source` is the file of the record."""
    if as_json:
        print_json(found.to_json())
    else:
        console = terminal()
        for part in told(found, in_order, lines, source, console.width):
            console.print(part)
    if plot is not None:  # last: a file that cannot be written costs nothing but itself
        write_out(PICTURES[plot.suffix](found, record), plot, "plot")
        print(f"plot: written to {plot}", file=sys.stderr)
    if interrupted:
        raise KeyboardInterrupt(
            f"interrupted; {found.reviewed} of {found.moves} moves were reviewed; see above"
        )


def run(
    record: Record,
    spec: BotSpec,
    seats: Sequence[int] | None,
    seed: int,
    connection: ServerOptions | None,
    language: str = "en",
) -> tuple[Review, bool]:
    """The review, and whether it was interrupted. It runs in a thread of its own: a search does not hear Ctrl-C."""
    stop = StopFlag()
    with (
        refusing(),
        judging(spec, stop, connection) as judge,
        ProgressLine(len(record.moves), "moves") as progress,
        ThreadPoolExecutor(1) as pool,
    ):
        work = pool.submit(
            reviews.review,
            record,
            spec,
            seats=seats,
            seed=seed,
            judge=judge,
            progress=lambda done, total: progress.tell(done),
            stop=stop,
            language=language,
        )
        try:
            return work.result(), False
        except KeyboardInterrupt:
            stop.set()
            return work.result(), True


@contextmanager
def judging(spec: BotSpec, stop: StopFlag, connection: ServerOptions | None) -> Iterator[Judge]:
    """Who is asked: the bot here, or that of a server."""
    if connection is None or connection.server is None:
        bots_from_here()
        yield local_judge(spec, stop)
        return
    cut = CutShort()
    with open_client(connection) as client:

        def remote(view: View, limit: Limit | None, consider: Sequence[str], seed: int) -> Result:
            if stop.is_set():
                raise Stopped
            # The best move and the best other one are all that a review looks at.
            seen = view.observation()
            result = client.suggest(seen, spec, limit=limit, consider=consider, seed=seed, lines=2)
            return cut.heard(result, limit)

        yield remote
    cut.tell()


# -- for people


def told(
    review: Review, in_order: bool, lines: int, source: str = "-", width: int = WIDE
) -> Iterator[RenderableType]:
    """The decisions, the greatest luck, and the sums."""
    part = "" if review.complete else f", the first {review.reviewed} of {review.moves} moves"
    yield Text(f"{review.game}: {', '.join(review.names)}; judged by {review.bot}, seed {review.seed}{part}")
    chosen = review.decisions
    left = 0
    if not in_order:
        lost = [decision for decision in review.decisions if decision.loss > 0]
        chosen = sorted(lost, key=lambda decision: -decision.loss)[:lines]
        left = len(lost) - len(chosen)
    if chosen:
        yield Text()
        if width >= WIDE:
            yield decisions_table(chosen)
        else:
            yield from decision_lines(chosen)
        if left:
            yield Text(f"{left} more lost less; --lines {len(lost)} shows them all", style="dim")
        if source != "-":
            # A move's number counts it, --at counts what came before.
            number = chosen[0].number
            yield Text(
                f"the position before move {number}: pythia replay {source} --at {number - 1}", style="dim"
            )
    luck = sorted(review.luck, key=lambda event: -abs(event.luck))[:LUCKY_LINES]
    if luck:
        yield Text()
        yield luck_table(review, luck)
    yield Text()
    yield from [seats_table(review)] if width >= WIDE else seats_tables(review)
    yield Text(
        f"mistakes: losses of {percent(reviews.MISTAKE)} or more whose interval excludes 0", style="dim"
    )


def decisions_table(decisions: Sequence[Decision]) -> Table:
    told = any(decision.reasons for decision in decisions)  # not every game gives reasons
    table = plain_table("move", "seat", "lost", "95 %", "win", "played", "better", *["why"] * told)
    for column in table.columns[5:]:
        column.justify, column.no_wrap = "left", False
    for decision in decisions:
        better = decision.best != decision.move
        table.add_row(
            str(decision.number),
            str(decision.seat),
            Text(percent(decision.loss), style="bold red" if decision.is_mistake else ""),
            f"{100 * decision.low:.1f} to {100 * decision.high:.1f}",
            percent(decision.win_probability),
            Text(decision.move),
            Text(decision.best if better else "", style="bold"),
            *[Text(", ".join(decision.reasons) if better else "", style="dim")] * told,
        )
    return table


def decision_lines(decisions: Sequence[Decision]) -> Iterator[RenderableType]:
    """The same for narrow windows: some lines for each decision."""
    for decision in decisions:
        yield Text.assemble(
            f"move {decision.number}, seat {decision.seat}: lost ",
            (percent(decision.loss), "bold red" if decision.is_mistake else ""),
            f" ({100 * decision.low:.1f} to {100 * decision.high:.1f})",
            f", win probability {percent(decision.win_probability)}",
        )
        yield Padding(Text(f"played {decision.move}"), (0, 0, 0, 2), expand=False)
        if decision.best != decision.move:
            better = Text.assemble("better ", (decision.best, "bold"))
            if decision.reasons:
                better.append(f": {', '.join(decision.reasons)}", "dim")
            yield Padding(better, (0, 0, 0, 2), expand=False)


def luck_table(review: Review, luck: Sequence[LuckyEvent]) -> Table:
    table = plain_table("move", "whose luck", "luck", "what", left=1)
    table.columns[3].justify = "left"
    for event in luck:
        style = "green" if event.luck > 0 else "red"
        table.add_row(
            str(event.number),
            Text(review.names[event.seat]),
            Text(f"{100 * event.luck:+.1f} %", style=style),
            Text(event.event),
        )
    return table


def seats_table(review: Review) -> Table:
    table = plain_table(
        "seat",
        "player",
        "decisions",
        "lost in all",
        "95 %",
        "each",
        "mistakes",
        "luck in all",
        "95 %",
        "won",
        left=1,
    )
    for seat in review.summaries():
        table.add_row(
            str(seat.seat),
            Text(seat.name),
            str(seat.decisions),
            percent(seat.total_loss),
            f"{100 * seat.total_loss_low:.0f} to {100 * seat.total_loss_high:.0f}",
            f"{100 * seat.mean_loss:.2f} %",
            str(seat.mistakes),
            f"{100 * seat.total_luck:+.1f} %",
            f"{100 * seat.total_luck_low:+.0f} to {100 * seat.total_luck_high:+.0f}",
            "" if seat.result is None else f"{seat.result:g}",
        )
    return table


def seats_tables(review: Review) -> Iterator[RenderableType]:
    """The same for narrow windows: a table for decisions, one for luck."""
    lost = plain_table("player", "decisions", "lost in all", "95 %", "mistakes")
    luck = plain_table("player", "luck in all", "95 %", "won")
    for seat in review.summaries():
        lost.add_row(
            Text(seat.name),
            str(seat.decisions),
            percent(seat.total_loss),
            f"{100 * seat.total_loss_low:.0f} to {100 * seat.total_loss_high:.0f}",
            str(seat.mistakes),
        )
        luck.add_row(
            Text(seat.name),
            f"{100 * seat.total_luck:+.1f} %",
            f"{100 * seat.total_luck_low:+.0f} to {100 * seat.total_luck_high:+.0f}",
            "" if seat.result is None else f"{seat.result:g}",
        )
    yield lost
    yield Text()
    yield luck
