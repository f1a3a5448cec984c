"""Advice about positions that the caller keeps."""

import asyncio

import grpc
import pytest

from pythia.core_cy import CHANCE, Random, View, state_from_observation
from pythia.search.bots import make_bot
from pythia.search.limits import Limit
from pythia.service.wire import position_message
from pythia.v1 import advisor_pb2, search_pb2
from tests.service.serving import a_state, an_observation, bot, options, refusal, with_server

Code = grpc.StatusCode


def suggest(**fields):
    return advisor_pb2.SuggestMoveRequest(**fields)


def test_suggest_move_is_what_the_bot_says():
    state = a_state()
    seen = state.observation(state.to_act)
    expected = make_bot("ismcts", seed=5).choose(seen, Limit(iterations=60), lines=3)

    async def call(peer):
        request = suggest(observation=position_message(seen), options=options(iterations=60, seed=5, lines=3))
        return (await peer.advisor.SuggestMove(request)).analysis

    analysis = with_server(call)
    assert analysis.move.text == expected.move
    assert (analysis.iterations, list(analysis.values)) == (expected.iterations, expected.values)
    assert [report.move.text for report in analysis.moves] == [report.move for report in expected.moves[:3]]
    for sent, report in zip(analysis.moves, expected.moves, strict=False):
        assert (sent.visits, sent.win_probability, list(sent.line)) == (
            report.visits,
            report.win_probability,
            report.line,
        )
        assert sent.move.WhichOneof("fields") == state.game.name


@pytest.mark.parametrize("name", ["random", "greedy", "planner", "ismcts"])
def test_every_bot_answers(name):
    async def call(peer):
        request = suggest(observation=an_observation(), options=search_pb2.SearchOptions(bot=bot(name)))
        return (await peer.advisor.SuggestMove(request, timeout=5)).analysis

    state = a_state()
    assert with_server(call).move.text in [str(move) for move in state.legal_moves()]


def test_moves_to_consider_and_to_avoid():
    state = a_state(wide=5)
    texts = [str(move) for move in state.legal_moves()]

    async def call(peer):
        observation = an_observation(wide=5)
        two = await peer.advisor.SuggestMove(
            suggest(observation=observation, options=options(iterations=20, consider=texts[:2]))
        )
        rest = await peer.advisor.SuggestMove(
            suggest(observation=observation, options=options(iterations=20, avoid=texts[1:], lines=2000))
        )
        return two.analysis, rest.analysis

    two, rest = with_server(call)
    assert {report.move.text for report in two.moves} == set(texts[:2])
    assert [report.move.text for report in rest.moves] == texts[:1]


def test_the_deadline_ends_the_search_before_it():
    async def call(peer):
        request = suggest(observation=an_observation(), options=options(seconds=50))
        return (await peer.advisor.SuggestMove(request, timeout=3)).analysis

    assert with_server(call).iterations  # a late answer would have been DEADLINE_EXCEEDED


def test_a_cancelled_call_ends_its_search():
    async def call(peer):
        search = peer.advisor.SuggestMove(suggest(observation=an_observation(), options=options(seconds=50)))
        running = "pythia_searches_running"
        registry = peer.server.metrics.registry
        while not registry.get_sample_value(running):
            await asyncio.sleep(0.001)
        search.cancel()
        while registry.get_sample_value(running):
            await asyncio.sleep(0.001)

    with_server(call)  # ends long before the limit of the search, or the test's patience does


def test_analyze_sends_more_and_more():
    async def call(peer):
        request = advisor_pb2.AnalyzeRequest(
            observation=an_observation(), options=options(seconds=0.5), interval_ms=50
        )
        return [answer async for answer in peer.advisor.Analyze(request)]

    answers = with_server(call)
    iterations = [answer.analysis.iterations for answer in answers]
    assert len(answers) > 1
    assert iterations == sorted(iterations)
    assert [answer.final for answer in answers] == [False] * (len(answers) - 1) + [True]


def test_analyze_ends_when_the_caller_has_enough():
    async def call(peer):
        request = advisor_pb2.AnalyzeRequest(
            observation=an_observation(), options=options(seconds=50), interval_ms=20
        )
        stream = peer.advisor.Analyze(request)
        async for answer in stream:
            assert answer.analysis.move.text
            break
        stream.cancel()
        while peer.server.metrics.registry.get_sample_value("pythia_searches_running"):
            await asyncio.sleep(0.001)

    with_server(call)


