"""Checks an installed wheel without pytest and without the source tree; run by `make wheel` from another folder.

`--extras` also checks what the extras bring (`make release-check`).
"""

import os
import subprocess
import sys
import tempfile
import urllib.request
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from pythia.core_cy import CHANCE, Random, game_info, list_games, load_game

SCRIPTS = Path(sys.executable).parent


def pythia(*arguments: str) -> str:
    return subprocess.run([SCRIPTS / "pythia", *arguments], check=True, capture_output=True, text=True).stdout


def check_files() -> None:
    """The wheel is what runs, and it carries types and Cython headers."""
    core = files("pythia.core_cy")
    assert Path(sys.prefix) in Path(str(core)).parents, f"{core} is not in {sys.prefix}"
    for name in ("core_cy", "search", "web", "service", "clients", "v1"):
        assert (files(f"pythia.{name}") / "py.typed").is_file(), f"py.typed is missing in {name}"
    for name in ("rng.pxd", "rng.pyi", "types.pxd", "game.pxd", "game.pyi"):
        assert (core / name).is_file(), f"core_cy/{name} is missing"
    strays = [path for path in Path(str(core)).rglob("*") if path.suffix in {".c", ".pyx"}]
    assert not strays, f"not for a wheel: {strays}"


def check_games() -> None:
    """Every game plays to its end at every player count."""
    rng = Random(1)
    for name in list_games():
        info = game_info(name)
        for players in range(info.min_players, info.max_players + 1):
            state = load_game(name, players=players, seed=1).new_state()
            while not state.is_over:
                state.apply(
                    state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves())
                )
            assert sum(state.returns()) == 1


def check_command() -> None:
    """The command serves, and answers over the wire."""
    assert pythia("version") == f"pythia {version('pythia-opponent')}\n"
    server = subprocess.Popen([SCRIPTS / "pythia", "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        assert pythia("games", "--json", "--server", address) == pythia("games", "--json")
    finally:
        server.terminate()
        assert server.wait() == 0


def check_extras() -> None:
    """With all extras installed: what needs one of them works."""
    import optuna
    import psycopg
    import pyspiel
    import ray

    from pythia.clients.adapters import openspiel, pettingzoo
    from pythia.clients.cli.png import png_of

    assert all((optuna.__version__, psycopg.__version__, ray.__version__))
    assert pyspiel.load_game(openspiel.spiel_name("keltis")).new_initial_state().is_chance_node()
    pettingzoo.env("keltis").reset(seed=1)
    assert png_of('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').startswith(b"\x89PNG")
    server = subprocess.Popen(
        [SCRIPTS / "pythia", "serve", "--http", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = next(line.split()[1] for line in server.stdout if "HTTP:" in line)
        with urllib.request.urlopen(f"{url}/healthz", timeout=10) as answer:
            assert answer.read() == b"ok\n"
    finally:
        server.terminate()
        assert server.wait() == 0


def live_in(home: str) -> None:
    """What the commands keep goes there, not to the home of whoever runs this."""
    os.environ["HOME"] = home
    for kind in ("CONFIG", "DATA", "STATE"):
        os.environ[f"XDG_{kind}_HOME"] = str(Path(home) / kind.lower())


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="pythia-smoke-") as home:
        live_in(home)
        check_files()
        check_games()
        check_command()
        if "--extras" in sys.argv:
            check_extras()
    print(f"pythia-opponent {version('pythia-opponent')}: the installed wheel works")


if __name__ == "__main__":
    main()
