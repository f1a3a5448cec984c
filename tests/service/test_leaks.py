"""No call tells a viewer more than it may see: two matches that differ only in what is hidden get the same answers.

Their true positions differ from the start on, and what happens in them is chosen so that the viewer sees the same at
every step. Then the viewer asks everything in both, of two servers that know nothing of each other.
"""

import random

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from pythia.core_cy import CHANCE, SPECTATOR, View, game_info, list_games, load_game
from pythia.core_cy.record import Record, RecordEntry, header_of
from pythia.service.wire import position_message
from pythia.v1 import advisor_pb2, match_pb2
from tests.service.serving import Refusal, bot, options, with_server
from tests.service.test_table import text_of

HIDING = [game for game in list_games() if game_info(game).hides]
QUICK = options(iterations=8)
SELDOM = 60_000  # milliseconds between answers: only the last one comes, however slow the machine is
LONGEST = 40
# Outcomes that only some see begin with this word; all others are rolled on the table.
SECRET = "draw "
# More refused moves tell no more.
TRIED = 60


class Twin:
    """One of two games: its true position, and how it came about."""

    def __init__(self, state):
        self.header = header_of(state)
        self.states = [state]
        self.entries = []

    @property
    def state(self):
        return self.states[-1]

    def after(self, text):
        state = self.state.clone()
        state.apply(text)
        return state

    def go_on(self, text, state):
        self.entries.append(RecordEntry(self.state.to_act, text))
        self.states.append(state)

    def record(self, length):
        return text_of(Record(self.header, self.entries[:length], {}))


def twins(game, viewer, seed):
    """Two games that look the same to the viewer from the first event to the last."""
    rng = random.Random(seed)
    first = Twin(load_game(game, players=game_info(game).min_players, seed=seed).new_state())
    second = Twin(first.state.imagined(viewer, seed))
    while len(first.entries) < LONGEST and step(first, second, viewer, rng):
        pass
    return first, second


def step(first, second, viewer, rng):
    """Something that looks the same happens in both: the same move or outcome, or hidden outcomes that may differ."""
    ours, theirs = ([str(move) for move in twin.state.legal_moves()] for twin in (first, second))
    for text in rng.sample(ours, len(ours)):
        after = first.after(text)
        seen = after.observation(viewer)
        is_secret = first.state.to_act == CHANCE and text.startswith(SECRET)
        for other in rng.sample(theirs, len(theirs)) if is_secret else {text} & set(theirs):
            then = second.after(other)
            if then.observation(viewer) == seen:
                first.go_on(text, after)
                second.go_on(other, then)
                return True
    return False


def moments(first, viewer):
    """The lengths at which the matches are compared: the last ones at which the viewer and another seat act."""
    by_actor = {}
    for length, state in enumerate(first.states):
        if state.to_act >= 0 and length:
            by_actor[state.to_act == viewer] = length
    return sorted(by_actor.values())


def plain(message, match_id):
    """A message as text, without what differs between any two matches."""
    copy = type(message)()
    copy.CopyFrom(message)
    forget(copy)
    return str(copy).replace(match_id, "ID")


def forget(message):
    for field, value in message.ListFields():
        if isinstance(value, Timestamp) or field.name == "seconds":
            message.ClearField(field.name)
        elif isinstance(value, Message) and field.message_type.full_name != "google.protobuf.Struct":
            forget(value)
        elif field.is_repeated and field.message_type and not field.message_type.GetOptions().map_entry:
            for one in value:
                forget(one)


async def told(call, match_id, most=None):
    """What a call answers, or how it is refused; of a stream that goes on the first messages."""
    answers = []
    try:
        if not hasattr(call, "__aiter__"):
            return [plain(await call, match_id)]
        while len(answers) != most and (answer := await call.read()) is not grpc.aio.EOF:
            answers.append(plain(answer, match_id))
        call.cancel()
    except grpc.aio.AioRpcError as error:
        answers.append(repr(Refusal(error)).replace(match_id, "ID"))
    return answers


