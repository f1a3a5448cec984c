"""Every bot on every game: legal, reproducible, fair, and clear about what it cannot do."""

import itertools
import json
import re
import threading
from dataclasses import replace

import pytest

from pythia.arena.luck import Luck
from pythia.core_cy import CHANCE, Random, View, game_info, load_game, state_from_observation
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import (
    GOOD_LOSS,
    LEVELS,
    BotSpec,
    Progress,
    RootStatistics,
    describe_bots,
    expected_rank,
    make_bot,
    merged,
)
from pythia.search.limits import Limit
from pythia.search.params import SearchParams
from pythia.search.tree import Search, StopFlag, one_ply
from tests.search.positions import ALL_GAMES, decisions

LIMIT = Limit(iterations=24)
NAMES = [info.name for info in describe_bots()]
each_bot = pytest.mark.parametrize("bot_name", NAMES)
each_game = pytest.mark.parametrize("game", ALL_GAMES)


def answer(bot, observation, limit=LIMIT):
    """What the bot says, as text, without the time it took."""
    obj = bot.choose(observation, limit).to_json()
    del obj["seconds"]
    return json.dumps(obj)


def observe(state):
    return state.observation(state.to_act)


@each_bot
@each_game
def test_a_result_holds_the_reports_that_were_asked_for(bot_name, game):
    state = next(decisions(game, seed=1, every=1, most=1))
    whole = make_bot(bot_name, seed=3).choose(observe(state), LIMIT, lines=None)
    for lines in (1, 3, 10_000):
        part = make_bot(bot_name, seed=3).choose(observe(state), LIMIT, lines=lines)
        assert part == replace(whole, moves=whole.moves[:lines])
        assert part.entropy == whole.entropy
    assert make_bot(bot_name, seed=3).choose(observe(state), LIMIT) == replace(whole, moves=whole.moves[:1])
    alone = make_bot(bot_name, seed=3).choose(observe(state), LIMIT, lines=0)
    assert (alone.move, alone.moves, alone.values, alone.reasons) == (whole.move, [], [], [])
    with pytest.raises(ValueError, match="lines: -1 is not allowed"):
        make_bot(bot_name).choose(observe(state), LIMIT, lines=-1)


@each_bot
@each_game
def test_answers_are_legal_and_in_order(bot_name, game):
    for state in decisions(game, seed=1, every=25, most=6):
        legal = [str(move) for move in state.legal_moves()]
        seat = state.to_act
        result = make_bot(bot_name, seed=3).choose(observe(state), LIMIT, lines=None)
        assert result.move in legal
        assert result.moves[0].move == result.move
        assert len(result.values) == state.game.players
        assert all(-1e-9 <= value <= 1 + 1e-9 for value in result.values)
        assert sum(result.values) == pytest.approx(1, abs=1e-6)
        texts = [report.move for report in result.moves]
        assert len(set(texts)) == len(texts)
        assert set(texts) <= set(legal)
        for report in result.moves:
            if report.win_probability is None:
                # Not tried, so nothing is said about it.
                assert (report.visits, report.low, report.high, report.expected_rank) == (0, 0, 1, None)
                continue
            assert 0 <= report.low <= report.win_probability <= report.high <= 1
            assert 1 <= report.expected_rank <= state.game.players
            if state.game.players == 2:
                assert report.expected_rank == pytest.approx(2 - report.win_probability)
            assert 0 <= report.line_probability <= 1
            assert not report.line or report.line[0] == report.move
        if bot_name in ("planner", "ismcts"):
            assert 0 < result.iterations <= LIMIT.iterations
            assert sum(report.visits for report in result.moves) == result.iterations
            assert sum(report.prior for report in result.moves) == pytest.approx(1, abs=1e-4)
            assert set(texts) == set(legal)
            assert all((report.win_probability is None) == (report.visits == 0) for report in result.moves)
            mean = sum(report.visits * (report.win_probability or 0) for report in result.moves)
            # What is shown is calibrated, move by move and for the position, so the mean is near it and not it.
            assert mean / result.iterations == pytest.approx(result.values[seat], abs=0.05)


