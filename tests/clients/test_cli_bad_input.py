"""Bad input: each kind has a message and an exit code of its own."""

import json
import re

import pytest

from pythia.core_cy import list_games
from tests.clients.command import pythia, worked
from tests.clients.serving import free_port, served
from tests.service.test_auth import EXPIRED, LIMITED, certificates

__all__ = ["certificates"]

COMMANDS = (["show"], ["moves"], ["suggest", "--level", "1"], ["turn", "--draw", "--level", "1"])


def refused(code, *arguments, **streams):
    """The one line that a command ends with."""
    ran = pythia(*arguments, **streams)
    assert (ran.code, ran.out) == (code, ""), ran
    assert re.fullmatch(r"pythia: .+\n", ran.err), ran.err
    return ran.err.removeprefix("pythia: ").rstrip("\n")


@pytest.fixture(scope="module")
def position():
    return json.loads(worked("new", "--seed", 7, "--moves", 12))


@pytest.fixture(scope="module")
def record():
    return worked("record", "--game", "keltis").splitlines()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_files(command, position, tmp_path):
    """The same for every command that takes a position."""

    def tried(code, content):
        file = tmp_path / "position.json"
        file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        words = refused(code, command[0], file, *command[1:])
        if command == COMMANDS[0]:
            piped = refused(code, *command, "-", stdin=file.read_text())
            assert piped.replace("standard input", repr(str(file))) == words
        return words

    hint = "; a position is what `pythia new` writes, a record what `pythia record` writes"
    assert "is not JSON (Expecting value: line 1 column 1 (char 0))" + hint in tried(10, b"chess")
    assert "column 3001 (char 3000))" + hint in tried(10, json.dumps(position)[:3000].encode())
    assert "is empty" + hint in tried(10, b" \n")
    assert "does not contain a JSON object" + hint in tried(14, [1, 2])
    assert "game: 'chess' in " in tried(11, position | {"game": "chess"})
    assert f"is not known; known: {', '.join(list_games())}" in tried(11, {})
    assert "format: version 2 in " in tried(12, position | {"format": 2})
    assert tried(14, position | {"round": 1000}) == "round: 1000 is not allowed; allowed: 1 to 100"
    assert tried(14, position | {"weather": "fine"}).startswith("weather: ")
    file = tmp_path / "latin.json"
    file.write_bytes(b'{"game": "\xe9"}')
    assert "is not text in UTF-8" in refused(10, command[0], file, *command[1:])
    file = tmp_path / "absent.json"
    words = refused(1, command[0], file, *command[1:])
    assert (
        words
        == f"file: {str(file)!r} cannot be read (no such file or directory); give another, or - for standard input"
    )


def test_another_game(position):
    words = refused(11, "show", "-", "--game", "keltis", stdin=json.dumps(position))
    assert words == "game: standard input is of delphi, not of keltis; leave --game out, or give another file"


def test_records(record):
    text = "\n".join(record)
    header = json.loads(record[0])
    for command in COMMANDS:
        words = refused(13, *command, "-", stdin=text[: len(text) // 2])
        assert re.match(r"record: standard input, line \d+: the line is truncated or not JSON", words)
        words = refused(13, *command, "-", stdin="\n".join([*record[:20], *record[22:]]))
        assert re.match(r"line \d+: ", words)
        bad = header | {"format": 3, "start": header["start"] | {"format": 3}}
        assert "format: version 3 in standard input" in refused(
            12, *command, "-", stdin="\n".join([json.dumps(bad), *record[1:]])
        )
        bad = header | {"game": "go", "start": header["start"] | {"game": "go"}}
        assert "game: 'go' in standard input" in refused(11, *command, "-", stdin=json.dumps(bad))
        words = refused(11, *command, "-", "--game", "delphi", stdin=text)
        assert words.startswith("game: standard input is of keltis")
    assert refused(13, "match", "import", "-", stdin=text[: len(text) // 2]).startswith(
        "record: standard input"
    )


def test_a_position_in_place_of_a_record(position):
    for command in (["replay"], ["review"], ["match", "import"]):
        for text in (json.dumps(position), json.dumps(position, indent=1)):
            words = refused(13, *command, "-", stdin=text)
            assert words == (
                "record: standard input is a position, not a record; a record is what `pythia record` writes"
            )


def test_no_server():
    address = f"127.0.0.1:{free_port()}"
    for command in (["games"], ["suggest", "-"]):
        words = refused(3, *command, "--server", address, stdin=worked("new", "--seed", 7))
        assert words.startswith(f"server: '{address}' does not answer")
        assert "pythia serve" in words


def test_a_server_that_is_not_trusted(certificates):
    authority, (certificate, key, _), *_ = certificates
    with served(tls_cert=str(certificate), tls_key=str(key)) as server:
        place = ("games", "--server", server.address)
        words = refused(4, *place, "--tls")
        assert words.startswith(f"server: '{server.address}' is not trusted")
        assert words.endswith("name the certificate authority's file with --ca")
        assert "delphi" in worked(*place, "--ca", authority)
        assert refused(1, *place, "--ca", "absent.pem").startswith("ca: 'absent.pem' is not a file")


def test_tokens():
    with served(tokens=LIMITED) as server:
        place = ("match", "list", "--server", server.address)
        assert refused(5, *place).startswith("authorization: is missing")
        assert refused(5, *place, "--token", "x" * 20).startswith("authorization: the token is not known")
        words = refused(5, *place, "--token", EXPIRED)
        assert words.startswith("authorization: the token has expired")
        assert words.endswith("--token the token for the server")
