"""The OpenSpiel games: OpenSpiel's own test, its IS-MCTS, bots both ways, and what players may see."""

import json
import pickle
import random

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from pythia.arena.game_loop import play_game
from pythia.clients.adapters.openspiel import Judgement, PythiaBot, SpielBot, spiel_name
from pythia.core_cy import BadOption, game_info, list_games, state_from_observation
from pythia.search.bots import make_bot
from tests.clients.adapters import TABLES, examples, import_without

each_game = pytest.mark.parametrize("name", list_games())
each_table = pytest.mark.parametrize(("name", "players"), TABLES)


def load(name, **parameters):
    return pyspiel.load_game(spiel_name(name), parameters)


def advance(state, rng):
    """Lets chance decide until a player has to, or the game is over."""
    while state.is_chance_node():
        actions, probabilities = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(actions, probabilities)[0])
    return state


def decisions(game, seed, count=None):
    """States of a random game in which a player decides; the last one is the end."""
    rng = random.Random(seed)
    state = advance(game.new_initial_state(), rng)
    while not state.is_terminal() and count != 0:
        yield state
        state.apply_action(rng.choice(state.legal_actions()))
        advance(state, rng)
        count = None if count is None else count - 1
    yield state


def searcher(game, simulations, seed=1, evaluator=None):
    """OpenSpiel's IS-MCTS, with all of its luck from one seed."""
    luck = np.random.RandomState(seed)
    bot = ISMCTSBot(game, evaluator or Judgement(), 1.0, simulations, random_state=luck)
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, luck.uniform))
    return bot


def test_random_simulation():
    pyspiel.random_sim_test(load("keltis"), num_sims=1, serialize=True, verbose=False)


@each_table
def test_the_end_of_a_game_in_a_random_simulation(name, players):
    """OpenSpiel's test takes minutes for a whole long game, so it gets the last decisions of one."""
    game = load(name, players=players)
    length = sum(1 for _ in decisions(game, 3))
    *_, late = decisions(game, 3, count=max(0, length - 40))
    pyspiel.random_sim_test(game, 1, serialize=True, verbose=False, specific_initial_state=late)


@each_table
def test_the_description_holds_for_a_whole_game(name, players):
    game = load(name, players=players)
    info = game_info(name)
    assert (game.num_players(), game.get_type().min_num_players) == (players, info.min_players)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (0, 1, 1)
    count = 0
    for state in decisions(game, players):
        count += 1
        actions = state.legal_actions()
        assert actions == sorted(set(actions))
        texts = [state.action_to_string(action) for action in actions]
        assert sorted(texts) == sorted(map(str, state.position.legal_moves()))
        assert not state.rewards() or state.is_terminal() or not any(state.rewards())
    assert state.is_terminal()
    assert count <= game.max_game_length()
    chance = sum(entry.player == pyspiel.PlayerId.CHANCE for entry in state.full_history())
    assert chance <= game.max_chance_nodes_in_history()
    assert state.returns() == state.position.returns()
    assert sum(state.returns()) == pytest.approx(1)


@each_game
def test_chance_has_the_probabilities_of_the_game(name):
    game = load(name, deals=3)
    state = game.new_initial_state()
    assert [probability for _, probability in state.chance_outcomes()] == [1 / 3] * 3
    first = len(game.table.outcomes)
    assert [state.action_to_string(first + deal) for deal in range(3)] == ["deal 0", "deal 1", "deal 2"]
    assert max(action for action, _ in state.chance_outcomes()) < game.max_chance_outcomes()
    starts = [state.child(action).position.position_hash() for action, _ in state.chance_outcomes()]
    assert len(set(starts)) == (3 if game_info(name).dealt else 1)

    rng, games, events = random.Random(1), 0, 0
    while events < 100 and games < 30:  # one game may have a single event
        games += 1
        state = game.new_initial_state()
        while not state.is_terminal() and events < 100:
            if state.is_chance_node() and state.position is not None:
                events += 1
                outcomes = dict(state.chance_outcomes())
                assert list(outcomes) == state.legal_actions()
                assert sum(outcomes.values()) == pytest.approx(1)
                assert {state.action_to_string(action): p for action, p in outcomes.items()} == {
                    str(move): p for move, p in state.position.chance_outcomes()
                }
            state.apply_action(rng.choice(state.legal_actions()))
    assert events > 20


@each_game
def test_clones_and_copies_go_their_own_way(name):
    *_, state = decisions(load(name), 2, count=20)
    for copy in (state.clone(), pickle.loads(pickle.dumps(state))):
        assert (str(copy), copy.history()) == (str(state), state.history())
        before = str(state)
        copy.apply_action(copy.legal_actions()[0])
        assert str(copy) != before == str(state)


@each_game
def test_options_survive_as_parameters(name):
    """Also as text, in which OpenSpiel keeps games; lists are JSON."""
    options = {
        option.name: json.dumps(option.default[::-1]) if option.type == "json" else option.high
        for option in game_info(name).options
        if option.name not in ("players", "seed") and option.default is not None and not option.choices
    }
    game = load(name, players=3, seed=4, deals=5, **options)
    again = pyspiel.load_game(str(game))
    assert again.get_parameters() == game.get_parameters()
    assert again.table.options == game.table.options
    assert (again.deals, again.table.players) == (5, 3)


