"""`pythia match`: whole games with the service as referee, on a server or in a file of this machine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from pythia.arena.review import DEFAULT_JUDGE, Decision, LuckyEvent, Review
from pythia.clients.cli.console import (
    ANYONE,
    Access,
    AsJson,
    CommandError,
    GameName,
    Json,
    Options,
    OutFile,
    ProgressLine,
    ServerOptions,
    Thinking,
    forget_tokens,
    keep_token,
    keep_tokens,
    open_client,
    percent,
    person_to_act,
    plain_table,
    print_json,
    read_options,
    read_record,
    refusing,
    terminal,
    write_out,
)
from pythia.clients.cli.explain import ReasonsLang, chosen_language
from pythia.clients.cli.review import LINES, InOrder, Lines, Plot, Seats, Seed, check_told, tell
from pythia.clients.cli.views import analysis, move_groups, moves_in_groups, who
from pythia.clients.client import Client
from pythia.clients.types import (
    Autoplay,
    CreatedMatch,
    Match,
    MatchEvent,
    MatchMoves,
    MatchSummary,
    Played,
    Seat,
    Status,
    Watching,
)
from pythia.core_cy import CHANCE, DEFAULT_GAME, View, game_info
from pythia.core_cy.picture import text_of
from pythia.search.bots import BotSpec

PERSON = "person"
RESIGNATION = "resignation"

app = cyclopts.App(
    name="match",
    group_commands="Commands",
    help="""Create, play and watch matches.

Matches live on the server that --server names, or without one in the file
of --store. A match has a token for every seat that a person plays, and one
for its owner. `create` and `import` print them once and keep them for you, so
that the other commands find them; elsewhere give --seat-token, or set
PYTHIA_SEAT_TOKEN.

For example:

    pythia match create person ismcts:level=3
    pythia match list
