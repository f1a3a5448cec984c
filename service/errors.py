"""Refusals as callers see them: a gRPC code, a sentence, and details a program can read (google.rpc.Status)."""

from __future__ import annotations

import re
from collections.abc import Mapping

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2

from pythia.core_cy import BadOption, BadPosition, IllegalMove
from pythia.core_cy.descriptions import LANGUAGES
from pythia.core_cy.record import BadRecord

DOMAIN = "pythia"
# The metadata in which a refusal has its details, as gRPC has them.
DETAILS = "grpc-status-details-bin"
# Hostile text must not make the answer larger than the request.
MAX_TEXT = 1000


class Refused(Exception):
    """A call that is refused. `field` names the part of the request that is to blame, if one is."""

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        *,
        field: str = "",
        retry_seconds: float | None = None,
    ) -> None:
        text = f"{field}: {message}" if field else message
        super().__init__(text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 3] + "...")
        self.code = code
        self.reason = reason
        self.field = field
        self.description = message[:MAX_TEXT]
        self.retry_seconds = retry_seconds

    def status(self, request_id: str) -> status_pb2.Status:
        """The details: why, where, and when to try again."""
        details = [
            packed(
                error_details_pb2.ErrorInfo(
                    reason=self.reason, domain=DOMAIN, metadata={"request_id": request_id}
                )
            )
        ]
        if self.field:
            violation = error_details_pb2.BadRequest.FieldViolation(
                field=self.field, description=self.description
            )
            details.append(packed(error_details_pb2.BadRequest(field_violations=[violation])))
        if self.retry_seconds is not None:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromNanoseconds(int(self.retry_seconds * 1e9))
            details.append(packed(retry))
        return status_pb2.Status(code=getattr(code_pb2, self.code.name), message=str(self), details=details)


def packed(
    message: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest | error_details_pb2.RetryInfo,
) -> any_pb2.Any:
    box = any_pb2.Any()
    box.Pack(message)
    return box


# -- the usual refusals


def invalid(field: str, message: str) -> Refused:
    return Refused(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", message, field=field)


def not_allowed(field: str, value: object, allowed: str) -> Refused:
    shown = repr(value)
    return invalid(
        field, f"{shown if len(shown) <= 100 else shown[:97] + '...'} is not allowed; allowed: {allowed}"
    )


def check_language(language: str, field: str = "language") -> None:
    """Refuses a language that games are not described in."""
    if language not in LANGUAGES:
        raise not_allowed(field, language, ", ".join(LANGUAGES))


def missing(field: str, what: str) -> Refused:
    return invalid(field, f"is missing; it is {what}")


def not_found(field: str, message: str) -> Refused:
    return Refused(grpc.StatusCode.NOT_FOUND, "NOT_FOUND", message, field=field)


def precondition(field: str, message: str, reason: str = "WRONG_STATE") -> Refused:
    return Refused(grpc.StatusCode.FAILED_PRECONDITION, reason, message, field=field)


def forbidden(field: str, message: str, reason: str = "NOT_PERMITTED") -> Refused:
    return Refused(grpc.StatusCode.PERMISSION_DENIED, reason, message, field=field)


def conflict(message: str) -> Refused:
    return Refused(grpc.StatusCode.ABORTED, "VERSION_CONFLICT", message, field="expected_version")


def exhausted(reason: str, message: str, retry_seconds: float) -> Refused:
    return Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, reason, message, retry_seconds=retry_seconds)


# Which part of a request the words of the layers below are about.
NAMED = re.compile(r"([a-z_]+): (.*)", re.DOTALL)


def from_value_error(error: ValueError, field: str, names: Mapping[str, str] | None = None) -> Refused:
    """What games and bots refuse, as a refusal of the field. `names` maps their words to fields of the request."""
    if isinstance(error, BadPosition):
        return invalid(f"{field}.{error.path}" if error.path else field, error.reason)
    if isinstance(error, BadOption):
        part = (names or {}).get(error.field, f"{field}.{error.field}")
        return not_allowed(part, error.value, error.allowed)
    if isinstance(error, (IllegalMove, BadRecord)):
        return invalid(field, str(error))
    if match := NAMED.fullmatch(str(error)):
        return invalid((names or {}).get(match[1], f"{field}.{match[1]}"), match[2])
    return invalid(field, str(error))
