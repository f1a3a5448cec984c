"""What the other seats want in the tree: their own return (max^n), or that the searching seat's is low (paranoid)."""

import pytest

from pythia.core_cy import View
from pythia.search.params import SearchParams
from pythia.search.tree import Search
from tests.search.positions import decisions

# Deep enough that the next turn of every other seat is in the tree.
DEEP = SearchParams().changed(tree_turns=4)


def visits(state, paranoid):
    search = Search(View.of(state, state.to_act), DEEP.changed(paranoid=paranoid), 5)
    search.run(400)
    return [(str(found.move), found.visits) for found in search.moves()]


@pytest.mark.parametrize("game", ["delphi", "deukalion", "keltis"])
def test_with_two_seats_the_one_is_the_other(game):
    for state in decisions(game, 3, 25, 3, players=2):
        assert visits(state, True) == visits(state, False)


@pytest.mark.parametrize("game", ["delphi", "deukalion", "keltis"])
def test_with_more_seats_it_matters_what_the_others_want(game):
    found = list(decisions(game, 3, 25, 4, players=3))
    assert any(visits(state, True) != visits(state, False) for state in found)
