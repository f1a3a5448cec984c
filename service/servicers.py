"""The services of the contract over gRPC: they turn messages into calls of the plain API and answers into messages.

Who may call at all, sizes and counters are the concern of the middleware (`calls.py`).
"""
# ruff: noqa: N802 - methods are named by the contract

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from pythia.core_cy import View
from pythia.search.result import Result
from pythia.service.advisor import DEFAULT_INTERVAL, Advisor, Outcome, Sight, Then, problem_of
from pythia.service.calls import Call
from pythia.service.engine import Engine
from pythia.service.errors import Refused, missing, not_allowed, precondition
from pythia.service.matches import Matches
from pythia.service.scheduler import LOW
from pythia.service.types import MatchMoves, Problem
from pythia.service.wire import (
    NEED_NUMBERS,
    analysis_message,
    bot_info_message,
    check_size,
    event_message,
    game_message,
    match_message,
    move_message,
    move_text,
    moves_message,
    observation_json,
    page_start,
    page_token,
    position_message,
    problem_message,
    search_options,
    seats_of,
    status_filter,
    struct_json,
    summary_message,
)
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2, search_pb2

DEFAULT_PAGE, MAX_PAGE = 50, 500
# Lists of legal moves that are kept as bytes: pages and bots ask for the same ones again and again.
MOVES_KEPT = 1000


