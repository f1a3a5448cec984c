"""Metrics for Prometheus. Labels take their values from fixed lists: methods, codes, games, bots, operations."""

from __future__ import annotations

import contextlib
import socket
from http.server import ThreadingHTTPServer
from threading import BoundedSemaphore, Thread, Timer
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    MetricsHandler,
    disable_created_metrics,
)

from pythia.search.result import Result

CALL = ("grpc_type", "grpc_service", "grpc_method", "transport")
SEARCH = ("game", "bot")
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
SHORT = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1)
COUNTS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
SLACK = (0.0, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30)
BITS = (0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8)

# Connections to the port of the metrics at the same time, and seconds that each may last.
CONNECTIONS = 16
CONNECTION_SECONDS = 10.0

# When a series began is of no use here and would double their number.
disable_created_metrics()


class Metrics:
    """One registry per server, so that several can live in one process."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()

        def counter(name: str, text: str, labels: tuple[str, ...] = ()) -> Counter:
            return Counter(name, text, labels, registry=registry)

        def histogram(name: str, text: str, labels: tuple[str, ...], buckets: tuple[float, ...]) -> Histogram:
            return Histogram(name, text, labels, buckets=buckets, registry=registry)

        self.started = counter("grpc_server_started_total", "Calls started.", CALL)
        self.handled = counter("grpc_server_handled_total", "Calls finished, by code.", (*CALL, "grpc_code"))
        self.handling = histogram("grpc_server_handling_seconds", "Time of finished calls.", CALL, SECONDS)
        self.received = counter("grpc_server_msg_received_total", "Messages received.", CALL)
        self.sent = counter("grpc_server_msg_sent_total", "Messages sent.", CALL)

        self.http_refused = counter(
            "pythia_http_refused_total", "HTTP requests refused before they reached a method.", ("reason",)
        )

        self.search_iterations = counter(
            "pythia_search_iterations_total", "Iterations of all searches.", SEARCH
        )
        self.search_seconds = histogram("pythia_search_seconds", "Time of a search.", SEARCH, SECONDS)
        self.search_rate = histogram(
            "pythia_search_iterations_per_second", "Speed of a search.", SEARCH, COUNTS
        )
        self.search_nodes = histogram("pythia_search_tree_nodes", "Nodes of a search's tree.", SEARCH, COUNTS)
        self.search_entropy = histogram(
            "pythia_search_root_entropy_bits",
            "How undecided a search was: entropy of the root visits.",
            SEARCH,
            BITS,
        )
        self.search_slack = histogram(
            "pythia_search_deadline_slack_seconds", "Time left to the deadline of the call.", SEARCH, SLACK
        )
        self.searches_running = Gauge("pythia_searches_running", "Searches under way.", registry=registry)
        self.queue_depth = Gauge("pythia_queue_depth", "Searches that wait.", registry=registry)
        self.queue_wait = histogram("pythia_queue_wait_seconds", "Time a search waited.", (), SECONDS)
        self.queue_refused = counter(
            "pythia_queue_refused_total", "Searches refused because of a full queue."
        )
        self.advisors = Gauge(
            "pythia_advisors", "Advisors that are used, and that are not.", ("state",), registry=registry
        )
        self.handed_over = counter(
            "pythia_searches_handed_over_total",
            "Searches of matches handed to an advisor: done, lost, busy, or then done here.",
            ("outcome",),
        )
        self.active_matches = Gauge("pythia_matches_active", "Matches that are not over.", registry=registry)
        self.autoplay_matches = Gauge(
            "pythia_autoplay_matches",
            "Matches with autoplay that the server plays now.",
            registry=registry,
        )
        self.store_seconds = histogram(
            "pythia_store_seconds", "Time of an operation of the store.", ("operation",), SHORT
        )
        self.store_errors = counter(
            "pythia_store_errors_total", "Operations of the store that failed.", ("operation",)
        )
        self.store_links = Gauge(
            "pythia_store_links",
            "Connections to the other servers of a shared store: 1 when up, 0 when lost.",
            ("connection",),
            registry=registry,
        )

    def search_done(self, game: str, bot: str, result: Result, slack: float | None) -> None:
        self.search_seconds.labels(game, bot).observe(result.seconds)
        if slack is not None:
            self.search_slack.labels(game, bot).observe(slack)
        if not result.iterations:
            return
        self.search_iterations.labels(game, bot).inc(result.iterations)
        self.search_rate.labels(game, bot).observe(result.iterations / max(result.seconds, 1e-9))
        self.search_nodes.labels(game, bot).observe(result.nodes)
        self.search_entropy.labels(game, bot).observe(result.entropy)

    def serve(self, host: str, port: int) -> tuple[MetricsServer, Thread]:
        """Answer HTTP requests in a thread of its own until the server is shut down."""
        server = MetricsServer(host, port, self.registry)
        thread = Thread(target=server.serve_forever, name="metrics", daemon=True)
        thread.start()
        return server, thread


class MetricsServer(ThreadingHTTPServer):
    """A thread for each connection, but few at a time, and none for long: more are closed unheard."""

    def __init__(self, host: str, port: int, registry: CollectorRegistry) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._places = BoundedSemaphore(CONNECTIONS)
        super().__init__((host.strip("[]"), port), MetricsHandler.factory(registry))

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        # A timeout of the socket would begin anew with every byte.
        end = Timer(CONNECTION_SECONDS, close, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignored: a client may leave before the answer."""


def close(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
