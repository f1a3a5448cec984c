"""The PettingZoo environment: PettingZoo's own tests, whole games, bots both ways, and what agents may see."""

import re

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from pythia.arena.game_loop import play_game
from pythia.clients.adapters.pettingzoo import PolicyBot, PythiaEnv, bot_action, env
from pythia.core_cy import (
    BadOption,
    IllegalMove,
    game_info,
    list_games,
    load_game,
    state_from_json,
    state_from_observation,
)
from pythia.search.bots import make_bot
from pythia.search.limits import Limit
from tests.clients.adapters import GUIDE, TABLES, examples, import_without, table_options

each_game = pytest.mark.parametrize("game", list_games())
each_table = pytest.mark.parametrize(("game", "players"), TABLES)
# PettingZoo's test wants every observation to be a plain array, except those of environments that it knows by name; in
# its own documentation observations with a mask are dicts like ours.
masked_observations = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
]


def play(environment, choose):
    """A game to its end: (agent, action) of every step, and the sum of the rewards of each agent."""
    steps, rewards = [], dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        seen, reward, termination, truncation, _ = environment.last()
        rewards[agent] += reward
        action = None if termination or truncation else choose(agent, seen)
        environment.step(action)
        if action is not None:
            steps.append((agent, int(action)))
    return steps, rewards


def at_random(seed):
    rng = np.random.default_rng(seed)
    return lambda agent, seen: rng.choice(np.flatnonzero(seen["action_mask"]))


def first_legal(seen):
    return int(np.argmax(seen["action_mask"]))


@pytest.mark.usefixtures("capsys")
class TestPettingZoosOwn:
    pytestmark = masked_observations

    @each_table
    def test_api(self, game, players):
        api_test(env(game, players), num_cycles=30)

    @each_game
    def test_seed(self, game):
        seed_test(lambda: env(game, 3), num_cycles=30)


@each_table
def test_whole_random_games(game, players):
    environment = env(game, players)
    environment.reset(seed=players)
    steps, rewards = play(environment, at_random(1))
    assert {agent for agent, _ in steps} == set(environment.possible_agents)
    assert sum(rewards.values()) == pytest.approx(1)
    assert environment.agents == []


@each_game
def test_numbers_mean_the_same_moves_in_every_game_and_environment(game):
    first, second = PythiaEnv(game), PythiaEnv(game)
    assert first.table.moves == second.table.moves
    starts = []
    for seed in range(3):
        first.reset(seed=seed)
        info = first.infos[first.agent_selection]
        legal = np.flatnonzero(first.observe(first.agent_selection)["action_mask"])
        assert [first.table.moves[number] for number in legal] == info["legal_moves"]
        state = state_from_observation(info["observation"], 0)
        assert sorted(map(str, state.legal_moves())) == sorted(info["legal_moves"])
        starts.append(info["observation"])
    assert starts[0] != starts[1] != starts[2]


@each_game
def test_a_seed_decides_all_following_games(game):
    def games(environment, seed):
        environment.reset(seed=seed)
        first = environment.infos
        environment.reset()
        return first, environment.infos

    first, second = games(PythiaEnv(game), 7)
    assert first != second
    assert games(PythiaEnv(game), 7) == (first, second)
    assert games(PythiaEnv(game), 8)[0] != first


@each_game
def test_bots_play_the_same_game_as_in_a_match(game):
    players = game_info(game).min_players

    def bots():
        greedy = [make_bot("greedy", seed=seat, samples=1) for seat in range(1, players)]
        return [*greedy, make_bot("planner", seed=2, limit=Limit(iterations=2))]

    environment = env(game, players)
    table = environment.unwrapped.table
    agents = dict(zip(environment.possible_agents, bots(), strict=True))
    environment.reset(seed=11)
    steps, rewards = play(environment, lambda agent, seen: bot_action(environment, agents[agent]))
    match = play_game(game, table_options(table), bots(), seed=11, record=True)
    assert [entry.move for entry in match.record.moves if entry.by >= 0] == [table.moves[n] for _, n in steps]
    assert list(rewards.values()) == match.returns


def test_a_policy_plays_the_same_as_an_agent_and_as_a_bot():
    environment = env("keltis", 2)
    environment.reset(seed=3)
    steps, rewards = play(environment, lambda agent, seen: first_legal(seen))
    options = table_options(environment.unwrapped.table)
    match = play_game("keltis", options, [PolicyBot(first_legal), PolicyBot(first_legal)], seed=3)
    assert match.forfeit is None
    assert match.returns == list(rewards.values())
    assert match.decisions == [sum(agent == f"player_{seat}" for agent, _ in steps) for seat in range(2)]


def test_a_policy_plays_on_any_board():
    bot = PolicyBot(first_legal)
    for seed in range(2):
        environment = PythiaEnv("delphi", seed=seed)
        environment.reset(seed=1)
        for _ in range(20):
            info = environment.infos[environment.agent_selection]
            assert bot.choose(info["observation"]).move == info["legal_moves"][0]
            environment.step(first_legal(environment.last()[0]))


def test_a_policy_that_answers_nonsense_forfeits():
    match = play_game("keltis", {}, [PolicyBot(lambda seen: 99_999), make_bot("random")], seed=1)
    assert match.forfeit is not None
    assert "action: 99999 is not allowed; allowed: a whole number from 0 to 2162" in match.forfeit.reason


