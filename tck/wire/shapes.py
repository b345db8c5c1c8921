"""Write records of the protocol as JSON objects, read and check them, and describe them by schemas.

The types of a record's fields decide all of this, so `tck.protocol` is the only definition:

=========================  ==============================================
in Python                  in JSON
=========================  ==============================================
a record                   an object with its fields.  A reader accepts an
                           object without a field that has a default; a
                           writer leaves out a field that has its default
                           if `tck.protocol.ADDED` marks the field
``tuple[X, ...]``          an array
``Mapping[str, str]``      an object whose values are texts
``X | None``               ``null``, or the form of X
``Literal["a", "b"]``      one of these texts
str, int, float, bool      text, integer, number, true and false
=========================  ==============================================
"""

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from tck.protocol import WireRow
from tck.wire.faults import breach, nearest, shown

T = TypeVar("T")

#: By the type of a value in Python: its name in messages, and its name in a schema.
_NAMES: Final[Mapping[type, str]] = {
    str: "text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
}
_SCHEMA_NAMES: Final[Mapping[type, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}
#: The types that a value of a row can have.
_VALUE_TYPES: Final = frozenset(_NAMES)
#: The types whose values are always valid.  A float and a text can be invalid: a float can be
#: infinite, and a text can have half of a surrogate pair.
_USUAL: Final = frozenset({int, bool, NoneType})


def as_json(value: object) -> object:
    """The JSON form of a record and of the records that it contains; other values are unchanged."""
    if isinstance(value, Mapping):
        return cast("Mapping[object, object]", value)
    if is_dataclass(value) and not isinstance(value, type):
        members = ((each, getattr(value, each.name)) for each in fields(value))
        return {
            each.name: as_json(member)
            for each, member in members
            if not each.metadata or member != _default(each)
        }
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        return [as_json(each) for each in items] if items and is_dataclass(items[0]) else items
    return value


def from_json(record: type[T], value: object, name: str) -> T:
    """The record of the class ``record`` that a JSON object describes.

    ``name`` is the name of the object in messages.  Raises `BackendFault` if a field is missing or
    unknown or has another type, or if a text is invalid.
    """
    read: T = _read(record, value, name)
    return read


def schema_of(record: type) -> dict[str, object]:
    """The JSON Schema of a record's objects."""
    known = _hints(record)
    return {
        "type": "object",
        "description": inspect.getdoc(record) or "",
        "properties": {each.name: _schema(known[each.name]) for each in _fields(record)},
        "required": [each.name for each in _fields(record) if _is_required(each)],
        "additionalProperties": False,
    }


@dataclass(frozen=True)
class _Texts(Mapping[str, str]):
    """A mapping of texts; each text is checked when it is read.

    A backend in Python can return a mapping of its own class, which computes a text only then.
    """

    texts: Mapping[object, object]
    name: str

    def __getitem__(self, key: str) -> str:
        text: str = _read(str, self.texts[key], f"{self.name}.{key}")
        return text

    def __iter__(self) -> Iterator[str]:
        return (_read(str, key, f"{self.name}'s keys") for key in self.texts)

    def __len__(self) -> int:
        return len(self.texts)


# --- reading ------------------------------------------------------------------------------------


# The parameter `hint` of these functions is the type of a field, as a value; so its type is Any.
def _read(hint: Any, value: object, name: str) -> Any:
    """The value of the type ``hint`` that a JSON value stands for; ``name`` is for messages."""
    if is_dataclass(hint):
        return _read_record(cast("type", hint), value, name)
    arguments = get_args(hint)
    match get_origin(hint):
        case origin if origin in (Union, UnionType):
            return _read_union(arguments, value, name)
        case origin if origin is Literal:
            if isinstance(value, str) and value in arguments:
                return value
            hint_text = nearest(value, arguments) if isinstance(value, str) else ""
            raise breach(f"{name} must be {_either(arguments)}, gave {shown(value)}{hint_text}")
        case origin if origin is tuple:
            return _read_array(arguments, value, name)
        case origin if isinstance(origin, type) and issubclass(origin, Mapping):
            if not isinstance(value, Mapping):
                raise breach(f"{name} must be an object, gave {shown(value)}")
            texts = _Texts(cast("Mapping[object, object]", value), name)
            return dict(texts) if isinstance(value, dict) else texts
        case _:
            return _read_scalar((hint,), value, name)


def _read_record(record: type, value: object, name: str) -> object:
    """The record that a JSON object describes, as `from_json`."""
    if not isinstance(value, dict):
        raise breach(f"{name} must be an object, gave {shown(value)}")
    members = cast("dict[str, object]", value)
    known = {each.name: each for each in _fields(record)}
    for key in members:
        if key not in known:
            raise breach(f"{name} has an unknown field {shown(key)}{nearest(str(key), known)}")
    for each in known.values():
        if _is_required(each) and each.name not in members:
            raise breach(f"{name} has no field {each.name}")
    hints = _hints(record)
    return record(
        **{key: _read(hints[key], each, f"{name}.{key}") for key, each in members.items()}
    )


def _read_union(hints: tuple[Any, ...], value: object, name: str) -> object:
    """A value of ``X | None``, or of a union of scalar types, such as `tck.protocol.Wire`."""
    if value is None and NoneType in hints:
        return None
    rest = tuple(each for each in hints if each is not NoneType)
    return _read(rest[0], value, name) if len(rest) == 1 else _read_scalar(hints, value, name)


def _read_array(hints: tuple[Any, ...], value: object, name: str) -> tuple[object, ...]:
    """A tuple whose type has the arguments ``hints``: ``(X, ...)`` or a type for each element."""
    if not isinstance(value, list | tuple):
        raise breach(f"{name} must be an array, gave {shown(value)}")
    items: Sequence[object] = cast("Sequence[object]", value)
    if hints[-1] is not Ellipsis:
        if len(items) != len(hints):
            raise breach(f"{name} must have {len(hints)} elements, gave {shown(items)}")
        return tuple(
            _read(h, v, f"{name}[{i}]") for i, (h, v) in enumerate(zip(hints, items, strict=True))
        )
    if hints[0] == WireRow:
        return tuple(_read_row(row, name, place) for place, row in enumerate(items))
    return tuple(_read(hints[0], each, f"{name}[{place}]") for place, each in enumerate(items))


def _read_row(row: object, name: str, place: int) -> WireRow:
    """A row, at ``place`` in the array ``name``.

    Because there can be many rows, usual values are accepted without a further call.
    """
    if not isinstance(row, list | tuple):
        raise breach(f"{name}[{place}] must be an array of values, gave {shown(row)}")
    values = tuple(cast("list[object]", row))
    for column, value in enumerate(values):
        kind = type(value)
        if kind is str:
            usual = str(value).isascii()
        else:
            usual = kind in _USUAL or (kind is float and math.isfinite(cast("float", value)))
        if not usual:
            _read_scalar(tuple(_VALUE_TYPES), value, f"{name}[{place}][{column}]")
    return cast("WireRow", values)  # the loop has checked this


def _read_scalar(hints: tuple[Any, ...], value: object, name: str) -> object:
    """The value, which must have one of the types ``hints``; an int can stand for a float."""
    kind = type(value)
    if kind not in hints and not (kind is int and float in hints):
        raise breach(f"{name} must be {_type_names(hints)}, gave {shown(value)}")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise breach(
                f"{name} is not a text: half of a surrogate pair in {value!a:.60}"
            ) from None
    if isinstance(value, float) and not math.isfinite(value):
        raise breach(f"{name} must be a finite number, or the text NaN, Infinity or -Infinity")
    return value


def _type_names(hints: tuple[Any, ...]) -> str:
    """The names of types in a message."""
    return (
        "text, a number, true, false or null"
        if len(hints) > 2
        else " or ".join(_NAMES[each] for each in hints)
    )


def _either(words: tuple[str, ...]) -> str:
    """The words in a message: ``final, bounded or exact``."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


# --- describing ---------------------------------------------------------------------------------


def _schema(hint: Any) -> dict[str, object]:
    """The JSON Schema of the values of a type."""
    if is_dataclass(hint):
        return schema_of(cast("type", hint))
    arguments = get_args(hint)
    match get_origin(hint):
        case origin if origin in (Union, UnionType):
            if all(each in _SCHEMA_NAMES for each in arguments):
                return {"type": [_SCHEMA_NAMES[each] for each in arguments]}
            return {"anyOf": [_schema(each) for each in arguments]}
        case origin if origin is Literal:
            return {"enum": list(arguments)}
        case origin if origin is tuple and arguments[-1] is Ellipsis:
            return {"type": "array", "items": _schema(arguments[0])}
        case origin if origin is tuple:
            count = len(arguments)
            items = [_schema(each) for each in arguments]
            return {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}
        case origin if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": {"type": "string"}}
        case _:
            return {"type": _SCHEMA_NAMES[hint]}


@cache
def _hints(record: type) -> dict[str, Any]:
    """The types of a record's fields, by name."""
    return get_type_hints(record)


@cache
def _fields(record: type) -> "tuple[Field[Any], ...]":
    """The fields of a record."""
    return fields(record)


def _default(field: "Field[Any]") -> object:
    """The value of a field that is left out; `MISSING` if it must not be left out."""
    factory = field.default_factory
    return field.default if factory is MISSING else factory()


def _is_required(field: "Field[Any]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING
