"""What the service takes and gives, besides `Result`, `BotSpec`, `BotInfo`, `Limit` and `Record`: plain, frozen data.

The same whether a client calls a server or the service in its own process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, Self

from pythia.arena.review import Decision, LuckyEvent, SeatReview
from pythia.core_cy import Move
from pythia.core_cy.descriptions import Description
from pythia.core_cy.record import Record
from pythia.search.bots import BotSpec
from pythia.search.result import Result

Json = dict[str, Any]
Status = Literal["active", "over"]
EventKind = Literal["move", "undone", "resigned"]
Need = Literal["nothing", "outcome", "observation", "over"]
# Characters in the name of a player.
MAX_NAME = 100


@dataclass(frozen=True)
class SearchRequest:
    """What a caller asks of a bot. Searches of priority 0 go first, those of 2 last. `language`: of the reasons."""

    spec: BotSpec
    seed: int = 0
    lines: int = 10
    consider: Sequence[str] = ()
    avoid: Sequence[str] = ()
    priority: int = 1
    language: str = "en"


@dataclass(frozen=True)
class ServerInfo:
    """What a server is, and the most it allows of one search."""

    name: str
    version: str
    uptime: float  # seconds
    games: tuple[str, ...]
    max_search_seconds: float
    max_search_iterations: int
    max_search_threads: int


@dataclass(frozen=True)
class OfferedOption:
    """One option of a game's set-up; `type` is int, str, bool, float or json, `allowed` says the values in words."""

    name: str
    type: str
    default: Any
    allowed: str
    help: str


@dataclass(frozen=True)
class OfferedGame:
    """A game. `values` lists by name what fields of its positions and moves can be, such as the colors."""

    name: str
    title: str
    min_players: int
    max_players: int
    options: tuple[OfferedOption, ...]
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    languages: tuple[str, ...] = ()  # it is described in; none: it is not
    hides: bool = True  # some things are not seen by everyone
    scored: bool = False


@dataclass(frozen=True)
class Described:
    """What words of a game mean; for those that are not known, words close to them."""

    descriptions: tuple[Description, ...]
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seat:
    """Who plays a seat: a bot, or a person when there is none. Without a name it is `seat 0` and so on."""

    name: str = ""
    bot: BotSpec | None = None


@dataclass(frozen=True)
class Score:
    """How a seat is scored: the sum, and what it is made of by name."""

    total: float
    parts: dict[str, float]


@dataclass(frozen=True)
class MatchResult:
    """How a match ended: the winners, each seat's return (1 split among the winners), and why.

    `scores` are final, in seat order; none for games without scores.
    """

    winners: tuple[int, ...]
    returns: tuple[float, ...]
    reason: str
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True)
class Autoplay:
    """How the server plays the bots of a match: whether it is paused, and the seconds between moves."""

    paused: bool = False
    seconds_per_move: float = 0.0


@dataclass(frozen=True)
class MatchSummary:
    """A match in a list. `version` counts its events."""

    id: str
    game: str
    status: Status
    version: int
    seats: tuple[Seat, ...]
    created: datetime

    @property
    def is_over(self) -> bool:
        return self.status == "over"


@dataclass(frozen=True)
class OwnerRights:
    """What the owner of a match can see while it goes on: its record, and what the seats see whose tokens it holds."""

    exports_unfinished: bool
    seats: tuple[int, ...]


@dataclass(frozen=True)
class Match(MatchSummary):
    """How a match stands. `to_act` is a seat, -1 for chance, -2 when over.

    `reproducible`: the seed reveals what is hidden. `imported`: the importer knows the record.
    """

    options: Json
    real_dice: bool
    to_act: int
    turn_number: int
    result: MatchResult | None
    updated: datetime
    seed_chosen: bool
    reproducible: bool
    imported: bool
    public: bool
    owner: OwnerRights
    scores: tuple[Score, ...] = ()  # as everyone sees them now, in seat order; none for games without scores
    autoplay: Autoplay | None = None
    hints: bool = False  # players may ask for hints although other people play
    values: tuple[
        float, ...
    ] = ()  # win probabilities as spectators judge them, while bots play among themselves


