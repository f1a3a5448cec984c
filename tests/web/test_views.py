"""Analysis, review and watching in a real browser against a real server."""

import io
import json

import pytest

from pythia.arena.review import Decision
from pythia.clients import Client
from pythia.core_cy import Random, View, load_game
from pythia.core_cy.move_words import reasons
from pythia.core_cy.record import record_game
from pythia.search.bots import make_bot
from tests.clients.serving import served
from tests.service.test_auth import PLAYER, TOKENS
from tests.web.browser import ROOT, Person

pytestmark = pytest.mark.integration


def test_analysis_of_a_pasted_position(browser, server):
    position = (ROOT / "docs" / "pictures" / "delphi.json").read_text()
    with Person(browser, server.http_url) as me:
        me.open("#/analyse")
        me.page.fill("textarea", position)
        me.page.click("text=Read it")
        me.wait(".moves .move")
        me.page.click(".controls button")
        me.wait(".ranked .report")
        assert "visits" in me.text(".ranked")
        me.page.click(".controls button:has-text('Stop')")
        assert me.page.locator(".ranked .report").count() > 1  # stopped, but kept
        assert me.serious() == []
        # What if: a move forward, then back, and the position in a link.
        label = me.text(".moves .move span")
        me.page.locator(".moves .move").first.click()
        me.page.click(".confirm .strong")
        me.wait(f".steps button:has-text('{label[:12]}')")
        me.page.click("button:has-text('Back')")
        me.wait(".steps", state="detached")
        me.page.click("button:has-text('Share')")
        link = me.page.locator(".share input").first.input_value()
        assert len(link) < 4000
    with Person(browser, server.http_url) as friend:
        friend.open(link.removeprefix(f"{server.http_url}/"))
        friend.wait(".moves .move")
        assert label in friend.text(".moves")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "no JSON"),
        ('{"game": "chess", "observer": 0}', "does not know the game chess"),
        ('{"observer": 0}', "no position"),
        ('{"game": "keltis", "observer": 0, "wings": 2}', "cannot be read"),
    ],
)
def test_what_cannot_be_analysed_is_said(browser, server, text, words):
    with Person(browser, server.http_url, lost=True) as me:
        me.open("#/analyse")
        me.page.fill("textarea", text)
        me.page.click("text=Read it")
        assert words in me.text(".problem")


def keltis_record(moves=None):
    """A game of a greedy and a random bot, as text."""
    bots = [make_bot("greedy"), make_bot("random", seed=3)]
    start = load_game("keltis", players=2, seed=3).new_state()
    record = record_game(
        start,
        lambda state: bots[state.to_act].choose(View.of(state, state.to_act)).move,
        Random(3),
        ["Ada", "Bob"],
    )
    text = io.StringIO()
    record.write(text)
    lines = text.getvalue().splitlines()
    return "\n".join(lines if moves is None else lines[: moves + 1]) + "\n"


def test_review_of_a_record(browser, server, tmp_path):
    record = keltis_record(30)
    with Person(browser, server.http_url) as me:
        me.page.add_init_script("localStorage.setItem('pythia.effort', '100')")
        me.open("#/review")
        me.page.fill("textarea", record)
        me.page.click(".card .strong")
        me.wait("table.sums thead th >> nth=1")
        assert me.page.locator(".curve").count() == 2
        assert me.serious() == []
        # The numbers are those of the service that the command line asks.
        with Client(server.address) as client:
            *_, last = client.review(record, "ismcts:iterations=100", unfinished=True)
        assert last.found.seat == 1
        lost = me.page.locator("table.sums tbody tr:has-text('Lost by') td").nth(1).inner_text()
        assert f"\N{MINUS SIGN}{last.found.total_loss * 100:.1f}" in lost
        # Mistakes are told in words, not in the notation of the record.
        worst = me.page.locator(".mistake").first
        me.page.wait_for_function(
            "() => /Move \\d+: [A-Z]/.test(document.querySelector('.mistake').innerText)"
        )
        assert "Better: " in worst.inner_text()
        me.page.locator(".mistake").first.click()
        me.wait(".moment .picture svg")
        assert "Better" in me.text(".verdict")
        me.page.click("button:has-text('Find the better move')")
        me.wait(".moment .moves .move")
        assert me.page.locator(".verdict").count() == 0
        me.page.locator(".moment .moves .move").first.click()
        me.page.click(".moment .confirm .strong")
        me.wait(".verdict")
        with me.page.expect_download() as download:
            me.page.click("button:has-text('Save as a page')")
        kept = tmp_path / "review.html"
        download.value.save_as(kept)
    text = kept.read_text()
    assert "<script" not in text
    assert "Ada" in text
    assert "http" not in text.replace("http://www.w3.org/", "").replace("http%3A%2F%2Fwww.w3.org%2F", "")


