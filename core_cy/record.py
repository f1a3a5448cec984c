"""Records of games as JSON Lines: written, read and replayed; the same for every game.

The first line is the header with the position at the start, then comes one line per move or chance outcome, and
the last line is the result. docs/format.md shows one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from pythia.core_cy.registry import state_from_json

if TYPE_CHECKING:
    from pythia.core_cy.game import Move, State

Json = dict[str, Any]

FORMAT = 1
# Returns are written as decimal numbers, so a third is not exact.
TOLERANCE = 1e-6


class BadRecord(ValueError):
    """A record that cannot be read or replayed. `line` counts from 1; 0 where it concerns the whole."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.line = line
        self.reason = reason

    def __reduce__(self) -> tuple[type, tuple[int, str]]:
        return type(self), (self.line, self.reason)


class RecordEntry(NamedTuple):
    """A move or chance outcome: the seat that made it, or -1 for chance, and its text."""

    by: int
    move: str


@dataclass(frozen=True)
class Record:
    """A game: where it started, every move and outcome, and how it ended; no result when it was broken off."""

    header: Json
    moves: list[RecordEntry]
    result: Json

    @classmethod
    def read(cls, source: str | os.PathLike[str] | Iterable[str], *, unfinished: bool = False) -> Record:
        """From a file by its path, or from lines. With `unfinished` the result may be missing."""
        if isinstance(source, (str, os.PathLike)):
            with Path(source).open(encoding="utf-8") as file:
                return cls.read(file, unfinished=unfinished)
        objects = [_line_object(number, line) for number, line in enumerate(source, start=1)]
        if not objects:
            raise BadRecord(0, "the record is empty")
        last = len(objects)
        _check_header(objects[0])
        if unfinished and (last == 1 or "result" not in objects[-1]):
            return cls(
                objects[0], [_entry(number, obj) for number, obj in enumerate(objects[1:], start=2)], {}
            )
        if last == 1 or "result" not in objects[-1]:
            raise BadRecord(last, "the record ends without a result; the last line must be the result")
        moves = [_entry(number, obj) for number, obj in enumerate(objects[1:-1], start=2)]
        return cls(objects[0], moves, _result(last, objects[-1]))

    def names(self, players: int) -> list[str]:
        """The names of the players; `seat 0` and so on if the header has none that can be shown."""
        given = self.header.get("players")
        entries = given[:players] if isinstance(given, list) else []
        names = [entry.get("name") if isinstance(entry, dict) else None for entry in entries]
        names += [None] * (players - len(names))
        return [
            name if isinstance(name, str) and name and name.isprintable() else f"seat {seat}"
            for seat, name in enumerate(names)
        ]

    def write(self, file: str | os.PathLike[str] | TextIO) -> None:
        """To a path or an open text file."""
        write_record(file, self.header, self.moves, self.result)

    def replay(self) -> Iterator[State]:
        """The state at the start and after every move; each a state of its own. Checks who moves, and the result."""
        state = _start(self.header)
        yield state.clone()
        for line, (by, move) in enumerate(self.moves, start=2):
            if by != state.to_act:
                raise BadRecord(line, f"{move!r} by {by}, but {state.to_act} is to act")
            try:
                state.apply(move)
            except ValueError as error:
                raise BadRecord(line, str(error)) from error
            yield state.clone()
        if not self.result:
            return
        last = len(self.moves) + 2
        if not state.is_over:
            raise BadRecord(last, "the game is not over after the last move")
        _check_result(last, self.result, result_of(state))


def write_record(
    file: str | os.PathLike[str] | TextIO,
    header: Mapping[str, Any],
    moves: Iterable[tuple[int, str]],
    result: Mapping[str, Any],
) -> None:
    """A record, to a path or an open text file; moves as (seat or -1 for chance, text); {} when there is no result."""
    if isinstance(file, (str, os.PathLike)):
        with Path(file).open("w", encoding="utf-8") as opened:
            write_record(opened, header, moves, result)
        return
    lines = [dict(header), *({"by": by, "move": move} for by, move in moves)]
    for obj in [*lines, {"result": dict(result)}] if result else lines:
        file.write(json.dumps(obj) + "\n")


