"""The tournaments behind docs/strength.md can be played, and its tables say what came out."""

import pytest

from pythia.arena.stats import Estimate
from tools.strength.__main__ import GROUPS, chosen, met
from tools.strength.seer import play

ROWS = [row for rows in GROUPS.values() for row in rows]


def test_each_row_is_a_tournament_with_a_name_of_its_own():
    assert len({row.name for row in ROWS}) == len(ROWS)
    for row in ROWS:
        definition = row.definition()
        assert definition.reproducible
        assert definition.seats == len(row.bots)


def test_rows_are_chosen_by_group_or_name():
    assert chosen([]) == {group: list(rows) for group, rows in GROUPS.items()}
    assert [row.name for row in chosen(["ten-times"])["bars"]] == ["ten-times"]
    assert chosen(["keltis"])["keltis"] == list(GROUPS["keltis"])
    with pytest.raises(SystemExit, match="what: 'everything' is not allowed"):
        chosen(["everything"])


@pytest.mark.parametrize(
    ("mean", "low", "high", "above", "verdict"),
    [
        (0.7, 0.65, 0.75, True, "yes"),
        (0.7, 0.5, 0.9, True, "yes, the interval reaches beyond"),
        (0.5, 0.4, 0.7, True, "no"),
        (0.5, 0.4, 0.55, False, "yes"),
        (0.7, 0.6, 0.8, False, "no"),
    ],
)
def test_whether_a_bar_is_met(mean, low, high, above, verdict):
    assert met(Estimate(20, mean, low, high), 0.6, above) == verdict


def test_the_seer_plays_whole_games():
    value, rounds = play("greedy", seed=1, seer=0, players=2)
    assert value in (0.0, 0.5, 1.0)
    assert rounds > 5
