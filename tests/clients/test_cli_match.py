"""`pythia match`: whole games from the command line, on a server and in a file of this machine."""

import json
import re
import stat

import pytest

from pythia.core_cy.record import Record
from tests.clients.command import pythia, worked
from tests.clients.serving import served
from tests.service.test_auth import PLAYER, TOKENS


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Where tokens are kept, and matches when nothing else is said."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture(params=["server", "file"])
def place(request):
    """Where the matches are: on a server, or in the usual file."""
    if request.param == "server":
        with served() as server:
            yield ("--server", server.address)
    else:
        yield ()


def match(*arguments):
    return worked("match", *arguments)


def match_json(*arguments):
    return json.loads(match(*arguments, "--json"))


def created(*arguments):
    return match_json("create", "--seed", 7, "--reproducible", *arguments)


def test_a_token_is_replaced_and_the_new_one_kept(place):
    game = match_json("create", "person", "person", "--game", "keltis", "--seed", 3, *place)
    match_id, old = game["id"], game["seat_tokens"][0]
    assert (game["seed_chosen"], game["reproducible"]) == (True, False)
    shown = match("show", match_id, *place)
    assert "the owner can export the record, which reveals everything, at any time\n" in shown
    assert "the owner was given the tokens of: seat 0, seat 1\n" in shown
    new = match("rotate", match_id, "--seat", 0, *place).strip()
    assert new != old
    assert "the owner was given the tokens of: seat 1\n" in match("show", match_id, "--seat", 0, *place)
    ran = pythia("match", "show", match_id, "--seat", 0, "--seat-token", old, *place)
    assert "not a token of this match" in ran.err
    assert match("rotate", match_id, *place).strip() != game["owner_token"]
    assert match("delete", match_id, *place)


def test_a_guest_takes_a_seat(place, monkeypatch, tmp_path):
    """With a token that somebody else was given, and a folder of their own."""
    game = match_json("create", "person", "person", "--game", "keltis", "--blind-owner", *place)
    match_id = game["id"]
    place = place or ("--store", tmp_path / "state" / "pythia" / "matches.sqlite")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "guest"))
    given = ("--seat", 1, "--seat-token", game["seat_tokens"][1])
    assert "replace it with RotateToken first" in pythia("match", "show", match_id, *given, *place).err
    match("rotate", match_id, *given, *place)
    assert "as seat 1 sees it" in match("show", match_id, "--seat", 1, *place)


def test_a_whole_match(place):
    """Everything that can be done with a match; the tokens are found by themselves."""
    game = created("Ada=person", "greedy", *place)
    match_id, version = game["id"], game["version"]
    assert [seat["name"] for seat in game["seats"]] == ["Ada", "seat 1"]
    assert [bool(token) for token in game["seat_tokens"]] == [True, False]
    assert f"{match_id}   delphi   active" in match("list", *place)
    assert [one["id"] for one in match_json("list", "--status", "active", *place)] == [match_id]
    assert match_json("list", "--status", "over", *place) == []

    shown = match("show", match_id, "--seat", 0, *place)
    assert "\nseat 0: Ada (person)\nseat 1: greedy\nseat 0 decides: Ada (person)\n" in shown
    assert "as seat 0 sees it" in shown
    assert "as a spectator sees it" in match("show", match_id, *place)
    assert match_json("show", match_id, "--seat", 0, *place)["observation"]["observer"] == 0

    moves = match_json("moves", match_id, *place)["moves"]
    assert moves == [
        move["text"] for move in json.loads(worked("moves", match_id, "--json", *place))["moves"]
    ]
    assert match("moves", match_id, *place).endswith(f"{len(moves)} moves; seat 0 decides: Ada (person)\n")
    played = match_json("submit", match_id, moves[0], "--expect", version, *place)
    assert [event["move"] for event in played["events"]] == [moves[0]]
    assert match("undo", match_id, *place) == "seat 0 decides: Ada (person)\n"
    shown = match("submit", match_id, moves[1], *place)
    assert shown.splitlines() == [f"{version + 3:>5}  seat 0  {moves[1]}", "seat 0 decides: Ada (person)"]
    advice = json.loads(worked("suggest", match_id, "--level", 1, "--json", *place))
    match("submit", match_id, advice["move"], *place)
    while match_json("show", match_id, *place)["to_act"] == 0:
        match("submit", match_id, match_json("moves", match_id, *place)["moves"][-1], *place)
    shown = match("bot-turn", match_id, *place)
    assert re.match(r" +\d+  seat 1  ", shown)

    record = Record.read(match("export", match_id, *place).splitlines(), unfinished=True)
    assert moves[1] in [entry.move for entry in record.moves]
    assert match("resign", match_id, *place) == "over (resignation): won by seat 1\n"
    watched = [json.loads(line) for line in match("watch", match_id, "--json", *place).splitlines()]
    assert [event["kind"] for event in watched[version : version + 3]] == ["move", "undone", "move"]
    assert watched[-1]["kind"] == "resigned"
    assert len(match("watch", match_id, "--after", 2, *place).splitlines()) == len(watched) - 2
    assert match("delete", match_id, *place) == f"match {match_id} is deleted\n"
    assert match("list", *place) == "no matches\n"


