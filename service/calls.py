"""What surrounds every call: who calls, metrics, logs, and refusals as gRPC sends them.

Handlers are made from the descriptors of the contract. They parse requests themselves, so that bytes which are no
message are a refusal like any other.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from pythia.service.auth import Client, Context, Doorman
from pythia.service.errors import Refused
from pythia.service.logs import LOG
from pythia.service.metrics import Metrics

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
DETAILS = "grpc-status-details-bin"
Status = grpc.StatusCode


class Call:
    """One call under way: who makes it, and how long it may take."""

    __slots__ = ("client", "context", "deadline")

    def __init__(self, client: Client, context: Context) -> None:
        self.client = client
        self.context = context
        remaining = context.time_remaining()
        self.deadline = None if remaining is None else time.monotonic() + remaining


class Method:
    """A method of the contract with its counters."""

    def __init__(self, descriptor: MethodDescriptor, role: str | None, metrics: Metrics) -> None:
        service = descriptor.containing_service.full_name
        self.name = f"/{service}/{descriptor.name}"
        self.role = role
        self.parse: Callable[[bytes], Message] = GetMessageClass(descriptor.input_type).FromString
        kind = {
            (False, False): "unary",
            (False, True): "server_stream",
            (True, False): "client_stream",
            (True, True): "bidi_stream",
        }[(descriptor.client_streaming, descriptor.server_streaming)]
        labels = (kind, service, descriptor.name)
        self.started = metrics.started.labels(*labels)
        self.received = metrics.received.labels(*labels)
        self.sent = metrics.sent.labels(*labels)
        self.handling = metrics.handling.labels(*labels)
        self.handled = {code: metrics.handled.labels(*labels, code.name) for code in Status}


class Surround:
    """`with`-like care for one call, as two functions because streams and single answers both need it."""

    def __init__(self, doorman: Doorman, metrics: Metrics) -> None:
        self._doorman = doorman
        self._metrics = metrics
        self._running = 0
        self._closing = False
        self._idle = asyncio.Event()

    async def close(self, seconds: float) -> None:
        """Take no further calls, and wait until those under way have ended, at most so long."""
        self._closing = True
        if self._running:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._idle.wait(), seconds)

    def handler(
        self, service: ServiceDescriptor, servicer: object, role: str | None
    ) -> grpc.GenericRpcHandler:
        """All methods of a service, for `server.add_generic_rpc_handlers`."""
        handlers = {
            name: self._method_handler(
                Method(descriptor, role, self._metrics), descriptor, getattr(servicer, name)
            )
            for name, descriptor in service.methods_by_name.items()
        }
        return grpc.method_handlers_generic_handler(service.full_name, handlers)

    def _method_handler(
        self, method: Method, descriptor: MethodDescriptor, function: Any
    ) -> grpc.RpcMethodHandler[Any, Any]:
        if descriptor.server_streaming:
            make = (
                grpc.stream_stream_rpc_method_handler
                if descriptor.client_streaming
                else grpc.unary_stream_rpc_method_handler
            )
            return make(self._stream(method, function, descriptor.client_streaming), None, serialized)
        return grpc.unary_unary_rpc_method_handler(self._unary(method, function), None, serialized)

    def _unary(self, method: Method, function: Any) -> Any:
        async def handle(data: bytes, context: Context) -> Any:
            began = time.perf_counter()
            method.started.inc()
            self._running += 1
            method.received.inc()
            client = None
            try:
                client = self._welcome(method, context)
                response = await function(parsed(method, data), Call(client, context))
            except BaseException as error:
                await self._failed(method, context, client, began, error)
                raise
            method.sent.inc()
            self._ended(method, context, client, began, Status.OK, "")
            return response

        return handle

    def _stream(self, method: Method, function: Any, client_streaming: bool) -> Any:
        async def handle(data: Any, context: Context) -> AsyncIterator[Any]:
            began = time.perf_counter()
            method.started.inc()
            self._running += 1
            client = None
            try:
                client = self._welcome(method, context)
                if client_streaming:
                    request: Any = requests(method, data)
                else:
                    method.received.inc()
                    request = parsed(method, data)
                async for response in function(request, Call(client, context)):
                    method.sent.inc()
                    yield response
            except BaseException as error:
                await self._failed(method, context, client, began, error)
                raise
            self._ended(method, context, client, began, Status.OK, "")

        return handle

    def _welcome(self, method: Method, context: Context) -> Client:
        if self._closing:
            raise Refused(Status.UNAVAILABLE, "STOPPING", "the server stops; try again", retry_seconds=1.0)
        client = self._doorman.client_of(context)
        if method.role is not None:
            client.need(method.role)
        return client

    async def _failed(
        self, method: Method, context: Context, client: Client | None, began: float, error: BaseException
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
                Status.INTERNAL, "INTERNAL", f"the server failed; its log has the request {request_id}"
            )
        self._ended(method, context, client, began, error.code, request_id)
        details = error.status(request_id).SerializeToString()
        await context.abort(error.code, str(error), ((DETAILS, details),))

    def _ended(
        self,
        method: Method,
        context: Context,
        client: Client | None,
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
        raise Refused(
            Status.INVALID_ARGUMENT, "NOT_A_MESSAGE", "the request is not a message of this method"
        ) from None


async def requests(method: Method, stream: AsyncIterator[bytes]) -> AsyncIterator[Message]:
    async for data in stream:
        method.received.inc()
        yield parsed(method, data)


def request_id_of(context: Context) -> str:
    """The caller's own id from the metadata `x-request-id`, or a new one."""
    for key, value in context.invocation_metadata() or ():
        if key == "x-request-id" and isinstance(value, str) and REQUEST_ID.fullmatch(value):
            return value
    return os.urandom(8).hex()
