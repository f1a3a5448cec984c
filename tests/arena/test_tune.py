"""Tuning: what is refused, that it goes on where it was, and that it finds what is there."""

import sqlite3

import pytest

from pythia.arena.tournament import tune
from pythia.arena.tournament.entrants import BadTournament
from pythia.arena.tournament.tune import evidence_of, run_tuning, tuning_of

BASE = {
    "game": "kuhn",
    "trials": 3,
    "blocks": 2,
    "confirm_blocks": 3,
    "baseline": {"bot": "ismcts", "iterations": 4},
    "parameters": {"exploration": {"low": 0.1, "high": 2.0}},
}


def tuning(**values):
    return tuning_of({**BASE, **values})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"parameters": {}}, "parameters: none given"),
        (
            {"parameters": {"exploration": 3}},
            "parameters.exploration: 3 is not allowed; allowed: a table with low",
        ),
        ({"parameters": {"exploration": {"low": 1}}}, "parameters.exploration.high: None is not allowed"),
        (
            {"parameters": {"exploration": {"low": 2, "high": 1}}},
            "high: 1 is not allowed; allowed: more than low = 2",
        ),
        ({"parameters": {"exploration": {"low": 0, "high": 1, "log": True}}}, "log: True is not allowed"),
        ({"parameters": {"exploration": {"choices": []}}}, "choices: \\[\\] is not allowed"),
        ({"parameters": {"exploration": {"lo": 1}}}, "parameters.exploration: 'lo' is not allowed"),
        ({"parameters": {"explosion": {"low": 0, "high": 1}}}, "parameter: 'explosion' is not allowed"),
        ({"parameters": {"max_children": {"low": 0.5, "high": 3}}}, "max_children: 0.5 is not allowed"),
        ({"weights": {"x": {"low": 0, "high": 1}}}, "weights: 'x' is not allowed; allowed: none for kuhn"),
        ({"trials": 0}, "trials: 0 is not allowed"),
        ({"baseline": {"bot": "genius"}}, "'genius' is not allowed"),
        ({"tries": 3}, "key: 'tries' is not allowed"),
    ],
)
def test_refused(values, message):
    with pytest.raises(BadTournament, match=message):
        tuning(**values)


def test_goes_on_where_it_was(tmp_path, monkeypatch):
    undisturbed = run_tuning(tuning(), tmp_path / "quiet", processes=1)
    played = []

    def run(definition, results, **values):
        played.append(results)
        if len(played) == 2:
            raise KeyboardInterrupt
        return real(definition, results, **values)

    real = tune.run_tournament
    monkeypatch.setattr(tune, "run_tournament", run)
    with pytest.raises(KeyboardInterrupt):
        run_tuning(tuning(), tmp_path / "loud", processes=1)
    again = run_tuning(tuning(), tmp_path / "loud", processes=1)
    assert again == undisturbed
    # The second trial was tried again with the same values, in the same results file.
    assert played[1] == played[2]
    assert len(played) == 1 + 1 + 2 + 1
    with pytest.raises(BadTournament, match="belongs to another tuning"):
        run_tuning(tuning(seed=9), tmp_path / "loud", processes=1)
    more = run_tuning(tuning(trials=4), tmp_path / "loud", processes=1)
    assert len(more.trials) == 4


def test_a_folder_with_something_else(tmp_path):
    (tmp_path / "study.sqlite").write_text("not a database" * 100)
    with pytest.raises(BadTournament, match="does not hold a study"):
        run_tuning(tuning(), tmp_path, processes=1)


def test_values_reach_the_bots(tmp_path):
    found = tuning(
        seats=2,
        candidate={"bot": "planner", "iterations": 3},
        parameters={"exploration": {"choices": [0.25]}},
    )
    definition = found.match({"exploration": 0.25}, seed=1, blocks=1)
    assert [str(entrant) for entrant in definition.entrants] == [
        "planner:iterations=3,exploration=0.25",
        "ismcts:iterations=4",
    ]
    flagship = tuning_of(
        {
            **BASE,
            "game": "delphi",
            "seats": 3,
            "parameters": {},
            "weights": {"favor": {"low": -1.0, "high": 0.0}},
        }
    )
    definition = flagship.match({"favor": -0.5}, seed=1, blocks=1)
    assert definition.names == ["candidate", "baseline 1", "baseline 2"]
    assert definition.entrants[0].weights == {"favor": -0.5}
    assert not definition.entrants[1].weights


def test_evidence():
    even = evidence_of([0.5] * 20, 2)
    assert even.elo == pytest.approx(0)
    assert even.superiority == pytest.approx(0.5)
    third = evidence_of([1 / 3] * 200, 3)
    assert third.elo == pytest.approx(0)
    assert third.elo_low < 0 < third.elo_high
    better = evidence_of([1.0, 0.5] * 20, 2)
    assert better.elo_low > 0
    assert better.superiority > 0.99


def test_it_finds_what_is_there(tmp_path):
    """Between a good and a useless choice, a few trials are enough."""
    found = tuning_of(
        {
            "game": "delphi",
            "options": {"removed_tasks": 4},
            "trials": 3,
            "blocks": 1,
            "confirm_blocks": 1,
            "baseline": {"bot": "greedy", "params": {"samples": 1}},
            "parameters": {},
            "weights": {"actions": {"choices": [1.15, -9.0]}},
        }
    )
    result = run_tuning(found, tmp_path, processes=2)
    tried = {trial.values["actions"]: trial.evidence.win_rate.mean for trial in result.trials}
    assert result.values["actions"] == max(tried, key=tried.get)
    assert not result.stronger, "the same weights are not stronger"
    with sqlite3.connect(tmp_path / "study.sqlite") as study:
        assert study.execute("SELECT count(*) FROM trials").fetchone() == (3,)
