"""What HTTP costs beside gRPC: calls for each second that the server's process computes.

Clients differ in cost, and on a machine with few processors they take them from the server. So the figures are calls by
processor time of the server alone, which is the same whoever calls.
"""

from __future__ import annotations

import asyncio
import json
import os
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
from pythia.v1 import advisor_pb2, engine_pb2
from tools.bench import measure
from tools.bench.service import SERVE, started

CALLERS = 8
SECONDS = 1.0
ROUNDS = 5
TICKS = os.sysconf("SC_CLK_TCK")

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
    return count / (processor_seconds(pid) - began)


async def http_caller(host: str, port: int, path: str, kind: str, body: bytes) -> Caller:
    """On a connection of its own, without a library."""
    reader, writer = await asyncio.open_connection(host, port)
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
                kinds.append([await http_caller(host, int(port), path, kind, body) for _ in range(CALLERS)])
            runs = [[await rate(pid, callers) for callers in kinds] for _ in range(ROUNDS)]
            by_kind = [statistics.median(column) for column in zip(*runs, strict=True)]
            found[path.rpartition("/")[2]] = (by_kind[0], by_kind[1], by_kind[2])
    return found


def rows() -> list[tuple[str, float, str, str, str, float | None]]:
    unit = "calls/CPU s"
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:{folder}/matches.sqlite"
        with started("-c", SERVE, "serve", "--http", "--port", "0", PYTHIA_STORE=store) as (address, process):
            assert process.stdout is not None
            process.stdout.readline()
            http = process.stdout.readline().rpartition("/")[2].strip()
            found = asyncio.run(figures(process.pid, address, http))
    made: list[tuple[str, float, str, str, str, float | None]] = []
    for name, (by_grpc, by_bytes, by_json) in found.items():
        made.append((f"{name} by Connect, bytes", by_bytes, unit, "0.6", "gRPC", by_grpc))
        made.append((f"{name} by Connect, JSON", by_json, unit, "0.5", "Connect, bytes", by_bytes))
    return made
