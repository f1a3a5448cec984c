"""In whole games nothing appears or vanishes, and the rules' numbers always hold."""

import pytest

from pythia.core_cy import CHANCE, Random, load_game
from pythia.core_cy.offrandes.components import ANIMALS, CHARACTERS, OF_A_KIND
from pythia.core_cy.testing import playout_move


def check(obj, before):
    for animal in ANIMALS:
        lying = sum(altar["number"] for altar in obj["altars"] if altar["animal"] == animal)
        assert obj["supply"][animal] + lying == OF_A_KIND
    for character in CHARACTERS:
        assert sum(player["ladders"][character] == 5 for player in obj["players"]) <= 1
    for player in obj["players"]:
        assert 0 <= player["drachmas"] <= 25
        assert all(0 <= level <= 5 for level in player["ladders"].values())
    pending = obj.get("pending", {})
    for name in ("sold", "buyers", "bidders", "bribed"):
        assert len(set(pending.get(name, []))) == len(pending.get(name, []))
    if before is None:
        return
    # Points are never lost, altars never emptied, and money only comes between rounds.
    for now, then in zip(obj["players"], before["players"], strict=True):
        assert now["score"] >= then["score"]
        assert now["drachmas"] <= then["drachmas"] or obj["round"] == before["round"] + 1
    for now, then in zip(obj["altars"], before["altars"], strict=True):
        assert now["number"] >= then["number"]


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("eager", [False, True])
def test_everything_adds_up_in_whole_games(players, eager):
    """Random games, and games of the playout policy, in which ladders are climbed higher."""
    for seed in range(4):
        rng = Random(seed)
        state = load_game("offrandes", players=players, seed=seed).new_state()
        before = None
        while True:
            obj = state.to_json()
            check(obj, before)
            if state.is_over:
                break
            before = obj
            if state.to_act == CHANCE:
                state.apply(state.sample_chance(rng))
            else:
                moves = state.legal_moves()
                assert len(moves) > 1  # a single move is never asked for (O4)
                state.apply(playout_move(state, rng) if eager else rng.choice(moves))
        assert obj["pending"]["result"] in ("altars", "points")


def test_random_games_last_as_long_as_the_rulings_say():
    """12 rounds, 6 to 22 in 9000 games (O26)."""
    rounds = []
    for seed in range(200):
        rng = Random(seed)
        state = load_game("offrandes", players=3 + seed % 3, seed=seed).new_state()
        while not state.is_over:
            state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
        rounds.append(state.to_json()["round"])
    assert 11 <= sum(rounds) / len(rounds) <= 13.5
    assert min(rounds) >= 5
    assert max(rounds) <= 26