def test_bots_play_to_the_end_and_the_record_comes_back(home):
    file = home / "game.jsonl"
    with served() as server:
        place = ("--server", server.address)
        match_id = created("greedy", "greedy", "--game", "keltis", "--no-keep", *place)["id"]
        played = match_json("bot-turn", match_id, "--all", *place)
        assert played["match"]["status"] == "over"
        assert len(played["match"]["result"]["returns"]) == 2
        match("export", match_id, "--out", file, *place)
        again = match_json("import", file, *place)
        assert (again["status"], again["version"]) == ("over", played["match"]["version"])
        assert "over" in worked("show", again["id"], *place).splitlines()[0]
    assert worked("replay", file).splitlines()[-1].startswith(f"{played['match']['version']} moves")


def test_a_record_that_is_not_finished_is_played_on(home):
    file = home / "game.jsonl"
    lines = worked("record", "--game", "keltis").splitlines()
    file.write_text("\n".join(lines[:60]))
    place = ("--store", home / "matches.sqlite")
    game = match_json("import", file, "Bo=person", "greedy", *place)
    assert (game["version"], game["status"]) == (59, "active")
    assert [seat["name"] for seat in game["seats"]] == ["Bo", "seat 1"]
    assert [one["id"] for one in match_json("list", *place)] == [game["id"]]
    assert match("list") == "no matches\n", "another file"


def test_real_dice(home):
    game = created("--real-dice")
    match_id = game["id"]
    assert "chance decides; report it" in match("show", match_id)
    shown = match("moves", match_id)
    assert "roll red red red" in shown
    assert "56 outcomes" in shown
    assert "  chance  roll red red blue\n" in match("submit", match_id, "roll red red blue")
    ran = pythia("suggest", match_id)
    assert (ran.code, "chance decides" in ran.err) == (1, True)


def test_tokens_are_kept_for_their_owner_only(home):
    game = created("person", "person")
    file = home / "state" / "pythia" / "tokens" / f"{game['id']}.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"seats": game["seat_tokens"], "owner": game["owner_token"]}
    match("delete", game["id"])
    assert not file.exists()
    shown = match("create", "[red]Ada=person", "greedy")
    assert "[red]Ada (person)" in shown, "names are shown as they are"
    assert f"The tokens are kept in {home}" in shown
    assert len(re.findall(r"\b[0-9a-f]{64}$", shown, re.MULTILINE)) == 2


def test_tokens_that_are_given(home, monkeypatch):
    game = created("person", "person", "--game", "keltis", "--no-keep")
    match_id, tokens = game["id"], game["seat_tokens"]
    assert not (home / "state" / "pythia" / "tokens").exists()
    ran = pythia("match", "moves", match_id)
    assert (ran.code, ran.out) == (5, "")
    assert "its moves need its own token; --seat-token takes the token of a seat" in ran.err
    assert pythia("match", "moves", match_id, "--seat-token", "wrong").code == 5
    moves = match_json("moves", match_id, "--seat-token", tokens[0])["moves"]
    monkeypatch.setenv("PYTHIA_SEAT_TOKEN", tokens[0])
    match("submit", match_id, moves[0])
    assert re.search("hand: [a-z]", match("show", match_id, "--seat", 0))
    assert re.search("hand: [a-z]", match("show", match_id)), "the seat is that of the token"
    with monkeypatch.context() as nobody:
        nobody.delenv("PYTHIA_SEAT_TOKEN")
        assert "hand:" not in match("show", match_id), "a spectator sees no cards"
    ran = pythia("match", "show", match_id, "--seat", 1)
    assert (ran.code, "seat 1 sees things that need its own token" in ran.err) == (5, True)
    assert pythia("match", "delete", match_id).code == 5
    assert pythia("match", "export", match_id).code == 5
    match("delete", match_id, "--seat-token", game["owner_token"])


def test_a_server_with_tokens(monkeypatch):
    with served(tokens=TOKENS) as server:
        place = ("--server", server.address)
        assert pythia("match", "list", *place).code == 5
        assert match("list", *place, "--token", PLAYER) == "no matches\n"
        monkeypatch.setenv("PYTHIA_TOKEN", PLAYER)
        monkeypatch.setenv("PYTHIA_SERVER", server.address)
        assert match("list") == "no matches\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["create", "person"], "seats: '1 seats' is not allowed; allowed: 2 to 4"),
        (["create", "person", "deep"], "bot of seat 1: 'deep' is not allowed"),
        (["create", "--option", "colour=red"], "options.colour: is not known"),
        (["create", "--game", "chess"], "game: 'chess' is not allowed"),
        (["list", "--game", "chess"], "game: 'chess' is not allowed"),
        (["show", "0" * 24], "match_id: '000000000000000000000000' is not a match of this server"),
    ],
)
def test_what_is_refused(arguments, words):
    ran = pythia("match", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"pythia: {words}"), ran.err


