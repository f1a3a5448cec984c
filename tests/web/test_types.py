"""Types of the page's modules, its libraries, and its logic without a browser; by npm."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.vendor import VENDOR, bundles

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.integration


def run(*command, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_types(npm, tmp_path):
    for name in ("tsconfig.json", "package.json", "buf.gen.yaml"):
        shutil.copy(ROOT / "web" / name, tmp_path)
    shutil.copytree(ROOT / "web" / "static", tmp_path / "static")
    (tmp_path / "node_modules").symlink_to(npm / "node_modules")
    run("buf", "generate", str(ROOT / "proto"), folder=tmp_path)
    run("node_modules/.bin/tsc", "-p", ".", folder=tmp_path)


def test_the_bundles_are_those_of_the_lock_file(npm):
    made = bundles()
    assert {path.name for path in VENDOR.iterdir() if not path.name.endswith(".d.ts")} == made.keys()
    for name, content in made.items():
        assert (VENDOR / name).read_bytes() == content, f"{name}: run python -m tools.vendor"


@pytest.mark.parametrize("name", ["choose", "tournament"])
def test_logic_without_a_browser(name):
    run("node", "--test", str(Path(__file__).with_name(f"{name}.test.mjs")), folder=ROOT)
