"""Every call of the client, once: what it sends, what the answer means, and whether it may be sent again.

`Client` and `AsyncClient` make their methods of these functions; what is documented here is what their users read.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from copy import deepcopy
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any, Generic, Literal, TypeVar

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from pythia.arena.review import DEFAULT_JUDGE
from pythia.clients.errors import FieldProblem, InvalidRequest, ServerFault, from_refusal
from pythia.clients.types import (
    Applied,
    Autoplay,
    CreatedMatch,
    Described,
    Hint,
    Json,
    Match,
    MatchEvent,
    MatchMoves,
    MatchRecord,
    MatchSummary,
    MoveWords,
    Observed,
    OfferedGame,
    Played,
    ReviewPart,
    Score,
    Seat,
    ServerInfo,
    Status,
    TurnStep,
    Watched,
    Watching,
)
from pythia.core_cy import View, state_from_observation
from pythia.core_cy.record import Record
from pythia.core_cy.seeds import MAX_SEED
from pythia.search.bots import BOTS, BotInfo, BotSpec
from pythia.search.limits import Limit
from pythia.search.result import Result
from pythia.service.local import DirectService, LocalService, News, Origin, Outcome, Revealed, Sight, best
from pythia.service.types import Problem, SearchRequest
from pythia.service.wire import (
    DESCRIPTORS,
    MAX_MOVES,
    NEEDS,
    POSITION_GAMES,
    Refused,
    ReviewReader,
    autoplay_message,
    bot_info_of,
    bot_message,
    created_of,
    described_of,
    event_of,
    from_value_error,
    game_of,
    invalid,
    known,
    match_of,
    move_text,
    moves_of,
    not_allowed,
    page_start,
    page_token,
    played_of,
    position_json,
    position_message,
    result_of,
    score_of,
    seat_message,
    server_info_of,
    struct_json,
    struct_message,
    summary_of,
    turn_step_of,
    watching_message,
    words_of,
)
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2, position_pb2, search_pb2

T = TypeVar("T")

Observation = Mapping[str, Any] | View  # a view is sent as the observation it stands for
Bot = str | BotSpec
Player = Seat | BotSpec | str | None  # a bot by its text; None for a person
Priority = Literal["low", "normal", "high"]

DEFAULT_BOT = "ismcts"
PAGE = 200
MAX_VERSION = 2**63 - 1

METHODS: dict[str, MethodDescriptor] = {
    name: method for service in DESCRIPTORS for name, method in service.methods_by_name.items()
}


@dataclass(frozen=True)
class Ask(Generic[T]):
    """A call with one answer. `parse` makes of the answer's message what the caller gets."""

    method: str
    request: Callable[[], Message]
    parse: Callable[[Any], T]
    local: Callable[..., Any]  # the same in this process: makes what to await, or to iterate over
    may_repeat: bool = False  # sent twice it does no more than once
    timeout: float | None = None  # seconds, if the caller says so
    thinking: float = 0.0  # seconds that bots may think, beside the usual timeout; inf where nobody can tell
    is_direct: bool = False  # in this process it needs no event loop

    @property
    def data(self) -> bytes:
        try:
            return self.request().SerializeToString()
        except Refused as refused:
            raise from_refusal(refused) from None

    @property
    def path(self) -> str:
        return f"/{METHODS[self.method].containing_service.full_name}/{self.method}"

    def read(self, data: bytes) -> T:
        try:
            return self.parse(GetMessageClass(METHODS[self.method].output_type).FromString(data))
        except (DecodeError, Refused, ValueError) as error:
            raise ServerFault(
                f"the answer of the server to {self.method} cannot be read ({error}); "
                "use the same version of pythia on both sides"
            ) from error


@dataclass(frozen=True)
class Listen(Ask[T]):
    """A call with a stream of answers. After some of them it is repeated only where `resume` says how to go on."""

    resume: Callable[[T], Listen[T]] | None = None


@dataclass(frozen=True)
class Talk(Listen[T]):
    """A call in which both sides speak."""


@dataclass(frozen=True)
class Said:
    """What the caller says in the middle of a call: as a message, and as the service itself takes it."""

    message: Message
    plain: News


# -- what a server offers


def server_info() -> Ask[ServerInfo]:
    """Return the server's version, games and limits; a good first call to check a connection."""
    return Ask(
        "GetServerInfo",
        engine_pb2.GetServerInfoRequest,
        server_info_of,
        lambda service, _: service.engine.server_info(),
        may_repeat=True,
        is_direct=True,
    )


def games() -> Ask[list[OfferedGame]]:
    """Return the games and their options."""
    return Ask(
        "ListGames",
        engine_pb2.ListGamesRequest,
        lambda answer: [game_of(game) for game in answer.games],
        lambda service, _: service.engine.games(),
        may_repeat=True,
        is_direct=True,
    )


