"""Evaluation and policy: rough truths that any tuning must keep."""

import pytest

from pythia.core_cy import CHANCE, Random, View, load_game
from pythia.core_cy.deukalion.facts import chance_to_beat
from pythia.core_cy.deukalion.tables import throw_tables
from pythia.core_cy.deukalion.why_good import chance_to_reach
from pythia.core_cy.testing import playout_move, priors
from pythia.search.params import SearchParams
from pythia.search.tree import Search
from tests.deukalion.tables import Table, play


def best(state):
    weights = priors(state)
    return str(state.legal_moves()[weights.index(max(weights))])


def test_points_ahead_are_chances_ahead():
    even = Table().state().evaluate()
    ahead = Table().seat(1, victory_cards=8).state().evaluate()
    assert ahead[1] > even[1] + 0.15


@pytest.mark.parametrize("seat", [0, 1])
def test_what_one_has_counts_for_oneself(seat):
    plain = Table().state().evaluate()[seat]
    for more in (
        {"treasures": ["red"], "fighters": 9},
        {"permanent": ["pegasus"]},
        {"cards": ["golden_fleece"]},
        {"victory_cards": 1},
        {"fulfilled": ["crew_to_zypern"]},
    ):
        assert Table().seat(seat, **more).state().evaluate()[seat] > plain


def test_fighters_and_settlements_count():
    assert (
        Table().seat(1, fighters=9).state().evaluate()[1] > Table().seat(1, fighters=3).state().evaluate()[1]
    )
    assert Table().settle(lindos=1).state().evaluate()[1] > Table().settle(lindos=0).state().evaluate()[1]


def test_the_winning_move_is_liked_most():
    table = Table().seat(1, ship="3,1", treasures=["red"], victory_cards=13, fulfilled=["yellow_or_green"])
    state = table.orders("two_green", "two_blue").state()
    assert best(state) == "deliver red"
    search = Search(View.of(state, 1), SearchParams(), 3)
    search.run(200)
    assert str(max(search.moves(), key=lambda move: move.visits).move) == "deliver red"


def test_orders_are_claimed_and_treasures_taken():
    claim = Table().seat(1, ship="3,1", treasures=["red", "green"], order="red_and_green").state()
    assert best(claim) == "claim red_and_green red green"
    loot = play(Table().seat(1, ship="2,5").city(thera=["red"]).state(), "attack thera", "throw 0 10 0")
    assert best(loot) == "take red"


def test_the_chance_of_a_throw_is_that_of_its_outcomes():
    state = play(Table().seat(1, ship="2,5", fighters=6).city(thera=["red"]).state(), "attack thera")
    for value in (0.5, 1, 2, 3.5, 6, 7):
        exact = sum(
            share
            for move, share in state.chance_outcomes()
            for _up, down, half in [map(int, str(move).split()[1:])]
            if down + half / 2 >= value
        )
        assert chance_to_reach(6, value, [42, 42, 16]) == pytest.approx(exact)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_sensible_play_reaches_the_target_soon(players):
    rounds = []
    for seed in range(6):
        state, rng = load_game("deukalion", players=players, seed=seed).new_state(), Random(seed)
        while not state.is_over:
            state.apply(state.sample_chance(rng) if state.to_act == CHANCE else playout_move(state, rng))
        assert state.to_json()["pending"]["result"] == "points"
        rounds.append(state.to_json()["round"])
    # Random play takes more than twice as long.
    assert sum(rounds) / len(rounds) < {2: 28, 3: 17, 4: 13}[players]


def test_what_leads_nowhere_costs_the_leader_when_the_guard_is_near():
    """After 100 rounds the game is a draw (D34): the fewer are left, the less a lead is worth."""
    values = [Table(round=number).seat(1, victory_cards=8).state().evaluate() for number in (3, 70, 95, 100)]
    assert values[0] == values[1]  # far from the end it changes nothing
    assert values[1][1] > values[2][1] > values[3][1] > 0.5
    assert all(sum(value) == pytest.approx(1) for value in values)


def test_an_exchange_that_brings_nothing_is_not_liked():
    """Equal crews, no treasures, no cards, no order that asks for it: a fight only costs fighters."""
    state = Table(hydra="7,6").seat(1, ship="0,6").seat(0, ship="0,5").state()
    moves = [str(move) for move in state.legal_moves()]
    likes = dict(zip(moves, priors(state), strict=True))
    assert likes["sail 0,5"] < likes["end"]


def test_a_settlement_that_falls_easily_is_worth_less():
    def worth(**attacker):
        there = Table().seat(0, **attacker).settle(salamis=1).seat(1, ship="3,0").state().evaluate()
        without = Table().seat(0, **attacker).seat(1, ship="3,0").state().evaluate()
        return there[1] - without[1]

    assert worth(ship="0,6", fighters=9) > worth(ship="7,6", fighters=9)
    assert worth(ship="7,6", fighters=2) > worth(ship="7,6", fighters=9)


@pytest.mark.parametrize("throw", [[42, 42, 16], [20, 70, 10], [50, 50, 0]])
def test_the_tables_of_throws_are_exact(throw):
    reach, beats = throw_tables(load_game("deukalion", seed=1, throw=throw))
    middle = len(beats[0][0]) // 2
    for own in range(11):
        for halves, chance in enumerate(reach[own]):
            assert chance == pytest.approx(chance_to_reach(own, halves / 2, throw), abs=1e-6)
        for other in range(11):
            for ahead in range(-6, 7):
                exact = chance_to_beat(own, other, ahead, throw)
                assert beats[own][other][middle + 2 * ahead] == pytest.approx(exact, abs=1e-6)
