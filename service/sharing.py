"""Several servers on one PostgreSQL store: each hears what the others write, and no two do the same work.

The log stays the truth, and versions its safety: a notice that is lost costs time, never an event. Every read of a
match compares its version with the store's; notices and a look every few seconds are for those who watch.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from pythia.service.errors import Refused
from pythia.service.logs import LOG
from pythia.service.store import SCHEMA_VERSION

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from pythia.service.auth import Quotas
    from pythia.service.metrics import Metrics
    from pythia.service.store import MatchStore

CHANNEL = "pythia_matches"
# A payload of PostgreSQL has less than 8000 bytes; an id has at most 64 characters.
NOTICES_AT_ONCE = 50
# Seconds between two looks at all matches in memory: what a lost notice, or a pooler that drops them, delays at most.
LOOK_SECONDS = 2.0
# Seconds before a lost connection is made anew: at first, and at most.
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0
# Seconds between two settlements of quotas: what a client can get beyond its quota is what the servers grant meanwhile.
BILL_SECONDS = 0.25
# Half-open connections are noticed by the system after about 20 seconds.
ALIVE: dict[str, Any] = {
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}


class Sharing:
    """The connections of one server to the others. `hear(match id, version)` is called for what others wrote.

    `look` compares all matches in memory with the store: now and then, and after each time that notices may be missing.
    """

    def __init__(
        self,
        url: str,
        hear: Callable[[str, int], None],
        look: Callable[[], Awaitable[None]],
        metrics: Metrics,
    ) -> None:
        self._url = url
        self._hear = hear
        self._look = look
        self._metrics = metrics
        self._pending: dict[str, int] = {}
        self._something = asyncio.Event()
        self._looking = asyncio.Event()
        self._speaker: AsyncConnection[Any] | None = None
        self._lost: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._unlocking: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._tasks = [
            asyncio.create_task(task)
            for task in (
                self._connected("listener", self._listen),
                self._connected("speaker", self._speak),
                self._keep_looking(),
            )
        ]

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    @property
    def troubles(self) -> list[str]:
        """In words for health checks, with what to do."""
        return [
            f"store: the {name}'s connection is lost; events of other servers come up to {LOOK_SECONDS:g} s later. "
            "Check the database, and that no pooler closes sessions"
            for name in sorted(self._lost)
        ]

    def announce(self, match_id: str, version: int) -> None:
        """Tell the other servers soon. Notices of one match that wait together become one."""
        if self._speaker is None:
            return  # the others look by themselves; a queue would only grow
        self._pending[match_id] = version
        self._something.set()

    @asynccontextmanager
    async def lock(self, name: str) -> AsyncGenerator[bool]:
        """Whether a piece of work is this server's, until the block ends or this server dies.

        Without a connection it is: versions keep two servers from both being right, and only the search is wasted.
        """
        speaker, number = self._speaker, lock_number(name)
        if speaker is None:
            yield True
            return
        # A caller may leave while the answer is on its way: then the lock is ours all the same, and is given back.
        locking = asyncio.ensure_future(run(speaker, "SELECT pg_try_advisory_lock(%s)", number))
        try:
            try:
                is_ours = await asyncio.shield(locking)
            except Exception as error:  # the connection has just been lost
                LOG.warning(
                    "work on a match is not locked", extra={"fields": {"error": type(error).__name__}}
                )
                is_ours = True
            yield is_ours
        finally:
            unlocking = asyncio.ensure_future(unlock(speaker, number, locking))
            self._unlocking.add(unlocking)
            unlocking.add_done_callback(self._unlocking.discard)
            await asyncio.shield(unlocking)

    # -- the connections

    async def _connected(self, name: str, use: Callable[[AsyncConnection[Any]], Awaitable[None]]) -> None:
        """Keeps one connection, and makes it anew when it breaks."""
        from psycopg import AsyncConnection

        wait = FIRST_WAIT
        gauge = self._metrics.store_links.labels(name)
        while True:
            try:
                connection = await AsyncConnection.connect(
                    self._url, autocommit=True, connect_timeout=10, **ALIVE
                )
                async with connection:
                    wait = FIRST_WAIT
                    self._lost.discard(name)
                    gauge.set(1)
                    await use(connection)
            except Exception as error:
                LOG.warning(
                    "connection to the store lost; connecting again",
                    extra={"fields": {"connection": name, "error": type(error).__name__, "seconds": wait}},
                )
            finally:
                self._lost.add(name)
                gauge.set(0)
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    async def _listen(self, connection: AsyncConnection[Any]) -> None:
        await connection.execute(f"LISTEN {CHANNEL}")
        self._looking.set()  # for what was said before
        async for notice in connection.notifies():
            for match_id, version in read_payload(notice.payload):
                self._hear(match_id, version)

    async def _speak(self, connection: AsyncConnection[Any]) -> None:
        self._speaker = connection
        try:
            while True:
                try:
                    await asyncio.wait_for(self._something.wait(), LOOK_SECONDS)
                except TimeoutError:
                    await connection.execute("SELECT 1")  # nobody else would notice that it is broken
                self._something.clear()
                while self._pending:
                    some = [self._pending.popitem() for _ in range(min(NOTICES_AT_ONCE, len(self._pending)))]
                    # After the commit of what it speaks of: inside it, all commits would wait for each other.
                    await connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, json.dumps(some)))
        finally:
            self._speaker = None
            self._pending.clear()

    async def _keep_looking(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._looking.wait(), LOOK_SECONDS)
            self._looking.clear()
            try:
                await self._look()
            except Exception as error:
                LOG.warning(
                    "matches could not be compared with the store",
                    extra={"fields": {"error": type(error).__name__}},
                )


class Agreement:
    """What the servers of a store must agree on: the layout, the secret that tokens are made of, who may call.

    `troubles` are in words for health checks, with what to do. A server with another secret than the store is of no
    use (`is_broken`): it would refuse the seat tokens of all others.
    """

    def __init__(self, store: MatchStore, secret: str, clients: str) -> None:
        """`clients` stands for the clients that this server knows."""
        self._store = store
        self._secret = secret
        self._clients = clients
        self.troubles: list[str] = []
        self.is_broken = False

    async def keep(self, changed: Callable[[], Awaitable[None]]) -> None:
        """Until cancelled: say who may call here, and compare. `changed` is called when `is_broken` has changed."""
        while True:
            with suppress(Refused):  # the store has failed and said so
                await self._store.tell("clients", self._clients)
                break
            await asyncio.sleep(LOOK_SECONDS)
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with suppress(Refused):
                await self.compare(changed)

    async def compare(self, changed: Callable[[], Awaitable[None]]) -> None:
        facts = await self._store.facts()
        troubles = []
        if facts.get("schema") != SCHEMA_VERSION:
            troubles.append("store: a newer server has changed its layout; upgrade this server")
        if facts.get("clients", self._clients) != self._clients:
            troubles.append(
                "tokens: a server that started later knows other tokens, roles or quotas; give all servers of the "
                "store the same, and restart this one"
            )
        is_broken = facts.get("secret") != self._secret
        if is_broken:
            troubles.append("store: its secret is not the one this server started with; restart this server")
        for trouble in troubles:
            if trouble not in self.troubles:
                LOG.log(logging.ERROR if is_broken else logging.WARNING, trouble)
        self.troubles = troubles
        if is_broken != self.is_broken:
            self.is_broken = is_broken
            await changed()


async def share_quotas(quotas: Quotas, store: MatchStore) -> None:
    """Until cancelled: tell the store what searches were billed here, and learn what all servers billed together."""
    while True:
        await asyncio.sleep(BILL_SECONDS)
        for client, (seconds, rate) in quotas.unsettled().items():
            try:
                quotas.settle(client, await store.bill(client, seconds, rate))
            except Refused:  # the store has failed and said so; the bills stay with this server
                quotas.unsettle(client, seconds, rate)


async def run(connection: AsyncConnection[Any], query: str, number: int) -> bool:
    """What a query about a lock answers."""
    row = await (await connection.execute(query, (number,))).fetchone()
    return bool(row and row[0])


async def unlock(connection: AsyncConnection[Any], number: int, locking: asyncio.Task[bool]) -> None:
    """Give a lock back, if it was got."""
    with suppress(Exception):  # with its connection the lock is gone as well
        if await locking:
            await run(connection, "SELECT pg_advisory_unlock(%s)", number)


def lock_number(name: str) -> int:
    """The 64 bits that PostgreSQL's advisory locks have for a name."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), signed=True)


def read_payload(text: str) -> list[tuple[str, int]]:
    """The matches and versions of a notice; others may use the channel as well, so whatever it is not is left out."""
    try:
        return [
            (match_id, int(version)) for match_id, version in json.loads(text) if isinstance(match_id, str)
        ]
    except (TypeError, ValueError):
        return []
