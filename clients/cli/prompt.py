"""Asking people in a terminal: lines with completion, and long lists page by page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType

if TYPE_CHECKING:
    from types import ModuleType

# What ends a word in the text of a move, and a word with its end.
ENDS = " :"
WORD = re.compile(r"[^ :]*[ :]?")


def line_editor() -> ModuleType | None:
    """GNU readline or what stands for it; a Python may come without."""
    try:
        import readline
    except ImportError:
        return None
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    readline.set_completer_delims(ENDS)
    return readline


class Prompt:
    """Asks for lines. Tab completes the next word; where there is no line editor it is a plain question."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._editor = line_editor()

    def ask(self, question: str, words: Sequence[str] = ()) -> str:
        """The answer without spaces around it. EOFError when there will be none."""
        if self._editor:
            editor = self._editor
            editor.set_completer(completer(words, lambda: editor.get_line_buffer()[: editor.get_begidx()]))
        return input(question).strip()

    def agreed(self, question: str) -> bool:
        """Enter is yes."""
        return self.ask(f"{question} [Y/n] ").lower() in ("", "y", "yes")

    def page(self, *parts: RenderableType) -> str:
        """Show, and stop when the screen is full until Enter is pressed; q leaves the rest out.

        Anything else leaves the rest out too and is returned: an answer to what was asked before.
        """
        with self._console.capture() as captured:
            for part in parts:
                self._console.print(part)
        lines = captured.get().splitlines()
        size = max(5, self._console.height - 2)
        for first in range(0, len(lines), size):
            print("\n".join(lines[first : first + size]))
            left = len(lines) - first - size
            if left > 0:
                typed = self.ask(
                    f"-- {left} more lines: Enter for the next page, q to stop, or an answer -- "
                )
                if typed:
                    return "" if typed.lower() == "q" else typed
        return ""


def completer(lines: Sequence[str], before: Callable[[], str]) -> Callable[[str, int], str | None]:
    """The words that may come next, one for each call, as readline wants them; `before` is what is typed already."""

    def complete(typed: str, number: int) -> str | None:
        found = next_words(lines, before(), typed)
        return found[number] if number < len(found) else None

    return complete


def next_words(lines: Sequence[str], before: str, typed: str = "") -> list[str]:
    """The next word of each line that begins so, with what ends it; each once."""
    begun = (line[len(before) :] for line in lines if line.startswith(before + typed))
    found = dict.fromkeys(WORD.match(rest)[0] for rest in begun if rest)  # type: ignore[index]
    return [word for word in found if f"{word} " not in found]  # `explain` goes on, even if it need not
