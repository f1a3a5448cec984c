"""Every call of the client, once: what it sends, what the answer means, and whether it may be sent again.

`Client` and `AsyncClient` make their methods of these functions; what is documented here is what their users read.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any, Generic, Literal, TypeVar

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from pythia.clients.errors import FieldProblem, InvalidRequest, ServerFault, from_refusal
from pythia.clients.types import (
    CreatedMatch,
    Json,
    Match,
    MatchEvent,
    MatchMoves,
    MatchRecord,
    MatchSummary,
    Observed,
    OfferedGame,
    Played,
    Seat,
    ServerInfo,
    Status,
    TurnStep,
)
from pythia.core_cy import state_from_observation
from pythia.core_cy.record import Record
from pythia.core_cy.seeds import MAX_SEED
from pythia.search.bots import BOTS, BotInfo, BotSpec
from pythia.search.limits import Limit
from pythia.search.result import Result
from pythia.service.backend import DESCRIPTORS
from pythia.service.errors import Refused, from_value_error, invalid, not_allowed
from pythia.service.wire import (
    MAX_MOVES,
    POSITION_GAMES,
    bot_info_of,
    bot_message,
    created_of,
    event_of,
    game_of,
    match_of,
    moves_of,
    played_of,
    position_json,
    position_message,
    result_of,
    seat_message,
    server_info_of,
    struct_message,
    summary_of,
    turn_step_of,
)
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2, position_pb2, search_pb2

T = TypeVar("T")

Observation = Mapping[str, Any]
Bot = str | BotSpec
Player = Seat | BotSpec | str | None  # a bot by its text; None for a person
Priority = Literal["low", "normal", "high"]

DEFAULT_BOT = "ismcts"
PAGE = 200

METHODS: dict[str, MethodDescriptor] = {
    name: method for service in DESCRIPTORS for name, method in service.methods_by_name.items()
}


@dataclass(frozen=True)
class Ask(Generic[T]):
    """A call with one answer. `parse` makes of the answer's message what the caller gets."""

    method: str
    request: Message
    parse: Callable[[Any], T]
    may_repeat: bool = False  # sent twice it does no more than once
    timeout: float | None = None  # seconds, if the caller says so
    thinking: float = 0.0  # seconds that bots may think, beside the usual timeout; inf where nobody can tell

    @property
    def path(self) -> str:
        return f"/{METHODS[self.method].containing_service.full_name}/{self.method}"

    def read(self, data: bytes) -> T:
        try:
            return self.parse(GetMessageClass(METHODS[self.method].output_type).FromString(data))
        except (DecodeError, Refused, ValueError) as error:
            raise ServerFault(
                f"the answer of the server to {self.method} cannot be read here ({error}); "
                "use the same version of pythia on both sides"
            ) from error


@dataclass(frozen=True)
class Listen(Ask[T]):
    """A call with a stream of answers. After some of them it is repeated only where `resume` says how to go on."""

    resume: Callable[[T], Message] | None = None


@dataclass(frozen=True)
class Talk(Listen[T]):
    """A call in which both sides speak."""


# -- what a server offers


def server_info() -> Ask[ServerInfo]:
    """What the server is and allows; a good first call to check a connection."""
    return Ask("GetServerInfo", engine_pb2.GetServerInfoRequest(), server_info_of, may_repeat=True)


def games() -> Ask[list[OfferedGame]]:
    """The games with the options they can be set up with."""
    return Ask(
        "ListGames",
        engine_pb2.ListGamesRequest(),
        lambda answer: [game_of(game) for game in answer.games],
        may_repeat=True,
    )


def bots() -> Ask[list[BotInfo]]:
    """The bots, weakest first, with their levels and parameters."""
    return Ask(
        "ListBots",
        engine_pb2.ListBotsRequest(),
        lambda answer: [bot_info_of(bot) for bot in answer.bots],
        may_repeat=True,
    )


# -- advice about positions that the caller keeps


def legal_moves(observation: Observation) -> Ask[list[str]]:
    """The moves of the observer, who must be to act."""
    request = advisor_pb2.LegalMovesRequest(observation=_position(observation))
    return Ask("LegalMoves", request, lambda answer: _texts(answer.moves), may_repeat=True)


