"""Words of pictures in other languages than English, in which pictures are drawn.

A game brings `picture.LANGUAGE.json`: English phrases, each with what it is in the language. `{}` stands for any words,
which are looked up in turn, `{#}` for a number; `{1}` puts the second of them first. What games share is in the file of
that name in core_cy. Ids and titles of the game's descriptions are known without being repeated. What is found nowhere
stays as it is.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import re

from pythia.core_cy.descriptions import descriptions

# Phrases that are kept as they were found; pictures of one game say the same again and again.
MOST_KEPT = 4096
GAPS = {"{}": "(.+?)", "{#}": r"([+-]?\d+)"}
GAP = re.compile(r"\{#?\}")


class PictureWords:
    """The words of one game's pictures in one language."""

    def __init__(self, game: str, language: str) -> None:
        phrases = _read("pythia.core_cy", language) | _read(f"pythia.core_cy.{game}", language)
        self._exact = {key: value for key, value in phrases.items() if not GAP.search(key)}
        # The phrase that says most by itself goes first.
        loose = sorted(phrases.keys() - self._exact.keys(), key=lambda key: (-len(GAP.sub("", key)), key))
        self._patterns = [(_pattern(key), phrases[key]) for key in loose]
        self._titles: dict[str, str] = {}
        told = descriptions(game, language)
        for key, entry in descriptions(game, "en").items():
            for name in (entry.name.replace("_", " "), entry.title):
                self._titles.setdefault(name.lower(), told[key].title)
        self._kept: dict[str, str] = {}

    def __call__(self, words: str) -> str:
        found = self._kept.get(words)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            found = self._kept[words] = self._found(words)
        return found

    def _found(self, words: str) -> str:
        title = self._titles.get(words.replace("_", " ").lower())
        if exact := self._exact.get(words, title):
            return exact
        if " · " in words:
            return " · ".join(map(self, words.split(" · ")))
        for pattern, told in self._patterns:
            if match := pattern.fullmatch(words):
                return told.format(*map(self, match.groups()))
        for separator in ("; ", ", ", ": "):
            if separator in words:
                return separator.join(map(self, words.split(separator)))
        return words


def _pattern(phrase: str) -> re.Pattern[str]:
    parts = re.split(r"(\{#?\})", phrase)
    return re.compile("".join(GAPS.get(part) or re.escape(part) for part in parts))


def _read(package: str, language: str) -> dict[str, str]:
    file = importlib.resources.files(package) / f"picture.{language}.json"
    if not file.is_file():
        return {}
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


@functools.cache
def words_in(game: str, language: str) -> PictureWords:
    """Games times languages are few."""
    return PictureWords(game, language)
