"""`pythia review`: a table, JSON and pictures; here and asked of a server; ended early."""

import json
import re
from xml.etree import ElementTree

import pytest

from pythia.clients.cli.main import main
from pythia.clients.cli.record import random_record
from tests.clients.serving import served
from tests.clients.terminals import Terminal

QUICK = ("--iterations", "8", "--unfinished")


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """The first moves of a game, in a file."""
    file = tmp_path_factory.mktemp("records") / "start.jsonl"
    random_record("keltis", 2, 7).write(file)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:13]))
    return file


def reviewed(capsys, *arguments):
    main(["review", *map(str, arguments)])
    return capsys.readouterr().out


def test_a_table_worst_first_and_sums(start, capsys):
    out = reviewed(capsys, start, *QUICK)
    obj = json.loads(reviewed(capsys, start, *QUICK, "--json"))
    assert out.splitlines()[0] == "keltis: seat 0, seat 1; judged by ismcts:iterations=8, seed 0"
    losses = [float(loss) for loss in re.findall(r"^\d+ +\d +(\d+\.\d) %", out, re.MULTILINE)]
    assert losses == sorted(losses, reverse=True)
    worst = max(obj["decisions"], key=lambda decision: decision["loss"])
    row = next(line for line in out.splitlines() if re.match(rf"{worst['number']} ", line))
    assert worst["move"] in row
    assert worst["best"] in row
    for summary in obj["summaries"]:
        assert re.search(
            rf"^{summary['seat']} +{summary['name']} +{summary['decisions']} +{100 * summary['total_loss']:.1f} %",
            out,
            re.MULTILINE,
        )
    assert "\x1b" not in out


def test_reasons_in_german(start, capsys):
    english, german = (
        json.loads(reviewed(capsys, start, *QUICK, "--json", "--lang", language)) for language in ("en", "de")
    )
    told = [
        (one["reasons"], other["reasons"])
        for one, other in zip(english["decisions"], german["decisions"], strict=True)
    ]
    assert any(one for one, _ in told)
    for one, other in told:
        assert len(one) == len(other)
        assert not set(one) & set(other)
    with pytest.raises(SystemExit):
        main(["review", str(start), "--lang", "fr"])
    assert "language: 'fr' is not allowed; allowed: en, de" in capsys.readouterr().err


def test_a_narrow_window_cuts_nothing_off(start, capsys):
    """Lines instead of columns; the same numbers as the JSON has."""
    obj = json.loads(reviewed(capsys, start, *QUICK, "--json"))
    with Terminal("review", start, *QUICK, "--lines", "2", columns=80, rows=24) as screen:
        code, out = screen.ends()
    assert code == 0
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 80
    lost = sorted((d for d in obj["decisions"] if d["loss"] > 0), key=lambda decision: -decision["loss"])
    worst = lost[0]
    assert f"move {worst['number']}, seat {worst['seat']}: lost {100 * worst['loss']:.1f} % (" in out
    assert f"  played {worst['move']}\n" in out
    assert f"  better {worst['best']}" in out
    assert f"{len(lost) - 2} more lost less; --lines {len(lost)} shows them all" in out
    for summary in obj["summaries"]:
        luck = re.escape(f"{100 * summary['total_luck']:+.1f} %")
        assert re.search(rf"^{summary['name']} +{luck}", out, re.MULTILINE)


def test_in_order_and_one_seat_only(start, capsys):
    out = reviewed(capsys, start, *QUICK, "--seat", "1", "--in-order")
    obj = json.loads(reviewed(capsys, start, *QUICK, "--seat", "1", "--json"))
    rows = re.findall(r"^(\d+) +1 +\d+\.\d %", out, re.MULTILINE)
    assert [int(row) for row in rows] == [decision["number"] for decision in obj["decisions"]]
    assert (
        {decision["seat"] for decision in obj["decisions"]} == {event["seat"] for event in obj["luck"]} == {1}
    )


