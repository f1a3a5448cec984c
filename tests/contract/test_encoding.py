"""What the encoding of every game must do, without knowing which game it is."""

from hashlib import blake2b

import pytest

from pythia.core_cy import CHANCE, Random, game_info, list_games, load_game, state_from_observation
from pythia.core_cy.encoding import encoding_class
from pythia.core_cy.testing import playout_move

SET_UPS = [
    (name, players)
    for name in list_games()
    for players in range(game_info(name).min_players, game_info(name).max_players + 1)
]
each_game = pytest.mark.parametrize("name", list_games())
each_set_up = pytest.mark.parametrize(("name", "players"), SET_UPS)

# Of all texts in their order, on the board of seed 0. Programs that have learned know moves by their numbers: a change
# here makes all of them useless.
DIGESTS = {"delphi": "0a43c9aa783839ea", "deukalion": "ce40bcaf9e3cf58e", "keltis": "ff47efdd2d869936"}


def positions(game, seed, sensible):
    """Every position of a game, played at random or with some sense."""
    state, rng = game.new_state(), Random(seed)
    while not state.is_over:
        yield state
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
        else:
            state.apply(playout_move(state, rng) if sensible else state.random_move(rng))
    yield state


def dealt_again(game, seed):
    return load_game(game.name, **{**encoding_class(game.name).table(game), "seed": seed})


@each_game
def test_the_numbers_of_moves_never_change(name):
    encoding = encoding_class(name)(load_game(name, seed=0))
    texts = "\n".join((*encoding.moves(), *encoding.outcomes()))
    assert blake2b(texts.encode(), digest_size=8).hexdigest() == DIGESTS[name]


@each_set_up
def test_every_text_is_a_move_of_its_own(name, players):
    game = load_game(name, players=players, seed=3)
    encoding, state = encoding_class(name)(game), game.new_state()
    texts = encoding.moves() + encoding.outcomes()
    moves = [state.read_move(text) for text in texts]
    assert [str(move) for move in moves] == texts
    assert len(set(moves)) == len(texts)


@each_set_up
def test_all_moves_of_all_deals_are_there(name, players):
    game = load_game(name, players=players, seed=5)
    encoding, state = encoding_class(name)(game), game.new_state()
    moves = {state.read_move(text).code for text in encoding.moves()}
    outcomes = {state.read_move(text).code for text in encoding.outcomes()}
    for seed in range(2):
        decisions, events = [0] * players, 0
        for state in positions(dealt_again(game, seed), seed, sensible=seed == 1):
            known = outcomes if state.to_act == CHANCE else moves
            assert known.issuperset(move.code for move in state.legal_moves())
            if state.to_act == CHANCE:
                events += 1
            elif not state.is_over:
                decisions[state.to_act] += 1
        assert max(decisions) <= encoding.max_decisions
        assert events <= players * encoding.max_events


@each_game
def test_another_deal_at_the_same_table_is_another_game_with_the_same_texts(name):
    game = load_game(name, seed=5)
    again = [dealt_again(game, seed) for seed in range(4)]
    assert len({other.new_state().position_hash() for other in again}) == 4
    texts = encoding_class(name)(game).moves()
    assert all(encoding_class(name)(other).moves() == texts for other in again)


@each_game
def test_another_board_has_the_same_kinds_of_moves(name):
    """The words of a move are the same; only the places that it names may differ."""

    def words(seed):
        texts = encoding_class(name)(load_game(name, seed=seed)).moves()
        return [[word for word in text.split() if "," not in word] for text in texts]

    assert words(1) == words(2)


@each_set_up
def test_a_vector_is_made_of_what_the_seat_sees(name, players):
    game = load_game(name, players=players, seed=5)
    encoding = encoding_class(name)(game)
    sizes, hidden_differ = set(), False
    for number, state in enumerate(positions(dealt_again(game, 1), 1, sensible=True)):
        if number % 7:
            continue
        seat = number % players
        observation = state.observation(seat)
        vector = encoding.vector(observation)
        sizes.add(len(vector))
        assert 0 <= min(vector) <= max(vector) <= 1
        if not state.is_over:
            twin = state_from_observation(observation, number)
            hidden_differ |= twin.position_hash() != state.position_hash()
            assert encoding.vector(twin.observation(seat)) == vector
    assert len(sizes) == 1
    assert hidden_differ


@each_set_up
def test_vectors_tell_positions_apart(name, players):
    """Nearly every move changes what its seat sees, and so the vector."""
    game = load_game(name, players=players, seed=2)
    encoding = encoding_class(name)(game)
    seen, vectors = set(), set()
    for number, state in enumerate(positions(game, 4, sensible=True)):
        if number < 300:
            seen.add(state.information_key(0))
            vectors.add(tuple(encoding.vector(state.observation(0))))
    assert len(vectors) > 0.95 * len(seen)