@each_table
def test_an_agent_sees_nothing_that_is_hidden_from_its_seat(game, players):
    """Two positions that differ only in what a seat cannot see are the same to its agent."""
    environment, other = PythiaEnv(game, players), PythiaEnv(game, players)
    bot = make_bot("random", seed=1)
    environment.reset(seed=5)
    differed = 0
    for number in range(20):
        agent = environment.agent_selection
        seat = environment.possible_agents.index(agent)
        position = environment._state
        twin = state_from_observation(position.observation(seat), number)
        differed += twin.position_hash() != position.position_hash()
        other.reset(seed=1, options={"position": twin.to_json()})
        assert other.agent_selection == agent
        assert other.infos[agent] == environment.infos[agent]
        for name, values in environment.observe(agent).items():
            assert np.array_equal(other.observe(agent)[name], values)
        environment.step(bot_action(environment, bot))
    assert differed > 15 if game_info(game).hides else differed == 0


def test_others_have_no_actions_and_no_infos():
    environment = PythiaEnv("keltis", 3)
    environment.reset(seed=1)
    waiting = [agent for agent in environment.agents if agent != environment.agent_selection]
    assert all(not environment.observe(agent)["action_mask"].any() for agent in waiting)
    assert all(environment.infos[agent] == {} for agent in waiting)


def test_a_game_that_is_cut_off_has_no_rewards():
    environment = env("keltis", 2, max_steps=25)
    environment.reset(seed=1)
    steps, rewards = play(environment, at_random(1))
    assert len(steps) == 25
    assert set(rewards.values()) == {0.0}


def test_a_draw_by_length_is_an_end_with_equal_rewards():
    environment = env("delphi", 4)
    environment.reset(seed=1)
    while environment.infos[environment.agent_selection]["observation"]["phase"] != "act":
        environment.step(first_legal(environment.last()[0]))
    position = environment.unwrapped._state.to_json()
    environment.reset(seed=1, options={"position": {**position, "round": 100}})
    _, rewards = play(environment, at_random(1))
    assert set(rewards.values()) == {0.25}


def test_the_end_is_a_position_too():
    environment = env("keltis", 2)
    environment.reset(seed=1)
    play(environment, at_random(1))
    over = environment.unwrapped._state.to_json()
    environment.reset(options={"position": over})
    steps, rewards = play(environment, at_random(1))
    assert steps == []
    assert list(rewards.values()) == state_from_json(over).returns()


def test_refusals():
    environment = PythiaEnv("keltis")
    environment.reset(seed=1)
    with pytest.raises(
        IllegalMove, match=r"action: 2163 is not allowed; allowed: a whole number from 0 to 2162"
    ):
        environment.step(2163)
    with pytest.raises(
        IllegalMove, match=r"action: None is not allowed; allowed: a move, as player_0 is to act"
    ):
        environment.step(None)
    with pytest.raises(IllegalMove, match=r"'decline': "):
        environment.step(environment.table.number_of("decline"))
    with pytest.raises(TypeError):
        environment.step(0.5)
    with pytest.raises(IllegalMove, match=r"'sail home': no move of keltis at this table"):
        environment.table.number_of("sail home")
    with pytest.raises(ValueError, match=r"seed: -1 is not allowed; allowed: a whole number from 0 to"):
        environment.reset(seed=-1)
    with pytest.raises(ValueError, match=r"position: another game or board"):
        PythiaEnv("delphi", seed=1).reset(
            options={"position": load_game("delphi", seed=2).new_state().to_json()}
        )
    with pytest.raises(ValueError, match=r"render_mode: 'rgb' is not allowed; allowed: None, ansi, human"):
        env("keltis", render_mode="rgb")
    with pytest.raises(
        ValueError, match=r"max_steps: 0 is not allowed; allowed: None or a whole number, 1 or more"
    ):
        env("keltis", max_steps=0)
    with pytest.raises(BadOption, match=r"players: 9 is not allowed"):
        env("keltis", 9)
    with pytest.raises(BadOption, match=r"^game: 'kuhn' is not allowed; allowed: "):
        env("kuhn")  # only there to test searches


@each_game
def test_rendering(game, capsys):
    environment = env(game, render_mode="ansi")
    environment.reset(seed=1)
    text = environment.render()
    assert text == str(environment.unwrapped._state)
    environment = env(game, render_mode="human")
    environment.reset(seed=1)
    environment.step(first_legal(environment.last()[0]))
    assert capsys.readouterr().out == f"{environment.unwrapped._state}\n"


@pytest.mark.parametrize("example", examples("pettingzoo"))
def test_examples_of_the_guide(example, capsys):
    exec(compile(example, "docs/adapters.md", "exec"), {})


def test_the_message_without_the_extra(monkeypatch):
    command = r"pip install 'pythia-opponent\[pettingzoo\]'"
    with pytest.raises(ImportError, match=f"^PettingZoo is not installed; install it with: {command}$"):
        import_without("pettingzoo", "pettingzoo", monkeypatch)


@pytest.mark.parametrize("game", re.findall(r"^`(\w+)` has \d+", GUIDE, re.MULTILINE))
def test_the_table_of_numbers_in_the_guide(game):
    moves = PythiaEnv(game).table.moves
    part = GUIDE[GUIDE.index(f"`{game}` has") :]
    table = re.search(r"(^\|.*\n)+", part, re.MULTILINE).group()
    rows = re.findall(r"^\| (\d+) \| (\d+) \| .* \| `(.*)` \|$", table, re.MULTILINE)
    expected = 0
    for first, last, text in rows:
        assert (int(first), moves[expected]) == (expected, text)
        expected = int(last) + 1
    assert expected == len(moves)
