"""What a finished game says about its players: the win probability that decisions lost, and apart from it the luck.

Decisions are judged by what the seat could know when it decided, never by how things turned out. Luck is what dice,
draws and uncovered things brought, compared with what they could have brought as far as the seat knew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from statistics import NormalDist, fmean
from typing import Any, Literal, NamedTuple, Protocol, Self, get_args

from pythia.arena.stats import mean_interval, sample_variance
from pythia.core_cy.descriptions import check_language
from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.game import CHANCE, Game, Move, State, View
from pythia.core_cy.move_words import reasons
from pythia.core_cy.record import Record, RecordEntry
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec, ObservingBot
from pythia.search.limits import Limit
from pythia.search.plugins import in_time
from pythia.search.result import CONFIDENCE, MoveReport, Result, t_quantile
from pythia.search.tree import StopFlag

# What a decision is judged with: a search for the best moves with this limit, and as much again for each of the two
# moves that are then compared.
DEFAULT_JUDGE = "ismcts:iterations=400"
# The number of comparisons, each with its own luck; their spread shows how certain the result is.
COMPARISONS = 8
# Positions drawn from what a seat knows, to see what could have happened. They also show whether a move uncovers
# something: if it can show two things with equal chance, all agree by accident once in 2 ** 31.
WORLDS = 32
# A loss from which on a decision is called a mistake, if the interval is clear of 0.
MISTAKE = 0.02
BIGGEST = 5

LuckKind = Literal["chance", "reveal"]
LUCK_KINDS: tuple[LuckKind, ...] = get_args(LuckKind)

Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Stopped(Exception):
    """A judge may raise this when it is stopped in the middle of a search."""


class Judge(Protocol):
    """Analyses what the seat to act knows, with these moves to choose from; all when there are none."""

    def __call__(self, view: View, limit: Limit | None, consider: Sequence[str], seed: int) -> Result: ...


# How many moves a judge has to report with how play goes on: the best, and the best other one.
LINES = 2


@dataclass(frozen=True)
class ReviewQuestion:
    """What a review asks its judge."""

    view: View
    limit: Limit | None
    consider: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class Decision:
    """A decision with a choice.

    `loss` is the win probability of the better move less that of the move played, not below 0, and `low` to `high` its
    95 % interval. Which move is better was found with other luck than the two were then compared with, so being chosen
    as the best does not flatter it. `win_probability` comes from the same comparisons, so there is no more to lose than
    that. `difference` is the loss before it is cut off at 0: its noise has both signs, so sums of it are not pushed up.
    """

    number: int  # of the move in the record, from 1
    turn: int
    seat: int
    move: str
    best: str  # the move itself when nothing better was found
    loss: float
    low: float
    high: float
    difference: float
    error: float  # the standard error of the difference
    win_probability: float  # before the move, if it is played well: of the better move in the comparisons
    reasons: list[str]  # for the better move, in the game's words
    choices: int
    line: list[
        str
    ]  # how play was expected to go on with the better move, itself first; empty if that was not seen
    values: list[float]  # the win probability of each seat before the move

    @property
    def is_mistake(self) -> bool:
        return self.loss >= MISTAKE and self.low > 0


@dataclass(frozen=True)
class LuckyEvent:
    """What an event that the seat could not foresee brought it: its value less the mean of what could have come.

    Values are the game's own judgement. Over what could have happened the luck is 0 on average.
    """

    number: int
    turn: int
    seat: int  # whose luck
    by: int  # who did it, -1 for chance
    event: str
    kind: LuckKind
    luck: float
    error: float  # the standard error, from the sampling of what is hidden


@dataclass(frozen=True)
class SeatReview:
    """A seat's decisions and luck, added up. The intervals are 95 %."""

    seat: int
    name: str
    decisions: int
    total_loss: float
    total_loss_low: float
    total_loss_high: float
    mean_loss: float
    mistakes: int
    biggest: list[Decision]  # mistakes, worst first
    events: int
    total_luck: float
    total_luck_low: float
    total_luck_high: float
    result: float | None  # what the seat won, once the game is over


