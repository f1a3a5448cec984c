"""A whole run of learning: generation after generation in one folder, from which it goes on wherever it was stopped.

    RUN/run.json                    what is learned, with what, from which commit
    RUN/001/samples/*.npz           the games of a generation
    RUN/001/moves.json value.json   the weights found, and what they explain on games kept aside
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

from pythia.arena.learning.fit import Fitted, decisions_of, fit_priors, fit_value, ways_of
from pythia.arena.learning.samples import SampleSpec, collect, read
from pythia.arena.stats import share_estimate
from pythia.arena.tournament.definition import definition_of, installed_version
from pythia.arena.tournament.executors import cores
from pythia.arena.tournament.runner import RunProgress, run_tournament
from pythia.core_cy.game import Game
from pythia.core_cy.registry import load_game
from pythia.core_cy.seeds import seed_of
from pythia.core_cy.weights import BadWeights, WeightsFile, read_weights, weights_text

NEW, OLD = "new", "old"
# The parts of the weights, in the order in which they are learned.
PARTS = ("value", "moves")


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
    gate_bot: str = "ismcts"
    gate_iterations: int = 200
    gate_blocks: int = 200  # at most
    gate_elo: float = 40.0  # what the gate takes for better


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
class Told:
    """How far a run is."""

    generation: int
    step: str
    done: int
    planned: int


Tell = Callable[[Told], None]


def learn(
    spec: LearnSpec, folder: Path, processes: int | None = None, tell: Tell | None = None
) -> list[Verdict]:
    """Do what is left of a run; every verdict so far."""
    begin(spec, folder)
    game = load_game(spec.game, seed=0)
    if not game.weights():
        raise BadRun(f"game: {spec.game} has no weights to learn; it names features first (docs/learning.md)")
    verdicts: list[Verdict] = []
    weights = dict(game.weights())
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

        def played(done: int, planned: int, generation: int = generation) -> None:
            if tell:
                tell(Told(generation, "games", done, planned))

        collect(sample, place / "samples", spec.games, processes or cores(), played)
        for part in PARTS:
            fitted = fit_of(game.with_weights(sampled), place, part)
            if fitted is None:
                continue
            verdict = gate(spec, place, generation, part, fitted, weights, processes, tell)
            verdicts.append(verdict)
            if verdict.passed:
                weights = weights | fitted.weights
            write_best(spec, folder, game, weights, verdicts)
    return verdicts


def begin(spec: LearnSpec, folder: Path) -> None:
    """Writes run.json, or checks that the folder is of the same run."""
    path = folder / "run.json"
    wanted = json.loads(json.dumps(asdict(spec)))
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))["spec"]
        # More generations may be asked for than before.
        differing = [name for name in wanted if name != "generations" and kept.get(name) != wanted[name]]
        if differing:
            name = differing[0]
            raise BadRun(
                f"folder: {folder} was begun with {name}={kept.get(name)!r}, not {wanted[name]!r}; "
                "give the same or another folder"
            )
        return
    folder.mkdir(parents=True, exist_ok=True)
    obj = {"spec": wanted, "version": installed_version(), "commit": commit()}
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


def fit_of(game: Game, place: Path, part: str) -> Fitted | None:
    """The weights that the samples lead to, or those found before. None where nothing can be learned."""
    path = place / f"{part}.json"
    if path.exists():
        return Fitted(**json.loads(path.read_text(encoding="utf-8")))
    if part == "moves":
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


def gate(
    spec: LearnSpec,
    place: Path,
    generation: int,
    part: str,
    fitted: Fitted,
    weights: dict[str, float],
    processes: int | None,
    tell: Tell | None,
) -> Verdict:
    """The bot with the new weights against the bot without."""
    path = place / f"{part}.verdict.json"
    if path.exists():
        return Verdict(**json.loads(path.read_text(encoding="utf-8")))
    bot = {"bot": spec.gate_bot, "iterations": spec.gate_iterations}
    definition = definition_of(
        {
            "name": f"{spec.game} {generation} {part}",
            "game": spec.game,
            "format": "gauntlet",
            "blocks": spec.gate_blocks,
            "seed": seed_of(spec.seed, "gate", generation, part),
            "entrants": [
                {"name": NEW, **bot, "weights": weights | fitted.weights},
                {"name": OLD, **bot, "weights": weights},
            ],
            "challengers": [NEW],
            "sprt": {"elo0": 0.0, "elo1": spec.gate_elo},
            "records": False,
        }
    )

    def played(progress: RunProgress) -> None:
        if tell:
            tell(Told(generation, f"gate of {part}", progress.played, progress.planned))

    schedule = run_tournament(definition, place / f"{part}.gate", processes=processes, progress=played)
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
        fitted.before,
        fitted.after,
        fitted.samples,
    )
    path.write_text(json.dumps(asdict(verdict), indent=1) + "\n", encoding="utf-8")
    return verdict


def write_best(
    spec: LearnSpec, folder: Path, game: Game, weights: dict[str, float], verdicts: list[Verdict]
) -> None:
    """The best weights so far, with how they came about."""
    begun = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    before = game.weights_file()
    provenance = {
        "command": command(spec),
        "commit": begun["commit"],
        "version": begun["version"],
        "games": spec.games * len({verdict.generation for verdict in verdicts}),
        "gates": [asdict(verdict) for verdict in verdicts],
        "before": before.provenance,
    }
    file = WeightsFile(spec.game, weights, before.search, before.display, provenance)
    part = folder / "weights.json.part"
    part.write_text(weights_text(file, game.weight_names), encoding="utf-8")
    part.replace(folder / "weights.json")


def command(spec: LearnSpec) -> str:
    """The command of a run, with all that differs from the usual."""
    usual = LearnSpec(spec.game)
    words = ["pythia", "learn", spec.game]
    for name, value in asdict(spec).items():
        if value != getattr(usual, name):
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
        raise BadWeights(f"{path}: nothing in it has passed its gate; go on learning")
    target = Path(str(files(type(game).__module__.rpartition(".")[0]).joinpath("weights.json")))
    if not target.is_file():
        raise BadWeights(
            f"{game_name}: has no weights.json; put the numbers of {path} where it keeps its weights"
        )
    target.write_text(text, encoding="utf-8")
    return target