def bots() -> Ask[list[BotInfo]]:
    """Return the bots, weakest first, with their levels and parameters."""
    return Ask(
        "ListBots",
        engine_pb2.ListBotsRequest,
        lambda answer: [bot_info_of(bot) for bot in answer.bots],
        lambda service, _: service.engine.bots(),
        may_repeat=True,
        is_direct=True,
    )


def describe(game: str, words: Sequence[str] = (), language: str = "en") -> Ask[Described]:
    """Explain words of a game: cards, tiles, moves, rulings. Without words, return every description."""
    return Ask(
        "Describe",
        lambda: engine_pb2.DescribeRequest(game=game, language=language, words=words),
        described_of,
        lambda service, origin: service.engine.describe(game, language, words, origin=origin),
        may_repeat=True,
        is_direct=True,
    )


# -- advice about positions that the caller keeps


def legal_moves(observation: Observation) -> Ask[list[str]]:
    """Return the legal moves of the observer, who must be to act."""
    check_observation(observation)

    async def local(service: LocalService | DirectService, _: Origin) -> list[str]:
        return [str(move) for move in await service.advisor.legal_moves(observation)]

    return Ask(
        "LegalMoves",
        lambda: advisor_pb2.LegalMovesRequest(observation=_position(observation)),
        lambda answer: _texts(answer.moves),
        local,
        may_repeat=True,
        is_direct=True,
    )


def validate(observation: Observation) -> Ask[int]:
    """Check an observation: return the seat to act, or raise InvalidRequest with the field that is wrong."""
    return _checked(observation, lambda to_act, _: to_act)


def scores(observation: Observation) -> Ask[list[Score]]:
    """Return each seat's score as if the game ended now, as far as the observer sees; [] for games without scores."""
    return _checked(observation, lambda _, scores: scores)


def _checked(observation: Observation, then: Callable[[int, list[Score]], T]) -> Ask[T]:
    def parse(answer: advisor_pb2.ValidateObservationResponse) -> T:
        if not answer.valid:
            raise _impossible(answer.problem, "observation")
        return then(answer.to_act, [score_of(score) for score in answer.scores])

    async def local(service: LocalService | DirectService, _: Origin) -> T:
        return then(*await service.advisor.validate(observation))

    check_observation(observation)
    return Ask(
        "ValidateObservation",
        lambda: advisor_pb2.ValidateObservationRequest(observation=_position(observation)),
        parse,
        local,
        may_repeat=True,
        is_direct=True,
    )


def render(
    observation: Observation, move: str = "", names: Sequence[str] = (), language: str = "en"
) -> Ask[str]:
    """Draw the position as SVG, with the names of the players, and with a move marked in it if you give one."""
    check_observation(observation)
    return Ask(
        "Render",
        lambda: advisor_pb2.RenderRequest(
            observation=_position(observation), move=move, names=names, language=language
        ),
        lambda answer: str(answer.svg),
        lambda service, origin: service.advisor.render(observation, move, origin, names, language),
        may_repeat=True,
        is_direct=True,
    )


def describe_moves(
    observation: Observation, language: str = "en", moves: Sequence[str] = ()
) -> Ask[list[MoveWords]]:
    """Describe moves of the observer in words: what they do, their cost, odds and gains. By default all legal moves."""
    check_observation(observation)
    return Ask(
        "DescribeMoves",
        lambda: advisor_pb2.DescribeMovesRequest(
            observation=_position(observation), language=language, moves=moves
        ),
        lambda answer: [words_of(move) for move in answer.moves],
        lambda service, origin: service.advisor.describe_moves(
            observation, language, moves, origin, then=lambda _, words: words
        ),
        may_repeat=True,
        is_direct=True,
    )


def apply_move(observation: Observation, move: str = "", reveals: Sequence[str] = ()) -> Ask[Applied]:
    """Return what the observer sees after a move or an outcome of chance.

    If the move reveals something hidden, `Applied.reveals` lists the possible texts: call again with the true ones in
    `reveals`. Leave `move` empty for an outcome that the observer does not see.
    """
    check_observation(observation)
    return Ask(
        "ApplyMove",
        lambda: advisor_pb2.ApplyMoveRequest(observation=_position(observation), move=move, reveals=reveals),
        _applied,
        lambda service, origin: service.advisor.apply_move(observation, move, reveals, origin),
        may_repeat=True,
        is_direct=True,
    )


def suggest(
    observation: Observation,
    bot: Bot = DEFAULT_BOT,
    *,
    limit: Limit | None = None,
    lines: int = 10,
    consider: Sequence[str] = (),
    avoid: Sequence[str] = (),
    seed: int = 0,
    priority: Priority | None = None,
    language: str = "en",
    timeout: float | None = None,
) -> Ask[Result]:
    """Return the move that a bot would play, and what it thinks of the `lines` best moves.

    `bot` is a name or text such as `ismcts:level=3`; `limit` overrides the bot's own limit. `consider` lists the only
    moves to choose from, `avoid` the moves to leave out. The same seed with an iteration limit gives the same answer,
    unless `timeout` or a limit of the server ends the search early: compare `Result.iterations` with your limit.
    `language` is that of the reasons, `en` or `de`.
    """
    search = _search(bot, limit, lines, consider, avoid, seed, priority, language)
    check_observation(observation)
    return Ask(
        "SuggestMove",
        lambda: advisor_pb2.SuggestMoveRequest(
            observation=_position(observation), options=search_message(search, priority)
        ),
        lambda answer: result_of(answer.analysis),
        lambda service, origin: service.advisor.advise(observation, search, origin, best(lines)),
        True,
        timeout,
        _thinking(search.spec),
        is_direct=True,
    )


