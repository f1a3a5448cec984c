"""The colors of the games on a terminal. Letters and words beside them say the same: colors only help."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rich.text import Text

from pythia.core_cy.panels import Line

# By the names that games use; readable on dark and on light windows.
STYLES = {
    "red": "bold red",
    "black": "bold white on grey23",
    "pink": "bold magenta",
    "blue": "bold dodger_blue2",
    "yellow": "bold dark_goldenrod",
    "green": "bold green",
    "white": "bold grey11 on grey85",
    "ship": "bold reverse",
    "danger": "bold reverse",
    "seat 0": "bold bright_white on dark_red",
    "seat 1": "bold grey11 on dark_goldenrod",
    "seat 2": "bold bright_white on dark_green",
    "seat 3": "bold bright_white on navy_blue",
    "seat 4": "bold bright_white on purple4",
}


def painted(line: Line) -> Text:
    """A line of a board."""
    return Text.assemble(*((text, STYLES.get(color, "")) for text, color in line), no_wrap=True, end="")


def colored(text: str, colors: Mapping[str, str], style: str = "") -> Text:
    """Words that have a color in it."""
    found = Text(text, style=style)
    if colors:
        words = "|".join(map(re.escape, sorted(colors, key=len, reverse=True)))
        for match in re.finditer(rf"(?<![a-z_])({words})(?![a-z_])", text, re.IGNORECASE):
            found.stylize(STYLES.get(colors[match[0].lower()], ""), *match.span())
    return found
