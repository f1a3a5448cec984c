"""What greedy, hasty and hostile callers do to others: `python -m tools.bench abuse`.

Each attack is bounded in count and time and goes to a server of its own on loopback. The figures that were measured
when the bounds were made are in docs/operations.md.
"""

from __future__ import annotations

import asyncio
import random
import re
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import grpc

from pythia.clients.errors import error_of
from pythia.service.calls import DETAILS
from pythia.v1 import advisor_pb2, advisor_pb2_grpc, search_pb2
from tools.bench.http2 import Http2Connection
from tools.bench.service import SERVE, observation, resident, started, suggestion

MEGABYTE = 2**20
GREEDY, OTHER, METERED = "greedy-token-0123456789", "other-token-0123456789", "metered-token-0123456789"
TOKENS = f"""
[[tokens]]
name = "greedy"
token = "{GREEDY}"
roles = ["analyse", "urgent"]

[[tokens]]
name = "other"
token = "{OTHER}"
roles = ["analyse"]

[[tokens]]
name = "metered"
token = "{METERED}"
roles = ["analyse"]
seconds_per_minute = 2
"""
SECONDS = 10.0
# The call of somebody who wants to play while others attack: a short search, and the patience of a person.
ORDINARY, PATIENCE = 0.1, 10.0
# gRPC wants one event loop in a process.
LOOP = asyncio.Runner()


@dataclass
class Victim:
    address: str
    process: subprocess.Popen[str]
    metrics_url: str

    def channel(self) -> grpc.aio.Channel:
        """A connection of its own."""
        return grpc.aio.insecure_channel(self.address, options=[("grpc.use_local_subchannel_pool", 1)])

    def searched(self) -> float:
        """Seconds of all searches that have ended."""
        with urllib.request.urlopen(self.metrics_url) as answer:
            text = answer.read().decode()
        return sum(float(value) for value in re.findall(r"^pythia_search_seconds_sum\S* (\S+)", text, re.M))


@contextmanager
def victim() -> Iterator[Victim]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (
        tempfile.TemporaryDirectory() as folder,
        started(
            "-c",
            SERVE,
            "serve",
            "--port",
            "0",
            PYTHIA_STORE=f"sqlite:{folder}/matches.sqlite",
            PYTHIA_TOKENS=TOKENS,
            PYTHIA_METRICS_PORT=str(port),
        ) as (address, process),
    ):
        yield Victim(address, process, f"http://127.0.0.1:{port}/metrics")


def bearer(token: str) -> tuple[tuple[str, str]]:
    return (("authorization", f"Bearer {token}"),)


# -- requests that do not end


async def upload(
    address: str, connections: int, streams: int, path: str, token: str
) -> list[Http2Connection]:
    """Messages of 1 MiB less the last byte, as far as the server takes them."""
    data = b"\0" + MEGABYTE.to_bytes(4, "big") + b"x" * (MEGABYTE - 1)
    metadata = bearer(token) if token else ()
    opened = []
    for _ in range(connections):
        with suppress(OSError):
            opened.append(await Http2Connection.open(address))
    sends = [
        asyncio.ensure_future(connection.send(connection.start(path, metadata), data, 2.0))
        for connection in opened
        for _ in range(streams)
    ]
    await asyncio.wait(sends, timeout=2 * SECONDS)
    return opened


def uploads() -> Iterator[str]:
    advice, health = "/pythia.v1.AdvisorService/SuggestMove", "/grpc.health.v1.Health/Check"
    for what, connections, streams, path, token in (
        ("without a token", 1, 990, advice, ""),
        ("to health, which needs none", 1, 990, health, ""),
        ("with a token", 1, 100, advice, OTHER),
        ("to health, 50 connections", 50, 100, health, ""),
    ):
        with victim() as server:
            before = resident(server.process)

            async def attack(
                server: Victim = server,
                connections: int = connections,
                streams: int = streams,
                path: str = path,
                token: str = token,
            ) -> tuple[float, float]:
                opened = await upload(server.address, connections, streams, path, token)
                held = resident(server.process)
                for connection in opened:
                    await connection.close()
                return held, sum(connection.sent for connection in opened) / MEGABYTE

            held, sent = LOOP.run(attack())
            yield (
                f"{connections * streams} unfinished requests {what}: "
                f"server {before:.0f} MB before, {held:.0f} MB with {sent:.1f} MiB sent"
            )


# -- searches


async def ordinary_calls(server: Victim, seconds: float) -> Counter[str]:
    """One after the other, as somebody does who plays."""
    codes: Counter[str] = Counter()
    async with server.channel() as channel:
        stub = advisor_pb2_grpc.AdvisorServiceStub(channel)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                await stub.SuggestMove(suggestion(ORDINARY), metadata=bearer(OTHER), timeout=PATIENCE)
                codes["OK"] += 1
            except grpc.aio.AioRpcError as error:
                codes[error.code().name] += 1
                await asyncio.sleep(0.1)
    return codes


def words(codes: Counter[str]) -> str:
    return f"{codes['OK']} of {codes.total()} ({', '.join(f'{code} {n}' for code, n in codes.most_common())})"


