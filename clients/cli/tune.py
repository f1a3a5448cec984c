"""`pythia tune`: parameters and weights optimised against a baseline."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pythia.arena.tournament.tune import Trial, Tuned, read_tuning, run_tuning
from pythia.clients.cli.console import (
    AsJson,
    terminable,
)
from pythia.clients.cli.tournament import Executor, Processes, percents, write_text


def tune(
    file: Annotated[Path, Parameter(help="What to tune, a TOML file; docs/tournaments.md has an example.")],
    /,
    *,
    folder: Annotated[
        Path | None, Parameter(help="The folder that keeps the trials; by default NAME.tune beside the file.")
    ] = None,
    out: Annotated[
        Path | None,
        Parameter(help="The file for the values found; by default NAME.tuned.json beside the tuning file."),
    ] = None,
    executor: Executor = "processes",
    processes: Processes = None,
    as_json: AsJson = False,
) -> None:
    """Optimize search parameters or evaluation weights against a baseline.

    For example:

        pythia tune exploration.toml --out found.json
    """
    definition = read_tuning(file)
    try:
        with terminable():
            tuned = run_tuning(
                definition,
                folder or file.with_suffix(".tune"),
                executor=executor,
                processes=processes,
                progress=None if as_json else show_trial,
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; run the same command to resume") from None
    target = out or file.with_suffix(".tuned.json")
    write_text(target, json.dumps(tuned.to_json(), indent=2) + "\n")
    if as_json:
        print(json.dumps(tuned.to_json(), indent=2))
    else:
        show_tuned(tuned, target)


def show_trial(trial: Trial, trials: int) -> None:
    rate = trial.evidence.win_rate
    values = ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in trial.values.items()
    )
    print(
        f"trial {trial.number + 1} of {trials}: {100 * rate.mean:.1f} % ({percents(rate)}) with {values}",
        file=sys.stderr,
        flush=True,
    )


def show_tuned(tuned: Tuned, target: Path) -> None:
    rate, found = tuned.evidence.win_rate, tuned.evidence
    for name, value in tuned.values.items():
        print(f"{name} = {value}")
    print(
        f"against the baseline on new starts: {100 * rate.mean:.1f} % ({percents(rate)}), {found.elo:+.0f} Elo "
        f"({found.elo_low:+.0f} to {found.elo_high:+.0f}) in {found.blocks} blocks, "
        f"likelihood of superiority {100 * found.superiority:.1f} %"
    )
    print("stronger than the baseline" if tuned.stronger else "not shown to be stronger than the baseline")
    print(f"written to {target}")
