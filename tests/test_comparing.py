"""The comparisons that other tests fail with."""

import pytest

from tests.comparing import same_json, same_moves


def failure(compare, *arguments, **values):
    with pytest.raises(AssertionError) as failed:
        compare(*arguments, **values)
    return str(failed.value)


def test_what_is_the_same():
    position = {"players": [{"gods": {"ares": 3}}, {}], "round": 1}
    same_json(position, {"round": 1, "players": [{"gods": {"ares": 3}}, {}]})
    same_moves(["a", "b"], ["b", "a"])


def test_a_field_that_differs():
    mine = {"players": [{}, {"gods": {"ares": 3, "apollo": 1}}]}
    theirs = {"players": [{}, {"gods": {"ares": 2, "apollo": 1}}]}
    expected = 'players[1].gods.ares: 3, the reference has 2 after "sail 2,0"'
    assert failure(same_json, mine, theirs, after="sail 2,0") == expected


def test_fields_that_only_one_has():
    told = failure(same_json, {"a": 1, "list": [1]}, {"b": "x", "list": [1, 2]}, other="the other")
    assert told.splitlines() == [
        "a: 1, the other has nothing",
        "list[1]: nothing, the other has 2",
        "b: nothing, the other has 'x'",
    ]


def test_values_that_are_of_another_kind():
    assert failure(same_json, {"a": [1]}, {"a": {"b": 1}}) == "a: [1], the reference has {'b': 1}"
    assert failure(same_json, 1, 2) == "all of it: 1, the reference has 2"


def test_only_the_first_of_many():
    told = failure(same_json, list(range(20)), list(range(1, 21))).splitlines()
    assert (len(told), told[-1]) == (9, "and 12 more")


def test_moves_that_only_one_has():
    told = failure(same_moves, ["sail", "pass", "pass"], ["pass", "fly"], after="roll red")
    assert told.splitlines() == [
        '"pass": legal here, not in the reference after "roll red"',
        '"sail": legal here, not in the reference after "roll red"',
        '"fly": legal in the reference, not here after "roll red"',
    ]
