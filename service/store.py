"""Matches on disk: an append-only log of events for each, in SQLite or PostgreSQL.

What a method has written is committed when it returns. A match has a version, the number of its events; events are
appended only to the version that the writer knows, so of two writers one fails and nothing is lost.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import grpc

from pythia.service.config import ConfigError, without_password
from pythia.service.errors import Refused
from pythia.service.logs import LOG
from pythia.service.types import Autoplay

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics

T = TypeVar("T")
Json = dict[str, Any]


class VersionConflict(Exception):
    """The match has another version than the writer knows, or is gone."""


class TooMany(Exception):
    """The owner has as many matches as it may have."""


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
    """What does not change about a match. `seats` and `start` as JSON.

    `seed` decides luck and bots; it is secret, and the caller's own only if `reproducible`. `nonce` makes tokens and
    luck those of this match alone, also when another one had its id before. Defaults are those of version 0.1.0.
    """

    id: str
    game: str
    created: float
    options: Json
    seats: list[Json]
    start: Json
    seed: int
    real_dice: bool
    fingerprint: str = ""
    nonce: str = ""
    owner: str = ""  # the name of the client that made it; empty where clients have no names
    seed_chosen: bool = True  # or may have been
    reproducible: bool = True
    imported: bool = False
    public: bool = False
    blind_owner: bool = False
    hints: bool = False


@dataclass(frozen=True)
class Rotation:
    """How often a token was replaced, and the digest of the last request's idempotency key."""

    count: int = 0
    key: str = ""


@dataclass(frozen=True)
class Stored:
    """`rotations` by who holds the token: the number of a seat, or "owner"."""

    header: Header
    events: list[Event]
    rotations: dict[str, Rotation] = field(default_factory=dict)
    autoplay: Autoplay | None = None


@dataclass(frozen=True)
class Newer:
    """What the store has of a match after a version. `created` differs from that of an earlier match with its id."""

    created: float
    rotations: dict[str, Rotation]
    autoplay: Autoplay | None
    events: list[Event]


@dataclass(frozen=True)
class StoredStatus:
    """How a match stands in the store, to compare with."""

    created: float
    version: int
    rotations: dict[str, Rotation]
    autoplay: Autoplay | None


@dataclass(frozen=True)
class MatchRow:
    id: str
    game: str
    created: float
    version: int
    over: bool
    seats: list[Json]


@dataclass(frozen=True)
class PlayingRow:
    id: str
    owner: str
    seats: list[Json]
    version: int


@dataclass(frozen=True)
class Key:
    """What was done under an idempotency key: the request it stood for, and the events it made."""

    fingerprint: str
    first: int
    last: int


META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS matches (id TEXT PRIMARY KEY, game TEXT NOT NULL, created DOUBLE PRECISION NOT NULL,"
    " version INTEGER NOT NULL, over INTEGER NOT NULL, seats TEXT NOT NULL, header TEXT NOT NULL,"
    " owner TEXT NOT NULL DEFAULT '', updated DOUBLE PRECISION NOT NULL DEFAULT 0,"
    " rotations TEXT NOT NULL DEFAULT '{}', autoplay TEXT NOT NULL DEFAULT '')",
    # A page is read from these in its order, whatever is asked for: of one owner or of all, of one game or of all.
    "CREATE INDEX IF NOT EXISTS matches_of_owner ON matches (owner, over, created, id)",
    "CREATE INDEX IF NOT EXISTS matches_of_owner_and_game ON matches (owner, over, game, created, id)",
    "CREATE INDEX IF NOT EXISTS matches_of_all ON matches (over, created, id)",
    "CREATE INDEX IF NOT EXISTS matches_of_game ON matches (over, game, created, id)",
    "CREATE INDEX IF NOT EXISTS matches_by_age ON matches (over, updated)",
    "CREATE INDEX IF NOT EXISTS matches_that_play ON matches (created, id) WHERE over = 0 AND autoplay <> ''",
    "CREATE TABLE IF NOT EXISTS events (match_id TEXT NOT NULL, version INTEGER NOT NULL, data TEXT NOT NULL,"
    " PRIMARY KEY (match_id, version))",
    "CREATE TABLE IF NOT EXISTS keys (match_id TEXT NOT NULL, name TEXT NOT NULL, fingerprint TEXT NOT NULL,"
    " first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (match_id, name))",
    # What clients with quotas have used lately, over all servers of the store.
    "CREATE TABLE IF NOT EXISTS quotas (client TEXT PRIMARY KEY, level DOUBLE PRECISION NOT NULL,"
    " at DOUBLE PRECISION NOT NULL)",
)
SCHEMA_VERSION = "3"
Migration = tuple[tuple[str, Callable[[], tuple[Any, ...]]], ...]
ADD_AUTOPLAY: Migration = (("ALTER TABLE matches ADD COLUMN autoplay TEXT NOT NULL DEFAULT ''", tuple),)
# From older layouts. A layout only adds to the one before, and columns have defaults: so servers of the version before
# go on with their work while a set of servers is upgraded one by one. What is not needed any more goes a version later.
# Nobody's matches stay nobody's, and the time after which they are removed begins anew.
MIGRATIONS: dict[str, Migration] = {
    "1": (
        ("ALTER TABLE matches ADD COLUMN owner TEXT NOT NULL DEFAULT ''", tuple),
        ("ALTER TABLE matches ADD COLUMN updated DOUBLE PRECISION NOT NULL DEFAULT 0", tuple),
        ("ALTER TABLE matches ADD COLUMN rotations TEXT NOT NULL DEFAULT '{}'", tuple),
        ("UPDATE matches SET updated = ?", lambda: (time.time(),)),
        ("DROP INDEX IF EXISTS matches_by_time", tuple),
        *ADD_AUTOPLAY,
    ),
    "2": ADD_AUTOPLAY,
}
# The advisory lock of PostgreSQL under which a store is opened; any number that nobody else uses.
OPENING = 7_095_484_561
SECRET = re.compile(r"[0-9a-f]{64}")