def header_of(state: State, names: Sequence[str] = (), seed: int | None = None) -> Json:
    """The header of a record that starts at this state."""
    start = state.to_json()
    header: Json = {"game": start["game"], "format": FORMAT}
    if "options" in start:
        header["options"] = start["options"]
    if seed is None:
        seed = state.game.options.get("seed")
    if seed is not None:
        header["seed"] = seed
    header["start"] = start
    header["players"] = [
        {"name": name} for name in names or (f"seat {seat}" for seat in range(state.game.players))
    ]
    return header


def result_of(state: State) -> Json:
    """The result line of a game that is over. A game that knows why it ended says so in `pending` of its JSON."""
    returns = [int(value) if value == int(value) else value for value in state.returns()]
    pending = state.to_json().get("pending", {})
    best = max(returns)
    winners = pending.get("winners", [seat for seat, value in enumerate(returns) if value == best])
    return {"winners": winners, "returns": returns, "reason": pending.get("result", "end")}


def record_game(
    state: State, choose: Callable[[State], Move | str], rng: object = None, players: Sequence[str] = ()
) -> Record:
    """Plays on from a state, which stays as it is, and records it. `choose` gives the move at each decision.

    `rng` is the luck: a Random, or a seed for one. `choose` gets the true state, as a referee has it; what goes on
    to a player should be `state.observation(state.to_act)`.
    """
    from pythia.core_cy.rng import Random

    luck = rng if isinstance(rng, Random) else Random(rng)
    names = players or [f"seat {seat}" for seat in range(state.game.players)]
    header = header_of(state, names)
    state = state.clone()
    moves = []
    while not state.is_over:
        by = state.to_act
        move = str(choose(state) if by >= 0 else state.sample_chance(luck))
        state.apply(move)
        moves.append(RecordEntry(by, move))
    return Record(header, moves, result_of(state))


# -- checks


def _line_object(number: int, line: str) -> Json:
    try:
        obj = json.loads(line)
    except (ValueError, RecursionError) as error:
        what = "is truncated or not JSON" if line.strip() else "is empty"
        raise BadRecord(number, f"the line {what}: {error}") from error
    if not isinstance(obj, dict):
        raise BadRecord(number, f"a {type(obj).__name__} is not allowed; allowed: an object")
    return obj


def _check_header(header: Json) -> None:
    start = header.get("start")
    if not isinstance(start, dict):
        raise BadRecord(1, "the header has no start, which is the full state before the first move")
    for name in ("game", "format"):
        if name in header and header[name] != start.get(name):
            raise BadRecord(1, f"{name}: {header[name]!r}, but {start.get(name)!r} in start")
    if start.get("format") != FORMAT or isinstance(start.get("format"), bool):
        raise BadRecord(1, f"format: version {start.get('format')!r} is not known; known: {FORMAT}")


def _entry(line: int, obj: Json) -> RecordEntry:
    if "result" in obj:
        raise BadRecord(line, "a result before the last line")
    unknown = sorted(set(obj) - {"by", "move"})
    if unknown:
        raise BadRecord(line, f"{unknown[0]}: there is no such field; known: by, move")
    by, move = obj.get("by", 0), obj.get("move")
    if isinstance(by, bool) or not isinstance(by, int) or by < -1:
        raise BadRecord(line, f"by: {by!r} is not allowed; allowed: a seat, or -1 for chance")
    if not isinstance(move, str):
        raise BadRecord(line, f"move: {move!r} is not allowed; allowed: the text of a move")
    return RecordEntry(by, move)


def _result(line: int, obj: Json) -> Json:
    result = obj["result"]
    if not isinstance(result, dict):
        raise BadRecord(line, "result: not an object with winners, returns and reason")
    returns = result.get("returns")
    if not isinstance(returns, list) or not all(isinstance(value, (int, float)) for value in returns):
        raise BadRecord(line, "result.returns: not a list with a number for each seat")
    return result


def _start(header: Json) -> State:
    try:
        return state_from_json(header["start"])
    except ValueError as error:
        raise BadRecord(1, f"start: {error}") from error


def _check_result(line: int, recorded: Json, reached: Json) -> None:
    pairs = list(zip(recorded["returns"], reached["returns"], strict=False))
    if len(recorded["returns"]) != len(reached["returns"]) or any(abs(a - b) > TOLERANCE for a, b in pairs):
        raise BadRecord(
            line, f"result.returns: {recorded['returns']}, but the game ends with {reached['returns']}"
        )
    for name in ("winners", "reason"):
        if name in recorded and recorded[name] != reached[name]:
            raise BadRecord(
                line, f"result.{name}: {recorded[name]!r}, but the game ends with {reached[name]!r}"
            )
