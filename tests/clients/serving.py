"""A real server in a thread of its own, so that tests with and without an event loop can call it; and one way to write
a test for all clients."""

import asyncio
import socket
import threading
from concurrent.futures import Future
from contextlib import contextmanager
from inspect import isawaitable

from pythia.clients import AsyncClient
from pythia.service.server import Server


@contextmanager
def served(**settings):
    """A server, on a free port of loopback unless `port` says which."""
    settings = {"port": 0, "store": "memory:", "metrics": False, "grace_seconds": 1} | settings
    started = Future()

    async def live():
        end = asyncio.Event()
        try:
            async with Server(**settings) as server:
                started.set_result((server, asyncio.get_running_loop(), end))
                await end.wait()
        except BaseException as error:
            started.set_exception(error)

    thread = threading.Thread(target=asyncio.run, args=(live(),))
    thread.start()
    server, loop, end = started.result()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()


def free_port():
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Blocking:
    """An `AsyncClient` that is called as a `Client` is: every await is run to its end, on one event loop."""

    def __init__(self, make):
        self._runner = asyncio.Runner()
        self._client = make()

    def __getattr__(self, name):
        method = getattr(self._client, name)
        return lambda *arguments, **values: self.wrapped(method(*arguments, **values))

    def wrapped(self, answer):
        if isawaitable(answer):
            return self.run(answer)
        return BlockingStream(self, answer) if hasattr(answer, "__anext__") else answer

    def run(self, awaitable):
        async def go():
            return await awaitable

        return self._runner.run(go())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run(self._client.close())
        self._runner.close()


class BlockingStream:
    def __init__(self, client, stream):
        self._client = client
        self._stream = stream

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self._client.run(self._stream.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None

    def __getattr__(self, name):  # report and show of a turn
        return getattr(self._stream, name)

    def close(self):
        self._client.run(self._stream.aclose())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def blocking(*arguments, **values):
    return Blocking(lambda: AsyncClient(*arguments, **values))


def blocking_local(**values):
    return Blocking(lambda: AsyncClient.local(**values))