@dataclass(frozen=True)
class Review:
    """A game, decision by decision and event by event, in the order of the record."""

    game: str
    names: list[str]
    seats: list[int]
    bot: str
    seed: int
    decisions: list[Decision]
    luck: list[LuckyEvent]
    returns: list[float] | None
    moves: int  # in the record
    reviewed: int  # the number reviewed; fewer if it was stopped

    @property
    def complete(self) -> bool:
        return self.reviewed == self.moves

    def of(self, seat: int) -> SeatReview:
        decisions = [decision for decision in self.decisions if decision.seat == seat]
        events = [event for event in self.luck if event.seat == seat]
        # Mistakes count as they are listed. The rest can be a little off either way, so it is added up with its signs;
        # where that comes out below 0 nothing was lost. All of it is no less than the mistakes.
        mistakes = [decision for decision in decisions if decision.is_mistake]
        proved = sum(decision.loss for decision in mistakes)
        rest = sum(decision.difference for decision in decisions if not decision.is_mistake)
        loss = proved + max(0.0, rest)
        loss_half = Z * math.hypot(*(decision.error for decision in decisions))
        proved_half = Z * math.hypot(*(decision.error for decision in mistakes))
        luck = sum(event.luck for event in events)
        luck_half = Z * math.hypot(*(event.error for event in events))
        return SeatReview(
            seat=seat,
            name=self.names[seat],
            decisions=len(decisions),
            total_loss=loss,
            total_loss_low=max(0.0, loss - loss_half, proved - proved_half),
            total_loss_high=max(0.0, proved + rest + loss_half, loss),
            mean_loss=loss / len(decisions) if decisions else 0.0,
            mistakes=len(mistakes),
            biggest=biggest_mistakes(decisions, seat),
            events=len(events),
            total_luck=luck,
            total_luck_low=luck - luck_half,
            total_luck_high=luck + luck_half,
            result=None if self.returns is None else self.returns[seat],
        )

    def summaries(self) -> list[SeatReview]:
        return [self.of(seat) for seat in self.seats]

    def to_json(self) -> dict[str, Any]:
        obj = asdict(self) | {"complete": self.complete}
        obj["summaries"] = [asdict(summary) for summary in self.summaries()]
        for summary in obj["summaries"]:
            summary["biggest"] = [decision["number"] for decision in summary["biggest"]]
        return obj


def biggest_mistakes(decisions: Iterable[Decision], seat: int) -> list[Decision]:
    """A seat's mistakes that lost the most, worst first."""
    mistakes = [decision for decision in decisions if decision.seat == seat and decision.is_mistake]
    return sorted(mistakes, key=lambda decision: -decision.loss)[:BIGGEST]


@dataclass(frozen=True)
class ReviewedMove:
    """What a review found in one move: a decision that had a choice, and whom it brought luck."""

    number: int
    decision: Decision | None
    luck: list[LuckyEvent]


class HistoryStep(NamedTuple):
    """What one seat saw when it decided, and the text of its move."""

    view: View
    move: str


