"""`pythia bench`: how fast this machine plays and searches, with nothing but the installed package."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from typing import Annotated

from cyclopts import Parameter

from pythia.clients.cli.console import (
    AsJson,
    GameName,
    Json,
    Options,
    Players,
    ProgressLine,
    not_allowed,
    open_client,
    plain_table,
    print_json,
    read_options,
    terminal,
)
from pythia.core_cy import CHANCE, DEFAULT_GAME, Random, State, load_game, players_or_fewest
from pythia.core_cy.testing import play_random
from pythia.search.bots import BotSpec
from pythia.search.limits import Limit

# Random moves between looks at the clock.
MOVES_AT_ONCE = 20_000
# Decisions with as many moves as this are what a search is for.
WIDE = 20
OPENING_TURNS = 8
LEVELS = (1, 5, 10)


@dataclass(frozen=True)
class Figure:
    what: str
    value: float
    unit: str


def bench(
    *,
    game: GameName = DEFAULT_GAME,
    players: Players = None,
    option: Options = (),
    seconds: Annotated[float, Parameter(help="The duration of each measurement.")] = 1.0,
    threads: Annotated[
        int, Parameter(help="Search with 1, 2, 4, ... threads, up to this number; 0 for all cores.")
    ] = 0,
    seed: Annotated[int, Parameter(help="The seed of the game.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Measure how fast this machine plays and searches.

    Measures moves of random play, search iterations by number of threads, and
    the time of a suggestion, all from a position early in a game. Ctrl-C stops
    and prints what was measured so far.

    For example:

        pythia bench
        pythia bench --players 4 --seconds 5 --threads 8 --json
    """
    if not 0 < seconds <= 600:
        raise not_allowed("seconds", seconds, "above 0, up to 600")
    cores = os.cpu_count() or 1
    if not 0 <= threads <= cores:
        raise not_allowed("threads", threads, f"0 to {cores}, the cores of this machine")
    options = read_options(option)
    for name in ("players", "seed"):
        if name in options:
            raise not_allowed("option", name, f"--{name} for this one")
    start = load_game(game, players=players_or_fewest(game, players), seed=seed, **options).new_state()
    state = early(start, seed)
    counts = thread_counts(threads or cores)
    figures: list[Figure] = []
    try:
        with ProgressLine(1 + len(counts) + len(LEVELS), "measurements", quiet=as_json) as progress:
            for figure in measured(start, state, counts, seconds, seed):
                figures.append(figure)
                progress.tell(len(figures))
    finally:
        show(figures, state, as_json)


def early(start: State, seed: int) -> State:
    """A decision early in a random game, with many moves."""
    state, rng = start.clone(), Random(seed)
    while state.turn_number < OPENING_TURNS or state.to_act == CHANCE or len(state.legal_moves()) < WIDE:
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
    return state


def thread_counts(most: int) -> list[int]:
    """1, 2, 4 and so on, and the most itself."""
    counts = [1]
    while counts[-1] * 2 < most:
        counts.append(counts[-1] * 2)
    return counts if most == 1 else [*counts, most]


def measured(start: State, state: State, counts: list[int], seconds: float, seed: int) -> Iterator[Figure]:
    yield Figure("random play", random_rate(start, seconds, seed), "moves/s")
    observation = state.observation(state.to_act)
    for count in counts:
        what = f"search, {count} thread{'s' if count > 1 else ''}"
        yield Figure(what, search_rate(observation, count, seconds), "iterations/s")
    with open_client() as client:
        for level in LEVELS:
            bot = BotSpec("ismcts", level=level)
            times = repeated(partial(client.suggest, observation, bot), seconds)
            yield Figure(f"suggestion, level {level}", 1000 * statistics.median(times), "ms")


def random_rate(start: State, seconds: float, seed: int) -> float:
    """Moves and outcomes per second, each drawn among all that are legal."""
    rng, moves, spent = Random(seed), 0, 0.0
    while spent < seconds:
        run = play_random(start.clone(), rng, MOVES_AT_ONCE)
        moves, spent = moves + run.moves, spent + run.seconds
    return moves / spent


def search_rate(observation: Json, threads: int, seconds: float) -> float:
    bot = BotSpec("ismcts", threads=threads, limit=Limit(seconds=seconds)).make(0)
    result = bot.choose(observation)
    return result.iterations / result.seconds


def repeated(work: Callable[[], object], seconds: float) -> list[float]:
    """How long each of several runs took; at least one."""
    times: list[float] = []
    while sum(times) < seconds:
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return times


def show(figures: list[Figure], state: State, as_json: bool) -> None:
    game = state.game
    if as_json:
        machine = {"version": version("pythia-opponent"), "cores": os.cpu_count()}
        setting = {"game": game.name, "players": game.players, "moves": len(state.legal_moves())}
        print_json(machine | setting | {"figures": [asdict(figure) for figure in figures]})
        return
    table = plain_table("measured", "", left=0)
    table.add_column()
    for figure in figures:
        decimals = 1 if figure.value < 100 else 0
        table.add_row(figure.what, f"{figure.value:,.{decimals}f}", figure.unit)
    console = terminal()
    console.print(
        f"{game.name}, {game.players} players, {len(state.legal_moves())} moves in the position searched"
    )
    console.print(table)
