"""The client's calls, with and without an event loop, over the network and within the process: one set of tests."""

import asyncio
import inspect
import os
import signal
import threading
from functools import cache
from itertools import cycle

import pytest

from pythia.arena.review import Decision
from pythia.clients import AsyncClient, Client, calls
from pythia.clients.client import Attempts
from pythia.clients.errors import (
    Cancelled,
    Conflict,
    DeadlinePassed,
    Denied,
    InvalidRequest,
    NotFound,
    NotNow,
    PythiaError,
    ServerFault,
)
from pythia.clients.local import LocalPipe
from pythia.clients.types import OwnerRights, Seat
from pythia.core_cy import CHANCE, SPECTATOR, Random, View, game_info, list_games, load_game
from pythia.core_cy.move_words import reasons
from pythia.core_cy.picture import text_of
from pythia.core_cy.record import Record
from pythia.search.bots import BotSpec, describe_bots, make_bot
from pythia.search.limits import Limit
from tests.clients.serving import blocking, blocking_local, served
from tests.service.serving import a_state

CLIENTS = {
    "sync": lambda address, **values: Client(address, **values),
    "async": lambda address, **values: blocking(address, **values),
    "local": lambda address, **values: Client.local(workers=1, **values),
    "async local": lambda address, **values: blocking_local(workers=1, **values),
}


@pytest.fixture(scope="module")
def address():
    # One place for searches: a search that goes on when nobody wants it is noticed by the next.
    with served(workers=1) as server:
        yield server.address


@pytest.fixture(scope="module", params=CLIENTS)
def client(request, address):
    with CLIENTS[request.param](address) as client:
        yield client


@cache
def seen(**arguments):
    """What the seat to act sees in some position."""
    state = a_state(**arguments)
    return state.observation(state.to_act)


# -- what a server offers


def test_what_there_is(client):
    assert client.server_info().name == "pythia"
    assert list(client.server_info().games) == sorted(list_games())
    for game in client.games():
        own = game_info(game.name)
        assert (game.title, game.min_players, game.max_players) == (
            own.title,
            own.min_players,
            own.max_players,
        )
        assert [(option.name, option.type, option.default, option.allowed) for option in game.options] == [
            (option.name, option.type, option.default, option.allowed) for option in own.options
        ]
    assert client.bots() == describe_bots()


# -- advice


@pytest.mark.parametrize("game", list_games())
def test_a_suggestion_is_what_the_bot_itself_says(client, game):
    observation = seen(game=game, players=game_info(game).min_players)
    own = make_bot("ismcts", level=2, seed=5).choose(observation, lines=2000)
    result = client.suggest(observation, "ismcts:level=2", seed=5, lines=2000)
    assert result == own
    assert client.suggest(observation, BotSpec("ismcts", level=2), seed=5, lines=3).moves == own.moves[:3]


@pytest.mark.parametrize("game", list_games())
def test_reasons_are_in_the_language_asked_for(client, game):
    state = a_state(game=game, players=game_info(game).min_players)
    view = View.of(state, state.to_act)
    move = next(move for move in client.legal_moves(view) if view.why_good(move))
    asked = {"consider": [move], "language": "de"}
    results = [
        client.suggest(view, "random", **asked),
        list(client.analyze(view, "random", **asked))[-1],
        client.suggest(view, "random", consider=[move]),
    ]
    assert [result.reasons for result in results] == [
        reasons(view, move, told) for told in ("de", "de", "en")
    ]
    assert results[0].reasons != results[2].reasons
    [(_, result)] = client.analyze_batch([view], "greedy", language="de")
    assert result.reasons == reasons(view, result.move, "de")
    with client.play_turn(view, "greedy", language="de") as turn:
        result = next(turn).result
    assert result.reasons == reasons(view, result.move, "de")


