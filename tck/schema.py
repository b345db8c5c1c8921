"""The violations of the kit's schemas in a value."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

import tck


@dataclass(frozen=True, slots=True)
class Violation:
    """The keys and positions that lead to a value, and its fault, in one line."""

    path: tuple[str | int, ...]
    message: str


def violations(value: object, schema: str, definition: str = "") -> list[Violation]:
    """The violations of a schema, in the schema's order; none: ``value``, which is JSON, is valid.

    ``schema`` is the file's name; ``definition`` is one of its ``$defs``, empty: all of it.  In a
    browser, which runs no compiled validator, it is `first_violation` alone.  A text with half of a
    surrogate pair violates every schema: it cannot be written in UTF-8.
    """
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        return [Violation((), f"half a character in a text: {half!a}")]
    if sys.platform == "emscripten":
        return first_violation(value, schema, definition)
    content = _content(schema)
    errors = _validator(schema, definition).iter_errors(value)
    return [Violation(tuple(each.instance_path), _message(each, content)) for each in errors]


def first_violation(value: object, schema: str, definition: str = "") -> list[Violation]:
    """One of the `violations`, found by a validator in Python, in its own words; none: valid."""
    library: Any = import_module("fastjsonschema")  # it has no types
    try:
        _validator_in_python(schema, definition)(value)
    except library.JsonSchemaValueException as error:
        found = error.message.removeprefix(f"{error.name} ")
        return [Violation(_path_in(value, error.path[1:]), found)]
    return []


def _path_in(value: Any, names: Sequence[str]) -> tuple[str | int, ...]:  # any JSON
    """The keys and positions of ``names``, as far as they lead into ``value``."""
    if not names:
        return ()
    name, *further = names
    if isinstance(value, list):
        return (int(name), *_path_in(value[int(name)], further))
    if name not in value:
        return ()  # a part of a key with a dot, which the validator takes for two
    return (name, *_path_in(value[name], further))


@cache
def _validator_in_python(schema: str, definition: str) -> Callable[[object], object]:
    library: Any = import_module("fastjsonschema")  # as above
    validator: Callable[[object], object] = library.compile(
        _part(schema, definition), use_default=False
    )
    return validator


@cache
def _content(schema: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((files(tck) / schema).read_text("utf-8"))
    return content


@cache
def _validator(schema: str, definition: str) -> "Draft202012Validator":
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(_part(schema, definition))


def _part(schema: str, definition: str) -> dict[str, Any]:
    content = _content(schema)
    if not definition:
        return content
    return {"$defs": content["$defs"], "$ref": f"#/$defs/{definition}"}


def _message(error: "ValidationError", content: Mapping[str, Any]) -> str:
    """The schema's description of a pattern or of a compound rule, else the validator's message."""
    *path, keyword = error.schema_path
    rule = _at(content, path)
    if keyword in ("anyOf", "not"):
        message = str(rule["description"])
    elif keyword == "pattern" and "description" in rule:
        message = f"{_shown(error.instance)} is not as it must be: {rule['description']}"
    elif keyword == "const":
        message = f"{_shown(error.instance)} is not {_shown(rule['const'])}"
    else:
        message = " ".join(error.message.split())
    return f"{message[:_LONGEST]} …" if len(message) > _LONGEST else message


def _at(content: Any, path: Sequence[str | int]) -> Mapping[str, Any]:
    """The part of a schema to which ``path`` leads."""
    for part in path:
        content = content[part]
    found: Mapping[str, Any] = content
    return found


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


_LONGEST: Final = 300
