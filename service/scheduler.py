"""Who may search next: a bounded pool of threads, fair among clients, with priorities and a limit to the queue.

All of it happens on the event loop, so there are no locks; only the searches themselves run in threads. Searches do
not hold the GIL, and their threads are niced, so that calls are answered while processors are busy.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from pythia.search.tree import StopFlag
from pythia.service.errors import Refused, exhausted
from pythia.service.metrics import Metrics

T = TypeVar("T")

NICENESS = 10
PRIORITIES = 3  # 0 goes first
# A guess for the retry hint until searches have been timed.
USUAL_SECONDS = 0.5


def nice_thread() -> None:
    """Lower the priority of the thread that calls, and of those it will start. Linux knows it per thread."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


@dataclass(eq=False)
class Waiting:
    weight: int
    ready: asyncio.Future[None]


class Scheduler:
    """Runs jobs on at most `workers` threads. A job that searches with several threads counts as many."""

    def __init__(self, workers: int, queue_limit: int, per_client: int, metrics: Metrics) -> None:
        self.workers = workers
        self._free = workers
        self._limit = queue_limit
        self._per_client = per_client
        self._metrics = metrics
        # By priority, then client; the client whose turn is next stands first.
        self._queues: list[OrderedDict[str, deque[Waiting]]] = [OrderedDict() for _ in range(PRIORITIES)]
        self._waiting = 0
        self._mean_seconds = USUAL_SECONDS
        self._pool = ThreadPoolExecutor(workers, "search", initializer=nice_thread)

    async def run(
        self,
        client: str,
        priority: int,
        weight: int,
        stop: StopFlag,
        job: Callable[[], T],
        *,
        uncounted: bool = False,
        patience: float | None = None,
    ) -> T:
        """The job's result. When the caller is cancelled, `stop` is set and the place is free once the job has ended.

        Jobs that are `uncounted` wait even when the queue is full: their caller brings them one by one. `patience` is
        how many seconds a job may wait; then it is refused, as by a full queue.
        """
        started = time.perf_counter()
        weight = min(weight, self.workers)
        await self._place(client, priority, weight, uncounted, patience)
        self._metrics.queue_wait.observe(time.perf_counter() - started)
        self._metrics.searches_running.inc()
        began = time.perf_counter()
        future = asyncio.get_running_loop().run_in_executor(self._pool, job)
        future.add_done_callback(lambda _: self._done(weight, began))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            stop.set()
            # Nobody will ask for the result; its exception, if any, is looked at so that asyncio does not complain.
            future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            raise

    async def _place(
        self, client: str, priority: int, weight: int, uncounted: bool, patience: float | None
    ) -> None:
        """Returns when the weight was taken from the free places."""
        if not self._waiting and self._free >= weight:
            self._free -= weight
            return
        queue = self._queues[priority].get(client)
        if not uncounted and (
            self._waiting >= self._limit or (queue is not None and len(queue) >= self._per_client)
        ):
            raise self._refusal("QUEUE_FULL", f"{self._waiting} searches wait already")
        entry = Waiting(weight, asyncio.get_running_loop().create_future())
        self._queues[priority].setdefault(client, deque()).append(entry)
        self._count(1)
        try:
            await asyncio.wait_for(entry.ready, patience)
        except (asyncio.CancelledError, TimeoutError) as error:
            if entry.ready.cancelled():
                self._drop(client, priority, entry)
            else:
                self._free += weight  # it was given a place in the same moment
            self._start_next()
            if isinstance(error, TimeoutError):
                raise self._refusal("QUEUE_SLOW", "the deadline came before the search's turn") from None
            raise

    def _refusal(self, reason: str, message: str) -> Refused:
        self._metrics.queue_refused.inc()
        retry = self._mean_seconds * (self._waiting + 1) / self.workers
        return exhausted(reason, message, max(0.05, min(retry, 60.0)))

    def _drop(self, client: str, priority: int, entry: Waiting) -> None:
        """Out of the queue, unless it was passed over already."""
        queue = self._queues[priority].get(client)
        if queue is not None and entry in queue:
            queue.remove(entry)
            self._count(-1)
            if not queue:
                del self._queues[priority][client]

    def _count(self, change: int) -> None:
        self._waiting += change
        self._metrics.queue_depth.set(self._waiting)

    def _done(self, weight: int, began: float) -> None:
        self._mean_seconds += 0.1 * (time.perf_counter() - began - self._mean_seconds)
        self._metrics.searches_running.dec()
        self._free += weight
        self._start_next()

    def _start_next(self) -> None:
        """Give free places to those who wait: higher priorities first, within one the clients in turn."""
        for queues in self._queues:
            while queues:
                client, queue = next(iter(queues.items()))
                if queue[0].weight > self._free:
                    return  # it is next, and waits until enough is free
                entry = queue.popleft()
                if queue:
                    queues.move_to_end(client)
                else:
                    del queues[client]
                self._count(-1)
                if not entry.ready.cancelled():
                    self._free -= entry.weight
                    entry.ready.set_result(None)

    def close(self) -> None:
        self._pool.shutdown(wait=True)