@pytest.mark.parametrize("game", list_games())
def test_reasons_of_reviews_and_hints_are_in_the_language_asked_for(client, game):
    bots = ["random"] * (game_info(game).min_players - 1)
    made = client.create_match(game, [None, *bots], seed=3)
    while client.match(made.match.id).to_act != 0:
        client.bot_turn(made.match.id, made.owner_token)
    seen = View.from_observation(client.observe(made.match.id, 0, made.seat_tokens[0]).observation)
    *_, hint = client.hint(made.match.id, made.seat_tokens[0], "greedy", language="de")
    assert hint.result.reasons == reasons(seen, hint.result.move, "de")

    state, rng, steps = load_game(game, players=len(bots) + 1, seed=3).new_state(), Random(3), []
    while len(steps) < 4:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
            continue
        view = View.of(state, state.to_act)
        move = view.legal_moves()[-1]
        if view.seat == 0 and len(view.legal_moves()) > 1:
            steps.append((view, str(move)))
        state.apply(move)
    parts = client.review(steps, "ismcts:iterations=4", language="de")
    decisions = [part.found for part in parts if isinstance(part.found, Decision)]
    assert [decision.reasons for decision in decisions] == [
        reasons(steps[decision.number - 1][0], decision.best, "de") for decision in decisions
    ]
    assert len(decisions) == len(steps)


def test_limit_consider_and_avoid(client):
    observation = seen()
    moves = client.legal_moves(observation)
    assert client.suggest(observation, "random", consider=moves[:1]).move == moves[0]
    assert client.suggest(observation, "random", avoid=moves[1:]).move == moves[0]
    assert client.suggest(observation, "ismcts:level=9", limit=Limit(iterations=7)).iterations == 7


def test_legal_moves_and_validate(client):
    state = a_state(game="keltis")
    observation = state.observation(state.to_act)
    assert client.legal_moves(observation) == [str(move) for move in state.legal_moves()]
    assert client.validate(observation) == state.to_act
    with pytest.raises(InvalidRequest) as caught:
        client.validate(observation | {"to_act": 7})
    assert caught.value.fields[0].field == "observation.to_act"


def test_an_analysis_tells_more_and_more(client):
    enough = 60_000  # many intervals, on a fast machine too
    results = list(client.analyze(seen(), f"ismcts:iterations={enough}", interval=0.02))
    assert len(results) > 1
    counts = [result.iterations for result in results]
    assert counts == sorted(counts)
    assert counts[-1] >= enough


def test_closing_a_stream_ends_its_search(client):
    long = Limit(seconds=50)
    with client.analyze(seen(), limit=long, interval=0.02) as updates:
        next(updates)
    assert list(updates) == []
    updates = client.analyze(seen(), limit=long, interval=0.02)
    next(updates)
    del updates  # nobody can read on
    assert client.suggest(seen(), "ismcts:iterations=5", timeout=20).iterations == 5


def test_a_batch_answers_every_position(client):
    good, bad = seen(), seen() | {"to_act": 7}
    answers = dict(client.analyze_batch([good, bad, good], "greedy"))
    assert sorted(answers) == [0, 1, 2]
    assert answers[0] == answers[2] == client.suggest(good, "greedy")
    assert isinstance(answers[1], InvalidRequest)
    assert answers[1].fields[0].field == "observations[1].to_act"


def play_turn(client, state, luck):
    """A bot's turn in a game that this test keeps; the moves it made. Of outcomes every other one is only shown."""
    seat, moves, shows = state.to_act, [], cycle((False, True))
    with client.play_turn(state.observation(seat), "greedy") as turn:
        for step in turn:
            if step.move:
                state.apply(step.move)
                moves.append(step.move)
            if step.need == "outcome" and not next(shows):
                outcome = str(state.sample_chance(luck))
                state.apply(outcome)
                turn.report(outcome)
            elif step.need in ("outcome", "observation"):
                while state.to_act not in (seat, -2):
                    state.apply(
                        state.sample_chance(luck) if state.to_act == CHANCE else state.random_move(luck)
                    )
                turn.show(state.observation(seat))
    return moves


def test_a_whole_turn_with_own_dice(client):
    state = a_state(seed=2)
    turn = state.turn_number
    assert play_turn(client, state, Random(1))
    assert state.is_over or state.turn_number != turn


def test_a_turn_says_what_it_waits_for(client):
    state = a_state(seed=2)
    with client.play_turn(state.observation(state.to_act), "greedy") as turn:
        with pytest.raises(NotNow, match="needs nothing now"):
            turn.report("anything")
        for step in turn:
            if step.need == "outcome":
                break
        with pytest.raises(NotNow, match="needs outcome before it can continue"):
            next(turn)
        turn.report("no such outcome")
        with pytest.raises(InvalidRequest, match="outcome: "):
            next(turn)


