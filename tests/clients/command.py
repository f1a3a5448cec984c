"""The `pythia` command within the test's own process, which saves starting one each time."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from pythia.clients.cli import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def stream(text=""):
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", write_through=True)


def pythia(*arguments, stdin=""):
    """The exit code and what was written; no terminal anywhere."""
    out, err, before = stream(), stream(), sys.stdin
    sys.stdin = stream(stdin)
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