class ReviewWork:
    """A review, move by move. The caller answers its questions.

    `moves` is a generator: it gives questions, which are answered by `send`, and each move once it is reviewed. What
    is done so far is `review`.
    """

    def __init__(
        self,
        spec: BotSpec,
        seed: int,
        game: str,
        names: list[str],
        seats: list[int],
        returns: list[float] | None,
        total: int,
        story: Callable[[Reviewer, Sequence[int]], Story],
        worlds: int = WORLDS,
        language: str = "en",
    ) -> None:
        self.total = total
        self._review = Review(game, names, seats, str(spec), seed, [], [], returns, total, 0)
        self._story = story(Reviewer(spec, seed, worlds, language), seats)

    @classmethod
    def of_record(
        cls,
        record: Record,
        bot: BotSpec | None = None,
        *,
        seats: Sequence[int] | None = None,
        seed: int = 0,
        worlds: int = WORLDS,
        language: str = "en",
    ) -> Self:
        """The review of a game, for these seats or all; BadRecord, or ValueError for a seat that is not there."""
        states = list(record.replay())
        players = states[0].game.players
        chosen = list(range(players)) if seats is None else sorted(set(seats))
        for seat in chosen:
            if not 0 <= seat < players:
                raise ValueError(f"seat: {seat!r} is not allowed; allowed: 0 to {players - 1}")
        return cls(
            bot or BotSpec.parse(DEFAULT_JUDGE),
            seed,
            states[0].game.name,
            record.names(players),
            chosen,
            states[-1].returns() if states[-1].is_over else None,
            len(record.moves),
            lambda reviewer, seats: reviewer.game(states, record.moves, seats),
            worlds,
            language,
        )

    @classmethod
    def of_history(
        cls,
        steps: Sequence[HistoryStep],
        bot: BotSpec | None = None,
        *,
        seed: int = 0,
        language: str = "en",
    ) -> Self:
        """The review of what one seat saw and did. What it did not see is not there, so no luck is measured."""
        first = steps[0].view
        return cls(
            bot or BotSpec.parse(DEFAULT_JUDGE),
            seed,
            first.game.name,
            [f"seat {seat}" for seat in range(first.game.players)],
            [first.seat],
            None,
            len(steps),
            lambda reviewer, _: reviewer.history(steps),
            language=language,
        )

    def moves(self) -> Story:
        """To be iterated over once."""
        answer = None
        while True:
            try:
                found = self._story.send(answer)  # type: ignore[arg-type]  # a generator begins with None
            except StopIteration:
                return
            if isinstance(found, ReviewedMove):
                self._review = replace(
                    self._review,
                    decisions=self._review.decisions + ([found.decision] if found.decision else []),
                    luck=self._review.luck + found.luck,
                    reviewed=found.number,
                )
            answer = yield found

    @property
    def review(self) -> Review:
        return self._review


def review(
    record: Record,
    bot: BotSpec | None = None,
    *,
    seats: Sequence[int] | None = None,
    seed: int = 0,
    judge: Judge | None = None,
    worlds: int = WORLDS,
    progress: Callable[[int, int], None] | None = None,
    stop: StopFlag | None = None,
    language: str = "en",
) -> Review:
    """The review of a record, for these seats or all.

    `judge` can pass the questions to another bot, such as a server's. `progress` gets the number of moves reviewed and
    of all moves. Setting `stop` from another thread ends it early, with what is done. The same seed and an iteration
    limit give the same review. `language` is that of the reasons.
    """
    spec = bot or BotSpec.parse(DEFAULT_JUDGE)
    work = ReviewWork.of_record(record, spec, seats=seats, seed=seed, worlds=worlds, language=language)
    ask = judge or local_judge(spec, stop)
    answer: Result | None = None
    moves = work.moves()
    with suppress(
        StopIteration, Stopped
    ):  # a search that was stopped may have been cut short: it does not count
        while True:
            if stop is not None and stop.is_set():
                raise Stopped
            found = moves.send(answer)  # type: ignore[arg-type]  # a generator begins with None
            if isinstance(found, ReviewQuestion):
                answer = ask(found.view, found.limit, found.consider, found.seed)
            else:
                answer = None
                if progress:
                    progress(found.number, work.total)
    return work.review


def local_judge(spec: BotSpec, stop: StopFlag | None = None) -> Judge:
    def judge(view: View, limit: Limit | None, consider: Sequence[str], seed: int) -> Result:
        bot = spec.make(seed)
        choose = partial(bot.choose, view, limit, stop, consider=consider, lines=LINES)
        try:
            return in_time(bot, math.inf, stop, choose)
        finally:
            if stop is not None and stop.is_set():  # it may have been stopped before it tried any move
                raise Stopped

    return judge


