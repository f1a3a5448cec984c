"""The calibration of levels: even steps, resumed runs, and a file that bots can read."""

import json

import pytest

from pythia.search.levels import Level, read_levels
from tools.strength import levels

THREE = (Level(10, 1.0), Level(10, 0.5), Level(160, 0.0))


def test_levels_are_100_elo_apart_from_the_top_down():
    found = levels.spread((Level(10, 0.0), Level(20, 0.0), Level(80, 0.0)), [300.0, 200.0], count=4)
    assert [level.iterations for level in found] == [16, 20, 40, 80]


def test_levels_are_spread_evenly_over_less_strength():
    found = levels.spread((Level(10, 0.0), Level(20, 0.0), Level(80, 0.0)), [50.0, 150.0], count=5)
    assert [level.iterations for level in found] == [10, 20, 32, 50, 80]
    weak, middle, strong = levels.spread((Level(12, 1.0, 0.8), Level(12, 1.0, 0.2)), [150.0], count=3)
    assert (weak.overlooked, middle.overlooked, strong.overlooked) == (0.8, 0.5, 0.2)
    # A setting that came out weaker than the one below is as strong.
    assert levels.spread(THREE, [-20.0, 50.0], count=2) == [THREE[1], THREE[2]]


def test_a_small_run_is_resumed(tmp_path, capsys):
    arguments = ["--game", "keltis", "--players", "3", "--games", "3", "--settings", "2", "--processes", "1"]
    arguments += ["--top", "5000", "--results", str(tmp_path)]  # otherwise this machine's speed, which varies
    levels.main(arguments)
    first = capsys.readouterr().out
    (results,) = tmp_path.glob("*.sqlite")
    before = results.read_bytes()
    levels.main(arguments)
    assert capsys.readouterr().out == first
    assert results.read_bytes() == before
    assert "in 3 games" in first
    assert first.count("\nlevel ") == 10
    assert "level 10: 5000 iterations" in first


def test_a_release_needs_enough_games(tmp_path, capsys):
    with pytest.raises(SystemExit):
        levels.main(["--game", "keltis", "--players", "2", "--games", "20", "--write"])
    assert "write: needs 200 games or more" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        levels.main(["--game", "keltis", "--players", "9"])
    assert "players: 9 is not allowed; allowed: 2 to 4" in capsys.readouterr().err


def test_the_file_keeps_other_numbers_of_players(tmp_path):
    path = tmp_path / "levels.json"
    table = {"levels": [{"iterations": 5, "temperature": 0.0}] * 10}
    levels.write(path, "keltis", 2, table)
    levels.write(path, "keltis", 4, table)
    assert set(read_levels(path.read_text(), "keltis", "x")) == {2, 4}
    assert list(json.loads(path.read_text())["players"]) == ["2", "4"]
