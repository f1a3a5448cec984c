"""Any game as a PettingZoo environment, Pythia's bots as agents in it, and policies as bots of Pythia."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pythia.arena.luck import Luck
from pythia.clients.adapters.table import GameTable, TableBot, missing
from pythia.core_cy.errors import IllegalMove
from pythia.core_cy.game import CHANCE, State
from pythia.core_cy.registry import DEFAULT_GAME, players_or_fewest, state_from_json
from pythia.core_cy.seeds import MAX_SEED, fresh_seed, seed_of
from pythia.search.bots import Bot
from pythia.search.limits import Limit

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as error:
    raise missing("PettingZoo", "pettingzoo") from error

# What an agent sees: "observation", a vector of numbers from 0 to 1, and "action_mask", 1 for each legal action.
Seen = dict[str, NDArray[Any]]
Policy = Callable[[Seen], int]

RENDER_MODES = ("ansi", "human")


def env(game: str = DEFAULT_GAME, players: int | None = None, **settings: Any) -> AECEnv:
    """The environment as most programs want it: steps out of order are errors. Settings are those of `PythiaEnv`."""
    return OrderEnforcingWrapper(PythiaEnv(game, players, **settings))


class PythiaEnv(AECEnv):  # type: ignore[misc]
    """A game for agents `player_0`, `player_1` and so on, one for each seat.

    An action is a number of a move in `table.moves`, for the life of the environment and in every other one with the
    same game and options. The option `seed` chooses the board and nothing else; `reset` deals anew. The environment
    rolls dice and draws cards. Rewards are 0 until the game ends, then its returns: 1, shared by all winners.
    """

    def __init__(
        self,
        game: str = DEFAULT_GAME,
        players: int | None = None,
        *,
        max_steps: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """After `max_steps` decisions the game is cut off without rewards. `options` are those of the game."""
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(
                f"render_mode: {render_mode!r} is not allowed; allowed: None, {', '.join(RENDER_MODES)}"
            )
        if max_steps is not None and (not isinstance(max_steps, int) or max_steps < 1):
            raise ValueError(
                f"max_steps: {max_steps!r} is not allowed; allowed: None or a whole number, 1 or more"
            )
        super().__init__()
        players = players_or_fewest(game, players)
        self.table = GameTable.set_up(game, players=players, **options)
        self.metadata: dict[str, Any] = {
            "name": f"pythia_{game}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.max_steps = max_steps
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.action_spaces = {agent: spaces.Discrete(len(self.table.moves)) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, (self.table.size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (len(self.table.moves),), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._seed = fresh_seed()
        self._games = 0  # since the seed was set

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new game. With a seed, this and all following games are always the same.

        The option `position`, the JSON of a full state, begins there instead; its board must be that of the table.
        """
        if seed is not None:
            if not 0 <= seed <= MAX_SEED:
                raise ValueError(f"seed: {seed} is not allowed; allowed: a whole number from 0 to {MAX_SEED}")
            self._seed, self._games = index(seed), 0  # numpy's numbers are written differently
        # The first game is the one that pythia.arena.game_loop.play_game plays with the seed.
        luck = self._seed if self._games == 0 else seed_of(self._seed, "game", self._games)
        self._games += 1
        self._luck = Luck(seed_of(luck, "luck"))
        if options and "position" in options:
            self._state = self._read(options["position"])
        else:
            self._state = self.table.deal(seed_of(luck, "start"))
        self._steps = 0
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._settle()
        self._accumulate_rewards()  # a position can be at its end, or a card away from it

    def _read(self, position: Mapping[str, Any]) -> State:
        state = state_from_json(position)
        if not self.table.fits(state.game):
            raise ValueError(
                "position: another game or board is not allowed; allowed: a position of a game at this table"
            )
        return state

    def observe(self, agent: str) -> Seen:
        return what_is_seen(self.table, self._state, self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        """Plays the move with this number for the agent that is to act."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalMove(
                f"action: None is not allowed; allowed: a move, as {self.agent_selection} is to act"
            )
        self._state.apply(self.table.move(index(action)))
        self._steps += 1
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self._settle()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _settle(self) -> None:
        """Lets chance decide until an agent has to, or the game is over."""
        state = self._state
        while state.to_act == CHANCE:
            state.apply(self._luck.draw(state))
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if state.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = dict(zip(self.agents, state.returns(), strict=True))
            self.infos = {agent: self._info(seat) for seat, agent in enumerate(self.agents)}
        else:
            self.agent_selection = self.possible_agents[state.to_act]
            self.infos[self.agent_selection] = self._info(state.to_act)
            if self._steps == self.max_steps:
                self.truncations = dict.fromkeys(self.agents, True)

    def _info(self, seat: int) -> dict[str, Any]:
        """What a bot of Pythia needs at this seat: its observation as JSON, and the moves by their texts."""
        legal = self.table.legal(self._state)
        return {
            "observation": self._state.observation(seat),
            "legal_moves": [self.table.moves[number] for number in legal],
        }

    def render(self) -> str | None:
        """The position as text, hidden parts included: for who looks on, not for agents."""
        if self.render_mode == "human":
            print(self._state)
            return None
        return str(self._state)

    def close(self) -> None:
        """There is nothing to close."""

    def __str__(self) -> str:
        name: str = self.metadata["name"]
        return name


def what_is_seen(table: GameTable, state: State, seat: int) -> Seen:
    """What the agent of a seat sees; no action is legal while others act."""
    legal = table.legal(state) if state.to_act == seat else []
    return {"observation": table.vector(state.observation(seat)), "action_mask": table.mask(legal)}


def bot_action(env: AECEnv, bot: Bot, limit: Limit | None = None) -> int | None:
    """What a bot of Pythia does as the agent to act; None, as `step` wants it, when the game is over."""
    _, _, termination, truncation, info = env.last(observe=False)
    if termination or truncation:
        return None
    table: GameTable = env.unwrapped.table
    return table.number_of(bot.choose(info["observation"], limit).move)


class PolicyBot(TableBot):
    """A policy as a bot: whatever takes what an agent sees and gives an action.

    Boards differ from game to game, and so do the texts behind the numbers that name places; see docs/adapters.md.
    """

    def __init__(self, policy: Policy, name: str = "policy", seed: int = 0) -> None:
        super().__init__(name, seed)
        self.policy = policy

    def decide(self, table: GameTable, state: State, seat: int) -> int:
        return self.policy(what_is_seen(table, state, seat))