@each_bot
def test_more_players(bot_name):
    for state in decisions(ALL_GAMES[0], seed=2, every=40, most=2, players=4):
        result = make_bot(bot_name).choose(observe(state), LIMIT)
        state.apply(result.move)
        assert len(result.values) == 4
        assert all(1 <= report.expected_rank <= 4 for report in result.moves if report.expected_rank)


def test_expected_rank():
    assert expected_rank(0.7, 0, [0.6, 0.4]) == pytest.approx(1.3)  # with two it is the chance to lose
    assert expected_rank(0.25, 1, [0.25] * 4) == pytest.approx(2.5)
    assert expected_rank(1.0, 2, [0.5, 0.5, 0.0]) == 1
    assert expected_rank(0.0, 0, [0.0, 1.0, 0.0]) == pytest.approx(2.5)  # behind one, beside the other
    ranks = [expected_rank(value, seat, [0.5, 0.3, 0.2]) for seat, value in enumerate([0.5, 0.3, 0.2])]
    assert sum(ranks) == pytest.approx(6)
    assert ranks == sorted(ranks)


# -- fairness


@each_bot
@each_game
def test_hidden_parts_make_no_difference(bot_name, game):
    """Pairs of full states that the seat cannot tell apart get the same analysis, bit for bit."""
    apart = 0
    for state in decisions(game, seed=4, every=20, most=8):
        seat = state.to_act
        one = state_from_observation(observe(state), 1)
        other = state_from_observation(observe(state), 2)
        apart += one.position_hash() != other.position_hash()
        answers = {
            answer(make_bot(bot_name, seed=9), position.observation(seat)) for position in (state, one, other)
        }
        assert len(answers) == 1
    assert (apart > 0) is game_info(game).hides


@each_game
def test_a_search_does_not_use_the_hidden_parts_of_its_state(game):
    """One level deeper: even when it holds the whole state, a search asks only what its seat could know."""
    apart = 0
    for state in decisions(game, seed=5, every=20, most=8):
        seat = state.to_act
        pair = [state_from_observation(observe(state), seed) for seed in (1, 2)]
        apart += pair[0].position_hash() != pair[1].position_hash()
        found = []
        for position in pair:
            view = View.of(position, seat)
            search = Search(view, SearchParams(), 7)
            search.run(40)
            moves = search.moves()
            lines = [search.line(move.move) for move in moves if move.visits]
            found.append((moves, search.values(), lines, one_ply(view, 4, 7)))
        assert found[0] == found[1]
    assert (apart > 0) is game_info(game).hides


@each_bot
def test_the_observation_stays_as_it_is(bot_name):
    state = next(decisions(ALL_GAMES[0], seed=6, every=1, most=1))
    observation = observe(state)
    before = json.dumps(observation)
    make_bot(bot_name).choose(observation, LIMIT)
    assert json.dumps(observation) == before


@each_bot
def test_an_observation_may_come_as_text(bot_name):
    """What comes over a wire is equal, not the same object."""
    state = next(decisions(ALL_GAMES[0], seed=6, every=1, most=1))
    copy = json.loads(json.dumps(observe(state)))
    assert answer(make_bot(bot_name), copy) == answer(make_bot(bot_name), observe(state))


# -- reproducible


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("bot_name", ["planner", "ismcts"])
@each_game
def test_same_seed_and_threads_same_answer(bot_name, threads, game):
    for state in decisions(game, seed=7, every=30, most=3):
        answers = {
            answer(make_bot(bot_name, seed=5, threads=threads), observe(state), Limit(iterations=31))
            for _ in range(3)
        }
        assert len(answers) == 1


@each_bot
def test_a_bot_answers_alike_whatever_it_was_asked_before(bot_name):
    states = list(decisions(ALL_GAMES[0], seed=8, every=20, most=4))
    bot = make_bot(bot_name, seed=2)
    used = [answer(bot, observe(state)) for state in states]
    fresh = [answer(make_bot(bot_name, seed=2), observe(state)) for state in reversed(states)]
    assert used == fresh[::-1]


