"""The HTML report: self-contained, well-formed, and without errors in a browser."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from pythia.arena.plot import ticks
from pythia.arena.report import html_report
from pythia.arena.tournament.definition import definition_of, read_definition
from pythia.arena.tournament.runner import load_schedule, run_tournament
from pythia.arena.tournament.schedule import Schedule
from pythia.arena.tournament.store import ResultStore
from pythia.arena.tournament.summary import summarize
from tests.arena.conftest import entrant
from tests.arena.test_definition import result_with

BROWSER = [
    "chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--window-size=1000,2800",
]


class ReportPage(HTMLParser):
    """Every tag is closed, and nothing is loaded."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.counts = {}
        self.text = []

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        for name, value in attributes:
            assert name not in ("src", "onload", "onclick"), (tag, name)
            assert name != "href" or value == "data:,", value
            assert "NaN" not in (value or ""), (tag, name, value)
            assert "nan" not in (value or "").split(), (tag, name, value)
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    parsed = ReportPage()
    parsed.feed(page)
    assert not parsed.open
    assert not re.search(r"https?://|@import|url\(", page)
    return parsed


def simulated(count, seats=2, blocks=30, **values):
    """A tournament in which some win more often than others."""
    entrants = [{"name": f"bot <{letter}> & friends", "bot": "random"} for letter in "abcdefghij"[:count]]
    definition = definition_of(
        {
            "game": "delphi",
            "seats": seats,
            "blocks": blocks,
            "name": "the <cup>",
            "entrants": entrants,
            **values,
        }
    )
    schedule = Schedule(definition)
    number = 0
    while task := schedule.next_task():
        number += 1
        order = sorted(task.key.seating, key=lambda name: (mixed(name, number), name))
        schedule.add(task.key, result_with([order.index(name) + 1 for name in task.key.seating]))
    return schedule


def mixed(name, number):
    return (ord(name[5]) * 7919 + number * 104729) % (ord(name[5]) - 90)


@pytest.mark.parametrize(("count", "seats"), [(2, 2), (5, 2), (4, 3), (10, 2)])
def test_a_page_with_every_part(count, seats):
    page = read(html_report(summarize(simulated(count, seats), convergence=True)))
    assert page.counts["svg"] == 5
    text = "".join(page.text)
    for part in (
        "Standings",
        "Ratings",
        "Who beats whom",
        "Seats",
        "Length of games",
        "Time use",
        "Convergence",
    ):
        assert part in text
    assert "bot <a> & friends" in text
    assert ("The first seat is worth" in text) == (seats == 2)


def test_a_page_with_a_sequential_test():
    summary = summarize(simulated(2, sprt={"elo0": -50, "elo1": 50}), convergence=True)
    assert "log-likelihood ratio" in "".join(read(html_report(summary)).text)


@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_a_page_of_little(blocks):
    schedule = simulated(2, blocks=2)
    (table,) = schedule.tables()
    for block in range(blocks, 2):
        del table.blocks[block]
        table.complete.remove(block)
    page = read(html_report(summarize(schedule, convergence=True)))
    assert "the <cup>" in "".join(page.text)


def test_forfeits_are_listed(write, bots, monkeypatch, folder):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = write(
        "blocks = 1\n"
        + entrant("good", bot="random")
        + entrant("bad", **{"class": f"{bots}:Faulty"}, params={"fault": "illegal"})
    )
    summary = summarize(
        run_tournament(read_definition(path), folder / "r.sqlite", processes=1, keep_going=True),
        convergence=True,
    )
    text = "".join(read(html_report(summary)).text)
    assert "bad at seat 1: illegal move: 'fly to the moon'" in text


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 10, [0, 2, 4, 6, 8, 10]), (-300, 300, [-300, -200, -100, 0, 100, 200, 300]), (3, 3, [3])],
)
def test_ticks(low, high, expected):
    found = ticks(low, high)
    assert set(found) <= {*map(float, range(-1000, 1000)), *expected}
    assert all(low <= tick <= high + 1 for tick in found)
    assert len(found) <= 8


@pytest.mark.integration
def test_a_browser_shows_it_without_errors(tmp_path, write, folder):
    path = write(
        "blocks = 20\n"
        + entrant("random", bot="random")
        + entrant("greedy", bot="greedy")
        + entrant("ismcts", bot="ismcts", iterations=10)
    )
    definition = read_definition(path)
    run_tournament(definition, folder / "r.sqlite", processes=2)
    with ResultStore(folder / "r.sqlite", definition, write=False) as store:
        summary = summarize(load_schedule(definition, store), convergence=True)
    page, picture = tmp_path / "report.html", tmp_path / "report.png"
    # A script that tells whether anything failed to load; the report itself has none.
    check = "<script>document.title = document.querySelectorAll('svg').length + ' plots'</script>"
    page.write_text(html_report(summary))
    (tmp_path / "probe.html").write_text(html_report(summary).replace("</body>", f"{check}</body>"))

    def browse(*arguments):
        return subprocess.run(
            [*BROWSER, f"--user-data-dir={tmp_path / 'profile'}", *arguments],
            capture_output=True,
            text=True,
            timeout=120,
        )

    shown = browse(f"--screenshot={picture}", page.as_uri())
    assert shown.returncode == 0, shown.stderr
    assert "CONSOLE" not in shown.stderr, shown.stderr
    header = picture.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(header[16:20], "big"), int.from_bytes(header[20:24], "big")) == (1000, 2800)
    assert picture.stat().st_size > 50_000
    probed = browse("--dump-dom", (tmp_path / "probe.html").as_uri())
    assert "CONSOLE" not in probed.stderr, probed.stderr
    # The simple card game has no rounds, so no plot of lengths.
    assert "<title>4 plots</title>" in probed.stdout
