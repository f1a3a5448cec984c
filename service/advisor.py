"""Advice about positions that the caller keeps, as plain Python: what the gRPC servicer and local clients call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pythia.core_cy import CHANCE, IllegalMove, Move, View
from pythia.search.bots import BotSpec, ObservingBot, Progress, as_view
from pythia.search.limits import Limit
from pythia.search.result import Result
from pythia.service.auth import LOCAL_CALLER, URGENT, Caller, Origin
from pythia.service.errors import (
    Refused,
    exhausted,
    from_value_error,
    invalid,
    not_allowed,
    precondition,
)
from pythia.service.scheduler import HIGH, NORMAL
from pythia.service.search_runner import Runner, Seen
from pythia.service.types import Json, Need, Problem, SearchRequest

T = TypeVar("T")

MAX_BATCH = 1000
# Batches of one client at the same time; they share the client's places in the queue.
MAX_BATCHES = 4
# Answers of a batch that may wait for a slow reader, beside those being worked out.
UNREAD = 16
DEFAULT_INTERVAL = 0.5
MIN_INTERVAL, MAX_INTERVAL = 0.02, 60.0

# The words of search for the moves of a request.
NAMES = {"consider": "options.consider", "avoid": "options.avoid"}

LOCAL = Origin(LOCAL_CALLER)
# What is made of a view and a bot's answer, in the thread of the search.
Then = Callable[[View, Result], T]


def best(lines: int) -> Then[Result]:
    """The result as it is, with the moves that were asked for."""

    def then(view: View, result: Result) -> Result:
        return replace(result, moves=result.moves[:lines])

    return then


@dataclass(frozen=True)
class Outcome:
    """What dice or cards said in the middle of a bot's turn."""

    text: str


@dataclass(frozen=True)
class Sight:
    """What the bot's seat sees now."""

    observation: Json


class Advisor:
    """What bots think of positions. Keeps nothing between calls.

    Positions are views; the JSON of an observation is taken too, and read in the thread of the search. What is wrong
    is told by `Refused`, with the field of the request.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._batches = Batches(runner.workers)

    # -- one position

    async def suggest(
        self,
        view: Seen,
        spec: BotSpec,
        limit: Limit | None = None,
        *,
        origin: Origin = LOCAL,
        seed: int = 0,
        lines: int = 10,
        consider: Sequence[str] = (),
        avoid: Sequence[str] = (),
        priority: int = NORMAL,
    ) -> Result:
        """The move that the bot would play, and what it thinks of the best `lines`."""
        spec = replace(spec, limit=limit) if limit else spec
        search = SearchRequest(spec, seed, lines, consider, avoid, priority)
        return await self.advise(view, search, origin, best(lines))

    async def advise(self, seen: Seen, search: SearchRequest, origin: Origin, then: Then[T]) -> T:
        """What `then` makes of the answer."""
        self.check(search, origin)
        return await self._choose(seen, search, origin, then)

    async def analyze(
        self,
        seen: Seen,
        search: SearchRequest,
        origin: Origin = LOCAL,
        *,
        interval: float = DEFAULT_INTERVAL,
        then: Then[T],
    ) -> AsyncGenerator[tuple[T, bool]]:
        """What the bot knows so far, about every `interval` seconds, and whether it is the final answer.

        A slow reader skips what lies between.
        """
        if not MIN_INTERVAL <= interval <= MAX_INTERVAL:
            allowed = f"{MIN_INTERVAL * 1000:g} to {MAX_INTERVAL * 1000:g}, or 0"
            raise not_allowed("interval_ms", round(interval * 1000), allowed)
        self.check(search, origin)
        latest: Latest[Result] = Latest()
        progress = Progress(latest.tell, interval)
        final = asyncio.ensure_future(self._choose(seen, search, origin, then, progress=progress))
        update: asyncio.Future[Result] | None = None
        try:
            view: View | None = None
            while not final.done():
                update = asyncio.ensure_future(latest.get())
                await asyncio.wait((final, update), return_when=asyncio.FIRST_COMPLETED)
                if not update.done():
                    break
                view = view or as_view(seen)
                yield then(view, update.result()), False
            yield await final, True
        finally:
            final.cancel()
            if update is not None:
                update.cancel()

    async def legal_moves(self, seen: Seen) -> list[Move]:
        """The moves of the observer, who must be to act."""
        view = read(seen)
        if view.to_act != view.seat:
            raise precondition("observation.to_act", f"{view.to_act} is to act, not the observer")
        return view.legal_moves()

    async def validate(self, seen: Seen) -> int:
        """Who is to act in the position; refused with the part that is wrong where it is impossible."""
        return read(seen).to_act

    # -- many positions

    async def batch(
        self, positions: Sequence[Seen], search: SearchRequest, origin: Origin = LOCAL, *, then: Then[T]
    ) -> AsyncGenerator[tuple[int, T | Problem]]:
        """Each position as it is done: its number, and the answer or what is wrong with the position."""
        if not 1 <= len(positions) <= MAX_BATCH:
            raise not_allowed("items", f"{len(positions)} positions", f"1 to {MAX_BATCH}")
        self._allow(search, origin)
        with self._batches.place(origin.client) as places:
            unread = asyncio.Semaphore(self._runner.workers + UNREAD)

            async def one(number: int, seen: Seen) -> tuple[int, T | Problem]:
                await unread.acquire()
                async with places:
                    try:
                        return number, await self._choose(seen, search, origin, then, patient=True)
                    except Refused as refusal:
                        if not refusal.field:
                            raise
                        return number, problem_of(refusal)

            tasks = [asyncio.ensure_future(one(*pair)) for pair in enumerate(positions)]
            try:
                for answer in asyncio.as_completed(tasks):
                    yield await answer
                    unread.release()
            finally:
                for task in tasks:
                    task.cancel()

    # -- a whole turn

    async def play_turn(
        self,
        seen: Seen,
        search: SearchRequest,
        heard: AsyncIterator[Outcome | Sight],
        origin: Origin = LOCAL,
        *,
        field: str = "observation",
        then: Then[T],
    ) -> AsyncGenerator[tuple[T | None, Need]]:
        """The bot's moves until its turn is over, each with what it must hear before it can go on."""
        self._allow(search, origin)
        turn = BotTurn(read(seen, field), field)
        bot = search.spec.make(search.seed)

        def both(view: View, result: Result) -> tuple[str, T]:
            return result.move, then(view, result)

        while True:
            move, answer = await self._choose(turn.view, search, origin, both, bot)
            need = await asyncio.to_thread(turn.play, move)
            yield answer, need
            while need in ("outcome", "observation"):
                said = await anext(heard, None)
                if said is None:
                    return
                need = await asyncio.to_thread(turn.hear, said, need)
                if need != "nothing":
                    yield None, need
            if need == "over":
                return

    # -- what they share

    def check(self, search: SearchRequest, origin: Origin) -> None:
        """Refuses what may not be asked, or cannot begin in time, before anything else is done for it."""
        self._allow(search, origin)
        self._runner.check_room(origin, search.priority)

    def _allow(self, search: SearchRequest, origin: Origin) -> None:
        self._runner.bounds.check(search.spec, "options.bot")
        if search.priority == HIGH:
            origin.client.need(URGENT, "options.priority")

    async def _choose(
        self,
        seen: Seen,
        search: SearchRequest,
        origin: Origin,
        then: Then[T],
        bot: ObservingBot | None = None,
        progress: Progress | None = None,
        patient: bool = False,
    ) -> T:
        try:
            return await self._runner.run(
                origin,
                bot or search.spec.make(search.seed),
                seen,
                priority=search.priority,
                consider=search.consider,
                avoid=search.avoid,
                lines=search.lines,
                progress=progress,
                patient=patient,
                then=then,
            )
        except ValueError as error:
            raise refusal_of(error, search, seen) from None


