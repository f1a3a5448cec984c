"""Bots of others on a server: only those that the operator names, and none that breaks its contract does harm."""

import pytest

from pythia.search import plugins
from pythia.service.config import ConfigError
from pythia.service.server import Server
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2
from tests.plugin_bots import forget_bots, write_bots
from tests.service.serving import a_state, an_observation, bot, refusal, with_server

CAREFUL = "my_bots:Careful"
BROKEN = ("Raises", "Leaves", "Illegal", "Wrong", "BadNumbers", "Loops", "Sleeps", "Wakes", "Compares")
BOTS = ", ".join([CAREFUL, *(f"broken_bots:{name}" for name in BROKEN)])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(write_bots(tmp_path))
    yield tmp_path
    forget_bots()


def suggest(peer, message, **fields):
    options = {"bot": message, **fields}
    return peer.advisor.SuggestMove(
        advisor_pb2.SuggestMoveRequest(observation=an_observation(game="keltis"), options=options)
    )


def play(peer, match_id, **fields):
    return peer.match.PlayBotTurn(match_pb2.PlayBotTurnRequest(match_id=match_id), **fields)


def test_a_server_lists_and_asks_the_bots_that_its_operator_names():
    async def call(peer):
        bots = (await peer.engine.ListBots(engine_pb2.ListBotsRequest())).bots
        listed = next(found for found in bots if found.name == CAREFUL)
        assert listed.help.startswith("Plays the move after which its seat is best off")
        assert [(parameter.name, parameter.default_value) for parameter in listed.parameters] == [
            ("worlds", 8)
        ]
        answer = (await suggest(peer, bot(CAREFUL, parameters={"worlds": 2}), seed=3)).analysis
        assert answer.move.text in map(str, a_state("keltis").legal_moves())

    with_server(call, bots=BOTS)


def test_a_match_with_a_class_is_played_to_its_end():
    async def call(peer):
        match = (
            await peer.create(bot(CAREFUL, parameters={"worlds": 1}), bot("random"), game="keltis")
        ).match
        while match.status == match_pb2.MATCH_STATUS_ACTIVE:
            match = (await play(peer, match.id)).match
        assert [seat.bot.name for seat in match.seats] == [CAREFUL, "random"]

    with_server(call, bots=CAREFUL)


@pytest.mark.parametrize("name", [CAREFUL, "os:getcwd", "my_bots", "wizard", ":", "a:b:c=1"])
def test_other_names_are_refused_and_nothing_is_imported(name, monkeypatch):
    monkeypatch.setattr(plugins, "import_module", lambda name: pytest.fail(f"{name} was imported"))

    async def call(peer):
        refused = await refusal(suggest(peer, bot(name)))
        assert (refused.code.name, refused.fields) == ("INVALID_ARGUMENT", ["options.bot.name"])
        assert f"{name!r} is not allowed; allowed: random, greedy, " in refused.words
        refused = await refusal(peer.create(bot("random"), bot(name), game="keltis"))
        assert refused.fields == ["seats[1].bot.name"]

    with_server(call)


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"level": 3}, "options.bot.level"),
        ({"parameters": {"luck": 1}}, "options.bot.parameters['luck']"),
        ({"parameters": {"worlds": 1.5}}, "options.bot.parameters['worlds']"),
        ({"parameters": {"seed": 1}}, "options.bot.parameters['seed']"),
        ({"threads": 99}, "options.bot.threads"),
    ],
)
def test_what_a_caller_may_say_about_a_class(fields, where):
    async def call(peer):
        refused = await refusal(suggest(peer, bot(CAREFUL, **fields)))
        assert (refused.code.name, refused.fields) == ("INVALID_ARGUMENT", [where])

    with_server(call, bots=CAREFUL)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Raises", "failed: RuntimeError"),
        ("Leaves", "failed: SystemExit"),
        ("Illegal", "answered with a move that is not legal"),
        ("Wrong", "answered with a int; allowed: a Move, its text or a Result"),
        ("BadNumbers", "answered with bad values; allowed: 2 numbers, one for each seat"),
        ("Loops", "did not answer within 0.3 seconds"),
        ("Sleeps", "did not answer within 0.3 seconds"),
    ],
)
def test_a_class_that_breaks_its_contract_harms_neither_match_nor_server(name, reason):
    async def call(peer):
        words = f"bot: 'broken_bots:{name}' {reason}"
        broken = bot(f"broken_bots:{name}")
        refused = await refusal(suggest(peer, broken))
        assert (refused.code.name, refused.reason, refused.words) == (
            "FAILED_PRECONDITION",
            "BOT_FAILED",
            words,
        )
        # The bot is still to act, and its words, which may tell what it holds, are not for others.
        match = (await peer.create(broken, bot("random"), game="keltis")).match
        for _ in range(2):
            refused = await refusal(play(peer, match.id))
            assert refused.reason == "BOT_FAILED"
        after = await peer.get(match.id)
        assert (after.version, after.status) == (match.version, match_pb2.MATCH_STATUS_ACTIVE)
        assert (await suggest(peer, bot("greedy"))).analysis.move.text

    with_server(call, bots=BOTS, max_seconds=0.3, workers=1)


