"""What a finished game says about its players: the win probability that decisions lost, and apart from it the luck.

Decisions are judged by what the seat could know when it decided, never by how things turned out. Luck is what dice,
draws and uncovered things brought, compared with what they could have brought as far as the seat knew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist, fmean
from typing import Any, Literal, Protocol

from pythia.arena.stats import mean_interval, sample_variance
from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.game import CHANCE, Move, State, View
from pythia.core_cy.record import Entry, Record
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec, ObservingBot, SearchBot
from pythia.search.limits import Limit
from pythia.search.result import CONFIDENCE, MoveReport, Result, t_quantile
from pythia.search.tree import StopFlag

# What a decision is judged with: a search for the best moves with this limit, and as much again for each of the two
# moves that are then compared.
DEFAULT_JUDGE = "ismcts:iterations=400"
# The comparison is made so many times, each with luck of its own, so that its spread tells how sure it is.
COMPARISONS = 8
# Positions drawn from what a seat knows, to see what could have happened. Also what tells whether a move uncovers
# something: if it can show two things with equal chance, all agree by accident once in 2 ** 31.
WORLDS = 32
# A loss from which on a decision is called a mistake, if the interval is clear of 0.
MISTAKE = 0.02
BIGGEST = 5

Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Stopped(Exception):
    """What a judge may raise that was told to stop while it was busy."""


class Judge(Protocol):
    """Analyses what the seat to act knows, with these moves to choose from; all when there are none."""

    def __call__(self, view: View, limit: Limit | None, consider: Sequence[str], seed: int) -> Result: ...


@dataclass(frozen=True)
class Decision:
    """A decision with a choice.

    `loss` is the win probability of the better move less that of the move played, not below 0, and `low` to `high` its
    95 % interval. Which move is better was found with other luck than the two were then compared with, so being chosen
    as the best does not flatter it. `difference` is the same before it is cut off at 0: its noise has both signs, so
    sums of it are not pushed up.
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
    win_probability: float  # before the move, if it is played well
    reasons: list[str]  # for the better move, in the game's words
    choices: int

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
    kind: Literal["chance", "reveal"]
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
    reviewed: int  # so many of them; fewer when it was stopped

    @property
    def complete(self) -> bool:
        return self.reviewed == self.moves

    def of(self, seat: int) -> SeatReview:
        decisions = [decision for decision in self.decisions if decision.seat == seat]
        events = [event for event in self.luck if event.seat == seat]
        # Each decision can be a little off either way; where the sum comes out below 0 nothing was lost.
        loss = sum(decision.difference for decision in decisions)
        loss_half = Z * math.hypot(*(decision.error for decision in decisions))
        luck = sum(event.luck for event in events)
        luck_half = Z * math.hypot(*(event.error for event in events))
        mistakes = sorted((d for d in decisions if d.is_mistake), key=lambda decision: -decision.loss)
        return SeatReview(
            seat=seat,
            name=self.names[seat],
            decisions=len(decisions),
            total_loss=max(0.0, loss),
            total_loss_low=max(0.0, loss - loss_half),
            total_loss_high=max(0.0, loss + loss_half),
            mean_loss=max(0.0, loss) / len(decisions) if decisions else 0.0,
            mistakes=len(mistakes),
            biggest=mistakes[:BIGGEST],
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
) -> Review:
    """The review of a record, for these seats or all.

    `judge` lets somebody else ask the bot, a server say. `progress` is told the moves reviewed and their number.
    Setting `stop` from another thread ends it early, with what is done. The same seed and an iteration limit give the
    same review.
    """
    spec = bot or BotSpec.parse(DEFAULT_JUDGE)
    states = list(record.replay())
    players = states[0].game.players
    chosen = list(range(players)) if seats is None else sorted(set(seats))
    for seat in chosen:
        if not 0 <= seat < players:
            raise ValueError(f"seat: {seat!r} is not allowed; allowed: 0 to {players - 1}")
    reviewer = Reviewer(spec, judge or local_judge(spec, stop), seed, worlds)
    decisions: list[Decision] = []
    luck: list[LuckyEvent] = []
    done = 0
    for done, (before, entry, after) in enumerate(
        zip(states, record.moves, states[1:], strict=False), start=1
    ):
        try:
            found = reviewer.decision(done, before, entry) if entry.by in chosen else None
            events = list(reviewer.events(done, before, entry, after, chosen))
            if stop is not None and stop.is_set():
                raise Stopped
        except Stopped:
            done -= 1  # the search for this one may have been cut short
            break
        decisions += [found] if found else []
        luck += events
        if progress:
            progress(done, len(record.moves))
    return Review(
        game=states[0].game.name,
        names=record.names(players),
        seats=chosen,
        bot=str(spec),
        seed=seed,
        decisions=decisions,
        luck=luck,
        returns=states[-1].returns() if states[-1].is_over else None,
        moves=len(record.moves),
        reviewed=done,
    )


