"""A tournament as one HTML page: everything inline, plots as SVG, nothing loaded from anywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

from pythia.search.ratings import Rating
from pythia.search.stats import Estimate
from pythia.search.tournament.summary import FORFEITS, Standing, Summary

# Distinguishable also for the color-blind (Okabe and Ito).
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#b8a900")
WIDTH = 760

STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #667085; --line: #d9dee7; --page: #ffffff; --card: #f7f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #3a4252; --page: #14181f; --card: #1c222c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 64rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p { margin: .4rem 0; }
.soft { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; padding: 0; list-style: none; }
.facts li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .75rem; }
.facts b { display: block; font-size: 1.1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .55rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { font-weight: 600; color: var(--soft); }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
td.text { white-space: normal; overflow-wrap: anywhere; min-width: 11rem; }
svg { display: block; width: 100%; height: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; margin-bottom: .75rem; }
svg text { fill: var(--ink); font: 12px system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
svg text.soft { fill: var(--soft); }
svg text.on { fill: #fff; font-weight: 600; }
svg text.off { fill: #1c2330; font-weight: 600; }
.grid { stroke: var(--line); stroke-width: 1; }
.note { border-left: 3px solid #e69f00; padding-left: .75rem; }
code { font: 13px ui-monospace, Menlo, Consolas, monospace; }
ul { margin: .4rem 0; padding-left: 1.2rem; }
"""


def html_report(summary: Summary) -> str:
    """The page."""
    colors = {
        standing.name: COLORS[number % len(COLORS)] for number, standing in enumerate(summary.standings)
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
        "<p class='soft'>Rating in Elo with its 95&nbsp;% interval, made on blocks; "
        "400 Elo are odds of 10 to 1. Win rate: a shared win counts its share.</p>",
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
    body = "\n".join(parts)
    title = escape(summary.name)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>{title} - tournament</title>\n<style>{STYLE}</style>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


# -- text and tables


def _subtitle(summary: Summary) -> str:
    options = "".join(f", {name} = {value}" for name, value in summary.options.items())
    form = summary.format.replace("_", " ")
    return f"{summary.game}{options} · {form} · {summary.seats} seats · seed {summary.seed} · Pythia {summary.version}"


def _facts(summary: Summary) -> str:
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


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], text: Sequence[int] = ()) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} class="text">{escape(cell)}</{tag}>'
            if number in text
            else f"<{tag}>{escape(cell)}</{tag}>"
            for number, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{cells(head, "th")}</tr></thead><tbody>{body}</tbody></table></div>'


def _rating(rating: Rating | None) -> str:
    if rating is None:
        return "-"
    return f"{rating.elo:+.0f}" + (f" ± {rating.elo - rating.low:.0f}" if math.isfinite(rating.low) else "")


def _standings(summary: Summary) -> str:
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
    return _table(
        ("entrant", "bot", "rating", "win rate (95 %)", "mean rank", "games", "forfeits"), rows, text=(1,)
    )


def _pairs(summary: Summary) -> str:
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
        _table(("pair", "blocks", "ahead (95 %)", "Elo (95 %)", "superior"), rows, text=(0,))
        + "<p class='soft'>Superior: the likelihood that the first is the stronger of the two.</p>"
    )


def _tests(summary: Summary) -> str:
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
    return _table(("pair", "blocks", "log-likelihood ratio", "bounds", "the first is"), rows)


def _seats(summary: Summary) -> str:
    rows = [
        (f"seat {seat}" + (", first to move" if seat == 0 else ""), _percent(estimate))
        for seat, estimate in enumerate(summary.win_rate_of_seats)
    ]
    text = _table(("seat", "win rate, whoever sat there (95 %)"), rows)
    if summary.first_seat_elo and summary.first_seat_elo.low is not None:
        elo = summary.first_seat_elo
        text += (
            f"<p>The first seat is worth {elo.mean:+.0f} Elo (95 %: {elo.low:+.0f} to {elo.high:+.0f}).</p>"
        )
    return text


def _forfeits(summary: Summary) -> str:
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
    return _table(("entrant", *FORFEITS), rows) + f"<ul>{items}</ul>{rest}"


# -- plots


