"""Messages to Python values and back, for positions, moves, bots and what they answer, for servers and clients alike.

It is all that clients know of the service, besides the plain data of `types.py` and the API itself (`local.py`).

No game is named here: a position's message has the fields of the game's JSON, and stands in `Position` under the
game's name. So does the message of a move's parts in `Move`. A further game adds its messages, and this serves it.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp

from pythia.arena.review import LUCK_KINDS, Decision, LuckyEvent, SeatReview, biggest_mistakes
from pythia.core_cy import Game, Move, View
from pythia.core_cy.contract import MAX_PLAYERS
from pythia.core_cy.descriptions import Description
from pythia.core_cy.move_words import MovePart, MoveWords
from pythia.core_cy.seeds import MAX_SEED
from pythia.search.bots import BOTS, BotInfo, BotSpec, ParameterInfo
from pythia.search.limits import Limit, Per
from pythia.search.result import MoveReport, Result
from pythia.service.config import DEFAULT_PORT as DEFAULT_PORT
from pythia.service.config import is_loopback as is_loopback
from pythia.service.errors import DETAILS as DETAILS
from pythia.service.errors import Refused as Refused
from pythia.service.errors import from_value_error as from_value_error
from pythia.service.errors import invalid as invalid
from pythia.service.errors import missing
from pythia.service.errors import not_allowed as not_allowed
from pythia.service.types import (
    MAX_NAME,
    Applied,
    Autoplay,
    CreatedMatch,
    Described,
    Json,
    Match,
    MatchEvent,
    MatchMoves,
    MatchResult,
    MatchSummary,
    Need,
    OfferedGame,
    OfferedOption,
    OwnerRights,
    Played,
    Problem,
    ReviewPart,
    Score,
    SearchRequest,
    Seat,
    ServerInfo,
    Status,
    TurnStep,
    Watching,
)
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2, position_pb2, search_pb2

T = TypeVar("T")

# The services of the contract.
DESCRIPTORS = (
    engine_pb2.DESCRIPTOR.services_by_name["EngineService"],
    advisor_pb2.DESCRIPTOR.services_by_name["AdvisorService"],
    match_pb2.DESCRIPTOR.services_by_name["MatchService"],
)

MAX_MOVE_TEXT = 200
MAX_PART_BYTES = 65_536  # of a position, which has about 6000, or of the options of a game
MAX_MOVES = 2000
DEFAULT_LINES = 10
DEFAULT_LANGUAGE = "en"
# The largest whole number a bot's parameter may have, unless its default is larger.
MAX_PARAMETER = 1000

POSITION_GAMES = frozenset(position_pb2.Position.DESCRIPTOR.fields_by_name)
MOVE_GAMES = frozenset(position_pb2.Move.DESCRIPTOR.fields_by_name) - {"text"}

# -- positions


def to_json(message: Message) -> Json:
    """What `MessageToDict` with original field names gives, several times as fast: fields that are set, by name."""
    obj: Json = {}
    for field, value in message.ListFields():
        if field.message_type is None:
            obj[field.name] = list(value) if field.is_repeated else value
        elif field.is_repeated:
            obj[field.name] = (
                list_json(message, field, value) if len(value) > LONG_LIST else list(map(to_json, value))
            )
        else:
            obj[field.name] = to_json(value)
    return obj


# The board is most of a position, and the same in all positions of a game: long lists are kept as they were read.
LONG_LIST = 40
LISTS_KEPT, MAX_LIST_BYTES = 64, 16_384


def list_json(message: Message, field: FieldDescriptor, value: Any) -> list[Json]:
    alone = type(message)()
    getattr(alone, field.name).MergeFrom(value)
    data = alone.SerializeToString(deterministic=True)
    if len(data) > MAX_LIST_BYTES:
        return list(map(to_json, value))
    return read_list(type(message), field.name, data)  # type: ignore[arg-type]  # a class can be hashed


@lru_cache(maxsize=LISTS_KEPT)
def read_list(kind: type[Message], name: str, data: bytes) -> list[Json]:
    """Cached: callers must not change it."""
    return list(map(to_json, getattr(kind.FromString(data), name)))


def check_size(message: Message, field: str) -> None:
    """What is read on the event loop must be small: while it is, all other calls wait."""
    if message.ByteSize() > MAX_PART_BYTES:
        raise invalid(field, f"{message.ByteSize()} bytes are too many; allowed: {MAX_PART_BYTES}")


def position_json(position: position_pb2.Position, field: str) -> Json:
    """The JSON of a position in a request; the game itself checks what is in it."""
    game = position.WhichOneof("game")
    if game is None:
        raise missing(field, f"a position of one of the games: {', '.join(sorted(POSITION_GAMES))}")
    check_size(position, field)
    obj = to_json(getattr(position, game))
    if obj.get("game") != game:
        raise not_allowed(f"{field}.game", obj.get("game", ""), game)
    return obj


def observation_json(position: position_pb2.Position, field: str) -> Json:
    obj = position_json(position, field)
    if "observer" not in obj:
        raise missing(
            f"{field}.observer",
            "the seat that sees this; full states are not taken, since bots must not see them",
        )
    return obj


def position_message(obj: Json) -> position_pb2.Position:
    """The message of a state's or observation's JSON."""
    return position_pb2.Position(**{obj["game"]: obj})


# -- moves


def move_message(game: Game, move: Move) -> position_pb2.Move:
    fields = game.move_fields(move)
    text = fields.pop("text")
    if fields and game.name in MOVE_GAMES:
        return position_pb2.Move(text=text, **{game.name: fields})
    return position_pb2.Move(text=text)


def move_text(text: str, field: str) -> str:
    if not text:
        raise missing(field, "the text of a move")
    if len(text) > MAX_MOVE_TEXT:
        raise invalid(field, f"{len(text)} characters are too many; allowed: {MAX_MOVE_TEXT}")
    return text


def move_texts(texts: Sequence[str], field: str) -> list[str]:
    if len(texts) > MAX_MOVES:
        raise invalid(field, f"{len(texts)} moves are too many; allowed: {MAX_MOVES}")
    return [move_text(text, f"{field}[{number}]") for number, text in enumerate(texts)]


def seat_names(names: Sequence[str], field: str) -> list[str]:
    if len(names) > MAX_PLAYERS:
        raise invalid(field, f"{len(names)} names are too many; allowed: {MAX_PLAYERS}")
    for seat, name in enumerate(names):
        if len(name) > MAX_NAME:
            raise invalid(f"{field}[{seat}]", f"{len(name)} characters are too many; allowed: {MAX_NAME}")
    return list(names)


# -- bots and searches


# Places in the scheduler's order, by the contract's priorities.
PRIORITIES: dict[search_pb2.Priority, int] = {
    search_pb2.PRIORITY_UNSPECIFIED: 1,
    search_pb2.PRIORITY_HIGH: 0,
    search_pb2.PRIORITY_NORMAL: 1,
    search_pb2.PRIORITY_LOW: 2,
}


def search_options(
    options: search_pb2.SearchOptions, default_priority: int = 1, default_bot: BotSpec | None = None
) -> SearchRequest:
    if not 0 <= options.lines <= MAX_MOVES:
        raise not_allowed("options.lines", options.lines, f"0 to {MAX_MOVES}")
    if not 0 <= options.seed <= MAX_SEED:
        raise not_allowed("options.seed", options.seed, f"0 to {MAX_SEED}")
    if options.priority not in PRIORITIES:
        raise not_allowed("options.priority", options.priority, "a value of Priority")
    strongest = next(reversed(BOTS))
    return SearchRequest(
        bot_spec(options.bot, "options.bot")
        if options.HasField("bot")
        else default_bot or BotSpec(strongest),
        options.seed,
        options.lines or DEFAULT_LINES,
        move_texts(options.consider, "options.consider"),
        move_texts(options.avoid, "options.avoid"),
        PRIORITIES[options.priority] if options.priority else default_priority,
        options.language or DEFAULT_LANGUAGE,
    )


def bot_spec(message: search_pb2.BotSpec, field: str) -> BotSpec:
    """The bot, or a refusal that names the part of the message. Whether a server offers it is not known here."""
    limit = limit_of(message.limit, f"{field}.limit") if message.HasField("limit") else None
    info = BOTS.get(message.name)
    params = []
    for name, value in message.parameters.items():
        where = f"{field}.parameters[{name[:40]!r}]"
        params.append((name, parameter_value(info, name, value, where)))
    names = {name: f"{field}.parameters[{name!r}]" for name, _ in params}
    try:
        return BotSpec(
            message.name,
            message.level if message.HasField("level") else None,
            message.threads or 1,
            limit,
            tuple(sorted(params)),
        )
    except ValueError as error:
        raise from_value_error(error, field, names) from None


def parameter_value(bot: BotInfo | None, name: str, value: float, field: str) -> bool | int | float:
    """The value of a built-in bot's parameter as the type it has. Of other bots only who makes them knows the types."""
    if not math.isfinite(value):
        raise not_allowed(field, value, "a finite number")
    if bot is None:
        return int(value) if value == int(value) else value
    known = {parameter.name: parameter for parameter in bot.parameters}
    if name not in known:
        raise invalid(field, f"is not known; known: {', '.join(known) or f'none for {bot.name}'}")
    info = known[name]
    if info.type == "float":
        return value
    if info.type == "bool":
        if value not in (0, 1):
            raise not_allowed(field, value, "0 or 1")
        return bool(value)
    most = max(MAX_PARAMETER, int(info.default))
    if value != int(value) or not 0 <= value <= most:
        raise not_allowed(field, value, f"a whole number from 0 to {most}")
    return int(value)


