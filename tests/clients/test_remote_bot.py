"""Bots on a server as players here: the same games as local ones, and clear words when the server is of no use."""

import inspect
import re
import tomllib
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

import pythia.clients.cli.tournament  # noqa: F401 - registers the kind `remote`
from pythia.arena.game_loop import play_game
from pythia.arena.tournament.definition import definition_of
from pythia.arena.tournament.entrants import BadTournament
from pythia.arena.tournament.runner import run_tournament
from pythia.arena.tournament.store import ResultStore
from pythia.arena.tournament.summary import summarize
from pythia.clients.errors import InvalidRequest
from pythia.clients.remote_bot import RemoteBot
from pythia.core_cy import CHANCE, Random, list_games
from pythia.search.bots import BotSpec, make_bot
from pythia.search.limits import Limit
from tests.clients.serving import free_port, served
from tests.service.serving import a_state
from tests.service.test_auth import ANALYST, EXPIRED, LIMITED, PLAYER, TOKENS

GREEDY = {"name": "here", "bot": "greedy"}


@pytest.fixture(scope="module")
def address():
    with served() as server:
        yield server.address


@pytest.mark.parametrize(
    ("bot", "limit"),
    [
        ("greedy", None),
        ("greedy", Limit(iterations=10)),
        ("ismcts:level=1", None),
        ("ismcts:level=1", Limit(iterations=5)),
        ("planner:iterations=10,exploration=0.5", None),
    ],
)
def test_it_plays_as_the_bot_would_here(address, bot, limit):
    """One and the same bot for all decisions of some turns, as in a game.

    A bot here tells with a forced move what it thought of the last decision. The server keeps nothing from call to
    call, so there it tells what a bot does that is asked for the first time.
    """
    remote, here = RemoteBot(address, seed=3, game="keltis", bot=bot), BotSpec.parse(bot).make(3)
    state, luck = a_state(game="keltis", moves=0), Random(1)
    forced = 0
    for _ in range(12):
        seen = state.observation(state.to_act)
        answer, expected = remote.choose(seen, limit), here.choose(seen, limit, lines=10)
        assert answer.move == expected.move
        alone = len(state.legal_moves()) == 1
        forced += alone
        # A low level overlooks moves, so that it may see one only where there are more.
        if alone or not expected.iterations:
            expected = BotSpec.parse(bot).make(3).choose(seen, limit, lines=10)
        # The service reports the best ten moves only.
        assert answer == replace(expected, moves=expected.moves[:10])
        state.apply(expected.move)
        while state.to_act == CHANCE:
            state.apply(state.sample_chance(luck))
    remote.close()
    assert 0 < forced < 12


def test_a_limit_per_turn_lasts_for_the_turn(address):
    remote = RemoteBot(address, game="keltis", bot="ismcts:iterations=20,per=turn")
    state = a_state(game="keltis", moves=0)
    luck, spent = Random(1), Counter()
    while state.turn_number < 8:
        if state.to_act != CHANCE:
            result = remote.choose(state.observation(state.to_act))
            spent[state.turn_number] += result.iterations
            state.apply(result.move)
        else:
            state.apply(state.sample_chance(luck))
    remote.close()
    assert len(spent) > 3
    assert 10 < max(spent.values()) <= 20


def definition(target, game="keltis", blocks=1, **values):
    far = {"name": "far", "remote": target, **values}
    return definition_of({"game": game, "blocks": blocks, "entrants": [far, GREEDY]})


def test_the_example_of_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text()
    (example,) = re.findall(r"```toml\n([^`]*remote = [^`]*)```", text)
    (far,) = tomllib.loads(example)["entrants"]
    entrant, _ = definition_of({"game": "keltis", "entrants": [far, GREEDY]}).entrants
    assert set(entrant.params) <= set(inspect.signature(RemoteBot).parameters)


def results(found, path):
    with ResultStore(path, found, write=False) as store:
        return [(game.key, game.result) for game in store.games()]


