"""`pythia new`: a position or a board."""

from __future__ import annotations

import json
from typing import Annotated

from cyclopts import Parameter

from pythia.clients.cli.console import (
    CommandError,
    GameName,
    Options,
    OutFile,
    Players,
    bots_from_here,
    not_allowed,
    observation_of,
    position_text,
    read_options,
    refusing,
    write_out,
)
from pythia.core_cy import (
    CHANCE,
    DEFAULT_GAME,
    Random,
    State,
    View,
    load_game,
)
from pythia.core_cy.seeds import seed_of
from pythia.search.bots import BotSpec

NewSeed = Annotated[int | None, Parameter(help="The same seed gives the same position; random by default.")]


def new(
    *,
    game: GameName = DEFAULT_GAME,
    players: Players = None,
    seed: NewSeed = None,
    option: Options = (),
    moves: Annotated[int, Parameter(help="The number of moves to play first.")] = 0,
    bot: Annotated[
        str, Parameter(help="The bot that plays them, such as greedy or ismcts:level=3.")
    ] = "random",
    start: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="Stop before the first roll or draw, for a table with real dice.",
        ),
    ] = False,
    seat: Annotated[int | None, Parameter(help="Write only what this seat sees, counted from 0.")] = None,
    board: Annotated[
        bool,
        Parameter(negative=(), show_default=False, help="Write only the board, for games that have one."),
    ] = False,
    out: OutFile = None,
) -> None:
    """Make a position or a board.

    Dice are rolled and cards drawn until a seat has to decide, so the position
    is ready for `pythia suggest`.

    For example:

        pythia new --players 3 --seed 7 --out start.json
        pythia new --moves 40 --bot greedy --seat 0 | pythia show -
        pythia new --board --seed 7 -o board.json
        pythia new --option board=given --option hexes=@board.json
    """
    values = read_options(option)
    for name, value in (("players", players), ("seed", seed)):
        if name in values:
            raise not_allowed("option", name, f"--{name} for this one")
        if value is not None:
            values[name] = value
    state = load_game(game, **values).new_state()
    if moves < 0:
        raise not_allowed("moves", moves, "0 or more")
    if start and moves:
        raise CommandError("start: cannot be used with --moves; give one of them")
    if not start:
        play_on(state, moves, bot, state.game.options["seed"])
    write_out(new_text(state, seat, board), out)


def new_text(state: State, seat: int | None, board: bool) -> str:
    if not board:
        return position_text(state.to_json() if seat is None else observation_of(state, seat))
    position = state.to_json()
    if seat is not None:
        raise CommandError("seat: cannot be used with --board, which everyone sees; give one of them")
    if "board" not in position:
        raise CommandError(f"board: {state.game.name} has no separate board; leave out --board")
    return json.dumps(position["board"]) + "\n"


def play_on(state: State, moves: int, bot: str, seed: int) -> None:
    """So many moves by the bot, which sees only what each seat sees, and chance until a seat has to decide."""
    bots_from_here()
    with refusing():
        spec = BotSpec.parse(bot)
        # Streams of their own: what was dealt by the seed must not show in what a bot draws by it.
        players = [spec.make(seed_of(seed, "bot", seat)).ready() for seat in range(state.game.players)]
    luck = Random(seed_of(seed, "chance"))
    while not state.is_over and (moves or state.to_act == CHANCE):
        seat = state.to_act
        if seat == CHANCE:
            state.apply(state.sample_chance(luck))
        else:
            state.apply(players[seat].choose(View.of(state, seat)).move)
            moves -= 1
