"""Bots: they get a view, what their seat knows, and answer with a move and what they think of it.

`make_bot` makes one by name, `describe_bots` lists them. Whatever has a `choose` is a bot, so others can write their
own (`plugins.py`). A bot plays one seat of one game: it may keep what it learned from call to call.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from operator import itemgetter
from typing import Any, Protocol, Self

from pythia.core_cy.descriptions import check_language
from pythia.core_cy.game import Game, Move, View
from pythia.core_cy.move_words import reasons
from pythia.core_cy.rng import Random
from pythia.core_cy.seeds import seed_of
from pythia.search.display import Display
from pythia.search.levels import LEVELS, levels_of
from pythia.search.limits import Limit
from pythia.search.params import SearchParams, shown
from pythia.search.result import MoveReport, Result, entropy, share_interval
from pythia.search.tree import Search, StopFlag, one_ply

MAX_THREADS = 64


class Bot(Protocol):
    """A player. `choose` gets what its seat knows, and nothing else, and must return a legal move."""

    name: str

    def choose(self, view: View, limit: Limit | None = None) -> Result: ...


# A good move was visited, and its win probability is less than this below the best.
GOOD_LOSS = 0.1

# What a bot without level and limit spends on a decision.
DEFAULT_ITERATIONS = 1000
# What a forced move is searched with when nothing was searched before it.
FORCED_ITERATIONS = 100
# The samples of chance with which `greedy` judges a move; the best few get four times as many more.
GREEDY_SAMPLES = 2
MAX_GREEDY_SAMPLES = 10_000


@dataclass(frozen=True)
class Progress:
    """Reports on a running search: `tell` is called with the result so far, about every `seconds`."""

    tell: Callable[[Result], None]
    seconds: float


@dataclass(frozen=True)
class Question:
    """A decision that a bot has to make. `moves` are those it may choose from; None for all legal moves."""

    view: View
    legal: list[Move]
    seed: int
    limit: Limit | None
    stop: StopFlag | None
    moves: list[Move] | None
    lines: int | None  # the number of moves to report; None for all
    progress: Progress | None

    @property
    def seat(self) -> int:
        return self.view.seat

    @property
    def choices(self) -> list[Move]:
        return self.legal if self.moves is None else self.moves


class ObservingBot(ABC):
    """The base of the built-in bots: it checks the arguments, and answers immediately if there is only one move."""

    # The release whose weights and search parameters it plays with; None for the current ones.
    version: str | None = None
    # What it spends on a decision when it is asked without a limit; None for bots that do not search.
    limit: Limit | None = None
    threads: int = 1
    # As plain data, where it was made of that: what makes the same bot elsewhere.
    spec: BotSpec | None = None

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.seed = seed

    def ready(self) -> Self:
        """Return the bot itself, or raise ValueError if it cannot play. Built-in bots always can."""
        return self

    def limit_in(self, game: Game) -> Limit | None:
        """The limit for a decision of this game when the caller sets none."""
        return self.limit

    def choose(
        self,
        view: View | Mapping[str, Any],
        limit: Limit | None = None,
        stop: StopFlag | None = None,
        *,
        consider: Sequence[Move | str] = (),
        avoid: Sequence[Move | str] = (),
        lines: int | None = 1,
        progress: Progress | None = None,
        language: str = "en",
    ) -> Result:
        """Choose a move for the seat of a view or an observation. Set `stop` from another thread to end it early.

        `consider` lists the only moves to choose from, `avoid` the moves to leave out. The best `lines` moves are
        reported, each with its expected line of play; None reports all. With 0 the result is the move alone, without
        values and reasons, which take most of the time of a fast bot. Reasons are told in the `language`.
        """
        started = time.perf_counter()
        if lines is not None:
            _check_whole("lines", lines, 0, None)
        check_language(language)
        view = as_view(view)
        if self.version is not None:
            view = view.with_weights(view.game.weights_file(self.version).changes)
        legal = view.legal_moves()
        moves = allowed_moves(view, consider, avoid) if consider or avoid else None
        # Seeded by what the seat knows: a position gets the same answer whichever way the game took to it.
        seed = seed_of(self.seed, view.key)
        question = Question(view, legal, seed, limit, stop, moves, lines, progress)
        if lines == 0:
            return Result(self.answer(question).move, [], [], seconds=time.perf_counter() - started)
        display = Display(view.game.weights_file(self.version).display, view)
        if progress is not None:
            told = progress.tell
            progress = replace(progress, tell=lambda result: told(for_display(result, view.seat, display)))
        result = self.answer(replace(question, progress=progress))
        return replace(
            for_display(result, view.seat, display),
            rounds_left=display.rounds if any(display.rounds) else None,
            reasons=reasons(view, result.move, language),
            seconds=time.perf_counter() - started,
        )

    def answer(self, question: Question) -> Result:
        legal = question.legal
        return self.forced(question, legal[0]) if len(legal) == 1 else self.think(question)

    @abstractmethod
    def think(self, question: Question) -> Result:
        """The answer where there is a choice."""

    def forced(self, question: Question, move: Move) -> Result:
        """The answer where there is none."""
        return without_search(question.view, move, 1.0, lines=question.lines)


class RandomBot(ObservingBot):
    """Plays every legal move with equal probability. It needs no limit."""

    def think(self, question: Question) -> Result:
        choices = question.choices
        move = Random(question.seed).choice(choices)
        return without_search(question.view, move, 1 / len(choices), lines=question.lines)


class GreedyBot(ObservingBot):
    """Plays the move with the best evaluation, one decision deep.

    It needs no limit; a limit in seconds or the stop flag ends it between samples.
    """

    def __init__(self, name: str, seed: int, samples: int = GREEDY_SAMPLES) -> None:
        super().__init__(name, seed)
        self.samples = samples

    def think(self, question: Question) -> Result:
        judged, samples = one_ply(
            question.view,
            self.samples,
            question.seed,
            seconds=question.limit.seconds if question.limit else None,
            stop=question.stop,
        )
        if question.moves is not None:
            judged = [pair for pair in judged if pair[0] in question.moves]
        # Shuffled, then sorted by value only: ties fall by the seed, not by the order in which moves are listed.
        Random(question.seed).shuffle(judged)
        judged.sort(key=itemgetter(1), reverse=True)
        values = question.view.evaluate()
        reports = [
            report(
                str(move),
                samples,
                value,
                expected_rank(value, question.seat, values),
                spread=value * (1 - value),
                prior=1 / len(judged),
            )
            for move, value in judged[: question.lines]
        ]
        return Result(
            move=str(judged[0][0]),
            moves=reports,
            values=values,
            iterations=samples,
            depth=1,
            nodes=len(judged),
        )


class PriorBot(ObservingBot):
    """Plays the move that the game's policy likes best, without search. It needs no limit."""

    def think(self, question: Question) -> Result:
        priors = Search(question.view, SearchParams(), question.seed, question.moves).moves()
        values, seat = question.view.evaluate(), question.seat
        rank = expected_rank(values[seat], seat, values)
        return Result(
            move=str(priors[0].move),
            moves=[
                report(str(root.move), 0, values[seat], rank, 0.0, root.prior)
                for root in priors[: question.lines]
            ],
            values=values,
        )


