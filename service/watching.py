"""Viewers of matches: what each has been sent, and which of the matches of a stream have something new.

A stream holds no events. It remembers how far each of its viewers got, and reads on in the match when its caller takes
more, so a slow reader costs nothing but the place of its stream.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import grpc

from pythia.service.auth import Caller
from pythia.service.errors import Refused, not_allowed
from pythia.service.live_match import LiveMatch
from pythia.service.store import Rotation

# Matches that all streams of one client may follow at the same time. Each takes about 2 kB.
MOST_FOLLOWED = 50_000


class FollowedCount:
    """How many matches the streams of each client follow."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()

    @contextmanager
    def by(self, client: Caller, number: int) -> Iterator[None]:
        """For a stream with this number of matches."""
        if self._count[client.name] + number > MOST_FOLLOWED:
            raise Refused(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_STREAMS",
                f"the streams of this client follow {self._count[client.name]} matches; allowed: {MOST_FOLLOWED}",
            )
        self._count[client.name] += number
        try:
            yield
        finally:
            self._count[client.name] -= number
            if not self._count[client.name]:
                del self._count[client.name]


class News:
    """The viewers of one stream whose match has changed, each once, in the order of the changes."""

    def __init__(self) -> None:
        self._fresh: dict[Viewer, None] = {}
        self._some = asyncio.Event()

    def tell(self, viewer: Viewer) -> None:
        self._fresh.setdefault(viewer)
        self._some.set()

    async def next(self) -> Viewer:
        await self._some.wait()
        viewer = next(iter(self._fresh))
        del self._fresh[viewer]
        if not self._fresh:
            self._some.clear()
        return viewer


class Viewer:
    """One watcher of a match: whose view it gets, and up to which version it has been sent.

    `see` gives the match and the eyes that the caller may use, or refuses.
    """

    match: LiveMatch
    eyes: int

    def __init__(self, news: News, see: Callable[[], Awaitable[tuple[LiveMatch, int]]], sent: int) -> None:
        self._see = see
        self._tell = lambda: news.tell(self)
        self._is_in = False
        self._rotations: dict[str, Rotation] = {}
        self.sent = sent

    async def look(self) -> None:
        """The match as it is now. Who was a token's holder is asked again when tokens were replaced."""
        if self._is_in and not self.match.is_stale and self.match.rotations is self._rotations:
            return
        self.leave()
        self.match, self.eyes = await self._see()
        self._rotations = self.match.rotations
        self.match.followers.add(self._tell)
        self._is_in = True
        if not 0 <= self.sent <= self.match.version:
            raise not_allowed("after_version", self.sent, f"0 to {self.match.version}")

    @property
    def is_behind(self) -> bool:
        return self.sent < self.match.version

    def leave(self) -> None:
        if self._is_in:
            self.match.followers.discard(self._tell)
            self._is_in = False
