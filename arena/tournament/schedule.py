"""Who meets whom, in which order, and how far each meeting has come.

A table is a set of entrants that meet. At each table blocks are played: one start with the same luck, once for every
way to seat the entrants. Which games there are does not depend on the order in which they end, so a tournament is the
same whatever the parallelism.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

from pythia.arena.game_loop import GameResult, seatings
from pythia.arena.tournament.definition import Clock, Definition
from pythia.arena.tournament.entrants import Entrant
from pythia.core_cy.seeds import seed_of


class GameKey(NamedTuple):
    """Which game of a tournament: the round (of a ladder), the table, its block, and the turn of the seats."""

    round: int
    table: tuple[str, ...]
    block: int
    turn: int

    @property
    def seating(self) -> list[str]:
        """The entrant at each seat."""
        return [self.table[number] for number in seatings(len(self.table))[self.turn]]


@dataclass(frozen=True)
class GameTask:
    """All that a process needs to play a game."""

    key: GameKey
    game: str
    options: Mapping[str, Any]
    entrants: tuple[Entrant, ...]  # by seat
    bot_seeds: tuple[int, ...]
    seed: int
    clock: Clock
    record: bool


@dataclass(frozen=True)
class PlayedGame:
    """A finished game: how it went, and how long it took in all."""

    key: GameKey
    result: GameResult
    seconds: float


@dataclass
class TableGames:
    """A table and the games that were played there."""

    round: int
    names: tuple[str, ...]
    blocks: dict[int, dict[int, GameResult]] = field(default_factory=dict)
    complete: list[int] = field(default_factory=list)  # blocks of which all games are there, in order

    def add(self, block: int, turn: int, result: GameResult) -> None:
        games = self.blocks.setdefault(block, {})
        games[turn] = result
        if len(games) == len(self.names):
            insort(self.complete, block)

    def results(self, block: int) -> list[tuple[GameKey, GameResult]]:
        games = self.blocks[block]
        return [(GameKey(self.round, self.names, block, turn), games[turn]) for turn in sorted(games)]

    def rate(self, block: int, name: str) -> float:
        """An entrant's win rate in a block."""
        return fmean(game.returns[key.seating.index(name)] for key, game in self.results(block))

    def score(self, block: int, first: str, second: str) -> float:
        """How often one came before the other in a block; a tie counts half."""
        places = [
            (game.ranks[key.seating.index(first)], game.ranks[key.seating.index(second)])
            for key, game in self.results(block)
        ]
        return fmean((mine < other) + (mine == other) / 2 for mine, other in places)


