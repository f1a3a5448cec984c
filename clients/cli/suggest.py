"""`pythia suggest`: a bot's advice on a position."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from pythia.clients.cli.console import (
    ANYONE,
    Access,
    AsJson,
    At,
    DecidingSeat,
    OnlyGame,
    Thinking,
    Where,
    open_client,
    print_json,
    read_position,
    terminal,
)
from pythia.clients.cli.explain import ReasonsLang, chosen_language
from pythia.clients.cli.views import analysis
from pythia.core_cy import View


def suggest(
    where: Where,
    /,
    *,
    lines: Annotated[int, Parameter(help="The number of moves to show, best first.")] = 10,
    consider: Annotated[
        tuple[str, ...],
        Parameter(
            negative=(), show_default=False, help="Choose only among these moves, given by their text."
        ),
    ] = (),
    avoid: Annotated[
        tuple[str, ...], Parameter(negative=(), show_default=False, help="Leave these moves out.")
    ] = (),
    seed: Annotated[int, Parameter(help="With an iteration limit the same seed gives the same answer.")] = 0,
    seat: DecidingSeat = None,
    at: At = None,
    game: OnlyGame = None,
    lang: ReasonsLang = None,
    as_json: AsJson = False,
    thinking: Thinking | None = None,
    access: Access = ANYONE,
) -> None:
    """Suggest a move, and show what a bot thinks of the best moves.

    The bot sees only what the seat to act sees, even if you give a full state.
    On a terminal the table appears at once and improves; Ctrl-C stops the search
    and keeps what was found so far.

    For example:

        pythia suggest start.json --seconds 5 --threads 2
        pythia new --moves 40 | pythia suggest - --level 3 --lines 5
        pythia suggest game.jsonl --at 120 --iterations 2000 --json | jq .move
        pythia suggest seen.json --avoid "die:red draw" --server 127.0.0.1:50051
        pythia suggest seen.json --lang de
    """
    from pythia.clients.cli.live import INTERVAL_SECONDS, watched
    from pythia.service.local import is_short

    spec, language = (thinking or Thinking()).spec(), chosen_language(lang)
    position = read_position(where, at=at, game=game, seat=seat, deciding=True, access=access)
    console = terminal(quiet=as_json)
    seen, interrupted = position.view_of(seat), False
    view = None if as_json else seen if isinstance(seen, View) else View.from_observation(seen)
    with open_client(access) as client:
        if is_short(spec.make(seed)):  # over before there is anything to watch
            result = client.suggest(
                seen, spec, lines=lines, consider=consider, avoid=avoid, seed=seed, language=language
            )
        else:
            updates = client.analyze(
                seen,
                spec,
                lines=lines,
                consider=consider,
                avoid=avoid,
                seed=seed,
                language=language,
                interval=INTERVAL_SECONDS,
            )
            result, interrupted = watched(updates, console, lines, position.json["game"], view)
    if as_json:
        print_json(result.to_json())
    else:
        console.print(
            analysis(result, game=position.json["game"], lines=lines, width=console.width, view=view)
        )
    if interrupted:
        raise KeyboardInterrupt("interrupted; the results so far are above")
