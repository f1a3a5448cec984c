"""Who may search next: a bounded pool of threads, fair among clients, with priorities and limits to the queue.

Low priority waits in a room of its own and leaves some threads free, so that it never takes what others may use.

All of it happens on the event loop, so there are no locks; only the searches themselves run in threads. Searches do
not hold the GIL, and their threads are niced, so that calls are answered while processors are busy.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import os
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pythia.search.tree import StopFlag
from pythia.service.errors import Refused, exhausted

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics

T = TypeVar("T")

NICENESS = 10
HIGH, NORMAL, LOW = PRIORITIES = range(3)  # 0 goes first
# This many seconds of waiting make up for one step of priority, so nobody waits forever.
AGE_SECONDS = 2.0
# A guess until searches have been timed.
USUAL_SECONDS = 0.5
# How many of those who were refused should try again within a second.
RETRIES_PER_SECOND = 100.0


def nice_thread() -> None:
    """Lower the priority of the thread that calls, and of those it will start. Linux knows it per thread."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


@dataclass(eq=False)
class Waiting:
    """A job that waits. It will take `seconds`, as far as is known, and end at `until` at the latest."""

    client: str
    priority: int
    weight: int
    seconds: float
    until: float
    since: float
    ready: asyncio.Future[None]

    @property
    def due(self) -> float:
        """Earlier goes first: the moment it came, moved back by its priority."""
        return self.since + AGE_SECONDS * self.priority

    def end(self, begin: float) -> float:
        """When it will end if it begins then."""
        return max(begin, min(begin + self.seconds, self.until))


class Room:
    """Where jobs wait: how many may in all and of one client, and how many do."""

    def __init__(self, limit: int, per_client: int) -> None:
        self.limit = limit
        self.per_client = per_client
        self.waiting = 0
        self.clients: Counter[str] = Counter()

    def count(self, client: str, change: int) -> None:
        self.waiting += change
        self.clients[client] += change
        if not self.clients[client]:
            del self.clients[client]

    def is_full_for(self, client: str) -> bool:
        return self.waiting >= self.limit or self.clients[client] >= self.per_client


