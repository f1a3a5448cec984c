"""Bots of others for tests: the example of docs/writing-a-bot.md, and classes that break their contract."""

import re
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[1] / "docs" / "writing-a-bot.md"

# Each does what its name says. Sleeps are short, so that threads which nobody waits for end soon after the test.
BROKEN = '''
import sys
import time

from pythia.search.result import MoveReport, Result


class Raises:
    def choose(self, view, limit=None):
        raise RuntimeError(f"my hand is {view.observation()}")

class Leaves:
    def choose(self, view, limit=None):
        sys.exit(3)

class Illegal:
    def choose(self, view, limit=None):
        return "fly to the moon"

class Wrong:
    def choose(self, view, limit=None):
        return 3

class BadNumbers:
    def choose(self, view, limit=None):
        return Result(move=str(view.legal_moves()[0]), moves=[], values=["much"])

class Loops:
    def choose(self, view, limit=None):
        print("looping", file=sys.stderr, flush=True)
        while True:
            pass

class Sleeps:
    def choose(self, view, limit=None):
        time.sleep(3)
        return view.legal_moves()[0]

class Wakes:
    """Is late the first time a process asks, and then in time."""
    late = True
    def choose(self, view, limit=None):
        if Wakes.late:
            Wakes.late = False
            time.sleep(3)
        return view.legal_moves()[0]

class Fails:
    def __init__(self):
        raise OSError("no model")

class Compares:
    """Has an opinion on every move it may choose from."""
    def __init__(self, likes=0):
        self.likes = likes
    def choose(self, view, limit=None, moves=()):
        values = [1 / view.game.players] * view.game.players
        reports = [MoveReport(str(move), 1, 0.5, 0.0, 1.0, 0.1) for move in moves]
        return Result(reports[self.likes % len(reports)].move, reports, values)
'''


def write_bots(folder):
    """`my_bots.py` with the example of the guide, and `broken_bots.py`."""
    (folder / "my_bots.py").write_text(guide_code()[0])
    (folder / "broken_bots.py").write_text(BROKEN)
    return folder


def guide_code():
    """The bot of the guide, and its use."""
    return re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def forget_bots():
    for name in ("my_bots", "broken_bots"):
        sys.modules.pop(name, None)
