"""The `pythia` command, run as people run it."""

import json
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from pythia.core_cy import game_info, list_games

PYTHIA = Path(sys.executable).with_name("pythia")


def pythia(*arguments):
    return subprocess.run([PYTHIA, *arguments], capture_output=True, text=True, timeout=120)


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


def test_version():
    for arguments in (["version"], ["--version"]):
        run = pythia(*arguments)
        assert (run.returncode, run.stdout, run.stderr) == (0, "pythia 0.1.0\n", "")


def test_games_as_a_table():
    run = pythia("games")
    assert run.returncode == 0, run.stderr
    assert "delphi: The Oracle of Delphi, 2 to 4 players" in run.stdout
    assert "\x1b" not in run.stdout, "colors are for terminals only"


def test_games_as_json():
    run = pythia("games", "--json")
    games = {game["name"]: game for game in json.loads(run.stdout)}
    assert sorted(games) == sorted(list_games())
    players = next(option for option in games["delphi"]["options"] if option["name"] == "players")
    assert (players["type"], players["default"]) == ("int", 2)


def test_demo_plays_to_the_end_and_repeats():
    first, second, other = (pythia("demo", "--seed", seed, "--turns", "5") for seed in ("7", "7", "8"))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert first.stdout != other.stdout
    assert re.search(r"^seat 0: rank [12], return", first.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("game", "players"),
    [
        (name, players)
        for name in list_games()
        for players in (game_info(name).min_players, game_info(name).max_players)
    ],
)
def test_a_recorded_game_replays(game, players, tmp_path):
    recorded = pythia("record", "--game", game, "--players", str(players))
    assert recorded.returncode == 0, recorded.stderr
    header, *moves, last = [json.loads(line) for line in recorded.stdout.splitlines()]
    assert header["game"] == game
    assert {move["by"] for move in moves} == {-1, *range(players)}
    file = tmp_path / "game.jsonl"
    file.write_text(recorded.stdout)
    run = pythia("replay", str(file))
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1].startswith(f"{len(moves)} moves and outcomes, as recorded")
    last["result"]["winners"] = [7]
    file.write_text("\n".join([*recorded.stdout.splitlines()[:-1], json.dumps(last)]))
    run = pythia("replay", str(file))
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith(f"pythia: line {len(moves) + 2}: result.winners: [7]")


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "cannot be read"), (b"\xff\xfe", "cannot be read"), (b"", "is empty")]
)
def test_what_is_no_record_is_refused(content, reason, tmp_path):
    file = tmp_path / "game.jsonl"
    if content is not None:
        file.write_bytes(content)
    run = pythia("replay", str(file))
    assert (run.returncode, run.stdout) == (1, "")
    assert reason in run.stderr
    assert run.stderr.count("\n") == 1


def test_demo_shows_the_asked_number_of_turns():
    few, all_of_them = (pythia("demo", "--turns", turns).stdout for turns in ("5", "100000"))
    total = int(re.search(r"and so on, (\d+) turns in all", few)[1])
    shown = [
        [int(number) for number in re.findall(r"^ *(\d+)  (?:seat|chance)", out, re.MULTILINE)]
        for out in (few, all_of_them)
    ]
    assert shown == [list(range(1, 6)), list(range(1, total + 1))]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_answers_and_stops_cleanly(number):
    with started("serve", "--port", "0") as process:
        match, _ = read_until(process, r"serves on (127\.0\.0\.1:\d+)$")
        read_until(process, "Serving")
        run = pythia("games", "--json", "--server", match[1])
        assert (run.returncode, run.stdout) == (0, pythia("games", "--json").stdout)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, "Stopping.\n", "")


def test_run_serves_shows_a_game_and_goes_on_serving():
    with started("run", "--port", "0", "--turns", "3") as process:
        match, _ = read_until(process, r"serves on (127\.0\.0\.1:\d+)$")
        _, story = read_until(process, "Serving")
        assert any(line.startswith("seat 1: rank") for line in story)
        assert pythia("games", "--server", match[1]).returncode == 0
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 0


def test_a_taken_port():
    with started("serve", "--port", "0") as process:
        match, _ = read_until(process, r":(\d+)$")
        run = pythia("serve", "--port", match[1])
    assert run.returncode == 1
    assert run.stderr.startswith(f"pythia: port: {match[1]} cannot be opened")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["gams"], 2, ["gams", "games"]),
        (["games", "--serv", "x"], 2, ["--serv", "--server"]),
        (["demo", "--players", "two"], 2, ["players", "two"]),
        (["demo", "--players", "9"], 1, ["players: 9 is not allowed", "2 to 4"]),
        (["demo", "--game", "chess"], 1, ["game: 'chess' is not allowed", "delphi"]),
        (["serve", "--port", "70000"], 1, ["port: 70000 is not allowed", "0 to 65535"]),
        (["games", "--server", "127.0.0.1:1"], 3, ["server: '127.0.0.1:1' does not answer", "pythia serve"]),
        (["games", "--server", "no host"], 3, ["server: 'no host' does not answer"]),
    ],
)
def test_errors_are_one_line(arguments, code, words):
    run = pythia(*arguments)
    assert run.returncode == code
    assert run.stdout == ""
    assert re.fullmatch(r"pythia: .+\n", run.stderr), run.stderr
    for word in words:
        assert word in run.stderr


def test_a_reader_that_leaves_early_is_no_error():
    with started("demo", "--turns", "100000") as process:
        process.stdout.readline()
        process.stdout.close()
        process.wait(timeout=60)
        assert "Traceback" not in process.stderr.read()


def test_every_command_has_help():
    overview = pythia("--help").stdout
    for command in ("version", "games", "serve", "demo", "run"):
        assert command in overview
        run = pythia(command, "--help")
        assert run.returncode == 0
        assert f"pythia {command}" in run.stdout
