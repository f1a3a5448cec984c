"""Commands about positions: `games`, `new`, `record`, `show`, `moves` and `suggest`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from pythia.clients.console import (
    ANYONE,
    Access,
    AsJson,
    At,
    CommandError,
    Connection,
    GameName,
    OnlyGame,
    Options,
    OutFile,
    Players,
    Seat,
    Thinking,
    Where,
    not_allowed,
    observation_of,
    open_client,
    percent,
    plain_table,
    position_text,
    print_json,
    read_options,
    read_position,
    refusing,
    terminal,
    write_out,
)
from pythia.clients.views import analysis, move_groups, moves_in_groups, who
from pythia.core_cy import (
    CHANCE,
    DEFAULT_GAME,
    Random,
    State,
    load_game,
    players_or_fewest,
    state_from_observation,
)
from pythia.search.bots import BotSpec
from pythia.search.luck import seed_of

NewSeed = Annotated[int | None, Parameter(help="The same seed gives the same; drawn when absent.")]


def games(*, as_json: AsJson = False, connection: Connection | None = None) -> None:
    """List the games with their options.

    For example:

        pythia games
        pythia games --json | jq '.[].name'
        pythia games --server 127.0.0.1:50051
    """
    with open_client(connection) as client:
        found = client.games()
    if as_json:
        print_json([asdict(game) for game in found])
        return
    console = terminal()
    for game in found:
        table = Table("option", "default", "allowed", "meaning", title_justify="left")
        table.title = f"{game.name}: {game.title}, {game.min_players} to {game.max_players} players"
        for option in game.options:
            table.add_row(option.name, json.dumps(option.default), option.allowed, option.help)
        console.print(table)


def new(
    *,
    game: GameName = DEFAULT_GAME,
    players: Players = None,
    seed: NewSeed = None,
    option: Options = (),
    moves: Annotated[int, Parameter(help="Play so many moves first.")] = 0,
    bot: Annotated[str, Parameter(help="Who plays them, such as greedy or ismcts:level=3.")] = "random",
    start: Annotated[
        bool,
        Parameter(
            negative=(), show_default=False, help="Before the first roll or draw, for a table with real dice."
        ),
    ] = False,
    seat: Annotated[int | None, Parameter(help="Only what this seat sees, counted from 0.")] = None,
    board: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Only the board, for games that have one.")
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
        raise CommandError("start: not together with --moves; give one of them")
    if not start:
        play_on(state, moves, bot, state.game.options["seed"])
    write_out(new_text(state, seat, board), out)


def new_text(state: State, seat: int | None, board: bool) -> str:
    if not board:
        return position_text(state.to_json() if seat is None else observation_of(state, seat))
    position = state.to_json()
    if seat is not None:
        raise CommandError("seat: not together with --board, which everyone sees; give one of them")
    if "board" not in position:
        raise CommandError(f"board: {state.game.name} has none of its own; leave --board out")
    return json.dumps(position["board"]) + "\n"


def play_on(state: State, moves: int, bot: str, seed: int) -> None:
    """So many moves by the bot, which sees only what each seat sees, and chance until a seat has to decide."""
    with refusing():
        spec = BotSpec.parse(bot)
    # Streams of their own: what was dealt by the seed must not show in what a bot draws by it.
    players = [spec.make(seed_of(seed, "bot", seat)) for seat in range(state.game.players)]
    luck = Random(seed_of(seed, "chance"))
    while not state.is_over and (moves or state.to_act == CHANCE):
        seat = state.to_act
        if seat == CHANCE:
            state.apply(state.sample_chance(luck))
        else:
            state.apply(players[seat].choose(state.observation(seat)).move)
            moves -= 1


def record(
    *,
    game: GameName = DEFAULT_GAME,
    players: Players = None,
    seed: Annotated[int, Parameter(help="The same seed plays the same game.")] = 7,
) -> None:
    """Print a game of random moves as a record.

    For example:

        pythia record --players 4 > game.jsonl
        pythia record | pythia replay
    """
    from pythia.clients.demo import random_record

    random_record(game, players_or_fewest(game, players), seed).write(sys.stdout)


def show(
    where: Where,
    /,
    *,
    svg: Annotated[
        Path | None,
        Parameter(
            allow_leading_hyphen=True, help="Write a picture to this file (SVG); - for standard output."
        ),
    ] = None,
    png: Annotated[
        Path | None,
        Parameter(
            allow_leading_hyphen=True, help="Write a picture to this file (PNG); - for standard output."
        ),
    ] = None,
    width: Annotated[int | None, Parameter(help="Width of the PNG in pixels.")] = None,
    move: Annotated[str | None, Parameter(help="Mark this move in the picture.")] = None,
    seat: Seat = None,
    at: At = None,
    game: OnlyGame = None,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Show a position as text, SVG or PNG.

    For example:

        pythia show start.json
        pythia show game.jsonl --at 120 --svg board.svg
        pythia new --moves 30 | pythia show - --seat 1 --png board.png --width 1600
        pythia show game.jsonl --at 120 --seat 0 --json > seen.json
    """
    from pythia.core_cy.picture import svg_of, text_of

    position = read_position(where, at=at, game=game, seat=seat, access=access)
    shown = position.json if seat is None else position.seen_by(seat)
    if width is not None and png is None:
        raise CommandError("width: only with --png; an SVG has every size")
    if svg is not None or png is not None:
        picture = svg_of(shown, move=move)
        if svg is not None:
            write_out(picture, svg, "svg")
        if png is not None:
            from pythia.clients.png import png_of

            write_out(png_of(picture, width=width), png, "png")
    elif move is not None:
        raise CommandError("move: can be marked in a picture only; give --svg or --png")
    elif as_json:
        sys.stdout.write(position_text(shown))
    else:
        sys.stdout.write(text_of(shown))


