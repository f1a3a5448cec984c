"""The services of the contract over gRPC: they turn messages into calls of the plain API and answers into messages.

Who may call at all, sizes and counters are the concern of the middleware (`calls.py`).
"""
# ruff: noqa: N802 - methods are named by the contract

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import lru_cache
from typing import Any, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from pythia.arena.review import DEFAULT_JUDGE
from pythia.core_cy import SPECTATOR, View, game_info
from pythia.core_cy.move_words import MoveWords
from pythia.search.bots import BotSpec
from pythia.search.result import Result
from pythia.service.advisor import DEFAULT_INTERVAL, Advisor, News, Outcome, Revealed, Sight, Then, problem_of
from pythia.service.aside import Answers
from pythia.service.calls import Call
from pythia.service.engine import Engine
from pythia.service.errors import Refused, missing, not_allowed, precondition
from pythia.service.matches import Matches
from pythia.service.reviewing import MAX_HISTORY
from pythia.service.scheduler import LOW
from pythia.service.types import Described, Json, Match, MatchMoves, Problem
from pythia.service.wire import (
    DEFAULT_LANGUAGE,
    NEED_NUMBERS,
    analysis_message,
    applied_message,
    autoplay_of,
    bot_info_message,
    check_size,
    description_message,
    event_message,
    game_message,
    match_message,
    move_message,
    move_text,
    move_texts,
    moves_message,
    observation_json,
    page_start,
    page_token,
    position_message,
    problem_message,
    reveal_texts,
    review_message,
    score_message,
    search_options,
    seat_names,
    seats_of,
    status_filter,
    struct_json,
    summary_message,
    watching_of,
    words_message,
)
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2, position_pb2, search_pb2

DEFAULT_PAGE, MAX_PAGE = 50, 500
# Lists of legal moves (as bytes), positions and matches that are kept: many ask for the same ones again and again.
KEPT = 1000
# Pictures and described moves that are kept: two hundred and more.
KEPT_BYTES = 32_000_000

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


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

    async def Describe(
        self, request: engine_pb2.DescribeRequest, call: Call
    ) -> engine_pb2.DescribeResponse | bytes:
        language = request.language or DEFAULT_LANGUAGE
        told = await self._engine.describe(request.game, language, request.words, origin=call)
        if not request.words:
            return everything(told)
        return described_message(told)

    async def ListBots(self, request: engine_pb2.ListBotsRequest, call: Call) -> engine_pb2.ListBotsResponse:
        return engine_pb2.ListBotsResponse(bots=map(bot_info_message, await self._engine.bots()))


@lru_cache(maxsize=32)  # games times languages
def everything(told: Described) -> bytes:
    """All that is described of a game; pages ask for it first of all."""
    return described_message(told).SerializeToString()


def described_message(told: Described) -> engine_pb2.DescribeResponse:
    return engine_pb2.DescribeResponse(
        descriptions=map(description_message, told.descriptions), suggestions=told.suggestions
    )


