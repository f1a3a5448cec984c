"""Reviews of games: what decisions lost, judged by what could be known, and the luck, which is 0 on average."""

import json
import re
from base64 import b64decode
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from pythia.arena import plot
from pythia.arena.review import COMPARISONS, MISTAKE, WORLDS, luck_of, review
from pythia.arena.review_plot import boards_of, review_html, review_svg
from pythia.arena.stats import mean_interval
from pythia.core_cy import CHANCE, IllegalMove, Random, View, list_games, load_game, state_from_observation
from pythia.core_cy.record import Record, RecordEntry, header_of, record_game, result_of
from pythia.search.bots import BotSpec, make_bot
from pythia.search.tree import StopFlag

QUICK = BotSpec.parse("ismcts:iterations=16")


def played(name, *moves, seed=1):
    """The record of a game in which these moves and outcomes happened."""
    state = load_game(name, seed=seed).new_state()
    header, entries = header_of(state), []
    for move in moves:
        entries.append(RecordEntry(state.to_act, move))
        state.apply(move)
    return Record(header, entries, result_of(state) if state.is_over else {})


def random_record(name, seed=3, most=None):
    """A game of random moves; of a long one the first so many moves."""
    rng = Random(seed)
    record = record_game(load_game(name, seed=seed).new_state(), lambda state: state.random_move(rng), rng)
    return record if most is None else replace(record, moves=record.moves[:most], result={})


# -- decisions


def test_a_loss_is_what_the_theory_says():
    # Opening a door at once wins 1/3; looking first wins 3/5.
    found = review(played("doors", "hide 1", "open 1"), BotSpec.parse("ismcts:iterations=4000"), seats=[0])
    (decision,) = found.decisions
    assert decision.best.startswith("look")
    assert decision.loss == pytest.approx(3 / 5 - 1 / 3, abs=0.03)
    assert decision.low < decision.loss < decision.high
    assert decision.low <= 3 / 5 - 1 / 3 <= decision.high
    assert decision.is_mistake
    assert found.of(0).biggest == [decision]


def test_a_decision_is_judged_by_what_the_seat_knew_not_by_how_it_ended():
    lucky, unlucky = (
        review(played("doors", f"hide {door}", "open 1"), QUICK, seats=[0]).decisions for door in (1, 2)
    )
    assert lucky == unlucky


def test_the_best_move_loses_nothing():
    bot = BotSpec.parse("ismcts:iterations=800")
    # All looks are worth the same, so which one is called the best is chance.
    best = review(played("doors", "hide 1", "look 0", "open 1"), bot).decisions[0].best
    assert best.startswith("look")
    look = review(played("doors", "hide 1", best, "open 1"), bot).decisions[0]
    assert (look.best, look.loss, look.low, look.is_mistake) == (best, 0.0, 0.0, False)


@pytest.mark.parametrize("game", list_games())
def test_losses_are_never_negative_and_have_an_interval(game):
    found = review(random_record(game, most=24), QUICK)
    assert len(found.decisions) > 8
    for decision in found.decisions:
        assert 0 <= decision.low <= decision.loss <= decision.high
        assert decision.is_mistake == (decision.loss >= MISTAKE and decision.low > 0)
    for seat in found.summaries():
        decisions = [decision for decision in found.decisions if decision.seat == seat.seat]
        assert seat.decisions == len(decisions) > 0
        assert 0 <= seat.total_loss_low <= seat.total_loss <= seat.total_loss_high
        assert seat.mean_loss == pytest.approx(seat.total_loss / len(decisions))
        # Sums are made before the cut at 0, so that the noise of many good decisions does not look like a loss.
        assert seat.total_loss <= sum(decision.loss for decision in decisions) + 1e-9
        assert seat.biggest == sorted(seat.biggest, key=lambda decision: -decision.loss)
        assert seat.result is None


def test_nothing_loses_more_than_there_was_to_lose():
    """Also with few iterations, where a search and the comparisons after it differ a lot."""
    found = review(random_record("keltis", most=420), BotSpec.parse("ismcts:iterations=16"), worlds=2)
    assert len(found.decisions) > 300
    for decision in found.decisions:
        assert decision.loss <= decision.win_probability + 1e-12
        assert 0 <= decision.win_probability <= 1


