"""Matches in memory: the position that the log of a match leads to, and what happens next."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from weakref import WeakValueDictionary

from pythia.core_cy import CHANCE, NOBODY, Random, State, View, state_from_json
from pythia.core_cy.record import result_of
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec, ObservingBot
from pythia.service.errors import conflict, not_found, precondition
from pythia.service.fairness import hidden_from, shows_something
from pythia.service.metrics import Metrics
from pythia.service.store import Conflict, Event, Header, Store, Stored

Json = dict[str, Any]


class Match:
    """One match: its log, and the position it leads to. Changes only by `Matches.commit`."""

    def __init__(self, stored: Stored) -> None:
        self.header: Header = stored.header
        self.events: list[Event] = []
        self.line: list[Event] = []  # the moves and outcomes that stand, without those taken back
        self.state: State = state_from_json(self.header.start)
        self.resigned: int | None = None
        self.is_stale = False  # deleted, or changed by another server: to be read again
        self.lock = asyncio.Lock()
        self.changed = asyncio.Event()
        self.legal_moves: tuple[int, bytes] | None = None  # an answer kept ready, and its version
        self.is_thinking = False  # a bot's turn is being played
        self._bots: dict[int, ObservingBot] = {}
        for event in stored.events:
            self.add(event)

    def add(self, event: Event) -> None:
        """An event that is in the log."""
        self.events.append(event)
        if event.kind == "undo":
            self.line.pop()
            self.state = self.position(len(self.line))
        elif event.kind == "resign":
            self.resigned = event.by
        else:
            self.state.apply(event.text)
            self.line.append(event)

    def position(self, moves: int) -> State:
        """The position after so many moves of the line."""
        state = state_from_json(self.header.start)
        for event in self.line[:moves]:
            state.apply(event.text)
        return state

    @property
    def version(self) -> int:
        return len(self.events)

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
        text = self.header.seats[seat].get("bot")
        return None if text is None else BotSpec.parse(text)

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

    def move_events(self, text: str) -> list[Event]:
        """A move or outcome, and what chance draws after it. The match itself stays as it is; ValueError if illegal."""
        state = self.state.clone()
        hidden = hidden_from(state, text) if state.to_act == CHANCE else []
        by = state.to_act
        state.apply(text)
        first = Event(by, "move", text, hidden, time.time())
        return [first, *self.chance_events(state, len(self.line) + 1)]

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

    def chance_events(self, state: State, count: int) -> list[Event]:
        """What chance draws from here on, applied to `state`; with real dice nothing."""
        events: list[Event] = []
        while not self.header.real_dice and state.to_act == CHANCE:
            luck = Random(seed_of(self.header.seed, "luck", count + len(events)))
            text = str(state.sample_chance(luck))
            events.append(Event(CHANCE, "move", text, hidden_from(state, text), time.time()))
            state.apply(text)
        return events

    def undo_event(self) -> Event:
        """The last move taken back, if it was a player's and showed nothing to anyone."""
        if self.is_over:
            raise precondition("match_id", "the match is over")
        if not self.line:
            raise precondition("match_id", "there is no move to take back")
        last = self.line[-1]
        if last.by == CHANCE:
            raise precondition("match_id", "dice or cards were drawn since the last move", "CHANCE_DRAWN")
        if shows_something(self.position(len(self.line) - 1), last.text):
            raise precondition("match_id", f"{last.text!r} showed something hidden", "SOMETHING_SHOWN")
        return Event(last.by, "undo", time=time.time())


class Matches:
    """The matches of a store. Those used lately stay in memory; each is there only once, however many use it."""

    def __init__(self, store: Store, keep: int, metrics: Metrics) -> None:
        self._store = store
        self._keep = keep
        self._metrics = metrics
        self._recent: OrderedDict[str, Match] = OrderedDict()
        self._alive: WeakValueDictionary[str, Match] = WeakValueDictionary()
        self._loading: dict[str, asyncio.Future[Match]] = {}
        self.stopping = False

    async def count(self) -> None:
        self._metrics.active_matches.set(await self._store.count_active())

    def stop(self) -> None:
        """Wake all who watch, so that they see that the server stops."""
        self.stopping = True
        for match in list(self._alive.values()):
            match.changed.set()

    async def get(self, match_id: str) -> Match:
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

    async def _load(self, match_id: str) -> Match:
        stored = await self._store.load(match_id)
        if stored is None:
            raise not_found("match_id", f"{match_id[:100]!r} is not a match of this server")
        return Match(stored)

    def _remember(self, match: Match) -> None:
        self._alive[match.header.id] = match
        self._recent[match.header.id] = match
        self._recent.move_to_end(match.header.id)
        if len(self._recent) > self._keep:
            self._recent.popitem(last=False)

    def _forget(self, match: Match) -> None:
        match.is_stale = True
        self._recent.pop(match.header.id, None)
        self._alive.pop(match.header.id, None)
        match.changed.set()

    async def create(self, header: Header, events: Sequence[Event] = ()) -> Match:
        """A new match, chance drawn; the one that stands when there is one of this id."""
        match = Match(Stored(header, list(events)))
        state = match.state.clone()
        drawn = match.chance_events(state, len(match.line)) if not match.is_over else []
        all_events = [*events, *drawn]
        if not await self._store.create(header, all_events, state.is_over):
            return await self.get(header.id)
        for event in drawn:
            match.add(event)
        self._remember(match)
        if not match.is_over:
            self._metrics.active_matches.inc()
        return match

    async def commit(self, match: Match, events: list[Event], key: tuple[str, str] | None = None) -> None:
        """Write events to the log, then to the match. The caller holds the match's lock."""
        over = is_over_after(match, events)
        try:
            writing = asyncio.ensure_future(self._write(match, events, over, key))
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                # The caller is gone, but what is being written must also be known here before the lock is free.
                await asyncio.wait((writing,))
                raise
        except Conflict:
            self._forget(match)
            raise conflict("the match has changed meanwhile; look again") from None

    async def _write(
        self, match: Match, events: list[Event], over: bool, key: tuple[str, str] | None
    ) -> None:
        await self._store.append(match.header.id, match.version, events, over, key)
        for event in events:
            match.add(event)
        if match.is_over:
            self._metrics.active_matches.dec()
        match.changed.set()
        match.changed = asyncio.Event()

    async def delete(self, match: Match) -> None:
        await self._store.delete(match.header.id)
        if not match.is_over:
            self._metrics.active_matches.dec()
        self._forget(match)


def is_over_after(match: Match, events: Sequence[Event]) -> bool:
    if events[-1].kind != "move":
        return events[-1].kind == "resign"
    state = match.state.clone()
    for event in events:
        state.apply(event.text)
    return state.is_over
