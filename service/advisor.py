"""AdvisorService: advice about positions that the caller keeps."""
# ruff: noqa: N802 - methods are named by the contract

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from pythia.core_cy import CHANCE, IllegalMove, View
from pythia.search.bots import ObservingBot, Progress, as_view
from pythia.search.result import Result
from pythia.service.calls import Call
from pythia.service.convert import (
    Json,
    Search,
    analysis_message,
    move_message,
    move_text,
    observation_json,
    problem_message,
    search_options,
)
from pythia.service.errors import Refused, from_value_error, invalid, missing, not_allowed, precondition
from pythia.service.thinking import Thinking
from pythia.v1 import advisor_pb2, search_pb2

MAX_BATCH = 1000
DEFAULT_INTERVAL_MS = 500
MIN_INTERVAL_MS, MAX_INTERVAL_MS = 20, 60_000
LOW = 2

# The words of search for the moves of a request.
NAMES = {"consider": "options.consider", "avoid": "options.avoid"}


class AdvisorService:
    """Keeps nothing between calls."""

    def __init__(self, thinking: Thinking) -> None:
        self._thinking = thinking

    async def SuggestMove(
        self, request: advisor_pb2.SuggestMoveRequest, call: Call
    ) -> advisor_pb2.SuggestMoveResponse:
        search = search_options(request.options, self._thinking.bounds)
        observation = observation_json(request.observation, "observation")
        return advisor_pb2.SuggestMoveResponse(analysis=await self._analyse(call, search, observation))

    async def _analyse(
        self,
        call: Call,
        search: Search,
        seen: View | Json,
        bot: ObservingBot | None = None,
        progress: Progress | None = None,
        uncounted: bool = False,
    ) -> search_pb2.Analysis:
        def answer(view: View, result: Result) -> search_pb2.Analysis:
            return analysis_message(view, result, search.lines)

        try:
            return await self._thinking.think(
                call,
                bot or search.spec.make(search.seed),
                seen,
                priority=search.priority,
                consider=search.consider,
                avoid=search.avoid,
                lines=search.lines,
                progress=progress,
                uncounted=uncounted,
                then=answer,
            )
        except ValueError as error:
            raise self._refusal(error, search, seen) from None

    def _refusal(self, error: ValueError, search: Search, seen: View | Json) -> Refused:
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

    async def Analyze(
        self, request: advisor_pb2.AnalyzeRequest, call: Call
    ) -> AsyncIterator[advisor_pb2.AnalyzeResponse]:
        search = search_options(request.options, self._thinking.bounds)
        observation = observation_json(request.observation, "observation")
        interval = request.interval_ms or DEFAULT_INTERVAL_MS
        if not MIN_INTERVAL_MS <= interval <= MAX_INTERVAL_MS:
            raise not_allowed("interval_ms", interval, f"{MIN_INTERVAL_MS} to {MAX_INTERVAL_MS}, or 0")
        loop = asyncio.get_running_loop()
        partial: asyncio.Queue[Result] = asyncio.Queue()

        def tell(result: Result) -> None:
            loop.call_soon_threadsafe(partial.put_nowait, result)

        final = asyncio.ensure_future(
            self._analyse(call, search, observation, progress=Progress(tell, interval / 1000))
        )
        update: asyncio.Future[Result] | None = None
        try:
            view: View | None = None
            while not final.done():
                update = asyncio.ensure_future(partial.get())
                await asyncio.wait((final, update), return_when=asyncio.FIRST_COMPLETED)
                if not update.done():
                    break
                view = view or View.from_observation(observation)
                yield advisor_pb2.AnalyzeResponse(
                    analysis=analysis_message(view, update.result(), search.lines)
                )
            yield advisor_pb2.AnalyzeResponse(analysis=await final, final=True)
        finally:
            final.cancel()
            if update is not None:
                update.cancel()

    async def AnalyzeBatch(
        self, request: advisor_pb2.AnalyzeBatchRequest, call: Call
    ) -> AsyncIterator[advisor_pb2.AnalyzeBatchResponse]:
        if not 1 <= len(request.items) <= MAX_BATCH:
            raise not_allowed("items", f"{len(request.items)} positions", f"1 to {MAX_BATCH}")
        search = search_options(request.options, self._thinking.bounds, default_priority=LOW)
        observations = [
            observation_json(item.observation, f"items[{number}].observation")
            for number, item in enumerate(request.items)
        ]

        async def one(index: int, observation: Json) -> advisor_pb2.AnalyzeBatchResponse:
            answer = advisor_pb2.AnalyzeBatchResponse(index=index)
            try:
                answer.analysis.CopyFrom(await self._analyse(call, search, observation, uncounted=True))
            except Refused as refusal:
                if not refusal.field:
                    raise
                field = refusal.field.removeprefix("observation").removeprefix(".")
                answer.problem.CopyFrom(problem_message(field, refusal.description))
            return answer

        # As many at a time as can run: the rest would only stand in the queue.
        at_once = min(self._thinking.workers, call.client.concurrent_searches or self._thinking.workers)
        places = asyncio.Semaphore(at_once)

        async def in_place(index: int, observation: Json) -> advisor_pb2.AnalyzeBatchResponse:
            async with places:
                return await one(index, observation)

        tasks = [asyncio.ensure_future(in_place(*pair)) for pair in enumerate(observations)]
        try:
            for answer in asyncio.as_completed(tasks):
                yield await answer
        finally:
            for task in tasks:
                task.cancel()

    async def LegalMoves(
        self, request: advisor_pb2.LegalMovesRequest, call: Call
    ) -> advisor_pb2.LegalMovesResponse:
        view = read(observation_json(request.observation, "observation"))
        if view.to_act != view.seat:
            raise precondition("observation.to_act", f"{view.to_act} is to act, not the observer")
        return advisor_pb2.LegalMovesResponse(
            moves=[move_message(view.game, move) for move in view.legal_moves()]
        )

    async def ValidateObservation(
        self, request: advisor_pb2.ValidateObservationRequest, call: Call
    ) -> advisor_pb2.ValidateObservationResponse:
        if request.observation.WhichOneof("game") is None:
            raise missing("observation", "the position to check")
        try:
            view = read(observation_json(request.observation, "observation"))
        except Refused as refusal:
            field = refusal.field.removeprefix("observation").removeprefix(".")
            return advisor_pb2.ValidateObservationResponse(
                problem=problem_message(field, refusal.description)
            )
        return advisor_pb2.ValidateObservationResponse(valid=True, to_act=view.to_act)

    async def PlayTurn(
        self, requests: AsyncIterator[advisor_pb2.PlayTurnRequest], call: Call
    ) -> AsyncIterator[advisor_pb2.PlayTurnResponse]:
        first = await anext(requests, None)
        if first is None or first.WhichOneof("message") != "start":
            raise missing("start", "what the first message of the stream has to be")
        search = search_options(first.start.options, self._thinking.bounds)
        turn = Turn(observation_json(first.start.observation, "start.observation"), "start.observation")
        bot = search.spec.make(search.seed)
        while True:
            analysis = await self._analyse(call, search, turn.view, bot)
            need = await asyncio.to_thread(turn.play, analysis.move.text)
            yield advisor_pb2.PlayTurnResponse(analysis=analysis, need=need)
            while need in (advisor_pb2.TURN_NEED_OUTCOME, advisor_pb2.TURN_NEED_OBSERVATION):
                request = await anext(requests, None)
                if request is None:
                    return
                need = await asyncio.to_thread(turn.hear, request, need)
                if need != advisor_pb2.TURN_NEED_NOTHING:
                    yield advisor_pb2.PlayTurnResponse(need=need)
            if need == advisor_pb2.TURN_NEED_OVER:
                return


