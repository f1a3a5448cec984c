"""Who calls, what they may do, and how much of it."""

from __future__ import annotations

import hashlib
import hmac
import time
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc

from pythia.service.config import Config, ConfigError
from pythia.service.errors import Refused, exhausted, forbidden

PLAY, ANALYSE, URGENT, ADMIN = "play", "analyse", "urgent", "admin"
ROLES = (PLAY, ANALYSE, URGENT, ADMIN)
MIN_TOKEN = 16
QUOTAS = ("concurrent_searches", "seconds_per_minute", "matches")

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True)
class Caller:
    """Somebody who calls. The name keeps queues apart and stands in logs."""

    name: str
    roles: frozenset[str]
    is_known: bool = True  # by a token or certificate; otherwise the name is only that of a connection
    concurrent_searches: int | None = None
    seconds_per_minute: float | None = None
    expires: datetime | None = None
    matches: int | None = None  # that it may have in the store; None: the number in the settings

    @property
    def owner(self) -> str:
        """Whose matches are this client's: those without a token or certificate share theirs."""
        return self.name if self.is_known else ""

    @property
    def is_expired(self) -> bool:
        return self.expires is not None and self.expires <= datetime.now(UTC)

    @property
    def is_admin(self) -> bool:
        return ADMIN in self.roles

    def need(self, role: str, field: str = "") -> None:
        """`field` names the part of a request that only the role may use."""
        if role not in self.roles and not self.is_admin:
            raise forbidden(
                field,
                f"the role {role!r} is needed; the token has: {', '.join(sorted(self.roles))}",
                "ROLE_NEEDED",
            )


class Origin:
    """Where a request comes from: who asks, and when at the latest an answer is of use (`time.monotonic`)."""

    __slots__ = ("client", "deadline")

    def __init__(self, client: Caller, deadline: float | None = None) -> None:
        self.client = client
        self.deadline = deadline


# The process itself, where it calls the service without a network.
LOCAL_CALLER = Caller("local", frozenset((PLAY, ANALYSE, URGENT)), is_known=False)

# For whom the server plays the bots of matches that somebody without a token or certificate made.
UNKNOWN_PLAYER = Caller("autoplay", frozenset((PLAY,)), is_known=False)


class Authenticator:
    """Knows clients by their tokens or certificates. Without either, everyone who can connect is welcome."""

    def __init__(self, config: Config) -> None:
        self._clients = read_tokens(config)
        self._mutual_tls = bool(config.tls_client_ca)

    @property
    def has_tokens(self) -> bool:
        return bool(self._clients)

    @property
    def fingerprint(self) -> str:
        """The same for servers that know the same clients by the same tokens, roles and quotas."""
        known = sorted(
            (key, repr(replace(client, roles=frozenset())), sorted(client.roles))
            for key, client in self._clients.items()
        )
        return digest(repr((known, self._mutual_tls)))

    def client_named(self, owner: str) -> Caller | None:
        """Who owns matches under this name (`Caller.owner`) and may play; None where nobody does any more."""
        if self._clients:
            found = (client for client in self._clients.values() if client.name == owner)
            client = next(found, None)
            return None if client is None or client.is_expired else client
        if self._mutual_tls:
            return Caller(owner, frozenset((PLAY, ANALYSE))) if owner else None
        return None if owner else UNKNOWN_PLAYER

    def client_of(self, context: Context) -> Caller:
        if self._clients:
            return self._by_token(context)
        if self._mutual_tls:
            names = list(context.auth_context().get("x509_common_name", ()))
            return Caller(names[0].decode() if names else "certificate", frozenset((PLAY, ANALYSE)))
        return Caller(context.peer(), frozenset((PLAY, ANALYSE, URGENT)), is_known=False)

    def _by_token(self, context: Context) -> Caller:
        for key, value in context.invocation_metadata() or ():
            if key == "authorization" and isinstance(value, str):
                scheme, _, token = value.partition(" ")
                client = self._clients.get(digest(token)) if scheme.lower() == "bearer" else None
                if client is None:
                    raise unknown("BAD_TOKEN", "the token is not known")
                if client.is_expired:
                    raise unknown(
                        "TOKEN_EXPIRED", f"the token has expired, at {client.expires}; ask for a new one"
                    )
                return client
        raise unknown("NO_TOKEN", "is missing; send the metadata `authorization: Bearer TOKEN`")


