"""Checks the pages of a site: links and pictures lead to files that are there, anchors to ids, and nothing is fetched
from other sites when a page is opened."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, and what it follows when somebody clicks.
FETCHED = {
    ("img", "src"),
    ("script", "src"),
    ("source", "src"),
    ("iframe", "src"),
    ("video", "src"),
    ("object", "data"),
}
LINKED = {("a", "href"), ("link", "href")}
# <link> that names an address without fetching it.
NAMED_ONLY = {"canonical", "prev", "next", "alternate", "edit"}


class HtmlPage(HTMLParser):
    """The ids of a page and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = {"", "top"}
        self.fetched: list[str] = []
        self.linked: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        is_named_only = tag == "link" and set(values.get("rel", "").split()) & NAMED_ONLY
        for name, value in values.items():
            if (tag, name) in FETCHED or (tag == "link" and name == "href" and not is_named_only):
                self.fetched.append(value)
            elif (tag, name) in LINKED:
                self.linked.append(value)


def problems(folder: Path) -> list[str]:
    """Everything that is wrong, one line each."""
    pages = {path: HtmlPage(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        found += [
            f"{name}: fetches {address} from elsewhere" for address in page.fetched if is_elsewhere(address)
        ]
        for address in page.fetched + page.linked:
            if not is_elsewhere(address) and not address.startswith(("mailto:", "data:", "javascript:")):
                problem = broken(address, path, folder, pages)
                found += [f"{name}: {address} {problem}"] if problem else []
    return found


def is_elsewhere(address: str) -> bool:
    return urlsplit(address).scheme in ("http", "https") or address.startswith("//")


def broken(address: str, path: Path, folder: Path, pages: dict[Path, HtmlPage]) -> str:
    """What is wrong with a link within the site; empty if nothing is."""
    parts = urlsplit(address)
    place = unquote(parts.path)
    target = path
    if place:
        target = (folder / place.lstrip("/") if place.startswith("/") else path.parent / place).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "leads nowhere"
    anchor = unquote(parts.fragment)
    if target in pages and anchor not in pages[target].ids:
        return f"has no such place ({anchor})"
    return ""
