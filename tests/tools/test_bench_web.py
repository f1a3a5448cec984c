"""The bench of HTTP and of streams still runs: it starts real servers and reads what they print."""

import pytest

from tools.bench import web


def test_rows(monkeypatch):
    for name, value in {
        "CALLERS": 2,
        "SECONDS": 0.1,
        "ROUNDS": 1,
        "SUBSCRIPTIONS": 8,
        "CONNECTIONS": 2,
        "FOLLOWED": 3,
        "WATCH_SECONDS": 0.5,
    }.items():
        monkeypatch.setattr(web, name, value)
    rows = web.rows()
    *http, opened, later, told, look = rows
    assert [row[0] for row in http] == [
        f"{method} by Connect, {kind}"
        for method in ("GetServerInfo", "LegalMoves")
        for kind in ("bytes", "JSON")
    ]
    assert all(row[1] > 0 for row in (*http, opened, later, look))
    assert opened[5] == pytest.approx(opened[1], rel=1)
    assert told[1] >= 0
