"""The `pythia` command within the test's own process, which saves starting one each time."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from pythia.clients.cli.main import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Stream(io.TextIOWrapper):
    """In memory; it can be taken for a terminal."""

    def __init__(self, text="", terminal=False):
        super().__init__(io.BytesIO(text.encode()), encoding="utf-8", write_through=True)
        self.isatty = lambda: terminal


def pythia(*arguments, stdin="", terminal=False):
    """The exit code and what was written; no terminal anywhere, or where commands ask for one a make-believe."""
    out, err, before = Stream(terminal=terminal), Stream(), sys.stdin
    sys.stdin = Stream(stdin, terminal)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main([str(argument) for argument in arguments])
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdin = before
    return Ran(code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())


def worked(*arguments, stdin=""):
    """What a command wrote that must succeed."""
    ran = pythia(*arguments, stdin=stdin)
    assert (ran.code, ran.err) == (0, ""), ran
    return ran.out
