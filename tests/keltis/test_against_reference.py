"""The engine and the reference, which was written from the rulings alone, play the same games.

Both list the same legal moves and stand at the same position after every move. Set `PYTHIA_KELTIS_GAMES` for more games
than a usual run.
"""

import os

import pytest

from pythia.core_cy import CHANCE, Random, load_game, state_from_json
from tests.comparing import same_json, same_moves
from tests.keltis.positions import path, position
from tests.keltis.reference import Reference

GAMES = int(os.environ.get("PYTHIA_KELTIS_GAMES", "8"))
# Clovers and spirals close together: most turns are chains.
CHAINS = {
    "at1": "clover yellow",
    "at2": "clover pink",
    "at3": "clover red",
    "at4": "spiral",
    "at5": "clover blue",
    "at6": "clover green",
    "at9": "spiral",
    "at10": "spiral",
    "at8": "goblin",
    "at11": "goblin",
    "at12": "goblin",
}
OPTIONS = [{"clover": "same"}, {"clover": "any"}, {"clover": "any", "goblin_values": [1, 30, 100]}]


def compare(state, rng, moves=10_000):
    """Plays both to the end, figures and tiles preferred to cards; counts the phases and texts that came."""
    reference = Reference(state.to_json())
    seen, text = set(), ""
    for _ in range(moves):
        legal = [str(move) for move in state.legal_moves()]
        same_moves(legal, reference.legal(), text)
        if not legal:
            break
        # Discards end the game by its length; most plays shall move figures.
        chosen = [text for text in legal if text.startswith(("play", "step", "back", "score", "draw"))]
        if state.to_act == CHANCE:
            text = str(state.sample_chance(rng))
        else:
            text = rng.choice(chosen if chosen and rng.below(10) else legal)
        state.apply(text)
        reference.apply(text)
        position = state.to_json()
        same_json(position, reference.to_json(), text)
        seen.add(position["phase"])
        seen.update(text.split()[0:1] + text.split()[2:3] if text.startswith("step") else ())
        if "moved" in position.get("pending", {}):
            seen.add("moved")
        # What is written is read again as the same position.
        if rng.below(20) == 0 or position["phase"] in ("clover", "spiral"):
            again = state_from_json(position)
            assert again.to_json() == position
            assert again.position_hash() == state.position_hash()
    return seen


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", OPTIONS, ids=["same", "any", "values"])
def test_random_games(players, options):
    seen = set()
    for seed in range(GAMES):
        state = load_game("keltis", players=players, seed=seed, **options).new_state()
        seen |= compare(state, Random(seed))
    assert {"clover", "spiral", "goblin", "take", "over"} <= seen


@pytest.mark.parametrize("clover", ["same", "any"])
def test_games_full_of_chains(clover):
    seen = set()
    for seed in range(5 * GAMES):
        obj = position({}, {})
        obj["path"] = path(**CHAINS)
        obj["options"] |= {"clover": clover}
        seen |= compare(state_from_json(obj), Random(seed), 150)
    assert {"clover", "spiral", "goblin", "step"} <= seen
    # Several figures with memories of their own in one turn, and on one space, are the point of the variant.
    assert ({"moved", "second"} <= seen) == (clover == "any")