class Database:
    """The log over one connection, used by one thread. SQL is written with `?` and common to both databases."""

    def __init__(
        self,
        connect: Callable[[], Any],
        placeholder: str,
        lost: tuple[type[Exception], ...] = (),
        turns: str = "",
    ) -> None:
        """`turns` is a statement that lets one transaction at a time go on, where opening needs that."""
        self._connect = connect
        self._placeholder = placeholder
        self._lost = lost  # what a broken connection raises
        self._turns = turns
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
            # Of servers that make the tables of an empty store at the same time, PostgreSQL would let all but one fail.
            if self._turns:
                execute(self._turns)
            execute(META)
            is_new = execute(
                "INSERT INTO meta (name, value) VALUES ('schema', ?) ON CONFLICT (name) DO NOTHING",
                (SCHEMA_VERSION,),
            ).rowcount
            if is_new:
                execute("INSERT INTO meta (name, value) VALUES ('secret', ?)", (secrets.token_hex(32),))
            # Of two servers that open an old store at the same time, one waits here until the other has changed it.
            execute("UPDATE meta SET value = value WHERE name = 'schema'")
            found = dict(execute("SELECT name, value FROM meta").fetchall())
            if found["schema"] not in (SCHEMA_VERSION, *MIGRATIONS):
                raise ConfigError(
                    f"store: has the layout {found['schema']!r}, and this version of pythia reads up to "
                    f"{SCHEMA_VERSION!r}; a newer version has changed it: upgrade this server, or give it a store of "
                    "its own"
                )
            for statement, values in MIGRATIONS.get(found["schema"], ()):
                execute(statement, values())
            for statement in SCHEMA:
                execute(statement)
            execute("UPDATE meta SET value = ? WHERE name = 'schema'", (SCHEMA_VERSION,))
            return str(found.get("secret", ""))

        secret = self._transaction(work)
        if not SECRET.fullmatch(secret):
            # With another one nobody could go on; with an empty one everybody could make the tokens of all matches.
            raise ConfigError(
                "store: its secret (the row 'secret' of the table meta) is empty or damaged; "
                "restore it from a backup, or create a new store"
            )
        return bytes.fromhex(secret)

    def facts(self) -> dict[str, str]:
        """What the servers of a store must agree on: its layout, its secret, and what the last one to start said."""

        def work(execute: Callable[..., Any]) -> dict[str, str]:
            return dict(execute("SELECT name, value FROM meta").fetchall())

        return self._transaction(work)

    def tell(self, name: str, value: str) -> None:
        """Say something about this server that the others compare with theirs."""

        def work(execute: Callable[..., Any]) -> None:
            execute(
                "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, value),
            )

        self._transaction(work)

    def create(
        self,
        header: Header,
        events: list[Event],
        over: bool,
        most: int | None,
        autoplay: Autoplay | None,
    ) -> bool:
        """False when there is a match of this id already; TooMany when its owner has `most` others."""

        def work(execute: Callable[..., Any]) -> bool:
            added = execute(
                "INSERT INTO matches (id, game, created, version, over, seats, header, owner, updated, autoplay)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (
                    header.id,
                    header.game,
                    header.created,
                    len(events),
                    int(over),
                    json.dumps(header.seats),
                    json.dumps(asdict(header)),
                    header.owner,
                    time.time(),
                    autoplay_text(autoplay),
                ),
            ).rowcount
            if added and most is not None:
                found = execute("SELECT count(*) FROM matches WHERE owner = ?", (header.owner,)).fetchone()[0]
                if found > most:
                    raise TooMany
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
                "UPDATE matches SET version = ?, over = ?, updated = ? WHERE id = ? AND version = ?",
                (last, int(over), time.time(), match_id, version),
            ).rowcount
            if changed != 1:
                raise VersionConflict
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
            row = execute(
                "SELECT header, rotations, autoplay FROM matches WHERE id = ?", (match_id,)
            ).fetchone()
            if row is None:
                return None
            rows = execute(
                "SELECT data FROM events WHERE match_id = ? ORDER BY version", (match_id,)
            ).fetchall()
            return Stored(
                Header(**json.loads(row[0])),
                [Event(**json.loads(data)) for (data,) in rows],
                read_rotations(row[1]),
                autoplay_of(row[2]),
            )

        return self._transaction(work)

    def since(self, match_id: str, version: int) -> Newer | None:
        """What happened after the version; None when there is no such match."""

        def work(execute: Callable[..., Any]) -> Newer | None:
            row = execute(
                "SELECT created, rotations, autoplay FROM matches WHERE id = ?", (match_id,)
            ).fetchone()
            if row is None:
                return None
            rows = execute(
                "SELECT data FROM events WHERE match_id = ? AND version > ? ORDER BY version",
                (match_id, version),
            ).fetchall()
            events = [Event(**json.loads(data)) for (data,) in rows]
            return Newer(row[0], read_rotations(row[1]), autoplay_of(row[2]), events)

        return self._transaction(work)

    def standings(self, match_ids: Sequence[str]) -> dict[str, StoredStatus]:
        """How these matches stand; without those that are not there."""

        def work(execute: Callable[..., Any]) -> dict[str, StoredStatus]:
            marks = ", ".join("?" * len(match_ids))
            rows = execute(
                f"SELECT id, created, version, rotations, autoplay FROM matches WHERE id IN ({marks})",
                match_ids,
            ).fetchall()
            return {
                row[0]: StoredStatus(row[1], row[2], read_rotations(row[3]), autoplay_of(row[4]))
                for row in rows
            }

        return self._transaction(work)

    def rotate(self, match_id: str, before: dict[str, Rotation], after: dict[str, Rotation]) -> None:
        def work(execute: Callable[..., Any]) -> None:
            changed = execute(
                "UPDATE matches SET rotations = ? WHERE id = ? AND rotations = ?",
                (rotations_text(after), match_id, rotations_text(before)),
            ).rowcount
            if changed != 1:
                raise VersionConflict

        self._transaction(work)

    def set_autoplay(self, match_id: str, before: Autoplay | None, after: Autoplay | None) -> None:
        def work(execute: Callable[..., Any]) -> None:
            changed = execute(
                "UPDATE matches SET autoplay = ? WHERE id = ? AND autoplay = ?",
                (autoplay_text(after), match_id, autoplay_text(before)),
            ).rowcount
            if changed != 1:
                raise VersionConflict

        self._transaction(work)

    def playing(self) -> list[PlayingRow]:
        """The unfinished matches whose bots the server plays and that are not paused, oldest first."""

        def work(execute: Callable[..., Any]) -> list[PlayingRow]:
            rows = execute(
                "SELECT id, owner, seats, version, autoplay FROM matches WHERE over = 0 AND autoplay <> ''"
                " ORDER BY created, id"
            ).fetchall()
            return [
                PlayingRow(match_id, owner, json.loads(seats), version)
                for match_id, owner, seats, version, autoplay in rows
                if not json.loads(autoplay)["paused"]
            ]

        return self._transaction(work)

    def key(self, match_id: str, name: str) -> Key | None:
        def work(execute: Callable[..., Any]) -> Key | None:
            row = execute(
                "SELECT fingerprint, first, last FROM keys WHERE match_id = ? AND name = ?", (match_id, name)
            ).fetchone()
            return None if row is None else Key(*row)

        return self._transaction(work)

    def page(
        self,
        size: int,
        before: tuple[float, str] | None,
        over: bool | None,
        game: str | None,
        owner: str | None,
    ) -> list[MatchRow]:
        """Newest first, those older than `before`; with None for `over`, `game` or `owner` all."""
        conditions: list[str] = []
        values: list[Any] = []
        if owner is not None:
            conditions.append("owner = ?")
            values.append(owner)
        if game is not None:
            conditions.append("game = ?")
            values.append(game)
        if before is not None:
            conditions.append("(created, id) < (?, ?)")
            values += list(before)
        # Each status by itself, so that an index has the order and no more rows are read than the page has.
        part = (
            "SELECT * FROM (SELECT id, game, created, version, over, seats FROM matches"
            f" WHERE {' AND '.join(['over = ?', *conditions])} ORDER BY created DESC, id DESC LIMIT ?) AS part"
        )
        statuses = (0, 1) if over is None else (int(over),)

        def work(execute: Callable[..., Any]) -> list[MatchRow]:
            rows = execute(
                " UNION ALL ".join([part] * len(statuses)) + " ORDER BY created DESC, id DESC LIMIT ?",
                [*(value for status in statuses for value in (status, *values, size)), size],
            ).fetchall()
            return [
                MatchRow(match_id, name, created, version, bool(is_over), json.loads(seats))
                for match_id, name, created, version, is_over, seats in rows
            ]

        return self._transaction(work)

    def delete(self, match_id: str, before: float) -> bool:
        """Whether it was there, with its last event before that time, and is gone."""

        def work(execute: Callable[..., Any]) -> bool:
            deleted = execute("DELETE FROM matches WHERE id = ? AND updated < ?", (match_id, before)).rowcount
            for table in ("events", "keys") if deleted else ():
                execute(f"DELETE FROM {table} WHERE match_id = ?", (match_id,))
            return bool(deleted)

        return self._transaction(work)

    def expired(self, over: bool, before: float, most: int) -> list[str]:
        """Matches whose last event was before that time."""

        def work(execute: Callable[..., Any]) -> list[str]:
            rows = execute(
                "SELECT id FROM matches WHERE over = ? AND updated < ? ORDER BY updated LIMIT ?",
                (int(over), before, most),
            ).fetchall()
            return [match_id for (match_id,) in rows]

        return self._transaction(work)

    def bill(self, client: str, seconds: float, rate: float) -> float:
        """The level of a client's bucket after `seconds` more; it leaks `rate` seconds a minute. PostgreSQL only."""
        now = "extract(epoch FROM clock_timestamp())"  # one clock for all servers

        def work(execute: Callable[..., Any]) -> float:
            row = execute(
                f"INSERT INTO quotas (client, level, at) VALUES (?, greatest(0, ?::float8), {now})"
                " ON CONFLICT (client) DO UPDATE SET at = excluded.at, level ="
                " greatest(0, greatest(0, quotas.level - (excluded.at - quotas.at) * ?::float8 / 60) + ?::float8)"
                " RETURNING level",
                (client, seconds, rate, seconds),
            ).fetchone()
            return float(row[0])

        return self._transaction(work)

    def count_active(self) -> int:
        def work(execute: Callable[..., Any]) -> int:
            return int(execute("SELECT count(*) FROM matches WHERE over = 0").fetchone()[0])

        return self._transaction(work)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def rotations_text(rotations: dict[str, Rotation]) -> str:
    return json.dumps({holder: asdict(rotation) for holder, rotation in sorted(rotations.items())})


