"""What the evaluation, the policy and the reasons say of clear cases."""

import pytest

from pythia.core_cy import CHANCE, Random, load_game, state_from_json
from pythia.core_cy.delphi.components import COLORS
from pythia.core_cy.delphi.weights import FEATURES
from pythia.core_cy.testing import play_policy, playout_move, priors
from tests.delphi.scenario import Scene


def played(players, seed):
    state = load_game("delphi", players=players, seed=seed).new_state()
    play_policy(state, Random(seed))
    return state


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_policy_finishes_its_games_by_arrival(players):
    for seed in range(10):
        over = played(players, seed).to_json()
        assert over["pending"]["result"] == "arrival"
        assert over["round"] < 40


def test_a_seat_nearer_to_the_end_is_likelier_to_win():
    """A task less, all else equal."""
    even = Scene().state()
    obj = even.to_json()
    obj["players"][0]["tasks"]["shrine"] -= 1
    obj["options"]["removed_tasks"] = 0
    with pytest.raises(ValueError, match="tasks"):
        state_from_json(obj)  # no game gets there: the tasks of the seats must agree
    ahead = Scene().all_done().state()
    assert ahead.evaluate()[0] > even.evaluate()[0]
    assert ahead.rounds_left()[0] < even.rounds_left()[0]


def test_features_are_named_and_those_of_hidden_tiles_do_not_depend_on_them():
    """The route of a seat uses what the seat knows, so shuffling what it has not seen changes nothing."""
    rng = Random(5)
    state = load_game("delphi", players=2, seed=5).new_state()
    checked = 0
    for _ in range(150):
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
        obj = state.to_json()
        unseen = [
            tile
            for tile in obj["island_tiles"]
            if not tile["face_up"]
            and all(
                (tile["q"], tile["r"]) not in {(known["q"], known["r"]) for known in player["knows"]}
                for player in obj["players"]
            )
        ]
        if len(unseen) < 2:
            continue
        first, second = unseen[0], unseen[1]
        for part in ("color", "letter"):
            first[part], second[part] = second[part], first[part]
        other = state_from_json(obj)
        assert state.game.features(state) == other.game.features(other)
        assert len(state.game.features(state)[0]) == len(FEATURES)
        checked += 1
    assert checked > 20


def test_priors_prefer_what_completes_a_task():
    scene = Scene().all_done().dice(COLORS[0], COLORS[0], COLORS[0])
    state = scene.state()
    weights = dict(zip(map(str, state.legal_moves()), priors(state), strict=True))
    assert sum(weights.values()) == pytest.approx(1, abs=1e-3)
    assert playout_move(state, Random(1)) in weights


def test_reasons_name_the_deed_and_what_is_left():
    state = load_game("delphi", players=2, seed=1).new_state()
    rng = Random(1)
    told = set()
    for _ in range(1500):
        if state.is_over:
            break
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        move = playout_move(state, rng)
        before, seat = state.clone(), state.to_act
        state.apply(move)
        reasons = state.game.why_good(before, state, seat, before.parse_move(move))
        for reason in reasons:
            told.add(reason.split()[0])
            assert "{" not in reason
        if " deliver " in move:
            assert any("delivers the" in reason for reason in reasons)
        if " load offering " in move:
            assert any("loads the" in reason for reason in reasons)
    assert {"delivers", "loads", "raises", "leaves", "fights"} <= told
