"""Whole games with the service as referee, as plain Python: what the gRPC servicer and local clients call."""

from __future__ import annotations

import asyncio
import hashlib
import io
import secrets
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, TypeVar

import grpc

from pythia.core_cy import CHANCE, SPECTATOR, BadOption, GameInfo, State, View, game_info, load_game
from pythia.core_cy.record import Record, header_of, write_record
from pythia.core_cy.seeds import MAX_SEED, seed_of
from pythia.search.display import judged
from pythia.service.advisor import DEFAULT_INTERVAL, LOCAL, Advisor, Then, scores_of
from pythia.service.auth import ANALYSE, Caller, Origin, StoreSecret, digest, is_token
from pythia.service.config import Config
from pythia.service.engine import offered_games
from pythia.service.errors import (
    Refused,
    conflict,
    forbidden,
    from_value_error,
    invalid,
    missing,
    not_allowed,
    not_found,
    precondition,
)
from pythia.service.live_match import LiveMatch, LiveMatches, MatchStep, no_match, seat_of
from pythia.service.replays import Replays
from pythia.service.scheduler import HIGH, NORMAL
from pythia.service.search_runner import Runner
from pythia.service.store import Event, Header, MatchRow, MatchStore, Rotation, TooMany
from pythia.service.types import (
    MAX_NAME,
    Autoplay,
    CreatedMatch,
    EventKind,
    Json,
    Match,
    MatchEvent,
    MatchMoves,
    MatchRecord,
    MatchResult,
    MatchSummary,
    Observed,
    OwnerRights,
    Played,
    ReviewPart,
    Score,
    SearchRequest,
    Seat,
    Status,
    Watched,
    Watching,
)
from pythia.service.visibility import hidden_from
from pythia.service.watching import FollowedCount, News, Viewer

Holder = int | str  # of a token: a seat, or the owner
Who = Holder | None  # or a spectator
OWNER = StoreSecret.OWNER
HOUR = 3600.0

MAX_KEY = 100
MAX_ID = 64
# The part of the time left to the deadline that one decision of a bot's turn may use.
DECISION_SHARE = 0.4
MAX_WATCHED = 100
# Past events of one match that are sent before it is the turn of the others of the stream.
EVENTS_AT_ONCE = 50
MAX_SECONDS_PER_MOVE = 60.0

T = TypeVar("T")