""",
)

MatchId = Annotated[str, Parameter(help="The id of the match, which `create` prints.")]
Player = Annotated[
    str,
    Parameter(
        help="Who plays each seat: `person`, or a bot such as greedy or ismcts:level=3; with a name as NAME=person. "
        "By default a person against ismcts.",
    ),
]
TheSeat = Annotated[
    int | None,
    Parameter(help="As this seat, counted from 0; by default as that of --seat-token, or as a spectator."),
]
Keep = Annotated[
    bool,
    Parameter(name="--keep", negative="--no-keep", help="Keep the tokens for later commands of this user."),
]
RealDice = Annotated[
    bool,
    Parameter(negative=(), show_default=False, help="Dice and cards are real, and reported with `submit`."),
]
Public = Annotated[
    bool,
    Parameter(negative=(), show_default=False, help="Every client of the server may look at the match."),
]


# -- making and finding


@app.command
def create(
    *seats: Player,
    game: GameName = DEFAULT_GAME,
    option: Options = (),
    seed: Annotated[
        int | None,
        Parameter(help="A number that goes into what is dealt, beside a secret of the server."),
    ] = None,
    reproducible: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="The same --seed deals and draws the same; anyone who knows it knows what is hidden.",
        ),
    ] = False,
    real_dice: RealDice = False,
    public: Public = False,
    blind_owner: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="Nobody can export the match before it is over, and each player takes a seat with `rotate`.",
        ),
    ] = False,
    autoplay: Annotated[
        bool,
        Parameter(negative=(), show_default=False, help="The server plays the bots, without `bot-turn`."),
    ] = False,
    pace: Annotated[
        float | None, Parameter(help="With --autoplay: the seconds between two moves of bots, 0 to 60.")
    ] = None,
    hints: Annotated[
        bool,
        Parameter(
            negative=(), show_default=False, help="Players may ask for hints although other people play."
        ),
    ] = False,
    keep: Keep = True,
    as_json: AsJson = False,
    connection: ServerOptions | None = None,
) -> None:
    """Create a match, and print its id and its tokens.

    For example:

        pythia match create
        pythia match create Ada=person Bo=person ismcts:level=5
        pythia match create greedy greedy --seed 7 --reproducible --json
        pythia match create person person --blind-owner --server 127.0.0.1:50051
        pythia match create greedy greedy --autoplay --server 127.0.0.1:50051
    """
    if autoplay and (connection is None or connection.server is None):
        raise CommandError(
            "autoplay: needs a server, which goes on after this command; give --server HOST:PORT, or let the bots "
            "play with `pythia match bot-turn ID --all`"
        )
    if pace is not None and not autoplay:
        raise CommandError("pace: needs --autoplay")
    players = [seat_of(text) for text in seats] or default_seats(game)
    with open_client(connection, matches=True) as client:
        created = client.create_match(
            game,
            players,
            options=read_options(option),
            seed=seed,
            reproducible=reproducible,
            real_dice=real_dice,
            public=public,
            blind_owner=blind_owner,
            autoplay=Autoplay(seconds_per_move=pace or 0.0) if autoplay else False,
            hints=hints,
        )
    tell_created(created, keep, as_json)


def default_seats(game: str) -> list[Seat]:
    """A person against bots."""
    bots = [Seat(bot=BotSpec("ismcts"))] * (game_info(game).min_players - 1)
    return [Seat(), *bots]


def seat_of(text: str) -> Seat:
    """From [NAME=]person or [NAME=]BOT, where BOT may have = in it after a colon."""
    before, equals, after = text.partition("=")
    name, player = (before, after) if equals and ":" not in before else ("", text)
    if player == PERSON:
        return Seat(name)
    with refusing():
        return Seat(name, BotSpec.parse(player))


def tell_created(created: CreatedMatch, keep: bool, as_json: bool) -> None:
    match = created.match
    kept = keep_tokens(match.id, created.seat_tokens, created.owner_token) if keep else None
    if as_json:
        tokens = {"seat_tokens": list(created.seat_tokens), "owner_token": created.owner_token}
        print_json(match_json(match) | tokens)
        return
    console = terminal()
    console.print(f"match {match.id}")
    table = plain_table("", "who", "token", left=2)
    for number, (seat, token) in enumerate(zip(match.seats, created.seat_tokens, strict=True)):
        table.add_row(who(number), player_of(number, seat), token)
    table.add_row("owner", "", created.owner_token)
    console.print(table)
    console.print(
        f"The tokens are kept in {kept}" if kept else "The tokens are not shown again.", soft_wrap=True
    )


@app.command(name="list")
def list_(
    *,
    status: Annotated[
        Status | None, Parameter(help="Only those that go on, or only those that are over.")
    ] = None,
    game: Annotated[str | None, Parameter(help="Only those of this game.")] = None,
    most: Annotated[int, Parameter(help="The most matches to list.")] = 50,
    as_json: AsJson = False,
    connection: ServerOptions | None = None,
) -> None:
    """List matches, newest first.

    For example:

        pythia match list --status active
        pythia match list --server 127.0.0.1:50051 --json | jq -r '.[].id'
    """
    with open_client(connection, matches=True) as client:
        found = [match for match, _ in zip(client.matches(status, game), range(most), strict=False)]
    if as_json:
        print_json([summary_json(match) for match in found])
        return
    table = plain_table("id", "game", "status", "made", "seats", "moves", left=4)
    for match in found:
        seats = ", ".join(player_of(number, seat) for number, seat in enumerate(match.seats))
        table.add_row(match.id, match.game, match.status, when(match.created), seats, str(match.version))
    terminal().print(table if found else "no matches")


@app.command
def show(
    match_id: MatchId,
    /,
    *,
    seat: TheSeat = None,
    version: Annotated[
        int | None, Parameter(help="The board after this many moves and outcomes; by default as it is now.")
    ] = None,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Show the status of a match, and the board.

    For example:

        pythia match show ID
        pythia match show ID --seat 0
        pythia match show ID --version 12
    """
    with open_client(access, matches=True) as client:
        match = client.match(match_id, access.owner(match_id))
        token = access.seat(match_id, seat)
        seen = client.observe(match_id, seat=seat, token=token, version=version).observation
    if as_json:
        print_json(match_json(match) | {"observation": seen})
        return
    console = terminal()
    console.print(f"match {match.id}, made {when(match.created)}, {match.version} moves and outcomes")
    for number, player in enumerate(match.seats):
        console.print(f"{who(number)}: {player_of(number, player)}")
    console.print(state_of(match))
    for line in openness(match):
        console.print(line, soft_wrap=True)
    if match.scores:
        totals = ", ".join(f"{who(number)} {score.total:g}" for number, score in enumerate(match.scores))
        console.print(f"score: {totals}")
    if match.autoplay is not None and not match.is_over:
        console.print(pace_of(match.autoplay))
    if version is not None:
        console.print(f"the board after {version} moves and outcomes:")
    console.print()
    console.print(text_of(seen).rstrip("\n"), soft_wrap=True)


