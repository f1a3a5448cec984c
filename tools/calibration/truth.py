"""The truth about a position: it is played on many times, with other luck and other hidden parts each time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean

from pythia.arena.luck import Luck
from pythia.core_cy.game import CHANCE, State, View
from pythia.core_cy.registry import load_game
from pythia.core_cy.rng import Random
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import make_bot
from pythia.search.limits import Limit

# Iterations of the moves by which positions are reached and played on.
QUICK = 24


@dataclass(frozen=True)
class Truth:
    """How what was shown about positions compares with how they went on."""

    positions: int
    again: int
    iterations: int
    error: float  # RMS of what is shown, without the luck of the games themselves
    judgement: float  # the same of the bare judgement
    covered: float  # positions whose interval holds the share won, the luck of that share allowed for

    def __str__(self) -> str:
        return (
            f"truth: {self.positions} positions, {self.again} games from each; RMS error as shown at "
            f"{self.iterations} iterations {self.error:.3f}, of the bare judgement {self.judgement:.3f}; "
            f"the 95 % interval holds the truth in {100 * self.covered:.0f} %"
        )


def truth_of(game: str, players: int, positions: int, again: int, iterations: int, seed: int) -> Truth:
    apart, judged_apart, noise, covered = [], [], [], []
    for number in range(positions):
        view = position(game, players, seed_of(seed, "truth", number))
        result = make_bot("ismcts", seed=number, limit=Limit(iterations=iterations)).choose(view)
        value, seat = result.values[view.seat], view.seat
        shares = [played_on(view, seed_of(seed, "again", number, time))[seat] for time in range(again)]
        share = fmean(shares)
        spread = share * (1 - share) / max(again - 1, 1)
        apart.append((value - share) ** 2)
        judged_apart.append((view.evaluate()[seat] - share) ** 2)
        noise.append(spread)
        best = result.moves[0]
        # The share is itself known only to within its luck, of which two standard deviations are allowed for.
        luck = 2 * math.sqrt((share * (1 - share) + 1 / again) / again)
        covered.append(best.low - luck <= share <= best.high + luck)
    return Truth(
        positions,
        again,
        iterations,
        math.sqrt(max(0.0, fmean(apart) - fmean(noise))),
        math.sqrt(max(0.0, fmean(judged_apart) - fmean(noise))),
        fmean(covered),
    )


def position(game: str, players: int, seed: int) -> View:
    """A decision somewhere in a game between equals, as the seat to act sees it."""
    chosen: View = Random(seed).choice(decisions(game, players, seed))
    return chosen


def decisions(game: str, players: int, seed: int) -> list[View]:
    """The first decision of each turn of a game between equals, as the seat to act sees it."""
    state = load_game(game, players=players, seed=seed).new_state()
    kept: list[View] = []
    play(state, Luck(seed), seed, kept)
    return kept


def played_on(view: View, seed: int) -> list[float]:
    state = view.imagined(seed)
    return play(state, Luck(seed), seed, [])


def play(state: State, luck: Luck, seed: int, kept: list[View]) -> list[float]:
    """To the end by quick searches; the first decisions of turns with a choice are kept."""
    bots = [
        make_bot("ismcts", seed=seed_of(seed, seat), limit=Limit(iterations=QUICK))
        for seat in range(state.game.players)
    ]
    turn = None
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(luck.draw(state))
            continue
        legal = state.legal_moves()
        if len(legal) == 1:
            state.apply(legal[0])
            continue
        view = View.of(state, state.to_act)
        if state.turn_number != turn:
            turn = state.turn_number
            kept.append(view)
        state.apply(bots[state.to_act].choose(view).move)
    returns: list[float] = state.returns()
    return returns
