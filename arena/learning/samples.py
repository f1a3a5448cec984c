"""Self-play as data: one file for each game, with what a fit of priors, of judgement and of display needs.

A game is played by a quick search with the weights of the generation. From it come

- decisions: at some of them a deep search says how often it would visit each move, and a shallow one as well;
- ways: from the start of turns, playouts by the policy take different ways through a round; the judgement at its end,
  how it changes with each weight, and who won when the playout was carried on to the end of the game;
- turns: what the search said at each turn of the game, and how the game ended.

A file is written whole or not at all, and its number gives its seed: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import contextlib
import io
import signal
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pythia.arena.luck import Luck
from pythia.arena.tournament.executors import check_executor, cores, ray_slots, start_ray
from pythia.core_cy.game import CHANCE, Game, State, View
from pythia.core_cy.registry import load_game
from pythia.core_cy.rng import Random
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import SearchBot
from pythia.search.limits import Limit
from pythia.search.params import SearchParams
from pythia.search.playout import judge_with, play_on
from pythia.search.tree import Search

Array = NDArray[np.float32]

# Moves of a decision that are kept: those visited, and of the others the best by prior.
MOST_MOVES = 48
# A step of a weight for the slope of the judgement: this share of it, and at least this much.
STEP_SHARE, LEAST_STEP = 0.05, 0.02


# Settings that have a say in the judgement, of whichever games have them.
JUDGEMENT_SETTINGS = ("certainty", "spread", "fade", "scale_base", "scale_growth")


class BadSamples(ValueError):
    """A file of samples that cannot be used; the message names it and what to do."""


@dataclass(frozen=True)
class SampleSpec:
    """How games of a generation are played and what is taken from them."""

    game: str
    seed: int
    weights: tuple[tuple[str, float], ...]  # of the generation
    players: tuple[int, ...] = (2,)  # in turn
    play: int = 48  # iterations of a move of the game
    shallow: int = 100  # of the shallow search
    deep: int = 1000  # of the deep one
    decision_share: float = 0.2  # of decisions that are searched deeply
    way_turns: float = 0.5  # of turns from which ways are taken
    ways: int = 32  # for each of them
    wander: float = 0.5  # power of the priors on the way

    def arrays(self, number: int) -> dict[str, Any]:
        return play(self, number)


class Spec(Protocol):
    """What says how to play the games of a folder: `arrays` plays one and gives what is kept of it."""

    def arrays(self, number: int) -> dict[str, Any]: ...


def sampled_weights(game: Game) -> list[str]:
    """The weights whose say in the judgement is learned from ways."""
    names = game.weight_names
    return [*names.value, *(name for name in names.settings if name in JUDGEMENT_SETTINGS)]


def step_of(value: float) -> float:
    return max(abs(value) * STEP_SHARE, LEAST_STEP)


def play(spec: SampleSpec, number: int) -> dict[str, Any]:
    """One game and all that is taken from it, by arrays."""
    seed = seed_of(spec.seed, "learn", spec.game, number)
    players = spec.players[number % len(spec.players)]
    weights = dict(spec.weights)
    game = load_game(spec.game, players=players, seed=seed_of(seed, "start"))
    state = game.new_state()
    luck, rng = Luck(seed_of(seed, "luck")), Random(seed_of(seed, "choices"))
    bot = SearchBot("learning", seed_of(seed, "bot"), {}, Limit(iterations=spec.play))
    params = bot.params(game)
    judges = perturbed(game, weights)
    decisions: list[dict[str, Any]] = []
    ways: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    turn = None
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(luck.draw(state))
            continue
        view = View.of(state, state.to_act).with_weights(weights)
        moves = view.legal_moves()
        if len(moves) == 1:
            state.apply(str(moves[0]))
            continue
        new_turn = state.turn_number != turn
        turn = state.turn_number
        search = Search(view, params, seed_of(seed, "play", view.key))
        search.run(spec.play)
        if new_turn:
            turns.append(turn_of(view, search))
            if rng.random() < spec.way_turns:
                ways.append(ways_of(spec, view, judges, seed_of(seed, "ways", view.key)))
        if rng.random() < spec.decision_share:
            decisions.append(decision_of(spec, view, params, seed_of(seed, "deep", view.key)))
        state.apply(str(search.moves()[0].move))
    returns = state.returns()
    rounds = float(state.to_json().get("round") or 0)
    return gathered(spec, players, decisions, ways, turns, returns, rounds)


def perturbed(game: Game, weights: dict[str, float]) -> list[dict[str, float]]:
    """Weights with a step in one of them, after those without any."""
    found = [weights]
    for name in sampled_weights(game):
        found.append(weights | {name: weights[name] + step_of(weights[name])})
    return found


def turn_of(view: View, search: Search) -> dict[str, Any]:
    values = search.values()
    seat = view.seat
    return {
        "seat": seat,
        "search": values[seat],
        "judged": view.evaluate()[seat],
        "rounds_left": view.rounds_left()[seat],
        "features": np.asarray(view.imagined(0).game.features(view.imagined(0))[seat], np.float32)
        if view.game.feature_names
        else np.zeros(0, np.float32),
        "round": float(view.observation().get("round") or 0),
    }


def decision_of(spec: SampleSpec, view: View, params: SearchParams, seed: int) -> dict[str, Any]:
    """What a shallow and a deep search make of a decision, by move."""
    shallow = Search(view, params, seed_of(seed, "shallow"))
    shallow.run(spec.shallow)
    few = {str(root.move): root.visits for root in shallow.moves()}
    deep = Search(view, params, seed)
    deep.run(spec.deep)
    roots = deep.moves()
    kept = roots[:MOST_MOVES]
    order = {str(move): number for number, move in enumerate(view.legal_moves())}
    rows = [order[str(root.move)] for root in kept]
    features = (
        np.asarray(view.game.move_features(view.imagined(0)), np.float32)[rows]
        if view.game.move_feature_names
        else np.zeros((len(rows), 0), np.float32)
    )
    return {
        "visits": np.array([root.visits for root in kept], np.float32),
        "values": np.array([root.value if root.visits else np.nan for root in kept], np.float32),
        "priors": np.array([root.prior for root in kept], np.float32),
        "shallow": np.array([few.get(str(root.move), 0) for root in kept], np.float32),
        "features": features,
    }


def ways_of(spec: SampleSpec, view: View, judges: list[dict[str, float]], seed: int) -> dict[str, Any]:
    """Playouts from a position: the judgement after a round with each weights, and the result."""
    seat, players = view.seat, view.game.players
    games: list[Game] = []
    slopes, results, judged = [], [], []
    first = view.turn_number
    for number in range(spec.ways):
        luck = seed_of(seed, number)
        state: State = view.imagined(luck)
        if not games:
            games = [state.game.with_weights(changes) for changes in judges]
        play_on(state, luck, first + players, spec.wander, first)
        if state.is_over:
            continue
        found = np.asarray(judge_with(state, games), np.float32)[:, seat]
        play_on(state, seed_of(luck, "on"))
        judged.append(found[0])
        slopes.append(found[1:] - found[0])
        results.append(state.returns()[seat])
    return {
        "judged": np.array(judged, np.float32),
        "slopes": np.array(slopes, np.float16).reshape(len(judged), len(judges) - 1),
        "results": np.array(results, np.float32),
    }


def gathered(
    spec: SampleSpec,
    players: int,
    decisions: list[dict[str, Any]],
    ways: list[dict[str, Any]],
    turns: list[dict[str, Any]],
    returns: list[float],
    rounds: float,
) -> dict[str, Any]:
    """Lists of arrays of different lengths as a few long ones."""

    def joined(rows: list[dict[str, Any]], name: str) -> Any:
        return np.concatenate([row[name] for row in rows]) if rows else np.zeros(0, np.float32)

    return {
        "players": np.int16(players),
        "returns": np.array(returns, np.float32),
        "rounds": np.float32(rounds),
        "decision_sizes": np.array([len(row["visits"]) for row in decisions], np.int32),
        **{
            f"decision_{name}": joined(decisions, name)
            for name in ("visits", "values", "priors", "shallow", "features")
        },
        "way_sizes": np.array([len(row["judged"]) for row in ways], np.int32),
        **{f"way_{name}": joined(ways, name) for name in ("judged", "slopes", "results")},
        **{
            f"turn_{name}": np.array([row[name] for row in turns], np.float32)
            for name in ("seat", "search", "judged", "rounds_left", "features", "round")
        },
    }


# -- on disk


def path_of(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.npz"


def work(spec: Spec, number: int) -> bytes:
    """Play a game and return its file as bytes; the caller writes it, because on Ray this runs on another machine."""
    file = io.BytesIO()
    np.savez_compressed(file, **spec.arrays(number))
    return file.getvalue()


def collect(
    spec: Spec,
    folder: Path,
    games: int,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    executor: str = "processes",
) -> None:
    """Play the games that have no file yet. Whatever ends this, the same call goes on.

    `executor`, `processes`: as for tournaments. The files do not depend on them.
    """
    check_executor(executor, processes)
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("*.part"):
        left.unlink()
    missing = [number for number in range(games) if not path_of(folder, number).exists()]
    done = games - len(missing)
    if progress:
        progress(done, games)
    if not missing:
        return
    player = on_ray if executor == "ray" else on_processes
    for number, content in player(spec, missing, processes):
        part = path_of(folder, number).with_suffix(".part")
        part.write_bytes(content)
        part.replace(path_of(folder, number))
        done += 1
        if progress:
            progress(done, games)


def on_processes(spec: Spec, numbers: list[int], processes: int | None) -> Iterator[tuple[int, bytes]]:
    """The games as they end, played in processes of this machine; with one process, in this one."""
    slots = processes or cores()
    if slots == 1:
        yield from ((number, work(spec, number)) for number in numbers)
        return
    queue = iter(numbers)
    with ProcessPoolExecutor(slots, mp_context=get_context("spawn"), initializer=_ignore_interrupts) as pool:
        running: dict[Future[bytes], int] = {}
        try:
            while True:
                for number in islice(queue, 2 * slots - len(running)):
                    running[pool.submit(work, spec, number)] = number
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def on_ray(spec: Spec, numbers: list[int], slots: int | None) -> Iterator[tuple[int, bytes]]:
    """The same on Ray. A game whose machine is gone is played by another: Ray sees to that."""
    ray, owner = start_ray()
    slots = slots or ray_slots(ray)
    task: Any = ray.remote(num_cpus=1)(work)
    queue = iter(numbers)
    running: dict[Any, int] = {}
    try:
        while True:
            for number in islice(queue, slots - len(running)):
                running[task.remote(spec, number)] = number
            if not running:
                return
            for reference in ray.wait(list(running), num_returns=1)[0]:
                yield running.pop(reference), ray.get(reference)
    finally:
        for reference in running:
            ray.cancel(reference, force=True)
        if owner:
            ray.shutdown()


def _ignore_interrupts() -> None:
    # Ctrl-C goes to all processes of a terminal; the files they are at are then played another time.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def read(folder: Path, games: int | None = None) -> Iterator[dict[str, Any]]:
    """The files of a folder, in order."""
    paths = sorted(folder.glob("*.npz"))
    for path in paths[:games]:
        try:
            with path.open("rb") as opened, np.load(opened) as file:
                yield {name: file[name] for name in file.files}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise BadSamples(
                f"{path}: not a whole file of samples ({error}); delete it, and it will be played again"
            ) from error
