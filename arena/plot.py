"""Plots as SVG and pages as HTML, written by hand: everything inline, nothing loaded from anywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

Scale = Callable[[float], float]

# Distinguishable also for the color-blind (Okabe and Ito).
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#b8a900")
WIDTH = 760

PALETTE = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #667085; --line: #d9dee7; --page: #ffffff; --card: #f7f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #3a4252; --page: #14181f; --card: #1c222c; }
}
"""
SVG_STYLE = """
svg text { fill: var(--ink); font: 12px system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
svg text.soft { fill: var(--soft); }
svg text.on { fill: #fff; font-weight: 600; }
svg text.off { fill: #1c2330; font-weight: 600; }
.grid { stroke: var(--line); stroke-width: 1; }
"""
PAGE_STYLE = """
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
.note { border-left: 3px solid #e69f00; padding-left: .75rem; }
code { font: 13px ui-monospace, Menlo, Consolas, monospace; }
ul { margin: .4rem 0; padding-left: 1.2rem; }
"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], text: Sequence[int] = ()) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} class="text">{escape(cell)}</{tag}>'
            if number in text
            else f"<{tag}>{escape(cell)}</{tag}>"
            for number, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{cells(head, "th")}</tr></thead><tbody>{body}</tbody></table></div>'


def svg(height: float, label: str, parts: Iterable[str]) -> str:
    inner = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">{inner}</svg>'


def svg_file(picture: str) -> str:
    """A picture that stands alone: what a page would bring is in it."""
    head, _, rest = picture.partition(">")
    style = f"<style>{PALETTE}{SVG_STYLE}svg {{ background: var(--page); }}</style>"
    return f'{head} xmlns="http://www.w3.org/2000/svg">{style}{rest}\n'


def text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{of_kind}>{escape(text)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, color: str = "", width: float = 1.0) -> str:
    style = f'stroke="{color}" stroke-width="{width}" stroke-linecap="round"' if color else 'class="grid"'
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def bar(x: float, y: float, width: float, height: float, color: str, opacity: float = 1.0) -> str:
    shape = f'x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}"'
    return f'<rect {shape} fill="{color}" fill-opacity="{opacity:.2f}" rx="2"/>'


def short(name: str, length: int = 22) -> str:
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


def scale(low: float, high: float, start: float, end: float) -> Scale:
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def apart(
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


def page(title: str, parts: Iterable[str]) -> str:
    """A page of these parts, which are HTML already."""
    body = "\n".join(parts)
    style = PALETTE + PAGE_STYLE + SVG_STYLE
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )
