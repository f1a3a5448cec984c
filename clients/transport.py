"""How calls get to a server and back. The clients are thin over these; `local.py` has the way without a server.

A transport asks, or makes pipes: the first request goes in when it is made, answers come out, and None ends them.
Whatever fails is raised as the `PythiaError` it is.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

import grpc

from pythia.clients.calls import Ask, Said, Talk
from pythia.clients.errors import (
    NOTHING_DONE,
    Cancelled,
    PythiaError,
    Unreachable,
    Untrusted,
    error_of,
    from_refusal,
)
from pythia.service.wire import DETAILS, invalid, is_loopback, not_allowed

T = TypeVar("T")
Out = TypeVar("Out", covariant=True)
StrPath = str | os.PathLike[str]
Metadata = tuple[tuple[str, str], ...]
Outbox = asyncio.Queue[bytes | None]  # what the caller says; None when no more will come

OPTIONS: tuple[tuple[str, int | str], ...] = (
    # Answers are as large as they are; the server decides about requests.
    ("grpc.max_receive_message_length", -1),
    # A stream on a dead connection must not wait for ever.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # Otherwise the first second after a failure knows no second try.
    ("grpc.initial_reconnect_backoff_ms", 100),
)
ALONE: tuple[tuple[str, int | str], ...] = (("grpc.max_reconnect_backoff_ms", 5_000),)
# Of several servers each gets a call in turn, if it says that it serves; one that stops or died gets none.
IN_TURN: tuple[tuple[str, int | str], ...] = (
    (
        "grpc.service_config",
        json.dumps({"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": ""}}),
    ),
    # One that is back should be known before the next one stops: a set of servers is upgraded one by one.
    ("grpc.max_reconnect_backoff_ms", 1_000),
)
DNS = "dns:///"

# How gRPC begins when no server could be reached at all, so that nothing of a call was sent.
NOT_SENT = ("failed to connect to all addresses", "connections to all backends failing", "backend unhealthy")
# In what gRPC says when the connection is there but not to be trusted.
TLS_FAILED = ("handshake", "Verification")


class Pipe(Protocol[Out]):
    """A call under way. `close` ends it; any thread may call it."""

    def send(self, said: Said) -> None: ...
    def receive(self) -> Out | None: ...
    def close(self) -> None: ...


class Transport(Protocol):
    def ask(self, call: Ask[T], timeout: float | None) -> T: ...
    def stream(self, call: Ask[T], timeout: float | None) -> Pipe[T]: ...
    def close(self) -> None: ...


class AsyncPipe(Protocol[Out]):
    """The same on an event loop."""

    def send(self, said: Said) -> None: ...
    async def receive(self) -> Out | None: ...
    def close(self) -> None: ...


class AsyncTransport(Protocol):
    async def ask(self, call: Ask[T], timeout: float | None) -> T: ...
    async def stream(self, call: Ask[T], timeout: float | None) -> AsyncPipe[T]: ...
    async def close(self) -> None: ...


class Target:
    """Where a server is, and how to be trusted by it and to trust it."""

    def __init__(
        self,
        address: str,
        token: str | None,
        tls: bool | StrPath,
        certificate: tuple[StrPath, StrPath] | None,
    ) -> None:
        addresses = [split_address(part) for part in address.removeprefix(DNS).split(",")]
        if not all(addresses) or (address.startswith(DNS) and len(addresses) > 1):
            raise from_refusal(
                not_allowed(
                    "address", address, f"HOST:PORT, several with commas between them, or {DNS}HOST:PORT"
                )
            )
        hosts = [host for host, _ in filter(None, addresses)]
        if certificate and not tls:
            raise from_refusal(invalid("certificate", "needs tls"))
        for host in hosts:
            if token and not tls and not is_loopback(host):
                raise from_refusal(invalid("token", f"is not sent to {host} without encryption; give tls"))
        if token and not (token.isascii() and token.isprintable()):
            raise from_refusal(invalid("token", "cannot be sent; allowed: printable ASCII characters"))
        self.address = address
        self.options = OPTIONS
        self.name = address  # for gRPC
        if len(addresses) > 1:
            self.name = several(address)
            # All of them have to be trusted by one name.
            self.options += (("grpc.default_authority", hosts[0]),)
        self.options += IN_TURN if self.name != address or address.startswith(DNS) else ALONE
        self.metadata: Metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.credentials = None
        if tls:
            roots = None if tls is True else read_pem(tls, "tls")
            chain, key = (
                (read_pem(path, "certificate") for path in certificate) if certificate else (None, None)
            )
            self.credentials = grpc.ssl_channel_credentials(roots, key, chain)

    def error(self, error: grpc.RpcError) -> PythiaError:
        """What grpc raised, as ours."""
        assert isinstance(error, (grpc.Call, grpc.aio.AioRpcError))
        code, words = error.code(), error.details() or ""
        details = dict(error.trailing_metadata() or ()).get(DETAILS, b"")
        if code == grpc.StatusCode.UNAVAILABLE and not details:
            return self._no_connection(words)
        return error_of(code, words, details)

    def _no_connection(self, words: str) -> PythiaError:
        """gRPC tells only in words why it could not connect; they end with the cause."""
        cause = words.removesuffix(": OK").rpartition(": ")[2].strip(" .]").lower()
        if self.credentials and any(mark in words for mark in TLS_FAILED):
            if "WRONG_VERSION_NUMBER" in words:
                cause = "it does not speak TLS"
            return Untrusted(
                f"server: {self.address!r} is not trusted ({cause}); check HOST:PORT and the authority given as tls",
                grpc.StatusCode.UNAVAILABLE.name,
            )
        hint = (
            "" if self.credentials or cause != "socket closed" else ", or set tls if the server requires it"
        )
        return Unreachable(
            f"server: {self.address!r} does not answer ({cause}); start a server with `pythia serve`, "
            f"or check HOST:PORT{hint}",
            grpc.StatusCode.UNAVAILABLE.name,
            reason=NOTHING_DONE[0] if words.lower().startswith(NOT_SENT) else "",
        )


def split_address(text: str) -> tuple[str, str] | None:
    """The host and port of HOST:PORT."""
    host, _, port = text.rpartition(":")
    return (host.strip("[]"), port) if host and port.isdecimal() and int(port) <= 65535 else None


def several(address: str) -> str:
    """Several addresses in gRPC's words, which wants numbers; names are looked up once, now."""
    found = []
    for part in address.split(","):
        host, port = split_address(part) or ("", "")
        try:
            found.append(f"{socket.gethostbyname(host)}:{port}")
        except OSError as error:
            raise Unreachable(
                f"server: {part!r} is not known ({error.strerror}); check HOST:PORT",
                grpc.StatusCode.UNAVAILABLE.name,
            ) from None
    return "ipv4:" + ",".join(found)


