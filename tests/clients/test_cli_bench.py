"""`pythia bench`, with measurements so short that they mean nothing."""

import json

import pytest

from pythia.clients.cli.bench import thread_counts
from pythia.core_cy import list_games
from tests.clients.command import pythia, worked

SHORT = ("--seconds", 0.01, "--threads", 1)


@pytest.mark.parametrize("game", list_games())
def test_bench(game):
    told = json.loads(worked("bench", "--game", game, "--players", 3, *SHORT, "--json"))
    assert (told["game"], told["players"]) == (game, 3)
    assert [figure["what"] for figure in told["figures"]] == [
        "random play",
        "search, 1 thread",
        "suggestion, level 1",
        "suggestion, level 5",
        "suggestion, level 10",
    ]
    assert all(figure["value"] > 0 for figure in told["figures"])


def test_bench_as_a_table():
    shown = worked("bench", "--game", "keltis", *SHORT)
    assert "keltis, 2 players" in shown
    for words in ("random play", "moves/s", "iterations/s", "ms"):
        assert words in shown


def test_threads_are_doubled_up_to_the_most():
    assert [thread_counts(most) for most in (1, 2, 3, 8, 12)] == [
        [1],
        [1, 2],
        [1, 2, 3],
        [1, 2, 4, 8],
        [1, 2, 4, 8, 12],
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seconds", "0"], "seconds: 0.0 is not allowed"),
        (["--threads", "100000"], "threads: 100000 is not allowed"),
        (["--game", "chess"], "game: 'chess' is not allowed"),
    ],
)
def test_what_bench_refuses(arguments, words):
    ran = pythia("bench", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"pythia: {words}")