def _svg(height: float, label: str, parts: Iterable[str]) -> str:
    inner = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">{inner}</svg>'


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{of_kind}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, color: str = "", width: float = 1.0) -> str:
    style = f'stroke="{color}" stroke-width="{width}" stroke-linecap="round"' if color else 'class="grid"'
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def _bar(x: float, y: float, width: float, height: float, color: str, opacity: float = 1.0) -> str:
    shape = f'x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}"'
    return f'<rect {shape} fill="{color}" fill-opacity="{opacity:.2f}" rx="2"/>'


def _short(name: str, length: int = 22) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"


def ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Round numbers that cover a span."""
    span = (high - low) or 1.0
    step = 10 ** math.floor(math.log10(span / count))
    for factor in (1, 2, 5, 10):
        if span / (step * factor) <= count:
            step *= factor
            break
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def _signed(value: float) -> str:
    return f"{value:+g}" if value else "0"


def _number(value: float) -> str:
    return f"{value:.6g}"


def _ratings(standings: Sequence[Standing], colors: dict[str, str]) -> str:
    ratings = [(standing.name, standing.rating) for standing in standings if standing.rating]
    low, high = min(rating.low for _, rating in ratings), max(rating.high for _, rating in ratings)
    left, row, top = 190, 30, 16
    bottom = top + row * len(ratings)
    place = _scale(low, high, left, WIDTH - 30)
    parts = []
    for tick in ticks(low, high):
        parts += [
            _line(place(tick), top, place(tick), bottom),
            _text(place(tick), bottom + 18, _signed(tick), "middle"),
        ]
    for number, (name, rating) in enumerate(ratings):
        y = top + row * (number + 0.5)
        x = place(rating.elo)
        color = colors[name]
        parts += [
            _text(left - 14, y + 4, _short(name), "end"),
            _line(place(rating.low), y, place(rating.high), y, color, 3),
            _line(place(rating.low), y - 5, place(rating.low), y + 5, color, 2),
            _line(place(rating.high), y - 5, place(rating.high), y + 5, color, 2),
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{color}"/>',
        ]
    parts.append(_text(WIDTH - 30, bottom + 36, "Elo, 95 % interval", "end", "soft"))
    return _svg(bottom + 46, "Ratings with 95 % intervals", parts)


def _matrix(summary: Summary) -> str:
    names = [standing.name for standing in summary.standings]
    scores = {(pair.first, pair.second): pair.score.mean for pair in summary.pairs}
    scores |= {(pair.second, pair.first): 1 - pair.score.mean for pair in summary.pairs}
    left, top = 190, 34
    cell = min(76.0, (WIDTH - left - 20) / len(names))
    high = min(cell, 40.0)
    parts = []
    for column in range(len(names)):
        parts.append(_text(left + cell * (column + 0.5), top - 10, str(column + 1), "middle", "soft"))
    for row, first in enumerate(names):
        y = top + high * row
        parts.append(_text(left - 14, y + high / 2 + 4, f"{row + 1}  {_short(first)}", "end"))
        for column, second in enumerate(names):
            x = left + cell * column
            score = scores.get((first, second))
            if score is None:
                parts.append(_bar(x + 1, y + 1, cell - 2, high - 2, "var(--line)", 0.5))
                continue
            strong = abs(score - 0.5) * 2
            color = "#0072b2" if score >= 0.5 else "#d55e00"
            parts.append(_bar(x + 1, y + 1, cell - 2, high - 2, "#ffffff"))
            parts.append(_bar(x + 1, y + 1, cell - 2, high - 2, color, 0.15 + 0.85 * strong))
            kind = "on" if strong > 0.4 else "off"
            parts.append(_text(x + cell / 2, y + high / 2 + 4, f"{100 * score:.0f}", "middle", kind))
    bottom = top + high * len(names)
    parts.append(_text(left, bottom + 20, "how often the row came before the column, in %", "start", "soft"))
    return _svg(bottom + 32, "Win matrix", parts)


def _lengths(summary: Summary) -> str:
    low, high = min(summary.lengths), max(summary.lengths)
    size = max(1, math.ceil((high - low + 1) / 40))
    bins = [0] * ((high - low) // size + 1)
    for length, count in summary.lengths.items():
        bins[(length - low) // size] += count
    left, right, top, bottom = 60, WIDTH - 30, 16, 196
    width = min(60.0, (right - left) / len(bins))
    level = _scale(0, max(bins), bottom, top)
    parts = []
    for tick in ticks(0, max(bins), 4):
        if tick == int(tick):
            parts += [
                _line(left, level(tick), right, level(tick)),
                _text(left - 8, level(tick) + 4, _number(tick), "end"),
            ]
    every = max(1, math.ceil(len(bins) / 16))
    for number, count in enumerate(bins):
        x = left + width * number
        parts.append(_bar(x + 1.5, level(count), width - 3, bottom - level(count), COLORS[0]))
        if number % every == 0:
            first = low + number * size
            parts.append(_text(x + width / 2, bottom + 18, str(first), "middle"))
    unit = "rounds" if size == 1 else f"rounds, {size} to a bar from the number shown"
    parts.append(_text(right, bottom + 36, f"games by {unit}", "end", "soft"))
    return _svg(bottom + 46, "Length of games", parts)


def _times(summary: Summary, colors: dict[str, str]) -> str:
    rows = [standing for standing in summary.standings if standing.decisions]
    table = _table(
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
    place = _scale(low, high, left, WIDTH - 40)
    parts = []
    for power in range(low, high + 1):
        x = place(power)
        parts += [_line(x, top, x, bottom), _text(x, bottom + 18, _number(10.0**power), "middle")]
    for number, standing in enumerate(rows):
        y = top + row * (number + 0.5)
        mean = place(math.log10(max(1e-6, standing.seconds_per_decision) * 1000))
        slowest = place(math.log10(max(1e-6, standing.slowest_decision) * 1000))
        color = colors[standing.name]
        parts += [
            _text(left - 14, y + 4, _short(standing.name), "end"),
            _bar(left, y - 8, mean - left, 16, color),
            _line(mean, y, slowest, y, color, 2),
            _line(slowest, y - 5, slowest, y + 5, color, 2),
        ]
    parts.append(
        _text(WIDTH - 40, bottom + 36, "ms per decision: mean, and the slowest as a whisker", "end", "soft")
    )
    return _svg(bottom + 46, "Time per decision", parts) + table


def _convergence(summary: Summary, colors: dict[str, str]) -> str:
    steps = summary.convergence
    # The first few blocks say so little that they would set the scale for all.
    steps = [step for step in steps if step[0] >= steps[-1][0] / 8]
    names = [standing.name for standing in summary.standings if standing.rating]
    found = [rating for _, ratings in steps for name in names if math.isfinite((rating := ratings[name]).low)]
    if not found or len(steps) < 2:
        return "<p>Too few blocks yet.</p>"
    low, high = min(rating.low for rating in found), max(rating.high for rating in found)
    left, right, top, bottom = 60, WIDTH - 190, 16, 286
    across, up = _scale(steps[0][0], steps[-1][0], left, right), _scale(low, high, bottom, top)
    parts = []
    for tick in ticks(low, high):
        parts += [_line(left, up(tick), right, up(tick)), _text(left - 8, up(tick) + 4, _signed(tick), "end")]
    for tick in ticks(steps[0][0], steps[-1][0]):
        if tick == int(tick):
            parts.append(_text(across(tick), bottom + 18, _number(tick), "middle"))
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
    labels = _apart([(up(last[name].elo), name) for name in names], 15, top + 6, bottom)
    parts += [
        _line(right + 6, up(last[name].elo), right + 16, y, colors[name], 1.5)
        + _text(right + 22, y + 4, _short(name))
        for y, name in labels
    ]
    parts.append(_text(right, bottom + 36, "rating after so many blocks, with 95 % interval", "end", "soft"))
    return _svg(bottom + 46, "Convergence of the ratings", parts)


def _apart(
    labels: Sequence[tuple[float, str]], distance: float, top: float, bottom: float
) -> list[tuple[float, str]]:
    """Labels moved so that they do not lie on each other."""
    placed: list[tuple[float, str]] = []
    for y, name in sorted(labels):
        placed.append((max(y, placed[-1][0] + distance) if placed else max(y, top), name))
    over = placed[-1][0] - bottom if placed else 0.0
    if over <= 0:
        return placed
    result: list[tuple[float, str]] = []
    limit = bottom
    for y, name in reversed(placed):
        limit = min(y, limit)
        result.append((limit, name))
        limit -= distance
    return result[::-1]