def validate(observation: Observation) -> Ask[int]:
    """Raises InvalidRequest, with the part that is wrong, for an impossible observation; else says who is to act."""

    def parse(answer: advisor_pb2.ValidateObservationResponse) -> int:
        if not answer.valid:
            raise _impossible(answer.problem, "observation")
        return answer.to_act

    request = advisor_pb2.ValidateObservationRequest(observation=_position(observation))
    return Ask("ValidateObservation", request, parse, may_repeat=True)


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
    timeout: float | None = None,
) -> Ask[Result]:
    """The move a bot would play, with win probabilities for the `lines` best.

    `bot` is a name or text such as `ismcts:level=3`; `limit` replaces its own. `consider` names the only moves to
    choose from, `avoid` those to leave out. The same seed with an iteration limit gives the same answer, unless
    `timeout` or what the server allows ends the search before it has done as many; `Result.iterations` tells.
    """
    options, thinking = _search(bot, limit, lines, consider, avoid, seed, priority)
    request = advisor_pb2.SuggestMoveRequest(observation=_position(observation), options=options)
    return Ask(
        "SuggestMove", request, lambda answer: result_of(answer.analysis), True, timeout, thinking=thinking
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
    interval: float = 0.5,
    timeout: float | None = None,
) -> Listen[Result]:
    """What a bot knows so far, every `interval` seconds; the last result is final. Closing the stream ends the search.

    The other arguments are those of `suggest`.
    """
    options, _ = _search(bot, limit, lines, consider, avoid, seed, priority)
    request = advisor_pb2.AnalyzeRequest(
        observation=_position(observation), options=options, interval_ms=_milliseconds(interval)
    )
    return Listen("Analyze", request, lambda answer: result_of(answer.analysis), True, timeout)


def analyze_batch(
    observations: Sequence[Observation],
    bot: Bot = DEFAULT_BOT,
    *,
    limit: Limit | None = None,
    lines: int = 10,
    seed: int = 0,
    priority: Priority | None = None,
    timeout: float | None = None,
) -> Listen[tuple[int, Result | InvalidRequest]]:
    """Up to 1000 positions, each answered as it is done: its number, and its result or what is wrong with it.

    The other arguments are those of `suggest`; the priority is low unless it says otherwise.
    """
    options, _ = _search(bot, limit, lines, (), (), seed, priority)
    items = [
        advisor_pb2.BatchItem(observation=_position(observation, f"observations[{number}]"))
        for number, observation in enumerate(observations)
    ]
    request = advisor_pb2.AnalyzeBatchRequest(items=items, options=options)
    return Listen("AnalyzeBatch", request, _batch_answer, True, timeout)


def play_turn(
    observation: Observation,
    bot: Bot = DEFAULT_BOT,
    *,
    limit: Limit | None = None,
    lines: int = 10,
    seed: int = 0,
    priority: Priority | None = None,
    timeout: float | None = None,
) -> Talk[TurnStep]:
    """A bot's whole turn, move by move, with your dice.

    After a step that needs something, tell it with `report` (the text of what dice or cards said) or `show` (what the
    seat sees now). The other arguments are those of `suggest`.
    """
    options, _ = _search(bot, limit, lines, (), (), seed, priority)
    start = advisor_pb2.PlayTurnStart(observation=_position(observation), options=options)
    return Talk("PlayTurn", advisor_pb2.PlayTurnRequest(start=start), turn_step_of, False, timeout)


def outcome(text: str) -> Message:
    """What `Turn.report` sends."""
    return advisor_pb2.PlayTurnRequest(outcome=text)


