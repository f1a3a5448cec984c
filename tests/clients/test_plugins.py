"""The bot of docs/writing-a-bot.md wherever a bot can be named: in this process, in commands and on a server."""

import json
import os

import pytest

from pythia.clients import Client
from pythia.clients.errors import InvalidRequest, PythiaError
from pythia.clients.remote_bot import RemoteBot
from pythia.core_cy import View
from pythia.search import plugins
from pythia.search.bots import BotSpec, describe_bots
from tests.clients.command import pythia, worked
from tests.clients.serving import blocking, blocking_local, served
from tests.clients.terminals import Terminal
from tests.clients.test_cli import read_until, started
from tests.plugin_bots import forget_bots, write_bots
from tests.service.serving import a_state

NAME = "my_bots:Careful"
CAREFUL = f"{NAME}:worlds=2"
PROMPT = r"^> $"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The current folder has the bots; nothing else leads to them."""
    monkeypatch.chdir(write_bots(tmp_path))
    monkeypatch.setattr(plugins, "_folders", [])
    monkeypatch.setattr("sys.path", [path for path in os.sys.path if path])
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield tmp_path
    forget_bots()


@pytest.fixture(params=["here", "server"])
def place(request, folder):
    """Where the bot thinks: in the process of the command, or on a server that offers it."""
    if request.param == "here":
        yield ()
    else:
        plugins.look_in(str(folder))
        with served(bots=NAME) as server:
            yield ("--server", server.address)


@pytest.fixture
def state():
    return a_state("keltis")


@pytest.fixture
def expected(state, folder):
    """What the bot plays when it is asked directly."""
    plugins.look_in(str(folder))
    return BotSpec.parse(CAREFUL).make(5).choose(View.of(state, state.to_act)).move


# -- clients


@pytest.mark.parametrize("make", [Client.local, blocking_local])
def test_a_client_in_this_process(make, state, expected):
    with make() as client:
        assert client.suggest(state.observation(state.to_act), CAREFUL, seed=5).move == expected
        assert client.create_match("keltis", [CAREFUL, "random"], seed=1).match.seats[0].bot.name == NAME


@pytest.mark.parametrize("make", [Client, blocking])
def test_a_client_of_a_server(make, state, expected):
    with served(bots=NAME) as server:
        # The class need not be where the client is.
        forget_bots()
        with make(server.address) as client:
            assert [info.name for info in client.bots()] == [*(info.name for info in describe_bots()), NAME]
            assert client.suggest(state.observation(state.to_act), CAREFUL, seed=5).move == expected
            with pytest.raises(InvalidRequest, match="allowed: a number, as a server gets nothing else"):
                client.suggest(state.observation(state.to_act), f"{NAME}:worlds=many")
            match = client.create_match("keltis", [CAREFUL, "random"], seed=1)
            assert client.bot_turn(match.id).events
            assert [seat.bot.name for seat in client.match(match.id).seats] == [NAME, "random"]


def test_a_bot_of_a_server_as_a_player_here(state, expected):
    with served(bots=NAME) as server:
        bot = RemoteBot(server.address, seed=5, game="keltis", bot=CAREFUL)
        assert bot.choose(View.of(state, state.to_act)).move == expected
        bot.close()


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("my_bots:Nobody", "options.bot.name: 'my_bots:Nobody' cannot be imported: my_bots has no Nobody"),
        ("broken_bots:Fails", "options.bot.name: 'broken_bots:Fails' cannot be made: OSError: no model"),
        ("broken_bots:Illegal", "bot: 'broken_bots:Illegal' answered with a move that is not legal: 'fly to"),
        ("wizard", "options.bot.name: 'wizard' is not allowed; allowed: random, "),
    ],
)
def test_what_a_client_in_this_process_is_told(bot, message, state, folder):
    plugins.look_in(str(folder))
    with Client.local() as client, pytest.raises(PythiaError) as refused:
        client.suggest(state.observation(state.to_act), bot)
    assert str(refused.value).startswith(message)


# -- commands


def test_suggest(place, state, expected):
    told = worked(
        "suggest", "-", "--bot", CAREFUL, "--seed", 5, "--json", *place, stdin=json.dumps(state.to_json())
    )
    assert json.loads(told)["move"] == expected


def test_turn(place, state):
    full = json.dumps(state.to_json())
    told = json.loads(worked("turn", "-", "--draw", "--bot", CAREFUL, "--json", *place, stdin=full))
    assert told["over"]


def test_match(place):
    made = ("match", "create", CAREFUL, "random", "--game", "keltis", "--seed", 7, "--reproducible", "--json")
    match = json.loads(worked(*made, *place))
    assert json.loads(worked("match", "bot-turn", match["id"], "--json", *place))["events"]


def test_tournament():
    bots = (CAREFUL, "random")
    table = json.loads(
        worked("tournament", "run", "--bots", *bots, "--game", "keltis", "--blocks", 1, "--json")
    )
    assert table["games"] == 2
    assert not any(table["standings"][0]["forfeits"].values())


def test_new_and_review(folder):
    worked("new", "--game", "keltis", "--moves", 4, "--bot", CAREFUL, "-o", "position.json")
    (folder / "game.jsonl").write_text(worked("record", "--game", "keltis"))
    judged = worked("review", "game.jsonl", "--seat", 0, "--bot", "broken_bots:Compares", "--json")
    assert json.loads(judged)["bot"] == "broken_bots:Compares"
    ran = pythia("review", "game.jsonl", "--bot", CAREFUL)
    assert "allowed: a bot that compares moves" in ran.err


def test_play(folder):
    with Terminal("play", "--game", "keltis", "--seed", "7", "--bot", CAREFUL, cwd=folder) as screen:
        assert f"seat 1: {CAREFUL}" in screen.until(PROMPT)
        for _ in range(4):
            shown = screen.answer("1")
        assert f"seat 1 ({CAREFUL}): " in screen.text, shown
        screen.interrupt()
        screen.ends()


def test_a_bot_that_hangs_can_be_interrupted(folder):
    arguments = ("suggest", "position.json", "--bot", "broken_bots:Loops")
    (folder / "position.json").write_text(json.dumps(a_state("keltis").to_json()))
    with Terminal(*arguments, cwd=folder) as screen:
        screen.until("looping")
        screen.interrupt()
        code, _ = screen.ends()
        assert code == 130


def test_serve():
    with started("serve", "--port", "0", "--store", "memory:", "--bots", NAME) as process:
        match, _ = read_until(process, r"serves on (127\.0\.0\.1:\d+)$")
        with Client(match[1]) as client:
            assert NAME in [info.name for info in client.bots()]


def test_serve_names_a_bot_that_cannot_be_imported():
    ran = pythia("serve", "--port", "0", "--store", "memory:", "--bots", "my_bots:Nobody")
    assert ran.code == 1
    assert ran.err == "pythia: bots: 'my_bots:Nobody' cannot be imported: my_bots has no Nobody\n"
