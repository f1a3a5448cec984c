"""Matches between bots: who is stronger, by how much, and how sure.

    python -m pythia.search.match "ismcts:iterations=200" planner --blocks 50 --processes 2 --seed 1

A match is a series of blocks. A block plays one start with the same luck once for every way to seat the bots (every
permutation with two seats, every rotation with more), so neither seat nor luck favours anyone; games of one block
depend on each other, and all statistics are made on blocks.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from statistics import fmean
from typing import Any

from pythia.core_cy.game import CHANCE, State, View
from pythia.core_cy.record import Entry, Record, header_of, result_of
from pythia.core_cy.registry import game_info, list_games, load_game
from pythia.search.bots import Bot, BotSpec
from pythia.search.limits import Limit
from pythia.search.luck import Luck, seed_of
from pythia.search.stats import Estimate, always_interval, mean_interval, share_estimate

# -- one game


class OutOfTime(Exception):
    """Raised by who watches a bot's clock, when it has taken too long."""


@dataclass(frozen=True)
class Forfeit:
    """A game lost by rule: an illegal move, an error or too much time of the bot at this seat."""

    seat: int
    reason: str


@dataclass(frozen=True)
class GameResult:
    """How a game went. Lists are per seat; times take no part in comparisons."""

    returns: list[float]
    ranks: list[int]
    rounds: int | None  # None where the game does not count them, and after a forfeit
    decisions: list[int]
    forfeit: Forfeit | None = None
    seconds: list[float] = field(default_factory=list, compare=False)
    slowest: list[float] = field(default_factory=list, compare=False)  # the longest decision
    record: Record | None = field(default=None, repr=False)


def play_game(
    game: str,
    options: Mapping[str, Any],
    bots: Sequence[Bot],
    seed: int,
    *,
    limit: Limit | None = None,
    record: bool = False,
) -> GameResult:
    """One game, `bots[seat]` at each seat. The seed gives the start, unless the options have one, and the luck.

    The state stays here; a bot gets the view of its seat. One that raises or answers with an illegal move
    loses, and the others share the win.
    """
    values = {"seed": seed_of(seed, "start"), **options, "players": len(bots)}
    state = load_game(game, **values).new_state()
    header = header_of(state, [bot.name for bot in bots]) if record else {}
    luck = Luck(seed_of(seed, "luck"))
    moves: list[Entry] = []
    decisions = [0] * len(bots)
    seconds = [0.0] * len(bots)
    slowest = [0.0] * len(bots)
    forfeit = None
    while not state.is_over:
        seat = state.to_act
        if seat == CHANCE:
            move = str(luck.draw(state))
            state.apply(move)
        else:
            started = time.perf_counter()
            try:
                move = bots[seat].choose(View.of(state, seat), limit).move
            except OutOfTime as error:
                forfeit = Forfeit(seat, f"time: {error}")
                break
            except Exception as error:  # whatever a bot does, the match goes on
                forfeit = Forfeit(seat, f"error: {type(error).__name__}: {error}")
                break
            finally:
                spent = time.perf_counter() - started
                decisions[seat] += 1
                seconds[seat] += spent
                slowest[seat] = max(slowest[seat], spent)
            try:
                state.apply(move)
            except (TypeError, ValueError) as error:
                forfeit = Forfeit(seat, f"illegal move: {error}")
                break
        if record:
            moves.append(Entry(seat, move))
    if forfeit:
        returns, ranks = forfeited(forfeit.seat, len(bots))
    else:
        returns, ranks = state.returns(), state.ranks()
    return GameResult(
        returns=returns,
        ranks=ranks,
        rounds=None if forfeit else state.to_json().get("round"),
        decisions=decisions,
        forfeit=forfeit,
        seconds=seconds,
        slowest=slowest,
        record=Record(header, moves, _result(state, forfeit, returns)) if record else None,
    )


def forfeited(seat: int, players: int) -> tuple[list[float], list[int]]:
    """Returns and ranks when this seat lost by rule: the others share the win."""
    returns = [0.0 if other == seat else 1 / (players - 1) for other in range(players)]
    return returns, [players if other == seat else 1 for other in range(players)]