SCOPES: dict[search_pb2.LimitScope, Per] = {
    search_pb2.LIMIT_SCOPE_UNSPECIFIED: "decision",
    search_pb2.LIMIT_SCOPE_DECISION: "decision",
    search_pb2.LIMIT_SCOPE_TURN: "turn",
}


def limit_of(message: search_pb2.Limit, field: str) -> Limit:
    iterations = message.iterations if message.HasField("iterations") else None
    seconds = message.seconds if message.HasField("seconds") else None
    if iterations is None and seconds is None:
        raise missing(field, "iterations, seconds or both")
    if message.scope not in SCOPES:
        raise not_allowed(f"{field}.scope", message.scope, "a value of LimitScope")
    try:
        return Limit(iterations, seconds, SCOPES[message.scope])
    except ValueError as error:
        raise from_value_error(error, field) from None


def bot_message(spec: BotSpec) -> search_pb2.BotSpec:
    message = search_pb2.BotSpec(name=spec.name, level=spec.level, threads=spec.threads)
    for name, value in spec.params:
        if not isinstance(value, (int, float)):
            raise not_allowed(f"parameters[{name!r}]", value, "a number, as a server gets nothing else")
        message.parameters[name] = value
    if spec.limit is not None:
        scopes = {per: scope for scope, per in SCOPES.items()}
        message.limit.CopyFrom(
            search_pb2.Limit(
                iterations=spec.limit.iterations, seconds=spec.limit.seconds, scope=scopes[spec.limit.per]
            )
        )
    return message


