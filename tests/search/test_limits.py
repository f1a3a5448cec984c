"""Limits and parameters: what is allowed, and what the errors say."""

import math
from dataclasses import fields

import pytest

from pythia.search.bots import TurnBudget, split
from pythia.search.limits import Limit
from pythia.search.params import SearchParams


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "limit: None is not allowed; allowed: iterations, seconds or both"),
        (
            {"iterations": 0},
            "iterations: 0 is not allowed; allowed: a whole number from 1 to 1000000000000000",
        ),
        ({"iterations": -5}, "iterations: -5 is not allowed"),
        ({"iterations": True}, "iterations: True is not allowed"),
        ({"iterations": 2.0}, "iterations: 2.0 is not allowed"),
        ({"iterations": "9"}, "iterations: '9' is not allowed"),
        ({"iterations": 5, "seconds": 0}, "seconds: 0 is not allowed; allowed: a finite number above 0"),
        ({"seconds": -0.5}, "seconds: -0.5 is not allowed"),
        ({"seconds": math.nan}, "seconds: nan is not allowed"),
        ({"seconds": math.inf}, "seconds: inf is not allowed"),
        ({"seconds": True}, "seconds: True is not allowed"),
        ({"seconds": "1"}, "seconds: '1' is not allowed"),
        ({"iterations": 5, "per": "game"}, "per: 'game' is not allowed; allowed: decision, turn"),
        ({"iterations": 5, "per": None}, "per: None is not allowed; allowed: decision, turn"),
    ],
)
def test_limits_that_are_refused(fields, message):
    with pytest.raises(ValueError, match="is not allowed") as caught:
        Limit(**fields)
    assert str(caught.value).startswith(message)


def test_limits_that_are_allowed():
    assert Limit(iterations=1).reproducible
    assert not Limit(seconds=1).reproducible
    assert not Limit(iterations=10, seconds=0.25, per="turn").reproducible
    assert Limit(5) == Limit(iterations=5, per="decision")


def test_iterations_are_split_evenly():
    assert split(10, 4) == [3, 3, 2, 2]
    assert split(2, 4) == [1, 1]  # no thread without work
    assert split(7, 1) == [7]
    assert split(None, 3) == [0, 0, 0]  # until the clock


def test_the_budget_of_a_turn_lasts():
    budget = TurnBudget()
    limit = Limit(iterations=100, seconds=1.0, per="turn")
    shares = []
    for _ in range(6):
        share = budget.share(limit, turn=3)
        assert share.per == "decision"
        shares.append(share.iterations)
        budget.spend(share.iterations, share.seconds)
    assert shares == [50, 25, 12, 6, 3, 2]
    assert budget.share(limit, turn=4) == Limit(50, 0.5)  # a new turn, a new budget


def test_an_overdrawn_turn_still_has_a_little():
    budget = TurnBudget()
    limit = Limit(iterations=4, seconds=0.1, per="turn")
    budget.share(limit, turn=1)
    budget.spend(40, 1.0)
    left = budget.share(limit, turn=1)
    assert left.iterations == 1
    assert 0 < left.seconds < 0.001


def test_a_limit_per_decision_passes_the_budget_by():
    budget = TurnBudget()
    limit = Limit(iterations=100)
    for _ in range(3):
        assert budget.share(limit, turn=1) is limit
        budget.spend(100, 0.1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"depth": 3}, "parameter: 'depth' is not allowed; allowed: exploration, "),
        ({"exploration": "much"}, "exploration: 'much' is not allowed; allowed: a number from 0 to 100"),
        ({"exploration": -1}, "exploration: -1 is not allowed"),
        ({"exploration": True}, "exploration: True is not allowed"),
        ({"tree_turns": 1.5}, "tree_turns: 1.5 is not allowed; allowed: a whole number from 0 to 1000"),
        ({"tree_turns": True}, "tree_turns: True is not allowed"),
        ({"prior_power": 1000.0}, "prior_power: 1000.0 is not allowed; allowed: a number from 0 to 10"),
        ({"prior_power": float("nan")}, "prior_power: nan is not allowed"),
        ({"exploration": float("inf")}, "exploration: inf is not allowed"),
        (
            {"max_nodes": 2**64},
            f"max_nodes: {2**64} is not allowed; allowed: a whole number from 1 to 10000000",
        ),
        ({"max_nodes": 10**5000}, "max_nodes: a number of 16610 bits is not allowed"),
        ({"transpositions": 1}, "transpositions: 1 is not allowed; allowed: true or false"),
    ],
)
def test_parameters_that_are_refused(values, message):
    with pytest.raises(ValueError, match="is not allowed") as caught:
        SearchParams().changed(**values)
    assert str(caught.value).startswith(message)


def test_every_parameter_but_switches_has_bounds_and_its_default_lies_within():
    for field in fields(SearchParams):
        if not isinstance(field.default, bool):
            assert field.metadata["low"] <= field.default <= field.metadata["high"]


def test_changed_parameters():
    params = SearchParams().changed(exploration=1, tree_turns=0, transpositions=False)
    assert (params.exploration, params.tree_turns, params.transpositions) == (1, 0, False)
    assert SearchParams().changed() == SearchParams()
