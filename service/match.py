"""MatchService: whole games, with the service as referee."""
# ruff: noqa: N802 - methods are named by the contract

from __future__ import annotations

import asyncio
import hashlib
import io
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc
from google.protobuf.message import Message

from pythia.core_cy import CHANCE, SPECTATOR, BadOption, GameInfo, State, View, game_info, load_game
from pythia.core_cy.record import Record, header_of, write_record
from pythia.core_cy.seeds import MAX_SEED, seed_of
from pythia.search.bots import BotSpec
from pythia.service.auth import Caller, StoreSecret, digest, is_token
from pythia.service.calls import Call
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
from pythia.service.matches import LiveMatch, Matches, no_match
from pythia.service.search_runner import SearchRunner
from pythia.service.store import Event, Header, MatchStore, Rotation, TooMany
from pythia.service.visibility import hidden_from
from pythia.service.wire import (
    bot_message,
    bot_spec,
    check_size,
    move_message,
    move_text,
    page_start,
    page_token,
    plain_text,
    position_message,
    result_message,
    struct_json,
    struct_message,
    timestamp,
)
from pythia.v1 import match_pb2, search_pb2

Json = dict[str, Any]
Holder = int | str  # of a token: a seat, or the owner
Who = Holder | None  # or a spectator
OWNER = StoreSecret.OWNER
HOUR = 3600.0

MAX_KEY = 100
MAX_NAME = 100
MAX_ID = 64
DEFAULT_PAGE, MAX_PAGE = 50, 500
# The part of the time left to the deadline that one decision of a bot's turn may use.
DECISION_SHARE = 0.4
HIGH, NORMAL = 0, 1


