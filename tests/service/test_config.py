"""Settings from a file, the environment and flags."""

import asyncio
import dataclasses
import json
import os
import subprocess
import sys
import tomllib

import pytest

from pythia.service.config import NAMES, Config, ConfigError, load_config, printed, without_password
from pythia.service.server import Server


def file(tmp_path, text):
    path = tmp_path / "pythia.toml"
    path.write_text(text)
    return str(path)


def test_a_flag_beats_the_environment_beats_the_file_beats_the_default(tmp_path):
    path = file(tmp_path, "port = 1\nworkers = 1\nqueue_limit = 1")
    env = {"PYTHIA_PORT": "2", "PYTHIA_WORKERS": "2", "PYTHIA_CHECKED": "1", "HOME": "/"}
    config, origins = load_config(path, env, {"port": 3, "host": None})
    assert (config.port, config.workers, config.queue_limit, config.host) == (3, 2, 1, "127.0.0.1")
    assert origins["port"] == "flag --port"
    assert origins["workers"] == "environment PYTHIA_WORKERS"
    assert origins["queue_limit"] == f"file {path}"
    assert origins["host"] == "default"


def test_the_environment_can_name_the_file(tmp_path):
    config, _ = load_config(None, {"PYTHIA_CONFIG": file(tmp_path, "max_seconds = 5")}, {})
    assert config.max_seconds == 5.0


def test_every_setting_by_environment():
    values = {int: "7", float: "2.5", str: "warning", bool: "false"}
    env = {f"PYTHIA_{name.upper()}": values[type(spec.default)] for name, spec in NAMES.items()}
    config, origins = load_config(None, env, {})
    assert config.port == 7
    assert config.metrics is False
    assert all(origin.startswith("environment") for origin in origins.values())


def test_what_is_printed_can_be_read_again(tmp_path):
    changed = Config(port=5, store="postgresql://me:secret@host/x", tokens="very secret")
    text = printed(changed, dict.fromkeys(NAMES, "default"))
    assert "secret" not in text
    read = tomllib.loads(text)
    assert set(read) == {field.name for field in dataclasses.fields(Config)}
    assert read["port"] == 5


PASSWORDS = (
    "postgresql://me:s3cret@host/x",
    "postgres://me:s3cret@host:5432/x?sslmode=require",
    "postgresql://me:s3cret@with@signs@host/x",
    "postgresql://me:s3cret/with?more@host/x",
    "postgresql://me:s3cret#x@host/x",
    "postgresql://:s3cret@host/x",
    "postgresql://host/x?user=me&password=s3cret",
    "postgresql://host/x?password=s3cret&user=me@home",
    "postgresql://host/x?p%61ssword=s3cret",
    "postgresql://host/x?sslmode=require&sslpassword=s3cret",
    "postgresql://me:s3cret",
    "postgresql:me:s3cret@host",
    "POSTGRESQL://me:s3cret@host/x",
    "host=here user=me password=s3cret",
    "host=here password = 's3cret and more'",
    "mysql://me:s3cret@host/x",
    "s3cret",
)


@pytest.mark.parametrize("store", PASSWORDS)
def test_no_form_of_a_password_is_printed(store, tmp_path):
    for found in (
        load_config(None, {"PYTHIA_STORE": store}, {}),
        load_config(None, {}, {"store": store}),
        load_config(file(tmp_path, f"store = {json.dumps(store)}"), {}, {}),
    ):
        text = printed(*found)
        assert "s3cret" not in text
        assert tomllib.loads(text)["store"]
    with pytest.raises(ConfigError, match="store: ") as caught:
        load_config(file(tmp_path, f"store = [{json.dumps(store)}]"), {}, {})
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("store", PASSWORDS)
def test_no_form_of_a_password_is_told_or_logged_when_the_store_is_wrong(store, capfd):
    async def start():
        async with Server(port=0, metrics=False, store=store):
            pass

    with pytest.raises(ConfigError) as caught:
        asyncio.run(asyncio.wait_for(start(), 60))
    told = capfd.readouterr()
    assert "s3cret" not in str(caught.value) + told.out + told.err


