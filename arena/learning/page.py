"""A run of learning as one HTML page: what each generation explained, and what the gate said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from pythia.arena import plot
from pythia.arena.learning.run import Verdict

HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 260.0, 60.0, 20.0, 20.0, 40.0


def run_page(folder: Path, verdicts: Sequence[Verdict]) -> str:
    begun = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    spec = begun["spec"]
    facts = {
        "game": spec["game"],
        "games a generation": spec["games"],
        "seed": spec["seed"],
        "commit": begun["commit"] or "unknown",
        "passed": f"{sum(verdict.passed for verdict in verdicts)} of {len(verdicts)}",
    }
    listed = "".join(f"<li>{escape(name)}<b>{escape(str(value))}</b></li>" for name, value in facts.items())
    rows = [
        (
            f"{verdict.generation} {verdict.part}",
            f"{verdict.samples}",
            f"{verdict.loss_before:.5f}",
            f"{verdict.loss_after:.5f}",
            f"{verdict.games}",
            f"{100 * verdict.win_rate:.1f} %",
            f"{100 * verdict.low:.1f} to {100 * verdict.high:.1f}",
            "passed" if verdict.passed else f"not passed ({verdict.verdict})",
        )
        for verdict in verdicts
    ]
    head = ("part", "samples", "loss before", "after", "games of the gate", "win rate", "95 %", "")
    title = f"Learning {spec['game']}"
    return plot.page(
        title,
        [
            f"<h1>{escape(title)}</h1>",
            "<p>Losses are measured on held-out games. Win rates are of the bot with the new weights against the bot "
            "without, on starts that no sample has seen.</p>",
            f'<ul class="facts">{listed}</ul>',
            "<h2>Win rates at the gate</h2>",
            rates_plot(verdicts) if verdicts else '<p class="soft">No gate has been played yet.</p>',
            "<h2>Every part</h2>",
            plot.table(head, rows, text=(7,)),
        ],
    )


def rates_plot(verdicts: Sequence[Verdict]) -> str:
    """Each gate with its interval; the line is at one half."""
    low = min(0.4, *(verdict.low for verdict in verdicts))
    high = max(0.6, *(verdict.high for verdict in verdicts))
    x = plot.scale(-0.5, len(verdicts) - 0.5, LEFT, plot.WIDTH - RIGHT)
    y = plot.scale(low, high, HEIGHT - BOTTOM, TOP)
    parts = []
    for tick in plot.ticks(low, high):
        parts.append(plot.line(LEFT, y(tick), plot.WIDTH - RIGHT, y(tick)))
        parts.append(plot.text(LEFT - 8, y(tick) + 4, f"{100 * tick:.0f} %", "end", "soft"))
    parts.append(plot.line(LEFT, y(0.5), plot.WIDTH - RIGHT, y(0.5), plot.COLORS[6], 1.5))
    for number, verdict in enumerate(verdicts):
        color = plot.COLORS[2] if verdict.passed else plot.COLORS[1]
        parts.append(plot.line(x(number), y(verdict.low), x(number), y(verdict.high), color, 2.5))
        parts.append(
            plot.line(x(number) - 6, y(verdict.win_rate), x(number) + 6, y(verdict.win_rate), color, 4)
        )
        label = f"{verdict.generation} {verdict.part}"
        parts.append(plot.text(x(number), HEIGHT - BOTTOM + 18, label, "middle", "soft"))
    return plot.svg(HEIGHT, "win rates at the gate by generation", parts)
