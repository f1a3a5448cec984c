"""`pythia learn`: weights of a game's judgement and policy from its own games."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pythia.arena.learning.page import run_page
from pythia.arena.learning.run import Arena, LearningProgress, LearnSpec, Verdict, install, learn
from pythia.clients.cli.console import AsJson, GameName, not_allowed, terminable
from pythia.clients.cli.tournament import Executor, Processes, write_text
from pythia.core_cy.registry import game_info


def learn_game(
    game: GameName,
    /,
    *,
    folder: Annotated[
        Path | None,
        Parameter(help="The folder of the run; by default learn-GAME. The same folder resumes the run."),
    ] = None,
    generations: Annotated[int, Parameter(help="The number of times to play, fit and gate.")] = 3,
    games: Annotated[int, Parameter(help="The number of games of self-play per generation.")] = 200,
    players: Annotated[
        str, Parameter(help="The numbers of players to alternate between, such as 2,3,4.")
    ] = "2",
    seed: Annotated[int, Parameter(help="The same seed learns the same weights.")] = 1,
    play: Annotated[int, Parameter(help="Search iterations per move of self-play.")] = 48,
    shallow: Annotated[int, Parameter(help="Iterations of the shallow search.")] = 100,
    deep: Annotated[int, Parameter(help="Iterations of the deep search, which teaches the priors.")] = 1000,
    ways: Annotated[int, Parameter(help="Playouts from each position, which teach the evaluation.")] = 32,
    results: Annotated[
        int, Parameter(help="Games of the policy whose results a first network learns from.")
    ] = 180_000,
    searched: Annotated[
        int,
        Parameter(help="Games of the policy per generation with positions searched for that network."),
    ] = 8_000,
    gate_bot: Annotated[str, Parameter(help="The bot that plays at the gate.")] = "ismcts",
    gate_iterations: Annotated[int, Parameter(help="The iterations of that bot.")] = 200,
    gate_blocks: Annotated[
        int, Parameter(help="The maximum number of starts of a gate; each is played from both sides.")
    ] = 200,
    gate_elo: Annotated[float, Parameter(help="The Elo gain that the gate tests for.")] = 40.0,
    encoding: Annotated[
        bool,
        Parameter(
            help="Learn a model of the game's encoding, which needs no features, into FOLDER/model.npz.",
            negative=(),
            show_default=False,
        ),
    ] = False,
    processes: Processes = None,
    executor: Executor = "processes",
    use: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="Make the game play with the best weights of the run, without learning more.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn the weights of a game's evaluation and policy from self-play.

    Each generation plays games, fits weights, and keeps those that beat the old
    ones. You can interrupt it at any time; the same command resumes. The game does
    not change until `--use`.

    For example:

        pythia learn keltis --games 100 --generations 2
        pythia learn keltis --use
        pythia learn keltis --encoding --folder plain
    """
    place = folder or Path(f"learn-{game}")
    if use:
        print(f"{install(place / 'weights.json', game)}: written")
        return
    spec = LearnSpec(
        game,
        seed,
        generations,
        games,
        player_counts(players, game),
        play,
        shallow,
        deep,
        ways,
        results,
        searched,
        gate_bot,
        gate_iterations,
        gate_blocks,
        gate_elo,
        encoding,
    )
    try:
        with terminable():
            verdicts = learn(spec, place, Arena(processes, executor, None if as_json else Teller().show))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; run the same command to resume") from None
    write_text(place / "page.html", run_page(place, verdicts))
    if as_json:
        print(json.dumps([asdict(verdict) for verdict in verdicts], indent=2))
        return
    for verdict in verdicts:
        print(line_of(verdict))
    print(f"{place / 'page.html'}: the whole run")


def player_counts(text: str, game: str) -> tuple[int, ...]:
    info = game_info(game)
    allowed = [str(count) for count in range(info.min_players, info.max_players + 1)]
    if not all(count in allowed for count in text.split(",")):
        raise not_allowed("players", text, f"one or more of {', '.join(allowed)}, separated by commas")
    return tuple(int(count) for count in text.split(","))


class Teller:
    """Says how far a run is, each time that this has changed."""

    def __init__(self) -> None:
        self._told: LearningProgress | None = None

    def show(self, told: LearningProgress) -> None:
        if told != self._told:
            self._told = told
            tell(told)


def tell(told: LearningProgress) -> None:
    print(
        f"generation {told.generation}, {told.step}: {told.done} of {told.planned}",
        file=sys.stderr,
        flush=True,
    )


def line_of(verdict: Verdict) -> str:
    said = "passed" if verdict.passed else f"not passed ({verdict.verdict})"
    return (
        f"generation {verdict.generation}, {verdict.part}: {said}, {100 * verdict.win_rate:.1f} % "
        f"({100 * verdict.low:.1f} to {100 * verdict.high:.1f}) of {verdict.games} games"
    )