class EngineService:
    """What the server is and what it can play."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def GetServerInfo(
        self, request: engine_pb2.GetServerInfoRequest, call: Call
    ) -> engine_pb2.GetServerInfoResponse:
        info = await self._engine.server_info()
        uptime = Duration()
        uptime.FromNanoseconds(int(info.uptime * 1e9))
        return engine_pb2.GetServerInfoResponse(
            name=info.name,
            version=info.version,
            uptime=uptime,
            games=info.games,
            max_search_seconds=info.max_search_seconds,
            max_search_iterations=info.max_search_iterations,
            max_search_threads=info.max_search_threads,
        )

    async def ListGames(
        self, request: engine_pb2.ListGamesRequest, call: Call
    ) -> engine_pb2.ListGamesResponse:
        return engine_pb2.ListGamesResponse(games=map(game_message, await self._engine.games()))

    async def ListBots(self, request: engine_pb2.ListBotsRequest, call: Call) -> engine_pb2.ListBotsResponse:
        return engine_pb2.ListBotsResponse(bots=map(bot_info_message, await self._engine.bots()))


class AdvisorService:
    """Advice about positions that the caller keeps."""

    def __init__(self, advisor: Advisor) -> None:
        self._advisor = advisor

    async def SuggestMove(
        self, request: advisor_pb2.SuggestMoveRequest, call: Call
    ) -> advisor_pb2.SuggestMoveResponse:
        search = search_options(request.options)
        self._advisor.check(search, call)
        seen = observation_json(request.observation, "observation")
        analysis = await self._advisor.advise(seen, search, call, message_of(search.lines))
        return advisor_pb2.SuggestMoveResponse(analysis=analysis)

    async def Analyze(
        self, request: advisor_pb2.AnalyzeRequest, call: Call
    ) -> AsyncIterator[advisor_pb2.AnalyzeResponse]:
        search = search_options(request.options)
        self._advisor.check(search, call)
        seen = observation_json(request.observation, "observation")
        interval = request.interval_ms / 1000 or DEFAULT_INTERVAL
        answers = self._advisor.analyze(seen, search, call, interval=interval, then=message_of(search.lines))
        async with aclosing(answers):
            async for analysis, final in answers:
                yield advisor_pb2.AnalyzeResponse(analysis=analysis, final=final)

    async def AnalyzeBatch(
        self, request: advisor_pb2.AnalyzeBatchRequest, call: Call
    ) -> AsyncIterator[advisor_pb2.AnalyzeBatchResponse]:
        search = search_options(request.options, default_priority=LOW)
        positions = [
            observation_json(item.observation, f"items[{number}].observation")
            for number, item in enumerate(request.items)
        ]
        answers = self._advisor.batch(positions, search, call, then=message_of(search.lines))
        async with aclosing(answers):
            async for index, answer in answers:
                if isinstance(answer, Problem):
                    yield advisor_pb2.AnalyzeBatchResponse(index=index, problem=problem_message(answer))
                else:
                    yield advisor_pb2.AnalyzeBatchResponse(index=index, analysis=answer)

    async def LegalMoves(
        self, request: advisor_pb2.LegalMovesRequest, call: Call
    ) -> advisor_pb2.LegalMovesResponse:
        moves = await self._advisor.legal_moves(observation_json(request.observation, "observation"))
        return advisor_pb2.LegalMovesResponse(moves=[move_message(move.game, move) for move in moves])

    async def ValidateObservation(
        self, request: advisor_pb2.ValidateObservationRequest, call: Call
    ) -> advisor_pb2.ValidateObservationResponse:
        if request.observation.WhichOneof("game") is None:
            raise missing("observation", "the position to check")
        try:
            to_act = await self._advisor.validate(observation_json(request.observation, "observation"))
        except Refused as refusal:
            return advisor_pb2.ValidateObservationResponse(problem=problem_message(problem_of(refusal)))
        return advisor_pb2.ValidateObservationResponse(valid=True, to_act=to_act)

    async def PlayTurn(
        self, requests: AsyncIterator[advisor_pb2.PlayTurnRequest], call: Call
    ) -> AsyncIterator[advisor_pb2.PlayTurnResponse]:
        first = await anext(requests, None)
        if first is None or first.WhichOneof("message") != "start":
            raise missing("start", "what the first message of the stream has to be")
        search = search_options(first.start.options)
        seen = observation_json(first.start.observation, "start.observation")
        steps = self._advisor.play_turn(
            seen, search, heard(requests), call, field="start.observation", then=message_of(search.lines)
        )
        async with aclosing(steps):
            async for analysis, need in steps:
                yield advisor_pb2.PlayTurnResponse(analysis=analysis, need=NEED_NUMBERS[need])


def message_of(lines: int) -> Then[search_pb2.Analysis]:
    """Makes the message of an answer, in the thread of the search."""

    def then(view: View, result: Result) -> search_pb2.Analysis:
        return analysis_message(view, result, lines)

    return then


async def heard(requests: AsyncIterator[advisor_pb2.PlayTurnRequest]) -> AsyncIterator[Outcome | Sight]:
    """What the caller of a turn says after its start."""
    async for request in requests:
        kind = request.WhichOneof("message")
        if kind == "outcome":
            yield Outcome(move_text(request.outcome, "outcome"))
        elif kind == "observation":
            yield Sight(observation_json(request.observation, "observation"))
        else:
            words = "not what is needed now; allowed: an outcome or an observation"
            raise precondition(kind or "message", words)


class MatchService:
    """Whole games, with the service as referee."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches
        self._moves: OrderedDict[str, tuple[MatchMoves, bytes]] = OrderedDict()

    async def CreateMatch(
        self, request: match_pb2.CreateMatchRequest, call: Call
    ) -> match_pb2.CreateMatchResponse:
        check_size(request.options, "options")
        created = await self._matches.create(
            request.game,
            seats_of(request.seats),
            options=struct_json(request.options, "options"),
            seed=request.seed if request.HasField("seed") else None,
            reproducible=request.reproducible,
            real_dice=request.real_dice,
            public=request.public,
            blind_owner=request.blind_owner,
            key=request.idempotency_key,
            fingerprint=fingerprint_of(request),
            origin=call,
        )
        return match_pb2.CreateMatchResponse(
            match=match_message(created.match),
            seat_tokens=created.seat_tokens,
            owner_token=created.owner_token,
        )

    async def ImportRecord(
        self, request: match_pb2.ImportRecordRequest, call: Call
    ) -> match_pb2.ImportRecordResponse:
        created = await self._matches.import_record(
            request.record,
            seats_of(request.seats),
            real_dice=request.real_dice,
            public=request.public,
            key=request.idempotency_key,
            fingerprint=fingerprint_of(request),
            origin=call,
        )
        return match_pb2.ImportRecordResponse(
            match=match_message(created.match),
            seat_tokens=created.seat_tokens,
            owner_token=created.owner_token,
        )

    async def GetMatch(self, request: match_pb2.GetMatchRequest, call: Call) -> match_pb2.GetMatchResponse:
        match = await self._matches.get(request.match_id, request.token, origin=call)
        return match_pb2.GetMatchResponse(match=match_message(match))

    async def ListMatches(
        self, request: match_pb2.ListMatchesRequest, call: Call
    ) -> match_pb2.ListMatchesResponse:
        if not 0 <= request.page_size <= MAX_PAGE:
            raise not_allowed("page_size", request.page_size, f"0 to {MAX_PAGE}")
        found, more = await self._matches.page(
            request.page_size or DEFAULT_PAGE,
            page_start(request.page_token) if request.page_token else None,
            status=status_filter(request.status),
            game=request.game or None,
            origin=call,
        )
        return match_pb2.ListMatchesResponse(
            matches=map(summary_message, found), next_page_token=page_token(*more) if more else ""
        )

    async def Observe(self, request: match_pb2.ObserveRequest, call: Call) -> match_pb2.ObserveResponse:
        seen = await self._matches.observe(request.match_id, seat_asked(request), request.token, origin=call)
        return match_pb2.ObserveResponse(observation=position_message(seen.observation), version=seen.version)

    async def ListLegalMoves(self, request: match_pb2.ListLegalMovesRequest, call: Call) -> bytes:
        moves = await self._matches.moves(request.match_id, request.token, origin=call)
        kept = self._moves.get(request.match_id)
        if kept is None or kept[0] is not moves:
            kept = self._moves[request.match_id] = moves, moves_message(moves).SerializeToString()
            self._moves.move_to_end(request.match_id)
            if len(self._moves) > MOVES_KEPT:
                self._moves.popitem(last=False)
        return kept[1]

    async def Watch(
        self, request: match_pb2.WatchRequest, call: Call
    ) -> AsyncIterator[match_pb2.WatchResponse]:
        events = self._matches.watch(
            request.match_id,
            seat_asked(request),
            request.token,
            after_version=request.after_version,
            origin=call,
        )
        async with aclosing(events):
            async for event in events:
                yield match_pb2.WatchResponse(event=event_message(event))

    async def SubmitMove(
        self, request: match_pb2.SubmitMoveRequest, call: Call
    ) -> match_pb2.SubmitMoveResponse:
        played = await self._matches.submit(
            request.match_id,
            move_text(request.move, "move"),
            request.token,
            expected_version=version_expected(request),
            key=request.idempotency_key,
            fingerprint=fingerprint_of(request),
            origin=call,
        )
        return match_pb2.SubmitMoveResponse(
            events=map(event_message, played.events), match=match_message(played.match)
        )

    async def PlayBotTurn(
        self, request: match_pb2.PlayBotTurnRequest, call: Call
    ) -> match_pb2.PlayBotTurnResponse:
        played = await self._matches.bot_turn(
            request.match_id, request.token, expected_version=version_expected(request), origin=call
        )
        return match_pb2.PlayBotTurnResponse(
            events=map(event_message, played.events), match=match_message(played.match)
        )

    async def StreamBotTurn(
        self, request: match_pb2.StreamBotTurnRequest, call: Call
    ) -> AsyncIterator[match_pb2.StreamBotTurnResponse]:
        steps = self._matches.bot_turn_steps(
            request.match_id, request.token, expected_version=version_expected(request), origin=call
        )
        async with aclosing(steps):
            async for played in steps:
                yield match_pb2.StreamBotTurnResponse(
                    events=map(event_message, played.events), match=match_message(played.match)
                )

    async def Undo(self, request: match_pb2.UndoRequest, call: Call) -> match_pb2.UndoResponse:
        match = await self._matches.undo(
            request.match_id, request.token, expected_version=version_expected(request), origin=call
        )
        return match_pb2.UndoResponse(match=match_message(match))

    async def Resign(self, request: match_pb2.ResignRequest, call: Call) -> match_pb2.ResignResponse:
        match = await self._matches.resign(
            request.match_id, request.token, expected_version=version_expected(request), origin=call
        )
        return match_pb2.ResignResponse(match=match_message(match))

    async def ExportRecord(
        self, request: match_pb2.ExportRecordRequest, call: Call
    ) -> match_pb2.ExportRecordResponse:
        record = await self._matches.export(request.match_id, request.token, origin=call)
        return match_pb2.ExportRecordResponse(record=record.text, complete=record.complete)

    async def DeleteMatch(
        self, request: match_pb2.DeleteMatchRequest, call: Call
    ) -> match_pb2.DeleteMatchResponse:
        await self._matches.delete(request.match_id, request.token, origin=call)
        return match_pb2.DeleteMatchResponse()

    async def RotateToken(
        self, request: match_pb2.RotateTokenRequest, call: Call
    ) -> match_pb2.RotateTokenResponse:
        token, match = await self._matches.rotate_token(
            request.match_id, request.token, key=request.idempotency_key, origin=call
        )
        return match_pb2.RotateTokenResponse(token=token, match=match_message(match))


def fingerprint_of(request: Message) -> str:
    """What tells a request from others with the same idempotency key."""
    return hashlib.sha256(request.SerializeToString(deterministic=True)).hexdigest()


def version_expected(request: Any) -> int | None:
    return request.expected_version if request.HasField("expected_version") else None


def seat_asked(request: match_pb2.ObserveRequest | match_pb2.WatchRequest) -> int | None:
    return request.seat if request.HasField("seat") else None