def test_another_seed_is_another_search():
    state = next(decisions(ALL_GAMES[0], seed=9, every=1, most=1))
    answers = {answer(make_bot("ismcts", seed=seed), observe(state)) for seed in range(4)}
    assert len(answers) > 1
    moves = {make_bot("random", seed=seed).choose(observe(state)).move for seed in range(20)}
    assert len(moves) > 5


def test_greedy_heeds_stop_and_seconds_between_samples():
    state = load_game("delphi", players=2, seed=1).new_state()
    rng = Random(1)
    while state.to_act == CHANCE or len(state.legal_moves()) < 2:
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
    seen = state.observation(state.to_act)
    bot, stop = make_bot("greedy", samples=10_000), StopFlag()
    stop.set()
    stopped = bot.choose(seen, stop=stop)
    timed = bot.choose(seen, Limit(seconds=1e-6))
    assert stopped.iterations == timed.iterations == 1
    assert stopped.move == timed.move == make_bot("greedy", samples=1).choose(seen, stop=stop).move


def test_greedy_breaks_ties_by_its_seed():
    """Bets on an undealt judgement are all alike there: both moves are played, each by its seeds."""
    state = load_game("kuhn").new_state()
    state.apply("deal Q")
    state.apply("deal K")
    moves = [make_bot("greedy", seed=seed).choose(state.observation(0)).move for seed in range(20)]
    assert set(moves) == {"pass", "bet"}
    assert moves == [make_bot("greedy", seed=seed).choose(state.observation(0)).move for seed in range(20)]


# -- threads


def test_threads_are_added_up():
    state = next(decisions(ALL_GAMES[0], seed=10, every=1, most=1))
    searches = []
    for seed in (1, 2):
        search = Search(View.of(state, state.to_act), SearchParams(), seed)
        search.run(30)
        searches.append(search)
    parts = [{root.move: root for root in search.moves()} for search in searches]
    for move in merged(searches):
        one, other = (part[move.move] for part in parts)
        assert move.visits == one.visits + other.visits
        if not move.visits:
            continue
        mean = (one.visits * one.value + other.visits * other.value) / move.visits
        square = sum(part.visits * (part.variance + part.value**2) for part in (one, other)) / move.visits
        assert move.value == pytest.approx(mean)
        assert move.spread == pytest.approx(square - mean**2, abs=1e-9)
        assert move.source is searches[other.visits > one.visits] or one.visits == other.visits
    assert merged(searches)[0].move in {search.moves()[0].move for search in searches}


# -- limits


@each_game
def test_one_legal_move_is_played_at_once(game):
    """Such a position need not exist in every game; where it does, nothing is searched."""
    rng = Random(3)
    state = load_game(game, seed=3).new_state()
    found = 0
    while not state.is_over and found < 3:
        moves = state.legal_moves()
        if state.to_act != CHANCE and len(moves) == 1:
            result = make_bot("ismcts").choose(observe(state), Limit(iterations=10**9))
            assert result.move == str(moves[0])
            assert result.iterations == 0
            found += 1
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(moves))
    assert (found > 0) is game_info(game).forced_moves


@pytest.mark.parametrize("bot_name", ["planner", "ismcts"])
@each_game
def test_a_deadline_too_short_for_an_iteration(bot_name, game):
    for state in decisions(game, seed=11, every=20, most=3):
        result = make_bot(bot_name, threads=2).choose(observe(state), Limit(seconds=1e-9))
        assert result.move in [str(move) for move in state.legal_moves()]
        if not result.iterations:
            assert result.moves[0].prior == max(report.prior for report in result.moves)