def analyze(
    observation: Observation,
    bot: Bot = DEFAULT_BOT,
    *,
    limit: Limit | None = None,
    lines: int = 10,
    consider: Sequence[str] = (),
    avoid: Sequence[str] = (),
    seed: int = 0,
    priority: Priority | None = None,
    language: str = "en",
    interval: float = 0.5,
    timeout: float | None = None,
) -> Listen[Result]:
    """Stream the result so far every `interval` seconds; the last one is final. Closing the stream stops the search.

    The other arguments are those of `suggest`.
    """
    search, pause = (
        _search(bot, limit, lines, consider, avoid, seed, priority, language),
        _milliseconds(interval),
    )
    check_observation(observation)

    async def local(service: LocalService, origin: Origin) -> AsyncGenerator[Result]:
        results = service.advisor.analyze(
            observation, search, origin, interval=pause / 1000, then=best(lines)
        )
        async with aclosing(results):
            async for result, _ in results:
                yield result

    return Listen(
        "Analyze",
        lambda: advisor_pb2.AnalyzeRequest(
            observation=_position(observation), options=search_message(search, priority), interval_ms=pause
        ),
        lambda answer: result_of(answer.analysis),
        local,
        True,
        timeout,
    )


def analyze_batch(
    observations: Sequence[Observation],
    bot: Bot = DEFAULT_BOT,
    *,
    limit: Limit | None = None,
    lines: int = 10,
    seed: int = 0,
    priority: Priority | None = None,
    language: str = "en",
    timeout: float | None = None,
) -> Listen[tuple[int, Result | InvalidRequest]]:
    """Analyse up to 1000 positions. Yields the number of each when it is done, and its result or what is wrong.

    The other arguments are those of `suggest`; the default priority is low.
    """
    search = _search(bot, limit, lines, (), (), seed, priority or "low", language)
    for number, observation in enumerate(observations):
        check_observation(observation, f"observations[{number}]")

    def request() -> Message:
        items = [
            advisor_pb2.BatchItem(observation=_position(observation, f"observations[{number}]"))
            for number, observation in enumerate(observations)
        ]
        return advisor_pb2.AnalyzeBatchRequest(items=items, options=search_message(search, priority))

    async def local(
        service: LocalService, origin: Origin
    ) -> AsyncGenerator[tuple[int, Result | InvalidRequest]]:
        answers = service.advisor.batch(observations, search, origin, then=best(lines))
        async with aclosing(answers):
            async for number, answer in answers:
                yield number, _batch_problem(number, answer) if isinstance(answer, Problem) else answer

    return Listen("AnalyzeBatch", request, _batch_answer, local, True, timeout)


def play_turn(
    observation: Observation,
    bot: Bot = DEFAULT_BOT,
    *,
    limit: Limit | None = None,
    lines: int = 10,
    seed: int = 0,
    priority: Priority | None = None,
    language: str = "en",
    timeout: float | None = None,
) -> Talk[TurnStep]:
    """Let a bot play a whole turn, move by move, with your dice.

    After a step that needs something, call `report` (the text of what dice or cards show), `reveal` (what the
    move showed, by the texts that the step lists) or `show` (what the seat sees now). The other arguments are those of
    `suggest`.
    """
    search = _search(bot, limit, lines, (), (), seed, priority, language)
    check_observation(observation)

    def request() -> Message:
        start = advisor_pb2.PlayTurnStart(
            observation=_position(observation), options=search_message(search, priority)
        )
        return advisor_pb2.PlayTurnRequest(start=start)

    async def local(
        service: LocalService, origin: Origin, said: AsyncIterator[News]
    ) -> AsyncGenerator[TurnStep]:
        steps = service.advisor.play_turn(
            observation, search, said, origin, field="start.observation", then=best(lines)
        )
        async with aclosing(steps):
            async for result, need, reveals in steps:
                yield TurnStep(result, need, reveals)

    return Talk("PlayTurn", request, turn_step_of, local, False, timeout)


def outcome(text: str) -> Said:
    """What `Turn.report` sends."""
    return Said(advisor_pb2.PlayTurnRequest(outcome=text), Outcome(text))


def revealed(texts: Sequence[str]) -> Said:
    """What `Turn.reveal` sends."""
    for number, text in enumerate(texts):
        if "\n" in text:
            raise from_refusal(not_allowed(f"reveal[{number}]", text, "a line of text"))
    return Said(advisor_pb2.PlayTurnRequest(reveal="\n".join(texts)), Revealed(tuple(texts)))


