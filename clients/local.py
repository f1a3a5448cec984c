"""The way to the service without a server: its Python API, called in this process.

Checks and refusals are those of a server; the network, its messages and its guards are missing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import aclosing, contextmanager, suppress
from functools import partial
from threading import Event, Lock, Thread
from typing import Any, Generic, TypeVar

import grpc

from pythia.clients.calls import Ask, Said, Talk
from pythia.clients.errors import PythiaError, error_of, from_refusal
from pythia.clients.transport import AsyncPipe, Pipe, closed
from pythia.service.local import LOCAL_CALLER, LocalService, News, Origin, local_config
from pythia.service.wire import Refused

T = TypeVar("T")

# Answers that wait for a slow reader; a network would hold back some too.
ANSWERS = 64


@contextmanager
def as_client_errors() -> Any:
    """Whatever fails is raised as the error of a client, as if a server had answered."""
    try:
        yield
    except PythiaError:
        raise
    except Refused as refused:
        raise from_refusal(refused) from None
    except TimeoutError:
        raise error_of(grpc.StatusCode.DEADLINE_EXCEEDED, "") from None
    except Exception as error:
        raise error_of(grpc.StatusCode.INTERNAL, f"the service failed: {error!r}") from error


def origin_of(timeout: float | None) -> Origin:
    return Origin(LOCAL_CALLER, None if timeout is None else time.monotonic() + timeout)


class LocalPipe(Generic[T]):
    """A call under way, as a task of its own, as in a server: it does not wait for who reads its answers."""

    def __init__(self, service: LocalService, call: Ask[T], timeout: float | None) -> None:
        self._outbox: asyncio.Queue[News] = asyncio.Queue()
        self._answers: asyncio.Queue[T | PythiaError | None] = asyncio.Queue(ANSWERS)
        self._loop = asyncio.get_running_loop()
        origin = origin_of(timeout)
        items: AsyncGenerator[T] = (
            call.local(service, origin, self._said())
            if isinstance(call, Talk)
            else call.local(service, origin)
        )
        self.task = asyncio.create_task(self._run(items, timeout))
        # Also when the task was cancelled: those who wait must learn that nothing will come.
        self.task.add_done_callback(lambda _: self._end())

    async def _said(self) -> AsyncIterator[News]:
        while True:
            yield await self._outbox.get()

    async def _run(self, items: AsyncGenerator[T], timeout: float | None) -> None:
        last: PythiaError | None = None
        try:
            with as_client_errors():
                async with asyncio.timeout(timeout), aclosing(items):
                    async for item in items:
                        await self._answers.put(item)
        except PythiaError as error:
            last = error
        await self._answers.put(last)

    def _end(self) -> None:
        if self.task.cancelled():
            while not self._answers.empty():
                self._answers.get_nowait()
            self._answers.put_nowait(closed())

    def send(self, said: Said) -> None:
        self._outbox.put_nowait(said.plain)

    async def receive(self) -> T | None:
        answer = await self._answers.get()
        if isinstance(answer, PythiaError):
            raise answer
        return answer

    def close(self) -> None:
        with suppress(RuntimeError):  # the loop has gone, and its tasks with it
            self._loop.call_soon_threadsafe(self.task.cancel)


class LocalTransport:
    """Calls the service on the event loop of the first caller."""

    def __init__(self, store: str, settings: dict[str, Any]) -> None:
        """`settings` are those of a server, as far as they concern one without a network."""
        self.service = LocalService(local_config(store, settings))
        self._calls: set[asyncio.Task[Any]] = set()

    async def stream(self, call: Ask[T], timeout: float | None) -> AsyncPipe[T]:
        pipe = LocalPipe(self.service, call, timeout)
        self._keep(pipe.task)
        return pipe

    async def ask(self, call: Ask[T], timeout: float | None) -> T:
        # As a task, so that closing the client ends it.
        task = asyncio.ensure_future(self._ask(call, timeout))
        self._keep(task)
        try:
            return await task
        except asyncio.CancelledError:
            this = asyncio.current_task()
            if this is not None and this.cancelling():
                task.cancel()
                raise
            raise closed() from None

    async def _ask(self, call: Ask[T], timeout: float | None) -> T:
        with as_client_errors():
            async with asyncio.timeout(timeout):
                answer: T = await call.local(self.service, origin_of(timeout))
                return answer

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def close(self) -> None:
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await self.service.stop()
        # In a thread, so that the searches of these calls hear that they have been cancelled.
        await asyncio.to_thread(self.service.close)


class ThreadedTransport:
    """A local transport for those without an event loop.

    What needs none is called in the thread of the caller; for streams and matches there is a loop in a thread of its
    own, once one of them is asked for.
    """

    def __init__(self, inner: LocalTransport) -> None:
        self._inner = inner
        self._lock = Lock()
        self._thread: Thread | None = None
        self._is_closed = False

    def ask(self, call: Ask[T], timeout: float | None) -> T:
        if not call.is_direct:
            return self.run(self._inner.ask(call, timeout))
        with as_client_errors():
            answer: T = finished(call.local(self._inner.service.direct, origin_of(timeout)))
            return answer

    def stream(self, call: Ask[T], timeout: float | None) -> Pipe[T]:
        return ThreadedPipe(self, self.run(self._inner.stream(call, timeout)))

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                started = Event()
                self._thread = Thread(
                    target=asyncio.run, args=(self._live(started),), name="pythia-local", daemon=True
                )
                self._thread.start()
                started.wait()

    async def _live(self, started: Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        started.set()
        await self._ending.wait()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What it gives, from another thread; an interrupt of this one cancels it."""
        if self._is_closed:
            work.close()
            raise closed()
        self._start()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise closed() from None
        except BaseException:
            future.cancel()
            raise

    def call(self, function: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(function)

    def close(self) -> None:
        if self._thread is None:
            self._inner.service.close()
        else:
            self.run(self._inner.close())
            self.call(self._ending.set)
            self._thread.join()
        self._is_closed = True


def finished(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives that never waits for an event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        answer: T = done.value
        return answer
    work.close()
    raise RuntimeError("the call waits for an event loop")


class ThreadedPipe(Generic[T]):
    def __init__(self, transport: ThreadedTransport, pipe: AsyncPipe[T]) -> None:
        self._transport = transport
        self._pipe = pipe

    def send(self, said: Said) -> None:
        self._transport.call(partial(self._pipe.send, said))

    def receive(self) -> T | None:
        return self._transport.run(self._pipe.receive())

    def close(self) -> None:
        self._pipe.close()