class SearchBot(ObservingBot):
    """Tree search with a limit, in one or more threads.

    Each thread grows a tree of its own with its own seed, and the root statistics are added up. Under an iteration
    limit, which is split among the threads, the answer depends on the seed and the number of threads only.

    `changes` are search parameters that override those of the game. With a limit per turn, the trees are kept from
    decision to decision, as long as they contain what happens.
    """

    limit: Limit

    def __init__(
        self,
        name: str,
        seed: int,
        changes: Mapping[str, Any],
        limit: Limit | None,
        threads: int = 1,
        temperature: float | None = 0.0,
        overlooked: float | None = 0.0,
        level: int | None = None,
    ) -> None:
        """With a level, what is None comes from it: the limit, the temperature, the share of overlooked moves."""
        super().__init__(name, seed)
        SearchParams().changed(**changes)  # says at once what is wrong
        self.changes = changes
        self.level = level
        self.own_limit = limit
        self.limit = limit or Limit(iterations=LEVELS[level].iterations if level else DEFAULT_ITERATIONS)
        self.threads = threads
        self.temperature = temperature
        self.overlooked = overlooked
        self.turn = TurnBudget()
        self._values: list[float] | None = None  # of the last decision that was searched
        self._searches: list[Search] = []  # of the last decision, if its turn may go on with them

    def limit_in(self, game: Game) -> Limit:
        """Its limit; that of its level depends on the game and the number of players."""
        if self.own_limit is None and self.level is not None:
            return Limit(iterations=levels_of(game)[self.level].iterations)
        return self.limit

    def temperature_in(self, game: Game) -> float:
        if self.temperature is not None:
            return self.temperature
        return levels_of(game)[self.level].temperature if self.level is not None else 0.0

    def overlooked_in(self, game: Game) -> float:
        if self.overlooked is not None:
            return self.overlooked
        return levels_of(game)[self.level].overlooked if self.level is not None else 0.0

    def params(self, game: Game) -> SearchParams:
        suggested = game.weights_file(self.version).search if self.version else game.search_params()
        return SearchParams().changed(**{**suggested, **self.changes})

    def think(self, question: Question) -> Result:
        started = time.perf_counter()
        if overlooked := self.overlooked_in(question.view.game):
            question = replace(question, moves=noticed(question, overlooked))
            if len(question.choices) == 1:
                return self.forced(question, question.choices[0])
        limit = question.limit or self.limit_in(question.view.game)
        share = self.turn.share(limit, question.view.turn_number)
        whole_turn = limit.per == "turn" and question.moves is None
        searches = self.search(question, share, self._searches if whole_turn else [])
        self._searches = searches if whole_turn else []
        result = self.result(question, searches)
        self._values = result.values
        self.turn.spend(result.iterations, time.perf_counter() - started)
        return result

    def forced(self, question: Question, move: Move) -> Result:
        """A forced move has the values of the last search, or of a short one: the bare judgement would be a jump."""
        if self._values is None and question.lines != 0:
            limit = question.limit or self.limit_in(question.view.game)
            iterations = limit.iterations or FORCED_ITERATIONS
            search = Search(question.view, self.params(question.view.game), question.seed)
            search.run(min(iterations, FORCED_ITERATIONS), stop=question.stop)
            if search.iterations:
                self._values = search.values()
        return without_search(question.view, move, 1.0, self._values, lines=question.lines)

    def result(self, question: Question, searches: list[Search]) -> Result:
        moves = merged(searches)
        iterations = sum(search.iterations for search in searches)
        values = mean_values(searches) if iterations else question.view.evaluate()
        return Result(
            move=str(self.pick(moves, question.seed, self.temperature_in(question.view.game))),
            moves=reports(moves[: question.lines], question.seat, values),
            values=values,
            iterations=iterations,
            depth=max(search.depth for search in searches),
            nodes=sum(search.nodes_made for search in searches),
            entropy=entropy([move.visits for move in moves]),
        )

    def search(self, question: Question, limit: Limit, before: list[Search]) -> list[Search]:
        """One search per thread, run to the limit; those of the decision before where they can go on."""
        shares = split(limit.iterations, self.threads)
        params = self.params(question.view.game)
        searches = carried_on(before, question.view, len(shares)) or [
            Search(question.view, params, seed_of(question.seed, "thread", thread), question.moves)
            for thread in range(len(shares))
        ]
        if question.progress is None:
            run_all(list(zip(searches, shares, strict=True)), limit.seconds, question.stop)
        else:
            self.run_in_slices(question, question.progress, limit, shares, searches)
        return searches

    def run_in_slices(
        self, question: Question, progress: Progress, limit: Limit, shares: list[int], searches: list[Search]
    ) -> None:
        """Telling the result so far after each slice but the last, whose result is the answer."""
        ends = None if limit.seconds is None else time.perf_counter() + limit.seconds
        while True:
            # What is left of each share; 0 stands for no limit of iterations.
            left = [
                (search, max(0, share - search.iterations))
                for search, share in zip(searches, shares, strict=True)
                if not share or share > search.iterations
            ]
            seconds = progress.seconds
            if ends is not None:
                # The shortest search there is gives an answer even when the time was up at once.
                seconds = min(seconds, max(1e-6, ends - time.perf_counter()))
            run_all(left, seconds, question.stop)
            done = all(
                share and search.iterations >= share for search, share in zip(searches, shares, strict=True)
            )
            late = ends is not None and time.perf_counter() >= ends
            if done or late or (question.stop is not None and question.stop.is_set()):
                return
            progress.tell(self.result(question, searches))

    def pick(self, moves: Sequence[RootStatistics], seed: int, temperature: float) -> Move:
        """The best move, or with a temperature one of the good ones."""
        best = moves[0]
        if temperature <= 0 or not best.visits:
            return best.move
        good = [move for move in moves if move.visits and move.value >= best.value - GOOD_LOSS]
        weights = [(move.visits / best.visits) ** (1 / temperature) for move in good]
        left = Random(seed_of(seed, "pick")).random() * sum(weights)
        for move, weight in zip(good, weights, strict=True):
            left -= weight
            if left < 0:
                return move.move
        return best.move


