"""Prices by intervention: changes that give valid positions, prices with the right sign, files that go on."""

import json

import pytest

from tools.calibration.prices import PRICES, changed, main, measured, prices_of
from tools.calibration.truth import decisions, position


@pytest.mark.parametrize("game", sorted(PRICES))
def test_every_change_is_one_for_its_seat_alone(game):
    kept = decisions(game, 2, 12)
    view = kept[len(kept) // 2]
    state, seat = view.imagined(1), view.seat
    before = state.to_json()
    made = 0
    for change in PRICES[game].values():
        other = changed(state, change, seat)
        if other is not None:
            made += 1
            after = other.to_json()
            assert after["players"][1 - seat] == before["players"][1 - seat]
            assert after["players"][seat] != before["players"][seat]
    assert made >= 2
    assert state.to_json() == before


def test_points_are_worth_something():
    rows = [prices_of("keltis", position("keltis", 2, seed), 5, 24) for seed in range(5)]
    # Early in a game so many points cannot be.
    found = [row["3 points"] for row in rows if "3 points" in row]
    assert found
    assert all(judged > 0 for _, judged in found)
    assert sum(won for won, _ in found) > 0


def test_positions_go_on_from_the_file(tmp_path, capsys):
    path = tmp_path / "prices.jsonl"
    first = list(measured("keltis", 2, 2, 4, 1, path))
    path.write_text(path.read_text() + '{"3 poi')  # stopped in the middle of a line
    more = list(measured("keltis", 2, 3, 4, 1, path))
    assert more[:2] == first
    assert len(path.read_text().splitlines()) == 4
    main(["keltis", "--positions", "3", "--playouts", "4", "--file", str(path)])
    assert "| a wish stone |" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="was begun with"):
        list(measured("keltis", 2, 3, 8, 1, path))
    assert json.loads(path.read_text().splitlines()[0])["playouts"] == 4
