"""Searches as the service needs them: in the queue, within quotas and the deadline, and counted.

`SearchRunner` runs them for many clients at once; `LocalRunner` for a program that calls the service itself.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pythia.core_cy import Game, View
from pythia.search.bots import (
    BotSpec,
    GreedyBot,
    ObservingBot,
    Progress,
    RandomBot,
    SearchBot,
    as_view,
)
from pythia.search.limits import Limit
from pythia.search.plugins import BadBot, in_time
from pythia.search.result import Result
from pythia.search.tree import StopFlag
from pythia.service.aside import Aside
from pythia.service.auth import Origin, Quotas
from pythia.service.config import Config
from pythia.service.errors import invalid, not_allowed
from pythia.service.offered_bots import Offer
from pythia.service.scheduler import Scheduler

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics

T = TypeVar("T")
# What a seat knows: a view, or the JSON of an observation, which is read in the thread of the search.
Seen = View | Mapping[str, Any]

# What is left to a search whose deadline is as good as here: it answers with its first idea.
LEAST_SECONDS = 1e-6
# What is kept back of the time to the deadline for the answer and its way, beyond the setting's least.
MARGIN_SHARE = 0.1
MOST_MARGIN = 0.5
# Of how much longer than planned searches take, the share by which a single one counts that took less than others.
LAG_SHARE = 0.1


# How far a plug-in bot may exceed the limit that the caller gave, before the call fails.
OVERTIME_SECONDS = 1.0


@dataclass(frozen=True)
class Bounds:
    """What is allowed of one search."""

    seconds: float
    iterations: int
    threads: int
    bots: Offer

    def check(self, spec: BotSpec, field: str) -> None:
        """Refuses a bot that is not on offer, wants more, or has a limit it cannot keep; `field` names it."""
        info = self.bots.check(spec, field)
        if spec.threads > self.threads:
            raise not_allowed(f"{field}.threads", spec.threads, f"0 to {self.threads} on this server")
        limit = spec.limit
        if limit is not None and not info.uses_limit:
            raise invalid(f"{field}.limit", f"{spec.name} takes none")
        if limit is not None and limit.iterations is not None and limit.iterations > self.iterations:
            allowed = f"1 to {self.iterations} on this server"
            raise not_allowed(f"{field}.limit.iterations", limit.iterations, allowed)
        if limit is not None and limit.seconds is not None and limit.seconds > self.seconds:
            allowed = f"above 0 to {self.seconds:g} on this server"
            raise not_allowed(f"{field}.limit.seconds", limit.seconds, allowed)


@dataclass(frozen=True)
class DecisionJob(Generic[T]):
    """What a bot is asked, by whom, and what is made of its answer. Setting `stop` ends it."""

    origin: Origin
    bot: ObservingBot
    seen: Seen
    priority: int
    patient: bool
    deadline: float | None
    check: Callable[[View], None]  # refuses a view before anything is searched
    then: Callable[[View, Result], T]
    more: Mapping[str, Any]  # what else `choose` takes
    stop: StopFlag = field(default_factory=StopFlag)

    @property
    def own_seconds(self) -> float | None:
        """The seconds of the bot's own limit."""
        return self.bot.limit.seconds if self.bot.limit else None

    def view(self) -> View:
        """What the seat knows, read and checked; once, in the thread of the search."""
        view = as_view(self.seen)
        self.check(view)
        return view

    def choose(self, view: View, limit: Limit | None, most: float) -> Result:
        """In the thread of the search; a plug-in bot gets at most `most` seconds."""
        choose = partial(self.bot.choose, view, limit, self.stop, **self.more)
        if self.own_seconds is not None:
            most = min(most, 2 * self.own_seconds + OVERTIME_SECONDS)
        return in_time(self.bot, most, self.stop, choose)


class Runner(ABC):
    """Lets a bot choose, in a thread of its own."""

    workers: int

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds

    @abstractmethod
    def check_room(self, origin: Origin, priority: int) -> None:
        """Refuses a search that cannot begin in time, before anything else is done for it."""

    @abstractmethod
    async def aside(self, origin: Origin, work: Callable[[], T]) -> T:
        """What work of a few milliseconds gives, which is no search and needs no place in the queue."""

    async def run(
        self,
        origin: Origin,
        bot: ObservingBot,
        seen: Seen,
        *,
        priority: int,
        consider: Sequence[str] = (),
        avoid: Sequence[str] = (),
        lines: int = 0,
        language: str = "en",
        progress: Progress | None = None,
        patient: bool = False,
        deadline: float | None = None,
        check: Callable[[View], None] = lambda view: None,
        then: Callable[[View, Result], T],
    ) -> T:
        """What `then` makes of the view and the bot's result, in the thread of the search.

        An observation is read and checked there, once. ValueErrors are left to the caller, but for those of a bot that
        breaks its contract. A search that is `patient` is one of many of its call, which brings them one by one.
        """
        self.bounds.bots.check_name(bot.name)
        more = {
            "consider": consider,
            "avoid": avoid,
            "lines": lines,
            "language": language,
            "progress": progress,
        }
        deadline = origin.deadline if deadline is None else deadline
        try:
            return await self._run(
                DecisionJob(origin, bot, seen, priority, patient, deadline, check, then, more)
            )
        except BadBot as error:
            raise self.bounds.bots.failed(error) from None

    @abstractmethod
    async def _run(self, decision: DecisionJob[T]) -> T: ...


