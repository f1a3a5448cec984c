"""Matches in memory: the position that the log of a match leads to, and what happens next."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pythia.core_cy import CHANCE, NOBODY, Random, State, View, state_from_json
from pythia.core_cy.record import result_of
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec, ObservingBot
from pythia.service.errors import Refused, conflict, not_found, precondition
from pythia.service.store import Event, Header, MatchStore, Rotation, Stored, VersionConflict
from pythia.service.types import MatchMoves, Seat
from pythia.service.visibility import hidden_from, shows_something

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics

Json = dict[str, Any]

DAY = 86_400.0
# How often old matches are looked for, and how many are removed before others may use the store.
RETENTION_SECONDS = 600.0
RETENTION_BATCH = 100


class LiveMatch:
    """One match: its log, and the position it leads to. Changes only by `LiveMatches.commit`."""

    def __init__(self, stored: Stored) -> None:
        self.header: Header = stored.header
        self.seats: tuple[Seat, ...] = tuple(seat_of(seat) for seat in stored.header.seats)
        self.events: list[Event] = list(stored.events)
        self.line: list[Event] = line_of(self.events)
        self.state: State = self.position(len(self.line))
        self.resigned: int | None = next((event.by for event in self.events if event.kind == "resign"), None)
        self.rotations: dict[str, Rotation] = stored.rotations
        self.is_stale = False  # deleted, or changed by another server: to be read again
        self.lock = asyncio.Lock()
        self.changed = asyncio.Event()
        self.moves: MatchMoves | None = None  # those of the version it names
        self.is_thinking = False  # a bot's turn is being played
        self.showed_at = -1  # the version whose last move was found to have shown something
        self._bots: dict[int, ObservingBot] = {}

    def add(self, step: Step) -> None:
        """Events that are in the log, and the position they lead to."""
        for event in step.events:
            self.events.append(event)
            if event.kind == "undo":
                self.line.pop()
            elif event.kind == "resign":
                self.resigned = event.by
            else:
                self.line.append(event)
        self.state = step.state

    def position(self, moves: int) -> State:
        """The position after so many moves of the line."""
        state = state_from_json(self.header.start)
        for event in self.line[:moves]:
            state.apply(event.text)
        return state

    def rotation(self, holder: int | str) -> Rotation:
        """How often the token of a seat or the owner was replaced."""
        return self.rotations.get(str(holder), Rotation())

    @property
    def version(self) -> int:
        return len(self.events)

    @property
    def updated(self) -> float:
        """When the last event happened."""
        return self.events[-1].time if self.events else self.header.created

    @property
    def players(self) -> int:
        return self.state.game.players

    @property
    def is_over(self) -> bool:
        return self.resigned is not None or self.state.is_over

    @property
    def to_act(self) -> int:
        return NOBODY if self.is_over else self.state.to_act

    @property
    def result(self) -> Json:
        """Once over: winners, returns and reason."""
        if self.resigned is None:
            return result_of(self.state)
        others = [seat for seat in range(self.players) if seat != self.resigned]
        returns = [0.0 if seat == self.resigned else 1 / len(others) for seat in range(self.players)]
        return {"winners": others, "returns": returns, "reason": "resignation"}

    def bot_spec(self, seat: int) -> BotSpec | None:
        return self.seats[seat].bot

    def bot(self, seat: int) -> ObservingBot:
        """The bot of a seat, kept from call to call.

        With a limit for the turn it carries trees and what is left of the limit on to its next decision. So a new one,
        after a restart, plays the same from the next turn on; with a limit for each decision, from now on.
        """
        if seat not in self._bots:
            spec = self.bot_spec(seat)
            if spec is None:
                raise precondition("match_id", f"seat {seat} is to act, and a person plays it")
            self._bots[seat] = spec.make(seed_of(self.header.seed, "bot", seat))
        return self._bots[seat]

    def play(self, text: str) -> Step:
        """A move or outcome, and what chance draws after it. The match itself stays as it is; ValueError if illegal."""
        state = self.state.clone()
        first = happened(state, text)
        return Step([first, *self.draw_chance(state, len(self.line) + 1)], state)

    def why_illegal(self, text: str, error: ValueError) -> str:
        """Why a move is refused, in words that follow from what the seat sees: the true reason might tell more."""
        seat = self.state.to_act
        if seat < 0:
            return str(error)
        try:
            View.of(self.state, seat).parse_move(text)
        except ValueError as imagined:
            return str(imagined)
        return f"{text!r}: not legal now"

    def draw_chance(self, state: State, count: int) -> list[Event]:
        """What chance draws after `count` moves and outcomes, applied to `state`; with real dice nothing."""
        events: list[Event] = []
        while not self.header.real_dice and state.to_act == CHANCE:
            luck = Random(seed_of(self.header.seed, "luck", count + len(events)))
            events.append(happened(state, str(state.sample_chance(luck))))
        return events

    def last_move(self) -> Event:
        """The move to take back, if it was a player's; quickly found."""
        if self.is_over:
            raise precondition("match_id", "the match is over")
        if not self.line:
            raise precondition("match_id", "there is no move to take back")
        if self.line[-1].by == CHANCE:
            raise precondition("match_id", "dice or cards were drawn since the last move", "CHANCE_DRAWN")
        return self.line[-1]

    def before_last_move(self) -> State:
        """The position that taking the last move back leads to, if the move showed nothing to anyone. Takes a while."""
        last = self.last_move()
        state = self.position(len(self.line) - 1)
        if self.showed_at == self.version or shows_something(state, last.text):
            self.showed_at = self.version
            raise precondition("match_id", f"{last.text!r} showed something hidden", "SOMETHING_SHOWN")
        return state


