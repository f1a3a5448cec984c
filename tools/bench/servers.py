"""Several servers on one PostgreSQL store, and one of them killed again and again: `python -m tools.bench servers`.

Players call a server at random for each move, and ask another one what it knows as soon as a move is acknowledged.
Watchers listen at a server at random, and go to another one when theirs is gone. All on loopback.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import grpc

from pythia.core_cy import game_info, list_games
from pythia.v1 import match_pb2, match_pb2_grpc, search_pb2
from tools.postgres import running_postgres

T = TypeVar("T")
SERVE = "from pythia.clients.cli.main import main; main()"
SERVERS, MATCHES, VERSIONS, KILL_SECONDS = 3, 100, 60, 3.0
# Seconds that players think before a move, for the lag of watchers: without them it is the time in the queue.
THINK_SECONDS = 2.0
# A server is gone, stops, or says that the match has changed: ask again, somewhere.
AGAIN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED, grpc.StatusCode.CANCELLED)


class ServerProcess:
    """A server process and a channel to it."""

    def __init__(self, url: str, port: int = 0, serve: str = SERVE) -> None:
        """`serve` is the program."""
        environment = os.environ | {
            "PYTHIA_STORE": url,
            "PYTHIA_PORT": str(port),
            "PYTHIA_METRICS": "false",
            "PYTHIA_LOG_LEVEL": "error",
        }
        self.channel: grpc.aio.Channel | None = None
        self.process = subprocess.Popen(
            [sys.executable, "-c", serve, "serve"], stdout=subprocess.PIPE, text=True, env=environment
        )

    async def start(self) -> None:
        """Until it answers."""
        assert self.process.stdout is not None
        line = await asyncio.to_thread(self.process.stdout.readline)
        self.address = line.split()[-1]
        self.channel = grpc.aio.insecure_channel(
            self.address, options=[("grpc.use_local_subchannel_pool", 1)]
        )
        self.stub: Any = match_pb2_grpc.MatchServiceStub(self.channel)

    async def kill(self) -> None:
        """Also when it is dead already."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        """Let it drain, and wait until it has ended."""
        await self._end(signal.SIGTERM)

    async def _end(self, how: signal.Signals) -> None:
        if self.process.returncode is not None:
            return
        self.process.send_signal(how)
        await asyncio.to_thread(self.process.communicate)
        if self.channel is not None:
            await self.channel.close()


@dataclass
class FollowedMatch:
    """A match: what was acknowledged to its player, and what its watcher heard."""

    id: str
    token: str
    acknowledged: int
    to_act: int
    is_over: bool = False
    heard: list[tuple[int, int, str]] = field(default_factory=list)


@dataclass
class Figures:
    matches: int = 0
    events: int = 0
    kills: int = 0
    reads: int = 0
    stale: int = 0  # reads that did not know what had been acknowledged before
    lost: int = 0  # acknowledged versions that were not there at the end
    wrong: int = 0  # watchers who missed an event, heard one twice or in another order
    lags: list[float] = field(
        default_factory=list
    )  # seconds from an event to its watcher, while no server dies
    seconds: float = 0.0


class Soak:
    """Plays matches on a set of servers, of which one dies now and then."""

    def __init__(
        self,
        url: str,
        servers: int,
        matches: int,
        versions: int,
        kill_seconds: float,
        think_seconds: float = 0.0,
    ) -> None:
        self._url, self._count = url, servers
        self._matches, self._versions, self._kill_seconds = matches, versions, kill_seconds
        self._think_seconds = think_seconds
        self._nodes: list[ServerProcess] = []  # those that answer
        self._started: list[ServerProcess] = []
        self._rng = random.Random(1)
        self._calm_since = 0.0
        self.figures = Figures(matches)

    async def run(self) -> Figures:
        try:
            for _ in range(self._count):
                await self._add()
            began, self._calm_since = time.perf_counter(), time.time()
            games = list_games()
            followed = [
                await self._create(games[number % len(games)], number) for number in range(self._matches)
            ]
            watchers = [asyncio.create_task(self._watch(match)) for match in followed]
            killer = asyncio.create_task(self._kill()) if self._kill_seconds else None
            await asyncio.gather(*(self._play(match) for match in followed))
            self.figures.seconds = time.perf_counter() - began
            if killer is not None:
                killer.cancel()
                with suppress(asyncio.CancelledError):
                    await killer
            await asyncio.wait_for(asyncio.gather(*watchers), 30)
            await self._check(followed)
            return self.figures
        finally:
            for node in self._started:
                await node.kill()

    async def _add(self) -> None:
        node = ServerProcess(self._url)
        self._started.append(node)
        await node.start()
        self._nodes.append(node)

    async def _call(self, call: Callable[[Any], Awaitable[T]]) -> T:
        """On a server at random, and on another one when that is gone."""
        for _ in range(200):
            node = self._rng.choice(self._nodes)
            try:
                return await call(node.stub)
            except grpc.aio.AioRpcError as error:
                if error.code() not in AGAIN:
                    raise
            except asyncio.CancelledError:
                # A channel that is closed while it is in use ends its calls this way.
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
            await asyncio.sleep(0.02)
        raise RuntimeError("no server answered 200 times")

    async def _create(self, game: str, number: int) -> FollowedMatch:
        bots = [match_pb2.Seat(bot=search_pb2.BotSpec(name="random"))] * (
            max(2, game_info(game).min_players) - 1
        )
        request = match_pb2.CreateMatchRequest(
            game=game, seats=[match_pb2.Seat(), *bots], public=True, seed=number
        )
        made = await self._call(lambda stub: stub.CreateMatch(request))
        return FollowedMatch(made.match.id, made.seat_tokens[0], made.match.version, made.match.to_act)

    async def _kill(self) -> None:
        while True:
            await asyncio.sleep(self._kill_seconds)
            self._calm_since = float("inf")
            node = self._nodes.pop(self._rng.randrange(len(self._nodes)))
            await node.kill()
            self._started.remove(node)
            self.figures.kills += 1
            await self._add()
            self._calm_since = time.time() + 0.5

    async def _play(self, match: FollowedMatch) -> None:
        """Moves at random until the match has its versions; each acknowledgement is looked for on another server."""
        while match.acknowledged < self._versions and not match.is_over:
            await asyncio.sleep(self._think_seconds * self._rng.uniform(0.5, 1.5))
            try:
                played = await self._call(lambda stub: self._move(stub, match))
                match.acknowledged = max(match.acknowledged, played.version)
            except grpc.aio.AioRpcError as error:
                # Another seat is to act: the answer that said so was lost with its server.
                if error.code() not in (
                    grpc.StatusCode.FAILED_PRECONDITION,
                    grpc.StatusCode.PERMISSION_DENIED,
                ):
                    raise
            now = await self._call(lambda stub: self._get(stub, match))
            self.figures.reads += 1
            self.figures.stale += now.version < match.acknowledged
            match.acknowledged = max(match.acknowledged, now.version)
            match.to_act, match.is_over = now.to_act, now.status == match_pb2.MATCH_STATUS_OVER

    async def _get(self, stub: Any, match: FollowedMatch) -> match_pb2.Match:
        answer = await stub.GetMatch(match_pb2.GetMatchRequest(match_id=match.id))
        return cast("match_pb2.Match", answer.match)

    async def _move(self, stub: Any, match: FollowedMatch) -> match_pb2.Match:
        if match.to_act != 0:
            request = match_pb2.PlayBotTurnRequest(match_id=match.id, token=match.token)
            return cast("match_pb2.Match", (await stub.PlayBotTurn(request)).match)
        legal = await stub.ListLegalMoves(
            match_pb2.ListLegalMovesRequest(match_id=match.id, token=match.token)
        )
        played = await stub.SubmitMove(
            match_pb2.SubmitMoveRequest(
                match_id=match.id,
                token=match.token,
                move=self._rng.choice(legal.moves).text,
                expected_version=legal.version,
            )
        )
        return cast("match_pb2.Match", played.match)

    async def _watch(self, match: FollowedMatch) -> None:
        """Until it has heard all that was acknowledged when the players stopped."""
        while not (self.figures.seconds and len(match.heard) >= match.acknowledged):
            request = match_pb2.WatchRequest(
                match_id=match.id, seat=0, token=match.token, after_version=len(match.heard)
            )
            stub = self._rng.choice(self._nodes).stub
            try:
                await self._listen(stub.Watch(request), match)
            except (grpc.aio.AioRpcError, asyncio.CancelledError) as error:
                task = asyncio.current_task()
                if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                    raise
                if isinstance(error, grpc.aio.AioRpcError) and error.code() not in AGAIN:
                    raise
            if match.is_over and len(match.heard) >= match.acknowledged:
                return
            await asyncio.sleep(0.02)

    async def _listen(self, stream: Any, match: FollowedMatch) -> None:
        try:
            while True:
                # Now and then without an event, to see that the players have stopped.
                read = asyncio.ensure_future(stream.read())
                while not read.done():
                    await asyncio.wait((read,), timeout=0.2)
                    if not read.done() and self.figures.seconds and len(match.heard) >= match.acknowledged:
                        return
                answer = read.result()
                if answer is grpc.aio.EOF:
                    return
                event = answer.event
                if event.time.ToNanoseconds() / 1e9 > self._calm_since:
                    self.figures.lags.append(time.time() - event.time.ToNanoseconds() / 1e9)
                self.figures.wrong += event.version != len(match.heard) + 1
                match.heard.append((event.version, event.by, event.move.text))
        finally:
            stream.cancel()

    async def _check(self, followed: list[FollowedMatch]) -> None:
        """What a server that knows nothing yet says about all of it."""
        await self._add()
        stub = self._nodes[-1].stub
        for match in followed:
            now = await self._get(stub, match)
            self.figures.lost += max(0, match.acknowledged - now.version)
            self.figures.events += now.version
            request = match_pb2.WatchRequest(match_id=match.id, seat=0, token=match.token)
            told = []
            stream = stub.Watch(request)
            while len(told) < len(match.heard):
                event = (await stream.read()).event
                told.append((event.version, event.by, event.move.text))
            stream.cancel()
            self.figures.wrong += told != match.heard


async def soak(
    url: str,
    servers: int = SERVERS,
    matches: int = MATCHES,
    versions: int = VERSIONS,
    kill_seconds: float = KILL_SECONDS,
    think_seconds: float = 0.0,
) -> Figures:
    return await Soak(url, servers, matches, versions, kill_seconds, think_seconds).run()


def lines() -> Iterator[str]:
    for kill_seconds, think_seconds in ((0.0, THINK_SECONDS), (KILL_SECONDS, 0.0)):
        with tempfile.TemporaryDirectory() as folder, running_postgres(Path(folder)) as url:
            found = asyncio.run(soak(url, kill_seconds=kill_seconds, think_seconds=think_seconds))
        lags = sorted(found.lags) or [float("nan")]
        yield (
            f"{SERVERS} servers, {found.matches} matches, {found.kills} kills: {found.events} events in "
            f"{found.seconds:.1f} s; acknowledged and lost: {found.lost}; reads after that: {found.reads}, "
            f"stale: {found.stale}; watchers who missed or repeated one: {found.wrong}; lag of a watcher: median "
            f"{1000 * statistics.median(lags):.1f} ms, 99 % {1000 * lags[int(0.99 * (len(lags) - 1))]:.1f} ms"
        )
