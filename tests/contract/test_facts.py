"""Facts about moves and scores: for every game, plain, and never more than the viewer may know."""

import json

import pytest

from pythia.core_cy import CHANCE, SPECTATOR, IllegalMove, View, game_info, load_game
from tests.contract.set_ups import each_set_up, sample
from tests.contract.test_views import observers, truths

GROUPS = {"price", "odds", "gains"}
CHANCES_THAT_ARE_COUNTS = {"strength", "need", "favor_going_on", "fighters", "bonus", "others"}


def told(view, moves):
    """All facts as text; a move that the viewer cannot play is refused in words, which must not differ either."""
    parts = [json.dumps(view.game.scores(view))]
    for move in moves:
        try:
            parts.append(json.dumps(view.game.move_facts(view, move)))
        except IllegalMove as error:
            parts.append(str(error))
    return "\n".join(parts)


@each_set_up
def test_facts_tell_nothing_hidden(name, players):
    differ = 0
    for state in sample(name, players, games=2, count=12):
        moves = [str(move) for move in state.legal_moves()]
        moves = [*moves[:6], *moves[-6:]]
        for seat in observers(players):
            others = truths(state, seat)
            differ += len({other.position_hash() for other in others}) > 1
            assert len({told(View.of(other, seat), moves) for other in others}) == 1
        if state.to_act >= 0:
            # A state tells what its seat to act knows.
            view = View.of(state, state.to_act)
            for move in moves:
                assert state.game.move_facts(state, move) == view.game.move_facts(view, move)
            assert state.game.scores(state) == view.game.scores(view)
    assert (differ > 0) is game_info(name).hides, (
        "the test shows something only where something hidden differs"
    )


@each_set_up
def test_facts_are_plain(name, players):
    for state in sample(name, players, count=20):
        if state.to_act < 0:
            continue
        for move in state.legal_moves()[:50]:
            facts = state.game.move_facts(state, move)
            assert json.loads(json.dumps(facts)) == facts
            assert facts.keys() <= GROUPS
            for group, found in facts.items():
                assert found, "a group with nothing to tell is absent"
                assert all(isinstance(fact, (int, float, str)) for fact in found.values())
                if group == "odds":
                    chances = [found[name] for name in found.keys() - CHANCES_THAT_ARE_COUNTS]
                    assert all(0 <= chance <= 1 for chance in chances)


@each_set_up
def test_scores_are_plain_and_add_up(name, players):
    for state in sample(name, players, count=20):
        scores = state.game.scores(state)
        if scores is None:
            continue
        assert len(scores) == players
        for score in scores:
            assert score.keys() == {"total", "parts"}
            assert score["total"] == sum(score["parts"].values())
        if state.is_over:
            totals = [score["total"] for score in scores]
            better = [sum(other > total for other in totals) for total in totals]
            equal = [totals.count(total) - 1 for total in totals]
            # Equal totals share a rank, unless the game has something else that breaks ties.
            for rank, before, beside in zip(state.ranks(), better, equal, strict=True):
                assert 1 + before <= rank <= 1 + before + beside


@each_set_up
def test_nothing_is_told_of_chance(name, players):
    chances = [state for state in sample(name, players, count=60) if state.to_act == CHANCE]
    for state in chances[:5]:
        for outcome in state.legal_moves()[:5]:
            assert state.game.move_facts(state, outcome) == {}
            assert state.game.move_facts(View.of(state, 0), outcome) == {}


@each_set_up
def test_moves_that_are_not_legal_are_refused(name, players):
    state = next(state for state in sample(name, players) if state.to_act >= 0)
    with pytest.raises(IllegalMove):
        state.game.move_facts(state, "nonsense")
    over = list(sample(name, players, games=1, moves=100_000))[-1]
    assert over.is_over
    with pytest.raises(IllegalMove):
        over.game.move_facts(over, str(state.legal_moves()[0]))


def test_a_game_without_facts():
    state = load_game("kuhn", seed=1).new_state()
    while state.to_act < 0:
        state.apply(state.legal_moves()[0])
    assert state.game.move_facts(state, state.legal_moves()[0]) == {}
    assert state.game.scores(state) is None


def test_moves_of_others_where_only_they_know_what_is_legal():
    state = load_game("keltis", seed=1).new_state()
    move = state.legal_moves()[0]
    assert state.game.move_facts(View.of(state, 0), move)
    for seat in (1, SPECTATOR):
        assert state.game.move_facts(View.of(state, seat), move) == {}
        # Not even whether it is legal.
        assert state.game.move_facts(View.of(state, seat), "discard blue 0") == {}


def test_positions_of_another_game_are_refused():
    delphi, keltis = (load_game(name, seed=1) for name in ("delphi", "keltis"))
    with pytest.raises(ValueError, match="game: a position of keltis is not allowed; allowed: one of delphi"):
        delphi.scores(keltis.new_state())
    with pytest.raises(TypeError):
        delphi.scores({"game": "delphi"})
