"""`pythia explain`: what a card, tile, god, move or ruling of a game does; the same for players at the table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from pythia.clients.cli.console import AsJson, CommandError, not_allowed, print_json, terminal

if TYPE_CHECKING:
    from pythia.core_cy import State
    from pythia.core_cy.descriptions import Description

# The variables that say which language a person reads, the first that is set before the others.
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
Lang = Annotated[
    str | None,
    Parameter(help="The language, en or de; by default the one set in the environment, else English."),
]
ReasonsLang = Annotated[
    str | None,
    Parameter(
        help="The language of the reasons, en or de; by default the one set in the environment, else English."
    ),
]
# Labels of facts about moves; they explain themselves where they are shown.
UNLISTED = ("fact",)


def explain(
    *word: Annotated[
        str, Parameter(help="What to explain; without it, list everything that can be explained.")
    ],
    game: Annotated[
        str | None,
        Parameter(help="The game; `pythia games` lists them; by default every game that has the word."),
    ] = None,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Explain a word of a game: a card, tile, god, move, phase, option or ruling.

    For example:

        pythia explain poseidon
        pythia explain extra action
        pythia explain R12 --game delphi
        pythia explain kobold --game keltis --lang de
        pythia explain --game delphi --json
    """
    from pythia.core_cy.descriptions import described_games, descriptions, lookup

    language = chosen_language(lang)
    games = described_games()
    if game is not None and game not in games:
        raise not_allowed("game", game, ", ".join(games))
    asked = " ".join(word)
    entries: dict[str, Iterable[Description]] = {}
    suggested: dict[str, None] = {}
    for name in [game] if game else games:
        if not asked:
            entries[name] = descriptions(name, language).values()
            continue
        found = lookup(name, asked, language)
        entries[name] = found.entries
        suggested |= dict.fromkeys(found.suggestions)
    if not any(entries.values()):
        raise CommandError(f"word: {unknown(asked, suggested)}")
    if as_json:
        print_json([entry_json(name, entry, language) for name in entries for entry in entries[name]])
        return
    console = terminal()
    for name, told in entries.items():
        for line in lines_of(told, name) if asked else listed(told, name):
            console.print(line)


def chosen_language(lang: str | None) -> str:
    """The language that a command was given, or that of the environment; BadOption for one that is not there."""
    from pythia.core_cy.descriptions import check_language

    language = lang or language_of(os.environ)
    check_language(language)
    return language


def language_of(environment: Mapping[str, str]) -> str:
    """The language that the environment asks for, where there is one of ours; English otherwise."""
    from pythia.core_cy.descriptions import LANGUAGES

    locale = next((environment[name] for name in LOCALE if environment.get(name)), "")
    language = locale[:2].lower()
    return language if language in LANGUAGES and not locale[2:3].isalpha() else LANGUAGES[0]


def unknown(word: str, suggestions: Iterable[str]) -> str:
    """That a word is not known, and what it may have been meant to be."""
    close = ", ".join(suggestions)
    shown = word if len(word) <= 60 else word[:57] + "..."
    return f"{shown!r} is unknown; " + (
        f"similar words: {close}" if close else "`explain` without a word lists all"
    )


def lines_of(entries: Iterable[Description], game: str = "") -> Iterator[str]:
    """The entries in full."""
    for entry in entries:
        yield f"{entry.title} ({' '.join(filter(None, (game, entry.key)))})"
        yield entry.text


def listed(entries: Iterable[Description], game: str = "") -> Iterator[str]:
    """What can be explained, a line for each entry."""
    for entry in entries:
        if entry.kind not in UNLISTED:
            yield "  ".join(filter(None, (game, entry.key, entry.title)))


def entry_json(game: str, entry: Description, language: str) -> dict[str, Any]:
    return {
        "game": game,
        "key": entry.key,
        "kind": entry.kind,
        "title": entry.title,
        "text": entry.text,
        "aliases": list(entry.aliases),
        "language": language,
    }


# -- at the table


def explained(state: State, texts: Sequence[str], asked: str, language: str) -> list[str]:
    """What a player asks about, as lines: a legal move by its text or number, or a word of the game; or the list."""
    from pythia.core_cy.descriptions import descriptions, lookup

    game = state.game.name
    if not asked:
        return list(listed(descriptions(game, language).values()))
    if asked.isdecimal() and 1 <= int(asked) <= len(texts):
        asked = texts[int(asked) - 1]
    if asked in texts:
        return [asked, *move_lines(state, asked, language)]
    found = lookup(game, asked, language)
    return list(lines_of(found.entries)) or [unknown(asked, found.suggestions)]


def move_lines(state: State, move: str, language: str) -> Iterator[str]:
    """What the move does, what it costs, what is not certain about it, and what it brings."""
    from pythia.core_cy.descriptions import descriptions

    entries = descriptions(state.game.name, language)
    played = state.read_move(move)
    fields = state.game.move_fields(played)
    kind = entries.get(f"move:{fields.get('action')}")
    if kind:
        yield kind.text
    chosen = [item for item in fields.items() if item[0] not in ("text", "action")]
    if len(chosen) == 1:  # a move that chooses one thing is about what that does
        name, value = chosen[0]
        thing = entries.get(f"{name}:{value}")
        if thing:
            yield f"{thing.title}: {thing.text}"
    for group, facts in state.game.move_facts(state, played).items():
        for name, value in facts.items():
            label = entries.get(f"fact:{group}_{name}")
            yield f"{label.title if label else name}{shown_value(value)}"


def shown_value(value: object) -> str:
    """After a label: chances in percent; what is simply so needs no more words."""
    if value is True:
        return ""
    return f": {value:.1%}" if isinstance(value, float) else f": {value}"