class AdvisorService:
    """Advice about positions that the caller keeps."""

    def __init__(self, advisor: Advisor) -> None:
        self._advisor = advisor
        self._answers = Answers(KEPT_BYTES)

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
            seen = observation_json(request.observation, "observation")
            to_act, scores = await self._advisor.validate(seen)
        except Refused as refusal:
            return advisor_pb2.ValidateObservationResponse(problem=problem_message(problem_of(refusal)))
        return advisor_pb2.ValidateObservationResponse(
            valid=True, to_act=to_act, scores=map(score_message, scores)
        )

    async def DescribeMoves(self, request: advisor_pb2.DescribeMovesRequest, call: Call) -> bytes:
        moves = move_texts(request.moves, "moves")

        def message(view: View, words: list[MoveWords]) -> bytes:
            told = [words_message(view, one) for one in words]
            return advisor_pb2.DescribeMovesResponse(moves=told).SerializeToString()

        async def make() -> bytes:
            seen = observation_json(request.observation, "observation")
            language = request.language or DEFAULT_LANGUAGE
            return await self._advisor.describe_moves(seen, language, moves, call, then=message)

        return await self._answer(request, make)

    async def Render(self, request: advisor_pb2.RenderRequest, call: Call) -> bytes:
        if request.move:
            move_text(request.move, "move")

        async def make() -> bytes:
            seen = observation_json(request.observation, "observation")
            names, language = seat_names(request.names, "names"), request.language or DEFAULT_LANGUAGE
            picture = await self._advisor.render(seen, request.move, call, names, language)
            return advisor_pb2.RenderResponse(svg=picture).SerializeToString()

        return await self._answer(request, make)

    async def _answer(
        self,
        request: advisor_pb2.DescribeMovesRequest | advisor_pb2.RenderRequest,
        make: Callable[[], Awaitable[bytes]],
    ) -> bytes:
        """Cached only if everyone may see the position: a quick answer reveals that somebody has asked the same.

        Otherwise an opponent could guess what a player holds, and know from the time which guess the player sees.
        """
        if not is_open(request.observation):
            return await make()
        return await self._answers.get(key_of(request), make)

    async def ApplyMove(
        self, request: advisor_pb2.ApplyMoveRequest, call: Call
    ) -> advisor_pb2.ApplyMoveResponse:
        if request.move:
            move_text(request.move, "move")
        reveals = reveal_texts(request.reveals, "reveals")
        seen = observation_json(request.observation, "observation")
        return applied_message(await self._advisor.apply_move(seen, request.move, reveals, call))

    async def Review(
        self, request: advisor_pb2.ReviewRequest, call: Call
    ) -> AsyncIterator[advisor_pb2.ReviewResponse]:
        search = search_options(request.options, LOW, BotSpec.parse(DEFAULT_JUDGE))
        match request.WhichOneof("source"):
            case "record":
                parts = self._advisor.review(
                    request.record, search, request.seats, request.unfinished, origin=call
                )
            case "history":
                parts = self._advisor.review_history(
                    history_steps(request.history), search, request.seats, origin=call
                )
            case _:
                raise missing("record", "the game to review; or give its `history`")
        async with aclosing(parts):
            async for part in parts:
                yield advisor_pb2.ReviewResponse(part=review_message(part))

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
            async for analysis, need, reveals in steps:
                yield advisor_pb2.PlayTurnResponse(
                    analysis=analysis, need=NEED_NUMBERS[need], reveals=reveals
                )


def is_open(position: position_pb2.Position) -> bool:
    """Whether a position has nothing that only some may see: that of a spectator, or of a game that hides nothing."""
    game = position.WhichOneof("game")
    if game is None:
        return False
    seen = getattr(position, game)
    return not game_info(game).hides or (seen.HasField("observer") and seen.observer == SPECTATOR)


def key_of(request: Message) -> bytes:
    """What an answer is kept under: requests of one kind that ask for the same, in the same order of fields."""
    data = request.SerializeToString(deterministic=True)
    return request.DESCRIPTOR.name.encode() + hashlib.sha256(data).digest()


def message_of(lines: int) -> Then[search_pb2.Analysis]:
    """Makes the message of an answer, in the thread of the search."""

    def then(view: View, result: Result) -> search_pb2.Analysis:
        return analysis_message(view, result, lines)

    return then


def history_steps(history: advisor_pb2.History) -> list[tuple[Json, str]]:
    if len(history.steps) > MAX_HISTORY:  # before any is read
        raise not_allowed("history.steps", f"{len(history.steps)} steps", f"1 to {MAX_HISTORY}")
    return [
        (
            observation_json(step.observation, f"history.steps[{number}].observation"),
            move_text(step.move, f"history.steps[{number}].move"),
        )
        for number, step in enumerate(history.steps)
    ]


async def heard(requests: AsyncIterator[advisor_pb2.PlayTurnRequest]) -> AsyncIterator[News]:
    """What the caller of a turn says after its start."""
    async for request in requests:
        kind = request.WhichOneof("message")
        if kind == "outcome":
            yield Outcome(move_text(request.outcome, "outcome"))
        elif kind == "observation":
            yield Sight(observation_json(request.observation, "observation"))
        elif kind == "reveal":
            yield Revealed(tuple(reveal_texts(request.reveal.split("\n"), "reveal")))
        else:
            words = "not what is needed now; allowed: an outcome, an observation or a reveal"
            raise precondition(kind or "message", words)


