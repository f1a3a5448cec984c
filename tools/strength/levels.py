"""Calibrates the levels of a game for a number of players: `python -m tools.strength.levels --game keltis --players 3`.

Settings from weak to strong play their neighbors, one of the stronger against the weaker in all other seats, on starts
that no weights were tuned on. What each step is worth in Elo adds up to a scale from the weakest to the
strongest setting, and the levels 1 to 9 are spread over it, 100 Elo apart; level 10 searches for about a second. Every
game is kept in build/strength/levels, so an interrupted run goes on. `--write` puts the levels into the game's folder,
where bots find them. `--check` then plays each level against the one below on other starts.
"""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import accumulate, count, pairwise
from pathlib import Path
from time import process_time
from typing import Any

from pythia.arena.tournament.definition import Definition, definition_of, installed_version
from pythia.arena.tournament.runner import Changed, run_tournament
from pythia.arena.tournament.tune import Evidence, evidence_of
from pythia.core_cy import CHANCE, Random, View, load_game
from pythia.core_cy.registry import game_info
from pythia.search.bots import make_bot
from pythia.search.levels import NUMBERS, Level, levels_of, levels_text, read_levels
from pythia.search.limits import Limit
from pythia.search.signature import behavior

# From those who overlook most moves to those who search long. Neighbors are close enough for a clear rate.
SETTINGS = (
    *(Level(12, 1.0, overlooked) for overlooked in (0.97, 0.93, 0.87, 0.8, 0.7, 0.6, 0.45, 0.25, 0.0)),
    Level(20, 0.3),
    *(Level(iterations, 0.0) for iterations in (32, 80, 200, 400)),
)
# Levels are this far apart in Elo, or nearer where the settings do not reach as far down.
STEP = 100.0
GAMES = 200  # for each pair of neighbors, at least
# Not among the seeds of tournaments, tuning and learning.
SEED = 7_201_903
CHECK_SEED = 7_201_904
STRONGER = "stronger"


@dataclass(frozen=True)
class LevelStep:
    """What the next setting is worth, against the one below."""

    below: Level
    above: Level
    evidence: Evidence


def definition(
    game: str, players: int, below: Level, above: Level, blocks: int, seed: int = SEED
) -> Definition:
    def entrant(name: str, level: Level) -> dict[str, Any]:
        params = {"temperature": level.temperature, "overlooked": level.overlooked}
        return {"name": name, "bot": "ismcts", "iterations": level.iterations, "params": params}

    return definition_of(
        {
            "name": f"{game}, {players} players: {above} against {below}",
            "game": game,
            "seats": players,
            "blocks": blocks,
            "seed": seed,
            "records": False,
            "entrants": [
                entrant(STRONGER, above),
                *(entrant(f"weaker {number}", below) for number in range(1, players)),
            ],
        }
    )


def measure(
    game: str,
    players: int,
    below: Level,
    above: Level,
    *,
    games: int,
    folder: Path,
    processes: int,
    changed: Changed = "refuse",
    seed: int = SEED,
) -> LevelStep:
    """Plays what is missing of the match of two neighbors."""
    found = definition(game, players, below, above, math.ceil(games / players), seed)
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / f"{game}-{players}p-{found.digest()}.sqlite"
    schedule = run_tournament(found, results, processes=processes, changed=changed)
    (table,) = schedule.tables()
    rates = [table.rate(block, STRONGER) for block in schedule.counted(table)]
    return LevelStep(below, above, evidence_of(rates, players))


def spread(settings: Sequence[Level], steps: Sequence[float], count: int = len(NUMBERS) - 1) -> list[Level]:
    """As many settings, the last one the strongest, each STEP above the one before or evenly over what there is.

    `steps` are in Elo. A step that came out below 0 counts as none: stronger settings are not weaker.
    """
    heights = [0.0, *accumulate(max(0.0, step) for step in steps)]
    apart = min(STEP, heights[-1] / (count - 1))
    return [at_height(settings, heights, heights[-1] - apart * below) for below in reversed(range(count))]


def at_height(settings: Sequence[Level], heights: Sequence[float], height: float) -> Level:
    for (below, low), (above, high) in pairwise(zip(settings, heights, strict=True)):
        if height <= high and high > low:
            share = (height - low) / (high - low)
            iterations = below.iterations * (above.iterations / below.iterations) ** share
            temperature = between(below.temperature, above.temperature, share)
            overlooked = between(below.overlooked, above.overlooked, share)
            return Level(round(iterations), round(temperature, 2), round(overlooked, 3))
    return settings[-1]


def between(low: float, high: float, share: float) -> float:
    return low + (high - low) * share


def iterations_in_a_second(game: str, players: int) -> int:
    """What a search on this machine does in a second, with two digits: over positions of a game from start to end."""
    bot, luck = make_bot("ismcts", seed=1), Random(1)
    state = load_game(game, players=players, seed=SEED).new_state()
    iterations, seconds = 0, 0.0
    for number in count():
        while state.to_act == CHANCE and not state.is_over:
            state.apply(state.sample_chance(luck))
        if state.is_over:
            break
        view = View.of(state, state.to_act)
        if number % 10 == 0:
            began = process_time()  # of this process alone: others may be busy too
            iterations += bot.choose(view, Limit(iterations=2000)).iterations
            seconds += process_time() - began
        state.apply(bot.choose(view, Limit(iterations=20)).move)
    rate = iterations / seconds
    digits = 10 ** (len(str(int(rate))) - 2)
    return int(round(rate / digits) * digits)


