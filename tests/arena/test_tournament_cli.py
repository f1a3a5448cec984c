"""`pythia tournament` and `pythia tune`, run as people run them."""

import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from tests.arena.conftest import entrant

# The command without its script, which stands in the environment's folder only when Pythia is installed there.
PYTHIA = [sys.executable, "-c", "from pythia.clients.cli.main import main; main()"]
PAIR = entrant("first", bot="random") + entrant("second", bot="greedy", params={"samples": 1})


def pythia(*arguments):
    return subprocess.run([*PYTHIA, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def test_run_status_and_report(write, folder):
    path = write("blocks = 3\n" + PAIR)
    missing = pythia("tournament", "status", path)
    assert missing.returncode == 1
    assert "pythia: results: " in missing.stderr
    assert "does not exist; `pythia tournament run` makes it" in missing.stderr
    run = pythia("tournament", "run", path, "--processes", "1")
    assert run.returncode == 0, run.stderr
    assert "cup: kuhn, 2 seats, round robin, seed 1; 6 of 6 games, 3 blocks counted, finished" in run.stdout
    assert "first seat:" in run.stdout
    assert "0 of 6 games" in run.stderr
    assert "\x1b" not in run.stdout + run.stderr
    assert (folder / "cup.sqlite").exists()
    report = pythia(
        "tournament", "report", path, "--html", folder / "r.html", "--csv", folder / "r.csv", "--json"
    )
    assert report.returncode == 0, report.stderr
    obj = json.loads(report.stdout)
    assert obj["games"] == 6
    assert (folder / "r.html").read_text().startswith("<!doctype html>")
    assert len((folder / "r.csv").read_text().splitlines()) == 13
    status = pythia("tournament", "status", path)
    assert status.stdout == run.stdout
    record = pythia("tournament", "record", path, "1")
    lines = record.stdout.splitlines()
    assert json.loads(lines[0])["players"][0]["name"] in ("first", "second")
    assert "result" in json.loads(lines[-1])
    more = pythia("tournament", "run", path, "--blocks", "4", "--sprt", "elo0=0", "elo1=30", "--json")
    obj = json.loads(more.stdout)
    assert obj["games"] == 8
    assert obj["tests"][0]["verdict"] is None
    assert more.stderr == ""


def test_bots_without_a_file(tmp_path, monkeypatch):
    """One bot for each seat, which may be the same; nothing is left behind unless it is asked for."""
    monkeypatch.chdir(tmp_path)
    one_liner = ("tournament", "run", "--game", "kuhn", "--blocks", 3, "--json", "--bots", "greedy", "random")
    first, second = pythia(*one_liner), pythia(*one_liner, "--processes", 1)
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["games"] == 6
    assert list(tmp_path.iterdir()) == []
    rates = [[row["win_rate"] for row in json.loads(ran.stdout)["standings"]] for ran in (first, second)]
    assert rates[0] == rates[1]
    twins = pythia(
        "tournament", "run", "--bots", "random", "random", "--game", "kuhn", "--results", "kept.sqlite"
    )
    assert "random (2)" in twins.stdout
    assert (tmp_path / "kept.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bots", "greedy", "wizard"], "entrants[1].bot: 'wizard' is not allowed"),
        (["--bots", "greedy"], "bots: 1 is too few; allowed: 2 to 4 bots with delphi"),
        (["--bots", *["greedy"] * 3, "--game", "kuhn"], "bots: 3 is too many; allowed: 2 bots with kuhn"),
        (["--bots", "greedy", "random", "--option", "colour=red"], "option: 'colour' is not allowed"),
        (["cup.toml", "--bots", "greedy", "random"], "bots: give either a file, or --bots"),
        ([], "bots: give either a file, or --bots"),
        (["cup.toml", "--seed", "3"], "file: --game, --option and --seed belong to --bots"),
    ],
)
def test_bots_that_are_refused(arguments, message):
    ran = pythia("tournament", "run", *arguments)
    assert ran.returncode != 0
    assert message in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "{folder}/nothing.toml"], "file: '{folder}/nothing.toml' cannot be read: No such file"),
        (["run", "{file}", "--sprt", "elo0"], "sprt: 'elo0' is not allowed; allowed: NAME=NUMBER"),
        (["run", "{file}", "--sprt", "elo3=4"], "sprt: 'elo3' is not allowed; allowed: elo0, elo1"),
        (["run", "{file}", "--blocks", "0"], "blocks: 0 is not allowed; allowed: 1 or more"),
        (["run", "{file}", "--executor", "moon"], "executor: 'moon' is not allowed; allowed: processes, ray"),
        (["record", "{file}", "1"], "results: '{folder}/cup.sqlite' does not exist"),
    ],
)
def test_mistakes_are_one_line(write, folder, arguments, message):
    path = write("blocks = 1\n" + PAIR)
    run = pythia("tournament", *(word.format(file=path, folder=folder) for word in arguments))
    assert run.returncode == 1
    assert run.stderr.startswith("pythia: " + message.format(folder=folder)), run.stderr
    assert run.stderr.count("\n") == 1
    assert run.stdout == ""


