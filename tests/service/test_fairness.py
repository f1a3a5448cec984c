"""Who may know what, found by the rules alone."""

from pathlib import Path

import pytest

from pythia.core_cy import CHANCE, IllegalMove, Random, list_games, load_game, state_from_observation
from pythia.service.fairness import hidden_from, shows_something
from pythia.service.matches import Match
from pythia.service.store import Header, Stored
from tests.service.serving import a_state

SERVICE = Path(__file__).parents[2] / "service"


def test_cards_dealt_face_down_are_hidden_from_the_others():
    state = load_game("kuhn", seed=1).new_state()
    assert hidden_from(state, "deal J") == [1]
    state.apply("deal J")
    assert hidden_from(state, "deal K") == [0]


def test_open_dice_are_hidden_from_nobody():
    state, rng, kinds = load_game("delphi", players=3, seed=4).new_state(), Random(4), set()
    for _ in range(300):
        if state.to_act == CHANCE:
            outcome = str(state.sample_chance(rng))
            kinds.add(outcome.split()[0])
            assert hidden_from(state, outcome) == []
            state.apply(outcome)
        else:
            state.apply(rng.choice(state.legal_moves()))
    assert {"roll", "titan", "injury"} <= kinds


def test_moves_that_show_something():
    rng = Random(2)
    state = load_game("delphi", players=2, seed=2).new_state()
    found = {}
    while not {"look", "explore", "sail", "favor"} <= set(found):
        if state.to_act != CHANCE:
            for move in state.legal_moves():
                word = str(move).split()[1] if " " in str(move) else ""
                if word in ("look", "explore", "sail", "favor") and word not in found:
                    found[word] = shows_something(state, str(move))
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves()))
    assert found == {"look": True, "explore": True, "sail": False, "favor": False}


def match_at(state):
    header = Header("m", state.game.name, 0.0, {}, [{"name": "a"}, {"name": "b"}], state.to_json(), 1, False)
    return Match(Stored(header, []))


@pytest.mark.parametrize("seed", range(3))
def test_the_reason_for_a_refusal_does_not_tell_what_is_hidden(seed):
    """Two truths that look the same to the seat give the same reasons."""
    state = a_state(moves=10, seed=seed)
    seat = state.to_act
    truths = [state_from_observation(state.observation(seat), number) for number in range(4)]
    hexes = [f"{tile['q']},{tile['r']}" for tile in state.to_json()["island_tiles"]]
    colors = ("red", "black", "pink", "blue", "yellow", "green")
    texts = [
        f"die:{color} {action} {hex}" for color in colors for action in ("explore", "build") for hex in hexes
    ]
    for text in texts:
        reasons = set()
        for truth in truths:
            try:
                truth.clone().apply(text)
            except IllegalMove as error:
                reasons.add(match_at(truth).why_illegal(text, error))
        assert len(reasons) <= 1, reasons


def test_the_service_names_no_game():
    for path in SERVICE.glob("*.py"):
        for game in list_games():
            assert game not in path.read_text().lower(), path