def analysis_message(view: View, result: Result, lines: int) -> search_pb2.Analysis:
    """What a bot answered about what it saw."""

    def move(text: str) -> position_pb2.Move:
        return move_message(view.game, view.read_move(text))

    return search_pb2.Analysis(
        move=move(result.move),
        moves=[report_message(move(report.move), report) for report in result.moves[:lines]],
        values=result.values,
        rounds_left=result.rounds_left or [],
        reasons=result.reasons,
        iterations=result.iterations,
        depth=result.depth,
        nodes=result.nodes,
        seconds=result.seconds,
    )


def report_message(move: position_pb2.Move, report: MoveReport) -> search_pb2.MoveReport:
    return search_pb2.MoveReport(
        move=move,
        visits=report.visits,
        win_probability=report.win_probability,
        low=report.low,
        high=report.high,
        prior=report.prior,
        expected_rank=report.expected_rank,
        line=report.line,
        line_probability=report.line_probability,
    )


def result_of(analysis: search_pb2.Analysis) -> Result:
    """What `analysis_message` was made of, as far as its lines tell."""
    return Result(
        move=analysis.move.text,
        moves=[report_of(report) for report in analysis.moves],
        values=list(analysis.values),
        rounds_left=list(analysis.rounds_left) or None,
        reasons=list(analysis.reasons),
        iterations=analysis.iterations,
        depth=analysis.depth,
        nodes=analysis.nodes,
        seconds=analysis.seconds,
    )


def report_of(report: search_pb2.MoveReport) -> MoveReport:
    return MoveReport(
        move=report.move.text,
        visits=report.visits,
        win_probability=report.win_probability if report.HasField("win_probability") else None,
        low=report.low,
        high=report.high,
        prior=report.prior,
        expected_rank=report.expected_rank if report.HasField("expected_rank") else None,
        line=list(report.line),
        line_probability=report.line_probability,
    )