def read_pem(path: StrPath, field: str) -> bytes:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise from_refusal(invalid(field, f"{str(path)!r} cannot be read: {error.strerror}")) from None
    if b"-----BEGIN" not in content:
        raise from_refusal(invalid(field, f"{str(path)!r} is not a PEM file"))
    return content


class GrpcTransport:
    """To a server, from any thread."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._channel: Any = (
            grpc.insecure_channel(target.name, target.options)
            if target.credentials is None
            else grpc.secure_channel(target.name, target.credentials, target.options)
        )

    def ask(self, call: Ask[T], timeout: float | None) -> T:
        try:
            answer: bytes = self._channel.unary_unary(call.path)(
                call.data, timeout=timeout, metadata=self._target.metadata
            )
        except grpc.RpcError as error:
            raise self._target.error(error) from None
        return call.read(answer)

    def stream(self, call: Ask[T], timeout: float | None) -> Pipe[T]:
        outbox: SimpleQueue[bytes | None] = SimpleQueue()
        metadata = self._target.metadata
        if isinstance(call, Talk):
            outbox.put(call.data)
            under_way = self._channel.stream_stream(call.path)(
                iter(outbox.get, None), timeout=timeout, metadata=metadata
            )
        else:
            under_way = self._channel.unary_stream(call.path)(call.data, timeout=timeout, metadata=metadata)
        return GrpcPipe(call, under_way, outbox, self._target)

    def close(self) -> None:
        self._channel.close()


class GrpcPipe(Generic[T]):
    def __init__(
        self, call: Ask[T], under_way: Any, outbox: SimpleQueue[bytes | None], target: Target
    ) -> None:
        self._read = call.read
        self._call = under_way
        self._outbox = outbox
        self._target = target

    def send(self, said: Said) -> None:
        self._outbox.put(said.message.SerializeToString())

    def receive(self) -> T | None:
        try:
            answer: bytes | None = next(self._call, None)
        except grpc.RpcError as error:
            raise self._target.error(error) from None
        return None if answer is None else self._read(answer)

    def close(self) -> None:
        self._outbox.put(None)  # lets go of the thread that reads it
        self._call.cancel()


class AioTransport:
    """To a server, on the event loop of the first caller."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._opened: Any = None

    @property
    def _channel(self) -> Any:
        """Made late: it belongs to the event loop that runs."""
        if self._opened is None:
            target = self._target
            self._opened = (
                grpc.aio.insecure_channel(target.name, target.options)
                if target.credentials is None
                else grpc.aio.secure_channel(target.name, target.credentials, target.options)
            )
        return self._opened

    async def ask(self, call: Ask[T], timeout: float | None) -> T:
        try:
            answer: bytes = await self._channel.unary_unary(call.path)(
                call.data, timeout=timeout, metadata=self._target.metadata
            )
        except grpc.aio.AioRpcError as error:
            raise self._target.error(error) from None
        except asyncio.CancelledError:
            raise_if_cancelled()
            raise closed() from None
        return call.read(answer)

    async def stream(self, call: Ask[T], timeout: float | None) -> AsyncPipe[T]:
        outbox: Outbox = asyncio.Queue()
        metadata = self._target.metadata
        if isinstance(call, Talk):
            outbox.put_nowait(call.data)
            under_way = self._channel.stream_stream(call.path)(
                told(outbox), timeout=timeout, metadata=metadata
            )
        else:
            under_way = self._channel.unary_stream(call.path)(call.data, timeout=timeout, metadata=metadata)
        return AioPipe(call, under_way, outbox, self._target)

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()


class AioPipe(Generic[T]):
    def __init__(self, call: Ask[T], under_way: Any, outbox: Outbox, target: Target) -> None:
        self._read = call.read
        self._call = under_way
        self._outbox = outbox
        self._target = target

    def send(self, said: Said) -> None:
        self._outbox.put_nowait(said.message.SerializeToString())

    async def receive(self) -> T | None:
        try:
            answer = await self._call.read()
        except grpc.aio.AioRpcError as error:
            raise self._target.error(error) from None
        except asyncio.CancelledError:
            raise_if_cancelled()
            raise closed() from None
        return None if answer is grpc.aio.EOF else self._read(answer)

    def close(self) -> None:
        self._outbox.put_nowait(None)  # lets go of the task that reads it
        self._call.cancel()


def raise_if_cancelled() -> None:
    """grpc.aio raises CancelledError also when not the task but only the call was cancelled."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def closed() -> Cancelled:
    return Cancelled("the call was closed", grpc.StatusCode.CANCELLED.name)


async def told(outbox: Outbox) -> AsyncIterator[bytes]:
    """What the caller says, until the call ends."""
    while (data := await outbox.get()) is not None:
        yield data