@pytest.mark.parametrize(
    ("values", "game", "words"),
    [
        ({"params": {"level": 99}}, "keltis", "level: 99 is not allowed; allowed: 1 to 10"),
        ({"params": {"bot": "chess"}}, "keltis", "options.bot.name: 'chess' is not allowed; allowed: random"),
        ({"params": {"bot": "ismcts:threads=60"}}, "keltis", "options.bot.threads: 60 is not allowed"),
        ({"params": {"strength": 3}}, "keltis", "unexpected keyword argument 'strength'"),
        ({"params": {"tls": True}}, "keltis", "is not trusted .it does not speak TLS."),
        ({}, "kuhn", f"observation.game: 'kuhn' is not allowed; allowed: {', '.join(list_games())}"),
    ],
)
def test_what_cannot_play_is_told_before_anything_is_played(address, tmp_path, values, game, words):
    with pytest.raises(
        BadTournament, match=rf"entrants\[0\].remote: '{address}' cannot be made: \w+: .*{words}"
    ):
        run_tournament(definition(address, game, **values), tmp_path / "results.sqlite", processes=1)
    assert not (tmp_path / "results.sqlite").exists()


def test_a_server_that_is_not_there(tmp_path):
    target = f"127.0.0.1:{free_port()}"
    with pytest.raises(BadTournament, match=f"Unreachable: server: '{target}' does not answer"):
        run_tournament(definition(target, params={"retries": 0}), tmp_path / "results.sqlite")
    with pytest.raises(BadTournament, match="InvalidRequest: address: 'nowhere' is not allowed"):
        definition("nowhere").check_entrants()


def test_weights_would_not_reach_it(address):
    with pytest.raises(BadTournament, match=r"entrants\[0\].weights: .* allowed: none for remote"):
        definition(address, weights={"path": 2.0})


def test_tokens(monkeypatch):
    with served(tokens=TOKENS + LIMITED) as server:
        RemoteBot(server.address, token=ANALYST, bot="random").close()
        monkeypatch.setenv("PYTHIA_TOKEN", ANALYST)
        definition(server.address, params={"bot": "random"}).check_entrants()
        for token, words in ((PLAYER, "the role 'analyse' is needed"), (EXPIRED, "the token has expired")):
            monkeypatch.setenv("PYTHIA_TOKEN", token)
            with pytest.raises(BadTournament, match=words) as caught:
                definition(server.address).check_entrants()
            assert token not in str(caught.value)


def test_a_position_that_the_server_refuses(address):
    bot = RemoteBot(address, bot="random")
    with pytest.raises(InvalidRequest):
        bot.choose({"game": "delphi"})
    bot.close()


class Assassin:
    """Ends a server in the middle of a game."""

    name = "assassin"

    def __init__(self, end):
        self.end = end
        self.inner = make_bot("random")
        self.decisions = 0

    def choose(self, view, limit=None):
        self.decisions += 1
        if self.decisions == 3:
            self.end()
        return self.inner.choose(view, limit)


def test_a_server_that_ends_in_the_middle_of_a_game():
    with ExitStack() as stack:
        target = stack.enter_context(served()).address
        remote = RemoteBot(target, bot="random", retries=1)
        result = play_game("keltis", {}, [remote, Assassin(stack.close)], 1)
        remote.close()
    assert result.forfeit.seat == 0
    assert result.forfeit.reason.startswith(f"error: Unreachable: server: '{target}' does not answer")
    assert result.returns == [0.0, 1.0]


def test_a_server_that_dies_in_the_middle_of_a_tournament(tmp_path):
    """What was played stands, the rest is lost by rule, and the tournament comes to its end."""
    with ExitStack() as stack:
        target = stack.enter_context(served()).address
        found = definition(target, blocks=3, params={"bot": "greedy", "retries": 0})

        def progress(progress):
            if progress.played == 2:
                stack.close()

        schedule = run_tournament(
            found, tmp_path / "results.sqlite", processes=1, progress=progress, keep_going=True
        )
    assert schedule.is_over
    games = [result for _, result in results(found, tmp_path / "results.sqlite")]
    assert len(games) == 6
    assert [game.forfeit for game in games[:2]] == [None, None]
    for game in games[3:]:  # the third may have been over before the server was
        assert re.match("error: (when it was made: )?Unreachable: server: ", game.forfeit.reason)
    summary = summarize(schedule)
    assert summary.reproducible
    assert sum("Unreachable" in text for text in summary.forfeits) >= 3
