"""`pythia new`, `show`, `moves` and `suggest`, in this process and against a server, for every game."""

import json
import re
import sys

import pytest

from pythia.core_cy import (
    CHANCE,
    Random,
    View,
    game_info,
    list_games,
    load_game,
    state_from_json,
    state_from_observation,
)
from pythia.core_cy.move_words import reasons
from pythia.core_cy.picture import text_of
from tests.clients.command import pythia, worked
from tests.clients.serving import served
from tests.clients.terminals import Terminal

each_game = pytest.mark.parametrize("game", list_games())
QUICK = ("--iterations", 60, "--lines", 3)


def made(*arguments):
    return json.loads(worked("new", *arguments))


def position_file(folder, *arguments):
    file = folder / "position.json"
    worked("new", "--seed", 7, "--moves", 12, *arguments, "--out", file)
    return file


# -- new


@each_game
def test_new_is_ready_for_advice(game):
    position = made("--game", game, "--players", 3, "--seed", 5)
    state = state_from_json(position)
    assert (position["game"], state.game.players) == (game, 3)
    assert state.to_act >= 0
    assert position == made("--game", game, "--players", 3, "--seed", 5)
    assert position != made("--game", game, "--players", 3, "--seed", 6)


def test_new_before_the_first_roll():
    position = made("--seed", 5, "--start")
    assert position == load_game("delphi", players=2, seed=5).new_state().to_json()
    assert position["to_act"] == CHANCE


@each_game
@pytest.mark.parametrize("bot", ["random", "greedy"])
def test_new_plays_moves_first(game, bot):
    arguments = ("--game", game, "--seed", 5, "--bot", bot)
    position = made(*arguments, "--moves", 9)
    assert position == made(*arguments, "--moves", 9)
    assert position not in (made(*arguments), made(*arguments, "--moves", 8))
    assert state_from_json(position).to_act >= 0


@each_game
def test_new_for_one_seat(game):
    arguments = ("--game", game, "--seed", 5, "--moves", 5)
    seen = made(*arguments, "--seat", 1)
    assert seen == state_from_json(made(*arguments)).observation(1)


def test_a_board_made_is_a_board_that_can_be_given(tmp_path):
    file = tmp_path / "board.json"
    worked("new", "--board", "--seed", 5, "--out", file)
    position = made("--option", "board=given", "--option", f"hexes=@{file}", "--option", "removed_tasks=2")
    assert position["board"] == json.loads(file.read_text())
    assert position["options"]["removed_tasks"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--option", "colour=red"], "option: 'colour' is not allowed; allowed: players, seed, board"),
        (["--option", "removed_tasks"], "option: 'removed_tasks' is not allowed; allowed: NAME=VALUE"),
        (["--option", "removed_tasks=many"], "removed_tasks: 'many' is not allowed; allowed: a whole number"),
        (["--option", "players=3"], "option: 'players' is not allowed; allowed: --players for this one"),
        (["--option", "hexes=@absent.json"], "file: 'absent.json' cannot be read"),
        (["--moves", "-1"], "moves: -1 is not allowed; allowed: 0 or more"),
        (["--moves", "1", "--start"], "start: cannot be used with --moves"),
        (["--moves", "1", "--bot", "deep"], "bot: 'deep' is not allowed; allowed: random, greedy"),
        (["--seat", "2"], "seat: 2 is not allowed; allowed: 0 to 1"),
        (["--board", "--seat", "1"], "seat: cannot be used with --board"),
        (["--board", "--game", "keltis"], "board: keltis has no separate board"),
        (["--out", "absent/position.json"], "out: 'absent/position.json' cannot be written"),
    ],
)
def test_what_new_refuses(arguments, words):
    ran = pythia("new", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"pythia: {words}"), ran.err


# -- show


