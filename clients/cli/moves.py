"""`pythia moves`: the legal moves of a position."""

from __future__ import annotations

from pythia.clients.cli.console import (
    ANYONE,
    Access,
    AsJson,
    At,
    CommandError,
    OnlyGame,
    Seat,
    Where,
    percent,
    plain_table,
    print_json,
    read_position,
    terminal,
)
from pythia.clients.cli.views import move_groups, moves_in_groups, who
from pythia.core_cy import (
    CHANCE,
    state_from_observation,
)


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

    Where chance decides, list the outcomes and their probabilities.

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