def test_reasons_are_in_the_language_of_the_page(browser, server):
    record = keltis_record(30)
    with Client(server.address) as client:
        parts = client.review(record, "ismcts:iterations=100", unfinished=True, language="de")
        decisions = [part.found for part in parts if isinstance(part.found, Decision)]
    worst = max((decision for decision in decisions if decision.reasons), key=lambda one: one.loss)
    with Person(browser, server.http_url, locale="de-DE") as me:
        me.page.add_init_script("localStorage.setItem('pythia.effort', '100')")
        me.open("#/review")
        me.page.fill("textarea", record)
        me.page.click(".card .strong")
        me.wait("table.sums thead th >> nth=1")
        me.page.click(f".mistake:has-text('Zug {worst.number}:')")
        me.wait(".verdict .reasons li")
        assert me.page.locator(".verdict .reasons li").all_inner_texts() == worst.reasons
        # An analysis gives reasons for the move it would play; in an auction there is one for every move.
        state = load_game("offrandes", players=3, seed=1).new_state()
        for move in (
            "first sparta",
            *["recruit farmer carrier guard"] * 3,
            "auction florist servant",
            "bid 3",
        ):
            state.apply(move)
        view = View.of(state, state.to_act)
        me.open("#/analyse")
        me.page.fill("textarea", json.dumps(view.observation()))
        me.page.click("text=Lesen")
        me.wait(".moves .move")
        me.page.fill(".controls label:has-text('Sekunden') input", "1")
        me.page.click(".controls button:has-text('Analysieren')")
        me.wait(".reasons li")
        told = {text for move in view.legal_moves() for text in reasons(view, move, "de")}
        assert set(me.page.locator(".reasons li").all_inner_texts()) <= told


def test_watching_bots(browser, server):
    with Person(browser, server.http_url) as me:
        me.open("#/watch")
        me.page.click(".game:has-text('Keltis')")
        for seat, bot in enumerate(("greedy", "random")):
            me.page.select_option(f"select[aria-label='Bot {seat + 1}']", bot)
        me.page.fill("label:has-text('Matches') input", "2")
        me.page.fill("label:has-text('Seconds between') input", "0.2")
        me.page.click("button:has-text('Start')")
        me.wait(".tile .picture svg >> nth=1")
        assert me.serious() == []
        # No person plays, so the chances of both may be shown; the last move is told in words.
        me.wait(".tile .winbar[aria-label*='greedy: ']")
        me.page.wait_for_function("() => /^[A-Z]/.test(document.querySelector('.tile .last').innerText)")
        before = me.text(".tile .last")
        me.page.wait_for_function(
            "(before) => document.querySelector('.tile .last').innerText !== before", arg=before
        )
        me.page.click("button:has-text('Pause')")
        me.wait("button:has-text('Go on')")
        me.page.click("[aria-label=Larger] >> nth=0")
        me.page.wait_for_function("() => document.querySelectorAll('.tile').length === 1")
        # Many boards, one stream.
        assert len([url for url in me.requests if url.endswith("WatchMany")]) == 1
        # A match that is over counts in the standings.
        ids = me.page.url.partition("#/watch/")[2].split("%2C")
        with Client(server.address) as client:
            over = client.import_record(keltis_record(), ["greedy", "random"], public=True)
        me.open(f"#/watch/{ids[0]},{over.id}")
        me.page.reload()
        me.wait(".tile .won")
        assert "100 %" in me.text("table.sums tbody tr")


def test_a_server_without_the_role_to_analyse(browser):
    with served(http=True, tokens=TOKENS) as server, Person(browser, server.http_url, lost=True) as me:
        me.open()
        me.page.fill("input[type=password]", PLAYER)
        me.page.click("button:has-text('Enter')")
        me.page.click("button:has-text('Start')")
        assert 'role "analyse"' in me.text(".problem")
