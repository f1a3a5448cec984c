"""`pythia play`: a person against bots. On a pseudo-terminal where that matters, otherwise within this process."""

import json
import re
import tempfile
from contextlib import ExitStack
from itertools import repeat

import pytest

from pythia.clients import Client
from pythia.clients.cli.console import CommandError
from pythia.clients.cli.play import Moves, new_seats, read_saved, saved_seats
from pythia.core_cy import Random, View, load_game
from pythia.core_cy.descriptions import lookup
from pythia.core_cy.move_words import describe_move
from pythia.core_cy.record import Record, RecordEntry, header_of, record_game
from tests.clients.command import pythia, worked
from tests.clients.flaky import BUSY, flaky
from tests.clients.serving import free_port, served
from tests.clients.terminals import Terminal

QUICK = ("--bot", "greedy")
PROMPT = r"^> $"


def told_of_the_bot(shown):
    return re.findall(r"^seat 1 \(greedy\): (.+)$", shown, re.MULTILINE)


def in_words(file, seat):
    """The moves of a seat, in words for seat 0."""
    record = read_saved(file)
    moves = zip(record.replay(), record.moves, strict=False)
    return [describe_move(View.of(state, 0), entry.move).label for state, entry in moves if entry.by == seat]


def left(screen, folder):
    """The file that the last message names, which is the only one there."""
    code, rest = screen.ends()
    assert code == 130
    (file,) = folder.iterdir()
    assert (
        f"pythia: interrupted; the game is saved in {file.name}; `pythia play --resume {file.name}`" in rest
    )
    return file


def test_two_rounds(tmp_path):
    with Terminal("play", "--game", "delphi", "--seed", "7", *QUICK, cwd=tmp_path) as screen:
        shown = screen.until(PROMPT)
        assert "delphi: you are seat 0; seat 1: greedy." in shown
        assert "round 1" in shown
        assert "seat 0 (you), red" in shown
        while "round 3" not in shown:
            shown = screen.answer("1")
        told = told_of_the_bot(screen.text)
        assert len(told) >= 4
        assert not re.search(r"\?[rkpbyg][φψσω](?! if known)", screen.text), "a tile that lies face down"
        history = told_of_the_bot(screen.answer("history"))
        assert history == told
        screen.interrupt()
        file = left(screen, tmp_path)
    assert in_words(file, 1) == history


def test_what_a_person_can_type(tmp_path):
    with Terminal("play", "--game", "delphi", "--seed", "7", *QUICK, cwd=tmp_path) as screen:
        screen.until(PROMPT)
        assert "take back your last move" in screen.answer("help")
        assert "take back your last move" in screen.answer("?")
        assert "R12: creatures (ruling:R12)" in screen.answer("explain r12")
        assert "'posiedon' is unknown; similar words: Poseidon" in screen.answer("explain posiedon")
        assert "Task completed: shrine" in screen.answer("explain 1")
        assert re.search(r"^undo: you have not moved yet$", screen.answer("undo"), re.M)
        # Tab completes a word as far as it is clear, and lists the words that may come next.
        screen.type("ret\t")
        screen.until("return ")
        screen.type("\t\t")
        assert screen.until("shrine +statue").count("return") == 0
        assert "you: Give back a shrine task" in screen.answer("shrine")
        shown = screen.answer("undo")
        assert "you took back the last move" in shown
        # What happened before the decision is below the board again, with whom it happened to.
        assert re.search(r"^chance \(you\): Dice: .*\nchance \(seat 1\): Dice: ", shown, re.M)
        assert "1  return shrine" in shown
        assert re.search(
            r"^undo: dice were rolled or cards drawn since your last move, so it stands",
            screen.answer("undo"),
            re.M,
        )
        # A number, then the beginning of a move, a kind of move, words in a move, and a wrong number.
        shown = screen.answer("2")
        assert "you: Give back a statue task" in shown
        assert re.search(
            r"\d{3} are possible; press Enter to list them, or type one of: .*sail \(\d+\)", shown
        )
        assert screen.answer("die:red sail").count("die:red sail") > 5
        assert "similar words: sail" in screen.answer("sial")
        assert "'explian' is unknown; similar words: explain" in screen.answer("explian R12")
        assert "'q' is unknown; similar words: quit" in screen.answer("q")
        assert "'xyz' is neither a move nor a command; allowed now: " in screen.answer("xyz")
        shown = screen.answer("sail 99,99")
        assert re.search(r"no move has '99,99' with 'sail'; `sail` lists the \d+ that have 'sail'", shown)
        more = r"^-- \d+ more lines: Enter for the next page, q to stop, or an answer -- $"
        listed = re.findall(r"(\d+)  (\S+ sail \S+) +Sail to", screen.answer("moves sail", more))
        assert len(listed) > 20
        screen.answer("q")
        assert "favor for the color" in screen.answer("die:red>black sail")
        assert "is not a move; allowed: 1 to" in screen.answer("9999")
        # More than the screen holds comes page by page.
        screen.answer("moves", more)
        screen.answer("q")
        number, move = listed[3]
        # An illegal move: what is wrong with it, and what is allowed.
        shown = screen.answer("die:red sail 50,20")
        assert "'die:red sail 50,20':" in shown
        assert re.search(r"allowed now: [^>]*sail \(\d+\)", shown)
        shown = screen.answer("hint 0.2")
        assert "win probability: seat 0" in shown
        assert re.search(r"To play it, type its number:\n *\d+  \S", shown)
        assert "hint: 'long' is not allowed" in screen.answer("hint long")
        # What the service refuses does not end the game.
        assert "seconds: 1000000000.0 is not allowed" in screen.answer("hint 1e9")
        assert "allowed now: " in screen.answer("²")
        assert f"you: Sail to {move.split()[-1]} with the " in screen.answer(number)
        assert "seat 1, yellow" in screen.answer("board")
        assert "statue sites: " in screen.answer("board all")
        assert "~r~ red water" in screen.answer("legend")
        screen.answer("resign", r"\[Y/n\] $")
        shown = screen.answer("y", "Enter for no: $")
        assert "The game is over (resignation). Won by seat 1 (greedy)." in shown
        screen.type("lost.jsonl\r")
        screen.until("--unfinished lost.jsonl")
        assert screen.ends()[0] == 0
    assert Record.read(tmp_path / "lost.jsonl", unfinished=True).moves[-1].move == move


