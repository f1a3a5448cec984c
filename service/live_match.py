"""Matches in memory: the position that the log of a match leads to, and what happens next."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pythia.core_cy import CHANCE, NOBODY, SPECTATOR, Random, State, View, state_from_json
from pythia.core_cy.record import result_of
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec, ObservingBot
from pythia.service.errors import Refused, conflict, not_found, precondition
from pythia.service.sharing import Sharing
from pythia.service.store import Event, Header, MatchStore, Rotation, Stored, VersionConflict
from pythia.service.types import Autoplay, Match, MatchMoves, Seat
from pythia.service.visibility import hidden_from, shows_something

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics

Json = dict[str, Any]

DAY = 86_400.0
# How often old matches are looked for, and how many are removed before others may use the store.
RETENTION_SECONDS = 600.0
RETENTION_BATCH = 100
# How many matches are compared with the store by one query.
LOOK_AT_ONCE = 500
# Announced in place of a version when something else has changed: a token was replaced, autoplay paused, or the
# match deleted.
CHANGED = -1


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
        self.autoplay: Autoplay | None = stored.autoplay
        self.is_stale = False  # deleted, or changed by another server: to be read again
        self.lock = asyncio.Lock()
        # A comparison with the store that has not begun yet.
        self.next_check: asyncio.Task[None] | None = None
        self.followers: set[Callable[[], None]] = set()  # each is called when something has changed
        self.moves: MatchMoves | None = None  # those of the version it names
        self.cached: Match | None = None  # how it stands, until something changes
        self._seen: dict[int, Json] = {}  # the same for what viewers see
        self.guarded_by: tuple[str, int] | None = None  # the game and the key of what everyone sees
        self.is_thinking = False  # a bot's turn is being played
        self.showed_at = -1  # the version whose last move was found to have shown something
        self._bots: dict[int, ObservingBot] = {}

    def drop_cached(self) -> None:
        """Drop the cached answers; in the same step as the change, before anyone can look."""
        self.cached = None
        self._seen.clear()

    def tell_followers(self) -> None:
        for tell in list(self.followers):
            tell()

    def observation(self, viewer: int) -> Json:
        """What a seat or a spectator sees now. Callers must not change it."""
        if viewer not in self._seen:
            self._seen[viewer] = self.state.observation(viewer)
        return self._seen[viewer]

    def add(self, step: MatchStep) -> None:
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
        self.drop_cached()

    def position(self, moves: int) -> State:
        """The position after the first `moves` moves of the line."""
        return replayed(self.header.start, self.line[:moves])

    def after(self, events: Sequence[Event]) -> MatchStep:
        """What another server wrote to the log, and the position it leads to."""
        if any(event.kind == "undo" for event in events):
            line = line_of([*self.events, *events])
            return MatchStep(list(events), replayed(self.header.start, line))
        state = self.state.clone()
        for event in events:
            if event.kind == "move":
                state.apply(event.text)
        return MatchStep(list(events), state)

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

    @property
    def people(self) -> list[int]:
        """The seats that people play."""
        return [number for number, seat in enumerate(self.seats) if seat.bot is None]

    @property
    def allows_hints(self) -> bool:
        """Not during a match between people, unless it was created with hints."""
        return self.is_over or self.header.hints or len(self.people) < 2

    @property
    def is_guarded(self) -> bool:
        """Whether nobody should get advice about it elsewhere. Openings, which many matches share, are everybody's."""
        if self.allows_hints or self.to_act not in self.people:
            return False
        return {event.by for event in self.line}.issuperset(range(self.players))

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

    def play(self, text: str) -> MatchStep:
        """A move or outcome, and what chance draws after it. The match itself stays as it is; ValueError if illegal."""
        state = self.state.clone()
        first = happened(state, text)
        return MatchStep([first, *self.draw_chance(state, len(self.line) + 1)], state)

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
            raise precondition(
                "match_id", "dice were rolled or cards drawn since the last move", "CHANCE_DRAWN"
            )
        return self.line[-1]

    def before_last_move(self) -> State:
        """The position that taking the last move back leads to, if the move showed people nothing. Takes a while.

        What a bot saw does not matter: it decides by the position alone, and forgets what was taken back.
        """
        last = self.last_move()
        state = self.position(len(self.line) - 1)
        if self.showed_at == self.version or shows_something(state, last.text, {last.by, *self.people}):
            self.showed_at = self.version
            raise precondition("match_id", f"{last.text!r} showed something hidden", "SOMETHING_SHOWN")
        return state


@dataclass(frozen=True)
class MatchStep:
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


def replayed(start: Json, line: Sequence[Event]) -> State:
    """The position after these moves."""
    state = state_from_json(start)
    for event in line:
        state.apply(event.text)
    return state


