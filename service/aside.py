"""Work of a few milliseconds that would hold up the event loop: drawing pictures, describing moves."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pythia.service.auth import Caller
from pythia.service.errors import exhausted

T = TypeVar("T")

# It is Python code, of which one thread runs at a time; the second goes on while the first waits for memory or a lock.
THREADS = 2
# Calls of one client that may wait: together they take about half a second.
WAITING = 64


class Aside:
    """Does such work in a few threads. A thousand callers wait in line, and those of one client get no more places."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(THREADS)
        self._waiting: Counter[str] = Counter()

    async def run(self, client: Caller, work: Callable[[], T]) -> T:
        if self._waiting[client.name] >= WAITING:
            raise exhausted("TOO_MANY_CALLS", f"{WAITING} calls of this client wait already", 0.5)
        self._waiting[client.name] += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting[client.name] -= 1
            if not self._waiting[client.name]:
                del self._waiting[client.name]
        done = asyncio.get_running_loop().run_in_executor(None, work)
        # A thread cannot be stopped: it keeps its place until it has ended, also when nobody waits for it any more.
        done.add_done_callback(lambda _: self._places.release())
        return await asyncio.shield(done)


class Answers:
    """Answers as bytes, kept while they fit: pages ask for the same ones again, and many watchers at the same time."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._coming: dict[bytes, asyncio.Future[bytes]] = {}

    async def get(self, key: bytes, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """The answer kept under the key; made once, however many ask for it meanwhile."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        coming = self._coming.get(key)
        if coming is None:
            coming = self._coming[key] = asyncio.ensure_future(make())
            coming.add_done_callback(lambda done: self._came(key, done))
        return await asyncio.shield(coming)

    def _came(self, key: bytes, done: asyncio.Future[bytes]) -> None:
        del self._coming[key]
        if done.cancelled() or done.exception() is not None:
            return
        self._kept[key] = done.result()
        self._bytes += len(key) + len(done.result())
        while self._bytes > self._most_bytes:
            old, answer = self._kept.popitem(last=False)
            self._bytes -= len(old) + len(answer)