async def answers(peer, made, viewer, texts, guesses):
    """Everything that the viewer can find out, by a name for each question."""
    match_id, version = made.match.id, made.match.version
    token = "" if viewer == SPECTATOR else made.seat_tokens[viewer]
    heard = {}

    async def ask(name, call, most=None):
        heard[name] = await told(call, match_id, most)

    def about(kind, **fields):
        return kind(match_id=match_id, token=token, **fields)

    await ask("get", peer.match.GetMatch(about(match_pb2.GetMatchRequest)))
    for number in range(version + 2):
        request = about(match_pb2.ObserveRequest, version=number)
        await ask(f"observe {number}", peer.match.Observe(request))
    for seat in range(len(made.seat_tokens)):
        await ask(f"as {seat}", peer.match.Observe(about(match_pb2.ObserveRequest, seat=seat)))
    await ask("watch", peer.match.Watch(about(match_pb2.WatchRequest)), version)
    many = match_pb2.WatchManyRequest(matches=[about(match_pb2.WatchRequest)], observations=True)
    await ask("watch many", peer.match.WatchMany(many), version)
    await ask("moves", peer.match.ListLegalMoves(about(match_pb2.ListLegalMovesRequest)))
    await ask("hint", peer.match.Hint(about(match_pb2.HintRequest, options=QUICK, interval_ms=SELDOM)))
    await ask("review", peer.match.ReviewMatch(about(match_pb2.ReviewMatchRequest, options=QUICK)))
    await ask("record", peer.match.ExportRecord(about(match_pb2.ExportRecordRequest)))
    for text in texts:
        await ask(f"submit {text}", peer.match.SubmitMove(about(match_pb2.SubmitMoveRequest, move=text)))
    for name, seen in guesses.items():
        suggest = advisor_pb2.SuggestMoveRequest(observation=seen, options=QUICK)
        await ask(f"suggest {name}", peer.advisor.SuggestMove(suggest))
        analyze = advisor_pb2.AnalyzeRequest(observation=seen, options=QUICK, interval_ms=SELDOM)
        await ask(f"analyze {name}", peer.advisor.Analyze(analyze))
        await ask(f"render {name}", peer.advisor.Render(advisor_pb2.RenderRequest(observation=seen)))
        words = advisor_pb2.DescribeMovesRequest(observation=seen, moves=texts[:3])
        await ask(f"words {name}", peer.advisor.DescribeMoves(words))
        for text in texts[:5]:
            apply = advisor_pb2.ApplyMoveRequest(observation=seen, move=text)
            await ask(f"apply {text} {name}", peer.advisor.ApplyMove(apply))
            steps = [advisor_pb2.HistoryStep(observation=seen, move=text)]
            review = advisor_pb2.ReviewRequest(history=advisor_pb2.History(steps=steps), options=QUICK)
            await ask(f"review {text} {name}", peer.advisor.Review(review))
    # The last question, as it changes the match where it is answered.
    await ask("undo", peer.match.Undo(about(match_pb2.UndoRequest)))
    return heard


def asked(record, seats, viewer, texts, guesses):
    """The answers about a match that begins with this record, on a server of its own."""

    async def call(peer):
        request = match_pb2.ImportRecordRequest(record=record, seats=seats)
        made = await peer.match.ImportRecord(request)
        return await answers(peer, made, viewer, texts, guesses)

    return with_server(call)


@pytest.mark.parametrize("others", ["people", "bots"])
@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1])
@pytest.mark.parametrize("game", HIDING)
def test_matches_that_look_the_same_answer_the_same(game, viewer, others):
    compared = 0
    seats = [
        match_pb2.Seat(bot=bot("random") if others == "bots" and seat != viewer else None)
        for seat in range(game_info(game).min_players)
    ]
    for seed in (2, 4):  # long games, with hidden draws that differ
        first, second = twins(game, viewer, seed)
        for length in moments(first, viewer):
            ours, theirs = first.states[length], second.states[length]
            assert ours.to_json() != theirs.to_json()
            # What was legal for anybody in either of the two; a legal move of the viewer would be played.
            states = [*first.states, *second.states]
            texts = {str(move) for state in states for move in state.legal_moves()}
            if ours.to_act == viewer:
                texts -= {str(move) for move in View.of(ours, viewer).legal_moves()}
            texts = sorted(texts)[:: max(1, len(texts) // TRIED)]
            # The viewer's own sight, and what it may guess that others see.
            guesses = {
                f"{name} {seat}": position_message(twin.observation(seat))
                for name, twin in (("ours", ours), ("theirs", theirs))
                for seat in {viewer, ours.to_act}
            }
            in_first, in_second = (
                asked(twin.record(length), seats, viewer, texts, guesses) for twin in (first, second)
            )
            assert in_first == in_second
            assert len(in_first["watch"]) == len(in_first["watch many"]) == length
            compared += 1
    assert compared >= 2
