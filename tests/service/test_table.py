"""The calls that a table needs: pictures, words, what a move leads to, reviews. Over gRPC and HTTP, for every game."""

import asyncio
from dataclasses import replace
from io import StringIO

import grpc
import pytest

from pythia.arena.review import DEFAULT_JUDGE, review
from pythia.core_cy import CHANCE, SPECTATOR, Random, View, game_info, list_games, load_game
from pythia.core_cy.descriptions import LANGUAGES, descriptions
from pythia.core_cy.move_words import describe_moves
from pythia.core_cy.picture import svg_of
from pythia.core_cy.record import Record, RecordEntry, header_of
from pythia.core_cy.reveals import passed
from pythia.search.bots import BotSpec
from pythia.service import aside
from pythia.service.aside import Answers, Aside
from pythia.service.auth import LOCAL_CALLER
from pythia.service.errors import Refused
from pythia.service.wire import position_message, to_json
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2
from tests.service.serving import a_state, bot, options, refusal, serving, with_server
from tests.service.web import with_web

Code = grpc.StatusCode
each_game = pytest.mark.parametrize("game", list_games())
QUICK = "ismcts:iterations=16"


def state_of(game, **arguments):
    return a_state(game, players=game_info(game).min_players, **arguments)


def seen_in(state, seat=None):
    return position_message(state.observation(state.to_act if seat is None else seat))


def record_of(game, moves=12, seed=3):
    """The first moves of a random game, as text."""
    rng = Random(seed)
    state = load_game(game, players=game_info(game).min_players, seed=seed).new_state()
    header, entries = header_of(state), []
    for _ in range(moves):
        move = state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng)
        entries.append(RecordEntry(state.to_act, str(move)))
        state.apply(move)
    record = Record(header, entries, {})
    return record, text_of(record)


def text_of(record):
    text = StringIO()
    record.write(text)
    return text.getvalue()


# -- pictures


@each_game
def test_render_draws_what_the_command_line_draws(game):
    state = state_of(game)
    move = str(state.legal_moves()[0])

    async def call(peer):
        asked = [
            advisor_pb2.RenderRequest(observation=seen_in(state)),
            advisor_pb2.RenderRequest(observation=seen_in(state), move=move),
            advisor_pb2.RenderRequest(observation=seen_in(state, SPECTATOR)),
            advisor_pb2.RenderRequest(observation=seen_in(state), names=["Ada", "<b>Bob</b>"]),
            advisor_pb2.RenderRequest(observation=seen_in(state), language="de"),
        ]
        return [[(await peer.advisor.Render(request)).svg for request in asked] for _ in range(2)]

    first, again = with_server(call)
    seen = state.observation(state.to_act)
    named, german = svg_of(seen, names=["Ada", "<b>Bob</b>"]), svg_of(seen, language="de")
    plain = [svg_of(seen), svg_of(seen, move=move), svg_of(state.observation(SPECTATOR))]
    assert first == again == [*plain, named, german]
    assert german != plain[0]
    assert ">Ada</text>" in named
    assert "<b>" not in named
    assert 'data-key="' in first[0]


@each_game
def test_over_http_too(game):
    state = state_of(game)
    seen = {game: to_json(getattr(seen_in(state), game))}
    move = str(state.legal_moves()[0])

    async def call(web, peer):
        return (
            await web.call("AdvisorService/Render", {"observation": seen}),
            await web.call("AdvisorService/DescribeMoves", {"observation": seen, "language": "de"}),
            await web.call("AdvisorService/ApplyMove", {"observation": seen, "move": move}),
            await web.call("EngineService/Describe", {"game": game, "language": "de"}),
            await web.stream(
                "AdvisorService/Review",
                {
                    "record": record_of(game, 3)[1],
                    "unfinished": True,
                    "options": {"bot": {"name": "ismcts", "limit": {"iterations": 16}}},
                },
            ),
        )

    picture, moves, after, told, (_, parts) = with_web(call)
    assert picture.json["svg"] == svg_of(state.observation(state.to_act))
    assert [one["move"]["text"] for one in moves.json["moves"]] == [str(one) for one in state.legal_moves()]
    assert after.json["need"].startswith("TURN_NEED_")
    assert {one["key"] for one in told.json["descriptions"]} == set(descriptions(game, "de"))
    assert "summary" in parts[-2]["part"]


