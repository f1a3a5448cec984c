"""What tournaments cost: `python -m tools.bench tournament` prints a table.

Others use the machine too, so the overhead inside a game is measured in processor time, games with and without the
machinery by turns; the time between games and the gain of a second process need a quiet machine.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pythia.arena.game_loop import play_game
from pythia.arena.tournament.definition import Definition, definition_of
from pythia.arena.tournament.runner import RunProgress, run_tournament
from pythia.arena.tournament.schedule import Schedule
from pythia.arena.tournament.store import ResultStore
from pythia.arena.tournament.worker import Marks, play_task

# Random games per second of catanatron, a Python engine of another game, on the same class of machine.
CATANATRON = 21.0
GAME = "delphi"


def between(first: dict[str, Any], second: dict[str, Any], blocks: int) -> Definition:
    entrants = [{"name": "first", **first}, {"name": "second", **second}]
    return definition_of({"game": GAME, "blocks": blocks, "entrants": entrants})


def levels(blocks: int) -> Definition:
    return between({"bot": "ismcts", "level": 3}, {"bot": "ismcts", "level": 3}, blocks)


def inside(games: int) -> tuple[float, float]:
    """Processor seconds of a game without the machinery, and what the machinery adds in the same process."""
    definition = levels(games)
    schedule = Schedule(definition)
    plain, added = [], []
    for _ in range(games):
        task = schedule.next_task()
        assert task is not None

        def direct(task: Any = task) -> None:
            bots = [
                entrant.make(GAME, seed) for entrant, seed in zip(task.entrants, task.bot_seeds, strict=True)
            ]
            play_game(GAME, {}, bots, task.seed)

        def refereed(task: Any = task) -> None:
            play_task(task, Marks([0.0, 0.0, 0.0]))

        # By turns, and the least of each: what else the machine does only adds.
        times = [(_cpu(direct), _cpu(refereed)) for _ in range(3)]
        plain.append(min(time for time, _ in times))
        added.append(min(time for _, time in times) - plain[-1])
    return statistics.median(plain), statistics.median(added)


def _cpu(call: Any) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def run(definition: Definition, processes: int) -> tuple[float, float, int]:
    """Seconds from the first game to the last, without the start of the processes; and those within games."""
    ends: list[RunProgress] = []
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.sqlite"
        run_tournament(definition, results, processes=processes, progress=ends.append)
        with ResultStore(results, definition, write=False) as store:
            games = list(store.games())
    # The first game of each process also waits for the process; from then on it is the machinery alone.
    first, last = games[processes - 1].finished, games[-1].finished
    rest = games[processes:]
    return last - first, sum(game.seconds for game in rest), len(rest)


def rows(games: int = 10, quick: int = 1000) -> Iterator[tuple[str, str, str]]:
    """`games` blocks of level 3 for each figure, `quick` games of greedy against random."""
    plain, added = inside(games)
    yield "a game of ismcts at level 3, 2 players", f"{plain:.3f} s of processor", ""
    yield "  referee, clock and record", f"{100 * added / plain:+.2f} %", "all together"
    wall, within, count = run(levels(games), 1)
    gap = (wall - within) / count
    yield "  between games: hand over, store, schedule", f"{100 * gap / plain:.2f} %", "under 2 %"
    one = min(run(levels(games), 1)[0] / (2 * games - 1) for _ in range(2))
    two = min(run(levels(games), 2)[0] / (2 * games - 2) for _ in range(2))
    yield "two processes to one", f"{one / two:.2f} times", "at least 1.8"
    wall, _, count = run(between({"bot": "greedy"}, {"bot": "random"}, quick // 2), 2)
    rate = count / wall
    yield (
        f"{quick} games of greedy against random, 2 processes",
        f"{rate:.1f} games/s",
        f"catanatron: {CATANATRON:g}",
    )
    yield "  a hundred of them", f"{100 / rate:.1f} s", "a few seconds"