class MatchService:
    """Whole games, with the service as referee."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches
        self._moves: OrderedDict[str, tuple[MatchMoves, bytes]] = OrderedDict()
        self._positions: OrderedDict[tuple[str, int], tuple[Json, position_pb2.Position]] = OrderedDict()
        self._told: OrderedDict[str, tuple[Match, match_pb2.Match]] = OrderedDict()

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
            autoplay=autoplay_of(request.autoplay) if request.HasField("autoplay") else None,
            hints=request.hints,
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
        seen = await self._matches.observe(
            request.match_id,
            seat_asked(request),
            request.token,
            version=request.version if request.HasField("version") else None,
            origin=call,
        )
        observation = (
            position_message(seen.observation)
            if request.HasField("version")
            else self._position(request.match_id, seen.observation)
        )
        return match_pb2.ObserveResponse(observation=observation, version=seen.version)

    def _position(self, match_id: str, observation: Json) -> position_pb2.Position:
        """The message of what a viewer sees now, made once for all who ask with the same eyes."""
        key = match_id, observation["observer"]
        return kept(self._positions, key, observation, position_message)

    def _match(self, match: Match) -> match_pb2.Match:
        return kept(self._told, match.id, match, match_message)

    async def ListLegalMoves(self, request: match_pb2.ListLegalMovesRequest, call: Call) -> bytes:
        moves = await self._matches.moves(request.match_id, request.token, origin=call)
        return kept(
            self._moves, request.match_id, moves, lambda found: moves_message(found).SerializeToString()
        )

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

    async def WatchMany(
        self, request: match_pb2.WatchManyRequest, call: Call
    ) -> AsyncIterator[match_pb2.WatchManyResponse]:
        stream = self._matches.watch_many(
            [watching_of(asked) for asked in request.matches],
            observations=request.observations,
            origin=call,
        )
        async with aclosing(stream):
            async for told in stream:
                seen = told.observation
                yield match_pb2.WatchManyResponse(
                    match_id=told.match_id,
                    event=event_message(told.event) if told.event else None,
                    observation=self._position(told.match_id, seen) if seen else None,
                    match=self._match(told.match) if told.match else None,
                    ended=told.ended,
                )

    async def PauseMatch(
        self, request: match_pb2.PauseMatchRequest, call: Call
    ) -> match_pb2.PauseMatchResponse:
        match = await self._matches.pause(request.match_id, request.token, origin=call)
        return match_pb2.PauseMatchResponse(match=match_message(match))

    async def ResumeMatch(
        self, request: match_pb2.ResumeMatchRequest, call: Call
    ) -> match_pb2.ResumeMatchResponse:
        match = await self._matches.resume(
            request.match_id,
            request.token,
            seconds_per_move=request.seconds_per_move if request.HasField("seconds_per_move") else None,
            origin=call,
        )
        return match_pb2.ResumeMatchResponse(match=match_message(match))

    async def Hint(self, request: match_pb2.HintRequest, call: Call) -> AsyncIterator[match_pb2.HintResponse]:
        search = search_options(request.options)
        answers = self._matches.hint(
            request.match_id,
            request.token,
            search,
            interval=request.interval_ms / 1000 or DEFAULT_INTERVAL,
            then=message_of(search.lines),
            origin=call,
        )
        async with aclosing(answers):
            async for analysis, final, version in answers:
                yield match_pb2.HintResponse(analysis=analysis, final=final, version=version)

    async def ReviewMatch(
        self, request: match_pb2.ReviewMatchRequest, call: Call
    ) -> AsyncIterator[match_pb2.ReviewMatchResponse]:
        search = search_options(request.options, LOW, BotSpec.parse(DEFAULT_JUDGE))
        parts = self._matches.review(
            request.match_id, search, request.token, seats=request.seats, origin=call
        )
        async with aclosing(parts):
            async for part in parts:
                yield match_pb2.ReviewMatchResponse(part=review_message(part))

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
    """What distinguishes a request from others with the same idempotency key."""
    return hashlib.sha256(request.SerializeToString(deterministic=True)).hexdigest()


def kept(store: OrderedDict[K, tuple[V, T]], key: K, value: V, make: Callable[[V], T]) -> T:
    """What was made of the same object before, or is now."""
    found = store.get(key)
    if found is None or found[0] is not value:
        found = store[key] = value, make(value)
        store.move_to_end(key)
        if len(store) > KEPT:
            store.popitem(last=False)
    return found[1]


def version_expected(request: Any) -> int | None:
    return request.expected_version if request.HasField("expected_version") else None


def seat_asked(request: match_pb2.ObserveRequest | match_pb2.WatchRequest) -> int | None:
    return request.seat if request.HasField("seat") else None
