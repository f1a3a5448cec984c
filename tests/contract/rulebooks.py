"""Whether a text repeats a rulebook. The rulebooks are not here: a file has a hash of each run of words in them.

python -m tests.contract.rulebooks FOLDER    # with the rulebooks as .txt files, writes the file anew
"""

import re
import sys
from hashlib import blake2b
from pathlib import Path

WORDS = 8
BYTES = 5
FILE = Path(__file__).with_name("rulebooks.bin")


def runs(text):
    """The hash of every run of WORDS words; case, marks and line breaks do not count."""
    words = re.findall(r"\w+", text.casefold())
    return {
        blake2b(" ".join(words[first : first + WORDS]).encode(), digest_size=BYTES).digest()
        for first in range(len(words) - WORDS + 1)
    }


def rulebook_runs():
    content = FILE.read_bytes()
    return {content[first : first + BYTES] for first in range(0, len(content), BYTES)}


if __name__ == "__main__":
    found = set().union(*(runs(book.read_text(encoding="utf-8")) for book in Path(sys.argv[1]).glob("*.txt")))
    FILE.write_bytes(b"".join(sorted(found)))
