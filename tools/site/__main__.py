"""`python -m tools.site`: build the site, stop at the first broken link."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tools.site.links import problems
from tools.site.stage import stage

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "build" / "site-source"  # docs_dir of mkdocs.yml
PAGES = ROOT / "build" / "site"  # site_dir of mkdocs.yml


def main() -> None:
    for folder in (SOURCE, PAGES):
        shutil.rmtree(folder, ignore_errors=True)
    stage(ROOT, SOURCE)
    built = subprocess.run(
        [Path(sys.executable).with_name("zensical"), "build", "--clean", "--strict"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if built.returncode:
        sys.exit(f"site: zensical refused the pages:\n{built.stdout}{built.stderr}")
    found = problems(PAGES)
    if found:
        sys.exit("site: " + "\n".join(found))
    listed = (ROOT / "mkdocs.yml").read_text()
    for page in sorted(SOURCE.glob("*.md")):
        if f": {page.name}\n" not in listed:
            print(f"site: {page.name} is in no menu; add it to nav in mkdocs.yml")
    pages = sum(1 for _ in PAGES.rglob("*.html"))
    size = sum(path.stat().st_size for path in PAGES.rglob("*") if path.is_file())
    print(
        f"site: {pages} pages in {PAGES.relative_to(ROOT)}, {size / 1e6:.1f} MB; every link leads somewhere"
    )


if __name__ == "__main__":
    main()