def test_random_moves_lose_more_than_those_of_a_bot():
    bot = make_bot("greedy", seed=1)
    rng = Random(5)

    def choose(state):
        if state.to_act == 0:
            return bot.choose(View.of(state, 0)).move
        return state.random_move(rng)

    record = record_game(load_game("keltis", seed=5).new_state(), choose, rng)
    good, bad = review(replace(record, moves=record.moves[:60], result={}), QUICK).summaries()
    assert good.mean_loss < bad.mean_loss / 2
    assert good.mistakes < bad.mistakes


def test_the_same_seed_gives_the_same_review():
    record = random_record("keltis", most=12)
    first, again, other = (review(record, QUICK, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.decisions != other.decisions


def test_a_bot_that_does_not_compare_moves_is_refused():
    with pytest.raises(ValueError, match="bot: 'random' is not allowed"):
        review(played("doors", "hide 1", "open 1"), BotSpec("random"))


def test_another_may_judge():
    asked = []

    def judge(view, limit, consider, seed):
        asked.append((view.seat, limit.iterations, list(consider)))
        return QUICK.make(seed).choose(view, limit, consider=consider, lines=2)

    record = played("doors", "hide 1", "open 1")
    assert review(record, QUICK, judge=judge) == review(record, QUICK)
    assert asked[0] == (0, 16, [])
    assert asked[1:3] == [(0, 2, asked[1][2]), (0, 2, ["open 1"])]
    assert len(asked) == 1 + 2 * COMPARISONS


def test_seats_are_checked():
    with pytest.raises(ValueError, match="seat: 2 is not allowed; allowed: 0 to 1"):
        review(played("doors", "hide 1", "open 1"), QUICK, seats=[2])


def test_stopped_it_keeps_what_is_done():
    record, stop, told = random_record("keltis", most=12), StopFlag(), []

    def progress(done, total):
        told.append((done, total))
        if done == 5:
            stop.set()

    part, whole = review(record, QUICK, progress=progress, stop=stop), review(record, QUICK)
    assert told == [(done, 12) for done in range(1, 6)]
    assert (part.reviewed, part.moves, part.complete) == (5, 12, False)
    assert part.decisions == [decision for decision in whole.decisions if decision.number <= 5]
    assert part.luck == [event for event in whole.luck if event.number <= 5]


# -- luck


def test_luck_is_what_came_less_what_could_have_come():
    won, lost = (review(played("doors", f"hide {door}", "open 1"), QUICK, seats=[0]).luck for door in (1, 2))
    # The hiding told the seat nothing; the opening uncovered the prize, which was there with probability 1/3.
    assert [(event.number, event.kind, event.event) for event in won] == [(2, "reveal", "open 1")]
    assert won[0].luck == pytest.approx(2 / 3, abs=3 * won[0].error)
    assert lost[0].luck == pytest.approx(-1 / 3, abs=3 * lost[0].error)
    assert 0 < won[0].error < 0.15


def test_what_others_draw_unseen_is_nobody_elses_luck():
    found = review(random_record("keltis", most=30), QUICK)
    draws = [event for event in found.luck if event.kind == "chance"]
    assert draws
    for event in draws:
        assert event.event.startswith("draw")
        assert found.decisions[0].turn <= event.turn
    # Each draw is the luck of one seat: the one that sees the card.
    assert len({event.number for event in draws}) == len(draws)


@pytest.mark.parametrize("game", [*list_games(), "doors"])
def test_luck_is_zero_on_average(game):
    """What happens is drawn from what the seat knows; over many such events its luck cancels."""
    rng, found = Random(7), []
    while len(found) < 120:
        state = load_game(game, seed=rng.getrandbits(32)).new_state()
        while not state.is_over and len(found) < 120:
            move = state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng)
            if state.to_act == CHANCE or rng.below(6) == 0:
                found += sampled_luck(state, str(move), rng)
            state.apply(move)
    estimate = mean_interval(found)
    assert max(found) > 0 > min(found)
    assert estimate.low < 0 < estimate.high
    assert estimate.high - estimate.low < 0.2


def sampled_luck(state, move, rng):
    """The luck of some seat in an event from here, in a world drawn from what it knows; [] where there is none."""
    seat = rng.below(state.game.players)
    truth = state_from_observation(state.observation(seat), rng.getrandbits(32))
    event = str(truth.sample_chance(rng)) if truth.to_act == CHANCE else move
    after = truth.clone()
    try:
        after.apply(event)
    except IllegalMove:
        return []
    luck = luck_of(truth, event, after, seat, worlds=12, seed=rng.getrandbits(32))
    return [luck[0]] if luck else []


def test_luck_of_dice_is_exact_where_nothing_hidden_counts():
    """Over all outcomes with their probabilities, not only on average over many games."""
    state = load_game("delphi", seed=7).new_state()
    assert state.to_act == CHANCE
    total = 0.0
    for outcome, probability in state.chance_outcomes():
        after = state.clone()
        after.apply(outcome)
        luck, error = luck_of(state, str(outcome), after, 0, WORLDS, 1)
        assert error < 1e-9
        total += probability * luck
    assert total == pytest.approx(0, abs=1e-9)


# -- for programs and people


def test_as_json():
    found = review(random_record("delphi", most=20), QUICK)
    obj = json.loads(json.dumps(found.to_json()))
    assert obj["decisions"][0]["move"] == found.decisions[0].move
    assert obj["luck"][0]["kind"] == "chance"
    assert [summary["seat"] for summary in obj["summaries"]] == [0, 1]
    numbers = [decision["number"] for decision in obj["decisions"]]
    assert set(obj["summaries"][0]["biggest"]) <= set(numbers)
    assert (obj["complete"], obj["returns"]) == (True, None)


def test_the_picture_marks_mistakes_and_luck():
    record = random_record("keltis", most=40)
    record.header["players"] = [{"name": "<Ada & Bo>"}, {"name": 7}]
    found = review(record, QUICK)
    root = ElementTree.fromstring(plot.svg_file(review_svg(found)))
    groups = [group.get("class") for group in root.iter("{http://www.w3.org/2000/svg}g")]
    assert groups.count("mistake") == sum(decision.is_mistake for decision in found.decisions) > 0
    assert groups.count("luck") == len(found.luck) > 0
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"<Ada & Bo>", "seat 1"} <= texts
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 2
    page = review_html(found)
    worst = max(found.decisions, key=lambda decision: decision.loss)
    assert page.count("<h2>") == 3
    assert f'<td class="text">{worst.best}</td>' in page
    assert "&lt;Ada &amp; Bo&gt;" in page
    assert "<img" not in page


