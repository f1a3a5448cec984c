"""What things of a game are and do, in a sentence for people: English and German, from data beside each game.

Every game that is offered to players brings `descriptions.en.json` and `descriptions.de.json` in its folder; those for
tests are not described. docs/adding-a-game.md says how the files are written.
"""

from __future__ import annotations

import difflib
import functools
import importlib.resources
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pythia.core_cy.errors import BadOption
from pythia.core_cy.registry import GAMES, game_info

LANGUAGES = ("en", "de")

FIELDS = ("title", "text", "aliases")
KEY = re.compile(r"[a-z]+:[A-Za-z0-9_]+")
MOST_CHARACTERS = 300
# How many words are suggested for one that is not known, and how much of it they must share.
MOST_SUGGESTED, LIKENESS = 4, 0.6
# Longer ones are no words of a game; comparing them would only cost time.
LONGEST_WORD = 60


class BadDescriptions(ValueError):
    """A file of descriptions that breaks the format; the message names file, entry, fault and what is allowed."""


@dataclass(frozen=True)
class Description:
    """One thing of a game: `text` says in a sentence what it does, `aliases` are other words for it."""

    key: str
    title: str
    text: str
    aliases: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What sort of thing it is: card, god, move, ruling and so on."""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """The key without its kind: the id of the notation."""
        return self.key.partition(":")[2]


@dataclass(frozen=True)
class Found:
    """What a word means: several entries where it has several meanings; if none, words close to it."""

    entries: tuple[Description, ...] = ()
    suggestions: tuple[str, ...] = ()


def check_language(language: str) -> None:
    """BadOption for a language that nothing is described in."""
    if language not in LANGUAGES:
        raise BadOption("language", language, ", ".join(LANGUAGES))


def described_games() -> list[str]:
    """The games that have descriptions."""
    return [game for game in GAMES if _file(game, LANGUAGES[0]).is_file()]


def descriptions(game: str, language: str = "en") -> Mapping[str, Description]:
    """Every entry of a game by its key, in the order of the file; none for a game that is not described."""
    check_language(language)
    game_info(game)  # refuses a game that is not known
    return _read(game, language)


def lookup(game: str, word: str, language: str = "en") -> Found:
    """What a word means in a game, found by key, id, title or alias; case, `_` and `-` do not matter.

    Ids are those of the notation, and so the same in every language.
    """
    entries = descriptions(game, language)
    wanted = _plain(word)
    if len(wanted) > LONGEST_WORD:
        return Found()
    by_key = [entry for entry in entries.values() if _plain(entry.key) == wanted]
    by_word = [entry for entry in entries.values() if wanted in map(_plain, _words(entry))]
    if by_key or by_word:
        return Found(tuple(by_key or by_word))
    return Found(suggestions=tuple(_close(wanted, entries.values())))


def _close(wanted: str, entries: Iterable[Description]) -> list[str]:
    """The words nearest to one that is not known, the nearest first, one for each entry."""
    meant = {_plain(word): (word, entry.key) for entry in entries for word in _words(entry)}
    near = difflib.get_close_matches(wanted, meant, 3 * MOST_SUGGESTED, LIKENESS)
    # A beginning is near, however much is left out: `posei`.
    near += [plain for plain in meant if wanted and plain.startswith(wanted)]
    found: dict[str, str] = {}
    for plain in near:
        word, key = meant[plain]
        found.setdefault(key, word)
    return list(found.values())[:MOST_SUGGESTED]


def _words(entry: Description) -> tuple[str, ...]:
    """The words that an entry is found by, besides its key."""
    return entry.name, entry.title, *entry.aliases


def _plain(word: str) -> str:
    """As it is compared: without case, and with umlauts as people without such keys type them."""
    text = " ".join(re.sub(r"[_\-]", " ", word.casefold()).split())
    return text.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


# -- reading


def _file(game: str, language: str) -> Any:
    return importlib.resources.files(GAMES[game]) / f"descriptions.{language}.json"


@functools.cache
def _read(game: str, language: str) -> Mapping[str, Description]:
    if game not in GAMES or not _file(game, language).is_file():
        return MappingProxyType({})
    file = _file(game, language)
    return MappingProxyType(read_descriptions(file.read_text(encoding="utf-8"), f"{game}/{file.name}"))


def read_descriptions(text: str, name: str) -> dict[str, Description]:
    """The entries of a file's text by key. `name` is what errors call the file."""
    try:
        content = json.loads(text, object_pairs_hook=lambda pairs: _once(pairs, name))
    except json.JSONDecodeError as error:
        raise BadDescriptions(f"{name}: not JSON: {error}") from None
    if not isinstance(content, dict):
        raise BadDescriptions(
            f"{name}: {type(content).__name__} is not allowed; allowed: an object of entries"
        )
    return {key: _entry(key, fields, f"{name}: {key}") for key, fields in content.items()}


def _once(pairs: Iterable[tuple[str, Any]], name: str) -> dict[str, Any]:
    """JSON would silently keep the last of two entries with one key."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadDescriptions(f"{name}: {key!r} is there twice; allowed: once")
        found[key] = value
    return found


def _entry(key: str, fields: Any, where: str) -> Description:
    if not KEY.fullmatch(key):
        raise BadDescriptions(f"{where}: the key is not allowed; allowed: KIND:ID, such as card:scout")
    if not isinstance(fields, dict) or not {"title", "text"} <= fields.keys() <= set(FIELDS):
        raise BadDescriptions(f"{where}: allowed: an object with title, text and, if need be, aliases")
    aliases = fields.get("aliases", [])
    if not isinstance(aliases, list):
        raise BadDescriptions(f"{where}.aliases: {aliases!r} is not allowed; allowed: a list of words")
    for field, value in (
        ("title", fields["title"]),
        ("text", fields["text"]),
        *(("aliases", a) for a in aliases),
    ):
        if not isinstance(value, str) or value != value.strip() or not value or "\n" in value:
            raise BadDescriptions(
                f"{where}.{field}: {value!r} is not allowed; allowed: a line of text without spaces around it"
            )
    words = fields["text"]
    if not words.endswith(".") or len(words) > MOST_CHARACTERS:
        raise BadDescriptions(
            f"{where}.text: {words!r} is not allowed; allowed: a sentence with a full stop, "
            f"at most {MOST_CHARACTERS} characters"
        )
    if len({_plain(alias) for alias in (fields["title"], *aliases)}) < 1 + len(aliases):
        raise BadDescriptions(f"{where}.aliases: a word is there twice, or is the title; allowed: each once")
    return Description(key, fields["title"], words, tuple(aliases))