def test_pictures(start, tmp_path, capsys):
    reviewed(capsys, start, *QUICK, "--plot", tmp_path / "game.svg")
    root = ElementTree.parse(tmp_path / "game.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    reviewed(capsys, start, *QUICK, "--plot", tmp_path / "game.html")
    assert (tmp_path / "game.html").read_text().count("<svg") == 1
    main(["review", str(start), *QUICK, "--json", "--plot", str(tmp_path / "again.html")])
    told = capsys.readouterr()
    assert told.err.endswith(f"plot: written to {tmp_path / 'again.html'}\n")
    json.loads(told.out)


def test_an_unfinished_game_is_refused_with_the_option_that_allows_it(start, capsys):
    for command in ("review", "replay"):
        with pytest.raises(SystemExit):
            main([command, str(start)])
        assert (
            "ends without a result; the last line must be the result; add --unfinished"
            in capsys.readouterr().err
        )


def test_replay_shows_the_position_of_a_decision(start, capsys):
    """The number of a move in the review is the one that `replay --at` names as next."""
    out = reviewed(capsys, start, *QUICK)
    number, at = map(
        int, re.search(r"before move (\d+): pythia replay \S+ --at (\d+)", out.replace("\n", " ")).groups()
    )
    move = next(line for line in out.splitlines() if re.match(rf"{number} ", line))
    main(["replay", str(start), "--unfinished", "--at", str(at)])
    following = re.search(r"move (\d+) comes next: (.+)", capsys.readouterr().out)
    assert int(following[1]) == number
    assert following[2] in move


def test_a_picture_that_cannot_be_written_does_not_cost_the_review(start, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["review", str(start), *QUICK, "--plot", str(tmp_path / "none" / "game.svg")])
    assert ended.value.code == 1
    told = capsys.readouterr()
    assert "lost in all" in told.out
    assert re.match(r"pythia: plot: '.*game\.svg' cannot be written", told.err)


def test_a_server_judges_the_same(start, capsys):
    here = reviewed(capsys, start, *QUICK, "--seat", "0", "--json")
    with served() as server:
        there = reviewed(capsys, start, *QUICK, "--seat", "0", "--json", "--server", server.address)
    assert json.loads(here) == json.loads(there)


def test_a_server_that_cuts_searches_short(start, tmp_path, capsys):
    file = tmp_path / "start.jsonl"
    file.write_text("\n".join(start.read_text().splitlines()[:2]))
    with served(max_seconds=0.01) as server:
        main(["review", str(file), "--unfinished", "--iterations", "1000000", "--server", server.address])
    assert "searches were stopped early by the server" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ["--plot", "game.png"],
            1,
            "plot: 'game.png' is not allowed; allowed: a file that ends in .svg or .html",
        ),
        (["--seat", "2"], 1, "seat: 2 is not allowed; allowed: 0 to 1"),
        (["--bot", "random"], 1, "bot: 'random' is not allowed"),
        (["--lines", "-1"], 1, "lines: -1 is not allowed"),
        (["--game", "delphi"], 11, "is of keltis, not of delphi"),
        (["--server", "127.0.0.1:1", "--seat", "0"], 3, "does not answer"),
    ],
)
def test_what_is_refused(start, arguments, code, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["review", str(start), "--unfinished", *arguments])
    assert ended.value.code == code
    assert words in capsys.readouterr().err


def test_ctrl_c_tells_what_is_done(start):
    """On a terminal it shows how far it is; interrupted it tells of the moves that are done."""
    with Terminal("review", start, "--unfinished", "--seconds", "0.2") as screen:
        screen.until(r"\d of 12 moves, .* moves/s, \d+:\d\d left")
        screen.interrupt()
        code, rest = screen.ends()
    assert code == 130
    done = int(re.search(r"pythia: interrupted; (\d+) of 12 moves were reviewed; see above", rest)[1])
    assert 0 < done < 12
    assert f"the first {done} of 12 moves" in rest
    assert "lost in all" in rest
