"""`Client` and `AsyncClient`: the same calls, with and without an event loop, to a server or within this process.

`calls.py` defines the calls; this module has what they share: timeouts, retries, streams.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from pythia.clients import calls
from pythia.clients.calls import Ask, Listen, Observation, Said, Talk
from pythia.clients.errors import NOTHING_DONE, Busy, NotNow, PythiaError, Unreachable
from pythia.clients.local import LocalTransport, ThreadedTransport
from pythia.clients.transport import (
    AioTransport,
    AsyncPipe,
    AsyncTransport,
    GrpcTransport,
    Pipe,
    StrPath,
    Target,
    Transport,
)
from pythia.clients.types import Need, TurnStep
from pythia.service.wire import DEFAULT_PORT

P = ParamSpec("P")
T = TypeVar("T")
Way = TypeVar("Way")
Method = TypeVar("Method", bound=Callable[..., Any])

DEFAULT_ADDRESS = f"127.0.0.1:{DEFAULT_PORT}"
DEFAULT_TIMEOUT = 30.0
DEFAULT_RETRIES = 3
# The pause before a retry doubles each time, up to a limit, and is drawn from its upper half.
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0


class Attempts(Generic[T]):
    """The tries of one call: what is sent, how much time is left, and whether to try again after an error."""

    def __init__(self, call: Ask[T], timeout: float | None, retries: int) -> None:
        if call.timeout is not None:
            timeout = call.timeout
        elif isinstance(call, Listen):
            timeout = None  # it lasts as long as it has something to tell
        elif timeout is not None:
            # No deadline where it is not known how long the thinking takes: it would cut the thinking short.
            timeout = None if math.isinf(call.thinking) else timeout + call.thinking
        self.call = call
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._may_repeat = call.may_repeat
        self._is_fresh = True  # nothing was answered yet
        self._retries = retries
        self._failures = 0

    def left(self) -> float | None:
        """Seconds to the deadline."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def heard(self, item: T) -> None:
        """An answer of a stream: from here on only a call that can be resumed is repeated."""
        self._failures = 0
        self._is_fresh = False
        resume = self.call.resume if isinstance(self.call, Listen) else None
        self._may_repeat = resume is not None
        if resume:
            self.call = resume(item)

    def pause_after(self, error: PythiaError) -> float:
        """How long to wait before the next try; the error itself where there is none."""
        # A busy server that refuses a call has done nothing of it, nor has one that was not reached or is stopping. One
        # that went away may have, and only not said so.
        if isinstance(error, Busy):
            again = error.retry_after is not None and (self._is_fresh or self._may_repeat)
        else:
            was_done = error.reason not in NOTHING_DONE or not self._is_fresh
            again = isinstance(error, Unreachable) and (self._may_repeat or not was_done)
        if not again or self._failures >= self._retries:
            raise error
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**self._failures) * random.uniform(0.5, 1.0)
        pause = max(pause, error.retry_after or 0.0)
        left = self.left()
        if left is not None and pause >= left:
            raise error
        self._failures += 1
        return pause


# -- streams


class _Streaming(Generic[T]):
    """What streams share: the call under way, if there is one, and whether it is over."""

    def __init__(self, attempts: Attempts[T]) -> None:
        self._attempts = attempts
        self._pipe: Any = None
        self._over = False

    def _heard(self, item: T) -> T:
        self._attempts.heard(item)
        return item

    def _pause_after(self, error: PythiaError) -> float:
        self._drop()
        if self._over:
            return 0.0  # closed from elsewhere, which is no error
        try:
            return self._attempts.pause_after(error)
        except PythiaError:
            self._over = True
            raise

    def _take(self, pipe: Any) -> None:
        """The call is under way, unless the stream was closed while it began."""
        self._pipe = pipe
        if self._over:
            self._drop()

    def _drop(self) -> None:
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            pipe.close()

    def _close(self) -> None:
        self._over = True
        self._drop()

    def __del__(self) -> None:
        self._close()


