"""The build: what it refuses, what it says, and that its files agree with each other."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture
def tree(tmp_path):
    """A copy of the sources, without anything built."""
    built = shutil.ignore_patterns("*.so", "*_pb2*", "__pycache__")
    for folder in ("front", "core_cy", "search", "arena", "web", "service", "clients", "proto"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=built)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def setup_py(tree, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "setup.py", "--quiet", *arguments],
        cwd=tree,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


def test_modules_agree_with_disk(tree):
    run = setup_py(tree, "--version")
    assert (run.returncode, run.stdout.strip()) == (0, PROJECT["version"]), run.stderr


def test_a_forgotten_module_stops_the_build(tree):
    (tree / "search" / "extra.pyx").write_text("")
    run = setup_py(tree, "--version")
    assert run.returncode == 1
    assert run.stderr == "setup.py: search/extra.pyx is on disk but not in MODULES\n"


def test_a_lost_file_stops_the_build(tree):
    (tree / "core_cy" / "rng.pyx").unlink()
    run = setup_py(tree, "--version")
    assert run.returncode == 1
    assert run.stderr == "setup.py: core_cy/rng.pyx is in MODULES but not on disk\n"


@pytest.mark.parametrize("compiler", ["/nonexistent", "no-such-compiler -pthread"])
def test_no_compiler_says_what_to_install(tree, compiler):
    run = setup_py(tree, "build_ext", CC=compiler)
    assert run.returncode == 1
    assert f"the C compiler {compiler.split()[0]!r} was not found" in run.stderr
    assert "apt-get install build-essential python3-dev" in run.stderr
    assert "Traceback" not in run.stderr


def test_unknown_sanitizer(tree):
    run = setup_py(tree, "build_ext", PYTHIA_SANITIZE="adress")
    assert run.returncode == 1
    assert run.stderr == "PYTHIA_SANITIZE: 'adress' is not allowed; allowed: address, undefined\n"


def test_a_cython_error_is_not_a_traceback(tree):
    for name in ("rng.pxd", "rng.pyx"):
        (tree / "core_cy" / name).write_text("cdef int broken(:\n")
    run = setup_py(tree, "build_ext")
    assert run.returncode == 1
    assert "setup.py: Cython refused core_cy/" in run.stderr
    assert "Traceback" not in run.stderr


def test_protobuf_code_is_generated_and_kept_up_to_date(tree):
    generated = tree / "proto/pythia/v1/engine_pb2.py"
    assert setup_py(tree, "build_protos").returncode == 0
    first = generated.stat().st_mtime_ns
    assert setup_py(tree, "build_protos").returncode == 0
    assert generated.stat().st_mtime_ns == first
    source = tree / "proto/pythia/v1/engine.proto"
    source.write_text(
        source.read_text().replace(
            "message GetServerInfoRequest {}", "message GetServerInfoRequest { int32 x = 1; }"
        )
    )
    os.utime(source, ns=(first + 10**9, first + 10**9))
    assert setup_py(tree, "build_protos").returncode == 0
    assert generated.stat().st_mtime_ns != first


def test_a_broken_proto_is_named(tree):
    (tree / "proto/pythia/v1/engine.proto").write_text("not a proto")
    run = setup_py(tree, "build_protos")
    assert run.returncode == 1
    assert "pythia/v1/engine.proto" in run.stderr
    assert "Traceback" not in run.stderr


def locked():
    """Name to the versions that the lock file pins, one per marker."""
    pins = {}
    for line in (ROOT / "requirements-dev.lock").read_text().splitlines():
        if not line.startswith("#"):
            requirement = Requirement(line)
            (specifier,) = requirement.specifier
            assert specifier.operator == "==", line
            pins.setdefault(canonicalize_name(requirement.name), []).append(specifier.version)
    return pins


def test_the_lock_file_satisfies_the_declared_dependencies():
    pins = locked()
    for text in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]:
        requirement = Requirement(text)
        versions = pins.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement.name} is not in requirements-dev.lock; run `make lock`"
        assert all(requirement.specifier.contains(version) for version in versions), (text, versions)


def test_the_lock_file_names_no_place():
    assert not re.search(r"://|@|^-|/", (ROOT / "requirements-dev.lock").read_text(), re.MULTILINE)


def test_the_changelog_has_the_version():
    assert f"## [{PROJECT['version']}]" in (ROOT / "CHANGELOG.md").read_text()
