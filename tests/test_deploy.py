"""deploy/: what its files name is there, and two servers answer behind the proxy of compose.yaml."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from pythia.clients import Client
from pythia.service.config import DEFAULT_HTTP_PORT, DEFAULT_PORT, NAMES, load_config
from pythia.service.metrics import Metrics
from tests.clients.serving import free_port
from tests.test_packaging import PROJECT

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVERS = ("pythia-1", "pythia-2")
PORTS = {"grpc": DEFAULT_PORT, "metrics": DEFAULT_PORT + 1, "http": DEFAULT_HTTP_PORT}
MANIFESTS = [
    manifest
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()


def of_kind(kind):
    return [manifest for manifest in MANIFESTS if manifest["kind"] == kind]


def containers():
    return [made["spec"]["template"]["spec"]["containers"][0] for made in of_kind("Deployment")]


def of_the_image():
    return dict(re.findall(r"\b(PYTHIA_\w+)=(\S+)", DOCKERFILE.partition("ENV PATH")[2]))


def made_env(tmp_path, *arguments):
    """What deploy/make-env writes, and the token that it tells."""
    run = subprocess.run([DEPLOY / "make-env", *arguments], capture_output=True, text=True, check=True)
    lines = (line.partition("=") for line in run.stdout.splitlines())
    return {name: shlex.split(value)[0] for name, _, value in lines}, run.stderr.split()[-1]


def of_compose(values):
    """The environment of a server, as compose fills it in."""
    fill = re.compile(r"\$\{(\w+)[^}]*\}")
    given = COMPOSE["services"]["pythia-1"]["environment"]
    return {name: fill.sub(lambda match: values[match[1]], value) for name, value in given.items()}


def of_kubernetes():
    (settings,) = of_kind("ConfigMap")
    for container in containers():
        given = {entry["name"]: entry.get("value", "memory:") for entry in container["env"]}
        yield (
            settings["data"]
            | given
            | {"PYTHIA_TOKENS": 'tokens = [{name = "x", token = "0123456789abcdef"}]'}
        )


def test_settings_are_settings_and_let_a_server_start(tmp_path):
    values, _ = made_env(tmp_path)
    for environment in (of_compose(values), *of_kubernetes()):
        named = {name.removeprefix("PYTHIA_").lower() for name in environment | of_the_image()}
        assert named <= set(NAMES)
        load_config(env=of_the_image() | environment)[0].checked()


def test_the_image_alone_does_not_let_everyone_in():
    with pytest.raises(Exception, match="can be reached from"):
        load_config(env=of_the_image())[0].checked()


def test_ports_and_places_agree():
    exposed = re.search(r"^EXPOSE (.*)$", DOCKERFILE, re.MULTILINE)[1].split()
    assert {int(port) for port in exposed} == set(PORTS.values())
    for container in containers():
        assert {port["name"]: port["containerPort"] for port in container["ports"]} == PORTS
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            assert container[probe]["httpGet"] == {"path": "/healthz", "port": "http"}
    caddy = (DEPLOY / "Caddyfile").read_text()
    scraped = (DEPLOY / "prometheus" / "prometheus.yml").read_text()
    for server in SERVERS:
        assert {f"{server}:{PORTS['grpc']}", f"{server}:{PORTS['http']}"} <= set(
            re.findall(rf"{server}:\d+", caddy)
        )
        assert f"{server}:{PORTS['metrics']}" in scraped


def test_what_the_files_name_is_there():
    mounts = [
        mount.split(":")[0]
        for service in COMPOSE["services"].values()
        for mount in service.get("volumes", [])
        if mount.startswith(".")
    ]
    assert len(mounts) >= 6
    assert all((DEPLOY / mount).is_file() for mount in mounts), mounts
    build = COMPOSE["services"]["pythia-1"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    services = {made["metadata"]["name"] for made in of_kind("Service")}
    backends = re.findall(r"service: \{name: ([\w-]+)", (DEPLOY / "kubernetes" / "ingress.yaml").read_text())
    headless = {made["metadata"]["name"] for made in of_kind("Service") if "clusterIP" in made["spec"]}
    assert set(backends) == services - headless
    named = {
        environment["PYTHIA_ADVISORS"] for environment in of_kubernetes() if "PYTHIA_ADVISORS" in environment
    }
    assert named == {f"{name}:{PORTS['grpc']}" for name in headless}


def test_the_image_is_built_from_every_folder_of_the_package():
    """.dockerignore lists what goes in; a folder that it forgets stops the build of the image."""
    kept = {
        line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    setup = (ROOT / "setup.py").read_text()
    folders = re.findall(r'^    "pythia\.\w+": "([\w/]+)"', setup, re.MULTILINE) + ["front"]
    assert len(folders) >= 7
    assert {folder.split("/")[0] for folder in folders} <= kept
    assert all((ROOT / name).exists() for name in kept)


def test_the_autoscaler_asks_for_a_metric_that_is_exported():
    (scaler,) = of_kind("HorizontalPodAutoscaler")
    names = {metric["pods"]["metric"]["name"] for metric in scaler["spec"]["metrics"]}
    exported = {family.name for family in Metrics().registry.collect()}
    assert names <= exported
    assert all(f"^{name}$" in (DEPLOY / "prometheus" / "adapter-values.yaml").read_text() for name in names)


def test_nothing_may_do_more_than_it_must():
    for server in SERVERS:
        service = COMPOSE["services"][server]
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert "ports" not in service, "only the proxy may be reached from elsewhere"
    for made, container in zip(of_kind("Deployment"), containers(), strict=True):
        assert made["spec"]["template"]["spec"]["securityContext"]["runAsNonRoot"]
        rights = container["securityContext"]
        assert rights["readOnlyRootFilesystem"]
        assert not rights["allowPrivilegeEscalation"]
        grace = made["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        assert grace > NAMES["grace_seconds"].default
    assert re.search(r"^USER 10001", DOCKERFILE, re.MULTILINE)


def test_the_image_has_the_version():
    for container in containers():
        assert container["image"] == f"pythia:{PROJECT['version']}"


def test_make_env_keeps_the_token_out_of_the_file(tmp_path):
    values, token = made_env(tmp_path, "pythia.example.org")
    again, other = made_env(tmp_path, "pythia.example.org")
    assert values["PYTHIA_NAME"] == "pythia.example.org"
    assert len(token) == 48
    assert token not in "".join(values.values())
    assert token != other
    assert values["POSTGRES_PASSWORD"] != again["POSTGRES_PASSWORD"]


# -- the proxy, for real


@contextmanager
def running(command, **environment):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=os.environ | environment, **quiet) as process:
        try:
            yield process
        finally:
            process.kill()


def eventually(done, seconds=30):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def calls_of(port):
    """Calls that a server has answered, by its own metrics."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        counted = re.findall(
            r"^grpc_server_handled_total\{.*\} ([\d.]+)$", answer.read().decode(), re.MULTILINE
        )
    return sum(map(float, counted))