def _result(state: State, forfeit: Forfeit | None, returns: list[float]) -> dict[str, Any]:
    if forfeit is None:
        return result_of(state)
    winners = [seat for seat in range(len(returns)) if seat != forfeit.seat]
    return {"winners": winners, "returns": returns, "reason": f"seat {forfeit.seat}: {forfeit.reason}"}


# -- blocks


def seatings(players: int) -> list[list[int]]:
    """The entrant at each seat, for each game of a block: every rotation, which for two is every permutation."""
    return [[(seat + turn) % players for seat in range(players)] for turn in range(players)]


@dataclass(frozen=True)
class BlockTask:
    """All that a process needs to play a block."""

    game: str
    options: dict[str, Any]
    entrants: tuple[BotSpec, ...]
    seed: int  # of the block
    record: bool


def play_block(task: BlockTask) -> list[GameResult]:
    """The games of a block in the order of `seatings`; every bot is made anew for each."""
    return [
        play_game(
            task.game,
            task.options,
            # Each entrant has its own seed, the same in all games of the block.
            [task.entrants[entrant].make(seed_of(task.seed, "bot", entrant)) for entrant in seating],
            task.seed,
            record=task.record,
        )
        for seating in seatings(len(task.entrants))
    ]


def _played(tasks: Iterator[BlockTask], processes: int) -> Generator[list[GameResult], None, None]:
    """The blocks in their order, whichever process is done first."""
    if processes == 1:
        yield from map(play_block, tasks)
        return
    # Spawned, not forked: safe with threads, and the same on every system.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[list[GameResult]]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(play_block, task))
                # A few ahead keep all processes busy; more would be wasted when the match stops early.
                if len(waiting) > 2 * processes:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


# -- the match


@dataclass(frozen=True)
class StopRule:
    """Stop when it is clear on which side of `bound` the first entrant's win rate lies.

    Clear is: `always_interval`, which may be looked at after every block, lies on one side. So whatever the true
    rate, the wrong side is called in at most about 5 % of matches. The usual interval at the stop is a little too
    narrow, because a match stops when luck was good; the report has both.
    """

    bound: float = 0.5
    min_blocks: int = 10

    def __post_init__(self) -> None:
        if isinstance(self.bound, bool) or not 0 < self.bound < 1:
            raise ValueError(f"bound: {self.bound!r} is not allowed; allowed: a number between 0 and 1")
        if isinstance(self.min_blocks, bool) or self.min_blocks < 2:
            raise ValueError(f"min_blocks: {self.min_blocks!r} is not allowed; allowed: 2 or more")

    def verdict(self, block_rates: Sequence[float]) -> str | None:
        if len(block_rates) < self.min_blocks:
            return None
        low, high = always_interval(block_rates)
        if low > self.bound:
            return f"above {self.bound:g}"
        return f"below {self.bound:g}" if high < self.bound else None


@dataclass(frozen=True)
class EntrantReport:
    """One entrant over all blocks. A win counts 1, a shared one its share."""

    bot: str
    win_rate: Estimate
    mean_rank: float
    decisions: int
    seconds_per_decision: float
    slowest_decision: float
    forfeits: int