class Matches:
    """Checks who may do what, and lets the matches do it.

    `token` is that of a seat or the owner. `key` and `fingerprint` are the idempotency key of a request and what
    distinguishes it from others: the same request with the same key is carried out once.
    """

    def __init__(
        self,
        live: LiveMatches,
        store: MatchStore,
        secret: StoreSecret,
        runner: Runner,
        config: Config,
        advisor: Advisor,
    ) -> None:
        self._live = live
        self._store = store
        self._secret = secret
        self._runner = runner
        self._advisor = advisor
        self._replays = Replays(runner)
        self._followed = FollowedCount()
        self._most = config.matches_per_client
        self._seat_token_seconds = config.seat_token_hours * HOUR

    # -- making and finding

    async def create(
        self,
        game: str,
        seats: Sequence[Seat],
        *,
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
        reproducible: bool = False,
        real_dice: bool = False,
        public: bool = False,
        blind_owner: bool = False,
        autoplay: Autoplay | None = None,
        hints: bool = False,
        key: str = "",
        fingerprint: str = "",
        origin: Origin = LOCAL,
    ) -> CreatedMatch:
        if game not in offered_games():
            raise not_allowed("game", game, ", ".join(offered_games()))
        if seed is not None and not 0 <= seed <= MAX_SEED:
            raise not_allowed("seed", seed, f"0 to {MAX_SEED}")
        check_secrecy(seed, reproducible, blind_owner)
        info = game_info(game)
        options = checked_options(info, options or {}, len(seats))
        check_real_dice(real_dice, info)
        if autoplay is not None:
            check_pace(autoplay.seconds_per_move, "autoplay.seconds_per_move")
        stored_seats = self._seats(seats)
        nonce = new_nonce()
        # Luck has more bits than a deal takes, and does not follow from it.
        if reproducible and seed is not None:
            luck = deal = seed
        else:
            luck = self._secret.seed(nonce, seed)
            deal = seed_of(luck, "deal")
        try:
            start = await asyncio.to_thread(start_of, game, options, deal)
        except ValueError as error:
            raise from_value_error(error, "options") from None
        header = Header(
            id_of(key, origin.client),
            game,
            time.time(),
            options,
            stored_seats,
            start,
            luck,
            real_dice,
            fingerprint,
            nonce,
            origin.client.owner,
            seed_chosen=seed is not None,
            reproducible=reproducible,
            public=public,
            blind_owner=blind_owner,
            hints=hints,
        )
        return await self._create(header, key, origin, autoplay=autoplay)

    async def import_record(
        self,
        record: str,
        seats: Sequence[Seat] = (),
        *,
        real_dice: bool = False,
        public: bool = False,
        key: str = "",
        fingerprint: str = "",
        origin: Origin = LOCAL,
    ) -> CreatedMatch:
        if not record:
            raise missing("record", "a record as JSON Lines")
        try:
            read, last, events = await self._runner.aside(origin, lambda: replayed(record))
        except ValueError as error:
            raise invalid("record", str(error)) from None
        if last.game.name not in offered_games():
            raise not_allowed("record", f"a game of {last.game.name}", ", ".join(offered_games()))
        if seats and len(seats) != last.game.players:
            raise not_allowed("seats", f"{len(seats)} seats", f"{last.game.players}, or none")
        check_real_dice(real_dice, game_info(last.game.name))
        start, nonce = read.header["start"], new_nonce()
        header = Header(
            id_of(key, origin.client),
            start["game"],
            time.time(),
            dict(start.get("options", {})),
            self._seats(seats) or seats_of(read, last.game.players),
            start,
            self._secret.seed(nonce, None),
            real_dice,
            fingerprint,
            nonce,
            origin.client.owner,
            seed_chosen=False,
            reproducible=False,
            imported=True,
            public=public,
        )
        return await self._create(header, key, origin, events)

    async def _create(
        self,
        header: Header,
        key: str,
        origin: Origin,
        events: Sequence[Event] = (),
        autoplay: Autoplay | None = None,
    ) -> CreatedMatch:
        most = self._most if origin.client.matches is None else origin.client.matches
        try:
            match = await self._live.create(header, events, most, autoplay)
        except TooMany:
            raise Refused(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_MATCHES",
                f"this client has {most} matches, and may have no more; delete some with DeleteMatch",
            ) from None
        if match.header.fingerprint != header.fingerprint:
            raise invalid("idempotency_key", f"{key!r} was used for another request")
        return self._created(match)

    def _seats(self, seats: Sequence[Seat]) -> list[Json]:
        checked = []
        for number, seat in enumerate(seats):
            if len(seat.name) > MAX_NAME or not seat.name.isprintable():
                raise not_allowed(
                    f"seats[{number}].name", seat.name, f"up to {MAX_NAME} printable characters"
                )
            obj = {"name": seat.name or f"seat {number}"}
            if seat.bot is not None:
                self._runner.bounds.check(seat.bot, f"seats[{number}].bot")
                obj["bot"] = str(seat.bot)
            checked.append(obj)
        return checked

    def _created(self, match: LiveMatch) -> CreatedMatch:
        """With the first tokens: also in the answer to a repeated request, so nobody gets a replaced one that way."""
        header = match.header
        tokens = tuple(
            "" if "bot" in seat else self._secret.token(header.id, header.nonce, number)
            for number, seat in enumerate(header.seats)
        )
        return CreatedMatch(as_match(match), tokens, self._secret.token(header.id, header.nonce, OWNER))

    async def get(self, match_id: str, token: str = "", *, origin: Origin = LOCAL) -> Match:
        match, _ = await self._open(match_id, token, origin)
        return as_match(match)

    async def page(
        self,
        size: int,
        before: tuple[float, str] | None = None,
        *,
        status: Status | None = None,
        game: str | None = None,
        origin: Origin = LOCAL,
    ) -> tuple[list[MatchSummary], tuple[float, str] | None]:
        """The caller's matches, newest first, and what the next page begins after; an admin sees all matches."""
        if game and game not in offered_games():
            raise not_allowed("game", game, ", ".join(offered_games()))
        over = None if status is None else status == "over"
        owner = None if origin.client.is_admin else origin.client.owner
        found = await self._store.page(size + 1, before, over, game or None, owner)
        more = (found[size - 1].created, found[size - 1].id) if len(found) > size else None
        return [as_summary(row) for row in found[:size]], more

    async def _get(self, match_id: str) -> LiveMatch:
        if not match_id:
            raise missing("match_id", "the id that CreateMatch gave")
        plain_text(match_id, "match_id")
        if len(match_id) > MAX_ID:
            raise not_found("match_id", f"{match_id[:MAX_ID]!r}... is not a match of this server")
        return await self._live.get(match_id)

    # -- who may do what

    async def _open(self, match_id: str, token: str, origin: Origin) -> tuple[LiveMatch, Who]:
        """The match of a request, if the caller may know of it, and who the caller is in it."""
        match = await self._get(match_id)
        return match, self._who(match, token, origin.client)

    def _who(self, match: LiveMatch, token: str, client: Caller) -> Who:
        """Whose token it is; a wrong one is refused, and without one the caller is a spectator or an admin."""
        plain_text(token, "token")
        if not token:
            if not may_see(match, client):
                raise no_match(match.header.id)
            return OWNER if client.is_admin else None
        holder = self._holder(match, token, client)
        if isinstance(holder, int) and match.header.blind_owner and not match.rotation(holder).count:
            raise forbidden(
                "token", f"only takes seat {holder}; replace it with RotateToken first", "SEAT_NOT_TAKEN"
            )
        return holder

    def _holder(self, match: LiveMatch, token: str, client: Caller) -> Holder:
        """The seat or owner whose token it is now."""
        for holder in holders(match):
            if is_token(token, self._token(match, holder)):
                over_since = time.time() - match.updated if match.is_over else 0.0
                if isinstance(holder, int) and over_since > self._seat_token_seconds:
                    raise forbidden("token", "has expired, since the match is over", "TOKEN_EXPIRED")
                return holder
        if not may_see(match, client):
            raise no_match(match.header.id)
        raise forbidden("token", "is not a token of this match, or was replaced", "WRONG_TOKEN")

    def _token(self, match: LiveMatch, holder: Holder, back: int = 0) -> str:
        """The token of a holder as it is, or as it was `back` rotations ago."""
        header, count = match.header, match.rotation(holder).count
        return self._secret.token(header.id, header.nonce, holder, count - back)

    def _viewer(self, match: LiveMatch, who: Who, seat: int | None) -> int:
        """The seat whose eyes the caller may use, by default the one of the token, or SPECTATOR."""
        if seat is None:
            return who if isinstance(who, int) else SPECTATOR
        if not 0 <= seat < match.players:
            raise not_allowed("seat", seat, f"0 to {match.players - 1}")
        if who != seat:
            raise forbidden("token", f"seat {seat} sees things that need its own token", "SEAT_TOKEN_NEEDED")
        return seat

    def _check_actor(self, match: LiveMatch, who: Who) -> None:
        """Refuses a caller who may not decide what comes next."""
        if match.is_over:
            raise precondition("match_id", "the match is over", "MATCH_OVER")
        to_act = match.to_act
        if to_act == CHANCE:
            if who is None:
                raise forbidden("token", "reporting chance needs the token of a seat or the owner")
            return
        if match.bot_spec(to_act) is not None:
            raise precondition("match_id", f"a bot plays seat {to_act}; ask with PlayBotTurn", "BOT_TO_ACT")
        if who == to_act:
            return
        if isinstance(who, int):
            raise precondition("token", f"seat {to_act} is to act, not seat {who}", "NOT_YOUR_TURN")
        raise forbidden("token", f"acting for seat {to_act} needs its own token", "SEAT_TOKEN_NEEDED")

    # -- looking

    async def observe(
        self,
        match_id: str,
        seat: int | None = None,
        token: str = "",
        *,
        version: int | None = None,
        origin: Origin = LOCAL,
    ) -> Observed:
        """What a seat or a spectator sees, or saw at a version: never more than it knew then."""
        match, who = await self._open(match_id, token, origin)
        viewer = self._viewer(match, who, seat)
        if version is None or version == match.version:
            return Observed(match.observation(viewer), match.version)
        if not 0 <= version < match.version:
            raise Refused(
                grpc.StatusCode.OUT_OF_RANGE,
                "NO_SUCH_VERSION",
                f"{version} is not allowed; allowed: 0 to {match.version}",
                field="version",
            )
        position = await self._replays.position(match, version, origin)
        return Observed(position.observation(viewer), version)

    async def moves(self, match_id: str, token: str = "", *, origin: Origin = LOCAL) -> MatchMoves:
        """The moves of the seat to act, the same object until the match changes."""
        match, who = await self._open(match_id, token, origin)
        to_act = match.to_act
        # Chance waits for a report only where everyone sees what it may bring, so its outcomes are for all.
        if to_act >= 0 and who != to_act:
            raise forbidden(
                "token", f"seat {to_act} is to act, and its moves need its own token", "SEAT_TOKEN_NEEDED"
            )
        if match.moves is None or match.moves.version != match.version:
            match.moves = legal_moves(match)
        return match.moves

    async def watch(
        self,
        match_id: str,
        seat: int | None = None,
        token: str = "",
        *,
        after_version: int = 0,
        origin: Origin = LOCAL,
    ) -> AsyncGenerator[MatchEvent]:
        """The events of a match, those of the past first, until it is over."""
        news = News()
        viewer = self._watcher(news, Watching(match_id, seat, token, after_version), origin)
        with self._followed.by(origin.client, 1):
            try:
                while True:
                    await viewer.look()
                    while viewer.is_behind:
                        viewer.sent += 1
                        yield as_event(viewer.match, viewer.sent, viewer.eyes)
                        await viewer.look()  # a slow reader may have lost the seat meanwhile
                    if viewer.match.is_over:
                        return
                    self._check_going_on()
                    await news.next()
            finally:
                viewer.leave()

    async def watch_many(
        self, matches: Sequence[Watching], *, observations: bool = False, origin: Origin = LOCAL
    ) -> AsyncGenerator[Watched]:
        """The events of many matches. What is wrong with one of them ends that one alone."""
        check_watched(matches)
        with self._followed.by(origin.client, len(matches)):
            stream = self._watch_many(matches, observations, origin)
            async with aclosing(stream):
                async for told in stream:
                    yield told

    async def _watch_many(
        self, matches: Sequence[Watching], observations: bool, origin: Origin
    ) -> AsyncGenerator[Watched]:
        news = News()
        viewers = {self._watcher(news, asked, origin): asked.match_id for asked in matches}
        for viewer in viewers:
            news.tell(viewer)
        try:
            while viewers:
                viewer = await news.next()
                self._check_going_on()
                match_id = viewers.get(viewer)
                if match_id is None:
                    continue
                try:
                    await viewer.look()
                    for _ in range(EVENTS_AT_ONCE):
                        if not viewer.is_behind:
                            break
                        viewer.sent += 1
                        yield watched(viewer, observations)
                        await viewer.look()  # a slow reader may have lost the seat meanwhile
                except Refused as refusal:
                    if refusal.code == grpc.StatusCode.UNAVAILABLE:
                        raise
                    viewer.leave()
                    del viewers[viewer]
                    yield Watched(match_id, ended=str(refusal))
                    continue
                if viewer.is_behind:
                    news.tell(viewer)
                elif viewer.match.is_over:
                    viewer.leave()
                    del viewers[viewer]
                    yield Watched(match_id, match=as_match(viewer.match), ended="the match is over")
        finally:
            for viewer in viewers:
                viewer.leave()

    def _watcher(self, news: News, asked: Watching, origin: Origin) -> Viewer:
        async def see() -> tuple[LiveMatch, int]:
            match, who = await self._open(asked.match_id, asked.token, origin)
            return match, self._viewer(match, who, asked.seat)

        return Viewer(news, see, asked.after_version)

    def _check_going_on(self) -> None:
        if self._live.stopping:
            raise Refused(
                grpc.StatusCode.UNAVAILABLE, "STOPPING", "the server stops; watch again", retry_seconds=1.0
            )

    async def hint(
        self,
        match_id: str,
        token: str,
        search: SearchRequest,
        *,
        interval: float = DEFAULT_INTERVAL,
        then: Then[T],
        origin: Origin = LOCAL,
    ) -> AsyncGenerator[tuple[T, bool, int]]:
        """What a bot would think in the place of the seat to act: answers so far, whether final, and the version."""
        match, who = await self._open(match_id, token, origin)
        origin.client.need(ANALYSE)
        if not isinstance(who, int):
            raise forbidden("token", "a hint needs the token of the seat to act", "SEAT_TOKEN_NEEDED")
        self._check_actor(match, who)
        if match.to_act != who:
            raise precondition("token", "chance decides, not a seat", "CHANCE_TO_ACT")
        if not match.allows_hints:
            raise precondition(
                "match_id",
                "other people play, and the match was created without hints; CreateMatch has the field `hints`",
                "HINTS_NOT_ALLOWED",
            )
        version = match.version
        # It is allowed here, whatever other matches look like this.
        answers = self._advisor.analyze(
            View.of(match.state, who), search, origin, interval=interval, guarded=False, then=then
        )
        async with aclosing(answers):
            async for answer, final in answers:
                yield answer, final, version

    # -- doing

    async def submit(
        self,
        match_id: str,
        move: str,
        token: str = "",
        *,
        expected_version: int | None = None,
        key: str = "",
        fingerprint: str = "",
        origin: Origin = LOCAL,
    ) -> Played:
        """Play a move for the seat to act, or with real dice report an outcome."""
        key = checked_key(key)
        match, who = await self._open(match_id, token, origin)
        if who is None:
            # Is refused whatever the request is, and should not keep players waiting for the lock.
            check_version(match, expected_version)
            self._check_actor(match, who)
        async with match.lock:
            if key:
                done = await self._store.key(match.header.id, key)
                if done is not None:
                    if done.fingerprint != fingerprint:
                        raise invalid("idempotency_key", f"{key!r} was used for another request")
                    if done.last > match.version:
                        # Another server did it, or this one did not hear that it was done.
                        match = await self._live.reload(match)
                    return played(match, done.first, done.last, who)
            check_version(match, expected_version)
            self._check_actor(match, who)
            try:
                step = match.play(move)
            except ValueError as error:
                raise invalid("move", match.why_illegal(move, error)) from None
            before = match.version
            await self._live.commit(match, step, (key, fingerprint) if key else None)
            return played(match, before + 1, match.version, who)

    async def bot_turn(
        self,
        match_id: str,
        token: str = "",
        *,
        expected_version: int | None = None,
        origin: Origin = LOCAL,
    ) -> Played:
        """Let the bot to act play until somebody else or chance is to act, or the time is up."""
        steps = self.bot_turn_steps(match_id, token, expected_version=expected_version, origin=origin)
        events: list[MatchEvent] = []
        async with aclosing(steps):
            async for step in steps:
                events += step.events
        return Played(events, step.match)

    async def bot_turn_steps(
        self,
        match_id: str,
        token: str = "",
        *,
        expected_version: int | None = None,
        origin: Origin = LOCAL,
    ) -> AsyncGenerator[Played]:
        """Each decision of the bot's turn, once stored. A bot gets the view of its seat and nothing else."""
        match, who = await self._open(match_id, token, origin)
        if who is None and not all("bot" in seat for seat in match.header.seats):
            raise forbidden("token", "letting a bot play needs the token of a seat or the owner")
        check_version(match, expected_version)
        if match.is_over:
            raise precondition("match_id", "the match is over", "MATCH_OVER")
        seat = match.to_act
        if seat == CHANCE:
            raise precondition(
                "match_id", "chance decides; report the outcome with SubmitMove", "CHANCE_TO_ACT"
            )
        bot = match.bot(seat)
        start = version = match.version
        async with self._live.bot_turn(match):
            if match.version != version:
                raise conflict("the match has changed meanwhile; look again")
            while match.to_act == seat:
                try:
                    move = await self._runner.run(
                        origin,
                        bot,
                        View.of(match.state, seat),
                        # A turn that has begun has priority over turns that have not.
                        priority=NORMAL if version == start else HIGH,
                        deadline=decision_deadline(origin),
                        then=lambda _, result: result.move,
                    )
                except Refused as refusal:
                    if refusal.code == grpc.StatusCode.RESOURCE_EXHAUSTED and version > start:
                        return  # what was played is the answer; the caller sees that the bot is still to act
                    raise
                await self._live.play_at(match, version, move)
                first, version = version + 1, match.version
                yield played(match, first, version, who)

    async def pause(self, match_id: str, token: str = "", *, origin: Origin = LOCAL) -> Match:
        """Pause autoplay."""
        return await self._set_autoplay(match_id, token, origin, paused=True)

    async def resume(
        self,
        match_id: str,
        token: str = "",
        *,
        seconds_per_move: float | None = None,
        origin: Origin = LOCAL,
    ) -> Match:
        """Resume autoplay, at another pace if one is given."""
        if seconds_per_move is not None:
            check_pace(seconds_per_move, "seconds_per_move")
        return await self._set_autoplay(match_id, token, origin, paused=False, pace=seconds_per_move)

    async def _set_autoplay(
        self, match_id: str, token: str, origin: Origin, *, paused: bool, pace: float | None = None
    ) -> Match:
        match, who = await self._open(match_id, token, origin)
        if who != OWNER:
            raise forbidden("token", "pausing and resuming need the owner's token")
        async with match.lock:
            if match.autoplay is None:
                raise precondition("match_id", "the match was created without autoplay", "NO_AUTOPLAY")
            if match.is_over:
                raise precondition("match_id", "the match is over", "MATCH_OVER")
            pace = match.autoplay.seconds_per_move if pace is None else pace
            if match.autoplay != (changed := Autoplay(paused, pace)):
                await self._live.set_autoplay(match, changed)
            elif not paused:
                self._live.heard(match)  # a bot may have failed: begin anew
        return as_match(match)

    async def undo(
        self,
        match_id: str,
        token: str = "",
        *,
        expected_version: int | None = None,
        origin: Origin = LOCAL,
    ) -> Match:
        """Take back the last move of a seat, if it revealed nothing and nothing was drawn since."""
        match, who = await self._open(match_id, token, origin)
        # Before the lock and the work: who may not take the move back must not keep the players waiting.
        if not isinstance(who, int):
            raise forbidden("token", "taking a move back needs the token of its seat", "SEAT_TOKEN_NEEDED")
        check_last_move(match, who, expected_version)
        async with match.lock:
            check_last_move(match, who, expected_version)
            undone = await asyncio.to_thread(match.before_last_move)
            await self._live.commit(match, MatchStep([Event(who, "undo", time=time.time())], undone))
        return as_match(match)

    async def resign(
        self,
        match_id: str,
        token: str = "",
        *,
        expected_version: int | None = None,
        origin: Origin = LOCAL,
    ) -> Match:
        """End the match: the seat loses, the others share the win."""
        match, who = await self._open(match_id, token, origin)
        if not isinstance(who, int):
            raise forbidden("token", "resigning needs the token of a seat", "SEAT_TOKEN_NEEDED")
        async with match.lock:
            check_version(match, expected_version)
            if match.is_over:
                raise precondition("match_id", "the match is over", "MATCH_OVER")
            await self._live.commit(match, MatchStep([Event(who, "resign", time=time.time())], match.state))
        return as_match(match)

    async def export(self, match_id: str, token: str = "", *, origin: Origin = LOCAL) -> MatchRecord:
        """The record: for everyone once the match is over, before that for the owner."""
        match, who = await self._open(match_id, token, origin)
        if not match.is_over and match.header.blind_owner:
            raise forbidden("match_id", "nobody may have the record before this match is over", "BLIND_OWNER")
        if not match.is_over and who != OWNER:
            raise forbidden(
                "token",
                "until the match is over, its record needs the owner's token, because it reveals everything",
            )
        return MatchRecord(record_text(match), match.state.is_over)

    async def review(
        self,
        match_id: str,
        search: SearchRequest,
        token: str = "",
        *,
        seats: Sequence[int] = (),
        origin: Origin = LOCAL,
    ) -> AsyncGenerator[ReviewPart]:
        """What the decisions of a match that is over lost, and apart from it the luck, as it is found."""
        match, _ = await self._open(match_id, token, origin)
        origin.client.need(ANALYSE)
        if not match.is_over:
            raise precondition(
                "match_id", "the match goes on; it can be reviewed when it is over", "MATCH_NOT_OVER"
            )
        # Somebody may have resigned: then the game itself has no result.
        record = await self._runner.aside(origin, lambda: record_text(match))
        parts = self._advisor.review(record, search, seats, True, origin=origin)
        async with aclosing(parts):
            async for part in parts:
                yield part

    async def delete(self, match_id: str, token: str = "", *, origin: Origin = LOCAL) -> None:
        """Remove a match and all its events, with the owner's token."""
        match, who = await self._open(match_id, token, origin)
        if who != OWNER:
            raise forbidden("token", "deleting needs the owner's token")
        async with match.lock:
            if not match.is_stale:
                await self._live.delete(match)

    async def rotate_token(
        self, match_id: str, token: str = "", *, key: str = "", origin: Origin = LOCAL
    ) -> tuple[str, Match]:
        """A new token in place of one of a seat or the owner, which is refused from then on."""
        if not token:
            raise missing("token", "the token to replace")
        key = digest(key) if (key := checked_key(key)) else ""
        match = await self._get(match_id)
        async with match.lock:
            holder = self._replaced_by(match, token, key)
            if holder is None:
                holder = self._holder(match, token, origin.client)
                await self._live.rotate(match, holder, Rotation(match.rotation(holder).count + 1, key))
        return self._token(match, holder), as_match(match)

    def _replaced_by(self, match: LiveMatch, token: str, key: str) -> Holder | None:
        """Whose token it was before the same request replaced it: then its answer got lost."""
        for holder in holders(match):
            rotation = match.rotation(holder)
            if key and is_token(rotation.key, key) and is_token(token, self._token(match, holder, back=1)):
                return holder
        return None


