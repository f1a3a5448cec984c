"""The tournaments behind docs/strength.md: `python -m tools.strength` plays them and prints the tables.

    python -m tools.strength                    # all of them; an interrupted run goes on where it was
    python -m tools.strength bars keltis        # some groups
    python -m tools.strength ten-times --html   # one row, and its report as a page

Each row is a tournament of `pythia.arena.tournament` with iteration limits, so anybody gets the same games. Results
are kept in build/strength. What the hidden tiles are worth needs a bot that cheats: see seer.py.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pythia.arena.report import html_report
from pythia.arena.stats import Estimate
from pythia.arena.tournament.definition import Definition, definition_of
from pythia.arena.tournament.runner import Changed, run_tournament
from pythia.arena.tournament.summary import TournamentSummary, summarize
from pythia.search.bots import BotSpec

# What stands for 100 ms of a decision on the reference machine (`make bench`: iterations per second). The planner is
# done much sooner and gains little from more.
ISMCTS = "ismcts:iterations=2000"
PLANNER = "planner:iterations=2000"
# For ablations, where enough games count for more than strong ones.
LOW = "ismcts:iterations=200"
KELTIS = "ismcts:iterations=5000"
# By the number of players.
OFFRANDES = {3: "ismcts:iterations=20000", 4: "ismcts:iterations=10000", 5: "ismcts:iterations=5000"}
DEUKALION = {2: "ismcts:iterations=8000", 3: "ismcts:iterations=4500", 4: "ismcts:iterations=4500"}
# The same time for the bots of now and of 0.1.0, which runs fewer iterations in it: 100 ms and 10 ms.
NOW, THEN = "ismcts:iterations=3000", "ismcts@0.1.0:iterations=2000"
QUICK_NOW, QUICK_THEN = "ismcts:iterations=300", "ismcts@0.1.0:iterations=200"


@dataclass(frozen=True)
class StrengthRow:
    """A tournament of one table: the first bot against the others, or a bot against itself."""

    name: str
    what: str
    bots: tuple[str, ...]
    blocks: int
    rate: float | None = None  # the bar: the first bot's win rate is at least this
    rounds: float | None = None  # the bar: the maximum length of games in rounds
    game: str = "delphi"
    weights: Mapping[str, float] = field(default_factory=dict)  # of the first bot
    alone: bool = False  # the bots are all the same

    def definition(self) -> Definition:
        entrants = [entrant(bot, f"{bot} ({number + 1})") for number, bot in enumerate(self.bots)]
        for table in entrants if self.alone else entrants[:1]:
            if self.weights:
                table["weights"] = dict(self.weights)
        return definition_of(
            {
                "name": self.name,
                "game": self.game,
                "seats": len(self.bots),
                "blocks": self.blocks,
                "records": False,
                "entrants": entrants,
            }
        )


def entrant(text: str, name: str) -> dict[str, Any]:
    spec = BotSpec.parse(text)
    table: dict[str, Any] = {"name": name, "bot": spec.name, "params": dict(spec.params)}
    if spec.level is not None:
        table["level"] = spec.level
    if spec.limit is not None and spec.limit.iterations is not None:
        table["iterations"] = spec.limit.iterations
    return table


def self_play(bot: str, blocks: tuple[int, int, int], most: float) -> Iterator[StrengthRow]:
    """Rounds until the first arrival with 2, 3 and 4 players; the bar is for two."""
    name = bot.partition(":")[0]
    for players, count in zip((2, 3, 4), blocks, strict=True):
        yield StrengthRow(
            f"{name}-{players}p",
            f"`{bot}` among itself, {players} players",
            (bot,) * players,
            count,
            rounds=most if players == 2 else None,
            alone=True,
        )


def against(
    name: str, first: str, second: str, blocks: int, rate: float | None = None, **more: Any
) -> StrengthRow:
    return StrengthRow(name, f"`{first}` against `{second}`", (first, second), blocks, rate, **more)


def ablation(
    name: str, what: str, settings: str = "", weights: Mapping[str, float] | None = None
) -> StrengthRow:
    """The bot with a part changed against the whole one."""
    changed = f"{LOW},{settings}" if settings else LOW
    return StrengthRow(name, what, (changed, LOW), 150, weights=weights or {})


def among(first: str, others: str, players: int, blocks: int, share: float, **more: Any) -> StrengthRow:
    """One bot against another one in all other seats; the bar is a multiple of its share of the wins."""
    name = f"{more['game']}-{first.partition(':')[0]}-{others}-{players}p"
    what = f"`{first}` against {players - 1} `{others}`"
    return StrengthRow(name, what, (first, *[others] * (players - 1)), blocks, share / players, **more)


GROUPS: dict[str, tuple[StrengthRow, ...]] = {
    "bars": (
        *self_play("greedy", (30, 10, 8), 18),
        *self_play(PLANNER, (25, 6, 5), 15.5),
        *self_play(ISMCTS, (14, 4, 3), 14),
        against("planner-greedy", PLANNER, "greedy", 25, 0.75),
        against("ismcts-greedy", ISMCTS, "greedy", 15, 0.85),
        against("ismcts-planner", ISMCTS, PLANNER, 35, 0.60),
        StrengthRow(
            "ismcts-three-planners",
            f"`{ISMCTS}` against three `{PLANNER}`",
            (ISMCTS, PLANNER, PLANNER, PLANNER),
            10,
            0.45,
        ),
        against("ten-times", ISMCTS, LOW, 30, 0.57),
    ),
    "progress": (
        against("progress-prior", "prior", "prior@0.1.0", 200, 0.65),
        against("progress-prior-planner", "prior", "planner@0.1.0:iterations=2000", 100, 0.35),
        against("progress-10ms", QUICK_NOW, QUICK_THEN, 200, 0.62),
        against("progress-100ms", NOW, THEN, 200, 0.62),
        StrengthRow(
            "progress-4p-10ms",
            f"`{QUICK_NOW}` against three `{QUICK_THEN}`",
            (QUICK_NOW, QUICK_THEN, QUICK_THEN, QUICK_THEN),
            50,
            0.32,
        ),
        StrengthRow(
            "progress-4p-100ms",
            f"`{NOW}` against three `{THEN}`",
            (NOW, THEN, THEN, THEN),
            50,
            0.32,
        ),
        StrengthRow("progress-rounds", f"`{NOW}` among itself", (NOW, NOW), 30, rounds=10.8, alone=True),
        against("progress-0.2.0", "ismcts:iterations=200", "ismcts@0.2.0:iterations=210", 200, 0.5),
        against(
            "progress-keltis",
            "ismcts:iterations=500",
            "ismcts@0.1.0:iterations=500",
            200,
            0.58,
            game="keltis",
        ),
    ),
    "ablations": (
        ablation(
            "no-transpositions",
            "orders of the same actions are nodes apart (`transpositions=false`)",
            settings="transpositions=false",
        ),
        ablation(
            "no-private-knowledge",
            "what the seat alone has seen does not tell nodes apart (`private_knowledge=false`)",
            settings="private_knowledge=false",
        ),
        ablation("no-priors", "all moves alike at first (`prior_power=0`)", settings="prior_power=0.0"),
        ablation(
            "no-pruning",
            "all moves considered from the start (`max_children=0`, `width=1000`)",
            settings="max_children=0,width=1000.0",
        ),
        ablation(
            "no-first-play-reduction",
            "no first-play urgency (`first_play_reduction=0`)",
            settings="first_play_reduction=0.0",
        ),
        ablation(
            "no-virtual-visits",
            "a move is worth what its visits say (`virtual_visits=0`)",
            settings="virtual_visits=0.0",
        ),
        ablation("no-common-luck", "fresh luck for all (`common_luck=false`)", settings="common_luck=false"),
        ablation(
            "no-playouts", "judged at the end of the turn (`playout_rounds=0`)", settings="playout_rounds=0"
        ),
        ablation(
            "longer-playouts", "playouts of two rounds (`playout_rounds=2`)", settings="playout_rounds=2"
        ),
        ablation("deeper-tree", "the others' replies in the tree (`tree_turns=1`)", settings="tree_turns=1"),
        ablation(
            "no-distances",
            "an evaluation that counts jobs and no way between them (`sails`, `beyond` 0)",
            weights={"sails": 0.0, "beyond": 0.0},
        ),
    ),
    "keltis": (
        against("keltis-greedy-random", "greedy", "random", 30, 0.95, game="keltis"),
        against("keltis-ismcts-greedy", KELTIS, "greedy", 25, 0.65, game="keltis"),
    ),
    "offrandes": (
        *(among("greedy", "random", players, 20, 2, game="offrandes") for players in (3, 4, 5)),
        *(
            among(OFFRANDES[players], "greedy", players, blocks, 1.5, game="offrandes")
            for players, blocks in ((3, 10), (4, 7), (5, 12))
        ),
    ),
    "deukalion": (
        against("deukalion-greedy-random", "greedy", "random", 150, 0.95, game="deukalion"),
        against("deukalion-ismcts-greedy", DEUKALION[2], "greedy", 20, 0.75, game="deukalion"),
        # With more players the bar is 1.5 times the share of one.
        *(
            StrengthRow(
                f"deukalion-ismcts-greedy-{players}p",
                f"`{DEUKALION[players]}` against `greedy`, {players} players",
                (DEUKALION[players], *("greedy",) * (players - 1)),
                20,
                1.5 / players,
                game="deukalion",
            )
            for players in (3, 4)
        ),
    ),
    # Everyone's next turn is in the tree, so that it matters what the others are thought to want.
    "paranoid": tuple(
        StrengthRow(
            f"deukalion-paranoid-{players}p",
            f"the others minimise the own return (`paranoid=true`) against max^n, {players} players",
            (f"{deep},paranoid=true", *(deep,) * (players - 1)),
            20,
            game="deukalion",
        )
        for players in (3, 4)
        for deep in [f"ismcts:iterations=400,tree_turns={players - 1}"]
    ),
}


def met(estimate: Estimate, bar: float, above: bool) -> str:
    """In a word or two, whether the bar is met, and whether all of the interval is on that side."""
    good = estimate.mean >= bar if above else estimate.mean <= bar
    edge = estimate.low if above else estimate.high
    if not good:
        return "no"
    sure = edge is not None and (edge >= bar if above else edge <= bar)
    return "yes" if sure else "yes, the interval reaches beyond"


def percent(estimate: Estimate) -> tuple[str, str]:
    low, high = estimate.low, estimate.high
    span = "" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f}"
    return f"{100 * estimate.mean:.1f} %", span


def lasting(estimate: Estimate | None) -> tuple[str, str]:
    if estimate is None:
        return "", ""
    low, high = estimate.low, estimate.high
    return f"{estimate.mean:.1f}", "" if low is None or high is None else f"{low:.1f} to {high:.1f}"


def line(row: StrengthRow, summary: TournamentSummary) -> str:
    first = next(standing for standing in summary.standings if standing.name.endswith("(1)"))
    rate, span = ("", "") if row.alone else percent(first.win_rate)
    rounds, rounds_span = lasting(summary.rounds)
    bar, verdict = "", ""
    if row.rate is not None:
        bar = f"at least {100 * row.rate:.0f} %"
        verdict = met(first.win_rate, row.rate, above=True)
    elif row.rounds is not None and summary.rounds is not None:
        bar = f"at most {row.rounds:g} rounds"
        verdict = met(summary.rounds, row.rounds, above=False)
    cells = (row.what, str(summary.games), rate, span, rounds, rounds_span, bar, verdict, f"`{row.name}`")
    return "| " + " | ".join(cells) + " |"


HEAD = (
    "| who | games | win rate | 95 % | rounds | 95 % | bar | met | name |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def play(
    row: StrengthRow, folder: Path, processes: int, html: bool, changed: Changed = "refuse"
) -> TournamentSummary:
    definition = row.definition()
    folder.mkdir(parents=True, exist_ok=True)
    schedule = run_tournament(definition, folder / f"{row.name}.sqlite", processes=processes, changed=changed)
    summary = summarize(schedule, convergence=html)
    if html:
        (folder / f"{row.name}.html").write_text(html_report(summary), encoding="utf-8")
    return summary


def chosen(names: list[str]) -> dict[str, list[StrengthRow]]:
    """The rows of the groups and names given; all without any."""
    known = {row.name for rows in GROUPS.values() for row in rows} | set(GROUPS)
    for name in names:
        if name not in known:
            sys.exit(f"what: {name!r} is not allowed; allowed: {', '.join(sorted(known))}")
    return {
        group: [row for row in rows if not names or group in names or row.name in names]
        for group, rows in GROUPS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.strength", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("what", nargs="*", help="groups or rows to play; by default all")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--blocks", type=int, help="the maximum number of starts per row; a larger number continues a run"
    )
    parser.add_argument("--results", type=Path, default=Path("build/strength"))
    parser.add_argument("--html", action="store_true", help="write the report of each row beside its results")
    parser.add_argument("--fresh", action="store_true", help="play rows of older code again")
    parser.add_argument("--keep", action="store_true", help="keep the games of older code and go on")
    given = parser.parse_args()
    changed: Changed = "fresh" if given.fresh else "keep" if given.keep else "refuse"
    for group, rows in chosen(given.what).items():
        if rows:
            print(f"\n{group}\n\n{HEAD}", flush=True)
        for row in rows:
            fewer = replace(row, blocks=min(row.blocks, given.blocks or row.blocks))
            print(line(row, play(fewer, given.results, given.processes, given.html, changed)), flush=True)


if __name__ == "__main__":
    main()
