"""`make release VERSION=1.2.3`: a release, prepared, committed and tagged here; nothing is sent anywhere.

The version goes to every place that tells it, the changelog's heading gets its date, and proto/released.binpb becomes
the contract of this release. CONTRIBUTING.md says what comes before and after.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).parent.parent
# The places that tell the version: file, what stands before it, what stands after it.
PLACES = (
    ("pyproject.toml", 'version = "', '"\ndescription'),
    ("README.md", "Pythia ", " serves on"),
    ("docs/front-ends.md", '"name":"pythia","version":"', '"'),
    ("deploy/kubernetes/advice.yaml", "image: pythia:", "\n"),
    ("deploy/kubernetes/match.yaml", "image: pythia:", "\n"),
)
CONTRACT = "proto/released.binpb"


class ReleaseError(Exception):
    """What keeps this from being released, and what to do."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="make release VERSION=", description="Prepare, commit and tag a release."
    )
    parser.add_argument("version", help="such as 0.2.0")
    version = parser.parse_args().version
    try:
        check(version, ROOT)
        write(version, ROOT, datetime.now(UTC).date().isoformat())
        git("add", "--", "CHANGELOG.md", CONTRACT, *(place[0] for place in PLACES))
        git("commit", "--quiet", "--message", f"Release {version}")
        git("tag", "--annotate", f"v{version}", "--message", f"Pythia {version}")
    except ReleaseError as error:
        sys.exit(f"release: {error}")
    print(f"Committed and tagged v{version}. Next: make release-check, then push the branch and the tag.")


def check(version: str, root: Path) -> None:
    """Refuse before anything is changed."""
    now = current(root)
    try:
        is_newer = Version(version) > Version(now) and re.fullmatch(r"\d+\.\d+\.\d+", version)
    except InvalidVersion:
        is_newer = None
    if not is_newer:
        raise ReleaseError(f"VERSION: {version!r} is not allowed; allowed: three numbers, newer than {now}")
    if git("status", "--porcelain", root=root):
        raise ReleaseError("there are changes that are not committed; commit or stash them first")
    if git("tag", "--list", f"v{version}", root=root):
        raise ReleaseError(f"the tag v{version} is there already")
    if heading(version, "unreleased") not in (root / "CHANGELOG.md").read_text():
        raise ReleaseError(f"CHANGELOG.md: the heading {heading(version, 'unreleased').strip()!r} is missing")
    for name, before, after in PLACES:
        if f"{before}{now}{after}" not in (root / name).read_text():
            raise ReleaseError(f"{name}: {before}{now} is not there, so the version cannot be replaced")


def write(version: str, root: Path, date: str) -> None:
    now = current(root)
    for name, before, after in PLACES:
        replace(root / name, f"{before}{now}{after}", f"{before}{version}{after}")
    replace(root / "CHANGELOG.md", heading(version, "unreleased"), heading(version, date))
    # The compatibility promise holds from this contract on; `make lint` compares with it.
    buf = Path(sys.executable).with_name("buf")
    subprocess.run([buf, "build", "--exclude-source-info", "-o", CONTRACT], cwd=root, check=True)


def current(root: Path) -> str:
    found = re.search(r'^version = "(.*)"$', (root / "pyproject.toml").read_text(), re.MULTILINE)
    assert found
    return found[1]


def heading(version: str, when: str) -> str:
    return f"## [{version}] - {when}\n"


def replace(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


def git(*arguments: str, root: Path = ROOT) -> str:
    run = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if run.returncode:
        raise ReleaseError(f"git {arguments[0]} failed: {run.stderr.strip()}")
    return run.stdout.strip()


if __name__ == "__main__":
    main()
