"""What every game on the contract must do, without knowing which game it is."""

import json
from collections import Counter

import pytest

from pythia.core_cy import (
    CHANCE,
    NOBODY,
    SPECTATOR,
    BadOption,
    BadPosition,
    IllegalMove,
    Random,
    game_info,
    list_games,
    load_game,
    state_from_json,
    state_from_observation,
)
from pythia.core_cy.picture import svg_of, text_of
from pythia.core_cy.registry import MICRO_GAMES
from pythia.core_cy.testing import perft, play_random, playout_move, priors, state_size
from tests.contract.set_ups import ALL_GAMES, SET_UPS, each_set_up, next_move, play, sample
from tests.pictures import Picture, assert_well_laid_out


@each_set_up
def test_random_play_ends(name, players):
    for seed in range(3):
        state = load_game(name, players=players, seed=seed).new_state()
        rng = Random(seed)
        while not state.is_over:
            state.apply(next_move(state, rng))
        assert state.to_act == NOBODY
        assert state.legal_moves() == []
        returns = state.returns()
        assert len(returns) == players
        assert sum(returns) == pytest.approx(1)
        assert all(0 <= value <= 1 for value in returns)
        ranks = state.ranks()
        assert min(ranks) == 1
        assert all(1 <= rank <= players for rank in ranks)
        assert max(returns) == returns[ranks.index(1)]


