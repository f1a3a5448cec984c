"""`make release-check`, after `make wheel`: is what lies in dist/ fit to be published?

The metadata is read as an index would; the wheel gets the name of the oldest Linux that it runs on (auditwheel); it is
installed in an empty environment of every Python that is supported and found here, and once with all extras; and the
smoke test plays all games and asks a server there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build" / "release-check"
BIN = Path(sys.executable).parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Extras for developing Pythia itself.
NOT_FOR_USERS = ("dev",)


def main() -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    wheel = for_every_linux(one("*.whl")) if sys.platform == "linux" else one("*.whl")
    run(BIN / "twine", "check", "--strict", *sorted(DIST.iterdir()))
    found = {version: python for version in PYTHONS if (python := find(version))}
    if not found:
        sys.exit(f"release-check: none of Python {', '.join(PYTHONS)} is here")
    for version, python in found.items():
        smoke(f"Python {version}", python, wheel)
    oldest = next(iter(found))
    smoke(f"Python {oldest} with all extras", found[oldest], f"{wheel}[{','.join(extras())}]", "--extras")
    one("*.tar.gz")  # the wheel was built from it
    absent = [version for version in PYTHONS if version not in found]
    print(f"release-check: fit to be published. Tried on Python {', '.join(found)}", end="")
    print(f"; not found here, so not tried: {', '.join(absent)}." if absent else ".")


def one(pattern: str) -> Path:
    paths = list(DIST.glob(pattern))
    if len(paths) != 1:
        sys.exit(
            f"release-check: dist/ has {len(paths)} files like {pattern} and should have one; run `make wheel`"
        )
    return paths[0]


def for_every_linux(wheel: Path) -> Path:
    """The wheel under the name of the oldest platform that it runs on, in place of the one for this machine alone."""
    if "manylinux" in wheel.name:
        return wheel
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    run(BIN / "auditwheel", "repair", "--strip", "--wheel-dir", WORK, wheel, env=environment)
    (repaired,) = WORK.glob("*.whl")
    wheel.unlink()
    return Path(shutil.move(repaired, DIST))


def find(version: str) -> Path | None:
    """A Python of this version: on the path, or one of pyenv's."""
    kept = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}*/bin"))
    for folder in [*reversed(kept), *map(Path, os.environ["PATH"].split(os.pathsep))]:
        python = folder / f"python{version}"
        # A name alone says little: pyenv has stand-ins that refuse, and Debian Pythons without venv.
        if (
            python.exists()
            and not subprocess.run([python, "-c", "import ensurepip"], capture_output=True).returncode
        ):
            return python
    return None


def extras() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [name for name in project["optional-dependencies"] if name not in NOT_FOR_USERS]


def smoke(what: str, python: Path, requirement: str | Path, *arguments: str) -> None:
    """Install it in an empty environment and run the smoke test there, away from the sources."""
    print(f"release-check: {what}", flush=True)
    environment = WORK / "environment"
    shutil.rmtree(environment, ignore_errors=True)
    run(python, "-m", "venv", environment)
    run(environment / "bin" / "pip", "--disable-pip-version-check", "-qq", "install", requirement)
    run(environment / "bin" / "python", ROOT / "tests" / "smoke.py", *arguments, cwd="/")


def run(*command: str | Path, cwd: str | Path = ROOT, env: dict[str, str] | None = None) -> None:
    if subprocess.run([str(part) for part in command], cwd=cwd, env=env).returncode:
        sys.exit(f"release-check: {Path(command[0]).name} failed; its messages are above")


if __name__ == "__main__":
    main()
