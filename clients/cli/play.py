"""The command `play`: a person against bots in the terminal."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from difflib import get_close_matches
from itertools import count, groupby, zip_longest
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from pythia.clients.calls import DEFAULT_BOT
from pythia.clients.cli.console import (
    CommandError,
    Json,
    Options,
    ServerOptions,
    keep_tokens,
    not_allowed,
    open_client,
    plain_table,
    read_options,
    read_record,
    reason,
    refusing,
    terminal,
)
from pythia.clients.cli.explain import explained, language_of
from pythia.clients.cli.live import INTERVAL_SECONDS, watched
from pythia.clients.cli.palette import colored
from pythia.clients.cli.prompt import Prompt
from pythia.clients.cli.views import analysis, move_groups, who
from pythia.clients.cli.window import (
    GAP,
    draw,
    everything,
    fitted,
    in_columns,
    is_cut,
    least,
    legend,
    wrapped,
)
from pythia.clients.client import Client
from pythia.clients.errors import Conflict, NotNow, PythiaError
from pythia.clients.types import CreatedMatch, Match, MatchEvent, Played, Score, Seat
from pythia.core_cy import CHANCE, DEFAULT_GAME, IllegalMove, View, players_or_fewest
from pythia.core_cy.descriptions import descriptions, lookup
from pythia.core_cy.move_words import MoveWords, describe_move, describe_moves, tell_news
from pythia.core_cy.panels import Screen
from pythia.core_cy.picture import screen_of
from pythia.core_cy.record import Record
from pythia.search.bots import BOTS, BotSpec
from pythia.search.limits import Limit
from pythia.service.config import state_folder

DEFAULT_LEVEL = 3
# The number of moves to list at once; if there are more, they are counted by kind.
FEW = 24
# More columns of moves than fit into any window.
MOST_COLUMNS = 5
# The smallest window that every decision fits.
COLUMNS, ROWS = 80, 24
# Lines below the board: for news and moves at least, and for news if the moves need the rest.
LEAST_BELOW, FEW_NEWS = 5, 3
# The columns from which moves are listed with their text; as many rows as nothing fills.
WIDE, ENDLESS = 120, 10_000
HINT_SECONDS, HINT_LINES = 2.0, 6
YOU = "you"
HERE = Path()
# What can be typed while the service does not do what is next.
TROUBLED = ("save", "quit")
YES, NO = ("", "y", "yes"), ("n", "no")


def play(
    *,
    game: Annotated[
        str | None, Parameter(help=f"The game; `pythia games` lists them; by default {DEFAULT_GAME}.")
    ] = None,
    players: Annotated[
        int | None, Parameter(help="The number of players; by default the fewest that the game allows.")
    ] = None,
    seat: Annotated[int | None, Parameter(help="Your seat, counted from 0 (the default).")] = None,
    bot: Annotated[
        tuple[str, ...],
        Parameter(
            negative=(),
            show_default=False,
            help="The bot to play against, such as greedy or ismcts:level=7. Repeat it for several bots; "
            "the last one takes all remaining seats.",
        ),
    ] = (),
    level: Annotated[
        int | None, Parameter(help=f"The strength of the bots, 1 to 10; by default {DEFAULT_LEVEL}.")
    ] = None,
    seed: Annotated[int | None, Parameter(help="The same seed deals the same game.")] = None,
    option: Options = (),
    real_dice: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="Roll and draw yourself, and enter what dice and cards show. Only for games without hidden draws.",
        ),
    ] = False,
    auto: Annotated[
        bool,
        Parameter(negative=(), show_default=False, help="Play a move without asking if it is the only one."),
    ] = False,
    resume: Annotated[Path | None, Parameter(help="Continue the game saved in this file.")] = None,
    connection: ServerOptions | None = None,
) -> None:
    """Play against bots in the terminal.

    You see only what your seat sees. Type a move, the start of one (Tab
    completes the next word), a word in it, or its number. `help` lists the
    commands, such as hint, undo and save. Ctrl-C saves the game and exits. A
    resumed game keeps the players that it was saved with. What is shown fits
    the window; 80 columns by 24 rows are enough for every game. Colors are
    left out with NO_COLOR and where there is no terminal.

    For example:

        pythia play
        pythia play --game keltis --players 3 --bot greedy --bot ismcts --level 5
        pythia play --real-dice
        pythia play --resume saved.jsonl
    """
    with open_client(connection) as client:
        if resume:
            saved = read_saved(resume, game)
            check_resumed(saved, {"players": players, "seed": seed, "option": option}, real_dice)
            seats = saved_seats(saved, seat, bot, level)
            created = client.import_record(saved, seats, real_dice=is_with_real_dice(saved))
        else:
            seats = new_seats(seat, bot, level, players_or_fewest(game or DEFAULT_GAME, players))
            created = client.create_match(
                game or DEFAULT_GAME,
                seats,
                options=read_options(option),
                seed=seed,
                reproducible=seed is not None,
                real_dice=real_dice,
            )
        server = connection.server if connection else None
        table = PlayTable(client, created, terminal(), server, auto=auto)
        try:
            table.play()
        except (KeyboardInterrupt, EOFError):
            if table.match.is_over:
                raise KeyboardInterrupt from None
            print()
            raise KeyboardInterrupt(f"interrupted; {table.rescued()}") from None


# -- who plays


def new_seats(seat: int | None, bots: Sequence[str], level: int | None, players: int) -> list[Seat]:
    """You, and bots around you."""
    seat = seat or 0
    if not 0 <= seat < players:
        raise not_allowed("seat", seat, f"0 to {players - 1}")
    seats = [Seat(str(spec), spec) for spec in opponents(bots, level, players - 1)]
    seats.insert(seat, Seat(YOU))
    return seats


def opponents(bots: Sequence[str], level: int | None, number: int) -> list[BotSpec]:
    """One for each seat; the last one named takes the seats that are left."""
    texts = list(bots) or [DEFAULT_BOT]
    if len(texts) > number:
        raise CommandError(
            f"bot: {len(texts)} bots are too many; allowed: {number}, one for each seat but yours"
        )
    with refusing():
        specs = [
            with_level(BotSpec.parse(text), level)
            for text, _ in zip_longest(texts, range(number), fillvalue=texts[-1])
        ]
    if level is not None and all(spec.level != level for spec in specs):
        named = [text for text, spec in zip(texts, specs, strict=False) if spec.level or spec.limit]
        if named:
            raise CommandError(f"level: {named[0]} says already how strong it plays; leave --level out")
        raise CommandError(f"level: {' and '.join(dict.fromkeys(texts))} has no levels; leave it out")
    return specs


def with_level(spec: BotSpec, level: int | None) -> BotSpec:
    """With the level that was asked for, where the bot has levels and its text names neither level nor limit."""
    if spec.level is not None or spec.limit is not None:
        return spec
    info = BOTS.get(spec.name)
    if info is None:  # only who makes it knows whether it has levels
        return replace(spec, level=level)
    return replace(spec, level=DEFAULT_LEVEL if level is None else level) if info.levels else spec


def read_saved(file: Path, game: str | None = None) -> Record:
    record = read_record(str(file), game=game, unfinished=True)
    if record.result:
        raise CommandError(
            f"resume: {str(file)!r} is a finished game; `pythia replay` and `pythia review` show it"
        )
    return record


def is_with_real_dice(record: Record) -> bool:
    return bool(record.header.get("real_dice"))


def check_resumed(record: Record, given: Mapping[str, object], real_dice: bool) -> None:
    """What a saved game has settled is not asked for again."""
    for name, value in given.items():
        if value not in (None, ()):
            raise CommandError(
                f"{name}: cannot be used with --resume, because the game is already dealt; leave it out"
            )
    if real_dice and not is_with_real_dice(record):
        raise CommandError(
            "real-dice: the game was saved without --real-dice; leave it out, or start a new game"
        )


def saved_seats(record: Record, seat: int | None, bots: Sequence[str], level: int | None) -> list[Seat]:
    """As they were when the game was saved; a record of another origin does not say, so the options do."""
    names = record.names(next(record.replay()).game.players)
    entries = record.header.get("players")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        entries = []
    kept = [entry.get("bot") for entry in entries]
    if len(kept) != len(names) or kept.count(None) != 1:
        return new_seats(seat, bots, level, len(names))
    for name, value in (("seat", seat), ("bot", bots or None), ("level", level)):
        if value is not None:
            raise CommandError(
                f"{name}: cannot be used with --resume, because the file says who plays; leave it out"
            )
    with refusing():
        return [
            Seat(name, None if text is None else BotSpec.parse(str(text)))
            for name, text in zip(names, kept, strict=True)
        ]


def free_name(match: Match, folder: Path = HERE) -> Path:
    """A file that is not there yet."""
    stem = f"{match.game}-{match.id[:8]}"
    names = (f"{stem}.jsonl" if number == 1 else f"{stem}-{number}.jsonl" for number in count(1))
    return next(file for file in (folder / name for name in names) if not is_there(file))


def is_there(file: Path) -> bool:
    """As far as can be seen: without access to the folder, the error comes when the file is written."""
    with suppress(OSError):
        return file.exists()
    return False


def write(record: Record, file: Path) -> None:
    try:
        record.write(file)
    except OSError as error:
        raise CommandError(f"save: {str(file)!r} cannot be written ({reason(error)})") from None


def write_somewhere(record: Record, match: Match) -> Path:
    """Into a new file here; where that cannot be, in another folder, for a game is not to be lost."""
    refused = []
    for folder in folders():
        file = free_name(match, folder)
        try:
            write(record, file)
        except CommandError as error:
            refused.append(error)
        else:
            return file
    raise refused[0]


def folders() -> Iterator[Path]:
    """Here, where things of this user are kept, and where things are kept for a time."""
    yield HERE
    with suppress(OSError):
        kept = state_folder() / "saved"
        kept.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield kept
    with suppress(OSError):
        yield Path(mkdtemp(prefix="pythia-"))


def saved_in(file: Path) -> str:
    return f"the game is saved in {file}; `pythia play --resume {file}` continues it"


# -- the game


class Left(Exception):
    """The person leaves the table."""


class PlayTable:
    """A match between one person and bots, and what that person sees of it."""

    def __init__(
        self,
        client: Client,
        created: CreatedMatch,
        console: Console,
        server: str | None = None,
        *,
        auto: bool = False,
    ) -> None:
        self.match = created.match
        self._client = client
        self._server = server
        self._tokens = created.seat_tokens
        self._owner = created.owner_token
        self._seat = next(number for number, seat in enumerate(created.match.seats) if seat.bot is None)
        self._token = created.seat_tokens[self._seat]
        self._console = console
        self._prompt = Prompt(console)
        self._auto = auto
        self._language = language_of(os.environ)
        self._history: list[MatchEvent] = []
        self._news: list[MatchEvent] = []  # since the last decision of the person
        self._earlier: list[MatchEvent] = []  # the news before the last move, for when it is taken back
        self._words: dict[int, tuple[str, str]] = {}  # of events, by their version: who, and what
        self._seen: dict[int, Json] = {}  # by versions of the match
        self._told = 0  # the version of the match up to which its events were told
        self._moves: Moves  # of the question under way
        self._commands: dict[str, tuple[Callable[[str], None], str]] = {
            "moves": (self.show_moves, "list all moves, or those with a prefix or word: `moves sail`"),
            "board": (self.show_board, "show the board again; `board all` shows everything that you see"),
            "legend": (self.show_legend, "say what the signs on the board mean"),
            "hint": (
                self.hint,
                f"show what a bot thinks of your moves, after {HINT_SECONDS:g} seconds or more: `hint 10`",
            ),
            "auto": (
                self.set_auto,
                "play a move without asking if it is the only one: `auto on`, `auto off`",
            ),
            "undo": (
                self.undo,
                "take back your last move, if it showed you nothing and nothing was rolled or drawn",
            ),
            "explain": (
                self.explain,
                "explain a word of the game, or what a move costs and brings: `explain R12`, `explain 3`",
            ),
            "history": (self.show_history, "show what happened so far, or only the last moves: `history 20`"),
            "save": (self.ask_save, "save the game to a file: `save FILE`"),
            "resign": (self.resign, "give up the game"),
            "help": (self.help, "show this list; `?` does too"),
            "quit": (self.quit, "leave, with or without saving"),
        }

    # -- the course of the game

    def play(self) -> None:
        try:
            self.insist(self.greet)
            while not self.match.is_over:
                self.insist(self.go_on)
            self.insist(self.end)
        except Left:
            self.leave()

    def insist(self, step: Callable[[], None]) -> None:
        """Do it, as often as it takes: what the service cannot do now is no reason to end the game."""
        while True:
            try:
                return step()
            except PythiaError as error:
                self.say(str(error), style="red")
                self.wait_for_better()

    def wait_for_better(self) -> None:
        """Until the person wants to try again, and the service tells what happened meanwhile."""
        while True:
            typed = self._prompt.ask("Enter to try again; or `save [FILE]`, or `quit`: ", TROUBLED)
            word, _, rest = typed.partition(" ")
            try:
                if not typed:
                    return self.catch_up()
                if word.lower() in TROUBLED:
                    self._commands[word.lower()][0](rest.strip())
                else:
                    self.say(
                        f"{typed!r} is not allowed; allowed now: Enter, {', '.join(TROUBLED)}", style="red"
                    )
            except PythiaError as error:
                self.say(str(error), style="red")

    def go_on(self) -> None:
        if self.match.to_act in (self._seat, CHANCE):
            self.ask()
        else:
            self.bot_turn()

    def greet(self) -> None:
        others = ", ".join(
            f"seat {number}: {seat.name}"
            for number, seat in enumerate(self.match.seats)
            if number != self._seat
        )
        self.say(f"{self.match.game}: you are seat {self._seat}; {others}. `help` lists the commands.")
        columns, rows = self._console.size
        if self._console.is_terminal and (columns < COLUMNS or rows < ROWS):
            self.say(
                f"This window has {columns} columns and {rows} rows. You can play in it, but parts scroll away; "
                f"{COLUMNS} by {ROWS} is enough for everything."
            )
        self.catch_up()

    def catch_up(self) -> None:
        """Tell what happened in the match since the last event that was told; of a long time only the end."""
        self.match = match = self._client.match(self.match.id, self._token)
        if self._told >= match.version:
            return
        with self._client.watch(match.id, self._seat, self._token, after_version=self._told) as events:
            for event in events:
                self.tell(event)
                if event.version >= match.version:
                    break

    def bot_turn(self) -> None:
        with self.waiting() as waiting, self._client.stream_bot_turn(self.match.id, self._token) as turn:
            for played in turn:
                self.hear(played)
                if waiting and self._news and not self.match.is_over and self.match.to_act != self._seat:
                    waiting.update(Text(f"{self.thinking()} {self.told(self._news[-1])}", style="dim"))

    def waiting(self) -> AbstractContextManager[Status | None]:
        """A line that says who thinks, for as long as it takes; only where it can be taken away again."""
        if not self._console.is_terminal or self._console.is_dumb_terminal:
            return nullcontext()
        return self._console.status(Text(self.thinking(), style="dim"))

    def thinking(self) -> str:
        return f"waiting for {self.name_of(self.match.to_act)} …"

    def hear(self, played: Played) -> None:
        for event in played.events:
            self.tell(event)
        self.match = played.match

    def ask(self) -> None:
        """One question: answered by a move, an outcome or a command."""
        self._moves = self.legal_moves()
        if self.is_forced():
            self.submit(self._moves.texts[0])
            return
        self.show_board()
        version = self.match.version
        while version == self.match.version and not self.match.is_over:
            typed = self._prompt.ask("> ", self.completions())
            try:
                self.answer(typed)
            except PythiaError as error:
                # No reason to end the game: another answer may do, or the same a little later.
                self.say(str(error), style="red")

    def completions(self) -> list[str]:
        """Whatever can be typed."""
        words = (entry.title.lower() for entry in descriptions(self.match.game, self._language).values())
        return [*self._moves.texts, *self._commands, *(f"explain {word}" for word in words)]

    def answer(self, typed: str) -> None:
        word, _, rest = typed.partition(" ")
        if typed in self._moves.texts:
            self.submit(typed)
        elif typed == "?":
            self.help()
        elif word.lower() in self._commands:
            self._commands[word.lower()][0](rest.strip())
        elif typed.isdecimal():
            number = int(typed)
            if not 1 <= number <= len(self._moves.texts):
                self.say(f"{number} is not a move; allowed: 1 to {len(self._moves.texts)}", style="red")
            elif self.is_meant(number):
                self.submit(self._moves.texts[number - 1])
        else:
            self.choose_among(typed)

    def is_meant(self, number: int) -> bool:
        """Asks where the number could also be the amount of another move: 5 for `bid 5` where move 5 is `bid 8`."""
        numbered = self._moves.texts[number - 1]
        amounts = [text for text in self._moves.texts if text.split()[1:] == [str(number)]]
        return amounts in ([], [numbered]) or self.confirmed(f"{self._moves.short(numbered)}: play it?")

    def choose_among(self, typed: str) -> None:
        found = self._moves.matching(typed)
        if not found:
            self.say(self.why_not(typed), style="red")
        elif len(found) > 1 or not typed:
            self.page(*self.menu(found))
        else:
            draw(self.menu(found), self._console)
            if self.confirmed("Play it?"):
                self.submit(found[0])

    def confirmed(self, question: str) -> bool:
        """Whether the answer is yes. What is neither yes nor no is what the person wants instead."""
        typed = self._prompt.ask(f"{question} [Y/n] ", self.completions())
        if typed.lower() in YES:
            return True
        if typed.lower() not in NO:
            self.answer(typed)
        return False

    def page(self, *lines: Text) -> None:
        """Page by page; what is typed in between instead of Enter is answered as if it had been typed afterwards."""
        typed = self._prompt.page(*lines)
        if typed:
            self.answer(typed)

    def why_not(self, typed: str) -> str:
        """Why nothing can be done with it: an unknown word, words that no move has together, or a rule."""
        word, _, rest = typed.partition(" ")
        if self.is_kind_of_move(typed):
            return (
                f"{typed!r} is not possible now; {self._moves.allowed()}; `explain {typed}` says what it does"
            )
        close = self.close_to(word)
        if close:
            return f"{word!r} is unknown; similar words: {', '.join(close)}"
        if self._moves.is_like_one(typed):
            return f"{self._moves.why_not(typed)}; {self._moves.allowed()}"
        begun = self._moves.matching(word)
        if begun:
            return f"no move has {rest!r} with {word!r}; `{word}` lists the {len(begun)} that have {word!r}"
        return (
            f"{typed!r} is neither a move nor a command; {self._moves.allowed()}; `help` lists the commands"
        )

    def is_kind_of_move(self, word: str) -> bool:
        """Of the game, whether it is possible now or not."""
        return any(entry.kind == "move" for entry in lookup(self.match.game, word, self._language).entries)

    def close_to(self, word: str) -> list[str]:
        """Commands and words of moves that a word may have been meant to be, if it is not one itself."""
        known = [*self._commands, *self._moves.vocabulary()]
        if not word.isalpha() or word.lower() in known:
            return []
        begun = [name for name in self._commands if name.startswith(word.lower())]
        return begun or get_close_matches(word.lower(), known, n=3, cutoff=0.7)

    def submit(self, move: str) -> None:
        """What happened before a decision is no longer news, unless nobody was asked."""
        decided = self.match.to_act == self._seat and not self.is_forced()
        played = None
        # A conflict: somebody else holds a token of this match, or an answer was lost on its way.
        with suppress(Conflict):
            played = self._client.submit_move(
                self.match.id, move, self._token, expected_version=self.match.version
            )
        if decided:
            self._earlier, self._news = self._news, []
        if played is None:
            self.catch_up()
        else:
            self.hear(played)

    def end(self) -> None:
        self.show_board()
        result = self.match.result
        assert result is not None
        if result.scores:
            self._console.print(final_scores(result.scores, self.name_of))
        winners = " and ".join(self.name_of(seat) for seat in result.winners) or "nobody"
        outcome = "You win" if result.winners == (self._seat,) else f"Won by {winners}"
        self.say(f"The game is over ({result.reason}). {outcome}.", style="bold")
        for entry in lookup(self.match.game, result.reason, self._language).entries[:1]:
            self.say(entry.text)
        question = "Keep the record? A file name, or Enter for no: "
        name = self._prompt.ask(question)
        while name and not self.saved(Path(name)):
            name = self._prompt.ask(question)

    def leave(self) -> None:
        """A match that nobody will play on is not left behind on a server."""
        if not self.match.is_over:
            with suppress(PythiaError):  # what is being told already matters more
                self._client.delete_match(self.match.id, self._owner)

    def rescued(self) -> str:
        """Where the game is, kept without asking anybody. What cannot be saved stays on the server."""
        try:
            file = write_somewhere(self.record(), self.match)
        except (CommandError, PythiaError) as error:
            return f"the game is not saved: {error}{self.way_back()}"
        self.leave()
        return saved_in(file)

    def way_back(self) -> str:
        """How to fetch the game from the server, if there is one, once it answers."""
        if self._server is None:
            return ""
        kept = keep_tokens(self.match.id, self._tokens, self._owner)
        token = "" if kept else f" --seat-token {self._owner}"
        return (
            "; the match stays on the server. Once the server can be reached, "
            f"`pythia match export {self.match.id} --server {self._server}{token} --out FILE` saves it"
        )

    # -- what can be typed besides moves

    def help(self, rest: str = "") -> None:
        self.say(
            "Type a move, the start of one (Tab completes the next word), words in it, or its number; or a command:"
        )
        for name, (_, words) in self._commands.items():
            line = Text(f"  {name:<8} {words}")
            draw(wrapped(line, self._console, self._console.width, " " * 11), self._console)

    def show_moves(self, rest: str = "") -> None:
        found = self._moves.matching(rest)
        if found:
            self.page(*self.menu(found))
        else:
            self.say(f"no move with {rest!r}; {self._moves.allowed()}")

    def show_board(self, rest: str = "") -> None:
        """The position, below it what happened since the last decision, and what can be done, all in one window."""
        seen = self.observation()
        if rest == "all":
            self.page(*everything(screen_of(seen), self._console))
            return
        if rest:
            self.say(f"board: {rest!r} is not allowed; allowed: all, or nothing", style="red")
            return
        screen = screen_of(seen)
        for together in (False, True):
            below = self.below(screen, together=together)
            above = fitted(screen, self._console, self.rows() - len(below))
            if not is_cut(above):  # otherwise the news may take less room
                break
        self._console.print()
        draw([*above, *below], self._console)

    def rows(self) -> int:
        """Of the window, without the prompt; whatever is read elsewhere has no end."""
        return self._console.height - 1 if self._console.is_terminal else ENDLESS

    def below(self, screen: Screen, *, together: bool) -> list[Text]:
        """The news, then the moves: listed if the board leaves enough room, else counted by kind."""
        room = max(LEAST_BELOW, self.rows() - least(screen, self._console))
        question = [] if self.match.is_over else self.question(screen, room)
        left = room - len(question)
        most = max(min(FEW_NEWS, max(left, 1)), min(left, self.rows() // 4))
        return [*self.news(screen, most, together=together), *question]

    def news(self, screen: Screen, most: int, *, together: bool) -> list[Text]:
        """A line for each event, or for all that a seat did in a row; if those are too many, one for each seat."""
        groups = [list(group) for _, group in groupby(self._news, self.actor_of)]
        lines = [
            part
            for group in (groups if together else [[event] for event in self._news])
            for part in wrapped(
                colored(self.told(*group), screen.colors, self.style_of(group[0])),
                self._console,
                self._console.width,
            )
        ]
        if len(lines) <= most:
            return lines
        if most < FEW_NEWS:
            return self.news_in_brief(screen, most)
        brief = self.news_in_brief(screen, most - 1)
        return [Text("… in brief; `history` shows everything:", style="dim"), *brief]

    def news_in_brief(self, screen: Screen, most: int) -> list[Text]:
        """What each of the others did, and what came to the person by chance; a line for each if there is no room."""
        did: dict[str, list[str]] = {}
        for event in self._news:
            name, words = self.words_of(event)
            if event.by == self._seat or (event.by == CHANCE and YOU not in name):
                continue
            did.setdefault(name if event.by == CHANCE else who(event.by), []).append(words)
        lines = [colored(f"{name}: {' · '.join(words)}", screen.colors) for name, words in did.items()]
        full = [part for line in lines for part in wrapped(line, self._console, self._console.width)]
        if len(full) <= most:
            return full
        for line in lines:
            line.truncate(self._console.width, overflow="ellipsis")
        return lines[-most:]

    def question(self, screen: Screen, room: int) -> list[Text]:
        """What can be done: the moves themselves if they fit into `room` lines and leave room for some news."""
        menu = self.listed(screen, room)
        heading = Text(self._moves.heading(self.match.to_act, listed=bool(menu)), style="bold")
        begins = all(event.by != self._seat for event in self._history)
        if begins and self._console.is_terminal:  # the greeting has scrolled away by now
            heading.append(" (`?` is help)")
        return [*wrapped(heading, self._console, self._console.width), *menu]

    def listed(self, screen: Screen, room: int) -> list[Text]:
        """The moves, if there is room: few of them with a smaller board, many only beside the largest."""
        texts = self._moves.texts
        if len(texts) > FEW:
            if not self._console.is_terminal:
                return []
            room -= len(fitted(screen, self._console, self.rows())) - least(screen, self._console)
            if len(texts) >= room:
                return self.many(texts, screen, room - min(len(self._news), FEW_NEWS))
        news = len(self._news)
        # What others did is shown in any case; the own move and what it led to may be told in a line.
        alone = all(event.by in (self._seat, CHANCE) for event in self._news)
        usual, most = room - min(news, FEW_NEWS), room - min(news, 1 if alone else FEW_NEWS)
        full, plain = self.menu(texts, screen), self.menu(texts, screen, gains=False)
        short = [colored(self._moves.short(text), screen.colors) for text in texts]
        columns, cut = in_columns(short, self._console.width), self.in_two_columns(short)
        # What moves bring is on the board as well; their odds are not.
        choices = [(full, usual), (plain, usual)]
        if any(self._moves.words(text).odds for text in texts):
            choices.append((plain, room - min(news, 1 if alone else 2)))
        choices += [(columns, usual), (columns, most), (cut, usual), (cut, most)]
        return next((menu for menu, lines in choices if 0 < len(menu) < lines), [])

    def many(self, texts: Sequence[str], screen: Screen, room: int) -> list[Text]:
        """In columns with their prices and odds, beside the largest board; none if there are too many."""
        if len(texts) >= room * MOST_COLUMNS:
            return []
        lines = [colored(self._moves.line(text, gains=False), screen.colors) for text in texts]
        columns = in_columns(lines, self._console.width)
        return columns if len(columns) < room and max(map(len, columns)) <= self._console.width else []

    def in_two_columns(self, lines: Sequence[Text]) -> list[Text]:
        """With long lines cut off; none if they could no longer be told apart."""
        width = (self._console.width - GAP) // 2
        cut = [line.copy() for line in lines]
        for line in cut:
            line.truncate(width, overflow="ellipsis")
        different = {line.plain.split(maxsplit=1)[-1] for line in cut}
        return in_columns(cut, self._console.width) if len(different) == len(cut) else []

    def menu(self, texts: Sequence[str], screen: Screen | None = None, *, gains: bool = True) -> list[Text]:
        """Moves with their numbers, in words, with what they cost, risk and bring."""
        colors = (screen or screen_of(self.observation())).colors
        width = self._console.width
        lines = (colored(self._moves.line(text, width, gains=gains), colors) for text in texts)
        indent = " " * (len(str(len(self._moves.texts))) + 2)
        return [part for line in lines for part in wrapped(line, self._console, width, indent)]

    def show_legend(self, rest: str = "") -> None:
        self.page(*legend(screen_of(self.observation()), self._console))

    def hint(self, rest: str = "") -> None:
        if self.match.to_act != self._seat:
            self.say("you have nothing to decide now")
            return
        try:
            limit = Limit(seconds=float(rest or HINT_SECONDS))
        except ValueError:
            self.say(f"hint: {rest!r} is not allowed; allowed: a number of seconds above 0", style="red")
            return
        updates = self._client.analyze(
            self.observation(),
            limit=limit,
            lines=HINT_LINES,
            language=self._language,
            interval=INTERVAL_SECONDS,
        )
        game = self.match.game
        result, _ = watched(updates, self._console, HINT_LINES, game, self._moves.view)
        self._console.print(
            analysis(result, game=game, lines=HINT_LINES, width=self._console.width, view=self._moves.view)
        )
        if result.move in self._moves.texts:
            self.say("To play it, type its number:")
            draw(self.menu([result.move]), self._console)

    def explain(self, rest: str = "") -> None:
        lines = explained(self._moves.state, self._moves.texts, rest, self._language)
        self.page(*map(Text, lines))

    def set_auto(self, rest: str = "") -> None:
        """On, off, or the other way round; a move that is asked for at this moment is played too."""
        if rest not in ("", "on", "off"):
            self.say(f"auto: {rest!r} is not allowed; allowed: on, off", style="red")
            return
        self._auto = rest == "on" if rest else not self._auto
        self.say(
            "The only possible move is now played without asking; `auto off` ends that."
            if self._auto
            else "You are asked again, even if only one move is possible."
        )
        if self.is_forced():
            self.submit(self._moves.texts[0])

    def is_forced(self) -> bool:
        """Whether the only possible move is to be played without asking."""
        return self._auto and self.match.to_act == self._seat and len(self._moves.texts) == 1

    def undo(self, rest: str = "") -> None:
        try:
            self._client.undo(self.match.id, self._token)
        except NotNow as error:
            self.say(f"undo: {self.why_no_undo(error)}", style="red")
        else:
            self._news, self._earlier = self._earlier, []
            self.catch_up()

    def why_no_undo(self, error: NotNow) -> str:
        """In words of the game."""
        if not any(event.by == self._seat for event in self._history):
            return "you have not moved yet"
        last = self.told(self._history[-1])
        if error.reason == "SOMETHING_SHOWN":
            return f"your last move showed you something hidden, so it stands ({last})"
        if error.reason == "CHANCE_DRAWN":
            return f"dice were rolled or cards drawn since your last move, so it stands ({last})"
        return f"others have moved since your last move, so it stands ({last})"

    def show_history(self, rest: str = "") -> None:
        if rest and not rest.isdecimal():
            self.say(f"history: {rest!r} is not allowed; allowed: a number of moves", style="red")
            return
        self.page(*(Text(self.told(event)) for event in self._history[-int(rest or len(self._history)) :]))

    def ask_save(self, rest: str = "") -> None:
        self.saved(Path(rest) if rest else None)

    def saved(self, file: Path | None) -> bool:
        """Whether it was; the person may not want to write over a file, or it cannot be written.

        Without a file in a new one, wherever there can be one.
        """
        if file is not None and is_there(file):
            if not self._prompt.agreed(f"{file} already exists: overwrite it?"):
                return False
        record = self.record()
        try:
            if file is None:
                file = write_somewhere(record, self.match)
            else:
                write(record, file)
        except CommandError as error:
            self.say(str(error), style="red")
            return False
        if self.match.is_over:
            flag = "" if record.result else " --unfinished"
            self.say(f"the record is in {file}; `pythia review{flag} {file}` reviews it")
        else:
            self.say(f"{saved_in(file)}. It contains everything, including what is hidden from you.")
        return True

    def resign(self, rest: str = "") -> None:
        if self._prompt.agreed("Give up the game?"):
            self.match = self._client.resign(self.match.id, self._token)

    def quit(self, rest: str = "") -> None:
        default = free_name(self.match)
        typed = self._prompt.ask(
            f"Save the game first? Enter for {default}, another file name, or n for no: "
        )
        if typed.lower() in ("n", "no") or self.saved(Path(typed) if typed else None):
            raise Left

    # -- looking and telling

    def record(self) -> Record:
        """With who plays in its header, so that it can go on."""
        record = self._client.export_record(self.match.id, self._owner).read()
        header: Json = record.header | {"players": [seat_json(seat) for seat in self.match.seats]}
        if self.match.real_dice:
            header["real_dice"] = True
        return replace(record, header=header)

    def observation(self) -> Json:
        return self._client.observe(self.match.id, self._seat, self._token).observation

    def legal_moves(self) -> Moves:
        seen = self.observation()
        texts = self._client.match_moves(self.match.id, self._token).moves
        return Moves(texts, View.from_observation(seen), self._language)

    def name_of(self, seat: int) -> str:
        if seat == CHANCE:
            return who(seat)
        return YOU if seat == self._seat else f"seat {seat} ({self.match.seats[seat].name})"

    def tell(self, event: MatchEvent) -> None:
        """Keep it; it is shown below the board when the person is asked."""
        self._told = event.version
        self._history.append(event)
        if event.move or event.kind != "move":  # a draw that is hidden is no news
            self._news.append(event)

    def told(self, event: MatchEvent, *more: MatchEvent) -> str:
        """Who did what, in words; more of it by the same one."""
        did = " · ".join(self.words_of(each)[1] for each in (event, *more))
        name = self.words_of(event)[0]
        return f"{name}: {did}" if event.kind == "move" else f"{name} {did}"

    def actor_of(self, event: MatchEvent) -> tuple[str, str]:
        """The same for events that can be told together."""
        return self.words_of(event)[0], event.kind

    def words_of(self, event: MatchEvent) -> tuple[str, str]:
        """Who, and what was done."""
        if event.version not in self._words:
            self._words[event.version] = self.words_for(event)
        return self._words[event.version]

    def words_for(self, event: MatchEvent) -> tuple[str, str]:
        """The move as it looked before it was made, for chance with whom it is about; its text if that is unknown."""
        name = self.name_of(event.by)
        if event.kind != "move":
            return name, "took back the last move" if event.kind == "undone" else "resigned"
        if not event.move:
            return name, "something you do not see"
        with suppress(PythiaError, IllegalMove):
            before, after = self.seen_at(event.version - 1), self.seen_at(event.version)
            about = before.get("pending", {}).get("seat")
            if event.by == CHANCE and about is not None:
                name += f" ({YOU})" if about == self._seat else f" (seat {about})"
            then, now = View.from_observation(before), View.from_observation(after)
            words = describe_move(then, event.move, self._language).label
            news = tell_news(then, event.move, now, self._language)
            return name, f"{words} ({news})" if news else words
        return name, event.move

    def seen_at(self, version: int) -> Json:
        """What the person saw then; the last two are kept, for what follows one event precedes the next."""
        if version not in self._seen:
            self._seen = dict([*self._seen.items()][-1:])
            found = self._client.observe(self.match.id, self._seat, self._token, version=version)
            self._seen[version] = found.observation
        return self._seen[version]

    def style_of(self, event: MatchEvent) -> str:
        return "dim" if event.by == CHANCE else "cyan" if event.by != self._seat else ""

    def say(self, line: str, style: str = "") -> None:
        self._console.print(Text(line, style=style))


def seat_json(seat: Seat) -> dict[str, Any]:
    return {"name": seat.name} | ({"bot": str(seat.bot)} if seat.bot else {})


def final_scores(scores: Sequence[Score], name_of: Callable[[int], str]) -> Table:
    """The scores with what they are made of."""
    names = list(dict.fromkeys(name for score in scores for name in score.parts))
    table = plain_table("final scores", "total", *(name.replace("_", " ") for name in names))
    for seat, score in enumerate(scores):
        table.add_row(name_of(seat), f"{score.total:g}", *(f"{score.parts.get(name, 0):g}" for name in names))
    return table


class Moves:
    """The moves or outcomes of a decision, numbered in their order."""

    def __init__(self, texts: list[str], view: View, language: str = "en") -> None:
        self.texts = texts
        self.state = view.imagined(0)  # one that looks like what the seat sees
        self.view = view
        self._language = language
        self._numbers = {text: number for number, text in enumerate(texts, start=1)}
        self._groups = move_groups(self.state.game, map(self.state.read_move, texts))

    def heading(self, to_act: int, *, listed: bool) -> str:
        what = "What do the dice or cards show?" if to_act == CHANCE else "Your move."
        if listed:
            return f"{what} Type its number:"
        possible = f"{what} {len(self.texts)} are possible; press Enter to list them"
        return f"{possible}." if len(self._groups) == 1 else f"{possible}, or type one of: {self.kinds()}"

    def allowed(self) -> str:
        """What can be done, in a line."""
        return f"allowed now: {', '.join(self.texts) if len(self.texts) <= FEW else self.kinds()}"

    def kinds(self) -> str:
        return ", ".join(f"{name} ({len(texts)})" for name, texts in self._groups.items())

    def vocabulary(self) -> list[str]:
        """The words that moves are made of."""
        words = (word for text in self.texts for word in re.split(r"[ :>]", text))
        return list(dict.fromkeys([*self._groups, *(word for word in words if word.isalpha())]))

    def matching(self, typed: str) -> list[str]:
        """The moves that begin so; or those of that kind; or those with words that begin so, in their order.

        The words may be those of the text, or those that people read.
        """
        begun = [text for text in self.texts if text.startswith(typed)]
        found = begun or self._groups.get(typed) or [text for text in self.texts if has_words(text, typed)]
        return found or [
            text for text in self.texts if has_words(self.words(text).label.lower(), typed.lower())
        ]

    @functools.cached_property
    def _all_words(self) -> dict[str, MoveWords]:
        described = describe_moves(self.view, self.texts, self._language)
        return dict(zip(self.texts, described, strict=True))

    def words(self, text: str) -> MoveWords:
        return self._all_words[text]

    def line(self, text: str, width: int = 0, *, gains: bool = True) -> str:
        """The number, what the move does, costs, risks and brings; in a wide window its text as well."""
        words = self.words(text)
        typed = f"{text.ljust(max(map(len, self.texts)))}  " if width >= WIDE else ""
        told = " · ".join(filter(None, (words.label, words.price, words.odds, words.gains if gains else "")))
        return f"{self._number(text)}  {typed}{told}"

    def short(self, text: str) -> str:
        """The number and what the move does."""
        return f"{self._number(text)}  {self.words(text).label}"

    def _number(self, text: str) -> str:
        return f"{self._numbers[text]:>{len(str(len(self.texts)))}}"

    def is_like_one(self, typed: str) -> bool:
        """Whether it is the text of a move of the game, legal or not, or begins like a legal one."""
        with suppress(IllegalMove):
            self.state.read_move(typed)
            return True
        return first_word(typed) in map(first_word, self.texts)

    def why_not(self, typed: str) -> str:
        try:
            self.state.parse_move(typed)
        except IllegalMove as error:
            return str(error)
        return f"{typed!r} is not possible now"


def first_word(text: str) -> str:
    return re.split(r"[ :]", text, maxsplit=1)[0]


def has_words(text: str, typed: str) -> bool:
    words: Iterator[str] = iter(text.replace(":", " ").split())
    return all(any(word.startswith(wanted) for word in words) for wanted in typed.split())