def unknown(reason: str, message: str) -> Refused:
    return Refused(grpc.StatusCode.UNAUTHENTICATED, reason, f"authorization: {message}")


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def read_tokens(config: Config) -> dict[str, Caller]:
    """Clients by the digest of their token."""
    where = "tokens_file" if config.tokens_file else "tokens"
    text = Path(config.tokens_file).read_text(encoding="utf-8") if config.tokens_file else config.tokens
    if not text:
        return {}
    try:
        entries = tomllib.loads(text).get("tokens")
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not TOML: {error}") from None
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"{where}: has no [[tokens]]; give at least one")
    clients: dict[str, Caller] = {}
    for number, entry in enumerate(entries):
        key, client = read_token(f"{where}: tokens[{number}]", entry)
        if key in clients or any(client.name == other.name for other in clients.values()):
            raise ConfigError(f"{where}: tokens[{number}]: duplicate name or token")
        clients[key] = client
    return clients


def read_token(where: str, entry: Any) -> tuple[str, Caller]:
    """Messages never contain the token."""
    known = ("name", "token", "sha256", "roles", "expires", *QUOTAS)
    if not isinstance(entry, dict) or set(entry) - set(known):
        raise ConfigError(f"{where}: allowed: {', '.join(known)}")
    name, token, sha256 = entry.get("name"), entry.get("token"), entry.get("sha256")
    if not isinstance(name, str) or not 1 <= len(name) <= 100:
        raise ConfigError(f"{where}.name: {name!r} is not allowed; allowed: 1 to 100 characters")
    if (token is None) == (sha256 is None):
        raise ConfigError(
            f"{where}: give either token or sha256, which is the SHA-256 of the token in hexadecimal"
        )
    if token is not None and (not isinstance(token, str) or len(token) < MIN_TOKEN):
        raise ConfigError(f"{where}.token: too short; allowed: {MIN_TOKEN} characters or more")
    if sha256 is not None and (not isinstance(sha256, str) or len(sha256) != 64):
        raise ConfigError(f"{where}.sha256: not a SHA-256 in hexadecimal")
    roles = entry.get("roles")
    if not isinstance(roles, list) or not roles or not all(role in ROLES for role in roles):
        raise ConfigError(f"{where}.roles: {roles!r} is not allowed; allowed: a list of {', '.join(ROLES)}")
    expires = entry.get("expires")
    if expires is not None and (not isinstance(expires, datetime) or expires.tzinfo is None):
        raise ConfigError(
            f"{where}.expires: {str(expires)!r} is not allowed; allowed: a time with its zone, as 2030-12-31T00:00:00Z"
        )
    quotas = [entry.get(key) for key in QUOTAS]
    for key, value in zip(QUOTAS, quotas, strict=True):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0
        ):
            raise ConfigError(f"{where}.{key}: {value!r} is not allowed; allowed: a number above 0")
    client = Caller(name, frozenset(roles), True, quotas[0], quotas[1], expires, quotas[2])
    return (digest(token) if token is not None else str(sha256).lower()), client


@dataclass(frozen=True, eq=False)
class Reservation:
    """What a search may take: a number of seconds for each of its threads."""

    client: Caller
    threads: int
    seconds: float


