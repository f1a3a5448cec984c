"""The engine beside an independent implementation of the same rules, move by move.

`reference.py` is written in plain Python from the rules alone and shares nothing with the engine. Both play the same
games; at every step the legal moves, the positions, what is observed and the numbers of turns must be the same.
"""

import pytest

from pythia.core_cy import CHANCE, SPECTATOR, Random, load_game, state_from_json
from pythia.core_cy.testing import playout_move
from tests.comparing import same_json, same_moves
from tests.offrandes import reference


def play_both(players, seed, choose):
    """One game, compared at every step; returns what was met on the way."""
    rng = Random(seed)
    state = load_game("offrandes", players=players, seed=seed).new_state()
    theirs = reference.new_state({"players": players})
    met, text = set(), ""
    while True:
        mine = state.to_json()
        same_json(mine, theirs, text)
        reference.check(mine)
        seat = rng.below(players + 1) - 1
        same_json(state.observation(seat), reference.observation(theirs, seat), text)
        assert state.turn_number == reference.turn_number(theirs)
        legal = [str(move) for move in state.legal_moves()]
        same_moves(legal, reference.legal_moves(theirs), text)
        met.add(mine["phase"])
        if state.is_over:
            assert state.returns() == [float(share) for share in reference.returns(theirs)]
            assert state.ranks() == reference.ranks(theirs)
            met.add(mine["pending"]["result"])
            return met
        if state.to_act == CHANCE:
            outcomes = {str(move): share for move, share in state.chance_outcomes()}
            assert outcomes == {text: float(share) for text, share in reference.outcomes(theirs).items()}
            text = str(state.sample_chance(rng))
        else:
            assert len(legal) > 1
            text = choose(state, legal, rng)
        state.apply(text)
        theirs = reference.apply(theirs, text)


def at_random(state, legal, rng):
    return rng.choice(legal)


def sensible(state, legal, rng):
    return playout_move(state, rng)


def thrifty(state, legal, rng):
    """Passes, declines and ends most of the time: purses fill up to their limit and games are long."""
    idle = [text for text in legal if text in ("pass", "decline", "end")]
    return idle[0] if idle and rng.below(10) < 8 else rng.choice(legal)


def lavish(state, legal, rng):
    """All money goes at once, so that many seats have no choice."""
    bids = [text for text in legal if text.startswith("bid")]
    return bids[-1] if bids and rng.below(10) < 7 else rng.choice(legal)


@pytest.mark.parametrize("choose", [at_random, sensible, thrifty, lavish])
@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_same_game_move_by_move(players, choose):
    met = set()
    for seed in range(3):
        met |= play_both(players, 100 * players + seed, choose)
    assert met >= {"first", "setup", "auction", "open", "bid", "bribe", "offer", "over"}


def test_both_accept_the_same_positions():
    """Random damage to positions of games: the engine reads what the reference finds possible, and nothing else."""
    rng = Random(5)
    refused = 0
    for seed in range(3):
        state = load_game("offrandes", players=3 + seed, seed=seed).new_state()
        while not state.is_over:
            state.apply(
                state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves())
            )
            obj = state.to_json()
            damage(obj, rng)
            try:
                reference.check(reference.complete(obj))
                possible = True
            except (ValueError, KeyError):  # a KeyError for a name in a result that is to be completed
                possible = False
                refused += 1
            try:
                state_from_json(obj)
                accepted = True
            except ValueError:
                accepted = False
            assert accepted is possible, obj
    assert refused > 100


def damage(obj, rng):
    """Changes one number, word or list of a position, or leaves it out."""
    parts = list(leaves(obj))
    part, key = parts[rng.below(len(parts))]
    value = part[key]
    if rng.below(4) == 0:
        del part[key]
    elif isinstance(value, int):
        part[key] = value + rng.below(5) - 2
    elif isinstance(value, list):
        part[key] = value[:-1] if value else [0]
    else:
        part[key] = rng.choice(
            ["", "sparta", "thebes", "chicken", "ox", "zeus", "bid", "bribe", "auction", "offer"]
        )


def leaves(part):
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(value, (dict, list)) and value:
            yield from leaves(value)
        elif isinstance(value, (int, str, list)):
            yield part, key


def test_a_spectator_is_an_observer_too():
    state = load_game("offrandes", players=3, seed=1).new_state()
    assert state.observation(SPECTATOR) == state.to_json() | {"observer": SPECTATOR}
