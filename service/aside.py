"""Work that would hold up the event loop: drawing pictures, describing moves, replaying records."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
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
    """Does such work in a few threads. Clients take turns: one with many calls delays another by one of them."""

    def __init__(self) -> None:
        self._free = THREADS
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def run(self, client: Caller, work: Callable[[], T]) -> T:
        if self._free:
            self._free -= 1
        else:
            await self._turn(client)
        done = asyncio.get_running_loop().run_in_executor(None, work)
        # A thread cannot be stopped: it keeps its place until it has ended, also when nobody waits for it any more.
        done.add_done_callback(lambda _: self._pass_on())
        return await asyncio.shield(done)

    async def _turn(self, client: Caller) -> None:
        """Wait for a place."""
        turns = self._waiting.get(client.name) or deque()
        if len(turns) >= WAITING:
            raise exhausted("TOO_MANY_CALLS", f"{WAITING} calls of this client wait already", 0.5)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turns.append(turn)
        self._waiting.setdefault(client.name, turns)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._pass_on()  # it had got the place
            elif turn in (turns := self._waiting.get(client.name, deque())):
                turns.remove(turn)
                if not turns:
                    del self._waiting[client.name]
            raise

    def _pass_on(self) -> None:
        """Give a place that is free again to the next call of the client whose turn it is."""
        while self._waiting:
            name, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[name] = turns
            if not turn.done():  # or cancelled a moment ago
                turn.set_result(None)
                return
        self._free += 1


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
