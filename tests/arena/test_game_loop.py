"""The game loop: fair seats, shared luck, and forfeits."""

from collections import Counter
from dataclasses import replace

import pytest

from pythia.arena.game_loop import GameResult, play_game, seatings
from pythia.arena.luck import Luck
from pythia.core_cy import CHANCE, load_game, state_from_json
from pythia.core_cy.record import BadRecord
from pythia.search.bots import BotSpec, make_bot
from tests.search.positions import ALL_GAMES

FLAGSHIP = ALL_GAMES[0]


class Broken:
    """Plays at random until its n-th decision."""

    name = "broken"

    def __init__(self, last, fault):
        self.left = last
        self.fault = fault
        self.inner = make_bot("random")
        self.seen = []

    def choose(self, view, limit=None):
        self.seen.append(view)
        self.left -= 1
        result = self.inner.choose(view, limit)
        return self.fault(result) if self.left == 0 else result


def raise_error(result):
    raise RuntimeError("out of ideas")


# -- one game


@pytest.mark.parametrize("bot", ["greedy:samples=1", "planner:iterations=8", "ismcts:iterations=6,threads=2"])
@pytest.mark.parametrize(("game", "options"), [(FLAGSHIP, {"removed_tasks": 4}), ("kuhn", {})])
def test_a_game_from_start_to_end(bot, game, options):
    def play():
        bots = [BotSpec.parse(bot).make(seat) for seat in range(2)]
        return play_game(game, options, bots, seed=5, record=True)

    result = play()
    assert sum(result.returns) == pytest.approx(1)
    assert min(result.ranks) == 1
    assert result.forfeit is None
    assert sum(result.decisions) == sum(by != CHANCE for by, _ in result.record.moves)
    assert all(slow <= total for slow, total in zip(result.slowest, result.seconds, strict=True))
    final = list(result.record.replay())[-1]
    assert final.returns() == result.returns
    assert result.rounds == final.to_json().get("round")
    assert play() == result


def test_the_seed_gives_the_start_unless_the_options_do():
    def board(seed, options):
        bots = [Broken(1, raise_error) for _ in range(2)]
        play_game(FLAGSHIP, options, bots, seed)
        return next(bot.seen[0].observation()["board"] for bot in bots if bot.seen)

    assert board(1, {}) == board(1, {}) != board(2, {})
    assert board(1, {"seed": 7}) == board(2, {"seed": 7})


def test_bots_see_observations_of_their_seat_only():
    bots = [Broken(30, raise_error) for _ in range(2)]
    play_game(FLAGSHIP, {}, bots, seed=1)
    for seat, bot in enumerate(bots):
        assert {view.seat for view in bot.seen} <= {seat}
    assert sum(len(bot.seen) for bot in bots) > 30


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (raise_error, "error: RuntimeError: out of ideas"),
        (lambda result: replace(result, move="fly to the moon"), "illegal move: 'fly to the moon'"),
        (lambda result: replace(result, move=None), "illegal move: move: None is not allowed"),
        (lambda result: "no such move", "illegal move"),
        (lambda result: None, "error: AttributeError"),
    ],
)
@pytest.mark.parametrize("players", [2, 3])
def test_a_broken_bot_loses_by_rule(fault, reason, players):
    bots = [make_bot("random", seed=seat) for seat in range(players)]
    bots[1] = Broken(3, fault)
    result = play_game(FLAGSHIP, {}, bots, seed=2, record=True)
    assert result.forfeit.seat == 1
    assert result.forfeit.reason.startswith(reason)
    assert result.returns == [0 if seat == 1 else 1 / (players - 1) for seat in range(players)]
    assert result.ranks == [players if seat == 1 else 1 for seat in range(players)]
    assert result.decisions[1] == 3
    assert result.rounds is None
    assert reason in result.record.result["reason"]
    with pytest.raises(BadRecord, match="not over"):
        list(result.record.replay())


# -- luck


def test_luck_stays_aligned_when_games_part():
    """Two games that go different ways still see the same dice in the same turn."""
    outcomes, ways = [], []
    for name in ("random", "greedy"):
        bots = [Broken(25, raise_error), make_bot(name, seed=1)]
        result = play_game(FLAGSHIP, {}, bots, seed=3, record=True)
        ways.append([move for by, move in result.record.moves if by != CHANCE])
        state = state_from_json(result.record.header["start"])
        rolls = {}
        for by, move in result.record.moves:
            if by == CHANCE:
                rolls.setdefault(state.chance_stream(), []).append(move)
            state.apply(move)
        outcomes.append(rolls)
    assert ways[0] != ways[1]
    shared = outcomes[0].keys() & outcomes[1].keys()
    assert len(shared) > 5
    # Dice depend on nothing else; cards also on what is left in the pile, so they may differ.
    same = [
        first == second
        for stream in shared
        for first, second in zip(outcomes[0][stream], outcomes[1][stream], strict=False)
    ]
    assert sum(same) / len(same) > 0.8


def test_draws_of_one_stream_differ():
    state = load_game("kuhn").new_state()
    luck = Luck(1)
    deals = [str(luck.draw(state)) for _ in range(30)]
    assert len(set(deals)) == 3
    other = Luck(1)
    assert deals == [str(other.draw(state)) for _ in range(30)]


# -- blocks


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_entrant_sits_everywhere_once(players):
    order = seatings(players)
    assert all(sorted(seating) == list(range(players)) for seating in order)
    seats = Counter((seat, entrant) for seating in order for seat, entrant in enumerate(seating))
    assert seats == {(seat, entrant): 1 for seat in range(players) for entrant in range(players)}


def test_the_same_seeds_play_the_same_game():
    greedy = BotSpec.parse("greedy")
    copies = [play_game("kuhn", {}, [greedy.make(1), greedy.make(1)], seed=seed).returns for seed in (4, 4)]
    assert copies[0] == copies[1]


def test_results_compare_without_times():
    one = GameResult([1.0, 0.0], [1, 2], 3, [4, 4], seconds=[0.1, 0.2])
    assert one == replace(one, seconds=[0.3, 0.4])
    assert one != replace(one, rounds=4)