@each_game
def test_show_as_text(game, tmp_path):
    file = position_file(tmp_path, "--game", game)
    position = json.loads(file.read_text())
    assert worked("show", file) == worked("show", "-", stdin=file.read_text()) == text_of(position)
    seen = worked("show", file, "--seat", 1)
    assert seen == text_of(state_from_json(position).observation(1)) != worked("show", file)
    assert json.loads(worked("show", file, "--seat", 1, "--json"))["observer"] == 1


def test_show_a_record_after_so_many_moves(tmp_path):
    file = tmp_path / "game.jsonl"
    file.write_text(worked("record", "--game", "keltis"))
    lines = file.read_text().splitlines()
    assert json.loads(worked("show", file, "--at", 0, "--json")) == json.loads(lines[0])["start"]
    assert "over" in worked("show", file).splitlines()[0]
    state = state_from_json(json.loads(lines[0])["start"])
    for line in lines[1:31]:
        state.apply(json.loads(line)["move"])
    assert json.loads(worked("show", file, "--at", 30, "--json")) == state.to_json()
    ran = pythia("show", file, "--at", len(lines))
    assert (ran.code, f"allowed: 0 to {len(lines) - 2}" in ran.err) == (1, True)


@each_game
def test_show_as_a_picture(game, tmp_path):
    file, picture = position_file(tmp_path, "--game", game), tmp_path / "board.svg"
    assert worked("show", file, "--svg", picture) == ""
    assert worked("show", file, "--svg", "-") == picture.read_text()
    assert picture.read_text().startswith("<svg ")
    move = json.loads(worked("moves", file, "--json"))["moves"][0]["text"]
    assert worked("show", file, "--svg", "-", "--move", move) != picture.read_text()


@pytest.mark.integration  # needs fonts
def test_show_as_png(tmp_path):
    picture = tmp_path / "board.png"
    worked("show", position_file(tmp_path), "--png", picture, "--width", 300)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert int.from_bytes(picture.read_bytes()[16:20], "big") == 300


def test_without_the_extra_show_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    ran = pythia("show", position_file(tmp_path), "--png", tmp_path / "board.png")
    assert (ran.code, ran.err.startswith("pythia: png: resvg is not installed")) == (1, True)


def test_what_show_refuses(tmp_path):
    file = position_file(tmp_path)
    for arguments, words in (
        (["--move", "end"], "move: can be marked only in a picture"),
        (["--width", "100"], "width: only for --png"),
        (["--seat", "5"], "seat: 5 is not allowed; allowed: 0 to 1"),
        (["--svg", tmp_path], "svg: "),
        (["--svg", "-", "--move", "jump"], "'jump': "),
    ):
        ran = pythia("show", file, *arguments)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(f"pythia: {words}"), ran.err


# -- moves


@each_game
def test_moves(game, tmp_path):
    file = position_file(tmp_path, "--game", game)
    state = state_from_json(json.loads(file.read_text()))
    legal = [str(move) for move in state.legal_moves()]
    listed = json.loads(worked("moves", file, "--json"))
    assert (listed["to_act"], listed["count"]) == (state.to_act, len(legal))
    assert [move["text"] for move in listed["moves"]] == legal
    assert [set(move) >= {"text", "action"} for move in listed["moves"]] == [True] * len(legal)
    shown = worked("moves", file)
    assert shown.endswith(f"\n{len(legal)} moves, seat {state.to_act} to act\n")
    assert all(move in shown for move in legal)
    assert sum(int(count) for count in re.findall(r"^[a-z ]+ \((\d+)\)$", shown, re.MULTILINE)) == len(legal)
    # What the seat sees is enough.
    assert worked("moves", "-", stdin=json.dumps(state.observation(state.to_act))) == shown
    ran = pythia("moves", "-", stdin=json.dumps(state.observation((state.to_act + 1) % state.game.players)))
    assert (ran.code, f"seat {state.to_act} is to act" in ran.err) == (1, True)


