"""Bots that live on a server, as players here: `remote = "host:port"` in the file of a tournament.

If the server cannot be used, making the bot raises the error, before the first game. If it disappears later, `choose`
raises, which a tournament records as a forfeit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pythia.clients.calls import DEFAULT_BOT
from pythia.clients.client import DEFAULT_RETRIES, DEFAULT_TIMEOUT, Client
from pythia.clients.transport import StrPath
from pythia.core_cy import CHANCE, DEFAULT_GAME, Random, View, load_game
from pythia.search.bots import BotSpec, TurnBudget, as_view
from pythia.search.limits import Limit
from pythia.search.result import Result

TOKEN_VARIABLE = "PYTHIA_TOKEN"


class RemoteBot:
    """Asks a server for every decision. With the same seed and iterations per decision, it plays like a local bot.

    Only the values that come with a forced move differ: here they are those of the last search, which a server forgets.

    `bot` is a name or text such as `ismcts:level=3`; `level` overrides the level in it. The token comes from
    PYTHIA_TOKEN unless you give one; `game` is the game that it will play.
    """

    def __init__(
        self,
        address: str,
        seed: int = 0,
        *,
        game: str = DEFAULT_GAME,
        bot: str = DEFAULT_BOT,
        level: int | None = None,
        token: str | None = None,
        tls: bool | StrPath = False,
        certificate: tuple[StrPath, StrPath] | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        retries: int = DEFAULT_RETRIES,
    ) -> None:
        spec = BotSpec.parse(bot)
        self.name = spec.name
        self._spec = spec if level is None else replace(spec, level=level)
        self._seed = seed
        self._budget = TurnBudget()
        self._client = Client(
            address,
            token=token or os.environ.get(TOKEN_VARIABLE),
            tls=tls,
            certificate=certificate,
            timeout=timeout,
            retries=retries,
        )
        try:
            offered = {info.name: info for info in self._client.bots()}
            self._uses_limit = self.name not in offered or offered[self.name].uses_limit
            # A first, short decision: whatever is wrong with server, token, bot or game is known before a game begins.
            self.choose(an_observation(game), Limit(iterations=1))
        except BaseException:
            self.close()
            raise

    def choose(self, view: View | Mapping[str, Any], limit: Limit | None = None) -> Result:
        observation = view.observation() if isinstance(view, View) else view
        limit = (limit or self._spec.limit) if self._uses_limit else None
        if limit is None or limit.per == "decision":
            return self._client.suggest(observation, self._spec, limit=limit, seed=self._seed)
        # The server keeps nothing from call to call, so what is left of a turn's limit is known here.
        share = self._budget.share(limit, as_view(view).turn_number)
        result = self._client.suggest(observation, self._spec, limit=share, seed=self._seed)
        self._budget.spend(result.iterations, result.seconds)
        return result

    def close(self) -> None:
        self._client.close()


def an_observation(game: str) -> dict[str, Any]:
    """What the first seat to decide sees in some game."""
    state = load_game(game, seed=0).new_state()
    luck = Random(0)
    while state.to_act == CHANCE:
        state.apply(state.sample_chance(luck))
    return state.observation(state.to_act)
