"""Search on games with a known solution."""

import pytest

from pythia.core_cy import View, load_game
from pythia.search.params import SearchParams
from pythia.search.tree import Search


def start(name, *outcomes):
    state = load_game(name, seed=0).new_state()
    for outcome in outcomes:
        state.apply(outcome)
    return state


def search(state, iterations=4000, seed=1, **params):
    view = View.of(state, state.to_act)
    tree = Search(view, SearchParams().changed(exploration=0.5, **params), seed)
    tree.run(iterations)
    return tree


@pytest.mark.parametrize("prize", range(3))
def test_looking_first_is_found_where_looking_first_is_best(prize):
    tree = search(start("doors", f"hide {prize}"))
    best = tree.moves()[0]
    assert str(best.move).startswith("look")
    assert best.value == pytest.approx(3 / 5, abs=0.05)
    opened = [move for move in tree.moves() if str(move.move).startswith("open")]
    assert all(move.value == pytest.approx(1 / 3, abs=0.12) for move in opened if move.visits > 50)


def test_what_was_seen_decides_the_next_move():
    behind_the_door = search(start("doors", "hide 1", "look 1"))
    assert str(behind_the_door.moves()[0].move) == "open 1"
    assert behind_the_door.values()[0] == pytest.approx(0.9, abs=0.1)
    empty = search(start("doors", "hide 1", "look 0"))
    assert {str(move.move) for move in empty.moves()[:2]} == {"open 1", "open 2"}
    assert empty.moves()[0].value == pytest.approx(0.45, abs=0.05)


# H. W. Kuhn's solution: moves that every optimal strategy plays with certainty.
FORCED = [
    (("deal J", "deal Q", "bet"), "pass"),  # the jack gives up against a bet
    (("deal Q", "deal K", "bet"), "bet"),  # the king calls
    (("deal J", "deal K", "pass"), "bet"),  # the king bets when it may
]


@pytest.mark.parametrize(("before", "move"), FORCED)
def test_dominated_moves_of_kuhn_poker_are_not_played(before, move):
    cards = before if before[0] != "deal J" or "bet" not in before else ("deal Q", "deal J", "bet")
    assert str(search(start("kuhn", *cards)).moves()[0].move) == move


def test_jack_and_king_of_the_first_seat_answer_a_bet():
    assert str(search(start("kuhn", "deal J", "deal Q", "pass", "bet")).moves()[0].move) == "pass"
    assert str(search(start("kuhn", "deal K", "deal Q", "pass", "bet")).moves()[0].move) == "bet"
