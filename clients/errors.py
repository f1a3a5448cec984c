"""Errors of calls. Every error is a `PythiaError`; its class is the kind; its attributes hold what the server sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from pythia.service.wire import Refused


@dataclass(frozen=True)
class FieldProblem:
    """A part of the request that is to blame, such as `options.bot.limit.seconds`, and what is wrong with it."""

    field: str
    description: str


class PythiaError(Exception):
    """A call that failed. `code` is the gRPC code by name; str() is one line with the cause."""

    def __init__(
        self,
        message: str,
        code: str = "UNKNOWN",
        *,
        fields: Sequence[FieldProblem] = (),
        reason: str = "",
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        self.message = " ".join(message.split())
        super().__init__(self.message)
        self.code = code
        self.fields = list(fields)
        self.reason = reason  # for programs, such as QUEUE_FULL or NOT_YOUR_TURN
        self.request_id = request_id  # finds the call in the server's log
        self.retry_after = retry_after  # seconds, where the server says when to try again


class InvalidRequest(PythiaError):
    """A field is missing, out of range or contradictory, a move is illegal, or the request is too large."""


class NotFound(PythiaError):
    """No such match."""


class NotNow(PythiaError):
    """Another seat is to act, the match is over, a bot plays the seat, or there is nothing to undo."""


class Denied(PythiaError):
    """The token of a seat or owner, or a role, is needed."""


class Unauthenticated(PythiaError):
    """The server wants a token and got none, one that it does not know, or one that has expired."""


class Conflict(PythiaError):
    """The match has another version than expected."""


class Busy(PythiaError):
    """The queue is full or a quota is used up; `retry_after` says when to try again."""


class Unreachable(PythiaError):
    """No server is there, it stops, or its store is gone."""


# Reasons of `Unreachable` that say that nothing of the call was done: no server was reached, or it was stopping.
NOTHING_DONE = ("NO_SERVER", "STOPPING")


class Untrusted(PythiaError):
    """The server's certificate cannot be verified, or it does not speak TLS."""


class DeadlinePassed(PythiaError):
    """No answer in time."""


class Cancelled(PythiaError):
    """The call was ended before its answer."""


class ServerFault(PythiaError):
    """The server failed, or is not what it should be."""


CLASSES: dict[grpc.StatusCode, type[PythiaError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequest,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.FAILED_PRECONDITION: NotNow,
    grpc.StatusCode.PERMISSION_DENIED: Denied,
    grpc.StatusCode.UNAUTHENTICATED: Unauthenticated,
    grpc.StatusCode.ABORTED: Conflict,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Busy,
    grpc.StatusCode.UNAVAILABLE: Unreachable,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlinePassed,
    grpc.StatusCode.CANCELLED: Cancelled,
}

Detail = TypeVar("Detail", bound=Message)


def error_of(code: grpc.StatusCode, message: str, details: bytes = b"") -> PythiaError:
    """The exception for a status with the serialized google.rpc.Status of its metadata."""
    status = status_pb2.Status.FromString(details)
    info = unpacked(status, error_details_pb2.ErrorInfo)
    bad = unpacked(status, error_details_pb2.BadRequest)
    retry = unpacked(status, error_details_pb2.RetryInfo)
    kind = CLASSES.get(code, ServerFault)
    if kind is Busy and not info.reason:
        # gRPC itself refuses what is too large; trying again would not help.
        kind, message = InvalidRequest, f"the request is too large: {message}"
    elif kind is DeadlinePassed:
        message = "no answer in time; set a longer timeout"
    return kind(
        message,
        code.name,
        fields=[FieldProblem(problem.field, problem.description) for problem in bad.field_violations],
        reason=info.reason,
        request_id=info.metadata.get("request_id", ""),
        retry_after=retry.retry_delay.ToTimedelta().total_seconds()
        if retry.HasField("retry_delay")
        else None,
    )


def unpacked(status: status_pb2.Status, kind: type[Detail]) -> Detail:
    """The detail of this kind, empty where there is none."""
    found = kind()
    for detail in status.details:
        if detail.Unpack(found):
            break
    return found


def from_refusal(refused: Refused) -> PythiaError:
    """What the client itself refuses, in the server's words."""
    return error_of(refused.code, str(refused), refused.status("").SerializeToString())
