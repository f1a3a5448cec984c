"""The page that people play on, as files for a server to send.

`site()` reads them once. All but the first one stand below a folder named after their content, `web/<hash>/`, so a
browser may keep them for good: a new release has another folder. Nothing is looked up on disk for a request.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

KINDS = {
    "binpb": "application/octet-stream",
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
FIRST = "index.html"
# In the first file, for the folder of the others.
FOLDER = b"{folder}"
# What the page may do: load its own files and call its own server. Boards come with attributes for their looks, and the
# page moves pieces by style, so styles may stand in elements; scripts may not.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class File:
    """A file as it is sent; `lasts` says that its path never has another content."""

    kind: str
    content: bytes
    packed: bytes
    tag: str
    lasts: bool


def site(more: Mapping[str, bytes]) -> dict[str, File]:
    """Every file of the page by its path, with `more` beside its modules."""
    contents = dict(_read(files("pythia.web") / "static", "")) | dict(more)
    digest = hashlib.sha256()
    for name, content in sorted(contents.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    folder = f"web/{digest.hexdigest()[:16]}/"
    first = contents.pop(FIRST).replace(FOLDER, folder.encode())
    found = {f"/{folder}{name}": _file(name, content, lasts=True) for name, content in contents.items()}
    return found | {"/": _file(FIRST, first, lasts=False)}


def _file(name: str, content: bytes, lasts: bool) -> File:
    kind = KINDS[name.rpartition(".")[2]]
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return File(kind, content, gzip.compress(content, mtime=0), tag, lasts)


def _read(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _read(entry, f"{prefix}{entry.name}/")
        elif entry.name.rpartition(".")[2] in KINDS:
            yield prefix + entry.name, entry.read_bytes()
