"""One game at a time in a process of its own, watched from outside.

A bot that raises, answers with an illegal move or takes too long loses the game inside the process. A bot that crashes
the process or never returns can only be handled from outside: the process notes in shared memory whose decision it is
and until when, so the watcher knows which bot is to blame.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from pythia.arena.game_loop import Forfeit, GameResult, OutOfTime, forfeited, play_game, trace_of
from pythia.arena.tournament.definition import Clock
from pythia.arena.tournament.schedule import GameTask, PlayedGame
from pythia.core_cy.game import View
from pythia.search.bots import Bot, chosen_move
from pythia.search.limits import Limit
from pythia.search.plugins import look_in
from pythia.search.result import Result

NOBODY = -1.0
# How much longer than its time a decision may take to come back before the process is ended.
GRACE = 1.0
# A process that dies outside any decision is not a bot's fault; a game that does that again is an error.
RETRIES = 2
LOOK_EVERY = 1.0


class WorkerFailed(RuntimeError):
    """A game that cannot be played, for reasons that are not a bot's."""


# -- inside the process


class Marks:
    """Whose decision it is, since when and until when, for the watcher."""

    def __init__(self, shared: Any) -> None:
        self._shared = shared

    def begin(self, seat: int, allowed: float) -> None:
        now = time.monotonic()
        self._shared[1], self._shared[2] = now, now + allowed
        self._shared[0] = float(seat)

    def end(self) -> None:
        self._shared[0] = NOBODY

    def read(self) -> tuple[int, float, float]:
        return int(self._shared[0]), self._shared[1], self._shared[2]


class Refereed:
    """A bot with its name in the tournament, its limit, its clock and the marks."""

    def __init__(
        self, bot: Bot, name: str, seat: int, limit: Limit | None, clock: Clock, marks: Marks
    ) -> None:
        self.name = name
        self._bot = bot
        self._seat = seat
        self._limit = limit
        self._clock = clock
        self._marks = marks
        self._spent = 0.0

    def choose(self, view: View, limit: Limit | None = None) -> Result:
        self._marks.begin(self._seat, self._allowed())
        started = time.perf_counter()
        try:
            move = chosen_move(self._bot, view, self._limit)
        except SystemExit as error:  # would end the process, which is not the bot's to end
            raise RuntimeError(f"SystemExit: {error.code}") from error
        finally:
            self._marks.end()
            spent = time.perf_counter() - started
            self._spent += spent
        self._check_time(spent)
        return Result(move=move, moves=[], values=[])

    def _allowed(self) -> float:
        per_decision = self._clock.decision_seconds or float("inf")
        per_game = self._clock.game_seconds or float("inf")
        return min(per_decision, per_game - self._spent)

    def _check_time(self, spent: float) -> None:
        for what, taken, allowed in (
            ("a decision", spent, self._clock.decision_seconds),
            ("the game", self._spent, self._clock.game_seconds),
        ):
            if allowed and taken > allowed:
                raise OutOfTime(f"{taken:.3g} s for {what}; allowed: {allowed:g}")


def play_task(task: GameTask, marks: Marks) -> PlayedGame:
    started = time.perf_counter()
    bots: list[Refereed] = []
    result = None
    for seat, (entrant, seed) in enumerate(zip(task.entrants, task.bot_seeds, strict=True)):
        marks.begin(seat, task.clock.decision_seconds or float("inf"))
        try:
            bot = entrant.make(task.game, seed)
        except (Exception, SystemExit) as error:  # whatever a bot does, the tournament goes on
            reason = f"error: when it was made: {type(error).__name__}: {error}"
            result = forfeit_result(len(task.entrants), Forfeit(seat, reason, trace_of(error)))
            break
        finally:
            marks.end()
        bots.append(Refereed(bot, entrant.name, seat, entrant.limit, task.clock, marks))
    if result is None:
        result = play_game(task.game, task.options, bots, task.seed, record=task.record)
    for refereed in bots:
        close = getattr(refereed._bot, "close", None)
        if callable(close):
            with contextlib.suppress(Exception):
                close()
    return PlayedGame(task.key, result, time.perf_counter() - started)


