"""Plays the bots of matches with `autoplay`, whether or not anybody watches.

A match that has a bot to act is driven by one task: it searches for the client that made the match, within that
client's quotas, and stores each move as PlayBotTurn does. Where a quota or the queue has no room, it waits and goes on.
Nothing but the store remembers what is to be done, so a server that was stopped or killed goes on where it was.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc

from pythia.core_cy import View
from pythia.service.auth import Caller, Origin
from pythia.service.config import Config
from pythia.service.errors import Refused, conflict
from pythia.service.live_match import LiveMatch, LiveMatches
from pythia.service.logs import LOG
from pythia.service.scheduler import LOW, NORMAL
from pythia.service.search_runner import Runner
from pythia.service.store import MatchStore
from pythia.service.types import Autoplay

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics

# Seconds to wait after a refusal, beyond what it says; it doubles with each in a row.
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
# Seconds between looks while somebody else lets the bot play.
TAKEN_WAIT = 0.2
# Seconds between two looks for matches of servers that are gone.
TAKE_OVER_SECONDS = 3.0


class AutoplayQueue:
    """Matches that wait for a place, and how many have one: in all, and of each client. Clients take turns."""

    def __init__(self, most: int, per_client: int) -> None:
        self._most = most
        self._per_client = per_client
        self._waiting: OrderedDict[str, OrderedDict[str, None]] = OrderedDict()
        self._running: Counter[str] = Counter()

    @property
    def running(self) -> int:
        return self._running.total()

    def wait(self, client: str, match_id: str) -> None:
        self._waiting.setdefault(client, OrderedDict())[match_id] = None

    def drop(self, client: str, match_id: str) -> None:
        """It waits no more, if it did."""
        waiting = self._waiting.get(client, OrderedDict())
        waiting.pop(match_id, None)
        if not waiting:
            self._waiting.pop(client, None)

    def next(self) -> tuple[str, str] | None:
        """A client and its match that get a place now."""
        if self.running >= self._most:
            return None
        for client, waiting in self._waiting.items():
            if self._running[client] < self._per_client:
                match_id, _ = waiting.popitem(last=False)
                self._waiting.move_to_end(client)
                if not waiting:
                    del self._waiting[client]
                self._running[client] += 1
                return client, match_id
        return None

    def leave(self, client: str) -> None:
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]


@dataclass(frozen=True)
class Driven:
    """A match under way, and how it was to be played when it began."""

    task: asyncio.Task[None]
    autoplay: Autoplay | None


class AutoPlayer:
    """Drives the matches of a store. `caller_of` gives the client of a name as the settings have it now."""

    def __init__(
        self,
        live: LiveMatches,
        store: MatchStore,
        runner: Runner,
        caller_of: Callable[[str], Caller | None],
        config: Config,
        metrics: Metrics,
    ) -> None:
        self._live = live
        self._store = store
        self._runner = runner
        self._caller_of = caller_of
        self._metrics = metrics
        most = config.autoplay_matches, config.autoplay_matches_per_client
        # A person who waits for a bot must not wait for the end of other matches: these have places of their own.
        self._lanes = {only_bots: AutoplayQueue(*most) for only_bots in (True, False)}
        self._driven: dict[str, Driven] = {}
        self._again: set[str] = set()  # of these, those that others have changed meanwhile
        # Matches with nothing to do here, or that failed, by the version at which that was found.
        self._left: dict[str, int] = {}
        self._places: dict[tuple[str, int], asyncio.Semaphore] = {}
        self._is_closed = False
        live.heard = self.look

    # -- which matches

    async def start(self) -> None:
        """Go on with all that the store knows of."""
        rows = await self._store.playing()
        versions = {row.id: row.version for row in rows}
        self._left = {name: at for name, at in self._left.items() if versions.get(name) == at}
        for row in rows:
            only_bots = all("bot" in seat for seat in row.seats)
            if row.id not in self._driven and row.id not in self._left:
                self._lanes[only_bots].wait(row.owner, row.id)
        self._fill()

    async def take_over(self) -> None:
        """Until cancelled: look for matches that no server drives any more, because theirs was stopped or killed."""
        while True:
            await asyncio.sleep(TAKE_OVER_SECONDS)
            with suppress(Refused):  # the store has failed and said so; there is a next time
                await self.start()

    def look(self, match: LiveMatch) -> None:
        """A match is there or has changed: begin, stop, or leave it as it is."""
        if self._is_closed or match.autoplay is None:
            return
        match_id, owner, lane = match.header.id, match.header.owner, self._lanes[not match.people]
        driven = self._driven.get(match_id)
        if driven is not None:
            if driven.task is not asyncio.current_task():
                self._again.add(match_id)
                if driven.autoplay not in (None, match.autoplay):
                    driven.task.cancel()  # paused, or at another pace: what was planned does not hold
            return
        if wants_a_move(match):
            lane.wait(owner, match_id)
            self._fill()
        else:
            lane.drop(owner, match_id)

    def _fill(self) -> None:
        """Give places to those who wait."""
        for only_bots, lane in self._lanes.items():
            while not self._is_closed and (found := lane.next()) is not None:
                self._begin(*found, only_bots)

    def _begin(self, client: str, match_id: str, only_bots: bool) -> None:
        task = asyncio.create_task(self._drive(match_id, only_bots))
        match = self._live.known(match_id)
        self._driven[match_id] = Driven(task, match.autoplay if match is not None else None)
        self._metrics.autoplay_matches.inc()

        def ended(_: asyncio.Task[None]) -> None:
            self._metrics.autoplay_matches.dec()
            del self._driven[match_id]
            self._lanes[only_bots].leave(client)
            match = self._live.known(match_id)
            if match_id in self._again and match is not None:
                self.look(match)
            self._again.discard(match_id)
            self._fill()

        task.add_done_callback(ended)

    # -- playing

    async def _drive(self, match_id: str, only_bots: bool) -> None:
        """Play until a person or chance is to act, or it is over, paused or gone."""
        try:
            async with self._live.alone("autoplay", match_id) as is_ours:
                if is_ours:
                    await self._play_on(match_id, only_bots)
                    self._leave(match_id)
        except Exception as error:
            # Another try would most likely fail the same way; ResumeMatch or a restart begins anew.
            LOG.error("autoplay of a match failed", exc_info=error, extra={"fields": {"match": match_id}})
            self._leave(match_id)

    def _leave(self, match_id: str) -> None:
        """Look at it again when it has changed, and not every time that `take_over` finds it in the store."""
        if self._store.is_shared and (match := self._live.known(match_id)) is not None:
            self._left[match_id] = match.version

    async def _play_on(self, match_id: str, only_bots: bool) -> None:
        wait = FIRST_WAIT
        while True:
            try:
                match = await self._live.get(match_id)
                if (driven := self._driven.get(match_id)) is not None and driven.autoplay is None:
                    self._driven[match_id] = Driven(driven.task, match.autoplay)
                caller = self._caller_of(match.header.owner)
                if caller is None or not wants_a_move(match):
                    return
                await self._move(match, caller, only_bots)
                wait = FIRST_WAIT
            except Refused as refusal:
                if refusal.code == grpc.StatusCode.NOT_FOUND:
                    return
                if refusal.code == grpc.StatusCode.ABORTED:
                    await asyncio.sleep(TAKEN_WAIT)  # somebody else did something, or is at it: look again
                    continue
                if refusal.code not in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE):
                    raise
                await asyncio.sleep(max(refusal.retry_seconds or 0.0, wait * random.uniform(0.5, 1.0)))
                wait = min(2 * wait, LONGEST_WAIT)

    async def _move(self, match: LiveMatch, caller: Caller, only_bots: bool) -> None:
        """One decision of the bot to act, stored when the pause since the last one is over."""
        if match.is_thinking:
            await asyncio.sleep(TAKEN_WAIT)  # PlayBotTurn is at it
            return
        version, autoplay = match.version, match.autoplay
        assert autoplay is not None
        if only_bots:
            async with self._place(caller):
                move = await self._choose(match, version, caller, LOW)
        else:
            move = await self._choose(match, version, caller, NORMAL)
        since = max(0.0, time.time() - match.updated)
        await asyncio.sleep(max(0.0, autoplay.seconds_per_move - since))
        await self._live.play_at(match, version, move)

    async def _choose(self, match: LiveMatch, version: int, caller: Caller, priority: int) -> str:
        async with self._live.bot_turn(match):
            if match.version != version:
                raise conflict("another call has let the bot play")
            return await self._runner.run(
                Origin(caller),
                match.bot(match.to_act),
                View.of(match.state, match.to_act),
                priority=priority,
                then=lambda _, result: result.move,
            )

    def _place(self, caller: Caller) -> asyncio.Semaphore:
        """As many searches of a client at a time as can run: the rest would only stand in the queue."""
        at_once = min(self._runner.workers, caller.concurrent_searches or self._runner.workers)
        return self._places.setdefault((caller.name, at_once), asyncio.Semaphore(at_once))

    # -- the end

    async def close(self) -> None:
        """Drive nothing any more. Moves that are being stored are stored; what is thought about is thought of again."""
        self._is_closed = True
        tasks = [driven.task for driven in self._driven.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def wants_a_move(match: LiveMatch) -> bool:
    """Whether a bot is to act that the server should play."""
    if match.is_stale or match.autoplay is None or match.autoplay.paused:
        return False
    return match.to_act >= 0 and match.bot_spec(match.to_act) is not None
