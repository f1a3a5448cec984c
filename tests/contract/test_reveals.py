"""What a seat sees after a move or outcome, worked out from what it saw and what it is told; for every game."""

import json
import re

import pytest

from pythia.core_cy import CHANCE, IllegalMove, Random, View, game_info, list_games, load_game
from pythia.core_cy.reveals import BadReveal, as_text, chances, part_of, passed, seen_after
from tests.contract.set_ups import ALL_GAMES, each_set_up, fewest, next_move, play, sample

HIDING = [name for name in ALL_GAMES if game_info(name).hides]


def is_true(view, text, after):
    """Whether a text tells what the seat really sees after the event."""
    texts = view.game.reveals_of(view.observation(), after)
    if texts is not None:
        return text in texts
    way, value = re.fullmatch(r"reveal ([^ ]+) (.*)", text).groups()
    steps = [
        int(step[1:-1]) if step.startswith("[") else step for step in re.findall(r"\[\d+\]|[^.\[\]]+", way)
    ]
    return as_text(part_of(after, tuple(steps))) == value


def told(view, move, after):
    """What the seat sees, once it was told all that it was shown."""
    seen = seen_after(view, move)
    if seen.view is not None:
        return seen.view
    truth = [text for text in seen.reveals if is_true(view, text, after.observation())]
    return seen_after(view, move, truth).view


@each_set_up
def test_whole_games_follow_from_what_a_seat_saw_and_was_told(name, players):
    rng = Random(1)
    state = load_game(name, players=players, seed=1).new_state()
    views = [View.of(state, seat) for seat in range(players)]
    while not state.is_over and state.turn_number < 30:
        move = next_move(state, rng)
        state.apply(move)
        for seat, view in enumerate(views):
            after = View.of(state, seat)
            views[seat] = told(view, str(move), after)
            assert views[seat] == after, f"seat {seat} after {move}"
            assert views[seat].observation() == after.observation()


@each_set_up
def test_chance_is_told_as_far_as_a_seat_can_know(name, players):
    events = 0
    for state in sample(name, players, games=1, count=30):
        if state.to_act != CHANCE:
            continue
        events += 1
        for seat in range(players):
            view = View.of(state, seat)
            outcomes = chances(view)
            assert sum(probability for _, probability in outcomes) == pytest.approx(1)
            assert all(probability > 0 for _, probability in outcomes)
            possible = {str(move) for move, _ in outcomes}
            assert {str(move) for move in state.legal_moves()} <= possible
            if game_info(name).open_chance:
                assert outcomes == state.chance_outcomes()
    assert events > 0 or all(state.to_act != CHANCE for state in play(name, players, seed=0))


@pytest.mark.parametrize("name", HIDING)
def test_what_a_seat_sees_nothing_of_happens_by_itself(name):
    """Otherwise the seat is asked; and what happens is what it sees afterwards, whatever it was."""
    for state in sample(name, fewest(name), games=1, count=30):
        if state.to_act != CHANCE:
            continue
        for seat in range(state.game.players):
            view = View.of(state, seat)
            after = state.clone()
            after.apply(after.sample_chance(Random(1)))
            now = passed(view)
            if now is not view:
                assert now.key == passed(View.of(after, seat)).key


@pytest.mark.parametrize("name", HIDING)
def test_what_is_told_must_fit(name):
    found = 0
    for state in sample(name, fewest(name), games=1, count=40):
        if state.is_over or state.to_act == CHANCE:
            continue
        view = View.of(state, state.to_act)
        for move in view.legal_moves()[:12]:
            seen = seen_after(view, move)
            with pytest.raises(BadReveal, match="allowed: ") as refused:
                seen_after(view, move, ["reveal nothing of the kind"])
            assert refused.value.number == 0
            if seen.view is None:
                found += 1
                assert len(seen.reveals) == len(set(seen.reveals)) > 1
                assert all(text in str(refused.value) for text in seen.reveals)
                one = seen_after(view, move, [seen.reveals[0]])
                assert one.view is not None or seen.reveals[0] not in one.reveals
                break
        if found > 5:
            return


def test_tiles_are_told_in_the_words_of_the_notation():
    state = load_game("delphi", players=2, seed=3).new_state()
    rng = Random(1)
    while not any(" look " in str(move) for move in state.legal_moves()):
        state.apply(next_move(state, rng))
    view = View.of(state, state.to_act)
    move = next(move for move in state.legal_moves() if " look " in str(move))
    seen = seen_after(view, move)
    assert seen.view is None
    first, second = str(move).split(" look ")[1].split()
    assert {text.split()[1] for text in seen.reveals} == {first, second}
    assert all(re.fullmatch(r"reveal -?\d,-?\d \w+ \w+", text) for text in seen.reveals)
    one = next(text for text in seen.reveals if text.split()[1] == first)
    still = seen_after(view, move, [one])
    assert still.view is None
    assert {text.split()[1] for text in still.reveals} == {second}
    assert f"reveal {second} {one.split(' ', 2)[2]}" not in still.reveals, "a tile lies in one place"
    two = seen_after(view, move, [one, still.reveals[0]]).view
    known = {
        f"reveal {tile['q']},{tile['r']} {tile['color']} {tile['letter']}"
        for tile in two.observation()["players"][view.seat]["knows"]
    }
    assert {one, still.reveals[0]} <= known


@pytest.mark.parametrize("name", list_games())
def test_an_illegal_move_is_refused(name):
    state = next(state for state in sample(name, fewest(name)) if state.to_act >= 0)
    for seat in range(state.game.players):
        with pytest.raises(IllegalMove):
            seen_after(View.of(state, seat), "no such move")


@pytest.mark.parametrize("name", HIDING)
def test_nothing_depends_on_what_is_hidden(name):
    for state in sample(name, fewest(name), games=2, count=15):
        if state.is_over:
            continue
        for seat in range(state.game.players):
            other = state.imagined(seat, 5)
            views = View.of(state, seat), View.of(other, seat)
            for move in views[0].imagined(0).legal_moves()[:5]:
                one, two = (seen_after(view, str(move)) for view in views)
                assert one == two
                if one.view:
                    assert json.dumps(one.view.observation()) == json.dumps(two.view.observation())
            if state.to_act == CHANCE:
                assert chances(views[0]) == chances(views[1])