def test_a_set_stop_flag_ends_the_search():
    state = next(decisions(ALL_GAMES[0], seed=12, every=1, most=1))
    stop = StopFlag()
    timer = threading.Timer(0.05, stop.set)
    timer.start()
    result = make_bot("ismcts", threads=2).choose(observe(state), Limit(iterations=10**12), stop)
    timer.join()
    assert result.iterations < 10**12
    assert result.move in [str(move) for move in state.legal_moves()]


def test_a_limit_per_turn_is_shared_by_its_decisions():
    """Over a stretch of a game: half of the budget first, then less and less, at last single iterations."""
    state = load_game(ALL_GAMES[0], seed=13).new_state()
    luck = Luck(1)
    bots = [make_bot("ismcts", seed=seat) for seat in range(2)]
    limit = Limit(iterations=40, per="turn")
    spent = {}
    for _ in range(60):
        seat = state.to_act
        if seat == CHANCE:
            state.apply(luck.draw(state))
            continue
        result = bots[seat].choose(observe(state), limit)
        spent.setdefault((seat, state.turn_number), []).append(result.iterations)
        state.apply(result.move)
    searched = [[n for n in turn if n] for turn in spent.values()]
    assert max(map(len, searched)) > 2
    assert all(turn[0] <= 20 for turn in searched if turn)
    assert all(sum(turn) <= 40 + turn.count(1) for turn in searched)


def test_the_plan_of_a_turn_is_carried_on():
    """With a limit per turn a decision starts from what the tree of the one before found out about it."""
    limit = Limit(iterations=400, per="turn")
    carried = 0
    for state in decisions(ALL_GAMES[0], seed=5, every=7, most=8):
        bot = make_bot("planner", seed=3)
        first = bot.choose(observe(state), limit)
        turn, seat = state.turn_number, state.to_act
        state.apply(first.move)
        if (state.turn_number, state.to_act) != (turn, seat) or len(state.legal_moves()) == 1:
            continue
        on = bot.choose(observe(state), limit, lines=None)
        visits = sum(report.visits for report in on.moves)
        assert visits >= on.iterations
        carried += visits > on.iterations
        # Every legal move is there, also those that the tree had left out.
        assert {report.move for report in on.moves} == {str(move) for move in state.legal_moves()}
        # Another limit starts anew.
        again = bot.choose(observe(state), LIMIT, lines=None)
        assert sum(report.visits for report in again.moves) == again.iterations
    assert carried >= 2


def test_a_tree_goes_on_only_where_it_has_been():
    state = next(decisions(ALL_GAMES[0], seed=5, every=1, most=1))
    view = View.of(state, state.to_act)
    search = Search(view, SearchParams(), 1)
    search.run(20)
    assert search.knows(view)
    other = next(decisions(ALL_GAMES[0], seed=6, every=1, most=1))
    unknown = View.of(other, other.to_act)
    assert not search.knows(unknown)
    with pytest.raises(ValueError, match="does not know"):
        search.go_on(unknown)


@pytest.mark.parametrize("power", [0.0, 0.5, 3.0])
def test_equal_priors_stay_equal_at_any_power(power):
    """Also for moves of others that depend on what they hold: their priors have a sum of 1 again after the power."""
    state = load_game("keltis", players=2, seed=3).new_state()
    view = View.of(state, 0).with_weights({"prior_temperature": 1e9})
    visits = []
    for params in (SearchParams(tree_turns=1), SearchParams(tree_turns=1, prior_power=power)):
        # After a single move, so that the tree gets to the replies.
        search = Search(view, params, 5, view.legal_moves()[:1])
        search.run(1000)
        visits.append([(str(root.move), root.visits, root.value) for root in search.moves()])
    assert visits[0] == visits[1]


def test_a_game_suggests_parameters_and_the_caller_decides():
    for name in ALL_GAMES:
        game = next(decisions(name, seed=1, every=1, most=1)).game
        assert make_bot("ismcts").params(game) == SearchParams().changed(**game.search_params())
        assert make_bot("ismcts", playout_rounds=3).params(game).playout_rounds == 3
        assert make_bot("planner").params(game).playout_rounds == 0