def refusal_of(error: ValueError, search: SearchRequest, seen: Seen) -> Refused:
    """Which field was to blame: the position, or one of the moves to consider or avoid."""
    try:
        view = as_view(seen)
    except ValueError as wrong:
        return from_value_error(wrong, "observation")
    if view.to_act != view.seat:
        return precondition("observation.to_act", str(error).removeprefix("observation: "))
    for field, texts in (("options.consider", search.consider), ("options.avoid", search.avoid)):
        for number, text in enumerate(texts):
            try:
                view.parse_move(text)
            except ValueError as wrong:
                return invalid(f"{field}[{number}]", str(wrong))
    return from_value_error(error, "options", NAMES)


def read(seen: Seen, field: str = "observation") -> View:
    try:
        return as_view(seen)
    except ValueError as error:
        raise from_value_error(error, field) from None


def problem_of(refusal: Refused) -> Problem:
    """A refused position: the part of it that is to blame."""
    return Problem(refusal.field.removeprefix("observation").removeprefix("."), refusal.description)


class Latest(Generic[T]):
    """The newest value, for whoever is ready for one."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._value: T | None = None

    def tell(self, value: T) -> None:
        """From the thread of the search."""
        self._value = value
        self._loop.call_soon_threadsafe(self._news.set)

    async def get(self) -> T:
        """A value that was not given before."""
        await self._news.wait()
        self._news.clear()
        assert self._value is not None
        return self._value


class Batches:
    """The batches of each client: how many there are, and the places in the queue that they share."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._clients: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @contextmanager
    def place(self, client: Caller) -> Iterator[asyncio.Semaphore]:
        # As many at a time as can run: the rest would only stand in the queue.
        at_once = min(self._workers, client.concurrent_searches or self._workers)
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


class BotTurn:
    """A turn of a bot whose game somebody else keeps: what its seat sees, as far as that can be worked out."""

    def __init__(self, view: View, field: str) -> None:
        self.view = view
        self.number = view.turn_number
        if view.to_act != view.seat:
            raise precondition(f"{field}.to_act", f"{view.to_act} is to act, not the observer")

    def play(self, text: str) -> Need:
        """A move or outcome happened; what it leads to is known unless it showed something hidden."""
        return self._see(self.view.after(text))

    def _see(self, views: list[View]) -> Need:
        if len(views) != 1:
            return "observation"
        self.view = views[0]
        return self._need()

    def _need(self) -> Need:
        if self.view.is_over or self.view.turn_number != self.number:
            return "over"
        if self.view.to_act == self.view.seat:
            return "nothing"
        return "outcome" if self.view.to_act == CHANCE else "observation"

    def hear(self, said: Outcome | Sight, need: Need) -> Need:
        """What the caller reports."""
        if isinstance(said, Sight):
            observer = said.observation["observer"]
            if observer != self.view.seat:
                raise not_allowed("observation.observer", observer, str(self.view.seat))
            self.view = read(said.observation)
            return self._need()
        if need != "outcome":
            raise precondition("outcome", "not what is needed now; allowed: an observation")
        try:
            views = self.view.after(said.text)
            if not views:
                self.view.imagined(0).parse_move(said.text)
        except IllegalMove as error:
            raise from_value_error(error, "outcome") from None
        return self._see(views)