# -- matches


def test_a_match_between_bots(client):
    made = client.create_match(
        "keltis", ["greedy", Seat("Bob", BotSpec("greedy"))], seed=4, reproducible=True
    )
    match_id = made.match.id
    assert [seat.name for seat in made.match.seats] == ["seat 0", "Bob"]
    assert made.seat_tokens == ("", "")
    played, match = [], made.match
    while not match.is_over:
        step = client.bot_turn(match_id)
        played += step.events
        match = step.match
    assert match == client.match(match_id)
    assert match.result.reason == "goal"
    assert sum(match.result.returns) == 1
    events = list(client.watch(match_id))
    assert [event.version for event in events] == list(range(1, match.version + 1))
    assert events[-len(played) :] == played
    record = client.export_record(match_id)
    assert record.complete
    # Of what chance drew a spectator sees only what everyone does; the record of a finished match has all.
    assert all(
        event.move in ("", entry.move) for event, entry in zip(events, record.read().moves, strict=True)
    )
    for form in (record, record.text, record.read()):
        assert client.import_record(form).match.result == match.result


def test_a_match_against_a_bot(client):
    made = client.create_match(
        "delphi", [Seat("Ann"), "greedy"], seed=3, reproducible=True, options={"removed_tasks": 4}
    )
    match_id, token = made.match.id, made.seat_tokens[0]
    assert made.match.options == {"players": 2, "removed_tasks": 4}
    observed = client.observe(match_id, 0, token)
    assert observed.version == made.match.version
    assert observed.observation["observer"] == 0
    assert client.observe(match_id).observation["observer"] == -1
    moves = client.match_moves(match_id, token)
    assert moves.moves == client.legal_moves(observed.observation)
    assert (moves.to_act, moves.version, moves.probabilities) == (0, observed.version, [])
    played = client.submit_move(match_id, moves.moves[-1], token, expected_version=moves.version)
    assert (played.events[0].by, played.events[0].kind, played.events[0].move) == (0, "move", moves.moves[-1])
    with pytest.raises(Conflict):
        client.submit_move(match_id, moves.moves[-1], token, expected_version=moves.version)
    while client.match(match_id).to_act == 0:
        client.submit_move(match_id, client.match_moves(match_id, token).moves[-1], token)
    before = client.match(match_id).version
    steps = list(client.stream_bot_turn(match_id, token))
    assert [event.version for step in steps for event in step.events] == list(
        range(before + 1, client.match(match_id).version + 1)
    )
    assert client.resign(match_id, token).result.winners == (1,)
    assert list(client.watch(match_id))[-1].kind == "resigned"
    record = client.export_record(match_id)
    assert not record.complete
    assert client.import_record(record, [None, "random"]).match.status == "active"


def test_undo_and_delete(client):
    made = client.create_match("delphi", [None, None], seed=3, reproducible=True)
    match_id = made.match.id
    token = made.seat_tokens[made.match.to_act]
    move = next(text for text in client.match_moves(match_id, token).moves if "sail" in text)
    client.submit_move(match_id, move, token)
    assert client.undo(match_id, token).version == made.match.version + 2
    events = client.watch(match_id, after_version=made.match.version)
    assert [(event.kind, event.move) for event in (next(events), next(events))] == [
        ("move", move),
        ("undone", ""),
    ]
    client.delete_match(match_id, made.owner_token)
    with pytest.raises(NotFound):
        client.match(match_id)


def test_tokens_are_replaced_and_the_owner_can_be_blind(client):
    made = client.create_match("keltis", [None, None], blind_owner=True, public=True)
    assert (made.match.owner, made.match.public) == (OwnerRights(False, ()), True)
    assert not any((made.match.seed_chosen, made.match.reproducible, made.match.imported))
    with pytest.raises(Denied, match="RotateToken"):
        client.observe(made.id, 0, made.seat_tokens[0])
    token = client.rotate_token(made.id, made.seat_tokens[0])
    assert client.observe(made.id, 0, token).observation["observer"] == 0
    assert client.match(made.id, token).id == made.id
    with pytest.raises(Denied):
        client.rotate_token(made.id, made.seat_tokens[0])
    with pytest.raises(Denied):
        client.export_record(made.id, made.owner_token)
    open_match = client.create_match("keltis", [None, "random"])
    assert open_match.match.owner == OwnerRights(True, (0,))


