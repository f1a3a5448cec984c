"""A PostgreSQL of our own on loopback, for tests and benchmarks."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running_postgres(folder: Path) -> Iterator[str]:
    """Its URL, while the block runs. It refuses to run as root, so as root it runs as `postgres`."""
    found = shutil.which("pg_ctl") or max(map(str, Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")))
    programs = Path(found).resolve().parent
    become = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    if become:
        for parent in (folder, *folder.parents):
            if parent != Path("/tmp") and Path("/tmp") in parent.parents:
                parent.chmod(0o755)
        shutil.chown(folder, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def run(*command: object) -> None:
        subprocess.run([*become, *map(str, command)], check=True, capture_output=True, cwd="/")

    data = folder / "data"
    run(programs / "initdb", "-D", data, "-U", "pythia", "-A", "trust")
    settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=on"
    run(programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", settings, "start")
    try:
        yield f"postgresql://pythia@127.0.0.1:{port}/postgres"
    finally:
        run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")
