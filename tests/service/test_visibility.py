"""Who may know what, found by the rules alone."""

from pathlib import Path

import pytest

from pythia.core_cy import (
    CHANCE,
    IllegalMove,
    Random,
    game_info,
    list_games,
    load_game,
    state_from_json,
    state_from_observation,
)
from pythia.service.errors import Refused
from pythia.service.live_match import LiveMatch, happened
from pythia.service.store import Header, Stored
from pythia.service.visibility import hidden_from, shows_something
from tests.service.serving import a_state

SERVICE = Path(__file__).parents[2] / "service"


def unseen(state, outcome):
    """The seats from which the outcome is hidden, when it comes in this position."""
    after = state.clone()
    after.apply(outcome)
    return hidden_from(state, outcome, after)


def test_cards_dealt_face_down_are_hidden_from_the_others():
    state = load_game("kuhn", seed=1).new_state()
    assert unseen(state, "deal J") == [1]
    state.apply("deal J")
    assert unseen(state, "deal K") == [0]


def test_open_dice_are_hidden_from_nobody():
    state, rng, kinds = load_game("delphi", players=3, seed=4).new_state(), Random(4), set()
    for _ in range(300):
        if state.to_act == CHANCE:
            outcome = str(state.sample_chance(rng))
            kinds.add(outcome.split()[0])
            assert unseen(state, outcome) == []
            state.apply(outcome)
        else:
            state.apply(rng.choice(state.legal_moves()))
    assert {"roll", "titan", "injury"} <= kinds


def random_game(name, players, seed):
    state, rng = load_game(name, players=players, seed=seed).new_state(), Random(seed)
    while not state.is_over:
        yield state.clone()
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves()))


def equal_cards_left():
    """A player is to draw, and the pile holds two cards, which are alike; its twin was in somebody's hand."""
    for seed in range(50):
        for state in random_game("keltis", 4, seed):
            if state.to_act == CHANCE and state.to_json()["pile_count"] == 2:
                position = state.to_json()
                pile, drawer = position["pile"], position["turn"]
                for seat, player in enumerate(position["players"]):
                    if seat != drawer and pile[0] in player["hand"]:
                        place = player["hand"].index(pile[0])
                        if pile[0] not in player.get("known", ()):
                            player["hand"][place], pile[1] = pile[1], pile[0]
                            player["hand"].sort()
                            return state_from_json(position), drawer
    raise AssertionError("no such position found")


def test_a_draw_is_hidden_also_when_only_one_card_can_come():
    """That the pile holds two equal cards is itself hidden: the outcome must not be announced because of it."""
    state, drawer = equal_cards_left()
    (outcome,) = state.legal_moves()
    assert unseen(state, outcome) == [seat for seat in range(4) if seat != drawer]
    assert unseen(state, str(outcome)) == unseen(state, outcome)


@pytest.mark.parametrize("name", [name for name in list_games() if not game_info(name).open_chance])
def test_who_sees_an_outcome_does_not_depend_on_what_they_do_not_see(name):
    """For positions that look the same to a seat, the seat is told alike which outcome came."""
    checked = 0
    for state in list(random_game(name, 2, 3))[::5]:
        if state.to_act != CHANCE:
            continue
        for outcome in state.legal_moves()[:3]:
            for seat in range(2):
                told = seat not in unseen(state, outcome)
                other = state.imagined(seat, checked)
                if outcome in other.legal_moves():
                    assert (seat not in unseen(other, outcome)) == told
                    checked += 1
    assert checked > 20


def test_moves_that_show_something():
    rng = Random(2)
    state = load_game("delphi", players=2, seed=2).new_state()
    found = {}
    while not {"look", "explore", "sail", "favor"} <= set(found):
        if state.to_act != CHANCE:
            for move in state.legal_moves():
                word = str(move).split()[1] if " " in str(move) else ""
                if word in ("look", "explore", "sail", "favor") and word not in found:
                    found[word] = shows_something(state, str(move), range(state.game.players))
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves()))
    assert found == {"look": True, "explore": True, "sail": False, "favor": False}


@pytest.mark.parametrize(
    ("other", "stands"), [({"name": "b"}, True), ({"name": "b", "bot": "greedy"}, False)]
)
def test_what_only_bots_saw_can_be_taken_back(other, stands):
    """A card that is played was hidden from the other seat, not from its own."""
    state = load_game("keltis", players=2, seed=2).new_state()
    start, text = state.to_json(), str(state.legal_moves()[0])
    header = Header("m", "keltis", 0.0, {}, [{"name": "a"}, other], start, 1, False)
    match = LiveMatch(Stored(header, [happened(state, text)]))
    if stands:
        with pytest.raises(Refused, match="showed something hidden"):
            match.before_last_move()
    else:
        assert match.before_last_move().to_json() == start


def match_at(state):
    header = Header("m", state.game.name, 0.0, {}, [{"name": "a"}, {"name": "b"}], state.to_json(), 1, False)
    return LiveMatch(Stored(header, []))


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