def test_real_dice(client):
    made = client.create_match("delphi", ["greedy", "greedy"], seed=1, reproducible=True, real_dice=True)
    assert made.match.to_act == CHANCE
    outcomes = client.match_moves(made.match.id, made.owner_token)
    assert sum(outcomes.probabilities) == pytest.approx(1)
    played = client.submit_move(made.match.id, outcomes.moves[0], made.owner_token)
    assert [(event.by, event.move) for event in played.events] == [(-1, outcomes.moves[0])]


def test_matches_page_by_page(client, monkeypatch):
    monkeypatch.setattr(calls, "PAGE", 2)
    made = [client.create_match("keltis", ["random", "random"]).match.id for _ in range(5)]
    listed = client.matches(status="active", game="keltis")
    assert [next(listed).id for _ in made] == made[::-1]
    assert all(match.is_over for match in client.matches("over"))


@pytest.mark.parametrize("name", ["sync", "local"])
def test_watching_while_it_is_played(name, address):
    with CLIENTS[name](address) as client:
        made = client.create_match("keltis", ["random", "random"])
        events = client.watch(made.match.id, after_version=made.match.version)
        player = threading.Timer(0.05, client.bot_turn, (made.match.id,))
        player.start()
        assert next(events).by == made.match.to_act
        player.join()


# -- refusals

REFUSALS = [
    (lambda c: c.suggest([]), InvalidRequest, "observation"),
    (lambda c: c.suggest({}), InvalidRequest, "observation.game"),
    (lambda c: c.suggest({"game": "chess"}), InvalidRequest, "observation.game"),
    (lambda c: c.suggest({"game": "delphi"}), InvalidRequest, "observation.observer"),
    (lambda c: c.suggest(seen() | {"strange": 1}), InvalidRequest, "observation.strange"),
    (lambda c: c.suggest(seen() | {"to_act": "x"}), InvalidRequest, "observation.to_act"),
    (lambda c: c.suggest(a_state().to_json()), InvalidRequest, "observation.observer"),
    (lambda c: c.suggest(a_state().observation(1 - a_state().to_act)), NotNow, "observation.to_act"),
    (lambda c: c.suggest(seen(), "chess"), InvalidRequest, "options.bot.name"),
    (lambda c: c.suggest(seen(), "ismcts:level=99"), InvalidRequest, "options.bot.level"),
    (lambda c: c.suggest(seen(), "ismcts:seconds=-1"), InvalidRequest, "options.bot.limit.seconds"),
    (lambda c: c.suggest(seen(), "random", limit=Limit(iterations=5)), InvalidRequest, "options.bot.limit"),
    (lambda c: c.suggest(seen(), seed=2**70), InvalidRequest, "options.seed"),
    (lambda c: c.suggest(seen(), lines=0), InvalidRequest, "options.lines"),
    (lambda c: c.suggest(seen(), priority="urgent"), InvalidRequest, "options.priority"),
    (lambda c: c.suggest(seen(), "random", consider=["fly"]), InvalidRequest, "options.consider[0]"),
    (lambda c: c.suggest(seen(), language="fr"), InvalidRequest, "options.language"),
    (lambda c: c.suggest(seen(), language="x" * 10_000), InvalidRequest, "options.language"),
    (lambda c: next(c.analyze(seen(), language="fr")), InvalidRequest, "options.language"),
    (lambda c: next(c.analyze_batch([seen()], language="fr")), InvalidRequest, "options.language"),
    (lambda c: next(c.play_turn(seen(), language="fr")), InvalidRequest, "options.language"),
    (lambda c: next(c.review("{}", language="fr")), InvalidRequest, "options.language"),
    (lambda c: next(c.analyze(seen(), interval=0.001)), InvalidRequest, "interval_ms"),
    (lambda c: next(c.analyze(seen(), interval=0)), InvalidRequest, "interval"),
    (lambda c: next(c.analyze_batch([])), InvalidRequest, "items"),
    (lambda c: next(c.play_turn({"game": "delphi"})), InvalidRequest, "start.observation.observer"),
    (lambda c: c.create_match("chess", []), InvalidRequest, "game"),
    (lambda c: c.create_match("delphi", [None]), InvalidRequest, "seats"),
    (lambda c: c.create_match("delphi", [None, "chess"]), InvalidRequest, "seats[1].bot.name"),
    (lambda c: c.create_match("delphi", [None] * 2, seed=-1), InvalidRequest, "seed"),
    (lambda c: c.create_match("keltis", [None] * 2, real_dice=True), InvalidRequest, "real_dice"),
    (lambda c: c.create_match("delphi", [None] * 2, options={"x": 1}), InvalidRequest, "options.x"),
    (lambda c: c.create_match("delphi", [None] * 2, options={"x": c}), InvalidRequest, "options"),
    (lambda c: next(c.matches(status="lost")), InvalidRequest, "status"),
    (lambda c: c.import_record("{}"), InvalidRequest, "record"),
    (lambda c: c.match("nothing"), NotFound, "match_id"),
    (lambda c: next(c.watch("nothing")), NotFound, "match_id"),
    (lambda c: c.undo(c.create_match("delphi", [None] * 2).match.id, "wrong"), Denied, "token"),
]