def batches() -> Iterator[str]:
    """40 batches of low priority of one token beside the calls of another."""

    async def attack(server: Victim) -> Counter[str]:
        items = [advisor_pb2.BatchItem(observation=observation()) for _ in range(100)]
        request = advisor_pb2.AnalyzeBatchRequest(items=items, options=suggestion(1.0).options)
        async with server.channel() as channel:
            stub = advisor_pb2_grpc.AdvisorServiceStub(channel)
            calls = [stub.AnalyzeBatch(request, metadata=bearer(GREEDY)) for _ in range(40)]
            await asyncio.sleep(1.0)
            codes = await ordinary_calls(server, SECONDS)
            for call in calls:
                call.cancel()
        return codes

    with victim() as server:
        yield f"beside 40 batches of another token, answered: {words(LOOP.run(attack(server)))}"


def urgency() -> Iterator[str]:
    """8 loops of high priority beside the calls of another at normal."""

    async def attack(server: Victim) -> Counter[str]:
        request = suggestion(0.5)
        request.options.priority = search_pb2.PRIORITY_HIGH

        async def loop(stub: advisor_pb2_grpc.AdvisorServiceAsyncStub) -> None:
            while True:
                with suppress(grpc.aio.AioRpcError):
                    await stub.SuggestMove(request, metadata=bearer(GREEDY))

        async with server.channel() as channel:
            loops = [
                asyncio.ensure_future(loop(advisor_pb2_grpc.AdvisorServiceStub(channel))) for _ in range(8)
            ]
            await asyncio.sleep(1.0)
            codes = await ordinary_calls(server, 2 * SECONDS)
            for task in loops:
                task.cancel()
            await asyncio.gather(*loops, return_exceptions=True)
        return codes

    with victim() as server:
        yield f"beside 8 loops of high priority, answered: {words(LOOP.run(attack(server)))}"


async def cancelled(stub: advisor_pb2_grpc.AdvisorServiceAsyncStub) -> None:
    """Calls one after the other that end before their search does."""
    end = time.monotonic() + 2 * SECONDS
    while time.monotonic() < end:
        call = stub.SuggestMove(suggestion(30), metadata=bearer(METERED))
        await asyncio.wait((asyncio.ensure_future(call.code()),), timeout=1.0)
        call.cancel()
        await asyncio.sleep(0.1)


async def at_once(stub: advisor_pb2_grpc.AdvisorServiceAsyncStub) -> None:
    calls = [stub.SuggestMove(suggestion(1), metadata=bearer(METERED)) for _ in range(12)]
    await asyncio.gather(*calls, return_exceptions=True)


def quotas() -> Iterator[str]:
    attacks: tuple[tuple[str, Callable[..., Awaitable[None]]], ...] = (
        ("by cancelled calls in 20 s", cancelled),
        ("by 12 searches at once", at_once),
    )
    for what, attack in attacks:
        with victim() as server:

            async def run(
                server: Victim = server, attack: Callable[..., Awaitable[None]] = attack
            ) -> tuple[float, float]:
                began = time.monotonic()
                async with server.channel() as channel:
                    await attack(advisor_pb2_grpc.AdvisorServiceStub(channel))
                await asyncio.sleep(0.5)
                return await asyncio.to_thread(server.searched), time.monotonic() - began

            used, seconds = LOOP.run(run())
            allowed = 2 + seconds * 2 / 60
            yield f"searched {what}: {used:.2f} s of {allowed:.2f} s that the quota allows"


def deadlines(heeding: bool, clients: int = 200) -> Iterator[str]:
    """Many clients whose deadlines are shorter than the queue; `heeding` ones try again when they were told to."""

    async def client(
        number: int, stub: advisor_pb2_grpc.AdvisorServiceAsyncStub, codes: Counter[str]
    ) -> None:
        chance = random.Random(number)
        request = suggestion(1.0)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                await stub.SuggestMove(request, metadata=bearer(OTHER), timeout=chance.uniform(0.1, 0.5))
                codes["OK"] += 1
            except grpc.aio.AioRpcError as error:
                codes[error.code().name] += 1
                await asyncio.sleep((heeding and retry_after(error)) or chance.uniform(0.1, 0.3))

    async def attack(server: Victim) -> Counter[str]:
        codes: Counter[str] = Counter()
        channels = [server.channel() for _ in range(8)]
        stubs = [advisor_pb2_grpc.AdvisorServiceStub(channel) for channel in channels]
        await asyncio.gather(*(client(number, stubs[number % 8], codes) for number in range(clients)))
        for channel in channels:
            await channel.close()
        return codes

    with victim() as server:
        codes = LOOP.run(attack(server))
        yield (
            f"{clients} clients with deadlines of 0.1 to 0.5 s, {'' if heeding else 'not '}heeding the hint when to "
            f"try again, {SECONDS:g} s: answered {codes['OK']}, "
            f"refused {codes['RESOURCE_EXHAUSTED']}, missed {codes['DEADLINE_EXCEEDED']}, of {codes.total()}"
        )


def retry_after(error: grpc.aio.AioRpcError) -> float | None:
    """The seconds after which the server wants to be asked again."""
    details = dict(error.trailing_metadata() or ()).get(DETAILS, b"")
    return error_of(error.code(), error.details() or "", details).retry_after


def lines() -> Iterator[str]:
    for attack in (uploads, batches, urgency, quotas):
        yield from attack()
    for heeding in (True, False):
        yield from deadlines(heeding)
