"""The libraries of the page: `python -m tools.vendor` bundles them into web/static/vendor/.

Their names and versions stand in web/package.json and its lock file, what the page uses of each in
web/static/vendor/*.d.ts, which is also where the type checker finds their types. The bundles are committed, so a user's
machine builds nothing and loads nothing from the network. Needs npm.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
VENDOR = WEB / "static" / "vendor"
BUILD = ROOT / "build" / "web"
ESBUILD = (
    "--bundle",
    "--format=esm",
    "--minify",
    "--target=es2022",
    "--legal-comments=none",
    "--log-level=error",
)


def run(*command: str, folder: Path = BUILD) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "npm_config_cache": str(ROOT / "build" / "npm")}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def install() -> Path:
    """The packages, in a folder of the build; once for all processes."""
    BUILD.mkdir(parents=True, exist_ok=True)
    stamp = BUILD / "installed"
    content = (WEB / "package-lock.json").read_bytes()
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != hashlib.sha256(content).hexdigest():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(WEB / name, BUILD)
            run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
            stamp.write_text(hashlib.sha256(content).hexdigest())
    return BUILD


def bundles() -> dict[str, bytes]:
    """What belongs into the folder, by name: a bundle for each declaration, and the licences."""
    folder = install()
    packages = folder / "node_modules"
    found: dict[str, bytes] = {}
    for declaration in sorted(VENDOR.glob("*.d.ts")):
        name = declaration.name.removesuffix(".d.ts")
        entry = folder / f"{name}.entry.js"
        entry.write_text(declaration.read_text())
        found[f"{name}.js"] = run("node_modules/.bin/esbuild", entry.name, *ESBUILD).encode()
    found["LICENSES.txt"] = licences(packages).encode()
    return found


def licences(packages: Path) -> str:
    """Name, version and licence of every package in the bundles."""
    lock = json.loads((WEB / "package-lock.json").read_text())["packages"]
    parts = []
    for path, package in sorted(lock.items()):
        if not path or package.get("dev"):
            continue
        name = path.removeprefix("node_modules/")
        texts = sorted((packages / name).glob("LICENSE*"))
        words = texts[0].read_text().strip() if texts else APACHE
        parts.append(f"{name} {package['version']} ({package['license']})\n\n{words}\n")
    return ("\n" + "-" * 80 + "\n\n").join(parts)


# Packages of Connect and protobuf-es name their licence but do not bring its text.
APACHE = "Licensed under the Apache License, Version 2.0; its text is the LICENSE of this project."


def main() -> None:
    for name, content in bundles().items():
        (VENDOR / name).write_bytes(content)
        print(f"{len(content):8} {name}")


if __name__ == "__main__":
    main()
