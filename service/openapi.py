"""The contract as an OpenAPI document, made from the descriptors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor, ServiceDescriptor

Json = dict[str, Any]

ERROR: Json = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "details": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "value": {"type": "string"},
                    "debug": {"type": "object"},
                },
            },
        },
    },
    "required": ["code"],
}
# Messages that JSON writes in a form of their own.
SPECIAL: dict[str, Json] = {
    "google.protobuf.Duration": {"type": "string", "examples": ["1.5s"]},
    "google.protobuf.Struct": {"type": "object"},
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
}
LONG: Json = {"type": ["string", "integer"], "format": "int64"}
SCALARS: dict[int, Json] = {
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    FieldDescriptor.TYPE_DOUBLE: {"type": "number", "format": "double"},
    FieldDescriptor.TYPE_FLOAT: {"type": "number", "format": "float"},
    FieldDescriptor.TYPE_INT32: {"type": "integer", "format": "int32"},
    FieldDescriptor.TYPE_INT64: LONG,
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_UINT32: {"type": "integer", "minimum": 0},
    FieldDescriptor.TYPE_UINT64: LONG,
}


def openapi(services: Iterable[ServiceDescriptor]) -> Json:
    """All methods but conversations, which HTTP/1.1 cannot carry."""
    schemas: dict[str, Json] = {"Error": ERROR}
    methods = [method for service in services for method in service.methods if not method.client_streaming]
    paths = {
        f"/{method.containing_service.full_name}/{method.name}": {"post": operation(method, schemas)}
        for method in methods
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pythia", "version": "v1", "description": "An AI opponent for board games."},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def operation(method: MethodDescriptor, schemas: dict[str, Json]) -> Json:
    kind = "application/connect+json" if method.server_streaming else "application/json"
    made: Json = {
        "operationId": f"{method.containing_service.name}_{method.name}",
        "tags": [method.containing_service.name],
        "requestBody": {
            "required": True,
            "content": {kind: {"schema": reference(method.input_type, schemas)}},
        },
        "responses": {
            "200": {
                "description": "The answer.",
                "content": {kind: {"schema": reference(method.output_type, schemas)}},
            },
            "default": {
                "description": "A refusal.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }
    if method.server_streaming:
        made["description"] = (
            "A stream: requests and answers are messages with the five-byte headers of the Connect protocol."
        )
    return made


def reference(message: Descriptor, schemas: dict[str, Json]) -> Json:
    if message.full_name in SPECIAL:
        return SPECIAL[message.full_name]
    name = message.full_name.removeprefix(f"{message.file.package}.")
    if name not in schemas:
        schemas[name] = {}  # a message can hold messages of its own type
        schemas[name] = {
            "type": "object",
            "properties": {field.name: schema(field, schemas) for field in message.fields},
            "additionalProperties": False,
        }
    return {"$ref": f"#/components/schemas/{name}"}


def schema(field: FieldDescriptor, schemas: dict[str, Json]) -> Json:
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        return {"type": "object", "additionalProperties": schema(message.fields_by_name["value"], schemas)}
    if message is not None:
        one = reference(message, schemas)
    elif field.enum_type is not None:
        one = {"type": "string", "enum": [value.name for value in field.enum_type.values]}
    else:
        one = SCALARS[field.type]
    return {"type": "array", "items": one} if field.is_repeated else one
