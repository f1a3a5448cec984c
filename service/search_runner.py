"""Searches as the services need them: in the queue, within quotas and the deadline, and counted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pythia.core_cy import View
from pythia.search.bots import GreedyBot, ObservingBot, Progress, SearchBot, as_view
from pythia.search.limits import Limit
from pythia.search.result import Result
from pythia.search.tree import StopFlag
from pythia.service.auth import Quotas
from pythia.service.calls import Call
from pythia.service.metrics import Metrics
from pythia.service.scheduler import Scheduler
from pythia.service.wire import Bounds

T = TypeVar("T")

# What is left to a search whose deadline is as good as here: it answers with its first idea.
LEAST_SECONDS = 1e-6
# What is kept back of the time to the deadline for the answer and its way, beyond the setting's least.
MARGIN_SHARE = 0.1
MOST_MARGIN = 0.5
# Of how much longer than planned searches take, the share by which a single one counts that took less than others.
LAG_SHARE = 0.1


class SearchRunner:
    """Lets bots think, one place in the queue for each of their threads."""

    def __init__(
        self, scheduler: Scheduler, quotas: Quotas, metrics: Metrics, bounds: Bounds, margin: float
    ) -> None:
        self._scheduler = scheduler
        self._quotas = quotas
        self._metrics = metrics
        self._margin = margin
        self._lag = 0.0  # seconds from the planned end of a search to its answer: much on a busy machine
        self.bounds = bounds
        self.workers = scheduler.workers

    def check_room(self, call: Call, priority: int) -> None:
        """Refuses a search that the queue cannot begin in time, before anything else is done for it."""
        self._scheduler.check_room(call.client.name, priority, self._patience(call))

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
        patient: bool = False,
        deadline: float | None = None,
        then: Callable[[View, Result], T],
    ) -> T:
        """What `then` makes of the view and the bot's result, in the thread of the search.

        An observation is read there, once. ValueErrors are left to the caller. A search that is `patient` is one of
        many of its call, which brings them one by one.
        """
        stop = StopFlag()
        deadline = call.deadline if deadline is None else deadline
        threads = bot.threads if isinstance(bot, SearchBot) else 1
        own = bot.limit.seconds if isinstance(bot, SearchBot) else None
        reserved = self._quotas.begin(call.client, threads, self._most_seconds(own, deadline))

        def job() -> T:
            seconds = min(reserved.seconds, self._most_seconds(own, deadline))
            end = time.monotonic() + seconds
            view = as_view(seen)
            result = bot.choose(
                view,
                self._limit(bot, seconds),
                stop,
                consider=consider or (),
                avoid=avoid or (),
                lines=lines,
                progress=progress,
            )
            slack = None if deadline is None else deadline - time.monotonic()
            self._metrics.search_done(view.game.name, bot.name, result, slack)
            answer = then(view, result)
            self._note_lag(time.monotonic() - end)
            return answer

        return await self._scheduler.run(
            call.client.name,
            priority,
            threads,
            stop,
            job,
            seconds=None if own is None else reserved.seconds,
            until=math.inf if deadline is None else time.monotonic() + self._before(deadline),
            patient=patient,
            patience=self._patience(call),
            ended=lambda seconds: self._quotas.end(reserved, seconds),
        )

    def _patience(self, call: Call) -> float | None:
        """Seconds that a search of the call may wait for its turn."""
        return None if call.deadline is None else max(0.0, self._before(call.deadline))

    def _most_seconds(self, own: float | None, deadline: float | None) -> float:
        """What a search may take by its own limit, by what the server allows, and by the deadline of the call."""
        most = self.bounds.seconds if own is None else min(own, self.bounds.seconds)
        if deadline is not None:
            most = min(most, max(LEAST_SECONDS, self._before(deadline)))
        return most

    def _limit(self, bot: ObservingBot, seconds: float) -> Limit | None:
        """The bot's own limit, cut to these seconds."""
        if isinstance(bot, SearchBot):
            return replace(bot.limit, seconds=seconds)
        return Limit(seconds=seconds) if isinstance(bot, GreedyBot) else None

    def _before(self, deadline: float) -> float:
        """Seconds until a search should end so that its answer arrives before the deadline."""
        left = deadline - time.monotonic()
        return left - max(self._margin, min(MARGIN_SHARE * left, MOST_MARGIN)) - self._lag

    def _note_lag(self, late: float) -> None:
        """A search answered so long after its planned end: later ones plan for it, until others take less."""
        late = min(max(0.0, late), MOST_MARGIN)
        self._lag = max(late, self._lag + LAG_SHARE * (late - self._lag))
