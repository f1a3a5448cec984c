"""All that answers calls, without a port: the services of the contract and what they share.

`Server` puts it on the network; a client in the same process calls its handlers directly.
"""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from pythia.core_cy import game_info, list_games
from pythia.service.advisor import AdvisorService
from pythia.service.auth import ANALYSE, PLAY, Doorman, Quotas, StoreSecret
from pythia.service.calls import Endpoint, Surround
from pythia.service.config import Config
from pythia.service.convert import Bounds
from pythia.service.engine import EngineService
from pythia.service.match import MatchService
from pythia.service.matches import Matches
from pythia.service.metrics import Metrics
from pythia.service.scheduler import Scheduler
from pythia.service.store import Store
from pythia.service.thinking import Thinking
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2

DESCRIPTORS = (
    engine_pb2.DESCRIPTOR.services_by_name["EngineService"],
    advisor_pb2.DESCRIPTOR.services_by_name["AdvisorService"],
    match_pb2.DESCRIPTOR.services_by_name["MatchService"],
)


class Backend:
    """`open` makes the handlers, `drain` lets calls finish that are under way, `close` ends the rest."""

    def __init__(self, config: Config) -> None:
        """`config` was checked."""
        self.config = config
        self.metrics = Metrics()
        self.doorman = Doorman(config)
        self.handlers: list[grpc.GenericRpcHandler] = []

    async def open(self) -> None:
        config = self.config
        # Games are imported when first asked for: now, as a server without descriptors to spare could not later.
        for name in list_games():
            game_info(name)
        self._store = Store(config.store_url, self.metrics)
        try:
            secret = StoreSecret(await self._store.open())
            self._matches = Matches(self._store, config.max_matches, self.metrics)
            await self._matches.count()
        except BaseException:
            self._store.close()
            raise
        workers = config.worker_count
        self._scheduler = Scheduler(
            workers,
            config.queue_limit,
            config.queue_limit_per_client,
            self.metrics,
            config.reserved_workers,
        )
        bounds = Bounds(config.max_seconds, config.max_iterations, workers)
        self.thinking = thinking = Thinking(
            self._scheduler, Quotas(), self.metrics, bounds, config.deadline_margin
        )
        self.surround = Surround(
            self.doorman, self.metrics, config.max_request_bytes, config.max_position_bytes
        )
        servicers: tuple[tuple[Any, str | None], ...] = (
            (EngineService(bounds), None),
            (AdvisorService(thinking), ANALYSE),
            (MatchService(self._matches, self._store, secret, thinking, config), PLAY),
        )
        self._servicers = servicers
        self._retention = asyncio.create_task(
            self._matches.retain(config.keep_finished_days, config.keep_idle_days)
        )
        self.handlers = [
            self.surround.handler(descriptor, servicer, role)
            for descriptor, (servicer, role) in zip(DESCRIPTORS, servicers, strict=True)
        ]

    def endpoints(self, transport: str) -> list[Endpoint]:
        """All methods, for a transport other than gRPC."""
        return [
            endpoint
            for descriptor, (servicer, role) in zip(DESCRIPTORS, self._servicers, strict=True)
            for endpoint in self.surround.endpoints(descriptor, servicer, role, transport)
        ]

    async def drain(self) -> None:
        """Refuse new calls, and wait for those under way as long as the settings say."""
        self._matches.stop()
        await self.surround.close(self.config.grace_seconds)

    def close(self) -> None:
        self._retention.get_loop().call_soon_threadsafe(self._retention.cancel)
        self._scheduler.close()
        self._store.close()
