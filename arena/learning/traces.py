"""Positions of many games of the policy, with what they are worth: what a network (`fit_net`) learns from.

What a position is worth is how its game ended, which costs next to nothing and tells what the policy makes of it; or
what a search finds there, at positions where a search would judge. A file has the positions of several games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pythia.core_cy.game import Game, State, View
from pythia.core_cy.registry import load_game
from pythia.core_cy.rng import Random
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import SearchBot
from pythia.search.limits import Limit
from pythia.search.playout import play_on
from pythia.search.tree import Search

# Moves and outcomes after the start of a turn, up to which positions within turns are taken.
WITHIN = 9
# Games from one start: a board takes longer to set up than the policy to play a game on it.
GAMES_OF_START = 10
# Ways through a round from one position, their first turn with moves drawn by their priors to this power.
WAYS, WANDER = 4, 1.0


@dataclass(frozen=True)
class TraceSpec:
    """How many games there are in a folder, how many positions of each are kept, and what they are worth."""

    game: str
    seed: int
    weights: tuple[tuple[str, Any], ...]
    players: tuple[int, ...] = (2,)  # in turn, by file
    play: int = 0  # iterations of a search of each position; 0: the result of the game
    games: int = 100  # of each file
    kept: float = 0.3  # of turns
    within: float = 0.3  # of these turns, where results are kept: a position within it, not its start

    def arrays(self, number: int) -> dict[str, Any]:
        players = self.players[number % len(self.players)]
        inputs, results = [], []
        for game_number in range(self.games):
            seed = seed_of(self.seed, "trace", self.game, number, game_number)
            if game_number % GAMES_OF_START == 0:
                game = load_game(self.game, players=players, seed=seed_of(seed, "start"))
                game = game.with_weights(dict(self.weights))
            rows, returns = (searched if self.play else by_policy)(self, game, seed)
            inputs += rows
            results += returns
        return {
            "inputs": np.array(inputs, np.float16),
            "returns": np.array(results, np.float32),
        }


def by_policy(spec: TraceSpec, game: Game, seed: int) -> tuple[list[Any], list[Any]]:
    """A game by the policy: the inputs of some positions, and the result."""
    rng = Random(seed)
    state = game.new_state()
    rows: list[Any] = []
    turn, part = 0, 0
    while True:
        # Where it goes on, luck is new: a stream that was drawn from would begin again.
        play_on(state, seed_of(seed, part), last_turn=turn)
        part += 1
        if state.is_over:
            return rows, [state.returns()] * len(rows)
        turn = state.turn_number
        if rng.random() >= spec.kept:
            continue
        if rng.random() < spec.within:
            play_on(state, seed_of(seed, part), moves_at_most=1 + int(rng.random() * WITHIN))
            part += 1
            if state.is_over:
                return rows, [state.returns()] * len(rows)
            turn = state.turn_number
        rows.append(np.asarray(game.net_inputs(state)))


def searched(spec: TraceSpec, game: Game, seed: int) -> tuple[list[Any], list[Any]]:
    """What a search makes of positions at which a search would judge: ways through a round from turns of a game."""
    rng = Random(seed)
    state: State = game.new_state()
    rows: list[Any] = []
    values: list[Any] = []
    params = SearchBot("trace", seed, {}, Limit(iterations=spec.play)).params(game)
    turn, part = 0, 0
    while True:
        play_on(state, seed_of(seed, part), last_turn=turn)
        part += 1
        if state.is_over:
            return rows, values
        turn = state.turn_number
        if rng.random() >= spec.kept:
            continue
        for way in range(WAYS):
            leaf = state.clone()
            luck = seed_of(seed, part, way)
            play_on(leaf, luck, turn + game.players, WANDER, turn)
            if leaf.is_over:
                continue
            view = View.of(leaf, leaf.to_act)
            search = Search(view, params, luck)
            search.run(spec.play)
            rows.append(np.asarray(game.net_inputs(leaf)))
            values.append(best_values(search, view.seat))


def best_values(search: Search, seat: int) -> list[float]:
    """What the seats get after the move that the search would play."""
    values = np.array(search.values())
    best = search.moves()[0]
    others = np.arange(len(values)) != seat
    values[others] *= (1 - best.value) / max(values[others].sum(), 1e-9)
    values[seat] = best.value
    return [float(value) for value in values]
