"""The code behind the results of a tournament: what its games depend on beside its file.

For Pythia itself that is how the rules and the built-in bots behave. For a class of one's own it is the source of its
module and of the modules beside it that are loaded, the version of its package, and the files that its parameters name.
A bot on a server is beyond this: nobody here knows when it changes.
"""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from pythia.arena.tournament.definition import Definition
from pythia.arena.tournament.entrants import Entrant
from pythia.search.bots import built_in
from pythia.search.plugins import plugin_class
from pythia.search.signature import behavior

PYTHIA = "the rules and built-in bots"


def code_of(definition: Definition) -> dict[str, str]:
    """In a few words each: the code of Pythia, and of every entrant with code of its own, by name."""
    found = {PYTHIA: f"signature {behavior(definition.game, definition.seats)}"}
    for entrant in definition.entrants:
        if entrant.kind == "class" or (entrant.kind == "bot" and built_in(entrant.target) is None):
            found[f"entrant {entrant.name!r}"] = own_code(entrant)
    return found


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What is not as it was, in words."""
    return [
        f"{what} ({before.get(what, 'not known')}, now {now.get(what, 'none')})"
        for what in dict.fromkeys([*now, *before])
        if before.get(what) != now.get(what)
    ]


def own_code(entrant: Entrant) -> str:
    maker = plugin_class(entrant.target)
    module = sys.modules.get(getattr(maker, "__module__", ""), None)
    words = [f"version {found}"] if (found := version_of(maker, module)) else []
    files = [*source_files(module), *files_named(entrant.params)]
    return ", ".join([*words, f"source {digest_of(files)}"])


def version_of(maker: Any, module: Any) -> str | None:
    """Of the class, of its module, or of the package that installed it."""
    for holder, name in ((maker, "version"), (maker, "__version__"), (module, "__version__")):
        if isinstance(found := getattr(holder, name, None), str):
            return found
    top = getattr(module, "__name__", "").partition(".")[0]
    for package in packages_distributions().get(top, ()):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return None


def source_files(module: Any) -> Iterator[Path]:
    """The file of a module, and those of the loaded modules in its folder and below, which it may use."""
    if not (name := getattr(module, "__file__", None)):
        return
    file = Path(name).resolve()
    yield file
    if str(file.parent) in {str(Path(path).resolve()) for path in sysconfig.get_paths().values()}:
        return  # a single module among all that is installed
    for other in list(sys.modules.values()):
        path = getattr(other, "__file__", None)
        if (
            isinstance(path, str)
            and (found := Path(path).resolve()) != file
            and found.is_relative_to(file.parent)
        ):
            yield found


def files_named(values: Mapping[str, Any]) -> Iterator[Path]:
    """The files that parameters name, a model for instance."""
    for value in values.values():
        if isinstance(value, str) and (path := Path(value)).is_file():
            yield path.resolve()


def digest_of(files: list[Path]) -> str:
    digest = hashlib.blake2b(digest_size=4)
    for file in sorted(set(files)):
        try:
            content = file.read_bytes()
        except OSError:
            content = b""
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()
