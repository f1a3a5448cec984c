"""Calibration: that what is over-confident is found and mended, and that truth and command work on real games."""

import json
from pathlib import Path

import numpy as np
import pytest

from pythia.core_cy import load_game
from pythia.core_cy.weights import weights_text
from pythia.search.display import Display, chance, log_odds
from tools.calibration import Turns, calibration, fitted, raised, shown
from tools.calibration.__main__ import main
from tools.calibration.truth import truth_of


def too_sure(players=2, power=2.0, games=3000, seed=1):
    """One turn a game: the truth raised to a power is what the search says."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0.1, 0.9, games) if players == 2 else rng.uniform(0.05, 0.6, games)
    won = (rng.random(games) < truth).astype(float)
    rounds = rng.uniform(1, 12, games)
    features = np.stack([rounds, rng.normal(size=games)], axis=1)
    to_go = np.where(won == 1, np.round(rounds), np.nan)
    said = raised(truth, power, players)
    return Turns(players, ("way", "noise"), np.arange(games), said, said, won, rounds - 2.2, to_go, features)


@pytest.mark.parametrize("players", [2, 4])
def test_too_sure_chances_are_found_and_mended(players):
    turns = too_sure(players)
    found = calibration("raw", turns, turns.search)
    assert found.slope == pytest.approx(0.5, abs=0.1)
    assert found.slope_low < found.slope < found.slope_high
    assert found.error > 0.05
    display = fitted(turns)
    mended = calibration("mended", too_sure(players, seed=2), shown(too_sure(players, seed=2), display))
    assert mended.slope == pytest.approx(1.0, abs=0.15)
    assert mended.error < found.error / 2


def test_rounds_are_fitted_to_those_of_winners():
    display = fitted(too_sure())
    assert display["rounds"]["way"] == pytest.approx(1.0, abs=0.05)
    assert abs(display["rounds"].get("noise", 0.0)) < 0.05
    assert display["rounds"]["base"] == pytest.approx(0.0, abs=0.2)


def test_what_display_does():
    class Seen:
        class game:  # noqa: N801
            players = 2
            feature_names = ()

        def rounds_left(self):
            return [4.0, -1.0]

    display = Display({"power": {"2": [[3, 0.5], [9, 0.8]]}, "error": {"2": 0.5}}, Seen())
    assert display.rounds == [4.0, 0.0]
    assert display.power == 0.5
    assert display.values([0.8, 0.2]) == pytest.approx([2 / 3, 1 / 3])
    assert display.value(0.8, 0, [0.6, 0.4]) == pytest.approx(2 / 3)
    low, high = display.interval(0.5, 0.49, 0.51)
    assert (low, high) == (pytest.approx(chance(-0.98), abs=0.01), pytest.approx(chance(0.98), abs=0.01))
    assert log_odds(0.5) == 0
    assert log_odds(1.0) < 8
    plain = Display({}, Seen())
    assert plain.values([0.8, 0.2]) == [0.8, 0.2]
    assert plain.interval(0.5, 0.49, 0.51) == (0.49, 0.51)


def test_the_command_measures_and_fits(tmp_path, capsys):
    common = [
        "keltis",
        "--games",
        "3",
        "--iterations",
        "4",
        "--processes",
        "1",
        "--folder",
        str(tmp_path / "games"),
    ]
    main([*common, "--html", str(tmp_path / "page.html")])
    told = capsys.readouterr().out
    assert "as shown" in told
    assert "the bare judgement" in told
    assert "<svg" in (tmp_path / "page.html").read_text()
    game = load_game("keltis", seed=0)
    path = Path(tmp_path / "weights.json")
    path.write_text(weights_text(game.weights_file(), game.weight_names))
    main([*common, "--fit", str(path)])
    assert "2" in json.loads(path.read_text())["display"]["power"]


def test_truth_is_played_on():
    found = truth_of("keltis", 2, positions=2, again=3, iterations=8, seed=1)
    assert (found.positions, found.again) == (2, 3)
    assert 0 <= found.error <= 1
    assert 0 <= found.covered <= 1
    assert "interval holds the truth" in str(found)