def table_of(steps: Sequence[LevelStep], game: str, players: int, games: int, top: int) -> dict[str, Any]:
    """What the levels file says about a number of players."""
    levels = spread([steps[0].below, *(step.above for step in steps)], [step.evidence.elo for step in steps])
    return {
        "levels": [asdict(level) for level in (*levels, Level(top, 0.0))],
        "provenance": {
            "command": f"python -m tools.strength.levels --game {game} --players {players} --games {games} --top {top}",
            "version": installed_version(),
            "signature": behavior(game, players),
            "seed": SEED,
            "steps": [
                {
                    "below": asdict(step.below),
                    "above": asdict(step.above),
                    "games": step.evidence.games,
                    "elo": round(step.evidence.elo, 1),
                    "low": round(step.evidence.elo_low, 1),
                    "high": round(step.evidence.elo_high, 1),
                }
                for step in steps
            ],
        },
    }


def write(path: Path, game: str, players: int, table: dict[str, Any]) -> None:
    """Into the levels file, beside those of other numbers of players."""
    tables = json.loads(path.read_text(encoding="utf-8"))["players"] if path.exists() else {}
    text = levels_text(game, {**tables, str(players): table})
    read_levels(text, game, str(path))
    path.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.strength.levels", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--game", required=True)
    parser.add_argument("--players", type=int, required=True)
    parser.add_argument(
        "--games", type=int, default=GAMES, help="for each pair of neighbors; 200 or more for a release"
    )
    parser.add_argument(
        "--settings", type=int, default=len(SETTINGS), help="only the weakest so many, for a trial"
    )
    parser.add_argument(
        "--top", type=int, help="the iterations of level 10; by default what this machine does in a second"
    )
    parser.add_argument(
        "--check", action="store_true", help="play each level against the one below on other starts"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--results", type=Path, default=Path("build/strength/levels"))
    parser.add_argument("--fresh", action="store_true", help="play all games again when the code has changed")
    parser.add_argument("--keep", action="store_true", help="keep the games of older code")
    parser.add_argument("--write", action="store_true", help="write the levels into the game's folder")
    given = parser.parse_args(arguments)
    info = game_info(given.game)
    if not info.min_players <= given.players <= info.max_players:
        parser.error(
            f"players: {given.players} is not allowed; allowed: {info.min_players} to {info.max_players}"
        )
    if given.games < 1 or not 2 <= given.settings <= len(SETTINGS):
        parser.error(f"games: at least 1, settings: 2 to {len(SETTINGS)}")
    if given.write and (given.games < GAMES or given.settings < len(SETTINGS)):
        parser.error(f"write: needs {GAMES} games or more for each pair, and all settings")
    changed: Changed = "fresh" if given.fresh else "keep" if given.keep else "refuse"
    play = partial(
        measure,
        given.game,
        given.players,
        games=given.games,
        folder=given.results,
        processes=given.processes,
        changed=changed,
    )
    if given.check:
        check(play, given.game, given.players)
        return
    steps: list[LevelStep] = []
    # From the top down, as far as the levels reach.
    for below, above in reversed(list(pairwise(SETTINGS[: given.settings]))):
        if sum(max(0.0, step.evidence.elo) for step in steps) >= STEP * (len(NUMBERS) - 2):
            break
        step = play(below, above)
        print(f"{above} against {below}: {figures(step)}", flush=True)
        steps.insert(0, step)
    top = given.top or iterations_in_a_second(given.game, given.players)
    table = table_of(steps, given.game, given.players, given.games, top)
    for number, level in zip(NUMBERS, table["levels"], strict=True):
        print(
            f"level {number}: {level['iterations']} iterations, temperature {level['temperature']}, "
            f"overlooked {level['overlooked']}"
        )
    if given.write:
        path = Path("core_cy", given.game, "levels.json")
        write(path, given.game, given.players, table)
        print(f"written to {path}")


def check(play: Callable[..., LevelStep], game: str, players: int) -> None:
    """Each level against the one below, as a row of docs/strength.md; the games of the highest take too long."""
    levels = levels_of(load_game(game, players=players, seed=1))
    steps = [play(levels[number - 1], levels[number], seed=CHECK_SEED) for number in NUMBERS[1:-1]]
    cells = [f"{step.evidence.elo:+.0f} ±{spread_of(step):.0f}" for step in steps]
    print(f"| {game}, {players} players | {' | '.join(cells)} |")


def spread_of(step: LevelStep) -> float:
    return (step.evidence.elo_high - step.evidence.elo_low) / 2


def figures(step: LevelStep) -> str:
    found = step.evidence
    return (
        f"{100 * found.win_rate.mean:.1f} % in {found.games} games, "
        f"{found.elo:+.0f} Elo ({found.elo_low:+.0f} to {found.elo_high:+.0f})"
    )


if __name__ == "__main__":
    main()
