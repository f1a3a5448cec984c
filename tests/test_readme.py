"""The examples of README.md and of the tutorials do what is said of them.

`python` blocks run as doctests when they show a prompt, otherwise as programs. In `console` blocks the lines after
`$ ` are commands, and the lines below each are its output; `...` stands for anything.
"""

import doctest
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]
BLOCKS = [
    (page.name, kind, text)
    for page in PAGES
    for kind, text in re.findall(
        r"^```(python|console)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL
    )
]

# `make` targets are run for real; only a free port, and one test for all, are asked of them.
MAKE_ARGS = {"run": "--port 0", "test": "tests/test_packaging.py -k changelog", "demo": ""}


def examples(language, page=None):
    return [text for where, kind, text in BLOCKS if kind == language and page in (None, where)]


def commands(page=None):
    """(command, expected output) of every console block."""
    for block in examples("console", page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def matches(expected, output):
    """Equal but for white space; `...` stands for anything, nothing included."""
    pieces = (re.escape(" ".join(piece.split())) for piece in expected.split("..."))
    return re.fullmatch(".*".join(pieces), " ".join(output.split())) is not None


def environment(command):
    """Commands find the installed `pythia`; make does not think that it is called by make."""
    env = {
        key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "PYTEST"))
    }
    env |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    if command.startswith("make "):
        env["ARGS"] = MAKE_ARGS[command.removeprefix("make ")]
    return env


def test_there_are_examples_of_both_kinds():
    assert examples("python")
    assert {"make run", "make test"} <= {command for command, _ in commands()}


@pytest.mark.parametrize("text", examples("python"))
def test_python(text):
    if ">>>" in text:
        test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        assert runner.run(test).failed == 0
    else:
        exec(compile(text, "README.md", "exec"), {})


@pytest.mark.parametrize("page", [page.name for page in PAGES if any(commands(page.name))])
def test_console(page):
    """In their order: some read what those before have written."""
    for command, expected in commands(page):
        run(command, expected)


def run(command, expected):
    output = ""
    with subprocess.Popen(
        command,
        shell=True,
        cwd=ROOT,
        env=environment(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        for line in process.stdout:
            output += line
            if line.startswith("Serving;"):
                # It serves until interrupted: interrupt it, as Ctrl-C does for the whole group.
                os.killpg(process.pid, signal.SIGINT)
    code = process.returncode
    if command == "make run":
        expected = expected.replace("50051", "...")  # a free port was asked for
    elif command == "make test":
        expected = "... passed in ..."  # here only one of them is run
        assert code == 0, output
    elif not expected.startswith("pythia: "):
        assert code == 0, output
    assert matches(expected, output), f"{command}\nexpected:\n{expected}\ngot:\n{output}"
