"""What a tournament has shown so far: standings with ratings, pairs, seats, lengths, times, forfeits."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any, TextIO

from pythia.arena.game_loop import GameResult
from pythia.arena.ratings import (
    Block,
    Rating,
    elo_estimate,
    fit_ratings,
    likelihood_of_superiority,
)
from pythia.arena.stats import Estimate, mean_interval, share_estimate
from pythia.arena.tournament.definition import installed_version
from pythia.arena.tournament.schedule import GameKey, Schedule, TableGames
from pythia.arena.tournament.store import StoredGame

FORFEITS = ("error", "illegal move", "time", "crash")
# Points of the convergence plot.
STEPS = 24


@dataclass(frozen=True)
class Standing:
    """One entrant. The rating is None before its first block."""

    name: str
    bot: str
    rating: Rating | None
    blocks: int
    games: int
    win_rate: Estimate
    mean_rank: float | None
    decisions: int
    seconds: float
    seconds_per_decision: float
    slowest_decision: float
    forfeits: dict[str, int]


@dataclass(frozen=True)
class Pair:
    """How often the first came before the second, where both took part; a tie counts half."""

    first: str
    second: str
    blocks: int
    score: Estimate
    elo: Estimate
    superiority: float  # the likelihood that the first is the stronger, from their own blocks


@dataclass(frozen=True)
class SprtState:
    """The sequential test at a table."""

    round: int
    first: str
    second: str
    blocks: int
    llr: float
    low: float
    high: float
    verdict: str | None


@dataclass(frozen=True)
class TournamentSummary:
    """Everything but the times is the same for the same file, when limits are in iterations."""

    name: str
    game: str
    options: dict[str, Any]
    seats: int
    format: str
    seed: int
    version: str
    over: bool
    planned: int
    games: int
    blocks: int  # counted, that is complete and before the sequential test stopped
    reproducible: bool
    standings: list[Standing]
    pairs: list[Pair]
    win_rate_of_seats: list[Estimate]
    first_seat_elo: Estimate | None  # with two seats
    rounds: Estimate | None
    tests: list[SprtState]
    ladder: list[str]  # best first
    forfeits: list[str]
    notes: list[str]
    lengths: dict[int, int] = field(repr=False)  # games by number of rounds
    convergence: list[tuple[int, dict[str, Rating]]] = field(repr=False)  # ratings by number of blocks

    def to_json(self) -> dict[str, Any]:
        """Plain JSON; what is not known is null."""
        obj: dict[str, Any] = _finite(asdict(self))
        return obj


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


Games = list[tuple[GameKey, GameResult]]


def summarize(schedule: Schedule, *, convergence: bool = False) -> TournamentSummary:
    """The summary of a schedule with its results; `convergence` costs a fit for each of its points."""
    definition = schedule.definition
    names = definition.names
    # In the order of the schedule: all tables of a round side by side.
    counted = sorted(
        (table.round, block, number, table)
        for number, table in enumerate(schedule.tables())
        for block in schedule.counted(table)
    )
    blocks: list[Games] = [table.results(block) for _, block, _, table in counted]
    ranked = [_ranks(block) for block in blocks]
    fit = fit_ratings(ranked, names, definition.anchor)
    everything = [
        game for table in schedule.tables() for block in table.blocks for game in table.results(block)
    ]
    standings = [_standing(name, str(definition.entrant(name)), blocks, fit.ratings[name]) for name in names]
    if definition.format == "ladder":
        standings.sort(key=lambda standing: schedule.ladder.index(standing.name))
    else:
        standings.sort(key=lambda standing: -standing.rating.elo if standing.rating else math.inf)
    lengths = Counter(game.rounds for block in blocks for _, game in block if game.rounds is not None)
    by_block = [[game.rounds for _, game in block if game.rounds is not None] for block in blocks]
    forfeits = [
        f"{_where(key)}, {key.seating[game.forfeit.seat]} at seat {game.forfeit.seat}: {game.forfeit.reason}"
        for key, game in everything
        if game.forfeit
    ]
    timed = sum(game.forfeit is not None and game.forfeit.reason.startswith("time") for _, game in everything)
    first_seat = [fmean(game.returns[0] for _, game in block) for block in blocks]
    return TournamentSummary(
        name=definition.name,
        game=definition.game,
        options=dict(definition.options),
        seats=definition.seats,
        format=definition.format,
        seed=definition.seed,
        version=installed_version(),
        over=schedule.is_over,
        planned=schedule.planned(),
        games=len(everything),
        blocks=len(blocks),
        reproducible=definition.reproducible and not timed,
        standings=standings,
        pairs=_pairs(blocks, [standing.name for standing in standings]),
        win_rate_of_seats=[
            share_estimate([fmean(game.returns[seat] for _, game in block) for block in blocks])
            for seat in range(definition.seats)
        ],
        first_seat_elo=elo_estimate(first_seat) if definition.seats == 2 and blocks else None,
        rounds=mean_interval([fmean(block) for block in by_block if block]),
        tests=[_test(schedule, table) for table in schedule.tables()] if definition.sprt else [],
        ladder=schedule.ladder if definition.format == "ladder" else [],
        forfeits=forfeits,
        notes=list(_notes(schedule, blocks, everything, fit.connected, timed)),
        lengths=dict(sorted(lengths.items())),
        convergence=_convergence(ranked, names, definition.anchor) if convergence else [],
    )


def _where(key: GameKey) -> str:
    ladder = f"round {key.round}, " if key.round else ""
    return f"{ladder}{' - '.join(key.table)}, block {key.block}, game {key.turn}"


def _notes(
    schedule: Schedule, blocks: list[Games], everything: Games, connected: bool, timed: int
) -> Iterable[str]:
    if not schedule.definition.reproducible:
        yield "limits in seconds: another run will play other games"
    elif timed:
        yield f"{timed} games were decided by the clock: another run may play other games"
    draws = sum(game.forfeit is None and len(set(game.returns)) == 1 for _, game in everything)
    if draws:
        yield f"draws, in which all seats share the win: {draws} of {len(everything)} games"
    counted = sum(map(len, blocks))
    if counted < len(everything):
        yield f"{len(everything) - counted} games do not count: their block is not complete, or the test had stopped"
    yield from schedule.remarks
    if blocks and not connected:
        yield "not all entrants are linked by games yet: ratings compare only those that are"


def _ranks(block: Games) -> Block:
    return [dict(zip(key.seating, game.ranks, strict=True)) for key, game in block]


def _standing(name: str, bot: str, blocks: Sequence[Games], rating: Rating) -> Standing:
    own = [[(key.seating.index(name), game) for key, game in block if name in key.table] for block in blocks]
    own = [block for block in own if block]
    games = [pair for block in own for pair in block]
    decisions = sum(game.decisions[seat] for seat, game in games)
    seconds = sum(game.seconds[seat] for seat, game in games)
    kinds = Counter(
        game.forfeit.reason.partition(":")[0]
        for seat, game in games
        if game.forfeit is not None and game.forfeit.seat == seat
    )
    return Standing(
        name=name,
        bot=bot,
        rating=rating if own else None,
        blocks=len(own),
        games=len(games),
        win_rate=share_estimate([fmean(game.returns[seat] for seat, game in block) for block in own]),
        mean_rank=fmean(game.ranks[seat] for seat, game in games) if games else None,
        decisions=decisions,
        seconds=seconds,
        seconds_per_decision=seconds / max(1, decisions),
        slowest_decision=max((game.slowest[seat] for seat, game in games), default=0.0),
        forfeits={kind: kinds[kind] for kind in FORFEITS},
    )


def _pairs(blocks: Sequence[Games], names: Sequence[str]) -> list[Pair]:
    scores: dict[tuple[str, str], list[float]] = {}
    for block in blocks:
        table = block[0][0].table
        ranks = _ranks(block)
        for first in table:
            for second in table:
                if first != second:
                    points = [
                        (game[first] < game[second]) + (game[first] == game[second]) / 2 for game in ranks
                    ]
                    scores.setdefault((first, second), []).append(fmean(points))
    return [
        Pair(
            first,
            second,
            len(found),
            share_estimate(found),
            elo_estimate(found),
            likelihood_of_superiority(found),
        )
        for number, first in enumerate(names)
        for second in names[number + 1 :]
        if (found := scores.get((first, second)))
    ]


def _test(schedule: Schedule, table: TableGames) -> SprtState:
    sprt = schedule.definition.sprt
    assert sprt is not None
    verdict = schedule.verdict(table)
    rates = [table.score(block, *table.names) for block in schedule.counted(table)]
    low, high = sprt.bounds
    words = {"elo0": f"not {sprt.elo1:g} Elo stronger", "elo1": f"more than {sprt.elo0:g} Elo stronger"}
    first, second = table.names
    return SprtState(
        table.round,
        first,
        second,
        blocks=len(rates),
        llr=sprt.llr(rates),
        low=low,
        high=high,
        verdict=words[verdict[0]] if verdict else None,
    )


def _convergence(
    ranked: Sequence[Block], names: Sequence[str], anchor: str | None
) -> list[tuple[int, dict[str, Rating]]]:
    counts = sorted(
        {max(1, round(len(ranked) * step / STEPS)) for step in range(1, STEPS + 1)} if ranked else ()
    )
    return [(count, fit_ratings(ranked[:count], names, anchor).ratings) for count in counts]


# -- as CSV


GAME_COLUMNS = (
    *("game", "round", "table", "block", "turn", "seed", "seat", "entrant", "return", "rank"),
    *("rounds", "decisions", "seconds", "slowest", "forfeit"),
)


def write_games(file: TextIO, games: Iterable[StoredGame]) -> None:
    """One line for each seat of each game."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(GAME_COLUMNS)
    for game in games:
        key, result = game.key, game.result
        for seat, name in enumerate(key.seating):
            reason = result.forfeit.reason if result.forfeit and result.forfeit.seat == seat else ""
            writer.writerow(
                (
                    game.number,
                    key.round,
                    " - ".join(key.table),
                    key.block,
                    key.turn,
                    game.seed,
                    seat,
                    name,
                    f"{result.returns[seat]:.6g}",
                    result.ranks[seat],
                    "" if result.rounds is None else result.rounds,
                    result.decisions[seat],
                    f"{result.seconds[seat]:.6f}",
                    f"{result.slowest[seat]:.6f}",
                    reason,
                )
            )