@pytest.mark.parametrize(("call", "kind", "field"), REFUSALS)
def test_refusals_name_the_field(client, call, kind, field):
    with pytest.raises(PythiaError) as caught:
        call(client)
    error = caught.value
    assert (type(error), [problem.field for problem in error.fields]) == (kind, [field])
    assert str(error) == f"{field}: {' '.join(error.fields[0].description.split())}"
    assert error.reason
    assert error.code


@pytest.mark.parametrize("name", ["sync", "async"])  # without a network nothing has to be received
def test_a_request_that_is_too_large(name, address):
    with CLIENTS[name](address) as client, pytest.raises(InvalidRequest, match="too large") as caught:
        client.import_record("x" * 2_000_000)
    assert caught.value.code == "RESOURCE_EXHAUSTED"


# -- time


def test_the_answer_comes_before_the_deadline(client):
    """The search is cut short for it. How long an answer takes on its way depends on the machine: on a busy one, only a
    longer timeout leaves enough for it, but however long it is, the search would take longer."""
    for timeout in (0.3, 1, 4, 16):
        try:
            result = client.suggest(seen(), "ismcts:iterations=10000000", timeout=timeout)
            break
        except DeadlinePassed:
            assert timeout < 16
    assert 0 < result.iterations < 10_000_000


@pytest.mark.parametrize("name", CLIENTS)
def test_iterations_are_not_cut_short(name, address):
    with CLIENTS[name](address, timeout=0.01) as client:
        result = client.suggest(seen(), "ismcts:iterations=1500")
    assert result.iterations == 1500
    assert result.seconds > 0.01, "too quick to show anything"


def test_the_usual_timeout():
    """Beside it there is the time to think; where nobody knows how long that takes there is no deadline."""
    for call, seconds in (
        (calls.match("x"), 30),
        (calls.suggest(seen(), "greedy"), 30),
        (calls.suggest(seen(), limit=Limit(seconds=5)), 35),
        (calls.suggest(seen(), limit=Limit(iterations=9, seconds=5)), 35),
        (calls.suggest(seen(), "ismcts:level=10"), None),
        (calls.suggest(seen(), "ismcts:level=10", timeout=7), 7),
        (calls.bot_turn("x"), None),
        (calls.analyze(seen(), limit=Limit(seconds=5)), None),
    ):
        left = Attempts(call, 30.0, retries=0).left()
        assert left == seconds if seconds is None else seconds - 5 < left <= seconds


def test_a_deadline_that_passes(client):
    made = client.create_match("delphi", [None, None])
    events = client.watch(made.match.id, after_version=made.match.version, timeout=0.1)
    with pytest.raises(DeadlinePassed, match="timeout"):
        next(events)
    assert list(events) == []


def test_the_time_to_think_is_not_taken_from_the_timeout():
    with Client.local(timeout=0.4) as client:
        assert client.suggest(seen(), limit=Limit(seconds=0.6)).seconds > 0.5


# -- closing