class Schedule:
    """The games of a tournament: `next_task` hands them out, `add` takes their results."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.remarks: list[str] = []  # about the results, for readers of the summary
        self.rounds: list[list[TableGames]] = [[TableGames(0, names) for names in first_tables(definition)]]
        self._order = list(definition.names)  # the rungs of a ladder when the last round began
        self._given: set[GameKey] = set()
        # Per table what the sequential test said at its round and number of blocks.
        self._verdicts: dict[tuple[str, ...], tuple[tuple[int, int], tuple[str, int] | None]] = {}
        self._waiting = self._keys()

    def tables(self) -> list[TableGames]:
        return [table for tables in self.rounds for table in tables]

    @property
    def ladder(self) -> list[str]:
        """The rungs, best first: each group that has played stands in the order of its results; ties stay."""
        order = list(self._order)
        for table in filter(self.is_done, self.rounds[-1]):
            first = order.index(table.names[0])
            order[first : first + len(table.names)] = sorted(table.names, key=partial(self._mean_rank, table))
        return order

    def _mean_rank(self, table: TableGames, name: str) -> float:
        return fmean(
            game.ranks[key.seating.index(name)]
            for block in self.counted(table)
            for key, game in table.results(block)
        )

    def add(self, key: GameKey, result: GameResult) -> None:
        if key.round >= len(self.rounds):
            self._next_round()
        for table in self.rounds[key.round]:
            if table.names == key.table:
                table.add(key.block, key.turn, result)
                self._given.add(key)
                return
        raise ValueError(f"game: {key} is not of this tournament")

    def counted(self, table: TableGames) -> list[int]:
        """The blocks that count: complete, and up to where the sequential test stopped, so always the same ones."""
        verdict = self.verdict(table)
        end = verdict[1] if verdict else self.definition.blocks
        return table.complete[: bisect_left(table.complete, end)]

    def verdict(self, table: TableGames) -> tuple[str, int] | None:
        """What the sequential test says about the first entrant of the table."""
        sprt = self.definition.sprt
        if sprt is None:
            return None
        known = self._verdicts.get(table.names)
        if known is None or known[0] != (table.round, len(table.complete)):
            rates = [
                table.score(block, *table.names)
                for expected, block in enumerate(table.complete)
                if block == expected and block < self.definition.blocks
            ]
            known = self._verdicts[table.names] = ((table.round, len(table.complete)), sprt.verdict(rates))
        return known[1]

    def is_done(self, table: TableGames) -> bool:
        complete = bisect_left(table.complete, self.definition.blocks)
        return complete == self.definition.blocks or self.verdict(table) is not None

    @property
    def is_over(self) -> bool:
        return len(self.rounds) >= max(1, self.definition.rounds) and all(map(self.is_done, self.rounds[-1]))

    def next_task(self) -> GameTask | None:
        """The next game to play; None when there is none now, which with a ladder may change when others end."""
        while True:
            for key in self._waiting:
                if key not in self._given:
                    self._given.add(key)
                    return self.task(key)
            if len(self.rounds) >= self.definition.rounds or not all(map(self.is_done, self.rounds[-1])):
                return None
            self._next_round()

    def task(self, key: GameKey) -> GameTask:
        definition = self.definition
        # By names, not numbers: the order of the file does not matter. Each table has starts of its own.
        seed = seed_of(definition.seed, "block", key.round, *key.table, key.block)
        return GameTask(
            key=key,
            game=definition.game,
            options=dict(definition.options),
            entrants=tuple(definition.entrant(name) for name in key.seating),
            # The same in all games of the block.
            bot_seeds=tuple(seed_of(seed, "bot", name) for name in key.seating),
            seed=seed,
            clock=definition.clock,
            record=definition.records,
        )

    def planned(self) -> int:
        """How many games there are at most."""
        first = self.rounds[0]
        blocks = self.definition.blocks * self.definition.seats
        if self.definition.format != "ladder":
            return len(first) * blocks
        return blocks * sum(
            len(_groups(self._order, number, self.definition.seats))
            for number in range(self.definition.rounds)
        )

    def _keys(self) -> Iterator[GameKey]:
        """The games of the last round, all tables side by side, so that ratings grow evenly."""
        tables = self.rounds[-1]
        for block in range(self.definition.blocks):
            for table in tables:
                # Asked anew for every block: the test may have stopped meanwhile.
                if self.definition.sprt is not None and self.verdict(table):
                    continue
                for turn in range(len(table.names)):
                    yield GameKey(table.round, table.names, block, turn)

    def _next_round(self) -> None:
        for table in self.rounds[-1]:
            if not self.is_done(table):
                raise ValueError(
                    f"results: round {len(self.rounds)} has games, round {table.round} is not over"
                )
        self._order = self.ladder
        number = len(self.rounds)
        groups = _groups(self._order, number, self.definition.seats)
        self.rounds.append([TableGames(number, names) for names in groups])
        self._waiting = self._keys()


def first_tables(definition: Definition) -> list[tuple[str, ...]]:
    """Who meets: everybody, everybody a challenger, or neighbours on the ladder."""
    names, seats = definition.names, definition.seats
    if definition.format == "ladder":
        return _groups(names, 0, seats)
    tables = combinations(names, seats)
    if definition.format == "round_robin":
        return list(tables)
    challengers = definition.challengers
    # A challenger comes first at its tables: the sequential test is about the first.
    found = [table for table in tables if any(name in table for name in challengers)]
    return [tuple(sorted(table, key=lambda name: name not in challengers)) for table in found]


def _groups(order: list[str], number: int, seats: int) -> list[tuple[str, ...]]:
    """The groups of a ladder's round: neighbours, a rung further in each round, then from the top again.

    With two seats these are the steps of odd-even transposition sort, which has sorted n entrants after n rounds.
    """
    offsets = min(seats, len(order) - seats + 1)
    start = number % offsets
    return [tuple(order[at : at + seats]) for at in range(start, len(order) - seats + 1, seats)]
