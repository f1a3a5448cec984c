"""Where games are played: in processes of this machine, or on Ray. Both use the same `Worker`."""

from __future__ import annotations

import os
import time
from collections import deque
from typing import Any, Protocol

from pythia.arena.tournament.entrants import BadTournament, not_allowed
from pythia.arena.tournament.schedule import GameTask, PlayedGame
from pythia.arena.tournament.worker import Worker, wait_for

EXECUTORS = ("processes", "ray")
# How often a worker's clock is looked at.
LOOK_EVERY = 0.25


class Executor(Protocol):
    """Plays games. `slots` are played at a time; `wait` gives those that ended, in any order."""

    slots: int

    def submit(self, task: GameTask) -> None: ...

    def wait(self, seconds: float) -> list[PlayedGame]: ...

    def close(self) -> None: ...


def check_executor(name: str, processes: int | None) -> None:
    if name not in EXECUTORS:
        raise not_allowed("executor", name, ", ".join(EXECUTORS))
    if processes is not None and (
        isinstance(processes, bool) or not isinstance(processes, int) or processes < 1
    ):
        raise not_allowed("processes", processes, "a whole number, 1 or more")


def make_executor(name: str, processes: int | None, paths: tuple[str, ...]) -> Executor:
    """`processes` is the number of games played at a time; by default one for each core."""
    check_executor(name, processes)
    return RayExecutor(processes, paths) if name == "ray" else ProcessExecutor(processes or cores(), paths)


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ProcessExecutor:
    """Worker processes on this machine."""

    def __init__(self, slots: int, paths: tuple[str, ...]) -> None:
        self.slots = slots
        self._workers = [Worker(paths) for _ in range(slots)]
        self._queue: deque[GameTask] = deque()

    def submit(self, task: GameTask) -> None:
        self._queue.append(task)
        self._hand_out()

    def _hand_out(self) -> None:
        for worker in self._workers:
            if worker.task is None and self._queue:
                worker.give(self._queue.popleft())

    def wait(self, seconds: float) -> list[PlayedGame]:
        until = time.monotonic() + seconds
        while True:
            wait_for(self._workers, max(0.0, min(LOOK_EVERY, until - time.monotonic())))
            found = [played for worker in self._workers if (played := worker.poll())]
            self._hand_out()
            if found or time.monotonic() >= until:
                return found

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


def start_ray() -> tuple[Any, bool]:
    """Ray, and whether this call started it, in which case the caller must end it."""
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise BadTournament(
            "executor: 'ray' is not installed; run `pip install 'pythia-opponent[ray]'`"
        ) from error
    started = not ray.is_initialized()
    if started:
        ray.init(log_to_driver=False, logging_level="warning", include_dashboard=False)
    return ray, started


def ray_slots(ray: Any) -> int:
    """Games at a time: one for each CPU there."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


class RayExecutor:
    """Actors on Ray, each with a worker: an embedded Ray, or the cluster that RAY_ADDRESS names."""

    def __init__(self, slots: int | None, paths: tuple[str, ...]) -> None:
        self._ray, self._owner = start_ray()
        self._paths = paths
        self._actor = self._ray.remote(num_cpus=1, max_concurrency=2)(RemoteWorker)
        self.slots = slots or ray_slots(self._ray)
        self._actors = [self._actor.remote(paths) for _ in range(self.slots)]
        self._running: dict[Any, tuple[int, GameTask]] = {}
        self._queue: deque[GameTask] = deque()

    def submit(self, task: GameTask) -> None:
        self._queue.append(task)
        self._hand_out()

    def _hand_out(self) -> None:
        busy = {number for number, _ in self._running.values()}
        for number in range(self.slots):
            if number not in busy and self._queue:
                task = self._queue.popleft()
                self._running[self._actors[number].play.remote(task)] = (number, task)

    def wait(self, seconds: float) -> list[PlayedGame]:
        if not self._running:
            return []
        ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        found = []
        for reference in ready:
            number, task = self._running.pop(reference)
            try:
                found.append(self._ray.get(reference))
            except self._ray.exceptions.RayActorError:
                # The machine is gone, not a bot's process: somebody else plays the game.
                self._actors[number] = self._actor.remote(self._paths)
                self._queue.appendleft(task)
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause from error
        self._hand_out()
        return found

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        if self._owner:
            self._ray.shutdown()


class RemoteWorker:
    """What runs as an actor: a worker that is waited for where it is."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._worker = Worker(paths)

    def play(self, task: GameTask) -> PlayedGame:
        self._worker.give(task)
        while True:
            wait_for([self._worker], LOOK_EVERY)
            if played := self._worker.poll():
                return played