@dataclass(frozen=True)
class Step:
    """What happens next in a match: events for its log, and the position after them. No event is applied again."""

    events: list[Event]
    state: State

    @property
    def is_over(self) -> bool:
        return self.state.is_over or self.events[-1].kind == "resign"


def happened(state: State, text: str) -> Event:
    """The event of a move or outcome, which is applied to the state."""
    before = state.clone()
    state.apply(text)
    return Event(before.to_act, "move", text, hidden_from(before, text, state), time.time())


def seat_of(seat: Json) -> Seat:
    """A seat as the store keeps it."""
    return Seat(seat["name"], BotSpec.parse(seat["bot"]) if "bot" in seat else None)


def line_of(events: Sequence[Event]) -> list[Event]:
    """The moves and outcomes that stand, without those taken back."""
    line: list[Event] = []
    for event in events:
        if event.kind == "undo":
            line.pop()
        elif event.kind == "move":
            line.append(event)
    return line


class LiveMatches:
    """The matches of a store. Those used lately stay in memory; each is there only once, however many use it."""

    def __init__(self, store: MatchStore, keep: int, metrics: Metrics) -> None:
        self._store = store
        self._keep = keep
        self._metrics = metrics
        self._recent: OrderedDict[str, LiveMatch] = OrderedDict()
        self._alive: WeakValueDictionary[str, LiveMatch] = WeakValueDictionary()
        self._loading: dict[str, asyncio.Future[LiveMatch]] = {}
        self.stopping = False

    async def count(self) -> None:
        self._metrics.active_matches.set(await self._store.count_active())

    def stop(self) -> None:
        """Wake all who watch, so that they see that the server stops."""
        self.stopping = True
        for match in list(self._alive.values()):
            match.changed.set()

    async def get(self, match_id: str) -> LiveMatch:
        match = self._alive.get(match_id)
        if match is None:
            # Two who ask at the same time must get the same object: the second waits for the first.
            loading = self._loading.get(match_id)
            if loading is None:
                loading = self._loading[match_id] = asyncio.ensure_future(self._load(match_id))
                loading.add_done_callback(lambda _: self._loading.pop(match_id, None))
            match = await asyncio.shield(loading)
        self._remember(match)
        return match

    async def _load(self, match_id: str) -> LiveMatch:
        stored = await self._store.load(match_id)
        if stored is None:
            raise no_match(match_id)
        match = await asyncio.to_thread(LiveMatch, stored)
        # At once: whoever asks after this load has ended, and before those who wait for it go on, must find it.
        self._remember(match)
        return match

    async def reload(self, match: LiveMatch) -> LiveMatch:
        """The match as the store has it, which knows more than this one does."""
        self._forget(match)
        return await self.get(match.header.id)

    def _remember(self, match: LiveMatch) -> None:
        self._alive[match.header.id] = match
        self._recent[match.header.id] = match
        self._recent.move_to_end(match.header.id)
        if len(self._recent) > self._keep:
            self._recent.popitem(last=False)

    def _forget(self, match: LiveMatch) -> None:
        match.is_stale = True
        if self._alive.get(match.header.id) is match:
            self._recent.pop(match.header.id, None)
            self._alive.pop(match.header.id, None)
        match.changed.set()

    async def create(
        self, header: Header, events: Sequence[Event] = (), most: int | None = None
    ) -> LiveMatch:
        """A new match, chance drawn; the one that stands when there is one of this id.

        TooMany when its owner has `most` others.
        """
        match = await asyncio.to_thread(LiveMatch, Stored(header, list(events)))
        state = match.state.clone()
        drawn = match.draw_chance(state, len(match.line)) if not match.is_over else []
        is_new = await self._store.create(header, [*events, *drawn], state.is_over, most)
        if is_new and not state.is_over:
            self._metrics.active_matches.inc()
        # Who sent the same request at the same time may be reading it, or have found nothing just before.
        while loading := self._loading.get(header.id):
            await asyncio.wait((loading,))
        if not is_new or header.id in self._alive:
            return await self.get(header.id)
        match.add(Step(drawn, state))
        self._remember(match)
        return match

    async def commit(self, match: LiveMatch, step: Step, key: tuple[str, str] | None = None) -> None:
        """Write what happens to the log, then swap it into the match. The caller holds the match's lock."""

        async def write() -> None:
            await self._store.append(match.header.id, match.version, step.events, step.is_over, key)
            match.add(step)
            if match.is_over:
                self._metrics.active_matches.dec()

        await self._change(match, write())

    async def rotate(self, match: LiveMatch, holder: int | str, rotation: Rotation) -> None:
        """Replace a token. The caller holds the match's lock."""

        async def write() -> None:
            rotations = match.rotations | {str(holder): rotation}
            await self._store.rotate(match.header.id, match.rotations, rotations)
            match.rotations = rotations

        await self._change(match, write())

    async def _change(self, match: LiveMatch, write: Coroutine[Any, Any, None]) -> None:
        """Let it write to the store and to the match, and tell all who watch."""
        try:
            if match.is_stale:  # since then another match may have got its id
                write.close()
                raise VersionConflict
            writing = asyncio.ensure_future(write)
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                # The caller is gone, but what is being written must also be known here before the lock is free.
                await asyncio.wait((writing,))
                raise
            finally:
                match.changed.set()
                match.changed = asyncio.Event()
        except VersionConflict:
            self._forget(match)
            raise conflict("the match has changed meanwhile; look again") from None

    async def delete(self, match: LiveMatch) -> None:
        """The caller holds the match's lock."""
        await self._store.delete(match.header.id)
        if not match.is_over:
            self._metrics.active_matches.dec()
        self._forget(match)

    async def retain(self, finished_days: float, idle_days: float) -> None:
        """Remove matches that ended, or whose last move was, more days ago; now and again and again. 0: never."""
        while finished_days or idle_days:
            for over, days in ((True, finished_days), (False, idle_days)):
                if days:
                    with suppress(Refused):  # the store has failed and said so; there is a next time
                        await self._remove(over, time.time() - days * DAY)
            await asyncio.sleep(RETENTION_SECONDS)

    async def _remove(self, over: bool, before: float) -> None:
        removed = True
        while removed:
            removed = False
            for match_id in await self._store.expired(over, before, RETENTION_BATCH):
                match = self._alive.get(match_id)
                async with match.lock if match is not None else nullcontext():
                    if await self._store.delete(match_id, before):
                        removed = True
                        if match is not None:
                            self._forget(match)
        await self.count()


def no_match(match_id: str) -> Refused:
    return not_found("match_id", f"{match_id[:100]!r} is not a match of this server")
