"""AdvisorService: advice about positions that the caller keeps."""
# ruff: noqa: N802 - methods are named by the contract

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from pythia.core_cy import CHANCE, IllegalMove, View
from pythia.search.bots import ObservingBot, Progress, as_view
from pythia.search.result import Result
from pythia.service.auth import URGENT, Caller
from pythia.service.calls import Call
from pythia.service.errors import (
    Refused,
    exhausted,
    from_value_error,
    invalid,
    missing,
    not_allowed,
    precondition,
)
from pythia.service.scheduler import HIGH, LOW, NORMAL
from pythia.service.search_runner import SearchRunner
from pythia.service.wire import (
    Json,
    SearchRequest,
    analysis_message,
    move_message,
    move_text,
    observation_json,
    problem_message,
    search_options,
)
from pythia.v1 import advisor_pb2, search_pb2

MAX_BATCH = 1000
# Batches of one client at the same time; they share the client's places in the queue.
MAX_BATCHES = 4
# Answers of a batch that may wait for a slow reader, beside those being worked out.
UNREAD = 16
DEFAULT_INTERVAL_MS = 500
MIN_INTERVAL_MS, MAX_INTERVAL_MS = 20, 60_000

# The words of search for the moves of a request.
NAMES = {"consider": "options.consider", "avoid": "options.avoid"}


class AdvisorService:
    """Keeps nothing between calls."""

    def __init__(self, runner: SearchRunner) -> None:
        self._runner = runner
        self._batches = Batches(runner.workers)

    def _search(
        self, options: search_pb2.SearchOptions, call: Call, default_priority: int = NORMAL
    ) -> SearchRequest:
        search = search_options(options, self._runner.bounds, default_priority)
        if search.priority == HIGH:
            call.client.need(URGENT, "options.priority")
        return search

    async def SuggestMove(
        self, request: advisor_pb2.SuggestMoveRequest, call: Call
    ) -> advisor_pb2.SuggestMoveResponse:
        search = self._search(request.options, call)
        self._runner.check_room(call, search.priority)
        observation = observation_json(request.observation, "observation")
        return advisor_pb2.SuggestMoveResponse(analysis=await self._analyse(call, search, observation))

    async def _analyse(
        self,
        call: Call,
        search: SearchRequest,
        seen: View | Json,
        bot: ObservingBot | None = None,
        progress: Progress | None = None,
        patient: bool = False,
    ) -> search_pb2.Analysis:
        def answer(view: View, result: Result) -> search_pb2.Analysis:
            return analysis_message(view, result, search.lines)

        try:
            return await self._runner.think(
                call,
                bot or search.spec.make(search.seed),
                seen,
                priority=search.priority,
                consider=search.consider,
                avoid=search.avoid,
                lines=search.lines,
                progress=progress,
                patient=patient,
                then=answer,
            )
        except ValueError as error:
            raise self._refusal(error, search, seen) from None

    def _refusal(self, error: ValueError, search: SearchRequest, seen: View | Json) -> Refused:
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
        search = self._search(request.options, call)
        self._runner.check_room(call, search.priority)
        observation = observation_json(request.observation, "observation")
        interval = request.interval_ms or DEFAULT_INTERVAL_MS
        if not MIN_INTERVAL_MS <= interval <= MAX_INTERVAL_MS:
            raise not_allowed("interval_ms", interval, f"{MIN_INTERVAL_MS} to {MAX_INTERVAL_MS}, or 0")
        latest = Latest()
        final = asyncio.ensure_future(
            self._analyse(call, search, observation, progress=Progress(latest.tell, interval / 1000))
        )
        update: asyncio.Future[Result] | None = None
        try:
            view: View | None = None
            while not final.done():
                update = asyncio.ensure_future(latest.get())
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
        search = self._search(request.options, call, default_priority=LOW)
        with self._batches.place(call.client) as places:
            async for answer in self._batch(request, call, search, places):
                yield answer

    async def _batch(
        self,
        request: advisor_pb2.AnalyzeBatchRequest,
        call: Call,
        search: SearchRequest,
        places: asyncio.Semaphore,
    ) -> AsyncIterator[advisor_pb2.AnalyzeBatchResponse]:
        observations = [
            observation_json(item.observation, f"items[{number}].observation")
            for number, item in enumerate(request.items)
        ]

        async def one(index: int, observation: Json) -> advisor_pb2.AnalyzeBatchResponse:
            answer = advisor_pb2.AnalyzeBatchResponse(index=index)
            try:
                answer.analysis.CopyFrom(await self._analyse(call, search, observation, patient=True))
            except Refused as refusal:
                if not refusal.field:
                    raise
                field = refusal.field.removeprefix("observation").removeprefix(".")
                answer.problem.CopyFrom(problem_message(field, refusal.description))
            return answer

        unread = asyncio.Semaphore(self._runner.workers + UNREAD)

        async def in_place(index: int, observation: Json) -> advisor_pb2.AnalyzeBatchResponse:
            await unread.acquire()
            async with places:
                return await one(index, observation)

        tasks = [asyncio.ensure_future(in_place(*pair)) for pair in enumerate(observations)]
        try:
            for answer in asyncio.as_completed(tasks):
                yield await answer
                unread.release()
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
        search = self._search(first.start.options, call)
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


class Latest:
    """The newest result of a search, for whoever is ready for one: a slow reader skips what lies between."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._result: Result | None = None

    def tell(self, result: Result) -> None:
        """From the thread of the search."""
        self._result = result
        self._loop.call_soon_threadsafe(self._news.set)

    async def get(self) -> Result:
        """A result that was not given before."""
        await self._news.wait()
        self._news.clear()
        assert self._result is not None
        return self._result


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