@pytest.mark.parametrize("threads", [1, 3])
def test_telling_of_progress_does_not_change_the_answer(threads):
    state = next(decisions(ALL_GAMES[0], seed=14, every=1, most=1))
    told = []
    asked = make_bot("ismcts", threads=threads).choose(observe(state), Limit(iterations=200))
    watched = make_bot("ismcts", threads=threads).choose(
        observe(state), Limit(iterations=200), progress=Progress(told.append, 0.001)
    )
    assert told
    assert all(result.iterations <= 200 for result in told)
    assert watched == asked


def test_a_limit_of_the_call_goes_before_that_of_the_bot():
    state = next(decisions(ALL_GAMES[0], seed=14, every=1, most=1))
    bot = make_bot("ismcts", level=2, limit=Limit(iterations=7))
    assert bot.choose(observe(state)).iterations == 7
    assert bot.choose(observe(state), Limit(iterations=9)).iterations == 9
    by_level = make_bot("ismcts", level=2)
    assert by_level.choose(observe(state)).iterations == LEVELS[2].iterations


# -- levels


def test_levels_rise():
    levels = [LEVELS[number] for number in range(1, 11)]
    assert len(LEVELS) == 10
    for lower, higher in itertools.pairwise(levels):
        assert higher.iterations >= lower.iterations
        assert higher.temperature <= lower.temperature
        assert higher != lower
    assert levels[0].temperature > 0
    assert all(level.temperature == 0 for level in levels[5:])


def test_low_levels_draw_among_good_moves_only():
    state = next(decisions(ALL_GAMES[0], seed=15, every=1, most=1))
    source = Search(View.of(state, state.to_act), SearchParams(), 1)
    bot = make_bot("ismcts", temperature=0.5)
    moves = [
        RootStatistics("best", source, 0.4, visits=40, value=0.6),
        RootStatistics("near", source, 0.3, visits=20, value=0.6 - GOOD_LOSS / 2),
        RootStatistics("blunder", source, 0.2, visits=30, value=0.6 - 1.1 * GOOD_LOSS),
        RootStatistics("unseen", source, 0.0),
    ]
    drawn = [bot.pick(moves, seed, bot.temperature_in(state.game)) for seed in range(300)]
    assert set(drawn) == {"best", "near"}
    assert 210 < drawn.count("best") < 270  # 4 to 1
    best = make_bot("ismcts", level=10)
    assert {best.pick(moves, seed, best.temperature_in(state.game)) for seed in range(20)} == {"best"}


# -- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "wizard"}, "bot: 'wizard' is not allowed; allowed: random, greedy, prior, planner, ismcts"),
        ({"name": None}, "bot: None is not allowed"),
        ({"name": "ismcts", "level": 0}, "level: 0 is not allowed; allowed: 1 to 10"),
        ({"name": "ismcts", "level": 11}, "level: 11 is not allowed"),
        ({"name": "ismcts", "level": True}, "level: True is not allowed"),
        ({"name": "ismcts", "level": "3"}, "level: '3' is not allowed"),
        ({"name": "greedy", "level": 3}, "level: greedy has no levels; leave it out"),
        ({"name": "ismcts", "threads": 0}, "threads: 0 is not allowed; allowed: a whole number from 1 to"),
        ({"name": "random", "threads": 2}, "threads: 2 is not allowed"),
        ({"name": "ismcts", "seed": "x"}, "seed: 'x' is not allowed; allowed: a whole number"),
        ({"name": "ismcts", "limit": 100}, "limit: 100 is not allowed; allowed: a Limit"),
        ({"name": "ismcts", "depth": 3}, "parameter: 'depth' is not allowed; allowed: exploration, "),
        ({"name": "ismcts", "exploration": -1.0}, "exploration: -1.0 is not allowed"),
        ({"name": "planner", "tree_turns": 1}, "parameter: 'tree_turns' is not allowed"),
        (
            {"name": "random", "exploration": 1.0},
            "parameter: 'exploration' is not allowed; allowed: none for random",
        ),
        (
            {"name": "ismcts:levl=3"},
            "parameter: 'levl' is not allowed; allowed: level, iterations, seconds, per, threads, exploration, ",
        ),
        (
            {"name": "planner:level=3,levl=3"},
            "parameter: 'levl' is not allowed; allowed: iterations, seconds, per, threads, exploration, ",
        ),
        ({"name": "greedy:levl=3"}, "parameter: 'levl' is not allowed; allowed: samples"),
        (
            {"name": "greedy", "samples": 0},
            "samples: 0 is not allowed; allowed: a whole number from 1 to 10000",
        ),
    ],
)
def test_bots_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        make_bot(**arguments)
    assert str(caught.value).startswith(message)


