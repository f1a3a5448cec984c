"""The page in Chromium: how soon it can be used, how large it is, and how soon a click is answered on the screen."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from importlib.util import find_spec
from shutil import which

ROUNDS = 7
# Milliseconds from a click on a piece until the screen shows what goes with it.
CLICK = """async () => {
    const piece = document.querySelector('.picture [data-state="live"], .picture [data-state="picked"]');
    const began = performance.now();
    piece.dispatchEvent(new MouseEvent("click", {bubbles: true}));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return performance.now() - began;
}"""
SIZE = """() => performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource"))
    .filter((one) => !one.name.includes("pythia.v1")).reduce((sum, one) => sum + one.encodedBodySize, 0)"""
READY = "() => performance.now()"


def rows() -> Iterator[tuple[str, float, str, str]]:
    """None where there is no browser."""
    if find_spec("playwright") is None or which("chromium") is None:
        return
    from playwright.sync_api import sync_playwright

    from tools.screenshots import DESKTOP, opened, served, start

    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        times = []
        for _ in range(ROUNDS):
            page = opened(browser, url, **DESKTOP)
            page.wait_for_selector("button:has-text('Start')")
            times.append(page.evaluate(READY))
            size = page.evaluate(SIZE)
            page.context.close()
        yield "page: first view can be used", statistics.median(times), "ms", "1000"
        yield "page: first view, compressed", size / 1000, "kB", "150"
        for game in ("Delphi", "Keltis"):
            page = opened(browser, url, **DESKTOP)
            start(page, game, 7)
            clicks = [page.evaluate(CLICK) for _ in range(ROUNDS)]
            yield f"page: a click answered, {game}", statistics.median(clicks), "ms", "100"
            page.context.close()
        browser.close()
