"""The HTTP port: uvicorn on the event loop of the server, without its signal handlers, logs and main loop."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import ssl
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pythia.service.backend import Backend
from pythia.service.calls import READ_SECONDS
from pythia.service.config import Config
from pythia.service.http_app import HttpApp

UPGRADE = re.compile(rb"\r\nupgrade:", re.IGNORECASE)
# Bytes of the head of a request: the URL and all headers.
MAX_HEAD = 16_384
# Chunk sizes and trailers of a request may have this share of what the largest body has.
FRAMING_SHARE = 16
# Seconds until a new connection has to send something, and those that one may be idle between requests.
FIRST_SECONDS = 10.0
IDLE_SECONDS = 75
# Seconds after which a request that has not arrived closes the connection; its answer comes earlier.
REQUEST_SECONDS = READ_SECONDS + 5


class HttpConnection(HttpToolsProtocol):
    """A connection with bounds: how many there are, how long a request may take, how much it may have beside its body.

    It answers one request after the other. A client that sends a second one before the answer is cut off: uvicorn would
    queue any number of them, and would not notice the end of the connection while it answers the first.
    """

    def __init__(self, *arguments: Any, most: int, keepalive: float, max_framing: int, **named: Any) -> None:
        """`max_framing` is for chunk sizes and trailers."""
        super().__init__(*arguments, **named)
        self._most = most
        self._keepalive = keepalive
        self._max_framing = max_framing
        self._timer: asyncio.TimerHandle | None = None
        self._is_in_head = True
        self._beside_body = 0  # bytes of the request so far: its head, chunk sizes and trailers

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if len(self.connections) >= self._most:
            self.transport = transport
            transport.abort()
            return
        super().connection_made(transport)
        self.app_state = self.app_state | {"common_name": common_name(transport)}
        # Finds out when the other side has vanished without a word.
        if sock := transport.get_extra_info("socket"):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, int(self._keepalive))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
        self._expect(FIRST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._beside_body += len(data)
        if self._is_in_head:
            if self._timer is None:  # also for what is no beginning yet, such as empty lines
                self._expect(REQUEST_SECONDS)
            data = without_upgrade(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._is_in_head:
            if self._beside_body > MAX_HEAD:
                self.send_400_response(f"The head of the request has more than {MAX_HEAD} bytes.")
        elif self._beside_body > MAX_HEAD + self._max_framing:
            self._cut_off(f"Chunk sizes and trailers have more than {self._max_framing} bytes.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect(REQUEST_SECONDS)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # nobody reads trailers
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.abort()
        if not self.transport.is_closing():
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._beside_body -= len(body)
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_head = True
        self._beside_body = 0
        self._expect(None)
        super().on_message_complete()

    def _cut_off(self, words: str) -> None:
        """With words, where no answer has begun."""
        if self.cycle.response_started:
            self.transport.abort()
        else:
            self.send_400_response(words)

    def _expect(self, seconds: float | None) -> None:
        """Something has to arrive within this number of seconds."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)


def without_upgrade(data: bytes) -> bytes:
    """A request without its wish for another protocol, which the parser would grant, and drop the body.

    Java's client asks so for HTTP/2 with its first request, and goes on with HTTP/1.1 when nobody answers to it.
    """
    head, end, body = data.partition(b"\r\n\r\n")
    return UPGRADE.sub(b"\r\nx-other:", head) + end + body


def common_name(transport: asyncio.Transport) -> bytes | None:
    """Of the certificate of the caller."""
    certificate = transport.get_extra_info("peercert") or {}
    for part in certificate.get("subject", ()):
        for key, value in part:
            if key == "commonName":
                return str(value).encode()
    return b"certificate" if certificate else None


def tls(config: Config) -> dict[str, Any]:
    """The certificates of gRPC."""
    return {
        "ssl_certfile": config.tls_cert,
        "ssl_keyfile": config.tls_key,
        "ssl_ca_certs": config.tls_client_ca or None,
        "ssl_cert_reqs": ssl.CERT_REQUIRED if config.tls_client_ca else ssl.CERT_NONE,
    }


class HttpServer:
    """Serves the calls of a backend over HTTP from `start` to `stop`."""

    def __init__(self, backend: Backend, port: int) -> None:
        """`port` can be opened; 0 picks a free one."""
        config = backend.config
        host = config.http_address.strip("[]")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=128)
        self.port: int = self._socket.getsockname()[1]
        self.app = HttpApp(backend, self.port)
        for name in ("uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
            # Not our form of log; what matters of it is logged elsewhere.
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [logging.NullHandler()], False
        connection = partial(
            HttpConnection,
            most=config.max_connections,
            keepalive=config.keepalive_seconds,
            max_framing=config.max_request_bytes // FRAMING_SHARE,
        )
        settings = uvicorn.Config(
            self.app,
            http=connection,  # type: ignore[arg-type]
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=1,
            **(tls(config) if config.http_tls else {}),
        )
        settings.load()
        self._server = uvicorn.Server(settings)
        self._server.lifespan = settings.lifespan_class(settings)

    async def start(self) -> None:
        # `serve` would take over the signals of the process.
        await self._server.startup(sockets=[self._socket])

    async def stop(self) -> None:
        """Close what is left; calls have ended before."""
        await self._server.shutdown(sockets=[self._socket])