class SearchRunner(Runner):
    """Lets bots think, one place in the queue for each of their threads."""

    def __init__(
        self, scheduler: Scheduler, quotas: Quotas, metrics: Metrics, bounds: Bounds, margin: float
    ) -> None:
        super().__init__(bounds)
        self._scheduler = scheduler
        self._quotas = quotas
        self._metrics = metrics
        self._margin = margin
        self._lag = 0.0  # seconds from the planned end of a search to its answer: much on a busy machine
        self._aside = Aside()
        self.workers = scheduler.workers

    async def aside(self, origin: Origin, work: Callable[[], T]) -> T:
        return await self._aside.run(origin.client, work)

    def check_room(self, origin: Origin, priority: int) -> None:
        self._scheduler.check_room(origin.client.name, priority, self._patience(origin))

    async def _run(self, decision: DecisionJob[T]) -> T:
        origin, bot, deadline, own = decision.origin, decision.bot, decision.deadline, decision.own_seconds
        reserved = self._quotas.begin(origin.client, bot.threads, self._most_seconds(own, deadline))

        def job() -> T:
            seconds = min(reserved.seconds, self._most_seconds(own, deadline))
            end = time.monotonic() + seconds
            view = decision.view()
            result = decision.choose(
                view, cut_to(bot, view.game, seconds), self._most_seconds(None, deadline)
            )
            slack = None if deadline is None else deadline - time.monotonic()
            self._metrics.search_done(view.game.name, bot.name, result, slack)
            answer = decision.then(view, result)
            self._note_lag(time.monotonic() - end)
            return answer

        return await self._scheduler.run(
            origin.client.name,
            decision.priority,
            bot.threads,
            decision.stop,
            job,
            seconds=None if own is None else reserved.seconds,
            until=math.inf if deadline is None else time.monotonic() + self._before(deadline),
            patient=decision.patient,
            patience=self._patience(origin),
            ended=lambda seconds: self._quotas.end(reserved, seconds),
        )

    def _patience(self, origin: Origin) -> float | None:
        """Seconds that a search of the call may wait for its turn."""
        return None if origin.deadline is None else max(0.0, self._before(origin.deadline))

    def _most_seconds(self, own: float | None, deadline: float | None) -> float:
        """What a search may take by its own limit, by what the server allows, and by the deadline of the origin."""
        most = self.bounds.seconds if own is None else min(own, self.bounds.seconds)
        if deadline is not None:
            most = min(most, max(LEAST_SECONDS, self._before(deadline)))
        return most

    def _before(self, deadline: float) -> float:
        """Seconds until a search should end so that its answer arrives before the deadline."""
        left = deadline - time.monotonic()
        return left - max(self._margin, min(MARGIN_SHARE * left, MOST_MARGIN)) - self._lag

    def _note_lag(self, late: float) -> None:
        """A search answered so long after its planned end: later ones plan for it, until others take less."""
        late = min(max(0.0, late), MOST_MARGIN)
        self._lag = max(late, self._lag + LAG_SHARE * (late - self._lag))


def cut_to(bot: ObservingBot, game: Game, seconds: float) -> Limit:
    """The bot's own limit, cut to these seconds."""
    limit = bot.limit_in(game)
    return replace(limit, seconds=seconds) if limit else Limit(seconds=seconds)


# Iterations and samples that take a fraction of a second: who waits for them need not hear of an interrupt before.
SHORT_ITERATIONS, SHORT_SAMPLES = 2000, 20


def is_short(bot: ObservingBot) -> bool:
    """Whether a bot's decision takes a fraction of a second, so that nobody would interrupt or watch it."""
    if isinstance(bot, SearchBot):
        return bot.limit.iterations is not None and bot.limit.iterations <= SHORT_ITERATIONS
    return isinstance(bot, RandomBot) or (isinstance(bot, GreedyBot) and bot.samples <= SHORT_SAMPLES)


class LocalRunner(Runner):
    """Runs a search at once, and waits for it: there is nobody else to leave anything to, and no event loop.

    A long search of the main thread has a thread of its own, so that an interrupt is heard at once and ends it.
    """

    def __init__(self, bounds: Bounds, margin: float) -> None:
        super().__init__(bounds)
        self.workers = bounds.threads
        self._margin = margin
        self._pool = ThreadPoolExecutor(thread_name_prefix="search")

    def check_room(self, origin: Origin, priority: int) -> None:
        """There is always room."""

    async def aside(self, origin: Origin, work: Callable[[], T]) -> T:
        return work()

    async def _run(self, decision: DecisionJob[T]) -> T:
        """Never suspends its caller."""
        bot, deadline, own = decision.bot, decision.deadline, decision.own_seconds

        def job() -> T:
            view = decision.view()
            limit, left = None, self.bounds.seconds
            if deadline is not None:
                left = max(LEAST_SECONDS, deadline - time.monotonic() - self._margin)
                limit = cut_to(bot, view.game, left if own is None else min(own, left))
            return decision.then(view, decision.choose(view, limit, left))

        if is_short(bot) or current_thread() is not main_thread():
            return job()
        future = self._pool.submit(job)
        try:
            return future.result()
        except BaseException:
            decision.stop.set()
            raise

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


# -- by the settings


def scheduled(
    config: Config, metrics: Metrics, quotas: Quotas, bots: Offer
) -> tuple[Scheduler, SearchRunner]:
    """The queue of searches, and what runs them."""
    scheduler = Scheduler(
        config.worker_count,
        config.queue_limit,
        config.queue_limit_per_client,
        metrics,
        config.reserved_workers,
    )
    bounds = bounds_of(config, bots)
    return scheduler, SearchRunner(scheduler, quotas, metrics, bounds, config.deadline_margin)


def bounds_of(config: Config, bots: Offer) -> Bounds:
    return Bounds(config.max_seconds, config.max_iterations, config.worker_count, bots)
