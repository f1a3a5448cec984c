"""A person at the page: Chromium, and the ways to point, tap and type. Whatever a page does wrong fails the test."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
DESKTOP = {"viewport": {"width": 1440, "height": 900}}
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
PATIENCE = 30_000
# Pieces that light up and are not covered by others, with the place to click.
LIVE = """() => [...document.querySelectorAll('.picture [data-state="live"]')].flatMap((piece) => {
    const box = piece.getBoundingClientRect();
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const hit = document.elementFromPoint(x, y)?.closest("[data-state]");
    return hit === piece ? [{key: piece.dataset.key, x, y}] : [];
})"""
AXE = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"


@contextmanager
def chromium():
    from playwright.sync_api import sync_playwright  # only integration tests have it

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


class Person:
    """Somebody with a browser of their own. `lost` allows a lost connection and refused calls."""

    def __init__(self, browser, url, *, phone=False, lost=False, **settings):
        self.url = url
        self.phone = phone
        # Pieces that glide take most of the time of a test.
        usual = {"locale": "en-US", "reduced_motion": "reduce"}
        self.context = browser.new_context(**((PHONE if phone else DESKTOP) | usual | settings))
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.wrong = []
        self.requests = []
        self.page.on("request", self._asked)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("console", lambda message: self._said(message, lost))

    def _asked(self, request):
        self.requests.append(request.url)
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.wrong.append(f"a request left the origin: {request.url}")
        if request.headers.get("referer", ""):
            self.wrong.append(f"a referrer was sent: {request.headers['referer']}")
        if "#" in request.url or urlsplit(request.url).query:
            self.wrong.append(f"something stands in a query: {request.url}")

    def _said(self, message, lost):
        if message.type in ("error", "warning") and not (lost and "Failed to load resource" in message.text):
            self.wrong.append(f"console: {message.text} {message.location.get('url', '')}")

    def close(self):
        self.context.close()
        assert not self.wrong, self.wrong

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            name = re.sub(r"\W+", "-", str(error)[:40])
            self.page.screenshot(path=ROOT / "build" / f"failed-{name}.png")
            self.context.close()
            return
        self.close()

    # -- looking

    def open(self, fragment=""):
        self.page.goto(f"{self.url}/{fragment}")
        return self

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def wait(self, selector, **options):
        return self.page.wait_for_selector(selector, **options)

    def wait_turn(self):
        """My turn, or the end: whether it goes on."""
        self.page.wait_for_function(
            "() => document.querySelector('.moves .move, .confirm, .tools a[href^=\"#/review/\"]')"
        )
        return self.page.locator(".moves, .confirm").count() > 0

    def serious(self):
        """What axe-core finds to be serious."""
        if not self.page.evaluate("() => 'axe' in window"):
            source = (ROOT / "build" / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text()
            # The policy of the page lets no script in; the tester may.
            self.page.evaluate(source)
        found = self.page.evaluate(AXE)
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    # -- doing

    def press(self, x, y):
        if self.phone:
            self.page.touchscreen.tap(x, y)
        else:
            self.page.mouse.click(x, y)

    def new_table(self, game, seats):
        """From the first view, with these choices for the seats."""
        self.page.click(f".game:has-text('{game}')")
        self.page.click(f".segments button:has-text('{len(seats)}')")
        for seat, kind in enumerate(seats):
            self.page.select_option(f"select[aria-label='Seat {seat}']", kind)
        self.page.click("summary")
        self.page.fill("label:has-text('Seconds between') input", "0")
        self.page.click("button:has-text('Start')")
        self.wait(".picture svg")

    def choose(self, pointing=True):
        """A move, by pointing at pieces as long as any light up, then from the list."""
        for _ in range(6):
            if self.page.locator(".confirm").count():
                return
            pieces = self.page.evaluate(LIVE) if pointing else []
            if not pieces:
                break
            self.press(pieces[0]["x"], pieces[0]["y"])
            self.page.wait_for_timeout(30)
        if not self.page.locator(".confirm").count():
            if self.phone and not self.page.locator(".moves .move").first.is_visible():
                self.page.click(".handle")
            self.page.locator(".moves .move").first.click()
        self.wait(".confirm")

    def play(self, pointing=True):
        """One move; what it says in the panel."""
        self.choose(pointing)
        label = self.text(".confirm h3")
        before = (
            self.page.locator(".log li").first.inner_text() if self.page.locator(".log li").count() else ""
        )
        self.page.click(".confirm .strong")
        self.page.wait_for_function(
            "(before) => !document.querySelector('.confirm')"
            " && document.querySelector('.log li')?.innerText !== before",
            arg=before,
        )
        return label
