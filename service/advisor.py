"""Advice on positions that the caller sends, as plain Python. The gRPC servicer and local clients call it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pythia.core_cy import CHANCE, SPECTATOR, IllegalMove, Move, View
from pythia.core_cy.move_words import MoveWords, describe_moves
from pythia.core_cy.picture import svg_of
from pythia.core_cy.registry import state_from_observation
from pythia.core_cy.reveals import BadReveal, chances, passed, seen_after
from pythia.core_cy.reveals import Seen as SeenNow
from pythia.search.bots import BotSpec, ObservingBot, Progress, as_view
from pythia.search.limits import Limit
from pythia.search.result import Result
from pythia.service.auth import LOCAL_CALLER, URGENT, Origin
from pythia.service.batches import Batches
from pythia.service.errors import (
    Refused,
    check_language,
    from_value_error,
    invalid,
    missing,
    not_allowed,
    precondition,
)
from pythia.service.offered_bots import BOT_FAILED
from pythia.service.reviewing import Reviews, history_work, record_work
from pythia.service.scheduler import HIGH, NORMAL
from pythia.service.search_runner import Runner, Seen
from pythia.service.types import Applied, Json, Need, Problem, ReviewPart, Score, SearchRequest

T = TypeVar("T")

MAX_BATCH = 1000
# Answers of a batch that may wait for a slow reader, beside those being worked out.
UNREAD = 16
DEFAULT_INTERVAL = 0.5
MIN_INTERVAL, MAX_INTERVAL = 0.02, 60.0

# The words of search for the moves of a request.
NAMES = {"consider": "options.consider", "avoid": "options.avoid"}

LOCAL = Origin(LOCAL_CALLER)
# What is made of a view and a bot's answer, in the thread of the search.
Then = Callable[[View, Result], T]


def best(lines: int) -> Then[Result]:
    """The result as it is, with the moves that were asked for."""

    def then(view: View, result: Result) -> Result:
        return replace(result, moves=result.moves[:lines])

    return then


@dataclass(frozen=True)
class Outcome:
    """What dice or cards showed in the middle of a bot's turn."""

    text: str


@dataclass(frozen=True)
class Sight:
    """What the bot's seat sees now."""

    observation: Json


@dataclass(frozen=True)
class Revealed:
    """What a move or outcome revealed, as texts of the game."""

    texts: tuple[str, ...]


News = Outcome | Sight | Revealed