def forfeit_result(players: int, forfeit: Forfeit, seconds: float = 0.0) -> GameResult:
    returns, ranks = forfeited(forfeit.seat, players)
    times = [seconds if seat == forfeit.seat else 0.0 for seat in range(players)]
    return GameResult(
        returns=returns,
        ranks=ranks,
        rounds=None,
        decisions=[int(seat == forfeit.seat) for seat in range(players)],
        forfeit=forfeit,
        seconds=times,
        slowest=list(times),
    )


def work(connection: Connection, shared: Any, paths: tuple[str, ...], parent: int) -> None:
    """The life of the process: games come in, results go out, until the other end is gone."""
    # Ctrl-C goes to all processes of a terminal; when to stop is the watcher's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(parent)
    look_in(*paths)
    marks = Marks(shared)
    while True:
        try:
            task: GameTask = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: PlayedGame | BaseException = play_task(task, marks)
        except Exception as error:  # not a bot's, those are caught: an error of the game or of this code
            answer = WorkerFailed(f"{task.key}: {type(error).__name__}: {error}")
        try:
            connection.send(answer)
        except OSError:
            return


def _end_with(parent: int) -> None:
    """Ends the process when its watcher was killed, even in the middle of a long game."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()


# -- outside


class Worker:
    """A process that plays games, one at a time. If a bot crashes it, it is restarted."""

    def __init__(self, paths: tuple[str, ...] = ()) -> None:
        self._paths = paths
        self._context = get_context("spawn")  # safe with threads, and the same on every system
        self._shared = self._context.RawArray("d", 3)
        self._marks = Marks(self._shared)
        self._task: GameTask | None = None
        self._tries = 0
        self._start()

    def _start(self) -> None:
        self._marks.end()
        self.connection, theirs = self._context.Pipe()
        self._process = self._context.Process(
            target=work,
            args=(theirs, self._shared, self._paths, os.getpid()),
            name="pythia-tournament",
            daemon=True,
        )
        self._process.start()
        theirs.close()

    @property
    def task(self) -> GameTask | None:
        return self._task

    def give(self, task: GameTask) -> None:
        self._task, self._tries = task, 0
        self._send(task)

    def _send(self, task: GameTask) -> None:
        with contextlib.suppress(OSError):  # it has just died; `poll` sees to it
            self.connection.send(task)

    def poll(self) -> PlayedGame | None:
        """The game, when it is over."""
        task = self._task
        if task is None:
            return None
        try:
            answer = self.connection.recv() if self.connection.poll() else None
        except (EOFError, OSError):
            return self._died(task)
        if answer is None:
            return self._overdue(task)
        self._task = None
        if isinstance(answer, PlayedGame):
            return answer
        raise answer

    def _died(self, task: GameTask) -> PlayedGame | None:
        self._process.join()
        seat, since, _ = self._marks.read()
        code = self._process.exitcode
        how = f"signal {signal.Signals(-code).name}" if code and code < 0 else f"exit code {code}"
        if seat >= 0:
            return self._lost(
                task, Forfeit(seat, f"crash: its process ended, {how}"), time.monotonic() - since
            )
        self._tries += 1
        if self._tries > RETRIES:
            raise WorkerFailed(
                f"{task.key}: the process ended outside any decision, {how}, {self._tries} times"
            )
        self._start()
        self._send(task)
        return None

    def _overdue(self, task: GameTask) -> PlayedGame | None:
        seat, since, until = self._marks.read()
        now = time.monotonic()
        if seat < 0 or now <= until + GRACE or self._marks.read() != (seat, since, until):
            return None
        self._process.kill()
        self._process.join()
        spent = now - since
        reason = f"time: no answer after {spent:.3g} s; allowed: {until - since:.3g}"
        return self._lost(task, Forfeit(seat, reason), spent)

    def _lost(self, task: GameTask, forfeit: Forfeit, spent: float) -> PlayedGame:
        self._task = None
        self.connection.close()
        self._start()
        return PlayedGame(task.key, forfeit_result(len(task.entrants), forfeit, spent), spent)

    def close(self) -> None:
        """Ends the process at once; a game in it is lost and will be played another time."""
        self.connection.close()
        self._process.kill()
        self._process.join()


def wait_for(workers: Sequence[Worker], seconds: float) -> None:
    """Until one of the workers has something to say, or it is time to look at the clocks."""
    wait([worker.connection for worker in workers if worker.task is not None], seconds)