# -- what is asked


def new_nonce() -> str:
    return secrets.token_hex(16)


def id_of(key: str, client: Caller) -> str:
    """The key decides the id, so a second request of the client meets the match of the first.

    A client without a token or certificate is known by its connection alone, which is its name.
    """
    if not checked_key(key):
        return secrets.token_hex(12)
    return hashlib.sha256(f"{client.name}\n{key}".encode()).hexdigest()[:24]


def holders(match: LiveMatch) -> list[Holder]:
    return [*range(match.players), OWNER]


def may_see(match: LiveMatch, client: Caller) -> bool:
    """Whether a client may know of a match without a token of it."""
    return client.is_admin or match.header.public or match.header.owner == client.owner


def check_secrecy(seed: int | None, reproducible: bool, blind_owner: bool) -> None:
    """What would be promised to the players must hold."""
    if reproducible and seed is None:
        raise missing("seed", "what a reproducible match is dealt by")
    if reproducible and blind_owner:
        raise not_allowed("blind_owner", True, "false for a reproducible match, whose owner knows the seed")


def check_pace(seconds: float, field: str) -> None:
    if not 0 <= seconds <= MAX_SECONDS_PER_MOVE:
        raise not_allowed(field, seconds, f"0 to {MAX_SECONDS_PER_MOVE:g} seconds")