def shown(observation: Observation) -> Said:
    """What `Turn.show` sends."""
    seen = _json(observation)
    return Said(advisor_pb2.PlayTurnRequest(observation=_position(seen)), Sight(seen))


def review(
    record: str | Record | MatchRecord | Sequence[tuple[Observation, str]],
    bot: Bot = DEFAULT_JUDGE,
    *,
    seats: Sequence[int] = (),
    unfinished: bool = False,
    limit: Limit | None = None,
    seed: int = 0,
    priority: Priority | None = None,
    language: str = "en",
    timeout: float | None = None,
) -> Listen[ReviewPart]:
    """Review a game: stream what each decision lost and each event of luck, and at the end the totals of each seat.

    `record` is a game as JSON Lines or a `Record`, or what one seat saw and did: pairs of an observation and the text
    of a move. Such pairs give no luck. The same seed with an iteration limit gives the same review. The other
    arguments are those of `suggest`; the default priority is low.
    """
    search = _search(bot, limit, 1, (), (), seed, priority or "low", language)
    read = ReviewReader()
    text = _record_text(record) if isinstance(record, (str, Record, MatchRecord)) else None
    steps = [] if isinstance(record, (str, Record, MatchRecord)) else list(record)
    for number, (observation, _) in enumerate(steps):
        check_observation(observation, f"history.steps[{number}].observation")

    def request() -> Message:
        message = advisor_pb2.ReviewRequest(
            options=search_message(search, priority), seats=seats, unfinished=unfinished, record=text
        )
        if text is None:
            message.history.SetInParent()
        for number, (observation, move) in enumerate(steps):
            position = _position(observation, f"history.steps[{number}].observation")
            message.history.steps.add(observation=position, move=move)
        return message

    async def local(service: LocalService, origin: Origin) -> AsyncGenerator[ReviewPart]:
        parts = (
            service.advisor.review_history(steps, search, seats, origin=origin)
            if text is None
            else service.advisor.review(text, search, seats, unfinished, origin=origin)
        )
        async with aclosing(parts):
            async for part in parts:
                yield part

    return Listen("Review", request, lambda answer: read.read(answer.part), local, True, timeout)


# -- matches, with the service as referee


def create_match(
    game: str,
    seats: Sequence[Player],
    *,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    reproducible: bool = False,
    real_dice: bool = False,
    public: bool = False,
    blind_owner: bool = False,
    autoplay: Autoplay | bool = False,
    hints: bool = False,
) -> Ask[CreatedMatch]:
    """Create a match. Each seat is None for a person, a bot as text or `BotSpec`, or a `Seat` with a name.

    With `real_dice` you report chance with `submit_move`; games with hidden deals or draws refuse it.
    The server mixes a seed with a secret. With `reproducible` only the seed decides: the same seed deals and draws the
    same, and anyone who knows the seed can compute what is hidden.
    With `public` every client of the server may view the match. With `blind_owner` the owner cannot export it before
    it is over, and each player takes a seat with `rotate_token`.
    With `autoplay` the service plays the bots by itself, at the pace of an `Autoplay`; in this process while the client
    is open. With `hints` players may ask for them although other people play.
    """
    if seed is not None:
        _check_whole("seed", seed, MAX_SEED)
    request = match_pb2.CreateMatchRequest(
        game=game,
        seats=_seats(seats),
        options=_options(options or {}),
        seed=seed,
        reproducible=reproducible,
        real_dice=real_dice,
        public=public,
        blind_owner=blind_owner,
        autoplay=autoplay_message(pace) if (pace := _autoplay(autoplay)) else None,
        hints=hints,
        idempotency_key=_key(),
    )
    players = [_player(seat, f"seats[{number}]") for number, seat in enumerate(seats)]

    async def local(service: LocalService, origin: Origin) -> CreatedMatch:
        return await (await service.matches()).create(
            game,
            players,
            options=struct_json(request.options, "options"),
            seed=seed,
            reproducible=reproducible,
            real_dice=real_dice,
            public=public,
            blind_owner=blind_owner,
            autoplay=pace,
            hints=hints,
            origin=origin,
        )

    return Ask("CreateMatch", lambda: request, created_of, local, may_repeat=True)


def match(match_id: str, token: str | None = None) -> Ask[Match]:
    """Return the status of a match. A match of another client needs one of its tokens, unless it is public."""
    request = match_pb2.GetMatchRequest(match_id=match_id, token=token)

    async def local(service: LocalService, origin: Origin) -> Match:
        return await (await service.matches()).get(match_id, token or "", origin=origin)

    return Ask("GetMatch", lambda: request, lambda answer: match_of(answer.match), local, may_repeat=True)


