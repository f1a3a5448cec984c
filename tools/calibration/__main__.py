"""Whether win probabilities hold: `python -m tools.calibration GAME --games 100 --players 2`.

Plays games of a bot against itself (it goes on where it was interrupted), and prints how the chances it shows compare
with the results: error, slope, by stage; how well the rounds to go are told; with `--truth`, positions that are played
on many times, and how often the interval holds what came. `--fit` writes what display takes from these games into a
weights file; measure on another `--seed` then. `--html` writes a page with reliability plots.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pythia.arena import plot
from pythia.arena.tournament.executors import cores
from pythia.core_cy.registry import load_game
from pythia.core_cy.weights import read_weights, weights_text
from tools.calibration import (
    STAGES,
    Calibration,
    Turns,
    calibration,
    fitted,
    rounds_shown,
    sample,
    shown,
    stages,
)
from tools.calibration.truth import Truth, truth_of

HEIGHT, LEFT, TOP, BOTTOM = 380.0, 60.0, 20.0, 40.0


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.calibration", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=300, help="search iterations per decision")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=cores())
    parser.add_argument(
        "--folder",
        type=Path,
        help="the folder that keeps the games; by default calibration-GAME-PLAYERS-SEED",
    )
    parser.add_argument(
        "--truth", type=int, default=0, metavar="POSITIONS", help="the number of positions to play to the end"
    )
    parser.add_argument("--again", type=int, default=16, help="the number of games from each position")
    parser.add_argument(
        "--fit", type=Path, metavar="WEIGHTS", help="save the correction in this weights file"
    )
    parser.add_argument("--html", type=Path, metavar="PAGE")
    given = parser.parse_args(arguments)
    folder = given.folder or Path(f"calibration-{given.game}-{given.players}-{given.seed}")
    turns = sample(
        given.game, given.players, given.games, given.iterations, given.seed, folder, given.processes
    )
    game = load_game(given.game, seed=0)
    if given.fit:
        write_display(given.fit, turns)
        return
    display = game.weights_file().display
    found = measured(turns, display)
    for row in found:
        print(
            f"{row.what:34} {row.games:4} games {row.turns:5} turns  error {row.error:.3f}  slope {row.slope:.2f} "
            f"({row.slope_low:.2f} to {row.slope_high:.2f})  Brier {row.brier:.3f}"
        )
    for line in rounds_lines(turns, display):
        print(line)
    truth = None
    if given.truth:
        truth = truth_of(given.game, given.players, given.truth, given.again, given.iterations, given.seed)
        print(truth)
    if given.html:
        given.html.write_text(page(given.game, found, truth), encoding="utf-8")
        print(f"{given.html}: written", file=sys.stderr)


def measured(turns: Turns, display: dict[str, Any]) -> list[Calibration]:
    """As shown, as the search found it, and the bare judgement; as shown also by stage."""
    seen = shown(turns, display)
    rows = [
        calibration("as shown", turns, seen),
        calibration("as the search finds it", turns, turns.search),
        calibration("the bare judgement", turns, turns.judged),
    ]
    stage, before = stages(turns, display), -1.0
    for until in STAGES:
        chosen = (stage > before) & (stage <= until)
        if chosen.sum() >= 50:
            text = f"up to {until:g}" if until < STAGES[-1] else f"more than {before:g}"
            rows.append(calibration(f"as shown, {text} rounds to go", turns, seen, chosen))
        before = until
    return rows


def rounds_lines(turns: Turns, display: dict[str, Any]) -> list[str]:
    use = ~np.isnan(turns.to_go)
    lines = []
    for what, told in (
        ("as shown", rounds_shown(turns, display) if display.get("rounds") else None),
        ("by the judgement", turns.rounds_left),
    ):
        if told is not None and use.any():
            apart = told[use] - turns.to_go[use]
            lines.append(
                f"rounds to go of winners, {what:18} bias {apart.mean():+.2f}  RMSE {np.sqrt((apart**2).mean()):.2f}  "
                f"below 0 in {100 * (told[use] < 0).mean():.0f} %"
            )
    return lines


def write_display(path: Path, turns: Turns) -> None:
    """Puts what these games say into a weights file, beside what it has of other player counts."""
    obj = json.loads(path.read_text(encoding="utf-8"))
    game = load_game(obj["game"], seed=0)
    file = read_weights(path.read_text(encoding="utf-8"), game.weight_names, str(path))
    found = fitted(turns)
    display = dict(file.display)
    display["power"] = display.get("power", {}) | found["power"]
    if turns.players == 2 and "rounds" in found:
        display["rounds"] = found["rounds"]
    path.write_text(
        weights_text(replace(file, display=display), game.weight_names),
        encoding="utf-8",
    )
    print(f"{path}: power {found['power']}")


def page(game: str, rows: Sequence[Calibration], truth: Truth | None) -> str:
    table = plot.table(
        ("", "games", "turns", "error", "slope", "95 %", "Brier"),
        [
            (
                row.what,
                str(row.games),
                str(row.turns),
                f"{row.error:.3f}",
                f"{row.slope:.2f}",
                f"{row.slope_low:.2f} to {row.slope_high:.2f}",
                f"{row.brier:.3f}",
            )
            for row in rows
        ],
        text=(0,),
    )
    parts = [
        f"<h1>Calibration of {game}, {rows[0].players} players</h1>",
        "<p>Chances that a bot shows at the start of its turns against how its games ended. Below the line it was too "
        "sure, above too careful.</p>",
        reliability(rows[:3]),
        table,
    ]
    if truth:
        parts.append(f"<p>{truth}</p>")
    return plot.page(f"Calibration of {game}", parts)


def reliability(rows: Sequence[Calibration]) -> str:
    side = HEIGHT - TOP - BOTTOM
    x = plot.scale(0, 1, LEFT, LEFT + side)
    y = plot.scale(0, 1, HEIGHT - BOTTOM, TOP)
    parts = []
    for tick in plot.ticks(0, 1):
        parts += [plot.line(x(0), y(tick), x(1), y(tick)), plot.line(x(tick), y(0), x(tick), y(1))]
        parts.append(plot.text(LEFT - 8, y(tick) + 4, f"{100 * tick:.0f} %", "end", "soft"))
        parts.append(plot.text(x(tick), HEIGHT - BOTTOM + 16, f"{100 * tick:.0f} %", "middle", "soft"))
    parts.append(plot.line(x(0), y(0), x(1), y(1), plot.COLORS[6], 1.5))
    for number, row in enumerate(rows):
        color = plot.COLORS[number]
        for before, after in zip(row.bins, row.bins[1:], strict=False):
            parts.append(plot.line(x(before[0]), y(before[1]), x(after[0]), y(after[1]), color, 2))
        for said, came, _ in row.bins:
            parts.append(plot.bar(x(said) - 3, y(came) - 3, 6, 6, color))
        parts.append(plot.text(x(1) + 24, TOP + 20 + 20 * number, row.what))
        parts.append(plot.bar(x(1) + 8, TOP + 10 + 20 * number, 10, 10, color))
    return plot.svg(HEIGHT, "chances and results", parts)


if __name__ == "__main__":
    main()
