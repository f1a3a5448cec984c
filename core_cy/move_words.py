"""Moves for people: what a move does in a few words, what it costs, risks and brings, and the pieces that it uses.

A game may bring `words.py` with `phrases(position, fields, facts) -> MovePhrases`, which sees only what the viewer
sees, `news.py` with `news(before, fields, after) -> list[Phrase]` for what came of a move, and the words themselves as
data: `moves.en.json` and `moves.de.json` (docs/adding-a-game.md). Without them, the text of a move is its label. Keys
of pieces are the `data-key` of the game's picture. Reasons for a move (`Game.why_good`) use the same data.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from pythia.core_cy.descriptions import LANGUAGES, BadDescriptions, check_language, descriptions
from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.game import CHANCE, SPECTATOR, Move, State, View
from pythia.core_cy.registry import GAMES, game_part, has_part

Json = dict[str, Any]

# What a piece is for a move, in the order in which a player points at pieces.
ROLES = ("source", "target", "cost", "choice")
AND = {"en": " and ", "de": " und "}
SECTIONS = ("labels", "parts", "words", "facts", "reasons")
GROUPS = ("price", "odds", "gains")


# -- what a game provides


@dataclass(frozen=True)
class Phrase:
    """Words to be made of a template and what stands in it. `name` is in the section `labels`, that of a reason in
    `reasons`."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PartPhrase:
    """A piece that a move uses: its key in the picture, "" where it is not shown; its name is a template in `parts`."""

    role: str
    key: str
    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MovePhrases:
    """What a game says about a move in a position, without words of a language."""

    label: Phrase
    parts: tuple[PartPhrase, ...] = ()


# -- what people get


@dataclass(frozen=True)
class MovePart:
    """One piece that a move uses: what it is for the move, its `data-key` in the picture, and what it is called."""

    role: str
    key: str
    label: str


@dataclass(frozen=True)
class MoveWords:
    """A move in words. `price`, `odds` and `gains` are empty where there is nothing to say."""

    move: str
    label: str
    parts: tuple[MovePart, ...] = ()
    price: str = ""
    odds: str = ""
    gains: str = ""


def describe_move(known: State | View, move: Move | str, language: str = "en") -> MoveWords:
    """A legal move, or at chance an outcome, in words.

    `known`: a View, or a State, which stands for what its seat to act knows.
    """
    return _Describer(known, language).words(move)


def describe_moves(
    known: State | View, moves: Iterable[Move | str] | None = None, language: str = "en"
) -> list[MoveWords]:
    """These moves in words, or every legal move of the seat to act; quicker than one by one."""
    describer = _Describer(known, language)
    return [describer.words(move) for move in (describer.view.legal_moves() if moves is None else moves)]


def tell_news(before: View, move: Move | str, after: View, language: str = "en") -> str:
    """What came of a move or outcome that its own words do not say: what it uncovered, who won, what it scored.

    `before` and `after`: what the same viewer saw then. "" where there is no more to say.
    """
    describer = _Describer(before, language)
    return describer.news(move, after.observation()) if has_part(before.game.name, "news") else ""


def reasons(view: View, move: Move | str, language: str = "en") -> list[str]:
    """What a legal move of the view's seat is good for, in words; nothing if the game does not say."""
    return tell_reasons(view.game.name, view.why_good(move), language)


def tell_reasons(game: str, found: Iterable[Phrase | str], language: str = "en") -> list[str]:
    """What `Game.why_good` found, in words. Texts stay as they are: a game may have words in one language only."""
    check_language(language)
    return [
        why if isinstance(why, str) else _speech(game, language).say("reasons", why.name, why.values)
        for why in found
    ]


def ending(share: float) -> Phrase:
    """The reason for a move that ends the game, by the seat's share of the win; of games that have such words."""
    return Phrase("ends_won" if share == 1 else "ends_shared" if share else "ends")


def is_outcome(game: str, text: str) -> bool:
    """Whether this is the text of an outcome of chance, as far as the game has words for outcomes."""
    return f"outcome_{text.partition(' ')[0]}" in _speech(game, LANGUAGES[0]).sections["labels"]


class _Describer:
    """What the viewer knows, written down once for all moves."""

    def __init__(self, known: State | View, language: str) -> None:
        check_language(language)
        self.view = known if isinstance(known, View) else View.of(known, max(known.to_act, SPECTATOR))
        self.game = self.view.game
        self.observation = self.view.observation()
        self.phrases = game_part(self.game.name, "words") if has_part(self.game.name, "words") else None
        self.speech = _speech(self.game.name, language)
        # A position that looks like this; what is legal is the same in all of them, unless it is hidden.
        self.position = self.view.imagined(0)
        actor = self.view.to_act
        private = actor == CHANCE or not (self.game.public_moves or actor == self.view.seat)
        self.hidden = private and not self.view.is_over

    def news(self, move: Move | str, after: Json) -> str:
        found = game_part(self.game.name, "news")(self.observation, self.fields(str(move)), after)
        return ", ".join(self.speech.say("labels", phrase.name, phrase.values) for phrase in found)

    def fields(self, text: str) -> Json:
        found = self.position.read_move(text) if self.hidden else self.position.parse_move(text)
        return self.game.move_fields(found)

    def words(self, move: Move | str) -> MoveWords:
        text = str(move)
        fields = self.fields(text)
        facts = {} if self.hidden else self.game.facts_of(self.observation, fields)
        price, odds, gains = (self.speech.facts(group, facts.get(group, {})) for group in GROUPS)
        if self.phrases is None:
            return MoveWords(text, text, _plain_parts(fields), price, odds, gains)
        try:
            phrases: MovePhrases = self.phrases(self.observation, fields, facts)
            parts = tuple(
                MovePart(part.role, part.key, self.speech.say("parts", part.name, part.values))
                for part in phrases.parts
            )
            label = self.speech.say("labels", phrases.label.name, phrases.label.values)
        except (LookupError, StopIteration, ValueError):
            if not self.hidden:
                raise
            # It was only read, and speaks of what is not there.
            raise IllegalMove(f"{text!r}: not possible in this position") from None
        return MoveWords(text, label[:1].upper() + label[1:], parts, price, odds, gains)


