"""Every game as an OpenSpiel game, Pythia's bots as OpenSpiel bots, and OpenSpiel's bots as bots of Pythia.

Importing this module registers the games: `pyspiel.load_game("python_pythia_<game>", {"players": 3})`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from pythia.clients.adapters.table import GameTable, TableBot, missing
from pythia.core_cy.errors import BadOption
from pythia.core_cy.game import CHANCE, State, View
from pythia.core_cy.registry import (
    GameInfo,
    OptionInfo,
    game_info,
    list_games,
)
from pythia.core_cy.seeds import SEED_BITS, seed_of
from pythia.search.bots import Bot
from pythia.search.limits import Limit

try:
    import pyspiel
except ImportError as error:
    raise missing("OpenSpiel", "openspiel") from error

# The number of deals that the first chance node chooses from, unless the parameter `deals` overrides it.
DEALS = 1000


def spiel_name(game: str) -> str:
    """What OpenSpiel calls a game."""
    return f"python_pythia_{game}"


# -- options as game parameters


def default_parameter(option: OptionInfo) -> int | str:
    """The value of a parameter that is not given. OpenSpiel has no None: it is 0 for numbers and empty for the rest."""
    if option.type == "int":
        return int(option.default or 0)
    return str(option.default or "") if option.type == "str" else ""


def to_parameters(info: GameInfo, options: Mapping[str, Any]) -> dict[str, int | str]:
    """The options of a game as OpenSpiel's parameters. Lists are JSON, percent-encoded: OpenSpiel writes games as text
    in which commas and brackets have their own meaning."""
    parameters = {}
    for option in info.options:
        value = options.get(option.name)
        if value is not None:
            parameters[option.name] = quote(json.dumps(value)) if option.type == "json" else value
    return parameters


def to_options(info: GameInfo, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a game from OpenSpiel's parameters; lists are JSON, percent-encoded or not."""
    options = {}
    for option in info.options:
        value = parameters.get(option.name, default_parameter(option))
        if value == "":
            continue
        if option.type == "json":
            try:
                value = json.loads(unquote(value))
            except ValueError:
                raise BadOption(option.name, value, f"{option.allowed}, as JSON") from None
        options[option.name] = value
    return options


# -- games, states and what players see


class PythiaGame(pyspiel.Game):  # type: ignore[misc]
    """A game of Pythia. An action is a number of a move in `table.moves`, a chance outcome one in `table.outcomes`.

    The parameter `seed` chooses the board and nothing else. The deals have numbers after the outcomes. Each game has
    a class of its own in `GAME_CLASSES`.
    """

    info: GameInfo

    def __init__(self, parameters: Mapping[str, Any] | None = None, table: GameTable | None = None) -> None:
        """With a table the game is that of the table, whatever the parameters say."""
        info = self.info
        given = dict(parameters or {})
        self.deals = int(given.pop("deals", DEALS))
        if self.deals < 1:
            raise BadOption("deals", self.deals, "a whole number, 1 or more")
        options = to_options(info, given) if table is None else table.options
        self.table = table or GameTable.set_up(info.name, **options)
        super().__init__(
            game_type(info),
            pyspiel.GameInfo(
                num_distinct_actions=len(self.table.moves),
                max_chance_outcomes=len(self.table.outcomes) + self.deals,
                num_players=self.table.players,
                min_utility=0.0,
                max_utility=1.0,
                utility_sum=1.0,
                max_game_length=self.table.players * self.table.encoding.max_decisions,
            ),
            {"deals": self.deals, **to_parameters(info, options)},
        )

    def new_initial_state(self) -> PythiaState:
        return PythiaState(self)

    def state_of(self, position: State) -> PythiaState:
        """A state at a position of this table; how it came about is not known to it."""
        state = self.new_initial_state()
        state.position = position
        return state

    def max_chance_nodes_in_history(self) -> int:
        return 1 + self.table.players * self.table.encoding.max_events

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> PythiaObserver:
        if params:
            raise ValueError(f"params: {params!r} is not allowed; allowed: none")
        return PythiaObserver(self.table, iig_obs_type)


