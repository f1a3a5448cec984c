"""Pages that follow from the code: every command's help, every call of the contract, every public name of Python."""

from __future__ import annotations

import importlib
import inspect
import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import cyclopts
import grpc_tools
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)
from grpc_tools import protoc
from rich.console import Console

from pythia.clients.cli.main import COMMANDS, make_app

# Modules whose public names are documented, in the order in which a reader meets them.
MODULES = (
    "pythia",
    "pythia.core_cy",
    "pythia.search.bots",
    "pythia.search.limits",
    "pythia.search.result",
    "pythia.arena.game_loop",
    "pythia.clients.client",
    "pythia.clients.types",
    "pythia.clients.errors",
    "pythia.service.advisor",
    "pythia.service.matches",
    "pythia.service.config",
)
WIDTH = 100


# -- the command line


def command_pages() -> dict[str, str]:
    lines = [
        "# Commands",
        "",
        "What `pythia COMMAND --help` prints. [The command](../cli.md) explains them together.",
        "",
    ]
    for words in commands():
        lines += [
            f"{'#' * (len(words) + 1)} pythia {' '.join(words)}",
            "",
            "```text",
            help_of(words),
            "```",
            "",
        ]
    return {"commands.md": "\n".join(lines)}


def commands() -> Iterator[list[str]]:
    """Every command, those below another after it."""
    for name in [*COMMANDS, "version"]:
        yield [name]
        app: cyclopts.App = make_app()[name]
        yield from ([name, below] for below in app if not below.startswith("-"))


def help_of(words: list[str]) -> str:
    text = io.StringIO()
    make_app().help_print(words, console=Console(file=text, width=WIDTH, no_color=True, force_terminal=False))
    return re.sub(r" +$", "", text.getvalue(), flags=re.MULTILINE).strip()


# -- the wire contract

# Numbers of fields in FileDescriptorProto and below, which SourceCodeInfo calls places by.
MESSAGES, ENUMS, SERVICES = 4, 5, 6
FIELDS, NESTED, NESTED_ENUMS, VALUES, METHODS = 2, 3, 4, 2, 2
Place = tuple[int, ...]


def contract_pages(root: Path) -> dict[str, str]:
    files = [file for file in descriptors(root / "proto").file if file.package == "pythia.v1"]
    lines = [
        "# Calls and messages",
        "",
        "The contract `pythia.v1`. [The protocol](../protocol.md) explains what it promises.",
        "",
    ]
    for file in sorted(files, key=lambda file: (not file.service, file.name)):
        lines += contract_page(file)
    return {"contract.md": "\n".join(lines)}


def descriptors(folder: Path) -> FileDescriptorSet:
    """What protoc reads, with the comments."""
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    with tempfile.TemporaryDirectory() as made:
        output = Path(made) / "set.binpb"
        sources = sorted(str(path) for path in folder.rglob("*.proto"))
        arguments = [
            f"-I{folder}",
            f"-I{well_known}",
            "--include_source_info",
            f"--descriptor_set_out={output}",
        ]
        if protoc.main(["protoc", *arguments, *sources]) != 0:
            raise SystemExit("site: protoc refused the .proto files; its messages are above")
        return FileDescriptorSet.FromString(output.read_bytes())


def contract_page(file: FileDescriptorProto) -> list[str]:
    notes = {tuple(place.path): remark(place.leading_comments) for place in file.source_code_info.location}
    lines = []
    for number, service in enumerate(file.service):
        lines += [
            f"## {service.name}",
            "",
            notes.get((SERVICES, number), ""),
            "",
            "| call | takes | answers | |",
            "| --- | --- | --- | --- |",
        ]
        for call, method in enumerate(service.method):
            takes = ("stream of " if method.client_streaming else "") + type_link(method.input_type)
            answers = ("stream of " if method.server_streaming else "") + type_link(method.output_type)
            note = notes.get((SERVICES, number, METHODS, call), "")
            lines.append(f"| `{method.name}` | {takes} | {answers} | {note} |")
        lines.append("")
    for number, message in enumerate(file.message_type):
        lines += message_lines(message, message.name, (MESSAGES, number), notes)
    for number, enum in enumerate(file.enum_type):
        lines += enum_lines(enum, enum.name, (ENUMS, number), notes)
    return lines


