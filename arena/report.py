"""A tournament as one HTML page: everything inline, plots as SVG, nothing loaded from anywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from pythia.arena import plot
from pythia.arena.ratings import Rating
from pythia.arena.stats import Estimate
from pythia.arena.tournament.summary import FORFEITS, Standing, TournamentSummary


def html_report(summary: TournamentSummary) -> str:
    """The page."""
    colors = {
        standing.name: plot.COLORS[number % len(plot.COLORS)]
        for number, standing in enumerate(summary.standings)
    }
    rated = [
        standing for standing in summary.standings if standing.rating and math.isfinite(standing.rating.low)
    ]
    parts = [
        f"<h1>{escape(summary.name)}</h1>",
        f'<p class="soft">{escape(_subtitle(summary))}</p>',
        _facts(summary),
        *(f'<p class="note">{escape(note)}</p>' for note in summary.notes),
        "<h2>Standings</h2>",
        _standings(summary),
        "<p class='soft'>Rating in Elo with its 95&nbsp;% interval, based on blocks; "
        "400 Elo are odds of 10 to 1. Win rate: a shared win counts as its share.</p>",
    ]
    if rated:
        parts += ["<h2>Ratings</h2>", _ratings(rated, colors)]
    if summary.pairs:
        parts += ["<h2>Who beats whom</h2>", _matrix(summary), _pairs(summary)]
    if summary.tests:
        parts += ["<h2>Sequential test</h2>", _tests(summary)]
    parts += ["<h2>Seats</h2>", _seats(summary)]
    if summary.lengths:
        parts += ["<h2>Length of games</h2>", _lengths(summary)]
    if summary.games:
        parts += ["<h2>Time use</h2>", _times(summary, colors)]
    if len(summary.convergence) > 1:
        parts += ["<h2>Convergence</h2>", _convergence(summary, colors)]
    parts += ["<h2>Forfeits</h2>", _forfeits(summary)]
    return plot.page(f"{summary.name} - tournament", parts)


# -- text and tables


def _subtitle(summary: TournamentSummary) -> str:
    options = "".join(f", {name} = {value}" for name, value in summary.options.items())
    form = summary.format.replace("_", " ")
    return f"{summary.game}{options} · {form} · {summary.seats} seats · seed {summary.seed} · Pythia {summary.version}"


def _facts(summary: TournamentSummary) -> str:
    state = "finished" if summary.over else f"{100 * summary.games / max(1, summary.planned):.0f} % played"
    facts = [
        ("state", state),
        ("games", f"{summary.games:,}"),
        ("blocks", f"{summary.blocks:,}"),
        ("reproducible", "yes" if summary.reproducible else "no"),
        ("mean rounds", _estimate(summary.rounds) if summary.rounds else "-"),
    ]
    if summary.first_seat_elo:
        facts.append(("first seat, Elo", _estimate(summary.first_seat_elo, sign=True)))
    items = "".join(f'<li><span class="soft">{name}</span><b>{value}</b></li>' for name, value in facts)
    return f'<ul class="facts">{items}</ul>'


def _estimate(value: Estimate, sign: bool = False) -> str:
    mean = f"{value.mean:+.0f}" if sign else f"{value.mean:.1f}"
    if value.low is None or value.high is None:
        return mean
    half = (value.high - value.low) / 2
    return f"{mean} ± {half:.0f}" if sign else f"{mean} ± {half:.1f}"


def _percent(value: Estimate) -> str:
    if value.low is None or value.high is None:
        return f"{100 * value.mean:.1f} %"
    return f"{100 * value.mean:.1f} % ({100 * value.low:.0f} to {100 * value.high:.0f})"


def _rating(rating: Rating | None) -> str:
    if rating is None:
        return "-"
    return f"{rating.elo:+.0f}" + (f" ± {rating.elo - rating.low:.0f}" if math.isfinite(rating.low) else "")


def _standings(summary: TournamentSummary) -> str:
    rows = [
        (
            standing.name,
            standing.bot,
            _rating(standing.rating),
            _percent(standing.win_rate) if standing.games else "-",
            f"{standing.mean_rank:.2f}" if standing.mean_rank is not None else "-",
            str(standing.games),
            str(sum(standing.forfeits.values())),
        )
        for standing in summary.standings
    ]
    return plot.table(
        ("entrant", "bot", "rating", "win rate (95 %)", "mean rank", "games", "forfeits"), rows, text=(1,)
    )


def _pairs(summary: TournamentSummary) -> str:
    rows = [
        (
            f"{pair.first} - {pair.second}",
            str(pair.blocks),
            _percent(pair.score),
            f"{pair.elo.mean:+.0f} ({pair.elo.low:+.0f} to {pair.elo.high:+.0f})",
            f"{100 * pair.superiority:.1f} %",
        )
        for pair in summary.pairs
    ]
    return (
        plot.table(("pair", "blocks", "ahead (95 %)", "Elo (95 %)", "superior"), rows, text=(0,))
        + "<p class='soft'>Superior: the likelihood that the first is the stronger of the two.</p>"
    )


def _tests(summary: TournamentSummary) -> str:
    rows = [
        (
            f"{test.first} - {test.second}" + (f", round {test.round}" if test.round else ""),
            str(test.blocks),
            f"{test.llr:.2f}",
            f"{test.low:.2f} to {test.high:.2f}",
            test.verdict or "still open",
        )
        for test in summary.tests
    ]
    return plot.table(("pair", "blocks", "log-likelihood ratio", "bounds", "the first is"), rows)


def _seats(summary: TournamentSummary) -> str:
    rows = [
        (f"seat {seat}" + (", first to move" if seat == 0 else ""), _percent(estimate))
        for seat, estimate in enumerate(summary.win_rate_of_seats)
    ]
    text = plot.table(("seat", "win rate of the seat (95 %)"), rows)
    if summary.first_seat_elo and summary.first_seat_elo.low is not None:
        elo = summary.first_seat_elo
        text += (
            f"<p>The first seat is worth {elo.mean:+.0f} Elo (95 %: {elo.low:+.0f} to {elo.high:+.0f}).</p>"
        )
    return text


def _forfeits(summary: TournamentSummary) -> str:
    if not summary.forfeits:
        return "<p>None.</p>"
    rows = [
        (standing.name, *(str(standing.forfeits[kind]) for kind in FORFEITS))
        for standing in summary.standings
        if sum(standing.forfeits.values())
    ]
    shown = summary.forfeits[:50]
    items = "".join(f"<li>{escape(text)}</li>" for text in shown)
    more = len(summary.forfeits) - len(shown)
    rest = f"<p>and {more} more; the CSV has all.</p>" if more else ""
    return plot.table(("entrant", *FORFEITS), rows) + f"<ul>{items}</ul>{rest}"


# -- plots


def _signed(value: float) -> str:
    return f"{value:+g}" if value else "0"


def _number(value: float) -> str:
    return f"{value:.6g}"


def _ratings(standings: Sequence[Standing], colors: dict[str, str]) -> str:
    ratings = [(standing.name, standing.rating) for standing in standings if standing.rating]
    low, high = min(rating.low for _, rating in ratings), max(rating.high for _, rating in ratings)
    left, row, top = 190, 30, 16
    bottom = top + row * len(ratings)
    place = plot.scale(low, high, left, plot.WIDTH - 30)
    parts = []
    for tick in plot.ticks(low, high):
        parts += [
            plot.line(place(tick), top, place(tick), bottom),
            plot.text(place(tick), bottom + 18, _signed(tick), "middle"),
        ]
    for number, (name, rating) in enumerate(ratings):
        y = top + row * (number + 0.5)
        x = place(rating.elo)
        color = colors[name]
        parts += [
            plot.text(left - 14, y + 4, plot.short(name), "end"),
            plot.line(place(rating.low), y, place(rating.high), y, color, 3),
            plot.line(place(rating.low), y - 5, place(rating.low), y + 5, color, 2),
            plot.line(place(rating.high), y - 5, place(rating.high), y + 5, color, 2),
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{color}"/>',
        ]
    parts.append(plot.text(plot.WIDTH - 30, bottom + 36, "Elo, 95 % interval", "end", "soft"))
    return plot.svg(bottom + 46, "Ratings with 95 % intervals", parts)


def _matrix(summary: TournamentSummary) -> str:
    names = [standing.name for standing in summary.standings]
    scores = {(pair.first, pair.second): pair.score.mean for pair in summary.pairs}
    scores |= {(pair.second, pair.first): 1 - pair.score.mean for pair in summary.pairs}
    left, top = 190, 34
    cell = min(76.0, (plot.WIDTH - left - 20) / len(names))
    high = min(cell, 40.0)
    parts = []
    for column in range(len(names)):
        parts.append(plot.text(left + cell * (column + 0.5), top - 10, str(column + 1), "middle", "soft"))
    for row, first in enumerate(names):
        y = top + high * row
        parts.append(plot.text(left - 14, y + high / 2 + 4, f"{row + 1}  {plot.short(first)}", "end"))
        for column, second in enumerate(names):
            x = left + cell * column
            score = scores.get((first, second))
            if score is None:
                parts.append(plot.bar(x + 1, y + 1, cell - 2, high - 2, "var(--line)", 0.5))
                continue
            strong = abs(score - 0.5) * 2
            color = "#0072b2" if score >= 0.5 else "#d55e00"
            parts.append(plot.bar(x + 1, y + 1, cell - 2, high - 2, "#ffffff"))
            parts.append(plot.bar(x + 1, y + 1, cell - 2, high - 2, color, 0.15 + 0.85 * strong))
            kind = "on" if strong > 0.4 else "off"
            parts.append(plot.text(x + cell / 2, y + high / 2 + 4, f"{100 * score:.0f}", "middle", kind))
    bottom = top + high * len(names)
    parts.append(
        plot.text(left, bottom + 20, "how often the row finished before the column, in %", "start", "soft")
    )
    return plot.svg(bottom + 32, "Win matrix", parts)


def _lengths(summary: TournamentSummary) -> str:
    low, high = min(summary.lengths), max(summary.lengths)
    size = max(1, math.ceil((high - low + 1) / 40))
    bins = [0] * ((high - low) // size + 1)
    for length, count in summary.lengths.items():
        bins[(length - low) // size] += count
    left, right, top, bottom = 60, plot.WIDTH - 30, 16, 196
    width = min(60.0, (right - left) / len(bins))
    level = plot.scale(0, max(bins), bottom, top)
    parts = []
    for tick in plot.ticks(0, max(bins), 4):
        if tick == int(tick):
            parts += [
                plot.line(left, level(tick), right, level(tick)),
                plot.text(left - 8, level(tick) + 4, _number(tick), "end"),
            ]
    every = max(1, math.ceil(len(bins) / 16))
    for number, count in enumerate(bins):
        x = left + width * number
        parts.append(plot.bar(x + 1.5, level(count), width - 3, bottom - level(count), plot.COLORS[0]))
        if number % every == 0:
            first = low + number * size
            parts.append(plot.text(x + width / 2, bottom + 18, str(first), "middle"))
    unit = "rounds" if size == 1 else f"rounds, {size} to a bar from the number shown"
    parts.append(plot.text(right, bottom + 36, f"games by {unit}", "end", "soft"))
    return plot.svg(bottom + 46, "Length of games", parts)


def _times(summary: TournamentSummary, colors: dict[str, str]) -> str:
    rows = [standing for standing in summary.standings if standing.decisions]
    table = plot.table(
        ("entrant", "decisions", "ms each", "slowest, ms", "seconds in all", "time forfeits"),
        [
            (
                standing.name,
                f"{standing.decisions:,}",
                f"{1000 * standing.seconds_per_decision:.2f}",
                f"{1000 * standing.slowest_decision:.1f}",
                f"{standing.seconds:.1f}",
                str(standing.forfeits["time"]),
            )
            for standing in rows
        ],
    )
    if not rows:
        return table
    # A logarithmic scale: bots differ by orders of magnitude.
    values = [max(1e-6, value) for s in rows for value in (s.seconds_per_decision, s.slowest_decision)]
    low, high = math.floor(math.log10(min(values) * 1000)), math.ceil(math.log10(max(values) * 1000))
    high = max(high, low + 1)
    left, row, top = 190, 30, 16
    bottom = top + row * len(rows)
    place = plot.scale(low, high, left, plot.WIDTH - 40)
    parts = []
    for power in range(low, high + 1):
        x = place(power)
        parts += [plot.line(x, top, x, bottom), plot.text(x, bottom + 18, _number(10.0**power), "middle")]
    for number, standing in enumerate(rows):
        y = top + row * (number + 0.5)
        mean = place(math.log10(max(1e-6, standing.seconds_per_decision) * 1000))
        slowest = place(math.log10(max(1e-6, standing.slowest_decision) * 1000))
        color = colors[standing.name]
        parts += [
            plot.text(left - 14, y + 4, plot.short(standing.name), "end"),
            plot.bar(left, y - 8, mean - left, 16, color),
            plot.line(mean, y, slowest, y, color, 2),
            plot.line(slowest, y - 5, slowest, y + 5, color, 2),
        ]
    parts.append(
        plot.text(
            plot.WIDTH - 40, bottom + 36, "ms per decision: mean, and the slowest as a whisker", "end", "soft"
        )
    )
    return plot.svg(bottom + 46, "Time per decision", parts) + table


def _convergence(summary: TournamentSummary, colors: dict[str, str]) -> str:
    steps = summary.convergence
    # The first few blocks say so little that they would set the scale for all.
    steps = [step for step in steps if step[0] >= steps[-1][0] / 8]
    names = [standing.name for standing in summary.standings if standing.rating]
    found = [rating for _, ratings in steps for name in names if math.isfinite((rating := ratings[name]).low)]
    if not found or len(steps) < 2:
        return "<p>Too few blocks yet.</p>"
    low, high = min(rating.low for rating in found), max(rating.high for rating in found)
    left, right, top, bottom = 60, plot.WIDTH - 190, 16, 286
    across, up = plot.scale(steps[0][0], steps[-1][0], left, right), plot.scale(low, high, bottom, top)
    parts = []
    for tick in plot.ticks(low, high):
        parts += [
            plot.line(left, up(tick), right, up(tick)),
            plot.text(left - 8, up(tick) + 4, _signed(tick), "end"),
        ]
    for tick in plot.ticks(steps[0][0], steps[-1][0]):
        if tick == int(tick):
            parts.append(plot.text(across(tick), bottom + 18, _number(tick), "middle"))
    for name in names:
        points = [
            (across(count), ratings[name]) for count, ratings in steps if math.isfinite(ratings[name].low)
        ]
        if not points:
            continue
        upper = [f"{x:.1f},{up(rating.high):.1f}" for x, rating in points]
        lower = [f"{x:.1f},{up(rating.low):.1f}" for x, rating in reversed(points)]
        line = " ".join(f"{x:.1f},{up(rating.elo):.1f}" for x, rating in points)
        color = colors[name]
        parts.append(f'<polygon points="{" ".join(upper + lower)}" fill="{color}" fill-opacity="0.13"/>')
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
    last = steps[-1][1]
    labels = plot.apart([(up(last[name].elo), name) for name in names], 15, top + 6, bottom)
    parts += [
        plot.line(right + 6, up(last[name].elo), right + 16, y, colors[name], 1.5)
        + plot.text(right + 22, y + 4, plot.short(name))
        for y, name in labels
    ]
    parts.append(
        plot.text(right, bottom + 36, "rating by number of blocks, with 95 % interval", "end", "soft")
    )
    return plot.svg(bottom + 46, "Convergence of the ratings", parts)