# What a review gives while it is done: questions to be answered, and the moves that are reviewed.
Story = Generator[ReviewQuestion | ReviewedMove, Result, None]


class Reviewer:
    """Looks at single moves and events; it sees states, and uses of them what the seat in question sees."""

    def __init__(self, spec: BotSpec, seed: int, worlds: int = WORLDS, language: str = "en") -> None:
        check_language(language)
        self._spec = spec
        self._seed = seed
        self._worlds = worlds
        self._language = language
        self._bot = spec.make(seed)

    def game(self, states: Sequence[State], moves: Sequence[RecordEntry], seats: Sequence[int]) -> Story:
        for number, (before, entry, after) in enumerate(
            zip(states, moves, states[1:], strict=False), start=1
        ):
            decision = None
            if entry.by in seats:
                decision = yield from self.decision(number, View.of(before, entry.by), entry.move)
            yield ReviewedMove(number, decision, list(self.events(number, before, entry, after, seats)))

    def history(self, steps: Sequence[HistoryStep]) -> Story:
        for number, (view, move) in enumerate(steps, start=1):
            yield ReviewedMove(number, (yield from self.decision(number, view, move)), [])

    def decision(
        self, number: int, view: View, played: str
    ) -> Generator[ReviewQuestion, Result, Decision | None]:
        """None when there was no choice."""
        choices = len(view.legal_moves())
        if choices == 1:
            return None
        seat = view.seat
        limit = limit_of(self._bot, view.game)
        first = yield ReviewQuestion(view, limit, (), seed_of(self._seed, "first", number))
        rival = best_other(first, played, self._spec)
        pairs = yield from self._compared(view, rival.move, played, number)
        estimate = mean_interval([better - worse for better, worse in pairs])
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        difference, low, high = estimate.mean, estimate.low, estimate.high
        # The bot itself would have played this move: the comparison with the next best only shows how sure that is.
        agrees = first.moves[0].move == played
        best = played if agrees or difference <= 0 else rival.move
        return Decision(
            number=number,
            turn=view.turn_number,
            seat=seat,
            move=played,
            best=best,
            loss=0.0 if agrees else max(0.0, difference),
            low=0.0 if agrees else max(0.0, low),
            high=max(0.0, high),
            difference=0.0 if agrees else difference,
            error=0.0 if agrees else (high - low) / (2 * t_quantile((1 + CONFIDENCE) / 2, COMPARISONS - 1)),
            win_probability=max(map(fmean, zip(*pairs, strict=True))),
            reasons=reasons(view, best, self._language),
            choices=choices,
            line=next((report.line for report in first.moves if report.move == best), []),
            values=first.values,
        )

    def _compared(
        self, view: View, better: str, played: str, number: int
    ) -> Generator[ReviewQuestion, Result, list[tuple[float, float]]]:
        """What the two moves are worth, each time with other luck, which both moves share."""
        limit = part_of(limit_of(self._bot, view.game), COMPARISONS)
        found = []
        for again in range(COMPARISONS):
            seed = seed_of(self._seed, "again", number, again)
            one = yield ReviewQuestion(view, limit, (better,), seed)
            other = yield ReviewQuestion(view, limit, (played,), seed)
            found.append((value_of_best(one, view.seat), value_of_best(other, view.seat)))
        return found

    def events(
        self, number: int, before: State, entry: RecordEntry, after: State, seats: Sequence[int]
    ) -> Iterator[LuckyEvent]:
        """The luck that a move or outcome brought; nothing for a seat that learned nothing by it."""
        for seat in seats:
            found = luck_of(
                before, entry.move, after, seat, self._worlds, seed_of(self._seed, "luck", number, seat)
            )
            if found is not None:
                luck, error = found
                kind: LuckKind = "chance" if entry.by == CHANCE else "reveal"
                yield LuckyEvent(number, before.turn_number, seat, entry.by, entry.move, kind, luck, error)


