"""What every game on the contract must do, without knowing which game it is."""

import json
from collections import Counter
from dataclasses import fields

import pytest

from pythia.core_cy import (
    CHANCE,
    NOBODY,
    SPECTATOR,
    BadOption,
    BadPosition,
    IllegalMove,
    Random,
    View,
    game_info,
    list_games,
    load_game,
    state_from_json,
    state_from_observation,
)
from pythia.core_cy.picture import svg_of, text_of
from pythia.core_cy.registry import MICRO_GAMES
from pythia.core_cy.testing import determinized, perft, play_random, playout_move, priors, state_size
from pythia.search.params import SearchParams
from pythia.search.tree import Search, one_ply
from tests.comparing import same_json
from tests.contract.set_ups import ALL_GAMES, SET_UPS, each_set_up, fewest, next_move, play, sample
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
            same_json(by_move.to_json(), by_text.to_json(), other="the other")
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
        same_json(state.to_json(), before, other="the other")


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
        same_json(read.to_json(), written, other="the other")
        assert read.to_act == state.to_act
        assert [str(move) for move in read.legal_moves()] == [str(move) for move in state.legal_moves()]
        if not state.is_over:
            move = str(next_move(state, Random(3)))
            state.apply(move)
            read.apply(move)
            same_json(read.to_json(), state.to_json(), other="the other")


@each_set_up
def test_the_seed_deals_the_start_where_the_game_says_so(name, players):
    starts = {load_game(name, players=players, seed=seed).new_state().position_hash() for seed in range(4)}
    assert (len(starts) > 1) is game_info(name).dealt


@each_set_up
def test_who_has_one_move_is_asked_where_the_game_says_so(name, players):
    counts = {
        len(state.legal_moves())
        for seed in range(2)
        for state in play(name, players, seed)
        if state.to_act >= 0
    }
    assert (1 in counts) is game_info(name).forced_moves
    assert 0 not in counts


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
            same_json(drawn.observation(seat), seen, other="the other")
            assert drawn.to_act == state.to_act
            assert drawn.information_key(seat) == state.information_key(seat)
            same_json(state_from_observation(seen, seed=4).to_json(), drawn.to_json(), other="the other")
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
    # A game that hides something shows it here, or the test would show nothing; one that says it does not, must not.
    assert (hidden > 0) is game_info(name).hides


@each_set_up
def test_a_spectator_sees_no_more_than_any_seat(name, players):
    for state in sample(name, players):
        seen = json.dumps(state.observation(SPECTATOR))
        for seat in range(players):
            drawn = state_from_observation(state.observation(seat), seed=seat)
            assert json.dumps(drawn.observation(SPECTATOR)) == seen


@each_set_up
def test_a_spectator_has_a_key_of_what_everyone_sees(name, players):
    """Whatever is hidden from a spectator has no part in its key, and is drawn anew for it."""
    keys, drawn_anew = {}, 0
    for state in list(sample(name, players)):
        seen, key = json.dumps(state.observation(SPECTATOR)), state.information_key(SPECTATOR)
        assert keys.setdefault((id(state.game), key), seen) == seen
        for seed in range(3):
            other = determinized(state, SPECTATOR, Random(seed))
            drawn_anew += other.to_json() != state.to_json()
            assert json.dumps(other.observation(SPECTATOR)) == seen
            assert other.information_key(SPECTATOR) == key
            assert other.to_act == state.to_act
            same_json(
                determinized(state, SPECTATOR, Random(seed)).to_json(), other.to_json(), other="the other"
            )
        for seat in range(players):
            # No seat sees less.
            assert determinized(state, seat, Random(1)).information_key(SPECTATOR) == key
    assert (drawn_anew > 0) is game_info(name).hides


@pytest.mark.parametrize("name", list_games())
def test_what_a_spectator_sees_is_read_where_it_is_asked_for(name):
    for state in sample(name, fewest(name), games=1, count=20):
        seen = json.loads(json.dumps(state.observation(SPECTATOR)))
        drawn = state_from_observation(seen, 3, spectators=True)
        same_json(drawn.observation(SPECTATOR), seen, other="the other")
        with pytest.raises(BadPosition, match="observer: -1 is not allowed; allowed: a seat"):
            state_from_observation(seen, 3)


# -- search with every parameter at its bounds


def bounds_of_parameters():
    for field in fields(SearchParams):
        if field.type == "bool":
            yield from ((field.name, value) for value in (False, True))
        else:
            yield from ((field.name, field.metadata[end]) for end in ("low", "high"))


ALL_LOW = {field.name: field.metadata.get("low", False) for field in fields(SearchParams)}
ALL_HIGH = {field.name: field.metadata.get("high", True) for field in fields(SearchParams)}
# Playouts to the end of the game take long, and show no more than some rounds.
TOGETHER = [
    ALL_LOW,
    ALL_HIGH | {"playout_rounds": 2},
    ALL_LOW | {"max_nodes": 1000, "tree_turns": 2},
]


