"""Hostile requests: whatever comes, the server refuses it in words and lives on."""

import asyncio
import threading

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pythia.service.server import DESCRIPTORS
from pythia.v1 import advisor_pb2, engine_pb2, search_pb2
from tests.service.serving import Peer, an_observation, serving

METHODS = [
    (f"/{service.full_name}/{method.name}", method)
    for service in DESCRIPTORS
    for method in service.methods_by_name.values()
]
# Refusals that are the caller's fault. INTERNAL or UNKNOWN would be ours.
FINE = {
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}
quick = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


@pytest.fixture(scope="module")
def server():
    """A server in a thread with an event loop of its own; calls run there."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    context = serving()
    peer = asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(30)
    yield peer, loop
    asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result(30)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def send(server, path, method, data):
    """The code that a method gives for these bytes."""
    peer, loop = server

    async def go():
        channel = peer.channel
        try:
            if method.client_streaming:
                call = channel.stream_stream(path)(iter([data]), timeout=5)
                async for _ in call:
                    pass
            elif method.server_streaming:
                async for _ in channel.unary_stream(path)(data, timeout=5):
                    break
            else:
                await channel.unary_unary(path)(data, timeout=5)
        except grpc.aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    code = asyncio.run_coroutine_threadsafe(go(), loop).result(30)

    async def alive():
        await Peer(None, peer.channel).engine.GetServerInfo(engine_pb2.GetServerInfoRequest(), timeout=30)

    asyncio.run_coroutine_threadsafe(alive(), loop).result(30)
    return code


NUMBERS = st.one_of(st.sampled_from([0, 1, -1, 2**31 - 1, -(2**31)]), st.integers(-100, 100))
TEXTS = st.one_of(
    st.sampled_from(["", "delphi", "ismcts", "red", "\0", "'; --", "end", "die:red sail 0,0", "x" * 5000]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
VALUES = {
    FieldDescriptor.CPPTYPE_INT32: NUMBERS,
    FieldDescriptor.CPPTYPE_INT64: NUMBERS.map(lambda number: number * 2**20),
    FieldDescriptor.CPPTYPE_DOUBLE: st.floats(),
    FieldDescriptor.CPPTYPE_BOOL: st.booleans(),
    FieldDescriptor.CPPTYPE_STRING: TEXTS,
    FieldDescriptor.CPPTYPE_ENUM: st.integers(-1, 9),
}


def messages(descriptor, depth=0):
    """Messages with any fields set to anything; searches stay short by the call's deadline."""

    @st.composite
    def build(draw):
        message = GetMessageClass(descriptor)()
        fields = (
            draw(st.lists(st.sampled_from(list(descriptor.fields)), max_size=6, unique_by=lambda f: f.name))
            if (descriptor.fields)
            else []
        )
        for field in fields:
            if field.message_type is not None and field.message_type.GetOptions().map_entry:
                continue
            if field.message_type is not None:
                if depth > 4:
                    continue
                part = draw(messages(field.message_type, depth + 1))
                if field.is_repeated:
                    getattr(message, field.name).append(part)
                else:
                    getattr(message, field.name).CopyFrom(part)
            elif field.is_repeated:
                getattr(message, field.name).extend(draw(st.lists(VALUES[field.cpp_type], max_size=3)))
            else:
                setattr(message, field.name, draw(VALUES[field.cpp_type]))
        return message

    return build()


@pytest.mark.parametrize(("path", "method"), METHODS, ids=[path for path, _ in METHODS])
def test_any_message(server, path, method):
    @quick
    @given(messages(method.input_type))
    def check(message):
        assert send(server, path, method, message.SerializeToString()) in FINE

    check()


@quick
@given(st.sampled_from(METHODS), st.binary(max_size=200))
def test_any_bytes(server, target, data):
    assert send(server, *target, data) in FINE


@settings(quick, max_examples=100)
@given(st.data())
def test_a_good_observation_with_one_part_spoiled(server, data):
    """One field somewhere in a real position gets another value."""
    observation = an_observation()
    message = observation.delphi
    while True:
        fields = [field for field, _ in message.ListFields()]
        field = data.draw(st.sampled_from(fields))
        value = getattr(message, field.name)
        if field.message_type is None:
            if field.is_repeated:
                value[data.draw(st.integers(0, len(value) - 1))] = data.draw(VALUES[field.cpp_type])
            else:
                setattr(message, field.name, data.draw(VALUES[field.cpp_type]))
            break
        message = value[data.draw(st.integers(0, len(value) - 1))] if field.is_repeated else value
        if not message.ListFields():
            break
    limit = search_pb2.SearchOptions(
        bot=search_pb2.BotSpec(name="ismcts", limit=search_pb2.Limit(iterations=3))
    )
    request = advisor_pb2.SuggestMoveRequest(observation=observation, options=limit)
    path, method = next(target for target in METHODS if target[0].endswith("/SuggestMove"))
    assert send(server, path, method, request.SerializeToString()) in FINE
