"""The `pythia` command as a whole: its help, its errors, and the commands about servers and games."""

import importlib
import inspect
import json
import re
import shlex
import signal
import subprocess
import sys
from contextlib import contextmanager
from importlib.metadata import version as installed_version
from pathlib import Path

import pytest

from pythia.clients.cli import console
from pythia.clients.cli.console import EXIT_CODES, CommandError, exit_code, progress_line
from pythia.clients.cli.main import COMMANDS, make_app
from pythia.core_cy import game_info, list_games
from tests.clients.command import pythia, worked
from tests.clients.serving import served
from tests.clients.terminals import PYTHIA

DOCS = Path(__file__).parent.parent.parent / "docs" / "cli.md"


@contextmanager
def started(*arguments):
    """The command in the background, killed when it is still there at the end."""
    process = subprocess.Popen(
        [PYTHIA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(process, pattern):
    """The lines up to the first that matches."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if match := re.search(pattern, line):
            return match, lines
    raise AssertionError(f"{pattern!r} not in {lines}; stderr: {process.stderr.read()}")


# -- help


def commands(app=None, path=()):
    """Every command with the way to it: ("match", "create") and so on."""
    app = app or make_app()
    for name, command in app.resolved_commands().items():
        if not name.startswith("-"):
            yield (*path, name), command
            yield from commands(command, (*path, name))


def examples(page):
    """The calls of pythia in the examples of a page."""
    _, _, below = page.partition("For example:\n")
    for line in re.findall(r"^    (\S.*)$", below, re.MULTILINE):
        for part in re.split(r" [|>] ", line):
            if part.startswith("pythia "):
                yield shlex.split(part)[1:]


def test_the_list_of_commands():
    page = worked("--help")
    for name, command in COMMANDS.items():
        assert re.search(rf"^│ {name} ", page, re.MULTILINE)
        assert " ".join(command.line.split()[:3]) in page
    assert "--debug" in page


@pytest.fixture(scope="module")
def app():
    return make_app()


@pytest.mark.parametrize(
    ("path", "command"), [pytest.param(*pair, id=" ".join(pair[0])) for pair in commands()]
)
def test_help_of(path, command, app):
    page = worked(*path, "--help")
    assert page.startswith(f"Usage: pythia {' '.join(path)}")
    assert len(max(page.splitlines(), key=len)) <= 80
    assert "--empty-" not in page
    found = list(examples(page))
    assert any(words[: len(path)] == list(path) for words in found)
    for words in found:
        # Whatever an example says can be said.
        app.parse_args(words, exit_on_error=False, print_error=False)
    if command.default_command:
        told = inspect.getdoc(command.default_command) or ""
        assert all(len(line) <= 80 for line in told.splitlines()), "the page would break the lines again"
        for argument in command.assemble_argument_collection():
            assert argument.parameter.help or argument.children, argument.name
    if path[0] in COMMANDS and len(path) == 1:
        assert (
            COMMANDS[path[0]].line == (command.help or inspect.getdoc(command.default_command)).split("\n")[0]
        )


@pytest.mark.parametrize(
    ("words", "page"),
    [
        (["--nonsense"], "pythia --help"),
        (["nonsense"], "pythia --help"),
        (["play", "--nonsense"], "pythia play --help"),
        (["play", "--seed", "x"], "pythia play --help"),
        (["suggest"], "pythia suggest --help"),
        (["match", "nonsense"], "pythia match --help"),
        (["tournament", "report", "--nonsense"], "pythia tournament report --help"),
    ],
)
def test_a_mistake_leads_to_the_help_of_the_command(words, page):
    ran = pythia(*words)
    assert ran.code == 2
    assert ran.err.endswith(f" `{page}` shows what is allowed.\n")


def test_the_manual_names_every_command_and_exit_code():
    text = DOCS.read_text()
    for path, _ in commands():
        assert f"`{path[-1]}`" in text or f"`pythia {' '.join(path)}" in text, path
    codes = {
        value for name, value in vars(console).items() if name.startswith("EXIT_") and name != "EXIT_CODES"
    }
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)} == {0, *codes}


def test_completion_for_bash(tmp_path):
    file = tmp_path / "pythia.bash"
    worked("--install-completion", "--shell", "bash", "--output", file)
    subprocess.run(["bash", "-n", file], check=True)
    asked = """source "$0"
for words in "pythia sugg" "pythia match cre"; do
    COMP_WORDS=($words) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _pythia
    echo "${COMPREPLY[@]}"
done"""
    answer = subprocess.run(["bash", "-c", asked, file], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["suggest", "create"]


def test_help_and_version_load_neither_the_engine_nor_grpc():
    code = (
        "import sys; from pythia.clients.cli.main import main; main(['--help']); main(['version']);"
        "print([name for name in sys.modules if name in ('grpc', 'numpy', 'pythia.core_cy')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.splitlines()[-1] == "[]", run.stderr


def test_version():
    assert worked("version") == worked("--version") == f"pythia {installed_version('pythia-opponent')}\n"


# -- errors


def test_every_expected_error_is_one():
    for name in EXIT_CODES:
        module, _, kind = name.rpartition(".")
        assert issubclass(getattr(importlib.import_module(module), kind), Exception)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["gams"], 2, ["gams", "games"]),
        (["games", "--serv", "x"], 2, ["--serv", "--server"]),
        (["demo", "--players", "two"], 2, ["players", "two"]),
        (["demo", "--players", "9"], 1, ["players: 9 is not allowed", "2 to 4"]),
        (["demo", "--game", "chess"], 1, ["game: 'chess' is not allowed", "delphi"]),
        (["serve", "--port", "70000"], 1, ["port: 70000 is not allowed", "0 to 65535"]),
        (["games", "--server", "no host"], 1, ["address: 'no host' is not allowed", "HOST:PORT"]),
    ],
)
def test_errors_are_one_line(arguments, code, words):
    ran = pythia(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert re.fullmatch(r"pythia: .+\n", ran.err), ran.err
    for word in words:
        assert word in ran.err


def test_debug_shows_where_an_error_comes_from():
    for arguments in (["--debug", "record", "--players", "9"], ["record", "--players", "9", "--debug"]):
        ran = pythia(*arguments)
        assert ran.code == 1
        assert ran.err.startswith("Traceback")
        assert ran.err.endswith("\npythia: players: 9 is not allowed; allowed: a whole number from 2 to 4\n")


def test_an_error_that_nobody_expected_is_one_line_too(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("pythia.clients.cli.new.load_game", broken)
    assert pythia("new") == (
        1,
        "",
        "pythia: ZeroDivisionError: division by zero; this is a bug in pythia; --debug shows the traceback\n",
    )
    assert exit_code(ZeroDivisionError()) is None
    assert exit_code(CommandError("x", 6)) == 6


def test_a_reader_that_leaves_early_is_no_error():
    with started("record", "--players", "4") as process:
        process.stdout.readline()
        process.stdout.close()
        process.wait(timeout=60)
        assert process.stderr.read() == ""


def test_progress_tells_rate_and_time_left():
    assert progress_line(0, 80, "games", 4.0) == "0 of 80 games"
    assert progress_line(12, 84, "games", 4.0) == "12 of 84 games, 3 games/s, 0:24 left"
    assert progress_line(1, 7201, "games", 1.0) == "1 of 7201 games, 1 games/s, 2:00:00 left"


# -- games, servers, records


def test_games_as_a_table():
    shown = worked("games")
    assert "delphi: The Oracle of Delphi, 2 to 4 players" in shown
    assert "\x1b" not in shown, "colors are for terminals only"


def test_games_as_json():
    games = {game["name"]: game for game in json.loads(worked("games", "--json"))}
    assert sorted(games) == sorted(list_games())
    players = next(option for option in games["delphi"]["options"] if option["name"] == "players")
    assert (players["type"], players["default"]) == ("int", 2)


def test_demo_plays_to_the_end_and_repeats():
    first, second = (worked("demo", "--game", "keltis", "--seed", 8, "--turns", 5) for _ in range(2))
    assert first == second
    assert first.startswith("keltis, 2 players, seed 8: ")
    assert re.search(r"^seat 0: rank [12], return", first, re.MULTILINE)


@pytest.mark.parametrize(
    ("game", "players"),
    [
        (name, players)
        for name in list_games()
        for players in (game_info(name).min_players, game_info(name).max_players)
    ],
)
def test_a_recorded_game_replays(game, players, tmp_path):
    recorded = worked("record", "--game", game, "--players", players)
    header, *moves, last = [json.loads(line) for line in recorded.splitlines()]
    assert header["game"] == game
    assert {move["by"] for move in moves} == {-1, *range(players)}
    shown = worked("replay", stdin=recorded)
    assert shown.splitlines()[-1].startswith(f"{len(moves)} moves and outcomes, as recorded")
    last["result"]["winners"] = [7]
    ran = pythia("replay", stdin="\n".join([*recorded.splitlines()[:-1], json.dumps(last)]))
    assert (ran.code, ran.out) == (13, "")
    assert f"line {len(moves) + 2}: result.winners: [7]" in ran.err


def test_serve_answers_and_stops_cleanly():
    with started("serve", "--port", "0", "--store", "memory:") as process:
        match, _ = read_until(process, r"serves on (127\.0\.0\.1:\d+)$")
        read_until(process, "Serving")
        assert worked("games", "--json", "--server", match[1]) == worked("games", "--json")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, "Stopping.\n", "")


def test_run_serves_shows_a_game_and_goes_on_serving():
    with started("run", "--port", "0", "--turns", "3") as process:
        match, _ = read_until(process, r"serves on (127\.0\.0\.1:\d+)$")
        _, story = read_until(process, "Serving")
        assert any(line.startswith("seat 1: rank") for line in story)
        assert "delphi" in worked("games", "--server", match[1])
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, "Stopping.\n", "")


def test_a_taken_port():
    with served() as server:
        port = server.address.rpartition(":")[2]
        ran = pythia("serve", "--port", port, "--store", "memory:")
    assert ran.code == 1
    assert ran.err.startswith(f"pythia: port: {port} cannot be opened")


def test_a_port_that_the_page_cannot_have():
    with served() as server:
        port = server.address.rpartition(":")[2]
        ran = pythia("web", "--no-browser", "--port", port, "--store", "memory:")
    assert ran.code == 1
    assert ran.err.startswith(f"pythia: port: {port} cannot be opened on 127.0.0.1")
    assert ran.err.endswith("choose another with --port, 0 picks a free one\n")
    for port in (-1, 65536):
        ran = pythia("web", "--no-browser", "--port", port, "--store", "memory:")
        assert ran.err == f"pythia: port: {port} is not allowed; allowed: 0 to 65535, 0 picks a free one\n"