def local_judge(spec: BotSpec, stop: StopFlag | None = None) -> Judge:
    def judge(view: View, limit: Limit | None, consider: Sequence[str], seed: int) -> Result:
        result = spec.make(seed).choose(view, limit, stop, consider=consider, lines=0)
        if stop is not None and stop.is_set():  # it may have been stopped before it tried any move
            raise Stopped
        return result

    return judge


class Reviewer:
    """Looks at single moves and events; it sees states, and uses of them what the seat in question sees."""

    def __init__(self, spec: BotSpec, judge: Judge, seed: int, worlds: int = WORLDS) -> None:
        self._spec = spec
        self._judge = judge
        self._seed = seed
        self._worlds = worlds
        self._limit = limit_of(spec.make(seed))

    def decision(self, number: int, before: State, entry: Entry) -> Decision | None:
        """None when there was no choice."""
        choices = len(before.legal_moves())
        if choices == 1:
            return None
        seat, played = entry
        view = View.of(before, seat)
        first = self._judge(view, self._limit, (), seed_of(self._seed, "first", number))
        rival = best_other(first, played, self._spec)
        estimate = mean_interval(list(self._differences(view, rival.move, played, number)))
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        difference, low, high = estimate.mean, estimate.low, estimate.high
        # The bot itself would have played this move: the comparison with the next best only tells how sure that is.
        agrees = first.moves[0].move == played
        best = played if agrees or difference <= 0 else rival.move
        return Decision(
            number=number,
            turn=before.turn_number,
            seat=seat,
            move=played,
            best=best,
            loss=0.0 if agrees else max(0.0, difference),
            low=0.0 if agrees else max(0.0, low),
            high=max(0.0, high),
            difference=0.0 if agrees else difference,
            error=0.0 if agrees else (high - low) / (2 * t_quantile((1 + CONFIDENCE) / 2, COMPARISONS - 1)),
            win_probability=value_of_best(first, seat),
            reasons=view.why_good(best),
            choices=choices,
        )

    def _differences(self, view: View, better: str, played: str, number: int) -> Iterator[float]:
        """How much better one move is than the other, each time with other luck, which both moves share."""
        limit = part_of(self._limit, COMPARISONS)
        for again in range(COMPARISONS):
            seed = seed_of(self._seed, "again", number, again)
            values = [
                value_of_best(self._judge(view, limit, (move,), seed), view.seat) for move in (better, played)
            ]
            yield values[0] - values[1]

    def events(
        self, number: int, before: State, entry: Entry, after: State, seats: Sequence[int]
    ) -> Iterator[LuckyEvent]:
        """The luck that a move or outcome brought; nothing for a seat that learned nothing by it."""
        for seat in seats:
            found = luck_of(
                before, entry.move, after, seat, self._worlds, seed_of(self._seed, "luck", number, seat)
            )
            if found is not None:
                luck, error = found
                kind: Literal["chance", "reveal"] = "chance" if entry.by == CHANCE else "reveal"
                yield LuckyEvent(number, before.turn_number, seat, entry.by, entry.move, kind, luck, error)


def value_of_best(result: Result, seat: int) -> float:
    """What the best move is worth; a search that was cut before it tried any move only knows the position."""
    value = result.moves[0].win_probability
    return result.values[seat] if value is None else value


def limit_of(bot: ObservingBot) -> Limit | None:
    """The limit of a bot that has one, for a single decision."""
    return replace(bot.limit, per="decision") if isinstance(bot, SearchBot) else None


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
class World:
    """What could have happened in one position that fits what the seat knew.

    Weights are probabilities, values are times their weight: of all that could happen there, and of that part which
    looks to the seat as what did happen.
    """

    weight: float
    value: float
    same_weight: float
    same_value: float


def luck_of(
    before: State, move: str, after: State, seat: int, worlds: int, seed: int
) -> tuple[float, float] | None:
    """The luck of a move or outcome for a seat, with its standard error; None when it told the seat nothing.

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


def possible(state: State, move: str, now: View) -> World | None:
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
    return World(weight, value, same_weight, same_value)


def worth(state: State, seat: int) -> float:
    return (state.returns() if state.is_over else state.evaluate())[seat]


def standard_error(values: Sequence[float]) -> float:
    return math.sqrt(sample_variance(values) / len(values)) if len(values) > 1 else 0.0
