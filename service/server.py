"""The gRPC server: the services of the contract, health and reflection, on the loopback address."""

from __future__ import annotations

import os
import socket
from types import TracebackType

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from pythia.service.engine import EngineService
from pythia.v1 import engine_pb2, engine_pb2_grpc

# There is neither encryption nor a check of who calls, so nobody beyond this machine may connect.
HOST = "127.0.0.1"
DEFAULT_PORT = 50051

# How long calls that are under way may take to finish when the server stops.
GRACE_SECONDS = 5.0

SERVICES = (engine_pb2.DESCRIPTOR.services_by_name["EngineService"].full_name,)


class ServerError(Exception):
    """The server cannot start; the message says why and what to do."""


class Server:
    """Serves while its `async with` block runs; `address` is where.

    Leaving the block tells health watchers, refuses new calls and lets running ones finish.
    """

    def __init__(self, port: int = DEFAULT_PORT) -> None:
        if not 0 <= port <= 65535:
            raise ServerError(f"port: {port} is not allowed; allowed: 0 to 65535, 0 picks a free one")
        self._port = port

    @property
    def address(self) -> str:
        return f"{HOST}:{self._port}"

    async def __aenter__(self) -> Server:
        self._check_port()
        # Without so_reuseport=0 a second server would share the port, and callers would reach either.
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        engine_pb2_grpc.add_EngineServiceServicer_to_server(EngineService(), self._server)
        reflection.enable_server_reflection(
            (*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server
        )
        self._port = self._server.add_insecure_port(self.address)
        await self._server.start()
        for service in ("", *SERVICES):
            await self._health.set(service, health_pb2.HealthCheckResponse.SERVING)
        return self

    def _check_port(self) -> None:
        """Try the port before gRPC does, whose own failure is a log line without the cause."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, self._port))
            except OSError as error:
                raise ServerError(
                    f"port: {self._port} cannot be opened on {HOST} ({os.strerror(error.errno or 0).lower()}); "
                    "choose another with --port, 0 picks a free one"
                ) from None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._health.enter_graceful_shutdown()
        await self._server.stop(GRACE_SECONDS)
