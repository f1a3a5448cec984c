"""What the service costs, each figure beside a bare grpc.aio echo in the same run; and a load test that ends by itself.

`python -m tools.bench service` prints the figures, `python -m tools.bench load` runs 64 clients for 60 seconds. The
server runs in a process of its own, as it does in use.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from pythia.service.server import Server
from pythia.service.wire import position_message
from pythia.v1 import (
    advisor_pb2,
    advisor_pb2_grpc,
    engine_pb2,
    engine_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    position_pb2,
    search_pb2,
)
from tools.bench import measure, overhead

SERVE = "from pythia.clients.cli.main import main; main()"
IN_FLIGHT = 16
SECONDS = 1.0
PAIRS = 7
CALLS = 3000

# What, value, unit, aim, compared with, and that value.
Figure = tuple[str, float, str, str, str, float | None]


# -- servers


class Echo(grpc.GenericRpcHandler):
    """A bare grpc.aio server: the method's name is how many bytes it answers with."""

    def service(self, call: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        answer = b"x" * int(call.method.rpartition("/")[2])

        async def echo(request: bytes, context: Any) -> bytes:
            return answer

        return grpc.unary_unary_rpc_method_handler(echo)


async def serve_echo() -> None:
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((Echo(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"echo on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


@contextlib.contextmanager
def started(*command: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in another process, and its address; ended at the end."""
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
        cwd=Path(__file__).parents[2],
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1], process
    finally:
        process.kill()
        process.communicate()


def echo_server() -> contextlib.AbstractContextManager[tuple[str, subprocess.Popen[str]]]:
    return started("-m", "tools.bench.service")


def real_server(folder: str) -> contextlib.AbstractContextManager[tuple[str, subprocess.Popen[str]]]:
    return started("-c", SERVE, "serve", "--port", "0", PYTHIA_STORE=f"sqlite:{folder}/matches.sqlite")


# -- figures

Work = Callable[[], Awaitable[object]]


async def rate(call: Work) -> float:
    """Calls per second with several in flight."""
    end = time.perf_counter() + SECONDS
    count = 0

    async def client() -> None:
        nonlocal count
        while time.perf_counter() < end:
            await call()
            count += 1

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(IN_FLIGHT)))
    return count / (time.perf_counter() - began)


async def against_echo(ours: Work, echo: Work) -> tuple[float, float]:
    """Both rates, of the pair of runs with the median ratio; the two take turns."""
    pairs = [(await rate(ours), await rate(echo)) for _ in range(PAIRS)]
    return sorted(pairs, key=lambda pair: pair[0] / pair[1])[PAIRS // 2]


async def latencies(call: Work, times: int) -> list[float]:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        await call()
        found.append(time.perf_counter() - began)
    return found


def p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


def person_and_bot() -> match_pb2.CreateMatchRequest:
    bot = search_pb2.BotSpec(name="greedy")
    return match_pb2.CreateMatchRequest(
        game=measure.GAME,
        seats=[match_pb2.Seat(), match_pb2.Seat(bot=bot)],
        seed=measure.SEED,
        reproducible=True,
    )


def observation() -> position_pb2.Position:
    state = measure.position()
    return position_message(state.observation(state.to_act))


def suggestion(seconds: float) -> advisor_pb2.SuggestMoveRequest:
    limit = search_pb2.Limit(seconds=seconds)
    options = search_pb2.SearchOptions(bot=search_pb2.BotSpec(name="ismcts", limit=limit))
    return advisor_pb2.SuggestMoveRequest(observation=observation(), options=options)


async def until_wide(stub: Any, made: match_pb2.CreateMatchResponse) -> match_pb2.ListLegalMovesRequest:
    """The request for the moves of a stored match at a decision with many."""
    match, token = made.match, made.seat_tokens[0]
    request = match_pb2.ListLegalMovesRequest(match_id=match.id, token=token)
    while True:
        if match.to_act == 0:
            moves = (await stub.ListLegalMoves(request)).moves
            if len(moves) >= 100:
                return request
            submit = match_pb2.SubmitMoveRequest(match_id=match.id, token=token, move=moves[-1].text)
            match = (await stub.SubmitMove(submit)).match
        else:
            turn = match_pb2.PlayBotTurnRequest(match_id=match.id, token=token)
            match = (await stub.PlayBotTurn(turn)).match


async def figures(address: str, echo_address: str) -> AsyncIterator[Figure]:
    async with (
        grpc.aio.insecure_channel(address) as channel,
        grpc.aio.insecure_channel(echo_address) as other,
    ):
        engine = engine_pb2_grpc.EngineServiceStub(channel)
        advisor = advisor_pb2_grpc.AdvisorServiceStub(channel)
        matches = match_pb2_grpc.MatchServiceStub(channel)
        health = health_pb2_grpc.HealthStub(channel)

        def echo(request: Any, answer: Any) -> Work:
            data = request.SerializeToString()
            method = other.unary_unary(f"/echo/{len(answer.SerializeToString())}")
            return lambda: method(data)

        info = engine_pb2.GetServerInfoRequest()
        ours, theirs = await against_echo(
            lambda: engine.GetServerInfo(info), echo(info, await engine.GetServerInfo(info))
        )
        yield "GetServerInfo", ours, "calls/s", "0.7", "bare echo, same size", theirs

        request = await until_wide(matches, await matches.CreateMatch(person_and_bot()))
        answer = await matches.ListLegalMoves(request)
        # Parsing an answer is the client's work, so the bytes are enough.
        raw = channel.unary_unary("/pythia.v1.MatchService/ListLegalMoves")
        data = request.SerializeToString()
        ours, theirs = await against_echo(lambda: raw(data), echo(request, answer))
        yield (
            f"legal moves of a match, {len(answer.moves)}",
            ours,
            "calls/s",
            "0.25",
            "bare echo, same size",
            theirs,
        )

        suggest = suggestion(0.1)
        taken = await latencies(lambda: advisor.SuggestMove(suggest, timeout=10), 30)
        added = (statistics.median(taken) - 0.1) * 1e3
        yield "SuggestMove with 100 ms: added, median", added, "ms", "at most 10", "", None

        check = health_pb2.HealthCheckRequest()
        idle = p99(await latencies(lambda: health.Check(check), CALLS))
        searches = [advisor.SuggestMove(suggestion(30)) for _ in range(2)]
        await asyncio.sleep(0.5)
        busy = p99(await latencies(lambda: health.Check(check), CALLS))
        for search in searches:
            search.cancel()
        yield "health check beside two searches, p99", busy * 1e3, "ms", "at most 2.5", "idle", idle * 1e3


async def cancel_seconds() -> list[float]:
    """From cancelling a call to the end of its search, with the server in this process."""
    found = []
    async with (
        Server(port=0, store="memory:", metrics=False) as server,
        grpc.aio.insecure_channel(server.address) as channel,
    ):
        stub = advisor_pb2_grpc.AdvisorServiceStub(channel)

        def running() -> bool:
            return bool(server.metrics.registry.get_sample_value("pythia_searches_running"))

        for _ in range(20):
            call = stub.SuggestMove(suggestion(30))
            while not running():
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.05)
            began = time.perf_counter()
            call.cancel()
            while running():
                await asyncio.sleep(0.0005)
            found.append(time.perf_counter() - began)
    return found


def rows() -> Iterator[Figure]:
    """All figures of the service."""

    async def gather(address: str, echo_address: str) -> list[Figure]:
        return [figure async for figure in figures(address, echo_address)]

    with (
        tempfile.TemporaryDirectory() as folder,
        real_server(folder) as (address, _),
        echo_server() as (echo, _),
    ):
        yield from asyncio.run(gather(address, echo))
        yield from overhead.rows(address)
    waits = asyncio.run(cancel_seconds())
    yield (
        "from a cancelled call to its search's end, median",
        statistics.median(waits) * 1e3,
        "ms",
        "at most 20",
        "",
        None,
    )
    yield "  longest of 20", max(waits) * 1e3, "ms", "", "", None


# -- load


class Load:
    """Clients that call at random and note what they were told."""

    def __init__(self, channel: grpc.aio.Channel, seconds: float) -> None:
        self.engine = engine_pb2_grpc.EngineServiceStub(channel)
        self.advisor = advisor_pb2_grpc.AdvisorServiceStub(channel)
        self.matches = match_pb2_grpc.MatchServiceStub(channel)
        self.end = time.monotonic() + seconds
        self.codes: Counter[tuple[str, str]] = Counter()
        self.acknowledged: dict[str, int] = {}
        self.observation = observation()

    async def client(self, number: int) -> None:
        chance = random.Random(number)
        match: match_pb2.Match | None = None
        token = ""
        while time.monotonic() < self.end:
            what = chance.choices(("info", "play", "suggest", "observe", "analyze"), (3, 6, 2, 2, 1))[0]
            try:
                if what == "info":
                    await self.engine.GetServerInfo(engine_pb2.GetServerInfoRequest(), timeout=5)
                elif what == "suggest":
                    await self.advisor.SuggestMove(suggestion(0.05), timeout=10)
                elif what == "analyze":
                    request = advisor_pb2.AnalyzeRequest(
                        observation=self.observation, options=suggestion(0.1).options, interval_ms=30
                    )
                    async for _ in self.advisor.Analyze(request, timeout=10):
                        pass
                elif match is None or match.status == match_pb2.MATCH_STATUS_OVER:
                    made = await self.matches.CreateMatch(person_and_bot(), timeout=5)
                    match, token = made.match, made.seat_tokens[0]
                    self.acknowledged[match.id] = match.version
                elif what == "observe":
                    await self.matches.Observe(
                        match_pb2.ObserveRequest(match_id=match.id, seat=0, token=token), timeout=5
                    )
                else:
                    match = await self.play(match, token, chance)
                    self.acknowledged[match.id] = match.version
            except grpc.aio.AioRpcError as error:
                self.codes[what, error.code().name] += 1
                if error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED:
                    await asyncio.sleep(0.2)
            else:
                self.codes[what, "OK"] += 1

    async def play(self, match: match_pb2.Match, token: str, chance: random.Random) -> match_pb2.Match:
        if match.to_act != 0:
            turn = match_pb2.PlayBotTurnRequest(match_id=match.id, token=token)
            played: match_pb2.PlayBotTurnResponse = await self.matches.PlayBotTurn(turn, timeout=10)
            return played.match
        request = match_pb2.ListLegalMovesRequest(match_id=match.id, token=token)
        moves = (await self.matches.ListLegalMoves(request, timeout=5)).moves
        move = chance.choice(moves).text
        submit = match_pb2.SubmitMoveRequest(match_id=match.id, token=token, move=move)
        submitted: match_pb2.SubmitMoveResponse = await self.matches.SubmitMove(submit, timeout=5)
        return submitted.match


def resident(process: subprocess.Popen[str]) -> float:
    """Megabytes of memory that the process holds."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


async def run_load(
    address: str, process: subprocess.Popen[str], clients: int, seconds: float
) -> tuple[Load, list[float]]:
    memory = []
    channels = [
        grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(8)
    ]
    loads = [Load(channel, seconds) for channel in channels]
    tasks = [asyncio.ensure_future(loads[number % 8].client(number)) for number in range(clients)]
    while time.monotonic() < loads[0].end:
        await asyncio.sleep(seconds / 12)
        memory.append(resident(process))
    await asyncio.gather(*tasks)
    total = loads[0]
    for load in loads[1:]:
        total.codes += load.codes
        total.acknowledged |= load.acknowledged
    for channel in channels:
        await channel.close()
    return total, memory


def load(clients: int = 64, seconds: float = 60.0) -> Iterator[str]:
    """Many clients at once; then the server is killed, and the store must have all that was acknowledged."""
    with tempfile.TemporaryDirectory() as folder, real_server(folder) as (address, process):
        total, memory = asyncio.run(run_load(address, process, clients, seconds))
        process.kill()
        process.wait()
        with contextlib.closing(sqlite3.connect(f"{folder}/matches.sqlite")) as connection:
            stored = dict(
                connection.execute("SELECT match_id, max(version) FROM events GROUP BY match_id").fetchall()
            )
    calls = sum(total.codes.values())
    yield f"{clients} clients, {seconds:g} s: {calls} calls, {calls / seconds:.0f} per second"
    for (what, code), count in sorted(total.codes.items()):
        yield f"  {what:10}{code:24}{count:8}"
    bad = sum(count for (_, code), count in total.codes.items() if code not in ("OK", "RESOURCE_EXHAUSTED"))
    lost = [key for key, version in total.acknowledged.items() if stored.get(key, 0) < version]
    yield f"errors beside RESOURCE_EXHAUSTED, late answers among them: {bad} (aim: 0)"
    yield f"matches: {len(total.acknowledged)}, with acknowledged moves lost: {len(lost)} (aim: 0)"
    third = len(memory) // 3
    early, late = statistics.mean(memory[third : 2 * third]), statistics.mean(memory[2 * third :])
    yield f"memory of the server: {early:.0f} MB in the second third, {late:.0f} MB in the last (aim: flat)"


if __name__ == "__main__":
    asyncio.run(serve_echo())