class Advisor:
    """Lets bots analyse positions. Stores nothing between calls.

    A position is a View, or the JSON of an observation, which the thread of the search reads. Errors are `Refused`,
    with the field of the request.
    """

    def __init__(self, runner: Runner, guard: Callable[[View], None] = lambda view: None) -> None:
        """`guard` raises Refused for views that must not be analysed."""
        self._runner = runner
        self._guard = guard
        self._batches = Batches(lambda: runner.workers)
        self.reviews = Reviews(runner, self._batches)

    # -- one position

    async def suggest(
        self,
        view: Seen,
        spec: BotSpec,
        limit: Limit | None = None,
        *,
        origin: Origin = LOCAL,
        seed: int = 0,
        lines: int = 10,
        consider: Sequence[str] = (),
        avoid: Sequence[str] = (),
        priority: int = NORMAL,
    ) -> Result:
        """Return the move that the bot would play, and what it thinks of the best `lines` moves."""
        spec = replace(spec, limit=limit) if limit else spec
        search = SearchRequest(spec, seed, lines, consider, avoid, priority)
        return await self.advise(view, search, origin, best(lines))

    async def advise(self, seen: Seen, search: SearchRequest, origin: Origin, then: Then[T]) -> T:
        """Like `suggest`, but return what `then` makes of the view and the result, in the thread of the search."""
        self.check(search, origin)
        return await self._choose(seen, search, origin, then)

    async def analyze(
        self,
        seen: Seen,
        search: SearchRequest,
        origin: Origin = LOCAL,
        *,
        interval: float = DEFAULT_INTERVAL,
        guarded: bool = True,
        then: Then[T],
    ) -> AsyncGenerator[tuple[T, bool]]:
        """Yield the result so far, about every `interval` seconds, and whether it is final.

        A slow reader skips results. Not `guarded`: the caller knows that advice is allowed.
        """
        if not MIN_INTERVAL <= interval <= MAX_INTERVAL:
            allowed = f"{MIN_INTERVAL * 1000:g} to {MAX_INTERVAL * 1000:g}, or 0"
            raise not_allowed("interval_ms", round(interval * 1000), allowed)
        self.check(search, origin)
        latest: Latest[Result] = Latest()
        progress = Progress(latest.tell, interval)
        final = asyncio.ensure_future(
            self._choose(seen, search, origin, then, progress=progress, guarded=guarded)
        )
        update: asyncio.Future[Result] | None = None
        try:
            view: View | None = None
            while not final.done():
                update = asyncio.ensure_future(latest.get())
                await asyncio.wait((final, update), return_when=asyncio.FIRST_COMPLETED)
                if not update.done():
                    break
                view = view or as_view(seen)
                yield then(view, update.result()), False
            yield await final, True
        finally:
            final.cancel()
            if update is not None:
                update.cancel()

    async def legal_moves(self, seen: Seen) -> list[Move]:
        """Return the legal moves of the observer, who must be to act."""
        view = read(seen)
        if view.to_act != view.seat:
            raise precondition("observation.to_act", f"{view.to_act} is to act, not the observer")
        return view.legal_moves()

    async def validate(self, seen: Seen) -> tuple[int, list[Score]]:
        """Return who is to act and the scores so far, or refuse an impossible position, with the part that is wrong."""
        view = read(seen)
        return view.to_act, scores_of(view)

    # -- for people

    async def render(
        self,
        seen: Seen,
        move: str = "",
        origin: Origin = LOCAL,
        names: Sequence[str] = (),
        language: str = "en",
    ) -> str:
        """Draw the position, which may be a spectator's view, as SVG; mark a move if one is given."""
        check_language(language)

        def work() -> str:
            position = seen.observation() if isinstance(seen, View) else seen
            try:
                return svg_of(position, move=move or None, names=names, language=language)
            except IllegalMove as error:
                raise from_value_error(error, "move") from None
            except ValueError as error:
                raise from_value_error(error, "observation") from None

        return await self._runner.aside(origin, work)

    async def describe_moves(
        self,
        seen: Seen,
        language: str = "en",
        moves: Sequence[str] = (),
        origin: Origin = LOCAL,
        *,
        then: Callable[[View, list[MoveWords]], T],
    ) -> T:
        """Describe moves in words: every legal move of the observer, or the given moves of any seat to act.

        Moves of other seats and outcomes of chance are described from the position before them, if they are given; they
        are never listed. Returns what `then` makes of the descriptions.
        """
        check_language(language)

        def work() -> T:
            view = read(seen, spectators=True)
            if view.to_act == view.seat != SPECTATOR:
                for number, text in enumerate(moves):
                    legal_move(view, text, f"moves[{number}]")
            elif not moves:
                raise precondition("observation.to_act", f"{view.to_act} is to act, not the observer")
            try:
                return then(view, describe_moves(view, list(moves) or None, language))
            except IllegalMove as error:
                raise invalid("moves", str(error)) from None

        return await self._runner.aside(origin, work)

    async def apply_move(
        self, seen: Seen, move: str, reveals: Sequence[str] = (), origin: Origin = LOCAL
    ) -> Applied:
        """Return what the observer sees after a move of the seat to act or an outcome of chance.

        Outcomes that the observer does not see, such as a card that another seat draws, happen automatically. If the
        observation is at such an event, the text may be empty.
        """
        return await self._runner.aside(origin, lambda: applied(read(seen), move, reveals))

    # -- many positions

    async def batch(
        self, positions: Sequence[Seen], search: SearchRequest, origin: Origin = LOCAL, *, then: Then[T]
    ) -> AsyncGenerator[tuple[int, T | Problem]]:
        """Yield each position when it is done: its number, and the answer or the problem."""
        if not 1 <= len(positions) <= MAX_BATCH:
            raise not_allowed("items", f"{len(positions)} positions", f"1 to {MAX_BATCH}")
        self._allow(search, origin)
        with self._batches.place(origin.client) as places:
            unread = asyncio.Semaphore(self._runner.workers + UNREAD)

            async def one(number: int, seen: Seen) -> tuple[int, T | Problem]:
                await unread.acquire()
                async with places:
                    try:
                        return number, await self._choose(seen, search, origin, then, patient=True)
                    except Refused as refusal:
                        if not refusal.field and refusal.reason != BOT_FAILED:
                            raise
                        return number, problem_of(refusal)

            tasks = [asyncio.ensure_future(one(*pair)) for pair in enumerate(positions)]
            try:
                for answer in asyncio.as_completed(tasks):
                    yield await answer
                    unread.release()
            finally:
                for task in tasks:
                    task.cancel()

    # -- a whole game

    def review(
        self,
        record: str,
        search: SearchRequest,
        seats: Sequence[int] = (),
        unfinished: bool = False,
        *,
        origin: Origin = LOCAL,
    ) -> AsyncGenerator[ReviewPart]:
        """Yield the decisions and the luck of a game, for these seats or all, and at the end the totals."""
        return self.reviews.parts(lambda: record_work(record, unfinished, search, seats), search, origin)

    def review_history(
        self,
        steps: Sequence[tuple[Seen, str]],
        search: SearchRequest,
        seats: Sequence[int] = (),
        *,
        origin: Origin = LOCAL,
    ) -> AsyncGenerator[ReviewPart]:
        """The same for what one seat saw and did, which gives no luck."""
        return self.reviews.parts(lambda: history_work(steps, search, seats, self._guard), search, origin)

    # -- a whole turn

    async def play_turn(
        self,
        seen: Seen,
        search: SearchRequest,
        heard: AsyncIterator[News],
        origin: Origin = LOCAL,
        *,
        field: str = "observation",
        then: Then[T],
    ) -> AsyncGenerator[tuple[T | None, Need, tuple[str, ...]]]:
        """Yield the bot's moves until its turn is over, each with what the bot needs before it can continue.

        If a move revealed something, the texts are the possibilities to choose from.
        """
        self._allow(search, origin)
        turn = BotTurn(read(seen, field), field)
        bot = search.spec.make(search.seed)

        def both(view: View, result: Result) -> tuple[str, T]:
            return result.move, then(view, result)

        while True:
            move, answer = await self._choose(turn.view, search, origin, both, bot)
            need = await asyncio.to_thread(turn.play, move)
            yield answer, need, turn.reveals
            while need in ("outcome", "observation"):
                said = await anext(heard, None)
                if said is None:
                    return
                need = await asyncio.to_thread(turn.hear, said, need)
                if need != "nothing":
                    yield None, need, turn.reveals
            if need == "over":
                return

    # -- what they share

    def check(self, search: SearchRequest, origin: Origin) -> None:
        """Refuse a search that is not allowed, or cannot start in time, before doing any work for it."""
        self._allow(search, origin)
        self._runner.check_room(origin, search.priority)

    def _allow(self, search: SearchRequest, origin: Origin) -> None:
        self._runner.bounds.check(search.spec, "options.bot")
        if search.priority == HIGH:
            origin.client.need(URGENT, "options.priority")
        check_language(search.language, "options.language")

    async def _choose(
        self,
        seen: Seen,
        search: SearchRequest,
        origin: Origin,
        then: Then[T],
        bot: ObservingBot | None = None,
        progress: Progress | None = None,
        patient: bool = False,
        guarded: bool = True,
    ) -> T:
        try:
            return await self._runner.run(
                origin,
                bot or search.spec.make(search.seed),
                seen,
                priority=search.priority,
                consider=search.consider,
                avoid=search.avoid,
                lines=search.lines,
                language=search.language,
                progress=progress,
                patient=patient,
                check=self._guard if guarded else lambda view: None,
                then=then,
            )
        except ValueError as error:
            raise refusal_of(error, search, seen) from None