class Quotas:
    """How much clients with quotas have used: searches at the same time, and seconds per minute (a leaking bucket).

    The seconds of a search are billed when it begins, for each of its threads; what it did not take is given back when
    it has ended, whatever became of its call. So searches at the same time cannot take more than there is: each may
    take up to half of what is left.

    Servers on one store share the buckets: each reports its bills to the store (`unsettled`), and gets back the level
    after the bills of all (`settle`).
    """

    # The share of the seconds per minute that must be left for another search to begin.
    LEAST_SHARE = 0.1

    def __init__(self, clock: Callable[[], float] = time.monotonic, is_shared: bool = False) -> None:
        self._clock = clock
        self._is_shared = is_shared
        self._running: Counter[str] = Counter()
        self._used: dict[str, tuple[float, float]] = {}  # seconds in the bucket, and when that was
        self._bills: dict[
            str, tuple[float, float]
        ] = {}  # not reported yet: seconds, and the client's seconds per minute

    def begin(self, client: Caller, threads: int, seconds: float) -> Reservation:
        """For a search with these threads that takes `seconds` at most; it may be granted fewer."""
        running = self._running[client.name]
        if client.concurrent_searches is not None and running >= client.concurrent_searches:
            raise exhausted("TOO_MANY_SEARCHES", f"{running} searches of this token already run or wait", 1.0)
        if client.seconds_per_minute is not None:
            left = client.seconds_per_minute - self._level(client)
            least = client.seconds_per_minute * self.LEAST_SHARE
            if left < least:
                wait = (least - left) * 60 / client.seconds_per_minute + 1
                raise exhausted("SECONDS_USED_UP", "the seconds per minute of this token are used up", wait)
            seconds = min(seconds, left / 2 / threads)
            self._bill(client, seconds * threads)
        self._running[client.name] += 1
        return Reservation(client, threads, seconds)

    def end(self, reservation: Reservation, seconds: float) -> None:
        """The search has ended after `seconds`, 0 if it never began."""
        client = reservation.client
        self._running[client.name] -= 1
        if client.seconds_per_minute is not None:
            self._bill(client, (seconds - reservation.seconds) * reservation.threads)
        if not self._running[client.name]:
            del self._running[client.name]

    def unsettled(self) -> dict[str, tuple[float, float]]:
        """The bills since the last call, by client: seconds, and its seconds per minute."""
        bills, self._bills = self._bills, {}
        return bills

    def unsettle(self, client: str, seconds: float, rate: float) -> None:
        """Keep a bill that could not be reported for the next time."""
        self._bills[client] = (self._bills.get(client, (0.0, rate))[0] + seconds, rate)

    def settle(self, client: str, level: float) -> None:
        """The bucket of a client holds `level` seconds, apart from bills not yet reported."""
        self._used[client] = (level + self._bills.get(client, (0.0, 0.0))[0], self._clock())

    def _bill(self, client: Caller, seconds: float) -> None:
        rate = client.seconds_per_minute or 0.0
        self._used[client.name] = (max(0.0, self._level(client) + seconds), self._clock())
        if self._is_shared:
            self.unsettle(client.name, seconds, rate)

    def _level(self, client: Caller) -> float:
        level, when = self._used.get(client.name, (0.0, 0.0))
        return max(0.0, level - (self._clock() - when) * (client.seconds_per_minute or 0.0) / 60)


class StoreSecret:
    """What is made from the secret of the store: tokens of seats and owners, and the seeds of matches.

    `nonce` is that of the match: another match that gets the same id has other tokens and another deal.
    """

    OWNER = "owner"

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @property
    def hex(self) -> str:
        """As the store has it."""
        return self._secret.hex()

    def token(self, match_id: str, nonce: str, holder: int | str, rotation: int = 0) -> str:
        """The token of a seat or the owner, after it was replaced that often."""
        if not nonce and not rotation:
            return self._made(f"{match_id}/{holder}")  # as version 0.1.0 made them
        return self._made(f"token/{match_id}/{nonce}/{holder}/{rotation}")

    def seed(self, nonce: str, chosen: int | None) -> int:
        """The seed of the deal and luck of a match; the caller's number alone reveals nothing about it."""
        return int(self._made(f"seed/{nonce}/{chosen}"), 16)

    def seal(self, text: str) -> str:
        """Something that only who has the secret can compare."""
        return self._made(f"seal/{text}")

    def _made(self, text: str) -> str:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()


def is_token(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())