def check_watched(matches: Sequence[Watching]) -> None:
    """Refuses what cannot be watched at all; what one match has to say comes from it."""
    if not 1 <= len(matches) <= MAX_WATCHED:
        raise not_allowed("matches", f"{len(matches)} matches", f"1 to {MAX_WATCHED}")
    ids: set[str] = set()
    for number, asked in enumerate(matches):
        if not asked.match_id:
            raise missing(f"matches[{number}].match_id", "the id that CreateMatch gave")
        if asked.match_id in ids:
            raise not_allowed(f"matches[{number}].match_id", asked.match_id, "each match once")
        ids.add(asked.match_id)


def checked_options(info: GameInfo, given: Mapping[str, Any], seats: int) -> Json:
    """The options of a set-up, with the number of players; the game itself checks their values."""
    if not info.min_players <= seats <= info.max_players:
        raise not_allowed("seats", f"{seats} seats", f"{info.min_players} to {info.max_players}")
    options = dict(given)
    known = [option.name for option in info.options if option.name != "seed"]
    for name in options:
        if name not in known:
            raise invalid(f"options.{name[:40]}", f"is not known; known: {', '.join(known)}")
    if options.setdefault("players", seats) != seats:
        raise not_allowed("options.players", options["players"], f"the number of seats, {seats}")
    return options