def refusal_of(error: ValueError, search: SearchRequest, seen: Seen) -> Refused:
    """Find the field that caused the error: the position, or one of the moves to consider or avoid."""
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


def read(seen: Seen, field: str = "observation", spectators: bool = False) -> View:
    try:
        if spectators and not isinstance(seen, View):
            return View.of(state_from_observation(seen, 0, spectators=True), seen["observer"])
        return as_view(seen)
    except ValueError as error:
        raise from_value_error(error, field) from None


def legal_move(view: View, text: str, field: str) -> Move:
    try:
        return view.parse_move(text)
    except ValueError as error:
        raise invalid(field, str(error)) from None


def scores_of(view: View) -> list[Score]:
    """In seat order, as the viewer sees them; none for a game without scores."""
    return [Score(score["total"], score["parts"]) for score in view.game.scores(view) or ()]


def applied(view: View, move: str, reveals: Sequence[str]) -> Applied:
    if view.is_over:
        raise precondition("observation.to_act", "the game is over")
    if not move:
        if (now := passed(view)) is view:
            raise missing("move", "the text of a move of the seat to act, or of an outcome of chance")
        return standing(now)
    found = after_it(view, move, reveals)
    if found.view is None:
        return Applied(None, "observation", reveals=list(found.reveals))
    return standing(passed(found.view))


