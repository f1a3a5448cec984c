"""What surrounds every call: who calls, metrics, logs, and refusals as gRPC sends them.

Handlers are made from the descriptors of the contract. They read and parse requests themselves: callers without
permission are refused by their metadata, before the message is read, and bytes that are not a message are refused like
any other fault. On the wire a single request is a stream of one message, so all methods are registered with gRPC as
taking streams.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from pythia.service.auth import Authenticator, Caller, Context, Origin
from pythia.service.errors import DETAILS, Refused
from pythia.service.logs import LOG

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
Status = grpc.StatusCode

# Methods whose requests hold many positions or a whole game; all others hold one position at most.
LARGE = frozenset(("AnalyzeBatch", "ImportRecord", "Review"))
# Seconds in which a request has to arrive once its call has begun.
READ_SECONDS = 20.0
# Requests of one client that are received at the same time, each of which may fill the largest size. The others wait
# with what fits into the window of their stream (`LOOKAHEAD` in server.py).
READING = 64
# The same for callers whom nobody knows, by connection; and the largest request they may send.
READING_UNKNOWN = 2
MAX_UNKNOWN_BYTES = 1024


class Call(Origin):
    """One call under way: who makes it, and how long it may take."""

    __slots__ = ("context",)

    def __init__(self, client: Caller, context: Context) -> None:
        remaining = context.time_remaining()
        super().__init__(client, None if remaining is None else time.monotonic() + remaining)
        self.context = context


class Method:
    """A method of the contract on one transport, with its counters."""

    def __init__(
        self,
        descriptor: MethodDescriptor,
        role: str | None,
        max_bytes: int,
        metrics: Metrics,
        transport: str,
    ) -> None:
        service = descriptor.containing_service.full_name
        self.descriptor = descriptor
        self.transport = transport
        self.name = f"/{service}/{descriptor.name}"
        self.role = role
        self.max_bytes = max_bytes
        self.parse: Callable[[bytes], Message] = GetMessageClass(descriptor.input_type).FromString
        kind = {
            (False, False): "unary",
            (False, True): "server_stream",
            (True, False): "client_stream",
            (True, True): "bidi_stream",
        }[(descriptor.client_streaming, descriptor.server_streaming)]
        labels = (kind, service, descriptor.name, transport)
        self.started = metrics.started.labels(*labels)
        self.received = metrics.received.labels(*labels)
        self.sent = metrics.sent.labels(*labels)
        self.handling = metrics.handling.labels(*labels)
        self.handled = {code: metrics.handled.labels(*labels, code.name) for code in Status}


class RequestReader:
    """Receives requests, a few of each client at a time, so that unfinished ones cannot fill the memory."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._places: dict[str, tuple[asyncio.Semaphore, int]] = {}  # by client, with the number of its users

    async def read(self, context: Context, client: str, max_bytes: int) -> bytes:
        async with self.place(client):
            data = await context.read()
        if data is grpc.aio.EOF:
            raise not_a_message("the call has no request")
        return fitting(data, max_bytes)

    @contextlib.asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """For one request, which has to arrive in time."""
        places, users = self._places.get(client) or (asyncio.Semaphore(self._at_once), 0)
        self._places[client] = places, users + 1
        try:
            async with asyncio.timeout(READ_SECONDS), places:
                yield
        except TimeoutError:
            raise Refused(
                Status.DEADLINE_EXCEEDED,
                "REQUEST_SLOW",
                f"the request did not arrive in full within {READ_SECONDS:g} seconds",
            ) from None
        finally:
            places, users = self._places.pop(client)
            if users > 1:
                self._places[client] = places, users - 1


@dataclass(frozen=True)
class Endpoint:
    """A method with what answers it: `handle(None, context)` gives the answer, or a stream of answers."""

    method: Method
    handle: Callable[[Any, Any], Any]