# -- playing

ActingSeat = Annotated[int | None, Parameter(help="For this seat; by default for the one that decides.")]
OwnSeat = Annotated[
    int | None, Parameter(help="For this seat; by default for the only one that a person plays.")
]


@app.command
def moves(
    match_id: MatchId,
    /,
    *,
    seat: ActingSeat = None,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """List the legal moves of the seat to act.

    With real dice also the outcomes of chance.

    For example:

        pythia match moves ID
        pythia match moves ID --json | jq -r '.moves[]'
    """
    with open_client(access, matches=True) as client:
        match = client.match(match_id, access.owner(match_id))
        token = acting_token(match, seat, access)
        found = client.match_moves(match_id, token)
        groups = {} if found.to_act < 0 else groups_of(client, match_id, found, token)
    if as_json:
        print_json(asdict(found))
        return
    console = terminal()
    if found.to_act == CHANCE:
        table = plain_table("outcome", "probability")
        for text, probability in zip(found.moves, found.probabilities, strict=True):
            table.add_row(text, percent(probability))
        console.print(table)
    else:
        for part in moves_in_groups(groups):
            console.print(part)
    console.print(
        f"{len(found.moves)} {'outcomes' if found.to_act == CHANCE else 'moves'}; {state_of(match)}"
    )


def groups_of(client: Client, match_id: str, found: MatchMoves, token: str | None) -> dict[str, list[str]]:
    view = View.from_observation(client.observe(match_id, found.to_act, token).observation)
    return move_groups(view.game, (view.parse_move(text) for text in found.moves))


@app.command
def submit(
    match_id: MatchId,
    move: Annotated[str, Parameter(help="The text of the move in quotes, or with real dice of the outcome.")],
    /,
    *,
    seat: ActingSeat = None,
    expect: Annotated[int | None, Parameter(help="Refuse if the match has another number of events.")] = None,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Play a move, or with real dice report what they show.

    For example:

        pythia match submit ID "die:red sail -3,2"
        pythia match submit ID "battle 7" --json
    """
    with open_client(access, matches=True) as client:
        token = acting_token(client.match(match_id, access.owner(match_id)), seat, access)
        tell_played([client.submit_move(match_id, move, token, expected_version=expect)], as_json)


@app.command
def bot_turn(
    match_id: MatchId,
    /,
    *,
    on: Annotated[
        bool,
        Parameter(
            name="--all",
            negative=(),
            show_default=False,
            help="Go on until a person or chance decides, or the end.",
        ),
    ] = False,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Let the bot to act play its turn.

    For example:

        pythia match bot-turn ID
        pythia match bot-turn ID --all --json
    """
    with open_client(access, matches=True) as client:
        token = access.owner(match_id)
        tell_played(bot_turns(client, match_id, token, on), as_json)


def bot_turns(client: Client, match_id: str, token: str | None, on: bool) -> Iterator[Played]:
    """The moves of one turn, or of all until somebody else is needed."""
    while True:
        with client.stream_bot_turn(match_id, token) as turn:
            for played in turn:
                yield played
        match = played.match
        if not on or match.to_act < 0 or match.seats[match.to_act].bot is None:
            return


@app.command
def watch(
    match_id: MatchId,
    /,
    *others: Annotated[str, Parameter(help="Further matches, at most 100 in all.")],
    seat: TheSeat = None,
    after: Annotated[int, Parameter(help="Only events after this version; for one match.")] = 0,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Follow matches until they are over: print their past moves, then each new one.

    With --json a line for each event.

    For example:

        pythia match watch ID
        pythia match watch ID --seat 0 --json
        pythia match watch ID ID2 ID3
    """
    with open_client(access, matches=True) as client:
        if others:
            if after:
                raise CommandError("after: is for one match; each of several has versions of its own")
            watch_all(client, (match_id, *others), seat, access, as_json)
            return
        token = access.seat(match_id, seat)
        with client.watch(match_id, seat, token, after_version=after) as events:
            for event in events:
                print(json.dumps(event_json(event)) if as_json else event_line(event), flush=True)


def watch_all(client: Client, ids: Sequence[str], seat: int | None, access: Access, as_json: bool) -> None:
    matches = [Watching(match_id, seat, access.seat(match_id, seat) or "") for match_id in ids]
    with client.watch_many(matches) as stream:
        for told in stream:
            if as_json:
                event = event_json(told.event) if told.event else None
                print(
                    json.dumps({"match_id": told.match_id, "event": event, "ended": told.ended}), flush=True
                )
            else:
                line = event_line(told.event) if told.event else told.ended
                print(f"{told.match_id}  {line}", flush=True)


@app.command
def pause(
    match_id: MatchId,
    /,
    *,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Pause autoplay: the server stops playing the bots of a match. For its owner.

    For example:

        pythia match pause ID --server 127.0.0.1:50051
    """
    with open_client(access, matches=True) as client:
        tell_match(client.pause_match(match_id, access.owner(match_id) or ""), as_json)


@app.command
def resume(
    match_id: MatchId,
    /,
    *,
    pace: Annotated[
        float | None, Parameter(help="The seconds between two moves of bots, 0 to 60; by default as before.")
    ] = None,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Resume autoplay: the server plays the bots of a match again. For its owner.

    For example:

        pythia match resume ID --pace 0.5 --server 127.0.0.1:50051
    """
    with open_client(access, matches=True) as client:
        token = access.owner(match_id) or ""
        tell_match(client.resume_match(match_id, token, seconds_per_move=pace), as_json)


@app.command
def hint(
    match_id: MatchId,
    /,
    *,
    lines: Annotated[int, Parameter(help="The number of moves to show, best first.")] = 10,
    seed: Annotated[int, Parameter(help="With an iteration limit the same seed gives the same answer.")] = 0,
    seat: ActingSeat = None,
    lang: ReasonsLang = None,
    as_json: AsJson = False,
    thinking: Thinking | None = None,
    access: Access = ANYONE,
) -> None:
    """Say what a bot would play in your place.

    Refused while other people play, unless the match was created with --hints.

    For example:

        pythia match hint ID
        pythia match hint ID --seconds 5 --lines 3
    """
    from pythia.clients.cli.live import INTERVAL_SECONDS, watched

    spec, language = (thinking or Thinking()).spec(), chosen_language(lang)
    console = terminal(quiet=as_json)
    with open_client(access, matches=True) as client:
        match = client.match(match_id, access.owner(match_id))
        token = acting_token(match, seat, access) or ""
        updates = client.hint(
            match_id, token, spec, lines=lines, seed=seed, language=language, interval=INTERVAL_SECONDS
        )
        result, interrupted = watched(updates, console, lines, match.game)
        seen = client.observe(match_id, match.to_act, token, version=match.version).observation
    if as_json:
        print_json(result.to_json())
    else:
        view = View.from_observation(seen)
        console.print(analysis(result, game=match.game, lines=lines, width=console.width, view=view))
    if interrupted:
        raise KeyboardInterrupt("interrupted; what was found so far is above")


@app.command
def undo(
    match_id: MatchId,
    /,
    *,
    seat: OwnSeat = None,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """Take back the last move, if it revealed nothing and nothing was drawn since.

    For example:

        pythia match undo ID
    """
    with open_client(access, matches=True) as client:
        token = own_token(client.match(match_id, access.owner(match_id)), seat, access)
        tell_match(client.undo(match_id, token), as_json)


@app.command
def resign(
    match_id: MatchId,
    /,
    *,
    seat: OwnSeat = None,
    as_json: AsJson = False,
    access: Access = ANYONE,
) -> None:
    """End a match: the seat loses, the others share the win.

    For example:

        pythia match resign ID --seat 0
    """
    with open_client(access, matches=True) as client:
        token = own_token(client.match(match_id, access.owner(match_id)), seat, access)
        tell_match(client.resign(match_id, token), as_json)


# -- keeping


@app.command
def export(
    match_id: MatchId,
    /,
    *,
    out: OutFile = None,
    access: Access = ANYONE,
) -> None:
    """Write the record of a match.

    Until the match is over, only its owner may export it, because it
    reveals everything.

    For example:

        pythia match export ID -o game.jsonl
        pythia match export ID | pythia replay
    """
    with open_client(access, matches=True) as client:
        record = client.export_record(match_id, access.owner(match_id))
    write_out(record.text, out)


@app.command
def review(
    match_id: MatchId,
    /,
    *,
    seat: Seats = (),
    in_order: InOrder = False,
    lines: Lines = LINES,
    plot: Plot = None,
    seed: Seed = 0,
    lang: ReasonsLang = None,
    as_json: AsJson = False,
    thinking: Thinking | None = None,
    access: Access = ANYONE,
) -> None:
    """Review a match that is over: what decisions cost, and who was lucky.

    As `pythia review` does with a record.

    For example:

        pythia match review ID
        pythia match review ID --seat 0 --plot review.html
    """
    check_told(lines, plot)
    language = chosen_language(lang)
    spec = thinking.spec() if thinking else BotSpec.parse(DEFAULT_JUDGE)
    decisions: list[Decision] = []
    luck: list[LuckyEvent] = []
    done = total = 0
    interrupted = False
    with open_client(access, matches=True) as client:
        token = access.owner(match_id)
        match = client.match(match_id, token)
        with (
            ProgressLine(match.version, "moves") as progress,
            client.review_match(match_id, token, spec, seats=seat, seed=seed, language=language) as parts,
        ):
            try:
                for part in parts:
                    done, total = part.done, part.total
                    progress.tell(done)
                    if isinstance(part.found, Decision):
                        decisions.append(part.found)
                    elif isinstance(part.found, LuckyEvent):
                        luck.append(part.found)
            except KeyboardInterrupt:
                interrupted = True
    played_out = match.result is not None and match.result.reason != RESIGNATION
    found = Review(
        game=match.game,
        names=[player.name for player in match.seats],
        seats=list(seat) or list(range(len(match.seats))),
        bot=str(spec),
        seed=seed,
        decisions=decisions,
        luck=luck,
        returns=list(match.result.returns) if match.result and played_out else None,
        moves=total,
        reviewed=done,
    )
    tell(found, interrupted, in_order, lines, plot, as_json)


@app.command(name="import")
def import_(
    file: Annotated[str, Parameter(allow_leading_hyphen=True, help="A record; - for standard input.")],
    /,
    *seats: Annotated[
        str, Parameter(help="Who plays on, as in `create`; by default people with the names of the record.")
    ],
    real_dice: RealDice = False,
    public: Public = False,
    keep: Keep = True,
    as_json: AsJson = False,
    connection: ServerOptions | None = None,
) -> None:
    """Create a match from a record; an unfinished one can be continued.

    For example:

        pythia match import game.jsonl person greedy
    """
    record = read_record(file, unfinished=True)
    with open_client(connection, matches=True) as client:
        created = client.import_record(
            record, [seat_of(text) for text in seats], real_dice=real_dice, public=public
        )
    tell_created(created, keep, as_json)


@app.command
def delete(
    match_id: MatchId,
    /,
    *,
    access: Access = ANYONE,
) -> None:
    """Delete a match and all its moves. For its owner.

    For example:

        pythia match delete ID
    """
    with open_client(access, matches=True) as client:
        client.delete_match(match_id, access.owner(match_id) or "")
    forget_tokens(match_id)
    print(f"match {match_id} is deleted")


@app.command
def rotate(
    match_id: MatchId,
    /,
    *,
    seat: Annotated[
        int | None, Parameter(help="The token of this seat; by default that of the owner.")
    ] = None,
    access: Access = ANYONE,
) -> None:
    """Replace a token with a new one; print it and save it.

    The old one is refused from then on, whoever else knows it. With
    --seat-token the token that you were given is replaced.

    For example:

        pythia match rotate ID --seat 0
        pythia match rotate ID --seat 1 --seat-token TOKEN
    """
    old = access.owner(match_id) if seat is None else access.seat(match_id, seat)
    with open_client(access, matches=True) as client:
        token = client.rotate_token(match_id, old or "")
    keep_token(match_id, seat, token)
    print(token)


# -- tokens


def acting_token(match: Match, seat: int | None, access: Access) -> str | None:
    """To decide what comes next; where chance does, the owner reports it."""
    if seat is None and match.to_act >= 0:
        seat = person_to_act(match)
    return access.owner(match.id) if seat is None else access.seat(match.id, seat)


def own_token(match: Match, seat: int | None, access: Access) -> str:
    people = [number for number, player in enumerate(match.seats) if player.bot is None]
    if access.seat_token is None and seat is None:
        if len(people) != 1:
            raise CommandError(
                f"seat: say which with --seat; people play: {', '.join(map(str, people)) or 'none'}"
            )
        seat = people[0]
    return access.seat(match.id, seat) or ""


# -- for people and programs


def tell_played(played: Iterable[Played], as_json: bool) -> None:
    """The events as they come, then how the match stands. Also after Ctrl-C with --json, as what is played stays."""
    events: list[MatchEvent] = []
    last: Match | None = None
    try:
        for step in played:
            events += step.events
            last = step.match
            if not as_json:
                for event in step.events:
                    print(event_line(event), flush=True)
    finally:
        if last is not None and as_json:
            print_json({"events": [event_json(event) for event in events], "match": match_json(last)})
    if last is not None and not as_json:
        print(state_of(last))


def tell_match(match: Match, as_json: bool) -> None:
    if as_json:
        print_json(match_json(match))
    else:
        print(state_of(match))


def state_of(match: Match) -> str:
    if match.result is not None:
        winners = " and ".join(who(seat) for seat in match.result.winners) or "nobody"
        return f"over ({match.result.reason}): won by {winners}"
    if match.to_act == CHANCE:
        return "chance decides; report it with `pythia match submit`"
    return f"{who(match.to_act)} decides: {player_of(match.to_act, match.seats[match.to_act])}"


def pace_of(autoplay: Autoplay) -> str:
    """How the server plays the bots, in words."""
    if autoplay.paused:
        return "autoplay is paused; `pythia match resume` continues it"
    pause = f", {autoplay.seconds_per_move:g} seconds apart" if autoplay.seconds_per_move else ""
    return f"autoplay: the server plays the bots{pause}"


def openness(match: Match) -> Iterator[str]:
    """What players should know about who may see what is hidden."""
    if match.reproducible:
        yield "reproducible: anyone who knows the seed knows what is hidden"
    if match.imported:
        yield "imported: the person who imported it knows the record"
    if match.is_over or sum(seat.bot is None for seat in match.seats) < 2:
        return
    if match.owner.exports_unfinished:
        yield "the owner can export the record, which reveals everything, at any time"
    if match.owner.seats:
        yield f"the owner was given the tokens of: {', '.join(map(who, match.owner.seats))}"


def event_line(event: MatchEvent) -> str:
    what = {"move": event.move or "(hidden)", "undone": "took the last move back", "resigned": "resigned"}
    return f"{event.version:>5}  {who(event.by):<7} {what[event.kind]}"


def player_of(number: int, seat: Seat) -> str:
    kind = str(seat.bot or PERSON)
    return kind if seat.name in ("", who(number)) else f"{seat.name} ({kind})"


def when(time: datetime) -> str:
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


def summary_json(match: MatchSummary) -> Json:
    """As plain JSON: bots by their text, times in ISO 8601."""
    obj = {field.name: getattr(match, field.name) for field in fields(match)}
    obj["seats"] = [{"name": seat.name, "bot": str(seat.bot) if seat.bot else None} for seat in match.seats]
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in obj.items()}


def match_json(match: Match) -> Json:
    return summary_json(match) | {
        "result": asdict(match.result) if match.result else None,
        "owner": asdict(match.owner),
        "scores": [asdict(score) for score in match.scores],
        "autoplay": asdict(match.autoplay) if match.autoplay else None,
    }


def event_json(event: MatchEvent) -> Json:
    return asdict(event) | {"time": event.time.isoformat()}