# -- words


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_describe(game, language):
    entries = list(descriptions(game, language).values())

    async def call(peer):
        everything = await peer.engine.Describe(engine_pb2.DescribeRequest(game=game, language=language))
        words = [entries[3].key, entries[1].key, f"{entries[0].title}x"]
        some = await peer.engine.Describe(
            engine_pb2.DescribeRequest(game=game, language=language, words=words)
        )
        return everything, some

    everything, some = with_server(call)
    assert [one.key for one in everything.descriptions] == [entry.key for entry in entries]
    assert [one.text for one in everything.descriptions] == [entry.text for entry in entries]
    assert [one.key for one in some.descriptions] == [entries[1].key, entries[3].key]
    assert entries[0].title in some.suggestions


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_moves_are_described(game, language):
    state = state_of(game)
    view = View.of(state, state.to_act)
    last = str(state.legal_moves()[-1])

    async def call(peer):
        request = advisor_pb2.DescribeMovesRequest(observation=seen_in(state), language=language)
        every = await peer.advisor.DescribeMoves(request)
        request.moves.append(last)
        return every.moves, (await peer.advisor.DescribeMoves(request)).moves

    every, one = with_server(call)
    expected = describe_moves(view, None, language)
    assert [(m.move.text, m.label, m.price, m.odds, m.gains) for m in every] == [
        (m.move, m.label, m.price, m.odds, m.gains) for m in expected
    ]
    assert [[(p.role, p.key, p.label) for p in m.parts] for m in every] == [
        [(p.role, p.key, p.label) for p in m.parts] for m in expected
    ]
    assert [move.move.text for move in one] == [last]


def test_games_tell_their_values_and_languages():
    async def call(peer):
        return (await peer.engine.ListGames(engine_pb2.ListGamesRequest())).games

    for info in with_server(call):
        known = game_info(info.name)
        assert {one.name: tuple(one.values) for one in info.values} == {
            v.name: v.values for v in known.values
        }
        assert list(info.languages) == list(LANGUAGES)
        assert info.hides == known.hides
        game = load_game(info.name, seed=1)
        assert info.scored == (game.scores(game.new_state()) is not None)


@each_game
def test_scores_of_a_position(game):
    state = state_of(game)

    async def call(peer):
        request = advisor_pb2.ValidateObservationRequest(observation=seen_in(state))
        return await peer.advisor.ValidateObservation(request)

    answer = with_server(call)
    assert answer.HasField("to_act")
    expected = state.game.scores(View.of(state, state.to_act)) or []
    assert [(one.total, dict(one.parts)) for one in answer.scores] == [
        (one["total"], one["parts"]) for one in expected
    ]


# -- what a move leads to


