"""Whatever is accepted as a position is written and accepted again, also after any moves that are played from it."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pythia.core_cy import (
    CHANCE,
    BadOption,
    BadPosition,
    Random,
    game_info,
    list_games,
    load_game,
    state_from_json,
    state_from_observation,
)
from tests.comparing import same_json

MOVES = 15
fuzz = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


def set_ups(name):
    """The usual set-up, and one with the most players for every other choice of an option."""
    info = game_info(name)
    yield load_game(name, seed=0)
    for option in info.options:
        for choice in option.choices:
            if choice != option.default:
                with suppress(BadOption):  # a choice that needs another option too
                    yield load_game(name, seed=1, players=info.max_players, **{option.name: choice})


def samples(name):
    """Positions from start to end of games with several options."""
    found = []
    for seed, set_up in enumerate(set_ups(name)):
        state, rng = set_up.new_state(), Random(seed)
        game = [state.clone()]
        while not state.is_over:
            state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
            game.append(state.clone())
        kept = game[:6] + game[6 :: max(1, len(game) // 12)] + game[-1:]
        found += [state.to_json() for state in kept]
    return found


def places(value, path=()):
    """The path of every part of a JSON value but the board, which has tests of its own."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        if key != "board":
            yield from places(item, (*path, key))


def part_of(position, path):
    for key in path:
        position = position[key]
    return position


def numbers_near(value):
    return st.sampled_from([0, 1, 99, 255, 256, 9999, 65535, value + 1, value - 1, value + 5, 2 * value])


def change(data, position):
    """One part becomes another of its kind, of the same list, or anything; or is there once more, or gone."""
    path = data.draw(st.sampled_from(list(places(position))))
    parent, key, value = part_of(position, path[:-1]), path[-1], part_of(position, path)
    what = data.draw(st.sampled_from(["near", "near", "same", "again", "gone", "any"]))
    if what == "near" and isinstance(value, bool):
        parent[key] = not value
    elif what == "near" and isinstance(value, int):
        parent[key] = data.draw(numbers_near(value))
    elif what == "same" and isinstance(parent, list):
        parent[key] = json.loads(json.dumps(data.draw(st.sampled_from(parent))))
    elif what == "again" and isinstance(parent, list):
        parent.insert(key, json.loads(json.dumps(value)))
    elif what == "gone":
        del parent[key]
    elif what == "any":
        parent[key] = data.draw(st.none() | st.booleans() | st.integers(-2, 120) | st.just("") | st.just([]))


def assert_comes_back(state):
    written = json.loads(json.dumps(state.to_json()))
    again = state_from_json(written)
    same_json(again.to_json(), written, other="the other")
    assert again.position_hash() == state.position_hash()
    assert [str(move) for move in again.legal_moves()] == [str(move) for move in state.legal_moves()]
    for seat in range(state.game.players):
        seen = json.loads(json.dumps(state.observation(seat)))
        same_json(state_from_observation(seen, 1).observation(seat), seen, other="the other")


@pytest.mark.parametrize("name", list_games())
def test_what_is_accepted_is_written_and_accepted_again(name):
    positions = [json.dumps(position) for position in samples(name)]
    accepted = 0

    @fuzz
    @given(st.data())
    def try_one(data):
        nonlocal accepted
        position = json.loads(data.draw(st.sampled_from(positions)))
        for _ in range(data.draw(st.integers(0, 2))):
            change(data, position)
        try:
            state = state_from_json(position)
        except BadPosition:
            return
        accepted += 1
        rng = Random(data.draw(st.integers(0, 1000)))
        assert_comes_back(state)
        for _ in range(MOVES):
            if state.is_over:
                break
            moves = state.legal_moves()
            assert moves
            state.apply(state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(moves))
            assert_comes_back(state)

    try_one()
    assert accepted > 20