class Middleware:
    """`with`-like care for one call, as two functions because streams and single answers both need it."""

    def __init__(
        self, authenticator: Authenticator, metrics: Metrics, max_request_bytes: int, max_position_bytes: int
    ) -> None:
        self._authenticator = authenticator
        self._metrics = metrics
        self._max_request_bytes = max_request_bytes
        self._max_position_bytes = min(max_position_bytes, max_request_bytes)
        self._reading = RequestReader(READING)
        self._running = 0
        self._closing = False
        self._idle = asyncio.Event()

    async def close(self, seconds: float) -> None:
        """Take no further calls, and wait until those under way have ended, at most so long."""
        self._closing = True
        if self._running:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._idle.wait(), seconds)

    def endpoints(
        self, service: ServiceDescriptor, servicer: object, role: str | None, transport: str
    ) -> Iterator[Endpoint]:
        """All methods of a service, as one transport offers them."""
        for name, descriptor in service.methods_by_name.items():
            most = self._max_request_bytes if name in LARGE else self._max_position_bytes
            method = Method(descriptor, role, most, self._metrics, transport)
            function = getattr(servicer, name)
            yield Endpoint(
                method,
                self._stream(method, function, descriptor.client_streaming)
                if descriptor.server_streaming
                else self._unary(method, function),
            )

    def handler(
        self, service: ServiceDescriptor, servicer: object, role: str | None
    ) -> grpc.GenericRpcHandler:
        """All methods of a service, for `server.add_generic_rpc_handlers`."""
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        for endpoint in self.endpoints(service, servicer, role, "grpc"):
            descriptor = endpoint.method.descriptor
            make = (
                grpc.stream_stream_rpc_method_handler
                if descriptor.server_streaming
                else grpc.stream_unary_rpc_method_handler
            )
            handlers[descriptor.name] = make(endpoint.handle, None, serialized)
        return grpc.method_handlers_generic_handler(service.full_name, handlers)

    async def admit(self, method: Method, context: Context) -> Caller:
        """Who calls, for transports that read requests before they hand them over; refuses as the call itself would."""
        try:
            return self._welcome(method, context)
        except Refused as error:
            await self.refuse(method, context, error)
            raise

    async def refuse(self, method: Method, context: Context, error: Exception) -> None:
        """Count, log and abort a call that did not get as far as its handler."""
        method.started.inc()
        self._running += 1
        await self._failed(method, context, None, time.perf_counter(), error)

    def place(self, client: Caller) -> contextlib.AbstractAsyncContextManager[None]:
        """For a request that is received; few of each client are at the same time."""
        return self._reading.place(client.name)

    def _unary(self, method: Method, function: Any) -> Any:
        async def handle(_: Any, context: Context) -> Any:
            began = time.perf_counter()
            method.started.inc()
            self._running += 1
            client = None
            try:
                client = self._welcome(method, context)
                request = await self._request(method, context, client)
                response = await function(request, Call(client, context))
            except BaseException as error:
                await self._failed(method, context, client, began, error)
                raise
            method.sent.inc()
            self._ended(method, context, client, began, Status.OK, "")
            return response

        return handle

    def _stream(self, method: Method, function: Any, client_streaming: bool) -> Any:
        async def handle(_: Any, context: Context) -> AsyncIterator[Any]:
            began = time.perf_counter()
            method.started.inc()
            self._running += 1
            client = None
            try:
                client = self._welcome(method, context)
                request: Any = (
                    self._requests(method, context)
                    if client_streaming
                    else await self._request(method, context, client)
                )
                async for response in function(request, Call(client, context)):
                    method.sent.inc()
                    yield response
            except BaseException as error:
                await self._failed(method, context, client, began, error)
                raise
            self._ended(method, context, client, began, Status.OK, "")

        return handle

    async def _request(self, method: Method, context: Context, client: Caller) -> Message:
        data = await self._reading.read(context, client.name, method.max_bytes)
        method.received.inc()
        return parsed(method, data)

    async def _requests(self, method: Method, context: Context) -> AsyncIterator[Message]:
        """The messages of a conversation, which may come at any time."""
        while (data := await context.read()) is not grpc.aio.EOF:
            method.received.inc()
            yield parsed(method, fitting(data, method.max_bytes))

    def _welcome(self, method: Method, context: Context) -> Caller:
        if self._closing:
            raise Refused(
                Status.UNAVAILABLE, "STOPPING", "the server is stopping; try again", retry_seconds=1.0
            )
        client = self._authenticator.client_of(context)
        if method.role is not None:
            client.need(method.role)
        return client

    async def _failed(
        self, method: Method, context: Context, client: Caller | None, began: float, error: BaseException
    ) -> None:
        """Count and log the failure, and abort the call with what the caller may know about it."""
        if isinstance(error, (asyncio.CancelledError, GeneratorExit)):
            remaining = context.time_remaining()
            late = remaining is not None and remaining <= 0
            code = Status.DEADLINE_EXCEEDED if late else Status.CANCELLED
            self._ended(method, context, client, began, code, "")
            return
        request_id = request_id_of(context)
        if not isinstance(error, Refused):
            LOG.error(
                "a call failed",
                exc_info=error,
                extra={"fields": {"request_id": request_id, "method": method.name}},
            )
            error = Refused(
                Status.INTERNAL, "INTERNAL", f"the server failed; find request {request_id} in its log"
            )
        self._ended(method, context, client, began, error.code, request_id)
        details = error.status(request_id).SerializeToString()
        await context.abort(error.code, str(error), ((DETAILS, details),))

    def _ended(
        self,
        method: Method,
        context: Context,
        client: Caller | None,
        began: float,
        code: Status,
        request_id: str,
    ) -> None:
        self._running -= 1
        if self._closing and not self._running:
            self._idle.set()
        seconds = time.perf_counter() - began
        method.handling.observe(seconds)
        method.handled[code].inc()
        if LOG.isEnabledFor(logging.INFO):
            fields = {
                "request_id": request_id or request_id_of(context),
                "method": method.name,
                "transport": method.transport,
                "code": code.name,
                "seconds": round(seconds, 6),
                "client": client.name if client is not None else "",
            }
            LOG.info("call", extra={"fields": fields})


