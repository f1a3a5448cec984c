"""In whole games nothing appears or vanishes, and the rules' numbers always hold."""

import pytest

from pythia.core_cy import CHANCE, Random, load_game
from pythia.core_cy.testing import playout_move
from tests.keltis.positions import CARDS


def check(obj, before):
    cards = obj["pile"] + obj["removed"]
    for seat, player in enumerate(obj["players"]):
        cards += player["hand"]
        draws = obj.get("pending", {}).get(
            "draws", 1 if obj["phase"] in ("clover", "spiral", "goblin") else 0
        )
        assert len(player["hand"]) == 8 - (draws if seat == obj["turn"] else 0)
        assert player["figures"] == sorted(player["figures"], reverse=True)
        for color, row in player["rows"].items():
            cards += [f"{color} {number}" for number in row]
            assert row in (sorted(row), sorted(row, reverse=True))
    for color, pile in obj["discards"].items():
        cards += [f"{color} {number}" for number in pile]
    assert sorted(cards) == sorted(CARDS * 2)
    stones = sum(stone["stones"] for stone in obj["wish_stones"])
    assert stones + sum(player["wish_stones"] for player in obj["players"]) == 9
    taken = sum(tile.get("taken", False) for tile in obj["path"])
    assert taken == sum(player["mirrors"] for player in obj["players"])
    if before is not None:
        assert obj["removed"] == before["removed"]
        assert obj["priestess"] >= before["priestess"]
        assert all(a["score"] <= b["score"] for a, b in zip(before["players"], obj["players"], strict=True))


@pytest.mark.parametrize("clover", ["same", "any"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("eager", [False, True])
def test_everything_adds_up_in_whole_games(players, clover, eager):
    """Random games, and games of the playout policy, which come further along the path."""
    for seed in range(3):
        rng = Random(seed)
        state = load_game("keltis", players=players, seed=seed, clover=clover).new_state()
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
                state.apply(playout_move(state, rng) if eager else rng.choice(state.legal_moves()))
        assert obj["pending"]["result"] in ("goal", "pile", "length")