def matches(
    status: Status | None = None, game: str | None = None
) -> Callable[[str], Ask[tuple[list[MatchSummary], str]]]:
    """Iterate over this client's matches, newest first; for an admin, over all matches of the server."""
    if status not in (None, "active", "over"):
        raise from_refusal(not_allowed("status", status, "active, over"))

    def page(token: str) -> Ask[tuple[list[MatchSummary], str]]:
        request = match_pb2.ListMatchesRequest(
            page_size=PAGE,
            page_token=token,
            status=f"MATCH_STATUS_{status.upper()}" if status else None,
            game=game,
        )

        async def local(service: LocalService, origin: Origin) -> tuple[list[MatchSummary], str]:
            found, more = await (await service.matches()).page(
                PAGE, page_start(token) if token else None, status=status, game=game, origin=origin
            )
            return found, page_token(*more) if more else ""

        return Ask("ListMatches", lambda: request, _page, local, may_repeat=True)

    return page


def observe(
    match_id: str, seat: int | None = None, token: str | None = None, *, version: int | None = None
) -> Ask[Observed]:
    """Return what a seat sees, given its token; without a seat, what everyone sees.

    With `version`, what the viewer saw after that number of events.
    """
    if version is not None:
        _check_whole("version", version, MAX_VERSION)
    request = match_pb2.ObserveRequest(match_id=match_id, seat=seat, token=token, version=version)

    async def local(service: LocalService, origin: Origin) -> Observed:
        seen = await (await service.matches()).observe(
            match_id, seat, token or "", version=version, origin=origin
        )
        # The service keeps its own for the next caller, and callers may change theirs.
        return replace(seen, observation=deepcopy(seen.observation))

    return Ask("Observe", lambda: request, _observed, local, may_repeat=True)


def match_moves(match_id: str, token: str | None = None) -> Ask[MatchMoves]:
    """Return the moves of the seat to act, given its token; with real dice, the outcomes of chance, without a token."""
    request = match_pb2.ListLegalMovesRequest(match_id=match_id, token=token)

    async def local(service: LocalService, origin: Origin) -> MatchMoves:
        return await (await service.matches()).moves(match_id, token or "", origin=origin)

    return Ask("ListLegalMoves", lambda: request, moves_of, local, may_repeat=True)


def submit_move(
    match_id: str, move: str, token: str | None = None, *, expected_version: int | None = None
) -> Ask[Played]:
    """Play a move for the seat to act, or with real dice report an outcome. A retry never plays it twice."""
    request = match_pb2.SubmitMoveRequest(
        match_id=match_id, move=move, token=token, expected_version=expected_version, idempotency_key=_key()
    )

    async def local(service: LocalService, origin: Origin) -> Played:
        return await (await service.matches()).submit(
            match_id, move_text(move, "move"), token or "", expected_version=expected_version, origin=origin
        )

    return Ask("SubmitMove", lambda: request, played_of, local, may_repeat=True)


def bot_turn(
    match_id: str,
    token: str | None = None,
    *,
    expected_version: int | None = None,
    timeout: float | None = None,
) -> Ask[Played]:
    """Let the bot to act play until somebody else or chance is to act.

    If the time was too short, `to_act` is still the bot's seat: call again.
    """
    request = match_pb2.PlayBotTurnRequest(match_id=match_id, token=token, expected_version=expected_version)

    async def local(service: LocalService, origin: Origin) -> Played:
        return await (await service.matches()).bot_turn(
            match_id, token or "", expected_version=expected_version, origin=origin
        )

    return Ask("PlayBotTurn", lambda: request, played_of, local, False, timeout, thinking=math.inf)


def stream_bot_turn(
    match_id: str,
    token: str | None = None,
    *,
    expected_version: int | None = None,
    timeout: float | None = None,
) -> Listen[Played]:
    """Like `bot_turn`, but yield each move when it is played."""
    request = match_pb2.StreamBotTurnRequest(
        match_id=match_id, token=token, expected_version=expected_version
    )

    async def local(service: LocalService, origin: Origin) -> AsyncGenerator[Played]:
        steps = (await service.matches()).bot_turn_steps(
            match_id, token or "", expected_version=expected_version, origin=origin
        )
        async with aclosing(steps):
            async for step in steps:
                yield step

    return Listen("StreamBotTurn", lambda: request, played_of, local, False, timeout)


def watch(
    match_id: str,
    seat: int | None = None,
    token: str | None = None,
    *,
    after_version: int = 0,
    timeout: float | None = None,
) -> Listen[MatchEvent]:
    """Stream the events of a match, past events first, until it is over. Reconnects if the connection is lost."""

    async def local(service: LocalService, origin: Origin) -> AsyncGenerator[MatchEvent]:
        events = (await service.matches()).watch(
            match_id, seat, token or "", after_version=after_version, origin=origin
        )
        async with aclosing(events):
            async for event in events:
                yield event

    return Listen(
        "Watch",
        lambda: match_pb2.WatchRequest(
            match_id=match_id, seat=seat, token=token, after_version=after_version
        ),
        lambda answer: event_of(answer.event),
        local,
        True,
        timeout,
        resume=lambda event: watch(match_id, seat, token, after_version=event.version, timeout=timeout),
    )


