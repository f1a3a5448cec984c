"""Matches on disk: an append-only log of events for each, in SQLite or PostgreSQL.

What a method has written is committed when it returns. A match has a version, the number of its events; events are
appended only to the version that the writer knows, so of two writers one fails and nothing is lost.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import grpc

from pythia.service.config import ConfigError, without_password
from pythia.service.errors import Refused
from pythia.service.logs import LOG
from pythia.service.metrics import Metrics

T = TypeVar("T")
Json = dict[str, Any]


class Conflict(Exception):
    """The match has another version than the writer knows, or is gone."""


@dataclass(frozen=True)
class Event:
    """Something that happened: a `move` (of a seat, or -1 for chance), an `undo` or a `resign`."""

    by: int
    kind: str
    text: str = ""
    hidden_from: list[int] = field(default_factory=list)
    time: float = 0.0


@dataclass(frozen=True)
class Header:
    """What does not change about a match. `seats` and `start` as JSON."""

    id: str
    game: str
    created: float
    options: Json
    seats: list[Json]
    start: Json
    seed: int
    real_dice: bool
    fingerprint: str = ""


@dataclass(frozen=True)
class Stored:
    header: Header
    events: list[Event]


@dataclass(frozen=True)
class Summary:
    id: str
    game: str
    created: float
    version: int
    over: bool
    seats: list[Json]


@dataclass(frozen=True)
class Key:
    """What was done under an idempotency key: the request it stood for, and the events it made."""

    fingerprint: str
    first: int
    last: int


SCHEMA = (
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS matches (id TEXT PRIMARY KEY, game TEXT NOT NULL, created DOUBLE PRECISION NOT NULL,"
    " version INTEGER NOT NULL, over INTEGER NOT NULL, seats TEXT NOT NULL, header TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS matches_by_time ON matches (created, id)",
    "CREATE TABLE IF NOT EXISTS events (match_id TEXT NOT NULL, version INTEGER NOT NULL, data TEXT NOT NULL,"
    " PRIMARY KEY (match_id, version))",
    "CREATE TABLE IF NOT EXISTS keys (match_id TEXT NOT NULL, name TEXT NOT NULL, fingerprint TEXT NOT NULL,"
    " first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (match_id, name))",
)
SCHEMA_VERSION = "1"


class Database:
    """The log over one connection, used by one thread. SQL is written with `?` and common to both databases."""

    def __init__(
        self, connect: Callable[[], Any], placeholder: str, lost: tuple[type[Exception], ...] = ()
    ) -> None:
        self._connect = connect
        self._placeholder = placeholder
        self._lost = lost  # what a broken connection raises
        self._connection: Any = None

    def _transaction(self, work: Callable[[Callable[..., Any]], T]) -> T:
        """`work(execute)` in one transaction; with a connection that broke while idle, once more on a new one."""
        fresh = self._connection is None
        if fresh:
            self._connection = self._connect()
        try:
            try:
                result = work(self._execute)
                self._connection.commit()
                return result
            except BaseException:
                self._connection.rollback()
                raise
        except self._lost:
            self._connection = None
            if fresh:
                raise
            # Nothing was acknowledged. If the commit did arrive after all, the second try meets a conflict.
            return self._transaction(work)

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        cursor = self._connection.cursor()
        cursor.execute(sql.replace("?", self._placeholder), tuple(values))
        return cursor

    def open(self) -> bytes:
        """Make the tables where they are missing; the secret of the store, from which tokens are made."""

        def work(execute: Callable[..., Any]) -> str:
            for statement in SCHEMA:
                execute(statement)
            for name, value in (("schema", SCHEMA_VERSION), ("secret", secrets.token_hex(32))):
                execute(
                    "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                    (name, value),
                )
            found = dict(execute("SELECT name, value FROM meta").fetchall())
            if found["schema"] != SCHEMA_VERSION:
                raise ConfigError(
                    f"store: has the layout {found['schema']!r}; this version reads {SCHEMA_VERSION!r}"
                )
            return str(found["secret"])

        return bytes.fromhex(self._transaction(work))

    def create(self, header: Header, events: list[Event], over: bool) -> bool:
        """False when there is a match of this id already."""

        def work(execute: Callable[..., Any]) -> bool:
            added = execute(
                "INSERT INTO matches (id, game, created, version, over, seats, header) VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO NOTHING",
                (
                    header.id,
                    header.game,
                    header.created,
                    len(events),
                    int(over),
                    json.dumps(header.seats),
                    json.dumps(asdict(header)),
                ),
            ).rowcount
            if added:
                self._add(execute, header.id, 0, events)
            return bool(added)

        return self._transaction(work)

    def append(
        self, match_id: str, version: int, events: list[Event], over: bool, key: tuple[str, str] | None
    ) -> None:
        """Events after the version; `key` is an idempotency key and the fingerprint of its request."""

        def work(execute: Callable[..., Any]) -> None:
            last = version + len(events)
            changed = execute(
                "UPDATE matches SET version = ?, over = ? WHERE id = ? AND version = ?",
                (last, int(over), match_id, version),
            ).rowcount
            if changed != 1:
                raise Conflict
            self._add(execute, match_id, version, events)
            if key is not None:
                execute(
                    "INSERT INTO keys (match_id, name, fingerprint, first, last) VALUES (?, ?, ?, ?, ?)",
                    (match_id, key[0], key[1], version + 1, last),
                )

        self._transaction(work)

    @staticmethod
    def _add(execute: Callable[..., Any], match_id: str, version: int, events: list[Event]) -> None:
        for number, event in enumerate(events, start=version + 1):
            execute(
                "INSERT INTO events (match_id, version, data) VALUES (?, ?, ?)",
                (match_id, number, json.dumps(asdict(event))),
            )

    def load(self, match_id: str) -> Stored | None:
        def work(execute: Callable[..., Any]) -> Stored | None:
            row = execute("SELECT header FROM matches WHERE id = ?", (match_id,)).fetchone()
            if row is None:
                return None
            rows = execute(
                "SELECT data FROM events WHERE match_id = ? ORDER BY version", (match_id,)
            ).fetchall()
            return Stored(Header(**json.loads(row[0])), [Event(**json.loads(data)) for (data,) in rows])

        return self._transaction(work)

    def key(self, match_id: str, name: str) -> Key | None:
        def work(execute: Callable[..., Any]) -> Key | None:
            row = execute(
                "SELECT fingerprint, first, last FROM keys WHERE match_id = ? AND name = ?", (match_id, name)
            ).fetchone()
            return None if row is None else Key(*row)

        return self._transaction(work)

    def page(
        self, size: int, before: tuple[float, str] | None, over: bool | None, game: str | None
    ) -> list[Summary]:
        """Newest first, those older than `before`."""
        conditions, values = ["1 = 1"], []
        if before is not None:
            conditions.append("(created, id) < (?, ?)")
            values += list(before)
        if over is not None:
            conditions.append("over = ?")
            values.append(int(over))
        if game is not None:
            conditions.append("game = ?")
            values.append(game)

        def work(execute: Callable[..., Any]) -> list[Summary]:
            rows = execute(
                "SELECT id, game, created, version, over, seats FROM matches"
                f" WHERE {' AND '.join(conditions)} ORDER BY created DESC, id DESC LIMIT ?",
                [*values, size],
            ).fetchall()
            return [
                Summary(match_id, name, created, version, bool(is_over), json.loads(seats))
                for match_id, name, created, version, is_over, seats in rows
            ]

        return self._transaction(work)

    def delete(self, match_id: str) -> bool:
        def work(execute: Callable[..., Any]) -> bool:
            for table in ("events", "keys"):
                execute(f"DELETE FROM {table} WHERE match_id = ?", (match_id,))
            return bool(execute("DELETE FROM matches WHERE id = ?", (match_id,)).rowcount)

        return self._transaction(work)

    def count_active(self) -> int:
        def work(execute: Callable[..., Any]) -> int:
            return int(execute("SELECT count(*) FROM matches WHERE over = 0").fetchone()[0])

        return self._transaction(work)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def open_database(url: str) -> Database:
    """By its URL: sqlite:PATH, memory: or postgresql://..."""
    if url == "memory:":
        return Database(lambda: sqlite3.connect(":memory:", check_same_thread=False), "?")
    scheme, _, rest = url.partition(":")
    if scheme == "sqlite" and rest:
        return Database(lambda: connect_sqlite(Path(rest)), "?")
    if scheme in ("postgresql", "postgres") and rest.startswith("//"):
        try:
            import psycopg
        except ImportError:
            raise ConfigError(
                "store: PostgreSQL needs the package psycopg; install pythia-opponent[postgres]"
            ) from None
        return Database(lambda: psycopg.connect(url, connect_timeout=10), "%s", (psycopg.OperationalError,))
    raise ConfigError(
        f"store: {without_password(url)!r} is not allowed; allowed: sqlite:PATH, postgresql://USER@HOST/NAME, memory:"
    )