def test_a_batch_answers_each_position_and_names_bad_ones():
    good = [an_observation(seed=seed) for seed in range(3)]
    bad = an_observation()
    bad.delphi.players[0].gods.ares = 9

    async def call(peer):
        items = [advisor_pb2.BatchItem(observation=observation) for observation in [*good, bad]]
        request = advisor_pb2.AnalyzeBatchRequest(items=items, options=options(iterations=20))
        return {answer.index: answer async for answer in peer.advisor.AnalyzeBatch(request)}

    answers = with_server(call)
    assert sorted(answers) == [0, 1, 2, 3]
    assert all(answers[index].analysis.move.text for index in range(3))
    assert answers[3].problem.field == "players[0].gods.ares"


def test_legal_moves():
    async def call(peer):
        request = advisor_pb2.LegalMovesRequest(observation=an_observation())
        return [move.text for move in (await peer.advisor.LegalMoves(request)).moves]

    assert with_server(call) == [str(move) for move in a_state().legal_moves()]


def test_validate_observation():
    bad = an_observation()
    bad.delphi.players[1].favor = -1
    full = position_message(a_state().to_json())

    async def call(peer):
        return [
            await peer.advisor.ValidateObservation(
                advisor_pb2.ValidateObservationRequest(observation=observation)
            )
            for observation in (an_observation(), bad, full)
        ]

    good, wrong, state = with_server(call)
    assert (good.valid, good.to_act) == (True, a_state().to_act)
    assert (wrong.valid, wrong.problem.field) == (False, "players[1].favor")
    assert "not allowed" in wrong.problem.description
    assert (state.valid, state.problem.field) == (False, "observer")


@pytest.mark.parametrize("send_observations", [False, True])
def test_play_turn_with_own_dice(send_observations):
    """The front-end keeps the true game; it reports outcomes by text where that is enough, else what the seat sees."""
    truth = a_state(moves=40)
    seat, turn = truth.to_act, truth.turn_number
    luck = Random(11)

    def see():
        return position_message(truth.observation(seat))

    async def call(peer):
        stream = peer.advisor.PlayTurn()
        start = advisor_pb2.PlayTurnStart(observation=see(), options=options(iterations=30))
        await stream.write(advisor_pb2.PlayTurnRequest(start=start))
        moves, needs = [], []
        while True:
            answer = await stream.read()
            if answer == grpc.aio.EOF:
                break
            needs.append(answer.need)
            if answer.HasField("analysis"):
                assert truth.to_act == seat
                truth.apply(answer.analysis.move.text)
                moves.append(answer.analysis.move.text)
            if answer.need == advisor_pb2.TURN_NEED_OUTCOME and not send_observations:
                assert truth.to_act == CHANCE
                outcome = str(truth.sample_chance(luck))
                truth.apply(outcome)
                await stream.write(advisor_pb2.PlayTurnRequest(outcome=outcome))
            elif answer.need in (advisor_pb2.TURN_NEED_OBSERVATION, advisor_pb2.TURN_NEED_OUTCOME):
                while truth.to_act not in (seat, -2):
                    truth.apply(
                        truth.sample_chance(luck) if truth.to_act == CHANCE else truth.random_move(luck)
                    )
                await stream.write(advisor_pb2.PlayTurnRequest(observation=see()))
            elif answer.need == advisor_pb2.TURN_NEED_NOTHING:
                assert truth.to_act == seat, "the service goes on only when it knows what the seat sees"
        return moves, needs

    moves, needs = with_server(call)
    assert moves
    assert needs[-1] == advisor_pb2.TURN_NEED_OVER
    assert truth.is_over or truth.turn_number != turn


def test_an_outcome_may_be_any_that_fits_what_the_seat_sees():
    """Whatever the bot imagines the others to hold: each card that it has not seen may come from the pile."""
    state = a_state(game="keltis", moves=20)
    while "take pile" not in [str(move) for move in state.legal_moves()]:
        state.apply(state.random_move(Random(1)))
    observation = state.observation(state.to_act)
    drawn = set()
    for seed in range(40):
        taken = View.of(state, state.to_act).imagined(seed)
        taken.apply("take pile")
        drawn.update(map(str, taken.legal_moves()))

    async def call(peer):
        needs = []
        for outcome in sorted(drawn):
            stream = peer.advisor.PlayTurn()
            start = advisor_pb2.PlayTurnStart(
                observation=position_message(observation),
                options=options(iterations=1, consider=["take pile"]),
            )
            await stream.write(advisor_pb2.PlayTurnRequest(start=start))
            await stream.read()
            await stream.write(advisor_pb2.PlayTurnRequest(outcome=outcome))
            needs.append((await stream.read()).need)
            stream.cancel()
        return needs

    assert advisor_pb2.TURN_NEED_OBSERVATION not in with_server(call)


