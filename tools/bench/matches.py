"""What callers of MatchService can do to each other: `python -m tools.bench matches` prints a line for each attempt.

Seeds found from what is open, undos of callers without a token, a match with many undos, lists of many matches,
watchers of a match that has just been read, and one client that makes matches without end. All on loopback.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc

from pythia.core_cy.keltis.components import TILES
from pythia.core_cy.keltis.setup import deal_path
from pythia.service.server import Server
from pythia.v1 import match_pb2, match_pb2_grpc

Stub = Any
TRIED = 1_000_000
CALLERS, MOVES = 16, 200
UNDOS = 1500
PLAYED = 100
MATCHES = 100_000
ROUNDS = 300
CREATIONS, ALLOWED = 20_000, 1000
Tile = tuple[str, int, str]  # what it is, its value or its color
KINDS: list[Tile] = [
    (str(kind), value if isinstance(value, int) else 0, value if isinstance(value, str) else "")
    for kind, value in TILES
]
PEOPLE = [match_pb2.Seat(), match_pb2.Seat()]


@asynccontextmanager
async def serving(store: str = "memory:", **settings: Any) -> AsyncIterator[tuple[Server, Stub]]:
    async with (
        Server(port=0, metrics=False, store=store, **settings) as server,
        grpc.aio.insecure_channel(server.address) as channel,
    ):
        yield server, match_pb2_grpc.MatchServiceStub(channel)


async def create(stub: Stub, game: str = "delphi", **fields: Any) -> match_pb2.CreateMatchResponse:
    request = match_pb2.CreateMatchRequest(game=game, seats=PEOPLE, **fields)
    answer: match_pb2.CreateMatchResponse = await stub.CreateMatch(request)
    return answer


def found_seed(path: list[Tile]) -> int | None:
    """The seed below a million that deals this path."""
    for seed in range(TRIED):
        if [KINDS[tile] for tile in deal_path(seed).values()] == path:
            return seed
    return None


async def seeds() -> AsyncIterator[str]:
    async with serving() as (_, stub):
        for reproducible in (True, False):
            made = await create(stub, "keltis", seed=TRIED - 1, reproducible=reproducible)
            seen = (await stub.Observe(match_pb2.ObserveRequest(match_id=made.match.id))).observation
            path = [(entry.tile, entry.value, entry.color) for entry in seen.keltis.path]
            began = time.perf_counter()
            seed = await asyncio.to_thread(found_seed, path)
            kind = "a reproducible match" if reproducible else "any other match"
            told = "not found" if seed is None else "found, and with it both hands,"
            yield f"seed below 10^6 of {kind}, tried by a spectator: {told} after {time.perf_counter() - began:.1f} s"


async def to_a_step(stub: Stub) -> tuple[match_pb2.Match, str, str]:
    """A match after some moves, the token of the seat to act, and a move of it that can be taken back."""
    made = await create(stub, seed=7, reproducible=True)
    match = made.match
    while True:
        token = made.seat_tokens[match.to_act]
        request = match_pb2.ListLegalMovesRequest(match_id=match.id, token=token)
        moves = [move.text for move in (await stub.ListLegalMoves(request)).moves]
        steps = [move for move in moves if "sail" in move]
        if steps and match.version >= PLAYED:
            return match, token, steps[0]
        played = match_pb2.SubmitMoveRequest(match_id=match.id, token=token, move=moves[-1])
        match = (await stub.SubmitMove(played)).match


async def undos_of_others() -> AsyncIterator[str]:
    async with serving() as (_, stub):
        match, token, move = await to_a_step(stub)
        quiet = await moves_and_undos(stub, match.id, token, move)
        told = []
        # Any call costs some time of the event loop; an undo that is refused should cost no more than a look.
        for call, request in (
            (stub.Undo, match_pb2.UndoRequest(match_id=match.id)),
            (stub.GetMatch, match_pb2.GetMatchRequest(match_id=match.id)),
        ):
            tasks = [asyncio.ensure_future(repeat(call, request)) for _ in range(CALLERS)]
            told.append(1e3 * await moves_and_undos(stub, match.id, token, move))
            for task in tasks:
                task.cancel()
        yield (
            f"a player's move and undo, median of {MOVES}: {1e3 * quiet:.1f} ms; "
            f"while {CALLERS} callers without a token ask for undo {told[0]:.1f} ms, for the match {told[1]:.1f} ms"
        )


async def repeat(call: Any, request: Any) -> None:
    while True:
        with suppress(grpc.aio.AioRpcError):
            await call(request)


async def moves_and_undos(stub: Stub, match_id: str, token: str, move: str) -> float:
    """Seconds for a move and for taking it back, the median."""
    seconds = []
    for _ in range(MOVES):
        began = time.perf_counter()
        await stub.SubmitMove(match_pb2.SubmitMoveRequest(match_id=match_id, token=token, move=move))
        await stub.Undo(match_pb2.UndoRequest(match_id=match_id, token=token))
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


async def many_undos() -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:{folder}/matches.sqlite"
        async with serving(store) as (_, stub):
            match, _, move = await to_a_step(stub)
        with sqlite3.connect(f"{folder}/matches.sqlite") as connection:
            version = match.version
            played = {"by": match.to_act, "kind": "move", "text": move, "hidden_from": [], "time": 1.0}
            for number in range(2 * UNDOS):
                version += 1
                event = played if number % 2 == 0 else played | {"kind": "undo", "text": ""}
                connection.execute(
                    "INSERT INTO events VALUES (?, ?, ?)", (match.id, version, json.dumps(event))
                )
            connection.execute("UPDATE matches SET version = ?", (version,))
        async with serving(store) as (_, stub):
            longest, watching = 0.0, True

            async def watch_the_loop() -> None:
                nonlocal longest
                while watching:
                    began = time.perf_counter()
                    await asyncio.sleep(0.001)
                    longest = max(longest, time.perf_counter() - began - 0.001)

            ticker = asyncio.ensure_future(watch_the_loop())
            await asyncio.sleep(0.1)
            longest = 0.0
            await stub.GetMatch(match_pb2.GetMatchRequest(match_id=match.id))
            watching = False
            await ticker
            yield f"a match with {UNDOS} undos is read: everybody else waits {1e3 * longest:.0f} ms at most"


async def lists() -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:{folder}/matches.sqlite"
        async with serving(store) as (_, stub):
            made = await create(stub, seed=7, reproducible=True)
        fill(Path(folder) / "matches.sqlite")
        async with serving(store) as (_, stub):
            slowest = 0.0
            for fields in (
                {},
                {"status": match_pb2.MATCH_STATUS_OVER},
                {"game": "keltis"},
                {"game": "keltis", "status": match_pb2.MATCH_STATUS_OVER},
            ):
                for _ in range(5):
                    began = time.perf_counter()
                    await stub.ListMatches(match_pb2.ListMatchesRequest(page_size=50, **fields))
                    slowest = max(slowest, time.perf_counter() - began)
            yield f"a page of {MATCHES} matches, slowest of 20 by status and game: {1e3 * slowest:.0f} ms"
            assert made.match.id


def fill(path: Path) -> None:
    """Copies of the one match that is there."""
    with sqlite3.connect(path) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(matches)")]
        parts = {"id": "printf('%024x', n)", "created": "created + n"}
        columns = ", ".join(parts.get(name, name) for name in names)
        connection.execute(
            f"WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < {MATCHES})"
            f" INSERT INTO matches SELECT {columns} FROM matches, count"
        )


async def watchers() -> AsyncIterator[str]:
    async with serving() as (server, stub):
        matches, deaf = server._backend._matches, 0
        for _ in range(ROUNDS):
            made = await create(stub, seed=7, reproducible=True)
            match, token = made.match, made.seat_tokens[made.match.to_act]
            listed = await stub.ListLegalMoves(
                match_pb2.ListLegalMovesRequest(match_id=match.id, token=token)
            )
            matches._recent.clear()
            matches._alive.clear()
            request = match_pb2.WatchRequest(match_id=match.id, after_version=match.version)
            watches = [stub.Watch(request) for _ in range(6)]
            heard = [asyncio.ensure_future(watch.read()) for watch in watches]
            await asyncio.sleep(0.002)
            move = match_pb2.SubmitMoveRequest(match_id=match.id, token=token, move=listed.moves[0].text)
            await stub.SubmitMove(move)
            _, waiting = await asyncio.wait(heard, timeout=1)
            deaf += bool(waiting)
            for watch in watches:
                watch.cancel()
            await asyncio.gather(*heard, return_exceptions=True)
        yield f"rounds of {ROUNDS} in which a watcher of a match that was just read heard nothing: {deaf}"


async def creations() -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        async with serving(f"sqlite:{folder}/matches.sqlite", matches_per_client=ALLOWED) as (_, stub):
            made = refused = 0
            began = time.perf_counter()
            for _ in range(CREATIONS // 20):
                answers = await asyncio.gather(
                    *(create(stub, "keltis") for _ in range(20)), return_exceptions=True
                )
                failed = sum(isinstance(answer, grpc.aio.AioRpcError) for answer in answers)
                made, refused = made + len(answers) - failed, refused + failed
            seconds = time.perf_counter() - began
            size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
            yield (
                f"{CREATIONS} matches asked for by a client that may have {ALLOWED}: {made} made, {refused} refused, "
                f"{size:.0f} MiB, in {seconds:.0f} s"
            )


def rows() -> Iterator[str]:
    async def told(part: AsyncIterator[str]) -> list[str]:
        return [line async for line in part]

    for part in (seeds, undos_of_others, many_undos, lists, watchers, creations):
        yield from asyncio.run(told(part()))