def test_the_page_shows_the_board_at_each_mistake():
    """One file: nothing is loaded from elsewhere, and a click on a mistake leads to its board."""
    record = random_record("keltis", most=30)
    found = review(record, QUICK)
    boards = boards_of(found, record)
    numbers = [decision.number for decision in found.decisions if decision.is_mistake]
    assert sorted(boards) == numbers
    page = review_html(found, boards)
    for number in numbers:
        assert page.count(f'href="#move-{number}"') == 1
        assert page.count(f'id="move-{number}"') == 1
    assert page.count('src="data:image/svg+xml;base64,') == 2 * len(numbers)
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    first = ElementTree.fromstring(b64decode(re.search(r"base64,([^\"]+)", page)[1]))
    assert first.tag == "{http://www.w3.org/2000/svg}svg"
    assert (
        boards_of(review(played("doors", "hide 1", "open 1"), QUICK), played("doors", "hide 1", "open 1"))
        == {}
    )


def test_totals_agree_with_the_list_of_mistakes():
    """Noise of other decisions does not cancel what was found to be lost."""
    record = random_record("keltis", most=8)
    decision = next(iter(review(record, QUICK).decisions))
    mistakes = [
        replace(decision, seat=0, loss=0.05, difference=0.05, low=0.02, high=0.08, error=0.015)
        for _ in range(2)
    ]
    noise = [
        replace(decision, seat=0, loss=0.0, difference=-0.04, low=0.0, high=0.0, error=0.01) for _ in range(9)
    ]
    summary = replace(review(record, QUICK), decisions=[*mistakes, *noise]).of(0)
    assert summary.mistakes == 2
    assert summary.total_loss == pytest.approx(0.10)
    assert 0 < summary.total_loss_low <= 0.10 <= summary.total_loss_high
    assert summary.mean_loss == pytest.approx(0.10 / 11)
    quiet = replace(review(record, QUICK), decisions=noise).of(0)
    assert (quiet.total_loss, quiet.total_loss_low, quiet.total_loss_high) == (0, 0, 0)