def check_last_move(match: LiveMatch, seat: int, expected_version: int | None) -> None:
    """Refuse callers who may not take back the last move, as far as a quick check can tell."""
    check_version(match, expected_version)
    last = match.last_move()
    if seat != last.by:
        raise precondition("token", f"the last move was made by seat {last.by}, not seat {seat}")


def start_of(game: str, options: Json, seed: int) -> Json:
    """The position at the start, as JSON."""
    try:
        return load_game(game, **options, seed=seed).new_state().to_json()
    except BadOption as error:
        if not isinstance(error.value, (str, int, float)):
            raise ValueError(f"{error.field}: is not allowed; allowed: {error.allowed}") from None
        raise


def check_real_dice(real_dice: bool, game: GameInfo) -> None:
    """If chance deals what only some may see, the reporter would see it, or find out what others hold."""
    if real_dice and not game.open_chance:
        raise invalid(
            "real_dice",
            f"not possible in {game.name}, where not everyone sees what chance brings or may bring; leave it out",
        )


def replayed(text: str) -> tuple[Record, State, list[Event]]:
    """The record, the position it leads to and its moves as events; ValueError names the line."""
    record = Record.read(text.splitlines(), unfinished=True)
    states = list(record.replay())
    events = [
        Event(entry.by, "move", entry.move, hidden_from(before, entry.move, after), time.time())
        for (before, after), entry in zip(pairwise(states), record.moves, strict=True)
    ]
    return record, states[-1], events


