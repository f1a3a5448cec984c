"""The same tournament on an embedded Ray: same games, same forfeits, resumed from the same results."""

import subprocess
import sys

import pytest

from pythia.arena.tournament.definition import read_definition
from pythia.arena.tournament.runner import run_tournament
from tests.arena.conftest import entrant
from tests.arena.test_run import games_of

RUN = """
import sys
from pathlib import Path
from pythia.arena.tournament.definition import read_definition
from pythia.arena.tournament.runner import run_tournament

run_tournament(read_definition(Path(sys.argv[1])), Path(sys.argv[2]), executor="ray", processes=2, keep_going=True)
"""


@pytest.mark.integration
def test_the_same_games_on_ray(write, folder, bots, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = (
        "clock = { decision_seconds = 20 }\n"
        + entrant("first", bot="random")
        + entrant("second", bot="ismcts", iterations=4)
        + entrant("mine", **{"class": f"{bots}:Seeded"}, iterations=5)
        + entrant("bad", **{"class": f"{bots}:Faulty"}, params={"fault": "die"})
    )
    path = write("blocks = 2\n" + text)
    run_tournament(read_definition(path), folder / "here.sqlite", processes=1, keep_going=True)
    here = games_of(path, folder / "here.sqlite")
    # In a program of its own: Ray leaves threads and settings behind.
    run = subprocess.run(
        [sys.executable, "-c", RUN, path, folder / "there.sqlite"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    there = games_of(path, folder / "there.sqlite")
    assert there == here
    assert sum(game.forfeit is not None for game in there.values()) == 3 * 2 * 2
    # What Ray has begun, processes finish.
    write("blocks = 3\n" + text)
    run_tournament(read_definition(path), folder / "there.sqlite", processes=2, keep_going=True)
    more = games_of(path, folder / "there.sqlite")
    assert len(more) == 6 * 3 * 2
    assert there.items() <= more.items()