class Stream(_Streaming[T], Iterator[T]):
    """An iterator over the answers of a call. `close`, or leaving its `with` block, ends the call."""

    def __init__(self, transport: Callable[[], Transport], attempts: Attempts[T]) -> None:
        super().__init__(attempts)
        self._transport = transport

    def _open(self) -> Pipe[T]:
        pipe: Pipe[T] | None = self._pipe
        if pipe is None:
            pipe = self._transport().stream(self._attempts.call, self._attempts.left())
            self._take(pipe)
        return pipe

    def __next__(self) -> T:
        while not self._over:
            try:
                item = self._open().receive()
            except PythiaError as error:
                time.sleep(self._pause_after(error))
                continue
            if item is not None:
                return self._heard(item)
            self._close()
        raise StopIteration

    def close(self) -> None:
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()


class AsyncStream(_Streaming[T], AsyncIterator[T]):
    """The same as an asynchronous iterator, with `aclose` and `async with`."""

    def __init__(self, transport: Callable[[], AsyncTransport], attempts: Attempts[T]) -> None:
        super().__init__(attempts)
        self._transport = transport

    async def _open(self) -> AsyncPipe[T]:
        pipe: AsyncPipe[T] | None = self._pipe
        if pipe is None:
            pipe = await self._transport().stream(self._attempts.call, self._attempts.left())
            self._take(pipe)
        return pipe

    async def __anext__(self) -> T:
        while not self._over:
            try:
                item = await (await self._open()).receive()
            except PythiaError as error:
                await asyncio.sleep(self._pause_after(error))
                continue
            if item is not None:
                return self._heard(item)
            self._close()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        self._close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._close()


class _Speaking(_Streaming[TurnStep]):
    """What the caller of a turn says."""

    _need: Need = "nothing"

    def report(self, outcome: str) -> None:
        """Report what dice or cards show, after a step that needs an outcome."""
        self._say(calls.outcome(outcome), "outcome")

    def show(self, observation: Observation) -> None:
        """Send what the bot's seat sees now, after a step that needs an observation or an outcome."""
        self._say(calls.shown(observation), "outcome", "observation")

    def reveal(self, *texts: str) -> None:
        """What the move showed, by texts that the step lists, after one that needs an observation."""
        self._say(calls.revealed(texts), "observation")

    def _say(self, said: Said, *fits: Need) -> None:
        if self._pipe is None or self._need not in fits:
            raise NotNow(
                f"the turn needs {self._need} now; allowed after {' or '.join(fits)}", "FAILED_PRECONDITION"
            )
        self._pipe.send(said)
        self._need = "nothing"

    def _heard(self, item: TurnStep) -> TurnStep:
        self._need = item.need
        return super()._heard(item)

    def _check_told(self) -> None:
        """Both sides would wait for each other."""
        if self._need in ("outcome", "observation"):
            raise NotNow(
                f"the turn needs {self._need} before it can continue; report or show it",
                "FAILED_PRECONDITION",
            )


class Turn(_Speaking, Stream[TurnStep]):
    """A bot's turn, step by step; `report`, `reveal` and `show` send it what it needs."""

    def __next__(self) -> TurnStep:
        self._check_told()
        return super().__next__()


class AsyncTurn(_Speaking, AsyncStream[TurnStep]):
    """A bot's turn, step by step; `report`, `reveal` and `show`, which do not wait, send it what it needs."""

    async def __anext__(self) -> TurnStep:
        self._check_told()
        return await super().__anext__()


# -- methods made of calls


def named(method: Method, build: Callable[..., Any]) -> Method:
    """The method looks like the function that describes the call: its name, words and arguments."""
    wraps(build)(method)
    signature = inspect.signature(build)
    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[this, *signature.parameters.values()], return_annotation=signature.empty
    )
    return method


def asks(build: Callable[P, Ask[T]]) -> Callable[Concatenate[Client, P], T]:
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._ask(build(*args, **kwargs))

    return named(method, build)


