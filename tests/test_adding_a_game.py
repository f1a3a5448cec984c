"""The guide to adding a game, followed to the letter: the game that it makes passes the contract suite."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("arena", "clients", "core_cy", "front", "proto", "search", "service", "tests", "web")
# Where setuptools and Cython look for what is built already.
BUILT = [*ROOT.glob("build/lib.*"), *ROOT.glob("build/cython/release")]
GUIDE = (ROOT / "docs/adding-a-game.md").read_text(encoding="utf-8")
FIRST_HOUR = re.search(r"^## In an hour.*?(?=^## )", GUIDE, re.MULTILINE | re.DOTALL).group()


@pytest.fixture
def tree(tmp_path):
    """A copy of the sources and of what is built from them, in which nothing needs to be built again."""
    for folder in [*(ROOT / folder for folder in FOLDERS), *BUILT]:
        there = tmp_path / folder.relative_to(ROOT)
        shutil.copytree(folder, there, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, tmp_path)
    for built in ("*_pb2*", "*.c", "*.so"):
        for path in tmp_path.rglob(built):
            path.touch()
    return tmp_path


def run(tree, *command):
    done = subprocess.run(
        command,
        cwd=tree,
        env=os.environ | {"PYTHONPATH": "build/ns", "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def add_line(path, name, line):
    """Adds a line to a list or dict, in alphabetical order."""
    before, start, rest = path.read_text().partition(f"\n{name} = ")
    opening, *lines = rest.split("\n")
    end = next(number for number, text in enumerate(lines) if text in ("]", "}"))
    lines[:end] = sorted([*lines[:end], f"    {line}"])
    path.write_text(before + start + "\n".join([opening, *lines]))


def sources(tree):
    files = [path for folder in FOLDERS for path in (tree / folder).rglob("*")] + [*tree.glob("*.*")]
    kept = [path for path in files if path.is_file() and path.suffix != ".so"]
    return {str(path.relative_to(tree)): path.read_bytes() for path in kept}


def test_a_copy_made_by_the_guide_passes_the_contract_suite(tree):
    before = sources(tree)
    copy, build_and_test = re.findall(r"^```sh\n(.*?)^```$", FIRST_HOUR, re.MULTILINE | re.DOTALL)
    run(tree, "sh", "-ec", copy)
    for line, name, file in re.findall(r"^- `(.+?)` to `(\w+)` in `(.+?)`", FIRST_HOUR, re.MULTILINE):
        add_line(tree / file, name, line)
    after = sources(tree)
    new = after.keys() - before.keys()
    changed = {name for name in before if after[name] != before[name]}
    assert (len(new), len(changed)) == (1, 2), (new, changed)
    assert "That is one new file and one line in each of two others" in FIRST_HOUR
    assert all(len(after[name].splitlines()) == len(before[name].splitlines()) + 1 for name in changed)

    build, tests = build_and_test.strip().split(" && ")
    assert build == "make build"
    run(tree, sys.executable, "setup.py", "--quiet", "build_protos", "build_ext", "--inplace")
    words = tests.removeprefix(".venv/bin/python ").split()
    passed = re.search(r"^(\d+) passed", run(tree, sys.executable, *words, "-q", "-n", "0"), re.MULTILINE)
    assert int(passed[1]) >= 100
