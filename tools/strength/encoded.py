"""How well a game plays without its own judgement: `python -m tools.strength.encoded keltis`.

Learns a model of the game's encoding from nothing (`pythia learn GAME --encoding`), and lets it play against `greedy`,
which has the judgement that the game brings, and against `random`. Interrupt it; the same command goes on.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from pythia.arena.learning.encoded import BOT
from pythia.arena.learning.run import Arena, LearningProgress, LearnSpec, learn
from tools.strength.__main__ import HEAD, StrengthRow, line, play


def tell(told: LearningProgress) -> None:
    if told.done == told.planned:
        print(f"generation {told.generation}, {told.step}: {told.done}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.strength.encoded", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=200, help="of each generation")
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--blocks", type=int, default=100, help="starts of each row")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--results", type=Path, default=Path("build/strength"))
    given = parser.parse_args()
    folder = (given.results / f"{given.game}-encoding").resolve()
    spec = LearnSpec(
        given.game, generations=given.generations, games=given.games, gate_blocks=60, encoding=True
    )
    started = time.perf_counter()
    verdicts = learn(spec, folder, Arena(given.processes, tell=tell))
    passed = [verdict.generation for verdict in verdicts if verdict.passed]
    print(
        f"{given.games * len(verdicts)} games, {time.perf_counter() - started:.0f} s now; generations that passed: "
        f"{', '.join(map(str, passed)) or 'none'}\n\n{HEAD}",
        flush=True,
    )
    model = f"{BOT}:file={folder / 'model.npz'}"
    for other in ("greedy", "random"):
        row = StrengthRow(
            f"{given.game}-encoding-{other}",
            f"a model of the encoding against `{other}`",
            (model, other),
            given.blocks,
            game=given.game,
        )
        print(line(row, play(row, given.results, given.processes, False)), flush=True)


if __name__ == "__main__":
    main()
