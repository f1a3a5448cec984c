"""Whatever is accepted as a position is written and accepted again, also after any moves that are played from it."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pythia.core_cy import (
    CHANCE,
    BadPosition,
    Random,
    list_games,
    load_game,
    state_from_json,
    state_from_observation,
)
from tests.comparing import same_json

OPTIONS = {
    "delphi": [{}, {"ship_tiles": "draft", "players": 4}],
    "keltis": [{}, {"clover": "any", "players": 3}],
}
MOVES = 15
fuzz = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


def samples(name):
    """Positions from start to end of games with several options."""
    found = []
    for seed, options in enumerate(OPTIONS.get(name, [{}])):
        state, rng = load_game(name, seed=seed, **options).new_state(), Random(seed)
        game = [state.to_json()]
        while not state.is_over:
            state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
            game.append(state.to_json())
        found += game[:6] + game[6 :: max(1, len(game) // 12)] + game[-1:]
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
