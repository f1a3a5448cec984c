"""The service within a process that uses it itself: the plain API, without a port, middleware or metrics.

Nothing is made before it is needed: no store before the first call about matches, no queue before the first search on
an event loop.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pythia.service.advisor import Advisor
from pythia.service.advisor import News as News
from pythia.service.advisor import Outcome as Outcome
from pythia.service.advisor import Revealed as Revealed
from pythia.service.advisor import Sight as Sight
from pythia.service.advisor import best as best
from pythia.service.auth import LOCAL_CALLER as LOCAL_CALLER
from pythia.service.auth import Origin as Origin
from pythia.service.auth import Quotas, StoreSecret
from pythia.service.autoplayer import AutoPlayer
from pythia.service.config import Config
from pythia.service.engine import Engine
from pythia.service.live_match import LiveMatches
from pythia.service.matches import Matches
from pythia.service.no_metrics import NO_METRICS
from pythia.service.offered_bots import AnyBot
from pythia.service.scheduler import Scheduler
from pythia.service.search_runner import LocalRunner, SearchRunner, bounds_of, scheduled
from pythia.service.search_runner import is_short as is_short
from pythia.service.store import MatchStore

# Nobody else shares this process, so what a server allows of one search is allowed many times over, and low priority
# has nobody to leave anything to.
FREE = {
    "max_seconds": 86_400.0,
    "max_iterations": 10**12,
    "reserved_workers": 0,
    "matches_per_client": 10**12,
}


def local_config(store: str, settings: dict[str, Any]) -> Config:
    """The settings of a server, with other defaults; ConfigError for what is not allowed."""
    return Config(store=store, **FREE | settings).checked()


@dataclass(frozen=True)
class DirectService:
    """What can be asked without an event loop: its coroutines never wait for one."""

    engine: Engine
    advisor: Advisor


class LocalService:
    """`direct` needs no event loop; `advisor` and `matches` belong to the one that uses them first."""

    def __init__(self, config: Config) -> None:
        """`config` was checked."""
        self.config = config
        # The owner of this process may import anything, so every bot is on offer.
        self._bots = AnyBot()
        bounds = bounds_of(config, self._bots)
        self._local_runner = LocalRunner(bounds, config.deadline_margin)
        self.engine = Engine(self._local_runner)
        self.direct = DirectService(self.engine, Advisor(self._local_runner))
        self._opening: asyncio.Task[Matches] | None = None
        self._store: MatchStore | None = None
        self._autoplayer: AutoPlayer | None = None

    @cached_property
    def _queue(self) -> tuple[Scheduler, SearchRunner]:
        return scheduled(self.config, NO_METRICS, Quotas(), self._bots)

    @property
    def _runner(self) -> SearchRunner:
        return self._queue[1]

    @cached_property
    def advisor(self) -> Advisor:
        return Advisor(self._runner)

    async def matches(self) -> Matches:
        """Opens the store when called first."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    async def _open(self) -> Matches:
        store = MatchStore(self.config.store_url, NO_METRICS)
        try:
            secret = StoreSecret(await store.open())
        except BaseException:
            store.close()
            raise
        self._store = store
        live = LiveMatches(store, self.config.max_matches, NO_METRICS)
        # Drives the matches that are made or looked at here, while this process lives.
        self._autoplayer = AutoPlayer(
            live, store, self._runner, lambda _: LOCAL_CALLER, self.config, NO_METRICS
        )
        return Matches(live, store, secret, self._runner, self.config, self.advisor)

    async def stop(self) -> None:
        """Plays no bots any more; on the event loop of `matches`."""
        if self._autoplayer is not None:
            await self._autoplayer.close()

    def close(self) -> None:
        """Ends the searches and lets go of the store. Calls under way are the caller's concern."""
        self._local_runner.close()
        if "_queue" in self.__dict__:
            self._queue[0].close()
        if self._store is not None:
            self._store.close()