def score_message(score: Score) -> search_pb2.Score:
    return search_pb2.Score(total=score.total, parts=score.parts)


def score_of(message: search_pb2.Score) -> Score:
    return Score(message.total, dict(message.parts))


# -- moves for people, and what they lead to

# Reveals of one move, and their length, which is that of a move.
MAX_REVEALS = 100


def reveal_texts(texts: Sequence[str], field: str) -> list[str]:
    if len(texts) > MAX_REVEALS:
        raise invalid(field, f"{len(texts)} reveals are too many; allowed: {MAX_REVEALS}")
    return [move_text(text, f"{field}[{number}]") for number, text in enumerate(texts)]


def words_message(view: View, words: MoveWords) -> advisor_pb2.MoveDescription:
    return advisor_pb2.MoveDescription(
        move=move_message(view.game, view.read_move(words.move)),
        label=words.label,
        parts=[advisor_pb2.MovePart(role=part.role, key=part.key, label=part.label) for part in words.parts],
        price=words.price,
        odds=words.odds,
        gains=words.gains,
    )


def words_of(message: advisor_pb2.MoveDescription) -> MoveWords:
    return MoveWords(
        message.move.text,
        message.label,
        tuple(MovePart(part.role, part.key, part.label) for part in message.parts),
        message.price,
        message.odds,
        message.gains,
    )


def applied_message(applied: Applied) -> advisor_pb2.ApplyMoveResponse:
    return advisor_pb2.ApplyMoveResponse(
        observation=None if applied.observation is None else position_message(applied.observation),
        need=NEED_NUMBERS[applied.need],
        outcomes=[move_message(move.game, move) for move in applied.parsed],
        probabilities=applied.probabilities,
        reveals=applied.reveals,
    )


# -- reviews


def review_message(part: ReviewPart) -> search_pb2.ReviewPart:
    message = search_pb2.ReviewPart(done=part.done, total=part.total)
    found = part.found
    if isinstance(found, Decision):
        message.decision.CopyFrom(decision_message(found))
    elif isinstance(found, LuckyEvent):
        message.luck.CopyFrom(search_pb2.LuckyEvent(**asdict(found)))
    elif found is not None:
        fields = asdict(found)
        del fields["biggest"], fields["mean_loss"]
        message.summary.CopyFrom(search_pb2.SeatReview(**fields))
    return message


def decision_message(decision: Decision) -> search_pb2.ReviewedDecision:
    fields = asdict(decision)
    low, high = fields.pop("low"), fields.pop("high")
    return search_pb2.ReviewedDecision(**fields, loss_low=low, loss_high=high, mistake=decision.is_mistake)


def decision_of(message: search_pb2.ReviewedDecision) -> Decision:
    return Decision(
        message.number,
        message.turn,
        message.seat,
        message.move,
        message.best,
        message.loss,
        message.loss_low,
        message.loss_high,
        message.difference,
        message.error,
        message.win_probability,
        list(message.reasons),
        message.choices,
        list(message.line),
        list(message.values),
    )


def luck_of(message: search_pb2.LuckyEvent) -> LuckyEvent:
    kind = known("kind", message.kind, {kind: kind for kind in LUCK_KINDS})
    return LuckyEvent(
        message.number,
        message.turn,
        message.seat,
        message.by,
        message.event,
        kind,
        message.luck,
        message.error,
    )


class ReviewReader:
    """Reads the parts of one review: the sums of a seat name its biggest mistakes, which came before them."""

    def __init__(self) -> None:
        self._decisions: list[Decision] = []

    def read(self, message: search_pb2.ReviewPart) -> ReviewPart:
        found: Decision | LuckyEvent | SeatReview | None = None
        match message.WhichOneof("part"):
            case "decision":
                found = decision_of(message.decision)
                self._decisions.append(found)
            case "luck":
                found = luck_of(message.luck)
            case "summary":
                found = self._summary(message.summary)
        return ReviewPart(message.done, message.total, found)

    def _summary(self, message: search_pb2.SeatReview) -> SeatReview:
        return SeatReview(
            message.seat,
            message.name,
            message.decisions,
            message.total_loss,
            message.total_loss_low,
            message.total_loss_high,
            message.total_loss / message.decisions if message.decisions else 0.0,
            message.mistakes,
            biggest_mistakes(self._decisions, message.seat),
            message.events,
            message.total_luck,
            message.total_luck_low,
            message.total_luck_high,
            message.result if message.HasField("result") else None,
        )