def noticed(question: Question, overlooked: float) -> list[Move]:
    """The moves left to a player who overlooks this share of them: always the same in the same position."""
    rng = Random(seed_of(question.seed, "overlook"))
    return [move for move in question.choices if rng.random() >= overlooked] or [rng.choice(question.choices)]


class TurnBudget:
    """Shares the limit of a turn among its decisions: each gets half of what is left.

    So the first decision, which has to plan the whole turn, gets the most, and the budget never runs out. A limit per
    decision passes through unchanged.
    """

    def __init__(self) -> None:
        self._turn: int | None = None
        self._iterations = 0
        self._seconds = 0.0

    def share(self, limit: Limit, turn: int) -> Limit:
        if turn != self._turn:
            self._turn, self._iterations, self._seconds = turn, 0, 0.0
        if limit.per == "decision":
            return limit
        iterations, seconds = limit.iterations, limit.seconds
        if iterations is not None:
            iterations = max(1, (iterations - self._iterations) // 2)
        if seconds is not None:
            # A limit of 0 is none: what is left when the turn was overdrawn is the shortest search there is.
            seconds = max(1e-6, (seconds - self._seconds) / 2)
        return Limit(iterations, seconds)

    def spend(self, iterations: int, seconds: float) -> None:
        self._iterations += iterations
        self._seconds += seconds


# -- what is asked


def chosen_move(bot: Bot, view: View, limit: Limit | None = None) -> str:
    """A bot's move without its report, which makes built-in bots faster."""
    if isinstance(bot, ObservingBot):
        return bot.choose(view, limit, lines=0).move
    answer: Result | str = bot.choose(view, limit)
    return answer if isinstance(answer, str) else answer.move


def as_view(seen: View | Mapping[str, Any]) -> View:
    """A view, also from the JSON of an observation."""
    return seen if isinstance(seen, View) else View.from_observation(seen)


def allowed_moves(view: View, consider: Sequence[Move | str], avoid: Sequence[Move | str]) -> list[Move]:
    """The legal moves that are wanted; the error names one that is not legal, or says that none is left."""
    wanted = [view.parse_move(str(move)) for move in consider] or view.legal_moves()
    unwanted = {view.parse_move(str(move)) for move in avoid}
    left = [move for move in dict.fromkeys(wanted) if move not in unwanted]
    if not left:
        raise ValueError("avoid: no move is left to choose from")
    return left


# -- from searches to reports


def carried_on(searches: list[Search], view: View, threads: int) -> list[Search]:
    """The searches moved on to a later decision; none if one of them has not been there."""
    if len(searches) != threads or not all(search.knows(view) for search in searches):
        return []
    for search in searches:
        search.go_on(view)
    return searches


def run_all(shares: Sequence[tuple[Search, int]], seconds: float | None, stop: StopFlag | None) -> None:
    """Every search on for its share of iterations, each in a thread of its own."""

    def run(share: tuple[Search, int]) -> None:
        search, iterations = share
        search.run(iterations, seconds, stop)

    if len(shares) == 1:
        run(shares[0])
    elif shares:
        with ThreadPoolExecutor(len(shares)) as pool:
            # list() waits for all of them and raises what one of them raised.
            list(pool.map(run, shares))


@dataclass
class RootStatistics:
    """A move at the root, over all threads. `source` is the search that visited it most."""

    move: Move
    source: Search
    prior: float
    visits: int = 0
    value: float = 0.0
    spread: float = 0.0  # the variance of its returns
    most: int = field(default=0, repr=False)


def merged(searches: Sequence[Search]) -> list[RootStatistics]:
    """The root moves of all searches added up, best first: by visits, then by prior."""
    found: dict[Move, RootStatistics] = {}
    for search in searches:
        for root in search.moves():
            move = found.setdefault(root.move, RootStatistics(root.move, search, root.prior))
            if not root.visits:
                continue
            if root.visits > move.most:
                move.source, move.most = search, root.visits
            # Means and variances of two samples taken together.
            total = move.visits + root.visits
            apart = root.value - move.value
            share = root.visits / total
            move.spread += share * (root.variance - move.spread) + share * (1 - share) * apart * apart
            move.value += share * apart
            move.visits = total
    return sorted(found.values(), key=lambda move: (-move.visits, -move.prior))


def reports(moves: Sequence[RootStatistics], seat: int, values: Sequence[float]) -> list[MoveReport]:
    """What was found about each move, and how play goes on with it."""
    found = []
    for move in moves:
        text = str(move.move)
        if not move.visits:
            found.append(MoveReport(text, 0, None, 0.0, 1.0, move.prior))
            continue
        line, probability = move.source.line(move.move)
        own_rank = expected_rank(move.value, seat, values)
        texts = [str(step) for step in line]
        found.append(
            report(text, move.visits, move.value, own_rank, move.spread, move.prior, texts, probability)
        )
    return found


def for_display(result: Result, seat: int, display: Display) -> Result:
    """The same with the numbers that people are shown."""
    values = display.values(result.values)
    moves = []
    for found in result.moves:
        if found.win_probability is None:
            moves.append(found)
            continue
        value = display.value(found.win_probability, seat, result.values)
        low, high = (display.value(end, seat, result.values) for end in (found.low, found.high))
        low, high = display.interval(value, low, high)
        rank = expected_rank(value, seat, values) if found.expected_rank is not None else None
        moves.append(replace(found, win_probability=value, low=low, high=high, expected_rank=rank))
    return replace(result, values=values, moves=moves)


def mean_values(searches: Sequence[Search]) -> list[float]:
    total = sum(search.iterations for search in searches)
    seats = zip(*(search.values() for search in searches), strict=True)
    return [
        sum(value * search.iterations for value, search in zip(values, searches, strict=True)) / total
        for values in seats
    ]


def split(iterations: int | None, threads: int) -> list[int]:
    """Iterations per thread, evenly; never a thread without any. 0 stands for no limit of iterations."""
    if iterations is None:
        return [0] * threads
    each, more = divmod(iterations, threads)
    return [share for share in (each + (thread < more) for thread in range(threads)) if share]


def report(
    move: str,
    visits: int,
    value: float,
    rank: float,
    spread: float,
    prior: float,
    line: list[str] | None = None,
    line_probability: float = 1.0,
) -> MoveReport:
    low, high = share_interval(visits, value, spread)
    return MoveReport(
        move=move,
        visits=visits,
        win_probability=value,
        low=low,
        high=high,
        prior=prior,
        expected_rank=rank,
        line=line or [],
        line_probability=line_probability,
    )


def expected_rank(value: float, seat: int, values: Sequence[float]) -> float:
    """The rank expected from a win probability, if the other seats share the rest as they do in the position.

    With two players it follows from the chance. With more, a seat is ahead of another as often as it would be the
    winner of the two (Harville's model, 1973).
    """
    others = [max(0.0, other) for number, other in enumerate(values) if number != seat]
    total = sum(others)
    shares = [(1 - value) * (other / total if total else 1 / len(others)) for other in others]
    return 1 + sum(share / (value + share) if value + share else 0.5 for share in shares)


def without_search(
    view: View, move: Move | str, prior: float, known: Sequence[float] | None = None, *, lines: int | None = 1
) -> Result:
    """The answer of a bot that did not look further; the values are known, or the game's own judgement."""
    text, seat = str(move), view.seat
    if lines == 0:
        return Result(text, [], [])
    values = list(known or view.evaluate())
    rank = expected_rank(values[seat], seat, values)
    return Result(move=text, moves=[report(text, 0, values[seat], rank, 0.0, prior)], values=values)


# -- bots by name


@dataclass(frozen=True)
class ParameterInfo:
    name: str
    type: str  # bool, int or float
    default: bool | int | float


@dataclass(frozen=True)
class BotSettings:
    """What `make_bot` was given, checked against the bot's description."""

    name: str
    level: int | None
    seed: int
    threads: int
    limit: Limit | None
    params: dict[str, Any]


def _made_elsewhere(settings: BotSettings) -> ObservingBot:
    raise ValueError(f"bot: {settings.name!r} runs on a server; ask a client for its moves")


@dataclass(frozen=True)
class BotInfo:
    """What a bot is, what `make_bot` takes for it, and how it is made."""

    name: str
    help: str
    levels: tuple[int, ...] = ()
    uses_limit: bool = False  # and threads
    parameters: tuple[ParameterInfo, ...] = ()
    any_parameters: bool = False  # its class says itself what it takes
    make: Callable[[BotSettings], ObservingBot] = field(default=_made_elsewhere, repr=False, compare=False)


def _make_random(settings: BotSettings) -> ObservingBot:
    return RandomBot(settings.name, settings.seed)


def _make_prior(settings: BotSettings) -> ObservingBot:
    return PriorBot(settings.name, settings.seed)


def _make_greedy(settings: BotSettings) -> ObservingBot:
    samples = settings.params.get("samples", GREEDY_SAMPLES)
    _check_whole("samples", samples, 1, MAX_GREEDY_SAMPLES)
    return GreedyBot(settings.name, settings.seed, samples)


def _make_search(settings: BotSettings, fixed: Mapping[str, Any]) -> ObservingBot:
    params = dict(settings.params)
    temperature = _number_of(params, "temperature", 10)
    overlooked = _number_of(params, "overlooked", 1)
    return SearchBot(
        settings.name,
        settings.seed,
        {**fixed, **params},
        settings.limit,
        settings.threads,
        temperature,
        overlooked,
        settings.level,
    )


def _number_of(params: dict[str, Any], name: str, most: int) -> float | None:
    """Takes a parameter of the choice, not of the search, out of the others; None where it is not given."""
    value = params.pop(name, None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
        raise not_allowed(name, value, f"a number from 0 to {most}")
    return value


# The planner's search is the same tree cut off at the end of the turn.
PLANNER_PARAMS: dict[str, Any] = {"tree_turns": 0, "playout_rounds": 0}


def _search_parameters(params: SearchParams, fixed: Mapping[str, Any]) -> tuple[ParameterInfo, ...]:
    values = {f.name: getattr(params, f.name) for f in fields(params) if f.name not in fixed}
    values |= {"temperature": 0.0, "overlooked": 0.0}  # of the choice among the moves, see levels.py
    return tuple(ParameterInfo(name, type(value).__name__, value) for name, value in values.items())


# The built-in bots, weakest first. Others are found by their names too, see plugins.py.
BOTS = {
    info.name: info
    for info in (
        BotInfo("random", "plays a random legal move", make=_make_random),
        BotInfo(
            "greedy",
            "plays the move that leads to the best evaluation",
            parameters=(ParameterInfo("samples", "int", GREEDY_SAMPLES),),
            make=_make_greedy,
        ),
        BotInfo("prior", "plays the move that looks best at first sight, without search", make=_make_prior),
        BotInfo(
            "planner",
            "searches for the best turn, without looking beyond it",
            uses_limit=True,
            parameters=_search_parameters(SearchParams(), PLANNER_PARAMS),
            make=lambda settings: _make_search(settings, PLANNER_PARAMS),
        ),
        BotInfo(
            "ismcts",
            "searches over several turns, dice and hidden information",
            levels=tuple(LEVELS),
            uses_limit=True,
            parameters=_search_parameters(SearchParams(), {}),
            make=lambda settings: _make_search(settings, {}),
        ),
    )
}


def describe_bots() -> list[BotInfo]:
    """The built-in bots, weakest first."""
    return list(BOTS.values())


def built_in(name: str) -> BotInfo | None:
    """The description of a bot that is built in, also as of a release; None for others."""
    return BOTS.get(name) or _released(name)


def bot_info(name: str) -> BotInfo:
    """The description of a bot: built in, installed by another package, or a class `package.module:Class`."""
    from pythia.search.plugins import plugin_info

    return built_in(name) or plugin_info(name)


# Releases whose bots can still be played: their weights and search parameters are data of each game.
RELEASES = ("0.1.0", "0.2.0")


def _released(name: str) -> BotInfo | None:
    """`ismcts@0.1.0`: a built-in bot with the weights and search parameters of a release."""
    base, at, version = name.partition("@")
    if not at or base not in BOTS:
        return None
    if version not in RELEASES:
        raise not_allowed("bot", name, f"{base}@ and one of {', '.join(RELEASES)}")
    info = BOTS[base]

    def make(settings: BotSettings) -> ObservingBot:
        bot = info.make(settings)
        bot.version = version
        return bot

    return replace(info, name=name, help=f"{info.help}, as in {version}", make=make)


def make_bot(
    name: str | BotSpec,
    level: int | None = None,
    seed: int = 0,
    threads: int = 1,
    limit: Limit | None = None,
    **params: Any,
) -> ObservingBot:
    """Make a bot from its name or spec: `make_bot("ismcts", level=3)` and `make_bot("ismcts:level=3")` are the same.

    `limit` is the default limit of `choose` and overrides the limit of the level. The same seed, iteration limit and
    number of threads play the same game. BotSpec.parse describes specs.
    """
    spec = name if isinstance(name, BotSpec) else BotSpec.parse(name)
    for parameter in params.keys() & dict(spec.params).keys():
        raise _set_twice(parameter, params[parameter], spec)
    return make_from_parts(
        spec.name,
        _one_of("level", spec, level, None),
        seed,
        _one_of("threads", spec, threads, 1),
        _one_of("limit", spec, limit, None),
        {**dict(spec.params), **params},
    ).ready()


def _one_of(name: str, spec: BotSpec, argument: Any, default: Any) -> Any:
    """A setting of a bot that its spec or an argument may give, but not both."""
    in_spec = getattr(spec, name)
    if in_spec == default:
        return argument
    if argument != default:
        raise _set_twice(name, argument, spec)
    return in_spec


def _set_twice(name: str, value: object, spec: BotSpec) -> ValueError:
    return not_allowed(name, value, f"none, as {str(spec)!r} sets it already")


def make_from_parts(
    name: str, level: int | None, seed: int, threads: int, limit: Limit | None, params: dict[str, Any]
) -> ObservingBot:
    """Make a bot from separate values, so that an unknown parameter gets an error of its own, whatever its name.

    A bot that is not built in is imported later: by `ready`, or for its first decision.
    """
    if not isinstance(name, str) or not name:
        raise not_allowed("bot", name, "the name of a bot")
    info = built_in(name)
    _check_whole("seed", seed, 0, None)
    _check_whole("threads", threads, 1, 1 if info and not info.uses_limit else MAX_THREADS)
    if limit is not None and not isinstance(limit, Limit):
        raise not_allowed("limit", limit, "a Limit")
    settings = BotSettings(name, level, seed, threads, limit, params)
    if info is None:
        from pythia.search.plugins import PluginBot

        return PluginBot(settings)
    if level is not None and (isinstance(level, bool) or level not in info.levels):
        if not info.levels:
            raise ValueError(f"level: {name} has no levels; leave it out")
        raise not_allowed("level", level, f"{min(info.levels)} to {max(info.levels)}")
    _check_parameters(info, params)
    return info.make(settings)


def _check_parameters(info: BotInfo, params: Iterable[str], others: Sequence[str] = ()) -> None:
    """`others` are what the caller takes besides parameters, so that an error names them as well."""
    known = [parameter.name for parameter in info.parameters]
    for parameter in params:
        if parameter not in known:
            raise not_allowed("parameter", parameter, ", ".join([*others, *known]) or f"none for {info.name}")


def not_allowed(field: str, value: object, allowed: str) -> ValueError:
    return ValueError(f"{field}: {shown(value)} is not allowed; allowed: {allowed}")


def _check_whole(field: str, value: object, low: int, high: int | None) -> None:
    good = isinstance(value, int) and not isinstance(value, bool) and low <= value
    if not good or (high is not None and isinstance(value, int) and value > high):
        span = f", {low} or more" if high is None else f" from {low} to {high}"
        raise not_allowed(field, value, f"a whole number{span}")


# -- bots as plain data, for matches and command lines


LIMIT_KEYS = ("iterations", "seconds", "per")


@dataclass(frozen=True)
class BotSpec:
    """A bot as plain data: everything that `make_bot` needs except the seed.

    Wrong settings of a built-in bot raise a ValueError here. A plug-in bot may exist only on the server that will run
    it, so its class is looked up there.
    """

    name: str
    level: int | None = None
    threads: int = 1
    limit: Limit | None = None
    params: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        self.make(0)

    def make(self, seed: int) -> ObservingBot:
        """Make the bot; a plug-in bot is imported by `ready`, or for its first decision."""
        bot = make_from_parts(self.name, self.level, seed, self.threads, self.limit, dict(self.params))
        bot.spec = self
        return bot

    @property
    def reproducible(self) -> bool:
        """Whether the same seed plays the same game."""
        return self.limit is None or self.limit.reproducible

    @classmethod
    def parse(cls, text: str) -> BotSpec:
        """Read text like `ismcts`, `ismcts:level=3` or `ismcts:iterations=200,threads=2,exploration=0.8`.

        The name may be a class: `package.module:Class`, `package.module:Class:key=value`.
        """
        if not isinstance(text, str):
            raise not_allowed("bot", text, "a name, or name:key=value,key=value")
        name, _, rest = text.partition(":")
        if name not in BOTS and rest and "=" not in rest.partition(":")[0]:
            attribute, _, rest = rest.partition(":")
            name = f"{name}:{attribute}"
        values: dict[str, Any] = {}
        for part in rest.split(",") if rest else ():
            key, equals, value = part.partition("=")
            if not equals or not key or key in values:
                raise not_allowed("bot", text, "name:key=value,key=value with each key once")
            values[key] = _value(value)
        limits = {key: values.pop(key) for key in LIMIT_KEYS if key in values}
        limit = Limit(**limits) if limits else None
        level, threads = values.pop("level", None), values.pop("threads", 1)
        if info := built_in(name):
            others = [
                *(["level"] if info.levels else []),
                *([*LIMIT_KEYS, "threads"] if info.uses_limit else []),
            ]
            _check_parameters(info, values, others)
        return cls(name, level, threads, limit, tuple(values.items()))

    def __str__(self) -> str:
        """The text that `parse` reads."""
        values: dict[str, Any] = {}
        if self.level is not None:
            values["level"] = self.level
        if self.limit is not None:
            values |= {"iterations": self.limit.iterations, "seconds": self.limit.seconds}
            if self.limit.per != "decision":
                values["per"] = self.limit.per
        if self.threads != 1:
            values["threads"] = self.threads
        values |= dict(self.params)
        text = ",".join(
            f"{key}={str(value).lower() if isinstance(value, bool) else value}"
            for key, value in values.items()
            if value is not None
        )
        return f"{self.name}:{text}" if text else self.name


def _value(text: str) -> bool | int | float | str:
    """A value of a parameter as people write it."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
