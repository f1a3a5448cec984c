"""`pythia tournament` and `pythia tune`: bots compared and tuned from files, with a live table while they play."""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, cast

import cyclopts
from cyclopts import Parameter
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pythia.arena.report import html_report
from pythia.arena.stats import Estimate
from pythia.arena.tournament.definition import Definition, of_bots, read_definition, sprt_of
from pythia.arena.tournament.entrants import BadTournament, register_kind
from pythia.arena.tournament.runner import RunProgress, load_schedule, record_of, run_tournament
from pythia.arena.tournament.store import ResultStore
from pythia.arena.tournament.summary import TournamentSummary, summarize, write_games
from pythia.clients.cli.console import (
    AsJson,
    CommandError,
    Options,
    duration,
    plain_table,
    read_options,
    terminable,
    terminal,
)
from pythia.core_cy import DEFAULT_GAME

# A table at most so often, and never for more than a small part of the time.
REFRESH_SECONDS = 1.0
REFRESH_SHARE = 0.03
# Without a terminal: a line now and then.
LINE_SECONDS = 15.0

register_kind("remote", "pythia.clients.remote_bot:RemoteBot")

app = cyclopts.App(
    name="tournament",
    group_commands="Commands",
    help="""Compare bots: run a tournament and show its results.

For example:

    pythia tournament run league.toml
""",
)

File = Annotated[Path, Parameter(help="The tournament, a TOML file; docs/tournaments.md has examples.")]
Results = Annotated[
    Path | None,
    Parameter(help="The file that keeps the results; by default NAME.sqlite beside the tournament file."),
]
Processes = Annotated[
    int | None, Parameter(help="The number of games to play at a time; by default one per core.")
]
Executor = Annotated[
    str, Parameter(help="processes, or ray for an embedded Ray or the cluster at RAY_ADDRESS.")
]
Blocks = Annotated[int | None, Parameter(help="The number of blocks to play; overrides the file.")]
CountedBlocks = Annotated[
    int | None, Parameter(help="Count at most this many blocks; by default as many as the file says.")
]
SprtOption = Annotated[
    list[str] | None,
    Parameter(
        consume_multiple=True,
        negative=(),
        help="Stop when the answer is clear: elo0=0 elo1=30, also alpha= and beta=.",
    ),
]


