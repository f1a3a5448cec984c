"""A whole run of learning: generation after generation in one folder, from which it goes on wherever it was stopped.

    RUN/run.json                    what is learned, with what, from which commit
    RUN/001/samples/*.npz           the games of a generation
    RUN/001/results/ searched/      positions for a network, of a game that has one
    RUN/001/net.json value.json moves.json      the weights found, and what they explain on games kept aside
    RUN/001/moves.gate value.gate   the games of the gate, a tournament each
    RUN/001/moves.verdict.json ...  what the gate said
    RUN/weights.json                the best so far; RUN/page.html shows how it came about

A part of the weights that is found goes through the gate alone: the bot with it plays against the bot without, by a
sequential test, on starts that no sample has seen. What does not pass is listed and not used.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from pythia.arena.learning.fit import Fitted, decisions_of, fit_priors, fit_value, ways_of
from pythia.arena.learning.net_fit import fit_net
from pythia.arena.learning.samples import SampleSpec, Spec, collect, read
from pythia.arena.learning.traces import TraceSpec
from pythia.arena.stats import share_estimate
from pythia.arena.tournament.definition import definition_of, installed_version
from pythia.arena.tournament.entrants import BadTournament
from pythia.arena.tournament.runner import CodeChanged, RunProgress, run_tournament
from pythia.core_cy.game import Game
from pythia.core_cy.registry import load_game
from pythia.core_cy.seeds import seed_of
from pythia.core_cy.weights import BadWeights, WeightsFile, read_weights, weights_text
from pythia.search.signature import signature

NEW, OLD = "new", "old"
# Games in a file of traces: by the policy alone, and with positions that are searched.
RESULTS_IN_FILE, SEARCHED_IN_FILE = 200, 20
# The parts of the weights, in the order in which they are learned; value and moves together where neither passed alone.
PARTS = ("net", "value", "moves", "both")


class BadRun(ValueError):
    """A run that cannot go on; the message says what to do."""


@dataclass(frozen=True)
class LearnSpec:
    """What a run does. It is written to run.json; the same command goes on with it."""

    game: str
    seed: int = 1
    generations: int = 3
    games: int = 200  # of each generation
    players: tuple[int, ...] = (2,)
    play: int = 48
    shallow: int = 100
    deep: int = 1000
    ways: int = 32
    results: int = 180_000  # games of the policy, whose results a first network learns from
    searched: int = (
        8_000  # games of the policy in each generation, some positions of which are searched for it
    )
    gate_bot: str = "ismcts"
    gate_iterations: int = 200
    gate_blocks: int = 200  # at most
    gate_elo: float = 40.0  # what the gate takes for better
    encoding: bool = False  # learn a model of the encoding instead of the game's own weights


@dataclass(frozen=True)
class Verdict:
    """What the gate said about a part of a generation."""

    generation: int
    part: str
    passed: bool
    verdict: str  # of the sequential test; "open" when the blocks were used up
    games: int
    win_rate: float
    low: float
    high: float
    loss_before: float
    loss_after: float
    samples: int


@dataclass(frozen=True)
class LearningProgress:
    """How far a run is."""

    generation: int
    step: str
    done: int
    planned: int


Tell = Callable[[LearningProgress], None]


@dataclass(frozen=True)
class Arena:
    """Where games are played, and who hears how far they are."""

    processes: int | None = None
    executor: str = "processes"
    tell: Tell | None = None


def learn(spec: LearnSpec, folder: Path, arena: Arena | None = None) -> list[Verdict]:
    """Do what is left of a run; every verdict so far."""
    arena = arena or Arena()
    game = load_game(spec.game, seed=0)
    if not game.weights() and not spec.encoding:
        raise BadRun(
            f"game: {spec.game} has no weights to learn; let it name features (docs/learning.md), "
            "or learn a model of its encoding with --encoding"
        )
    begin(spec, folder)
    if spec.encoding:
        from pythia.arena.learning.encoded import learn_encoding

        return learn_encoding(spec, folder, arena)
    verdicts: list[Verdict] = []
    weights: dict[str, Any] = dict(game.weights())
    for generation in range(1, spec.generations + 1):
        place = folder / f"{generation:03d}"
        sampled = weights
        sample = SampleSpec(
            spec.game,
            seed_of(spec.seed, "generation", generation),
            tuple(sampled.items()),
            spec.players,
            spec.play,
            spec.shallow,
            spec.deep,
            ways=spec.ways,
        )
        gather(sample, place / "samples", generation, "games", spec.games, arena)
        found: dict[str, Fitted] = {}
        for part in PARTS:
            if part == "net" and game.weight_names.net:
                trace(spec, folder, generation, sampled, arena)
            fitted = fit_of(game.with_weights(sampled), place, part, found)
            if fitted is None:
                continue
            verdict = gate(spec, place, generation, part, fitted, weights, arena)
            verdicts.append(verdict)
            if verdict.passed:
                weights = weights | fitted.weights
            else:
                found[part] = fitted
            write_best(spec, folder, game, weights, verdicts)
    return verdicts


def gather(sample: Spec, place: Path, generation: int, step: str, files: int, arena: Arena) -> None:
    """The files of a folder."""

    def played(done: int, planned: int) -> None:
        if arena.tell:
            arena.tell(LearningProgress(generation, step, done, planned))

    collect(sample, place, files, arena.processes, played, arena.executor)


def trace(spec: LearnSpec, folder: Path, generation: int, weights: dict[str, Any], arena: Arena) -> None:
    """The positions that a network learns from."""
    seed = seed_of(spec.seed, "traces", generation)
    place = folder / f"{generation:03d}"
    if generation == 1 and not load_game(spec.game, seed=0).net():
        results = TraceSpec(spec.game, seed, tuple(weights.items()), spec.players, games=RESULTS_IN_FILE)
        gather(results, place / "results", generation, "results", spec.results // RESULTS_IN_FILE, arena)
    searched = TraceSpec(
        spec.game, seed, tuple(weights.items()), spec.players, spec.play, SEARCHED_IN_FILE, kept=0.15
    )
    gather(searched, place / "searched", generation, "searched", spec.searched // SEARCHED_IN_FILE, arena)


def begin(spec: LearnSpec, folder: Path) -> None:
    """Writes run.json, or checks that the folder is of the same run."""
    path = folder / "run.json"
    wanted = json.loads(json.dumps(asdict(spec)))
    if path.exists():
        # What a run of an earlier version does not say is as usual.
        usual = json.loads(json.dumps(asdict(LearnSpec(spec.game))))
        kept = usual | json.loads(path.read_text(encoding="utf-8"))["spec"]
        # More generations may be asked for than before.
        differing = [name for name in wanted if name != "generations" and kept.get(name) != wanted[name]]
        if differing:
            name = differing[0]
            raise BadRun(
                f"folder: {folder} was started with {name}={kept.get(name)!r}, not {wanted[name]!r}; "
                "give the same or another folder"
            )
        return
    folder.mkdir(parents=True, exist_ok=True)
    obj = {"spec": wanted, "version": installed_version(), "commit": commit(), "signature": signature()}
    path.write_text(json.dumps(obj, indent=1) + "\n", encoding="utf-8")


def commit() -> str | None:
    """The commit that the code is of; None outside a repository."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def fit_of(game: Game, place: Path, part: str, left: dict[str, Fitted]) -> Fitted | None:
    """The weights that the samples lead to, or those found before. None where nothing can be learned.

    `left`: what was found and did not pass alone. Small gains that a gate leaves open can show together.
    """
    if part == "both":
        return together(left) if {"value", "moves"} <= left.keys() else None
    path = place / f"{part}.json"
    if path.exists():
        return Fitted(**json.loads(path.read_text(encoding="utf-8")))
    if part == "net":
        if not game.weight_names.net:
            return None
        # A first network takes its features from results; another one begins with those of the present one.
        results = read(place / "results") if (place / "results").is_dir() else None
        fitted = fit_net(game, results, read(place / "searched"))
    elif part == "moves":
        if not game.weight_names.moves:
            return None
        decisions = decisions_of(read(place / "samples"))
        prior = fit_priors(game, decisions, "prior")
        quick = [name for name in game.weight_names.moves if name not in game.weight_names.slow]
        playout = fit_priors(game, decisions, "playout", quick)
        fitted = replace(prior, weights=prior.weights | playout.weights)
    else:
        fitted = fit_value(game, ways_of(read(place / "samples")))
    path.write_text(json.dumps(asdict(fitted), indent=1) + "\n", encoding="utf-8")
    return fitted


