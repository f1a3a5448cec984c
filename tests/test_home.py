"""Nothing below the home of whoever runs the tests changes, but caches."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.command import worked

ROOT = Path(__file__).parent.parent
START_UP_FILES = (
    ".bashrc",
    ".profile",
    ".zshrc",
    ".config/fish/config.fish",
    ".config/powershell/profile.ps1",
)
# What writes to a home when it has no other: completion, matches, tokens, saved games, servers, results of runs.
TESTS = (
    ("tests/clients/test_cli.py", "completion"),
    ("tests/clients/test_cli_match.py", "whole_match"),
    ("tests/clients/test_play.py", "saved_game_goes_on or folder_that"),
    ("tests/service/test_config.py", "print_config"),
)


@pytest.fixture
def callers_home(tmp_path):
    """The home of somebody with start-up files and a match under way."""
    home = tmp_path / "home"
    for name in (*START_UP_FILES, ".local/state/pythia/matches.sqlite", ".local/state/pythia/tokens/a.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"# {name}\n")
    return home


def contents(home):
    """Every file with its text and when it was changed, caches left out."""
    return {
        str(path.relative_to(home)): (path.stat().st_mtime_ns, path.is_file() and path.read_bytes())
        for path in sorted(home.rglob("*"))
        if ".cache" not in path.relative_to(home).parts
    }


def environment(home):
    """That of a caller who lives there; nothing of this run's own home is left."""
    left = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("XDG_", "PYTEST", "MAKE", "MFLAGS", "PIP_CONFIG"))
    }
    return left | {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}


def run_at(home, *words):
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment(home), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.integration
@pytest.mark.parametrize(("tests", "names"), TESTS)
def test_tests_leave_the_callers_home_alone(callers_home, tests, names):
    before = contents(callers_home)
    told = run_at(
        callers_home, "-m", "pytest", "-q", "-m", "not integration", "-p", "no:cacheprovider", tests
    )
    assert " passed" in told
    assert contents(callers_home) == before


def test_the_smoke_test_leaves_the_callers_home_alone(callers_home):
    before = contents(callers_home)
    code = (
        "import tempfile; from tests import smoke; smoke.live_in(tempfile.mkdtemp()); smoke.check_command()"
    )
    run_at(callers_home, "-c", code)
    assert contents(callers_home) == before


def test_without_that_they_would_not(callers_home):
    """The check itself: a server without a home of its own keeps its matches in the caller's."""
    before = contents(callers_home)
    (callers_home / ".local/state/pythia/matches.sqlite").unlink()
    run_at(callers_home, "-c", "from tests import smoke; smoke.check_command()")
    assert contents(callers_home) != before


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
@pytest.mark.parametrize("output", [False, True])
def test_completion_edits_no_start_up_file(callers_home, shell, output, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(callers_home))
    before = contents(callers_home)
    file = tmp_path / "completion"
    told = worked("--install-completion", "--shell", shell, *(["--output", file] if output else []))
    after = contents(callers_home)
    for name in START_UP_FILES:
        assert after[name] == before[name]
    assert "Added" not in told
    if output:
        assert after == before
        assert file.stat().st_size > 500
    else:
        assert [name for name in after if name not in before and after[name][1]]
