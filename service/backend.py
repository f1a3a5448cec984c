"""All that answers calls, without a port: the services of the contract and what they share.

`Server` puts it on the network; a client in the same process calls its handlers directly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from pythia.core_cy import game_info, list_games
from pythia.service.advisor import Advisor
from pythia.service.advisors import Advisors, HandingRunner
from pythia.service.auth import ANALYSE, PLAY, Authenticator, Quotas, StoreSecret
from pythia.service.autoplayer import AutoPlayer
from pythia.service.calls import Endpoint, Middleware
from pythia.service.config import Config
from pythia.service.engine import Engine
from pythia.service.live_match import LiveMatches
from pythia.service.matches import Matches
from pythia.service.metrics import Metrics
from pythia.service.offered_bots import OfferedBots
from pythia.service.scheduler import Scheduler
from pythia.service.search_runner import Runner, scheduled
from pythia.service.servicers import AdvisorService, EngineService, MatchService
from pythia.service.sharing import Agreement, share_quotas
from pythia.service.store import MatchStore
from pythia.service.wire import DESCRIPTORS


class Backend:
    """`open` makes the handlers, `drain` lets calls finish that are under way, `close` ends the rest."""

    def __init__(self, config: Config) -> None:
        """`config` was checked."""
        self.config = config
        self.metrics = Metrics()
        self.authenticator = Authenticator(config)
        self._bots = OfferedBots(config.bot_names)
        self._advisors = Advisors(config, self.metrics) if config.advisors else None
        self._agreement: Agreement | None = None
        self.handlers: list[grpc.GenericRpcHandler] = []
        # Called when `is_broken` has changed.
        self.broke: Callable[[], Awaitable[None]] = nothing

    @property
    def is_broken(self) -> bool:
        """It should get no calls until it is restarted."""
        return self._agreement is not None and self._agreement.is_broken

    @property
    def troubles(self) -> list[str]:
        """What an operator should know, with what to do; without secrets and addresses."""
        found = list(self._matches.troubles)
        for part in (self._agreement, self._advisors):
            found += [] if part is None else part.troubles
        return found

    async def open(self) -> None:
        config = self.config
        # Games are imported when first asked for: now, as a server without descriptors to spare could not later.
        for name in list_games():
            game_info(name)
        self._store = MatchStore(config.store_url, self.metrics)
        try:
            secret = StoreSecret(await self._store.open())
            self._matches = LiveMatches(self._store, config.max_matches, self.metrics)
            self._matches.share(config.store_url)
            await self._matches.count()
        except BaseException:
            self._store.close()
            raise
        quotas = Quotas(is_shared=self._store.is_shared)
        self._scheduler, self.runner = scheduled(config, self.metrics, quotas, self._bots)
        runner = self.runner
        self.middleware = Middleware(
            self.authenticator, self.metrics, config.max_request_bytes, config.max_position_bytes
        )
        advisor = Advisor(runner, self._matches.guard)
        # Who searches for matches: this server, or others.
        player: Runner = runner
        if self._advisors is not None:
            await self._advisors.open()
            player = self._handing(self._advisors, quotas)
        hints = advisor if player is runner else Advisor(player, self._matches.guard)
        servicers: tuple[tuple[Any, str | None], ...] = (
            (EngineService(Engine(runner)), None),
            (AdvisorService(advisor), ANALYSE),
            (MatchService(Matches(self._matches, self._store, secret, player, config, hints)), PLAY),
        )
        self._servicers = servicers
        self._autoplayer = AutoPlayer(
            self._matches, self._store, player, self.authenticator.client_named, config, self.metrics
        )
        await self._autoplayer.start()
        self._tasks = [
            asyncio.create_task(self._matches.retain(config.keep_finished_days, config.keep_idle_days))
        ]
        if self._store.is_shared:
            self._tasks.append(asyncio.create_task(share_quotas(quotas, self._store)))
            self._tasks.append(asyncio.create_task(self._autoplayer.take_over()))
            self._tasks.append(asyncio.create_task(self._agree(secret)))
        self.handlers = [
            self.middleware.handler(descriptor, servicer, role)
            for descriptor, (servicer, role) in zip(DESCRIPTORS, servicers, strict=True)
        ]

    async def _agree(self, secret: StoreSecret) -> None:
        clients = secret.seal(self.authenticator.fingerprint)
        self._agreement = Agreement(self._store, secret.hex, clients)
        await self._agreement.keep(lambda: self.broke())

    def _handing(self, advisors: Advisors, quotas: Quotas) -> HandingRunner:
        config = self.config
        queue = Scheduler(
            1, config.queue_limit, config.queue_limit_per_client, self.metrics, config.reserved_workers
        )
        return HandingRunner(self.runner, advisors, queue, quotas, self.metrics, config.deadline_margin)

    def endpoints(self, transport: str) -> list[Endpoint]:
        """All methods, for a transport other than gRPC."""
        return [
            endpoint
            for descriptor, (servicer, role) in zip(DESCRIPTORS, self._servicers, strict=True)
            for endpoint in self.middleware.endpoints(descriptor, servicer, role, transport)
        ]

    async def drain(self) -> None:
        """Refuse new calls, and wait for those under way as long as the settings say."""
        self._matches.stop()
        await self._autoplayer.close()
        await self.middleware.close(self.config.grace_seconds)
        if self._advisors is not None:
            await self._advisors.close()

    def close(self) -> None:
        if self._advisors is not None:
            self._advisors.stop()
        for task in self._tasks:
            task.get_loop().call_soon_threadsafe(task.cancel)
        self._matches.close()
        self._scheduler.close()
        self._store.close()


async def nothing() -> None:
    """Nobody wants to know."""
