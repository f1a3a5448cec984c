"""The judgement prefers what is plainly better, and treats seats alike."""

import pytest

from pythia.core_cy import Random
from pythia.core_cy.offrandes.evaluate import judged
from pythia.core_cy.testing import playout_move, priors
from tests.offrandes.positions import state
from tests.offrandes.test_rules import ALL_READY
from tests.positions import play, texts


def value(position, seat=0):
    return position.evaluate()[seat]


def test_points_money_altars_and_levels_are_worth_something():
    base = value(state("auction", 1))
    assert value(state("auction", 1, scores={0: 10})) > base
    assert value(state("auction", 1, drachmas={0: 15})) > base
    assert value(state("auction", 1, drachmas={0: 5})) < base
    for character in ("farmer", "carrier", "florist", "servant", "priestess", "seducer", "guard"):
        ladders = {"corinth": {"seducer": 1}, "sparta": {character: 1}}
        assert value(state("auction", 1, ladders=ladders)) > value(
            state("auction", 1, ladders={"corinth": {"seducer": 1}})
        ), character
    assert value(state("auction", 1, altars={"zeus": "1 ox sparta"}, scores={0: 5})) > value(
        state("auction", 1, altars={"ares": "1 ox sparta"}, scores={0: 5})
    )


def test_money_is_worth_less_towards_the_end():
    def worth(phase, to_act, **more):
        return judged(state(phase, to_act, **more), 0)["money"]

    now = worth("auction", 3)
    assert 0 < worth("auction", 3, scores={2: 95}) < now
    ready = {"athens": ALL_READY}
    assert worth("offer", 2, scores={2: 100}, ladders=ready) == pytest.approx(0, abs=0.5)


def test_equal_seats_are_judged_alike():
    now = state("auction", 0, players=5, first=0)
    assert now.evaluate() == pytest.approx([0.2] * 5)
    # The same position, with two seats changed places, has the same values in their places.
    one = state(
        "bribe",
        0,
        ladders={"sparta": ALL_READY | {"seducer": 1}, "corinth": ALL_READY, "athens": {"guard": 3}},
    )
    values = one.evaluate()
    assert values[0] > values[1] > values[2]


def test_an_open_auction_is_judged_as_it_will_be_sold():
    """Only Sparta has money: it will have the pair, so the open auction is worth about what the sale is."""
    ladders = {"sparta": {"farmer": 2, "carrier": 2, "florist": 2, "servant": 2}}
    opened = state(
        "open", 0, ladders=ladders, drachmas={1: 0, 2: 0, 3: 0}, pending={"pair": ["farmer", "carrier"]}
    )
    sold = play(opened, "bid 1")
    assert value(opened) == pytest.approx(value(sold), abs=0.05)


def test_priors_favor_one_more_the_rivals_limit_and_pass():
    now = state("open", 0, drachmas={1: 4, 2: 3, 3: 2})
    weights = dict(zip(texts(now), priors(now), strict=True))
    for likely in ("bid 1", "bid 4"):
        assert weights[likely] > 5 * weights["bid 8"]


def test_an_offering_is_made_where_it_is_worth_most():
    now = state("offer", 0, ladders={"sparta": ALL_READY | {"servant": 5}})
    weights = dict(zip(texts(now), priors(now), strict=True))
    assert max(weights, key=weights.get) == "offer 1 chicken zeus"
    assert weights["decline"] < weights["offer 1 chicken ares"]


def test_playouts_differ_by_their_luck():
    now = state("auction", 0)
    assert len({playout_move(now, Random(seed)) for seed in range(50)}) > 1


def test_rounds_left_fall_as_the_game_goes_on():
    assert state("auction", 0, scores={0: 95}).rounds_left()[0] < state("auction", 0).rounds_left()[0]
    assert min(state("auction", 0, scores={0: 100}).rounds_left()) >= 1