def after_it(
    view: View, move: str, reveals: Sequence[str], fields: tuple[str, str] = ("move", "reveals")
) -> SeenNow:
    """What the viewer sees after a move that showed these things; refusals name the field of the request."""
    try:
        return seen_after(view, move, reveals)
    except BadReveal as error:
        raise invalid(f"{fields[1]}[{error.number}]", str(error)) from None
    except IllegalMove as error:
        raise from_value_error(error, fields[0]) from None


def standing(view: View) -> Applied:
    """What a seat sees, and who has to say what comes next."""
    if view.is_over:
        return Applied(view.observation(), "over")
    if view.to_act != CHANCE:
        return Applied(view.observation(), "nothing" if view.to_act == view.seat else "observation")
    outcomes = chances(view)
    moves = [move for move, _ in outcomes]
    texts, probabilities = [str(move) for move in moves], [probability for _, probability in outcomes]
    return Applied(view.observation(), "outcome", texts, probabilities).of_moves(moves)


def problem_of(refusal: Refused) -> Problem:
    """A refused position: the part of it that is to blame."""
    return Problem(refusal.field.removeprefix("observation").removeprefix("."), refusal.description)


class Latest(Generic[T]):
    """Hands over the newest value to a reader that is ready for one."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._value: T | None = None

    def tell(self, value: T) -> None:
        """From the thread of the search."""
        self._value = value
        self._loop.call_soon_threadsafe(self._news.set)

    async def get(self) -> T:
        """A value that was not given before."""
        await self._news.wait()
        self._news.clear()
        assert self._value is not None
        return self._value


class BotTurn:
    """A bot's turn in a game that the caller keeps: what the bot's seat sees, as far as it can be derived."""

    def __init__(self, view: View, field: str) -> None:
        self.view = view
        self.number = view.turn_number
        # While the caller has to report what was revealed: what happened, what was reported, and what may be.
        self.event = ""
        self.reported: tuple[str, ...] = ()
        self.reveals: tuple[str, ...] = ()
        if view.to_act != view.seat:
            raise precondition(f"{field}.to_act", f"{view.to_act} is to act, not the observer")

    def play(self, text: str) -> Need:
        """A move or outcome happened; what it leads to is known unless it showed something hidden."""
        return self._happened(text, (), "outcome")

    def _happened(self, event: str, reported: tuple[str, ...], field: str) -> Need:
        found = after_it(self.view, event, reported, (field, "reveal"))
        self.event, self.reported, self.reveals = event, reported, found.reveals
        if found.view is None:
            return "observation"
        return self._see(found.view)

    def _see(self, view: View) -> Need:
        self.view = view
        self.event, self.reported, self.reveals = "", (), ()
        return self._need()

    def _need(self) -> Need:
        if self.view.is_over or self.view.turn_number != self.number:
            return "over"
        if self.view.to_act == self.view.seat:
            return "nothing"
        return "outcome" if self.view.to_act == CHANCE else "observation"

    def hear(self, said: News, need: Need) -> Need:
        """What the caller reports."""
        if isinstance(said, Sight):
            observer = said.observation["observer"]
            if observer != self.view.seat:
                raise not_allowed("observation.observer", observer, str(self.view.seat))
            return self._see(read(said.observation))
        if isinstance(said, Revealed):
            if not self.event:
                raise precondition("reveal", f"nothing was shown; allowed: an {need}")
            return self._happened(self.event, self.reported + said.texts, "outcome")
        if need != "outcome":
            raise precondition("outcome", f"not what is needed now; allowed: {self._allowed()}")
        return self._happened(said.text, (), "outcome")

    def _allowed(self) -> str:
        return "a reveal or an observation" if self.event else "an observation"
