"""Plays a tournament: hands out games, keeps their results, goes on where it was left."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pythia.arena.tournament.definition import Definition
from pythia.arena.tournament.entrants import BadTournament, add_paths
from pythia.arena.tournament.executors import Executor, check_executor, make_executor
from pythia.arena.tournament.schedule import GameKey, Schedule
from pythia.arena.tournament.store import ResultStore
from pythia.arena.tournament.worker import Marks, play_task
from pythia.core_cy.record import Record

LOOK_EVERY = 0.25


@dataclass(frozen=True)
class RunProgress:
    """How far a run has come."""

    schedule: Schedule
    played: int  # games in the results
    planned: int  # at most; a sequential test may need fewer
    session_games: int  # of this run
    session_seconds: float

    @property
    def rate(self) -> float:
        """Games per second of this run."""
        return self.session_games / self.session_seconds if self.session_games else 0.0

    @property
    def remaining_seconds(self) -> float | None:
        return max(0, self.planned - self.played) / self.rate if self.rate else None


def load_schedule(definition: Definition, store: ResultStore) -> Schedule:
    """The schedule with every game of the results."""
    schedule = Schedule(definition)
    # By round: who meets in a round of a ladder follows from the one before.
    for game in sorted(store.games(), key=lambda game: game.key.round):
        schedule.add(game.key, game.result)
    return schedule


def run_tournament(
    definition: Definition,
    results: Path,
    *,
    executor: str | Executor = "processes",
    processes: int | None = None,
    progress: Callable[[RunProgress], None] | None = None,
) -> Schedule:
    """Plays what is not yet in the results. `progress` is called after every game, and now and then.

    `executor` is a name, or one that was made before, is idle, and stays open.

    With iteration limits the games do not depend on executor and processes. Whatever ends this, results stay: the
    same call goes on.
    """
    if isinstance(executor, str):
        check_executor(executor, processes)
    add_paths(definition.paths)
    definition.check_entrants()
    with ResultStore(results, definition) as store:
        schedule = load_schedule(definition, store)
        played = sum(len(games) for table in schedule.tables() for games in table.blocks.values())
        planned = schedule.planned()
        started = time.perf_counter()
        session = 0

        def tell() -> None:
            if progress:
                spent = time.perf_counter() - started
                progress(RunProgress(schedule, played, planned, session, spent))

        tell()
        if schedule.is_over:
            return schedule
        with (
            closing(make_executor(executor, processes, definition.paths))
            if isinstance(executor, str)
            else nullcontext(executor)
        ) as players:
            started = time.perf_counter()
            running: dict[GameKey, int] = {}
            while True:
                while len(running) < players.slots and (task := schedule.next_task()):
                    running[task.key] = task.seed
                    players.submit(task)
                if not running or schedule.is_over:
                    break
                for game in players.wait(LOOK_EVERY):
                    store.add(game, running.pop(game.key))
                    schedule.add(game.key, game.result)
                    played += 1
                    session += 1
                tell()
        tell()
        return schedule


def record_of(definition: Definition, results: Path, number: int) -> Record:
    """The record of a game: as it was kept, or played again from its seed."""
    with ResultStore(results, definition, write=False) as store:
        kept = store.record(number)
        if kept is not None:
            return kept
        game = next(game for game in store.games(number - 1) if game.number == number)
    forfeit = game.result.forfeit
    if forfeit and forfeit.reason.startswith(("crash", "time")):
        raise BadTournament(f"game: {number} has no record, {forfeit.reason}")
    if not definition.reproducible:
        raise BadTournament(f"game: {number} has no record, and limits in seconds cannot be played again")
    add_paths(definition.paths)
    task = Schedule(definition.changed(records=True)).task(game.key)
    again = play_task(task, Marks([0.0, 0.0, 0.0])).result
    if again.record is None or (again.returns, again.decisions) != (
        game.result.returns,
        game.result.decisions,
    ):
        raise BadTournament(
            f"game: {number} went another way when it was played again; an entrant has changed"
        )
    return again.record
