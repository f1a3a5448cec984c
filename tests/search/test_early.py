"""The judgement at the end of the turn, mixed with the one after the playout (`early_share`)."""

import pytest

from pythia.core_cy import View
from pythia.search.params import SearchParams
from pythia.search.tree import Search
from tests.search.positions import decisions

PLAIN = SearchParams()


def found(state, params, iterations):
    search = Search(View.of(state, state.to_act), params, 5)
    search.run(iterations)
    return [(str(root.move), root.visits) for root in search.moves()], search.values()


@pytest.mark.parametrize("game", ["delphi", "deukalion", "keltis"])
def test_all_of_it_is_a_search_without_playouts(game):
    early = PLAIN.changed(early_share=1.0, early_iterations=1e9)
    for state in decisions(game, 3, 25, 3, players=2):
        moves, values = found(state, early, 150)
        wanted, wanted_values = found(state, PLAIN.changed(playout_rounds=0), 150)
        assert moves == wanted
        assert values == pytest.approx(wanted_values, abs=1e-5)


@pytest.mark.parametrize("game", ["delphi", "deukalion", "keltis"])
def test_a_share_lies_between(game):
    """Of the first iteration, whose luck and moves are the same with any share."""
    differ = 0
    for state in decisions(game, 3, 25, 4, players=2):
        late, middle, early = (
            found(state, PLAIN.changed(early_share=share), 1)[1][0] for share in (0.0, 0.5, 1.0)
        )
        assert middle == pytest.approx((late + early) / 2)
        differ += late != early
    assert differ


def test_the_share_falls():
    """With moves chosen alike, the mean of many iterations comes near to that without it."""
    alike = PLAIN.changed(exploration=0.0, prior_power=10.0, width=1.0, width_growth=0.0)
    for state in decisions("delphi", 3, 25, 3, players=2):
        late = found(state, alike, 400)[1][0]
        apart = [
            abs(found(state, alike.changed(early_share=1.0, early_iterations=half), 400)[1][0] - late)
            for half in (1.0, 100.0, 1e9)
        ]
        assert apart[0] < 0.02
        assert apart[0] <= apart[2]
