"""Tournaments of a few quick games, and bots that misbehave, in a module beside the tournament's file."""

from pathlib import Path

import pytest

BOTS = '''
"""Bots as somebody else would write them."""

import os
import sys
import time

from pythia.search.bots import make_bot


class Steady:
    """Plays the first legal move it is told of, as text."""

    def __init__(self, depth=1):
        self.inner = make_bot("random", seed=depth)

    def choose(self, view, limit=None):
        return self.inner.choose(view).move


class Seeded:
    name = "seeded"

    def __init__(self, seed):
        self.inner = make_bot("random", seed=seed)

    def choose(self, view, limit=None):
        assert limit is not None and limit.iterations == 5
        return self.inner.choose(view)


class Faulty:
    """Does something bad in its n-th decision."""

    name = "faulty"

    def __init__(self, fault, at=1):
        self.fault = fault
        self.left = at
        self.inner = make_bot("random")
        if fault == "make":
            assert os.environ.get("FAULT_WHEN_MADE") != "1", "not today"

    def choose(self, view, limit=None):
        self.left -= 1
        if self.left == 0:
            if self.fault == "raise":
                raise RuntimeError("out of ideas")
            if self.fault == "illegal":
                return "fly to the moon"
            if self.fault == "none":
                return None
            if self.fault == "leave":
                sys.exit(3)
            if self.fault == "die":
                os._exit(7)
            if self.fault == "abort":
                os.abort()
            if self.fault == "hang":
                while True:
                    time.sleep(0.01)
            if self.fault == "slow":
                time.sleep(0.6)
        return self.inner.choose(view)


class Mute:
    """Not a bot."""


class Remote:
    """What a remote bot looks like from here."""

    def __init__(self, address, seed, name="far"):
        if address == "nowhere":
            raise ConnectionError("nobody answers at nowhere")
        self.inner = make_bot("random", seed=seed)

    def choose(self, view, limit=None):
        return self.inner.choose(view)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module of bots, named after the test so that modules do not meet."""
    (tmp_path / f"{module(tmp_path)}.py").write_text(BOTS)
    return tmp_path


def module(folder: Path) -> str:
    return "bots_" + "".join(letter if letter.isalnum() else "_" for letter in folder.name)


@pytest.fixture
def bots(folder: Path) -> str:
    """The import name of the bots."""
    return module(folder)


@pytest.fixture
def write(folder: Path):
    """Writes a tournament; the game with a few cards is over in a moment."""

    def write(text, game="kuhn", name="cup"):
        path = folder / f"{name}.toml"
        path.write_text(f'game = "{game}"\n{text}')
        return path

    return write


def entrant(name, **values):
    lines = [f'name = "{name}"'] + [f"{key} = {_toml(value)}" for key, value in values.items()]
    return "\n[[entrants]]\n" + "\n".join(lines) + "\n"


def _toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