def test_play_turn_asks_for_what_was_revealed():
    """After a look the service cannot know what was seen."""
    state = a_state(moves=0)
    while not any("look" in str(move) for move in state.legal_moves()):
        rng = Random(1)
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_moves()))
    look = next(str(move) for move in state.legal_moves() if "look" in str(move))

    async def call(peer):
        stream = peer.advisor.PlayTurn()
        observation = position_message(state.observation(state.to_act))
        start = advisor_pb2.PlayTurnStart(
            observation=observation, options=options(iterations=5, consider=[look])
        )
        await stream.write(advisor_pb2.PlayTurnRequest(start=start))
        first = await stream.read()
        await stream.write(advisor_pb2.PlayTurnRequest(outcome="battle 3"))
        wrong = await refusal(stream.read())
        return first, wrong

    first, wrong = with_server(call)
    assert (first.analysis.move.text, first.need) == (look, advisor_pb2.TURN_NEED_OBSERVATION)
    assert (wrong.code, wrong.fields) == (Code.FAILED_PRECONDITION, ["outcome"])


def test_a_bot_is_asked_with_an_observation_only():
    """Full states are refused, so nothing hidden can reach a bot."""

    async def call(peer):
        return await refusal(
            peer.advisor.SuggestMove(suggest(observation=position_message(a_state().to_json())))
        )

    refused = with_server(call)
    assert (refused.code, refused.fields) == (Code.INVALID_ARGUMENT, ["observation.observer"])


def test_the_answer_does_not_depend_on_what_is_hidden():
    state = a_state(moves=10)
    seat = state.to_act
    other = state_from_observation(state.observation(seat), 99)
    assert other.to_json() != state.to_json()

    async def call(peer):
        answers = []
        for position in (state, other):
            request = suggest(
                observation=position_message(position.observation(seat)), options=options(iterations=40)
            )
            analysis = (await peer.advisor.SuggestMove(request)).analysis
            analysis.seconds = 0
            answers.append(analysis.SerializeToString(deterministic=True))
        return answers

    first, second = with_server(call)
    assert first == second


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        (lambda r: r.ClearField("observation"), "observation", Code.INVALID_ARGUMENT),
        (
            lambda r: r.observation.delphi.ClearField("observer"),
            "observation.observer",
            Code.INVALID_ARGUMENT,
        ),
        (
            lambda r: setattr(r.observation.delphi, "observer", 7),
            "observation.observer",
            Code.INVALID_ARGUMENT,
        ),
        (
            lambda r: setattr(r.observation.delphi, "observer", -1),
            "observation.observer",
            Code.INVALID_ARGUMENT,
        ),
        (lambda r: setattr(r.observation.delphi, "game", "chess"), "observation.game", Code.INVALID_ARGUMENT),
        (lambda r: setattr(r.observation.delphi, "format", 2), "observation.format", Code.INVALID_ARGUMENT),
        (lambda r: setattr(r.observation.delphi, "round", -5), "observation.round", Code.INVALID_ARGUMENT),
        (lambda r: r.observation.delphi.ClearField("board"), "observation.board", Code.INVALID_ARGUMENT),
        (lambda r: r.observation.delphi.ClearField("players"), "observation.players", Code.INVALID_ARGUMENT),
        (
            lambda r: setattr(r.observation.delphi.players[0], "favor", 10**6),
            "observation.players[0].favor",
            Code.INVALID_ARGUMENT,
        ),
        (lambda r: setattr(r.options.bot, "name", "deep blue"), "options.bot.name", Code.INVALID_ARGUMENT),
        (lambda r: setattr(r.options.bot, "level", 11), "options.bot.level", Code.INVALID_ARGUMENT),
        (lambda r: setattr(r.options.bot, "threads", -1), "options.bot.threads", Code.INVALID_ARGUMENT),
        (lambda r: setattr(r.options.bot, "threads", 10**6), "options.bot.threads", Code.INVALID_ARGUMENT),
        (
            lambda r: r.options.bot.parameters.update({"no such": 1.0}),
            "options.bot.parameters['no such']",
            Code.INVALID_ARGUMENT,
        ),
        (
            lambda r: r.options.bot.parameters.update({"exploration": float("nan")}),
            "options.bot.parameters['exploration']",
            Code.INVALID_ARGUMENT,
        ),
        (
            lambda r: r.options.bot.parameters.update({"max_nodes": 1e9}),
            "options.bot.parameters['max_nodes']",
            Code.INVALID_ARGUMENT,
        ),
        (
            lambda r: r.options.bot.parameters.update({"exploration": -1.0}),
            "options.bot.parameters['exploration']",
            Code.INVALID_ARGUMENT,
        ),
        (lambda r: r.options.bot.limit.Clear(), "options.bot.limit", Code.INVALID_ARGUMENT),
        (
            lambda r: setattr(r.options.bot.limit, "iterations", 0),
            "options.bot.limit.iterations",
            Code.INVALID_ARGUMENT,
        ),
        (
            lambda r: setattr(r.options.bot.limit, "iterations", 10**15),
            "options.bot.limit.iterations",
            Code.INVALID_ARGUMENT,
        ),
        (
            lambda r: setattr(r.options.bot.limit, "seconds", float("inf")),
            "options.bot.limit.seconds",
            Code.INVALID_ARGUMENT,
        ),
        (
            lambda r: setattr(r.options.bot.limit, "scope", 9),
            "options.bot.limit.scope",
            Code.INVALID_ARGUMENT,
        ),
        (lambda r: setattr(r.options, "lines", -1), "options.lines", Code.INVALID_ARGUMENT),
        (lambda r: setattr(r.options, "seed", -1), "options.seed", Code.INVALID_ARGUMENT),
        (lambda r: setattr(r.options, "priority", 77), "options.priority", Code.INVALID_ARGUMENT),
        (lambda r: r.options.consider.append("fly away"), "options.consider[0]", Code.INVALID_ARGUMENT),
        (lambda r: r.options.consider.append("\0" * 10_000), "options.consider[0]", Code.INVALID_ARGUMENT),
        (lambda r: r.options.avoid.extend(LEGAL), "options.avoid", Code.INVALID_ARGUMENT),
        (lambda r: r.options.avoid.append(""), "options.avoid[0]", Code.INVALID_ARGUMENT),
    ],
)
def test_bad_fields_are_named(change, field, code):
    request = suggest(observation=an_observation(), options=options(iterations=5))
    change(request)

    async def call(peer):
        return await refusal(peer.advisor.SuggestMove(request))

    refused = with_server(call)
    assert (refused.code, refused.fields) == (code, [field]), refused
    assert refused.words.startswith(f"{field}: ")


