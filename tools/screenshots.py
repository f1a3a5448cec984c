"""Pictures of the page for the documentation: `python -m tools.screenshots` writes docs/pictures/web-*.png.

Needs Chromium and the packages of the extra `browser`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from shutil import which
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from pythia.core_cy import Random, State, View, load_game
from pythia.core_cy.record import record_game
from pythia.search.bots import make_bot
from pythia.service.server import Server

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
DESKTOP: dict[str, Any] = {"viewport": {"width": 1360, "height": 820}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}


@contextmanager
def served() -> Iterator[str]:
    """The address of a server that lives as long as the block."""
    started: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def live() -> None:
        end = asyncio.Event()
        async with Server(port=0, http_port=0, store="memory:", metrics=False, grace_seconds=1) as server:
            started.set_result((server.http_url, asyncio.get_running_loop(), end))
            await end.wait()

    thread = threading.Thread(target=lambda: asyncio.run(live()))
    thread.start()
    url, loop, end = started.result()
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()


def keltis_record() -> str:
    """A game of two bots, of which one errs now and then."""
    good, bad = make_bot("greedy"), make_bot("random", seed=3)
    decisions = iter(range(10**6))

    def choose(state: State) -> str:
        errs = state.to_act == 1 and next(decisions) % 4 == 0
        return str((bad if errs else good).choose(View.of(state, state.to_act)).move)

    record = record_game(
        load_game("keltis", players=2, seed=3).new_state(), choose, Random(3), ["Ada", "Bob"]
    )
    text = StringIO()
    record.write(text)
    return text.getvalue()


def main() -> None:
    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        for picture in (play, table, phone, analyse, review, watch):
            picture(browser, url)
            print(f"web-{picture.__name__}.png")
        browser.close()


def opened(browser: Browser, address: str, **settings: Any) -> Page:
    page = browser.new_context(**({"locale": "en-US"} | settings)).new_page()
    page.goto(address)
    return page


def kept(page: Page, name: str) -> None:
    page.mouse.move(2, 2)
    page.wait_for_timeout(800)
    page.screenshot(path=PICTURES / f"web-{name}.png")
    page.context.close()


def start(page: Page, game: str, seed: int) -> None:
    page.click(f".game:has-text('{game}')")
    page.click("summary")
    page.fill("label:has-text('Seed') input", str(seed))
    page.click("button:has-text('Start')")
    page.wait_for_selector(".moves .move", state="attached")


def play(browser: Browser, url: str) -> None:
    page = opened(browser, url, **DESKTOP)
    page.wait_for_selector("button:has-text('Start')")
    kept(page, "play")


def table(browser: Browser, url: str) -> None:
    page = opened(browser, url, **DESKTOP)
    start(page, "Delphi", 7)
    while page.locator(".picture [data-key^='die:0:'][data-state=live]").count() == 0:
        page.locator(".moves .move").first.click()
        page.click(".confirm .strong")
        page.wait_for_timeout(1500)
    page.locator(".picture [data-key^='die:0:'][data-state=live]").first.dispatch_event("click")
    kept(page, "table")


def phone(browser: Browser, url: str) -> None:
    page = opened(browser, url, color_scheme="dark", **PHONE)
    start(page, "Keltis", 11)
    page.locator(".picture [data-key][data-state=live]").first.dispatch_event("click")
    kept(page, "phone")


def analyse(browser: Browser, url: str) -> None:
    page = opened(browser, f"{url}/#/analyse", **DESKTOP)
    page.fill("textarea", (PICTURES / "delphi.json").read_text())
    page.click("text=Read it")
    page.wait_for_selector(".moves .move")
    page.click(".controls button")
    page.wait_for_selector(".ranked .report")
    page.wait_for_timeout(4000)
    page.click(".controls button")
    kept(page, "analyse")


def review(browser: Browser, url: str) -> None:
    page = opened(browser, f"{url}/#/review", **DESKTOP)
    page.fill("textarea", keltis_record())
    page.click(".card .strong")
    page.wait_for_selector("table.sums tbody tr", timeout=300_000)
    kept(page, "review")


def watch(browser: Browser, url: str) -> None:
    page = opened(browser, f"{url}/#/watch", color_scheme="dark", **DESKTOP)
    page.click(".game:has-text('Deukalion')")
    page.fill("label:has-text('Matches') input", "6")
    page.click("button:has-text('Start')")
    page.wait_for_selector(".tile .picture svg >> nth=5")
    page.wait_for_timeout(8000)
    kept(page, "watch")


if __name__ == "__main__":
    main()