@each_game
def test_a_game_is_followed_move_by_move(game):
    """What a seat sees is what the engine shows it, with reveals and outcomes told where something was hidden."""
    rng = Random(2)
    state = load_game(game, players=game_info(game).min_players, seed=2).new_state()

    async def call(peer):
        nonlocal state
        seat, seen, hidden = 0, state.observation(0), False
        for _ in range(60):
            if state.is_over:
                break
            before = View.of(state, seat)
            move = str(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
            state.apply(move)
            if hidden:  # it happened by itself, as the seat saw nothing of it
                hidden = passed(before).key != View.of(state, seat).key
                continue
            request = advisor_pb2.ApplyMoveRequest(observation=position_message(seen), move=move)
            answer = await peer.advisor.ApplyMove(request)
            after = View.of(state, seat)
            if not answer.HasField("observation"):
                assert answer.need == advisor_pb2.TURN_NEED_OBSERVATION
                true = state.game.reveals_of(seen, after.observation())
                assert set(true) & set(answer.reveals)
                request.reveals.extend(text for text in true if text in answer.reveals)
                answer = await peer.advisor.ApplyMove(request)
            now = passed(after)
            hidden = now.key != after.key
            assert answer.observation == position_message(now.observation()), move
            assert answer.need == need_of(now)
            assert (
                len(answer.outcomes)
                == len(answer.probabilities)
                == (
                    len(state.legal_moves())
                    if now.to_act == CHANCE and game_info(game).open_chance
                    else len(answer.outcomes)
                )
            )
            assert bool(answer.outcomes) == (now.to_act == CHANCE)
            seen = now.observation()

    with_server(call)


def need_of(view):
    if view.is_over:
        return advisor_pb2.TURN_NEED_OVER
    if view.to_act == CHANCE:
        return advisor_pb2.TURN_NEED_OUTCOME
    return advisor_pb2.TURN_NEED_NOTHING if view.to_act == view.seat else advisor_pb2.TURN_NEED_OBSERVATION


# -- secrets


@each_game
def test_answers_do_not_depend_on_what_is_hidden(game):
    """Positions that look alike to a seat get the same bytes, from servers that know nothing of each other."""
    state = state_of(game, moves=20)
    seat = state.to_act
    twins = [state, state.imagined(seat, 11), state.imagined(seat, 12)]
    move = str(state.legal_moves()[0])

    async def call(peer, twin):
        seen = seen_in(twin, seat)
        answers = [
            await peer.advisor.Render(advisor_pb2.RenderRequest(observation=seen, move=move)),
            await peer.advisor.DescribeMoves(advisor_pb2.DescribeMovesRequest(observation=seen)),
            await peer.advisor.ApplyMove(advisor_pb2.ApplyMoveRequest(observation=seen, move=move)),
            await peer.advisor.ValidateObservation(advisor_pb2.ValidateObservationRequest(observation=seen)),
        ]
        history = advisor_pb2.History(steps=[advisor_pb2.HistoryStep(observation=seen, move=move)])
        request = advisor_pb2.ReviewRequest(history=history, options=options(iterations=16))
        answers += [part async for part in peer.advisor.Review(request)]
        return [answer.SerializeToString(deterministic=True) for answer in answers]

    first, *others = (with_server(lambda peer, twin=twin: call(peer, twin)) for twin in twins)
    assert all(other == first for other in others)


# -- reviews


@each_game
def test_a_review_has_the_numbers_of_the_command_line(game):
    record, text = record_of(game)
    expected = review(record, BotSpec.parse(QUICK), seed=5)

    async def call(peer):
        request = advisor_pb2.ReviewRequest(
            record=text, unfinished=True, options=options(iterations=16, seed=5)
        )
        return [answer.part async for answer in peer.advisor.Review(request)]

    parts = with_server(call)
    decisions = [part.decision for part in parts if part.HasField("decision")]
    assert [
        (d.number, d.seat, d.move, d.best, d.loss, d.loss_low, d.loss_high, list(d.line), list(d.values))
        for d in decisions
    ] == [
        (d.number, d.seat, d.move, d.best, d.loss, d.low, d.high, d.line, d.values)
        for d in expected.decisions
    ]
    assert [d.mistake for d in decisions] == [d.is_mistake for d in expected.decisions]
    luck = [(p.luck.number, p.luck.seat, p.luck.luck) for p in parts if p.HasField("luck")]
    assert luck == [(event.number, event.seat, event.luck) for event in expected.luck]
    sums = [
        (p.summary.seat, p.summary.total_loss, p.summary.total_luck) for p in parts if p.HasField("summary")
    ]
    assert sums == [(one.seat, one.total_loss, one.total_luck) for one in expected.summaries()]
    assert [part.done for part in parts] == sorted(part.done for part in parts)
    assert {part.total for part in parts} == {len(record.moves)}


def test_a_history_is_judged_as_the_game_is():
    record, _ = record_of("keltis", 20)
    states = list(record.replay())
    steps = [
        advisor_pb2.HistoryStep(observation=seen_in(state, 0), move=entry.move)
        for state, entry in zip(states, record.moves, strict=False)
        if entry.by == 0
    ]

    async def call(peer):
        request = advisor_pb2.ReviewRequest(
            history=advisor_pb2.History(steps=steps), options=options(iterations=16)
        )
        return [answer.part async for answer in peer.advisor.Review(request)]

    parts = with_server(call)
    assert not any(part.HasField("luck") for part in parts)
    assert parts[-1].summary.seat == 0
    assert {part.total for part in parts} == {len(steps)}
    assert sum(part.HasField("decision") for part in parts) == parts[-1].summary.decisions > 0


def test_a_cancelled_review_frees_the_processor():
    async def call(peer):
        request = advisor_pb2.ReviewRequest(
            record=record_of("keltis", 12)[1], unfinished=True, options=options(seconds=50)
        )
        stream = peer.advisor.Review(request)
        waiting = asyncio.ensure_future(stream.read())
        registry = peer.server.metrics.registry
        while registry.get_sample_value("pythia_searches_running") != 1:
            await asyncio.sleep(0.02)
        stream.cancel()
        waiting.cancel()
        asked = advisor_pb2.SuggestMoveRequest(
            observation=seen_in(state_of("keltis")), options=options(iterations=20)
        )
        return await peer.advisor.SuggestMove(asked)

    assert with_server(call, workers=1, reserved_workers=0).analysis.move.text


# -- bad input

LONG = "x" * 201
WRONG = {
    "no game": (lambda p: p.engine.Describe(engine_pb2.DescribeRequest()), "game"),
    "game": (lambda p: p.engine.Describe(engine_pb2.DescribeRequest(game="chess")), "game"),
    "language": (
        lambda p: p.engine.Describe(engine_pb2.DescribeRequest(game="delphi", language="fr")),
        "language",
    ),
    "words": (
        lambda p: p.engine.Describe(engine_pb2.DescribeRequest(game="delphi", words=["a"] * 51)),
        "words",
    ),
    "word": (
        lambda p: p.engine.Describe(engine_pb2.DescribeRequest(game="delphi", words=["a", LONG])),
        "words[1]",
    ),
    "no position": (lambda p: p.advisor.Render(advisor_pb2.RenderRequest()), "observation"),
    "render move": (lambda p: p.advisor.Render(asking(advisor_pb2.RenderRequest, move="fly")), "move"),
    "long move": (lambda p: p.advisor.Render(asking(advisor_pb2.RenderRequest, move=LONG)), "move"),
    "picture in French": (
        lambda p: p.advisor.Render(asking(advisor_pb2.RenderRequest, language="fr")),
        "language",
    ),
    "names": (lambda p: p.advisor.Render(asking(advisor_pb2.RenderRequest, names=["a"] * 6)), "names"),
    "name": (lambda p: p.advisor.Render(asking(advisor_pb2.RenderRequest, names=["a", LONG])), "names[1]"),
    "moves": (
        lambda p: p.advisor.DescribeMoves(asking(advisor_pb2.DescribeMovesRequest, moves=["fly"])),
        "moves[0]",
    ),
    "too many moves": (
        lambda p: p.advisor.DescribeMoves(asking(advisor_pb2.DescribeMovesRequest, moves=["a"] * 2001)),
        "moves",
    ),
    "moves in French": (
        lambda p: p.advisor.DescribeMoves(asking(advisor_pb2.DescribeMovesRequest, language="fr")),
        "language",
    ),
    "no move": (lambda p: p.advisor.ApplyMove(asking(advisor_pb2.ApplyMoveRequest)), "move"),
    "apply": (lambda p: p.advisor.ApplyMove(asking(advisor_pb2.ApplyMoveRequest, move="fly")), "move"),
    "reveals": (
        lambda p: p.advisor.ApplyMove(asking(advisor_pb2.ApplyMoveRequest, move=LEGAL, reveals=["reveal x"])),
        "reveals[0]",
    ),
    "too many reveals": (
        lambda p: p.advisor.ApplyMove(asking(advisor_pb2.ApplyMoveRequest, move="a", reveals=["b"] * 101)),
        "reveals",
    ),
    "no source": (lambda p: p.advisor.Review(advisor_pb2.ReviewRequest()), "record"),
    "record": (lambda p: p.advisor.Review(advisor_pb2.ReviewRequest(record="no record")), "record"),
    "seats": (
        lambda p: p.advisor.Review(
            advisor_pb2.ReviewRequest(record=record_of("keltis")[1], unfinished=True, seats=[7])
        ),
        "seats",
    ),
    "bot": (
        lambda p: p.advisor.Review(
            advisor_pb2.ReviewRequest(
                record=record_of("keltis")[1], unfinished=True, options=options("random")
            )
        ),
        "options.bot.name",
    ),
    "steps": (
        lambda p: p.advisor.Review(
            advisor_pb2.ReviewRequest(history=advisor_pb2.History(steps=[advisor_pb2.HistoryStep()] * 1001))
        ),
        "history.steps",
    ),
    "step": (
        lambda p: p.advisor.Review(
            advisor_pb2.ReviewRequest(
                history=advisor_pb2.History(steps=[asking(advisor_pb2.HistoryStep, move="fly")])
            )
        ),
        "history.steps[0].move",
    ),
    "consider": (
        lambda p: p.advisor.Review(
            advisor_pb2.ReviewRequest(record="x", options=options(iterations=9, consider=["a"]))
        ),
        "options.consider",
    ),
}
POSITION = a_state()
LEGAL = str(POSITION.legal_moves()[0])


def asking(kind, **fields):
    return kind(observation=seen_in(POSITION), **fields)


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(what):
    call, field = WRONG[what]

    async def go(peer):
        return await refusal(call(peer))

    refused = with_server(go)
    assert refused.code is Code.INVALID_ARGUMENT, refused
    assert refused.fields == [field], refused


# -- many callers


def test_answers_are_made_once_and_kept_within_bounds():
    async def go():
        answers, made = Answers(1000), []

        async def make(key):
            made.append(key)
            await asyncio.sleep(0)
            return key * 40

        for _ in range(2):
            await asyncio.gather(
                *[answers.get(b"0123456789", lambda: make(b"0123456789")) for _ in range(20)]
            )
        assert len(made) == 1
        for number in range(20):
            key = f"key {number:06}".encode()
            await answers.get(key, lambda key=key: make(key))
        assert answers._bytes <= 1000
        assert len(answers._kept) == 2
        return True

    assert asyncio.run(go())


@pytest.mark.parametrize("game", list_games())
def test_spectators_are_told_moves_and_outcomes_in_words(game):
    """As pages do for the log of a match: what happened, by what a spectator saw before it."""
    record, _ = record_of(game, 30)

    async def go(peer):
        told = []
        for state, entry in zip(record.replay(), record.moves, strict=False):
            request = advisor_pb2.DescribeMovesRequest(
                observation=seen_in(state, SPECTATOR), moves=[entry.move]
            )
            told += (await peer.advisor.DescribeMoves(request)).moves
        asked = advisor_pb2.DescribeMovesRequest(observation=seen_in(a_state(game), SPECTATOR))
        return [one.move.text for one in told], await refusal(peer.advisor.DescribeMoves(asked))

    told, refused = with_server(go)
    assert told == [entry.move for entry in record.moves]
    assert refused.fields == ["observation.to_act"]


def test_how_fast_an_answer_comes_tells_nobody_what_a_player_sees():
    """Answers for a seat are made anew: a kept one would tell an opponent that the player has asked the same."""
    state = a_state("keltis")
    seats = [seen_in(state, seat) for seat in (SPECTATOR, 0, 1)]

    async def go(peer):
        advisor, sizes = peer.server._backend._servicers[1][0], []
        for seen in (*seats, seen_in(a_state("offrandes"), 0)):
            await peer.advisor.Render(advisor_pb2.RenderRequest(observation=seen))
            request = advisor_pb2.DescribeMovesRequest(observation=seen, moves=[str(state.legal_moves()[0])])
            if len(sizes) < len(seats):
                await peer.advisor.DescribeMoves(request)
            sizes.append(len(advisor._answers._kept))
        return sizes

    # What a spectator sees is kept, and what a seat sees of a game that hides nothing.
    assert with_server(go) == [2, 2, 2, 3]


def test_a_client_cannot_fill_the_line():
    async def go():
        line, hold = Aside(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def work():
            asyncio.run_coroutine_threadsafe(hold.wait(), loop).result()
            return 1

        calls = [
            asyncio.ensure_future(line.run(LOCAL_CALLER, work)) for _ in range(aside.WAITING + aside.THREADS)
        ]
        await asyncio.sleep(0.05)
        with pytest.raises(Refused, match="wait already") as refused:
            await line.run(LOCAL_CALLER, work)
        assert refused.value.retry_seconds
        calls[-1].cancel()
        hold.set()
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert done.count(1) == len(calls) - 1
        assert not line._waiting
        assert await line.run(LOCAL_CALLER, lambda: 2) == 2

    asyncio.run(go())


def test_clients_take_turns_in_the_line():
    """Whoever comes after 40 calls of another client waits for one of them; cancelled calls leave no gap."""

    async def go():
        line, hold, order = Aside(), asyncio.Event(), []
        loop = asyncio.get_running_loop()
        busy, quiet = (replace(LOCAL_CALLER, name=name) for name in ("busy", "quiet"))

        def block():
            asyncio.run_coroutine_threadsafe(hold.wait(), loop).result()

        holding = [asyncio.ensure_future(line.run(busy, block)) for _ in range(aside.THREADS)]
        waiting = [
            asyncio.ensure_future(line.run(client, lambda name=client.name: order.append(name)))
            for client in [busy] * 40 + [quiet] * 3
        ]
        await asyncio.sleep(0)
        for number, cancelled in enumerate(waiting[:10]):
            cancelled.cancel()
            if number == 4:
                await asyncio.sleep(0)
        # The other five are still in the line, but wait for nothing, when a place becomes free.
        line._pass_on()
        hold.set()
        await asyncio.gather(*holding, *waiting, return_exceptions=True)
        assert order.count("busy") == 30
        assert not line._waiting
        assert line._free == aside.THREADS + 1
        return order

    order = asyncio.run(go())
    # Two threads may swap neighbours.
    assert order[: 6 + aside.THREADS].count("quiet") == 3


def test_a_place_that_comes_with_the_end_of_a_call_is_passed_on():
    async def go():
        line, hold = Aside(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def block():
            asyncio.run_coroutine_threadsafe(hold.wait(), loop).result()

        calls = [asyncio.ensure_future(line.run(LOCAL_CALLER, block)) for _ in range(aside.THREADS)]
        late = asyncio.ensure_future(line.run(LOCAL_CALLER, lambda: 1))
        await asyncio.sleep(0)
        line._pass_on()  # as a thread that has ended does, and in the same moment
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
        assert line._free == 1
        hold.set()
        await asyncio.gather(*calls)

    asyncio.run(go())


def test_a_review_without_a_bot_uses_the_usual_judge():
    record, text = record_of("offrandes", 4)

    async def go():
        async with serving() as peer:
            request = advisor_pb2.ReviewRequest(record=text, unfinished=True)
            return [answer.part async for answer in peer.advisor.Review(request)]

    parts = asyncio.run(go())
    expected = review(record, BotSpec.parse(DEFAULT_JUDGE))
    assert [part.decision.loss for part in parts if part.HasField("decision")] == [
        decision.loss for decision in expected.decisions
    ]


# -- reveals in a bot's turn


def a_look():
    """A position of a game with hidden places in which the seat to act can look at two of them, and that move."""
    state = a_state(moves=0)
    rng = Random(1)
    while True:
        looks = (
            [str(move) for move in state.legal_moves() if " look " in str(move)] if state.to_act >= 0 else []
        )
        if looks:
            return state, looks[0]
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))


@pytest.mark.parametrize("right", [True, False])
def test_a_turn_goes_on_with_what_was_revealed(right):
    state, look = a_look()

    async def call(peer):
        stream = peer.advisor.PlayTurn()
        start = advisor_pb2.PlayTurnStart(
            observation=seen_in(state), options=options(iterations=8, consider=[look])
        )
        await stream.write(advisor_pb2.PlayTurnRequest(start=start))
        first = await stream.read()
        assert first.analysis.move.text == look
        assert first.need == advisor_pb2.TURN_NEED_OBSERVATION
        assert len(first.reveals) > 2
        await stream.write(
            advisor_pb2.PlayTurnRequest(reveal=first.reveals[0] if right else "reveal the sea")
        )
        if not right:
            return await refusal(stream.read())
        return first, await stream.read()

    answer = with_server(call)
    if right:
        first, second = answer
        assert second.need == advisor_pb2.TURN_NEED_OBSERVATION
        assert set(second.reveals) < set(first.reveals)
    else:
        assert answer.fields == ["reveal[0]"]


@each_game
def test_what_others_did_is_told_to_everyone(game):
    """Events of a match in words, by what the viewer saw before each; spectators too."""

    async def call(peer):
        made = await peer.create(*[bot("random")] * game_info(game).min_players, game=game)
        await peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=made.match.id))
        match = await peer.get(made.match.id)
        events = []
        async for answer in peer.match.Watch(match_pb2.WatchRequest(match_id=match.id)):
            events.append(answer.event)
            if answer.event.version == match.version:
                break
        told = []
        for event in events:
            if event.move.text:
                wanted = match_pb2.ObserveRequest(match_id=match.id, version=event.version - 1)
                seen = (await peer.match.Observe(wanted)).observation
                request = advisor_pb2.DescribeMovesRequest(observation=seen, moves=[event.move.text])
                told.append((await peer.advisor.DescribeMoves(request)).moves[0])
        return told

    told = with_server(call)
    assert told
    assert all(one.label for one in told)