@each_game
def test_a_spec_makes_the_same_bot_as_arguments(game):
    state = next(decisions(game, seed=1, every=1, most=1))
    view = View.of(state, state.to_act)
    apart = make_bot("ismcts", seed=3, limit=Limit(iterations=12), threads=2, exploration=0.8)
    text = "ismcts:iterations=12,threads=2,exploration=0.8"
    for spec in (text, BotSpec.parse(text)):
        bot = make_bot(spec, seed=3)
        assert (bot.name, bot.limit, bot.threads) == ("ismcts", Limit(iterations=12), 2)
        assert bot.choose(view) == apart.choose(view)
    assert make_bot("ismcts:exploration=0.8", level=3, width=2).level == 3


@pytest.mark.parametrize(
    ("spec", "arguments", "message"),
    [
        (
            "ismcts:level=3",
            {"level": 5},
            "level: 5 is not allowed; allowed: none, as 'ismcts:level=3' sets it already",
        ),
        ("ismcts:threads=2", {"threads": 3}, "threads: 3 is not allowed; allowed: none, as"),
        ("ismcts:iterations=9", {"limit": Limit(seconds=1)}, "limit: Limit("),
        ("ismcts:exploration=1", {"exploration": 1}, "exploration: 1 is not allowed; allowed: none, as"),
        ("ismcts:iterations", {}, "bot: 'ismcts:iterations' is not allowed; allowed: name:key=value"),
    ],
)
def test_specs_that_arguments_contradict_are_refused(spec, arguments, message):
    with pytest.raises(ValueError, match="is not allowed") as caught:
        make_bot(spec, **arguments)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", ["seed", "name", "level", "threads", "limit", "params", "self", "info"])
def test_parameters_with_the_names_of_arguments_are_refused_as_parameters(name):
    """Also by the text of command lines; `level` and `threads` stand for themselves there."""
    with pytest.raises(ValueError, match=f"^parameter: '{name}' is not allowed; allowed: exploration, "):
        BotSpec("ismcts", params=((name, 1),))
    if name not in ("level", "threads"):
        with pytest.raises(ValueError, match=f"^parameter: '{name}' is not allowed"):
            BotSpec.parse(f"ismcts:{name}=1")


@pytest.mark.parametrize("name", ["max_nodes", "iterations", "threads"])
def test_numbers_beyond_64_bits_are_refused(name):
    with pytest.raises(
        ValueError, match=f"^{name}: {2**64} is not allowed; allowed: a whole number from 1 to"
    ):
        BotSpec.parse(f"ismcts:{name}={2**64}")


def test_numbers_with_thousands_of_digits_are_refused():
    for text in ("max_nodes", "iterations", "seconds", "exploration", "level"):
        with pytest.raises(ValueError, match=f"^{text}: .* is not allowed") as caught:
            BotSpec.parse(f"ismcts:{text}={'9' * 5000}")
        assert len(str(caught.value)) < 200


@each_bot
@each_game
def test_observations_that_are_refused(bot_name, game):
    bot = make_bot(bot_name)
    state = load_game(game, seed=1).new_state()
    rng = Random(1)
    refused = 0
    while not state.is_over and refused < 6:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        other = (state.to_act + 1) % state.game.players
        with pytest.raises(ValueError, match=f"seat {state.to_act} is to act; allowed: .* not of {other}"):
            bot.choose(state.observation(other))
        refused += 1
        state.apply(rng.choice(state.legal_moves()))
    with pytest.raises(ValueError, match="observer"):
        bot.choose(state.to_json())
    for wrong in ({}, {"game": "chess"}, [], None):
        with pytest.raises(ValueError, match=r"."):
            bot.choose(wrong)