def problem_message(problem: Problem) -> advisor_pb2.Problem:
    return advisor_pb2.Problem(field=problem.field, description=problem.description)


# -- what a server offers

OPTION_TYPES = {
    "int": engine_pb2.OPTION_TYPE_INT,
    "str": engine_pb2.OPTION_TYPE_STRING,
    "bool": engine_pb2.OPTION_TYPE_BOOL,
    "float": engine_pb2.OPTION_TYPE_FLOAT,
    "json": engine_pb2.OPTION_TYPE_JSON,
}


def game_message(game: OfferedGame) -> engine_pb2.GameInfo:
    return engine_pb2.GameInfo(
        name=game.name,
        title=game.title,
        min_players=game.min_players,
        max_players=game.max_players,
        options=[
            engine_pb2.OptionInfo(
                name=option.name,
                type=OPTION_TYPES[option.type],
                default_json=json.dumps(option.default),
                allowed=option.allowed,
                help=option.help,
            )
            for option in game.options
        ],
        values=[engine_pb2.ValueList(name=name, values=values) for name, values in game.values.items()],
        languages=game.languages,
        hides=game.hides,
        scored=game.scored,
    )


def description_message(entry: Description) -> engine_pb2.Description:
    return engine_pb2.Description(key=entry.key, title=entry.title, text=entry.text, aliases=entry.aliases)


def described_of(message: engine_pb2.DescribeResponse) -> Described:
    entries = (Description(one.key, one.title, one.text, tuple(one.aliases)) for one in message.descriptions)
    return Described(tuple(entries), tuple(message.suggestions))


def game_of(message: engine_pb2.GameInfo) -> OfferedGame:
    options = tuple(
        OfferedOption(
            option.name,
            option_type(option.type),
            json.loads(option.default_json),
            option.allowed,
            option.help,
        )
        for option in message.options
    )
    return OfferedGame(
        message.name,
        message.title,
        message.min_players,
        message.max_players,
        options,
        {values.name: tuple(values.values) for values in message.values},
        tuple(message.languages),
        message.hides,
        message.scored,
    )


def server_info_of(message: engine_pb2.GetServerInfoResponse) -> ServerInfo:
    return ServerInfo(
        message.name,
        message.version,
        message.uptime.ToTimedelta().total_seconds(),
        tuple(message.games),
        message.max_search_seconds,
        message.max_search_iterations,
        message.max_search_threads,
    )


def bot_info_message(info: BotInfo) -> engine_pb2.BotInfo:
    return engine_pb2.BotInfo(
        name=info.name,
        help=info.help,
        levels=info.levels,
        uses_limit=info.uses_limit,
        parameters=[
            engine_pb2.ParameterInfo(
                name=parameter.name, type=OPTION_TYPES[parameter.type], default_value=float(parameter.default)
            )
            for parameter in info.parameters
        ],
    )


def option_type(number: int) -> str:
    """The word for a type; newer servers may know types that are not known here."""
    return next((word for word, known in OPTION_TYPES.items() if known == number), "json")


def bot_info_of(message: engine_pb2.BotInfo) -> BotInfo:
    return BotInfo(
        message.name,
        message.help,
        tuple(message.levels),
        message.uses_limit,
        tuple(parameter_info_of(parameter) for parameter in message.parameters),
    )


def parameter_info_of(message: engine_pb2.ParameterInfo) -> ParameterInfo:
    kind, value = option_type(message.type), message.default_value
    default = bool(value) if kind == "bool" else int(value) if kind == "int" else value
    return ParameterInfo(message.name, kind, default)


# -- plain values


# What a page of matches begins after: when the last one of the page before was created, and its id.
MAX_PAGE_TOKEN = 200


def page_token(created: float, match_id: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([created, match_id]).encode()).decode()


def page_start(token: str) -> tuple[float, str]:
    refused = not_allowed("page_token", token, "what the answer before gave")
    if len(token) > MAX_PAGE_TOKEN:
        raise refused
    try:
        created, match_id = json.loads(base64.urlsafe_b64decode(token.encode()))
    except (ValueError, TypeError, RecursionError):
        raise refused from None
    if type(created) is not float or not math.isfinite(created) or not isinstance(match_id, str):
        raise refused
    if not match_id.isprintable():
        raise refused
    return created, match_id


