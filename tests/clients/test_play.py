"""`pythia play` on a pseudo-terminal: a person against bots, in this process and against a server."""

import json
import re
import subprocess

import pytest

from pythia.clients import Client
from pythia.clients.console import CommandError
from pythia.clients.play_cli import Moves, new_seats, possible_outcomes, read_saved, saved_seats
from pythia.core_cy import Random, list_games, load_game, state_from_observation
from pythia.core_cy.record import Record, record_game
from tests.clients.serving import served
from tests.clients.terminals import PYTHIA, Terminal

QUICK = ("--bot", "greedy")
PROMPT = r"^> $"
# What one seat may know of the other: no tiles that lie face down, no cards but its own.
HIDDEN = {"delphi": re.compile(r"\?[rkpbyg][φψσω](?! if known)"), "keltis": re.compile(r"hand:(?s:.*)hand:")}


@pytest.mark.parametrize("game", list_games())
def test_two_rounds(game, tmp_path):
    with Terminal("play", "--game", game, "--seed", "7", *QUICK, cwd=tmp_path) as screen:
        shown = screen.until(PROMPT)
        assert f"{game}: you are seat 0; seat 1: greedy." in shown
        assert "round 1" in shown
        assert "as seat 0 sees it" in shown
        while "round 3" not in shown:
            assert not HIDDEN[game].search(shown)
            shown = screen.answer("1")
        told = re.findall(r"^seat 1 \(greedy\): (.+)$", screen.text, re.MULTILINE)
        assert len(told) >= 4
        # Everything that was told, and nothing else, is in the history.
        history = screen.answer("history").splitlines()
        assert [line for line in history if line.startswith("seat 1")] == [
            f"seat 1 (greedy): {m}" for m in told
        ]
        assert "chance: something you do not see" in history or game != "keltis"
        assert "Save the game first?" in screen.answer("quit", ": $")
        screen.type("n\r")
        assert screen.ends()[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_what_a_person_can_type(tmp_path):
    with Terminal("play", "--game", "delphi", "--seed", "7", *QUICK, cwd=tmp_path) as screen:
        screen.until(PROMPT)
        assert "take your last move back" in screen.answer("help")
        # Tab completes as far as it is clear.
        screen.type("ret\t")
        screen.until("return ")
        assert "you: return shrine" in screen.answer("shrine")
        shown = screen.answer("undo")
        assert "you took the last move back" in shown
        assert "1  return shrine" in shown
        assert re.search(
            r"^undo: .*dice or cards were drawn since the last move", screen.answer("undo"), re.M
        )
        # A number, then the beginning of a move, a kind of move, words in a move, and a wrong number.
        shown = screen.answer("2")
        assert "you: return statue" in shown
        assert re.search(r"\d{3} are possible; type one of these words to list them: .*sail \(\d+\)", shown)
        assert screen.answer("die:red sail").count("die:red sail") > 5
        listed = re.findall(r"(\d+)  (\S+ sail \S+)", screen.answer("moves sail"))
        assert len(listed) > 20
        assert "is not a move; allowed: 1 to" in screen.answer("9999")
        # More than the screen holds comes page by page.
        screen.answer("moves", r"^-- \d+ lines more: Enter, or q to leave them out -- $")
        screen.answer("q")
        number, move = listed[3]
        # An illegal move: what is wrong with it, and what is allowed.
        shown = screen.answer("die:red sail 50,20")
        assert "'die:red sail 50,20':" in shown
        assert re.search(r"allowed now: [^>]*sail \(\d+\)", shown)
        shown = screen.answer("hint 0.2")
        assert "win probability: seat 0" in shown
        assert "hint: 'long' is not allowed" in screen.answer("hint long")
        # What the service refuses does not end the game.
        assert "seconds: 1000000000.0 is not allowed" in screen.answer("hint 1e9")
        assert "allowed now: " in screen.answer("²")
        assert f"you: {move}" in screen.answer(number)
        assert "Seat 1, yellow" in screen.answer("board")
        screen.answer("resign", r"\[Y/n\] $")
        shown = screen.answer("y", "Enter for no: $")
        assert "The game is over (resignation). Won by seat 1 (greedy)." in shown
        screen.type("lost.jsonl\r")
        screen.until("--unfinished lost.jsonl")
        assert screen.ends()[0] == 0
    assert Record.read(tmp_path / "lost.jsonl", unfinished=True).moves[-1].move == move


def left(screen, folder):
    """The file that the last message names, which is the only one there."""
    code, rest = screen.ends()
    assert code == 130
    (file,) = folder.iterdir()
    assert (
        f"pythia: interrupted; the game is saved in {file.name}; `pythia play --resume {file.name}`" in rest
    )
    return file


def test_ctrl_c_while_a_bot_thinks(tmp_path):
    with Terminal("play", "--game", "keltis", "--bot", "ismcts:seconds=50", cwd=tmp_path) as screen:
        screen.until(PROMPT)
        screen.answer(re.search(r"(\d+)  discard", screen.answer("discard"))[1])
        screen.answer("take pile", "^chance: draw")
        screen.interrupt()
        file = left(screen, tmp_path)
    assert [entry.by for entry in read_saved(file).moves] == [0, 0, -1]


def test_ctrl_c_saves_the_game_and_it_goes_on(tmp_path):
    bots = ("--bot", "greedy", "--bot", "ismcts", "--level", "1")
    with Terminal("play", "--game", "keltis", "--players", "3", "--seat", "1", *bots, cwd=tmp_path) as screen:
        screen.until(PROMPT)
        shown = screen.answer("1")
        screen.interrupt()
        file = left(screen, tmp_path)
    record = read_saved(file)
    assert [entry.get("bot") for entry in record.header["players"]] == ["greedy", None, "ismcts:level=1"]
    (mine,) = [entry.move for entry in record.moves if entry.by == 1]
    assert f"you: {mine}" in shown
    with Terminal("play", "--resume", file.name, cwd=tmp_path) as screen:
        again = screen.until(PROMPT)
        assert "you are seat 1; seat 0: greedy, seat 2: ismcts:level=1" in again
        assert f"you: {mine}" in again
        # The same question as when it was left.
        assert again[again.rindex("Your move") :] == shown[shown.rindex("Your move") :]
        screen.answer("1")
        screen.answer("quit", ": $")
        # A file that is there is not lost by accident.
        screen.answer(file.name, r"write over it\? \[Y/n\] $")
        screen.answer("n")
        assert "the game is saved in other.jsonl" in screen.answer("save other.jsonl")
        screen.answer("quit", ": $")
        screen.type("n\r")
        assert screen.ends()[0] == 0
    assert len(read_saved(tmp_path / "other.jsonl").moves) > len(record.moves)


def test_real_dice(tmp_path):
    with Terminal("play", "--game", "delphi", "--seed", "7", "--real-dice", *QUICK, cwd=tmp_path) as screen:
        shown = screen.until(PROMPT)
        assert "chance: roll" in shown
        assert "What did dice or cards say? 56 are possible" in shown
        assert "allowed now: roll (56)" in screen.answer("roll red red orange")
        assert "chance: roll red red blue" in screen.answer("roll red red blue")
        assert "chance: roll green green green" in screen.answer("roll green green green")
        screen.answer("injury red")
        assert "dice       red red blue" in screen.answer("injury green")
        # The end of input saves as well.
        screen.type("\x04")
        file = left(screen, tmp_path)
    assert json.loads(file.read_text().splitlines()[0])["real_dice"] is True


def test_what_chance_may_say_does_not_tell_what_is_hidden(tmp_path):
    """The cards that others hold are among those that may be drawn; their own draws people see."""
    with Terminal("play", "--game", "keltis", "--seed", "5", "--real-dice", *QUICK, cwd=tmp_path) as screen:
        screen.until(PROMPT)
        screen.answer(re.search(r"(\d+)  discard", screen.answer("discard"))[1])
        shown = screen.answer("take pile")
        assert "55 are possible" in shown
        assert "no blue 0 is left in the pile" in screen.answer("draw blue 0")
        assert "chance: draw blue 1" in screen.answer("draw blue 1")
        screen.answer("quit", ": $")
        screen.type("n\r")
        assert screen.ends()[0] == 0
    state = load_game("keltis", seed=5).new_state()
    for move in ("discard", "take pile"):
        state.apply(next(text for text in map(str, state.legal_moves()) if text.startswith(move)))
    assert len(state.legal_moves()) < 55
    assert {str(outcome) for outcome in state.legal_moves()} <= set(possible_outcomes(state.observation(0)))


def test_against_a_server(tmp_path):
    with served() as server, Client(server.address) as client:
        with Terminal("play", "--game", "keltis", "--server", server.address, *QUICK, cwd=tmp_path) as screen:
            screen.until(PROMPT)
            (match,) = client.matches()
            assert [seat.name for seat in match.seats] == ["you", "greedy"]
            assert "seat 0" in screen.answer("hint 0.1")
            screen.answer("1")
            assert client.match(match.id).version > match.version
            screen.answer("quit", ": $")
            screen.type("n\r")
            assert screen.ends()[0] == 0
        # Nobody will play it on: it is not left behind.
        assert list(client.matches()) == []


def test_a_terminal_is_needed_and_must_be_large_enough():
    with Terminal("play", columns=60, rows=24) as screen:
        code, shown = screen.ends()
    assert code == 6
    assert re.fullmatch(r"pythia: terminal: 60 by 24 is too small; needed: \d+ columns by 20 rows\n", shown)
    run = subprocess.run(
        [PYTHIA, "play"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 6
    assert run.stderr.startswith("pythia: terminal: ")


# -- without a terminal


@pytest.mark.parametrize(
    ("seat", "bots", "level", "words"),
    [
        (2, (), None, "seat: 2 is not allowed; allowed: 0 to 1"),
        (0, ("greedy", "greedy"), None, "bot: 2 bots are too many; allowed: 1"),
        (0, ("gready",), None, "bot: 'gready' is not allowed"),
        (0, (), 11, "level: 11 is not allowed; allowed: 1 to 10"),
        (0, ("greedy",), 3, "level: 3 is not allowed; allowed: none for greedy"),
    ],
)
def test_seats_that_cannot_be(seat, bots, level, words):
    with pytest.raises(CommandError, match=words):
        new_seats(seat, bots, level, 2)


def test_the_last_bot_takes_the_seats_that_are_left():
    seats = new_seats(1, ("greedy", "ismcts"), 7, 4)
    assert [str(seat.bot or "") for seat in seats] == ["greedy", "", "ismcts:level=7", "ismcts:level=7"]


def test_a_game_that_is_over_is_not_resumed(tmp_path):
    rng = Random(1)
    record = record_game(load_game("keltis", seed=1).new_state(), lambda state: state.random_move(rng), rng)
    record.write(tmp_path / "game.jsonl")
    with pytest.raises(CommandError, match="is a game that is over; `pythia replay`"):
        read_saved(tmp_path / "game.jsonl")
    # A record of another origin does not say who plays.
    assert [seat.bot is None for seat in saved_seats(record, 1, ("greedy",), None)] == [False, True]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("die:red", lambda text: text.startswith("die:red")),
        ("sail", lambda text: " sail " in text),
        ("red sail", lambda text: text.startswith("die:red") and " sail " in text),
        ("die sail -1", lambda text: text.startswith("die:") and " sail -1" in text),
        ("", lambda text: True),
        ("fly", lambda text: False),
    ],
)
def test_moves_are_found_by_beginning_kind_and_words(typed, expected):
    state = load_game("delphi", seed=7).new_state()
    for text in ("roll red pink blue", "roll red pink blue", "injury red", "injury red", "return shrine"):
        state.apply(text)
    texts = [str(move) for move in state.legal_moves()]
    moves = Moves(texts, state_from_observation(state.observation(0), 1))
    assert len(texts) > 100
    assert moves.matching(typed) == [text for text in texts if expected(text)]
