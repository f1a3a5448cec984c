"""What all tests share."""

import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

import pytest

# A shell that starts the tests in the background makes them, and every program they start, deaf to interrupts;
# some tests interrupt a program and wait for it to end.
signal.signal(signal.SIGINT, signal.default_int_handler)

OWN_HOME = pytest.StashKey[Path]()


def pytest_configure(config):
    """Before anything is imported: the tests, and all programs they start, have a home of their own.

    Matches, tokens, saved games and start-up files of whoever runs the tests are let alone. Caches stay where they are,
    so that builds and downloads are not done anew, and so does what pip is told about where to find packages.
    """
    caller = Path.home()
    os.environ.setdefault("XDG_CACHE_HOME", str(caller / ".cache"))
    if (caller / ".config/pip/pip.conf").exists():
        os.environ.setdefault("PIP_CONFIG_FILE", str(caller / ".config/pip/pip.conf"))
    home = Path(tempfile.mkdtemp(prefix="pythia-tests-"))
    config.stash[OWN_HOME] = home
    os.environ |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
    }
    for name in ("CONFIG", "SERVER", "TOKEN", "SEAT_TOKEN", "STORE"):
        os.environ.pop(f"PYTHIA_{name}", None)
    for name in ("BASH_ENV", "ENV", "ZDOTDIR", "ZSH", "ZSH_CUSTOM"):
        os.environ.pop(name, None)


def pytest_collection_modifyitems(items):
    """Integration tests say little about the coverage of Python code, and tracing would slow them down."""
    for item in items:
        if item.get_closest_marker("integration"):
            item.add_marker(pytest.mark.no_cover)


@pytest.hookimpl(wrapper=True, trylast=True)  # within pytest-cov's own
def pytest_runtest_call(item):
    """In processes of xdist coverage is measured twice: pausing one, as `no_cover` does, leaves the other in place.

    With a tracer, CPython 3.11 does not go on in a thread that has interrupted another until that one hears it.
    """
    if not item.get_closest_marker("no_cover"):
        return (yield)
    of_this, of_new = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        threading.settrace(of_new)
        sys.settrace(of_this)


def pytest_unconfigure(config):
    shutil.rmtree(config.stash[OWN_HOME], ignore_errors=True)