def struct_json(struct: Struct, field: str) -> Json:
    """A Struct as JSON, whole numbers as such."""
    return {name: plain_value(value, f"{field}.{name}", 0) for name, value in struct.fields.items()}


def plain_value(value: Any, field: str, depth: int) -> Any:
    kind = value.WhichOneof("kind")
    if depth > 10:
        raise invalid(field, "nested too deeply")
    if kind is None or kind == "null_value":
        return None
    if kind == "struct_value":
        return {
            name: plain_value(item, f"{field}.{name}", depth + 1)
            for name, item in value.struct_value.fields.items()
        }
    if kind == "list_value":
        return [
            plain_value(item, f"{field}[{number}]", depth + 1)
            for number, item in enumerate(value.list_value.values)
        ]
    plain = getattr(value, kind)
    if isinstance(plain, float):
        if not math.isfinite(plain):
            raise not_allowed(field, plain, "a finite number")
        return int(plain) if plain == int(plain) else plain
    return plain


def struct_message(values: Mapping[str, Any]) -> Struct:
    struct = Struct()
    struct.update(dict(values))
    return struct


def timestamp(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def moment(stamp: Timestamp) -> datetime:
    return stamp.ToDatetime(UTC)


def known(name: str, number: Any, words: Mapping[Any, T]) -> T:
    """The word for a value; a newer server may send others."""
    if number not in words:
        raise ValueError(f"{name}: {number} is not known")
    return words[number]


# -- matches

STATUSES: dict[int, Status] = {match_pb2.MATCH_STATUS_ACTIVE: "active", match_pb2.MATCH_STATUS_OVER: "over"}
STATUS_NUMBERS = {word: number for number, word in STATUSES.items()}


def status_filter(status: match_pb2.MatchStatus) -> Status | None:
    if status and status not in STATUSES:
        raise not_allowed("status", status, "a value of MatchStatus")
    return STATUSES.get(status)


def seat_of(message: match_pb2.Seat, field: str) -> Seat:
    return Seat(message.name, bot_spec(message.bot, f"{field}.bot") if message.HasField("bot") else None)


def seats_of(messages: Sequence[match_pb2.Seat]) -> list[Seat]:
    return [seat_of(message, f"seats[{number}]") for number, message in enumerate(messages)]


def seat_message(seat: Seat) -> match_pb2.Seat:
    return match_pb2.Seat(name=seat.name, bot=bot_message(seat.bot) if seat.bot else None)


def summary_fields(match: MatchSummary) -> dict[str, Any]:
    """The fields that a match and its line in a list both have."""
    return {
        "id": match.id,
        "game": match.game,
        "status": STATUS_NUMBERS[match.status],
        "version": match.version,
        "seats": [seat_message(seat) for seat in match.seats],
        "create_time": timestamp(match.created),
    }


def summary_values(message: match_pb2.Match | match_pb2.MatchSummary) -> Json:
    return {
        "id": message.id,
        "game": message.game,
        "status": known("status", message.status, STATUSES),
        "version": message.version,
        "seats": tuple(seats_of(message.seats)),
        "created": moment(message.create_time),
    }


def summary_message(match: MatchSummary) -> match_pb2.MatchSummary:
    return match_pb2.MatchSummary(**summary_fields(match))


def summary_of(message: match_pb2.MatchSummary) -> MatchSummary:
    return MatchSummary(**summary_values(message))


def match_message(match: Match) -> match_pb2.Match:
    return match_pb2.Match(
        **summary_fields(match),
        options=struct_message(match.options),
        real_dice=match.real_dice,
        to_act=match.to_act,
        turn_number=match.turn_number,
        result=result_message(match.result) if match.result else None,
        update_time=timestamp(match.updated),
        seed_chosen=match.seed_chosen,
        reproducible=match.reproducible,
        imported=match.imported,
        public=match.public,
        owner=match_pb2.OwnerRights(
            exports_unfinished=match.owner.exports_unfinished, seats=match.owner.seats
        ),
        scores=map(score_message, match.scores),
        autoplay=autoplay_message(match.autoplay) if match.autoplay else None,
        hints=match.hints,
        values=match.values,
    )


def match_of(message: match_pb2.Match) -> Match:
    return Match(
        **summary_values(message),
        options=struct_json(message.options, "options"),
        real_dice=message.real_dice,
        to_act=message.to_act,
        turn_number=message.turn_number,
        result=match_result_of(message.result) if message.HasField("result") else None,
        updated=moment(message.update_time),
        seed_chosen=message.seed_chosen,
        reproducible=message.reproducible,
        imported=message.imported,
        public=message.public,
        owner=OwnerRights(message.owner.exports_unfinished, tuple(message.owner.seats)),
        scores=tuple(map(score_of, message.scores)),
        autoplay=autoplay_of(message.autoplay) if message.HasField("autoplay") else None,
        hints=message.hints,
        values=tuple(message.values),
    )


def result_message(result: MatchResult) -> match_pb2.MatchResult:
    return match_pb2.MatchResult(
        winners=result.winners,
        returns=result.returns,
        reason=result.reason,
        scores=map(score_message, result.scores),
    )


def match_result_of(message: match_pb2.MatchResult) -> MatchResult:
    return MatchResult(
        tuple(message.winners), tuple(message.returns), message.reason, tuple(map(score_of, message.scores))
    )


def autoplay_message(autoplay: Autoplay) -> match_pb2.Autoplay:
    return match_pb2.Autoplay(paused=autoplay.paused, seconds_per_move=autoplay.seconds_per_move)


def autoplay_of(message: match_pb2.Autoplay) -> Autoplay:
    return Autoplay(message.paused, message.seconds_per_move)


def watching_message(asked: Watching) -> match_pb2.WatchRequest:
    return match_pb2.WatchRequest(
        match_id=asked.match_id, seat=asked.seat, token=asked.token, after_version=asked.after_version
    )


def watching_of(message: match_pb2.WatchRequest) -> Watching:
    seat = message.seat if message.HasField("seat") else None
    return Watching(message.match_id, seat, message.token, message.after_version)


def event_message(event: MatchEvent) -> match_pb2.MatchEvent:
    message = match_pb2.MatchEvent(version=event.version, by=event.by, time=timestamp(event.time))
    if event.parsed is not None:
        message.move.CopyFrom(move_message(event.parsed.game, event.parsed))
    else:
        getattr(message, event.kind).SetInParent()
    return message


def event_of(message: match_pb2.MatchEvent) -> MatchEvent:
    kind = message.WhichOneof("kind")
    if kind is None:
        raise ValueError(f"event {message.version}: its kind is not known")
    return MatchEvent(message.version, message.by, kind, message.move.text, moment(message.time))


def played_of(
    message: match_pb2.SubmitMoveResponse | match_pb2.PlayBotTurnResponse | match_pb2.StreamBotTurnResponse,
) -> Played:
    return Played([event_of(event) for event in message.events], match_of(message.match))


def created_of(message: match_pb2.CreateMatchResponse | match_pb2.ImportRecordResponse) -> CreatedMatch:
    return CreatedMatch(match_of(message.match), tuple(message.seat_tokens), message.owner_token)


def moves_message(moves: MatchMoves) -> match_pb2.ListLegalMovesResponse:
    return match_pb2.ListLegalMovesResponse(
        moves=[move_message(move.game, move) for move in moves.parsed],
        to_act=moves.to_act,
        version=moves.version,
        probabilities=moves.probabilities,
    )


def moves_of(message: match_pb2.ListLegalMovesResponse) -> MatchMoves:
    texts = [move.text for move in message.moves]
    return MatchMoves(texts, message.to_act, message.version, list(message.probabilities))


# -- a bot's turn

NEEDS: dict[advisor_pb2.TurnNeed, Need] = {
    advisor_pb2.TURN_NEED_NOTHING: "nothing",
    advisor_pb2.TURN_NEED_OUTCOME: "outcome",
    advisor_pb2.TURN_NEED_OBSERVATION: "observation",
    advisor_pb2.TURN_NEED_OVER: "over",
}
NEED_NUMBERS = {word: number for number, word in NEEDS.items()}


def turn_step_of(message: advisor_pb2.PlayTurnResponse) -> TurnStep:
    result = result_of(message.analysis) if message.HasField("analysis") else None
    return TurnStep(result, known("need", message.need, NEEDS), tuple(message.reveals))
