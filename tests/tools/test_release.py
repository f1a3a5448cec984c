"""`make release`: what it refuses, and what it writes; and that the forge's workflows call targets that exist."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tools.release import CONTRACT, PLACES, ReleaseError, check, current, write

ROOT = Path(__file__).parent.parent.parent
NEXT = "97.0.0"


def git(tree, *arguments):
    user = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *user, *arguments], cwd=tree, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    """A repository with the files that tell the version, whose changelog has the next one."""
    for name in (*dict.fromkeys(place[0] for place in PLACES), "buf.yaml", CONTRACT):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "proto" / "pythia", tmp_path / "proto" / "pythia")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## [{NEXT}] - unreleased\n\n- More.\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "All")
    return tmp_path


def test_a_release_is_written_everywhere(tree):
    before = current(tree)
    check(NEXT, tree)
    (tree / CONTRACT).write_bytes(b"")
    write(NEXT, tree, "2030-01-31")
    assert current(tree) == NEXT
    assert f"## [{NEXT}] - 2030-01-31\n" in (tree / "CHANGELOG.md").read_text()
    for name, start, end in PLACES:
        assert f"{start}{NEXT}{end}" in (tree / name).read_text()
        assert f"{start}{before}{end}" not in (tree / name).read_text()
    assert b"AdvisorService" in (tree / CONTRACT).read_bytes()


@pytest.mark.parametrize("version", ["0.0.1", "98", "98.0", "98.0.0rc1", "v98.0.0", "", "x"])
def test_versions_that_are_refused(tree, version):
    with pytest.raises(ReleaseError, match="allowed: three numbers, newer than"):
        check(version, tree)


def test_nothing_is_released_from_an_unfinished_tree(tree):
    (tree / "more.txt").write_text("x")
    with pytest.raises(ReleaseError, match="not committed"):
        check(NEXT, tree)


def test_nothing_is_released_twice_or_without_a_changelog(tree):
    with pytest.raises(ReleaseError, match=r"## \[98\.0\.0\] - unreleased' is missing"):
        check("98.0.0", tree)
    git(tree, "tag", f"v{NEXT}")
    with pytest.raises(ReleaseError, match="is there already"):
        check(NEXT, tree)


def test_the_command_says_what_is_wrong_in_a_line():
    run = subprocess.run(
        [sys.executable, "-m", "tools.release", "0.0.1"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 1
    assert run.stderr.startswith("release: VERSION: '0.0.1' is not allowed")


def test_workflows_call_targets_and_scripts_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = set()
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            for command in (step["run"].split() for step in job["steps"] if "run" in step):
                if "make" in command:  # also by sudo
                    called |= set(command[command.index("make") + 1 :])
                else:
                    assert (ROOT / command[-1]).is_file(), command
    assert called <= targets
    assert {"lint", "test", "check", "site", "release-check", "image-check"} <= called