class MatchService:
    """Checks who may do what, and lets the matches do it."""

    def __init__(
        self, matches: Matches, store: MatchStore, secret: StoreSecret, runner: SearchRunner, config: Config
    ) -> None:
        self._matches = matches
        self._store = store
        self._secret = secret
        self._runner = runner
        self._most = config.matches_per_client
        self._seat_token_seconds = config.seat_token_hours * HOUR

    # -- making and finding

    async def CreateMatch(
        self, request: match_pb2.CreateMatchRequest, call: Call
    ) -> match_pb2.CreateMatchResponse:
        if request.game not in offered_games():
            raise not_allowed("game", request.game, ", ".join(offered_games()))
        if request.HasField("seed") and not 0 <= request.seed <= MAX_SEED:
            raise not_allowed("seed", request.seed, f"0 to {MAX_SEED}")
        check_secrecy(request)
        check_size(request.options, "options")
        info = game_info(request.game)
        if not info.min_players <= len(request.seats) <= info.max_players:
            raise not_allowed(
                "seats", f"{len(request.seats)} seats", f"{info.min_players} to {info.max_players}"
            )
        options = struct_json(request.options, "options")
        known = [option.name for option in info.options if option.name != "seed"]
        for name in options:
            if name not in known:
                raise invalid(f"options.{name[:40]}", f"is not known; known: {', '.join(known)}")
        if options.setdefault("players", len(request.seats)) != len(request.seats):
            raise not_allowed(
                "options.players", options["players"], f"the number of seats, {len(request.seats)}"
            )
        check_real_dice(request, info)
        seats = self._seats(request.seats)
        nonce = new_nonce()
        chosen = request.seed if request.HasField("seed") else None
        # Luck has more bits than a deal takes, and does not follow from it.
        seed = request.seed if request.reproducible else self._secret.seed(nonce, chosen)
        deal = request.seed if request.reproducible else seed_of(seed, "deal")
        try:
            start = await asyncio.to_thread(start_of, request.game, options, deal)
        except ValueError as error:
            raise from_value_error(error, "options") from None
        header = Header(
            id_of(request, call.client),
            request.game,
            time.time(),
            options,
            seats,
            start,
            seed,
            request.real_dice,
            fingerprint_of(request),
            nonce,
            call.client.owner,
            seed_chosen=chosen is not None,
            reproducible=request.reproducible,
            public=request.public,
            blind_owner=request.blind_owner,
        )
        match = await self._create(request, header, call)
        owner, tokens = self._tokens_of(match)
        return match_pb2.CreateMatchResponse(
            match=match_message(match), seat_tokens=tokens, owner_token=owner
        )

    async def ImportRecord(
        self, request: match_pb2.ImportRecordRequest, call: Call
    ) -> match_pb2.ImportRecordResponse:
        if not request.record:
            raise missing("record", "a record as JSON Lines")
        try:
            record, last, events = await asyncio.to_thread(replayed, request.record)
        except ValueError as error:
            raise invalid("record", str(error)) from None
        if last.game.name not in offered_games():
            raise not_allowed("record", f"a game of {last.game.name}", ", ".join(offered_games()))
        if request.seats and len(request.seats) != last.game.players:
            raise not_allowed("seats", f"{len(request.seats)} seats", f"{last.game.players}, or none")
        check_real_dice(request, game_info(last.game.name))
        seats = self._seats(request.seats) or seats_of(record, last.game.players)
        start, nonce = record.header["start"], new_nonce()
        header = Header(
            id_of(request, call.client),
            start["game"],
            time.time(),
            dict(start.get("options", {})),
            seats,
            start,
            self._secret.seed(nonce, None),
            request.real_dice,
            fingerprint_of(request),
            nonce,
            call.client.owner,
            seed_chosen=False,
            reproducible=False,
            imported=True,
            public=request.public,
        )
        match = await self._create(request, header, call, events)
        owner, tokens = self._tokens_of(match)
        return match_pb2.ImportRecordResponse(
            match=match_message(match), seat_tokens=tokens, owner_token=owner
        )

    async def _create(
        self,
        request: match_pb2.CreateMatchRequest | match_pb2.ImportRecordRequest,
        header: Header,
        call: Call,
        events: Sequence[Event] = (),
    ) -> LiveMatch:
        most = self._most if call.client.matches is None else call.client.matches
        try:
            match = await self._matches.create(header, events, most)
        except TooMany:
            raise Refused(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_MATCHES",
                f"this client has {most} matches, and may have no more; delete some with DeleteMatch",
            ) from None
        if match.header.fingerprint != header.fingerprint:
            raise invalid("idempotency_key", f"{request.idempotency_key!r} was used for another request")
        return match

    def _seats(self, seats: Sequence[match_pb2.Seat]) -> list[Json]:
        checked = []
        for number, seat in enumerate(seats):
            if len(seat.name) > MAX_NAME or not seat.name.isprintable():
                raise not_allowed(
                    f"seats[{number}].name", seat.name, f"up to {MAX_NAME} printable characters"
                )
            obj = {"name": seat.name or f"seat {number}"}
            if seat.HasField("bot"):
                obj["bot"] = str(bot_spec(seat.bot, f"seats[{number}].bot", self._runner.bounds))
            checked.append(obj)
        return checked

    def _tokens_of(self, match: LiveMatch) -> tuple[str, list[str]]:
        """The first tokens: also in the answer to a repeated request, so that nobody gets a replaced one that way."""
        header = match.header
        tokens = [
            "" if "bot" in seat else self._secret.token(header.id, header.nonce, number)
            for number, seat in enumerate(header.seats)
        ]
        return self._secret.token(header.id, header.nonce, OWNER), tokens

    async def GetMatch(self, request: match_pb2.GetMatchRequest, call: Call) -> match_pb2.GetMatchResponse:
        match, _ = await self._open(request, call)
        return match_pb2.GetMatchResponse(match=match_message(match))

    async def ListMatches(
        self, request: match_pb2.ListMatchesRequest, call: Call
    ) -> match_pb2.ListMatchesResponse:
        if not 0 <= request.page_size <= MAX_PAGE:
            raise not_allowed("page_size", request.page_size, f"0 to {MAX_PAGE}")
        if request.game and request.game not in offered_games():
            raise not_allowed("game", request.game, ", ".join(offered_games()))
        over = {
            match_pb2.MATCH_STATUS_UNSPECIFIED: None,
            match_pb2.MATCH_STATUS_ACTIVE: False,
            match_pb2.MATCH_STATUS_OVER: True,
        }
        if request.status not in over:
            raise not_allowed("status", request.status, "a value of MatchStatus")
        size = request.page_size or DEFAULT_PAGE
        before = page_start(request.page_token) if request.page_token else None
        owner = None if call.client.is_admin else call.client.owner
        found = await self._store.page(size + 1, before, over[request.status], request.game or None, owner)
        more = len(found) > size
        answer = match_pb2.ListMatchesResponse()
        for summary in found[:size]:
            answer.matches.add(
                id=summary.id,
                game=summary.game,
                status=match_pb2.MATCH_STATUS_OVER if summary.over else match_pb2.MATCH_STATUS_ACTIVE,
                version=summary.version,
                seats=[seat_message(seat) for seat in summary.seats],
                create_time=timestamp(summary.created),
            )
        if more:
            answer.next_page_token = page_token(found[size - 1].created, found[size - 1].id)
        return answer

    async def _get(self, match_id: str) -> LiveMatch:
        if not match_id:
            raise missing("match_id", "the id that CreateMatch gave")
        plain_text(match_id, "match_id")
        if len(match_id) > MAX_ID:
            raise not_found("match_id", f"{match_id[:MAX_ID]!r}... is not a match of this server")
        return await self._matches.get(match_id)

    # -- who may do what

    async def _open(self, request: Any, call: Call) -> tuple[LiveMatch, Who]:
        """The match of a request, if the caller may know of it, and who the caller is in it."""
        match = await self._get(request.match_id)
        return match, self._who(match, request.token, call)

    def _who(self, match: LiveMatch, token: str, call: Call) -> Who:
        """Whose token it is; a wrong one is refused, and without one the caller is a spectator or an admin."""
        plain_text(token, "token")
        if not token:
            if not may_see(match, call.client):
                raise no_match(match.header.id)
            return OWNER if call.client.is_admin else None
        holder = self._holder(match, token, call.client)
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

    def _viewer(
        self, match: LiveMatch, who: Who, request: match_pb2.ObserveRequest | match_pb2.WatchRequest
    ) -> int:
        """The seat whose eyes the caller may use, or SPECTATOR."""
        seat = request.seat
        if not request.HasField("seat"):
            return SPECTATOR
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

    async def Observe(self, request: match_pb2.ObserveRequest, call: Call) -> match_pb2.ObserveResponse:
        match, who = await self._open(request, call)
        viewer = self._viewer(match, who, request)
        return match_pb2.ObserveResponse(
            observation=position_message(match.state.observation(viewer)), version=match.version
        )

    async def ListLegalMoves(self, request: match_pb2.ListLegalMovesRequest, call: Call) -> bytes:
        match, who = await self._open(request, call)
        to_act = match.to_act
        # Chance waits for a report only where everyone sees what it may bring, so its outcomes are for all.
        if to_act >= 0 and who != to_act:
            raise forbidden(
                "token", f"seat {to_act} is to act, and its moves need its own token", "SEAT_TOKEN_NEEDED"
            )
        if match.legal_moves is None or match.legal_moves[0] != match.version:
            match.legal_moves = (match.version, legal_moves(match).SerializeToString())
        return match.legal_moves[1]

    async def Watch(
        self, request: match_pb2.WatchRequest, call: Call
    ) -> AsyncIterator[match_pb2.WatchResponse]:
        match, who = await self._open(request, call)
        viewer, rotations = self._viewer(match, who, request), match.rotations
        sent = request.after_version
        if not 0 <= sent <= match.version:
            raise not_allowed("after_version", sent, f"0 to {match.version}")
        while True:
            changed = match.changed
            while sent < match.version:
                sent += 1
                yield match_pb2.WatchResponse(event=event_message(match, sent, viewer))
            if match.is_over:
                return
            if self._matches.stopping:
                raise Refused(
                    grpc.StatusCode.UNAVAILABLE,
                    "STOPPING",
                    "the server stops; watch again",
                    retry_seconds=1.0,
                )
            await changed.wait()
            if match.is_stale or match.rotations is not rotations:
                match, who = await self._open(request, call)
                viewer, rotations = self._viewer(match, who, request), match.rotations

    # -- doing

    async def SubmitMove(
        self, request: match_pb2.SubmitMoveRequest, call: Call
    ) -> match_pb2.SubmitMoveResponse:
        text = move_text(request.move, "move")
        key = checked_key(request.idempotency_key)
        match, who = await self._open(request, call)
        if (
            who is None
        ):  # is refused whatever the request is, and should not keep players waiting for the lock
            check_version(match, request)
            self._check_actor(match, who)
        async with match.lock:
            if key:
                done = await self._store.key(match.header.id, key)
                if done is not None:
                    if done.fingerprint != fingerprint_of(request):
                        raise invalid("idempotency_key", f"{key!r} was used for another request")
                    if (
                        done.last > match.version
                    ):  # another server did it, or this one did not hear that it was done
                        match = await self._matches.reload(match)
                    return submitted(match, done.first, done.last, who)
            check_version(match, request)
            self._check_actor(match, who)
            try:
                events = match.move_events(text)
            except ValueError as error:
                raise invalid("move", match.why_illegal(text, error)) from None
            before = match.version
            await self._matches.commit(match, events, (key, fingerprint_of(request)) if key else None)
            return submitted(match, before + 1, match.version, who)

    async def PlayBotTurn(
        self, request: match_pb2.PlayBotTurnRequest, call: Call
    ) -> match_pb2.PlayBotTurnResponse:
        events: list[match_pb2.MatchEvent] = []
        match, who = await self._open(request, call)
        async for played in self._bot_turn(match, who, request, call):
            events += played
        return match_pb2.PlayBotTurnResponse(events=events, match=match_message(match))

    async def StreamBotTurn(
        self, request: match_pb2.StreamBotTurnRequest, call: Call
    ) -> AsyncIterator[match_pb2.StreamBotTurnResponse]:
        match, who = await self._open(request, call)
        async for played in self._bot_turn(match, who, request, call):
            yield match_pb2.StreamBotTurnResponse(events=played, match=match_message(match))

    async def _bot_turn(
        self,
        match: LiveMatch,
        who: Who,
        request: match_pb2.PlayBotTurnRequest | match_pb2.StreamBotTurnRequest,
        call: Call,
    ) -> AsyncIterator[list[match_pb2.MatchEvent]]:
        """Each decision of the bot's turn, once stored. A bot gets the observation of its seat and nothing else."""
        if who is None and not all("bot" in seat for seat in match.header.seats):
            raise forbidden("token", "letting a bot play needs the token of a seat or the owner")
        check_version(match, request)
        if match.is_over:
            raise precondition("match_id", "the match is over", "MATCH_OVER")
        seat = match.to_act
        if seat == CHANCE:
            raise precondition(
                "match_id", "chance decides; report the outcome with SubmitMove", "CHANCE_TO_ACT"
            )
        bot = match.bot(seat)
        if match.is_thinking:
            raise conflict("the bot's turn is being played already")
        match.is_thinking = True
        try:
            start = version = match.version
            while match.to_act == seat:
                try:
                    move = await self._runner.think(
                        call,
                        bot,
                        View.of(match.state, seat),
                        # A turn that has begun goes before others that have not.
                        priority=NORMAL if version == start else HIGH,
                        deadline=decision_deadline(call),
                        then=lambda _, result: result.move,
                    )
                except Refused as refusal:
                    if refusal.code == grpc.StatusCode.RESOURCE_EXHAUSTED and version > start:
                        return  # what was played is the answer; the caller sees that the bot is still to act
                    raise
                async with match.lock:
                    if match.version != version or match.is_stale:
                        raise conflict("the match has changed while the bot was thinking")
                    await self._matches.commit(match, match.move_events(move))
                first, version = version + 1, match.version
                yield event_messages(match, first, version, who if isinstance(who, int) else SPECTATOR)
        finally:
            match.is_thinking = False

    async def Undo(self, request: match_pb2.UndoRequest, call: Call) -> match_pb2.UndoResponse:
        match, who = await self._open(request, call)
        # Before the lock and the work: who may not take the move back must not keep the players waiting.
        if not isinstance(who, int):
            raise forbidden("token", "taking a move back needs the token of its seat", "SEAT_TOKEN_NEEDED")
        check_last_move(match, who, request)
        async with match.lock:
            check_last_move(match, who, request)
            undone = await asyncio.to_thread(match.before_last_move)
            await self._matches.commit(match, [Event(who, "undo", time=time.time())], undone=undone)
        return match_pb2.UndoResponse(match=match_message(match))

    async def Resign(self, request: match_pb2.ResignRequest, call: Call) -> match_pb2.ResignResponse:
        match, who = await self._open(request, call)
        if not isinstance(who, int):
            raise forbidden("token", "resigning needs the token of a seat", "SEAT_TOKEN_NEEDED")
        async with match.lock:
            check_version(match, request)
            if match.is_over:
                raise precondition("match_id", "the match is over", "MATCH_OVER")
            await self._matches.commit(match, [Event(who, "resign", time=time.time())])
        return match_pb2.ResignResponse(match=match_message(match))

    async def ExportRecord(
        self, request: match_pb2.ExportRecordRequest, call: Call
    ) -> match_pb2.ExportRecordResponse:
        match, who = await self._open(request, call)
        if not match.is_over and match.header.blind_owner:
            raise forbidden("match_id", "nobody may have the record before this match is over", "BLIND_OWNER")
        if not match.is_over and who != OWNER:
            raise forbidden(
                "token", "until the match is over its record, which tells all, needs the owner's token"
            )
        names = [seat["name"] for seat in match.header.seats]
        text = io.StringIO()
        write_record(
            text,
            header_of(match.position(0), names),
            [(event.by, event.text) for event in match.line],
            match.result if match.state.is_over else {},
        )
        return match_pb2.ExportRecordResponse(record=text.getvalue(), complete=match.state.is_over)

    async def DeleteMatch(
        self, request: match_pb2.DeleteMatchRequest, call: Call
    ) -> match_pb2.DeleteMatchResponse:
        match, who = await self._open(request, call)
        if who != OWNER:
            raise forbidden("token", "deleting needs the owner's token")
        async with match.lock:
            if not match.is_stale:
                await self._matches.delete(match)
        return match_pb2.DeleteMatchResponse()

    async def RotateToken(
        self, request: match_pb2.RotateTokenRequest, call: Call
    ) -> match_pb2.RotateTokenResponse:
        if not request.token:
            raise missing("token", "the token to replace")
        key = digest(key) if (key := checked_key(request.idempotency_key)) else ""
        match = await self._get(request.match_id)
        async with match.lock:
            holder = self._replaced_by(match, request.token, key)
            if holder is None:
                holder = self._holder(match, request.token, call.client)
                await self._matches.rotate(match, holder, Rotation(match.rotation(holder).count + 1, key))
        return match_pb2.RotateTokenResponse(token=self._token(match, holder), match=match_message(match))

    def _replaced_by(self, match: LiveMatch, token: str, key: str) -> Holder | None:
        """Whose token it was before the same request replaced it: then its answer got lost."""
        for holder in holders(match):
            rotation = match.rotation(holder)
            if key and is_token(rotation.key, key) and is_token(token, self._token(match, holder, back=1)):
                return holder
        return None