@dataclass(frozen=True)
class MatchReport:
    """What a match has shown so far. Everything but the times is the same for the same seed and iteration limits."""

    game: str
    options: dict[str, Any]
    seed: int
    blocks: int
    games: int
    entrants: list[EntrantReport]
    win_rate_of_seats: list[Estimate]  # by seat, whoever sat there
    rounds: Estimate | None  # mean length of the games that count rounds and were played to the end
    forfeits: list[str]
    reproducible: bool
    stopped: str | None  # what the stop rule found
    always_interval: tuple[float, float] | None  # with a stop rule: of the first entrant's win rate
    seconds: float
    # Per block the games in the order of `seatings`.
    results: list[list[GameResult]] = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        obj = {name: value for name, value in asdict(self).items() if name != "results"}
        obj["results"] = [
            {
                "block": number,
                "seats": [self.entrants[entrant].bot for entrant in seating],
                "returns": game.returns,
                "ranks": game.ranks,
                "rounds": game.rounds,
                "decisions": game.decisions,
                "forfeit": asdict(game.forfeit) if game.forfeit else None,
                "seconds": game.seconds,
            }
            for number, block in enumerate(self.results)
            for seating, game in zip(seatings(len(self.entrants)), block, strict=True)
        ]
        return obj

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def run_match(
    game: str,
    options: Mapping[str, Any],
    entrants: Sequence[BotSpec],
    blocks: int,
    seed: int = 0,
    processes: int = 1,
    stop: StopRule | None = None,
    progress: Callable[[MatchReport], None] | None = None,
    record: bool = False,
) -> MatchReport:
    """A match of so many blocks, fewer when the stop rule says so; as many entrants as seats.

    `progress` gets the report so far after every block. With iteration limits the result does not depend on
    `processes`: blocks are counted in their order, and those already played beyond the stop are left out.
    """
    for name, value in (("blocks", blocks), ("processes", processes)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name}: {value!r} is not allowed; allowed: a whole number, 1 or more")
    info = game_info(game)
    if not info.min_players <= len(entrants) <= info.max_players:
        raise ValueError(
            f"entrants: {len(entrants)} is not allowed; allowed: one for each seat, "
            f"{info.min_players} to {info.max_players}; the same bot may sit at several"
        )
    if options.get("players", len(entrants)) != len(entrants):
        raise ValueError(
            f"players: {options['players']!r} is not allowed; allowed: {len(entrants)}, one per entrant"
        )
    load_game(game, **{**options, "players": len(entrants)})  # says what is wrong before anything is played

    started = time.perf_counter()
    settings = dict(options)
    tasks = (
        BlockTask(game, settings, tuple(entrants), seed_of(seed, "block", block), record)
        for block in range(blocks)
    )
    results: list[list[GameResult]] = []
    report = None
    with closing(_played(tasks, processes)) as played:
        for block in played:
            results.append(block)
            verdict = stop.verdict([_rate(games, 0) for games in results]) if stop else None
            if progress or verdict or len(results) == blocks:
                seconds = time.perf_counter() - started
                report = _report(game, settings, entrants, seed, results, stop, verdict, seconds)
                if progress:
                    progress(report)
            if verdict:
                break
    assert report is not None
    return report


def _rate(block: Sequence[GameResult], entrant: int) -> float:
    """An entrant's win rate in a block."""
    return fmean(_of(block, entrant, "returns"))


def _of(block: Sequence[GameResult], entrant: int, what: str) -> list[Any]:
    """A value per seat, for the seat of the entrant in each game of a block."""
    return [
        getattr(game, what)[seating.index(entrant)]
        for seating, game in zip(seatings(len(block)), block, strict=True)
    ]


def _report(
    game: str,
    options: dict[str, Any],
    entrants: Sequence[BotSpec],
    seed: int,
    results: list[list[GameResult]],
    stop: StopRule | None,
    verdict: str | None,
    seconds: float,
) -> MatchReport:
    players = len(entrants)
    reports = []
    for entrant, spec in enumerate(entrants):
        decisions = sum(sum(_of(block, entrant, "decisions")) for block in results)
        reports.append(
            EntrantReport(
                bot=str(spec),
                win_rate=share_estimate([_rate(block, entrant) for block in results]),
                mean_rank=fmean(rank for block in results for rank in _of(block, entrant, "ranks")),
                decisions=decisions,
                seconds_per_decision=sum(sum(_of(block, entrant, "seconds")) for block in results)
                / max(1, decisions),
                slowest_decision=max(max(_of(block, entrant, "slowest")) for block in results),
                forfeits=sum(
                    game.forfeit is not None and seating[game.forfeit.seat] == entrant
                    for block in results
                    for seating, game in zip(seatings(players), block, strict=True)
                ),
            )
        )
    lengths = [[game.rounds for game in block if game.rounds is not None] for block in results]
    return MatchReport(
        game=game,
        options=options,
        seed=seed,
        blocks=len(results),
        games=sum(map(len, results)),
        entrants=reports,
        win_rate_of_seats=[
            share_estimate([fmean(game.returns[seat] for game in block) for block in results])
            for seat in range(players)
        ],
        rounds=mean_interval([fmean(block) for block in lengths if block]),
        forfeits=[
            f"block {number}, {entrants[seating[game.forfeit.seat]]} at seat {game.forfeit.seat}: {game.forfeit.reason}"
            for number, block in enumerate(results)
            for seating, game in zip(seatings(players), block, strict=True)
            if game.forfeit
        ],
        reproducible=all(spec.reproducible for spec in entrants),
        stopped=verdict,
        always_interval=always_interval([_rate(block, 0) for block in results]) if stop else None,
        seconds=seconds,
        results=list(results),
    )


