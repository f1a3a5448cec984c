"""Bots of others: by import path and by entry point, and what happens when they misbehave."""

import re
import sys
import threading
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from pythia.arena.game_loop import play_game
from pythia.core_cy import View, load_game
from pythia.search import plugins
from pythia.search.bots import BOTS, BotSpec, bot_info, describe_bots, make_bot
from pythia.search.limits import Limit
from pythia.search.result import Result

MODULE = """
class First:
    '''Plays the first legal move.'''
    def choose(self, view, limit=None):
        return view.legal_moves()[0]

class Choosy:
    def __init__(self, seed, which=0, limit=None, level=None):
        self.given = (seed, which, limit, level)
    def choose(self, view, limit=None):
        self.limit = limit
        return str(view.legal_moves()[self.given[1]])

class Bad:
    def __init__(self, answer):
        self.answer = answer
    def choose(self, view, limit=None):
        if self.answer == "raise":
            raise RuntimeError("out of ideas")
        return {"number": 3, "none": None, "illegal": "fly"}[self.answer]

class Loops:
    def choose(self, view, limit=None):
        while True:
            pass

class Sleeps:
    def choose(self, view, limit=None):
        pass

class NoBot:
    pass

class Fails:
    def __init__(self):
        raise OSError("no model")

THING = 3
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "mine_bots.py").write_text(MODULE)
    (tmp_path / "broken_bots.py").write_text("import nothing_like_this")
    monkeypatch.syspath_prepend(tmp_path)
    yield "mine_bots"
    sys.modules.pop("mine_bots", None)


@pytest.fixture
def view():
    state = load_game("kuhn", seed=1).new_state()
    state.apply("deal J")
    state.apply("deal Q")
    return View.of(state, 0)


def test_a_class_by_its_path(mine, view):
    bot = make_bot(f"{mine}:First")
    answer = bot.choose(view)
    assert answer.move == "pass"
    assert bot.choose(view.observation()) == answer
    assert bot.choose(view, consider=["pass"]).move == "pass"
    info = bot_info(f"{mine}:First")
    assert (info.help, info.levels, info.uses_limit) == ("Plays the first legal move.", (), True)


def test_a_class_gets_what_it_takes(mine, view):
    limit = Limit(iterations=5)
    bot = make_bot(f"{mine}:Choosy", seed=4, level=3, limit=limit, which=1)
    assert bot.choose(view).move == "bet"
    assert bot._bot.given == (4, 1, limit, 3)
    assert bot._bot.limit == limit
    assert bot.choose(view, Limit(iterations=9)).move == "bet"
    assert bot._bot.limit == Limit(iterations=9)


def test_a_class_as_text(mine):
    spec = BotSpec.parse(f"{mine}:Choosy:which=1,iterations=5,level=2")
    assert (spec.name, spec.level) == (f"{mine}:Choosy", 2)
    assert (spec.limit, spec.params) == (Limit(iterations=5), (("which", 1),))
    assert BotSpec.parse(str(spec)) == spec
    assert BotSpec.parse(f"{mine}:First").make(1).name == f"{mine}:First"


def test_a_class_plays(mine):
    bots = [BotSpec.parse(f"{mine}:First").make(0), make_bot("ismcts", level=1)]
    assert play_game("kuhn", {}, bots, 3).forfeit is None


def test_an_installed_bot(mine, view, monkeypatch):
    point = EntryPoint("first", f"{mine}:First", plugins.GROUP)
    monkeypatch.setattr(plugins, "installed", lambda: {"first": point})
    assert make_bot("first").choose(view).move == "pass"
    with pytest.raises(
        ValueError, match=r"bot: 'second' is not allowed; allowed: random, .*, first, or pack"
    ):
        make_bot("second")
    assert [info.name for info in describe_bots()] == list(BOTS), "only built-in bots are offered to everyone"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no_such_module:Bot", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("broken_bots:Bot", "cannot be imported: ModuleNotFoundError: No module named 'nothing_like_this'"),
        ("mine_bots:Nobody", "cannot be imported: mine_bots has no Nobody"),
        ("mine_bots:THING", "cannot be made: int is not a class"),
        ("mine_bots:NoBot", r"is not a bot: it has no choose\(view, limit\)"),
        ("mine_bots:Fails", "cannot be made: OSError: no model"),
        ("mine_bots:Choosy:colour=3", "cannot be made: TypeError: .*colour"),
        (":First", "is not allowed; allowed: an import path as package.module:Class"),
    ],
)
def test_classes_that_cannot_be_used(mine, name, reason):
    with pytest.raises(ValueError, match=reason) as refused:
        BotSpec.parse(name).make(0).ready()
    assert str(refused.value).startswith(f"bot: '{name.removesuffix(':colour=3')}' ")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("raise", "failed: RuntimeError: out of ideas"),
        ("none", "answered with a NoneType; allowed: a Move, its text or a Result"),
        ("number", "answered with a int; allowed"),
        ("illegal", "answered with a move that is not legal: 'fly' is not a move"),
    ],
)
def test_classes_that_break_their_contract(mine, view, answer, reason):
    with pytest.raises(plugins.BadBot, match=f"bot: '{mine}:Bad' {reason}"):
        make_bot(f"{mine}:Bad", answer=answer).choose(view)


def test_a_class_that_does_not_choose_from_what_it_may(mine, view):
    with pytest.raises(plugins.BadBot, match="a move that was not among those to choose from: 'pass'"):
        make_bot(f"{mine}:First").choose(view, avoid=["pass"])


def test_a_class_that_loops_is_interrupted(mine, view):
    bot = make_bot(f"{mine}:Loops")
    with pytest.raises(plugins.BadBot, match=r"did not answer within 0.1 seconds"):
        plugins.in_time(bot, 0.1, None, lambda: bot.choose(view))
    (stray,) = plugins._strays[bot.name]
    stray.join(timeout=60)
    assert not stray.is_alive()


@pytest.mark.no_cover  # a tracer would wait for the thread that is interrupted
def test_classes_that_are_late_at_the_same_time_are_all_counted(mine, view):
    bots, ends = [make_bot(f"{mine}:Sleeps") for _ in range(3)], threading.Event()

    def late(bot):
        with pytest.raises(plugins.BadBot, match="did not answer"):
            plugins.in_time(bot, 0.3, None, lambda: ends.wait(30))

    asking = [threading.Thread(target=late, args=(bot,)) for bot in bots[:2]]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    try:
        with pytest.raises(plugins.BadBot, match="not used until one of its 2 overdue decisions"):
            plugins.in_time(bots[2], 0.3, None, lambda: ends.wait(30))
    finally:
        ends.set()


def test_a_result_of_its_own_is_kept(mine, view, monkeypatch):
    own = Result(move="bet", moves=[], values=[0.25, 0.75])
    bot = make_bot(f"{mine}:First")
    monkeypatch.setattr(bot._bot, "choose", lambda view, limit: own)
    assert bot.choose(view).values == [0.25, 0.75]


def test_the_guide(tmp_path, monkeypatch, capsys):
    """The code of docs/writing-a-bot.md does what the page says."""
    guide = (Path(__file__).parents[2] / "docs" / "writing-a-bot.md").read_text(encoding="utf-8")
    bot, use = re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "my_bots.py").write_text(bot)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        exec(compile(use, "writing-a-bot.md", "exec"), {})
        assert capsys.readouterr().out.strip() in ("pass", "bet")
        bots = [BotSpec.parse("my_bots:Careful").make(0), make_bot("random")]
        wins = sum(play_game("kuhn", {}, bots, seed).returns[0] for seed in range(40))
        assert wins > 18
    finally:
        sys.modules.pop("my_bots", None)
