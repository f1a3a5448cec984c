"""Tuning: parameters of the search or weights of the evaluation, optimised against a baseline.

Each trial is a small tournament of the candidate against the baseline, on the same starts in every trial. What did
best is then played against the baseline once more, on starts that no trial has seen: the best of many trials was also
the luckiest, so only this last match is evidence.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pythia.arena.ratings import EDGE, ELO_PER_LOGIT, t_share
from pythia.arena.stats import Estimate, sample_variance, share_estimate
from pythia.arena.tournament.definition import (
    Definition,
    checked_keys,
    definition_of,
    installed_version,
    read_toml,
)
from pythia.arena.tournament.entrants import BadTournament, entrant_of, not_allowed
from pythia.arena.tournament.executors import check_executor, make_executor
from pythia.arena.tournament.runner import CodeChanged, run_tournament
from pythia.core_cy.seeds import seed_of
from pythia.search.plugins import look_in

KEYS = {
    "name": str,
    "game": str,
    "seats": int,
    "seed": int,
    "trials": int,
    "blocks": int,
    "confirm_blocks": int,
    "options": dict,
    "clock": dict,
    "baseline": dict,
    "candidate": dict,
    "parameters": dict,
    "weights": dict,
}
CANDIDATE, BASELINE = "candidate", "baseline"


@dataclass(frozen=True)
class Range:
    """What a value may be: a span, whole numbers when both ends are, or one of several choices."""

    name: str
    kind: str  # params or weights: where the value goes
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    choices: tuple[Any, ...] = ()

    def suggest(self, trial: Any) -> Any:
        if self.choices:
            return trial.suggest_categorical(self.name, list(self.choices))
        if isinstance(self.low, int) and isinstance(self.high, int):
            return trial.suggest_int(self.name, self.low, self.high, log=self.log)
        return trial.suggest_float(self.name, float(self.low), float(self.high), log=self.log)


@dataclass(frozen=True)
class TuneDefinition:
    """What is tuned, against whom, and with how many games."""

    name: str
    trials: int
    blocks: int
    confirm_blocks: int
    seed: int
    ranges: tuple[Range, ...]
    tables: Mapping[str, Any]  # of the file: game, seats, options, clock
    baseline: Mapping[str, Any]
    candidate: Mapping[str, Any]
    paths: tuple[str, ...]

    def match(self, values: Mapping[str, Any], seed: int, blocks: int) -> Definition:
        """The candidate with these values against the baseline, at every other seat."""
        candidate = dict(self.candidate)
        for found in self.ranges:
            candidate[found.kind] = {**candidate.get(found.kind, {}), found.name: values[found.name]}
        others = int(self.tables.get("seats", 2)) - 1
        entrants = [
            {**candidate, "name": CANDIDATE},
            *({**self.baseline, "name": f"{BASELINE} {number + 1}"} for number in range(others)),
        ]
        obj = {**self.tables, "seed": seed, "blocks": blocks, "entrants": entrants, "records": False}
        return definition_of(obj, self.paths)

    def end(self, which: str) -> dict[str, Any]:
        """A value for everything: the low or the high end, or the first choice."""
        return {
            found.name: found.choices[0] if found.choices else getattr(found, which) for found in self.ranges
        }

    def digest(self) -> str:
        """Of all that the trials depend on, but not how many there are."""
        obj = [
            self.tables,
            self.baseline,
            self.candidate,
            self.seed,
            self.blocks,
            list(map(asdict, self.ranges)),
        ]
        text = json.dumps([*obj, installed_version()], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Evidence:
    """How the candidate did against the baseline. 1 / seats is what equals score."""

    blocks: int
    games: int
    win_rate: Estimate
    elo: float
    elo_low: float
    elo_high: float
    superiority: float


@dataclass(frozen=True)
class Trial:
    number: int
    values: dict[str, Any]
    evidence: Evidence


@dataclass(frozen=True)
class Tuned:
    """What was found: values, their evidence, and every trial."""

    name: str
    game: str
    version: str
    values: dict[str, Any]
    entrant: dict[str, Any]  # the candidate's table with the values, for a tournament's file
    baseline: dict[str, Any]
    evidence: Evidence
    stronger: bool  # the interval lies above the baseline
    trials: list[Trial]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_tuning(path: Path) -> TuneDefinition:
    return tuning_of(read_toml(path, "the tuning file"), (str(path.resolve().parent),))


def tuning_of(obj: Mapping[str, Any], paths: tuple[str, ...] = ()) -> TuneDefinition:
    values = checked_keys(obj, KEYS, ("game", "baseline"))
    for key in ("trials", "blocks", "confirm_blocks"):
        if values.get(key, 1) < 1:
            raise not_allowed(key, values[key], "1 or more")
    ranges = [
        _range(name, found, kind, key)
        for key, kind in (("parameters", "params"), ("weights", "weights"))
        for name, found in values.get(key, {}).items()
    ]
    if not ranges:
        raise BadTournament("parameters: none given; allowed: at least one of parameters or weights")
    blocks = values.get("blocks", 20)
    definition = TuneDefinition(
        name=values.get("name", "tuning"),
        trials=values.get("trials", 30),
        blocks=blocks,
        confirm_blocks=values.get("confirm_blocks", 5 * blocks),
        seed=values.get("seed", 1),
        ranges=tuple(ranges),
        tables={key: values[key] for key in ("game", "seats", "options", "clock") if key in values},
        baseline=values["baseline"],
        candidate=values.get("candidate", values["baseline"]),
        paths=paths,
    )
    # Says what is wrong with the game, the bots and the ends of the ranges before anything is played.
    for end in ("low", "high"):
        definition.match(definition.end(end), definition.seed, blocks)
    for key, table in ((BASELINE, definition.baseline), (CANDIDATE, definition.candidate)):
        entrant_of(table, key, values["game"], name=key)
    return definition


def _range(name: str, obj: object, kind: str, key: str) -> Range:
    field = f"{key}.{name}"
    if not isinstance(obj, dict):
        raise not_allowed(field, obj, "a table with low and high, or choices")
    known = ("low", "high", "log", "choices")
    for other in obj:
        if other not in known:
            raise not_allowed(field, other, ", ".join(known))
    if "choices" in obj:
        choices = obj["choices"]
        if not isinstance(choices, list) or not choices or len(obj) > 1:
            raise not_allowed(
                f"{field}.choices", choices, "a list with something in it, and neither low nor high"
            )
        return Range(name, kind, choices=tuple(choices))
    for end in ("low", "high"):
        value = obj.get(end)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise not_allowed(f"{field}.{end}", value, "a number")
    low, high, log = obj["low"], obj["high"], obj.get("log", False)
    if low >= high:
        raise not_allowed(f"{field}.high", high, f"more than low = {low}")
    if not isinstance(log, bool) or (log and low <= 0):
        raise not_allowed(f"{field}.log", log, "true or false, and true only with low above 0")
    return Range(name, kind, low, high, log)


def run_tuning(
    definition: TuneDefinition,
    folder: Path,
    *,
    executor: str = "processes",
    processes: int | None = None,
    progress: Callable[[Trial, int], None] | None = None,
) -> Tuned:
    """Runs the trials that are missing, then the last match. Everything is kept in `folder`: the same call goes on."""
    check_executor(executor, processes)
    try:
        import optuna
    except ImportError as error:
        raise BadTournament(
            "tune: Optuna is not installed; run `pip install 'pythia-opponent[tune]'`"
        ) from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        study = optuna.create_study(
            storage=f"sqlite:///{folder / 'study.sqlite'}",
            study_name="tune",
            direction="maximize",
            load_if_exists=True,
        )
    except Exception as error:  # of SQLAlchemy, which is not ours to know
        raise BadTournament(
            f"folder: {str(folder)!r} does not hold a study: {type(error).__name__}"
        ) from error
    digest = definition.digest()
    if study.user_attrs.get("digest", digest) != digest:
        raise BadTournament(
            f"folder: {str(folder)!r} belongs to another tuning run; use another folder, or remove it"
        )
    study.set_user_attr("digest", digest)

    look_in(*definition.paths)
    definition.match(definition.end("low"), 0, 1).check_entrants()
    with closing(make_executor(executor, processes, definition.paths)) as players:

        def match(values: Mapping[str, Any], seed: int, blocks: int) -> Evidence:
            found = definition.match(values, seed, blocks)
            try:
                schedule = run_tournament(found, folder / f"{found.digest()}.sqlite", executor=players)
            except CodeChanged as error:
                raise BadTournament(f"{error.what}. Use another --folder, or remove this one") from error
            (table,) = schedule.tables()
            rates = [table.rate(block, CANDIDATE) for block in schedule.counted(table)]
            return evidence_of(rates, len(table.names))

        trials = _run_trials(definition, study, match, progress)
        best = max(trials, key=lambda trial: trial.evidence.win_rate.mean)
        evidence = match(best.values, seed_of(definition.seed, "confirm"), definition.confirm_blocks)
    found = definition.match(best.values, 0, 1)
    return Tuned(
        name=definition.name,
        game=found.game,
        version=installed_version(),
        values=best.values,
        entrant=found.entrants[0].to_json() | {"name": definition.name},
        baseline=dict(definition.baseline),
        evidence=evidence,
        stronger=evidence.elo_low > 0,
        trials=trials,
    )


def _run_trials(
    definition: TuneDefinition,
    study: Any,
    match: Callable[[Mapping[str, Any], int, int], Evidence],
    progress: Callable[[Trial, int], None] | None,
) -> list[Trial]:
    from optuna.samplers import TPESampler
    from optuna.trial import TrialState

    for trial in study.get_trials(states=(TrialState.RUNNING,)):
        # Killed in the middle: tried again with the same values, so that its games are not played again.
        if len(trial.params) == len(definition.ranges):
            study.enqueue_trial(trial.params)
        study.tell(trial.number, state=TrialState.FAIL)
    trials = [
        Trial(number, dict(trial.params), Evidence(**_evidence_json(trial.user_attrs["evidence"])))
        for number, trial in enumerate(study.get_trials(states=(TrialState.COMPLETE,)))
    ]
    while len(trials) < definition.trials:
        # A sampler of its own for each trial, so that an interrupted tuning goes on as it would have gone.
        study.sampler = TPESampler(seed=seed_of(definition.seed, "trial", len(trials)) % 2**32)
        trial = study.ask()
        values = {found.name: found.suggest(trial) for found in definition.ranges}
        evidence = match(values, seed_of(definition.seed, "trials"), definition.blocks)
        trial.set_user_attr("evidence", asdict(evidence))
        study.tell(trial, evidence.win_rate.mean)
        trials.append(Trial(len(trials), values, evidence))
        if progress:
            progress(trials[-1], definition.trials)
    return trials


def _evidence_json(obj: Mapping[str, Any]) -> dict[str, Any]:
    return {**obj, "win_rate": Estimate(**obj["win_rate"])}


def evidence_of(rates: Sequence[float], seats: int) -> Evidence:
    """From the candidate's block scores; its strength is that which wins so often against equals of the baseline."""
    rate = share_estimate(rates)
    padded = [*rates, 0.0, 1.0]
    mean = sum(padded) / len(padded)
    error = math.sqrt(sample_variance(padded) / len(padded))

    def elo(share: float) -> float:
        share = min(1 - EDGE, max(EDGE, share))
        return ELO_PER_LOGIT * math.log(share * (seats - 1) / (1 - share))

    assert rate.low is not None
    assert rate.high is not None
    # The two added blocks pull to one half, which with more seats is not what equals score; the mean has none.
    center = mean if seats == 2 else rate.mean
    return Evidence(
        blocks=len(rates),
        games=len(rates) * seats,
        win_rate=rate,
        elo=elo(center),
        elo_low=elo(rate.low),
        elo_high=elo(rate.high),
        superiority=t_share((center - 1 / seats) / error, len(padded) - 1),
    )
