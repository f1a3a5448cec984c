"""The same kinds of work in OpenSpiel, to compare with in the same run (`pip install open_spiel`).

Its C++ side has no call that plays random games and counts them, so its own search does the playing: one simulation of
its MCTS from a position is nothing but the rollouts of its evaluator, in C++. How long such games are is taken from
games between its own random bots from the same position.
"""

import random
import time

try:
    import pyspiel
except ImportError:  # the `bench` extra is not installed
    pyspiel = None

SEED = 7


def available() -> bool:
    return pyspiel is not None


def version() -> str:
    from importlib.metadata import version as installed

    return installed("open_spiel")


def start(name: str):
    """A game and its first decision."""
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    rng = random.Random(SEED)
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    return game, state


def mean_length(state, games: int) -> tuple[float, float]:
    """Moves and decisions to the end of random games from here."""
    bots = [pyspiel.make_uniform_random_bot(seat, SEED + seat) for seat in range(2)]
    before = len(state.history())
    moves = decisions = 0
    for seed in range(games):
        played = state.clone()
        pyspiel.evaluate_bots(played, bots, seed)
        rest = played.full_history()[before:]
        moves += len(rest)
        decisions += sum(entry.player >= 0 for entry in rest)
    return moves / games, decisions / games


def random_play_in_cpp(name: str, rollouts: int) -> tuple[float, float]:
    """Moves and decisions per second of random games in C++, chance included."""
    game, state = start(name)
    moves, decisions = mean_length(state, rollouts)
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, SEED)
    one_simulation, memory = 1, 100
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, one_simulation, memory, False, SEED, False)
    began = time.perf_counter()
    bot.step(state)
    seconds = time.perf_counter() - began
    return rollouts * moves / seconds, rollouts * decisions / seconds


def stepping(name: str, games: int) -> float:
    """Moves per second of random games played from Python."""
    game = pyspiel.load_game(name)
    rng = random.Random(SEED)
    moves = 0
    began = time.perf_counter()
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, probabilities)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
    return moves / (time.perf_counter() - began)


def search_in_cpp(name: str, simulations: int) -> float:
    """Transitions per second of its information-set MCTS: each simulation plays a game to its end."""
    _, state = start(name)
    moves, _ = mean_length(state, 100)
    bot = pyspiel.ISMCTSBot(SEED, pyspiel.RandomRolloutEvaluator(1, SEED), 1.4, simulations)
    began = time.perf_counter()
    bot.step(state)
    return simulations * moves / (time.perf_counter() - began)
