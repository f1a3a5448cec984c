"""`pythia replay`: step by step on a terminal, checked and told elsewhere."""

import io
import json
import re
import sys

import pytest

from pythia.clients.cli.main import main
from pythia.clients.cli.record import random_record
from pythia.core_cy import game_info, list_games
from tests.clients.serving import served
from tests.clients.terminals import Terminal

QUICK = ("--iterations", "8")
PROMPT = r"> $"


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """A game of each kind, in files."""
    folder = tmp_path_factory.mktemp("records")
    for game in list_games():
        random_record(game, game_info(game).min_players, 7).write(folder / f"{game}.jsonl")
    return folder


def lines_of(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_steps(records):
    file = records / "keltis.jsonl"
    moves = lines_of(file)[1:-1]
    last = len(moves)
    with Terminal("replay", file, "--at", "4", *QUICK) as screen:
        shown = screen.until(PROMPT)
        assert re.search(rf"^ +4  .*{re.escape(moves[3]['move'])}$", shown, re.MULTILINE)
        assert f"4/{last}" in shown
        for typed, at in (("", 5), ("n", 6), ("b", 5), ("to 9", 9), ("2", 2), ("s", 0), ("e", last)):
            shown = screen.answer(typed, PROMPT)
            assert f"{at}/{last}" in shown
            assert "round" in shown, "the board is shown"
        assert "the end; result: " in shown
        assert f"allowed: 0 to {last}" in screen.answer("", PROMPT)
        assert "nothing to decide here: over" in screen.answer("a", PROMPT)
        assert "'x' is not allowed; allowed:" in screen.answer("x", PROMPT)
        # To the next turn: somebody moved on.
        screen.answer("s", PROMPT)
        turns = [screen.answer("t", PROMPT) for _ in range(3)]
        places = [int(re.findall(rf"(\d+)/{last}", shown)[-1]) for shown in turns]
        assert places == sorted(set(places))
        seats = [re.search(r"turn of seat (\d)", shown)[1] for shown in turns]
        assert seats in (["0", "1", "0"], ["1", "0", "1"])
        # What a bot thinks, from what the seat to act sees; then through the eyes of one seat.
        deciding = next(number for number, move in enumerate(moves) if move["by"] == 1)
        screen.answer(str(deciding), PROMPT)
        shown = screen.answer("a", PROMPT)
        assert "win probability: seat 0" in shown
        assert f"played: {moves[deciding]['move']}" in shown
        assert "as seat 1 sees it" in screen.answer("v 1", PROMPT)
        assert "as seat" not in screen.answer("v", PROMPT)
        assert "allowed: 0 to 1, or nothing" in screen.answer("v 2", PROMPT)
        screen.type("q\r")
        assert screen.ends()[0] == 0


def test_what_a_small_window_leaves_out_is_a_command_away(records):
    more = r"Enter for the next page, q to stop, or an answer -- $"
    with Terminal("replay", records / "keltis.jsonl", "--at", "60", columns=80, rows=24) as screen:
        shown = screen.until(PROMPT)
        assert "`board all` shows everything" in shown
        assert "three figures on" not in shown
        screen.answer("board all", more)
        assert "three figures on" in screen.answer("", PROMPT)
        assert "* priestess" in screen.answer("legend", PROMPT)
        assert "round" in screen.answer("board", PROMPT)
        assert max(map(len, screen.answer("h", PROMPT).splitlines())) <= 80
        screen.type("q\r")
        assert screen.ends()[0] == 0


@pytest.mark.parametrize("game", list_games())
def test_elsewhere_it_is_checked_and_the_end_is_shown(game, records, capsys, monkeypatch):
    file = records / f"{game}.jsonl"
    *_, last = lines_of(file)
    count = len(lines_of(file)) - 2
    expected = f"{count} moves and outcomes, as recorded; result: {json.dumps(last['result'])}"
    main(["replay", str(file)])
    assert capsys.readouterr().out.splitlines()[-1] == expected
    monkeypatch.setattr(sys, "stdin", io.StringIO(file.read_text()))
    main(["replay"])
    assert capsys.readouterr().out.splitlines()[-1] == expected
    main(["replay", str(file), "--at", "3"])
    out = capsys.readouterr().out
    assert "round 1" in out
    assert re.fullmatch(
        rf"after 3 of {count} moves and outcomes; (chance|seat \d) to act", out.splitlines()[-1]
    )


def test_an_unfinished_game_is_replayed_on_request(records, tmp_path, capsys):
    file = tmp_path / "cut.jsonl"
    file.write_text("\n".join((records / "keltis.jsonl").read_text().splitlines()[:9]))
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(file)])
    assert ended.value.code == 13
    assert "ends without a result" in capsys.readouterr().err
    main(["replay", str(file), "--unfinished"])
    assert capsys.readouterr().out.endswith(
        "8 moves and outcomes, as recorded; result: none, the game is unfinished\n"
    )


def test_each_decision_analysed(records, tmp_path, capsys):
    file = tmp_path / "start.jsonl"
    file.write_text("\n".join((records / "keltis.jsonl").read_text().splitlines()[:14]))
    arguments = ["replay", str(file), "--unfinished", "--analyse", *QUICK]
    main([*arguments, "--json"])
    obj = json.loads(capsys.readouterr().out)
    assert (obj["game"], obj["at"], obj["result"], len(obj["moves"])) == ("keltis", 13, None, 13)
    analysed = [move for move in obj["moves"] if "analysis" in move]
    assert len(analysed) > 4
    assert all(move["by"] >= 0 for move in analysed)
    # The same for people, a line each; and the same from a server.
    main(arguments)
    lines = capsys.readouterr().out.splitlines()
    for line, move in zip(lines, analysed, strict=False):
        assert f"{move['number']}  seat {move['by']}  {move['move']}" in line
        best = move["analysis"]["moves"][0]["move"]
        assert line.endswith(", the best") if best == move["move"] else f"best: {best} (" in line
    assert lines[-1] == f"{len(analysed)} decisions analysed by ismcts:iterations=8"
    with served() as server:
        main([*arguments, "--server", server.address])
    assert capsys.readouterr().out.splitlines() == lines


def test_a_search_that_a_server_cuts_short_is_told(records, tmp_path, capsys):
    file = tmp_path / "start.jsonl"
    file.write_text("\n".join((records / "keltis.jsonl").read_text().splitlines()[:3]))
    arguments = ["replay", str(file), "--unfinished", "--analyse", "--iterations", "1000000"]
    with served(max_seconds=0.01) as server:
        main([*arguments, "--server", server.address])
    told = capsys.readouterr()
    assert re.search(r"^\d decisions analysed by ismcts:iterations=1000000$", told.out, re.MULTILINE)
    assert re.match(r"(\d) of \1 searches were stopped early by the server", told.err)


def test_places_outside_the_record_are_refused(records, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(records / "keltis.jsonl"), "--at", "-1"])
    assert ended.value.code == 1
    assert "at: -1 is not allowed; allowed: 0 to" in capsys.readouterr().err
