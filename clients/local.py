"""The way to the service without a server: its handlers, called in this process.

They are the handlers that a server has, with the same checks and the same refusals; only the network is missing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread
from typing import Any, TypeVar

import grpc

from pythia.clients.errors import PythiaError, error_of
from pythia.clients.transport import AsyncPipe, Outbox, Pipe, closed
from pythia.service.backend import Backend
from pythia.service.calls import DETAILS
from pythia.service.config import Config

T = TypeVar("T")
# A grpc.RpcMethodHandler of asyncio, which grpc's types do not know.
Handler = Any

# Answers that wait for a slow reader; a network would hold back some too.
ANSWERS = 64
# Nobody else shares this process, so what a server allows of one search is allowed many times over, and low priority
# has nobody to leave anything to.
FREE = {
    "max_seconds": 86_400.0,
    "max_iterations": 10**12,
    "reserved_workers": 0,
    "matches_per_client": 10**12,
}


class LocalContext:
    """What handlers need of a gRPC context."""

    def __init__(self, timeout: float | None, outbox: Outbox) -> None:
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._outbox = outbox

    async def read(self) -> Any:
        """What the caller says next."""
        data = await self._outbox.get()
        return grpc.aio.EOF if data is None else data

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return ()

    def peer(self) -> str:
        return "local"

    def time_remaining(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    async def abort(
        self, code: grpc.StatusCode, details: str = "", trailing_metadata: tuple[tuple[str, bytes], ...] = ()
    ) -> None:
        raise error_of(code, details, dict(trailing_metadata).get(DETAILS, b""))


class LocalPipe:
    """A call under way, as a task of its own, as in a server: it does not wait for who reads its answers."""

    def __init__(self, handler: Handler, data: bytes, timeout: float | None) -> None:
        self._outbox: Outbox = asyncio.Queue()
        self._outbox.put_nowait(data)
        self._answers: asyncio.Queue[bytes | PythiaError | None] = asyncio.Queue(ANSWERS)
        self._loop = asyncio.get_running_loop()
        self.task = asyncio.create_task(self._run(handler, timeout))
        # Also when the task was cancelled, whoever waits must hear that nothing will come.
        self.task.add_done_callback(lambda _: self._end())

    async def _run(self, handler: Handler, timeout: float | None) -> None:
        last: PythiaError | None = None
        try:
            context = LocalContext(timeout, self._outbox)
            async with asyncio.timeout(timeout), aclosing(self._handle(handler, context)) as answers:
                async for answer in answers:
                    await self._answers.put(handler.response_serializer(answer))
        except TimeoutError:
            last = error_of(grpc.StatusCode.DEADLINE_EXCEEDED, "")
        except PythiaError as refused:
            last = refused
        except Exception as error:  # handlers refuse; whatever else it is, whoever waits must hear of it
            last = error_of(grpc.StatusCode.INTERNAL, f"the service failed: {error!r}")
            last.__cause__ = error
        await self._answers.put(last)

    async def _handle(self, handler: Handler, context: LocalContext) -> AsyncGenerator[Any]:
        if not handler.response_streaming:
            yield await handler.stream_unary(None, context)
            return
        async with aclosing(handler.stream_stream(None, context)) as answers:
            async for answer in answers:
                yield answer

    def _end(self) -> None:
        if self.task.cancelled():
            while not self._answers.empty():
                self._answers.get_nowait()
            self._answers.put_nowait(closed())

    def send(self, data: bytes) -> None:
        self._outbox.put_nowait(data)

    async def receive(self) -> bytes | None:
        answer = await self._answers.get()
        if isinstance(answer, PythiaError):
            raise answer
        return answer

    def close(self) -> None:
        with suppress(RuntimeError):  # the loop has gone, and its tasks with it
            self._loop.call_soon_threadsafe(self.task.cancel)


class LocalTransport:
    """Calls the handlers on the event loop of whoever calls first."""

    def __init__(self, store: str, settings: dict[str, Any]) -> None:
        """`settings` are those of a server, as far as they concern one without a network."""
        self._backend = Backend(Config(store=store, **FREE | settings).checked())
        self._opening: asyncio.Task[None] | None = None
        self._calls: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        if self._opening is None:
            self._opening = asyncio.create_task(self._backend.open())
        await asyncio.shield(self._opening)

    async def stream(self, path: str, data: bytes, timeout: float | None, talk: bool) -> AsyncPipe:
        return await self._call(path, data, timeout)

    async def _call(self, path: str, data: bytes, timeout: float | None) -> LocalPipe:
        await self.open()
        most = self._backend.config.max_request_bytes
        if len(data) > most:
            words = f"message larger than max ({len(data)} vs. {most})"
            raise error_of(grpc.StatusCode.RESOURCE_EXHAUSTED, words)
        details = Details(path)
        handler = next(filter(None, (service.service(details) for service in self._backend.handlers)))
        pipe = LocalPipe(handler, data, timeout)
        self._calls.add(pipe.task)
        pipe.task.add_done_callback(self._calls.discard)
        return pipe

    async def unary(self, path: str, data: bytes, timeout: float | None) -> bytes:
        pipe = await self._call(path, data, timeout)
        try:
            answer = await pipe.receive()
        finally:
            pipe.close()
        assert answer is not None
        return answer

    async def close(self) -> None:
        if self._opening is None:
            return
        await asyncio.wait((self._opening,))
        if self._opening.exception():
            return  # whoever wanted to open it was told
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        # In a thread, so that the searches of these calls hear that they have been cancelled.
        await asyncio.to_thread(self._backend.close)


@dataclass
class Details:
    """What gRPC tells its handlers to find a method."""

    method: str
    invocation_metadata: tuple[tuple[str, str | bytes], ...] = ()


class ThreadedTransport:
    """A local transport for those without an event loop: it has one of its own, in a thread."""

    def __init__(self, inner: LocalTransport) -> None:
        self._inner = inner
        self._started = Event()
        self._thread = Thread(target=asyncio.run, args=(self._live(),), name="pythia-local", daemon=True)
        self._thread.start()
        self._started.wait()
        try:
            self.run(inner.open())
        except BaseException:
            self._stop()
            raise

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        self._started.set()
        await self._ending.wait()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What it gives, from another thread; an interrupt of this one cancels it."""
        if self._loop.is_closed():
            work.close()
            raise closed()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise closed() from None
        except BaseException:
            future.cancel()
            raise

    def unary(self, path: str, data: bytes, timeout: float | None) -> bytes:
        return self.run(self._inner.unary(path, data, timeout))

    def stream(self, path: str, data: bytes, timeout: float | None, talk: bool) -> Pipe:
        return ThreadedPipe(self, self.run(self._inner.stream(path, data, timeout, talk)))

    def call(self, function: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(function)

    def close(self) -> None:
        self.run(self._inner.close())
        self._stop()

    def _stop(self) -> None:
        self.call(self._ending.set)
        self._thread.join()


class ThreadedPipe:
    def __init__(self, transport: ThreadedTransport, pipe: AsyncPipe) -> None:
        self._transport = transport
        self._pipe = pipe

    def send(self, data: bytes) -> None:
        self._transport.call(partial(self._pipe.send, data))

    def receive(self) -> bytes | None:
        return self._transport.run(self._pipe.receive())

    def close(self) -> None:
        self._pipe.close()