def searched(state, params, iterations=60):
    search = Search(View.of(state, state.to_act), params, 7)
    search.run(iterations)
    moves = search.moves()
    legal = set(state.legal_moves())
    assert {move.move for move in moves} == legal
    assert sum(move.prior for move in moves) == pytest.approx(1, abs=1e-3)
    assert sum(search.values()) == pytest.approx(1, abs=1e-6)
    assert sum(move.visits for move in moves) == iterations
    assert all(0 <= move.value <= 1 and 0 <= move.prior <= 1 for move in moves)
    for move in moves[:3]:
        search.line(move.move)


def decisions(name, players):
    """Some positions with a choice, of the whole game."""
    found = [
        state for state in play(name, players, 4, 250) if state.to_act >= 0 and len(state.legal_moves()) > 1
    ]
    return found[:: max(1, len(found) // 4)]


@pytest.mark.parametrize("name", ALL_GAMES)
@pytest.mark.parametrize(("parameter", "value"), list(bounds_of_parameters()))
def test_search_works_with_every_parameter_at_its_bounds(name, parameter, value):
    for state in decisions(name, fewest(name)):
        iterations = 10 if (parameter, value) == ("playout_rounds", 1000) else 60
        searched(
            state,
            SearchParams().changed(**state.game.search_params()).changed(**{parameter: value}),
            iterations,
        )


@each_set_up
@pytest.mark.parametrize("values", TOGETHER, ids=["low", "high", "deep"])
def test_search_works_with_all_parameters_at_their_bounds_together(name, players, values):
    for state in decisions(name, players):
        searched(state, SearchParams().changed(**values))
        searched(
            state, SearchParams().changed(**values | {"private_knowledge": not values["private_knowledge"]})
        )


@each_set_up
def test_nobody_searches_for_chance(name, players):
    state = next(state for state in play(name, players, 4) if state.to_act == CHANCE)
    for observer in (CHANCE, *range(players)):
        view = View.of(state, observer)
        with pytest.raises(ValueError, match="to act"):
            Search(view, SearchParams(), 7)
        with pytest.raises(ValueError, match="to act"):
            one_ply(view, 1, 7)


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
    same_json(state.to_json(), in_c.to_json(), other="the other")
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
        with pytest.raises(ValueError, match=rf"seat: {seat} is not allowed; .*-1 for a spectator"):
            state.information_key(seat)


@pytest.mark.parametrize("name", ALL_GAMES)
def test_options_are_checked(name):
    info = game_info(name)
    game = load_game(name, seed=3)
    assert set(game.options) == {option.name for option in info.options}
    assert game.options["seed"] == 3
    assert game.players == info.min_players
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
        with pytest.raises(BadOption, match=rf"game: .*{list_games()[0]}"):
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
    assert (differ > 0) is game_info(name).hides


@pytest.mark.parametrize("name", list_games())
def test_every_legal_move_can_be_marked(name):
    players = game_info(name).min_players
    for state in sample(name, players, games=1, count=6):
        position, moves = state.to_json(), state.legal_moves()
        plain = svg_of(position)
        for move in moves[:: max(1, len(moves) // 3)]:
            marked = Picture(svg_of(position, move=str(move)))
            assert marked.count("player") == players
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
    assert shown[:2] == [[names[0]], ["B\ufffd\ufffd ]]> Ö"]]
    assert shown[2:] == [[f"Seat {seat}"] for seat in range(2, state.game.players)]
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
            draw(state.to_json() | {"players": [{}] * state.game.players})
        with pytest.raises(BadPosition, match="observer"):
            draw(state.observation(0) | {"observer": 9})
        with pytest.raises(BadPosition, match=r"players: None is not allowed"):
            draw(state.observation(SPECTATOR) | {"players": None})
        with pytest.raises(BadPosition, match=r"players"):
            draw(state.observation(SPECTATOR) | {"players": [{}]})
        with pytest.raises(BadPosition, match=r"round: 'x' is not allowed; allowed: 1 to "):
            draw(state.observation(SPECTATOR) | {"round": "x"})


@pytest.mark.parametrize("name", list_games())
def test_a_broken_view_of_a_spectator_is_refused_by_the_path_of_its_fault(name):
    """What each part is replaced by has the wrong type, size or value; a picture must come out, or a refusal."""
    state = list(play(name, fewest(name), 5, 60))[-1]
    view = json.dumps(state.observation(SPECTATOR))
    refused = 0
    for path in paths_of(json.loads(view)):
        for wrong in (None, -7, 10**6, "x", [], {}, [{}], [[]], {"x": 1}):
            broken = json.loads(view)
            part = broken
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = wrong
            try:
                text_of(broken)
                svg_of(broken)
            except BadPosition:
                refused += 1
    assert refused > 100


def paths_of(value, path=()):
    """The paths of all parts of a JSON value, of lists only the first and last."""
    keys = (
        value
        if isinstance(value, dict)
        else sorted({0, len(value) - 1})
        if isinstance(value, list) and value
        else ()
    )
    for key in keys:
        yield (*path, key)
        yield from paths_of(value[key], (*path, key))


@pytest.mark.parametrize("name", MICRO_GAMES)
def test_games_for_tests_have_no_pictures(name):
    for draw in (svg_of, text_of):
        others = ", ".join(list_games())
        with pytest.raises(
            BadPosition, match=rf"game: '{name}' has no pictures; games with pictures: {others}"
        ):
            draw(load_game(name, seed=1).new_state().to_json())