@each_bot
def test_chance_and_finished_games_are_refused(bot_name):
    bot = make_bot(bot_name)
    state = load_game("kuhn").new_state()
    with pytest.raises(ValueError, match="observation: chance is to act"):
        bot.choose(state.observation(0))
    for move in ("deal Q", "deal J", "pass", "pass"):
        state.apply(move)
    with pytest.raises(ValueError, match="observation: the game is over"):
        bot.choose(state.observation(0))


# -- Kuhn poker: what a search must see


def kuhn(*moves):
    state = load_game("kuhn").new_state()
    for move in moves:
        state.apply(move)
    return state


@pytest.mark.parametrize("bot_name", ["greedy", "planner", "ismcts"])
def test_the_best_and_the_worst_card_answer_a_bet_rightly(bot_name):
    bot = make_bot(bot_name, seed=1)
    with_king = kuhn("deal J", "deal K", "bet")
    assert bot.choose(with_king.observation(1), Limit(iterations=200)).move == "bet"
    with_jack = kuhn("deal K", "deal J", "bet")
    result = bot.choose(with_jack.observation(1), Limit(iterations=200), lines=None)
    assert result.move == "pass"
    # Passing loses 1 for sure, which is a return of 1/4.
    by_move = {report.move: report.win_probability for report in result.moves}
    assert by_move["pass"] == pytest.approx(0.25)
    assert by_move["bet"] == pytest.approx(0.0)


# -- descriptions and specs


def test_descriptions_are_complete():
    infos = {info.name: info for info in describe_bots()}
    assert list(infos) == ["random", "greedy", "prior", "planner", "ismcts"]
    assert infos["ismcts"].levels == tuple(range(1, 11))
    for info in infos.values():
        assert info.help
        bot = make_bot(info.name, **{parameter.name: parameter.default for parameter in info.parameters})
        assert bot.name == info.name
        for level in info.levels:
            make_bot(info.name, level=level)


@pytest.mark.parametrize(
    "text",
    [
        "random",
        "greedy:samples=3",
        "ismcts:level=3",
        "ismcts:iterations=200,threads=2,exploration=0.8,transpositions=false",
        "planner:iterations=50,seconds=0.5,per=turn",
    ],
)
def test_specs_as_text(text):
    spec = BotSpec.parse(text)
    assert str(spec) == text
    assert BotSpec.parse(str(spec)) == spec
    assert spec.make(1).name == spec.name
    assert spec.reproducible == ("seconds" not in text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wizard", "bot: 'wizard'"),
        ("ismcts:level", "bot: 'ismcts:level'"),
        ("ismcts:level=1,level=2", "bot: 'ismcts:level=1,level=2'"),
        ("ismcts:level=12", "level: 12"),
        ("ismcts:iterations=0", "iterations: 0"),
        ("ismcts:seconds=nan", "seconds: nan"),
        ("ismcts:per=turn", "limit: None"),
        ("ismcts:speed=9", "parameter: 'speed'"),
        ("", "bot: ''"),
    ],
)
def test_specs_that_are_refused(text, message):
    with pytest.raises(ValueError, match="is not allowed") as caught:
        BotSpec.parse(text).make(0).ready()
    assert str(caught.value).startswith(message)


def test_seeds_from_parts():
    assert seed_of(1, "bot", 2) == seed_of(1, "bot", 2)
    assert len({seed_of(a, b) for a in range(30) for b in range(30)}) == 900
    assert seed_of(1, 23) != seed_of(12, 3)
    assert seed_of(1, "2") != seed_of(1, 2)
    assert all(0 <= seed_of(n) < 2**63 for n in range(100))