def test_moves_of_chance_and_of_nobody():
    start = worked("new", "--start", "--seed", 5)
    shown = worked("moves", "-", stdin=start)
    assert "roll red red red" in shown
    assert shown.endswith("56 outcomes, chance to act\n")
    listed = json.loads(worked("moves", "-", "--json", stdin=start))
    assert sum(move["probability"] for move in listed["moves"]) == pytest.approx(1)
    over = worked("record", "--game", "keltis")
    assert worked("moves", "-", stdin=over) == "the game is over: no moves\n"


# -- suggest


@each_game
def test_suggest(game, tmp_path):
    file = position_file(tmp_path, "--game", game)
    state = state_from_json(json.loads(file.read_text()))
    answer = json.loads(worked("suggest", file, *QUICK, "--json"))
    assert answer["move"] in [str(move) for move in state.legal_moves()]
    assert len(answer["moves"]) == min(3, len(state.legal_moves()))
    shown = worked("suggest", file, *QUICK)
    heading, _, *rows = shown.splitlines()
    assert heading.split() == ["move", "win", "95", "%", "visits", "then"]
    for row, move in zip(rows, answer["moves"], strict=False):
        assert row.startswith(move["move"])
        # A move that was not tried has no value of its own.
        assert (f" {100 * move['win_probability']:.1f} % " in row) == (move["visits"] > 0)
        assert re.search("[█▓░·]{20}", row)
    assert f"\n{answer['move']}\n" in shown
    assert all(f"\n  {reason}\n" in shown for reason in answer["reasons"])
    assert "\x1b" not in shown


def test_the_expected_line_names_no_card_that_nobody_knows(tmp_path):
    """From the full position as from what the seat sees."""
    file = position_file(tmp_path, "--game", "keltis", "--bot", "greedy")
    state = state_from_json(json.loads(file.read_text()))
    seen = json.dumps(state.observation(state.to_act))
    for stdin in (file.read_text(), seen):
        shown = worked("suggest", "-", "--iterations", "2000", "--lines", "2", stdin=stdin)
        assert re.search(r"take pile; draw \?; seat \d: (play figure|play priestess|discard) \?", shown)


@each_game
def test_the_bot_gets_what_the_seat_sees(game, tmp_path):
    """The same answer for every position that looks the same to the seat."""
    file = position_file(tmp_path, "--game", game)
    state = state_from_json(json.loads(file.read_text()))
    seen = state.observation(state.to_act)
    other = state_from_observation(seen, 99)
    assert (other.to_json() != state.to_json()) is game_info(game).hides
    answers = []
    for position in (state.to_json(), other.to_json(), seen):
        answer = json.loads(worked("suggest", "-", *QUICK, "--json", stdin=json.dumps(position)))
        del answer["seconds"]
        answers.append(answer)
    assert answers[0] == answers[1] == answers[2]


@each_game
def test_suggest_gives_reasons_in_german(game, tmp_path, monkeypatch):
    state, rng, move = load_game(game, seed=7).new_state(), Random(7), None
    while move is None:
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
        view = View.of(state, max(state.to_act, 0))
        moves = view.legal_moves() if state.to_act != CHANCE else []
        move = next((str(move) for move in moves if view.why_good(move)), None)
    file = tmp_path / "position.json"
    file.write_text(json.dumps(state.to_json()))
    asked = ("suggest", file, "--bot", "random", "--consider", move)
    german = reasons(view, move, "de")
    assert json.loads(worked(*asked, "--lang", "de", "--json"))["reasons"] == german
    assert all(f"\n  {reason}\n" in worked(*asked, "--lang", "de") for reason in german)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert json.loads(worked(*asked, "--json"))["reasons"] == german
    assert json.loads(worked(*asked, "--lang", "en", "--json"))["reasons"] == reasons(view, move)


def test_suggest_against_a_server_says_the_same(tmp_path):
    file = position_file(tmp_path)
    answers = []
    with served() as server:
        for place in ([], ["--server", server.address]):
            answer = json.loads(worked("suggest", file, *QUICK, "--seed", 4, "--json", *place))
            del answer["seconds"]
            answers.append(answer)
    assert answers[0] == answers[1]