# -- requests


def new_nonce() -> str:
    return secrets.token_hex(16)


def id_of(request: match_pb2.CreateMatchRequest | match_pb2.ImportRecordRequest, client: Caller) -> str:
    """The key decides the id, so a second request of the client meets the match of the first.

    A client without a token or certificate is known by its connection alone, which is its name.
    """
    key = checked_key(request.idempotency_key)
    if not key:
        return secrets.token_hex(12)
    return hashlib.sha256(f"{client.name}\n{key}".encode()).hexdigest()[:24]


def holders(match: LiveMatch) -> list[Holder]:
    return [*range(match.players), OWNER]


def may_see(match: LiveMatch, client: Caller) -> bool:
    """Whether a client may know of a match without a token of it."""
    return client.is_admin or match.header.public or match.header.owner == client.owner


def check_secrecy(request: match_pb2.CreateMatchRequest) -> None:
    """What would be promised to the players must hold."""
    if request.reproducible and not request.HasField("seed"):
        raise missing("seed", "what a reproducible match is dealt by")
    if request.reproducible and request.blind_owner:
        raise not_allowed("blind_owner", True, "false for a reproducible match, whose owner knows the seed")


def check_last_move(match: LiveMatch, seat: int, request: match_pb2.UndoRequest) -> None:
    """Refuses who may not take the last move back, as far as that is quickly told."""
    check_version(match, request)
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