def watch_many(
    matches: Sequence[Watching | str], *, observations: bool = False, timeout: float | None = None
) -> Listen[Watched]:
    """Stream the events of up to 100 matches until all are over. Reconnects if the connection is lost.

    A match is an id, which you watch as a spectator, or a `Watching`. With `observations`, the newest event of each
    match includes what the viewer sees. `Watched.ended` says why a match sends no more events.
    """
    asked = [Watching(match) if isinstance(match, str) else match for match in matches]

    async def local(service: LocalService, origin: Origin) -> AsyncGenerator[Watched]:
        stream = (await service.matches()).watch_many(asked, observations=observations, origin=origin)
        async with aclosing(stream):
            async for told in stream:
                yield replace(told, observation=deepcopy(told.observation))

    def resume(told: Watched) -> Listen[Watched]:
        """From where each match stands; those that have ended are not asked for again."""
        left = []
        for one in asked:
            if one.match_id != told.match_id:
                left.append(one)
            elif not told.ended:
                left.append(replace(one, after_version=told.event.version) if told.event else one)
        return watch_many(left, observations=observations, timeout=timeout)

    return Listen(
        "WatchMany",
        lambda: match_pb2.WatchManyRequest(matches=map(watching_message, asked), observations=observations),
        _watched,
        local,
        True,
        timeout,
        resume=resume,
    )


def pause_match(match_id: str, token: str) -> Ask[Match]:
    """Pause autoplay: the server stops playing the bots of a match. Needs the owner's token."""
    request = match_pb2.PauseMatchRequest(match_id=match_id, token=token)

    async def local(service: LocalService, origin: Origin) -> Match:
        return await (await service.matches()).pause(match_id, token, origin=origin)

    return Ask("PauseMatch", lambda: request, lambda answer: match_of(answer.match), local, may_repeat=True)


def resume_match(match_id: str, token: str, *, seconds_per_move: float | None = None) -> Ask[Match]:
    """Resume autoplay, at another pace if you give one. Needs the owner's token."""
    request = match_pb2.ResumeMatchRequest(match_id=match_id, token=token, seconds_per_move=seconds_per_move)

    async def local(service: LocalService, origin: Origin) -> Match:
        return await (await service.matches()).resume(
            match_id, token, seconds_per_move=seconds_per_move, origin=origin
        )

    return Ask("ResumeMatch", lambda: request, lambda answer: match_of(answer.match), local, may_repeat=True)


def hint(
    match_id: str,
    token: str,
    bot: Bot = DEFAULT_BOT,
    *,
    limit: Limit | None = None,
    lines: int = 10,
    consider: Sequence[str] = (),
    avoid: Sequence[str] = (),
    seed: int = 0,
    priority: Priority | None = None,
    language: str = "en",
    interval: float = 0.5,
    timeout: float | None = None,
) -> Listen[Hint]:
    """Stream what a bot would play for the seat to act, given its token; the last result is final.

    Refused in a running match with several people, unless it was created with `hints`. The other arguments are those of
    `analyze`.
    """
    search, pause = (
        _search(bot, limit, lines, consider, avoid, seed, priority, language),
        _milliseconds(interval),
    )
    request = match_pb2.HintRequest(
        match_id=match_id, token=token, options=search_message(search, priority), interval_ms=pause
    )

    async def local(service: LocalService, origin: Origin) -> AsyncGenerator[Hint]:
        answers = (await service.matches()).hint(
            match_id, token, search, interval=pause / 1000, then=best(lines), origin=origin
        )
        async with aclosing(answers):
            async for result, final, version in answers:
                yield Hint(result, final, version)

    return Listen(
        "Hint",
        lambda: request,
        lambda answer: Hint(result_of(answer.analysis), answer.final, answer.version),
        local,
        True,
        timeout,
    )


def review_match(
    match_id: str,
    token: str | None = None,
    bot: Bot = DEFAULT_JUDGE,
    *,
    limit: Limit | None = None,
    seats: Sequence[int] = (),
    seed: int = 0,
    priority: Priority | None = None,
    language: str = "en",
    timeout: float | None = None,
) -> Listen[ReviewPart]:
    """Review a match that is over, like `review`. A match of another client needs one of its tokens."""
    search = _search(bot, limit, 10, (), (), seed, priority or "low", language)
    read = ReviewReader()
    request = match_pb2.ReviewMatchRequest(
        match_id=match_id, token=token, options=search_message(search, priority), seats=seats
    )

    async def local(service: LocalService, origin: Origin) -> AsyncGenerator[ReviewPart]:
        parts = (await service.matches()).review(match_id, search, token or "", seats=seats, origin=origin)
        async with aclosing(parts):
            async for part in parts:
                yield part

    return Listen("ReviewMatch", lambda: request, lambda answer: read.read(answer.part), local, True, timeout)


