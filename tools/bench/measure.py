"""What is measured of Pythia, each the best of a few runs: others use the machine too, and noise only slows."""

import hashlib
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from pythia.core_cy import CHANCE, Random, State, View, load_game, state_from_json, state_from_observation
from pythia.core_cy.testing import RandomPlay, Timing, clone_seconds, play_random
from pythia.search.params import SearchParams
from pythia.search.tree import Search, StopFlag

GAME = "delphi"
SEED = 7
REPEATS = 5


def best(measure: Callable[[], float], repeats: int = REPEATS) -> float:
    """The highest of a few rates."""
    return max(measure() for _ in range(repeats))


def seconds_of(work: Callable[[], object], times: int) -> float:
    """Seconds for one call, the shortest of a few runs."""
    shortest = float("inf")
    for _ in range(REPEATS):
        began = time.perf_counter()
        for _ in range(times):
            work()
        shortest = min(shortest, time.perf_counter() - began)
    return shortest / times


def random_play(
    players: int, moves: int, rounds: int = 0, listing: bool = True, game: str = GAME
) -> RandomPlay:
    """The fastest of a few runs of random play in C; with `rounds`, over the first rounds of games only."""
    state = load_game(game, players=players, seed=SEED).new_state()
    runs = [
        play_random(state.clone(), Random(SEED), moves, listing=listing, turns=rounds * players)
        for _ in range(REPEATS)
    ]
    return min(runs, key=lambda run: run.seconds)


def stepping(games: int) -> float:
    """Moves per second of random games played from Python: legal_moves, choose, apply."""
    game = load_game(GAME, players=2, seed=SEED)
    rng = Random(SEED)
    moves = 0
    began = time.perf_counter()
    for _ in range(games):
        state = game.new_state()
        while not state.is_over:
            if state.to_act == CHANCE:
                state.apply(state.sample_chance(rng))
            else:
                state.apply(rng.choice(state.legal_moves()))
            moves += 1
    return moves / (time.perf_counter() - began)


def clone_nanoseconds(state: State) -> float:
    times = 1_000_000
    return min(clone_seconds(state, times) for _ in range(REPEATS)) / times * 1e9


def position(players: int = 2, turn: int = 9) -> State:
    """A decision early in a random game, with many legal moves."""
    state = load_game(GAME, players=players, seed=SEED).new_state()
    rng = Random(SEED)
    while state.turn_number < turn or state.to_act == CHANCE or len(state.legal_moves()) < 20:
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves()))
    return state


def reading(state: State) -> dict[str, float]:
    """Seconds to write and read a position whose board was read before."""
    full, seen = state.to_json(), state.observation(0)
    return {
        "to_json": seconds_of(state.to_json, 200),
        "state_from_json": seconds_of(lambda: state_from_json(full), 100),
        "state_from_observation": seconds_of(lambda: state_from_observation(seen, seed=1), 100),
    }


def evaluation() -> tuple[float, float]:
    """Seconds to judge a position met for the first time, and one met before: all decisions of some games."""
    rng = Random(SEED)
    positions = []
    for seed in range(20):
        state = load_game(GAME, players=2, seed=seed).new_state()
        while not state.is_over and len(positions) < 200 * (seed + 1):
            if state.to_act != CHANCE:
                positions.append(state.clone())
            state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
    times = []
    for _ in range(3):
        began = time.perf_counter()
        for state in positions:
            state.evaluate()
        times.append((time.perf_counter() - began) / len(positions))
    # Met before means met a moment ago: one position again and again.
    state = positions[len(positions) // 2]
    return times[0], seconds_of(state.evaluate, 20_000)


def search_rate(state: State, iterations: int, threads: int = 1) -> float:
    """Transitions per second of one search in each of a number of threads."""
    searches = [
        Search(View.of(state, state.to_act), SearchParams(), SEED + number) for number in range(threads)
    ]
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        list(pool.map(lambda search: search.run(iterations), searches))
        seconds = time.perf_counter() - began
    return sum(search.transitions for search in searches) / seconds


def iteration_rate(state: State, iterations: int) -> float:
    search = Search(View.of(state, state.to_act), SearchParams(), SEED)
    began = time.perf_counter()
    search.run(iterations)
    return iterations / (time.perf_counter() - began)


def search_shares(state: State, iterations: int) -> dict[str, float]:
    """The share of a search's time in each part; what is left besides the game's functions is the tree."""
    view = View.of(state, state.to_act)
    with Timing(view.game) as parts:
        search = Search(view, SearchParams(), SEED)
        began = time.perf_counter()
        search.run(iterations)
        total = time.perf_counter() - began
        seconds = parts.seconds()
    total -= seconds.pop("clock")
    seconds["tree"] = total - sum(seconds.values()) + seconds.pop("keys")
    return {part: spent / total for part, spent in seconds.items()}


def thread_gain(state: State, iterations: int) -> float:
    """How many times as many transitions two threads make as one: the median of 5 pairs."""
    return statistics.median(
        search_rate(state, iterations, threads=2) / search_rate(state, iterations) for _ in range(5)
    )


def machine_thread_gain() -> float:
    """The same for work that shares nothing and holds no lock: what the machine has to give just now."""
    data = bytes(20_000_000)

    def rate(threads: int) -> float:
        with ThreadPoolExecutor(threads) as pool:
            began = time.perf_counter()
            list(pool.map(lambda _: hashlib.sha256(data).digest(), range(threads)))
            return threads / (time.perf_counter() - began)

    return statistics.median(rate(2) / rate(1) for _ in range(5))


def stop_seconds(state: State) -> list[float]:
    """Seconds from setting the stop flag to the end of the search, of several searches."""
    waits = []
    for _ in range(20):
        stop = StopFlag()
        search = Search(View.of(state, state.to_act), SearchParams(), SEED)
        thread = threading.Thread(target=search.run, args=(10_000_000, None, stop))
        thread.start()
        time.sleep(0.03)
        began = time.perf_counter()
        stop.set()
        thread.join()
        waits.append(time.perf_counter() - began)
    return waits
