"""What the service is and what it can play."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

from pythia.core_cy import game_info, list_games, load_game
from pythia.core_cy.descriptions import LANGUAGES, LONGEST_WORD, described_games, descriptions, lookup
from pythia.search.bots import BotInfo
from pythia.service.auth import LOCAL_CALLER, Origin
from pythia.service.errors import check_language, invalid, missing, not_allowed
from pythia.service.search_runner import Runner
from pythia.service.types import Described, OfferedGame, OfferedOption, ServerInfo

# Words that Describe looks up in one call; for each that is not known, all that are known are compared with it.
MAX_WORDS = 50


def offered_games() -> list[str]:
    """In alphabetical order. The wire contract has messages for each of them (tests/service/test_contract.py)."""
    return sorted(list_games())


class Engine:
    """Answers from the registry of games and the bots on offer; holds nothing but the time of its start."""

    def __init__(self, runner: Runner) -> None:
        self._started = time.monotonic()
        self._runner = runner
        self._bounds = runner.bounds

    async def server_info(self) -> ServerInfo:
        return ServerInfo(
            "pythia",
            version("pythia-opponent"),
            time.monotonic() - self._started,
            tuple(offered_games()),
            self._bounds.seconds,
            self._bounds.iterations,
            self._bounds.threads,
        )

    async def games(self) -> list[OfferedGame]:
        return [offered(name) for name in offered_games()]

    async def describe(
        self,
        game: str,
        language: str = "en",
        words: Sequence[str] = (),
        *,
        origin: Origin = Origin(LOCAL_CALLER),  # noqa: B008 - it never changes
    ) -> Described:
        """What words of a game mean, in the order of its description; without any, all that is described."""
        if not game:
            raise missing("game", f"one of {', '.join(offered_games())}")
        if game not in offered_games():
            raise not_allowed("game", game, ", ".join(offered_games()))
        check_language(language)
        if len(words) > MAX_WORDS:
            raise invalid("words", f"{len(words)} words are too many; allowed: {MAX_WORDS}")
        for number, word in enumerate(words):
            if not 0 < len(word) <= LONGEST_WORD:
                allowed = f"a word of 1 to {LONGEST_WORD} characters"
                raise invalid(f"words[{number}]", f"{len(word)} characters; allowed: {allowed}")
        if not words:
            return Described(tuple(descriptions(game, language).values()))
        return await self._runner.aside(origin, lambda: described(game, language, words))

    async def bots(self) -> list[BotInfo]:
        return self._bounds.bots.describe()


def offered(name: str) -> OfferedGame:
    info = game_info(name)
    options = tuple(
        OfferedOption(option.name, option.type, option.default, option.allowed, option.help)
        for option in info.options
    )
    return OfferedGame(
        info.name,
        info.title,
        info.min_players,
        info.max_players,
        options,
        {values.name: values.values for values in info.values},
        LANGUAGES if name in described_games() else (),
        info.hides,
        has_scores(name),
    )


@cache
def has_scores(name: str) -> bool:
    game = load_game(name, seed=0)
    return game.scores(game.new_state()) is not None


def described(game: str, language: str, words: Sequence[str]) -> Described:
    found = [lookup(game, word, language) for word in words]
    keys = {entry.key for one in found for entry in one.entries}
    entries = tuple(entry for entry in descriptions(game, language).values() if entry.key in keys)
    return Described(entries, tuple(dict.fromkeys(word for one in found for word in one.suggestions)))