def test_a_class_that_was_late_plays_on():
    async def call(peer):
        match = (await peer.create(bot("broken_bots:Wakes"), bot("random"), game="keltis")).match
        assert (await refusal(play(peer, match.id))).reason == "BOT_FAILED"
        assert (await play(peer, match.id)).match.version > match.version

    with_server(call, bots=BOTS, max_seconds=0.3)


@pytest.mark.no_cover  # a tracer would wait for the thread that is interrupted
def test_a_class_that_never_ends_is_not_asked_for_ever():
    async def call(peer):
        words = [(await refusal(suggest(peer, bot("broken_bots:Sleeps")))).words for _ in range(3)]
        assert "is not used until one of its 2 overdue decisions ends" in words[2]

    plugins._strays.clear()
    with_server(call, bots=BOTS, max_seconds=0.1)


def test_one_position_of_a_batch_that_fails_costs_only_itself():
    async def call(peer):
        items = [an_observation(game="keltis", seed=seed) for seed in (1, 2)]
        request = advisor_pb2.AnalyzeBatchRequest(
            items=[{"observation": item} for item in items], options={"bot": bot("broken_bots:Illegal")}
        )
        answers = [answer async for answer in peer.advisor.AnalyzeBatch(request)]
        assert len(answers) == 2

    with_server(call, bots=BOTS)


def test_a_class_with_opinions_is_told_which_moves_it_may_choose_from():
    async def call(peer):
        moves = [str(move) for move in a_state("keltis").legal_moves()]
        answer = (await suggest(peer, bot("broken_bots:Compares"), consider=moves[1:2])).analysis
        assert (answer.move.text, len(answer.moves)) == (moves[1], 1)

    with_server(call, bots=BOTS)


def test_a_match_whose_bot_is_not_offered_any_more(tmp_path):
    store = f"sqlite:{tmp_path / 'matches.sqlite'}"

    async def make(peer):
        return (await peer.create(bot(CAREFUL), bot("random"), game="keltis")).match.id

    match_id = with_server(make, bots=CAREFUL, store=store)

    async def call(peer):
        refused = await refusal(play(peer, match_id))
        assert (refused.code.name, refused.reason) == ("FAILED_PRECONDITION", "BOT_NOT_OFFERED")
        assert f"{CAREFUL!r} is not offered by this server any more" in refused.words
        assert (await peer.get(match_id)).seats[0].bot.name == CAREFUL
        listed = (await peer.match.ListMatches(match_pb2.ListMatchesRequest())).matches
        assert [match.id for match in listed] == [match_id]

    with_server(call, store=store)
    # And on again, where it is.
    with_server(lambda peer: play(peer, match_id), bots=CAREFUL, store=store)


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        (
            "no_such:Bot",
            "bots: 'no_such:Bot' cannot be imported: ModuleNotFoundError: No module named 'no_such'",
        ),
        ("my_bots:Nobody", "bots: 'my_bots:Nobody' cannot be imported: my_bots has no Nobody"),
        (f"{CAREFUL}, broken_bots:Fails", "bots: 'broken_bots:Fails' cannot be made: OSError: no model"),
        ("wizard", "bots: 'wizard' is not allowed; allowed: random, "),
    ],
)
def test_a_server_says_when_it_starts_which_bot_it_cannot_use(bots, message):
    with pytest.raises(ConfigError) as refused:
        Server(port=0, store="memory:", bots=bots)
    assert str(refused.value).startswith(message)
