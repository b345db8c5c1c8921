"""Check a value against one of the kit's JSON schemas, and describe its violations for users."""

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
    """A part of a value that a schema does not allow.

    ``path`` has the keys and positions that lead to the part; ``message`` is one line.
    """

    path: tuple[str | int, ...]
    message: str


def violations(value: object, schema: str, definition: str = "") -> list[Violation]:
    """The violations of a schema in a JSON value, in the schema's order; empty if it is valid.

    ``schema`` is the name of a file in `tck`.  ``definition`` is the name of one of its ``$defs``;
    empty: the whole schema.  In a browser, which cannot run the compiled validator, the list has at
    most one violation (`first_violation`).  A text with half of a surrogate pair violates every
    schema, because it cannot be written in UTF-8.
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
    """A list with the first violation that a validator in Python finds; empty if there is none.

    This validator needs no compiled code, so it runs in a browser.  Its messages have other words
    than those of `violations`.  The parameters are those of `violations`.
    """
    library: Any = import_module("fastjsonschema")  # it has no types
    try:
        _validator_in_python(schema, definition)(value)
    except library.JsonSchemaValueException as error:
        message = error.message.removeprefix(f"{error.name} ")
        keys = error.path[1:]  # the first is the validator's name of the whole value
        return [Violation(_path_in(value, keys), message)]
    return []


def _path_in(value: Any, names: Sequence[str]) -> tuple[str | int, ...]:  # any JSON
    """The keys and positions that lead into ``value``; ``names`` are their texts.

    The path ends before a key that has a dot, because the validator splits such a key into two.
    """
    if not names:
        return ()
    name, *further = names
    if isinstance(value, list):
        return (int(name), *_path_in(value[int(name)], further))
    if name not in value:
        return ()
    return (name, *_path_in(value[name], further))


@cache
def _validator_in_python(schema: str, definition: str) -> Callable[[object], object]:
    """A function that raises an exception if a value violates the schema."""
    library: Any = import_module("fastjsonschema")  # it has no types
    validator: Callable[[object], object] = library.compile(
        _schema_of(schema, definition), use_default=False
    )
    return validator


@cache
def _content(schema: str) -> dict[str, Any]:
    """The schema in a file."""
    content: dict[str, Any] = json.loads((files(tck) / schema).read_text("utf-8"))
    return content


@cache
def _validator(schema: str, definition: str) -> "Draft202012Validator":
    """The compiled validator of a schema or of one of its definitions."""
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(_schema_of(schema, definition))


def _schema_of(schema: str, definition: str) -> dict[str, Any]:
    """The schema of one definition in a file; ``definition`` empty: the whole schema."""
    content = _content(schema)
    if not definition:
        return content
    return {"$defs": content["$defs"], "$ref": f"#/$defs/{definition}"}


#: Longer messages are cut off.
_LONGEST: Final = 300


def _message(error: "ValidationError", content: Mapping[str, Any]) -> str:
    """The message about an error that the compiled validator found; ``content`` is the schema.

    For a pattern or a rule such as ``anyOf`` the message is the schema's own description of the
    rule, because the validator would only quote the pattern or the rule.
    """
    *path, keyword = error.schema_path
    rule = _part_at(content, path)
    if keyword in ("anyOf", "not"):
        message = str(rule["description"])
    elif keyword == "pattern" and "description" in rule:
        message = f"{_as_json(error.instance)} is not as it must be: {rule['description']}"
    elif keyword == "const":
        message = f"{_as_json(error.instance)} is not {_as_json(rule['const'])}"
    else:
        message = " ".join(error.message.split())
    return f"{message[:_LONGEST]} …" if len(message) > _LONGEST else message


def _part_at(content: Any, path: Sequence[str | int]) -> Mapping[str, Any]:
    """The part of a schema to which ``path`` leads."""
    for part in path:
        content = content[part]
    found: Mapping[str, Any] = content
    return found


def _as_json(value: object) -> str:
    """A value as it is shown in messages."""
    return json.dumps(value, ensure_ascii=False, default=str)