def test_what_is_no_password_is_printed():
    for store in (
        "memory:",
        "sqlite:/var/lib/pythia/matches.sqlite",
        "postgresql://me@host:5432/x?sslmode=require&application_name=p",
        "postgresql://[::1]:5432,other:1/x",
    ):
        assert without_password(store) == store
    assert without_password("postgresql://me:x@host/x") == "postgresql://me:...@host/x"


def test_a_token_of_the_wrong_type_is_not_printed(tmp_path):
    with pytest.raises(ConfigError, match=r"tokens: '\.\.\.' is not allowed") as caught:
        load_config(file(tmp_path, "tokens = ['s3cret']"), {}, {})
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("port = 'x'", "port: 'x' is not allowed; allowed: a whole number"),
        ("port = true", "port: True is not allowed"),
        ("prot = 1", "config: 'prot' is not allowed; allowed: host, port"),
        ("= 1", "is not TOML"),
    ],
)
def test_bad_files(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words):
        load_config(file(tmp_path, text), {}, {})


def test_a_file_that_is_not_there():
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config("no such file", {}, {})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PYTHIA_PORT", "many", "port: 'many' is not allowed"),
        ("PYTHIA_METRICS", "perhaps", "metrics: 'perhaps' is not allowed; allowed: true or false"),
    ],
)
def test_bad_environment(name, value, words):
    with pytest.raises(ConfigError, match=words):
        load_config(None, {name: value}, {})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"port": 65536}, "port: 65536 is not allowed; allowed: 0 to 65535"),
        ({"queue_limit": 0}, "queue_limit: 0 is not allowed"),
        ({"max_seconds": float("nan")}, "max_seconds: nan is not allowed"),
        ({"log_level": "loud"}, "log_level: 'loud' is not allowed; allowed: debug"),
        ({"tls_cert": "nowhere", "tls_key": "nowhere"}, "tls_cert: 'nowhere' is not a file"),
        ({"tokens": "x", "tokens_file": "y"}, "cannot be used with"),
        ({"host": "example.org"}, "without encryption"),
        ({"metrics_host": "0.0.0.0"}, "metrics_host: '0.0.0.0' can be reached from other machines"),
        ({"metrics_host": "example.org"}, "set metrics_open = true"),
        ({"matches_per_client": 0}, "matches_per_client: 0 is not allowed"),
        ({"keep_idle_days": -1.0}, "keep_idle_days: -1.0 is not allowed"),
    ],
)
def test_bad_values(changes, words):
    with pytest.raises(ConfigError, match=words):
        Config(**changes).checked()


def test_metrics_for_other_machines_are_a_switch_of_their_own():
    Config(metrics_host="0.0.0.0", metrics_open=True).checked()
    Config(metrics_host="0.0.0.0", metrics=False).checked()
    Config(metrics_host="::1").checked()


def serve(*flags, **environment):
    command = [sys.executable, "-c", "from pythia.clients.cli.main import main; main()", "serve", *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | environment)


def test_print_config(tmp_path):
    path = file(tmp_path, "workers = 3")
    store = "postgresql://host/x?user=me&password=s3cret"
    flags = ("--config", path, "--port", "7", "--no-metrics")
    run = serve("--print-config", *flags, PYTHIA_QUEUE_LIMIT="9", PYTHIA_STORE=store)
    read = tomllib.loads(run.stdout)
    assert [read[name] for name in ("port", "metrics", "queue_limit", "workers")] == [7, False, 9, 3]
    assert "(environment PYTHIA_QUEUE_LIMIT)" in run.stdout
    assert "s3cret" not in run.stdout + run.stderr


def test_an_unsafe_server_does_not_start():
    run = serve("--host", "0.0.0.0", "--port", "0", PYTHIA_STORE="memory:")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("pythia: host: '0.0.0.0' can be reached from other machines")
