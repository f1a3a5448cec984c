"""What HTTP costs beside gRPC: calls for each second that the server's process computes; and many streams of WatchMany.

Clients differ in cost, and on a machine with few processors they take them from the server. So the figures are calls by
processor time of the server alone, which is the same whoever calls.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format

from pythia.service.wire import position_message
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2, match_pb2_grpc, search_pb2
from tools.bench import measure
from tools.bench.service import SERVE, Figure, real_server, resident, started

CALLERS = 8
SECONDS = 1.0
ROUNDS = 5
TICKS = os.sysconf("SC_CLK_TCK")
# Streams of WatchMany, the connections they share, and what each follows: matches of bots that the server plays.
SUBSCRIPTIONS, CONNECTIONS, FOLLOWED = 500, 10, 20
WATCH_SECONDS, PACE = 20.0, 0.5

Caller = Callable[[], Awaitable[Any]]


def processor_seconds(pid: int) -> float:
    """That the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def rate(pid: int, callers: list[Caller]) -> float:
    end = time.perf_counter() + SECONDS
    count = 0

    async def repeat(call: Caller) -> None:
        nonlocal count
        while time.perf_counter() < end:
            await call()
            count += 1

    began = processor_seconds(pid)
    await asyncio.gather(*map(repeat, callers))
    return count / max(processor_seconds(pid) - began, 1 / TICKS)


async def http_caller(
    stack: AsyncExitStack, host: str, port: int, path: str, kind: str, body: bytes
) -> Caller:
    """On a connection of its own, without a library; it is closed with the stack."""
    reader, writer = await asyncio.open_connection(host, port)
    stack.push_async_callback(writer.wait_closed)
    stack.callback(writer.close)
    head = f"POST {path} HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    request = head.encode() + body

    async def call() -> None:
        writer.write(request)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        while (size := int(await reader.readline(), 16)) or not await reader.readline():
            await reader.readexactly(size + 2)

    return call


async def figures(pid: int, grpc_address: str, http_address: str) -> dict[str, tuple[float, float, float]]:
    """For each call the rates of gRPC, of Connect with bytes, and of JSON: medians of runs that take turns."""
    host, _, port = http_address.rpartition(":")
    state = measure.position()
    seen = advisor_pb2.LegalMovesRequest(observation=position_message(state.observation(state.to_act)))
    asked = {
        "/pythia.v1.EngineService/GetServerInfo": engine_pb2.GetServerInfoRequest(),
        "/pythia.v1.AdvisorService/LegalMoves": seen,
    }
    found = {}
    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(grpc_address, [("grpc.id", number)]))
            for number in range(CALLERS)
        ]
        for path, request in asked.items():
            data = request.SerializeToString()
            text = json.dumps(json_format.MessageToDict(request, preserving_proto_field_name=True)).encode()
            kinds: list[list[Caller]] = [[partial(channel.unary_unary(path), data) for channel in channels]]
            for kind, body in (("application/proto", data), ("application/json", text)):
                kinds.append(
                    [await http_caller(stack, host, int(port), path, kind, body) for _ in range(CALLERS)]
                )
            runs = [[await rate(pid, callers) for callers in kinds] for _ in range(ROUNDS)]
            by_kind = [statistics.median(column) for column in zip(*runs, strict=True)]
            found[path.rpartition("/")[2]] = (by_kind[0], by_kind[1], by_kind[2])
    return found


async def subscriptions() -> list[Figure]:
    """Every second stream is read once and no more."""
    with tempfile.TemporaryDirectory() as folder, real_server(folder) as (address, process):
        apart = [("grpc.use_local_subchannel_pool", 1)]
        channels = [grpc.aio.insecure_channel(address, options=apart) for _ in range(CONNECTIONS)]
        stubs: list[Any] = [match_pb2_grpc.MatchServiceStub(channel) for channel in channels]
        seats = [match_pb2.Seat(bot=search_pb2.BotSpec(name="random"))] * 2
        pace = match_pb2.Autoplay(seconds_per_move=PACE)
        create = match_pb2.CreateMatchRequest(game=measure.GAME, seats=seats, autoplay=pace)
        ids = [(await stubs[0].CreateMatch(create)).match.id for _ in range(FOLLOWED)]
        asked = [match_pb2.WatchRequest(match_id=match_id) for match_id in ids]
        request = match_pb2.WatchManyRequest(matches=asked, observations=True)
        before = resident(process)
        heard = 0

        async def read(stream: Any) -> None:
            nonlocal heard
            while await stream.read() is not grpc.aio.EOF:
                heard += 1

        # Some at a time: gRPC cancels calls when too many begin at once.
        streams: list[Any] = []
        while len(streams) < SUBSCRIPTIONS:
            some = [stub.WatchMany(request) for stub in stubs]
            await asyncio.gather(*(stream.read() for stream in some))
            streams += some
        readers = [asyncio.ensure_future(read(stream)) for stream in streams[::2]]
        sizes, looks = [], []
        ends = time.monotonic() + WATCH_SECONDS
        while time.monotonic() < ends:
            await asyncio.sleep(WATCH_SECONDS / 10)
            began = time.perf_counter()
            await stubs[0].GetMatch(match_pb2.GetMatchRequest(match_id=ids[0]))
            looks.append(time.perf_counter() - began)
            sizes.append(resident(process))
        told = heard / WATCH_SECONDS
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        for channel in channels:
            await channel.close()
    name = f"{SUBSCRIPTIONS} streams of WatchMany, half not read"
    return [
        (f"{name}: opened", sizes[0], "MiB", "", "MiB before", before),
        (f"  after {WATCH_SECONDS:.0f} s", sizes[-1], "MiB", "flat", "MiB when opened", sizes[0]),
        ("  answers to those that read", told, "per second", "", "", None),
        ("  a look at a match meanwhile, median", 1e3 * statistics.median(looks), "ms", "", "", None),
    ]


def rows() -> list[Figure]:
    unit = "calls/CPU s"
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:{folder}/matches.sqlite"
        with started("-c", SERVE, "serve", "--http", "--port", "0", PYTHIA_STORE=store) as (address, process):
            assert process.stdout is not None
            urls = (re.search(r"http://([\w.:]+)", line) for line in process.stdout)
            http = next(url[1] for url in urls if url)
            found = asyncio.run(figures(process.pid, address, http))
    made: list[Figure] = []
    for name, (by_grpc, by_bytes, by_json) in found.items():
        made.append((f"{name} by Connect, bytes", by_bytes, unit, "0.6", "gRPC", by_grpc))
        made.append((f"{name} by Connect, JSON", by_json, unit, "0.5", "Connect, bytes", by_bytes))
    return made + asyncio.run(subscriptions())
