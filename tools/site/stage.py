"""The sources of the site: docs/, what lies beside it in the repository, and pages that are made by commands."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from tools.site.reference import command_pages, contract_pages, python_pages

# A link of Markdown: its text, target and anchor.
LINK = re.compile(r"(?<!`)(\]\()(?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]+)?(\))")
# Markdown beside docs/ that is part of the site, by its name there.
BESIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
FILES = "files"


def stage(root: Path, folder: Path) -> None:
    docs = root / "docs"
    shutil.copytree(docs, folder)
    sources = {path: folder / path.relative_to(docs) for path in sorted(docs.rglob("*.md"))}
    for name, staged in BESIDE.items():
        sources[root / name] = folder / staged
    for source, target in sources.items():
        target.write_text(bent(source, target, root, folder), encoding="utf-8")
    for name, text in {**command_pages(), **contract_pages(root), **python_pages()}.items():
        page = folder / "reference" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")


def bent(source: Path, target: Path, root: Path, folder: Path) -> str:
    """The text of a page, whose links to files outside docs/ lead to copies of them within the site."""

    def new(match: re.Match[str]) -> str:
        before, place, anchor, after = match.groups()
        linked = (source.parent / place).resolve()
        if not linked.exists():
            raise SystemExit(f"site: {source.relative_to(root)}: the link to {place} leads nowhere")
        return f"{before}{relative(staged_place(linked, root, folder), target)}{anchor or ''}{after}"

    parts = re.split(r"(^```.*?^```$)", source.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(new, part) for part in parts)


def staged_place(linked: Path, root: Path, folder: Path) -> Path:
    """Where a file of the repository is in the site; it is copied there if it is not a page."""
    name = linked.relative_to(root)
    if name.parts[0] == "docs":
        return folder / linked.relative_to(root / "docs")
    if str(name) in BESIDE:
        return folder / BESIDE[str(name)]
    if str(name) == "README.md":
        return folder / "index.md"
    place = folder / FILES / name
    if linked.is_dir():
        # A page that lists what is in it, one level deep.
        entries = [path for path in sorted(linked.iterdir()) if path.is_file() and not is_made(path)]
        page = place / "index.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"# {name}/", ""]
        for path in entries:
            shutil.copy(path, place / path.name)
            lines.append(f"- [{path.name}]({path.name})")
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return page
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(linked, place)
    return place


def is_made(path: Path) -> bool:
    return "_pb2" in path.name or path.suffix in {".pyc", ".so"} or path.name == "__init__.py"


def relative(place: Path, page: Path) -> str:
    return Path(os.path.relpath(place, page.parent)).as_posix()