class Scheduler:
    """Runs jobs on at most `workers` threads. A job that searches with several threads counts as many.

    Jobs of low priority leave `reserved` threads to others, as long as one is left for them.
    """

    def __init__(
        self, workers: int, queue_limit: int, per_client: int, metrics: Metrics, reserved: int = 0
    ) -> None:
        self.workers = workers
        self._reserved = reserved
        self._free = workers
        self._free_low = max(1, workers - reserved)
        self._most_low = self._free_low
        self._metrics = metrics
        shared = Room(queue_limit, per_client)
        self._rooms = {HIGH: shared, NORMAL: shared, LOW: Room(queue_limit, per_client)}
        # By priority, then client; the client whose turn is next stands first.
        self._queues: list[OrderedDict[str, deque[Waiting]]] = [OrderedDict() for _ in PRIORITIES]
        self._running: dict[Waiting, float] = {}  # with the time at which each is expected to end
        self._mean_seconds = USUAL_SECONDS
        self._refusals, self._refused_at = 0.0, 0.0  # about those of the last second, and when the last was
        self._pool = ThreadPoolExecutor(workers, "search", initializer=nice_thread)

    async def run(
        self,
        client: str,
        priority: int,
        weight: int,
        stop: StopFlag,
        job: Callable[[], T],
        *,
        seconds: float | None = None,
        until: float = math.inf,
        patient: bool = False,
        patience: float | None = None,
        ended: Callable[[float], None] = lambda seconds: None,
    ) -> T:
        """The job's result. When the caller is cancelled, `stop` is set and the place is free once the job has ended.

        `seconds` is how long the job will take, if that is known, and `until` when it will end at the latest.
        `patience` is how many seconds it may wait: it is refused at once if its turn will come later, as by a full
        queue, or else when they are over. Jobs that are `patient` are not refused at once: their caller brings them one
        by one. `ended` is called once, when the job has ended or will not begin, with the seconds it took.
        """
        began = time.monotonic()
        try:
            entry = await self._place(client, priority, weight, seconds, until, patient, patience)
        except BaseException:
            ended(0.0)
            raise
        self._metrics.queue_wait.observe(time.monotonic() - began)
        self._metrics.searches_running.inc()
        began = time.monotonic()

        def done(_: asyncio.Future[T]) -> None:
            took = time.monotonic() - began
            self._mean_seconds += 0.1 * (took - self._mean_seconds)
            self._metrics.searches_running.dec()
            self._leave(entry)
            ended(took)

        future = asyncio.get_running_loop().run_in_executor(self._pool, job)
        future.add_done_callback(done)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            stop.set()
            # Nobody will ask for the result; its exception, if any, is looked at so that asyncio does not complain.
            future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            raise

    @asynccontextmanager
    async def place(
        self,
        client: str,
        priority: int,
        *,
        seconds: float | None = None,
        until: float = math.inf,
        patient: bool = False,
        patience: float | None = None,
    ) -> AsyncGenerator[None]:
        """A place for work that is done elsewhere, while the block runs. The arguments are those of `run`."""
        began = time.monotonic()
        entry = await self._place(client, priority, 1, seconds, until, patient, patience)
        self._metrics.queue_wait.observe(time.monotonic() - began)
        began = time.monotonic()
        try:
            yield
        finally:
            self._mean_seconds += 0.1 * (time.monotonic() - began - self._mean_seconds)
            self._leave(entry)

    def resize(self, workers: int) -> None:
        """From now on as many places. Only for work that takes one place each: wider work could wait for ever."""
        most_low = max(1, workers - self._reserved)
        self._free += workers - self.workers
        self._free_low += most_low - self._most_low
        self.workers, self._most_low = workers, most_low
        self._start_next()

    def check_room(self, client: str, priority: int, patience: float | None) -> None:
        """Refuses what `run` would refuse at once, for callers who have work to do before they can call it."""
        if self._free > 0 and not self._waiting:
            return
        if self._rooms[priority].is_full_for(client):
            raise self._refusal("QUEUE_FULL", f"{self._waiting} searches are already waiting")
        if patience is not None and self._expected_wait(client, priority) > patience:
            raise self._refusal("QUEUE_SLOW", "the deadline would pass before the search starts")

    async def _place(
        self,
        client: str,
        priority: int,
        weight: int,
        seconds: float | None,
        until: float,
        patient: bool,
        patience: float | None,
    ) -> Waiting:
        """Returns when the weight was taken from the free places."""
        if not patient:
            self.check_room(client, priority, patience)
        entry = Waiting(
            client,
            priority,
            min(weight, self._most_low if priority == LOW else self.workers),
            self._mean_seconds if seconds is None else seconds,
            until,
            time.monotonic(),
            asyncio.get_running_loop().create_future(),
        )
        self._queues[priority].setdefault(client, deque()).append(entry)
        self._count(entry, 1)
        self._start_next()
        try:
            await asyncio.wait_for(entry.ready, patience)
        except (asyncio.CancelledError, TimeoutError) as error:
            if entry.ready.cancelled():
                self._drop(entry)
                self._start_next()
            else:
                self._leave(entry)  # it was given a place in the same moment
            if isinstance(error, TimeoutError):
                raise self._refusal("QUEUE_SLOW", "the deadline passed before the search started") from None
            raise
        return entry

    @property
    def _waiting(self) -> int:
        return self._rooms[NORMAL].waiting + self._rooms[LOW].waiting

    def _refusal(self, reason: str, message: str) -> Refused:
        """With the time to try again: when the queue will be done, or later, so that not everybody comes at once."""
        self._metrics.queue_refused.inc()
        now = time.monotonic()
        self._refusals = 1 + self._refusals * math.exp(self._refused_at - now)
        self._refused_at = now
        retry = max(
            self._mean_seconds * (self._waiting + 1) / self.workers, self._refusals / RETRIES_PER_SECOND
        )
        return exhausted(reason, message, max(0.05, min(retry, 60.0)))

    def _expected_wait(self, client: str, priority: int) -> float:
        """Seconds until a job that comes now will begin, if all others take as long as is thought."""
        now = time.monotonic()
        free = [now] * self._free  # when each place will be free
        for entry, end in self._running.items():
            free += [max(now, end)] * entry.weight
        heapq.heapify(free)
        for entry in self._ahead(client, priority, now):
            begin = max(heapq.heappop(free) for _ in range(entry.weight))
            for _ in range(entry.weight):
                heapq.heappush(free, entry.end(begin))
        return free[0] - now

    def _ahead(self, client: str, priority: int, now: float) -> Iterator[Waiting]:
        """Who waits and will have a turn before a job that comes now."""
        due = now + AGE_SECONDS * priority
        own = len(self._queues[priority].get(client, ()))
        for number, queues in enumerate(self._queues):
            for queue in queues.values():
                for place, entry in enumerate(queue):
                    # Of the same priority, clients take turns.
                    if entry.due <= due and (number != priority or place <= own):
                        yield entry

    def _drop(self, entry: Waiting) -> None:
        """Out of the queue, unless it was passed over already."""
        queue = self._queues[entry.priority].get(entry.client)
        if queue is not None and entry in queue:
            queue.remove(entry)
            self._count(entry, -1)
            if not queue:
                del self._queues[entry.priority][entry.client]

    def _count(self, entry: Waiting, change: int) -> None:
        self._rooms[entry.priority].count(entry.client, change)
        self._metrics.queue_depth.inc(change)

    def _enter(self, entry: Waiting) -> None:
        self._free -= entry.weight
        self._free_low -= entry.weight if entry.priority == LOW else 0
        self._running[entry] = entry.end(time.monotonic())

    def _leave(self, entry: Waiting) -> None:
        self._free += entry.weight
        self._free_low += entry.weight if entry.priority == LOW else 0
        del self._running[entry]
        self._start_next()

    def _start_next(self) -> None:
        """Give free places to those who wait."""
        while (entry := self._next()) is not None and entry.weight <= self._free:
            queues = self._queues[entry.priority]
            queue = queues[entry.client]
            queue.popleft()
            if queue:
                queues.move_to_end(entry.client)
            else:
                del queues[entry.client]
            self._count(entry, -1)
            if not entry.ready.cancelled():
                self._enter(entry)
                entry.ready.set_result(None)

    def _next(self) -> Waiting | None:
        """Whose turn it is: within a priority the clients take turns; among priorities who is due first."""
        heads = [next(iter(queues.values()))[0] for queues in self._queues if queues]
        return min(
            (head for head in heads if head.priority != LOW or head.weight <= self._free_low),
            key=lambda head: head.due,
            default=None,
        )

    def close(self) -> None:
        self._pool.shutdown(wait=True)