def message_lines(message: DescriptorProto, name: str, place: Place, notes: dict[Place, str]) -> list[str]:
    if message.options.map_entry:
        return []
    lines = [f"### {name}", "", notes.get(place, ""), ""]
    if message.field:
        lines += ["| field | type | |", "| --- | --- | --- |"]
    maps = {nested.name: nested for nested in message.nested_type if nested.options.map_entry}
    for number, field in enumerate(message.field):
        lines.append(
            f"| `{field.name}` | {field_type(field, maps)} | {notes.get((*place, FIELDS, number), '')} |"
        )
    lines.append("")
    for number, nested in enumerate(message.nested_type):
        lines += message_lines(nested, f"{name}.{nested.name}", (*place, NESTED, number), notes)
    for number, enum in enumerate(message.enum_type):
        lines += enum_lines(enum, f"{name}.{enum.name}", (*place, NESTED_ENUMS, number), notes)
    return lines


def enum_lines(enum: EnumDescriptorProto, name: str, place: Place, notes: dict[Place, str]) -> list[str]:
    lines = [f"### {name}", "", notes.get(place, ""), "", "| value | |", "| --- | --- |"]
    lines += [
        f"| `{value.name}` | {notes.get((*place, VALUES, number), '')} |"
        for number, value in enumerate(enum.value)
    ]
    return [*lines, ""]


def field_type(field: FieldDescriptorProto, maps: dict[str, DescriptorProto]) -> str:
    own = field.type_name.rpartition(".")[2]
    if own in maps:
        key, value = maps[own].field
        return f"map of {field_type(key, {})} to {field_type(value, {})}"
    kind = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
    name = type_link(field.type_name) if field.type_name else f"`{kind}`"
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"list of {name}"
    return f"{name}, optional" if field.proto3_optional else name


def type_link(name: str) -> str:
    short = name.lstrip(".").removeprefix("pythia.v1.")
    if not name.startswith(".pythia.v1."):
        return f"`{short}`"
    return f"[{short}](#{anchor(short)})"


def anchor(heading: str) -> str:
    """The id that the site gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")


def remark(comment: str) -> str:
    return escaped(" ".join(comment.split()))


def escaped(text: str) -> str:
    """For a cell of a table, where a bar would end it and a bracket begin a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")


# -- Python


def python_pages() -> dict[str, str]:
    lines = ["# Python", "", "Public names and what they do, from their docstrings.", ""]
    seen: set[int] = set()
    for name in MODULES:
        module = importlib.import_module(name)
        lines += [f"## {name}", "", prose(inspect.getdoc(module)), ""]
        for member, value in public(module):
            if id(value) in seen and name != "pythia":
                continue
            seen.add(id(value))
            lines += described(member, value)
    return {"python.md": "\n".join(lines)}


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The names that a module offers: those of __all__, or what it defines itself."""
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__
    ]
    for name in names:
        value = getattr(module, name)
        if not name.startswith("_") and (inspect.isclass(value) or callable(value)):
            yield name, value


def described(name: str, value: Any) -> list[str]:
    lines = [f"### {name}", ""]
    if not inspect.isclass(value):
        return [*lines, *code(signature(name, value)), prose(own_doc(value)), ""]
    lines += [prose(own_doc(value)), ""]
    for member, method in sorted(own_members(value).items()):
        plain = method.__func__ if isinstance(method, (staticmethod, classmethod)) else method
        if member.startswith("_") or not (callable(plain) or is_property(plain)):
            continue
        text = own_doc(plain)
        if text or callable(plain):
            lines += code(member if is_property(plain) else signature(member, plain))
            lines += [prose(text), ""]
    return lines


def own_members(value: type) -> dict[str, Any]:
    """What a class defines itself or takes from a private base."""
    bases = [base for base in reversed(value.__mro__) if base is value or base.__name__.startswith("_")]
    return {name: member for base in bases for name, member in vars(base).items()}


def is_property(value: Any) -> bool:
    return isinstance(value, property) or inspect.isgetsetdescriptor(value)


def signature(name: str, value: Any) -> str:
    """As Python tells it; compiled functions begin their docstring with it."""
    first = (inspect.getdoc(value) or "").partition("\n")[0]
    if re.match(rf"(\w+\.)?{re.escape(name)}\(", first):
        return first.rpartition(f"{name}(")[1] + first.rpartition(f"{name}(")[2]
    try:
        return f"{name}{inspect.signature(value)}"
    except (TypeError, ValueError):
        return f"{name}(...)"


def own_doc(value: Any) -> str:
    """The docstring without the signature that Cython puts before it."""
    text = inspect.getdoc(value) or ""
    first, _, rest = text.partition("\n")
    return rest.strip() if re.match(r"[\w.]+\(.*\)( ->.*)?$", first) else text


def code(line: str) -> list[str]:
    return ["```python", line, "```", ""]


def prose(text: str | None) -> str:
    """A docstring as Markdown, whose headings must not become ours; indented examples are code there too."""
    return re.sub(r"^(#+ )", r"\\\1", text or "", flags=re.MULTILINE)