def test_what_is_refused_of_a_match():
    match_id = created("person", "person", "--game", "keltis")["id"]
    moves = match_json("moves", match_id)["moves"]
    for arguments, words in (
        (["submit", match_id, "jump"], "move: 'jump'"),
        (["submit", match_id, moves[0], "--expect", 9], "expected_version: 9 is not the version"),
        (["submit", match_id, moves[0], "--seat", 1], "token: seat 0 is to act, not seat 1"),
        (["bot-turn", match_id], "match_id: seat 0 is to act, and a person plays it"),
        (["undo", match_id], "seat: say which with --seat; people play: 0, 1"),
        (["undo", match_id, "--seat", 0], "match_id: "),
    ):
        ran = pythia("match", *arguments)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(f"pythia: {words}"), ran.err
    match("resign", match_id, "--seat", 1)
    ran = pythia("match", "moves", match_id, "--seat", 0)
    assert ran.code == 0
    ran = pythia("suggest", match_id)
    assert (ran.code, "match: it is over" in ran.err) == (1, True)


# -- bots that the server plays, several matches, hints and reviews


def test_the_server_plays_the_bots():
    with served() as server:
        place = ("--server", server.address)
        bots = ("random", "random", "--game", "keltis", "--autoplay")
        first = match_json("create", *bots, *place)["id"]
        second = match_json("create", *bots, "--pace", 30, *place)["id"]
        assert "autoplay: the server plays the bots, 30 seconds apart\n" in match("show", second, *place)
        assert match_json("pause", second, *place)["autoplay"] == {"paused": True, "seconds_per_move": 30}
        assert "`pythia match resume`" in match("show", second, *place)
        assert match_json("resume", second, "--pace", 0, *place)["autoplay"]["paused"] is False
        lines = match("watch", first, second, *place).splitlines()
        assert {f"{first}  the match is over", f"{second}  the match is over"} <= set(lines)
        told = [json.loads(line) for line in match("watch", first, second, "--json", *place).splitlines()]
        assert len(told) == len(lines)
        assert sum(bool(one["ended"]) for one in told) == 2
        shown = match("show", first, *place)
        assert re.search(r"^score: seat 0 \S+, seat 1 \S+$", shown, re.M)
        assert "the board after 2 moves and outcomes:" in match("show", first, "--version", 2, *place)
        ran = pythia("match", "show", first, "--version", 9999, *place)
        assert (ran.code, "version: 9999 is not allowed; allowed: 0 to" in ran.err) == (1, True)
        ran = pythia("match", "watch", first, second, "--after", 3, *place)
        assert "after: is for one match" in ran.err


def test_autoplay_needs_a_server():
    ran = pythia("match", "create", "random", "random", "--autoplay")
    assert (ran.code, "autoplay: needs a server" in ran.err) == (1, True)
    ran = pythia("match", "create", "random", "random", "--pace", 3)
    assert "pace: needs --autoplay" in ran.err


def test_hints(place):
    fair = match_json("create", "person", "person", "--game", "keltis", *place)
    ran = pythia("match", "hint", fair["id"], *place)
    assert (ran.code, "created without hints" in ran.err) == (1, True)
    game = match_json("create", "person", "person", "--game", "keltis", "--hints", *place)
    assert game["hints"] is True
    moves = match_json("moves", game["id"], *place)["moves"]
    assert match_json("hint", game["id"], "--iterations", 20, "--lang", "de", *place)["move"] in moves
    assert "win probability" in match("hint", game["id"], "--iterations", 20, "--lines", 2, *place)


def test_a_match_is_reviewed_as_its_record(place, tmp_path):
    """The same numbers as `pythia review` gives."""
    game = match_json("create", "greedy", "random", "--game", "keltis", *place)
    early = pythia("match", "review", game["id"], *place)
    assert (early.code, "when it is over" in early.err) == (1, True)
    match("bot-turn", game["id"], "--all", *place)
    file, picture = tmp_path / "game.jsonl", tmp_path / "review.html"
    match("export", game["id"], "-o", file, *place)
    asked = ("--iterations", 5, "--seat", 0, "--lang", "de")
    found = pythia("match", "review", game["id"], *asked, "--plot", picture, "--json", *place)
    assert (found.code, str(picture) in found.err) == (0, True)
    assert json.loads(found.out) == json.loads(worked("review", file, *asked, "--json"))
    assert picture.read_text().startswith("<!doctype html>")
