"""The server: the services of the contract over gRPC and HTTP, health, reflection and metrics."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

from pythia.service.backend import Backend
from pythia.service.calls import Outside
from pythia.service.config import DEFAULT_HTTP_PORT, DEFAULT_PORT, Config, ConfigError
from pythia.service.logs import LOG, set_up_logs
from pythia.service.metrics import Metrics, MetricsServer
from pythia.service.wire import DESCRIPTORS

if TYPE_CHECKING:
    from pythia.service.http_server import HttpServer

__all__ = ["DEFAULT_PORT", "SERVICES", "Server", "ServerError"]

# The server cannot start; the message says why and what to do.
ServerError = ConfigError

# Seconds for the last answers to leave, once no call is under way.
LAST_WORDS = 0.3

# What one connection can make the server hold: streams at a time, and bytes of each that nobody has asked for yet. A
# position has about 6 kB.
STREAMS = 100
LOOKAHEAD = 16_384
# Milliseconds in which a new connection has to say what it is, and after which one without calls is closed.
HANDSHAKE_MS = 10_000
IDLE_MS = 600_000
# Descriptors to ask for, beyond which nothing here needs any.
FILES = 65_536

# On the wire the same as v1alpha, which is the one that grpcio-reflection has.
REFLECTION_V1 = "grpc.reflection.v1.ServerReflection"
SERVICES = tuple(descriptor.full_name for descriptor in DESCRIPTORS)


class Server:
    """Serves while its `async with` block runs; `address` is where.

    Leaving the block informs health watchers, refuses new calls and lets running ones finish.
    """

    def __init__(self, config: Config | None = None, **settings: Any) -> None:
        """`settings` are those of `Config`, for use without one."""
        self.config = (config or Config(**settings)).checked()
        self._backend = Backend(self.config)
        self._port = self.config.port
        self._metrics_server: tuple[MetricsServer, Thread] | None = None
        self._http_server: HttpServer | None = None

    @property
    def address(self) -> str:
        return address(self.config.host, self._port)

    @property
    def http_url(self) -> str:
        """Where HTTP is; empty when it is off."""
        if self._http_server is None:
            return ""
        scheme = "https" if self.config.http_tls else "http"
        return f"{scheme}://{address(self.config.http_address, self._http_server.port)}"

    @property
    def metrics(self) -> Metrics:
        return self._backend.metrics

    @property
    def metrics_url(self) -> str:
        """Where the metrics are; empty when they are off."""
        if self._metrics_server is None:
            return ""
        return f"http://{self.config.metrics_host}:{self._metrics_server[0].server_port}/metrics"

    @property
    def openness(self) -> str:
        """Who can reach it, in words for its operator."""
        config = self.config
        is_local = config.is_loopback and (not config.serves_http or config.http_is_loopback)
        who = "this machine only" if is_local else "other machines"
        by = []
        if self._backend.authenticator.has_tokens:
            by.append("a token")
        if self.config.tls_client_ca:
            by.append("a client certificate")
        needs = f"callers need {' and '.join(by)}" if by else "everyone may call"
        proxy = "; a proxy in front must encrypt" if config.behind_proxy else ""
        return f"open to {who}, {'with' if self.config.tls_cert else 'without'} encryption; {needs}{proxy}"

    async def __aenter__(self) -> Server:
        config = self.config
        set_up_logs(config.log_level)
        raise_file_limit()
        self._port = check_port("port", config.host, config.port)
        await self._backend.open()
        self._server = grpc.aio.server(options=self._options())
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        where = {"address": self.address, "http": self.http_url, "metrics": self.metrics_url}
        LOG.info("serving", extra={"fields": where})
        if config.behind_proxy:
            plain = "HTTP is" if config.tls_cert else "gRPC and HTTP are"
            LOG.warning(
                f"{plain} not encrypted by this server: behind_proxy says that a proxy terminates TLS"
            )
        return self

    async def _start(self) -> None:
        self._health = health.aio.HealthServicer()
        outside: Any = Outside(self._backend.authenticator, open_to_all=health.SERVICE_NAME)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, outside)
        names = (*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME, REFLECTION_V1)
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server(  # type: ignore[no-untyped-call]
            reflection.aio.ReflectionServicer(names), outside
        )
        outside.add_alias(REFLECTION_V1, reflection.SERVICE_NAME)
        self._server.add_generic_rpc_handlers((*self._backend.handlers, outside))
        credentials = self._credentials()
        self._port = (
            self._server.add_insecure_port(self.address)
            if credentials is None
            else self._server.add_secure_port(self.address, credentials)
        )
        if self.config.metrics:
            self._metrics_server = self._serve_metrics()
        await self._server.start()
        if self.config.serves_http:
            self._http_server = self._make_http_server()
            await self._http_server.start()
        self._backend.broke = self._tell_health
        await self._tell_health()

    async def _tell_health(self) -> None:
        """Say whether to send calls here."""
        status = (
            health_pb2.HealthCheckResponse.NOT_SERVING
            if self._backend.is_broken
            else health_pb2.HealthCheckResponse.SERVING
        )
        for service in ("", *SERVICES):
            await self._health.set(service, status)

    def _make_http_server(self) -> HttpServer:
        try:
            from pythia.service.http_server import HttpServer
        except ImportError as error:
            raise ServerError(
                f"http: the package {(error.name or '').partition('.')[0]} is missing; install pythia-opponent[web]"
            ) from None
        config = self.config
        port = config.http_port
        if port == -1:
            port = DEFAULT_HTTP_PORT if config.port else 0
        return HttpServer(self._backend, check_port("http_port", config.http_address, port))

    def _options(self) -> list[tuple[str, int]]:
        keepalive = int(self.config.keepalive_seconds * 1000)
        return [
            # Without this a second server would share the port, and callers would reach either.
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", self.config.max_request_bytes),
            ("grpc.max_metadata_size", 16_384),
            ("grpc.max_concurrent_streams", STREAMS),
            ("grpc.max_allowed_incoming_connections", self.config.max_connections),
            ("grpc.server_handshake_timeout_ms", HANDSHAKE_MS),
            ("grpc.http2.settings_timeout", HANDSHAKE_MS),
            ("grpc.max_connection_idle_ms", IDLE_MS),
            # gRPC would widen the windows of fast senders to megabytes for each stream.
            ("grpc.http2.lookahead_bytes", LOOKAHEAD),
            ("grpc.http2.bdp_probe", 0),
            ("grpc.keepalive_time_ms", keepalive),
            ("grpc.keepalive_timeout_ms", 20_000),
            # How often clients may check in turn before they are thought hostile.
            ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
            ("grpc.keepalive_permit_without_calls", 1),
        ]

    def _credentials(self) -> grpc.ServerCredentials | None:
        config = self.config
        if not config.tls_cert:
            return None
        pair = (Path(config.tls_key).read_bytes(), Path(config.tls_cert).read_bytes())
        for name, content in zip(("tls_key", "tls_cert"), pair, strict=True):
            if b"-----BEGIN" not in content:
                raise ServerError(f"{name}: {getattr(config, name)!r} is not a PEM file")
        authority = Path(config.tls_client_ca).read_bytes() if config.tls_client_ca else None
        return grpc.ssl_server_credentials([pair], authority, require_client_auth=authority is not None)

    def _serve_metrics(self) -> tuple[MetricsServer, Thread]:
        port = self.config.metrics_port
        if port == -1:
            port = self.config.port + 1 if self.config.port else 0
        check_port("metrics_port", self.config.metrics_host, port)
        return self.metrics.serve(self.config.metrics_host, port)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._health.enter_graceful_shutdown()
        if self._http_server is not None:
            self._http_server.app.is_stopping = True
        await self._backend.drain()
        await self._stop()
        LOG.info("stopped")

    async def _stop(self) -> None:
        """End what has been started."""
        # What is left are answers on their way, and health watchers, who would never end by themselves.
        await self._server.stop(LAST_WORDS)
        if self._http_server is not None:
            await self._http_server.stop()
        self._backend.close()
        if self._metrics_server is not None:
            httpd, thread = self._metrics_server
            httpd.shutdown()
            httpd.server_close()
            thread.join()


def address(host: str, port: int) -> str:
    return f"[{host.strip('[]')}]:{port}" if ":" in host else f"{host}:{port}"


def raise_file_limit() -> None:
    """Every connection takes a descriptor; many systems give a process 1024 and let it have more when it asks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def check_port(name: str, host: str, port: int) -> int:
    """Try the port before gRPC does, whose own failure is a log line without the cause."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError as error:
            reason = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else "unknown host"
            raise ServerError(
                f"{name}: {port} cannot be opened on {host} ({reason}); "
                f"choose another with --{name.replace('_', '-')}, 0 picks a free one"
            ) from None
    return port
