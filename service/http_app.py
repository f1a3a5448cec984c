"""The HTTP port: the methods of the API by Connect, gRPC-Web and JSON, the page for people, and two plain documents.

connectrpc speaks the protocols. This module adds what gRPC does not need: a browser sends requests on behalf of any
page it shows, so the host that was asked for and the origin of the page are checked first. The calls themselves go to
the same handlers as those of gRPC.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import grpc
from connectrpc.code import Code
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.rpc import error_details_pb2, status_pb2
from protobuf import Registry, message_to_json_value

from pythia.service import calls
from pythia.service.auth import Caller, Context
from pythia.service.backend import Backend
from pythia.service.calls import Status
from pythia.service.config import Config
from pythia.service.errors import DETAILS, DOMAIN, Refused
from pythia.service.http_json import Answer, BinaryCodec, JsonCodec, Request, registry
from pythia.service.logs import LOG
from pythia.service.openapi import openapi
from pythia.service.wire import DESCRIPTORS
from pythia.web import POLICY, File, site

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Headers = dict[str, str]

UNARY = ("application/json", "application/proto")
STREAM = ("application/connect+json", "application/connect+proto")
GRPC_WEB = ("application/grpc-web", "application/grpc-web+proto", "application/grpc-web+json")
# A message in a stream has a head of five bytes.
ENVELOPE = 5
TIMEOUTS = {
    "connect-timeout-ms": (re.compile(r"\d{1,10}", re.ASCII), "1 to 10 digits: milliseconds"),
    "grpc-timeout": (
        re.compile(r"\d{1,8}[HMSmun]", re.ASCII),
        "1 to 8 digits and a unit, one of H, M, S, m, u, n",
    ),
}
# What pages of other origins may send and read, where they may call at all.
MAY_SEND = (
    "authorization, connect-protocol-version, connect-timeout-ms, content-type, grpc-timeout, "
    "x-grpc-web, x-request-id, x-user-agent"
)
MAY_READ = "grpc-message, grpc-status, grpc-status-details-bin"
# Seconds for which a browser remembers that it may.
REMEMBER = "7200"
PAGE_HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
# The contract as a set of descriptors, beside the modules of the page, which make their calls from it.
DESCRIPTOR_SET = "descriptors.binpb"
FOR_GOOD = "public, max-age=31536000, immutable"


class HttpContext:
    """What handlers need of a gRPC context, for a call over HTTP."""

    def __init__(self, method: calls.Method, headers: Headers, scope: Scope, types: Registry) -> None:
        self.method = method
        self.headers = headers
        self.client: Caller | None = None
        self.counted = False  # by its handler, or when it was refused
        self._scope = scope
        self._types = types
        self._request: Request | None = None
        self._deadline: float | None = None

    @property
    def as_grpc(self) -> Context:
        return self  # type: ignore[return-value]

    def begin(self, request: Request, timeout_ms: float | None) -> HttpContext:
        self.counted = True
        self._request = request
        self._deadline = None if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        return self

    async def read(self) -> Any:
        request, self._request = self._request, None
        return grpc.aio.EOF if request is None else request()

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return tuple(self.headers.items())

    def peer(self) -> str:
        """The connection, as for gRPC."""
        host, port = self._scope.get("client") or ("unknown", 0)
        return f"http:{host}:{port}"

    def auth_context(self) -> dict[str, list[bytes]]:
        name = self._scope.get("state", {}).get("common_name")
        return {"x509_common_name": [name]} if name else {}

    def time_remaining(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    async def abort(
        self, code: grpc.StatusCode, details: str = "", trailing_metadata: tuple[tuple[str, bytes], ...] = ()
    ) -> None:
        status = status_pb2.Status.FromString(dict(trailing_metadata).get(DETAILS, b""))
        raise ConnectError(connect_code(code), details, [self._detail(detail) for detail in status.details])

    def _detail(self, detail: Any) -> ErrorDetail:
        """As a message and not only its bytes, so that JSON shows its fields too."""
        found = self._types.message(detail.type_url.rpartition("/")[2])
        assert found is not None, detail.type_url
        return ErrorDetail(found.type.from_binary(detail.value))


def connect_code(code: grpc.StatusCode) -> Code:
    return Code.CANCELED if code is Status.CANCELLED else Code(code.name.lower())


def grpc_code(code: Code) -> grpc.StatusCode:
    return Status.CANCELLED if code is Code.CANCELED else grpc.StatusCode[code.name]


# The call that the task answers, which connectrpc does not hand through.
CALL: ContextVar[HttpContext] = ContextVar("CALL")


class Methods(ConnectASGIApplication[None]):
    """The methods of the contract as connectrpc wants them: endpoints made from the descriptors."""

    path = ""

    def __init__(self, backend: Backend, types: Registry) -> None:
        self._middleware = backend.middleware
        self._types = types
        self.endpoints = {endpoint.method.name: endpoint for endpoint in backend.endpoints("http")}
        super().__init__(
            service=None,
            endpoints=lambda _: {name: self._made(endpoint) for name, endpoint in self.endpoints.items()},
            interceptors=(self,),
            read_max_bytes=backend.config.max_request_bytes,
            compressions=(),
            codecs=(BinaryCodec(), JsonCodec()),
        )

    def _made(self, endpoint: calls.Endpoint) -> Any:
        descriptor = endpoint.method.descriptor
        answer_type = self._type(descriptor.output_type.full_name)
        info: MethodInfo[Any, Any] = MethodInfo(
            name=descriptor.name,
            service_name=descriptor.containing_service.full_name,
            input=self._type(descriptor.input_type.full_name),
            output=answer_type,
            idempotency_level=IdempotencyLevel.UNKNOWN,
            stream_type=StreamType.SERVER_STREAM if descriptor.server_streaming else StreamType.UNARY,
        )

        async def unary(request: Request, context: RequestContext[Any, Any]) -> Answer:
            call = CALL.get().begin(request, context.timeout_ms)
            return Answer(await endpoint.handle(None, call), answer_type)

        async def stream(request: Request, context: RequestContext[Any, Any]) -> AsyncIterator[Answer]:
            call = CALL.get().begin(request, context.timeout_ms)
            answers = endpoint.handle(None, call)
            try:
                async for answer in answers:
                    yield Answer(answer, answer_type)
            finally:
                await answers.aclose()

        if descriptor.server_streaming:
            return Endpoint.server_stream(info, stream)
        return Endpoint.unary(info, unary)

    def _type(self, name: str) -> Any:
        found = self._types.message(name)
        assert found is not None, name
        return found.type

    # connectrpc calls these before it reads a request, and when a call has ended.

    async def on_start(self, context: RequestContext[Any, Any]) -> None:
        call = CALL.get()
        try:
            call.client = await self._middleware.admit(call.method, call.as_grpc)
        except ConnectError:
            call.counted = True
            raise

    async def on_end(
        self, token: None, context: RequestContext[Any, Any], error: Exception | None, /
    ) -> None:
        """Refuse what did not reach a handler in the same way as a handler refuses."""
        call = CALL.get()
        if call.counted or error is None:
            return
        call.counted = True
        if isinstance(error, ConnectError):
            error = Refused(grpc_code(error.code), "NOT_A_CALL", error.message)
        await self._middleware.refuse(call.method, call.as_grpc, error)


@dataclass(frozen=True)
class PageContent:
    kind: str
    content: bytes
    status: int = 200


class Forbidden(Exception):
    """An HTTP request that is refused before it is a call."""

    def __init__(
        self, status: int, code: Code, reason: str, message: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.reason = reason
        self.headers = headers or {}


class HttpApp:
    """The ASGI application. `is_stopping` is for those who ask /healthz whether to send further calls."""

    def __init__(self, backend: Backend, port: int) -> None:
        config = backend.config
        self.is_stopping = False
        self._backend = backend
        self._metrics = backend.metrics
        self._middleware = backend.middleware
        self._types = registry(
            [*(service.file for service in DESCRIPTORS), error_details_pb2.DESCRIPTOR, status_pb2.DESCRIPTOR]
        )
        self._methods = Methods(backend, self._types)
        self._hosts = Hosts(config, port)
        self._scheme = "https" if config.http_tls or config.behind_proxy else "http"
        self._origins = frozenset(config.origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._answer(scope, receive, send)
        except Forbidden as refused:
            self._metrics.http_refused.labels(refused.reason.lower()).inc()
            headers = {"content-type": "application/json"} | refused.headers
            await respond(send, refused.status, headers, self._error(refused))
        except ConnectError:
            pass  # the caller has gone
        except Exception as error:
            # Without the trace: what a caller sent could stand in it.
            LOG.error("an HTTP request failed", extra={"fields": {"error": type(error).__name__}})
            await respond(send, 500, {}, b"")

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = self._headers(scope)
        host = headers.get("host", "")
        if not self._hosts.knows(host):
            raise Forbidden(
                403,
                Code.PERMISSION_DENIED,
                "HOST",
                "this server does not accept this host name; its operator can add it to http_names",
            )
        allowed = self._cors(headers, host)
        path, verb = scope["path"], scope["method"]
        endpoint = self._methods.endpoints.get(path)
        if endpoint is None:
            page = self._pages.get(path)
            if page is None:
                raise Forbidden(
                    404,
                    Code.UNIMPLEMENTED,
                    "PATH",
                    "no such path; /openapi.json lists the calls",
                )
            if verb not in ("GET", "HEAD"):
                raise Forbidden(
                    405, Code.UNIMPLEMENTED, "VERB", "a page; use GET", {"allow": "GET, HEAD"} | allowed
                )
            await self._send_page(send, page, headers, allowed)
            return
        if verb == "OPTIONS" and "access-control-request-method" in headers:
            more = {
                "access-control-allow-methods": "POST",
                "access-control-allow-headers": MAY_SEND,
                "access-control-max-age": REMEMBER,
            }
            await respond(send, 204, allowed | (more if allowed else {}), None)
            return
        check_call(endpoint.method, verb, headers, allowed)
        call = HttpContext(endpoint.method, headers, scope, self._types)
        CALL.set(call)
        await self._methods(scope, self._bounded(call, receive), with_headers(send, allowed))

    @staticmethod
    def _headers(scope: Scope) -> Headers:
        headers: Headers = {}
        for name, value in scope["headers"]:
            try:
                key, text = name.decode("ascii"), value.decode()
            except UnicodeDecodeError:
                raise Forbidden(400, Code.INVALID_ARGUMENT, "HEADER", "a header is not UTF-8") from None
            if key in headers and key in (
                "authorization",
                "content-length",
                "content-type",
                "host",
                "origin",
            ):
                raise Forbidden(400, Code.INVALID_ARGUMENT, "HEADER", f"{key}: appears twice")
            headers[key] = text
        return headers

    def _cors(self, headers: Headers, host: str) -> dict[str, str]:
        """The headers that let a page of another origin read the answer."""
        origin = headers.get("origin")
        if origin is None or origin == f"{self._scheme}://{host}":
            return {"vary": "origin"}
        if origin not in self._origins and "*" not in self._origins:
            raise Forbidden(
                403,
                Code.PERMISSION_DENIED,
                "ORIGIN",
                "pages of this origin may not call; the operator of the server can add it to cors_origins",
                {"vary": "origin"},
            )
        return {
            "access-control-allow-origin": origin,
            "access-control-expose-headers": MAY_READ,
            "vary": "origin",
        }

    def _bounded(self, call: HttpContext, receive: Receive) -> Receive:
        """The whole request at once, bounded in size and time like those of gRPC; then whether the caller is gone."""
        was_read = False

        async def next_event() -> Any:
            nonlocal was_read
            if was_read:
                return await receive()
            was_read = True
            assert call.client is not None
            most = call.method.max_bytes + (0 if call.headers["content-type"].startswith(UNARY) else ENVELOPE)
            told = call.headers.get("content-length", "")
            if told.isdecimal() and int(told) > most:
                raise too_large(most)
            body = b""
            async with self._middleware.place(call.client):
                while True:
                    event = await receive()
                    if event["type"] != "http.request":
                        return event
                    body += event["body"]
                    if len(body) > most:
                        raise too_large(most)
                    if not event["more_body"]:
                        return event | {"body": body}

        return next_event

    def _error(self, refused: Forbidden) -> bytes:
        """As Connect writes errors."""
        found = self._types.message("google.rpc.ErrorInfo")
        assert found is not None
        info = error_details_pb2.ErrorInfo(reason=f"HTTP_{refused.reason}", domain=DOMAIN)
        value = info.SerializeToString()
        detail = {
            "type": "google.rpc.ErrorInfo",
            "value": base64.b64encode(value).decode().rstrip("="),
            "debug": message_to_json_value(found.type.from_binary(value)),
        }
        error = {"code": refused.code.value, "message": str(refused), "details": [detail]}
        return json.dumps(error).encode()

    async def _send_page(
        self, send: Send, page: File | Callable[[], PageContent], headers: Headers, allowed: dict[str, str]
    ) -> None:
        if not isinstance(page, File):
            made = page()
            own = {"content-type": made.kind} | PAGE_HEADERS | allowed
            await respond(send, made.status, own, made.content)
            return
        own = {
            "content-type": page.kind,
            "cache-control": FOR_GOOD if page.lasts else "no-cache",
            "etag": page.tag,
        }
        own |= PAGE_HEADERS | allowed | {"vary": "accept-encoding, origin"}
        if page.tag in headers.get("if-none-match", ""):
            await respond(send, 304, own, None)
        elif takes_gzip(headers.get("accept-encoding", "")):
            await respond(send, 200, own | {"content-encoding": "gzip"}, page.packed)
        else:
            await respond(send, 200, own, page.content)

    @cached_property
    def _pages(self) -> dict[str, File | Callable[[], PageContent]]:
        contract = PageContent("application/json", json.dumps(openapi(DESCRIPTORS)).encode())
        pages: dict[str, File | Callable[[], PageContent]] = {
            "/healthz": self._health,
            "/openapi.json": lambda: contract,
        }
        return pages | site({DESCRIPTOR_SET: descriptor_set()})

    def _health(self) -> PageContent:
        if self.is_stopping:
            return PageContent("text/plain", b"stopping\n", 503)
        first, status = ("broken", 503) if self._backend.is_broken else ("ok", 200)
        return PageContent(
            "text/plain", "".join(f"{line}\n" for line in (first, *self._backend.troubles)).encode(), status
        )


def descriptor_set() -> bytes:
    """The files of the contract and of what comes with errors, each after those that it imports."""
    found: dict[str, Any] = {}

    def add(file: Any) -> None:
        for other in file.dependencies:
            add(other)
        found.setdefault(file.name, file)

    for file in (*(service.file for service in DESCRIPTORS), error_details_pb2.DESCRIPTOR):
        add(file)
    contract = FileDescriptorSet()
    for file in found.values():
        file.CopyToProto(contract.file.add())
    return contract.SerializeToString()


def takes_gzip(accepted: str) -> bool:
    """By the header accept-encoding; browsers list it without a weight."""
    return any(word.strip().lower() == "gzip" for word in accepted.split(","))


class Hosts:
    """The names by which a browser may know this server.

    A page can make its own name point to this machine and call it as its own origin (DNS rebinding), but it cannot hide
    the name. Addresses in numbers cannot be bent in this way.
    """

    def __init__(self, config: Config, port: int) -> None:
        host = config.http_address
        own = {"127.0.0.1", "::1", "localhost"} if config.http_is_loopback else set()
        self._own = own | {host.strip("[]").lower()}
        self._all = host.strip("[]") in ("0.0.0.0", "::")
        self._names = {name.lower() for name in config.names}
        self._port = str(port)
        self._default = "443" if config.http_tls else "80"

    def knows(self, host: str) -> bool:
        host = host.lower()
        name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", self._default)
        if host in self._names or name in self._names:
            return True
        plain = name.strip("[]")
        return port == self._port and (plain in self._own or (self._all and is_address(plain)))


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def check_call(method: calls.Method, verb: str, headers: Headers, allowed: dict[str, str]) -> None:
    """What connectrpc would refuse without a word, or with an error of its own."""
    descriptor = method.descriptor
    if descriptor.client_streaming:
        raise Forbidden(
            505,
            Code.UNIMPLEMENTED,
            "NEEDS_GRPC",
            f"{descriptor.name} is a bidirectional stream, which HTTP/1.1 cannot carry; call it over gRPC",
            allowed,
        )
    if verb != "POST":
        raise Forbidden(405, Code.UNIMPLEMENTED, "VERB", "a method; use POST", {"allow": "POST"} | allowed)
    kinds = (*(STREAM if descriptor.server_streaming else UNARY), *GRPC_WEB)
    if headers.get("content-type", "").partition(";")[0].strip().lower() not in kinds:
        raise Forbidden(
            415,
            Code.INVALID_ARGUMENT,
            "CONTENT_TYPE",
            f"content-type: allowed for {descriptor.name}: {', '.join(kinds)}",
            {"accept-post": ", ".join(kinds)} | allowed,
        )
    for name, (pattern, words) in TIMEOUTS.items():
        if name in headers and not pattern.fullmatch(headers[name]):
            raise Forbidden(
                400, Code.INVALID_ARGUMENT, "TIMEOUT", f"{name}: not allowed; allowed: {words}", allowed
            )


def too_large(most: int) -> Refused:
    return Refused(
        Status.RESOURCE_EXHAUSTED,
        "REQUEST_TOO_LARGE",
        f"the request has more bytes than this method allows: {most}",
    )


def with_headers(send: Send, more: dict[str, str]) -> Send:
    encoded = [(name.encode(), value.encode()) for name, value in more.items()]

    async def sending(event: Any) -> None:
        if event["type"] == "http.response.start":
            event = event | {"headers": [*event["headers"], *encoded]}
        await send(event)

    return sending


async def respond(send: Send, status: int, headers: dict[str, str], content: bytes | None) -> None:
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    if content is not None:
        encoded.append((b"content-length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": content or b"", "more_body": False})