class Turn:
    """A turn of a bot whose game somebody else keeps: what its seat sees, as far as that can be worked out."""

    def __init__(self, observation: Json, field: str) -> None:
        self.view = read(observation, field)
        self.number = self.view.turn_number
        if self.view.to_act != self.view.seat:
            raise precondition(f"{field}.to_act", f"{self.view.to_act} is to act, not the observer")

    def play(self, text: str) -> advisor_pb2.TurnNeed:
        """A move or outcome happened; what it leads to is known unless it showed something hidden."""
        return self._see(self.view.after(text))

    def _see(self, views: list[View]) -> advisor_pb2.TurnNeed:
        if len(views) != 1:
            return advisor_pb2.TURN_NEED_OBSERVATION
        self.view = views[0]
        return self._need()

    def _need(self) -> advisor_pb2.TurnNeed:
        if self.view.is_over or self.view.turn_number != self.number:
            return advisor_pb2.TURN_NEED_OVER
        if self.view.to_act == self.view.seat:
            return advisor_pb2.TURN_NEED_NOTHING
        if self.view.to_act == CHANCE:
            return advisor_pb2.TURN_NEED_OUTCOME
        return advisor_pb2.TURN_NEED_OBSERVATION

    def hear(self, request: advisor_pb2.PlayTurnRequest, need: advisor_pb2.TurnNeed) -> advisor_pb2.TurnNeed:
        """What the caller reports."""
        kind = request.WhichOneof("message")
        if kind == "outcome" and need == advisor_pb2.TURN_NEED_OUTCOME:
            text = move_text(request.outcome, "outcome")
            try:
                views = self.view.after(text)
                if not views:
                    self.view.imagined(0).parse_move(text)
            except IllegalMove as error:
                raise from_value_error(error, "outcome") from None
            return self._see(views)
        if kind == "observation":
            observation = observation_json(request.observation, "observation")
            if observation["observer"] != self.view.seat:
                raise not_allowed("observation.observer", observation["observer"], str(self.view.seat))
            self.view = read(observation)
            return self._need()
        allowed = (
            "an observation" if need == advisor_pb2.TURN_NEED_OBSERVATION else "an outcome or an observation"
        )
        raise precondition(kind or "message", f"not what is needed now; allowed: {allowed}")


def read(observation: Json, field: str = "observation") -> View:
    try:
        return View.from_observation(observation)
    except ValueError as error:
        raise from_value_error(error, field) from None
