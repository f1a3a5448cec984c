"""Messages and Python values: the same content under the same names."""

import base64
import json

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct

from pythia.core_cy import SPECTATOR, game_info, list_games, state_from_json, state_from_observation
from pythia.search.bots import BotSpec
from pythia.search.limits import Limit
from pythia.service.engine import offered_games
from pythia.service.errors import Refused
from pythia.service.matches import plain_text
from pythia.service.wire import (
    MAX_PART_BYTES,
    bot_message,
    bot_spec,
    move_message,
    observation_json,
    page_start,
    page_token,
    position_json,
    position_message,
    struct_json,
    to_json,
)
from pythia.v1 import position_pb2, search_pb2
from tests.service.serving import a_state

POSITIONS = [
    (game, players, moves)
    for game in offered_games()
    for players in range(game_info(game).min_players, game_info(game).max_players + 1)
    for moves in (0, 10, 60, 200)
]
each_position = pytest.mark.parametrize(("game", "players", "moves"), POSITIONS)


def without_defaults(value):
    """JSON without what has its default, as proto3 leaves it out; a seat that observes is always written."""
    if isinstance(value, dict):
        return {
            name: without_defaults(item)
            for name, item in value.items()
            if name == "observer" or item not in (0, False, "", [])
        }
    return [without_defaults(item) for item in value] if isinstance(value, list) else value


def test_every_game_has_messages():
    assert offered_games() == sorted(list_games())


@pytest.mark.parametrize("game", offered_games())
def test_a_position_that_is_too_large_is_not_read(game):
    message = position_message(a_state(game, game_info(game).min_players).observation(0))
    assert message.ByteSize() < MAX_PART_BYTES / 4
    seat = getattr(message, game).players[0]
    while message.ByteSize() <= MAX_PART_BYTES:
        getattr(message, game).players.append(seat)
    with pytest.raises(Refused, match=r"observation: .* bytes are too many; allowed: 65536") as caught:
        observation_json(message, "observation")
    assert caught.value.field == "observation"


@each_position
def test_the_proto3_json_of_a_position_is_its_json(game, players, moves):
    state = a_state(game, players, moves=moves)
    for obj in [state.to_json(), *(state.observation(seat) for seat in range(SPECTATOR, players))]:
        message = position_message(obj)
        written = json_format.MessageToDict(getattr(message, game), preserving_proto_field_name=True)
        assert written == without_defaults(obj)
        assert to_json(getattr(message, game)) == written
        assert position_json(position_pb2.Position.FromString(message.SerializeToString()), "x") == written
        parsed = json_format.ParseDict({game: json.loads(json.dumps(obj))}, position_pb2.Position())
        assert parsed == message


@each_position
def test_positions_come_back_as_they_were(game, players, moves):
    state = a_state(game, players, moves=moves)
    assert state_from_json(position_json(position_message(state.to_json()), "x")).to_json() == state.to_json()
    for seat in range(players):
        seen = state.observation(seat)
        back = state_from_observation(position_json(position_message(seen), "x"), 5)
        assert back.observation(seat) == seen


@each_position
def test_moves_carry_their_parts(game, players, moves):
    state = a_state(game, players, moves=moves)
    for move in state.legal_moves():
        message = move_message(state.game, move)
        fields = state.game.move_fields(move)
        assert message.text == fields.pop("text") == str(move)
        if fields:
            assert to_json(getattr(message, game)) == without_defaults(fields) | (
                {"value": fields["value"]} if "value" in fields else {}
            )


@pytest.mark.parametrize(
    "spec",
    [
        BotSpec("random"),
        BotSpec("greedy", params=(("samples", 3),)),
        BotSpec("ismcts", level=4),
        BotSpec("ismcts", threads=2, limit=Limit(iterations=5, seconds=0.5, per="turn")),
        BotSpec("ismcts", params=(("common_luck", False), ("exploration", 1.5), ("max_children", 7))),
    ],
)
def test_bots_come_back_as_they_were(spec):
    assert bot_spec(bot_message(spec), "bot") == spec
    assert BotSpec.parse(str(spec)) == spec


def test_whole_numbers_of_a_struct_are_whole():
    struct = Struct()
    struct.update({"players": 3, "list": [{"q": -1, "x": 0.5}], "none": None, "flag": True, "word": "a"})
    assert struct_json(struct, "options") == {
        "players": 3,
        "list": [{"q": -1, "x": 0.5}],
        "none": None,
        "flag": True,
        "word": "a",
    }
    assert isinstance(struct_json(struct, "options")["players"], int)


# -- ids and tokens


def encoded(text):
    return base64.urlsafe_b64encode(text.encode()).decode()


def test_page_tokens_are_read_as_they_were_written():
    assert page_start(page_token(1763424000.0, "ab12")) == (1763424000.0, "ab12")
    assert page_start(page_token(1763424000.123456, "f" * 64)) == (1763424000.123456, "f" * 64)


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "\x00",
        encoded(f'[{"9" * 400}, "a"]'),
        encoded(f'[{"9" * 90}, "a"]'),
        encoded('[1e999, "a"]'),
        encoded('[NaN, "a"]'),
        encoded('[-Infinity, "a"]'),
        encoded('[true, "a"]'),
        encoded('["1", "a"]'),
        encoded("[1.5, 3]"),
        encoded("[1.5]"),
        encoded("3"),
        encoded("[" * 90),
        encoded("[" * 100_000),
        encoded('[1.5, "\\u0000"]'),
        encoded('[1.5, "\\ud800"]'),
    ],
)
def test_page_tokens_of_nobody_are_refused(token):
    with pytest.raises(Refused, match=r"^page_token: .* is not allowed; allowed: ") as caught:
        page_start(token)
    assert caught.value.code == grpc.StatusCode.INVALID_ARGUMENT
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", ["a\x00", "\ud800", "\n", "\x1b[2J", "\u2028"])
def test_ids_that_a_store_may_not_take_are_refused(text):
    with pytest.raises(Refused, match=r"^match_id: .* is not allowed; allowed: printable") as caught:
        plain_text(text, "match_id")
    assert str(caught.value).isascii()


@pytest.mark.parametrize("name", ["seed", "name", "limit", "level", "threads"])
def test_parameters_named_like_arguments_are_refused(name):
    message = search_pb2.BotSpec(name="ismcts", parameters={name: 1})
    with pytest.raises(Refused, match=rf"^bot.parameters\['{name}'\]: is not known; known: exploration"):
        bot_spec(message, "bot")


@pytest.mark.parametrize(("name", "value"), [("prior_power", 1000.0), ("max_nodes", 2.0**70)])
def test_parameters_beyond_their_bounds_are_refused(name, value):
    message = search_pb2.BotSpec(name="ismcts", parameters={name: value})
    with pytest.raises(
        Refused, match=rf"^bot.parameters\['{name}'\]: .* is not allowed; allowed: .* from"
    ) as caught:
        bot_spec(message, "bot")
    assert caught.value.code == grpc.StatusCode.INVALID_ARGUMENT