@pytest.mark.parametrize("name", CLIENTS)
def test_a_closed_client(name, address):
    with CLIENTS[name](address) as client:
        client.server_info()
        updates = client.analyze(seen(), limit=Limit(seconds=50), interval=0.02)
        next(updates)
        unread = client.analyze(seen())
        other = Client if isinstance(client, Client) else AsyncClient
        assert isinstance(getattr(client, "_client", client), other)
        closing = client.close if other is Client else lambda: client.run(client._client.close())
        closing()
        with pytest.raises(Cancelled):
            list(updates)
        for call in (client.server_info, lambda: next(unread)):
            with pytest.raises(RuntimeError, match="the client is closed"):
                call()
        closing()


@pytest.mark.parametrize("name", ["sync", "local"])
def test_a_stream_is_closed_from_another_thread(name, address):
    with CLIENTS[name](address) as client:
        made = client.create_match("delphi", [None, None])
        events = client.watch(made.match.id, after_version=made.match.version)
        closer = threading.Timer(0.1, events.close)
        closer.start()
        assert list(events) == []
        closer.join()


@pytest.mark.parametrize("name", ["sync", "local"])
def test_an_interrupt_ends_the_call(name, address):
    with CLIENTS[name](address) as client:
        client.server_info()
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            client.suggest(seen(), limit=Limit(seconds=50))
        if name == "local":
            assert client.suggest(seen(), "ismcts:iterations=5", timeout=20).iterations == 5
    with CLIENTS[name](address) as client:
        assert client.suggest(seen(), "ismcts:iterations=5", timeout=20).iterations == 5


def test_a_failure_of_the_service_itself_is_heard():
    """Whoever waits for an answer must not wait for ever."""

    async def broken(service, origin):
        yield 1
        raise RuntimeError("no words for it")

    async def call():
        pipe = LocalPipe(None, calls.Listen("Watch", None, None, broken), 20.0)
        assert await pipe.receive() == 1
        return await pipe.receive()

    with pytest.raises(ServerFault, match="no words for it"):
        asyncio.run(call())


# -- two clients, one interface


def test_both_clients_have_the_same_methods():
    def methods(kind):
        return {
            name: (str(inspect.signature(method)), inspect.getdoc(method))
            for name, method in vars(kind).items()
            if not name.startswith("_") and callable(method)
        }

    both = methods(Client), methods(AsyncClient)
    assert both[0] == both[1]
    assert all(doc for _, doc in both[0].values())
    signature = inspect.signature(Client.suggest)
    assert list(signature.parameters)[:3] == ["self", "observation", "bot"]


def test_a_local_store_that_stays(tmp_path):
    store = f"sqlite:{tmp_path / 'matches.sqlite'}"
    with Client.local(store=store) as client:
        made = client.create_match("keltis", ["random", "random"])
    with Client.local(store=store) as client:
        assert client.match(made.match.id) == made.match
        played = client.bot_turn(made.match.id)
    assert played.match.version > made.match.version


def test_records_and_states_are_those_of_the_engine(client):
    made = client.create_match("delphi", [None, None], seed=9, reproducible=True)
    record = client.export_record(made.match.id, made.owner_token).read()
    assert isinstance(record, Record)
    *_, last = record.replay()
    for seat, token in enumerate(made.seat_tokens):
        assert client.observe(made.match.id, seat, token).observation == last.observation(seat)
    start = load_game("delphi", players=2, seed=9).new_state()
    assert record.header["start"] == start.to_json()


def covers(whole, part):
    """Whether all that is in the part is in the whole."""
    if isinstance(part, dict):
        return all(key in whole and covers(whole[key], value) for key, value in part.items())
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(covers, whole, part))
    return whole == part


@pytest.mark.parametrize("game", list_games())
def test_what_a_spectator_sees(client, game):
    """Fields that are their default are not sent, and are there all the same."""
    made = client.create_match(game, ["random"] * game_info(game).min_players, seed=9, reproducible=True)
    match = client.bot_turn(made.match.id).match
    *_, last = client.export_record(match.id, made.owner_token).read().replay()
    public, own = client.observe(match.id).observation, last.observation(SPECTATOR)
    assert public["observer"] == SPECTATOR
    assert covers(public, own)
    assert text_of(public) == text_of(own)