class LiveMatches:
    """The matches of a store. Those used lately stay in memory; each is there only once, however many use it.

    Where other servers use the store as well, `get` answers with all that any of them had acknowledged before, and who
    watches a match hears of what they write (sharing.py).
    """

    def __init__(self, store: MatchStore, keep: int, metrics: Metrics) -> None:
        self._store = store
        self._keep = keep
        self._metrics = metrics
        self._recent: OrderedDict[str, LiveMatch] = OrderedDict()
        self._alive: WeakValueDictionary[str, LiveMatch] = WeakValueDictionary()
        self._loading: dict[str, asyncio.Future[LiveMatch]] = {}
        self._catching_up: set[asyncio.Task[None]] = set()
        self._sharing: Sharing | None = None
        # Matches between people without hints, by the game and what everyone sees.
        self._guarded: WeakValueDictionary[tuple[str, int], LiveMatch] = WeakValueDictionary()
        # Called when a match is there or has changed.
        self.heard: Callable[[LiveMatch], None] = lambda _: None
        self.stopping = False

    def share(self, url: str) -> None:
        """Notify other servers on the same store of events here, and receive theirs."""
        if self._store.is_shared:
            self._sharing = Sharing(url, self._hear, self._look, self._metrics)
            self._sharing.start()

    @property
    def troubles(self) -> list[str]:
        return [] if self._sharing is None else self._sharing.troubles

    def close(self) -> None:
        if self._sharing is not None:
            self._sharing.stop()

    async def count(self) -> None:
        self._metrics.active_matches.set(await self._store.count_active())

    def stop(self) -> None:
        """Wake all who watch, so that they see that the server stops."""
        self.stopping = True
        for match in list(self._alive.values()):
            match.tell_followers()

    def guard(self, view: View) -> None:
        """Refuses a view that the person to act may have now in a match between people without hints.

        Only what everyone sees is compared: a refusal of the true hand alone would tell others which guess is right.
        A courtesy among players, not a guarantee: a position with a changed detail gets an answer. Any thread.
        """
        shown = View.of(view.imagined(0), SPECTATOR)
        match = self._guarded.get((shown.game.name, shown.key))
        if match is None or match.allows_hints or match.to_act != view.seat:
            return
        if View.of(match.state, SPECTATOR).observation() == shown.observation():
            raise precondition(
                "observation",
                "looks like the position of a player in a running match between people, whose creator did not "
                "allow hints",
                "HINTS_NOT_ALLOWED",
            )

    def _changed(self, match: LiveMatch) -> None:
        """It is there now, or another one than before."""
        if match.guarded_by is not None and self._guarded.get(match.guarded_by) is match:
            del self._guarded[match.guarded_by]
        match.guarded_by = None
        if match.is_guarded and not match.is_stale:
            match.guarded_by = match.state.game.name, View.of(match.state, SPECTATOR).key
            self._guarded[match.guarded_by] = match
        match.tell_followers()
        if not match.is_stale:
            self.heard(match)

    def known(self, match_id: str) -> LiveMatch | None:
        """The match, if it is in memory."""
        return self._alive.get(match_id)

    async def get(self, match_id: str) -> LiveMatch:
        match = self._alive.get(match_id)
        is_fresh = False
        if match is None:
            # Two who ask at the same time must get the same object: the second waits for the first.
            loading = self._loading.get(match_id)
            if loading is None:
                loading = self._loading[match_id] = asyncio.ensure_future(self._load(match_id))
                loading.add_done_callback(lambda _: self._loading.pop(match_id, None))
                is_fresh = True
            match = await asyncio.shield(loading)
        if self._store.is_shared and not is_fresh:
            await self.catch_up(match)
            if match.is_stale:  # another match has got its id
                return await self.get(match_id)
        self._remember(match)
        return match

    async def catch_up(self, match: LiveMatch) -> None:
        """Bring the match to what any server had acknowledged before this call; NOT_FOUND when it is gone.

        All who call before the comparison begins share it.
        """
        if not self._store.is_shared:
            return
        if match.next_check is None:
            match.next_check = asyncio.create_task(self._check(match))
        await asyncio.shield(match.next_check)

    async def _check(self, match: LiveMatch) -> None:
        # A change that is being written here is in the store before it is in the match: wait for it, then compare.
        async with match.lock:
            match.next_check = None
            if match.is_stale:
                return
            newer = await self._store.since(match.header.id, match.version)
            if newer is None or newer.created != match.header.created:
                self._forget(match)
                if newer is None:
                    raise no_match(match.header.id)
                return
            if not newer.events and (newer.rotations, newer.autoplay) == (match.rotations, match.autoplay):
                return
            if newer.events:
                match.add(await asyncio.to_thread(match.after, newer.events))
            if newer.rotations != match.rotations:
                match.rotations = newer.rotations
            match.autoplay = newer.autoplay
            match.drop_cached()
            self._changed(match)

    def _announce(self, match: LiveMatch, version: int = CHANGED) -> None:
        if self._sharing is not None:
            self._sharing.announce(match.header.id, version)

    def _hear(self, match_id: str, version: int) -> None:
        """Another server, or this one, has written to a match."""
        match = self._alive.get(match_id)
        if match is not None and (version == CHANGED or version > match.version):
            self._catch_up_soon(match)

    async def _look(self) -> None:
        """Compare all matches in memory with the store."""
        matches = list(self._alive.values())
        for first in range(0, len(matches), LOOK_AT_ONCE):
            some = matches[first : first + LOOK_AT_ONCE]
            standings = await self._store.standings([match.header.id for match in some])
            for match in some:
                found = standings.get(match.header.id)
                if (
                    found is None
                    or found.created != match.header.created
                    or found.version > match.version
                    or (found.rotations, found.autoplay) != (match.rotations, match.autoplay)
                ):
                    self._catch_up_soon(match)

    def _catch_up_soon(self, match: LiveMatch) -> None:
        if match.next_check is not None:
            return

        async def catch_up() -> None:
            with suppress(
                Refused
            ):  # it is gone, as watchers will hear; or the store has failed, which it has reported
                await self.catch_up(match)

        task = asyncio.create_task(catch_up())
        self._catching_up.add(task)
        task.add_done_callback(self._catching_up.discard)

    def alone(self, work: str, match_id: str) -> AbstractAsyncContextManager[bool]:
        """Whether this server may do some work on a match; no other does it until the block ends."""
        return nullcontext(True) if self._sharing is None else self._sharing.lock(f"{work}/{match_id}")

    @asynccontextmanager
    async def bot_turn(self, match: LiveMatch) -> AsyncGenerator[None]:
        """Nobody else plays the bot's turn meanwhile, here or on another server; ABORTED if somebody does already."""
        if match.is_thinking:
            raise conflict("the bot's turn is being played already")
        match.is_thinking = True
        try:
            async with self.alone("turn", match.header.id) as is_ours:
                if not is_ours:
                    raise conflict("the bot's turn is being played already, by another server")
                # Between the caller's look and the lock another server may have played it.
                await self.catch_up(match)
                yield
        finally:
            match.is_thinking = False

    async def _load(self, match_id: str) -> LiveMatch:
        stored = await self._store.load(match_id)
        if stored is None:
            raise no_match(match_id)
        match = await asyncio.to_thread(LiveMatch, stored)
        # At once: a caller that comes after this load, and before those that wait for it go on, must find it.
        self._remember(match)
        self._changed(match)
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
        self._changed(match)

    async def create(
        self,
        header: Header,
        events: Sequence[Event] = (),
        most: int | None = None,
        autoplay: Autoplay | None = None,
    ) -> LiveMatch:
        """A new match, chance drawn; the one that stands when there is one of this id.

        TooMany when its owner has `most` others.
        """
        match = await asyncio.to_thread(LiveMatch, Stored(header, list(events), autoplay=autoplay))
        state = match.state.clone()
        drawn = match.draw_chance(state, len(match.line)) if not match.is_over else []
        is_new = await self._store.create(header, [*events, *drawn], state.is_over, most, autoplay)
        if is_new and not state.is_over:
            self._metrics.active_matches.inc()
        # Who sent the same request at the same time may be reading it, or have found nothing just before.
        while loading := self._loading.get(header.id):
            await asyncio.wait((loading,))
        if not is_new or header.id in self._alive:
            return await self.get(header.id)
        match.add(MatchStep(drawn, state))
        self._remember(match)
        self._changed(match)
        return match

    async def commit(self, match: LiveMatch, step: MatchStep, key: tuple[str, str] | None = None) -> None:
        """Write what happens to the log, then swap it into the match. The caller holds the match's lock."""

        async def write() -> None:
            await self._store.append(match.header.id, match.version, step.events, step.is_over, key)
            match.add(step)
            self._announce(match, match.version)
            if match.is_over:
                self._metrics.active_matches.dec()

        await self._change(match, write())

    async def play_at(self, match: LiveMatch, version: int, move: str) -> None:
        """Play what a bot chose at a version, if the match still has it."""
        async with match.lock:
            if match.version != version or match.is_stale:
                raise conflict("the match has changed while the bot was thinking")
            await self.commit(match, match.play(move))

    async def rotate(self, match: LiveMatch, holder: int | str, rotation: Rotation) -> None:
        """Replace a token. The caller holds the match's lock."""

        async def write() -> None:
            rotations = match.rotations | {str(holder): rotation}
            await self._store.rotate(match.header.id, match.rotations, rotations)
            match.rotations = rotations
            match.drop_cached()
            self._announce(match)

        await self._change(match, write())

    async def set_autoplay(self, match: LiveMatch, autoplay: Autoplay) -> None:
        """Pause or resume it. The caller holds the match's lock."""

        async def write() -> None:
            await self._store.set_autoplay(match.header.id, match.autoplay, autoplay)
            match.autoplay = autoplay
            match.drop_cached()
            self._announce(match)

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
                self._changed(match)
        except VersionConflict:
            self._forget(match)
            raise conflict("the match has changed in the meantime; read it again") from None

    async def delete(self, match: LiveMatch) -> None:
        """The caller holds the match's lock."""
        await self._store.delete(match.header.id)
        self._announce(match)
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