@dataclass(frozen=True)
class MatchEvent:
    """Something that happened: by a seat, or by chance (-1). An outcome that the viewer may not see has no text."""

    version: int
    by: int
    kind: EventKind
    move: str
    time: datetime
    # The move itself where the match is in this process. No field: it is not compared, shown or made JSON.
    parsed: ClassVar[Move | None] = None

    def of_move(self, move: Move) -> Self:
        object.__setattr__(self, "parsed", move)
        return self


@dataclass(frozen=True)
class Problem:
    """What is wrong with a position: the part of it, empty for all of it, and why."""

    field: str
    description: str


@dataclass(frozen=True)
class CreatedMatch:
    """A new match. `seat_tokens` are in seat order, empty for bots."""

    match: Match
    seat_tokens: tuple[str, ...]
    owner_token: str

    @property
    def id(self) -> str:
        return self.match.id


@dataclass(frozen=True)
class Observed:
    """What a seat or a spectator sees, and the version of the match it shows."""

    observation: Json
    version: int


@dataclass(frozen=True)
class Watching:
    """A match to watch: as a seat, with its token, or as a spectator; only events after a version."""

    match_id: str
    seat: int | None = None
    token: str = ""
    after_version: int = 0


@dataclass(frozen=True)
class Watched:
    """An event of one of several matches, or in `ended` why no more will come from it.

    With the newest event also how the match stands and, if asked for, what the viewer sees.
    """

    match_id: str
    event: MatchEvent | None = None
    observation: Json | None = None
    match: Match | None = None
    ended: str = ""


@dataclass(frozen=True)
class Hint:
    """What is known so far about the position at a version; `final` when no more will come."""

    result: Result
    final: bool
    version: int


@dataclass(frozen=True)
class MatchMoves:
    """The moves of the seat to act; at chance (-1) the outcomes with their probabilities."""

    moves: list[str]
    to_act: int
    version: int
    probabilities: list[float]
    parsed: ClassVar[Sequence[Move]] = ()  # the moves themselves, as in MatchEvent

    def of_moves(self, moves: Sequence[Move]) -> Self:
        object.__setattr__(self, "parsed", moves)
        return self


@dataclass(frozen=True)
class Played:
    """What happened: the moves with what chance drew after them, and how the match stands now."""

    events: list[MatchEvent]
    match: Match


@dataclass(frozen=True)
class MatchRecord:
    """A record as JSON Lines; `complete` when the game was played to its end."""

    text: str
    complete: bool

    def read(self) -> Record:
        return Record.read(self.text.splitlines(), unfinished=True)


@dataclass(frozen=True)
class TurnStep:
    """A step of a bot's turn: its move with the analysis, and what the bot needs before it continues.

    `result` is None in a step that only says what is needed.
    """

    result: Result | None
    need: Need
    reveals: tuple[
        str, ...
    ] = ()  # what `reveal` may say, where an observation is needed and text can tell it

    @property
    def move(self) -> str | None:
        return self.result.move if self.result else None


@dataclass(frozen=True)
class ReviewPart:
    """What a review found, and its progress: `done` of `total` moves.

    `found` is None where a move had neither a choice nor luck in it. The sums of the seats come last.
    """

    done: int
    total: int
    found: Decision | LuckyEvent | SeatReview | None


@dataclass(frozen=True)
class Applied:
    """What a seat sees after a move, and what comes next.

    Without an observation, the caller must first report what the move showed: `reveals` has the possible texts.
    `outcomes` are those that chance can have next, where it decides.
    """

    observation: Json | None
    need: Need
    outcomes: list[str] = field(default_factory=list)
    probabilities: list[float] = field(default_factory=list)
    reveals: list[str] = field(default_factory=list)
    parsed: ClassVar[Sequence[Move]] = ()  # the outcomes themselves, as in MatchEvent

    def of_moves(self, moves: Sequence[Move]) -> Self:
        object.__setattr__(self, "parsed", moves)
        return self
