"""MatchService: whole games, with the service as referee."""
# ruff: noqa: N802 - methods are named by the contract

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc
from google.protobuf.message import Message

from pythia.core_cy import CHANCE, SPECTATOR, BadOption, GameInfo, State, View, game_info, load_game
from pythia.core_cy.record import Record, header_of, write_record
from pythia.core_cy.registry import MAX_SEED
from pythia.search.bots import BotSpec
from pythia.service.auth import SeatTokens
from pythia.service.calls import Call
from pythia.service.convert import (
    bot_message,
    bot_spec,
    move_message,
    move_text,
    position_message,
    result_message,
    struct_json,
    struct_message,
    timestamp,
)
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
from pythia.service.fairness import hidden_from
from pythia.service.matches import Match, Matches
from pythia.service.store import Event, Header, Store
from pythia.service.thinking import Thinking
from pythia.v1 import match_pb2, search_pb2

Json = dict[str, Any]
Who = int | str | None  # a seat, the owner, or a spectator
OWNER = SeatTokens.OWNER

MAX_KEY = 100
MAX_NAME = 100
MAX_ID = 64
DEFAULT_PAGE, MAX_PAGE = 50, 500
# The part of the time left to the deadline that one decision of a bot's turn may use.
DECISION_SHARE = 0.4
HIGH, NORMAL = 0, 1


