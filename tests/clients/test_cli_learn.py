"""`pythia learn`: a whole small run, going on after an interrupt, and what it refuses."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.clients.command import pythia

QUICK = [
    *("--games", "2", "--generations", "1", "--play", "2", "--deep", "6", "--shallow", "2", "--ways", "3"),
    *("--gate-bot", "prior", "--gate-iterations", "1", "--gate-blocks", "2", "--processes", "1"),
]


def test_a_run_is_interrupted_and_goes_on(tmp_path):
    folder = tmp_path / "run"
    program = "from pythia.clients.cli.main import main; main()"
    command = [sys.executable, "-c", program, "learn", "keltis", "--folder", str(folder), *QUICK]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while not list(folder.glob("001/samples/*.npz")):
        assert running.poll() is None
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    done = pythia("learn", "keltis", "--folder", str(folder), *QUICK)
    assert done.code == 0, done.err
    assert "generation 1, value: not passed (open)" in done.out
    assert "Learning keltis" in (folder / "page.html").read_text()
    assert json.loads((folder / "weights.json").read_text())["provenance"]["command"].startswith(
        "pythia learn keltis"
    )
    # All is there: the same command only tells it.
    again = pythia("learn", "keltis", "--folder", str(folder), *QUICK)
    assert again.out == done.out
    refused = pythia("learn", "keltis", "--folder", str(folder), "--use")
    assert refused.code == 1
    assert "nothing in it has passed its gate" in refused.err
    assert "fault" not in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "game: 'chess' is not allowed"),
        (["keltis", "--players", "9"], "players: '9' is not allowed; allowed: one or more of 2, 3, 4"),
        (["keltis", "--use"], "cannot be read"),
    ],
)
def test_what_is_refused(tmp_path, arguments, message):
    done = pythia("learn", *arguments, "--folder", str(tmp_path / "none"))
    assert done.code == 1
    assert message in done.err
    assert "fault" not in done.err
