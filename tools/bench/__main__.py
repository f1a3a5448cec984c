"""Benchmarks: `python -m tools.bench` prints a table, with `--json` JSON; `signature` prints only the signature.

Figures are for this machine and this run; what OpenSpiel does on it is measured beside them, so the ratios can be
compared between machines. Nothing fails here: the aims are printed for people.
"""

import argparse
import json
import platform
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from pythia.core_cy import list_games, players_or_fewest
from pythia.core_cy.testing import state_size
from pythia.search.signature import signature
from tools.bench import abuse, matches, measure, openspiel, page, servers, service, tournament, web


@dataclass(frozen=True)
class BenchRow:
    what: str
    value: float
    unit: str
    aim: str = ""
    compared_with: str = ""
    compared_value: float | None = None  # in the same unit

    @property
    def ratio(self) -> float | None:
        return None if self.compared_value is None else self.value / self.compared_value


# Random play that is asked for, where it is not 2 million moves a second.
BARS = {"offrandes": "5 M"}


def rules() -> Iterator[BenchRow]:
    """Random play, stepping from Python, and the size of a position."""
    theirs = (
        max(openspiel.random_play_in_cpp("backgammon", 100) for _ in range(3))
        if openspiel.available()
        else (None, None)
    )
    for players in (2, 3, 4):
        run = measure.random_play(players, 500_000)
        yield BenchRow(
            f"random play in C, {players} players, chance included",
            run.moves / run.seconds,
            "moves/s",
            "1 M; 10x",
            "backgammon, C++",
            theirs[0],
        )
        if players == 2:
            yield BenchRow(
                "  the same, decisions only",
                run.decisions / run.seconds,
                "decisions/s",
                "10x",
                "backgammon, C++",
                theirs[1],
            )
    for game in list_games():
        if game != measure.GAME:
            players = players_or_fewest(game, None)
            run = measure.random_play(players, 500_000, game=game)
            yield BenchRow(
                f"  {game}, {players} players", run.moves / run.seconds, "moves/s", BARS.get(game, "2 M")
            )
    for rounds in (1, 6):
        name = "the first round" if rounds == 1 else f"the first {rounds} rounds"
        run = measure.random_play(2, 300_000, rounds=rounds)
        legal = run.listed / run.decisions
        yield BenchRow(f"  {name}, {legal:.0f} moves legal on average", run.moves / run.seconds, "moves/s")
        run = measure.random_play(2, 300_000, rounds=rounds, listing=False)
        yield BenchRow(f"  {name}, drawn without listing", run.moves / run.seconds, "moves/s")
    gin_rummy = max(openspiel.stepping("gin_rummy", 10) for _ in range(3)) if openspiel.available() else None
    yield BenchRow(
        "stepping from Python: legal_moves, choose, apply",
        measure.best(lambda: measure.stepping(10)),
        "moves/s",
        "2x",
        "gin_rummy, Python",
        gin_rummy,
    )
    state = measure.position()
    yield BenchRow("size of a position", state_size(state), "bytes", "at most 1024")
    yield BenchRow("clone in C", measure.clone_nanoseconds(state), "ns", "at most 50")
    for name, seconds in measure.reading(state).items():
        yield BenchRow(name, seconds * 1e6, "us")


def search() -> Iterator[BenchRow]:
    """Speed of the tree search, alone and in two threads, and how soon it stops."""
    state = measure.position()
    theirs = (
        max(openspiel.search_in_cpp("gin_rummy", 500) for _ in range(3)) if openspiel.available() else None
    )
    rate = measure.best(lambda: measure.search_rate(state, 1000))
    yield BenchRow("search, one thread", rate, "transitions/s", "5x", "gin_rummy ISMCTS, C++", theirs)
    yield BenchRow(
        "search, iterations", measure.best(lambda: measure.iteration_rate(state, 1000)), "per second"
    )
    for part, share in measure.search_shares(state, 5000).items():
        yield BenchRow(f"  of its time: {part}", 100 * share, "%")
    yield BenchRow(
        "search, two threads to one, median of 5",
        measure.thread_gain(state, 10_000),
        "times",
        "1.7",
        "hashing in two threads",  # on a busy machine there is no second core for anyone
        measure.machine_thread_gain(),
    )
    waits = measure.stop_seconds(state)
    yield BenchRow("search, from stop flag to end, median", statistics.median(waits) * 1e3, "ms", "10")
    yield BenchRow("search, from stop flag to end, longest of 20", max(waits) * 1e3, "ms", "10")
    first, again = measure.evaluation()
    yield BenchRow("evaluation of a position met first", first * 1e6, "us")
    yield BenchRow("evaluation of a position met before", again * 1e6, "us", "at most 2")


def number(value: float) -> str:
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if value >= 10 * size or (value >= size and letter == " M"):
            return f"{value / size:.2f}{letter}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table(rows: list[BenchRow]) -> Iterator[str]:
    yield f"{'':50}{'here':>24}  {'compared':<34}{'ratio':>7}  aim"
    for row in rows:
        here = f"{number(row.value)} {row.unit}"
        there = "" if row.compared_value is None else f"{number(row.compared_value)} {row.compared_with}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2g}"
        yield f"{row.what:50}{here:>24}  {there:<34}{ratio:>7}  {row.aim}".rstrip()


WHAT = (
    "all",
    "rules",
    "search",
    "service",
    "web",
    "page",
    "load",
    "abuse",
    "matches",
    "servers",
    "tournament",
    "signature",
)
# Parts that print lines of their own as they go, each taking minutes.
LONG = {"load": service.load, "abuse": abuse.lines, "matches": matches.rows, "servers": servers.lines}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("what", nargs="?", choices=WHAT, default="all")
    parser.add_argument("--json", action="store_true", help="print JSON for scripts")
    arguments = parser.parse_args()
    if arguments.what == "signature":
        print(f"Bench: {signature()}")
        return
    if arguments.what in LONG:
        for line in LONG[arguments.what]():
            print(line, flush=True)
        return
    if arguments.what == "tournament":
        for what, value, aim in tournament.rows():
            print(f"{what:52}{value:>24}  {aim}".rstrip(), flush=True)
        return
    rows = [
        *(rules() if arguments.what in ("all", "rules") else ()),
        *(search() if arguments.what in ("all", "search") else ()),
        *((BenchRow(*figure) for figure in service.rows()) if arguments.what in ("all", "service") else ()),
        *((BenchRow(*figure) for figure in web.rows()) if arguments.what in ("all", "web") else ()),
        *((BenchRow(*figure) for figure in page.rows()) if arguments.what in ("all", "page") else ()),
    ]
    compared = f"open_spiel {openspiel.version()}" if openspiel.available() else "without open_spiel"
    machine = f"{platform.machine()}, Python {platform.python_version()}, {compared}"
    if arguments.json:
        found = [asdict(row) | {"ratio": row.ratio} for row in rows]
        print(json.dumps({"machine": machine, "rows": found, "signature": signature()}, indent=2))
        return
    print(machine)
    if not openspiel.available():
        print("Nothing to compare with: open_spiel is not installed; `make bench` installs it.")
    print("\n".join(table(rows)))
    print(f"Bench: {signature()}")


if __name__ == "__main__":
    main()