def test_a_board_survives_as_a_parameter():
    hexes = load("delphi", seed=9).table.options["hexes"]
    game = load("delphi", board="given", hexes=json.dumps(hexes))
    assert pyspiel.load_game(str(game)).table.moves == load("delphi", seed=9).table.moves


def test_refused_parameters():
    for parameters, message in (
        ({"players": 9}, "players: 9 is not allowed; allowed: a whole number from 2 to 4"),
        ({"deals": 0}, "deals: 0 is not allowed; allowed: a whole number, 1 or more"),
        ({"goblin_values": "[1"}, r"goblin_values: '\[1' is not allowed; allowed: a list, as JSON"),
        ({"clover": "blue"}, "clover: 'blue' is not allowed; allowed: same, any"),
    ):
        with pytest.raises(BadOption, match=f"^{message}$"):
            load("keltis", **parameters)


@each_table
def test_a_player_sees_nothing_that_is_hidden(name, players):
    """Two states that differ only in what a player cannot see are the same to that player."""
    game, luck = load(name, players=players), random.Random(1)
    differed = 0
    for number, state in enumerate(decisions(game, 6, count=20)):
        for player in range(players):
            twin = state.resample_from_infostate(player, luck.random)
            differed += twin.position.position_hash() != state.position.position_hash()
            assert twin.observation_string(player) == state.observation_string(player)
            assert twin.information_state_string(player) == state.information_state_string(player)
            assert twin.current_player() == state.current_player()
            assert twin.history() == []  # the moves of others may tell what they hold
            if player == state.current_player():
                assert twin.legal_actions() == state.legal_actions()
            if number % 10 == 0:
                assert twin.observation_tensor(player) == state.observation_tensor(player)
    assert differed > 10 * players if game_info(name).hides else differed == 0


@each_game
def test_the_observation_string_is_what_bots_of_pythia_read(name):
    for state in decisions(load(name), 1, count=3):
        observation = json.loads(state.observation_string(0))
        assert observation["observer"] == 0
        assert state_from_observation(observation, 1).observation(0) == observation


def test_before_the_deal_there_is_nothing_to_see():
    state = load("keltis").new_initial_state()
    assert state.observation_string(0) == ""
    assert not any(state.observation_tensor(0))
    with pytest.raises(ValueError, match="the game is not dealt yet"):
        state.observation(0)


@each_game
def test_information_set_search_finds_moves(name):
    game = load(name)
    bot = searcher(game, 20)
    rng = random.Random(4)
    state = advance(game.new_initial_state(), rng)
    for _ in range(4):
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
        advance(state, rng)
    # And as OpenSpiel has it by default, with its own luck and random games from the leaves.
    luck = np.random.RandomState(1)
    bot = ISMCTSBot(game, RandomRolloutEvaluator(1, luck), 1.0, 2, random_state=luck)
    assert bot.step(state) in state.legal_actions()


def test_information_set_search_wins_a_whole_game_against_random_moves():
    """As a bot of Pythia: it gets observations only. With a tenth of the simulations one game would be much luck."""
    entrants = [SpielBot(lambda game: searcher(game, 40), "open_spiel"), make_bot("random", seed=2)]
    match = play_game("keltis", {}, entrants, seed=1)
    assert match.forfeit is None
    assert match.returns == [1.0, 0.0]


def test_an_openspiel_bot_plays_on_any_board():
    made = []

    def make(game):
        made.append(game.table.moves)
        return pyspiel.make_uniform_random_bot(0, 1)

    bot = SpielBot(make)
    for seed in (1, 2):
        for state in decisions(load("delphi", seed=seed), 1, count=20):
            if state.current_player() == 0:
                answer = bot.choose(state.position.observation(0))
                assert answer.move in map(state.action_to_string, state.legal_actions())
    assert len(set(made)) == len(made) == 2


@each_game
def test_a_bot_of_pythia_plays_in_openspiel(name):
    game, rng = load(name), random.Random(1)
    state = advance(game.new_initial_state(), rng)
    bot, same = PythiaBot(make_bot("greedy", seed=1)), make_bot("greedy", seed=1)
    for _ in range(5):
        move = same.choose(state.position.observation(state.current_player())).move
        action = bot.step(state)
        assert state.action_to_string(action) == move
        state.apply_action(action)
        advance(state, rng)


def test_openspiels_evaluation_of_bots():
    state = load("keltis").new_initial_state()
    bots = [PythiaBot(make_bot("greedy", seed=1, samples=1)), pyspiel.make_uniform_random_bot(1, 1)]
    assert pyspiel.evaluate_bots(state, bots, 1) == [1.0, 0.0]


@each_game
def test_openspiels_learning_environment(name):
    environment = rl_environment.Environment(load(name))
    environment.seed(1)
    step = environment.reset()
    for _ in range(10):
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == environment.observation_spec()["info_state"][0]
        step = environment.step([step.observations["legal_actions"][player][0]])
    assert not step.last()


@pytest.mark.parametrize("example", examples("openspiel"))
def test_examples_of_the_guide(example, capsys):
    exec(compile(example, "docs/adapters.md", "exec"), {})


def test_the_message_without_the_extra(monkeypatch):
    command = r"pip install 'pythia-opponent\[openspiel\]'"
    with pytest.raises(ImportError, match=f"^OpenSpiel is not installed; install it with: {command}$"):
        import_without("pyspiel", "openspiel", monkeypatch)
