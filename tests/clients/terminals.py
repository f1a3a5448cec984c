"""A command on a pseudo-terminal, driven as a person does: read what is shown, type, read on."""

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

PYTHIA = Path(sys.executable).with_name("pythia")
CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x07|\r")
PATIENCE = 60.0


class Terminal:
    """`pythia` with these arguments on a terminal of its own."""

    def __init__(self, *arguments, columns=140, rows=50, cwd=None, **variables):
        self._ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self._process = subprocess.Popen(
            [PYTHIA, *map(str, arguments)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env=environment | {"TERM": "xterm", "INPUTRC": os.devnull} | variables,
            start_new_session=True,
            # Its controlling terminal, so that Ctrl-C reaches it.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self._raw = b""
        self._read = 0  # what `until` has gone past, in characters of `text`

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._ours)

    @property
    def raw(self):
        """All that was shown, as it was sent."""
        return self._raw.decode(errors="replace")

    @property
    def text(self):
        """All that was shown, without colors and the like."""
        return CONTROLS.sub("", self.raw)

    def until(self, pattern):
        """What is shown up to the first match after what was read before."""
        deadline = time.monotonic() + PATIENCE
        while not (match := re.compile(pattern, re.MULTILINE).search(self.text, self._read)):
            assert time.monotonic() < deadline, f"{pattern!r} not in {self.text[self._read :]!r}"
            assert self._more(), f"{pattern!r} not in {self.text[self._read :]!r}, and it ended"
        found = self.text[self._read : match.end()]
        self._read = match.end()
        return found

    def type(self, keys):
        os.write(self._ours, keys.encode())

    def interrupt(self):
        """Ctrl-C. Python hears it at a prompt only once it waits for keys, otherwise at the next line."""
        time.sleep(0.2)
        self.type("\x03")
        if not select.select([self._ours], [], [], 3)[0]:
            self.type("\r")

    def answer(self, line, pattern=r"^> $"):
        """Type a line, and read up to the next prompt."""
        self.type(f"{line}\r")
        return self.until(pattern)

    def ends(self):
        """The exit code, and the rest of what was shown."""
        while self._more():
            pass
        return self._process.wait(timeout=PATIENCE), self.text[self._read :]

    def _more(self):
        """False when the other side has closed."""
        if not select.select([self._ours], [], [], PATIENCE)[0]:
            return False
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # how Linux tells that the last one has closed
            return False
        self._raw += data
        return bool(data)
