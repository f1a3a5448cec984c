"""Imports only point downwards, and what lies below the service knows nothing of the wire."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Each folder may import those to its left and itself. `v1` is the generated code of proto/.
ORDER = ("core_cy", "search", "arena", "web", "service", "clients", "tools")
WIRE = ("pythia.v1", "grpc", "google")
FILES = sorted(
    path
    for folder in ORDER
    for ending in ("py", "pyx", "pxd")
    for path in (ROOT / folder).rglob(f"*.{ending}")
)
CYTHON_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import|c?import\s+([\w.]+))", re.MULTILINE)


def imported(path):
    """The modules that a file imports, by their full names."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from ("".join(found) for found in CYTHON_IMPORT.findall(text))
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import of {node.module}"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def below(module, names):
    return any(module == name or module.startswith(f"{name}.") for name in names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(path):
    folder = path.relative_to(ROOT).parts[0]
    above = ORDER[ORDER.index(folder) + 1 :]
    forbidden = [name for other in above for name in (f"pythia.{other}", other)] + ["tests"]
    if folder in ("core_cy", "search", "arena"):
        forbidden += WIRE
    wrong = sorted(module for module in imported(path) if below(module, forbidden))
    assert not wrong, f"{path.relative_to(ROOT)} imports {', '.join(wrong)}"


# What clients may know of the service: conversions of the wire, plain data, and the API for the same process. Commands
# that start a server or find its files know its settings too.
SHARED = ("pythia.service.wire", "pythia.service.types", "pythia.service.local")
SERVING = ("pythia.service.server", "pythia.service.config")


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.is_relative_to(ROOT / "clients")], ids=lambda path: path.name
)
def test_clients_know_little_of_the_service(path):
    allowed = SHARED + (SERVING if "cli" in path.parts else ())
    known = [module for module in imported(path) if below(module, ["pythia.service"])]
    assert all(below(module, allowed) for module in known), known


PLAIN = ("advisor", "matches", "live_match", "engine", "search_runner", "visibility", "types", "local")


@pytest.mark.parametrize("name", PLAIN)
def test_the_plain_service_knows_no_messages(name):
    wire = ["pythia.v1", "google", "pythia.service.wire", "pythia.service.calls", "pythia.service.servicers"]
    known = [module for module in imported(ROOT / "service" / f"{name}.py") if below(module, wire)]
    assert not known


def test_no_file_is_forgotten():
    assert {path.relative_to(ROOT).parts[0] for path in FILES} == set(ORDER)