def test_ctrl_c_while_a_bot_thinks(tmp_path):
    with Terminal("play", "--game", "keltis", "--bot", "ismcts:seconds=50", cwd=tmp_path) as screen:
        screen.until(PROMPT)
        screen.answer(re.search(r"(\d+)  discard", screen.answer("discard"))[1])
        screen.answer("take pile", r"waiting for seat 1 \(ismcts:seconds=50\)")
        screen.interrupt()
        file = left(screen, tmp_path)
    assert [entry.by for entry in read_saved(file).moves] == [0, 0, -1]


# -- a person who is played by the test

MOVE, TROUBLE, SAVE, OVER, PAGE = "> ", "Enter to try again", "Save the game first?", "overwrite it?", "-- "
MEANT = "lay it?"
ENDED = "Keep the record?"
FIRST = repeat("1")


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Plays in an empty folder and gives what was shown. The person answers each kind of question with the next of
    the answers to it; a function stands for what it does, and no answer for Ctrl-C."""

    def played(*arguments, **answers):
        said = {
            MOVE: iter(answers.get("moves", FIRST)),
            TROUBLE: iter(answers.get("trouble", ())),
            SAVE: iter(answers.get("save", ())),
            OVER: iter(answers.get("over", ())),
            ENDED: iter(answers.get("ended", ())),
            MEANT: iter(answers.get("meant", repeat("y"))),
            PAGE: iter(answers.get("pages", repeat(""))),
        }

        def answer(question):
            found = next(next(lines for words, lines in said.items() if words in question), None)
            if found is None:
                raise KeyboardInterrupt
            print(f"{question}{found}")
            return found() if callable(found) else found

        monkeypatch.setattr("builtins.input", answer)
        return pythia("play", *arguments, *(() if {"--resume", "--bot"} & set(arguments) else QUICK))

    monkeypatch.chdir(tmp_path)
    return played


def test_two_rounds_of_another_game(play):
    ran = play("--game", "keltis", "--seed", "7", moves=[*["1"] * 4, "history"])
    shown, _, history = ran.out.partition("> history")
    assert "round 3" in shown
    assert {board.count("hand:") for board in shown.split("Das Orakel")[1:]} == {1}, "no cards but the own"
    assert len(told_of_the_bot(shown)) == 4
    assert told_of_the_bot(history) == told_of_the_bot(shown)
    assert "chance: something you do not see" in history


def test_a_card_that_only_bots_saw_is_taken_back(play):
    """What a move showed others is no reason to let it stand, if they are bots."""
    ran = play("--game", "keltis", "--seed", "7", moves=["1", "undo", "1", "1", "undo"])
    assert "you took back the last move" in ran.out
    before, after = ran.out.split("you took back the last move")
    assert before.count("you: Play ") == 1
    assert "you: Play " in after
    assert re.search(
        r"^undo: (others have moved|dice were rolled or cards drawn) since your last move, so it stands",
        after,
        re.M,
    )


def test_a_forced_move_is_played_without_asking_if_wished(play):
    ran = play("--game", "keltis", "--seed", "7", "--auto", moves=["1", "1"])
    asked = ran.out.split("Your move")
    assert len(asked) == 4  # twice answered, once interrupted
    assert "you: Play " in asked[1]
    assert "you: Take a card from the pile" in asked[1]
    assert "seat 1 (greedy): " in asked[1]


def test_auto_is_switched_at_the_table(play):
    ran = play("--game", "keltis", "--seed", "7", moves=["1", "auto on", "1", "auto off", "auto maybe", "1"])
    _, first, on, off = re.split(r"> (?:1|auto on|auto off)\n", ran.out)[:4]
    assert "Take a card from the pile · 1 unknown card" in first
    assert "you: Take a card from the pile" in on, "the move that was asked for"
    assert "seat 1 (greedy): " in off
    assert "auto: 'maybe' is not allowed; allowed: on, off" in ran.out
    assert "Take a card from the pile · 1 unknown card" in ran.out.split("> auto off")[1]


def test_an_answer_between_pages_or_instead_of_yes_is_taken(play, monkeypatch):
    """Not lost because a list is long, or because the question was another one."""
    monkeypatch.setenv("LINES", "24")
    ran = play("--game", "keltis", "--seed", "7", moves=["moves", "take"], pages=["2"], meant=["legend", "y"])
    assert "-- 2\n" in ran.out
    assert "you: Play " in ran.out.split("-- 2\n")[1]
    asked, _, shown = ran.out.partition("Play it? [Y/n] legend\n")
    assert asked
    assert "goal area" in shown


def test_the_end_is_explained(play):
    ran = play("--game", "keltis", "--seed", "7", "--auto", over=[], ended=["n.jsonl"])
    reason = re.search(r"^The game is over \((\w+)\)", ran.out, re.M)[1]
    (entry, *_) = lookup("keltis", reason).entries
    assert entry.text in re.sub(r"\s+", " ", ran.out)


def test_final_scores_have_their_parts(play):
    ran = play("--game", "keltis", "--seed", "7", "--auto", over=[], ended=["n.jsonl"])
    end = ran.out[ran.out.index("final scores") :]
    assert re.search(r"^final scores +total +track +figures +wish stones +mirrors", end, re.M)
    you, bot = (
        re.search(rf"^{name} +(-?\d+(?: +-?\d+)+)", end, re.M)[1].split()
        for name in ("you", r"seat 1 \(greedy\)")
    )
    for total, *parts in (you, bot):
        assert int(total) == sum(map(int, parts))


def listed_last(shown):
    """The moves of the last question, by their numbers."""
    return dict(re.findall(r"(\d+)  (\S+(?: \S+)*)", shown[shown.rindex("Your move") :]))


def test_a_saved_game_goes_on(play, tmp_path):
    bots = ("--bot", "greedy", "--bot", "ismcts", "--level", "1")
    ran = play("--game", "keltis", "--players", "3", "--seat", "1", *bots, moves=["1"])
    assert ran.code == 130
    (file,) = tmp_path.iterdir()
    assert (
        f"pythia: interrupted; the game is saved in {file.name}; `pythia play --resume {file.name}`"
        in ran.err
    )
    record = read_saved(file)
    assert [entry.get("bot") for entry in record.header["players"]] == ["greedy", None, "ismcts:level=1"]
    assert [entry.by for entry in record.moves].count(1) == 1
    (words,) = re.findall(r"^you: (.+)$", ran.out, re.MULTILINE)
    answers = {"moves": ["quit", "1", "save other.jsonl", "quit"], "save": [file.name, "n"], "over": ["n"]}
    again = play("--resume", file.name, **answers)
    assert (again.code, again.err) == (0, "")
    assert "you are seat 1; seat 0: greedy, seat 2: ismcts:level=1" in again.out
    assert f"you: {words}" in again.out
    assert listed_last(again.out.partition("> quit")[0]) == listed_last(ran.out) != {}
    # A file that is there is not lost by accident.
    assert f"{file.name} already exists: overwrite it? [Y/n] n" in again.out
    assert read_saved(file) == record
    assert "the game is saved in other.jsonl" in again.out
    assert len(read_saved(tmp_path / "other.jsonl").moves) > len(record.moves)


def test_a_number_that_may_be_an_amount_is_asked_about(play, tmp_path):
    header = header_of(load_game("offrandes", players=3, seed=1).new_state(), ["you", "greedy", "greedy"])
    header["players"] = [{"name": "you"}, *[{"name": "greedy", "bot": "greedy"}] * 2]
    made = "recruit farmer carrier florist"
    moves = [
        RecordEntry(-1, "first corinth"),
        RecordEntry(0, made),
        RecordEntry(2, made),
        RecordEntry(1, made),
    ]
    moves += [RecordEntry(1, "auction servant guard"), RecordEntry(1, "bid 3"), RecordEntry(2, "pass")]
    Record(header, moves, {}).write(tmp_path / "bids.jsonl")
    # Bids from 4 to 10 are listed, so 5 is `bid 8`; 10 is no number of the list, and `bid 5` needs no question.
    ran = play("--resume", "bids.jsonl", moves=["5", "10", "5"], meant=["n", "y"])
    assert ran.out.count("> 5\n5  Bid 8 for servant and guard: play it? [Y/n] ") == 2
    assert "10 is not a move; allowed: 1 to 8" in ran.out
    assert ran.out.count("you: Bid") == 1
    assert "you: Bid 8 for servant and guard" in ran.out
    assert "you: Bid 5 for servant and guard" in play("--resume", "bids.jsonl", moves=["bid 5"], meant=[]).out


def test_real_dice(play, tmp_path):
    rolls = (
        "roll red red orange",
        "roll red red blue",
        "roll green green green",
        "injury red",
        "injury green",
    )
    ran = play("--game", "delphi", "--seed", "7", "--real-dice", moves=rolls)
    assert "What do the dice or cards show? 56 are possible" in ran.out
    assert "allowed now: roll (56)" in ran.out
    assert "chance (you): Dice: red, red and blue" in ran.out
    assert "chance (seat 1): Dice: green, green and green" in ran.out
    assert "dice red red blue" in ran.out
    assert ran.code == 130
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text().splitlines()[0])["real_dice"] is True
    again = play("--resume", file.name, "--real-dice", moves=["return shrine"])
    assert "you: Give back a shrine task" in again.out


def test_real_dice_are_refused_where_they_would_tell_what_is_hidden(play, tmp_path):
    ran = play("--game", "keltis", "--real-dice")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(
        "pythia: real-dice: not possible in keltis, where not everyone sees what chance brings"
    )


def test_against_a_server(play):
    with served() as server, Client(server.address) as client:
        seen = []

        def look():
            seen.append(next(client.matches()))
            return "1"

        place = ("--game", "keltis", "--server", server.address)
        ran = play(*place, moves=[look, "hint 0.1", look, "quit"], save=["n"])
        assert (ran.code, ran.err) == (0, "")
        assert [seat.name for seat in seen[0].seats] == ["you", "greedy"]
        assert seen[1].version > seen[0].version
        assert "win probability: seat 0" in ran.out
        # Nobody will play it on: it is not left behind.
        assert list(client.matches()) == []


def test_a_bot_that_is_kept_from_playing_plays_later(play, tmp_path):
    """Refused until nobody tries any more; then half of the turn gets lost on its way. Everything is told, once."""
    busy = ["before"] * 4
    with (
        served() as server,
        flaky(server.address, *busy, "after", "before", error=BUSY, only="StreamBotTurn") as between,
    ):
        moves = [*["1"] * 12, "history", "quit"]
        arguments = ("--server", between.address, "--seed", "7")
        ran = play(*arguments, moves=moves, trouble=["what", "", ""], save=["saved.jsonl"])
    assert ran.code == 0
    assert ran.out.count("9 searches are already waiting") == 2
    assert "'what' is not allowed; allowed now: Enter, save, quit" in ran.out
    shown, _, history = ran.out.partition("> history")
    moves = in_words(tmp_path / "saved.jsonl", 1)
    assert len(moves) > 4
    assert told_of_the_bot(shown) == told_of_the_bot(history) == moves


def test_a_server_that_is_gone_keeps_the_match(play, tmp_path):
    store, port = f"sqlite:{tmp_path / 'matches.sqlite'}", free_port()
    with ExitStack() as stack:
        address = stack.enter_context(served(port=port, store=store)).address

        def end():
            stack.close()
            return "1"

        place = ("--game", "keltis", "--server", address)
        ran = play(*place, moves=["1", end, "save", "quit"], save=[""])
    gone = f"server: '{address}' does not answer"
    assert ran.code == 130
    # For the move, for saving, and for leaving with saving; then the last words.
    assert (ran.out.count(gone), ran.err.count(gone)) == (3, 1)
    assert f"pythia: interrupted; the game is not saved: {gone}" in ran.err
    command = re.search(r"`pythia (match export .+) --out FILE` saves it", ran.err)[1]
    with served(port=port, store=store):
        worked(*command.split(), "--out", "game.jsonl")
        again = play("--resume", "game.jsonl", "--server", address, moves=[])
    assert "you: " in again.out


def test_a_folder_that_cannot_be_written(play, tmp_path, monkeypatch):
    """The game goes where it can go, and the last words say where."""
    state, temporary, here = (tmp_path / name for name in ("state", "temporary", "here"))
    for folder in (temporary, here):
        folder.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.chdir(here)
    here.rmdir()  # nobody can write here now
    ran = play("--game", "keltis", moves=["1", "save", "save none.jsonl", f"save {tmp_path / ('x' * 300)}"])
    kept = sorted((state / "pythia" / "saved").iterdir())
    assert [len(read_saved(file).moves) for file in kept] == [1, 1]
    assert f"the game is saved in {kept[1]};" in " ".join(ran.out.split())
    assert "save: 'none.jsonl' cannot be written (no such file or directory)" in ran.out
    assert "cannot be written (file name too long)" in " ".join(ran.out.split())
    assert f"pythia: interrupted; the game is saved in {kept[0]}; `pythia play --resume {kept[0]}`" in ran.err
    # Leaving in good order finds a place as well.
    ran = play("--game", "keltis", moves=["quit"], save=[""])
    assert (ran.code, len(list((state / "pythia" / "saved").iterdir()))) == (0, 3)
    # Where not even this can be written.
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    ran = play("--game", "keltis", moves=["1"])
    (file,) = temporary.glob("*/*")
    assert f"pythia: interrupted; the game is saved in {file};" in ran.err
    monkeypatch.setattr(tempfile, "tempdir", "/dev/null")
    ran = play("--game", "keltis", moves=["1"])
    assert re.match(r"pythia: interrupted; the game is not saved: save: '.*' cannot be written", ran.err)


def test_what_a_saved_game_has_settled(play):
    play("--game", "keltis", moves=["quit"], save=["game.jsonl"])
    assert play("--resume", "game.jsonl", "--game", "keltis", moves=[]).code == 130
    for arguments, code, words in (
        (["--game", "delphi"], 11, "game: 'game.jsonl' is of keltis, not of delphi"),
        (["--players", "2"], 1, "players: cannot be used with --resume"),
        (
            ["--seed", "0"],
            1,
            "seed: cannot be used with --resume, because the game is already dealt; leave it out",
        ),
        (["--option", "clover=any"], 1, "option: cannot be used with --resume"),
        (["--real-dice"], 1, "real-dice: the game was saved without"),
        (
            ["--seat", "0"],
            1,
            "seat: cannot be used with --resume, because the file says who plays; leave it out",
        ),
        (["--bot", "greedy"], 1, "bot: cannot be used with --resume"),
        (["--level", "3"], 1, "level: cannot be used with --resume"),
    ):
        ran = play("--resume", "game.jsonl", *arguments)
        assert (ran.code, ran.out) == (code, "")
        assert ran.err.startswith(f"pythia: {words}")


# -- without a terminal


@pytest.mark.parametrize(
    ("seat", "bots", "level", "words"),
    [
        (2, (), None, "seat: 2 is not allowed; allowed: 0 to 1"),
        (0, ("greedy", "greedy"), None, "bot: 2 bots are too many; allowed: 1"),
        (0, (), 11, "level: 11 is not allowed; allowed: 1 to 10"),
        (0, ("greedy",), 3, "level: greedy has no levels; leave it out"),
        (
            0,
            ("ismcts:level=3",),
            7,
            "level: ismcts:level=3 says already how strong it plays; leave --level out",
        ),
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
    with pytest.raises(CommandError, match="is a finished game; `pythia replay`"):
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
    moves = Moves(texts, View.of(state, 0))
    assert len(texts) > 100
    assert moves.matching(typed) == [text for text in texts if expected(text)]
