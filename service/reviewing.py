"""Reviews of games. Each of their searches waits for its turn in the queue; a cancelled call frees the processor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from functools import partial

from pythia.arena.review import (
    LINES,
    Decision,
    HistoryStep,
    LuckyEvent,
    ReviewedMove,
    ReviewQuestion,
    ReviewWork,
    Story,
)
from pythia.core_cy import BadPosition, IllegalMove, View
from pythia.core_cy.record import BadRecord, Record
from pythia.search.bots import as_view
from pythia.search.result import Result
from pythia.service.auth import URGENT, Origin
from pythia.service.batches import Batches
from pythia.service.errors import (
    Refused,
    check_language,
    exhausted,
    from_value_error,
    invalid,
    not_allowed,
    precondition,
)
from pythia.service.scheduler import HIGH
from pythia.service.search_runner import Runner, Seen
from pythia.service.types import ReviewPart, SearchRequest

# The longest that one call may take; what is done by then has been sent.
MOST_SECONDS = 3600.0
# Moves of a record and decisions of a history: all of them are kept in memory while the review goes on.
MAX_RECORD, MAX_HISTORY = 10_000, 1000
# The longest pause before a search is tried again for which the quota of its client had no seconds left.
LONGEST_PAUSE = 5.0

# The words of the layers below for parts of the request.
NAMES = {"bot": "options.bot.name", "seat": "seats"}


class Reviews:
    """Reviews for many clients. Each counts as one of its client's batches and shares their places in the queue."""

    def __init__(self, runner: Runner, batches: Batches) -> None:
        self._runner = runner
        self._batches = batches

    async def parts(
        self, make: Callable[[], ReviewWork], search: SearchRequest, origin: Origin
    ) -> AsyncGenerator[ReviewPart]:
        """What a review finds, move by move, and at the end the sums of each seat.

        `make` reads the game, in a thread.
        """
        self._check(search, origin)
        began = time.monotonic()
        with self._batches.place(origin.client) as places:
            work = await self._runner.aside(origin, make)
            moves = work.moves()
            answer: Result | None = None
            while (found := await self._runner.aside(origin, partial(advanced, moves, answer))) is not None:
                answer = None
                if isinstance(found, ReviewQuestion):
                    async with places:
                        answer = await self._search(found, search, origin, began + MOST_SECONDS)
                    continue
                things: list[Decision | LuckyEvent] = [found.decision] if found.decision else []
                things += found.luck
                if not things:
                    yield ReviewPart(found.number, work.total, None)
                for thing in things:
                    yield ReviewPart(found.number, work.total, thing)
                if time.monotonic() - began > MOST_SECONDS:
                    raise too_long(found.number, work.total)
            for summary in work.review.summaries():
                yield ReviewPart(work.total, work.total, summary)

    def _check(self, search: SearchRequest, origin: Origin) -> None:
        self._runner.bounds.check(search.spec, "options.bot")
        if search.priority == HIGH:
            origin.client.need(URGENT, "options.priority")
        check_language(search.language, "options.language")
        for field in ("consider", "avoid"):
            if getattr(search, field):
                raise invalid(f"options.{field}", "a review takes none; every decision has other moves")

    async def _search(
        self, question: ReviewQuestion, search: SearchRequest, origin: Origin, until: float
    ) -> Result:
        spec = replace(search.spec, limit=question.limit) if question.limit else search.spec
        while True:
            try:
                return await self._runner.run(
                    origin,
                    spec.make(question.seed),
                    question.view,
                    priority=search.priority,
                    consider=question.consider,
                    lines=LINES,
                    patient=True,
                    then=lambda _, result: result,
                )
            except Refused as refused:
                # The quota fills again, and what was reviewed until here would be lost.
                if refused.retry_seconds is None or time.monotonic() + refused.retry_seconds > until:
                    raise
                await asyncio.sleep(min(refused.retry_seconds, LONGEST_PAUSE))


def advanced(moves: Story, answer: Result | None) -> ReviewQuestion | ReviewedMove | None:
    """The next question or reviewed move; None at the end."""
    try:
        return moves.send(answer)  # type: ignore[arg-type]  # a generator begins with None
    except StopIteration:
        return None
    except ValueError as error:
        raise from_value_error(error, "options", NAMES) from None


def record_work(text: str, unfinished: bool, search: SearchRequest, seats: Sequence[int]) -> ReviewWork:
    """The review of a record that somebody sent."""
    try:
        record = Record.read(text.splitlines(), unfinished=unfinished)
        if len(record.moves) > MAX_RECORD:
            raise invalid("record", f"{len(record.moves)} moves are too many; allowed: {MAX_RECORD}")
        work = ReviewWork.of_record(
            record, search.spec, seats=seats or None, seed=search.seed, language=search.language
        )
    except (BadRecord, BadPosition) as error:
        raise invalid("record", str(error)) from None
    except ValueError as error:
        raise from_value_error(error, "record", NAMES) from None
    return work


def history_work(
    steps: Sequence[tuple[Seen, str]],
    search: SearchRequest,
    seats: Sequence[int],
    guard: Callable[[View], None],
) -> ReviewWork:
    """The review of what one seat saw at each of its decisions, and did. `guard` refuses views without advice."""
    if not 1 <= len(steps) <= MAX_HISTORY:
        raise not_allowed("history.steps", f"{len(steps)} steps", f"1 to {MAX_HISTORY}")
    read: list[HistoryStep] = []
    for number, (seen, move) in enumerate(steps):
        field = f"history.steps[{number}]"
        try:
            view = as_view(seen)
        except ValueError as error:
            raise from_value_error(error, f"{field}.observation") from None
        guard(view)
        check_same(view, read[0].view if read else view, f"{field}.observation")
        try:
            read.append(HistoryStep(view, str(view.parse_move(move))))
        except IllegalMove as error:
            raise invalid(f"{field}.move", str(error)) from None
        except ValueError as error:
            raise precondition(
                f"{field}.observation.to_act", str(error).removeprefix("observation: ")
            ) from None
    seat = read[0].view.seat
    for number, chosen in enumerate(seats):
        if chosen != seat:
            raise not_allowed(f"seats[{number}]", chosen, f"{seat}, who saw this history")
    return ReviewWork.of_history(read, search.spec, seed=search.seed, language=search.language)


def check_same(view: View, first: View, field: str) -> None:
    """A history is that of one seat of one game."""
    for part, value, wanted in (
        ("game", view.game.name, first.game.name),
        ("observer", view.seat, first.seat),
        ("players", view.game.players, first.game.players),
    ):
        if value != wanted:
            raise not_allowed(f"{field}.{part}", value, f"{wanted}, as in the first step")


def too_long(done: int, total: int) -> Refused:
    return exhausted(
        "REVIEW_TOO_LONG",
        f"the review took more than {MOST_SECONDS:g} seconds; {done} of {total} moves are done; "
        "ask for fewer seats or a lower limit",
        MOST_SECONDS,
    )
