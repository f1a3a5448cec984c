"""An analysis on the screen while it is made."""

from __future__ import annotations

from contextlib import nullcontext

from rich.console import Console
from rich.live import Live

from pythia.clients.cli.views import analysis
from pythia.clients.client import Stream
from pythia.clients.types import Hint
from pythia.core_cy import View
from pythia.search.result import Result

# How often the table is drawn anew, and the smallest window for that.
INTERVAL_SECONDS = 0.25
LIVE_COLUMNS, LIVE_ROWS = 70, 12


def watched(
    updates: Stream[Result] | Stream[Hint],
    console: Console,
    lines: int,
    game: str,
    view: View | None = None,
) -> tuple[Result, bool]:
    """The last result, and whether Ctrl-C ended it early. Shows those before it, if there is room on a terminal."""
    able = console.is_terminal and not console.is_dumb_terminal
    live = able and console.width >= LIVE_COLUMNS and console.height >= LIVE_ROWS
    rows = min(lines, console.height - LIVE_ROWS + 4)
    result: Result | None = None
    try:
        drawn = Live(console=console, auto_refresh=False, transient=True) if live else nullcontext()
        with updates, drawn as screen:
            for update in updates:
                result = update.result if isinstance(update, Hint) else update
                if screen:
                    shown = analysis(result, game=game, lines=rows, width=console.width, view=view)
                    screen.update(shown, refresh=True)
    except KeyboardInterrupt:
        if result is None:
            raise
        return result, True
    assert result is not None
    return result, False