def test_a_failing_entrant_shows_its_traceback_line_by_line(write, folder):
    (folder / "failing.py").write_text(
        "class Bot:\n    def choose(self, view, limit=None):\n        return {}['no such move']\n"
    )
    path = write("blocks = 1\n" + PAIR + '[[entrants]]\nname = "bad"\nclass = "failing:Bot"\n')
    run = pythia("tournament", "run", path, "--processes", "1")
    assert run.returncode == 1
    *trace, told = run.stderr[run.stderr.index("Traceback") :].splitlines()
    assert trace[0] == "Traceback (most recent call last):"
    assert any(line.endswith('failing.py", line 3, in choose') for line in trace)
    assert "KeyError: 'no such move'" in trace
    assert told.startswith("pythia: entrants: 'bad' failed in game ")
    assert "--keep-going" in told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_cleanly_and_goes_on(write, folder, number):
    """On a terminal, with the live table."""
    path = write("blocks = 100000\n" + PAIR)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PYTHIA, "tournament", "run", str(path), "--processes", "1"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    seen = b""
    deadline = time.monotonic() + 60
    while b"games/s" not in seen and time.monotonic() < deadline:
        seen += os.read(ours, 65536)
    process.send_signal(number)
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    assert process.wait(timeout=60) == 130
    process.stdout.close()
    os.close(ours)
    text = seen.decode(errors="replace")
    assert "pythia: interrupted; run the same command to resume" in text
    assert "Traceback" not in text
    assert "left" in text
    assert "first" in text
    before = json.loads(pythia("tournament", "status", path, "--json").stdout)["games"]
    assert before > 0
    status = pythia("tournament", "run", path, "--blocks", str(before // 2 + 2), "--json")
    assert json.loads(status.stdout)["games"] >= before


TUNE = """
trials = 3
blocks = 2
confirm_blocks = 3
[baseline]
bot = "ismcts"
iterations = 4
[parameters]
exploration = { low = 0.1, high = 2.0, log = true }
max_children = { low = 2, high = 5 }
common_luck = { choices = [true, false] }
"""


def test_tune(write, folder):
    path = write(TUNE, name="tuning")
    run = pythia("tune", path, "--processes", "1")
    assert run.returncode == 0, run.stderr
    assert "trial 3 of 3: " in run.stderr
    assert "against the baseline on new starts:" in run.stdout
    found = json.loads((folder / "tuning.tuned.json").read_text())
    assert set(found["values"]) == {"exploration", "max_children", "common_luck"}
    assert found["entrant"]["params"] == found["values"]
    assert found["evidence"]["games"] == 6
    assert len(found["trials"]) == 3
    bad = pythia("tune", write(TUNE.replace("exploration", "explosion"), name="bad"))
    assert bad.returncode == 1
    assert "parameter: 'explosion' is not allowed; allowed: exploration" in bad.stderr