def _plain_parts(fields: Mapping[str, Any]) -> tuple[MovePart, ...]:
    """The parts of a move of a game that says nothing about its pieces."""
    named = {name: value for name, value in fields.items() if name not in ("text", "action")}
    return tuple(MovePart("choice", "", f"{name}: {_plain(value)}") for name, value in named.items())


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(map(str, value.values()))
    return " ".join(map(_plain, value)) if isinstance(value, list) else str(value)


# -- words of a language


class _Speech(Formatter):
    """The words of a game in a language. In templates, `{color}` is the value by its word in the table `color`, or by
    the title of the description `color:VALUE`; `{color:dative}` by the table `dative`, `{number:card|cards}` with what
    is counted, `{card:color*}` word by word, `{win:percent}` as a percentage, `{dice:decimal}` with one decimal.
    """

    def __init__(self, game: str, language: str, sections: Mapping[str, Mapping[str, Any]]) -> None:
        self.game, self.language = game, language
        self.sections = sections
        self.described = descriptions(game, language)

    def say(self, section: str, name: str, values: Mapping[str, Any]) -> str:
        template = self.sections[section].get(name)
        if template is None:
            raise BadDescriptions(f"{self.game}/moves.{self.language}.json: {section}: {name!r} is missing")
        return self.vformat(template, (), values)

    def facts(self, group: str, facts: Mapping[str, Any]) -> str:
        """The facts of a group that are not 0: in the order of their templates, then by the titles of descriptions."""
        templates = self.sections["facts"]
        names = {f"{group}_{name}": name for name, value in facts.items() if value}
        sentences = [
            self.vformat(template, (), {**facts, "value": facts[names[name]]})
            for name, template in templates.items()
            if template and name in names
        ]
        sentences += [
            f"{self.title('fact', name)}: {self.word(fact, facts[fact])}"
            for name, fact in names.items()
            if name not in templates
        ]
        return ", ".join(sentence for sentence in sentences if sentence)

    def title(self, kind: str, name: str) -> str:
        entry = self.described.get(f"{kind}:{name}")
        return entry.title if entry else name.replace("_", " ")

    def word(self, table: str, value: Any) -> str:
        if isinstance(value, Phrase):
            return self.say("labels", value.name, value.values)
        if isinstance(value, (list, tuple)):
            words = [self.word(table, item) for item in value]
            return AND[self.language].join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
        if isinstance(value, bool) or not isinstance(value, str):
            return _number(value)
        known: str | None = self.sections["words"].get(table, {}).get(value)
        return self.title(table, value) if known is None else known

    def get_field(self, name: str, args: Any, values: Any) -> tuple[Any, str]:
        value, _ = super().get_field(name, args, values)
        return (name, value), name

    def format_field(self, found: Any, spec: str) -> str:
        name, value = found
        if "|" in spec:
            one, more = spec.split("|")
            return f"{_number(value)} {one if value == 1 else more}"
        if spec == "percent":
            return f"{100 * value:.0f}" + ("%" if self.language == "en" else " %")
        if spec == "decimal":
            return f"{value:.1f}".replace(".", "." if self.language == "en" else ",")
        if spec == "signed":
            return f"{value:+d}"
        if spec.endswith("*"):
            return " ".join(self.word(spec[:-1], word) for word in value.split())
        return self.word(spec or name, value)


def _number(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


# -- reading


@functools.cache
def _speech(game: str, language: str) -> _Speech:
    return _Speech(game, language, _read(game, language))


def _read(game: str, language: str) -> Mapping[str, Mapping[str, Any]]:
    empty: Mapping[str, Mapping[str, Any]] = {section: {} for section in SECTIONS}
    if not has_part(game, "words"):
        return empty
    file = importlib.resources.files(GAMES[game]) / f"moves.{language}.json"
    return read_words(file.read_text(encoding="utf-8"), f"{game}/moves.{language}.json")


def read_words(text: str, name: str) -> Mapping[str, Mapping[str, Any]]:
    """The templates in a file of this name, checked."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise BadDescriptions(f"{name}: not JSON ({error})") from None
    if not isinstance(content, dict) or content.keys() != set(SECTIONS):
        raise BadDescriptions(f"{name}: allowed: an object with {', '.join(SECTIONS)}")
    for section, entries in content.items():
        tables = entries.values() if section == "words" and isinstance(entries, dict) else [entries]
        for table in tables:
            if not isinstance(table, dict) or not all(isinstance(words, str) for words in table.values()):
                raise BadDescriptions(f"{name}: {section}: allowed: words by name")
            for key, words in table.items():
                _check_template(words, f"{name}: {section}: {key}")
    return content


def _check_template(words: str, where: str) -> None:
    try:
        list(Formatter().parse(words))
    except ValueError as error:
        raise BadDescriptions(f"{where}: {words!r} is not allowed ({error}); allowed: a template") from None