LEGAL = [str(move) for move in a_state().legal_moves()]


def test_a_seat_that_is_not_to_act():
    state = a_state()
    seen = position_message(state.observation(1 - state.to_act))

    async def call(peer):
        return [
            await refusal(peer.advisor.SuggestMove(suggest(observation=seen))),
            await refusal(peer.advisor.LegalMoves(advisor_pb2.LegalMovesRequest(observation=seen))),
        ]

    for refused in with_server(call):
        assert (refused.code, refused.fields) == (Code.FAILED_PRECONDITION, ["observation.to_act"])


@pytest.mark.parametrize(
    ("request_of", "field"),
    [
        (
            lambda: ("Analyze", advisor_pb2.AnalyzeRequest(observation=an_observation(), interval_ms=1)),
            "interval_ms",
        ),
        (lambda: ("Analyze", advisor_pb2.AnalyzeRequest()), "observation"),
        (lambda: ("AnalyzeBatch", advisor_pb2.AnalyzeBatchRequest()), "items"),
        (
            lambda: ("AnalyzeBatch", advisor_pb2.AnalyzeBatchRequest(items=[advisor_pb2.BatchItem()])),
            "items[0].observation",
        ),
        (lambda: ("LegalMoves", advisor_pb2.LegalMovesRequest()), "observation"),
        (lambda: ("ValidateObservation", advisor_pb2.ValidateObservationRequest()), "observation"),
        (lambda: ("PlayTurn", iter([])), "start"),
        (lambda: ("PlayTurn", iter([advisor_pb2.PlayTurnRequest(outcome="x")])), "start"),
        (
            lambda: (
                "PlayTurn",
                iter([advisor_pb2.PlayTurnRequest(start=advisor_pb2.PlayTurnStart())]),
            ),
            "start.observation",
        ),
    ],
)
def test_bad_fields_of_the_other_calls_are_named(request_of, field):
    async def call(peer):
        name, request = request_of()
        return await refusal(getattr(peer.advisor, name)(request))

    refused = with_server(call)
    assert (refused.code, refused.fields) == (Code.INVALID_ARGUMENT, [field]), refused
