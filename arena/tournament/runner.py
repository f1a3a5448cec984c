"""Plays a tournament: hands out games, keeps their results, goes on where it was left."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pythia.arena.tournament.code import changes, code_of
from pythia.arena.tournament.definition import Definition
from pythia.arena.tournament.entrants import BadTournament
from pythia.arena.tournament.executors import Executor, check_executor, make_executor
from pythia.arena.tournament.schedule import GameKey, PlayedGame, Schedule
from pythia.arena.tournament.store import ResultStore
from pythia.arena.tournament.worker import Marks, play_task
from pythia.core_cy.record import Record
from pythia.search.plugins import look_in

LOOK_EVERY = 0.25
# An entrant that fails in one of its first games stops the run: it will hardly do better in the others.
FIRST_GAMES = 3
FAILURES = ("error", "illegal move", "crash")

# What to do with results that other code has played: refuse them, continue with them, or set them aside and start over.
Changed = Literal["refuse", "keep", "fresh"]


class CodeChanged(BadTournament):
    """Results of other code than there is now. `what` names file and changes, without what can be done."""

    def __init__(self, path: Path, changed: Sequence[str]) -> None:
        self.what = f"results: {str(path)!r} was played with other code; changed: {'; '.join(changed)}"
        super().__init__(
            f"{self.what}. Add --fresh to play all games again, or --keep to keep them and go on"
        )


class EntrantFailed(BadTournament):
    """An entrant that failed in one of its first games."""


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
    if len(store.code) > 1:
        for before, now in pairwise(store.code):
            schedule.remarks.append(
                f"games of several versions of the code; changed: {'; '.join(changes(before, now))}"
            )
    return schedule


def check_code(store: ResultStore, code: dict[str, str], keep: bool) -> None:
    """Notes the code in new results; CodeChanged when that of older ones was another and is not to be kept."""
    if store.is_empty:
        store.code = [code]
        return
    before = store.code or [{}]
    if changed := changes(before[-1], code):
        if not keep:
            raise CodeChanged(store.path, changed)
        store.code = [*before, code]


def set_aside(results: Path, definition: Definition) -> None:
    """Rename the results, so that a run can start over without losing them; refused for another tournament."""
    if not results.exists():
        return
    with ResultStore(results, definition) as store:
        if store.is_empty:
            return
        store.finish_writing()
        number = 1
        while (aside := results.with_name(f"{results.stem}.old{number}{results.suffix}")).exists():
            number += 1
        results.rename(aside)


def check_failure(schedule: Schedule, game: PlayedGame) -> None:
    """EntrantFailed for a game that an entrant lost by its own failure, if it has hardly played any."""
    forfeit = game.result.forfeit
    if forfeit is None or not forfeit.reason.startswith(FAILURES):
        return
    name = game.key.seating[forfeit.seat]
    before = sum(
        len(games) for table in schedule.tables() if name in table.names for games in table.blocks.values()
    )
    if before < FIRST_GAMES:
        failed = EntrantFailed(
            f"entrants: {name!r} failed in game {before + 1} of its own, {forfeit.reason}. "
            "The game is not kept: repair the entrant and run the same command, or add --keep-going to play on"
        )
        if forfeit.trace:
            failed.add_note(forfeit.trace.rstrip())
        raise failed


def run_tournament(
    definition: Definition,
    results: Path,
    *,
    executor: str | Executor = "processes",
    processes: int | None = None,
    progress: Callable[[RunProgress], None] | None = None,
    changed: Changed = "refuse",
    keep_going: bool = False,
) -> Schedule:
    """Plays what is not yet in the results. `progress` is called after every game, and now and then.

    `executor` is a name, or one that was made before, is idle, and stays open. `changed` says what becomes of results
    that other code has played. An entrant that fails in its first games stops the run unless it may `keep_going`.

    With iteration limits the games do not depend on executor and processes. Whatever ends this, results stay: the
    same call goes on.
    """
    if isinstance(executor, str):
        check_executor(executor, processes)
    look_in(*definition.paths)
    definition.check_entrants()
    code = code_of(definition)
    if changed == "fresh":
        set_aside(results, definition)
    with ResultStore(results, definition) as store:
        check_code(store, code, keep=changed == "keep")
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
                    if not keep_going:
                        check_failure(schedule, game)
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
        raise BadTournament(
            f"game: {number} has no record, and cannot be replayed because of limits in seconds"
        )
    look_in(*definition.paths)
    task = Schedule(definition.changed(records=True)).task(game.key)
    again = play_task(task, Marks([0.0, 0.0, 0.0])).result
    if again.record is None or (again.returns, again.decisions) != (
        game.result.returns,
        game.result.decisions,
    ):
        raise BadTournament(
            f"game: {number} took another course when it was replayed; an entrant has changed"
        )
    return again.record