def undo(match_id: str, token: str, *, expected_version: int | None = None) -> Ask[Match]:
    """Take back the last move of a seat, if it showed nothing and chance drew nothing since."""
    request = match_pb2.UndoRequest(match_id=match_id, token=token, expected_version=expected_version)

    async def local(service: LocalService, origin: Origin) -> Match:
        return await (await service.matches()).undo(
            match_id, token, expected_version=expected_version, origin=origin
        )

    return Ask("Undo", lambda: request, lambda answer: match_of(answer.match), local)


def resign(match_id: str, token: str, *, expected_version: int | None = None) -> Ask[Match]:
    """End the match: the seat loses, the others share the win."""
    request = match_pb2.ResignRequest(match_id=match_id, token=token, expected_version=expected_version)

    async def local(service: LocalService, origin: Origin) -> Match:
        return await (await service.matches()).resign(
            match_id, token, expected_version=expected_version, origin=origin
        )

    return Ask("Resign", lambda: request, lambda answer: match_of(answer.match), local)


def export_record(match_id: str, token: str | None = None) -> Ask[MatchRecord]:
    """Return the record of a match. Until the match is over, this needs the owner's token."""
    request = match_pb2.ExportRecordRequest(match_id=match_id, token=token)

    async def local(service: LocalService, origin: Origin) -> MatchRecord:
        return await (await service.matches()).export(match_id, token or "", origin=origin)

    return Ask(
        "ExportRecord",
        lambda: request,
        lambda answer: MatchRecord(answer.record, answer.complete),
        local,
        may_repeat=True,
    )


def import_record(
    record: str | Record | MatchRecord,
    seats: Sequence[Player] = (),
    *,
    real_dice: bool = False,
    public: bool = False,
) -> Ask[CreatedMatch]:
    """Create a match from a record (or its text); an unfinished game can be continued.

    Without `seats`, people play, with the names in the record. With `public`, every client of the server may view it.
    """
    request = match_pb2.ImportRecordRequest(
        record=_record_text(record),
        seats=_seats(seats),
        real_dice=real_dice,
        public=public,
        idempotency_key=_key(),
    )
    players = [_player(seat, f"seats[{number}]") for number, seat in enumerate(seats)]

    async def local(service: LocalService, origin: Origin) -> CreatedMatch:
        return await (await service.matches()).import_record(
            request.record, players, real_dice=real_dice, public=public, origin=origin
        )

    return Ask("ImportRecord", lambda: request, created_of, local, may_repeat=True)


def delete_match(match_id: str, token: str) -> Ask[None]:
    """Delete a match and all its events; needs the owner's token."""
    request = match_pb2.DeleteMatchRequest(match_id=match_id, token=token)

    async def local(service: LocalService, origin: Origin) -> None:
        await (await service.matches()).delete(match_id, token, origin=origin)

    return Ask("DeleteMatch", lambda: request, lambda _: None, local)


def rotate_token(match_id: str, token: str) -> Ask[str]:
    """Replace a token of a seat or the owner, and return the new one. The server then refuses the old one."""
    request = match_pb2.RotateTokenRequest(match_id=match_id, token=token, idempotency_key=_key())

    async def local(service: LocalService, origin: Origin) -> str:
        return (await (await service.matches()).rotate_token(match_id, token, origin=origin))[0]

    return Ask("RotateToken", lambda: request, lambda answer: str(answer.token), local, may_repeat=True)


# -- what is sent


def _key() -> str:
    """An idempotency key: however often the request is sent, it is done once."""
    return uuid.uuid4().hex


def check_observation(observation: Observation, field: str = "observation") -> None:
    """What cannot be a position of any game is refused at once."""
    if isinstance(observation, View):
        return
    if not isinstance(observation, Mapping):
        raise from_refusal(invalid(field, f"not a JSON object but {type(observation).__name__}"))
    game = observation.get("game")
    if game not in POSITION_GAMES:
        raise from_refusal(not_allowed(f"{field}.game", game, ", ".join(sorted(POSITION_GAMES))))


def _json(observation: Observation) -> Json:
    return observation.observation() if isinstance(observation, View) else dict(observation)


def _position(observation: Observation, field: str = "observation") -> position_pb2.Position:
    check_observation(observation, field)
    obj = _json(observation)
    try:
        return position_message(obj)
    except (TypeError, ValueError) as error:
        raise _unsendable(obj, field, error) from None


def _unsendable(observation: Json, field: str, error: Exception) -> Exception:
    """The game has better words than protobuf for what is wrong with a position."""
    try:
        state_from_observation(observation, 0)
    except ValueError as wrong:
        return from_refusal(from_value_error(wrong, field))
    return from_refusal(invalid(field, str(error)))


def _bot(bot: Bot, field: str, limit: Limit | None = None) -> BotSpec:
    parts = {name: f"{field}.limit.{name}" for name in ("iterations", "seconds", "per")}
    try:
        spec = bot if isinstance(bot, BotSpec) else BotSpec.parse(bot)
        return replace(spec, limit=limit) if limit else spec
    except ValueError as error:
        raise from_refusal(from_value_error(error, field, parts | {"bot": f"{field}.name"})) from None


