"""Searches as the services need them: in the queue, within quotas and the deadline, and counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pythia.core_cy import View
from pythia.search.bots import ObservingBot, Progress, SearchBot, as_view
from pythia.search.limits import Limit
from pythia.search.result import Result
from pythia.search.tree import StopFlag
from pythia.service.auth import Quotas
from pythia.service.calls import Call
from pythia.service.convert import Bounds
from pythia.service.metrics import Metrics
from pythia.service.scheduler import Scheduler

T = TypeVar("T")

# What is left to a search whose deadline is as good as here: it answers with its first idea.
LEAST_SECONDS = 1e-6
# What is kept back of the time to the deadline for the answer and its way, beyond the setting's least.
MARGIN_SHARE = 0.1
MOST_MARGIN = 0.5


class Thinking:
    """Lets bots think, one place in the queue for each of their threads."""

    def __init__(
        self, scheduler: Scheduler, quotas: Quotas, metrics: Metrics, bounds: Bounds, margin: float
    ) -> None:
        self._scheduler = scheduler
        self._quotas = quotas
        self._metrics = metrics
        self._margin = margin
        self.bounds = bounds
        self.workers = scheduler.workers

    async def think(
        self,
        call: Call,
        bot: ObservingBot,
        seen: View | Mapping[str, Any],
        *,
        priority: int,
        consider: list[str] | None = None,
        avoid: list[str] | None = None,
        lines: int = 0,
        progress: Progress | None = None,
        uncounted: bool = False,
        deadline: float | None = None,
        then: Callable[[View, Result], T],
    ) -> T:
        """What `then` makes of the view and the bot's result, in the thread of the search.

        An observation is read there, once. ValueErrors are left to the caller.
        """
        stop = StopFlag()
        deadline = call.deadline if deadline is None else deadline

        def job() -> T:
            view = as_view(seen)
            result = bot.choose(
                view,
                self._limit(bot, deadline),
                stop,
                consider=consider or (),
                avoid=avoid or (),
                lines=lines,
                progress=progress,
            )
            slack = None if deadline is None else deadline - time.monotonic()
            self._metrics.search_done(view.game.name, bot.name, result, slack)
            return then(view, result)

        threads = bot.threads if isinstance(bot, SearchBot) else 1
        return await self._run(call, priority, threads, stop, job, uncounted)

    async def _run(
        self, call: Call, priority: int, weight: int, stop: StopFlag, job: Callable[[], T], uncounted: bool
    ) -> T:
        client = call.client
        patience = None
        if call.deadline is not None:
            patience = max(0.0, self._before(call.deadline))
        self._quotas.begin(client)
        used = 0.0

        def timed() -> T:
            nonlocal used
            began = time.perf_counter()
            try:
                return job()
            finally:
                used = time.perf_counter() - began

        try:
            return await self._scheduler.run(
                client.name, priority, weight, stop, timed, uncounted=uncounted, patience=patience
            )
        finally:
            self._quotas.end(client, used)

    def _limit(self, bot: ObservingBot, deadline: float | None) -> Limit | None:
        """The bot's own limit, cut by what the server allows and by the deadline of the call."""
        if not isinstance(bot, SearchBot):
            return None
        most = self.bounds.seconds
        if deadline is not None:
            most = min(most, max(LEAST_SECONDS, self._before(deadline)))
        own = bot.limit.seconds
        return replace(bot.limit, seconds=most if own is None else min(own, most))

    def _before(self, deadline: float) -> float:
        """Seconds until a search should end so that its answer arrives before the deadline."""
        left = deadline - time.monotonic()
        return left - max(self._margin, min(MARGIN_SHARE * left, MOST_MARGIN))
