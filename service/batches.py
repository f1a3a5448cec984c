"""Calls that bring many searches: each client may have a few at the same time, which share its places in the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pythia.service.auth import Caller
from pythia.service.errors import exhausted

# Batches and reviews of one client at the same time.
MAX_BATCHES = 4


class Batches:
    """The batches of each client: how many there are, and the places in the queue that they share.

    `workers` tells how many searches can run at the same time.
    """

    def __init__(self, workers: Callable[[], int]) -> None:
        self._workers = workers
        self._clients: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @contextmanager
    def place(self, client: Caller) -> Iterator[asyncio.Semaphore]:
        # As many at a time as can run: the rest would only stand in the queue.
        workers = self._workers()
        at_once = min(workers, client.concurrent_searches or workers)
        places, count = self._clients.get(client.name) or (asyncio.Semaphore(at_once), 0)
        if count >= MAX_BATCHES:
            raise exhausted("TOO_MANY_BATCHES", f"{count} batches of this client run already", 1.0)
        self._clients[client.name] = places, count + 1
        try:
            yield places
        finally:
            places, count = self._clients.pop(client.name)
            if count > 1:
                self._clients[client.name] = places, count - 1
