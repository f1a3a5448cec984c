"""The tournament's file: what it may say, and what is said about mistakes before anything is played."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from pythia.arena.game_loop import GameResult
from pythia.arena.tournament.definition import definition_of, read_definition
from pythia.arena.tournament.entrants import KINDS, BadTournament, register_kind
from pythia.arena.tournament.schedule import GameKey, Schedule, first_tables
from pythia.arena.tournament.tune import tuning_of
from pythia.core_cy import game_info, list_games
from tests.arena.conftest import entrant

RANDOM = {"bot": "random"}
TWO = [{"name": "a", **RANDOM}, {"name": "b", **RANDOM}]


def definition(**values):
    return definition_of({"game": "kuhn", "entrants": TWO, **values})


def many(count):
    return [{"name": name, **RANDOM} for name in "abcdefgh"[:count]]


@pytest.mark.parametrize("game", list_games())
def test_seats_are_those_of_the_game(game):
    """By default as few as the game allows, and up to as many as it allows."""
    info = game_info(game)
    values = {"game": game, "entrants": many(info.max_players)}
    assert definition_of(values).seats == info.min_players
    assert definition_of(values | {"seats": info.max_players}).seats == info.max_players
    allowed = f"allowed: {info.min_players} to {info.max_players} with {game}"
    for wrong in (info.min_players - 1, info.max_players + 1):
        with pytest.raises(BadTournament, match=allowed):
            definition_of(values | {"seats": wrong})


# -- reading


def test_everything_a_file_may_say(write, bots, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = write(
        """
        name = "the cup"
        seats = 2
        format = "gauntlet"
        challengers = ["mine"]
        blocks = 7
        seed = 3
        anchor = "level 2"
        records = false
        clock = { decision_seconds = 2, game_seconds = 100 }
        sprt = { elo0 = -10, elo1 = 10 }
        """
        + entrant("level 2", bot="ismcts", level=2, threads=2, params={"exploration": 0.5})
        + entrant("mine", **{"class": f"{bots}:Seeded"}, iterations=5)
        + entrant("quick", bot="planner", seconds=0.01, per="turn")
    )
    found = read_definition(path)
    assert (found.name, found.blocks, found.seed, found.anchor, found.records) == (
        "the cup",
        7,
        3,
        "level 2",
        False,
    )
    assert (found.clock.decision_seconds, found.clock.game_seconds) == (2, 100)
    assert found.sprt.elo1 == 10
    assert [str(entrant) for entrant in found.entrants] == [
        "ismcts:level=2,threads=2,exploration=0.5",
        f"class {bots}:Seeded (iterations=5)",
        "planner:seconds=0.01,per=turn",
    ]
    assert not found.reproducible
    assert found.entrants[0].reproducible
    sys.path.append(str(path.parent))
    found.check_entrants()


def test_defaults(write):
    found = read_definition(write(entrant("a", **RANDOM) + entrant("b", bot="greedy")))
    assert (found.name, found.seats, found.format, found.seed) == ("cup", 2, "round_robin", 1)
    assert found.reproducible
    assert found.sprt is None


def test_the_examples_of_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text()
    tournament, more, _, tuning = (  # tests/clients reads the one with a remote bot
        tomllib.loads(part) for part in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    )
    assert definition_of(tournament).names == ["level 3", "level 5", "planner"]
    assert len(definition_of({"game": "delphi", **more}).entrants) == 2
    assert len(tuning_of(tuning).ranges) == 3


# -- what is refused


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"game": "chess"}, "game: 'chess' is not allowed; allowed: "),
        ({"game": 3}, "game: 3 is not allowed; allowed: text"),
        ({"speed": 3}, "key: 'speed' is not allowed; allowed: name, game, seats"),
        ({"seats": 3}, "seats: 3 is not allowed; allowed: 2 to 2 with kuhn"),
        ({"seats": "two"}, "seats: 'two' is not allowed; allowed: a whole number"),
        ({"seats": True}, "seats: True is not allowed"),
        ({"format": "swiss"}, "format: 'swiss' is not allowed; allowed: round_robin, gauntlet, ladder"),
        ({"blocks": 0}, "blocks: 0 is not allowed; allowed: 1 or more"),
        ({"seed": -1}, "seed: -1 is not allowed; allowed: a whole number from 0"),
        ({"anchor": "z"}, "anchor: 'z' is not allowed; allowed: a name of an entrant"),
        ({"challengers": ["a"]}, "challengers: \\['a'\\] is not allowed; allowed: with format gauntlet only"),
        ({"format": "gauntlet", "challengers": ["z"]}, "challengers\\[0\\]: 'z' is not allowed"),
        ({"rounds": 2}, "rounds: 2 is not allowed; allowed: with format ladder only"),
        ({"format": "ladder", "rounds": -1}, "rounds: -1 is not allowed; allowed: 1 or more"),
        ({"clock": {"hours": 1}}, "clock: 'hours' is not allowed; allowed: decision_seconds, game_seconds"),
        (
            {"clock": {"game_seconds": -1}},
            "clock.game_seconds: -1 is not allowed; allowed: a number of seconds",
        ),
        ({"sprt": {"elo2": 1}}, "sprt: 'elo2' is not allowed; allowed: elo0, elo1, alpha, beta"),
        ({"sprt": {"elo1": -1}}, "sprt.elo1: -1 is not allowed"),
        ({"options": {"players": 2}}, "options.players: 2 is not allowed"),
        ({"options": {"cards": 9}}, "options.option: 'cards' is not allowed"),
        ({"options": {"name": "delphi"}}, "options.option: 'name' is not allowed"),
        ({"options": {"self": 1, "info": 2}}, "options.option: 'self' is not allowed"),
        ({"entrants": TWO[:1]}, "entrants: 1 given; allowed: at least as many as seats, 2"),
        (
            {"entrants": [*TWO, {"name": "a", **RANDOM}]},
            "entrants\\[2\\].name: 'a' is not allowed; allowed: a name",
        ),
        ({"entrants": [3, 4]}, "entrants\\[0\\]: 3 is not allowed; allowed: a table"),
    ],
)
def test_a_tournament_is_refused(values, message):
    with pytest.raises(BadTournament, match=message):
        definition(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "entrants\\[0\\]: none given; allowed: exactly one of bot, class"),
        ({"bot": "random", "class": "a:B"}, "exactly one of bot, class"),
        (
            {"bot": "genius"},
            "entrants\\[0\\].bot: 'genius' is not allowed; allowed: random, greedy, prior, planner, ismcts",
        ),
        ({"bot": 7}, "entrants\\[0\\].bot: 7 is not allowed; allowed: text"),
        ({"bot": "random", "name": ""}, "entrants\\[0\\].name: '' is not allowed"),
        ({"bot": "random", "strength": 3}, "entrants\\[0\\]: 'strength' is not allowed; allowed: name, bot"),
        ({"bot": "ismcts", "level": 11}, "entrants\\[0\\].level: 11 is not allowed; allowed: 1 to 10"),
        ({"bot": "ismcts", "iterations": 0}, "entrants\\[0\\].iterations: 0 is not allowed"),
        ({"bot": "ismcts", "params": {"luck": 1}}, "entrants\\[0\\].parameter: 'luck' is not allowed"),
        ({"bot": "ismcts", "params": 3}, "entrants\\[0\\].params: 3 is not allowed; allowed: a table"),
        (
            {"bot": "ismcts", "weights": {"x": 1}},
            "entrants\\[0\\].weights: 'x' is not allowed; allowed: none for kuhn",
        ),
        ({"class": "nowhere"}, "entrants\\[0\\].class: 'nowhere' is not allowed; allowed: an import path"),
    ],
)
def test_an_entrant_is_refused(values, message):
    with pytest.raises(BadTournament, match=message):
        definition(entrants=[{"name": "x", **values}, TWO[0]])


@pytest.mark.parametrize(
    ("path", "params", "message"),
    [
        ("no_such_module:Bot", {}, "'no_such_module:Bot' cannot be imported: ModuleNotFoundError"),
        ("{bots}:Nobody", {}, "cannot be imported: .* has no Nobody"),
        ("{bots}:Steady", {"height": 3}, "cannot be made: TypeError: .*height"),
        ("{bots}:Mute", {}, "is not a bot: it has no choose\\(view, limit\\)"),
    ],
)
def test_a_class_that_cannot_play_is_refused_before_the_first_game(
    folder, bots, monkeypatch, path, params, message
):
    monkeypatch.syspath_prepend(folder)
    table = {"name": "x", "class": path.format(bots=bots), "params": params}
    with pytest.raises(BadTournament, match=message):
        definition(entrants=[table, TWO[0]]).check_entrants()


def test_files_that_cannot_be_read(folder):
    with pytest.raises(BadTournament, match="cannot be read: No such file"):
        read_definition(folder / "nothing.toml")
    (folder / "bad.toml").write_text("game = ")
    with pytest.raises(BadTournament, match="is not TOML"):
        read_definition(folder / "bad.toml")
    (folder / "cup.sqlite").write_bytes(b"SQLite format 3\0\x10\0\x01\xff")
    with pytest.raises(BadTournament, match="is not TOML; give the tournament file; results go to --results"):
        read_definition(folder / "cup.sqlite")


def test_other_kinds_are_registered_from_above(folder, bots, monkeypatch):
    monkeypatch.setattr("pythia.arena.tournament.entrants.KINDS", KINDS)
    monkeypatch.setitem(KINDS, "remote", "")
    monkeypatch.syspath_prepend(folder)
    register_kind("remote", f"{bots}:Remote")
    found = definition(entrants=[{"name": "x", "remote": "localhost:1", "params": {"name": "y"}}, TWO[0]])
    found.check_entrants()
    assert str(found.entrants[0]) == "remote localhost:1 (name=y)"
    broken = definition(entrants=[{"name": "x", "remote": "nowhere"}, TWO[0]])
    with pytest.raises(
        BadTournament, match="remote: 'nowhere' cannot be made: ConnectionError: nobody answers"
    ):
        broken.check_entrants()


# -- one tournament or another


def test_what_makes_another_tournament():
    first = definition().digest()
    assert definition(name="x", blocks=99, sprt={"elo1": 50}, records=False).digest() == first
    for other in (
        {"seed": 2},
        {"options": {"seed": 3}},
        {"format": "gauntlet"},
        {"clock": {"decision_seconds": 1}},
        {"entrants": [*TWO, {"name": "c", **RANDOM}]},
        {"entrants": [TWO[0], {"name": "b", "bot": "greedy"}]},
    ):
        assert definition(**other).digest() != first
    ladder = definition(format="ladder")
    assert definition(format="ladder", blocks=99).digest() != ladder.digest()


# -- who meets whom


def flagship(count, **values):
    return definition_of({"game": "delphi", "entrants": many(count), **values})


def test_round_robin():
    assert first_tables(flagship(3)) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert len(first_tables(flagship(5, seats=3))) == 10
    assert first_tables(flagship(4, seats=4)) == [("a", "b", "c", "d")]


def test_gauntlet():
    assert first_tables(flagship(4, format="gauntlet")) == [("a", "b"), ("a", "c"), ("a", "d")]
    # The challenger comes first: the sequential test is about it.
    assert first_tables(flagship(3, format="gauntlet", challengers=["c"])) == [("c", "a"), ("c", "b")]
    tables = first_tables(flagship(4, seats=3, format="gauntlet", challengers=["d"]))
    assert tables == [("d", "a", "b"), ("d", "a", "c"), ("d", "b", "c")]


@pytest.mark.parametrize(("seats", "count"), [(2, 2), (2, 5), (2, 6), (3, 3), (3, 5), (3, 7), (4, 5), (4, 8)])
def test_a_ladder_sorts(seats, count):
    """With games that the stronger always wins, the last becomes the first, and everybody plays."""
    definition = flagship(count, seats=seats, format="ladder", blocks=1, rounds=2 * count)
    schedule = Schedule(definition)
    seen = set()
    while task := schedule.next_task():
        seen |= set(task.key.table)
        order = sorted(task.key.seating, reverse=True)  # later letters are stronger
        ranks = [order.index(name) + 1 for name in task.key.seating]
        schedule.add(task.key, result_with(ranks))
    assert schedule.is_over
    assert len(seen) == count
    assert schedule.ladder == sorted(definition.names, reverse=True)


def test_two_seats_are_sorted_after_as_many_rounds_as_entrants():
    definition = flagship(6, format="ladder", blocks=1)
    assert definition.rounds == 6
    schedule = Schedule(definition)
    games = 0
    while task := schedule.next_task():
        ranks = [1, 2] if task.key.seating[0] > task.key.seating[1] else [2, 1]
        schedule.add(task.key, result_with(ranks))
        games += 1
    assert schedule.ladder == list("fedcba")
    assert games == schedule.planned()


def test_a_ladder_waits_for_its_round():
    schedule = Schedule(flagship(3, format="ladder", blocks=1))
    first, second = schedule.next_task(), schedule.next_task()
    assert schedule.next_task() is None
    assert not schedule.is_over
    schedule.add(first.key, result_with([1, 2]))
    assert schedule.next_task() is None
    schedule.add(second.key, result_with([2, 1]))
    assert schedule.next_task().key.table == ("b", "c")


def test_the_sequential_test_counts_the_same_blocks_in_any_order():
    found = definition(blocks=200, sprt={"elo0": 0, "elo1": 200})

    def played(order):
        schedule = Schedule(found)
        for block in order:
            for turn in range(2):
                key = GameKey(0, ("a", "b"), block, turn)
                ranks = [1, 2] if (key.seating[0] == "a") != (block % 7 == 0) else [2, 1]
                schedule.add(key, result_with(ranks))
        return schedule

    forward, backward = played(range(120)), played(reversed(range(120)))
    (table,) = forward.tables()
    assert forward.verdict(table)[0] == "elo1"
    assert forward.counted(table) == backward.counted(backward.tables()[0])
    assert len(forward.counted(table)) == forward.verdict(table)[1] < 120
    assert forward.is_over
    assert forward.next_task() is None
    # A hole in the blocks: what comes after it is not looked at.
    with_hole = played(range(1, 120))
    assert with_hole.verdict(with_hole.tables()[0]) is None
    assert not with_hole.is_over


def test_games_of_a_block_share_start_and_bots_and_tables_do_not():
    schedule = Schedule(flagship(3))
    tasks = [schedule.task(GameKey(0, ("a", "b"), 4, turn)) for turn in range(2)]
    assert tasks[0].seed == tasks[1].seed
    assert tasks[0].bot_seeds == tasks[1].bot_seeds[::-1]
    assert schedule.task(GameKey(0, ("a", "c"), 4, 0)).seed != tasks[0].seed
    assert schedule.task(GameKey(0, ("a", "b"), 5, 0)).seed != tasks[0].seed


def test_games_of_another_tournament_are_refused():
    with pytest.raises(ValueError, match="is not of this tournament"):
        Schedule(definition()).add(GameKey(0, ("x", "y"), 0, 0), result_with([1, 2]))


def result_with(ranks):
    best = ranks.count(1)
    players = len(ranks)
    return GameResult(
        returns=[1 / best if rank == 1 else 0.0 for rank in ranks],
        ranks=list(ranks),
        rounds=5,
        decisions=[3] * players,
        seconds=[0.1] * players,
        slowest=[0.05] * players,
    )