@each_set_up
def test_every_listed_move_applies_and_no_other(name, players):
    texts_of_other_positions = set()
    for state in sample(name, players):
        moves = state.legal_moves()
        texts = [str(move) for move in moves]
        assert len(set(texts)) == len(texts)
        before = json.dumps(state.to_json())
        for move, text in list(zip(moves, texts, strict=True))[:: max(1, len(moves) // 40)]:
            by_move, by_text = state.clone(), state.clone()
            by_move.apply(move)
            by_text.apply(text)
            assert by_move.to_json() == by_text.to_json()
        illegal = sorted(texts_of_other_positions - set(texts))
        odd = ["", "nonsense", " ", "\x00", texts[0] + " " if texts else "x"]
        for text in illegal[:: max(1, len(illegal) // 40)] + odd:
            with pytest.raises(IllegalMove, match=r"."):
                state.apply(text)
        assert json.dumps(state.to_json()) == before
        texts_of_other_positions.update(texts[:50])


@each_set_up
def test_moves_of_another_kind_are_refused(name, players):
    state = load_game(name, players=players, seed=1).new_state()
    for wrong in (None, 3, b"x", ["x"]):
        with pytest.raises(TypeError, match="move"):
            state.apply(wrong)


@each_set_up
def test_clones_are_independent(name, players):
    rng = Random(5)
    for state in sample(name, players):
        if state.is_over:
            continue
        before = state.to_json()
        copy = state.clone()
        copy.apply(next_move(copy, rng))
        assert state.to_json() == before


@each_set_up
def test_queries_change_nothing(name, players):
    for state in sample(name, players):
        before = state.position_hash()
        state.legal_moves()
        state.to_json()
        state.evaluate()
        str(state)
        for seat in range(players):
            state.observation(seat)
            state.information_key(seat)
        if state.to_act == CHANCE:
            state.chance_outcomes()
            state.sample_chance(Random(1))
        assert state.position_hash() == before


@each_set_up
def test_json_round_trip(name, players):
    for state in sample(name, players, count=100):
        written = json.loads(json.dumps(state.to_json()))
        read = state_from_json(written)
        assert read.to_json() == written
        assert read.to_act == state.to_act
        assert [str(move) for move in read.legal_moves()] == [str(move) for move in state.legal_moves()]
        if not state.is_over:
            move = str(next_move(state, Random(3)))
            state.apply(move)
            read.apply(move)
            assert read.to_json() == state.to_json()


@each_set_up
def test_same_seed_same_game(name, players):
    games = [[state.to_json() for state in play(name, players, 11, 200)] for _ in range(2)]
    assert games[0] == games[1]


@each_set_up
def test_chance_probabilities_sum_to_one_and_match_sampling(name, players):
    events = 0
    seen = Counter()
    for state in play(name, players, 2, 3000):
        if state.to_act != CHANCE:
            with pytest.raises(ValueError, match="chance"):
                state.chance_outcomes()
            continue
        outcomes = state.chance_outcomes()
        assert sum(probability for _, probability in outcomes) == pytest.approx(1)
        assert all(probability > 0 for _, probability in outcomes)
        assert [move for move, _ in outcomes] == state.legal_moves()
        kind = str(outcomes[0][0]).split()[0]
        seen[kind] += 1
        if seen[kind] > 2:
            continue
        events += 1
        rng = Random(events)
        draws = 4000
        counts = Counter(str(state.sample_chance(rng)) for _ in range(draws))
        assert set(counts) <= {str(move) for move, _ in outcomes}
        square = sum(
            (counts[str(move)] - draws * probability) ** 2 / (draws * probability)
            for move, probability in outcomes
        )
        # Far beyond any quantile in use: mean k - 1, deviation sqrt(2 (k - 1)).
        freedom = len(outcomes) - 1
        assert square <= freedom + 6 * (2 * freedom) ** 0.5 + 1e-9, (kind, square, freedom)
    assert events


@each_set_up
def test_observation_is_reproduced_by_what_is_drawn_from_it(name, players):
    for state in sample(name, players):
        for seat in range(players):
            seen = json.loads(json.dumps(state.observation(seat)))
            drawn = state_from_observation(seen, seed=4)
            assert drawn.observation(seat) == seen
            assert drawn.to_act == state.to_act
            assert drawn.information_key(seat) == state.information_key(seat)
            assert state_from_observation(seen, seed=4).to_json() == drawn.to_json()
            if state.to_act == seat:
                assert [str(move) for move in drawn.legal_moves()] == [
                    str(move) for move in state.legal_moves()
                ]


@each_set_up
def test_what_a_seat_cannot_see_does_not_show(name, players):
    hidden = 0
    for state in sample(name, players):
        for seat in range(players):
            seen = json.dumps(state.observation(seat))
            for seed in range(3):
                other = state_from_observation(json.loads(seen), seed=seed)
                hidden += other.to_json() != state.to_json()
                assert json.dumps(other.observation(seat)) == seen
    assert hidden > 0, "no pair of states differed in anything hidden: the test shows nothing"


@each_set_up
def test_a_spectator_sees_no_more_than_any_seat(name, players):
    for state in sample(name, players):
        seen = json.dumps(state.observation(SPECTATOR))
        for seat in range(players):
            drawn = state_from_observation(state.observation(seat), seed=seat)
            assert json.dumps(drawn.observation(SPECTATOR)) == seen


def is_open(state):
    """Whether at this event of chance every seat knows what may come and how likely, and everyone sees what comes."""

    def listed(position):
        return [(str(move), pytest.approx(share)) for move, share in position.chance_outcomes()]

    expected = listed(state)
    for seat in range(state.game.players):
        seen = state.observation(seat)
        if any(listed(state_from_observation(seen, seed)) != expected for seed in range(3)):
            return False
    views = {}
    for outcome, _ in state.chance_outcomes():
        after = state.clone()
        after.apply(outcome)
        view = json.dumps(after.observation(SPECTATOR))
        if views.setdefault(view, after.position_hash()) != after.position_hash():
            return False
    return True


@each_set_up
def test_chance_is_open_where_the_game_says_so(name, players):
    """What chance may bring, asked by one seat, must not tell what another one holds."""
    kinds, found = Counter(), []
    for state in play(name, players, 6, 400):
        if state.to_act == CHANCE:
            kind = str(state.legal_moves()[0]).split()[0]
            kinds[kind] += 1
            if kinds[kind] <= 4:
                found.append(is_open(state))
    assert found
    assert all(found) is game_info(name).open_chance


@each_set_up
def test_keys_tell_positions_apart(name, players):
    positions = [state for seed in range(2) for state in play(name, players, seed, 300)]
    by_hash = {}
    by_key = {}
    for state in positions:
        full = json.dumps(state.to_json())
        assert by_hash.setdefault((id(state.game), state.position_hash()), full) == full
        for seat in range(players):
            seen = json.dumps(state.observation(seat))
            assert by_key.setdefault((id(state.game), seat, state.information_key(seat)), seen) == seen


@each_set_up
def test_turn_number_never_falls(name, players):
    numbers = [state.turn_number for state in play(name, players, 3, 500)]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[-1]


@each_set_up
def test_knowledge_is_well_formed(name, players):
    for state in sample(name, players):
        values = state.evaluate()
        assert sum(values) == pytest.approx(1)
        assert all(0 <= value <= 1 for value in values)
        if state.to_act >= 0:
            weights = priors(state)
            assert sum(weights) == pytest.approx(1, abs=1e-3)
            assert all(weight > 0 for weight in weights)
            legal = {str(move) for move in state.legal_moves()}
            assert playout_move(state, Random(1)) in legal
            assert str(state.random_move(Random(2))) in legal


@each_set_up
def test_random_move_is_uniform(name, players):
    for state in sample(name, players, games=1, moves=120, count=5):
        if state.to_act < 0:
            continue
        moves = [str(move) for move in state.legal_moves()]
        draws = 20 * len(moves)
        rng = Random(9)
        counts = Counter(str(state.random_move(rng)) for _ in range(draws))
        assert set(counts) <= set(moves)
        square = sum((counts[move] - 20) ** 2 / 20 for move in moves)
        freedom = len(moves) - 1
        assert square <= freedom + 6 * (2 * freedom) ** 0.5 + 1e-9


@each_set_up
def test_c_and_python_play_the_same_game(name, players):
    state = load_game(name, players=players, seed=8).new_state()
    in_c = state.clone()
    played, *_ = play_random(in_c, Random(8), 60)
    assert played == 60
    rng = Random(8)
    start = state.clone()
    for _ in range(60):
        if state.is_over:
            state = start.clone()
        state.apply(next_move(state, rng))
    assert state.to_json() == in_c.to_json()
    assert perft(state, 1) == max(1, len(state.legal_moves()))


@each_set_up
def test_state_is_small(name, players):
    assert state_size(load_game(name, players=players, seed=1).new_state()) <= 1024


@each_set_up
def test_unfinished_games_have_no_result(name, players):
    state = load_game(name, players=players, seed=1).new_state()
    with pytest.raises(ValueError, match="not over"):
        state.returns()
    with pytest.raises(ValueError, match="not over"):
        state.ranks()
    for seat in (SPECTATOR - 1, players):
        with pytest.raises(ValueError, match="seat"):
            state.observation(seat)


@pytest.mark.parametrize("name", ALL_GAMES)
def test_options_are_checked(name):
    info = game_info(name)
    game = load_game(name, seed=3)
    assert set(game.options) == {option.name for option in info.options}
    assert game.options["seed"] == 3
    assert isinstance(load_game(name).options["seed"], int)
    with pytest.raises(BadOption, match=r"option: 'colour'.*players"):
        load_game(name, colour="red")
    for wrong in (info.min_players - 1, info.max_players + 1, "2", 2.0, True, None):
        with pytest.raises(BadOption, match="players"):
            load_game(name, players=wrong)
    for wrong in (-1, "x", 2**63, 1.5, False):
        with pytest.raises(BadOption, match="seed"):
            load_game(name, seed=wrong)


def test_unknown_games_are_named():
    for wrong in ("chess", "", None, 3):
        with pytest.raises(BadOption, match=r"game: .*delphi"):
            load_game(wrong)
    for wrong in ({"game": "chess"}, {}, [], None, "x", {"game": 3}, {"game": []}):
        with pytest.raises(BadPosition):
            state_from_json(wrong)
        with pytest.raises(BadPosition):
            state_from_observation(wrong)


@pytest.mark.parametrize("name", ALL_GAMES)
def test_a_state_is_not_an_observation(name):
    state = load_game(name, seed=3).new_state()
    with pytest.raises(BadPosition, match="observer"):
        state_from_observation(state.to_json())
    with pytest.raises(BadPosition, match="observer"):
        state_from_json(state.observation(0))
    with pytest.raises(BadPosition, match="format"):
        state_from_json({**state.to_json(), "format": 99})


# -- pictures: of every game that is offered


@pytest.mark.parametrize(("name", "players"), [set_up for set_up in SET_UPS if set_up[0] in list_games()])
def test_every_position_has_a_picture(name, players):
    for state in sample(name, players, games=1, count=3):
        for position in (state.to_json(), state.observation(players - 1), state.observation(SPECTATOR)):
            svg = svg_of(position)
            assert svg == svg_of(json.loads(json.dumps(position)))
            picture = Picture(svg)
            assert_well_laid_out(picture)
            assert picture.count("player") == players
            assert text_of(position).splitlines()[0].split(" · ")[0] == game_info(name).title


@pytest.mark.parametrize(("name", "players"), [set_up for set_up in SET_UPS if set_up[0] in list_games()])
def test_pictures_of_observations_hold_nothing_hidden(name, players):
    differ = 0
    for state in sample(name, players, games=1, count=2):
        seen = state.observation(0)
        other = state_from_observation(seen, seed=1)
        assert svg_of(other.observation(0)) == svg_of(seen)
        assert svg_of(other.observation(SPECTATOR)) == svg_of(state.observation(SPECTATOR))
        differ += svg_of(other.to_json()) != svg_of(state.to_json())
    assert differ > 0, "no pair of states looked different to the referee: the test shows nothing"


@pytest.mark.parametrize("name", list_games())
def test_every_legal_move_can_be_marked(name):
    for state in sample(name, 2, games=1, count=6):
        position, moves = state.to_json(), state.legal_moves()
        plain = svg_of(position)
        for move in moves[:: max(1, len(moves) // 3)]:
            marked = Picture(svg_of(position, move=str(move)))
            assert marked.count("player") == 2
        with pytest.raises(IllegalMove):
            svg_of(position, move="nonsense")
        with pytest.raises(BadPosition, match="spectator"):
            svg_of(state.observation(SPECTATOR), move=str(move))
        assert svg_of(position) == plain


@pytest.mark.parametrize("name", list_games())
def test_pictures_escape_what_they_are_told(name):
    state = load_game(name, seed=3).new_state()
    names = ["<b>&amp;\"'</b>", "B\x00\ud800 ]]> Ö"]
    picture = Picture(svg_of(state.to_json(), names=names))
    shown = [player.one("name").words() for player in picture.all("player")]
    assert shown == [[names[0]], ["B\ufffd\ufffd ]]> Ö"]]
    assert Picture(svg_of(state.to_json(), names=["", "Bo"])).all("player")[0].one("name").words() == [
        "Seat 0"
    ]


@pytest.mark.parametrize("name", list_games())
def test_pictures_with_and_without_coordinates(name):
    position = load_game(name, seed=3).new_state().to_json()
    assert Picture(svg_of(position)).count("coordinates") > 30
    assert Picture(svg_of(position, coordinates=False)).count("coordinates") == 0


@pytest.mark.parametrize("name", list_games())
def test_a_position_that_cannot_be_is_not_drawn(name):
    state = load_game(name, seed=3).new_state()
    for draw in (svg_of, text_of):
        with pytest.raises(BadPosition, match=r"players\[0\]"):
            draw(state.to_json() | {"players": [{}, {}]})
        with pytest.raises(BadPosition, match="observer"):
            draw(state.observation(0) | {"observer": 9})
        with pytest.raises(BadPosition, match=r"players: None is not allowed"):
            draw(state.observation(SPECTATOR) | {"players": None})
        with pytest.raises(BadPosition, match=r"round: 'x' is not allowed; allowed: a int"):
            draw(state.observation(SPECTATOR) | {"round": "x"})


@pytest.mark.parametrize("name", MICRO_GAMES)
def test_games_for_tests_have_no_pictures(name):
    for draw in (svg_of, text_of):
        with pytest.raises(
            BadPosition, match=rf"game: '{name}' has no pictures; games that have: delphi, keltis"
        ):
            draw(load_game(name, seed=1).new_state().to_json())