def together(found: dict[str, Fitted]) -> Fitted:
    return replace(found["moves"], weights=found["value"].weights | found["moves"].weights)


def gate(
    spec: LearnSpec,
    place: Path,
    generation: int,
    part: str,
    fitted: Fitted,
    weights: dict[str, Any],
    arena: Arena,
) -> Verdict:
    """The bot with the new weights against the bot without."""
    bot = {"bot": spec.gate_bot, "iterations": spec.gate_iterations}
    return decided(
        spec,
        place,
        generation,
        part,
        {**bot, "weights": weights | fitted.weights},
        {**bot, "weights": weights},
        (fitted.before, fitted.after, fitted.samples),
        arena,
    )


def verdict_path(place: Path, part: str) -> Path:
    return place / f"{part}.verdict.json"


def is_decided(place: Path, part: str) -> bool:
    return verdict_path(place, part).exists()


def decided(
    spec: LearnSpec,
    place: Path,
    generation: int,
    part: str,
    new: dict[str, Any],
    old: dict[str, Any],
    explained: tuple[float, float, int],
    arena: Arena,
) -> Verdict:
    """What a sequential test says of two entrants, on starts that no sample has seen; or what it said before."""
    path = verdict_path(place, part)
    if is_decided(place, part):
        return Verdict(**json.loads(path.read_text(encoding="utf-8")))
    definition = definition_of(
        {
            "name": f"{spec.game} {generation} {part}",
            "game": spec.game,
            "format": "gauntlet",
            "blocks": spec.gate_blocks,
            "seed": seed_of(spec.seed, "gate", generation, part),
            "entrants": [{"name": NEW, **new}, {"name": OLD, **old}],
            "challengers": [NEW],
            "sprt": {"elo0": 0.0, "elo1": spec.gate_elo},
            "records": False,
        }
    )

    def played(progress: RunProgress) -> None:
        if arena.tell:
            arena.tell(LearningProgress(generation, f"gate of {part}", progress.played, progress.planned))

    try:
        schedule = run_tournament(
            definition,
            place / f"{part}.gate",
            processes=arena.processes,
            progress=played,
            executor=arena.executor,
        )
    except CodeChanged as error:
        raise BadTournament(f"{error.what}. Use another folder, or remove this one") from error
    (table,) = schedule.tables()
    counted = schedule.counted(table)
    rates = share_estimate([table.score(block, NEW, OLD) for block in counted])
    said = schedule.verdict(table)
    verdict = Verdict(
        generation,
        part,
        said is not None and said[0] == "elo1",
        said[0] if said else "open",
        2 * len(counted),
        rates.mean,
        rates.low or 0.0,
        rates.high or 1.0,
        *explained,
    )
    path.write_text(json.dumps(asdict(verdict), indent=1) + "\n", encoding="utf-8")
    return verdict