# -- for people


def _lines(report: MatchReport) -> Iterator[str]:
    options = "".join(f", {name}={value}" for name, value in report.options.items() if name != "players")
    yield (
        f"{report.game}, {len(report.entrants)} seats{options}: {report.blocks} blocks, {report.games} games,"
        f" seed {report.seed}, {report.seconds:.1f} s"
    )
    rows = [("bot", "win rate", "95 % interval", "rank", "decisions", "ms each", "slowest", "forfeits")]
    for entrant in report.entrants:
        rows.append(
            (
                entrant.bot,
                f"{100 * entrant.win_rate.mean:.1f} %",
                _percent(entrant.win_rate),
                f"{entrant.mean_rank:.2f}",
                str(entrant.decisions),
                f"{1000 * entrant.seconds_per_decision:.2f}",
                f"{1000 * entrant.slowest_decision:.1f}",
                str(entrant.forfeits),
            )
        )
    for seat, estimate in enumerate(report.win_rate_of_seats):
        rows.append((f"seat {seat}", f"{100 * estimate.mean:.1f} %", _percent(estimate), "", "", "", "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        yield "  ".join(cells).rstrip()
    if report.rounds:
        low, high = report.rounds.low, report.rounds.high
        span = f", 95 % interval {low:.2f} to {high:.2f}" if low is not None and high is not None else ""
        yield f"rounds: {report.rounds.mean:.2f}{span}"
    if report.always_interval:
        low, high = report.always_interval
        found = f"stopped, clearly {report.stopped}" if report.stopped else "not clear"
        yield f"first bot: {found}; interval valid at every look {100 * low:.1f} to {100 * high:.1f} %"
    if not report.reproducible:
        yield "limits in seconds: another run gives other games"
    yield from (f"forfeit: {text}" for text in report.forfeits)


def _percent(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{100 * estimate.low:.1f} to {100 * estimate.high:.1f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pythia.search.match",
        description="A match between bots: win rates and lengths of games, with intervals.",
        epilog="A bot is a name with settings, such as random, planner:iterations=100 or "
        "ismcts:level=3,threads=2,exploration=0.8. Settings: level, iterations, seconds, per (decision or turn), "
        "threads and the bot's parameters.",
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", help="one for each seat")
    parser.add_argument("--game", default=list_games()[0], help="default: %(default)s")
    parser.add_argument("--players", type=int, help="to check the number of bots; default: as many as bots")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    parser.add_argument(
        "--blocks", type=int, default=20, help="each with as many games as seats; default: %(default)s"
    )
    parser.add_argument("--processes", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument(
        "--stop-at", type=float, metavar="RATE", help="stop when the first bot is clear of this win rate"
    )
    parser.add_argument("--progress", action="store_true", help="a line for every block on standard error")
    parser.add_argument("--json", action="store_true", help="print JSON with every game")
    return parser


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"option: {text!r} is not allowed; allowed: NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _show_progress(report: MatchReport) -> None:
    first = report.entrants[0]
    rate = f"{100 * first.win_rate.mean:.1f} % ({_percent(first.win_rate)})"
    print(f"block {report.blocks}: {first.bot} {rate}, {report.seconds:.0f} s", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    args = parser.parse_args(arguments)
    try:
        options = dict(map(_option, args.option))
        if args.players is not None:
            options["players"] = args.players
        report = run_match(
            args.game,
            options,
            [BotSpec.parse(text) for text in args.bots],
            blocks=args.blocks,
            seed=args.seed,
            processes=args.processes,
            stop=StopRule(args.stop_at) if args.stop_at is not None else None,
            progress=_show_progress if args.progress else None,
        )
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    command = f"{parser.prog} {shlex.join(arguments)}"
    if args.json:
        print(json.dumps({"command": command, **report.to_json()}, indent=1))
    else:
        print(report)
        print(f"again: {command}")
    return 0


if __name__ == "__main__":
    # Under its own name, so that what goes to other processes is known there by the same one.
    from pythia.search.match import main as _main

    sys.exit(_main())