class MatchService:
    """Checks who may do what, and lets the matches do it."""

    def __init__(self, matches: Matches, store: Store, tokens: SeatTokens, thinking: Thinking) -> None:
        self._matches = matches
        self._store = store
        self._tokens = tokens
        self._thinking = thinking

    # -- making and finding

    async def CreateMatch(
        self, request: match_pb2.CreateMatchRequest, call: Call
    ) -> match_pb2.CreateMatchResponse:
        if request.game not in offered_games():
            raise not_allowed("game", request.game, ", ".join(offered_games()))
        if request.HasField("seed") and not 0 <= request.seed <= MAX_SEED:
            raise not_allowed("seed", request.seed, f"0 to {MAX_SEED}")
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
        seed = request.seed if request.HasField("seed") else secrets.randbits(62)
        try:
            start = await asyncio.to_thread(start_of, request.game, options, seed)
        except ValueError as error:
            raise from_value_error(error, "options") from None
        match = await self._create(request, call, options, seats, start, seed, request.real_dice, ())
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
        options = dict(record.header["start"].get("options", {}))
        seed = secrets.randbits(62)
        match = await self._create(
            request, call, options, seats, record.header["start"], seed, request.real_dice, events
        )
        owner, tokens = self._tokens_of(match)
        return match_pb2.ImportRecordResponse(
            match=match_message(match), seat_tokens=tokens, owner_token=owner
        )

    async def _create(
        self,
        request: match_pb2.CreateMatchRequest | match_pb2.ImportRecordRequest,
        call: Call,
        options: Json,
        seats: list[Json],
        start: Json,
        seed: int,
        real_dice: bool,
        events: Sequence[Event],
    ) -> Match:
        key = checked_key(request.idempotency_key)
        fingerprint = fingerprint_of(request)
        match_id = secrets.token_hex(12)
        if key:
            # The key decides the id, so a second request meets the match of the first.
            caller = call.client.name if call.client.is_known else ""
            match_id = hashlib.sha256(f"{caller}\n{key}".encode()).hexdigest()[:24]
        header = Header(
            match_id, start["game"], time.time(), options, seats, start, seed, real_dice, fingerprint
        )
        match = await self._matches.create(header, events)
        if match.header.fingerprint != fingerprint:
            raise invalid("idempotency_key", f"{key!r} was used for another request")
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
                obj["bot"] = str(bot_spec(seat.bot, f"seats[{number}].bot", self._thinking.bounds))
            checked.append(obj)
        return checked

    def _tokens_of(self, match: Match) -> tuple[str, list[str]]:
        match_id = match.header.id
        tokens = [
            "" if "bot" in seat else self._tokens.token(match_id, number)
            for number, seat in enumerate(match.header.seats)
        ]
        return self._tokens.token(match_id, OWNER), tokens

    async def GetMatch(self, request: match_pb2.GetMatchRequest, call: Call) -> match_pb2.GetMatchResponse:
        return match_pb2.GetMatchResponse(match=match_message(await self._get(request.match_id)))

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
        found = await self._store.page(size + 1, before, over[request.status], request.game or None)
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

    async def _get(self, match_id: str) -> Match:
        if not match_id:
            raise missing("match_id", "the id that CreateMatch gave")
        if len(match_id) > MAX_ID:
            raise not_found("match_id", f"{match_id[:MAX_ID]!r}... is not a match of this server")
        return await self._matches.get(match_id)

    # -- who may do what

    def _who(self, match: Match, token: str, call: Call) -> Who:
        """Whose token it is; a wrong one is refused, and without one the caller is a spectator."""
        if not token:
            return OWNER if call.client.is_admin else None
        holders: list[int | str] = [*range(match.players), OWNER]
        for seat in holders:
            if self._tokens.fits(token, match.header.id, seat):
                return seat
        raise forbidden("token", "is not a token of this match", "WRONG_TOKEN")

    def _viewer(self, match: Match, has_seat: bool, seat: int, token: str, call: Call) -> int:
        """The seat whose eyes the caller may use, or SPECTATOR."""
        who = self._who(match, token, call)
        if not has_seat:
            return SPECTATOR
        if not 0 <= seat < match.players:
            raise not_allowed("seat", seat, f"0 to {match.players - 1}")
        if who != seat:
            raise forbidden("token", f"seat {seat} sees things that need its own token", "SEAT_TOKEN_NEEDED")
        return seat

    def _actor(self, match: Match, token: str, call: Call) -> None:
        """Refuses a caller who may not decide what comes next."""
        who = self._who(match, token, call)
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
        match = await self._get(request.match_id)
        viewer = self._viewer(match, request.HasField("seat"), request.seat, request.token, call)
        return match_pb2.ObserveResponse(
            observation=position_message(match.state.observation(viewer)), version=match.version
        )

    async def ListLegalMoves(self, request: match_pb2.ListLegalMovesRequest, call: Call) -> bytes:
        match = await self._get(request.match_id)
        who = self._who(match, request.token, call)
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
        match = await self._get(request.match_id)
        viewer = self._viewer(match, request.HasField("seat"), request.seat, request.token, call)
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
            if match.is_stale:
                match = await self._get(request.match_id)

    # -- doing

    async def SubmitMove(
        self, request: match_pb2.SubmitMoveRequest, call: Call
    ) -> match_pb2.SubmitMoveResponse:
        text = move_text(request.move, "move")
        key = checked_key(request.idempotency_key)
        match = await self._get(request.match_id)
        async with match.lock:
            if key:
                done = await self._store.key(match.header.id, key)
                if done is not None:
                    self._who(match, request.token, call)
                    if done.fingerprint != fingerprint_of(request):
                        raise invalid("idempotency_key", f"{key!r} was used for another request")
                    return self._submitted(match, done.first, done.last, request.token, call)
            check_version(match, request)
            self._actor(match, request.token, call)
            try:
                events = match.move_events(text)
            except ValueError as error:
                raise invalid("move", match.why_illegal(text, error)) from None
            before = match.version
            await self._matches.commit(match, events, (key, fingerprint_of(request)) if key else None)
            return self._submitted(match, before + 1, match.version, request.token, call)

    def _submitted(
        self, match: Match, first: int, last: int, token: str, call: Call
    ) -> match_pb2.SubmitMoveResponse:
        who = self._who(match, token, call)
        return match_pb2.SubmitMoveResponse(
            events=event_messages(match, first, last, who if isinstance(who, int) else SPECTATOR),
            match=match_message(match),
        )

    async def PlayBotTurn(
        self, request: match_pb2.PlayBotTurnRequest, call: Call
    ) -> match_pb2.PlayBotTurnResponse:
        events: list[match_pb2.MatchEvent] = []
        match = await self._get(request.match_id)
        async for played in self._bot_turn(match, request, call):
            events += played
        return match_pb2.PlayBotTurnResponse(events=events, match=match_message(match))

    async def StreamBotTurn(
        self, request: match_pb2.StreamBotTurnRequest, call: Call
    ) -> AsyncIterator[match_pb2.StreamBotTurnResponse]:
        match = await self._get(request.match_id)
        async for played in self._bot_turn(match, request, call):
            yield match_pb2.StreamBotTurnResponse(events=played, match=match_message(match))

    async def _bot_turn(
        self, match: Match, request: match_pb2.PlayBotTurnRequest | match_pb2.StreamBotTurnRequest, call: Call
    ) -> AsyncIterator[list[match_pb2.MatchEvent]]:
        """Each decision of the bot's turn, once stored. A bot gets the observation of its seat and nothing else."""
        who = self._who(match, request.token, call)
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
                    move = await self._thinking.think(
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
        match = await self._get(request.match_id)
        async with match.lock:
            check_version(match, request)
            who = self._who(match, request.token, call)
            event = await asyncio.to_thread(match.undo_event)
            if who is None or who == OWNER:
                raise forbidden(
                    "token", "taking a move back needs the token of its seat", "SEAT_TOKEN_NEEDED"
                )
            if who != event.by:
                raise precondition("token", f"the last move was made by seat {event.by}, not seat {who}")
            await self._matches.commit(match, [event])
        return match_pb2.UndoResponse(match=match_message(match))

    async def Resign(self, request: match_pb2.ResignRequest, call: Call) -> match_pb2.ResignResponse:
        match = await self._get(request.match_id)
        async with match.lock:
            check_version(match, request)
            who = self._who(match, request.token, call)
            if not isinstance(who, int):
                raise forbidden("token", "resigning needs the token of a seat", "SEAT_TOKEN_NEEDED")
            if match.is_over:
                raise precondition("match_id", "the match is over", "MATCH_OVER")
            await self._matches.commit(match, [Event(who, "resign", time=time.time())])
        return match_pb2.ResignResponse(match=match_message(match))

    async def ExportRecord(
        self, request: match_pb2.ExportRecordRequest, call: Call
    ) -> match_pb2.ExportRecordResponse:
        match = await self._get(request.match_id)
        who = self._who(match, request.token, call)
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
        match = await self._get(request.match_id)
        async with match.lock:
            if self._who(match, request.token, call) != OWNER:
                raise forbidden("token", "deleting needs the owner's token")
            await self._matches.delete(match)
        return match_pb2.DeleteMatchResponse()


# -- requests


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


def check_version(match: Match, request: Any) -> None:
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


def page_token(created: float, match_id: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([created, match_id]).encode()).decode()


def page_start(token: str) -> tuple[float, str]:
    try:
        created, match_id = json.loads(base64.urlsafe_b64decode(token.encode()))
        return float(created), str(match_id)
    except (ValueError, TypeError, RecursionError):
        raise not_allowed("page_token", token, "what the answer before gave") from None


# -- answers


def match_message(match: Match) -> match_pb2.Match:
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
        update_time=timestamp(match.events[-1].time if match.events else header.created),
    )


def seat_message(seat: Json) -> match_pb2.Seat:
    bot: search_pb2.BotSpec | None = bot_message(BotSpec.parse(seat["bot"])) if "bot" in seat else None
    return match_pb2.Seat(name=seat["name"], bot=bot)


def event_messages(match: Match, first: int, last: int, viewer: int) -> list[match_pb2.MatchEvent]:
    return [event_message(match, version, viewer) for version in range(first, last + 1)]


def event_message(match: Match, version: int, viewer: int) -> match_pb2.MatchEvent:
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


def legal_moves(match: Match) -> match_pb2.ListLegalMovesResponse:
    game, to_act = match.state.game, match.to_act
    answer = match_pb2.ListLegalMovesResponse(to_act=to_act, version=match.version)
    if to_act == CHANCE:
        for outcome, probability in match.state.chance_outcomes():
            answer.moves.append(move_message(game, outcome))
            answer.probabilities.append(probability)
    elif to_act >= 0:
        answer.moves.extend(move_message(game, move) for move in match.state.legal_moves())
    return answer
