"""What travels over HTTP: the bytes of messages as they are, or as JSON with the original names of the fields.

Handlers read and write the messages of google's protobuf, whose JSON is slow. So JSON takes another way: connectrpc
brings a second protobuf library whose JSON is compiled, and the bytes of a message lead from one library to the other.
Its types are made from the same descriptors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet
from google.protobuf.message import Message
from protobuf import Message as JsonMessage
from protobuf import Registry, message_from_json_value
from protobuf.wkt import FileDescriptorSet as JsonFileDescriptorSet

from pythia.service.calls import not_a_message, serialized
from pythia.service.errors import Refused

# The bytes of a request, when they are asked for: whatever is wrong with them is then a refusal like any other.
Request = Callable[[], bytes]

UNKNOWN = re.compile(r"cannot decode (?:[\w.]+\.)?(\w+) from JSON: key: '(.*)' is unknown", re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """An answer of a handler with its type, which bytes do not tell."""

    content: Message | bytes
    type: type[JsonMessage[Any]]


class BinaryCodec:
    def name(self) -> str:
        return "proto"

    def decode(self, data: bytes | bytearray, message_class: type[JsonMessage[Any]]) -> Request:
        return partial(bytes, data)

    def encode(self, answer: Answer) -> bytes:
        return serialized(answer.content)


class JsonCodec:
    def name(self) -> str:
        return "json"

    def decode(self, data: bytes | bytearray, message_class: type[JsonMessage[Any]]) -> Request:
        return partial(from_json, bytes(data), message_class)

    def encode(self, answer: Answer) -> bytes:
        message = answer.type.from_binary(serialized(answer.content))
        return message.to_json(use_proto_field_name=True).encode()


def from_json(text: bytes, kind: type[JsonMessage[Any]]) -> bytes:
    """The bytes of a message from its JSON, or Refused."""
    try:
        # Not `kind.from_json`: its parser recurses without a bound, and a long row of brackets ends the process.
        value = json.loads(text.decode("utf-8-sig"), parse_constant=no_constant)
    except RecursionError:
        raise not_a_message("the request is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise not_a_message(f"the request is not UTF-8: see byte {error.start}, counted from 0") from None
    except (json.JSONDecodeError, NotANumber) as error:
        raise not_a_message(f"the request is not JSON: {error}") from None
    except ValueError:  # Python's own bound
        raise not_a_message("the request has a whole number with thousands of digits") from None
    try:
        return message_from_json_value(kind, value).to_binary()
    except RecursionError:
        raise not_a_message("the request is nested too deeply") from None
    except UnicodeEncodeError:
        raise not_a_message("the request has half of a surrogate pair in a string") from None
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong(kind.desc().name, str(error)) from None


class NotANumber(ValueError):
    """A word that JavaScript takes for a number and JSON does not."""


def no_constant(name: str) -> None:
    raise NotANumber(f"{name} is not JSON; write such a value as a string, {name!r}")


def wrong(kind: str, words: str) -> Refused:
    if found := UNKNOWN.fullmatch(words):
        return not_a_message(f"{found[2]!r} is not a field of {found[1]}")
    return not_a_message(f"the request is no {kind}: {words}")


def registry(files: Iterable[FileDescriptor]) -> Registry:
    """The types of these files and those they import, for JSON."""
    collected = FileDescriptorSet()
    for file in in_order(files, set()):
        proto = collected.file.add()
        file.CopyToProto(proto)
        for message in proto.message_type:
            add_json_names(message)
    return JsonFileDescriptorSet.from_binary(collected.SerializeToString()).to_registry()


def add_json_names(message: DescriptorProto) -> None:
    """The second name of every field, which JSON may have too: protoc leaves it out where it follows from the first."""
    for field in message.field:
        field.json_name = re.sub(r"_(.)", lambda found: found[1].upper(), field.name)
    for nested in message.nested_type:
        add_json_names(nested)


def in_order(files: Iterable[FileDescriptor], seen: set[str]) -> Iterator[FileDescriptor]:
    """What a file imports comes before it."""
    for file in files:
        if file.name not in seen:
            seen.add(file.name)
            yield from in_order(file.dependencies, seen)
            yield file