def shown(observation: Observation) -> Message:
    """What `Turn.show` sends."""
    return advisor_pb2.PlayTurnRequest(observation=_position(observation))


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
) -> Ask[CreatedMatch]:
    """Set up a match. Each seat is None for a person, a bot as text or `BotSpec`, or a `Seat` with a name.

    With `real_dice` chance is reported with `submit_move`; games whose dice and cards not everyone sees refuse it.
    A seed is mixed with a secret of the server. With `reproducible` it decides alone: the same seed deals and draws the
    same, and whoever knows it can tell what is hidden.
    With `public` every client of the server may look at the match. With `blind_owner` the owner cannot export it before
    it is over, and each player takes a seat with `rotate_token`.
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
        idempotency_key=_key(),
    )
    return Ask("CreateMatch", request, created_of, may_repeat=True)


def match(match_id: str, token: str | None = None) -> Ask[Match]:
    """How a match stands. One that another client made needs a token of it, unless it is public."""
    request = match_pb2.GetMatchRequest(match_id=match_id, token=token)
    return Ask("GetMatch", request, lambda answer: match_of(answer.match), may_repeat=True)


def matches(
    status: Status | None = None, game: str | None = None
) -> Callable[[str], Ask[tuple[list[MatchSummary], str]]]:
    """The matches of this client, newest first, page after page; for an admin all matches of the server."""
    if status not in (None, "active", "over"):
        raise from_refusal(not_allowed("status", status, "active, over"))

    def page(token: str) -> Ask[tuple[list[MatchSummary], str]]:
        request = match_pb2.ListMatchesRequest(
            page_size=PAGE,
            page_token=token,
            status=f"MATCH_STATUS_{status.upper()}" if status else None,
            game=game,
        )
        return Ask("ListMatches", request, _page, may_repeat=True)

    return page


def observe(match_id: str, seat: int | None = None, token: str | None = None) -> Ask[Observed]:
    """What a seat sees, with its token; without a seat, what everyone sees."""
    request = match_pb2.ObserveRequest(match_id=match_id, seat=seat, token=token)
    return Ask("Observe", request, _observed, may_repeat=True)


def match_moves(match_id: str, token: str | None = None) -> Ask[MatchMoves]:
    """The moves of the seat to act, with its token; with real dice the outcomes of chance, for which none is needed."""
    request = match_pb2.ListLegalMovesRequest(match_id=match_id, token=token)
    return Ask("ListLegalMoves", request, moves_of, may_repeat=True)


def submit_move(
    match_id: str, move: str, token: str | None = None, *, expected_version: int | None = None
) -> Ask[Played]:
    """Play a move for the seat to act, or with real dice report an outcome. A retry never plays it twice."""
    request = match_pb2.SubmitMoveRequest(
        match_id=match_id, move=move, token=token, expected_version=expected_version, idempotency_key=_key()
    )
    return Ask("SubmitMove", request, played_of, may_repeat=True)


def bot_turn(
    match_id: str,
    token: str | None = None,
    *,
    expected_version: int | None = None,
    timeout: float | None = None,
) -> Ask[Played]:
    """Let the bot to act play until somebody else or chance is to act.

    When the time did not suffice, `to_act` is still the bot: call again.
    """
    request = match_pb2.PlayBotTurnRequest(match_id=match_id, token=token, expected_version=expected_version)
    return Ask("PlayBotTurn", request, played_of, False, timeout, thinking=math.inf)


def stream_bot_turn(
    match_id: str,
    token: str | None = None,
    *,
    expected_version: int | None = None,
    timeout: float | None = None,
) -> Listen[Played]:
    """As `bot_turn`, and tell each move when it is played."""
    request = match_pb2.StreamBotTurnRequest(
        match_id=match_id, token=token, expected_version=expected_version
    )
    return Listen("StreamBotTurn", request, played_of, False, timeout)


def watch(
    match_id: str,
    seat: int | None = None,
    token: str | None = None,
    *,
    after_version: int = 0,
    timeout: float | None = None,
) -> Listen[MatchEvent]:
    """The events of a match, those of the past first, until it is over. A lost connection is taken up again."""

    def request(version: int) -> Message:
        return match_pb2.WatchRequest(match_id=match_id, seat=seat, token=token, after_version=version)

    return Listen(
        "Watch",
        request(after_version),
        lambda answer: event_of(answer.event),
        True,
        timeout,
        resume=lambda event: request(event.version),
    )


def undo(match_id: str, token: str, *, expected_version: int | None = None) -> Ask[Match]:
    """Take the last move of a seat back, if it showed nothing and chance drew nothing since."""
    request = match_pb2.UndoRequest(match_id=match_id, token=token, expected_version=expected_version)
    return Ask("Undo", request, lambda answer: match_of(answer.match))


def resign(match_id: str, token: str, *, expected_version: int | None = None) -> Ask[Match]:
    """End the match: the seat loses, the others share the win."""
    request = match_pb2.ResignRequest(match_id=match_id, token=token, expected_version=expected_version)
    return Ask("Resign", request, lambda answer: match_of(answer.match))


def export_record(match_id: str, token: str | None = None) -> Ask[MatchRecord]:
    """The record of a match: for everyone once it is over, before that with the owner's token."""
    request = match_pb2.ExportRecordRequest(match_id=match_id, token=token)
    return Ask(
        "ExportRecord", request, lambda answer: MatchRecord(answer.record, answer.complete), may_repeat=True
    )