def serialized(response: Message | bytes) -> bytes:
    """Answers that are kept ready are bytes already."""
    return response if isinstance(response, bytes) else response.SerializeToString()


def parsed(method: Method, data: bytes) -> Message:
    try:
        return method.parse(data)
    except DecodeError:
        raise not_a_message("the request is not a message of this method") from None


def not_a_message(words: str) -> Refused:
    return Refused(Status.INVALID_ARGUMENT, "NOT_A_MESSAGE", words)


def fitting(data: bytes, most: int) -> bytes:
    if len(data) > most:
        raise Refused(
            Status.RESOURCE_EXHAUSTED,
            "REQUEST_TOO_LARGE",
            f"the request has {len(data)} bytes; allowed: {most} for this method",
        )
    return data


def request_id_of(context: Context) -> str:
    """The caller's own id from the metadata `x-request-id`, or a new one."""
    for key, value in context.invocation_metadata() or ():
        if key == "x-request-id" and isinstance(value, str) and REQUEST_ID.fullmatch(value):
            return value
    return os.urandom(8).hex()


class Outside(grpc.GenericRpcHandler):
    """Services that are not of the contract, behind guards of their own.

    It stands in for the server when they are added. Those in `open_to_all` answer everybody: their requests are small,
    and few are received at a time from one connection. For the others a caller has to be known, as everywhere.
    """

    def __init__(self, authenticator: Authenticator, open_to_all: str) -> None:
        self._authenticator = authenticator
        self._open_to_all = open_to_all
        self._reading = RequestReader(READING_UNKNOWN)
        self._methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        return self._methods.get(details.method)

    def add_generic_rpc_handlers(self, handlers: object) -> None:
        """The same come by name, below."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        guarded = self._small if service == self._open_to_all else self._known
        self._methods |= {f"/{service}/{name}": guarded(handler) for name, handler in handlers.items()}

    def add_alias(self, alias: str, service: str) -> None:
        """The same service under another name, with its guard."""
        same = {path: handler for path, handler in self._methods.items() if path.startswith(f"/{service}/")}
        self._methods |= {f"/{alias}/{path.rpartition('/')[2]}": handler for path, handler in same.items()}

    def _small(self, handler: Any) -> grpc.RpcMethodHandler[Any, Any]:
        function = handler.unary_stream if handler.response_streaming else handler.unary_unary

        async def answer(_: Any, context: Context) -> Any:
            try:
                data = await self._reading.read(context, context.peer(), MAX_UNKNOWN_BYTES)
                request = handler.request_deserializer(data)
            except DecodeError:
                await context.abort(Status.INVALID_ARGUMENT, "the request is not a message of this method")
            except Refused as refused:
                await context.abort(refused.code, str(refused))
            return await function(request, context)

        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.response_streaming
            else grpc.stream_unary_rpc_method_handler
        )
        return make(answer, None, handler.response_serializer)

    def _known(self, handler: Any) -> grpc.RpcMethodHandler[Any, Any]:
        async def answer(requests: Any, context: Context) -> AsyncIterator[Any]:
            try:
                self._authenticator.client_of(context)
            except Refused as refused:
                await context.abort(refused.code, str(refused))
            async for response in handler.stream_stream(requests, context):
                yield response

        return grpc.stream_stream_rpc_method_handler(
            answer, handler.request_deserializer, handler.response_serializer
        )
