"""Asking people in a terminal: lines with completion, and long lists page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType

if TYPE_CHECKING:
    from types import ModuleType


def line_editor() -> ModuleType | None:
    """GNU readline or what stands for it; a Python may come without."""
    try:
        import readline
    except ImportError:
        return None
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    # What is completed is the whole line: moves have spaces and colons in them.
    readline.set_completer_delims("")
    return readline


class Prompt:
    """Asks for lines. Tab completes what the line may be; where there is no line editor it is a plain question."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._editor = line_editor()

    def ask(self, question: str, words: Sequence[str] = ()) -> str:
        """The answer without spaces around it. EOFError when there will be none."""
        if self._editor:
            self._editor.set_completer(completer(words))
        return input(question).strip()

    def agreed(self, question: str) -> bool:
        """Enter is yes."""
        return self.ask(f"{question} [Y/n] ").lower() in ("", "y", "yes")

    def page(self, *parts: RenderableType) -> None:
        """Show, and stop when the screen is full until Enter is pressed; q leaves the rest out."""
        with self._console.capture() as captured:
            for part in parts:
                self._console.print(part)
        lines = captured.get().splitlines()
        size = max(5, self._console.height - 2)
        for first in range(0, len(lines), size):
            print("\n".join(lines[first : first + size]))
            left = len(lines) - first - size
            if (
                left > 0
                and self.ask(f"-- {left} lines more: Enter, or q to leave them out -- ").lower() == "q"
            ):
                return


def completer(words: Sequence[str]) -> Callable[[str, int], str | None]:
    """The words that begin with what is typed, one for each call, as readline wants them."""

    def complete(typed: str, number: int) -> str | None:
        found = [word for word in words if word.startswith(typed)]
        return found[number] if number < len(found) else None

    return complete