def import_record(
    record: str | Record | MatchRecord,
    seats: Sequence[Player] = (),
    *,
    real_dice: bool = False,
    public: bool = False,
) -> Ask[CreatedMatch]:
    """A match from a record (or its text); one that is not finished can be played on.

    Without seats people play, with the names of the record. With `public` every client of the server may look at it.
    """
    request = match_pb2.ImportRecordRequest(
        record=_record_text(record),
        seats=_seats(seats),
        real_dice=real_dice,
        public=public,
        idempotency_key=_key(),
    )
    return Ask("ImportRecord", request, created_of, may_repeat=True)


def delete_match(match_id: str, token: str) -> Ask[None]:
    """Remove a match and all its events, with the owner's token."""
    request = match_pb2.DeleteMatchRequest(match_id=match_id, token=token)
    return Ask("DeleteMatch", request, lambda _: None)


def rotate_token(match_id: str, token: str) -> Ask[str]:
    """A new token in place of one of a seat or the owner, which is refused from then on, whoever else knows it."""
    request = match_pb2.RotateTokenRequest(match_id=match_id, token=token, idempotency_key=_key())
    return Ask("RotateToken", request, lambda answer: str(answer.token), may_repeat=True)


# -- what is sent


def _key() -> str:
    """An idempotency key: however often the request is sent, it is done once."""
    return uuid.uuid4().hex


def _position(observation: Observation, field: str = "observation") -> position_pb2.Position:
    if not isinstance(observation, Mapping):
        raise from_refusal(invalid(field, f"not a JSON object but {type(observation).__name__}"))
    game = observation.get("game")
    if game not in POSITION_GAMES:
        raise from_refusal(not_allowed(f"{field}.game", game, ", ".join(sorted(POSITION_GAMES))))
    try:
        return position_message(dict(observation))
    except (TypeError, ValueError) as error:
        raise _unsendable(observation, field, error) from None


def _unsendable(observation: Observation, field: str, error: Exception) -> Exception:
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
) -> tuple[search_pb2.SearchOptions, float]:
    """The options of a search, and the seconds it may take."""
    spec = _bot(bot, "options.bot", limit)
    if priority not in (None, "low", "normal", "high"):
        raise from_refusal(not_allowed("options.priority", priority, "low, normal, high"))
    _check_whole("options.seed", seed, MAX_SEED)
    _check_whole("options.lines", lines, MAX_MOVES, least=1)
    options = search_pb2.SearchOptions(
        bot=bot_message(spec),
        lines=lines,
        consider=consider,
        avoid=avoid,
        seed=seed,
        priority=f"PRIORITY_{priority.upper()}" if priority else None,
    )
    return options, _thinking(spec)


def _thinking(spec: BotSpec) -> float:
    """The seconds that a bot may think; how long iterations take nobody can tell."""
    if not BOTS[spec.name].uses_limit:
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
    return [_seat(seat, f"seats[{number}]") for number, seat in enumerate(seats)]


def _seat(seat: Player, field: str) -> match_pb2.Seat:
    if seat is None:
        return match_pb2.Seat()
    if not isinstance(seat, Seat):
        seat = Seat(bot=_bot(seat, f"{field}.bot"))
    return seat_message(seat)


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


def _impossible(problem: advisor_pb2.Problem, name: str) -> InvalidRequest:
    field = f"{name}.{problem.field}" if problem.field else name
    return InvalidRequest(
        f"{field}: {problem.description}",
        "INVALID_ARGUMENT",
        fields=[FieldProblem(field, problem.description)],
        reason="INVALID_FIELD",
    )


def _batch_answer(answer: advisor_pb2.AnalyzeBatchResponse) -> tuple[int, Result | InvalidRequest]:
    if answer.HasField("problem"):
        return answer.index, _impossible(answer.problem, f"observations[{answer.index}]")
    return answer.index, result_of(answer.analysis)


def _page(answer: match_pb2.ListMatchesResponse) -> tuple[list[MatchSummary], str]:
    return [summary_of(match) for match in answer.matches], answer.next_page_token


def _observed(answer: match_pb2.ObserveResponse) -> Observed:
    return Observed(_observation(answer.observation), answer.version)


def _observation(position: position_pb2.Position) -> Json:
    """As the game itself writes it, a spectator's view as well."""
    obj = position_json(position, "observation")
    return state_from_observation(obj, 0, spectators=True).observation(obj["observer"])