def moves(
    where: Where,
    /,
    *,
    at: At = None,
    game: OnlyGame = None,
    as_json: AsJson = False,
    seat: Seat = None,
    access: Access = ANYONE,
) -> None:
    """List the legal moves of a position.

    Where chance decides, the outcomes with their probabilities.

    For example:

        pythia moves start.json
        pythia new --seed 7 | pythia moves - --json | jq '.moves[].text'
        pythia moves game.jsonl --at 120
    """
    position = read_position(where, at=at, game=game, seat=seat, deciding=True, access=access)
    state = position.state
    if state is None:
        state = state_from_observation(position.seen_by(seat), 0)
        if state.to_act != position.json["observer"] and not state.is_over:
            raise CommandError(
                f"position: {who(state.to_act)} is to act, and seat {position.json['observer']}, whose observation "
                "this is, does not know all of its moves; give the full state"
            )
    outcomes = state.chance_outcomes() if state.to_act == CHANCE else []
    found = [move for move, _ in outcomes] or ([] if state.is_over else state.legal_moves())
    if as_json:
        listed = [state.game.move_fields(move) for move in found]
        for fields, (_, probability) in zip(listed, outcomes, strict=False):
            fields["probability"] = probability
        print_json({"to_act": state.to_act, "count": len(found), "moves": listed})
        return
    console = terminal()
    if state.is_over:
        console.print("the game is over: no moves")
    elif outcomes:
        table = plain_table("outcome", "probability")
        for move, probability in outcomes:
            table.add_row(str(move), percent(probability))
        console.print(table)
    else:
        for part in moves_in_groups(move_groups(state.game, found)):
            console.print(part)
    if found:
        console.print(f"{len(found)} {'outcomes' if outcomes else 'moves'}, {who(state.to_act)} to act")


def suggest(
    where: Where,
    /,
    *,
    lines: Annotated[int, Parameter(help="Tell of so many moves, best first.")] = 10,
    consider: Annotated[
        tuple[str, ...],
        Parameter(negative=(), show_default=False, help="Choose among these moves only, by their text."),
    ] = (),
    avoid: Annotated[
        tuple[str, ...], Parameter(negative=(), show_default=False, help="Leave these moves out.")
    ] = (),
    seed: Annotated[int, Parameter(help="With an iteration limit the same seed gives the same answer.")] = 0,
    seat: Seat = None,
    at: At = None,
    game: OnlyGame = None,
    as_json: AsJson = False,
    thinking: Thinking | None = None,
    access: Access = ANYONE,
) -> None:
    """Say what a bot would play, and what it thinks of the moves.

    The bot gets what the seat to act sees and nothing else, also when a full
    state is given. On a terminal the table is there at once and grows better;
    Ctrl-C ends the search with what is known so far.

    For example:

        pythia suggest start.json --seconds 5 --threads 2
        pythia new --moves 40 | pythia suggest - --level 3 --lines 5
        pythia suggest game.jsonl --at 120 --iterations 2000 --json | jq .move
        pythia suggest seen.json --avoid "die:red draw" --server 127.0.0.1:50051
    """
    from pythia.clients.live import INTERVAL_SECONDS, watched

    spec = (thinking or Thinking()).spec()
    position = read_position(where, at=at, game=game, seat=seat, deciding=True, access=access)
    console = terminal(quiet=as_json)
    with open_client(access) as client:
        updates = client.analyze(
            position.seen_by(seat),
            spec,
            lines=lines,
            consider=consider,
            avoid=avoid,
            seed=seed,
            interval=INTERVAL_SECONDS,
        )
        result, interrupted = watched(updates, console, lines)
    if as_json:
        print_json(result.to_json())
    else:
        console.print(analysis(result, lines=lines, width=console.width))
    if interrupted:
        raise KeyboardInterrupt("interrupted; what was found so far is above")
