"""The results of a tournament in an SQLite file: every finished game once, as soon as it is finished."""

from __future__ import annotations

import fcntl
import io
import json
import sqlite3
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from pythia.arena.game_loop import Forfeit, GameResult
from pythia.arena.tournament.definition import Definition
from pythia.arena.tournament.entrants import BadTournament
from pythia.arena.tournament.schedule import GameKey, PlayedGame
from pythia.core_cy.record import Record

FORMAT = "1"
SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games (
    round INTEGER NOT NULL,
    names TEXT NOT NULL,      -- the table, as a JSON list
    block INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    result TEXT NOT NULL,     -- JSON, lists by seat
    seconds REAL NOT NULL,
    finished REAL NOT NULL,   -- seconds since 1970
    record BLOB,              -- JSON Lines, compressed
    PRIMARY KEY (round, names, block, turn)
);
"""


@dataclass(frozen=True)
class StoredGame:
    """A game as it is in the file."""

    number: int  # from 1, in the order in which games ended
    key: GameKey
    seed: int
    result: GameResult
    seconds: float
    finished: float


class ResultStore:
    """The results file of one tournament. Only one process writes to it; others may read."""

    def __init__(self, path: Path, definition: Definition, write: bool = True) -> None:
        self.path = path
        self._seats, self._names = definition.seats, definition.names
        self._lock: io.TextIOBase | None = None
        if not write and not path.exists():
            raise BadTournament(f"results: {str(path)!r} does not exist; `pythia tournament run` makes it")
        if write:
            self._take_lock()
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._open(definition)
        except sqlite3.DatabaseError as error:
            self.close()
            raise BadTournament(f"results: {str(path)!r} is not a results file: {error}") from error
        except BaseException:
            self.close()
            raise

    def _take_lock(self) -> None:
        """Held until this process ends, however it ends."""
        try:
            lock = Path(f"{self.path}.lock").open("w")  # noqa: SIM115  (open as long as the store)
        except OSError as error:
            raise BadTournament(f"results: {str(self.path)!r} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            raise BadTournament(f"results: {str(self.path)!r} is in use by a running tournament") from error
        self._lock = lock

    def _open(self, definition: Definition) -> None:
        connection = self._connection
        connection.execute("PRAGMA busy_timeout = 30000")
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        if not tables and self._lock:
            connection.execute("PRAGMA journal_mode = WAL")
            about = {
                "format": FORMAT,
                "digest": definition.digest(),
                "identity": json.dumps(definition.identity(), sort_keys=True),
                "name": definition.name,
            }
            script = "BEGIN;" + SCHEMA
            for name, value in about.items():
                quoted = value.replace("'", "''")
                script += f"INSERT INTO about VALUES ('{name}', '{quoted}');"
            connection.executescript(script + "COMMIT;")
        elif "about" not in tables:
            raise BadTournament(f"results: {str(self.path)!r} is not a results file of a tournament")
        # A commit survives the end of this process; only a power failure may lose the last, which are played again.
        connection.execute("PRAGMA synchronous = NORMAL")
        about = dict(connection.execute("SELECT name, value FROM about"))
        if about.get("format") != FORMAT:
            raise BadTournament(
                f"results: {str(self.path)!r} has format {about.get('format')!r}; allowed: {FORMAT!r}"
            )
        if about.get("digest") != definition.digest():
            try:
                theirs = dict(json.loads(about["identity"]))
                theirs.pop("version", None)  # part of it before the code had its own entry
            except (KeyError, TypeError, ValueError) as error:
                raise BadTournament(
                    f"results: {str(self.path)!r} is damaged: what it says about its tournament cannot be read "
                    f"({type(error).__name__}: {error}). Restore a copy of the file, or use another with --results"
                ) from error
            ours = json.loads(json.dumps(definition.identity()))
            differ = [key for key in ours | theirs if ours.get(key) != theirs.get(key)]
            if not differ:
                return
            raise BadTournament(
                f"results: {str(self.path)!r} belongs to another tournament; it differs in {', '.join(differ)}. "
                "Use another file with --results, or remove this one"
            )

    @property
    def code(self) -> list[dict[str, str]]:
        """The code that played the games (code.py): one entry, and one more for each change that was kept."""
        found = [value for _, value in self._rows("SELECT name, value FROM about WHERE name = ?", "code")]
        return list(json.loads(found[0])) if found else []

    @code.setter
    def code(self, code: list[dict[str, str]]) -> None:
        self._connection.execute("INSERT OR REPLACE INTO about VALUES ('code', ?)", (json.dumps(code),))

    @property
    def is_empty(self) -> bool:
        return next(self._rows("SELECT 1 FROM games LIMIT 1"), None) is None

    def add(self, played: PlayedGame, seed: int) -> None:
        """In one transaction: a game is there as a whole or not at all."""
        key, result = played.key, played.result
        values = {
            "returns": result.returns,
            "ranks": result.ranks,
            "rounds": result.rounds,
            "decisions": result.decisions,
            "seconds": result.seconds,
            "slowest": result.slowest,
            "forfeit": [result.forfeit.seat, result.forfeit.reason] if result.forfeit else None,
        }
        record = None
        if result.record is not None:
            text = io.StringIO()
            result.record.write(text)
            record = zlib.compress(text.getvalue().encode(), 1)
        self._connection.execute(
            "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key.round,
                json.dumps(key.table),
                key.block,
                key.turn,
                seed,
                json.dumps(values),
                played.seconds,
                time.time(),
                record,
            ),
        )

    def games(self, after: int = 0) -> Iterator[StoredGame]:
        """The games in the order in which they ended, without their records."""
        for row in self._rows(
            "SELECT rowid, round, names, block, turn, seed, result, seconds, finished FROM games "
            "WHERE rowid > ? ORDER BY rowid",
            after,
        ):
            yield self._game(*row)

    def _rows(self, query: str, *values: Any) -> Iterator[Any]:
        try:
            yield from self._connection.execute(query, values)
        except sqlite3.DatabaseError as error:
            raise BadTournament(
                f"results: {str(self.path)!r} is damaged: {error}. Restore a copy of the file, or remove it and run "
                "the tournament again"
            ) from error

    def _game(
        self,
        number: int,
        round_: int,
        names: str,
        block: int,
        turn: int,
        seed: int,
        result: str,
        seconds: float,
        finished: float,
    ) -> StoredGame:
        try:
            table = tuple(json.loads(names))
            if len(table) != self._seats or not set(table) <= set(self._names):
                raise ValueError(f"{list(table)} do not play at one table of this tournament")
            played = _result_of(json.loads(result), self._seats)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._damaged(number, error) from error
        return StoredGame(
            number=number,
            key=GameKey(round_, table, block, turn),
            seed=seed,
            result=played,
            seconds=seconds,
            finished=finished,
        )

    def _damaged(self, number: int, error: Exception) -> BadTournament:
        return BadTournament(
            f"results: {str(self.path)!r}, game {number}: damaged ({type(error).__name__}: {error}). Restore a copy "
            f"of the file, or remove the game with `sqlite3 {self.path} 'DELETE FROM games WHERE rowid = {number}'`; "
            "`pythia tournament run` then plays it again"
        )

    def record(self, number: int) -> Record | None:
        """The record of a game, when it was kept."""
        row = next(self._rows("SELECT record FROM games WHERE rowid = ?", number), None)
        if row is None:
            ((count,),) = self._rows("SELECT max(rowid) FROM games")
            allowed = f"1 to {count}" if count else "none, nothing was played yet"
            raise BadTournament(f"game: {number} is not allowed; allowed: {allowed}")
        if row[0] is None:
            return None
        try:
            return Record.read(zlib.decompress(row[0]).decode().splitlines())
        except (TypeError, ValueError, zlib.error) as error:
            raise self._damaged(number, error) from error

    def finish_writing(self) -> None:
        """Everything into the one file, which can then be moved."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.execute("PRAGMA journal_mode = DELETE")

    def close(self) -> None:
        if hasattr(self, "_connection"):
            self._connection.close()
        if self._lock:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _result_of(obj: dict[str, Any], seats: int) -> GameResult:
    forfeit = Forfeit(*obj.pop("forfeit")) if obj["forfeit"] else obj.pop("forfeit")
    for name in ("returns", "ranks"):
        if len(obj[name]) != seats or not all(isinstance(value, (int, float)) for value in obj[name]):
            raise ValueError(f"{name} are not {seats} numbers")
    return GameResult(forfeit=forfeit, **obj)