@app.command
def run(
    file: Annotated[
        Path | None, Parameter(help="The tournament, a TOML file; or name the bots with --bots.")
    ] = None,
    /,
    *,
    bots: Annotated[
        list[str] | None,
        Parameter(
            consume_multiple=True,
            negative=(),
            help="Instead of a file: one bot for each seat, such as greedy or ismcts:level=3.",
        ),
    ] = None,
    game: Annotated[str | None, Parameter(help="With --bots: the game.")] = None,
    option: Options = (),
    seed: Annotated[int | None, Parameter(help="With --bots: the same seed plays the same games.")] = None,
    results: Results = None,
    executor: Executor = "processes",
    processes: Processes = None,
    blocks: Blocks = None,
    sprt: SprtOption = None,
    fresh: Annotated[
        bool,
        Parameter(negative=(), show_default=False, help="Play all games again; older results are renamed."),
    ] = False,
    keep: Annotated[
        bool,
        Parameter(negative=(), show_default=False, help="Keep results of older code and add games to them."),
    ] = False,
    keep_going: Annotated[
        bool,
        Parameter(negative=(), show_default=False, help="Play on when an entrant fails in its first games."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play a tournament, or resume an interrupted one.

    With --bots instead of a file, results are kept only if you give --results.
    Results that other code has played are refused, and the message names what
    changed: --fresh plays all games again, --keep goes on with them.

    For example:

        pythia tournament run --bots ismcts:level=3 greedy --blocks 50
        pythia tournament run league.toml
        pythia tournament run league.toml --processes 8 --sprt elo0=0 elo1=30
    """
    if (file is None) == (bots is None):
        raise CommandError("bots: give either a file, or --bots with one bot for each seat")
    if file is not None:
        if game is not None or option or seed is not None:
            raise CommandError("file: --game, --option and --seed belong to --bots; the file sets its own")
        definition = read_definition(file)
    else:
        definition = of_bots(
            bots or [], game or DEFAULT_GAME, read_options(option), 1 if seed is None else seed
        )
    definition = changed(definition, blocks, sprt)
    if fresh and keep:
        raise CommandError("fresh: --fresh and --keep exclude each other; give one of them")
    watch = Watch(quiet=as_json)
    try:
        with terminable(), watch, kept_results(results, file) as kept:
            schedule = run_tournament(
                definition,
                kept,
                executor=executor,
                processes=processes,
                progress=watch.progress,
                changed="fresh" if fresh else "keep" if keep else "refuse",
                keep_going=keep_going,
            )
    except KeyboardInterrupt:
        lost = results is None and file is None
        raise KeyboardInterrupt(
            "interrupted; --results FILE keeps the games"
            if lost
            else "interrupted; run the same command to resume"
        ) from None
    show(summarize(schedule, convergence=as_json), as_json)


@app.command
def status(
    file: File,
    /,
    *,
    results: Results = None,
    blocks: CountedBlocks = None,
    sprt: SprtOption = None,
    as_json: AsJson = False,
) -> None:
    """Show the progress of a tournament, even while it runs.

    For example:

        pythia tournament status league.toml
    """
    show(stored(file, results, blocks, sprt)[0], as_json)


@app.command
def report(
    file: File,
    /,
    *,
    results: Results = None,
    html: Annotated[Path | None, Parameter(help="Write the report as one HTML page.")] = None,
    csv: Annotated[Path | None, Parameter(help="Write every game as CSV, one line per seat.")] = None,
    blocks: CountedBlocks = None,
    sprt: SprtOption = None,
    as_json: AsJson = False,
) -> None:
    """Show the results, and write them as HTML, CSV or JSON.

    For example:

        pythia tournament report league.toml --html league.html --csv league.csv
    """
    summary, definition = stored(file, results, blocks, sprt, convergence=True)
    if html:
        write_text(html, html_report(summary))
    if csv:
        with (
            ResultStore(results or default_results(file), definition, write=False) as store,
            opened(csv) as out,
        ):
            write_games(out, store.games())
    show(summary, as_json)


@app.command
def record(
    file: File,
    number: Annotated[int, Parameter(help="The game, by its number in the CSV.")],
    /,
    *,
    results: Results = None,
) -> None:
    """Print the record of a game, as kept or played again from its seed.

    For example:

        pythia tournament record league.toml 17 | pythia replay
    """
    record_of(read_definition(file), results or default_results(file), number).write(sys.stdout)


# -- around the commands


def default_results(file: Path) -> Path:
    return file.with_suffix(".sqlite")


@contextmanager
def kept_results(results: Path | None, file: Path | None) -> Iterator[Path]:
    """Where the games go: beside the file, where the caller wants them, or into a folder that is removed again."""
    if results is not None or file is not None:
        yield results or default_results(cast(Path, file))
        return
    with tempfile.TemporaryDirectory(prefix="pythia-") as folder:
        yield Path(folder, "results.sqlite")


def changed(definition: Definition, blocks: int | None, sprt: list[str] | None) -> Definition:
    """With what the command line says in place of the file."""
    values: dict[str, Any] = {}
    if blocks is not None:
        values["blocks"] = blocks
    if sprt is not None:
        values["sprt"] = sprt_of(settings(sprt))
    return definition.changed(**values)


def settings(words: list[str]) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for word in words:
        name, equals, value = word.partition("=")
        try:
            if not equals or name in found:
                raise ValueError
            found[name] = int(value) if name == "min_blocks" else float(value)
        except ValueError:
            raise BadTournament(
                f"sprt: {word!r} is not allowed; allowed: NAME=NUMBER, each name once"
            ) from None
    return found


def stored(
    file: Path, results: Path | None, blocks: int | None, sprt: list[str] | None, convergence: bool = False
) -> tuple[TournamentSummary, Definition]:
    definition = changed(read_definition(file), blocks, sprt)
    with ResultStore(results or default_results(file), definition, write=False) as store:
        return summarize(load_schedule(definition, store), convergence=convergence), definition


def write_text(path: Path, text: str) -> None:
    with opened(path) as file:
        file.write(text)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    try:
        with path.open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise BadTournament(f"file: {str(path)!r} cannot be written: {error.strerror}") from error


# -- for people


class Watch:
    """The live table of a run on a terminal, or a line now and then elsewhere; on standard error."""

    def __init__(self, quiet: bool) -> None:
        self._console = terminal(stderr=True)
        self._live = (
            Live(console=self._console, auto_refresh=False, transient=True)
            if self._console.is_terminal and not quiet
            else None
        )
        self._quiet = quiet
        self._next = 0.0

    def __enter__(self) -> Watch:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def progress(self, progress: RunProgress) -> None:
        now = time.monotonic()
        if self._quiet or now < self._next:
            return
        if self._live:
            summary = summarize(progress.schedule)
            self._live.update(Group(*tables(summary), Text(line(progress), style="bold")), refresh=True)
            cost = time.monotonic() - now
            self._next = now + max(REFRESH_SECONDS, cost / REFRESH_SHARE)
        else:
            print(line(progress), file=sys.stderr, flush=True)
            self._next = now + LINE_SECONDS


def line(progress: RunProgress) -> str:
    text = f"{progress.played} of {progress.planned} games"
    if progress.rate:
        text += f", {progress.rate:.3g} games/s"
    left = progress.remaining_seconds
    if left is not None:
        text += f", {duration(left)} left"
    return text


def show(summary: TournamentSummary, as_json: bool) -> None:
    if as_json:
        print(json.dumps(summary.to_json(), indent=1))
        return
    console = terminal()
    for part in tables(summary):
        console.print(part)


def tables(summary: TournamentSummary) -> Iterator[Table | Text]:
    """The summary for a terminal."""
    options = "".join(f", {name}={value}" for name, value in summary.options.items())
    state = "finished" if summary.over else "not finished"
    yield Text(
        f"{summary.name}: {summary.game}{options}, {summary.seats} seats, {summary.format.replace('_', ' ')}, "
        f"seed {summary.seed}; {summary.games} of {summary.planned} games, {counted(summary.blocks)} counted, {state}"
    )
    standings = plain_table(
        "entrant", "Elo", "±", "win rate", "rank", "games", "ms each", "slowest", "forfeits"
    )
    for standing in summary.standings:
        rating = standing.rating
        standings.add_row(
            Text(standing.name),
            f"{rating.elo:+.0f}" if rating else "",
            f"{rating.elo - rating.low:.0f}" if rating and math.isfinite(rating.low) else "",
            f"{100 * standing.win_rate.mean:.1f} %" if standing.games else "",
            f"{standing.mean_rank:.2f}" if standing.mean_rank is not None else "",
            str(standing.games),
            f"{1000 * standing.seconds_per_decision:.2f}",
            f"{1000 * standing.slowest_decision:.0f}",
            ", ".join(f"{count} {kind}" for kind, count in standing.forfeits.items() if count) or "0",
        )
    yield standings
    if summary.pairs:
        pairs = plain_table("pair", "blocks", "ahead", "95 %", "Elo", "95 %", "superior")
        for pair in summary.pairs:
            pairs.add_row(
                Text(f"{pair.first} - {pair.second}"),
                str(pair.blocks),
                f"{100 * pair.score.mean:.1f} %",
                percents(pair.score),
                f"{pair.elo.mean:+.0f}",
                f"{pair.elo.low:+.0f} to {pair.elo.high:+.0f}",
                f"{100 * pair.superiority:.1f} %",
            )
        yield pairs
    seats = ", ".join(
        f"seat {seat} {100 * rate.mean:.1f} % ({percents(rate)})"
        for seat, rate in enumerate(summary.win_rate_of_seats)
    )
    if summary.blocks:
        yield Text(f"seats: {seats}")
    if summary.first_seat_elo:
        elo = summary.first_seat_elo
        yield Text(f"first seat: {elo.mean:+.0f} Elo, 95 % {elo.low:+.0f} to {elo.high:+.0f}")
    if summary.rounds:
        span = (
            f", 95 % {summary.rounds.low:.2f} to {summary.rounds.high:.2f}"
            if summary.rounds.low is not None
            else ""
        )
        yield Text(f"rounds: {summary.rounds.mean:.2f}{span}")
    for test in summary.tests:
        found = f"stopped, the first is {test.verdict}" if test.verdict else "not clear yet"
        yield Text(
            f"sprt {test.first} - {test.second}: {found}; log-likelihood ratio {test.llr:.2f} "
            f"({test.low:.2f} to {test.high:.2f}) after {counted(test.blocks)}"
        )
    if summary.ladder:
        yield Text(f"ladder, best first: {', '.join(summary.ladder)}")
    for note in summary.notes:
        yield Text(f"note: {note}")
    for text in summary.forfeits[:10]:
        yield Text(f"forfeit: {text}")
    if len(summary.forfeits) > 10:
        yield Text(f"and {len(summary.forfeits) - 10} more forfeits; `report --csv` has all")


def counted(blocks: int) -> str:
    return f"{blocks} block" if blocks == 1 else f"{blocks} blocks"


def percents(value: Estimate) -> str:
    return (
        f"{100 * value.low:.0f} to {100 * value.high:.0f}"
        if value.low is not None and value.high is not None
        else ""
    )