def value_of_best(result: Result, seat: int) -> float:
    """What the best move is worth; a search that was cut before it tried any move only knows the position."""
    value = result.moves[0].win_probability
    return result.values[seat] if value is None else value


def limit_of(bot: ObservingBot, game: Game) -> Limit | None:
    """The limit of a bot that has one, for a single decision of this game."""
    limit = bot.limit_in(game)
    return replace(limit, per="decision") if limit else None


def part_of(limit: Limit | None, parts: int) -> Limit | None:
    if limit is None:
        return None
    iterations = None if limit.iterations is None else max(1, limit.iterations // parts)
    return Limit(iterations, None if limit.seconds is None else limit.seconds / parts)


def best_other(result: Result, played: str, spec: BotSpec) -> MoveReport:
    if len(result.moves) < 2:
        raise ValueError(f"bot: {spec.name!r} is not allowed; allowed: a bot that compares moves")
    return next(report for report in result.moves if report.move != played)


# -- luck


@dataclass(frozen=True)
class LuckSample:
    """What could have happened in one position that fits what the seat knew.

    Weights are probabilities, values are times their weight: of all that could happen there, and of that part which
    looks to the seat like what did happen.
    """

    weight: float
    value: float
    same_weight: float
    same_value: float


def luck_of(
    before: State, move: str, after: State, seat: int, worlds: int, seed: int
) -> tuple[float, float] | None:
    """The luck of a move or outcome for a seat, with its standard error; None when the seat learned nothing.

    A move is somebody's choice, so it is compared with itself where other things are hidden, never with other moves.
    """
    view, now = View.of(before, seat), View.of(after, seat)
    found = [
        world
        for again in range(worlds)
        if (world := possible(view.imagined(seed_of(seed, again)), move, now))
    ]
    if not found:
        # None of the positions allowed it: what was hidden was too rare to be drawn, so nothing can be said.
        return None
    weight = fmean(world.weight for world in found)
    same = fmean(world.same_weight for world in found)
    if math.isclose(same, weight):
        return None
    mean = fmean(world.value for world in found) / weight
    if same > 0:
        value = fmean(world.same_value for world in found) / same
        # How much each position pulls the difference of the two means, to first order; both use the same positions.
        pulls = [
            (world.same_value - value * world.same_weight) / same
            - (world.value - mean * world.weight) / weight
            for world in found
        ]
        return value - mean, standard_error(pulls)
    values = [worth(now.imagined(seed_of(seed, "seen", n)), seat) for n in range(worlds)]
    pulls = [(world.value - mean * world.weight) / weight for world in found]
    return fmean(values) - mean, math.hypot(standard_error(values), standard_error(pulls))


def possible(state: State, move: str, now: View) -> LuckSample | None:
    """What could happen in a position, `now` being what the seat sees after it; None when the move is not legal."""
    branches: list[tuple[Move | str, float]] = [(move, 1.0)]
    if state.to_act == CHANCE:
        branches = list(state.chance_outcomes())
    weight = value = same_weight = same_value = 0.0
    for branch, probability in branches:
        then = state.clone()
        try:
            then.apply(branch)
        except IllegalMove:
            return None
        part = probability * worth(then, now.seat)
        weight += probability
        value += part
        if then.information_key(now.seat) == now.key:
            same_weight += probability
            same_value += part
    return LuckSample(weight, value, same_weight, same_value)


def worth(state: State, seat: int) -> float:
    return (state.returns() if state.is_over else state.evaluate())[seat]


def standard_error(values: Sequence[float]) -> float:
    return math.sqrt(sample_variance(values) / len(values)) if len(values) > 1 else 0.0