def check_real_dice(
    request: match_pb2.CreateMatchRequest | match_pb2.ImportRecordRequest, game: GameInfo
) -> None:
    """Where chance deals what only some may see, whoever reports it would see it, or find out what others hold."""
    if request.real_dice and not game.open_chance:
        raise not_allowed(
            "real_dice",
            True,
            f"false for {game.name}, where not everyone sees what chance brings or may bring",
        )


def replayed(text: str) -> tuple[Record, State, list[Event]]:
    """The record, the position it leads to and its moves as events; ValueError names the line."""
    record = Record.read(text.splitlines(), unfinished=True)
    states = list(record.replay())
    events = [
        Event(entry.by, "move", entry.move, hidden_from(state, entry.move), time.time())
        for state, entry in zip(states[:-1], record.moves, strict=True)
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


def fingerprint_of(request: Message) -> str:
    return hashlib.sha256(request.SerializeToString(deterministic=True)).hexdigest()


def check_version(match: LiveMatch, request: Any) -> None:
    if request.HasField("expected_version") and request.expected_version != match.version:
        raise conflict(
            f"{request.expected_version} is not the version of the match, which is {match.version}"
        )


def decision_deadline(call: Call) -> float | None:
    """The turn has further decisions, so one may use only a part of the time left."""
    if call.deadline is None:
        return None
    now = time.monotonic()
    return now + DECISION_SHARE * (call.deadline - now)


# -- answers


def match_message(match: LiveMatch) -> match_pb2.Match:
    header = match.header
    return match_pb2.Match(
        id=header.id,
        game=header.game,
        options=struct_message(header.options),
        seats=[seat_message(seat) for seat in header.seats],
        real_dice=header.real_dice,
        version=match.version,
        status=match_pb2.MATCH_STATUS_OVER if match.is_over else match_pb2.MATCH_STATUS_ACTIVE,
        to_act=match.to_act,
        turn_number=match.state.turn_number,
        result=result_message(match.result) if match.is_over else None,
        create_time=timestamp(header.created),
        update_time=timestamp(match.updated),
        seed_chosen=header.seed_chosen,
        reproducible=header.reproducible,
        imported=header.imported,
        public=header.public,
        owner=owner_rights(match),
    )


def owner_rights(match: LiveMatch) -> match_pb2.OwnerRights:
    if match.header.blind_owner:
        return match_pb2.OwnerRights()
    return match_pb2.OwnerRights(
        exports_unfinished=True,
        seats=[
            number
            for number, seat in enumerate(match.header.seats)
            if "bot" not in seat and not match.rotation(number).count
        ],
    )


def seat_message(seat: Json) -> match_pb2.Seat:
    bot: search_pb2.BotSpec | None = bot_message(BotSpec.parse(seat["bot"])) if "bot" in seat else None
    return match_pb2.Seat(name=seat["name"], bot=bot)


def submitted(match: LiveMatch, first: int, last: int, who: Who) -> match_pb2.SubmitMoveResponse:
    viewer = who if isinstance(who, int) else SPECTATOR
    return match_pb2.SubmitMoveResponse(
        events=event_messages(match, first, last, viewer), match=match_message(match)
    )


def event_messages(match: LiveMatch, first: int, last: int, viewer: int) -> list[match_pb2.MatchEvent]:
    return [event_message(match, version, viewer) for version in range(first, last + 1)]


def event_message(match: LiveMatch, version: int, viewer: int) -> match_pb2.MatchEvent:
    """An event as the viewer may see it. Spectators see what is hidden from nobody."""
    event = match.events[version - 1]
    message = match_pb2.MatchEvent(version=version, by=event.by, time=timestamp(event.time))
    if event.kind == "undo":
        message.undone.SetInParent()
    elif event.kind == "resign":
        message.resigned.SetInParent()
    elif event.hidden_from and (viewer == SPECTATOR or viewer in event.hidden_from):
        message.move.SetInParent()
    else:
        message.move.CopyFrom(move_message(match.state.game, match.state.read_move(event.text)))
    return message


def legal_moves(match: LiveMatch) -> match_pb2.ListLegalMovesResponse:
    game, to_act = match.state.game, match.to_act
    answer = match_pb2.ListLegalMovesResponse(to_act=to_act, version=match.version)
    if to_act == CHANCE:
        for outcome, probability in match.state.chance_outcomes():
            answer.moves.append(move_message(game, outcome))
            answer.probabilities.append(probability)
    elif to_act >= 0:
        answer.moves.extend(move_message(game, move) for move in match.state.legal_moves())
    return answer