class PythiaState(pyspiel.State):  # type: ignore[misc]
    """A position, or before the deal none. Nothing else is kept here, as OpenSpiel copies and pickles all of it."""

    def __init__(self, game: PythiaGame) -> None:
        super().__init__(game)
        self.position: State | None = None

    @property
    def table(self) -> GameTable:
        table: GameTable = self.get_game().table
        return table

    def current_player(self) -> int:
        if self.position is None or self.position.to_act == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.position.is_over else self.position.to_act

    def is_terminal(self) -> bool:
        return self.position is not None and self.position.is_over

    def _legal_actions(self, player: int) -> list[int]:
        assert self.position is not None
        return self.table.legal(self.position)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self.position is None:
            first, deals = len(self.table.outcomes), self.get_game().deals
            return [(first + deal, 1 / deals) for deal in range(deals)]
        return sorted(
            (self.table.number(move), probability) for move, probability in self.position.chance_outcomes()
        )

    def _apply_action(self, action: int) -> None:
        if self.position is None:
            self.position = self.table.deal(seed_of("deal", action - len(self.table.outcomes)))
        else:
            self.position.apply(self._action_to_string(self.current_player(), action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return self.table.moves[action]
        outcomes = self.table.outcomes
        return outcomes[action] if action < len(outcomes) else f"deal {action - len(outcomes)}"

    def returns(self) -> list[float]:
        if self.position is None or not self.position.is_over:
            return [0.0] * self.table.players
        return self.position.returns()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> PythiaState:
        """A state that looks the same to the player, with hidden information drawn again."""
        game: PythiaGame = self.get_game()
        return game.state_of(self.view(player).imagined(int(sampler() * 2**SEED_BITS)))

    def view(self, player: int) -> View:
        """What a player knows, as Pythia's bots get it."""
        if self.position is None:
            raise ValueError("the game is not dealt yet; there is nothing to see")
        return View.of(self.position, player)

    def observation(self, player: int) -> dict[str, Any]:
        """What a player sees, as JSON."""
        if self.position is None:
            raise ValueError("the game is not dealt yet; there is nothing to see")
        return self.position.observation(player)

    def __str__(self) -> str:
        return "" if self.position is None else json.dumps(self.position.to_json(), separators=(",", ":"))


class PythiaObserver:
    """What one player sees, as a vector and as the JSON text of the observation; before the deal nothing.

    The observation holds what a player needs to remember, so it stands for the information state as well; how the
    game came to it is left out.
    """

    def __init__(self, table: GameTable, kind: Any = None) -> None:
        if kind is not None and (
            not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER
        ):
            raise ValueError(
                f"iig_obs_type: {kind} is not allowed; allowed: what one player sees, with all that is public"
            )
        self._table = table
        self.tensor = np.zeros(table.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: PythiaState, player: int) -> None:
        if state.position is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = self._table.vector(state.observation(player))

    def string_from(self, state: PythiaState, player: int) -> str:
        if state.position is None:
            return ""
        return json.dumps(state.observation(player), separators=(",", ":"))


def game_type(info: GameInfo) -> Any:
    return pyspiel.GameType(
        short_name=spiel_name(info.name),
        long_name=info.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.CONSTANT_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=info.max_players,
        min_num_players=info.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "deals": DEALS,
            **{option.name: default_parameter(option) for option in info.options},
        },
    )


# -- bots


class Judgement:
    """An evaluator for OpenSpiel's searches: positions are worth what the game itself thinks, all moves are alike."""

    def evaluate(self, state: PythiaState) -> list[float]:
        assert state.position is not None
        return state.position.evaluate()

    def prior(self, state: PythiaState) -> list[tuple[int, float]]:
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


class PythiaBot(pyspiel.Bot):  # type: ignore[misc]
    """A bot of Pythia as a bot of OpenSpiel. It gets only what the player to act sees."""

    def __init__(self, bot: Bot, limit: Limit | None = None) -> None:
        super().__init__()
        self.bot = bot
        self.limit = limit

    def step(self, state: PythiaState) -> int:
        return state.table.number_of(self.bot.choose(state.view(state.current_player()), self.limit).move)


class SpielBot(TableBot):
    """A bot of OpenSpiel as a bot of Pythia. `make` makes it from an OpenSpiel game, once for each board.

    It gets a state that looks to its seat like the real one, without the moves that led to it.
    """

    def __init__(self, make: Callable[[PythiaGame], Any], name: str = "openspiel", seed: int = 0) -> None:
        super().__init__(name, seed)
        self.make = make
        self._game: PythiaGame | None = None
        self._bot: Any = None

    def decide(self, table: GameTable, state: State, seat: int) -> int:
        if self._game is None or self._game.table is not table:
            self._game = GAME_CLASSES[table.game](table=table)
            self._bot = self.make(self._game)
        number: int = self._bot.step(self._game.state_of(state))
        return number


# OpenSpiel keeps what it makes games with until after the end of Python, and of all that can be called only classes
# survive that.
GAME_CLASSES: dict[str, type[PythiaGame]] = {
    name: type(f"PythiaGame_{name}", (PythiaGame,), {"info": game_info(name)}) for name in list_games()
}
for _class in GAME_CLASSES.values():
    pyspiel.register_game(game_type(_class.info), _class)