def test_suggest_considers_and_avoids(tmp_path):
    file = position_file(tmp_path)
    moves = [move["text"] for move in json.loads(worked("moves", file, "--json"))["moves"]]
    answer = json.loads(
        worked("suggest", file, *QUICK, "--consider", moves[0], "--consider", moves[1], "--json")
    )
    assert {move["move"] for move in answer["moves"]} == set(moves[:2])
    best = json.loads(worked("suggest", file, *QUICK, "--json"))["move"]
    answer = json.loads(worked("suggest", file, *QUICK, "--avoid", best, "--json"))
    assert best not in [move["move"] for move in answer["moves"]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--bot", "deep"],
            "bot: 'deep' is not allowed; allowed: random, greedy, prior, planner, ismcts",
        ),
        (["--level", "11"], "level: 11 is not allowed; allowed: 1 to 10"),
        (["--bot", "greedy", "--level", "1"], "level: greedy has no levels; leave it out"),
        (["--seconds", "0"], "seconds: 0.0 is not allowed"),
        (["--seconds", "1e9"], "seconds: 1000000000.0 is not allowed; allowed: above 0 to 86400"),
        (["--bot", "my_bots:Nobody"], "bot: 'my_bots:Nobody' cannot be imported: "),
        (["--threads", "0"], "threads: 0 is not allowed"),
        (["--avoid", "jump"], "avoid[0]: 'jump'"),
        (["--seat", "2"], "seat: 2 is not allowed; allowed: 0 to 1"),
        (["--seat", "1"], "observation.to_act: seat 0 is to act"),
        (["--lang", "fr"], "language: 'fr' is not allowed; allowed: en, de"),
        (["--tls"], "tls: needs a server"),
        (["--server", "x:1", "--store", "y"], "store: cannot be used with --server"),
    ],
)
def test_what_suggest_refuses(arguments, words):
    ran = pythia("suggest", "-", *arguments, stdin=worked("new", "--seed", 7, "--moves", 12))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"pythia: {words}"), ran.err


COLOR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")


def test_suggest_live_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    file = position_file(tmp_path, "--game", "keltis")
    with Terminal("suggest", file, "--seconds", 60, "--lines", 3) as screen:
        screen.until(r"win probability: .* iterations")
        screen.until(r"win probability: .* iterations")  # drawn anew
        screen.interrupt()
        code, rest = screen.ends()
        assert code == 130
        assert rest.endswith("pythia: interrupted; the results so far are above\n")
        assert COLOR.search(screen.raw)
        assert "\x1b[2K" in screen.raw, "one table gives way to the next"


def test_suggest_on_a_small_terminal_and_without_colors(tmp_path, monkeypatch):
    """Too small to draw live: the table at the end does without bar and line."""
    for name, value in {"NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "60", "LINES": "10"}.items():
        monkeypatch.setenv(name, value)
    ran = pythia("suggest", position_file(tmp_path, "--game", "keltis"), *QUICK, terminal=True)
    assert (ran.code, ran.err) == (0, "")
    heading = ran.out.partition("\n")[0]
    assert "visits" in heading
    assert "then" not in heading
    assert "\x1b[1m" in ran.out, "a terminal, since it can write in bold"
    assert "\x1b[2K" not in ran.out
    assert not COLOR.search(ran.out)
    assert max(len(re.sub(r"\x1b\[\d*m", "", line)) for line in ran.out.splitlines()) <= 60


@pytest.mark.parametrize("game", list_games())
def test_by_default_as_few_play_as_the_game_allows(game):
    fewest = game_info(game).min_players
    assert len(json.loads(worked("new", "--game", game, "--seed", 1))["players"]) == fewest
    header = json.loads(worked("record", "--game", game).splitlines()[0])
    assert header["options"]["players"] == fewest