@pytest.mark.integration
def test_two_servers_behind_the_proxy(tmp_path):
    """TLS, HTTP/2, gRPC and JSON through the Caddyfile as it is; a server that is killed is not missed."""
    values, token = made_env(tmp_path)
    ports = {server: {name: free_port() for name in PORTS} for server in SERVERS}
    caddy, port = (DEPLOY / "Caddyfile").read_text(), free_port()
    for server, name in ((server, name) for server in SERVERS for name in ("grpc", "http")):
        caddy = caddy.replace(f"{server}:{PORTS[name]}", f"127.0.0.1:{ports[server][name]}")
    apart = [f"http_port {free_port()}", "admin off", "skip_install_trust", f"storage file_system {tmp_path}"]
    (tmp_path / "Caddyfile").write_text("\n".join(["{", *apart, "}", caddy]))
    authority = tmp_path / "pki" / "authorities" / "local" / "root.crt"
    url = f"https://localhost:{port}/pythia.v1.EngineService/ListGames"
    curl = [
        "curl",
        "--silent",
        "--show-error",
        "--cacert",
        authority,
        "--header",
        f"authorization: Bearer {token}",
    ]
    curl += [
        "--header",
        "content-type: application/json",
        "--data",
        "{}",
        "--write-out",
        "\n%{http_version}",
        url,
    ]

    def serving(server):
        own = {
            "PYTHIA_HOST": "127.0.0.1",
            "PYTHIA_METRICS_HOST": "127.0.0.1",
            "PYTHIA_PORT": str(ports[server]["grpc"]),
            "PYTHIA_METRICS_PORT": str(ports[server]["metrics"]),
            "PYTHIA_HTTP_PORT": str(ports[server]["http"]),
            "PYTHIA_STORE": "memory:",
            "PYTHIA_LOG_LEVEL": "error",
        }
        command = [Path(sys.executable).with_name("pythia"), "serve"]
        return running(command, **of_the_image() | of_compose(values) | own)

    def games_by_json():
        run = subprocess.run(curl, capture_output=True, text=True, timeout=30)
        body, _, http_version = run.stdout.rpartition("\n")
        assert http_version == "2", run.stdout + run.stderr
        return [game["name"] for game in json.loads(body)["games"]]

    proxy = ["caddy", "run", "--config", tmp_path / "Caddyfile", "--adapter", "caddyfile"]
    with serving("pythia-1") as first, serving("pythia-2"), running(proxy, PYTHIA_NAME=f"localhost:{port}"):
        for server in SERVERS:
            eventually(lambda server=server: answers(f"http://127.0.0.1:{ports[server]['http']}/healthz"))
        eventually(authority.is_file)
        eventually(lambda: subprocess.run([*curl, "--fail"], capture_output=True).returncode == 0)
        with Client(f"localhost:{port}", tls=str(authority), token=token) as client:
            expected = [game.name for game in client.games()]
            for _ in range(4):
                assert games_by_json() == [game.name for game in client.games()] == expected
            assert all(calls_of(ports[server]["metrics"]) >= 2 for server in SERVERS), (
                "one server did all the work"
            )
            first.kill()
            first.wait()
            # Up to 2.11.1 Caddy loses the call that finds out (its body is closed when the connection is refused).
            eventually(lambda: subprocess.run([*curl, "--fail"], capture_output=True).returncode == 0)
            for _ in range(6):
                assert games_by_json() == [game.name for game in client.games()] == expected
