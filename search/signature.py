"""The bench signature: one number for how the rules and the search behave.

It is a hash of the moves of fixed random games and fixed searches, of every game and player count. A commit that says
"no functional change" leaves it as it is; any other says the new one.
"""

import hashlib
from collections.abc import Iterator
from functools import cache

from pythia.core_cy import CHANCE, Random, View, game_info, list_games, load_game
from pythia.search.bots import BOTS, make_bot
from pythia.search.levels import levels_of
from pythia.search.limits import Limit
from pythia.search.params import SearchParams
from pythia.search.tree import Search

SEED = 20160101
SEARCH_EVERY = 40  # decisions
SEARCHES = 6  # in each game
ITERATIONS = 60


def signature() -> str:
    digest = hashlib.sha256()
    for name in sorted(list_games()):
        info = game_info(name)
        for players in range(info.min_players, info.max_players + 1):
            for line in story(name, players):
                digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:8]


@cache
def behavior(name: str, players: int) -> str:
    """The same for one game and player count, with the moves of every built-in bot and the strengths of the levels.

    If it is unchanged, earlier results can be reproduced.
    """
    digest = hashlib.sha256()
    for line in (*story(name, players), *choices(name, players)):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:8]


def choices(name: str, players: int) -> Iterator[str]:
    """What each built-in bot plays now and then in a random game, and what its levels are."""
    state = load_game(name, players=players, seed=SEED).new_state()
    yield repr(levels_of(state.game))
    rng = Random(SEED)
    decisions = 0
    while not state.is_over and decisions < SEARCHES * SEARCH_EVERY:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        if decisions % SEARCH_EVERY == 0:
            limit = Limit(iterations=ITERATIONS)
            for bot in BOTS:
                yield make_bot(bot, seed=SEED).choose(View.of(state, state.to_act), limit, lines=0).move
        decisions += 1
        state.apply(rng.choice(state.legal_moves()))


def story(name: str, players: int) -> Iterator[str]:
    """The moves of a random game; what the search thinks of some of its decisions; the result."""
    state = load_game(name, players=players, seed=SEED).new_state()
    rng = Random(SEED)
    decisions = 0
    while not state.is_over:
        if state.to_act == CHANCE:
            move = state.sample_chance(rng)
        else:
            if decisions % SEARCH_EVERY == 0 and decisions < SEARCHES * SEARCH_EVERY:
                search = Search(View.of(state, state.to_act), SearchParams(), SEED)
                search.run(ITERATIONS)
                yield " / ".join(f"{found.move} {found.visits}" for found in search.moves())
            decisions += 1
            move = rng.choice(state.legal_moves())
        yield str(move)
        state.apply(move)
    yield f"{state.ranks()} {state.returns()}"