def write_best(
    spec: LearnSpec, folder: Path, game: Game, weights: dict[str, Any], verdicts: list[Verdict]
) -> None:
    """The best weights so far, with how they came about."""
    begun = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    before = game.weights_file()
    provenance = {
        "command": command(spec),
        "commit": begun["commit"],
        "version": begun["version"],
        "signature": begun.get("signature"),
        "games": spec.games * len({verdict.generation for verdict in verdicts}),
        "gates": [asdict(verdict) for verdict in verdicts],
        "before": before.provenance,
    }
    values = {name: value for name, value in weights.items() if name != "net"}
    net = weights.get("net", before.net)
    file = WeightsFile(spec.game, values, before.search, before.display, provenance, net)
    part = folder / "weights.json.part"
    part.write_text(weights_text(file, game.weight_names), encoding="utf-8")
    part.replace(folder / "weights.json")


def command(spec: LearnSpec) -> str:
    """The command of a run, with all that differs from the usual."""
    usual = LearnSpec(spec.game)
    words = ["pythia", "learn", spec.game]
    for name, value in asdict(spec).items():
        if value is True:
            words.append(f"--{name}")
        elif value != getattr(usual, name):
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            words += [f"--{name.replace('_', '-')}", text]
    return " ".join(words)


def install(path: Path, game_name: str) -> Path:
    """Make weights those that the game plays with; only what has passed a gate."""
    game = load_game(game_name, seed=0)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadWeights(
            f"{path}: cannot be read ({error.strerror}); run `pythia learn {game_name}` first"
        ) from error
    file = read_weights(text, game.weight_names, str(path))
    if not any(gate["passed"] for gate in file.provenance.get("gates", ())):
        raise BadWeights(f"{path}: nothing in it has passed its gate; continue learning")
    target = Path(str(files(type(game).__module__.rpartition(".")[0]).joinpath("weights.json")))
    if not target.is_file():
        raise BadWeights(
            f"{game_name}: has no weights.json; put the numbers of {path} where it keeps its weights"
        )
    target.write_text(text, encoding="utf-8")
    return target
