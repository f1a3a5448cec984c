"""Bots of releases: `ismcts@0.1.0` and `ismcts@0.2.0` play as they did then, move for move."""

import json
from pathlib import Path

import pytest

from pythia.arena.luck import Luck
from pythia.core_cy import CHANCE, View, load_game
from pythia.core_cy.weights import BadWeights
from pythia.search.bots import BotSpec, make_bot
from pythia.search.limits import Limit

# Games of the bots of each release: those of 0.1.0 recorded with its own code, those of 0.2.0 with code of its bench
# signature. None of Keltis: its positions remember more since 0.1.0 (K12), and what a bot draws is seeded by the
# position, so its bots of 0.1.0 have the weights of then and other luck.
DATA = Path(__file__).with_name("data")
RECORDED = [
    recorded | {"release": release}
    for release in ("0.1.0", "0.2.0")
    for recorded in json.loads(DATA.joinpath(f"moves-{release}.json").read_text())
]


@pytest.mark.parametrize(
    "recorded",
    RECORDED,
    ids=lambda game: f"{game['release']}-{game['game']}-{game['players']}-{game['bot']}",
)
def test_a_release_plays_the_same_moves(recorded):
    name, seed = f"{recorded['bot']}@{recorded['release']}", recorded["seed"]
    state = load_game(recorded["game"], players=recorded["players"], seed=seed).new_state()
    luck = Luck(seed)
    limit = Limit(iterations=recorded["iterations"]) if recorded["iterations"] else None
    bots = [make_bot(name, seed=100 + seat, limit=limit) for seat in range(recorded["players"])]
    wanted = iter(recorded["moves"])
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(luck.draw(state))
            continue
        legal = state.legal_moves()
        if len(legal) == 1:
            state.apply(legal[0])
            continue
        move = next(wanted)
        chosen = bots[state.to_act].choose(View.of(state, state.to_act)).move
        # What a scout looks at was judged by the position that was drawn for the bot, which views draw otherwise.
        assert chosen == move or (chosen.startswith("look ") and move.startswith("look "))
        state.apply(move)
    assert next(wanted, None) is None
    assert state.returns() == recorded["returns"]


def test_a_release_is_part_of_a_bot_spec():
    spec = BotSpec.parse("ismcts@0.1.0:iterations=20")
    assert str(spec) == "ismcts@0.1.0:iterations=20"
    assert spec.make(1).version == "0.1.0"


@pytest.mark.parametrize("name", ["ismcts@9.9.9", "ismcts@", "wizard@0.1.0"])
def test_unknown_releases_are_refused(name):
    with pytest.raises(ValueError, match=r"bot: .*allowed"):
        make_bot(name)


def test_a_game_without_the_release_says_so():
    state = load_game("kuhn", seed=1).new_state()
    while state.to_act < 0:
        state.apply(state.sample_chance(1))
    with pytest.raises(BadWeights, match=r"version: '0.1.0' of kuhn is not allowed"):
        make_bot("ismcts@0.1.0").choose(View.of(state, state.to_act))