def _search(
    bot: Bot,
    limit: Limit | None,
    lines: int,
    consider: Sequence[str],
    avoid: Sequence[str],
    seed: int,
    priority: Priority | None,
    language: str,
) -> SearchRequest:
    spec = _bot(bot, "options.bot", limit)
    if priority not in (None, "low", "normal", "high"):
        raise from_refusal(not_allowed("options.priority", priority, "low, normal, high"))
    _check_whole("options.seed", seed, MAX_SEED)
    _check_whole("options.lines", lines, MAX_MOVES, least=1)
    number = ("high", "normal", "low").index(priority or "normal")
    return SearchRequest(spec, seed, lines, tuple(consider), tuple(avoid), number, language)


def search_message(search: SearchRequest, priority: Priority | None) -> search_pb2.SearchOptions:
    return search_pb2.SearchOptions(
        bot=bot_message(search.spec),
        lines=search.lines,
        consider=search.consider,
        avoid=search.avoid,
        seed=search.seed,
        priority=f"PRIORITY_{priority.upper()}" if priority else None,
        language=search.language,
    )


def _thinking(spec: BotSpec) -> float:
    """The seconds that a bot may think; how long iterations take nobody can tell."""
    info = BOTS.get(spec.name)
    if info is not None and not info.uses_limit:
        return 0.0
    return math.inf if spec.limit is None or spec.limit.seconds is None else spec.limit.seconds


def _check_whole(field: str, value: int, most: int, least: int = 0) -> None:
    """What does not fit into the message cannot be left to the server's check."""
    if not isinstance(value, int) or not least <= value <= most:
        raise from_refusal(not_allowed(field, value, f"a whole number from {least} to {most}"))


def _milliseconds(interval: float) -> int:
    if not interval > 0:
        raise from_refusal(not_allowed("interval", interval, "seconds above 0"))
    return max(1, round(1000 * min(interval, 1e6)))


def _seats(seats: Sequence[Player]) -> list[match_pb2.Seat]:
    return [seat_message(_player(seat, f"seats[{number}]")) for number, seat in enumerate(seats)]


def _player(seat: Player, field: str) -> Seat:
    if seat is None:
        return Seat()
    return seat if isinstance(seat, Seat) else Seat(bot=_bot(seat, f"{field}.bot"))


def _autoplay(autoplay: Autoplay | bool) -> Autoplay | None:
    if isinstance(autoplay, bool):
        return Autoplay() if autoplay else None
    return autoplay


def _options(options: Mapping[str, Any]) -> Any:
    try:
        return struct_message(options)
    except (TypeError, ValueError) as error:
        raise from_refusal(invalid("options", str(error))) from None


def _record_text(record: str | Record | MatchRecord) -> str:
    if isinstance(record, MatchRecord):
        return record.text
    if isinstance(record, str):
        return record
    text = StringIO()
    record.write(text)
    return text.getvalue()


# -- what is answered


def _texts(moves: Sequence[position_pb2.Move]) -> list[str]:
    return [move.text for move in moves]


def _impossible(problem: advisor_pb2.Problem | Problem, name: str) -> InvalidRequest:
    field = f"{name}.{problem.field}" if problem.field else name
    return InvalidRequest(
        f"{field}: {problem.description}",
        "INVALID_ARGUMENT",
        fields=[FieldProblem(field, problem.description)],
        reason="INVALID_FIELD",
    )


def _batch_problem(number: int, problem: advisor_pb2.Problem | Problem) -> InvalidRequest:
    return _impossible(problem, f"observations[{number}]")


def _batch_answer(answer: advisor_pb2.AnalyzeBatchResponse) -> tuple[int, Result | InvalidRequest]:
    if answer.HasField("problem"):
        return answer.index, _batch_problem(answer.index, answer.problem)
    return answer.index, result_of(answer.analysis)


def _page(answer: match_pb2.ListMatchesResponse) -> tuple[list[MatchSummary], str]:
    return [summary_of(match) for match in answer.matches], answer.next_page_token


def _watched(answer: match_pb2.WatchManyResponse) -> Watched:
    return Watched(
        answer.match_id,
        event_of(answer.event) if answer.HasField("event") else None,
        _observation(answer.observation) if answer.HasField("observation") else None,
        match_of(answer.match) if answer.HasField("match") else None,
        answer.ended,
    )


def _observed(answer: match_pb2.ObserveResponse) -> Observed:
    return Observed(_observation(answer.observation), answer.version)


def _applied(answer: advisor_pb2.ApplyMoveResponse) -> Applied:
    return Applied(
        _observation(answer.observation) if answer.HasField("observation") else None,
        known("need", answer.need, NEEDS),
        _texts(answer.outcomes),
        list(answer.probabilities),
        list(answer.reveals),
    )


def _observation(position: position_pb2.Position) -> Json:
    """As the game itself writes it, a spectator's view as well."""
    obj = position_json(position, "observation")
    return state_from_observation(obj, 0, spectators=True).observation(obj["observer"])
