"""The settings of a server: from a file, the environment and flags.

A flag overrides the environment, the environment the file, the file the default. A setting has the name of its field in
`Config` in the file, PYTHIA_ and that name in capitals in the environment, and dashes as a flag.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from pythia.service.logs import LEVELS

DEFAULT_PORT = 50051
DEFAULT_HTTP_PORT = 8080
PREFIX = "PYTHIA_"


class ConfigError(Exception):
    """Settings that cannot be used; the message names the setting, its value and what is allowed."""


def setting(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Config:
    """Every setting with its default. `checked` refuses what is out of range or unsafe."""

    host: str = setting(
        "127.0.0.1",
        "address to listen on; beyond loopback only with TLS or a proxy, and tokens or tls_client_ca",
    )
    port: int = setting(DEFAULT_PORT, "port to listen on; 0 picks a free one")
    http: bool = setting(
        False, "serve HTTP too: Connect, gRPC-Web and JSON, for browsers and every HTTP client"
    )
    http_host: str = setting("", "address for HTTP; empty: same as host")
    http_port: int = setting(
        -1, f"port for HTTP; setting it turns HTTP on; -1: {DEFAULT_HTTP_PORT}, or a free one when port is 0"
    )
    http_names: str = setting(
        "", "names under which browsers reach HTTP, separated by commas, such as pythia.example.org"
    )
    cors_origins: str = setting(
        "",
        "origins of other sites whose pages may call, with commas, such as https://example.org; *: all, needs tokens",
    )
    behind_proxy: bool = setting(
        False,
        "a proxy terminates TLS, so HTTP, and gRPC without tls_cert, are not encrypted; needs tokens",
    )
    tls_cert: str = setting("", "file with the server's certificate chain (PEM)")
    tls_key: str = setting("", "file with the private key (PEM), readable by its owner only")
    tls_client_ca: str = setting("", "file with the certificate authority of the clients (PEM): mutual TLS")
    tokens_file: str = setting("", "file with tokens, roles and quotas (TOML), readable by its owner only")
    tokens: str = setting("", "the content of such a file; for use in the environment")
    store: str = setting(
        "",
        "where matches are kept: sqlite:PATH, postgresql://..., or memory:; empty: sqlite in the state folder",
    )
    bots: str = setting(
        "",
        "plug-in bots that callers may use, separated by commas: names, or classes as package.module:Class",
    )
    advisors: str = setting(
        "",
        "servers that search for the matches of this one, with commas, as 10.0.0.5:50051; a name: all its addresses",
    )
    advisors_token: str = setting(
        "", "the token that advisors know this server by; its roles: analyse, urgent"
    )
    advisors_ca: str = setting(
        "", "file with the certificate authority of the advisors (PEM): calls to them use TLS"
    )
    workers: int = setting(0, "the number of searches that run at the same time; 0: one per processor")
    reserved_workers: int = setting(1, "the number of workers that searches of low priority leave free")
    queue_limit: int = setting(
        64, "the number of searches that may wait; low priority has another queue as long"
    )
    queue_limit_per_client: int = setting(32, "the number of searches of one client that may wait")
    max_seconds: float = setting(60.0, "longest search in seconds")
    max_iterations: int = setting(10_000_000, "maximum iterations of a search")
    max_request_bytes: int = setting(
        1_048_576, "largest request with a batch of positions or a record, in bytes"
    )
    max_position_bytes: int = setting(65_536, "largest request of all other methods, in bytes")
    max_connections: int = setting(256, "the number of open connections")
    max_matches: int = setting(
        1000, "the number of matches kept in memory; others are read from the store when needed"
    )
    matches_per_client: int = setting(
        10_000,
        "the number of matches that one client may have in the store; callers without a token count as one",
    )
    autoplay_matches: int = setting(
        100, "matches with autoplay that the server plays at the same time; others wait"
    )
    autoplay_matches_per_client: int = setting(
        20, "the same for one client; those without a token count together"
    )
    keep_finished_days: float = setting(
        0.0, "remove a match from the store this many days after its end; 0: never"
    )
    keep_idle_days: float = setting(
        0.0, "remove an unfinished match this many days after its last move; 0: never"
    )
    seat_token_hours: float = setting(24.0, "seat tokens expire this many hours after the end of a match")
    deadline_margin: float = setting(
        0.05, "minimum seconds between the end of a search and the deadline of its call"
    )
    grace_seconds: float = setting(30.0, "seconds for running calls to finish when the server stops")
    keepalive_seconds: float = setting(60.0, "seconds of silence after which the server checks a connection")
    metrics_host: str = setting("127.0.0.1", "address of the metrics; beyond loopback only with metrics_open")
    metrics_open: bool = setting(False, "let other machines read metrics, without tokens and encryption")
    metrics_port: int = setting(
        -1, "port of the metrics; -1: the one after port, or a free one when port is 0"
    )
    metrics: bool = setting(True, "serve metrics")
    log_level: str = setting("warning", f"lowest level to log: {', '.join(LEVELS)}; info logs every call")

    @property
    def store_url(self) -> str:
        if self.store:
            return self.store
        return f"sqlite:{state_folder() / 'matches.sqlite'}"

    @property
    def worker_count(self) -> int:
        return self.workers or os.cpu_count() or 1

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def serves_http(self) -> bool:
        return self.http or self.http_port >= 0

    @property
    def http_address(self) -> str:
        return self.http_host or self.host

    @property
    def http_is_loopback(self) -> bool:
        return is_loopback(self.http_address)

    @property
    def http_tls(self) -> bool:
        return bool(self.tls_cert) and not self.behind_proxy

    @property
    def bot_names(self) -> list[str]:
        return listed(self.bots)

    @property
    def advisor_addresses(self) -> list[str]:
        return [address.removeprefix("dns:///") for address in listed(self.advisors)]

    @property
    def names(self) -> list[str]:
        return listed(self.http_names)

    @property
    def origins(self) -> list[str]:
        return listed(self.cors_origins)

    def checked(self) -> Config:
        """The same, or ConfigError."""
        for name, low, high in RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                hint = ", 0 picks a free one" if name == "port" else ""
                raise not_allowed(name, value, f"{low} to {high}{hint}")
        if self.log_level not in LEVELS:
            raise not_allowed("log_level", self.log_level, ", ".join(LEVELS))
        if bool(self.tls_cert) != bool(self.tls_key):
            absent = "tls_key" if self.tls_cert else "tls_cert"
            raise ConfigError(f"{absent}: is missing; a certificate needs its key, and a key its certificate")
        if self.tls_client_ca and not self.tls_cert:
            raise ConfigError("tls_client_ca: needs tls_cert and tls_key")
        if self.tokens and self.tokens_file:
            raise ConfigError("tokens: cannot be used with tokens_file; give one of them")
        if self.behind_proxy and not (self.tokens or self.tokens_file):
            raise ConfigError(
                "behind_proxy: a proxy lets others reach the server, and everyone may call; give tokens_file or tokens"
            )
        if not self.is_loopback:
            if not self.tls_cert and not self.behind_proxy:
                raise ConfigError(
                    f"host: {self.host!r} can be reached from other machines, and without encryption others on the "
                    "network can read the traffic; give tls_cert and tls_key, set behind_proxy = true if a proxy "
                    "terminates TLS, or listen on 127.0.0.1"
                )
            if not (self.tokens or self.tokens_file or self.tls_client_ca):
                raise ConfigError(
                    f"host: {self.host!r} can be reached from other machines, and everyone may call; "
                    "give tokens_file, tokens or tls_client_ca, or listen on 127.0.0.1"
                )
        if self.metrics and not self.metrics_open and not is_loopback(self.metrics_host):
            raise ConfigError(
                f"metrics_host: {self.metrics_host!r} can be reached from other machines, and everyone may read them; "
                "set metrics_open = true if you want that, or listen on 127.0.0.1"
            )
        self._check_http()
        self._check_advisors()
        for name in ("tls_cert", "tls_key", "tls_client_ca", "tokens_file", "advisors_ca"):
            if path := getattr(self, name):
                check_file(name, Path(path), secret=name in ("tls_key", "tokens_file"))
        return self

    def _check_http(self) -> None:
        has_tokens = bool(self.tokens or self.tokens_file)
        for name in self.names:
            if not NAME.fullmatch(name):
                raise not_allowed(
                    "http_names", name, "a name, or a name and a port, as pythia.example.org:8443"
                )
        for origin in self.origins:
            if origin == "*":
                if not has_tokens and not self.tls_client_ca:
                    raise ConfigError(
                        "cors_origins: '*' lets every page in the world call, and everyone may call; give tokens_file "
                        "or tokens, or name the origins"
                    )
            elif not ORIGIN.fullmatch(origin):
                raise not_allowed(
                    "cors_origins", origin, "* or an origin without a path, as https://example.org"
                )
        if not self.serves_http:
            return
        if not self.http_is_loopback and not self.behind_proxy:
            if not self.tls_cert:
                raise ConfigError(
                    f"http_host: {self.http_address!r} can be reached from other machines, and without encryption "
                    "others on the network can read the traffic; give tls_cert and tls_key, set behind_proxy = true "
                    "if a proxy terminates TLS, or listen on 127.0.0.1"
                )
            if not has_tokens and not self.tls_client_ca:
                raise ConfigError(
                    f"http_host: {self.http_address!r} can be reached from other machines, and everyone may call; "
                    "give tokens_file, tokens or tls_client_ca, or listen on 127.0.0.1"
                )

    def _check_advisors(self) -> None:
        for name in ("advisors_token", "advisors_ca"):
            if getattr(self, name) and not self.advisors:
                raise ConfigError(f"{name}: needs advisors")
        if self.advisors_token and not (self.advisors_token.isascii() and self.advisors_token.isprintable()):
            raise ConfigError("advisors_token: cannot be sent; allowed: printable ASCII characters")
        if len(self.advisor_addresses) > MAX_ADVISORS:
            raise not_allowed("advisors", f"{len(self.advisor_addresses)} addresses", f"up to {MAX_ADVISORS}")
        for address in self.advisor_addresses:
            if not ADDRESS.fullmatch(address) or not 0 < int(address.rpartition(":")[2]) < 65536:
                raise not_allowed("advisors", address, "HOST:PORT, several with commas between them")
            host = address.rpartition(":")[0]
            if not (self.advisors_ca or self.behind_proxy or is_loopback(host)):
                raise ConfigError(
                    f"advisors: {address!r} is another machine, and without encryption others on the network can read "
                    "what a bot sees; give advisors_ca, or set behind_proxy = true if the network between them is "
                    "your own"
                )


RANGES: tuple[tuple[str, float, float], ...] = (
    ("port", 0, 65535),
    ("http_port", -1, 65535),
    ("metrics_port", -1, 65535),
    ("workers", 0, 1024),
    ("reserved_workers", 0, 1024),
    ("queue_limit", 1, 100_000),
    ("queue_limit_per_client", 1, 100_000),
    ("max_seconds", 0.001, 86_400),
    ("max_iterations", 1, 10**12),
    ("max_request_bytes", 1024, 2**30),
    ("max_position_bytes", 1024, 2**30),
    ("max_connections", 1, 100_000),
    ("max_matches", 1, 1_000_000),
    ("matches_per_client", 1, 10**12),
    ("autoplay_matches", 1, 100_000),
    ("autoplay_matches_per_client", 1, 100_000),
    ("keep_finished_days", 0, 36_500),
    ("keep_idle_days", 0, 36_500),
    ("seat_token_hours", 0, 876_000),
    ("deadline_margin", 0, 10),
    ("grace_seconds", 0, 3600),
    ("keepalive_seconds", 1, 7200),
)
# What browsers send as `Host` and as `Origin`.
NAME = re.compile(r"(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.IGNORECASE)
# Of an advisor: a host with its port.
ADDRESS = re.compile(r"(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}", re.IGNORECASE)
MAX_ADVISORS = 64
ORIGIN = re.compile(rf"[a-z][a-z0-9+.-]*://{NAME.pattern}")
NAMES = {spec.name: spec for spec in fields(Config)}
KINDS: dict[str, type] = {name: type(spec.default) for name, spec in NAMES.items()}


def state_folder() -> Path:
    """Where this user's matches, tokens and saved games are kept."""
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(home).expanduser() / "pythia"


def listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def not_allowed(name: str, value: object, allowed: str) -> ConfigError:
    return ConfigError(f"{name}: {shown(name, value)!r} is not allowed; allowed: {allowed}")


def check_file(name: str, path: Path, *, secret: bool) -> None:
    if not path.is_file():
        raise ConfigError(f"{name}: {str(path)!r} is not a file")
    if secret and path.stat().st_mode & 0o077:
        raise ConfigError(f"{name}: {str(path)!r} can be read by others; make it private (chmod 600)")


def load_config(
    file: str | None = None,
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> tuple[Config, dict[str, str]]:
    """The settings, and for each where it comes from. PYTHIA_CONFIG names the file when no flag does."""
    env = os.environ if env is None else env
    values: dict[str, Any] = {}
    origins = dict.fromkeys(NAMES, "default")
    path = file or env.get(PREFIX + "CONFIG")
    if path:
        for name, value in read_file(path).items():
            values[name], origins[name] = typed(name, value), f"file {path}"
    for key, text in env.items():
        name = key.removeprefix(PREFIX).lower()
        if key.startswith(PREFIX) and name in NAMES:
            values[name], origins[name] = parsed(name, text), f"environment {key}"
    for name, value in (flags or {}).items():
        if value is not None:
            values[name], origins[name] = typed(name, value), f"flag --{name.replace('_', '-')}"
    return replace(Config(), **values), origins


def read_file(path: str) -> dict[str, Any]:
    try:
        obj = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"config: {path!r} cannot be read ({(error.strerror or '').lower()})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"config: {path!r} is not TOML: {error}") from None
    for name in obj:
        if name not in NAMES:
            raise not_allowed("config", name, ", ".join(NAMES))
    return obj


def typed(name: str, value: Any) -> Any:
    """A value of the setting's type; whole numbers stand for numbers too, and a list for texts with commas."""
    kind = KINDS[name]
    if name in LISTS and isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    good = isinstance(value, (int, float) if kind is float else kind) and (
        kind is bool or not isinstance(value, bool)
    )
    if not good:
        raise not_allowed(name, value, WORDS[kind])
    return kind(value)


def parsed(name: str, text: str) -> Any:
    """A value from the text of an environment variable."""
    kind = KINDS[name]
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise not_allowed(name, text, WORDS[kind])
        return text.lower() == "true"
    try:
        return kind(text)
    except ValueError:
        raise not_allowed(name, text, WORDS[kind]) from None


LISTS = ("http_names", "cors_origins", "bots", "advisors")
WORDS: dict[type, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
SECRETS = ("tokens", "advisors_token")
# What may stand in a PostgreSQL URL and is printed: hosts with ports, the name of a database, and of the query these.
HOST = r"(?:[\w.%-]*|\[[\w:.%]+\])(?::\d+)?"
PLACE = re.compile(rf"{HOST}(?:,{HOST})*(?:/[\w.%+-]*)?")
OPEN_PARAMETERS = (
    "application_name",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "port",
    "sslmode",
    "user",
)


def printed(config: Config, origins: Mapping[str, str]) -> str:
    """The settings as a file that can be read again, with what each is and where it comes from; no secrets."""
    lines = []
    for name, spec in NAMES.items():
        value = getattr(config, name)
        if name == "store":
            value = config.store_url
        lines += [
            f"# {spec.metadata['help']} ({origins[name]})",
            f"{name} = {json.dumps(shown(name, value))}",
        ]
    return "\n".join(lines)


def shown(name: str, value: object) -> object:
    """The value of a setting as it may be printed."""
    if name in SECRETS and value:
        return "..."
    return without_password(str(value)) if name == "store" else value


def without_password(url: str) -> str:
    """A store's URL as it may be printed. A password may stand in many places: only what is known to be none stays."""
    scheme, colon, rest = url.partition(":")
    if url == "memory:" or scheme == "sqlite":
        return url
    if scheme not in ("postgresql", "postgres") or not rest.startswith("//"):
        return f"{scheme}:..." if colon and scheme.isalnum() else "..."
    place, mark, query = rest[2:].partition("?")
    login, at, place = place.rpartition("@")
    user, secret, _ = login.partition(":")
    if "@" in query or not PLACE.fullmatch(place):
        return f"{scheme}://..."  # a password that is not written as URLs want it
    parts = []
    for part in query.split("&") if mark else ():
        key, _, value = part.partition("=")
        parts.append(f"{key}={value}" if key in OPEN_PARAMETERS else f"{key}=...")
    return f"{scheme}://{user}{':...' if secret else ''}{at}{place}{mark}{'&'.join(parts)}"
