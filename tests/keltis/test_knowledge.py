"""Evaluation and policy: rough truths that any tuning must keep."""

import pytest

from pythia.core_cy import CHANCE, Random, View, load_game
from pythia.core_cy.testing import playout_move, priors
from pythia.search.params import SearchParams
from pythia.search.tree import Search
from tests.keltis.positions import state
from tests.keltis.test_rules import GOBLINS, hand
from tests.positions import play, texts


def best(now):
    weights = priors(now)
    return texts(now)[weights.index(max(weights))]


def test_points_ahead_are_chances_ahead():
    even = state({"score": 20}, {"score": 20}).evaluate()
    ahead = state({"score": 40}, {"score": 20}).evaluate()
    assert abs(even[0] - even[1]) < 0.2
    assert ahead[0] > 0.8


def test_a_sure_lead_counts_more_near_the_end():
    early = state({"score": 30}, {"score": 24}).evaluate()
    late = state({"score": 30}, {"score": 24}, pile_count=2).evaluate()
    assert late[0] > early[0] > 0.5


def test_the_game_is_ended_when_that_wins_and_not_when_it_loses():
    mover = {"hand": hand("blue 4"), "figures": [31, 29, 24]}
    winning, losing = state(mover | {"score": 20}, {}), state(mover, {"score": 40})
    assert play(winning, best(winning)).is_over
    assert not play(losing, best(losing)).is_over


def test_full_goblins_are_scored():
    assert best(state({"hand": hand("green 5"), "figures": [8, 16, 3]}, {}, tiles=GOBLINS)) == "score"


def test_the_oracle_bonus_is_liked():
    def weight(figures):
        now = state({"hand": hand("blue 4"), "figures": figures}, {}, priestess=20)
        return priors(now)[texts(now).index("play blue 4 priestess 1")]

    assert weight([21, 19, 1]) > 3 * weight([19, 19, 1])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_policy_beats_random_play(players):
    wins = 0.0
    for seed in range(12):
        rng = Random(seed)
        now = load_game("keltis", players=players, seed=seed).new_state()
        while not now.is_over:
            if now.to_act == CHANCE:
                now.apply(now.sample_chance(rng))
            else:
                now.apply(playout_move(now, rng) if now.to_act == 0 else now.random_move(rng))
        wins += now.returns()[0]
    assert wins >= 10


def test_a_deep_tree_meets_moves_of_hands_that_its_nodes_were_not_made_with():
    """Two turns deep, nodes of the other seat collect moves of many hands; the same search finds the same."""
    now = state({"hand": hand("blue 4")}, {})
    params = SearchParams(tree_turns=3)
    found = []
    for _ in range(2):
        search = Search(View.of(now, 0), params, 5)
        search.run(2000)
        lines = [search.line(move.move) for move in search.moves() if move.visits]
        found.append((search.moves(), search.values(), lines))
        assert search.depth > 3
    assert found[0] == found[1]
    assert sum(found[0][1]) == pytest.approx(1)
