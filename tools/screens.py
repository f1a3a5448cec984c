"""Pictures of what `pythia play` shows, for the docs: `python -m tools.screens [docs/pictures]`.

For each game (by default Delphi and Keltis, or those named after the folder) and size of window, the decision after
some others of a game against `greedy`, as PNG.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from rich.console import Console

from pythia.clients.cli.play import Left, PlayTable, new_seats
from pythia.clients.cli.png import png_of
from pythia.clients.client import Client
from pythia.core_cy.registry import game_info
from pythia.search.bots import BotSpec

GAMES = ("delphi", "keltis")
SIZES = ((80, 24), (120, 40), (200, 60))
DECISIONS, SEED = 14, 7
BOT = BotSpec.parse("greedy")
PIXELS_PER_COLUMN = 10
# Nothing is fetched: the fonts are those of the machine.
SVG = """<svg viewBox="0 0 {terminal_width} {terminal_height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", monospace; font-size: {char_height}px; }}
{styles}</style>
<rect width="{terminal_width}" height="{terminal_height}" fill="#1e1e1e"/>
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></svg>"""


class StagedTable(PlayTable):
    """Plays as the bot would, and stops at the decision that is to be shown."""

    left = DECISIONS

    def ask(self) -> None:
        self._moves = self.legal_moves()
        if not self.left:
            self.show_board()
            raise Left
        self.left -= 1
        self.submit(self._client.suggest(self.observation(), BOT).move)

    def greet(self) -> None:
        self.catch_up()

    def waiting(self) -> AbstractContextManager[None]:
        """Only what stands there in the end is shown."""
        return nullcontext()


def drawing(game: str, columns: int, rows: int) -> str:
    """As SVG."""
    console = Console(
        width=columns,
        height=rows,
        file=io.StringIO(),
        record=True,
        force_terminal=True,
        color_system="truecolor",
        no_color=False,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    seats = new_seats(0, [str(BOT)], None, game_info(game).min_players)
    with Client.local() as client:
        created = client.create_match(game, seats, seed=SEED, reproducible=True)
        StagedTable(client, created, console).play()
    return console.export_svg(code_format=SVG)


def main(folder: Path, games: Sequence[str] = GAMES) -> None:
    for game in games:
        for columns, rows in SIZES:
            file = folder / f"terminal-{game}-{columns}x{rows}.png"
            file.write_bytes(png_of(drawing(game, columns, rows), width=columns * PIXELS_PER_COLUMN))
            print(file)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"), sys.argv[2:] or GAMES)