def connect_sqlite(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(path, check_same_thread=False, timeout=10)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"store: {str(path)!r} cannot be opened ({error})") from None
    return connection


class Store:
    """The database from the event loop: one operation after the other, in a thread of its own."""

    def __init__(self, url: str, metrics: Metrics) -> None:
        self._database = open_database(url)
        self._metrics = metrics
        self._thread = ThreadPoolExecutor(1, "store")
        self._url = without_password(url)

    async def _do(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        began = time.perf_counter()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)
        except (Conflict, ConfigError):
            raise
        except Exception as error:
            self._metrics.store_errors.labels(name).inc()
            LOG.error("the store failed", exc_info=error, extra={"fields": {"operation": name}})
            raise Refused(
                grpc.StatusCode.UNAVAILABLE,
                "STORE_FAILED",
                "matches cannot be stored now; try again",
                retry_seconds=1.0,
            ) from None
        finally:
            self._metrics.store_seconds.labels(name).observe(time.perf_counter() - began)

    async def open(self) -> bytes:
        try:
            return await self._do("open", self._database.open)
        except Refused:
            raise ConfigError(f"store: {self._url!r} cannot be opened; the log says why") from None

    async def create(self, header: Header, events: list[Event], over: bool) -> bool:
        return await self._do("create", self._database.create, header, events, over)

    async def append(
        self, match_id: str, version: int, events: list[Event], over: bool, key: tuple[str, str] | None = None
    ) -> None:
        await self._do("append", self._database.append, match_id, version, events, over, key)

    async def load(self, match_id: str) -> Stored | None:
        return await self._do("load", self._database.load, match_id)

    async def key(self, match_id: str, name: str) -> Key | None:
        return await self._do("key", self._database.key, match_id, name)

    async def page(
        self, size: int, before: tuple[float, str] | None, over: bool | None, game: str | None
    ) -> list[Summary]:
        return await self._do("page", self._database.page, size, before, over, game)

    async def delete(self, match_id: str) -> bool:
        return await self._do("delete", self._database.delete, match_id)

    async def count_active(self) -> int:
        return await self._do("count_active", self._database.count_active)

    def close(self) -> None:
        self._thread.submit(self._database.close).result()
        self._thread.shutdown()