def listens(build: Callable[P, Listen[T]]) -> Callable[Concatenate[Client, P], Stream[T]]:
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Stream[T]:
        return Stream(self._open, self._attempts(build(*args, **kwargs)))

    return named(method, build)


def talks(build: Callable[P, Talk[TurnStep]]) -> Callable[Concatenate[Client, P], Turn]:
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Turn:
        return Turn(self._open, self._attempts(build(*args, **kwargs)))

    return named(method, build)


def pages(
    build: Callable[P, Callable[[str], Ask[tuple[list[T], str]]]],
) -> Callable[Concatenate[Client, P], Iterator[T]]:
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        page, token, more = build(*args, **kwargs), "", True
        while more:
            items, token = self._ask(page(token))
            yield from items
            more = bool(token)

    return named(method, build)


def async_asks(build: Callable[P, Ask[T]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._ask(build(*args, **kwargs))

    return named(method, build)


def async_listens(build: Callable[P, Listen[T]]) -> Callable[Concatenate[AsyncClient, P], AsyncStream[T]]:
    def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncStream[T]:
        return AsyncStream(self._open, self._attempts(build(*args, **kwargs)))

    return named(method, build)


def async_talks(build: Callable[P, Talk[TurnStep]]) -> Callable[Concatenate[AsyncClient, P], AsyncTurn]:
    def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncTurn:
        return AsyncTurn(self._open, self._attempts(build(*args, **kwargs)))

    return named(method, build)


def async_pages(
    build: Callable[P, Callable[[str], Ask[tuple[list[T], str]]]],
) -> Callable[Concatenate[AsyncClient, P], AsyncIterator[T]]:
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        page, token, more = build(*args, **kwargs), "", True
        while more:
            items, token = await self._ask(page(token))
            for item in items:
                yield item
            more = bool(token)

    return named(method, build)


# -- the clients


class _Calling(ABC, Generic[Way]):
    """What both clients have: a way to the service, the usual timeout, and how often to try again."""

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        token: str | None = None,
        tls: bool | StrPath = False,
        certificate: tuple[StrPath, StrPath] | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        retries: int = DEFAULT_RETRIES,
    ) -> None:
        self._set_up(self._to_server(Target(address, token, tls, certificate)), timeout, retries)

    @classmethod
    def local(
        cls,
        *,
        store: str = "memory:",
        timeout: float | None = DEFAULT_TIMEOUT,
        retries: int = DEFAULT_RETRIES,
        **settings: Any,
    ) -> Self:
        """A client without a server, for notebooks, tests and small programs. Takes the `settings` of a server."""
        client = cls.__new__(cls)
        client._set_up(cls._in_process(LocalTransport(store, settings)), timeout, retries)
        return client

    @staticmethod
    @abstractmethod
    def _to_server(target: Target) -> Way: ...

    @staticmethod
    @abstractmethod
    def _in_process(transport: LocalTransport) -> Way: ...

    def _set_up(self, transport: Way, timeout: float | None, retries: int) -> None:
        self._transport: Way | None = transport
        self._timeout = timeout
        self._retries = retries

    def _open(self) -> Way:
        if self._transport is None:
            raise RuntimeError("the client is closed")
        return self._transport

    def _attempts(self, call: Ask[T]) -> Attempts[T]:
        return Attempts(call, self._timeout, self._retries)


class Client(_Calling[Transport]):
    """A client of a server, or with `Client.local()` of the service in this process. Thread-safe.

    `token` is your bearer token for the server. `tls` is True to trust the system's certificate authorities, or a file
    with the authority to trust; `certificate` is the client's own (chain, key), if the server requires one. `timeout`
    is the number of seconds that a call may take, in addition to the seconds of its search limit; `retries` is the
    number of times that a call is repeated where that is safe.
    """

    @staticmethod
    def _to_server(target: Target) -> Transport:
        return GrpcTransport(target)

    @staticmethod
    def _in_process(transport: LocalTransport) -> Transport:
        return ThreadedTransport(transport)

    def _ask(self, call: Ask[T]) -> T:
        attempts = self._attempts(call)
        while True:
            try:
                return self._open().ask(call, attempts.left())
            except PythiaError as error:
                time.sleep(attempts.pause_after(error))

    def close(self) -> None:
        """End all calls and close the connection."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    server_info = asks(calls.server_info)
    games = asks(calls.games)
    bots = asks(calls.bots)
    describe = asks(calls.describe)
    legal_moves = asks(calls.legal_moves)
    validate = asks(calls.validate)
    scores = asks(calls.scores)
    render = asks(calls.render)
    describe_moves = asks(calls.describe_moves)
    apply_move = asks(calls.apply_move)
    suggest = asks(calls.suggest)
    analyze = listens(calls.analyze)
    analyze_batch = listens(calls.analyze_batch)
    play_turn = talks(calls.play_turn)
    review = listens(calls.review)
    create_match = asks(calls.create_match)
    match = asks(calls.match)
    matches = pages(calls.matches)
    observe = asks(calls.observe)
    match_moves = asks(calls.match_moves)
    submit_move = asks(calls.submit_move)
    bot_turn = asks(calls.bot_turn)
    stream_bot_turn = listens(calls.stream_bot_turn)
    watch = listens(calls.watch)
    watch_many = listens(calls.watch_many)
    pause_match = asks(calls.pause_match)
    resume_match = asks(calls.resume_match)
    hint = listens(calls.hint)
    review_match = listens(calls.review_match)
    undo = asks(calls.undo)
    resign = asks(calls.resign)
    export_record = asks(calls.export_record)
    import_record = asks(calls.import_record)
    delete_match = asks(calls.delete_match)
    rotate_token = asks(calls.rotate_token)


class AsyncClient(_Calling[AsyncTransport]):
    """Like `Client`, for asyncio: calls are awaited, streams are asynchronous iterators."""

    @staticmethod
    def _to_server(target: Target) -> AsyncTransport:
        return AioTransport(target)

    @staticmethod
    def _in_process(transport: LocalTransport) -> AsyncTransport:
        return transport

    async def _ask(self, call: Ask[T]) -> T:
        attempts = self._attempts(call)
        while True:
            try:
                return await self._open().ask(call, attempts.left())
            except PythiaError as error:
                await asyncio.sleep(attempts.pause_after(error))

    async def close(self) -> None:
        """End all calls and close the connection."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    server_info = async_asks(calls.server_info)
    games = async_asks(calls.games)
    bots = async_asks(calls.bots)
    describe = async_asks(calls.describe)
    legal_moves = async_asks(calls.legal_moves)
    validate = async_asks(calls.validate)
    scores = async_asks(calls.scores)
    render = async_asks(calls.render)
    describe_moves = async_asks(calls.describe_moves)
    apply_move = async_asks(calls.apply_move)
    suggest = async_asks(calls.suggest)
    analyze = async_listens(calls.analyze)
    analyze_batch = async_listens(calls.analyze_batch)
    play_turn = async_talks(calls.play_turn)
    review = async_listens(calls.review)
    create_match = async_asks(calls.create_match)
    match = async_asks(calls.match)
    matches = async_pages(calls.matches)
    observe = async_asks(calls.observe)
    match_moves = async_asks(calls.match_moves)
    submit_move = async_asks(calls.submit_move)
    bot_turn = async_asks(calls.bot_turn)
    stream_bot_turn = async_listens(calls.stream_bot_turn)
    watch = async_listens(calls.watch)
    watch_many = async_listens(calls.watch_many)
    pause_match = async_asks(calls.pause_match)
    resume_match = async_asks(calls.resume_match)
    hint = async_listens(calls.hint)
    review_match = async_listens(calls.review_match)
    undo = async_asks(calls.undo)
    resign = async_asks(calls.resign)
    export_record = async_asks(calls.export_record)
    import_record = async_asks(calls.import_record)
    delete_match = async_asks(calls.delete_match)
    rotate_token = async_asks(calls.rotate_token)