def seats_of(record: Record, players: int) -> list[Json]:
    """People, with the names of the record where they are short enough."""
    return [
        {"name": name if len(name) <= MAX_NAME else f"seat {seat}"}
        for seat, name in enumerate(record.names(players))
    ]


def checked_key(key: str) -> str:
    if len(key) > MAX_KEY or not key.isprintable():
        raise not_allowed("idempotency_key", key, f"up to {MAX_KEY} printable characters")
    return key


def check_version(match: LiveMatch, expected: int | None) -> None:
    if expected is not None and expected != match.version:
        raise conflict(f"{expected} is not the version of the match, which is {match.version}")


def plain_text(text: str, field: str) -> str:
    """An id or token. Text that not every store can keep or look up is refused here, before a store gets it."""
    if not text.isprintable():
        shown = ascii(text if len(text) <= 60 else text[:57] + "...")
        raise invalid(
            field, f"{shown} is not allowed; allowed: printable characters, no NUL and no half of a pair"
        )
    return text


def decision_deadline(origin: Origin) -> float | None:
    """The turn has further decisions, so one may use only a part of the time left."""
    if origin.deadline is None:
        return None
    now = time.monotonic()
    return now + DECISION_SHARE * (origin.deadline - now)


# -- what is answered

KINDS: dict[str, EventKind] = {"undo": "undone", "resign": "resigned"}


def moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def as_summary(row: MatchRow) -> MatchSummary:
    return MatchSummary(
        row.id,
        row.game,
        "over" if row.over else "active",
        row.version,
        tuple(map(seat_of, row.seats)),
        moment(row.created),
    )


def as_match(match: LiveMatch) -> Match:
    """How it stands, the same object until something changes."""
    if match.cached is None:
        match.cached = public_match(match)
    return match.cached


def public_match(match: LiveMatch) -> Match:
    header = match.header
    scores = tuple(scores_now(match))
    return Match(
        header.id,
        header.game,
        "over" if match.is_over else "active",
        match.version,
        match.seats,
        moment(header.created),
        options=header.options,
        real_dice=header.real_dice,
        to_act=match.to_act,
        turn_number=match.state.turn_number,
        result=as_result(match.result, scores) if match.is_over else None,
        updated=moment(match.updated),
        seed_chosen=header.seed_chosen,
        reproducible=header.reproducible,
        imported=header.imported,
        public=header.public,
        owner=owner_rights(match),
        scores=scores,
        autoplay=match.autoplay,
        hints=header.hints,
        values=values_now(match),
    )


def values_now(match: LiveMatch) -> tuple[float, ...]:
    """Where a person plays, a judgement would be advice."""
    if match.is_over or any(seat.bot is None for seat in match.seats):
        return ()
    return tuple(judged(View.of(match.state, SPECTATOR)))


