"""The examples run, within the process and against a server; docs/client.md shows them, and its other code runs too."""

import ast
import re
from pathlib import Path

import pytest

from tests.clients.serving import served

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = {path.stem: path.read_text() for path in sorted((ROOT / "examples").glob("*.py"))}
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", (ROOT / "docs" / "client.md").read_text(), re.MULTILINE | re.DOTALL
)
# A line of what each prints.
PRINTED = {
    "analyze": r" *3\d\d\d \d+\.\d% .+",
    "bot_match": r"MatchResult\(winners=\(\d,\), .* after \d+ turns",
    "play_turn": r" needs over",
    "suggest": r".+ wins \d+%.*",
    "watch": r"\d+ seat [01] .+",
}

# Those that play to the end; here in a shorter game.
WHOLE_GAMES = ("bot_match", "watch")


@pytest.fixture(scope="module")
def address():
    with served() as server:
        yield server.address


def code_of(text):
    """Without the docstring, which the page says in its own words."""
    return text[len(ast.get_source_segment(text, ast.parse(text).body[0])) :].strip() + "\n"


def run(text):
    exec(compile(text, "example", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(("mode", "game"), [("local", "delphi"), ("server", "keltis")])
def test_an_example(name, mode, game, address, capsys):
    text = EXAMPLES[name].replace('"delphi"', f'"{game}"')
    if name in WHOLE_GAMES and game == "delphi":
        text = text.replace("seed=7", 'seed=7, options={"removed_tasks": 4}')
        assert "removed_tasks" in text
    if mode == "server":
        text = text.replace("Client.local()", f'Client("{address}")')
        assert address in text
    run(text)
    lines = capsys.readouterr().out.splitlines()
    assert any(re.fullmatch(PRINTED[name], line) for line in lines), lines[-5:]


def test_every_example_is_shown():
    assert [name for name, text in EXAMPLES.items() if code_of(text) not in BLOCKS] == []
    assert set(PRINTED) == set(EXAMPLES)


@pytest.mark.parametrize("block", [block for block in BLOCKS if block not in map(code_of, EXAMPLES.values())])
def test_the_other_code_of_the_page(block, address):
    run(block.replace("127.0.0.1:50051", address))