def read_rotations(text: str) -> dict[str, Rotation]:
    return {holder: Rotation(**obj) for holder, obj in json.loads(text).items()}


def autoplay_text(autoplay: Autoplay | None) -> str:
    """Empty for a match without autoplay."""
    return "" if autoplay is None else json.dumps(asdict(autoplay))


def autoplay_of(text: str) -> Autoplay | None:
    return Autoplay(**json.loads(text)) if text else None


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
        try:
            psycopg.conninfo.conninfo_to_dict(url)
        except psycopg.Error:  # its words may hold a part of the password
            raise ConfigError(
                f"store: {without_password(url)!r} is not understood by PostgreSQL; "
                "in a password write @ as %40, / as %2F, : as %3A"
            ) from None
        return Database(
            lambda: psycopg.connect(url, connect_timeout=10),
            "%s",
            (psycopg.OperationalError,),
            f"SELECT pg_advisory_xact_lock({OPENING})",
        )
    raise ConfigError(
        f"store: {without_password(url)!r} is not allowed; allowed: sqlite:PATH, postgresql://USER@HOST/NAME, memory:"
    )


def connect_sqlite(path: Path) -> sqlite3.Connection:
    """A file that only its owner can read: it holds what is hidden in every match, and the secret of all tokens."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            if file.exists() and file.stat().st_mode & 0o077:
                raise ConfigError(f"store: {str(file)!r} can be read by others; make it private (chmod 600)")
        connection = sqlite3.connect(path, check_same_thread=False, timeout=10)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"store: {str(path)!r} cannot be opened ({error})") from None
    return connection


class DatabaseThread:
    """A connection to the database, and the thread that alone uses it."""

    def __init__(self, url: str, name: str) -> None:
        self.database = open_database(url)
        self.thread = ThreadPoolExecutor(1, name)

    def close(self) -> None:
        self.thread.submit(self.database.close).result()
        self.thread.shutdown()


class MatchStore:
    """The database from the event loop: one operation after the other, in a thread of its own.

    Lists are read by another connection in another thread, so that no move waits for them; in memory there is only one.
    A store that other servers may use as well (`is_shared`) has a third, which looks for what they wrote.
    """

    def __init__(self, url: str, metrics: Metrics) -> None:
        self._metrics = metrics
        self._url = without_password(url)
        self.is_shared = url.startswith("postgres")
        self._main = DatabaseThread(url, "store")
        self._reader = self._main if url == "memory:" else DatabaseThread(url, "store-reader")
        self._checker = DatabaseThread(url, "store-checker") if self.is_shared else self._main

    async def _do(self, lane: DatabaseThread, operation: Callable[..., T], *arguments: Any) -> T:
        """An operation of `Database`, on the connection of this lane."""
        began = time.perf_counter()
        name = operation.__name__
        try:
            return await asyncio.get_running_loop().run_in_executor(
                lane.thread, operation, lane.database, *arguments
            )
        except (VersionConflict, ConfigError, TooMany):
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
            return await self._do(self._main, Database.open)
        except Refused:
            raise ConfigError(f"store: {self._url!r} cannot be opened; see the log") from None

    async def facts(self) -> dict[str, str]:
        return await self._do(self._checker, Database.facts)

    async def tell(self, name: str, value: str) -> None:
        await self._do(self._main, Database.tell, name, value)

    async def create(
        self,
        header: Header,
        events: list[Event],
        over: bool,
        most: int | None = None,
        autoplay: Autoplay | None = None,
    ) -> bool:
        return await self._do(self._main, Database.create, header, events, over, most, autoplay)

    async def append(
        self, match_id: str, version: int, events: list[Event], over: bool, key: tuple[str, str] | None = None
    ) -> None:
        await self._do(self._main, Database.append, match_id, version, events, over, key)

    async def load(self, match_id: str) -> Stored | None:
        return await self._do(self._main, Database.load, match_id)

    async def since(self, match_id: str, version: int) -> Newer | None:
        return await self._do(self._checker, Database.since, match_id, version)

    async def standings(self, match_ids: Sequence[str]) -> dict[str, StoredStatus]:
        return await self._do(self._checker, Database.standings, match_ids)

    async def key(self, match_id: str, name: str) -> Key | None:
        return await self._do(self._main, Database.key, match_id, name)

    async def rotate(self, match_id: str, before: dict[str, Rotation], after: dict[str, Rotation]) -> None:
        await self._do(self._main, Database.rotate, match_id, before, after)

    async def set_autoplay(self, match_id: str, before: Autoplay | None, after: Autoplay | None) -> None:
        await self._do(self._main, Database.set_autoplay, match_id, before, after)

    async def playing(self) -> list[PlayingRow]:
        return await self._do(self._reader, Database.playing)

    async def page(
        self,
        size: int,
        before: tuple[float, str] | None = None,
        over: bool | None = None,
        game: str | None = None,
        owner: str | None = None,
    ) -> list[MatchRow]:
        return await self._do(self._reader, Database.page, size, before, over, game, owner)

    async def expired(self, over: bool, before: float, most: int) -> list[str]:
        return await self._do(self._reader, Database.expired, over, before, most)

    async def delete(self, match_id: str, before: float = math.inf) -> bool:
        return await self._do(self._main, Database.delete, match_id, before)

    async def bill(self, client: str, seconds: float, rate: float) -> float:
        return await self._do(self._checker, Database.bill, client, seconds, rate)

    async def count_active(self) -> int:
        return await self._do(self._main, Database.count_active)

    def close(self) -> None:
        for lane in {self._main, self._reader, self._checker}:
            lane.close()
