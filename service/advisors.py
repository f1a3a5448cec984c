"""Searches of matches that other servers do: `advisors` names servers that answer AdvisorService.

A bot's view goes there as the observation it stands for, and its answer comes back; nothing of a match does. Each
search takes a place of its client in a queue here, which has a few places for each thread of the advisors, so clients
take turns as they do for the processors of one server. An advisor that is gone, stops or does not fit costs another
try: at the next advisor, and at the end on the processors of this server.

Only searches of matches are handed over. What AdvisorService is asked is searched where it is asked, so servers may
name each other without a search going round in circles.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from pythia.core_cy import View, list_games
from pythia.search.bots import BotSpec, Progress, SearchBot
from pythia.search.plugins import is_numbers, is_report
from pythia.search.result import Result
from pythia.service.auth import Origin, Quotas
from pythia.service.config import Config, ConfigError
from pythia.service.errors import DETAILS, Refused, exhausted
from pythia.service.logs import LOG
from pythia.service.scheduler import Scheduler
from pythia.service.search_runner import DecisionJob, Runner, SearchRunner, cut_to
from pythia.service.types import ServerInfo
from pythia.service.wire import PRIORITIES, bot_message, position_message, result_of, server_info_of
from pythia.v1 import advisor_pb2, advisor_pb2_grpc, engine_pb2, engine_pb2_grpc, position_pb2, search_pb2

if TYPE_CHECKING:
    from pythia.service.metrics import Metrics

T = TypeVar("T")
Code = grpc.StatusCode

# Seconds between two looks at each advisor, and for its answer.
LOOK_SECONDS = 2.0
ANSWER_SECONDS = 5.0
# Seconds until an advisor is tried again that answers looks and fails at searches.
SHUN_SECONDS = 60.0
# Seconds beyond those of a search without a deadline after which nobody waits for its answer any more.
OVERTIME_SECONDS = 30.0
# Searches handed to an advisor for each of its threads: while one runs, two wait there. So it never waits for work, and
# its queue shows an autoscaler when there are too few.
PER_THREAD = 3
CHANNEL: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)
NAMES = {place: number for number, place in PRIORITIES.items() if number}
# What an advisor refuses because of the search: then this server does it, and says what is wrong itself.
UNWANTED = (Code.INVALID_ARGUMENT, Code.FAILED_PRECONDITION, Code.OUT_OF_RANGE, Code.NOT_FOUND)


class NotElsewhere(Exception):
    """No advisor can do a search; this server can."""


class Forced(NotElsewhere):
    """There is only one move: nothing is worth a call."""


@dataclass(frozen=True)
class Search:
    """A search as advisors get it."""

    view: View
    spec: BotSpec
    request: advisor_pb2.SuggestMoveRequest
    seconds: float  # that the call may take
    progress: Progress | None


class Advisor:
    """One server, and what is known of it. `trouble` says why it is not used, and what to do."""

    def __init__(self, address: str, channel: grpc.aio.Channel, token: str) -> None:
        self.address = address
        self.trouble = "has not answered yet"
        self.missing: tuple[str, ...] = ()  # games
        self.running = 0
        self.used = 0.0  # when it got its last search
        self._shunned_until = 0.0
        self._channel = channel
        self._info: ServerInfo | None = None
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._engine: Any = engine_pb2_grpc.EngineServiceStub(channel)
        self._advice: Any = advisor_pb2_grpc.AdvisorServiceStub(channel)
        self._health: Any = health_pb2_grpc.HealthStub(channel)

    @property
    def places(self) -> int:
        """How many searches it gets at the same time."""
        return 0 if self.trouble or self._info is None else PER_THREAD * max(1, self._info.max_search_threads)

    @property
    def load(self) -> tuple[float, float]:
        """Less comes first: the share of its places that are taken, and when it was used."""
        return self.running / max(1, self.places), self.used

    def takes(self, game: str, spec: BotSpec) -> bool:
        """Whether it may be asked: it has the game, and allows as much."""
        info = self._info
        if self.trouble or info is None or game in self.missing:
            return False
        iterations = spec.limit.iterations if spec.limit else None
        return spec.threads <= info.max_search_threads and (iterations or 0) <= info.max_search_iterations

    async def look(self) -> None:
        """Find out whether it can be used."""
        if time.monotonic() < self._shunned_until:
            return
        try:
            asked = health_pb2.HealthCheckRequest()
            answer = await self._health.Check(asked, timeout=ANSWER_SECONDS)
            if answer.status != health_pb2.HealthCheckResponse.SERVING:
                self._note("stops, or does not serve now")
                return
            info = await self._engine.GetServerInfo(
                engine_pb2.GetServerInfoRequest(), timeout=ANSWER_SECONDS, metadata=self._metadata
            )
        except grpc.aio.AioRpcError as error:
            self._note(trouble_of(error))
            return
        self._info = server_info_of(info)
        own = version("pythia-opponent")
        if self._info.version != own:
            # Levels, weights and rules belong to a version: the same bot would play differently here and there.
            self._note(
                f"has version {self._info.version[:40]}, this server {own}; run the same version on both"
            )
            return
        missing = tuple(sorted(set(list_games()) - set(self._info.games)))
        if missing and missing != self.missing:
            LOG.warning(
                "an advisor does not have all games; searches for the others stay here",
                extra={"fields": {"advisor": self.address, "games": ", ".join(missing)}},
            )
        self.missing = missing
        self._note("")

    def _note(self, trouble: str, lasts: bool = False) -> None:
        """`lasts`: the next look would not find it."""
        if lasts:
            self._shunned_until = time.monotonic() + SHUN_SECONDS
        if trouble == self.trouble:
            return
        self.trouble = trouble
        fields = {"fields": {"advisor": self.address} | ({"reason": trouble} if trouble else {})}
        if trouble:
            LOG.warning("an advisor is not used", extra=fields)
        else:
            LOG.info("an advisor is used", extra=fields)

    async def search(self, search: Search) -> Result:
        """Its answer. Refused if it is busy, NotElsewhere if it does not want this search, Lost if it is gone."""
        assert self._info is not None
        limit = search.spec.limit
        request = advisor_pb2.SuggestMoveRequest()
        request.CopyFrom(search.request)
        if limit is not None and limit.seconds is not None:
            request.options.bot.limit.seconds = min(limit.seconds, self._info.max_search_seconds)
        self.running += 1
        self.used = time.monotonic()
        try:
            if search.progress is None:
                answer = await self._advice.SuggestMove(
                    request, timeout=search.seconds, metadata=self._metadata
                )
                return await self._checked(search.view, answer.analysis)
            return await self._follow(search, request, search.progress)
        except grpc.aio.AioRpcError as error:
            raise self._failure(error) from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise Lost from None  # its channel was closed: the name has other addresses now
        finally:
            self.running -= 1

    async def _checked(self, view: View, analysis: search_pb2.Analysis) -> Result:
        """An answer that can be played and shown: an advisor is trusted no more than a plug-in."""
        result = result_of(analysis)
        numbers = (*result.values, result.seconds)
        if (
            len(result.values) != view.game.players
            or not is_numbers(numbers)
            or result.seconds < 0
            or not 0 <= result.iterations < 2**31
            or not all(map(is_report, result.moves))
        ):
            self._note("answers with numbers that cannot be; run the same version on both", lasts=True)
            raise Lost
        try:
            await asyncio.to_thread(parse_moves, view, result)
        except ValueError:
            self._note("answers with moves that are not legal here; run the same version on both", lasts=True)
            raise Lost from None
        return result

    async def _follow(
        self, search: Search, request: advisor_pb2.SuggestMoveRequest, progress: Progress
    ) -> Result:
        """The same, telling what is known so far."""
        asked = advisor_pb2.AnalyzeRequest(
            observation=request.observation,
            options=request.options,
            interval_ms=round(progress.seconds * 1000),
        )
        stream = self._advice.Analyze(asked, timeout=search.seconds, metadata=self._metadata)
        try:
            async for answer in stream:
                result = await self._checked(search.view, answer.analysis)
                if answer.final:
                    return result
                progress.tell(result)
        finally:
            stream.cancel()
        raise Lost

    def _failure(self, error: grpc.aio.AioRpcError) -> Exception:
        code = error.code()
        if code in UNWANTED:
            # Without its words, in which something that a bot sees could stand.
            LOG.warning(
                "an advisor refused a search; this server does it",
                extra={"fields": {"advisor": self.address, "code": code.name}},
            )
            return NotElsewhere()
        if code == Code.RESOURCE_EXHAUSTED:
            return exhausted("ADVISORS_BUSY", "all advisors are busy", retry_seconds(error))
        known = code in (
            Code.UNAVAILABLE,
            Code.DEADLINE_EXCEEDED,
            Code.UNAUTHENTICATED,
            Code.PERMISSION_DENIED,
        )
        self._note(
            trouble_of(error) if known else f"failed at a search ({code.name}); see its log",
            lasts=code == Code.PERMISSION_DENIED,
        )
        return Lost()

    async def close(self) -> None:
        await self._channel.close()


def parse_moves(view: View, result: Result) -> None:
    """Raises ValueError if a move of the result is not legal."""
    for text in {result.move, *(report.move for report in result.moves)}:
        view.parse_move(text)


class Lost(Exception):
    """An advisor does not answer, or not as it should; it is not used until it has answered again."""


def trouble_of(error: grpc.aio.AioRpcError) -> str:
    """Why an advisor is not used, and what to do."""
    code, words = error.code(), (error.details() or "")[:200]
    if code == Code.UNAVAILABLE:
        return f"does not answer ({words}); start it, or take it out of `advisors`"
    if code == Code.DEADLINE_EXCEEDED:
        return "does not answer in time"
    if code == Code.UNAUTHENTICATED:
        return "does not know the token; check advisors_token"
    if code == Code.PERMISSION_DENIED:
        return f"does not allow it ({words}); advisors_token needs the roles analyse and urgent"
    if code == Code.UNIMPLEMENTED:
        return "is not a pythia server, or one of another version; check `advisors`"
    return f"failed ({code.name}: {words})"


def retry_seconds(error: grpc.aio.AioRpcError) -> float:
    """When a busy advisor wants to be asked again."""
    details = dict(error.trailing_metadata() or ()).get(DETAILS, b"")
    status, retry = status_pb2.Status(), error_details_pb2.RetryInfo()
    with suppress(Exception):  # whatever it is, it does no harm
        status.ParseFromString(details if isinstance(details, bytes) else b"")
    for detail in status.details:
        if detail.Unpack(retry):
            return float(max(0.05, min(60.0, retry.retry_delay.ToTimedelta().total_seconds())))
    return 1.0


class Advisors:
    """All advisors of a server. `changed` is called when the number of their places may have changed."""

    def __init__(self, config: Config, metrics: Metrics) -> None:
        self._addresses = config.advisor_addresses
        self._token = config.advisors_token
        self._credentials: grpc.ChannelCredentials | None = None
        if config.advisors_ca:
            content = Path(config.advisors_ca).read_bytes()
            if b"-----BEGIN" not in content:
                raise ConfigError(f"advisors_ca: {config.advisors_ca!r} is not a PEM file")
            self._credentials = grpc.ssl_channel_credentials(content)
        self._metrics = metrics
        self._known: dict[tuple[str, str], Advisor] = {}  # by the name in the settings and the address
        self._unknown: set[str] = set()  # names without an address
        self._task: asyncio.Task[None] | None = None
        self.changed: Callable[[], None] = lambda: None

    async def open(self) -> None:
        """Returns when each was asked once."""
        await self._look()
        self._task = asyncio.create_task(self._keep_looking())

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        self.stop()
        for advisor in self._known.values():
            await advisor.close()

    @property
    def places(self) -> int:
        return sum(advisor.places for advisor in self._known.values())

    @property
    def troubles(self) -> list[str]:
        """For health checks, which anybody may read: no addresses; the log has them."""
        used = sum(not advisor.trouble for advisor in self._known.values())
        count = len(self._known) + len(self._unknown - {name for name, _ in self._known})
        missing = {game for advisor in self._known.values() for game in advisor.missing}
        found = []
        if used < count:
            found.append(f"advisors: {used} of {count} are used; the log says why, and what to do")
        if missing:
            found.append(f"advisors: some do not have {', '.join(sorted(missing))}")
        return found

    def who_takes(self, game: str, spec: BotSpec, but: set[str]) -> Advisor | None:
        """The one to ask next, of those that were not asked yet. Any thread."""
        able = (
            advisor
            for advisor in tuple(self._known.values())
            if advisor.address not in but and advisor.takes(game, spec)
        )
        return min(able, key=lambda advisor: advisor.load, default=None)

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._look()
            except Exception as error:
                LOG.error("advisors could not be looked at", exc_info=error)

    async def _look(self) -> None:
        await asyncio.gather(*(self._find(name) for name in self._addresses))
        await asyncio.gather(*(advisor.look() for advisor in list(self._known.values())))
        for state, is_used in (("used", True), ("not used", False)):
            count = sum((not advisor.trouble) is is_used for advisor in self._known.values())
            self._metrics.advisors.labels(state).set(count)
        self.changed()

    async def _find(self, name: str) -> None:
        """The addresses that a name has now: servers come and go."""
        host, _, port = name.rpartition(":")
        try:
            found = await asyncio.get_running_loop().getaddrinfo(
                host.strip("[]"), int(port), type=socket.SOCK_STREAM
            )
        except OSError as error:
            # The addresses that it had stay: a name server that fails must not cost all advisors.
            if name not in self._unknown:
                self._unknown.add(name)
                LOG.warning(
                    "an advisor's name is not known; check `advisors`",
                    extra={"fields": {"advisor": name, "error": error.strerror}},
                )
            return
        self._unknown.discard(name)
        # A server with addresses of both kinds is one server.
        family = min(family for family, *_ in found)
        numbers = {str(where[0]) for kind, _, _, _, where in found if kind == family}
        addresses = {f"[{number}]:{port}" if ":" in number else f"{number}:{port}" for number in numbers}
        for key in [key for key in self._known if key[0] == name and key[1] not in addresses]:
            await self._known.pop(key).close()
        for address in addresses:
            if (name, address) not in self._known:
                self._known[name, address] = Advisor(
                    address, self._channel(host.strip("[]"), address), self._token
                )

    def _channel(self, host: str, address: str) -> grpc.aio.Channel:
        # Its certificate is for the name in the settings.
        options = [*CHANNEL, ("grpc.default_authority", host)]
        if self._credentials is None:
            return grpc.aio.insecure_channel(address, options)
        return grpc.aio.secure_channel(
            address, self._credentials, [*options, ("grpc.ssl_target_name_override", host)]
        )


class HandingRunner(SearchRunner):
    """Lets advisors search, and this server where they cannot."""

    def __init__(
        self,
        here: Runner,
        advisors: Advisors,
        queue: Scheduler,
        quotas: Quotas,
        metrics: Metrics,
        margin: float,
    ) -> None:
        super().__init__(queue, quotas, metrics, here.bounds, margin)
        self._here = here
        self._advisors = advisors
        advisors.changed = self._resize
        self._resize()

    def _resize(self) -> None:
        # Never none: whoever waits goes on, finds that nobody is there, and searches here.
        self._scheduler.resize(max(1, self._advisors.places))
        self.workers = self._advisors.places or self._here.workers

    async def aside(self, origin: Origin, work: Callable[[], T]) -> T:
        return await self._here.aside(origin, work)

    def check_room(self, origin: Origin, priority: int) -> None:
        if self._advisors.places:
            super().check_room(origin, priority)
        else:
            self._here.check_room(origin, priority)

    async def _run(self, decision: DecisionJob[T]) -> T:
        spec = decision.bot.spec
        # A bot without a limit answers in less time than a call takes; one of somebody else is installed here.
        if isinstance(decision.bot, SearchBot) and spec is not None:
            try:
                return await self._hand_over(decision, decision.bot, spec)
            except NotElsewhere as why:
                if not isinstance(why, Forced):
                    self._metrics.handed_over.labels("here").inc()
        return await self._here._run(decision)

    async def _hand_over(self, decision: DecisionJob[T], bot: SearchBot, spec: BotSpec) -> T:
        origin, deadline, own = decision.origin, decision.deadline, decision.own_seconds

        def read() -> tuple[View, position_pb2.Position]:
            view = decision.view()
            if len(view.legal_moves()) < 2:
                raise Forced
            if self._advisors.who_takes(view.game.name, spec, set()) is None:
                raise NotElsewhere
            return view, position_message(view.observation())

        view, position = await self.aside(origin, read)
        reserved = self._quotas.begin(origin.client, bot.threads, self._most_seconds(own, deadline))
        took = 0.0
        try:
            async with self._scheduler.place(
                origin.client.name,
                decision.priority,
                seconds=None if own is None else reserved.seconds,
                until=float("inf") if deadline is None else time.monotonic() + self._before(deadline),
                patient=decision.patient,
                patience=self._patience(origin),
            ):
                began = time.monotonic()
                try:
                    result = await self._ask(decision, bot, spec, view, position, reserved.seconds)
                    took = min(result.seconds, time.monotonic() - began)
                except BaseException:
                    took = time.monotonic() - began
                    raise
        finally:
            self._quotas.end(reserved, took)

        return await asyncio.to_thread(decision.then, view, result)

    async def _ask(
        self,
        decision: DecisionJob[T],
        bot: SearchBot,
        spec: BotSpec,
        view: View,
        position: position_pb2.Position,
        most: float,
    ) -> Result:
        """The answer of the first advisor that has one."""
        asked: set[str] = set()
        busy: Refused | None = None
        while (advisor := self._advisors.who_takes(view.game.name, spec, asked)) is not None:
            asked.add(advisor.address)
            search = self._search(decision, bot, spec, view, position, most)
            try:
                result = await advisor.search(search)
            except Lost:
                self._metrics.handed_over.labels("lost").inc()
                self._resize()
                continue
            except Refused as refusal:
                self._metrics.handed_over.labels("busy").inc()
                if busy is None or (refusal.retry_seconds or 0) < (busy.retry_seconds or 0):
                    busy = refusal
                continue
            bot.turn.spend(result.iterations, result.seconds)
            self._metrics.handed_over.labels("done").inc()
            return result
        if busy is not None:
            raise busy
        raise NotElsewhere

    def _search(
        self,
        decision: DecisionJob[T],
        bot: SearchBot,
        spec: BotSpec,
        view: View,
        position: position_pb2.Position,
        most: float,
    ) -> Search:
        """What is asked now, in the time that is left now."""
        deadline = decision.deadline
        seconds = min(most, self._most_seconds(decision.own_seconds, deadline))
        limit = bot.turn.share(cut_to(bot, view.game, seconds), view.turn_number)
        spec = replace(spec, limit=limit)
        try:
            message = bot_message(spec)
        except Refused:  # a parameter that a message has no place for
            raise NotElsewhere from None
        more = decision.more
        options = search_pb2.SearchOptions(
            bot=message,
            lines=more["lines"] or 1,
            consider=more["consider"],
            avoid=more["avoid"],
            seed=bot.seed,
            priority=NAMES[decision.priority],
            language=more["language"],
        )
        left = (
            seconds + OVERTIME_SECONDS
            if deadline is None
            else max(0.001, deadline - time.monotonic() - self._margin)
        )
        request = advisor_pb2.SuggestMoveRequest(observation=position, options=options)
        return Search(view, spec, request, left, more["progress"])