def scores_now(match: LiveMatch) -> list[Score]:
    """As everyone sees them; once it is over as each seat sees its own, since everyone may have the record then."""
    if not match.is_over:
        return scores_of(View.of(match.state, SPECTATOR))
    known = [scores_of(View.of(match.state, seat)) for seat in range(match.players)]
    return [scores[seat] for seat, scores in enumerate(known) if scores]


def as_result(result: Json, scores: tuple[Score, ...]) -> MatchResult:
    return MatchResult(tuple(result["winners"]), tuple(result["returns"]), result["reason"], scores)


def watched(viewer: Viewer, observations: bool) -> Watched:
    """The event that is the viewer's next; with the newest one how the match stands, and what the viewer sees."""
    match = viewer.match
    event = as_event(match, viewer.sent, viewer.eyes)
    if viewer.is_behind:
        return Watched(match.header.id, event)
    seen = match.observation(viewer.eyes) if observations else None
    return Watched(match.header.id, event, seen, as_match(match))


def record_text(match: LiveMatch) -> str:
    """The record as JSON Lines, without a result when the game was not played to its end."""
    names = [seat["name"] for seat in match.header.seats]
    text = io.StringIO()
    write_record(
        text,
        header_of(match.position(0), names),
        [(event.by, event.text) for event in match.line],
        match.result if match.state.is_over else {},
    )
    return text.getvalue()


def owner_rights(match: LiveMatch) -> OwnerRights:
    if match.header.blind_owner:
        return OwnerRights(exports_unfinished=False, seats=())
    return OwnerRights(
        exports_unfinished=True,
        seats=tuple(
            number
            for number, seat in enumerate(match.header.seats)
            if "bot" not in seat and not match.rotation(number).count
        ),
    )


def played(match: LiveMatch, first: int, last: int, who: Who) -> Played:
    """Events as the caller may see them, and how the match stands."""
    viewer = who if isinstance(who, int) else SPECTATOR
    events = [as_event(match, version, viewer) for version in range(first, last + 1)]
    return Played(events, as_match(match))


def as_event(match: LiveMatch, version: int, viewer: int) -> MatchEvent:
    """An event as the viewer may see it. Spectators see what is hidden from nobody."""
    event = match.events[version - 1]
    kind = KINDS.get(event.kind, "move")
    hidden = bool(event.hidden_from) and (viewer == SPECTATOR or viewer in event.hidden_from)
    if kind != "move" or hidden:
        return MatchEvent(version, event.by, kind, "", moment(event.time))
    move = match.state.read_move(event.text)
    return MatchEvent(version, event.by, kind, event.text, moment(event.time)).of_move(move)


def legal_moves(match: LiveMatch) -> MatchMoves:
    to_act, probabilities = match.to_act, []
    moves = match.state.legal_moves() if to_act >= 0 else []
    if to_act == CHANCE:
        outcomes = match.state.chance_outcomes()
        moves = [outcome for outcome, _ in outcomes]
        probabilities = [probability for _, probability in outcomes]
    texts = [str(move) for move in moves]
    return MatchMoves(texts, to_act, match.version, probabilities).of_moves(moves)
